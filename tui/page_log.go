package tui

func (p *page) renderLog(m *model, width int) {
	for _, part := range [][]pageLine{findingParts(m, p.view, width), taskNotes(m, p.view)} {
		if len(part) > 0 {
			p.lines = append(p.lines, part...)
			p.add(nil)
		}
	}
	p.addAll(activityLines(m, p.view, 0))
	if p.view.MoreEvents {
		p.add([]span{{"     lithos journal --task " + p.view.ShortID + " shows all", dimText}})
	}
}
