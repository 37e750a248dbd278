package core

import (
	"context"
	"slices"
)

// TreeRequest says what of the hierarchy is on screen: which tasks are
// unfolded, and a window of the rows that are to be seen then.
type TreeRequest struct {
	// All: every task is unfolded but those of Flipped; else none is but
	// those. Keys are those of cards of the same store.
	All     bool
	Flipped map[TaskKey]bool
	// Reveal is the full id of a task; whatever is folded above it is
	// unfolded. Empty: none.
	Reveal string
	// Climb: an anchor that is folded away counts as the task it is folded
	// into.
	Climb bool
	// HideDone leaves out what is closed, unless something open is below it.
	HideDone bool
	// Finished lists, without any tree, open tasks below which all is closed
	// and something was completed: those that could be completed themselves.
	Finished bool

	Anchors []string // full ids: the window is around the first that has a row
	Above   int      // rows wanted before the anchor
	Offset  int      // where the window begins when there is none
	Limit   int      // rows of the window
}

// Tree is a window of the hierarchy, drawn as rows: the trees, then the tasks
// that belong to none.
type Tree struct {
	Now      Stamp
	Rows     []TreeRow
	First    int       // where Rows begin
	Total    int       // rows in all
	Loose    int       // where the tasks begin that belong to no tree
	Anchor   int       // index of the anchor that was found, or -1
	Position int       // its row
	Revealed []TaskKey // what was unfolded for Reveal
	Due      *Stamp    // when something in the tree changes by itself next
}

// TreeRow is a task of the tree with where it stands. Its Progress counts all
// its descendants.
type TreeRow struct {
	Card
	ParentID string // "" at the top
	Depth    int    // 0 at the top
	Last     bool   // no sibling follows
	Lines    []bool // for each ancestor but the top, the outermost first, whether a sibling of it follows; the innermost MaxTreeLines
	Folds    bool   // something is below it that can be shown
	Unfolded bool
	Repeat   bool // it stands further up already: a ring, or a second parent
}

// MaxTreeLines is how many of its ancestors a row tells about.
const MaxTreeLines = 24

// Tree reads a window of the hierarchy.
func (s *Service) Tree(ctx context.Context, req TreeRequest) (Tree, error) {
	return look(ctx, s, func(v view) (Tree, error) {
		h, err := v.hierarchy()
		if err != nil {
			return Tree{}, err
		}
		b := &treeBuilder{view: v, req: req, hierarchy: h, out: Tree{Now: v.now, Anchor: -1}}
		for _, step := range []func() error{b.reveal, b.flatten, b.countLoose, b.place, b.fill} {
			if err := step(); err != nil {
				return Tree{}, err
			}
		}
		b.out.Due, err = v.NextDue(v.now)
		return b.out, err
	})
}

// treeBuilder makes the window of a tree, step by step.
type treeBuilder struct {
	view
	req TreeRequest
	*hierarchy
	revealed map[TaskKey]bool
	rows     []treeRow
	out      Tree
}

// treeRow is a row of the trees before its card is known.
type treeRow struct {
	node   int32
	parent int32 // index of its parent's row, -1 at the top
	depth  int32
	last   bool
	repeat bool
}

// isUnfolded reports whether what is below a node is shown.
func (b *treeBuilder) isUnfolded(i int32) bool {
	key := b.nodes[i].key
	return !b.req.Finished && b.folds(i) && (b.req.All != b.req.Flipped[key] || b.revealed[key])
}

// folds reports whether there is something below a node to be shown.
func (b *treeBuilder) folds(i int32) bool {
	return !b.req.Finished && len(b.children(i)) > 0 && (!b.req.HideDone || b.nodes[i].below.Open > 0)
}

// reveal unfolds what is above the task to be shown.
func (b *treeBuilder) reveal() error {
	if b.req.Reveal == "" || b.req.Finished {
		return nil
	}
	head, found, err := b.TaskByID(b.req.Reveal)
	if err != nil || !found || b.find(head.Key) == noNode {
		return err
	}
	b.revealed = map[TaskKey]bool{}
	for _, i := range b.ancestors(b.find(head.Key)) {
		if key := b.nodes[i].key; b.req.All == b.req.Flipped[key] {
			b.revealed[key] = true
			b.out.Revealed = append(b.out.Revealed, key)
		}
	}
	return nil
}

// flatten lists the rows of all trees. Nothing is recursive: how deep the
// hierarchy is depends on the user.
func (b *treeBuilder) flatten() error {
	if b.req.Finished {
		return b.listFinished()
	}
	ordered, err := b.orderChildren()
	if err != nil {
		return err
	}
	type level struct {
		nodes  []int32
		parent int32
	}
	expanded := map[int32]bool{}
	for stack := []level{{b.kept(b.tops), -1}}; len(stack) > 0; {
		at := &stack[len(stack)-1]
		if len(at.nodes) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		row := treeRow{node: at.nodes[0], parent: at.parent, depth: int32(len(stack) - 1), last: len(at.nodes) == 1}
		at.nodes = at.nodes[1:]
		children, unfolded := ordered[row.node]
		row.repeat = unfolded && expanded[row.node]
		b.rows = append(b.rows, row)
		if unfolded && !row.repeat {
			expanded[row.node] = true
			stack = append(stack, level{children, int32(len(b.rows) - 1)})
		}
	}
	return nil
}

// listFinished lists the tasks that could be completed for all that is below
// them, the most urgent first.
func (b *treeBuilder) listFinished() error {
	var found []int32
	for i := range b.nodes {
		if node := &b.nodes[i]; node.status == StatusOpen && node.below.Open == 0 && node.below.Completed > 0 {
			found = append(found, int32(i))
		}
	}
	places, err := b.places(b.view, found)
	slices.SortFunc(found, func(x, y int32) int { return places[x].byUrgency(places[y]) })
	for _, i := range found {
		b.rows = append(b.rows, treeRow{node: i, parent: -1})
	}
	return err
}

// kept are the nodes that are shown.
func (b *treeBuilder) kept(nodes []int32) []int32 {
	nodes = slices.Clone(nodes)
	if b.req.HideDone {
		nodes = slices.DeleteFunc(nodes, b.isHidden)
	}
	return nodes
}

// orderChildren lists the children of every node whose children are shown, in
// their order.
func (b *treeBuilder) orderChildren() (map[int32][]int32, error) {
	ordered := map[int32][]int32{}
	shown := slices.Clone(b.tops)
	var several []int32
	for i := 0; i < len(shown); i++ {
		if _, known := ordered[shown[i]]; known || !b.isUnfolded(shown[i]) {
			continue
		}
		children := b.kept(b.children(shown[i]))
		ordered[shown[i]] = children
		shown = append(shown, children...)
		if len(children) > 1 {
			several = append(several, children...)
		}
	}
	places, err := b.places(b.view, several)
	if err != nil {
		return nil, err
	}
	for _, children := range ordered {
		slices.SortFunc(children, func(x, y int32) int { return places[x].byAge(places[y]) })
	}
	return ordered, nil
}

// countLoose counts the tasks that belong to no tree.
func (b *treeBuilder) countLoose() error {
	if b.req.Finished {
		b.out.Loose, b.out.Total = len(b.rows), len(b.rows)
		return nil
	}
	all, open, err := b.CountTasks()
	if err != nil {
		return err
	}
	loose := all
	if b.req.HideDone {
		loose = open
	}
	for i := range b.nodes {
		if status := b.nodes[i].status; status == StatusOpen || status != "" && !b.req.HideDone {
			loose--
		}
	}
	b.out.Loose, b.out.Total = len(b.rows), len(b.rows)+loose
	return nil
}

// place finds the row of the first anchor that has one, and so where the
// window begins.
func (b *treeBuilder) place() error {
	for i, id := range b.req.Anchors {
		row, err := b.rowOf(id)
		if err != nil {
			return err
		}
		if row >= 0 {
			b.out.Anchor, b.out.Position = i, row
			break
		}
	}
	b.out.First = b.req.Offset
	if b.out.Anchor >= 0 {
		b.out.First = b.out.Position - b.req.Above
	}
	b.out.First = max(min(b.out.First, b.out.Total-b.req.Limit), 0)
	return nil
}

// rowOf is the row of a task, -1 when it has none.
func (b *treeBuilder) rowOf(id string) (int, error) {
	head, found, err := b.TaskByID(id)
	if err != nil || !found {
		return -1, err
	}
	if node := b.find(head.Key); node != noNode {
		row := b.rowOfNode(node)
		if row < 0 && b.req.Climb {
			for _, above := range b.ancestors(node) {
				if row = b.rowOfNode(above); row >= 0 {
					break
				}
			}
		}
		return row, nil
	}
	if b.req.Finished {
		return -1, nil
	}
	at, found, err := b.LoosePosition(b.now, b.req.HideDone, head.Key)
	if err != nil || !found {
		return -1, err
	}
	return len(b.rows) + at, nil
}

func (b *treeBuilder) rowOfNode(node int32) int {
	return slices.IndexFunc(b.rows, func(r treeRow) bool { return r.node == node })
}

// fill makes the rows of the window.
func (b *treeBuilder) fill() error {
	end := min(b.out.First+b.req.Limit, b.out.Total)
	from := min(b.out.First, len(b.rows))
	trees := b.rows[from:max(min(end, len(b.rows)), from)]
	var keys []TaskKey
	for _, row := range trees {
		keys = append(keys, b.nodes[row.node].key)
	}
	if end > len(b.rows) {
		offset := max(b.out.First-len(b.rows), 0)
		loose, err := b.LooseKeys(b.now, b.req.HideDone, offset, end-len(b.rows)-offset)
		if err != nil {
			return err
		}
		keys = append(keys, loose...)
	}
	tasks, err := b.BriefTasks(keys)
	if err != nil {
		return err
	}
	cards, err := b.cards(tasks, cardParts{waits: true})
	if err != nil {
		return err
	}
	parents, err := b.idsOfParents(trees)
	if err != nil {
		return err
	}
	at := make(map[TaskKey]Card, len(cards))
	for _, card := range cards {
		at[card.Key] = card
	}
	for i, key := range keys {
		card, readable := at[key]
		switch {
		case !readable: // a damaged store
		case i < len(trees):
			b.out.Rows = append(b.out.Rows, b.treeRow(from+i, card, parents))
		default:
			b.out.Rows = append(b.out.Rows, TreeRow{Card: card})
		}
	}
	return nil
}

// treeRow is a row of the trees with its card.
func (b *treeBuilder) treeRow(i int, card Card, parents map[TaskKey]string) TreeRow {
	row := b.rows[i]
	if len(b.children(row.node)) > 0 {
		card.Progress = &b.nodes[row.node].below
	}
	out := TreeRow{
		Card: card, Depth: int(row.depth), Last: row.last, Lines: b.lines(i), Repeat: row.repeat,
		Folds: b.folds(row.node) && !row.repeat, Unfolded: b.isUnfolded(row.node) && !row.repeat,
	}
	if row.parent >= 0 {
		out.ParentID = parents[b.nodes[b.rows[row.parent].node].key]
	}
	return out
}

func (b *treeBuilder) idsOfParents(rows []treeRow) (map[TaskKey]string, error) {
	var keys []TaskKey
	for _, row := range rows {
		if row.parent >= 0 {
			keys = append(keys, b.nodes[b.rows[row.parent].node].key)
		}
	}
	heads, err := b.Heads(distinct(keys))
	ids := make(map[TaskKey]string, len(heads))
	for _, head := range heads {
		ids[head.Key] = head.ID
	}
	return ids, err
}

// lines tells of the ancestors of a row whether siblings of them follow.
func (b *treeBuilder) lines(i int) []bool {
	var lines []bool
	for at := b.rows[i].parent; at >= 0 && b.rows[at].depth > 0 && len(lines) < MaxTreeLines; at = b.rows[at].parent {
		lines = append(lines, !b.rows[at].last)
	}
	slices.Reverse(lines)
	return lines
}
