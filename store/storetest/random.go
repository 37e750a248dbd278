package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dev.lithos/core"
)

// memory is what a naive observer remembers of a store: every task, every
// edge in the order of insertion.
type memory struct {
	tasks map[string]*core.Task
	order []string
	edges []core.Edge
	keys  map[string]core.TaskKey
	names map[core.TaskKey]string
	fresh int
}

func (m *memory) incoming(id string) (list []core.Dependency) {
	edges := slices.Clone(m.edges)
	slices.SortStableFunc(edges, func(a, b core.Edge) int { return strings.Compare(string(a.Type), string(b.Type)) })
	for _, e := range edges {
		if e.ToID != id || !e.Type.IsDependency() {
			continue
		}
		source := m.tasks[e.FromID]
		d := core.Dependency{Target: m.keys[id], Type: e.Type, Source: source.TaskHead}
		if source.Type == core.TypeGate {
			d.Gate = source.Metadata
		}
		list = append(list, d)
	}
	return list
}

func (m *memory) open(id string) bool { return m.tasks[id].Status == core.StatusOpen }

func (m *memory) live(id string, now core.Stamp) []core.Dependency {
	return core.Assess(m.incoming(id), now)
}

// halves are the ready and the blocked tasks in the default order.
func (m *memory) halves(now core.Stamp) (ready, blocked []string) {
	ready, blocked = []string{}, []string{}
	ids := slices.Clone(m.order)
	slices.SortFunc(ids, func(a, b string) int {
		x, y := m.tasks[a], m.tasks[b]
		return cmp.Or(cmp.Compare(facets(*x).Priority, facets(*y).Priority), cmp.Compare(x.CreatedAt, y.CreatedAt), strings.Compare(a, b))
	})
	for _, id := range ids {
		switch {
		case !m.open(id) || m.tasks[id].Type != core.TypeTask:
		case len(m.live(id, now)) == 0:
			ready = append(ready, id)
		default:
			blocked = append(blocked, id)
		}
	}
	return ready, blocked
}

// targets are the open tasks that dependency edges of a task point at and
// that pass the test, by id.
func (m *memory) targets(id string, pass func(target string) bool) []string {
	list := []string{}
	for _, e := range m.edges {
		if e.FromID == id && e.Type.IsDependency() && m.open(e.ToID) && pass(e.ToID) {
			list = append(list, e.ToID)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// testRandomChanges makes random changes of every kind, rings included, and
// holds what the store says of the frontier to the rule after each of them.
func testRandomChanges(t *testing.T, e Engine) {
	rapid.Check(t, func(r *rapid.T) {
		s := e.Create(r)
		m := &memory{tasks: map[string]*core.Task{}, keys: map[string]core.TaskKey{}, names: map[core.TaskKey]string{}}
		now := func() core.Stamp { return at(rapid.IntRange(0, 40).Draw(r, "now")) }
		steps := rapid.IntRange(1, 30).Draw(r, "steps")
		for range steps {
			m.change(r, s)
			if r.Failed() {
				return
			}
			check(r, e, s)
			m.compare(r, s, now())
		}
	})
}

func must(r *rapid.T, s core.Store, fn func(core.WriteTx) error) {
	if err := s.Write(context.Background(), fn); err != nil {
		r.Fatalf("write: %v", err)
	}
}

// metadata draws the metadata of a task of a type.
func metadata(r *rapid.T, kind core.TaskType) core.Metadata {
	if kind == core.TypeGate {
		ready := at(rapid.IntRange(0, 30).Draw(r, "ready at")).String()
		return rapid.SampledFrom([]core.Metadata{
			core.Metadata(fmt.Sprintf(`{"gate_type":"timer","ready_at":"%s"}`, ready)), `{"gate_type":"human"}`, `{"gate_type":"timer"}`, `{}`,
		}).Draw(r, "gate")
	}
	return rapid.SampledFrom([]core.Metadata{`{}`, `{"priority":"high"}`, `{"priority":"lowest","project":"p"}`, `{"project":["p","q"]}`, `{"priority":3}`}).Draw(r, "metadata")
}

func (m *memory) add(r *rapid.T) core.Task {
	m.fresh++
	task := plain(fmt.Sprintf("task-%02d-%c", m.fresh, 'a'+rune(rapid.IntRange(0, 25).Draw(r, "letter"))), at(rapid.IntRange(0, 3).Draw(r, "created")))
	task.Type = rapid.SampledFrom([]core.TaskType{core.TypeTask, core.TypeTask, core.TypeTask, core.TypeGate, core.TypeEpic}).Draw(r, "type")
	task.Metadata = metadata(r, task.Type)
	task.Status = rapid.SampledFrom([]core.Status{core.StatusOpen, core.StatusOpen, core.StatusOpen, core.StatusCompleted, core.StatusCancelled}).Draw(r, "status")
	return task
}

func (m *memory) keep(task core.Task, key core.TaskKey) {
	task.Key = key
	m.tasks[task.ID] = &task
	m.keys[task.ID], m.names[key] = key, task.ID
	m.order = append(m.order, task.ID)
}

func (m *memory) pick(r *rapid.T, label string) string {
	return rapid.SampledFrom(m.order).Draw(r, label)
}

// put remembers an edge; one that is there keeps its place.
func (m *memory) put(e core.Edge) {
	for _, known := range m.edges {
		if known.From == e.From && known.To == e.To && known.Type == e.Type {
			return
		}
	}
	m.edges = append(m.edges, e)
}

// reaches reports whether dependency edges lead from one task to another.
func (m *memory) reaches(from, to string) bool {
	seen := map[string]bool{from: true}
	for stack := []string{from}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at == to {
			return true
		}
		for _, e := range m.edges {
			if e.FromID == at && e.Type.IsDependency() && !seen[e.ToID] {
				seen[e.ToID] = true
				stack = append(stack, e.ToID)
			}
		}
	}
	return false
}

func (m *memory) drawEdge(r *rapid.T) core.Edge {
	l := link{m.pick(r, "from"), rapid.SampledFrom([]core.EdgeType{core.EdgeBlocks, core.EdgeBlocks, core.EdgeWaitsOnGate, core.EdgeParentChild, core.EdgeDiscoveredFrom}).Draw(r, "edge type"), m.pick(r, "to")}
	return edge(m.keys, l, start)
}

// change makes one random change to store and memory.
func (m *memory) change(r *rapid.T, s core.Store) {
	kind := rapid.SampledFrom([]string{"insert", "insert", "status", "status", "status", "update", "edge", "edge", "edge", "delete edge", "load"}).Draw(r, "change")
	if len(m.order) == 0 {
		kind = "insert"
	}
	switch kind {
	case "insert":
		task := m.add(r)
		must(r, s, func(tx core.WriteTx) error {
			key, err := tx.InsertTask(task, facets(task))
			m.keep(task, key)
			return err
		})
	case "status", "update":
		task := m.tasks[m.pick(r, "task")]
		before := task.Version
		task.Version++
		write := core.WriteTx.SetStatus
		if kind == "status" {
			task.Status = rapid.SampledFrom(core.Statuses).Draw(r, "status")
		} else {
			write = core.WriteTx.UpdateTask
			task.Metadata = metadata(r, task.Type)
		}
		must(r, s, func(tx core.WriteTx) error {
			written, err := write(tx, *task, facets(*task), before)
			if err == nil && !written {
				err = fmt.Errorf("%s was not written", task.ID)
			}
			return err
		})
	case "edge":
		e := m.drawEdge(r)
		// Only a load may close a ring; core judges all other edges.
		closes := e.Type.IsDependency() && m.reaches(e.ToID, e.FromID)
		must(r, s, func(tx core.WriteTx) error {
			if !closes {
				return tx.PutEdge(e)
			}
			return tx.Load(func(l core.Loader) error {
				_, err := l.PutEdge(e)
				return err
			})
		})
		m.put(e)
	case "delete edge":
		e := m.drawEdge(r)
		if len(m.edges) > 0 && rapid.Bool().Draw(r, "known") {
			e = rapid.SampledFrom(m.edges).Draw(r, "edge")
		}
		at := slices.IndexFunc(m.edges, func(known core.Edge) bool {
			return known.From == e.From && known.To == e.To && known.Type == e.Type
		})
		must(r, s, func(tx core.WriteTx) error {
			deleted, err := tx.DeleteEdge(e.From, e.To, e.Type)
			if err == nil && deleted != (at >= 0) {
				err = fmt.Errorf("deleted is %v", deleted)
			}
			return err
		})
		if at >= 0 {
			m.edges = slices.Delete(m.edges, at, at+1)
		}
	case "load":
		must(r, s, func(tx core.WriteTx) error {
			return tx.Load(func(l core.Loader) error {
				for range rapid.IntRange(0, 3).Draw(r, "new tasks") {
					task := m.add(r)
					key, err := l.InsertTask(task, facets(task))
					if err != nil {
						return err
					}
					m.keep(task, key)
				}
				for range rapid.IntRange(0, 2).Draw(r, "replaced") {
					task := m.tasks[m.pick(r, "task")]
					task.Status = rapid.SampledFrom(core.Statuses).Draw(r, "status")
					task.Metadata = metadata(r, task.Type)
					if err := l.ReplaceTask(*task, facets(*task)); err != nil {
						return err
					}
				}
				for range rapid.IntRange(0, 3).Draw(r, "new edges") {
					e := m.drawEdge(r)
					if _, err := l.PutEdge(e); err != nil {
						return err
					}
					m.put(e)
				}
				return nil
			})
		})
	}
}

// compare holds what the store says at a moment to what the rule makes of the
// memory.
func (m *memory) compare(r *rapid.T, s core.Store, now core.Stamp) {
	err := s.Read(context.Background(), func(tx core.ReadTx) error {
		ready, blocked := m.halves(now)
		for half, want := range map[core.Frontier][]string{core.Ready: ready, core.Blocked: blocked} {
			tasks, err := tx.Frontier(core.FrontierQuery{Half: half, Now: now})
			if err != nil {
				return err
			}
			equal(r, fmt.Sprintf("half %d at %s", half, now), ids(tasks), want)
		}
		for _, id := range m.order {
			key := m.keys[id]
			readyTargets, err := tx.ReadyTargets(key, now)
			if err != nil {
				return err
			}
			equal(r, "ready targets of "+id, readyTargets, m.targets(id, func(target string) bool {
				return m.tasks[target].Type == core.TypeTask && len(m.live(target, now)) == 0
			}))
			held, err := tx.SoleHolderTargets(key, now)
			if err != nil {
				return err
			}
			equal(r, "held by "+id+" alone", held, m.targets(id, func(target string) bool {
				live := m.live(target, now)
				return len(live) > 0 && !slices.ContainsFunc(live, func(d core.Dependency) bool { return d.Source.ID != id })
			}))
			incoming, err := tx.Incoming([]core.TaskKey{key}, false)
			if err != nil {
				return err
			}
			equal(r, "incoming of "+id, told(incoming), told(m.incoming(id)))
		}
		return m.compareWaiters(r, tx, now)
	})
	if err != nil {
		r.Fatalf("read: %v", err)
	}
}

func told(list []core.Dependency) []string {
	lines := []string{}
	for _, d := range list {
		lines = append(lines, fmt.Sprintf("%d %s %s %s %s", d.Target, d.Type, d.Source.ID, d.Source.Status, d.Gate))
	}
	return lines
}

func (m *memory) compareWaiters(r *rapid.T, tx core.ReadTx, now core.Stamp) error {
	want, wantOpen := []string{}, []string{}
	for _, id := range m.order {
		for _, d := range m.live(id, now) {
			if !m.open(id) {
				continue
			}
			want = append(want, d.Source.ID+" "+id)
			if d.Source.Status == core.StatusOpen {
				wantOpen = append(wantOpen, d.Source.ID+" "+id)
			}
		}
	}
	var keys []core.TaskKey
	for _, id := range m.order {
		keys = append(keys, m.keys[id])
	}
	pairs, err := tx.Waiters(keys, now)
	if err != nil {
		return err
	}
	got := []string{}
	for _, pair := range pairs {
		got = append(got, m.names[pair[0]]+" "+m.names[pair[1]])
	}
	slices.Sort(got)
	slices.Sort(want)
	equal(r, "waiters", slices.Compact(got), slices.Compact(want))
	got = []string{}
	err = tx.EachWaiter(now, func(from, to core.TaskKey) bool {
		got = append(got, m.names[from]+" "+m.names[to])
		return true
	})
	slices.Sort(got)
	slices.Sort(wantOpen)
	equal(r, "open waiters", slices.Compact(got), slices.Compact(wantOpen))
	return err
}
