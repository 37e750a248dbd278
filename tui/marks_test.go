package tui

import (
	"testing"
	"time"

	"dev.lithos/core"
)

// What is done to marked tasks that are not on screen is asked about first.
func TestMarks_unseenOnesAreAskedAbout(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("space")
	d.shows("1 marked", "p priority, tags", "esc unmark")
	d.press("/")
	d.typeText("docs")
	d.press("enter", "C")
	d.shows("Claim 3f9a1c?", "The marked task, which is not on screen:", "Wire claim lease sweeper")
	d.press("n")
	if claims := d.task("3f9a1c").Claims; len(claims) != 0 {
		t.Fatalf("the claims are %v", claims)
	}
	d.press("x")
	d.shows("Complete 3f9a1c", "The marked task, which is not on screen:")
	d.press("esc", "C", "y")
	if claims := d.task("3f9a1c").Claims; len(claims) != 1 {
		t.Errorf("the claims are %v", claims)
	}
}

func TestMarks_areNamedInTheFooter(t *testing.T) {
	d := drive(t, acme, 140, 40)
	d.shows("space mark")
	d.hides("priority, tags", "unmark")
	d.press("space")
	d.shows("space mark", "x complete", "p priority, tags", "esc unmark")
	d.press("space")
	d.hides("e edit", "s spawn") // they are about one task
}

func TestMarks_areHadAgain(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("space", "space", "esc")
	d.shows("Took the marks off 2 tasks; gm marks them again.")
	d.hides("2 marked")
	d.press("g", "m")
	d.shows("2 marked")
	d.press("g", "m")
	d.shows("Cannot mark again: no marks were taken away.")
}

// Several tasks change together, or not at all, and can be had as they were.
func TestChange_ofMarkedTasks(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.press("j", "j", "space", "space", "p") // 81c0d2 with cli and docs, b2d4e9 with docs
	d.shows("Priority and tags of 2 tasks", "The 2 marked tasks", "1 of priority P2", "1 of priority P3", "tags cli (1), docs")
	d.press("right", "tab")
	d.typeText("soon")
	d.press("tab")
	d.typeText("docs")
	d.press("enter")
	d.shows("changed 2 tasks", "U undo")
	for id, tags := range map[string]string{"81c0d2": "cli, soon", "b2d4e9": "soon"} {
		if task := d.task(id); task.Priority() != "highest" || joinTags(task.Tags.List()) != tags {
			t.Errorf("%s has the priority %q and the tags %v", id, task.Priority(), task.Tags)
		}
	}
	d.press("U")
	d.shows("took the change of 2 tasks back")
	for id, want := range map[string][2]string{"81c0d2": {"medium", "cli, docs"}, "b2d4e9": {"low", "docs"}} {
		if task := d.task(id); task.Priority() != want[0] || joinTags(task.Tags.List()) != want[1] {
			t.Errorf("%s has the priority %q and the tags %v", id, task.Priority(), task.Tags)
		}
	}
}

// What completing several tasks does is told for all of them together.
func TestComplete_markedTogether(t *testing.T) {
	f := fixture{tasks: []fixtureTask{
		{id: "a00001", title: "One", age: hour}, {id: "a00002", title: "Two", age: hour}, {id: "a00003", title: "Three", age: hour},
		{id: "b00001", title: "Freed", age: day}, {id: "b00002", title: "Not yet", age: day},
	}, edges: []string{"a00001 > b00001", "a00002 > b00001", "a00001 > b00002", "a00003 > b00002"}}
	for _, size := range [][2]int{{80, 24}, {44, 16}} {
		d := drive(t, f, size[0], size[1])
		for range 3 {
			if card, _ := d.m.screen().selected(); card.ShortID != "a00003" {
				d.press("space")
			} else {
				d.press("j")
			}
		}
		d.press("x")
		d.shows("Complete 2 tasks", "b00001 Freed", "becomes ready", "still waits on", "a00003")
		d.hides("waits on a00001", "waits on a00002")
		d.press("ctrl+s")
		d.shows("completed 2 tasks → b00001 is re")
	}
}

// Footers of the board are not shown where their keys mean something else.
func TestFooter_isOfWhatHasTheKeys(t *testing.T) {
	for _, keys := range [][]string{{"c"}, {"a"}, {"?"}, {":"}, {"/"}} {
		d := drive(t, acme, 80, 24)
		d.press(keys...)
		d.hides("w why  / filter", "s spawn")
	}
}

func TestEdit_isFollowed(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("e")
	d.typeText("!")
	must[core.TaskClaimResult](t)(d.service.TaskClaim(t.Context(), core.TaskClaimRequest{TaskID: longID("3f9a1c"), Agent: "mo", Aspect: "work"}))
	d.press("ctrl+s")
	d.shows("saved 3f9a1c as v4 · → Claimed (3)")
	d = drive(t, acme, 140, 40)
	d.press("e")
	d.typeText("!")
	must[core.TaskClaimResult](t)(d.service.TaskClaim(t.Context(), core.TaskClaimRequest{TaskID: longID("3f9a1c"), Agent: "mo", Aspect: "work"}))
	d.press("ctrl+s")
	d.cursorOn("3f9a1c")
}

func TestGates_theCursorComesBack(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("4")
	d.cursorOn("9b02a7")
	d.press("x", "ctrl+s")
	d.hides("9b02a7 API names")
	d.press("U")
	d.cursorOn("9b02a7")
}

// Others' changes to what was not touched here do not interrupt.
func TestEdit_goesOnTopOfOtherFields(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("e")
	d.typeText("!")
	must[core.TaskUpdateResult](t)(d.service.TaskUpdate(t.Context(), core.TaskUpdateRequest{TaskID: longID("3f9a1c"), Agent: "mo", Tags: []string{"db"}}))
	d.press("ctrl+s")
	d.shows("saved 3f9a1c as v5; meanwhile mo changed its tags")
	if task := d.task("3f9a1c"); joinTags(task.Tags.List()) != "db" || task.Title != "Wire claim lease sweeper!" {
		t.Errorf("it is %q with the tags %v", task.Title, task.Tags)
	}
}

func TestConflict_takeTheirsAsks(t *testing.T) {
	d, f := dialog(t, "newConflict", 80, 24)
	d.shows("Save mine", "Take theirs", "Keep editing", "the rest stays")
	d.press("shift+tab", "enter")
	d.shows("Throw away what you typed?", "y throw away · ↵ keep")
	d.press("enter")
	if d.m.popup() != f.outer {
		t.Fatalf("enter threw the text away:\n%s", d.frame())
	}
	d.press("enter", "y")
	d.shows("What is stored stays; your edit of 3f9a1c was thrown away.")
	if title := d.task("3f9a1c").Title; title != "Theirs" {
		t.Errorf("the title is %q", title)
	}
}

// A task may wait on what it is part of; the search puts that last and says so.
func TestAddBlocker_ofItsOwnParent(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.press("a")
	d.typeText("e")
	p := d.m.popup().(*picker)
	if last := p.found.Choices[len(p.found.Choices)-1]; last.ShortID != "0c4d9a" || !last.Above {
		t.Errorf("the last choice is %s, above: %v", last.ShortID, last.Above)
	}
	d.press("ctrl+u")
	d.typeText("0c4d9a")
	d.shows("! it is part of this: usually done last")
	d.press("enter")
	d.shows("3f9a1c waits on 0c4d9a; it is part of 0c4d9a, which is usually done")
	d.press("w")
	d.shows("! it is part of this")
}

// The plan is told in the order in which it is taken, and its rows open tasks.
func TestWhy_tellsOneOrder(t *testing.T) {
	f := fixture{tasks: []fixtureTask{
		{id: "a00001", title: "Goal", age: hour},
		{id: "b00001", title: "Low", age: 9 * day, metadata: `{"priority":"low"}`},
		{id: "b00002", title: "Urgent", age: hour, metadata: `{"priority":"highest"}`},
		{id: "b00003", title: "Held by both", age: 9 * day, metadata: `{"priority":"highest"}`},
		{id: "c00001", title: "Somebody agrees", kind: core.TypeGate, age: 9 * day, metadata: `{"gate_type":"human"}`},
		{id: "c00002", title: "A week passes", kind: core.TypeGate, age: 9 * day, metadata: `{"gate_type":"timer","ready_at":"2026-03-09T14:00:00+00:00"}`},
	}, edges: []string{"b00001 > a00001", "b00002 > b00003", "b00003 > a00001", "c00001 ~> a00001", "c00002 ~> a00001"}}
	d := drive(t, f, 100, 30)
	d.press("2", "j", "w")
	for range 3 {
		if p, ok := d.m.screen().(*page); ok && p.view != nil && p.view.ShortID == "a00001" {
			break
		}
		d.press("q", "j", "w")
	}
	p := d.m.screen().(*page)
	var order []string
	for _, step := range p.view.Course {
		order = append(order, step.TaskID[:6])
	}
	if want := []string{"b00002", "b00001", "b00003", "c00001", "c00002"}; len(order) != len(want) || joinTags(order) != joinTags(want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
	d.shows("1. complete b00002 Urgent", "5. wait for c00002", "can be started as well")
	d.press("G")
	d.shows("keys act on c00002")
	d.press("k", "k", "k", "k", "enter")
	d.shows("b00002 Urgent")
}

// A renewed lease never ends earlier than before without a question.
func TestRenew_neverShortens(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("c")
	d.typeText("90")
	d.press("enter")
	end := core.StampOf(noon).Add(90 * time.Minute)
	is := func(want core.Stamp) {
		t.Helper()
		if claims := d.task("3f9a1c").Claims; len(claims) != 1 || claims[0].ExpiresAt != want {
			t.Errorf("the claims are %v, want one until %s", claims, want)
		}
	}
	is(end)
	d.press("3")
	d.cursorOn("3f9a1c")
	d.pass(10 * time.Minute)
	d.press("C") // again
	d.shows("renewed 3f9a1c until 15:42")
	is(end.Add(10 * time.Minute))
	d.press("U")
	d.shows("the lease on 3f9a1c ends 15:32 again")
	is(end)
	d.press("r")
	is(end.Add(10 * time.Minute))
	d.press("R")
	d.shows("‹ 90 min ›")
	d.typeText("30")
	d.press("enter")
	d.shows("End the lease earlier?", "3f9a1c work ends 15:42, and would end 14:42.")
	d.press("enter")
	is(end.Add(10 * time.Minute))
	d.press("enter", "y")
	d.shows("renewed 3f9a1c until 14:42")
	d.pass(2 * hour)
	d.press("3", "U", "y")
	d.shows("Cannot undo renewing 3f9a1c: it would have ended at")
}

// In the tree a new task goes below an epic or a task with others below it, and
// beside an ordinary one.
func TestCreate_inTheTree(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.press("j", "g", "t") // 9f3c70, which has nothing below it, is below 3f9a1c
	d.cursorOn("9f3c70")
	d.press("n")
	d.shows("Parent", "3f9a1c Wire claim lease sweeper")
	d.press("esc")
	for range 9 {
		if card, _ := d.m.screen().selected(); card.ShortID == "3f9a1c" {
			break
		}
		d.press("k")
	}
	d.cursorOn("3f9a1c")
	d.press("n")
	d.shows("Parent", "3f9a1c Wire claim lease sweeper")
}
