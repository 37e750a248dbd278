package tui

import (
	"errors"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// pollInterval is how often the UI looks whether somebody has committed.
const pollInterval = 400 * time.Millisecond

// liveStore is the UI's hold on the store: the service, and the counter that
// tells of changes.
type liveStore struct {
	service *core.Service
	store   io.Closer
	counter core.ChangeCounter
	value   int64
	missing bool        // there is no store yet
	trouble *core.Error // why the store cannot be read; nil when it can
	hidden  bool        // the person has put the notice about the trouble away
	opening bool

	poll  int       // of the running series of polls
	wakes time.Time // when the newest timer is due
}

// openStore opens the store and begins to watch it.
func (m *model) openStore() tea.Cmd { return m.connect(false) }

func (m *model) connect(create bool) tea.Cmd {
	m.live.opening = true
	return m.work(func() func(*model) tea.Cmd {
		service, store, err := m.options.Open(m.ctx, create)
		var counter core.ChangeCounter
		var value, through int64
		if err == nil {
			counter, err = service.Watch(m.ctx)
		}
		if err == nil {
			value, err = counter.Value()
		}
		if err == nil {
			through, err = service.FeedEnd(m.ctx)
		}
		return func(m *model) tea.Cmd {
			m.live.opening = false
			if err != nil {
				m.connectFailed(err)
				return m.pollAgain()
			}
			m.live.service, m.live.store, m.live.counter, m.live.value = service, store, counter, value
			m.live.missing, m.live.trouble, m.live.hidden = false, nil, false
			m.news.through, m.news.own, m.news.entry = through, nil, nil
			m.news.opened = m.now()
			m.offerDrafts()
			return tea.Batch(m.screen().load(m, false), m.pollAgain())
		}
	})
}

func (m *model) connectFailed(err error) {
	e := core.AsError(err)
	m.live.missing = isMissing(e)
	if !m.live.missing {
		m.live.trouble = e
		return
	}
	m.offerDrafts()
}

// isMissing reports whether an error means that there is no store yet. One that
// was lost is trouble: the next save must not begin an empty one.
func isMissing(e *core.Error) bool {
	return e.Code == core.CodeStoreUnavailable && e.Extra("reason") == "missing" && !errors.Is(e, core.ErrStoreLost)
}

// reconnect lets go of the store and opens it anew.
func (m *model) reconnect() tea.Cmd {
	letGo := m.live.close
	connect := m.connect(false)
	m.live = liveStore{opening: true, poll: m.live.poll}
	if m.tree != nil {
		clear(m.tree.flipped) // the keys of another store
	}
	return m.work(func() func(*model) tea.Cmd {
		err := letGo()
		return func(m *model) tea.Cmd {
			if err != nil {
				return tea.Batch(connect, m.fail("", core.AsError(err)))
			}
			return connect
		}
	})
}

// close lets go of the store.
func (l liveStore) close() error {
	var err error
	if l.counter != nil {
		err = l.counter.Close()
	}
	if l.store != nil {
		err = errors.Join(err, l.store.Close())
	}
	return err
}

// pollAgain looks for changes after a while. Of several series only the
// newest goes on.
func (m *model) pollAgain() tea.Cmd {
	m.live.poll++
	series := m.live.poll
	return m.after(pollInterval, func(m *model) tea.Cmd {
		if series != m.live.poll {
			return nil
		}
		if m.live.counter == nil {
			if m.live.opening || m.live.trouble != nil && !m.live.missing {
				return m.pollAgain()
			}
			return m.openStore() // somebody may have made it
		}
		m.settled = true
		counter := m.live.counter
		return m.work(func() func(*model) tea.Cmd {
			value, err := counter.Value()
			return func(m *model) tea.Cmd {
				if counter != m.live.counter {
					return nil
				}
				return tea.Batch(m.polled(value, err), m.pollAgain())
			}
		})
	})
}

func (m *model) polled(value int64, err error) tea.Cmd {
	if err != nil {
		m.live.trouble = core.AsError(err)
		return nil
	}
	if value == m.live.value {
		m.settled = true
		return nil
	}
	m.live.value = value
	return tea.Batch(m.changed(), m.hear())
}

// changed reads anew what is on screen.
func (m *model) changed() tea.Cmd { return m.screen().load(m, true) }

// loadFailed takes an error of a load. What was read before stays on screen.
func (m *model) loadFailed(err error) tea.Cmd {
	e := core.AsError(err)
	switch core.Describe(e.Code).Category {
	case core.CategoryStore:
		if m.live.service != nil && e.Extra("path") != nil && e.Extra("path") == m.live.service.NotePlace() {
			return m.fail("", e) // of the notes alone: the graph can be worked on
		}
		if isMissing(e) {
			m.live.missing = true
			return nil
		}
		m.live.trouble, m.live.hidden = e, false
		return nil
	}
	if m.ctx.Err() != nil {
		return nil
	}
	return m.fail("", e)
}

// wakeAt reads anew when something on screen is due to change by itself. A
// little is added, since the moment itself may still count as before. A timer
// that is set for as early stays the only one.
func (m *model) wakeAt(due *core.Stamp) tea.Cmd {
	if due == nil {
		return nil
	}
	at := due.Time().Add(20 * time.Millisecond)
	now := m.clock()
	pending := m.live.wakes.After(now)
	if pending && !at.Before(m.live.wakes) || at.Sub(now) > longestWake {
		return nil // or the minute's tick comes by often enough
	}
	m.live.wakes = at
	return m.after(max(at.Sub(now), 0), func(m *model) tea.Cmd {
		if !at.Equal(m.live.wakes) {
			return nil
		}
		m.live.wakes = time.Time{}
		return tea.Batch(m.changed(), m.hearTimers())
	})
}

// longestWake is how far ahead a timer is set.
const longestWake = 2 * time.Hour

// minuteTick draws anew once a minute, for the ages on screen.
func (m *model) minuteTick() tea.Cmd {
	now := m.clock()
	next := now.Truncate(time.Minute).Add(time.Minute)
	return m.after(next.Sub(now)+20*time.Millisecond, func(m *model) tea.Cmd {
		return tea.Batch(m.minuteTick(), m.wakeAt(m.screen().due()))
	})
}

// writable says why nothing can be changed; "" when it can.
func (m *model) writable() string {
	switch {
	case m.options.ReadOnly, m.live.service != nil && m.live.service.ReadOnly():
		return "the store is read-only"
	case m.live.trouble != nil:
		return "the store cannot be read"
	}
	return ""
}
