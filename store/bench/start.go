package main

import (
	"fmt"
	"time"
)

// measureStart measures what a command costs that does next to nothing.
func (b *bench) measureStart() {
	c := turns(b.turns*2, b.whole(b.lithos, "version"), b.whole(b.empty))
	b.report.add("limits", figure{what: "`version`, whole process", value: c.ratio(), limit: 3.2, unit: "×",
		detail: fmt.Sprintf("%s; an empty Go program %s", short(median(c.ours)), short(median(c.theirs)))})
	plain := turns(b.turns, b.whole(b.plain, "version"), b.whole(b.empty))
	b.report.add("more", figure{what: "`version`, plain `go build`", value: plain.ratio(), unit: "×",
		detail: "of an empty Go program"})
	if b.shell == "" {
		return
	}
	f := b.ordinary(b.largest())
	id := f.ID(f.Open + f.Wide + 5)
	c = turns(b.turns, b.whole(b.lithos, "--db", f.path, "task", "get", id, "--json"),
		b.whole(b.shell, "-json", f.path, forShell(recordByID, "'"+id+"'")))
	b.report.add("limits", figure{what: "`task get --json`, whole process", size: count(f.Tasks), value: c.ratio(), limit: 2.2, unit: "×",
		detail: fmt.Sprintf("%s; the shell %s", short(median(c.ours)), short(median(c.theirs)))})
}

// readyForShell is what 'task ready --json' asks, for the sqlite3 shell: the
// page, then the claims on it.
func readyForShell() string {
	return readyPage + `; SELECT c.task_seq, c.agent, c.aspect, c.expires_at FROM (SELECT o.seq FROM open_tasks o INDEXED BY ready_untimed
		WHERE o.task_type = 0 AND o.hard = 0 AND o.timer_until IS NULL ORDER BY o.rank, o.created_at, o.id LIMIT 50) j
		CROSS JOIN claims c ON c.task_seq = j.seq WHERE c.expires_at > ` + fmt.Sprint(now()) + ";"
}

// measureReads measures whole-process and in-process reads on the largest
// graph.
func (b *bench) measureReads() {
	large, small := b.ordinary(b.largest()), b.ordinary(b.sizes[0])
	ready := []string{"task", "ready", "--json"}
	on := func(f *fixture) []string { return append([]string{"--db", f.path}, ready...) }
	if b.shell != "" {
		for _, build := range []struct {
			name    string
			program string
			limit   float64
		}{{"release build", b.lithos, 2.2}, {"plain `go build`", b.plain, 2.7}} {
			c := turns(b.turns, b.whole(build.program, on(large)...), b.whole(b.shell, "-json", large.path, readyForShell()))
			b.report.add("limits", figure{what: "`task ready --json`, whole process, " + build.name, size: count(large.Tasks), value: c.ratio(), limit: build.limit, unit: "×",
				detail: fmt.Sprintf("%s; the shell %s", short(median(c.ours)), short(median(c.theirs)))})
		}
	}
	if large != small {
		c := turns(b.turns*2, b.whole(b.lithos, on(large)...), b.whole(b.lithos, on(small)...))
		b.report.add("limits", figure{what: "the same, of itself at " + count(small.Tasks), size: count(large.Tasks), value: c.ratio(), limit: 1.1, unit: "×",
			detail: fmt.Sprintf("%s; %s", short(median(c.ours)), short(median(c.theirs)))})
	}
	large.open()
	defer large.close()
	b.compareReads(large)
}

// compareReads measures reads in process against the raw statements.
func (b *bench) compareReads(f *fixture) {
	n := b.turns * 10
	add := func(what string, limit float64, c contest) {
		b.report.add("limits", figure{what: what, size: count(f.Tasks), value: c.ratio(), limit: limit, unit: "×",
			detail: fmt.Sprintf("%s; raw %s", short(median(c.ours)), short(median(c.theirs)))})
	}
	r := f.raw
	add("`task_ready` 50 with JSON, in process", 1.6, turns(n, clocked(func(int) {
		f.call("task_ready", `{}`)
	}), clocked(func(int) {
		r.exec("BEGIN")
		keys := r.keys(readyPage)
		r.query(liveClaims, keys, now())
		r.exec("COMMIT")
	})))
	add("`task_blocked` 50 with reasons, in process", 2, turns(n, clocked(func(int) {
		f.call("task_blocked", `{}`)
	}), clocked(func(int) {
		r.exec("BEGIN")
		keys := r.keys(blockedPage, seconds())
		r.query(reasons, keys)
		r.exec("COMMIT")
	})))
	add("8-character prefix, of the exact id, in one transaction", 3, b.prefixes(f))
}

// measureVariants sets graphs that are hard for a frontier against an ordinary
// one of the same size, all tasks open.
func (b *bench) measureVariants() {
	size := b.about(100_000)
	shape := ordinaryOpen(size)
	ordinary := b.fixture(shape)
	many, most := size*23/100, size*90/100
	for _, v := range []struct {
		what   string
		change func()
	}{
		{"every blocked task before every ready one", func() { shape.BlockedFirst = true }},
		{count(many) + " future timers", func() { shape.FutureTimers = many }},
		{count(most) + " future timers", func() { shape.FutureTimers = most }},
		{count(many) + " passed timers", func() { shape.PassedTimers = many }},
	} {
		shape = ordinaryOpen(size)
		v.change()
		f := b.fixture(shape)
		args := func(f *fixture) []string { return []string{"--db", f.path, "task", "ready", "--json"} }
		c := turns(b.turns, b.whole(b.lithos, args(f)...), b.whole(b.lithos, args(ordinary)...))
		b.report.add("limits", figure{what: "`task ready --json`: " + v.what, size: count(size) + " open", value: c.ratio(), limit: 1.3, unit: "×",
			detail: fmt.Sprintf("%s; the ordinary case %s", short(median(c.ours)), short(median(c.theirs)))})
		f.open()
		ordinary.open()
		in := turns(b.turns*10, clocked(func(int) { f.call("task_ready", `{}`) }), clocked(func(int) { ordinary.call("task_ready", `{}`) }))
		b.report.add("more", figure{what: "the same in process: " + v.what, size: count(size) + " open", value: in.ratio(), unit: "×",
			detail: fmt.Sprintf("%s; the ordinary case %s", short(median(in.ours)), short(median(in.theirs)))})
		ordinary.close()
		f.close()
	}
}

// prefixes resolves ids by their first eight characters and whole.
func (b *bench) prefixes(f *fixture) contest {
	const batch = 200
	ids := make([]string, batch)
	var ours, theirs func(int) time.Duration
	number := func(turn, i int) int { return (turn*7919 + i*104729) % f.Tasks }
	ours = func(turn int) time.Duration {
		for i := range ids {
			ids[i] = f.ID(number(turn, i))[:8]
		}
		return f.resolve(ids, true)
	}
	theirs = func(turn int) time.Duration {
		for i := range ids {
			ids[i] = f.ID(number(turn+1000, i))
		}
		return f.resolve(ids, false)
	}
	c := turns(b.turns, ours, theirs)
	for _, side := range [][]time.Duration{c.ours, c.theirs} {
		for i := range side {
			side[i] /= batch
		}
	}
	return c
}
