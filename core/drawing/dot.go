package drawing

import (
	"bufio"
	"fmt"
	"strings"

	"dev.lithos/core"
)

// dotWriter writes the language of Graphviz.
type dotWriter struct {
	w     *bufio.Writer
	names numbering
}

func newDOT(w *bufio.Writer) Writer { return &dotWriter{w: w, names: numbering{}} }

// Begin implements [Writer].
func (d *dotWriter) Begin() error {
	_, err := d.w.WriteString(`digraph lithos {
  graph [rankdir=LR, charset="UTF-8"];
  node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=10];
`)
	return err
}

// The looks of what is not an open task; the words of the label tell it too.
var (
	dotStatus = map[core.Status]string{
		core.StatusOpen:      "",
		core.StatusCompleted: `, fillcolor="#d8ead3", color="#38761d"`,
		core.StatusCancelled: `, fillcolor="#eeeeee", color="#888888", fontcolor="#666666", style="rounded,filled,dashed"`,
	}
	dotType = map[core.TaskType]string{
		core.TypeTask: "",
		core.TypeEpic: ", shape=folder",
		core.TypeGate: ", shape=hexagon",
	}
	dotEdge = map[core.EdgeType]string{
		core.EdgeBlocks:         "",
		core.EdgeWaitsOnGate:    ", style=dashed",
		core.EdgeParentChild:    ", arrowhead=odiamond, color=gray40",
		core.EdgeDiscoveredFrom: ", style=dotted",
	}
)

// Task implements [Writer].
func (d *dotWriter) Task(t core.Task) error {
	var label []string
	for _, line := range labelLines(t) {
		label = append(label, dotEscape.Replace(line))
	}
	_, err := fmt.Fprintf(d.w, "  n%d [label=\"%s\"%s%s];\n",
		d.names.next(t.Key), strings.Join(label, `\n`), dotStatus[t.Status], dotType[t.Type])
	return err
}

// Edge implements [Writer].
func (d *dotWriter) Edge(from, to core.TaskKey, t core.EdgeType) error {
	_, err := fmt.Fprintf(d.w, "  n%d -> n%d [label=\"%s\"%s];\n", d.names[from], d.names[to], t, dotEdge[t])
	return err
}

// dotEscape makes text safe inside a quoted label, where backslashes start
// escapes and ampersands start entities.
var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")

// End implements [Writer].
func (d *dotWriter) End() error {
	_, err := d.w.WriteString("}\n")
	return err
}
