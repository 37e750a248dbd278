package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Neighbourhood is what is around a task in the graph: what it waits for and
// what waits for it, as far as a number of steps reaches, and its own parent,
// children, source and discoveries. Each task is in it once.
type Neighbourhood struct {
	Now    Stamp
	Nodes  []GraphNode
	Focus  int // index of the task itself
	Layers int
	Edges  []GraphEdge
	Total  int    // the tasks in it and all open ones that wait for one another with it, as far as MaxReach
	More   bool   // Total is not all of them
	Chain  []Card // the longest chain of open tasks through it that wait for one another, first to last; its ends when it is longer than MaxChainCards
	Length int    // tasks of the chain
	Rings  []Ring // where tasks wait for one another in a ring, anywhere in the store, at most MaxRings
	InRing int    // how many rings there are
	Due    *Stamp // when something in it changes by itself next
}

// GraphNode is a task of a neighbourhood.
type GraphNode struct {
	Card
	Layer  int  // what it waits for has a lower one
	Before int  // tasks it waits for, or waited for, that are not shown
	After  int  // tasks that wait for it, or did, that are not shown
	Chain  bool // it is part of the longest chain
}

// GraphEdge is an edge between two tasks of a neighbourhood.
type GraphEdge struct {
	From, To int // indexes of nodes
	Type     EdgeType
	Live     bool // it holds its target back
	Against  bool // it leads to a lower layer: the way back of a ring, or a parent that waits for its child
	Implied  bool // a longer way of waiting leads from its source to its target too
	Chain    bool // it is part of the longest chain
}

// Ring is a closed way among open tasks of which each waits for the one
// before it.
type Ring struct {
	IDs   []string // short ids, once round it
	Whole []string // the same, whole ids
	Shown bool     // one of its tasks is in the neighbourhood
}

// The bounds of a neighbourhood.
const (
	MaxGraphSide  = 60   // tasks that are shown before it, and as many after it
	MaxGraphKin   = 20   // children, sources, discoveries: of each so many
	MaxReach      = 2000 // tasks that are looked at for the chain, on either side
	MaxChainCards = 40
	MaxRings      = 3
)

var dependencyTypes = []EdgeType{EdgeBlocks, EdgeWaitsOnGate}

// Neighbourhood reads what is around a task, up to depth steps along
// dependency edges in either direction.
func (s *Service) Neighbourhood(ctx context.Context, taskID string, depth int) (Neighbourhood, error) {
	return look(ctx, s, func(v view) (Neighbourhood, error) {
		head, err := resolveTask(v, "task_id", taskID)
		if err != nil {
			return Neighbourhood{}, err
		}
		b := &neighbourhoodBuilder{view: v, focus: head, at: map[TaskKey]int{head.Key: 0}, keys: []TaskKey{head.Key}}
		b.out.Now = v.now
		for _, step := range []func() error{
			func() error { return b.walk(DirectionIncoming, depth) },
			func() error { return b.walk(DirectionOutgoing, depth) },
			b.addKin, b.makeCards, b.connect, b.findChain, b.findRings,
		} {
			if err := step(); err != nil {
				return Neighbourhood{}, err
			}
		}
		b.layer()
		b.out.Due, err = v.NextDue(v.now)
		return b.out, err
	})
}

// neighbourhoodBuilder collects a neighbourhood. The task itself is node 0.
type neighbourhoodBuilder struct {
	view
	focus TaskHead
	keys  []TaskKey       // of the nodes
	at    map[TaskKey]int // index of the node
	out   Neighbourhood
}

// take adds tasks that are new, open ones first, at most limit, and returns
// them.
func (b *neighbourhoodBuilder) take(keys []TaskKey, limit int) ([]TaskKey, error) {
	fresh := slices.DeleteFunc(distinct(keys), func(key TaskKey) bool { _, known := b.at[key]; return known })
	places, err := b.Places(fresh)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(places, TaskPlace.byUrgency)
	places = places[:min(len(places), max(limit, 0))]
	taken := make([]TaskKey, len(places))
	for i, place := range places {
		taken[i] = place.Key
		b.at[place.Key] = len(b.keys)
		b.keys = append(b.keys, place.Key)
	}
	return taken, nil
}

// walk adds what dependency edges lead to on one side.
func (b *neighbourhoodBuilder) walk(side Direction, depth int) error {
	limit := MaxGraphSide
	seen := map[TaskKey]bool{b.focus.Key: true}
	generation := []TaskKey{b.focus.Key}
	for range depth {
		pairs, err := b.Neighbours(generation, side, dependencyTypes, false)
		if err != nil {
			return err
		}
		var fresh []TaskKey
		generation = nil
		for _, key := range distinct(seconds(pairs)) {
			if _, known := b.at[key]; !known {
				fresh = append(fresh, key)
			} else if !seen[key] { // in a ring it stands on the other side, too
				generation = append(generation, key)
			}
		}
		taken, err := b.take(fresh, limit)
		if err != nil {
			return err
		}
		limit -= len(taken)
		generation = append(generation, taken...)
		for _, key := range generation {
			seen[key] = true
		}
	}
	return nil
}

func seconds(pairs [][2]TaskKey) []TaskKey {
	keys := make([]TaskKey, len(pairs))
	for i, pair := range pairs {
		keys[i] = pair[1]
	}
	return keys
}

// addKin adds what the other edges of the task itself lead to.
func (b *neighbourhoodBuilder) addKin() error {
	for _, kind := range []EdgeType{EdgeParentChild, EdgeDiscoveredFrom} {
		for _, side := range []Direction{DirectionIncoming, DirectionOutgoing} {
			pairs, err := b.Neighbours([]TaskKey{b.focus.Key}, side, []EdgeType{kind}, false)
			if err != nil {
				return err
			}
			if _, err := b.take(seconds(pairs), MaxGraphKin); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *neighbourhoodBuilder) makeCards() error {
	tasks, err := b.BriefTasks(b.keys)
	if err != nil {
		return err
	}
	cards, err := b.cards(tasks, cardParts{waits: true, holds: true})
	if err != nil {
		return err
	}
	// In a damaged store some may be missing.
	if len(cards) == 0 || cards[0].Key != b.focus.Key {
		return NewError(CodeTaskNotFound, fmt.Sprintf("The record of '%s' is missing.", clip(b.focus.ID)),
			Extra{"field", "task_id"}, Extra{"value", clip(b.focus.ID)})
	}
	b.keys, b.at = keysOfCards(cards), map[TaskKey]int{}
	for i, card := range cards {
		b.at[card.Key] = i
		b.out.Nodes = append(b.out.Nodes, GraphNode{Card: card})
	}
	return nil
}

// connect finds the edges among the nodes, and counts those that lead out.
func (b *neighbourhoodBuilder) connect() error {
	type end struct {
		from, to TaskKey
		kind     EdgeType
	}
	live := map[end]bool{}
	incoming, err := b.Incoming(b.keys, true)
	if err != nil {
		return err
	}
	for _, edge := range Assess(incoming, b.now) {
		live[end{edge.Source.Key, edge.Target, edge.Type}] = true
	}
	for _, kind := range EdgeTypes {
		pairs, err := b.Neighbours(b.keys, DirectionOutgoing, []EdgeType{kind}, false)
		if err != nil {
			return err
		}
		for _, pair := range pairs {
			from := b.at[pair[0]]
			if to, shown := b.at[pair[1]]; shown {
				b.out.Edges = append(b.out.Edges, GraphEdge{
					From: from, To: to, Type: kind,
					Live: b.out.Nodes[to].Status == StatusOpen && live[end{pair[0], pair[1], kind}],
				})
			}
		}
	}
	slices.SortFunc(b.out.Edges, func(x, y GraphEdge) int {
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To), strings.Compare(string(x.Type), string(y.Type)))
	})
	for side, count := range map[Direction]func(*GraphNode){
		DirectionIncoming: func(n *GraphNode) { n.Before++ },
		DirectionOutgoing: func(n *GraphNode) { n.After++ },
	} {
		pairs, err := b.Neighbours(b.keys, side, dependencyTypes, false)
		if err != nil {
			return err
		}
		slices.SortFunc(pairs, func(x, y [2]TaskKey) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
		for _, pair := range slices.Compact(pairs) { // two tasks can be joined by both types
			if _, shown := b.at[pair[1]]; !shown {
				count(&b.out.Nodes[b.at[pair[0]]])
			}
		}
	}
	return nil
}

// reach walks from the task through open tasks, and tells whether that is all
// there is.
func (b *neighbourhoodBuilder) reach(side Direction) (keys []TaskKey, whole bool, err error) {
	seen := map[TaskKey]bool{b.focus.Key: true}
	for generation := []TaskKey{b.focus.Key}; len(generation) > 0; {
		pairs, err := b.Neighbours(generation, side, dependencyTypes, true)
		if err != nil {
			return nil, false, err
		}
		generation = nil
		for _, key := range seconds(pairs) {
			if seen[key] {
				continue
			}
			if len(keys) == MaxReach {
				return keys, false, nil
			}
			seen[key] = true
			keys = append(keys, key)
			generation = append(generation, key)
		}
	}
	return keys, true, nil
}

// findChain finds the longest chain of open tasks through the task, and
// counts what is connected with it.
func (b *neighbourhoodBuilder) findChain() error {
	all := map[TaskKey]bool{}
	for _, key := range b.keys {
		all[key] = true
	}
	var chain []TaskKey
	for _, side := range []Direction{DirectionIncoming, DirectionOutgoing} {
		keys, whole, err := b.reach(side)
		if err != nil {
			return err
		}
		b.out.More = b.out.More || !whole
		for _, key := range keys {
			all[key] = true
		}
		if b.focus.Status != StatusOpen {
			continue
		}
		way, err := b.longest(append(keys, b.focus.Key), side)
		if err != nil {
			return err
		}
		if side == DirectionIncoming {
			slices.Reverse(way)
			chain = way
		} else if len(way) > 0 && len(chain) > 0 {
			chain = append(chain, way[1:]...)
		}
	}
	b.out.Total = len(all)
	b.out.Length = len(chain)
	b.markChain(chain)
	if len(chain) > MaxChainCards {
		chain = slices.Concat(chain[:MaxChainCards/2], chain[len(chain)-MaxChainCards/2:])
	}
	tasks, err := b.BriefTasks(chain)
	if err != nil {
		return err
	}
	b.out.Chain, err = b.cards(tasks, cardParts{})
	return err
}

// longest is the longest way of live edges among the keys that begins at the
// task and goes to one side; of equal ones that along the older tasks. What
// lies on a ring, or behind one, is left out; nil when the task itself is.
func (b *neighbourhoodBuilder) longest(keys []TaskKey, side Direction) ([]TaskKey, error) {
	among := map[TaskKey]bool{}
	for _, key := range keys {
		among[key] = true
	}
	incoming, err := b.Incoming(keys, true)
	if err != nil {
		return nil, err
	}
	next := map[TaskKey][]TaskKey{}
	arriving := map[TaskKey]int{}
	for _, edge := range Assess(incoming, b.now) {
		from, to := edge.Source.Key, edge.Target
		if edge.Missing || edge.Source.Status != StatusOpen || !among[from] {
			continue
		}
		if side == DirectionIncoming {
			from, to = to, from
		}
		next[from] = append(next[from], to)
		arriving[to]++
	}
	if arriving[b.focus.Key] > 0 {
		return nil, nil
	}
	length := map[TaskKey]int{b.focus.Key: 1}
	cameFrom := map[TaskKey]TaskKey{}
	end := b.focus.Key
	for queue := []TaskKey{b.focus.Key}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if length[at] > length[end] || length[at] == length[end] && at < end {
			end = at
		}
		for _, to := range next[at] {
			if n := length[at] + 1; n > length[to] || n == length[to] && at < cameFrom[to] {
				length[to], cameFrom[to] = n, at
			}
			if arriving[to]--; arriving[to] == 0 {
				queue = append(queue, to)
			}
		}
	}
	way := []TaskKey{end}
	for end != b.focus.Key {
		end = cameFrom[end]
		way = append(way, end)
	}
	slices.Reverse(way)
	return way, nil
}

// markChain marks the nodes and edges of the chain.
func (b *neighbourhoodBuilder) markChain(chain []TaskKey) {
	if len(chain) < 2 {
		return
	}
	next := map[int]int{}
	for i, key := range chain {
		node, shown := b.at[key]
		if !shown {
			continue
		}
		b.out.Nodes[node].Chain = true
		if i+1 < len(chain) {
			if to, shown := b.at[chain[i+1]]; shown {
				next[node] = to
			}
		}
	}
	for i, edge := range b.out.Edges {
		if to, is := next[edge.From]; is && to == edge.To && edge.Live {
			b.out.Edges[i].Chain = true
		}
	}
}

// findRings looks for rings of waiting in the whole store, where there may be
// any.
func (b *neighbourhoodBuilder) findRings() error {
	may, err := b.MayHaveRings()
	if err != nil || !may {
		return err
	}
	next := map[TaskKey][]TaskKey{}
	err = b.EachWaiter(b.now, func(from, to TaskKey) bool {
		next[from] = append(next[from], to)
		return true
	})
	if err != nil {
		return err
	}
	rings := tangles(next)
	b.out.InRing = len(rings)
	for _, members := range rings[:min(len(rings), MaxRings)] {
		ring := Ring{}
		inside := map[TaskKey]bool{}
		for _, key := range members {
			inside[key] = true
			if _, shown := b.at[key]; shown {
				ring.Shown = true
			}
		}
		to := next[members[0]][slices.IndexFunc(next[members[0]], func(key TaskKey) bool { return inside[key] })]
		path, err := ringPath(b, members[0], to, dependencyTypes, true)
		if err != nil {
			return err
		}
		slices.Reverse(path) // each task holds the next back
		ring.Whole = idsOfNames(path)
		if ring.IDs, err = b.ReadTx.ShortIDs(ring.Whole); err != nil {
			return err
		}
		b.out.Rings = append(b.out.Rings, ring)
	}
	return nil
}

// tangles are the sets of nodes of a graph that all lead to one another, two
// or more each, by their first node; the nodes of each in order. They are
// found by Tarjan's walk, with a stack of its own in place of recursion.
func tangles(next map[TaskKey][]TaskKey) [][]TaskKey {
	starts := make([]TaskKey, 0, len(next))
	for key := range next {
		starts = append(starts, key)
	}
	slices.Sort(starts)
	type step struct {
		key  TaskKey
		edge int // of next, to be followed
	}
	number, low := map[TaskKey]int{}, map[TaskKey]int{}
	open := map[TaskKey]bool{} // on the way, not yet in a set
	var way []TaskKey
	var found [][]TaskKey
	for _, start := range starts {
		if number[start] > 0 {
			continue
		}
		var stack []step
		enter := func(key TaskKey) {
			number[key] = len(number) + 1
			low[key] = number[key]
			open[key] = true
			way = append(way, key)
			stack = append(stack, step{key: key})
		}
		enter(start)
		for len(stack) > 0 {
			at := &stack[len(stack)-1]
			if targets := next[at.key]; at.edge < len(targets) {
				to := targets[at.edge]
				at.edge++
				if number[to] == 0 {
					enter(to)
				} else if open[to] {
					low[at.key] = min(low[at.key], number[to])
				}
				continue
			}
			key := at.key
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				above := stack[len(stack)-1].key
				low[above] = min(low[above], low[key])
			}
			if low[key] != number[key] {
				continue
			}
			i := slices.Index(way, key)
			members := slices.Clone(way[i:])
			way = way[:i]
			for _, member := range members {
				delete(open, member)
			}
			if len(members) > 1 {
				slices.Sort(members)
				found = append(found, members)
			}
		}
	}
	slices.SortFunc(found, func(a, b []TaskKey) int { return cmp.Compare(a[0], b[0]) })
	return found
}

// layer puts the nodes into layers so that edges lead to higher ones, near
// the task itself: what it waits for as late as possible, everything else as
// early. Edges that cannot lead on are marked.
func (b *neighbourhoodBuilder) layer() {
	d := newDiagram(len(b.out.Nodes))
	// Waiting decides first, then what belongs together.
	add := func(dependency bool) {
		for i := range b.out.Edges {
			if edge := &b.out.Edges[i]; edge.Type.IsDependency() == dependency {
				edge.Against = !d.add(edge.From, edge.To)
			}
		}
	}
	add(true)
	b.markImplied(d)
	add(false)
	layers := d.layers(0)
	lowest, highest := slices.Min(layers), slices.Max(layers)
	used := make([]bool, highest-lowest+1)
	for _, l := range layers {
		used[l-lowest] = true
	}
	number := make([]int, len(used))
	for i, is := range used {
		number[i] = b.out.Layers
		if is {
			b.out.Layers++
		}
	}
	for i := range b.out.Nodes {
		b.out.Nodes[i].Layer = number[layers[i]-lowest]
	}
}

// markImplied marks the edges of waiting that could be left out without a
// task waiting for less.
func (b *neighbourhoodBuilder) markImplied(d *diagram) {
	// Longer ways from a task: what the tasks that wait for it lead to.
	reached := make([][]bool, len(b.out.Nodes))
	order := d.order()
	slices.Reverse(order)
	beyond := make([][]bool, len(b.out.Nodes))
	for _, i := range order {
		reached[i], beyond[i] = make([]bool, len(b.out.Nodes)), make([]bool, len(b.out.Nodes))
		for _, next := range d.next[i] {
			reached[i][next] = true
			for j, is := range reached[next] {
				if is {
					reached[i][j], beyond[i][j] = true, true
				}
			}
		}
	}
	for i := range b.out.Edges {
		if edge := &b.out.Edges[i]; edge.Type.IsDependency() && !edge.Against {
			edge.Implied = beyond[edge.From][edge.To]
		}
	}
}

// diagram is a graph of a few nodes without rings.
type diagram struct{ next, last [][]int }

func newDiagram(n int) *diagram { return &diagram{make([][]int, n), make([][]int, n)} }

// add adds an edge, unless it would close a ring.
func (d *diagram) add(from, to int) bool {
	if d.from(to, d.next)[from] {
		return false
	}
	d.next[from], d.last[to] = append(d.next[from], to), append(d.last[to], from)
	return true
}

// from tells which nodes edges lead to from one, itself included.
func (d *diagram) from(start int, along [][]int) []bool {
	seen := make([]bool, len(along))
	seen[start] = true
	for stack := []int{start}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, to := range along[at] {
			if !seen[to] {
				seen[to] = true
				stack = append(stack, to)
			}
		}
	}
	return seen
}

// order lists the nodes so that edges lead to later ones.
func (d *diagram) order() []int {
	var order []int
	arriving := make([]int, len(d.last))
	for i, last := range d.last {
		if arriving[i] = len(last); arriving[i] == 0 {
			order = append(order, i)
		}
	}
	for i := 0; i < len(order); i++ {
		for _, to := range d.next[order[i]] {
			if arriving[to]--; arriving[to] == 0 {
				order = append(order, to)
			}
		}
	}
	return order
}

// layers gives each node a layer such that edges lead to higher ones; that of
// focus is 0.
func (d *diagram) layers(focus int) []int {
	order := d.order()
	before := d.from(focus, d.last)
	layers := make([]int, len(order))
	known := make([]bool, len(order))
	known[focus] = true
	earliest := func(i int, above [][]int, by int) {
		for _, j := range above[i] {
			if !known[j] {
				continue
			}
			if at := layers[j] + by; !known[i] || (at-layers[i])*by > 0 {
				layers[i], known[i] = at, true
			}
		}
	}
	backwards := slices.Clone(order)
	slices.Reverse(backwards)
	for _, i := range backwards {
		if before[i] && i != focus {
			earliest(i, d.next, -1)
		}
	}
	for _, i := range order {
		if !known[i] {
			earliest(i, d.last, 1)
		}
	}
	for _, i := range backwards {
		if !known[i] {
			earliest(i, d.next, -1)
			known[i] = true
		}
	}
	return layers
}
