package coretest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dev.lithos/core"
)

// note writes a note with the id given, and more arguments if any.
func (s *session) note(id, title, content, more string) {
	s.Helper()
	s.nextID = id
	if more != "" {
		more = "," + more
	}
	answer := s.do("write", fmt.Sprintf(`{"title":%s,"content":%s,"agent":"ada"%s}`,
		core.AppendJSONString(nil, title), core.AppendJSONString(nil, content), more))
	if !strings.HasPrefix(answer, `{"status":"created","id":"`+id+`"`) {
		s.Fatalf("write of %s answers %s", title, answer)
	}
}

// found is what the tests look at of an item of search or retrieve.
type found struct {
	ID       string
	Title    string
	Snippet  string
	Score    float64
	Reasons  []string
	Scouts   []string
	Salience float64
	Usage    float64 `json:"usage_score"`
}

// search runs search or retrieve and returns the items.
func (s *session) search(operation, arguments string) []found {
	s.Helper()
	var answer struct{ Results []found }
	if err := json.Unmarshal([]byte(s.do(operation, arguments)), &answer); err != nil {
		s.Fatal(err)
	}
	for i, item := range answer.Results[:max(len(answer.Results)-1, 0)] {
		next := answer.Results[i+1]
		if next.Score > item.Score || next.Score == item.Score && next.ID <= item.ID {
			s.Errorf("%s %s: %+v stands before %+v", operation, arguments, item, next)
		}
	}
	return answer.Results
}

// finds runs search or retrieve and compares the ids of what it finds, each
// up to its first dash.
func (s *session) finds(operation, arguments string, want ...string) {
	s.Helper()
	var got []string
	for _, item := range s.search(operation, arguments) {
		id, _, _ := strings.Cut(item.ID, "-")
		got = append(got, id)
	}
	if !slices.Equal(got, want) {
		s.Errorf("%s %s finds %q, want %q", operation, arguments, got, want)
	}
}

// testNoteSearchExamples holds the answers to the examples of search, edges
// and retrieval.
func testNoteSearchExamples(t *testing.T, open Open) {
	s := newSession(t, open)
	s.at("2026-03-01T09:00:00Z")
	s.nextID = storageNote
	s.do("write", `{"title": "Storage notes", "content": "...see [[sqlite-busy-handling]]", "agent": "mo"}`)
	s.addBusy()
	s.archiveBusy()
	s.at("2026-03-02T10:00:00Z")
	s.nextID = "0a1b2c3d-4e5f-4000-8000-000000000000"
	s.want("search", `{"query": "busy immediate", "limit": 1}`,
		`{"results": [{"id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "title": "SQLite busy handling", "snippet": "Begin writes with IMMEDIATE.", "score": 0.0164, "path": "storage/sqlite-busy-handling.md", "source_url": "https://example.org/busy", "updated_at": "2026-03-02T09:30:00+00:00", "is_stale": false, "derived_from_ids": []}]}`)
	s.want("related", `{"id": "5f0d3c2a", "include": ["links", "provenance"]}`,
		`{"id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "included": ["links", "provenance"], "links": {"outgoing": [], "incoming": [{"id": "6a1e4d3b-0c2f-4b7e-9d80-2f3e4d5c6b7a", "title": "Storage notes"}]}, "provenance": {"sources": [], "derived": [], "unresolved_sources": []}, "related_ids": ["6a1e4d3b-0c2f-4b7e-9d80-2f3e4d5c6b7a"]}`)
	s.want("edge_upsert", `{"from_id": "5f0d3c2a", "to_id": "6a1e4d3b", "type": "contradicts", "weight": 0.7, "namespace": "storage", "provenance_actor": "mo"}`,
		`{"status": "ok", "edge_id": "edge_0a1b2c3d4e5f"}`)
	s.want("edge_list", `{"type": "contradicts"}`,
		`{"results": [{"edge_id": "edge_0a1b2c3d4e5f", "from_id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "to_id": "6a1e4d3b-0c2f-4b7e-9d80-2f3e4d5c6b7a", "type": "contradicts", "weight": 0.7, "namespace": "storage", "created_at": "2026-03-02T10:00:00+00:00", "updated_at": "2026-03-02T10:00:00+00:00", "provenance_actor": "mo", "provenance_type": null, "evidence": null, "conflict_state": null}]}`)
	s.want("conflict_resolve", `{"edge_id": "edge_0a1b2c3d4e5f", "resolution": "accepted_dual", "resolver": "ada"}`,
		`{"status": "ok", "edge_id": "edge_0a1b2c3d4e5f", "conflict_state": "accepted_dual"}`)
	s.at("2026-03-02T11:00:00Z")
	s.want("cache_lookup", `{"query": "sqlite busy", "max_age_hours": 1, "tags": ["db"]}`,
		`{"hit": false, "document": null, "stale_exists": true, "stale_id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69"}`)
	s.want("cache_lookup", `{"query": "", "source_url": "http://EXAMPLE.org/other"}`,
		`{"hit": false, "document": null, "stale_exists": false, "stale_id": null}`)
	s.want("cache_lookup", `{"query": "", "source_url": "HTTPS://example.org:443/busy#x"}`,
		`{"hit": true, "document": {"id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "title": "SQLite busy handling", "content": "Begin writes with IMMEDIATE.", "confidence": 1.0, "updated_at": "2026-03-02T09:30:00+00:00", "expires_at": null, "tags": ["db"], "source_url": "https://example.org/busy"}, "stale_exists": false, "stale_id": null}`)
	s.want("node_stats", `{"node_id": "5f0d3c2a"}`,
		`{"node_id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "salience": 0.5, "retrieval_count": 0, "cited_count": 0, "last_retrieved_at": null, "last_used_at": null, "ignored_count": 0, "misleading_count": 0}`)
	s.do("delete", `{"id": "5f0d3c2a", "agent": "ada"}`)
	s.nextID = "9f8e7d6c-5b4a-4000-8000-000000000000"
	s.want("retrieve", `{"query": "busy", "agent_id": "mo", "task_id": "9c1f02ab"}`,
		`{"results": [{"id": "6a1e4d3b-0c2f-4b7e-9d80-2f3e4d5c6b7a", "title": "Storage notes", "snippet": "...see [[sqlite-busy-handling]]", "score": 0.0164, "path": "storage-notes.md", "source_url": "", "updated_at": "2026-03-01T09:00:00+00:00", "is_stale": false, "derived_from_ids": [], "reasons": ["text match: busy"], "scouts": ["scout_lexical"], "salience": 0.5, "usage_score": 0.0}], "temperature": 0.5, "terrace_reached": 1, "receipt_id": "rcpt_9f8e7d6c5b4a", "degraded": false, "failed_scouts": []}`)
	s.want("node_stats", `{"node_id": "6a1e4d3b"}`,
		`{"node_id": "6a1e4d3b-0c2f-4b7e-9d80-2f3e4d5c6b7a", "salience": 0.5, "retrieval_count": 1, "cited_count": 0, "last_retrieved_at": "2026-03-02T11:00:00+00:00", "last_used_at": null, "ignored_count": 0, "misleading_count": 0}`)
}

// testNoteSearch holds what search finds, in which order.
func testNoteSearch(t *testing.T, open Open) {
	s := newSession(t, open)
	s.note("aaaaaa-1", "Write lock", "A busy store waits. See [[timeouts]].", `"tags":["db","lock"],"path":"store"`)
	s.note("bbbbbb-1", "Timeouts", "How long a busy waiter waits for the lock. See [[queue]].", `"tags":["db"]`)
	s.note("cccccc-1", "Queue", "Fairness among many. "+strings.Repeat("Nothing to see here. ", 60), "")
	s.note("dddddd-1", "Crème brûlée", "Sugar, Straße, don't a-b 2026-12-15 ½.", `"agent":"mo","path":"food"`)
	s.note("eeeeee-1", "東京", "東京都庁は新宿にある。ภาษาไทยง่าย ພາສາລາວ ភាសាខ្មែរ 서울에서 iPhone用ケース", "")

	// Words, phrases, ranking.
	s.finds("search", `{"query":"busy","mode":"fulltext"}`, "aaaaaa", "bbbbbb")
	s.finds("search", `{"query":"BUSY lock","mode":"fulltext"}`, "aaaaaa", "bbbbbb")
	s.finds("search", `{"query":"lock timeouts waiter","mode":"fulltext"}`, "bbbbbb", "aaaaaa")
	s.finds("search", `{"query":"\"busy store\"","mode":"fulltext"}`, "aaaaaa")
	s.finds("search", `{"query":"\"store busy\"","mode":"fulltext"}`)
	s.finds("search", `{"query":"busy\"","mode":"fulltext","limit":1}`, "aaaaaa")
	for _, query := range []string{"CREME", "brulee", "STRASSE", "don't", "a-b", "a/b", "2026-12-15", "sugar*", "(sugar", "title:sugar", "NOT sugar", "sugar NEAR/2 x", "12"} {
		s.finds("search", fmt.Sprintf(`{"query":%q,"mode":"fulltext","author":"mo"}`, query), "dddddd")
	}
	for _, query := range []string{"京都", "都", "庁", "新宿", "ไทย", "ภาษาไทยง่าย", "ລາວ", "ខ្មែរ", "서울", "ケース", "用", "iphone", `\"iphone 用ケ\"`} {
		s.finds("search", `{"query":"`+query+`","mode":"fulltext"}`, "eeeeee")
	}
	for _, query := range []string{"", " ", `\"`, `\"\"`, "* ( ) -", "🙂", "東庁", "ทไย", "京東", "OR"} {
		for _, mode := range []string{"fulltext", "hybrid", "graph"} {
			s.finds("search", `{"query":"`+query+`","mode":"`+mode+`"}`)
		}
	}
	s.finds("search", `{"query":"`+strings.Repeat("word busy other'\\\" ", 600)+`","mode":"fulltext","limit":1}`, "aaaaaa")

	// Along links, whose ends are named in any direction.
	s.finds("search", `{"query":"waiter","mode":"graph"}`, "aaaaaa", "cccccc")
	s.finds("search", `{"query":"","mode":"graph","seed_ids":["cccccc-1"],"graph_depth":1}`, "bbbbbb")
	s.finds("search", `{"query":"","mode":"graph","seed_ids":["cccccc-1","unknown"],"graph_depth":9}`, "bbbbbb", "aaaaaa")
	s.finds("search", `{"query":"busy","mode":"graph","seed_ids":["unknown"]}`)
	s.finds("search", `{"query":"waiter","graph_depth":1}`, "aaaaaa", "bbbbbb", "cccccc")
	s.finds("search", `{"query":"sugar","seed_ids":["cccccc-1"],"graph_depth":1}`, "bbbbbb", "dddddd")

	// Filters come before the limit, in every mode.
	s.finds("search", `{"query":"busy","tags":["db"],"limit":1}`, "aaaaaa")
	s.finds("search", `{"query":"busy","tags":["db","lock"]}`, "aaaaaa")
	s.finds("search", `{"query":"busy","tags":["lo"]}`)
	s.finds("search", `{"query":"waiter","mode":"graph","tags":["lock"],"limit":1}`, "aaaaaa")
	s.finds("search", `{"query":"busy sugar","path_prefix":"fo"}`, "dddddd")
	s.finds("search", `{"query":"busy","entities":["x"]}`)

	// The excerpt is cut around the earliest term.
	if items := s.search("search", `{"query":"fairness","mode":"fulltext"}`); len(items) != 1 ||
		!strings.HasPrefix(items[0].Snippet, "Fairness among many.") || !strings.HasSuffix(items[0].Snippet, "...") || len(items[0].Snippet) > 170 {
		t.Errorf("the excerpt is %+v", items)
	}

	// What changes is found as it is now.
	s.do("write", `{"id":"aaaaaa-1","title":"Write lock","content":"Nothing of that.","agent":"mo"}`)
	s.finds("search", `{"query":"busy","mode":"fulltext"}`, "bbbbbb")
	s.do("delete", `{"id":"bbbbbb-1","agent":"mo"}`)
	s.finds("search", `{"query":"busy","mode":"fulltext"}`)
	s.want("list", `{"content_query":"nothing","limit":0}`, `{"items":[],"total":2}`)

	refusals := []struct{ operation, arguments, code, extras string }{
		{"search", `{"query":"x","limit":0,"mode":"semantic"}`, "invalid_input", `{"reason":"invalid_field_value","field":"limit","value":0}`},
		{"search", `{"query":"x","mode":"semantic"}`, "invalid_mode", `{"field":"mode","value":"semantic","allowed":["fulltext","graph","hybrid"]}`},
		{"search", `{"query":"x","mode":"grpah"}`, "invalid_mode", `{"field":"mode","value":"grpah","allowed":["fulltext","graph","hybrid"],"nearest":"graph"}`},
		{"search", `{"query":"x","mode":"fulltext","seed_ids":["a"]}`, "invalid_input", `{"reason":"invalid_field_value","field":"seed_ids"}`},
		{"cache_lookup", `{"query":"x","limit":0}`, "invalid_input", `{"reason":"invalid_field_value","field":"limit","value":0}`},
		{"cache_lookup", `{"query":"x","max_age_hours":0}`, "invalid_input", `{"reason":"invalid_field_value","field":"max_age_hours","value":0}`},
		{"cache_lookup", `{"query":"x","min_confidence":1.5}`, "invalid_input", `{"reason":"invalid_field_value","field":"min_confidence","value":1.5}`},
		{"related", `{"id":"abc"}`, "invalid_input", `{"reason":"invalid_field_value","field":"id","value":"abc"}`},
		{"related", `{"id":"unknown"}`, "doc_not_found", `{"field":"id","value":"unknown"}`},
		{"node_stats", `{"node_id":"unknown"}`, "doc_not_found", `{"field":"node_id","value":"unknown"}`},
	}
	for _, r := range refusals {
		s.fail(r.operation, r.arguments, r.code, r.extras)
	}
}

// testNoteEdges holds typed edges, what they are found by, and how conflicts
// are settled.
func testNoteEdges(t *testing.T, open Open) {
	s := newSession(t, open)
	s.note("aaaaaa-1", "A", "a", `"path":"x"`)
	s.note("aaaaaa-2", "B", "b", `"derived_from_ids":["aaaaaa-1","00000000-0000-4000-8000-000000000000"]`)
	s.note("bbbbbb-1", "C", "c", "")
	upsert := func(id, from, to, kind, more string) {
		s.Helper()
		s.nextID = id
		s.do("edge_upsert", fmt.Sprintf(`{"from_id":%q,"to_id":%q,"type":%q,"weight":1,"namespace":"n"%s}`, from, to, kind, more))
	}
	s.at("2026-03-02T13:00:00Z")
	upsert("111111111111", "bbbbbb", "aaaaaa-1", "contradicts", `,"evidence":{"b":[1.0,2],"a":"é"},"conflict_state":"open"`)
	s.at("2026-03-02T14:00:00Z")
	upsert("222222222222", "bbbbbb-1", "nowhere", "supports", `,"evidence":[ ]`)
	s.at("2026-03-02T15:00:00Z")
	// A repeat keeps id and created_at and replaces the rest.
	upsert("333333333333", "bbbbbb", "aaaaaa-1", "contradicts", `,"provenance_actor":"mo","provenance_type":"reading"`)
	s.want("edge_list", `{"from_id":"bbbbbb"}`, `{"results":[
		{"edge_id":"edge_111111111111","from_id":"bbbbbb-1","to_id":"aaaaaa-1","type":"contradicts","weight":1.0,"namespace":"n","created_at":"2026-03-02T13:00:00+00:00","updated_at":"2026-03-02T15:00:00+00:00","provenance_actor":"mo","provenance_type":"reading","evidence":null,"conflict_state":null},
		{"edge_id":"edge_222222222222","from_id":"bbbbbb-1","to_id":"nowhere","type":"supports","weight":1.0,"namespace":"n","created_at":"2026-03-02T14:00:00+00:00","updated_at":"2026-03-02T14:00:00+00:00","provenance_actor":null,"provenance_type":null,"evidence":"[]","conflict_state":null}]}`)
	s.want("edge_list", `{"from_id":"bbbbbb","to_id":"aaaaaa-1","type":"supports"}`, `{"results":[]}`)
	s.fail("edge_list", `{"from_id":"aaaaaa"}`, "ambiguous_id_prefix", `{"field":"from_id","value":"aaaaaa","candidates":[{"id":"aaaaaa-1","title":"A"},{"id":"aaaaaa-2","title":"B"}]}`)
	for _, r := range []struct{ change, code, extras string }{
		{`"type":" "`, "invalid_input", `{"reason":"invalid_field_value","field":"type","value":" "}`},
		{`"namespace":""`, "invalid_input", `{"reason":"invalid_field_value","field":"namespace","value":""}`},
		{`"evidence":3`, "invalid_input", `{"reason":"invalid_field_value","field":"evidence","value":3}`},
		{`"evidence":"x"`, "invalid_input", `{"reason":"invalid_field_value","field":"evidence","value":"x"}`},
		{`"to_id":"aaaaaa"`, "ambiguous_id_prefix", `{"field":"to_id","value":"aaaaaa","candidates":[{"id":"aaaaaa-1","title":"A"},{"id":"aaaaaa-2","title":"B"}]}`},
	} {
		s.fail("edge_upsert", `{"from_id":"aaaaaa-1","to_id":"aaaaaa-1","type":"t","weight":1,"namespace":"n",`+r.change+`}`, r.code, r.extras)
	}
	// Entries of derived_from_ids are mirrored; no tool touches the mirror.
	mirrored := s.do("edge_list", `{"type":"derived_from"}`)
	if strings.Count(mirrored, `"provenance_type":"frontmatter"`) != 2 || strings.Count(mirrored, `"namespace":"default"`) != 2 ||
		strings.Count(mirrored, `"weight":1.0`) != 2 || !strings.Contains(mirrored, `"from_id":"aaaaaa-2","to_id":"aaaaaa-1"`) {
		t.Errorf("mirrored edges: %s", mirrored)
	}
	s.nextID = "444444444444"
	s.do("edge_upsert", `{"from_id":"aaaaaa-2","to_id":"aaaaaa-1","type":"derived_from","weight":0.1,"namespace":"default"}`)
	if both := s.do("edge_list", `{"from_id":"aaaaaa-2","to_id":"aaaaaa-1"}`); !strings.Contains(both, `"weight":1.0`) || !strings.Contains(both, `"weight":0.1`) {
		t.Errorf("the mirrored edge was touched: %s", both)
	}
	s.want("related", `{"id":"aaaaaa-1","include":["edges","x"],"namespace":"n"}`, `{"id":"aaaaaa-1","included":["edges"],"edges":{"outgoing":[],"incoming":[
		{"edge_id":"edge_111111111111","from_id":"bbbbbb-1","to_id":"aaaaaa-1","type":"contradicts","weight":1.0,"namespace":"n","created_at":"2026-03-02T13:00:00+00:00","updated_at":"2026-03-02T15:00:00+00:00","provenance_actor":"mo","provenance_type":"reading","evidence":null,"conflict_state":null}]},"related_ids":["bbbbbb-1"]}`)
	s.want("related", `{"id":"aaaaaa-2","include":["provenance","links"],"depth":7}`, `{"id":"aaaaaa-2","included":["links","provenance"],"links":{"outgoing":[],"incoming":[]},"provenance":{"sources":[{"id":"aaaaaa-1","title":"A"}],"derived":[],"unresolved_sources":["00000000-0000-4000-8000-000000000000"]},"related_ids":["aaaaaa-1"]}`)

	conflict := func(more string) string { return `{"edge_id":"edge_111111111111","resolver":"eve",` + more + `}` }
	s.fail("conflict_resolve", conflict(`"resolution":"won"`), "invalid_input",
		`{"reason":"invalid_field_value","field":"resolution","value":"won","allowed":["accepted_dual","superseded","refuted","merged"]}`)
	s.fail("conflict_resolve", `{"edge_id":"edge_0","resolution":"superseded","resolver":"eve"}`, "not_found", `{"field":"edge_id","value":"edge_0"}`)
	s.fail("conflict_resolve", `{"edge_id":"edge_222222222222","resolution":"superseded","resolver":"eve"}`, "invalid_input",
		`{"reason":"invalid_field_value","field":"edge_id","value":"edge_222222222222"}`)
	s.fail("conflict_resolve", conflict(`"resolution":"superseded"`), "invalid_input", `{"reason":"missing_field","field":"winner_id"}`)
	s.fail("conflict_resolve", conflict(`"resolution":"superseded","winner_id":"aaaaaa-2"`), "invalid_input",
		`{"reason":"invalid_field_value","field":"winner_id","value":"aaaaaa-2"}`)
	s.want("conflict_resolve", conflict(`"resolution":"superseded","winner_id":"bbbbbb"`), `{"status":"ok","edge_id":"edge_111111111111","conflict_state":"superseded"}`)
	if note := s.do("read", `{"id":"bbbbbb"}`); !strings.Contains(note, `"supersedes":"aaaaaa-1"`) || !strings.Contains(note, `"contributors":["eve"]`) ||
		!strings.Contains(note, `"version":2`) {
		t.Errorf("the winner is %s", note)
	}
	if edge := s.do("edge_list", `{"type":"contradicts"}`); !strings.Contains(edge, `"provenance_actor":"eve"`) || !strings.Contains(edge, `"conflict_state":"superseded"`) {
		t.Errorf("the edge is %s", edge)
	}
	// A winner without a note.
	upsert("555555555555", "gone", "aaaaaa-1", "contradicts", "")
	s.fail("conflict_resolve", `{"edge_id":"edge_555555555555","resolution":"superseded","resolver":"eve","winner_id":"gone"}`, "update_failed", `{"edge_id":"edge_555555555555"}`)

	events := s.do("events", `{"types":["edge.upserted"]}`)
	for _, payload := range []string{
		`{"edge_id":"edge_111111111111","from_id":"bbbbbb-1","to_id":"aaaaaa-1","type":"contradicts","namespace":"n","conflict_state":"open"}`,
		`{"edge_id":"edge_222222222222","from_id":"bbbbbb-1","to_id":"nowhere","type":"supports","namespace":"n"}`,
		`{"edge_id":"edge_111111111111","from_id":"bbbbbb-1","to_id":"aaaaaa-1","type":"contradicts","namespace":"n","conflict_state":"superseded"}`,
	} {
		if !strings.Contains(events, `"payload":`+payload+`,"tags":[]`) {
			t.Errorf("no event has the payload %s:\n%s", payload, events)
		}
	}
	if n := strings.Count(events, `"type":"edge.upserted"`); n != 6 {
		t.Errorf("%d events edge.upserted, want 6:\n%s", n, events)
	}
	if agent := s.do("agent_info", `{"id":"lithos_edge_upsert"}`); strings.Contains(agent, "null}") && strings.Contains(agent, `"result":null`) {
		t.Errorf("who asserted an edge without a name is not registered: %s", agent)
	}
}

// testRetrieve holds who sees what in a retrieval, in which order, and what
// comes along.
func testRetrieve(t *testing.T, open Open) {
	s := newSession(t, open)
	s.task("task-of-notes", "")
	s.note("aaaaaa-1", "Seed", "needle, and [[Linked]]", `"path":"n"`)
	s.note("bbbbbb-1", "Linked", "elsewhere", "")
	s.note("cccccc-1", "Derived", "elsewhere", `"derived_from_ids":["aaaaaa-1"]`)
	s.note("dddddd-1", "Edged", "elsewhere", "")
	s.note("eeeeee-1", "Task's", "needle", `"access_scope":"task","source_task":"task-of-notes"`)
	s.note("ffffff-1", "Private", "needle", `"access_scope":"agent_private"`)
	s.note("abcdef-1", "Bad", "needle [[Far]]", `"status":"quarantined"`)
	s.note("fedcba-1", "Far", "elsewhere", "")
	s.do("edge_upsert", `{"from_id":"dddddd-1","to_id":"aaaaaa-1","type":"contradicts","weight":0.1,"namespace":"n"}`)
	s.do("edge_upsert", `{"from_id":"fedcba-1","to_id":"aaaaaa-1","type":"t","weight":0,"namespace":"n"}`)

	// The seed, then its neighbours with half of its base; what is invisible
	// neither appears nor leads on.
	items := s.search("retrieve", `{"query":"needle","surface_conflicts":true}`)
	want := []found{
		{ID: "aaaaaa-1", Score: 0.0164, Scouts: []string{"scout_lexical"}, Reasons: []string{"text match: needle"}},
		{ID: "bbbbbb-1", Score: 0.0082, Scouts: []string{"scout_graph"}, Reasons: []string{"Seed links to it"}},
		{ID: "cccccc-1", Score: 0.0082, Scouts: []string{"scout_provenance", "scout_edges"}, Reasons: []string{"derived from Seed"}},
		{ID: "dddddd-1", Score: 0.0082, Scouts: []string{"scout_edges"}, Reasons: []string{"contradicts Seed"}},
	}
	if len(items) != len(want) {
		t.Fatalf("retrieved %+v", items)
	}
	for i, w := range want {
		if got := items[i]; got.ID != w.ID || got.Score != w.Score || !slices.Equal(got.Scouts, w.Scouts) || !slices.Equal(got.Reasons, w.Reasons) || got.Salience != 0.5 {
			t.Errorf("item %d is %+v, want %+v", i, got, w)
		}
	}
	answer := s.do("retrieve", `{"query":"needle","surface_conflicts":true,"limit":1,"max_context_nodes":5}`)
	if !strings.Contains(answer, `"from_id":"dddddd-1","to_id":"aaaaaa-1","conflict_state":null}]`) {
		t.Errorf("no conflict in %s", answer)
	}
	if answer := s.do("retrieve", `{"query":"needle"}`); strings.Contains(answer, `"conflicts"`) {
		t.Errorf("conflicts that nobody asked for: %s", answer)
	}
	sees := func(arguments string, want ...string) {
		s.Helper()
		s.finds("retrieve", `{"query":"needle"`+arguments+`}`, want...)
	}
	sees(`,"task_id":"task-of-notes","limit":2,"tags":[]`, "eeeeee", "aaaaaa")
	sees(`,"task_id":"task-o","agent_id":"mo","limit":1`, "eeeeee")
	sees(`,"agent_id":"ada","limit":1`, "ffffff")
	sees(`,"namespace_filter":["n"]`, "aaaaaa")
	sees(`,"namespace_filter":["other"]`)
	sees(`,"path_prefix":"n/"`, "aaaaaa")
	sees(`,"tags":["x"]`)
	s.fail("retrieve", `{"query":"needle","max_context_nodes":0}`, "invalid_input", `{"reason":"invalid_field_value","field":"max_context_nodes","value":0}`)
	s.fail("retrieve", `{"query":"needle","limit":0,"max_context_nodes":0}`, "invalid_input", `{"reason":"invalid_field_value","field":"limit","value":0}`)

	// Retrieval counts as a read: no agent, no event.
	before := s.do("events", `{}`)
	s.do("retrieve", `{"query":"needle","agent_id":"stranger"}`)
	if after := s.do("events", `{}`); after != before {
		t.Errorf("retrieve wrote an event: %s", after)
	}
	s.want("agent_info", `{"id":"stranger"}`, `{"result":null}`)

	// Without links the rest is still found.
	s.service = core.New(core.Config{Store: lameStore{s.store.Store}, Folder: s.store.Folder, NewID: s.newID})
	answer = s.do("retrieve", `{"query":"needle"}`)
	if !strings.Contains(answer, `"degraded":true,"failed_scouts":["scout_graph"]`) || strings.Contains(answer, `"bbbbbb-1"`) || !strings.Contains(answer, `"cccccc-1"`) {
		t.Errorf("with a failing source: %s", answer)
	}
}

// lameStore is a store whose links cannot be read.
type lameStore struct{ core.Store }

func (l lameStore) Read(ctx context.Context, fn func(core.ReadTx) error) error {
	return l.Store.Read(ctx, func(tx core.ReadTx) error { return fn(lameTx{tx}) })
}

type lameTx struct{ core.ReadTx }

func (lameTx) NoteLinks([]core.NoteKey, core.Direction) ([][2]core.NoteKey, error) {
	return nil, errors.New("the links cannot be read")
}

// testFeedback holds what the completion of a task does to the notes that
// were retrieved for it.
func testFeedback(t *testing.T, open Open) {
	s := newSession(t, open)
	for i, id := range []string{"aaaaaa-1", "bbbbbb-1", "cccccc-1", "dddddd-1"} {
		s.note(id, fmt.Sprintf("Note %d", i), "needle", "")
	}
	s.do("edge_upsert", `{"from_id":"cccccc-1","to_id":"aaaaaa-1","type":"t","weight":0.03,"namespace":"n"}`)
	stats := func(id, want string) {
		s.Helper()
		answer := s.do("node_stats", `{"node_id":"`+id+`"}`)
		if !strings.Contains(answer, want) {
			s.Errorf("%s has %s, want %s", id, answer, want)
		}
	}
	receipt := func(task, agent, id string) {
		s.Helper()
		s.nextID = id
		s.do("retrieve", `{"query":"needle","task_id":"`+task+`","agent_id":"`+agent+`","limit":3}`)
	}
	s.task("task-one", "")
	s.task("task-two", "")
	receipt("task-one", "ada", "111111111111")
	receipt("task-two", "ada", "222222222222")

	// A receipt has to exist and to be this task's; that comes before the
	// state of the task.
	for _, id := range []string{"rcpt_222222222222", "rcpt_0", ""} {
		s.fail("task_complete", `{"task_id":"task-one","agent":"ada","cited_nodes":[],"receipt_id":"`+id+`"}`, "receipt_not_found", `{"receipt_id":"`+id+`"}`)
	}
	s.at("2026-03-02T13:00:00Z")
	s.do("task_complete", `{"task_id":"task-one","agent":"ada","cited_nodes":["bbbbbb-1","aaaaaa-1","dddddd-1","nobody","cccccc-1"],"misleading_nodes":["cccccc-1"],"receipt_id":"rcpt_111111111111"}`)
	stats("aaaaaa-1", `"salience":0.52,"retrieval_count":2,"cited_count":1,"last_retrieved_at":"2026-03-02T12:00:00+00:00","last_used_at":"2026-03-02T13:00:00+00:00","ignored_count":0,"misleading_count":0`)
	stats("bbbbbb-1", `"salience":0.52,`)
	stats("cccccc-1", `"salience":0.45,"retrieval_count":2,"cited_count":0,"last_retrieved_at":"2026-03-02T12:00:00+00:00","last_used_at":null,"ignored_count":0,"misleading_count":1`)
	stats("dddddd-1", `"salience":0.5,"retrieval_count":0,"cited_count":0,"last_retrieved_at":null,"last_used_at":null,"ignored_count":0`) // not in the receipt
	if edges := s.do("edge_list", `{"type":"related_to"}`); strings.Count(edges, "edge_id") != 1 ||
		!strings.Contains(edges, `"from_id":"aaaaaa-1","to_id":"bbbbbb-1","type":"related_to","weight":0.5,"namespace":"default"`) ||
		!strings.Contains(edges, `"provenance_type":"reinforcement"`) {
		t.Errorf("related: %s", edges)
	}
	if edges := s.do("edge_list", `{"type":"t"}`); !strings.Contains(edges, `"weight":0.0,`) {
		t.Errorf("the edge at a misleading note: %s", edges)
	}
	events := s.do("events", `{"types":["task.completed","edge.upserted"]}`)
	if strings.Count(events, "edge.upserted") != 1 || !strings.Contains(events, `"misleading_nodes":["cccccc-1"],"receipt_id":"rcpt_111111111111"`) {
		t.Errorf("events: %s", events)
	}
	if items := s.search("retrieve", `{"query":"needle","limit":4}`); items[0].ID != "aaaaaa-1" || items[0].Usage != 1 || items[len(items)-1].ID != "cccccc-1" {
		t.Errorf("feedback does not rank: %+v", items)
	}

	// Without a receipt the latest of task and agent counts; of nobody, none.
	s.do("task_complete", `{"task_id":"task-two","agent":"ada","cited_nodes":["aaaaaa-1","bbbbbb-1"]}`)
	stats("aaaaaa-1", `"salience":0.54,`)
	if edges := s.do("edge_list", `{"type":"related_to"}`); !strings.Contains(edges, `"weight":0.53,`) {
		t.Errorf("reinforced: %s", edges)
	}
	stats("cccccc-1", `"ignored_count":1,`)
	s.task("task-three", "")
	receipt("task-three", "ada", "333333333333")
	s.do("task_complete", `{"task_id":"task-three","agent":"mo","cited_nodes":["aaaaaa-1"]}`)
	stats("aaaaaa-1", `"salience":0.54,`)
	s.do("task_reopen", `{"task_id":"task-three","agent":"mo"}`)
	// A lone receipt id is only recorded.
	s.do("task_complete", `{"task_id":"task-three","agent":"ada","receipt_id":"rcpt_of_nobody"}`)
	stats("aaaaaa-1", `"salience":0.54,`)

	// Ignored too often counts against a note, misleading thrice ends it.
	s.task("task-four", "")
	for i := range 6 {
		s.nextID = fmt.Sprintf("44444444444%d", i)
		s.do("retrieve", `{"query":"needle","task_id":"task-four","agent_id":"ada","limit":4}`)
		more := `"cited_nodes":[]`
		if i < 2 {
			more = `"misleading_nodes":["cccccc-1"]`
		}
		s.do("task_complete", `{"task_id":"task-four","agent":"ada",`+more+`}`)
		s.do("task_reopen", `{"task_id":"task-four","agent":"ada"}`)
	}
	stats("dddddd-1", `"ignored_count":6,`)
	stats("dddddd-1", `"salience":0.48,`)
	stats("aaaaaa-1", `"salience":0.52,`) // ignored six times, cited twice
	stats("cccccc-1", `"misleading_count":3`)
	if note := s.do("read", `{"id":"cccccc-1"}`); !strings.Contains(note, `"status":"quarantined"`) || !strings.Contains(note, `"version":2`) {
		t.Errorf("misleading thrice: %s", note)
	}
	s.finds("retrieve", `{"query":"needle","limit":9}`, "aaaaaa", "bbbbbb", "dddddd")
	s.finds("search", `{"query":"needle","limit":9,"mode":"fulltext"}`, "aaaaaa", "bbbbbb", "cccccc", "dddddd")

	// What a finding is about is named in full where that is known.
	s.do("finding_post", `{"task_id":"task-four","agent":"ada","summary":"x","knowledge_id":"bbbbbb"}`)
	s.do("finding_post", `{"task_id":"task-four","agent":"ada","summary":"x","knowledge_id":"unheard of"}`)
	if findings := s.do("finding_list", `{"task_id":"task-four"}`); !strings.Contains(findings, `"knowledge_id":"bbbbbb-1"`) || !strings.Contains(findings, `"knowledge_id":"unheard of"`) {
		t.Errorf("findings: %s", findings)
	}
}
