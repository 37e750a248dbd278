package coretest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

// long is a text over every limit of characters.
var long = strings.Repeat("x", 501)

// graph is what most failures are tried on:
//
//	parent ─ child           parent_child
//	first → second → third   blocks
//	gate ⇒ third             waits_on_gate
//	done, dropped            closed; twin-a and twin-b share a prefix
func graph(s *session) {
	s.task("parent-1", `"task_type":"epic"`)
	s.task("child-01", `"parent_task_id":"parent-1"`)
	s.task("first-01", "")
	s.task("second-1", `"depends_on":["first-01"]`)
	s.task("third-01", `"depends_on":["second-1"]`)
	s.task("gate-001", `"task_type":"gate","metadata":{"gate_type":"human"}`)
	s.edge("gate-001", "third-01", "waits_on_gate")
	s.task("done-001", "")
	s.do("task_complete", `{"task_id":"done-001","agent":"ada"}`)
	s.task("dropped-1", "")
	s.do("task_cancel", `{"task_id":"dropped-1","agent":"ada"}`)
	s.task("twin-aaaa1", "")
	s.task("twin-aaaa2", "")
	s.do("task_claim", `{"task_id":"first-01","aspect":"work","agent":"ada"}`)
}

// testErrors tries every failure an operation can end with: code, extras and
// their order as documented, nothing changed.
func testErrors(t *testing.T, open Open) {
	s := newSession(t, open)
	graph(s)

	// Steps 1 and 2: shape and values.
	s.fail("task_get", `{"task_id":"first-01","verbose":true}`, "invalid_input", `{"reason":"unknown_field","field":"verbose","allowed":["task_id"]}`)
	s.fail("task_get", `{"taskid":"first-01"}`, "invalid_input", `{"reason":"unknown_field","field":"taskid","allowed":["task_id"],"nearest":"task_id"}`)
	s.fail("task_get", `{}`, "invalid_input", `{"reason":"missing_field","field":"task_id"}`)
	s.fail("task_get", `{"task_id":null}`, "invalid_input", `{"reason":"missing_field","field":"task_id"}`)
	s.fail("task_get", `{"task_id":7}`, "invalid_input", `{"reason":"invalid_field_value","field":"task_id","value":7}`)
	s.fail("task_get", `{"task_id":"first`, "invalid_input", `{"reason":"malformed"}`)
	s.fail("task_get", `{"task_id":"\u0000"}`, "invalid_input", `{"reason":"malformed"}`)
	s.fail("task_get", "{\"task_id\":\"\xff\"}", "invalid_input", `{"reason":"malformed"}`)
	s.fail("task_list", `{"status":"finished"}`, "invalid_input",
		`{"reason":"invalid_status","field":"status","value":"finished","allowed":["open","completed","cancelled"]}`)
	s.fail("task_list", `{"task_type":"tasks"}`, "invalid_task_type", `{"field":"task_type","value":"tasks","allowed":["task","epic","gate"],"nearest":"task"}`)
	s.fail("task_list", `{"since":"yesterday"}`, "invalid_input", `{"reason":"invalid_field_value","field":"since","value":"yesterday"}`)
	s.fail("task_list", `{"limit":0}`, "invalid_input", `{"reason":"invalid_field_value","field":"limit","value":0}`)
	s.fail("task_list", `{"offset":-1}`, "invalid_input", `{"reason":"invalid_field_value","field":"offset","value":-1}`)
	s.fail("task_list", `{"metadata_match":{"a":[]}}`, "invalid_input", `{"reason":"invalid_field_value","field":"metadata_match.a"}`)
	s.fail("task_ready", `{"sort":"age"}`, "invalid_input",
		`{"reason":"invalid_field_value","field":"sort","value":"age","allowed":["priority","created","updated","impact"]}`)
	s.fail("task_create", `{"title":"`+long+`","agent":"ada"}`, "content_too_large", `{"field":"title","length":501,"limit":500}`)
	s.fail("task_create", `{"title":" \t","agent":"ada"}`, "invalid_input", `{"reason":"invalid_field_value","field":"title","value":" \t"}`)
	s.fail("task_create", `{"title":"T","agent":"ada","tags":["ok","a\nb"]}`, "invalid_input", `{"reason":"invalid_field_value","field":"tags[1]","value":"a\nb"}`)
	s.fail("task_update", `{"task_id":"first-01","agent":"ada"}`, "invalid_input", `{"reason":"missing_field"}`)
	s.fail("task_update", `{"task_id":"first-01","agent":"ada","title":"T","expected_version":0}`, "invalid_input",
		`{"reason":"invalid_field_value","field":"expected_version","value":0}`)
	s.fail("task_apply", `{"operations":[]}`, "invalid_input", `{"reason":"missing_field","field":"operations"}`)
	s.fail("task_apply", `{"operations":[{"op":"create","title":"T"}]}`, "invalid_input", `{"reason":"missing_field","field":"agent","operation_index":0}`)
	s.fail("task_apply", `{"operations":[{"op":"create","title":"T","agent":"mo"}],"request_id":"r"}`, "invalid_input", `{"reason":"missing_field","field":"agent"}`)
	s.fail("events", `{"since":-1}`, "invalid_input", `{"reason":"invalid_field_value","field":"since","value":-1}`)

	// Step 4: ids.
	s.fail("task_get", `{"task_id":"first"}`, "invalid_input", `{"reason":"invalid_field_value","field":"task_id","value":"first"}`)
	s.fail("task_get", `{"task_id":"first-02"}`, "task_not_found", `{"field":"task_id","value":"first-02"}`)
	s.fail("task_get", `{"task_id":"twin-aaaa"}`, "ambiguous_id_prefix",
		`{"field":"task_id","value":"twin-aaaa","candidates":[{"id":"twin-aaaa1","title":"Task twin-aaaa1"},{"id":"twin-aaaa2","title":"Task twin-aaaa2"}]}`)

	// Step 5: the own checks of the tools.
	s.fail("task_create", `{"title":"T","agent":"ada","metadata":{"depends_on":["x"]}}`, "invalid_metadata_key", `{"field":"metadata.depends_on"}`)
	s.fail("task_spawn", `{"source_task_id":"first-01","title":"T","agent":"ada","metadata":{"blocked_on":null}}`, "invalid_metadata_key", `{"field":"metadata.blocked_on"}`)
	s.fail("task_update", `{"task_id":"first-01","agent":"ada","metadata":{"depends_on":null}}`, "invalid_metadata_key", `{"field":"metadata.depends_on"}`)
	s.fail("task_create", `{"title":"T","agent":"ada","task_type":"Task"}`, "invalid_task_type",
		`{"field":"task_type","value":"Task","allowed":["task","epic","gate"],"nearest":"task"}`)
	s.fail("task_create", `{"title":"T","agent":"ada","task_type":"gate"}`, "invalid_input", `{"reason":"missing_field","field":"metadata.gate_type"}`)
	s.fail("task_create", `{"title":"T","agent":"ada","task_type":"gate","metadata":{"gate_type":"timer","ready_at":"soon"}}`, "invalid_input",
		`{"reason":"invalid_field_value","field":"metadata.ready_at","value":"soon"}`)
	s.fail("task_spawn", `{"source_task_id":"first-01","title":"T","agent":"ada","relation_type":"parent_child"}`, "invalid_relation_type",
		`{"field":"relation_type","value":"parent_child","allowed":["discovered_from","blocks"]}`)
	s.fail("task_update", `{"task_id":"first-01","agent":"ada","tags":[],"add_tags":[]}`, "invalid_input", `{"reason":"invalid_field_value","field":"tags"}`)
	s.fail("task_update", `{"task_id":"first-01","agent":"ada","add_tags":["a","b"],"remove_tags":["b"]}`, "invalid_input",
		`{"reason":"invalid_field_value","field":"add_tags","value":"b"}`)
	s.fail("task_update", `{"task_id":"gate-001","agent":"ada","metadata":{"gate_type":null}}`, "invalid_input", `{"reason":"missing_field","field":"metadata.gate_type"}`)
	s.fail("task_update", `{"task_id":"gate-001","agent":"ada","metadata":{"gate_type":"timer"}}`, "invalid_input", `{"reason":"missing_field","field":"metadata.ready_at"}`)
	s.fail("task_complete", `{"task_id":"first-01","agent":"ada","cited_nodes":["n"],"receipt_id":"r-1"}`, "receipt_not_found", `{"receipt_id":"r-1"}`)
	s.fail("task_complete", `{"task_id":"done-0","agent":"ada"}`, "task_not_found", `{"field":"task_id","value":"done-0","task_status":"completed"}`)
	s.fail("task_cancel", `{"task_id":"dropped-1","agent":"ada"}`, "task_not_found", `{"field":"task_id","value":"dropped-1","task_status":"cancelled"}`)
	s.fail("task_reopen", `{"task_id":"first-","agent":"ada"}`, "task_not_resolved", `{"task_id":"first-01"}`)
	s.at("2026-03-02T12:00:00.000001Z")
	s.fail("task_claim", `{"task_id":"first-01","aspect":"work","agent":"mo"}`, "claim_failed",
		`{"reason":"held","holder":"ada","aspect":"work","expires_at":"2026-03-02T13:00:00+00:00","seconds_left":3600}`)
	s.fail("task_claim", `{"task_id":"done-001","aspect":"work","agent":"mo"}`, "claim_failed",
		`{"reason":"not_open","holder":null,"aspect":"work","expires_at":null,"seconds_left":null}`)
	s.fail("task_renew", `{"task_id":"first-01","aspect":"work","agent":"mo"}`, "claim_not_found", `{"aspect":"work"}`)
	s.fail("task_renew", `{"task_id":"first-01","aspect":"Work","agent":"ada"}`, "claim_not_found", `{"aspect":"Work"}`)
	s.fail("task_release", `{"task_id":"first-01","aspect":"work","agent":"mo"}`, "claim_not_found", `{"aspect":"work"}`)
	s.fail("task_edge_upsert", `{"from_task_id":"first-01","to_task_id":"done-001","type":"block","agent":"ada"}`, "invalid_edge_type",
		`{"field":"type","value":"block","allowed":["blocks","waits_on_gate","parent_child","discovered_from"],"nearest":"blocks"}`)
	s.fail("task_edge_delete", `{"from_task_id":"first-01","to_task_id":"done-001","type":"","agent":"ada"}`, "invalid_edge_type",
		`{"field":"type","value":"","allowed":["blocks","waits_on_gate","parent_child","discovered_from"]}`)
	s.fail("task_edge_upsert", `{"from_task_id":"first-01","to_task_id":"first-","type":"discovered_from","agent":"ada"}`, "self_edge", `{"task_id":"first-01"}`)
	s.fail("task_edge_upsert", `{"from_task_id":"parent-1","to_task_id":"first-01","type":"waits_on_gate","agent":"ada"}`, "not_a_gate",
		`{"task_id":"parent-1","task_type":"epic"}`)
	s.fail("task_edge_upsert", `{"from_task_id":"third-01","to_task_id":"first-01","type":"blocks","agent":"ada"}`, "cycle",
		`{"edge_type":"blocks","path":[{"id":"third-01","title":"Task third-01"},{"id":"second-1","title":"Task second-1"},{"id":"first-01","title":"Task first-01"},{"id":"third-01","title":"Task third-01"}]}`)
	s.fail("task_edge_upsert", `{"from_task_id":"third-01","to_task_id":"gate-001","type":"blocks","agent":"ada"}`, "cycle",
		`{"edge_type":"blocks","path":[{"id":"third-01","title":"Task third-01"},{"id":"gate-001","title":"Task gate-001"},{"id":"third-01","title":"Task third-01"}]}`)
	s.fail("task_edge_upsert", `{"from_task_id":"child-01","to_task_id":"parent-1","type":"parent_child","agent":"ada"}`, "cycle",
		`{"edge_type":"parent_child","path":[{"id":"child-01","title":"Task child-01"},{"id":"parent-1","title":"Task parent-1"},{"id":"child-01","title":"Task child-01"}]}`)
	s.fail("task_edge_upsert", `{"from_task_id":"first-01","to_task_id":"child-01","type":"parent_child","agent":"ada"}`, "parent_exists",
		`{"parent_id":"parent-1","parent_title":"Task parent-1"}`)
	s.fail("task_edge_delete", `{"from_task_id":"first-","to_task_id":"third-","type":"blocks","agent":"ada"}`, "edge_not_found",
		`{"from_task_id":"first-01","to_task_id":"third-01","type":"blocks"}`)

	// Step 6.
	current := s.do("task_get", `{"task_id":"first-01"}`)
	current = current[len(`{"task":`) : len(current)-1]
	conflict := `{"expected_version":7,"current_version":1,"current":` + current + `}`
	s.fail("task_update", `{"task_id":"first-01","agent":"mo","title":"X","expected_version":7}`, "version_conflict", conflict)
	s.fail("task_complete", `{"task_id":"first-01","agent":"mo","expected_version":7.0}`, "version_conflict", conflict)
	s.fail("task_cancel", `{"task_id":"first-01","agent":"mo","expected_version":7}`, "version_conflict", conflict)
	done := s.do("task_get", `{"task_id":"done-001"}`)
	s.fail("task_reopen", `{"task_id":"done-001","agent":"mo","expected_version":1}`, "version_conflict",
		`{"expected_version":1,"current_version":2,"current":`+done[len(`{"task":`):len(done)-1]+`}`)

	// Every envelope of an apply ends with the index of the operation.
	s.fail("task_apply", `{"agent":"mo","operations":[{"op":"create","title":"T"},{"op":"claim","task_id":"first-01","aspect":"work"}]}`, "claim_failed",
		`{"reason":"held","holder":"ada","aspect":"work","expires_at":"2026-03-02T13:00:00+00:00","seconds_left":3600,"operation_index":1}`)
	s.fail("task_apply", `{"agent":"mo","operations":[{"op":"update","task_id":"first-01","title":"X","expected_version":7}]}`, "version_conflict",
		conflict[:len(conflict)-1]+`,"operation_index":0}`)
	s.fail("task_apply", `{"agent":"mo","operations":[{"op":"create","as":"x","title":"T"},{"op":"complete","task_id":"$y"}]}`, "invalid_input",
		`{"reason":"invalid_field_value","field":"task_id","value":"$y","operation_index":1}`)
}

// testDepth covers too_deep, whose limit is a setting.
func testDepth(t *testing.T, open Open) {
	s := newSessionWith(t, open, core.Settings{MaxHierarchyDepth: 3})
	s.task("level-1", "")
	s.task("level-2", `"parent_task_id":"level-1"`)
	s.task("level-3", `"parent_task_id":"level-2"`)
	s.fail("task_create", `{"title":"T","agent":"ada","parent_task_id":"level-3"}`, "too_deep", `{"depth":4,"limit":3}`)
	s.task("other-1", "")
	s.task("other-2", `"parent_task_id":"other-1"`)
	// The deepest descendant counts.
	s.fail("task_edge_upsert", `{"from_task_id":"level-2","to_task_id":"other-1","type":"parent_child","agent":"ada"}`, "too_deep", `{"depth":4,"limit":3}`)
	s.edge("level-1", "other-1", "parent_child")
	// A repeated edge is not judged again, whatever the limit has become.
	s.service = core.New(core.Config{Store: s.store, Now: func() time.Time { return s.now }, Settings: core.Settings{MaxHierarchyDepth: 1}})
	s.edge("level-1", "other-1", "parent_child")
	// By default a hundred levels are possible.
	deep := newSession(t, open)
	deep.task("deep-0001", "")
	for i := 2; i <= 100; i++ {
		deep.task(fmt.Sprintf("deep-%04d", i), fmt.Sprintf(`"parent_task_id":"deep-%04d"`, i-1))
	}
	deep.fail("task_create", `{"title":"T","agent":"ada","parent_task_id":"deep-0100"}`, "too_deep", `{"depth":101,"limit":100}`)
}

// testUnknownIDs tries an id that names nothing, one that is too short, one
// that is ambiguous and one in other case on every tool that takes one.
func testUnknownIDs(t *testing.T, open Open) {
	s := newSession(t, open)
	graph(s)
	for _, c := range []struct{ tool, field, arguments string }{
		{"task_create", "parent_task_id", `"title":"T","agent":"mo","parent_task_id":ID`},
		{"task_create", "depends_on[1]", `"title":"T","agent":"mo","depends_on":["first-01",ID]`},
		{"task_spawn", "source_task_id", `"title":"T","agent":"mo","source_task_id":ID`},
		{"task_get", "task_id", `"task_id":ID`},
		{"task_status", "task_id", `"task_id":ID`},
		{"task_update", "task_id", `"task_id":ID,"agent":"mo","title":"T"`},
		{"task_complete", "task_id", `"task_id":ID,"agent":"mo"`},
		{"task_cancel", "task_id", `"task_id":ID,"agent":"mo"`},
		{"task_reopen", "task_id", `"task_id":ID,"agent":"mo"`},
		{"task_claim", "task_id", `"task_id":ID,"agent":"mo","aspect":"work"`},
		{"task_renew", "task_id", `"task_id":ID,"agent":"mo","aspect":"work"`},
		{"task_release", "task_id", `"task_id":ID,"agent":"mo","aspect":"work"`},
		{"task_edge_upsert", "from_task_id", `"from_task_id":ID,"to_task_id":"nobody-x","agent":"mo","type":"blocks"`},
		{"task_edge_upsert", "to_task_id", `"from_task_id":"first-01","to_task_id":ID,"agent":"mo","type":"nonsense"`},
		{"task_edge_delete", "from_task_id", `"from_task_id":ID,"to_task_id":ID,"agent":"mo","type":"blocks"`},
		{"task_edge_delete", "to_task_id", `"from_task_id":"first-01","to_task_id":ID,"agent":"mo","type":"blocks"`},
		{"task_edge_list", "task_id", `"task_id":ID`},
		{"task_children", "task_id", `"task_id":ID`},
		{"task_why", "task_id", `"task_id":ID`},
		{"finding_post", "task_id", `"task_id":ID,"agent":"mo","summary":"S"`},
		{"finding_list", "task_id", `"task_id":ID`},
		{"events", "task_id", `"task_id":ID`},
		{"journal", "task_id", `"task_id":ID`},
	} {
		for _, id := range []string{"no-such-task", "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "FIRST-01", "first-01 ", " first-01", "first-0%", "f_rst-01", "first-012"} {
			arguments := "{" + strings.ReplaceAll(c.arguments, "ID", fmt.Sprintf("%q", id)) + "}"
			s.fail(c.tool, arguments, "task_not_found", fmt.Sprintf(`{"field":%q,"value":%q}`, c.field, id))
		}
		for _, id := range []string{"first", "abc", "éèêëü"} {
			arguments := "{" + strings.ReplaceAll(c.arguments, "ID", fmt.Sprintf("%q", id)) + "}"
			s.fail(c.tool, arguments, "invalid_input", fmt.Sprintf(`{"reason":"invalid_field_value","field":%q,"value":%q}`, c.field, id))
		}
		arguments := "{" + strings.ReplaceAll(c.arguments, "ID", `"twin-a"`) + "}"
		s.fail(c.tool, arguments, "ambiguous_id_prefix", fmt.Sprintf(
			`{"field":%q,"value":"twin-a","candidates":[{"id":"twin-aaaa1","title":"Task twin-aaaa1"},{"id":"twin-aaaa2","title":"Task twin-aaaa2"}]}`, c.field))
	}
}

// testIDs covers how ids resolve.
func testIDs(t *testing.T, open Open) {
	s := newSession(t, open)
	for _, id := range []string{
		"ab", "abcdef", "abcdefgh", "abcdefghij", "ABCDEFGH", "éèêëüß1", "zzzzzz9", "zzzzzz10", "zzzzzz8", "zzzzzz7", "zzzzzz6", "zzzzzz5", "a%_*?[1", "9c1f02ab-77d3",
	} {
		s.task(id, "")
	}
	for given, want := range map[string]string{
		"ab": "ab", "abcdef": "abcdef", "abcdefgh": "abcdefgh", "abcdefghi": "abcdefghij", "ABCDEF": "ABCDEFGH", "éèêëüß": "éèêëüß1", "zzzzzz10": "zzzzzz10",
		"zzzzzz1": "zzzzzz10", "a%_*?[": "a%_*?[1", "9c1f02": "9c1f02ab-77d3", "9c1f02ab-7": "9c1f02ab-77d3",
	} {
		if got := s.value(s.do("task_get", fmt.Sprintf(`{"task_id":%q}`, given)), "task", "id"); got != want {
			s.Errorf("%q resolves to %v, want %s", given, got, want)
		}
	}
	s.fail("task_get", `{"task_id":"abcdefg"}`, "ambiguous_id_prefix",
		`{"field":"task_id","value":"abcdefg","candidates":[{"id":"abcdefgh","title":"Task abcdefgh"},{"id":"abcdefghij","title":"Task abcdefghij"}]}`)
	// At most five candidates, by id.
	s.fail("task_get", `{"task_id":"zzzzzz"}`, "ambiguous_id_prefix",
		`{"field":"task_id","value":"zzzzzz","candidates":[{"id":"zzzzzz10","title":"Task zzzzzz10"},{"id":"zzzzzz5","title":"Task zzzzzz5"},{"id":"zzzzzz6","title":"Task zzzzzz6"},{"id":"zzzzzz7","title":"Task zzzzzz7"},{"id":"zzzzzz8","title":"Task zzzzzz8"}]}`)
	s.fail("task_get", `{"task_id":"abcde"}`, "invalid_input", `{"reason":"invalid_field_value","field":"task_id","value":"abcde"}`)
	s.fail("task_get", `{"task_id":""}`, "invalid_input", `{"reason":"invalid_field_value","field":"task_id","value":""}`)
	// What is received is cut in the envelope, ids and titles are not.
	tail := strings.Repeat("é", 300)
	s.fail("task_get", `{"task_id":"`+tail+`"}`, "task_not_found", `{"field":"task_id","value":"`+tail[:400]+`…"}`)
	s.task("long-id-"+tail, "")
	if got := s.value(s.do("task_get", `{"task_id":"long-id-"}`), "task", "id"); got != "long-id-"+tail {
		s.Errorf("a long id is answered as %v", got)
	}
}

// faultyStore fails in a way that nobody foresaw.
type faultyStore struct{ core.Store }

var errFault = errors.New("SELECT * FROM tasks: database disk image is malformed")

// Read implements [core.Store].
func (faultyStore) Read(context.Context, func(core.ReadTx) error) error { return errFault }

// Write implements [core.Store].
func (faultyStore) Write(context.Context, func(core.WriteTx) error) error { return errFault }

// testRefusals covers what can strike any call.
func testRefusals(t *testing.T, open Open) {
	s := newSession(t, open)
	graph(s)
	notes(s)
	readOnly := &session{TB: t, store: s.store}
	readOnly.service = core.New(core.Config{Store: s.store, Folder: s.store.Folder, Now: func() time.Time { return s.now }, ReadOnly: true})
	for _, op := range core.Operations {
		if op.CommandLineOnly() {
			continue
		}
		arguments, ok := plausible[op.Name()]
		if !ok {
			t.Errorf("%s has no arguments to try", op.Name())
		}
		if op.ReadOnly() && op.Name() != "retrieve" { // which leaves a receipt or fails
			readOnly.same(op.Name(), arguments)
		} else {
			readOnly.fail(op.Name(), arguments, "forbidden", `{"needs":"write"}`)
		}
	}
	faulty := &session{TB: t, store: s.store}
	faulty.service = core.New(core.Config{Store: faultyStore{}, Now: func() time.Time { return s.now }})
	for name, arguments := range plausible {
		faulty.fail(name, arguments, "internal_error", `{"crash_file":null}`)
	}
}

// plausible are arguments for every operation that succeed on graph.
var plausible = map[string]string{
	"task_create":      `{"title":"T","agent":"mo"}`,
	"task_spawn":       `{"source_task_id":"first-01","title":"T","agent":"mo"}`,
	"task_get":         `{"task_id":"first-01"}`,
	"task_status":      `{"task_id":"first-01"}`,
	"task_list":        `{"with_claims":true,"limit":3}`,
	"task_update":      `{"task_id":"first-01","agent":"mo","metadata":{}}`,
	"task_complete":    `{"task_id":"first-01","agent":"mo"}`,
	"task_cancel":      `{"task_id":"first-01","agent":"mo","reason":"R"}`,
	"task_reopen":      `{"task_id":"done-001","agent":"mo"}`,
	"task_claim":       `{"task_id":"first-01","aspect":"review","agent":"mo"}`,
	"task_renew":       `{"task_id":"first-01","aspect":"work","agent":"ada"}`,
	"task_release":     `{"task_id":"first-01","aspect":"work","agent":"ada"}`,
	"task_next":        `{"agent":"mo"}`,
	"task_edge_upsert": `{"from_task_id":"first-01","to_task_id":"child-01","type":"blocks","agent":"mo"}`,
	"task_edge_delete": `{"from_task_id":"first-01","to_task_id":"second-1","type":"blocks","agent":"mo"}`,
	"task_edge_list":   `{"task_id":"third-01"}`,
	"task_ready":       `{"sort":"impact"}`,
	"task_blocked":     `{"sort":"updated"}`,
	"task_children":    `{"task_id":"parent-1","recursive":true}`,
	"task_why":         `{"task_id":"third-01"}`,
	"task_apply":       `{"agent":"mo","operations":[{"op":"create","as":"a","title":"T"},{"op":"complete","task_id":"$a"}]}`,
	"finding_post":     `{"task_id":"first-01","agent":"mo","summary":"S"}`,
	"finding_list":     `{"task_id":"first-01"}`,
	"agent_register":   `{"id":"mo"}`,
	"agent_info":       `{"id":"ada"}`,
	"agent_list":       `{}`,
	"stats":            `{}`,
	"events":           `{"limit":5}`,
	"journal":          `{"limit":5,"task_id":"first-01"}`,
	"write":            `{"title":"T","content":"C","agent":"mo"}`,
	"note_update":      `{"id":"note-001","agent":"mo","tags":["t"]}`,
	"delete":           `{"id":"note-002","agent":"mo"}`,
	"read":             `{"id":"note-001"}`,
	"list":             `{"content_query":"first"}`,
	"tags":             `{}`,
	"search":           `{"query":"first"}`,
	"cache_lookup":     `{"query":"first"}`,
	"edge_upsert":      `{"from_id":"note-001","to_id":"note-003","type":"t","weight":1,"namespace":"n"}`,
	"edge_list":        `{}`,
	"conflict_resolve": `{"edge_id":"edge_c0ffee123456","resolution":"superseded","resolver":"mo","winner_id":"note-001"}`,
	"related":          `{"id":"note-001"}`,
	"retrieve":         `{"query":"first"}`,
	"node_stats":       `{"node_id":"note-001"}`,
}

// notes are what the arguments above name beside the tasks of graph.
func notes(s *session) {
	s.Helper()
	s.note("note-001", "First", "The first note.", "")
	s.note("note-002", "Second", "Another.", "")
	s.note("note-003", "Third", "See [[first]].", "")
	s.nextID = "c0ffee12-3456-4000-8000-000000000000"
	s.do("edge_upsert", `{"from_id":"note-001","to_id":"note-003","type":"contradicts","weight":1,"namespace":"n","provenance_actor":"ada"}`)
}

// accessTables are what reads of notes write all the same: who was shown what,
// and receipts.
var accessTables = map[string][]string{
	"read": {"note_access", "note_usage"}, "search": {"note_access"}, "cache_lookup": {"note_access"},
	"retrieve": {"note_access", "note_usage", "note_receipts"},
}

// testFirstChecks holds, for every operation, that an undeclared argument
// comes before everything else and over-long text before unknown ids.
func testFirstChecks(t *testing.T, open Open) {
	s := newSession(t, open)
	for _, op := range core.Operations {
		if op.CommandLineOnly() {
			continue
		}
		var names []string
		for _, p := range op.Parameters() {
			names = append(names, fmt.Sprintf("%q", p.Name))
		}
		s.fail(op.Name(), `{"qqqqqqqqqqqq":null,"title":7,"agent":" ","limit":0,"task_id":"no-such-task"}`, "invalid_input", `{"reason":"unknown_field","field":"qqqqqqqqqqqq","allowed":[`+strings.Join(names, ",")+`]}`)
		for _, p := range op.Parameters() {
			if p.Name != "agent" && p.Name != "title" && p.Name != "aspect" && p.Name != "request_id" {
				continue
			}
			if op.ReadOnly() || op.Name() == "task_apply" {
				continue
			}
			limit := 128
			if p.Name == "title" {
				limit = 500
			}
			var members []string
			for _, other := range op.Parameters() {
				switch {
				case other.Name == p.Name:
					members = append(members, fmt.Sprintf("%q:%q", p.Name, strings.Repeat("y", limit+1)))
				case other.Required && strings.HasSuffix(other.Name, "task_id"):
					members = append(members, fmt.Sprintf("%q:%q", other.Name, "no-such-task"))
				case other.Required:
					members = append(members, fmt.Sprintf("%q:%q", other.Name, "text"))
				}
			}
			s.fail(op.Name(), "{"+strings.Join(members, ",")+"}", "content_too_large", fmt.Sprintf(`{"field":%q,"length":%d,"limit":%d}`, p.Name, limit+1, limit))
		}
	}
}
