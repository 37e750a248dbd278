package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
			if _, err := Repair(t.Context(), Options{Path: broken, Synchronous: Normal}, found.Repairable); err != nil {
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

// TestRepair_table leaves a table alone whose rows are damaged.
func TestRepair_table(t *testing.T) {
	path := sample(t)
	broken := spoil(t, path, rootOf(t, path, "findings"), 0)
	found := examined(t, broken)
	if text := detailOf(found, CheckIntegrity); !strings.HasPrefix(text, "findings is damaged on page ") {
		t.Errorf("integrity says %q", text)
	}
	if slices.Contains(found.Repairable, CheckIntegrity) {
		t.Error("it counts as repairable")
	}
}
