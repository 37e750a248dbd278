package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// consequencesOf reads what closing or reopening tasks would do, then goes on
// with it.
func (m *model) consequencesOf(cards []core.Card, next func(*model, core.Consequences) tea.Cmd) tea.Cmd {
	service := m.live.service
	return m.expect(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		would, err := service.Consequences(ctx, idsOf(cards))
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.notOpened(err)
			}
			return next(m, would)
		}
	})
}

// expected is the version an action is about: what the person has seen.
func expected(card core.Card) *int {
	version := int(card.Version)
	return &version
}

// completeDialog asks for the outcome of the tasks at hand, with what
// completing them would do.
func (m *model) completeDialog() tea.Cmd {
	return m.consequencesOf(m.targets(), func(m *model, would core.Consequences) tea.Cmd {
		cards := would.Tasks
		verb, button := "Complete ", "Complete"
		if len(cards) == 1 && cards[0].Type == core.TypeGate {
			verb, button = "Pass gate ", "Pass"
		}
		outcome := newTextArea("Outcome", "outcome", "", 3)
		f := &form{
			title: []span{{verb + subject(cards), titleLook}}, width: 66, kind: "complete", about: idsOf(cards),
			intro:   introOf(m, cards),
			fields:  []field{outcome},
			buttons: []string{button, "Cancel"},
		}
		f.live = func(m *model, width int) [][]span { return completionLines(m, would) }
		f.submit = func(m *model, _ int) tea.Cmd { return m.complete(cards, outcome.text(), f) }
		f.begin()
		m.ask(f)
		return nil
	})
}

func idsOf(cards []core.Card) []string {
	ids := make([]string, len(cards))
	for i, card := range cards {
		ids[i] = card.ID
	}
	return ids
}

// completionLines tell what completing tasks together would do.
func completionLines(m *model, would core.Consequences) [][]span {
	const most = 6
	var lines [][]span
	for i, task := range would.Tasks {
		if n := would.Children[i]; n > 0 {
			lines = append(lines, []span{{fmt.Sprintf("! %s still has %s that %s open", idOf(task), plural(n, "child task"), isAre(n)), warnLook}})
		}
		for _, claim := range task.Claims {
			if claim.Agent != m.options.Agent {
				lines = append(lines, []span{{"! " + display.Visible(claim.Agent) + " holds " + display.Visible(claim.Aspect) + " and would lose it", warnLook}})
			}
		}
		if task.WaitCount > 0 {
			lines = append(lines, []span{{"! " + idOf(task) + " is itself still blocked", warnLook}})
		}
		if caution := byHand(task, m.now()); caution != "" {
			lines = append(lines, []span{{"! " + display.Visible(caution), warnLook}})
		}
	}
	lines = append(lines, wouldLines(m.glyphs, &would)...)
	if len(lines) > most {
		lines = append(lines[:most], []span{{fmt.Sprintf("and %d more", len(lines)-most), dimText}})
	}
	return lines
}

// byHand says what a gate waits for that passes by itself once that has
// happened; "" for others.
func byHand(gate core.Card, now core.Stamp) string {
	if gate.Type != core.TypeGate {
		return ""
	}
	switch gate.GateType() {
	case core.GateTimer:
		if at := gate.OpensAt(); at != nil && *at > now {
			return "the timer of " + idOf(gate) + " opens by itself in " + untilText(*at, now)
		}
	case core.GateCI:
		if note := gateNote(gate); note != "" {
			return idOf(gate) + " waits for CI: " + note
		}
		return idOf(gate) + " waits for CI"
	}
	return ""
}

// complete completes tasks; f is the form that asked for it, if one did.
func (m *model) complete(cards []core.Card, outcome string, f *form) tea.Cmd {
	agent := m.options.Agent
	var text *string
	if outcome != "" {
		text = &outcome
	}
	var steps []step
	for _, card := range cards {
		steps = append(steps, stepOf("complete", core.TaskComplete, core.TaskCompleteRequest{
			TaskID: card.ID, Agent: agent, Outcome: text, ExpectedVersion: expected(card),
		}))
	}
	verb := "completed "
	if len(cards) == 1 && cards[0].Type == core.TypeGate {
		verb = "passed gate "
	}
	arrow := m.glyphs.arrow
	return m.act("task_complete", func(ctx context.Context, s *core.Service) (done, error) {
		results, err := perform(ctx, s, agent, steps)
		if err != nil {
			return done{}, m.meanwhile(ctx, s, cards, err)
		}
		freed := without(ready(results), cards)
		said := verb + subject(cards)
		if len(freed) > 0 {
			said += fmt.Sprintf(" %s %s %s ready", arrow, namesOf(ctx, s, freed), isAre(len(freed)))
		}
		return done{
			text: said, command: forEach(agent, cards, "complete", flags("--outcome", outcome)...),
			undo: &undoing{what: "the completion of " + subject(cards), run: reopening(agent, cards, results)}, follow: cards[0].ID, then: closing(f),
		}, nil
	}, m.refusedClose(f, cards))
}

// without are the ids that name none of the tasks.
func without(ids []string, cards []core.Card) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return hasCard(cards, id) })
}

// ready joins what steps have unblocked.
func ready(results []outcome) []string {
	seen := map[string]bool{}
	var ids []string
	for _, r := range results {
		for _, id := range r.Unblocked {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// reopening opens tasks that have just been closed again. Their claims do not
// come back.
func reopening(agent string, cards []core.Card, results []outcome) func(context.Context, *core.Service) (done, error) {
	return func(ctx context.Context, s *core.Service) (done, error) {
		var steps []step
		claims := 0
		for i, card := range cards {
			version := results[i].Version
			claims += len(card.Claims)
			steps = append(steps, stepOf("reopen", core.TaskReopen, core.TaskReopenRequest{TaskID: card.ID, Agent: agent, ExpectedVersion: &version}))
		}
		_, err := perform(ctx, s, agent, steps)
		text := "reopened " + subject(cards)
		if claims > 0 {
			text += "; its claims do not come back"
		}
		return done{text: text, command: forEach(agent, cards, "reopen")}, err
	}
}

// meanwhile says of a refusal who has changed the task since it was looked at.
func (m *model) meanwhile(ctx context.Context, s *core.Service, cards []core.Card, err error) error {
	e := core.AsError(err)
	current, changed := e.Extra("current").(core.Task)
	id := current.ID
	if !changed {
		if e.Extra("task_status") == nil && e.Code != core.CodeTaskNotResolved {
			return err
		}
		id, _ = e.Extra("value").(string)
		if e.Code == core.CodeTaskNotResolved {
			id, _ = e.Extra("task_id").(string)
		}
		result, getErr := s.TaskGet(ctx, core.TaskGetRequest{TaskID: id})
		if getErr != nil {
			return err // the refusal stands as it is
		}
		current = result.Task
	}
	for _, card := range cards {
		if card.ID == id {
			told := *e
			told.Message = idOf(card) + " changed meanwhile: " + m.whoChanged(ctx, s, current, card.Version) + "."
			return &told
		}
	}
	return err
}

// refusedClose takes the refusal of closing or reopening tasks. When a task
// has changed since it was looked at, the form shows it as it is now and asks
// again.
func (m *model) refusedClose(f *form, cards []core.Card) func(*model, *core.Error) tea.Cmd {
	if f == nil {
		return nil
	}
	return func(m *model, e *core.Error) tea.Cmd {
		f.refused(e)
		current, ok := e.Extra("current").(core.Task)
		if e.Code != core.CodeVersionConflict || !ok {
			return nil
		}
		for i := range cards {
			if cards[i].ID == current.ID {
				cards[i].Task = current
			}
		}
		f.intro = introOf(m, cards)
		f.wrong = core.NewError(e.Code, e.Message+" The dialog shows it as it is now; confirm again.")
		return nil
	}
}

// cancelDialog lists what cancelling the tasks at hand would strand, and asks.
func (m *model) cancelDialog() tea.Cmd {
	return m.consequencesOf(m.targets(), func(m *model, would core.Consequences) tea.Cmd {
		cards := would.Tasks
		g := m.glyphs
		reason := newTextField("Reason", "reason", "")
		title := "Cancel " + subject(cards)
		if len(cards) == 1 {
			title += " \"" + display.Visible(cards[0].Title) + "\""
		}
		f := &form{
			title: []span{{title + "?", warnLook}}, width: 64, yesNo: true, kind: "cancel", about: idsOf(cards),
			intro:   append(m.markedLines(), strandedLines(g, would)...),
			fields:  []field{reason},
			buttons: []string{"Cancel task", "Complete instead", "No"},
		}
		if len(cards) > 1 {
			f.buttons[0] = "Cancel tasks"
			f.intro = append(append(introOf(m, cards), nil), strandedLines(g, would)...)
		}
		f.submit = func(m *model, button int) tea.Cmd {
			if button == 1 {
				m.dismiss(f)
				return m.completeDialog()
			}
			return m.cancel(cards, reason.text(), f)
		}
		f.begin() // what is typed is the reason, and no key
		m.ask(f)
		return nil
	})
}

// strandedLines tell what would be stuck.
func strandedLines(g *glyphs, would core.Consequences) [][]span {
	const most = 6
	stuck, children := would.Stranded, 0
	for _, n := range would.Children {
		children += n
	}
	var lines [][]span
	if len(stuck) == 0 {
		lines = append(lines, []span{{"No open task waits for it.", plainText}})
	} else {
		waits := "waits"
		if len(stuck) > 1 {
			waits = "wait"
		}
		lines = append(lines, []span{{fmt.Sprintf("%s %s on it and would be STUCK:", plural(len(stuck), "task"), waits), warnLook}})
		for i, card := range stuck {
			if i == most {
				lines = append(lines, []span{{fmt.Sprintf("  and %d more", len(stuck)-most), dimText}})
				break
			}
			lines = append(lines, append([]span{{"  ", plainText}}, titled(g, card, plainText)...))
		}
		lines = append(lines, nil,
			[]span{{"A cancelled blocker never counts as done.", dimText}},
			[]span{{"To let them proceed, complete it instead.", dimText}})
	}
	if children > 0 {
		lines = append(lines, []span{{fmt.Sprintf("Open below it, and not touched: %s.", plural(children, "child task")), dimText}})
	}
	return lines
}

// cancel cancels tasks.
func (m *model) cancel(cards []core.Card, reason string, f *form) tea.Cmd {
	agent := m.options.Agent
	var text *string
	if reason != "" {
		text = &reason
	}
	var steps []step
	for _, card := range cards {
		steps = append(steps, stepOf("cancel", core.TaskCancel, core.TaskCancelRequest{
			TaskID: card.ID, Agent: agent, Reason: text, ExpectedVersion: expected(card),
		}))
	}
	return m.act("task_cancel", func(ctx context.Context, s *core.Service) (done, error) {
		results, err := perform(ctx, s, agent, steps)
		if err != nil {
			return done{}, m.meanwhile(ctx, s, cards, err)
		}
		var stuck []string
		for _, r := range results {
			stuck = append(stuck, r.Stranded...)
		}
		slices.Sort(stuck)
		stuck = without(slices.Compact(stuck), cards)
		said := "cancelled " + subject(cards)
		if len(stuck) > 0 {
			said += fmt.Sprintf("; %s %s stuck", namesOf(ctx, s, stuck), isAre(len(stuck)))
		}
		return done{
			text: said, command: forEach(agent, cards, "cancel", flags("--reason", reason)...),
			undo: &undoing{what: "the cancellation of " + subject(cards), run: reopening(agent, cards, results)}, follow: cards[0].ID, then: closing(f),
		}, nil
	}, m.refusedClose(f, cards))
}

// reopenDialog says what reopening the tasks at hand would block again.
func (m *model) reopenDialog() tea.Cmd {
	return m.consequencesOf(m.targets(), func(m *model, would core.Consequences) tea.Cmd {
		cards := would.Tasks
		g := m.glyphs
		again := "   would wait for it again"
		if len(cards) > 1 {
			again = "   would wait again"
		}
		var lines [][]span
		for _, card := range would.Blocked {
			lines = append(lines, append(titled(g, card, plainText), span{again, blockedLook}))
		}
		if len(lines) == 0 {
			lines = [][]span{{{"Nothing would be blocked by it again.", dimText}}}
		}
		f := &form{
			title: []span{{"Reopen " + subject(cards) + "?", titleLook}}, width: 64,
			yesNo: true,
			intro: append(introOf(m, cards), lines...), buttons: []string{"Reopen", "Cancel"},
		}
		f.submit = func(m *model, _ int) tea.Cmd { return m.reopen(cards, f) }
		f.begin()
		m.ask(f)
		return nil
	})
}

// reopen opens tasks again.
func (m *model) reopen(cards []core.Card, f *form) tea.Cmd {
	agent := m.options.Agent
	var steps []step
	for _, card := range cards {
		steps = append(steps, stepOf("reopen", core.TaskReopen, core.TaskReopenRequest{TaskID: card.ID, Agent: agent, ExpectedVersion: expected(card)}))
	}
	return m.act("task_reopen", func(ctx context.Context, s *core.Service) (done, error) {
		results, err := perform(ctx, s, agent, steps)
		if err != nil {
			return done{}, m.meanwhile(ctx, s, cards, err)
		}
		var blocked []string
		for _, r := range results {
			blocked = append(blocked, r.Reblocked...)
		}
		slices.Sort(blocked)
		blocked = without(slices.Compact(blocked), cards)
		said := "reopened " + subject(cards)
		if len(blocked) > 0 {
			waits := "waits"
			if len(blocked) > 1 {
				waits = "wait"
			}
			said += fmt.Sprintf("; %s %s again", namesOf(ctx, s, blocked), waits)
		}
		return done{
			text: said, command: forEach(agent, cards, "reopen"), follow: cards[0].ID, then: closing(f),
			undo: lasting("reopening "+subject(cards), m.keymap.shown("complete", m.glyphs)+" completes it again"),
		}, nil
	}, m.refusedClose(f, cards))
}
