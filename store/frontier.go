package store

import (
	"math"
	"strconv"

	"dev.lithos/core"
)

// The stored frontier. Every open task has a row in open_tasks with
//
//   - hard: 1 when an incoming dependency edge holds the task back whatever
//     the time is, else 0;
//   - timer_until: the latest moment, in seconds, at which an open timer gate
//     that the task waits on lets it go; NULL when there is none.
//
// A plain task is ready when hard is 0 and timer_until has passed, so a timer
// opens without a write. Both are always worked out anew from edges and
// statuses, never counted up and down, by settle alone, in the transaction of
// what changed them. core.Assess is the rule they are held equal to.

// dependency is the SQL list of the numbers of the dependency edge types.
const dependency = "(0, 3)"

// liveEdge is the SQL condition that an edge e holds its target back at a
// moment in seconds, where s is the row of its source in tasks, outer-joined:
// the source is missing, or not completed and no timer gate that e waits on
// and that has opened by then. At the end of time every usable timer has.
func liveEdge(e, s, moment string) string {
	return "(" + s + ".seq IS NULL OR " + s + ".status <> 1" +
		" AND NOT (" + e + ".type = 3 AND " + s + ".status = 0 AND ifnull(" + s + ".ready_at <= " + moment + ", 0)))"
}

var endOfTime = strconv.FormatInt(math.MaxInt64, 10)

// hardOf and timerOf are the SQL expressions for what the columns hard and
// timer_until must be for the task whose key the expression seq gives.
func hardOf(seq string) string {
	return "EXISTS (SELECT 1 FROM edges e INDEXED BY edges_to" +
		" LEFT JOIN tasks s INDEXED BY tasks_state ON s.seq = e.from_seq" +
		" WHERE e.to_seq = " + seq + " AND e.type IN " + dependency + " AND " + liveEdge("e", "s", endOfTime) + ")"
}

func timerOf(seq string) string {
	return "(SELECT max(s.ready_at) FROM edges e INDEXED BY edges_to" +
		" CROSS JOIN tasks s INDEXED BY tasks_state ON s.seq = e.from_seq" +
		" WHERE e.to_seq = " + seq + " AND e.type = 3 AND s.status = 0)"
}

// differing is the query for the open tasks o of a source whose stored columns
// differ from what edges and statuses say, with what they say. The LIMIT keeps
// SQLite from merging the two queries and counting twice.
func differing(source string) string {
	return "SELECT seq, counted_hard, counted_timer FROM (" +
		"SELECT o.seq, o.hard, o.timer_until, " + hardOf("o.seq") + " AS counted_hard, " + timerOf("o.seq") + " AS counted_timer" +
		" FROM " + source + " LIMIT -1) WHERE counted_hard <> hard OR counted_timer IS NOT timer_until"
}

var (
	differingTask    = differing("open_tasks o WHERE o.seq = ?")
	differingTargets = differing("edges x INDEXED BY edges_from CROSS JOIN open_tasks o ON o.seq = x.to_seq" +
		" WHERE x.from_seq = ? AND x.type IN " + dependency)
	differingAll = differing("open_tasks o")
)

// settle brings the rows that a query of differing yields in line with edges
// and statuses; it writes no others.
func (t *tx) settle(query string, args ...any) error {
	type change struct {
		seq, hard int64
		timer     *int64
	}
	var changes []change
	err := t.each(query, func(r *row) error {
		changes = append(changes, change{r.int(0), r.int(1), r.optionalInt(2)})
		return nil
	}, args...)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := t.run("UPDATE open_tasks SET hard = ?, timer_until = ? WHERE seq = ?", c.hard, c.timer, c.seq); err != nil {
			return err
		}
	}
	return nil
}

// settleTask settles one task after an edge into it changed, settleTargets
// all those that edges of a task point at after the task itself changed.
func (t *tx) settleTask(key core.TaskKey) error    { return t.settle(differingTask, key) }
func (t *tx) settleTargets(key core.TaskKey) error { return t.settle(differingTargets, key) }

// enter adds the row of a task that became open. Its edges, if it has any,
// are not counted yet.
func (t *tx) enter(task core.Task, f core.Facets, hard int) error {
	return t.run("INSERT INTO open_tasks (seq, task_type, rank, created_at, id, project, project_list, hard)"+
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		task.Key, task.Type, f.Priority, task.CreatedAt, task.ID, f.Project, projectList(task.Metadata, f), hard)
}

// leave removes the row of a task that is no longer open.
func (t *tx) leave(key core.TaskKey) error {
	return t.run("DELETE FROM open_tasks WHERE seq = ?", key)
}

// regrade writes what of a task's metadata orders and filters the frontier.
func (t *tx) regrade(task core.Task, f core.Facets) error {
	list := projectList(task.Metadata, f)
	return t.run("UPDATE open_tasks SET rank = ?1, project = ?2, project_list = ?3"+
		" WHERE seq = ?4 AND (rank <> ?1 OR project IS NOT ?2 OR project_list IS NOT ?3)",
		f.Priority, f.Project, list, task.Key)
}

// projectList is metadata.project where it is a list, which the filter by
// project looks into.
func projectList(m core.Metadata, f core.Facets) *string {
	if f.Project != nil {
		return nil
	}
	raw, ok := m.Get("project")
	if !ok || len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	text := string(raw)
	return &text
}
