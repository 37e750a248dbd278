package tui

import ()

func (p *page) renderLog(m *model, width int) {
	if lines := findingLines(m, p.view, width); len(lines) > 0 {
		p.addAll(lines)
		p.add(nil)
	}
	p.addAll(activityLines(m, p.view, 0))
	if p.view.MoreEvents {
		p.add([]span{{"     lithos journal --task " + p.view.ShortID + " shows all", dimText}})
	}
}
