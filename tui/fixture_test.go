package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
)

// noon is the moment at which the fixtures stand.
var noon = time.Date(2026, 3, 2, 14, 2, 0, 0, time.UTC)

// fixture is a graph with fixed ids, moments and claims, so that frames of it
// are the same every time.
type fixture struct {
	tasks []fixtureTask
	edges []string // "3f9a1c > 19ab44" blocks, "~>" waits on gate, "/" parent, "?" discovered
	holds []string // "70bec2 build-7 code 52m": claims
	notes []string // "3f9a1c ada 30m text": findings; "[id] text" names a note
	files []fixtureFile
}

type fixtureTask struct {
	id, title string
	age       time.Duration
	kind      core.TaskType // task when empty
	status    core.Status   // open when empty
	closed    time.Duration // how long ago
	by        string        // planner-1 when empty
	metadata  string
	tags      []string
	text      string
	outcome   string
	version   int64
	edited    time.Duration // how long ago; 0: never
}

const (
	hour = time.Hour
	day  = 24 * hour
)

// longID is the whole id of a task of a fixture.
func longID(short string) string { return short + "00-0000-4000-8000-000000000000" }

// acme is the graph that the design's frames show.
var acme = fixture{
	tasks: []fixtureTask{
		{id: "0c4d9a", title: "Claims & leases", kind: core.TypeEpic, age: 9 * day, metadata: `{"priority":"highest","project":"acme"}`},
		{id: "8e2163", title: "Gate types", kind: core.TypeEpic, age: 8 * day, metadata: `{"priority":"high","project":"acme"}`},
		{id: "f310b8", title: "TUI polish", kind: core.TypeEpic, age: 7 * day, metadata: `{"project":"acme"}`},
		{id: "3f9a1c", title: "Wire claim lease sweeper", age: 2 * hour, metadata: `{"priority":"high","project":"acme"}`, version: 3, edited: 11 * time.Minute,
			text: "Expired leases must stop holding a task without a **background daemon**:\nfilter them at query time and delete lazily inside the next `Update`."},
		{id: "9f3c70", title: "Sweep claims on Update", age: hour, metadata: `{"priority":"high","project":"acme"}`},
		{id: "81c0d2", title: "Print ready list as table", age: 5 * hour, metadata: `{"priority":"medium"}`, tags: []string{"cli", "docs"}},
		{id: "b2d4e9", title: "Document error codes", age: day, metadata: `{"priority":"low"}`, tags: []string{"docs"}},
		{id: "70bec2", title: "Parse gate metadata", age: 3 * day, metadata: `{"priority":"high"}`},
		{id: "02f83d", title: "Draft theme tokens", age: 2 * day},
		{id: "19ab44", title: "Ship v0.2", age: 4 * day, metadata: `{"priority":"high","project":"acme","phase":"ship"}`, version: 7, edited: hour, tags: []string{"release"},
			text: "Tag, changelog, binaries. Blocked until leases cannot strand a task.\n\n1. tag\n2. changelog\n3. binaries"},
		{id: "4c1e08", title: "Turn on writes in prod", age: 4 * day, metadata: `{"priority":"high"}`},
		{id: "77f0b3", title: "Import legacy graph", age: 6 * day},
		{id: "a0b3f6", title: "Purge old claims", age: 5 * day},
		{id: "c9d2e5", title: "Write migration guide", age: 3 * day, tags: []string{"docs"}},
		{id: "d17e3b", title: "Backfill edge metadata", age: 2 * day, metadata: `{"priority":"low"}`},
		{id: "e3a96f", title: "Re-key claims by aspect", age: 2 * day, metadata: `{"priority":"low"}`},
		{id: "9b02a7", title: "API names signed off", kind: core.TypeGate, age: 2 * day, metadata: `{"gate_type":"human","assignee":"dana"}`},
		{id: "6d1190", title: "Quiet period ends", kind: core.TypeGate, age: day, metadata: `{"gate_type":"timer","ready_at":"2026-03-02T14:43:00+00:00"}`},
		{id: "a7c355", title: "CI green on main", kind: core.TypeGate, age: 20 * time.Minute, metadata: `{"gate_type":"ci","run":"run 88123"}`},
		{id: "55aa21", title: "Old spike", age: 9 * day, status: core.StatusCancelled, closed: 3 * day},
		{id: "5d20ee", title: "Lease column + index", age: 8 * day, status: core.StatusCompleted, closed: 3 * day, outcome: "One column, one index."},
		{id: "6aa1f0", title: "Renew extends from now", age: 8 * day, status: core.StatusCompleted, closed: 2 * day},
		{id: "1b7748", title: "Query-time filter", age: 8 * day, status: core.StatusCompleted, closed: day},
		{id: "d4e6c1", title: "Announce on the list", age: day},
	},
	edges: []string{
		"3f9a1c > 19ab44", "70bec2 > 19ab44", "4c1e08 > 19ab44", "5d20ee > 19ab44", "9b02a7 ~> 4c1e08", "19ab44 > c9d2e5", "c9d2e5 > d4e6c1",
		"55aa21 > 77f0b3", "6d1190 ~> a0b3f6", "d17e3b > e3a96f", "e3a96f > d17e3b",
		"0c4d9a / 5d20ee", "0c4d9a / 6aa1f0", "0c4d9a / 3f9a1c", "0c4d9a / 70bec2", "0c4d9a / a0b3f6", "0c4d9a / 19ab44", "3f9a1c / 1b7748", "3f9a1c / 9f3c70",
		"8e2163 / 4c1e08", "f310b8 / 02f83d", "02f83d ? 3f9a1c",
	},
	holds: []string{"70bec2 build-7 code 52m", "02f83d you@box design 6m"},
	notes: []string{"3f9a1c build-7 30m The sweeper must not run on reads."},
}

// hostile has titles that try to get out of their cells.
var hostile = fixture{
	tasks: []fixtureTask{
		{id: "a00001", title: "line\nbreak\r\nand\ttab", age: hour},
		{id: "a00002", title: "\x1b[31mred\x1b[0m \x1b]52;c;aGk=\x07 bell \x07", age: 2 * hour, text: "\x1b[2J\n\u202eoverride\n\x00"},
		{id: "a00003", title: "evil\u202etxt.exe \u2066iso\u2069", age: 3 * hour},
		{id: "a00004", title: "買い物リストを作る 日本語の長い題名はここで切れる", age: 4 * hour},
		{id: "a00005", title: "👩‍👩‍👧‍👦 family 🏳️‍🌈 flag e\u0301\u0301\u0301 marks", age: 5 * hour},
		{id: "a00006", title: "ع ر ب ي", age: 6 * hour},
		{id: "a00007", title: strings.Repeat("long ", 100), age: 7 * hour, metadata: `{"project":"` + strings.Repeat("é x", 100) + `"}`},
		{id: "a00008", title: "\u0301\u200d\ufe0f", age: 8 * hour, by: "\x1b[5mblink"},
		{id: "a00009", title: "waits for the odd ones", age: 9 * hour, tags: []string{"\u202e", "a,b"}},
	},
	edges: []string{"a00001 > a00009", "a00004 > a00009", "a00005 > a00009"},
	holds: []string{"a00003 \u202eagent \U0001f469\u200d\U0001f680aspect 30m"},
}

// Format implements [core.ImportSource].
func (f fixture) Format() string { return "fixture" }

// Each implements [core.ImportSource].
func (f fixture) Each(_ context.Context, yield func(*core.TransferRecord) error) error {
	now := core.StampOf(noon)
	for _, t := range f.tasks {
		task := core.Task{
			TaskHead: core.TaskHead{
				ID: longID(t.id), Title: t.title, Status: core.StatusOpen, Type: core.TypeTask,
				CreatedAt: now.Add(-t.age), UpdatedAt: now.Add(-t.age), Version: 1, Tags: core.MakeTags(t.tags),
			},
			CreatedBy: "planner-1", Metadata: core.Metadata(t.metadata),
		}
		if t.kind != "" {
			task.Type = t.kind
		}
		if t.by != "" {
			task.CreatedBy = t.by
		}
		if t.status != "" {
			at := now.Add(-t.closed)
			task.Status, task.ResolvedAt, task.UpdatedAt, task.Version = t.status, &at, at, 2
		}
		if t.text != "" {
			task.Description = &t.text
		}
		if t.outcome != "" {
			task.Outcome = &t.outcome
		}
		if t.edited > 0 {
			task.Version, task.UpdatedAt = t.version, now.Add(-t.edited)
		}
		if err := yield(&core.TransferRecord{Kind: core.TransferTask, Task: task}); err != nil {
			return err
		}
	}
	kinds := map[string]core.EdgeType{">": core.EdgeBlocks, "~>": core.EdgeWaitsOnGate, "/": core.EdgeParentChild, "?": core.EdgeDiscoveredFrom}
	for _, e := range f.edges {
		ends := strings.Fields(e)
		edge := core.Edge{FromID: longID(ends[0]), ToID: longID(ends[2]), Type: kinds[ends[1]], CreatedBy: "planner-1", CreatedAt: now.Add(-day), Metadata: "{}"}
		if err := yield(&core.TransferRecord{Kind: core.TransferEdge, Edge: edge}); err != nil {
			return err
		}
	}
	for _, h := range f.holds {
		words := strings.Fields(h)
		left, err := time.ParseDuration(words[3])
		if err != nil {
			return err
		}
		claim := core.Claim{Agent: words[1], Aspect: words[2], ClaimedAt: now.Add(-time.Minute), ExpiresAt: now.Add(left)}
		if err := yield(&core.TransferRecord{Kind: core.TransferClaim, TaskID: longID(words[0]), Claim: claim}); err != nil {
			return err
		}
	}
	for i, n := range f.notes {
		words := strings.SplitN(n, " ", 4)
		ago, err := time.ParseDuration(words[2])
		if err != nil {
			return err
		}
		finding := core.Finding{ID: fmt.Sprintf("finding-%d", i), Agent: words[1], Summary: words[3], CreatedAt: now.Add(-ago)}
		if rest, ok := strings.CutPrefix(words[3], "["); ok {
			id, text, _ := strings.Cut(rest, "] ")
			finding.KnowledgeID, finding.Summary = &id, text
		}
		if err := yield(&core.TransferRecord{Kind: core.TransferFinding, TaskID: longID(words[0]), Finding: finding}); err != nil {
			return err
		}
	}
	return nil
}

// numberedIDs makes ids that are the same in every run.
func numberedIDs() func() string {
	n := 0
	return func() string {
		n++
		return fmt.Sprintf("%06x%02x-1111-4000-8000-%012d", (n*7919+0xabc)%0xffffff, n%256, n)
	}
}

// makeStore makes a store that holds a fixture.
func makeStore(f fixture, path string, now func() time.Time) (*store.Store, error) {
	s, err := store.Open(context.Background(), store.Options{Path: path, Create: true, Synchronous: store.Normal})
	if err != nil {
		return nil, err
	}
	for _, file := range f.files {
		if err := file.write(path); err != nil {
			return nil, err
		}
	}
	service := core.New(core.Config{Store: s, Folder: notesBeside(path), Now: now, NewID: numberedIDs()})
	if len(f.tasks) > 0 {
		if _, err := service.Import(context.Background(), core.ImportRequest{Source: f, Agent: "planner-1"}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// fixtureStore makes a store for a test.
func fixtureStore(t testing.TB, f fixture, now func() time.Time) (*store.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lithos.db")
	s, err := makeStore(f, path, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, path
}
