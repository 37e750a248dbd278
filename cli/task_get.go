package cli

import (
	"dev.lithos/core"
)

func taskGet() *command {
	return &command{
		name: "get", operation: core.TaskGet,
		summary: "show a task, or several",
		details: "The page shows the text, who holds it, what it waits for and what waits for it.\n" +
			"With --json one id answers {\"task\": …}, several answer {\"tasks\": […]}.",
		arguments: []argument{idsArgument},
		examples: []string{
			"lithos task get 9c1f02 83257c --json",
			`lithos task get "$(lithos task create "Try it")"`,
		},
		run: runTaskGet,
	}
}

func runTaskGet(c *call) error {
	ids := c.arguments()
	if len(ids) == 1 || !c.out.json {
		return c.showTasks(ids, func() (any, error) {
			return run(c, core.TaskGet, core.TaskGetRequest{TaskID: ids[0]})
		})
	}
	if c.invalid != nil {
		return c.invalid
	}
	tasks, err := c.session.service().TasksByID(c.ctx, "task_id", ids, false)
	if err != nil {
		return err
	}
	return c.out.document(core.TaskStatusResult{Tasks: tasks})
}
