package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// The widths of the tree in cells.
const (
	treeStates    = 60 // width from which it says in columns how tasks stand
	treeStateCol  = 32 // of both columns
	treeStateWord = 11 // of the first of them
	treeLevel     = 3  // by which a level is indented
)

// crumbs tell where one is: ‹ Board ▸ 19ab44 ▸ Tree.
func (m *model) crumbs(g *glyphs) []span {
	spans := []span{{g.left + " ", hintLook}, {"Board", hintLook}}
	for _, s := range m.screens {
		if name := s.crumb(); name != "" {
			spans = append(append(spans, span{" " + g.crumb + " ", hintLook}), fitting([]span{{name, strongText}}, maxCrumbCells, g)...)
		}
	}
	return spans
}

// draw implements [screen].
func (t *tree) draw(m *model, c *canvas, area rect) {
	t.arrange(area)
	c.spans(area.x+1, area.y, area.w-2, m.crumbs(c.g)...)
	var bottom []span
	if t.total > 0 {
		bottom = []span{{fmt.Sprintf("%d/%d", t.cursor+1, t.total), titleLook}}
	}
	state := "off"
	if t.hideDone {
		state = "on"
	}
	done := []span{{m.keymap.shown("done.hide", c.g), keyLook}, {" hide done: " + state, hintLook}}
	title := "Tree"
	if t.finished {
		title = "Open, and all below is done"
	}
	inner := c.frame(t.area, box{title: []span{{title, titleLook}}, right: done, bottom: bottom, focus: true})
	n := spansWidth(done)
	m.hits = append(m.hits, hit{rect{t.area.x + t.area.w - 4 - n, t.area.y, n + 1, 1}, func(m *model) tea.Cmd { return m.run(actionNamed("done.hide")) }})
	if t.known && t.total == 0 {
		t.drawNothing(m, c, inner)
	}
	y := inner.y
	for at := t.top; at < t.total && y < inner.y+inner.h; at++ {
		i := at - t.first
		if i < 0 || i >= len(t.entries) {
			c.put(inner.x+2, y, inner.w, c.g.ellipsis, dimText)
			finishRow(c, rect{inner.x, y, inner.w, 1}, rowFlags{cursor: at == t.cursor})
			y++
			continue
		}
		row := t.entries[i]
		lines := t.rowLines(row.Card)
		if lines > 1 && y+lines-2 < inner.y+inner.h {
			c.put(inner.x+1, y+lines-2, inner.w-1, "no parent", titleLook)
		}
		y += lines
		if y > inner.y+inner.h {
			break
		}
		_, marked := m.marks[row.ID]
		_, fresh := t.fresh[row.ID]
		t.drawRow(m, c, rect{inner.x, y - 1, inner.w, 1}, row, rowFlags{cursor: at == t.cursor, marked: marked, fresh: fresh})
	}
	if !t.about.empty() {
		card, ok := t.selected()
		t.preview.draw(m, c, t.about, card, ok)
	}
}

// drawNothing says why the tree is empty.
func (t *tree) drawNothing(m *model, c *canvas, inner rect) {
	text := []span{{"There are no tasks yet. ", dimText}, {m.keymap.shown("create", c.g), keyLook}, {" adds the first.", dimText}}
	switch {
	case t.finished:
		text = []span{{"No open task has only done ones below it. ", dimText}, {m.keymap.shown("tree.finished", c.g), keyLook}, {" shows the tree.", dimText}}
	case t.hideDone:
		text = []span{{"Nothing is open. ", dimText}, {m.keymap.shown("done.hide", c.g), keyLook}, {" shows what is done.", dimText}}
	}
	c.spans(inner.x+2, inner.y+1, inner.w-2, text...)
}

// lines are the lines down from ancestors that there is room for, the
// innermost ones.
func (t *tree) lines(row core.TreeRow, width int) []bool {
	room := width
	if width >= treeStates {
		room -= treeStateCol
	}
	return row.Lines[max(len(row.Lines)-room/3/treeLevel, 0):]
}

// branch is what stands before a row's mark: the lines of the tree and the
// sign that tells whether it is folded.
func (t *tree) branch(g *glyphs, row core.TreeRow, width int) string {
	sign := g.leaf
	switch {
	case row.Unfolded:
		sign = g.open
	case row.Folds:
		sign = g.folded
	}
	if row.Depth == 0 {
		return sign + " "
	}
	var text strings.Builder
	lines := t.lines(row, width)
	if len(lines) < row.Depth-1 { // levels further out are not drawn, but told
		text.WriteString(display.Pad(g.ellipsis+fmt.Sprint(row.Depth), 1+treeLevel) + " ")
	} else {
		text.WriteString("  ")
	}
	for _, follows := range lines {
		if follows {
			text.WriteString(g.pipe + " ")
		} else {
			text.WriteString(repeat(" ", treeLevel))
		}
	}
	fork := []rune(g.tee)
	if row.Last {
		fork = []rune(g.elbow)
	}
	if sign == g.leaf {
		sign = string(fork[1])
	}
	text.WriteString(string(fork[0]) + sign + " ")
	return text.String()
}

// drawRow draws the row of a task.
func (t *tree) drawRow(m *model, c *canvas, r rect, row core.TreeRow, f rowFlags) {
	g, now := c.g, m.now()
	state := stateOf(row.Card)
	title := plainText
	if row.Status != core.StatusOpen {
		title = dimText
	}
	switch {
	case f.marked:
		c.put(r.x+1, r.y, 1, g.marked, keyLook)
	case f.fresh:
		c.put(r.x+1, r.y, 1, g.moved, keyLook)
	}
	name := []span{{t.branch(g, row, r.w), borderLook}, {display.Pad(g.mark(state), g.markWidth()) + " ", stateLook(state)}, {idOf(row.Card) + " ", dimText}}
	if row.Repeat {
		name = append(name, span{g.mark(display.Cycle) + " above  ", stuckLook})
	}
	name = append(name, data(row.Title, title))
	end := r.x + r.w
	if r.w >= treeStates {
		end -= treeStateCol
		word, rest := t.standing(g, row, m.options.Agent, now)
		if rest == nil {
			c.spans(end, r.y, treeStateCol-1, word...)
		} else {
			c.spans(end, r.y, treeStateWord-1, word...)
			c.spans(end+treeStateWord, r.y, treeStateCol-treeStateWord-1, rest...)
		}
		end-- // a gap
	} else if short := t.shortStanding(g, row, m.options.Agent, now); len(short) > 0 {
		end -= spansWidth(short)
		c.spans(end, r.y, spansWidth(short), short...)
		end--
	}
	below := t.count(g, row, r.w)
	room := end - r.x - 2 - spansWidth(below)
	n := c.spans(r.x+2, r.y, room, name...)
	c.spans(r.x+2+n, r.y, spansWidth(below), below...)
	finishRow(c, r, f)
}

// count is how much of what is below a task is done, for those that do not
// show it in the columns.
func (t *tree) count(g *glyphs, row core.TreeRow, width int) []span {
	if row.Progress == nil || width >= treeStates && hasBar(row.Card) {
		return nil
	}
	p := row.Progress
	spans := []span{{fmt.Sprintf(" (%d/%d", p.Completed, p.Total()), dimText}}
	if p.Cancelled > 0 {
		spans[0].text += fmt.Sprintf(" %s%d", g.mark(display.Cancelled), p.Cancelled)
	}
	spans[0].text += ")"
	return spans
}

// hasBar reports whether a row shows progress in its columns: an open epic.
func hasBar(card core.Card) bool { return card.Type == core.TypeEpic && card.Status == core.StatusOpen }

// isFinished reports whether all below an open task is closed, and something
// of it was completed: it could be completed itself.
func isFinished(card core.Card) bool {
	return card.Status == core.StatusOpen && card.Progress != nil && card.Progress.Open == 0 && card.Progress.Completed > 0
}

// standing says in two columns how a task stands; in one when the second is
// nil.
func (t *tree) standing(g *glyphs, row core.TreeRow, agent string, now core.Stamp) (word, rest []span) {
	card := row.Card
	urgency := []span{{priority(card), dimText}}
	switch {
	case card.Status != core.StatusOpen:
		text := "done"
		if card.Status == core.StatusCancelled {
			text = "cancelled"
		}
		if card.ResolvedAt != nil {
			text += " " + display.Age(*card.ResolvedAt, now)
		}
		return []span{{text, dimText}}, nil
	case hasBar(card):
		bar := progressSpans(g, card.Progress)
		if isFinished(card) {
			bar = append(bar, span{" all done", okLook})
		}
		return bar, nil
	case card.Type == core.TypeGate:
		return []span{{gateName(card), gateLook}}, gateWait(card, now)
	case len(card.Claims) > 0:
		claim := card.Claims[0]
		left := span{untilText(claim.ExpiresAt, now) + " left", dimText}
		if claim.Agent == agent && claim.ExpiresAt-now < soonEnds {
			left.look, left.text = warnLook, left.text+" !"
		}
		if more := len(card.Claims) - 1; more > 0 {
			left.text += fmt.Sprintf(" +%d", more)
		}
		return []span{data(claim.Agent, claimedLook)}, []span{left}
	case card.WaitCount > 0:
		return waitStanding(g, card, now)
	}
	return []span{{display.Ready.Word(), readyLook}}, urgency
}

// waitStanding says in two columns what holds a task back.
func waitStanding(g *glyphs, card core.Card, now core.Stamp) (word, rest []span) {
	group := waitGroups(card)[0]
	first := group.waits[0]
	id := idOf(first.Source)
	more := card.WaitCount - 1
	switch first.Kind {
	case core.BlockedForGood:
		what := "cancelled"
		if first.Missing {
			what = "missing"
		}
		return []span{{g.mark(display.Cancelled) + " " + id, stuckLook}}, []span{{what, stuckLook}, {andMore(more), dimText}}
	case core.BlockedByCycle:
		return []span{{g.mark(display.Cycle) + " cycle", stuckLook}}, []span{{"with " + id, plainText}, {andMore(more), dimText}}
	case core.BlockedByGate:
		return []span{{g.mark(display.Gate) + " " + id, gateLook}}, append(gateWait(first.Source, now), span{andMore(more), dimText})
	}
	if card.WaitCount == 1 {
		return []span{{g.mark(display.Waits) + " " + id, blockedLook}}, []span{data(first.Source.Title, dimText)}
	}
	names := make([]string, len(group.waits))
	for i, w := range group.waits {
		names[i] = idOf(w.Source)
	}
	return []span{{fmt.Sprintf("%s %d tasks", g.mark(display.Waits), card.WaitCount), blockedLook}}, []span{{strings.Join(names, " "), dimText}}
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" +%d", n)
}

// shortStanding is what stands at the right of a row where there is little
// room; the mark says the rest.
func (t *tree) shortStanding(g *glyphs, row core.TreeRow, agent string, now core.Stamp) []span {
	card := row.Card
	switch {
	case card.Status != core.StatusOpen:
		return nil
	case isFinished(card):
		return []span{{"all done", okLook}}
	case len(card.Claims) > 0:
		_, rest := t.standing(g, row, agent, now)
		return []span{{strings.Replace(rest[0].text, " left", "", 1), rest[0].look}}
	case card.OpensAt() != nil:
		return []span{{untilText(*card.OpensAt(), now), dimText}}
	}
	return []span{{priority(card), dimText}}
}
