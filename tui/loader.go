package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// applyMsg is the answer of work done beside the loop. Only its function
// changes the model, inside Update.
type applyMsg struct{ apply func(*model) tea.Cmd }

// work runs a function beside the loop; what it returns is applied to the
// model afterwards. A panic in it ends the program in good order.
func (m *model) work(run func() func(*model) tea.Cmd) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = newCrash(r)
			}
		}()
		return applyMsg{run()}
	}
}

// after applies a function once a time has passed.
func (m *model) after(d time.Duration, apply func(*model) tea.Cmd) tea.Cmd {
	return m.tick(d, applyMsg{apply})
}

// loader runs the loads of one view. The newest counts: starting one calls
// the one under way off, and an answer that comes late all the same is
// dropped.
type loader struct {
	seq     int // of the newest load
	cancel  context.CancelFunc
	running bool
	again   func(*model) tea.Cmd // what to start when the one under way is done
	took    time.Duration        // by the last load
	acts    int                  // how many writes had succeeded when what is shown was read
}

// isBehind reports whether a load under way will show more of what was done
// here.
func (l *loader) isBehind(acts int) bool { return l.running && l.acts < acts }

// start reads anew at once.
func (l *loader) start(m *model, read func(context.Context) func(*model) tea.Cmd) tea.Cmd {
	l.stop()
	l.seq++
	seq := l.seq
	l.running = true
	ctx, cancel := context.WithTimeout(m.ctx, readLimit)
	l.cancel = cancel
	began, acts := m.clock(), m.ahead.acts
	return m.work(func() func(*model) tea.Cmd {
		apply := read(ctx)
		cancel()
		took := m.clock().Sub(began)
		return func(m *model) tea.Cmd {
			if seq != l.seq {
				return nil
			}
			l.running, l.took, l.acts = false, took, acts
			next := l.again
			l.again = nil
			cmd := apply(m)
			if next != nil {
				cmd = tea.Batch(cmd, l.refresh(m, next))
			}
			return cmd
		}
	})
}

// refresh starts a load because something has changed: at once, or when the
// one under way is done. Slow loads are spaced out, so that a store that
// changes all the time leaves the machine to others.
func (l *loader) refresh(m *model, start func(*model) tea.Cmd) tea.Cmd {
	if l.running {
		l.again = start
		return nil
	}
	if pause := l.took * restRatio; pause > pollInterval {
		l.running = true
		l.seq++
		seq := l.seq
		return m.after(pause, func(m *model) tea.Cmd {
			if seq != l.seq {
				return nil
			}
			l.running, l.again = false, nil
			return start(m)
		})
	}
	return start(m)
}

// restRatio is how many times as long as a load took the UI rests before it
// loads again without being asked to.
const restRatio = 4

// stop calls the load under way off.
func (l *loader) stop() {
	if l.cancel != nil {
		l.cancel()
		l.cancel = nil
	}
	l.running, l.again = false, nil
	l.seq++
}
