package cli

import (
	"fmt"
	"io"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// terminalRows is how many rows of an unlimited list a terminal shows.
const terminalRows = 50

func taskList() *command {
	return &command{
		name: "list", operation: core.TaskList,
		summary: "list tasks by filters, newest first",
		details: "A terminal shows 50 rows and the command for more; piped output and --json are complete.",
		flags: append(listFilters("all; 50 on a terminal"),
			flag{name: "with-claims", summary: "records carry their live claims"}, watchFlag),
		examples: []string{
			"lithos task list --status open --tag parser",
			"lithos task list --claimed-by '*'",
			"lithos task list --resolved-since 2026-03-01 --json --jq '.tasks[].title'",
		},
		run: runTaskList,
	}
}

// listFilters are the flags that select tasks for a list or an export;
// unlimited says how many there are when no limit is given.
func listFilters(unlimited string) []flag {
	return []flag{
		{name: "created-by", value: "NAME", parameter: "agent", completes: agentNames, summary: "only what this agent created"},
		{name: "claimed-by", value: "NAME", completes: agentNames, summary: "only with a live claim by this agent; * for anybody"},
		{name: "text", value: "WORDS", summary: "only where title or description holds it, or the id begins so"},
		{name: "status", value: "STATUS", words: words(core.Statuses), summary: "open, completed or cancelled"},
		{name: "type", value: "TYPE", parameter: "task_type", words: words(core.TaskTypes), summary: "task, epic or gate"},
		tagFilter,
		{name: "since", value: "TIME", summary: "created at or after this time"},
		{name: "resolved-since", value: "TIME", summary: "closed at or after this time"},
		matchFilter,
		{name: "limit", value: "N", summary: "at most N", fallback: unlimited},
		offsetFlag,
	}
}

// listRequest reads the flags of listFilters.
func (c *call) listRequest() core.TaskListRequest {
	return core.TaskListRequest{
		Agent: c.word("created-by"), ClaimedBy: c.word("claimed-by"), Text: c.word("text"),
		Status: c.word("status"), TaskType: c.word("type"), Tags: c.list("tag"),
		Since: c.moment("since"), ResolvedSince: c.moment("resolved-since"),
		MetadataMatch: c.match(), Limit: c.integer("limit"), Offset: c.integer("offset"),
	}
}

func runTaskList(c *call) error {
	request := c.listRequest()
	request.WithClaims = c.ifOn("with-claims")
	return c.watching(func() error { return c.listTasks(request) })
}

func (c *call) listTasks(request core.TaskListRequest) error {
	if c.out.filter != nil {
		result, err := run(c, core.TaskList, request)
		if err != nil {
			return err
		}
		return c.out.document(result)
	}
	if c.invalid != nil {
		return c.invalid
	}
	if c.out.json {
		return c.out.whole(func(w io.Writer) error {
			if err := c.session.service().WriteTaskList(c.ctx, request, w); err != nil {
				return err
			}
			_, err := w.Write([]byte{'\n'})
			return err
		})
	}
	if !c.env.StdoutIsTerminal {
		return c.pipeTasks(request)
	}
	if request.Limit == nil {
		limit := terminalRows
		request.Limit = &limit
	}
	on := true
	request.WithClaims = &on
	p := c.page()
	var tasks []core.Task
	more, err := c.session.service().EachTask(c.ctx, request, core.BriefRecords, func(t core.Task) error {
		tasks = append(tasks, t)
		return nil
	})
	if err != nil {
		return err
	}
	if len(tasks) == 0 {
		p.line("No task matches.")
	}
	p.taskTable(tasks, true)
	if p.err != nil {
		return p.err
	}
	if err := c.out.text(p.Bytes()); err != nil {
		return err
	}
	c.more(more, request.Limit, request.Offset)
	return nil
}

// pipedBatch is how much of a piped list is collected before it is handed on,
// in bytes.
const pipedBatch = 64 << 10

// pipeTasks prints a list of any length as lines of fields.
func (c *call) pipeTasks(request core.TaskListRequest) error {
	more := false
	err := c.out.whole(func(w io.Writer) (err error) {
		p := c.page()
		more, err = c.session.service().EachTask(c.ctx, request, core.BriefRecords, func(t core.Task) error {
			p.fields(t.ID, string(t.Status), string(t.Type), t.Title, t.Priority(), t.Project(),
				strings.Join(t.Tags.List(), ","), t.CreatedAt.String())
			if p.Len() < pipedBatch {
				return nil
			}
			_, err := p.WriteTo(w)
			return err
		})
		if err == nil {
			_, err = p.WriteTo(w)
		}
		return err
	})
	if err == nil {
		c.more(more, request.Limit, request.Offset)
	}
	return err
}

// taskTable writes tasks as a table; with states when they are not all in the
// same half of the frontier. Piped it writes nothing.
func (p *page) taskTable(tasks []core.Task, withStates bool) {
	if !p.terminal || len(tasks) == 0 {
		return
	}
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	labels := p.labels(ids)
	list := &table{columns: []column{
		{title: "", keep: true}, {title: "ID", keep: true}, {title: "TITLE", gives: 20, keep: true}, {title: "STATE", drops: 4, keep: true}, {title: "P", drops: 5},
		{title: "PROJECT", gives: 8, drops: 2}, {title: "TAGS", gives: 8, drops: 1}, {title: "HELD BY", gives: 8, drops: 3},
		{title: "AGE", right: true, keep: true, drops: 6},
	}}
	for _, t := range tasks {
		l := labels[t.ID]
		state := l.state()
		word := ""
		if withStates {
			word = listedState(t, state)
		}
		list.add(
			cell{text: state.Mark(p.ascii), look: stateLook[state]},
			cell{text: p.id(l), look: bold},
			cell{text: display.Visible(t.Title)},
			cell{text: word, look: stateLook[state]},
			cell{text: priorityLabel(t)},
			cell{text: display.Visible(t.Project())},
			cell{text: display.Visible(strings.Join(t.Tags.List(), ", ")), look: faint},
			cell{text: p.holders(t.Claims), look: yellow},
			cell{text: display.Age(t.CreatedAt, p.now), look: faint},
		)
	}
	list.write(p)
}

// listedState is the state of a task in a list. That of an open gate says
// which kind it is.
func listedState(t core.Task, state display.State) string {
	if kind := t.GateType(); state == display.Gate && kind != "" {
		return string(kind) + " " + state.Word()
	}
	return state.Word()
}

// priorityLabel is the priority of a task in a list. Whatever is no word of
// priority sorts as medium, and is shown as that.
func priorityLabel(t core.Task) string {
	word := t.Priority()
	if _, given := t.Metadata.Get("priority"); given {
		word = core.Priorities[core.PriorityRank(word)]
	}
	return display.PriorityLabel(word)
}

// holders names who holds live claims, and for how long.
func (p *page) holders(claims []core.Claim) string {
	var list []string
	for _, claim := range claims {
		text := claim.Agent
		if claim.Aspect != core.DefaultAspect {
			text += " (" + claim.Aspect + ")"
		}
		list = append(list, fmt.Sprintf("%s %s", display.Visible(text), display.Left(claim.ExpiresAt, p.now)))
	}
	return strings.Join(list, ", ")
}

// more tells that a list goes on, and how to see the rest.
func (c *call) more(more bool, limit, offset *int) {
	if !more || limit == nil || c.globals.quiet {
		return
	}
	next := *limit
	if offset != nil {
		next += *offset
	}
	c.say("More: %s", c.invocation.again("offset", fmt.Sprint(next)))
}
