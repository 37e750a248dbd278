package cli

import (
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func noteRelated() *command {
	return &command{
		name: "related", operation: core.Related,
		summary:   "show what a note is connected with",
		arguments: []argument{noteArgument},
		flags: []flag{
			{name: "include", value: "PART", many: true, summary: "only links, provenance or edges; repeat for two of them"},
			{name: "depth", value: "N", summary: "follow links and provenance so far, 1 to 3", fallback: "1"},
			{name: "namespace", value: "NAME", summary: "only edges of this namespace"},
		},
		examples: []string{
			"lithos note related 5f0d3c2a --include links --depth 2",
			`lithos note related "$(lithos note write "Write lock" --content "See [[busy]].")"`,
		},
		run: func(c *call) error {
			result, err := run(c, core.Related, core.RelatedRequest{
				ID: c.argument(0), Include: c.list("include"), Depth: c.integer("depth"), Namespace: c.word("namespace"),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.relatedNotes(result) })
		},
	}
}

// relation is one line of what a note is connected with.
type relation struct{ how, id, title string }

// relatedNotes writes the notes around a note, grouped by how they are connected.
func (p *page) relatedNotes(r core.RelatedResult) {
	var all []relation
	add := func(how string, notes []core.RelatedNote) {
		for _, n := range notes {
			all = append(all, relation{how, n.ID, n.Title})
		}
	}
	if r.Links != nil {
		add("links to", r.Links.Outgoing)
		add("linked from", r.Links.Incoming)
	}
	if r.Provenance != nil {
		add("derived from", r.Provenance.Sources)
		add("source of", r.Provenance.Derived)
		for _, id := range r.Provenance.UnresolvedSources {
			all = append(all, relation{"derived from", id, ""})
		}
	}
	if r.Edges != nil {
		for _, edge := range r.Edges.Outgoing {
			if !edge.Mirrored || r.Provenance == nil { // else it is told already
				all = append(all, relation{edge.Type + " to", edge.To, ""})
			}
		}
		for _, edge := range r.Edges.Incoming {
			if !edge.Mirrored || r.Provenance == nil {
				all = append(all, relation{edge.Type + " from", edge.From, ""})
			}
		}
	}
	if !p.terminal {
		for _, rel := range all {
			p.fields(rel.how, rel.id, rel.title)
		}
		return
	}
	ids := []string{r.ID}
	for _, rel := range all {
		ids = append(ids, rel.id)
	}
	cards := p.noteCards(ids)
	p.line("%s", p.cut(p.noteName(cards[r.ID]), 0))
	if r.Links != nil {
		defer p.deadLinks(r.ID)
	}
	if len(all) == 0 {
		p.line("  It stands alone.")
		return
	}
	list := &table{columns: []column{{title: "HOW", keep: true, gives: 12}, {title: "ID", keep: true}, {title: "TITLE", gives: 20, keep: true}}}
	for _, rel := range all {
		card := cards[rel.id]
		title := display.Visible(card.Title)
		if card.Path == "" {
			title = "no such note"
		}
		list.add(cell{text: display.Visible(strings.ReplaceAll(rel.how, "_", " "))}, cell{text: p.noteID(card), look: bold}, cell{text: title})
	}
	p.line("")
	list.write(p)
}

// deadLinks writes the links of a note that no note answers to.
func (p *page) deadLinks(id string) {
	note, err := p.call.session.service().NoteView(p.call.ctx, id)
	if err != nil {
		p.fail(err)
		return
	}
	if len(note.Unresolved) == 0 {
		return
	}
	names := make([]string, len(note.Unresolved))
	for i, name := range note.Unresolved {
		names[i] = "[[" + display.Visible(name) + "]]"
	}
	p.line("")
	p.line("%s", display.Hanging("No note answers to "+strings.Join(names, ", ")+".", 2, p.width))
}
