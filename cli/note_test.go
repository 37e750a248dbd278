package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNote_candidates holds that the ids shown for an ambiguous one can be
// typed back: they are told apart from those of other notes, not of tasks.
func TestNote_candidates(t *testing.T) {
	w := seeded(t).onTerminal(80)
	folder := filepath.Join(w.env.Dir, "knowledge")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		text := fmt.Sprintf("---\nid: abcdef-%d-and-more\n---\n# Note %d\n", i, i)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.md", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"note", "related", "abcdef"}, {"note", "node-stats", "abcdef"}, {"note", "edge", "list", "--from", "abcdef"},
		{"finding", "post", "83257c", "x", "--knowledge-id", "abcdef"},
	} {
		_, stderr, status := w.run(t, args...)
		if status != 3 || !strings.Contains(stderr, "\n  abcdef-0  Note 0\n  abcdef-1  Note 1\n  abcdef-2  Note 2\n") {
			t.Errorf("%q: status %d, %s", args, status, stderr)
		}
	}
}
