package tui

import (
	"cmp"
	"math"
	"slices"

	"dev.lithos/core"
)

// graphPlan is where everything of a graph stands, in cells of a sheet that
// may be larger than the screen. Layers are columns; lines run in the gaps
// between them, and past other columns in lanes of their own.
//
// Lines never share a row by accident: they reach a task on every other row of
// its column and leave it on those between, unless they run straight on. What
// holds a task back and what it belongs to reach it in different cells.
type graphPlan struct {
	boxed  bool
	w, h   int
	column []int  // left edge of each layer
	width  int    // of all columns
	places []rect // of the nodes
	wires  []wire // of the edges; empty for those that are left out
}

// wire is the line of one edge, as corners from one end to the other, left to
// right.
type wire struct {
	corners [][2]int
	head    [2]int // where its head stands
}

// graphItem is what takes room in a column: a node, or the lane of a net that
// goes on to later columns.
type graphItem struct {
	node int // index, -1 for a lane
	net  int // of a lane
	y    int
	pull float64 // where its neighbours would have it
}

// graphNet is the lines that leave one node together.
type graphNet struct {
	from    int
	against bool  // the edges lead to from
	kin     bool  // they hold nothing back
	edges   []int // indexes
	lanes   []*graphItem
	first   int // layer of from
	last    int // furthest layer that is reached
}

// The sizes of what stands on the sheet, in cells.
const (
	boxHeight     = 4
	compactHeight = 2
	laneHeight    = 2
	leastColumn   = 12
	mostColumn    = 28
)

// graphNetKey names a net.
type graphNetKey struct {
	from         int
	against, kin bool
}

// graphPlanner places a graph.
type graphPlanner struct {
	data   *core.Neighbourhood
	boxed  bool
	layers [][]*graphItem
	nodes  []*graphItem
	nets   []*graphNet
	netsAt map[graphNetKey]int
	tracks [][]graphTrack // of each gap
}

// graphTrack is a vertical line in a gap: those of nets that lead to the same
// places.
type graphTrack struct {
	nets    []int
	sources []int // rows at the left
	targets []int // rows at the right
	x       int   // its number from the left
}

// manyEdges is how many edges a graph can have that are all drawn. Of more,
// those that follow from others are left out; where everything waits for
// everything that would be nearly all, and no line could be followed.
const manyEdges = 200

// isLeftOut reports whether an edge is not drawn.
func isLeftOut(data *core.Neighbourhood, edge core.GraphEdge) bool {
	return edge.Implied && len(data.Edges) > manyEdges
}

// planGraph places a graph on a sheet; room is the size at which it would be
// seen without scrolling.
func planGraph(data *core.Neighbourhood, room rect) *graphPlan {
	for _, boxed := range []bool{true, false} {
		p := &graphPlanner{data: data, boxed: boxed, netsAt: map[graphNetKey]int{}}
		p.fill()
		p.order()
		p.place()
		p.track()
		plan := p.finish(room.w)
		if !boxed || plan.h <= room.h && plan.w <= room.w {
			return plan
		}
	}
	return nil // the second turn always returns
}

// fill makes the columns: nodes, and a lane wherever a net passes by.
func (p *graphPlanner) fill() {
	p.layers = make([][]*graphItem, p.data.Layers)
	p.nodes = make([]*graphItem, len(p.data.Nodes))
	for i, node := range p.data.Nodes {
		p.nodes[i] = &graphItem{node: i}
		p.layers[node.Layer] = append(p.layers[node.Layer], p.nodes[i])
	}
	for i, edge := range p.data.Edges {
		if isLeftOut(p.data, edge) {
			continue
		}
		left, right := edge.From, edge.To
		if edge.Against {
			left, right = right, left
		}
		key := graphNetKey{left, edge.Against, !edge.Type.IsDependency()}
		at, known := p.netsAt[key]
		if !known {
			at = len(p.nets)
			p.netsAt[key] = at
			p.nets = append(p.nets, &graphNet{from: left, against: key.against, kin: key.kin, first: p.data.Nodes[left].Layer})
		}
		net := p.nets[at]
		net.edges = append(net.edges, i)
		net.last = max(net.last, p.data.Nodes[right].Layer)
	}
	for i, net := range p.nets {
		for layer := net.first + 1; layer < net.last; layer++ {
			lane := &graphItem{node: -1, net: i}
			net.lanes = append(net.lanes, lane)
			p.layers[layer] = append(p.layers[layer], lane)
		}
	}
}

// at is what stands for a net in a layer: its node, then its lanes.
func (p *graphPlanner) at(net *graphNet, layer int) *graphItem {
	if layer == net.first {
		return p.nodes[net.from]
	}
	return net.lanes[layer-net.first-1]
}

// far is the right end of an edge.
func (p *graphPlanner) far(edge int) int {
	if e := p.data.Edges[edge]; e.Against {
		return e.From
	} else {
		return e.To
	}
}

// goals are the items of the next layer that a net leads to from a layer.
func (p *graphPlanner) goals(net *graphNet, layer int) []*graphItem {
	var goals []*graphItem
	for _, edge := range net.edges {
		far := p.nodes[p.far(edge)]
		if p.data.Nodes[far.node].Layer == layer+1 && !slices.Contains(goals, far) {
			goals = append(goals, far)
		}
	}
	if net.last > layer+1 {
		goals = append(goals, p.at(net, layer+1))
	}
	return goals
}

// neighbours are the items that each item is joined with, to the left and to
// the right.
func (p *graphPlanner) neighbours() (left, right map[*graphItem][]*graphItem) {
	left, right = map[*graphItem][]*graphItem{}, map[*graphItem][]*graphItem{}
	for _, net := range p.nets {
		for layer := net.first; layer < net.last; layer++ {
			here := p.at(net, layer)
			for _, goal := range p.goals(net, layer) {
				right[here] = append(right[here], goal)
				left[goal] = append(left[goal], here)
			}
		}
	}
	return left, right
}

// sweeps is how often the columns are put in order, and moved, in either
// direction.
const sweeps = 4

// order puts the items of the columns into an order with few crossings: near
// those that they are joined with.
func (p *graphPlanner) order() {
	left, right := p.neighbours()
	place := map[*graphItem]float64{}
	number := func(layer []*graphItem) {
		for i, item := range layer {
			place[item] = (float64(i) + 0.5) / float64(len(layer))
		}
	}
	for _, layer := range p.layers {
		number(layer)
	}
	sort := func(layer []*graphItem, beside map[*graphItem][]*graphItem) {
		for _, item := range layer {
			item.pull = place[item]
			if n := len(beside[item]); n > 0 {
				item.pull = 0
				for _, other := range beside[item] {
					item.pull += place[other] / float64(n)
				}
			}
		}
		slices.SortStableFunc(layer, func(a, b *graphItem) int { return cmp.Compare(a.pull, b.pull) })
		number(layer)
	}
	for range sweeps {
		for i := 1; i < len(p.layers); i++ {
			sort(p.layers[i], left)
		}
		for i := len(p.layers) - 2; i >= 0; i-- {
			sort(p.layers[i], right)
		}
	}
}

func (p *graphPlanner) height(item *graphItem) int {
	switch {
	case item.node < 0:
		return laneHeight
	case p.boxed:
		return boxHeight
	}
	return compactHeight
}

// row is where the lines of a net reach an item, and where they leave it
// straight on. Those that hold nothing back meet boxes at their lower edge.
func (p *graphPlanner) row(item *graphItem, net *graphNet) int {
	switch {
	case p.boxed && item.node >= 0 && net.kin:
		return item.y + 3
	case p.boxed:
		return item.y + 1
	}
	return item.y
}

// turn is where the lines of a net leave an item that do not run straight on.
// It is a row of the item on which no line reaches anything.
func (p *graphPlanner) turn(item *graphItem, net *graphNet) int {
	switch {
	case p.boxed && (item.node < 0 || net.kin):
		return item.y
	case p.boxed:
		return item.y + 2
	}
	return item.y + 1
}

// place gives the items their rows: as near to those they are joined with as
// the others of their column allow.
func (p *graphPlanner) place() {
	left, right := p.neighbours()
	for _, layer := range p.layers {
		y := 0
		for _, item := range layer {
			item.y = y
			y += p.height(item)
		}
	}
	move := func(layer []*graphItem, beside ...map[*graphItem][]*graphItem) {
		for _, item := range layer {
			sum, n := 0, 0
			for _, side := range beside {
				for _, other := range side[item] {
					sum += other.y
					n++
				}
			}
			item.pull = float64(item.y)
			if n > 0 {
				item.pull = float64(sum) / float64(n)
			}
		}
		p.settle(layer)
	}
	for range sweeps {
		for i := 1; i < len(p.layers); i++ {
			move(p.layers[i], left)
		}
		for i := len(p.layers) - 2; i >= 0; i-- {
			move(p.layers[i], right)
		}
	}
	for i := range p.layers {
		move(p.layers[i], left, right)
	}
	top := 0
	for i, layer := range p.layers {
		if i == 0 || layer[0].y < top {
			top = layer[0].y
		}
	}
	for _, layer := range p.layers {
		for _, item := range layer {
			item.y -= top
		}
	}
}

// settle puts the items of a column as near as can be to where they are
// pulled, in their order, without overlap and on even rows: neighbours that
// want the same place are moved together to the middle of their wishes.
func (p *graphPlanner) settle(layer []*graphItem) {
	type block struct {
		sum   float64
		items []*graphItem
		from  []int // heights of the items before, in the whole column
	}
	var blocks []block
	above := 0
	for _, item := range layer {
		blocks = append(blocks, block{item.pull - float64(above), []*graphItem{item}, []int{above}})
		above += p.height(item)
		for n := len(blocks); n > 1; n = len(blocks) {
			last, before := blocks[n-1], blocks[n-2]
			if before.sum/float64(len(before.items)) <= last.sum/float64(len(last.items)) {
				break
			}
			blocks[n-2] = block{before.sum + last.sum, append(before.items, last.items...), append(before.from, last.from...)}
			blocks = blocks[:n-1]
		}
	}
	for _, b := range blocks {
		base := 2 * int(math.Floor(b.sum/float64(len(b.items))/2))
		for i, item := range b.items {
			item.y = base + b.from[i]
		}
	}
}

// leaves is the row on which a net leaves an item for what it leads to.
func (p *graphPlanner) leaves(item *graphItem, net *graphNet, goals []*graphItem) int {
	if len(goals) == 1 && p.row(goals[0], net) == p.row(item, net) {
		return p.row(item, net)
	}
	return p.turn(item, net)
}

// track gives the vertical lines of each gap their places.
func (p *graphPlanner) track() {
	p.tracks = make([][]graphTrack, max(len(p.layers)-1, 0))
	for gap := range p.tracks {
		var tracks []graphTrack
		same := map[string]int{} // by what the nets lead to
		for i, net := range p.nets {
			if gap < net.first || gap >= net.last {
				continue
			}
			goals := p.goals(net, gap)
			source := p.leaves(p.at(net, gap), net, goals)
			var targets []int
			name := []byte{0}
			if net.against {
				name[0] |= 1
			}
			if net.kin {
				name[0] |= 2
			}
			for _, goal := range goals {
				targets = append(targets, p.row(goal, net))
			}
			slices.Sort(targets)
			for _, row := range targets {
				name = append(name, byte(row), byte(row>>8))
			}
			at, known := same[string(name)]
			if !known {
				at = len(tracks)
				same[string(name)] = at
				tracks = append(tracks, graphTrack{targets: targets})
			}
			tracks[at].nets = append(tracks[at].nets, i)
			tracks[at].sources = append(tracks[at].sources, source)
		}
		p.tracks[gap] = arrangeTracks(tracks)
	}
}

func (t graphTrack) span() (top, bottom int) {
	return min(slices.Min(t.sources), slices.Min(t.targets)), max(slices.Max(t.sources), slices.Max(t.targets))
}

// isStraight reports whether the track needs no vertical line.
func (t graphTrack) isStraight() bool {
	top, bottom := t.span()
	return top == bottom
}

// arrangeTracks puts tracks beside one another so that few lines cross, and
// those that do not meet may share a place.
func arrangeTracks(tracks []graphTrack) []graphTrack {
	inside := func(rows []int, t graphTrack) int {
		top, bottom := t.span()
		n := 0
		for _, row := range rows {
			if row > top && row < bottom {
				n++
			}
		}
		return n
	}
	// crossings there are when a stands left of b.
	crossings := func(a, b graphTrack) int { return inside(b.sources, a) + inside(a.targets, b) }
	var sorted []graphTrack
	for _, t := range tracks {
		at := len(sorted)
		for at > 0 && crossings(t, sorted[at-1]) < crossings(sorted[at-1], t) {
			at--
		}
		sorted = slices.Insert(sorted, at, t)
	}
	for i := range sorted {
		if sorted[i].isStraight() {
			continue
		}
		top, bottom := sorted[i].span()
		for _, other := range sorted[:i] {
			otherTop, otherBottom := other.span()
			if !other.isStraight() && top <= otherBottom && otherTop <= bottom {
				sorted[i].x = max(sorted[i].x, other.x+1)
			}
		}
	}
	return sorted
}

// finish gives columns and gaps their width and draws the lines.
func (p *graphPlanner) finish(width int) *graphPlan {
	plan := &graphPlan{boxed: p.boxed, places: make([]rect, len(p.nodes)), wires: make([]wire, len(p.data.Edges))}
	gaps := make([]int, len(p.tracks))
	all := 0
	for gap, tracks := range p.tracks {
		heads := 1
		if !p.boxed {
			heads = 2 // one before the other
		}
		gaps[gap] = 2 + heads
		for _, t := range tracks {
			if !t.isStraight() {
				gaps[gap] = max(gaps[gap], t.x+3+heads)
			}
		}
		all += gaps[gap]
	}
	plan.width = max(min((width-all)/max(len(p.layers), 1), mostColumn), leastColumn)
	x := 0
	for i := range p.layers {
		plan.column = append(plan.column, x)
		x += plan.width
		if i < len(gaps) {
			x += gaps[i]
		}
	}
	plan.w = x
	for _, layer := range p.layers {
		for _, item := range layer {
			plan.h = max(plan.h, item.y+p.height(item))
		}
	}
	for i, item := range p.nodes {
		plan.places[i] = rect{plan.column[p.data.Nodes[i].Layer], item.y, plan.width, p.height(item)}
	}
	trackOf := map[[2]int]int{} // by gap and net: its x on the sheet
	for gap, tracks := range p.tracks {
		for _, t := range tracks {
			for _, net := range t.nets {
				trackOf[[2]int{gap, net}] = plan.column[gap] + plan.width + 1 + t.x
			}
		}
	}
	for i, net := range p.nets {
		for _, edge := range net.edges {
			plan.wires[edge] = p.wire(plan, trackOf, i, edge)
		}
	}
	return plan
}

// wire draws the line of an edge.
func (p *graphPlanner) wire(plan *graphPlan, trackOf map[[2]int]int, at, edge int) wire {
	net := p.nets[at]
	far := p.nodes[p.far(edge)]
	last := p.data.Nodes[far.node].Layer
	var w wire
	corner := func(x, y int) {
		if n := len(w.corners); n == 0 || w.corners[n-1] != [2]int{x, y} {
			w.corners = append(w.corners, [2]int{x, y})
		}
	}
	for layer := net.first; layer < last; layer++ {
		item, goals := p.at(net, layer), p.goals(net, layer)
		right := plan.column[layer] + plan.width
		leaves := p.leaves(item, net, goals)
		if item.node < 0 { // along its lane, then to the row on which it leaves
			corner(right-1, p.row(item, net))
			corner(right-1, leaves)
		} else {
			corner(right, leaves)
		}
		goal := far
		if layer+1 < last {
			goal = p.at(net, layer+1)
		}
		x := trackOf[[2]int{layer, at}]
		corner(x, leaves)
		corner(x, p.row(goal, net))
	}
	end := plan.column[last] - 1
	apart := 0
	if net.kin && !p.boxed {
		apart = 1 // the head of what holds the task back stands nearer to it
	}
	corner(end-apart, p.row(far, net))
	w.head = [2]int{end - apart, p.row(far, net)}
	if net.against {
		w.head = [2]int{w.corners[0][0] + apart, w.corners[0][1]}
	}
	return w
}
