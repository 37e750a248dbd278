package core_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dev.lithos/core"
	"dev.lithos/store"
)

// day is when the records of these tests begin.
var day = core.StampOf(time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC))

// transferStore is a store of its own with a service on it.
func transferStore(t *testing.T) *core.Service {
	t.Helper()
	s, err := store.Open(context.Background(), store.Options{Path: filepath.Join(t.TempDir(), "lithos.db"), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	now := day.Add(24 * time.Hour)
	return core.New(core.Config{Store: s, Now: func() time.Time {
		now = now.Add(time.Second)
		return now.Time()
	}})
}

// file is an import source of records at hand. Its lines are those of the
// records.
type file struct {
	records []core.TransferRecord
	fault   error // at the end of the second reading
	read    int
}

func (f *file) Format() string { return "test" }

func (f *file) Each(_ context.Context, yield func(*core.TransferRecord) error) error {
	f.read++
	for i, rec := range f.records {
		rec.Line = i + 1
		if err := yield(&rec); err != nil {
			return err
		}
	}
	if f.read > 1 {
		return f.fault
	}
	return nil
}

// task makes the record of an open task; change edits it.
func task(id string, change ...func(*core.Task)) core.TransferRecord {
	t := core.Task{
		TaskHead: core.TaskHead{
			ID: id, Title: "Title of " + id, Status: core.StatusOpen, Type: core.TypeTask,
			CreatedAt: day, UpdatedAt: day, Version: 1,
		},
		CreatedBy: "ada",
	}
	for _, c := range change {
		c(&t)
	}
	return core.TransferRecord{Kind: core.TransferTask, Task: t}
}

func titled(title string) func(*core.Task) { return func(t *core.Task) { t.Title = title } }

func of(kind core.TaskType) func(*core.Task) { return func(t *core.Task) { t.Type = kind } }

// later moves updated_at by minutes.
func later(minutes int) func(*core.Task) {
	return func(t *core.Task) { t.UpdatedAt = day.Add(time.Duration(minutes) * time.Minute) }
}

func version(n int64) func(*core.Task) { return func(t *core.Task) { t.Version = n } }

func completed(t *core.Task) {
	at := t.UpdatedAt
	t.Status, t.ResolvedAt = core.StatusCompleted, &at
}

func edge(from string, kind core.EdgeType, to string) core.TransferRecord {
	return core.TransferRecord{Kind: core.TransferEdge, Edge: core.Edge{
		FromID: from, ToID: to, Type: kind, CreatedBy: "ada", CreatedAt: day,
	}}
}

func claim(id, agent string, minutes int) core.TransferRecord {
	at := day.Add(time.Duration(minutes) * time.Minute)
	return core.TransferRecord{Kind: core.TransferClaim, TaskID: id, Claim: core.Claim{
		Agent: agent, Aspect: "work", ClaimedAt: at, ExpiresAt: at.Add(72 * time.Hour),
	}}
}

func finding(task, id string) core.TransferRecord {
	return core.TransferRecord{Kind: core.TransferFinding, TaskID: task, Finding: core.Finding{
		ID: id, Agent: "mo", Summary: "about " + task, CreatedAt: day,
	}}
}

func agent(id string, seenMinutes int) core.TransferRecord {
	return core.TransferRecord{Kind: core.TransferAgent, Agent: core.Agent{
		ID: id, FirstSeenAt: day, LastSeenAt: day.Add(time.Duration(seenMinutes) * time.Minute),
	}}
}

func bring(t *testing.T, s *core.Service, change func(*core.ImportRequest), records ...core.TransferRecord) core.ImportReport {
	t.Helper()
	request := core.ImportRequest{Source: &file{records: records}, Agent: "importer"}
	if change != nil {
		change(&request)
	}
	report, err := s.Import(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func overwrite(r *core.ImportRequest) { r.OnConflict = core.ConflictOverwrite }

// dump writes the whole store down, a record a line, events included.
func dump(t *testing.T, s *core.Service) string {
	t.Helper()
	var out strings.Builder
	err := s.Export(context.Background(), core.ExportRequest{}, func(rec *core.TransferRecord) error {
		switch rec.Kind {
		case core.TransferAgent:
			fmt.Fprintf(&out, "agent %s seen %s\n", rec.Agent.ID, rec.Agent.LastSeenAt)
		case core.TransferTask:
			fmt.Fprintf(&out, "task %s\n", rec.Task.AppendJSON(nil))
		case core.TransferEdge:
			fmt.Fprintf(&out, "edge %s %s %s %s\n", rec.Edge.FromID, rec.Edge.Type, rec.Edge.ToID, rec.Edge.Metadata.Text())
		case core.TransferClaim:
			fmt.Fprintf(&out, "claim %s %s until %s\n", rec.TaskID, rec.Claim.Agent, rec.Claim.ExpiresAt)
		case core.TransferFinding:
			fmt.Fprintf(&out, "finding %s %s %s\n", rec.TaskID, rec.Finding.ID, rec.Finding.Summary)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Events(context.Background(), core.EventsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Events {
		fmt.Fprintf(&out, "event %s by %s %s\n", e.Type, e.Agent, e.Payload)
	}
	return out.String()
}

// counts are the numbers of a report: read, created, updated, unchanged,
// skipped, edges.
type counts [6]int

func checkReport(t *testing.T, got core.ImportReport, want counts, problems ...string) {
	t.Helper()
	if n := (counts{got.Read, got.Created, got.Updated, got.Unchanged, got.Skipped, got.Edges}); n != want {
		t.Errorf("read, created, updated, unchanged, skipped, edges = %v, want %v", n, want)
	}
	texts := []string{}
	for _, p := range got.Problems {
		id := "-"
		if p.ID != nil {
			id = *p.ID
		}
		texts = append(texts, fmt.Sprintf("%d %s %s", p.Line, id, p.Reason))
	}
	if diff := cmp.Diff(append([]string{}, problems...), texts); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

func TestImport_secondTimeChangesNothing(t *testing.T) {
	s := transferStore(t)
	records := []core.TransferRecord{
		agent("mo", 5), task("gate", of(core.TypeGate)), task("epic", of(core.TypeEpic)), task("a", completed), task("b"),
		edge("a", core.EdgeBlocks, "b"), edge("gate", core.EdgeWaitsOnGate, "b"), edge("epic", core.EdgeParentChild, "b"),
		edge("b", core.EdgeDiscoveredFrom, "a"), claim("b", "mo", 1), finding("b", "f1"),
	}
	checkReport(t, bring(t, s, nil, records...), counts{4, 4, 0, 0, 0, 4})
	first := dump(t, s)
	contains(t, first, "agent mo seen 2026-03-01T08:05:00+00:00\n", "claim b mo until 2026-03-04T08:01:00+00:00\n", "finding b f1 about b\n",
		`event store.imported by importer {"format":"test","created":4,"updated":0}`)
	if strings.Contains(first, "agent importer") {
		t.Error("the import registered its agent")
	}
	checkReport(t, bring(t, s, nil, records...), counts{4, 0, 0, 4, 0, 4})
	checkReport(t, bring(t, s, overwrite, records...), counts{4, 0, 0, 4, 0, 4})
	if diff := cmp.Diff(first, dump(t, s)); diff != "" {
		t.Errorf("the second import changed something:\n%s", diff)
	}
}

func TestImport_newerWins(t *testing.T) {
	for name, c := range map[string]struct {
		stored, file func(*core.Task)
		wins         bool
		version      int64 // of the winner
	}{
		"file newer":                         {later(1), later(2), true, 2},
		"file newer by version":              {version(2), version(5), true, 5},
		"file newer, lower version":          {func(t *core.Task) { later(1)(t); version(7)(t) }, later(2), true, 8},
		"store newer":                        {later(2), later(1), false, 1},
		"store newer by version":             {version(3), version(2), false, 3},
		"as new as each other, but not same": {later(1), later(1), true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := transferStore(t)
			bring(t, s, nil, task("a", titled("stored"), c.stored))
			report := bring(t, s, nil, task("a", titled("file"), c.file))
			got, err := s.TaskGet(context.Background(), core.TaskGetRequest{TaskID: "a"})
			if err != nil {
				t.Fatal(err)
			}
			want := "stored"
			if c.wins {
				want = "file"
				checkReport(t, report, counts{1, 0, 1, 0, 0, 0})
			} else if report.Skipped != 1 || len(report.Problems) != 1 || !strings.HasPrefix(report.Problems[0].Reason, "Kept: the store's is newer (version ") {
				t.Errorf("report %+v", report)
			}
			if got.Task.Title != want || got.Task.Version != c.version {
				t.Errorf("%q version %d, want %q version %d", got.Task.Title, got.Task.Version, want, c.version)
			}
			again := bring(t, s, nil, task("a", titled("file"), c.file))
			if again.Created+again.Updated > 0 {
				t.Errorf("the second import changed something: %+v", again)
			}
		})
	}
}

func TestImport_overwrite(t *testing.T) {
	s := transferStore(t)
	bring(t, s, nil, agent("mo", 1), task("a", titled("stored"), later(9)), task("b"), edge("a", core.EdgeBlocks, "b"), claim("b", "mo", 9))
	other := edge("a", core.EdgeBlocks, "b")
	other.Edge.Metadata = `{"why":"x"}`
	records := []core.TransferRecord{agent("mo", 7), task("a", titled("file")), task("b"), other, claim("b", "ada", 1)}

	report := bring(t, s, nil, records...)
	checkReport(t, report, counts{2, 0, 0, 1, 1, 1},
		"2 a Kept: the store's is newer (version 1 of 2026-03-01T08:09:00+00:00).",
		"4 b The blocks edge from 'a' was kept as it is: the store's has other metadata.",
		"5 b The claim of 'ada' on the aspect 'work' was left out: that of 'mo' was taken later.")
	contains(t, dump(t, s), "Title", `"title":"stored"`, "edge a blocks b {}", "claim b mo", "agent mo seen 2026-03-01T08:01:00+00:00")

	checkReport(t, bring(t, s, overwrite, records...), counts{2, 0, 2, 0, 0, 1})
	after := dump(t, s)
	contains(t, after, `"title":"file"`, `"version":2`, `edge a blocks b {"why":"x"}`, "claim b ada", "agent mo seen 2026-03-01T08:07:00+00:00")
	checkReport(t, bring(t, s, overwrite, records...), counts{2, 0, 0, 2, 0, 1})
	if diff := cmp.Diff(after, dump(t, s)); diff != "" {
		t.Errorf("overwriting with the same changed something:\n%s", diff)
	}
}

// A task whose edges, claims or findings changed has changed, also when its
// own record has not.
func TestImport_belongings(t *testing.T) {
	s := transferStore(t)
	bring(t, s, nil, task("a"), task("b"), task("c"), task("d"))
	report := bring(t, s, nil, task("a"), task("b"), task("c"), task("d"),
		edge("a", core.EdgeBlocks, "b"), claim("c", "mo", 1), finding("d", "f1"))
	checkReport(t, report, counts{4, 0, 3, 1, 0, 1})
	contains(t, dump(t, s), `{"format":"test","created":0,"updated":3}`)
}

// A closed task has no leases: those of the store go when the file closes it.
func TestImport_closingDropsClaims(t *testing.T) {
	s := transferStore(t)
	bring(t, s, nil, task("a"), claim("a", "mo", 1))
	bring(t, s, nil, task("a", later(5), completed))
	if text := dump(t, s); strings.Contains(text, "claim") {
		t.Errorf("a claim is left:\n%s", text)
	}
}

func TestImport_edgesLeftOut(t *testing.T) {
	s := transferStore(t)
	bring(t, s, nil, task("old-parent"), task("old-child"), edge("old-parent", core.EdgeParentChild, "old-child"))
	report := bring(t, s, nil,
		task("a"), task("b"), task("c"),
		edge("a", core.EdgeBlocks, "nowhere"),
		edge("nowhere", core.EdgeBlocks, "a"),
		edge("a", core.EdgeBlocks, "a"),
		edge("a", core.EdgeWaitsOnGate, "b"),
		edge("a", core.EdgeParentChild, "c"),
		edge("b", core.EdgeParentChild, "c"),
		edge("a", core.EdgeParentChild, "c"),
		edge("a", core.EdgeParentChild, "old-child"),
		edge("old-parent", core.EdgeParentChild, "old-child"),
		claim("nowhere", "mo", 1),
		finding("nowhere", "f1"),
	)
	checkReport(t, report, counts{3, 3, 0, 0, 0, 2},
		"4 nowhere The blocks edge from 'a' was left out: there is no task 'nowhere'.",
		"5 a The blocks edge from 'nowhere' was left out: there is no task 'nowhere'.",
		"6 a The blocks edge from 'a' was left out: both ends are one task.",
		"7 b The waits_on_gate edge from 'a' was left out: its source is no gate.",
		"9 c The parent_child edge from 'b' was left out: the child has another parent.",
		"10 c The parent_child edge from 'a' was left out: the file has it more than once; the first counts.",
		"11 old-child The parent_child edge from 'a' was left out: the child has another parent.",
		"13 nowhere The claim was left out: there is no such task.",
		"14 nowhere The finding was left out: there is no such task.",
	)
}

// Records may stand before the tasks they name.
func TestImport_anyOrder(t *testing.T) {
	s := transferStore(t)
	report := bring(t, s, nil, finding("b", "f1"), claim("a", "mo", 1), edge("a", core.EdgeBlocks, "b"), task("b"), task("a"))
	checkReport(t, report, counts{2, 2, 0, 0, 0, 1})
	contains(t, dump(t, s), "edge a blocks b", "claim a mo", "finding b f1")
}

// Rings come over and are shown for what they are.
func TestImport_rings(t *testing.T) {
	s := transferStore(t)
	report := bring(t, s, nil, task("a"), task("b"), task("c"),
		edge("a", core.EdgeBlocks, "b"), edge("b", core.EdgeBlocks, "a"), edge("a", core.EdgeParentChild, "b"), edge("b", core.EdgeParentChild, "a"))
	checkReport(t, report, counts{3, 3, 0, 0, 0, 4})
	blocked, err := s.TaskBlocked(context.Background(), core.TaskBlockedRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range blocked.Tasks {
		if len(task.Blockers) != 1 || task.Blockers[0].Kind != core.BlockedByCycle {
			t.Errorf("%s is held by %+v", task.ID, task.Blockers)
		}
	}
	ready, err := s.TaskReady(context.Background(), core.TaskReadyRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(blocked.Tasks) != 2 || len(ready.Tasks) != 1 || ready.Tasks[0].ID != "c" {
		t.Errorf("blocked %d, ready %v", len(blocked.Tasks), ready.Tasks)
	}
}

func TestImport_sameIDTwice(t *testing.T) {
	for name, c := range map[string]struct {
		first, second func(*core.Task)
		winner, loser int
	}{
		"second newer":        {later(1), later(2), 2, 1},
		"first newer":         {later(2), later(1), 1, 2},
		"first newer version": {version(2), version(1), 1, 2},
		"as new":              {later(1), later(1), 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := transferStore(t)
			records := []core.TransferRecord{task("a", titled("of line 1"), c.first), task("a", titled("of line 2"), c.second)}
			report := bring(t, s, nil, records...)
			checkReport(t, report, counts{2, 1, 0, 0, 1, 0},
				fmt.Sprintf("%d a The id appears again; the record of line %d counts.", c.loser, c.winner))
			contains(t, dump(t, s), fmt.Sprintf(`"title":"of line %d"`, c.winner))
			if again := bring(t, s, nil, records...); again.Unchanged != 1 || again.Skipped != 1 {
				t.Errorf("second import: %+v", again)
			}
		})
	}
}

func TestImport_badLines(t *testing.T) {
	bad := func(reason string) core.TransferRecord {
		return core.TransferRecord{Kind: core.TransferBroken, Reason: reason}
	}
	left := core.TransferRecord{Kind: core.TransferLeftOut}
	records := []core.TransferRecord{task("a"), bad("It is red."), left, bad("It is blue.")}
	s := transferStore(t)
	_, err := s.Import(context.Background(), core.ImportRequest{Source: &file{records: records}, Agent: "importer"})
	refusal := core.AsError(err)
	if refusal == nil || refusal.Code != core.CodeInvalidInput || refusal.Extra("reason") != core.ReasonMalformed ||
		refusal.Message != "Line 2: It is red. Line 4: It is blue. Nothing was imported." {
		t.Errorf("refused with %v", err)
	}
	if text := dump(t, s); text != "" {
		t.Errorf("something was written:\n%s", text)
	}
	report := bring(t, s, func(r *core.ImportRequest) { r.SkipBadLines = true }, records...)
	checkReport(t, report, counts{4, 1, 0, 0, 3, 0}, "2 - It is red.", "4 - It is blue.")

	var many []core.TransferRecord
	for range 25 {
		many = append(many, bad("It is red."))
	}
	_, err = s.Import(context.Background(), core.ImportRequest{Source: &file{records: many}, Agent: "importer"})
	if err == nil || !strings.Contains(err.Error(), "Line 20: It is red. 5 more lines cannot be read.") {
		t.Errorf("refused with %v", err)
	}
}

func TestImport_allOrNothing(t *testing.T) {
	cause := errors.New("the disk is gone")
	s := transferStore(t)
	bring(t, s, nil, task("a"))
	before := dump(t, s)
	records := []core.TransferRecord{task("a", later(1), titled("new")), task("b"), edge("a", core.EdgeBlocks, "b"), finding("b", "f")}
	if _, err := s.Import(context.Background(), core.ImportRequest{Source: &file{records: records, fault: cause}, Agent: "importer"}); !errors.Is(err, cause) {
		t.Errorf("the fault at the end of the file became %v", err)
	}
	for name, second := range map[string][]core.TransferRecord{
		"a new task":      append(slices.Clone(records), task("c")),
		"a task twice":    append(slices.Clone(records), task("b")),
		"a task less":     {records[0], records[2], records[3]},
		"a line before":   append([]core.TransferRecord{finding("b", "f")}, records...),
		"a line too many": append(slices.Clone(records), core.TransferRecord{Kind: core.TransferBroken, Reason: "It is red."}),
	} {
		request := core.ImportRequest{Source: &file{records: records}, Agent: "importer"}
		if err := request.Survey(context.Background()); err != nil {
			t.Fatal(err)
		}
		request.Source = &file{records: second}
		_, err := s.Import(context.Background(), request)
		if e := core.AsError(err); e == nil || e.Extra("reason") != core.ReasonMalformed || !strings.Contains(e.Message, "changed") {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, dump(t, s)); diff != "" {
			t.Errorf("%s: something was written:\n%s", name, diff)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Import(ctx, core.ImportRequest{Source: &file{records: records}, Agent: "importer"}); err == nil {
		t.Error("an import that was called off succeeded")
	}
}

func TestImport_dryRun(t *testing.T) {
	s := transferStore(t)
	bring(t, s, nil, task("a"))
	before := dump(t, s)
	report := bring(t, s, func(r *core.ImportRequest) { r.DryRun = true },
		task("a", later(1)), task("b"), edge("a", core.EdgeBlocks, "b"), edge("a", core.EdgeBlocks, "x"))
	if !report.DryRun {
		t.Error("the report does not say that it was a rehearsal")
	}
	checkReport(t, report, counts{2, 1, 1, 0, 0, 1}, "4 x The blocks edge from 'a' was left out: there is no task 'x'.")
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Errorf("the rehearsal wrote:\n%s", diff)
	}
}

func TestImport_refusesValues(t *testing.T) {
	s := transferStore(t)
	for field, request := range map[string]core.ImportRequest{
		"agent":       {Source: &file{}, Agent: " "},
		"on_conflict": {Source: &file{}, Agent: "mo", OnConflict: "fight"},
	} {
		_, err := s.Import(context.Background(), request)
		if e := core.AsError(err); e == nil || e.Code != core.CodeInvalidInput || e.Extra("field") != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	readOnly := core.New(core.Config{ReadOnly: true})
	_, err := readOnly.Import(context.Background(), core.ImportRequest{Source: &file{}, Agent: "mo"})
	if e := core.AsError(err); e == nil || e.Code != core.CodeForbidden {
		t.Errorf("read-only: %v", err)
	}
}

func TestImportReport_keys(t *testing.T) {
	report := bring(t, transferStore(t), nil, task("a"), edge("b", core.EdgeBlocks, "a"))
	got, err := core.EncodeJSON(report)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"format":"test","dry_run":false,"read":1,"created":1,"updated":0,"unchanged":0,"skipped":0,"edges":0,` +
		`"problems":[{"line":2,"id":"a","reason":"The blocks edge from 'b' was left out: there is no task 'b'."}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// With filters an export holds the tasks they select, the edges between these,
// and what belongs to them.
func TestExport_selection(t *testing.T) {
	s := transferStore(t)
	tagged := func(tag string) func(*core.Task) {
		return func(t *core.Task) { t.Tags = core.MakeTags([]string{tag}); t.CreatedBy = tag }
	}
	bring(t, s, nil, agent("x", 1), agent("y", 1), agent("mo", 1), agent("idle", 1),
		task("a", tagged("x")), task("b", tagged("x")), task("c", tagged("y")), task("d", tagged("y"), later(1), completed),
		edge("a", core.EdgeBlocks, "b"), edge("a", core.EdgeBlocks, "c"), edge("c", core.EdgeBlocks, "d"),
		claim("b", "mo", 1), claim("c", "idle", 1), finding("a", "f1"), finding("d", "f2"))
	for name, c := range map[string]struct {
		filter core.TaskListRequest
		want   string
	}{
		"tag":    {core.TaskListRequest{Tags: []string{"x"}}, "agent mo, agent x, task a, task b, edge a b, claim b, finding a"},
		"text":   {core.TaskListRequest{Text: new("OF C")}, "agent idle, agent y, task c, claim c"},
		"limit":  {core.TaskListRequest{Limit: new(2), Offset: new(1)}, "agent idle, agent mo, agent x, agent y, task b, task c, claim b, claim c"},
		"status": {core.TaskListRequest{Status: new("completed")}, "agent mo, agent y, task d, finding d"},
		"none":   {core.TaskListRequest{Text: new("nowhere")}, ""},
		"empty":  {core.TaskListRequest{Text: new(""), Tags: []string{}}, "agent idle, agent mo, agent x, agent y, task a, task b, task c, task d, edge a b, edge a c, edge c d, claim b, claim c, finding a, finding d"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			err := s.Export(context.Background(), core.ExportRequest{Tasks: c.filter}, func(rec *core.TransferRecord) error {
				switch rec.Kind {
				case core.TransferAgent:
					got = append(got, "agent "+rec.Agent.ID)
				case core.TransferTask:
					got = append(got, "task "+rec.Task.ID)
				case core.TransferEdge:
					got = append(got, "edge "+rec.Edge.FromID+" "+rec.Edge.ToID)
				case core.TransferClaim:
					got = append(got, "claim "+rec.TaskID)
				case core.TransferFinding:
					got = append(got, "finding "+rec.TaskID)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

func TestExport_refusesFilters(t *testing.T) {
	err := transferStore(t).Export(context.Background(), core.ExportRequest{Tasks: core.TaskListRequest{Status: new("done")}},
		func(*core.TransferRecord) error { return nil })
	if e := core.AsError(err); e == nil || e.Extra("reason") != core.ReasonInvalidStatus {
		t.Errorf("got %v", err)
	}
}

func TestExport_endsWithTheFirstError(t *testing.T) {
	s := transferStore(t)
	bring(t, s, nil, task("a"), task("b"))
	stop := errors.New("stop")
	n := 0
	err := s.Export(context.Background(), core.ExportRequest{}, func(*core.TransferRecord) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("%v after %d records", err, n)
	}
}
