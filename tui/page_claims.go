package tui

import (
	"dev.lithos/core"
	"dev.lithos/core/display"
)

func (p *page) renderClaims(m *model) {
	g, v := m.glyphs, p.view
	if len(v.Claims) == 0 {
		text := []span{{"Nobody has claimed it. ", dimText}}
		if v.Status == core.StatusOpen {
			text = append(text, span{m.keymap.shown("claim", g), keyLook}, span{" claims it.", dimText})
		}
		p.add(text)
		return
	}
	for _, claim := range v.Claims {
		line := append([]span{{g.mark(display.Claimed) + " ", claimedLook}}, claimSpans(g, claim, m.options.Agent, m.now())...)
		p.add(append(line, span{"   until " + m.clockText(claim.ExpiresAt), dimText}))
	}
}
