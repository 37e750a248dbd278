package tui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// noteActions are the actions of the screens of notes.
func noteActions() []action {
	both, list, page := []scope{scopeNotes, scopeNote}, []scope{scopeNotes}, []scope{scopeNote}
	return []action{
		{id: "note.open", keys: []string{"enter"}, scopes: list, group: groupSee, title: "Read note", hint: "read", foot: 1, op: "read",
			possible: needsNote, run: (*model).readNote},
		{id: "note.follow", keys: []string{"enter"}, scopes: page, group: groupSee, title: "Follow link", hint: "follow", foot: 1,
			possible: needsLink, run: inNote((*notePage).goOn)},
		{id: "note.next", keys: []string{"tab"}, scopes: page, group: groupMove, title: "Next link", both: "Next, previous link", hint: "next link", foot: 2,
			run: inNote(func(p *notePage, _ *model) tea.Cmd { p.turn(1); return nil })},
		{id: "note.prev", keys: []string{"shift+tab"}, scopes: page, group: groupMove, title: "Previous link", joins: "note.next",
			run: inNote(func(p *notePage, _ *model) tea.Cmd { p.turn(-1); return nil })},
		{id: "note.page", keys: []string{"space"}, scopes: both, group: groupMove, title: "On by a page",
			run: func(m *model) tea.Cmd { return m.screen().step(m, m.screen().page()) }},
		{id: "note.search", keys: []string{"/"}, scopes: list, group: groupSee, title: "Search the notes", hint: "search", foot: 2, op: "search",
			run: func(m *model) tea.Cmd {
				if l, ok := m.screen().(*noteList); ok {
					return l.begin(m)
				}
				return nil
			}},
		{id: "note.new", keys: []string{"n"}, scopes: both, group: groupDo, title: "New note…", verb: "write a note", hint: "new", foot: 3, op: "write",
			possible: all(needsStore, needsWriting), run: (*model).newNoteDialog},
		{id: "note.edit", keys: []string{"e"}, scopes: both, group: groupDo, title: "Edit note…", hint: "edit", foot: 4, op: "write",
			possible: all(needsWriting, needsNote), run: (*model).editNoteDialog},
		{id: "note.edit.text", keys: []string{"E"}, scopes: both, group: groupDo, title: "Edit note in $EDITOR", hint: "$EDITOR", foot: 5, op: "write",
			possible: all(needsWriting, needsNote, needsEditor), run: (*model).editNoteText},
		{id: "note.archive", keys: []string{"a"}, scopes: both, group: groupDo, title: "Archive / unarchive note", verb: "archive the note", hint: "archive", foot: 7, op: "note_update",
			possible: all(needsWriting, needsNote), run: (*model).archiveNote},
		{id: "note.delete", keys: []string{"X"}, scopes: both, group: groupDo, title: "Delete note…", hint: "delete", foot: 9, op: "delete",
			possible: all(needsWriting, needsNote), run: (*model).deleteNoteDialog},
		{id: "note.task", keys: []string{"t"}, scopes: page, group: groupSee, title: "The task it came out of", verb: "open the task of the note", hint: "task", foot: 6,
			possible: needsOrigin, run: inNote(func(p *notePage, m *model) tea.Cmd { return m.openTask(p.view.Origin.ID, pageAuto) })},
		{id: "note.copy", keys: []string{"y"}, scopes: both, group: groupSee, title: "Copy note id", hint: "copy id", foot: 8,
			possible: needsNote, run: func(m *model) tea.Cmd {
				card, _ := m.noteAtHand()
				return m.copy(card.ID)
			}},
	}
}

// inNote is what an action does on the page of a note.
func inNote(run func(*notePage, *model) tea.Cmd) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		if p, ok := m.screen().(*notePage); ok {
			return run(p, m)
		}
		return nil
	}
}

// noteAtHand is the note that actions are about: the one under the cursor of
// the list, or the one whose page is shown.
func (m *model) noteAtHand() (core.NoteCard, bool) {
	switch s := m.screen().(type) {
	case *noteList:
		row, ok := s.entry()
		return row.NoteCard, ok
	case *notePage:
		if s.view != nil && s.gone == nil {
			return s.view.NoteCard, true
		}
	}
	return core.NoteCard{}, false
}

// needsNote refuses where no note is at hand.
func needsNote(m *model) string {
	if _, ok := m.noteAtHand(); !ok {
		return "there is no note under the cursor"
	}
	return ""
}

// needsOtherThanNotes refuses where the notes are shown already.
func needsOtherThanNotes(m *model) string {
	if _, ok := m.screen().(*noteList); ok {
		return "they are shown"
	}
	return ""
}

// needsLink refuses where the cursor is on nothing that can be gone to, or not
// on screen.
func needsLink(m *model) string {
	p, ok := m.screen().(*notePage)
	if !ok || p.view == nil {
		return "there is no note"
	}
	if _, on := p.at(); !on {
		return "this note is connected with nothing"
	}
	if !p.shown(p.cursor) {
		return "no link is on screen; " + m.keymap.shown("note.next", m.glyphs) + " goes to the first"
	}
	return ""
}

// needsOrigin refuses where a note came out of no task.
func needsOrigin(m *model) string {
	if p, ok := m.screen().(*notePage); !ok || p.view == nil || p.view.Origin == nil {
		return "it names no task that it came out of"
	}
	return ""
}

// readNote opens the page of the note under the cursor.
func (m *model) readNote() tea.Cmd {
	card, _ := m.noteAtHand()
	return m.openNote(card.ID)
}

// archiveNote puts the note at hand away, or takes it back.
func (m *model) archiveNote() tea.Cmd {
	var status string
	var version int64
	switch s := m.screen().(type) {
	case *noteList:
		row, _ := s.entry()
		status, version = row.Status, row.Version
	case *notePage:
		status, version = s.view.Note.Status, s.view.Note.Version
	}
	card, _ := m.noteAtHand()
	to, said := core.NoteArchived, "archived "
	if status != core.NoteActive {
		to, said = core.NoteActive, "took back "
	}
	agent, expected := m.options.Agent, int(version)
	request := func(status string, version int) core.NoteUpdateRequest {
		return core.NoteUpdateRequest{ID: card.ID, Agent: agent, Status: &status, ExpectedVersion: &version}
	}
	line := func(status string) string {
		return actLine(agent, []string{"note", "update", card.ShortID}, flagOf("--status", status)...)
	}
	name := noteID(card) + " " + card.Title
	return m.act("note_update", func(ctx context.Context, s *core.Service) (done, error) {
		result, err := s.NoteUpdate(ctx, request(to, expected))
		if err != nil {
			return done{}, err
		}
		return done{
			text: said + name, command: line(to),
			undo: &undoing{what: "making " + noteID(card) + " " + to, run: func(ctx context.Context, s *core.Service) (done, error) {
				_, err := s.NoteUpdate(ctx, request(status, int(result.Version)))
				return done{text: noteID(card) + " is " + status + " again", command: line(status)}, err
			}},
		}, nil
	}, nil)
}

// deleteNoteDialog asks whether the note at hand is to be deleted, with what
// that would leave behind.
func (m *model) deleteNoteDialog() tea.Cmd {
	card, _ := m.noteAtHand()
	return m.noteRecord(card.ID, func(m *model, view core.NoteView) tea.Cmd {
		f := &form{
			title: []span{{"Delete note " + noteID(view.NoteCard) + "?", titleLook}}, width: 60, yesNo: true,
			intro:   deletionLines(m, view),
			buttons: []string{"Delete", "Keep"},
		}
		f.submit = func(m *model, _ int) tea.Cmd { return m.deleteNote(view, f) }
		f.begin()
		f.focus = len(f.buttons) - 1 // a stray enter does no harm
		m.ask(f)
		return nil
	})
}

// deletionLines tell what deleting a note would do.
func deletionLines(m *model, v core.NoteView) [][]span {
	lines := [][]span{
		{data(v.Title, strongText)},
		{data(v.Path, dimText)},
		nil,
		{{"The file is removed for good. Archiving it (" + m.keymap.shown("note.archive", m.glyphs) + ") keeps it.", plainText}},
	}
	for _, left := range []struct {
		notes core.NoteRelations
		text  string
	}{{v.Backlinks, "would link to nothing"}, {v.Derived, "would name a source that is gone"}} {
		if n := len(left.notes.Notes) + left.notes.More; n > 0 {
			lines = append(lines, []span{{"! " + plural(n, "note") + " " + left.text, warnLook}})
		}
	}
	return lines
}

// deleteNote deletes a note.
func (m *model) deleteNote(v core.NoteView, f *form) tea.Cmd {
	agent := m.options.Agent
	return m.act("delete", func(ctx context.Context, s *core.Service) (done, error) {
		_, err := s.NoteDelete(ctx, core.NoteDeleteRequest{ID: v.ID, Agent: agent})
		return done{
			text: fmt.Sprintf("deleted %s %s", noteID(v.NoteCard), v.Title), command: actLine(agent, []string{"note", "delete", v.ShortID}),
			undo: lasting("deleting "+noteID(v.NoteCard), "its file is gone"),
			then: func(m *model) tea.Cmd {
				m.dismiss(f)
				if p, ok := m.screen().(*notePage); ok && p.id == v.ID {
					return m.close()
				}
				return nil
			},
		}, err
	}, refusedBy(f))
}
