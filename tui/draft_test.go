package tui

import (
	"context"
	"slices"
	"testing"

	"dev.lithos/core"
)

// ended is what is kept when the program is ended from outside.
func (d *driver) ended() []Draft {
	var kept []Draft
	d.m.options.KeepDraft = func(draft Draft) { kept = append(kept, draft) }
	d.m.keepDraft()
	return kept
}

// TestDraft goes on with what was typed in each form that keeps it.
func TestDraft(t *testing.T) {
	for name, c := range map[string]struct {
		open  func(*driver)
		shows []string
	}{
		"create": {func(d *driver) {
			d.press("n")
			d.typeText("Precious")
			d.press("tab", "right", "tab")
			d.press("tab", "tab")
			d.typeText("a tag")
		}, []string{"New task", "Precious", "‹ epic ›", "a tag"}},
		"edit":        {func(d *driver) { d.press("e"); d.typeText(" precious") }, []string{"Edit 3f9a1c · v3", "sweeper precious"}},
		"finding":     {func(d *driver) { d.press("f"); d.typeText("precious") }, []string{"Finding on 3f9a1c", "precious"}},
		"complete":    {func(d *driver) { d.press("x"); d.typeText("precious") }, []string{"Complete 3f9a1c", "precious"}},
		"cancel":      {func(d *driver) { d.press("X"); d.typeText("precious") }, []string{"Cancel 3f9a1c", "precious"}},
		"spawn":       {func(d *driver) { d.press("s"); d.typeText("precious") }, []string{"Spawn from 3f9a1c", "precious"}},
		"edit.marked": {func(d *driver) { d.press("space", "space", "p", "tab"); d.typeText("precious") }, []string{"Priority and tags of 2 tasks", "precious"}},
		"note.new":    {func(d *driver) { d.press("N", "n"); d.typeText("Precious") }, []string{"New note", "Precious"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, acme, 100, 30)
			if kept := d.ended(); len(kept) != 0 {
				t.Fatalf("nothing was typed, yet %v is kept", kept)
			}
			c.open(d)
			kept := d.ended()
			if len(kept) != 1 {
				t.Fatalf("kept are %+v", kept)
			}
			kept[0].Path = "here"
			var dropped []string
			d = drive(t, acme, 100, 30, func(o *Options) {
				o.Drafts = kept
				o.DropDraft = func(path string) error { dropped = append(dropped, path); return nil }
			})
			d.shows("Go on with what you typed?", "lithos was ended just now")
			d.press("enter")
			d.shows(c.shows...)
			d.press("esc")
			d.shows("Throw away what you typed?")
			if len(dropped) != 0 {
				t.Fatalf("dropped are %v", dropped)
			}
			d.press("y")
			if len(dropped) != 1 || dropped[0] != "here" {
				t.Errorf("dropped are %v", dropped)
			}
		})
	}
}

func TestDraft_saysWhatHasChangedSince(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("e")
	d.typeText("!")
	kept := d.ended()
	kept[0].Version = 2
	d = drive(t, acme, 80, 24, func(o *Options) { o.Drafts = kept })
	d.press("enter")
	d.shows("What you typed was about v2; it is v3 now.", "sweeper!")
	d = drive(t, fixture{}, 80, 24, func(o *Options) { o.Drafts = kept })
	d.press("enter")
	d.shows("What it is about is gone; what you typed stays in")
}

func TestDraft_laterAndNever(t *testing.T) {
	kept := []Draft{{Form: "create", Title: "New task", Path: "here", Kept: core.StampOf(noon), Fields: []DraftField{{Name: "Title", Text: "Half"}}}}
	var dropped []string
	with := func(o *Options) {
		o.Drafts = kept
		o.DropDraft = func(path string) error { dropped = append(dropped, path); return nil }
	}
	d := drive(t, acme, 80, 24, with)
	d.press("esc")
	d.hides("Go on with")
	if len(dropped) != 0 {
		t.Errorf("dropped are %v", dropped)
	}
	d = drive(t, acme, 80, 24, with)
	d.press("tab", "enter")
	d.hides("Go on with")
	if len(dropped) != 1 {
		t.Errorf("dropped are %v", dropped)
	}
}

// TestDraft_comparesWhatHasChangedSince: what was typed about an earlier version
// is compared with what others have made of the task meanwhile.
func TestDraft_comparesWhatHasChangedSince(t *testing.T) {
	ctx := context.Background()
	d := drive(t, acme, 100, 30)
	d.press("e")
	d.typeText("!")
	kept := d.ended()
	title, priority := "Wire it otherwise", core.Metadata(`{"priority":"low"}`)
	again := drive(t, acme, 100, 30)
	must[core.TaskUpdateResult](t)(again.service.TaskUpdate(ctx, core.TaskUpdateRequest{TaskID: longID("3f9a1c"), Agent: "mo", Title: &title, Metadata: &priority}))
	open := func() {
		again.m.options.Drafts = slices.Clone(kept)
		again.m.offerDrafts()
		again.press("enter")
		again.shows("What you typed was about v3; it is v4 now. Saving compares the two.", "sweeper!")
	}
	open()
	again.press("ctrl+s")
	again.shows("3f9a1c changed meanwhile", "Meanwhile mo changed its title and metadata", "yours: Wire claim lease sweeper!", "theirs: Wire it otherwise")
	again.press("shift+tab", "shift+tab", "enter")
	again.shows("saved 3f9a1c as v5")
	if task := again.task("3f9a1c"); task.Title != "Wire claim lease sweeper!" || task.Priority() != "low" {
		t.Errorf("it is %+v", task)
	}
}

// TestDraft_goesOnTopOfOthers: where others have changed something else, what
// was typed goes on top of it.
func TestDraft_goesOnTopOfOthers(t *testing.T) {
	ctx := context.Background()
	d := drive(t, acme, 100, 30)
	d.press("e")
	d.typeText("!")
	kept := d.ended()
	again := drive(t, acme, 100, 30)
	must[core.TaskUpdateResult](t)(again.service.TaskUpdate(ctx, core.TaskUpdateRequest{TaskID: longID("3f9a1c"), Agent: "mo", AddTags: []string{"late"}}))
	again.m.options.Drafts = kept
	again.m.offerDrafts()
	again.press("enter", "ctrl+s")
	again.shows("saved 3f9a1c as v5", "mo changed its tags", "which stays")
	if task := again.task("3f9a1c"); task.Title != "Wire claim lease sweeper!" || task.Tags.Text() != `["late"]` {
		t.Errorf("it is %+v", task)
	}
}
