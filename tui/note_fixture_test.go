package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/files"
	"dev.lithos/store/knowledge"
)

// fixtureFile is a file in the folder of notes.
type fixtureFile struct {
	path  string
	id    string // of the note; empty: the text is the whole file
	title string
	age   time.Duration
	front string // further lines of the front matter
	text  string
}

// noteFolder is the folder of notes of a store.
func noteFolder(store string) string { return filepath.Join(filepath.Dir(store), "knowledge") }

func notesBeside(store string) core.NoteFolder {
	return knowledge.New(func() string { return noteFolder(store) }, files.Disk{})
}

// content is what stands in the file.
func (f fixtureFile) content() string {
	if f.id == "" {
		return f.text
	}
	at := core.StampOf(noon).Add(-f.age)
	front := []string{"---", "author: planner-1", fmt.Sprintf("created_at: '%s'", at), "id: " + f.id, "title: " + f.title, fmt.Sprintf("updated_at: '%s'", at)}
	if f.front != "" {
		front = append(front, f.front)
	}
	return strings.Join(front, "\n") + "\n---\n\n# " + f.title + "\n\n" + f.text + "\n"
}

// write makes the file beside a store.
func (f fixtureFile) write(store string) error {
	path := filepath.Join(noteFolder(store), filepath.FromSlash(f.path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(f.content()), 0o600)
}

// noteIDOf is the whole id of a note of a fixture.
func noteIDOf(short string) string { return short + "00-aaaa-4000-8000-000000000000" }

// learned is acme with what was learned on the way.
func learned() fixture {
	f := acme
	f.files = []fixtureFile{
		{path: "storage/sqlite-busy-handling.md", id: noteIDOf("5f0d3c"), title: "SQLite busy handling", age: 2 * hour,
			front: "tags: [db, sqlite]\nversion: 3\ncontributors: [ada]\nsource: " + longID("3f9a1c") + "\nsource_url: https://example.org/busy\nreviewed: yes",
			text: "Begin writes with `IMMEDIATE`, or two readers that both want to write\ndeadlock: **neither** can go on.\n\n" +
				"- wait up to five seconds\n- then tell the person\n\nSee [[lease-sweeps]] and [[Write-ahead log]]."},
		{path: "lease-sweeps.md", id: noteIDOf("6a1e4d"), title: "Lease sweeps", age: 5 * hour, front: "tags: [leases]\nderived_from_ids: [" + noteIDOf("5f0d3c") + "]",
			text: "Expired leases are filtered when they are read.\nThe sweep itself happens inside the next write, so that it never waits for a busy store."},
		{path: "decisions/one-claim-per-aspect.md", id: noteIDOf("7b2f5e"), title: "One claim per aspect", age: day, front: "tags: [decision, leases]\naliases: [aspects]",
			text: "Two people may hold a task, for different aspects."},
		{path: "old/polling.md", id: noteIDOf("8c3a6f"), title: "Polling the journal", age: 9 * day, front: "status: archived\ntags: [db]",
			text: "We polled the journal file before there was a counter."},
		{path: "gates/ci-gates.md", id: noteIDOf("9d4b70"), title: "CI gates and flaky runs", age: 3 * day, front: "tags: [ci]\nexpires_at: '2026-03-01T00:00:00+00:00'\nconfidence: 0.6",
			text: "A run that fails once is run again. See [[aspects]]."},
		{path: "日本語.md", id: noteIDOf("ae5c81"), title: "リースの期限", age: 4 * day, text: "期限が切れたリースは次の書き込みで消される。"},
	}
	f.notes = append(f.notes[:len(f.notes):len(f.notes)], "3f9a1c ada 20m ["+noteIDOf("5f0d3c")+"] Writes must begin IMMEDIATE.")
	return f
}
