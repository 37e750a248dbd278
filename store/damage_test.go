package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
)

// foreseen reports whether an error is one that a caller can be told of a
// damaged file.
func foreseen(err error) bool {
	var e *core.Error
	if !errors.As(err, &e) {
		return err == nil
	}
	return core.Describe(e.Code).Category == core.CategoryStore
}

// TestDamage_flippedBytes breaks each page of a store and uses it: no answer
// may be a panic or an error that nobody can act upon.
func TestDamage_flippedBytes(t *testing.T) {
	source := filepath.Join(t.TempDir(), "source.db")
	s := createAt(t, source)
	keys := load(t, s, graphShape{tasks: 40, edges: 60, closed: 0.3})
	write(t, s, func(tx *tx) error {
		for i := range 20 {
			if _, err := tx.AppendEvent(core.Event{ID: "e", Type: core.EventTaskCreated, Agent: "x", Payload: []byte("{}"), Subject: core.Subject{Task: keys[i]}}); err != nil {
				return err
			}
			if _, err := tx.PutClaim(keys[i], core.Claim{Agent: "x", Aspect: "work", ExpiresAt: epoch}, epoch-1); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	refusals := map[any]int{}
	for at := 0; at < len(whole); at += page {
		for _, offset := range []int{0, 3, 5, 9, 100, 2000, page - 20} {
			broken := slices.Clone(whole)
			for i := range 12 {
				broken[at+offset+i] ^= 0xa5
			}
			path := filepath.Join(t.TempDir(), "broken.db")
			if err := os.WriteFile(path, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			where := fmt.Sprintf("page %d, byte %d", at/page+1, offset)
			b, err := Open(context.Background(), Options{Path: path, Synchronous: Normal})
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			err = b.Read(context.Background(), func(r core.ReadTx) error { return everyRead2(r.(*tx), keys[20]) })
			note := func(what string, err error) {
				if !foreseen(err) {
					t.Errorf("%s, %s: %v", where, what, err)
				}
				var e *core.Error
				if errors.As(err, &e) {
					refusals[e.Extra("reason")]++
					if text := e.Error(); strings.Contains(text, "malformed") || strings.Contains(text, "SELECT") {
						t.Errorf("%s, %s: the message is %s", where, what, text)
					}
				}
			}
			note("reading", err)
			note("writing", b.Write(context.Background(), func(w core.WriteTx) error {
				key, err := w.InsertTask(graphTaskNumbered("new", 1), core.Facets{})
				if err != nil {
					return err
				}
				_, err = w.AppendEvent(core.Event{ID: "e", Type: core.EventTaskCreated, Agent: "x", Payload: []byte("{}"), Subject: core.Subject{Task: key}})
				return err
			}))
			if err := b.Close(); err != nil && !foreseen(err) {
				// The last to close may find the log unfoldable; that is SQLite's word.
				var sqliteError sqlite3.Error
				if !errors.As(err, &sqliteError) {
					t.Errorf("%s, closing: %v", where, err)
				}
			}
		}
	}
	if refusals[ReasonCorrupt] == 0 || refusals[ReasonNotADatabase] == 0 {
		t.Errorf("the refusals were %v", refusals)
	}
}

// everyRead2 is everyRead without what writes.
func everyRead2(t *tx, key core.TaskKey) error {
	heads, err := t.TasksByPrefix("", 100)
	if err != nil {
		return err
	}
	keys := []core.TaskKey{key}
	for _, h := range heads {
		keys = append(keys, h.Key)
	}
	if _, err := t.Tasks(keys); err != nil {
		return err
	}
	for _, half := range []core.Frontier{core.Ready, core.Blocked} {
		if _, err := t.Frontier(core.FrontierQuery{Half: half, Now: epoch}); err != nil {
			return err
		}
	}
	if err := t.EachTask(core.TaskQuery{Match: []core.MetadataCondition{{Key: "project", Literal: `"p1"`}}, Tags: []string{"graph"}}, func(core.Task) bool { return true }); err != nil {
		return err
	}
	if _, err := t.Incoming(keys, false); err != nil {
		return err
	}
	if _, err := t.Claims(keys, 0); err != nil {
		return err
	}
	if _, err := t.Events(core.EventQuery{Task: &key}); err != nil {
		return err
	}
	if err := t.EachEdge(func(core.Edge) error { return nil }); err != nil {
		return err
	}
	_, err = t.checkFrontier()
	return err
}

// TestDamage_truncated cuts a store off in every place that matters.
func TestDamage_truncated(t *testing.T) {
	s := create(t)
	keys := load(t, s, graphShape{tasks: 40, edges: 60})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 15, 16, 50, 99, 100, 511, 512, 1024, 4095, 4096, 4097, 8192, len(whole) / 2, len(whole) - 4096, len(whole) - 1} {
		path := filepath.Join(t.TempDir(), "cut.db")
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		b := openWith(t, Options{Path: path})
		err := b.Read(context.Background(), func(r core.ReadTx) error { return everyRead2(r.(*tx), keys[20]) })
		// The end of the last page can be missed without being missed by anybody.
		if !foreseen(err) || err == nil && size != len(whole)-1 {
			t.Errorf("cut to %d bytes: %v", size, err)
		}
	}
}

func TestDamage_missingRow(t *testing.T) {
	s := create(t)
	var keys []core.TaskKey
	write(t, s, func(tx *tx) error {
		for i := range 4 {
			task := graphTaskNumbered("task", i)
			key, err := tx.InsertTask(task, core.FacetsOf(task.Type, task.Metadata))
			if err != nil {
				return err
			}
			keys = append(keys, key)
		}
		if _, err := tx.AppendEvent(core.Event{
			ID: "e", Type: core.EventTaskCreated, Agent: "x", Payload: []byte(`{"task_id":"task-0"}`), Subject: core.Subject{Task: keys[0]},
		}); err != nil {
			return err
		}
		for _, from := range keys[:3] {
			if err := tx.PutEdge(core.Edge{From: from, To: keys[3], Type: core.EdgeBlocks, Metadata: "{}"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, s.Path(), fmt.Sprintf("PRAGMA foreign_keys = OFF; DELETE FROM tasks WHERE seq IN (%d, %d)", keys[0], keys[1]))
	after := openWith(t, Options{Path: s.Path()})
	standIn := fmt.Sprintf("missing-%d", keys[1])
	read(t, after, func(tx *tx) error {
		for _, liveOnly := range []bool{false, true} {
			incoming, err := tx.Incoming(keys[3:], liveOnly)
			if err != nil {
				return err
			}
			var told []string
			for _, d := range incoming {
				told = append(told, fmt.Sprint(d.Source.ID, " ", d.Missing))
			}
			if want := []string{"task-0 true", standIn + " true", "task-2 false"}; !slices.Equal(told, want) {
				t.Errorf("incoming is %v instead of %v", told, want)
			}
		}
		edges, err := tx.Edges(keys[3], core.DirectionIncoming, core.EdgeTypes)
		if err != nil {
			return err
		}
		if edges[0].FromID != "task-0" || edges[1].FromID != standIn || edges[2].FromID != "task-2" {
			t.Errorf("the edges come from %s, %s and %s", edges[0].FromID, edges[1].FromID, edges[2].FromID)
		}
		return nil
	})
	// Completing what is left frees nobody: what is missing never will be.
	setTo(t, after, keys[2], core.StatusCompleted)
	read(t, after, func(tx *tx) error {
		blocked, err := tx.FrontierKeys(core.FrontierQuery{Half: core.Blocked, Now: epoch})
		if !slices.Equal(blocked, keys[3:]) {
			t.Errorf("blocked are %v", blocked)
		}
		return err
	})
	// The rows of the frontier that belong to nothing are noticed.
	differences, err := after.CheckFrontier(context.Background())
	if err != nil || len(differences) != 2 || differences[0].Field != "row" {
		t.Errorf("the check found %v (%v)", differences, err)
	}
	if err := after.RebuildFrontier(context.Background()); err != nil {
		t.Fatal(err)
	}
	if differences, err = after.CheckFrontier(context.Background()); err != nil || len(differences) > 0 {
		t.Errorf("after the rebuilding the check found %v (%v)", differences, err)
	}
}

func setTo(t testing.TB, s *Store, key core.TaskKey, status core.Status) {
	t.Helper()
	write(t, s, func(tx *tx) error {
		tasks, err := tx.Tasks([]core.TaskKey{key})
		if err != nil {
			return err
		}
		task := tasks[0]
		task.Status = status
		_, err = tx.SetStatus(task, core.FacetsOf(task.Type, task.Metadata), task.Version)
		return err
	})
}

// TestFrontier_check spoils the stored frontier in every way and looks whether
// the check sees it and rebuilding mends it.
func TestFrontier_check(t *testing.T) {
	for spoil, field := range map[string]string{
		"UPDATE open_tasks SET hard = 1 - hard WHERE id = 'task-1'":                   "hard",
		"UPDATE open_tasks SET hard = 2 WHERE id = 'task-2'":                          "hard",
		"UPDATE open_tasks SET timer_until = 7 WHERE id = 'task-1'":                   "timer_until",
		"UPDATE open_tasks SET timer_until = NULL WHERE timer_until IS NOT NULL":      "timer_until",
		"UPDATE open_tasks SET rank = 0 WHERE id = 'task-1'":                          "rank",
		"UPDATE open_tasks SET project = 'q' WHERE id = 'task-1'":                     "project",
		"UPDATE open_tasks SET project_list = '[]' WHERE id = 'task-1'":               "project_list",
		"UPDATE open_tasks SET created_at = 1 WHERE id = 'task-1'":                    "created_at",
		"UPDATE open_tasks SET task_type = 1 WHERE id = 'task-1'":                     "task_type",
		"UPDATE open_tasks SET id = 'other' WHERE id = 'task-1'":                      "id",
		"DELETE FROM open_tasks WHERE id = 'task-1'":                                  "row",
		"UPDATE tasks SET status = 1 WHERE id = 'task-1'":                             "row",
		"UPDATE tasks SET ready_at = 1 WHERE id = 'task-0'":                           "ready_at",
		"UPDATE tasks SET ready_at = 1 WHERE id = 'task-1'":                           "ready_at",
		"INSERT INTO edges VALUES (99, 3, 2, 0, 1, 'x', '{}')":                        "rings",
		"DELETE FROM edges WHERE type = 3":                                            "timer_until",
		"UPDATE tasks SET metadata = '{\"priority\":\"high\"}' WHERE id = 'task-1'":   "rank",
		"UPDATE tasks SET metadata = '{\"project\":[\"a\"]}' WHERE id = 'task-1'":     "project_list",
		"UPDATE tasks SET metadata = '{\"gate_type\":\"human\"}' WHERE id = 'task-0'": "ready_at",
		"UPDATE tasks SET metadata = '{\"project\":\"other\"}' WHERE id = 'task-1'":   "project",
		"UPDATE tasks SET task_type = 1 WHERE id = 'task-1'":                          "task_type",
	} {
		s := create(t)
		write(t, s, func(tx *tx) error {
			for i := range 4 {
				task := graphTaskNumbered("task", i)
				if i == 0 {
					task.Type, task.Metadata = core.TypeGate, `{"gate_type":"timer","ready_at":"2030-01-01"}`
				}
				if _, err := tx.InsertTask(task, core.FacetsOf(task.Type, task.Metadata)); err != nil {
					return err
				}
			}
			for _, e := range []core.Edge{{From: 1, To: 2, Type: core.EdgeWaitsOnGate}, {From: 2, To: 3, Type: core.EdgeBlocks}} {
				if err := tx.PutEdge(e); err != nil {
					return err
				}
			}
			return nil
		})
		if differences, err := s.CheckFrontier(context.Background()); err != nil || len(differences) > 0 {
			t.Fatalf("before: %v (%v)", differences, err)
		}
		write(t, s, func(tx *tx) error { return tx.run(spoil) })
		differences, err := s.CheckFrontier(context.Background())
		if err != nil || !slices.ContainsFunc(differences, func(d Difference) bool { return d.Field == field }) {
			t.Errorf("%s: the check found %v (%v)", spoil, differences, err)
		}
		if err := s.RebuildFrontier(context.Background()); err != nil {
			t.Errorf("%s: %v", spoil, err)
		}
		if differences, err := s.CheckFrontier(context.Background()); err != nil || len(differences) > 0 {
			t.Errorf("%s: after the rebuilding the check found %v (%v)", spoil, differences, err)
		}
	}
}

func TestErrors_translation(t *testing.T) {
	s := &Store{path: t.TempDir()}
	sqliteError := func(code sqlite3.ErrNo, extended sqlite3.ErrNoExtended, errno syscall.Errno) error {
		return sqlite3.Error{Code: code, ExtendedCode: extended, SystemErrno: errno}
	}
	for _, test := range []struct {
		err    error
		code   core.Code
		reason any
	}{
		{sqliteError(sqlite3.ErrBusy, 0, 0), core.CodeDatabaseBusy, nil},
		{sqliteError(sqlite3.ErrBusy, sqlite3.ErrBusySnapshot, 0), core.CodeDatabaseBusy, nil},
		{sqliteError(sqlite3.ErrLocked, 0, 0), core.CodeDatabaseBusy, nil},
		{sqliteError(sqlite3.ErrProtocol, 0, 0), core.CodeDatabaseBusy, nil},
		{sqliteError(sqlite3.ErrReadonly, 0, 0), core.CodeForbidden, nil},
		{sqliteError(sqlite3.ErrReadonly, sqlite3.ErrReadonlyDbMoved, 0), core.CodeStoreUnavailable, ReasonReplaced},
		{sqliteError(sqlite3.ErrFull, 0, 0), core.CodeStoreUnavailable, ReasonFull},
		{sqliteError(sqlite3.ErrIoErr, sqlite3.ErrIoErrWrite, syscall.ENOSPC), core.CodeStoreUnavailable, ReasonFull},
		{sqliteError(sqlite3.ErrIoErr, sqlite3.ErrIoErrWrite, syscall.EDQUOT), core.CodeStoreUnavailable, ReasonFull},
		{sqliteError(sqlite3.ErrIoErr, sqlite3.ErrIoErrRead, syscall.EIO), core.CodeStoreUnavailable, ReasonIO},
		{sqliteError(sqlite3.ErrIoErr, sqlite3.ErrIoErrShortRead, 0), core.CodeStoreUnavailable, ReasonIO},
		{sqliteError(sqlite3.ErrIoErr, ioErrCorruptFileSystem, 0), core.CodeStoreUnavailable, ReasonCorrupt},
		{sqliteError(sqlite3.ErrIoErr, sqlite3.ErrIoErrNoMem, 0), core.CodeInternalError, nil},
		{sqliteError(sqlite3.ErrCorrupt, 0, 0), core.CodeStoreUnavailable, ReasonCorrupt},
		{sqliteError(sqlite3.ErrNotADB, 0, 0), core.CodeStoreUnavailable, ReasonNotADatabase},
		{sqliteError(sqlite3.ErrCantOpen, 0, syscall.EACCES), core.CodeStoreUnavailable, ReasonPermission},
		{sqliteError(sqlite3.ErrCantOpen, 0, syscall.EROFS), core.CodeStoreUnavailable, ReasonPermission},
		{sqliteError(sqlite3.ErrCantOpen, 0, syscall.EMFILE), core.CodeStoreUnavailable, ReasonIO},
		{sqliteError(sqlite3.ErrCantOpen, sqlite3.ErrCantOpenIsDir, 0), core.CodeStoreUnavailable, ReasonNotADatabase},
		{sqliteError(sqlite3.ErrPerm, 0, 0), core.CodeStoreUnavailable, ReasonPermission},
		{prepareError{sqliteError(sqlite3.ErrError, 0, 0)}, core.CodeStoreUnavailable, ReasonCorrupt},
		{sqliteError(sqlite3.ErrError, 0, 0), core.CodeInternalError, nil},
		{sqliteError(sqlite3.ErrConstraint, 0, 0), core.CodeInternalError, nil},
		{damagedError{error: errors.New("x")}, core.CodeStoreUnavailable, ReasonCorrupt},
		{&os.PathError{Err: syscall.ENOENT}, core.CodeStoreUnavailable, ReasonMissing},
		{&os.PathError{Err: syscall.ENOTDIR}, core.CodeStoreUnavailable, ReasonMissing},
		{&os.PathError{Err: syscall.EACCES}, core.CodeStoreUnavailable, ReasonPermission},
		{&os.PathError{Err: syscall.ENOSPC}, core.CodeStoreUnavailable, ReasonFull},
		{&os.PathError{Err: syscall.EIO}, core.CodeStoreUnavailable, ReasonIO},
		{os.ErrNotExist, core.CodeStoreUnavailable, ReasonMissing},
		{errors.New("something else"), core.CodeInternalError, nil},
	} {
		e := core.AsError(s.translate(fmt.Errorf("wrapped: %w", test.err), s.wait(context.Background()).since))
		if e.Code != test.code || e.Code == core.CodeStoreUnavailable && e.Extra("reason") != test.reason {
			t.Errorf("%#v became %s %v", test.err, e.Code, e.Extra("reason"))
		}
		if !errors.Is(e, test.err) {
			t.Errorf("%#v is not the cause of %s", test.err, e.Code)
		}
		if strings.Contains(e.Message, "sqlite") || strings.Contains(e.Message, test.err.Error()) {
			t.Errorf("the message of %s is %q", e.Code, e.Message)
		}
		for _, extra := range core.Describe(e.Code).Extras {
			if name := strings.TrimSuffix(extra, "?"); name == extra && e.Code != core.CodeInternalError && e.Extra(name) == nil {
				t.Errorf("%s lacks %s", e.Code, name)
			}
		}
	}
}
