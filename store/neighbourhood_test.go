package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dev.lithos/core"
)

// graphModel is the graph as the operations of the contract tell it.
type graphModel struct {
	tasks map[string]core.Task
	edges []core.EdgeItem // outgoing, each once
	live  map[string]bool // by source, target and type
}

func edgeName(from, to string, kind core.EdgeType) string {
	return from + " " + string(kind) + " " + to
}

func (w *boardWorld) graphModel(ctx context.Context) *graphModel {
	m := &graphModel{tasks: map[string]core.Task{}, live: map[string]bool{}}
	list, err := w.service.TaskList(ctx, core.TaskListRequest{})
	if err != nil {
		w.t.Fatal(err)
	}
	outgoing := "outgoing"
	for _, t := range list.Tasks {
		m.tasks[t.ID] = t
		edges, err := w.service.TaskEdgeList(ctx, core.TaskEdgeListRequest{TaskID: t.ID, Direction: &outgoing})
		if err != nil {
			w.t.Fatal(err)
		}
		m.edges = append(m.edges, edges.Edges...)
		why, err := w.service.TaskWhy(ctx, core.TaskWhyRequest{TaskID: t.ID})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, b := range why.Blockers {
			m.live[edgeName(b.TaskID, t.ID, b.Type)] = true
		}
	}
	return m
}

// within are the tasks that dependency edges lead to in at most depth steps.
func (m *graphModel) within(id string, depth int, forward bool) map[string]bool {
	found := map[string]bool{id: true}
	for range depth {
		next := map[string]bool{}
		for _, e := range m.edges {
			from, to := e.FromTaskID, e.ToTaskID
			if !forward {
				from, to = to, from
			}
			if e.Type.IsDependency() && found[from] {
				next[to] = true
			}
		}
		for id := range next {
			found[id] = true
		}
	}
	return found
}

// longest is the number of open tasks on the longest way of live edges from a
// task; the graph has no rings.
func (m *graphModel) longest(id string, forward bool) int {
	n := 0
	for _, e := range m.edges {
		from, to := e.FromTaskID, e.ToTaskID
		if !m.live[edgeName(from, to, e.Type)] {
			continue
		}
		if !forward {
			from, to = to, from
		}
		if from == id && m.tasks[to].Status == core.StatusOpen {
			n = max(n, m.longest(to, forward))
		}
	}
	return n + 1
}

func (w *boardWorld) checkNeighbourhood(ctx context.Context) {
	t := w.t
	t.Helper()
	m, id, depth := w.graphModel(ctx), w.id(), 1+w.r.IntN(3)
	got, err := w.service.Neighbourhood(ctx, id, depth)
	if err != nil {
		t.Fatal(err)
	}
	want := m.within(id, depth, true)
	for other := range m.within(id, depth, false) {
		want[other] = true
	}
	for _, e := range m.edges {
		if !e.Type.IsDependency() && (e.FromTaskID == id || e.ToTaskID == id) {
			want[e.FromTaskID], want[e.ToTaskID] = true, true
		}
	}
	at := map[string]int{}
	for i, node := range got.Nodes {
		if _, twice := at[node.ID]; twice || !want[node.ID] {
			t.Fatalf("%s is there, twice: %v", node.ID, twice)
		}
		at[node.ID] = i
	}
	if len(at) != len(want) || got.Nodes[got.Focus].ID != id {
		t.Fatalf("%d tasks around %s, want %d", len(at), id, len(want))
	}
	before, after, shown := map[string]map[string]bool{}, map[string]map[string]bool{}, 0
	note := func(side map[string]map[string]bool, id, other string) {
		if side[id] == nil {
			side[id] = map[string]bool{}
		}
		side[id][other] = true
	}
	for _, e := range m.edges {
		from, fromShown := at[e.FromTaskID]
		to, toShown := at[e.ToTaskID]
		if fromShown && toShown {
			shown++
			found := slices.ContainsFunc(got.Edges, func(g core.GraphEdge) bool {
				return g.From == from && g.To == to && g.Type == e.Type && g.Live == m.live[edgeName(e.FromTaskID, e.ToTaskID, e.Type)]
			})
			if !found {
				t.Fatalf("the edge %+v is not in %+v", e, got.Edges)
			}
		} else if fromShown && e.Type.IsDependency() {
			note(after, e.FromTaskID, e.ToTaskID)
		} else if toShown && e.Type.IsDependency() {
			note(before, e.ToTaskID, e.FromTaskID)
		}
	}
	if shown != len(got.Edges) {
		t.Fatalf("%d edges, want %d", len(got.Edges), shown)
	}
	for _, node := range got.Nodes {
		if node.Before != len(before[node.ID]) || node.After != len(after[node.ID]) {
			t.Fatalf("%s has %d and %d hidden neighbours, want %d and %d", node.ID, node.Before, node.After, len(before[node.ID]), len(after[node.ID]))
		}
		if node.Layer < 0 || node.Layer >= got.Layers {
			t.Fatalf("%s is in layer %d of %d", node.ID, node.Layer, got.Layers)
		}
	}
	checkLayers(t, got)
	chain := 0
	if m.tasks[id].Status == core.StatusOpen {
		chain = m.longest(id, true) + m.longest(id, false) - 1
	}
	if got.Length != chain || len(got.Chain) != chain {
		t.Fatalf("the longest chain through %s has %d tasks, want %d", id, got.Length, chain)
	}
	for i := 1; i < len(got.Chain); i++ {
		from, to := got.Chain[i-1].ID, got.Chain[i].ID
		if !m.live[edgeName(from, to, core.EdgeBlocks)] && !m.live[edgeName(from, to, core.EdgeWaitsOnGate)] {
			t.Fatalf("the chain goes from %s to %s", from, to)
		}
	}
	for _, edge := range got.Edges {
		on := slices.IndexFunc(got.Chain, func(c core.Card) bool { return c.ID == got.Nodes[edge.From].ID })
		is := edge.Live && on >= 0 && on+1 < len(got.Chain) && got.Chain[on+1].ID == got.Nodes[edge.To].ID
		if edge.Chain != is {
			t.Fatalf("%+v: part of the chain is %v", edge, is)
		}
	}
}

// checkLayers holds that edges lead on, unless that is impossible, and which
// of them follow from others.
func checkLayers(t *testing.T, n core.Neighbourhood) {
	t.Helper()
	used := make([]bool, n.Layers)
	next := map[int][]int{}
	waits := map[int][]int{}
	for _, node := range n.Nodes {
		used[node.Layer] = true
	}
	if slices.Contains(used, false) {
		t.Fatalf("a layer is empty: %v", used)
	}
	for _, e := range n.Edges {
		a, b := n.Nodes[e.From].Layer, n.Nodes[e.To].Layer
		if a == b || (a > b) != e.Against {
			t.Fatalf("%+v leads from layer %d to %d", e, a, b)
		}
		if !e.Against {
			next[e.From] = append(next[e.From], e.To)
			if e.Type.IsDependency() {
				waits[e.From] = append(waits[e.From], e.To)
			}
		}
	}
	var leads func(along map[int][]int, from, to int) bool
	leads = func(along map[int][]int, from, to int) bool {
		return from == to || slices.ContainsFunc(along[from], func(next int) bool { return leads(along, next, to) })
	}
	for _, e := range n.Edges {
		if e.Against && !leads(next, e.To, e.From) {
			t.Fatalf("%+v closes no ring", e)
		}
		implied := e.Type.IsDependency() && !e.Against &&
			slices.ContainsFunc(waits[e.From], func(i int) bool { return i != e.To && leads(waits, i, e.To) })
		if e.Implied != implied {
			t.Fatalf("%+v: it follows from others is %v", e, implied)
		}
	}
}

// TestNeighbourhood_followsTheOperations holds the graph around a task equal
// to what the operations of the contract say.
func TestNeighbourhood_followsTheOperations(t *testing.T) {
	for seed := range uint64(4) {
		ctx := context.Background()
		w := &boardWorld{t: t, r: rand.New(rand.NewPCG(seed, 11)), now: epoch.Time()}
		s := create(t)
		n := 0
		w.service = core.New(core.Config{Store: s, Now: func() time.Time { return w.now }, NewID: func() string {
			n++
			return seededID(rand.New(rand.NewPCG(seed, uint64(n))))
		}})
		for i := range 100 {
			w.step(ctx)
			if len(w.ids) > 2 && w.r.IntN(4) == 0 {
				w.move(ctx)
			}
			if len(w.ids) > 0 && i%3 == 0 {
				w.checkNeighbourhood(ctx)
			}
		}
	}
}

// loadGraph loads n open tasks with blocks edges.
func loadGraph(t testing.TB, n int, edges func(yield func(from, to int))) (*core.Service, []string) {
	t.Helper()
	s := create(t)
	r := rand.New(rand.NewPCG(1, 2))
	var keys []core.TaskKey
	var ids []string
	write(t, s, func(tx *tx) error {
		return tx.Load(func(l core.Loader) error {
			for i := range n {
				task := graphTask(r, i, false)
				key, err := l.InsertTask(task, core.FacetsOf(task.Type, task.Metadata))
				if err != nil {
					return err
				}
				keys, ids = append(keys, key), append(ids, task.ID)
			}
			var failed error
			edges(func(from, to int) {
				_, err := l.PutEdge(core.Edge{From: keys[from], To: keys[to], Type: core.EdgeBlocks, Metadata: "{}", CreatedBy: "x"})
				if failed == nil {
					failed = err
				}
			})
			return failed
		})
	})
	return core.New(core.Config{Store: s}), ids
}

// TestNeighbourhood_rings holds what is shown of rings: of the task's own, and
// of those elsewhere.
func TestNeighbourhood_rings(t *testing.T) {
	// 0 -> 1 -> 2 -> 0, 2 -> 3; elsewhere 4 <-> 5.
	service, ids := loadGraph(t, 6, func(yield func(from, to int)) {
		for _, e := range [][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {4, 5}, {5, 4}} {
			yield(e[0], e[1])
		}
	})
	got, err := service.Neighbourhood(context.Background(), ids[0], 3)
	if err != nil {
		t.Fatal(err)
	}
	checkLayers(t, got)
	against := 0
	for _, e := range got.Edges {
		if e.Against {
			against++
		}
	}
	if len(got.Nodes) != 4 || len(got.Edges) != 4 || against != 1 || got.Length != 0 {
		t.Errorf("%d tasks, %d edges, %d of them against, a chain of %d", len(got.Nodes), len(got.Edges), against, got.Length)
	}
	name := func(i int) string { return ids[i][:core.MinIDPrefixCharacters] }
	want := []core.Ring{
		{
			IDs:   []string{name(0), name(1), name(2), name(0)},
			Whole: []string{ids[0], ids[1], ids[2], ids[0]}, Shown: true,
		},
		{IDs: []string{name(4), name(5), name(4)}, Whole: []string{ids[4], ids[5], ids[4]}},
	}
	if got.InRing != 2 || fmt.Sprint(got.Rings) != fmt.Sprint(want) {
		t.Errorf("%d rings: %v, want %v", got.InRing, got.Rings, want)
	}
	for _, node := range got.Nodes {
		ring := slices.ContainsFunc(node.Waits, func(w core.Wait) bool { return w.Kind == core.BlockedByCycle })
		if ring != (node.ID != ids[3]) {
			t.Errorf("%s waits in a ring: %v", node.ID, ring)
		}
	}
}

// TestNeighbourhood_isBounded holds that dense and long graphs are cut where
// it is said, and quickly.
func TestNeighbourhood_isBounded(t *testing.T) {
	for _, test := range []struct {
		name               string
		tasks              int
		edges              func(yield func(from, to int))
		at, depth          int
		nodes, total, long int
		more               bool
	}{
		{"diamonds", 72, func(yield func(from, to int)) {
			for i := 0; i+3 < 72; i += 3 {
				for _, e := range [][2]int{{i, i + 1}, {i, i + 2}, {i + 1, i + 3}, {i + 2, i + 3}} {
					yield(e[0], e[1])
				}
			}
		}, 36, 9, 29, 70, 47, false},
		{"everything waits for everything", 200, func(yield func(from, to int)) {
			for i := range 200 {
				for j := range i {
					yield(j, i)
				}
			}
		}, 100, 2, 121, 200, 200, false},
		{"hub", 5_000, func(yield func(from, to int)) {
			for i := 1; i < 5_000; i++ {
				yield(i, 0)
			}
		}, 0, 2, 1 + core.MaxGraphSide, 1 + core.MaxReach, 2, true},
		{"chain", 20_000, func(yield func(from, to int)) {
			for i := 1; i < 20_000; i++ {
				yield(i-1, i)
			}
		}, 10_000, 4, 9, 1 + 2*core.MaxReach, 1 + 2*core.MaxReach, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			service, ids := loadGraph(t, test.tasks, test.edges)
			got, err := service.Neighbourhood(context.Background(), ids[test.at], test.depth)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Nodes) != test.nodes || got.Total != test.total || got.Length != test.long || got.More != test.more || len(got.Chain) > core.MaxChainCards {
				t.Errorf("%d tasks of %d (more %v), a chain of %d shown as %d", len(got.Nodes), got.Total, got.More, got.Length, len(got.Chain))
			}
		})
	}
}
