package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// help shows what keys do in the present place. It is made of the table of
// actions and can be searched.
type help struct {
	place  string
	editor *editor
	cursor int
	top    int
	rows   []helpRow // what passes the search
	lines  []int     // the line of each row, as last drawn
	height int       // lines on screen
	area   rect
}

// helpRow is an action with its keys, and those that join it in one row; or,
// without an action, something else to know.
type helpRow struct {
	action *action
	look   look       // of the sign of something else
	all    [][]string // the keys of each action of the row
	keys   string     // those that are shown
	title  string
	find   string // what a search looks at
	why    string // it is impossible now
}

func newHelp(m *model) *help { return &help{place: m.screen().place(), editor: newEditor("", false)} }

// helpRows lists the actions that have keys in the scopes given, group by
// group.
func (m *model) helpRows(scopes []scope, search string) (groups [groupCount][]helpRow) {
	search = core.FoldCase(search)
	place := map[string]int{} // of the row of an action in its group
	for i := range actions() {
		a := &actions()[i]
		keys := m.keysIn(scopes, a)
		if len(keys) == 0 {
			continue
		}
		find := core.FoldCase(strings.Join(keys, " ") + " " + a.title + " " + a.id + " " + a.op)
		if at, ok := place[a.joins]; ok && a.joins != "" {
			row := &groups[a.group][at]
			row.all, row.title, row.find = append(row.all, keys), row.action.both, row.find+" "+find
			continue
		}
		place[a.id] = len(groups[a.group])
		groups[a.group] = append(groups[a.group], helpRow{action: a, all: [][]string{keys}, title: a.title, find: find, why: a.refusal(m)})
	}
	for g, rows := range groups {
		kept := rows[:0]
		for _, row := range rows {
			row.keys = shortKeys(row.all)
			if strings.Contains(row.find, search) {
				kept = append(kept, row)
			}
		}
		groups[g] = kept
	}
	return groups
}

// keysIn are the keys of an action that mean it in the scopes given.
func (m *model) keysIn(scopes []scope, a *action) []string {
	var keys []string
	if !a.isActive(scopes) {
		return nil
	}
	for _, sequence := range m.keymap.keys[a.id] {
		if found, more := m.keymap.find(scopes, sequence); !more && found == a {
			keys = append(keys, shownKeys(sequence, m.glyphs))
		}
	}
	return keys
}

// helpKeyCells is how wide the keys of a row of the help may be.
const helpKeyCells = 8

// shortKeys are the keys of a row as the help shows them: the first of each
// action, then others as far as there is room, without what they have in
// common: ctrl+d u, 1 … 5.
func shortKeys(all [][]string) string {
	const many = 4
	if first := all[0][0]; len(all) > many && len(first) == 1 && first >= "0" && first <= "9" {
		return first + " … " + all[len(all)-1][0]
	}
	text := ""
	for rank := range 2 {
		for i, keys := range all {
			if rank >= len(keys) {
				continue
			}
			key := keys[rank]
			if rest, ok := strings.CutPrefix(key, "ctrl+"); ok && i > 0 && strings.HasPrefix(text, "ctrl+") {
				key = rest
			}
			if longer := strings.TrimSpace(text + " " + key); text == "" || cells(longer) <= helpKeyCells {
				text = longer
			}
		}
	}
	return text
}

// helpWidth is how wide the box of the help becomes.
const helpWidth = 100

func (p *help) draw(m *model, c *canvas, screen rect) {
	area := centered(rect{screen.x, screen.y + 2, screen.w, screen.h - 3}, min(screen.w-2, helpWidth), screen.h-3)
	p.area = area
	inner := c.frame(area, box{
		title:  []span{{"Keys " + c.g.dash + " " + p.place, titleLook}},
		bottom: []span{{c.g.enter, keyLook}, {" do it " + c.g.bullet + " ", hintLook}, {"esc", keyLook}, {" close", hintLook}}, focus: true,
	})
	search := rect{inner.x + 1, inner.y + inner.h - 1, inner.w - 2, 1}
	n := c.put(search.x, search.y, search.w, "type to search keys ", hintLook)
	p.editor.draw(c, rect{search.x + n, search.y, search.w - n, 1}, true, plainText)
	view := rect{inner.x + 1, inner.y, inner.w - 2, inner.h - 2}
	if legend := legendLines(c.g, view.w-2); view.h >= 2*len(legend)+6 {
		view.h -= len(legend)
		for i, line := range legend {
			c.spans(view.x+1, view.y+view.h+1+i, view.w-1, line...)
		}
	}

	layout := helpLayoutFor(m, scopesOf(p.place), view.w)
	blocks, notes := p.collect(m)
	if len(p.rows) == 0 {
		c.put(view.x+1, view.y+1, view.w, "No key for that here.", dimText)
		return
	}
	columns, more := p.flow(layout, blocks, p.wrapNotes(layout, notes), view)
	x := view.x
	for i, column := range columns {
		w := layout.widths[i]
		for y, line := range column {
			row, keys := rect{x, view.y + y, w - 1, 1}, layout.keys[i]
			if line.wide { // goes on over the columns at the right
				row.w, keys = view.x+view.w-x, layout.noteKeys
			}
			p.drawLine(c, row, line, keys)
		}
		x += w
	}
	if more > 0 {
		text := fmt.Sprintf(" %d more %s pgdn ", more, c.g.more)
		c.put(area.x+2, area.y+area.h-1, cells(text), text, hintLook)
	}
	if why := p.rows[p.cursor].why; why != "" {
		c.cut(view.x+1, view.y+view.h, view.w-1, "not possible here: "+display.Visible(why), warnLook)
	}
}

// helpLayout is how the help is divided into columns. It depends on the place
// and the width alone, so that the columns stand still while one pages and
// searches.
type helpLayout struct {
	groups   [][]group // of each column, from top to bottom
	widths   []int
	keys     []int // how many cells the keys of a column take
	noteKeys int   // how many the signs of the notes take
	noteText int   // how many there are for the text of a note
}

// helpColumns are the divisions that are tried, from the widest on: one is
// taken when none of its titles would be cut.
var helpColumns = [][][]group{
	{{groupMove, groupApp}, {groupDo}, {groupSee}},
	{{groupDo}, {groupSee, groupMove, groupApp}},
	{{groupDo, groupSee, groupMove, groupApp}},
}

// helpIndent is where the keys of a row of the help begin.
const helpIndent = 2

// helpLayoutFor divides a width among the groups of actions.
func helpLayoutFor(m *model, scopes []scope, width int) helpLayout {
	rows := m.helpRows(scopes, "")
	var l helpLayout
	for _, l.groups = range helpColumns {
		l.keys, l.widths = nil, nil
		needs, even, sum := []int{}, []int{}, -1 // behind the last column there is no gap
		for _, groups := range l.groups {
			keys, title := 0, 0
			for _, g := range groups {
				for _, row := range rows[g] {
					keys, title = max(keys, cells(row.keys)), max(title, cells(row.title))
				}
			}
			need := helpIndent + keys + 1 + title + 1
			l.keys, needs, even, sum = append(l.keys, keys), append(needs, need), append(even, 1), sum+need
		}
		if l.widths = display.Share(width+1, needs, even, 1); sum <= width {
			break
		}
	}
	for _, part := range notesOf(m.glyphs) {
		for _, note := range part.notes {
			l.noteKeys = max(l.noteKeys, cells(note.sign))
		}
	}
	l.noteKeys = min(l.noteKeys, width/3)
	l.noteText = width - helpIndent - l.noteKeys - 1
	return l
}

// wrapNotes breaks the notes into lines. A sign that is wider than its column
// stands on a line of its own.
func (p *help) wrapNotes(l helpLayout, notes []helpLine) []helpLine {
	var lines []helpLine
	for _, line := range notes {
		line.wide = true
		if !line.isRow {
			lines = append(lines, line)
			continue
		}
		row := p.rows[line.row]
		if cells(row.keys) > l.noteKeys {
			lines = append(lines, line)
			line.continues = true
		}
		for _, text := range paragraph(row.title, max(l.noteText, 1)) {
			line.text = text
			lines = append(lines, line)
			line.continues = true
		}
	}
	return lines
}

// legendLines tell in a few words what the marks mean.
func legendLines(g *glyphs, width int) [][]span {
	lines := [][]span{nil}
	for _, s := range display.States {
		if s == display.Open {
			continue // no list shows a task without its readiness
		}
		entry := []span{{g.mark(s), stateLook(s)}, {" " + s.Word() + "  ", dimText}}
		last := len(lines) - 1
		if len(lines[last]) > 0 && spansWidth(lines[last])+spansWidth(entry) > width {
			lines, last = append(lines, nil), last+1
		}
		lines[last] = append(lines[last], entry...)
	}
	return lines
}

// collect finds the rows that pass the search, and their lines: those of the
// actions group by group, then the others.
func (p *help) collect(m *model) (blocks [groupCount][]helpLine, notes []helpLine) {
	p.rows = p.rows[:0]
	groups := m.helpRows(scopesOf(p.place), p.editor.text())
	for _, g := range []group{groupDo, groupSee, groupMove, groupApp} { // as narrow screens show them
		rows := groups[g]
		if len(rows) == 0 {
			continue
		}
		blocks[g] = append(blocks[g], helpLine{heading: g.String()})
		for _, row := range rows {
			blocks[g] = append(blocks[g], helpLine{row: len(p.rows), isRow: true})
			p.rows = append(p.rows, row)
		}
	}
	search := core.FoldCase(p.editor.text())
	for _, part := range notesOf(m.glyphs) {
		begun := false
		for _, note := range part.notes {
			if !strings.Contains(core.FoldCase(part.heading+" "+note.sign+" "+note.text), search) {
				continue
			}
			if !begun {
				if len(notes) > 0 {
					notes = append(notes, helpLine{})
				}
				notes = append(notes, helpLine{heading: part.heading})
				begun = true
			}
			notes = append(notes, helpLine{row: len(p.rows), isRow: true})
			p.rows = append(p.rows, helpRow{keys: note.sign, look: note.look, title: note.text})
		}
	}
	p.cursor = max(min(p.cursor, len(p.rows)-1), 0)
	return blocks, notes
}

// helpLine is a heading, an empty line, or a line of a row.
type helpLine struct {
	heading   string
	row       int
	isRow     bool
	wide      bool   // goes over all columns
	text      string // of a note, as far as it stands on the line
	continues bool   // the row began on a line above
}

// flow puts the groups side by side where there is room: moving and the
// program, doing, seeing. The rest follows below, over the whole width. What
// does not fit is scrolled to; more is the number of lines that follow.
func (p *help) flow(layout helpLayout, blocks [groupCount][]helpLine, notes []helpLine, view rect) (columns [][]helpLine, more int) {
	longest := 0
	for _, groups := range layout.groups {
		var lines []helpLine
		for _, g := range groups {
			if len(blocks[g]) > 0 && len(lines) > 0 {
				lines = append(lines, helpLine{})
			}
			lines = append(lines, blocks[g]...)
		}
		columns, longest = append(columns, lines), max(longest, len(lines))
	}
	if len(notes) > 0 && longest > 0 {
		longest++
	}
	for len(columns[0]) < longest {
		columns[0] = append(columns[0], helpLine{})
	}
	columns[0] = append(columns[0], notes...)
	at := 0
	p.lines, p.height = make([]int, len(p.rows)), view.h
	for _, column := range columns {
		for i, line := range column {
			if line.isRow && !line.continues {
				p.lines[line.row] = i
			}
			if line.isRow && line.row == p.cursor && !line.continues {
				at = i
			}
		}
	}
	all := len(columns[0])
	p.top = max(min(p.top, at, all-view.h), at-view.h+1, 0)
	if at <= 1 {
		p.top = 0 // with the heading
	}
	for i, column := range columns {
		column = column[min(p.top, len(column)):]
		columns[i] = column[:min(view.h, len(column))]
	}
	return columns, all - p.top - view.h
}

// turn moves the cursor by a page: to the first row that was below what is on
// screen, or the last above.
func (p *help) turn(by int) {
	if p.cursor >= len(p.lines) {
		return
	}
	to, best := p.cursor, -1
	for row, line := range p.lines {
		beyond := (line-p.top)*by - (p.height-1)*max(by, 0)
		if beyond > 0 && (best < 0 || beyond < best) {
			to, best = row, beyond
		}
	}
	if best < 0 {
		to = (len(p.lines) - 1) * max(by, 0)
	}
	p.cursor = to
	if by > 0 && best >= 0 {
		p.top = p.lines[to] - 1 // with its heading; drawing keeps it in bounds
	}
}

func (p *help) drawLine(c *canvas, r rect, line helpLine, keyCells int) {
	if !line.isRow {
		c.cut(r.x+1, r.y, r.w-1, line.heading, titleLook)
		return
	}
	row := p.rows[line.row]
	keys, text, title := keyLook, plainText, row.title
	if row.why != "" {
		keys, text = dimText, dimText|faint
	}
	if row.action == nil {
		keys, title = row.look, line.text
	}
	if !line.continues {
		room := keyCells
		if row.action == nil && title == "" {
			room = r.w - helpIndent // alone on its line
		}
		c.cut(r.x+helpIndent, r.y, room, row.keys, keys)
	}
	x := helpIndent + keyCells + 1
	c.cut(r.x+x, r.y, r.w-x, title, text)
	if line.row == p.cursor {
		finishRow(c, rect{r.x, r.y, r.w, 1}, rowFlags{cursor: true})
	}
}

func (p *help) key(m *model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		if p.editor.text() != "" {
			p.editor.setText("")
			return nil
		}
		m.dismiss(p)
	case "down", "ctrl+n":
		p.cursor++
	case "up", "ctrl+p":
		p.cursor--
	case "tab", "pgdown":
		p.turn(1)
	case "shift+tab", "pgup":
		p.turn(-1)
	case "enter":
		if p.collect(m); p.cursor < len(p.rows) {
			a := p.rows[p.cursor].action
			if a == nil {
				return nil
			}
			m.dismiss(p)
			return m.run(a)
		}
	case "?":
		if p.editor.text() == "" {
			m.dismiss(p)
			return nil
		}
		p.editor.key(k)
	default:
		if p.editor.key(k) {
			p.cursor, p.top = 0, 0
		}
	}
	return nil
}

func (p *help) click(m *model, x, y int) tea.Cmd {
	if !p.area.has(x, y) {
		m.dismiss(p)
	}
	return nil
}

func (p *help) wheel(m *model, lines int) { p.cursor = max(p.cursor+lines, 0) }
