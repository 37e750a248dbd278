package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// noteList is the screen of all notes, the last changed first, or of those
// that a text finds, best first. Only the rows around the cursor are loaded.
// The cards of the list stand for notes: they have their ids.
type noteList struct {
	list
	entries    []core.NoteListRow // of the cards of the list
	notes      int                // there are
	unreadable int                // files
	more       bool               // notes are found beyond those listed
	known      bool

	search *editor
	typing bool   // the search has the keys
	text   string // what is looked for
	shown  string // what the rows are about
	before string // id of the note the cursor was on before the search

	area    rect // of the rows, with the frame
	about   rect // of what the note under the cursor says; empty when there is no room
	tall    bool // rows have two lines
	preview notePreview
	loads   loader
}

// openNotes shows the list of notes.
func (m *model) openNotes() tea.Cmd {
	for i, s := range m.screens {
		if _, ok := s.(*noteList); ok { // one does not stand on the way twice
			m.screens = m.screens[:i+1]
			return s.load(m, true)
		}
	}
	l := &noteList{search: newEditor("", false)}
	l.list.rows = func(core.Card) int { return l.rowLines() }
	return m.open(l)
}

func (l *noteList) place() string { return "Notes" }

func (l *noteList) crumb() string { return "Notes" }

// selected implements [screen]: no task is at hand.
func (l *noteList) selected() (core.Card, bool) { return core.Card{}, false }

func (l *noteList) due() *core.Stamp { return nil }

func (l *noteList) newest() *loader { return &l.loads }

// isReading reports whether keys have to wait for rows.
func (l *noteList) isReading() bool { return l.loads.running && (!l.known || l.shown != l.text) }

// entry is the row under the cursor, if it is loaded.
func (l *noteList) entry() (core.NoteListRow, bool) {
	if i := l.cursor - l.first; i >= 0 && i < len(l.entries) {
		return l.entries[i], true
	}
	return core.NoteListRow{}, false
}

// rowLines is how many lines a row takes: a second one where there is little
// room beside the title, and for what was found.
func (l *noteList) rowLines() int {
	if l.tall || l.shown != "" {
		return 2
	}
	return 1
}

// searches reports whether the line of the search is shown.
func (l *noteList) searches() bool { return l.typing || l.text != "" }

// rowsArea is where the rows are.
func (l *noteList) rowsArea() rect {
	inner := l.area.inner()
	if l.searches() {
		inner.y, inner.h = inner.y+1, max(inner.h-1, 0)
	}
	return inner
}

// arrange divides the screen: the rows and, where there is room, what the note
// under the cursor says.
func (l *noteList) arrange(body rect) {
	l.area, l.about = rect{body.x, body.y + 1, body.w, body.h - 1}, rect{}
	if body.w >= threeColumns {
		l.about = rect{l.area.x, l.area.y, body.w / 2, l.area.h}
		l.area.w -= l.about.w
		l.about.x += l.area.w
	}
	l.tall = l.area.inner().w < noteColumns
	l.list.height = l.rowsArea().h
	l.list.reveal()
}

// load implements [screen].
func (l *noteList) load(m *model, refresh bool) tea.Cmd {
	l.arrange(m.body())
	if m.live.service == nil {
		return nil
	}
	watch := m.watchFolder()
	if refresh {
		return tea.Batch(watch, l.loads.refresh(m, func(m *model) tea.Cmd { return l.read(m, true, true) }))
	}
	return tea.Batch(watch, l.read(m, true, false))
}

// read loads the rows around the cursor. follow makes the cursor stay on its
// note; changed says that the store has changed.
func (l *noteList) read(m *model, follow, changed bool) tea.Cmd {
	service := m.live.service
	if service == nil {
		return nil
	}
	around := l.request(0, "", follow)
	req := core.NoteWindowRequest{
		Text: l.text, Anchors: around.Anchors, Above: around.Above, Offset: around.Offset, Limit: around.Limit,
	}
	return l.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
		w, err := service.NoteWindow(ctx, req)
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.loadFailed(err)
			}
			return l.show(m, around, req, w, changed && l.known && l.shown == req.Text)
		}
	})
}

// show takes what was read over.
func (l *noteList) show(m *model, around core.ColumnRequest, req core.NoteWindowRequest, w core.NoteWindow, changed bool) tea.Cmd {
	cards := make([]core.Card, len(w.Rows))
	for i, row := range w.Rows {
		cards[i].ID = row.ID
	}
	l.entries, l.notes, l.unreadable, l.more, l.known, l.shown = w.Rows, w.All, w.Unreadable, w.More, true, req.Text
	l.list.show(around, core.ColumnWindow{Anchor: w.Anchor, Position: w.Position, First: w.First, Cards: cards}, w.Total, w.All, w.Now, false)
	if len(around.Anchors) > 0 && around.Anchors[0] == l.lead {
		l.lead = ""
	}
	return l.look(m, changed)
}

// look reads the note under the cursor, where that is shown.
func (l *noteList) look(m *model, again bool) tea.Cmd {
	row, ok := l.entry()
	if !ok || l.about.empty() {
		return nil
	}
	return l.preview.load(m, row.ID, again)
}

// movedOn follows the cursor after it moved.
func (l *noteList) movedOn(m *model) tea.Cmd {
	if l.wants() && m.live.service != nil {
		return tea.Batch(l.read(m, true, false), l.look(m, false))
	}
	return l.look(m, false)
}

// goTo puts the cursor on a note of the list of all.
func (l *noteList) goTo(m *model, id string) tea.Cmd {
	l.search.setText("")
	l.typing, l.text, l.before, l.lead = false, "", "", id
	l.arrange(m.body())
	return l.read(m, true, false)
}

// begin gives the search the keys.
func (l *noteList) begin(m *model) tea.Cmd {
	if row, ok := l.entry(); ok && l.text == "" {
		l.before = row.ID
	}
	l.typing = true
	l.search.setText(l.text)
	l.arrange(m.body())
	return nil
}

// searchKey answers a key while the search has the keys.
func (l *noteList) searchKey(m *model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		return l.clear(m)
	case "enter":
		l.typing = false
		l.arrange(m.body())
		return nil
	case "down", "ctrl+n":
		return l.step(m, 1)
	case "up", "ctrl+p":
		return l.step(m, -1)
	}
	if !l.search.key(k) {
		return nil
	}
	text := l.search.text()
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	if text == l.text {
		return nil
	}
	l.text, l.lead, l.cursor, l.top = text, "", 0, 0
	return l.read(m, false, false)
}

// clear gives the search up. The cursor goes back to where it was before when
// that is done while it is typed, and stays on its note otherwise.
func (l *noteList) clear(m *model) tea.Cmd {
	id := l.before
	if row, ok := l.entry(); ok && !l.typing {
		id = row.ID
	}
	return l.goTo(m, id)
}

// step implements [screen].
func (l *noteList) step(m *model, rows int) tea.Cmd {
	l.moveTo(l.cursor + rows)
	return l.movedOn(m)
}

// edge implements [screen].
func (l *noteList) edge(m *model, last bool) tea.Cmd {
	to := 0
	if last {
		to = l.total - 1
	}
	l.moveTo(to)
	return l.movedOn(m)
}

// click implements [screen].
func (l *noteList) click(m *model, x, y int, double bool) tea.Cmd {
	rows := l.rowsArea()
	if !rows.has(x, y) {
		return nil
	}
	at, ok := l.at(y - rows.y)
	if !ok {
		return nil
	}
	l.moveTo(at)
	if double {
		return tea.Batch(l.movedOn(m), m.run(actionNamed("note.open")))
	}
	return l.movedOn(m)
}

// wheel implements [screen].
func (l *noteList) wheel(m *model, x, y, lines int) tea.Cmd {
	if !l.area.has(x, y) {
		return nil
	}
	l.scroll(lines)
	return l.movedOn(m)
}
