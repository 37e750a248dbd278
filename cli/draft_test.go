package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dev.lithos/cli"
	"dev.lithos/core"
)

// TestDraft: what was typed on the board is there the next time, for its store
// alone, until it is dropped.
func TestDraft(t *testing.T) {
	w := seeded(t).onTerminal(80)
	draft := cli.Draft{
		Form: "create", Title: "New task", About: []string{}, Kept: core.StampOf(w.env.Now()),
		Fields: []cli.DraftField{{Name: "Text", Text: "two\nlines"}},
	}
	w.env.RunTUI = func(_ context.Context, o cli.TUIOptions) error {
		if len(o.Drafts) != 0 {
			t.Errorf("before anything was kept there is %v", o.Drafts)
		}
		o.KeepDraft(draft)
		return nil
	}
	_, stderr, status := w.run(t, "tui")
	folder := filepath.Join(w.env.StateHome, "lithos", "drafts")
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	path := filepath.Join(folder, files[0].Name())
	if info, err := files[0].Info(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if status != 0 || !strings.Contains(stderr, "what you typed in \"New task\" is kept in "+path) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d, %q", status, stderr)
	}
	var found []cli.Draft
	w.env.RunTUI = func(_ context.Context, o cli.TUIOptions) error {
		found = o.Drafts
		if len(found) == 1 {
			draft.Path = path
			if !reflect.DeepEqual(found[0], draft) {
				t.Errorf("kept is %+v, want %+v", found[0], draft)
			}
			again := found[0]
			again.Title = "Edited"
			o.KeepDraft(again) // in its place
		}
		return nil
	}
	w.run(t, "tui", "--db", filepath.Join(t.TempDir(), "other.db"))
	if len(found) != 0 {
		t.Errorf("another store is offered %v", found)
	}
	if w.run(t, "tui"); len(found) != 1 {
		t.Fatalf("offered are %v", found)
	}
	w.env.RunTUI = func(_ context.Context, o cli.TUIOptions) error {
		if len(o.Drafts) != 1 || o.Drafts[0].Title != "Edited" {
			t.Errorf("offered are %v", o.Drafts)
		}
		return o.DropDraft(path)
	}
	if _, stderr, status := w.run(t, "tui"); status != 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the draft is still there: %v", err)
	}
	// Where it cannot be kept, the text is told.
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.env.RunTUI = func(_ context.Context, o cli.TUIOptions) error {
		draft.Path = ""
		o.KeepDraft(draft)
		return nil
	}
	if _, stderr, _ := w.run(t, "tui"); !strings.Contains(stderr, "could not be kept") || !strings.Contains(stderr, `two\\nlines`) && !strings.Contains(stderr, `two\nlines`) {
		t.Errorf("it says %q", stderr)
	}
}
