package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// onNote fails unless the cursor of the list is on a note.
func (d *driver) onNote(title string) {
	d.t.Helper()
	l, ok := d.m.screen().(*noteList)
	if !ok {
		d.t.Fatalf("the list of notes is not shown:\n%s", d.frame())
	}
	if row, _ := l.entry(); row.Title != title {
		d.t.Errorf("the cursor is on %q, want %q:\n%s", row.Title, title, d.frame())
	}
}

// readFile reads a file of the folder of notes, writeFile writes one.
func (d *driver) readFile(path string) string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(noteFolder(d.path), path))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

func (d *driver) writeFile(path, text string) {
	d.t.Helper()
	if err := (fixtureFile{path: path, text: text}).write(d.path); err != nil {
		d.t.Fatal(err)
	}
}

// glance lets the folder be looked through and what was found be shown.
func (d *driver) glance() {
	d.t.Helper()
	d.pass(passInterval)
}

func TestNotes_list(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	d.press("g", "n")
	d.shows("‹ Board ▸ Notes", "1/6", "gates/ci-gates.md", "db, sqlite", "2h", "stale ci", "archived db", "リースの期限")
	frame := d.frame()
	last := -1
	for _, title := range []string{"SQLite busy", "Lease sweeps", "One claim", "CI gates", "リースの期限", "Polling"} { // the last changed first
		at := strings.Index(frame, title)
		if at <= last {
			t.Errorf("%q does not stand in order:\n%s", title, frame)
		}
		last = at
	}
	d.press("G")
	d.onNote("Polling the journal")
	d.press("g", "g", "j")
	d.onNote("Lease sweeps")
	d.press("y")
	d.shows("Sent to the terminal to copy: " + noteIDOf("6a1e4d"))
	d.press("N")
	d.shows("Cannot show the notes: they are shown.")
	d.press("c") // actions on tasks mean nothing here
	d.hides("Aspect")
	d.press("esc", "q")
	d.cursorOn("3f9a1c")
	d.press(":")
	d.typeText("notes")
	d.press("enter")
	d.shows("▸ Notes")
}

func TestNotes_search(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	d.press("N", "j", "j", "/")
	d.typeText("lea")
	d.shows("/ lea", "2 of 6", "1/2", "Lease sweeps", "Expired leases are filtered")
	d.onNote("Lease sweeps")
	var found strings.Builder
	for _, cell := range d.m.frame().cells {
		if cell.look&underline != 0 {
			found.WriteString(cell.text)
		}
	}
	if found.String() != "Leaseleasesleases" && found.String() != "Leaseleaseslease" {
		t.Errorf("what stands out is %q:\n%s", found.String(), d.frame())
	}
	d.typeText("se zzz")
	d.shows("2 of 6") // any of the words
	d.press("ctrl+u")
	d.shows("1/6")
	d.typeText("wal qqqq")
	d.shows("No note holds that.", "0 of 6", "esc shows all 6 notes.")
	d.press("esc")
	d.onNote("One claim per aspect") // where it was before
	d.press("/")
	d.typeText("期限")
	d.press("enter")
	d.onNote("リースの期限")
	d.press("enter")
	d.shows("期限が切れたリースは次の書き込みで消される。")
	d.press("q")
	d.shows("/ 期限", "1 of 6")
	d.press("esc")
	d.onNote("リースの期限") // it stays on what was found
	d.shows("5/6")
	d.press("esc")
	d.hides("▸ Notes")
}

// TestNotes_lateAnswers: what was asked for earlier never shows over what is
// asked for now.
func TestNotes_lateAnswers(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	d.press("N", "/")
	var held []tea.Cmd
	for _, r := range "polling" {
		_, cmd := d.m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
		held = append(held, cmd)
	}
	for i := len(held) - 1; i >= 0; i-- {
		d.run(held[i])
	}
	d.shows("/ polling", "Polling the journal", "1 of 6")
	l := d.m.screen().(*noteList)
	if l.shown != "polling" || l.total != 1 {
		t.Errorf("shown is what %q finds, %d notes", l.shown, l.total)
	}
}

func TestNotes_read(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	d.press("N", "enter")
	d.shows("5f0d3c SQLite busy handling", "active · observation · v3 · by planner-1 2h ago", "○ 3f9a1c Wire claim lease sweeper", "neither can go on.",
		"Links to 2", "6a1e4d Lease sweeps", "[[Write-ahead log]] no such note", "Made into 1")
	d.press("t")
	d.shows("3f9a1c Wire claim lease sweeper", "Findings 2")
	d.press("q", "G")
	d.shows("storage/sqlite-busy-handling.md", "db, sqlite", "Also by   ada", "https://example.org/busy", "reviewed=yes")
	d.press("g", "g", "tab", "enter")
	d.shows("Board ▸ Notes ▸ SQLite busy handling ▸ Lease sweeps", "Linked from 1", "Made from 1")
	d.press("enter")
	d.shows("▸ Lease sweeps ▸ SQLite busy handling")
	d.press("esc")
	d.shows("6a1e4d Lease sweeps")
	d.press("esc")
	d.shows("5f0d3c SQLite busy handling")
	p := d.m.screen().(*notePage)
	if line, _ := p.at(); line.note != noteIDOf("6a1e4d") {
		t.Errorf("the cursor did not stay on the link: %v", line)
	}
	d.press("shift+tab")
	if line, _ := p.at(); line.card == nil || line.card.ShortID != "3f9a1c" {
		t.Errorf("the cursor is on %v", line)
	}
	d.press("enter")
	d.shows("Findings 2") // of the task
	stats := must[core.NodeStatsResult](t)(d.service.NodeStats(context.Background(), core.NodeStatsRequest{NodeID: noteIDOf("5f0d3c")}))
	read := must[core.NoteReadResult](t)(d.service.NoteRead(context.Background(), core.NoteReadRequest{ID: &stats.NodeID}))
	if read.RetrievalCount != 3 { // each page once, however often it was drawn, and this read
		t.Errorf("the note was read %d times", read.RetrievalCount)
	}
}

func TestNotes_readWide(t *testing.T) {
	d := drive(t, learned(), 140, 40)
	d.press("N")
	d.shows("neither can go on.", "Links to 2") // beside the list
	d.press("j")
	d.pass(time.Second)
	d.shows("The sweep itself happens")
	d.press("k", "enter")
	d.shows("About", "Namespace storage", "neither can go on.")
	d.press("tab", "tab", "enter")
	d.shows("3f9a1c Wire claim lease sweeper", "Findings 2")
}

func TestNotes_edges(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	ctx := context.Background()
	d.press("N") // they are taken up
	state := "open"
	must[core.EdgeUpsertResult](t)(d.service.EdgeUpsert(ctx, core.EdgeUpsertRequest{
		FromID: noteIDOf("7b2f5e"), ToID: noteIDOf("6a1e4d"), Type: "contradicts", Weight: 0.7, Namespace: "x", ConflictState: &state,
	}))
	must[core.EdgeUpsertResult](t)(d.service.EdgeUpsert(ctx, core.EdgeUpsertRequest{
		FromID: noteIDOf("7b2f5e"), ToID: "nobody-knows-it", Type: "su\x1b[31mpports", Weight: 1, Namespace: "x",
	}))
	d.press("j", "j", "enter")
	d.shows("Edges 2", "contradicts → 6a1e4d Lease sweeps  0.7", "    open", "no such note", "Linked from 1", "9d4b70 CI gates and flaky runs")
	d.press("q", "k", "enter")
	d.shows("contradicts ← 7b2f5e One claim per aspect")
}

func TestNotes_write(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	d.press("N", "n")
	d.shows("New note", "Folder")
	d.typeText("Write-ahead log")
	d.press("tab")
	d.typeText("storage")
	d.press("tab")
	d.typeText("db, wal")
	d.press("tab")
	d.typeText("Readers do not wait.")
	d.press("ctrl+s")
	d.shows("wrote storage/write-ahead-log.md", "1/7")
	d.onNote("Write-ahead log")
	if text := d.readFile("storage/write-ahead-log.md"); !strings.Contains(text, "author: you@box\n") || !strings.HasSuffix(text, "# Write-ahead log\n\nReaders do not wait.") {
		t.Errorf("the file is\n%s", text)
	}
	if want := "lithos note write 'Write-ahead log' --content"; !strings.HasPrefix(d.m.command, want) {
		t.Errorf("the command is %q, want %q", d.m.command, want)
	}
	d.press("n")
	d.typeText("Write-ahead log")
	d.press("tab")
	d.typeText("storage")
	d.press("ctrl+s")
	d.shows("New note", "slug_collision") // nothing typed is lost
	d.press("esc", "y")

	d.press("e")
	d.shows("Edit note", "v1", "storage/write-ahead-log.md")
	d.press("ctrl+u")
	d.typeText("The write-ahead log")
	d.press("ctrl+s")
	d.shows("as v2", "The write-ahead log")
	d.press("U")
	d.shows("took the edit of", "back")
	if text := d.readFile("storage/write-ahead-log.md"); !strings.Contains(text, "# Write-ahead log\n") || !strings.Contains(text, "version: 3\n") {
		t.Errorf("the file is\n%s", text)
	}

	d.press("a")
	d.shows("archived Write-ahead log"[:9])
	if text := d.readFile("storage/write-ahead-log.md"); !strings.Contains(text, "status: archived\n") {
		t.Errorf("the file is\n%s", text)
	}
	d.press("a")
	if text := d.readFile("storage/write-ahead-log.md"); !strings.Contains(text, "status: active\n") {
		t.Errorf("the file is\n%s", text)
	}
	d.press("enter", "X")
	d.shows("Delete note", "The file is removed for good.")
	d.press("enter") // on Keep
	d.hides("Delete note")
	d.press("X", "y")
	d.shows("deleted", "Write-ahead log", "1/6")
	if _, err := os.Stat(filepath.Join(noteFolder(d.path), "storage/write-ahead-log.md")); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

// TestNotes_conflict: what was changed meanwhile is not written over unseen, be
// it through an operation or by hand, which moves no version.
func TestNotes_conflict(t *testing.T) {
	for _, byHand := range []bool{false, true} {
		t.Run(fmt.Sprint("by hand ", byHand), func(t *testing.T) {
			d := drive(t, learned(), 80, 24)
			d.press("N", "j", "e", "tab", "tab")
			d.typeText(" And soon.")
			if byHand {
				d.writeFile("lease-sweeps.md", strings.Replace(d.readFile("lease-sweeps.md"), "Expired leases", "Old leases", 1))
			} else {
				title := "Sweeping leases"
				must[core.NoteWriteResult](t)(d.service.NoteUpdate(context.Background(), core.NoteUpdateRequest{ID: noteIDOf("6a1e4d"), Agent: "mo", Title: &title}))
			}
			d.press("ctrl+s")
			d.shows("6a1e4d changed meanwhile", "yours: ", "theirs: ")
			if byHand {
				d.shows("Its file was edited by hand meanwhile.", "theirs: Old leases")
			} else {
				d.shows("You edited v1; it is v2 now", "theirs: Sweeping leases")
			}
			d.press("enter") // keep editing
			d.shows("Edit note 6a1e4d", "And soon.")
			d.press("ctrl+s", "ctrl+s") // save mine
			d.hides("Edit note")
			text := d.readFile("lease-sweeps.md")
			if !strings.Contains(text, "busy store. And soon.") {
				t.Errorf("the file is\n%s", text)
			}
			if !byHand && !strings.Contains(text, "# Sweeping leases\n") {
				t.Errorf("their title is lost:\n%s", text)
			}
		})
	}
}

// TestNotes_editor edits in an editor of one's own; a refused text stays.
func TestNotes_editor(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	d.m.leaveScreen = func(c tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
		args := c.(process).Args
		path := args[len(args)-1]
		text, err := os.ReadFile(path)
		if err == nil {
			d.writeFile("lease-sweeps.md", strings.Replace(d.readFile("lease-sweeps.md"), "Expired", "Old", 1)) // meanwhile
			err = os.WriteFile(path, []byte(strings.Replace(string(text), "# Lease sweeps\n", "# Sweeps\n", 1)+"\nAnd more.\n"), 0o600)
		}
		return func() tea.Msg { return done(err) }
	}
	d.press("N", "j", "E")
	d.shows("6a1e4d changed meanwhile", "yours: Sweeps")
	d.press("enter")
	d.shows("Edit note 6a1e4d", "Sweeps", "And more.")
	d.press("ctrl+s", "ctrl+s")
	d.shows("saved 6a1e4d as v2")
	if text := d.readFile("lease-sweeps.md"); !strings.HasSuffix(text, "busy store.\n\nAnd more.") || !strings.Contains(text, "# Sweeps\n") {
		t.Errorf("the file is\n%s", text)
	}
}

// TestNotes_live: files edited by hand show within about two seconds, and
// neither the cursor nor what was scrolled moves.
func TestNotes_live(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	d.press("N", "j", "j")
	d.onNote("One claim per aspect")
	d.writeFile("brand-new.md", "# Brand new\n\nBy hand.\n")
	d.glance()
	d.shows("Brand new", "4/7", "changes by disk")
	d.onNote("One claim per aspect")
	if err := os.Remove(filepath.Join(noteFolder(d.path), "brand-new.md")); err != nil {
		t.Fatal(err)
	}
	d.glance()
	d.onNote("One claim per aspect")
	d.shows("3/6")

	var long strings.Builder
	for i := range 60 {
		fmt.Fprintf(&long, "paragraph %d\n\n", i)
	}
	path := "decisions/one-claim-per-aspect.md"
	d.writeFile(path, d.readFile(path)+"\n"+long.String())
	d.press("enter")
	d.shows("Two people may hold a task")
	d.press("ctrl+d", "ctrl+d")
	top := d.m.screen().(*notePage).top
	d.shows("paragraph 9")
	d.writeFile(path, d.readFile(path)+"The very end.\n")
	d.glance()
	if p := d.m.screen().(*notePage); p.top != top || top == 0 {
		t.Errorf("it has scrolled from %d to %d", top, p.top)
	}
	d.press("G")
	d.shows("decisions/one-claim-per-aspect.md", "The very end.")

	d.press("q", "q") // nobody looks on the board
	d.glance()
	d.writeFile("later.md", "# Later\n\nText\n")
	d.glance()
	d.glance()
	if d.m.folder.running {
		t.Error("the folder is still looked through")
	}
	d.press("N")
	d.shows("Later")
}

// TestNotes_gone: a note that is deleted while it is read says so.
func TestNotes_gone(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	d.press("N", "enter")
	must[core.NoteDeleteResult](t)(d.service.NoteDelete(context.Background(), core.NoteDeleteRequest{ID: noteIDOf("5f0d3c"), Agent: "mo"}))
	d.poll()
	d.shows("There is no note")
	d.press("e")
	d.shows("Cannot edit note: there is no note")
	d.press("q")
	d.shows("1/5")
	d.onNote("Lease sweeps")
}

func TestNotes_ofTask(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	d.press("N", "q", "enter")
	d.shows("Findings 2", "note 5f0d3c SQLite busy handling", "Notes 1", "2h 5f0d3c SQLite busy handling")
	d.press("enter")
	d.shows("▸ 3f9a1c ▸ SQLite busy handling", "neither can go on.")
	d.press("q", "5")
	d.shows("note 5f0d3c SQLite busy handling")
	d.press("j", "enter")
	d.shows("neither can go on.")
	d.press("q", "q")
	must[core.NoteDeleteResult](t)(d.service.NoteDelete(context.Background(), core.NoteDeleteRequest{ID: noteIDOf("5f0d3c"), Agent: "mo"}))
	d.press("enter")
	d.shows("00 no such note"[3:])
	d.hides("Notes 1")
}

func TestNotes_empty(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {44, 16}, {40, 12}} {
		d := drive(t, acme, size[0], size[1])
		d.press("N")
		d.shows("There are no notes yet.", "n  writes the first")
		d.press("enter")
		d.shows("Cannot read note")
		d.press("e", "X", "a", "y", "G", "/")
		d.typeText("x")
		d.shows("No note holds that.")
		d.press("esc")
	}
}

// TestNotes_unreadable: files that are no notes are counted, and a folder that
// cannot be looked through says so.
func TestNotes_unreadable(t *testing.T) {
	f := learned()
	f.files = append(f.files, fixtureFile{path: "broken.md", text: "---\ncreated_at: never\n---\n\nText\n"})
	d := drive(t, f, 80, 24)
	d.press("N")
	d.shows("1 file unreadable", "1/6")
}

// TestNotes_hostile: the text of notes never reaches the terminal as it is.
func TestNotes_hostile(t *testing.T) {
	f := acme
	evil := "\x1b[31mred\x1b]52;c;aGk=\x07 \u202eevil \u2066iso"
	f.files = []fixtureFile{
		{path: "evil\u202e.md", id: "evil\u202eid", title: `"x` + "\u202e" + `y"`, front: "tags: [\"\\e[5m\", \"\\u202e\"]\nauthor: \"\\e[5mblink\"\nsource: \"\\e[2J\"\nx: \"\\e[2J\"", text: evil + "\n\n[[" + evil + "|y]]\n\n```\n" + evil + "\n```\n"},
		{path: "wide.md", text: "# " + strings.Repeat("買い物", 60) + "\n\n" + strings.Repeat("👩‍👩‍👧‍👦", 200)},
	}
	for _, size := range [][2]int{{80, 24}, {140, 40}, {44, 16}} {
		d := drive(t, f, size[0], size[1])
		check := func() {
			t.Helper()
			for _, r := range d.frame() {
				if r != '\n' && (r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069) {
					t.Fatalf("%U is on screen:\n%q", r, d.frame())
				}
			}
			if styled := d.m.View(); strings.Contains(styled, "\x1b]") || strings.Contains(styled, "\x1b[31mred") || strings.Contains(styled, "\x1b[2J") {
				t.Fatalf("a sequence of a note is on screen:\n%q", styled)
			}
		}
		d.press("N")
		check()
		for range 2 {
			d.press("enter")
			check()
			d.press("G")
			check()
			d.press("X")
			check()
			d.press("esc", "e")
			check()
			d.press("esc", "q", "j")
		}
		d.press("/")
		d.typeText("red")
		check()
	}
}

func TestNotes_ascii(t *testing.T) {
	f := learned()
	f.files = f.files[:5]
	d := drive(t, f, 80, 24, func(o *Options) { o.ASCII = true })
	for _, keys := range [][]string{{"N"}, {"/", "l", "e", "a", "s", "e"}, {"enter", "enter"}, {"q", "esc", "enter"}} {
		d.press(keys...)
		for _, r := range d.frame() {
			if r > 0x7e {
				t.Fatalf("%q is on screen:\n%s", r, d.frame())
			}
		}
	}
}

// TestNotes_readOnly: nothing can be written, everything read.
func TestNotes_readOnly(t *testing.T) {
	d := drive(t, learned(), 80, 24)
	d.press("N")
	d.m.options.ReadOnly = true
	d.press("n")
	d.shows("Cannot write a note: the store is read-only.")
	d.press("enter")
	d.shows("neither can go on.")
	d.press("X")
	d.shows("Cannot delete note: the store is read-only.")
}

// TestNotes_window: of many notes only those around the screen are read.
func TestNotes_window(t *testing.T) {
	f := acme
	for i := range 400 {
		f.files = append(f.files, fixtureFile{
			path: fmt.Sprintf("n/%03d.md", i), id: fmt.Sprintf("%06x-many-notes", 0x100000+i*7919), title: fmt.Sprintf("Note %03d", i), age: time.Duration(i) * time.Minute, text: "words",
		})
	}
	d := drive(t, f, 80, 24)
	d.press("N")
	d.shows("1/400", "Note 000")
	l := d.m.screen().(*noteList)
	most := l.height + 2*margin
	for _, keys := range [][]string{{"pgdown"}, {"pgdown", "pgdown", "pgdown"}, {"G"}, {"k", "k"}} {
		d.press(keys...)
		if n := len(l.entries); n == 0 || n > 2*most {
			t.Errorf("%d rows are loaded", n)
		}
		row, ok := l.entry()
		if want := fmt.Sprintf("Note %03d", l.cursor); !ok || row.Title != want {
			t.Errorf("the cursor is on %q, want %q", row.Title, want)
		}
	}
	d.shows("398/400")
	d.writeFile("n/000.md", "# First\n\nnow\n")
	d.glance()
	d.onNote("Note 397")
}
