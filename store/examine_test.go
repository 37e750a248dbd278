package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dev.lithos/core"
)

// sample makes a store with a bit of everything and returns its path, closed.
func sample(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lithos.db")
	s, err := Open(t.Context(), Options{Path: path, Create: true, Synchronous: Normal})
	if err != nil {
		t.Fatal(err)
	}
	keys := load(t, s, graphShape{tasks: 40, edges: 60, closed: 0.3})
	write(t, s, func(tx *tx) error {
		for i := range 20 {
			at := epoch.Add(time.Duration(i) * time.Second)
			if _, err := tx.AppendEvent(core.Event{
				ID: fmt.Sprint(i), Type: core.EventTaskCreated, Timestamp: at, Agent: "x", Payload: []byte("{}"), Subject: core.Subject{Task: keys[i]},
			}); err != nil {
				return err
			}
			if _, err := tx.PutClaim(keys[i], core.Claim{Agent: "x", Aspect: "work", ClaimedAt: at, ExpiresAt: at.Add(time.Hour)}, at); err != nil {
				return err
			}
			if err := tx.InsertFinding(keys[i], core.Finding{ID: fmt.Sprintf("f%d", i), Agent: "x", Summary: "seen", CreatedAt: at}); err != nil {
				return err
			}
		}
		if _, err := tx.ArchiveEvents(epoch.Add(5*time.Second), 100); err != nil {
			return err
		}
		_, err := tx.SeeAgent("x", epoch)
		return err
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Ids that tests can name.
	change(t, path, "UPDATE tasks SET id = printf('graph-%06d', seq); UPDATE open_tasks SET id = printf('graph-%06d', seq);"+
		" UPDATE events SET payload = json_object('task_id', printf('graph-%06d', task_seq)); UPDATE events_archive SET payload = json_object('task_id', printf('graph-%06d', task_seq))")
	return path
}

func examined(t testing.TB, path string) Examination {
	t.Helper()
	found, err := Examine(t.Context(), ExamineOptions{Path: path, Now: epoch.Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// failures are the checks that failed, in their order.
func failures(e Examination) (names []CheckName) {
	for _, c := range e.Checks {
		if !c.OK {
			names = append(names, c.Name)
		}
	}
	return names
}

func detailOf(e Examination, name CheckName) string {
	for _, c := range e.Checks {
		if c.Name == name {
			return c.Detail
		}
	}
	return ""
}

func TestExamine_sound(t *testing.T) {
	path := sample(t)
	found := examined(t, path)
	if names := failures(found); len(names) > 0 || found.Schema != SchemaVersion {
		t.Errorf("failed: %v in %+v", names, found)
	}
	want := []CheckName{
		CheckStore, CheckSchema, CheckStructure, CheckIntegrity, CheckForeignKeys, CheckOrphanRows, CheckDuplicates, CheckValues, CheckReadiness,
		CheckCycles, CheckEdgeRules, CheckFeed, CheckClock, CheckNotes, CheckNoteFiles, CheckNoteIndex, CheckExpiredClaims, CheckLogSize, CheckRights, CheckLeftovers, CheckRestore,
	}
	var names []CheckName
	for _, c := range found.Checks {
		names = append(names, c.Name)
		if c.Detail == "" || !strings.HasSuffix(c.Detail, ".") {
			t.Errorf("%s says %q", c.Name, c.Detail)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("the checks are %v", names)
	}
}

// TestExamine_faults puts each fault into a store and holds which check finds
// it, what it says and what repairing does.
func TestExamine_faults(t *testing.T) {
	const unguarded = "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; "
	for name, test := range map[string]struct {
		sql      string
		want     []CheckName
		says     string // of the first
		repaired []CheckName
	}{
		"a dangling predecessor": {
			"INSERT INTO edges VALUES (900, 7777, 1, 0, 1, 'x', '{}')",
			[]CheckName{CheckForeignKeys},
			"1 row names something that is not there: the blocks edge from 'missing-7777', which is missing, to 'graph-000001'.", nil,
		},
		"a removed task": {
			"DELETE FROM tasks WHERE seq = 12",
			[]CheckName{CheckForeignKeys, CheckOrphanRows}, "the blocks edge from 'graph-000012', which is missing, to", nil,
		},
		"a finding without its task":        {"UPDATE findings SET task_seq = 999 WHERE id = 'f3'", []CheckName{CheckForeignKeys}, "a row of findings on 'missing-999', which is missing", nil},
		"a ring of parents":                 {"INSERT INTO edges VALUES (900, 30, 20, 2, 1, 'x', '{}'), (901, 20, 30, 2, 1, 'x', '{}')", []CheckName{CheckCycles}, "1 ring of tasks: graph-000020 → graph-000030 → graph-000020 (each is a child of the one before it).", nil},
		"two parents":                       {"INSERT INTO edges VALUES (900, 1, 20, 2, 1, 'x', '{}'), (901, 2, 20, 2, 1, 'x', '{}')", []CheckName{CheckEdgeRules}, "1 edge breaks a rule: 'graph-000020' has 2 parents.", nil},
		"a gate that is none":               {"INSERT INTO edges VALUES (900, 1, 20, 3, 1, 'x', '{}')", []CheckName{CheckEdgeRules}, "'graph-000001' is waited on as a gate and is none", nil},
		"readiness":                         {"UPDATE open_tasks SET hard = 1 - hard WHERE seq = 30", []CheckName{CheckReadiness}, "hard of 'graph-000030' is stored as", []CheckName{CheckReadiness}},
		"readiness of a closed task":        {"INSERT INTO open_tasks SELECT 1, 0, 2, 1, 'graph-000001', NULL, NULL, 0, NULL", []CheckName{CheckReadiness}, "row of 'graph-000001' is stored as there and counted as not there", []CheckName{CheckReadiness}},
		"tags":                              {"UPDATE tasks SET tags = '[1]' WHERE seq = 1", []CheckName{CheckValues}, "1 row holds what cannot be read: task 'graph-000001' has tags that are no list of texts.", nil},
		"metadata":                          {"UPDATE tasks SET metadata = '{' WHERE seq IN (1, 2)", []CheckName{CheckValues}, "2 rows hold what cannot be read: task 'graph-000001' has metadata that are no JSON object; task 'graph-000002'", nil},
		"a status":                          {"UPDATE tasks SET resolved_at = NULL WHERE seq = 1", []CheckName{CheckValues}, "task 'graph-000001' has no time of closing although it is closed", nil},
		"a time":                            {"UPDATE findings SET created_at = -9000000000000000000 WHERE id = 'f1'", []CheckName{CheckValues}, "finding 'f1' has a time out of range", nil},
		"a payload":                         {"UPDATE events SET payload = 'x' WHERE seq = 9", []CheckName{CheckValues}, "event 9 has a payload that is no JSON object", nil},
		"an archived type":                  {"UPDATE events_archive SET type = 'x' WHERE seq = 2", []CheckName{CheckValues}, "archived event 2 has an unknown type", nil},
		"text":                              {"UPDATE tasks SET title = CAST(x'61ff' AS TEXT) WHERE seq = 1", []CheckName{CheckValues}, "task 'graph-000001' has text that is no UTF-8", nil},
		"an event in feed and archive":      {"INSERT INTO events_archive SELECT * FROM events WHERE seq = 8", []CheckName{CheckFeed}, "The archive reaches to event 8, but the feed begins with 6", nil},
		"a feed without its newest":         {"INSERT INTO events_archive SELECT * FROM events; DELETE FROM events", []CheckName{CheckFeed}, "the newest must stay", nil},
		"an event of nobody":                {"UPDATE events SET other_seq = 888 WHERE seq = 9", []CheckName{CheckOrphanRows}, "1 event is about a task that is not there: event 9 of events.", nil},
		"a time ahead":                      {"UPDATE agents SET last_seen_at = last_seen_at + 86400000000000", []CheckName{CheckClock}, "of an agent lies ahead of this machine's clock", nil},
		"a claim that ran out":              {"UPDATE claims SET expires_at = claimed_at WHERE n < 3", []CheckName{CheckExpiredClaims}, "2 claims ran out", nil},
		"an index that lost rows":           {"UPDATE sqlite_schema SET sql = 'CREATE INDEX tasks_cancelled ON tasks (id) WHERE status = 0' WHERE name = 'tasks_cancelled'", []CheckName{CheckIntegrity}, "The index tasks_cancelled does not fit its table.", []CheckName{CheckIntegrity}},
		"a future schema":                   {fmt.Sprintf("PRAGMA user_version = %d", SchemaVersion+7), []CheckName{CheckSchema}, fmt.Sprintf("The store has the schema %d; this program knows only %d.", SchemaVersion+7, SchemaVersion), nil},
		"an old schema":                     {"PRAGMA user_version = 1", []CheckName{CheckSchema}, fmt.Sprintf("The store has the schema 1; this program needs %d.", SchemaVersion), nil},
		"a key that no program would give":  {"UPDATE edges SET from_seq = 4611686018427387904 WHERE n = 1", []CheckName{CheckForeignKeys}, "missing-4611686018427387904", nil},
		"a key below all that are given":    {"UPDATE edges SET to_seq = -5 WHERE n = 1", []CheckName{CheckForeignKeys}, "missing--5", nil},
		"a table that is gone":              {"DROP TABLE findings", []CheckName{CheckStructure, CheckDuplicates, CheckValues}, "The table findings is missing.", nil},
		"an index that is gone":             {"DROP INDEX ready", []CheckName{CheckStructure}, "The index ready is missing.", []CheckName{CheckStructure}},
		"indexes that are gone":             {"DROP INDEX edges_from; DROP INDEX tasks_by_age", []CheckName{CheckStructure}, "The index edges_from and the index tasks_by_age are missing.", []CheckName{CheckStructure}},
		"an index of other columns":         {"DROP INDEX edges_to; CREATE INDEX edges_to ON edges (type)", []CheckName{CheckStructure}, "The index edges_to is not the one of the schema.", []CheckName{CheckStructure}},
		"a trigger of nobody":               {"CREATE TRIGGER t AFTER INSERT ON tasks BEGIN SELECT no_such_function(1); END", []CheckName{CheckStructure}, "The trigger t is none of lithos.", nil},
		"the last version":                  {"UPDATE tasks SET version = 9223372036854775807 WHERE seq = 1", []CheckName{CheckValues}, "task 'graph-000001' has a version that can rise no more", nil},
		"the last event":                    {"UPDATE events SET seq = 9223372036854775807 WHERE seq = 20", []CheckName{CheckValues}, "event 9223372036854775807 has a number that nothing can follow", nil},
		"a view of nobody":                  {"CREATE VIEW v AS SELECT 1", []CheckName{CheckStructure}, "The view v is none of lithos.", nil},
		"everything that follows is wrong":  {"DELETE FROM open_tasks", []CheckName{CheckReadiness}, "28 stored values differ from what tasks and edges say: row of", []CheckName{CheckReadiness}},
		"a table of nobody beside the rest": {"CREATE TABLE more (x)", []CheckName{CheckStructure}, "The table more is none of lithos.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := sample(t)
			change(t, path, unguarded+test.sql)
			found := examined(t, path)
			failed := failures(found)
			for _, want := range test.want {
				if !slices.Contains(failed, want) {
					t.Errorf("%s did not fail: %+v", want, found)
				}
			}
			if test.want == nil && len(failed) > 0 {
				t.Errorf("%v failed: %+v", failed, found)
			}
			if test.want != nil && !strings.Contains(detailOf(found, test.want[0]), test.says) {
				t.Errorf("%s says %q", test.want[0], detailOf(found, test.want[0]))
			}
			before := countRows(t, path)
			if len(found.Repairable) > 0 {
				if _, err := Repair(t.Context(), Options{Path: path}, found.Repairable); err != nil {
					t.Fatalf("repair: %v", err)
				}
			}
			after := examined(t, path)
			for _, name := range test.repaired {
				if !slices.Contains(found.Repairable, name) || after.Failed(name) {
					t.Errorf("%s was not repaired: repairable are %v, afterwards %+v", name, found.Repairable, after)
				}
			}
			// Nothing is dropped: only what follows from the rest may have other rows.
			for table, n := range countRows(t, path) {
				if table != "open_tasks" && n != before[table] {
					t.Errorf("repairing has changed %s from %d to %d rows", table, before[table], n)
				}
			}
		})
	}
	t.Run("a ring names its members", func(t *testing.T) {
		path := sample(t)
		change(t, path, "DELETE FROM edges; INSERT INTO edges VALUES (900, 30, 20, 0, 1, 'x', '{}'), (901, 20, 25, 3, 1, 'x', '{}'), (902, 25, 30, 0, 1, 'x', '{}'), (903, 25, 26, 0, 1, 'x', '{}'), (904, 3, 3, 0, 1, 'x', '{}')")
		want := "2 rings of tasks: graph-000003 → graph-000003 (each waits for the one before it); graph-000020 → graph-000025 → graph-000030 → graph-000020 (each waits for the one before it)."
		if text := detailOf(examined(t, path), CheckCycles); text != want {
			t.Errorf("cycles says %q", text)
		}
	})
}

func countRows(t testing.TB, path string) map[string]int64 {
	t.Helper()
	s := openWith(t, Options{Path: path, ReadOnly: true})
	s.anySchema = true
	var counts map[string]int64
	read(t, s, func(tx *tx) (err error) {
		counts, err = tx.conn.countRows()
		return err
	})
	return counts
}

// driverWords are words of the engine that no message may hold.
var driverWords = []string{"SELECT", "sqlite3", "malformed", "disk image", "constraint failed", "btree", "btreeInitPage", "Tree ", "cell ", "SQL"}

func judgeDetails(t testing.TB, where string, found Examination) {
	t.Helper()
	for _, c := range found.Checks {
		for _, word := range driverWords {
			if strings.Contains(c.Detail, word) {
				t.Errorf("%s: %s says %q", where, c.Name, c.Detail)
			}
		}
	}
}

// TestExamine_flippedBytes breaks each page of a store in several places:
// whatever that does is found or harmless, and nothing panics.
func TestExamine_flippedBytes(t *testing.T) {
	whole, err := os.ReadFile(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	path := filepath.Join(t.TempDir(), "broken.db")
	named := 0
	for at := 0; at < len(whole); at += page {
		for _, offset := range []int{0, 9, 100} {
			broken := slices.Clone(whole)
			for i := range 12 {
				broken[at+offset+i] ^= 0xa5
			}
			for _, suffix := range []string{"-wal", "-shm"} {
				if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(path, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			where := fmt.Sprintf("page %d, byte %d", at/page+1, offset)
			found, err := Examine(t.Context(), ExamineOptions{Path: path, Now: epoch.Add(time.Minute)})
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			judgeDetails(t, where, found)
			if text := detailOf(found, CheckIntegrity); strings.Contains(text, fmt.Sprintf("page %d", at/page+1)) {
				named++
			}
			// On a page without cells only the head of eight bytes counts.
			isEmpty := whole[at+3] == 0 && whole[at+4] == 0
			if offset < 10 && !(isEmpty && offset == 9) && len(failures(found)) == 0 {
				t.Errorf("%s: nothing was found", where)
			}
			if len(found.Repairable) > 0 {
				if _, err := Repair(t.Context(), Options{Path: path, Synchronous: Normal}, found.Repairable); err != nil && !foreseen(err) {
					t.Errorf("%s: repairing says %v", where, err)
				}
			}
		}
	}
	if named < len(whole)/page/4 {
		t.Errorf("of %d pages the damage was placed %d times", len(whole)/page, named)
	}
}

// TestExamine_noStores examines what is no store.
func TestExamine_noStores(t *testing.T) {
	folder := t.TempDir()
	whole, err := os.ReadFile(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 7))
	noise := make([]byte, 20_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	files := map[string][]byte{"empty": {}, "noise": noise, "noise after the header": slices.Concat(whole[:100], noise)}
	for _, size := range []int{1, 16, 99, 100, 512, 4095, 4096, len(whole) / 2, len(whole) - 4096} {
		files[fmt.Sprintf("cut to %d", size)] = whole[:size]
	}
	want := map[string]string{"empty": ReasonMissing, "noise": ReasonNotADatabase}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{"directory", "fifo", "socket", "link to nothing", "link to itself", "nothing"}
	if err := os.Mkdir(filepath.Join(folder, "directory"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder) // names of sockets are short
	listener, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := os.Symlink(filepath.Join(folder, "gone.db"), filepath.Join(folder, "link to nothing")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("link to itself", filepath.Join(folder, "link to itself")); err != nil {
		t.Fatal(err)
	}
	for _, name := range paths[:3] {
		want[name] = ReasonNotADatabase
	}
	for _, name := range paths[3:] {
		want[name] = ReasonMissing
	}
	for name := range files {
		paths = append(paths, name)
	}
	for _, name := range paths {
		path := filepath.Join(folder, name)
		found, err := Examine(t.Context(), ExamineOptions{Path: path, Now: epoch})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		judgeDetails(t, name, found)
		if len(failures(found)) == 0 {
			t.Errorf("%s: nothing was found: %+v", name, found)
		}
		if reason := found.Checks[0].Reason; want[name] != "" && reason != want[name] {
			t.Errorf("%s: %s, because of %s", name, found.Checks[0].Detail, reason)
		}
		// Whoever opens it instead is told the same, and at once.
		_, readErr, writeErr := touch(Options{Path: path})
		for _, err := range []error{readErr, writeErr} {
			if !foreseen(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	found, _ := Examine(t.Context(), ExamineOptions{Path: filepath.Join(folder, "link to nothing"), Now: epoch})
	if text := found.Checks[0].Detail; !strings.Contains(text, "is a link that leads to '"+filepath.Join(folder, "gone.db")+"'") {
		t.Errorf("of a link to nothing it says %q", text)
	}
}

// TestExamine_files looks at rights, leftovers and backups.
func TestExamine_files(t *testing.T) {
	path := sample(t)
	folder := filepath.Dir(path)
	temporary := t.TempDir()
	backups := filepath.Join(folder, "backups")
	old := time.Now().Add(-48 * time.Hour)
	for _, name := range []string{
		path + draftInfix + "12345678", filepath.Join(folder, ".lithos-draft-1"), filepath.Join(temporary, "lithos-output-1"), path + oldSuffix,
	} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	// What is new may be at work.
	if err := os.WriteFile(filepath.Join(temporary, "lithos-output-2"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	look := func(now core.Stamp) Examination {
		found, err := Examine(t.Context(), ExamineOptions{Path: path, Now: now, Backups: backups, Temporary: temporary})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	found := look(epoch)
	if text := detailOf(found, CheckLeftovers); !found.Failed(CheckLeftovers) || !strings.HasPrefix(text, "4 files were left behind: ") || strings.Contains(text, "output-2") {
		t.Errorf("leftovers says %q", text)
	}
	if text := detailOf(found, CheckBackups); !found.Failed(CheckBackups) || text != "There is no backup." {
		t.Errorf("backups says %q", text)
	}
	if _, err := TakeBackup(t.Context(), BackupOptions{Path: path, Folder: backups, Now: epoch.Time()}); err != nil {
		t.Fatal(err)
	}
	if found = look(epoch); found.Failed(CheckBackups) {
		t.Errorf("backups says %q", detailOf(found, CheckBackups))
	}
	if err := os.WriteFile(filepath.Join(backups, "stray.db"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if found = look(epoch.Add(40 * 24 * time.Hour)); !found.Failed(CheckBackups) || !strings.HasPrefix(detailOf(found, CheckBackups), "The newest of 1 backup is of ") || !strings.Contains(detailOf(found, CheckBackups), "stray.db") {
		t.Errorf("backups says %q", detailOf(found, CheckBackups))
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if text := detailOf(look(epoch), CheckRights); text != "3 files are open to others: lithos.db (0644); lithos.db-wal (0644); the folder "+folder+" (0777)." {
		t.Errorf("rights says %q", text)
	}
	// A restore that was stopped is told with what ends it.
	if err := os.WriteFile(path+restoreSuffix, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	found = look(epoch)
	if found.Checks[0].Name != CheckRestore || found.Checks[0].OK || len(found.Checks[0].Commands) != 2 {
		t.Errorf("an unfinished restore: %+v", found.Checks[0])
	}
}

// TestExamine_beside examines a store that others write to, and one that is
// held.
func TestExamine_beside(t *testing.T) {
	path := sample(t)
	busy := openWith(t, Options{Path: path, Synchronous: Normal})
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			err := busy.Write(context.Background(), func(w core.WriteTx) error {
				task := graphTaskNumbered("beside", i)
				_, err := w.InsertTask(task, core.FacetsOf(task.Type, task.Metadata))
				return err
			})
			if err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 8 {
		if names := withoutLog(examined(t, path)); len(names) > 0 {
			t.Errorf("beside a writer: %v", names)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	write(t, busy, func(*tx) error {
		if names := withoutLog(examined(t, path)); len(names) > 0 {
			t.Errorf("beside a transaction: %v", names)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		var e *core.Error
		if _, err := Repair(ctx, Options{Path: path}, []CheckName{CheckReadiness}); !errors.As(err, &e) || core.Describe(e.Code).Category != core.CategoryRetry {
			t.Errorf("repairing beside a transaction: %v", err)
		}
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Examine(ctx, ExamineOptions{Path: path, Now: epoch}); err == nil {
		t.Error("an examination that was called off went on")
	}
}

// withoutLog are the failures but for the log, which grows while others read.
func withoutLog(e Examination) []CheckName {
	return slices.DeleteFunc(failures(e), func(name CheckName) bool { return name == CheckLogSize })
}

// TestGraph_rings holds the search for rings to a plain one on random graphs.
func TestGraph_rings(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		n := 1 + random.IntN(12)
		g := &edgeGraph{first: []int{0}}
		reach := make([][]bool, n)
		for i := range n {
			g.keys = append(g.keys, core.TaskKey(i+1))
			reach[i] = make([]bool, n)
			for j := range n {
				if random.IntN(n+2) == 0 {
					g.heads = append(g.heads, j)
					reach[i][j] = true
				}
			}
			g.first = append(g.first, len(g.heads))
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		groups := map[int]bool{}
		for i := range n {
			if !reach[i][i] {
				continue
			}
			first := i
			for j := range i {
				if reach[i][j] && reach[j][i] {
					first = j
					break
				}
			}
			groups[first] = true
		}
		rings := g.rings()
		if len(rings) != len(groups) {
			t.Fatalf("%d rings instead of %d in %v", len(rings), len(groups), g)
		}
		for _, ring := range rings {
			for i, key := range ring {
				next := int(ring[(i+1)%len(ring)]) - 1
				if !slices.Contains(g.after(int(key)-1), next) {
					t.Fatalf("%v is no ring of %v", ring, g)
				}
			}
		}
	}
}
