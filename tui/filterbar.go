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
		return nil
	case "up", "down":
		f.recall(k.String() == "up")
	case "tab":
		f.complete()
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

// complete finishes the term before the cursor where it is the beginning of a
// key or of a value that is known.
func (f *filterBar) complete() {
	text := f.editor.text()
	begin := strings.LastIndex(text, " ") + 1
	term := strings.TrimPrefix(text[begin:], "-")
	key, value, hasValue := strings.Cut(term, ":")
	var choices []string
	switch {
	case !hasValue:
		for _, k := range append(slices.Clone(core.FilterKeys), sortedKeys(core.FilterAliases)...) {
			choices = append(choices, k+":")
		}
		value = key
	case key == "is":
		choices = core.FilterStates
	case key == "kind":
		choices = []string{string(core.TypeTask), string(core.TypeEpic), string(core.TypeGate)}
	}
	if value == "" && !hasValue {
		return
	}
	for _, choice := range choices {
		if rest, ok := strings.CutPrefix(choice, value); ok && rest != "" {
			f.editor.setText(text + rest)
			return
		}
	}
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
	h := 5
	if area.h < 16 {
		h = 3
	}
	r := rect{area.x, area.y + area.h - h, area.w, h}
	inner := c.frame(r, box{
		title: title, focus: true,
		bottom: []span{{c.g.enter, keyLook}, {" keep " + c.g.bullet + " ", hintLook}, {"esc", keyLook}, {" clear", hintLook}},
	})
	c.put(inner.x+1, inner.y, 1, "/", keyLook)
	f.editor.draw(c, rect{inner.x + 3, inner.y, inner.w - 4, 1}, true, plainText)
	if f.wrong != nil && inner.h < 3 {
		room := max(inner.w-4-cells(f.editor.text())-3, 0)
		c.cut(inner.x+inner.w-1-room, inner.y, room, f.fault(), errorLook)
	}
	if inner.h < 3 {
		return
	}
	dot := " " + c.g.bullet + " "
	below := rect{inner.x + 1, inner.y + 1, inner.w - 2, 1}
	switch {
	case f.wrong != nil:
		drawLines(c, rect{below.x, below.y, below.w, 2}, asLines(paragraph(f.fault(), below.w), errorLook), 0)
	case f.filter.IsEmpty():
		c.cut(below.x, below.y, below.w, "words: title, tag, id, epic"+dot+"p:1 (priority) tag: by: agent: kind: epic: project:", dimText)
		c.cut(below.x, below.y+1, below.w, "is:ready is:blocked is:stuck is:mine"+dot+"-x excludes"+dot+"up: history"+dot+"tab completes", dimText)
	default:
		c.cut(below.x, below.y, below.w, "means "+display.Visible(strings.Join(f.filter.Meaning(), ", ")), plainText)
		if epics := f.epicSpans(c.g, b); epics != nil {
			c.spans(below.x, below.y+1, below.w, epics...)
		} else {
			c.cut(below.x, below.y+1, below.w, "p: priority"+dot+"tag: by: agent: kind: epic: project: is:"+dot+"-x excludes"+dot+"tab completes", dimText)
		}
	}
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
