package tui

import (
	"slices"

	"dev.lithos/core"
)

// list is the window on a column: the rows around the cursor are loaded, the
// others are known by their number. The cursor follows its task.
type list struct {
	total  int // tasks of the column that pass the filter
	all    int // tasks of the column
	first  int // where cards begin in the column
	cards  []core.Card
	loaded bool

	cursor int // where the cursor stands in the column
	top    int // the first row on screen
	height int // lines on screen
	rows   func(core.Card) int

	before string                // id of the task the cursor was on before a filter; empty once it was moved
	lead   string                // id of the task the cursor shall go to with the next window
	fresh  map[string]core.Stamp // ids of rows that came lately, until when they show it
}

// card is the row at a place, if it is loaded.
func (l *list) card(at int) (core.Card, bool) {
	if i := at - l.first; i >= 0 && i < len(l.cards) {
		return l.cards[i], true
	}
	return core.Card{}, false
}

// selected is the task under the cursor, if it is loaded.
func (l *list) selected() (core.Card, bool) { return l.card(l.cursor) }

// rowHeight is how many lines the row at a place takes.
func (l *list) rowHeight(at int) int {
	if card, ok := l.card(at); ok {
		return l.rows(card)
	}
	return 1
}

// moveTo puts the cursor on a row.
func (l *list) moveTo(at int) {
	l.cursor = max(min(at, l.total-1), 0)
	l.reveal()
}

// reveal scrolls until the row of the cursor is on screen as a whole.
func (l *list) reveal() {
	l.top = max(min(l.top, l.cursor), 0)
	lines := 0
	for at := l.cursor; at >= l.top; at-- {
		lines += l.rowHeight(at)
		if lines > l.height && at < l.cursor {
			l.top = at + 1
			return
		}
	}
	// Do not leave lines empty below while rows are hidden above.
	for at := l.cursor + 1; at < l.total && lines < l.height; at++ {
		lines += l.rowHeight(at)
	}
	for l.top > 0 && lines+l.rowHeight(l.top-1) <= l.height {
		l.top--
		lines += l.rowHeight(l.top)
	}
}

// scroll moves the window by lines of the wheel and keeps the cursor on
// screen.
func (l *list) scroll(rows int) {
	l.top = max(min(l.top+rows, l.lastTop()), 0)
	if l.cursor < l.top {
		l.cursor = l.top
	}
	for l.cursor > l.top && !l.shows(l.cursor) {
		l.cursor--
	}
}

// lastTop is the first row on screen when the last row is.
func (l *list) lastTop() int {
	lines, at := 0, l.total
	for at > 0 && lines+l.rowHeight(at-1) <= l.height {
		at--
		lines += l.rowHeight(at)
	}
	return at
}

// shows reports whether a row is on screen as a whole.
func (l *list) shows(at int) bool {
	lines := 0
	for i := l.top; i <= at; i++ {
		lines += l.rowHeight(i)
	}
	return at >= l.top && lines <= l.height
}

// line is the line on screen at which a row begins.
func (l *list) line(at int) int {
	lines := 0
	for i := l.top; i < at; i++ {
		lines += l.rowHeight(i)
	}
	return lines
}

// at is the row on a line of the screen.
func (l *list) at(line int) (int, bool) {
	for i := l.top; i < l.total; i++ {
		if line -= l.rowHeight(i); line < 0 {
			return i, true
		}
	}
	return 0, false
}

// page is how many rows fit the screen, about.
func (l *list) page() int {
	n, lines := 0, 0
	for i := l.top; i < l.total && lines < l.height; i++ {
		lines += l.rowHeight(i)
		n++
	}
	return max(n, 1)
}

// margin is how many rows are loaded around those on screen.
const margin = 40

// wants reports whether rows that are, or soon will be, on screen are not
// loaded.
func (l *list) wants() bool {
	low, high := max(l.top-margin/4, 0), min(l.top+l.height+margin/4, l.total)
	return low < l.first || high > l.first+len(l.cards)
}

// request asks for the window around the cursor. follow makes the window
// follow the tasks that are loaded now: the one under the cursor or, when that
// is gone, the next that is still there.
func (l *list) request(column core.Column, sort core.Sort, follow bool) core.ColumnRequest {
	req := core.ColumnRequest{
		Column: column, Sort: sort,
		Above: l.cursor - l.top + margin,
		Limit: l.height + 2*margin + (l.cursor - l.top),
	}
	req.Offset = max(l.cursor-req.Above, 0)
	if l.lead != "" {
		req.Anchors = append(req.Anchors, l.lead)
	}
	if follow {
		if i := l.cursor - l.first; i >= 0 && i < len(l.cards) {
			for _, card := range l.cards[i:] {
				req.Anchors = append(req.Anchors, card.ID)
			}
			for j := i - 1; j >= 0; j-- {
				req.Anchors = append(req.Anchors, l.cards[j].ID)
			}
		}
	}
	return req
}

// show takes a window over. Where the request had anchors, the cursor goes to
// the task that was found and stays on its line of the screen. changed says
// that the store changed, so that rows that were not there came lately.
func (l *list) show(req core.ColumnRequest, w core.ColumnWindow, total, all int, now core.Stamp, changed bool) {
	line := l.line(l.cursor)
	if changed && l.loaded && len(req.Anchors) > 0 {
		l.noteArrivals(w, now)
	}
	led := w.Anchor == 0 && req.Anchors[0] == l.lead
	if led {
		l.lead = ""
	}
	position := w.Position
	if card, ok := l.selected(); ok && !led {
		// The cursor may have moved on since the window was asked for.
		if i := slices.IndexFunc(w.Cards, func(c core.Card) bool { return c.ID == card.ID }); i >= 0 {
			position = w.First + i
		}
	}
	l.total, l.all, l.first, l.cards, l.loaded = total, all, w.First, w.Cards, true
	if w.Anchor >= 0 {
		l.cursor = position
		l.top = l.cursor
		for above := 0; l.top > 0; l.top-- {
			if above += l.rowHeight(l.top - 1); above > line {
				break
			}
		}
	}
	l.moveTo(l.cursor)
}

// freshness is how long a row shows that it came lately, in microseconds.
const freshness core.Stamp = 1_500_000

// noteArrivals marks rows that are new among those that were loaded before.
func (l *list) noteArrivals(w core.ColumnWindow, now core.Stamp) {
	known := map[string]bool{}
	for _, card := range l.cards {
		known[card.ID] = true
	}
	l.settle(now)
	// Rows at the edges of the window may have been there before, unseen.
	first := slices.IndexFunc(w.Cards, func(c core.Card) bool { return known[c.ID] })
	for i, card := range w.Cards {
		begins := first >= 0 && i > first || w.First == 0 && l.first == 0
		ends := slices.ContainsFunc(w.Cards[i:], func(c core.Card) bool { return known[c.ID] }) ||
			l.first+len(l.cards) >= l.total
		if !known[card.ID] && begins && ends {
			if l.fresh == nil {
				l.fresh = map[string]core.Stamp{}
			}
			l.fresh[card.ID] = now + freshness
		}
	}
}

// settle forgets rows that no longer count as new.
func (l *list) settle(now core.Stamp) {
	for id, until := range l.fresh {
		if until <= now {
			delete(l.fresh, id)
		}
	}
}
