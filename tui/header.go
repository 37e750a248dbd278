package tui

import (
	"fmt"
	"slices"

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
	short     string // the name where there is little room; empty: its beginning
	count     int    // -1 for none
	active    bool
	bare      bool // shown as its key alone
	run       func(*model) tea.Cmd
}

// tabStyle is how much of the names is shown.
type tabStyle struct {
	short  bool // the names of others than the active tab
	margin int  // between neighbours, their own margins included
}

// tabStyles are tried in this order until all tabs fit. With the last one names
// are left out, see fitTabs.
var tabStyles = []tabStyle{{false, 3}, {true, 3}, {true, 2}}

// text is what a tab says.
func (s tabStyle) text(t tab) string {
	if t.bare {
		return t.key
	}
	name := t.name
	if s.short && !t.active && t.short != "" {
		name = t.short
	}
	text := name
	if t.key != "" {
		text = t.key + " " + name
	}
	if t.count >= 0 {
		text += " " + shortCount(t.count, s.short)
	}
	return text
}

// width is the number of cells that tabs take, with the brackets around the
// active one.
func (s tabStyle) width(tabs []tab) int {
	n := 2 + s.margin*(len(tabs)-1)
	for _, t := range tabs {
		n += cells(s.text(t))
	}
	return n
}

// fitTabs chooses how tabs are shown in so many cells. Where there is not room
// for all, the last ones are their keys alone, never the active one.
func fitTabs(tabs []tab, width int) ([]tab, tabStyle) {
	for _, s := range tabStyles {
		if s.width(tabs) <= width {
			return tabs, s
		}
	}
	style := tabStyles[len(tabStyles)-1]
	tabs = slices.Clone(tabs)
	for i := len(tabs) - 1; i >= 0 && style.width(tabs) > width; i-- {
		tabs[i].bare = !tabs[i].active && tabs[i].key != ""
	}
	return tabs, style
}

// shortCount is a number, of thousands alone where it is large.
func shortCount(n int, short bool) string {
	if short && n >= 10_000 {
		return fmt.Sprintf("%dk", n/1_000)
	}
	return fmt.Sprint(n)
}

// drawTabs draws names with their keys, as much of them as leaves room for
// all; each can be clicked. It returns the cells it took.
func (m *model) drawTabs(c *canvas, x, y, width int, tabs []tab) int {
	tabs, style := fitTabs(tabs, width)
	at := x + 1
	for _, t := range tabs {
		text := style.text(t)
		n := cells(text)
		l := hintLook
		if t.active {
			l = titleLook
			c.put(at-1, y, 1, "[", l)
			c.put(at+n, y, 1, "]", l)
		}
		c.cut(at, y, x+width-at, text, l)
		m.hits = append(m.hits, hit{rect{at - 1, y, n + 2, 1}, t.run})
		at += n + style.margin
	}
	return style.width(tabs)
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
	by := "×"
	if c.g.ascii {
		by = "x"
	}
	size := func(w, h int) string { return fmt.Sprintf("%d%s%d", w, by, h) }
	needed, present := size(minWidth, minHeight)+" needed", "this is "+size(m.w, m.h)
	lines := []string{"too small: " + needed + ", " + present}
	if cells(lines[0]) > m.w {
		lines = []string{"too small", needed, present}
	}
	if len(lines) > m.h {
		lines = []string{needed + ", " + present}
	}
	for i, line := range lines {
		line = display.Cut(line, m.w)
		c.put((m.w-cells(line))/2, (m.h-len(lines))/2+i, m.w, line, plainText)
	}
}
