package markdown

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Additions to Markdown that are read, here and in table.go. They are those of
// the library's package of extensions, which cannot be imported: it compiles the
// patterns of all its extensions at every start of the program, whether or not
// anything is drawn.

// strikethrough reads ~~what is struck out~~.
type strikethrough struct{}

// IsDelimiter implements [parser.DelimiterProcessor].
func (strikethrough) IsDelimiter(b byte) bool { return b == '~' }

// CanOpenCloser implements [parser.DelimiterProcessor].
func (strikethrough) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch implements [parser.DelimiterProcessor].
func (strikethrough) OnMatch(int) ast.Node { return east.NewStrikethrough() }

// Trigger implements [parser.InlineParser].
func (strikethrough) Trigger() []byte { return []byte{'~'} }

// Parse implements [parser.InlineParser]: one or two tildes are a mark.
func (s strikethrough) Parse(_ ast.Node, block text.Reader, context parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	mark := parser.ScanDelimiter(line, before, 1, s)
	if mark == nil || mark.OriginalLength > 2 || before == '~' {
		return nil
	}
	mark.Segment = segment.WithStop(segment.Start + mark.OriginalLength)
	block.Advance(mark.OriginalLength)
	context.PushDelimiter(mark)
	return mark
}

// checkBox reads [ ] and [x] at the beginning of an item of a list. It has to
// come before the reader of links.
type checkBox struct{}

// Trigger implements [parser.InlineParser].
func (checkBox) Trigger() []byte { return []byte{'['} }

// Parse implements [parser.InlineParser].
func (checkBox) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	if _, inItem := parent.Parent().(*ast.ListItem); !inItem || parent.Parent().FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 3 || line[2] != ']' || line[1] != 'x' && line[1] != 'X' && !isSpace(line[1]) {
		return nil
	}
	end := 3
	for end < len(line) && isSpace(line[end]) {
		end++
	}
	block.Advance(end)
	return east.NewTaskCheckBox(!isSpace(line[1]))
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' }
