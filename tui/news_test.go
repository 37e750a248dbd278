package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

// TestNews_tellsWhoDidWhat: what others do is said in one line, merged when it
// is much, and kept in the log; the cursor stays.
func TestNews_tellsWhoDidWhat(t *testing.T) {
	ctx := context.Background()
	d := drive(t, acme, 100, 30)
	d.press("j")
	d.cursorOn("9f3c70")
	must[core.TaskCompleteResult](t)(d.service.TaskComplete(ctx, core.TaskCompleteRequest{TaskID: longID("81c0d2"), Agent: "ada"}))
	d.poll()
	d.shows("· ada completed 81c0d2 Print ready list as table")
	d.cursorOn("9f3c70")

	must[core.TaskCreateResult](t)(d.service.TaskCreate(ctx, core.TaskCreateRequest{Title: "Made with an edge", Agent: "ada", DependsOn: []string{longID("3f9a1c")}}))
	d.poll()
	d.shows("· 2 changes by ada")
	must[core.TaskClaimResult](t)(d.service.TaskClaim(ctx, core.TaskClaimRequest{TaskID: longID("b2d4e9"), Agent: "bob", Aspect: "work"}))
	d.poll()
	d.shows("· 3 changes by ada (2) and bob (1)")
	d.pass(messageTime + time.Second)
	d.hides("3 changes by")

	must[core.TaskEdgeUpsertResult](t)(d.service.TaskEdgeUpsert(ctx, core.TaskEdgeUpsertRequest{FromTaskID: longID("3f9a1c"), ToTaskID: longID("b2d4e9"), Type: "blocks", Agent: "ada"}))
	d.poll()
	d.shows("· ada made b2d4e9 wait on 3f9a1c")
	d.press("g", "l")
	d.shows("3 changes by ada (2) and bob (1)", "ada completed 81c0d2", "bob claimed b2d4e9 Document error codes until", "ada created ", "Made with an edge")
	d.pass(messageTime + time.Second)
	before := d.frame()
	must[core.TaskCompleteResult](t)(d.service.TaskComplete(ctx, core.TaskCompleteRequest{TaskID: longID("70bec2"), Agent: "eve"}))
	d.poll()
	d.shows("eve completed 70bec2")
	d.press("j")
	if log, ok := d.m.popup().(*logPopup); !ok || log.cursor != 2 {
		t.Errorf("the cursor of the log has moved:\n%s\n%s", before, d.frame())
	}
	d.press("esc")
	d.cursorOn("9f3c70")
}

// TestNews_isOfOthers: what is done here is no news, also when others act under
// the same name.
func TestNews_isOfOthers(t *testing.T) {
	ctx := context.Background()
	d := drive(t, acme, 100, 30)
	d.press("C")
	d.shows("claimed")
	d.poll()
	d.pass(messageTime + time.Second)
	d.hides("you@box claimed", "changes by")
	must[core.FindingPostResult](t)(d.service.FindingPost(ctx, core.FindingPostRequest{TaskID: longID("81c0d2"), Agent: "you@box", Summary: "From elsewhere."}))
	d.poll()
	d.shows("· you@box posted a finding on 81c0d2")
}

// TestNews_waitsForOwnMessages: a refusal stays, and news does not take the
// place of what one has just done.
func TestNews_waitsForOwnMessages(t *testing.T) {
	ctx := context.Background()
	d := drive(t, acme, 100, 30)
	d.press("C")
	d.shows("✔")
	title := "Renamed"
	must[core.TaskUpdateResult](t)(d.service.TaskUpdate(ctx, core.TaskUpdateRequest{TaskID: longID("81c0d2"), Agent: "ada", Title: &title}))
	d.poll()
	d.shows("✔")
	d.hides("ada edited")
	d.pass(messageTime)
	d.shows("· ada edited 81c0d2 Renamed (title)")
	d.pass(2 * messageTime)
	d.hides("ada edited")
}

// TestNews_ofMany counts what it does not name.
func TestNews_ofMany(t *testing.T) {
	ctx := context.Background()
	d := drive(t, acme, 100, 30)
	for i := range core.MaxNews + 30 {
		must[core.TaskCreateResult](t)(d.service.TaskCreate(ctx, core.TaskCreateRequest{Title: fmt.Sprint("Task ", i), Agent: "ada"}))
		d.now = d.now.Add(time.Millisecond)
	}
	d.poll()
	frame := d.frame()
	var n int
	if at := strings.Index(frame, "· 2"); at < 0 {
		t.Errorf("it is not said:\n%s", frame)
	} else if _, err := fmt.Sscanf(frame[at:], "· %d changes by ada", &n); err != nil || n < core.MaxNews+30 || n > core.MaxNews+31 {
		t.Errorf("%d changes, %v", n, err)
	}
}

// TestNews_timers: nobody opens a timer gate, so what comes of it is told here.
func TestNews_timers(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.pass(40 * time.Minute)
	d.hides("opened")
	d.pass(time.Minute + time.Second)
	d.shows("· timer gate 6d1190 Quiet period ends opened → a0b3f6 is ready")
	d.pass(messageTime + time.Second)
	d.hides("timer gate 6d1190 Quiet")
	d.pass(3 * time.Hour)
	d.press("g", "l")
	if n := strings.Count(d.frame(), "Quiet period ends opened"); n != 1 {
		t.Errorf("it is told %d times:\n%s", n, d.frame())
	}
}

// TestNews_wording: the history of a task and the news speak of edges alike, and
// of tasks by the ids on screen.
func TestNews_wording(t *testing.T) {
	ctx := context.Background()
	d := drive(t, acme, 100, 30)
	must[core.TaskEdgeUpsertResult](t)(d.service.TaskEdgeUpsert(ctx, core.TaskEdgeUpsertRequest{FromTaskID: longID("3f9a1c"), ToTaskID: longID("b2d4e9"), Type: "blocks", Agent: "ada"}))
	must[core.TaskEdgeDeleteResult](t)(d.service.TaskEdgeDelete(ctx, core.TaskEdgeDeleteRequest{FromTaskID: longID("0c4d9a"), ToTaskID: longID("3f9a1c"), Type: "parent_child", Agent: "ada"}))
	d.poll()
	d.press("enter", "5")
	d.shows("ada made b2d4e9 wait on it", "ada took it out of 0c4d9a")
	d.hides("3f9a1c00", "parent child")
}
