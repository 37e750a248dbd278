package store

import (
	"fmt"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/bench/graph"
)

// The cost gate: what a page of anything costs must not grow with the store.
// Two graphs of one kind differ sixteenfold in size, and the best of many runs
// on each is compared. What walks a whole table takes about sixteen times as
// long on the larger one, what is found by an index hardly longer.
const (
	costSmall  = 1_500
	costFactor = 16
	costRuns   = 40
	costGrowth = 4.0
)

// cost is one thing that is done at both sizes.
type cost struct {
	name string
	run  func(*tx, *graph.Graph, core.TaskKey) error
	bad  bool // it must trip the gate
}

func costs() []cost {
	page := func(half core.Frontier) func(*tx, *graph.Graph, core.TaskKey) error {
		return func(t *tx, _ *graph.Graph, _ core.TaskKey) error {
			tasks, err := t.Frontier(core.FrontierQuery{Half: half, Now: core.StampOf(time.Now()), Limit: 20})
			if err == nil && len(tasks) != 20 {
				err = fmt.Errorf("%d tasks", len(tasks))
			}
			return err
		}
	}
	return []cost{
		{name: "ready", run: page(core.Ready)},
		{name: "blocked", run: page(core.Blocked)},
		{name: "what holds blocked tasks back", run: func(t *tx, g *graph.Graph, _ core.TaskKey) error {
			keys, err := t.FrontierKeys(core.FrontierQuery{Half: core.Blocked, Now: core.StampOf(time.Now()), Limit: 20})
			if err == nil {
				_, err = t.Incoming(keys, true)
			}
			return err
		}},
		{name: "next", run: func(t *tx, _ *graph.Graph, _ core.TaskKey) error {
			_, err := t.Frontier(core.FrontierQuery{Now: core.StampOf(time.Now()), FreeAspect: "work", Limit: 1})
			return err
		}},
		{name: "children", run: func(t *tx, g *graph.Graph, _ core.TaskKey) error {
			children, err := t.Children(core.TaskKey(g.Epic() + 1))
			if err == nil && len(children) < 10 {
				err = fmt.Errorf("%d children", len(children))
			}
			return err
		}},
		{name: "prefix", run: func(t *tx, g *graph.Graph, key core.TaskKey) error {
			heads, err := t.TasksByPrefix(g.ID(int(key) - 1)[:8], 5)
			if err == nil && len(heads) == 0 {
				err = fmt.Errorf("nothing found")
			}
			return err
		}},
		{name: "events", run: func(t *tx, _ *graph.Graph, _ core.TaskKey) error {
			_, err := t.Events(core.EventQuery{After: 100, Limit: 20})
			return err
		}},
		{name: "journal", run: func(t *tx, _ *graph.Graph, _ core.TaskKey) error {
			_, err := t.Events(core.EventQuery{NewestFirst: true, Limit: 20})
			return err
		}},
		{name: "journal of a task", run: func(t *tx, _ *graph.Graph, key core.TaskKey) error {
			_, err := t.Events(core.EventQuery{Task: &key, NewestFirst: true, Limit: 20})
			return err
		}},
		{name: "newest tasks", run: func(t *tx, _ *graph.Graph, _ core.TaskKey) error {
			return t.EachTask(core.TaskQuery{Limit: 20}, func(core.Task) bool { return true })
		}},
		{name: "edges", run: func(t *tx, _ *graph.Graph, key core.TaskKey) error {
			_, err := t.Edges(key, core.DirectionIncoming, core.EdgeTypes)
			return err
		}},
		{name: "a prefix as a pattern", bad: true, run: func(t *tx, g *graph.Graph, key core.TaskKey) error {
			_, err := t.number("SELECT count(*) FROM tasks WHERE id LIKE ? || '%'", g.ID(int(key) - 1)[:8])
			return err
		}},
		{name: "the frontier sorted", bad: true, run: func(t *tx, _ *graph.Graph, _ core.TaskKey) error {
			return t.each("SELECT seq FROM open_tasks NOT INDEXED WHERE task_type = 0 AND hard = 0 ORDER BY rank, created_at, id LIMIT 20",
				func(*row) error { return nil })
		}},
	}
}

func TestCost(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes two graphs")
	}
	list := costs()
	best := make([][2]time.Duration, len(list))
	for size, tasks := range []int{costSmall, costSmall * costFactor} {
		shape := graph.Ordinary(tasks, 2.5)
		shape.Closed = 0.5
		g := graph.New(shape)
		s := create(t)
		if err := g.Fill(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		keys := g.Plain()
		read(t, s, func(tx *tx) error {
			for i, c := range list {
				best[i][size] = time.Hour
				for run := range costRuns {
					start := time.Now()
					if err := c.run(tx, g, core.TaskKey(keys[run%len(keys)]+1)); err != nil {
						return fmt.Errorf("%s: %w", c.name, err)
					}
					best[i][size] = min(best[i][size], time.Since(start))
				}
			}
			return nil
		})
	}
	for i, c := range list {
		growth := float64(best[i][1]) / float64(best[i][0])
		t.Logf("%-30s %8s %8s  %.1f×", c.name, best[i][0], best[i][1], growth)
		switch {
		case c.bad && growth <= costGrowth:
			t.Errorf("%s grows %.1f times only: the gate would let it pass", c.name, growth)
		case !c.bad && growth > costGrowth:
			t.Errorf("%s grows %.1f times with the store", c.name, growth)
		}
	}
}
