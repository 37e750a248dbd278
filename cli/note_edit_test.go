package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// editing is a world with a terminal and an editor that does to a file what it
// is told.
func editing(t *testing.T, edit func(text string) string) *world {
	t.Helper()
	w := seeded(t).onTerminal(80)
	putNotes(t, w.env.Dir, noteFiles)
	w.variables["EDITOR"] = "ed"
	w.env.Edit = func(_ context.Context, command, path string) error {
		if command != "ed" {
			t.Errorf("the editor is %q", command)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(edit(string(text))), 0o600)
	}
	return w
}

func TestNoteEdit(t *testing.T) {
	w := editing(t, func(text string) string {
		if !strings.HasPrefix(text, "# Locks\n\nOne writer") {
			t.Errorf("the editor is given %q", text)
		}
		return strings.Replace(text, "# Locks", "# Write locks", 1) + "\nMore.\n"
	})
	if out, said, status := w.run(t, "note", "edit", "locks-1"); status != 0 || !strings.HasPrefix(out, "Updated locks- Write locks\n") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	out, _, _ := w.run(t, "note", "read", "locks-1", "--jq", `"\(.title) \(.metadata.version) \(.content)"`)
	if out != "Write locks 2 One writer holds the lock at a time.\n\nMore.\n" {
		t.Errorf("the note became %q", out)
	}
}

func TestNoteEdit_unchanged(t *testing.T) {
	w := editing(t, func(text string) string { return text })
	if out, said, status := w.run(t, "note", "edit", "locks-1"); status != 0 || out != "" || said != "Nothing was changed.\n" {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if text, err := os.ReadFile(filepath.Join(w.env.Dir, "knowledge", "storage", "locks.md")); err != nil || string(text) != noteFiles["storage/locks.md"] {
		t.Errorf("the file became %s, %v", text, err)
	}
}

// TestNoteEdit_emptied holds that an emptied buffer leaves the note as it is.
func TestNoteEdit_emptied(t *testing.T) {
	w := editing(t, func(string) string { return "" })
	if out, said, status := w.run(t, "note", "edit", "locks-1"); status != 2 || out != "" || !strings.Contains(said, "The text was emptied") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if text, err := os.ReadFile(filepath.Join(w.env.Dir, "knowledge", "storage", "locks.md")); err != nil || string(text) != noteFiles["storage/locks.md"] {
		t.Errorf("the file became %s, %v", text, err)
	}
}

// TestNoteWrite_refused holds that what the command line refuses by itself is
// told as the operation tells it.
func TestNoteWrite_refused(t *testing.T) {
	out, said, _ := seeded(t).run(t, "note", "write", "Title", "--json")
	const want = `{"status":"invalid_input","message":"'content' is required.","warnings":[],"reason":"missing_field","field":"content"}` + "\n"
	if out+said != want {
		t.Errorf("it answers %s%s", out, said)
	}
}

// TestNoteEdit_lost holds that what was typed is kept when it cannot be
// written.
func TestNoteEdit_lost(t *testing.T) {
	var w *world
	w = editing(t, func(string) string {
		path := filepath.Join(w.env.Dir, "knowledge", "storage", "locks.md")
		text := strings.Replace(noteFiles["storage/locks.md"], "author: mo", "author: mo\nversion: 5", 1)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
		return "# Locks\n\nTyped."
	})
	_, said, status := w.run(t, "note", "edit", "locks-1")
	kept := regexp.MustCompile(`your text is kept in (\S+)\.\n`).FindStringSubmatch(said)
	if status != 5 || kept == nil {
		t.Fatalf("status %d\n%s", status, said)
	}
	text, err := os.ReadFile(kept[1])
	if err != nil || string(text) != "# Locks\n\nTyped.\n" {
		t.Errorf("kept was %q, %v", text, err)
	}
	if err := os.Remove(kept[1]); err != nil {
		t.Error(err)
	}
}

// TestNoteWrite_editor holds that without a text a terminal opens the editor,
// and nothing else does.
func TestNoteWrite_editor(t *testing.T) {
	w := editing(t, func(text string) string { return text + "\nWritten in the editor.\n" })
	if out, said, status := w.run(t, "note", "write", "By hand"); status != 0 || !strings.HasPrefix(out, "Created ") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if out, _, _ := w.run(t, "note", "read", "--path", "by-hand", "--jq", ".content"); out != "Written in the editor.\n" {
		t.Errorf("the note is %q", out)
	}
	if out, _, status := w.run(t, "note", "write", "No text", "--json"); status != 2 || !strings.Contains(out, `"reason":"missing_field","field":"content"`) {
		t.Errorf("status %d: %s", status, out)
	}
}
