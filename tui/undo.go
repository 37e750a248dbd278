package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// undoing is how an action of this session can be taken back, or why not.
type undoing struct {
	what  string // what is taken back, as part of a sentence
	at    time.Time
	about string // id of the task to follow; empty for none
	// run takes the action back. Nil: the action has no inverse, and instead
	// says what there is to do.
	run     func(ctx context.Context, s *core.Service) (done, error)
	instead string
}

// lasting is an action that has no inverse.
func lasting(what, instead string) *undoing { return &undoing{what: what, instead: instead} }

// undoTime is how long an action is taken back without a question.
const undoTime = 30 * time.Second

// maxUndoings is how many actions are remembered.
const maxUndoings = 100

// remember puts an action on the stack of those that can be taken back.
func (m *model) remember(u *undoing, about string) {
	if u == nil {
		return
	}
	u.at, u.about = m.clock(), about
	m.undoings = append(m.undoings, u)
	if over := len(m.undoings) - maxUndoings; over > 0 {
		m.undoings = m.undoings[over:]
	}
}

// lastDone is the action that undo is about; nil for none.
func (m *model) lastDone() *undoing {
	if n := len(m.undoings); n > 0 {
		return m.undoings[n-1]
	}
	return nil
}

// canUndo says why nothing can be taken back.
func canUndo(m *model) string {
	if m.lastDone() == nil {
		return "nothing done here is left to take back"
	}
	return ""
}

// takeBack runs the inverse of the last action that was not taken back yet.
// What is long ago is asked for first.
func (m *model) takeBack() tea.Cmd {
	u := m.lastDone()
	if u.run == nil {
		m.forget(u)
		text := fmt.Sprintf("%s cannot be undone: %s.", upperFirst(u.what), u.instead)
		if before := m.lastDone(); before != nil && before.run != nil {
			text += fmt.Sprintf(" %s again takes %s back.", m.keymap.shown("undo", m.glyphs), before.what)
		}
		return m.note(text)
	}
	if m.clock().Sub(u.at) <= undoTime {
		return m.undoNow(u, nil)
	}
	f := &form{
		title: []span{{"Undo?", titleLook}}, width: 56, yesNo: true,
		intro: [][]span{
			{data(upperFirst(u.what), strongText)},
			{{"done here " + display.Ago(core.StampOf(u.at), m.now()), dimText}},
		},
		buttons: []string{"Undo", "Keep"},
	}
	f.submit = func(m *model, _ int) tea.Cmd { return m.undoNow(u, f) }
	f.begin()
	m.ask(f)
	return nil
}

// forget takes an action off the stack.
func (m *model) forget(u *undoing) {
	if m.lastDone() == u {
		m.undoings = m.undoings[:len(m.undoings)-1]
	}
}

// undoNow takes an action back; f is the form that asked, if one did. An
// action that somebody else has built upon meanwhile is left as it is.
func (m *model) undoNow(u *undoing, f *form) tea.Cmd {
	m.forget(u)
	return m.act("", func(ctx context.Context, s *core.Service) (done, error) {
		d, err := u.run(ctx, s)
		if err != nil {
			return done{}, m.whyNotBack(ctx, s, u, core.AsError(err))
		}
		d.follow, d.back, d.then = u.about, true, closing(f)
		return d, nil
	}, func(m *model, e *core.Error) tea.Cmd {
		if core.Describe(e.Code).Category == core.CategoryRetry {
			m.undoings = append(m.undoings, u) // nothing has happened: it can be tried again
		}
		if f != nil {
			m.dismiss(f)
		}
		return m.fail("", e)
	})
}

// whyNotBack says plainly why an action cannot be taken back.
func (m *model) whyNotBack(ctx context.Context, s *core.Service, u *undoing, e *core.Error) *core.Error {
	why := e.Message
	switch e.Code {
	case core.CodeVersionConflict:
		why = "it was changed since."
		if current, ok := e.Extra("current").(core.Task); ok {
			expected, _ := e.Extra("expected_version").(int)
			why = m.whoChanged(ctx, s, current, int64(expected)) + "."
		}
	case core.CodeTaskNotResolved:
		why = "it has been reopened already."
	case core.CodeClaimNotFound:
		why = "the lease has ended, or was given back already."
	case core.CodeEdgeNotFound:
		why = "somebody has removed the edge since."
	}
	told := *e
	told.Message = fmt.Sprintf("Cannot undo %s: %s", u.what, lowerFirst(why))
	return &told
}

// whoChanged says who has changed a task after a version, and when: "mo edited
// its title 2m ago". It reads the journal; where that cannot be read or does
// not know, it says what the record tells.
func (m *model) whoChanged(ctx context.Context, s *core.Service, current core.Task, after int64) string {
	const most = 20
	limit := most
	when := display.Ago(current.UpdatedAt, m.now())
	journal, err := s.Journal(ctx, core.JournalRequest{TaskID: &current.ID, Limit: &limit, Types: []string{
		string(core.EventTaskUpdated), string(core.EventTaskCompleted), string(core.EventTaskCancelled), string(core.EventTaskReopened),
	}})
	text, more := "", 0
	if err == nil {
		for _, e := range journal.Events {
			var p eventPayload
			if json.Unmarshal(e.Payload, &p) != nil || p.Version <= after {
				continue
			}
			if text != "" {
				more++
				continue
			}
			text = fmt.Sprintf("%s %s %s", e.Agent, changeText(e.Type, p), display.Ago(e.Timestamp, m.now()))
		}
	}
	switch {
	case text == "":
		return "it was changed " + when
	case more > 0:
		return fmt.Sprintf("%s, after %s", text, plural(more, "other change"))
	}
	return text
}

// changeText is what a change did to a task, as part of a sentence.
func changeText(t core.EventType, p eventPayload) string {
	switch t {
	case core.EventTaskCompleted:
		return "completed it"
	case core.EventTaskCancelled:
		return "cancelled it"
	case core.EventTaskReopened:
		return "reopened it"
	}
	if len(p.ChangedFields) > 0 {
		return "changed its " + enumerate(p.ChangedFields)
	}
	return "changed it"
}

// enumerate joins words as sentences do.
func enumerate(words []string) string {
	text := ""
	for i, word := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			text += " and "
		default:
			text += ", "
		}
		text += word
	}
	return text
}
