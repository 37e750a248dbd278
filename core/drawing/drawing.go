package drawing

import (
	"bufio"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// Writer draws one graph: all tasks, then the edges between them. Its errors
// are those of what it writes to.
type Writer interface {
	Begin() error
	// Task draws a task as a box. Each is drawn once.
	Task(t core.Task) error
	// Edge draws an edge between two tasks that were drawn, as an arrow.
	Edge(from, to core.TaskKey, t core.EdgeType) error
	End() error
}

// Language is a language of graphs.
type Language struct {
	Name string // as the formats of export are called
	New  func(*bufio.Writer) Writer
}

// The languages.
var (
	DOT     = Language{"dot", newDOT}
	Mermaid = Language{"mermaid", newMermaid}
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
