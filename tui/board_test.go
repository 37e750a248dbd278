package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

func TestBoard_showsTheColumns(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.shows("[1 Ready 4]", "2 Blocked 8", "3 Claimed 2", "4 Gates 3", "5 Done 4", "! 2 need you",
		"▌○ 3f9a1c Wire claim lease swee… P1 2h", "■ 19ab44 Ship v0.2", "⤷ 3f9a1c ○  70bec2 ◐  4c1e08 ■",
		"✘ 55aa21 was cancelled — stuck", "◆ timer gate 6d1190 · opens in 41m", "holds 19ab44", "background daemon:")
}

func TestBoard_cursorFollowsItsTask(t *testing.T) {
	d := drive(t, acme, 80, 24)
	ctx := context.Background()
	d.press("j")
	d.cursorOn("9f3c70")
	// A more urgent task appears above: the cursor stays on its task.
	priority := core.Metadata(`{"priority":"highest"}`)
	must[core.TaskCreateResult](t)(d.service.TaskCreate(ctx, core.TaskCreateRequest{Title: "Urgent", Agent: "mo", Metadata: &priority}))
	d.poll()
	d.shows("Urgent", "[1 Ready 5]")
	d.cursorOn("9f3c70")
	// Its task goes: the next one that is still there has the cursor.
	must[core.TaskClaimResult](t)(d.service.TaskClaim(ctx, core.TaskClaimRequest{TaskID: longID("9f3c70"), Agent: "mo", Aspect: "work"}))
	d.poll()
	d.cursorOn("81c0d2")
	d.shows("[1 Ready 4]", "3 Claimed 3")
}

func TestBoard_timersAndLeasesFallDueByThemselves(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("3")
	d.shows("you@box · design · 6m !", "build-7 · code · 52m")
	d.pass(7 * time.Minute)
	d.shows("1 Ready 5", "3 Claimed 1")
	d.pass(35 * time.Minute) // the quiet period is over
	d.shows("1 Ready 6", "2 Blocked 7")
}

func TestBoard_lateAnswersAreDropped(t *testing.T) {
	d := drive(t, acme, 80, 24)
	old := d.m.board.read(d.m, false)
	d.press("5")
	d.run(old) // an answer to a question that was asked before
	d.shows("[5 Done 4]", "✔ 1b7748 Query-time filter")
}

func TestBoard_filter(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("/")
	d.typeText("claim p:<2 -tag:docs")
	d.shows("Ready 2 of 4", "Filter  4 of 21 and 1 epic", "means 'claim', priority P0 to P1, not tag 'docs'", "▣ 0c4d9a Claims & leases")
	d.press("enter")
	d.shows("/ claim p:<2 -tag:docs", "esc clears the filter")
	d.press("esc")
	d.shows("[1 Ready 4]")
	d.hides("2 of 4")
	d.press("/")
	d.typeText("p:9")
	d.shows("'p:9' is no priority", "Filter  cannot be read")
	d.press("enter") // what cannot be read cannot be kept
	d.shows("'p:9' is no priority")
	d.press("up")
	d.shows("/ claim p:<2 -tag:docs", "Ready 2 of 4")
	d.press("esc", "/")
	d.typeText("is:st")
	d.press("tab")
	d.shows("/ is:stuck", "Blocked 3 of 8")
}

func TestBoard_marksSurviveChanges(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("space", "space")
	d.shows("○+3f9a1c", "○+9f3c70")
	d.cursorOn("81c0d2")
	must[core.TaskCompleteResult](t)(d.service.TaskComplete(context.Background(), core.TaskCompleteRequest{TaskID: longID("b2d4e9"), Agent: "mo"}))
	d.poll()
	d.shows("○+3f9a1c", "○+9f3c70", "[1 Ready 3]")
	d.press("c")
	d.shows("Claim 2 tasks")
	d.press("enter")
	d.shows("2 tasks claimed by you@box until 15:02", "[1 Ready 1]")
	if claims := d.task("9f3c70").Claims; len(claims) != 1 || claims[0].Agent != "you@box" {
		t.Errorf("the claims are %v", claims)
	}
	d.press("U")
	d.shows("released 2 tasks again", "[1 Ready 3]")
}

func TestBoard_sizes(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {44, 16}, {71, 19}, {72, 20}, {80, 24}, {119, 30}, {120, 30}, {140, 40}, {169, 45}, {170, 45}, {209, 50}, {210, 50}, {250, 80}} {
		d := drive(t, acme, size[0], size[1])
		d.shows("3f9a1c")
		for _, key := range []string{"2", "3", "4", "5", "1", "enter", "q", "?", "esc", ":", "esc", "/", "esc", "n", "esc", "c", "esc", "i", "g", "esc"} {
			d.press(key)
			d.frame()
		}
	}
}

func TestBoard_tooSmall(t *testing.T) {
	for w := range 42 {
		for _, h := range []int{0, 1, 2, 3, 11, 12} {
			d := &driver{t: t, now: noon}
			_ = d
			if w >= minWidth && h >= minHeight {
				continue
			}
			if w%7 != 0 && w > 3 { // a few are enough
				continue
			}
			d = drive(t, fixture{}, w, h)
			frame := d.m.View()
			if w == 0 || h == 0 {
				if frame != "" {
					t.Errorf("%d×%d: %q", w, h, frame)
				}
				continue
			}
			d.frame()
			d.press("j", "enter", "n", "?")
		}
	}
	d := drive(t, acme, 39, 24)
	d.shows("too small", "40×12 needed", "this is ")
}

// TestBoard_columnsAreAllInReach: at every width the keys of the five columns are
// shown, with their names and counts as far as there is room, and 1 to 5, h, l
// and tab reach each.
func TestBoard_columnsAreAllInReach(t *testing.T) {
	wide := []string{"1 Ready 4", "2 Blocked 8", "3 Claimed 2", "4 Gates 3", "5 Done 4"}
	for width, want := range map[int][]string{
		40: {"[1 Ready 4] 2 Blk 8  3 Clm 2  4  5"},
		44: {"[1 Ready 4] 2 Blk 8  3 Clm 2  4 Gate 3  5"},
		71: wide, 80: wide, 119: wide, 120: wide, 140: wide, 169: wide, 170: wide, 250: wide,
	} {
		d := drive(t, acme, width, 24)
		d.shows(want...)
		focus := func(c core.Column, by string) {
			t.Helper()
			b := d.m.board
			if b.focus != c || b.panes[c].area.empty() && !b.showsGates() {
				t.Errorf("%d wide, %s: the keys are in %s, want %s, on screen", width, by, columnNames[b.focus], columnNames[c])
			}
			d.frame()
		}
		for c := range core.ColumnCount {
			d.press(fmt.Sprint(int(c) + 1))
			focus(c, "number")
		}
		for c := int(core.ColumnDone) - 1; c >= 0; c-- {
			d.press("h")
			focus(core.Column(c), "h")
		}
		d.press("h")
		focus(core.ColumnReady, "h at the left")
		for c := core.ColumnBlocked; c < core.ColumnCount; c++ {
			d.press("l")
			focus(c, "l")
		}
		d.press("tab")
		focus(core.ColumnReady, "tab")
		d.press("shift+tab")
		focus(core.ColumnDone, "shift+tab")
	}
}

// TestTabs_largeCounts: however many tasks there are, the keys of all columns are
// shown.
func TestTabs_largeCounts(t *testing.T) {
	d := drive(t, acme, 40, 12)
	for c := range core.ColumnCount {
		d.m.board.data.Counts[c] = 123_456
	}
	d.m.stale = true
	d.shows("[1 Ready 123k] 2 Blk 123k  3  4  5")
}

// TestBoard_showsTags: cards show their tags where there is room, wide ones
// always.
func TestBoard_showsTags(t *testing.T) {
	d := drive(t, acme, 140, 40)
	d.shows("cli, docs")
	lines := strings.Split(d.frame(), "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "■ 19ab44 Ship v0.2") })
	if at < 0 || !strings.Contains(lines[at+2], "release") {
		t.Errorf("the tag is not on the card:\n%s", d.frame())
	}
	narrow := drive(t, acme, 80, 24)
	narrow.shows("Ship v0.2         release P1")
	narrow.press("j", "j")
	narrow.shows("· cli, docs") // there was no room on the card
}

// TestFacts_sayKindsOnce: an epic is not an epic twice.
func TestFacts_sayKindsOnce(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press(":")
	d.typeText("0c4d9a")
	d.press("enter")
	d.shows("▣ epic · P0")
	d.hides("epic · epic")
}

// TestIDs_showTheirEnds: of an id whose unique beginning is too long, the end of
// the whole is shown.
func TestIDs_showTheirEnds(t *testing.T) {
	card := core.Card{ShortID: "learning_agent-p", Task: core.Task{TaskHead: core.TaskHead{ID: "learning_agent-prqs"}}}
	if got := idOf(card); got != "…prqs" {
		t.Errorf("%q", got)
	}
	card.ShortID = "3f9a1c"
	if got := idOf(card); got != "3f9a1c" {
		t.Errorf("%q", got)
	}
}

// TestPage_showsAllOfALongTitle holds that nothing of a title is cut off on the
// page of its task.
func TestPage_showsAllOfALongTitle(t *testing.T) {
	title := strings.Repeat("several words of a long title ", 8) + "end"
	d := drive(t, fixture{tasks: []fixtureTask{{id: "a00001", title: title, age: hour}}}, 80, 24)
	d.press("enter")
	d.shows("long title end", "━ a00001 ━")
}

// TestRefusals_areSentences: what cannot be done is said with a verb.
func TestRefusals_areSentences(t *testing.T) {
	verbs := []string{
		"open", "claim", "release", "renew", "complete", "cancel", "reopen", "create", "spawn", "edit", "add", "remove", "move", "post",
		"undo", "mark", "change", "show", "sort", "copy", "load", "find", "take", "read", "follow", "write", "archive", "delete",
	}
	for i := range actions() {
		a := &actions()[i]
		if verb, _, _ := strings.Cut(a.said(), " "); a.possible != nil && !slices.Contains(verbs, verb) {
			t.Errorf("%s: Cannot %s", a.id, a.said())
		}
	}
	d := drive(t, fixture{}, 80, 24)
	d.press("g", "d")
	d.shows("Cannot show the graph around a task: there is no task under the cursor.")
}

// TestSavedFilters_areKept: a filter is saved through the options; a failure is
// told in the dialog and loses nothing.
func TestSavedFilters_areKept(t *testing.T) {
	saved := map[string]string{}
	full := true
	d := drive(t, acme, 80, 24, func(o *Options) {
		o.SaveFilter = func(name, text string) error {
			if full {
				return core.InvalidValue("filters."+name, text, "The filter cannot be saved: no space left on device.")
			}
			saved[name] = text
			return nil
		}
	})
	d.press("/")
	d.typeText("tag:docs")
	d.press("enter", "F")
	d.shows("save", "tag:docs")
	d.press("enter")
	d.typeText("papers")
	d.press("enter")
	d.shows("no space left on", "papers")
	full = false
	d.press("enter")
	d.shows("saved the filter papers")
	d.hides("until lithos ends")
	if saved["papers"] != "tag:docs" {
		t.Errorf("saved: %v", saved)
	}
	d.press("F")
	d.shows("papers", "tag:docs")
}
