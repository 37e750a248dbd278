package tui

import (
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// stateOf tells how a card stands.
func stateOf(card core.Card) display.State {
	return display.StateOf(card.Status, card.Type, &card.Held, len(card.Claims) > 0)
}

// stateLook is the look of the mark and word of a state.
func stateLook(s display.State) look {
	switch s {
	case display.Ready:
		return readyLook
	case display.Blocked, display.Waits:
		return blockedLook
	case display.Claimed:
		return claimedLook
	case display.Done:
		return doneLook
	case display.Cancelled, display.Cycle:
		return stuckLook
	case display.Gate:
		return gateLook
	case display.Epic:
		return epicLook
	}
	return plainText
}

// maxIDCells is how wide an id may be on screen; longer ones show their end.
// leastIDEnd is how many cells of an end are enough to tell tasks apart.
const maxIDCells, leastIDEnd = 12, 3

// shownID is a whole id as the screen shows it: of long ones what stands behind
// the name that all tasks of a project share, as in project_name-a1b2.3.
func shownID(id string) string {
	shown, room := display.Visible(id), maxIDCells
	if end := cells(shown[strings.LastIndexByte(shown, '-')+1:]); cells(shown) > room && end >= leastIDEnd {
		room = min(end+1, room)
	}
	return display.CutStart(shown, room)
}

// shortest is an id as the screen shows it: its shortest unique prefix or,
// where that is too long, the end of the whole id. Ids that are not random
// begin alike and differ at their ends.
func shortest(prefix, id string) string {
	if shown := display.Visible(prefix); prefix != "" && cells(shown) <= maxIDCells {
		return shown
	}
	return shownID(id)
}

// idOf is the id of a card as the screen shows it.
func idOf(card core.Card) string { return shortest(card.ShortID, card.ID) }

// ringOf are the ids of a ring as the screen shows them.
func ringOf(g *glyphs, prefixes, ids []string) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = shortest(prefixes[i], id)
	}
	return strings.Join(names, " "+g.arrow+" ")
}

// titled is the id and title of a card with its mark: ○ 3f9a1c Title.
func titled(g *glyphs, card core.Card, l look) []span {
	state := stateOf(card)
	return []span{
		{g.mark(state) + " ", stateLook(state)}, {idOf(card) + " ", dimText}, data(card.Title, l),
	}
}

// marked is the id of a card with its mark behind: 3f9a1c ○.
func marked(g *glyphs, card core.Card) []span {
	state := stateOf(card)
	return []span{{idOf(card) + " ", plainText}, {g.mark(state), stateLook(state)}}
}

// priority is P0 to P4, or nothing.
func priority(card core.Card) string { return display.PriorityLabel(card.Priority()) }

// joined puts a separator between pieces that are there.
func joined(separator string, l look, pieces ...string) []span {
	var there []string
	for _, p := range pieces {
		if p != "" {
			there = append(there, p)
		}
	}
	return []span{{strings.Join(there, separator), l}}
}

// rowStyle says how the rows of a column are drawn.
type rowStyle struct {
	column core.Column
	tall   bool // what else is known stands on a second line
	agent  string
	now    core.Stamp
	words  []string // to show in titles
}

// rowHeight is how many lines the row of a card takes.
func (s rowStyle) rowHeight(card core.Card) int {
	height := 1
	switch s.column {
	case core.ColumnBlocked:
		height += len(waitGroups(card))
	case core.ColumnReady:
		if s.tall {
			return 2 // tags are on the second line
		}
	case core.ColumnClaimed, core.ColumnGates:
		height++
	}
	if s.tall && tagsOf(card) != "" {
		height++
	}
	return height
}

// tagsOf are the tags of a card, safe to print; "" when it has none.
func tagsOf(card core.Card) string { return display.Visible(strings.Join(card.Tags.List(), ", ")) }

// leastTags is how many cells of tags are worth showing.
const leastTags = 4

// rowFlags say how a row stands out.
type rowFlags struct{ cursor, marked, fresh bool }

// titleIndent is where the id of a row begins: behind the cursor, the mark of
// the state and the sign of a marked row. belowIndent is where the lines under
// it do.
func titleIndent(g *glyphs) int { return g.markWidth() + 2 }

const belowIndent = 3

// drawRow draws the row of a card; r has the height of the row.
func (s rowStyle) drawRow(c *canvas, r rect, card core.Card, f rowFlags) {
	state := stateOf(card)
	right := s.right(card)
	x := r.x + titleIndent(c.g) - 1
	c.put(r.x+1, r.y, c.g.markWidth(), c.g.mark(state), stateLook(state))
	switch {
	case f.marked:
		c.put(x, r.y, 1, c.g.marked, keyLook)
	case f.fresh:
		c.put(x, r.y, 1, c.g.moved, keyLook)
	}
	x++
	end := r.x + r.w
	if n := spansWidth(right); n > 0 && n < r.w/2 {
		end -= n
		c.spans(end, r.y, n, right...)
		end--
	}
	x += c.put(x, r.y, end-x, idOf(card), dimText)
	x++
	if n := s.drawTags(c, x, r.y, end-x, card); n > 0 {
		end -= n
	}
	drawTitle(c, x, r.y, end-x, card.Title, s.words)
	indent := rect{r.x + belowIndent, r.y, r.w - belowIndent, 1}
	for i, line := range s.below(c.g, card, indent.w) {
		if i+1 < r.h {
			c.spans(indent.x, indent.y+i+1, indent.w, line...)
		}
	}
	finishRow(c, r, f)
}

// drawTags draws the tags at the right of a title where they have no line of
// their own and there is room, and returns the cells they took.
func (s rowStyle) drawTags(c *canvas, x, y, width int, card core.Card) int {
	tags := tagsOf(card)
	if tags == "" || s.tall {
		return 0
	}
	n := min(cells(tags), width-cells(display.Visible(card.Title))-2)
	if n < min(cells(tags), leastTags) {
		return 0
	}
	c.cut(x+width-n, y, n, tags, hintLook)
	return n + 1
}

// finishRow lays the cursor and marks over a row.
func finishRow(c *canvas, r rect, f rowFlags) {
	if f.marked {
		c.tint(r, backMarked)
	}
	if !f.cursor {
		return
	}
	c.tint(rect{r.x + 1, r.y, r.w - 1, r.h}, backSelected)
	for i := range r.h {
		c.put(r.x, r.y+i, 1, c.g.cursor, focusLook)
	}
}

// drawTitle draws a title and shows where words occur in it.
func drawTitle(c *canvas, x, y, width int, title string, words []string) {
	shown := display.Visible(title)
	c.cut(x, y, width, shown, plainText)
	for _, word := range words {
		for _, hit := range occurrences(shown, word) {
			from, n := cells(shown[:hit[0]]), cells(shown[hit[0]:hit[1]])
			for i := from; i < from+n && i < width; i++ {
				if at := y*c.w + x + i; x+i < c.w && y < c.h {
					c.cells[at].look |= strong | underline
				}
			}
		}
	}
}

// occurrences finds a folded word in a text, as ranges of bytes of the text.
func occurrences(text, word string) (hits [][2]int) {
	if word == "" {
		return nil
	}
	var folded strings.Builder
	var from []int // where each byte of the folded text comes from
	for at := 0; at < len(text); {
		n := nextCluster(text[at:])
		for range len(core.FoldCase(text[at : at+n])) {
			from = append(from, at)
		}
		folded.WriteString(core.FoldCase(text[at : at+n]))
		at += n
	}
	from = append(from, len(text))
	all := folded.String()
	for at := 0; ; {
		i := strings.Index(all[at:], word)
		if i < 0 {
			return hits
		}
		begin, end := at+i, at+i+len(word)
		stop := end
		for stop < len(from)-1 && from[stop] == from[end-1] {
			stop++ // the rest of the last character
		}
		hits = append(hits, [2]int{from[begin], from[stop]})
		at = end
	}
}

// right is what stands at the right of a row's first line.
func (s rowStyle) right(card core.Card) []span {
	switch s.column {
	case core.ColumnReady:
		if !s.tall {
			return joined(" ", dimText, priority(card), fmt.Sprintf("%2s", display.Age(card.CreatedAt, s.now)))
		}
	case core.ColumnBlocked:
		return joined(" ", dimText, priority(card))
	case core.ColumnDone:
		if card.ResolvedAt != nil {
			return []span{{display.Age(*card.ResolvedAt, s.now), dimText}}
		}
	}
	return nil
}

// below is what stands under a row's first line, for so many cells.
func (s rowStyle) below(g *glyphs, card core.Card, width int) [][]span {
	lines := s.standing(g, card, width)
	if tags := tagsOf(card); tags != "" && s.tall && s.column != core.ColumnReady {
		lines = append(lines, []span{{tags, hintLook}})
	}
	return lines
}

// standing tells under a row's first line how the task stands.
func (s rowStyle) standing(g *glyphs, card core.Card, width int) (lines [][]span) {
	dot := " " + g.bullet + " "
	switch s.column {
	case core.ColumnReady:
		if s.tall {
			holds := ""
			if card.Holds > 0 {
				holds = fmt.Sprintf("holds %d", card.Holds)
			}
			line := joined(dot, dimText, priority(card), display.Age(card.CreatedAt, s.now), holds)
			if tags := tagsOf(card); tags != "" {
				line = append(line, span{dot, dimText}, span{tags, hintLook})
			}
			return [][]span{line}
		}
	case core.ColumnBlocked:
		for _, group := range waitGroups(card) {
			lines = append(lines, group.line(g, s.now, s.tall))
		}
		return lines
	case core.ColumnClaimed:
		return [][]span{s.claims(g, card, width)}
	case core.ColumnGates:
		return [][]span{append(gateState(g, card, s.now), joined("", dimText, holdsText(g, card.Holds))...)}
	}
	return nil
}

// soonEnds is how long before its end a lease of one's own is shown as a
// warning, in microseconds.
const soonEnds core.Stamp = 10 * 60 * 1_000_000

// claims is who holds a task and for how long. Where there is not room for all,
// for what goes first.
func (s rowStyle) claims(g *glyphs, card core.Card, width int) []span {
	if spans := s.claimed(g, card); spansWidth(spans) <= width || len(card.Claims) > 1 {
		return spans
	}
	spans := claimSpans(g, card.Claims[0], s.agent, s.now)
	return slices.Delete(spans, 1, 3) // the aspect
}

func (s rowStyle) claimed(g *glyphs, card core.Card) []span {
	var spans []span
	for i, claim := range card.Claims {
		if i > 0 {
			spans = append(spans, span{", ", dimText})
		}
		spans = append(spans, claimSpans(g, claim, s.agent, s.now)...)
	}
	return spans
}

func claimSpans(g *glyphs, claim core.Claim, agent string, now core.Stamp) []span {
	left := leaseLeft(claim, now)
	l := dimText
	if claim.Agent == agent && claim.ExpiresAt-now < soonEnds {
		l, left = warnLook, left+" !"
	}
	dot := " " + g.bullet + " "
	return []span{data(claim.Agent, claimedLook), {dot, dimText}, data(claim.Aspect, dimText), {dot, dimText}, {left, l}}
}

// leaseLeft is how long a lease has to go. Seconds are not counted down:
// nothing on screen changes more often than once a minute by itself.
func leaseLeft(claim core.Claim, now core.Stamp) string { return untilText(claim.ExpiresAt, now) }

func untilText(at, now core.Stamp) string {
	const minute core.Stamp = 60 * 1_000_000
	if d := at - now; d > 0 && d < minute {
		return "<1m"
	}
	return display.Left(at, now)
}

func holdsText(g *glyphs, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %s holds %d", g.bullet, n)
}

// waitGroup is some of what holds a task back, of one kind, as one line
// shows it.
type waitGroup struct {
	waits []core.Wait
	more  int // how many others are not named
}

// maxWaitLines is how many lines of a row tell what holds its task back.
const maxWaitLines = 2

// waitGroups are the lines that tell what holds a card back, the worst first.
func waitGroups(card core.Card) []waitGroup {
	var stuck, gates []waitGroup
	var tasks waitGroup
	for _, w := range card.Waits {
		switch w.Kind {
		case core.BlockedForGood, core.BlockedByCycle:
			stuck = append(stuck, waitGroup{waits: []core.Wait{w}})
		case core.BlockedByGate:
			gates = append(gates, waitGroup{waits: []core.Wait{w}})
		default:
			tasks.waits = append(tasks.waits, w)
		}
	}
	tasks.more = card.WaitCount - len(card.Waits)
	groups := append(stuck, gates...)
	if len(tasks.waits) > 0 {
		groups = append(groups, tasks)
	}
	if len(groups) > maxWaitLines {
		hidden := 0
		for _, g := range groups[maxWaitLines:] {
			hidden += len(g.waits) + g.more
		}
		groups = groups[:maxWaitLines]
		groups[maxWaitLines-1].more += hidden
	}
	return groups
}

// line tells what a group is waiting for; brief leaves out what the mark says.
func (w waitGroup) line(g *glyphs, now core.Stamp, brief bool) []span {
	var spans []span
	if first := w.waits[0]; first.Kind == core.BlockedByTask {
		spans = []span{{g.mark(display.Waits), blockedLook}}
		for i, wait := range w.waits {
			gap := " "
			if i > 0 {
				gap = "  "
			}
			spans = append(append(spans, span{gap, plainText}), marked(g, wait.Source)...)
		}
	} else {
		spans = waitSpans(g, first, now)
		if brief && first.Kind == core.BlockedByGate {
			spans[1].text = strings.Replace(spans[1].text, " gate ", " ", 1)
		}
	}
	if w.more > 0 {
		spans = append(spans, span{fmt.Sprintf("  +%d", w.more), dimText})
	}
	return spans
}

// waitSpans tells about one thing that holds a task back.
func waitSpans(g *glyphs, w core.Wait, now core.Stamp) []span {
	id := idOf(w.Source)
	switch w.Kind {
	case core.BlockedForGood:
		what := " was cancelled"
		if w.Missing {
			what = " is missing"
		}
		return []span{{g.mark(display.Cancelled) + " " + id, stuckLook}, {what + " " + g.dash + " stuck", stuckLook}}
	case core.BlockedByCycle:
		return []span{{g.mark(display.Cycle) + " " + ringOf(g, w.Ring, w.RingIDs), stuckLook}}
	case core.BlockedByGate:
		return append([]span{{g.mark(display.Gate) + " ", gateLook}, {gateName(w.Source) + " gate " + id, plainText}, {" " + g.bullet + " ", dimText}},
			gateWait(w.Source, now)...)
	}
	return append([]span{{g.mark(display.Waits) + " ", blockedLook}}, marked(g, w.Source)...)
}

// gateName is the kind of a gate as people call it.
func gateName(gate core.Card) string {
	if kind := gate.GateType(); kind != "" {
		return strings.ReplaceAll(string(kind), "_", " ")
	}
	return "broken"
}

// gateWait tells how a gate stands: waiting 2d, opens in 41m.
func gateWait(gate core.Card, now core.Stamp) []span {
	if at := gate.OpensAt(); at != nil {
		if *at <= now {
			return []span{{"open since " + display.Age(*at, now), okLook}}
		}
		return []span{{"opens in " + untilText(*at, now), dimText}}
	}
	age := display.Age(gate.CreatedAt, now)
	if age == "now" {
		return []span{{"waiting", dimText}}
	}
	return []span{{"waiting " + age, dimText}}
}

// gateState is the kind of a gate, whom or what it waits for, and since when.
func gateState(g *glyphs, gate core.Card, now core.Stamp) []span {
	dot := span{" " + g.bullet + " ", dimText}
	spans := []span{{gateName(gate), gateLook}}
	if who := gateNote(gate); who != "" {
		spans = append(spans, dot, data(who, plainText))
	}
	return append(append(spans, dot), gateWait(gate, now)...)
}

// gateNote is what the metadata say besides about what a gate waits for: the
// first short text that is not read by the program.
func gateNote(gate core.Card) string {
	for _, member := range gate.Metadata.Members() {
		switch member.Key {
		case "gate_type", "ready_at", "project", "priority", "phase", "parallelizable":
			continue
		}
		if text, ok := gate.Metadata.GetString(member.Key); ok && text != "" {
			return text
		}
	}
	return ""
}
