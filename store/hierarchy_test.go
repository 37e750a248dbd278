package store

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

// treeModel works out, from the operations of the contract alone, what the
// tree must show.
type treeModel struct {
	tasks    map[string]core.Task
	children map[string][]string
	parent   map[string]string
	ready    []string
	blocked  []string
}

func (w *boardWorld) treeModel(ctx context.Context) *treeModel {
	m := &treeModel{tasks: map[string]core.Task{}, children: map[string][]string{}, parent: map[string]string{}}
	everything := 1_000
	outgoing, types := "outgoing", []string{"parent_child"}
	list, err := w.service.TaskList(ctx, core.TaskListRequest{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, t := range list.Tasks {
		m.tasks[t.ID] = t
		edges, err := w.service.TaskEdgeList(ctx, core.TaskEdgeListRequest{TaskID: t.ID, Direction: &outgoing, Types: types})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range edges.Edges {
			m.children[t.ID] = append(m.children[t.ID], e.ToTaskID)
			m.parent[e.ToTaskID] = t.ID
		}
	}
	ready, err := w.service.TaskReady(ctx, core.TaskReadyRequest{Limit: &everything})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, t := range ready.Tasks {
		m.ready = append(m.ready, t.ID)
	}
	blocked, err := w.service.TaskBlocked(ctx, core.TaskBlockedRequest{Limit: &everything})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, t := range blocked.Tasks {
		m.blocked = append(m.blocked, t.ID)
	}
	return m
}

// progress counts what is below a task.
func (m *treeModel) progress(id string) (p core.Progress) {
	for _, child := range m.children[id] {
		q := m.progress(child)
		p.Open, p.Completed, p.Cancelled = p.Open+q.Open, p.Completed+q.Completed, p.Cancelled+q.Cancelled
		switch m.tasks[child].Status {
		case core.StatusCompleted:
			p.Completed++
		case core.StatusCancelled:
			p.Cancelled++
		default:
			p.Open++
		}
	}
	return p
}

// line is a row as the tests compare it.
func (m *treeModel) line(id string, depth int, last bool, lines string, folds, unfolded bool) string {
	return fmt.Sprintf("%s under %q depth %d last %v lines %q folds %v unfolded %v %v", id, m.parent[id], depth, last, lines, folds, unfolded, m.progress(id))
}

func lineOf(row core.TreeRow) string {
	lines := ""
	for _, follows := range row.Lines {
		lines += map[bool]string{true: "|", false: "."}[follows]
	}
	p := core.Progress{}
	if row.Progress != nil {
		p = *row.Progress
	}
	return fmt.Sprintf("%s under %q depth %d last %v lines %q folds %v unfolded %v %v", row.ID, row.ParentID, row.Depth, row.Last, lines, row.Folds, row.Unfolded, p)
}

// rows lists what the tree must show.
func (m *treeModel) rows(req core.TreeRequest) (rows []string, loose int) {
	shown := func(ids []string) []string {
		return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			return req.HideDone && m.tasks[id].Status != core.StatusOpen && m.progress(id).Open == 0
		})
	}
	var tops, single []string
	for id, t := range m.tasks {
		switch {
		case m.parent[id] != "":
		case len(m.children[id]) > 0, t.Type == core.TypeEpic && t.Status == core.StatusOpen:
			tops = append(tops, id)
		default:
			single = append(single, id)
		}
	}
	closed := func(id string) int {
		if m.tasks[id].Status == core.StatusOpen {
			return 0
		}
		return 1
	}
	rank := func(id string) int {
		if closed(id) == 1 {
			return 0
		}
		return core.PriorityRank(m.tasks[id].Priority())
	}
	byAge := func(a, b string) int {
		return cmp.Or(cmp.Compare(m.tasks[a].CreatedAt, m.tasks[b].CreatedAt), strings.Compare(a, b))
	}
	slices.SortFunc(tops, func(a, b string) int {
		return cmp.Or(cmp.Compare(closed(a), closed(b)), cmp.Compare(rank(a), rank(b)), byAge(a, b))
	})
	if req.Finished {
		var finished []string
		for id, t := range m.tasks {
			if p := m.progress(id); t.Status == core.StatusOpen && p.Open == 0 && p.Completed > 0 {
				finished = append(finished, id)
			}
		}
		slices.SortFunc(finished, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), byAge(a, b)) })
		for _, id := range finished {
			row := m.line(id, 0, false, "", false, false)
			rows = append(rows, strings.Replace(row, fmt.Sprintf("under %q", m.parent[id]), `under ""`, 1))
		}
		return rows, len(rows)
	}
	var walk func(ids []string, depth int, lines string)
	walk = func(ids []string, depth int, lines string) {
		ids = shown(ids)
		for i, id := range ids {
			children := slices.SortedFunc(slices.Values(shown(m.children[id])), byAge)
			unfolded := len(children) > 0 && req.All != req.Flipped[m.tasks[id].Key]
			last := i == len(ids)-1
			rows = append(rows, m.line(id, depth, last, lines, len(children) > 0, unfolded))
			if unfolded {
				below := lines
				if depth > 0 {
					below += map[bool]string{true: ".", false: "|"}[last]
				}
				walk(children, depth+1, below)
			}
		}
	}
	walk(tops, 0, "")
	loose = len(rows)
	among := func(ids []string) (found []string) {
		for _, id := range ids {
			if slices.Contains(single, id) {
				found = append(found, id)
			}
		}
		return found
	}
	var gates, done []string
	for _, id := range single {
		switch t := m.tasks[id]; {
		case t.Status != core.StatusOpen:
			done = append(done, id)
		case t.Type == core.TypeGate:
			gates = append(gates, id)
		}
	}
	slices.SortFunc(gates, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), byAge(a, b)) })
	slices.SortFunc(done, func(a, b string) int {
		return cmp.Or(cmp.Compare(*m.tasks[b].ResolvedAt, *m.tasks[a].ResolvedAt), strings.Compare(a, b))
	})
	if req.HideDone {
		done = nil
	}
	for _, id := range slices.Concat(among(m.ready), among(m.blocked), gates, done) {
		rows = append(rows, m.line(id, 0, false, "", false, false))
	}
	return rows, loose
}

func linesOf(rows []core.TreeRow) []string {
	lines := []string{}
	for _, row := range rows {
		lines = append(lines, lineOf(row))
	}
	return lines
}

// move gives a random task another parent, or none.
func (w *boardWorld) move(ctx context.Context) {
	child, incoming := w.id(), "incoming"
	edges, err := w.service.TaskEdgeList(ctx, core.TaskEdgeListRequest{TaskID: child, Direction: &incoming, Types: []string{"parent_child"}})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range edges.Edges {
		tried(w.service.TaskEdgeDelete(ctx, core.TaskEdgeDeleteRequest{FromTaskID: e.FromTaskID, ToTaskID: child, Type: "parent_child", Agent: "ada"}))
	}
	tried(w.service.TaskEdgeUpsert(ctx, core.TaskEdgeUpsertRequest{FromTaskID: w.id(), ToTaskID: child, Type: "parent_child", Agent: "ada"}))
}

// checkTree compares the tree with the model: all of it, and windows of it.
func (w *boardWorld) checkTree(ctx context.Context) {
	t := w.t
	t.Helper()
	m := w.treeModel(ctx)
	req := core.TreeRequest{All: w.r.IntN(2) == 0, HideDone: w.r.IntN(2) == 0, Flipped: map[core.TaskKey]bool{}, Limit: 1_000}
	for _, task := range m.tasks {
		if w.r.IntN(3) == 0 {
			req.Flipped[task.Key] = true
		}
	}
	tree := func(req core.TreeRequest) core.Tree {
		tree, err := w.service.Tree(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	want, loose := m.rows(req)
	list := req
	list.Finished = true
	finished, _ := m.rows(list)
	if got := tree(list); !slices.Equal(linesOf(got.Rows), finished) || got.Total != len(finished) {
		t.Fatalf("finished are %d: %v, want %v", got.Total, linesOf(got.Rows), finished)
	}
	whole := tree(req)
	if got := linesOf(whole.Rows); !slices.Equal(got, want) || whole.Total != len(want) || whole.Loose != loose {
		t.Fatalf("%+v\n got %d, loose from %d:\n%s\nwant %d, loose from %d:\n%s", req, whole.Total, whole.Loose, strings.Join(got, "\n"), len(want), loose, strings.Join(want, "\n"))
	}
	if len(want) == 0 {
		return
	}
	at := w.r.IntN(len(want))
	part := req
	part.Anchors, part.Above, part.Limit = []string{"gone", whole.Rows[at].ID}, w.r.IntN(4), 1+w.r.IntN(6)
	first := max(min(at-part.Above, len(want)-part.Limit), 0)
	window := tree(part)
	if got := linesOf(window.Rows); window.Anchor != 1 || window.Position != at || window.First != first ||
		!slices.Equal(got, want[first:min(first+part.Limit, len(want))]) {
		t.Fatalf("the window round %d is anchor %d position %d first %d: %v", at, window.Anchor, window.Position, window.First, got)
	}
	part.Anchors, part.Offset = nil, at
	first = max(min(at, len(want)-part.Limit), 0)
	if window := tree(part); window.Anchor != -1 || !slices.Equal(linesOf(window.Rows), want[first:min(first+part.Limit, len(want))]) {
		t.Fatalf("the window from %d is %v", at, linesOf(window.Rows))
	}
	w.checkReveal(ctx, m, req)
}

// checkReveal reveals a random task, and looks for one that is folded away.
func (w *boardWorld) checkReveal(ctx context.Context, m *treeModel, req core.TreeRequest) {
	id := w.id()
	req.Anchors = []string{id}
	climbing := req
	climbing.Climb = true
	req.Reveal = id
	tree, err := w.service.Tree(ctx, req)
	if err != nil {
		w.t.Fatal(err)
	}
	hidden := req.HideDone && m.tasks[id].Status != core.StatusOpen && m.progress(id).Open == 0
	if (tree.Anchor == 0) == hidden {
		w.t.Fatalf("%s is revealed at %d, hidden: %v", id, tree.Anchor, hidden)
	}
	after := req
	after.Reveal = ""
	for _, key := range tree.Revealed {
		after.Flipped[key] = !after.Flipped[key]
	}
	again, err := w.service.Tree(ctx, after)
	if err != nil {
		w.t.Fatal(err)
	}
	if !slices.Equal(linesOf(again.Rows), linesOf(tree.Rows)) {
		w.t.Fatalf("what %s was revealed by does not show it: %v, %v", id, linesOf(tree.Rows), linesOf(again.Rows))
	}
	for _, key := range tree.Revealed {
		after.Flipped[key] = !after.Flipped[key]
	}
	if tree, err = w.service.Tree(ctx, climbing); err != nil {
		w.t.Fatal(err)
	}
	if hidden {
		return
	}
	shown := map[string]bool{}
	for _, row := range tree.Rows {
		shown[row.ID] = true
	}
	for !shown[id] {
		id = m.parent[id]
	}
	if tree.Anchor != 0 || tree.Rows[tree.Position-tree.First].ID != id {
		w.t.Fatalf("the cursor goes to row %d, want %s", tree.Position, id)
	}
}

// TestTree_followsTheOperations holds the tree equal to what the operations
// of the contract say, after each of many random changes.
func TestTree_followsTheOperations(t *testing.T) {
	for seed := range uint64(4) {
		ctx := context.Background()
		w := &boardWorld{t: t, r: rand.New(rand.NewPCG(seed, 9)), now: epoch.Time()}
		s := create(t)
		n := 0
		w.service = core.New(core.Config{Store: s, Now: func() time.Time { return w.now }, NewID: func() string {
			n++
			return seededID(rand.New(rand.NewPCG(seed, uint64(n))))
		}})
		w.checkEmptyTree(ctx)
		for i := range 120 {
			w.step(ctx)
			if len(w.ids) > 2 && w.r.IntN(3) == 0 {
				w.move(ctx)
			}
			if len(w.ids) > 0 && i%2 == 0 {
				w.checkTree(ctx)
			}
		}
	}
}

// checkEmptyTree looks at the tree of an empty store.
func (w *boardWorld) checkEmptyTree(ctx context.Context) {
	tree, err := w.service.Tree(ctx, core.TreeRequest{Limit: 10, Anchors: []string{"x"}, Reveal: "y"})
	if err != nil || tree.Total != 0 || len(tree.Rows) != 0 || tree.Anchor != -1 {
		w.t.Fatalf("the empty tree is %+v, %v", tree, err)
	}
}

// hierarchyStore loads tasks with the edges given, as an import would.
func hierarchyStore(t testing.TB, n int, edge func(i int) (parent int, ok bool)) (*Store, []core.TaskKey, []string) {
	t.Helper()
	s := create(t)
	r := rand.New(rand.NewPCG(1, 2))
	var keys []core.TaskKey
	var ids []string
	write(t, s, func(tx *tx) error {
		return tx.Load(func(l core.Loader) error {
			for i := range n {
				task := graphTask(r, i, false)
				task.Metadata = "{}"
				key, err := l.InsertTask(task, core.FacetsOf(task.Type, task.Metadata))
				if err != nil {
					return err
				}
				keys, ids = append(keys, key), append(ids, task.ID)
			}
			for i, key := range keys {
				if parent, ok := edge(i); ok {
					if _, err := l.PutEdge(core.Edge{From: keys[parent], To: key, Type: core.EdgeParentChild, Metadata: "{}", CreatedBy: "x"}); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
	return s, keys, ids
}

// TestTree_rings holds that tasks in rings of the hierarchy, which imports
// bring in, are shown, and that unfolding them ends.
func TestTree_rings(t *testing.T) {
	// 0 -> 1 -> 2 -> 0, 3 below 1; 4 is its own parent; 5 -> 6 is a tree; 7 is loose.
	parents := map[int]int{0: 2, 1: 0, 2: 1, 3: 1, 4: 4, 6: 5}
	s, keys, ids := hierarchyStore(t, 8, func(i int) (int, bool) {
		parent, ok := parents[i]
		return parent, ok
	})
	tree, err := core.New(core.Config{Store: s}).Tree(context.Background(), core.TreeRequest{All: true, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range tree.Rows {
		text := strings.Repeat(" ", row.Depth) + fmt.Sprint(slices.Index(ids, row.ID))
		if row.Repeat {
			text += " again"
		}
		got = append(got, text)
	}
	want := []string{"0", " 1", "  2", "   0 again", "  3", "4", " 4 again", "5", " 6", "7"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if p := tree.Rows[0].Progress; p == nil || p.Open != 3 {
		t.Errorf("below the ring is %+v", p)
	}
	tree, err = core.New(core.Config{Store: s}).Tree(context.Background(), core.TreeRequest{Limit: 100, Reveal: ids[3], Anchors: []string{ids[3]}})
	if err != nil || tree.Anchor != 0 || !slices.Equal(tree.Revealed, []core.TaskKey{keys[1], keys[0], keys[2]}) {
		t.Errorf("revealed %v at %d: %v", tree.Revealed, tree.Anchor, err)
	}
}

// TestTree_missingRows holds that what is left of a damaged hierarchy is
// shown.
func TestTree_missingRows(t *testing.T) {
	// 0 -> 1 -> 2, 1 -> 3 -> 4; the row of 1 is gone, and that of 4.
	parents := map[int]int{1: 0, 2: 1, 3: 1, 4: 3}
	s, keys, ids := hierarchyStore(t, 5, func(i int) (int, bool) {
		parent, ok := parents[i]
		return parent, ok
	})
	change(t, s.Path(), fmt.Sprintf("PRAGMA foreign_keys = OFF; DELETE FROM open_tasks WHERE seq IN (%d, %d); DELETE FROM tasks WHERE seq IN (%d, %d)",
		keys[1], keys[4], keys[1], keys[4]))
	tree, err := core.New(core.Config{Store: s}).Tree(context.Background(), core.TreeRequest{All: true, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range tree.Rows {
		got = append(got, strings.Repeat(" ", row.Depth)+fmt.Sprint(slices.Index(ids, row.ID)))
	}
	if want := []string{"0", "2", "3"}; !slices.Equal(got, want) || tree.Total != 3 {
		t.Errorf("got %q of %d, want %q", got, tree.Total, want)
	}
}

// TestTree_deepAndWide holds that neither levels nor children are bounded by
// the stack, and that what takes time is off the screen's path.
func TestTree_deepAndWide(t *testing.T) {
	const n = 50_000
	for _, test := range []struct {
		name   string
		parent func(i int) (int, bool)
		depth  int
	}{
		{"deep", func(i int) (int, bool) { return i - 1, i > 0 }, n - 1},
		{"wide", func(i int) (int, bool) { return 0, i > 0 }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, keys, ids := hierarchyStore(t, n, test.parent)
			service := core.New(core.Config{Store: s})
			ctx := context.Background()
			last := ids[n-1]
			tree, err := service.Tree(ctx, core.TreeRequest{All: true, Limit: 50, Anchors: []string{last}, Above: 20})
			if err != nil {
				t.Fatal(err)
			}
			row := tree.Rows[len(tree.Rows)-1]
			if tree.Total != n || tree.Position != n-1 || row.ID != last || row.Depth != test.depth || len(row.Lines) > core.MaxTreeLines {
				t.Errorf("total %d, position %d, row %s at depth %d", tree.Total, tree.Position, row.ID, row.Depth)
			}
			tree, err = service.Tree(ctx, core.TreeRequest{Limit: 50, Reveal: last, Anchors: []string{last}})
			if err != nil || tree.Total != n || tree.Anchor != 0 {
				t.Errorf("revealed: total %d, anchor %d, %v", tree.Total, tree.Anchor, err)
			}
			view, err := service.TaskView(ctx, last)
			if err != nil || len(view.Parents) == 0 || view.Parents[0].Progress == nil {
				t.Errorf("its page has %d parents: %v", len(view.Parents), err)
			}
			tree, err = service.Tree(ctx, core.TreeRequest{Limit: 50})
			if err != nil || tree.Total != 1 || *tree.Rows[0].Progress != (core.Progress{Open: n - 1}) || tree.Rows[0].Key != keys[0] {
				t.Errorf("folded: %+v, %v", tree.Rows, err)
			}
		})
	}
}

// TestPlans_hierarchy holds that the tree is read along indexes: nothing is
// sorted but by core, and only what is meant to be walked is.
func TestPlans_hierarchy(t *testing.T) {
	s, keys, _ := hierarchyStore(t, 300, func(i int) (int, bool) { return i / 3, i%3 != 0 })
	meant := regexp.MustCompile(`^SCAN (e USING COVERING INDEX edges_from|o USING (COVERING )?INDEX (ready|blocked|open_others)|t USING (COVERING )?INDEX tasks_closed` +
		`|open_tasks|tasks USING COVERING INDEX \w+|[a-z]+ VIRTUAL TABLE INDEX \d+:|b)$`)
	read(t, s, func(tx *tx) error {
		if err := tx.finalize(); err != nil {
			return err
		}
		ignore := func(_, _ core.TaskKey, _ core.Status) error { return nil }
		for _, ask := range []func() error{
			func() error { return tx.EachChild(ignore) },
			func() error { return tx.EachChildBelow(keys[:2], ignore) },
			func() error { _, err := tx.Places(keys[:2]); return err },
			func() error { _, _, err := tx.CountTasks(); return err },
			func() error { _, err := tx.LooseKeys(epoch, false, 1_000, 10); return err },
			func() error { _, _, err := tx.LoosePosition(epoch, false, keys[0]); return err },
			func() error { _, err := tx.OpenEpics(0); return err },
		} {
			if err := ask(); err != nil {
				return err
			}
		}
		n := 0
		for sql := range tx.idle {
			if !strings.HasPrefix(sql, "SELECT") && !strings.HasPrefix(sql, "WITH") {
				continue
			}
			n++
			for line := range strings.SplitSeq(plan(t, tx, sql), "\n") {
				if strings.HasPrefix(line, "SCAN") && !meant.MatchString(line) || strings.Contains(line, "TEMP B-TREE") || strings.Contains(line, "AUTOMATIC") {
					t.Errorf("%s\n\t%s", line, sql)
				}
			}
		}
		if n < 15 {
			t.Errorf("only %d queries were seen", n)
		}
		return nil
	})
}
