package core

import (
	"fmt"
	"strings"
)

// Meaning says term by term how a filter was understood, for people to see
// that it is what they meant. The values are as they were typed, in lower case.
func (f Filter) Meaning() []string {
	var list []string
	for _, t := range f.terms {
		text := t.meaning()
		if t.exclude {
			text = "not " + text
		}
		list = append(list, text)
	}
	return list
}

func (t filterTerm) meaning() string {
	quoted := fmt.Sprintf("'%s'", t.value)
	switch t.key {
	case "p":
		return t.priorityMeaning()
	case "tag":
		return "tag " + quoted
	case "by":
		return "created by " + quoted
	case "agent":
		return "claimed by " + quoted
	case "kind":
		return t.value + "s"
	case "epic":
		return "below epic " + quoted
	case "project":
		return "project " + quoted
	case "is":
		return t.value
	}
	return quoted
}

// priorityMeaning says which priorities a term asks for, and whether tasks that
// have none are among them.
func (t filterTerm) priorityMeaning() string {
	label := func(rank int) string { return fmt.Sprintf("P%d", rank) }
	text := ""
	switch {
	case t.none:
		return "no priority"
	case t.low > t.high:
		return "an impossible priority"
	case strings.Trim(t.value, "<>=") == "":
		return "any priority"
	case t.low == t.high:
		text = "priority " + label(t.low) + " (" + Priorities[t.low] + ")"
	default:
		text = "priority " + label(t.low) + " to " + label(t.high)
	}
	if t.low <= mediumPriority && mediumPriority <= t.high {
		text += " or none"
	}
	return text
}
