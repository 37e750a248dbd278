package store

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dev.lithos/core"
	"dev.lithos/core/search"
)

// TestPlans_search looks at the plan of everything that search and retrieval
// read and write: no table is walked from end to end but for the list of all
// edges, and nothing is sorted.
func TestPlans_search(t *testing.T) {
	s := create(t)
	write(t, s, func(tx *tx) error {
		if err := tx.finalize(); err != nil {
			return err
		}
		ids := []string{"x", "y"}
		query := search.Parse(`busy "two words" 京`)
		reads := []error{}
		note := func(err error) { reads = append(reads, err) }
		for _, q := range []core.NoteEdgeQuery{
			{}, {From: "x"}, {To: "x"}, {From: "x", To: "y", Type: "t", Namespace: "n", Asserted: true}, {Type: "t"}, {At: ids}, {At: ids, Type: "t", Asserted: true},
		} {
			_, err := tx.NoteEdges(q)
			note(err)
		}
		for _, q := range []core.TextQuery{{}, {Limit: 5}, {All: true}, {InTitle: true, Limit: 5}, {Of: []int{0, 2}, Limit: 5}} {
			q.Phrases = query.Phrases
			note(tx.EachTextHit(q, func(core.TextHit) bool { return true }))
		}
		_, _, err := tx.NoteEdge("x")
		note(err)
		_, err = tx.NoteIDs([]core.NoteKey{1, 2})
		note(err)
		_, err = tx.NoteKeys(ids)
		note(err)
		_, err = tx.ShortNoteIDs(ids)
		note(err)
		_, err = tx.NotesByChange(10, 5)
		note(err)
		_, err = tx.NotePosition(core.NoteRow{NoteHead: core.NoteHead{Key: 1}, UpdatedAt: epoch})
		note(err)
		_, err = tx.NotesOfTask("x", 5)
		note(err)
		_, err = tx.IsNoteName("x")
		note(err)
		_, _, err = tx.Receipt("x")
		note(err)
		_, _, err = tx.LatestReceipt("x", "y")
		note(err)
		_, err = tx.Usage(ids)
		note(err)
		note(tx.mirrorSources("x", "n", ids, epoch))
		note(tx.putWords(1, "A title", "and content", false, epoch))
		note(tx.dropWords(1, epoch))
		for _, err := range reads {
			if err != nil {
				return err
			}
		}
		seen := 0
		for _, sql := range slices.Sorted(maps.Keys(tx.idle)) {
			if strings.HasPrefix(sql, "PRAGMA") || strings.HasPrefix(sql, "INSERT INTO note_words") || strings.Contains(sql, "sqlite_schema") {
				continue
			}
			seen++
			for line := range strings.SplitSeq(plan(t, tx, sql), "\n") {
				meant := line == "SCAN n USING INDEX notes_by_change" && strings.Contains(sql, " LIMIT ") || line == "SCAN e" && strings.HasSuffix(sql, " FROM note_edges e") || strings.HasPrefix(line, "SCAN note_words VIRTUAL TABLE INDEX ") ||
					slices.ContainsFunc(scans, func(r *regexp.Regexp) bool { return r.MatchString(line) })
				if strings.HasPrefix(line, "SCAN") && !meant || strings.Contains(line, "TEMP B-TREE") || strings.Contains(line, "AUTOMATIC") {
					t.Errorf("%s\n\t%s", line, sql)
				}
			}
		}
		if seen < 20 {
			t.Errorf("only %d statements were seen", seen)
		}
		return nil
	})
}

// everyNoteStep is one call of everything that is read and written of notes
// and their folder, with every kind of filter.
func everyNoteStep(tx *tx) error {
	keys, ids, stamp, text := []core.NoteKey{1, 2}, []string{"x", "y"}, epoch, "t"
	many := make([]core.NoteKey, manyNotes+1)
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	filters := []core.NoteFilter{
		{}, {PathPrefix: "p/"}, {Tags: []string{"x"}}, {Tags: []string{"x", "y"}}, {Entities: []string{"x"}}, {Author: "x"}, {Since: &stamp},
		{TitleContains: "x"}, {Match: []core.MetadataCondition{{Key: "k", Literal: `"v"`}}},
		{PathPrefix: "p/", Tags: []string{"x"}, Author: "x", Since: &stamp, TitleContains: "x"},
	}
	for _, f := range filters {
		_, _, err := tx.NotePage(f, 5, 1)
		note(err)
		note(tx.EachNote(f, func(core.NoteRow) bool { return true }))
		for _, list := range [][]core.NoteKey{keys, many} {
			_, err = tx.NotesPassing(list, f)
			note(err)
		}
	}
	for _, f := range filters[1:] { // without a filter nobody asks
		_, err := tx.NoteKeysPassing(f)
		note(err)
	}
	row := core.NoteRow{
		NoteHead: core.NoteHead{ID: "a", Title: "A", Path: "p/a.md"}, SourceURL: &text, Source: &text, Tags: core.MakeTags(ids), DerivedFrom: ids,
		Entities: ids, Aliases: ids, Metadata: `{"k":"v"}`,
	}
	names := []core.NoteName{{Name: "p/a", Kind: core.NamePath}, {Name: "a", Kind: core.NameFile}}
	var err error
	row.Key, err = tx.PutNote(row, names, []string{"b", "c"}, "text", epoch)
	note(err)
	row.DerivedFrom, row.Tags = nil, ""
	_, err = tx.PutNote(row, names[:1], []string{"d"}, "another text", epoch)
	note(err)
	for _, step := range []func() error{
		func() error { _, _, err := tx.NoteByID("x"); return err },
		func() error { _, _, err := tx.NoteByPath("x"); return err },
		func() error { _, _, err := tx.NoteOfFile("p", 5); return err },
		func() error { _, _, err := tx.NoteOfURL("x"); return err },
		func() error { _, err := tx.NotesByPrefix("x", 5); return err },
		func() error { _, err := tx.ResolveNote("123456", 5); return err },
		func() error { _, err := tx.Notes(keys); return err },
		func() error { _, err := tx.NoteItems(keys); return err },
		func() error { _, err := tx.NoteTags("x"); return err },
		func() error { _, err := tx.NoteLinks(keys, core.DirectionOutgoing); return err },
		func() error { _, err := tx.NoteLinks(keys, core.DirectionIncoming); return err },
		func() error { _, err := tx.NoteSources(keys, core.DirectionOutgoing); return err },
		func() error { _, err := tx.NoteSources(keys, core.DirectionIncoming); return err },
		func() error { _, err := tx.UnresolvedSources(1); return err },
		func() error { _, err := tx.NoteCounts(epoch); return err },
		func() error { _, err := tx.NoteFolders(); return err },
		func() error { _, _, err := tx.NoteFolder("p"); return err },
		func() error { _, err := tx.NotesFolder(); return err },
		func() error { _, err := tx.NoteFiles("p"); return err },
		func() error { _, err := tx.NoteProblems(); return err },
		func() error { _, _, err := tx.NoteProblem("x"); return err },
		func() error { _, err := tx.CountNoteProblems("p/"); return err },
		func() error { _, _, err := tx.WordsState(); return err },
		func() error { _, err := tx.Usage(ids[:1]); return err },
		func() error { return tx.PlaceNote(row) },
		func() error { return tx.PutNoteFolder("p", core.FolderState{}) },
		func() error { return tx.DropNoteFolder("q") },
		func() error { return tx.PutNotesFolder(1) },
		func() error { return tx.PutNoteProblem(core.NoteProblem{Path: "p/b.md"}) },
		func() error { return tx.DropNoteProblem("p/b.md") },
		func() error { return tx.PutReceipt(core.Receipt{ID: "x"}) },
		func() error { return tx.PutUsage(core.NoteUsage{NoteID: "x"}) },
		func() error { return tx.LogAccess(core.AccessRead, "x", epoch, ids) },
		func() error { return tx.DeleteNote(row, epoch) },
	} {
		note(step())
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// noteSteps are the walks over whole tables or indexes of notes, and the sorts,
// that are meant.
var noteSteps = []struct{ step, of string }{
	// A list in the order of insertion, and one whose filter has no index.
	{"SCAN n", "ORDER BY n.seq"},
	{"SCAN n", "n.author = ?"},
	{"SCAN n", "json_each"},
	{"SCAN n", "SELECT n.seq, n.title FROM notes n"},
	// Notes by key out of a list, words by key: a search, for all that its name
	// says in virtual tables.
	{"SCAN json_each VIRTUAL TABLE INDEX 1:", "(SELECT value AS seq FROM json_each(?)) j CROSS JOIN notes n ON n.seq = j.seq"},
	{"SCAN note_words VIRTUAL TABLE INDEX 1:", "note_words WHERE docid = ?"},
	// The whole of what is small: folders and files that are no notes.
	{"SCAN note_folders", "SELECT path, folder_time, marks FROM note_folders"},
	{"SCAN note_problems", "FROM note_problems ORDER BY path"},
	// Counting is done in the narrowest index.
	{"SCAN notes USING COVERING INDEX notes_by_change", "SELECT count(*) FROM notes"},
	{"SCAN note_words_docsize", "SELECT count(*) FROM note_words_docsize"},
	{"SCAN note_tags USING COVERING INDEX note_tags_by_tag", "count("},
	// Of the few notes that one name may mean, of equal kind, the first by path.
	{"USE TEMP B-TREE FOR LAST TERM OF ORDER BY", linkTarget},
	// The files of one folder, of either kind, where it has changed.
	{"USE TEMP B-TREE FOR ORDER BY", "note_problems INDEXED BY note_problems_by_folder WHERE folder = ?1 ORDER BY path"},
	// The numbers of stats, which are of everything.
	{"USE TEMP B-TREE FOR count(DISTINCT)", "count(DISTINCT tag)"},
	{"SCAN note_links USING COVERING INDEX note_links_by_name", "WITH asked"},
	{"SCAN a", "WITH asked"},
	{"SCAN l", "WITH asked"},
	{"USE TEMP B-TREE FOR count(DISTINCT)", "WITH asked"},
}

// TestPlans_notes looks at the plan of everything that is read and written of
// notes: tables are not walked, and nothing is sorted, pages of lists least of
// all, but for what noteSteps names.
func TestPlans_notes(t *testing.T) {
	s := create(t)
	write(t, s, func(tx *tx) error {
		if err := tx.finalize(); err != nil {
			return err
		}
		if err := everyNoteStep(tx); err != nil {
			return err
		}
		seen, met := 0, make([]bool, len(noteSteps))
		for _, sql := range slices.Sorted(maps.Keys(tx.idle)) {
			if strings.HasPrefix(sql, "PRAGMA") || strings.HasPrefix(sql, "INSERT INTO note_words") {
				continue
			}
			seen++
			for line := range strings.SplitSeq(plan(t, tx, sql), "\n") {
				meant := slices.ContainsFunc(scans, func(r *regexp.Regexp) bool { return r.MatchString(line) })
				for i, step := range noteSteps {
					if line == step.step && strings.Contains(sql, step.of) {
						meant, met[i] = true, true
					}
				}
				if !meant && (strings.HasPrefix(line, "SCAN") || strings.Contains(line, "TEMP B-TREE") || strings.Contains(line, "AUTOMATIC")) {
					t.Errorf("%s\n\t%s", line, sql)
				}
			}
		}
		for i, step := range noteSteps {
			if !met[i] {
				t.Errorf("no statement has the step %s of %s", step.step, step.of)
			}
		}
		if seen < 70 {
			t.Errorf("only %d statements were seen", seen)
		}
		return nil
	})
}
