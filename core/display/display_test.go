package display

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dev.lithos/core"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain, ümläut, 日本語, 👩‍👩‍👧‍👦, é", "plain, ümläut, 日本語, 👩‍👩‍👧‍👦, é"},
		{"a\nb\r\nc\u2028d\u2029e\rf", "a⏎b⏎c⏎d⏎e⏎f"},
		{"\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"\x1b]8;;http://x\x07y", "␛]8;;http://x␇y"},
		{"tab\there", "tab␉here"},
		{"\x00\x01\x1f\x7f", "␀␁␟␡"},
		{"\u0085\u009b31m", "<U+0085><U+009B>31m"},
		{"evil\u202etxt.exe", "evil<U+202E>txt.exe"},
		{"\u061c\u200e\u200f\u2066\u2069\ufeff", "<U+061C><U+200E><U+200F><U+2066><U+2069><U+FEFF>"},
		{"bad \xff\xc3(", "bad <0xFF><0xC3>("},
		{"half \xed\xa0\x80", "half <0xED><0xA0><0x80>"},
		{"replacement \ufffd stays", "replacement \ufffd stays"},
	} {
		if got := Visible(c.in); got != c.want {
			t.Errorf("Visible(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestVisibleLines(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"one\ntwo\r\nthree\n", "one\ntwo\nthree\n"},
		{"a\tb\n\tc", "a       b\n        c"},
		{"日本\tx", "日本    x"},
		{"lone\rreturn", "lone⏎return"},
		{"\x1b[2J\n\u202e", "␛[2J\n<U+202E>"},
	} {
		if got := VisibleLines(c.in); got != c.want {
			t.Errorf("VisibleLines(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"plain", "\x1b]52;c;\x07", "\r\n\r", "\xff", "\u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Visible(%q) = %q is not valid UTF-8", s, got)
		}
		if strings.ContainsFunc(got, IsUnsafe) {
			t.Fatalf("Visible(%q) = %q holds an unsafe character", s, got)
		}
		if again := Visible(got); again != got {
			t.Fatalf("Visible(%q) = %q, but shown again it is %q", s, got, again)
		}
		for _, line := range strings.Split(VisibleLines(s), "\n") {
			if strings.ContainsFunc(line, IsUnsafe) {
				t.Fatalf("VisibleLines(%q) has the unsafe line %q", s, line)
			}
		}
	})
}

func TestCells(t *testing.T) {
	const family = "👩‍👩‍👧‍👦"
	for _, c := range []struct {
		what, got, want string
	}{
		{"cut not needed", Cut("abc", 3), "abc"},
		{"cut", Cut("abcdef", 4), "abc…"},
		{"cut to one cell", Cut("abcdef", 1), "…"},
		{"cut to nothing", Cut("abcdef", 0), ""},
		{"cut before a wide character", Cut("ab日本", 4), "ab…"},
		{"cut keeps clusters whole", Cut(family+family, 3), family + "…"},
		{"cut keeps combining marks", Cut("e\u0301e\u0301e\u0301", 2), "e\u0301…"},
		{"start cut", CutStart("abcdef06fj", 5), "…06fj"},
		{"start cut not needed", CutStart("06fj", 5), "06fj"},
		{"start cut of wide characters", CutStart("日本語", 4), "…語"},
		{"start cut to nothing", CutStart("abc", 0), ""},
		{"pad", Pad("日", 4) + "|", "日  |"},
		{"pad not needed", Pad("abcd", 2), "abcd"},
		{"pad start", PadStart("7", 3), "  7"},
		{"cut before a vowel sign that needs a cell", Cut("हिन्दी", 4), "हि…"},
		{"cut styled text of such a script", Cut("\x1b[1mहिन्दी\x1b[m", 4), "\x1b[1mहि…\x1b[m"},
		{"text of such a script that fits", Cut("हिन्दी", 5), "हिन्दी"},
		{"the end of it", CutStart("हिन्दी", 4), "…न्दी"},
		{"wrap it", Wrap("हिन्दी में कार्य", 7), "हिन्दी में\nकार्य"},
		{"fill it", Pad("में", 3) + "|", "में  |"},
		{"wrap", Wrap("one two three", 7), "one two\nthree"},
		{"wrap without width", Wrap("one two", 0), "one two"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
	for text, want := range map[string]int{"": 0, "abc": 3, "日本": 4, family: 2, "e\u0301": 1, "\x1b[1mx\x1b[0m": 1} {
		if got := Width(text); got != want {
			t.Errorf("Width(%q) = %d, want %d", text, got, want)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("日本語 text", 5)
	f.Add("e\u0301\u0301", 1)
	f.Add("\u0601", 21)
	f.Add("ꦦ"+strings.Repeat("\xd7", 4000), 52) // seconds, where each cut measured all that was left
	f.Fuzz(func(t *testing.T, s string, width int) {
		s, width = Visible(s), width&63
		if w := Width(Cut(s, width)); w > width {
			t.Fatalf("Cut(%q, %d) is %d cells wide", s, width, w)
		}
		if w := Width(CutStart(s, width)); w > width {
			t.Fatalf("CutStart(%q, %d) is %d cells wide", s, width, w)
		}
		if w := Width(Pad(Cut(s, width), width)); w != width {
			t.Fatalf("Pad(Cut(%q, %d)) is %d cells wide", s, width, w)
		}
	})
}

func TestTimes(t *testing.T) {
	now := core.StampOf(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	for _, c := range []struct {
		distance  time.Duration
		age, left string
	}{
		{0, "now", "expired"},
		{-time.Hour, "now", "expired"},
		{time.Microsecond, "now", "1s"},
		{40 * time.Second, "now", "40s"},
		{59*time.Second + time.Millisecond, "now", "1m"},
		{time.Minute, "1m", "1m"},
		{51*time.Minute + time.Second, "51m", "52m"},
		{time.Hour, "1h", "1h"},
		{125 * time.Minute, "2h", "2h 5m"},
		{23*time.Hour + 59*time.Minute + time.Second, "23h", "1d"},
		{76 * time.Hour, "3d", "3d 4h"},
		{13 * day, "13d", "13d"},
		{14 * day, "2w", "2w"},
		{30 * day, "4w", "5w"},
		{364 * day, "52w", "52w"},
		{2 * year, "2y", "2y"},
	} {
		if got := Age(now, now.Add(c.distance)); got != c.age {
			t.Errorf("Age of %s = %q, want %q", c.distance, got, c.age)
		}
		if got := Left(now.Add(c.distance), now); got != c.left {
			t.Errorf("Left of %s = %q, want %q", c.distance, got, c.left)
		}
	}
	if got := Ago(now, now.Add(time.Hour)) + ", " + Ago(now, now); got != "1h ago, just now" {
		t.Errorf("Ago = %q", got)
	}
	first, last := core.StampOf(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)), core.StampOf(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	if got := Left(last, first) + ", " + Age(first, last); got != "147y, 146y" {
		t.Errorf("the longest distance is %q", got)
	}
}

func TestStates(t *testing.T) {
	words, signs, ascii := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, s := range States {
		words[s.Word()], signs[s.Mark(false)], ascii[s.Mark(true)] = true, true, true
		if Width(s.Mark(false)) != 1 {
			t.Errorf("the mark of %s is %d cells wide", s, Width(s.Mark(false)))
		}
		if strings.ContainsFunc(s.Mark(true), func(r rune) bool { return r > 0x7e }) {
			t.Errorf("the substitute of %s is not ASCII", s)
		}
	}
	if n := len(marks); len(States) != n || len(words) != n || len(signs) != n || len(ascii) != n {
		t.Errorf("%d states: %d listed, %d words, %d marks, %d substitutes", n, len(States), len(words), len(signs), len(ascii))
	}
}

func TestStateOf(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		status   core.Status
		taskType core.TaskType
		held     *bool
		claimed  bool
		want     State
	}{
		{core.StatusCompleted, core.TypeTask, nil, false, Done},
		{core.StatusCancelled, core.TypeGate, nil, false, Cancelled},
		{core.StatusOpen, core.TypeGate, &yes, true, Gate},
		{core.StatusOpen, core.TypeEpic, &yes, true, Epic},
		{core.StatusOpen, core.TypeTask, nil, false, Open},
		{core.StatusOpen, core.TypeTask, &no, false, Ready},
		{core.StatusOpen, core.TypeTask, &no, true, Claimed},
		{core.StatusOpen, core.TypeTask, &yes, true, Claimed},
		{core.StatusOpen, core.TypeTask, &yes, false, Blocked},
	} {
		if got := StateOf(c.status, c.taskType, c.held, c.claimed); got != c.want {
			t.Errorf("StateOf(%s, %s, %v, %v) = %s, want %s", c.status, c.taskType, c.held, c.claimed, got, c.want)
		}
	}
}

func TestPriorityLabel(t *testing.T) {
	for word, want := range map[string]string{"highest": "P0", "medium": "P2", "lowest": "P4", "": "", "urgent": ""} {
		if got := PriorityLabel(word); got != want {
			t.Errorf("PriorityLabel(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestWrapParts(t *testing.T) {
	for _, c := range []struct {
		parts []string
		width int
		want  string
	}{
		{nil, 5, ""},
		{[]string{"one two three"}, 7, "one two|three"},
		{[]string{"one ", "two ", "three"}, 8, "one two|three"},
		{[]string{"ab", "cd"}, 3, "abc|d"},
		{[]string{"Link to ", "[", "[locks", "]] and on"}, 12, "Link to|[[locks]]|and on"},
		{[]string{"a日", "本語"}, 4, "a日|本語"},
		{[]string{"abcdefg"}, 3, "abc|def|g"},
		{[]string{"日本語"}, 4, "日本|語"},
		{[]string{"日本"}, 1, "日|本"},
		{[]string{"x"}, 0, "x"},
	} {
		var lines []string
		for _, line := range WrapParts(c.parts, c.width, func(s string) string { return s }, func(_, s string) string { return s }) {
			lines = append(lines, strings.Join(line, ""))
		}
		if got := strings.Join(lines, "|"); got != c.want {
			t.Errorf("%q at %d is %q, want %q", c.parts, c.width, got, c.want)
		}
	}
}

func TestProse(t *testing.T) {
	text := "A paragraph that was\nbroken before.\n\n  term   its text, which is long enough to be broken\n  a line without a term that is too long too"
	for width, want := range map[int]string{
		0:  text,
		80: "A paragraph that was broken before.\n\n  term   its text, which is long enough to be broken\n  a line without a term that is too long too",
		34: "A paragraph that was broken\nbefore.\n\n  term   its text, which is long\n         enough to be broken\n  a line without a term that is\n    too long too",
	} {
		if got := Prose(text, width); got != want {
			t.Errorf("at %d:\n%s\nwant\n%s", width, got, want)
		}
	}
	if got, want := Hanging("  a long line on a narrow screen", 20, 16), "  a long line on\na narrow screen"; got != want {
		t.Errorf("without room it hangs as %q, want %q", got, want)
	}
}

func TestWhen(t *testing.T) {
	at := core.StampOf(time.Date(2026, 12, 3, 13, 25, 18, 4000, time.UTC))
	if got := When(at); got != "2026-12-03 13:25 UTC" {
		t.Errorf("When = %q", got)
	}
}

// A line is broken at spaces alone: flags and dates stay whole, and nothing is
// wider than asked for.
func TestWrap_atSpacesAlone(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"ids whole with --json flags", 18, "ids whole with\n--json flags"},
		{"exactly ten. more", 12, "exactly ten.\nmore"},
		{"since 2026-11-30 at", 12, "since\n2026-11-30\nat"},
		{"averylongword x", 6, "averyl\nongwor\nd x"},
	} {
		if got := Wrap(c.text, c.width); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
