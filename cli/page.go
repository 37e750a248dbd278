package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"dev.lithos/core"
	"dev.lithos/core/display"
	"dev.lithos/core/display/markdown"
)

// page collects text for people. On a terminal it may use colour and knows
// the width; piped, lists are lines of tab-separated fields with whole ids.
type page struct {
	*bytes.Buffer
	call     *call
	now      core.Stamp
	width    int // of the terminal; 0 when piped
	terminal bool
	styled   bool
	ascii    bool
	err      error // the first failure to read something that is shown
}

// fail notes a failure to read what the page was to show.
func (p *page) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// asciiEllipsis stands for text that was cut off where only ASCII is shown.
const asciiEllipsis = "~"

// Bytes is what was collected. Texts are cut in many places, so the mark of
// that is exchanged here.
func (p *page) Bytes() []byte {
	if p.terminal && p.ascii {
		return bytes.ReplaceAll(p.Buffer.Bytes(), []byte(display.Ellipsis), []byte(asciiEllipsis))
	}
	return p.Buffer.Bytes()
}

// Styles of text, from the 16 colours every terminal has, so that the
// terminal's own theme decides.
var (
	plain     = ansi.Style{}
	bold      = ansi.NewStyle(ansi.AttrBold)
	faint     = ansi.NewStyle(ansi.AttrFaint)
	red       = ansi.NewStyle(ansi.AttrRedForegroundColor)
	green     = ansi.NewStyle(ansi.AttrGreenForegroundColor)
	yellow    = ansi.NewStyle(ansi.AttrYellowForegroundColor)
	blue      = ansi.NewStyle(ansi.AttrBlueForegroundColor)
	magenta   = ansi.NewStyle(ansi.AttrMagentaForegroundColor)
	stateLook = map[display.State]ansi.Style{
		display.Open: plain, display.Ready: green, display.Blocked: red, display.Claimed: yellow,
		display.Done: faint, display.Cancelled: faint, display.Gate: magenta, display.Epic: blue,
		display.Waits: faint, display.Cycle: red,
	}
)

// look puts a style on safe text, when the page has styles.
func (p *page) look(s ansi.Style, text string) string {
	if !p.styled || text == "" || len(s) == 0 {
		return text
	}
	return s.Styled(text)
}

// line writes a line.
func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// fields writes one line of a piped list.
func (p *page) fields(values ...string) {
	for i, value := range values {
		if i > 0 {
			p.WriteByte('\t')
		}
		p.WriteString(display.Visible(value))
	}
	p.WriteByte('\n')
}

// paragraph writes text of several lines, made safe, wrapped to the width and
// indented.
func (p *page) paragraph(indent int, text string) {
	text = display.VisibleLines(strings.TrimRight(text, "\n"))
	if p.width > 0 {
		text = display.Wrap(text, max(p.width-indent, 20))
	}
	for line := range strings.SplitSeq(text, "\n") {
		p.line("%s", strings.TrimRight(strings.Repeat(" ", indent)+line, " "))
	}
}

// prose writes text of the program's own that is written in lines: wrapped to
// the width, indented lines as they are.
func (p *page) prose(text string) { p.line("%s", display.Prose(text, p.width)) }

// markdownLooks are the styles of the parts of Markdown.
var markdownLooks = [...][]ansi.Attr{
	markdown.Text: nil, markdown.Heading: {ansi.AttrBold}, markdown.Quiet: {ansi.AttrFaint}, markdown.Border: {ansi.AttrFaint},
	markdown.Code: {ansi.AttrCyanForegroundColor}, markdown.CodeBlock: {ansi.AttrCyanForegroundColor},
}

// markdown draws Markdown, indented. Where there are no styles the marks of
// the source stand for them.
func (p *page) markdown(indent int, source string) {
	signs := markdown.Signs{Bullet: p.sign("•", "-"), Bar: p.sign("│", "|"), Rule: p.sign("─", "-"), Cross: p.sign("┼", "+"), Bare: !p.styled}
	for _, parts := range markdown.Draw(strings.TrimRight(source, "\n"), max(p.width-indent, 20), signs) {
		var line strings.Builder
		for i, part := range parts {
			text := part.Text
			if i == len(parts)-1 {
				text = strings.TrimRight(text, " ")
			}
			line.WriteString(p.look(markdownLook(part), text))
		}
		p.line("%s", strings.TrimRight(strings.Repeat(" ", indent)+line.String(), " "))
	}
}

func markdownLook(part markdown.Part) ansi.Style {
	look := ansi.NewStyle(markdownLooks[part.Kind]...)
	for _, extra := range []struct {
		on        bool
		attribute ansi.Attr
	}{{part.Strong, ansi.AttrBold}, {part.Italic, ansi.AttrItalic}, {part.Underline, ansi.AttrUnderline}} {
		if extra.on {
			look = append(look, ansi.NewStyle(extra.attribute)...)
		}
	}
	return look
}

// sign is a separator, or its substitute where only ASCII is shown.
func (p *page) sign(sign, ascii string) string {
	if p.ascii {
		return ascii
	}
	return sign
}

// mark is the sign of a state in its colour.
func (p *page) mark(s display.State) string { return p.look(stateLook[s], s.Mark(p.ascii)) }

// heading writes the title of a section of a page, with a line before it.
func (p *page) heading(format string, args ...any) {
	p.line("")
	p.line("%s", p.look(bold, fmt.Sprintf(format, args...)))
}
