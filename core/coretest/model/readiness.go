package model

import (
	"slices"
	"sort"
	"strings"
)

func isDependency(kind string) bool { return kind == "blocks" || kind == "waits_on_gate" }

// timer returns when a timer gate opens; false when it is another task, or its
// metadata is unusable.
func timer(t *task) (at int64, ok bool) {
	if t.kind != "gate" || t.metadata["gate_type"] != "timer" {
		return 0, false
	}
	s, isText := t.metadata["ready_at"].(string)
	if !isText {
		return 0, false
	}
	return readTime(s)
}

// isLive reports whether an edge holds its target back.
func (g *Graph) isLive(e edge) bool {
	if !isDependency(e.kind) {
		return false
	}
	source := g.task(e.from)
	switch source.status {
	case "completed":
		return false
	case "cancelled":
		return true
	}
	if e.kind == "waits_on_gate" {
		if at, ok := timer(source); ok {
			return at > wholeSeconds(g.Now)
		}
	}
	return true
}

// liveInto lists the live edges into a task, by type, then insertion.
func (g *Graph) liveInto(id string) []edge {
	var live []edge
	for _, e := range g.edges {
		if e.to == id && g.isLive(e) {
			live = append(live, e)
		}
	}
	sort.SliceStable(live, func(i, j int) bool { return live[i].kind < live[j].kind })
	return live
}

func (g *Graph) isReady(t *task) bool {
	return t.status == "open" && t.kind == "task" && len(g.liveInto(t.id)) == 0
}

func (g *Graph) isBlocked(t *task) bool {
	return t.status == "open" && t.kind == "task" && len(g.liveInto(t.id)) > 0
}

// impact counts the open tasks that wait for a task, directly or through one
// another.
func (g *Graph) impact(id string) int {
	reached := map[string]bool{}
	var visit func(string)
	visit = func(from string) {
		for _, e := range g.edges {
			if e.from == from && g.isLive(e) && g.task(e.to).status == "open" && !reached[e.to] && e.to != id {
				reached[e.to] = true
				visit(e.to)
			}
		}
	}
	visit(id)
	return len(reached)
}

// shortestWay finds the way from one task to another where next lists the
// steps possible from each; of several shortest ones the first by ids. nil when
// there is none. It is never shorter than one step.
func shortestWay(from, to string, next func(string) []string) []string {
	ways := [][]string{{from}}
	seen := map[string]bool{}
	for len(ways) > 0 {
		var longer [][]string
		for _, way := range ways {
			for _, id := range next(way[len(way)-1]) {
				if !seen[id] || id == to {
					longer = append(longer, append(slices.Clone(way), id))
				}
			}
		}
		slices.SortFunc(longer, slices.Compare[[]string])
		ways = nil
		for _, way := range longer {
			end := way[len(way)-1]
			if end == to {
				return way
			}
			if !seen[end] {
				seen[end] = true
				ways = append(ways, way)
			}
		}
	}
	return nil
}

// ring is the ring that an edge from → to closes or would close: from, what it
// waits for, …, to, from; nil when there is none.
func (g *Graph) ring(from, to string, kinds []string, openOnly bool) []string {
	sources := func(id string) []string {
		var all []string
		for _, e := range g.edges {
			if e.to == id && slices.Contains(kinds, e.kind) && (!openOnly || g.task(e.from).status == "open") && !slices.Contains(all, e.from) {
				all = append(all, e.from)
			}
		}
		return all
	}
	way := []string{from}
	if from != to {
		way = shortestWay(from, to, sources)
	}
	if way == nil {
		return nil
	}
	return append(way, from)
}

// blockers lists what holds an open task back.
func (g *Graph) blockers(id string) []any {
	all := []any{}
	for _, e := range g.liveInto(id) {
		source := g.task(e.from)
		b := Object{"task_id": source.id, "type": e.kind, "status": source.status}
		var ring []string
		if e.kind == "blocks" && source.status == "open" {
			ring = g.ring(e.from, id, []string{"blocks"}, true)
		}
		switch {
		case source.status == "cancelled":
			b["kind"], b["message"] = "blocker_unsatisfiable", Mentions{source.id, "somebody must intervene"}
		case e.kind == "waits_on_gate":
			names := Mentions{source.id}
			if kind, ok := source.metadata["gate_type"].(string); ok {
				names = append(names, kind)
			}
			if _, ok := timer(source); ok {
				names = append(names, source.metadata["ready_at"].(string))
			}
			b["kind"], b["message"] = "gate", names
		case ring != nil:
			b["kind"], b["message"] = "cycle", Mentions{strings.Join(ring, " -> ")}
		default:
			b["kind"], b["message"] = "task", Mentions{source.id}
		}
		all = append(all, b)
	}
	return all
}

// parent is the id of a task's parent, empty when it has none.
func (g *Graph) parent(id string) string {
	for _, e := range g.edges {
		if e.to == id && e.kind == "parent_child" {
			return e.from
		}
	}
	return ""
}

// children lists the children of a task by age, then id.
func (g *Graph) children(id string) []*task {
	var all []*task
	for _, e := range g.edges {
		if e.from == id && e.kind == "parent_child" {
			all = append(all, g.task(e.to))
		}
	}
	sort.Slice(all, func(i, j int) bool {
		return all[i].createdAt < all[j].createdAt || all[i].createdAt == all[j].createdAt && all[i].id < all[j].id
	})
	return all
}

// level is how deep a task lies, 1 without a parent.
func (g *Graph) level(id string) int {
	seen := map[string]bool{}
	for ; id != "" && !seen[id]; id = g.parent(id) {
		seen[id] = true
	}
	return len(seen)
}

// height is how many levels a task and its descendants take.
func (g *Graph) height(id string) int {
	seen := map[string]bool{id: true}
	levels := 0
	for generation := []string{id}; len(generation) > 0; levels++ {
		var next []string
		for _, member := range generation {
			for _, child := range g.children(member) {
				if !seen[child.id] {
					seen[child.id] = true
					next = append(next, child.id)
				}
			}
		}
		generation = next
	}
	return levels
}
