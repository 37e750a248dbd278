package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// filterBar is the line in which a filter is typed. It applies to every
// column while it is typed.
type filterBar struct {
	editor  *editor
	active  bool // has the keys
	filter  core.Filter
	wrong   *core.Error // why the text is no filter
	history []string    // the newest last
	at      int         // in the history; its length while typing anew
	draft   string
	offer   filterOffer // how the last term was completed
}

func newFilterBar() *filterBar { return &filterBar{editor: newEditor("", false)} }

// fault says why the filter that is typed cannot be read, and what could stand
// there.
func (f *filterBar) fault() string {
	text := f.wrong.Message
	if allowed, ok := f.wrong.Extra("allowed").([]string); ok {
		text += " Possible: " + strings.Join(allowed, " ")
	}
	return display.Visible(text)
}

// begin gives the line the keys.
func (f *filterBar) begin(b *board) {
	f.active = true
	f.editor.setText(f.filter.Text())
	f.at, f.draft = len(f.history), f.filter.Text()
}

// set applies a filter. One that cannot be read leaves the one before.
func (f *filterBar) set(m *model, text string) tea.Cmd {
	filter, err := core.ParseFilter(text)
	if err != nil {
		f.wrong = core.AsError(err)
		return nil
	}
	f.wrong = nil
	if filter.Text() == f.filter.Text() {
		return nil
	}
	if f.filter.Text() == "" {
		for _, p := range m.board.panes {
			card, _ := p.selected()
			p.before = card.ID
		}
	}
	f.filter = filter
	return m.board.load(m, false)
}

// clear takes the filter away. The cursor stays on its task once the filter was
// kept or the cursor moved; it goes back to where it was before when the filter
// is given up while it is typed.
func (f *filterBar) clear(m *model) tea.Cmd {
	given := f.active
	f.active = false
	f.remember()
	f.editor.setText("")
	for _, p := range m.board.panes {
		if _, ok := p.selected(); p.before != "" && (given || !ok) {
			p.lead = p.before
		}
		p.before = ""
	}
	return f.set(m, "")
}

// remember puts the filter into the history.
func (f *filterBar) remember() {
	text := f.filter.Text()
	if strings.TrimSpace(text) == "" {
		return
	}
	f.history = append(slices.DeleteFunc(f.history, func(t string) bool { return t == text }), text)
}

// key answers a key while the line has the keys.
func (f *filterBar) key(m *model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		return f.clear(m)
	case "enter":
		if f.wrong != nil {
			return nil // it says why
		}
		f.active = false
		f.remember()
		m.board.arrange(m) // the columns stood still while it was typed
		return nil
	case "up", "down":
		f.recall(k.String() == "up")
	case "tab":
		return f.complete(m)
	default:
		if !f.editor.key(k) {
			return nil
		}
	}
	return f.set(m, f.editor.text())
}

// recall goes through the history.
func (f *filterBar) recall(back bool) {
	if f.at == len(f.history) {
		f.draft = f.editor.text()
	}
	if back {
		f.at = max(f.at-1, 0)
	} else {
		f.at = min(f.at+1, len(f.history))
	}
	text := f.draft
	if f.at < len(f.history) {
		text = f.history[f.at]
	}
	f.editor.setText(text)
}

// draw shows the line at the bottom of the screen while it has the keys.
func (f *filterBar) draw(m *model, c *canvas, area rect) {
	if !f.active {
		return
	}
	b := m.board
	passing, all := 0, 0
	for i := range b.data.Counts {
		passing, all = passing+b.data.Counts[i], all+b.data.Totals[i]
	}
	title := []span{{"Filter", titleLook}, {fmt.Sprintf("  %d of %d", passing, all), dimText}}
	if f.wrong != nil {
		title = []span{{"Filter", titleLook}, {"  cannot be read", errorLook}}
	} else if n := len(b.data.Epics); n > 0 && !f.filter.IsEmpty() {
		title = append(title, span{" and " + plural(n, "epic"), dimText})
	}
	h := 6
	switch {
	case area.h < 12:
		h = 4
	case area.h < 20:
		h = 5
	}
	r := rect{area.x, area.y + area.h - h, area.w, h}
	inner := c.frame(r, box{
		title: title, focus: true,
		bottom: []span{{c.g.enter, keyLook}, {" keep " + c.g.bullet + " ", hintLook}, {"esc", keyLook}, {" clear", hintLook}},
	})
	c.put(inner.x+1, inner.y, 1, "/", keyLook)
	f.editor.draw(c, rect{inner.x + 3, inner.y, inner.w - 4, 1}, true, plainText)
	below := rect{inner.x + 1, inner.y + 1, inner.w - 2, inner.h - 1}
	drawLines(c, below, f.explanation(c.g, b, below.w, below.h), 0)
}

// explanation is what stands below what is typed: why it cannot be read, what
// could complete it, what it means, or what could be typed. It has at most
// height lines.
func (f *filterBar) explanation(g *glyphs, b *board, width, height int) [][]span {
	dot := " " + g.bullet + " "
	var lines [][]span
	switch {
	case f.wrong != nil:
		return asLines(paragraph(f.fault(), width), errorLook)
	case f.filter.IsEmpty() && height == 1 && !f.isOffering():
		return [][]span{{{"p: tag: epic: by: is: -x" + dot + "tab completes", dimText}}}
	case f.filter.IsEmpty() && !f.isOffering():
		words := "words of title, tag, id, epic"
		if width < 60 {
			words = "words"
		}
		lines = asLines(phrases([]string{words, "p:1 (priority)", "tag: epic: by: agent:", "project: kind:", "is:ready"}, dot, width), dimText)
	case f.filter.IsEmpty():
	default:
		lines = asLines(paragraph("means "+display.Visible(strings.Join(f.filter.Meaning(), ", ")), width), plainText)
	}
	if len(lines) >= height && f.isOffering() {
		lines = lines[:height-1]
	}
	switch epics := f.epicSpans(g, b); {
	case f.isOffering():
		lines = append(lines, f.offer.spans(g, width))
	case epics != nil:
		lines = append(lines, epics)
	}
	return append(lines, asLines(phrases([]string{"tab completes", "-x excludes", "up: earlier filters"}, dot, width), dimText)...)
}

// phrases joins what may stand in one line, as much as fits each line; no
// phrase is divided that fits a line of its own.
func phrases(list []string, between string, width int) []string {
	var lines []string
	for _, phrase := range list {
		last := len(lines) - 1
		switch {
		case last >= 0 && cells(lines[last])+cells(between)+cells(phrase) <= width:
			lines[last] += between + phrase
		case cells(phrase) > width:
			lines = append(lines, paragraph(phrase, width)...)
		default:
			lines = append(lines, phrase)
		}
	}
	return lines
}

// epicSpans name the epics that pass the filter. They are in no column, so it
// says where they are.
func (f *filterBar) epicSpans(g *glyphs, b *board) []span {
	if f.filter.IsEmpty() || len(b.data.Epics) == 0 {
		return nil
	}
	var spans []span
	for i, epic := range b.data.Epics {
		if i > 0 {
			spans = append(spans, span{", ", dimText})
		}
		spans = append(spans, titled(g, epic, plainText)...)
	}
	return spans
}

// asLines are texts as lines in one look.
func asLines(texts []string, l look) [][]span {
	lines := make([][]span, len(texts))
	for i, text := range texts {
		lines[i] = []span{{text, l}}
	}
	return lines
}

// kept is the filter that is on while the line does not have the keys.
func (f *filterBar) kept(g *glyphs) []span {
	if f.active || f.filter.IsEmpty() {
		return nil
	}
	return []span{{"/ ", keyLook}, data(f.filter.Text(), plainText)}
}
