package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// Flags that events and journal share.
var (
	eventTypeFlag = flag{name: "type", value: "TYPE", parameter: "types", many: true, words: words(core.EventTypes), completes: eventTypeNames, summary: "only this type, such as task.completed; repeat for more"}
	eventTaskFlag = flag{name: "task", value: "ID", parameter: "task_id", completes: taskIDs, summary: "only about this task, its edges, claims and findings"}
	eventByFlag   = flag{name: "by", value: "NAME", parameter: "agent", completes: agentNames, summary: "only by this agent"}
	periodFlag    = flag{name: "from", value: "TIME", parameter: "period_start", summary: "only at or after this time"}
	untilFlag     = flag{name: "until", value: "TIME", parameter: "period_end", summary: "only before this time"}
)

func eventsCommand() *command {
	return &command{
		name: "events", operation: core.Events,
		summary: "read the change feed after a cursor, oldest first",
		details: "Every change is one event with a rising number. --since takes the 'next_since' of the last\n" +
			"answer. --follow prints one JSON object a line as changes happen and never ends by itself;\n" +
			"without --since or --from it begins with the last few, of which --limit tells the number.",
		flags: []flag{
			{name: "since", value: "N", summary: "only events with a higher number", fallback: "from the oldest in the feed; with --follow from the last few"},
			{name: "limit", value: "N", summary: "at most N, never more than 1000", fallback: "100; with --follow 10"},
			eventTypeFlag, eventTaskFlag, eventByFlag, periodFlag, untilFlag,
			{name: "follow", summary: "print changes as they happen"},
		},
		examples: []string{
			"lithos events --since 41 --type task.completed",
			"lithos events --task 9c1f02 --json",
		},
		group: func() []*command { return []*command{eventsArchive()} },
		run:   runEvents,
	}
}

func runEvents(c *call) error {
	request := core.EventsRequest{
		Since: c.integer("since"), Limit: c.integer("limit"), Types: c.list("type"), TaskID: c.word("task"),
		Agent: c.word("by"), PeriodStart: c.moment("from"), PeriodEnd: c.moment("until"),
	}
	if c.on("follow") {
		return c.follow(request)
	}
	result, err := run(c, core.Events, request)
	if err != nil {
		return err
	}
	err = c.show(result, func(p *page) { p.events(result.Events) })
	if err == nil && result.HasMore && !c.out.json && !c.globals.quiet {
		c.say("More: %s", c.invocation.again("since", fmt.Sprint(result.NextSince)))
	}
	return err
}

// events writes events, one a line.
func (p *page) events(events []core.Event) {
	if p.terminal && len(events) == 0 {
		p.line("Nothing happened.")
		return
	}
	list := &table{columns: []column{
		{title: "SEQ", right: true, keep: true}, {title: "AGE", right: true, keep: true}, {title: "BY", gives: 8, drops: 2}, {title: "WHAT", keep: true},
		{title: "ID", keep: true}, {title: "TITLE", gives: 16, keep: true}, {title: "", gives: 8, drops: 1},
	}}
	if !p.terminal {
		for _, e := range events {
			p.fields(fmt.Sprint(e.Seq), e.Timestamp.String(), e.Agent, string(e.Type), string(e.Payload))
		}
		return
	}
	subjects := make([]eventSubject, len(events))
	var ids, noteIDs []string
	for i, e := range events {
		subjects[i] = subjectOf(e)
		for _, id := range []string{subjects[i].task, subjects[i].source} {
			switch {
			case id != "" && subjects[i].isNote:
				noteIDs = append(noteIDs, id)
			case id != "":
				ids = append(ids, id)
			}
		}
	}
	labels, notes := p.labels(ids), map[string]core.NoteCard{}
	if len(noteIDs) > 0 {
		notes = p.noteCards(noteIDs)
	}
	for i, e := range events {
		id, title, detail := "", "", display.Visible(subjects[i].detail)
		if s := subjects[i].task; s != "" && subjects[i].isNote {
			id, title = p.noteIDThen(notes[s]), display.Visible(cmp.Or(notes[s].Title, subjects[i].title))
		} else if s != "" {
			id, title = p.id(labels[s]), display.Visible(labels[s].Title)
		}
		if s := subjects[i].source; s != "" && subjects[i].isNote {
			detail += " from " + p.noteIDThen(notes[s])
		} else if s != "" {
			detail += " from " + p.id(labels[s])
		}
		list.add(
			cell{text: fmt.Sprint(e.Seq), look: faint},
			cell{text: display.Age(e.Timestamp, p.now), look: faint},
			cell{text: display.Visible(e.Agent)},
			cell{text: eventWords(e.Type)},
			cell{text: id, look: bold},
			cell{text: title},
			cell{text: detail, look: faint},
		)
	}
	list.write(p)
}

// eventWords say what happened. What is said of no noun is said of a task.
func eventWords(t core.EventType) string {
	if t == core.EventEdgeUpserted {
		return "note edge upserted"
	}
	return strings.NewReplacer("_", " ", ".", " ").Replace(strings.TrimPrefix(string(t), "task."))
}

// noteIDThen is the id of a note in the history: as lists show it, or the
// beginning of what it was when the note is no more.
func (p *page) noteIDThen(card core.NoteCard) string {
	if id := []rune(card.ID); card.Title == "" && len(id) > core.MinIDPrefixCharacters {
		card.ShortID = string(id[:core.MinIDPrefixCharacters])
	}
	return p.noteID(card)
}

// eventSubject is what an event is about, for people: a task or a note, the
// other end of an edge to it, and what else there is to say. The title is that
// of a note then, or its path.
type eventSubject struct {
	task, source, detail string
	title                string
	isNote               bool
}

// subjectOf reads the payload of an event. One that cannot be read is shown
// without its subject.
func subjectOf(e core.Event) eventSubject {
	var payload struct {
		TaskID  string   `json:"task_id"`
		FromID  string   `json:"from_task_id"`
		ToID    string   `json:"to_task_id"`
		Type    string   `json:"type"`
		Aspect  string   `json:"aspect"`
		Outcome string   `json:"outcome"`
		Reason  string   `json:"reason"`
		Changed []string `json:"changed_fields"`
		AgentID string   `json:"agent_id"`
		Format  string   `json:"format"`
		NoteID  string   `json:"id"`
		Title   string   `json:"title"`
		Path    string   `json:"path"`
		Moved   string   `json:"dest_path"`
		FromEnd string   `json:"from_id"`
		ToEnd   string   `json:"to_id"`
	}
	if json.Unmarshal(e.Payload, &payload) != nil {
		return eventSubject{}
	}
	if note := cmp.Or(payload.NoteID, payload.ToEnd); note != "" {
		return eventSubject{
			task: note, source: payload.FromEnd, isNote: true, title: cmp.Or(payload.Title, payload.Path, payload.Moved),
			detail: cmp.Or(payload.Type, payload.Moved),
		}
	}
	return eventSubject{
		task:   cmp.Or(payload.TaskID, payload.ToID),
		source: payload.FromID,
		detail: cmp.Or(payload.Type, payload.Outcome, payload.Reason, payload.Aspect, strings.Join(payload.Changed, ", "),
			payload.AgentID, payload.Format),
	}
}
