package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// noteEditing is the form that edits a note. It holds a copy and the version
// the copy was made of.
type noteEditing struct {
	form
	base  core.NoteView
	title *textField
	tags  *textField
	text  *textField
}

// noteEditKind is the action that edits a note.
const noteEditKind = "note.edit"

// noteID is the id of a note as the screen shows it.
func noteID(card core.NoteCard) string { return shortest(card.ShortID, card.ID) }

// noteRecord reads a note, then goes on with it.
func (m *model) noteRecord(id string, next func(*model, core.NoteView) tea.Cmd) tea.Cmd {
	service := m.live.service
	return m.expect(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		view, err := service.NoteView(ctx, id)
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.notOpened(err)
			}
			return next(m, view)
		}
	})
}

// newNoteDialog asks for a new note.
func (m *model) newNoteDialog() tea.Cmd {
	title := newTextField("Title", "title", "")
	folder := newTextField("Folder", "path", "")
	folder.after = "or a file ending in .md"
	tags := newTextField("Tags", "tags", "")
	tags.after = "separated by commas"
	text := newTextArea("Text", "content", "", 10)
	f := &form{
		title: []span{{"New note", titleLook}}, full: true, kind: "note.new",
		fields:  []field{title, folder, tags, text},
		buttons: []string{"Save", "Discard"},
	}
	f.submit = func(m *model, _ int) tea.Cmd {
		req := core.NoteWriteRequest{Title: title.text(), Content: text.text(), Agent: m.options.Agent, Tags: splitTags(tags.text())}
		if path := strings.TrimSpace(folder.text()); path != "" {
			req.Path = &path
		}
		return m.createNote(req, f)
	}
	f.begin()
	m.ask(f)
	return nil
}

// createNote writes a new note.
func (m *model) createNote(req core.NoteWriteRequest, f *form) tea.Cmd {
	words := flagOf("--content", req.Content)
	if req.Path != nil {
		words = append(words, flagOf("--path", *req.Path)...)
	}
	for _, tag := range req.Tags {
		words = append(words, flagOf("--tag", tag)...)
	}
	return m.act("write", func(ctx context.Context, s *core.Service) (done, error) {
		result, err := s.NoteWrite(ctx, req)
		if err != nil {
			return done{}, err
		}
		return done{
			text:    wroteNote("wrote "+result.Path, result.Warnings),
			command: actLine(req.Agent, []string{"note", "write", req.Title}, words...),
			undo:    lasting("writing "+result.Path, m.keymap.shown("note.delete", m.glyphs)+" deletes it"),
			then: func(m *model) tea.Cmd {
				m.dismiss(f)
				if l, ok := m.screen().(*noteList); ok {
					return l.goTo(m, result.ID)
				}
				return nil
			},
		}, nil
	}, refusedBy(f))
}

// wroteNote is what to say about a write, with what it warned of.
func wroteNote(text string, warnings []string) string {
	if len(warnings) > 0 {
		text += "; " + strings.Join(warnings, " ")
	}
	return text
}

// editNoteDialog edits the note at hand.
func (m *model) editNoteDialog() tea.Cmd {
	card, _ := m.noteAtHand()
	return m.noteRecord(card.ID, func(m *model, view core.NoteView) tea.Cmd {
		m.ask(m.newNoteEditing(view))
		return nil
	})
}

func (m *model) newNoteEditing(view core.NoteView) *noteEditing {
	e := &noteEditing{base: view}
	e.title = newTextField("Title", "title", view.Title)
	e.tags = newTextField("Tags", "tags", joinTags(view.Note.Tags))
	e.tags.after = "separated by commas"
	e.text = newTextArea("Text", "content", view.Content, 10)
	e.form = form{
		full: true, outer: e, kind: noteEditKind, about: []string{view.ID}, version: view.Note.Version,
		title:   []span{{fmt.Sprintf("Edit note %s %s v%d", noteID(view.NoteCard), m.glyphs.bullet, view.Note.Version), titleLook}},
		buttons: []string{"Save", "Discard"},
		fields:  []field{e.title, newFixedField("Path", data(view.Path, dimText)), e.tags, e.text},
	}
	e.form.submit = func(m *model, _ int) tea.Cmd { return m.saveNote(e) }
	e.begin()
	return e
}

// since implements [agingForm].
func (e *noteEditing) since(version int64) {
	e.base.Title, e.base.Content, e.base.Note.Version = e.title.first, e.text.first, version
	e.base.Note.Tags = splitTags(e.tags.first)
}

// editNoteText edits title and text of the note at hand in the person's own
// editor. What comes of it stays in the form should saving it be refused.
func (m *model) editNoteText() tea.Cmd {
	card, _ := m.noteAtHand()
	return m.noteRecord(card.ID, func(m *model, view core.NoteView) tea.Cmd {
		e := m.newNoteEditing(view)
		lent := &lentText{given: core.NoteText(view.Title, view.Content), into: &e.form, enter: func(text string) {
			title, content := core.SplitNoteText(text, view.Title)
			e.title.setText(title)
			e.text.setText(content)
		}}
		return m.inEditor(lent, func(m *model, wrong *core.Error) tea.Cmd {
			m.ask(e)
			if wrong == nil && !utf8.ValidString(lent.text) {
				wrong = core.InvalidInput(core.ReasonInvalidValue, "content", "The text is not valid UTF-8.")
			}
			if wrong != nil {
				e.refused(wrong)
				return nil
			}
			e.busy = e.isChanged()
			return m.saveNote(e)
		})
	})
}

// write carries out what a person has changed: text and all, or the front
// matter alone, so that the text then stays as it is byte for byte.
func (e *noteEditing) write(ctx context.Context, s *core.Service, agent string) (core.NoteWriteResult, error) {
	version := int(e.base.Note.Version)
	title, tags := e.title.text(), []string(nil)
	if e.tags.changed() {
		tags = splitTags(e.tags.text())
	}
	if e.text.changed() {
		return s.NoteWrite(ctx, core.NoteWriteRequest{
			ID: &e.base.ID, Title: title, Content: e.text.text(), Agent: agent, Tags: tags, ExpectedVersion: &version,
		})
	}
	req := core.NoteUpdateRequest{ID: e.base.ID, Agent: agent, Tags: tags, ExpectedVersion: &version}
	if e.title.changed() {
		req.Title = &title
	}
	return s.NoteUpdate(ctx, req)
}

// line is the command line that does the same.
func (e *noteEditing) line(agent string) string {
	var words []string
	if e.tags.changed() {
		tags := splitTags(e.tags.text())
		if len(tags) == 0 {
			words = append(words, "--clear-tags")
		}
		for _, tag := range tags {
			words = append(words, flagOf("--tag", tag)...)
		}
	}
	if e.text.changed() {
		words = slices.Concat(flagOf("--id", e.base.ShortID), flagOf("--content", e.text.text()), words)
		return actLine(agent, []string{"note", "write", e.title.text()}, words...)
	}
	if e.title.changed() {
		words = append(flagOf("--title", e.title.text()), words...)
	}
	return actLine(agent, []string{"note", "update", e.base.ShortID}, words...)
}

// hasMoved reports whether a note is not what it was, be it that only its file
// was edited, which moves no version.
func hasMoved(was, is core.NoteView) bool {
	return was.Note.Version != is.Note.Version || was.Title != is.Title || was.Note.Body != is.Note.Body || !slices.Equal(was.Note.Tags, is.Note.Tags)
}

func (m *model) saveNote(e *noteEditing) tea.Cmd {
	if !e.isChanged() {
		m.dismiss(e)
		return m.note("Nothing was changed.")
	}
	agent, base := m.options.Agent, e.base
	var current core.NoteView // written before the refusal is taken
	return m.act("write", func(ctx context.Context, s *core.Service) (done, error) {
		view, err := s.NoteView(ctx, base.ID)
		if err != nil {
			return done{}, err
		}
		if current = view; hasMoved(base, view) {
			return done{}, core.NewError(core.CodeVersionConflict, "The note was changed while you were editing.")
		}
		result, err := e.write(ctx, s, agent)
		if err != nil {
			if codeOf(err) == core.CodeVersionConflict {
				if current, err = s.NoteView(ctx, base.ID); err == nil {
					err = core.NewError(core.CodeVersionConflict, "The note was changed while you were editing.")
				}
			}
			return done{}, err
		}
		return done{
			text:    wroteNote(fmt.Sprintf("saved %s as v%d", noteID(base.NoteCard), result.Version), result.Warnings),
			command: e.line(agent),
			undo: &undoing{what: "the edit of " + noteID(base.NoteCard), run: func(ctx context.Context, s *core.Service) (done, error) {
				version := int(result.Version)
				_, err := s.NoteWrite(ctx, core.NoteWriteRequest{
					ID: &base.ID, Title: base.Title, Content: base.Content, Agent: agent, Tags: append([]string{}, base.Note.Tags...), ExpectedVersion: &version,
				})
				return done{text: "took the edit of " + noteID(base.NoteCard) + " back"}, err
			}},
			then: func(m *model) tea.Cmd {
				m.dismiss(e)
				return nil
			},
		}, nil
	}, func(m *model, err *core.Error) tea.Cmd {
		e.refused(err)
		if err.Code == core.CodeVersionConflict {
			e.wrong = nil
			m.ask(newNoteConflict(m, e, current))
		}
		return nil
	})
}

// noteConflict shows the three versions of a note that was changed while it
// was edited: where the edit began, what was typed, what is stored now.
type noteConflict struct{ form }

func newNoteConflict(m *model, e *noteEditing, current core.NoteView) *noteConflict {
	p := &noteConflict{}
	was, is := e.base, current
	told := fmt.Sprintf("You edited v%d; it is v%d now, changed %s.", was.Note.Version, is.Note.Version, display.Ago(is.Note.UpdatedAt, m.now()))
	if was.Note.Version == is.Note.Version {
		told = "Its file was edited by hand meanwhile."
	}
	rows := slices.Concat(
		compared("title", was.Title, e.title.text(), is.Title),
		compared("tags", joinTags(was.Note.Tags), e.tags.text(), joinTags(is.Note.Tags)),
		compared("text", was.Content, e.text.text(), is.Content),
	)
	p.form = form{
		outer: p,
		title: []span{{noteID(was.NoteCard) + " changed meanwhile", warnLook}}, width: 68,
		intro:   append([][]span{{data(told, plainText)}, nil}, rows...),
		buttons: []string{"Save mine", "Take theirs", "Keep editing"},
	}
	p.focus = 2
	p.submit = func(m *model, button int) tea.Cmd {
		if button == 1 {
			p.askToDrop(func(m *model) tea.Cmd {
				m.dismiss(p)
				m.dismiss(e)
				return tea.Batch(m.note("What is stored stays; your edit of "+noteID(was.NoteCard)+" was thrown away."), m.changed())
			})
			return nil
		}
		m.dismiss(p)
		e.rebase(current)
		e.busy = true
		return m.saveNote(e)
	}
	return p
}

// rebase makes the edit one of another version.
func (e *noteEditing) rebase(current core.NoteView) {
	e.title.rebase(current.Title)
	e.tags.rebase(joinTags(current.Note.Tags))
	e.text.rebase(current.Content)
	e.base = current
}
