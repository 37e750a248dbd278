package store

import (
	"errors"
	"fmt"
	"testing"

	"dev.lithos/core"
)

// TestRings_path has edges refused that would close rings of every make, and
// looks at the way that is told: through wide generations, which are walked one
// by one, along a chain, which one statement walks, and through both.
func TestRings_path(t *testing.T) {
	const wide, layers, long = 40, 4, 300
	s := create(t)
	keys := map[string]core.TaskKey{}
	write(t, s, func(tx *tx) error {
		return tx.Load(func(l core.Loader) error {
			task := func(id string) error {
				made := core.Task{TaskHead: core.TaskHead{
					ID: id, Title: "Task " + id, Status: core.StatusOpen, Type: core.TypeTask, CreatedAt: epoch, UpdatedAt: epoch, Version: 1,
				}, CreatedBy: "ada"}
				key, err := l.InsertTask(made, core.FacetsOf(made.Type, made.Metadata))
				keys[id] = key
				return err
			}
			edge := func(from, to string) error {
				added, err := l.AddEdge(core.Edge{From: keys[from], To: keys[to], Type: core.EdgeBlocks, Metadata: "{}", CreatedBy: "ada", CreatedAt: epoch})
				if err == nil && !added {
					err = fmt.Errorf("the edge from %s to %s was there", from, to)
				}
				return err
			}
			var errs []error
			// Layers of which each task leads to all of the next one; keys fall
			// as ids rise, so that the order of ids is not that of keys.
			for layer := range layers {
				for i := wide - 1; i >= 0; i-- {
					errs = append(errs, task(fmt.Sprintf("layer-%d-%02d", layer, i)))
				}
			}
			for layer := range layers - 1 {
				for i := range wide {
					for j := range wide {
						errs = append(errs, edge(fmt.Sprintf("layer-%d-%02d", layer, i), fmt.Sprintf("layer-%d-%02d", layer+1, j)))
					}
				}
			}
			// A chain that begins at the last layer.
			for i := range long {
				errs = append(errs, task(fmt.Sprintf("chain-%03d", i)))
				if i > 0 {
					errs = append(errs, edge(fmt.Sprintf("chain-%03d", i-1), fmt.Sprintf("chain-%03d", i)))
				}
			}
			errs = append(errs, edge("layer-3-07", "chain-000"), edge("layer-3-05", "chain-000"))
			added, err := l.AddEdge(core.Edge{From: keys["layer-3-07"], To: keys["chain-000"], Type: core.EdgeBlocks, Metadata: "{}", CreatedBy: "eve", CreatedAt: epoch})
			if added {
				t.Error("an edge was added twice")
			}
			return errors.Join(append(errs, err)...)
		})
	})
	chain := func(from, to int) (ids []string) {
		for i := from; i >= to; i-- {
			ids = append(ids, fmt.Sprintf("chain-%03d", i))
		}
		return ids
	}
	service := core.New(core.Config{Store: s})
	for _, test := range []struct {
		from, to string
		want     []string
	}{
		{"layer-3-11", "layer-0-09", []string{"layer-3-11", "layer-2-00", "layer-1-00", "layer-0-09", "layer-3-11"}},
		{"chain-299", "chain-000", append(chain(299, 0), "chain-299")},
		{"chain-250", "layer-0-33", append(chain(250, 0), "layer-3-05", "layer-2-00", "layer-1-00", "layer-0-33", "chain-250")},
		{"chain-001", "chain-000", []string{"chain-001", "chain-000", "chain-001"}},
		{"layer-2-03", "layer-2-04", nil},
		{"chain-100", "chain-101", nil},
		{"layer-0-01", "chain-299", nil},
	} {
		_, err := service.TaskEdgeUpsert(core.Rehearse(t.Context()), core.TaskEdgeUpsertRequest{
			FromTaskID: test.from, ToTaskID: test.to, Type: string(core.EdgeBlocks), Agent: "ada",
		})
		var got []string
		var refusal *core.Error
		if errors.As(err, &refusal) && refusal.Code == core.CodeCycle {
			path, _ := refusal.Extra("path").([]core.TaskName)
			for _, name := range path {
				if name.Title != "Task "+name.ID {
					t.Errorf("%s is called %q", name.ID, name.Title)
				}
				got = append(got, name.ID)
			}
		} else if err != nil {
			t.Errorf("%s → %s: %v", test.from, test.to, err)
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s → %s: the ring is\n%v\nnot\n%v", test.from, test.to, got, test.want)
		}
	}
}
