package store

import (
	"dev.lithos/core"
)

// childStatus is a row of edges e with the status of the child, of whose
// tasks only the narrow index is read.
const (
	childColumns = "e.from_seq, e.to_seq, t.status"
	childStatus  = " LEFT JOIN tasks t INDEXED BY tasks_state ON t.seq = e.to_seq"
)

func (t *tx) eachChild(sql string, yield func(parent, child core.TaskKey, status core.Status) error, args ...any) error {
	return t.each(sql, func(r *row) error {
		status := core.Status("")
		if !r.isNull(2) {
			status = r.status(2)
		}
		parent, child := r.key(0), r.key(1)
		if r.bad != nil {
			return errStop
		}
		return yield(parent, child, status)
	}, args...)
}

// EachChild implements [core.HierarchyReader]. The index is grouped by parent.
func (t *tx) EachChild(yield func(parent, child core.TaskKey, status core.Status) error) error {
	return t.eachChild("SELECT "+childColumns+" FROM edges e INDEXED BY edges_from"+childStatus+" WHERE e.type = 2", yield)
}

// EachChildBelow implements [core.HierarchyReader]. A ring is walked once.
func (t *tx) EachChildBelow(keys []core.TaskKey, yield func(parent, child core.TaskKey, status core.Status) error) error {
	const children = " CROSS JOIN edges e INDEXED BY edges_from ON e.from_seq = b.seq AND e.type = 2"
	return t.eachChild("WITH RECURSIVE below (seq) AS (SELECT j.value FROM "+keySource+
		" UNION SELECT e.to_seq FROM below b"+children+")"+
		" SELECT "+childColumns+" FROM below b"+children+childStatus, yield, keyList(keys))
}

// Places implements [core.HierarchyReader].
func (t *tx) Places(keys []core.TaskKey) (places []core.TaskPlace, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	err = t.each("SELECT t.seq, t.id, t.status, ifnull(o.rank, 0), t.created_at FROM "+keySource+
		" CROSS JOIN tasks t ON t.seq = j.value LEFT JOIN open_tasks o ON o.seq = t.seq", func(r *row) error {
		places = append(places, core.TaskPlace{Key: r.key(0), ID: r.text(1), Status: r.status(2), Rank: int(r.int(3)), CreatedAt: r.stamp(4)})
		return nil
	}, keyList(keys))
	return places, err
}

// CountTasks implements [core.HierarchyReader].
func (t *tx) CountTasks() (all, open int, err error) {
	a, err := t.number("SELECT count(*) FROM tasks")
	if err != nil {
		return 0, 0, err
	}
	o, err := t.number("SELECT count(*) FROM open_tasks")
	return int(a), int(o), err
}

// loosePart is one of the runs of which the tasks without a tree consist,
// with the terms of its order.
type loosePart struct {
	source string
	filter filter
	key    string // the column of the key
	terms  string
}

// looseParts are the runs in their order. Each is one index walked along.
func looseParts(now core.Stamp, openOnly bool) []loosePart {
	ready, blocked, gates, closed := filter{}, filter{}, filter{}, filter{}
	ready.add(readyIndexed)
	ready.add(readyNow, now.Seconds())
	blocked.add(blockedIndexed)
	blocked.add(blockedNow, now.Seconds())
	gates.add("o.task_type <> 0 AND o.task_type = 2")
	closed.add("t.status <> 0")
	const openOrder = "o.rank, o.created_at, o.id"
	parts := []loosePart{
		{readySource, ready, "o.seq", openOrder}, {blockedSource, blocked, "o.seq", openOrder}, {othersSource, gates, "o.seq", openOrder},
	}
	if !openOnly {
		parts = append(parts, loosePart{closedSource, closed, "t.seq", "t.resolved_at DESC, t.id"})
	}
	for i := range parts {
		key := parts[i].key
		parts[i].filter.add("NOT EXISTS (SELECT 1 FROM edges e INDEXED BY edges_to WHERE e.to_seq = " + key + " AND e.type = 2)")
		parts[i].filter.add("NOT EXISTS (SELECT 1 FROM edges e INDEXED BY edges_from WHERE e.from_seq = " + key + " AND e.type = 2)")
	}
	return parts
}

func (t *tx) countLoose(p loosePart) (int, error) {
	n, err := t.number("SELECT count(*) FROM "+p.source+p.filter.where(), p.filter.args...)
	return int(n), err
}

// LooseKeys implements [core.HierarchyReader].
func (t *tx) LooseKeys(now core.Stamp, openOnly bool, offset, limit int) (keys []core.TaskKey, err error) {
	for _, part := range looseParts(now, openOnly) {
		if limit <= 0 {
			break
		}
		found := 0
		page := part.filter
		sql := "SELECT " + part.key + " FROM " + part.source + part.filter.where() + " ORDER BY " + part.terms + page.page(limit, offset)
		err := t.each(sql, func(r *row) error {
			keys = append(keys, r.key(0))
			found++
			return nil
		}, page.args...)
		if err != nil {
			return nil, err
		}
		limit -= found
		switch {
		case found > 0:
			offset = 0
		case offset > 0:
			n, err := t.countLoose(part)
			if err != nil {
				return nil, err
			}
			offset = max(offset-n, 0)
		}
	}
	return keys, nil
}

// LoosePosition implements [core.HierarchyReader].
func (t *tx) LoosePosition(now core.Stamp, openOnly bool, key core.TaskKey) (position int, found bool, err error) {
	for _, part := range looseParts(now, openOnly) {
		// The part that holds the task is looked for by key.
		source, own := "open_tasks o", part.filter
		values := "o.rank, o.created_at, o.id"
		before := "(o.rank, o.created_at, o.id) < (?, ?, ?)"
		if part.key == "t.seq" {
			source, values, before = "tasks t", "t.resolved_at, t.resolved_at, t.id", "(t.resolved_at > ? OR t.resolved_at = ? AND t.id < ?)"
		}
		own.add(part.key+" = ?", key)
		var place []any
		found, err := t.one("SELECT "+values+" FROM "+source+own.where(), func(r *row) {
			for i := range r.values {
				place = append(place, r.values[i])
			}
		}, own.args...)
		if err != nil {
			return 0, false, err
		}
		count := part
		if found {
			count.filter.add(before, place...)
		}
		n, err := t.countLoose(count)
		if err != nil {
			return 0, false, err
		}
		position += n
		if found {
			return position, true, nil
		}
	}
	return 0, false, nil
}
