package exchange_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dev.lithos/cli/exchange"
	"dev.lithos/core"
	"dev.lithos/store"
)

// realGraph is a graph of 644 issues from a real project, which is not part
// of this one.
const realGraph = "../../../shared/data/beads-graph-644.jsonl"

// newStore makes an empty store with a service on it whose clock stands in
// 2026 and moves by a second a look.
func newStore(t testing.TB) *core.Service {
	t.Helper()
	service, _ := newStoreAt(t)
	return service
}

// newStoreAt is newStore for those who need the file too.
func newStoreAt(t testing.TB) (service *core.Service, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "lithos.db")
	s, err := store.Open(context.Background(), store.Options{Path: path, Create: true, Synchronous: store.Normal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	return core.New(core.Config{Store: s, Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}}), path
}

// bring imports a text, or a file when it is a name.
func bring(t testing.TB, s *core.Service, text string, change func(*core.ImportRequest)) (core.ImportReport, error) {
	t.Helper()
	name := exchange.StandardInput
	if !strings.Contains(text, "\n") {
		name = text
	}
	f, err := exchange.Open(name, "", exchange.Sources{
		Stdin:      strings.NewReader(text),
		OpenTables: func(path string) (exchange.Tables, error) { return store.OpenForeign(path) },
	})
	if err != nil {
		return core.ImportReport{}, err
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	request := core.ImportRequest{Source: f, Agent: "mo"}
	if change != nil {
		change(&request)
	}
	return s.Import(context.Background(), request)
}

func mustBring(t testing.TB, s *core.Service, text string) core.ImportReport {
	t.Helper()
	report, err := bring(t, s, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func export(t testing.TB, s *core.Service, format string, filter core.TaskListRequest) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := exchange.Export(context.Background(), s, &out, format, exchange.Plain, filter); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func everything(t testing.TB, s *core.Service) string {
	t.Helper()
	return export(t, s, "lithos", core.TaskListRequest{})
}

// checkCopy exports, imports that into an empty store and exports again: the
// bytes are the same, and what the operations show is too.
func checkCopy(t testing.TB, s *core.Service) {
	t.Helper()
	first := everything(t, s)
	copied := newStore(t)
	report := mustBring(t, copied, first)
	if len(report.Problems) != 0 || report.Created != report.Read {
		t.Errorf("the copy did not take everything: %+v", report)
	}
	if diff := cmp.Diff(first, everything(t, copied)); diff != "" {
		t.Errorf("the export of the copy differs (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(views(t, s), views(t, copied)); diff != "" {
		t.Errorf("the copy shows something else (-first +second):\n%s", diff)
	}
}

// views is what reading operations show, orders included.
func views(t testing.TB, s *core.Service) string {
	t.Helper()
	ctx := context.Background()
	var out strings.Builder
	show := func(result any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := core.EncodeJSON(result)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(text, '\n'))
	}
	list, err := s.TaskList(ctx, core.TaskListRequest{WithClaims: new(true)})
	show(list, err)
	agents, err := s.AgentList(ctx, core.AgentListRequest{})
	show(agents, err)
	ready, err := s.TaskReady(ctx, core.TaskReadyRequest{Limit: new(1000)})
	show(ready, err)
	blocked, err := s.TaskBlocked(ctx, core.TaskBlockedRequest{Limit: new(1000)})
	show(blocked, err)
	for _, task := range list.Tasks {
		edges, err := s.TaskEdgeList(ctx, core.TaskEdgeListRequest{TaskID: task.ID})
		show(edges, err)
		findings, err := s.FindingList(ctx, core.FindingListRequest{TaskID: task.ID})
		show(findings, err)
		children, err := s.TaskChildren(ctx, core.TaskChildrenRequest{TaskID: task.ID})
		show(children, err)
	}
	return out.String()
}

func TestImport_realGraph(t *testing.T) {
	if _, err := os.Stat(realGraph); err != nil {
		t.Skipf("the real graph is not here: %v", err)
	}
	s := newStore(t)
	report := mustBring(t, s, realGraph)
	want := core.ImportReport{Format: "beads", Read: 644, Created: 644, Edges: 628, Problems: []core.ImportProblem{}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	numbers := map[string]int{}
	count := func(name string, filter core.TaskListRequest) {
		list, err := s.TaskList(context.Background(), filter)
		if err != nil {
			t.Fatal(err)
		}
		numbers[name] = len(list.Tasks)
	}
	count("completed", core.TaskListRequest{Status: new("completed")})
	count("open", core.TaskListRequest{Status: new("open")})
	count("open epics", core.TaskListRequest{Status: new("open"), TaskType: new("epic")})
	ready, err := s.TaskReady(context.Background(), core.TaskReadyRequest{Limit: new(1000)})
	if err != nil {
		t.Fatal(err)
	}
	blocked, err := s.TaskBlocked(context.Background(), core.TaskBlockedRequest{Limit: new(1000)})
	if err != nil {
		t.Fatal(err)
	}
	numbers["ready"], numbers["blocked"] = len(ready.Tasks), len(blocked.Tasks)
	first := everything(t, s)
	for _, kind := range []string{"blocks", "parent_child"} {
		numbers[kind] = strings.Count(first, `"edge_type":"`+kind+`"`)
	}
	if diff := cmp.Diff(map[string]int{
		"completed": 611, "open": 33, "open epics": 13, "ready": 18, "blocked": 2, "blocks": 579, "parent_child": 49,
	}, numbers); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}

	again := mustBring(t, s, realGraph)
	if again.Unchanged != 644 || again.Created+again.Updated+again.Skipped+len(again.Problems) != 0 {
		t.Errorf("the second import: %+v", again)
	}
	if everything(t, s) != first {
		t.Error("the second import changed something")
	}
	events, err := s.Events(context.Background(), core.EventsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(events.Events) != 1 || string(events.Events[0].Payload) != `{"format":"beads","created":644,"updated":0}` {
		t.Errorf("events %v", events.Events)
	}
	checkCopy(t, s)
	for _, format := range exchange.ExportFormats() {
		first, second := export(t, s, format, core.TaskListRequest{}), export(t, s, format, core.TaskListRequest{})
		if first != second {
			t.Errorf("%s: two exports of one store differ", format)
		}
	}
}

// line is a record of the own format as it is generated.
type line map[string]any

// oddText draws text of every kind that may be stored.
var oddText = rapid.OneOf(
	rapid.StringN(0, 12, -1).Filter(func(s string) bool { return !strings.ContainsRune(s, 0) }),
	rapid.SampledFrom([]string{"", " ", "\n", "a\x1b[31mb", "\u202e", "\u2028", "\ufeff", "\ufffd", "\x7f\u0085", `"\`, "日本語", "👩‍👩‍👧", "é", "007", "<&>"}),
)

// oddMetadata draws the text of a JSON object with literals that lose
// something when they are decoded.
var oddMetadata = rapid.Custom(func(t *rapid.T) core.Metadata {
	value := rapid.SampledFrom([]string{
		`1`, `1.0`, `-0`, `1e400`, `1E+2`, `9223372036854775808`, `0.10`, `"007"`, `true`, `null`, `{}`, `[]`, `{"b":1,"a":[1.0,{"c":null}]}`,
		`"highest"`, `"timer"`, `"2026-03-01"`, `["x",1]`, `"\u001b\ud83d\ude00\/"`,
	})
	var members []core.Member
	for range rapid.IntRange(0, 4).Draw(t, "keys") {
		key := rapid.OneOf(oddText, rapid.SampledFrom([]string{"priority", "project", "gate_type", "ready_at", "depends_on"})).Draw(t, "key")
		members = append(members, core.Member{Key: key, Value: []byte(value.Draw(t, "value"))})
	}
	m, err := core.ParseMetadata([]byte(core.MakeMetadata(members)))
	if err != nil {
		t.Fatal(err)
	}
	return m
})

var oddStamp = rapid.Custom(func(t *rapid.T) core.Stamp {
	start := core.StampOf(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	return rapid.OneOf(
		rapid.Map(rapid.Int64Range(0, 5), func(s int64) core.Stamp { return start + core.Stamp(s*500_000) }),
		rapid.SampledFrom([]core.Stamp{core.StampOf(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)), core.StampOf(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)), -1, 0}),
	).Draw(t, "stamp")
})

// drawFile draws a file of the own format, with rings, diamonds and everything
// that may be stored, in any order.
func drawFile(t *rapid.T) string {
	ids := rapid.SliceOfNDistinct(oddText.Filter(func(s string) bool { return s != "" }), 1, 8, rapid.ID[string]).Draw(t, "ids")
	id := rapid.SampledFrom(ids)
	optional := func(name string) any {
		if rapid.Bool().Draw(t, name+" given") {
			return oddText.Draw(t, name)
		}
		return nil
	}
	var lines []line
	for _, id := range ids {
		status := rapid.SampledFrom(core.Statuses).Draw(t, "status")
		var resolved any
		if status != core.StatusOpen {
			resolved = oddStamp.Draw(t, "resolved")
		}
		lines = append(lines, line{
			"type": "task", "id": id, "title": oddText.Draw(t, "title"), "description": optional("description"), "status": status,
			"task_type": rapid.SampledFrom(core.TaskTypes).Draw(t, "type"), "created_by": oddText.Draw(t, "by"),
			"created_at": oddStamp.Draw(t, "created"), "resolved_at": resolved, "updated_at": oddStamp.Draw(t, "updated"),
			"version": rapid.Int64Range(1, 1<<62).Draw(t, "version"), "tags": rapid.SliceOfN(oddText, 0, 3).Draw(t, "tags"),
			"metadata": oddMetadata.Draw(t, "metadata"), "outcome": optional("outcome"),
		})
	}
	for range rapid.IntRange(0, 12).Draw(t, "edges") {
		lines = append(lines, line{
			"type": "edge", "from_task_id": id.Draw(t, "from"), "to_task_id": id.Draw(t, "to"),
			"edge_type": rapid.SampledFrom(core.EdgeTypes).Draw(t, "type"), "metadata": oddMetadata.Draw(t, "metadata"),
			"created_by": oddText.Draw(t, "by"), "created_at": oddStamp.Draw(t, "created"),
		})
	}
	for range rapid.IntRange(0, 5).Draw(t, "claims") {
		lines = append(lines, line{
			"type": "claim", "task_id": id.Draw(t, "task"), "agent": oddText.Draw(t, "agent"),
			"aspect": rapid.SampledFrom([]string{"work", "review", "\n"}).Draw(t, "aspect"), "expires_at": oddStamp.Draw(t, "expires"), "claimed_at": oddStamp.Draw(t, "claimed"),
		})
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "findings") {
		lines = append(lines, line{
			"type": "finding", "id": fmt.Sprint("f", i), "task_id": id.Draw(t, "task"), "agent": oddText.Draw(t, "agent"),
			"summary": oddText.Draw(t, "summary"), "knowledge_id": optional("knowledge"), "created_at": oddStamp.Draw(t, "created"),
		})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "agents") {
		lines = append(lines, line{
			"type": "agent", "id": fmt.Sprint(i, oddText.Draw(t, "id")), "name": optional("name"), "agent_type": optional("type"),
			"first_seen_at": oddStamp.Draw(t, "first"), "last_seen_at": oddStamp.Draw(t, "last"), "metadata": oddMetadata.Draw(t, "metadata"),
		})
	}
	text := `{"type":"lithos","format":1}` + "\n"
	for _, l := range rapid.Permutation(lines).Draw(t, "order") {
		encoded, err := core.EncodeJSON(l)
		if err != nil {
			t.Fatal(err)
		}
		text += string(encoded) + "\n"
	}
	return text
}

// Whatever a store holds, its export brings back.
func TestRoundTrip(t *testing.T) {
	// Each check makes two stores, so there are fewer than usual unless a
	// number is given.
	const checks = "rapid.checks"
	if f := flag.Lookup(checks); f.Value.String() == f.DefValue {
		if err := flag.Set(checks, "40"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := flag.Set(checks, f.DefValue); err != nil {
				t.Error(err)
			}
		})
	}
	rapid.Check(t, func(r *rapid.T) {
		text := drawFile(r)
		s := newStore(t)
		mustBring(t, s, text)
		first := everything(t, s)
		report := mustBring(t, s, text)
		if report.Created+report.Updated != 0 || everything(t, s) != first {
			r.Errorf("importing the same file again changed something: %+v", report)
		}
		checkCopy(t, s)
	})
}
