package knowledge_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3" // the engine by itself

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// noteCount is how many notes the benchmarks work on.
var noteCount = flag.Int("notes", 2_000, "notes of the benchmarks")

// fill writes note files by hand, a thousand a folder.
func fill(b *testing.B, folder string) {
	b.Helper()
	text := strings.Repeat("words that are found again and others ", 20)
	for n := range *noteCount {
		path := filepath.Join(folder, "knowledge", fmt.Sprintf("d%03d", n/1000), fmt.Sprintf("note-%06d.md", n))
		if n%1000 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				b.Fatal(err)
			}
		}
		note := fmt.Sprintf("---\nid: %08d-0000-4000-8000-000000000000\ntitle: Note %06d\nauthor: a\ncreated_at: '2026-01-01T00:00:00+00:00'\nupdated_at: '2026-01-01T00:00:00+00:00'\ntags:\n  - t%d\nversion: 1\n---\n\n# Note %06d\n\n%s number%d. See [[note-%06d]].",
			n, n, n%50, n, text, n, (n*7)%*noteCount)
		if err := os.WriteFile(path, []byte(note), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNotes measures operations against the file and engine work that
// they cannot do without, in one run: compare the pairs. The first line is the
// rate at which an index is made of files alone.
func BenchmarkNotes(b *testing.B) {
	folder := b.TempDir()
	fill(b, folder)
	service, s, err := open(folder, files.Disk{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	ctx := context.Background()
	b.Run("cold_index", func(b *testing.B) {
		for b.Loop() {
			if _, err := service.NoteReindex(ctx, core.ReindexRequest{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(*noteCount)*float64(b.N)/b.Elapsed().Seconds(), "notes/s")
	})
	if _, err := service.NoteList(ctx, core.NoteListRequest{}); err != nil { // cold_index may have been left out
		b.Fatal(err)
	}
	raw, err := sql.Open("sqlite3", "file:"+filepath.Join(folder, "raw.db")+"?_journal_mode=WAL&_synchronous=NORMAL&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := raw.Close(); err != nil {
			b.Error(err)
		}
	}()
	raw.SetMaxOpenConns(1)
	for _, statement := range []string{
		"CREATE TABLE n (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, path TEXT, title TEXT, tags TEXT)",
		fmt.Sprintf("INSERT INTO n SELECT value, printf('%%08d', value), 'd/note', 'Note', '[\"t\"]' FROM (WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < %d) SELECT value FROM c)", *noteCount),
	} {
		if _, err := raw.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	run := func(name string, do func(n int) error) {
		b.Run(name, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				if err := do(n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	id := func(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", n%*noteCount) }
	var disk files.Disk
	run("read/raw", func(n int) error {
		if _, err := disk.ReadAtMost(filepath.Join(folder, "knowledge", "d000", fmt.Sprintf("note-%06d.md", n%1000)), 1<<20); err != nil {
			return err
		}
		_, err := raw.Exec("UPDATE n SET tags = ? WHERE seq = ?", fmt.Sprint(n), n%*noteCount+1) // the access log
		return err
	})
	run("read/lithos", func(n int) error {
		key := id(n)
		_, err := service.NoteRead(ctx, core.NoteReadRequest{ID: &key})
		return err
	})
	run("list/raw", func(n int) error {
		rows, err := raw.Query("SELECT seq, id, path, title, tags FROM n ORDER BY seq LIMIT 50 OFFSET ?", n%100)
		if err != nil {
			return err
		}
		for rows.Next() {
			var seq int
			var a, b, c, d string
			if err := rows.Scan(&seq, &a, &b, &c, &d); err != nil {
				return err
			}
		}
		return rows.Close()
	})
	run("list/lithos", func(n int) error {
		offset := n % 100
		_, err := service.NoteList(ctx, core.NoteListRequest{Offset: &offset})
		return err
	})
	text := strings.Repeat("other words that are written ", 30)
	run("write/raw", func(n int) error {
		if err := disk.Replace(filepath.Join(folder, "raw.md"), []byte(text), 0o600); err != nil {
			return err
		}
		_, err := raw.Exec("UPDATE n SET tags = ? WHERE seq = ?", fmt.Sprint(n), n%*noteCount+1)
		return err
	})
	run("write/lithos", func(n int) error {
		key := id(n)
		_, err := service.NoteWrite(ctx, core.NoteWriteRequest{ID: &key, Title: fmt.Sprintf("Note %06d", n%*noteCount), Content: text, Agent: "a"})
		return err
	})
}
