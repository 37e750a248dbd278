package core

import (
	"cmp"
	"slices"
)

// HierarchyReader is what a drawing of the whole hierarchy reads. What it
// costs grows with the number of parent_child edges, not of tasks.
type HierarchyReader interface {
	// EachChild yields every parent_child edge with the status of the child,
	// "" when its row is missing, grouped by parent.
	EachChild(yield func(parent, child TaskKey, status Status) error) error
	// EachChildBelow does so for the edges below any of the tasks.
	EachChildBelow(keys []TaskKey, yield func(parent, child TaskKey, status Status) error) error
	// Places returns what orders the tasks of the keys, in no order; keys
	// without a row are left out.
	Places(keys []TaskKey) ([]TaskPlace, error)
	// CountTasks is the number of tasks, and of open ones.
	CountTasks() (all, open int, err error)
	// LooseKeys returns a part of the tasks that have neither parent nor
	// children and are no open epics: ready ones, blocked ones, gates, then
	// closed ones unless openOnly, each in the order of their column.
	LooseKeys(now Stamp, openOnly bool, offset, limit int) ([]TaskKey, error)
	// LoosePosition is how many of these come before one of them.
	LoosePosition(now Stamp, openOnly bool, key TaskKey) (position int, found bool, err error)
}

// TaskPlace is what orders a task among others.
type TaskPlace struct {
	Key       TaskKey
	ID        string
	Status    Status
	Rank      int // of its priority, 0 first; 0 when it is closed
	CreatedAt Stamp
}

// byUrgency puts open tasks first, then goes by priority, age and id.
func (p TaskPlace) byUrgency(other TaskPlace) int {
	closed := func(s Status) int {
		if s == StatusOpen {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(closed(p.Status), closed(other.Status)), cmp.Compare(p.Rank, other.Rank), p.byAge(other))
}

// byAge goes by age and id, as children are listed.
func (p TaskPlace) byAge(other TaskPlace) int {
	return cmp.Or(cmp.Compare(p.CreatedAt, other.CreatedAt), cmp.Compare(p.ID, other.ID))
}

// hierarchy is the parent_child edges of the store, or of a part of it, in
// memory. Of a task with two parents, which only a damaged store has, the
// first counts.
type hierarchy struct {
	nodes []hierarchyNode // of the tasks with parent or children, and open epics
	kids  []int32         // indexes of children, those of one parent in a row
	at    []int32         // by key: the index of the node plus one; 0 for none
	tops  []int32         // nodes without a parent, and one of each ring, in order
}

// hierarchyNode is a task of the hierarchy.
type hierarchyNode struct {
	key        TaskKey
	parent     int32  // index, -1 for none
	first, end int32  // its children in kids
	status     Status // "" when its row is missing
	met        bool   // counted among what is below a top
	below      Progress
}

// noNode stands for a node that is not there.
const noNode int32 = -1

// node is the index of the node of a key, which is made when it is not there.
func (h *hierarchy) node(key TaskKey) int32 {
	if int(key) >= len(h.at) {
		h.at = append(h.at, make([]int32, max(int(key)+1-len(h.at), len(h.at)))...) // doubling
	}
	if h.at[key] == 0 {
		h.nodes = append(h.nodes, hierarchyNode{key: key, parent: noNode})
		h.at[key] = int32(len(h.nodes))
	}
	return h.at[key] - 1
}

// find is the index of the node of a key, or noNode.
func (h *hierarchy) find(key TaskKey) int32 {
	if int(key) >= len(h.at) {
		return noNode
	}
	return h.at[key] - 1
}

// children are the indexes of the children of a node, in no order.
func (h *hierarchy) children(i int32) []int32 { return h.kids[h.nodes[i].first:h.nodes[i].end] }

// add takes an edge over, as EachChild yields it.
func (h *hierarchy) add(parent, child TaskKey, status Status) error {
	p := h.node(parent)
	if h.nodes[p].end == 0 {
		h.nodes[p].first, h.nodes[p].end = int32(len(h.kids)), int32(len(h.kids))
	}
	if status == "" {
		return nil
	}
	c := h.node(child)
	h.nodes[c].status = status
	if h.nodes[c].parent == noNode {
		h.nodes[c].parent = p
	}
	h.kids = append(h.kids, c)
	h.nodes[p].end++
	return nil
}

// hierarchy reads all of it.
func (v view) hierarchy() (*hierarchy, error) {
	h := &hierarchy{}
	if err := v.EachChild(h.add); err != nil {
		return nil, err
	}
	epics, err := v.OpenEpics(0)
	if err != nil {
		return nil, err
	}
	for _, key := range epics {
		h.node(key)
	}
	return h, h.findTops(v)
}

// progress counts the descendants of each of the tasks; those without any are
// left out. The tasks may stand below one another: everything is read once.
func (v view) progress(keys []TaskKey) (map[TaskKey]Progress, error) {
	h := &hierarchy{}
	if err := v.EachChildBelow(keys, h.add); err != nil {
		return nil, err
	}
	for i := range h.nodes {
		if h.nodes[i].parent == noNode {
			h.count(int32(i))
		}
	}
	h.enterRings()
	found := map[TaskKey]Progress{}
	for _, key := range keys {
		if i := h.find(key); i != noNode && len(h.children(i)) > 0 {
			found[key] = h.nodes[i].below
		}
	}
	return found, nil
}

// findTops finds where the trees begin and counts what is below each task.
func (h *hierarchy) findTops(v view) error {
	var candidates []int32
	for i := range h.nodes {
		if h.nodes[i].parent == noNode {
			candidates = append(candidates, int32(i))
		}
	}
	places, err := h.places(v, candidates)
	if err != nil {
		return err
	}
	var tops []TaskPlace
	// What stands below a task whose row is missing begins a tree of its own.
	var orphans []int32
	for _, i := range candidates {
		place, found := places[i]
		if found {
			h.nodes[i].status = place.Status
			tops = append(tops, place)
			continue
		}
		for _, child := range h.children(i) {
			if h.nodes[child].parent == i {
				h.nodes[child].parent = noNode
				orphans = append(orphans, child)
			}
		}
		h.nodes[i].first, h.nodes[i].end = 0, 0
	}
	for _, top := range tops {
		h.count(h.find(top.Key))
	}
	for _, i := range orphans {
		h.count(i)
	}
	entries := append(orphans, h.enterRings()...)
	if places, err = h.places(v, entries); err != nil {
		return err
	}
	for _, i := range entries {
		tops = append(tops, places[i])
	}
	slices.SortFunc(tops, TaskPlace.byUrgency)
	h.tops = make([]int32, len(tops))
	for i, top := range tops {
		h.tops[i] = h.find(top.Key)
	}
	return nil
}

// places reads what orders nodes.
func (h *hierarchy) places(v view, nodes []int32) (map[int32]TaskPlace, error) {
	keys := make([]TaskKey, len(nodes))
	for i, n := range nodes {
		keys[i] = h.nodes[n].key
	}
	list, err := v.Places(keys)
	places := make(map[int32]TaskPlace, len(list))
	for _, place := range list {
		places[h.find(place.Key)] = place
	}
	return places, err
}

// enterRings finds one task of each ring, where it is entered: no top leads
// there. Only imports bring rings in.
func (h *hierarchy) enterRings() []int32 {
	var entries []int32
	for i := range h.nodes {
		if h.nodes[i].met || h.nodes[i].status == "" {
			continue
		}
		// Upwards until a task is met twice: that one is on the ring.
		at, climbed := int32(i), map[int32]bool{}
		for !climbed[at] {
			climbed[at] = true
			at = h.nodes[at].parent
		}
		entry := at
		for next := h.nodes[at].parent; next != at; next = h.nodes[next].parent {
			if h.nodes[next].key < h.nodes[entry].key {
				entry = next
			}
		}
		entries = append(entries, entry)
		h.count(entry)
	}
	return entries
}

// count walks a tree and counts what is below each of its tasks.
func (h *hierarchy) count(top int32) {
	h.nodes[top].met = true
	order := []int32{top}
	for i := 0; i < len(order); i++ {
		for _, child := range h.children(order[i]) {
			if !h.nodes[child].met {
				h.nodes[child].met = true
				order = append(order, child)
			}
		}
	}
	for i := len(order) - 1; i > 0; i-- {
		node := &h.nodes[order[i]]
		above := &h.nodes[node.parent].below
		above.Open += node.below.Open
		above.Completed += node.below.Completed
		above.Cancelled += node.below.Cancelled
		switch node.status {
		case StatusCompleted:
			above.Completed++
		case StatusCancelled:
			above.Cancelled++
		default:
			above.Open++
		}
	}
}

// isHidden reports whether a task is left out when what is done is hidden: it
// is closed, and so is all below it.
func (h *hierarchy) isHidden(i int32) bool {
	return h.nodes[i].status != StatusOpen && h.nodes[i].below.Open == 0
}

// ancestors are the parent of a node, its parent, and so on.
func (h *hierarchy) ancestors(i int32) []int32 {
	var list []int32
	seen := map[int32]bool{i: true}
	for at := h.nodes[i].parent; at != noNode && !seen[at]; at = h.nodes[at].parent {
		seen[at] = true
		list = append(list, at)
	}
	return list
}
