package store

import (
	"database/sql/driver"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
)

// The benchmarks set an operation, with everything core does for it, against
// the same SQL through prepared statements of the bare driver, turn by turn in
// one run, and report the ratio of the medians.

// raw is a connection of the bare driver.
type raw struct {
	db    *sqlite3.SQLiteConn
	stmts map[string]*sqlite3.SQLiteStmt
}

func openRaw(b testing.TB, s *Store) *raw {
	b.Helper()
	db, err := (&sqlite3.SQLiteDriver{}).Open(s.uri("mode=rw&_busy_timeout=5000&_mutex=no&_foreign_keys=1&_synchronous=FULL"))
	if err != nil {
		b.Fatal(err)
	}
	r := &raw{db: db.(*sqlite3.SQLiteConn), stmts: map[string]*sqlite3.SQLiteStmt{}}
	b.Cleanup(func() {
		for _, stmt := range r.stmts {
			_ = stmt.Close()
		}
		_ = r.db.Close()
	})
	return r
}

func (r *raw) stmt(b testing.TB, sql string) *sqlite3.SQLiteStmt {
	stmt := r.stmts[sql]
	if stmt == nil {
		prepared, err := r.db.Prepare(sql)
		if err != nil {
			b.Fatal(err)
		}
		stmt = prepared.(*sqlite3.SQLiteStmt)
		r.stmts[sql] = stmt
	}
	return stmt
}

func (r *raw) exec(b testing.TB, sql string, args ...driver.Value) {
	if _, err := r.stmt(b, sql).Exec(args); err != nil {
		b.Fatal(err)
	}
}

func (r *raw) query(b testing.TB, sql string, args ...driver.Value) (n int) {
	rows, err := r.stmt(b, sql).Query(args)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	dest := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(dest); errors.Is(err, io.EOF) {
			return n
		} else if err != nil {
			b.Fatal(err)
		}
		n++
	}
}

// compare runs both, turn by turn, and reports the medians and their ratio.
func compare(b *testing.B, ours, bare func(i int)) {
	b.Helper()
	var a, r []time.Duration
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		ours(i)
		middle := time.Now()
		bare(i)
		a, r = append(a, middle.Sub(start)), append(r, time.Since(middle))
	}
	b.StopTimer()
	slices.Sort(a)
	slices.Sort(r)
	x, y := a[len(a)/2], r[len(r)/2]
	b.ReportMetric(float64(x.Nanoseconds())/1000, "µs/ours")
	b.ReportMetric(float64(y.Nanoseconds())/1000, "µs/bare")
	b.ReportMetric(float64(x)/float64(y), "ratio")
	b.ReportMetric(0, "ns/op")
}

func call(b testing.TB, service *core.Service, operation, arguments string) []byte {
	op, found := core.OperationNamed(operation)
	if !found {
		b.Fatalf("no operation %s", operation)
	}
	result, err := op.Call(b.Context(), service, []byte(arguments))
	if err != nil {
		b.Fatalf("%s %s: %v", operation, arguments, err)
	}
	text, err := core.EncodeJSON(result)
	if err != nil {
		b.Fatal(err)
	}
	return text
}

var benchShape = graphShape{tasks: 100_000, edges: 200_000, closed: 0.9}

// benchTemplate is the path and the keys of a store that is made once.
var benchTemplate struct {
	path string
	keys []core.TaskKey
}

// benchStore is a copy of a store of the shape that benchmarks share.
func benchStore(b *testing.B) (s *Store, keys []core.TaskKey) {
	b.Helper()
	if benchTemplate.path == "" {
		folder, err := os.MkdirTemp("", "lithos-store-bench") //nolint:usetesting // outlives the benchmark
		if err != nil {
			b.Fatal(err)
		}
		s, err := Open(b.Context(), Options{Path: filepath.Join(folder, "lithos.db"), Create: true})
		if err != nil {
			b.Fatal(err)
		}
		benchTemplate.keys = load(b, s, benchShape)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		benchTemplate.path = s.Path()
	}
	content, err := os.ReadFile(benchTemplate.path)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "lithos.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		b.Fatal(err)
	}
	return openWith(b, Options{Path: path}), benchTemplate.keys
}

func BenchmarkReady50(b *testing.B) {
	s, _ := benchStore(b)
	service := core.New(core.Config{Store: s})
	bare := openRaw(b, s)
	sql, args := frontierQuery(core.FrontierQuery{Now: core.StampOf(time.Now()), Limit: 51}, taskColumns, true)
	values := make([]driver.Value, len(args))
	for i := range args {
		values[i] = value(args[i])
	}
	compare(b, func(int) {
		call(b, service, "task_ready", `{"with_claims":false}`)
	}, func(int) {
		bare.query(b, "BEGIN")
		if n := bare.query(b, sql, values...); n != 51 {
			b.Fatalf("%d rows", n)
		}
		bare.query(b, "COMMIT")
	})
}

// BenchmarkStart is what a command pays from opening to closing.
func BenchmarkStart(b *testing.B) {
	s, _ := benchStore(b)
	q := core.FrontierQuery{Now: core.StampOf(time.Now()), Limit: 51}
	sql, args := frontierQuery(q, taskColumns, true)
	values := make([]driver.Value, len(args))
	for i := range args {
		values[i] = value(args[i])
	}
	compare(b, func(int) {
		once, err := Open(b.Context(), Options{Path: s.Path(), Create: true})
		if err != nil {
			b.Fatal(err)
		}
		read(b, once, func(t *tx) error { _, err := t.Frontier(q); return err })
		if err := once.Close(); err != nil {
			b.Fatal(err)
		}
	}, func(int) {
		db, err := (&sqlite3.SQLiteDriver{}).Open(s.uri("mode=ro&_busy_timeout=0&_mutex=no"))
		if err != nil {
			b.Fatal(err)
		}
		once := &raw{db: db.(*sqlite3.SQLiteConn), stmts: map[string]*sqlite3.SQLiteStmt{}}
		if n := once.query(b, sql, values...); n != 51 {
			b.Fatalf("%d rows", n)
		}
		for _, stmt := range once.stmts {
			if err := stmt.Close(); err != nil {
				b.Fatal(err)
			}
		}
		if err := once.db.Close(); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkCreate(b *testing.B) {
	s, _ := benchStore(b)
	service := core.New(core.Config{Store: s})
	call(b, service, "agent_register", `{"id":"mo"}`)
	bare := openRaw(b, s)
	r := rand.New(rand.NewPCG(3, 4))
	compare(b, func(int) {
		call(b, service, "task_create", `{"title":"A new task","agent":"mo","metadata":{"project":"p1","priority":"high"}}`)
	}, func(int) {
		id, event := seededID(r), seededID(r)
		now := int64(core.StampOf(time.Now()))
		bare.exec(b, "BEGIN IMMEDIATE")
		bare.exec(b, "UPDATE agents SET last_seen_at = ? WHERE id = ?", now, "mo")
		bare.exec(b, "INSERT INTO tasks (id, status, task_type, created_at, updated_at, version, title, created_by, tags, metadata) VALUES (?, 0, 0, ?, ?, 1, 'A new task', 'mo', '[]', ?)",
			id, now, now, `{"project":"p1","priority":"high"}`)
		bare.exec(b, "INSERT INTO open_tasks (seq, task_type, rank, created_at, id, project, hard) VALUES (last_insert_rowid(), 0, 1, ?, ?, 'p1', 0)", now, id)
		bare.exec(b, "INSERT INTO events (id, type, timestamp, agent, task_seq, tags, payload) VALUES (?, 'task.created', ?, 'mo', last_insert_rowid(), '[]', ?)",
			event, now, `{"task_id":"`+id+`","title":"A new task","task_type":"task","updated_at":"2026-01-01T00:00:00+00:00","version":1}`)
		bare.exec(b, "COMMIT")
	})
}

func BenchmarkClaim(b *testing.B) {
	s, keys := benchStore(b)
	service := core.New(core.Config{Store: s})
	call(b, service, "agent_register", `{"id":"mo"}`)
	bare := openRaw(b, s)
	r := rand.New(rand.NewPCG(3, 4))
	open := keys[len(keys)*9/10:]
	var ids []string
	read(b, s, func(t *tx) error {
		heads, err := t.Heads(open)
		for _, h := range heads {
			ids = append(ids, h.ID)
		}
		return err
	})
	compare(b, func(i int) {
		call(b, service, "task_claim", `{"task_id":"`+ids[i%len(ids)]+`","agent":"mo","aspect":"work"}`)
	}, func(i int) {
		id, event := ids[(i+len(ids)/2)%len(ids)], seededID(r)
		now := int64(core.StampOf(time.Now()))
		bare.exec(b, "BEGIN IMMEDIATE")
		bare.query(b, "SELECT seq, status, title, version, updated_at FROM tasks WHERE id = ?", id)
		bare.exec(b, "INSERT INTO claims (task_seq, aspect, agent, claimed_at, expires_at) VALUES (?, 'more', 'mo', ?, ?) ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at",
			int64(open[(i+len(ids)/2)%len(ids)]), now, now+3_600_000_000)
		bare.exec(b, "UPDATE agents SET last_seen_at = ? WHERE id = ?", now, "mo")
		bare.exec(b, "INSERT INTO events (id, type, timestamp, agent, task_seq, tags, payload) VALUES (?, 'task.claimed', ?, 'mo', ?, '[]', ?)",
			event, now, int64(open[(i+len(ids)/2)%len(ids)]), `{"task_id":"`+id+`","agent":"mo","aspect":"work","expires_at":"2026-01-01T00:00:00.123456+00:00"}`)
		bare.exec(b, "COMMIT")
	})
}

func BenchmarkComplete(b *testing.B) {
	s, keys := benchStore(b)
	service := core.New(core.Config{Store: s})
	call(b, service, "agent_register", `{"id":"mo"}`)
	bare := openRaw(b, s)
	r := rand.New(rand.NewPCG(3, 4))
	open := keys[len(keys)*9/10:]
	var ids []string
	read(b, s, func(t *tx) error {
		heads, err := t.Heads(open)
		for _, h := range heads {
			ids = append(ids, h.ID)
		}
		return err
	})
	half := len(ids) / 2
	if b.N > half {
		b.Skipf("there are %d open tasks", len(ids))
	}
	compare(b, func(i int) {
		call(b, service, "task_complete", `{"task_id":"`+ids[i]+`","agent":"mo","outcome":"done"}`)
	}, func(i int) {
		id, key, event := ids[half+i], int64(open[half+i]), seededID(r)
		now := int64(core.StampOf(time.Now()))
		bare.exec(b, "BEGIN IMMEDIATE")
		bare.query(b, "SELECT * FROM tasks WHERE id = ?", id)
		bare.exec(b, "DELETE FROM claims WHERE task_seq = ?", key)
		bare.exec(b, "UPDATE tasks SET status = 1, resolved_at = ?, outcome = 'done', updated_at = ?, version = version + 1 WHERE seq = ?", now, now, key)
		bare.exec(b, "DELETE FROM open_tasks WHERE seq = ?", key)
		bare.exec(b, "UPDATE open_tasks SET hard = "+hardOf("open_tasks.seq")+", timer_until = "+timerOf("open_tasks.seq")+
			" WHERE seq IN (SELECT to_seq FROM edges WHERE from_seq = ? AND type IN (0, 3))", key)
		bare.exec(b, "UPDATE agents SET last_seen_at = ? WHERE id = ?", now, "mo")
		bare.exec(b, "INSERT INTO events (id, type, timestamp, agent, task_seq, tags, payload) VALUES (?, 'task.completed', ?, 'mo', ?, '[]', ?)",
			event, now, key, `{"task_id":"`+id+`","agent":"mo","outcome":"done","cited_nodes":null,"misleading_nodes":null,"receipt_id":null,"updated_at":"2026-01-01T00:00:00+00:00","version":2,"dropped_claims":[]}`)
		bare.query(b, readyTargets, key, now/1_000_000)
		bare.exec(b, "COMMIT")
	})
}

func BenchmarkLoad(b *testing.B) {
	shape := benchShape
	for range b.N {
		ours := create(b)
		start := time.Now()
		load(b, ours, shape)
		took := time.Since(start)

		empty := createAt(b, filepath.Join(b.TempDir(), "bare.db"))
		bare := openRaw(b, empty)
		r := rand.New(rand.NewPCG(1, 2))
		start = time.Now()
		bare.exec(b, "BEGIN IMMEDIATE")
		for i := range shape.tasks {
			task := graphTask(r, i, float64(i) < float64(shape.tasks)*shape.closed)
			f := core.FacetsOf(task.Type, task.Metadata)
			bare.exec(b, insertTask, int64(i+1), task.ID, value(task.Status), int64(0), nil, int64(task.CreatedAt), int64(task.UpdatedAt), value(task.ResolvedAt),
				task.Version, task.Title, task.CreatedBy, task.Tags.Text(), task.Metadata.Text(), value(task.Description), value(task.Outcome))
			if task.Status == core.StatusOpen {
				bare.exec(b, "INSERT INTO open_tasks (seq, task_type, rank, created_at, id, project, hard) VALUES (?, 0, ?, ?, ?, ?, 0)",
					int64(i+1), int64(f.Priority), int64(task.CreatedAt), task.ID, value(f.Project))
			}
		}
		for range shape.edges {
			to := 1 + r.IntN(shape.tasks-1)
			from := max(0, to-1-r.IntN(min(to, 1000)))
			bare.exec(b, "INSERT INTO edges (from_seq, to_seq, type, created_at, created_by, metadata) VALUES (?, ?, 0, ?, 'generator', '{}') ON CONFLICT DO NOTHING",
				int64(from+1), int64(to+1), int64(epoch))
		}
		bare.exec(b, "COMMIT")
		took2 := time.Since(start)
		b.ReportMetric(took.Seconds(), "s/ours")
		b.ReportMetric(took2.Seconds(), "s/bare")
		b.ReportMetric(took.Seconds()/took2.Seconds(), "ratio")
	}
}
