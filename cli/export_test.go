package cli_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
)

// failing is an output that cannot be written.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestExport_thereAndBack(t *testing.T) {
	w := seeded(t)
	first, _, status := w.run(t, "export")
	lines := strings.Split(strings.TrimSuffix(first, "\n"), "\n")
	if status != 0 || len(lines) != 9 || lines[0] != `{"type":"lithos","format":1}` {
		t.Fatalf("status %d:\n%s", status, first)
	}
	var kinds []string
	for _, line := range lines {
		var record struct{ Type string }
		if err := json.Unmarshal([]byte(line), &record); err != nil || !strings.HasPrefix(line, `{"type":"`+record.Type) {
			t.Fatalf("%v in %s", err, line)
		}
		kinds = append(kinds, record.Type)
	}
	if got := strings.Join(kinds, " "); got != "lithos agent task task task task edge edge edge" {
		t.Errorf("records %s", got)
	}
	copied := newWorld(t)
	copied.env.Stdin = strings.NewReader(first)
	if report := copied.report(t, "-"); report.Created != 4 || report.Edges != 3 || len(report.Problems) != 0 {
		t.Errorf("report %+v", report)
	}
	if second, _, _ := copied.run(t, "export"); second != first {
		t.Errorf("the copy exports\n%s\nwant\n%s", second, first)
	}
}

func TestExport_formats(t *testing.T) {
	w := seeded(t)
	for _, format := range []string{"dot", "mermaid", "markdown"} {
		t.Run(format, func(t *testing.T) {
			stdout, stderr, status := w.run(t, "export", "--format", format)
			if status != 0 || stderr != "" {
				t.Fatalf("status %d: %s", status, stderr)
			}
			golden(t, "export_"+format, stdout)
		})
	}
}

func TestExport_filters(t *testing.T) {
	w := seeded(t)
	stdout, _, _ := w.run(t, "export", "--type", "task", "--jq", ".records[]|select(.type==\"edge\")|[.from_task_id,.edge_type,.to_task_id]")
	if want := `["` + schemaID + `","blocks","` + importerID + `"]` + "\n"; stdout != want {
		t.Errorf("got %s, want %s", stdout, want)
	}
	_, stderr, status := w.run(t, "export", "--status", "done")
	if status != 2 || !strings.Contains(stderr, "'done' is no task status.") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// With --json an export is one document, whatever the format.
func TestExport_json(t *testing.T) {
	w := seeded(t)
	for _, format := range []string{"lithos", "dot", "mermaid", "markdown"} {
		stdout, _, status := w.run(t, "export", "--format", format, "--json")
		decoder := json.NewDecoder(strings.NewReader(stdout))
		var document struct {
			Format  string
			Records []json.RawMessage
			Text    string
		}
		if err := decoder.Decode(&document); err != nil || status != 0 || document.Format != format {
			t.Errorf("%s: status %d, %v", format, status, err)
		}
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: something follows the document: %v", format, err)
		}
		if format == "lithos" && len(document.Records) != 9 || format != "lithos" && document.Text == "" {
			t.Errorf("%s: %d records, text %q", format, len(document.Records), document.Text)
		}
	}
}

func TestExport_withoutStore(t *testing.T) {
	stdout, stderr, status := newWorld(t).run(t, "export")
	if status != 8 || stdout != "" || !strings.Contains(stderr, "lithos init") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

func TestExport_outputFaults(t *testing.T) {
	for want, err := range map[int]error{0: syscall.EPIPE, 74: syscall.ENOSPC} {
		w := seeded(t)
		w.env.Stdout = failing{err}
		if _, stderr, status := w.run(t, "export"); status != want || (stderr == "") != (want == 0) {
			t.Errorf("%v: status %d, %q", err, status, stderr)
		}
	}
}
