package graph_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dev.lithos/cli/exchange"
	"dev.lithos/core"
	"dev.lithos/store"
	"dev.lithos/store/bench/graph"
)

func open(t *testing.T) (*store.Store, *core.Service) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "lithos.db"), Create: true, Synchronous: store.Normal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, core.New(core.Config{Store: s})
}

// TestGraph holds what a graph says of its tasks against what the store makes
// of its edges.
func TestGraph(t *testing.T) {
	for name, change := range map[string]func(*graph.Shape){
		"ordinary":      func(*graph.Shape) {},
		"all open":      func(s *graph.Shape) { s.Closed = 0 },
		"mostly closed": func(s *graph.Shape) { s.Closed = 0.95 },
		"blocked first": func(s *graph.Shape) { s.BlockedFirst, s.Closed = true, 0 },
		"future timers": func(s *graph.Shape) { s.FutureTimers, s.Closed, s.Held = 1000, 0, 0.2 },
		"mostly timers": func(s *graph.Shape) { s.FutureTimers, s.Closed = 3600, 0 },
		"passed timers": func(s *graph.Shape) { s.PassedTimers, s.Closed, s.Held = 1000, 0, 0.2 },
	} {
		t.Run(name, func(t *testing.T) {
			shape := graph.Ordinary(4000, 3)
			change(&shape)
			g := graph.New(shape)
			s, service := open(t)
			if err := g.Fill(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			everything := 4000
			ready, err := service.TaskReady(t.Context(), core.TaskReadyRequest{Limit: &everything})
			if err != nil {
				t.Fatal(err)
			}
			isReady := map[string]bool{}
			for _, task := range ready.Tasks {
				isReady[task.ID] = true
			}
			want := 0
			for i := g.Open; i < g.Tasks; i++ {
				if g.Type(i) != core.TypeTask {
					continue
				}
				if isReady[g.ID(i)] == g.IsHeld(i) {
					t.Errorf("task %d of %d: held %v, ready %v (%v)", i, g.Tasks, g.IsHeld(i), isReady[g.ID(i)], g.Into(i))
				}
				if !g.IsHeld(i) {
					want++
				}
			}
			if len(ready.Tasks) != want || want == 0 {
				t.Errorf("%d tasks are ready, not %d", len(ready.Tasks), want)
			}
			firstIsHeldBack := len(ready.Tasks) > 0 && ready.Tasks[0].Priority() == "low"
			if shape.BlockedFirst && !firstIsHeldBack && ready.Tasks[0].Priority() != "lowest" {
				t.Errorf("the first ready task has the priority %s", ready.Tasks[0].Priority())
			}
			if err := s.Read(t.Context(), func(tx core.ReadTx) error {
				rings, err := tx.MayHaveRings()
				if rings {
					t.Error("the graph has rings")
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestGraph_wide looks at the hub and its dependents.
func TestGraph_wide(t *testing.T) {
	g := graph.New(graph.Ordinary(8000, 4))
	s, service := open(t)
	if err := g.Fill(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	edges := 0
	if err := g.EachEdge(func(graph.Edge) error { edges++; return nil }); err != nil {
		t.Fatal(err)
	}
	if average := float64(edges) / 8000; average < 3.4 || average > 4.4 {
		t.Errorf("%.2f edges a task, not about 4", average)
	}
	done, err := service.TaskComplete(t.Context(), core.TaskCompleteRequest{TaskID: g.ID(g.Hub), Agent: "mo"})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(done.Unblocked); got < g.Wide/3 || got > g.Wide*2/3 {
		t.Errorf("%d of %d dependents of the hub became ready", got, g.Wide)
	}
	why, err := service.TaskWhy(t.Context(), core.TaskWhyRequest{TaskID: g.ID(g.Sink)})
	if err != nil || len(why.Blockers) != g.Wide {
		t.Errorf("%d tasks hold the sink back, not %d: %v", len(why.Blockers), g.Wide, err)
	}
}

// TestGraph_file imports the file of a graph and compares the store with one
// that was filled.
func TestGraph_file(t *testing.T) {
	g := graph.New(graph.Ordinary(1500, 3))
	var file bytes.Buffer
	if _, err := g.WriteFile(&file); err != nil {
		t.Fatal(err)
	}
	filled, _ := open(t)
	if err := g.Fill(t.Context(), filled); err != nil {
		t.Fatal(err)
	}
	var exported bytes.Buffer
	if _, err := exchange.Export(t.Context(), core.New(core.Config{Store: filled}), &exported, "lithos", exchange.Plain, core.TaskListRequest{}); err != nil {
		t.Fatal(err)
	}
	want, got := sorted(file.String()), sorted(exported.String())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the file differs from an export (-file +export)\n%.2000s", diff)
	}
}

// sorted are the lines of a text in order: an export has findings and agents
// by age.
func sorted(text string) []string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return lines
}
