package tui

import (
	"context"
	"slices"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// columnActions are the ids of the actions that go to a column.
var columnActions = [core.ColumnCount]string{"pane.ready", "pane.blocked", "pane.claimed", "pane.gates", "pane.done"}

// footRight puts a hint at the right of the footer.
const footRight = -1

// actions is the one table of what can be done. It is made when it is first
// asked for: commands that draw no board start without it.
func actions() []action {
	table.make.Do(func() { table.actions = allActions() })
	return table.actions
}

var table struct {
	make    sync.Once
	actions []action
}

func allActions() []action {
	all := []action{
		// Doing things first: the footer follows this order.
		{id: "open", keys: []string{"enter"}, scopes: []scope{scopeList, scopeGraph}, group: groupSee, title: "Open", hint: "open", foot: 1,
			possible: needsTaskAtHand, run: (*model).openSelected},
		{id: "claim", keys: []string{"c"}, scopes: []scope{scopeTask}, group: groupDo, title: "Claim…", hint: "claim", foot: 2, op: "task_claim",
			possible: all(needsWriting, needsTask, needsOpen), run: (*model).claimDialog},
		{id: "claim.default", keys: []string{"C"}, scopes: []scope{scopeTask}, group: groupDo, title: "Claim, defaults", verb: "claim", op: "task_claim",
			possible: all(needsWriting, needsTask, needsOpen), run: (*model).claimDefault},
		{id: "release", keys: []string{"u"}, scopes: []scope{scopeTask}, group: groupDo, title: "Release claim", hint: "release", foot: 9, op: "task_release",
			possible: all(needsWriting, needsTask, needsOwnClaim), run: (*model).release},
		{id: "renew", keys: []string{"r"}, scopes: []scope{scopeTask}, group: groupDo, title: "Renew lease", op: "task_renew",
			possible: all(needsWriting, needsTask, needsOwnClaim), run: (*model).renewDefault},
		{id: "renew.for", keys: []string{"R"}, scopes: []scope{scopeTask}, group: groupDo, title: "Renew lease for…", op: "task_renew",
			possible: all(needsWriting, needsTask, needsOwnClaim), run: (*model).renewDialog},
		{id: "complete", keys: []string{"x"}, scopes: []scope{scopeTask}, group: groupDo, title: "Complete / pass…", verb: "complete", hint: "complete", foot: 4, op: "task_complete",
			possible: all(needsWriting, needsTask, needsOpen), run: (*model).completeDialog},
		{id: "cancel", keys: []string{"X"}, scopes: []scope{scopeTask}, group: groupDo, title: "Cancel…", op: "task_cancel",
			possible: all(needsWriting, needsTask, needsOpen), run: (*model).cancelDialog},
		{id: "reopen", keys: []string{"o"}, scopes: []scope{scopeTask}, group: groupDo, title: "Reopen…", op: "task_reopen",
			possible: all(needsWriting, needsTask, needsClosed), run: (*model).reopenDialog},
		{id: "create", keys: []string{"n"}, scopes: []scope{scopeApp}, group: groupDo, title: "New…", verb: "create a task", hint: "new", foot: 3, op: "task_create",
			possible: all(needsStore, needsWriting), run: (*model).createHere},
		{id: "spawn", keys: []string{"s"}, scopes: []scope{scopeTask}, group: groupDo, title: "Spawn from this…", hint: "spawn", foot: 7, op: "task_spawn",
			possible: all(needsWriting, needsOne), run: (*model).spawnDialog},
		{id: "edit", keys: []string{"e"}, scopes: []scope{scopeTask}, group: groupDo, title: "Edit…", hint: "edit", foot: 8, op: "task_update",
			possible: all(needsWriting, needsOne), run: (*model).editDialog},
		{id: "edit.text", keys: []string{"E"}, scopes: []scope{scopeTask}, group: groupDo, title: "Edit in $EDITOR", op: "task_update",
			possible: all(needsWriting, needsOne, needsEditor), run: (*model).editText},
		{id: "edge.add", keys: []string{"a"}, scopes: []scope{scopeTask}, group: groupDo, title: "Add blocker…", op: "task_edge_upsert",
			possible: all(needsWriting, needsOne), run: (*model).addBlocker},
		{id: "edge.remove", keys: []string{"A"}, scopes: []scope{scopeTask}, group: groupDo, title: "Remove blocker…", op: "task_edge_delete",
			possible: all(needsWriting, needsOne, needsBlocker), run: (*model).removeBlocker},
		{id: "move", keys: []string{"m"}, scopes: []scope{scopeTask}, group: groupDo, title: "Move under…", verb: "move the task", op: "task_edge_upsert",
			possible: all(needsWriting, needsOne), run: (*model).moveDialog},
		{id: "finding.post", keys: []string{"f"}, scopes: []scope{scopeTask}, group: groupDo, title: "Post finding…", op: "finding_post",
			possible: all(needsWriting, needsOne), run: (*model).findingDialog},
		{id: "undo", keys: []string{"U"}, scopes: []scope{scopeApp}, group: groupDo, title: "Undo",
			possible: all(needsWriting, canUndo), run: (*model).takeBack},
		{id: "mark", keys: []string{"space"}, scopes: []scope{scopeList}, group: groupDo, title: "Mark", hint: "mark", foot: 4,
			possible: all(needsMarks, needsTaskAtHand), run: (*model).mark},
		{id: "edit.marked", keys: []string{"p"}, scopes: []scope{scopeTask}, group: groupDo, title: "Priority, tags…", verb: "change priority and tags", marked: "priority, tags", foot: 3, op: "task_update",
			possible: all(needsWriting, needsTask), run: (*model).changeDialog},
		{id: "mark.again", keys: []string{"g m"}, scopes: []scope{scopeApp}, group: groupDo, title: "Mark again", verb: "mark again",
			possible: canMarkAgain, run: (*model).markAgain},
		{id: "mark.all", keys: []string{"*"}, scopes: []scope{scopeBoard}, group: groupDo, title: "Mark the column",
			run: (*model).markAll},

		{id: "open.why", keys: []string{"w"}, scopes: []scope{scopeTask}, group: groupSee, title: "Why blocked", verb: "show why it is blocked", hint: "why", foot: 6, op: "task_why",
			possible: needsTaskAtHand, run: func(m *model) tea.Cmd { return m.openAt(pageWhy) }},
		{id: "filter", keys: []string{"/"}, scopes: []scope{scopeBoard}, group: groupSee, title: "Filter", hint: "filter", foot: 2,
			run: func(m *model) tea.Cmd { m.board.filter.begin(m.board); return nil }},
		{id: "filter.saved", keys: []string{"F"}, scopes: []scope{scopeBoard}, group: groupSee, title: "Saved filters…",
			run: (*model).savedFilters},
		{id: "detail.toggle", keys: []string{"i"}, scopes: []scope{scopeBoard, scopeTree}, group: groupSee, title: "Detail pane",
			run: (*model).toggleDetail},
		{id: "sort", keys: []string{"S"}, scopes: []scope{scopeBoard}, group: groupSee, title: "Sort column",
			possible: canSort, run: (*model).sortColumn},
		{id: "go.board", keys: []string{"g b"}, scopes: []scope{scopeApp}, group: groupSee, title: "Board",
			run: func(m *model) tea.Cmd { return m.goHome(m.board.focus) }},
		{id: "go.claims", keys: []string{"g c"}, scopes: []scope{scopeApp}, group: groupSee, title: "Claims",
			run: func(m *model) tea.Cmd { return m.goHome(core.ColumnClaimed) }},
		{id: "go.log", keys: []string{"g l"}, scopes: []scope{scopeApp}, group: groupSee, title: "Message log",
			run: func(m *model) tea.Cmd { m.ask(&logPopup{}); return nil }},
		{id: "copy.id", keys: []string{"y"}, scopes: []scope{scopeTask}, group: groupSee, title: "Copy id",
			possible: needsTask, run: (*model).copyIDs},
		{id: "copy.command", keys: []string{"Y"}, scopes: []scope{scopeApp}, group: groupSee, title: "Copy last command", verb: "copy the command",
			run: (*model).copyCommand},
		{id: "copy.command.task", keys: []string{"g y"}, scopes: []scope{scopeTask}, group: groupSee, title: "Copy its command", verb: "copy a command",
			possible: needsTaskAtHand, run: (*model).copyTaskCommand},

		{id: "palette", keys: []string{":", "ctrl+p"}, scopes: []scope{scopeApp}, group: groupApp, title: "Commands", hint: "commands", foot: 10,
			run: func(m *model) tea.Cmd { m.ask(newPalette(m)); return nil }},
		{id: "go.notes", keys: []string{"g n", "N"}, scopes: []scope{scopeApp}, group: groupSee, title: "Notes", verb: "show the notes", hint: "notes", foot: 12,
			possible: needsOtherThanNotes, run: (*model).openNotes},
		{id: "help", keys: []string{"?"}, scopes: []scope{scopeApp}, group: groupApp, title: "Help", hint: "help", foot: footRight,
			run: func(m *model) tea.Cmd { m.ask(newHelp(m)); return nil }},
		{id: "leave", keys: []string{"q"}, scopes: []scope{scopeApp}, group: groupApp, title: "Back / quit", hint: "quit", foot: footRight,
			run: (*model).leave},
		{id: "back", keys: []string{"esc"}, scopes: []scope{scopeApp}, group: groupApp, title: "Back, close", marked: "unmark", foot: 2,
			run: (*model).back},
		{id: "reload", keys: []string{"ctrl+r"}, scopes: []scope{scopeApp}, group: groupApp, title: "Reload",
			run: func(m *model) tea.Cmd { return tea.Batch(tea.ClearScreen, m.screen().load(m, false)) }},
		{id: "mouse.toggle", keys: []string{"alt+m"}, scopes: []scope{scopeApp}, group: groupApp, title: "Mouse on / off",
			run: (*model).toggleMouse},
		{id: "suspend", keys: []string{"ctrl+z"}, scopes: []scope{scopeApp}, group: groupApp, title: "Suspend",
			run: func(*model) tea.Cmd { return tea.Suspend }},
		{id: "quit", keys: []string{"ctrl+c"}, scopes: []scope{scopeApp}, group: groupApp, title: "Quit",
			run: (*model).quit},
		{id: "demo", scopes: []scope{scopeApp}, group: groupApp, title: "Load a small sample graph", op: "task_apply",
			possible: all(needsStore, needsWriting, needsEmpty), run: (*model).loadDemo},

		{id: "list.down", keys: []string{"j", "down"}, scopes: []scope{scopeList}, group: groupMove, title: "Down", both: "Down, up",
			run: func(m *model) tea.Cmd { return m.screen().step(m, 1) }},
		{id: "list.up", keys: []string{"k", "up"}, scopes: []scope{scopeList}, group: groupMove, title: "Up", joins: "list.down",
			run: func(m *model) tea.Cmd { return m.screen().step(m, -1) }},
		{id: "list.top", keys: []string{"g g", "home"}, scopes: []scope{scopeList}, group: groupMove, title: "Top", both: "Top, bottom",
			run: func(m *model) tea.Cmd { return m.screen().edge(m, false) }},
		{id: "list.bottom", keys: []string{"G", "end"}, scopes: []scope{scopeList}, group: groupMove, title: "Bottom", joins: "list.top",
			run: func(m *model) tea.Cmd { return m.screen().edge(m, true) }},
		{id: "list.half.down", keys: []string{"ctrl+d"}, scopes: []scope{scopeList}, group: groupMove, title: "Half page down", both: "Half page",
			run: func(m *model) tea.Cmd { return m.screen().step(m, max(m.screen().page()/2, 1)) }},
		{id: "list.half.up", keys: []string{"ctrl+u"}, scopes: []scope{scopeList}, group: groupMove, title: "Half page up", joins: "list.half.down",
			run: func(m *model) tea.Cmd { return m.screen().step(m, -max(m.screen().page()/2, 1)) }},
		{id: "list.page.down", keys: []string{"pgdn"}, scopes: []scope{scopeList}, group: groupMove, title: "Page down", both: "Page",
			run: func(m *model) tea.Cmd { return m.screen().step(m, m.screen().page()) }},
		{id: "list.page.up", keys: []string{"pgup"}, scopes: []scope{scopeList}, group: groupMove, title: "Page up", joins: "list.page.down",
			run: func(m *model) tea.Cmd { return m.screen().step(m, -m.screen().page()) }},
		{id: "pane.left", keys: []string{"h", "left"}, scopes: []scope{scopeBoard}, group: groupMove, title: "Column to the left", both: "Column",
			run: func(m *model) tea.Cmd { return m.board.next(m, -1, false) }},
		{id: "pane.right", keys: []string{"l", "right"}, scopes: []scope{scopeBoard}, group: groupMove, title: "Column to the right", joins: "pane.left",
			run: func(m *model) tea.Cmd { return m.board.next(m, 1, false) }},
		{id: "pane.next", keys: []string{"tab"}, scopes: []scope{scopeBoard}, group: groupMove, title: "Next column", both: "Next, previous",
			run: func(m *model) tea.Cmd { return m.board.next(m, 1, true) }},
		{id: "pane.prev", keys: []string{"shift+tab"}, scopes: []scope{scopeBoard}, group: groupMove, title: "Previous column", joins: "pane.next",
			run: func(m *model) tea.Cmd { return m.board.next(m, -1, true) }},
		goToColumn(core.ColumnReady, "1"), goToColumn(core.ColumnBlocked, "2"), goToColumn(core.ColumnClaimed, "3"),
		goToColumn(core.ColumnGates, "4"), goToColumn(core.ColumnDone, "5"),
	}
	all = slices.Concat(all, pageActions(), treeActions(), graphActions())
	palette := slices.IndexFunc(all, func(a action) bool { return a.id == "palette" })
	return slices.Insert(all, palette, noteActions()...) // footers name what is for everywhere last
}

func goToColumn(c core.Column, key string) action {
	a := action{
		id: columnActions[c], keys: []string{key}, scopes: []scope{scopeBoard}, group: groupMove, title: columnNames[c],
		run: func(m *model) tea.Cmd { return m.board.goTo(m, c) },
	}
	if c == core.ColumnReady {
		a.both = "Go to column"
	} else {
		a.joins = columnActions[core.ColumnReady]
	}
	return a
}

// needsTaskAtHand refuses where there is no task under the cursor, whatever
// is marked.
func needsTaskAtHand(m *model) string {
	if _, ok := m.screen().selected(); !ok {
		return "there is no task under the cursor"
	}
	return ""
}

// needsMarks refuses where marks are not shown.
func needsMarks(m *model) string {
	if _, ok := m.screen().(*page); ok {
		return "marks are for lists of tasks"
	}
	return ""
}

// needsBlocker refuses where nothing holds the task back.
func needsBlocker(m *model) string {
	card := m.targets()[0]
	if card.Status == core.StatusOpen && !card.Held && card.WaitCount == 0 && card.Type == core.TypeTask {
		return idOf(card) + " waits on nothing"
	}
	return ""
}

func needsEditor(m *model) string {
	if m.options.Editor == "" {
		return "no editor is set; set $EDITOR"
	}
	return ""
}

func needsEmpty(m *model) string {
	if !m.live.missing && !(m.board.known && m.board.data.Empty) {
		return "there are tasks already"
	}
	return ""
}

// openSelected opens the page of the task under the cursor.
func (m *model) openSelected() tea.Cmd { return m.openAt(pageAuto) }

// openAt opens a section of the page of the task under the cursor.
func (m *model) openAt(section pageSection) tea.Cmd {
	card, ok := m.screen().selected()
	if !ok {
		return nil
	}
	p, here := m.screen().(*page)
	if here && section == pageAuto {
		if line, on := p.at(); on && line.note != "" {
			return m.openNote(line.note)
		}
		card, _ = p.under()
	}
	if here && p.id == card.ID {
		if section != pageAuto {
			p.goTo(section)
		}
		return nil
	}
	return m.openTask(card.ID, section)
}

// goHome goes to a column of the board.
func (m *model) goHome(c core.Column) tea.Cmd {
	m.screens = nil
	return m.board.goTo(m, c)
}

// toggleDetail shows or hides what is known of the task under the cursor.
func (m *model) toggleDetail() tea.Cmd {
	if t, ok := m.screen().(*tree); ok {
		t.toggled = !t.toggled
		return t.load(m, false)
	}
	m.board.detail = !m.board.detail
	m.layout()
	return m.board.load(m, true)
}

// createHere asks for a new task; from the gates panel for a gate, in the tree
// for one where the cursor is. It is proposed for the project that
// the filter of the board asks for or, without one, for that of the task at
// hand.
func (m *model) createHere() tea.Cmd {
	kind, project := core.TypeTask, ""
	card, found := m.screen().selected()
	if found {
		project = card.Project()
	}
	if t, ok := m.screen().(*tree); ok && found {
		return m.createBelow(t, kind, project)
	}
	if m.screen() == screen(m.board) {
		if asked := m.board.filter.filter.Project(); !strings.HasPrefix(core.FoldCase(project), core.FoldCase(asked)) {
			project = asked
		}
		if m.board.focus == core.ColumnGates {
			kind = core.TypeGate
		}
	}
	return m.createDialog(kind, nil, project)
}

// createBelow asks for a new task in the tree: below the one under the cursor
// when that is an epic or has tasks below it, else beside it.
func (m *model) createBelow(t *tree, kind core.TaskType, project string) tea.Cmd {
	row, ok := t.row()
	switch {
	case !ok:
		return m.createDialog(kind, nil, project)
	case row.Type == core.TypeEpic || row.Folds:
		return m.createDialog(kind, []core.Card{row.Card}, project)
	case row.ParentID == "":
		return m.createDialog(kind, nil, project)
	}
	service := m.live.service
	return m.expect(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		cards, err := service.CardsByID(ctx, []string{row.ParentID})
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.notOpened(err)
			}
			return m.createDialog(kind, []core.Card{cards[row.ParentID]}, project)
		}
	})
}

// mark marks the task under the cursor, or takes the mark away, and goes on
// to the next.
func (m *model) mark() tea.Cmd {
	card, _ := m.screen().selected()
	if _, marked := m.marks[card.ID]; marked {
		delete(m.marks, card.ID)
	} else {
		m.marks[card.ID] = card
	}
	return m.screen().step(m, 1)
}

// markAll marks the rows of the column that are loaded or, when they are all
// marked, takes the marks away.
func (m *model) markAll() tea.Cmd {
	cards := m.board.pane().cards
	marked := 0
	for _, card := range cards {
		if _, ok := m.marks[card.ID]; ok {
			marked++
		}
	}
	for _, card := range cards {
		if marked == len(cards) {
			delete(m.marks, card.ID)
		} else {
			m.marks[card.ID] = card
		}
	}
	return nil
}

// canSort says why the column has no other order.
func canSort(m *model) string {
	switch m.board.focus {
	case core.ColumnDone:
		return "what is done is in the order in which it was closed"
	case core.ColumnGates:
		return "the gates are in groups"
	}
	return ""
}

// sortColumn puts the column into the next order.
func (m *model) sortColumn() tea.Cmd {
	p := m.board.pane()
	for i, order := range core.Sorts {
		if order == p.sort {
			p.sort = core.Sorts[(i+1)%len(core.Sorts)]
			break
		}
	}
	return tea.Batch(m.board.load(m, false), m.note(columnNames[p.column]+": sorted by "+string(p.sort)))
}
