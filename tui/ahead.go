package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
)

// typeAhead holds the keys that are pressed while what they are meant for is
// still on its way: a dialog that is about to open, a column that is being
// read, what a write has changed. Without it they would mean something else.
type typeAhead struct {
	keys     []tea.KeyMsg
	expected int // the dialog that is about to open; 0: none
	turn     int
	writes   int  // under way
	acts     int  // how many writes have succeeded
	drops    int  // how often the keys were dropped
	away     bool // the terminal is about to be the editor's
}

// maxAhead is how many keys are held.
const maxAhead = 200

// drop forgets the keys that were meant for something that did not come, as
// well as those that arrived together with the present one.
func (a *typeAhead) drop() {
	a.keys = nil
	a.drops++
}

// expect runs work whose answer opens a dialog. Keys wait for it; escape calls
// it off.
func (m *model) expect(run func() func(*model) tea.Cmd) tea.Cmd {
	m.ahead.turn++
	turn := m.ahead.turn
	m.ahead.expected = turn
	return m.work(func() func(*model) tea.Cmd {
		apply := run()
		return func(m *model) tea.Cmd {
			if m.ahead.expected != turn {
				return nil
			}
			m.ahead.expected = 0
			return apply(m)
		}
	})
}

// notOpened takes the error of reading what a dialog was to be about. The keys
// that were typed for it are no commands.
func (m *model) notOpened(err error) tea.Cmd {
	m.ahead.drop()
	return m.loadFailed(err)
}

// holding reports whether a key has to wait.
func (m *model) holding(k tea.KeyMsg) bool {
	if m.w == 0 { // the terminal's size has not come yet
		return true
	}
	if p := m.popup(); p != nil {
		w, ok := p.(interface{ waitsFor(tea.KeyMsg) bool })
		return ok && w.waitsFor(k)
	}
	if m.ahead.expected != 0 || m.live.opening && m.live.service == nil && !m.live.missing {
		return true
	}
	if m.isTyping() {
		return false
	}
	if s, ok := m.screen().(interface{ isReading() bool }); ok && s.isReading() {
		return true
	}
	return m.isBehind() && m.acts(k)
}

// isTyping reports whether text is being typed, so that nothing may open over
// it by itself.
func (m *model) isTyping() bool {
	l, ok := m.screen().(*noteList)
	return m.popup() != nil || m.board.filter.active && m.screen() == screen(m.board) || ok && l.typing
}

// isBehind reports whether the screen does not show yet what was done here.
func (m *model) isBehind() bool {
	if m.ahead.writes > 0 {
		return true
	}
	s, ok := m.screen().(interface{ newest() *loader })
	return ok && s.newest().isBehind(m.ahead.acts)
}

// acts reports whether a key does something about what is on screen, as
// opposed to moving about.
func (m *model) acts(k tea.KeyMsg) bool {
	a, _ := m.keymap.find(m.scopes(), append(slices.Clone(m.pending), k.String()))
	return a != nil && (a.group == groupDo || a.group == groupSee)
}

// hold keeps a key for later. Escape gives up waiting.
func (m *model) hold(k tea.KeyMsg) {
	if _, isForm := m.popup().(interface{ isBusy() bool }); k.Type == tea.KeyEsc && !isForm {
		m.ahead.keys, m.ahead.expected = nil, 0
		return
	}
	if len(m.ahead.keys) < maxAhead {
		m.ahead.keys = append(m.ahead.keys, k)
	}
}

// replay presses the keys that were held, as far as they need not wait on.
func (m *model) replay() tea.Cmd {
	var cmds []tea.Cmd
	for len(m.ahead.keys) > 0 && !m.holding(m.ahead.keys[0]) {
		k := m.ahead.keys[0]
		m.ahead.keys = m.ahead.keys[1:]
		m.settled = false
		cmds = append(cmds, m.press(k))
	}
	return tea.Batch(cmds...)
}

// isBusy reports whether the form waits for a write.
func (f *form) isBusy() bool { return f.busy }

// waitsFor reports whether a key has to wait for the write under way.
func (f *form) waitsFor(tea.KeyMsg) bool { return f.busy && f.asking == askedNothing }

// isReading reports whether what the keys are about has not been read yet: the
// column, or what the filter selects.
func (b *board) isReading() bool {
	if b.showsGates() {
		return b.gates.loads.running && (!b.gates.known || b.shownFilter != b.filter.filter.Text())
	}
	return b.loads.running && (!b.pane().loaded || b.shownFilter != b.filter.filter.Text())
}

// newest is what reads the screen.
func (b *board) newest() *loader {
	if b.showsGates() {
		return &b.gates.loads
	}
	return &b.loads
}

func (p *page) newest() *loader { return &p.loads }

func (t *tree) newest() *loader { return &t.loads }

func (g *graph) newest() *loader { return &g.loads }

// isReading reports whether the task has not been read yet.
func (p *page) isReading() bool { return p.view == nil && p.gone == nil && p.loads.running }
