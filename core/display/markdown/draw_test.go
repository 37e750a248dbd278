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

var signs = Signs{Bullet: "·", Bar: "│", Rule: "─", Cross: "┼"}

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
		{"tables", "Sizes:\n| name | cells | mark |\n|:---|---:|:-:|\n| board | 140 | x |\n| *narrow* | 44 |", 40, signs,
			"Sizes:\n\nname   │ cells │ mark\n───────┼───────┼─────\nboard  │   140 │  x\nnarrow │    44 │   \n"},
		{"tables without outer bars", "a | b\n--|--\n1 | 2\n\nafter", 40, signs, "a │ b\n──┼──\n1 │ 2\n\nafter\n"},
		{"tables without rows", "| a | b |\n|---|---|", 40, signs, "a │ b\n──┼──\n"},
		{"tables that are too wide are squeezed", "| key | meaning |\n|---|---|\n| one | several words of text |", 20, signs,
			"key │ meaning\n────┼───────────────\none │ several words\n    │ of text\n"},
		{"tables that are much too wide are told row by row", "| first | second | third |\n|---|---|---|\n| alpha | beta | gamma |\n| delta | | |", 16, signs,
			"first: alpha\nsecond: beta\nthird: gamma\n\nfirst: delta\n"},
		{"long headings are told once", "| " + strings.Repeat("long ", 8) + "| b |\n|---|---|\n| 1 | |\n| 2 | |", 9, signs,
			"long long\nlong long\nlong long\nlong long\nb\n\nlong long\nlong long\nlon…: 1\n\nlong long\nlong long\nlon…: 2\n"},
		{"bars in cells", "| a | b |\n|---|---|\n| x\\|y | `p\\|q` |", 40, signs, "a   │ b\n────┼────\nx|y │ p|q\n"},
		{"cells beyond the last column", "| a | b |\n|---|---|\n| 1 | 2 | 3 |", 40, signs, "a │ b\n──┼──────\n1 │ 2 | 3\n"},
		{"tables in lists", "- item\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |", 40, signs, "· item\n  a │ b\n  ──┼──\n  1 │ 2\n"},
		{"what is no table", "a | b\nc | d", 40, signs, "a | b\nc | d\n"},
		{"headings and dashes of different numbers", "a | b\n--|--|--\nc", 40, signs, "a | b\n--|--|--\nc\n"},
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
		"[x]: y", "[ ] ", "&amp;", "\\", "|", "|-|-|\n", "a|b\n--|:-:\n", "e\u0301",
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
		if got, want := strings.Count(said(lines), "日"), strings.Count(source, "日"); got < want { // headings of tables may be repeated
			t.Fatalf("%q holds %d times 日, %d are drawn:\n%s", source, want, got, said(lines))
		}
	})
}

// A hostile table grows no more than its text: neither its headings nor its
// empty cells are drawn for every row.
func TestDraw_hostileTables(t *testing.T) {
	wide := strings.Repeat("heading ", 1_000)
	for _, source := range []string{
		"| " + wide + "| b |\n|---|---|\n" + strings.Repeat("1|2\n", 1_000),
		strings.Repeat("|heading", 40) + "|\n" + strings.Repeat("|-", 40) + "|\n" + strings.Repeat("x\n", 5_000),
		strings.Repeat("|heading", 500) + "|\n" + strings.Repeat("|-", 500) + "|\n" + strings.Repeat("x\n", 5_000),
	} {
		if got := len(said(Draw(source, 40, signs))); got > 20*len(source) {
			t.Errorf("%d bytes become %d", len(source), got)
		}
	}
}
