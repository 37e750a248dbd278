package tui

import (
	"strings"
)

// drawSide draws, where there is room, what the section does not show.
func (p *page) drawSide(m *model, c *canvas, r rect) {
	key := m.keymap.shown("copy.id", c.g)
	inner := c.frame(r, box{title: []span{{sectionTitle(p.section), titleLook}}, right: []span{{key, keyLook}, {" copy id", hintLook}}})
	width := inner.w - 2
	v, g := p.view, c.g
	var lines [][]span
	add := func(section [][]span) {
		if len(section) > 0 && len(lines) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, section...)
	}
	if p.section != pageText {
		if v.Description != nil && strings.TrimSpace(*v.Description) != "" {
			add(markdown(beginning(*v.Description, previewText), width, g))
		}
	} else {
		add(whyLines(m, v, width))
	}
	if p.section != pageTree {
		add(childrenLines(g, v, 10))
	}
	if p.section != pageWhy {
		add(dependentLines(g, v))
	}
	if p.section != pageText {
		add(append(relationLines(m, v), metadataLines(v)...))
	}
	if p.section != pageLog {
		add(activityLines(m, v, 12))
	}
	drawLines(c, rect{inner.x + 1, inner.y, width, inner.h}, lines, 0)
}

func sectionTitle(s pageSection) string {
	if s == pageText {
		return "About"
	}
	return "Text"
}
