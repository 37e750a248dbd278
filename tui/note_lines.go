package tui

import (
	"fmt"
	"strconv"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// noteName is a note in a line: its short id and its title; the id alone where
// there is no such note.
func noteName(card core.NoteCard, l look) []span {
	if card.ShortID == "" {
		return []span{data(card.ID, dimText), {" no such note", warnLook}}
	}
	return []span{{shortest(card.ShortID, card.ID) + " ", dimText}, data(card.Title, l)}
}

// noteStop is a line that stands for a note.
func noteStop(spans []span, card core.NoteCard) pageLine {
	line := pageLine{spans: spans}
	if card.ShortID != "" {
		line.note = card.ID
	}
	return line
}

// noteFacts is the line that tells how a note stands.
func noteFacts(m *model, v *core.NoteView) []span {
	g, n, now := m.glyphs, v.Note, m.now()
	dot := " " + g.bullet + " "
	spans := noteWords(n.Status, v.IsStale)
	if len(spans) == 0 {
		spans = []span{{n.Status, okLook}}
	}
	rest := []string{
		display.Visible(n.NoteType), fmt.Sprintf("v%d", n.Version),
		"by " + display.Visible(n.Author) + " " + display.Ago(n.CreatedAt, now),
	}
	if n.UpdatedAt > n.CreatedAt {
		rest = append(rest, "changed "+display.Ago(n.UpdatedAt, now))
	}
	if n.Confidence < 1 {
		rest = append(rest, "confidence "+strconv.FormatFloat(n.Confidence, 'g', -1, 64))
	}
	return append(spans, span{dot, dimText}, joined(dot, dimText, rest...)[0])
}

// noteLabel is how wide the names of fields of a note are.
const noteLabel = 10

// noteFields are the lines about what the front matter says; those of the
// task that the note came out of can be gone to.
func noteFields(m *model, v *core.NoteView, width int) []pageLine {
	n := v.Note
	var lines []pageLine
	row := func(name string, spans ...span) {
		for i, line := range wrapSpans(spans, max(width-noteLabel, 8)) {
			if i > 0 {
				name = ""
			}
			lines = append(lines, pageLine{spans: append([]span{{display.Pad(name, noteLabel), titleLook}}, line...)})
		}
	}
	list := func(name string, values []string) {
		if len(values) > 0 {
			row(name, data(strings.Join(values, ", "), plainText))
		}
	}
	switch {
	case v.Origin != nil:
		card := *v.Origin
		lines = append(lines, pageLine{spans: append([]span{{display.Pad("Task", noteLabel), titleLook}}, titled(m.glyphs, card, plainText)...), card: &card})
	case n.Source != nil:
		row("Task", data(*n.Source, dimText), span{" no such task", warnLook})
	}
	row("Path", data(v.Path, plainText))
	list("Tags", n.Tags)
	list("Also by", n.Contributors)
	if n.SourceURL != nil {
		row("URL", data(*n.SourceURL, plainText))
	}
	if n.ExpiresAt != nil {
		word, l := "expires ", plainText
		if v.IsStale {
			word, l = "expired ", warnLook
		}
		row("Stale", span{word + display.When(*n.ExpiresAt), l})
	}
	list("Aliases", n.Aliases)
	list("Entities", n.Entities)
	list("Replaces", n.Supersedes)
	if n.AccessScope != core.ScopeShared {
		row("Scope", data(n.AccessScope, plainText))
	}
	row("Namespace", data(v.Namespace, plainText))
	var pairs []string
	for _, field := range n.Extra {
		pairs = append(pairs, field.Key+"="+strings.Trim(string(field.Value), `"`))
	}
	if len(pairs) > 0 {
		row("Fields", data(strings.Join(pairs, "  "), plainText))
	}
	if u := v.Usage; u.Retrievals+u.Cited+u.Misleading > 0 {
		row("Use", span{fmt.Sprintf("retrieved %d, cited %d, misleading %d", u.Retrievals, u.Cited, u.Misleading), dimText})
	}
	return lines
}

// noteRelations are the lines about what the note is connected with.
func noteRelations(v *core.NoteView, g *glyphs, width int) []pageLine {
	var lines []pageLine
	begin := func(name string, n int) {
		if len(lines) > 0 {
			lines = append(lines, pageLine{})
		}
		lines = append(lines, pageLine{spans: heading(fmt.Sprintf("%s %d", name, n))})
	}
	more := func(n int) {
		if n > 0 {
			lines = append(lines, pageLine{spans: []span{{fmt.Sprintf("  and %d more", n), dimText}}})
		}
	}
	indent := span{"  ", plainText}
	for _, section := range []struct {
		name    string
		notes   core.NoteRelations
		missing []string
		looks   func(string) []span
	}{
		{"Links to", v.Links, v.Unresolved, func(name string) []span {
			return []span{data("[["+name+"]]", dimText), {" no such note", warnLook}}
		}},
		{"Linked from", v.Backlinks, nil, nil},
		{"Made from", v.Sources, v.MissingSources, func(id string) []span { return noteName(core.NoteCard{NoteHead: core.NoteHead{ID: id}}, plainText) }},
		{"Made into", v.Derived, nil, nil},
	} {
		n := len(section.notes.Notes) + section.notes.More + len(section.missing)
		if n == 0 {
			continue
		}
		begin(section.name, n)
		for _, card := range section.notes.Notes {
			lines = append(lines, noteStop(append([]span{indent}, noteName(card, plainText)...), card))
		}
		for _, name := range section.missing {
			lines = append(lines, pageLine{spans: append([]span{indent}, section.looks(name)...)})
		}
		more(section.notes.More)
	}
	if n := len(v.Edges) + v.MoreEdges; n > 0 {
		begin("Edges", n)
		for _, edge := range v.Edges {
			lines = append(lines, noteEdgeLine(edge, g))
			if edge.ConflictState != nil {
				lines = append(lines, pageLine{spans: []span{{"    ", plainText}, data(*edge.ConflictState, warnLook)}})
			}
		}
		more(v.MoreEdges)
	}
	return lines
}

// noteEdgeLine is the line of a typed edge: supports → 5f0d3c Title 0.5.
func noteEdgeLine(edge core.NoteEdgeView, g *glyphs) pageLine {
	spans := []span{{"  ", plainText}}
	arrow := g.arrow
	if !edge.Outgoing {
		arrow = g.backArrow
	}
	spans = append(spans, data(edge.Type, claimedLook), span{" " + arrow + " ", hintLook})
	spans = append(spans, noteName(edge.Other, plainText)...)
	spans = append(spans, span{"  " + strconv.FormatFloat(float64(edge.Weight), 'g', -1, 64), dimText})
	return noteStop(spans, edge.Other)
}

// noteBody is the text of a note as lines.
func noteBody(v *core.NoteView, width int, g *glyphs) [][]span {
	if strings.TrimSpace(v.Content) == "" {
		return [][]span{{{"There is no text.", dimText}}}
	}
	return markdown(v.Content, width, g)
}
