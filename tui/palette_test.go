package tui

import (
	"strings"
	"testing"
)

// TestPalette_reasons: why an action is impossible is told in full, however
// narrow the screen is.
func TestPalette_reasons(t *testing.T) {
	for _, size := range [][2]int{{140, 40}, {80, 24}, {44, 16}, {40, 12}} {
		d := drive(t, acme, size[0], size[1])
		d.press("space", "space", "k", "k", ":")
		d.typeText("spawn from")
		told := strings.Join(strings.Fields(strings.NewReplacer("┃", " ", "│", " ").Replace(d.frame())), " ")
		for _, part := range []string{"not possible here: it is about one", "task, and several are marked"} {
			if !strings.Contains(told, part) {
				t.Errorf("at %v: %q is missing:\n%s", size, part, d.frame())
			}
		}
		d.press("ctrl+u")
		d.typeText("zebra")
		d.shows("No command of that name.")
	}
}
