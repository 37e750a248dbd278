package cli

import (
	"dev.lithos/core"
)

var cancelling = closing{word: "cancel", verb: "cancelled", moved: "stranded until somebody reopens it or deletes the edge"}

func taskCancel() *command {
	return &command{
		name: "cancel", operation: core.TaskCancel,
		summary: "cancel tasks",
		details: "What waits for a cancelled task stays blocked until somebody intervenes, and is listed.\n" +
			"Several ids are cancelled together or not at all.",
		arguments: []argument{idsArgument},
		flags: []flag{
			{name: "reason", value: "TEXT", summary: "why; kept as a finding; - reads standard input"},
			versionFlag, dryRunFlag,
		},
		examples: []string{
			"lithos task cancel 9c1f02 --dry-run",
			`lithos task cancel 9c1f02 --reason "the pipeline is retired"`,
			`lithos task cancel "$(lithos task create "Try it")"`,
		},
		run: runTaskCancel,
	}
}

func runTaskCancel(c *call) error {
	request := core.TaskCancelRequest{
		Agent: c.agent(), Reason: c.body("reason"), ExpectedVersion: c.integer("expected-version"),
	}
	c.rehearsing()
	ids := c.arguments()
	if len(ids) > 1 {
		return c.closeSeveral(cancelling, func(id string) any {
			one := request
			one.TaskID = id
			return one
		})
	}
	request.TaskID = ids[0]
	result, err := run(c, core.TaskCancel, request)
	if err != nil {
		return err
	}
	return c.show(result, func(p *page) {
		p.closed(cancelling, closed{Echo: result.Echo, Stranded: result.Stranded})
	})
}
