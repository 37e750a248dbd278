package tui

import (
	"fmt"
	"maps"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// shownIDs are the ids of the rows on screen.
func (l *list) shownIDs() []string {
	var ids []string
	lines := 0
	for at := l.top; at < l.total && lines < l.height; at++ {
		if card, ok := l.card(at); ok {
			ids = append(ids, card.ID)
		}
		lines += l.rowHeight(at)
	}
	return ids
}

// shownIDs are the ids of the gates on screen.
func (p *gatesPane) shownIDs() []string {
	var ids []string
	for i := p.top; i < len(p.rows) && i < p.top+p.page(); i++ {
		if card := p.rows[i].card; card != nil {
			ids = append(ids, card.ID)
		}
	}
	return ids
}

// unseenMarks is how many of the marked tasks are not on screen: a filter hides
// them, or they are in another column or further down.
func (m *model) unseenMarks() int {
	var shown []string
	switch s := m.screen().(type) {
	case *board:
		if s.showsGates() {
			shown = s.gates.shownIDs()
			break
		}
		for _, p := range s.panes {
			if !p.area.empty() {
				shown = append(shown, p.shownIDs()...)
			}
		}
	case *tree:
		shown = s.shownIDs()
	}
	unseen := m.marked()
	for _, id := range shown {
		if _, marked := m.marks[id]; marked && m.marked() > 0 {
			unseen--
		}
	}
	return max(unseen, 0)
}

// markedLines say of a dialog that it is about the marked tasks, where they may
// be taken for others.
func (m *model) markedLines() [][]span {
	n := m.marked()
	if n == 0 {
		return nil
	}
	text := "The marked task"
	if n > 1 {
		text = fmt.Sprintf("The %d marked tasks", n)
	}
	card, ok := m.screen().selected()
	_, under := m.marks[card.ID]
	switch unseen := m.unseenMarks(); {
	case unseen > 0 && unseen == n && n == 1:
		text += ", which is not on screen"
	case unseen > 0:
		text += fmt.Sprintf(", %d of them not on screen", unseen)
	case ok && !under:
		text += ", not the one under the cursor"
	}
	return [][]span{{{text + ":", keyLook}}}
}

// nameOf names the one task that a dialog is about, and says where it is the
// marked one and not the one under the cursor.
func (m *model) nameOf(card core.Card) string {
	name := idOf(card)
	if under, ok := m.screen().selected(); m.marked() > 0 && ok && under.ID != card.ID {
		name += " (marked)"
	}
	return name
}

// ifMarksAreSeen does something to the tasks at hand that needs no dialog.
// Marked tasks that are not on screen are asked about first.
func (m *model) ifMarksAreSeen(verb string, do func(*model, []core.Card) tea.Cmd) tea.Cmd {
	cards := m.targets()
	if m.unseenMarks() == 0 {
		return do(m, cards)
	}
	f := &form{
		title: []span{{fmt.Sprintf("%s %s?", upperFirst(verb), subject(cards)), titleLook}}, width: 56, yesNo: true,
		intro:   introOf(m, cards),
		buttons: []string{upperFirst(verb), "Cancel"},
	}
	f.submit = func(m *model, _ int) tea.Cmd {
		m.dismiss(f)
		return do(m, cards)
	}
	f.begin()
	m.ask(f)
	return nil
}

// unmark takes all marks away. They can be had again.
func (m *model) unmark() tea.Cmd {
	m.unmarked = maps.Clone(m.marks)
	clear(m.marks)
	return m.note(fmt.Sprintf("Took the marks off %s; %s marks them again.", plural(len(m.unmarked), "task"), m.keymap.shown("mark.again", m.glyphs)))
}

// canMarkAgain says why no marks can be had again.
func canMarkAgain(m *model) string {
	if len(m.unmarked) == 0 {
		return "no marks were taken away"
	}
	return needsMarks(m)
}

// markAgain marks what was marked before the marks were taken away.
func (m *model) markAgain() tea.Cmd {
	maps.Copy(m.marks, m.unmarked)
	m.unmarked = nil
	return m.changed()
}
