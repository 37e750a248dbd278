package tui

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	"dev.lithos/themes"
)

// The measures of a picture: a cell, the space around the screen, and the
// letters, whose width is six tenths of their size in most fonts.
const (
	cellWidth, cellHeight = 8, 18
	pictureMargin         = 14
	letterSize            = 13.3
	letterBase            = 13 // from the top of a cell
)

// The bits of the emulator's attributes.
const (
	boldBit    = 1 << 0
	faintBit   = 1 << 1
	italicBit  = 1 << 2
	reverseBit = 1 << 5
)

// boxLines are the halves of the lines of a cell: left, right, up and down,
// by their width; r is a round corner, d a double line.
var boxLines = map[string]string{
	"─": "11  ", "│": "  11", "╭": " r r", "╮": "r  r", "╰": " rr ", "╯": "r r ", "┌": " 1 1", "┐": "1  1", "└": " 11 ", "┘": "1 1 ",
	"├": " 111", "┤": "1 11", "┬": "11 1", "┴": "111 ", "┼": "1111", "╶": " 1  ", "╴": "1   ", "╷": "   1", "╵": "  1 ",
	"━": "22  ", "┃": "  22", "┏": " 2 2", "┓": "2  2", "┗": " 22 ", "┛": "2 2 ", "┣": " 222", "┫": "2 22", "┳": "22 2", "┻": "222 ", "╋": "2222",
	"═": "dd  ", "║": "  dd", "╔": " d d", "╗": "d  d", "╚": " dd ", "╝": "d d ", "╠": " ddd", "╣": "d dd", "╦": "dd d", "╩": "ddd ", "╬": "dddd",
}

// boxFills are the cells that are a rectangle: its width in eighths and the
// space above and below, and how much of the ink it has.
var boxFills = map[string]struct {
	eighths, inset int
	ink            string
}{"█": {8, 0, "1"}, "▓": {8, 5, ".9"}, "▒": {8, 5, ".5"}, "░": {8, 5, ".25"}, "▌": {4, 0, "1"}, "▏": {1, 1, "1"}}

// picture draws the screen as SVG. Letters are set into the cells whatever
// the font; lines are drawn, so that they meet.
func (x *terminal) picture(title string, theme themes.Theme) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.release()
	w, h := x.w*cellWidth+2*pictureMargin, x.h*cellHeight+2*pictureMargin
	var out, behind, inner, front strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n<title>%s</title>\n", w, h, w, h, escaped(title))
	fmt.Fprintf(&out, `<rect width="%d" height="%d" rx="10" fill="%s"/>`+"\n", w, h, theme.Background)
	fmt.Fprintf(&out, `<g transform="translate(%d %d)" fill="none" font-size="%v" xml:space="preserve" font-family="ui-monospace,'SF Mono','JetBrains Mono','Cascadia Mono','DejaVu Sans Mono',Menlo,Consolas,monospace">`+"\n",
		pictureMargin, pictureMargin, letterSize)
	lines := map[string]*strings.Builder{} // by their colour and width
	for y := range x.h {
		for i := 0; i < x.w; {
			cell := x.emu.CellAt(i, y)
			fore, back := hex(cell.Style.Fg, theme.Paint(themes.Text).Color), hex(cell.Style.Bg, theme.Background)
			if cell.Style.Attrs&reverseBit != 0 {
				fore, back = back, fore
			}
			alone := ownSign(cell.Content)
			text, n := cell.Content, max(cell.Width, 1)
			for ; i+n < x.w; n++ { // the cells that look the same
				next := x.emu.CellAt(i+n, y)
				same := next.Style.Equal(&cell.Style)
				if !same || alone && next.Content != cell.Content || !alone && (ownSign(next.Content) || strings.HasSuffix(text, "  ")) {
					break
				}
				text += next.Content
			}
			if back != theme.Background {
				rectangle(&behind, back, i*cellWidth, y*cellHeight, n*cellWidth, cellHeight)
			}
			if fill, ok := boxFills[cell.Content]; ok {
				for k := range n {
					rectangle(&behind, fore+`" opacity="`+fill.ink, (i+k)*cellWidth, y*cellHeight+fill.inset, fill.eighths, cellHeight-2*fill.inset)
				}
			} else if box, ok := boxLines[cell.Content]; ok {
				width := rune(strings.TrimSpace(box)[0])
				key := fmt.Sprintf(`stroke="%s" stroke-width="%v"`, fore, map[rune]float64{'1': 1.2, 'r': 1.2, '2': 2, 'd': 3.6}[width])
				if lines[key] == nil {
					lines[key] = &strings.Builder{}
				}
				boxPath(lines[key], box, width, i, y, n)
				if width == 'd' {
					boxPath(&inner, box, width, i, y, n)
				}
			} else if strings.TrimSpace(text) != "" {
				lettersOf(&front, strings.TrimRight(text, " "), fore, cell.Style.Attrs, cell.Style.Underline != 0, i, y, cell.Width)
			}
			i += n
		}
	}
	fmt.Fprintf(&out, `<g shape-rendering="crispEdges">`+"\n%s</g>\n", &behind)
	for _, key := range sortedKeys(lines) {
		fmt.Fprintf(&out, `<path %s d="%s"/>`+"\n", key, lines[key])
	}
	if inner.Len() > 0 {
		fmt.Fprintf(&out, `<path stroke="%s" stroke-width="1.4" d="%s"/>`+"\n", theme.Background, &inner)
	}
	return out.String() + front.String() + "</g>\n</svg>\n"
}

func rectangle(out *strings.Builder, fill string, x, y, w, h int) {
	fmt.Fprintf(out, `<path fill="%s" d="M%d %dh%dv%dh-%dz"/>`+"\n", fill, x, y, w, h, w)
}

// ownSign reports whether a sign stands by itself: fonts disagree about the
// width of all but the commonest.
func ownSign(s string) bool { return len(s) > 0 && s[0] >= 0x80 }

// boxPath draws the lines of n equal cells of row y from cell i on.
func boxPath(out *strings.Builder, box string, width rune, i, y, n int) {
	left, top := float64(i*cellWidth), float64(y*cellHeight)
	middle, centre := left+cellWidth/2, top+cellHeight/2
	if width == 'r' {
		side, edge := left, top
		if box[1] == 'r' {
			side += cellWidth
		}
		if box[3] == 'r' {
			edge += cellHeight
		}
		fmt.Fprintf(out, "M%v %vQ%v %v %v %v", side, centre, middle, centre, middle, edge)
		return
	}
	if box[0] == box[1] && rune(box[0]) == width {
		fmt.Fprintf(out, "M%v %vh%d", left, centre, n*cellWidth)
	}
	for k := range n {
		at := middle + float64(k*cellWidth)
		for arm, to := range [][2]float64{{-cellWidth / 2, 0}, {cellWidth / 2, 0}, {0, -cellHeight / 2}, {0, cellHeight / 2}} {
			if rune(box[arm]) == width && !(arm < 2 && box[0] == box[1]) {
				fmt.Fprintf(out, "M%v %vl%v %v", at, centre, to[0], to[1])
			}
		}
	}
}

// lettersOf writes text from cell i of row y on.
func lettersOf(out *strings.Builder, text, fore string, attrs uint8, underlined bool, i, y, width int) {
	var look string
	for _, a := range []struct {
		set  bool
		text string
	}{
		{attrs&boldBit != 0, ` font-weight="bold"`}, {attrs&faintBit != 0, ` opacity=".65"`}, {attrs&italicBit != 0, ` font-style="italic"`},
		{underlined, ` text-decoration="underline"`},
	} {
		if a.set {
			look += a.text
		}
	}
	at := y*cellHeight + letterBase
	if ownSign(text) {
		for k, sign := range []rune(text) {
			fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle" fill="%s"%s>%s</text>`+"\n", (i+k*width)*cellWidth+width*cellWidth/2, at, fore, look, escaped(string(sign)))
		}
		return
	}
	lead := len(text) - len(strings.TrimLeft(text, " "))
	text = text[lead:]
	fmt.Fprintf(out, `<text x="%d" y="%d" textLength="%d" fill="%s"%s>%s</text>`+"\n", (i+lead)*cellWidth, at, len(text)*cellWidth, fore, look, escaped(text))
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a builder takes everything
	return out.String()
}

// hex is a colour as pictures name it.
func hex(c color.Color, otherwise string) string {
	if c == nil {
		return otherwise
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
