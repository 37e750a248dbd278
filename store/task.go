package store

import (
	"math"
	"sort"

	"dev.lithos/core"
)

// headColumns and taskColumns are what head and task read of a row t of tasks.
const (
	headColumns = "t.seq, t.id, t.title, t.status, t.task_type, t.created_at, t.updated_at, t.version, t.tags"
	taskColumns = headColumns + ", t.created_by, t.resolved_at, t.metadata, t.description, t.outcome"
	// briefColumns leave the long texts unread.
	briefColumns = headColumns + ", t.created_by, t.resolved_at, t.metadata, NULL, NULL"
)

// headWidth is the number of headColumns.
const headWidth = 9

// head reads headColumns that begin at column i.
func (r *row) head(i int) (head core.TaskHead) {
	r.readHead(i, &head)
	return head
}

// task reads taskColumns that begin at column i.
func (r *row) task(i int) (task core.Task) {
	r.readTask(i, &task)
	return task
}

// readHead and readTask are head and task for a place that is there already: a
// page of records is read into its list.
func (r *row) readHead(i int, head *core.TaskHead) {
	head.Key, head.ID, head.Title, head.Status, head.Type = r.key(i), r.text(i+1), r.text(i+2), r.status(i+3), r.taskType(i+4)
	head.CreatedAt, head.UpdatedAt, head.Version, head.Tags = r.stamp(i+5), r.stamp(i+6), r.int(i+7), r.tags(i+8)
}

func (r *row) readTask(i int, task *core.Task) {
	r.readHead(i, &task.TaskHead)
	i += headWidth
	task.CreatedBy, task.ResolvedAt, task.Metadata = r.text(i), r.optionalStamp(i+1), r.object(i+2)
	task.Description, task.Outcome = r.optionalText(i+3), r.optionalText(i+4)
}

// TaskByID implements [core.ReadTx].
func (t *tx) TaskByID(id string) (head core.TaskHead, found bool, err error) {
	found, err = t.one("SELECT "+headColumns+" FROM tasks t WHERE t.id = ?", func(r *row) { head = r.head(0) }, id)
	return head, found, err
}

// TasksByPrefix implements [core.ReadTx]. The prefix is a range of the index;
// a pattern would read every task.
func (t *tx) TasksByPrefix(prefix string, limit int) (heads []core.TaskHead, err error) {
	err = t.eachShort("SELECT "+headColumns+" FROM tasks t WHERE t.id >= ? AND t.id < ? ORDER BY t.id LIMIT ?", func(r *row) error {
		heads = append(heads, r.head(0))
		return nil
	}, prefix, afterPrefix(prefix), limit)
	return heads, err
}

// afterPrefix is the first value in the order of bytes after all texts with a
// prefix.
func afterPrefix(prefix string) any {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return []byte{} // every blob comes after every text
}

// Heads implements [core.ReadTx].
func (t *tx) Heads(keys []core.TaskKey) ([]core.TaskHead, error) {
	return inOrder(t, headColumns, keys, func(r *row) core.TaskHead { return r.head(1) })
}

// Names implements [core.ReadTx].
func (t *tx) Names(keys []core.TaskKey) ([]core.TaskName, error) {
	return inOrder(t, "t.id, t.title", keys, func(r *row) core.TaskName { return core.TaskName{ID: r.text(1), Title: r.text(2)} })
}

// Tasks implements [core.ReadTx].
func (t *tx) Tasks(keys []core.TaskKey) ([]core.Task, error) {
	return inOrder(t, taskColumns, keys, func(r *row) core.Task { return r.task(1) })
}

// inOrder reads a value per key, in the order of the keys.
func inOrder[V any](t *tx, columns string, keys []core.TaskKey, scan func(*row) V) ([]V, error) {
	switch len(keys) {
	case 0:
		return nil, nil
	case 1:
		var values []V
		_, err := t.one("SELECT 0, "+columns+" FROM tasks t WHERE t.seq = ?", func(r *row) { values = append(values, scan(r)) }, keys[0])
		return values, err
	}
	type placed struct {
		at    int64
		value V
	}
	found := make([]placed, 0, len(keys))
	err := t.eachShort("SELECT j.key, "+columns+" FROM json_each(?) j CROSS JOIN tasks t ON t.seq = j.value", func(r *row) error {
		found = append(found, placed{r.int(0), scan(r)})
		return nil
	}, keyList(keys))
	if err != nil {
		return nil, err
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].at < found[j].at })
	values := make([]V, len(found))
	for i, p := range found {
		values[i] = p.value
	}
	return values, nil
}

const insertTask = "INSERT INTO tasks (seq, id, status, task_type, ready_at, created_at, updated_at, resolved_at, version," +
	" title, created_by, tags, metadata, description, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

// insert writes the row of a new task. Keys rise by one: tasks are never
// deleted, so none is used twice.
func (t *tx) insert(task *core.Task, f core.Facets) error {
	if t.nextKey == 0 {
		last, err := t.number("SELECT max(seq) FROM tasks")
		if err != nil {
			return err
		}
		if last == math.MaxInt64 {
			return t.store.usedUp("the numbers of its tasks")
		}
		t.nextKey = core.TaskKey(last) + 1
	}
	task.Key = t.nextKey
	err := t.run(insertTask, task.Key, task.ID, task.Status, task.Type, f.ReadyAt, task.CreatedAt, task.UpdatedAt, task.ResolvedAt,
		task.Version, task.Title, task.CreatedBy, task.Tags, task.Metadata, task.Description, task.Outcome)
	t.nextKey = 0 // unknown, should it be the last
	if err == nil && task.Key < math.MaxInt64 {
		t.nextKey = task.Key + 1
	}
	return err
}

// InsertTask implements [core.WriteTx].
func (t *tx) InsertTask(task core.Task, f core.Facets) (core.TaskKey, error) {
	if err := t.insert(&task, f); err != nil {
		return 0, err
	}
	if task.Status == core.StatusOpen {
		return task.Key, t.enter(task, f, 0)
	}
	return task.Key, nil
}

// UpdateTask implements [core.WriteTx].
func (t *tx) UpdateTask(task core.Task, f core.Facets, ifVersion int64) (bool, error) {
	if ifVersion == math.MaxInt64 {
		return false, t.store.usedUp("the versions of the task '" + task.ID + "'")
	}
	changed, err := t.exec("UPDATE tasks SET title = ?, description = ?, tags = ?, metadata = ?, updated_at = ?, version = ?"+
		" WHERE seq = ? AND version = ?",
		task.Title, task.Description, task.Tags, task.Metadata, task.UpdatedAt, task.Version, task.Key, ifVersion)
	if err != nil || changed == 0 {
		return false, err
	}
	if err := t.regrade(task, f); err != nil {
		return true, err
	}
	if task.Type != core.TypeGate {
		return true, nil
	}
	// In a statement of its own: the column is part of an index.
	moved, err := t.exec("UPDATE tasks SET ready_at = ?1 WHERE seq = ?2 AND ready_at IS NOT ?1", f.ReadyAt, task.Key)
	if err != nil || moved == 0 {
		return true, err
	}
	return true, t.settleTargets(task.Key)
}

// SetStatus implements [core.WriteTx].
func (t *tx) SetStatus(task core.Task, f core.Facets, ifVersion int64) (bool, error) {
	if ifVersion == math.MaxInt64 {
		return false, t.store.usedUp("the versions of the task '" + task.ID + "'")
	}
	changed, err := t.exec("UPDATE tasks SET status = ?, resolved_at = ?, outcome = ?, updated_at = ?, version = ?"+
		" WHERE seq = ? AND version = ?",
		task.Status, task.ResolvedAt, task.Outcome, task.UpdatedAt, task.Version, task.Key, ifVersion)
	if err != nil || changed == 0 {
		return false, err
	}
	if err := t.leave(task.Key); err != nil {
		return true, err
	}
	if task.Status == core.StatusOpen {
		if err := t.enter(task, f, 0); err != nil {
			return true, err
		}
		if err := t.settleTask(task.Key); err != nil {
			return true, err
		}
	}
	return true, t.settleTargets(task.Key)
}
