package cli_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
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

// TestNoteWrite_flagsAlone holds that title and flags of the command line count
// although the text is left as it is.
func TestNoteWrite_flagsAlone(t *testing.T) {
	w := editing(t, func(text string) string { return text })
	if out, said, status := w.run(t, "note", "write", "Locks", "--id", "locks-1"); status != 0 || out != "" || said != "Nothing was changed.\n" {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if out, said, status := w.run(t, "note", "write", "Bolts", "--id", "locks-1", "--tag", "new"); status != 0 {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	out, _, _ := w.run(t, "note", "read", "locks-1", "--jq", `"\(.title) \(.metadata.tags) \(.content)"`)
	if out != "Bolts [\"new\"] One writer holds the lock at a time.\n" {
		t.Errorf("the note became %q", out)
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

// kept is the text that standard error says is kept, in the folder of drafts,
// and the command that standard error ends with, which brings it in.
func kept(t *testing.T, w *world, said string) (text string, command []string) {
	t.Helper()
	found := regexp.MustCompile(`your text is kept in (\S+)\.\n  [a-z ,]+: (lithos note write .+)\n$`).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("nothing is said to be kept:\n%s", said)
	}
	if filepath.Dir(found[1]) != filepath.Join(w.env.StateHome, "lithos", "drafts") {
		t.Errorf("it is kept in %s", found[1])
	}
	content, err := os.ReadFile(found[1])
	if err != nil {
		t.Fatal(err)
	}
	words, err := exec.Command("sh", "-c", `printf '%s\0' `+found[2]).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(content), strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
}

// bringIn runs the command that brings a text in, and holds that the text is
// no longer kept. settle, unless nil, is done to the text before.
func (w *world) bringIn(t *testing.T, said string, settle func(string) string) {
	t.Helper()
	text, command := kept(t, w, said)
	if settle != nil {
		path := command[slices.Index(command, "--file")+1]
		if err := os.WriteFile(path, []byte(settle(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, said, status := w.run(t, command[1:]...); status != 0 || said != "" {
		t.Fatalf("%q: status %d\n%s", command, status, said)
	}
	noDrafts(t, w)
}

// noDrafts holds that no text of an editor is left.
func noDrafts(t *testing.T, w *world) {
	t.Helper()
	left, err := os.ReadDir(filepath.Join(w.env.StateHome, "lithos", "drafts"))
	if err != nil && !os.IsNotExist(err) || len(left) > 0 {
		t.Errorf("left are %q, %v", left, err)
	}
}

// noteAt is title and text of the note at a path.
func (w *world) noteAt(t *testing.T, path string) string {
	t.Helper()
	out, said, _ := w.run(t, "note", "read", "--path", path, "--jq", `"\(.title): \(.content)"`)
	return strings.TrimSpace(out + said)
}

// failing is an editor that saves, then fails.
func (w *world) failing(t *testing.T, how string) {
	t.Helper()
	edit := w.env.Edit
	w.env.Edit = func(ctx context.Context, command, path string) error {
		return errors.Join(edit(ctx, command, path), exec.Command("sh", "-c", how).Run())
	}
}

// TestNoteEdit_lost holds that what was typed is kept when it cannot be
// written, whatever the cause, and comes in with the command that is told.
func TestNoteEdit_lost(t *testing.T) {
	note := filepath.Join("knowledge", "storage", "locks.md")
	rewrite := func(from, to string) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			text := strings.Replace(noteFiles["storage/locks.md"], from, to, 1)
			if err := os.WriteFile(filepath.Join(w.env.Dir, note), []byte(text), 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	replace := func(from, to string) func(string) string {
		return func(text string) string { return strings.ReplaceAll(text, from, to) }
	}
	const typed, done = "# Locks\n\nTyped.", "Locks: Typed."
	long := strings.Repeat("x", 600)
	large := strings.Repeat("x", 1_000_001)
	for name, test := range map[string]struct {
		text      string
		meanwhile func(*testing.T, *world)
		fails     string
		status    int
		said      string
		settle    func(string) string
		becomes   string
	}{
		"another version":     {typed, rewrite("author: mo", "author: mo\nversion: 5"), "", 5, "has version 5, not 1", nil, done},
		"changed by hand":     {typed, rewrite("One writer", "Two writers"), "", 5, "changed by hand meanwhile", nil, done},
		"taken up before":     {typed, func(t *testing.T, w *world) { rewrite("One writer", "Two")(t, w); w.beside().run(t, "note", "list") }, "", 5, "changed by hand meanwhile", nil, done},
		"the note is gone":    {typed, func(t *testing.T, w *world) { os.Remove(filepath.Join(w.env.Dir, note)) }, "", 3, "no note", nil, done},
		"the editor fails":    {typed, nil, "exit 1", 2, "The editor 'ed' failed: exit status 1.", nil, done},
		"the editor is ended": {typed, nil, "kill -9 $$", 2, "The editor 'ed' failed: signal: killed.", nil, done},
		"a title too long":    {"# " + long + "\n\nTyped.", nil, "", 2, "title", replace(long, "Short"), "Short: Typed."},
		"no UTF-8":            {"# Locks\n\nTyp\xffed.", nil, "", 2, "UTF-8", replace("\xff", ""), done},
		"NUL":                 {"# Locks\n\nTyp\x00ed.", nil, "", 2, "NUL", replace("\x00", ""), done},
		"too large":           {"# Locks\n\n" + large, nil, "", 2, "content", replace(large, "Typed."), done},
		"only a title":        {"# Another title\n", nil, "", 2, "The text was emptied", nil, "Another title:"},
		"no title":            {"Typed.", nil, "exit 1", 2, "failed", nil, done},
	} {
		t.Run(name, func(t *testing.T) {
			var w *world
			w = editing(t, func(string) string {
				if test.meanwhile != nil {
					test.meanwhile(t, w)
				}
				return test.text
			})
			if test.fails != "" {
				w.failing(t, test.fails)
			}
			_, said, status := w.run(t, "note", "edit", "locks-1")
			if status != test.status || !strings.Contains(said, test.said) {
				t.Errorf("status %d\n%s", status, said)
			}
			if got, _ := kept(t, w, said); got != test.text {
				t.Errorf("kept was %q", got)
			}
			w.bringIn(t, said, test.settle)
			if got := w.noteAt(t, "storage/locks"); got != test.becomes {
				t.Errorf("the note became %q", got)
			}
		})
	}
}

// TestNoteEdit_nothingTyped holds that an editor that cannot be run, or that is
// left as one leaves it to change nothing, leaves nothing behind.
func TestNoteEdit_nothingTyped(t *testing.T) {
	for failure, told := range map[error]string{
		&exec.Error{Name: "ed", Err: exec.ErrNotFound}: `The editor 'ed' could not be started: exec: "ed": executable file not found in $PATH. Name another with $VISUAL or $EDITOR.`,
		nil: "Nothing was ",
	} {
		w := editing(t, func(text string) string { return text })
		w.env.Edit = func(context.Context, string, string) error { return failure }
		for _, arguments := range [][]string{{"note", "edit", "locks-1"}, {"note", "write", "New"}, {"note", "write", "Locks", "--id", "locks-1"}} {
			if out, said, status := w.run(t, arguments...); (status == 0) != (failure == nil) || out != "" || strings.Contains(said, "kept") || !strings.Contains(said, told) {
				t.Errorf("%v: status %d\n%s%s", arguments, status, out, said)
			}
		}
		noDrafts(t, w)
		if out, _, _ := w.run(t, "note", "list", "--jq", ".total"); out != "4\n" {
			t.Errorf("there are %s notes", out)
		}
	}
}

// TestNoteEdit_emptyTitle holds that a note keeps its title when the one in the
// editor is emptied.
func TestNoteEdit_emptyTitle(t *testing.T) {
	for _, text := range []string{"# \n\nTyped.", "#\nTyped.\n", "Typed."} {
		w := editing(t, func(string) string { return text })
		if out, said, status := w.run(t, "note", "edit", "locks-1"); status != 0 || !strings.HasPrefix(out, "Updated locks- Locks\n") {
			t.Errorf("%q: status %d\n%s%s", text, status, out, said)
		}
		if out, _, _ := w.run(t, "note", "read", "locks-1", "--jq", `"\(.title) \(.content)"`); out != "Locks Typed.\n" {
			t.Errorf("%q: the note became %q", text, out)
		}
	}
}

// TestNoteEdit_ended holds that a program that is ended says where the editor,
// which goes on, saves to, and how that comes in.
func TestNoteEdit_ended(t *testing.T) {
	w := editing(t, func(text string) string { return text })
	signals, told, over := make(chan os.Signal, 1), make(chan struct{}), make(chan error, 1)
	w.env.Signals = func() (<-chan os.Signal, func()) { return signals, func() {} }
	w.env.Edit = func(ctx context.Context, _, path string) error {
		signals <- syscall.SIGHUP
		<-told
		over <- errors.Join(ctx.Err(), os.WriteFile(path, []byte("# Locks for all\n\nTyped afterwards.\n"), 0o600))
		return nil
	}
	_, said, status := w.run(t, "note", "edit", "locks-1")
	close(told)
	if err := <-over; err != nil {
		t.Errorf("the editor is ended too: %v", err)
	}
	if status != 129 {
		t.Errorf("status %d\n%s", status, said)
	}
	w.env.Signals = nil
	w.bringIn(t, said, nil)
	if got := w.noteAt(t, "storage/locks"); got != "Locks for all: Typed afterwards." {
		t.Errorf("the note became %q", got)
	}
}

// TestNoteEdit_endedTogether holds that a signal that ends the editor as well
// leaves nothing where nothing was typed.
func TestNoteEdit_endedTogether(t *testing.T) {
	w := editing(t, func(text string) string { return text })
	signals := make(chan os.Signal, 1)
	w.env.Signals = func() (<-chan os.Signal, func()) { return signals, func() {} }
	w.env.Edit = func(context.Context, string, string) error {
		signals <- os.Interrupt
		return exec.Command("sh", "-c", "kill -2 $$").Run()
	}
	if _, said, status := w.run(t, "note", "edit", "locks-1"); status == 0 || strings.Contains(said, "kept") {
		t.Errorf("status %d\n%s", status, said)
	}
	noDrafts(t, w)
}

// TestNoteWrite_editor holds that without a text a terminal opens the editor,
// where the title can be changed as well, and nothing else does.
func TestNoteWrite_editor(t *testing.T) {
	w := editing(t, func(text string) string { return text + "\nWritten in the editor.\n" })
	if out, said, status := w.run(t, "note", "write", "By hand"); status != 0 || !strings.HasPrefix(out, "Created ") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if got := w.noteAt(t, "by-hand"); got != "By hand: Written in the editor." {
		t.Errorf("the note is %q", got)
	}
	w.env.Edit = func(_ context.Context, _, path string) error {
		return os.WriteFile(path, []byte("# Another title\n\nText."), 0o600)
	}
	if out, said, status := w.run(t, "note", "write", "A title"); status != 0 || !strings.HasSuffix(strings.Split(out, "\n")[0], " Another title") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	noDrafts(t, w)
	// Typed, the title is taken by now. What else was asked for comes in as well.
	_, said, status := w.run(t, "note", "write", "A title", "--tag", "it's", "--meta", "a=b c")
	if status != 4 {
		t.Errorf("status %d\n%s", status, said)
	}
	w.bringIn(t, said, nil)
	out, _, _ := w.run(t, "note", "read", "--path", "another-title-2", "--jq", `"\(.title) \(.content) \(.metadata.tags) \(.metadata.extra)"`)
	if out != "Another title 2 Text. [\"it's\"] {\"a\":\"b c\"}\n" {
		t.Errorf("the note is %s", out)
	}
	// So is the title of another note that is edited.
	if _, said, status = w.run(t, "note", "edit", wordOf(t, w, "by-hand")); status != 4 {
		t.Errorf("status %d\n%s", status, said)
	}
	w.bringIn(t, said, nil)
	if got := w.noteAt(t, "by-hand"); got != "By hand: Text." {
		t.Errorf("the note is %q", got)
	}
	// No text is no note.
	w.env.Edit = func(_ context.Context, _, path string) error { return os.WriteFile(path, nil, 0o600) }
	if out, said, status := w.run(t, "note", "write", "Empty"); status != 2 || out != "" || !strings.Contains(said, "The text is empty, so no note was made") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	noDrafts(t, w)
	if out, _, status := w.run(t, "note", "write", "No text", "--json"); status != 2 || !strings.Contains(out, `"reason":"missing_field","field":"content"`) {
		t.Errorf("status %d: %s", status, out)
	}
}

// wordOf is the id of the note at a path.
func wordOf(t *testing.T, w *world, path string) string {
	t.Helper()
	out, _, _ := w.run(t, "note", "read", "--path", path, "--jq", ".id")
	return strings.TrimSpace(out)
}

// TestNoteWrite_editorWithID holds that the editor is given the text of the
// note, under the title of the command line.
func TestNoteWrite_editorWithID(t *testing.T) {
	w := editing(t, func(text string) string {
		if !strings.HasPrefix(text, "# Write locks\n\nOne writer") {
			t.Errorf("the editor is given %q", text)
		}
		return text + "\nMore.\n"
	})
	if out, said, status := w.run(t, "note", "write", "Write locks", "--id", "locks-1", "--tag", "db"); status != 0 || !strings.HasPrefix(out, "Updated locks- Write locks\n") {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if got := w.noteAt(t, "storage/locks"); got != "Write locks: One writer holds the lock at a time.\n\nMore." {
		t.Errorf("the note became %q", got)
	}
}

// TestNoteEdit_early holds that what is refused whatever is typed is refused
// before an editor opens.
func TestNoteEdit_early(t *testing.T) {
	for _, test := range []struct {
		arguments []string
		editor    string
		status    int
		said      string
	}{
		{[]string{"note", "write", "Queue"}, "ed", 4, "already has the file name of that title"},
		{[]string{"note", "write", "x", "--path", "storage/locks.md"}, "ed", 4, "already exists"},
		{[]string{"note", "write", "x", "--source-url", "ftp://x"}, "ed", 2, "http"},
		{[]string{"note", "write", "x", "--confidence", "7"}, "ed", 2, "confidence"},
		{[]string{"note", "write", "x", "--id", "unknown-1"}, "ed", 3, "There is no note"},
		{[]string{"note", "write", "x", "--id", "locks-1", "--expected-version", "7"}, "ed", 5, "has version 1, not 7"},
		{[]string{"note", "edit", "unknown-1"}, "ed", 3, "There is no note"},
		{[]string{"note", "edit", "locks-1", "--read-only"}, "ed", 10, "only"},
		{[]string{"note", "write", "x", "--read-only"}, "ed", 10, "only"},
		{[]string{"note", "write", "x"}, "", 2, "No editor is named: set $VISUAL or $EDITOR"},
		{[]string{"note", "edit", "locks-1"}, "", 2, "No editor is named: set $VISUAL or $EDITOR"},
	} {
		w := editing(t, func(text string) string { t.Errorf("%q opens the editor", test.arguments); return text })
		w.run(t, "note", "list") // takes the files up, which --read-only cannot
		w.variables["EDITOR"] = test.editor
		if out, said, status := w.run(t, test.arguments...); status != test.status || out != "" || !strings.Contains(said, test.said) {
			t.Errorf("%q: status %d\n%s%s", test.arguments, status, out, said)
		}
		noDrafts(t, w)
		if out, _, _ := w.run(t, "note", "list", "--jq", ".total"); out != "4\n" {
			t.Errorf("%q: there are %s notes", test.arguments, out)
		}
	}
}

// TestNoteWrite_fileWithTitle holds that a file that begins with a heading needs
// no other title, and that one with another title is text from its first line.
func TestNoteWrite_fileWithTitle(t *testing.T) {
	w := seeded(t)
	w.file(t, "a.md", "# From the file\n\nText.\n")
	w.file(t, "b.md", "Text.\n")
	for _, test := range []struct {
		arguments []string
		path      string
		becomes   string
	}{
		{[]string{"--file", "a.md"}, "from-the-file", "From the file: Text."},
		{[]string{"Given", "--file", "a.md"}, "given", "Given: # From the file\n\nText."},
	} {
		if _, said, status := w.run(t, append([]string{"note", "write"}, test.arguments...)...); status != 0 {
			t.Errorf("%q: status %d\n%s", test.arguments, status, said)
		}
		if got := w.noteAt(t, test.path); got != test.becomes {
			t.Errorf("%q became %q", test.arguments, got)
		}
	}
	for _, arguments := range [][]string{{"--file", "b.md"}, {"--content", "x"}, nil} {
		if _, said, status := w.run(t, append([]string{"note", "write"}, arguments...)...); status != 2 || !strings.Contains(said, "TITLE is missing") {
			t.Errorf("%q: status %d\n%s", arguments, status, said)
		}
	}
	if _, err := os.Stat(filepath.Join(w.env.Dir, "a.md")); err != nil {
		t.Errorf("a file of the person is gone: %v", err)
	}
}
