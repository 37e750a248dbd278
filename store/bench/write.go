package main

import (
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"time"
)

// newID is an id for rows of the references.
func newID(r *rand.Rand) string { return fmt.Sprintf("%016x-%016x-raw", r.Uint64(), r.Uint64()) }

// eventText is the payload of an event of a length as events have it.
const eventText = `{"task_id":"00000000-0000-4000-8000-000000000000","title":"One more","task_type":"task","updated_at":"2026-01-01T00:00:00.000000+00:00","version":1}`

// measureWrites measures durable writes on the largest graph, against the same
// rows written by bare statements.
func (b *bench) measureWrites() {
	f := b.ordinary(b.largest())
	if b.shell != "" {
		create := fmt.Sprintf(`PRAGMA synchronous = FULL; BEGIN IMMEDIATE;
			INSERT INTO tasks (id, status, task_type, created_at, updated_at, version, title, created_by, tags, metadata)
				VALUES (lower(hex(randomblob(16))), 0, 0, %[1]d, %[1]d, 1, 'One more', 'bench', '[]', '{}');
			INSERT INTO open_tasks (seq, task_type, rank, created_at, id, hard) SELECT seq, 0, 2, %[1]d, id, 0 FROM tasks WHERE seq = last_insert_rowid();
			INSERT INTO events (id, type, timestamp, agent, task_seq, tags, payload)
				SELECT lower(hex(randomblob(16))), 'task.created', %[1]d, 'bench', max(seq), '[]', '%[2]s' FROM tasks;
			INSERT INTO agents (id, first_seen_at, last_seen_at, metadata) VALUES ('bench', %[1]d, %[1]d, '{}')
				ON CONFLICT (id) DO UPDATE SET last_seen_at = excluded.last_seen_at;
			COMMIT;`, now(), eventText)
		c := turns(b.turns*2, b.whole(b.lithos, "--db", f.path, "task", "create", "One more", "--json"), b.whole(b.shell, f.path, create))
		b.report.add("limits", figure{what: "`task create --json`, whole process, durable", size: count(f.Tasks), value: c.ratio(), limit: 1.5, unit: "×",
			detail: fmt.Sprintf("%s; the shell %s", short(median(c.ours)), short(median(c.theirs)))})
	}
	f.open()
	defer f.close()
	f.call("agent_register", `{"id":"bench"}`)
	s := &subject{fixture: f, plain: f.Plain()}
	add := func(what string, limit float64, c contest) {
		b.report.add("limits", figure{what: what, size: count(f.Tasks), value: c.ratio(), limit: limit, unit: "×",
			detail: fmt.Sprintf("%s; raw %s", short(median(c.ours)), short(median(c.theirs)))})
	}
	n := min(b.turns*10, len(s.plain)/2-1)
	random := rand.New(rand.NewPCG(5, 6))
	r := f.raw
	// Each side has tasks of its own, so that neither finds what the other did.
	ours := func(turn int) string { return f.ID(s.plain[turn]) }
	theirs := func(turn int) (id string, key int64) {
		i := s.plain[len(s.plain)-1-turn]
		return f.ID(i), int64(i + 1)
	}
	durable := func(run func(at int64)) {
		at := now()
		r.exec("BEGIN IMMEDIATE")
		run(at)
		r.exec(seen, at, "bench")
		r.exec("COMMIT")
	}

	add("`task_next`, in process, durable", 2, turns(n, func(int) time.Duration {
		start := time.Now()
		answer := f.call("task_next", `{"agent":"bench"}`)
		took := time.Since(start)
		s.releaseNext(answer)
		return took
	}, func(int) time.Duration {
		var taken int64
		start := time.Now()
		durable(func(at int64) {
			r.each(nextFree, func(row []driver.Value) { taken, _ = row[len(row)-1].(int64) }, at)
			r.exec(insertClaim, taken, "work", "bench", at, at+3_600_000_000)
			r.exec(insertEvent, newID(random), "task.claimed", at, "bench", taken, eventText)
		})
		took := time.Since(start)
		r.exec("DELETE FROM claims WHERE task_seq = ? AND agent = 'bench'", taken)
		return took
	}))
	add("`task_create`, in process, durable", 1.3, turns(n, clocked(func(int) {
		f.call("task_create", `{"title":"One more","agent":"bench"}`)
	}), clocked(func(int) {
		durable(func(at int64) {
			id := newID(random)
			r.exec(insertTask, id, at, at, "One more", "bench", "{}")
			r.exec(insertOpen, at, id)
			r.exec(insertEvent, newID(random), "task.created", at, "bench", r.number("SELECT last_insert_rowid()"), eventText)
		})
	})))
	add("`task_claim`, in process, durable", 1.3, turns(n, clocked(func(turn int) {
		f.call("task_claim", fmt.Sprintf(`{"task_id":%q,"agent":"bench","aspect":"review"}`, ours(turn)))
	}), clocked(func(turn int) {
		id, key := theirs(turn)
		durable(func(at int64) {
			r.query(recordByID, id)
			r.exec(insertClaim, key, "review", "bench", at, at+3_600_000_000)
			r.exec(insertEvent, newID(random), "task.claimed", at, "bench", key, eventText)
		})
	})))
	// What is completed is opened again, uncounted: the store serves on.
	reopen := func(id string) { f.call("task_reopen", fmt.Sprintf(`{"task_id":%q,"agent":"bench"}`, id)) }
	add("`task_complete`, in process, durable", 1.3, turns(n, func(turn int) time.Duration {
		start := time.Now()
		f.call("task_complete", fmt.Sprintf(`{"task_id":%q,"agent":"bench","outcome":"done"}`, ours(turn)))
		took := time.Since(start)
		reopen(ours(turn))
		return took
	}, func(turn int) time.Duration {
		id, key := theirs(turn)
		start := time.Now()
		durable(func(at int64) {
			r.query(recordByID, id)
			r.exec("DELETE FROM claims WHERE task_seq = ?", key)
			r.exec(finish, at, "done", key)
			r.exec("DELETE FROM open_tasks WHERE seq = ?", key)
			r.exec(settle, key)
			r.exec(insertEvent, newID(random), "task.completed", at, "bench", key, eventText)
			r.query(freed, key)
		})
		took := time.Since(start)
		reopen(id)
		return took
	}))
}

// measureFan completes a task that many wait for.
func (b *bench) measureFan() {
	f := b.ordinary(b.largest())
	f.open()
	defer f.close()
	r, hub, key := f.raw, f.ID(f.Hub), int64(f.Hub+1)
	arguments := fmt.Sprintf(`{"task_id":%q,"agent":"bench"}`, hub)
	var log int64
	c := turns(max(b.turns/4, 5), func(int) time.Duration {
		r.foldLog()
		start := time.Now()
		f.call("task_complete", arguments)
		took := time.Since(start)
		log = max(log, sizeOf(f.path+"-wal"))
		f.call("task_reopen", arguments)
		return took
	}, func(int) time.Duration {
		r.foldLog()
		at := now()
		start := time.Now()
		r.exec("BEGIN IMMEDIATE")
		r.exec(finish, at, nil, key)
		r.query(freed, key)
		r.exec("COMMIT")
		took := time.Since(start)
		r.exec("UPDATE tasks SET status = 0, resolved_at = NULL WHERE seq = ?", key)
		return took
	})
	what := fmt.Sprintf("complete a blocker of %s tasks, `unblocked` included", count(f.Wide))
	b.report.add("limits", figure{what: what, size: count(f.Tasks), value: c.ratio(), limit: 2.5, unit: "×",
		detail: fmt.Sprintf("%s; the bare anti-join %s", short(median(c.ours)), short(median(c.theirs)))})
	b.report.add("limits", figure{what: "the same, log written", size: count(f.Tasks), value: float64(log) / 1e6, limit: 2, unit: "MB"})
}
