package coretest

import (
	"os"
	"strings"
	"testing"
)

// testNoteFolderGone holds that a folder of notes that is gone as a whole is
// not taken for so many deletions.
func testNoteFolderGone(t *testing.T, open Open) {
	s := newSession(t, open)
	s.writeNote(firstNote, "First", "")
	s.must(os.Rename(s.store.Knowledge, s.store.Knowledge+"-away"))
	for operation, arguments := range map[string]string{"list": `{}`, "write": `{"title":"T","content":"","agent":"mo"}`} {
		if answer := s.answer(operation, arguments); !strings.Contains(answer, `"code":"store_unavailable"`) || !strings.Contains(answer, "lithos note reindex") {
			t.Errorf("without the folder %s answers %s", operation, answer)
		}
	}
	if got := s.value(s.do("stats", `{}`), "index_drift_detected"); got != true {
		t.Errorf("drift without the folder: %v", got)
	}
	s.must(os.Rename(s.store.Knowledge+"-away", s.store.Knowledge))
	if got := s.do("list", `{"limit":0}`); got != `{"items":[],"total":1}` {
		t.Errorf("with the folder again there are %s", got)
	}
	s.must(os.RemoveAll(s.store.Knowledge))
	s.want("note_reindex", `{}`, `{"notes":0,"created":0,"updated":0,"renamed":0,"deleted":1,"problems":[]}`)
	s.want("list", `{}`, `{"items":[],"total":0}`)
}

// testNoteFolderEmpty holds that another, empty folder in place of the folder of
// notes, as an unmounted disk leaves it, is not taken for so many deletions, and
// that files deleted one by one are.
func testNoteFolderEmpty(t *testing.T, open Open) {
	s := newSession(t, open)
	s.writeNote(firstNote, "First", `"path":"a/b"`)
	s.disk("a/hand.md", "# By hand")
	s.do("list", `{}`)
	s.want("list", `{"limit":0}`, `{"items":[],"total":2}`)
	events := s.noteEvents()
	away := s.store.Knowledge + "-away"
	for _, fill := range []func(){
		func() {},
		func() { s.must(os.MkdirAll(s.onDisk("a/b"), 0o700)) },
		func() { s.must(os.WriteFile(s.onDisk("lost+found"), nil, 0o600)) },
	} {
		s.must(os.Rename(s.store.Knowledge, away))
		s.must(os.Mkdir(s.store.Knowledge, 0o700))
		fill()
		for operation, arguments := range map[string]string{
			"list": `{}`, "read": `{"id":"` + firstNote + `"}`, "search": `{"query":"hand"}`, "tags": `{}`, "write": `{"title":"T","content":"","agent":"mo"}`,
			"note_update": `{"id":"` + firstNote + `","agent":"mo","tags":["x"]}`, "delete": `{"id":"` + firstNote + `","agent":"mo"}`,
		} {
			answer := s.answer(operation, arguments)
			for _, part := range []string{`"code":"store_unavailable"`, `"reason":"missing"`, "is empty and not the one it was", "lithos note reindex"} {
				if !strings.Contains(answer, part) {
					t.Errorf("with an empty folder %s answers %s", operation, answer)
				}
			}
		}
		if got := s.value(s.do("stats", `{}`), "index_drift_detected"); got != true {
			t.Errorf("drift with an empty folder: %v", got)
		}
		s.must(os.RemoveAll(s.store.Knowledge))
		s.must(os.Rename(away, s.store.Knowledge))
		s.want("list", `{"limit":0}`, `{"items":[],"total":2}`)
		if got := s.noteEvents(); got != events {
			t.Errorf("the events became\n%s", got)
		}
	}

	// Who means it says so. After that the new folder is the folder.
	s.must(os.RemoveAll(s.store.Knowledge))
	s.must(os.Mkdir(s.store.Knowledge, 0o700))
	s.want("note_reindex", `{}`, `{"notes":0,"created":0,"updated":0,"renamed":0,"deleted":2,"problems":[]}`)
	s.disk("one.md", "# One")
	s.want("list", `{"limit":0}`, `{"items":[],"total":1}`)
	s.must(os.Remove(s.onDisk("one.md")))
	s.want("list", `{"limit":0}`, `{"items":[],"total":0}`)

	// So is one that a write has made, and one that was copied with its notes.
	s.must(os.RemoveAll(s.store.Knowledge))
	s.writeNote(secondNote, "Second", "")
	s.must(os.Remove(s.onDisk("second.md")))
	s.want("list", `{"limit":0}`, `{"items":[],"total":0}`)
	s.writeNote(thirdNote, "Third", "")
	s.must(os.Rename(s.store.Knowledge, away))
	s.must(os.CopyFS(s.store.Knowledge, os.DirFS(away)))
	s.want("list", `{"limit":0}`, `{"items":[],"total":1}`)
	s.must(os.Remove(s.onDisk("third.md")))
	s.want("list", `{"limit":0}`, `{"items":[],"total":0}`)
	if got := s.value(s.do("stats", `{}`), "index_drift_detected"); got != false {
		t.Error("the index drifted")
	}
}
