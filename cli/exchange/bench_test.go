package exchange_test

import (
	"bufio"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/cli/exchange"
	"dev.lithos/core"
)

// The size that import and export are measured at.
const (
	benchTasks = 100_000
	benchEdges = 200_000
)

// writeBenchFile writes a file of a format with tasks of about 800 bytes, nine
// of ten of them closed, and edges from older tasks to newer ones.
func writeBenchFile(b *testing.B, format string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), format+".jsonl")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(file)
	r := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	description := strings.Repeat("words about the work that is to be done. ", 12)
	id := func(i int) string { return fmt.Sprintf("%08x-aaaa-4bbb-8ccc-%012x", uint32(i*2654435761), i) }
	before := make([][]int, benchTasks) // what each task depends on
	for range benchEdges {
		to := 1 + r.IntN(benchTasks-1)
		before[to] = append(before[to], max(0, to-1-r.IntN(min(to, 1000))))
	}
	at := func(i int) string { return core.StampOf(start.Add(time.Duration(i) * time.Second)).String() }
	if format == "lithos" {
		fmt.Fprintln(w, `{"type":"lithos","format":1}`)
	}
	for i := range benchTasks {
		closed := i < benchTasks*9/10
		if format == "lithos" {
			status, resolved, outcome := "open", "null", "null"
			if closed {
				status, resolved, outcome = "completed", `"`+at(i)+`"`, `"done"`
			}
			fmt.Fprintf(w, `{"type":"task","id":"%s","title":"Task number %d of the graph","description":"%s","status":"%s","task_type":"task","created_by":"generator","created_at":"%s","resolved_at":%s,"updated_at":"%s","version":2,"tags":["graph","t%d"],"metadata":{"project":"p%d","priority":"%s","owner":"o%d"},"outcome":%s}`+"\n",
				id(i), i, description, status, at(i), resolved, at(i), i%20, i%50, core.Priorities[i%5], i%100, outcome)
			continue
		}
		status, ending := "open", ""
		if closed {
			status, ending = "closed", fmt.Sprintf(`,"closed_at":"%s","close_reason":"done"`, at(i))
		}
		fmt.Fprintf(w, `{"id":"%s","title":"Task number %d of the graph","description":"%s","status":"%s","priority":%d,"issue_type":"task","owner":"o%d","created_at":"%s","created_by":"generator","updated_at":"%s"%s,"labels":["graph","t%d"],"dependencies":[`,
			id(i), i, description, status, i%5, i%100, at(i), at(i), ending, i%20)
		for n, from := range before[i] {
			if n > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, `{"issue_id":"%s","depends_on_id":"%s","type":"blocks","created_at":"%s","created_by":"generator"}`, id(i), id(from), at(i))
		}
		fmt.Fprintln(w, `]}`)
	}
	if format == "lithos" {
		for i := range benchTasks {
			for _, from := range before[i] {
				fmt.Fprintf(w, `{"type":"edge","from_task_id":"%s","to_task_id":"%s","edge_type":"blocks","metadata":{},"created_by":"generator","created_at":"%s"}`+"\n", id(from), id(i), at(i))
			}
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// peakSince returns freed memory to the system and returns how to ask for the
// most memory that the process has had resident since, in MB; 0 where the
// system does not tell.
func peakSince() func() float64 {
	debug.FreeOSMemory()
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return func() float64 { return 0 }
	}
	return func() float64 {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return 0
		}
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		var kb float64
		if _, err := fmt.Sscan(rest, &kb); err != nil {
			return 0
		}
		return kb / 1024
	}
}

// rawStore is a store file seen through the driver alone.
func rawStore(b *testing.B, path string) *sqlite3.SQLiteConn {
	b.Helper()
	opened, err := (&sqlite3.SQLiteDriver{}).Open("file:" + path + "?_busy_timeout=5000&_synchronous=FULL&_mutex=no")
	if err != nil {
		b.Fatal(err)
	}
	raw := opened.(*sqlite3.SQLiteConn)
	b.Cleanup(func() {
		if err := raw.Close(); err != nil {
			b.Error(err)
		}
	})
	return raw
}

// rowsOf reads a whole table of a store.
func rowsOf(b *testing.B, raw *sqlite3.SQLiteConn, table string) (rows [][]driver.Value) {
	b.Helper()
	found, err := raw.Query("SELECT * FROM "+table, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer found.Close()
	for {
		row := make([]driver.Value, len(found.Columns()))
		switch err := found.Next(row); {
		case errors.Is(err, io.EOF):
			return rows
		case err != nil:
			b.Fatal(err)
		}
		rows = append(rows, row)
	}
}

// insertBare writes the rows that an import wrote into an empty store, through
// one prepared statement a table in one transaction, and returns how long it
// took.
func insertBare(b *testing.B, from string) time.Duration {
	b.Helper()
	source := rawStore(b, from)
	_, to := newStoreAt(b)
	raw := rawStore(b, to)
	exec := func(sql string) {
		if _, err := raw.Exec(sql, nil); err != nil {
			b.Fatal(err)
		}
	}
	exec("PRAGMA cache_size = -98304")
	var took time.Duration
	start := time.Now()
	exec("BEGIN IMMEDIATE")
	for _, table := range []string{"tasks", "open_tasks", "edges"} {
		took += time.Since(start)
		rows := rowsOf(b, source, table)
		start = time.Now()
		insert, err := raw.Prepare("INSERT INTO " + table + " VALUES (?" + strings.Repeat(", ?", len(rows[0])-1) + ")")
		if err != nil {
			b.Fatal(err)
		}
		for _, row := range rows {
			if _, err := insert.(driver.StmtExecContext).ExecContext(b.Context(), named(row)); err != nil {
				b.Fatal(err)
			}
		}
		if err := insert.Close(); err != nil {
			b.Fatal(err)
		}
	}
	exec("COMMIT")
	return took + time.Since(start)
}

// BenchmarkImport prints how many times as long an import takes as bare
// inserts of the same rows, and the memory it takes. What the engine once had
// is not given back to the system, so the format that takes most comes first.
func BenchmarkImport(b *testing.B) {
	for _, format := range []string{"beads", "lithos"} {
		b.Run(format, func(b *testing.B) {
			path := writeBenchFile(b, format)
			var ours, bare time.Duration
			for range b.N {
				s, at := newStoreAt(b)
				peak := peakSince()
				start := time.Now()
				if report := mustBring(b, s, path); report.Created != benchTasks {
					b.Fatalf("report %+v", report)
				}
				ours += time.Since(start)
				b.ReportMetric(peak(), "MB-peak")
				bare += insertBare(b, at)
			}
			b.ReportMetric(ours.Seconds()/float64(b.N), "s/import")
			b.ReportMetric(bare.Seconds()/float64(b.N), "s/bare")
			b.ReportMetric(ours.Seconds()/bare.Seconds(), "ratio")
		})
	}
}

func BenchmarkExport(b *testing.B) {
	s := newStore(b)
	mustBring(b, s, writeBenchFile(b, "lithos"))
	for _, format := range exchange.ExportFormats() {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				written, err := exchange.Export(context.Background(), s, io.Discard, format, exchange.Plain, core.TaskListRequest{})
				if err != nil || written.Tasks != benchTasks {
					b.Fatalf("%+v, %v", written, err)
				}
			}
		})
	}
}

// named numbers the values of a row as the driver wants them.
func named(row []driver.Value) []driver.NamedValue {
	list := make([]driver.NamedValue, len(row))
	for i, v := range row {
		list[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return list
}
