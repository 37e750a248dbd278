package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dev.lithos/core"
)

// rootOf is the page at which a table or an index of a closed store begins.
func rootOf(t testing.TB, path, name string) int64 {
	t.Helper()
	s := openWith(t, Options{Path: path, ReadOnly: true})
	var root int64
	read(t, s, func(tx *tx) (err error) {
		root, err = tx.number("SELECT rootpage FROM sqlite_schema WHERE name = ?", name)
		return err
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return root
}

// spoil copies a store and fills a page of the copy with a byte.
func spoil(t testing.TB, path string, page int64, with byte) (copied string) {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const size = 4096
	for i := range whole[(page-1)*size : page*size] {
		whole[(page-1)*size+int64(i)] = with
	}
	copied = filepath.Join(t.TempDir(), "spoilt.db")
	if err := os.WriteFile(copied, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}

// TestRepair_indexes spoils the first page of each kind of index: doctor tells
// which it is, and makes it anew without losing a row.
func TestRepair_indexes(t *testing.T) {
	path := sample(t)
	before := countRows(t, path)
	for name, with := range map[string]byte{"edges_from": 0, "ready": 0xa5, "sqlite_autoindex_tasks_1": 0, "events_by_task": 0xff} {
		t.Run(name, func(t *testing.T) {
			page := rootOf(t, path, name)
			broken := spoil(t, path, page, with)
			found := examined(t, broken)
			want := fmt.Sprintf("The index %s is damaged on page %d.", name, page)
			if text := detailOf(found, CheckIntegrity); !strings.HasPrefix(text, want) || !slices.Contains(found.Repairable, CheckIntegrity) {
				t.Fatalf("integrity says %q, repairable are %v", text, found.Repairable)
			}
			if err := Repair(t.Context(), Options{Path: broken, Synchronous: Normal}, found.Repairable); err != nil {
				t.Fatal(err)
			}
			if names := withoutLog(examined(t, broken)); len(names) > 0 {
				t.Errorf("afterwards %v fail: %+v", names, examined(t, broken))
			}
			for table, n := range countRows(t, broken) {
				if n != before[table] {
					t.Errorf("%s had %d rows and has %d", table, before[table], n)
				}
			}
		})
	}
}

// TestRepair_table leaves a table alone whose rows are damaged, and counts what
// is left of it.
func TestRepair_table(t *testing.T) {
	path := sample(t)
	broken := spoil(t, path, rootOf(t, path, "findings"), 0)
	found := examined(t, broken)
	if text := detailOf(found, CheckIntegrity); !strings.HasPrefix(text, "findings is damaged on page ") || !strings.Contains(text, "0 rows of findings can still be read.") {
		t.Errorf("integrity says %q", text)
	}
	if slices.Contains(found.Repairable, CheckIntegrity) {
		t.Error("it counts as repairable")
	}
}

// salvaged is what a salvage yields, by kind, and what it says.
func salvaged(t testing.TB, path string) (records map[core.TransferKind]int64, told map[core.TransferKind]Salvaged) {
	t.Helper()
	records, told = map[core.TransferKind]int64{}, map[core.TransferKind]Salvaged{}
	list, err := Salvage(t.Context(), SalvageOptions{Path: path}, func(rec *core.TransferRecord) error {
		records[rec.Kind]++
		if fault := rec.Fault(); fault != "" {
			t.Errorf("a record has %s: %+v", fault, rec)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		told[s.Kind] = s
		if s.Read != records[s.Kind] {
			t.Errorf("%v: %d were yielded, %d told", s.Kind, records[s.Kind], s.Read)
		}
	}
	return records, told
}

func TestSalvage_sound(t *testing.T) {
	records, told := salvaged(t, sample(t))
	for kind, n := range map[core.TransferKind]int64{core.TransferAgent: 1, core.TransferTask: 40, core.TransferClaim: 20, core.TransferFinding: 20} {
		if records[kind] != n || !told[kind].IsWhole() {
			t.Errorf("%v: %d instead of %d, %+v", kind, records[kind], n, told[kind])
		}
	}
}

// TestSalvage_pages spoils some pages of a table of many but the first: all
// rows of the others are read, and those of the spoilt one counted.
func TestSalvage_pages(t *testing.T) {
	path := sample(t)
	change(t, path, "UPDATE tasks SET description = printf('%.900c', 'x'); VACUUM")
	// Packed, the pages that follow those at which tables and indexes begin are
	// of the first table that has any.
	s := openWith(t, Options{Path: path, ReadOnly: true})
	var last int64
	read(t, s, func(tx *tx) (err error) {
		last, err = tx.number("SELECT max(rootpage) FROM sqlite_schema")
		return err
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	records, _ := salvaged(t, path)
	tried := 0
	for page := last + 1; tried < 3 && page < last+10; page++ {
		broken := spoil(t, path, page, 0)
		text := detailOf(examined(t, broken), CheckIntegrity)
		if !strings.HasPrefix(text, fmt.Sprintf("tasks is damaged on page %d.", page)) {
			continue
		}
		tried++
		found, told := salvaged(t, broken)
		tasks, edges := told[core.TransferTask], told[core.TransferEdge]
		if tasks.Lost == 0 || tasks.AtLeast || found[core.TransferTask]+tasks.Lost != records[core.TransferTask] {
			t.Errorf("page %d: %d tasks of %d, %+v", page, found[core.TransferTask], records[core.TransferTask], tasks)
		}
		if edges.Lost != 0 || found[core.TransferEdge]+edges.Dangling != records[core.TransferEdge] {
			t.Errorf("page %d: %d edges of %d, %+v", page, found[core.TransferEdge], records[core.TransferEdge], edges)
		}
		if !strings.Contains(text, fmt.Sprintf("%d rows of tasks can still be read.", found[core.TransferTask])) {
			t.Errorf("page %d: integrity says %q", page, text)
		}
	}
	if tried < 3 {
		t.Errorf("only %d pages belong to tasks", tried)
	}
}

// TestSalvage_rows leaves out the rows that no import takes, and what belongs
// to them.
func TestSalvage_rows(t *testing.T) {
	path := sample(t)
	change(t, path, "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; UPDATE tasks SET status = 7 WHERE seq = 1; UPDATE tasks SET metadata = '{' WHERE seq = 2;"+
		" UPDATE tasks SET version = 0 WHERE seq = 3; UPDATE tasks SET title = CAST(x'61ff' AS TEXT) WHERE seq = 4; DELETE FROM tasks WHERE seq = 5")
	records, told := salvaged(t, path)
	if s := told[core.TransferTask]; records[core.TransferTask] != 36 || s.Faulty != 3 || s.Mended != 1 || s.Lost != 0 {
		t.Errorf("%d tasks, %+v", records[core.TransferTask], s)
	}
	if s := told[core.TransferFinding]; records[core.TransferFinding] != 16 || s.Dangling != 4 {
		t.Errorf("%d findings, %+v", records[core.TransferFinding], s)
	}
}
