package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

// epoch is when the tasks of test graphs begin to be created.
var epoch = core.StampOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

// create makes an empty store that is closed at the end of the test.
func create(t testing.TB) *Store {
	t.Helper()
	return createAt(t, filepath.Join(t.TempDir(), "lithos.db"))
}

func createAt(t testing.TB, path string) *Store {
	t.Helper()
	return openWith(t, Options{Path: path, Create: true})
}

func openWith(t testing.TB, options Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), options)
	if err != nil {
		t.Fatalf("open %s: %v", options.Path, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close %s: %v", options.Path, err)
		}
	})
	return s
}

func write(t testing.TB, s *Store, fn func(*tx) error) {
	t.Helper()
	if err := s.Write(context.Background(), func(w core.WriteTx) error { return fn(w.(*tx)) }); err != nil {
		t.Fatalf("write: %v", err)
	}
}

func read(t testing.TB, s *Store, fn func(*tx) error) {
	t.Helper()
	if err := s.Read(context.Background(), func(r core.ReadTx) error { return fn(r.(*tx)) }); err != nil {
		t.Fatalf("read: %v", err)
	}
}

// graphShape says what a generated graph looks like.
type graphShape struct {
	tasks  int
	edges  int     // blocks edges, from older tasks to newer ones
	closed float64 // the oldest part that is completed
}

// seededID is an id that looks random and is the same in every run.
func seededID(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff)
}

// graphTask is the i-th task of a generated graph, about 800 bytes.
func graphTask(r *rand.Rand, i int, closed bool) core.Task {
	created := epoch.Add(time.Duration(i) * time.Second)
	description := strings.Repeat("words about the work that is to be done. ", 12)
	task := core.Task{
		TaskHead: core.TaskHead{
			ID: seededID(r), Title: fmt.Sprintf("Task number %d of the graph", i), Status: core.StatusOpen, Type: core.TypeTask,
			CreatedAt: created, UpdatedAt: created, Version: 1, Tags: core.MakeTags([]string{"graph", fmt.Sprintf("t%d", i%20)}),
		},
		CreatedBy:   "generator",
		Description: &description,
		Metadata: core.Metadata(fmt.Sprintf(`{"project":"p%d","priority":"%s","owner":"o%d"}`,
			i%50, core.Priorities[r.IntN(len(core.Priorities))], i%100)),
	}
	if closed {
		outcome := "done"
		task.Status, task.ResolvedAt, task.Outcome, task.Version = core.StatusCompleted, &created, &outcome, 2
	}
	return task
}

// load fills a store with a generated graph and returns the keys.
func load(t testing.TB, s *Store, shape graphShape) []core.TaskKey {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var keys []core.TaskKey
	write(t, s, func(w *tx) error {
		return w.Load(func(l core.Loader) error {
			for i := range shape.tasks {
				task := graphTask(r, i, float64(i) < float64(shape.tasks)*shape.closed)
				key, err := l.InsertTask(task, core.FacetsOf(task.Type, task.Metadata))
				if err != nil {
					return err
				}
				keys = append(keys, key)
			}
			for range shape.edges {
				to := 1 + r.IntN(shape.tasks-1)
				from := max(0, to-1-r.IntN(min(to, 1000)))
				_, err := l.PutEdge(core.Edge{
					From: keys[from], To: keys[to], Type: core.EdgeBlocks, Metadata: "{}", CreatedBy: "generator", CreatedAt: epoch,
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
	return keys
}
