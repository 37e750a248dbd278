package coretest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dev.lithos/core"
)

// status runs a note write that has to end in a status other than success,
// with exactly these keys beside status, message and warnings, in their place.
func (s *session) status(operation, arguments, status, extras string) {
	s.Helper()
	before := s.dump() + s.files()
	answer := s.answer(operation, arguments)
	var got struct {
		Message  string
		Warnings []string
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		s.Fatalf("%s: %v", answer, err)
	}
	message := string(core.AppendJSONString(nil, got.Message))
	extras = strings.TrimSuffix(strings.TrimPrefix(compact(s, extras), "{"), "}")
	if extras != "" {
		extras = "," + extras
	}
	want := fmt.Sprintf(`{"status":%q,"message":%s,"warnings":[]%s}`, status, message, extras)
	if status == "slug_collision" || status == "path_collision" {
		want = fmt.Sprintf(`{"status":%q,"message":%s%s,"warnings":[]}`, status, message, extras)
	}
	if answer != want {
		s.Errorf("%s %.300s\nanswers %.1500s\nwant    %.1500s", operation, arguments, answer, want)
	}
	if problem := badMessage(got.Message); problem != "" {
		s.Errorf("%s %.300s: the message %q %s", operation, arguments, got.Message, problem)
	}
	if after := s.dump() + s.files(); after != before {
		s.Errorf("%s %.300s was refused, yet something changed:\nbefore\n%s\nafter\n%s", operation, arguments, before, after)
	}
}

// writeNote writes a note with the id given and returns the answer.
func (s *session) writeNote(id, title, more string) string {
	s.Helper()
	s.nextID = id
	if more != "" {
		more = "," + more
	}
	answer := s.do("write", fmt.Sprintf(`{"title":%s,"content":"Text.","agent":"ada"%s}`, core.AppendJSONString(nil, title), more))
	if got := s.value(answer, "status"); got != "created" {
		s.Fatalf("the note %s: %s", id, answer)
	}
	return answer
}

// noteEvents lists the events about notes as type, id and agent.
func (s *session) noteEvents() string {
	s.Helper()
	var lines []string
	events := s.value(s.do("events", `{"types":["note.created","note.updated","note.deleted","note.renamed"]}`), "events").([]any)
	for _, e := range events {
		event := e.(map[string]any)
		payload := event["payload"].(map[string]any)
		line := fmt.Sprintf("%v %v %v", strings.TrimPrefix(event["type"].(string), "note."), payload["id"], event["agent"])
		if payload["src_path"] != nil {
			line += fmt.Sprintf(" %v>%v", payload["src_path"], payload["dest_path"])
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// disk writes a file into the folder of notes by hand.
func (s *session) disk(path, text string) {
	s.Helper()
	name := filepath.Join(s.store.Knowledge, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *session) diskText(path string) string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.store.Knowledge, filepath.FromSlash(path)))
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

const (
	firstNote  = "aaaaaaaa-0000-4000-8000-000000000001"
	secondNote = "aaaaaaaa-0000-4000-8000-000000000002"
	thirdNote  = "bbbbbbbb-0000-4000-8000-000000000003"
	noSuchNote = "cccccccc-0000-4000-8000-000000000009"
)

// testNoteRefusals holds every way in which a note write can be refused: the
// status and what it carries, and that nothing changes, in the order of the
// checks. Each call also breaks rules that are judged later.
func testNoteRefusals(t *testing.T, open Open) {
	s := newSessionWith(t, open, core.Settings{MaxContentBytes: 100})
	s.task("task-one", "")
	s.task("task-two", "")
	s.writeNote(firstNote, "First", `"source_url":"https://example.org/first","path":"dir"`)
	s.writeNote(secondNote, "Second", `"path":"dir/own-name.md"`)
	s.writeNote(thirdNote, "Third", `"path":"dir"`)
	long := strings.Repeat("x", 501)
	large := strings.Repeat("y", 101)

	// Each check fails while all that come later fail too: bad is every
	// argument that is wrong, and one after the other is set right.
	type argument struct{ name, wrong, right string }
	create := []argument{
		{"title", `"` + long + `"`, `"Third"`},
		{"agent", `" "`, `"mo"`},
		{"tags", `["a","b\u0007"]`, `null`},
		{"ttl_hours", `0`, `null`},
		{"expires_at", `""`, `null`},
		{"access_scope", `"all"`, `"task"`},
		{"note_type", `"poem"`, `"concept"`},
		{"status", `"open"`, `"archived"`},
		{"summaries", `{"medium":"x"}`, `{"short":"s","long":"l"}`},
		{"metadata", `{"tags":1}`, `{"mine":null}`},
		{"source_task", `null`, `"task-one"`},
		{"derived_from_ids", `["aaaaaaaa"]`, `["dddddddd-0000-4000-8000-000000000001"]`},
		{"content", `"` + large + `"`, `""`},
		{"confidence", `1.5`, `0.5`},
		{"source_url", `"ftp://example.org"`, `null`},
		{"path", `"../up"`, `"dir"`},
	}
	call := func(right map[string]bool, change map[string]string) string {
		var members []string
		for _, a := range create {
			value := a.wrong
			if right[a.name] {
				value = a.right
			}
			if v, ok := change[a.name]; ok {
				value = v
			}
			members = append(members, fmt.Sprintf("%q:%s", a.name, value))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	right := map[string]bool{}
	step := func(status, extras string, repaired ...string) {
		s.Helper()
		s.status("write", call(right, nil), status, extras)
		for _, name := range repaired {
			right[name] = true
		}
	}
	invalid := func(field, value string) string {
		return fmt.Sprintf(`{"reason":"invalid_field_value","field":%q,"value":%s}`, field, value)
	}
	step("content_too_large", `{"field":"title","length":501,"limit":500}`, "title")
	step("invalid_input", invalid("agent", `" "`), "agent")
	step("invalid_input", invalid("tags[1]", `"b\u0007"`), "tags")
	step("invalid_input", `{"reason":"invalid_field_value","field":"ttl_hours"}`)
	s.status("write", call(right, map[string]string{"expires_at": "null"}), "invalid_input", invalid("ttl_hours", "0.0"))
	right["ttl_hours"] = true
	step("invalid_input", `{"reason":"invalid_field_value","field":"access_scope","value":"all","allowed":["shared","task","agent_private"]}`, "access_scope")
	step("invalid_input", `{"reason":"invalid_field_value","field":"note_type","value":"poem","allowed":["observation","agent_finding","summary","concept","task_record","hypothesis"]}`, "note_type")
	step("invalid_input", `{"reason":"invalid_status","field":"status","value":"open","allowed":["active","archived","quarantined"]}`, "status")
	step("invalid_input", `{"reason":"unknown_field","field":"summaries.medium","allowed":["summaries.short","summaries.long"]}`, "summaries")
	step("invalid_input", `{"reason":"invalid_field_value","field":"metadata.tags"}`, "metadata")
	step("invalid_input", `{"reason":"missing_field","field":"source_task"}`, "source_task")
	step("invalid_input", invalid("expires_at", `""`), "expires_at")
	s.failNote("write", call(right, nil), "ambiguous_id_prefix",
		`{"field":"derived_from_ids[0]","value":"aaaaaaaa","candidates":[{"id":"`+firstNote+`","title":"First"},{"id":"`+secondNote+`","title":"Second"}]}`)
	right["derived_from_ids"] = true
	step("content_too_large", `{"field":"content","length":101,"limit":100}`, "content")
	step("invalid_input", invalid("confidence", "1.5"), "confidence")
	step("invalid_input", invalid("source_url", `"ftp://example.org"`))
	s.refuse("write", call(right, map[string]string{"source_url": `"https://EXAMPLE.org:443/first/?fbclid=1#x"`, "derived_from_ids": `["nobody"]`}),
		`{"status":"duplicate","duplicate_of":{"id":"`+firstNote+`","title":"First","source_url":"https://example.org/first"},"message":"That URL belongs to an existing note.","warnings":[]}`)
	right["source_url"] = true
	s.status("write", call(right, map[string]string{"derived_from_ids": `["nobody"]`}), "invalid_input", invalid("derived_from_ids[0]", `"nobody"`))
	step("invalid_input", invalid("path", `"../up"`), "path")
	step("slug_collision", `{"existing_id":"`+thirdNote+`"}`)
	s.status("write", call(right, map[string]string{"path": `"dir/own-name.md"`}), "path_collision", `{"existing_id":"`+secondNote+`"}`)
	s.status("write", call(right, map[string]string{"path": `"dir/third.md"`}), "path_collision", `{"existing_id":"`+thirdNote+`"}`)
	s.status("write", call(right, map[string]string{"title": `"Own name"`}), "path_collision", `{"existing_id":"`+secondNote+`"}`)

	// The same for updates.
	update := func(more string) string {
		return `{"id":"` + thirdNote + `","title":"First","content":"","agent":"mo"` + more + `}`
	}
	s.status("write", update(`,"confidence":-0.1,"access_scope":"task","expected_version":9`), "invalid_input", invalid("confidence", "-0.1"))
	s.status("write", update(`,"access_scope":"task","expected_version":9`), "invalid_input", `{"reason":"missing_field","field":"source_task"}`)
	s.status("write", update(`,"expected_version":9,"source_url":"x"`), "version_conflict", `{"current_version":1}`)
	s.status("write", update(`,"expected_version":0`), "invalid_input", invalid("expected_version", "0"))
	s.status("write", update(`,"expected_version":1,"source_url":"x"`), "slug_collision", `{"existing_id":"`+firstNote+`"}`)
	other := func(more string) string {
		return `{"id":"` + thirdNote + `","title":"Another","content":"","agent":"mo"` + more + `}`
	}
	s.status("write", other(`,"source_url":"x","derived_from_ids":["nobody"]`), "invalid_input", invalid("source_url", `"x"`))
	s.refuse("write", other(`,"source_url":"https://example.org/first","derived_from_ids":["nobody"]`),
		`{"status":"duplicate","duplicate_of":{"id":"`+firstNote+`","title":"First","source_url":"https://example.org/first"},"message":"That URL belongs to an existing note.","warnings":[]}`)
	s.status("write", other(`,"derived_from_ids":["`+thirdNote+`"]`), "invalid_input", invalid("derived_from_ids[0]", `"`+thirdNote+`"`))
	s.status("write", other(`,"derived_from_ids":["`+strings.ToUpper(thirdNote)+`"]`), "invalid_input", invalid("derived_from_ids[0]", `"`+thirdNote+`"`))
	s.failNote("write", `{"id":"`+noSuchNote+`","title":"T","content":"`+large+`","agent":"mo"}`, "note_not_found", `{"field":"id","value":"`+noSuchNote+`"}`)
	s.failNote("write", `{"id":"aaaaaa","title":"T","content":"","agent":"mo"}`, "ambiguous_id_prefix",
		`{"field":"id","value":"aaaaaa","candidates":[{"id":"`+firstNote+`","title":"First"},{"id":"`+secondNote+`","title":"Second"}]}`)
	s.status("write", `{"id":"aaaaa","title":"T","content":"","agent":"mo"}`, "invalid_input", invalid("id", `"aaaaa"`))
	s.failNote("write", `{"title":"T","content":"","agent":"mo","source_task":"task-o","derived_from_ids":["aaaaaa"]}`, "ambiguous_id_prefix",
		`{"field":"derived_from_ids[0]","value":"aaaaaa","candidates":[{"id":"`+firstNote+`","title":"First"},{"id":"`+secondNote+`","title":"Second"}]}`)

	// Shape comes first, and misfits are statuses as well.
	s.status("write", `{"title":"T","content":"","agent":"mo","colour":"red"}`, "invalid_input",
		`{"reason":"unknown_field","field":"colour","allowed":["title","content","agent","tags","confidence","path","id","source_task","source_url","derived_from_ids","ttl_hours","expires_at","expected_version","schema_version","namespace","access_scope","note_type","status","summaries","metadata"]}`)
	s.status("write", `{"title":"T","agent":"mo"}`, "invalid_input", `{"reason":"missing_field","field":"content"}`)
	s.status("write", `{"title":"T","content":7,"agent":"mo"}`, "invalid_input", invalid("content", "7"))
	s.status("write", `{"title":"two\nlines","content":"","agent":"mo"}`, "invalid_input", invalid("title", `"two\nlines"`))
	s.status("write", "{\"title\":\"T\",\"content\":\"\\u0000\",\"agent\":\"mo\"}", "invalid_input", `{"reason":"malformed"}`)

	// note_update: nothing given, status, metadata, id, version, slug.
	s.status("note_update", `{"id":"nobody-here","agent":"mo"}`, "invalid_input", `{"reason":"missing_field"}`)
	s.status("note_update", `{"id":"nobody-here","agent":"mo","metadata":{}}`, "invalid_input", `{"reason":"missing_field"}`)
	s.status("note_update", `{"id":"nobody-here","agent":"mo","status":"gone","metadata":{"id":1}}`, "invalid_input",
		`{"reason":"invalid_status","field":"status","value":"gone","allowed":["active","archived","quarantined"]}`)
	s.status("note_update", `{"id":"nobody-here","agent":"mo","status":"active","metadata":{"id":1}}`, "invalid_input", `{"reason":"invalid_field_value","field":"metadata.id"}`)
	s.failNote("note_update", `{"id":"nobody-here","agent":"mo","status":"active"}`, "note_not_found", `{"field":"id","value":"nobody-here"}`)
	s.status("note_update", `{"id":"`+thirdNote+`","agent":"mo","title":"First","expected_version":2}`, "version_conflict", `{"current_version":1}`)
	s.status("note_update", `{"id":"`+thirdNote+`","agent":"mo","title":"First"}`, "slug_collision", `{"existing_id":"`+firstNote+`"}`)
	s.failNote("delete", `{"id":"nobody-here","agent":"mo"}`, "doc_not_found", `{"field":"id","value":"nobody-here"}`)
	if got := s.noteEvents(); strings.Count(got, "\n") != 2 {
		t.Errorf("refusals have left events:\n%s", got)
	}
}

// failNote is fail, with the files watched as well.
func (s *session) failNote(operation, arguments, code, extras string) {
	s.Helper()
	before := s.files()
	s.fail(operation, arguments, code, extras)
	if after := s.files(); after != before {
		s.Errorf("%s %.300s failed, yet files changed:\nbefore\n%s\nafter\n%s", operation, arguments, before, after)
	}
}

// testNoteUpdates holds what an update keeps, clears and merges.
func testNoteUpdates(t *testing.T, open Open) {
	s := newSession(t, open)
	s.at("2026-03-01T08:00:00Z")
	s.writeNote(firstNote, "First", `"tags":["a","b"],"source_url":"https://example.org/x","derived_from_ids":["DDDDDDDD-0000-4000-8000-000000000002"," dddddddd-0000-4000-8000-000000000001 "],"ttl_hours":1.5,"namespace":"mine","metadata":{"k":1,"gone":null,"deep":{"b":1,"a":[1.0,"x",true,null]}},"summaries":{"short":"s"},"confidence":0.25,"schema_version":3,"note_type":"concept"`)
	metadata := func() string {
		s.Helper()
		answer := s.do("read", `{"id":"`+firstNote+`"}`)
		start := strings.Index(answer, `"metadata":`) + len(`"metadata":`)
		return answer[start:strings.Index(answer, `,"links":`)]
	}
	head := `{"id":"` + firstNote + `","title":"First","author":"ada","created_at":"2026-03-01T08:00:00+00:00",`
	if got, want := metadata(), head+`"updated_at":"2026-03-01T08:00:00+00:00","tags":["a","b"],"aliases":[],"confidence":0.25,"contributors":[],"source":null,"source_url":"https://example.org/x","expires_at":"2026-03-01T09:30:00+00:00","supersedes":null,"derived_from_ids":["dddddddd-0000-4000-8000-000000000001","dddddddd-0000-4000-8000-000000000002"],"version":1,"schema_version":3,"namespace":"mine","access_scope":"shared","note_type":"concept","status":"active","summaries":{"short":"s"},"deep":{"b":1,"a":[1.0,"x",true,null]},"gone":null,"k":1,"extra":{"deep":{"b":1,"a":[1.0,"x",true,null]},"gone":null,"k":1}}`; got != want {
		t.Errorf("after create\n%s\nwant\n%s", got, want)
	}
	// Everything is kept that is not named; the stamp never repeats.
	s.want("write", `{"id":"aaaaaaaa","title":"First","content":"New.","agent":"mo"}`,
		`{"status":"updated","id":"`+firstNote+`","title":"First","path":"first.md","version":2,"updated_at":"2026-03-01T08:00:00.000001+00:00","warnings":[]}`)
	s.want("write", `{"id":"aaaaaaaa","title":"First","content":"New.","agent":"mo","metadata":{"k":null,"new":"v","deep":7},"expires_at":"2026-04-01","namespace":"","path":"../ignored","tags":null}`,
		`{"status":"updated","id":"`+firstNote+`","title":"First","path":"first.md","version":3,"updated_at":"2026-03-01T08:00:00.000002+00:00","warnings":[]}`)
	if got, want := metadata(), head+`"updated_at":"2026-03-01T08:00:00.000002+00:00","tags":["a","b"],"aliases":[],"confidence":0.25,"contributors":["mo"],"source":null,"source_url":"https://example.org/x","expires_at":"2026-04-01T00:00:00+00:00","supersedes":null,"derived_from_ids":["dddddddd-0000-4000-8000-000000000001","dddddddd-0000-4000-8000-000000000002"],"version":3,"schema_version":3,"namespace":"mine","access_scope":"shared","note_type":"concept","status":"active","summaries":{"short":"s"},"deep":7,"gone":null,"new":"v","extra":{"deep":7,"gone":null,"new":"v"}}`; got != want {
		t.Errorf("after merging\n%s\nwant\n%s", got, want)
	}
	s.want("write", `{"id":"aaaaaaaa","title":"First","content":"","agent":"ada","tags":[],"source_url":"","derived_from_ids":[],"expires_at":"","metadata":{}}`,
		`{"status":"updated","id":"`+firstNote+`","title":"First","path":"first.md","version":4,"updated_at":"2026-03-01T08:00:00.000003+00:00","warnings":[]}`)
	if got, want := metadata(), head+`"updated_at":"2026-03-01T08:00:00.000003+00:00","tags":[],"aliases":[],"confidence":0.25,"contributors":["mo"],"source":null,"source_url":null,"supersedes":null,"derived_from_ids":[],"version":4,"schema_version":3,"namespace":"mine","access_scope":"shared","note_type":"concept","status":"active","summaries":{"short":"s"},"extra":{}}`; got != want {
		t.Errorf("after clearing\n%s\nwant\n%s", got, want)
	}
	// note_update leaves the text alone; {} beside another field changes nothing.
	s.disk("hand.md", "## before\n\n#  Hand made \n\nSome  text,\n\n  indented \t\n\n")
	id := s.value(s.do("list", `{"title_contains":"HAND MADE"}`), "items", 0, "id").(string)
	s.do("note_update", fmt.Sprintf(`{"id":%q,"agent":"mo","metadata":{"a":1},"tags":["t"]}`, id))
	s.do("note_update", fmt.Sprintf(`{"id":%q,"agent":"mo","metadata":{},"status":"archived"}`, id))
	if _, body, _ := strings.Cut(s.diskText("hand.md"), "\n---\n\n"); body != "## before\n\n#  Hand made \n\nSome  text,\n\n  indented" {
		t.Errorf("the body became %q", body)
	}
	s.do("note_update", fmt.Sprintf(`{"id":%q,"agent":"mo","title":"Renamed"}`, id))
	if _, body, _ := strings.Cut(s.diskText("hand.md"), "\n---\n\n"); body != "## before\n\n# Renamed\n\nSome  text,\n\n  indented" {
		t.Errorf("the retitled body became %q", body)
	}
	if got := s.value(s.do("read", fmt.Sprintf(`{"id":%q}`, id)), "metadata", "extra"); fmt.Sprint(got) != "map[a:1]" {
		t.Errorf("the free-form keys became %v", got)
	}

	// A new title leaves the file's name, frees its slug and not its path.
	s.writeNote(secondNote, "Second", "")
	s.do("write", `{"id":"`+secondNote+`","title":"Renamed too","content":"","agent":"mo"}`)
	s.status("write", `{"title":"Second","content":"","agent":"mo"}`, "path_collision", `{"existing_id":"`+secondNote+`"}`)
	s.writeNote(thirdNote, "Renamed too", "") // that note has a file name of its own
	// Unresolved sources are kept and warned of, each once.
	s.nextID = "eeeeeeee-0000-4000-8000-000000000001"
	s.want("write", `{"title":"Derived","content":"","agent":"mo","derived_from_ids":["`+noSuchNote+`","aaaaaaaa-0000-4000-8000-000000000001","`+noSuchNote+`"]}`,
		`{"status":"created","id":"eeeeeeee-0000-4000-8000-000000000001","title":"Derived","path":"derived.md","version":1,"updated_at":"2026-03-01T08:00:00+00:00","warnings":["There is no note '`+noSuchNote+`' yet; it is kept as an unresolved source."]}`)
	// What is deleted frees URL, slug and file name.
	s.writeNote("ffffffff-1", "Fourth", `"source_url":"https://example.org/4"`)
	s.do("delete", `{"id":"ffffffff-1","agent":"mo"}`)
	s.writeNote("ffffffff-2", "Fourth", `"source_url":"https://example.org/4"`)
	s.same("list", `{}`)
}

// testNoteRaces holds that of two writers with one version one wins.
func testNoteRaces(t *testing.T, open Open) {
	s := newSession(t, open)
	s.writeNote(firstNote, "First", "")
	const writers = 8
	answers := make(chan string, writers)
	for i := range writers {
		go func() {
			answers <- string(call(context.Background(), s.service, "write",
				fmt.Appendf(nil, `{"id":%q,"title":"First","content":"By %d.","agent":"a%d","expected_version":1}`, firstNote, i, i)))
		}()
	}
	won := 0
	for range writers {
		answer := <-answers
		switch s.value(answer, "status") {
		case "updated":
			won++
		case "version_conflict":
			if got := s.value(answer, "current_version"); fmt.Sprint(got) != "2" {
				t.Errorf("the loser is told %s", answer)
			}
		default:
			t.Errorf("a writer gets %s", answer)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d writers with one version won", won, writers)
	}
}
