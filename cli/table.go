package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"dev.lithos/core/display"
)

// table is a list for people. It is laid out here rather than by a table
// library because only here is known which column may give way: titles are
// cut first, columns that say nothing are left out, and piped output is not
// laid out at all.
type table struct {
	columns []column
	rows    [][]cell
}

// column is one column of a table.
type column struct {
	title string
	right bool // numbers and ages stand at the right
	gives int  // may be cut to this width when the terminal is too narrow; 0: never
	drops int  // is left out when that is not enough, the lowest number first; 0: never
	keep  bool // stays when it is the same on every row, as what tells what a row is must
}

// cell is one field: what a terminal shows and, where that differs, what
// piped output carries.
type cell struct {
	text  string   // safe to print
	parts []string // what a list is made of, text being all of it; cut between them
	piped string   // "" when it is text
	look  ansi.Style
}

// columnGap separates columns.
const columnGap = "  "

// add adds a row.
func (t *table) add(cells ...cell) { t.rows = append(t.rows, cells) }

// write writes the table to a page.
func (t *table) write(p *page) {
	if !p.terminal {
		t.writePiped(p)
		return
	}
	if len(t.rows) == 0 {
		return
	}
	shown, widths := t.fit(p.width)
	var line strings.Builder
	flush := func() {
		p.line("%s", strings.TrimRight(line.String(), " "))
		line.Reset()
	}
	for i, at := range shown {
		if i > 0 {
			line.WriteString(columnGap)
		}
		line.WriteString(p.look(faint, align(t.columns[at], display.Cut(t.columns[at].title, widths[at]), widths[at], i == len(shown)-1)))
	}
	flush()
	for _, row := range t.rows {
		for i, at := range shown {
			if i > 0 {
				line.WriteString(columnGap)
			}
			text := row[at].cut(widths[at])
			line.WriteString(p.look(row[at].look, align(t.columns[at], text, widths[at], i == len(shown)-1)))
		}
		flush()
	}
}

func (t *table) writePiped(p *page) {
	for _, row := range t.rows {
		var values []string
		for _, c := range row {
			if c.piped != "" {
				values = append(values, c.piped)
			} else {
				values = append(values, c.text)
			}
		}
		p.fields(values...)
	}
}

// cut is what of a field fits a width. A list loses whole parts, and says how
// many.
func (c cell) cut(width int) string {
	if len(c.parts) < 2 || display.Width(c.text) <= width {
		return display.Cut(c.text, width)
	}
	for n := len(c.parts) - 1; ; n-- {
		more := fmt.Sprintf(" +%d", len(c.parts)-n)
		text := strings.Join(c.parts[:n], listGap)
		switch {
		case display.Width(text)+len(more) <= width:
			return text + more
		case n == 1:
			return display.Cut(display.Cut(text, max(width-len(more), narrowest))+more, width)
		}
	}
}

// listGap separates the parts of a list.
const listGap = ", "

// listed makes the cell of a list.
func listed(parts []string) cell { return cell{text: strings.Join(parts, listGap), parts: parts} }

// align pads a text to the width of its column; the last one needs no
// padding.
func align(c column, text string, width int, last bool) string {
	switch {
	case c.right:
		return display.PadStart(text, width)
	case last:
		return text
	}
	return display.Pad(text, width)
}

// fit chooses the columns that are shown and their widths. First the columns
// that give way are cut, then those that can be spared are left out, and only
// on the narrowest terminals are the rest cut further.
func (t *table) fit(width int) (shown, widths []int) {
	natural := make([]int, len(t.columns))
	for i, c := range t.columns {
		if !t.says(i) {
			continue
		}
		natural[i] = display.Width(c.title)
		for _, row := range t.rows {
			natural[i] = max(natural[i], display.Width(row[i].text))
		}
		shown = append(shown, i)
	}
	for {
		widths = slices.Clone(natural)
		if t.squeeze(shown, widths, width, func(c column) int { return c.gives }) {
			return shown, widths
		}
		spare := -1
		for i, at := range shown {
			if d := t.columns[at].drops; d > 0 && (spare < 0 || d < t.columns[shown[spare]].drops) {
				spare = i
			}
		}
		if spare < 0 {
			t.squeeze(shown, widths, width, func(column) int { return narrowest })
			return shown, widths
		}
		shown = slices.Delete(shown, spare, spare+1)
	}
}

// narrowest is what a column keeps on a terminal that is too narrow for all.
const narrowest = 4

// squeeze cuts columns, none below its least width, until they fit, and
// reports whether they do. It takes from the widest until that is no wider
// than the next, so that a long list of tags does not swallow the title.
func (t *table) squeeze(shown, widths []int, width int, least func(column) int) bool {
	over := -width - len(columnGap)
	for _, at := range shown {
		over += widths[at] + len(columnGap)
	}
	for over > 0 {
		widest := -1
		for _, at := range shown {
			if n := least(t.columns[at]); n > 0 && widths[at] > n && (widest < 0 || widths[at] > widths[widest]) {
				widest = at
			}
		}
		if widest < 0 {
			return false
		}
		widths[widest]--
		over--
	}
	return true
}

// says reports whether a column tells the rows apart. One that is empty
// everywhere does not, nor does one that is the same on each of several rows.
func (t *table) says(at int) bool {
	same, empty := true, true
	for _, row := range t.rows {
		same = same && row[at].text == t.rows[0][at].text
		empty = empty && row[at].text == ""
	}
	return !empty && (t.columns[at].keep || len(t.rows) == 1 || !same)
}
