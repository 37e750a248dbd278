package tui

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// converseAboutNotes is converse with notes beside the tasks, and their list in
// front.
func converseAboutNotes(t *testing.T, answers ...string) (*driver, *bytes.Buffer) {
	t.Helper()
	d := drive(t, learned(), 80, 24, func(o *Options) { o.Accessible = true })
	var out bytes.Buffer
	in := io.Reader(strings.NewReader(strings.Join(answers, "\n") + "\n"))
	d.m.leaveScreen = func(c tea.ExecCommand, then tea.ExecCallback) tea.Cmd {
		return func() tea.Msg {
			c.SetStdin(oneByte{in}) // a terminal gives one line at a time
			c.SetStdout(&out)
			return then(c.Run())
		}
	}
	d.press("N")
	return d, &out
}

func TestAccessible_noteNew(t *testing.T) {
	d, out := converseAboutNotes(t,
		"Schreib-Sperre \U0001f512", "storage", "db, lock", "First line.", "", "- third", ".", "",
		"Schreib-Sperre", "storage", "", "Typed in vain.", ".", "", // the name is taken: it is said and asked again
		"Other lock", "", "", "", "1")
	d.press("n")
	says(t, out.String(), "New note\n", "Ctrl+D leaves and changes nothing", "Title: ", "Folder, or a file ending in .md: ",
		"Tags, separated by commas: ", "Text, a line with only . ends it:\n> > > > ", "  1. Save\n  2. Discard\nThen [1]: ")
	d.shows("wrote storage/schreib-sperre.md")
	if text := d.readFile("storage/schreib-sperre.md"); !strings.Contains(text, "\n# Schreib-Sperre \U0001f512\n\nFirst line.\n\n- third") || !strings.Contains(text, "  - db\n  - lock\n") {
		t.Errorf("the file is\n%s", text)
	}
	out.Reset()
	d.press("n")
	says(t, out.String(), "(slug_collision)", "Title [Schreib-Sperre, - empties]: ", "Folder, or a file ending in .md [storage, - empties]: ",
		"Text:\n  Typed in vain.\nChange it? [y/N]: ", "Then [1]: ")
	d.shows("wrote storage/other-lock.md")
	if text := d.readFile("storage/other-lock.md"); !strings.Contains(text, "\n# Other lock\n\nTyped in vain.") {
		t.Errorf("the file is\n%s", text)
	}
}

func TestAccessible_noteEdit(t *testing.T) {
	d, out := converseAboutNotes(t, "", "-", "y", "Another text.", "Of two lines.", ".", "")
	d.onNote("SQLite busy handling")
	d.press("e")
	says(t, out.String(), "Edit note 5f0d3c", "v3\n", "Title [SQLite busy handling, - empties]: ", "Path", "storage/sqlite-busy-handling.md",
		"Tags, separated by commas [db, sqlite, - empties]: ", "Text:\n  Begin writes with `IMMEDIATE`", "  - then tell the person\n", "Change it? [y/N]: ", "Then [1]: ")
	d.shows("as v4")
	text := d.readFile("storage/sqlite-busy-handling.md")
	for _, part := range []string{"\n# SQLite busy handling\n\nAnother text.\nOf two lines.", "\ntags: []\n", "\nreviewed: 'yes'\n", "\nversion: 4\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("the file has no %q:\n%s", part, text)
		}
	}
}

// TestAccessible_noteLeft holds that the end of the input leaves a note as it
// is, wherever it comes.
func TestAccessible_noteLeft(t *testing.T) {
	for _, answers := range [][]string{nil, {"Another title"}, {"", "", "y", "Typed."}} {
		d, out := converseAboutNotes(t, answers...)
		before := d.readFile("storage/sqlite-busy-handling.md")
		d.press("e")
		says(t, out.String(), "Edit note 5f0d3c", "Title [SQLite busy handling, - empties]: ")
		d.hides("Edit note")
		if after := d.readFile("storage/sqlite-busy-handling.md"); after != before {
			t.Errorf("%q: the file became\n%s", answers, after)
		}
		d.press("j") // keys work again
		d.onNote("Lease sweeps")
	}
}

// TestAccessible_noteConflict holds that a note that was changed meanwhile is
// told as such, with all three texts, and that either can be taken.
func TestAccessible_noteConflict(t *testing.T) {
	for name, test := range map[string]struct {
		answers []string
		want    string
		said    string
	}{
		"mine":   {[]string{"", "", "y", "Mine.", ".", "", "1"}, "# SQLite busy handling\n\nMine.", "saved 5f0d3c as v4"},
		"theirs": {[]string{"", "", "y", "Mine.", ".", "", "2", "y"}, "# SQLite busy handling\n\nTheirs.", "was thrown away"},
		"kept":   {[]string{"", "", "y", "Mine.", ".", "", "2", "n", "1"}, "# SQLite busy handling\n\nMine.", "saved 5f0d3c as v4"},
		"again":  {[]string{"", "", "y", "Mine.", ".", "", "3", "Both", "", "", "1", "1"}, "# Both\n\nMine.", "saved 5f0d3c as v4"},
	} {
		t.Run(name, func(t *testing.T) {
			d, out := converseAboutNotes(t, test.answers...)
			leave, first := d.m.leaveScreen, true
			d.m.leaveScreen = func(c tea.ExecCommand, then tea.ExecCallback) tea.Cmd {
				cmd := leave(c, then)
				if !first {
					return cmd
				}
				first = false
				return func() tea.Msg {
					msg := cmd()
					path := filepath.Join(noteFolder(d.path), "storage/sqlite-busy-handling.md")
					text := d.readFile("storage/sqlite-busy-handling.md")
					start := strings.Index(text, "Begin writes")
					if err := os.WriteFile(path, []byte(text[:start]+"Theirs.\n"), 0o600); err != nil {
						t.Error(err)
					}
					return msg
				}
			}
			d.press("e")
			says(t, out.String(), "5f0d3c changed meanwhile", "Its file was edited by hand meanwhile.", "Mine.", "Theirs.", "  1. Save mine\n  2. Take theirs\n  3. Keep editing\nThen [3]: ")
			if !strings.Contains(d.frame(), test.said) {
				t.Errorf("%q is not said after\n%s\non\n%s", test.said, out, d.frame())
			}
			if text := d.readFile("storage/sqlite-busy-handling.md"); !strings.Contains(text, "\n"+test.want) {
				t.Errorf("the file is\n%s\nafter\n%s", text, out)
			}
		})
	}
}

func TestAccessible_noteDelete(t *testing.T) {
	d, out := converseAboutNotes(t, "", "1")
	d.press("X")
	says(t, out.String(), "Delete note", "The file is removed for good.", "Then [2]: ")
	before := d.readFile("storage/sqlite-busy-handling.md")
	if before == "" {
		t.Error("the file is gone")
	}
	d.press("X")
	d.shows("deleted")
	if _, err := os.Stat(filepath.Join(noteFolder(d.path), "storage/sqlite-busy-handling.md")); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}
