package tui

import (
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"dev.lithos/core/display"
)

// markdownParser reads Markdown as people write it in trackers. It is made at
// first use: the other commands of the program do without.
var markdownParser = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.TaskList)).Parser()
})

// markdownLimit is how many bytes of a text are shown.
const markdownLimit = 200_000

// markdown draws Markdown as lines of spans at most width cells wide. Line
// breaks of paragraphs are kept, since much text is not written as Markdown.
func markdown(source string, width int, g *glyphs) [][]span {
	shown := beginning(source, markdownLimit)
	src := []byte(display.VisibleLines(shown))
	r := &markdownRenderer{src: src, g: g, width: max(width, 8)}
	r.blocks(markdownParser().Parse(text.NewReader(src)), nil, nil)
	if len(shown) < len(source) {
		r.lines = append(r.lines, nil, []span{{strconv.Itoa((len(source)-len(shown))/1000+1) + " kB more; E opens the whole text", dimText}})
	}
	return r.lines
}

// markdownRenderer turns the tree of a text into lines.
type markdownRenderer struct {
	src   []byte
	g     *glyphs
	width int
	lines [][]span
}

// blocks draws the children of a block, with what stands before their first
// line and before the others.
func (r *markdownRenderer) blocks(parent ast.Node, first, rest []span) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n != parent.FirstChild() && !isTight(n) {
			r.lines = append(r.lines, rest)
		}
		r.block(n, first, rest)
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

func (r *markdownRenderer) block(n ast.Node, first, rest []span) {
	switch n := n.(type) {
	case *ast.Heading:
		r.wrapped(r.inline(n, titleLook), first, rest)
	case *ast.Blockquote:
		bar := span{r.g.thin.v + " ", borderLook}
		r.blocks(n, join(first, bar), join(rest, bar))
	case *ast.List:
		number := n.Start
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			sign := r.g.bullet + " "
			if n.IsOrdered() {
				sign = strconv.Itoa(number) + ". "
				number++
			}
			if item != n.FirstChild() {
				first = rest
				if !n.IsTight {
					r.lines = append(r.lines, rest)
				}
			}
			r.blocks(item, join(first, span{sign, dimText}), join(rest, span{repeat(" ", cells(sign)), plainText}))
		}
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		r.raw(n, join(first, span{"  ", plainText}), join(rest, span{"  ", plainText}), keyLook&^strong)
	case *ast.HTMLBlock:
		r.raw(n, first, rest, plainText)
	case *ast.ThematicBreak:
		r.lines = append(r.lines, join(first, span{repeat(r.g.thin.h, r.width-spansWidth(first)), borderLook}))
	default:
		if n.Type() == ast.TypeBlock {
			r.wrapped(r.inline(n, plainText), first, rest)
		}
	}
}

// raw draws the lines of a block as they are.
func (r *markdownRenderer) raw(n ast.Node, first, rest []span, l look) {
	segments := n.Lines()
	for i := range segments.Len() {
		segment := segments.At(i)
		line := strings.TrimRight(string(segment.Value(r.src)), "\n")
		r.lines = append(r.lines, join(first, span{line, l}))
		first = rest
	}
}

func join(before []span, s span) []span { return append(before[:len(before):len(before)], s) }

// wrapped adds a paragraph; a span "\n" breaks the line.
func (r *markdownRenderer) wrapped(spans []span, first, rest []span) {
	var paragraph []span
	flush := func() {
		for _, line := range wrapSpans(paragraph, r.width-spansWidth(rest)) {
			r.lines = append(r.lines, append(first[:len(first):len(first)], line...))
			first = rest
		}
		paragraph = nil
	}
	for _, s := range spans {
		if s.text == "\n" {
			flush()
			continue
		}
		paragraph = append(paragraph, s)
	}
	flush()
}

// inline collects the text of a block.
func (r *markdownRenderer) inline(parent ast.Node, l look) []span {
	var spans []span
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(r.src)
			if !n.IsRaw() {
				value = util.UnescapePunctuations(value)
			}
			spans = append(spans, span{string(value), l})
			if n.SoftLineBreak() || n.HardLineBreak() {
				spans = append(spans, span{"\n", l})
			}
		case *ast.String:
			spans = append(spans, span{string(n.Value), l})
		case *ast.CodeSpan:
			spans = append(spans, r.inline(n, keyLook)...)
		case *ast.Emphasis:
			emphasis := italic
			if n.Level > 1 {
				emphasis = strong
			}
			spans = append(spans, r.inline(n, l|emphasis)...)
		case *ast.Link:
			spans = append(spans, r.inline(n, l|underline)...)
			spans = append(spans, span{" (" + string(n.Destination) + ")", dimText})
		case *ast.Image:
			spans = append(append(spans, span{"image ", dimText}), r.inline(n, l)...)
		case *ast.AutoLink:
			spans = append(spans, span{string(n.Label(r.src)), l | underline})
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				segment := n.Segments.At(i)
				spans = append(spans, span{string(segment.Value(r.src)), l})
			}
		case *east.TaskCheckBox:
			box := "[ ] "
			if n.IsChecked {
				box = "[x] "
			}
			spans = append(spans, span{box, keyLook})
		case *east.Strikethrough:
			spans = append(spans, r.inline(n, dimText)...)
		default:
			spans = append(spans, r.inline(n, l)...)
		}
	}
	return spans
}

// wrapSpans breaks spans into lines at most width cells wide, at spaces where
// there are any.
func wrapSpans(spans []span, width int) [][]span {
	width = max(width, 1)
	var lines [][]span
	var line []span
	used := 0
	flush := func() {
		lines = append(lines, line)
		line, used = nil, 0
	}
	for _, s := range spans {
		for _, word := range strings.SplitAfter(s.text, " ") {
			bare := strings.TrimRight(word, " ")
			if used > 0 && used+cells(bare) > width {
				flush()
				if bare == "" {
					continue
				}
			}
			for cells(bare) > width { // a word wider than a line is divided
				n := 0
				for taken := 0; ; {
					size := nextCluster(word[n:])
					taken += cells(word[n : n+size])
					if taken > width && n > 0 {
						break
					}
					n += size
				}
				line = append(line, span{word[:n], s.look})
				flush()
				word, bare = word[n:], bare[n:]
			}
			if word != "" {
				line = append(line, span{word, s.look})
				used += cells(word)
			}
		}
	}
	if len(line) > 0 || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}
