package cli

import (
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func taskBlocked() *command {
	return &command{
		name: "blocked", operation: core.TaskBlocked,
		summary: "list the tasks that cannot be started, and what holds them back",
		flags: []flag{
			projectFilter, tagFilter, matchFilter, pageLimitFlag, offsetFlag, sortFlag, watchFlag,
		},
		examples: []string{
			"lithos task blocked",
			"lithos task blocked --json --jq '.tasks[] | [.title, .blockers[].kind] | join(\" \")'",
		},
		run: runTaskBlocked,
	}
}

func runTaskBlocked(c *call) error {
	request := core.TaskBlockedRequest{
		Project: c.word("project"), Tags: c.list("tag"), MetadataMatch: c.match(),
		Limit: c.integer("limit"), Sort: c.word("sort"), Offset: c.integer("offset"),
	}
	return c.watching(func() error {
		result, err := run(c, core.TaskBlocked, request)
		if err != nil {
			return err
		}
		if err := c.show(result, func(p *page) { p.blockedTable(result.Tasks) }); err != nil || c.out.json {
			return err
		}
		c.more(result.HasMore, orDefaultPage(request.Limit), request.Offset)
		return nil
	})
}

// blockedTable writes blocked tasks with what they wait for.
func (p *page) blockedTable(tasks []core.Task) {
	if p.terminal && len(tasks) == 0 {
		p.line("Nothing is blocked.")
		return
	}
	ids := []string{}
	for _, t := range tasks {
		ids = append(ids, t.ID)
		for _, b := range t.Blockers {
			ids = append(ids, b.TaskID)
		}
	}
	labels := map[string]label{}
	if p.terminal {
		labels = p.labels(ids)
	}
	list := &table{columns: []column{
		{title: "ID", keep: true}, {title: "TITLE", gives: 20, keep: true}, {title: "P", drops: 4},
		{title: "PROJECT", gives: 8, drops: 2}, {title: "TAGS", gives: 8, drops: 1},
		{title: "WAITS FOR", gives: 18, keep: true}, {title: "AGE", right: true, keep: true, drops: 3},
	}}
	for _, t := range tasks {
		var waits, whole []string
		for _, b := range t.Blockers {
			waits = append(waits, p.blocker(b, labels[b.TaskID]))
			whole = append(whole, string(b.Kind)+":"+b.TaskID)
		}
		waiting := listed(waits)
		waiting.piped = strings.Join(whole, ",")
		list.add(
			cell{text: p.id(labels[t.ID]), piped: t.ID, look: bold},
			cell{text: display.Visible(t.Title), piped: t.Title},
			cell{text: priorityLabel(t), piped: t.Priority()},
			cell{text: display.Visible(t.Project()), piped: t.Project()},
			cell{text: display.Visible(strings.Join(t.Tags.List(), ", ")), piped: strings.Join(t.Tags.List(), ","), look: faint},
			waiting,
			cell{text: display.Age(t.CreatedAt, p.now), piped: t.CreatedAt.String(), look: faint},
		)
	}
	list.write(p)
}

// blocker is one thing that holds a task back, in a few cells. Its mark says
// how it stands itself.
func (p *page) blocker(b core.Blocker, l label) string {
	state := display.Blocked
	switch {
	case b.Kind == core.BlockedByCycle:
		state = display.Cycle
	case b.Kind == core.BlockedForGood:
		state = display.Cancelled
	case l.known:
		state = l.state()
	}
	word := state.Word()
	if b.Kind == core.BlockedForGood {
		word = b.Status
	}
	return state.Mark(p.ascii) + " " + p.id(l) + " " + word
}
