package cli_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestPrime(t *testing.T) {
	w := seeded(t)
	for _, args := range [][]string{
		{"task", "create", "Approve the release", "--type", "gate", "--gate-type", "human"},
		{"task", "claim", "83257c"},
		{"task", "create", "Evil \x1b]0;title\x07 text"},
	} {
		if _, stderr, status := w.run(t, args...); status != 0 {
			t.Fatal(stderr)
		}
	}
	stdout, stderr, status := w.run(t, "prime")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{
		"Now: 1 ready and free, 1 claimed, 1 blocked, 2 open gates.", "Yours, claimed:\n- 83257c Write schema (P1)\n",
		"Ready, best first:\n- ", "Waiting for a person:\n- ", "Approve the release", "task_next",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("prime does not say %q:\n%s", want, stdout)
		}
	}
	if strings.ContainsRune(stdout, '\x1b') || strings.Contains(stdout, "Write importer") {
		t.Errorf("prime says\n%s", stdout)
	}
	if text, _, _ := w.run(t, "prime", "--jq", ".text"); text != stdout+"\n" {
		t.Errorf("the JSON form differs: %q", text)
	}
	// It stays short, whatever the titles.
	for i := range 12 {
		title := fmt.Sprintf("%d %s", i, strings.Repeat("長い題名", 100))
		if _, stderr, status := w.run(t, "task", "create", title, "--priority", "0"); status != 0 {
			t.Fatal(stderr)
		}
	}
	if stdout, _, _ = w.run(t, "prime"); len(stdout) >= 2000 || !strings.Contains(stdout, "長い") {
		t.Errorf("prime is %d bytes long\n%s", len(stdout), stdout)
	}
}

func TestExplain(t *testing.T) {
	w := newWorld(t)
	list, _, status := w.run(t, "explain")
	if status != 0 || !strings.HasPrefix(list, "ready\ngates\nclaims\npriority\nedges\nnotes\nbackups\nids\nscripting\ninvalid_input\n") {
		t.Fatalf("status %d:\n%s", status, list)
	}
	for name := range strings.Lines(list) {
		name = strings.TrimSuffix(name, "\n")
		stdout, stderr, status := w.run(t, "explain", name)
		if status != 0 || stderr != "" || len(stdout) < 100 {
			t.Errorf("explain %s: status %d, %q, %q", name, status, stdout, stderr)
		}
		for line := range strings.Lines(stdout) {
			if strings.HasPrefix(stdout, "code\t") {
				break // fields are as long as they are
			}
			if len(line) > 100 {
				t.Errorf("explain %s has the long line %q", name, line)
			}
		}
		if document, _, status := w.run(t, "explain", name, "--json"); status != 0 || !strings.HasPrefix(document, `{"`) {
			t.Errorf("explain %s --json: status %d, %q", name, status, document)
		}
	}
}
