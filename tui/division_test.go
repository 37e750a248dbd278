package tui

import (
	"context"
	"slices"
	"strings"
	"testing"

	"dev.lithos/core"
)

// widths are those of the columns on screen.
func (d *driver) widths() []int {
	var widths []int
	for _, p := range d.m.board.panes {
		if !p.area.empty() {
			widths = append(widths, p.area.w)
		}
	}
	return widths
}

// unclaimed is acme without claims.
func unclaimed() fixture {
	f := acme
	f.holds = nil
	return f
}

// TestDivision_byContent: a column is as wide as what is in it needs, within
// bounds, and one that holds nothing gives its room to the others.
func TestDivision_byContent(t *testing.T) {
	d := drive(t, acme, 140, 40)
	ready, blocked, claimed := d.widths()[0], d.widths()[1], d.widths()[2]
	if ready+blocked+claimed != 100 || claimed >= ready || claimed >= blocked || claimed < leastColumnWidth {
		t.Errorf("widths %v", d.widths())
	}
	d.shows("▌○ 3f9a1c Wire claim lease sweeper", "81c0d2 Print ready list as ta", "✘ 55aa21 was cancelled — stuck", "opens in 41m", "you@box · design · 6m !")

	empty := drive(t, unclaimed(), 140, 40)
	if w := empty.widths(); w[2] != emptyColumnWidth || w[0]+w[1] != 80 {
		t.Errorf("beside an empty column: %v", w)
	}
	empty.shows("Nobody has", "c claims a task")

	for _, width := range []int{120, 139, 170, 209, 250} {
		wide := drive(t, acme, width, 40)
		sum := 0
		for _, w := range wide.widths() {
			sum += w
			if w < leastColumnWidth {
				t.Errorf("at %d: widths %v", width, wide.widths())
			}
		}
		if sum != wide.m.board.columns.w {
			t.Errorf("at %d the widths %v are not those of the board, %d", width, wide.widths(), wide.m.board.columns.w)
		}
	}
}

// TestDivision_standsStill: nothing but another size, other columns, another
// filter, or a column that outgrows its room moves the columns.
func TestDivision_standsStill(t *testing.T) {
	ctx := context.Background()
	d := drive(t, unclaimed(), 140, 40)
	before := d.widths()
	still := func(what string) {
		t.Helper()
		if got := d.widths(); !slices.Equal(got, before) {
			t.Errorf("%s: %v, was %v", what, got, before)
		}
	}
	for _, key := range []string{"j", "j", "G", "l", "j", "G", "h", "S", "space", "esc", "tab", "1"} {
		d.press(key)
		still("after " + key)
	}
	long := strings.Repeat("A much longer title ", 5)
	must[core.TaskCreateResult](t)(d.service.TaskCreate(ctx, core.TaskCreateRequest{Title: long, Agent: "mo"}))
	d.poll()
	still("a task has come")
	d.press("/")
	d.typeText("docs")
	still("while a filter is typed")
	d.press("enter")
	if slices.Equal(d.widths(), before) {
		t.Errorf("a filter that is kept shares the room anew: %v", before)
	}
	d.press("esc")
	filtered := d.widths()
	before = filtered
	must[core.TaskClaimResult](t)(d.service.TaskClaim(ctx, core.TaskClaimRequest{TaskID: longID("b2d4e9"), Agent: "bob", Aspect: "work"}))
	d.poll()
	if d.widths()[2] < leastColumnWidth {
		t.Errorf("the first claim leaves its column at %v", d.widths())
	}
	before = d.widths()
	must[core.TaskReleaseResult](t)(d.service.TaskRelease(ctx, core.TaskReleaseRequest{TaskID: longID("b2d4e9"), Agent: "bob", Aspect: "work"}))
	d.poll()
	still("a claim has ended")
}
