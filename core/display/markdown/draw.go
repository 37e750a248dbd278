package markdown

import (
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"dev.lithos/core/display"
)

// Kind is what a part of a text is.
type Kind int

// The kinds of parts.
const (
	Text      Kind = iota
	Heading        // of any level
	Quiet          // list marks, targets of links, what is struck out
	Border         // bars of quotations, rules
	Code           // inside a line, and the boxes of tasks
	CodeBlock      // lines of code
)

// Part is a stretch of text of one look. It holds no line break and nothing a
// terminal would act on.
type Part struct {
	Text                      string
	Kind                      Kind
	Strong, Italic, Underline bool
}

// Signs are what stands for the marks of Markdown that are not shown as they
// are written.
type Signs struct {
	Bullet string // before the items of a list
	Bar    string // before the lines of a quotation
	Rule   string // repeated, a rule
	Cross  string // where the rule of a table meets the bar between columns; empty: as the rule
	// Bare keeps the marks of headings, emphasis and code, for surfaces that
	// show no looks.
	Bare bool
}

// narrowest is the width below which nothing is drawn narrower.
const narrowest = 8

// reader reads Markdown as people write it in trackers. It is made at first
// use: most commands of the program do without. Definitions of links stay text,
// since in trackers a line like "[x]: y" is seldom one, and would vanish.
var reader = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithInlineParsers(util.Prioritized(checkBox{}, 0), util.Prioritized(strikethrough{}, 500)),
		parser.WithParagraphTransformers(util.Prioritized(tables{}, 200)),
	)
})

// Draw draws Markdown as lines at most width cells wide. Line breaks of
// paragraphs are kept, since much text is not written as Markdown; lines of
// code that are too wide are broken like others.
func Draw(source string, width int, signs Signs) [][]Part {
	src := []byte(display.VisibleLines(source))
	d := &drawing{src: src, signs: signs, width: max(width, narrowest)}
	d.blocks(reader().Parse(text.NewReader(src)), nil, nil)
	return d.lines
}

// drawing turns the tree of a text into lines.
type drawing struct {
	src   []byte
	signs Signs
	width int
	lines [][]Part
}

// blocks draws the children of a block, with what stands before their first
// line and before the others.
func (d *drawing) blocks(parent ast.Node, first, rest []Part) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n != parent.FirstChild() && !isTight(n) {
			d.lines = append(d.lines, rest)
		}
		d.block(n, first, rest)
		first = rest
	}
}

// isTight reports whether a block follows the one before without a gap.
func isTight(n ast.Node) bool {
	if list, ok := n.Parent().(*ast.List); ok {
		return list.IsTight
	}
	if item, ok := n.Parent().(*ast.ListItem); ok {
		if list, ok := item.Parent().(*ast.List); ok {
			return list.IsTight
		}
	}
	return false
}

func (d *drawing) block(n ast.Node, first, rest []Part) {
	switch n := n.(type) {
	case *ast.Heading:
		look := Part{Kind: Heading}
		parts := d.inline(n, look)
		if d.signs.Bare {
			parts = append([]Part{look.saying(strings.Repeat("#", n.Level) + " ")}, parts...)
		}
		d.wrapped(parts, first, rest)
	case *ast.Blockquote:
		bar := Part{Text: d.signs.Bar + " ", Kind: Border}
		d.blocks(n, join(first, bar), join(rest, bar))
	case *ast.List:
		d.list(n, first, rest)
	case *ast.FencedCodeBlock:
		// The name of a language goes without saying; other words do not.
		if info := n.Info; info != nil && !isLanguage(string(info.Value(d.src))) {
			d.wrapped([]Part{{Text: "``` " + string(info.Value(d.src)), Kind: Quiet}}, first, rest)
			first = rest
		}
		d.code(n, first, rest)
	case *ast.CodeBlock:
		d.code(n, first, rest)
	case *ast.HTMLBlock:
		lines := segments(n.Lines())
		if n.HasClosure() {
			lines = append(lines, n.ClosureLine)
		}
		d.raw(lines, first, rest, Text)
	case *east.Table:
		d.table(n, first, rest)
	case *ast.ThematicBreak:
		rule := strings.Repeat(d.signs.Rule, max(d.width-widthOf(first), 1))
		d.lines = append(d.lines, join(first, Part{Text: rule, Kind: Border}))
	default:
		if n.Type() == ast.TypeBlock {
			d.wrapped(d.inline(n, Part{}), first, rest)
		}
	}
}

// list draws the items of a list, each behind its mark.
func (d *drawing) list(n *ast.List, first, rest []Part) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		sign := d.signs.Bullet + " "
		if n.IsOrdered() {
			sign = strconv.Itoa(number) + ". "
			number++
		}
		if item != n.FirstChild() {
			first = rest
			if !n.IsTight {
				d.lines = append(d.lines, rest)
			}
		}
		before := join(first, Part{Text: sign, Kind: Quiet})
		if item.FirstChild() == nil {
			d.lines = append(d.lines, before)
			continue
		}
		d.blocks(item, before, join(rest, Part{Text: strings.Repeat(" ", display.Width(sign))}))
	}
}

// code draws the lines of a block of code, indented.
func (d *drawing) code(n ast.Node, first, rest []Part) {
	indent := Part{Text: "  "}
	d.raw(segments(n.Lines()), join(first, indent), join(rest, indent), CodeBlock)
}

// isLanguage reports whether the words behind a fence can be the name of a
// language.
func isLanguage(info string) bool {
	return !strings.ContainsFunc(strings.TrimSpace(info), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("+#._-", r)
	})
}

func segments(list *text.Segments) []text.Segment { return list.Sliced(0, list.Len()) }

// raw draws the lines of a block as they are.
func (d *drawing) raw(lines []text.Segment, first, rest []Part, kind Kind) {
	for _, segment := range lines {
		line := strings.TrimRight(string(segment.Value(d.src)), "\n")
		d.wrapped([]Part{{Text: line, Kind: kind}}, first, rest)
		first = rest
	}
}

func join(before []Part, p Part) []Part { return append(before[:len(before):len(before)], p) }

func widthOf(parts []Part) int {
	n := 0
	for _, p := range parts {
		n += display.Width(p.Text)
	}
	return n
}

// saying is a part of the same look that says something else.
func (p Part) saying(s string) Part {
	p.Text = s
	return p
}

// lineBreak is the text of a part that breaks the line.
const lineBreak = "\n"

// wrapped adds a paragraph.
func (d *drawing) wrapped(parts []Part, first, rest []Part) {
	var line []Part
	flush := func() {
		room := d.width - widthOf(rest)
		for _, part := range display.WrapParts(line, room, func(p Part) string { return p.Text }, Part.saying) {
			d.lines = append(d.lines, append(first[:len(first):len(first)], part...))
			first = rest
		}
		line = nil
	}
	for _, p := range parts {
		if p.Text == lineBreak {
			flush()
			continue
		}
		line = append(line, p)
	}
	flush()
}

// inline collects the text of a block. look is that of the text around it.
func (d *drawing) inline(parent ast.Node, look Part) []Part {
	var parts []Part
	add := func(kind Kind, s string) {
		p := look
		if kind != Text {
			p.Kind = kind
		}
		// Code and HTML inside a line can hold line breaks of their own.
		for before, after, more := strings.Cut(s, lineBreak); ; before, after, more = strings.Cut(after, lineBreak) {
			if before != "" {
				parts = append(parts, p.saying(before))
			}
			if !more {
				return
			}
			parts = append(parts, p.saying(lineBreak))
		}
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(d.src)
			if !n.IsRaw() {
				value = util.UnescapePunctuations(value)
			}
			add(Text, string(value))
			if n.SoftLineBreak() || n.HardLineBreak() {
				add(Text, lineBreak)
			}
		case *ast.String:
			add(Text, string(n.Value))
		case *ast.CodeSpan:
			parts = append(parts, d.marked("`", n, Part{Kind: Code, Strong: look.Strong, Italic: look.Italic})...)
		case *ast.Emphasis:
			inner := look
			inner.Strong, inner.Italic = look.Strong || n.Level > 1, look.Italic || n.Level == 1
			parts = append(parts, d.marked(strings.Repeat("*", n.Level), n, inner)...)
		case *ast.Link:
			inner := look
			inner.Underline = true
			parts = append(parts, d.inline(n, inner)...)
			add(Quiet, " ("+string(n.Destination)+")")
		case *ast.Image:
			add(Quiet, "image ")
			parts = append(parts, d.inline(n, look)...)
			add(Quiet, " ("+string(n.Destination)+")")
		case *ast.AutoLink:
			p := look.saying(string(n.Label(d.src)))
			p.Underline = true
			parts = append(parts, p)
		case *ast.RawHTML:
			for _, segment := range segments(n.Segments) {
				add(Text, string(segment.Value(d.src)))
			}
		case *east.TaskCheckBox:
			box := "[ ] "
			if n.IsChecked {
				box = "[x] "
			}
			add(Code, box)
		case *east.Strikethrough:
			parts = append(parts, d.marked("~~", n, Part{Kind: Quiet})...)
		default:
			parts = append(parts, d.inline(n, look)...)
		}
	}
	return parts
}

// marked collects the text of an inline element, between its marks where no
// looks are shown.
func (d *drawing) marked(mark string, n ast.Node, look Part) []Part {
	parts := d.inline(n, look)
	if !d.signs.Bare {
		return parts
	}
	return append(append([]Part{look.saying(mark)}, parts...), look.saying(mark))
}
