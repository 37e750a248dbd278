package tui

import (
	"dev.lithos/core"
	"dev.lithos/core/display"
)

// helpNote is a line of the help about something else than an action.
type helpNote struct {
	sign string
	look look // of the sign
	text string
}

// helpNotes is a part of the help that is about something else than actions.
type helpNotes struct {
	heading string
	notes   []helpNote
}

// dialogHeading is the heading of the keys of dialogs.
const dialogHeading = "In dialogs"

// notesOf are what the help and docs/keys.md say besides the actions: the
// language of filters, the keys of dialogs, and what signs stand for.
func notesOf(g *glyphs) []helpNotes {
	key := func(sign, text string) helpNote { return helpNote{sign, keyLook, text} }
	filter := helpNotes{"Filter: terms that must all hold", []helpNote{
		key("word", "in the title, a tag, the title of the epic, or an id as the board shows it"),
		key(`"two words"`, "one after the other"),
		key("p:1  p:<2  p:high", "priority, 0 (highest) to 4 (lowest); a task that has none counts as 2"),
		key("p:none", "no priority"),
		key("tag:x", "a tag begins so"),
		key("by:x  agent:x", "who created it; who has claimed it"),
		key("project:x", "the project begins so"),
		key("kind:gate", "also epic, task"),
		key("epic:x", "below the epic of that id or title"),
		key("is:ready", "also blocked, stuck, claimed, mine, open, done, cancelled"),
		key("-term", "the term does not hold"),
		key("tab  "+shownKeys([]string{"up"}, g), "while typing: completes a term, also from the store, and again the next; an earlier filter"),
		key(g.enter+"  esc", "keeps the filter; clears it"),
	}}
	dialogs := helpNotes{dialogHeading, []helpNote{
		key("tab  shift+tab", "next, previous field; the last line says what keys do there"),
		key(g.enter, "in a field of one line, or on a button: does it"),
		key(g.enter, "in a text of several lines: begins another; in a list of tasks: searches"),
		key("ctrl+s", "does it from anywhere"),
		key("h  l  "+shownKeys([]string{"left"}, g)+"  "+shownKeys([]string{"right"}, g), "another choice, another button"),
		key("space", "turns a choice on or off"),
		key("ctrl+w  ctrl+u  ctrl+k", "delete a word, to the beginning, to the end"),
		key("y  n", "where a dialog asks: yes, no"),
		key("esc  ctrl+c", "closes; quits; both ask before typed text is thrown away"),
	}}
	marks := helpNotes{heading: "Marks"}
	for _, s := range display.States {
		if s != display.Open { // no list shows a task without its readiness
			marks.notes = append(marks.notes, helpNote{g.mark(s), stateLook(s), stateMeaning[s]})
		}
	}
	marks.notes = append(marks.notes,
		helpNote{g.marked, keyLook, "marked, for actions on several tasks"},
		helpNote{g.moved, keyLook, "came into the column a moment ago"},
		helpNote{"!", warnLook, "your lease ends soon; something needs a person"},
		helpNote{g.full + g.full + g.rest + " 2/3", plainText, "how much of what is below is done"},
	)
	lines := helpNotes{heading: "Lines of the graph"}
	for _, kind := range core.EdgeTypes {
		s := wires()[g.ascii][kind]
		lines.notes = append(lines.notes, helpNote{repeat(s.arms[armEast|armWest], 2) + s.head, plainText, edgeMeaning[kind]})
	}
	lines.notes = append(lines.notes, helpNote{g.before + "2  2" + g.after, hintLook, "so many neighbours at that side are not shown"})
	return []helpNotes{filter, dialogs, marks, lines}
}

// stateMeaning says of each state what it means.
var stateMeaning = [...]string{
	display.Open:      "open",
	display.Ready:     "ready: can be started",
	display.Blocked:   "blocked: something holds it back",
	display.Claimed:   "claimed: somebody holds a lease on it",
	display.Done:      "done",
	display.Cancelled: "cancelled; what waits for it is stuck",
	display.Gate:      "gate: waits for a person, a moment, or another system",
	display.Epic:      "epic: a task with tasks below it",
	display.Waits:     "waits on what follows",
	display.Cycle:     "cycle: tasks that wait for one another",
}

// edgeMeaning says of each type of edge what its line means.
var edgeMeaning = map[core.EdgeType]string{
	core.EdgeBlocks:         "blocks: the second waits until the first is completed",
	core.EdgeWaitsOnGate:    "gate: waits until the gate is passed",
	core.EdgeParentChild:    "parent: the second is below the first",
	core.EdgeDiscoveredFrom: "found: the second was discovered during the first",
}
