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
	paging bool // the scroll is somebody's own and does not follow the focus
	need   int  // lines of all fields and texts, as last drawn
	room   int  // lines of them on screen, as last drawn
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
	lent    string // path of the text that an editor has left for it

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
	f.paging = false
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
	case "pgdown":
		f.page(1)
	case "pgup":
		f.page(-1)
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
