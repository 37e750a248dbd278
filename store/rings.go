package store

import "dev.lithos/core"

// ringsKey is the row of meta that says whether dependency edges may form
// rings.
const ringsKey = "may_have_rings"

// maxDenseKey is the highest key up to which slices serve as maps.
const maxDenseKey = 1 << 26

// MayHaveRings implements [core.ReadTx].
func (t *tx) MayHaveRings() (bool, error) {
	n, err := t.number("SELECT value FROM meta WHERE key = ?", ringsKey)
	return n != 0, err
}

// noteRings looks for rings among the dependency edges, through tasks of every
// status, and notes whether there are any.
func (t *tx) noteRings() error {
	rings, err := t.hasRings()
	if err != nil {
		return err
	}
	return t.setRings(rings)
}

func (t *tx) setRings(rings bool) error {
	return t.run("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", ringsKey, rings)
}

// hasRings reports whether the dependency edges form a ring.
func (t *tx) hasRings() (bool, error) {
	// Where every edge leads from an older key to a newer one there is none.
	backward, err := t.number("SELECT EXISTS (SELECT 1 FROM edges WHERE from_seq >= to_seq AND type IN " + dependency + ")")
	if err != nil || backward == 0 {
		return false, err
	}
	// Else take away, again and again, the tasks that nothing leads to. Keys
	// are dense, so slices serve as maps.
	last, err := t.number("SELECT max(to_seq) FROM edges")
	if err != nil {
		return false, err
	}
	if newest, err := t.number("SELECT max(from_seq) FROM edges"); err != nil {
		return false, err
	} else if newest > last {
		last = newest
	}
	count, err := t.number("SELECT count(*) FROM edges WHERE type IN " + dependency)
	if err != nil {
		return false, err
	}
	if first, err := t.number("SELECT min(min(from_seq), min(to_seq)) FROM edges"); err != nil {
		return false, err
	} else if first < 0 || last > maxDenseKey {
		// No program gives such keys; the file is damaged.
		g, err := t.edgeGraph([]core.EdgeType{core.EdgeBlocks, core.EdgeWaitsOnGate})
		if err != nil {
			return false, err
		}
		return len(g.rings()) > 0, nil
	}
	arriving := make([]int32, last+1)     // edges that lead to a task
	first := make([]int32, last+2)        // where a task's edges begin in heads
	heads := make([]int32, 0, int(count)) // targets, by source
	err = t.each("SELECT from_seq, to_seq FROM edges INDEXED BY edges_from WHERE type IN "+dependency+" ORDER BY from_seq", func(r *row) error {
		from, to := r.int(0), r.int(1)
		if r.bad != nil {
			return errStop
		}
		arriving[to]++
		heads = append(heads, int32(to))
		first[from+1] = int32(len(heads))
		return nil
	})
	if err != nil {
		return false, err
	}
	for i := 1; i < len(first); i++ {
		first[i] = max(first[i], first[i-1])
	}
	free := make([]int32, 0, len(arriving))
	for key, n := range arriving {
		if n == 0 {
			free = append(free, int32(key))
		}
	}
	for taken := 0; taken < len(free); taken++ {
		key := free[taken]
		for _, target := range heads[first[key]:first[key+1]] {
			if arriving[target]--; arriving[target] == 0 {
				free = append(free, target)
			}
		}
	}
	return len(free) < len(arriving), nil
}
