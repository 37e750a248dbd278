// Package storetest holds the promises of [core.Store] as tests that take a
// store as their argument, so that every engine is held to the same ones.
package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"dev.lithos/core"
)

// T is what a test needs of *testing.T; *rapid.T has it as well.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Engine is how a test gets at the stores of one kind.
type Engine struct {
	// Create makes an empty store that is gone at the end of the test.
	Create func(t T) core.Store
	// Check examines what the engine keeps beside the records and fails the
	// test where it does not agree with them. It may be nil.
	Check func(t T, s core.Store)
}

// Run holds an engine to the promises.
func Run(t *testing.T, e Engine) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Engine)
	}{
		{"transactions", testTransactions},
		{"tasks", testTasks},
		{"prefixes", testPrefixes},
		{"short ids", testShortIDs},
		{"lists", testLists},
		{"metadata match", testMatch},
		{"edges", testEdges},
		{"hierarchy", testHierarchy},
		{"walks", testWalks},
		{"trails", testTrails},
		{"frontier order", testFrontierOrder},
		{"frontier filters", testFrontierFilters},
		{"timers", testTimers},
		{"targets", testTargets},
		{"claims", testClaims},
		{"findings", testFindings},
		{"agents", testAgents},
		{"events", testEvents},
		{"replays", testReplays},
		{"counts", testCounts},
		{"load", testLoad},
		{"rings", testRings},
		{"export", testExport},
		{"watch", testWatch},
		{"random changes", testRandomChanges},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, e) })
	}
}

// start is the moment at which test stories begin.
var start = core.StampOf(time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC))

// at is the moment so many seconds into the story.
func at(seconds int) core.Stamp { return start.Add(time.Duration(seconds) * time.Second) }

func write(t T, s core.Store, fn func(core.WriteTx) error) {
	t.Helper()
	if err := s.Write(context.Background(), fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

func read(t T, s core.Store, fn func(core.ReadTx) error) {
	t.Helper()
	if err := s.Read(context.Background(), fn); err != nil {
		t.Fatalf("read: %v", err)
	}
}

// plain is an open plain task created at the moment given.
func plain(id string, created core.Stamp) core.Task {
	return core.Task{
		TaskHead: core.TaskHead{
			ID: id, Title: "Task " + id, Status: core.StatusOpen, Type: core.TypeTask,
			CreatedAt: created, UpdatedAt: created, Version: 1,
		},
		CreatedBy: "ada",
	}
}

func facets(task core.Task) core.Facets { return core.FacetsOf(task.Type, task.Metadata) }

// insert adds tasks and returns their keys by id.
func insert(t T, s core.Store, tasks ...core.Task) map[string]core.TaskKey {
	t.Helper()
	keys := map[string]core.TaskKey{}
	write(t, s, func(tx core.WriteTx) error {
		for _, task := range tasks {
			key, err := tx.InsertTask(task, facets(task))
			if err != nil {
				return err
			}
			keys[task.ID] = key
		}
		return nil
	})
	return keys
}

// link is an edge as a story tells it.
type link struct {
	from string
	t    core.EdgeType
	to   string
}

func edge(keys map[string]core.TaskKey, l link, created core.Stamp) core.Edge {
	return core.Edge{
		From: keys[l.from], To: keys[l.to], FromID: l.from, ToID: l.to, Type: l.t,
		Metadata: "{}", CreatedBy: "ada", CreatedAt: created,
	}
}

// connect adds edges.
func connect(t T, s core.Store, keys map[string]core.TaskKey, links ...link) {
	t.Helper()
	write(t, s, func(tx core.WriteTx) error {
		for _, l := range links {
			if err := tx.PutEdge(edge(keys, l, start)); err != nil {
				return err
			}
		}
		return nil
	})
}

// setStatus closes or reopens a task.
func setStatus(t T, s core.Store, key core.TaskKey, status core.Status, now core.Stamp) {
	t.Helper()
	write(t, s, func(tx core.WriteTx) error {
		tasks, err := tx.Tasks([]core.TaskKey{key})
		if err != nil {
			return err
		}
		task := tasks[0]
		before := task.Version
		task.Status, task.UpdatedAt, task.Version, task.ResolvedAt = status, now, before+1, nil
		if status != core.StatusOpen {
			task.ResolvedAt = &now
		}
		written, err := tx.SetStatus(task, facets(task), before)
		if err == nil && !written {
			err = fmt.Errorf("%s was not written", task.ID)
		}
		return err
	})
}

func ids[T interface{ core.Task | core.TaskHead }](list []T) []string {
	names := []string{}
	for _, item := range list {
		switch item := any(item).(type) {
		case core.Task:
			names = append(names, item.ID)
		case core.TaskHead:
			names = append(names, item.ID)
		}
	}
	return names
}

// equal fails the test when two values differ in how they print.
func equal(t T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

func check(t T, e Engine, s core.Store) {
	t.Helper()
	if e.Check != nil {
		e.Check(t, s)
	}
}
