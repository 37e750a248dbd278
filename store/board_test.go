package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

// boardWorld is a small random graph with a clock that jumps.
type boardWorld struct {
	t       *testing.T
	r       *rand.Rand
	service *core.Service
	now     time.Time
	ids     []string
	gates   []string
}

func (w *boardWorld) id() string { return w.ids[w.r.IntN(len(w.ids))] }

// tried lets an operation be refused: what matters is the state it leaves.
func tried[Out any](Out, error) {}

func (w *boardWorld) step(ctx context.Context) {
	s, agent := w.service, []string{"ada", "mo"}[w.r.IntN(2)]
	switch w.r.IntN(12) {
	case 0, 1, 2:
		kind := []string{"task", "task", "task", "epic", "gate"}[w.r.IntN(5)]
		metadata := core.Metadata(fmt.Sprintf(`{"priority":%q,"project":"p%d"}`, append(core.Priorities, "other")[w.r.IntN(6)], w.r.IntN(2)))
		if kind == "gate" {
			metadata = `{"gate_type":"human"}`
			if w.r.IntN(2) == 0 {
				at := core.StampOf(w.now.Add(time.Duration(w.r.IntN(7)-3) * time.Hour))
				metadata = core.Metadata(fmt.Sprintf(`{"gate_type":"timer","ready_at":%q}`, at))
			}
		}
		req := core.TaskCreateRequest{Title: fmt.Sprintf("Task %c%d", 'a'+rune(w.r.IntN(3)), len(w.ids)), Agent: agent, TaskType: &kind, Metadata: &metadata,
			Tags: []string{fmt.Sprintf("t%d", w.r.IntN(3))}}
		if len(w.ids) > 0 && w.r.IntN(2) == 0 {
			req.DependsOn = []string{w.id()}
		}
		if len(w.ids) > 0 && w.r.IntN(3) == 0 {
			parent := w.id()
			req.ParentTaskID = &parent
		}
		result, err := s.TaskCreate(ctx, req)
		if err != nil {
			w.t.Fatal(err)
		}
		w.ids = append(w.ids, result.TaskID)
		if kind == "gate" {
			w.gates = append(w.gates, result.TaskID)
		}
	case 3, 4:
		if len(w.ids) > 1 {
			tried(s.TaskEdgeUpsert(ctx, core.TaskEdgeUpsertRequest{FromTaskID: w.id(), ToTaskID: w.id(), Type: "blocks", Agent: agent}))
		}
	case 5:
		if len(w.gates) > 0 {
			gate := w.gates[w.r.IntN(len(w.gates))]
			tried(s.TaskEdgeUpsert(ctx, core.TaskEdgeUpsertRequest{FromTaskID: gate, ToTaskID: w.id(), Type: "waits_on_gate", Agent: agent}))
		}
	case 6:
		if len(w.ids) > 0 {
			tried(s.TaskComplete(ctx, core.TaskCompleteRequest{TaskID: w.id(), Agent: agent}))
		}
	case 7:
		if len(w.ids) > 0 {
			tried(s.TaskCancel(ctx, core.TaskCancelRequest{TaskID: w.id(), Agent: agent}))
		}
	case 8:
		if len(w.ids) > 0 {
			tried(s.TaskReopen(ctx, core.TaskReopenRequest{TaskID: w.id(), Agent: agent}))
		}
	case 9, 10:
		if len(w.ids) > 0 {
			minutes := 1 + w.r.IntN(120)
			tried(s.TaskClaim(ctx, core.TaskClaimRequest{TaskID: w.id(), Agent: agent, Aspect: []string{"work", "review"}[w.r.IntN(2)], TTLMinutes: &minutes}))
		}
	}
	w.now = w.now.Add(time.Duration(w.r.IntN(40)) * time.Minute)
}

// expected works the columns out from the operations of the contract.
func (w *boardWorld) expected(ctx context.Context) (columns [core.ColumnCount][]string, tasks map[string]core.Task) {
	everything := 1_000
	withClaims := true
	list, err := w.service.TaskList(ctx, core.TaskListRequest{WithClaims: &withClaims})
	if err != nil {
		w.t.Fatal(err)
	}
	tasks = map[string]core.Task{}
	var open, closed []core.Task
	for _, t := range list.Tasks {
		tasks[t.ID] = t
		if t.Status == core.StatusOpen {
			open = append(open, t)
		} else {
			closed = append(closed, t)
		}
	}
	ready, err := w.service.TaskReady(ctx, core.TaskReadyRequest{Limit: &everything})
	if err != nil {
		w.t.Fatal(err)
	}
	blocked, err := w.service.TaskBlocked(ctx, core.TaskBlockedRequest{Limit: &everything})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, t := range ready.Tasks {
		if len(t.Claims) == 0 {
			columns[core.ColumnReady] = append(columns[core.ColumnReady], t.ID)
		}
	}
	for _, t := range blocked.Tasks {
		columns[core.ColumnBlocked] = append(columns[core.ColumnBlocked], t.ID)
	}
	slices.SortFunc(open, func(a, b core.Task) int {
		return cmp.Or(cmp.Compare(core.PriorityRank(a.Priority()), core.PriorityRank(b.Priority())),
			cmp.Compare(a.CreatedAt, b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	for _, t := range open {
		if len(t.Claims) > 0 {
			columns[core.ColumnClaimed] = append(columns[core.ColumnClaimed], t.ID)
		}
		if t.Type == core.TypeGate {
			columns[core.ColumnGates] = append(columns[core.ColumnGates], t.ID)
		}
	}
	slices.SortFunc(closed, func(a, b core.Task) int {
		return cmp.Or(cmp.Compare(*b.ResolvedAt, *a.ResolvedAt), strings.Compare(a.ID, b.ID))
	})
	for _, t := range closed {
		columns[core.ColumnDone] = append(columns[core.ColumnDone], t.ID)
	}
	return columns, tasks
}

func idsOfCards(cards []core.Card) []string {
	ids := []string{}
	for _, c := range cards {
		ids = append(ids, c.ID)
	}
	return ids
}

// check compares the board with what is expected: whole columns, windows by
// offset and by anchor, counts and filters.
func (w *boardWorld) check(ctx context.Context) {
	t, s := w.t, w.service
	t.Helper()
	columns, tasks := w.expected(ctx)
	whole := core.BoardRequest{Agent: "ada"}
	for c := range core.ColumnCount {
		whole.Columns = append(whole.Columns, core.ColumnRequest{Column: c, Limit: 1_000})
	}
	board, err := s.Board(ctx, whole)
	if err != nil {
		t.Fatal(err)
	}
	if board.Empty != (len(tasks) == 0) {
		t.Errorf("empty is %v with %d tasks", board.Empty, len(tasks))
	}
	for c, want := range columns {
		cards := board.Columns[c].Cards
		if got := idsOfCards(cards); !slices.Equal(got, want) || board.Counts[c] != len(want) || board.Totals[c] != len(want) {
			t.Fatalf("column %d: %v (count %d, total %d), want %v", c, got, board.Counts[c], board.Totals[c], want)
		}
		for _, card := range cards {
			w.checkCard(ctx, card, tasks[card.ID])
		}
		if len(want) == 0 {
			continue
		}
		at, above, limit := w.r.IntN(len(want)), w.r.IntN(4), 1+w.r.IntN(5)
		window, err := s.Board(ctx, core.BoardRequest{Columns: []core.ColumnRequest{{
			Column: core.Column(c), Anchors: []string{"gone", want[at]}, Above: above, Limit: limit,
		}}})
		if err != nil {
			t.Fatal(err)
		}
		first := max(at-above, 0)
		if got := window.Columns[0]; got.Anchor != 1 || got.Position != at || got.First != first ||
			!slices.Equal(idsOfCards(got.Cards), want[first:min(first+limit, len(want))]) {
			t.Fatalf("column %d: the window round %d is %+v", c, at, got)
		}
		window, err = s.Board(ctx, core.BoardRequest{Columns: []core.ColumnRequest{{
			Column: core.Column(c), Anchors: []string{"gone"}, Offset: at, Limit: limit,
		}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := window.Columns[0]; got.Anchor != -1 || !slices.Equal(idsOfCards(got.Cards), want[at:min(at+limit, len(want))]) {
			t.Fatalf("column %d: the window from %d is %+v", c, at, got)
		}
	}
	w.checkFilters(ctx, columns, tasks)
	w.checkDue(board, tasks)
}

// checkCard compares how a card stands with what task_why says.
func (w *boardWorld) checkCard(ctx context.Context, card core.Card, task core.Task) {
	t := w.t
	why, err := w.service.TaskWhy(ctx, core.TaskWhyRequest{TaskID: card.ID})
	if err != nil {
		t.Fatal(err)
	}
	held := len(why.Blockers) > 0
	if card.Type == core.TypeTask && card.Held != held || !strings.HasPrefix(card.ID, card.ShortID) || len(card.Claims) != len(task.Claims) {
		t.Fatalf("the card of %s: held %v (want %v), short id %s, claims %v (want %v)", card.ID, card.Held, held, card.ShortID, card.Claims, task.Claims)
	}
	if card.Waits == nil {
		return
	}
	if card.WaitCount != len(why.Blockers) {
		t.Fatalf("%s waits for %d, want %v", card.ID, card.WaitCount, why.Blockers)
	}
	for i, wait := range card.Waits {
		b := why.Blockers[i]
		if wait.Kind != b.Kind || wait.Source.ID != b.TaskID || wait.Edge != b.Type {
			t.Fatalf("%s waits for %+v, want %+v", card.ID, wait, b)
		}
		source, err := w.service.TaskWhy(ctx, core.TaskWhyRequest{TaskID: b.TaskID})
		if err != nil {
			t.Fatal(err)
		}
		if source.TaskType == core.TypeTask && wait.Source.Held != (len(source.Blockers) > 0) {
			t.Fatalf("%s: its blocker %s is held %v, want %v", card.ID, b.TaskID, wait.Source.Held, source.Blockers)
		}
	}
}

// checkFilters compares filters with a plain reading of what they mean.
func (w *boardWorld) checkFilters(ctx context.Context, columns [core.ColumnCount][]string, tasks map[string]core.Task) {
	t := w.t
	rank := func(task core.Task) int { return core.PriorityRank(task.Priority()) }
	claimed := func(task core.Task, agent string) bool {
		return slices.ContainsFunc(task.Claims, func(c core.Claim) bool { return agent == "" || c.Agent == agent })
	}
	for text, holds := range map[string]func(core.Task, core.Column) bool{
		// Both words, anywhere, also in the title of an epic above.
		"task A0": func(task core.Task, _ core.Column) bool {
			return strings.Contains(task.Title, "a0") || strings.HasPrefix(task.ID, "a0") || w.isBelow(ctx, task.ID, tasks, "a0")
		},
		`"TASK B"`: func(task core.Task, _ core.Column) bool {
			return strings.HasPrefix(task.Title, "Task b") || w.isBelow(ctx, task.ID, tasks, "task b")
		},
		"epic:a0": func(task core.Task, _ core.Column) bool {
			return w.isBelow(ctx, task.ID, tasks, "a0")
		},
		"is:open":                 func(_ core.Task, c core.Column) bool { return c != core.ColumnDone },
		"status:completed":        func(task core.Task, _ core.Column) bool { return task.Status == core.StatusCompleted },
		"Priority:high TYPE:task": func(task core.Task, _ core.Column) bool { return rank(task) == 1 && task.Type == core.TypeTask },
		"t1": func(task core.Task, _ core.Column) bool {
			return slices.Contains(task.Tags.List(), "t1") || strings.HasPrefix(task.ID, "t1")
		},
		"-t1":  func(task core.Task, _ core.Column) bool { return !slices.Contains(task.Tags.List(), "t1") },
		"p:<2": func(task core.Task, _ core.Column) bool { return rank(task) < 2 },
		"p:P0": func(task core.Task, _ core.Column) bool { return rank(task) == 0 },
		"p:>=3 tag:t2": func(task core.Task, _ core.Column) bool {
			return rank(task) >= 3 && slices.Contains(task.Tags.List(), "t2")
		},
		"by:AD":        func(task core.Task, _ core.Column) bool { return task.CreatedBy == "ada" },
		"agent:mo":     func(task core.Task, _ core.Column) bool { return claimed(task, "mo") },
		"kind:gate":    func(task core.Task, _ core.Column) bool { return task.Type == core.TypeGate },
		"project:p1":   func(task core.Task, _ core.Column) bool { return task.Project() == "p1" },
		"is:ready":     func(_ core.Task, c core.Column) bool { return c == core.ColumnReady },
		"is:blocked":   func(_ core.Task, c core.Column) bool { return c == core.ColumnBlocked },
		"is:mine":      func(task core.Task, _ core.Column) bool { return claimed(task, "ada") },
		"-is:mine p:":  func(task core.Task, _ core.Column) bool { return !claimed(task, "ada") },
		"is:cancelled": func(task core.Task, _ core.Column) bool { return task.Status == core.StatusCancelled },
		"is:d":         func(task core.Task, _ core.Column) bool { return task.Status == core.StatusCompleted },
		"is:stuck":     w.isStuck(ctx),
		"http://x":     func(core.Task, core.Column) bool { return false },
	} {
		f, err := core.ParseFilter(text)
		if err != nil {
			t.Fatal(err)
		}
		req := core.BoardRequest{Agent: "ada", Filter: f}
		for c := range core.ColumnCount {
			req.Columns = append(req.Columns, core.ColumnRequest{Column: c, Limit: 1_000})
		}
		board, err := w.service.Board(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		for c, ids := range columns {
			want := []string{}
			for _, id := range ids {
				if holds(tasks[id], core.Column(c)) {
					want = append(want, id)
				}
			}
			if got := idsOfCards(board.Columns[c].Cards); !slices.Equal(got, want) || board.Counts[c] != len(want) || board.Totals[c] != len(ids) {
				t.Fatalf("filter %q, column %d: %v (%d of %d), want %v", text, c, got, board.Counts[c], board.Totals[c], want)
			}
		}
	}
}

// isBelow reports whether a task lies below an open epic whose title has a text.
func (w *boardWorld) isBelow(ctx context.Context, id string, tasks map[string]core.Task, text string) bool {
	yes := true
	for _, epic := range tasks {
		if epic.Type != core.TypeEpic || epic.Status != core.StatusOpen || !strings.Contains(strings.ToLower(epic.Title), text) {
			continue
		}
		below, err := w.service.TaskChildren(ctx, core.TaskChildrenRequest{TaskID: epic.ID, Recursive: &yes, IncludeClosed: &yes})
		if err != nil {
			w.t.Fatal(err)
		}
		if slices.ContainsFunc(below.Tasks, func(t core.Task) bool { return t.ID == id }) {
			return true
		}
	}
	return false
}

func (w *boardWorld) isStuck(ctx context.Context) func(core.Task, core.Column) bool {
	return func(task core.Task, c core.Column) bool {
		if c != core.ColumnBlocked {
			return false
		}
		why, err := w.service.TaskWhy(ctx, core.TaskWhyRequest{TaskID: task.ID})
		if err != nil {
			w.t.Fatal(err)
		}
		return slices.ContainsFunc(why.Blockers, func(b core.Blocker) bool { return b.Kind == core.BlockedForGood })
	}
}

// checkDue compares when something changes by itself next.
func (w *boardWorld) checkDue(board core.Board, tasks map[string]core.Task) {
	var want *core.Stamp
	for _, task := range tasks {
		moments := []core.Stamp{}
		for _, claim := range task.Claims {
			moments = append(moments, claim.ExpiresAt)
		}
		if at := task.OpensAt(); at != nil && task.Status == core.StatusOpen && at.Seconds() > board.Now.Seconds() {
			moments = append(moments, *at)
		}
		for _, at := range moments {
			if want == nil || at < *want {
				want = &at
			}
		}
	}
	if (want == nil) != (board.Due == nil) || want != nil && *want != *board.Due {
		w.t.Fatalf("due at %v, want %v", board.Due, want)
	}
}

// checkConsequences compares what closing or reopening would do with a
// rehearsal of doing it.
func (w *boardWorld) checkConsequences(ctx context.Context, id string) {
	t, s := w.t, w.service
	would, err := s.Consequences(ctx, []string{id})
	if err != nil {
		t.Fatal(err)
	}
	trial := core.Rehearse(ctx)
	w.checkCourse(ctx, id)
	if would.Tasks[0].Status == core.StatusOpen {
		complete, err := s.TaskComplete(trial, core.TaskCompleteRequest{TaskID: id, Agent: "ada"})
		if err != nil {
			t.Fatal(err)
		}
		// Completing also lists what a passed timer had made ready already.
		if got := sorted(would.Ready); !slices.Equal(got, complete.Unblocked) {
			t.Fatalf("completing %s would make %v ready, in fact %v", id, got, complete.Unblocked)
		}
		cancel, err := s.TaskCancel(trial, core.TaskCancelRequest{TaskID: id, Agent: "ada"})
		if err != nil {
			t.Fatal(err)
		}
		if got := sorted(would.Stranded); !slices.Equal(got, cancel.Stranded) {
			t.Fatalf("cancelling %s would strand %v, in fact %v", id, got, cancel.Stranded)
		}
		return
	}
	reopen, err := s.TaskReopen(trial, core.TaskReopenRequest{TaskID: id, Agent: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	if got := sorted(would.Blocked); !slices.Equal(got, reopen.Reblocked) {
		t.Fatalf("reopening %s would block %v again, in fact %v", id, got, reopen.Reblocked)
	}
}

// checkCourse holds that a course has the steps of the plan, begins with what
// can be done at once where there is such a thing, and puts no task before what
// it waits for.
func (w *boardWorld) checkCourse(ctx context.Context, id string) {
	t, s := w.t, w.service
	why, err := s.TaskWhy(ctx, core.TaskWhyRequest{TaskID: id})
	if err != nil {
		t.Fatal(err)
	}
	course, err := s.Course(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	names := func(steps []core.PlanStep) []string {
		list := make([]string, len(steps))
		for i, step := range steps {
			list[i] = string(step.Action) + " " + step.TaskID
		}
		return list
	}
	got, want := names(course), names(why.UnblockPlan)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("the course of %s has the steps %v, the plan %v", id, got, want)
	}
	place := map[string]int{}
	for i, step := range course {
		place[step.TaskID] = i + 1
	}
	cut := slices.ContainsFunc(course, func(step core.PlanStep) bool { return step.Action == core.ActionBreakCycle })
	for i, step := range course {
		behind, err := s.TaskWhy(ctx, core.TaskWhyRequest{TaskID: step.TaskID})
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && behind.Ready && len(behind.Blockers) == 0 && course[0].Action == core.ActionWaitUntil {
			t.Fatalf("the course of %s begins with waiting, although %s can be taken up", id, step.TaskID)
		}
		for _, b := range behind.Blockers {
			if before := place[b.TaskID]; !cut && step.Action == core.ActionComplete && before > i+1 {
				t.Fatalf("the course of %s has %s before %s, which it waits for", id, step.TaskID, b.TaskID)
			}
		}
	}
}

// checkConsequencesTogether compares what completing open tasks together would
// do with a rehearsal of doing it.
func (w *boardWorld) checkConsequencesTogether(ctx context.Context, ids []string) {
	t, s := w.t, w.service
	req := core.TaskApplyRequest{}
	var open []string
	for _, id := range ids {
		status, err := s.TaskStatus(ctx, core.TaskStatusRequest{TaskID: id})
		if err != nil {
			t.Fatal(err)
		}
		if status.Tasks[0].Status == core.StatusOpen {
			open = append(open, id)
			req.Operations = append(req.Operations, []byte(fmt.Sprintf(`{"op":"complete","task_id":%q}`, id)))
		}
	}
	if len(open) == 0 {
		return
	}
	would, err := s.Consequences(ctx, open)
	if err != nil {
		t.Fatal(err)
	}
	agent := "ada"
	req.Agent = &agent
	done, err := s.TaskApply(core.Rehearse(ctx), req)
	if err != nil {
		t.Fatal(err)
	}
	freed := map[string]bool{}
	for _, text := range done.Results {
		var result struct{ Unblocked []string }
		if err := json.Unmarshal(text, &result); err != nil {
			t.Fatal(err)
		}
		for _, id := range result.Unblocked {
			freed[id] = !slices.Contains(open, id)
		}
	}
	var want []string
	for id, other := range freed {
		if other {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	if got := sorted(would.Ready); !slices.Equal(got, want) {
		t.Fatalf("completing %v would make %v ready, in fact %v", open, got, want)
	}
	for _, card := range slices.Concat(would.Ready, would.Waiting, would.Stranded, would.Behind) {
		if slices.Contains(open, card.ID) {
			t.Fatalf("completing %v names %s as another task", open, card.ID)
		}
	}
}

func sorted(cards []core.Card) []string {
	ids := idsOfCards(cards)
	slices.Sort(ids)
	return ids
}

func TestBoard_agreesWithTheOperations(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 7))
		w := &boardWorld{t: t, r: r, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
		made := 0
		w.service = core.New(core.Config{
			Store: create(t), Now: func() time.Time { return w.now },
			NewID: func() string { made++; return fmt.Sprintf("%08x-0000-4000-8000-%012d", r.Uint32(), made) },
		})
		w.check(ctx)
		for range 60 {
			w.step(ctx)
		}
		w.check(ctx)
		for _, id := range w.ids {
			w.checkConsequences(ctx, id)
		}
		for range 10 {
			some := slices.Clone(w.ids)
			r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
			w.checkConsequencesTogether(ctx, some[:min(len(some), 1+r.IntN(12))])
		}
	}
}

func TestProgress_countsDescendants(t *testing.T) {
	ctx := context.Background()
	s := core.New(core.Config{Store: create(t)})
	epic := "epic"
	ids := map[string]string{}
	add := func(name, parent string) {
		req := core.TaskCreateRequest{Title: name, Agent: "ada"}
		if parent == "" {
			req.TaskType = &epic
		} else {
			above := ids[parent]
			req.ParentTaskID = &above
		}
		result, err := s.TaskCreate(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = result.TaskID
	}
	for _, pair := range [][2]string{{"root", ""}, {"a", "root"}, {"b", "root"}, {"a1", "a"}, {"a2", "a"}, {"lonely", ""}} {
		add(pair[0], pair[1])
	}
	tried(s.TaskComplete(ctx, core.TaskCompleteRequest{TaskID: ids["a1"], Agent: "ada"}))
	tried(s.TaskCancel(ctx, core.TaskCancelRequest{TaskID: ids["b"], Agent: "ada"}))
	attention, err := s.Attention(ctx, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(attention.Epics) != 2 || attention.Epics[0].Title != "root" || attention.Epics[1].Progress != nil {
		t.Fatalf("the epics are %+v", attention.Epics)
	}
	if p := *attention.Epics[0].Progress; p != (core.Progress{Open: 2, Completed: 1, Cancelled: 1}) || p.Total() != 3 {
		t.Errorf("the progress of root is %+v", p)
	}
	if attention.Strands != 0 || attention.People != 0 {
		t.Errorf("attention is %+v", attention)
	}
}

// TestColumns_areWalkedInOrder holds that a column in its own order is read
// along an index and never sorted, so that a window costs the same at any
// size. Claimed tasks are few: they are found and sorted.
func TestColumns_areWalkedInOrder(t *testing.T) {
	read(t, create(t), func(tx *tx) error {
		for c, index := range map[core.Column]string{
			core.ColumnReady: "ready", core.ColumnBlocked: "blocked", core.ColumnGates: "open_others", core.ColumnDone: "tasks_closed",
		} {
			sql, _ := columnKeys(core.ColumnQuery{Column: c, Now: epoch, Sort: core.SortPriority}, 10, 10)
			got := plan(t, tx, sql)
			if strings.Contains(got, "TEMP B-TREE") || !strings.Contains(got, "USING COVERING INDEX "+index) && !strings.Contains(got, "USING INDEX "+index) {
				t.Errorf("column %d is read so:\n%s", c, got)
			}
		}
		return nil
	})
}
