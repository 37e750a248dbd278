package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
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

// TestDiamonds holds that where there are more paths than could ever be walked
// each task and each edge is shown once, and soon.
func TestDiamonds(t *testing.T) {
	const layers = 25 // 2^24 paths from the last to the first
	var lines strings.Builder
	for layer := range layers {
		for _, side := range []string{"a", "b"} {
			var dependencies []string
			for _, below := range []string{"a", "b"} {
				if layer > 0 {
					dependencies = append(dependencies, fmt.Sprintf(
						`{"issue_id":"layer-%02d%s","depends_on_id":"layer-%02d%s","type":"blocks"}`, layer, side, layer-1, below))
				}
			}
			fmt.Fprintf(&lines, `{"id":"layer-%02d%s","title":"Layer %d%s","status":"open","created_at":"2026-03-01T08:00:00Z","dependencies":[%s]}`+"\n",
				layer, side, layer, side, strings.Join(dependencies, ","))
		}
	}
	w := newWorld(t)
	w.env.Stdin = strings.NewReader(lines.String())
	if report := w.report(t, "-"); report.Created != 2*layers || report.Edges != 4*(layers-1) {
		t.Fatalf("report %+v", report)
	}
	for _, c := range []struct {
		args         []string
		node, edge   string
		nodes, edges int
	}{
		{[]string{"export", "--format", "dot"}, "label=\"Layer", "->", 2 * layers, 4 * (layers - 1)},
		{[]string{"export", "--format", "mermaid"}, ":::open", "-->|", 2 * layers, 4 * (layers - 1)},
		{[]string{"export", "--format", "markdown"}, "\n## ", "**blocks**", 2 * layers, 4 * (layers - 1)},
		{[]string{"export"}, `"type":"task"`, `"type":"edge"`, 2 * layers, 4 * (layers - 1)},
		{[]string{"task", "edge", "list", "layer-12a"}, "layer-12a", "blocks", 4, 4},
		{[]string{"task", "why", "layer-24a"}, "step\tcomplete", "blocker\t", 2 * (layers - 1), 2},
		{[]string{"task", "get", "layer-24a"}, "id\t", "blocker\t", 1, 2},
		{[]string{"task", "blocked"}, "\nlayer", "task:layer", 2*(layers-1) - 1, 4 * (layers - 1)},
	} {
		started := time.Now()
		stdout, stderr, status := w.run(t, c.args...)
		if nodes, edges := strings.Count(stdout, c.node), strings.Count(stdout, c.edge); nodes != c.nodes || edges != c.edges || status != 0 {
			t.Errorf("%q: status %d, %d of %q and %d of %q, want %d and %d\n%s%s", c.args, status, nodes, c.node, edges, c.edge, c.nodes, c.edges, stdout, stderr)
		}
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%q took %s", c.args, took)
		}
	}
	for _, args := range [][]string{{"task", "why", "layer-24a"}, {"task", "get", "layer-24a"}, {"task", "edge", "list", "layer-24a"}, {"task", "blocked"}} {
		stdout, _, status := w.onTerminal(80).run(t, args...)
		if n := strings.Count(stdout, "\n"); status != 0 || n > 80 {
			t.Errorf("%q: status %d, %d lines", args, status, n)
		}
		checkLines(t, stdout, 80)
	}
}
