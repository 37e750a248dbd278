package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// wheelLines is how far a turn of the wheel scrolls.
const wheelLines = 3

// doubleClick is the time within which a second click on a row opens it.
const doubleClick = 400 * time.Millisecond

// clicks remembers the last click.
type clicks struct {
	at   time.Time
	x, y int
}

// mouseEvent sends an event of the mouse to what is under it.
func (m *model) mouseEvent(e tea.MouseMsg) tea.Cmd {
	if m.w == 0 || m.isTooSmall() {
		return nil
	}
	lines := 0
	switch e.Button {
	case tea.MouseButtonWheelUp:
		lines = -wheelLines
	case tea.MouseButtonWheelDown:
		lines = wheelLines
	case tea.MouseButtonLeft:
		if e.Action != tea.MouseActionPress {
			return nil
		}
	default:
		return nil
	}
	if lines == 0 && (m.ahead.expected != 0 || len(m.ahead.keys) > 0) {
		return nil // a click must not get ahead of keys that wait
	}
	if p := m.popup(); p != nil {
		if lines != 0 {
			p.wheel(m, lines)
			return nil
		}
		return p.click(m, e.X, e.Y)
	}
	if lines != 0 {
		return m.screen().wheel(m, e.X, e.Y, lines)
	}
	for i := len(m.hits) - 1; i >= 0; i-- {
		if m.hits[i].rect.has(e.X, e.Y) {
			return m.hits[i].run(m)
		}
	}
	now := m.clock()
	double := now.Sub(m.clicked.at) < doubleClick && m.clicked.y == e.Y
	m.clicked = clicks{now, e.X, e.Y}
	return m.screen().click(m, e.X, e.Y, double)
}

// toggleMouse turns the mouse on or off, so that the terminal can select
// text.
func (m *model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		return tea.Batch(tea.EnableMouseCellMotion, m.note("The mouse works here."))
	}
	return tea.Batch(tea.DisableMouse, m.note("The mouse belongs to the terminal, which can select text."))
}

// click implements [screen].
func (b *board) click(m *model, x, y int, double bool) tea.Cmd {
	if b.showsGates() {
		if inner := b.gates.area.inner(); inner.has(x, y) {
			if at := b.gates.top + y - inner.y; at < len(b.gates.rows) && b.gates.rows[at].card != nil {
				b.gates.cursor = at
				if double {
					return m.run(actionNamed("open"))
				}
			}
		}
		return b.moved(m)
	}
	for _, p := range b.panes {
		if !p.area.has(x, y) {
			continue
		}
		var cmd tea.Cmd
		if b.focus != p.column {
			cmd = b.goTo(m, p.column)
		}
		at, ok := p.at(y - p.area.y - 1)
		if !ok || !p.area.inner().has(x, y) {
			return cmd
		}
		p.moveTo(at)
		cmd = tea.Batch(cmd, b.moved(m))
		if double {
			cmd = tea.Batch(cmd, m.run(actionNamed("open")))
		}
		return cmd
	}
	return nil
}

// wheel implements [screen].
func (b *board) wheel(m *model, x, y, lines int) tea.Cmd {
	if b.showsGates() {
		b.gates.step(lines)
		return b.moved(m)
	}
	for _, p := range b.panes {
		if p.area.has(x, y) {
			p.scroll(lines)
			if p.wants() {
				return b.read(m, false)
			}
			return b.look(m, false)
		}
	}
	return nil
}
