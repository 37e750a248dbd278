package coretest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"dev.lithos/core"
)

// onDisk is the path of a file of the folder of notes.
func (s *session) onDisk(path string) string {
	return filepath.Join(s.store.Knowledge, filepath.FromSlash(path))
}

func (s *session) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// testNotePaths holds which paths can be written and read, and that nothing
// outside of the folder is ever touched.
func testNotePaths(t *testing.T, open Open) {
	s := newSession(t, open)
	outside := filepath.Join(filepath.Dir(s.store.Knowledge), "outside")
	s.must(os.MkdirAll(outside, 0o700))
	s.must(os.WriteFile(filepath.Join(outside, "secret.md"), []byte("# Secret\n\nnobody's business"), 0o600))
	s.writeNote(firstNote, "First", "")
	s.must(os.Symlink(outside, s.onDisk("way-out")))
	s.must(os.Symlink(filepath.Join(outside, "secret.md"), s.onDisk("link.md")))
	s.must(os.Symlink("first.md", s.onDisk("inside.md")))
	s.must(os.Symlink(filepath.Join(outside, "new.md"), s.onDisk("dangling.md")))
	s.must(syscall.Mkfifo(s.onDisk("pipe.md"), 0o600))
	s.must(os.Mkdir(s.onDisk("folder.md"), 0o700))
	s.disk("plain", "a file without a suffix")
	s.disk(".hidden/x.md", "# Hidden")
	s.disk(".x.md", "# Hidden")
	before := tree(t, outside)

	if got := fmt.Sprint(s.values(s.do("list", `{}`), "items", "path")); got != "[first.md]" {
		t.Errorf("the notes are %s", got)
	}
	longName := strings.Repeat("n", 252) + ".md"
	for _, path := range []string{
		"/abs", "/abs.md", "..", "../up", "../up.md", "a/../../up", "a/..", ".", "./a", "a/./b", "", "a//b", "a/", "a/.hidden", ".hidden", ".hidden/x.md",
		`a\b`, `..\up`, "a\x07b", "a\nb.md", "a.md/b", "a.md/b.md", strings.Repeat("n", 256), strings.Repeat("n", 253) + ".md", strings.Repeat("deep/", 700) + "x",
		"way-out", "way-out/new", "way-out/new.md", "plain", "plain/x.md", "folder.md/x", "link.md/x",
	} {
		if path == "" {
			continue // the root
		}
		s.status("write", fmt.Sprintf(`{"title":"T","content":"","agent":"mo","path":%s}`, quote(path)), "invalid_input",
			fmt.Sprintf(`{"reason":"invalid_field_value","field":"path","value":%s}`, quote(clipped(path))))
	}
	// What is there although it is no note is not overwritten.
	for _, path := range []string{"link.md", "inside.md", "dangling.md", "pipe.md", "folder.md"} {
		s.status("write", fmt.Sprintf(`{"title":"T","content":"","agent":"mo","path":%s}`, quote(path)), "path_collision", `{"existing_id":null}`)
	}
	for _, path := range []string{
		longName, "CON.md", "con/aux", "nul.md", "a b/ü 日本.md", "Größe", "UPPER.md", "upper.md", "c:x.md", "$(rm).md", "-rf.md", "~.md", "x.md.md", "a:b/c?d*.md", "MD.MD",
	} {
		answer := s.do("write", fmt.Sprintf(`{"title":"Title of %d","content":"Text.","agent":"mo","path":%s}`, len(path), quote(path)))
		if s.value(answer, "status") != "created" {
			t.Errorf("the path %q: %s", path, answer)
			continue
		}
		file := s.value(answer, "path").(string)
		read := s.do("read", fmt.Sprintf(`{"path":%s}`, quote(file)))
		if s.value(read, "id") != s.value(answer, "id") {
			t.Errorf("the path %q reads as %s", path, read)
		}
	}
	for path, code := range map[string]string{
		"../outside/secret.md": "invalid_input", "/etc/passwd": "invalid_input", `..\x`: "invalid_input", "a/../../x": "invalid_input", "..": "invalid_input", "a/..": "invalid_input",
		"way-out/secret.md": "doc_not_found", "link": "doc_not_found", "inside": "doc_not_found", "pipe": "doc_not_found", "folder": "doc_not_found",
		".hidden/x": "doc_not_found", "nowhere": "doc_not_found", "first.txt": "doc_not_found", strings.Repeat("n", 300): "doc_not_found",
	} {
		extras := fmt.Sprintf(`{"field":"path","value":%s}`, quote(clipped(path)))
		if code == "invalid_input" {
			extras = `{"reason":"invalid_field_value",` + extras[1:]
		}
		s.failNote("read", fmt.Sprintf(`{"path":%s}`, quote(path)), code, extras)
	}
	for _, path := range []string{"first", "first.md", "./first", "x/../first.md", "/first"[1:]} {
		if got := s.value(s.do("read", fmt.Sprintf(`{"path":%s}`, quote(path))), "id"); got != firstNote {
			t.Errorf("the path %q reads as %v", path, got)
		}
	}
	s.failNote("read", `{}`, "invalid_input", `{"reason":"missing_field","field":"id"}`)
	s.failNote("read", `{"path":""}`, "invalid_input", `{"reason":"missing_field","field":"id"}`)
	if after := tree(t, outside); after != before {
		t.Errorf("outside the folder something changed:\n%s\nwas\n%s", after, before)
	}

	// Titles that are one once normalised have one file name; long ones are cut.
	s.writeNote("nfc-note", "Caf\u00e9 \u212b", `"path":"norm"`)
	s.status("write", `{"title":"Cafe\u0301 A\u030a","content":"","agent":"mo","path":"norm"}`, "slug_collision", `{"existing_id":"nfc-note"}`)
	long := strings.Repeat("語", 200)
	file := s.value(s.writeNote("long-note", long, ""), "path").(string)
	if len(file) != 171+1+8+3 || !strings.HasPrefix(long, file[:171]) {
		t.Errorf("a long title gives the file %q of %d bytes", file, len(file))
	}
	s.writeNote("odd-note", "!!! ___ !!!", "")
	if got := s.value(s.do("read", `{"id":"odd-note"}`), "path"); got != "untitled.md" {
		t.Errorf("a title without letters gives %v", got)
	}
}

func quote(s string) string {
	return string(appendJSON(s))
}

func clipped(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// tree is all that is in a folder.
func tree(t *testing.T, folder string) string {
	t.Helper()
	var lines []string
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, entry.Name()+"\n"+string(text))
	}
	return strings.Join(lines, "\n")
}

// testNoteHandEdits holds that what people do with files is taken up by the
// next operation, with its events.
func testNoteHandEdits(t *testing.T, open Open) {
	s := newSession(t, open)
	s.at("2026-03-01T08:00:00Z")
	s.writeNote(firstNote, "First", `"tags":["a"],"path":"dir"`)
	s.writeNote(secondNote, "Second", `"tags":["b"]`)
	want := func(lines ...string) {
		t.Helper()
		s.do("list", `{}`)
		if got := s.noteEvents(); got != strings.Join(lines, "\n") {
			t.Errorf("the events are\n%s\nwant\n%s", got, strings.Join(lines, "\n"))
		}
		if got := s.value(s.do("stats", `{}`), "index_drift_detected"); got != false {
			t.Errorf("the index drifted")
		}
	}
	lines := []string{"created " + firstNote + " ada", "created " + secondNote + " ada"}
	want(lines...)
	// Edited in place, to the same length.
	text := s.diskText("dir/first.md")
	s.disk("dir/first.md", strings.Replace(text, "Text.", "Pest.", 1))
	if got := s.value(s.do("stats", `{}`), "index_drift_detected"); got != true {
		t.Error("stats does not see that a file has changed")
	}
	if got := s.value(s.do("read", `{"id":"`+firstNote+`"}`), "content"); got != "Pest." {
		t.Errorf("after an edit the content is %v", got)
	}
	lines = append(lines, "updated "+firstNote+" disk")
	want(lines...)
	if got := s.values(s.do("search", `{"query":"pest"}`), "results", "id"); fmt.Sprint(got) != "["+firstNote+"]" {
		t.Errorf("search finds %v", got)
	}
	// Touched, or written with the same content: nothing has happened.
	s.must(os.Chmod(s.onDisk("dir/first.md"), 0o640))
	s.disk("second.md", s.diskText("second.md"))
	want(lines...)
	// Renamed, alone and with an edit.
	s.must(os.Rename(s.onDisk("second.md"), s.onDisk("dir/moved.md")))
	lines = append(lines, "renamed "+secondNote+" disk second.md>dir/moved.md")
	want(lines...)
	s.must(os.Rename(s.onDisk("dir"), s.onDisk("other")))
	s.disk("other/moved.md", strings.Replace(s.diskText("other/moved.md"), "Text.", "Moved.", 1))
	lines = append(lines, "renamed "+firstNote+" disk dir/first.md>other/first.md",
		"renamed "+secondNote+" disk dir/moved.md>other/moved.md", "updated "+secondNote+" disk")
	want(lines...)
	if got := s.value(s.do("read", `{"id":"`+firstNote+`"}`), "metadata", "namespace"); got != "other" {
		t.Errorf("the namespace of a moved note is %v", got)
	}
	// Two files change names.
	a, b := s.diskText("other/first.md"), s.diskText("other/moved.md")
	s.disk("other/first.md", b)
	s.disk("other/moved.md", a)
	lines = append(lines, "renamed "+secondNote+" disk other/moved.md>other/first.md", "renamed "+firstNote+" disk other/first.md>other/moved.md")
	want(lines...)
	// Broken, then mended: not gone in between for good.
	s.disk("other/first.md", "---\nid: "+secondNote+"\ncreated_at: never\n---\n")
	want(lines...)
	s.failNote("read", `{"id":"`+secondNote+`"}`, "doc_not_found", `{"field":"id","value":"`+secondNote+`"}`)
	if got := s.do("list", `{"limit":0}`); got != `{"items":[],"total":2}` {
		t.Errorf("an unreadable file is counted as %s", got)
	}
	s.disk("other/first.md", b)
	lines = append(lines, "updated "+secondNote+" disk")
	want(lines...)
	// Deleted by hand; the folder too.
	s.must(os.Remove(s.onDisk("other/first.md")))
	lines = append(lines, "deleted "+secondNote+" disk")
	want(lines...)
	s.must(os.RemoveAll(s.onDisk("other")))
	lines = append(lines, "deleted "+firstNote+" disk")
	want(lines...)
	if got := s.value(s.do("agent_info", `{"id":"disk"}`), "result"); got != nil {
		t.Errorf("disk became an agent: %v", got)
	}
	// A writer meets what was done by hand before it.
	s.disk("third.md", "---\nid: "+thirdNote+"\nsource_url: https://example.org/3/\nversion: 7\n---\n# Third\n")
	lines = append(lines, "created "+thirdNote+" disk")
	want(lines...)
	s.status("write", `{"title":"Third","content":"","agent":"mo"}`, "slug_collision", `{"existing_id":"`+thirdNote+`"}`)
	s.refuse("write", `{"title":"T","content":"","agent":"mo","source_url":"https://example.org/3"}`,
		`{"status":"duplicate","duplicate_of":{"id":"`+thirdNote+`","title":"Third","source_url":"https://example.org/3"},"message":"That URL belongs to an existing note.","warnings":[]}`)
	s.status("note_update", `{"id":"`+thirdNote+`","agent":"mo","status":"archived","expected_version":1}`, "version_conflict", `{"current_version":7}`)
	s.do("note_update", `{"id":"`+thirdNote+`","agent":"mo","status":"archived","expected_version":7}`)
	s.must(os.Remove(s.onDisk("third.md")))
	s.do("list", `{}`)
	s.failNote("note_update", `{"id":"`+thirdNote+`","agent":"mo","status":"active"}`, "note_not_found", `{"field":"id","value":"`+thirdNote+`"}`)
}

// testNoteIDsByHand holds what becomes of files without ids and with the same
// ids.
func testNoteIDsByHand(t *testing.T, open Open) {
	s := newSession(t, open)
	s.disk("a.md", "# Alpha\n\nWithout front matter.")
	first := fmt.Sprint(s.values(s.do("list", `{}`), "items", "id"))
	s.disk("a.md", "# Alpha\n\nAnother text.")
	if again := fmt.Sprint(s.values(s.do("list", `{}`), "items", "id")); again != first {
		t.Errorf("an edited file without an id went from %s to %s", first, again)
	}
	s.must(os.Rename(s.onDisk("a.md"), s.onDisk("b.md")))
	if again := fmt.Sprint(s.values(s.do("list", `{}`), "items", "id")); again != first {
		t.Errorf("a renamed file without an id went from %s to %s", first, again)
	}
	id := strings.Trim(first, "[]")
	s.do("write", fmt.Sprintf(`{"id":%q,"title":"Alpha","content":"Written.","agent":"mo"}`, id))
	if !strings.Contains(s.diskText("b.md"), "\nid: "+id+"\n") || !strings.Contains(s.diskText("b.md"), "\nnamespace: default\n") {
		t.Errorf("the file became\n%s", s.diskText("b.md"))
	}
	// A copy has the id of its original, which keeps it, wherever it lies.
	s.disk("0-copy.md", s.diskText("b.md"))
	s.disk("z-copy.md", s.diskText("b.md"))
	if got := s.do("list", `{"limit":0}`); got != `{"items":[],"total":3}` {
		t.Errorf("with copies there are %s", got)
	}
	if got := s.value(s.do("read", fmt.Sprintf(`{"id":%q}`, id)), "path"); got != "b.md" {
		t.Errorf("the id belongs to %v", got)
	}
	problems := s.values(s.do("note_reindex", `{}`), "problems", "reason")
	if !slices.Equal(problems, []any{"has the id of 'b.md'", "has the id of 'b.md'"}) {
		t.Errorf("the problems are %v", problems)
	}
	// Without the original the first copy has it.
	s.must(os.Remove(s.onDisk("b.md")))
	s.do("note_reindex", `{}`)
	if got := s.value(s.do("read", fmt.Sprintf(`{"id":%q}`, id)), "path"); got != "0-copy.md" {
		t.Errorf("the id belongs to %v", got)
	}
	// Any text can be an id.
	s.disk("odd.md", "---\nid: 2026-01-01\n---\n# Odd")
	s.disk("number.md", "---\nid: 1234567\n---\n# Number")
	for id, title := range map[string]string{"2026-01-01": "Odd", "1234567": "Number", "123456": "Number"} {
		if got := s.value(s.do("read", fmt.Sprintf(`{"id":%q}`, id)), "title"); got != title {
			t.Errorf("the id %s is of %v", id, got)
		}
	}
}

// testNoteCopies holds that a file with the id of another's note is taken up
// when that has lost it, by the next operation.
func testNoteCopies(t *testing.T, open Open) {
	s := newSession(t, open)
	lines := []string{"created " + firstNote + " ada"}
	want := func(what, path string, more ...string) {
		t.Helper()
		lines = append(lines, more...)
		if got := s.value(s.do("read", `{"id":"`+firstNote+`"}`), "path"); got != path {
			t.Errorf("%s: the note is in %v, want %s", what, got, path)
		}
		if got := s.noteEvents(); got != strings.Join(lines, "\n") {
			t.Errorf("%s: the events are\n%s\nwant\n%s", what, got, strings.Join(lines, "\n"))
		}
	}
	s.writeNote(firstNote, "First", "")
	text := s.diskText("first.md")
	s.disk("b.md", text)
	s.disk("c.md", text)
	s.do("list", `{}`)
	want("with two copies", "first.md")
	s.must(os.Remove(s.onDisk("first.md")))
	s.do("list", `{}`)
	want("without the original", "b.md", "renamed "+firstNote+" disk first.md>b.md")
	// The line with the id is edited away: that is another note now.
	s.nextID = secondNote
	s.disk("b.md", "# Other")
	s.do("list", `{}`)
	want("with another id", "c.md", "created "+secondNote+" disk", "renamed "+firstNote+" disk b.md>c.md")
	// The note can no longer be read.
	s.disk("d.md", text)
	s.do("list", `{}`)
	s.disk("c.md", "---\nid: "+firstNote+"\ncreated_at: never\n---\n")
	s.do("list", `{}`)
	want("unreadable", "d.md", "created "+firstNote+" disk")
	// The note is deleted by a tool.
	s.disk("e.md", text)
	s.do("list", `{}`)
	s.do("delete", `{"id":"`+firstNote+`","agent":"mo"}`)
	want("deleted", "e.md", "deleted "+firstNote+" mo", "created "+firstNote+" disk")
	if got := s.value(s.do("stats", `{}`), "index_drift_detected"); got != false {
		t.Error("the index drifted")
	}
}

// testNoteExtremes holds what becomes of values at the end of what can be.
func testNoteExtremes(t *testing.T, open Open) {
	s := newSession(t, open)
	s.writeNote(firstNote, "First", "")
	// More than can be read again is not written.
	s.status("note_update", `{"id":"`+firstNote+`","agent":"mo","metadata":{"a":[1`+strings.Repeat(",1", 250_000)+`]}}`,
		"content_too_large", `{"field":"metadata","length":250004,"limit":200000}`)
	s.status("write", `{"title":"Large","content":"","agent":"mo","metadata":{"a":[1`+strings.Repeat(",1", 250_000)+`]}}`,
		"content_too_large", `{"field":"metadata","length":250004,"limit":200000}`)
	s.status("write", `{"title":"T","content":"","agent":"mo","path":"`+strings.Repeat("d/", 31)+`d"}`, "invalid_input",
		`{"reason":"invalid_field_value","field":"path","value":"`+strings.Repeat("d/", 31)+`d"}`)
	// There is no time after the last.
	s.disk("last.md", "---\nid: "+secondNote+"\nupdated_at: '9999-12-31T23:59:59.999999+00:00'\nversion: 9223372036854775807\nzip: 01234\n1: one\n---\n\n    code\n\n# T")
	answer := s.do("note_update", `{"id":"`+secondNote+`","agent":"mo","status":"archived"}`)
	if got := fmt.Sprintf("%v %v", s.value(answer, "version"), s.value(answer, "updated_at")); got != "2 9999-12-31T23:59:59.999999+00:00" {
		t.Errorf("at the end of time: %s", answer)
	}
	text := s.diskText("last.md")
	for _, part := range []string{"\nzip: 01234\n", "\n1: one\n", "---\n\n    code\n\n# T"} {
		if !strings.Contains("\n"+text, part) {
			t.Errorf("the file has no %q:\n%s", part, text)
		}
	}
	if got := s.value(s.do("read", `{"id":"`+secondNote+`"}`), "metadata", "status"); got != "archived" {
		t.Errorf("its status is %v", got)
	}
	for field, value := range map[string]string{"title": `"one\u2028two"`, "namespace": `" "`, "schema_version": `0`} {
		s.status("write", `{"id":"`+firstNote+`","title":"T","content":"","agent":"mo",`+strconv.Quote(field)+`:`+value+`}`, "invalid_input",
			`{"reason":"invalid_field_value","field":"`+field+`","value":`+value+`}`)
	}
	s.status("write", `{"title":"T","content":"","agent":"mo","source_url":"https://example.org/`+strings.Repeat("x", 2_000)+`"}`,
		"content_too_large", `{"field":"source_url","length":2020,"limit":2000}`)
	// What cannot be read says why.
	s.disk("bad.md", "---\ncreated_at: never\n---\n")
	s.do("list", `{}`)
	answer = s.answer("read", `{"path":"bad.md"}`)
	if !strings.Contains(answer, `"message":"The file 'bad.md' cannot be read as a note: 'created_at' is no time."`) {
		t.Errorf("reading what cannot be read: %s", answer)
	}
}

// testNoteReindex holds that a rebuild changes nothing but the order of notes,
// and mends what was damaged.
func testNoteReindex(t *testing.T, open Open) {
	s := newSession(t, open)
	s.writeNote(secondNote, "Second", `"path":"z","derived_from_ids":["`+noSuchNote+`"],"tags":["x","x"],"metadata":{"a":1}`)
	s.writeNote(firstNote, "First", `"derived_from_ids":["`+secondNote+`"]`)
	s.do("write", `{"id":"`+firstNote+`","title":"First","content":"See [[second]] and [[nowhere]].","agent":"mo"}`)
	s.disk("hand.md", "By hand, see [[first|it]].")
	s.do("list", `{}`)
	events := s.noteEvents()
	view := func() string {
		return s.do("related", `{"id":"`+secondNote+`"}`) + s.do("related", `{"id":"`+firstNote+`"}`) + s.do("tags", `{}`) + s.do("search", `{"query":"see text"}`)
	}
	before, stats := view(), s.do("stats", `{}`)
	s.want("note_reindex", `{}`, `{"notes":3,"created":0,"updated":0,"renamed":0,"deleted":0,"problems":[]}`)
	if after := view(); after != before {
		t.Errorf("after a rebuild\n%s\nbefore\n%s", after, before)
	}
	if after := s.do("stats", `{}`); after != stats {
		t.Errorf("after a rebuild\n%s\nbefore\n%s", after, stats)
	}
	if got := fmt.Sprint(s.values(s.do("list", `{}`), "items", "path")); got != "[first.md hand.md z/second.md]" {
		t.Errorf("after a rebuild the order is %s", got)
	}
	again := s.dump()
	s.do("note_reindex", `{}`)
	if after := s.dump(); after != again {
		t.Errorf("a second rebuild changes the store:\n%s\nwas\n%s", after, again)
	}
	if got := s.noteEvents(); got != events {
		t.Errorf("a rebuild has left events:\n%s", got)
	}
	// Changes by hand that the rebuild meets first are told as by a pass.
	s.must(os.Rename(s.onDisk("first.md"), s.onDisk("renamed.md")))
	s.disk("hand.md", "Edited.")
	s.must(os.Remove(s.onDisk("z/second.md")))
	s.disk("bad.md", "---\na: [\n---\n")
	s.disk("new.md", "# New")
	answer := s.do("note_reindex", `{}`)
	if !strings.HasPrefix(answer, `{"notes":3,"created":1,"updated":1,"renamed":1,"deleted":1,"problems":[{"path":"bad.md","reason":"has front matter that is no YAML`) {
		t.Errorf("the rebuild answers %s", answer)
	}
	if got := s.value(s.do("stats", `{}`), "index_drift_detected"); got != false {
		t.Error("after a rebuild the index drifted")
	}
}

func appendJSON(s string) []byte { return core.AppendJSONString(nil, s) }

// encode is a value as JSON text.
func encode(v any) string {
	text, err := core.EncodeJSON(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
