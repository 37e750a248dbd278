package tui

import (
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"dev.lithos/core"
)

// TestDisputedWidths holds the right border in its place on a terminal that
// counts every character by itself.
func TestDisputedWidths(t *testing.T) {
	d := drive(t, acme, 80, 24)
	for _, title := range []string{"ทำงานให้เสร็จ", "👩‍👩‍👧‍👦 family", "🏳️‍🌈 flag 🇩🇪", "☀️ sun 1️⃣", "हिन्दी क्षि"} {
		if _, err := d.service.TaskCreate(context.Background(), core.TaskCreateRequest{Title: title, Agent: "mo"}); err != nil {
			t.Fatal(err)
		}
	}
	d.poll()
	d.frame()
	d.shows("family", "sun")
	rows := 0
	for _, line := range strings.Split(d.m.View(), "\n") {
		if !strings.Contains(line, ansi.ResetModeAutoWrap) {
			continue
		}
		rows++
		if !strings.HasSuffix(line, ansi.SetModeAutoWrap) {
			t.Errorf("lines are left without wrapping: %q", line)
		}
		if got := naive(line); got != 80 {
			t.Errorf("the row ends in column %d: %q", got, line)
		}
	}
	if rows < 5 {
		t.Errorf("%d rows say where their cells are", rows)
	}
}

// naive is the column in which a line ends on a terminal that takes one cell
// for every character.
func naive(line string) int {
	column := 0
	var state byte
	parser := ansi.NewParser()
	for line != "" {
		part, width, n, next := ansi.DecodeSequence(line, state, parser)
		switch {
		case width > 0:
			column += len([]rune(part))
		case ansi.Cmd(parser.Command()).Final() == 'G':
			if to, ok := parser.Param(0, 1); ok {
				column = to - 1
			}
		}
		state, line = next, line[n:]
	}
	return column
}

func TestThaiVowelKeepsItsRoom(t *testing.T) {
	if got := cells("ทำ"); got != 2 {
		t.Errorf("it takes %d cells, want 2", got)
	}
	c := newCanvas(nil, &unicodeGlyphs, 4, 1)
	c.put(0, 0, 4, "ทำ|", plainText)
	if got := c.plain(); got != "ท\u0e4d\u0e32| " {
		t.Errorf("it is drawn as %q", got)
	}
}
