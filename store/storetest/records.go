package storetest

import (
	"encoding/json"
	"fmt"
	"testing"

	"dev.lithos/core"
)

func testFindings(t *testing.T, e Engine) {
	s := e.Create(t)
	keys := insert(t, s, plain("a", at(0)), plain("b", at(0)))
	note := "note-1"
	write(t, s, func(tx core.WriteTx) error {
		for i, f := range []struct {
			task, id string
			created  int
			note     *string
		}{{"a", "third", 5, nil}, {"a", "first", 1, &note}, {"a", "fourth", 5, nil}, {"b", "other", 2, nil}, {"a", "second", 2, nil}} {
			err := tx.InsertFinding(keys[f.task], core.Finding{
				ID: f.id, Agent: "mo", Summary: fmt.Sprintf("remark %d", i), KnowledgeID: f.note, CreatedAt: at(f.created),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	read(t, s, func(tx core.ReadTx) error {
		told := func(since *core.Stamp) []string {
			findings, err := tx.Findings(keys["a"], since)
			if err != nil {
				t.Fatal(err)
			}
			list := []string{}
			for _, f := range findings {
				list = append(list, f.ID)
			}
			return list
		}
		equal(t, "findings", told(nil), []string{"first", "second", "third", "fourth"})
		since := at(2)
		equal(t, "strictly later", told(&since), []string{"third", "fourth"})
		findings, err := tx.Findings(keys["a"], nil)
		if err != nil {
			return err
		}
		equal(t, "the first", fmt.Sprintf("%s %s %s %s", findings[0].Agent, findings[0].Summary, *findings[0].KnowledgeID, findings[0].CreatedAt), "mo remark 1 note-1 "+at(1).String())
		none, err := tx.Findings(999, nil)
		if none == nil {
			t.Error("no findings are nil rather than an empty list")
		}
		return err
	})
}

func testAgents(t *testing.T, e Engine) {
	s := e.Create(t)
	name, kind := "Ada", "person"
	write(t, s, func(tx core.WriteTx) error {
		for _, step := range []struct {
			id   string
			now  int
			want bool
		}{{"mo", 1, true}, {"mo", 5, false}, {"ada", 5, true}, {"zed", 2, true}} {
			added, err := tx.SeeAgent(step.id, at(step.now))
			if err != nil {
				return err
			}
			equal(t, "first sight of "+step.id, added, step.want)
		}
		return tx.PutAgent(core.Agent{ID: "ada", Name: &name, Type: &kind, FirstSeenAt: at(4), LastSeenAt: at(6), Metadata: `{"k":1}`})
	})
	read(t, s, func(tx core.ReadTx) error {
		mo, found, err := tx.Agent("mo")
		equal(t, "seen twice", fmt.Sprintf("%v %v %s %s %s", found, mo.Name, mo.FirstSeenAt, mo.LastSeenAt, mo.Metadata.Text()), fmt.Sprintf("true <nil> %s %s {}", at(1), at(5)))
		if err != nil {
			return err
		}
		ada, _, err := tx.Agent("ada")
		equal(t, "written", fmt.Sprintf("%s %s %s %s", *ada.Name, *ada.Type, ada.FirstSeenAt, ada.Metadata.Text()), fmt.Sprintf(`Ada person %s {"k":1}`, at(4)))
		if err != nil {
			return err
		}
		_, found, err = tx.Agent("m")
		equal(t, "agent ids are no prefixes", found, false)
		if err != nil {
			return err
		}
		since := at(5)
		for _, test := range []struct {
			q    core.AgentQuery
			want []string
		}{
			{core.AgentQuery{}, []string{"ada", "mo", "zed"}},
			{core.AgentQuery{Type: &kind}, []string{"ada"}},
			{core.AgentQuery{ActiveSince: &since}, []string{"ada", "mo"}},
		} {
			agents, err := tx.Agents(test.q)
			if err != nil {
				return err
			}
			list := []string{}
			for _, a := range agents {
				list = append(list, a.ID)
			}
			equal(t, "agents", list, test.want)
		}
		return nil
	})
}

func testEvents(t *testing.T, e Engine) {
	s := e.Create(t)
	keys := insert(t, s, plain("a", at(0)), plain("b", at(0)))
	write(t, s, func(tx core.WriteTx) error {
		for i, event := range []struct {
			kind  core.EventType
			agent string
			about core.Subject
		}{
			{core.EventAgentRegistered, "mo", core.Subject{}},
			{core.EventTaskCreated, "mo", core.Subject{Task: keys["a"]}},
			{core.EventTaskCreated, "ada", core.Subject{Task: keys["b"]}},
			{core.EventTaskEdgeUpserted, "ada", core.Subject{Task: keys["b"], Other: keys["a"]}},
			{core.EventTaskEdgeUpserted, "ada", core.Subject{Task: keys["a"], Other: keys["b"]}},
			{core.EventTaskClaimed, "mo", core.Subject{Task: keys["b"]}},
		} {
			seq, err := tx.AppendEvent(core.Event{
				ID: fmt.Sprintf("e%d", i), Type: event.kind, Timestamp: at(10 * i), Agent: event.agent,
				Payload: json.RawMessage(`{"n":1}`), Tags: core.MakeTags([]string{"x"}), Subject: event.about,
			})
			if err != nil {
				return err
			}
			equal(t, "seq", seq, int64(i+1))
		}
		return nil
	})
	a, from, to := keys["a"], at(10), at(40)
	read(t, s, func(tx core.ReadTx) error {
		for _, test := range []struct {
			name string
			q    core.EventQuery
			want []string
		}{
			{"all", core.EventQuery{}, []string{"e0", "e1", "e2", "e3", "e4", "e5"}},
			{"a page", core.EventQuery{After: 1, Limit: 2}, []string{"e1", "e2"}},
			{"beyond", core.EventQuery{After: 99}, []string{}},
			{"types", core.EventQuery{Types: []string{"task.created", "task.claimed"}}, []string{"e1", "e2", "e5"}},
			{"agent", core.EventQuery{Agent: "ada"}, []string{"e2", "e3", "e4"}},
			{"task", core.EventQuery{Task: &a}, []string{"e1", "e3", "e4"}},
			{"page of a task", core.EventQuery{Task: &a, After: 2, Limit: 1}, []string{"e3"}},
			{"period", core.EventQuery{Start: &from, End: &to}, []string{"e1", "e2", "e3"}},
			{"newest first", core.EventQuery{NewestFirst: true, Limit: 2}, []string{"e5", "e4"}},
			{"before", core.EventQuery{NewestFirst: true, Before: 3}, []string{"e1", "e0"}},
			{"task, newest first", core.EventQuery{Task: &a, NewestFirst: true}, []string{"e4", "e3", "e1"}},
			{"all filters", core.EventQuery{Task: &a, Agent: "ada", Types: []string{"task.edge_upserted"}, Start: &from, End: &to, After: 1, Before: 9}, []string{"e3"}},
		} {
			events, err := tx.Events(test.q)
			if err != nil {
				return err
			}
			list := []string{}
			for _, event := range events {
				list = append(list, event.ID)
			}
			equal(t, test.name, list, test.want)
		}
		events, err := tx.Events(core.EventQuery{After: 4, Limit: 1})
		if err != nil {
			return err
		}
		equal(t, "an event", string(events[0].AppendJSON(nil)),
			`{"seq":5,"id":"e4","type":"task.edge_upserted","timestamp":"2026-03-01T08:00:40+00:00","agent":"ada","payload":{"n":1},"tags":["x"]}`)
		equal(t, "what it is about", events[0].Subject, core.Subject{Task: keys["a"], Other: keys["b"]})
		bounds, err := tx.FeedBounds()
		if err != nil {
			return err
		}
		equal(t, "bounds", fmt.Sprint(bounds.Newest, bounds.ArchivedThrough, bounds.ArchivedLatest), "6 0 <nil>")
		archived, err := tx.HasArchivedEvents(core.EventQuery{Start: &from})
		equal(t, "archived", archived, false)
		return err
	})
}

func testReplays(t *testing.T, e Engine) {
	s := e.Create(t)
	first := core.Replay{Tool: "task_create", Arguments: "digest", Result: json.RawMessage(`{"task_id":"x"}`)}
	write(t, s, func(tx core.WriteTx) error { return tx.PutReplay("mo", "r1", first) })
	read(t, s, func(tx core.ReadTx) error {
		for _, test := range []struct {
			agent, id string
			want      bool
		}{{"mo", "r1", true}, {"ada", "r1", false}, {"mo", "r2", false}} {
			replay, found, err := tx.Replay(test.agent, test.id)
			if err != nil {
				return err
			}
			equal(t, "found", found, test.want)
			if found {
				equal(t, "replay", replay, first)
			}
		}
		return nil
	})
}

func testCounts(t *testing.T, e Engine) {
	s := e.Create(t)
	epic := plain("epic", at(0))
	epic.Type = core.TypeEpic
	keys := insert(t, s, plain("a", at(0)), plain("b", at(0)), epic)
	setStatus(t, s, keys["b"], core.StatusCancelled, at(1))
	write(t, s, func(tx core.WriteTx) error {
		for aspect, expires := range map[string]int{"x": 10, "y": 20, "z": 30} {
			if _, err := tx.PutClaim(keys["a"], core.Claim{Agent: "mo", Aspect: aspect, ExpiresAt: at(expires)}, at(0)); err != nil {
				return err
			}
		}
		_, err := tx.SeeAgent("mo", at(0))
		return err
	})
	read(t, s, func(tx core.ReadTx) error {
		counts, err := tx.Counts(at(20))
		equal(t, "counts", counts, core.Counts{Agents: 1, OpenTasks: 2, OpenClaims: 1, ExpiredClaims: 2})
		return err
	})
}
