package exchange

import (
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// numbering gives the tasks of a drawing short names, in the order they come:
// an id can hold what no drawing language takes.
type numbering map[core.TaskKey]int

func (n numbering) next(key core.TaskKey) int {
	n[key] = len(n) + 1
	return n[key]
}

// labelWidth is the width in cells at which titles in drawings are broken.
const labelWidth = 40

// labelLines are the lines of a task's box: its title, its id, and how it
// stands. They are safe to print; the language's own characters are still to
// be escaped.
func labelLines(t core.Task) []string {
	lines := strings.Split(display.Wrap(display.Visible(t.Title), labelWidth), "\n")
	return append(lines, display.Visible(t.ID), standing(t))
}

// standing says in words how a task stands: status, and type and priority
// where they are not the usual ones. A sign stands before it, so that it is
// seen at a glance.
func standing(t core.Task) string {
	parts := []string{string(t.Status)}
	if t.Type != core.TypeTask {
		parts = append(parts, string(t.Type))
	}
	if priority := t.Priority(); priority != "" && priority != "medium" {
		parts = append(parts, priority)
	}
	return display.StateOf(t.Status, t.Type, nil, false).Mark(false) + " " + strings.Join(parts, " · ")
}
