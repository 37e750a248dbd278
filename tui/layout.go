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

// centered is a rectangle in the middle of another, cut to it.
func centered(r rect, w, h int) rect {
	w, h = min(w, r.w), min(h, r.h)
	return rect{r.x + (r.w-w)/2, r.y + (r.h-h)/2, w, h}
}

// columnsOf divides a width into n parts that differ by one cell at most, the
// wider ones first.
func columnsOf(r rect, n int) []rect {
	parts := make([]rect, n)
	x := r.x
	for i := range parts {
		w := r.w / n
		if i < r.w%n {
			w++
		}
		parts[i] = rect{x, r.y, w, r.h}
		x += w
	}
	return parts
}
