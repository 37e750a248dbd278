package core

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// judged runs the value checks of a request.
func judged[In any](in In) error { return prepare(&in) }

// TestLimits tries every limit of the contract at its edge: the value at the
// limit passes, one more does not. Characters are code points, whatever
// they take in bytes.
func TestLimits(t *testing.T) {
	letter, wide := "a", "🙂"
	metadataOf := func(size int) *Metadata {
		m := Metadata(`{"k":"` + strings.Repeat("x", size-len(`{"k":""}`)) + `"}`)
		return &m
	}
	one := []string{"ok"}
	for _, c := range []struct {
		name  string
		field string
		limit int
		unit  string
		judge func(text string) error
	}{
		{"task_create title", "title", 500, wide, func(s string) error { return judged(TaskCreateRequest{Title: s, Agent: "mo"}) }},
		{"task_spawn title", "title", 500, wide, func(s string) error { return judged(TaskSpawnRequest{Title: s, Agent: "mo"}) }},
		{"task_update title", "title", 500, wide, func(s string) error { return judged(TaskUpdateRequest{Title: &s, Agent: "mo"}) }},

		{"task_create description", "description", 1_000_000, letter, func(s string) error {
			return judged(TaskCreateRequest{Title: "T", Agent: "mo", Description: &s})
		}},
		{"task_spawn description", "description", 1_000_000, letter, func(s string) error {
			return judged(TaskSpawnRequest{Title: "T", Agent: "mo", Description: &s})
		}},
		{"task_update description", "description", 1_000_000, letter, func(s string) error { return judged(TaskUpdateRequest{Agent: "mo", Description: &s}) }},
		{"task_complete outcome", "outcome", 1_000_000, letter, func(s string) error { return judged(TaskCompleteRequest{Agent: "mo", Outcome: &s}) }},
		{"task_cancel reason", "reason", 1_000_000, letter, func(s string) error { return judged(TaskCancelRequest{Agent: "mo", Reason: &s}) }},
		{"finding_post summary", "summary", 1_000_000, letter, func(s string) error { return judged(FindingPostRequest{Agent: "mo", Summary: s}) }},

		{"task_create tag", "tags[1]", 128, wide, func(s string) error {
			return judged(TaskCreateRequest{Title: "T", Agent: "mo", Tags: append(one[:1:1], s)})
		}},
		{"task_update tag", "tags[0]", 128, wide, func(s string) error { return judged(TaskUpdateRequest{Agent: "mo", Tags: []string{s}}) }},
		{"task_update added tag", "add_tags[0]", 128, wide, func(s string) error { return judged(TaskUpdateRequest{Agent: "mo", AddTags: []string{s}}) }},

		{"task_create agent", "agent", 128, wide, func(s string) error { return judged(TaskCreateRequest{Title: "T", Agent: s}) }},
		{"task_spawn agent", "agent", 128, wide, func(s string) error { return judged(TaskSpawnRequest{Title: "T", Agent: s}) }},
		{"task_update agent", "agent", 128, wide, func(s string) error { return judged(TaskUpdateRequest{Title: &letter, Agent: s}) }},
		{"task_complete agent", "agent", 128, wide, func(s string) error { return judged(TaskCompleteRequest{Agent: s}) }},
		{"task_cancel agent", "agent", 128, wide, func(s string) error { return judged(TaskCancelRequest{Agent: s}) }},
		{"task_reopen agent", "agent", 128, wide, func(s string) error { return judged(TaskReopenRequest{Agent: s}) }},
		{"task_claim agent", "agent", 128, wide, func(s string) error { return judged(TaskClaimRequest{Agent: s, Aspect: "work"}) }},
		{"task_renew agent", "agent", 128, wide, func(s string) error { return judged(TaskRenewRequest{Agent: s, Aspect: "work"}) }},
		{"task_release agent", "agent", 128, wide, func(s string) error { return judged(TaskReleaseRequest{Agent: s, Aspect: "work"}) }},
		{"task_next agent", "agent", 128, wide, func(s string) error { return judged(TaskNextRequest{Agent: s}) }},
		{"task_edge_upsert agent", "agent", 128, wide, func(s string) error { return judged(TaskEdgeUpsertRequest{Agent: s}) }},
		{"task_edge_delete agent", "agent", 128, wide, func(s string) error { return judged(TaskEdgeDeleteRequest{Agent: s}) }},
		{"finding_post agent", "agent", 128, wide, func(s string) error { return judged(FindingPostRequest{Agent: s}) }},
		{"task_apply agent", "agent", 128, wide, func(s string) error {
			return judged(TaskApplyRequest{Operations: []json.RawMessage{json.RawMessage("{}")}, Agent: &s})
		}},
		{"agent_register id", "id", 128, wide, func(s string) error { return judged(AgentRegisterRequest{ID: s}) }},

		{"task_claim aspect", "aspect", 128, wide, func(s string) error { return judged(TaskClaimRequest{Agent: "mo", Aspect: s}) }},
		{"task_renew aspect", "aspect", 128, wide, func(s string) error { return judged(TaskRenewRequest{Agent: "mo", Aspect: s}) }},
		{"task_release aspect", "aspect", 128, wide, func(s string) error { return judged(TaskReleaseRequest{Agent: "mo", Aspect: s}) }},
		{"task_next aspect", "aspect", 128, wide, func(s string) error { return judged(TaskNextRequest{Agent: "mo", Aspect: &s}) }},

		{"task_create request_id", "request_id", 128, wide, func(s string) error { return judged(TaskCreateRequest{Title: "T", Agent: "mo", RequestID: &s}) }},
		{"task_spawn request_id", "request_id", 128, wide, func(s string) error { return judged(TaskSpawnRequest{Title: "T", Agent: "mo", RequestID: &s}) }},
		{"task_apply request_id", "request_id", 128, wide, func(s string) error {
			return judged(TaskApplyRequest{Operations: []json.RawMessage{json.RawMessage("{}")}, Agent: &letter, RequestID: &s})
		}},

		{"agent_register name", "name", 128, wide, func(s string) error { return judged(AgentRegisterRequest{ID: "mo", Name: &s}) }},
		{"agent_register type", "type", 128, wide, func(s string) error { return judged(AgentRegisterRequest{ID: "mo", Type: &s}) }},
	} {
		if err := c.judge(strings.Repeat(c.unit, c.limit)); err != nil {
			t.Errorf("%s at the limit: %v", c.name, err)
		}
		err := c.judge(strings.Repeat(c.unit, c.limit+1))
		if err == nil {
			t.Errorf("%s over the limit was accepted", c.name)
			continue
		}
		code, extras := envelope(t, err)
		want := []keyValue{{"field", c.field}, {"length", number(c.limit + 1)}, {"limit", number(c.limit)}}
		if diff := cmp.Diff(want, extras); diff != "" || code != CodeContentTooLarge {
			t.Errorf("%s over the limit: %s -want +got\n%s", c.name, code, diff)
		}
	}

	for name, judge := range map[string]func(m *Metadata) error{
		"task_create":      func(m *Metadata) error { return judged(TaskCreateRequest{Title: "T", Agent: "mo", Metadata: m}) },
		"task_spawn":       func(m *Metadata) error { return judged(TaskSpawnRequest{Title: "T", Agent: "mo", Metadata: m}) },
		"task_update":      func(m *Metadata) error { return judged(TaskUpdateRequest{Agent: "mo", Metadata: m}) },
		"task_edge_upsert": func(m *Metadata) error { return judged(TaskEdgeUpsertRequest{Agent: "mo", Metadata: m}) },
		"agent_register":   func(m *Metadata) error { return judged(AgentRegisterRequest{ID: "mo", Metadata: m}) },
	} {
		if err := judge(metadataOf(1_000_000)); err != nil {
			t.Errorf("%s metadata at the limit: %v", name, err)
		}
		err := judge(metadataOf(1_000_001))
		if e := AsError(err); err == nil || e.Code != CodeContentTooLarge || e.Extra("field") != "metadata" || e.Extra("length") != 1_000_001 {
			t.Errorf("%s metadata over the limit: %v", name, err)
		}
	}

	operations := make([]json.RawMessage, 1001)
	for i := range operations {
		operations[i] = json.RawMessage("{}")
	}
	if err := judged(TaskApplyRequest{Operations: operations[:1000]}); err != nil {
		t.Errorf("1000 operations: %v", err)
	}
	err := judged(TaskApplyRequest{Operations: operations})
	code, extras := envelope(t, err)
	want := []keyValue{{"field", "operations"}, {"length", number(1001)}, {"limit", number(1000)}}
	if diff := cmp.Diff(want, extras); diff != "" || code != CodeContentTooLarge {
		t.Errorf("1001 operations: %s -want +got\n%s", code, diff)
	}
	err = judged(TaskApplyRequest{Operations: operations[:0]})
	if code, extras := envelope(t, err); code != CodeInvalidInput || extras[0].Value != ReasonMissingField {
		t.Errorf("no operations: %v", err)
	}
}

func number(n int) json.Number {
	text, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	return json.Number(text)
}

// TestLimits_bytesAreNotCharacters holds texts that are measured in bytes
// apart from those measured in characters.
func TestLimits_bytesAreNotCharacters(t *testing.T) {
	text := strings.Repeat("é", 500_001)
	err := judged(FindingPostRequest{Agent: "mo", Summary: text})
	if e := AsError(err); err == nil || e.Code != CodeContentTooLarge || e.Extra("length") != 1_000_002 {
		t.Errorf("500,001 characters of two bytes: %v", err)
	}
	compact, err := ParseMetadata([]byte(`{ "k" : "` + strings.Repeat("é", 499_996) + `" }`))
	if err != nil {
		t.Fatal(err)
	}
	if err := judged(AgentRegisterRequest{ID: "mo", Metadata: &compact}); err != nil {
		t.Errorf("the space around keys counts, though metadata is measured in compact form: %v", err)
	}
}

func TestBlank(t *testing.T) {
	for _, blank := range []string{"", " ", "\t\r\n\v\f", "\u00a0\u2003\u3000\u0085\u2028"} {
		for name, err := range map[string]error{
			"title":      judged(TaskCreateRequest{Title: blank, Agent: "mo"}),
			"agent":      judged(TaskCreateRequest{Title: "T", Agent: blank}),
			"tags[0]":    judged(TaskCreateRequest{Title: "T", Agent: "mo", Tags: []string{blank}}),
			"aspect":     judged(TaskClaimRequest{Agent: "mo", Aspect: blank}),
			"request_id": judged(TaskSpawnRequest{Title: "T", Agent: "mo", RequestID: &blank}),
			"id":         judged(AgentRegisterRequest{ID: blank}),
			"add_tags[0]": judged(TaskUpdateRequest{
				Agent: "mo", AddTags: []string{blank},
			}),
		} {
			if err == nil {
				t.Errorf("blank %s %q was accepted", name, blank)
				continue
			}
			code, extras := envelope(t, err)
			want := []keyValue{{"reason", "invalid_field_value"}, {"field", name}, {"value", blank}}
			if diff := cmp.Diff(want, extras); diff != "" || code != CodeInvalidInput {
				t.Errorf("blank %s %q: %s -want +got\n%s", name, blank, code, diff)
			}
		}
		for name, err := range map[string]error{
			"description": judged(TaskCreateRequest{Title: "T", Agent: "mo", Description: &blank}),
			"outcome":     judged(TaskCompleteRequest{Agent: "mo", Outcome: &blank}),
			"reason":      judged(TaskCancelRequest{Agent: "mo", Reason: &blank}),
			"summary":     judged(FindingPostRequest{Agent: "mo", Summary: blank}),
			"name":        judged(AgentRegisterRequest{ID: "mo", Name: &blank}),
			"type":        judged(AgentRegisterRequest{ID: "mo", Type: &blank}),
		} {
			if err != nil {
				t.Errorf("blank %s %q: %v", name, blank, err)
			}
		}
	}
	// Characters that show nothing are not white space.
	for _, text := range []string{"\u200b", "\ufeff", "\x1b", "\u202e"} {
		if err := judged(TaskCreateRequest{Title: text, Agent: "mo"}); err != nil {
			t.Errorf("title %q: %v", text, err)
		}
	}
}

func TestTags_controlCharacters(t *testing.T) {
	for _, tag := range []string{"a\nb", "a\x1b", "\x7f", "a\u0085b", "\u009fx"} {
		err := judged(TaskCreateRequest{Title: "T", Agent: "mo", Tags: []string{"ok", tag}})
		if err == nil {
			t.Errorf("tag %q was accepted", tag)
			continue
		}
		if code, extras := envelope(t, err); code != CodeInvalidInput || extras[0].Value != ReasonInvalidValue || extras[1].Value != "tags[1]" {
			t.Errorf("tag %q: %v", tag, err)
		}
	}
	for _, tag := range []string{"a b", "ü", "\u202e", "a,b", `"`} {
		if err := judged(TaskCreateRequest{Title: "T", Agent: "mo", Tags: []string{tag}}); err != nil {
			t.Errorf("tag %q: %v", tag, err)
		}
	}
}

// TestUnreadable covers requests the program makes itself; arguments that come
// as JSON are judged before they are decoded.
func TestUnreadable(t *testing.T) {
	for _, bad := range []string{"a\x00b", "\xff", "a\xc3"} {
		metadata := Metadata(`{"a":"` + bad + `"}`)
		for name, err := range map[string]error{
			"title":      judged(TaskCreateRequest{Title: bad, Agent: "mo"}),
			"task_id":    judged(TaskGetRequest{TaskID: bad}),
			"outcome":    judged(TaskCompleteRequest{Agent: "mo", Outcome: &bad}),
			"tags[1]":    judged(TaskListRequest{Tags: []string{"a", bad}}),
			"metadata":   judged(TaskCreateRequest{Title: "T", Agent: "mo", Metadata: &metadata}),
			"receipt_id": judged(TaskCompleteRequest{Agent: "mo", ReceiptID: &bad}),
		} {
			if e := AsError(err); err == nil || e.Code != CodeInvalidInput || e.Extra("reason") != ReasonMalformed || e.Extra("field") != name {
				t.Errorf("%s %q: %v", name, bad, err)
			}
		}
	}
}

func TestValues_order(t *testing.T) {
	text := func(s string) *string { return &s }
	num := func(n int) *int { return &n }
	match := Metadata(`{"a":null}`)
	for _, c := range []struct {
		name  string
		err   error
		field string
	}{
		{"limit first", judged(TaskReadyRequest{MetadataMatch: &match, Limit: num(0), Sort: text("x"), Offset: num(-1)}), "limit"},
		{"limit of blocked", judged(TaskBlockedRequest{MetadataMatch: &match, Limit: num(-5), Sort: text("x"), Offset: num(-1)}), "limit"},
		{"limit of list", judged(TaskListRequest{Status: text("x"), Since: text("x"), Limit: num(0)}), "limit"},
		{"limit of events", judged(EventsRequest{Since: num(-1), Limit: num(0), Types: []string{"x"}}), "limit"},
		{"limit of journal", judged(JournalRequest{PeriodStart: text("x"), Limit: num(0)}), "limit"},
		{"then signature order", judged(TaskReadyRequest{MetadataMatch: &match, Sort: text("x"), Offset: num(-1)}), "metadata_match.a"},
		{"sort before offset", judged(TaskReadyRequest{Sort: text("x"), Offset: num(-1)}), "sort"},
		{"offset", judged(TaskReadyRequest{Offset: num(-1)}), "offset"},
		{"since of events", judged(EventsRequest{Since: num(-1), Types: []string{"x"}}), "since"},
		{"types of events", judged(EventsRequest{Types: []string{"task.created", "x"}, PeriodStart: text("x")}), "types[1]"},
		{"title before agent", judged(TaskCreateRequest{}), "title"},
		{"values before nothing to do", judged(TaskUpdateRequest{Agent: "mo", ExpectedVersion: num(0)}), "expected_version"},
		{"direction", judged(TaskEdgeListRequest{Direction: text("up")}), "direction"},
		{"since of findings", judged(FindingListRequest{Since: text("yesterday")}), "since"},
		{"empty since of findings", judged(FindingListRequest{Since: text("")}), "since"},
		{"empty active_since", judged(AgentListRequest{ActiveSince: text("")}), "active_since"},
	} {
		e := AsError(c.err)
		if e == nil || e.Code != CodeInvalidInput || e.Extra("field") != c.field {
			t.Errorf("%s: %v, want %s to be refused", c.name, c.err, c.field)
		}
	}
	for name, err := range map[string]error{
		"filters that are empty": judged(TaskListRequest{
			Agent: text(""), Status: text(""), Tags: []string{}, Since: text(""), ResolvedSince: text(""), TaskType: text(""), ClaimedBy: text(""), Text: text(""),
		}),
		"empty periods":     judged(EventsRequest{PeriodStart: text(""), PeriodEnd: text("")}),
		"a great limit":     judged(TaskReadyRequest{Limit: num(1 << 62)}),
		"any lease":         judged(TaskClaimRequest{Agent: "mo", Aspect: "work", TTLMinutes: num(-1 << 62)}),
		"unknown edge type": judged(TaskEdgeListRequest{Types: []string{"nonsense"}}),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := judged(TaskUpdateRequest{Agent: "mo"}); AsError(err).Extra("reason") != ReasonMissingField {
		t.Errorf("an update of nothing: %v", err)
	}
}

func TestVocabularies(t *testing.T) {
	text := func(s string) *string { return &s }
	statuses := []any{"open", "completed", "cancelled"}
	for _, c := range []struct {
		err  error
		code Code
		want []keyValue
	}{
		{judged(TaskListRequest{Status: text("finished")}), CodeInvalidInput, []keyValue{
			{"reason", "invalid_status"}, {"field", "status"}, {"value", "finished"}, {"allowed", statuses},
		}},
		{judged(TaskListRequest{Status: text("Opem")}), CodeInvalidInput, []keyValue{
			{"reason", "invalid_status"}, {"field", "status"}, {"value", "Opem"}, {"allowed", statuses}, {"nearest", "open"},
		}},
		{judged(TaskListRequest{TaskType: text("epics")}), CodeInvalidTaskType, []keyValue{
			{"field", "task_type"}, {"value", "epics"}, {"allowed", []any{"task", "epic", "gate"}}, {"nearest", "epic"},
		}},
		{judged(TaskReadyRequest{Sort: text("prio")}), CodeInvalidInput, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "sort"}, {"value", "prio"}, {"allowed", []any{"priority", "created", "updated", "impact"}},
		}},
		{judged(TaskEdgeListRequest{Direction: text("incomming")}), CodeInvalidInput, []keyValue{
			{"reason", "invalid_field_value"}, {"field", "direction"}, {"value", "incomming"}, {"allowed", []any{"incoming", "outgoing", "both"}}, {"nearest", "incoming"},
		}},
	} {
		if c.err == nil {
			t.Errorf("accepted: %v", c.want)
			continue
		}
		code, extras := envelope(t, c.err)
		if diff := cmp.Diff(c.want, extras); diff != "" || code != c.code {
			t.Errorf("%s: -want +got\n%s", code, diff)
		}
	}
	err := judged(EventsRequest{Types: []string{"task.create"}})
	if e := AsError(err); err == nil || e.Extra("nearest") != "task.created" || len(e.Extra("allowed").([]string)) != 18 {
		t.Errorf("an unknown event type: %v", err)
	}
}

func TestCheckMetadataKeys(t *testing.T) {
	for in, field := range map[Metadata]string{
		`{"depends_on":[]}`: "metadata.depends_on", `{"a":1,"blocked_on":null}`: "metadata.blocked_on", `{"depends_on":null}`: "metadata.depends_on",
	} {
		err := checkMetadataKeys(&in)
		if err == nil {
			t.Errorf("%s was accepted", in)
			continue
		}
		code, extras := envelope(t, err)
		if diff := cmp.Diff([]keyValue{{"field", field}}, extras); diff != "" || code != CodeInvalidMetadataKey {
			t.Errorf("%s: %s -want +got\n%s", in, code, diff)
		}
	}
	for _, in := range []Metadata{`{}`, `{"deps":{"depends_on":["x"]}}`, `{"Depends_on":1}`, `{"a":"depends_on"}`} {
		if err := checkMetadataKeys(&in); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	if err := checkMetadataKeys(nil); err != nil {
		t.Errorf("no metadata: %v", err)
	}
}

func TestCheckGateMetadata(t *testing.T) {
	for in, want := range map[Metadata]Metadata{
		`{"gate_type":"human"}`:                                     `{"gate_type":"human"}`,
		`{"gate_type":"ci","ready_at":"whenever","x":null}`:         `{"gate_type":"ci","ready_at":"whenever","x":null}`,
		`{"gate_type":"pr","ready_at":5}`:                           `{"gate_type":"pr","ready_at":5}`,
		`{"gate_type":"external_task"}`:                             `{"gate_type":"external_task"}`,
		`{"ready_at":"2026-03-02","gate_type":"timer","n":null}`:    `{"ready_at":"2026-03-02T00:00:00+00:00","gate_type":"timer","n":null}`,
		`{"gate_type":"timer","ready_at":"2026-W10-1T09:15+02:00"}`: `{"gate_type":"timer","ready_at":"2026-03-02T07:15:00+00:00"}`,
		`{"gate_type":"timer","ready_at":"20260302T091500.999999"}`: `{"gate_type":"timer","ready_at":"2026-03-02T09:15:00+00:00"}`,
		`{"gate_type":"timer","ready_at":"1969-12-31T23:59:59.5"}`:  `{"gate_type":"timer","ready_at":"1969-12-31T23:59:59+00:00"}`,
		`{"gate_type":"timer","ready_at":"2020-01-01T00:00:00Z"}`:   `{"gate_type":"timer","ready_at":"2020-01-01T00:00:00+00:00"}`,
	} {
		if got, err := checkGateMetadata(in); err != nil || got != want {
			t.Errorf("%s becomes %s, %v; want %s", in, got, err, want)
		}
	}
	allowed := []any{"human", "timer", "ci", "pr", "external_task"}
	for in, want := range map[Metadata][]keyValue{
		``:                                      {{"reason", "missing_field"}, {"field", "metadata.gate_type"}},
		`{"gate_type":null}`:                    {{"reason", "missing_field"}, {"field", "metadata.gate_type"}},
		`{"gate_type":7}`:                       {{"reason", "invalid_field_value"}, {"field", "metadata.gate_type"}, {"value", number(7)}, {"allowed", allowed}},
		`{"gate_type":["ci"]}`:                  {{"reason", "invalid_field_value"}, {"field", "metadata.gate_type"}, {"allowed", allowed}},
		`{"gate_type":"timed"}`:                 {{"reason", "invalid_field_value"}, {"field", "metadata.gate_type"}, {"value", "timed"}, {"allowed", allowed}, {"nearest", "timer"}},
		`{"gate_type":"CI"}`:                    {{"reason", "invalid_field_value"}, {"field", "metadata.gate_type"}, {"value", "CI"}, {"allowed", allowed}, {"nearest", "ci"}},
		`{"gate_type":""}`:                      {{"reason", "invalid_field_value"}, {"field", "metadata.gate_type"}, {"value", ""}, {"allowed", allowed}, {"nearest", "ci"}},
		`{"gate_type":"timer"}`:                 {{"reason", "missing_field"}, {"field", "metadata.ready_at"}},
		`{"gate_type":"timer","ready_at":null}`: {{"reason", "missing_field"}, {"field", "metadata.ready_at"}},
		`{"gate_type":"timer","ready_at":5}`:    {{"reason", "invalid_field_value"}, {"field", "metadata.ready_at"}, {"value", number(5)}},
		`{"gate_type":"timer","ready_at":{}}`:   {{"reason", "invalid_field_value"}, {"field", "metadata.ready_at"}},
		`{"gate_type":"timer","ready_at":"x"}`:  {{"reason", "invalid_field_value"}, {"field", "metadata.ready_at"}, {"value", "x"}},
	} {
		_, err := checkGateMetadata(in)
		if err == nil {
			t.Errorf("%s was accepted", in)
			continue
		}
		code, extras := envelope(t, err)
		if diff := cmp.Diff(want, extras); diff != "" || code != CodeInvalidInput {
			t.Errorf("%s: %s -want +got\n%s", in, code, diff)
		}
	}
}
