package tui

import (
	"slices"
	"strings"
	"testing"
)

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
			for range 3 { // it may be below on the smallest screens
				if !strings.Contains(d.frame(), want) {
					d.press("pgdown")
				}
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

// TestHelp_standsStill: no title is cut, whatever the place and the size, and
// the columns stay where they are while one pages and searches.
func TestHelp_standsStill(t *testing.T) {
	d := drive(t, acme, 80, 24)
	for _, place := range places {
		for width := minWidth; width <= 140; width++ {
			view := boxWidth(width, min(width-2, helpWidth)) - 4
			l := helpLayoutFor(d.m, place.scopes, view)
			x := 0
			for i, groups := range l.groups {
				end := x + l.widths[i] - 1
				if x += l.widths[i]; end > view {
					t.Fatalf("%s at %d: column %d ends at %d of %d", place.name, width, i, end, view)
				}
				rows := d.m.helpRows(place.scopes, "")
				for _, g := range groups {
					for _, row := range rows[g] {
						if need := helpIndent + l.keys[i] + 1 + cells(row.title); need > l.widths[i]-1 && len(l.groups) > 1 {
							t.Errorf("%s at %d: %q is cut", place.name, width, row.title)
						}
					}
				}
			}
		}
	}
	for _, size := range [][2]int{{80, 24}, {100, 30}, {44, 16}} {
		d := drive(t, acme, size[0], size[1])
		d.press("?")
		first := helpLayoutFor(d.m, scopesOf("Board"), 70)
		for range 5 {
			d.press("pgdown")
			d.hides("┏┏", "┓┓", "╭┃", "┃╮")
		}
		d.typeText("lease")
		if now := helpLayoutFor(d.m, scopesOf("Board"), 70); !slices.Equal(now.widths, first.widths) || !slices.Equal(now.keys, first.keys) {
			t.Errorf("the columns have moved: %v, %v", first, now)
		}
	}
}
