package coretest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// testEvents holds the payload of every event type, byte for byte.
func testEvents(t *testing.T, open Open) {
	s := newSession(t, open)
	since := 0
	// expect runs an operation and compares the events it wrote, as
	// type|agent|payload|tags.
	expect := func(operation, arguments string, want ...string) {
		t.Helper()
		s.do(operation, arguments)
		page := s.do("events", fmt.Sprintf(`{"since":%d}`, since))
		var events struct {
			Events []struct {
				Seq                    int
				Type, Agent, Timestamp string
				Payload, Tags          json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(page), &events); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range events.Events {
			if e.Seq != since+1 {
				t.Errorf("%s: seq %d follows %d", operation, e.Seq, since)
			}
			since = e.Seq
			if want := s.stamp(); e.Timestamp != want {
				t.Errorf("%s: the event is of %s, not %s", operation, e.Timestamp, want)
			}
			got = append(got, fmt.Sprintf("%s|%s|%s|%s", e.Type, e.Agent, e.Payload, e.Tags))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %s writes\n%s\nwant\n%s", operation, arguments, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	const stamp = `"updated_at":"2026-03-02T12:00:00+00:00","version":1`
	s.nextID = "source-1"
	expect("task_create", `{"title":"S","agent":"ada","tags":["b","a","b"],"metadata":{"priority":"low"}}`,
		`agent.registered|ada|{"agent_id":"ada","name":"","created":true}|[]`,
		`task.created|ada|{"task_id":"source-1","title":"S","task_type":"task",`+stamp+`}|["b","a","b"]`)
	s.nextID = "gate-001"
	expect("task_create", `{"title":"G","agent":"ada","task_type":"gate","metadata":{"gate_type":"pr"},"tags":["c"]}`,
		`task.created|ada|{"task_id":"gate-001","title":"G","task_type":"gate",`+stamp+`}|["c"]`)
	s.nextID = "child-01"
	expect("task_create", `{"title":"C\u001b<&>","agent":"mo","tags":["a","d"],"depends_on":["source-1","gate-001","source-1"],"parent_task_id":"source-1"}`,
		`agent.registered|mo|{"agent_id":"mo","name":"","created":true}|[]`,
		`task.created|mo|{"task_id":"child-01","title":"C\u001b<&>","task_type":"task",`+stamp+`}|["a","d"]`,
		`task.edge_upserted|mo|{"from_task_id":"source-1","to_task_id":"child-01","type":"blocks","metadata":{}}|["b","a","d"]`,
		`task.edge_upserted|mo|{"from_task_id":"gate-001","to_task_id":"child-01","type":"blocks","metadata":{}}|["c","a","d"]`,
		`task.edge_upserted|mo|{"from_task_id":"source-1","to_task_id":"child-01","type":"parent_child","metadata":{}}|["b","a","d"]`)
	s.nextID = "spawn-01"
	expect("task_spawn", `{"source_task_id":"source-1","title":"P","agent":"mo"}`,
		`task.created|mo|{"task_id":"spawn-01","title":"P","task_type":"task",`+stamp+`,"source_task_id":"source-1"}|["b","a","b"]`,
		`task.edge_upserted|mo|{"from_task_id":"source-1","to_task_id":"spawn-01","type":"discovered_from","metadata":{}}|["b","a"]`)
	s.at("2026-03-02T12:00:01Z")
	const later = `"updated_at":"2026-03-02T12:00:01+00:00","version":2`
	expect("task_update", `{"task_id":"child-01","agent":"mo","metadata":{},"remove_tags":["a"],"title":"C","description":""}`,
		`task.updated|mo|{"task_id":"child-01",`+later+`,"changed_fields":["title","description","tags","metadata"]}|["d"]`)
	expect("task_claim", `{"task_id":"child-01","agent":"mo","aspect":"work","ttl_minutes":1}`,
		`task.claimed|mo|{"task_id":"child-01","agent":"mo","aspect":"work","expires_at":"2026-03-02T12:01:01+00:00"}|["d"]`)
	expect("task_renew", `{"task_id":"child-01","agent":"mo","aspect":"work"}`,
		`task.renewed|mo|{"task_id":"child-01","agent":"mo","aspect":"work","expires_at":"2026-03-02T13:00:01+00:00"}|["d"]`)
	expect("task_release", `{"task_id":"child-01","agent":"mo","aspect":"work"}`, `task.released|mo|{"task_id":"child-01","agent":"mo","aspect":"work"}|["d"]`)
	expect("task_next", `{"agent":"mo","aspect":"review","tags":["b"]}`,
		`task.claimed|mo|{"task_id":"source-1","agent":"mo","aspect":"review","expires_at":"2026-03-02T13:00:01+00:00"}|["b","a","b"]`)
	expect("task_next", `{"agent":"nobody","tags":["zzz"]}`)
	expect("task_edge_upsert", `{"from_task_id":"gate-001","to_task_id":"child-01","type":"waits_on_gate","agent":"mo","metadata":{"n":1.0}}`,
		`task.edge_upserted|mo|{"from_task_id":"gate-001","to_task_id":"child-01","type":"waits_on_gate","metadata":{"n":1.0}}|["c","d"]`)
	expect("task_edge_delete", `{"from_task_id":"gate-001","to_task_id":"child-01","type":"waits_on_gate","agent":"mo"}`,
		`task.edge_deleted|mo|{"from_task_id":"gate-001","to_task_id":"child-01","type":"waits_on_gate"}|["c","d"]`)
	s.nextID = "finding-1"
	expect("finding_post", `{"task_id":"child-01","agent":"mo","summary":"S"}`, `finding.posted|mo|{"finding_id":"finding-1","task_id":"child-01","agent":"mo"}|["d"]`)
	s.nextID = "finding-2"
	expect("finding_post", `{"task_id":"child-01","agent":"mo","summary":"S","knowledge_id":"note"}`,
		`finding.posted|mo|{"finding_id":"finding-2","task_id":"child-01","agent":"mo","knowledge_id":"note"}|["d"]`)
	expect("agent_register", `{"id":"mo","name":"Mo"}`, `agent.registered|mo|{"agent_id":"mo","name":"Mo","created":false}|[]`)
	expect("agent_register", `{"id":"mo"}`, `agent.registered|mo|{"agent_id":"mo","name":"Mo","created":false}|[]`)
	expect("agent_register", `{"id":"bo","type":"t"}`, `agent.registered|bo|{"agent_id":"bo","name":"","created":true}|[]`)
	s.do("task_claim", `{"task_id":"spawn-01","agent":"mo","aspect":"review"}`)
	s.do("task_claim", `{"task_id":"spawn-01","agent":"ada","aspect":"work"}`)
	since += 2
	expect("task_complete", `{"task_id":"spawn-01","agent":"mo","outcome":"","cited_nodes":["n1"],"misleading_nodes":[]}`,
		`task.completed|mo|{"task_id":"spawn-01","agent":"mo","outcome":"","cited_nodes":["n1"],"misleading_nodes":[],"receipt_id":null,`+later+`,"dropped_claims":[{"agent":"mo","aspect":"review"},{"agent":"ada","aspect":"work"}]}|["b","a","b"]`)
	s.nextID = "finding-3"
	expect("task_reopen", `{"task_id":"spawn-01","agent":"mo"}`,
		`task.reopened|mo|{"task_id":"spawn-01","agent":"mo","prior_status":"completed","prior_outcome":"","updated_at":"2026-03-02T12:00:01.000001+00:00","version":3,"finding_id":"finding-3"}|["b","a","b"]`)
	expect("task_cancel", `{"task_id":"spawn-01","agent":"mo"}`,
		`task.cancelled|mo|{"task_id":"spawn-01","agent":"mo","reason":null,"updated_at":"2026-03-02T12:00:01.000002+00:00","version":4,"finding_id":null,"dropped_claims":[]}|["b","a","b"]`)
	s.nextID = "finding-4"
	expect("task_cancel", `{"task_id":"child-01","agent":"mo","reason":"no\nuse"}`,
		`task.cancelled|mo|{"task_id":"child-01","agent":"mo","reason":"no\nuse","updated_at":"2026-03-02T12:00:01.000001+00:00","version":3,"finding_id":"finding-4","dropped_claims":[]}|["d"]`)
	s.nextID = "finding-5"
	expect("task_reopen", `{"task_id":"child-01","agent":"mo"}`,
		`task.reopened|mo|{"task_id":"child-01","agent":"mo","prior_status":"cancelled","prior_outcome":null,"updated_at":"2026-03-02T12:00:01.000002+00:00","version":4,"finding_id":"finding-5"}|["d"]`)
	// No event: a lease that ends, a timer that passes, a failure.
	s.now = s.now.Add(24 * time.Hour)
	s.fail("task_reopen", `{"task_id":"child-01","agent":"new agent"}`, "task_not_resolved", `{"task_id":"child-01"}`)
	expect("stats", `{}`)
}

func (s *session) stamp() string {
	text := s.now.UTC().Format("2006-01-02T15:04:05")
	if micro := s.now.Nanosecond() / 1000; micro > 0 {
		text += fmt.Sprintf(".%06d", micro)
	}
	return text + "+00:00"
}

// testFeed covers cursors, filters and the archive.
func testFeed(t *testing.T, open Open) {
	s := newSession(t, open)
	seqs := func(operation, arguments string) string {
		t.Helper()
		return fmt.Sprint(s.values(s.do(operation, arguments), "events", "seq"))
	}
	s.want("events", `{}`, `{"events":[],"next_since":0,"has_more":false}`)
	s.want("events", `{"since":7}`, `{"events":[],"next_since":0,"has_more":false}`)
	s.want("journal", `{}`, `{"events":[],"next_before":null,"has_more":false}`)
	s.at("2026-03-01T00:00:00Z")
	s.task("first-01", "")                                                                    // 1, 2
	s.task("second-1", "")                                                                    // 3
	s.at("2026-03-02T00:00:00Z")                                                              //
	s.edge("first-01", "second-1", "blocks")                                                  // 4
	s.do("task_claim", `{"task_id":"second-1","aspect":"work","agent":"mo"}`)                 // 5, 6
	s.at("2026-03-03T00:00:00Z")                                                              //
	s.do("finding_post", `{"task_id":"first-01","agent":"mo","summary":"S"}`)                 // 7
	s.do("task_release", `{"task_id":"second-1","aspect":"work","agent":"mo"}`)               // 8
	s.do("task_update", `{"task_id":"second-1","agent":"ada","title":"Title of second-1 X"}`) // 9
	for _, c := range []struct{ arguments, want string }{
		{`{}`, "[1 2 3 4 5 6 7 8 9]"},
		{`{"since":0}`, "[1 2 3 4 5 6 7 8 9]"},
		{`{"since":6}`, "[7 8 9]"},
		{`{"since":9}`, "[]"},
		{`{"since":500}`, "[]"},
		{`{"limit":2}`, "[1 2]"},
		{`{"limit":2,"since":2}`, "[3 4]"},
		{`{"limit":5000}`, "[1 2 3 4 5 6 7 8 9]"},
		{`{"types":["task.created","task.released"]}`, "[2 3 8]"},
		{`{"types":[]}`, "[1 2 3 4 5 6 7 8 9]"},
		{`{"types":["note.created"]}`, "[]"},
		{`{"task_id":"first-"}`, "[2 4 7]"},
		{`{"task_id":"second-1"}`, "[3 4 6 8 9]"},
		{`{"task_id":""}`, "[1 2 3 4 5 6 7 8 9]"},
		{`{"agent":"mo"}`, "[5 6 7 8]"},
		{`{"agent":"m"}`, "[]"},
		{`{"agent":""}`, "[1 2 3 4 5 6 7 8 9]"},
		{`{"period_start":"2026-03-02"}`, "[4 5 6 7 8 9]"},
		{`{"period_end":"2026-03-02"}`, "[1 2 3]"},
		{`{"period_start":"2026-03-02T00:00:00Z","period_end":"2026-03-03T00:00:00+00:00"}`, "[4 5 6]"},
		{`{"period_start":"","period_end":""}`, "[1 2 3 4 5 6 7 8 9]"},
		{`{"task_id":"second-1","agent":"ada","types":["task.updated","task.edge_upserted"],"since":4}`, "[9]"},
	} {
		if got := seqs("events", c.arguments); got != c.want {
			t.Errorf("events %s answers %s, want %s", c.arguments, got, c.want)
		}
	}
	for _, c := range []struct{ arguments, want string }{
		{`{"limit":2,"since":2}`, `"next_since":4,"has_more":true}`},
		{`{"limit":9}`, `"next_since":9,"has_more":false}`},
		{`{"limit":1,"types":["task.created"],"since":2}`, `"next_since":9,"has_more":false}`},
		{`{"limit":1,"types":["task.created"]}`, `"next_since":2,"has_more":true}`},
		{`{"since":500}`, `"next_since":9,"has_more":false}`},
	} {
		if got := s.do("events", c.arguments); !strings.HasSuffix(got, c.want) {
			t.Errorf("events %s answers %s, want %s", c.arguments, got, c.want)
		}
	}
	for _, c := range []struct{ arguments, want, tail string }{
		{`{}`, "[9 8 7 6 5 4 3 2 1]", `"next_before":null,"has_more":false}`},
		{`{"limit":4}`, "[9 8 7 6]", `"next_before":6,"has_more":true}`},
		{`{"limit":4,"before":6}`, "[5 4 3 2]", `"next_before":2,"has_more":true}`},
		{`{"limit":4,"before":2}`, "[1]", `"next_before":null,"has_more":false}`},
		{`{"before":1}`, "[]", `"next_before":null,"has_more":false}`},
		{`{"before":0}`, "[]", `"next_before":null,"has_more":false}`},
		{`{"task_id":"first-01","limit":3}`, "[7 4 2]", `"next_before":null,"has_more":false}`},
		{`{"types":["task.created"],"agent":"ada","limit":1}`, "[3]", `"next_before":3,"has_more":true}`},
		{`{"period_start":"2026-03-02","period_end":"2026-03-03"}`, "[6 5 4]", `"next_before":null,"has_more":false}`},
	} {
		if got := seqs("journal", c.arguments); got != c.want {
			t.Errorf("journal %s answers %s, want %s", c.arguments, got, c.want)
		}
		if got := s.do("journal", c.arguments); !strings.HasSuffix(got, c.tail) {
			t.Errorf("journal %s answers %s, want %s", c.arguments, got, c.tail)
		}
	}
	s.fail("events", `{"types":["task.creatd"]}`, "invalid_input",
		`{"reason":"invalid_field_value","field":"types[0]","value":"task.creatd","allowed":["task.created","task.updated","task.claimed","task.renewed","task.released","task.completed","task.cancelled","task.reopened","task.edge_upserted","task.edge_deleted","finding.posted","agent.registered","store.imported","note.created","note.updated","note.deleted","note.renamed","edge.upserted"],"nearest":"task.created"}`)
	s.fail("events", `{"limit":0}`, "invalid_input", `{"reason":"invalid_field_value","field":"limit","value":0}`)

	// A page never has more than a thousand.
	var b strings.Builder
	b.WriteString(`{"agent":"ada","operations":[{"op":"finding_post","task_id":"first-01","summary":"S"}`)
	for range 999 {
		b.WriteString(`,{"op":"finding_post","task_id":"first-01","summary":"S"}`)
	}
	s.do("task_apply", b.String()+"]}")
	page := s.do("events", `{"limit":1001}`)
	if n := len(s.values(page, "events", "seq")); n != 1000 || !strings.HasSuffix(page, `"next_since":1000,"has_more":true}`) {
		t.Errorf("a limit of 1001 answers %d events", n)
	}

	// The archive.
	if err := s.store.Archive(6); err != nil {
		t.Fatal(err)
	}
	if got := seqs("events", `{"limit":3}`); got != "[7 8 9]" {
		t.Errorf("without a cursor the feed begins with %s", got)
	}
	if got := seqs("events", `{"since":6,"limit":3}`); got != "[7 8 9]" {
		t.Errorf("a cursor at the floor is served with %s", got)
	}
	for _, since := range []string{"5", "0"} {
		s.fail("events", `{"since":`+since+`}`, "cursor_expired", `{"archived_through":6,"resume_after":6}`)
	}
	// The latest archived moment is 2026-03-02T00:00:00.
	const archived = `{"archived_before":"2026-03-02T00:00:00.000001+00:00"}`
	s.fail("events", `{"period_start":"2026-03-02"}`, "period_archived", archived)
	s.fail("events", `{"period_end":"2026-03-02"}`, "period_archived", archived)
	s.fail("events", `{"period_start":"2026-03-01","agent":"mo"}`, "period_archived", archived)
	if got := seqs("events", `{"period_start":"2026-03-02T00:00:00.000001Z","limit":2}`); got != "[7 8]" {
		t.Errorf("a period after the archive is served with %s", got)
	}
	// Only archived events that the other filters want are missed.
	if got := seqs("events", `{"period_start":"2026-03-01","types":["task.updated"]}`); got != "[9]" {
		t.Errorf("a period without archived events of the type is served with %s", got)
	}
	if got := seqs("events", `{"period_end":"2026-02-01"}`); got != "[]" {
		t.Errorf("a period before everything is served with %s", got)
	}
	if got := seqs("journal", `{"before":9}`); got != "[8 7 6 5 4 3 2 1]" {
		t.Errorf("the journal answers %s", got)
	}
	if got := seqs("journal", `{"limit":3,"before":8}`); got != "[7 6 5]" {
		t.Errorf("the journal goes from feed to archive with %s", got)
	}
	if got := seqs("journal", `{"period_end":"2026-03-02","task_id":"first-01"}`); got != "[2]" {
		t.Errorf("the journal answers %s", got)
	}
}
