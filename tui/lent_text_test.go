package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dev.lithos/core"
)

// newText makes a file for an editor in a folder.
func newText(folder, text string) (string, error) {
	path := filepath.Join(folder, "lent.md")
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// editorScript is an editor that is a shell script, the file being $1.
func editorScript(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return "LITHOS_TEST_EDITOR=" + path
}

// lent is the text that lies for the editor beside the store; "" for none.
func (x *terminal) lent() string {
	x.t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(x.path), "lent.md"))
	if err != nil && !os.IsNotExist(err) {
		x.t.Fatal(err)
	}
	return string(text)
}

func (x *terminal) description(id string) string {
	x.t.Helper()
	result := must[core.TaskGetResult](x.t)(x.other().TaskGet(context.Background(), core.TaskGetRequest{TaskID: longID(id)}))
	return *result.Task.Description
}

// TestLentText_saved holds that the file of the editor goes once its text is in
// the store.
func TestLentText_saved(t *testing.T) {
	x := openTerminal(t, acme, 80, 24, childOptions{}, editorScript(t, `echo Typed > "$1"`))
	x.shows("3f9a1c")
	x.send("E")
	x.shows("saved 3f9a1c as v4")
	x.until("the file to go", func(string) bool { return x.lent() == "" })
	if got := x.description("3f9a1c"); got != "Typed" {
		t.Errorf("the description is %q", got)
	}
}

// TestLentText_failed holds that what an editor has saved before it failed is
// there in a form, and kept until that is saved or thrown away.
func TestLentText_failed(t *testing.T) {
	x := openTerminal(t, acme, 80, 24, childOptions{}, editorScript(t, `echo Typed > "$1"; kill -9 $$`))
	x.shows("3f9a1c")
	x.send("E")
	x.shows("failed: signal:", "Save what it has left, or discard it.", "Typed")
	if x.lent() != "Typed\n" {
		t.Errorf("kept is %q", x.lent())
	}
	x.send("\x13") // ctrl+s
	x.shows("saved 3f9a1c as v4")
	x.until("the file to go", func(string) bool { return x.lent() == "" })
	if got := x.description("3f9a1c"); got != "Typed" {
		t.Errorf("the description is %q", got)
	}
}

// TestLentText_unchanged holds that nothing is left of an editor that changed
// nothing, or could not be started, which says how to name another.
func TestLentText_unchanged(t *testing.T) {
	for editor, told := range map[string]string{
		editorScript(t, "exit 0"):                 "Nothing was changed.",
		editorScript(t, "exit 3"):                 "failed: exit status 3.",
		"LITHOS_TEST_EDITOR=/nowhere/to/be/found": "The editor '/nowhere/to/be/found' could not be started: no such file",
	} {
		x := openTerminal(t, acme, 120, 24, childOptions{}, editor)
		x.shows("3f9a1c")
		x.send("E")
		x.shows(told)
		x.until("the file to go", func(string) bool { return x.lent() == "" })
	}
}

// TestLentText_ended holds that what the editor has saved is kept when the
// program is ended meanwhile, as a draft of the form it was meant for.
func TestLentText_ended(t *testing.T) {
	for text, kept := range map[string]bool{"echo Typed": true, "cat \"$1.was\"": false} {
		folder := t.TempDir()
		ready := filepath.Join(folder, "ready")
		x := openTerminal(t, acme, 120, 24, childOptions{}, editorScript(t, fmt.Sprintf(`cp "$1" "$1.was"; %s > "$1"; echo > %s; sleep 60`, text, ready)))
		x.shows("3f9a1c")
		x.send("E")
		x.until("the editor to save", func(string) bool { _, err := os.Stat(ready); return err == nil })
		if err := x.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		x.until("the end", func(string) bool {
			select {
			case <-x.done:
				return true
			default:
				return false
			}
		})
		out := x.output()
		if strings.Contains(out, "kept: ") != kept || kept && (!strings.Contains(out, `"text":"Typed"`) || !strings.Contains(out, `"lent":"`)) {
			t.Errorf("%s", out[max(0, len(out)-600):])
		}
		if (x.lent() != "") != kept {
			t.Errorf("kept is %q", x.lent())
		}
	}
}

// TestLentText_draft holds that a draft of a text that an editor has left goes
// with its file once it is saved.
func TestLentText_draft(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("e")
	d.typeText("!")
	kept := d.ended()
	kept[0].Path, kept[0].Lent = "here", "there"
	var dropped []string
	d = drive(t, acme, 80, 24, func(o *Options) {
		o.Drafts = kept
		o.DropDraft = func(path string) error { dropped = append(dropped, path); return nil }
	})
	d.press("enter")
	if d.press("ctrl+s"); strings.Join(dropped, " ") != "here there" {
		t.Errorf("dropped are %q", dropped)
	}
}
