package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// Draft is what was typed into a form that was open when the program was ended
// from outside.
type Draft struct {
	Form   string       `json:"form"`  // the action that opens the form
	Title  string       `json:"title"` // of the form, as it was shown
	About  []string     `json:"about"` // full ids of what the form is about
	Fields []DraftField `json:"fields"`
	Kept   core.Stamp   `json:"kept"` // when
	// Version is that of what the form edits, 0 when it edits nothing.
	Version int64 `json:"version,omitempty"`
	// Lent is the file in which an editor left what was typed; empty for none.
	Lent string `json:"lent,omitempty"`
	Path string `json:"-"` // where it is kept
}

// DraftField is what was entered in a field, by its label, and what stood there
// before.
type DraftField struct {
	Name string   `json:"name"`
	Text string   `json:"text"`
	Was  string   `json:"was,omitempty"`
	IDs  []string `json:"ids,omitempty"` // full ids of tasks that were picked
}

// keepable is a field whose value can be kept in a draft.
type keepable interface {
	field
	keep() DraftField
	// restore enters a value again; cards are the tasks that it may name.
	restore(d DraftField, cards map[string]core.Card)
}

// aging is a field whose value is compared with the one that it was made of.
type aging interface {
	// since makes the field one of an earlier stored value.
	since(was string)
}

func (f *textField) since(was string) { f.first = was }

func (f *choiceField) since(was string) { f.first = max(slices.Index(f.options, was), 0) }

// agingForm is a form that edits what may have changed since a draft of it was
// kept.
type agingForm interface {
	// since makes the form one of an earlier version, as far as its fields tell.
	// Saving it finds that there is a later one, and compares the two.
	since(version int64)
}

func (f *textField) keep() DraftField {
	return DraftField{Name: f.label, Text: f.text(), Was: f.first}
}

func (f *textField) restore(d DraftField, _ map[string]core.Card) { f.setText(d.Text) }

func (f *choiceField) keep() DraftField {
	return DraftField{Name: f.label, Text: f.value(), Was: f.options[f.first]}
}

func (f *choiceField) restore(d DraftField, _ map[string]core.Card) {
	for i, option := range f.options {
		if option == d.Text {
			f.at = i
		}
	}
}

func (f *switchField) keep() DraftField {
	var on []string
	for _, item := range f.items {
		if item.on {
			on = append(on, item.text)
		}
	}
	return DraftField{Name: f.label, Text: joinTags(on)}
}

func (f *switchField) restore(d DraftField, _ map[string]core.Card) {
	on := splitTags(d.Text)
	for i := range f.items {
		f.items[i].on = contains(on, f.items[i].text)
	}
}

func (f *gateField) keep() DraftField {
	return DraftField{Name: f.name(), Text: f.kind.value() + " " + f.opens.text()}
}

func (f *gateField) restore(d DraftField, _ map[string]core.Card) {
	kind, opens, _ := strings.Cut(d.Text, " ")
	f.kind.restore(DraftField{Text: kind}, nil)
	f.opens.setText(opens)
}

func (f *tasksField) keep() DraftField { return DraftField{Name: f.label, IDs: f.ids()} }

func (f *tasksField) restore(d DraftField, cards map[string]core.Card) {
	f.cards, f.touched = nil, true
	for _, id := range d.IDs {
		if card, ok := cards[id]; ok {
			f.cards = append(f.cards, card)
		}
	}
}

// itself is the form of a popup that is one or is made of one.
func (f *form) itself() *form { return f }

// draftOf is what a form holds that would be lost; ok is false when that is
// nothing that could be entered again.
func (m *model) draftOf(f *form) (d Draft, ok bool) {
	if f.kind == "" {
		return d, false
	}
	d = Draft{Form: f.kind, About: f.about, Kept: m.now(), Path: f.draft, Lent: f.lent, Version: f.version}
	for _, s := range f.title {
		d.Title += s.text
	}
	for _, field := range f.fields {
		if k, can := field.(keepable); can && field.changed() {
			d.Fields = append(d.Fields, k.keep())
		}
	}
	return d, len(d.Fields) > 0
}

// keepDraft keeps what was typed when the program is ended from outside.
func (m *model) keepDraft() {
	if m.options.KeepDraft == nil {
		return
	}
	m.keepLent()
	for _, p := range m.popups {
		if f, ok := p.(interface{ itself() *form }); ok && f.itself().isChanged() {
			if d, ok := m.draftOf(f.itself()); ok {
				m.options.KeepDraft(d)
			}
		}
	}
}

// offerDrafts asks what shall become of what was typed when the program was
// ended, once the store is there.
func (m *model) offerDrafts() {
	drafts := m.options.Drafts
	m.options.Drafts = nil
	for _, d := range drafts {
		m.offerDraft(d)
	}
}

// offerDraft asks about one draft.
func (m *model) offerDraft(d Draft) {
	f := &form{
		title: []span{{"Go on with what you typed?", titleLook}}, width: 64,
		intro: [][]span{
			{data(d.Title, strongText)},
			{{"lithos was ended " + display.Ago(d.Kept, m.now()) + " while this was open:", dimText}},
		},
		buttons: []string{"Open it", "Throw away", "Later"},
	}
	const most = 4
	for i, field := range d.Fields {
		if i == most {
			f.intro = append(f.intro, []span{{fmt.Sprintf("and %d more", len(d.Fields)-most), dimText}})
			break
		}
		text := field.Text
		if len(field.IDs) > 0 {
			text = plural(len(field.IDs), "task")
		}
		f.intro = append(f.intro, []span{{display.Pad(display.Visible(field.Name), 10), titleLook}, data(short(text), plainText)})
	}
	f.submit = func(m *model, button int) tea.Cmd {
		m.dismiss(f)
		if button == 1 {
			return tea.Batch(m.dropDraft(d.Path), m.dropDraft(d.Lent))
		}
		return m.openDraft(d)
	}
	f.begin()
	m.ask(f)
}

// dropDraft throws a draft away.
func (m *model) dropDraft(path string) tea.Cmd {
	drop := m.options.DropDraft
	if drop == nil || path == "" {
		return nil
	}
	return m.work(func() func(*model) tea.Cmd {
		err := drop(path)
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.fail("", core.AsError(err))
			}
			return nil
		}
	})
}

// filling is a draft that is about to be entered in the form that is opened
// for it.
type filling struct {
	draft Draft
	cards map[string]core.Card
}

// openDraft opens the form of a draft and enters what was typed.
func (m *model) openDraft(d Draft) tea.Cmd {
	if d.Form == noteEditKind {
		m.filling = &filling{draft: d}
		return m.noteRecord(d.About[0], func(m *model, view core.NoteView) tea.Cmd {
			m.ask(m.newNoteEditing(view))
			return nil
		})
	}
	ids := append([]string{}, d.About...)
	for _, field := range d.Fields {
		ids = append(ids, field.IDs...)
	}
	service := m.live.service
	return m.expect(func() func(*model) tea.Cmd {
		cards := map[string]core.Card{}
		if service != nil && len(ids) > 0 {
			ctx, cancel := context.WithTimeout(m.ctx, readLimit)
			defer cancel()
			var err error
			if cards, err = service.CardsByID(ctx, ids); err != nil {
				return func(m *model) tea.Cmd { return m.notOpened(err) }
			}
		}
		return func(m *model) tea.Cmd { return m.fillIn(d, cards) }
	})
}

func (m *model) fillIn(d Draft, cards map[string]core.Card) tea.Cmd {
	a := actionNamed(d.Form)
	var about []core.Card
	for _, id := range d.About {
		if card, ok := cards[id]; ok {
			about = append(about, card)
		}
	}
	if a == nil || len(about) < len(d.About) {
		return m.note("What it is about is gone; what you typed stays in " + d.Path + ".")
	}
	m.filling = &filling{d, cards}
	m.about = about // nil where the form is about nothing
	cmd := m.run(a)
	m.about = nil
	return cmd
}

// enterDraft enters the draft that waits for a form in the one that has just
// been opened.
func (m *model) enterDraft(p popup) {
	waiting := m.filling
	opened, ok := p.(interface{ itself() *form })
	if waiting == nil || !ok {
		return
	}
	m.filling = nil
	f := opened.itself()
	if f.kind != waiting.draft.Form {
		return
	}
	f.draft, f.lent = waiting.draft.Path, waiting.draft.Lent
	was, is := waiting.draft.Version, f.version
	for _, kept := range waiting.draft.Fields {
		for _, field := range f.fields {
			k, can := field.(keepable)
			if !can || k.name() != kept.Name {
				continue
			}
			k.restore(kept, waiting.cards)
			if a, ages := field.(aging); ages && was != is {
				a.since(kept.Was)
			}
		}
	}
	if was == is {
		return
	}
	text := fmt.Sprintf("What you typed was about v%d; it is v%d now.", was, is)
	if a, ok := p.(agingForm); ok {
		a.since(was)
		text += " Saving compares the two."
	}
	f.wrong = core.NewError(core.CodeVersionConflict, text)
}
