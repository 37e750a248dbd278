package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// named gives a field its label and parameter.
type named struct{ label, parameter string }

func (n named) name() string  { return n.label }
func (n named) param() string { return n.parameter }
func (n named) still() bool   { return false }

// textField is text being typed.
type textField struct {
	named
	*editor
	first string
	rows  int    // lines of a field of several
	after string // shown at the right
}

func newTextField(label, parameter, text string) *textField {
	return &textField{named: named{label, parameter}, editor: newEditor(text, false), first: text, rows: 1}
}

// newTextArea is a field of several lines.
func newTextArea(label, parameter, text string, rows int) *textField {
	return &textField{named: named{label, parameter}, editor: newEditor(text, true), first: text, rows: rows}
}

func (f *textField) height(int) int { return f.rows }

// breaksLines reports whether enter begins another line.
func (f *textField) breaksLines() bool { return f.multiline }

func (f *textField) changed() bool { return f.text() != f.first }

// rebase makes the text one of another stored value: what was typed stays, what
// was not touched follows.
func (f *textField) rebase(stored string) {
	touched := f.changed()
	f.first = stored
	if !touched {
		f.setText(stored)
	}
}

func (f *textField) key(_ *model, k tea.KeyMsg) (bool, tea.Cmd) { return f.editor.key(k), nil }

func (f *textField) draw(m *model, c *canvas, r rect, focus bool) {
	bar, l := c.g.thin.v, borderLook
	if focus {
		bar, l = c.g.heavy.v, focusLook
	}
	for i := range r.h {
		c.put(r.x, r.y+i, 1, bar, l)
	}
	room := r.w - 2
	if n := cells(f.after); n > 0 && n+10 < room {
		c.put(r.x+r.w-n, r.y, n, f.after, dimText)
		room -= n + 1
	}
	f.editor.draw(c, rect{r.x + 2, r.y, room, r.h}, focus, plainText)
}

// choiceField is one of several values.
type choiceField struct {
	named
	options []string
	at      int
	first   int
	// beside says something about the choice.
	beside func(m *model, at int) string
}

func newChoiceField(label, parameter string, options []string, at int) *choiceField {
	return &choiceField{named: named{label, parameter}, options: options, at: at, first: at}
}

func (f *choiceField) value() string { return f.options[f.at] }

func (f *choiceField) height(int) int { return 1 }

func (f *choiceField) changed() bool { return f.at != f.first }

func (f *choiceField) key(_ *model, k tea.KeyMsg) (bool, tea.Cmd) {
	switch k.String() {
	case "left", "h", "-":
		f.at = max(f.at-1, 0)
	case "right", "l", " ", "+":
		if k.String() == " " && f.at == len(f.options)-1 {
			f.at = -1
		}
		f.at = min(f.at+1, len(f.options)-1)
	default:
		if len(k.Runes) != 1 {
			return false, nil
		}
		// The first letter or digit of an option picks it.
		for i := range f.options {
			at := (f.at + 1 + i) % len(f.options)
			if text := strings.ToLower(f.options[at]); strings.HasPrefix(text, strings.ToLower(string(k.Runes))) ||
				strings.HasPrefix(strings.TrimPrefix(text, "p"), string(k.Runes)) {
				f.at = at
				return true, nil
			}
		}
		return false, nil
	}
	return true, nil
}

func (f *choiceField) draw(m *model, c *canvas, r rect, focus bool) {
	var spans []span
	width := 0
	for _, o := range f.options {
		width += cells(o) + 3
	}
	for i, o := range f.options {
		if width > r.w-2 && i != f.at {
			continue // only the choice itself where there is not room for all
		}
		if i == f.at {
			l := strongText
			if focus {
				l = keyLook
			}
			spans = append(spans, span{c.g.left + " ", hintLook}, span{o, l}, span{" " + c.g.right + " ", hintLook})
		} else {
			spans = append(spans, span{" " + o + "  ", dimText})
		}
	}
	if f.beside != nil {
		spans = append(spans, span{" " + f.beside(m, f.at), dimText})
	}
	c.spans(r.x, r.y, r.w, spans...)
}

// switchField is a row of things to switch on and off.
type switchField struct {
	named
	items []switchItem
	at    int
}

type switchItem struct {
	text      string
	on, first bool
}

func newSwitchField(label string, names ...string) *switchField {
	f := &switchField{named: named{label, ""}}
	for _, name := range names {
		f.items = append(f.items, switchItem{text: name, on: true, first: true})
	}
	return f
}

func (f *switchField) height(width int) int { return len(f.lines(width)) }

// lines are the things as lines of a width, none of them divided.
func (f *switchField) lines(width int) [][]int {
	lines, used := [][]int{nil}, 0
	for i, item := range f.items {
		n := cells(item.text) + switchSigns
		if used > 0 && used+n > width {
			lines, used = append(lines, nil), 0
		}
		last := len(lines) - 1
		lines[last] = append(lines[last], i)
		used += n
	}
	return lines
}

// switchSigns is the width of what stands around the name of a thing.
const switchSigns = 6

func (f *switchField) changed() bool {
	for _, item := range f.items {
		if item.on != item.first {
			return true
		}
	}
	return false
}

func (f *switchField) key(_ *model, k tea.KeyMsg) (bool, tea.Cmd) {
	switch k.String() {
	case "left", "h":
		f.at = max(f.at-1, 0)
	case "right", "l":
		f.at = min(f.at+1, len(f.items)-1)
	case " ", "x":
		f.items[f.at].on = !f.items[f.at].on
	default:
		return false, nil
	}
	return true, nil
}

func (f *switchField) draw(m *model, c *canvas, r rect, focus bool) {
	for y, line := range f.lines(r.w) {
		var spans []span
		for _, i := range line {
			item := f.items[i]
			sign := "[ ] "
			if item.on {
				sign = "[x] "
			}
			if focus && i == f.at {
				spans = append(spans, span{c.g.left, hintLook}, span{sign + item.text, keyLook}, span{c.g.right, hintLook})
				continue
			}
			spans = append(spans, span{" " + sign + item.text + " ", plainText})
		}
		if y < r.h {
			c.spans(r.x, r.y+y, r.w, spans...)
		}
	}
}

// fixedField shows something that cannot be changed here.
type fixedField struct {
	named
	spans func(m *model) []span
}

func newFixedField(label string, spans ...span) *fixedField {
	return &fixedField{named{label, ""}, func(*model) []span { return spans }}
}

func (f *fixedField) still() bool { return true }

func (f *fixedField) height(int) int { return 1 }

func (f *fixedField) changed() bool { return false }

func (f *fixedField) key(*model, tea.KeyMsg) (bool, tea.Cmd) { return false, nil }

func (f *fixedField) draw(m *model, c *canvas, r rect, _ bool) { c.spans(r.x, r.y, r.w, f.spans(m)...) }

// tasksField is a list of tasks, picked by searching.
type tasksField struct {
	named
	cards   []core.Card
	one     bool // at most one
	touched bool
	// pick opens the search; chosen takes the tasks over.
	pick func(m *model, chosen func([]core.Card)) tea.Cmd
}

func (f *tasksField) height(int) int { return 1 }

func (f *tasksField) changed() bool { return f.touched }

func (f *tasksField) key(m *model, k tea.KeyMsg) (bool, tea.Cmd) {
	switch k.String() {
	case "backspace", "delete", "x":
		if len(f.cards) > 0 {
			f.cards, f.touched = f.cards[:len(f.cards)-1], true
		}
		return true, nil
	case "/", "enter", " ":
		return true, f.pick(m, func(cards []core.Card) {
			f.touched = true
			if f.one {
				f.cards = cards[:min(len(cards), 1)]
				return
			}
			for _, card := range cards {
				if !hasCard(f.cards, card.ID) {
					f.cards = append(f.cards, card)
				}
			}
		})
	}
	return false, nil
}

func hasCard(cards []core.Card, id string) bool {
	for _, card := range cards {
		if card.ID == id {
			return true
		}
	}
	return false
}

func (f *tasksField) ids() []string {
	var ids []string
	for _, card := range f.cards {
		ids = append(ids, card.ID)
	}
	return ids
}

func (f *tasksField) draw(m *model, c *canvas, r rect, focus bool) {
	var spans []span
	for i, card := range f.cards {
		if i > 0 {
			spans = append(spans, span{", ", dimText})
		}
		if len(f.cards) == 1 {
			spans = append(spans, titled(c.g, card, plainText)...)
		} else {
			spans = append(spans, marked(c.g, card)...)
		}
	}
	if len(f.cards) == 0 {
		spans = []span{{"none", dimText}}
	}
	var right []span
	if focus {
		right = []span{{"/", keyLook}, {" pick", hintLook}}
		if len(f.cards) > 0 {
			right = append(right, span{"  " + "backspace", keyLook}, span{" removes", hintLook})
		}
	}
	c.ends(r, spans, right)
}

// splitTags reads tags separated by commas.
func splitTags(text string) []string {
	tags := []string{}
	for _, tag := range strings.Split(text, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// joinTags shows tags separated by commas.
func joinTags(tags []string) string { return strings.Join(tags, ", ") }
