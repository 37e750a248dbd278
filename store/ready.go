package store

import "dev.lithos/core"

// The two halves of the frontier are partial indexes over open_tasks in the
// default order. The conditions of an index stand in the query word by word,
// and the index is named: a plan without it must fail rather than sort.
const (
	readySource  = "open_tasks o INDEXED BY ready"
	readyIndexed = "o.task_type = 0 AND o.hard = 0"
	readyNow     = "(o.timer_until IS NULL OR o.timer_until <= ?)"

	// While no timer has opened, the ready tasks are those without one, which
	// have an index of their own.
	untimedSource = "open_tasks o INDEXED BY ready_untimed"
	untimedOnly   = "o.timer_until IS NULL"

	blockedSource  = "open_tasks o INDEXED BY blocked"
	blockedIndexed = "o.task_type = 0 AND (o.hard = 1 OR o.timer_until IS NOT NULL)"
	blockedNow     = "(o.hard = 1 OR o.timer_until > ?)"
)

// hasOpened reports whether a timer that an otherwise ready task waits for has
// opened by now.
func (t *tx) hasOpened(now core.Stamp) (bool, error) {
	return t.one("SELECT 1 FROM open_tasks o INDEXED BY timed WHERE "+readyIndexed+
		" AND o.timer_until IS NOT NULL AND o.timer_until <= ? LIMIT 1", func(*row) {}, now.Seconds())
}

// frontierQuery is the SQL for columns of the tasks of a query; they may be
// of the row t of tasks when withTask says so. opened is what hasOpened says:
// when no timer has, those that wait for one need not be walked over.
func frontierQuery(q core.FrontierQuery, opened bool, columns string, withTask bool) (string, []any) {
	source := readySource
	var f filter
	switch {
	case q.Half == core.Ready && !opened:
		source = untimedSource
		f.add(readyIndexed)
		f.add(untimedOnly)
	case q.Half == core.Ready:
		f.add(readyIndexed)
		f.add(readyNow, q.Now.Seconds())
	default:
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

// frontierQuery is the query of that name as things stand.
func (t *tx) frontierQuery(q core.FrontierQuery, columns string, withTask bool) (sql string, args []any, err error) {
	opened := false
	if q.Half == core.Ready {
		if opened, err = t.hasOpened(q.Now); err != nil {
			return "", nil, err
		}
	}
	sql, args = frontierQuery(q, opened, columns, withTask)
	return sql, args, nil
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
	sql, args, err := t.frontierQuery(q, taskColumns, true)
	if err != nil {
		return nil, err
	}
	var tasks []core.Task
	if q.Limit > 0 {
		tasks = make([]core.Task, 0, min(q.Limit, longestPage))
	}
	each := t.each
	if q.Project == nil && q.FreeAspect == "" && len(q.Tags) == 0 && len(q.Match) == 0 {
		each = t.eachShort // no row is read in vain
	}
	err = each(sql, func(r *row) error {
		tasks = append(tasks, core.Task{})
		r.readTask(0, &tasks[len(tasks)-1])
		return nil
	}, args...)
	return tasks, err
}

// longestPage is how many tasks of a page memory is kept ready for.
const longestPage = 128

// FrontierKeys implements [core.ReadTx].
func (t *tx) FrontierKeys(q core.FrontierQuery) (keys []core.TaskKey, err error) {
	sql, args, err := t.frontierQuery(q, "o.seq", false)
	if err != nil {
		return nil, err
	}
	err = t.each(sql, func(r *row) error {
		keys = append(keys, r.key(0))
		return nil
	}, args...)
	return keys, err
}
