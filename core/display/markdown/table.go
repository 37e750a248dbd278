package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"dev.lithos/core/display"
)

// mostColumns is how many columns a table may have; with more it is text.
const mostColumns = 40

// tables reads tables: a line of headings, one of dashes, and rows. It is an
// addition like those of syntax.go.
type tables struct{}

// Transform implements [parser.ParagraphTransformer]: the lines before the
// headings stay a paragraph.
func (tables) Transform(paragraph *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines := paragraph.Lines()
	source := reader.Source()
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		alignments := alignmentsOf(string(line.Value(source)))
		if alignments == nil {
			continue
		}
		headings := row(lines.At(i-1), source, len(alignments))
		if headings.ChildCount() != len(alignments) || hasMore(lines.At(i-1), source, len(alignments)) {
			continue
		}
		table := east.NewTable()
		table.Alignments = alignments
		table.AppendChild(table, east.NewTableHeader(headings))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, row(lines.At(j), source, len(alignments)))
		}
		parent := paragraph.Parent()
		parent.InsertAfter(parent, paragraph, table)
		if i == 1 {
			parent.RemoveChild(parent, paragraph)
			return
		}
		lines.SetSliced(0, i-1)
		last := lines.At(i - 2)
		lines.Set(i-2, last.TrimRightSpace(source))
		return
	}
}

// alignmentsOf reads the line below the headings, as in |:---|:-:|---:|. Nil:
// it is no such line.
func alignmentsOf(line string) []east.Alignment {
	line = strings.TrimSpace(line)
	if !strings.Contains(line, "|") || strings.Trim(line, "|-: \t") != "" {
		return nil
	}
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	if len(parts) > mostColumns {
		return nil
	}
	var list []east.Alignment
	for _, part := range parts {
		part = strings.TrimSpace(part)
		left, right := strings.HasPrefix(part, ":"), strings.HasSuffix(part, ":")
		if dashes := strings.TrimSuffix(strings.TrimPrefix(part, ":"), ":"); dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil
		}
		alignment := east.AlignNone
		switch {
		case left && right:
			alignment = east.AlignCenter
		case right:
			alignment = east.AlignRight
		case left:
			alignment = east.AlignLeft
		}
		list = append(list, alignment)
	}
	return list
}

// bounds are where the text of a line begins and ends between its outer bars.
func bounds(line text.Segment, source []byte) text.Segment {
	line = line.TrimLeftSpace(source)
	line = line.TrimRightSpace(source)
	if line.Len() > 0 && source[line.Start] == '|' {
		line.Start++
	}
	if line.Len() > 0 && source[line.Stop-1] == '|' && !isEscaped(source[line.Start:line.Stop], line.Len()-1) {
		line.Stop--
	}
	return line
}

// hasMore reports whether a line has more cells than a number.
func hasMore(line text.Segment, source []byte, columns int) bool {
	line = bounds(line, source)
	for range columns {
		i := barIn(source[line.Start:line.Stop])
		if i < 0 {
			return false
		}
		line.Start += i + 1
	}
	return true
}

// row reads a row of at most so many cells: what is beyond the last column
// stays in it, so that nothing is lost.
func row(line text.Segment, source []byte, columns int) *east.TableRow {
	r := east.NewTableRow(nil)
	line = bounds(line, source)
	for n := 1; ; n++ {
		end := line.Len()
		i := barIn(source[line.Start:line.Stop])
		if i >= 0 && n < columns {
			end = i
		}
		cell := east.NewTableCell()
		inside := line.WithStop(line.Start + end)
		inside = inside.TrimLeftSpace(source)
		inside = inside.TrimRightSpace(source)
		if inside.Len() > 0 {
			cell.Lines().Append(inside)
		}
		r.AppendChild(r, cell)
		if i < 0 || n == columns {
			return r
		}
		line.Start += end + 1
	}
}

// barIn is where the first bar stands that is not escaped; -1 for none.
func barIn(line []byte) int {
	for i, c := range line {
		if c == '|' && !isEscaped(line, i) {
			return i
		}
	}
	return -1
}

// isEscaped reports whether an odd number of backslashes stands before a place.
func isEscaped(line []byte, at int) bool {
	n := 0
	for at-1-n >= 0 && line[at-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// leastColumn is the width below which no column of a table is squeezed: then
// its rows are drawn one below the other.
const leastColumn = 6

// table draws a table with its columns beside each other or, where there is no
// room for that, each row as a list of headings and values.
func (d *drawing) table(n *east.Table, first, rest []Part) {
	var rows [][][]Part
	columns := len(n.Alignments)
	natural, even := make([]int, columns), make([]int, columns)
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		cells := make([][]Part, columns)
		look := Part{Strong: len(rows) == 0 && !d.signs.Bare}
		i := 0
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			cells[i] = d.cell(c, look)
			natural[i] = max(natural[i], widthOf(cells[i]))
			i++
		}
		rows = append(rows, cells)
	}
	sum := 0
	for i, w := range natural {
		natural[i], even[i] = max(w, 1), 1
		sum += natural[i]
	}
	between := Part{Text: " " + d.signs.Bar + " ", Kind: Border}
	room := d.width - widthOf(rest) - widthOf([]Part{between})*(columns-1)
	widths := natural
	if sum > room {
		widths = display.Share(max(room, 0), natural, even, 1)
		for i, w := range widths {
			if w < min(natural[i], leastColumn) {
				d.records(rows, first, rest)
				return
			}
		}
	}
	for i, cells := range rows {
		d.row(cells, widths, n.Alignments, between, first, rest)
		first = rest
		if i == 0 {
			d.lines = append(d.lines, join(rest, Part{Text: d.ruleBelow(widths, between.Text), Kind: Border}))
		}
	}
}

// cell is what a cell says.
func (d *drawing) cell(n ast.Node, look Part) []Part {
	parts := d.inline(n, look)
	for i := range parts {
		// The bars of code have to be escaped in tables, and only there.
		if parts[i].Kind == Code {
			parts[i].Text = strings.ReplaceAll(parts[i].Text, `\|`, "|")
		}
		if parts[i].Text == lineBreak {
			parts[i].Text = " "
		}
	}
	return parts
}

// ruleBelow is the line between the headings and the rows.
func (d *drawing) ruleBelow(widths []int, between string) string {
	cross := d.signs.Cross
	if cross == "" {
		cross = d.signs.Rule
	}
	side := (display.Width(between) - display.Width(cross)) / 2
	var line strings.Builder
	for i, w := range widths {
		if i > 0 {
			line.WriteString(strings.Repeat(d.signs.Rule, side) + cross + strings.Repeat(d.signs.Rule, side))
		}
		line.WriteString(strings.Repeat(d.signs.Rule, w))
	}
	return line.String()
}

// row draws a row, whose cells may take several lines.
func (d *drawing) row(cells [][]Part, widths []int, alignments []east.Alignment, between Part, first, rest []Part) {
	wrapped := make([][][]Part, len(cells))
	height := 1
	for i, cell := range cells {
		wrapped[i] = display.WrapParts(cell, widths[i], func(p Part) string { return p.Text }, Part.saying)
		height = max(height, len(wrapped[i]))
	}
	for y := range height {
		line := first[:len(first):len(first)]
		for i, lines := range wrapped {
			if i > 0 {
				line = append(line, between)
			}
			var text []Part
			if y < len(lines) {
				text = lines[y]
			}
			before, after := 0, max(widths[i]-widthOf(text), 0)
			switch alignments[i] {
			case east.AlignRight:
				before, after = after, 0
			case east.AlignCenter:
				before, after = after/2, after-after/2
			}
			if i == len(wrapped)-1 {
				after = 0
			}
			line = append(line, spaces(before)...)
			line = append(line, text...)
			line = append(line, spaces(after)...)
		}
		d.lines = append(d.lines, line)
		first = rest
	}
}

// spaces are n blanks as a part; none for 0.
func spaces(n int) []Part {
	if n == 0 {
		return nil
	}
	return []Part{{Text: strings.Repeat(" ", n)}}
}

// longestHeading is how many cells of a heading are repeated before each value.
const longestHeading = 24

// records draws the rows of a table one below the other, each value behind its
// heading. The headings come first by themselves where some are too long to be
// repeated, or where there are no rows.
func (d *drawing) records(rows [][][]Part, first, rest []Part) {
	headings, long := rows[0], false
	brief := make([]string, len(headings))
	for i, heading := range headings {
		for _, p := range heading {
			brief[i] += p.Text
		}
		long = long || display.Width(brief[i]) > longestHeading
		brief[i] = display.Cut(brief[i], longestHeading)
	}
	begun := false
	put := func(line []Part) {
		if len(line) > 0 {
			d.wrapped(line, first, rest)
			first, begun = rest, true
		}
	}
	if long || len(rows) == 1 {
		for _, heading := range headings {
			put(heading)
		}
	}
	for _, cells := range rows[1:] {
		if begun {
			d.lines = append(d.lines, rest)
		}
		for i, cell := range cells {
			if len(cell) > 0 && brief[i] != "" {
				cell = append([]Part{{Text: brief[i], Strong: !d.signs.Bare}, {Text: ": "}}, cell...)
			}
			put(cell)
		}
	}
}
