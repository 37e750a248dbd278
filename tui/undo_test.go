package tui

import (
	"context"
	"testing"
	"time"

	"dev.lithos/core"
)

// What was done is taken back in the reverse order, as far as it has an
// inverse; the message of an action offers undo only while it is the next.
func TestUndo_inReverseOrder(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.press("e")
	d.typeText("!")
	d.press("ctrl+s")
	d.shows("saved 3f9a1c as v4", "U undo")
	d.press("C")
	d.shows("3f9a1c claimed", "U undo")
	d.press("n")
	d.typeText("New one")
	d.press("ctrl+s")
	d.shows("created")
	d.hides("U undo")
	d.press("1", "x")
	first, _ := d.m.screen().selected()
	d.press("ctrl+s")
	d.shows("completed "+first.ShortID, "U undo")
	d.press("U")
	d.shows("reopened " + first.ShortID)
	d.hides("U undo")
	d.press("U")
	d.shows("cannot be undone: X cancels it. U again takes the claim of 3f9a1c back.")
	d.press("U")
	d.shows("released 3f9a1c again")
	d.press("U")
	d.shows("took the edit of 3f9a1c back")
	if task := d.task("3f9a1c"); task.Title != "Wire claim lease sweeper" || len(task.Claims) != 0 {
		t.Errorf("it is %q with the claims %v", task.Title, task.Claims)
	}
	d.press("U")
	d.shows("Cannot undo: nothing done here is left to take back.")
}

func TestUndo_hintsOnlyAtTheAction(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("C")
	d.shows("U undo")
	d.press("y")
	d.hides("U undo")
	d.press("r")
	d.hides("U undo")
}

func TestUndo_ofLongAgoAsks(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("C")
	d.pass(10 * time.Minute)
	d.press("U")
	d.shows("Undo?", "The claim of 3f9a1c", "done here 10m ago", "Undo", "Keep")
	d.press("n")
	d.hides("Undo?")
	if claims := d.task("3f9a1c").Claims; len(claims) != 1 {
		t.Fatalf("the claims are %v", claims)
	}
	d.press("U", "y")
	d.shows("released 3f9a1c again")
	if claims := d.task("3f9a1c").Claims; len(claims) != 0 {
		t.Errorf("the claims are %v", claims)
	}
}

func TestUndo_saysWhoChangedItSince(t *testing.T) {
	ctx := context.Background()
	d := drive(t, acme, 140, 40)
	d.press("e")
	d.typeText("!")
	d.press("ctrl+s")
	title := "Theirs"
	must[core.TaskUpdateResult](t)(d.service.TaskUpdate(ctx, core.TaskUpdateRequest{TaskID: longID("3f9a1c"), Agent: "mo", Title: &title}))
	d.press("U")
	d.shows("✘ Cannot undo the edit of 3f9a1c: mo changed its title just now.", "version_conflict")
	if task := d.task("3f9a1c"); task.Title != "Theirs" {
		t.Errorf("it is %q", task.Title)
	}
	d.press("esc", "C")
	must[core.TaskReleaseResult](t)(d.service.TaskRelease(ctx, core.TaskReleaseRequest{TaskID: longID("3f9a1c"), Agent: "you@box", Aspect: "work"}))
	d.press("U")
	d.shows("Cannot undo the claim of 3f9a1c: the lease has ended, or was given back already.")
	d.press("esc", "1", "g", "g", "x", "ctrl+s")
	d.shows("completed 3f9a1c")
	must[core.TaskReopenResult](t)(d.service.TaskReopen(ctx, core.TaskReopenRequest{TaskID: longID("3f9a1c"), Agent: "mo"}))
	d.press("U")
	d.shows("Cannot undo the completion of 3f9a1c: it has been reopened already.")
	d.press("esc", "1", "g", "g", "a")
	d.typeText("docu")
	d.press("enter")
	d.shows("3f9a1c waits on b2d4e9")
	must[core.TaskEdgeDeleteResult](t)(d.service.TaskEdgeDelete(ctx, core.TaskEdgeDeleteRequest{FromTaskID: longID("b2d4e9"), ToTaskID: longID("3f9a1c"), Type: "blocks", Agent: "mo"}))
	d.press("U")
	d.shows(`Cannot undo the change "3f9a1c waits on b2d4e9": somebody has removed the edge since.`)
}

func TestUndo_isKeptWhileTheStoreIsBusy(t *testing.T) {
	d, lazy, _ := driveLazily(t)
	d.press("n")
	d.typeText("First")
	d.press("ctrl+s", "C")
	lazy.busy = true
	d.press("U")
	d.shows("Cannot undo the claim of")
	d.press("enter")
	d.shows("database_busy", "waited_ms = 5000")
	lazy.busy = false
	d.press("esc", "U")
	d.shows("released", "again")
}
