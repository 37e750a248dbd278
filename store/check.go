package store

import (
	"context"
	"fmt"
	"math"

	"dev.lithos/core"
)

// Difference is one place in which the stored frontier is not what tasks and
// edges say.
type Difference struct {
	TaskID  string // empty when it concerns no single task
	Field   string // a column of the frontier, "row" for the whole row, "rings" for the note about rings
	Stored  string
	Counted string
}

// String is the difference as a line for people.
func (d Difference) String() string {
	return fmt.Sprintf("%s %s: stored %s, counted %s", d.TaskID, d.Field, d.Stored, d.Counted)
}

func equalInts(a, b *int64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// openRow is a row of open_tasks as it is or as it should be.
type openRow struct {
	taskType          core.TaskType
	rank, created     int64
	id                string
	project, projects *string
	hard              int64
	timer             *int64
}

// openRowColumns are what openRow reads of a row o of open_tasks.
const openRowColumns = "o.task_type, o.rank, o.created_at, o.id, o.project, o.project_list, o.hard, o.timer_until"

func (r *row) openRow() openRow {
	return openRow{
		taskType: r.taskType(0), rank: r.int(1), created: r.int(2), id: r.text(3),
		project: r.optionalText(4), projects: r.optionalText(5), hard: r.int(6), timer: r.optionalInt(7),
	}
}

func show[T any](p *T) string {
	if p == nil {
		return "nothing"
	}
	return fmt.Sprint(*p)
}

// differences compares a row with what it should be.
func (o openRow) differences(want openRow) (list []Difference) {
	for _, f := range []struct{ name, stored, counted string }{
		{"task_type", string(o.taskType), string(want.taskType)},
		{"rank", fmt.Sprint(o.rank), fmt.Sprint(want.rank)},
		{"created_at", fmt.Sprint(o.created), fmt.Sprint(want.created)},
		{"id", o.id, want.id},
		{"project", show(o.project), show(want.project)},
		{"project_list", show(o.projects), show(want.projects)},
		{"hard", fmt.Sprint(o.hard), fmt.Sprint(want.hard)},
		{"timer_until", show(o.timer), show(want.timer)},
	} {
		if f.stored != f.counted {
			list = append(list, Difference{TaskID: want.id, Field: f.name, Stored: f.stored, Counted: f.counted})
		}
	}
	return list
}

// expected is the row that an open task should have, by the rule of core
// rather than by the SQL that keeps it. incoming are all its dependency edges.
func expected(task core.Task, incoming []core.Dependency) openRow {
	f := core.FacetsOf(task.Type, task.Metadata)
	want := openRow{
		taskType: task.Type, rank: int64(f.Priority), created: int64(task.CreatedAt), id: task.ID,
		project: f.Project, projects: projectList(task.Metadata, f),
	}
	if len(core.Assess(incoming, math.MaxInt64)) > 0 {
		want.hard = 1
	}
	for _, edge := range incoming {
		// An edge that holds at the beginning of time, yet not at its end, is
		// one that a timer lets go.
		one := []core.Dependency{edge}
		if len(core.Assess(one, math.MinInt64)) == 0 || len(core.Assess(one, math.MaxInt64)) > 0 {
			continue
		}
		opens := core.FacetsOf(edge.Source.Type, edge.Gate).ReadyAt
		if want.timer == nil || *opens > *want.timer {
			want.timer = opens
		}
	}
	return want
}

// checkBatch is how many open tasks are checked at a time.
const checkBatch = 256

// CheckFrontier counts the whole frontier anew from tasks and edges and
// returns where what is stored differs; nothing when all is well.
func (s *Store) CheckFrontier(ctx context.Context) (list []Difference, err error) {
	err = s.Read(ctx, func(read core.ReadTx) error {
		list, err = read.(*tx).checkFrontier()
		return err
	})
	return list, err
}

func (t *tx) checkFrontier() (list []Difference, err error) {
	var batch []core.Task
	flush := func() error {
		found, err := t.checkRows(batch)
		list, batch = append(list, found...), batch[:0]
		return err
	}
	err = t.each("SELECT "+briefColumns+", t.ready_at FROM tasks t"+
		" WHERE t.status = 0 OR t.task_type = 2 OR t.ready_at IS NOT NULL ORDER BY t.seq", func(r *row) error {
		task, readyAt := r.task(0), r.optionalInt(headWidth+5)
		if want := core.FacetsOf(task.Type, task.Metadata).ReadyAt; !equalInts(readyAt, want) {
			list = append(list, Difference{task.ID, "ready_at", show(readyAt), show(want)})
		}
		if task.Status == core.StatusOpen {
			batch = append(batch, task)
		}
		if len(batch) == checkBatch {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return nil, err
	}
	err = t.each("SELECT o.id FROM open_tasks o WHERE NOT EXISTS (SELECT 1 FROM tasks t WHERE t.seq = o.seq AND t.status = 0)", func(r *row) error {
		list = append(list, Difference{r.text(0), "row", "there", "not there"})
		return nil
	})
	if err != nil {
		return nil, err
	}
	noted, err := t.MayHaveRings()
	if err != nil || noted {
		return list, err
	}
	rings, err := t.hasRings()
	if rings {
		list = append(list, Difference{"", "rings", "false", "true"})
	}
	return list, err
}

// checkRows checks the rows of some open tasks.
func (t *tx) checkRows(tasks []core.Task) (list []Difference, err error) {
	keys := make([]core.TaskKey, len(tasks))
	for i, task := range tasks {
		keys[i] = task.Key
	}
	edges, err := t.Incoming(keys, false)
	if err != nil {
		return nil, err
	}
	incoming := map[core.TaskKey][]core.Dependency{}
	for _, edge := range edges {
		incoming[edge.Target] = append(incoming[edge.Target], edge)
	}
	for _, task := range tasks {
		var stored openRow
		found, err := t.one("SELECT "+openRowColumns+" FROM open_tasks o WHERE o.seq = ?", func(r *row) { stored = r.openRow() }, task.Key)
		if err != nil {
			return nil, err
		}
		if !found {
			list = append(list, Difference{task.ID, "row", "not there", "there"})
			continue
		}
		list = append(list, stored.differences(expected(task, incoming[task.Key]))...)
	}
	return list, nil
}

// RebuildFrontier makes the stored frontier anew from tasks and edges.
func (s *Store) RebuildFrontier(ctx context.Context) error {
	return s.Write(ctx, func(write core.WriteTx) error { return write.(*tx).rebuildFrontier() })
}

func (t *tx) rebuildFrontier() error {
	if err := t.run("DELETE FROM open_tasks"); err != nil {
		return err
	}
	// Keys first: the rows are changed while they are gone through.
	var keys []core.TaskKey
	err := t.each("SELECT seq FROM tasks WHERE status = 0 OR task_type = 2 OR ready_at IS NOT NULL", func(r *row) error {
		keys = append(keys, r.key(0))
		return nil
	})
	if err != nil {
		return err
	}
	for len(keys) > 0 {
		n := min(len(keys), checkBatch)
		tasks, err := inOrder(t, briefColumns, keys[:n], func(r *row) core.Task { return r.task(1) })
		if err != nil {
			return err
		}
		for _, task := range tasks {
			f := core.FacetsOf(task.Type, task.Metadata)
			if err := t.run("UPDATE tasks SET ready_at = ?1 WHERE seq = ?2 AND ready_at IS NOT ?1", f.ReadyAt, task.Key); err != nil {
				return err
			}
			if task.Status == core.StatusOpen {
				if err := t.enter(task, f, uncounted); err != nil {
					return err
				}
			}
		}
		keys = keys[n:]
	}
	if err := t.settle(differingAll); err != nil {
		return err
	}
	return t.noteRings()
}

// IntegrityCheck lets SQLite examine the whole file and returns what it
// objects to, in its own words; nothing when the file is sound.
func (s *Store) IntegrityCheck(ctx context.Context) (faults []string, err error) {
	err = s.Read(ctx, func(read core.ReadTx) error {
		return read.(*tx).each("PRAGMA integrity_check", func(r *row) error {
			if line := r.text(0); line != "ok" {
				faults = append(faults, line)
			}
			return nil
		})
	})
	return faults, err
}
