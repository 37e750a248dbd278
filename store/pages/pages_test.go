package pages_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3" // writes the files that are read here

	"dev.lithos/store/pages"
)

// made runs statements on a new database and returns the bytes of its file and
// of its log as they are while the database is open.
func made(t testing.TB, statements ...string) (file, log []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.db")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	// A copy, for to close the file would give up the engine's locks.
	copied := func(suffix string) []byte {
		content, err := os.ReadFile(path + suffix)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return content
	}
	file, log = copied(""), copied("-wal")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return file, log
}

func opened(t testing.TB, file, log []byte) *pages.File {
	t.Helper()
	f, err := pages.Open(bytes.NewReader(file), int64(len(file)), bytes.NewReader(log), int64(len(log)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rootOf is where a table or an index begins.
func rootOf(t testing.TB, f *pages.File, name string) (root uint32) {
	t.Helper()
	for _, n := range f.Table(1, f.NewSet()).Leaves {
		f.Rows(n, false, func(r pages.Row) bool {
			if r.Values[1] == name {
				root = uint32(r.Values[3].(int64))
			}
			return root == 0
		})
	}
	if root == 0 {
		t.Fatalf("there is no %s", name)
	}
	return root
}

// rowsOf are the rows of a table by their numbers.
func rowsOf(t testing.TB, f *pages.File, table string) map[int64]string {
	t.Helper()
	tree := f.Table(rootOf(t, f, table), f.NewSet())
	if !tree.Whole || len(tree.Suspects) > 0 {
		t.Errorf("the tree of %s is not whole: %+v", table, tree)
	}
	rows := map[int64]string{}
	for _, n := range tree.Leaves {
		f.Rows(n, false, func(r pages.Row) bool {
			if !r.Whole {
				t.Errorf("a row of %s on page %d is not whole", table, n)
			}
			if again := f.Row(n, r.Cell); fmt.Sprint(again) != fmt.Sprint(r) {
				t.Errorf("row %d of %s reads differently again", r.Number, table)
			}
			rows[r.Number] = fmt.Sprintf("%T%v", r.Values, r.Values)
			return true
		})
	}
	return rows
}

const many = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i < 500) "

// TestRows_values reads every kind of value.
func TestRows_values(t *testing.T) {
	file, log := made(t, "CREATE TABLE t (n INTEGER PRIMARY KEY, v)", "INSERT INTO t VALUES (-9223372036854775808, NULL), (-1, 0), (0, 1), (1, -1), (2, 127), (3, -128),"+
		" (4, 32767), (5, -32768), (6, 8388607), (7, -8388608), (8, 2147483647), (9, -2147483648), (10, 140737488355327), (11, -140737488355328),"+
		" (12, 9223372036854775807), (13, -9223372036854775808), (14, 1.5), (15, -1e300), (16, ''), (17, 'ä'), (18, x''), (19, x'00ff'), (9223372036854775807, zeroblob(3))")
	f := opened(t, file, log)
	var values []any
	for _, n := range f.Table(rootOf(t, f, "t"), f.NewSet()).Leaves {
		f.Rows(n, false, func(r pages.Row) bool {
			if len(r.Values) != 2 || r.Values[0] != nil {
				t.Errorf("row %d is %v", r.Number, r.Values)
			}
			values = append(values, r.Values[1])
			return true
		})
	}
	want := []any{nil, int64(0), int64(1), int64(-1), int64(127), int64(-128), int64(32767), int64(-32768), int64(8388607), int64(-8388608),
		int64(2147483647), int64(-2147483648), int64(140737488355327), int64(-140737488355328), int64(9223372036854775807), int64(-9223372036854775808),
		1.5, -1e300, "", "ä", []byte{}, []byte{0, 0xff}, []byte{0, 0, 0}}
	if fmt.Sprintf("%#v", values) != fmt.Sprintf("%#v", want) {
		t.Errorf("the values are\n%#v instead of\n%#v", values, want)
	}
}

// TestRows_sizes reads rows of every length around the bounds of what lies on a
// page, with pages of every size.
func TestRows_sizes(t *testing.T) {
	for _, size := range []int{512, 1024, 4096, 65536} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			insert := fmt.Sprintf("INSERT INTO t SELECT i, printf('%%.*c', i * %d / 40, char(97 + i %% 26)) FROM c WHERE i <= 100", size)
			file, log := made(t, fmt.Sprintf("PRAGMA page_size = %d", size), "CREATE TABLE t (n INTEGER PRIMARY KEY, v TEXT)", "CREATE INDEX byValue ON t (v)", many+insert)
			f := opened(t, file, log)
			rows := rowsOf(t, f, "t")
			if len(rows) != 100 {
				t.Errorf("there are %d rows", len(rows))
			}
			for n, text := range rows {
				if want := fmt.Sprintf("%T%v", []any{}, []any{nil, strings.Repeat(string(rune('a'+n%26)), max(1, int(n)*size/40))}); text != want {
					t.Errorf("row %d has %d characters instead of %d", n, len(text), len(want))
				}
			}
			entries := map[int64]bool{}
			whole := f.Index(rootOf(t, f, "byValue"), f.NewSet(), func(values []any) { entries[values[1].(int64)] = true })
			if !whole || len(entries) != 100 {
				t.Errorf("the index has %d entries, whole: %t", len(entries), whole)
			}
		})
	}
}

// TestOpen_log reads what commits have left in the log, the newest of each page,
// and nothing of a transaction that was not committed.
func TestOpen_log(t *testing.T) {
	file, log := made(t, "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", "CREATE TABLE t (n INTEGER PRIMARY KEY, v TEXT)",
		"INSERT INTO t VALUES (1, 'old'), (2, 'stays')", "UPDATE t SET v = 'new' WHERE n = 1", many+"INSERT INTO t SELECT i + 2, printf('%.300c', 'x') FROM c")
	whole := opened(t, file, log)
	rows := rowsOf(t, whole, "t")
	if len(rows) != 502 || !strings.Contains(rows[1], "new") || whole.LogIsDamaged() {
		t.Errorf("%d rows, the first is %q", len(rows), rows[1])
	}
	frame := len(log) - (4096 + 24)
	cut := rowsOf(t, opened(t, file, log[:frame]), "t")
	if len(cut) != 2 || !strings.Contains(cut[1], "new") {
		t.Errorf("without the last frame there are %d rows, the first is %q", len(cut), cut[1])
	}
	spoilt := slices.Clone(log)
	spoilt[frame+2000] ^= 1
	if got := rowsOf(t, opened(t, file, spoilt), "t"); !maps.Equal(got, cut) {
		t.Errorf("with a spoilt frame there are %d rows", len(got))
	}
	spoilt[5] ^= 1
	if f := opened(t, file, spoilt); !f.LogIsDamaged() {
		t.Error("a log with another header counts as one")
	}
}

// TestOpen_pageSize finds out the size of pages where the file does not tell.
func TestOpen_pageSize(t *testing.T) {
	for _, size := range []int{512, 4096, 16384} {
		file, _ := made(t, fmt.Sprintf("PRAGMA page_size = %d", size), "CREATE TABLE t (n INTEGER PRIMARY KEY, v TEXT)",
			many+"INSERT INTO t SELECT i, printf('%.100c', 'x') FROM c")
		clear(file[:size])
		f := opened(t, file, nil)
		if _, ok := f.Header(); ok || int(f.Pages())*size != len(file) {
			t.Errorf("pages of %d bytes: there are %d in %d bytes, with a header: %t", size, f.Pages(), len(file), ok)
		}
	}
}

// TestFree finds the pages of the list of free ones, also where the file does
// not say where it begins.
func TestFree(t *testing.T) {
	file, _ := made(t, "CREATE TABLE t (n INTEGER PRIMARY KEY, v TEXT)", "CREATE TABLE u (n INTEGER PRIMARY KEY, v TEXT)",
		many+"INSERT INTO t SELECT i, printf('%.3000c', 'x') FROM c", many+"INSERT INTO u SELECT i, 'y' FROM c", "DELETE FROM t WHERE n > 10")
	free := func(content []byte) (n int, whole bool) {
		f := opened(t, content, nil)
		known := f.NewSet()
		whole = f.Free(known)
		for _, is := range known {
			if is {
				n++
			}
		}
		return n, whole
	}
	all, whole := free(file)
	if !whole || all < 400 {
		t.Errorf("%d pages are free, whole: %t", all, whole)
	}
	clear(file[:4096])
	if n, whole := free(file); whole || n != all {
		t.Errorf("without the first page %d pages are free instead of %d, whole: %t", n, all, whole)
	}
}

// TestTable_damaged tells which pages are not what they should be.
func TestTable_damaged(t *testing.T) {
	file, _ := made(t, "CREATE TABLE t (n INTEGER PRIMARY KEY, v TEXT)", many+"INSERT INTO t SELECT i, printf('%.100c', 'x') FROM c")
	f := opened(t, file, nil)
	root := rootOf(t, f, "t")
	sound := f.Table(root, f.NewSet())
	spoilt := slices.Clone(file)
	lost := sound.Leaves[2]
	spoilt[(lost-1)*4096] = 77
	f = opened(t, spoilt, nil)
	tree := f.Table(root, f.NewSet())
	if tree.Whole || !slices.Equal(tree.Suspects, []uint32{lost}) || len(tree.Leaves) != len(sound.Leaves)-1 {
		t.Errorf("the tree is %+v", tree)
	}
	rows := 0
	if f.Rows(lost, false, func(pages.Row) bool { return true }) {
		t.Error("a page of no kind counts as a leaf")
	}
	f.Rows(lost, true, func(r pages.Row) bool {
		if r.Whole {
			rows++
		}
		return true
	})
	if rows < 10 {
		t.Errorf("read as a leaf it has %d rows", rows)
	}
}

// TestRows_circle gives up on a row whose rest leads in a circle, however long
// it claims to be.
func TestRows_circle(t *testing.T) {
	file, _ := made(t, "PRAGMA page_size = 512", "CREATE TABLE t (n INTEGER PRIMARY KEY, v TEXT)", "INSERT INTO t VALUES (1, printf('%.100000c', 'x')), (2, 'y')")
	f := opened(t, file, nil)
	root := rootOf(t, f, "t")
	for _, back := range []int{1, 2, 7, 100} {
		spoilt := slices.Clone(file)
		// The pages of the rest follow each other.
		binary.BigEndian.PutUint32(spoilt[(120-1)*512:], uint32(120-back+1))
		rows := 0
		opened(t, spoilt, nil).Rows(root, false, func(r pages.Row) bool {
			if r.Whole {
				rows++
			}
			return true
		})
		if rows != 1 {
			t.Errorf("a circle of %d pages: %d rows are whole", back, rows)
		}
	}
}

// FuzzOpen changes bytes anywhere: whatever a file holds, reading it ends.
func FuzzOpen(f *testing.F) {
	file, log := made(f, "PRAGMA page_size = 512", "PRAGMA journal_mode = WAL", "CREATE TABLE t (n INTEGER PRIMARY KEY, v TEXT)", "CREATE INDEX byValue ON t (v)",
		"INSERT INTO t VALUES (1, printf('%.2000c', 'x')), (2, 'y'), (3, NULL)", "DELETE FROM t WHERE n = 2")
	f.Add(file, log, uint32(100), byte(13), uint32(0), byte(0))
	f.Add(append(slices.Clone(file), log[56:]...), []byte{}, uint32(0), byte(0), uint32(512), byte(5))
	f.Fuzz(func(t *testing.T, file, log []byte, at uint32, with byte, at2 uint32, with2 byte) {
		if len(file) > 1<<14 || len(log) > 1<<14 {
			t.Skip("larger files only take longer")
		}
		file = slices.Clone(file)
		if len(file) > 0 {
			file[int(at)%len(file)], file[int(at2)%len(file)] = with, with2
		}
		db, err := pages.Open(bytes.NewReader(file), int64(len(file)), bytes.NewReader(log), int64(len(log)))
		if err != nil {
			if len(file) > 0 {
				t.Errorf("%d bytes: %v", len(file), err)
			}
			return
		}
		known := db.NewSet()
		db.Free(known)
		for n := range min(db.Pages(), 200) {
			tree := db.Table(n, db.NewSet())
			db.Index(n, db.NewSet(), func([]any) {})
			for _, leaf := range append(tree.Leaves, tree.Suspects...) {
				db.Rows(leaf, true, func(r pages.Row) bool {
					if again := db.Row(leaf, r.Cell); fmt.Sprint(again) != fmt.Sprint(r) {
						t.Errorf("row %d of page %d reads differently again", r.Cell, leaf)
					}
					return true
				})
			}
		}
	})
}
