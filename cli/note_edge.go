package cli

import (
	"strconv"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// noteEdge groups the verbs of typed edges between notes.
func noteEdge() *command {
	return &command{
		name: "edge", summary: "join notes by typed edges, list what joins them",
		details: "The type is any word, such as supports or contradicts; retrieval follows edges of a weight above 0.\n" +
			"The ends need not exist yet.",
		examples: []string{"lithos note edge list --type contradicts"},
		group:    func() []*command { return []*command{noteEdgeUpsert(), noteEdgeList()} },
	}
}

func noteEdgeUpsert() *command {
	return &command{
		name: "upsert", operation: core.EdgeUpsert,
		summary:   "assert a typed edge between two notes, or replace it",
		arguments: []argument{{name: "FROM", parameter: "from_id"}, {name: "TO", parameter: "to_id"}},
		flags: []flag{
			{name: "type", value: "TYPE", summary: "any word; required"},
			{name: "namespace", value: "NAME", summary: "where it holds; required"},
			{name: "weight", value: "NUMBER", summary: "how strong it is", fallback: "1"},
			{name: "provenance-type", value: "TEXT", summary: "where it comes from"},
			{name: "evidence", value: "JSON", summary: "an object or list that speaks for it"},
			{name: "conflict-state", value: "TEXT", summary: "how a contradiction stands"},
		},
		examples: []string{
			"lithos note edge upsert 5f0d3c2a 6a1e4d3b --type contradicts --namespace storage --weight 0.7",
		},
		run: func(c *call) error {
			request := core.EdgeUpsertRequest{
				FromID: c.argument(0), ToID: c.argument(1), Type: c.required("type"), Weight: 1, Namespace: c.required("namespace"),
				Actor: c.reader(), ProvenanceType: c.word("provenance-type"), Evidence: c.structure("evidence"), ConflictState: c.word("conflict-state"),
			}
			if weight := c.real("weight"); weight != nil {
				request.Weight = *weight
			}
			result, err := run(c, core.EdgeUpsert, request)
			if err != nil {
				return err
			}
			for _, id := range c.arguments() {
				if _, err := c.session.service().NoteView(c.ctx, id); isNoNote(err) && !c.out.json {
					c.say("lithos: There is no note '%s' yet; the edge waits for it.", core.Clip(id))
				}
			}
			return c.show(result, func(p *page) {
				if !p.terminal {
					p.fields(result.EdgeID)
					return
				}
				p.line("Joined by %s.", p.look(bold, result.EdgeID))
			})
		},
	}
}

func noteEdgeList() *command {
	return &command{
		name: "list", operation: core.EdgeList,
		summary: "list typed edges between notes",
		flags: []flag{
			{name: "from", value: "ID", parameter: "from_id", summary: "only from this note"},
			{name: "to", value: "ID", parameter: "to_id", summary: "only to this note"},
			{name: "type", value: "TYPE", summary: "only of this type"},
			{name: "namespace", value: "NAME", summary: "only of this namespace"},
		},
		examples: []string{"lithos note edge list", "lithos note edge list --type contradicts"},
		run: func(c *call) error {
			result, err := run(c, core.EdgeList, core.EdgeListRequest{
				FromID: c.word("from"), ToID: c.word("to"), Type: c.word("type"), Namespace: c.word("namespace"),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.noteEdges(result.Results) })
		},
	}
}

// noteEdges writes typed edges as a table.
func (p *page) noteEdges(edges []core.NoteEdge) {
	if p.terminal && len(edges) == 0 {
		p.line("There are no edges.")
		return
	}
	cards := map[string]core.NoteCard{}
	if p.terminal {
		var ids []string
		for _, e := range edges {
			ids = append(ids, e.From, e.To)
		}
		cards = p.noteCards(ids)
	}
	end := func(id string) string {
		card := cards[id]
		if card.Title == "" {
			return p.noteID(card)
		}
		return p.noteID(card) + " " + display.Visible(card.Title)
	}
	list := &table{columns: []column{
		{title: "EDGE", keep: true}, {title: "FROM", gives: 10, keep: true}, {title: "TYPE", gives: 8, keep: true}, {title: "TO", gives: 10, keep: true},
		{title: "WEIGHT", right: true, drops: 3}, {title: "NAMESPACE", gives: 8, drops: 1}, {title: "STATE", gives: 8, drops: 4, keep: true}, {title: "BY", gives: 8, drops: 2},
	}}
	for _, e := range edges {
		weight := strconv.FormatFloat(float64(e.Weight), 'f', -1, 64)
		if !p.terminal {
			p.fields(e.ID, e.From, e.Type, e.To, weight, e.Namespace, text(e.ConflictState), text(e.Actor))
			continue
		}
		list.add(
			cell{text: e.ID, look: bold}, cell{text: end(e.From)}, cell{text: display.Visible(e.Type)}, cell{text: end(e.To)},
			cell{text: weight}, cell{text: display.Visible(e.Namespace), look: faint},
			cell{text: display.Visible(text(e.ConflictState))}, cell{text: display.Visible(text(e.Actor)), look: faint},
		)
	}
	if p.terminal {
		list.write(p)
	}
}

// text is what a pointer points at, "" for nil.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
