package cli

import (
	"dev.lithos/core"
)

var reopening = closing{word: "reopen", verb: "reopened", moved: "blocked again"}

func taskReopen() *command {
	return &command{
		name: "reopen", operation: core.TaskReopen,
		summary:   "open completed or cancelled tasks again",
		details:   "Lists the tasks that now wait for them alone. Several ids are reopened together or not at all.",
		arguments: []argument{idsArgument},
		flags:     []flag{versionFlag, dryRunFlag},
		examples: []string{
			`id=$(lithos task create "Try it"); lithos task complete $id; lithos task reopen $id`,
		},
		run: runTaskReopen,
	}
}

func runTaskReopen(c *call) error {
	request := core.TaskReopenRequest{Agent: c.agent(), ExpectedVersion: c.integer("expected-version")}
	c.rehearsing()
	ids := c.arguments()
	if len(ids) > 1 {
		return c.closeSeveral(reopening, func(id string) any {
			one := request
			one.TaskID = id
			return one
		})
	}
	request.TaskID = ids[0]
	result, err := run(c, core.TaskReopen, request)
	if err != nil {
		return err
	}
	return c.show(result, func(p *page) {
		p.closed(reopening, closed{Echo: result.Echo, Reblocked: result.Reblocked})
	})
}
