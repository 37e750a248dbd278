package tui

import "testing"

// TestHelp_tellsMoreThanKeys: the help also has the language of filters, the
// keys of dialogs and what signs mean, and all of it can be searched.
func TestHelp_tellsMoreThanKeys(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {44, 16}, {40, 12}} {
		d := drive(t, acme, size[0], size[1])
		d.press("?")
		if size[1] < 40 {
			d.shows(" more ↓ ")
		}
		for search, want := range map[string]string{
			"p:1": "p:1", "excl": "", "epic of that": "epic:x", "ctrl+s": "anywhere", "stuck": "✘", "is below": "══╡", "moment ago": "·",
		} {
			d.press("ctrl+u")
			d.typeText(search)
			if want == "" {
				d.shows("No key for that here.")
				continue
			}
			d.shows(want)
			d.press("enter") // nothing to be done
			if _, ok := d.m.popup().(*help); !ok {
				t.Fatalf("%q: the help is gone", search)
			}
		}
	}
	d := drive(t, acme, 80, 24)
	d.press("?")
	for range 20 {
		d.frame()
		d.press("pgdown")
	}
	d.shows("Lines of the graph", "so many neighbours")
	d.hides(" more ↓ ")
}
