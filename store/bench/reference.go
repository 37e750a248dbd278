package main

import "strings"

// The references are the least that the engine has to do for an operation,
// written here anew: the program's own statements are not asked.

// record are the columns of a task record.
const record = `t.id, t.title, t.description, t.status, t.task_type, t.created_by, t.created_at, t.resolved_at,
	t.updated_at, t.version, t.tags, t.metadata, t.outcome`

const (
	// readyPage is a page of ready tasks with one more to tell whether it goes
	// on, of a graph whose timers have not opened.
	readyPage = `SELECT ` + record + `, t.seq FROM open_tasks o INDEXED BY ready_untimed CROSS JOIN tasks t ON t.seq = o.seq
		WHERE o.task_type = 0 AND o.hard = 0 AND o.timer_until IS NULL ORDER BY o.rank, o.created_at, o.id LIMIT 51`
	// liveClaims are those of a list of tasks; ?2 is now in microseconds.
	liveClaims = `SELECT c.task_seq, c.agent, c.aspect, c.expires_at FROM json_each(?1) j
		CROSS JOIN claims c ON c.task_seq = j.value WHERE c.expires_at > ?2`
	blockedPage = `SELECT ` + record + `, t.seq FROM open_tasks o INDEXED BY blocked CROSS JOIN tasks t ON t.seq = o.seq
		WHERE o.task_type = 0 AND (o.hard = 1 OR o.timer_until IS NOT NULL) AND (o.hard = 1 OR o.timer_until > ?)
		ORDER BY o.rank, o.created_at, o.id LIMIT 51`
	// reasons are what holds a list of tasks back.
	reasons = `SELECT e.to_seq, e.type, s.id, s.title, s.status, s.task_type, CASE WHEN s.task_type = 2 THEN s.metadata END
		FROM json_each(?) j CROSS JOIN edges e INDEXED BY edges_to ON e.to_seq = j.value AND e.type IN (0, 3)
		CROSS JOIN tasks p INDEXED BY tasks_state ON p.seq = e.from_seq AND p.status <> 1 CROSS JOIN tasks s ON s.seq = p.seq`
	nextFree = `SELECT ` + record + `, t.seq FROM open_tasks o INDEXED BY ready_untimed CROSS JOIN tasks t ON t.seq = o.seq
		WHERE o.task_type = 0 AND o.hard = 0 AND o.timer_until IS NULL
		AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.task_seq = o.seq AND c.aspect = 'work' AND c.expires_at > ?)
		ORDER BY o.rank, o.created_at, o.id LIMIT 1`

	seen        = `UPDATE agents SET last_seen_at = ? WHERE id = ?`
	insertClaim = `INSERT INTO claims (task_seq, aspect, agent, claimed_at, expires_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (task_seq, aspect) DO UPDATE SET agent = excluded.agent, expires_at = excluded.expires_at`
	insertEvent = `INSERT INTO events (id, type, timestamp, agent, task_seq, tags, payload) VALUES (?, ?, ?, ?, ?, '[]', ?)`
	insertTask  = `INSERT INTO tasks (id, status, task_type, created_at, updated_at, version, title, created_by, tags, metadata)
		VALUES (?, 0, 0, ?, ?, 1, ?, ?, '[]', ?)`
	insertOpen = `INSERT INTO open_tasks (seq, task_type, rank, created_at, id, hard) VALUES (last_insert_rowid(), 0, 2, ?, ?, 0)`

	// stillHeld tells whether something holds the task of o back.
	stillHeld = `EXISTS (SELECT 1 FROM edges e2 INDEXED BY edges_to CROSS JOIN tasks s INDEXED BY tasks_state ON s.seq = e2.from_seq
		WHERE e2.to_seq = o.seq AND e2.type IN (0, 3) AND s.status <> 1)`
	// freed are the open tasks that wait for nothing once the given one is done:
	// the anti-join that a stored frontier is to be compared with.
	freed = `SELECT o.id FROM edges e INDEXED BY edges_from CROSS JOIN open_tasks o ON o.seq = e.to_seq
		WHERE e.from_seq = ? AND e.type IN (0, 3) AND o.task_type = 0 AND NOT ` + stillHeld
	finish = `UPDATE tasks SET status = 1, resolved_at = ?1, outcome = ?2, updated_at = ?1, version = version + 1 WHERE seq = ?3`
	// settle writes the stored frontier of what waited for a task.
	settle = `UPDATE open_tasks AS o SET hard = 0 WHERE o.seq IN (SELECT to_seq FROM edges WHERE from_seq = ? AND type IN (0, 3))
		AND o.hard = 1 AND NOT ` + stillHeld

	// reaches walks forward from one task and looks for another.
	reaches = `WITH RECURSIVE reached (seq) AS (VALUES (?1) UNION SELECT e.to_seq FROM reached r
		CROSS JOIN edges e INDEXED BY edges_from ON e.from_seq = r.seq AND e.type IN (0, 3))
		SELECT 1 FROM reached WHERE seq = ?2 LIMIT 1`

	recordByID = `SELECT ` + record + ` FROM tasks t WHERE t.id = ?`
)

// forShell makes a statement one for the sqlite3 shell, with values in the
// place of ?.
func forShell(sql string, values ...string) string {
	for _, value := range values {
		sql = strings.Replace(sql, "?", value, 1)
	}
	return sql + ";"
}
