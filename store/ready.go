package store

import "dev.lithos/core"

// The two halves of the frontier are partial indexes over open_tasks in the
// default order. The conditions of an index stand in the query word by word,
// and the index is named: a plan without it must fail rather than sort.
const (
	readySource  = "open_tasks o INDEXED BY ready"
	readyIndexed = "o.task_type = 0 AND o.hard = 0"
	readyNow     = "(o.timer_until IS NULL OR o.timer_until <= ?)"

	blockedSource  = "open_tasks o INDEXED BY blocked"
	blockedIndexed = "o.task_type = 0 AND (o.hard = 1 OR o.timer_until IS NOT NULL)"
	blockedNow     = "(o.hard = 1 OR o.timer_until > ?)"
)

// frontierQuery is the SQL for columns of the tasks of a query; they may be
// of the row t of tasks when withTask says so.
func frontierQuery(q core.FrontierQuery, columns string, withTask bool) (string, []any) {
	source := readySource
	var f filter
	if q.Half == core.Ready {
		f.add(readyIndexed)
		f.add(readyNow, q.Now.Seconds())
	} else {
		source = blockedSource
		f.add(blockedIndexed)
		f.add(blockedNow, q.Now.Seconds())
	}
	if q.Project != nil {
		f.project(*q.Project)
	}
	if q.FreeAspect != "" {
		f.add("NOT EXISTS (SELECT 1 FROM claims c WHERE c.task_seq = o.seq AND c.aspect = ? AND c.expires_at > ?)", q.FreeAspect, q.Now)
	}
	f.tags(q.Tags)
	f.match(q.Match)
	order := " ORDER BY o.rank, o.created_at, o.id"
	switch q.Sort {
	case core.SortCreated:
		order = " ORDER BY o.created_at, o.id"
	case core.SortUpdated:
		order = " ORDER BY t.updated_at DESC, o.id"
		withTask = true
	}
	if withTask || len(q.Tags) > 0 || len(q.Match) > 0 {
		source += " CROSS JOIN tasks t ON t.seq = o.seq"
	}
	sql := "SELECT " + columns + " FROM " + source + f.where() + order + f.page(q.Limit, q.Offset)
	return sql, f.args
}

// Frontier implements [core.ReadTx].
func (t *tx) Frontier(q core.FrontierQuery) ([]core.Task, error) {
	if q.Sort == core.SortCreated || q.Sort == core.SortUpdated {
		// Keys are sorted, not whole records.
		keys, err := t.FrontierKeys(q)
		if err != nil {
			return nil, err
		}
		return t.Tasks(keys)
	}
	sql, args := frontierQuery(q, taskColumns, true)
	var tasks []core.Task
	if q.Limit > 0 {
		tasks = make([]core.Task, 0, min(q.Limit, 64))
	}
	each := t.each
	if q.Project == nil && q.FreeAspect == "" && len(q.Tags) == 0 && len(q.Match) == 0 {
		each = t.eachShort // no row is read in vain
	}
	err := each(sql, func(r *row) error {
		tasks = append(tasks, r.task(0))
		return nil
	}, args...)
	return tasks, err
}

// FrontierKeys implements [core.ReadTx].
func (t *tx) FrontierKeys(q core.FrontierQuery) (keys []core.TaskKey, err error) {
	sql, args := frontierQuery(q, "o.seq", false)
	err = t.each(sql, func(r *row) error {
		keys = append(keys, r.key(0))
		return nil
	}, args...)
	return keys, err
}
