package store

import "dev.lithos/core"

// Reaches implements [core.ReadTx].
func (t *tx) Reaches(from []core.TaskKey, to core.TaskKey, types []core.EdgeType) (reached bool, err error) {
	err = t.each("WITH RECURSIVE reached (seq) AS (SELECT j.value FROM "+keySource+" UNION SELECT e.to_seq FROM reached r CROSS JOIN "+
		onward("r.seq", types, false)+") SELECT 1 FROM reached WHERE seq = ? LIMIT 1", func(*row) error {
		reached = true
		return errStop
	}, keyList(from), to)
	return reached, err
}

// Neighbours implements [core.ReadTx].
func (t *tx) Neighbours(keys []core.TaskKey, d core.Direction, types []core.EdgeType, openOnly bool) ([][2]core.TaskKey, error) {
	index, own, other := side(d)
	edges := " edges e INDEXED BY " + index
	joined, condition := "", " e.type IN "+typeList(types)
	if openOnly {
		joined = " CROSS JOIN open_tasks o ON o.seq = e." + other
	}
	columns := "SELECT e." + own + ", e." + other + " FROM "
	if len(keys) == 1 {
		// A long chain is walked task by task.
		return t.pairs(columns+edges+joined+" WHERE e."+own+" = ? AND"+condition, keys[0])
	}
	return t.pairs(columns+keySource+" CROSS JOIN"+edges+" ON e."+own+" = j.value AND"+condition+joined, keyList(keys))
}

// Onward implements [core.ReadTx].
func (t *tx) Onward(keys []core.TaskKey, types []core.EdgeType, openOnly bool) (next []core.TaskKey, err error) {
	err = t.each("SELECT DISTINCT e.to_seq FROM "+keySource+" CROSS JOIN "+onward("j.value", types, openOnly), func(r *row) error {
		next = append(next, r.key(0))
		return nil
	}, keyList(keys))
	return next, err
}

// onward is the SQL for the edges e of the types that lead out of the task
// whose key an expression gives.
func onward(key string, types []core.EdgeType, openOnly bool) string {
	sql := "edges e INDEXED BY edges_from ON e.from_seq = " + key + " AND e.type IN " + typeList(types)
	if openOnly {
		sql += " CROSS JOIN open_tasks o ON o.seq = e.to_seq"
	}
	return sql
}

// longestTrail is how many tasks of a trail are read at one go.
const longestTrail = 10_000

// Trail implements [core.ReadTx]. The walk goes on through every edge, each
// task's after those of the task before it; a row that does not come from the
// last task is another edge of the one before that.
func (t *tx) Trail(key core.TaskKey, types []core.EdgeType, openOnly bool) (trail []core.TaskKey, err error) {
	last := key
	err = t.each("WITH RECURSIVE reached (seq, before) AS (VALUES (?, NULL) UNION ALL SELECT e.to_seq, e.from_seq FROM reached r CROSS JOIN "+
		onward("r.seq", types, openOnly)+") SELECT seq, before FROM reached LIMIT -1 OFFSET 1", func(r *row) error {
		switch {
		case r.key(1) != last:
			trail = trail[:len(trail)-1] // not the only one
			return errStop
		case len(trail) == longestTrail:
			return errStop // whether the next one is the only one is not known
		}
		last = r.key(0)
		trail = append(trail, last)
		return nil
	}, key)
	return trail, err
}
