package tui

import (
	"maps"
	"testing"

	"dev.lithos/core"
)

// TestSavedFilters: filters are saved, renamed and deleted, here and where they
// are kept, and one that is saved already is not offered again.
func TestSavedFilters(t *testing.T) {
	kept := map[string]string{"mine": "is:mine", "urgent": "p:<2"}
	d := drive(t, acme, 100, 30, func(o *Options) {
		o.Filters, o.FilterPath = maps.Clone(kept), "~/.config/lithos/config.toml"
		o.SaveFilter = func(name, text string) error { kept[name] = text; return nil }
		o.DropFilter = func(name string) error {
			if name == "mine" {
				return core.NewError(core.CodeInvalidInput, "The disk is full.")
			}
			delete(kept, name)
			return nil
		}
	})
	is := func(want map[string]string) {
		t.Helper()
		if !maps.Equal(kept, want) || !maps.Equal(d.m.options.Filters, want) {
			t.Errorf("kept are %v, offered %v, want %v", kept, d.m.options.Filters, want)
		}
	}
	d.press("/")
	d.typeText("tag:docs")
	d.press("enter", "F", "j", "j")
	d.shows("save  tag:docs", "r rename", "x delete")
	d.press("enter")
	d.shows("Save the filter", "It is there on every store of yours,", "kept in", "~/.config/lithos/config.toml.")
	d.typeText("papers")
	d.press("enter")
	d.shows("saved the filter papers", "/ tag:docs") // it is on all the same
	is(map[string]string{"mine": "is:mine", "urgent": "p:<2", "papers": "tag:docs"})

	d.press("F")
	d.shows("✔ papers")
	d.hides("save  tag:docs")
	d.press("r")
	d.shows("Rename the filter papers")
	d.press("ctrl+u")
	d.typeText("urgent")
	d.press("enter")
	d.shows("There is a filter of that name.")
	d.press("ctrl+u")
	d.typeText("docs")
	d.press("enter")
	d.shows("the filter papers is docs now")
	is(map[string]string{"mine": "is:mine", "urgent": "p:<2", "docs": "tag:docs"})

	d.press("F", "j", "j", "x")
	d.shows("Delete the filter urgent?")
	d.press("enter") // a stray one
	d.hides("Delete the filter")
	is(map[string]string{"mine": "is:mine", "urgent": "p:<2", "docs": "tag:docs"})
	d.press("F", "x")
	d.shows("Delete the filter docs?") // the one that is on
	d.press("y")
	d.shows("deleted the filter docs")
	is(map[string]string{"mine": "is:mine", "urgent": "p:<2"})

	d.press("esc", "F", "x", "y")
	d.shows("The disk is full.")
	is(map[string]string{"mine": "is:mine", "urgent": "p:<2"})
}
