package store

import (
	"strings"

	"dev.lithos/core"
)

// liveClaims are the keys of tasks with a live claim.
const liveClaims = "(SELECT task_seq FROM claims INDEXED BY claims_by_expiry WHERE expires_at > ?)"

// othersSource are the open epics and gates in the default order.
const othersSource = "open_tasks o INDEXED BY open_others"

// closedSource are the closed tasks, the last closed first.
const closedSource = "tasks t INDEXED BY tasks_closed"

// column is the SQL source of a column with the conditions on its rows. Rows
// are o, of open_tasks, except in Done, where they are t, of tasks.
func column(c core.Column, now core.Stamp) (source string, f filter) {
	switch c {
	case core.ColumnReady:
		f.add(readyIndexed)
		f.add(readyNow, now.Seconds())
		f.add("o.seq NOT IN "+liveClaims, now)
		return readySource, f
	case core.ColumnBlocked:
		f.add(blockedIndexed)
		f.add(blockedNow, now.Seconds())
		return blockedSource, f
	case core.ColumnClaimed:
		f.add("o.seq IN "+liveClaims, now)
		return "open_tasks o", f
	case core.ColumnGates:
		f.add("o.task_type <> 0 AND o.task_type = 2")
		return othersSource, f
	}
	f.add("t.status <> 0")
	return closedSource, f
}

// CountColumn implements [core.ColumnReader].
func (t *tx) CountColumn(c core.Column, now core.Stamp) (int, error) {
	switch c {
	case core.ColumnReady:
		// Claims are few: taking them off is cheaper than looking each ready
		// task up among them.
		all, err := t.number("SELECT count(*) FROM "+readySource+" WHERE "+readyIndexed+" AND "+readyNow, now.Seconds())
		if err != nil {
			return 0, err
		}
		taken, err := t.number("SELECT count(*) FROM open_tasks o WHERE o.seq IN "+liveClaims+" AND "+readyIndexed+" AND "+readyNow,
			now, now.Seconds())
		return int(all - taken), err
	case core.ColumnDone:
		// What is not open is closed. Tasks are never deleted and their keys
		// have no gaps, so the last key is their number.
		all, err := t.number("SELECT max(seq) FROM tasks")
		if err != nil {
			return 0, err
		}
		open, err := t.number("SELECT count(*) FROM open_tasks")
		return int(all - open), err
	}
	source, f := column(c, now)
	n, err := t.number("SELECT count(*) FROM "+source+f.where(), f.args...)
	return int(n), err
}

// order is the SQL order of a column, as the terms that decide in turn.
func order(q core.ColumnQuery) (terms string, withTask bool) {
	switch {
	case q.Column == core.ColumnDone:
		return "t.resolved_at DESC, t.id", false
	case q.Sort == core.SortCreated:
		return "o.created_at, o.id", false
	case q.Sort == core.SortUpdated:
		return "t.updated_at DESC, o.id", true
	}
	return "o.rank, o.created_at, o.id", false
}

// withTasks joins the rows t of tasks to a source of rows o.
func withTasks(c core.Column, source string) string {
	if c == core.ColumnDone {
		return source
	}
	return source + " CROSS JOIN tasks t ON t.seq = o.seq"
}

// keyOf is the column of the key in the source of a column.
func keyOf(c core.Column) string {
	if c == core.ColumnDone {
		return "t.seq"
	}
	return "o.seq"
}

// columnKeys is the SQL for a part of a column.
func columnKeys(q core.ColumnQuery, offset, limit int) (sql string, args []any) {
	source, f := column(q.Column, q.Now)
	terms, withTask := order(q)
	if withTask {
		source = withTasks(q.Column, source)
	}
	sql = "SELECT " + keyOf(q.Column) + " FROM " + source + f.where() + " ORDER BY " + terms + f.page(limit, offset)
	return sql, f.args
}

// ColumnKeys implements [core.ColumnReader].
func (t *tx) ColumnKeys(q core.ColumnQuery, offset, limit int) (keys []core.TaskKey, err error) {
	sql, args := columnKeys(q, offset, limit)
	err = t.each(sql, func(r *row) error {
		keys = append(keys, r.key(0))
		return nil
	}, args...)
	return keys, err
}

// ColumnPosition implements [core.ColumnReader].
func (t *tx) ColumnPosition(q core.ColumnQuery, key core.TaskKey) (position int, found bool, err error) {
	_, place := column(q.Column, q.Now)
	place.add(keyOf(q.Column)+" = ?", key)
	terms, withTask := order(q)
	source := "tasks t"
	if q.Column != core.ColumnDone {
		source = "open_tasks o" // by key, not along the order
		if withTask {
			source = withTasks(q.Column, source)
		}
	}
	var values []any
	found, err = t.one("SELECT "+strings.ReplaceAll(terms, " DESC", "")+" FROM "+source+place.where(), func(r *row) {
		for i := range r.values {
			values = append(values, r.values[i])
		}
	}, place.args...)
	if err != nil || !found {
		return 0, false, err
	}
	return t.countBefore(q, values)
}

// countBefore counts the rows of a column before the place that the values of
// the terms of its order give.
func (t *tx) countBefore(q core.ColumnQuery, values []any) (position int, found bool, err error) {
	source, f := column(q.Column, q.Now)
	switch {
	case q.Column == core.ColumnDone:
		f.add("(t.resolved_at > ? OR t.resolved_at = ? AND t.id < ?)", values[0], values[0], values[1])
	case q.Sort == core.SortCreated:
		f.add("(o.created_at, o.id) < (?, ?)", values...)
	case q.Sort == core.SortUpdated:
		source = withTasks(q.Column, source)
		f.add("(t.updated_at > ? OR t.updated_at = ? AND o.id < ?)", values[0], values[0], values[1])
	default:
		f.add("(o.rank, o.created_at, o.id) < (?, ?, ?)", values...)
	}
	n, err := t.number("SELECT count(*) FROM "+source+f.where(), f.args...)
	return int(n), true, err
}

// EachInColumn implements [core.ColumnReader].
func (t *tx) EachInColumn(q core.ColumnQuery, yield func(core.Task) bool) error {
	source, f := column(q.Column, q.Now)
	f.hints(q)
	terms, _ := order(q)
	sql := "SELECT " + briefColumns + " FROM " + withTasks(q.Column, source) + f.where() + " ORDER BY " + terms
	return t.each(sql, func(r *row) error {
		if task := r.task(0); r.bad != nil || !yield(task) {
			return errStop
		}
		return nil
	}, f.args...)
}

// hints leaves out rows that a filter would drop. Words are compared without
// regard to the case of ASCII letters; what has others is left to the caller.
func (f *filter) hints(q core.ColumnQuery) {
	for _, word := range q.Hints.Words {
		within := "%" + likeEscape.Replace(word) + "%"
		f.add("(t.title LIKE ? ESCAPE '!' OR t.tags LIKE ? ESCAPE '!' OR t.id LIKE ? ESCAPE '!'"+
			" OR octet_length(t.title) <> length(t.title) OR octet_length(t.tags) <> length(t.tags))",
			within, within, within)
	}
	if q.Hints.RankBelow > 0 && q.Column != core.ColumnDone {
		f.add("o.rank >= ? AND o.rank < ?", q.Hints.RankFrom, q.Hints.RankBelow)
	}
}

var likeEscape = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// BriefTasks implements [core.ColumnReader].
func (t *tx) BriefTasks(keys []core.TaskKey) ([]core.Task, error) {
	return inOrder(t, briefColumns, keys, func(r *row) core.Task { return r.task(1) })
}

// Held implements [core.ColumnReader].
func (t *tx) Held(keys []core.TaskKey, now core.Stamp) (map[core.TaskKey]bool, error) {
	held := map[core.TaskKey]bool{}
	err := t.each("SELECT o.seq FROM json_each(?) j CROSS JOIN open_tasks o ON o.seq = j.value WHERE "+blockedIndexed+" AND "+blockedNow,
		func(r *row) error {
			held[r.key(0)] = true
			return nil
		}, keyList(keys), now.Seconds())
	return held, err
}

// OpenEpics implements [core.ColumnReader].
func (t *tx) OpenEpics(limit int) (keys []core.TaskKey, err error) {
	var f filter
	f.add("o.task_type <> 0 AND o.task_type = 1")
	sql := "SELECT o.seq FROM " + othersSource + f.where() + " ORDER BY o.rank, o.created_at, o.id" + f.page(limit, 0)
	err = t.each(sql, func(r *row) error {
		keys = append(keys, r.key(0))
		return nil
	}, f.args...)
	return keys, err
}

// Stranding implements [core.ColumnReader].
func (t *tx) Stranding(limit int) (keys []core.TaskKey, err error) {
	err = t.each("SELECT t.seq FROM tasks t INDEXED BY tasks_cancelled WHERE t.status = 2 AND EXISTS ("+
		"SELECT 1 FROM edges e INDEXED BY edges_from CROSS JOIN open_tasks o ON o.seq = e.to_seq"+
		" WHERE e.from_seq = t.seq AND e.type IN "+dependency+" AND o.task_type = 0) ORDER BY t.id LIMIT ?", func(r *row) error {
		keys = append(keys, r.key(0))
		return nil
	}, limit)
	return keys, err
}

// NextDue implements [core.ColumnReader].
func (t *tx) NextDue(now core.Stamp) (*core.Stamp, error) {
	var due *core.Stamp
	for _, query := range []struct {
		sql    string
		moment int64
		unit   int64
	}{
		{"SELECT min(expires_at) FROM claims WHERE expires_at > ?", int64(now), 1},
		{"SELECT min(t.ready_at) FROM " + othersSource + " CROSS JOIN tasks t INDEXED BY tasks_state ON t.seq = o.seq" +
			" WHERE o.task_type <> 0 AND o.task_type = 2 AND t.ready_at > ?", now.Seconds(), 1_000_000},
	} {
		_, err := t.one(query.sql, func(r *row) {
			if r.isNull(0) {
				return
			}
			if at := core.Stamp(r.int(0) * query.unit); due == nil || at < *due {
				due = &at
			}
		}, query.moment)
		if err != nil {
			return nil, err
		}
	}
	return due, nil
}
