package tui

import (
	"slices"
	"strings"

	"dev.lithos/core"
)

// errorLines are the lines that tell why the last attempt failed.
func (f *form) errorLines(g *glyphs, width int) [][]span {
	if f.wrong == nil {
		return nil
	}
	said := []span{data(f.wrong.Message, errorLook), {"  " + string(f.wrong.Code), dimText}}
	var lines [][]span
	for i, line := range wrapSpans(said, width-2) {
		sign := "  "
		if i == 0 {
			sign = g.cross + " "
		}
		lines = append(lines, append([]span{{sign, errorLook}}, line...))
	}
	return lines
}

// widest is how wide a form becomes for lines that would be broken otherwise.
const widest = 100

// grow makes the form wider where its lines are long and the screen has room.
// It never becomes narrower again, so that it stands still.
func (f *form) grow(m *model, screen int) {
	lines := f.intro
	if f.live != nil {
		lines = append(lines[:len(lines):len(lines)], f.live(m, widest)...)
	}
	for _, line := range lines {
		f.width = max(f.width, min(spansWidth(line)+6, widest, screen-16))
	}
}

// formPart is a line of a form, or one of its fields.
type formPart struct {
	spans  []span
	field  int // its index; -1 for a line
	height int
}

// parts are what a form shows above its buttons, from top to bottom, and how
// many lines that takes. tight leaves blank lines out.
func (f *form) parts(m *model, inside, label int, tight bool) (parts []formPart, height int) {
	add := func(spans []span) {
		if len(spans) == 0 && tight {
			return
		}
		parts = append(parts, formPart{spans, -1, 1})
	}
	addAll := func(lines [][]span) {
		for _, line := range lines {
			for _, piece := range wrapSpans(line, inside-1) {
				add(piece)
			}
		}
	}
	addAll(f.intro)
	if len(f.intro) > 0 {
		add(nil)
	}
	for i, field := range f.fields {
		parts = append(parts, formPart{field: i, height: field.height(inside - label)})
	}
	if f.live != nil {
		if lines := f.live(m, inside); len(lines) > 0 {
			add(nil)
			addAll(lines)
		}
	}
	for _, p := range parts {
		height += p.height
	}
	return parts, height
}

// The lines below what a form shows: the buttons and the blank lines around
// them, of which those above go first where there is little room.
const (
	formFoot      = 3
	formShortFoot = 2
	formBareFoot  = 1
)

func (f *form) draw(m *model, c *canvas, screen rect) {
	area := rect{screen.x, screen.y + 1, screen.w, screen.h - 2}
	if !f.full {
		f.grow(m, screen.w)
		area.w = boxWidth(screen.w, min(f.width, screen.w-2))
	}
	inside := area.w - 4
	label := f.labelWidth()
	errors := f.errorLines(c.g, inside)
	parts, need := f.parts(m, inside, label, false)
	foot, gap := formFoot, 1
	tail := len(errors) + foot
	if len(errors) > 0 {
		tail++
	}
	if !f.full {
		area = centered(screen, area.w, need+tail+3)
		if area.h < need+tail+3 {
			foot, gap = formShortFoot, 0
			tail = len(errors) + foot
		}
	}
	if need > area.h-2-tail {
		foot, gap = formBareFoot, 0
		tail = len(errors) + foot
		parts, need = f.parts(m, inside, label, true)
		if !f.full {
			area = centered(screen, area.w, need+tail+2)
		}
	}
	view := area.inner()
	view = rect{view.x + 1, view.y, view.w - 2, view.h}
	f.need, f.room = need, max(view.h-tail, 1)
	f.follow(parts)
	c.frame(area, box{title: f.title, focus: true, bottom: f.foot(c.g, area.w-6-f.drawHidden(c, area, parts, false))})
	f.drawHidden(c, area, parts, true)
	f.hits = f.hits[:0]
	f.drawParts(m, c, view, parts, label)

	bar := rect{view.x, view.y + view.h - max(foot-1, 1), view.w, 1}
	for i, line := range errors {
		c.spans(view.x, bar.y-gap-len(errors)+i, view.w, line...)
	}
	switch f.asking {
	case askedLeave, askedDrop:
		c.cut(bar.x, bar.y, bar.w, "Throw away what you typed?", warnLook)
	case askedQuit:
		c.cut(bar.x, bar.y, bar.w, "Quit and lose what you typed?", warnLook)
	default:
		f.drawButtons(c, bar)
	}
	if f.full {
		// The footer is the form's while it covers the screen.
		line := m.footerLine()
		c.fill(line, " ", plainText)
		c.cut(1, line.y, m.w-2, "nothing is saved until ctrl+s or "+f.buttons[0], hintLook)
	}
}

// follow scrolls until the field with the keys is on screen, unless somebody
// pages through the form.
func (f *form) follow(parts []formPart) {
	top, bottom, at := 0, 0, 0
	for _, p := range parts {
		if p.field >= 0 && p.field == f.focus {
			top, bottom = at, at+p.height
		}
		at += p.height
	}
	if !f.paging {
		f.scroll = max(min(f.scroll, top), bottom-f.room)
	}
	f.scroll = max(min(f.scroll, f.need-f.room), 0)
}

// page scrolls by what is on screen, but for a line.
func (f *form) page(by int) {
	f.paging = true
	f.scroll += by * max(f.room-1, 1) // drawing keeps it in bounds
}

// drawHidden says in the lower border that text of the form is above or below
// what is on screen, and returns the cells that takes. Fields are reached by
// going to them.
func (f *form) drawHidden(c *canvas, area rect, parts []formPart, draw bool) int {
	above, below, at := false, false, 0
	for _, p := range parts {
		if p.field < 0 && len(p.spans) > 0 {
			above = above || at < f.scroll
			below = below || at >= f.scroll+f.room
		}
		at += p.height
	}
	var text []span
	if below {
		text = append(text, span{" " + c.g.more + " ", hintLook}, span{"pgdn ", keyLook})
	}
	if above {
		text = append(text, span{" " + c.g.less + " ", hintLook}, span{"pgup ", keyLook})
	}
	if n := spansWidth(text); n > 0 {
		if draw {
			c.spans(area.x+2, area.y+area.h-1, n, text...)
		}
		return n + 1
	}
	return 0
}

// drawParts draws what a form shows above its buttons, as far as it is on
// screen.
func (f *form) drawParts(m *model, c *canvas, view rect, parts []formPart, label int) {
	lines := &clip{c: c, view: rect{view.x, view.y, view.w, f.room}}
	at := -f.scroll
	if f.need < f.room {
		at = 1
	}
	for _, p := range parts {
		if p.field < 0 {
			lines.spans(0, at, p.spans)
			at += p.height
			continue
		}
		field := f.fields[p.field]
		focus := p.field == f.focus && !f.busy
		l := hintLook
		if focus {
			l = titleLook
		}
		lines.spans(0, at, []span{{field.name(), l}})
		if focus && at >= 0 && at < f.room {
			c.put(view.x-1, view.y+at, 1, c.g.cursor, focusLook) // seen without colours as well
		}
		if at >= 0 && at < f.room {
			r := rect{view.x + label, view.y + at, view.w - label, min(p.height, f.room-at)}
			field.draw(m, c, r, focus)
			f.hits = append(f.hits, formHit{rect{view.x, r.y, view.w, r.h}, p.field})
		}
		at += p.height
	}
}

func (f *form) drawButtons(c *canvas, r rect) {
	x, pad := r.x+2, " "
	width := 2
	for _, text := range f.buttons {
		width += cells(text) + 5
	}
	if width > r.w { // closer together
		x, pad = r.x, ""
	}
	// Where that is not enough, buttons are one word, the last ones first.
	over := width - 2*len(f.buttons) - 3 - r.w // without the indent and the last gap
	names := slices.Clone(f.buttons)
	for i := len(names) - 1; i > 0 && over > 0 && pad == ""; i-- {
		short, rest, _ := strings.Cut(names[i], " ")
		names[i] = short
		if rest != "" {
			over -= cells(rest) + 1
		}
	}
	for i, text := range names {
		if i == 0 && f.wrong != nil && core.Describe(f.wrong.Code).Category == core.CategoryRetry {
			text = "Retry"
		}
		l := hintLook
		shown := " " + pad + text + pad + " "
		if f.focus == len(f.fields)+i && !f.busy {
			shown, l = "["+pad+text+pad+"]", keyLook
			c.put(x-1, r.y, 1, c.g.cursor, focusLook)
		} else if i == 0 && f.focus < len(f.fields) && !f.yesNo {
			shown = "[" + pad + text + pad + "]"
		}
		if f.busy && i == 0 {
			shown = "  saving" + c.g.ellipsis + "  "
		}
		n := c.put(x, r.y, r.x+r.w-x, shown, l)
		f.hits = append(f.hits, formHit{rect{x, r.y, n, 1}, len(f.fields) + i})
		x += n + 1
	}
}

// clip draws lines into a view and leaves out those that lie outside.
type clip struct {
	c    *canvas
	view rect
}

func (p *clip) spans(x, line int, spans []span) {
	if line >= 0 && line < p.view.h {
		p.c.spans(p.view.x+x, p.view.y+line, p.view.w-x, spans...)
	}
}
