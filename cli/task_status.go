package cli

import "dev.lithos/core"

func taskStatus() *command {
	return &command{
		name: "status", operation: core.TaskStatus,
		summary:   "show a task with its live claims",
		details:   "For people it is the page of 'get'. With --json the record carries its claims.",
		arguments: []argument{idArgument},
		examples: []string{
			"lithos task status 9c1f02 --json",
			`lithos task status "$(lithos task create "Try it")"`,
		},
		run: func(c *call) error {
			id := c.argument(0)
			return c.showTasks([]string{id}, func() (any, error) {
				return run(c, core.TaskStatus, core.TaskStatusRequest{TaskID: id})
			})
		},
	}
}
