package tui

// The sizes at which the UI changes its form, in cells.
const (
	minWidth, minHeight = 40, 12
	twoColumns          = 72  // and the preview below
	threeColumns        = 120 // and the detail at the right
	fiveColumns         = 170
	previewRows         = 20 // height from which there is a preview below
	previewHeight       = 5
	detailWidth         = 40
)

// body is the rectangle of the screen: below the header, above the line of
// messages and the footer.
func (m *model) body() rect { return rect{0, 1, m.w, m.h - 3} }

// messageLine and footerLine are the last two lines.
func (m *model) messageLine() rect { return rect{0, m.h - 2, m.w, 1} }

func (m *model) footerLine() rect { return rect{0, m.h - 1, m.w, 1} }

// centered is a rectangle in the middle of another, cut to it; see boxWidth.
func centered(r rect, w, h int) rect {
	w, h = boxWidth(r.w, w), min(h, r.h)
	return rect{r.x + (r.w-w)/2, r.y + (r.h-h)/2, w, h}
}

// boxWidth is the width of a box over the screen that wants to be so wide. It
// takes the whole width where hardly anything would be left beside it: a strip
// of the frames behind it reads as a second frame.
func boxWidth(screen, want int) int {
	const leastStrip, narrow, wideStrip = 2, 60, 4
	strip := leastStrip
	if screen < narrow {
		strip = wideStrip
	}
	if screen-want < 2*strip {
		return screen
	}
	return want
}
