package cli_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"dev.lithos/cli"
	"dev.lithos/core"
	"dev.lithos/store/files"
	"dev.lithos/store/knowledge"
)

// TestNoteEdit_noRoom holds that a text stays where it is kept while there is
// no room for the note, and that no editor opens when there is none to keep it.
func TestNoteEdit_noRoom(t *testing.T) {
	w := editing(t, func(string) string { return "# New\n\nTyped." })
	full := func(files.Step) error { return syscall.ENOSPC }
	w.env.OpenFolder = func(place func() string) core.NoteFolder {
		return knowledge.New(place, files.Disk{Before: func(s files.Step) error {
			if s.Action == files.Write {
				return syscall.ENOSPC
			}
			return nil
		}})
	}
	roomy := cli.SystemEnv().OpenFolder
	_, said, status := w.run(t, "note", "write", "New", "--path", "deep/er")
	if status == 0 || !strings.Contains(said, "space") {
		t.Errorf("status %d\n%s", status, said)
	}
	w.env.OpenFolder = roomy
	w.bringIn(t, said, nil)
	if got := w.noteAt(t, "deep/er/new"); got != "New: Typed." {
		t.Errorf("the note is %q", got)
	}
	w.env.Files = files.Disk{Before: full}
	w.env.Edit = func(context.Context, string, string) error {
		t.Error("the editor opens")
		return nil
	}
	if _, said, status := w.run(t, "note", "write", "Other"); status != 2 || !strings.Contains(said, "cannot be kept in "+filepath.Join(w.env.StateHome, "lithos", "drafts")) {
		t.Errorf("status %d\n%s", status, said)
	}
}

// TestNoteEdit_processes edits with an editor that is a process, on a terminal,
// and ends lithos by a signal meanwhile.
func TestNoteEdit_processes(t *testing.T) {
	dir := t.TempDir()
	seed(t, filepath.Join(dir, ".lithos", "lithos.db"))
	ready, editor := filepath.Join(dir, "ready"), filepath.Join(dir, "editor")
	script := "#!/bin/sh\ntrap '' HUP\necho >" + ready + "\nwhile [ ! -e " + ready + ".go ]; do sleep 0.05; done\nprintf '# Typed\\n\\nText.\\n' > \"$1\"\necho > " + ready + ".done\n"
	if err := os.WriteFile(editor, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("lithos", "note", "write", "By hand", "--tag", "x")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=dumb", "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir,
		"LITHOS_DB=", "LITHOS_DATA_DIR=", "LITHOS_AGENT=mo", "VISUAL=", "EDITOR="+editor)
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	await := func(path string) {
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(path); err == nil {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s does not come", path)
			}
		}
	}
	await(ready)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 143 {
		t.Errorf("it ends with %v", err)
	}
	said, chunk := "", make([]byte, 64<<10) // the editor keeps the terminal open, so that it has no end
	for !strings.Contains(said, "--tag x\r\n") {
		n, err := terminal.Read(chunk)
		if err != nil {
			t.Fatalf("%v after %q", err, said)
		}
		said += string(chunk[:n])
	}
	if err := os.WriteFile(ready+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	await(ready + ".done")
	w := newWorld(t)
	w.env.Dir, w.env.StateHome = dir, dir
	w.bringIn(t, strings.ReplaceAll(said, "\r\n", "\n"), nil)
	out, _, _ := w.run(t, "note", "list", "--jq", `.items[] | "\(.title) \(.path) \(.tags)"`)
	if out != "Typed typed.md [\"x\"]\n" {
		t.Errorf("the notes are %s", out)
	}
}
