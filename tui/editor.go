package tui

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/bubbles/runeutil"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dev.lithos/core/display"
)

// editor is a text being typed. It moves and deletes by characters as people
// see them (grapheme clusters), never inside one, and keeps what was typed
// byte for byte. A one-line editor keeps line breaks its text already has and
// shows them as marks.
type editor struct {
	multiline bool
	lines     []string // one for a one-line editor
	row, col  int      // the cursor; col counts bytes of the line
	goal      int      // the cell that moving up and down aims at, -1 for none
	scroll    int      // cells (one line) or visual lines (several) scrolled away
	width     int      // cells of a visual line, as last drawn
}

// newEditor makes an editor that holds text, with the cursor at its end.
func newEditor(text string, multiline bool) *editor {
	e := &editor{multiline: multiline, width: unboundedWidth}
	e.setText(text)
	return e
}

// setText replaces the text and puts the cursor at its end.
func (e *editor) setText(text string) {
	if e.multiline {
		e.lines = strings.Split(text, "\n")
	} else {
		e.lines = []string{text}
	}
	e.row, e.goal, e.scroll = len(e.lines)-1, -1, 0
	e.col = len(e.lines[e.row])
}

// text returns what has been typed.
func (e *editor) text() string { return strings.Join(e.lines, "\n") }

func (e *editor) line() string { return e.lines[e.row] }

// nextCluster is the length in bytes of the first character of s.
func nextCluster(s string) int {
	if s == "" {
		return 0
	}
	cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return len(cluster)
}

// lastCluster is the length in bytes of the last character of s.
func lastCluster(s string) int {
	n := 0
	for s != "" {
		n = nextCluster(s)
		s = s[n:]
	}
	return n
}

// key edits the text and reports whether it took the key.
func (e *editor) key(k tea.KeyMsg) bool {
	if k.Type == tea.KeyRunes || k.Type == tea.KeySpace {
		if k.Alt {
			return e.altKey(k)
		}
		e.insert(string(k.Runes), k.Paste)
		return true
	}
	goal := e.goal
	e.goal = -1
	switch k.String() {
	case "left", "ctrl+b":
		e.left()
	case "right", "ctrl+f":
		e.right()
	case "ctrl+left", "alt+left":
		e.wordLeft()
	case "ctrl+right", "alt+right":
		e.wordRight()
	case "home", "ctrl+a":
		e.col = 0
	case "end", "ctrl+e":
		e.col = len(e.line())
	case "backspace", "ctrl+h":
		e.deleteFrom(e.left)
	case "delete", "ctrl+d":
		row, col := e.row, e.col
		e.right()
		e.remove(row, col)
	case "ctrl+w", "alt+backspace":
		e.deleteFrom(e.wordLeft)
	case "ctrl+u":
		e.deleteFrom(func() { e.col = 0 })
	case "ctrl+k":
		e.lines[e.row] = e.line()[:e.col]
	case "enter":
		if !e.multiline {
			return false
		}
		e.insert("\n", false)
	case "up", "down":
		if !e.multiline {
			return false
		}
		e.goal = goal
		return e.vertical(k.String() == "up")
	default:
		e.goal = goal
		return false
	}
	return true
}

func (e *editor) altKey(k tea.KeyMsg) bool {
	e.goal = -1
	switch string(k.Runes) {
	case "b":
		e.wordLeft()
	case "f":
		e.wordRight()
	case "d":
		row, col := e.row, e.col
		e.wordRight()
		e.remove(row, col)
	default:
		return false
	}
	return true
}

// What is pasted brings no control characters in. Line breaks and tabs stay in
// an editor of several lines and become spaces in a one-line editor.
var (
	pastedLines = runeutil.NewSanitizer(runeutil.ReplaceTabs("\t"))
	pastedLine  = runeutil.NewSanitizer(runeutil.ReplaceTabs(" "), runeutil.ReplaceNewlines(" "))
)

// insert types text at the cursor.
func (e *editor) insert(text string, pasted bool) {
	e.goal = -1
	if pasted {
		clean := pastedLine
		if e.multiline {
			clean = pastedLines
		}
		text = string(clean.Sanitize([]rune(strings.ReplaceAll(text, "\r\n", "\n"))))
	}
	before, after := e.line()[:e.col], e.line()[e.col:]
	if !e.multiline {
		e.lines[0] = before + text + after
		e.col += len(text)
		e.settle()
		return
	}
	parts := strings.Split(before+text, "\n")
	last := len(parts) - 1
	col := len(parts[last])
	parts[last] += after
	e.lines = append(e.lines[:e.row], append(parts, e.lines[e.row+1:]...)...)
	e.row += last
	e.col = col
	e.settle()
}

// settle moves the cursor behind the character it stands in: what was typed
// may have joined its neighbour, as combining marks do.
func (e *editor) settle() {
	at := 0
	for line := e.line(); at < e.col && at < len(line); {
		at += nextCluster(line[at:])
	}
	e.col = at
}

func (e *editor) left() {
	switch {
	case e.col > 0:
		e.col -= lastCluster(e.line()[:e.col])
	case e.row > 0:
		e.row--
		e.col = len(e.line())
	}
}

func (e *editor) right() {
	switch {
	case e.col < len(e.line()):
		e.col += nextCluster(e.line()[e.col:])
	case e.row < len(e.lines)-1:
		e.row++
		e.col = 0
	}
}

func isWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' })
}

func (e *editor) wordLeft() {
	if e.col == 0 {
		e.left()
		return
	}
	inWord := false
	for e.col > 0 {
		n := lastCluster(e.line()[:e.col])
		word := isWord(e.line()[e.col-n : e.col])
		if inWord && !word {
			return
		}
		inWord = inWord || word
		e.col -= n
	}
}

func (e *editor) wordRight() {
	if e.col == len(e.line()) {
		e.right()
		return
	}
	inWord := false
	for e.col < len(e.line()) {
		n := nextCluster(e.line()[e.col:])
		word := isWord(e.line()[e.col : e.col+n])
		if inWord && !word {
			return
		}
		inWord = inWord || word
		e.col += n
	}
}

// deleteFrom deletes what lies between where move takes the cursor and where
// it stands.
func (e *editor) deleteFrom(move func()) {
	row, col := e.row, e.col
	move()
	e.removeTo(row, col)
}

// remove deletes what lies between an earlier place and the cursor.
func (e *editor) remove(row, col int) {
	toRow, toCol := e.row, e.col
	e.row, e.col = row, col
	e.removeTo(toRow, toCol)
}

// removeTo deletes what lies between the cursor and a later place.
func (e *editor) removeTo(row, col int) {
	e.lines[e.row] = e.line()[:e.col] + e.lines[row][col:]
	e.lines = append(e.lines[:e.row+1], e.lines[row+1:]...)
	e.settle()
}

// segment is one visual line: a piece of a line that fits the width.
type segment struct{ row, from, to int }

// glyph is how a character is shown, and its cells.
func glyph(cluster string) (string, int) {
	shown := display.Visible(cluster)
	return shown, display.Width(shown)
}

// segments breaks the text into visual lines, at spaces where there are any.
func (e *editor) segments(width int) []segment {
	var list []segment
	for row, line := range e.lines {
		from, cells, space := 0, 0, -1
		for at := 0; at < len(line); {
			n := nextCluster(line[at:])
			_, w := glyph(line[at : at+n])
			if cells+w > width && at > from {
				to := at
				if space > from {
					to = space
				}
				list = append(list, segment{row, from, to})
				from, space = to, -1
				cells = cellsOf(line[from:at])
			}
			cells += w
			at += n
			if line[at-n] == ' ' {
				space = at
			}
		}
		list = append(list, segment{row, from, len(line)})
	}
	return list
}

func cellsOf(s string) int {
	cells := 0
	for s != "" {
		n := nextCluster(s)
		_, w := glyph(s[:n])
		cells += w
		s = s[n:]
	}
	return cells
}

// at is the visual line of the cursor.
func (e *editor) at(list []segment) int {
	for i, s := range list {
		last := i+1 == len(list) || list[i+1].row != s.row
		if s.row == e.row && e.col >= s.from && (e.col < s.to || last) {
			return i
		}
	}
	return 0
}

// unboundedWidth is the width of visual lines before the first drawing.
const unboundedWidth = 1 << 30

// vertical moves the cursor a visual line up or down; false at the edge of the text.
func (e *editor) vertical(up bool) bool {
	list := e.segments(e.width)
	i := e.at(list)
	to := i + 1
	if up {
		to = i - 1
	}
	if to < 0 || to >= len(list) {
		return false
	}
	if e.goal < 0 {
		e.goal = cellsOf(e.line()[list[i].from:e.col])
	}
	e.row, e.col = list[to].row, list[to].from
	for cells := 0; e.col < list[to].to; {
		n := nextCluster(e.line()[e.col:])
		_, w := glyph(e.line()[e.col : e.col+n])
		if cells+w > e.goal {
			break
		}
		cells += w
		e.col += n
	}
	return true
}

// draw shows the text in a rectangle, scrolled so that the cursor is seen.
func (e *editor) draw(c *canvas, r rect, focused bool, l look) {
	if r.empty() {
		return
	}
	if e.multiline {
		e.drawLines(c, r, focused, l)
		return
	}
	// One cell is left for the cursor behind the text.
	before := cellsOf(e.line()[:e.col])
	total := cellsOf(e.line())
	e.scroll = min(e.scroll, max(total-r.w+1, 0), before)
	e.scroll = max(e.scroll, before-r.w+1)
	at := noCursor
	if focused {
		at = e.col
	}
	drawText(c, r, e.line(), e.scroll, at, l)
}

func (e *editor) drawLines(c *canvas, r rect, focused bool, l look) {
	e.width = max(r.w-1, 1) // one cell is left for the cursor
	list := e.segments(e.width)
	cursor := e.at(list)
	e.scroll = max(min(e.scroll, cursor, len(list)-r.h), cursor-r.h+1, 0)
	for i := 0; i < r.h && e.scroll+i < len(list); i++ {
		s := list[e.scroll+i]
		at := noCursor
		if focused && e.scroll+i == cursor {
			at = e.col - s.from
		}
		drawText(c, r.line(i), e.lines[s.row][s.from:s.to], 0, at, l)
	}
}

// noCursor says that the cursor is elsewhere.
const noCursor = -1

// drawText draws a text without its first skip cells, and the cursor before
// the byte given.
func drawText(c *canvas, r rect, text string, skip, cursor int, l look) {
	x := -skip
	for at := 0; at < len(text) && x < r.w; {
		n := nextCluster(text[at:])
		shown, w := glyph(text[at : at+n])
		style := l
		if at == cursor {
			style |= reverse
		}
		if x >= 0 {
			c.put(r.x+x, r.y, r.w-x, shown, style)
		} else if x+w > 0 {
			c.put(r.x, r.y, x+w, " ", style)
		}
		x += w
		at += n
	}
	if cursor == len(text) && x >= 0 && x < r.w {
		c.put(r.x+x, r.y, 1, " ", l|reverse)
	}
}
