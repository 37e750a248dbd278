package tui

import (
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// renderText draws description and outcome, then the rest in brief.
func (p *page) renderText(m *model, width int) {
	g, v := m.glyphs, p.view
	if v.Description == nil || strings.TrimSpace(*v.Description) == "" {
		p.add([]span{{"No description. ", dimText}, {m.keymap.shown("edit", g), keyLook}, {" adds one.", dimText}})
	} else {
		p.addAll(markdown(*v.Description, width, g))
	}
	if v.Outcome != nil && strings.TrimSpace(*v.Outcome) != "" {
		p.add(nil)
		p.add(heading("Outcome"))
		p.addAll(markdown(*v.Outcome, width, g))
	}
	for _, part := range [][]pageLine{findingParts(m, v, width), taskNotes(m, v)} {
		if len(part) > 0 {
			p.add(nil)
			p.lines = append(p.lines, part...)
		}
	}
	p.add(nil)
	p.addAll(relationLines(m, v))
	if rest := metadataLines(v); len(rest) > 0 {
		p.addAll(rest)
	}
}

// metadataLines are the keys of the metadata that nothing else shows.
func metadataLines(v *core.TaskView) [][]span {
	var pairs []string
	for _, member := range v.Metadata.Members() {
		switch member.Key {
		case "project", "priority", "gate_type", "ready_at":
			continue
		}
		pairs = append(pairs, member.Key+"="+strings.Trim(string(member.Value), `"`))
	}
	if len(pairs) == 0 {
		return nil
	}
	return [][]span{{{display.Pad("Fields", 9), titleLook}, data(strings.Join(pairs, "  "), plainText)}}
}
