//go:build linux

package faultvfs_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
	"dev.lithos/store/faultvfs"
	"dev.lithos/store/files"
	"dev.lithos/store/knowledge"
)

// The notes that the operations are tried on.
const (
	firstNote  = "11111111-0000-4000-8000-000000000001"
	secondNote = "22222222-0000-4000-8000-000000000002"
)

// noteDeeds are arguments for every operation that writes notes. edge stands for
// the id of a contradiction between them.
var noteDeeds = map[string]string{
	"write":            `{"title":"New","content":"` + strings.Repeat("long ", 4000) + `","agent":"mo","tags":["a"],"derived_from_ids":["` + firstNote + `"],"path":"sub"}`,
	"note_update":      `{"id":"` + firstNote + `","agent":"mo","title":"Renamed","metadata":{"k":1}}`,
	"delete":           `{"id":"` + firstNote + `","agent":"mo"}`,
	"edge_upsert":      `{"from_id":"` + firstNote + `","to_id":"` + secondNote + `","type":"supports","weight":1,"namespace":"n","provenance_actor":"mo"}`,
	"conflict_resolve": `{"edge_id":"edge","resolution":"superseded","resolver":"mo","winner_id":"` + firstNote + `"}`,
	"note_reindex":     `{}`,
}

// ground is a folder with a store and notes, as it is put back for every run.
type ground struct {
	store []byte
	notes map[string]string
	edge  string // a contradiction between the two
}

func noteFile(id, title string) string {
	return "---\nid: " + id + "\ntitle: " + title + "\nauthor: ada\ncreated_at: \"2026-03-01T08:00:00+00:00\"\nupdated_at: \"2026-03-01T08:00:00+00:00\"\nversion: 1\n---\n\n# " +
		title + "\n\nWords of " + title + ", see [[second]].\n"
}

// prepareNotes makes the ground that every run begins with.
func prepareNotes(t *testing.T) ground {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lithos.db")
	g := ground{store: prepare(t), notes: map[string]string{"first.md": noteFile(firstNote, "First"), "second.md": noteFile(secondNote, "Second")}}
	g.lay(t, path)
	s, svc := noteService(t, path, "dddd")
	result, err := svc.EdgeUpsert(t.Context(), core.EdgeUpsertRequest{FromID: firstNote, ToID: secondNote, Type: "contradicts", Weight: 1, Namespace: "n"})
	if err != nil {
		t.Fatal(err)
	}
	g.edge = result.EdgeID
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if g.store, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return g
}

// lay puts the store and the notes where a run uses them.
func (g ground) lay(t *testing.T, path string) {
	t.Helper()
	folder := filepath.Join(filepath.Dir(path), "knowledge")
	for _, name := range []string{path + "-wal", path + "-shm", folder} {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, g.store, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range g.notes {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// noteService is service with the folder of notes beside the store.
func noteService(t *testing.T, path, group string) (*store.Store, *core.Service) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	folder := knowledge.New(func() string { return filepath.Join(filepath.Dir(path), "knowledge") }, files.Disk{})
	return s, core.New(core.Config{Store: s, Folder: folder, Passes: &core.NotePasses{}, Now: func() time.Time { return noon }, NewID: func() string {
		made++
		return fmt.Sprintf("%08x-%s-4107-8000-%012x", uint32(made)*2654435761, group, made)
	}})
}

// notesOn are the files of notes, and what the operations say there is.
func notesOn(t *testing.T, path string, svc *core.Service) (onDisk, told string) {
	t.Helper()
	folder := filepath.Join(filepath.Dir(path), "knowledge")
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		onDisk += strings.TrimPrefix(name, folder) + "\n" + string(text) + "\n"
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// Reads wait only a moment for it, which may be too short on a busy machine.
	if err := svc.NotePass(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := svc.NoteList(t.Context(), core.NoteListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range list.Items {
		whole, err := svc.NoteRead(t.Context(), core.NoteReadRequest{ID: &item.ID})
		if err != nil {
			told += fmt.Sprintln(item.ID, item.Title, "is listed, and cannot be read:", err)
			continue
		}
		told += fmt.Sprintln(item.ID, item.Title, item.Path, whole.Note.Version, whole.Content)
	}
	edges, err := svc.EdgeList(t.Context(), core.EdgeListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edges.Results {
		state := ""
		if e.ConflictState != nil {
			state = *e.ConflictState
		}
		told += fmt.Sprintln(e.ID, e.From, e.Type, e.To, state)
	}
	return onDisk, told
}

// noteTrial is one operation on notes tried under faults.
type noteTrial struct {
	trial
	ground ground
	// What files and operations say without the operation, and with it.
	undoneFiles, undoneTold, doneFiles, doneTold string
}

// run does the operation under a fault and looks at what is left.
func (x *noteTrial) run(f *faultvfs.Fault) (onDisk, told string) {
	x.Helper()
	x.ground.lay(x.T, x.path)
	s, svc := noteService(x.T, x.path, "aaaa")
	if x.warm {
		if _, err := svc.NoteList(x.Context(), core.NoteListRequest{}); err != nil {
			x.Fatal(err)
		}
		do(x.T, service(s, "cccc"), "agent_register", `{"id":"warm"}`)
	}
	patience := 5 * time.Second
	if f != nil && waitsFor(*f) {
		patience = 40 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(x.Context(), patience)
	defer cancel()
	if f != nil {
		faultvfs.Arm(*f)
	} else {
		faultvfs.Observe()
	}
	var err error
	if x.name != "" {
		err = call(ctx, svc, x.name, strings.Replace(x.arguments, `"edge"`, `"`+x.ground.edge+`"`, 1))
	}
	struck := faultvfs.Disarm()
	if f == nil {
		if err != nil {
			x.Fatal(err)
		}
		x.counts = map[faultvfs.Call]int{}
		for call := range numbers {
			x.counts[call] = faultvfs.Count(call)
		}
		onDisk, told = notesOn(x.T, x.path, svc)
		if err := s.Close(); err != nil {
			x.Fatal(err)
		}
		return onDisk, told
	}
	x.tried++
	x.hit += min(struck, 1)
	written := err != nil && core.AsError(err).Code == core.CodeInternalError // the file was, and it says so
	if err != nil {
		x.refused++
		if !written {
			x.judge(*f, err)
		}
	}
	// The fault is gone: the same program goes on with the same store.
	if err := x.write(s); err != nil {
		x.Errorf("%s, then a write: %v: %v", *f, err, errors.Unwrap(err))
	}
	onDisk, told = notesOn(x.T, x.path, svc)
	wantFiles, wantTold, outcome := x.doneFiles, x.doneTold, "succeeded"
	switch {
	case written:
		// The rest of what the operation does is not done; only the file counts.
		outcome, wantTold = "left a file", told
	case err != nil:
		wantFiles, wantTold, outcome = x.undoneFiles, x.undoneTold, "failed"
	}
	if onDisk != wantFiles {
		x.Errorf("%s: the operation %s (%v), and the files are others:\n%s", *f, outcome, err, difference(wantFiles, onDisk))
	}
	if told != wantTold {
		x.Errorf("%s: the operation %s (%v), and there are other notes:\n%s", *f, outcome, err, difference(wantTold, told))
	}
	anew, reindexErr := svc.NoteReindex(x.Context(), core.ReindexRequest{})
	if reindexErr != nil || anew.ReindexCounts != (core.ReindexCounts{}) || len(anew.Problems) > 0 {
		x.Errorf("%s: the operation %s, and the files read anew are others: %+v, %v", *f, outcome, anew, reindexErr)
	}
	if err := s.Close(); err != nil {
		x.Errorf("%s, then closing: %v", *f, err)
	}
	x.sound(*f)
	return onDisk, told
}

// noteStorm tries operations on notes under every fault of a choice.
func noteStorm(t *testing.T, names []string, choose func(call faultvfs.Call, nth, number int, forever bool) bool) {
	faultvfs.Install()
	g := prepareNotes(t)
	tried, hit, refused := 0, 0, 0
	for _, name := range names {
		for _, warm := range []bool{false, true} {
			title := name + " first"
			if warm {
				title = name + " later"
			}
			t.Run(title, func(t *testing.T) {
				x := &noteTrial{trial: trial{T: t, path: filepath.Join(t.TempDir(), "lithos.db"), warm: warm}, ground: g}
				x.undoneFiles, x.undoneTold = x.run(nil)
				x.name, x.arguments = name, noteDeeds[name]
				x.doneFiles, x.doneTold = x.run(nil)
				if (x.doneTold == x.undoneTold) != (name == "note_reindex") {
					t.Fatal("whether the operation changes something is not as it should be")
				}
				for _, call := range slices.Sorted(maps.Keys(numbers)) {
					for nth := 1; nth <= x.counts[call]; nth++ {
						for i, errno := range numbers[call] {
							for _, forever := range []bool{false, true} {
								if choose(call, nth, i, forever) {
									x.run(&faultvfs.Fault{Call: call, Nth: nth, Errno: errno, Forever: forever})
								}
							}
						}
					}
				}
				tried, hit, refused = tried+x.tried, hit+x.hit, refused+x.refused
			})
		}
	}
	t.Logf("%d faults tried, %d met, %d operations refused", tried, hit, refused)
	if hit < tried/2 || refused == 0 {
		t.Errorf("only %d of %d faults were met, %d operations were refused", hit, tried, refused)
	}
}

// TestFaults_notes makes some of the calls under each operation on notes fail.
func TestFaults_notes(t *testing.T) {
	noteStorm(t, slices.Sorted(maps.Keys(noteDeeds)), func(call faultvfs.Call, nth, number int, forever bool) bool {
		return sample(call, nth, number, forever) && (nth < 4 || nth%7 == 0)
	})
}
