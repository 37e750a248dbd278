package core

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// envelope shows an error as its extras read, without status, code and
// message.
func envelope(t testing.TB, err error) (Code, []keyValue) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *Error", err)
	}
	keys := readInOrder(t.(*testing.T), e.AppendJSON(nil))
	return e.Code, keys[3:]
}

func TestDecodeArguments_values(t *testing.T) {
	metadata := Metadata(`{"a":1.0}`)
	str := func(s string) *string { return &s }
	num := func(n int) *int { return &n }
	for _, c := range []struct {
		in   string
		want TaskCreateRequest
	}{
		{`{"title":"T","agent":"mo"}`, TaskCreateRequest{Title: "T", Agent: "mo"}},
		{" \n{ \"title\" : \"T\" ,\t\"agent\" : \"mo\" }\r\n", TaskCreateRequest{Title: "T", Agent: "mo"}},
		{`{"title":"","agent":""}`, TaskCreateRequest{}},
		{`{"title":"\u00e9\ud83d\ude42\n","agent":"mo"}`, TaskCreateRequest{Title: "é🙂\n", Agent: "mo"}},
		// A key given twice: last wins.
		{`{"title":1,"agent":"mo","title":"T"}`, TaskCreateRequest{Title: "T", Agent: "mo"}},
		{`{"title":"T","agent":"mo","description":"x","description":null}`, TaskCreateRequest{Title: "T", Agent: "mo"}},
		// null means not given.
		{
			`{"title":"T","agent":"mo","description":null,"tags":null,"metadata":null,"task_type":null,"parent_task_id":null,"depends_on":null,"request_id":null}`,
			TaskCreateRequest{Title: "T", Agent: "mo"},
		},
		// Empty values are given.
		{
			`{"title":"T","agent":"mo","description":"","tags":[],"metadata":{},"depends_on":[],"parent_task_id":""}`,
			TaskCreateRequest{
				Title: "T", Agent: "mo", Description: str(""), Tags: []string{}, Metadata: new(Metadata("{}")), DependsOn: []string{}, ParentTaskID: str(""),
			},
		},
		{
			`{"title":"T","agent":"mo","metadata":{ "a" : 2, "a" : 1.0 },"tags":["b","a","b"],"task_type":"nonsense"}`,
			TaskCreateRequest{Title: "T", Agent: "mo", Metadata: &metadata, Tags: []string{"b", "a", "b"}, TaskType: str("nonsense")},
		},
	} {
		var got TaskCreateRequest
		if err := decodeArguments([]byte(c.in), &got); err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.in, diff)
		}
	}

	for _, c := range []struct {
		in   string
		want TaskClaimRequest
	}{
		{`{"task_id":"t","aspect":"work","agent":"mo","ttl_minutes":60}`, TaskClaimRequest{TaskID: "t", Aspect: "work", Agent: "mo", TTLMinutes: num(60)}},
		{`{"task_id":"t","aspect":"work","agent":"mo","ttl_minutes":-0.0}`, TaskClaimRequest{TaskID: "t", Aspect: "work", Agent: "mo", TTLMinutes: num(0)}},
	} {
		var got TaskClaimRequest
		if err := decodeArguments([]byte(c.in), &got); err != nil {
			t.Errorf("%s: %v", c.in, err)
		} else if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.in, diff)
		}
	}

	for _, in := range []string{"", "  ", "null", "{}", " { } "} {
		var got StatsRequest
		if err := decodeArguments([]byte(in), &got); err != nil {
			t.Errorf("no arguments written as %q: %v", in, err)
		}
	}
	var ready TaskReadyRequest
	if err := decodeArguments([]byte(`{"with_claims":false,"limit":5,"metadata_match":{"k":true}}`), &ready); err != nil {
		t.Fatal(err)
	}
	if *ready.WithClaims || *ready.Limit != 5 || *ready.MetadataMatch != `{"k":true}` || ready.Sort != nil {
		t.Errorf("task_ready reads as %+v", ready)
	}
}

func TestJSONInteger(t *testing.T) {
	for in, want := range map[string]int{
		"60": 60, "60.0": 60, "60.000": 60, "6e1": 60, "6.0E+1": 60, "600e-1": 60, "0": 0, "-0": 0, "-0.0": 0, "0e5": 0, "-7": -7,
		"9007199254740993": 9007199254740993, "9007199254740993.0": 9007199254740993, "9223372036854775807": math.MaxInt, "9223372036854775807.0": math.MaxInt,
		"9223372036854775808": math.MaxInt, "1e300": math.MaxInt, "1e400": math.MaxInt, "1e999999999": math.MaxInt,
		"-9223372036854775808": math.MinInt, "-9223372036854775809": math.MinInt, "-1e400": math.MinInt,
	} {
		if got, ok := jsonInteger(json.RawMessage(in)); !ok || got != want {
			t.Errorf("%s reads as %d, %v; want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{
		"0.5", "60.5", "-0.1", "1e-1", "1e-400", "1e-999999999", "9007199254740993.5", `"60"`, "true", "null", "[]", "{}",
	} {
		if got, ok := jsonInteger(json.RawMessage(in)); ok {
			t.Errorf("%s reads as the integer %d", in, got)
		}
	}
}

func TestDecodeArguments_misfits(t *testing.T) {
	createNames := []any{
		"title", "agent", "description", "tags", "metadata", "task_type", "parent_task_id", "depends_on", "request_id",
	}
	for _, c := range []struct {
		name, in string
		into     any
		want     []keyValue
	}{
		{"unknown", `{"title":"T","agent":"mo","titel":"x"}`, &TaskCreateRequest{}, []keyValue{
			{"reason", "unknown_field"},
			{"field", "titel"},
			{"allowed", createNames},
			{"nearest", "title"},
		}},
		{"unknown, nothing near", `{"expected_result":1}`, &StatsRequest{}, []keyValue{
			{"reason", "unknown_field"}, {"field", "expected_result"}, {"allowed", []any{}},
		}},
		{"unknown with null", `{"title":"T","agent":"mo","nothing":null}`, &TaskCreateRequest{}, []keyValue{
			{"reason", "unknown_field"}, {"field", "nothing"}, {"allowed", createNames},
		}},
		{"names are exact", `{"Title":"T","agent":"mo"}`, &TaskCreateRequest{}, []keyValue{
			{"reason", "unknown_field"}, {"field", "Title"}, {"allowed", createNames}, {"nearest", "title"},
		}},
		{"missing", `{"agent":"mo"}`, &TaskCreateRequest{}, []keyValue{{"reason", "missing_field"}, {"field", "title"}}},
		{"required null", `{"title":"T","agent":null}`, &TaskCreateRequest{}, []keyValue{{"reason", "missing_field"}, {"field", "agent"}}},
		{"missing list", `{}`, &TaskApplyRequest{}, []keyValue{{"reason", "missing_field"}, {"field", "operations"}}},
		{"no arguments", ``, &TaskGetRequest{}, []keyValue{{"reason", "missing_field"}, {"field", "task_id"}}},

		// Nothing is coerced.
		{"number for text", `{"title":5,"agent":"mo"}`, &TaskCreateRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "title"}, {"value", json.Number("5")},
		}},
		{"boolean for text", `{"title":true,"agent":"mo"}`, &TaskCreateRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "title"}, {"value", true},
		}},
		{"list for text", `{"title":["T"],"agent":"mo"}`, &TaskCreateRequest{}, []keyValue{{"reason", "invalid_field_value"}, {"field", "title"}}},
		{"object for text", `{"title":{},"agent":"mo"}`, &TaskCreateRequest{}, []keyValue{{"reason", "invalid_field_value"}, {"field", "title"}}},
		{"text for a list", `{"title":"T","agent":"mo","tags":"a"}`, &TaskCreateRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "tags"}, {"value", "a"},
		}},
		{"object for a list", `{"title":"T","agent":"mo","tags":{}}`, &TaskCreateRequest{}, []keyValue{{"reason", "invalid_field_value"}, {"field", "tags"}}},
		{"number in a list", `{"title":"T","agent":"mo","depends_on":["a","b",3]}`, &TaskCreateRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "depends_on[2]"}, {"value", json.Number("3")},
		}},
		{"null in a list", `{"title":"T","agent":"mo","tags":[null]}`, &TaskCreateRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "tags[0]"}, {"value", nil},
		}},
		{"list for an object", `{"title":"T","agent":"mo","metadata":[]}`, &TaskCreateRequest{}, []keyValue{{"reason", "invalid_field_value"}, {"field", "metadata"}}},
		{"text for an object", `{"title":"T","agent":"mo","metadata":"{}"}`, &TaskCreateRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "metadata"}, {"value", "{}"},
		}},
		{"text for an integer", `{"limit":"5"}`, &TaskReadyRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "limit"}, {"value", "5"},
		}},
		{"fraction for an integer", `{"limit":60.5}`, &TaskReadyRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "limit"}, {"value", json.Number("60.5")},
		}},
		{"boolean for an integer", `{"limit":true}`, &TaskReadyRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "limit"}, {"value", true},
		}},
		{"text for a boolean", `{"with_claims":"false"}`, &TaskReadyRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "with_claims"}, {"value", "false"},
		}},
		{"number for a boolean", `{"with_claims":0}`, &TaskReadyRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "with_claims"}, {"value", json.Number("0")},
		}},
		{"long text is cut", `{"limit":"` + strings.Repeat("é", 300) + `"}`, &TaskReadyRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "limit"}, {"value", strings.Repeat("é", 200) + "…"},
		}},
		{"no object", `[]`, &StatsRequest{}, []keyValue{{"reason", "invalid_field_value"}}},
		{"text instead of an object", `"x"`, &StatsRequest{}, []keyValue{{"reason", "invalid_field_value"}}},

		// The order of checks: text, unknown, missing, type.
		{"unknown before missing", `{"zzzzzzzzz":1}`, &TaskGetRequest{}, []keyValue{
			{"reason", "unknown_field"}, {"field", "zzzzzzzzz"}, {"allowed", []any{"task_id"}},
		}},
		{"unknown before type", `{"limit":"x","zzzzzzzzz":1}`, &FindingListRequest{}, []keyValue{
			{"reason", "unknown_field"}, {"field", "limit"}, {"allowed", []any{"task_id", "since"}},
		}},
		{"missing before type", `{"title":5}`, &TaskCreateRequest{}, []keyValue{{"reason", "missing_field"}, {"field", "agent"}}},
		{"first missing in signature order", `{}`, &TaskClaimRequest{}, []keyValue{{"reason", "missing_field"}, {"field", "task_id"}}},
		{"first type in signature order", `{"agent":5,"title":6}`, &TaskCreateRequest{}, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "title"}, {"value", json.Number("6")},
		}},
	} {
		err := decodeArguments([]byte(c.in), c.into)
		if err == nil {
			t.Errorf("%s: %s was accepted", c.name, c.in)
			continue
		}
		if !IsMisfit(err) {
			t.Errorf("%s: %v is not marked as a misfit", c.name, err)
		}
		code, extras := envelope(t, err)
		if diff := cmp.Diff(c.want, extras); diff != "" || code != CodeInvalidInput {
			t.Errorf("%s: %s %s -want +got\n%s", c.name, c.in, code, diff)
		}
	}
}

func TestDecodeArguments_unreadable(t *testing.T) {
	for _, in := range []string{
		"{\"title\":\"\xff\",\"agent\":\"mo\"}", "{\"title\":\"T\",\"agent\":\"m\xc3\"}", "\xff", "{\"\xed\xa0\x80\":1}", "{\"title\":\"\xed\xa0\x80\"}",
		"{\"title\":\"a\x00b\",\"agent\":\"mo\"}", `{"title":"a\u0000b","agent":"mo"}`, `{"\u0000":1}`,
		`{"title":"\ud800","agent":"mo"}`, `{"title":"\udc00","agent":"mo"}`, `{"title":"\ud800\u0041","agent":"mo"}`,
		`{"title":"\ud83d","agent":"mo"}`, `{"title":"\ud83d\ud83d\ude42","agent":"mo"}`, `{"title":"\ude42\ud83d","agent":"mo"}`,
		`{"title":"T","agent":"mo","metadata":{"deep":["\ud800"]}}`, `{"title":"T","agent":"mo","metadata":{"\u0000":1}}`,
		`{`, `{"title"}`, `{"title":"T"`, `{"title":"T"}}`, `{"title":"T"} {}`, `{'title':'T'}`, `{"title":"T",}`, `{"title":"a` + "\n" + `b"}`,
		`{"title":"\q"}`, `{"title":"\u12"}`, `nul`, `{"limit":01}`, "\u00a0{}", "\ufeff{}",
		// Unreadable text comes before an unknown argument.
		`{"unknown":"\u0000"}`,
	} {
		var into TaskCreateRequest
		err := decodeArguments([]byte(in), &into)
		if err == nil {
			t.Errorf("%q was accepted", in)
			continue
		}
		if e := AsError(err); e.Code != CodeInvalidInput || e.Extra("reason") != ReasonMalformed || !IsMisfit(err) {
			t.Errorf("%q: %s %v, misfit %v", in, e.Code, e.Extra("reason"), IsMisfit(err))
		}
	}
	// What only looks like it is accepted.
	for _, in := range []string{
		`{"title":"\\u0000","agent":"mo"}`, `{"title":"\\\\u0000","agent":"mo"}`, `{"title":"\\ud800","agent":"mo"}`, `{"title":"\ud83d\ude42","agent":"mo"}`,
		`{"title":"\uD83D\uDE42","agent":"mo"}`, `{"title":"\"\\\u0001","agent":"mo"}`, "{\"title\":\"\u202e\ufeff\",\"agent\":\"mo\"}",
	} {
		var into TaskCreateRequest
		if err := decodeArguments([]byte(in), &into); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	var into TaskCreateRequest
	deep := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	err := decodeArguments([]byte(`{"title":"T","agent":"mo","metadata":`+deep+`}`), &into)
	if e := AsError(err); err == nil || e.Extra("reason") != ReasonMalformed {
		t.Errorf("5000 levels of metadata: %v", err)
	}
}

// The tables of the contract's signatures, held against the request structs.
func TestOperations_signatures(t *testing.T) {
	want := map[string]string{
		"task_create":      "title: string!, agent: string!, description: string, tags: list of strings, metadata: object, task_type: string = task, parent_task_id: string, depends_on: list of strings, request_id: string",
		"task_spawn":       "source_task_id: string!, title: string!, agent: string!, description: string, relation_type: string = discovered_from, inherit_project: boolean = true, inherit_tags: boolean = true, inherit_context: boolean = true, metadata: object, request_id: string",
		"task_get":         "task_id: string!",
		"task_status":      "task_id: string!",
		"task_list":        "agent: string, status: string, tags: list of strings, since: string, resolved_since: string, with_claims: boolean = false, metadata_match: object, task_type: string, claimed_by: string, text: string, limit: integer, offset: integer = 0",
		"task_update":      "task_id: string!, agent: string!, title: string, description: string, tags: list of strings, metadata: object, add_tags: list of strings, remove_tags: list of strings, expected_version: integer",
		"task_complete":    "task_id: string!, agent: string!, outcome: string, cited_nodes: list of strings, misleading_nodes: list of strings, receipt_id: string, expected_version: integer",
		"task_cancel":      "task_id: string!, agent: string!, reason: string, expected_version: integer",
		"task_reopen":      "task_id: string!, agent: string!, expected_version: integer",
		"task_claim":       "task_id: string!, aspect: string!, agent: string!, ttl_minutes: integer",
		"task_renew":       "task_id: string!, aspect: string!, agent: string!, ttl_minutes: integer",
		"task_release":     "task_id: string!, aspect: string!, agent: string!",
		"task_next":        "agent: string!, project: string, tags: list of strings, metadata_match: object, aspect: string = work, ttl_minutes: integer",
		"task_edge_upsert": "from_task_id: string!, to_task_id: string!, type: string!, agent: string!, metadata: object",
		"task_edge_delete": "from_task_id: string!, to_task_id: string!, type: string!, agent: string!",
		"task_edge_list":   "task_id: string!, direction: string = both, types: list of strings",
		"task_ready":       "project: string, tags: list of strings, metadata_match: object, limit: integer = 50, with_claims: boolean = true, sort: string = priority, offset: integer = 0",
		"task_blocked":     "project: string, tags: list of strings, metadata_match: object, limit: integer = 50, sort: string = priority, offset: integer = 0",
		"task_children":    "task_id: string!, recursive: boolean = false, include_closed: boolean = false",
		"task_why":         "task_id: string!",
		"task_apply":       "operations: list of objects!, agent: string, request_id: string",
		"finding_post":     "task_id: string!, agent: string!, summary: string!, knowledge_id: string",
		"finding_list":     "task_id: string!, since: string",
		"agent_register":   "id: string!, name: string, type: string, metadata: object",
		"agent_info":       "id: string!",
		"agent_list":       "type: string, active_since: string",
		"stats":            "",
		"events":           "since: integer, limit: integer = 100, types: list of strings, task_id: string, agent: string, period_start: string, period_end: string",
		"journal":          "period_start: string, period_end: string, types: list of strings, task_id: string, agent: string, limit: integer = 100, before: integer",
		"write":            "title: string!, content: string!, agent: string!, tags: list of strings, confidence: number, path: string, id: string, source_task: string, source_url: string, derived_from_ids: list of strings, ttl_hours: number, expires_at: string, expected_version: integer, schema_version: integer, namespace: string, access_scope: string, note_type: string, status: string, summaries: object, metadata: object",
		"note_update":      "id: string!, agent: string!, title: string, tags: list of strings, status: string, metadata: object, expected_version: integer",
		"delete":           "id: string!, agent: string!",
		"read":             "id: string, path: string, max_length: integer, agent_id: string",
		"list":             "path_prefix: string, tags: list of strings, author: string, since: string, limit: integer = 50, offset: integer = 0, title_contains: string, content_query: string, metadata_match: object, entities: list of strings",
		"tags":             "prefix: string",
		"search":           "query: string!, limit: integer = 10, mode: string = hybrid, tags: list of strings, author: string, path_prefix: string, seed_ids: list of strings, graph_depth: integer = 2, entities: list of strings, agent_id: string",
		"cache_lookup":     "query: string!, source_url: string, max_age_hours: number, min_confidence: number = 0.5, limit: integer = 3, tags: list of strings",
		"edge_upsert":      "from_id: string!, to_id: string!, type: string!, weight: number!, namespace: string!, provenance_actor: string, provenance_type: string, evidence: object or list, conflict_state: string",
		"edge_list":        "from_id: string, to_id: string, type: string, namespace: string",
		"conflict_resolve": "edge_id: string!, resolution: string!, resolver: string!, winner_id: string",
		"related":          "id: string!, include: list of strings, depth: integer = 1, namespace: string",
		"retrieve":         "query: string!, limit: integer = 10, namespace_filter: list of strings, agent_id: string, task_id: string, surface_conflicts: boolean = false, max_context_nodes: integer, tags: list of strings, path_prefix: string",
		"node_stats":       "node_id: string!",
	}
	got := map[string]string{}
	for _, op := range Operations {
		var parts []string
		for _, p := range op.Parameters() {
			part := p.Name + ": " + string(p.Type)
			if p.Required {
				part += "!"
			}
			if p.Default != "" {
				part += " = " + p.Default
			}
			parts = append(parts, part)
		}
		got[op.Name()] = strings.Join(parts, ", ")
	}
	// events_archive is no tool; it is there for the command line.
	for _, op := range Operations {
		if op.CommandLineOnly() {
			delete(got, op.Name())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-contract +program\n%s", diff)
	}
}

func TestOperations_codesAreRegistered(t *testing.T) {
	for _, op := range Operations {
		if found, ok := OperationNamed(op.Name()); !ok || found.Name() != op.Name() {
			t.Errorf("%s is not found by its name", op.Name())
		}
		for _, code := range op.Codes() {
			if Describe(code).Code != code {
				t.Errorf("%s can fail with %s, which is not registered", op.Name(), code)
			}
		}
		for _, p := range op.Parameters() {
			if p.Check == "" {
				continue
			}
			if _, ok := checks[p.Check]; !ok {
				t.Errorf("%s %s names the check %q, which is not there", op.Name(), p.Name, p.Check)
			}
		}
	}
	if _, ok := OperationNamed("task_destroy"); ok {
		t.Error("an operation was found that is not there")
	}
}

// TestEncodeArguments holds the way back from a request equal to the way in.
func TestEncodeArguments(t *testing.T) {
	for _, c := range []struct {
		in   string
		into any
	}{
		{`{"title":"T\u001b","agent":"mo","description":"","tags":["a"],"metadata":{"n":1.0},"task_type":"epic","parent_task_id":"p","depends_on":[],"request_id":"r"}`, &TaskCreateRequest{}},
		{`{"title":"T","agent":"mo"}`, &TaskCreateRequest{}},
		{`{"limit":5,"with_claims":false,"sort":"impact"}`, &TaskReadyRequest{}},
		{`{"operations":[{"op":"create"}],"agent":"mo"}`, &TaskApplyRequest{}},
		{`{}`, &StatsRequest{}},
	} {
		if err := decodeArguments([]byte(c.in), c.into); err != nil {
			t.Fatalf("%s: %v", c.in, err)
		}
		if got := EncodeArguments(reflect.ValueOf(c.into).Elem().Interface()); string(got) != c.in {
			t.Errorf("%s comes back as %s", c.in, got)
		}
	}
}

// FuzzArguments reads any text as the arguments of every operation.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `[]`, `{"title":"T","agent":"mo"}`, `{"task_id":"abcdef","agent":"mo","expected_version":1.0}`,
		`{"limit":1e400,"offset":-0.0,"tags":[null]}`, `{"operations":[{"op":"create","title":"\ud800"}]}`, `{"metadata":{"a":{"a":{}}},"metadata":null}`,
		"{\"title\":\"\x00\"}", `{"since":"2026-03-02","types":["task.created"]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, op := range Operations {
			request := reflect.New(op.RequestType())
			err := decodeArguments([]byte(text), request.Interface())
			if err == nil {
				err = prepare(request.Interface())
				if IsMisfit(err) {
					t.Errorf("%s %q: a misfit of values: %v", op.Name(), text, err)
				}
			} else if !IsMisfit(err) {
				t.Errorf("%s %q: not marked as a misfit: %v", op.Name(), text, err)
			}
			if err != nil {
				checkDocumented(t, op.Name(), err)
			}
		}
	})
}

// checkDocumented refuses errors with a code, reason or extra that the
// contract does not name, or with extras out of order.
func checkDocumented(t *testing.T, what string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: %v is no *Error", what, err)
	}
	info := Describe(e.Code)
	if info.Code == "" {
		t.Fatalf("%s: the code %q is not registered", what, e.Code)
	}
	at := 0
	for _, extra := range e.Extras {
		next := slices.IndexFunc(info.Extras[at:], func(name string) bool { return strings.TrimSuffix(name, "?") == extra.Name })
		if next < 0 {
			t.Fatalf("%s: %s carries %q, which is undocumented or out of order", what, e.Code, extra.Name)
		}
		for _, skipped := range info.Extras[at : at+next] {
			if !strings.HasSuffix(skipped, "?") {
				t.Fatalf("%s: %s lacks %q", what, e.Code, skipped)
			}
		}
		at += next + 1
	}
	for _, lacking := range info.Extras[at:] {
		if !strings.HasSuffix(lacking, "?") {
			t.Fatalf("%s: %s lacks %q", what, e.Code, lacking)
		}
	}
	if strings.TrimSpace(e.Message) == "" {
		t.Fatalf("%s: %s has no message", what, e.Code)
	}
}
