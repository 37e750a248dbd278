package drawing

import (
	"bufio"
	"fmt"
	"strings"

	"dev.lithos/core"
)

// What Mermaid's renderer draws unless it is configured otherwise.
const (
	MermaidMaxEdges = 500
	MermaidMaxText  = 50_000 // characters of source
)

// mermaidWriter writes the flowcharts of Mermaid.
type mermaidWriter struct {
	w     *bufio.Writer
	names numbering
}

func newMermaid(w *bufio.Writer) Writer { return &mermaidWriter{w: w, names: numbering{}} }

// Begin implements [Writer].
func (m *mermaidWriter) Begin() error {
	_, err := m.w.WriteString("flowchart LR\n")
	return err
}

// The brackets that give a box its shape, and the arrows.
var (
	mermaidShape = map[core.TaskType][2]string{
		core.TypeTask: {`["`, `"]`},
		core.TypeEpic: {`[["`, `"]]`},
		core.TypeGate: {`{{"`, `"}}`},
	}
	mermaidArrow = map[core.EdgeType]string{
		core.EdgeBlocks:         "-->",
		core.EdgeWaitsOnGate:    "-.->",
		core.EdgeParentChild:    "==>",
		core.EdgeDiscoveredFrom: "-.->",
	}
)

// Task implements [Writer].
func (m *mermaidWriter) Task(t core.Task) error {
	var label []string
	for _, line := range labelLines(t) {
		label = append(label, mermaidEscape(line))
	}
	shape := mermaidShape[t.Type]
	_, err := fmt.Fprintf(m.w, "  n%d%s%s%s:::%s\n", m.names.next(t.Key), shape[0], strings.Join(label, "<br/>"), shape[1], t.Status)
	return err
}

// Edge implements [Writer].
func (m *mermaidWriter) Edge(from, to core.TaskKey, t core.EdgeType) error {
	_, err := fmt.Fprintf(m.w, "  n%d %s|%s| n%d\n", m.names[from], mermaidArrow[t], t, m.names[to])
	return err
}

// mermaidPlain are the ASCII characters that mean nothing to Mermaid, to the
// Markdown or to the HTML of its labels, besides letters and digits; those of
// mermaidInside only within a text, where they begin no list.
const (
	mermaidPlain  = " ,/'?!"
	mermaidInside = "-."
)

// mermaidEscape makes one line of text safe inside a quoted label: every other
// ASCII character is written as an entity.
func mermaidEscape(s string) string {
	// Mermaid takes a line with the words direction LR for a command, wherever
	// they stand.
	s = strings.ReplaceAll(s, "direction", "\x00irection")
	var out strings.Builder
	leading := true // nothing but digits so far
	for _, r := range s {
		switch {
		case r == 0:
			out.WriteString("#100;")
		case r >= 0x80, isLetterOrDigit(r), strings.ContainsRune(mermaidPlain, r), !leading && strings.ContainsRune(mermaidInside, r):
			out.WriteRune(r)
		default:
			fmt.Fprintf(&out, "#%d;", r)
		}
		leading = leading && r >= '0' && r <= '9'
	}
	return out.String()
}

func isLetterOrDigit(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// End implements [Writer].
func (m *mermaidWriter) End() error {
	_, err := m.w.WriteString(`  classDef open fill:#ffffff,stroke:#333333,color:#000000
  classDef completed fill:#d8ead3,stroke:#38761d,color:#000000
  classDef cancelled fill:#eeeeee,stroke:#888888,color:#666666,stroke-dasharray:4 3
`)
	return err
}
