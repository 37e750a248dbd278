package coretest

import (
	"fmt"
	"testing"
	"time"
)

// testPrecedence tries every row of the contract's table of precedence.
func testPrecedence(t *testing.T, open Open) {
	const unknown = `"no-such-task"`
	notFound := func(field string) string { return fmt.Sprintf(`{"field":%q,"value":"no-such-task"}`, field) }
	for situation, try := range map[string]func(*session){
		"any tool: undeclared argument + anything else": func(s *session) {
			s.fail("task_claim", `{"task_id":`+unknown+`,"agent":" ","aspect":7,"ttl":5}`, "invalid_input",
				`{"reason":"unknown_field","field":"ttl","allowed":["task_id","aspect","agent","ttl_minutes"]}`)
		},
		"any tool: over-long text + unknown id": func(s *session) {
			s.fail("task_update", `{"task_id":`+unknown+`,"agent":"ada","title":"`+long+`"}`, "content_too_large", `{"field":"title","length":501,"limit":500}`)
		},
		"id shorter than 6 that exists exactly": func(s *session) {
			s.task("ab", "")
			s.do("task_get", `{"task_id":"ab"}`)
		},
		"id that exists exactly and prefixes others": func(s *session) {
			s.task("first-01-longer", "")
			if got := s.value(s.do("task_get", `{"task_id":"first-01"}`), "task", "id"); got != "first-01" {
				s.Errorf("the exact id resolves to %v", got)
			}
		},
		"unknown id on claim and finding tools": func(s *session) {
			for _, tool := range []string{"task_claim", "task_renew", "task_release"} {
				s.fail(tool, `{"task_id":`+unknown+`,"agent":"ada","aspect":"work"}`, "task_not_found", notFound("task_id"))
			}
			s.fail("finding_post", `{"task_id":`+unknown+`,"agent":"ada","summary":"S"}`, "task_not_found", notFound("task_id"))
			s.fail("finding_list", `{"task_id":`+unknown+`}`, "task_not_found", notFound("task_id"))
		},
		"create: unknown parent + unknown dependency": func(s *session) {
			s.fail("task_create", `{"title":"T","agent":"ada","depends_on":["nobody-here"],"parent_task_id":`+unknown+`}`, "task_not_found", notFound("parent_task_id"))
		},
		"create: unknown dependency + bad task_type, forbidden key or bad gate": func(s *session) {
			for _, more := range []string{`"task_type":"x"`, `"metadata":{"depends_on":1}`, `"task_type":"gate"`} {
				s.fail("task_create", `{"title":"T","agent":"ada","depends_on":["first-01",`+unknown+`],`+more+`}`, "task_not_found", notFound("depends_on[1]"))
			}
		},
		"create: forbidden key + bad task_type": func(s *session) {
			s.fail("task_create", `{"title":"T","agent":"ada","task_type":"x","metadata":{"blocked_on":1}}`, "invalid_metadata_key", `{"field":"metadata.blocked_on"}`)
		},
		"create: bad task_type + bad gate metadata": func(s *session) {
			s.fail("task_create", `{"title":"T","agent":"ada","task_type":"gates","metadata":{"gate_type":"x"}}`, "invalid_task_type",
				`{"field":"task_type","value":"gates","allowed":["task","epic","gate"],"nearest":"gate"}`)
		},
		"create: bad gate metadata + too deep": func(s *session) {
			for i := 1; i <= 100; i++ {
				more := ""
				if i > 1 {
					more = fmt.Sprintf(`"parent_task_id":"deep-%04d"`, i-1)
				}
				s.task(fmt.Sprintf("deep-%04d", i), more)
			}
			s.fail("task_create", `{"title":"T","agent":"ada","task_type":"gate","parent_task_id":"deep-0100"}`, "invalid_input",
				`{"reason":"missing_field","field":"metadata.gate_type"}`)
		},
		"spawn: unknown source + bad relation_type": func(s *session) {
			s.fail("task_spawn", `{"source_task_id":`+unknown+`,"title":"T","agent":"ada","relation_type":"x"}`, "task_not_found", notFound("source_task_id"))
		},
		"spawn: bad relation_type + forbidden key": func(s *session) {
			s.fail("task_spawn", `{"source_task_id":"first-01","title":"T","agent":"ada","relation_type":"block","metadata":{"depends_on":1}}`, "invalid_relation_type",
				`{"field":"relation_type","value":"block","allowed":["discovered_from","blocks"],"nearest":"blocks"}`)
		},
		"create: known request_id + ids that no longer resolve uniquely": func(s *session) {
			arguments := `{"title":"T","agent":"ada","depends_on":["first-0"],"request_id":"r"}`
			first := s.do("task_create", arguments)
			s.task("first-02", "")
			if again := s.do("task_create", arguments); again != first {
				s.Errorf("the first answer was %s, the second is %s", first, again)
			}
		},
		"update: no fields + unknown or short id": func(s *session) {
			for _, id := range []string{unknown, `"abc"`} {
				s.fail("task_update", `{"task_id":`+id+`,"agent":"ada","expected_version":1}`, "invalid_input", `{"reason":"missing_field"}`)
			}
		},
		"update: forbidden key + unknown id": func(s *session) {
			s.fail("task_update", `{"task_id":`+unknown+`,"agent":"ada","metadata":{"depends_on":1}}`, "task_not_found", notFound("task_id"))
		},
		"update: forbidden key + tags with add_tags": func(s *session) {
			s.fail("task_update", `{"task_id":"first-01","agent":"ada","metadata":{"depends_on":1},"tags":[],"add_tags":[]}`, "invalid_metadata_key", `{"field":"metadata.depends_on"}`)
		},
		"update: tags with add_tags + stale version": func(s *session) {
			s.fail("task_update", `{"task_id":"first-01","agent":"ada","tags":[],"add_tags":["x"],"expected_version":9}`, "invalid_input",
				`{"reason":"invalid_field_value","field":"tags"}`)
		},
		"update: stale version + gate metadata failing": func(s *session) {
			current := s.do("task_get", `{"task_id":"gate-001"}`)
			s.fail("task_update", `{"task_id":"gate-001","agent":"ada","metadata":{"gate_type":"x"},"expected_version":9}`, "version_conflict",
				`{"expected_version":9,"current_version":1,"current":`+current[len(`{"task":`):len(current)-1]+`}`)
		},
		"complete: bad receipt + closed task": func(s *session) {
			s.fail("task_complete", `{"task_id":"done-001","agent":"ada","misleading_nodes":[],"receipt_id":"r"}`, "receipt_not_found", `{"receipt_id":"r"}`)
		},
		"complete: a receipt without feedback is not looked at": func(s *session) {
			s.do("task_complete", `{"task_id":"first-01","agent":"ada","receipt_id":"r"}`)
		},
		"complete, cancel: closed task + stale version": func(s *session) {
			for _, tool := range []string{"task_complete", "task_cancel"} {
				s.fail(tool, `{"task_id":"done-001","agent":"ada","expected_version":9}`, "task_not_found", `{"field":"task_id","value":"done-001","task_status":"completed"}`)
			}
		},
		"reopen: open task + stale version": func(s *session) {
			s.fail("task_reopen", `{"task_id":"first-01","agent":"ada","expected_version":9}`, "task_not_resolved", `{"task_id":"first-01"}`)
		},
		"edge: unknown id + bad type or same id twice": func(s *session) {
			s.fail("task_edge_upsert", `{"from_task_id":"first-01","to_task_id":`+unknown+`,"type":"x","agent":"ada"}`, "task_not_found", notFound("to_task_id"))
			s.fail("task_edge_upsert", `{"from_task_id":`+unknown+`,"to_task_id":`+unknown+`,"type":"blocks","agent":"ada"}`, "task_not_found", notFound("from_task_id"))
		},
		"edge: bad type + from = to": func(s *session) {
			s.fail("task_edge_upsert", `{"from_task_id":"first-01","to_task_id":"first-01","type":"x","agent":"ada"}`, "invalid_edge_type",
				`{"field":"type","value":"x","allowed":["blocks","waits_on_gate","parent_child","discovered_from"]}`)
		},
		"edge: from = to + waits_on_gate from a non-gate": func(s *session) {
			s.fail("task_edge_upsert", `{"from_task_id":"first-01","to_task_id":"first-01","type":"waits_on_gate","agent":"ada"}`, "self_edge", `{"task_id":"first-01"}`)
		},
		"edge: non-gate source + cycle": func(s *session) {
			s.fail("task_edge_upsert", `{"from_task_id":"third-01","to_task_id":"first-01","type":"waits_on_gate","agent":"ada"}`, "not_a_gate",
				`{"task_id":"third-01","task_type":"task"}`)
		},
		"edge: second parent + hierarchy cycle": func(s *session) {
			s.task("grandchild", `"parent_task_id":"child-01"`)
			s.fail("task_edge_upsert", `{"from_task_id":"grandchild","to_task_id":"child-01","type":"parent_child","agent":"ada"}`, "parent_exists",
				`{"parent_id":"parent-1","parent_title":"Task parent-1"}`)
		},
		"edge: hierarchy cycle + depth": func(s *session) {
			for i := 1; i <= 100; i++ {
				more := ""
				if i > 1 {
					more = fmt.Sprintf(`"parent_task_id":"deep-%04d"`, i-1)
				}
				s.task(fmt.Sprintf("deep-%04d", i), more)
			}
			before := s.dump()
			answer := s.answer("task_edge_upsert", `{"from_task_id":"deep-0100","to_task_id":"deep-0001","type":"parent_child","agent":"ada"}`)
			if code := s.value(answer, "code"); code != "cycle" || s.dump() != before {
				s.Errorf("the answer is %s", answer)
			}
		},
		"edge_delete: bad type + no such edge": func(s *session) {
			s.fail("task_edge_delete", `{"from_task_id":"first-01","to_task_id":"done-001","type":"x","agent":"ada"}`, "invalid_edge_type",
				`{"field":"type","value":"x","allowed":["blocks","waits_on_gate","parent_child","discovered_from"]}`)
		},
		"edge_list: bad direction + bad id; finding_list: bad since + bad id": func(s *session) {
			s.fail("task_edge_list", `{"task_id":`+unknown+`,"direction":"up"}`, "invalid_input",
				`{"reason":"invalid_field_value","field":"direction","value":"up","allowed":["incoming","outgoing","both"]}`)
			s.fail("finding_list", `{"task_id":`+unknown+`,"since":"x"}`, "invalid_input", `{"reason":"invalid_field_value","field":"since","value":"x"}`)
		},
		"ready, blocked: bad limit + bad metadata_match, sort or offset": func(s *session) {
			for _, tool := range []string{"task_ready", "task_blocked"} {
				s.fail(tool, `{"metadata_match":{"":1},"sort":"x","offset":-1,"limit":0}`, "invalid_input", `{"reason":"invalid_field_value","field":"limit","value":0}`)
			}
		},
		"claim: closed task whose aspect somebody once held": func(s *session) {
			s.task("once-held", "")
			s.do("task_claim", `{"task_id":"once-held","aspect":"work","agent":"mo"}`)
			s.do("task_complete", `{"task_id":"once-held","agent":"ada"}`)
			s.fail("task_claim", `{"task_id":"once-held","aspect":"work","agent":"ada"}`, "claim_failed",
				`{"reason":"not_open","holder":null,"aspect":"work","expires_at":null,"seconds_left":null}`)
		},
		"blocker that is cancelled and a timer gate past due": func(s *session) {
			s.task("timer-01", `"task_type":"gate","metadata":{"gate_type":"timer","ready_at":"2020-01-01"}`)
			s.task("waiter-1", "")
			s.edge("timer-01", "waiter-1", "waits_on_gate")
			if ready := s.value(s.do("task_why", `{"task_id":"waiter-1"}`), "ready"); ready != true {
				s.Errorf("a passed timer holds its waiter back: ready is %v", ready)
			}
			s.do("task_cancel", `{"task_id":"timer-01","agent":"ada"}`)
			if kind := s.value(s.do("task_why", `{"task_id":"waiter-1"}`), "blockers", 0, "kind"); kind != "blocker_unsatisfiable" {
				s.Errorf("the blocker is of kind %v", kind)
			}
		},
		"events: expired since + archived period": func(s *session) {
			if err := s.store.Archive(4); err != nil {
				s.Fatal(err)
			}
			s.fail("events", `{"since":3,"period_start":"2020-01-01"}`, "cursor_expired", `{"archived_through":4,"resume_after":4}`)
		},
		"apply: bad shape in operation 5 + unknown id in operation 0": func(s *session) {
			good := `{"op":"claim","task_id":"first-01","aspect":"review"}`
			s.fail("task_apply", `{"agent":"ada","operations":[{"op":"complete","task_id":`+unknown+`},`+good+`,`+good+`,`+good+`,`+good+`,{"op":"create"}]}`, "invalid_input",
				`{"reason":"missing_field","field":"title","operation_index":5}`)
		},
		"apply: bad value in operation 1 + bad shape in operation 2": func(s *session) {
			s.fail("task_apply", `{"agent":"ada","operations":[{"op":"create","title":"T"},{"op":"create","title":" ","as":"1"},{"op":"create","title":7}]}`, "invalid_input",
				`{"reason":"invalid_field_value","field":"title","value":7,"operation_index":2}`)
		},
	} {
		t.Run(situation, func(t *testing.T) {
			s := newSession(t, open)
			graph(s)
			s.now = s.now.Add(time.Minute)
			try(s)
		})
	}
}
