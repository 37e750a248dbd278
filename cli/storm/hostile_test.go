package storm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"dev.lithos/cli"
	"dev.lithos/core"
)

// hostile are texts that somebody may give for anything.
var hostile = map[string]string{
	"empty":             "",
	"blank":             " \t\u00a0\u2003",
	"upwards":           "../../../../etc/passwd",
	"dots":              "..",
	"NUL":               "a\x00b",
	"escape":            "\x1b[2J\x1b]0;title\a\x1bP+q\x1b\\",
	"lines":             "one\r\ntwo\nthree\vfour\u2028five",
	"direction":         "\u202egnirts\u202c \u2066x\u2069 \ufeff",
	"quotes":            `'"` + "`" + `\"\'`,
	"SQL":               "'; DROP TABLE tasks; --",
	"more SQL":          `" OR 1=1 UNION SELECT * FROM sqlite_schema /*`,
	"search operators":  `title:* NEAR(a b) AND OR NOT "unclosed ^x -y {a b}`,
	"wildcards":         "%_*?[a-z]",
	"reference":         "$name",
	"dash":              "-",
	"dashes":            "--",
	"flag":              "--json=false",
	"invalid UTF-8":     "\xff\xfe\xfa",
	"cut UTF-8":         "caf\xc3",
	"surrogate":         "\xed\xa0\x80",
	"emoji":             strings.Repeat("👩‍👩‍👧‍👦", 50),
	"combining":         "e" + strings.Repeat("\u0301", 3000),
	"object":            "{}",
	"brackets":          strings.Repeat("[", 10_000),
	"deep JSON":         strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
	"huge number":       "1e999999",
	"long number":       strings.Repeat("9", 100_000),
	"big number":        "9223372036854775808",
	"negative":          "-1",
	"not a number":      "NaN",
	"long":              strings.Repeat("long ", 2<<20), // 10 MB
	"a byte too many":   strings.Repeat("x", core.MaxTextBytes+1),
	"a letter too many": strings.Repeat("ä", 501),
	"template":          "{{.}} ${HOME} $(id) %s%n `id`",
}

// unreadable are those that are no text.
var unreadable = []string{"NUL", "invalid UTF-8", "cut UTF-8", "surrogate"}

// inside runs the program in this process, where arguments may be as long as
// they like.
func (f *field) inside(stdin string, args ...string) (stdout, stderr string, status int) {
	f.Helper()
	env := cli.SystemEnv()
	var out, complaints bytes.Buffer
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(stdin), &out, &complaints
	env.StdinIsTerminal, env.StdoutIsTerminal, env.StderrIsTerminal = false, false, false
	env.LookupEnv = func(string) (string, bool) { return "", false }
	env.Environ = func() []string { return nil }
	env.Dir = f.dir
	env.ConfigHome, env.DataHome, env.StateHome = filepath.Join(f.dir, "config"), filepath.Join(f.dir, "data"), filepath.Join(f.dir, "state")
	env.Signals, env.RunTUI = nil, nil
	done := make(chan int, 1)
	go func() { done <- cli.Main(f.Context(), append([]string{"lithos"}, args...), env) }()
	select {
	case status = <-done:
	case <-time.After(patience):
		f.Fatalf("%.100q does not end", args)
	}
	return out.String(), complaints.String(), status
}

// TestHostile_commands is the short form of TestSoakHostile_commands.
func TestHostile_commands(t *testing.T) { hostileCommands(t, 8) }

// hostileCommands gives hostile texts for every value on the command line: each
// answer is a document, with the status that its code has. Of so many texts one
// is given for each.
func hostileCommands(t *testing.T, oneOf int) {
	f := newField(t)
	about := f.prepare()
	statuses, asked := map[int]int{}, 0
	table := places(about)
	for _, place := range slices.Sorted(maps.Keys(table)) {
		for _, kind := range slices.Sorted(maps.Keys(hostile)) {
			text := hostile[kind]
			if asked++; asked%oneOf != 0 {
				continue
			}
			args := []string{"--json"}
			if place != "agent" && place != "note agent" {
				args = append(args, "--agent", "mo")
			}
			for _, word := range table[place] {
				args = append(args, strings.Replace(word, "X", text, 1))
			}
			stdout, stderr, status := f.inside("", args...)
			statuses[status]++
			if place == "filter" {
				stdout = visible(stdout) // a filter prints texts raw, as it is asked to
			}
			if (place == "store" || place == "folder") && text != "" {
				stdout = strings.ReplaceAll(stdout, strings.ReplaceAll(text, `"`, `\"`), "X") // a path is told whole
			}
			code := judge(t, place+", "+kind, stdout, stderr, status)
			if slices.Contains(unreadable, kind) && status == 0 {
				t.Errorf("%s, %s: what is no text is taken", place, kind)
			}
			if fault := map[string]string{"long": "content_too_large", "a byte too many": "content_too_large"}[kind]; fault != "" &&
				slices.Contains([]string{"title", "description", "tag", "agent", "request", "new title", "summary", "agent id", "agent name", "aspect"}, place) && code != fault {
				t.Errorf("%s, %s: the code is %q, want %s", place, kind, code, fault)
			}
		}
	}
	t.Logf("calls by status: %v", statuses)
	events := f.audit()
	if len(events) < 100/oneOf {
		t.Errorf("only %d events: hardly a text was taken", len(events))
	}
	if got := f.lithos("task", "get", about.task, "--jq", ".task.id"); got != about.task {
		t.Errorf("the first task is %s", got)
	}
	if got := f.lithos("note", "read", about.note, "--jq", ".id"); got != about.note {
		t.Errorf("the first note is %s", got)
	}
	f.notesApart()
}

// notesApart fails when notes have reached beyond their folder, or are not
// whole.
func (f *field) notesApart() {
	f.Helper()
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		f.Fatal(err)
	}
	for _, entry := range entries {
		if !slices.Contains([]string{".lithos", "knowledge", "config", "data", "state", "go-build", ".cache"}, entry.Name()) {
			f.Errorf("beside the store lies %q", entry.Name())
		}
	}
	if got := f.lithos("note", "reindex", "--agent", setUp, "--jq", `"\(.created) \(.updated) \(.renamed) \(.deleted) \(.problems)"`); got != "0 0 0 0 []" {
		f.Errorf("read anew, the notes are others: %s", got)
	}
}

// judge holds an answer of a command to what every answer has to be, and
// returns its code, if it has one.
func judge(t *testing.T, what, stdout, stderr string, status int) (code string) {
	t.Helper()
	for _, stream := range []string{stdout, stderr} {
		if !utf8.ValidString(stream) || strings.ContainsFunc(stream, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) {
			t.Errorf("%s: raw bytes reach the terminal: %.200q", what, stream)
		}
		// What was given may be said again.
		said := strings.ToLower(strings.NewReplacer("sqlite_schema", "", "sqlite-schema", "", "The file is no SQLite database.", "").Replace(stream))
		if strings.Contains(said, "panic") || strings.Contains(said, "sqlite") {
			t.Errorf("%s: the program speaks of itself: %.300q", what, stream)
		}
	}
	var answer struct{ Status, Code string }
	decoder := json.NewDecoder(strings.NewReader(stdout))
	if err := decoder.Decode(&answer); err != nil && status != 0 {
		t.Errorf("%s: status %d, no document but %.200q (%v), %.200q", what, status, stdout, err, stderr)
		return ""
	}
	if status == 0 {
		return ""
	}
	refusal := answer.Status == "error"
	if answer.Code == "" && strings.HasPrefix(what, "note ") { // their writes tell what they refuse by the status
		answer.Code, refusal = answer.Status, true
	}
	info := core.Describe(core.Code(answer.Code))
	if !refusal || info.Exit() != status || status == 70 || status == 1 {
		t.Errorf("%s: status %d with %.300q, %.200q", what, status, stdout, stderr)
	}
	if len(stdout) > 20_000 {
		t.Errorf("%s: an error of %d bytes", what, len(stdout))
	}
	return answer.Code
}

// visible replaces control characters.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '.'
		}
		return r
	}, s)
}

// TestHostile_files imports and applies what is no such file.
func TestHostile_files(t *testing.T) {
	f := newField(t)
	before := f.export()
	for _, kind := range slices.Sorted(maps.Keys(hostile)) {
		for _, content := range []string{
			hostile[kind],
			`{"type":"lithos","format":1}` + "\n" + hostile[kind] + "\n",
			`{"id":"x","title":"` + hostile[kind],
			`[{"uuid":"x","description":` + hostile[kind] + "}]",
			"SQLite format 3\x00" + hostile[kind],
		} {
			path := filepath.Join(f.dir, "file")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			stdout, stderr, status := f.inside("", "import", path, "--json", "--agent", "mo")
			judge(t, "import, "+kind, stdout, stderr, status)
			if status == 0 && !strings.Contains(stdout, `"created":0`) {
				t.Errorf("import, %s: %.200s", kind, stdout)
			}
		}
		for _, content := range []string{
			hostile[kind],
			`{"agent":"mo","operations":` + hostile[kind] + `}`,
			`{"agent":"mo","operations":[{"op":"create","title":"` + hostile[kind],
		} {
			stdout, stderr, status := f.inside(content, "task", "apply", "--json", "--agent", "mo")
			judge(t, "apply, "+kind, stdout, stderr, status)
			if status == 0 {
				t.Errorf("apply, %s: %.200s", kind, stdout)
			}
		}
	}
	if after := f.export(); after != before {
		t.Errorf("the store has changed:\n%s\n%s", before, after)
	}
	f.audit()
}

// object is a JSON object with n keys.
func object(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"key %d":%d`, i, i)
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

// values are JSON texts that a client may send for any argument.
func values() map[string]string {
	list := map[string]string{
		"null": "null", "true": "true", "zero": "0", "minus": "-1", "fraction": "1.5", "exponent": "1e400", "long number": strings.Repeat("9", 50_000),
		"list": "[]", "nested list": `[["a"]]`, "object": "{}", "unpaired": `"\ud800"`, "escaped NUL": `"\u0000"`, "broken": `"`, "bare": "x",
		"deep list":       strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"deep object":     strings.Repeat(`{"a":`, 10_000) + "{}" + strings.Repeat("}", 10_000),
		"twice":           `{"a":1,"a":2}`,
		"many":            "[" + strings.Repeat(`"x",`, 20_000) + `"x"]`,
		"dependency keys": `{"depends_on":null}`,
		"conditions":      object(core.MaxMatchConditions),
		"many conditions": object(30_000),
		"many types":      "[" + strings.Repeat(`"task.created",`, 40_000) + `"task.created"]`,
	}
	for kind, text := range hostile {
		if text, err := json.Marshal(text); err == nil && kind != "deep JSON" {
			list["text: "+kind] = string(text)
		}
		// As bytes, which JSON forbids for some.
		if !utf8.ValidString(text) {
			list["bytes: "+kind] = `"` + text + `"`
		}
	}
	return list
}

// TestHostile_tools is the short form of TestSoakHostile_tools.
func TestHostile_tools(t *testing.T) { hostileTools(t, 13) }

// hostileTools sends hostile values for every argument of every tool to one
// server, which answers each and lives on. Of so many values one is sent.
func hostileTools(t *testing.T, oneOf int) {
	f := newField(t)
	id := f.lithos("task", "create", "First", "--agent", setUp, "--jq", ".task_id")
	s := f.serve()
	good := map[string]string{
		"title": `"T"`, "agent": `"mo"`, "task_id": strconv.Quote(id), "source_task_id": strconv.Quote(id), "from_task_id": strconv.Quote(id),
		"to_task_id": strconv.Quote(id), "summary": `"s"`, "aspect": `"work"`, "id": `"mo"`, "type": `"blocks"`, "operations": `[{"op":"create","title":"x"}]`,
	}
	codes, asked, turn := map[string]int{}, 0, 0
	list := values()
	kinds := slices.Sorted(maps.Keys(list))
	for _, op := range core.Operations {
		if op.CommandLineOnly() {
			continue
		}
		for _, p := range op.Parameters() {
			for _, kind := range kinds {
				if turn++; turn%oneOf != 0 {
					continue
				}
				// The largest go to a few places only.
				if len(list[kind]) > 1<<20 && !slices.Contains([]string{"title", "description", "metadata", "operations", "summary", "task_id"}, p.Name) {
					continue
				}
				var arguments strings.Builder
				for _, other := range op.Parameters() {
					value, ok := good[other.Name]
					if other.Name == p.Name {
						value, ok = list[kind], true
					}
					if ok && (other.Required || other.Name == p.Name) {
						fmt.Fprintf(&arguments, ",%q:%s", other.Name, value)
					}
				}
				asked++
				answer := s.call(op.Name(), "{"+strings.TrimPrefix(arguments.String(), ",")+"}")
				code := fmt.Sprint(answer["code"])
				codes[code]++
				if code == "internal_error" || code == "store_unavailable" || answer == nil {
					t.Errorf("%s with %s for %s: %.300v", op.Name(), kind, p.Name, answer)
				}
			}
		}
	}
	t.Logf("%d calls by code: %v", asked, codes)
	if rss := peak(t, s.cmd.Process.Pid); rss > 400<<20 {
		t.Errorf("the server has needed %d MB", rss>>20)
	} else {
		t.Logf("the server has needed %d MB", rss>>20)
	}
	s.end()
	if strings.Contains(s.stderr.String(), "panic") {
		t.Errorf("the server complains: %.1000s", s.stderr.String())
	}
	f.audit()
}

// peak is the most memory a process has had, in bytes; 0 where that cannot be
// told.
func peak(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}

// TestHostile_memory holds that a text of 10 MB costs a command a few times its
// size, and no more.
func TestHostile_memory(t *testing.T) {
	f := newField(t)
	for _, args := range [][]string{
		{"task", "create", "T", "--description", "-"}, {"task", "apply"}, {"finding", "post", "abcdef", "-"}, {"import", "-"},
	} {
		cmd := f.command("measured", append(append([]string{"lithos"}, args...), "--agent", "mo", "--json")...)
		cmd.Stdin = strings.NewReader(hostile["long"])
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		answer, told, _ := strings.Cut(string(out), "\x00")
		kb, err := strconv.Atoi(told)
		if err != nil {
			t.Fatalf("%v: %.300s", err, out)
		}
		if kb > 130<<10 {
			t.Errorf("%q needs %d MB", args, kb>>10)
		}
		t.Logf("%q needs %d MB: %.150s", args, kb>>10, answer)
		if !strings.Contains(answer, `"status":"error"`) {
			t.Errorf("%q takes 10 MB: %.200s", args, answer)
		}
	}
}

// measure runs a command and prints, after its output and a NUL, the most
// memory it has had in kilobytes. It does so from a small process of its own,
// because what a process has when it becomes another counts for that one too.
func measure(args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		return err
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("memory cannot be measured here")
	}
	fmt.Printf("\x00%d", usage.Maxrss)
	return nil
}
