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

// begin gives the line the keys.
func (f *filterBar) begin(b *board) {
	f.active = true
	if f.filter.IsEmpty() {
		for _, p := range b.panes {
			card, _ := p.selected()
			p.before = card.ID
		}
	}
	f.editor.setText(f.filter.Text())
	f.at, f.draft = len(f.history), f.filter.Text()
}

// set applies a filter.
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
	f.filter = filter
	return m.board.load(m, false)
}

// clear takes the filter away.
func (f *filterBar) clear(m *model) tea.Cmd {
	f.active = false
	f.remember()
	f.editor.setText("")
	for _, p := range m.board.panes {
		if p.before != "" {
			p.lead = p.before // back to where the cursor was
		}
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
		for _, k := range core.FilterKeys {
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
	h := 5
	if area.h < 16 {
		h = 3
	}
	r := rect{area.x, area.y + area.h - h, area.w, h}
	inner := c.frame(r, box{
		title: []span{{"Filter", titleLook}, {fmt.Sprintf("  %d of %d", passing, all), dimText}}, focus: true,
		bottom: []span{{c.g.enter, keyLook}, {" keep " + c.g.bullet + " ", hintLook}, {"esc", keyLook}, {" clear", hintLook}},
	})
	c.put(inner.x+1, inner.y, 1, "/", keyLook)
	f.editor.draw(c, rect{inner.x + 3, inner.y, inner.w - 4, 1}, true, plainText)
	if inner.h < 3 {
		return
	}
	if f.wrong != nil {
		c.cut(inner.x+1, inner.y+1, inner.w-2, display.Visible(f.wrong.Message), errorLook)
		return
	}
	dot := " " + c.g.bullet + " "
	c.cut(inner.x+1, inner.y+1, inner.w-2, "words match title, id, tag"+dot+"p: tag: by: agent: kind: epic:"+dot+"-x excludes", dimText)
	c.cut(inner.x+1, inner.y+2, inner.w-2, "is:ready is:blocked is:stuck is:mine"+dot+"up: history"+dot+"tab completes", dimText)
}

// kept is the filter that is on while the line does not have the keys.
func (f *filterBar) kept(g *glyphs) []span {
	if f.active || f.filter.IsEmpty() {
		return nil
	}
	return []span{{"/ ", keyLook}, data(f.filter.Text(), plainText)}
}
