package knowledge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

func newFolder(t testing.TB) *Folder {
	t.Helper()
	place := filepath.Join(t.TempDir(), "knowledge")
	return New(func() string { return place }, files.Disk{})
}

// put writes a file by hand.
func put(t testing.TB, f *Folder, path, text string) {
	t.Helper()
	name := f.name(path)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// show is a parsed file in one text.
func show(file core.NoteFile) string {
	var b strings.Builder
	for _, field := range file.Fields {
		fmt.Fprintf(&b, "%s=%s", field.Key, field.Value)
		if field.Source != "" {
			fmt.Fprintf(&b, " (%s)", strings.TrimSuffix(field.Source, "\n"))
		}
		b.WriteByte('\n')
	}
	return b.String() + "---" + file.Body
}

// TestParse holds how front matter reads.
func TestParse(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"nothing":          {"", "---"},
		"no front matter":  {"Just text.\n", "---Just text."},
		"empty":            {"---\n---\n\n# T\n", "---# T"},
		"empty with space": {"---\n\n  \n---\nB", "---B"},
		"null":             {"---\n~\n---\nB", "---B"},
		"indented":         {"---\na: 1\n---\n\n \t\n    code\n\n  more  \n \n", "a=1\n---    code\n\n  more"},
		"CR":               {"---\ra: 1\r---\r# T\r\rone\rtwo\r", "a=1\n---# T\n\none\ntwo"},
		"unclosed":         {"---\ntitle: x\n\nB", "------\ntitle: x\n\nB"},
		"rules with text":  {"---\nJust a line\n---\nB", "------\nJust a line\n---\nB"},
		"blank lines":      {"\n\n---  \na: 1\n---\t\n\n\nB\n\n", "a=1\n---B"},
		"BOM, CRLF":        {"\ufeff---\r\na: \"x\"\r\nb: |\r\n  one\r\n  two\r\n---\r\n# T\r\n\r\nB\r\n", "a=\"x\"\nb=\"one\\ntwo\\n\"\n---# T\n\nB"},
		"scalars":          {"---\na: x\nb: 1\nc: 1.50\nd: true\ne: ~\nf: null\ng: 'yes'\nh: yes\ni: \"1\"\n---\n", "a=\"x\"\nb=1\nc=1.50\nd=true\ne=null\nf=null\ng=\"yes\"\nh=\"yes\"\ni=\"1\"\n---"},
		"numbers":          {"---\na: 0x1F\nb: +7\nc: .5\nd: 1_000\ne: -0.0\nf: 123456789012345678901234567890\ng: 1e3\n---\n", "a=31 (0x1F)\nb=7 (+7)\nc=0.5 (.5)\nd=1000 (1_000)\ne=-0.0\nf=123456789012345678901234567890\ng=1e3\n---"},
		"odd numbers":      {"---\na: .nan\nb: .inf\nc: -.inf\n---\n", "a=null (.nan)\nb=1e999 (.inf)\nc=-1e999 (-.inf)\n---"},
		"dates":            {"---\na: 2026-03-02\nb: 2026-03-02T09:00:00Z\nc: 2026-03-02 09:00:00 +02:00\nd: '2026-03-02'\n---\n", "a=\"2026-03-02\" (2026-03-02)\nb=\"2026-03-02T09:00:00+00:00\" (2026-03-02T09:00:00Z)\nc=\"2026-03-02 09:00:00 +02:00\"\nd=\"2026-03-02\"\n---"},
		"lists":            {"---\na: [x, 1, [2], {b: c}]\nt:\n- one\n- two\nu: []\n---\n", "a=[\"x\",1,[2],{\"b\":\"c\"}]\nt=[\"one\",\"two\"]\nu=[]\n---"},
		"given twice":      {"---\na: 1\nb: {c: 1, d: 2, c: 3}\na: 2\n---\n", "a=2\nb={\"d\":2,\"c\":3}\n---"},
		"aliases":          {"---\na: &x [1, 2]\nb: *x\nc: {<<: &m {d: 1, e: 2}, e: 3}\n---\n", "a=[1,2]\nb=[1,2]\nc={\"e\":3,\"d\":1}\n---"},
		"merged at top":    {"---\nbase: &m {d: 1, e: 2}\n<<: *m\ne: 3\n---\n", "base={\"d\":1,\"e\":2}\ne=3\nd=1\n---"},
		"other keys":       {"---\n1: a\ntrue: b\n2026-01-01: c\nm: {1: x}\n---\n", "1=\"a\"\ntrue=\"b\"\n2026-01-01=\"c\"\nm={\"1\":\"x\"} (1: x)\n---"},
		"tags":             {"---\na: !!str 1\nb: !mine x\nc: !!binary aGk=\n---\n", "a=\"1\"\nb=\"x\" (!mine x)\nc=\"aGk=\" (!!binary aGk=)\n---"},
		"comments":         {"---\n# one\na: 1 # two\n# three\n---\nB", "a=1\n---B"},
		"tabs":             {"---\na:\tx\nb: \t[\t1,\t2\t]\n---\nB", "a=\"x\"\nb=[1,2]\n---B"},
		"four dashes":      {"----\na: 1\n---\nB", "------\n-a: 1\n---\nB"},
	} {
		file, err := parse([]byte(test.text))
		if name == "four dashes" {
			test.want = "---" + strings.TrimSpace(test.text)
		}
		if err != nil || show(file) != test.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, show(file), test.want)
		}
	}
}

// TestParse_refuses holds what is no note.
func TestParse_refuses(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 10), ","))
	}
	for name, text := range map[string]string{
		"not UTF-8":        "---\na: \xff\n---\n",
		"NUL":              "a\x00b",
		"broken":           "---\na: [\n---\n",
		"tab as indent":    "---\na:\n\tb: 1\n---\n",
		"two on a line":    "---\na: b: c\n---\n",
		"unknown alias":    "---\na: *b\n---\n",
		"bomb":             "---\n" + bomb + "---\n",
		"itself":           "---\na: &a [*a]\n---\n",
		"too deep":         "---\na: " + strings.Repeat("[", 950) + strings.Repeat("]", 950) + "\n---\n",
		"a list as key":    "---\n? [a]\n: b\n---\n",
		"merge of no map":  "---\n<<: 1\n---\n",
		"control in plain": "---\na: \x01\n---\n",
	} {
		_, err := parse([]byte(text))
		if !errors.As(err, new(*core.UnreadableNote)) {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), "yaml:") {
			t.Errorf("%s: the reason is %q", name, err)
		}
	}
	for name, text := range map[string]string{"a list": "---\n- a\n---\nB", "a number": "---\n7\n---\nB"} {
		if file, err := parse([]byte(text)); err != nil || file.Fields != nil || !strings.Contains(file.Body, "---") {
			t.Errorf("%s: %v, %v", name, file, err)
		}
	}
}

// TestEmit holds how values of every kind stand in a file.
func TestEmit(t *testing.T) {
	var fields []core.NoteField
	for _, v := range []string{
		`"plain text"`, `""`, `"2026-03-02T09:00:00+00:00"`, `"2026-03-02"`, `"true"`, `"yes"`, `"null"`, `"~"`, `"1"`, `"1.0"`, `"0x1F"`, `".nan"`, `"- x"`, `"a: b"`,
		`"#x"`, `"é 日本 👩‍👩‍👧"`, `"two\nlines"`, `"ends\n"`, `" leads"`, `"trails "`, `"tab\there"`, "\"\\u0001\\u007f\\u0085\\u2028\ufeff\"", `"'"`, `"\""`, `"\\n"`, `"<<"`, `"*x"`, `"!x"`, `"\n\nx"`, `"x\n  y \nz"`,
		`1`, `1.0`, `-0.0`, `1e3`, `1E400`, `1e999`, `123456789012345678901234567890`, `true`, `null`, `[]`, `{}`, `[[],{}]`, `[1,[2,[3]],{"a":[{"b":null}]}]`,
		`{"1":1,"true":2,"z":0,"a":{"":1,"a b":2,"é":3}}`,
	} {
		fields = append(fields, core.NoteField{Key: fmt.Sprintf("k%02d", len(fields)), Value: []byte(v)})
	}
	for _, key := range []string{"", "1", "true", "null", "2026-01-01", "a: b", "#", "é", "<<", "two\nlines", " x ", "---", "...", "?"} {
		fields = append(fields, core.NoteField{Key: key, Value: []byte(`"v"`)})
	}
	text, err := emit(core.NoteFile{Fields: fields, Body: "# T\n\nB"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "---\n\n# T\n\nB") == false || strings.HasSuffix(string(text), "\n") {
		t.Errorf("the file is\n%s", text)
	}
	got, err := parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(show(core.NoteFile{Fields: fields, Body: "# T\n\nB"}), show(got)); diff != "" {
		t.Errorf("-written +read\n%s\n%s", diff, text)
	}
	for _, want := range []string{"k00: plain text\n", "k02: '2026-03-02T09:00:00+00:00'\n", "k05: 'yes'\n", "k15: é 日本 👩‍👩‍👧\n", "k30: 1\n", "k31: 1.0\n", "k39: []\n", "k40: {}\n", "k16: |-\n  two\n  lines\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file has no %q:\n%s", want, text)
		}
	}
}

// TestEmit_source holds that keys and numbers that nobody has changed stand in
// the file as they stood.
func TestEmit_source(t *testing.T) {
	const matter = "---\n1: a\n\"2\": b\n3.5: c\nbig: 123456789012345678901234567890\nhex: 0xFF00FF\n" +
		"list:\n  - 0o17\n  - 1_000\nplus: +7\ntrue: d\nzip: 01234\n---\n\n# T"
	file, err := parse([]byte(matter))
	if err != nil {
		t.Fatal(err)
	}
	text, err := emit(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(matter, `"2"`, "'2'", 1); string(text) != want {
		t.Errorf("the file became\n%s\nwant\n%s", text, want)
	}
}

// TestFolder_unreadableBack holds that nothing is written that could not be
// read again.
func TestFolder_unreadableBack(t *testing.T) {
	f := newFolder(t)
	value := "[" + strings.Repeat("1,", core.MaxNoteValues) + "1]"
	content := core.NoteFile{Fields: []core.NoteField{{Key: "a", Value: []byte(value)}}, Body: "# T"}
	unreadable := &core.UnreadableNote{}
	if _, err := f.Create("a/n.md", content); !errors.As(err, &unreadable) || unreadable.Reason != "has too much front matter" {
		t.Errorf("making it: %v", err)
	}
	if _, err := os.Lstat(f.Place()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was made: %v", err)
	}
}

// TestVariants writes a thousand front matters as people write them, reads
// them and writes them again: nothing is lost.
func TestVariants(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	readable := 0
	for i := range 1_000 {
		text, extras, body := variant(random, i)
		first, err := parse([]byte(text))
		if errors.As(err, new(*core.UnreadableNote)) {
			continue
		}
		if err != nil {
			t.Fatalf("%v\n%q", err, text)
		}
		readable++
		if first.Body != body {
			t.Fatalf("the body of\n%q\nis\n%q\nwant\n%q", text, first.Body, body)
		}
		got := map[string]string{}
		for _, field := range first.Fields {
			got[field.Key] = string(field.Value)
		}
		for key, value := range extras {
			if got[key] != value {
				t.Fatalf("%s of\n%s\nis %s, want %s", key, text, got[key], value)
			}
		}
		written, err := emit(first)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		second, err := parse(written)
		if err != nil || show(second) != show(first) {
			t.Fatalf("%v\n%s\nwas written as\n%s\nwhich reads\n%s\ninstead of\n%s", err, text, written, show(second), show(first))
		}
		if again, err := emit(second); err != nil || string(again) != string(written) {
			t.Fatalf("%v: written twice\n%s\nis\n%s", err, written, again)
		}
	}
	if readable < 900 {
		t.Errorf("only %d of 1000 could be read", readable)
	}
}

// variant makes a note file in one of the ways people have, with the values of
// its free-form keys as JSON and its body as it has to be read.
func variant(random *rand.Rand, i int) (text string, extras map[string]string, body string) {
	values := []struct{ yaml, json string }{
		{"plain", `"plain"`}, {"'single ''quoted'''", `"single 'quoted'"`}, {`"double \"quoted\" \u00e9\n"`, `"double \"quoted\" é\n"`}, {"1", "1"}, {"1.5", "1.5"},
		{"true", "true"}, {"", "null"}, {"~", "null"}, {"[a, b]", `["a","b"]`}, {"{a: 1, b: [c]}", `{"a":1,"b":["c"]}`}, {"\n  - x\n  - y: 1\n    z: 2", `["x",{"y":1,"z":2}]`},
		{"\n- x", `["x"]`}, {"|\n  one\n\n  two\n", `"one\n\ntwo\n"`}, {">-\n  folded\n  text", `"folded text"`}, {"2026-03-02", `"2026-03-02"`},
		{"2026-03-02T10:00:00+02:00", `"2026-03-02T08:00:00+00:00"`}, {"日本語 text", `"日本語 text"`}, {"http://example.org/#x", `"http://example.org/#x"`},
		{"[[wiki link]]", `[["wiki link"]]`}, {`"[[wiki link]]"`, `"[[wiki link]]"`}, {"a # comment", `"a"`}, {"0o17", "15"}, {"!!str 12", `"12"`}, {"&anchor x", `"x"`},
		{strings.Repeat("long ", 500) + "end", `"` + strings.Repeat("long ", 500) + `end"`}, {"🙂", `"🙂"`}, {"\tx", `"x"`}, {"yes", `"yes"`}, {"12:30", `"12:30"`}, {"1_000", "1000"},
	}
	var lines []string
	extras = map[string]string{}
	known := []string{
		"id: 5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "title: \"Quoted: title\"", "title: plain", "author:", "created_at: 2026-01-01", "created_at: '2026-01-01T00:00:00'", "updated_at: 2026-01-01 10:00:00",
		"tags: [a, b]", "tags: a, b", "tags:\n  - a\n  - 2026", "confidence: high", "confidence: .9", "version: two", "derived_from_ids: nothing", "aliases: null", "status: draft",
	}
	for _, line := range known {
		if random.IntN(4) == 0 {
			lines = append(lines, line)
		}
	}
	for n := range 1 + random.IntN(8) {
		v := values[random.IntN(len(values))]
		key := fmt.Sprintf([]string{"k%d", "Key %d", "ключ-%d", "'quoted %d'"}[random.IntN(4)], n%5) // sometimes twice
		lines = append(lines, key+": "+v.yaml)
		extras[strings.Trim(key, "'")] = v.json
	}
	if random.IntN(3) == 0 {
		lines = append(lines, "# a comment", "")
	}
	if i%100 == 0 {
		for n := range 2_000 {
			lines = append(lines, fmt.Sprintf("huge%d: %d", n, n))
			extras[fmt.Sprintf("huge%d", n)] = fmt.Sprint(n)
		}
	}
	body = []string{"", "# Title\n\nText.", "Text only", "## Sub\n\n# Title\n\n\ttabbed\n  two  \n\nend", "# Title\n\n---\n\nrule", "```yaml\n---\na: 1\n---\n```", strings.Repeat("line of text\n", 3_000) + "end"}[random.IntN(7)]
	text = "---\n" + strings.Join(lines, "\n") + "\n---\n" + strings.Repeat("\n", random.IntN(3)) + body + strings.Repeat("\n", random.IntN(3))
	if random.IntN(3) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if random.IntN(4) == 0 {
		text = "\ufeff" + text
	}
	return text, extras, body
}

// FuzzParse holds that any text is read or refused without a crash, and that
// what is read is written and read again the same.
func FuzzParse(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 20 {
		text, _, _ := variant(random, i+1)
		f.Add([]byte(text))
	}
	f.Add([]byte("---\na: &a {b: *a}\n---\n"))
	f.Add([]byte("---\na: !!timestamp x\nb: !!int y\nc: !!float z\nd: !!bool q\ne: !!set {a}\nf: !!omap [a: 1]\n---\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		first, err := parse(text)
		if err != nil {
			if !errors.As(err, new(*core.UnreadableNote)) {
				t.Fatal(err)
			}
			return
		}
		if body, err := parseBody(text); err != nil || body != first.Body {
			t.Fatalf("the body alone is %q, %v, want %q", body, err, first.Body)
		}
		written, err := emit(first)
		if err != nil {
			t.Fatalf("%v\n%s", err, show(first))
		}
		second, err := parse(written)
		if err != nil {
			t.Fatalf("%v\n%q", err, written)
		}
		if diff := cmp.Diff(show(first), show(second)); diff != "" {
			t.Fatalf("-first +second\n%s\n%q", diff, written)
		}
	})
}
