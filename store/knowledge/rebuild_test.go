package knowledge_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
	"dev.lithos/store/files"
	"dev.lithos/store/knowledge"
)

// derivedTables are the tables of what is derived from the files of notes.
var derivedTables = []string{
	"notes", "note_names", "note_links", "note_tags", "note_sources", "note_folders", "note_problems", "note_edges",
	"note_words", "note_words_content", "note_words_docsize", "note_words_segdir", "note_words_segments", "note_words_stat", "meta",
}

// dumpTables are the rows of the tables, in one text each.
func dumpTables(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	dumps := map[string]string{}
	for _, table := range derivedTables {
		rows, err := db.Query("SELECT * FROM " + table)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			var line strings.Builder
			if table == "note_edges" {
				values = values[1:] // the number of the row, which nothing refers to
			}
			for _, v := range values {
				fmt.Fprintf(&line, "%q ", fmt.Sprint(*v.(*any)))
			}
			lines = append(lines, line.String())
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(lines)
		dumps[table] = strings.Join(lines, "\n")
	}
	return dumps
}

// TestRebuild takes rows out of every table that is derived from the files of
// notes, and puts wrong ones in: doctor names it, and a rebuild gives what was
// there, down to the last byte of the full-text index.
func TestRebuild(t *testing.T) {
	folder := t.TempDir()
	place := filepath.Join(folder, "knowledge")
	path := filepath.Join(folder, "lithos.db")
	s, err := store.Open(t.Context(), store.Options{Path: path, Create: true, Synchronous: store.Normal})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	notes := knowledge.New(func() string { return place }, files.Disk{})
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	service := core.New(core.Config{Store: s, Folder: notes, Now: func() time.Time { return noon }})
	for name, text := range map[string]string{
		"a.md":         "---\nid: note-a\ntags: [one, two]\naliases: [First, alpha]\nsource_url: https://example.org/a\nzip: 01234\n---\n# Alpha\n\nSee [[b]] and [[nowhere]]. 京都 🎉",
		"b.md":         "---\nid: note-b\nderived_from_ids: [note-a, gone]\nentities: [x]\n---\n# Beta\n\nBack to [[alpha]].",
		"deep/er/c.md": "# Gamma\n\nWithout an id, see [[note-b|Beta]].",
		"deep/d.md":    "---\nid: note-a\n---\n# A copy",
		"bad.md":       "---\ncreated_at: never\n---\n",
		"none.md":      "",
	} {
		at := filepath.Join(place, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reindex := func() core.ReindexResult {
		t.Helper()
		result, err := service.NoteReindex(t.Context(), core.ReindexRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	if got := reindex(); got.Notes != 4 || len(got.Problems) != 2 {
		t.Fatalf("the first pass: %+v", got)
	}
	if _, err := service.EdgeUpsert(t.Context(), core.EdgeUpsertRequest{
		FromID: "note-a", ToID: "note-b", Type: "supports", Weight: 1, Namespace: "n",
	}); err != nil {
		t.Fatal(err)
	}
	reindex()
	examine := func() string {
		t.Helper()
		found, err := store.Examine(context.Background(), store.ExamineOptions{Path: path, Now: core.StampOf(noon), Notes: place, Folder: notes})
		if err != nil {
			t.Fatal(err)
		}
		var failed []string
		for _, c := range found.Checks {
			if !c.OK && c.Name != store.CheckRights && c.Name != store.CheckNoteFiles {
				failed = append(failed, fmt.Sprintf("%s: %s", c.Name, c.Detail))
			}
		}
		return strings.Join(failed, "\n")
	}
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := dumpTables(t, db)
	for _, table := range derivedTables {
		if want[table] == "" && table != "note_words_segments" {
			t.Errorf("%s is empty", table)
		}
	}
	if told := examine(); told != "" {
		t.Fatalf("of a sound index doctor says %s", told)
	}
	for _, test := range []struct{ sql, told string }{
		{"DELETE FROM note_links", "'a.md' (links)"},
		{"DELETE FROM note_links WHERE name = 'nowhere'", "'a.md' (links)"},
		{"INSERT INTO note_links SELECT seq, 'wrong' FROM notes WHERE id = 'note-b'", "'b.md' (links)"},
		{"DELETE FROM note_names", "'a.md' (names)"},
		{"DELETE FROM note_names WHERE kind = 3 AND name = 'first'", "'a.md' (names)"},
		{"DELETE FROM note_tags", "'a.md' (tags)"},
		{"UPDATE note_tags SET tag = 'three' WHERE tag = 'two'", "'a.md' (tags)"},
		{"DELETE FROM note_sources", "'b.md' (sources)"},
		{"DELETE FROM note_edges WHERE mirrored = 1", "'b.md' (edges)"},
		{"DELETE FROM note_words", "(words)"},
		{"DELETE FROM note_words WHERE docid = (SELECT seq FROM notes WHERE id = 'note-a')", "'a.md' (words)"},
		{"INSERT INTO note_words (docid, title, body) VALUES (999, 'x', 'y')", "of the number 999"},
		{"UPDATE note_words_content SET c1body = 'other' WHERE docid = (SELECT seq FROM notes WHERE id = 'note-b')", "'b.md' (words)"},
		{"DELETE FROM note_words_segdir", "integrity"},
		{"DELETE FROM note_words_docsize", ""},
		{"DELETE FROM note_words_stat", ""},
		{"DELETE FROM note_folders", "the folder 'deep/er' is not noted"},
		{"DELETE FROM note_problems", "the file 'bad.md' is not noted"},
		{"DELETE FROM note_words; DELETE FROM note_names; DELETE FROM note_links; DELETE FROM note_tags; DELETE FROM note_sources;" +
			" DELETE FROM note_folders; DELETE FROM note_problems; DELETE FROM note_edges WHERE mirrored = 1", "'a.md' (names, tags, links, words)"},
		{"UPDATE notes SET tags = '[\"wrong\"]', aliases = '[]', title = 'Wrong'", "'a.md' (names, tags, words)"},
	} {
		if _, err := db.Exec(test.sql); err != nil {
			t.Fatalf("%s: %v", test.sql, err)
		}
		if told := examine(); test.told != "" && !strings.Contains(told, test.told) {
			t.Errorf("%s: doctor says %q", test.sql, told)
		}
		if got := reindex(); got.Notes != 4 || len(got.Problems) != 2 || got.ReindexCounts != (core.ReindexCounts{}) {
			t.Errorf("%s: the rebuild says %+v", test.sql, got)
		}
		for table, now := range dumpTables(t, db) {
			if now != want[table] {
				t.Errorf("%s: %s became\n%s\nwas\n%s", test.sql, table, now, want[table])
			}
		}
		if told := examine(); told != "" {
			t.Errorf("%s: after the rebuild doctor says %s", test.sql, told)
		}
	}
}
