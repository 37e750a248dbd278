package store

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"dev.lithos/core"
)

// plan is the query plan of a statement, one line a step.
func plan(t testing.TB, tx *tx, sql string) string {
	t.Helper()
	var steps []string
	n := strings.Count(sql, "?")
	args := make([]any, n)
	for i := range args {
		args[i] = 1
	}
	if strings.Contains(sql, "?1") {
		// Numbered arguments are as many as the highest number.
		args = args[:0]
		for _, match := range regexp.MustCompile(`\?(\d)`).FindAllStringSubmatch(sql, -1) {
			for len(args) < int(match[1][0]-'0') {
				args = append(args, 1)
			}
		}
	}
	err := tx.each("EXPLAIN QUERY PLAN "+sql, func(r *row) error {
		steps = append(steps, r.text(3))
		return nil
	}, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return strings.Join(steps, "\n")
}

// everyRead is one call of everything that is read in the course of the
// operations, with every kind of filter.
func everyRead(tx *tx, key core.TaskKey) error {
	text, stamp := "p", epoch
	match := []core.MetadataCondition{{Key: "k", Literal: `"v"`}}
	keys := []core.TaskKey{key, key + 1}
	types := []core.EdgeType{core.EdgeBlocks, core.EdgeWaitsOnGate}
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	for _, half := range []core.Frontier{core.Ready, core.Blocked} {
		for _, q := range []core.FrontierQuery{
			{}, {Project: &text}, {Tags: []string{"x"}}, {Match: match}, {FreeAspect: "work"}, {Limit: 1, Offset: 1},
		} {
			q.Half, q.Now = half, epoch
			_, err := tx.Frontier(q)
			note(err)
			_, err = tx.FrontierKeys(q)
			note(err)
		}
	}
	for _, q := range []core.TaskQuery{
		{}, {Brief: true}, {CreatedBy: "x"}, {Status: core.StatusOpen, Type: core.TypeTask, Since: &stamp, ResolvedSince: &stamp}, {Tags: []string{"x"}, Match: match},
	} {
		note(tx.EachTask(q, func(core.Task) bool { return true }))
		note(tx.EachTaskByAge(q, func(core.Task) error { return nil }))
	}
	for _, q := range []core.EventQuery{
		{}, {After: 1, Types: []string{"a", "b"}, Agent: "x", Start: &stamp, End: &stamp, Limit: 1}, {Task: &key}, {Task: &key, Agent: "x", Limit: 1},
		{NewestFirst: true, Before: 9}, {NewestFirst: true, Task: &key},
	} {
		_, err := tx.Events(q)
		note(err)
		_, err = tx.HasArchivedEvents(q)
		note(err)
	}
	for _, read := range []func() error{
		func() error { _, _, err := tx.TaskByID("x"); return err },
		func() error { _, err := tx.TasksByPrefix("x", 5); return err },
		func() error { _, err := tx.Heads(keys); return err },
		func() error { _, err := tx.Heads(keys[:1]); return err },
		func() error { _, err := tx.Names(keys); return err },
		func() error { _, err := tx.Names(keys[:1]); return err },
		func() error { _, err := tx.Onward(keys, types, false); return err },
		func() error { _, err := tx.Onward(keys, types, true); return err },
		func() error { _, err := tx.Trail(key, types, false); return err },
		func() error { _, err := tx.Trail(key, types, true); return err },
		func() error { _, err := tx.Tasks(keys); return err },
		func() error { _, err := tx.Tasks(keys[:1]); return err },
		func() error { _, err := tx.Incoming(keys, true); return err },
		func() error { _, err := tx.Incoming(keys, false); return err },
		func() error { _, err := tx.Waiters(keys, epoch); return err },
		func() error { _, err := tx.DependencyTargets(key, types); return err },
		func() error { _, err := tx.ReadyTargets(key, epoch); return err },
		func() error { _, err := tx.SoleHolderTargets(key, epoch); return err },
		func() error { _, err := tx.MayHaveRings(); return err },
		func() error { _, err := tx.Edges(key, core.DirectionIncoming, types); return err },
		func() error { _, err := tx.Edges(key, core.DirectionOutgoing, core.EdgeTypes); return err },
		func() error { _, err := tx.HasEdges(key, core.DirectionIncoming, types); return err },
		func() error { _, err := tx.HasEdges(key, core.DirectionOutgoing, types); return err },
		func() error { _, _, err := tx.FindEdge(key, key, core.EdgeBlocks); return err },
		func() error { _, err := tx.Reaches(keys[:1], key+1, types); return err },
		func() error { _, err := tx.Neighbours(keys, core.DirectionIncoming, types, false); return err },
		func() error { _, err := tx.Neighbours(keys, core.DirectionOutgoing, types, true); return err },
		func() error { _, err := tx.Neighbours(keys[:1], core.DirectionOutgoing, types, true); return err },
		func() error { _, err := tx.Neighbours(keys[:1], core.DirectionIncoming, types, false); return err },
		func() error { _, _, err := tx.Parent(key); return err },
		func() error { _, err := tx.Children(key); return err },
		func() error { _, err := tx.Claims(keys, epoch); return err },
		func() error { _, err := tx.Claims(keys[:1], epoch); return err },
		func() error { _, _, err := tx.Claim(key, "work"); return err },
		func() error { _, err := tx.Findings(key, nil); return err },
		func() error { _, err := tx.Findings(key, &stamp); return err },
		func() error { _, _, err := tx.Agent("x"); return err },
		func() error { _, err := tx.FeedBounds(); return err },
		func() error { _, _, err := tx.Replay("x", "y"); return err },
		func() error { _, err := tx.ShortIDs([]string{"x"}); return err },
		func() error { _, err := tx.missingID(key); return err },
		func() error { return tx.settleTask(key) },
		func() error { return tx.settleTargets(key) },
	} {
		note(read())
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// scans are the walks over a whole table or index that are meant: the list of
// all tasks, the halves of the frontier, arguments, and recursion.
var scans = []*regexp.Regexp{
	regexp.MustCompile(`^SCAN t USING (COVERING )?INDEX tasks_by_age$`),
	regexp.MustCompile(`^SCAN o USING (COVERING )?INDEX (ready|ready_untimed|blocked)$`),
	regexp.MustCompile(`^SCAN [a-z]+ (EXISTS )?VIRTUAL TABLE INDEX \d+:$`), // json_each
	regexp.MustCompile(`^SCAN (r|reached|CONSTANT ROW|1 CONSTANT ROW|\(subquery-\d+\))$`),
}

// distinct is what tells which tasks a walk has met already; it sorts nothing.
const distinct = "USE TEMP B-TREE FOR DISTINCT"

// TestPlans looks at the plan of everything that is read: nothing may be
// sorted, and no table be walked from end to end but for what is listed whole.
func TestPlans(t *testing.T) {
	s := create(t)
	keys := load(t, s, graphShape{tasks: 300, edges: 600, closed: 0.5})
	write(t, s, func(tx *tx) error {
		// The load walks everything, and means it.
		if err := tx.finalize(); err != nil {
			return err
		}
		if err := everyRead(tx, keys[200]); err != nil {
			return err
		}
		var texts []string
		for sql := range tx.idle {
			if strings.HasPrefix(sql, "SELECT") || strings.HasPrefix(sql, "WITH") {
				texts = append(texts, sql)
			}
		}
		slices.Sort(texts)
		if len(texts) < 60 {
			t.Errorf("only %d queries were seen", len(texts))
		}
		for _, sql := range texts {
			if strings.Contains(sql, "sqlite_schema") {
				continue // asked once of a file that is no store yet
			}
			for line := range strings.SplitSeq(plan(t, tx, sql), "\n") {
				meant := slices.ContainsFunc(scans, func(r *regexp.Regexp) bool { return r.MatchString(line) })
				if strings.HasPrefix(line, "SCAN") && !meant || strings.Contains(line, "TEMP B-TREE") && line != distinct || strings.Contains(line, "AUTOMATIC") {
					t.Errorf("%s\n\t%s", line, sql)
				}
			}
		}
		return nil
	})
}

// TestPlans_walk names the plans that the speed of the frontier rests on.
func TestPlans_walk(t *testing.T) {
	s := create(t)
	read(t, s, func(tx *tx) error {
		ready, _ := frontierQuery(core.FrontierQuery{}, false, taskColumns, true)
		opened, _ := frontierQuery(core.FrontierQuery{}, true, taskColumns, true)
		blocked, _ := frontierQuery(core.FrontierQuery{Half: core.Blocked}, false, taskColumns, true)
		next, _ := frontierQuery(core.FrontierQuery{FreeAspect: "work", Limit: 1}, false, taskColumns, true)
		key := core.TaskKey(1)
		all, _ := feed.sql(core.EventQuery{After: 1}, eventColumns, "NOT INDEXED")
		about, _ := feed.sql(core.EventQuery{Task: &key}, eventColumns, "NOT INDEXED")
		for sql, want := range map[string]string{
			ready:   "SCAN o USING INDEX ready_untimed\nSEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
			opened:  "SCAN o USING INDEX ready\nSEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
			blocked: "SCAN o USING INDEX blocked\nSEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
			next: "SCAN o USING INDEX ready_untimed\nCORRELATED SCALAR SUBQUERY 1\nSEARCH c USING INDEX sqlite_autoindex_claims_1 (task_seq=? AND aspect=?)\n" +
				"SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
			"SELECT " + headColumns + childrenSource: "SEARCH e USING INDEX edges_from (from_seq=? AND type=?)\nSEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
			all + " ORDER BY seq LIMIT ?":            "SEARCH events USING INTEGER PRIMARY KEY (rowid>?)",
			about + " ORDER BY seq DESC LIMIT ?": "MERGE (UNION ALL)\nLEFT\nSEARCH events USING INDEX events_by_task (task_seq=? AND rowid>?)\n" +
				"RIGHT\nSEARCH events USING INDEX events_by_other (other_seq=? AND rowid>?)",
			"SELECT " + headColumns + " FROM tasks t WHERE t.id >= ? AND t.id < ? ORDER BY t.id LIMIT ?": "SEARCH t USING INDEX sqlite_autoindex_tasks_1 (id>? AND id<?)",
		} {
			got := strings.ReplaceAll(plan(t, tx, sql), "COVERING ", "")
			if got != want {
				t.Errorf("%s\n got %s\nwant %s", sql, got, want)
			}
		}
		return nil
	})
}

// TestPlans_trip makes sure that the checks above can fail.
func TestPlans_trip(t *testing.T) {
	s := create(t)
	read(t, s, func(tx *tx) error {
		for sql, want := range map[string]string{
			"SELECT id FROM tasks WHERE id LIKE ? || '%'":                   "SCAN",
			"SELECT seq FROM open_tasks WHERE hard = 0 ORDER BY created_at": "TEMP B-TREE",
		} {
			if got := plan(t, tx, sql); !strings.Contains(got, want) {
				t.Errorf("%s has the plan %s", sql, got)
			}
		}
		return nil
	})
}
