package cli

import (
	"fmt"
	"slices"

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
		p.stillWaiting([]string{result.TaskID})
	})
}

// mostStillWaiting is how many tasks that go on waiting are named, and the
// number of completed ones whose waiters are looked up.
const mostStillWaiting = 8

// stillWaiting names what has waited for completed tasks and waits on for
// others. Piped output is about the tasks themselves.
func (p *page) stillWaiting(completed []string) {
	if !p.terminal {
		return
	}
	var waiting []core.Card
	seen := map[string]bool{}
	others := map[string]int{}
	for _, id := range completed[:min(len(completed), mostStillWaiting)] {
		view, err := p.call.session.service().TaskView(p.call.ctx, id)
		if err != nil {
			p.fail(err)
			return
		}
		for _, card := range view.Dependents {
			if card.Status != core.StatusOpen || seen[card.ID] {
				continue
			}
			seen[card.ID] = true
			others[card.ID] = card.WaitCount
			for _, wait := range card.Waits {
				if slices.Contains(completed, wait.Source.ID) { // only would be, under --dry-run
					others[card.ID]--
				}
			}
			if others[card.ID] > 0 {
				waiting = append(waiting, card)
			}
		}
	}
	if len(waiting) == 0 {
		return
	}
	p.line("  still waiting:")
	for i, card := range waiting {
		if i == mostStillWaiting {
			p.line("    %s", p.look(faint, fmt.Sprintf("and %d more", len(waiting)-i)))
			return
		}
		p.named("    ", p.name(label{card, true}), fmt.Sprintf(", for %d more", others[card.ID]))
	}
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
