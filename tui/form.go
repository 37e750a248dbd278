package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
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
	yesNo   bool // a question: y and n are the first and the last button where no text is typed

	wrong  *core.Error // why the last attempt failed
	busy   bool        // a write is under way
	asking question
	scroll int
	hits   []formHit

	// drop does what a button stands for that gives up what was typed, once a
	// person has said so.
	drop func(m *model) tea.Cmd
	// kind is the action that opens the form, and about the ids of what it is
	// about, for a draft of it. Empty: what is typed in it is no text to keep.
	kind    string
	about   []string
	version int64  // of what is edited; 0 for none
	draft   string // path of the draft that it was filled in from

	// outer is the popup that the form is part of; nil when it is one itself.
	outer popup
	// submit does what a button stands for.
	submit func(m *model, button int) tea.Cmd
	// live are lines below the fields that depend on what is entered.
	live func(m *model, width int) [][]span
}

// question is what a form asks before it throws away what was typed.
type question int

// The questions.
const (
	askedNothing question = iota
	askedLeave            // the form would be closed
	askedQuit             // the program would end
	askedDrop             // a button would give up what was typed
)

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

// isChanged reports whether the form holds something that would be lost.
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

// askToDrop asks whether a button shall give up what was typed.
func (f *form) askToDrop(drop func(m *model) tea.Cmd) {
	f.busy, f.asking, f.drop = false, askedDrop, drop
}

// press does what a button stands for; the last one closes the form.
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
	if f.asking != askedNothing {
		return f.answer(m, name)
	}
	if f.busy {
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
	if f.focus < len(f.fields) {
		if taken, cmd := f.fields[f.focus].key(m, k); taken {
			f.wrong = nil
			return cmd
		}
	}
	switch name {
	case "esc":
		if f.isChanged() {
			f.asking = askedLeave
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
		case f.yesNo:
			f.focus = len(f.fields) + len(f.buttons) - 1 // No: a stray enter does no harm
		case f.isLast(f.focus):
			return f.press(m, 0)
		default:
			f.next(1)
		}
	}
	return nil
}

// answer answers the question whether to throw away what was typed. It is kept
// unless a person says otherwise.
func (f *form) answer(m *model, key string) tea.Cmd {
	asked := f.asking
	switch key {
	case "y", "Y":
		f.asking = askedNothing
		switch asked {
		case askedQuit:
			return tea.Quit
		case askedDrop:
			return f.drop(m)
		}
		f.leave(m)
	case "n", "N", "esc", "enter":
		f.asking = askedNothing
	}
	return nil
}

// isLast reports whether no field after this one takes keys.
func (f *form) isLast(at int) bool {
	return !slices.ContainsFunc(f.fields[at+1:], func(field field) bool { return !field.still() })
}

// foot says what keys do where the focus is: the same in every form. Enter goes
// on to the next field, and in the last one does what the first button says; a
// list of tasks is picked, a text of several lines goes on in another line.
// Ctrl+s does what the first button says from anywhere. What does not fit is
// left out.
func (f *form) foot(g *glyphs, room int) []span {
	does, leave := lowerFirst(f.buttons[0]), lowerFirst(f.buttons[len(f.buttons)-1])
	var keys [][2]string
	switch {
	case f.asking == askedQuit:
		keys = [][2]string{{"y", "quit"}, {g.enter, "stay"}}
	case f.asking == askedLeave, f.asking == askedDrop:
		keys = [][2]string{{"y", "throw away"}, {g.enter, "keep"}}
	case f.focus >= len(f.fields):
		keys = [][2]string{{g.enter, lowerFirst(f.buttons[f.focus-len(f.fields)])}}
		if f.focus-len(f.fields) == len(f.buttons)-1 {
			keys, leave = [][2]string{{g.enter + " or esc", leave}}, ""
		}
		if f.yesNo {
			keys = append(keys, [2]string{"y", "yes"}, [2]string{"n", "no"})
		} else if len(f.fields) > 0 {
			keys = append(keys, [2]string{"ctrl+s", does})
		}
	default:
		switch field := f.fields[f.focus].(type) {
		case interface{ breaksLines() bool }:
			if field.breaksLines() {
				keys = [][2]string{{"ctrl+s", does}, {g.enter, "new line"}}
				break
			}
			keys = f.oneLine(g, does)
		case *tasksField:
			keys = [][2]string{{"ctrl+s", does}, {g.enter, "pick"}}
		default:
			keys = f.oneLine(g, does)
		}
	}
	if f.asking == askedNothing {
		if leave != "" {
			keys = append(keys, [2]string{"esc", leave})
		}
		if f.focus < len(f.fields) && !(len(keys) > 0 && keys[0][1] == "next field") {
			keys = append(keys, [2]string{"tab", "next"})
		}
	}
	var spans []span
	for _, k := range keys {
		part := []span{{k[0], keyLook}, {" " + k[1], hintLook}}
		if len(spans) > 0 {
			part = append([]span{{" " + g.bullet + " ", hintLook}}, part...)
		}
		if spansWidth(spans)+spansWidth(part) > room && k[0] == "esc" {
			part = part[:len(part)-1] // known without its word
		}
		if spansWidth(spans)+spansWidth(part) <= room {
			spans = append(spans, part...)
		}
	}
	return spans
}

// oneLine is what enter and ctrl+s do in a field of one line.
func (f *form) oneLine(g *glyphs, does string) [][2]string {
	if f.yesNo {
		return [][2]string{{g.enter, "to the buttons"}, {"ctrl+s", does}}
	}
	if !f.isLast(f.focus) {
		return [][2]string{{g.enter, "next field"}, {"ctrl+s", does}}
	}
	return [][2]string{{g.enter + " or ctrl+s", does}}
}

// askToQuit asks whether the program shall end although text would be lost,
// and reports whether it did: a second time it does not.
func (f *form) askToQuit() bool {
	if f.asking == askedQuit {
		return false
	}
	f.asking = askedQuit
	return true
}

// errorLines are the lines that tell why the last attempt failed.
func (f *form) errorLines(g *glyphs, width int) [][]span {
	if f.wrong == nil {
		return nil
	}
	said := []span{data(f.wrong.Message, errorLook), {"  " + string(f.wrong.Code), dimText}}
	var lines [][]span
	for i, line := range wrapSpans(said, width-2) {
		sign := "  "
		if i == 0 {
			sign = g.cross + " "
		}
		lines = append(lines, append([]span{{sign, errorLook}}, line...))
	}
	return lines
}

// widest is how wide a form becomes for lines that would be broken otherwise.
const widest = 100

// grow makes the form wider where its lines are long and the screen has room.
// It never becomes narrower again, so that it stands still.
func (f *form) grow(m *model, screen int) {
	lines := f.intro
	if f.live != nil {
		lines = append(lines[:len(lines):len(lines)], f.live(m, widest)...)
	}
	for _, line := range lines {
		f.width = max(f.width, min(spansWidth(line)+6, widest, screen-16))
	}
}

func (f *form) draw(m *model, c *canvas, screen rect) {
	area := rect{screen.x, screen.y + 1, screen.w, screen.h - 2}
	inside := screen.w - 4
	if !f.full {
		f.grow(m, screen.w)
		inside = min(f.width, screen.w-2) - 4
	}
	label := f.labelWidth()
	errors := f.errorLines(c.g, inside)
	var live [][]span
	if f.live != nil {
		for _, line := range f.live(m, inside) {
			live = append(live, wrapSpans(line, inside-1)...)
		}
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
	inner := c.frame(area, box{title: f.title, focus: true, bottom: f.foot(c.g, area.w-6)})
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
		if focus && line >= 0 && line < room {
			c.put(view.x-1, view.y+line, 1, c.g.cursor, focusLook) // seen without colours as well
		}
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
	bar := rect{view.x, view.y + view.h - 2, view.w, 1}
	switch f.asking {
	case askedLeave, askedDrop:
		c.cut(bar.x, bar.y, bar.w, "Throw away what you typed?", warnLook)
	case askedQuit:
		c.cut(bar.x, bar.y, bar.w, "Quit and lose what you typed?", warnLook)
	default:
		f.drawButtons(c, bar)
	}
	if f.full {
		// The footer is the form's while it covers the screen.
		line := m.footerLine()
		c.fill(line, " ", plainText)
		c.cut(1, line.y, m.w-2, "nothing is saved until ctrl+s or "+f.buttons[0], hintLook)
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
			c.put(x-1, r.y, 1, c.g.cursor, focusLook)
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
		if !h.rect.has(x, y) || f.busy || f.asking != askedNothing {
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
