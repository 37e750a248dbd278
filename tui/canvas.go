package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"dev.lithos/core/display"
)

// rect is a rectangle of cells. The same rectangles serve for drawing and for
// telling what a click hit.
type rect struct{ x, y, w, h int }

// has reports whether a cell lies inside.
func (r rect) has(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// inner is the rectangle without a frame of one cell.
func (r rect) inner() rect { return rect{r.x + 1, r.y + 1, max(r.w-2, 0), max(r.h-2, 0)} }

// line is the row i of the rectangle.
func (r rect) line(i int) rect { return rect{r.x, r.y + i, r.w, 1} }

// empty reports whether no cell lies inside.
func (r rect) empty() bool { return r.w <= 0 || r.h <= 0 }

// cell is one place of a canvas: a character with its combining marks. The
// cell after a wide character is its second half and holds no text.
type cell struct {
	text string
	look look
}

// canvas is a frame being drawn. What lies outside it is not drawn, so a
// frame always has exactly its size, and popups are drawn over what is there.
type canvas struct {
	w, h  int
	g     *glyphs
	cells []cell
}

// newCanvas makes a blank canvas, in the memory of old where that suffices.
func newCanvas(old *canvas, g *glyphs, w, h int) *canvas {
	c := old
	if c == nil {
		c = &canvas{}
	}
	c.w, c.h, c.g = w, h, g
	if cap(c.cells) < w*h {
		c.cells = make([]cell, w*h)
	}
	c.cells = c.cells[:w*h]
	for i := range c.cells {
		c.cells[i] = blank
	}
	return c
}

var blank = cell{text: " "}

// set puts a character of the width given at a place. Half a wide character
// that would be left over turns into a space.
func (c *canvas) set(x, y int, text string, width int, l look) {
	row := c.cells[y*c.w : (y+1)*c.w]
	if row[x].text == "" { // the second half of a wide character goes
		row[x-1].text = " "
	}
	if last := x + width; last < c.w && row[last].text == "" {
		row[last].text = " "
	}
	row[x] = cell{text, l}
	for i := 1; i < width; i++ {
		row[x+i] = cell{"", l}
	}
}

// put draws text that is safe to print from a place on, at most width cells
// of it, and returns the cells it took. Nothing marks that text was cut off;
// see cut.
func (c *canvas) put(x, y, width int, text string, l look) int {
	if y < 0 || y >= c.h {
		return 0
	}
	taken := 0
	text = asDrawn(text)
	for len(text) > 0 {
		var cluster string
		cells := 1
		if text[0] < 0x80 && (len(text) == 1 || text[1] < 0x80) {
			cluster = text[:1]
		} else {
			cluster, cells = display.Character(text)
		}
		text = text[len(cluster):]
		if cells == 0 { // a mark without a character to stand on
			continue
		}
		if taken+cells > width {
			break
		}
		if at := x + taken; at >= 0 && at+cells <= c.w {
			c.set(at, y, cluster, cells, l)
		}
		taken += cells
	}
	return taken
}

// fill paints a rectangle with one character of one cell.
func (c *canvas) fill(r rect, text string, l look) {
	for y := max(r.y, 0); y < min(r.y+r.h, c.h); y++ {
		for x := max(r.x, 0); x < min(r.x+r.w, c.w); x++ {
			c.set(x, y, text, 1, l)
		}
	}
}

// tint changes the background of a rectangle and keeps what is drawn there.
func (c *canvas) tint(r rect, b back) {
	for y := max(r.y, 0); y < min(r.y+r.h, c.h); y++ {
		for x := max(r.x, 0); x < min(r.x+r.w, c.w); x++ {
			cell := &c.cells[y*c.w+x]
			cell.look = cell.look.on(b)
		}
	}
}

// text returns the frame as lines of exactly the canvas' width, styled.
func (c *canvas) text(s *styles) string {
	var out strings.Builder
	out.Grow(len(c.cells) * 2)
	for y := range c.h {
		if y > 0 {
			out.WriteByte('\n')
		}
		var now look
		wrapOff := false
		row := cellRow(c.cells[y*c.w : (y+1)*c.w])
		for x, cell := range row {
			if cell.look != now {
				// A blank shows nothing of its text colour, so it need not
				// change for it.
				if cell.text != " " || !s.sameBehind(cell.look, now) {
					out.WriteString(s.change(now, cell.look))
					now = cell.look
				}
			}
			if width := row.disputed(x); width > 0 {
				if !wrapOff {
					// What a terminal takes for wider must not go on in the next line.
					out.WriteString(ansi.ResetModeAutoWrap)
					wrapOff = true
				}
				out.WriteString(ansi.EraseCharacter(width))
				out.WriteString(cell.text)
				if x+width < c.w {
					out.WriteString(ansi.CursorHorizontalAbsolute(x + width + 1))
				}
				continue
			}
			out.WriteString(cell.text)
		}
		out.WriteString(s.change(now, look(0)))
		if wrapOff {
			out.WriteString(ansi.SetModeAutoWrap)
		}
	}
	return out.String()
}

// cellRow is one row of a canvas.
type cellRow []cell

// disputed is the width of the character at a place when terminals disagree
// about it; 0 when they agree. Where the next cell begins is said after such a
// character, so that one terminal's width does not shift the rest of the row.
func (r cellRow) disputed(x int) int {
	text := r[x].text
	if text == "" || text[0] < utf8.RuneSelf && len(text) == 1 {
		return 0
	}
	width := 1
	for x+width < len(r) && r[x+width].text == "" {
		width++
	}
	if first, n := utf8.DecodeRuneInString(text); n == len(text) && isAgreed(first, width) {
		return 0
	}
	return width
}

// isAgreed reports whether terminals agree about the width of a character
// that stands by itself: letters of the alphabets of Europe, the signs that
// the UI itself draws with, and the scripts of East Asia.
func isAgreed(r rune, width int) bool {
	switch {
	case r < 0x0300, r >= 0x0370 && r < 0x0590: // Latin, Greek, Cyrillic, Armenian
		return true
	case r >= 0x1e00 && r < 0x2000: // Latin and Greek with marks
		return true
	case r >= 0x2010 && r < 0x2c00: // signs, but for those drawn as emoji
		return width == 1
	case r >= 0x2e80 && r < 0xa4d0, r >= 0xac00 && r < 0xd7a4, r >= 0xf900 && r < 0xfb00, r >= 0xff00 && r < 0xff61:
		return true
	}
	return false
}

// plain returns the frame as lines without styles.
func (c *canvas) plain() string {
	var out strings.Builder
	for y := range c.h {
		if y > 0 {
			out.WriteByte('\n')
		}
		for _, cell := range c.cells[y*c.w : (y+1)*c.w] {
			out.WriteString(cell.text)
		}
	}
	return out.String()
}
