package tui

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
)

func TestClaim(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("c")
	d.shows("Claim 3f9a1c", "Aspect", "Lease", "‹ 60 min ›  until 15:02", "Held now: none")
	d.press("right", "shift+tab", "ctrl+u")
	d.typeText("review")
	d.press("enter", "enter") // past the lease
	d.shows("3f9a1c claimed by you@box until 16:02", "U undo", "3 Claimed 3")
	if c := d.task("3f9a1c").Claims; len(c) != 1 || c[0].Aspect != "review" || c[0].ExpiresAt != core.StampOf(noon.Add(2*time.Hour)) {
		t.Errorf("the claims are %v", c)
	}
	d.press("Y")
	d.shows("Sent to copy, as done last: lithos task")
	d.hides("Copied", "U undo") // the last message is about no action
	d.press("3")
	d.cursorOn("3f9a1c")
	d.press("r")
	d.shows("renewed 3f9a1c until 16:02", "U undo") // by its own length
	d.press("u")
	d.shows("released 3f9a1c", "3 Claimed 2")
	d.press("U")
	d.shows("claimed 3f9a1c again", "3 Claimed 3")
	d.press("U")
	d.shows("the lease on 3f9a1c ends 16:02 again")
	d.press("U")
	d.shows("released 3f9a1c again", "3 Claimed 2")
	d.press("U")
	d.shows("Cannot undo: nothing done here is left to take back")
}

func TestClaim_refusedKeepsTheDialog(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("3", "c", "shift+tab", "ctrl+u")
	d.typeText("code")
	d.press("ctrl+s")
	d.shows("✘ build-7 holds code until 14:54 (52m).", "aspect, or wait.  claim_failed")
	d.press("ctrl+u")
	d.typeText("docs")
	d.press("ctrl+s")
	d.shows("70bec2 claimed by you@box")
}

func TestComplete(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("4", "x")
	d.shows("Pass gate 9b02a7", "○ 4c1e08 Turn on writes in prod   becomes ready")
	d.typeText("agreed")
	d.press("enter")
	d.typeText("on Monday")
	d.press("ctrl+s")
	d.shows("passed gate 9b02a7 → 4c1e08 is ready", "4 Gates 2")
	if task := d.task("9b02a7"); task.Status != core.StatusCompleted || *task.Outcome != "agreed\non Monday" {
		t.Errorf("the gate is %v with outcome %v", task.Status, *task.Outcome)
	}
	d.press("U")
	d.shows("reopened 9b02a7", "4 Gates 3")
	d.press("1", "x")
	d.shows("! 3f9a1c still has 1 child task that is open", "still waits on 70bec2,", "4c1e08")
	d.press("esc")
	d.hides("Outcome")
}

func TestComplete_changedMeanwhile(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("x")
	d.typeText("my outcome")
	title := "Renamed by others"
	must[core.TaskUpdateResult](t)(d.service.TaskUpdate(context.Background(), core.TaskUpdateRequest{TaskID: longID("3f9a1c"), Agent: "mo", Title: &title}))
	d.press("ctrl+s")
	d.shows("version_conflict", "mo changed its title just now.", "confirm again.", "Renamed by others", "my outcome")
	d.press("ctrl+s")
	d.shows("completed 3f9a1c")
	if task := d.task("3f9a1c"); task.Outcome == nil || *task.Outcome != "my outcome" {
		t.Errorf("the outcome is %v", task.Outcome)
	}
}

func TestCancel_listsConsequencesFirst(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("X")
	d.shows("1 task waits on it and would be STUCK", "19ab44 Ship v0.2", "Reason", " No ")
	d.press("enter")
	d.shows("[ No ]")
	d.press("enter")
	d.hides("STUCK")
	if d.task("3f9a1c").Status != core.StatusOpen {
		t.Error("enter alone cancelled the task")
	}
	d.press("X")
	d.typeText("not needed") // the n is text here
	d.press("enter", "y")
	d.shows("cancelled 3f9a1c; 19ab44 is stuck")
	task := d.task("3f9a1c")
	findings := must[core.FindingListResult](t)(d.service.FindingList(context.Background(), core.FindingListRequest{TaskID: task.ID})).Findings
	if task.Status != core.StatusCancelled || findings[len(findings)-1].Summary != "[Cancelled] not needed" {
		t.Errorf("the task is %s, the findings %v", task.Status, findings)
	}
	d.press("5", "o")
	d.shows("Reopen", "Nothing would be blocked by it again")
	d.press("esc", "j", "o")
	d.shows("Nothing would be blocked")
	d.press("enter")
	d.shows("reopened 1b7748")
}

func TestCancel_buttonsFitTheSmallestScreens(t *testing.T) {
	for _, size := range [][2]int{{44, 16}, {40, 12}} {
		d := drive(t, acme, size[0], size[1])
		d.press("space", "space", "X")
		d.shows("Cancel tasks", " Complete", " No ")
	}
}

func TestCancel_namesTheMarked(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.press("space", "space")
	d.shows("2 marked")
	d.press("X")
	d.shows("Cancel 2 tasks?", "○ 3f9a1c", "○ 9f3c70")
}

func TestMarks_countWhereTheyAreShown(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.press("space", "space")
	d.cursorOn("81c0d2")
	d.press("enter")
	d.hides("2 marked")
	d.press("x")
	d.shows("Complete 81c0d2")
	d.press("ctrl+s")
	d.shows("completed 81c0d2")
	if task := d.task("3f9a1c"); task.Status != core.StatusOpen {
		t.Errorf("a task that was marked elsewhere is %s", task.Status)
	}
	d.press("q")
	d.shows("2 marked")
}

func TestPage_actsOnItsTaskUntilTheCursorMoves(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.press("2")
	card, _ := d.m.screen().selected()
	d.press("w")
	d.cursorOn(card.ShortID)
	d.hides("keys act on")
	d.press("j", "k")
	if other, _ := d.m.screen().selected(); other.ID == card.ID {
		t.Fatal("the cursor is on no other task")
	} else {
		d.shows("keys act on " + other.ShortID)
		d.press("x")
		d.shows(other.ShortID)
	}
}

func TestError_enterOpensItsDetails(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.run(d.m.fail("task_claim", core.NewError(core.CodeClaimFailed, "Somebody holds it.")))
	d.shows("✘ Somebody holds it.  claim_failed", "details")
	d.press("enter")
	d.shows("Messages", "✘ Somebody holds it. ", "task_claim: claim_failed")
	d.press("esc", "enter")
	d.shows("1 Why")
}

func TestAct_followsTheTask(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.press("C") // Blocked stands beside Ready
	d.shows("3f9a1c claimed by you@box", "→ Claimed (3)", "[1 Ready 3]")
	d.press("3", "1", "C") // now Claimed does
	d.shows("9f3c70 claimed by you@box", "[3 Claimed 4]")
	d.cursorOn("9f3c70")
	d.press("U")
	d.shows("[1 Ready 3]")
	d.cursorOn("9f3c70")
}

func TestGate_byHandIsCautioned(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.press("4", "j", "j")
	for range 3 {
		if card, _ := d.m.screen().selected(); card.GateType() == core.GateTimer {
			break
		}
		d.press("k")
	}
	d.cursorOn("6d1190")
	d.press("x")
	d.shows("! the timer of 6d1190 opens by itself in 41m")
}

func TestCreate(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("n")
	d.typeText("買い物 é")
	d.press("ctrl+s")
	d.shows("created", "買い物 é", "[1 Ready 5]")
	d.press("n", "ctrl+s")
	d.shows("✘ ", "invalid_input", "New task")
	d.typeText("Gate")
	d.press("tab", "g", "tab", "t", "down")
	d.typeText("tomorrow")
	d.press("ctrl+s")
	d.shows("metadata.ready_at", "tomorrow", "Gate")
	d.press("ctrl+u")
	d.typeText("+2h")
	d.press("ctrl+s")
	d.shows("4 Gates 4")
	d.press("n")
	d.typeText("Thrown away")
	d.press("esc")
	d.shows("Throw away what you typed?", "y throw away · ↵ keep")
	d.press("enter")
	d.shows("Thrown away", "Save")
	d.press("esc", "y")
	d.hides("Thrown away", "New task")
}

func TestCreate_withParentAndBlockers(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("n")
	d.typeText("Child")
	d.press("tab", "tab", "/")
	d.typeText("gate types")
	d.press("enter", "tab", "/")
	d.typeText("sweep")
	d.press("down", "enter", "tab")
	d.typeText("a b, c")
	d.press("ctrl+s")
	d.shows("created")
	list := must[core.TaskListResult](t)(d.service.TaskList(context.Background(), core.TaskListRequest{Tags: []string{"a b", "c"}})).Tasks
	if len(list) != 1 {
		t.Fatalf("%d tasks have the tags", len(list))
	}
	view := must[core.TaskView](t)(d.service.TaskView(context.Background(), list[0].ID))
	if len(view.Parents) != 1 || view.Parents[0].ShortID != "8e2163" || len(view.Waits) != 1 {
		t.Errorf("the parents are %v, it waits for %v", view.Parents, view.Waits)
	}
}

func TestEdit_conflictKeepsTheDraft(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("e", "ctrl+e")
	d.typeText(", mine")
	title, priority := "Theirs", core.Metadata(`{"priority":"low"}`)
	must[core.TaskUpdateResult](t)(d.service.TaskUpdate(context.Background(), core.TaskUpdateRequest{TaskID: longID("3f9a1c"), Agent: "mo", Title: &title, Metadata: &priority}))
	d.press("ctrl+s")
	d.shows("changed meanwhile", "You edited v3; it is v4 now.", "Meanwhile mo changed its title and metadata just now.",
		"yours: Wire claim lease sweeper, mine", "theirs: Theirs", "yours: unchanged", "theirs: low")
	d.press("enter")
	d.shows("Edit 3f9a1c", "sweeper, mine")
	d.press("ctrl+s", "shift+tab", "shift+tab", "enter") // save mine
	d.shows("saved 3f9a1c as v5")
	if task := d.task("3f9a1c"); task.Title != "Wire claim lease sweeper, mine" || task.Priority() != "low" {
		t.Errorf("stored is %q with priority %q: what they changed and I did not must stay", task.Title, task.Priority())
	}
	d.press("U")
	d.shows("took the edit of 3f9a1c back")
	if task := d.task("3f9a1c"); task.Title != "Theirs" {
		t.Errorf("taken back, the title is %q", task.Title)
	}
}

func TestEdit_changesOnlyWhatWasTouched(t *testing.T) {
	d := drive(t, acme, 80, 24)
	before := d.task("19ab44")
	d.press("2", "e", "tab", "tab", "tab", "left", "ctrl+s")
	d.shows("saved 19ab44 as v8")
	after := d.task("19ab44")
	if after.Priority() != "highest" || after.Title != before.Title || *after.Description != *before.Description || after.Tags != before.Tags {
		t.Errorf("stored is %+v", after)
	}
	d.press("Y")
	d.copies(`lithos task update 19ab44 --meta 'priority:="highest"' --agent you@box`)
	d.press("e", "ctrl+s")
	d.shows("Nothing was changed.")
}

func TestSpawnAndFinding(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("s")
	d.typeText("Log lease expiry")
	d.press("tab")
	d.shows("Does not block anything")
	d.press("right")
	d.shows("waits until 3f9a1c is completed")
	d.press("ctrl+s")
	d.shows("from 3f9a1c", "2 Blocked 9")
	d.press("f", "ctrl+s")
	d.shows("posted a finding")
	d.press("f")
	d.typeText("Beware")
	d.press("ctrl+s", "enter", "2")
	d.shows("Findings 3", "Beware")
}

func TestEdges(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("a")
	d.typeText("ship")
	d.shows("3f9a1c waits on", "19ab44 Ship v0.2", "✘ it would close a ring: 19ab44 → 3f9a1c → 19ab44")
	d.press("enter")
	d.shows("a ring: ")
	if d.m.popup() == nil {
		t.Fatal("an impossible choice closed the search")
	}
	d.press("ctrl+u")
	d.typeText("docu")
	d.press("enter")
	d.shows("3f9a1c waits on b2d4e9", "2 Blocked 9")
	d.press("U")
	d.shows("took back: 3f9a1c waits on b2d4e9", "[1 Ready 4]")
	d.press("2", "A")
	d.shows("Remove a blocker of 77f0b3", "Old spike", "Nothing else holds 77f0b3 back: it would be ready.")
	d.press("enter")
	d.shows("no longer waits on")
	d.press("1", "m")
	d.typeText("tui")
	d.press("enter")
	d.shows("is under f310b8 now")
	d.press("U")
	d.shows("took back: 77f0b3 is under f310b8 now")
}

func TestReadOnly_saysWhy(t *testing.T) {
	d := drive(t, acme, 80, 24, func(o *Options) { o.ReadOnly = true })
	d.shows("● read-only")
	for _, key := range []string{"c", "x", "n", "e", "f", "a"} {
		d.press(key)
		d.shows("the store is read-only")
		if d.m.popup() != nil {
			t.Errorf("%s opened a dialog", key)
		}
	}
	d.press(":")
	d.typeText("complete")
	d.shows("Complete / pass", "the store is read-only")
	d.press("enter", "esc", "?")
	d.typeText("task_claim")
	d.shows("not possible here: the store is read-only")
}

func TestPalette_runsAndExplains(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press(":")
	d.typeText("release")
	d.shows("Release claim", "3f9a1c is not claimed")
	d.press("enter")
	d.shows("Cannot release claim: 3f9a1c is not claimed.", "Commands")
	d.press("ctrl+u")
	d.typeText("spawn")
	d.press("enter")
	d.shows("Spawn from 3f9a1c")
	d.press("esc", "?")
	d.typeText("mark the")
	d.press("enter")
	d.shows("○+3f9a1c", "○+b2d4e9")
}

func TestPalette_goesToAnID(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press(":")
	d.typeText("77f0b3")
	d.shows("goes to the task of that id")
	d.press("enter")
	d.shows("Import legacy graph", "Why blocked")
	d.press("q", ":")
	d.typeText("ffffff")
	d.press("enter")
	d.shows("Commands", "There is no task 'ffffff'") // and another try
	d.typeText("f")
	d.shows("No command of that name")
	d.press("esc")
	d.shows("[1 Ready 4]")
}

func TestFilters_saved(t *testing.T) {
	d := drive(t, acme, 80, 24, func(o *Options) { o.Filters = map[string]string{"docs": "tag:docs"} })
	d.press("F")
	d.shows("docs", "tag:docs")
	d.press("enter")
	d.shows("Ready 2 of 4", "Blocked 1 of 8", "/ tag:docs")
	d.press("F")
	d.shows("✔ docs")
	d.press("j", "enter", "/") // cleared
	d.typeText("is:ready")
	d.press("enter", "F", "j", "enter")
	d.typeText("mine too")
	d.press("enter")
	d.shows("saved the filter mine too")
	_, err := newModel(context.Background(), Options{Filters: map[string]string{"bad": "is:nothing"}})
	if err == nil || !strings.Contains(err.Error(), "'nothing' is no state") {
		t.Errorf("a bad saved filter is answered %v", err)
	}
}

func TestCopy(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("y")
	if len(d.said) != 1 || !strings.HasPrefix(d.said[0], "\x1b]52;c;") {
		t.Errorf("sent to the terminal: %q", d.said)
	}
	d.press("Y")
	d.shows("Sent to the terminal to copy: lithos task get 3f9a1c")
	d.press("g", "l")
	d.shows("Terminals do not say whether they took it.")
}

// lazyStore is a store that is made at the first write, and that can be busy.
type lazyStore struct {
	*store.Store
	busy bool
}

func (s *lazyStore) Write(ctx context.Context, fn func(core.WriteTx) error) error {
	if s.busy {
		return core.NewError(core.CodeDatabaseBusy, "The store was busy for 5 seconds.", core.Extra{Name: "waited_ms", Value: 5000})
	}
	return s.Store.Write(ctx, fn)
}

// driveLazily starts the UI where there is no store yet.
func driveLazily(t *testing.T) (*driver, *lazyStore, string) {
	t.Helper()
	d := &driver{t: t, now: noon}
	path := filepath.Join(t.TempDir(), ".lithos", "lithos.db")
	lazy := &lazyStore{}
	clock, newID := func() time.Time { return d.now }, numberedIDs()
	o := Options{
		Open: func(ctx context.Context, create bool) (*core.Service, io.Closer, error) {
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !create {
				return nil, nil, core.NewError(core.CodeStoreUnavailable, "There is no store.",
					core.Extra{Name: "path", Value: path}, core.Extra{Name: "reason", Value: "missing"})
			}
			if lazy.Store == nil {
				s, err := store.Open(ctx, store.Options{Path: path, Create: create, Synchronous: store.Normal})
				if err != nil {
					return nil, nil, err
				}
				lazy.Store = s
				t.Cleanup(func() {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			return core.New(core.Config{Store: lazy, Now: clock, NewID: newID}), io.NopCloser(nil), nil
		},
		Agent: "you@box", StorePath: path, Name: "acme", Theme: "mono", Now: clock,
	}
	d.start(o, 80, 24)
	return d, lazy, path
}

func TestEmpty_makesTheStoreAtTheFirstWrite(t *testing.T) {
	d, _, path := driveLazily(t)
	d.shows("Nothing here yet.", "add the first task", "no store yet")
	d.press("j", "enter", "c", "?", "esc", "2", "3", "4", "5", "1")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("looking around made the store: %v", err)
	}
	d.press("n")
	d.typeText("First")
	d.press("ctrl+s")
	d.shows("created", "First", "[1 Ready 1]", "● live")
}

func TestEmpty_demo(t *testing.T) {
	d, _, _ := driveLazily(t)
	d.press(":")
	d.typeText("demo")
	d.press("enter")
	d.shows("loaded a sample graph", "Buy the oven", "Install the oven")
	d.press(":")
	d.typeText("sample")
	d.press("enter")
	d.shows("there are tasks already")
}

func TestBusy_losesNothing(t *testing.T) {
	d, lazy, _ := driveLazily(t)
	d.press("n")
	d.typeText("First")
	d.press("ctrl+s")
	lazy.busy = true
	d.press("n")
	d.typeText("Second")
	d.press("ctrl+s")
	d.shows("database_busy", "Second", "Retry")
	d.press("ctrl+s")
	d.shows("database_busy")
	lazy.busy = false
	d.press("ctrl+s")
	d.shows("created", "Second", "[1 Ready 2]")
	lazy.busy = true
	d.press("C")
	d.shows("Cannot save", "database_busy", "nothing was lost")
	lazy.busy = false
	d.press("r")
	d.shows("claimed by you@box", "3 Claimed 1")
}

func TestEditor_ofThePerson(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "editor")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf 'New text\\n\\nwith lines\\n' > \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	x := openTerminal(t, acme, 80, 24, childOptions{}, "LITHOS_TEST_EDITOR="+script)
	x.shows("3f9a1c")
	x.send("E")
	x.shows("saved 3f9a1c as v4", "New text")
	result := must[core.TaskGetResult](t)(x.other().TaskGet(context.Background(), core.TaskGetRequest{TaskID: longID("3f9a1c")}))
	if text := *result.Task.Description; text != "New text\n\nwith lines" {
		t.Errorf("the description is %q", text)
	}
}

func TestTypeAhead(t *testing.T) {
	x := openTerminal(t, acme, 80, 24, childOptions{})
	x.until("the screen", func(string) bool { return strings.Contains(x.output(), enterScreen) })
	x.write("xquick\t\r") // before the board has been read; ctrl+s would halt a terminal that is not raw yet
	x.shows("completed 3f9a1c")
	result := must[core.TaskGetResult](t)(x.other().TaskGet(context.Background(), core.TaskGetRequest{TaskID: longID("3f9a1c")}))
	if result.Task.Outcome == nil || *result.Task.Outcome != "quick" {
		t.Errorf("the outcome is %v", result.Task.Outcome)
	}
}

func TestMarkdown(t *testing.T) {
	text := "# Title\n\nA *b* **c** `d` [e](http://f) ~~g~~ \\*h\n- one\n- two\n  1. inner\n\n> quote\n\n```go\ncode  here\n```\n\n- [x] done\n\n---\n<b>raw</b> \x1b[31m\u202e"
	lines := markdown(text, 40, &unicodeGlyphs)
	var plain []string
	for _, line := range lines {
		s := ""
		for _, span := range line {
			s += span.text
		}
		plain = append(plain, s)
		if cells(s) > 40 {
			t.Errorf("%q is too wide", s)
		}
	}
	want := []string{
		"Title", "", "A b c d e (http://f) g *h", "", "· one", "· two", "  1. inner", "", "│ quote", "", "  code  here", "", "· [x] done", "", strings.Repeat("─", 40),
		"", "<b>raw</b> ␛[31m<U+202E>",
	}
	if !slices.Equal(plain, want) {
		t.Errorf("drawn are\n%s\nwant\n%s", strings.Join(plain, "\n"), strings.Join(want, "\n"))
	}
}

func TestOccurrences(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       [][2]int
	}{
		{"Wire CLAIM claim", "claim", [][2]int{{5, 10}, {11, 16}}},
		{"Größe GRÖSSE", "größe", [][2]int{{0, 7}}},
		{"日本語", "本", [][2]int{{3, 6}}},
		{"abc", "", nil},
		{"e\u0301e", "e", [][2]int{{0, 3}, {3, 4}}},
	} {
		if got := occurrences(c.text, c.word); !slices.Equal(got, c.want) {
			t.Errorf("occurrences(%q, %q) = %v, want %v", c.text, c.word, got, c.want)
		}
	}
}

func TestBackground(t *testing.T) {
	answers := []bool{}
	in := &input{answered: func(dark bool) { answers = append(answers, dark) }}
	var keys string
	for _, chunk := range []string{"j\x1b]11;rgb:1e1e/1e1e/2e2e\x07k", "\x1b]11;rgb:ff/ff", "/ff\x1b\\l", "\x1b", "[A", "\x1b]", "11;rgb:0/0/0\x07", "\x1b]11;nonsense\x07x"} {
		keys += string(in.strip([]byte(chunk)))
	}
	if keys != "jkl\x1b[Ax" || !slices.Equal(answers, []bool{true, false, true}) {
		t.Errorf("keys %q, answers %v", keys, answers)
	}
	d := drive(t, acme, 80, 24, func(o *Options) { o.Theme = "auto" })
	if !slices.Contains(d.said, askBackground) || d.m.styles.theme.Name != "catppuccin-mocha" {
		t.Errorf("asked %q, theme %s", d.said, d.m.styles.theme.Name)
	}
	d.send(backgroundMsg{dark: false})
	if d.m.styles.theme.Name != "catppuccin-latte" {
		t.Errorf("on a light background the theme is %s", d.m.styles.theme.Name)
	}
}
