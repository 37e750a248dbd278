package tui

import (
	"context"
	"maps"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// tree is the screen of the hierarchy: tasks below their parents, then those
// that belong to none. Only the rows around the cursor are loaded.
type tree struct {
	list
	entries []core.TreeRow // of the cards of the list
	loose   int            // where the tasks begin that belong to no tree
	known   bool
	changes *core.Stamp // when something in it changes by itself

	all      bool                  // tasks are unfolded unless they are in flipped
	flipped  map[core.TaskKey]bool // else folded unless they are
	hideDone bool
	finished bool // only tasks below which all is done are listed

	changing bool   // what is shown changes with the load under way: keys wait for it
	reveal   string // id of a task to be unfolded down to, with the next load
	climb    bool   // with the next load the cursor goes to what its task was folded into

	toggled bool // the detail is not as the width would have it
	area    rect // of the rows, with the frame
	about   rect // of the detail; empty when there is none
	preview *preview
	loads   loader
}

func newTree() *tree {
	t := &tree{flipped: map[core.TaskKey]bool{}, preview: &preview{}}
	t.list.rows = t.rowLines
	return t
}

// openTree shows the tree as it was left, with the task at hand.
func (m *model) openTree() tea.Cmd {
	if m.tree == nil {
		m.tree = newTree()
	}
	card, ok := m.inQuestion()
	for i, s := range m.screens {
		if s == screen(m.tree) { // one does not stand on the way twice
			m.screens = m.screens[:i]
			break
		}
	}
	if ok {
		m.tree.goTo(card.ID)
		m.tree.changing, m.tree.finished = true, false
	}
	return m.open(m.tree)
}

// inQuestion is the task that tree and graph are to show: on the page of a task
// that one, whatever the cursor is on.
func (m *model) inQuestion() (core.Card, bool) {
	if p, ok := m.screen().(*page); ok && p.view != nil {
		return p.view.Card, true
	}
	return m.screen().selected()
}

func (t *tree) place() string { return "Tree" }

func (t *tree) crumb() string { return "Tree" }

// arrange divides the screen.
func (t *tree) arrange(body rect) {
	t.area, t.about = rect{body.x, body.y + 1, body.w, body.h - 1}, rect{}
	wide := body.w >= threeColumns
	if wide != t.toggled {
		if wide {
			t.about = rect{t.area.x, t.area.y, body.w * 3 / 7, t.area.h}
			t.area.w -= t.about.w
			t.about.x += t.area.w
		} else if body.h+3 >= previewRows {
			t.area.h -= previewHeight
			t.about = rect{t.area.x, t.area.y + t.area.h, t.area.w, previewHeight}
		}
	}
	t.list.height = t.area.inner().h
	t.list.reveal()
}

// rowLines is how many lines the row of a card takes: the first task that
// belongs to no tree stands below a heading.
func (t *tree) rowLines(card core.Card) int {
	if at := t.loose - t.first; at < 0 || at >= len(t.cards) || t.cards[at].ID != card.ID {
		return 1
	}
	if t.loose == 0 {
		return 2
	}
	return 3
}

// load implements [screen].
func (t *tree) load(m *model, refresh bool) tea.Cmd {
	if m.live.service == nil {
		return nil
	}
	t.arrange(m.body())
	if refresh {
		return t.loads.refresh(m, func(m *model) tea.Cmd { return t.read(m, true) })
	}
	return t.read(m, false)
}

// read loads the rows around the cursor; changed says that the store has
// changed.
func (t *tree) read(m *model, changed bool) tea.Cmd {
	service := m.live.service
	if service == nil {
		return nil
	}
	around := t.request(0, "", true)
	req := core.TreeRequest{
		All: t.all, Flipped: maps.Clone(t.flipped), Reveal: t.reveal, HideDone: t.hideDone, Finished: t.finished, Climb: t.climb,
		Anchors: around.Anchors, Above: around.Above, Offset: around.Offset, Limit: around.Limit,
	}
	return t.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
		data, err := service.Tree(ctx, req)
		return func(m *model) tea.Cmd {
			t.changing = false
			if err != nil {
				return m.loadFailed(err)
			}
			return t.show(m, around, req, data, changed && !m.options.Accessible)
		}
	})
}

// show takes what was read over.
func (t *tree) show(m *model, around core.ColumnRequest, req core.TreeRequest, data core.Tree, changed bool) tea.Cmd {
	cards := make([]core.Card, len(data.Rows))
	for i, row := range data.Rows {
		cards[i] = row.Card
		if _, marked := m.marks[row.ID]; marked {
			m.marks[row.ID] = row.Card
		}
	}
	for _, key := range data.Revealed {
		t.unfold(key, true)
	}
	t.entries, t.loose, t.changes, t.known = data.Rows, data.Loose, data.Due, true
	t.list.show(around, core.ColumnWindow{Anchor: data.Anchor, Position: data.Position, First: data.First, Cards: cards},
		data.Total, data.Total, data.Now, changed)
	if req.Reveal != "" {
		t.top = t.cursor - t.list.height/3 // with some of what is around
		t.list.reveal()
	}
	// What was wished for since the window was asked for is still to come.
	if req.Reveal == t.reveal {
		t.reveal = ""
	}
	if len(around.Anchors) > 0 && around.Anchors[0] == t.lead {
		t.lead = ""
	}
	t.climb = t.climb && !req.Climb
	cmds := []tea.Cmd{m.wakeAt(t.changes), t.look(m, true)}
	if len(t.fresh) > 0 {
		cmds = append(cmds, m.after(time.Duration(freshness)*time.Microsecond, func(m *model) tea.Cmd {
			t.settle(m.now())
			return nil
		}))
	}
	return tea.Batch(cmds...)
}

// unfold folds or unfolds what is below a task.
func (t *tree) unfold(key core.TaskKey, open bool) {
	if open == t.all {
		delete(t.flipped, key)
	} else {
		t.flipped[key] = true
	}
}

// look reads about the task under the cursor, where that is shown.
func (t *tree) look(m *model, again bool) tea.Cmd {
	card, ok := t.selected()
	if !ok || t.about.empty() {
		return nil
	}
	return t.preview.load(m, card.ID, again)
}

// row is the row under the cursor, if it is loaded.
func (t *tree) row() (core.TreeRow, bool) {
	if i := t.cursor - t.first; i >= 0 && i < len(t.entries) {
		return t.entries[i], true
	}
	return core.TreeRow{}, false
}

// goTo puts the cursor on a task, whatever is folded above it.
func (t *tree) goTo(id string) { t.lead, t.reveal = id, id }

// moved follows the cursor after it moved.
func (t *tree) moved(m *model) tea.Cmd {
	if t.wants() && m.live.service != nil {
		return tea.Batch(t.read(m, false), t.look(m, false))
	}
	return t.look(m, false)
}

// change reads anew because the person has changed what is shown.
func (t *tree) change(m *model) tea.Cmd {
	t.changing = true
	return t.read(m, false)
}

// isReading reports whether keys have to wait for rows.
func (t *tree) isReading() bool { return t.loads.running && (t.changing || !t.known) }

// right unfolds the task under the cursor, or goes to its first child.
func (t *tree) right(m *model) tea.Cmd {
	row, ok := t.row()
	switch {
	case !ok || !row.Folds:
		return nil
	case row.Unfolded:
		return t.step(m, 1)
	}
	t.unfold(row.Key, true)
	return t.change(m)
}

// left folds the task under the cursor, or goes to its parent.
func (t *tree) left(m *model) tea.Cmd {
	row, ok := t.row()
	switch {
	case ok && row.Unfolded:
		t.unfold(row.Key, false)
		return t.change(m)
	case !ok || row.ParentID == "":
		return nil
	}
	for at := t.cursor - 1; at >= t.first; at-- {
		if t.entries[at-t.first].ID == row.ParentID {
			t.moveTo(at)
			return t.moved(m)
		}
	}
	t.lead = row.ParentID
	return t.change(m)
}

// toggleAll folds everything or, when all is folded, unfolds everything.
func (t *tree) toggleAll(m *model) tea.Cmd {
	t.all = !t.all && len(t.flipped) == 0
	clear(t.flipped)
	t.climb = true
	return t.change(m)
}

// toggleDone hides or shows what is closed.
func (t *tree) toggleDone(m *model) tea.Cmd {
	t.hideDone = !t.hideDone
	return t.change(m)
}

// toggleFinished lists what could be completed for all that is below it, or
// shows the tree again, with the same task.
func (t *tree) toggleFinished(m *model) tea.Cmd {
	t.finished = !t.finished
	if card, ok := t.selected(); ok && !t.finished {
		t.goTo(card.ID)
	}
	return t.change(m)
}

// step implements [screen].
func (t *tree) step(m *model, rows int) tea.Cmd {
	t.moveTo(t.cursor + rows)
	return t.moved(m)
}

// edge implements [screen].
func (t *tree) edge(m *model, last bool) tea.Cmd {
	to := 0
	if last {
		to = t.total - 1
	}
	t.moveTo(to)
	return t.moved(m)
}

// due implements [screen].
func (t *tree) due() *core.Stamp { return t.changes }

// click implements [screen].
func (t *tree) click(m *model, x, y int, double bool) tea.Cmd {
	inner := t.area.inner()
	if !inner.has(x, y) {
		return nil
	}
	at, ok := t.at(y - inner.y)
	if !ok {
		return nil
	}
	t.moveTo(at)
	row, ok := t.row()
	switch {
	case ok && row.Folds && x < inner.x+2+cells(t.branch(m.glyphs, row, inner.w)):
		t.unfold(row.Key, !row.Unfolded)
		return t.change(m)
	case double:
		return tea.Batch(t.moved(m), m.run(actionNamed("open")))
	}
	return t.moved(m)
}

// wheel implements [screen].
func (t *tree) wheel(m *model, x, y, lines int) tea.Cmd {
	if !t.area.has(x, y) {
		return nil
	}
	t.scroll(lines)
	return t.moved(m)
}

// find searches for a task and goes to it.
func (t *tree) find(m *model) tea.Cmd {
	return m.openPicker(&picker{
		title: []span{{"Go to", titleLook}}, done: "go",
		link: core.LinkRequest{Limit: pickerLimit, Agent: m.options.Agent},
		choose: func(m *model, cards []core.Card) tea.Cmd {
			t.goTo(cards[0].ID)
			t.finished = false
			return t.change(m)
		},
	})
}

// needsParent refuses where the task at hand stands below none.
func needsParent(m *model) string {
	if t, ok := m.screen().(*tree); ok {
		if row, ok := t.row(); ok && row.ParentID == "" {
			return idOf(row.Card) + " has no parent"
		}
	}
	return ""
}

// takeOut takes the task under the cursor out of its parent.
func (t *tree) takeOut(m *model) tea.Cmd {
	row, ok := t.row()
	service := m.live.service
	if !ok || service == nil {
		return nil
	}
	return m.work(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		cards, err := service.CardsByID(ctx, []string{row.ParentID})
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.loadFailed(err)
			}
			parent := cards[row.ParentID]
			return m.changeEdges("task_edge_delete", nil, []edge{{parent, row.Card, core.EdgeParentChild, ""}},
				idOf(row.Card)+" is no longer under "+idOf(parent))
		}
	})
}

// inTree is what an action does in the tree.
func inTree(run func(*tree, *model) tea.Cmd) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		if t, ok := m.screen().(*tree); ok {
			return run(t, m)
		}
		return nil
	}
}

// treeActions are the actions of the tree, and the one that leads there.
func treeActions() []action {
	here := []scope{scopeTree}
	return []action{
		{id: "go.tree", keys: []string{"g t"}, scopes: []scope{scopeApp}, group: groupSee, title: "Tree", verb: "show the tree", possible: needsStoreOpen, run: (*model).openTree},
		{id: "tree.fold", keys: []string{"h", "left"}, scopes: here, group: groupMove, title: "Fold, or to the parent", both: "Fold, unfold", hint: "fold", foot: 1, run: inTree((*tree).left)},
		{id: "tree.unfold", keys: []string{"l", "right"}, scopes: here, group: groupMove, title: "Unfold, or to the first child", joins: "tree.fold", run: inTree((*tree).right)},
		{id: "tree.all", keys: []string{"*"}, scopes: here, group: groupMove, title: "Fold all / none", hint: "all", foot: 2, run: inTree((*tree).toggleAll)},
		{id: "tree.find", keys: []string{"/"}, scopes: here, group: groupMove, title: "Find a task…", hint: "find", foot: 8, possible: needsStoreOpen, run: inTree((*tree).find)},
		{id: "done.hide", keys: []string{"H"}, scopes: here, group: groupSee, title: "Hide what is done", hint: "hide done", foot: 11, run: inTree((*tree).toggleDone)},
		{id: "tree.out", keys: []string{"M"}, scopes: here, group: groupDo, title: "Take out of parent", op: "task_edge_delete",
			possible: all(needsWriting, needsTaskAtHand, needsParent), run: inTree((*tree).takeOut)},
		{id: "tree.finished", keys: []string{"F"}, scopes: here, group: groupSee, title: "Only all done", run: inTree((*tree).toggleFinished)},
	}
}

// needsStoreOpen refuses where there is nothing to be read.
func needsStoreOpen(m *model) string {
	if m.live.service == nil {
		return "there is no store yet"
	}
	return ""
}
