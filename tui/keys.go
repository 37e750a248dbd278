package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
)

// keys takes apart what arrived at once: keys pressed in quick succession come
// as one message, and so does a key right after escape.
func (m *model) keys(k tea.KeyMsg) tea.Cmd {
	if k.Paste || k.Type != tea.KeyRunes {
		return m.key(k)
	}
	var cmds []tea.Cmd
	drops := m.ahead.drops
	for i, r := range k.Runes {
		if m.ahead.drops != drops {
			break // these were meant for what an earlier one was to open
		}
		one := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt && i == 0}
		if one.Alt && !m.knowsAlt(one) {
			cmds = append(cmds, m.key(tea.KeyMsg{Type: tea.KeyEsc}))
			one.Alt = false
		}
		cmds = append(cmds, m.key(one))
	}
	return tea.Batch(cmds...)
}

// knowsAlt reports whether a key with alt means something here, to an action
// or to a text that is being edited.
func (m *model) knowsAlt(k tea.KeyMsg) bool {
	if slices.Contains([]string{"alt+b", "alt+f", "alt+d"}, k.String()) {
		return true
	}
	a, more := m.keymap.find(m.scopes(), []string{k.String()})
	return a != nil || more
}

// key sends a key to where it belongs: a popup, the filter line, or the
// actions of the screen.
func (m *model) key(k tea.KeyMsg) tea.Cmd {
	name := k.String()
	switch {
	case m.conversing || m.ahead.away:
		return nil // meant for what has the terminal
	case name == "ctrl+c":
		return m.quit()
	case name == "ctrl+z":
		return tea.Suspend
	case m.isTooSmall():
		if name == "q" && m.unsaved() == nil {
			return tea.Quit
		}
		return nil
	}
	if len(m.ahead.keys) > 0 || m.holding(k) {
		m.hold(k)
		return m.replay()
	}
	return m.press(k)
}

// unsaved is the form that holds text which the end of the program would lose;
// nil for none.
func (m *model) unsaved() unsavedForm {
	for _, p := range m.popups {
		if f, ok := p.(unsavedForm); ok && f.isChanged() {
			return f
		}
	}
	return nil
}

// unsavedForm is a popup that can hold text to be lost.
type unsavedForm interface {
	popup
	isChanged() bool
	askToQuit() bool
}

// quit ends the program. Where text would be lost it asks, once.
func (m *model) quit() tea.Cmd {
	f := m.unsaved()
	if f == nil || !f.askToQuit() {
		return tea.Quit
	}
	for m.popup() != popup(f) { // what lies over the question goes
		m.dismiss(m.popup())
	}
	return nil
}

// press obeys a key that need not wait.
func (m *model) press(k tea.KeyMsg) tea.Cmd {
	name := k.String()
	if p, ok := m.screen().(interface{ prepare(*model) }); ok {
		p.prepare(m)
	}
	if p := m.popup(); p != nil {
		return p.key(m, k)
	}
	if name != "enter" && name != "esc" { // which answer a failure
		m.notes.keyPressed(m.clock())
	}
	if m.live.notice(m) != nil && !(m.isTyping() && k.Type == tea.KeyRunes) { // which appears by itself, maybe over a filter being typed
		return m.noticeKey(name)
	}
	if m.live.replaced() && name == "r" {
		return m.reconnect()
	}
	if m.board.filter.active && m.screen() == screen(m.board) {
		return m.board.filter.key(m, k)
	}
	if l, ok := m.screen().(*noteList); ok && l.typing {
		return l.searchKey(m, k)
	}
	if k.Paste {
		return nil // text that is pasted where none is expected is no command
	}
	sequence := append(slices.Clone(m.pending), name)
	if name == "esc" && len(m.pending) > 0 {
		m.pending = nil
		return nil
	}
	if msg, ok := m.notes.last(); ok && msg.kind == messageFailed && name == "enter" && len(m.pending) == 0 {
		m.notes.shown = false // it has been read then
		m.ask(&logPopup{})
		return nil
	}
	a, more := m.keymap.find(m.scopes(), sequence)
	m.pending = nil
	switch {
	case more:
		m.pending = sequence
		return nil
	case a != nil:
		return m.run(a)
	}
	return nil
}

// back closes one layer: message, filter, marks, screen.
func (m *model) back() tea.Cmd {
	if msg, ok := m.notes.last(); ok && msg.kind == messageFailed {
		m.notes.shown = false
		return nil
	}
	if m.screen() == screen(m.board) && !m.board.filter.filter.IsEmpty() {
		return m.board.filter.clear(m)
	}
	if l, ok := m.screen().(*noteList); ok && l.text != "" {
		return l.clear(m)
	}
	if m.marked() > 0 {
		return m.unmark()
	}
	if len(m.screens) > 0 {
		return m.close()
	}
	m.notes.shown = false
	return nil
}

// leave goes back a screen or, from the board, out of the program.
func (m *model) leave() tea.Cmd {
	if len(m.screens) > 0 {
		return m.close()
	}
	return tea.Quit
}

// hints are what the footer says keys do here, as far as there is room. What
// has the keys instead of the screen says itself what they do.
func (m *model) hints() []hint {
	if m.isTyping() {
		return nil
	}
	scopes := m.scopes()
	var list []hint
	marked := m.marked() > 0
	for i := range actions() {
		a := &actions()[i]
		text := a.hint
		if marked && a.marked != "" {
			text = a.marked
		}
		if text == "" || !a.isActive(scopes) || (marked && a.group == groupDo || a.group == groupSee) && a.refusal(m) != "" {
			continue // while tasks are marked the keys are those that do something to them
		}
		key := m.keymap.shown(a.id, m.glyphs)
		if key == "" || m.shadowed(a, scopes) {
			continue
		}
		list = append(list, hint{key: key, text: text, right: a.foot < 0, action: a, dim: a.refusal(m) != ""})
	}
	room := m.w
	width := 0
	for _, h := range list {
		width += h.width(m.glyphs) + 2
	}
	for width > room && len(list) > 1 {
		last := 0
		for i, h := range list {
			if h.action.foot > list[last].action.foot {
				last = i
			}
		}
		width -= list[last].width(m.glyphs) + 2
		list = slices.Delete(list, last, last+1)
	}
	return list
}

// shadowed reports whether the first key of an action means something else in
// a scope further in.
func (m *model) shadowed(a *action, scopes []scope) bool {
	found, more := m.keymap.find(scopes, m.keymap.keys[a.id][0])
	return !more && found != a
}

// drawSequence lists what can follow the keys of a sequence that has begun.
func (m *model) drawSequence(c *canvas) {
	if len(m.pending) == 0 {
		return
	}
	after := m.keymap.after(m.scopes(), m.pending)
	width := 0
	for _, b := range after {
		width = max(width, cells(b.action.title)+6)
	}
	r := rect{m.w - min(width+6, m.w), m.h - 3 - len(after), min(width+6, m.w), len(after) + 2}
	inner := c.frame(r, box{title: []span{{shownKeys(m.pending, c.g), keyLook}, {" " + c.g.ellipsis, hintLook}}, focus: true})
	for i, b := range after {
		key := shownKeys(b.keys[len(m.pending):], c.g)
		c.spans(inner.x+1, inner.y+i, inner.w-1, span{key, keyLook}, span{"  " + b.action.title, plainText})
	}
}
