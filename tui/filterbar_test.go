package tui

import (
	"testing"
)

// TestFilter_epics: epics are in no column, so their tasks are shown for them,
// and the epics by name.
func TestFilter_epics(t *testing.T) {
	for _, text := range []string{"gate types", "epic:gate", "parent:8e21"} {
		d := drive(t, acme, 80, 24)
		d.press("/")
		d.typeText(text)
		d.shows("Blocked 1 of 8", "4c1e08 Turn on writes")
		if text != "gate types" {
			continue
		}
		d.shows("Filter  1 of 21 and 1 epic", "▣ 8e2163 Gate types")
		d.press("enter")
		d.shows("/ gate types   ▣ 8e2163 Gate types", "esc clears the filter")
	}
	d := drive(t, acme, 140, 40)
	d.press("/")
	d.typeText("polish")
	d.shows("Epics  ▣ f310b8 TUI polish", "02f83d Draft theme")
	d.hides("8e2163 Gate types")
}

// TestFilter_words: the words of the fields of a task are keys too, and what is
// nearly a key is refused with the nearest.
func TestFilter_words(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("/")
	d.typeText("priority:high")
	d.shows("means priority P1 (high)", "Ready 2 of 4")
	d.press("ctrl+u")
	d.typeText("p")
	d.press("ctrl+u")
	d.typeText("status:completed")
	d.shows("means done", "Ready 0 of 4", "[1 Ready 0]", "5 Done 3")
	d.press("ctrl+u")
	d.typeText("priorty:high")
	d.shows("'priorty' is no key of a filter; did you mean 'priority'?", "Filter  cannot be read")
	d.press("ctrl+u")
	d.typeText("http://x")
	d.shows("means 'http://x'", "Filter  0 of 21")
	small := drive(t, acme, 40, 12)
	small.press("/")
	small.typeText("p:9")
	small.shows("Filter  cannot be read", "'p:9' is no")
}

// TestFilter_selection: a task that was chosen while a filter was on stays
// chosen when the filter goes.
func TestFilter_selection(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.cursorOn("3f9a1c")
	d.press("/")
	d.typeText("tag:docs")
	d.cursorOn("81c0d2")
	d.press("enter", "j")
	d.cursorOn("b2d4e9")
	d.press("esc")
	d.cursorOn("b2d4e9")
	d.shows("[1 Ready 4]")

	d.press("g", "g", "/")
	d.typeText("document")
	d.press("enter")
	d.cursorOn("b2d4e9")
	d.press("esc") // without having moved
	d.cursorOn("b2d4e9")

	d.press("g", "g", "/")
	d.typeText("document")
	d.press("esc") // given up
	d.cursorOn("3f9a1c")

	d.press("/")
	d.typeText("is:stuck")
	d.press("enter")
	d.shows("There is no task under the cursor.", "Elsewhere: 2 Blocked 3")
	d.press("esc")
	d.cursorOn("3f9a1c")
}
