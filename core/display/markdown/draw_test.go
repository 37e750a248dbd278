package markdown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dev.lithos/core/display"
)

// said is what lines say, without their looks.
func said(lines [][]Part) string {
	var out strings.Builder
	for _, line := range lines {
		for _, p := range line {
			out.WriteString(p.Text)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

var signs = Signs{Bullet: "·", Bar: "│", Rule: "─"}

func TestDraw(t *testing.T) {
	bare := signs
	bare.Bare = true
	for _, c := range []struct {
		name, source string
		width        int
		signs        Signs
		want         string
	}{
		{"nothing", "", 40, signs, ""},
		{"paragraphs keep their lines", "one\ntwo\n\nthree", 40, signs, "one\ntwo\n\nthree\n"},
		{"looks", "# Title\n\nA *b* **c** `d` ~~g~~ \\*h", 40, signs, "Title\n\nA b c d g *h\n"},
		{"marks stay where there are no looks", "## Title\n\nA *b* **c** `d` ~~g~~ \\*h", 40, bare, "## Title\n\nA *b* **c** `d` ~~g~~ *h\n"},
		{"targets are told", "[e](http://f) ![g](h.png) <http://i>", 60, signs, "e (http://f) image g (h.png) http://i\n"},
		{"lists hang", "- one two three\n- four\n  1. five six\n", 9, signs, "· one two\n  three\n· four\n  1. five\n     six\n"},
		{"loose lists", "- one\n\n- two", 40, signs, "· one\n\n· two\n"},
		{"an item without text", "- one\n-\n- two", 40, signs, "· one\n· \n· two\n"},
		{"tasks", "- [x] done\n- [ ] open", 40, signs, "· [x] done\n· [ ] open\n"},
		{"quotations", "> a\n> b\n>\n> > c", 40, signs, "│ a\n│ b\n│ \n│ │ c\n"},
		{"code", "```go\nif  x {\n\ty()\n}\n```", 40, signs, "  if  x {\n          y()\n  }\n"},
		{"code that is too wide is not lost", "```\naaaa bbbb cccc\n```", 10, signs, "  aaaa\n  bbbb\n  cccc\n"},
		{"words behind a fence", "```some words\nx\n```", 40, signs, "``` some words\n  x\n"},
		{"code over lines", "a `b\nc` d", 40, signs, "a b\nc d\n"},
		{"HTML", "<!-- a\nb -->\n\nx <b\nc> y", 40, signs, "<!-- a\nb -->\n\nx <b\nc> y\n"},
		{"what looks like a definition of a link stays", "[todo]: write\n\nSee [todo].", 40, signs, "[todo]: write\n\nSee [todo].\n"},
		{"rules", "a\n\n---\n", 12, signs, "a\n\n────────────\n"},
		{"words that are too wide", "日本語の長い文章", 8, signs, "日本語の\n長い文章\n"},
		{"nothing a terminal would act on", "a \x1b[31m\u202e\x07", 40, signs, "a ␛[31m<U+202E>␇\n"},
	} {
		if got := said(Draw(c.source, c.width, c.signs)); got != c.want {
			t.Errorf("%s: %q is drawn as\n%q\nwant\n%q", c.name, c.source, got, c.want)
		}
	}
}

func TestDraw_looks(t *testing.T) {
	want := map[string]Part{
		"a": {Kind: Heading}, "b": {Kind: Heading, Italic: true}, "c": {Strong: true}, "d": {Strong: true, Italic: true}, "e": {Kind: Code, Strong: true},
		"f": {Underline: true}, "g": {Kind: Quiet}, "h": {Kind: CodeBlock}, "i": {Kind: Quiet}, "│ ": {Kind: Border}, "j": {},
	}
	for _, line := range Draw("# a *b*\n\n**c *d*** **`e`** [f](x) ~~g~~\n\n    h\n\n> j\n\n~~i~~", 40, signs) {
		for _, p := range line {
			text := strings.TrimSpace(p.Text)
			if p.Text == "│ " {
				text = p.Text
			}
			w, ok := want[text]
			w.Text = p.Text
			if ok && p != w {
				t.Errorf("%+v, want %+v", p, w)
			}
			delete(want, text)
		}
	}
	if len(want) > 0 {
		t.Errorf("not drawn: %v", want)
	}
}

// Whatever a text holds, no line is too wide, nothing reaches a terminal raw,
// and no letter of it is lost.
func TestDraw_anything(t *testing.T) {
	pieces := []string{
		"# ", "- ", "1. ", "> ", "```", "`", "*", "**", "~~", "[a](b)", "![c](d)", "<b>", "<!--", "-->", "---", "\n", "\n\n", "    ", "\t", "word", "日本語", "👩‍👩‍👧‍👦", "\x1b[2J",
		"[x]: y", "[ ] ", "&amp;", "\\", "|", "e\u0301",
	}
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "source"), "")
		width := rapid.IntRange(8, 60).Draw(t, "width")
		s := signs
		s.Bare = rapid.Bool().Draw(t, "bare")
		lines := Draw(source, width, s)
		for _, line := range strings.Split(said(lines), "\n") {
			if display.Visible(line) != line {
				t.Fatalf("%q draws the raw line %q", source, line)
			}
			if n := display.Width(line); n > width && !strings.Contains(source, "> ") && !strings.Contains(source, "- ") && !strings.Contains(source, "1. ") {
				t.Fatalf("%q draws a line of %d cells at %d: %q", source, n, width, line)
			}
		}
		if got, want := strings.Count(said(lines), "日"), strings.Count(source, "日"); got != want {
			t.Fatalf("%q holds %d times 日, %d are drawn:\n%s", source, want, got, said(lines))
		}
	})
}
