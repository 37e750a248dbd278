package cli_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// spoilTable fills the page at which a table or an index of a store begins with
// zeros; the list of tables begins on page 1.
func spoilTable(t *testing.T, path, name string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	root := int64(1)
	if name != "sqlite_schema" {
		err = db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = ?", name).Scan(&root)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(content[(root-1)*4096 : root*4096])
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDoctor_derived lets doctor make anew the tables that follow from tasks or
// from the files of notes; what people wrote is as it was, and notes are found
// again.
func TestDoctor_derived(t *testing.T) {
	for _, table := range []string{"open_tasks", "meta", "notes", "note_names", "note_tags", "note_words_content", "note_words_segdir"} {
		t.Run(table, func(t *testing.T) {
			w := seeded(t)
			putNotes(t, w.env.Dir, noteFiles)
			store := filepath.Join(w.env.Dir, ".lithos", "lithos.db")
			asked := [][]string{
				{"export"}, {"task", "ready", "--json"}, {"task", "blocked", "--json"}, {"note", "list", "--json"},
				{"note", "search", "lock", "--jq", ".results[].id"}, {"note", "tags", "--json"}, {"journal", "--limit", "1000", "--json"},
			}
			answers := func() (list []string) {
				for _, args := range asked {
					out, said, status := w.run(t, args...)
					if status != 0 {
						t.Errorf("%q: status %d\n%s", args, status, said)
					}
					list = append(list, out)
				}
				return list
			}
			w.run(t, "note", "list") // takes the notes up
			before := answers()
			spoilTable(t, store, table)
			if out, said, status := w.run(t, "doctor", "--jq", ".checks[]|select(.name==\"integrity\")|.remedy"); status != 8 || !strings.Contains(out, "doctor --fix") {
				t.Fatalf("status %d: %s%s", status, out, said)
			}
			out, said, status := w.run(t, "doctor", "--fix", "--jq", "\"\\(.ok) \\(.fixed[0])\"")
			if status != 0 || out != "true integrity\n" {
				t.Fatalf("status %d: %s%s", status, out, said)
			}
			for i, after := range answers() {
				if after != before[i] && !(table == "notes" && asked[i][0] == "journal") { // no page is left of what is lost, so it is told anew
					t.Errorf("%q answered\n%s\nand answers\n%s", asked[i], before[i], after)
				}
			}
		})
	}
}

// TestDoctor_withoutNoteFolder does not forget notes whose folder is away.
func TestDoctor_withoutNoteFolder(t *testing.T) {
	w := seeded(t)
	putNotes(t, w.env.Dir, noteFiles)
	w.run(t, "note", "list")
	before, _, _ := w.run(t, "note", "list", "--jq", ".total")
	spoilTable(t, filepath.Join(w.env.Dir, ".lithos", "lithos.db"), "note_tags")
	folder := filepath.Join(w.env.Dir, "knowledge")
	if err := os.Rename(folder, folder+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, said, _ := w.run(t, "doctor", "--fix"); !strings.Contains(said, "'lithos note reindex' fills it") {
		t.Errorf("doctor says %q", said)
	}
	if err := os.Rename(folder+"-away", folder); err != nil {
		t.Fatal(err)
	}
	if _, said, status := w.run(t, "note", "reindex"); status != 0 {
		t.Errorf("status %d: %s", status, said)
	}
	if after, _, _ := w.run(t, "note", "list", "--jq", ".total"); after != before || before == "0\n" {
		t.Errorf("there were %s notes, there are %s", before, after)
	}
}

// TestExport_salvage saves everything from a store whose list of tables is gone,
// which no other command can open, and an import takes it.
func TestExport_salvage(t *testing.T) {
	for _, place := range []string{"sqlite_schema", "ready", "meta"} {
		t.Run(place, func(t *testing.T) {
			w := seeded(t)
			whole, _, _ := w.run(t, "export")
			spoilTable(t, filepath.Join(w.env.Dir, ".lithos", "lithos.db"), place)
			if place == "sqlite_schema" {
				if out, _, status := w.run(t, "doctor"); status != 8 || !strings.Contains(out, "Can be saved: ") {
					t.Errorf("doctor: status %d: %s", status, out)
				}
				if _, _, status := w.run(t, "export"); status != 8 {
					t.Errorf("export: status %d", status)
				}
			}
			saved, said, _ := w.run(t, "export", "--salvage")
			if saved != whole {
				t.Errorf("saved was\n%s\nof\n%s\n%s", saved, whole, said)
			}
			w.file(t, "saved.jsonl", saved)
			if _, said, status := w.run(t, "import", "saved.jsonl", "--db", "new.db"); status != 0 {
				t.Errorf("import: status %d: %s", status, said)
			}
			if again, _, _ := w.run(t, "export", "--db", "new.db"); again != whole {
				t.Errorf("imported, it is\n%s", again)
			}
		})
	}
}
