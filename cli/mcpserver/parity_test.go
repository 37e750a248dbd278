package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"dev.lithos/cli"
	"dev.lithos/core"
)

// parityCall is one call in both forms. $a to $z stand for the ids of tasks
// that earlier calls made.
type parityCall struct {
	operation string
	arguments string
	command   []string
	makes     string // name for the id of the new task or note
	code      string // of the envelope, or the status of a refused note write; empty: it succeeds
	stdin     string
}

func at(operation, arguments string, command ...string) parityCall {
	return parityCall{operation: operation, arguments: arguments, command: command}
}

func (p parityCall) as(name string) parityCall      { p.makes = name; return p }
func (p parityCall) failing(code string) parityCall { p.code = code; return p }
func (p parityCall) with(stdin string) parityCall   { p.stdin = stdin; return p }

// parityCalls go through every operation, each with a success and with
// failures of its own.
var parityCalls = []parityCall{
	at("task_create", `{"title":"Schema <&> \u2028 \u007f ü","agent":"ada","description":"Markdown\n*here*","tags":["db","a,b"," c "],"metadata":{"project":"core","priority":"high","n":1.0}}`,
		"task", "create", "Schema <&> \u2028 \u007f ü", "--agent", "ada", "--description", "Markdown\n*here*", "--tag", "db", "--tag", "a,b", "--tag", " c ",
		"--project", "core", "--priority", "high", "--meta", "n:=1.0").as("a"),
	at("task_create", `{"title":"Importer","agent":"mo","depends_on":["$a","$a"],"request_id":"r-1"}`,
		"task", "create", "Importer", "--agent", "mo", "--depends-on", "$a", "--depends-on", "$a", "--request-id", "r-1").as("b"),
	at("task_create", `{"title":"Importer","agent":"mo","depends_on":["$a","$a"],"request_id":"r-1"}`,
		"task", "create", "Importer", "--agent", "mo", "--depends-on", "$a", "--depends-on", "$a", "--request-id", "r-1"),
	at("task_create", `{"title":"Other","agent":"mo","request_id":"r-1"}`, "task", "create", "Other", "--agent", "mo", "--request-id", "r-1").failing("invalid_input"),
	at("task_create", `{"title":"Release","agent":"ada","task_type":"epic"}`, "task", "create", "Release", "--agent", "ada", "--type", "epic").as("e"),
	at("task_create", `{"title":"Docs","agent":"ada","parent_task_id":"$e"}`, "task", "create", "Docs", "--agent", "ada", "--parent", "$e").as("d"),
	at("task_create", `{"title":"Review","agent":"ada","task_type":"gate","metadata":{"gate_type":"human"}}`,
		"task", "create", "Review", "--agent", "ada", "--type", "gate", "--gate-type", "human").as("g"),
	at("task_create", `{"title":" ","agent":"ada"}`, "task", "create", " ", "--agent", "ada").failing("invalid_input"),
	at("task_create", `{"title":"x","agent":"ada","task_type":"gate","metadata":{"gate_type":"moon"}}`,
		"task", "create", "x", "--agent", "ada", "--type", "gate", "--gate-type", "moon").failing("invalid_input"),
	at("task_create", `{"title":"x","agent":"ada","metadata":{"depends_on":"$a"}}`, "task", "create", "x", "--agent", "ada", "--meta", "depends_on=$a").failing("invalid_metadata_key"),
	at("task_create", `{"title":"x","agent":"ada","parent_task_id":"unknown-id"}`, "task", "create", "x", "--agent", "ada", "--parent", "unknown-id").failing("task_not_found"),
	at("task_create", `{"title":"x","agent":"ada","task_type":"bug"}`, "task", "create", "x", "--agent", "ada", "--type", "bug").failing("invalid_task_type"),

	at("task_spawn", `{"source_task_id":"$a","title":"Found","agent":"mo","relation_type":"blocks","inherit_tags":false,"metadata":{"phase":"2"}}`,
		"task", "spawn", "$a", "Found", "--agent", "mo", "--relation", "blocks", "--no-inherit-tags", "--meta", "phase=2").as("s"),
	at("task_spawn", `{"source_task_id":"$a","title":"x","agent":"mo","relation_type":"parent_child"}`,
		"task", "spawn", "$a", "x", "--agent", "mo", "--relation", "parent_child").failing("invalid_relation_type"),

	at("task_get", `{"task_id":"$a"}`, "task", "get", "$a"),
	at("task_get", `{"task_id":"abc"}`, "task", "get", "abc").failing("invalid_input"),
	at("task_get", `{"task_id":"unknown-id"}`, "task", "get", "unknown-id").failing("task_not_found"),
	at("task_status", `{"task_id":"$a"}`, "task", "status", "$a"),
	at("task_status", `{"task_id":"unknown-id"}`, "task", "status", "unknown-id").failing("task_not_found"),

	at("task_list", `{}`, "task", "list"),
	at("task_list", `{"agent":"ada","status":"open","task_type":"task","tags":["db"],"text":"schema","metadata_match":{"n":1.0},"limit":2,"with_claims":true}`,
		"task", "list", "--created-by", "ada", "--status", "open", "--type", "task", "--tag", "db", "--text", "schema", "--match", "n:=1.0", "--limit", "2", "--with-claims"),
	at("task_list", `{"limit":1,"offset":2}`, "task", "list", "--limit", "1", "--offset", "2"),
	at("task_list", `{"since":"2026-03-01","resolved_since":"2026-03-01T00:00:00Z"}`, "task", "list", "--since", "2026-03-01", "--resolved-since", "2026-03-01T00:00:00Z"),
	at("task_list", `{"limit":0}`, "task", "list", "--limit", "0").failing("invalid_input"),
	at("task_list", `{"status":"opne"}`, "task", "list", "--status", "opne").failing("invalid_input"),
	at("task_list", `{"task_type":"tsak"}`, "task", "list", "--type", "tsak").failing("invalid_task_type"),
	at("task_list", `{"since":"yesterday"}`, "task", "list", "--since", "yesterday").failing("invalid_input"),

	at("task_update", `{"task_id":"$a","agent":"ada","title":"Write the schema","metadata":{"phase":1,"n":null},"add_tags":["urgent"],"remove_tags":["db"],"expected_version":1}`,
		"task", "update", "$a", "--agent", "ada", "--title", "Write the schema", "--meta", "phase:=1", "--unset", "n", "--add-tag", "urgent", "--remove-tag", "db", "--expected-version", "1"),
	at("task_update", `{"task_id":"$a","agent":"ada"}`, "task", "update", "$a", "--agent", "ada").failing("invalid_input"),
	at("task_update", `{"task_id":"$a","agent":"ada","title":"Stale","expected_version":1}`,
		"task", "update", "$a", "--agent", "ada", "--title", "Stale", "--expected-version", "1").failing("version_conflict"),

	at("task_ready", `{}`, "task", "ready"),
	at("task_ready", `{"project":"core","limit":1,"sort":"impact","with_claims":false}`, "task", "ready", "--project", "core", "--limit", "1", "--sort", "impact", "--no-claims"),
	at("task_ready", `{"sort":"newest"}`, "task", "ready", "--sort", "newest").failing("invalid_input"),
	at("task_ready", `{"limit":-1}`, "task", "ready", "--limit=-1").failing("invalid_input"),
	at("task_blocked", `{"limit":10,"offset":0,"tags":[]}`, "task", "blocked", "--limit", "10", "--offset", "0"),
	at("task_blocked", `{"offset":-1}`, "task", "blocked", "--offset=-1").failing("invalid_input"),
	at("task_why", `{"task_id":"$b"}`, "task", "why", "$b"),
	at("task_why", `{"task_id":"unknown-id"}`, "task", "why", "unknown-id").failing("task_not_found"),
	at("task_children", `{"task_id":"$e","recursive":true,"include_closed":true}`, "task", "children", "$e", "--recursive", "--include-closed"),
	at("task_children", `{"task_id":"unknown-id"}`, "task", "children", "unknown-id").failing("task_not_found"),

	at("task_edge_upsert", `{"from_task_id":"$g","to_task_id":"$b","type":"waits_on_gate","agent":"mo","metadata":{"why":"policy"}}`,
		"task", "edge", "upsert", "$g", "$b", "--type", "waits_on_gate", "--agent", "mo", "--meta", "why=policy"),
	at("task_edge_upsert", `{"from_task_id":"$b","to_task_id":"$a","type":"blocks","agent":"mo"}`,
		"task", "edge", "upsert", "$b", "$a", "--type", "blocks", "--agent", "mo").failing("cycle"),
	at("task_edge_upsert", `{"from_task_id":"$a","to_task_id":"$a","type":"blocks","agent":"mo"}`,
		"task", "edge", "upsert", "$a", "$a", "--type", "blocks", "--agent", "mo").failing("self_edge"),
	at("task_edge_upsert", `{"from_task_id":"$a","to_task_id":"$b","type":"waits_on_gate","agent":"mo"}`,
		"task", "edge", "upsert", "$a", "$b", "--type", "waits_on_gate", "--agent", "mo").failing("not_a_gate"),
	at("task_edge_upsert", `{"from_task_id":"$a","to_task_id":"$d","type":"parent_child","agent":"mo"}`,
		"task", "edge", "upsert", "$a", "$d", "--type", "parent_child", "--agent", "mo").failing("parent_exists"),
	at("task_edge_upsert", `{"from_task_id":"$a","to_task_id":"$d","type":"needs","agent":"mo"}`,
		"task", "edge", "upsert", "$a", "$d", "--type", "needs", "--agent", "mo").failing("invalid_edge_type"),
	at("task_edge_list", `{"task_id":"$b","direction":"incoming","types":["blocks","waits_on_gate"]}`,
		"task", "edge", "list", "$b", "--direction", "incoming", "--type", "blocks", "--type", "waits_on_gate"),
	at("task_edge_list", `{"task_id":"$b","direction":"up"}`, "task", "edge", "list", "$b", "--direction", "up").failing("invalid_input"),
	at("task_edge_delete", `{"from_task_id":"$g","to_task_id":"$b","type":"waits_on_gate","agent":"mo"}`,
		"task", "edge", "delete", "$g", "$b", "--type", "waits_on_gate", "--agent", "mo"),
	at("task_edge_delete", `{"from_task_id":"$g","to_task_id":"$b","type":"waits_on_gate","agent":"mo"}`,
		"task", "edge", "delete", "$g", "$b", "--type", "waits_on_gate", "--agent", "mo").failing("edge_not_found"),

	at("task_claim", `{"task_id":"$a","aspect":"work","agent":"mo","ttl_minutes":9000}`, "task", "claim", "$a", "--aspect", "work", "--agent", "mo", "--ttl", "9000"),
	at("task_claim", `{"task_id":"$a","aspect":"work","agent":"bo"}`, "task", "claim", "$a", "--agent", "bo").failing("claim_failed"),
	at("task_status", `{"task_id":"$a"}`, "task", "status", "$a"),
	at("task_list", `{"claimed_by":"*"}`, "task", "list", "--claimed-by", "*"),
	at("task_renew", `{"task_id":"$a","aspect":"work","agent":"mo","ttl_minutes":5}`, "task", "renew", "$a", "--agent", "mo", "--ttl", "5"),
	at("task_renew", `{"task_id":"$a","aspect":"review","agent":"mo"}`, "task", "renew", "$a", "--agent", "mo", "--aspect", "review").failing("claim_not_found"),
	at("task_release", `{"task_id":"$a","aspect":"work","agent":"mo"}`, "task", "release", "$a", "--agent", "mo"),
	at("task_release", `{"task_id":"$a","aspect":"work","agent":"mo"}`, "task", "release", "$a", "--agent", "mo").failing("claim_not_found"),
	at("task_next", `{"agent":"mo","project":"core","tags":["urgent"],"metadata_match":{"phase":1},"aspect":"work","ttl_minutes":10}`,
		"task", "next", "--agent", "mo", "--project", "core", "--tag", "urgent", "--match", "phase:=1", "--ttl", "10"),
	at("task_next", `{"agent":"mo","project":"none"}`, "task", "next", "--agent", "mo", "--project", "none"),

	at("finding_post", `{"task_id":"$a","agent":"mo","summary":"CSV needs a check","knowledge_id":"note"}`,
		"finding", "post", "$a", "CSV needs a check", "--agent", "mo", "--knowledge-id", "note"),
	at("finding_post", `{"task_id":"unknown-id","agent":"mo","summary":"x"}`, "finding", "post", "unknown-id", "x", "--agent", "mo").failing("task_not_found"),
	at("finding_list", `{"task_id":"$a","since":"2026-03-01"}`, "finding", "list", "$a", "--since", "2026-03-01"),
	at("finding_list", `{"task_id":"$a","since":"soon"}`, "finding", "list", "$a", "--since", "soon").failing("invalid_input"),

	at("task_complete", `{"task_id":"$a","agent":"mo","outcome":"","expected_version":2}`, "task", "complete", "$a", "--agent", "mo", "--outcome", "", "--expected-version", "2"),
	at("task_complete", `{"task_id":"$a","agent":"mo"}`, "task", "complete", "$a", "--agent", "mo").failing("task_not_found"),
	at("task_complete", `{"task_id":"$b","agent":"mo","cited_nodes":["n"],"receipt_id":"none"}`,
		"task", "complete", "$b", "--agent", "mo", "--cited", "n", "--receipt", "none").failing("receipt_not_found"),
	at("task_reopen", `{"task_id":"$a","agent":"mo"}`, "task", "reopen", "$a", "--agent", "mo"),
	at("task_reopen", `{"task_id":"$a","agent":"mo"}`, "task", "reopen", "$a", "--agent", "mo").failing("task_not_resolved"),
	at("task_cancel", `{"task_id":"$a","agent":"mo","reason":"retired"}`, "task", "cancel", "$a", "--agent", "mo", "--reason", "retired"),
	at("task_cancel", `{"task_id":"$a","agent":"mo"}`, "task", "cancel", "$a", "--agent", "mo").failing("task_not_found"),
	at("task_claim", `{"task_id":"$a","aspect":"work","agent":"mo"}`, "task", "claim", "$a", "--agent", "mo").failing("claim_failed"),

	at("task_apply", `{"agent":"mo","request_id":"r-2","operations":[{"op":"create","as":"x","title":"In one step"},{"op":"finding_post","task_id":"$x","summary":"s"}]}`,
		"task", "apply", "--agent", "mo", "--request-id", "r-2").
		with(`{"operations":[{"op":"create","as":"x","title":"In one step"},{"op":"finding_post","task_id":"$x","summary":"s"}]}`),
	at("task_apply", `{"agent":"mo","operations":[{"op":"create","title":"x"},{"op":"complete","task_id":"unknown-id"}]}`,
		"task", "apply", "--agent", "mo").
		with(`{"operations":[{"op":"create","title":"x"},{"op":"complete","task_id":"unknown-id"}]}`).failing("task_not_found"),
	at("task_apply", `{"agent":"mo","operations":[]}`, "task", "apply", "--agent", "mo").with(`{"operations":[]}`).failing("invalid_input"),

	at("agent_register", `{"id":"mo","name":"Mo","type":"coder","metadata":{"team":"a"}}`, "agent", "register", "mo", "--name", "Mo", "--type", "coder", "--meta", "team=a"),
	at("agent_register", `{"id":""}`, "agent", "register", "").failing("invalid_input"),
	at("agent_info", `{"id":"mo"}`, "agent", "info", "mo"),
	at("agent_info", `{"id":"nobody"}`, "agent", "info", "nobody"),
	at("agent_list", `{"type":"coder","active_since":"2026-03-01"}`, "agent", "list", "--type", "coder", "--active-since", "2026-03-01"),
	at("agent_list", `{"active_since":"ever"}`, "agent", "list", "--active-since", "ever").failing("invalid_input"),
	at("write", `{"title":"Busy handling","content":"Begin with *IMMEDIATE*, see [[storage notes]].","agent":"mo","tags":["db"],"confidence":0.5,"path":"storage","source_task":"$a","source_url":"HTTPS://Example.org/busy/?utm_source=x","ttl_hours":2,"namespace":"n","access_scope":"task","note_type":"concept","status":"active","summaries":{"short":"s","long":"l"},"metadata":{"n":1.0,"t":"x"}}`,
		"note", "write", "Busy handling", "--content", "Begin with *IMMEDIATE*, see [[storage notes]].", "--agent", "mo", "--tag", "db", "--confidence", "0.5", "--path", "storage",
		"--source-task", "$a", "--source-url", "HTTPS://Example.org/busy/?utm_source=x", "--ttl-hours", "2", "--namespace", "n", "--access-scope", "task",
		"--type", "concept", "--status", "active", "--short", "s", "--long", "l", "--meta", "n:=1.0", "--meta", "t=x").as("n"),
	at("write", `{"title":"Storage notes","content":"From a pipe.\n","agent":"ada","derived_from_ids":["$n","cccccccc-0000-4000-8000-000000000001"],"path":"storage notes.md","schema_version":2}`,
		"note", "write", "Storage notes", "--content", "-", "--agent", "ada", "--derived-from", "$n", "--derived-from", "cccccccc-0000-4000-8000-000000000001",
		"--path", "storage notes.md", "--schema-version", "2").with("From a pipe.\n").as("o"),
	at("write", `{"title":"Storage notes","content":"New.","agent":"ada","id":"$o","expected_version":1,"derived_from_ids":[],"expires_at":"2027-01-01","tags":[],"metadata":{}}`,
		"note", "write", "Storage notes", "--content", "New.", "--agent", "ada", "--id", "$o", "--expected-version", "1", "--clear-derived-from", "--expires-at", "2027-01-01", "--clear-tags", "--clear-meta"),
	at("write", `{"title":"x","content":"","agent":"ada","source_url":"https://example.org/busy"}`,
		"note", "write", "x", "--content", "", "--agent", "ada", "--source-url", "https://example.org/busy").failing("duplicate"),
	at("write", `{"title":"Busy handling","content":"","agent":"ada","path":"storage"}`, "note", "write", "Busy handling", "--content", "", "--agent", "ada", "--path", "storage").failing("slug_collision"),
	at("write", `{"title":"x","content":"","agent":"ada","path":"storage/busy-handling.md"}`,
		"note", "write", "x", "--content", "", "--agent", "ada", "--path", "storage/busy-handling.md").failing("path_collision"),
	at("write", `{"title":"x","content":"","agent":"ada","id":"$o","expected_version":1}`,
		"note", "write", "x", "--content", "", "--agent", "ada", "--id", "$o", "--expected-version", "1").failing("version_conflict"),
	at("write", `{"title":"x","content":"","agent":"ada","note_type":"poem"}`, "note", "write", "x", "--content", "", "--agent", "ada", "--type", "poem").failing("invalid_input"),
	at("write", `{"title":"x","content":"","agent":"ada","id":"unknown-id"}`, "note", "write", "x", "--content", "", "--agent", "ada", "--id", "unknown-id").failing("note_not_found"),
	at("note_update", `{"id":"$n","agent":"ada","title":"Busy","tags":["db","x"],"status":"archived","metadata":{"n":null,"m":true},"expected_version":1}`,
		"note", "update", "$n", "--agent", "ada", "--title", "Busy", "--tag", "db", "--tag", "x", "--status", "archived", "--meta", "m:=true", "--unset", "n", "--expected-version", "1"),
	at("note_update", `{"id":"$n","agent":"ada"}`, "note", "update", "$n", "--agent", "ada").failing("invalid_input"),
	at("read", `{"id":"$n","max_length":5,"agent_id":"mo"}`, "note", "read", "$n", "--max-length", "5", "--agent", "mo"),
	at("read", `{"path":"storage notes","agent_id":"mo"}`, "note", "read", "--path", "storage notes"),
	at("read", `{"id":"unknown-id","agent_id":"mo"}`, "note", "read", "unknown-id").failing("doc_not_found"),
	at("read", `{"agent_id":"mo"}`, "note", "read").failing("invalid_input"),
	at("list", `{}`, "note", "list"),
	at("list", `{"path_prefix":"sto","tags":["db"],"author":"mo","since":"2026-03-01","limit":1,"offset":0,"title_contains":"BUSY","content_query":"immediate","metadata_match":{"m":true}}`,
		"note", "list", "--path-prefix", "sto", "--tag", "db", "--author", "mo", "--since", "2026-03-01", "--limit", "1", "--offset", "0", "--title", "BUSY", "--text", "immediate", "--match", "m:=true"),
	at("list", `{"limit":-1}`, "note", "list", "--limit=-1").failing("invalid_input"),
	at("tags", `{"prefix":"D"}`, "note", "tags", "--prefix", "D"),
	at("search", `{"query":"busy immediate","limit":3,"mode":"hybrid","tags":["db"],"agent_id":"mo"}`, "note", "search", "busy", "immediate", "--limit", "3", "--mode", "hybrid", "--tag", "db"),
	at("search", `{"query":"x","mode":"semantic","agent_id":"mo"}`, "note", "search", "x", "--mode", "semantic").failing("invalid_mode"),
	at("cache_lookup", `{"query":"storage","max_age_hours":1,"min_confidence":0.25,"limit":2}`, "note", "cache-lookup", "storage", "--max-age-hours", "1", "--min-confidence", "0.25", "--limit", "2"),
	at("cache_lookup", `{"query":"x","limit":0}`, "note", "cache-lookup", "x", "--limit", "0").failing("invalid_input"),
	at("edge_upsert", `{"from_id":"$n","to_id":"$o","type":"contradicts","weight":0.7,"namespace":"n","provenance_actor":"mo","evidence":[1,{"a":2.0}]}`,
		"note", "edge", "upsert", "$n", "$o", "--type", "contradicts", "--weight", "0.7", "--namespace", "n", "--agent", "mo", "--evidence", `[1,{"a":2.0}]`).as("p"),
	at("edge_upsert", `{"from_id":"$n","to_id":"$o","type":" ","weight":1,"namespace":"n","provenance_actor":"mo"}`,
		"note", "edge", "upsert", "$n", "$o", "--type", " ", "--namespace", "n", "--agent", "mo").failing("invalid_input"),
	at("edge_list", `{"from_id":"$n","type":"contradicts"}`, "note", "edge", "list", "--from", "$n", "--type", "contradicts"),
	at("related", `{"id":"$n","include":["links","edges"],"depth":2}`, "note", "related", "$n", "--include", "links", "--include", "edges", "--depth", "2"),
	at("related", `{"id":"unknown-id"}`, "note", "related", "unknown-id").failing("doc_not_found"),
	at("retrieve", `{"query":"storage","limit":2,"agent_id":"mo","task_id":"$b","surface_conflicts":true}`, "note", "retrieve", "storage", "--limit", "2", "--task", "$b", "--conflicts", "--agent", "mo").as("r"),
	at("retrieve", `{"query":"x","limit":0,"agent_id":"mo"}`, "note", "retrieve", "x", "--limit", "0").failing("invalid_input"),
	at("task_complete", `{"task_id":"$b","agent":"mo","cited_nodes":["$o"],"receipt_id":"$r"}`, "task", "complete", "$b", "--agent", "mo", "--cited", "$o", "--receipt", "$r"),
	at("node_stats", `{"node_id":"$o"}`, "note", "node-stats", "$o"),
	at("node_stats", `{"node_id":"unknown-id"}`, "note", "node-stats", "unknown-id").failing("doc_not_found"),
	at("conflict_resolve", `{"edge_id":"$p","resolution":"superseded","resolver":"ada","winner_id":"$o"}`,
		"note", "conflict", "resolve", "$p", "--resolution", "superseded", "--agent", "ada", "--winner", "$o"),
	at("conflict_resolve", `{"edge_id":"none","resolution":"merged","resolver":"ada"}`, "note", "conflict", "resolve", "none", "--resolution", "merged", "--agent", "ada").failing("not_found"),
	at("delete", `{"id":"$n","agent":"mo"}`, "note", "delete", "$n", "--agent", "mo"),
	at("delete", `{"id":"$n","agent":"mo"}`, "note", "delete", "$n", "--agent", "mo").failing("doc_not_found"),
	at("stats", `{}`, "stats"),
	at("events", `{"since":3,"limit":4,"types":["task.created","task.edge_upserted"],"period_start":"2026-03-01","period_end":"2027-03-01"}`,
		"events", "--since", "3", "--limit", "4", "--type", "task.created", "--type", "task.edge_upserted", "--from", "2026-03-01", "--until", "2027-03-01"),
	at("events", `{"task_id":"$a","agent":"mo"}`, "events", "--task", "$a", "--by", "mo"),
	at("events", `{"types":["task.creatd"]}`, "events", "--type", "task.creatd").failing("invalid_input"),
	at("events", `{"since":-1}`, "events", "--since=-1").failing("invalid_input"),
	at("journal", `{"limit":3,"task_id":"$a"}`, "journal", "--limit", "3", "--task", "$a"),
	at("journal", `{"limit":3,"before":9,"agent":"ada","types":["task.created"]}`, "journal", "--limit", "3", "--before", "9", "--by", "ada", "--type", "task.created"),
	at("journal", `{"limit":0}`, "journal", "--limit", "0").failing("invalid_input"),
}

// noteRefusals are the statuses of note writes that say that nothing was
// written.
var noteRefusals = []string{"duplicate", "slug_collision", "path_collision", "version_conflict", "invalid_input", "content_too_large"}

// TestParity makes every call through the command line on one store and
// through MCP on another, with the same clock and the same ids, and compares
// the bytes.
func TestParity(t *testing.T) {
	surfaces := []surface{newCommandLine(t), newServer(t)}
	ids := map[string]string{}
	succeeded, failed := map[string]bool{}, map[string]bool{}
	for i, c := range parityCalls {
		for name, id := range ids {
			c.arguments = strings.ReplaceAll(c.arguments, "$"+name, id)
			for j := range c.command {
				c.command[j] = strings.ReplaceAll(c.command[j], "$"+name, id)
			}
		}
		var answers []string
		for _, s := range surfaces {
			parityMoment.Store(int64(i))
			// The same ids on both surfaces.
			uuid.SetRand(rand.NewChaCha8([32]byte{byte(i), byte(i >> 8)}))
			answers = append(answers, s.answer(c))
		}
		if answers[0] != answers[1] {
			t.Fatalf("%s %s\n%q\ncommand line %s\n         MCP %s", c.operation, c.arguments, c.command, answers[0], answers[1])
		}
		var got struct {
			TaskID    string `json:"task_id"`
			ID        string `json:"id"`
			EdgeID    string `json:"edge_id"`
			ReceiptID string `json:"receipt_id"`
			Status    string `json:"status"`
			Code      string `json:"code"`
		}
		if err := json.Unmarshal([]byte(answers[0]), &got); err != nil {
			t.Fatalf("%v in %s", err, answers[0])
		}
		if got.Code == "" && slices.Contains(noteRefusals, got.Status) {
			got.Code = got.Status
		}
		if got.Code != c.code {
			t.Fatalf("%s %s: code %q, want %q: %s", c.operation, c.arguments, got.Code, c.code, answers[0])
		}
		if c.makes != "" {
			ids[c.makes] = got.TaskID + got.ID + got.EdgeID + got.ReceiptID
		}
		if c.code == "" {
			succeeded[c.operation] = true
		} else {
			failed[c.operation] = true
		}
	}
	uuid.SetRand(nil)
	harmless := []string{"task_next", "agent_info", "stats", "task_children", "tags", "edge_list"} // hardly any failure of their own
	for _, op := range core.Operations {
		if op.CommandLineOnly() {
			continue
		}
		if !succeeded[op.Name()] {
			t.Errorf("no successful call of %s", op.Name())
		}
		if !failed[op.Name()] && !slices.Contains(harmless, op.Name()) {
			t.Errorf("no failing call of %s", op.Name())
		}
	}
}

type surface interface {
	// answer makes a call and returns its JSON document.
	answer(parityCall) string
}

// parityMoment counts the calls; the clock of both surfaces moves with it
// and stands still within a call.
var parityMoment atomic.Int64

func parityEnv(t *testing.T) cli.Env {
	t.Helper()
	dir, _ := project(t)
	if err := os.Mkdir(filepath.Join(dir, ".lithos"), 0o700); err != nil {
		t.Fatal(err)
	}
	env := cli.SystemEnv()
	env.Dir = dir
	env.ConfigHome, env.DataHome, env.StateHome = dir, dir, dir
	env.LookupEnv = func(name string) (string, bool) {
		if name == "LITHOS_DB" {
			return filepath.Join(dir, ".lithos", "lithos.db"), true
		}
		return "", false
	}
	env.StdinIsTerminal, env.StdoutIsTerminal, env.StderrIsTerminal = false, false, false
	env.Signals = nil
	env.Now = func() time.Time {
		return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(parityMoment.Load()) * 1_000_003 * time.Microsecond)
	}
	return env
}

type commandLine struct {
	t   *testing.T
	env cli.Env
}

func newCommandLine(t *testing.T) surface { return &commandLine{t, parityEnv(t)} }

func (c *commandLine) answer(p parityCall) string {
	var stdout, stderr bytes.Buffer
	c.env.Stdin, c.env.Stdout, c.env.Stderr = strings.NewReader(p.stdin), &stdout, &stderr
	status := cli.Main(context.Background(), append([]string{"lithos", "--json"}, p.command...), c.env)
	want := 0
	if p.code != "" {
		want = core.Describe(core.Code(p.code)).Exit()
	}
	if status != want {
		c.t.Fatalf("lithos %q: status %d, want %d\n%s%s", p.command, status, want, stdout.String(), stderr.String())
	}
	text := stdout.String()
	if !strings.HasSuffix(text, "\n") || strings.Count(text, "\n") != 1 {
		c.t.Fatalf("lithos %q prints no single line: %q", p.command, text)
	}
	return strings.TrimSuffix(text, "\n")
}

type mcpSession struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func newServer(t *testing.T) surface {
	env := parityEnv(t)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	env.Stdin, env.Stdout, env.Stderr = inR, outW, io.Discard
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Main(context.Background(), []string{"lithos", "mcp"}, env)
		outW.CloseWithError(nil)
	}()
	s := &mcpSession{t, inW, bufio.NewReader(outR)}
	t.Cleanup(func() {
		inW.CloseWithError(nil)
		select {
		case status := <-ended:
			if status != 0 {
				t.Errorf("the server ended with status %d", status)
			}
		case <-time.After(patience):
			t.Error("the server does not end")
		}
	})
	s.exchange(strings.Split(initialize, "\n")[0])
	s.send(strings.Split(initialize, "\n")[1])
	return s
}

func (s *mcpSession) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *mcpSession) exchange(line string) []byte {
	s.t.Helper()
	s.send(line)
	answer, err := s.out.ReadBytes('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	return answer
}

func (s *mcpSession) answer(p parityCall) string {
	line := s.exchange(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lithos_` + p.operation + `","arguments":` + p.arguments + `}}`)
	var answer struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
	}
	if err := json.Unmarshal(line, &answer); err != nil || len(answer.Result.Content) != 1 {
		s.t.Fatalf("%v in %s", err, line)
	}
	if answer.Result.IsError {
		s.t.Fatalf("%s %s: isError: %s", p.operation, p.arguments, line)
	}
	text := answer.Result.Content[0].Text
	if got := string(answer.Result.StructuredContent); got != text {
		s.t.Fatalf("the text is %s\nstructuredContent %s", text, got)
	}
	return text
}
