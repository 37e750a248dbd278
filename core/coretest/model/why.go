package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Unspecified stands in an expected answer where the contract leaves room and
// a check of its own judges instead.
type Unspecified struct{}

// chain is what a task waits for over live edges, walked backwards.
type chain struct {
	root    string
	edges   []edge          // the edges walked
	walked  map[string]bool // what they lead into
	byBlock map[string]bool // sources of blocks edges among them
	ways    map[string][]string
}

// chainOf walks the live edges backwards. It repeats until nothing changes:
// whether a timer gate is walked through depends on what else waits for it.
func (g *Graph) chainOf(root string) chain {
	c := chain{root: root, walked: map[string]bool{root: true}, byBlock: map[string]bool{}}
	for {
		before := fmt.Sprint(c.walked, c.byBlock)
		c.edges = nil
		for _, t := range g.tasks {
			if !c.walked[t.id] {
				continue
			}
			for _, e := range g.liveInto(t.id) {
				c.edges = append(c.edges, e)
				if e.kind == "blocks" {
					c.byBlock[e.from] = true
				}
			}
		}
		for _, e := range c.edges {
			source := g.task(e.from)
			_, isTimer := timer(source)
			if source.status == "open" && (!isTimer || c.byBlock[e.from]) {
				c.walked[e.from] = true
			}
		}
		if fmt.Sprint(c.walked, c.byBlock) == before {
			break
		}
	}
	c.ways = map[string][]string{}
	for _, e := range c.edges {
		if e.from != root && c.ways[e.from] == nil {
			c.ways[e.from] = shortestWay(root, e.from, c.sources)
		}
	}
	c.ways[root] = []string{root}
	return c
}

// sources lists what a member of the chain waits for, each once.
func (c chain) sources(id string) []string {
	var all []string
	for _, e := range c.edges {
		if e.to == id && !slices.Contains(all, e.from) {
			all = append(all, e.from)
		}
	}
	return all
}

func (c chain) isLeaf(id string) bool { return len(c.sources(id)) == 0 }

// rings reports whether a member of the chain waits for itself.
func (c chain) rings() bool {
	for id := range c.ways {
		if shortestWay(id, id, c.sources) != nil {
			return true
		}
	}
	return false
}

// leafKind is the kind of a root cause that is no ring.
func (g *Graph) leafKind(c chain, t *task) string {
	switch {
	case t.status == "cancelled":
		return "blocker_unsatisfiable"
	case t.kind == "gate" && !c.byBlock[t.id]:
		return "gate"
	}
	return "task"
}

// leaves lists the root causes that are no rings.
func (g *Graph) leaves(c chain) []any {
	var ids []string
	for id := range c.ways {
		if id != c.root && c.isLeaf(id) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(len(c.ways[a]), len(c.ways[b])), cmp.Compare(a, b)) })
	causes := []any{}
	for _, id := range ids {
		t := g.task(id)
		causes = append(causes, Object{
			"kind": g.leafKind(c, t), "task_id": id, "title": t.title, "status": t.status, "path": anyList(c.ways[id]),
		})
	}
	return causes
}

// planEntry is what has to happen to a member of the chain itself.
func (g *Graph) planEntry(c chain, id string) Object {
	t := g.task(id)
	o := Object{"task_id": id, "title": t.title}
	_, isTimer := timer(t)
	switch {
	case t.status == "cancelled":
		o["action"], o["options"] = "intervene", []any{"reopen", "delete_edge"}
	case t.kind != "gate" || c.byBlock[id]:
		o["action"] = "complete"
	case isTimer:
		o["action"], o["until"] = "wait_until", t.metadata["ready_at"]
	default:
		o["action"] = "resolve_gate"
		o["gate_type"], _ = t.metadata["gate_type"].(string)
	}
	return o
}

// inOrder sorts the members given so that predecessors come before what waits
// for them, ties by age, then id.
func (g *Graph) inOrder(members []string, sources func(string) []string) []string {
	var done []string
	for len(done) < len(members) {
		var best *task
		for _, id := range members {
			waits := slices.ContainsFunc(sources(id), func(source string) bool {
				return slices.Contains(members, source) && !slices.Contains(done, source)
			})
			if waits || slices.Contains(done, id) {
				continue
			}
			t := g.task(id)
			if best == nil || t.createdAt < best.createdAt || t.createdAt == best.createdAt && t.id < best.id {
				best = t
			}
		}
		if best == nil {
			return nil // a ring
		}
		done = append(done, best.id)
	}
	return done
}

func (g *Graph) why(o Object) Object {
	t := g.resolve("task_id", text(o, "task_id"))
	answer := Object{
		"task_id": t.id, "title": t.title, "status": t.status, "task_type": t.kind, "ready": g.isReady(t),
		"blockers": []any{}, "root_causes": []any{}, "unblock_plan": []any{}, "downstream": g.impact(t.id),
	}
	if t.status != "open" {
		return answer
	}
	answer["blockers"] = g.blockers(t.id)
	c := g.chainOf(t.id)
	if c.rings() {
		answer["root_causes"], answer["unblock_plan"] = Unspecified{}, Unspecified{}
		return answer
	}
	answer["root_causes"] = g.leaves(c)
	members := slices.Sorted(maps.Keys(c.ways))
	members = slices.DeleteFunc(members, func(id string) bool { return id == t.id })
	plan := []any{}
	for _, id := range g.inOrder(members, c.sources) {
		plan = append(plan, g.planEntry(c, id))
	}
	answer["unblock_plan"] = plan
	return answer
}

// CheckWhy judges the root causes and the plan of an answer by what they have
// to achieve, rings included: carrying out the plan frees the task, and with
// any step left out it does not.
func (g *Graph) CheckWhy(answer Object) error {
	root := text(answer, "task_id")
	causes, _ := answer["root_causes"].([]any)
	plan, _ := answer["unblock_plan"].([]any)
	if g.task(root).status != "open" || len(g.liveInto(root)) == 0 {
		if len(causes)+len(plan) > 0 {
			return fmt.Errorf("nothing holds %s back, yet there are %d causes and %d steps", root, len(causes), len(plan))
		}
		return nil
	}
	c := g.chainOf(root)
	if err := g.checkRings(c, causes); err != nil {
		return err
	}
	return g.checkPlan(c, plan)
}

func (g *Graph) checkRings(c chain, causes []any) error {
	var leaves []string
	found := map[string]bool{} // members of rings that were named
	for i, item := range causes {
		cause := item.(Object)
		id := text(cause, "task_id")
		path := list(cause, "path")
		if i > 0 {
			before := causes[i-1].(Object)
			if order := cmp.Or(cmp.Compare(len(list(before, "path")), len(path)), cmp.Compare(text(before, "task_id"), id)); order > 0 {
				return fmt.Errorf("the causes %s and %s stand in the wrong order", text(before, "task_id"), id)
			}
		}
		if text(cause, "kind") != "cycle" {
			leaves = append(leaves, id)
			continue
		}
		first := slices.Index(path, id)
		ring := path[max(first, 0):]
		switch {
		case first < 0 || path[0] != c.root || path[len(path)-1] != id || len(ring) < 2:
			return fmt.Errorf("the ring %v does not lead from %s to %s and round to it", path, c.root, id)
		case !slices.Equal(path[:first+1], c.ways[id]):
			return fmt.Errorf("the ring %v is not reached the shortest way, %v", path, c.ways[id])
		}
		for k := range len(ring) - 1 {
			if !slices.Contains(c.sources(ring[k]), ring[k+1]) {
				return fmt.Errorf("%s of the ring %v does not wait for %s", ring[k], ring, ring[k+1])
			}
			if k > 0 && (slices.Contains(ring[:k], ring[k]) || before(c.ways[ring[k]], c.ways[id])) {
				return fmt.Errorf("the ring %v does not begin at the member first reached, or meets one twice", ring)
			}
			found[ring[k]] = true
		}
	}
	var want []string
	for _, cause := range g.leaves(c) {
		want = append(want, text(cause.(Object), "task_id"))
	}
	if !slices.Equal(leaves, want) {
		return fmt.Errorf("the causes name the leaves %v, not %v", leaves, want)
	}
	// Whoever waits for itself must do so through a ring that is named.
	unnamed := func(id string) []string {
		return slices.DeleteFunc(c.sources(id), func(source string) bool { return found[source] })
	}
	for id := range c.ways {
		if !found[id] && shortestWay(id, id, unnamed) != nil {
			return fmt.Errorf("%s lies on a ring that no cause names", id)
		}
	}
	return nil
}

// before orders ways by length, then ids.
func before(a, b []string) bool {
	return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) < 0
}

func (g *Graph) checkPlan(c chain, plan []any) error {
	seen := map[string]bool{}
	cut := map[[2]string]bool{}
	var members []string
	for _, item := range plan {
		step := item.(Object)
		key := fmt.Sprint(step["action"], step["task_id"], step["path"])
		if seen[key] || text(step, "action") != "break_cycle" && slices.Contains(members, text(step, "task_id")) {
			return fmt.Errorf("the plan asks twice for %s", key)
		}
		seen[key] = true
		if text(step, "action") == "break_cycle" {
			path := list(step, "path")
			cut[[2]string{path[1], path[0]}] = true
			continue
		}
		members = append(members, text(step, "task_id"))
		want := g.planEntry(c, text(step, "task_id"))
		for _, name := range sortedKeys(want) {
			if fmt.Sprint(want[name]) != fmt.Sprint(step[name]) {
				return fmt.Errorf("the step for %s has %s %v, not %v", step["task_id"], name, step[name], want[name])
			}
		}
	}
	sources := func(id string) []string {
		return slices.DeleteFunc(c.sources(id), func(source string) bool { return cut[[2]string{source, id}] })
	}
	if want := g.inOrder(members, sources); !slices.Equal(want, members) {
		return fmt.Errorf("the plan goes %v, not %v", members, want)
	}
	for _, reopen := range []bool{true, false} {
		trial := g.copy()
		for i, item := range plan {
			if !trial.carryOut(item.(Object), reopen) {
				return fmt.Errorf("step %d of the plan, %v, cannot be carried out at its turn", i, item)
			}
		}
		if len(trial.liveInto(c.root)) > 0 {
			return fmt.Errorf("after the plan %s is still held back by %v", c.root, trial.liveInto(c.root))
		}
	}
	for skipped := range plan {
		trial := g.copy()
		for i, item := range plan {
			if i != skipped {
				trial.carryOut(item.(Object), true)
			}
		}
		if len(trial.liveInto(c.root)) == 0 {
			return fmt.Errorf("step %d of the plan, %v, is superfluous", skipped, plan[skipped])
		}
	}
	return nil
}

// carryOut does what a step asks for, as somebody would who completes only
// what nothing holds back; false when it cannot be done yet.
func (g *Graph) carryOut(step Object, reopen bool) bool {
	t := g.task(text(step, "task_id"))
	switch text(step, "action") {
	case "complete", "resolve_gate":
		if t.status != "open" || len(g.liveInto(t.id)) > 0 {
			return false
		}
		t.status = "completed"
	case "wait_until":
		if _, isTimer := timer(t); !isTimer || t.status != "open" {
			return false
		}
		// Only this gate opens, so that no other step becomes needless by it.
		t.metadata = with(maps.Clone(t.metadata), Object{"ready_at": "0001-01-01"})
	case "intervene":
		if t.status != "cancelled" {
			return false
		}
		if reopen {
			t.status = "completed"
		} else {
			g.removeEdges(func(e edge) bool { return e.from == t.id && isDependency(e.kind) })
		}
	case "break_cycle":
		path := list(step, "path")
		if len(path) < 2 || path[0] != t.id || path[len(path)-1] != t.id {
			return false
		}
		if !slices.ContainsFunc(g.edges, func(e edge) bool { return e.from == path[1] && e.to == path[0] && g.isLive(e) }) {
			return false
		}
		g.removeEdges(func(e edge) bool { return e.from == path[1] && e.to == path[0] && isDependency(e.kind) })
	default:
		panic("model: unknown action " + text(step, "action") + " in " + strings.Join(sortedKeys(step), ", "))
	}
	return true
}

func (g *Graph) removeEdges(test func(edge) bool) {
	g.edges = slices.DeleteFunc(slices.Clone(g.edges), test)
}
