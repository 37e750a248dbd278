package tui

import (
	"dev.lithos/core"
)

// renderTree draws where the task stands in the hierarchy.
func (p *page) renderTree(m *model) {
	g, v := m.glyphs, p.view
	indent := ""
	for i := len(v.Parents) - 1; i >= 0; i-- {
		parent := v.Parents[i]
		line := append([]span{{indent, borderLook}}, titled(g, parent, plainText)...)
		line = append(append(line, span{"  ", plainText}), progressSpans(g, parent.Progress)...)
		p.addCard(line, parent)
		indent += "  "
	}
	line := append([]span{{indent, borderLook}}, titled(g, v.Card, strongText)...)
	line = append(line, span{"  ", plainText})
	p.add(append(line, progressSpans(g, v.Progress)...))
	for i, child := range v.Children {
		branch := g.tee
		if i == len(v.Children)-1 {
			branch = g.elbow
		}
		line := append([]span{{indent + branch + " ", borderLook}}, titled(g, child, plainText)...)
		if child.Progress != nil {
			line = append(append(line, span{"  ", plainText}), progressSpans(g, child.Progress)...)
		} else {
			line = append(line, span{"  " + stateOf(child).Word(), stateLook(stateOf(child))})
		}
		p.addCard(line, child)
	}
	for _, relation := range []struct {
		name  string
		cards []core.Card
	}{{"Discovered from", v.Sources}, {"Discovered while on it", v.Spawned}} {
		if len(relation.cards) == 0 {
			continue
		}
		p.add(nil)
		p.add(heading(relation.name))
		for _, card := range relation.cards {
			p.addCard(append([]span{{"  ", plainText}}, titled(g, card, plainText)...), card)
		}
	}
}
