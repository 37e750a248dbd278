package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// typeAhead holds the keys that are pressed while what they are meant for is
// still being read: a dialog that is about to open, a column that has just
// come on screen. Without it they would mean something else.
type typeAhead struct {
	keys     []tea.KeyMsg
	expected int // the dialog that is about to open; 0: none
	turn     int
}

// maxAhead is how many keys are held.
const maxAhead = 200

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

// holding reports whether keys have to wait.
func (m *model) holding() bool {
	if m.w == 0 { // the terminal's size has not come yet
		return true
	}
	if p := m.popup(); p != nil {
		f, ok := p.(interface{ isBusy() bool })
		return ok && f.isBusy()
	}
	if m.ahead.expected != 0 || m.live.opening && m.live.service == nil && !m.live.missing {
		return true
	}
	s, ok := m.screen().(interface{ isReading() bool })
	return ok && s.isReading()
}

// hold keeps a key for later. Escape gives up waiting.
func (m *model) hold(k tea.KeyMsg) {
	if k.Type == tea.KeyEsc && m.popup() == nil {
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
	for len(m.ahead.keys) > 0 && !m.holding() {
		k := m.ahead.keys[0]
		m.ahead.keys = m.ahead.keys[1:]
		m.settled = false
		cmds = append(cmds, m.press(k))
	}
	return tea.Batch(cmds...)
}

// isBusy reports whether the form waits for a write.
func (f *form) isBusy() bool { return f.busy }

// isReading reports whether the column with the keys has not been read yet.
func (b *board) isReading() bool {
	if b.showsGates() {
		return !b.gates.known && b.gates.loads.running
	}
	return !b.pane().loaded && b.loads.running
}

// isReading reports whether the task has not been read yet.
func (p *page) isReading() bool { return p.view == nil && p.gone == nil && p.loads.running }
