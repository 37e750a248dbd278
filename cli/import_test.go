package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dev.lithos/core"
)

// issue is one line of a beads file.
func issue(id string, more ...string) string {
	return fmt.Sprintf(`{"id":%s,"title":"A title","status":"open","priority":2,"issue_type":"task","created_at":"2026-03-01T08:00:00Z"%s}`,
		core.AppendJSONString(nil, id), strings.Join(more, ""))
}

// file writes a file into the working directory of the world.
func (w *world) file(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.env.Dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// report imports and returns the report.
func (w *world) report(t *testing.T, args ...string) core.ImportReport {
	t.Helper()
	stdout, stderr, status := w.run(t, append([]string{"import", "--json"}, args...)...)
	var report core.ImportReport
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || status != 0 {
		t.Fatalf("status %d, %v: %s%s", status, err, stdout, stderr)
	}
	return report
}

func TestImport_makesTheStore(t *testing.T) {
	w := newWorld(t)
	w.file(t, "issues.jsonl", issue("bd-1")+"\n"+issue("bd-2", `,"dependencies":[{"depends_on_id":"bd-1","type":"blocks"},{"depends_on_id":"bd-9","type":"blocks"}]`)+"\n")
	stdout, stderr, status := w.run(t, "import", "issues.jsonl", "--json")
	const want = `{"format":"beads","dry_run":false,"read":2,"created":2,"updated":0,"unchanged":0,"skipped":0,"edges":1,` +
		`"problems":[{"line":2,"id":"bd-2","reason":"The blocks edge from 'bd-9' was left out: there is no task 'bd-9'."}]}` + "\n"
	if stdout != want || status != 0 {
		t.Errorf("status %d, got %s", status, stdout)
	}
	if !strings.HasPrefix(stderr, "lithos: Created the store ") {
		t.Errorf("stderr %q", stderr)
	}
	stdout, _, _ = w.run(t, "events", "--jq", ".events[]|[.type,.agent,.payload.format,.payload.created,.payload.updated]")
	if stdout != `["store.imported","mo","beads",2,0]`+"\n" {
		t.Errorf("events: %s", stdout)
	}
	if stdout, _, _ = w.run(t, "agent", "list", "--jq", ".agents|length"); stdout != "0\n" {
		t.Errorf("%s agents", stdout)
	}
}

func TestImport_people(t *testing.T) {
	w := newWorld(t)
	lines := issue("bd-1") + "\n" + `{"_type":"memory"}` + "\n"
	for i := range 25 {
		lines += issue(fmt.Sprintf("x\x1b%d", i), `,"dependencies":[{"depends_on_id":"gone\u001b[31m"}]`) + "\n"
	}
	w.file(t, "issues.jsonl", lines)
	stdout, _, status := w.run(t, "import", "issues.jsonl", "--dry-run")
	if status != 0 || !strings.HasPrefix(stdout, "read\t27\ncreated\t26\nupdated\t0\nunchanged\t0\nskipped\t1\nedges\t0\nproblem\t3\tx␛0\t") ||
		strings.Count(stdout, "\n") != 31 || strings.Contains(stdout, "\x1b") {
		t.Errorf("status %d:\n%s", status, stdout)
	}
	w.onTerminal(80)
	stdout, _, _ = w.run(t, "import", "issues.jsonl", "--dry-run")
	if !strings.HasPrefix(stdout, "Read 27 tasks as beads, 26 created, 1 skipped; 0 edges.\n  line 3, x␛0: The blocks edge from 'gone␛[31m' was left out: ") ||
		!strings.HasSuffix(stdout, "\n  … and 5 more; --json lists them all.\nNothing was written.\n") || strings.Contains(stdout, "\x1b") {
		t.Errorf("got:\n%s", stdout)
	}
	if left, err := os.ReadDir(w.env.Dir); err != nil || len(left) != 1 {
		t.Errorf("the rehearsal left %v, %v", left, err)
	}
	w.file(t, "one.jsonl", issue("bd-1")+"\n"+issue("bd-2", `,"dependencies":[{"depends_on_id":"bd-1"}]`)+"\n")
	stdout, stderr, _ := w.run(t, "import", "one.jsonl")
	if stdout != "Read 2 tasks as beads, 2 created; 1 edge.\n" || !strings.Contains(stderr, "'lithos init' first") {
		t.Errorf("got %q, %q", stdout, stderr)
	}
}

// A file that is refused leaves nothing behind, not even an empty store.
func TestImport_refusals(t *testing.T) {
	good := issue("bd-1")
	for name, c := range map[string]struct {
		content string
		lines   string // what the message names
	}{
		"broken JSON":     {good + "\n" + good + "\n" + `{"id":` + "\n", "Line 3: It is not valid JSON: it ends too early."},
		"trailing text":   {good + "\n" + issue("bd-2") + " x\n", "Line 2: Text follows the JSON value at byte "},
		"conflict marker": {"<<<<<<< ours\n" + good + "\n=======\n" + good + "\n>>>>>>> theirs\n", "Line 1: It is a marker of an unresolved merge conflict. Line 3: It is a marker"},
		"NUL":             {good + "\n" + issue("bd-2", ",\"x\":\"\x00\"") + "\n", "Line 2: The input holds a NUL character."},
		"no UTF-8":        {good + "\n\n" + issue("bd-2", ",\"x\":\"\xff\"") + "\n", "Line 3: The input is not valid UTF-8."},
		"deep":            {good + "\n" + issue("bd-2", `,"x":`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)) + "\n", "Line 2 (task 'bd-2'): It is nested too deeply."},
		"nothing known":   {"hello\n", "The file shows none of the formats that can be imported (lithos, "},
		"empty":           {"\n\n", "The file is empty"},
		"no header":       {`{"type":"lithos","format":2}` + "\n", "The file has format 2; this program reads format 1."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.file(t, "file", c.content)
			stdout, stderr, status := w.run(t, "import", "file")
			if status != 2 || stdout != "" || !strings.Contains(stderr, c.lines) {
				t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
			stdout, _, status = w.run(t, "import", "file", "--json")
			var envelope struct{ Status, Code, Message, Reason, Field string }
			if err := json.Unmarshal([]byte(stdout), &envelope); err != nil || status != 2 || envelope.Code != "invalid_input" ||
				envelope.Reason != "malformed" || envelope.Field != "file" || !strings.Contains(envelope.Message, c.lines) {
				t.Errorf("status %d, %v, %s", status, err, stdout)
			}
			if left, err := os.ReadDir(w.env.Dir); err != nil || len(left) != 1 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestImport_unreadableFiles(t *testing.T) {
	w := newWorld(t)
	for name, want := range map[string]string{"nowhere": "there is no such file", ".": "it is a directory"} {
		_, stderr, status := w.run(t, "import", name)
		if status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %q", name, status, stderr)
		}
	}
	_, stderr, status := w.run(t, "import", "x", "--format", "beeds")
	if status != 2 || !strings.Contains(stderr, "did you mean 'beads'?") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// What is odd but readable comes over: byte order mark, CRLF, empty lines, no
// final line end, unknown fields, lines of many megabytes.
func TestImport_oddFiles(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("é", 5<<20)
	content := "\ufeff" + issue("bd-1") + "\r\n\r\n" + issue("bd-2", `,"unheard_of":{"a":1e400}`) + "\r\n\n" + issue("bd-3", `,"description":"`+long+`"`)
	w.env.Stdin = strings.NewReader(content)
	if report := w.report(t, "-"); report.Created != 3 || len(report.Problems) != 0 {
		t.Errorf("report %+v", report)
	}
	stdout, _, _ := w.run(t, "task", "get", "bd-2", "--json")
	if !strings.Contains(stdout, `"metadata":{"priority":"medium","beads":{"unheard_of":{"a":1e400}}}`) {
		t.Errorf("got %s", stdout)
	}
	stdout, _, _ = w.run(t, "task", "get", "bd-3", "--jq", ".task.description|length")
	if stdout != fmt.Sprintln(5<<20) {
		t.Errorf("the description has %s characters", stdout)
	}
}

func TestImport_skipBadLines(t *testing.T) {
	w := newWorld(t)
	w.file(t, "issues.jsonl", issue("bd-1")+"\n{\n"+`{"id":"bd-2","title":5}`+"\n"+issue("bd-3")+"\n")
	report := w.report(t, "issues.jsonl", "--skip-bad-lines")
	id := "bd-2"
	want := core.ImportReport{Format: "beads", Read: 4, Created: 2, Skipped: 2, Problems: []core.ImportProblem{
		{Line: 2, Reason: "It is not valid JSON: it ends too early."},
		{Line: 3, ID: &id, Reason: "'title' must be a string."},
	}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// An old export does not undo what was done since.
func TestImport_oldExport(t *testing.T) {
	w := seeded(t)
	old, _, _ := w.run(t, "export")
	w.file(t, "old.jsonl", old)
	if _, stderr, status := w.run(t, "task", "update", schemaID, "--title", "Write schema, at last"); status != 0 {
		t.Fatal(stderr)
	}
	report := w.report(t, "old.jsonl")
	if report.Skipped != 1 || report.Unchanged != 3 || len(report.Problems) != 1 || *report.Problems[0].ID != schemaID {
		t.Errorf("report %+v", report)
	}
	title := func() string {
		stdout, _, _ := w.run(t, "task", "get", schemaID, "--jq", ".task|[.title,.version]")
		return stdout
	}
	if got := title(); got != `["Write schema, at last",2]`+"\n" {
		t.Errorf("now %s", got)
	}
	if report := w.report(t, "old.jsonl", "--on-conflict", "overwrite"); report.Updated != 1 || report.Unchanged != 3 {
		t.Errorf("report %+v", report)
	}
	if got := title(); got != `["Write schema",3]`+"\n" {
		t.Errorf("now %s", got)
	}
}

func TestImport_readOnly(t *testing.T) {
	w := seeded(t)
	w.file(t, "issues.jsonl", issue("bd-1")+"\n")
	if _, stderr, status := w.run(t, "import", "issues.jsonl", "--read-only"); status != 10 {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// TestImport_readOnlyRehearsal tells what an import would do to a store that may
// only be read, and leaves nothing behind.
func TestImport_readOnlyRehearsal(t *testing.T) {
	w := seeded(t)
	w.file(t, "issues.jsonl", issue("bd-1")+"\n")
	t.Setenv("TMPDIR", t.TempDir())
	before, _, _ := w.run(t, "journal", "--limit", "1000", "--json")
	want, _, _ := w.run(t, "import", "issues.jsonl", "--dry-run", "--json")
	got, stderr, status := w.run(t, "import", "issues.jsonl", "--read-only", "--dry-run", "--json")
	if status != 0 || got != want || !strings.Contains(got, `"created":1,`) {
		t.Errorf("status %d, %s instead of %s%s", status, got, want, stderr)
	}
	if after, _, _ := w.run(t, "journal", "--limit", "1000", "--json"); after != before {
		t.Errorf("the store has changed: %s", after)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	if _, stderr, status := w.run(t, "import", "issues.jsonl", "--read-only", "--dry-run", "--db", "missing.db"); status != 0 {
		t.Errorf("where there is no store: status %d, %q", status, stderr)
	}
	if _, err := os.Stat(filepath.Join(w.env.Dir, "missing.db")); err == nil {
		t.Error("a rehearsal has made a store")
	}
}
