package cli

import (
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
	title   string
	right   bool // numbers and ages stand at the right
	gives   bool // is cut when the terminal is too narrow
	keep    bool // stays when it is the same on every row
	onlyTTY bool // left out when piped
}

// cell is one field: what a terminal shows and, where that differs, what
// piped output carries.
type cell struct {
	text  string // safe to print
	piped string // "" when it is text
	look  ansi.Style
}

// leastGiving is the width below which a column that gives way is not cut.
const leastGiving = 12

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
		line.WriteString(p.look(faint, align(t.columns[at], t.columns[at].title, widths[at], i == len(shown)-1)))
	}
	flush()
	for _, row := range t.rows {
		for i, at := range shown {
			if i > 0 {
				line.WriteString(columnGap)
			}
			text := display.Cut(row[at].text, widths[at])
			line.WriteString(p.look(row[at].look, align(t.columns[at], text, widths[at], i == len(shown)-1)))
		}
		flush()
	}
}

func (t *table) writePiped(p *page) {
	for _, row := range t.rows {
		var values []string
		for i, c := range row {
			if t.columns[i].onlyTTY {
				continue
			}
			if c.piped != "" {
				values = append(values, c.piped)
			} else {
				values = append(values, c.text)
			}
		}
		p.fields(values...)
	}
}

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

// fit chooses the columns that are shown and their widths.
func (t *table) fit(width int) (shown, widths []int) {
	widths = make([]int, len(t.columns))
	for i, c := range t.columns {
		if !t.says(i) {
			continue
		}
		widths[i] = display.Width(c.title)
		for _, row := range t.rows {
			widths[i] = max(widths[i], display.Width(row[i].text))
		}
		shown = append(shown, i)
	}
	over := -width - len(columnGap)
	for _, at := range shown {
		over += widths[at] + len(columnGap)
	}
	// Take from the widest column that gives way, until it is no wider than
	// the next one, so that a long list of tags does not swallow the title.
	for over > 0 {
		widest, next := -1, leastGiving
		for _, at := range shown {
			if !t.columns[at].gives || widths[at] <= leastGiving {
				continue
			}
			switch {
			case widest < 0:
				widest = at
			case widths[at] > widths[widest]:
				widest, next = at, max(next, widths[widest])
			default:
				next = max(next, widths[at])
			}
		}
		if widest < 0 {
			return shown, widths
		}
		take := min(over, max(widths[widest]-next, 1))
		widths[widest] -= take
		over -= take
	}
	return shown, widths
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
