package tui

import (
	"testing"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// typed sends text to an editor as a keyboard does, code point by code point.
func typed(e *editor, text string) {
	for _, r := range text {
		e.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
}

func pressed(e *editor, keys ...string) {
	for _, k := range keys {
		e.key(keyMsg(k))
	}
}

func TestEditor_keepsWhatIsTyped(t *testing.T) {
	for _, text := range []string{"тест", "買い物", "👩‍👩‍👧‍👦", "e\u0301", "ع ر ب", "plain", "tab\there", "🏳️‍🌈🇩🇪"} {
		e := newEditor("", false)
		typed(e, text)
		if e.text() != text {
			t.Errorf("typed %q, got %q", text, e.text())
		}
		e = newEditor("", true)
		e.insert(text+"\r\n"+text+"\r"+text, true)
		if want := text + "\n" + text + "\n" + text; e.text() != want {
			t.Errorf("pasted %q, got %q", want, e.text())
		}
	}
}

func TestEditor_movesByCharacters(t *testing.T) {
	const family = "👩‍👩‍👧‍👦"
	e := newEditor("a"+family+"e\u0301z", false)
	var at []int
	for range 6 {
		at = append(at, e.col)
		pressed(e, "left")
	}
	want := []int{len("a" + family + "e\u0301z"), len("a" + family + "e\u0301"), len("a" + family), 1, 0, 0}
	for i := range want {
		if at[i] != want[i] {
			t.Fatalf("the cursor went through %v, want %v", at, want)
		}
	}
	pressed(e, "right", "right", "backspace")
	if e.text() != "ae\u0301z" {
		t.Errorf("after deleting the family: %q", e.text())
	}
	pressed(e, "delete")
	if e.text() != "az" {
		t.Errorf("after deleting the letter with its accent: %q", e.text())
	}
	typed(e, "\u0301") // joins the a before the cursor
	if e.text() != "a\u0301z" || e.col != len("a\u0301") {
		t.Errorf("after typing an accent: %q, cursor at %d", e.text(), e.col)
	}
}

func TestEditor_keys(t *testing.T) {
	for _, c := range []struct {
		text string
		keys []string
		want string
	}{
		{"one two three", []string{"ctrl+w"}, "one two "},
		{"one two three", []string{"ctrl+w", "ctrl+w"}, "one "},
		{"one two", []string{"ctrl+u"}, ""},
		{"one two", []string{"home", "ctrl+k"}, ""},
		{"one two", []string{"home", "alt+f", "ctrl+k"}, "one"},
		{"one two", []string{"alt+b", "ctrl+u"}, "two"},
		{"one two", []string{"home", "alt+d"}, " two"},
		{"one", []string{"home", "delete", "end", "backspace"}, "n"},
		{"", []string{"backspace", "delete", "left", "right", "ctrl+w"}, ""},
	} {
		e := newEditor(c.text, false)
		pressed(e, c.keys...)
		if e.text() != c.want {
			t.Errorf("%q after %v: %q, want %q", c.text, c.keys, e.text(), c.want)
		}
	}
}

func TestEditor_lines(t *testing.T) {
	e := newEditor("first line\nsecond\n\nfourth one", true)
	pressed(e, "up", "up")
	if e.row != 1 || e.col != len("second") {
		t.Errorf("two lines up: row %d, col %d", e.row, e.col)
	}
	pressed(e, "up", "up")
	if e.row != 0 || e.key(keyMsg("up")) {
		t.Errorf("at the top: row %d", e.row)
	}
	pressed(e, "end", "delete")
	if e.text() != "first linesecond\n\nfourth one" {
		t.Errorf("after joining lines: %q", e.text())
	}
	pressed(e, "enter", "backspace", "backspace")
	if e.text() != "first linsecond\n\nfourth one" {
		t.Errorf("after breaking and joining: %q", e.text())
	}
	one := newEditor("x", false)
	if one.key(keyMsg("enter")) || one.key(keyMsg("up")) || one.key(keyMsg("tab")) || one.key(keyMsg("esc")) {
		t.Error("a one-line editor takes keys that belong to the form")
	}
	one.insert("a\nb", true)
	if one.text() != "xa b" {
		t.Errorf("pasted lines become %q", one.text())
	}
}

func TestEditor_showsTheCursor(t *testing.T) {
	e := newEditor("0123456789 日本語 0123456789", false)
	for range 40 {
		c := newCanvas(nil, &unicodeGlyphs, 10, 1)
		e.draw(c, rect{0, 0, 10, 1}, true, plainText)
		cursors := 0
		for _, cell := range c.cells {
			if cell.look&reverse != 0 && cell.text != "" {
				cursors++
			}
		}
		if cursors != 1 {
			t.Fatalf("%d cursors in %q", cursors, c.plain())
		}
		pressed(e, "left")
	}
}

func FuzzEditor(f *testing.F) {
	f.Add("買い物\ne\u0301", "lrbdwhu\n", 7)
	f.Add("👩‍👩‍👧‍👦", "bbbb", 1)
	f.Fuzz(func(t *testing.T, text, keys string, width int) {
		if !utf8.ValidString(text) {
			return
		}
		e := newEditor(text, true)
		if e.text() != text {
			t.Fatalf("%q became %q", text, e.text())
		}
		names := map[rune]string{'l': "left", 'r': "right", 'b': "backspace", 'd': "delete", 'w': "ctrl+w", 'h': "home", 'u': "up", 'n': "down", '\n': "enter"}
		for _, k := range keys {
			if name, ok := names[k]; ok {
				pressed(e, name)
			} else {
				typed(e, string(k))
			}
			if e.row < 0 || e.row >= len(e.lines) || e.col < 0 || e.col > len(e.line()) {
				t.Fatalf("the cursor is at row %d, col %d of %q", e.row, e.col, e.lines)
			}
			c := newCanvas(nil, &unicodeGlyphs, max(width&31, 1), 3)
			e.draw(c, rect{0, 0, c.w, 3}, true, plainText)
			for _, line := range splitLines(c.plain()) {
				if n := cells(line); n != c.w {
					t.Fatalf("a line is %d cells wide, want %d: %q", n, c.w, line)
				}
			}
		}
		if !utf8.ValidString(e.text()) && utf8.ValidString(keys) {
			t.Fatalf("%q is no text any more", e.text())
		}
	})
}
