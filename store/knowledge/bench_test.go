package knowledge_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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
		note := fmt.Sprintf("---\nid: %08d-0000-4000-8000-000000000000\ntitle: Note %06d\nauthor: a\ncreated_at: '2026-01-01T00:00:00+00:00'\nupdated_at: '2026-01-01T00:00:00+00:00'\ntags:\n  - t%d\nversion: 1\n---\n\n# Note %06d\n\n%s ten%d part%d. See [[note-%06d]].",
			n, n, n%50, n, text, n/10, n%100, (n*7)%*noteCount)
		if err := os.WriteFile(path, []byte(note), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// benchFolder is where the notes of the benchmarks are; they stay there, for
// it takes longer to make many than to measure.
var benchFolder = flag.String("folder", "", "folder that keeps the notes of the benchmarks; empty: a temporary one")

// filled returns a folder of notes.
func filled(b *testing.B) string {
	b.Helper()
	folder := *benchFolder
	if folder == "" {
		folder = b.TempDir()
	}
	if _, err := os.Stat(filepath.Join(folder, "knowledge")); err != nil {
		fill(b, folder)
	}
	return folder
}

// BenchmarkNotes measures operations against the file and engine work that
// they cannot do without, in one run: compare the pairs. The first line is the
// rate at which an index is made of files alone.
func BenchmarkNotes(b *testing.B) {
	folder := filled(b)
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
	raw := openRaw(b, folder)
	run := func(name string, do func(n int) error) {
		b.Run(name, func(b *testing.B) {
			busy := busyTime(b)
			for n := 0; b.Loop(); n++ {
				if err := do(n); err != nil {
					b.Fatal(err)
				}
			}
			// What others do at the same time does not count in this.
			b.ReportMetric(float64(busyTime(b)-busy)/float64(b.N), "cpu-ns/op")
		})
	}
	run("read/file", func(n int) error { return raw.file(n % *noteCount) })
	run("read/raw", func(n int) error { return raw.read(n * 7919 % *noteCount) })
	run("read/lithos", func(n int) error {
		id := noteID(n * 7919 % *noteCount)
		_, err := service.NoteRead(ctx, core.NoteReadRequest{ID: &id})
		return err
	})
	run("list/raw", func(n int) error { return raw.list(50, n%100) })
	run("list/lithos", func(n int) error {
		offset := n % 100
		_, err := service.NoteList(ctx, core.NoteListRequest{Offset: &offset})
		return err
	})
	// A word that ten notes hold, one of every hundredth note, one of all.
	for _, query := range []struct{ name, word string }{{"ten", "ten%d"}, {"hundredth", "part%d"}, {"all", "words"}} {
		word := func(n int) string {
			if !strings.Contains(query.word, "%") {
				return query.word
			}
			return fmt.Sprintf(query.word, n%100)
		}
		run("search_"+query.name+"/raw", func(n int) error { return raw.search(word(n)) })
		run("search_"+query.name+"/lithos", func(n int) error {
			mode := string(core.SearchFulltext)
			found, err := service.NoteSearch(ctx, core.SearchRequest{Query: word(n), Mode: &mode})
			if err == nil && len(found.Results) != 10 {
				err = fmt.Errorf("%d notes were found for %s", len(found.Results), word(n))
			}
			return err
		})
	}
	run("stats/lithos", func(int) error {
		_, err := service.Stats(ctx, core.StatsRequest{})
		return err
	})
	written := func(n int) int { return *noteCount - 1 - n*7919%(*noteCount/2) } // search looks for the others
	text := strings.Repeat("other words that are written ", 30)
	run("write/raw", func(n int) error { return raw.write(written(n), text) })
	run("write/lithos", func(n int) error {
		id := noteID(written(n))
		_, err := service.NoteWrite(ctx, core.NoteWriteRequest{ID: &id, Title: fmt.Sprintf("Note %06d", written(n)), Content: text, Agent: "a"})
		return err
	})
}

// busyTime is how much of the processors this program has used.
func busyTime(b *testing.B) time.Duration {
	b.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func noteID(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", n) }
