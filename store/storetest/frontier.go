package storetest

import (
	"fmt"
	"testing"

	"dev.lithos/core"
)

func frontier(t T, tx core.ReadTx, q core.FrontierQuery) []string {
	t.Helper()
	tasks, err := tx.Frontier(q)
	if err != nil {
		t.Fatalf("frontier %+v: %v", q, err)
	}
	keys, err := tx.FrontierKeys(q)
	if err != nil {
		t.Fatalf("frontier keys %+v: %v", q, err)
	}
	if len(keys) != len(tasks) {
		t.Fatalf("frontier %+v: %d keys for %d tasks", q, len(keys), len(tasks))
	}
	for i := range keys {
		if keys[i] != tasks[i].Key {
			t.Fatalf("frontier %+v: key %d is of another task", q, i)
		}
	}
	return ids(tasks)
}

func withMetadata(task core.Task, metadata core.Metadata) core.Task {
	task.Metadata = metadata
	return task
}

func testFrontierOrder(t *testing.T, e Engine) {
	s := e.Create(t)
	epic, gate := plain("epic", at(0)), plain("gate", at(0))
	epic.Type, gate.Type, gate.Metadata = core.TypeEpic, core.TypeGate, `{"gate_type":"human"}`
	late := withMetadata(plain("low", at(1)), `{"priority":"low"}`)
	late.UpdatedAt = at(90)
	keys := insert(t, s, epic, gate,
		withMetadata(plain("b-medium", at(5)), `{}`),
		withMetadata(plain("a-medium", at(5)), `{"priority":"unheard of"}`),
		withMetadata(plain("older", at(4)), `{"priority":"medium"}`),
		late,
		withMetadata(plain("highest", at(9)), `{"priority":"highest"}`),
		plain("waits", at(2)), withMetadata(plain("waits-high", at(3)), `{"priority":"high"}`),
	)
	connect(t, s, keys, link{"low", core.EdgeBlocks, "waits"}, link{"waits", core.EdgeBlocks, "waits-high"}, link{"epic", core.EdgeBlocks, "gate"})
	read(t, s, func(tx core.ReadTx) error {
		ready := core.FrontierQuery{Half: core.Ready, Now: at(100), Sort: core.SortPriority}
		equal(t, "ready", frontier(t, tx, ready), []string{"highest", "older", "a-medium", "b-medium", "low"})
		ready.Limit, ready.Offset = 2, 1
		equal(t, "a page", frontier(t, tx, ready), []string{"older", "a-medium"})
		ready.Limit, ready.Offset, ready.Sort = 0, 0, core.SortCreated
		equal(t, "by creation", frontier(t, tx, ready), []string{"low", "older", "a-medium", "b-medium", "highest"})
		ready.Sort = core.SortUpdated
		equal(t, "by change", frontier(t, tx, ready), []string{"low", "highest", "a-medium", "b-medium", "older"})
		ready.Limit, ready.Offset = 2, 1
		equal(t, "a page by change", frontier(t, tx, ready), []string{"highest", "a-medium"})
		blocked := core.FrontierQuery{Half: core.Blocked, Now: at(100), Sort: core.SortPriority}
		equal(t, "blocked", frontier(t, tx, blocked), []string{"waits-high", "waits"})
		blocked.Sort = core.SortCreated
		equal(t, "blocked by creation", frontier(t, tx, blocked), []string{"waits", "waits-high"})
		return nil
	})
	// A changed priority moves a task.
	write(t, s, func(tx core.WriteTx) error {
		changed := withMetadata(plain("b-medium", at(5)), `{"priority":"highest"}`)
		changed.Key, changed.Version, changed.UpdatedAt = keys["b-medium"], 2, at(50)
		_, err := tx.UpdateTask(changed, facets(changed), 1)
		return err
	})
	read(t, s, func(tx core.ReadTx) error {
		equal(t, "after the change", frontier(t, tx, core.FrontierQuery{Now: at(100), Sort: core.SortPriority, Limit: 2}), []string{"b-medium", "highest"})
		return nil
	})
	check(t, e, s)
}

func testFrontierFilters(t *testing.T, e Engine) {
	s := e.Create(t)
	tagged := withMetadata(plain("tagged", at(3)), `{"project":"p"}`)
	tagged.Tags = core.MakeTags([]string{"x", "y"})
	keys := insert(t, s,
		withMetadata(plain("one", at(0)), `{"project":"p","owner":"mo"}`),
		withMetadata(plain("many", at(1)), `{"project":["q","p"]}`),
		withMetadata(plain("empty", at(2)), `{"project":""}`),
		tagged,
		withMetadata(plain("number", at(4)), `{"project":7}`),
		withMetadata(plain("nested", at(5)), `{"project":[["p"],7]}`),
		plain("none", at(6)),
		withMetadata(plain("held", at(7)), `{"project":"p"}`),
	)
	connect(t, s, keys, link{"one", core.EdgeBlocks, "held"})
	p, q, blank, seven := "p", "q", "", "7"
	read(t, s, func(tx core.ReadTx) error {
		for _, test := range []struct {
			name string
			q    core.FrontierQuery
			want []string
		}{
			{"project", core.FrontierQuery{Project: &p}, []string{"one", "many", "tagged"}},
			{"project in a list", core.FrontierQuery{Project: &q}, []string{"many"}},
			{"empty project", core.FrontierQuery{Project: &blank}, []string{"empty"}},
			{"a number is no project", core.FrontierQuery{Project: &seven}, []string{}},
			{"tags", core.FrontierQuery{Tags: []string{"y", "x"}}, []string{"tagged"}},
			{"match", core.FrontierQuery{Match: []core.MetadataCondition{{Key: "owner", Literal: `"mo"`}}}, []string{"one"}},
			{"all at once", core.FrontierQuery{Project: &p, Tags: []string{"x"}, Limit: 1, Match: []core.MetadataCondition{{Key: "project", Literal: `"p"`}}}, []string{"tagged"}},
			{"blocked", core.FrontierQuery{Half: core.Blocked, Project: &p}, []string{"held"}},
			{"page of a project", core.FrontierQuery{Project: &p, Limit: 1, Offset: 1}, []string{"many"}},
			{"sorted project", core.FrontierQuery{Project: &p, Sort: core.SortUpdated}, []string{"tagged", "many", "one"}},
		} {
			test.q.Now = at(100)
			equal(t, test.name, frontier(t, tx, test.q), test.want)
		}
		return nil
	})
	write(t, s, func(tx core.WriteTx) error {
		for id, claim := range map[string]core.Claim{
			"one":  {Agent: "mo", Aspect: "work", ExpiresAt: at(200)},
			"many": {Agent: "mo", Aspect: "review", ExpiresAt: at(200)},
			"none": {Agent: "mo", Aspect: "work", ExpiresAt: at(100)},
		} {
			if _, err := tx.PutClaim(keys[id], claim, at(0)); err != nil {
				return err
			}
		}
		equal(t, "free of work", frontier(t, tx, core.FrontierQuery{Now: at(100), FreeAspect: "work"}),
			[]string{"many", "empty", "tagged", "number", "nested", "none"})
		return nil
	})
	check(t, e, s)
}

func timer(id string, created core.Stamp, readyAt core.Stamp) core.Task {
	gate := plain(id, created)
	gate.Type = core.TypeGate
	gate.Metadata = core.Metadata(fmt.Sprintf(`{"gate_type":"timer","ready_at":"%s"}`, readyAt))
	return gate
}

func testTimers(t *testing.T, e Engine) {
	s := e.Create(t)
	unusable := timer("unusable", at(0), at(0))
	unusable.Metadata = `{"gate_type":"timer","ready_at":"soon"}`
	keys := insert(t, s, timer("early", at(0), at(10)), timer("late", at(0), at(20)), unusable,
		plain("one", at(1)), plain("both", at(2)), plain("plainly", at(3)), plain("never", at(4)))
	connect(t, s, keys, link{"early", core.EdgeWaitsOnGate, "one"}, link{"early", core.EdgeWaitsOnGate, "both"}, link{"late", core.EdgeWaitsOnGate, "both"},
		link{"early", core.EdgeBlocks, "plainly"}, link{"unusable", core.EdgeWaitsOnGate, "never"})
	expect := func(name string, now core.Stamp, ready, blocked []string) {
		t.Helper()
		read(t, s, func(tx core.ReadTx) error {
			equal(t, name+", ready", frontier(t, tx, core.FrontierQuery{Now: now}), ready)
			equal(t, name+", blocked", frontier(t, tx, core.FrontierQuery{Now: now, Half: core.Blocked}), blocked)
			return nil
		})
		check(t, e, s)
	}
	expect("before", at(10)-1, []string{}, []string{"one", "both", "plainly", "never"})
	expect("at the first", at(10), []string{"one"}, []string{"both", "plainly", "never"})
	expect("within its second", at(10)+999_999, []string{"one"}, []string{"both", "plainly", "never"})
	expect("after both", at(20), []string{"one", "both"}, []string{"plainly", "never"})
	moved := timer("early", at(0), at(30))
	moved.Key, moved.Version = keys["early"], 2
	write(t, s, func(tx core.WriteTx) error {
		_, err := tx.UpdateTask(moved, facets(moved), 1)
		return err
	})
	expect("moved on", at(20), []string{}, []string{"one", "both", "plainly", "never"})
	expect("passed again", at(30), []string{"one", "both"}, []string{"plainly", "never"})
	setStatus(t, s, keys["early"], core.StatusCancelled, at(31))
	expect("cancelled though past due", at(40), []string{}, []string{"one", "both", "plainly", "never"})
	setStatus(t, s, keys["early"], core.StatusOpen, at(32))
	expect("reopened", at(40), []string{"one", "both"}, []string{"plainly", "never"})
	setStatus(t, s, keys["early"], core.StatusCompleted, at(33))
	expect("completed", at(5), []string{"one", "plainly"}, []string{"both", "never"})
	setStatus(t, s, keys["both"], core.StatusCompleted, at(34))
	setStatus(t, s, keys["both"], core.StatusOpen, at(35))
	expect("a waiter reopened", at(5), []string{"one", "plainly"}, []string{"both", "never"})
}

func testTargets(t *testing.T, e Engine) {
	s := e.Create(t)
	epic, gate := plain("epic", at(0)), plain("gate", at(0))
	epic.Type, gate.Type, gate.Metadata = core.TypeEpic, core.TypeGate, `{"gate_type":"ci"}`
	keys := insert(t, s, plain("source", at(0)), plain("other", at(0)), epic, gate, timer("timer", at(0), at(10)),
		plain("d-alone", at(1)), plain("c-shared", at(2)), plain("b-closed", at(3)), plain("a-timed", at(4)), plain("twice", at(5)))
	source, waits := core.EdgeBlocks, core.EdgeWaitsOnGate
	connect(t, s, keys, link{"source", source, "d-alone"}, link{"source", source, "c-shared"}, link{"other", source, "c-shared"},
		link{"source", source, "b-closed"}, link{"source", source, "a-timed"}, link{"timer", waits, "a-timed"}, link{"source", source, "epic"},
		link{"gate", waits, "twice"}, link{"gate", source, "twice"}, link{"source", core.EdgeDiscoveredFrom, "other"})
	setStatus(t, s, keys["b-closed"], core.StatusCompleted, at(6))
	both := []core.EdgeType{core.EdgeBlocks, core.EdgeWaitsOnGate}
	read(t, s, func(tx core.ReadTx) error {
		heads, err := tx.DependencyTargets(keys["source"], both)
		equal(t, "targets", ids(heads), []string{"a-timed", "c-shared", "d-alone", "epic"})
		if err != nil {
			return err
		}
		heads, err = tx.DependencyTargets(keys["gate"], both)
		equal(t, "a target of two edges", ids(heads), []string{"twice"})
		if err != nil {
			return err
		}
		heads, err = tx.DependencyTargets(keys["gate"], []core.EdgeType{core.EdgeDiscoveredFrom})
		equal(t, "no targets", ids(heads), []string{})
		if err != nil {
			return err
		}
		for _, test := range []struct {
			name, id string
			now      core.Stamp
			want     []string
		}{
			{"before the timer", "source", at(9), []string{"d-alone", "epic"}},
			{"after the timer", "source", at(10), []string{"a-timed", "d-alone", "epic"}},
			{"of the timer", "timer", at(9), []string{}},
			{"of the passed timer", "timer", at(10), []string{}},
			{"over two edges", "gate", at(0), []string{"twice"}},
		} {
			sole, err := tx.SoleHolderTargets(keys[test.id], test.now)
			if err != nil {
				return err
			}
			equal(t, "sole holder "+test.name, sole, test.want)
		}
		waiters, err := tx.Waiters([]core.TaskKey{keys["source"], keys["timer"], keys["other"]}, at(10))
		if err != nil {
			return err
		}
		names := map[core.TaskKey]string{}
		for id, key := range keys {
			names[key] = id
		}
		found := map[string]bool{}
		for _, pair := range waiters {
			found[names[pair[0]]+" "+names[pair[1]]] = true
		}
		equal(t, "waiters", found, map[string]bool{
			"source d-alone": true, "source c-shared": true, "source a-timed": true, "source epic": true, "other c-shared": true,
		})
		return nil
	})
	setStatus(t, s, keys["source"], core.StatusCompleted, at(7))
	read(t, s, func(tx core.ReadTx) error {
		for _, test := range []struct {
			id   string
			now  core.Stamp
			want []string
		}{
			{"source", at(9), []string{"d-alone"}},
			{"source", at(10), []string{"a-timed", "d-alone"}},
			{"timer", at(10), []string{"a-timed"}},
			{"other", at(10), []string{}},
		} {
			ready, err := tx.ReadyTargets(keys[test.id], test.now)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("ready targets of %s", test.id), ready, test.want)
		}
		incoming, err := tx.Incoming([]core.TaskKey{keys["a-timed"], keys["c-shared"]}, false)
		if err != nil {
			return err
		}
		var told []string
		for _, d := range incoming {
			told = append(told, fmt.Sprintf("%s %s %s %s %v %q", names(keys, d.Target), d.Type, d.Source.ID, d.Source.Status, d.Missing, d.Gate))
		}
		equal(t, "incoming", told, []string{
			`a-timed blocks source completed false ""`,
			`a-timed waits_on_gate timer open false "{\"gate_type\":\"timer\",\"ready_at\":\"2026-03-01T08:00:10+00:00\"}"`,
			`c-shared blocks source completed false ""`, `c-shared blocks other open false ""`,
		})
		live, err := tx.Incoming([]core.TaskKey{keys["c-shared"], keys["a-timed"]}, true)
		if err != nil {
			return err
		}
		told = nil
		for _, d := range live {
			told = append(told, names(keys, d.Target)+" "+d.Source.ID)
		}
		equal(t, "live incoming", told, []string{"c-shared other", "a-timed timer"})
		return nil
	})
	check(t, e, s)
}

func names(keys map[string]core.TaskKey, key core.TaskKey) string {
	for id, k := range keys {
		if k == key {
			return id
		}
	}
	return "?"
}
