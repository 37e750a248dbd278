package core

import (
	"strings"
	"testing"
	"time"
)

// TestAssess tries every kind of source over every kind of edge.
func TestAssess(t *testing.T) {
	now := StampOf(time.Date(2026, 3, 2, 12, 0, 0, 700_000_000, time.UTC))
	timer := func(readyAt string) Metadata { return Metadata(`{"gate_type":"timer","ready_at":` + readyAt + `}`) }
	head := func(kind TaskType, status Status) TaskHead {
		return TaskHead{Key: 2, ID: "source", Type: kind, Status: status}
	}
	for _, c := range []struct {
		name string
		edge Dependency
		kind BlockerKind // empty: the edge lets go
	}{
		{"open task", Dependency{Type: EdgeBlocks, Source: head(TypeTask, StatusOpen)}, BlockedByTask},
		{"completed task", Dependency{Type: EdgeBlocks, Source: head(TypeTask, StatusCompleted)}, ""},
		{"cancelled task", Dependency{Type: EdgeBlocks, Source: head(TypeTask, StatusCancelled)}, BlockedForGood},
		{"open epic", Dependency{Type: EdgeBlocks, Source: head(TypeEpic, StatusOpen)}, BlockedByTask},
		{"completed epic", Dependency{Type: EdgeBlocks, Source: head(TypeEpic, StatusCompleted)}, ""},
		{"missing task", Dependency{Type: EdgeBlocks, Source: TaskHead{Key: 2, ID: "source"}, Missing: true}, BlockedForGood},
		{"missing gate", Dependency{Type: EdgeWaitsOnGate, Source: TaskHead{Key: 2, ID: "source"}, Missing: true}, BlockedForGood},

		{"open human gate", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen), Gate: `{"gate_type":"human"}`}, BlockedByGate},
		{"completed gate", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusCompleted), Gate: `{"gate_type":"human"}`}, ""},
		{"cancelled gate", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusCancelled), Gate: `{"gate_type":"human"}`}, BlockedForGood},
		{"gate without metadata", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen)}, BlockedByGate},
		{"human gate with a time", Dependency{
			Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen), Gate: `{"gate_type":"human","ready_at":"2020-01-01"}`,
		}, BlockedByGate},

		{"timer past due", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen), Gate: timer(`"2026-03-02T11:59:59+00:00"`)}, ""},
		{"timer due this second", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen), Gate: timer(`"2026-03-02T12:00:00+00:00"`)}, ""},
		{"timer due the next second", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen), Gate: timer(`"2026-03-02T12:00:01+00:00"`)}, BlockedByGate},
		// now is cut to whole seconds, the imported time is not.
		{"timer due within this second", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen), Gate: timer(`"2026-03-02T12:00:00.5+00:00"`)}, BlockedByGate},
		{"timer in another offset", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen), Gate: timer(`"2026-03-02T14:00:00+02:00"`)}, ""},
		{"timer with an unusable time", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen), Gate: timer(`"soon"`)}, BlockedByGate},
		{"timer with a number", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen), Gate: timer(`0`)}, BlockedByGate},
		{"timer without a time", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusOpen), Gate: `{"gate_type":"timer"}`}, BlockedByGate},
		{"cancelled timer past due", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusCancelled), Gate: timer(`"2020-01-01"`)}, BlockedForGood},
		{"completed timer in the future", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeGate, StatusCompleted), Gate: timer(`"2030-01-01"`)}, ""},
		{"timer past due over blocks", Dependency{Type: EdgeBlocks, Source: head(TypeGate, StatusOpen), Gate: timer(`"2020-01-01"`)}, BlockedByTask},
		{"completed gate over blocks", Dependency{Type: EdgeBlocks, Source: head(TypeGate, StatusCompleted)}, ""},
		{"a task with gate metadata", Dependency{Type: EdgeWaitsOnGate, Source: head(TypeTask, StatusOpen), Gate: timer(`"2020-01-01"`)}, BlockedByGate},
	} {
		c.edge.Target = 1
		live := Assess([]Dependency{c.edge}, now)
		if len(live) != 0 != (c.kind != "") {
			t.Errorf("%s: %d live edges", c.name, len(live))
			continue
		}
		if len(live) == 0 {
			continue
		}
		blocker := blockerOf(live[0], nil)
		status := string(c.edge.Source.Status)
		if c.edge.Missing {
			status = "missing"
		}
		if blocker.Kind != c.kind || blocker.TaskID != "source" || blocker.Type != c.edge.Type || blocker.Status != status {
			t.Errorf("%s: blocker %+v, want %s", c.name, blocker, c.kind)
		}
		if !strings.Contains(blocker.Message, "source") {
			t.Errorf("%s: the message does not name the predecessor: %s", c.name, blocker.Message)
		}
	}
}

func TestBlockerOf_messages(t *testing.T) {
	gate := TaskHead{ID: "gate-1", Type: TypeGate, Status: StatusOpen}
	task := TaskHead{ID: "task-1", Type: TypeTask, Status: StatusOpen}
	for _, c := range []struct {
		name     string
		edge     Dependency
		ring     []string
		kind     BlockerKind
		contains []string
	}{
		{"ci gate", Dependency{Type: EdgeWaitsOnGate, Source: gate, Gate: `{"gate_type":"ci"}`}, nil, BlockedByGate, []string{"ci", "gate-1"}},
		{
			"timer gate", Dependency{Type: EdgeWaitsOnGate, Source: gate, Gate: `{"gate_type":"timer","ready_at":"2030-01-01T00:00:00+00:00"}`}, nil,
			BlockedByGate, []string{"timer", "gate-1", "2030-01-01T00:00:00+00:00"},
		},
		{"ring", Dependency{Type: EdgeBlocks, Source: task}, []string{"task-1", "b", "task-1"}, BlockedByCycle, []string{"task-1 -> b -> task-1"}},
		{
			"ring through a gate edge", Dependency{Type: EdgeWaitsOnGate, Source: gate, Gate: `{"gate_type":"pr"}`}, []string{"gate-1", "gate-1"},
			BlockedByGate, []string{"pr", "gate-1"},
		},
		{
			"cancelled in a ring", Dependency{Type: EdgeBlocks, Source: TaskHead{ID: "task-1", Status: StatusCancelled}}, []string{"task-1", "task-1"},
			BlockedForGood, []string{"task-1", "intervene"},
		},
		{"missing", Dependency{Type: EdgeBlocks, Source: TaskHead{ID: "task-1"}, Missing: true}, nil, BlockedForGood, []string{"task-1", "intervene"}},
		{"task", Dependency{Type: EdgeBlocks, Source: task}, nil, BlockedByTask, []string{"task-1"}},
	} {
		b := blockerOf(c.edge, c.ring)
		if b.Kind != c.kind {
			t.Errorf("%s: kind %s, want %s", c.name, b.Kind, c.kind)
		}
		for _, part := range c.contains {
			if !strings.Contains(b.Message, part) {
				t.Errorf("%s: %q does not say %q", c.name, b.Message, part)
			}
		}
	}
}

func TestAssess_keepsOrderAndTargets(t *testing.T) {
	edge := func(target TaskKey, id string, status Status) Dependency {
		return Dependency{Target: target, Type: EdgeBlocks, Source: TaskHead{ID: id, Status: status, Type: TypeTask}}
	}
	live := Assess([]Dependency{
		edge(1, "b", StatusOpen), edge(1, "a", StatusCompleted), edge(1, "c", StatusCancelled), edge(2, "b", StatusOpen), edge(3, "a", StatusCompleted),
	}, 0)
	var got []string
	for _, e := range live {
		got = append(got, e.Source.ID)
	}
	if strings.Join(got, "") != "bcb" || live[2].Target != 2 {
		t.Errorf("live edges come from %v", got)
	}
	if live := Assess(nil, 0); len(live) != 0 {
		t.Errorf("nothing arrives, yet %v", live)
	}
}

func TestClaim_Live(t *testing.T) {
	c := Claim{ExpiresAt: 100}
	if !c.Live(99) || c.Live(100) || c.Live(101) {
		t.Error("a claim is live while expires_at > now")
	}
}

func TestFacetsOf(t *testing.T) {
	for _, c := range []struct {
		kind     TaskType
		metadata Metadata
		priority int
		project  string // "-": none
		readyAt  int64  // -1: none
	}{
		{TypeTask, "", 2, "-", -1},
		{TypeTask, `{"priority":"highest","project":"core"}`, 0, "core", -1},
		{TypeTask, `{"priority":"high"}`, 1, "-", -1},
		{TypeTask, `{"priority":"medium"}`, 2, "-", -1},
		{TypeTask, `{"priority":"low","project":""}`, 3, "", -1},
		{TypeTask, `{"priority":"lowest","project":["core"]}`, 4, "-", -1},
		{TypeTask, `{"priority":"urgent"}`, 2, "-", -1},
		{TypeTask, `{"priority":"Highest"}`, 2, "-", -1},
		{TypeTask, `{"priority":0}`, 2, "-", -1},
		{TypeTask, `{"gate_type":"timer","ready_at":"2026-03-02"}`, 2, "-", -1},
		{TypeGate, `{"gate_type":"timer","ready_at":"1970-01-01T00:00:10Z"}`, 2, "-", 10},
		{TypeGate, `{"gate_type":"timer","ready_at":"1970-01-01T00:00:10.000001Z"}`, 2, "-", 11},
		{TypeGate, `{"gate_type":"ci","ready_at":"1970-01-01T00:00:10Z"}`, 2, "-", -1},
		{TypeGate, `{"gate_type":"timer","ready_at":"never"}`, 2, "-", -1},
	} {
		got := FacetsOf(c.kind, c.metadata)
		project, readyAt := "-", int64(-1)
		if got.Project != nil {
			project = *got.Project
		}
		if got.ReadyAt != nil {
			readyAt = *got.ReadyAt
		}
		if got.Priority != c.priority || project != c.project || readyAt != c.readyAt {
			t.Errorf("%s %s: priority %d, project %q, ready at %d", c.kind, c.metadata, got.Priority, project, readyAt)
		}
	}
}
