package cli

import (
	"context"
	"io"

	"dev.lithos/core"
)

func tuiCommand() *command {
	return &command{
		name: "tui", summary: "open the board",
		details:  "The board needs a terminal. It opens without a store and makes one at the first change.",
		flags:    []flag{{name: "theme", value: "NAME", summary: "colours of the board", fallback: "config, else the terminal's"}},
		examples: []string{"lithos tui"},
		run: func(c *call) error {
			theme := c.session.config.text("theme")
			if name := c.word("theme"); name != nil {
				theme = *name
			}
			if c.invalid != nil {
				return c.invalid
			}
			if !c.env.StdinIsTerminal || !c.env.StdoutIsTerminal || c.env.RunTUI == nil {
				return core.InvalidInput(core.ReasonInvalidValue, commandField, "The board needs a terminal; 'lithos task ready' lists what can be started.")
			}
			return c.board(theme)
		},
	}
}

// board runs the terminal UI.
func (c *call) board(theme string) error {
	config := c.session.config
	return c.env.RunTUI(c.ctx, TUIOptions{
		Open: func(ctx context.Context, create bool) (*core.Service, io.Closer, error) {
			if _, err := c.session.open(ctx, create); err != nil {
				return nil, nil, err
			}
			return c.session.service(), c.session, nil
		},
		StorePath: c.session.place.path, DataFolder: c.session.place.dataFolder(), Agent: c.agent(), Theme: theme,
		Mouse: config.on("mouse"), ASCII: config.on("ascii"), NoColor: config.text("color") == "never",
		ReadOnly: c.session.readOnly, Keys: config.keys, Filters: config.filters,
	})
}

// rootCommand is the program itself: the board on a terminal, the list of
// ready tasks elsewhere.
func rootCommand() *command {
	root := &command{
		name:    "lithos",
		summary: "a graph of tasks: what can be started now, and what holds the rest back",
		details: "Without a command: the board on a terminal, 'lithos task ready' elsewhere.",
		examples: []string{
			`lithos task create "Write the importer"`,
			"lithos task ready",
			"lithos explain scripting",
		},
		run: func(c *call) error {
			if c.env.StdinIsTerminal && c.env.StdoutIsTerminal && c.env.RunTUI != nil && !c.out.json {
				return c.board(c.session.config.text("theme"))
			}
			result, err := run(c, core.TaskReady, core.TaskReadyRequest{})
			if err != nil {
				return err
			}
			return c.showReady(result, nil, nil)
		},
		commands: []*command{
			tuiCommand(), initCommand(),
			taskCommand(), findingCommand(), agentCommand(),
			eventsCommand(), journalCommand(), statsCommand(), primeCommand(), importCommand(), exportCommand(), mcpCommand(),
			whereCommand(), configCommand(), explainCommand(), versionCommand(), completionCommand(), helpCommand(),
			completeCommand(),
		},
	}
	return root.link()
}
