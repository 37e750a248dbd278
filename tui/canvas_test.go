package tui

import (
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"dev.lithos/core"
	"dev.lithos/themes"
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

// TestVowelSignsKeepTheirRoom: signs that stand beside their letters are neither
// lost nor shift what follows, on terminals that give each a cell and on those
// that fit all of a character into one.
func TestVowelSignsKeepTheirRoom(t *testing.T) {
	// What tmux 3.3a and the C library take for them.
	for text, want := range map[string]int{"हिन्दी": 5, "हि": 2, "में": 1, "कार्य": 4, "தமிழ்": 4, "বাংলা": 5, "မြန်မာ": 5, "क्ष": 2, "한국어": 6} {
		if got := cells(text); got != want {
			t.Errorf("%q takes %d cells, want %d", text, got, want)
		}
		c := newCanvas(nil, &unicodeGlyphs, 12, 1)
		n := c.put(0, 0, 12, text, plainText)
		c.put(n, 0, 1, "|", plainText)
		styles := newStyles(monoTheme(t), renderer())
		line := c.text(styles)
		for name, width := range map[string]func(string) int{
			"each its cell":  func(s string) int { return ansi.StringWidthWc(s) },
			"one for all":    ansi.StringWidth,
			"as it is drawn": cells,
		} {
			if column, lost := border(line, width); column != n || lost {
				t.Errorf("%q, %s: the border is in column %d, want %d; something lost: %v", text, name, column, n, lost)
			}
		}
	}
}

// border is the column in which | is drawn on a terminal that gives characters
// the widths given, and whether something was drawn over a character.
func border(line string, width func(string) int) (at int, lost bool) {
	drawn := map[int]bool{}
	column := 0
	var state byte
	parser := ansi.NewParser()
	for line != "" {
		part, cells, n, next := ansi.DecodeSequence(line, state, parser)
		switch {
		case cells > 0:
			if part == "|" {
				at = column
			}
			for i := range width(part) {
				lost = lost || drawn[column+i]
				drawn[column+i] = part != " "
			}
			column += width(part)
		case ansi.Cmd(parser.Command()).Final() == 'G':
			if to, ok := parser.Param(0, 1); ok {
				column = to - 1
			}
		}
		state, line = next, line[n:]
	}
	return at, lost
}

func monoTheme(t *testing.T) themes.Theme {
	t.Helper()
	theme, err := themes.Load(themes.Mono, "", true)
	if err != nil {
		t.Fatal(err)
	}
	return theme
}
