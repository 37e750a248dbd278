package cli_test

import (
	"strings"
	"testing"
)

// TestNoteRead_name holds that a title or a path that is one note's is taken in
// place of an id, and that what helps is told otherwise.
func TestNoteRead_name(t *testing.T) {
	w := seeded(t)
	putNotes(t, w.env.Dir, noteFiles)
	for _, name := range []string{"Locks", "locks", "storage/locks", "storage/locks.md", "locks-1"} {
		if out, said, status := w.run(t, "note", "read", name, "--jq", ".id"); status != 0 || out != "locks-1\n" {
			t.Errorf("%s: status %d\n%s%s", name, status, out, said)
		}
	}
	for _, name := range []string{"Lock", "lock", "storage"} {
		if out, said, status := w.run(t, "note", "read", name); status == 0 || out != "" || !strings.Contains(said, "lithos note search "+name) && !strings.Contains(said, "There is no note") {
			t.Errorf("%s: status %d\n%s%s", name, status, out, said)
		}
	}
	if _, said, _ := w.run(t, "note", "read", "Lock"); !strings.HasSuffix(said, "\n  find it: lithos note search Lock\n  by its file: lithos note read --path PATH\n") {
		t.Errorf("what helps is\n%s", said)
	}
	// Of several notes of a title none is meant.
	for _, folder := range []string{"a", "b"} {
		if _, said, status := w.run(t, "note", "write", "Twice", "--content", "x", "--path", folder); status != 0 {
			t.Fatal(said)
		}
	}
	if out, said, status := w.run(t, "note", "read", "Twice"); status != 2 || out != "" {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
}

// TestNoteEdit_name holds that an editor opens the note of a title.
func TestNoteEdit_name(t *testing.T) {
	w := editing(t, func(text string) string { return text + "\nMore.\n" })
	if out, said, status := w.run(t, "note", "edit", "Locks"); status != 0 || !strings.HasPrefix(out, "Updated locks- Locks\n") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
}

// TestNoteHints holds that what is allowed but hardly meant is told.
func TestNoteHints(t *testing.T) {
	w := seeded(t).onTerminal(80)
	putNotes(t, w.env.Dir, noteFiles)
	for _, test := range []struct {
		arguments []string
		told      string
	}{
		{[]string{"note", "tags", "--prefix", "zz"}, "No tag begins with 'zz'.\n"},
		{[]string{"note", "edge", "upsert", "locks-1", "zzzzzz", "--type", "x", "--namespace", "y"}, "lithos: There is no note 'zzzzzz' yet; the edge waits for it.\n"},
		{[]string{"note", "write", "Hid", "--content", "x", "--path", "foo.MD"}, "lithos: 'foo.MD' is a folder now; the name of a file ends in .md.\n"},
	} {
		if out, said, status := w.run(t, test.arguments...); status != 0 || !strings.Contains(out+said, test.told) || strings.Contains(said, "'locks-1'") {
			t.Errorf("%q: status %d\n%s%s", test.arguments, status, out, said)
		}
	}
}
