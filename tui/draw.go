package tui

import (
	"strings"
	"unicode/utf8"

	"dev.lithos/core/display"
)

// span is a piece of a line in one look. Its text is safe to print.
type span struct {
	text string
	look look
}

// data is a span of text from the store, made safe.
func data(text string, l look) span { return span{display.Visible(text), l} }

// cells is the width of text that is safe to print.
func cells(text string) int {
	if isASCII(text) {
		return len(text)
	}
	return display.Width(asDrawn(text))
}

// spacing takes the vowel AM of Thai and Lao apart: it is a mark and a letter
// of its own, for which a cluster that holds both has no room.
var spacing = strings.NewReplacer("\u0e33", "\u0e4d\u0e32", "\u0eb3", "\u0ecd\u0eb2")

// asDrawn is text as it is drawn: no character needs more room than it is given.
func asDrawn(text string) string {
	if isASCII(text) {
		return text
	}
	return spacing.Replace(text)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// spansWidth is the width of spans in a row.
func spansWidth(spans []span) int {
	n := 0
	for _, s := range spans {
		n += cells(s.text)
	}
	return n
}

// cut draws text in at most width cells, with an ellipsis when something was
// left out, and returns the cells it took.
func (c *canvas) cut(x, y, width int, text string, l look) int {
	if width <= 0 {
		return 0
	}
	if cells(text) <= width {
		return c.put(x, y, width, text, l)
	}
	n := c.put(x, y, width-1, text, l)
	return n + c.put(x+n, y, 1, c.g.ellipsis, l)
}

// spans draws pieces one after the other in at most width cells.
func (c *canvas) spans(x, y, width int, spans ...span) int {
	taken := 0
	for i, s := range spans {
		room := width - taken
		if cells(s.text) > room || i+1 < len(spans) && cells(s.text) == room && spansWidth(spans[i+1:]) > 0 {
			// What follows does not fit, so this piece ends in the ellipsis.
			if room > 0 {
				n := c.put(x+taken, y, room-1, s.text, s.look)
				taken += n + c.put(x+taken+n, y, 1, c.g.ellipsis, s.look)
			}
			return taken
		}
		taken += c.put(x+taken, y, room, s.text, s.look)
	}
	return taken
}

// ends draws spans at the left and at the right of a line; the right ones go
// first where there is not room for all.
func (c *canvas) ends(r rect, left, right []span) {
	width := r.w
	if n := spansWidth(right); n > 0 && n < width {
		c.spans(r.x+width-n, r.y, n, right...)
		width -= n + 1
	}
	c.spans(r.x, r.y, width, left...)
}

// box is a frame with texts in its border.
type box struct {
	title  []span
	right  []span // upper border, at the right
	bottom []span // lower border, at the right
	focus  bool
}

// frame draws a frame and blanks what is inside, and returns the inside.
func (c *canvas) frame(r rect, b box) rect {
	if r.w < 2 || r.h < 2 {
		return rect{r.x, r.y, 0, 0}
	}
	f, l := c.g.thin, borderLook
	if b.focus {
		f, l = c.g.heavy, focusLook
	}
	inner := r.inner()
	c.fill(inner, " ", plainText)
	for x := r.x + 1; x < r.x+r.w-1; x++ {
		c.put(x, r.y, 1, f.h, l)
		c.put(x, r.y+r.h-1, 1, f.h, l)
	}
	for y := r.y + 1; y < r.y+r.h-1; y++ {
		c.put(r.x, y, 1, f.v, l)
		c.put(r.x+r.w-1, y, 1, f.v, l)
	}
	c.put(r.x, r.y, 1, f.tl, l)
	c.put(r.x+r.w-1, r.y, 1, f.tr, l)
	c.put(r.x, r.y+r.h-1, 1, f.bl, l)
	c.put(r.x+r.w-1, r.y+r.h-1, 1, f.br, l)
	room := r.w - 6
	if n := spansWidth(b.right); n > 0 && n <= room {
		x := r.x + r.w - 4 - n
		c.put(x, r.y, 1, " ", l)
		c.spans(x+1, r.y, n, b.right...)
		c.put(x+1+n, r.y, 1, " ", l)
		room -= n + 2
	}
	if len(b.title) > 0 && room > 0 {
		c.put(r.x+2, r.y, 1, " ", l)
		n := c.spans(r.x+3, r.y, room, b.title...)
		c.put(r.x+3+n, r.y, 1, " ", l)
	}
	if n := spansWidth(b.bottom); n > 0 && n <= r.w-6 {
		x := r.x + r.w - 4 - n
		c.put(x, r.y+r.h-1, 1, " ", l)
		c.spans(x+1, r.y+r.h-1, n, b.bottom...)
		c.put(x+1+n, r.y+r.h-1, 1, " ", l)
	}
	return inner
}

// paragraph breaks text that is safe to print into lines of a width.
func paragraph(text string, width int) []string {
	return strings.Split(display.Wrap(text, width), "\n")
}
