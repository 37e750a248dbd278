package exchange

import (
	"bufio"
	"fmt"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// A Markdown document for people.

// markdownWriter writes a section a task, then the edges, then the findings.
type markdownWriter struct {
	w      *bufio.Writer
	titles titleList
	kind   core.TransferKind // of the section that is open
}

// titleList holds the titles of tasks, escaped, in little memory: there may be
// very many, and each is named again by its edges.
type titleList struct {
	index *core.IDIndex
	text  []byte
	ends  []int // of each title in text
}

func (l *titleList) add(id, title string) {
	l.index.Set(id, len(l.ends))
	l.text = append(l.text, title...)
	l.ends = append(l.ends, len(l.text))
}

// of is the title of a task, "" when there is none.
func (l *titleList) of(id string) string {
	at, found := l.index.Find(id)
	switch {
	case !found:
		return ""
	case at == 0:
		return string(l.text[:l.ends[0]])
	}
	return string(l.text[l.ends[at-1]:l.ends[at]])
}

func newMarkdownWriter(w *bufio.Writer) recordWriter {
	return &markdownWriter{w: w, titles: titleList{index: core.NewIDIndex()}, kind: core.TransferTask}
}

func (m *markdownWriter) begin() error {
	_, err := m.w.WriteString("# Tasks\n")
	return err
}

func (m *markdownWriter) put(rec *core.TransferRecord) error {
	if err := m.open(rec.Kind); err != nil {
		return err
	}
	var err error
	switch rec.Kind {
	case core.TransferTask:
		m.titles.add(rec.Task.ID, markdownEscape(display.Visible(rec.Task.Title)))
		_, err = m.w.WriteString(m.task(rec.Task))
	case core.TransferEdge:
		e := rec.Edge
		_, err = fmt.Fprintf(m.w, "- %s **%s** %s\n", m.reference(e.FromID), e.Type, m.reference(e.ToID))
	case core.TransferFinding:
		_, err = m.w.WriteString(m.finding(rec.TaskID, rec.Finding))
	}
	return err
}

// sectionHeadings are the headings of what follows the tasks.
var sectionHeadings = map[core.TransferKind]string{core.TransferEdge: "Edges", core.TransferFinding: "Findings"}

// open begins the section of a kind when it is not open yet.
func (m *markdownWriter) open(kind core.TransferKind) error {
	if m.kind == kind {
		return nil
	}
	m.kind = kind
	_, err := fmt.Fprintf(m.w, "\n# %s\n\n", sectionHeadings[kind])
	return err
}

// reference names a task by title and id.
func (m *markdownWriter) reference(id string) string {
	return fmt.Sprintf("%s (%s)", m.titles.of(id), codeSpan(display.Visible(id)))
}

// task is the section of a task.
func (m *markdownWriter) task(t core.Task) string {
	var out strings.Builder
	mark := display.StateOf(t.Status, t.Type, nil, false).Mark(false)
	fmt.Fprintf(&out, "\n## %s %s\n\n", mark, m.titles.of(t.ID))
	item := func(name, value string) { fmt.Fprintf(&out, "- %s: %s\n", name, value) }
	item("id", codeSpan(display.Visible(t.ID)))
	item("status", string(t.Status))
	if t.Type != core.TypeTask {
		item("type", string(t.Type))
	}
	if priority := t.Priority(); priority != "" {
		item("priority", priority)
	}
	if project := t.Project(); project != "" {
		item("project", markdownEscape(display.Visible(project)))
	}
	if tags := t.Tags.List(); len(tags) > 0 {
		for i, tag := range tags {
			tags[i] = codeSpan(display.Visible(tag))
		}
		item("tags", strings.Join(tags, ", "))
	}
	item("created", fmt.Sprintf("%s by %s", t.CreatedAt, markdownEscape(display.Visible(t.CreatedBy))))
	if t.ResolvedAt != nil {
		item(string(t.Status), t.ResolvedAt.String())
	}
	writeQuote(&out, "", t.Description)
	writeQuote(&out, "Outcome:", t.Outcome)
	return out.String()
}

// finding is one item of the list of findings, after a heading when it is the
// first of its task.
func (m *markdownWriter) finding(taskID string, f core.Finding) string {
	var out strings.Builder
	fmt.Fprintf(&out, "**%s**, %s, about %s:\n\n%s\n", markdownEscape(display.Visible(f.Agent)), f.CreatedAt,
		m.reference(taskID), quote(f.Summary))
	return out.String()
}

func (m *markdownWriter) end() error { return nil }

func writeQuote(out *strings.Builder, heading string, body *string) {
	if body == nil || strings.TrimSpace(*body) == "" {
		return
	}
	if heading != "" {
		fmt.Fprintf(out, "\n%s\n", heading)
	}
	fmt.Fprintf(out, "\n%s", quote(*body))
}

// quote shows a text that is Markdown itself as a block quote: whatever it
// opens ends with the quote. Its HTML is shown, not obeyed.
func quote(body string) string {
	body = strings.TrimRight(display.VisibleLines(body), "\n")
	var out strings.Builder
	for line := range strings.SplitSeq(withoutHTML(body), "\n") {
		out.WriteString(strings.TrimRight("> "+line, " "))
		out.WriteByte('\n')
	}
	return out.String()
}

// markdownReader reads Markdown as its standard says.
var markdownReader = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
})

// maxEscapeRounds is how often withoutHTML reads what it has escaped.
const maxEscapeRounds = 8

// withoutHTML escapes the tags of a Markdown text that would reach the reader
// as HTML, and leaves code as it is. Where a tag is escaped, what follows may
// be read otherwise: indented code after a block of HTML goes on a paragraph.
// So it is read again until no tag is left.
func withoutHTML(body string) string {
	for range maxEscapeRounds {
		escaped, err := escapeHTML(body)
		if err != nil {
			break
		}
		if escaped == body {
			return body
		}
		body = escaped
	}
	return strings.ReplaceAll(body, "<", "&lt;")
}

// escapeHTML is one round of withoutHTML.
func escapeHTML(body string) (string, error) {
	if !strings.Contains(body, "<") {
		return body, nil
	}
	source := []byte(body)
	tags := make([]bool, len(source))
	mark := func(s text.Segment) {
		for i := s.Start; i < s.Stop; i++ {
			tags[i] = source[i] == '<'
		}
	}
	document := markdownReader().Parse(text.NewReader(source))
	err := ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				mark(n.Segments.At(i))
			}
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				mark(n.Lines().At(i))
			}
			if n.HasClosure() {
				mark(n.ClosureLine)
			}
		}
		return ast.WalkContinue, nil
	})
	var out strings.Builder
	for i, c := range source {
		if tags[i] {
			out.WriteString("&lt;")
		} else {
			out.WriteByte(c)
		}
	}
	return out.String(), err
}

// The characters that mean something in Markdown: wherever they stand, and at
// the beginning of a line.
const (
	markdownSpecial = "\\`*_[]<>&|~#$"
	markdownLeading = "+-=.)"
)

// markdownEscape makes one line of text mean itself.
func markdownEscape(s string) string {
	var out strings.Builder
	leading := true // nothing but digits so far, as before the point of a numbered list
	for _, r := range s {
		if strings.ContainsRune(markdownSpecial, r) || leading && strings.ContainsRune(markdownLeading, r) {
			out.WriteByte('\\')
		}
		leading = leading && r >= '0' && r <= '9'
		out.WriteRune(r)
	}
	return out.String()
}

// codeSpan shows text as code: the fence is longer than any run of backticks
// in it.
func codeSpan(s string) string {
	longest, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 || strings.TrimSpace(s) != s || s == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}
