package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// undoing is how the last action can be taken back. Only actions that have an
// inverse leave one.
type undoing struct {
	what  string // what is taken back, as part of a sentence
	until time.Time
	about string // id of the task to follow; empty for none
	// run takes the action back and says what it did.
	run func(ctx context.Context, s *core.Service) (string, error)
}

// undoTime is how long an action can be taken back.
const undoTime = 30 * time.Second

// possible reports whether there is something to take back.
func (u *undoing) possible(m *model) bool { return u != nil && m.clock().Before(u.until) }

// canUndo says why nothing can be taken back.
func canUndo(m *model) string {
	switch {
	case m.undo == nil:
		return "the last action has no inverse, or there was none"
	case !m.undo.possible(m):
		return "it is too long ago"
	}
	return ""
}

// takeBack runs the inverse of the last action.
func (m *model) takeBack() tea.Cmd {
	u := m.undo
	m.undo = nil
	return m.act("", func(ctx context.Context, s *core.Service) (done, error) {
		text, err := u.run(ctx, s)
		return done{text: text, follow: u.about}, err
	}, nil)
}
