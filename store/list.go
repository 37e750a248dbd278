package store

import (
	"errors"
	"fmt"
	"slices"

	"dev.lithos/core"
)

// tasksOf keeps tasks t that pass a list's filters.
func (f *filter) tasksOf(q core.TaskQuery) {
	if q.CreatedBy != "" {
		f.add("t.created_by = ?", q.CreatedBy)
	}
	if q.Status != "" {
		f.add("t.status = ?", q.Status)
	}
	if q.Type != "" {
		f.add("t.task_type = ?", q.Type)
	}
	if q.Since != nil {
		f.add("t.created_at >= ?", *q.Since)
	}
	if q.ResolvedSince != nil {
		f.add("t.resolved_at >= ?", *q.ResolvedSince)
	}
	if !q.Strict {
		f.tags(q.Tags)
		f.match(q.Match)
		return
	}
	var kept filter
	kept.tags(q.Tags)
	kept.match(q.Match)
	if len(kept.conditions) > 0 {
		f.add("("+notTags("t.tags")+" OR "+notJSON("t.metadata", "object")+" OR "+both(kept.conditions)+")", kept.args...)
	}
}

// judgeTask makes a row bad that holds a task as no command writes it.
func (r *row) judgeTask(task core.Task) {
	r.judge("the task", task.ID, (&core.TransferRecord{Kind: core.TransferTask, Task: task}).Fault())
}

// claimed is the SQL source of the keys of tasks with a live claim that the
// query asks for.
func claimed(q core.TaskQuery) (source string, args []any) {
	if q.ClaimedBy == "*" {
		return "(SELECT DISTINCT task_seq FROM claims INDEXED BY claims_by_expiry WHERE expires_at > ?)", []any{q.Now}
	}
	return "(SELECT DISTINCT task_seq FROM claims INDEXED BY claims_by_expiry WHERE expires_at > ? AND agent = ?)",
		[]any{q.Now, q.ClaimedBy}
}

// EachTask implements [core.ReadTx].
func (t *tx) EachTask(q core.TaskQuery, yield func(core.Task) bool) error {
	columns := taskColumns
	if q.Brief {
		columns = briefColumns
	}
	// Those with a claim are few: they are found first and then sorted.
	source := "tasks t INDEXED BY tasks_by_age"
	var f filter
	if q.ClaimedBy != "" {
		keys, args := claimed(q)
		source = keys + " c CROSS JOIN tasks t ON t.seq = c.task_seq"
		f.args = args
	}
	f.tasksOf(q)
	sql := "SELECT " + columns + " FROM " + source + f.where() + " ORDER BY t.created_at DESC, t.id" + f.page(q.Limit, q.Offset)
	return t.each(sql, func(r *row) error {
		task := r.task(0)
		if q.Strict {
			r.judgeTask(task)
		}
		if r.bad != nil || !yield(task) {
			return errStop
		}
		return nil
	}, f.args...)
}

// EachTaskByAge implements [core.ReadTx]. The index has the ids of one moment
// in the other direction, so the keys are read backwards and those of one
// moment turned round: no list of any length is sorted.
func (t *tx) EachTaskByAge(q core.TaskQuery, yield func(core.Task) error) error {
	source := "tasks t INDEXED BY tasks_by_age"
	var f filter
	if q.ClaimedBy != "" {
		keys, args := claimed(q)
		source = keys + " c CROSS JOIN tasks t ON t.seq = c.task_seq"
		f.args = args
	}
	f.tasksOf(q)
	columns := taskColumns
	if q.Brief {
		columns = briefColumns
	}
	skip, left := q.Offset, q.Limit
	var moment core.Stamp
	var keys []core.TaskKey
	flush := func() error {
		slices.Reverse(keys)
		for _, key := range keys {
			if skip > 0 {
				skip--
				continue
			}
			var task core.Task
			found, err := t.one("SELECT "+columns+" FROM tasks t WHERE t.seq = ?", func(r *row) {
				task = r.task(0)
				r.judgeTask(task)
			}, key)
			if err != nil {
				return err
			}
			if !found {
				return t.fail(damagedError{errors.New("an index has a task that its table has not"), fmt.Sprintf("the task of the number %d", key)})
			}
			if err := yield(task); err != nil {
				return err
			}
			if left--; left == 0 {
				return errStop
			}
		}
		keys = keys[:0]
		return nil
	}
	sql := "SELECT t.created_at, t.seq FROM " + source + f.where() + " ORDER BY t.created_at, t.id DESC"
	done := false
	err := t.each(sql, func(r *row) error {
		if at := r.stamp(0); at != moment || len(keys) == 0 {
			if err := flush(); err != nil {
				done = errors.Is(err, errStop)
				return err
			}
			moment = at
		}
		keys = append(keys, r.key(1))
		return nil
	}, f.args...)
	if err == nil && !done {
		if err = flush(); errors.Is(err, errStop) {
			err = nil
		}
	}
	return err
}
