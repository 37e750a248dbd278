package core

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"strings"
)

// TaskWhyRequest names the task to explain.
type TaskWhyRequest struct {
	TaskID string `json:"task_id"`
}

// RootCause is a place where the chain of what holds a task back begins.
type RootCause struct {
	Kind   BlockerKind
	TaskID string
	Title  *string // nil when the row is missing
	Status string
	Path   []string // ids from the asked task to the cause
}

// AppendJSON appends the entry with its keys in the contract's order.
func (r RootCause) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.str("kind", string(r.Kind))
	o.str("task_id", r.TaskID)
	o.nullableStr("title", r.Title)
	o.str("status", r.Status)
	o.any("path", r.Path)
	return o.end()
}

// PlanAction is what a step of an unblock plan asks for.
type PlanAction string

// The actions of an unblock plan.
const (
	ActionComplete    PlanAction = "complete"     // do the work
	ActionWaitUntil   PlanAction = "wait_until"   // a timer gate opens by itself
	ActionResolveGate PlanAction = "resolve_gate" // pass the gate
	ActionIntervene   PlanAction = "intervene"    // reopen and complete it, or delete the edge
	ActionBreakCycle  PlanAction = "break_cycle"  // delete an edge of the ring
)

// PlanStep is one thing that must happen before the asked task is ready.
type PlanStep struct {
	Action   PlanAction
	TaskID   string
	Title    *string  // nil when the row is missing
	Until    string   // wait_until: the gate's ready_at
	GateType string   // resolve_gate
	Options  []string // intervene
	Path     []string // break_cycle: once round the ring; its first edge to cut is the one into the first member
}

// AppendJSON appends the step with its keys in the contract's order.
func (p PlanStep) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.str("action", string(p.Action))
	o.str("task_id", p.TaskID)
	o.nullableStr("title", p.Title)
	switch p.Action {
	case ActionWaitUntil:
		o.str("until", p.Until)
	case ActionResolveGate:
		o.str("gate_type", p.GateType)
	case ActionIntervene:
		o.any("options", p.Options)
	case ActionBreakCycle:
		o.any("path", p.Path)
	}
	return o.end()
}

// TaskWhyResult explains whether a task can be started and what to do when it
// cannot.
type TaskWhyResult struct {
	TaskID      string
	Title       string
	Status      Status
	TaskType    TaskType
	Ready       bool
	Blockers    []Blocker
	RootCauses  []RootCause
	UnblockPlan []PlanStep
	Downstream  int // how many open tasks wait for it
}

// AppendJSON appends the result.
func (r TaskWhyResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.str("task_id", r.TaskID)
	o.str("title", r.Title)
	o.str("status", string(r.Status))
	o.str("task_type", string(r.TaskType))
	o.bool("ready", r.Ready)
	appendList(o, "blockers", r.Blockers)
	appendList(o, "root_causes", r.RootCauses)
	appendList(o, "unblock_plan", r.UnblockPlan)
	o.int("downstream", int64(r.Downstream))
	return o.end()
}

// TaskWhy is the operation task_why.
var TaskWhy = Op[TaskWhyRequest, TaskWhyResult]{
	name: "task_why", summary: "Explain what holds a task back, down to the causes, and the plan that frees it.", readOnly: true,
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).TaskWhy,
}

// TaskWhy explains what holds a task back.
func (s *Service) TaskWhy(ctx context.Context, req TaskWhyRequest) (TaskWhyResult, error) {
	return read(ctx, s, req, func(v view, req TaskWhyRequest) (TaskWhyResult, error) {
		head, err := resolveTask(v, "task_id", req.TaskID)
		if err != nil {
			return TaskWhyResult{}, err
		}
		return v.why(head)
	})
}

func (v view) why(head TaskHead) (TaskWhyResult, error) {
	result, _, err := v.explain(head)
	return result, err
}

// explanation is the chain behind a task and the rings in it that a plan cuts.
type explanation struct {
	chain *chain
	rings []ring
}

// explain tells what holds a task back, with what a plan is made of; nil when
// nothing does.
func (v view) explain(head TaskHead) (TaskWhyResult, *explanation, error) {
	result := TaskWhyResult{TaskID: head.ID, Title: head.Title, Status: head.Status, TaskType: head.Type}
	var err error
	if result.Downstream, err = v.impact(head.Key); err != nil || head.Status != StatusOpen {
		return result, nil, err
	}
	blockers, err := v.blockers([]TaskKey{head.Key})
	if err != nil {
		return result, nil, err
	}
	result.Blockers = blockers[head.Key]
	result.Ready = head.Type == TypeTask && len(result.Blockers) == 0
	if len(result.Blockers) == 0 {
		return result, nil, nil
	}
	chain, err := v.chain(head)
	if err != nil {
		return result, nil, err
	}
	rings := chain.breakRings()
	result.RootCauses = chain.rootCauses(rings)
	rings = chain.keepNeeded(rings)
	result.UnblockPlan = chain.plan(rings)
	return result, &explanation{chain, rings}, nil
}

// chainNode is a node of the chain of live edges behind a task.
type chainNode struct {
	head     TaskHead
	missing  bool
	gate     Metadata
	waiter   TaskKey      // the next node on the shortest way to the root
	byBlocks bool         // some edge asks for its completion, not only for the gate to open
	opens    *int64       // an open timer gate: when it opens
	waitsFor []Dependency // live incoming edges, sources by id
}

// chain is everything that a task waits for over live edges, walked backwards
// as far as waiting goes.
type chain struct {
	root  TaskKey
	nodes map[TaskKey]*chainNode
	order []TaskKey           // by distance from the root, ties by the ids of the path
	cut   map[[2]TaskKey]bool // edges (source, target) that the plan deletes
}

// ring is a cycle among the nodes of a chain.
type ring struct {
	members []TaskKey // once round, the first reached member first and last
}

// chain walks the live edges backwards from a task.
func (v view) chain(head TaskHead) (*chain, error) {
	c := &chain{
		root:  head.Key,
		nodes: map[TaskKey]*chainNode{head.Key: {head: head}},
		cut:   map[[2]TaskKey]bool{},
	}
	walked := map[TaskKey]bool{head.Key: true}
	for generation := []TaskKey{head.Key}; len(generation) > 0; {
		incoming, err := v.Incoming(generation, true)
		if err != nil {
			return nil, err
		}
		for _, edge := range Assess(incoming, v.now) {
			node := c.nodes[edge.Target]
			node.waitsFor = append(node.waitsFor, edge)
		}
		var next []TaskKey
		for _, key := range generation {
			node := c.nodes[key]
			slices.SortStableFunc(node.waitsFor, func(a, b Dependency) int { return strings.Compare(a.Source.ID, b.Source.ID) })
			for _, edge := range node.waitsFor {
				source := c.meet(edge)
				if source.mustBeWalked() && !walked[edge.Source.Key] {
					walked[edge.Source.Key] = true
					next = append(next, edge.Source.Key)
				}
			}
		}
		generation = next
	}
	c.arrange()
	return c, nil
}

// arrange orders the nodes by their shortest way to the root, ties by the ids
// on it. The walk cannot tell: a timer gate that has to be completed for a
// distant task leads on although it was met before as one that only opens.
func (c *chain) arrange() {
	c.order = []TaskKey{c.root}
	met := map[TaskKey]bool{c.root: true}
	for i := 0; i < len(c.order); i++ {
		for _, edge := range c.nodes[c.order[i]].waitsFor {
			if source := edge.Source.Key; !met[source] {
				met[source] = true
				c.nodes[source].waiter = c.order[i]
				c.order = append(c.order, source)
			}
		}
	}
}

// meet notes the source of an edge met on the walk.
func (c *chain) meet(edge Dependency) *chainNode {
	key := edge.Source.Key
	node, known := c.nodes[key]
	if !known {
		node = &chainNode{head: edge.Source, missing: edge.Missing, gate: edge.Gate}
		c.nodes[key] = node
	}
	if edge.Type == EdgeBlocks {
		node.byBlocks = true
	} else {
		node.opens = opensAt(edge)
	}
	return node
}

// path lists the ids from the root to a node, the shortest way.
func (c *chain) path(key TaskKey) []string {
	ids := []string{c.nodes[key].head.ID}
	for key != c.root {
		key = c.nodes[key].waiter
		ids = append(ids, c.nodes[key].head.ID)
	}
	slices.Reverse(ids)
	return ids
}

// mustBeWalked reports whether what the node itself waits for matters: not
// for what can never be satisfied, nor for a timer that only has to open.
func (n *chainNode) mustBeWalked() bool {
	return !n.missing && n.head.Status == StatusOpen && (n.byBlocks || n.opens == nil)
}

func (n *chainNode) title() *string {
	if n.missing {
		return nil
	}
	return &n.head.Title
}

func (n *chainNode) status() string {
	if n.missing {
		return statusMissing
	}
	return string(n.head.Status)
}

// isLeaf reports whether the chain ends at the node.
func (n *chainNode) isLeaf() bool { return len(n.waitsFor) == 0 }

// kind is the kind of a leaf.
func (n *chainNode) kind() BlockerKind {
	switch {
	case n.missing || n.head.Status == StatusCancelled:
		return BlockedForGood
	case n.head.Type == TypeGate && !n.byBlocks:
		return BlockedByGate
	}
	return BlockedByTask
}

// step is what has to happen to the node itself.
func (n *chainNode) step() PlanStep {
	s := PlanStep{TaskID: n.head.ID, Title: n.title()}
	switch {
	case n.missing:
		s.Action, s.Options = ActionIntervene, []string{"delete_edge"}
	case n.head.Status == StatusCancelled:
		s.Action, s.Options = ActionIntervene, []string{"reopen", "delete_edge"}
	case n.head.Type == TypeGate && !n.byBlocks && n.opens != nil:
		s.Action = ActionWaitUntil
		s.Until, _ = n.gate.GetString("ready_at")
	case n.head.Type == TypeGate && !n.byBlocks:
		s.Action = ActionResolveGate
		s.GateType, _ = n.gate.GetString("gate_type")
	default:
		s.Action = ActionComplete
	}
	return s
}

// breakRings cuts edges until no ring is left in the chain, and returns the
// rings it cut, in the order they are reached.
func (c *chain) breakRings() []ring {
	var rings []ring
	for {
		found, ok := c.findRing()
		if !ok {
			return rings
		}
		rings = append(rings, found)
		c.cut[found.edge()] = true
	}
}

// edge is where a ring is cut: the edge into its first reached member, so that
// the rest of it need not be done.
func (r ring) edge() [2]TaskKey { return [2]TaskKey{r.members[1], r.members[0]} }

// findRing returns the shortest ring through the first reached node that lies
// on one.
func (c *chain) findRing() (ring, bool) {
	_, stuck := c.sorted(nil)
	for _, start := range stuck {
		if members := c.wayBack(start); members != nil {
			return ring{members}, true
		}
	}
	return ring{}, false
}

// keepNeeded mends the cuts that the root does not depend on, and returns the
// rings that remain cut.
func (c *chain) keepNeeded(rings []ring) []ring {
	var candidates, kept []ring
	needed := c.needed()
	for _, r := range rings {
		if needed[r.members[0]] {
			candidates = append(candidates, r)
		} else {
			delete(c.cut, r.edge())
		}
	}
	// A later cut may have opened an earlier ring as well.
	for _, r := range candidates {
		delete(c.cut, r.edge())
		if _, stuck := c.sorted(c.needed()); len(stuck) > 0 {
			c.cut[r.edge()] = true
			kept = append(kept, r)
		}
	}
	return kept
}

// needed are the nodes that the root still waits for once the cut edges are
// gone, the root included.
func (c *chain) needed() map[TaskKey]bool {
	seen := map[TaskKey]bool{c.root: true}
	for stack := []TaskKey{c.root}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, source := range c.sources(at) {
			if !seen[source] {
				seen[source] = true
				stack = append(stack, source)
			}
		}
	}
	return seen
}

// sources are the nodes that a node waits for over edges that are not cut.
func (c *chain) sources(key TaskKey) []TaskKey {
	var list []TaskKey
	for _, edge := range c.nodes[key].waitsFor {
		if !c.cut[[2]TaskKey{edge.Source.Key, key}] {
			list = append(list, edge.Source.Key)
		}
	}
	return list
}

// wayBack is the shortest walk along what a node waits for that leads back to
// it, ties by id; nil when there is none.
func (c *chain) wayBack(start TaskKey) []TaskKey {
	cameFrom := map[TaskKey]TaskKey{}
	for queue := []TaskKey{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, source := range c.sources(at) {
			if source == start {
				members := []TaskKey{start}
				for ; at != start; at = cameFrom[at] {
					members = append(members, at)
				}
				members = append(members, start)
				slices.Reverse(members)
				return members
			}
			if _, seen := cameFrom[source]; !seen {
				cameFrom[source] = at
				queue = append(queue, source)
			}
		}
	}
	return nil
}

func (c *chain) ids(keys []TaskKey) []string {
	ids := make([]string, len(keys))
	for i, key := range keys {
		ids[i] = c.nodes[key].head.ID
	}
	return ids
}

// rootCauses lists the leaves of the chain and its rings.
func (c *chain) rootCauses(rings []ring) []RootCause {
	causes := []RootCause{}
	for _, key := range c.order {
		if node := c.nodes[key]; key != c.root && node.isLeaf() {
			causes = append(causes, RootCause{
				Kind: node.kind(), TaskID: node.head.ID, Title: node.title(), Status: node.status(), Path: c.path(key),
			})
		}
	}
	for _, r := range rings {
		first := r.members[0]
		node := c.nodes[first]
		causes = append(causes, RootCause{
			Kind: BlockedByCycle, TaskID: node.head.ID, Title: node.title(), Status: node.status(),
			Path: append(c.path(first), c.ids(r.members[1:])...),
		})
	}
	slices.SortStableFunc(causes, func(a, b RootCause) int {
		return cmp.Or(cmp.Compare(len(a.Path), len(b.Path)), strings.Compare(a.TaskID, b.TaskID))
	})
	return causes
}

// plan orders what has to happen: predecessors before what waits for them,
// ties by created_at, then id.
func (c *chain) plan(rings []ring) []PlanStep {
	order, _ := c.sorted(c.needed())
	return c.steps(order, rings)
}

// steps are what has to happen to nodes in an order, with the cuts of rings.
func (c *chain) steps(order []TaskKey, rings []ring) []PlanStep {
	cuts := map[TaskKey][]PlanStep{}
	for _, r := range rings {
		first := r.members[0]
		node := c.nodes[first]
		cuts[first] = append(cuts[first], PlanStep{
			Action: ActionBreakCycle, TaskID: node.head.ID, Title: node.title(), Path: c.ids(r.members),
		})
	}
	steps := []PlanStep{}
	for _, key := range order {
		steps = append(steps, cuts[key]...)
		if key != c.root {
			steps = append(steps, c.nodes[key].step())
		}
	}
	return steps
}

// sorted orders the nodes of a set, or all of them for nil, predecessors
// before what waits for them, ties by created_at, then id. stuck are those that
// lie on a ring or wait for one, in the order they were reached.
func (c *chain) sorted(within map[TaskKey]bool) (order, stuck []TaskKey) {
	return c.sortedBy(within, func(a, b TaskKey) int {
		m, n := c.nodes[a].head, c.nodes[b].head
		return cmp.Or(cmp.Compare(m.CreatedAt, n.CreatedAt), strings.Compare(m.ID, n.ID))
	})
}

// sortedBy is sorted with other ties.
func (c *chain) sortedBy(within map[TaskKey]bool, compare func(a, b TaskKey) int) (order, stuck []TaskKey) {
	open := map[TaskKey]int{} // how many sources are still to come
	targets := map[TaskKey][]TaskKey{}
	queue := &planQueue{compare: compare}
	for _, key := range c.order {
		if within != nil && !within[key] {
			continue
		}
		sources := slices.Compact(slices.Sorted(slices.Values(c.sources(key))))
		open[key] = len(sources)
		for _, source := range sources {
			targets[source] = append(targets[source], key)
		}
		if len(sources) == 0 {
			heap.Push(queue, key)
		}
	}
	for queue.Len() > 0 {
		key := heap.Pop(queue).(TaskKey)
		order = append(order, key)
		for _, target := range targets[key] {
			if open[target]--; open[target] == 0 {
				heap.Push(queue, target)
			}
		}
	}
	for _, key := range c.order {
		if open[key] > 0 {
			stuck = append(stuck, key)
		}
	}
	return order, stuck
}

// planQueue holds the nodes whose predecessors are all planned, in an order.
type planQueue struct {
	compare func(a, b TaskKey) int
	keys    []TaskKey
}

func (q *planQueue) Len() int { return len(q.keys) }

func (q *planQueue) Less(i, j int) bool { return q.compare(q.keys[i], q.keys[j]) < 0 }

func (q *planQueue) Swap(i, j int) { q.keys[i], q.keys[j] = q.keys[j], q.keys[i] }

// Push implements heap.Interface.
func (q *planQueue) Push(x any) { q.keys = append(q.keys, x.(TaskKey)) }

// Pop implements heap.Interface.
func (q *planQueue) Pop() any {
	last := q.keys[len(q.keys)-1]
	q.keys = q.keys[:len(q.keys)-1]
	return last
}
