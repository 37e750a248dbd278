package cli

import "dev.lithos/core"

// rootCommand is the program itself: the board on a terminal, as lists where
// that cannot be drawn on; the list of ready tasks elsewhere.
func rootCommand() *command {
	return &command{
		name:    "lithos",
		summary: "a graph of tasks: what can be started now, and what holds the rest back",
		details: "Without a command: the board on a terminal, 'lithos task ready' elsewhere.",
		examples: []string{
			`lithos task create "Write the importer"`,
			"lithos task ready",
			"lithos explain scripting",
		},
		run: func(c *call) error {
			if c.canDraw() && !c.out.json {
				return c.board(c.session.config.text("theme"))
			}
			if c.env.StdoutIsTerminal && !c.out.json {
				return c.showBoard()
			}
			result, err := run(c, core.TaskReady, core.TaskReadyRequest{})
			if err != nil {
				return err
			}
			return c.showReady(result, nil, nil)
		},
		group: func() []*command {
			return []*command{
				tuiCommand(), initCommand(),
				taskCommand(), findingCommand(), noteCommand(), agentCommand(),
				eventsCommand(), journalCommand(), statsCommand(), primeCommand(), importCommand(), exportCommand(), backupCommand(), migrateCommand(), doctorCommand(), mcpCommand(),
				whereCommand(), configCommand(), explainCommand(), versionCommand(), completionCommand(), helpCommand(),
				completeCommand(),
			}
		},
	}
}
