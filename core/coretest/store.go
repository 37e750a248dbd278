package coretest

import (
	"context"
	"slices"
	"testing"

	"dev.lithos/core"
)

// Store is a store under test with what the suite looks behind its back for.
type Store struct {
	core.Store
	// Folder is where the notes are, and Knowledge its path.
	Folder    core.NoteFolder
	Knowledge string
	// Dump returns the whole content as text. Equal texts mean equal content,
	// down to events, agents and the order of rows.
	Dump func() (string, error)
	// CheckFrontier recounts the stored frontier from tasks and edges and
	// returns the differences.
	CheckFrontier func() ([]string, error)
	// Damage removes the row of a task behind the back of everything that
	// refers to it, as a damaged store would look.
	Damage func(id string) error
	// Archive moves the events of the feed up to seq into the archive.
	Archive func(seq int64) error
	// Close gives up what the store holds.
	Close func() error
}

// Open makes a fresh, empty store in a folder.
type Open func(folder string) (Store, error)

// mustOpen opens a store that is closed when the test ends.
func mustOpen(t testing.TB, open Open) Store {
	t.Helper()
	s, err := open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Run runs the whole suite on stores that open makes.
func Run(t *testing.T, open Open) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Open)
	}{
		{"Model", testModel},
		{"Examples", testExamples},
		{"Errors", testErrors},
		{"Depth", testDepth},
		{"UnknownIDs", testUnknownIDs},
		{"IDs", testIDs},
		{"Refusals", testRefusals},
		{"FirstChecks", testFirstChecks},
		{"Precedence", testPrecedence},
		{"RequestID", testRequestID},
		{"Races", testRaces},
		{"Apply", testApply},
		{"Events", testEvents},
		{"Feed", testFeed},
		{"Archive", testArchive},
		{"Texts", testTexts},
		{"Match", testMatch},
		{"Filters", testFilters},
		{"Gates", testGates},
		{"Damage", testDamage},
		{"Rings", testRings},
		{"Spawn", testSpawn},
		{"Leases", testLeases},
		{"Reads", testReads},
		{"Rehearsal", testRehearsal},
		{"Stamps", testStamps},
		{"NoteExamples", testNoteExamples},
		{"NoteRefusals", testNoteRefusals},
		{"NoteUpdates", testNoteUpdates},
		{"NoteRaces", testNoteRaces},
		{"NotePaths", testNotePaths},
		{"NoteLinks", testNoteLinks},
		{"NoteHandEdits", testNoteHandEdits},
		{"NoteIDsByHand", testNoteIDsByHand},
		{"NoteCopies", testNoteCopies},
		{"NoteExtremes", testNoteExtremes},
		{"NoteFolderGone", testNoteFolderGone},
		{"NoteFolderEmpty", testNoteFolderEmpty},
		{"NoteMoves", testNoteMoves},
		{"NoteNames", testNoteNames},
		{"NoteTitles", testNoteTitles},
		{"NoteReindex", testNoteReindex},
		{"NoteReads", testNoteReads},
		{"NoteLists", testNoteLists},
		{"NoteSearchExamples", testNoteSearchExamples},
		{"NoteSearch", testNoteSearch},
		{"NoteEdges", testNoteEdges},
		{"Retrieve", testRetrieve},
		{"Feedback", testFeedback},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

// recorder notes the ids of the tasks and findings that a call inserts, in
// their order, so that the model can give its own the same.
type recorder struct {
	core.Store
	inserted []string
}

// Write implements [core.Store].
func (r *recorder) Write(ctx context.Context, fn func(core.WriteTx) error) error {
	return r.Store.Write(ctx, func(tx core.WriteTx) error {
		r.inserted = nil
		return fn(recordingTx{tx, r})
	})
}

// next returns the next id inserted by the last call.
func (r *recorder) next() string {
	if len(r.inserted) == 0 {
		return "an id that the program did not make"
	}
	id := r.inserted[0]
	r.inserted = slices.Delete(r.inserted, 0, 1)
	return id
}

type recordingTx struct {
	core.WriteTx
	recorder *recorder
}

// InsertTask implements [core.WriteTx].
func (t recordingTx) InsertTask(task core.Task, f core.Facets) (core.TaskKey, error) {
	t.recorder.inserted = append(t.recorder.inserted, task.ID)
	return t.WriteTx.InsertTask(task, f)
}

// InsertFinding implements [core.WriteTx].
func (t recordingTx) InsertFinding(key core.TaskKey, f core.Finding) error {
	t.recorder.inserted = append(t.recorder.inserted, f.ID)
	return t.WriteTx.InsertFinding(key, f)
}
