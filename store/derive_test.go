package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"dev.lithos/core"
)

// derivable is a store with rows in every derived table, also such as take more
// than a page.
func derivable(t testing.TB) string {
	t.Helper()
	path := sample(t)
	s := openWith(t, Options{Path: path, Synchronous: Normal})
	write(t, s, func(tx *tx) error {
		for i := range 30 {
			name := fmt.Sprintf("note-%02d", i)
			row := core.NoteRow{
				NoteHead: core.NoteHead{ID: name, Title: name, Path: name + ".md"}, Author: "ada", CreatedAt: epoch, UpdatedAt: epoch, Version: 1,
				Confidence: 1, Namespace: "n", AccessScope: core.ScopeShared, NoteType: "observation", Status: "active",
				Tags: core.MakeTags([]string{"t" + name}), DerivedFrom: []string{"source-" + name}, Metadata: core.Metadata(`{"k":"` + strings.Repeat("m", 400) + `"}`),
			}
			links, names := []string{"link-" + name}, []core.NoteName{{Name: name}}
			if _, err := tx.PutNote(row, names, links, strings.Repeat("words of "+name+" ", 50), epoch); err != nil {
				return err
			}
		}
		if err := tx.PutNoteProblem(core.NoteProblem{Path: "odd.md", Reason: "is none"}); err != nil {
			return err
		}
		if err := tx.PutNoteFolder("", core.FolderState{Time: 1, Marks: 2}); err != nil {
			return err
		}
		return tx.setRings(false)
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// pagesOf are the pages of a table and of its indexes in a store that nobody
// has open, and what each belongs to.
func pagesOf(t testing.TB, path string) map[int64]string {
	t.Helper()
	s := &Store{path: path, file: path}
	r, err := s.openRaw(s.wait(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.close() }()
	v := &survey{file: r.file, tables: map[string]*foundTable{}}
	known := r.file.NewSet()
	owners := map[int64]string{}
	own := func(name string) {
		for n := range known {
			if known[n] && owners[int64(n)] == "" {
				owners[int64(n)] = name
			}
		}
	}
	objects := v.objects(known)
	own("sqlite_schema")
	for _, o := range objects {
		if o.kind == "table" && !o.isWithoutNumbers() {
			r.file.Table(uint32(o.root), known)
		} else {
			r.file.Index(uint32(o.root), known, func([]any) {})
		}
		own(o.table)
	}
	return owners
}

// TestRepair_derived spoils every page of the derived tables and of their
// indexes, one at a time: each is made anew, what follows from tasks as it was,
// and no row of another table is lost.
func TestRepair_derived(t *testing.T) {
	path := derivable(t)
	before := countRows(t, path)
	frontier := openRows(t, path)
	owners := pagesOf(t, path)
	tried := map[string]int{}
	for _, page := range slices.Sorted(maps.Keys(owners)) {
		table := owners[page]
		if !isDerived(table) || tried[table] >= 6 {
			continue
		}
		tried[table]++
		broken := spoil(t, path, page, 0x0d)
		found := examined(t, broken)
		if len(found.Repairable) == 0 {
			t.Errorf("page %d of %s: nothing can be made anew: %s", page, table, detailOf(found, CheckIntegrity))
			continue
		}
		if _, err := Repair(t.Context(), Options{Path: broken, Synchronous: Normal}, found.Repairable); err != nil {
			t.Errorf("page %d of %s (%s): %v", page, table, detailOf(found, CheckIntegrity), err)
			continue
		}
		if names := stillWrong(t, broken); len(names) > 0 {
			t.Errorf("page %d of %s: afterwards %v fail: %+v", page, table, names, examined(t, broken))
		}
		after := countRows(t, broken)
		for table, n := range after {
			if n != before[table] && !isFromNotes(table) && table != "meta" {
				t.Errorf("page %d: %s had %d rows and has %d", page, table, before[table], n)
			}
		}
		if got := openRows(t, broken); got != frontier {
			t.Errorf("page %d of %s: the frontier became\n%s\nit was\n%s", page, table, got, frontier)
		}
	}
	for _, table := range slices.Concat(derivedFromTasks, derivedFromNotes) {
		if tried[table] == 0 {
			t.Errorf("%s has no page", table)
		}
	}
	t.Logf("pages tried: %v", tried)
}

// stillWrong are the checks that fail on a store, but for those about files:
// here the notes have none.
func stillWrong(t testing.TB, path string) []CheckName {
	t.Helper()
	return slices.DeleteFunc(withoutLog(examined(t, path)), func(name CheckName) bool {
		return slices.Contains([]CheckName{CheckNotes, CheckNoteFiles, CheckNoteIndex, CheckRights}, name)
	})
}

// openRows is the stored frontier as one text.
func openRows(t testing.TB, path string) (text string) {
	t.Helper()
	s := openWith(t, Options{Path: path, ReadOnly: true})
	read(t, s, func(tx *tx) error {
		return tx.each("SELECT seq, "+openRowColumns+" FROM open_tasks o ORDER BY seq", func(r *row) error {
			text += fmt.Sprintf("%v\n", r.values)
			return nil
		})
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRepair_missing makes derived tables anew that somebody has dropped, and
// keeps the notes whose rows are still there.
func TestRepair_missing(t *testing.T) {
	for _, table := range slices.Concat(derivedFromTasks, []string{"note_tags", "note_words", "note_folders"}) {
		t.Run(table, func(t *testing.T) {
			path := copyStore(t, derivable(t))
			change(t, path, "PRAGMA foreign_keys = OFF; DROP TABLE "+table)
			found := examined(t, path)
			if !slices.Contains(found.Repairable, CheckStructure) {
				t.Fatalf("repairable are %v, structure says %q", found.Repairable, detailOf(found, CheckStructure))
			}
			notes, err := Repair(t.Context(), Options{Path: path, Synchronous: Normal}, found.Repairable)
			if err != nil || notes != isFromNotes(table) {
				t.Fatalf("the notes are to be read: %t, %v", notes, err)
			}
			if names := stillWrong(t, path); len(names) > 0 {
				t.Errorf("afterwards %v fail: %+v", names, examined(t, path))
			}
			if n := countRows(t, path)["notes"]; n != 30 {
				t.Errorf("%d notes are left", n)
			}
		})
	}
}

// TestRepair_keptNotes keeps the rows of notes that can be read: their files
// need not hold their ids.
func TestRepair_keptNotes(t *testing.T) {
	path := derivable(t)
	root := rootOf(t, path, "notes")
	broken := spoil(t, path, root, 0)
	notes, err := Repair(t.Context(), Options{Path: broken, Synchronous: Normal}, []CheckName{CheckIntegrity})
	if n := countRows(t, broken)["notes"]; err != nil || !notes || n != 30 {
		t.Errorf("without the top of the table %d notes are left, to be read: %t, %v", n, notes, err)
	}
}
