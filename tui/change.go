package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// unchangedWord stands for a priority that stays as it is.
const unchangedWord = "as it is"

// changeDialog changes priority and tags of the tasks at hand, all or none.
func (m *model) changeDialog() tea.Cmd {
	cards := m.targets()
	urgency := priorityChoice("")
	urgency.options = append([]string{unchangedWord}, urgency.options...)
	urgency.at, urgency.first = 0, 0
	add := newTextField("Add tags", "tags", "")
	add.after = "separated by commas"
	remove := newTextField("Remove tags", "", "")
	remove.after = "separated by commas"
	f := &form{
		title: []span{{"Priority and tags of " + subject(cards), titleLook}}, width: 66, kind: "edit.marked", about: idsOf(cards),
		intro:   introOf(m, cards),
		fields:  []field{urgency, add, remove},
		buttons: []string{"Change", "Cancel"},
	}
	f.live = func(m *model, _ int) [][]span { return changeLines(cards) }
	f.submit = func(m *model, _ int) tea.Cmd {
		c := change{add: splitTags(add.text()), remove: splitTags(remove.text())}
		if urgency.at > 0 {
			c.priority = &priorityWords[urgency.at-1]
		}
		return m.change(cards, c, f)
	}
	f.begin()
	m.ask(f)
	return nil
}

// changeLines tell how the tasks stand that are to be changed.
func changeLines(cards []core.Card) [][]span {
	counts := map[string]int{}
	tags := map[string]int{}
	for _, card := range cards {
		counts[card.Priority()]++
		for _, tag := range card.Tags.List() {
			tags[tag]++
		}
	}
	line := []span{{"Now: ", hintLook}}
	for i, word := range priorityWords {
		if n := counts[word]; n > 0 {
			name := priorityChoice("").options[i]
			line = append(line, span{fmt.Sprintf("%d of priority %s  ", n, name), dimText})
		}
	}
	names := sortedKeys(tags)
	if len(names) == 0 {
		return [][]span{line, {{"no tags", dimText}}}
	}
	const most = 8
	text := "tags " + enumerateTags(names[:min(len(names), most)], tags, len(cards))
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return [][]span{line, {data(text, dimText)}}
}

// enumerateTags names tags, with how many tasks have them where not all do.
func enumerateTags(names []string, counts map[string]int, all int) string {
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += name
		if n := counts[name]; n < all {
			text += fmt.Sprintf(" (%d)", n)
		}
	}
	return text
}

// change is what is to become of priority and tags.
type change struct {
	priority    *string // a word of priorityWords; nil: it stays
	add, remove []string
}

// update is the request that makes the change to a task; nothing when the task
// is so already.
func (c change) update(card core.Card, agent string) (core.TaskUpdateRequest, bool) {
	req := core.TaskUpdateRequest{TaskID: card.ID, Agent: agent, ExpectedVersion: expected(card)}
	was := card.Tags.List()
	tags := slices.DeleteFunc(slices.Clone(was), func(tag string) bool { return slices.Contains(c.remove, tag) })
	for _, tag := range c.add {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	if !slices.Equal(tags, was) {
		req.Tags = append([]string{}, tags...) // empty, not absent: no tag stays
	}
	if c.priority != nil && *c.priority != card.Priority() {
		metadata := core.MakeMetadata([]core.Member{memberOrNull("priority", *c.priority)})
		req.Metadata = &metadata
	}
	return req, req.Tags != nil || req.Metadata != nil
}

// change changes tasks; f is the form that asked for it.
func (m *model) change(cards []core.Card, c change, f *form) tea.Cmd {
	agent := m.options.Agent
	var steps []step
	var lines []string
	var touched []core.Card
	var requests []core.TaskUpdateRequest
	for _, card := range cards {
		req, changes := c.update(card, agent)
		if !changes {
			continue
		}
		touched, requests = append(touched, card), append(requests, req)
		steps, lines = append(steps, stepOf("update", core.TaskUpdate, req)), append(lines, updateLine(card.ShortID, req))
	}
	if len(steps) == 0 {
		m.dismiss(f)
		return m.note("Nothing was changed.")
	}
	text := "changed " + subject(touched)
	if same := len(cards) - len(touched); same > 0 {
		text += fmt.Sprintf("; %d had it already", same)
	}
	return m.act("task_update", func(ctx context.Context, s *core.Service) (done, error) {
		results, err := perform(ctx, s, agent, steps)
		if err != nil {
			return done{}, m.meanwhile(ctx, s, cards, err)
		}
		return done{
			text: text, command: inTurn(lines), follow: touched[0].ID, then: closing(f),
			undo: &undoing{what: "the change of " + subject(touched), run: func(ctx context.Context, s *core.Service) (done, error) {
				var back []step
				var lines []string
				for i, card := range touched {
					req := inverseOf(card.Task, requests[i], results[i].Version)
					back, lines = append(back, stepOf("update", core.TaskUpdate, req)), append(lines, updateLine(card.ShortID, req))
				}
				_, err := perform(ctx, s, agent, back)
				return done{text: "took the change of " + subject(touched) + " back", command: inTurn(lines)}, err
			}},
		}, nil
	}, m.refusedClose(f, cards))
}
