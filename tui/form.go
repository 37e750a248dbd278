package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// field is one entry of a form.
type field interface {
	// name is the label, and param the parameter of the operation, by which
	// errors name the field.
	name() string
	param() string
	// height is how many lines the field takes.
	height(width int) int
	// draw draws the field without its label.
	draw(m *model, c *canvas, r rect, focus bool)
	// key answers a key and reports whether it took it.
	key(m *model, k tea.KeyMsg) (taken bool, cmd tea.Cmd)
	// changed reports whether a person has changed the value.
	changed() bool
	// still reports whether the field takes no keys.
	still() bool
	// converse asks for the value line by line.
	converse(m *model, c *conversation) error
}

// form is a popup of fields and buttons. It holds what is typed until it is
// saved or thrown away; nothing that happens in the store touches it.
type form struct {
	title   []span
	intro   [][]span
	fields  []field
	buttons []string
	focus   int  // index of fields, then of buttons
	full    bool // takes the whole screen
	width   int  // of the box unless full
	anyway  bool // enter in any field is the first button; alt+enter breaks lines
	yesNo   bool // y and n are the first and the last button where no text is typed
	foot    string

	wrong  *core.Error // why the last attempt failed
	busy   bool        // a write is under way
	asking bool        // whether to throw away what was typed
	scroll int
	hits   []formHit

	// outer is the popup that the form is part of; nil when it is one itself.
	outer popup
	// submit does what a button stands for.
	submit func(m *model, button int) tea.Cmd
	// live are lines below the fields that depend on what is entered.
	live func(m *model, width int) [][]span
}

type formHit struct {
	rect  rect
	index int
}

const labelGap = 2

// labelWidth is the width of the labels' column.
func (f *form) labelWidth() int {
	w := 0
	for _, field := range f.fields {
		w = max(w, cells(field.name()))
	}
	return w + labelGap
}

// begin puts the focus on the first field that takes keys.
func (f *form) begin() {
	f.focus = -1
	f.next(1)
}

// next moves the focus.
func (f *form) next(by int) {
	n := len(f.fields) + len(f.buttons)
	for range n {
		f.focus = (f.focus + by + n) % n
		if f.focus >= len(f.fields) || !f.fields[f.focus].still() {
			return
		}
	}
}

// refused takes the refusal of what the form asked for. What was typed stays.
func (f *form) refused(e *core.Error) {
	f.busy, f.wrong = false, e
	where, _ := e.Extra("field").(string)
	for i, field := range f.fields {
		if p := field.param(); p != "" && (where == p || strings.HasPrefix(where, p+"[") || strings.HasPrefix(where, p+".")) {
			f.focus = i
			return
		}
	}
}

func (f *form) isChanged() bool {
	for _, field := range f.fields {
		if field.changed() {
			return true
		}
	}
	return false
}

// leave closes the popup.
func (f *form) leave(m *model) {
	if f.outer != nil {
		m.dismiss(f.outer)
		return
	}
	m.dismiss(f)
}

// press does what a button stands for; the last one throws the form away.
func (f *form) press(m *model, button int) tea.Cmd {
	if button == len(f.buttons)-1 {
		f.leave(m)
		return nil
	}
	f.wrong = nil
	f.busy = true
	return f.submit(m, button)
}

func (f *form) key(m *model, k tea.KeyMsg) tea.Cmd {
	name := k.String()
	if f.busy {
		return nil
	}
	if f.asking {
		switch name {
		case "y", "Y", "enter":
			f.leave(m)
		case "n", "N", "esc":
			f.asking = false
		}
		return nil
	}
	if f.yesNo && f.focus >= len(f.fields) {
		switch name {
		case "y", "Y":
			return f.press(m, 0)
		case "n", "N":
			return f.press(m, len(f.buttons)-1)
		}
	}
	if f.anyway && f.focus < len(f.fields) {
		switch name {
		case "enter":
			return f.press(m, 0)
		case "alt+enter":
			k, name = tea.KeyMsg{Type: tea.KeyEnter}, "enter"
		}
	}
	if f.focus < len(f.fields) {
		if taken, cmd := f.fields[f.focus].key(m, k); taken {
			f.wrong = nil
			return cmd
		}
	}
	switch name {
	case "esc":
		if f.isChanged() {
			f.asking = true
			return nil
		}
		f.leave(m)
	case "tab", "down":
		f.next(1)
	case "shift+tab", "up":
		f.next(-1)
	case "left", "h":
		if f.focus > len(f.fields) {
			f.focus--
		}
	case "right", "l":
		if f.focus >= len(f.fields) && f.focus < len(f.fields)+len(f.buttons)-1 {
			f.focus++
		}
	case "ctrl+s":
		return f.press(m, 0)
	case "enter":
		switch {
		case f.focus >= len(f.fields):
			return f.press(m, f.focus-len(f.fields))
		case f.yesNo && f.focus == len(f.fields)-1:
			f.focus = len(f.fields) + len(f.buttons) - 1 // No: a stray enter does no harm
		default:
			f.next(1)
		}
	}
	return nil
}

// errorLines are the lines that tell why the last attempt failed.
func (f *form) errorLines(g *glyphs, width int) [][]span {
	if f.wrong == nil {
		return nil
	}
	var lines [][]span
	for i, line := range paragraph(display.Visible(string(f.wrong.Code)+": "+f.wrong.Message), width-2) {
		sign := "  "
		if i == 0 {
			sign = g.cross + " "
		}
		lines = append(lines, []span{{sign, errorLook}, {line, errorLook}})
	}
	return lines
}

func (f *form) draw(m *model, c *canvas, screen rect) {
	area := rect{screen.x, screen.y + 1, screen.w, screen.h - 2}
	inside := screen.w - 4
	if !f.full {
		inside = min(f.width, screen.w-2) - 4
	}
	label := f.labelWidth()
	errors := f.errorLines(c.g, inside)
	var live [][]span
	if f.live != nil {
		live = f.live(m, inside)
	}
	var intro [][]span
	for _, line := range f.intro {
		intro = append(intro, wrapSpans(line, inside-1)...)
	}
	heights := make([]int, len(f.fields))
	need := len(intro) + len(live)
	if len(intro) > 0 {
		need++
	}
	if len(live) > 0 {
		need++
	}
	for i, field := range f.fields {
		heights[i] = field.height(inside - label)
		need += heights[i]
	}
	tail := len(errors) + 3
	gap := 1
	if len(errors) > 0 {
		tail++
	}
	if !f.full {
		area = centered(screen, inside+4, need+tail+3)
		if area.h < need+tail+3 { // the gaps go first
			tail, gap = len(errors)+2, 0
		}
	}
	foot := f.foot
	if f.asking {
		foot = "throw away what you typed?  y yes " + c.g.bullet + " n no"
	}
	bottom := []span{{foot, hintLook}}
	if f.asking {
		bottom[0].look = warnLook
	}
	inner := c.frame(area, box{title: f.title, focus: true, bottom: bottom})
	view := rect{inner.x + 1, inner.y, inner.w - 2, inner.h}
	room := view.h - tail
	f.hits = f.hits[:0]

	// The fields scroll where there is not room for all.
	y := 1
	if need+1 <= room {
		f.scroll = 0
	} else {
		y = 0
	}
	lines := &clip{c: c, view: rect{view.x, view.y, view.w, room}}
	line := y - f.scroll
	for _, text := range intro {
		lines.spans(0, line, text)
		line++
	}
	if len(intro) > 0 {
		line++
	}
	focusTop, focusBottom := 0, 0
	for i, field := range f.fields {
		focus := i == f.focus && !f.busy
		l := hintLook
		if focus {
			l = titleLook
		}
		if i == f.focus {
			focusTop, focusBottom = line+f.scroll, line+f.scroll+heights[i]
		}
		lines.spans(0, line, []span{{field.name(), l}})
		r := rect{view.x + label, view.y + line, view.w - label, heights[i]}
		if line >= 0 && line < room {
			r.h = min(r.h, room-line)
			field.draw(m, c, r, focus)
			f.hits = append(f.hits, formHit{rect{view.x, r.y, view.w, r.h}, i})
		}
		line += heights[i]
	}
	for _, l := range live {
		line++
		lines.spans(0, line, l)
	}
	f.scroll = max(min(f.scroll, focusTop), focusBottom-room, 0)

	y = view.y + view.h - 2
	for i, line := range errors {
		c.spans(view.x, y-gap-len(errors)+i, view.w, line...)
	}
	f.drawButtons(c, rect{view.x, view.y + view.h - 2, view.w, 1})
	if f.full {
		// The footer is the form's while it covers the screen.
		line := m.footerLine()
		c.fill(line, " ", plainText)
		c.cut(1, line.y, m.w-2, "nothing is saved until "+"ctrl+s", hintLook)
	}
}

func (f *form) drawButtons(c *canvas, r rect) {
	x, pad := r.x+2, " "
	width := 2
	for _, text := range f.buttons {
		width += cells(text) + 5
	}
	if width > r.w { // closer together
		x, pad = r.x, ""
	}
	// Where that is not enough, buttons are one word, the last ones first.
	over := width - 2*len(f.buttons) - 3 - r.w // without the indent and the last gap
	names := slices.Clone(f.buttons)
	for i := len(names) - 1; i > 0 && over > 0 && pad == ""; i-- {
		short, rest, _ := strings.Cut(names[i], " ")
		names[i] = short
		if rest != "" {
			over -= cells(rest) + 1
		}
	}
	for i, text := range names {
		if i == 0 && f.wrong != nil && core.Describe(f.wrong.Code).Category == core.CategoryRetry {
			text = "Retry"
		}
		l := hintLook
		shown := " " + pad + text + pad + " "
		if f.focus == len(f.fields)+i && !f.busy {
			shown, l = "["+pad+text+pad+"]", keyLook
		} else if i == 0 && f.focus < len(f.fields) && !f.yesNo {
			shown = "[" + pad + text + pad + "]"
		}
		if f.busy && i == 0 {
			shown = "  saving" + c.g.ellipsis + "  "
		}
		n := c.put(x, r.y, r.x+r.w-x, shown, l)
		f.hits = append(f.hits, formHit{rect{x, r.y, n, 1}, len(f.fields) + i})
		x += n + 1
	}
}

func (f *form) click(m *model, x, y int) tea.Cmd {
	for _, h := range f.hits {
		if !h.rect.has(x, y) || f.busy {
			continue
		}
		if h.index >= len(f.fields) {
			return f.press(m, h.index-len(f.fields))
		}
		if !f.fields[h.index].still() {
			f.focus = h.index
		}
	}
	return nil
}

func (f *form) wheel(m *model, lines int) {
	if lines > 0 {
		f.next(1)
	} else {
		f.next(-1)
	}
}

// clip draws lines into a view and leaves out those that lie outside.
type clip struct {
	c    *canvas
	view rect
}

func (p *clip) spans(x, line int, spans []span) {
	if line >= 0 && line < p.view.h {
		p.c.spans(p.view.x+x, p.view.y+line, p.view.w-x, spans...)
	}
}
