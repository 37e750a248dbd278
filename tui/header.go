package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core/display"
)

// drawHeader draws the first line: what this is, whose, and how fresh.
func (m *model) drawHeader(c *canvas) {
	left := []span{{" ", plainText}, {"lithos", titleLook}, {"  ", plainText}, data(m.options.Name, strongText)}
	var right []span
	if m.w >= threeColumns {
		left = append(left, span{"  ", plainText}, data(m.options.StorePath, dimText))
		right = append(right, span{"agent ", dimText}, data(m.options.Agent, plainText), span{"   ", plainText})
	}
	if n := m.marked(); n > 0 {
		right = append(right, span{fmt.Sprintf("%d marked", n), keyLook}, span{"   ", plainText})
	}
	right = append(right, m.liveSpans(c.g)...)
	c.ends(rect{0, 0, m.w, 1}, left, append(right, span{" ", plainText}))
}

// liveSpans tell whether what is on screen follows the store.
func (m *model) liveSpans(g *glyphs) []span {
	switch {
	case m.live.replaced():
		return []span{{g.cross + " file changed, ", errorLook}, {"r", keyLook}, {" reload", errorLook}}
	case m.live.trouble != nil:
		return []span{{g.cross + " " + string(m.live.trouble.Code), errorLook}}
	case m.live.missing:
		return []span{{g.live + " no store yet", dimText}}
	case m.live.service == nil || m.board.slow:
		return []span{{g.ellipsis + " reading", dimText}}
	case m.writable() != "":
		return []span{{g.live + " read-only", warnLook}}
	}
	return []span{{g.live, okLook}, {" live", dimText}}
}

// tab is one of the names in the line below the header.
type tab struct {
	key, name string
	count     int // -1 for none
	active    bool
	run       func(*model) tea.Cmd
}

// drawTabs draws names with their keys; each can be clicked.
func (m *model) drawTabs(c *canvas, x, y, width int, tabs []tab) int {
	start := x
	for _, t := range tabs {
		text := t.name
		if t.key != "" {
			text = t.key + " " + text
		}
		if t.count >= 0 {
			text = fmt.Sprintf("%s %d", text, t.count)
		}
		n := cells(text) + 2
		if x+n > start+width {
			break
		}
		l, open, end := hintLook, " ", " "
		if t.active {
			l, open, end = titleLook, "[", "]"
		}
		c.spans(x, y, n, span{open, l}, span{text, l}, span{end, l})
		m.hits = append(m.hits, hit{rect{x, y, n, 1}, t.run})
		x += n
		if x < start+width {
			x++
		}
	}
	return x - start
}

// drawFooter draws the last two lines: the message and what keys do here.
func (m *model) drawFooter(c *canvas) {
	m.drawMessage(c, m.messageLine())
	line := m.footerLine()
	hints := m.hints()
	x := line.x + 1
	end := line.x + line.w - 1
	// Help and quit stand at the right.
	for i := len(hints) - 1; i >= 0; i-- {
		if h := hints[i]; h.right {
			end -= h.width(c.g) + 1
			h.draw(m, c, end+1, line.y)
			end--
		}
	}
	for _, h := range hints {
		if h.right {
			continue
		}
		if n := h.width(c.g); x+n <= end {
			h.draw(m, c, x, line.y)
			x += n + 2
		}
	}
}

// hint is a key with what it does.
type hint struct {
	key    string
	text   string
	right  bool
	dim    bool
	action *action
}

func (h hint) width(g *glyphs) int { return cells(h.key) + 1 + cells(h.text) }

func (h hint) draw(m *model, c *canvas, x, y int) {
	keys, text := keyLook, hintLook
	if h.dim {
		keys, text = dimText, dimText|faint
	}
	n := c.spans(x, y, m.w-x, span{h.key, keys}, span{" " + h.text, text})
	if a := h.action; a != nil {
		m.hits = append(m.hits, hit{rect{x, y, n, 1}, func(m *model) tea.Cmd { return m.run(a) }})
	}
}

// drawTooSmall asks for a larger terminal.
func (m *model) drawTooSmall(c *canvas) {
	text := fmt.Sprintf("too small: %d×%d needed", minWidth, minHeight)
	if c.g.ascii {
		text = fmt.Sprintf("too small: %dx%d needed", minWidth, minHeight)
	}
	text = display.Cut(text, m.w)
	c.put((m.w-cells(text))/2, m.h/2, m.w, text, plainText)
}
