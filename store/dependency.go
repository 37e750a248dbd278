package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
)

// keySource is the SQL source of the keys of a list, as rows j with the place
// in j.key and the key in j.value.
const keySource = "json_each(?) j"

// Incoming implements [core.ReadTx].
func (t *tx) Incoming(keys []core.TaskKey, liveOnly bool) ([]core.Dependency, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	sql := "SELECT j.key, e.n, e.to_seq, e.from_seq, e.type, s.seq, s.id, s.title, s.status, s.task_type, s.created_at, s.updated_at, s.version," +
		" CASE WHEN s.task_type = 2 THEN s.metadata END" +
		" FROM " + keySource + " CROSS JOIN edges e INDEXED BY edges_to ON e.to_seq = j.value AND e.type IN " + dependency
	if liveOnly {
		// The narrow index tells what is completed; only what is left is read.
		sql += " LEFT JOIN tasks p INDEXED BY tasks_state ON p.seq = e.from_seq LEFT JOIN tasks s ON s.seq = e.from_seq" +
			" WHERE p.seq IS NULL OR p.status <> 1"
	} else {
		sql += " LEFT JOIN tasks s ON s.seq = e.from_seq"
	}
	type placed struct {
		place, n int64
		edge     core.Dependency
	}
	var found []placed
	err := t.each(sql, func(r *row) error {
		p := placed{place: r.int(0), n: r.int(1), edge: core.Dependency{Target: r.key(2), Type: r.edgeType(4)}}
		if r.isNull(5) {
			p.edge.Missing = true
			p.edge.Source.Key = r.key(3)
		} else {
			p.edge.Source = core.TaskHead{
				Key: r.key(5), ID: r.text(6), Title: r.text(7), Status: r.status(8), Type: r.taskType(9),
				CreatedAt: r.stamp(10), UpdatedAt: r.stamp(11), Version: r.int(12),
			}
			if !r.isNull(13) {
				p.edge.Gate = r.object(13)
			}
		}
		found = append(found, p)
		return nil
	}, keyList(keys))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.place, b.place), strings.Compare(string(a.edge.Type), string(b.edge.Type)), cmp.Compare(a.n, b.n))
	})
	edges := make([]core.Dependency, len(found))
	for i, p := range found {
		edges[i] = p.edge
		if p.edge.Missing {
			if edges[i].Source.ID, err = t.missingID(p.edge.Source.Key); err != nil {
				return nil, err
			}
		}
	}
	return edges, nil
}

// missingID recovers the id of a task whose row is gone from the event of its
// creation; failing that, it makes a stand-in.
func (t *tx) missingID(key core.TaskKey) (id string, err error) {
	for _, table := range []string{"events INDEXED BY events_by_task", "events_archive INDEXED BY archive_by_task"} {
		found, err := t.one("SELECT payload ->> 'task_id' FROM "+table+
			" WHERE task_seq = ? AND type = ? AND json_valid(payload) AND payload ->> 'task_id' IS NOT NULL LIMIT 1",
			func(r *row) { id = r.text(0) }, key, string(core.EventTaskCreated))
		if err != nil || found {
			return id, err
		}
	}
	return fmt.Sprintf("missing-%d", key), nil
}

var eachWaiter = "SELECT e.from_seq, e.to_seq FROM open_tasks f" +
	" CROSS JOIN edges e INDEXED BY edges_from ON e.from_seq = f.seq AND e.type IN " + dependency +
	" LEFT JOIN tasks s INDEXED BY tasks_state ON s.seq = e.from_seq" +
	" CROSS JOIN open_tasks o ON o.seq = e.to_seq WHERE " + liveEdge("e", "s", "?")

// EachWaiter implements [core.ReadTx].
func (t *tx) EachWaiter(now core.Stamp, yield func(from, to core.TaskKey) bool) error {
	return t.each(eachWaiter, func(r *row) error {
		if from, to := r.key(0), r.key(1); r.bad != nil || !yield(from, to) {
			return errStop
		}
		return nil
	}, now.Seconds())
}

var waiters = "SELECT e.from_seq, e.to_seq FROM " + keySource +
	" CROSS JOIN edges e INDEXED BY edges_from ON e.from_seq = j.value AND e.type IN " + dependency +
	" LEFT JOIN tasks s INDEXED BY tasks_state ON s.seq = e.from_seq" +
	" CROSS JOIN open_tasks o ON o.seq = e.to_seq WHERE " + liveEdge("e", "s", "?")

// Waiters implements [core.ReadTx].
func (t *tx) Waiters(keys []core.TaskKey, now core.Stamp) ([][2]core.TaskKey, error) {
	return t.pairs(waiters, keyList(keys), now.Seconds())
}

// pairs reads pairs of keys.
func (t *tx) pairs(sql string, args ...any) (pairs [][2]core.TaskKey, err error) {
	err = t.each(sql, func(r *row) error {
		pairs = append(pairs, [2]core.TaskKey{r.key(0), r.key(1)})
		return nil
	}, args...)
	return pairs, err
}

// DependencyTargets implements [core.ReadTx].
func (t *tx) DependencyTargets(key core.TaskKey, types []core.EdgeType) (heads []core.TaskHead, err error) {
	err = t.eachShort("SELECT "+headColumns+" FROM edges e INDEXED BY edges_from CROSS JOIN open_tasks o ON o.seq = e.to_seq"+
		" CROSS JOIN tasks t ON t.seq = o.seq WHERE e.from_seq = ? AND e.type IN "+typeList(types), func(r *row) error {
		heads = append(heads, r.head(0))
		return nil
	}, key)
	slices.SortFunc(heads, func(a, b core.TaskHead) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(heads, func(a, b core.TaskHead) bool { return a.Key == b.Key }), err
}

// targets is the SQL for the ids of the open tasks o that dependency edges e
// of a task point at, as far as they meet the condition.
func targets(condition string) string {
	return "SELECT o.id FROM edges e INDEXED BY edges_from CROSS JOIN open_tasks o ON o.seq = e.to_seq" +
		" LEFT JOIN tasks s INDEXED BY tasks_state ON s.seq = e.from_seq" +
		" WHERE e.from_seq = ? AND e.type IN " + dependency + " AND " + condition
}

var (
	readyTargets      = targets(readyIndexed + " AND " + readyNow)
	soleHolderTargets = targets(liveEdge("e", "s", "?") +
		" AND NOT EXISTS (SELECT 1 FROM edges e2 INDEXED BY edges_to" +
		" LEFT JOIN tasks s2 INDEXED BY tasks_state ON s2.seq = e2.from_seq" +
		" WHERE e2.to_seq = o.seq AND e2.type IN " + dependency + " AND e2.from_seq <> e.from_seq" +
		" AND " + liveEdge("e2", "s2", "?") + ")")
)

// ReadyTargets implements [core.ReadTx].
func (t *tx) ReadyTargets(key core.TaskKey, now core.Stamp) ([]string, error) {
	return t.ids(readyTargets, key, now.Seconds())
}

// SoleHolderTargets implements [core.ReadTx].
func (t *tx) SoleHolderTargets(key core.TaskKey, now core.Stamp) ([]string, error) {
	return t.ids(soleHolderTargets, key, now.Seconds(), now.Seconds())
}

// ids reads ids, each once, in their order; never nil.
func (t *tx) ids(sql string, args ...any) ([]string, error) {
	ids := []string{}
	err := t.eachShort(sql, func(r *row) error {
		ids = append(ids, r.text(0))
		return nil
	}, args...)
	slices.Sort(ids)
	return slices.Compact(ids), err
}
