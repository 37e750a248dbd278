package tui

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// wireSigns are the signs that the lines of one type of edge are drawn with.
type wireSigns struct {
	// by the arms of a cell, see armNorth
	arms       [16]string
	head, back string // at the right and at the left end
	name       string // for the legend
}

// The directions in which a line leaves a cell.
const (
	armNorth = 1 << iota
	armEast
	armSouth
	armWest
)

// signsOf makes the signs of lines from those of horizontal and vertical
// lines, the corners, tees to the right, left, down and up, and the cross.
func signsOf(name, head, back, horizontal, vertical string, corners [4]string, tees [4]string, cross string) wireSigns {
	w := wireSigns{name: name, head: head, back: back}
	for arms := range w.arms {
		w.arms[arms] = horizontal
	}
	for arms, sign := range map[int]string{
		armNorth: vertical, armSouth: vertical, armNorth | armSouth: vertical,
		armSouth | armEast: corners[0], armSouth | armWest: corners[1], armNorth | armEast: corners[2], armNorth | armWest: corners[3],
		armNorth | armSouth | armEast: tees[0], armNorth | armSouth | armWest: tees[1],
		armEast | armWest | armSouth: tees[2], armEast | armWest | armNorth: tees[3],
		armNorth | armSouth | armEast | armWest: cross,
	} {
		w.arms[arms] = sign
	}
	return w
}

// wires are the signs of the types of edges, by whether they are to be ASCII.
var wires = sync.OnceValue(func() map[bool]map[core.EdgeType]wireSigns {
	corners, tees := [4]string{"┌", "┐", "└", "┘"}, [4]string{"├", "┤", "┬", "┴"}
	plus := [4]string{"+", "+", "+", "+"}
	return map[bool]map[core.EdgeType]wireSigns{
		false: {
			core.EdgeBlocks:         signsOf("blocks", "▶", "◀", "─", "│", corners, tees, "┼"),
			core.EdgeWaitsOnGate:    signsOf("gate", "▷", "◁", "╌", "╎", corners, tees, "┼"),
			core.EdgeParentChild:    signsOf("parent", "╡", "╞", "═", "║", [4]string{"╔", "╗", "╚", "╝"}, [4]string{"╠", "╣", "╦", "╩"}, "╬"),
			core.EdgeDiscoveredFrom: signsOf("found", "→", "←", "┈", "┊", corners, tees, "┼"),
		},
		true: {
			core.EdgeBlocks:         signsOf("blocks", ">", "<", "-", "|", plus, plus, "+"),
			core.EdgeWaitsOnGate:    signsOf("gate", ")", "(", ".", ":", plus, plus, "+"),
			core.EdgeParentChild:    signsOf("parent", "]", "[", "=", "H", plus, plus, "+"),
			core.EdgeDiscoveredFrom: signsOf("found", "}", "{", ",", ";", plus, plus, "+"),
		},
	}
})

// sheetCell is what lines draw into a cell of the sheet. Lines that only
// cross are not joined: the vertical one goes over the other.
type sheetCell struct {
	across, down sheetLine
	head         sheetLine // its arms are those of a side: armEast, or armWest for one that points left
	joined       bool
}

// sheetLine is what one or several lines draw into a cell. How it looks is
// decided by the edge that weighs most.
type sheetLine struct {
	arms   int
	kind   core.EdgeType
	weight int
}

func (l *sheetLine) add(arms int, edge core.GraphEdge) {
	if w := edgeWeight(edge); l.arms == 0 || w > l.weight {
		l.kind, l.weight = edge.Type, w
	}
	l.arms |= arms
}

// isFaded reports whether nothing is held back along the line any more.
func (l sheetLine) isFaded() bool { return l.weight < 0 }

// edgeWeight puts what holds something back before what belongs together, and
// that before what is done; below 0.
func edgeWeight(edge core.GraphEdge) int {
	n := len(core.EdgeTypes) - slices.Index(core.EdgeTypes, edge.Type)
	switch {
	case edge.Live:
		return 2 * n
	case edge.Type.IsDependency():
		return n - 2*len(core.EdgeTypes)
	}
	return n
}

// sheet is the lines of a graph, by the cells they go through.
type sheet map[[2]int]*sheetCell

func (s sheet) cell(x, y int) *sheetCell {
	c := s[[2]int{x, y}]
	if c == nil {
		c = &sheetCell{}
		s[[2]int{x, y}] = c
	}
	return c
}

// add draws the line of an edge.
func (s sheet) add(w wire, edge core.GraphEdge) {
	if len(w.corners) == 0 {
		return
	}
	arm := func(x, y, arms int) {
		c := s.cell(x, y)
		if arms&(armNorth|armSouth) != 0 {
			c.down.add(arms, edge)
		} else {
			c.across.add(arms, edge)
		}
	}
	for i := 1; i < len(w.corners); i++ {
		from, to := w.corners[i-1], w.corners[i]
		switch {
		case from[1] == to[1]:
			for x := from[0]; x <= to[0]; x++ {
				if x > from[0] {
					arm(x, from[1], armWest)
				}
				if x < to[0] {
					arm(x, from[1], armEast)
				}
			}
		default:
			top, bottom := min(from[1], to[1]), max(from[1], to[1])
			for y := top; y <= bottom; y++ {
				if y > top {
					arm(from[0], y, armNorth)
				}
				if y < bottom {
					arm(from[0], y, armSouth)
				}
			}
		}
		if i+1 < len(w.corners) {
			s.cell(to[0], to[1]).joined = true
		}
	}
	side := armEast
	if edge.Against {
		side = armWest
	}
	s.cell(w.head[0], w.head[1]).head.add(side, edge)
}

// sign is what is drawn in a cell.
func (c *sheetCell) sign(signs map[core.EdgeType]wireSigns) (sign string, faded bool) {
	switch {
	case c.head.arms == armWest:
		return signs[c.head.kind].back, c.head.isFaded()
	case c.head.arms != 0:
		return signs[c.head.kind].head, c.head.isFaded()
	case c.down.arms != 0 && c.across.arms != 0 && c.joined:
		kind := c.down.kind
		if c.across.kind != kind {
			kind = core.EdgeBlocks // signs of two types cannot be joined otherwise
		}
		return signs[kind].arms[c.down.arms|c.across.arms], c.down.isFaded() && c.across.isFaded()
	case c.down.arms != 0:
		return signs[c.down.kind].arms[c.down.arms], c.down.isFaded()
	}
	return signs[c.across.kind].arms[c.across.arms], c.across.isFaded()
}

// draw implements [screen].
func (g *graph) draw(m *model, c *canvas, area rect) {
	c.ends(rect{area.x + 1, area.y, area.w - 2, 1}, m.crumbs(c.g), []span{{fmt.Sprintf("depth %d", g.depth), hintLook}})
	g.area = rect{area.x, area.y + 1, area.w, area.h - 1}
	var bottom []span
	if g.data != nil {
		total := fmt.Sprint(g.data.Total)
		if g.data.More {
			total += "+"
		}
		bottom = []span{{fmt.Sprintf("%d of %s shown", len(g.data.Nodes), total), titleLook}}
		if area.w < twoColumns {
			bottom[0].text = fmt.Sprintf("%d of %s", len(g.data.Nodes), total)
		}
	}
	inner := c.frame(g.area, box{title: []span{{"Graph", titleLook}}, bottom: bottom, focus: true})
	if g.gone != nil {
		c.cut(inner.x+2, inner.y+1, inner.w-3, display.Visible(g.gone.Message), errorLook)
		return
	}
	if g.data == nil {
		return
	}
	lines := g.footLines(c.g, inner.w-2)
	g.view = rect{inner.x + 1, inner.y + 1, inner.w - 2, max(inner.h-1-len(lines), 1)}
	g.arrange()
	g.drawHeadings(c, inner.line(0))
	g.drawWires(c)
	for i := range g.data.Nodes {
		g.drawNode(m, c, i)
	}
	for i, line := range lines {
		c.spans(inner.x+1, inner.y+inner.h-len(lines)+i, inner.w-2, line...)
	}
	g.drawLegend(c, spansWidth(bottom))
}

// drawHeadings numbers the layers.
func (g *graph) drawHeadings(c *canvas, r rect) {
	for i, x := range g.plan.column {
		text := fmt.Sprint(i)
		if i == 0 {
			text = "layer 0"
		}
		if at := g.view.x + x - g.left; at >= g.view.x && at+len(text) <= g.view.x+g.view.w {
			c.put(at+1, r.y, len(text), text, hintLook)
		}
	}
}

// chainLook is how the longest chain is shown.
const chainLook = warnLook | strong

// drawWires draws the lines, and over them those of the task under the cursor
// and, when it is to be seen, the longest chain.
func (g *graph) drawWires(c *canvas) {
	signs := wires()[c.g.ascii]
	draw := func(lines sheet, line, faded look) {
		for y := range g.view.h {
			for x := range g.view.w {
				cell := lines[[2]int{x + g.left, y + g.top}]
				if cell == nil {
					continue
				}
				shown := cell
				if base := g.sheet[[2]int{x + g.left, y + g.top}]; base.joined {
					shown = base // the corners that others have here stay
				}
				sign, isFaded := shown.sign(signs)
				l := line
				if isFaded {
					l = faded
				}
				c.put(g.view.x+x, g.view.y+y, 1, sign, l)
			}
		}
	}
	draw(g.sheet, borderLook, dimText|faint)
	for _, over := range []struct {
		shown func(core.GraphEdge) bool
		look  look
	}{
		{func(e core.GraphEdge) bool { return e.From == g.cursor || e.To == g.cursor }, focusLook},
		{func(e core.GraphEdge) bool { return g.critical && e.Chain }, chainLook},
	} {
		lines := sheet{}
		for i, edge := range g.data.Edges {
			if over.shown(edge) {
				lines.add(g.plan.wires[i], edge)
			}
		}
		draw(lines, over.look, over.look)
	}
}

// drawNode draws a task.
func (g *graph) drawNode(m *model, c *canvas, i int) {
	place := g.plan.places[i]
	r := rect{g.view.x + place.x - g.left, g.view.y + place.y - g.top, place.w, place.h}
	clip := &window{c: c, view: g.view}
	node := g.data.Nodes[i]
	state := stateOf(node.Card)
	title, frame := plainText, borderLook
	if node.Status != core.StatusOpen {
		title, frame = dimText, dimText|faint
	}
	if g.critical && node.Chain {
		frame, title = warnLook, chainLook
	}
	name := strongText
	if i == g.data.Focus {
		name = titleLook | underline
	}
	mark := []span{{c.g.mark(state) + " ", stateLook(state)}, {idOf(node.Card), name}}
	if isRing(node.Card) {
		mark = append(mark, span{" " + c.g.mark(display.Cycle), stuckLook})
	}
	if !g.plan.boxed {
		var rows [2][]span
		if r.w >= wideColumn {
			rows = [2][]span{append(mark, span{" ", plainText}, data(node.Title, title)), g.facts(c.g, node)}
		} else {
			rows = [2][]span{append(mark, g.hidden(c.g, node)...), {data(node.Title, title)}}
		}
		for k, spans := range rows {
			clip.spans(r.x, r.y+k, r.w, append(spans, g.stub(c.g, i, k, spansWidth(spans))...)...)
		}
	} else {
		signs := c.g.thin
		if i == g.data.Focus {
			signs = c.g.heavy
		}
		if i == g.cursor {
			frame = focusLook
		}
		clip.frame(r, signs, frame)
		if n := node.Before; n > 0 {
			clip.spans(r.x+1, r.y, r.w-2, span{fmt.Sprintf("%s%d", c.g.before, n), hintLook})
		}
		if n := node.After; n > 0 {
			text := fmt.Sprintf("%d%s", n, c.g.after)
			clip.spans(r.x+r.w-1-cells(text), r.y, cells(text), span{text, hintLook})
		}
		clip.spans(r.x+2, r.y+1, r.w-4, mark...)
		clip.spans(r.x+2, r.y+2, r.w-4, data(node.Title, title))
	}
	if i == g.cursor {
		clip.tint(r, backSelected)
	}
}

// isRing reports whether a task waits in a ring.
func isRing(card core.Card) bool {
	for _, w := range card.Waits {
		if w.Kind == core.BlockedByCycle {
			return true
		}
	}
	return false
}

// facts are the second line of a task without a box where there is room: how
// it stands.
func (g *graph) facts(signs *glyphs, node core.GraphNode) []span {
	state := stateOf(node.Card)
	word := state.Word()
	switch {
	case node.Type == core.TypeGate && node.Status == core.StatusOpen:
		word = gateName(node.Card)
	case isStuck(node.Card):
		word = "stuck"
	}
	return append(append([]span{{"  ", plainText}}, joined(" ", dimText, word, priority(node.Card))...), g.hidden(signs, node)...)
}

// hidden says how many neighbours of a task are not shown on either side.
func (g *graph) hidden(signs *glyphs, node core.GraphNode) []span {
	before, after := "", ""
	if node.Before > 0 {
		before = fmt.Sprintf(" %s%d", signs.before, node.Before)
	}
	if node.After > 0 {
		after = fmt.Sprintf(" %d%s", node.After, signs.after)
	}
	return []span{{before + after, hintLook}}
}

// stub leads a line that leaves a task without a box from the end of its
// text to the edge of its column.
func (g *graph) stub(signs *glyphs, i, row, used int) []span {
	place := g.plan.places[i]
	cell := g.sheet[[2]int{place.x + place.w, place.y + row}]
	if cell == nil || cell.across.arms == 0 || cell.head.arms != 0 || used+1 >= place.w {
		return nil
	}
	l := borderLook
	switch {
	case g.critical && slices.ContainsFunc(g.data.Edges, func(e core.GraphEdge) bool { return e.Chain && e.From == i }):
		l = chainLook
	case i == g.cursor:
		l = focusLook
	case cell.across.isFaded():
		l = dimText | faint
	}
	return []span{{" ", plainText}, {repeat(wires()[signs.ascii][cell.across.kind].arms[armEast|armWest], place.w-used-1), l}}
}

// wideColumn is the width from which a task without a box has its title
// beside its id.
const wideColumn = 24

// window draws into a part of the canvas and leaves out what lies outside.
type window struct {
	c    *canvas
	view rect
}

// spans draws pieces in at most width cells.
func (w *window) spans(x, y, width int, spans ...span) {
	if y < w.view.y || y >= w.view.y+w.view.h || x >= w.view.x+w.view.w || x+width <= w.view.x {
		return
	}
	scratch := newCanvas(nil, w.c.g, width, 1)
	scratch.spans(0, 0, width, spans...)
	for i, cell := range scratch.cells {
		at := x + i
		if at < w.view.x || at >= w.view.x+w.view.w || cell.text == "" || cell == blank && i >= spansWidth(spans) {
			continue
		}
		n := max(cells(cell.text), 1)
		if at+n <= w.view.x+w.view.w {
			w.c.set(at, y, cell.text, n, cell.look)
		}
	}
}

// frame draws a frame and blanks what is inside.
func (w *window) frame(r rect, f frame, l look) {
	line := repeat(f.h, r.w-2)
	w.spans(r.x, r.y, r.w, span{f.tl + line + f.tr, l})
	for y := r.y + 1; y < r.y+r.h-1; y++ {
		w.spans(r.x, y, r.w, span{f.v + repeat(" ", r.w-2) + f.v, l})
	}
	w.spans(r.x, r.y+r.h-1, r.w, span{f.bl + line + f.br, l})
}

// tint changes the background.
func (w *window) tint(r rect, b back) {
	left, right := max(r.x, w.view.x), min(r.x+r.w, w.view.x+w.view.w)
	top, bottom := max(r.y, w.view.y), min(r.y+r.h, w.view.y+w.view.h)
	w.c.tint(rect{left, top, right - left, bottom - top}, b)
}

// smallGraph is the height below which all but the most needed lines are left
// out.
const smallGraph = 14

// footLines are the lines below the graph: what the task under the cursor is
// joined with, the longest chain, and rings.
func (g *graph) footLines(signs *glyphs, width int) [][]span {
	lines := [][]span{g.cursorLine(signs)}
	small := g.area.h < smallGraph
	if g.data.Length > 1 && (g.critical || !small) {
		lines = append(lines, g.chainLine(signs, width))
	}
	for i, ring := range g.data.Rings {
		if small {
			break
		}
		where := "cycle elsewhere  "
		if ring.Shown {
			where = "cycle here  "
		}
		if more := g.data.InRing - len(g.data.Rings); more > 0 && i == len(g.data.Rings)-1 {
			where = fmt.Sprintf("and %d more, %s", more, where)
		}
		lines = append(lines, []span{{where, hintLook}, {signs.mark(display.Cycle) + " " + ringOf(signs, ring.IDs, ring.Whole), stuckLook}})
		if g.area.h < previewRows {
			break // there is room for one
		}
	}
	return lines
}

// chainLine is the longest chain, or its ends where there is not room for all
// of it.
func (g *graph) chainLine(signs *glyphs, width int) []span {
	cards, skipped := g.data.Chain, g.data.Length-len(g.data.Chain)
	l := plainText
	if g.critical {
		l = warnLook
	}
	between := span{" " + signs.arrow + " ", dimText}
	more := ""
	if g.data.More {
		more = "+" // it goes on beyond what was looked at
	}
	for ends := (len(cards) + 1) / 2; ; ends-- {
		line := []span{{fmt.Sprintf("longest open chain %d%s  ", g.data.Length, more), hintLook}}
		last := display.State(-1)
		for i, card := range cards {
			left := skipped + len(cards) - 2*ends
			if i >= ends && i < len(cards)-ends || i == ends && left > 0 {
				if i == ends {
					line = append(line, between, span{fmt.Sprintf("%s %d more %s", signs.ellipsis, left, signs.ellipsis), dimText})
					last = -1
				}
				if i < len(cards)-ends {
					continue
				}
			}
			if i > 0 {
				line = append(line, between)
			}
			if state := stateOf(card); state != last { // of those that stand alike only the first has a mark
				line = append(line, span{signs.mark(state) + " ", stateLook(state)})
				last = state
			}
			line = append(line, span{idOf(card), l})
		}
		if ends == 1 || spansWidth(line) <= width {
			return line
		}
	}
}

// cursorLine tells of the task under the cursor and its edges, for those who
// cannot follow the lines.
func (g *graph) cursorLine(signs *glyphs) []span {
	node := g.data.Nodes[g.cursor]
	line := titled(signs, node.Card, strongText)
	for _, part := range []struct {
		kind     core.EdgeType
		out      bool
		relation string
	}{
		{core.EdgeBlocks, false, "after"}, {core.EdgeWaitsOnGate, false, "waits on"}, {core.EdgeBlocks, true, "before"}, {core.EdgeWaitsOnGate, true, "gate of"},
		{core.EdgeParentChild, false, "under"}, {core.EdgeParentChild, true, "over"}, {core.EdgeDiscoveredFrom, false, "from"}, {core.EdgeDiscoveredFrom, true, "found"},
	} {
		var names []string
		for _, edge := range g.data.Edges {
			if edge.Type != part.kind {
				continue
			}
			if part.out && edge.From == g.cursor {
				names = append(names, idOf(g.data.Nodes[edge.To].Card))
			} else if !part.out && edge.To == g.cursor {
				names = append(names, idOf(g.data.Nodes[edge.From].Card))
			}
		}
		if len(names) > 0 {
			line = append(line, span{"  " + part.relation + " ", hintLook}, span{strings.Join(names, " "), plainText})
		}
	}
	return line
}

// drawLegend tells in the frame, below and then above, what the lines stand
// for; with fewer spaces where there is little room.
func (g *graph) drawLegend(c *canvas, taken int) {
	there := map[core.EdgeType]bool{}
	left := 0
	for _, edge := range g.data.Edges {
		there[edge.Type] = true
		if isLeftOut(g.data, edge) {
			left++
		}
	}
	below, above := g.area.w-8-taken, g.area.w-12
	for short := range 2 {
		var entries [][]span
		width := 0
		for _, kind := range core.EdgeTypes {
			if there[kind] {
				entries = append(entries, lineLegend(c.g, kind, short == 1))
				width += spansWidth(entries[len(entries)-1])
			}
		}
		if left > 0 {
			entries = append(entries, []span{{fmt.Sprintf(" %d more follow from these ", left), hintLook}})
			width += spansWidth(entries[len(entries)-1])
		}
		if width > below && short == 0 {
			continue
		}
		at := g.area.x + 2
		var rest []span
		for _, entry := range entries {
			if n := spansWidth(entry); len(rest) == 0 && at-g.area.x-2+n <= below {
				at += c.spans(at, g.area.y+g.area.h-1, n, entry...)
			} else {
				rest = append(rest, entry...)
			}
		}
		if n := spansWidth(rest); n > 0 && n <= above {
			c.spans(g.area.x+g.area.w-2-n, g.area.y, n, rest...)
		}
		return
	}
}

// lineLegend is the line of a type of edges with its name.
func lineLegend(g *glyphs, kind core.EdgeType, short bool) []span {
	s := wires()[g.ascii][kind]
	line := s.arms[armEast|armWest]
	if short {
		return []span{{line + s.head, plainText}, {s.name + " ", hintLook}}
	}
	return []span{{" " + repeat(line, 2) + s.head, plainText}, {" " + s.name + " ", hintLook}}
}
