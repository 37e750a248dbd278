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

// editing is the form that edits a task. It holds a copy and the version the
// copy was made of.
type editing struct {
	form
	base     core.Task
	title    *textField
	tags     *textField
	project  *textField
	urgency  *choiceField
	text     *textField
	original string // of the description
	onTop    string // what others have changed meanwhile, beside what was typed
}

// record reads the whole record of a task, then goes on with it.
func (m *model) record(id string, next func(*model, core.Task) tea.Cmd) tea.Cmd {
	service := m.live.service
	return m.expect(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		result, err := service.TaskGet(ctx, core.TaskGetRequest{TaskID: id})
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.notOpened(err)
			}
			return next(m, result.Task)
		}
	})
}

// editDialog edits the task at hand.
func (m *model) editDialog() tea.Cmd {
	card := m.targets()[0]
	return m.record(card.ID, func(m *model, task core.Task) tea.Cmd {
		m.ask(m.newEditing(task, card))
		return nil
	})
}

func (m *model) newEditing(task core.Task, card core.Card) *editing {
	e := &editing{base: task}
	if task.Description != nil {
		e.original = *task.Description
	}
	e.title = newTextField("Title", "title", task.Title)
	e.tags = newTextField("Tags", "tags", joinTags(task.Tags.List()))
	e.tags.after = "separated by commas"
	e.project = newTextField("Project", "metadata.project", task.Project())
	e.urgency = priorityChoice(task.Priority())
	e.text = newTextArea("Text", "description", e.original, 8)
	e.form = form{
		full: true, outer: e, kind: "edit", about: []string{task.ID}, version: task.Version,
		title:   []span{{fmt.Sprintf("Edit %s %s v%d", m.nameOf(card), m.glyphs.bullet, task.Version), titleLook}},
		buttons: []string{"Save", "Discard"},
		fields: []field{
			e.title, newFixedField("Kind", span{string(task.Type), plainText}, span{"   (fixed after creation)", dimText}),
			e.tags, e.project, e.urgency, e.text,
		},
	}
	e.form.submit = func(m *model, _ int) tea.Cmd { return m.saveEditing(e, card) }
	e.begin()
	return e
}

// since implements [agingForm].
func (e *editing) since(version int64) {
	text := e.text.first
	e.base.Title, e.base.Version, e.base.Description = e.title.first, version, &text
	e.base.Tags = core.MakeTags(splitTags(e.tags.first))
	e.base.Metadata = e.base.Metadata.Merge(core.MakeMetadata([]core.Member{
		memberOrNull("project", e.project.first), memberOrNull("priority", priorityWords[e.urgency.first]),
	}))
	e.original = text
}

// update is the request for what a person has changed.
func (e *editing) update(agent string) core.TaskUpdateRequest {
	version := int(e.base.Version)
	req := core.TaskUpdateRequest{TaskID: e.base.ID, Agent: agent, ExpectedVersion: &version}
	if e.title.changed() {
		title := e.title.text()
		req.Title = &title
	}
	if e.text.changed() {
		text := e.text.text()
		req.Description = &text
	}
	if e.tags.changed() {
		req.Tags = splitTags(e.tags.text())
	}
	var members []core.Member
	if e.project.changed() {
		members = append(members, memberOrNull("project", strings.TrimSpace(e.project.text())))
	}
	if e.urgency.changed() {
		members = append(members, memberOrNull("priority", priorityWords[e.urgency.at]))
	}
	if len(members) > 0 {
		metadata := core.MakeMetadata(members)
		req.Metadata = &metadata
	}
	return req
}

// memberOrNull is a key of a patch of metadata; empty text deletes it.
func memberOrNull(key, text string) core.Member {
	if text == "" {
		return core.Member{Key: key, Value: []byte("null")}
	}
	return core.Member{Key: key, Value: core.AppendJSONString(nil, text)}
}

// inverseOf is the request that takes an update back.
func inverseOf(base core.Task, req core.TaskUpdateRequest, version int) core.TaskUpdateRequest {
	back := core.TaskUpdateRequest{TaskID: base.ID, Agent: req.Agent, ExpectedVersion: &version}
	if req.Title != nil {
		back.Title = &base.Title
	}
	if req.Description != nil {
		text := ""
		if base.Description != nil {
			text = *base.Description
		}
		back.Description = &text
	}
	if req.Tags != nil {
		back.Tags = base.Tags.List()
	}
	if req.Metadata != nil {
		var members []core.Member
		for _, m := range req.Metadata.Members() {
			value, ok := base.Metadata.Get(m.Key)
			if !ok {
				value = []byte("null")
			}
			members = append(members, core.Member{Key: m.Key, Value: value})
		}
		metadata := core.MakeMetadata(members)
		back.Metadata = &metadata
	}
	return back
}

// updateLine is the command line of an update.
func updateLine(id string, req core.TaskUpdateRequest) string {
	var words []string
	if req.Title != nil {
		words = append(words, flagOf("--title", *req.Title)...)
	}
	if req.Description != nil {
		words = append(words, flagOf("--description", *req.Description)...)
	}
	if req.Tags != nil && len(req.Tags) == 0 {
		words = append(words, "--clear-tags")
	}
	for _, tag := range req.Tags {
		words = append(words, flagOf("--tag", tag)...)
	}
	if req.Metadata != nil {
		for _, m := range req.Metadata.Members() {
			if string(m.Value) == "null" {
				words = append(words, flagOf("--unset", m.Key)...)
			} else {
				words = append(words, flagOf("--meta", m.Key+":="+string(m.Value))...)
			}
		}
	}
	return actLine(req.Agent, []string{"task", "update", id}, words...)
}

func (m *model) saveEditing(e *editing, card core.Card) tea.Cmd {
	if !e.isChanged() {
		m.dismiss(e)
		return m.note("Nothing was changed.")
	}
	req := e.update(m.options.Agent)
	base := e.base
	who := "" // has changed the task meanwhile; written before the refusal is taken
	return m.act("task_update", func(ctx context.Context, s *core.Service) (done, error) {
		result, err := s.TaskUpdate(ctx, req)
		if err != nil {
			if current, ok := core.AsError(err).Extra("current").(core.Task); ok {
				who = m.whoChanged(ctx, s, current, base.Version)
			}
			return done{}, err
		}
		text := fmt.Sprintf("saved %s as v%d", idOf(card), result.Version)
		if base.Status != core.StatusOpen {
			text += ", which is " + string(base.Status)
		}
		if e.onTop != "" {
			text += "; meanwhile " + e.onTop + ", which stays"
		}
		return done{
			text: text, command: updateLine(card.ShortID, req),
			undo: &undoing{what: "the edit of " + idOf(card), run: func(ctx context.Context, s *core.Service) (done, error) {
				back := inverseOf(base, req, int(result.Version))
				_, err := s.TaskUpdate(ctx, back)
				return done{text: "took the edit of " + idOf(card) + " back", command: updateLine(card.ShortID, back)}, err
			}},
			follow: card.ID, then: func(m *model) tea.Cmd {
				m.dismiss(e)
				return nil
			},
		}, nil
	}, func(m *model, err *core.Error) tea.Cmd {
		e.refused(err)
		current, ok := err.Extra("current").(core.Task)
		if err.Code != core.CodeVersionConflict || !ok {
			return nil
		}
		e.wrong = nil
		if e.isApart(current) {
			e.rebase(current)
			e.busy, e.onTop = true, who
			return m.saveEditing(e, card)
		}
		m.ask(newConflict(m, e, current, card, who))
		return nil
	})
}

// conflict shows the three versions of a task that was changed while it was
// edited: where the edit began, what was typed, what is stored now.
type conflict struct {
	form
	edit    *editing
	current core.Task
}

// newConflict makes the box; who says who has changed the task. "Keep editing"
// goes on with what was typed on top of the version the edit began with, and
// asks again when it is saved.
func newConflict(m *model, e *editing, current core.Task, card core.Card, who string) *conflict {
	p := &conflict{edit: e, current: current}
	theirs := "Drop mine"
	if e.shows(current) {
		theirs = "Take theirs"
	}
	intro := [][]span{
		{{fmt.Sprintf("You edited v%d; it is v%d now.", e.base.Version, current.Version), plainText}},
		{data("Meanwhile "+who+".", plainText)},
	}
	if current.Status != e.base.Status {
		text := fmt.Sprintf("It is %s now. Saving changes what it says and leaves it %s.", current.Status, current.Status)
		intro = append(intro, []span{{"! " + text, warnLook}})
	}
	p.form = form{
		outer: p,
		title: []span{{idOf(card) + " changed meanwhile", warnLook}}, width: 68,
		intro:   append(append(append(intro, nil), p.rows()...), nil, []span{{"Save mine writes only what you changed; the rest stays.", dimText}}),
		buttons: []string{"Save mine", theirs, "Keep editing"},
	}
	p.focus = 2
	p.submit = func(m *model, button int) tea.Cmd {
		if button == 1 {
			p.askToDrop(func(m *model) tea.Cmd {
				m.dismiss(p)
				m.dismiss(e)
				return tea.Batch(m.note("What is stored stays; your edit of "+idOf(card)+" was thrown away."), m.changed())
			})
			return nil
		}
		m.dismiss(p)
		e.rebase(current)
		e.busy = true
		return m.saveEditing(e, card)
	}
	return p
}

// isApart reports whether others have changed only what was not touched here,
// so that the edit goes on top of theirs without a question.
func (e *editing) isApart(current core.Task) bool {
	if current.Status != e.base.Status {
		return false
	}
	for _, v := range e.versions(current) {
		if v.mine != v.was && v.theirs != v.was && v.mine != v.theirs {
			return false
		}
	}
	return true
}

// shows reports whether others have changed something that the form shows.
func (e *editing) shows(current core.Task) bool {
	return slices.ContainsFunc(e.versions(current), func(v fieldVersions) bool { return v.theirs != v.was })
}

// fieldVersions are three versions of a field.
type fieldVersions struct{ name, was, mine, theirs string }

// versions are those of each field: where the edit began, what was typed, and
// what is stored now.
func (e *editing) versions(current core.Task) []fieldVersions {
	description := func(t core.Task) string {
		if t.Description == nil {
			return ""
		}
		return *t.Description
	}
	return []fieldVersions{
		{"title", e.base.Title, e.title.text(), current.Title},
		{"tags", joinTags(e.base.Tags.List()), e.tags.text(), joinTags(current.Tags.List())},
		{"project", e.base.Project(), e.project.text(), current.Project()},
		{"priority", e.base.Priority(), priorityWords[e.urgency.at], current.Priority()},
		{"text", description(e.base), e.text.text(), description(current)},
	}
}

// rebase makes the edit one of another version: what was typed stays, what was
// not touched follows the stored version.
func (e *editing) rebase(current core.Task) {
	e.title.rebase(current.Title)
	e.tags.rebase(joinTags(current.Tags.List()))
	e.project.rebase(current.Project())
	description := ""
	if current.Description != nil {
		description = *current.Description
	}
	e.text.rebase(description)
	touched := e.urgency.changed()
	e.urgency.first = priorityChoice(current.Priority()).at
	if !touched {
		e.urgency.at = e.urgency.first
	}
	e.base, e.original = current, description
}

// rows compare the three versions field by field.
func (p *conflict) rows() [][]span {
	var rows [][]span
	for _, v := range p.edit.versions(p.current) {
		rows = append(rows, compared(v.name, v.was, v.mine, v.theirs)...)
	}
	if len(rows) == 0 {
		rows = [][]span{{{"Nothing that this form shows was changed by others.", dimText}}}
	}
	return rows
}

// compared tells how a value was changed at both sides; nothing when it was
// not.
func compared(name, was, mine, theirs string) [][]span {
	if mine == was && theirs == was {
		return nil
	}
	yours := []span{{display.Pad(name, 10), titleLook}}
	shownMine, shownTheirs := apart(mine, theirs)
	if mine != was {
		yours = append(yours, span{"yours: ", hintLook}, data(short(shownMine), okLook))
	} else {
		yours = append(yours, span{"yours: unchanged", dimText})
	}
	other := []span{{display.Pad("", 10), titleLook}}
	switch {
	case theirs == was:
		other = append(other, span{"theirs: unchanged", dimText})
	case theirs == mine:
		other = append(other, span{"theirs: the same as yours", dimText})
	default:
		other = append(other, span{"theirs: ", hintLook}, data(short(shownTheirs), warnLook))
	}
	return [][]span{yours, other}
}

// short is a value as a comparison shows it.
func short(text string) string {
	if text == "" {
		return "(empty)"
	}
	first, _, more := strings.Cut(text, "\n")
	if more {
		first += " …"
	}
	return display.Cut(display.Visible(first), 46)
}

// editText edits the description of the task at hand in the person's own
// editor. What comes of it stays in the form should saving it be refused.
func (m *model) editText() tea.Cmd {
	card := m.targets()[0]
	return m.record(card.ID, func(m *model, task core.Task) tea.Cmd {
		e := m.newEditing(task, card)
		return m.inEditor(&lentText{given: e.original, into: &e.form, enter: e.text.setText}, func(m *model, wrong *core.Error) tea.Cmd {
			m.ask(e)
			if wrong != nil {
				e.refused(wrong)
				return nil
			}
			e.busy = true
			return m.saveEditing(e, card)
		})
	})
}
