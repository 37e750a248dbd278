package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
)

// ringFamilies are the edges that must not form rings.
var ringFamilies = []struct {
	what  string
	types []core.EdgeType
}{
	{"each waits for the one before it", []core.EdgeType{core.EdgeBlocks, core.EdgeWaitsOnGate}},
	{"each is a child of the one before it", []core.EdgeType{core.EdgeParentChild}},
}

// lookCycles names one closed path of every group of tasks that lead to one
// another.
func (t *tx) lookCycles(*ExamineOptions) (fault, seen string, err error) {
	var wrong faults
	edges := int64(0)
	for _, family := range ringFamilies {
		g, err := t.edgeGraph(family.types)
		if err != nil {
			return "", "", err
		}
		edges += int64(len(g.heads))
		for _, ring := range g.rings() {
			if wrong.count >= maxNamed {
				wrong.count++
				continue
			}
			path := make([]string, len(ring)+1)
			for i, key := range ring {
				if path[i], err = t.idOf(key); err != nil {
					return "", "", err
				}
			}
			path[len(ring)] = path[0]
			wrong.add("%s (%s)", abridged(path), family.what)
		}
	}
	return wrong.text("ring of tasks", "rings of tasks"), fmt.Sprintf("%s form no ring.", counted(edges, "edge")), nil
}

// lookNotedRings looks for a ring that the store does not know of: those that
// an import brings are noted.
func (t *tx) lookNotedRings(o *ExamineOptions) (fault, seen string, err error) {
	noted, err := t.MayHaveRings()
	if err != nil || noted {
		return "", "", err
	}
	rings, err := t.hasRings()
	if err != nil || !rings {
		return "", "", err
	}
	return t.lookCycles(o)
}

// maxRingNamed is how many tasks of a ring are named.
const maxRingNamed = 20

func abridged(path []string) string {
	if len(path) > maxRingNamed {
		path = slices.Concat(path[:maxRingNamed-1], []string{fmt.Sprintf("%d more", len(path)-maxRingNamed)}, path[len(path)-1:])
	}
	return strings.Join(path, " → ")
}

// idOf is the id of a task, also of one that is missing.
func (t *tx) idOf(key core.TaskKey) (id string, err error) {
	found, err := t.one("SELECT id FROM tasks WHERE seq = ?", func(r *row) { id = r.text(0) }, key)
	if err != nil || found {
		return id, err
	}
	return t.missingID(key)
}

// edgeGraph is the edges of some types by number of their ends: the n-th task
// leads to heads[first[n]:first[n+1]].
type edgeGraph struct {
	keys  []core.TaskKey // ascending
	first []int
	heads []int
}

func (t *tx) edgeGraph(types []core.EdgeType) (*edgeGraph, error) {
	type pair struct{ from, to core.TaskKey }
	var pairs []pair
	g := &edgeGraph{}
	err := t.each("SELECT from_seq, to_seq FROM edges NOT INDEXED WHERE type IN "+typeList(types), func(r *row) error {
		p := pair{r.key(0), r.key(1)}
		pairs = append(pairs, p)
		g.keys = append(g.keys, p.from, p.to)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(g.keys)
	g.keys = slices.Compact(g.keys)
	number := make(map[core.TaskKey]int, len(g.keys))
	for i, key := range g.keys {
		number[key] = i
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.from, b.from) })
	g.first = make([]int, len(g.keys)+1)
	g.heads = make([]int, len(pairs))
	for i, p := range pairs {
		g.first[number[p.from]+1]++
		g.heads[i] = number[p.to]
	}
	for i := 1; i < len(g.first); i++ {
		g.first[i] += g.first[i-1]
	}
	return g, nil
}

func (g *edgeGraph) after(n int) []int { return g.heads[g.first[n]:g.first[n+1]] }

// rings returns a shortest ring through the first task of every group of tasks
// that lead to one another.
func (g *edgeGraph) rings() (rings [][]core.TaskKey) {
	group := g.groups()
	size := map[int]int{}
	for _, n := range group {
		size[n]++
	}
	seen := map[int]bool{}
	for n := range g.keys {
		if seen[group[n]] || size[group[n]] == 1 && !slices.Contains(g.after(n), n) {
			continue
		}
		seen[group[n]] = true
		rings = append(rings, g.ring(n, group))
	}
	return rings
}

// ring is a shortest way from a task back to itself within its group.
func (g *edgeGraph) ring(start int, group []int) []core.TaskKey {
	came := map[int]int{}
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		for _, next := range g.after(queue[0]) {
			if next == start {
				var ring []core.TaskKey
				for at := queue[0]; at != start; at = came[at] {
					ring = append(ring, g.keys[at])
				}
				ring = append(ring, g.keys[start])
				slices.Reverse(ring)
				return ring
			}
			if _, known := came[next]; !known && group[next] == group[start] {
				came[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// groups numbers the strongly connected components: Tarjan's algorithm, without
// recursion, for chains of dependencies are as long as people make them.
func (g *edgeGraph) groups() []int {
	const unseen = -1
	n := len(g.keys)
	group, index, low := make([]int, n), make([]int, n), make([]int, n)
	for i := range n {
		group[i], index[i] = unseen, unseen
	}
	type visit struct{ task, next int }
	var open []int
	var path []visit
	count := 0
	enter := func(task int) {
		index[task], low[task] = count, count
		count++
		open = append(open, task)
		path = append(path, visit{task, 0})
	}
	for start := range n {
		if index[start] != unseen {
			continue
		}
		enter(start)
		for len(path) > 0 {
			at := &path[len(path)-1]
			if heads := g.after(at.task); at.next < len(heads) {
				head := heads[at.next]
				at.next++
				switch {
				case index[head] == unseen:
					enter(head)
				case group[head] == unseen:
					low[at.task] = min(low[at.task], index[head])
				}
				continue
			}
			task := at.task
			path = path[:len(path)-1]
			if len(path) > 0 {
				before := path[len(path)-1].task
				low[before] = min(low[before], low[task])
			}
			if low[task] != index[task] {
				continue
			}
			for {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				group[last] = task
				if last == task {
					break
				}
			}
		}
	}
	return group
}

// lookEdgeRules looks for edges that no command makes, only imports of damaged
// plans.
func (t *tx) lookEdgeRules(*ExamineOptions) (fault, seen string, err error) {
	var wrong faults
	var children []core.TaskKey
	var parents []int64
	err = t.each("SELECT to_seq, count(*) FROM edges INDEXED BY edges_to WHERE type = 2 GROUP BY to_seq HAVING count(*) > 1", func(r *row) error {
		children, parents = append(children, r.key(0)), append(parents, r.int(1))
		return nil
	})
	if err != nil {
		return "", "", err
	}
	for i, key := range children {
		if i >= maxNamed {
			wrong.count++
			continue
		}
		id, err := t.idOf(key)
		if err != nil {
			return "", "", err
		}
		wrong.add("'%s' has %d parents", id, parents[i])
	}
	err = t.each("SELECT s.id, e.to_seq FROM edges e NOT INDEXED CROSS JOIN tasks s ON s.seq = e.from_seq WHERE e.type = 3 AND s.task_type <> 2", func(r *row) error {
		wrong.add("'%s' is waited on as a gate and is none", r.text(0))
		return nil
	})
	return wrong.text("edge breaks a rule", "edges break a rule"), "No task has two parents, and only gates are waited on as gates.", err
}
