package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noteShots begin and end on the list of notes with the cursor on the first.
var noteShots = []shot{
	{name: "notes"},
	{name: "notes_search", keys: "/lease", back: escKey},
	{name: "notes_nothing", keys: "/zebra", back: escKey},
	{name: "note", keys: enterKey, back: "q"},
	{name: "note_links", keys: enterKey + tabKey + tabKey, back: "q"},
	{name: "note_delete", keys: enterKey + "X", back: escKey + "q"},
	{name: "note_edit", keys: "e", back: escKey},
	{name: "note_new", keys: "n", back: escKey},
	{name: "notes_help", keys: "?", back: escKey},
	{name: "note_of_task", keys: escKey + enterKey, back: "qN"},
}

func TestFrames_notes(t *testing.T) {
	for _, size := range frameSizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			x := openTerminal(t, learned(), size[0], size[1], childOptions{})
			x.shows("1 Ready", "3f9a1c")
			x.send("N")
			x.shows("Notes", "SQLite busy handling", "1/6", "6 changes by disk")
			x.hides("changes by disk") // it goes by itself
			for _, s := range noteShots {
				x.shows("1/6", "SQLite busy handling")
				x.send(s.keys)
				x.golden(s.name)
				x.send(s.back)
			}
			empty := openTerminal(t, acme, size[0], size[1], childOptions{})
			empty.shows("1 Ready", "3f9a1c")
			empty.send("N")
			empty.shows("There are no notes yet.")
			screen := strings.ReplaceAll(empty.screen(), noteFolder(empty.path), "")
			if strings.Contains(screen, "SQLite") {
				t.Errorf("there is a note:\n%s", screen)
			}
		})
	}
}

// TestNotes_wholeProgram: the program itself, on a terminal, shows what is
// done to its files from outside.
func TestNotes_wholeProgram(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "lithos.db")
	lithos(t, path, "mo", "init")
	lithos(t, path, "mo", "note", "write", "First note", "--content", "Begin here. See [[second]].", "--tag", "start")
	notes := filepath.Join(folder, "knowledge")
	x := lithosIn(t, folder, os.Args[0], 80, 24)
	x.shows("live")
	x.send("N")
	x.shows("First note", "start", "1/1")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(notes, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("second.md", "# Second\n\nBy hand, in an editor.\n")
	x.shows("Second", "/2")
	x.send("/edit")
	x.shows("1 of 2", "in an editor")
	x.send(enterKey)
	x.hides("keep")
	x.send(enterKey)
	x.shows("Linked from 1", "First note")
	write("second.md", "# Second\n\nBy hand, and again.\n")
	x.shows("and again.")
	x.send(enterKey)
	x.shows("Begin here.")
	if err := os.Remove(filepath.Join(notes, "second.md")); err != nil {
		t.Fatal(err)
	}
	x.shows("[[second]] no such note")
	x.send("\x03")
}
