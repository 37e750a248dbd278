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

// priorityWords are the choices of a priority: P0 … P4 and none.
var priorityWords = append(append([]string{}, core.Priorities...), "")

// priorityChoice is the field for a priority word; any other text counts as
// none.
func priorityChoice(word string) *choiceField {
	names := make([]string, len(priorityWords))
	at := len(priorityWords) - 1
	for i, w := range priorityWords {
		names[i] = display.PriorityLabel(w)
		if w == "" {
			names[i] = "none"
		}
		if w == word {
			at = i
		}
	}
	return newChoiceField("Priority", "metadata.priority", names, at)
}

// createDialog asks for a new task. parent is proposed as its parent, kind as
// its type, inProject as its project.
func (m *model) createDialog(kind core.TaskType, parent []core.Card, inProject string) tea.Cmd {
	g := m.glyphs
	title := newTextField("Title", "title", "")
	kinds := newChoiceField("Kind", "task_type", []string{string(core.TypeTask), string(core.TypeEpic), string(core.TypeGate)}, 0)
	kinds.at = slices.Index(kinds.options, string(kind))
	gateTypes := make([]string, len(core.GateTypes))
	for i, t := range core.GateTypes {
		gateTypes[i] = string(t)
	}
	gate := &gateField{
		kind: newChoiceField("Gate", "metadata.gate_type", gateTypes, 0), opens: newTextField("", "metadata.ready_at", ""),
		shown: func() bool { return kinds.value() == string(core.TypeGate) },
	}
	above := &tasksField{named: named{"Parent", "parent_task_id"}, cards: parent, one: true, pick: m.pickFor("Parent of the new task", false)}
	waits := &tasksField{named: named{"Waits on", "depends_on"}, pick: m.pickFor("The new task waits on"+g.ellipsis, true)}
	tags := newTextField("Tags", "tags", "")
	tags.after = "separated by commas"
	project := newTextField("Project", "metadata.project", inProject)
	urgency := priorityChoice("")
	text := newTextArea("Text", "description", "", 5)
	text.after = ""
	f := &form{
		title: []span{{"New task", titleLook}}, full: true, kind: "create",
		fields:  []field{title, kinds, gate, above, waits, tags, project, urgency, text},
		buttons: []string{"Save", "Discard"},
	}
	f.submit = func(m *model, _ int) tea.Cmd {
		req := core.TaskCreateRequest{Title: title.text(), Agent: m.options.Agent, Tags: splitTags(tags.text())}
		kind := kinds.value()
		req.TaskType = &kind
		if text.text() != "" {
			description := text.text()
			req.Description = &description
		}
		if ids := above.ids(); len(ids) > 0 {
			req.ParentTaskID = &ids[0]
		}
		req.DependsOn = waits.ids()
		metadata := core.MakeMetadata(slices.Concat(
			member("project", strings.TrimSpace(project.text())), member("priority", priorityWords[urgency.at]), gate.members(m)))
		req.Metadata = &metadata
		return m.create(req, f)
	}
	f.begin()
	m.ask(f)
	return nil
}

// member is a key of metadata with a text, left out when that is empty.
func member(key, text string) []core.Member {
	if text == "" {
		return nil
	}
	return []core.Member{{Key: key, Value: core.AppendJSONString(nil, text)}}
}

// pickFor opens a search for tasks that do not have to fit an edge.
func (m *model) pickFor(title string, many bool) func(*model, func([]core.Card)) tea.Cmd {
	return func(m *model, chosen func([]core.Card)) tea.Cmd {
		return m.openPicker(&picker{
			title: []span{{title, titleLook}}, many: many, done: "take", link: core.LinkRequest{Limit: pickerLimit, Agent: m.options.Agent},
			choose: func(_ *model, cards []core.Card) tea.Cmd {
				chosen(cards)
				return nil
			},
		})
	}
}

// pickerLimit is how many tasks a search shows.
const pickerLimit = 50

// create makes a task.
func (m *model) create(req core.TaskCreateRequest, f *form) tea.Cmd {
	agent := m.options.Agent
	var flags []string
	if *req.TaskType != string(core.TypeTask) {
		flags = append(flags, flagOf("--type", *req.TaskType)...)
	}
	if req.Description != nil {
		flags = append(flags, flagOf("--description", *req.Description)...)
	}
	for _, tag := range req.Tags {
		flags = append(flags, flagOf("--tag", tag)...)
	}
	if req.ParentTaskID != nil {
		flags = append(flags, flagOf("--parent", *req.ParentTaskID)...)
	}
	for _, id := range req.DependsOn {
		flags = append(flags, flagOf("--depends-on", id)...)
	}
	for _, pair := range [][2]string{{"project", "--project"}, {"priority", "--priority"}, {"gate_type", "--gate-type"}, {"ready_at", "--ready-at"}} {
		if text, ok := req.Metadata.GetString(pair[0]); ok {
			flags = append(flags, flagOf(pair[1], text)...)
		}
	}
	return m.act("task_create", func(ctx context.Context, s *core.Service) (done, error) {
		result, err := s.TaskCreate(ctx, req)
		if err != nil {
			return done{}, err
		}
		name := namesOf(ctx, s, []string{result.TaskID})
		return done{
			text:    fmt.Sprintf("created %s %s", name, result.Title),
			command: actLine(agent, []string{"task", "create", req.Title}, flags...), follow: result.TaskID, then: m.afterCreate(f, result.TaskID),
			undo: lasting("creating "+name, m.keymap.shown("cancel", m.glyphs)+" cancels it"),
		}, nil
	}, refusedBy(f))
}

// afterCreate closes the form and puts the cursor on the new task wherever it
// appears.
func (m *model) afterCreate(f *form, id string) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		m.dismiss(f)
		m.board.pane().lead = id
		return nil
	}
}

// refusedBy takes a refusal into a form.
func refusedBy(f *form) func(*model, *core.Error) tea.Cmd {
	return func(m *model, e *core.Error) tea.Cmd {
		f.refused(e)
		return nil
	}
}

// gateField asks for the kind of a gate and, of a timer, when it opens. It is
// there for gates only.
type gateField struct {
	kind  *choiceField
	opens *textField
	shown func() bool
	typed bool // the time has the keys
}

func (f *gateField) name() string {
	if f.shown() {
		return "Gate"
	}
	return ""
}

func (f *gateField) param() string { return "metadata" }

func (f *gateField) still() bool { return !f.shown() }

func (f *gateField) isTimer() bool { return f.kind.value() == string(core.GateTimer) }

func (f *gateField) height(int) int {
	switch {
	case !f.shown():
		return 0
	case f.isTimer():
		return 2
	}
	return 1
}

func (f *gateField) changed() bool { return f.shown() && (f.kind.changed() || f.opens.changed()) }

func (f *gateField) key(m *model, k tea.KeyMsg) (bool, tea.Cmd) {
	if f.isTimer() {
		switch k.String() {
		case "down":
			if !f.typed {
				f.typed = true
				return true, nil
			}
		case "up":
			if f.typed {
				f.typed = false
				return true, nil
			}
		case "left", "right":
			if !f.typed {
				return f.kind.key(m, k)
			}
		}
		if f.typed || k.Type == tea.KeyRunes && len(k.Runes) == 1 && (k.Runes[0] == '+' || k.Runes[0] >= '0' && k.Runes[0] <= '9') {
			f.typed = true
			return f.opens.key(m, k)
		}
	}
	f.typed = false
	return f.kind.key(m, k)
}

func (f *gateField) draw(m *model, c *canvas, r rect, focus bool) {
	if !f.shown() || r.empty() {
		return
	}
	f.kind.draw(m, c, r.line(0), focus && !(f.isTimer() && f.typed))
	if f.isTimer() && r.h > 1 {
		line := r.line(1)
		n := c.put(line.x, line.y, line.w, "opens at ", hintLook)
		f.opens.after = "+2h, +3d, 2026-03-01T09:00"
		f.opens.draw(m, c, rect{line.x + n, line.y, line.w - n, 1}, focus && f.typed)
	}
}

// members are the keys of the gate's metadata. What is no time is passed on
// as it is, so that the refusal names it.
func (f *gateField) members(m *model) []core.Member {
	if !f.shown() {
		return nil
	}
	list := member("gate_type", f.kind.value())
	if f.isTimer() {
		text := strings.TrimSpace(f.opens.text())
		if at, err := display.ParseMoment("metadata.ready_at", text, m.now()); err == nil {
			text = at
		}
		list = append(list, member("ready_at", text)...)
	}
	return list
}

// spawnDialog asks for a task found while working on the one at hand.
func (m *model) spawnDialog() tea.Cmd {
	source := m.targets()[0]
	title := newTextField("Title", "title", "")
	relation := newChoiceField("Relation", "relation_type", []string{string(core.EdgeDiscoveredFrom), string(core.EdgeBlocks)}, 0)
	inherit := newSwitchField("Inherit", "project", "tags", "priority")
	text := newTextArea("Text", "description", "", 3)
	f := &form{
		title: []span{{"Spawn from " + m.nameOf(source), titleLook}}, width: 68, kind: "spawn", about: []string{source.ID},
		intro:   introOf(m, []core.Card{source}),
		fields:  []field{title, relation, inherit, text},
		buttons: []string{"Spawn", "Spawn and open", "Cancel"},
	}
	f.live = func(*model, int) [][]span {
		if relation.value() == string(core.EdgeBlocks) {
			return [][]span{{{"The new task waits until " + idOf(source) + " is completed.", dimText}}}
		}
		return [][]span{{{"Does not block anything.", dimText}}}
	}
	f.submit = func(m *model, button int) tea.Cmd {
		kind := relation.value()
		req := core.TaskSpawnRequest{
			SourceTaskID: source.ID, Title: title.text(), Agent: m.options.Agent, RelationType: &kind,
			InheritProject: &inherit.items[0].on, InheritTags: &inherit.items[1].on, InheritContext: &inherit.items[2].on,
		}
		if text.text() != "" {
			description := text.text()
			req.Description = &description
		}
		return m.spawn(source, req, f, button == 1)
	}
	f.begin()
	m.ask(f)
	return nil
}

// spawn makes a task related to its source.
func (m *model) spawn(source core.Card, req core.TaskSpawnRequest, f *form, open bool) tea.Cmd {
	agent := m.options.Agent
	var flags []string
	if *req.RelationType != string(core.EdgeDiscoveredFrom) {
		flags = append(flags, flagOf("--relation", *req.RelationType)...)
	}
	for i, on := range []bool{*req.InheritProject, *req.InheritTags, *req.InheritContext} {
		if !on {
			flags = append(flags, []string{"--no-inherit-project", "--no-inherit-tags", "--no-inherit-context"}[i])
		}
	}
	if req.Description != nil {
		flags = append(flags, flagOf("--description", *req.Description)...)
	}
	return m.act("task_spawn", func(ctx context.Context, s *core.Service) (done, error) {
		result, err := s.TaskSpawn(ctx, req)
		if err != nil {
			return done{}, err
		}
		name := namesOf(ctx, s, []string{result.TaskID})
		return done{
			text:    fmt.Sprintf("spawned %s from %s", name, idOf(source)),
			command: actLine(agent, []string{"task", "spawn", source.ShortID, req.Title}, flags...),
			undo:    lasting("spawning "+name, m.keymap.shown("cancel", m.glyphs)+" cancels it"),
			then: func(m *model) tea.Cmd {
				m.dismiss(f)
				if open {
					return m.openTask(result.TaskID, pageAuto)
				}
				return nil
			},
		}, nil
	}, refusedBy(f))
}

// findingDialog asks for a remark on the task at hand.
func (m *model) findingDialog() tea.Cmd {
	card := m.targets()[0]
	summary := newTextArea("Finding", "summary", "", 4)
	f := &form{
		title: []span{{"Finding on " + m.nameOf(card), titleLook}}, width: 70, kind: "finding.post", about: []string{card.ID},
		intro:   introOf(m, []core.Card{card}),
		fields:  []field{summary},
		buttons: []string{"Post", "Cancel"},
	}
	f.submit = func(m *model, _ int) tea.Cmd {
		agent := m.options.Agent
		req := core.FindingPostRequest{TaskID: card.ID, Agent: agent, Summary: summary.text()}
		return m.act("finding_post", func(ctx context.Context, s *core.Service) (done, error) {
			_, err := s.FindingPost(ctx, req)
			return done{
				text:    "posted a finding on " + idOf(card),
				command: actLine(agent, []string{"finding", "post", card.ShortID, req.Summary}), then: closing(f),
				undo: lasting("a finding", "it stays with the task"),
			}, err
		}, refusedBy(f))
	}
	f.begin()
	m.ask(f)
	return nil
}
