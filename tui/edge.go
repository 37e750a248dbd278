package tui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// addBlocker searches for what the task at hand shall wait on.
func (m *model) addBlocker() tea.Cmd {
	card := m.targets()[0]
	return m.openPicker(&picker{
		title: []span{{m.nameOf(card) + " waits on" + m.glyphs.ellipsis, titleLook}}, many: true, done: "add",
		link: core.LinkRequest{TaskID: card.ID, Type: core.EdgeBlocks, Agent: m.options.Agent, Limit: pickerLimit},
		choose: func(m *model, chosen []core.Card) tea.Cmd {
			var edges []edge
			for _, c := range chosen {
				edges = append(edges, edge{c, card, core.DependencyType(c.TaskHead), ""})
			}
			return m.blockedBy(card, chosen, edges)
		},
	})
}

// blockedBy adds edges to what a task shall wait on. Where it is part of one of
// them, the message says so.
func (m *model) blockedBy(card core.Card, chosen []core.Card, edges []edge) tea.Cmd {
	service := m.live.service
	return m.expect(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		view, err := service.TaskView(ctx, card.ID)
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.notOpened(err)
			}
			said := fmt.Sprintf("%s waits on %s", idOf(card), subject(chosen))
			for _, parent := range view.Parents {
				if hasCard(chosen, parent.ID) {
					said += fmt.Sprintf("; it is part of %s, which is usually done last", idOf(parent))
					break
				}
			}
			return m.putEdges(edges, said)
		}
	})
}

// edge is an edge between two tasks on screen.
type edge struct {
	from, to core.Card
	kind     core.EdgeType
	metadata core.Metadata
}

func (e edge) upsert(agent string) step {
	req := core.TaskEdgeUpsertRequest{FromTaskID: e.from.ID, ToTaskID: e.to.ID, Type: string(e.kind), Agent: agent}
	if e.metadata.Text() != "{}" {
		req.Metadata = &e.metadata
	}
	return stepOf("edge_upsert", core.TaskEdgeUpsert, req)
}

func (e edge) remove(agent string) step {
	return stepOf("edge_delete", core.TaskEdgeDelete, core.TaskEdgeDeleteRequest{
		FromTaskID: e.from.ID, ToTaskID: e.to.ID, Type: string(e.kind), Agent: agent,
	})
}

// upsertVerb is the command that adds an edge.
const upsertVerb = "upsert"

// command is the command line that does a verb to the edge.
func (e edge) command(agent, verb string) string {
	flags := []string{"--type", string(e.kind)}
	if verb == upsertVerb && e.metadata != "" {
		for _, m := range e.metadata.Members() {
			flags = append(flags, flagOf("--meta", m.Key+":="+string(m.Value))...)
		}
	}
	return actLine(agent, []string{"task", "edge", verb, e.from.ShortID, e.to.ShortID}, flags...)
}

// putEdges adds edges.
func (m *model) putEdges(edges []edge, said string) tea.Cmd {
	return m.changeEdges("task_edge_upsert", edges, nil, said)
}

// changeEdges adds and removes edges in one go. Taking it back does the
// reverse.
func (m *model) changeEdges(operation string, add, remove []edge, said string) tea.Cmd {
	agent := m.options.Agent
	var steps, back []step
	var lines, backLines []string
	for _, e := range remove {
		steps, lines = append(steps, e.remove(agent)), append(lines, e.command(agent, "delete"))
	}
	for _, e := range add {
		steps, lines = append(steps, e.upsert(agent)), append(lines, e.command(agent, upsertVerb))
		back, backLines = append(back, e.remove(agent)), append(backLines, e.command(agent, "delete"))
	}
	for _, e := range remove {
		back, backLines = append(back, e.upsert(agent)), append(backLines, e.command(agent, upsertVerb))
	}
	follow := ""
	switch {
	case len(add) > 0:
		follow = add[0].to.ID
	case len(remove) > 0:
		follow = remove[0].to.ID
	}
	return m.act(operation, func(ctx context.Context, s *core.Service) (done, error) {
		if _, err := perform(ctx, s, agent, steps); err != nil {
			return done{}, err
		}
		return done{
			text: said, command: inTurn(lines), follow: follow,
			undo: &undoing{what: "the change \"" + said + "\"", run: func(ctx context.Context, s *core.Service) (done, error) {
				_, err := perform(ctx, s, agent, back)
				return done{text: "took back: " + said, command: inTurn(backLines)}, err
			}},
		}, nil
	}, nil)
}

// removeBlocker asks which of the edges into the task at hand to remove.
func (m *model) removeBlocker() tea.Cmd {
	card := m.targets()[0]
	service := m.live.service
	return m.expect(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		view, err := service.TaskView(ctx, card.ID)
		var edges core.TaskEdgeListResult
		if err == nil {
			direction := string(core.DirectionIncoming)
			edges, err = service.TaskEdgeList(ctx, core.TaskEdgeListRequest{TaskID: card.ID, Direction: &direction})
		}
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.notOpened(err)
			}
			metadata := map[string]core.Metadata{}
			for _, e := range edges.Edges {
				metadata[e.FromTaskID+string(e.Type)] = e.Metadata
			}
			var list []edge
			for _, w := range view.Waits {
				if !w.Missing {
					list = append(list, edge{w.Source, view.Card, w.Edge, metadata[w.Source.ID+string(w.Edge)]})
				}
			}
			if len(list) == 0 {
				m.ahead.drop()
				return m.note(idOf(card) + " waits on nothing.")
			}
			return m.askWhichEdge(card, list)
		}
	})
}

// askWhichEdge offers the edges to remove.
func (m *model) askWhichEdge(card core.Card, list []edge) tea.Cmd {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = idOf(e.from)
	}
	which := newChoiceField("Blocker", "", names, 0)
	f := &form{
		title: []span{{"Remove a blocker of " + idOf(card) + "?", warnLook}}, width: 70,
		intro:   introOf(m, []core.Card{card}),
		fields:  []field{which},
		buttons: []string{"Remove", "Cancel"},
	}
	f.live = func(m *model, _ int) [][]span {
		e := list[which.at]
		last := fmt.Sprintf("%s would still wait on %s.", idOf(card), plural(len(list)-1, "other"))
		if len(list) == 1 {
			last = "Nothing else holds " + idOf(card) + " back: it would be ready."
			if card.Type != core.TypeTask {
				last = "Nothing else holds " + idOf(card) + " back."
			}
		}
		return [][]span{titled(m.glyphs, e.from, plainText), {{last, dimText}}}
	}
	f.submit = func(m *model, _ int) tea.Cmd {
		m.dismiss(f)
		e := list[which.at]
		return m.changeEdges("task_edge_delete", nil, []edge{e}, fmt.Sprintf("%s no longer waits on %s", idOf(card), idOf(e.from)))
	}
	f.begin()
	m.ask(f)
	return nil
}

// moveDialog searches for a new parent of the task at hand.
func (m *model) moveDialog() tea.Cmd {
	card := m.targets()[0]
	return m.openPicker(&picker{
		title: []span{{"Move " + m.nameOf(card) + " under" + m.glyphs.ellipsis, titleLook}}, done: "move",
		link: core.LinkRequest{TaskID: card.ID, Type: core.EdgeParentChild, Move: true, Agent: m.options.Agent, Limit: pickerLimit},
		choose: func(m *model, chosen []core.Card) tea.Cmd {
			return m.reparent(card, chosen[0])
		},
	})
}

// reparent gives a task another parent.
func (m *model) reparent(card, parent core.Card) tea.Cmd {
	service := m.live.service
	return m.expect(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		view, err := service.TaskView(ctx, card.ID)
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.notOpened(err)
			}
			var leave []edge
			if len(view.Parents) > 0 {
				if view.Parents[0].ID == parent.ID {
					return m.note(idOf(card) + " is under " + idOf(parent) + " already.")
				}
				leave = []edge{{view.Parents[0], card, core.EdgeParentChild, ""}}
			}
			return m.changeEdges("task_edge_upsert", []edge{{parent, card, core.EdgeParentChild, ""}}, leave,
				fmt.Sprintf("%s is under %s now", idOf(card), idOf(parent)))
		}
	})
}
