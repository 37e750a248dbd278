package cli_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// readySQL is what `task ready --json` asks the store, as one query.
const readySQL = `SELECT t.id, t.title, t.description, t.status, t.task_type, t.created_by, t.created_at, t.resolved_at,
	t.updated_at, t.version, t.tags, t.metadata, t.outcome
	FROM open_tasks o INDEXED BY ready JOIN tasks t ON t.seq = o.seq
	WHERE o.task_type = 0 AND o.hard = 0 AND (o.timer_until IS NULL OR o.timer_until <= strftime('%s', 'now'))
	ORDER BY o.rank, o.created_at, o.id LIMIT 51`

// BenchmarkProcess compares whole processes: the built program with the
// sqlite3 shell on the same store, by turns.
func BenchmarkProcess(b *testing.B) {
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		b.Skip("the sqlite3 shell is not installed, so there is nothing to compare with")
	}
	lithos := filepath.Join(b.TempDir(), "lithos")
	if out, err := exec.Command("go", "build", "-o", lithos, "dev.lithos").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, size := range []int{1_000, 100_000} {
		db := filepath.Join(b.TempDir(), "lithos.db")
		importGraph(b, lithos, db, size)
		for _, command := range []struct {
			name      string
			lithos    []string
			reference []string
		}{
			{"ready", []string{"task", "ready", "--json"}, []string{"-json", db, readySQL}},
			{"create", []string{"task", "create", "one more", "--json"}, []string{db, `PRAGMA synchronous = FULL; BEGIN IMMEDIATE;
				INSERT INTO tasks (id, status, task_type, created_at, updated_at, version, title, created_by, tags, metadata)
					VALUES (lower(hex(randomblob(16))), 0, 0, 1, 1, 1, 'one more', 'me', '[]', '{}');
				INSERT INTO open_tasks (seq, task_type, rank, created_at, id, hard)
					SELECT seq, 0, 2, 1, id, 0 FROM tasks WHERE seq = last_insert_rowid();
				INSERT INTO events (id, type, timestamp, agent, task_seq, tags, payload)
					VALUES (lower(hex(randomblob(16))), 'task.created', 1, 'me', 1, '[]', '{}');
				COMMIT;`}},
		} {
			b.Run(fmt.Sprintf("%s-%d", command.name, size), func(b *testing.B) {
				var ours, theirs []time.Duration
				for range b.N {
					ours = append(ours, timeProcess(b, lithos, append([]string{"--db", db}, command.lithos...)...))
					theirs = append(theirs, timeProcess(b, shell, command.reference...))
				}
				b.ReportMetric(float64(median(ours))/float64(median(theirs)), "×shell")
				b.ReportMetric(float64(median(ours).Microseconds())/1000, "ms")
			})
		}
	}
}

func timeProcess(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	start := time.Now()
	if err := exec.Command(name, args...).Run(); err != nil {
		b.Fatalf("%s %q: %v", name, args, err)
	}
	return time.Since(start)
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// importGraph fills a store with tasks, nine of ten closed, with two blockers
// each.
func importGraph(b *testing.B, lithos, db string, size int) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "graph.jsonl")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(file)
	for i := range size {
		status := "closed"
		if i%10 == 9 {
			status = "open"
		}
		id := func(n int) string { return fmt.Sprintf("%08x-task", uint32(n)*2654435761) }
		fmt.Fprintf(out, `{"id":%q,"title":"Task %d","description":"A task with a text of some length, as tasks have.","status":%q,`+
			`"priority":%d,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","created_by":"bench"`,
			id(i), i, status, i%5)
		if i > 100 {
			fmt.Fprintf(out, `,"dependencies":[{"issue_id":%[1]q,"depends_on_id":%[2]q,"type":"blocks"},{"issue_id":%[1]q,"depends_on_id":%[3]q,"type":"blocks"}]`,
				id(i), id(i/2), id(i-7))
		}
		fmt.Fprintln(out, "}")
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command(lithos, "--db", db, "import", path).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
}
