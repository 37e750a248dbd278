package tui

import (
	"dev.lithos/core/display"
)

// glyphs are the signs the UI draws with, besides those of states. Terminals
// disagree about the width of some, so there is a set in ASCII.
type glyphs struct {
	ascii bool

	thin, heavy frame
	cursor      string // before the row of the cursor
	marked      string // on a marked row
	moved       string // on a row that came lately
	more, less  string // more rows below, above
	open        string // an unfolded branch
	folded      string
	leaf        string
	tee, elbow  string // branches of a tree, two cells
	pipe        string
	meet        string // where the lines of a table cross
	arrow       string
	backArrow   string
	left, right string // around a choice
	before      string // before the number of neighbours in a graph that are hidden at the left
	after       string // behind that of those at the right
	full, rest  string // progress: done, to do
	live        string
	bullet      string
	crumb       string
	enter       string
	caret       string
	dash        string
	ellipsis    string
	cross, tick string // before what was refused and what was done
}

// frame is a set of border signs.
type frame struct{ h, v, tl, tr, bl, br string }

var unicodeGlyphs = glyphs{
	thin:   frame{"─", "│", "╭", "╮", "╰", "╯"},
	heavy:  frame{"━", "┃", "┏", "┓", "┗", "┛"},
	cursor: "▌", marked: "+", moved: "·", more: "↓", less: "↑",
	open: "▾", folded: "▸", leaf: " ", tee: "├─", elbow: "└─", pipe: "│ ",
	meet: "┼", arrow: "→", backArrow: "←", left: "‹", right: "›", before: "‹", after: "›", full: "▓", rest: "░",
	live: "●", bullet: "·", crumb: "▸", enter: "↵", caret: "▏", dash: "—", ellipsis: display.Ellipsis,
	cross: "✘", tick: "✔",
}

var asciiGlyphs = glyphs{
	ascii:  true,
	thin:   frame{"-", "|", "+", "+", "+", "+"},
	heavy:  frame{"=", "|", "+", "+", "+", "+"},
	cursor: ">", marked: "*", moved: ":", more: "v", less: "^",
	open: "v", folded: "+", leaf: " ", tee: "|-", elbow: "`-", pipe: "| ",
	meet: "+", arrow: "->", backArrow: "<-", left: "<", right: ">", before: "<+", after: "+>", full: "=", rest: ".",
	live: "(o)", bullet: "-", crumb: ">", enter: "enter", caret: "_", dash: "--", ellipsis: "~",
	cross: "!", tick: "x",
}

// glyphsFor picks a set.
func glyphsFor(ascii bool) *glyphs {
	if ascii {
		return &asciiGlyphs
	}
	return &unicodeGlyphs
}

// mark is the sign of a state.
func (g *glyphs) mark(s display.State) string { return s.Mark(g.ascii) }

// markWidth is the number of cells that marks of states take in a column.
func (g *glyphs) markWidth() int {
	if g.ascii {
		return 2
	}
	return 1
}
