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

// TestNoteList_unreadable holds that a list says that there are files which
// cannot be read, and does not promise them as further notes.
func TestNoteList_unreadable(t *testing.T) {
	w := seeded(t).onTerminal(80)
	putNotes(t, w.env.Dir, map[string]string{"a.md": "# A", "bad.md": "---\ncreated_at: never\n---\n", "worse.md": "---\na: [\n---\n"})
	const told = "2 files cannot be read: 'lithos note reindex' says why.\n"
	if out, said, status := w.run(t, "note", "list"); status != 0 || !strings.Contains(out, "a.md") || said != told {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if out, said, status := w.run(t, "note", "list", "--limit", "0"); status != 0 || out != "1 note.\n" || said != told {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if out, said, _ := w.run(t, "note", "list", "--json"); !strings.HasSuffix(out, `"total":3}`+"\n") || said != "" {
		t.Errorf("%s%s", out, said)
	}
	if out, _, status := w.run(t, "doctor"); status != 0 || !strings.Contains(out, "2 files cannot be read as notes: 'bad.md' 'created_at' is no") {
		t.Errorf("status %d\n%s", status, out)
	}
}

// TestNoteRelated_deadLinks holds that links which lead nowhere are told.
func TestNoteRelated_deadLinks(t *testing.T) {
	w := seeded(t).onTerminal(80)
	putNotes(t, w.env.Dir, map[string]string{"a.md": "---\nid: note-a\n---\n# A\n\n[[Nowhere]], [[b]] and [[Not there|it]].", "b.md": "---\nid: note-b\n---\n# Two words\n\n[[c]]"})
	if out, _, status := w.run(t, "note", "related", "note-a"); status != 0 || !strings.HasSuffix(out, "Two words\n\nNo note answers to [[Nowhere]], [[Not there]].\n") {
		t.Errorf("status %d\n%s", status, out)
	}
	if out, _, _ := w.run(t, "note", "related", "note-b", "--include", "edges"); strings.Contains(out, "No note") {
		t.Errorf("links were not asked for:\n%s", out)
	}
}
