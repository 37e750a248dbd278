package cli

import (
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// taskCommand groups the verbs of tasks.
func taskCommand() *command {
	return &command{
		name: "task", aliases: []string{"t"},
		summary: "create, find, claim and close tasks",
		details: "Tasks form a graph: edges say what must be done before what. 'ready' lists what can be\n" +
			"started now, 'next' takes the best of it, 'why' explains what holds a task back.\n" +
			"An id may be shortened to its first 6 characters or more. 't' is short for 'task'.",
		examples: []string{
			"lithos task ready",
			"lithos t next",
		},
		group: func() []*command {
			return []*command{
				taskCreate(), taskSpawn(), taskGet(), taskStatus(), taskList(),
				taskUpdate(), taskComplete(), taskCancel(), taskReopen(),
				taskClaim(), taskRenew(), taskRelease(), taskNext(),
				taskReady(), taskBlocked(), taskChildren(), taskWhy(),
				taskEdge(), taskApply(),
			}
		},
	}
}

// Flags that several verbs share.
var (
	idArgument      = argument{name: "ID", parameter: "task_id", completes: taskIDs}
	idsArgument     = argument{name: "ID", parameter: "task_id", many: true, completes: taskIDs}
	descriptionFlag = flag{name: "description", value: "TEXT", summary: "Markdown; - reads standard input"}
	tagFlag         = flag{name: "tag", value: "TAG", parameter: "tags", many: true, completes: tagNames, summary: "a tag; repeat for more"}
	metaFlag        = flag{name: "meta", value: "KEY=TEXT", parameter: "metadata", many: true, summary: "metadata; KEY:=JSON for a value that is no string"}
	projectFlag     = flag{name: "project", value: "NAME", parameter: "metadata.project", completes: projectNames, summary: "short for --meta project=NAME"}
	priorityFlag    = flag{name: "priority", value: "P", parameter: "metadata.priority", words: core.Priorities, summary: "highest, high, medium, low, lowest, or P0…P4"}
	gateTypeFlag    = flag{name: "gate-type", value: "TYPE", parameter: "metadata.gate_type", words: words(core.GateTypes), summary: "what a gate waits for: human, timer, ci, pr or external_task"}
	readyAtFlag     = flag{name: "ready-at", value: "TIME", parameter: "metadata.ready_at", summary: "when a timer gate opens: ISO, or +90m, +2h, +3d from now"}
	requestIDFlag   = flag{name: "request-id", value: "TEXT", summary: "repeating the call with it answers the first result"}
	versionFlag     = flag{name: "expected-version", value: "N", summary: "refuse if the task has moved on"}
	dryRunFlag      = flag{name: "dry-run", summary: "answer what would happen, change nothing"}
	aspectFlag      = flag{name: "aspect", value: "TEXT", summary: "the part of the work, such as review", fallback: core.DefaultAspect}
	ttlFlag         = flag{name: "ttl", value: "TIME", parameter: "ttl_minutes", summary: "length of the lease: minutes, or 45m, 2h", fallback: "60"}

	projectFilter = flag{name: "project", value: "NAME", completes: projectNames, summary: "only of this project"}
	tagFilter     = flag{name: "tag", value: "TAG", parameter: "tags", many: true, completes: tagNames, summary: "only with this tag; repeat for all of several"}
	matchFilter   = flag{name: "match", value: "KEY=TEXT", parameter: "metadata_match", many: true, summary: "only with this metadata; KEY:=JSON for numbers and booleans"}
	offsetFlag    = flag{name: "offset", value: "N", summary: "skip the first N", fallback: "0"}
	sortFlag      = flag{name: "sort", value: "ORDER", words: words(core.Sorts), summary: "priority, created, updated or impact", fallback: string(core.SortPriority)}
	pageLimitFlag = flag{name: "limit", value: "N", summary: "at most N", fallback: "50"}
	watchFlag     = flag{name: "watch", summary: "redraw whenever something changes, until interrupted"}
)

// words lists a closed vocabulary as plain strings.
func words[T ~string](vocabulary []T) []string {
	list := make([]string, len(vocabulary))
	for i, w := range vocabulary {
		list[i] = string(w)
	}
	return list
}

// metadata builds the metadata object of a call from --meta and the flags
// that are short for one of its keys; nil when none was given.
func (c *call) metadata() *core.Metadata {
	pairs := &metadataPairs{field: "metadata"}
	shorthand := func(name, key string, read func(string) (string, error)) {
		if _, ok := c.invocation.command.flag(name); !ok {
			return
		}
		text := c.word(name)
		if text == nil {
			return
		}
		value, err := read(*text)
		if err == nil {
			err = pairs.addText(key, value)
		}
		if err != nil {
			c.refuse(err)
		}
	}
	asGiven := func(text string) (string, error) { return text, nil }
	shorthand("project", "project", asGiven)
	shorthand("priority", "priority", func(text string) (string, error) { return parsePriority("metadata.priority", text) })
	shorthand("gate-type", "gate_type", asGiven)
	shorthand("ready-at", "ready_at", func(text string) (string, error) {
		return display.ParseMoment("metadata.ready_at", text, c.now())
	})
	for _, pair := range c.list("meta") {
		if err := pairs.addPair(pair); err != nil {
			c.refuse(err)
		}
	}
	if _, ok := c.invocation.command.flag("unset"); ok {
		for _, key := range c.list("unset") {
			if err := pairs.add(key, []byte("null")); err != nil {
				c.refuse(err)
			}
		}
	}
	return c.object(pairs)
}

// match builds the metadata filter of a call from --match.
func (c *call) match() *core.Metadata {
	pairs := &metadataPairs{field: "metadata_match"}
	for _, pair := range c.list("match") {
		if err := pairs.addPair(pair); err != nil {
			c.refuse(err)
		}
	}
	return c.object(pairs)
}

func (c *call) object(pairs *metadataPairs) *core.Metadata {
	object, err := pairs.object()
	if err != nil {
		c.refuse(err)
	}
	return object
}

// minutes returns the value of --ttl.
func (c *call) minutes() *int {
	text := c.word("ttl")
	if text == nil {
		return nil
	}
	n, err := parseMinutes("ttl_minutes", *text)
	if err != nil {
		c.refuse(err)
		return nil
	}
	return &n
}

// aspect returns the value of --aspect.
func (c *call) aspect() string {
	if text := c.word("aspect"); text != nil {
		return *text
	}
	return core.DefaultAspect
}

// warnPastTimer tells people that a timer gate opens at once.
func (c *call) warnPastTimer(m *core.Metadata) {
	if m == nil {
		return
	}
	text, ok := m.GetString("ready_at")
	if !ok {
		return
	}
	if at, err := core.ParseStamp(text); err == nil && at <= c.now() {
		c.say("lithos: the gate's time %s has passed already, so it holds nothing back.", text)
	}
}

// label is a task as people see it in a list.
type label struct {
	core.Card
	known bool // its row was read, so that its state is known
}

// labels reads what lists say of tasks; those that are not there keep their
// bare ids.
func (p *page) labels(ids []string) map[string]label {
	labels := make(map[string]label, len(ids))
	if len(ids) == 0 {
		return labels
	}
	cards, err := p.call.session.service().CardsByID(p.call.ctx, ids)
	if err != nil {
		p.fail(err)
	}
	for _, id := range ids {
		labels[id] = label{Card: core.Card{Task: core.Task{TaskHead: core.TaskHead{ID: id}}, ShortID: id}}
		if card, ok := cards[id]; ok {
			labels[id] = label{card, true}
		}
	}
	return labels
}

// widestID is how many cells an id may take in lists.
const widestID = 12

// id is the id as lists show it: the shortest that can be typed back, or,
// when that is long, the end of the whole id. Piped it is whole.
func (p *page) id(l label) string {
	if !p.terminal {
		return display.Visible(l.ID)
	}
	short := display.Visible(l.ShortID)
	if display.Width(short) > widestID {
		return display.CutStart(display.Visible(l.ID), widestID)
	}
	return short
}

// typed is the id as it can be typed back.
func (l label) typed() string { return display.ShellWord(l.ShortID) }

// state is how the task of a label stands.
func (l label) state() display.State {
	if !l.known {
		return display.Open
	}
	held := l.Held
	return display.StateOf(l.Status, l.Type, &held, len(l.Claims) > 0)
}

// name is mark, id and title on one line.
func (p *page) name(l label) string {
	if !l.known {
		return p.mark(display.Cancelled) + " " + p.id(l) + " (missing)"
	}
	return p.mark(l.state()) + " " + p.look(bold, p.id(l)) + " " + display.Visible(l.Title)
}

// done writes what a change of one task did: a sentence on a terminal, the
// whole id first when piped.
func (p *page) done(verb string, e core.Echo, more ...string) {
	if !p.terminal {
		p.fields(append([]string{e.TaskID, e.Title}, more...)...)
		return
	}
	l := p.labels([]string{e.TaskID})[e.TaskID]
	p.named(p.mark(l.state())+" "+verb+" ", p.look(bold, p.id(l))+" "+display.Visible(e.Title), strings.Join(append([]string{""}, more...), ", "))
}

// named writes a line that names a task, or several, on a terminal. When there
// is no room for all of it the name gives way first.
func (p *page) named(before, name, after string) {
	room := p.width - display.Width(before) - display.Width(after)
	p.line("%s", display.Cut(before+display.Cut(name, max(room, shortestName))+after, p.width))
}

// shortestName is how many cells of mark, id and title are kept where other
// things stand beside them.
const shortestName = 20

// consequences lists tasks that a change has moved, under a heading; nothing
// when there are none. Piped output is about the task itself.
func (p *page) consequences(heading string, ids []string) {
	if !p.terminal || len(ids) == 0 {
		return
	}
	labels := p.labels(ids)
	p.line("  %s", heading)
	for _, id := range ids {
		p.named("    ", p.name(labels[id]), "")
	}
}
