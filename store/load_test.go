package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"dev.lithos/core"
)

// TestLoad_large is about loads that are settled as a whole. Edges lead in
// both directions of age, so that rings have to be looked for.
func TestLoad_large(t *testing.T) {
	for _, withRing := range []bool{false, true} {
		s := create(t)
		r := rand.New(rand.NewPCG(5, 6))
		const n = 2 * fewChanges
		order := r.Perm(n) // edges lead along it
		write(t, s, func(w *tx) error {
			return w.Load(func(l core.Loader) error {
				for i := range n {
					task := graphTask(r, i, r.IntN(3) == 0)
					if r.IntN(10) == 0 {
						task.Type = core.TypeGate
						task.Metadata = core.Metadata(fmt.Sprintf(`{"gate_type":"timer","ready_at":"20%02d-01-01"}`, 20+r.IntN(20)))
					}
					if _, err := l.InsertTask(task, core.FacetsOf(task.Type, task.Metadata)); err != nil {
						return err
					}
				}
				for i := 1; i < n; i++ {
					from, to := order[r.IntN(i)], order[i]
					if withRing && i == n-1 {
						from, to = order[1], order[0]
						if _, err := l.PutEdge(core.Edge{From: core.TaskKey(to + 1), To: core.TaskKey(from + 1), Type: core.EdgeBlocks}); err != nil {
							return err
						}
					}
					kind := core.EdgeBlocks
					if r.IntN(2) == 0 {
						kind = core.EdgeWaitsOnGate
					}
					if _, err := l.PutEdge(core.Edge{From: core.TaskKey(from + 1), To: core.TaskKey(to + 1), Type: kind}); err != nil {
						return err
					}
				}
				return nil
			})
		})
		differences, err := s.CheckFrontier(context.Background())
		if err != nil || len(differences) > 0 {
			t.Errorf("with a ring %v: the check found %v (%v)", withRing, differences, err)
		}
		read(t, s, func(tx *tx) error {
			rings, err := tx.MayHaveRings()
			if rings != withRing {
				t.Errorf("with a ring %v: MayHaveRings says %v", withRing, rings)
			}
			for half, most := range map[core.Frontier]int{core.Ready: n, core.Blocked: n} {
				tasks, err := tx.FrontierKeys(core.FrontierQuery{Half: half, Now: epoch})
				if err != nil {
					return err
				}
				if len(tasks) == 0 || len(tasks) == most {
					t.Errorf("half %d has %d tasks", half, len(tasks))
				}
			}
			return err
		})
	}
}

// TestLoad_keepsFewPages: the memory of a load is given back after it.
func TestLoad_keepsFewPages(t *testing.T) {
	s := create(t)
	load(t, s, graphShape{tasks: 10})
	write(t, s, func(tx *tx) error {
		size, err := tx.number("PRAGMA cache_size")
		if size != -restingCache {
			t.Errorf("the cache has the size %d", size)
		}
		return err
	})
}
