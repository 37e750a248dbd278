package tui

import (
	"testing"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// TestGlyphs_areDistinct: no sign of ASCII means two things in one place.
func TestGlyphs_areDistinct(t *testing.T) {
	g := &asciiGlyphs
	row := map[string]string{
		"cursor": g.cursor, "marked": g.marked, "came lately": g.moved, "cut off": g.ellipsis, "warning": "!",
		"unfolded": g.open, "folded": g.folded, "progress done": g.full, "progress to do": g.rest,
		"separator": g.bullet, "dash": g.dash, "leads to": g.arrow, "hidden before": g.before, "hidden after": g.after,
	}
	for _, s := range display.States {
		if s != display.Open { // no list shows a task without its readiness
			row[s.Word()] = g.mark(s)
		}
	}
	lines := map[string]string{"hidden before": g.before, "hidden after": g.after, "cut off": g.ellipsis}
	for _, s := range display.States {
		lines[s.Word()] = g.mark(s)
	}
	for _, kind := range core.EdgeTypes {
		w := wires()[true][kind]
		lines[w.name+" to the right"], lines[w.name+" to the left"] = w.head, w.back
		lines[w.name+" across"], lines[w.name+" down"] = w.arms[armEast|armWest], w.arms[armNorth|armSouth]
	}
	delete(lines, "open")
	for name, place := range map[string]map[string]string{
		"a row": row, "a graph": lines,
		"a message": {"done": g.tick, "refused": g.cross, "to know": g.bullet},
		"a frame":   {"more below": g.more, "more above": g.less, "enter": g.enter},
		"a choice":  {"left": g.left, "right": g.right, "cut off": g.ellipsis, "cursor": g.caret},
		"the header": {
			"live": g.live, "refused": g.cross, "reading": g.ellipsis,
		},
	} {
		meanings := map[string]string{}
		for meaning, sign := range place {
			if other, taken := meanings[sign]; taken {
				t.Errorf("%s: %q stands for %s and for %s", name, sign, other, meaning)
			}
			meanings[sign] = meaning
			for _, r := range sign {
				if r > 0x7e {
					t.Errorf("%s: %q is not ASCII", name, sign)
				}
			}
		}
	}
}

// TestWires_areDistinct: what holds a task back and what it belongs to are drawn
// with other lines and other heads, without the help of colours.
func TestWires_areDistinct(t *testing.T) {
	for ascii, signs := range wires() {
		seen := map[string]core.EdgeType{}
		for _, kind := range core.EdgeTypes {
			w := signs[kind]
			for _, sign := range []string{w.head, w.back, w.arms[armEast|armWest], w.arms[armNorth|armSouth]} {
				if other, taken := seen[sign]; taken && other != kind {
					t.Errorf("ASCII %v: %q is of %s and of %s", ascii, sign, other, kind)
				}
				seen[sign] = kind
			}
		}
	}
}
