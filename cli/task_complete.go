package cli

import (
	"dev.lithos/core"
)

var completing = closing{word: "complete", verb: "completed", moved: "ready now"}

func taskComplete() *command {
	return &command{
		name: "complete", operation: core.TaskComplete,
		summary: "complete tasks, or pass gates",
		details: "What waited only for them becomes ready, and is listed. Anybody may complete any open task;\n" +
			"its claims end. Several ids are completed together or not at all.",
		arguments: []argument{idsArgument},
		flags: []flag{
			{name: "outcome", value: "TEXT", summary: "what came of it; - reads standard input"},
			{name: "cited", value: "NOTE", parameter: "cited_nodes", many: true, summary: "a note that helped; repeat for more"},
			{name: "misleading", value: "NOTE", parameter: "misleading_nodes", many: true, summary: "a note that misled; repeat for more"},
			{name: "receipt", value: "ID", parameter: "receipt_id", summary: "the receipt of the retrieval that named the notes"},
			versionFlag, dryRunFlag,
		},
		examples: []string{
			"lithos task complete 9c1f02 --dry-run",
			`lithos task complete 9c1f02 --outcome "merged"`,
			`lithos task complete "$(lithos task create "Try it")"`,
		},
		run: runTaskComplete,
	}
}

func runTaskComplete(c *call) error {
	request := core.TaskCompleteRequest{
		Agent: c.agent(), Outcome: c.body("outcome"), CitedNodes: c.list("cited"), MisleadingNodes: c.list("misleading"),
		ReceiptID: c.word("receipt"), ExpectedVersion: c.integer("expected-version"),
	}
	c.rehearsing()
	ids := c.arguments()
	if len(ids) > 1 {
		err := c.closeSeveral(completing, func(id string) any {
			one := request
			one.TaskID = id
			return one
		})
		if err == nil {
			c.tellOpenChildren(ids)
		}
		return err
	}
	request.TaskID = ids[0]
	result, err := run(c, core.TaskComplete, request)
	if err != nil {
		return err
	}
	c.tellOpenChildren([]string{result.TaskID})
	return c.show(result, func(p *page) {
		p.closed(completing, closed{Echo: result.Echo, Unblocked: result.Unblocked})
	})
}

// tellOpenChildren says how many children of completed epics are still open.
func (c *call) tellOpenChildren(ids []string) {
	service := c.session.service()
	tasks, err := service.TasksByID(c.ctx, "task_id", ids, false)
	if err != nil {
		c.session.log.Warn("the children of what was completed could not be read", "error", err)
		return
	}
	for _, t := range tasks {
		if t.Type != core.TypeEpic {
			continue
		}
		children, err := core.TaskChildren.Run(c.ctx, service, core.TaskChildrenRequest{TaskID: t.ID})
		if err != nil {
			c.session.log.Warn("the children of what was completed could not be read", "error", err)
			return
		}
		switch n := len(children.Tasks); {
		case n == 1:
			c.say("The epic '%s' has 1 open child.", t.Title)
		case n > 1:
			c.say("The epic '%s' has %d open children.", t.Title, n)
		}
	}
}
