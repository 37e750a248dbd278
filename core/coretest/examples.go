package coretest

import (
	"fmt"
	"strings"
	"testing"
)

// The tasks of the contract's examples.
const (
	schema   = "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21"
	importer = "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11"
	ciGate   = "d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d"
)

func (s *session) addSchema(more string) {
	s.at("2026-03-01T08:00:00Z")
	s.nextID = schema
	s.do("task_create", `{"title":"Write schema","agent":"ada"`+more+`}`)
}

func (s *session) addGate() {
	s.at("2026-03-01T08:30:00Z")
	s.nextID = ciGate
	s.do("task_create", `{"title":"CI green on main","agent":"ada","task_type":"gate","metadata":{"gate_type":"ci"}}`)
}

func (s *session) addImporter(more string) {
	s.at("2026-03-02T09:15:00.120431Z")
	s.nextID = importer
	s.do("task_create", `{"title":"Write importer","agent":"mo"`+more+`}`)
}

// testExamples holds the answers to the examples of the contract, byte for
// byte, key order included.
func testExamples(t *testing.T, open Open) {
	const (
		importerEcho = `"task_id": "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11", "title": "Write importer", "updated_at": "2026-03-02T09:15:00.120431+00:00", "version": 1`
		schemaHead   = `{"id": "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "title": "Write schema", "description": null, "status": "open", "task_type": "task", "created_by": "ada", "created_at": "2026-03-01T08:00:00+00:00", "resolved_at": null, "updated_at": "2026-03-01T08:00:00+00:00", "version": 1, "tags": ["db"], "metadata": `
	)
	for name, example := range map[string]func(*session){
		"task_create": func(s *session) {
			s.addSchema("")
			s.at("2026-03-02T09:15:00.120431Z")
			s.nextID = importer
			s.want("task_create", `{"title": "Write importer", "agent": "mo", "depends_on": ["83257ced"], "request_id": "imp-1"}`,
				`{`+importerEcho+`, "depends_on": ["83257ced-41a0-4f0e-9a55-0d5f0c1b7e21"]}`)
			// Duplicates are answered as supplied, the parent last.
			s.nextID = "00000000-aaaa"
			s.want("task_create", `{"title": "Both", "agent": "mo", "parent_task_id": "83257ced", "depends_on": ["83257ced", "9c1f02ab", "83257ced-41a0"]}`,
				`{"task_id": "00000000-aaaa", "title": "Both", "updated_at": "2026-03-02T09:15:00.120431+00:00", "version": 1, "depends_on": ["`+schema+`", "`+importer+`", "`+schema+`"], "parent_task_id": "`+schema+`"}`)
			s.nextID = "00000000-bbbb"
			s.want("task_create", `{"title": "None", "agent": "mo", "depends_on": []}`,
				`{"task_id": "00000000-bbbb", "title": "None", "updated_at": "2026-03-02T09:15:00.120431+00:00", "version": 1, "depends_on": []}`)
		},
		"task_spawn": func(s *session) {
			s.addImporter("")
			s.at("2026-03-02T10:00:00Z")
			s.nextID = "5e3b7d90-1c4f-4a2b-9d8e-7f6a5b4c3d2e"
			s.want("task_spawn", `{"source_task_id": "9c1f02ab", "title": "Importer drops NUL bytes", "agent": "mo"}`,
				`{"task_id": "5e3b7d90-1c4f-4a2b-9d8e-7f6a5b4c3d2e", "title": "Importer drops NUL bytes", "source_task_id": "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11", "updated_at": "2026-03-02T10:00:00+00:00", "version": 1}`)
		},
		"task_get": func(s *session) {
			s.addSchema(`,"tags":["db"],"metadata":{"project":"core","priority":"high"}`)
			s.do("task_claim", `{"task_id":"83257ced","aspect":"work","agent":"ada"}`)
			s.want("task_get", `{"task_id": "83257ced"}`, `{"task": `+schemaHead+`{"project": "core", "priority": "high"}, "outcome": null}}`)
		},
		"task_status": func(s *session) {
			s.addSchema(`,"tags":["db"]`)
			s.do("task_claim", `{"task_id":"83257ced","aspect":"work","agent":"ada"}`)
			s.want("task_status", `{"task_id": "83257ced"}`,
				`{"tasks": [`+schemaHead+`{}, "outcome": null, "claims": [{"agent": "ada", "aspect": "work", "expires_at": "2026-03-01T09:00:00+00:00"}]}]}`)
		},
		"task_list": func(s *session) {
			s.at("2026-02-27T08:00:00Z")
			s.nextID = "0f9d8c7b-6a54-4321-8fed-cba987654321"
			s.do("task_create", `{"title":"Choose driver","agent":"ada"}`)
			s.at("2026-03-01T12:30:00.000007Z")
			s.do("task_complete", `{"task_id":"0f9d8c7b","agent":"ada","outcome":"cgo driver"}`)
			s.addSchema("")
			record := `{"id": "0f9d8c7b-6a54-4321-8fed-cba987654321", "title": "Choose driver", "description": null, "status": "completed", "task_type": "task", "created_by": "ada", "created_at": "2026-02-27T08:00:00+00:00", "resolved_at": "2026-03-01T12:30:00.000007+00:00", "updated_at": "2026-03-01T12:30:00.000007+00:00", "version": 2, "tags": [], "metadata": {}, "outcome": "cgo driver"}`
			s.want("task_list", `{"status": "completed", "resolved_since": "2026-03-01", "limit": 1}`, `{"tasks": [`+record+`], "has_more": false}`)
			s.want("task_list", `{"status": "completed"}`, `{"tasks": [`+record+`]}`)
			s.want("task_list", `{"status": "cancelled"}`, `{"tasks": []}`)
			if more := s.value(s.do("task_list", `{"limit": 1}`), "has_more"); more != true {
				t.Errorf("two tasks, one shown: has_more is %v", more)
			}
		},
		"task_update": func(s *session) {
			s.addSchema(`,"tags":["db"],"metadata":{"project":"core","priority":"high"}`)
			s.at("2026-03-02T09:20:11.000512Z")
			s.want("task_update", `{"task_id": "83257ced", "agent": "ada", "metadata": {"priority": "highest", "phase": null}, "add_tags": ["urgent"], "expected_version": 1}`,
				`{"success": true, "message": "Updated metadata, tags.", "task_id": "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "title": "Write schema", "updated_at": "2026-03-02T09:20:11.000512+00:00", "version": 2}`)
		},
		"task_complete and task_reopen": func(s *session) {
			s.addSchema("")
			s.addImporter(`,"depends_on":["83257ced"]`)
			s.do("task_update", `{"task_id":"83257ced","agent":"ada","add_tags":["db","urgent"]}`)
			s.at("2026-03-02T11:00:00.000001Z")
			s.want("task_complete", `{"task_id": "83257ced", "agent": "ada", "outcome": "schema v3 merged"}`,
				`{"success": true, "unblocked": ["9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11"], "task_id": "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "title": "Write schema", "updated_at": "2026-03-02T11:00:00.000001+00:00", "version": 3}`)
			s.at("2026-03-02T11:10:00Z")
			s.want("task_reopen", `{"task_id": "83257ced", "agent": "ada"}`,
				`{"success": true, "reblocked": ["9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11"], "task_id": "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "title": "Write schema", "updated_at": "2026-03-02T11:10:00+00:00", "version": 4}`)
			findings := s.do("finding_list", `{"task_id": "83257ced"}`)
			if got := s.value(findings, "findings", 0, "summary"); got != "[Reopened] task reopened (was completed); prior outcome: schema v3 merged" {
				s.Errorf("the finding says %q", got)
			}
		},
		"task_cancel": func(s *session) {
			s.addGate()
			s.addImporter("")
			s.edge("d41e8b", importer, "waits_on_gate")
			s.at("2026-03-02T11:05:00Z")
			s.want("task_cancel", `{"task_id": "d41e8b", "agent": "ada", "reason": "pipeline retired"}`,
				`{"success": true, "stranded": ["9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11"], "task_id": "d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d", "title": "CI green on main", "updated_at": "2026-03-02T11:05:00+00:00", "version": 2}`)
			if got := s.value(s.do("finding_list", `{"task_id": "d41e8b"}`), "findings", 0, "summary"); got != "[Cancelled] pipeline retired" {
				s.Errorf("the finding says %q", got)
			}
			s.want("task_reopen", `{"task_id": "d41e8b", "agent": "ada"}`,
				`{"success": true, "reblocked": [], "task_id": "d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d", "title": "CI green on main", "updated_at": "2026-03-02T11:05:00.000001+00:00", "version": 3}`)
			if got := s.value(s.do("finding_list", `{"task_id": "d41e8b"}`), "findings", 1, "summary"); got != "[Reopened] task reopened (was cancelled)" {
				s.Errorf("the finding says %q", got)
			}
		},
		"claims": func(s *session) {
			s.addImporter("")
			s.at("2026-03-02T11:00:00.000001Z")
			s.want("task_claim", `{"task_id": "9c1f02ab", "aspect": "work", "agent": "mo"}`,
				`{"success": true, "expires_at": "2026-03-02T12:00:00.000001+00:00", `+importerEcho+`}`)
			s.at("2026-03-02T11:30:00Z")
			s.want("task_renew", `{"task_id": "9c1f02ab", "aspect": "work", "agent": "mo", "ttl_minutes": 9000}`,
				`{"success": true, "new_expires_at": "2026-03-02T19:30:00+00:00", `+importerEcho+`}`)
			s.want("task_release", `{"task_id": "9c1f02ab", "aspect": "work", "agent": "mo"}`, `{"success": true, `+importerEcho+`}`)
		},
		"task_next": func(s *session) {
			s.addSchema(`,"tags":["db"],"metadata":{"project":"core"}`)
			s.at("2026-03-02T11:00:00Z")
			claim := `{"agent": "mo", "aspect": "work", "expires_at": "2026-03-02T12:00:00+00:00"}`
			s.want("task_next", `{"agent": "mo", "project": "core"}`,
				`{"task": `+schemaHead+`{"project": "core"}, "outcome": null, "claims": [`+claim+`]}, "claim": `+claim+`}`)
			before := s.dump()
			s.want("task_next", `{"agent": "new agent", "project": "core"}`, `{"task": null}`)
			if after := s.dump(); after != before {
				s.Errorf("nothing was found, yet the store changed:\nbefore\n%s\nafter\n%s", before, after)
			}
		},
		"edges": func(s *session) {
			s.addGate()
			s.addSchema("")
			s.addImporter(`,"depends_on":["83257ced"]`)
			ends := `"from_task_id": "d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d", "from_title": "CI green on main", "to_task_id": "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11", "to_title": "Write importer"`
			stamps := `"from_updated_at": "2026-03-01T08:30:00+00:00", "to_updated_at": "2026-03-02T09:15:00.120431+00:00"`
			arguments := `{"from_task_id": "d41e8b", "to_task_id": "9c1f02", "type": "waits_on_gate", "agent": "mo"}`
			s.want("task_edge_upsert", arguments, `{"success": true, `+ends+`, `+stamps+`}`)
			s.want("task_edge_delete", arguments, `{"success": true, `+ends+`, "type": "waits_on_gate", `+stamps+`}`)
			s.want("task_edge_list", `{"task_id": "9c1f02ab", "direction": "incoming"}`,
				`{"edges": [{"from_task_id": "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "to_task_id": "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11", "type": "blocks", "direction": "incoming", "metadata": {}, "created_by": "mo", "created_at": "2026-03-02T09:15:00.120431+00:00"}]}`)
			s.want("task_edge_list", `{"task_id": "9c1f02ab", "direction": "outgoing"}`, `{"edges": []}`)
		},
		"task_ready and task_blocked": func(s *session) {
			s.addSchema(`,"tags":["db"],"metadata":{"project":"core"}`)
			s.addImporter(`,"depends_on":["83257ced"]`)
			s.do("task_create", `{"title":"Later","agent":"ada","metadata":{"project":"core"}}`)
			s.want("task_ready", `{"project": "core", "limit": 1}`, `{"tasks": [`+schemaHead+`{"project": "core"}, "outcome": null, "claims": []}], "has_more": true}`)
			s.want("task_ready", `{"project": "core", "limit": 1, "with_claims": false}`, `{"tasks": [`+schemaHead+`{"project": "core"}, "outcome": null}], "has_more": true}`)
			s.want("task_blocked", `{"limit": 1}`,
				`{"tasks": [{"id": "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11", "title": "Write importer", "description": null, "status": "open", "task_type": "task", "created_by": "mo", "created_at": "2026-03-02T09:15:00.120431+00:00", "resolved_at": null, "updated_at": "2026-03-02T09:15:00.120431+00:00", "version": 1, "tags": [], "metadata": {}, "outcome": null, "blockers": [{"kind": "task", "task_id": "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "type": "blocks", "status": "open", "message": "Waiting for 83257ced-41a0-4f0e-9a55-0d5f0c1b7e21."}]}], "has_more": false}`)
			s.want("task_ready", `{"project": "nothing"}`, `{"tasks": [], "has_more": false}`)
			s.want("task_blocked", `{"project": "nothing"}`, `{"tasks": [], "has_more": false}`)
		},
		"task_children": func(s *session) {
			s.task("0b7a9e14-epic", `"task_type":"epic"`)
			s.addSchema(`,"tags":["db"],"parent_task_id":"0b7a9e14"`)
			s.want("task_children", `{"task_id": "0b7a9e14", "recursive": true}`, `{"tasks": [`+schemaHead+`{}, "outcome": null}]}`)
			s.want("task_children", `{"task_id": "83257ced"}`, `{"tasks": []}`)
		},
		"task_why": func(s *session) {
			s.addGate()
			s.addImporter("")
			s.edge("d41e8b", importer, "waits_on_gate")
			s.want("task_why", `{"task_id": "9c1f02ab"}`,
				`{"task_id": "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11", "title": "Write importer", "status": "open", "task_type": "task", "ready": false, "blockers": [{"kind": "gate", "task_id": "d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d", "type": "waits_on_gate", "status": "open", "message": "Waiting for ci gate d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d."}], "root_causes": [{"kind": "gate", "task_id": "d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d", "title": "CI green on main", "status": "open", "path": ["9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11", "d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d"]}], "unblock_plan": [{"action": "resolve_gate", "task_id": "d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d", "title": "CI green on main", "gate_type": "ci"}], "downstream": 0}`)
		},
		"task_apply": func(s *session) {
			s.addImporter("")
			s.at("2026-03-02T12:00:00Z")
			s.nextID = "c0ffee12-3456-4789-9abc-def012345678"
			s.want("task_apply", `{"agent": "mo", "operations": [{"op": "create", "as": "gate", "title": "Review", "task_type": "gate", "metadata": {"gate_type": "human"}}, {"op": "edge_upsert", "from_task_id": "$gate", "to_task_id": "9c1f02ab", "type": "waits_on_gate"}]}`,
				`{"success": true, "ids": {"gate": "c0ffee12-3456-4789-9abc-def012345678"}, "results": [{"op": "create", "task_id": "c0ffee12-3456-4789-9abc-def012345678", "title": "Review", "updated_at": "2026-03-02T12:00:00+00:00", "version": 1}, {"op": "edge_upsert", "success": true, "from_task_id": "c0ffee12-3456-4789-9abc-def012345678", "from_title": "Review", "to_task_id": "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11", "to_title": "Write importer", "from_updated_at": "2026-03-02T12:00:00+00:00", "to_updated_at": "2026-03-02T09:15:00.120431+00:00"}]}`)
		},
		"findings": func(s *session) {
			s.addImporter("")
			s.at("2026-03-02T12:10:00.500000Z")
			s.nextID = "7a6b5c4d-3e2f-4101-8a9b-0c1d2e3f4a5b"
			s.want("finding_post", `{"task_id": "9c1f02ab", "agent": "mo", "summary": "CSV needs a BOM check", "knowledge_id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69"}`,
				`{"finding_id": "7a6b5c4d-3e2f-4101-8a9b-0c1d2e3f4a5b", `+importerEcho+`}`)
			s.want("finding_list", `{"task_id": "9c1f02ab", "since": "2026-03-02"}`,
				`{"findings": [{"id": "7a6b5c4d-3e2f-4101-8a9b-0c1d2e3f4a5b", "agent": "mo", "summary": "CSV needs a BOM check", "knowledge_id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "created_at": "2026-03-02T12:10:00.500000+00:00"}]}`)
			// Strictly after since.
			s.want("finding_list", `{"task_id": "9c1f02ab", "since": "2026-03-02T12:10:00.500000Z"}`, `{"findings": []}`)
			s.nextID = "7a6b5c4d-none"
			s.do("finding_post", `{"task_id": "9c1f02ab", "agent": "mo", "summary": ""}`)
			s.want("finding_list", `{"task_id": "9c1f02ab", "since": "2026-03-02T12:10:00.499999Z"}`,
				`{"findings": [{"id": "7a6b5c4d-3e2f-4101-8a9b-0c1d2e3f4a5b", "agent": "mo", "summary": "CSV needs a BOM check", "knowledge_id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "created_at": "2026-03-02T12:10:00.500000+00:00"}, {"id": "7a6b5c4d-none", "agent": "mo", "summary": "", "knowledge_id": null, "created_at": "2026-03-02T12:10:00.500000+00:00"}]}`)
		},
		"agents": func(s *session) {
			s.at("2026-03-01T08:00:00Z")
			s.want("agent_register", `{"id": "mo"}`, `{"success": true, "created": true}`)
			s.at("2026-03-02T12:10:00Z")
			s.want("agent_register", `{"id": "mo", "name": "Mo", "type": "coder"}`, `{"success": true, "created": false}`)
			s.want("agent_info", `{"id": "mo"}`, `{"result": {"id": "mo", "name": "Mo", "type": "coder", "first_seen_at": "2026-03-01T08:00:00+00:00", "last_seen_at": "2026-03-02T12:10:00+00:00", "metadata": {}}}`)
			s.want("agent_list", `{"type": "coder"}`, `{"agents": [{"id": "mo", "name": "Mo", "type": "coder", "last_seen_at": "2026-03-02T12:10:00+00:00"}]}`)
			s.want("agent_info", `{"id": "m"}`, `{"result": null}`)
			s.want("agent_list", `{"type": "code"}`, `{"agents": []}`)
			// Null keeps, non-empty metadata replaces the whole, {} is ignored.
			s.do("agent_register", `{"id": "mo", "name": "", "metadata": {"a": 1, "n": 1.0}}`)
			s.do("agent_register", `{"id": "mo", "metadata": {"b": null}}`)
			s.do("agent_register", `{"id": "mo", "metadata": {}}`)
			s.want("agent_info", `{"id": "mo"}`, `{"result": {"id": "mo", "name": "", "type": "coder", "first_seen_at": "2026-03-01T08:00:00+00:00", "last_seen_at": "2026-03-02T12:10:00+00:00", "metadata": {"b": null}}}`)
		},
		"stats": func(s *session) {
			s.addSchema("")
			s.addGate()
			s.do("task_claim", `{"task_id":"83257ced","aspect":"work","agent":"ada","ttl_minutes":1}`)
			s.do("task_claim", `{"task_id":"83257ced","aspect":"review","agent":"mo","ttl_minutes":2}`)
			s.now = s.now.Add(1e9 * 60)
			s.want("stats", `{}`,
				`{"documents": 0, "chroma_chunk_count": 0, "agents": 2, "active_tasks": 2, "open_claims": 1, "tags": 0, "duplicate_urls": 0, "index_drift_detected": false, "tantivy_doc_count": 0, "unresolved_links": 0, "expired_docs": 0, "expired_claims": 1, "tantivy_last_updated": null, "chroma_last_updated": null, "graph_node_count": 0, "graph_edge_count": 0}`)
		},
		"events and journal": func(s *session) {
			s.addSchema(`,"tags":["db"]`) // agent.registered, task.created
			s.do("task_update", `{"task_id":"83257ced","agent":"ada","add_tags":["urgent"]}`)
			s.at("2026-03-02T11:00:00.000001Z")
			s.do("task_complete", `{"task_id":"83257ced","agent":"ada","outcome":"schema v3 merged"}`)
			s.do("agent_register", `{"id":"mo"}`)
			page := s.do("events", `{"since": 2, "types": ["task.completed"]}`)
			id := s.value(page, "events", 0, "id")
			want := fmt.Sprintf(`{"events": [{"seq": 4, "id": %q, "type": "task.completed", "timestamp": "2026-03-02T11:00:00.000001+00:00", "agent": "ada", "payload": {"task_id": "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "agent": "ada", "outcome": "schema v3 merged", "cited_nodes": null, "misleading_nodes": null, "receipt_id": null, "updated_at": "2026-03-02T11:00:00.000001+00:00", "version": 3, "dropped_claims": []}, "tags": ["db", "urgent"]}], "next_since": 5, "has_more": false}`, id)
			if page != compact(s, want) {
				s.Errorf("events answers %s\nwant %s", page, compact(s, want))
			}
			page = s.do("journal", `{"task_id": "83257ced", "types": ["task.created"], "limit": 1}`)
			want = fmt.Sprintf(`{"events": [{"seq": 2, "id": %q, "type": "task.created", "timestamp": "2026-03-01T08:00:00+00:00", "agent": "ada", "payload": {"task_id": "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "title": "Write schema", "task_type": "task", "updated_at": "2026-03-01T08:00:00+00:00", "version": 1}, "tags": ["db"]}], "next_before": null, "has_more": false}`,
				s.value(page, "events", 0, "id"))
			if page != compact(s, want) {
				s.Errorf("journal answers %s\nwant %s", page, compact(s, want))
			}
			s.want("events", `{"since": 5}`, `{"events": [], "next_since": 5, "has_more": false}`)
			s.want("journal", `{"before": 1}`, `{"events": [], "next_before": null, "has_more": false}`)
			if more := s.do("journal", `{"limit": 2}`); !strings.HasSuffix(more, `"next_before":4,"has_more":true}`) {
				s.Errorf("the newest two of five events: %s", more)
			}
		},
	} {
		t.Run(name, func(t *testing.T) { example(newSession(t, open)) })
	}
}
