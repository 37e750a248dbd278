package tui

import (
	"math"
	"slices"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// crowd is how much there is in a column.
type crowd int

// The crowds.
const (
	crowdUnread crowd = iota // not known yet
	crowdNone
	crowdOne
	crowdMany
)

// division is how three or more columns share the width of the board: by what
// is in them. It stays as it is while the columns, the width and the filter do,
// so that the columns stand still while one works. A column may outgrow it, and
// none shrinks because others come and go.
type division struct {
	columns []core.Column
	width   int
	filter  string // text of the filter that what was measured passes
	crowds  []crowd
	widths  []int
}

// leastColumnWidth is the width of the narrowest column with tasks beside
// others, with its frame, and emptyColumnWidth that of one without any.
const leastColumnWidth, emptyColumnWidth = 26, 20

// columnWeights say how columns share the width where there is not enough for
// all. Those after Blocked get lightWeight while they hold one task.
var columnWeights = [core.ColumnCount]int{5, 5, 4, 4, 4}

const lightWeight = 3

// crowd is how much there is in the column.
func (p *pane) crowd() crowd {
	switch {
	case !p.loaded:
		return crowdUnread
	case p.total == 0:
		return crowdNone
	case p.total == 1:
		return crowdOne
	}
	return crowdMany
}

// divide says how wide the columns on screen are.
func (b *board) divide(m *model, shown []core.Column, width int) []int {
	if len(shown) < 3 {
		return evenly(width, len(shown))
	}
	crowds := make([]crowd, len(shown))
	for i, c := range shown {
		crowds[i] = b.panes[c].crowd()
	}
	d := &b.division
	same := d.width == width && len(d.columns) == len(shown)
	// While a filter is typed, or what passes it is being read, nothing moves.
	still := b.filter.active || b.shownFilter != b.filter.filter.Text()
	if same && slices.Equal(d.columns, shown) && (still || d.filter == b.shownFilter && !outgrown(d.crowds, crowds)) {
		return d.widths
	}
	widths := d.widths
	if unread := slices.Contains(crowds, crowdUnread); !unread || !same {
		widths = b.share(m, shown, crowds, width)
	}
	b.division = division{slices.Clone(shown), width, b.shownFilter, crowds, widths}
	return widths
}

// outgrown reports whether a column holds more than when the width was shared.
func outgrown(before, now []crowd) bool {
	for i := range now {
		if now[i] > before[i] {
			return true
		}
	}
	return false
}

// share divides the width by what is in the columns.
func (b *board) share(m *model, shown []core.Column, crowds []crowd, width int) []int {
	widths := make([]int, len(shown))
	var full, needs, weights []int // the places of the columns that share, and what they need
	rest := width
	for i, c := range shown {
		p := b.panes[c]
		need, weight := p.need(m), columnWeights[c]
		switch {
		case crowds[i] == crowdNone && c != core.ColumnReady:
			widths[i] = emptyColumnWidth
			rest -= emptyColumnWidth
			continue
		case crowds[i] == crowdNone, crowds[i] == crowdUnread:
			need = width // Ready says what would make something ready
		case crowds[i] == crowdOne && c > core.ColumnBlocked:
			weight = lightWeight
		}
		full, needs, weights = append(full, i), append(needs, need), append(weights, weight)
	}
	for i, w := range display.Share(rest, needs, weights, leastColumnWidth) {
		widths[full[i]] = w
	}
	return widths
}

// fitShare is how many of a hundred rows a column wants to show whole; one long
// title does not take the room of all.
const fitShare = 90

// need is the width at which most rows of the column that are loaded are shown
// whole.
func (p *pane) need(m *model) int {
	style := rowStyle{column: p.column, tall: true, agent: m.options.Agent, now: m.now()}
	widths := make([]int, len(p.cards))
	for i, card := range p.cards {
		widths[i] = style.need(m.glyphs, card)
	}
	if len(widths) == 0 {
		return 0
	}
	slices.Sort(widths)
	return widths[(len(widths)*fitShare+99)/100-1] + 2 // the frame
}

// need is the number of cells that a row takes when nothing of it is cut.
func (s rowStyle) need(g *glyphs, card core.Card) int {
	n := titleIndent(g) + cells(idOf(card)) + 1 + cells(display.Visible(card.Title))
	if right := spansWidth(s.right(card)); right > 0 {
		n += right + 1
	}
	for _, line := range s.below(g, card, math.MaxInt) {
		n = max(n, belowIndent+spansWidth(line))
	}
	return n
}

// evenly divides a width into n parts that differ by one cell at most, the
// wider ones first.
func evenly(width, n int) []int {
	parts := make([]int, n)
	for i := range parts {
		parts[i] = width / n
		if i < width%n {
			parts[i]++
		}
	}
	return parts
}
