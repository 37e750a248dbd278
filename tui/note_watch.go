package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// passInterval is how often the folder of notes is looked through while a
// screen of notes is shown.
const passInterval = 2 * time.Second

// folderWatch looks for notes changed by hand while a screen of notes is shown.
type folderWatch struct {
	running bool
	looked  bool        // the folder has been looked through once
	trouble *core.Error // why it could not be the last time
}

// showsNotes reports whether a screen of notes is shown.
func (m *model) showsNotes() bool {
	switch m.screen().(type) {
	case *noteList, *notePage:
		return true
	}
	return false
}

// shownNotes are the ids of the notes on screen.
func (m *model) shownNotes() []string {
	switch s := m.screen().(type) {
	case *notePage:
		return []string{s.id}
	case *noteList:
		var ids []string
		for at := s.top; at < min(s.top+s.list.height, s.total); at++ {
			if card, ok := s.card(at); ok {
				ids = append(ids, card.ID)
			}
		}
		return ids
	}
	return nil
}

// watchFolder begins to look for notes changed by hand, unless that is going
// on already.
func (m *model) watchFolder() tea.Cmd {
	if m.folder.running || m.live.service == nil {
		return nil
	}
	m.folder.running = true
	return m.passFolder()
}

// passFolder takes up what was changed by hand, and does so again after a
// while for as long as a screen of notes is shown.
func (m *model) passFolder() tea.Cmd {
	service, counter := m.live.service, m.live.counter
	if service == nil || counter == nil || !m.showsNotes() {
		m.folder.running = false
		return nil
	}
	shown := m.shownNotes()
	return m.work(func() func(*model) tea.Cmd {
		passErr := service.NoteGlance(m.ctx, shown)
		value, err := counter.Value()
		return func(m *model) tea.Cmd {
			again := m.after(passInterval, func(m *model) tea.Cmd {
				m.settled = true
				return m.passFolder()
			})
			first := !m.folder.looked
			before := m.folder.trouble
			m.folder.looked, m.folder.trouble = true, nil
			if passErr != nil {
				m.folder.trouble = core.AsError(passErr)
			}
			switch {
			case service != m.live.service || m.ctx.Err() != nil:
				return again
			case err == nil && value != m.live.value:
				return tea.Batch(again, m.polled(value, nil))
			case service.ReadOnly() && m.showsNotes():
				return tea.Batch(again, m.changed()) // the files themselves may say something else now
			}
			m.settled = !first && before == nil && m.folder.trouble == nil
			return again
		}
	})
}
