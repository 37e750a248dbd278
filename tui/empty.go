package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// drawEmpty is the board of a store without tasks.
func (b *board) drawEmpty(m *model, c *canvas) {
	area := rect{b.columns.x, b.columns.y, m.w, m.body().h - 1}
	inner := c.frame(area, box{title: []span{{columnNames[core.ColumnReady], titleLook}}, focus: true})
	made := ""
	if m.live.missing {
		made = "  (made on the first save)"
	}
	create := []span{{"lithos task create \"Try lithos\"", plainText}}
	lines := [][]span{
		{{"Nothing here yet.", strongText}},
		nil,
		{{display.Pad(m.keymap.shown("create", c.g), 6), keyLook}, {" add the first task", plainText}},
		{{display.Pad(m.keymap.shown("palette", c.g)+"demo", 6), keyLook}, {" load a small sample graph", plainText}},
		nil,
		{{"or from a script:", dimText}},
		append([]span{{"  ", plainText}}, create...),
		nil,
	}
	path := []span{{"database  ", dimText}, data(m.options.StorePath, plainText), {made, dimText}}
	if spansWidth(path) <= inner.w-4 {
		lines = append(lines, path)
	} else {
		lines = append(lines, path[:1], []span{{"  ", plainText}, {display.CutStart(display.Visible(m.options.StorePath), inner.w-6), plainText}})
		if made != "" {
			lines = append(lines, path[2:])
		}
	}
	left := inner.w
	for _, line := range lines {
		left = min(left, (inner.w-spansWidth(line))/2)
	}
	y := inner.y + max((inner.h-len(lines))/3, 0)
	for i, line := range lines {
		if y+i < inner.y+inner.h {
			c.spans(inner.x+max(left, 1), y+i, inner.w-max(left, 1), line...)
		}
	}
}

// drawNothing says what would fill an empty column.
func (b *board) drawNothing(m *model, c *canvas, inner rect, p *pane) {
	if !b.known {
		return
	}
	var lines [][]span
	say := func(text string, l look) {
		for _, line := range paragraph(text, inner.w-3) {
			lines = append(lines, []span{{line, l}})
		}
	}
	key := func(id, text string) []span {
		return []span{{m.keymap.shown(id, c.g), keyLook}, {" " + text, dimText}}
	}
	switch {
	case !b.filter.filter.IsEmpty():
		say("No match.", strongText)
		say(fmt.Sprintf("%d without the filter.", p.all), dimText)
		lines = append(lines, nil, key("back", "clears the filter"))
	case p.column == core.ColumnReady && b.data.Totals[core.ColumnBlocked]+b.data.Totals[core.ColumnClaimed] > 0:
		say("Nothing is ready.", strongText)
		lines = append(lines, nil)
		lines = append(lines, b.whatWouldHelp(m, inner.w-3)...)
	case p.column == core.ColumnReady:
		say("Nothing is ready, and nothing is blocked.", strongText)
		lines = append(lines, nil, key("create", "add a task"))
	case p.column == core.ColumnBlocked:
		say("Nothing is blocked.", dimText)
	case p.column == core.ColumnClaimed:
		say("Nobody has claimed anything.", dimText)
		lines = append(lines, nil, key("claim", "claims a task"))
	case p.column == core.ColumnGates:
		say("There is no open gate.", dimText)
	case p.column == core.ColumnDone:
		say("Nothing is done yet.", dimText)
	}
	y := 1
	for _, line := range lines {
		for _, piece := range wrapSpans(line, inner.w-3) {
			if y < inner.h {
				c.spans(inner.x+2, inner.y+y, inner.w-3, piece...)
			}
			y++
		}
	}
}

// whatWouldHelp names what would make something ready: gates to pass and
// tasks that people are on.
func (b *board) whatWouldHelp(m *model, width int) [][]span {
	g := m.glyphs
	var lines [][]span
	if n := b.data.Totals[core.ColumnBlocked]; n > 0 {
		are := "s are"
		if n == 1 {
			are = " is"
		}
		text := fmt.Sprintf("%d task%s blocked.", n, are)
		if len(b.panes[core.ColumnBlocked].cards) > 0 {
			text += " What holds most back:"
		}
		for _, line := range paragraph(text, width) {
			lines = append(lines, []span{{line, plainText}})
		}
		lines = append(lines, nil)
		for _, w := range b.commonWaits() {
			lines = append(lines, append([]span{{" ", plainText}}, waitTitled(g, w, m.now())...))
		}
		lines = append(lines, nil, []span{
			{m.keymap.shown("pane.blocked", g), keyLook}, {" goes to them   ", dimText},
			{m.keymap.shown("pane.gates", g), keyLook}, {" to the gates", dimText},
		})
	}
	return lines
}

// commonWaits are the first few things that hold back most of the blocked
// tasks that are loaded, and are not blocked themselves.
func (b *board) commonWaits() []core.Wait {
	const most = 3
	count := map[string]int{}
	var found []core.Wait
	for _, card := range b.panes[core.ColumnBlocked].cards {
		for _, w := range card.Waits {
			if w.Source.Held || w.Kind == core.BlockedByCycle {
				continue
			}
			if count[w.Source.ID] == 0 {
				found = append(found, w)
			}
			count[w.Source.ID]++
		}
	}
	best := []core.Wait{}
	for range min(most, len(found)) {
		top := 0
		for i, w := range found {
			if count[w.Source.ID] > count[found[top].Source.ID] {
				top = i
			}
		}
		best = append(best, found[top])
		found = append(found[:top:top], found[top+1:]...)
	}
	return best
}

// replaced reports whether the store was exchanged under the program.
func (l *liveStore) replaced() bool {
	return l.trouble != nil && l.trouble.Code == core.CodeStoreUnavailable && l.trouble.Extra("reason") == "replaced"
}

// notice is a box in the place of everything else: why the store cannot be
// read.
type notice struct {
	title string
	text  []string
	keys  [][2]string
}

// notice is the box for the trouble with the store, or nil.
func (l *liveStore) notice(m *model) *notice {
	e := l.trouble
	if e == nil || l.hidden || l.replaced() {
		return nil
	}
	n := &notice{title: "Cannot read", text: []string{display.Visible(e.Message), "", display.Visible(m.options.StorePath), string(e.Code)}}
	n.keys = [][2]string{{"r", "retry"}, {"esc", "keep looking"}, {"q", "quit"}}
	if m.board == nil || !m.board.known {
		n.keys = [][2]string{{"r", "retry"}, {"q", "quit"}}
	}
	if e.Code == core.CodeSchemaMismatch {
		n.title = "Another version"
		what := "Nothing was changed. Upgrade lithos, or point --db at another file."
		if e.Extra("direction") == "older" {
			what = "Nothing was changed. 'lithos migrate' brings it up to date and takes a backup first."
		}
		wrote := fmt.Sprintf("The store has the schema %v; this is lithos %s and knows schema %v.", e.Extra("found"), m.options.Version, e.Extra("expected"))
		n.text = []string{wrote, "", what, "", display.Visible(m.options.StorePath)}
	}
	if e.Code == core.CodeStoreUnavailable && e.Extra("reason") == "corrupt" {
		n.title = "Damaged"
		n.text = append(n.text, "", "'lithos doctor' finds the damage and says what helps.")
	}
	if commands, ok := e.Extra("commands").([]string); ok {
		n.title = "Restore interrupted"
		n.text = []string{display.Visible(e.Message)}
		for _, command := range commands {
			n.text = append(n.text, "", display.Visible(command))
		}
	}
	return n
}

func (n *notice) draw(m *model, c *canvas, screen rect) {
	width := min(screen.w-4, 62)
	var lines []string
	for _, text := range n.text {
		lines = append(lines, paragraph(text, width-6)...)
	}
	area := centered(screen, width, len(lines)+5)
	inner := c.frame(area, box{title: []span{{n.title, errorLook}}, focus: true})
	for i, line := range lines {
		if i+2 < inner.h { // the keys stand below
			c.put(inner.x+2, inner.y+1+i, inner.w-3, line, plainText)
		}
	}
	x := inner.x + 2
	for _, k := range n.keys {
		x += c.spans(x, inner.y+inner.h-1, inner.x+inner.w-x, span{k[0], keyLook}, span{" " + k[1] + "     ", hintLook})
	}
}

// noticeKey answers a key while the store cannot be read.
func (m *model) noticeKey(key string) tea.Cmd {
	switch key {
	case "r", "ctrl+r":
		return m.reconnect()
	case "esc":
		if m.board.known {
			m.live.hidden = true
		}
	case "q":
		return tea.Quit
	}
	return nil
}

// plural is a number with a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") {
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// nothingSelected says why there is no task to tell of, and where there are
// some.
func (m *model) nothingSelected(width int) [][]span {
	b := m.board
	if !b.known || m.screen() != screen(b) {
		return nil
	}
	lines := asLines(paragraph("There is no task under the cursor.", width), dimText)
	var elsewhere []span
	for c, n := range b.data.Counts {
		if n == 0 || core.Column(c) == b.focus {
			continue
		}
		elsewhere = append(elsewhere, span{m.keymap.shown(columnActions[c], m.glyphs), keyLook}, span{fmt.Sprintf(" %s %d  ", columnNames[c], n), dimText})
	}
	if len(elsewhere) > 0 {
		lines = append(lines, wrapSpans(append([]span{{"Elsewhere: ", dimText}}, elsewhere...), width)...)
	}
	return lines
}
