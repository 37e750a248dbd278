package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// quoteByContract spells the rule out with the standard library: its JSON
// without HTML escaping, and Cc escaped wherever it stands.
func quoteByContract(t testing.TB, s string) string {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range strings.TrimSuffix(buf.String(), "\n") {
		if unicode.IsControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestAppendJSONString_everyCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r > 0x3000 && r%97 != 0 && r != 0xfeff && r != utf8.RuneError {
			continue // beyond these all are alike
		}
		s := "a" + string(r) + "z"
		if got, want := string(AppendJSONString(nil, s)), quoteByContract(t, s); got != want {
			t.Fatalf("U+%04X is quoted as %s, want %s", r, got, want)
		}
	}
}

func TestAppendJSONString_texts(t *testing.T) {
	for _, s := range []string{
		"", "plain", `"quoted" \ back`, "<a href='x'>&</a>", "tab\tline\nreturn\rbell\afeed\fback\b", "\x1b[31mred\x1b[0m",
		"\x7f\u0080\u009f\u00a0", "a\u2028b\u2029c", "‮override‬ \u061c\u200e\u200f\u2066\u2069\ufeff", "héllo 日本語 🙂 e\u0301",
		"\xff\xfe broken \xc2", "\xed\xa0\x80", strings.Repeat("ab\"\n", 1000),
	} {
		got := AppendJSONString([]byte("x"), s)
		if want := "x" + quoteByContract(t, s); string(got) != want {
			t.Errorf("%q is quoted as %s, want %s", s, got, want)
		}
		encoded, err := EncodeJSON(s)
		if err != nil || string(encoded) != quoteByContract(t, s) {
			t.Errorf("EncodeJSON(%q) = %s, %v", s, encoded, err)
		}
	}
}

func FuzzAppendJSONString(f *testing.F) {
	for _, seed := range []string{"", "a\"b\\c", "\x00\x1f\x7f\u0085\u2028", "\xff\xc2\x80\xed\xa0\x80", "<&>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := string(AppendJSONString(nil, s))
		if want := quoteByContract(t, s); got != want {
			t.Errorf("%q is quoted as %s, want %s", s, got, want)
		}
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd") && utf8.ValidString(s) {
			t.Errorf("%s reads back as %q, %v", got, back, err)
		}
	})
}

// The values every record below is made of.
var (
	awkward  = "a\"\\\n\x1b\x7f\u0085<&>\u2028é🙂"
	morning  = Stamp(1_772_442_900_120_431) // 2026-03-02T09:15:00.120431+00:00
	noon     = Stamp(1_772_452_800_000_000) // 2026-03-02T12:00:00+00:00
	nothing  *string
	someText = &awkward
)

const (
	morningText = "2026-03-02T09:15:00.120431+00:00"
	noonText    = "2026-03-02T12:00:00+00:00"
)

// object of the oracle: keys in order, values as the standard library reads
// them.
type keyValue struct {
	Key   string
	Value any
}

// records pairs every result and record with what the contract says it looks
// like.
func records() []struct {
	name string
	got  any
	want []keyValue
} {
	head := TaskHead{
		Key: 7, ID: "9c1f02ab", Title: awkward, Status: StatusOpen, Type: TypeGate,
		CreatedAt: morning, UpdatedAt: noon, Version: 3, Tags: MakeTags([]string{"b", awkward, "b"}),
	}
	metadata, err := ParseMetadata([]byte(`{ "n": 1.0, "z": null, "a" : [1, {"k":"\u001b"}], "n": 2.50 }`))
	if err != nil {
		panic(err)
	}
	task := Task{TaskHead: head, CreatedBy: "ada", Metadata: metadata}
	closed := Task{
		TaskHead: TaskHead{ID: "x", Status: StatusCompleted, Type: TypeTask, CreatedAt: morning, UpdatedAt: noon, Version: 1},
		Outcome:  someText, Description: someText, ResolvedAt: &noon, CreatedBy: "mo",
	}
	claim := Claim{Agent: "mo", Aspect: awkward, ClaimedAt: morning, ExpiresAt: noon}
	blocker := Blocker{Kind: BlockedByGate, TaskID: "g", Type: EdgeWaitsOnGate, Status: "open", Message: awkward}
	withClaims, withBlockers, bare := task, task, closed
	withClaims.Claims, withBlockers.Blockers = []Claim{claim}, []Blocker{blocker}
	bare.Claims, bare.Blockers = []Claim{}, []Blocker{}

	decodedMetadata := map[string]any{"n": json.Number("2.50"), "z": nil, "a": []any{json.Number("1"), map[string]any{"k": "\x1b"}}}
	taskKeys := []keyValue{
		{"id", "9c1f02ab"}, {"title", awkward}, {"description", nil}, {"status", "open"}, {"task_type", "gate"},
		{"created_by", "ada"}, {"created_at", morningText}, {"resolved_at", nil}, {"updated_at", noonText},
		{"version", json.Number("3")}, {"tags", []any{"b", awkward, "b"}}, {"metadata", decodedMetadata}, {"outcome", nil},
	}
	closedKeys := []keyValue{
		{"id", "x"}, {"title", ""}, {"description", awkward}, {"status", "completed"}, {"task_type", "task"},
		{"created_by", "mo"}, {"created_at", morningText}, {"resolved_at", noonText}, {"updated_at", noonText},
		{"version", json.Number("1")}, {"tags", []any{}}, {"metadata", map[string]any{}}, {"outcome", awkward},
	}
	claimKeys := []keyValue{{"agent", "mo"}, {"aspect", awkward}, {"expires_at", noonText}}
	blockerKeys := []keyValue{{"kind", "gate"}, {"task_id", "g"}, {"type", "waits_on_gate"}, {"status", "open"}, {"message", awkward}}
	echo := head.echo()
	echoKeys := []keyValue{{"task_id", "9c1f02ab"}, {"title", awkward}, {"updated_at", noonText}, {"version", json.Number("3")}}
	ends := EdgeEnds{FromTaskID: "f", FromTitle: awkward, ToTaskID: "t", ToTitle: "T"}
	stamps := EdgeStamps{FromUpdatedAt: morning, ToUpdatedAt: noon}
	yes, seven := true, int64(7)
	dependsOn, none := []string{"d1", "d1"}, []string{}
	parent := "p"
	finding := Finding{ID: "f1", Agent: "mo", Summary: awkward, KnowledgeID: nothing, CreatedAt: morning}
	findingKeys := []keyValue{{"id", "f1"}, {"agent", "mo"}, {"summary", awkward}, {"knowledge_id", nil}, {"created_at", morningText}}
	agent := Agent{ID: "mo", Name: someText, FirstSeenAt: morning, LastSeenAt: noon}
	event := Event{
		Seq: 9, ID: "e", Type: EventTaskUpdated, Timestamp: noon, Agent: "mo",
		Payload: json.RawMessage(`{"task_id":"x"}`), Subject: Subject{Task: 7},
	}
	eventKeys := []keyValue{
		{"seq", json.Number("9")}, {"id", "e"}, {"type", "task.updated"}, {"timestamp", noonText}, {"agent", "mo"},
		{"payload", map[string]any{"task_id": "x"}}, {"tags", []any{}},
	}
	cause := RootCause{Kind: BlockedForGood, TaskID: "m", Title: nil, Status: statusMissing, Path: []string{"r", "m"}}
	causeKeys := []keyValue{
		{"kind", "blocker_unsatisfiable"}, {"task_id", "m"}, {"title", nil}, {"status", "missing"}, {"path", []any{"r", "m"}},
	}
	title := "Gate"
	step := func(s PlanStep) PlanStep { s.TaskID, s.Title = "g", &title; return s }
	stepKeys := func(action string, rest ...keyValue) []keyValue {
		return append([]keyValue{{"action", action}, {"task_id", "g"}, {"title", "Gate"}}, rest...)
	}

	return []struct {
		name string
		got  any
		want []keyValue
	}{
		{"task record", task, taskKeys},
		{"closed task record", closed, closedKeys},
		{"record with claims", withClaims, append(taskKeys[:13:13], keyValue{"claims", []any{object2map(claimKeys)}})},
		{"record with blockers", withBlockers, append(taskKeys[:13:13], keyValue{"blockers", []any{object2map(blockerKeys)}})},
		{"record with empty lists", bare, append(closedKeys[:13:13], keyValue{"claims", []any{}}, keyValue{"blockers", []any{}})},
		{"claim", claim, claimKeys},
		{"blocker", blocker, blockerKeys},
		{"echo", echo, echoKeys},
		{"task_create", TaskCreateResult{Echo: echo}, echoKeys},
		{
			"task_create with links", TaskCreateResult{Echo: echo, DependsOn: &dependsOn, ParentTaskID: &parent},
			append(echoKeys[:4:4], keyValue{"depends_on", []any{"d1", "d1"}}, keyValue{"parent_task_id", "p"}),
		},
		{"task_create with no links", TaskCreateResult{Echo: echo, DependsOn: &none}, append(echoKeys[:4:4], keyValue{"depends_on", []any{}})},
		{
			"task_spawn", TaskSpawnResult{TaskID: "n", Title: awkward, SourceTaskID: "s", UpdatedAt: noon, Version: 1},
			[]keyValue{{"task_id", "n"}, {"title", awkward}, {"source_task_id", "s"}, {"updated_at", noonText}, {"version", json.Number("1")}},
		},
		{"task_get", TaskGetResult{Task: task}, []keyValue{{"task", object2map(taskKeys)}}},
		{"task_status", TaskStatusResult{Tasks: []Task{task}}, []keyValue{{"tasks", []any{object2map(taskKeys)}}}},
		{"task_list", TaskListResult{}, []keyValue{{"tasks", []any{}}}},
		{"task_list with a limit", TaskListResult{Tasks: []Task{task}, HasMore: &yes}, []keyValue{{"tasks", []any{object2map(taskKeys)}}, {"has_more", true}}},
		{
			"task_update", TaskUpdateResult{Success: true, Message: awkward, Echo: echo},
			append([]keyValue{{"success", true}, {"message", awkward}}, echoKeys...),
		},
		{
			"task_complete", TaskCompleteResult{Success: true, Unblocked: []string{}, Echo: echo},
			append([]keyValue{{"success", true}, {"unblocked", []any{}}}, echoKeys...),
		},
		{
			"task_cancel", TaskCancelResult{Success: true, Stranded: []string{"a"}, Echo: echo},
			append([]keyValue{{"success", true}, {"stranded", []any{"a"}}}, echoKeys...),
		},
		{
			"task_reopen", TaskReopenResult{Success: true, Reblocked: []string{"a"}, Echo: echo},
			append([]keyValue{{"success", true}, {"reblocked", []any{"a"}}}, echoKeys...),
		},
		{
			"task_claim", TaskClaimResult{Success: true, ExpiresAt: morning, Echo: echo},
			append([]keyValue{{"success", true}, {"expires_at", morningText}}, echoKeys...),
		},
		{
			"task_renew", TaskRenewResult{Success: true, NewExpiresAt: morning, Echo: echo},
			append([]keyValue{{"success", true}, {"new_expires_at", morningText}}, echoKeys...),
		},
		{"task_release", TaskReleaseResult{Success: true, Echo: echo}, append([]keyValue{{"success", true}}, echoKeys...)},
		{"task_next with nothing to do", TaskNextResult{}, []keyValue{{"task", nil}}},
		{"task_next", TaskNextResult{Task: &task, Claim: &claim}, []keyValue{{"task", object2map(taskKeys)}, {"claim", object2map(claimKeys)}}},
		{
			"task_edge_upsert", TaskEdgeUpsertResult{Success: true, EdgeEnds: ends, EdgeStamps: stamps},
			[]keyValue{
				{"success", true}, {"from_task_id", "f"}, {"from_title", awkward}, {"to_task_id", "t"}, {"to_title", "T"},
				{"from_updated_at", morningText}, {"to_updated_at", noonText},
			},
		},
		{
			"task_edge_delete", TaskEdgeDeleteResult{Success: true, EdgeEnds: ends, Type: EdgeBlocks, EdgeStamps: stamps},
			[]keyValue{
				{"success", true}, {"from_task_id", "f"}, {"from_title", awkward}, {"to_task_id", "t"}, {"to_title", "T"},
				{"type", "blocks"}, {"from_updated_at", morningText}, {"to_updated_at", noonText},
			},
		},
		{
			"edge", EdgeItem{FromTaskID: "f", ToTaskID: "t", Type: EdgeBlocks, Direction: DirectionIncoming, Metadata: metadata, CreatedBy: "mo", CreatedAt: noon},
			[]keyValue{
				{"from_task_id", "f"}, {"to_task_id", "t"}, {"type", "blocks"}, {"direction", "incoming"}, {"metadata", decodedMetadata},
				{"created_by", "mo"}, {"created_at", noonText},
			},
		},
		{"task_edge_list", TaskEdgeListResult{Edges: []EdgeItem{}}, []keyValue{{"edges", []any{}}}},
		{"task_ready", FrontierResult{Tasks: []Task{task}}, []keyValue{{"tasks", []any{object2map(taskKeys)}}, {"has_more", false}}},
		{"task_blocked cut by a surface", FrontierResult{HasMore: true, Truncated: true}, []keyValue{{"tasks", []any{}}, {"has_more", true}, {"truncated", true}}},
		{"task_children", TaskChildrenResult{}, []keyValue{{"tasks", []any{}}}},
		{
			"task_why", TaskWhyResult{
				TaskID: "w", Title: awkward, Status: StatusOpen, TaskType: TypeTask,
				Blockers: []Blocker{blocker}, RootCauses: []RootCause{cause}, Downstream: 2,
			},
			[]keyValue{
				{"task_id", "w"}, {"title", awkward}, {"status", "open"}, {"task_type", "task"}, {"ready", false},
				{"blockers", []any{object2map(blockerKeys)}}, {"root_causes", []any{object2map(causeKeys)}}, {"unblock_plan", []any{}},
				{"downstream", json.Number("2")},
			},
		},
		{"root cause", cause, causeKeys},
		{"plan: complete", step(PlanStep{Action: ActionComplete}), stepKeys("complete")},
		{"plan: wait_until", step(PlanStep{Action: ActionWaitUntil, Until: noonText}), stepKeys("wait_until", keyValue{"until", noonText})},
		{"plan: resolve_gate", step(PlanStep{Action: ActionResolveGate, GateType: "ci"}), stepKeys("resolve_gate", keyValue{"gate_type", "ci"})},
		{
			"plan: intervene", step(PlanStep{Action: ActionIntervene, Options: []string{"reopen", "delete_edge"}}),
			stepKeys("intervene", keyValue{"options", []any{"reopen", "delete_edge"}}),
		},
		{
			"plan: break_cycle", step(PlanStep{Action: ActionBreakCycle, Path: []string{"g", "h", "g"}}),
			stepKeys("break_cycle", keyValue{"path", []any{"g", "h", "g"}}),
		},
		{
			"task_apply", TaskApplyResult{Success: true, IDs: applyIDs{{"b", "1"}, {"a", "2"}}, Results: []json.RawMessage{json.RawMessage(`{"op":"create"}`)}},
			[]keyValue{{"success", true}, {"ids", map[string]any{"b": "1", "a": "2"}}, {"results", []any{map[string]any{"op": "create"}}}},
		},
		{"finding_post", FindingPostResult{FindingID: "f1", Echo: echo}, append([]keyValue{{"finding_id", "f1"}}, echoKeys...)},
		{"finding", finding, findingKeys},
		{"finding_list", FindingListResult{Findings: []Finding{finding}}, []keyValue{{"findings", []any{object2map(findingKeys)}}}},
		{"agent_register", AgentRegisterResult{Success: true, Created: true}, []keyValue{{"success", true}, {"created", true}}},
		{
			"agent_info", AgentInfoResult{Result: &agent},
			[]keyValue{{"result", map[string]any{
				"id": "mo", "name": awkward, "type": nil, "first_seen_at": morningText, "last_seen_at": noonText, "metadata": map[string]any{},
			}}},
		},
		{
			"agent", agent, []keyValue{
				{"id", "mo"}, {"name", awkward}, {"type", nil}, {"first_seen_at", morningText}, {"last_seen_at", noonText}, {"metadata", map[string]any{}},
			},
		},
		{"agent_info of nobody", AgentInfoResult{}, []keyValue{{"result", nil}}},
		{
			"agent in a list", AgentListItem{ID: "mo", Type: someText, LastSeenAt: noon},
			[]keyValue{{"id", "mo"}, {"name", nil}, {"type", awkward}, {"last_seen_at", noonText}},
		},
		{"agent_list", AgentListResult{Agents: []AgentListItem{}}, []keyValue{{"agents", []any{}}}},
		{
			"stats", StatsResult{Agents: 2, ActiveTasks: 4, OpenClaims: 1, ExpiredClaims: 3, TantivyDocCount: &seven},
			[]keyValue{
				{"documents", json.Number("0")}, {"chroma_chunk_count", json.Number("0")}, {"agents", json.Number("2")},
				{"active_tasks", json.Number("4")}, {"open_claims", json.Number("1")}, {"tags", json.Number("0")},
				{"duplicate_urls", json.Number("0")}, {"index_drift_detected", false}, {"tantivy_doc_count", json.Number("7")},
				{"unresolved_links", json.Number("0")}, {"expired_docs", json.Number("0")}, {"expired_claims", json.Number("3")},
				{"tantivy_last_updated", nil}, {"chroma_last_updated", nil},
				{"graph_node_count", json.Number("0")}, {"graph_edge_count", json.Number("0")},
			},
		},
		{"event", event, eventKeys},
		{
			"events", EventsResult{Events: []Event{event}, NextSince: 9},
			[]keyValue{{"events", []any{object2map(eventKeys)}}, {"next_since", json.Number("9")}, {"has_more", false}},
		},
		{"journal", JournalResult{NextBefore: &seven, HasMore: true}, []keyValue{{"events", []any{}}, {"next_before", json.Number("7")}, {"has_more", true}}},
		{"last page of the journal", JournalResult{}, []keyValue{{"events", []any{}}, {"next_before", nil}, {"has_more", false}}},
		{
			"error", NewError(CodeClaimFailed, awkward, Extra{"reason", "not_open"}, Extra{"holder", nil}, Extra{"expires_at", noon}, Extra{"current", task}),
			[]keyValue{
				{"status", "error"}, {"code", "claim_failed"}, {"message", awkward}, {"reason", "not_open"}, {"holder", nil},
				{"expires_at", noonText}, {"current", object2map(taskKeys)},
			},
		},
	}
}

func object2map(keys []keyValue) map[string]any {
	m := map[string]any{}
	for _, k := range keys {
		m[k.Key] = k.Value
	}
	return m
}

func TestEncodeJSON_records(t *testing.T) {
	for _, r := range records() {
		text, err := EncodeJSON(r.got)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		if diff := cmp.Diff(r.want, readInOrder(t, text)); diff != "" {
			t.Errorf("%s: -want +got\n%s", r.name, diff)
		}
		if bad := strings.IndexFunc(string(text), func(r rune) bool { return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 }); bad >= 0 {
			t.Errorf("%s: a character that must be escaped stands raw at %d: %s", r.name, bad, text)
		}
		if strings.Contains(string(text), `\u003c`) {
			t.Errorf("%s: HTML escaping: %s", r.name, text)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil || compact.String() != string(text) {
			t.Errorf("%s is not compact: %s", r.name, text)
		}
	}
}

// TestEncodeJSON_embedded holds records inside other values, which pass
// through encoding/json, equal to the records by themselves.
func TestEncodeJSON_embedded(t *testing.T) {
	for _, r := range records() {
		alone, err := EncodeJSON(r.got)
		if err != nil {
			t.Fatal(err)
		}
		inList, err := EncodeJSON([]any{r.got})
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if _, marshals := r.got.(json.Marshaler); !marshals {
			if _, appends := r.got.(jsonAppender); appends {
				continue // a whole answer; it never stands inside another
			}
		}
		if string(inList) != "["+string(alone)+"]" {
			t.Errorf("%s: inside a list it is %s, alone %s", r.name, inList, alone)
		}
	}
}

// readInOrder reads one object with its keys in order.
func readInOrder(t *testing.T, text []byte) []keyValue {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		t.Fatalf("%s is no object: %v", text, err)
	}
	var keys []keyValue
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		keys = append(keys, keyValue{token.(string), value})
	}
	if _, err := dec.Token(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if dec.More() {
		t.Fatalf("%s: text after the end", text)
	}
	return keys
}

// TestAppendJSONString_everyByteEverywhere puts every byte at every place of a
// text, which is looked through in words of eight.
func TestAppendJSONString_everyByteEverywhere(t *testing.T) {
	for c := range 256 {
		for at := range 24 {
			text := []byte("abcdefghijklmnopqrstuvwxyz")
			text[at] = byte(c)
			want := quoteByContract(t, string(text))
			if got := AppendJSONString(nil, string(text)); string(got) != want {
				t.Fatalf("byte %#x at %d: %s instead of %s", c, at, got, want)
			}
		}
	}
}
