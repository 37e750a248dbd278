package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dev.lithos/core"
)

// write writes records in a format.
func write(t *testing.T, format string, layout Layout, records []core.TransferRecord) string {
	t.Helper()
	f := exportFormats[slices.Index(ExportFormats(), format)]
	var out bytes.Buffer
	buffered := bufio.NewWriter(&out)
	w := f.writer(buffered)
	if layout == Document {
		w = newDocument(buffered, f)
	}
	if err := w.begin(); err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		if f.kinds != nil && !slices.Contains(f.kinds, rec.Kind) {
			continue
		}
		if err := w.put(&rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.end(); err != nil {
		t.Fatal(err)
	}
	if err := buffered.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// keyed sets the keys that a store would set, so that edges find their ends.
func keyed(records []core.TransferRecord) []core.TransferRecord {
	keys := map[string]core.TaskKey{}
	for i := range records {
		switch rec := &records[i]; rec.Kind {
		case core.TransferTask:
			rec.Task.Key = core.TaskKey(len(keys) + 1)
			keys[rec.Task.ID] = rec.Task.Key
		case core.TransferEdge:
			rec.Edge.From, rec.Edge.To = keys[rec.Edge.FromID], keys[rec.Edge.ToID]
		}
	}
	return records
}

// plan is a small plan with a diamond, a ring, every type of edge and texts
// that mean something in every language.
func plan(t *testing.T) []core.TransferRecord {
	t.Helper()
	const header = `{"type":"lithos","format":1}` + "\n"
	var lines strings.Builder
	task := func(id, title, status, kind, description, outcome string) {
		resolved := "null"
		if status != "open" {
			resolved = `"2026-03-02T10:00:00+00:00"`
		}
		fmt.Fprintf(&lines, `{"type":"task","id":%q,"title":%s,"description":%s,"status":%q,"task_type":%q,"created_by":"ada","created_at":"2026-03-01T08:00:00+00:00","resolved_at":%s,"updated_at":"2026-03-01T08:00:00+00:00","version":1,"tags":["db","a`+"`"+`b"],"metadata":{"priority":"high","project":"core_*"},"outcome":%s}`+"\n",
			id, quoted(title), orNull(description), status, kind, resolved, orNull(outcome))
	}
	edge := func(from, to, kind string) {
		fmt.Fprintf(&lines, `{"type":"edge","from_task_id":%q,"to_task_id":%q,"edge_type":%q,"metadata":{},"created_by":"ada","created_at":"2026-03-01T08:00:00+00:00"}`+"\n", from, to, kind)
	}
	task("top", "Ship it", "open", "epic", "", "")
	task("left-1", `Say "hi" & <b>\N \"`, "completed", "task", "## Why\n\nBecause <script>alert(1)</script>\n\n```go\nvar a List<int>\n```\n\n- `<b>` stays\n<!-- open", "done | *well*")
	task("right-1", "1. [x](y) ## #7 `code` %%{init}%% #quot; $x$", "cancelled", "task", "tab\there\r\nnext \x1b[31mline", "")
	task("bottom", "Line\nbreak \x1b[31m\u202e and a very long title that goes direction LR on for more cells than one line of a box has", "open", "task", "", "")
	task("gate", "日本語 é 👩‍👩‍👧", "open", "gate", "", "")
	edge("top", "left-1", "parent_child")
	edge("top", "right-1", "parent_child")
	edge("left-1", "bottom", "blocks")
	edge("right-1", "bottom", "blocks")
	edge("bottom", "top", "blocks")
	edge("top", "bottom", "blocks")
	edge("gate", "bottom", "waits_on_gate")
	edge("left-1", "right-1", "discovered_from")
	edge("right-1", "left-1", "discovered_from")
	lines.WriteString(`{"type":"claim","task_id":"top","agent":"mo","aspect":"work","expires_at":"2026-03-01T08:00:00Z","claimed_at":"2026-03-01T08:00:00Z"}` + "\n")
	lines.WriteString(`{"type":"finding","id":"f1","task_id":"top","agent":"m_o","summary":"# big\n<i>x</i>","created_at":"2026-03-01T09:00:00Z"}` + "\n")
	return keyed(recordsOf(t, header+lines.String(), "lithos"))
}

func quoted(s string) string { return string(core.AppendJSONString(nil, s)) }

func orNull(s string) string {
	if s == "" {
		return "null"
	}
	return quoted(s)
}

func TestWrite_golden(t *testing.T) {
	for name, format := range map[string]string{
		"plan.jsonl": "lithos", "plan.dot": "dot", "plan.mmd": "mermaid", "plan.md": "markdown",
	} {
		t.Run(format, func(t *testing.T) {
			checkGolden(t, name, write(t, format, Plain, plan(t)))
		})
	}
}

// Every edge stands exactly once, diamonds and rings included, and nothing
// that a terminal would obey.
func TestWrite_everyEdgeOnce(t *testing.T) {
	line := map[string]*regexp.Regexp{
		"dot":      regexp.MustCompile(`(?m)^  n(\d+) -> n(\d+) \[label="(\w+)"`),
		"mermaid":  regexp.MustCompile(`(?m)^  n(\d+) \S+\|(\w+)\| n(\d+)$`),
		"markdown": regexp.MustCompile(`(?m)^- .* \(` + "`" + `(\S+)` + "`" + `\) \*\*(\S+)\*\* .* \(` + "`" + `(\S+)` + "`" + `\)$`),
	}
	for format, edge := range line {
		t.Run(format, func(t *testing.T) {
			text := write(t, format, Plain, plan(t))
			found := edge.FindAllString(text, -1)
			slices.Sort(found)
			if len(found) != 9 || len(slices.Compact(found)) != 9 {
				t.Errorf("%d edges, want 9 different ones:\n%s", len(found), strings.Join(found, "\n"))
			}
			if strings.ContainsAny(text, "\x1b\u202e\t\r") {
				t.Errorf("unsafe characters in\n%s", text)
			}
		})
	}
}

func TestWrite_document(t *testing.T) {
	for _, format := range ExportFormats() {
		t.Run(format, func(t *testing.T) {
			text := write(t, format, Document, plan(t))
			var document struct {
				Format  string
				Records []json.RawMessage
				Text    string
			}
			if err := json.Unmarshal([]byte(text), &document); err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if document.Format != format {
				t.Errorf("format %q", document.Format)
			}
			got := document.Text
			for _, record := range document.Records {
				got += string(record) + "\n"
			}
			if want := write(t, format, Plain, plan(t)); got != want {
				t.Errorf("the document holds\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A character that is cut in two by the buffer arrives whole.
func TestTextValue_charactersInParts(t *testing.T) {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	v := textValue{w: w}
	const text = "é\"日\n👩‍👧\u2028"
	for i := range len(text) {
		if _, err := v.Write([]byte{text[i]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if got, want := `"`+out.String()+`"`, string(core.AppendJSONString(nil, text)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
