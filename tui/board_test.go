package tui

import (
	"context"
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
	d.shows("Ready 2 of 4", "Blocked 0 of 8", "No match.", "Filter  2 of 21")
	d.press("enter")
	d.shows("/ claim p:<2 -tag:docs", "esc clears the filter")
	d.press("esc")
	d.shows("[1 Ready 4]")
	d.hides("2 of 4")
	d.press("/")
	d.typeText("p:9")
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
	d.shows("too small: 40×12 needed")
}
