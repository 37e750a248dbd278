package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-sqlite3"

	"dev.lithos/cli/exchange"
	"dev.lithos/core"
)

// foreignFile makes a database of another program.
func foreignFile(t *testing.T, sql string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "odd name?#%41.db")
	conn, err := (&sqlite3.SQLiteDriver{}).Open("file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.(*sqlite3.SQLiteConn).Exec(sql, nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func readForeign(t *testing.T, path string) *Foreign {
	t.Helper()
	f, err := OpenForeign(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestForeign(t *testing.T) {
	f := readForeign(t, foreignFile(t, `
		CREATE TABLE "odd ""name" (id TEXT PRIMARY KEY, at TIMESTAMP, "a b" JSON);
		INSERT INTO "odd ""name" VALUES ('b', '2026-03-01 08:00:00', NULL), ('a', 'soon', 5), (NULL, 7, x'00ff');
		CREATE VIEW v AS SELECT 1 AS x;`))
	columns, err := f.Columns(context.Background(), `odd "name`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"id", "at", "a b"}, columns); diff != "" {
		t.Errorf("columns: %s", diff)
	}
	for _, none := range []string{"v", "nowhere"} {
		if columns, err := f.Columns(context.Background(), none); err != nil || columns != nil {
			t.Errorf("%s: %v, %v", none, columns, err)
		}
	}
	var rows []string
	err = f.Each(context.Background(), `odd "name`, columns, func(values []*string) error {
		row := ""
		for _, v := range values {
			if v == nil {
				row += "-|"
			} else {
				row += *v + "|"
			}
		}
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b|2026-03-01 08:00:00|-|", "a|soon|5|", "-|7|\x00\xff|"}, rows); diff != "" {
		t.Errorf("rows: %s", diff)
	}
	stop := context.Canceled
	if err := f.Each(context.Background(), `odd "name`, columns, func([]*string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("ended with %v", err)
	}
	if _, err := f.db.Exec(`DELETE FROM "odd ""name"`, nil); err == nil {
		t.Error("a database of another program was written to")
	}
}

func TestForeign_unreadable(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := foreignFile(t, "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
	content, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	for i := 200; i < len(content); i++ {
		content[i] = 0xff
	}
	if err := os.WriteFile(damaged, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{garbage, damaged, filepath.Join(dir, "nowhere")} {
		f, err := OpenForeign(path)
		if err == nil {
			_, err = f.Columns(context.Background(), "t")
			if err == nil {
				err = f.Each(context.Background(), "t", []string{"a"}, func([]*string) error { return nil })
			}
			if closeErr := f.Close(); closeErr != nil {
				t.Error(closeErr)
			}
		}
		if e := core.AsError(err); e == nil || e.Code != core.CodeInvalidInput || e.Extra("field") != "file" {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A coordination.db of the original server comes over through the import.
func TestForeign_import(t *testing.T) {
	path := foreignFile(t, `
		CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT, status TEXT DEFAULT 'open', created_by TEXT NOT NULL,
			created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tags JSON, outcome TEXT, completed_at TIMESTAMP, metadata JSON);
		CREATE TABLE agents (id TEXT PRIMARY KEY, name TEXT, type TEXT, first_seen_at TIMESTAMP, last_seen_at TIMESTAMP, metadata JSON);
		CREATE TABLE claims (id INTEGER PRIMARY KEY, task_id TEXT, agent TEXT, aspect TEXT, claimed_at TIMESTAMP, expires_at TIMESTAMP);
		CREATE TABLE findings (id TEXT PRIMARY KEY, task_id TEXT, agent TEXT, summary TEXT, knowledge_id TEXT, created_at TIMESTAMP);
		INSERT INTO agents VALUES ('ada', 'Ada', NULL, '2026-03-01 07:00:00', '2026-03-02 08:00:00', NULL);
		INSERT INTO tasks VALUES
			('task-one', 'First', NULL, 'completed', 'ada', '2026-03-01 08:00:00', '["db"]', 'done', '2026-03-01 09:00:00', NULL),
			('task-two', 'Second', NULL, 'open', 'ada', '2026-03-01 08:01:00', NULL, NULL, NULL, '{"depends_on": ["task-one", "task-three", "gone"]}'),
			('task-three', 'Third', NULL, 'open', 'ada', '2026-03-01 08:02:00', NULL, NULL, NULL, '{"blocked_on": "task-two"}');
		INSERT INTO claims VALUES (1, 'task-two', 'mo', 'work', '2026-03-01 09:00:00', '2026-03-01T10:00:00+00:00');
		INSERT INTO findings VALUES ('f-1', 'task-two', 'ada', 'Look out', NULL, '2026-03-01 09:30:00'), ('f-2', 'gone', 'ada', 'Orphan', NULL, NULL);`)
	service := core.New(core.Config{Store: create(t)})
	bring := func() core.ImportReport {
		file, err := exchange.Open(path, "", exchange.Sources{OpenTables: func(path string) (exchange.Tables, error) { return OpenForeign(path) }})
		if err != nil {
			t.Fatal(err)
		}
		report, err := service.Import(context.Background(), core.ImportRequest{Source: file, Agent: "mo"})
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		return report
	}
	report := bring()
	id := func(s string) *string { return &s }
	want := core.ImportReport{Format: "lithos-server", Read: 3, Created: 3, Edges: 3, Problems: []core.ImportProblem{
		{Line: 3, ID: id("task-two"), Reason: "The blocks edge from 'gone' was left out: there is no task 'gone'."},
		{Line: 7, ID: id("gone"), Reason: "The finding was left out: there is no such task."},
	}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	blocked, err := service.TaskBlocked(context.Background(), core.TaskBlockedRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range blocked.Tasks {
		if len(task.Blockers) != 1 || task.Blockers[0].Kind != core.BlockedByCycle {
			t.Errorf("%s is held by %+v", task.ID, task.Blockers)
		}
	}
	if len(blocked.Tasks) != 2 {
		t.Errorf("%d blocked tasks", len(blocked.Tasks))
	}
	if again := bring(); again.Unchanged != 3 || again.Created+again.Updated != 0 || again.Edges != 3 {
		t.Errorf("the second import: %+v", again)
	}
}

func init() {
	roles["foreign"] = func(args []string) error {
		f, err := OpenForeign(args[0])
		if err != nil {
			fmt.Println(err)
			return nil
		}
		columns, err := f.Columns(context.Background(), "t")
		fmt.Println(columns, err)
		return f.Close()
	}
}

// TestForeign_readOnlyFolder holds that a database can be read where nothing
// can be made beside it, as long as no changes wait there, and that the files
// are named where it cannot.
func TestForeign_readOnlyFolder(t *testing.T) {
	made := foreignFile(t, "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
	content, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	folder := publicFolder(t)
	path := filepath.Join(folder, "coordination.db")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	chmod(t, folder, 0o555)
	defer chmod(t, folder, 0o755)
	if told := actAs(t, "foreign", path).ordinary(t).run(t); told != "[a] <nil>\n" {
		t.Errorf("reading it says %q", told)
	}
	chmod(t, folder, 0o755)
	if err := os.WriteFile(path+"-wal", make([]byte, 100), 0o644); err != nil {
		t.Fatal(err)
	}
	chmod(t, folder, 0o555)
	if told := actAs(t, "foreign", path).ordinary(t).run(t); !strings.Contains(told, "changes wait in the file '"+path+"-wal'") {
		t.Errorf("beside a log reading it says %q", told)
	}
}
