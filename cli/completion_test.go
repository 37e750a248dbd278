package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestComplete(t *testing.T) {
	w := seeded(t)
	if _, stderr, status := w.run(t, "task", "create", "Evil \x1b[2J title", "--tag", "a b", "--project", "it's", "--agent", "zoe"); status != 0 {
		t.Fatal(stderr)
	}
	for _, c := range []struct {
		words []string
		want  []string // some of the lines
		not   string
	}{
		{[]string{""}, []string{"task\tcreate, find, claim and close tasks", "init\t"}, "__complete"},
		{[]string{"ta"}, []string{"task\t"}, "init"},
		{[]string{"task", "re"}, []string{"ready\t", "renew\t", "release\t", "reopen\t"}, "create"},
		{[]string{"t", "rea"}, []string{"ready\t"}, ""},
		{[]string{"task", "get", ""}, []string{"83257c\tWrite schema", "9c1f02\tWrite importer"}, "\x1b"},
		{[]string{"task", "get", "8325"}, []string{"83257c\tWrite schema"}, "9c1f02"},
		{[]string{"task", "get", "83257ced-4"}, []string{schemaID + "\tWrite schema"}, ""},
		{[]string{"task", "get", "83257c", "9"}, []string{"9c1f02\t"}, ""},
		{[]string{"task", "claim", "83257c", ""}, nil, "9c1f02"},
		{[]string{"--json", "task", "get", "8"}, []string{"83257c\t"}, ""},
		{[]string{"task", "ready", "--"}, []string{"--project\t", "--json\t", "--help\t"}, "--title"},
		{[]string{"task", "ready", "--tag", "x", "--t"}, []string{"--tag\t", "--timeout\t"}, ""},
		{[]string{"task", "ready", "--limit", "5", "--li"}, nil, "--limit"},
		{[]string{"task", "ready", "--tag", ""}, []string{"db", "a b"}, ""},
		{[]string{"task", "ready", "--project", "c"}, []string{"core"}, "it's"},
		{[]string{"task", "ready", "--project="}, []string{"--project=core", "--project=it's"}, ""},
		{[]string{"task", "ready", "--sort", "i"}, []string{"impact"}, "priority"},
		{[]string{"task", "edge", "upsert", "83257c", "9c1f02", "--type", "b"}, []string{"blocks"}, "waits"},
		{[]string{"task", "create", "--depends-on", "83"}, []string{"83257c\t"}, ""},
		{[]string{"task", "create", ""}, nil, "83257c"},
		{[]string{"--agent", "z"}, []string{"zoe"}, "ada"},
		{[]string{"events", "--type", "task.c"}, []string{"task.created", "task.cancelled"}, "updated"},
		{[]string{"explain", "cl"}, []string{"claims", "claim_failed"}, ""},
		{[]string{"help", "ta"}, []string{"task\t"}, ""},
		{[]string{"help", "task", "cl"}, []string{"claim\t"}, ""},
		{[]string{"completion", ""}, []string{"bash", "zsh", "fish"}, ""},
		{[]string{"nonsense", ""}, []string{"task\t"}, ""},
		{[]string{"--color", "a"}, []string{"auto", "always"}, "never"},
		{nil, []string{"task\t"}, ""},
	} {
		stdout, stderr, status := w.run(t, append([]string{"__complete"}, c.words...)...)
		if status != 0 || stderr != "" {
			t.Errorf("%q: status %d, stderr %q", c.words, status, stderr)
		}
		lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
		for _, want := range c.want {
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
				t.Errorf("%q does not offer %q, but %q", c.words, want, lines)
			}
		}
		if c.not != "" && strings.Contains(stdout, c.not) {
			t.Errorf("%q offers %q: %q", c.words, c.not, lines)
		}
		if c.want == nil && stdout != "" && c.not == "" {
			t.Errorf("%q offers %q", c.words, lines)
		}
	}
}

// TestComplete_neverFails holds that whatever is wrong, there are no
// candidates, no messages, and no store is made.
func TestComplete_neverFails(t *testing.T) {
	w := newWorld(t)
	check := func(what string) {
		t.Helper()
		stdout, stderr, status := w.run(t, "__complete", "task", "get", "")
		if stdout != "" || stderr != "" || status != 0 {
			t.Errorf("%s: stdout %q, stderr %q, status %d", what, stdout, stderr, status)
		}
	}
	check("no store")
	if _, err := os.Stat(w.env.DataHome); err == nil {
		t.Error("a store was made")
	}
	path := filepath.Join(w.env.Dir, ".lithos", "lithos.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("this is no database at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("no database")
	seed(t, path)
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "config.toml"), []byte("nonsense = 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("bad configuration")
}

// TestComplete_largeStore holds that a key stroke is answered at once with a
// few dozen candidates, however many tasks there are.
func TestComplete_largeStore(t *testing.T) {
	w := newWorld(t)
	var lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&lines, `{"id":"%06x-task","title":"Task %d","status":"open","priority":2,"labels":["tag%d"],"created_at":"2026-03-01T08:00:00Z"}`+"\n", i*7919%0xffffff, i, i%300)
	}
	w.file(t, "many.jsonl", lines.String())
	if _, stderr, status := w.run(t, "import", "--format", "beads", "many.jsonl"); status != 0 {
		t.Fatal(stderr)
	}
	for _, words := range [][]string{{"task", "get", ""}, {"task", "get", "0"}, {"task", "list", "--tag", ""}} {
		started := time.Now()
		stdout, _, _ := w.run(t, append([]string{"__complete"}, words...)...)
		if n := strings.Count(stdout, "\n"); n == 0 || n > 50 {
			t.Errorf("%q: %d candidates", words, n)
		}
		if took := time.Since(started); took > 500*time.Millisecond { // 50 ms on an idle machine
			t.Errorf("%q took %s", words, took)
		}
	}
}

// TestCompletion_bash completes in bash itself.
func TestCompletion_bash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to complete in")
	}
	dir := t.TempDir()
	seed(t, filepath.Join(dir, ".lithos", "lithos.db"))
	for _, c := range []struct{ line, want string }{
		{"lithos task rea", "ready\n"},
		{"lithos task get 8325", "83257c\n"},
		{"lithos --json task get 9", "9c1f02\n"},
		{"lithos task ready --project = c", "core\n"}, // bash splits at the equals sign
		{"lithos task list --status comp", "completed\n"},
	} {
		words := strings.Fields(c.line)
		script := fmt.Sprintf(`eval "$(lithos completion bash)"; COMP_WORDS=(%s); COMP_CWORD=%d; _lithos; printf '%%s\n' "${COMPREPLY[@]}"`, c.line, len(words)-1)
		cmd := exec.Command(bash, "--norc", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "LITHOS_DB=", "LITHOS_DATA_DIR=")
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.line, out, err, c.want)
		}
	}
	for shell, check := range map[string][]string{"bash": {"-n"}, "zsh": {"-n"}, "fish": {"--no-execute"}} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		script, _, _ := newWorld(t).run(t, "completion", shell)
		cmd := exec.Command(path, check...)
		cmd.Stdin = strings.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("the script for %s: %v\n%s", shell, err, out)
		}
	}
}
