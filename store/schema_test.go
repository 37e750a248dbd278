package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dev.lithos/core"
)

// failure checks that an error is of a code with the extras given, and
// returns a look at all its extras.
func failure(t testing.TB, err error, code core.Code, extras map[string]any) (extra func(name string) any) {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("the error is %v (%T) instead of %s", err, err, code)
	}
	for name, want := range extras {
		if got := e.Extra(name); got != want {
			t.Errorf("%s of %s is %v instead of %v", name, code, got, want)
		}
	}
	return e.Extra
}

func unavailable(t testing.TB, err error, reason string) (extra func(name string) any) {
	t.Helper()
	return failure(t, err, core.CodeStoreUnavailable, map[string]any{"reason": reason})
}

// touch opens a store, reads it and writes to it.
func touch(options Options) (openErr, readErr, writeErr error) {
	ctx := context.Background()
	s, err := Open(ctx, options)
	if err != nil {
		return err, nil, nil
	}
	readErr = s.Read(ctx, func(tx core.ReadTx) error {
		_, _, err := tx.TaskByID("x")
		return err
	})
	writeErr = s.Write(ctx, func(tx core.WriteTx) error {
		_, err := tx.SeeAgent("x", epoch)
		return err
	})
	return s.Close(), readErr, writeErr
}

func TestSchema_constantIsTheNumberOfMigrations(t *testing.T) {
	if n := len(migrations()); n != SchemaVersion {
		t.Errorf("there are %d migrations, and the constant says %d", n, SchemaVersion)
	}
}

func TestSchema_older(t *testing.T) {
	s := &Store{path: "x"}
	failure(t, s.checkSchema(schemaOther, SchemaVersion-1), core.CodeSchemaMismatch, map[string]any{
		"found": int64(SchemaVersion - 1), "expected": int64(SchemaVersion), "direction": "older",
	})
}

// change runs SQL on a closed store with a bare connection.
func change(t testing.TB, path, sql string) {
	t.Helper()
	s := &Store{path: path, file: path}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s.identity = info
	c, err := s.connect(s.wait(context.Background()), "mode=rwc")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.script(sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
}

func TestSchema_otherVersionsAreRefused(t *testing.T) {
	for _, test := range []struct {
		version   string
		found     int64
		direction string
	}{{"99", 99, "newer"}, {"1000000", 1_000_000, "newer"}} {
		path := filepath.Join(t.TempDir(), "lithos.db")
		if err := createAt(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		change(t, path, "PRAGMA user_version = "+test.version)
		_, readErr, writeErr := touch(Options{Path: path, Create: true})
		for _, err := range []error{readErr, writeErr} {
			failure(t, err, core.CodeSchemaMismatch, map[string]any{
				"found": test.found, "expected": int64(SchemaVersion), "direction": test.direction,
			})
		}
	}
}

func TestSchema_migratedUnderARunningProgram(t *testing.T) {
	s := create(t)
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	read(t, s, func(t *tx) error { _, err := t.Agents(core.AgentQuery{}); return err })
	change(t, s.Path(), fmt.Sprintf("PRAGMA user_version = %d", SchemaVersion+1))
	err := s.Read(context.Background(), func(core.ReadTx) error { t.Error("the read went on"); return nil })
	failure(t, err, core.CodeSchemaMismatch, map[string]any{"found": int64(SchemaVersion + 1), "direction": "newer"})
	err = s.Write(context.Background(), func(core.WriteTx) error { t.Error("the write went on"); return nil })
	failure(t, err, core.CodeSchemaMismatch, map[string]any{"found": int64(SchemaVersion + 1), "direction": "newer"})
}

func TestSchema_foreignFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := write("other.db", nil)
	change(t, other, "CREATE TABLE tasks (id TEXT)")
	versioned := write("versioned.db", nil)
	change(t, versioned, "PRAGMA user_version = 1")
	marked := write("marked.db", nil)
	change(t, marked, "PRAGMA application_id = 7")
	for name, path := range map[string]string{
		"another program's": other, "with a version but no mark": versioned, "with another mark": marked,
		"text":              write("text", []byte("this is text, and long enough to be taken for the header of a database, which has one hundred bytes.")),
		"short text":        write("short", []byte("x")),
		"a header only":     write("header", []byte("SQLite format 3\x00")),
		"zeros":             write("zeros", make([]byte, 8192)),
		"random-like bytes": write("random", []byte(filler(5000))),
	} {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, readErr, writeErr := touch(Options{Path: path, Create: true})
		for _, err := range []error{readErr, writeErr} {
			t.Run(name, func(t *testing.T) { unavailable(t, err, ReasonNotADatabase) })
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file was changed (%v)", name, err)
		}
	}
	if openErr, _, _ := touch(Options{Path: folder}); openErr == nil {
		t.Error("a folder was opened")
	} else {
		unavailable(t, openErr, ReasonNotADatabase)
	}
}

// filler is text of a length that looks like noise.
func filler(n int) string {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return string(b)
}

func TestSchema_emptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, readErr, writeErr := touch(Options{Path: path})
	unavailable(t, readErr, ReasonMissing)
	unavailable(t, writeErr, ReasonMissing)
	// With leave to create, the first write makes it a store.
	s := openWith(t, Options{Path: path, Create: true})
	unavailable(t, s.Read(context.Background(), func(core.ReadTx) error { return nil }), ReasonMissing)
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	read(t, s, func(tx *tx) error {
		_, found, err := tx.Agent("x")
		if !found {
			t.Error("what was written is not there")
		}
		return err
	})
}

func TestOpen_racingCreators(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "lithos.db")
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			s, err := Open(context.Background(), Options{Path: path, Create: true})
			if err != nil {
				t.Errorf("creator %d: %v", i, err)
				return
			}
			err = s.Write(context.Background(), func(tx core.WriteTx) error {
				_, err := tx.SeeAgent(string(rune('a'+i)), epoch)
				return err
			})
			if err != nil {
				t.Errorf("creator %d: %v", i, err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("creator %d: %v", i, err)
			}
		})
	}
	group.Wait()
	read(t, createAt(t, path), func(tx *tx) error {
		agents, err := tx.Agents(core.AgentQuery{})
		if len(agents) != 16 {
			t.Errorf("%d of 16 writes are there", len(agents))
		}
		return err
	})
}

// TestCreate_isWholeAtOnce watches the name of a store while it is made: there
// is nothing, then the whole store, and nothing else stays in the folder.
func TestCreate_isWholeAtOnce(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "lithos.db")
		made := make(chan error, 1)
		go func() {
			s, err := Open(context.Background(), Options{Path: path, Create: true})
			if err == nil {
				err = s.Close()
			}
			made <- err
		}()
		for {
			if _, err := os.Stat(path); err == nil {
				break
			}
		}
		s := openWith(t, Options{Path: path})
		read(t, s, func(t *tx) error { _, err := t.Counts(epoch); return err })
		if err := <-made; err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if strings.Contains(entry.Name(), "-new-") {
				t.Errorf("%s stayed behind", entry.Name())
			}
		}
	}
}

// TestCreate_takesAnEmptyFile holds that a file of no bytes, as a full disk or
// another program may leave, becomes a store at the first write.
func TestCreate_takesAnEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := openWith(t, Options{Path: path, Create: true})
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	read(t, s, func(tx *tx) error {
		counts, err := tx.Counts(epoch)
		if counts.Agents != 1 {
			t.Errorf("%d agents", counts.Agents)
		}
		return err
	})
}

// TestCreate_sweepsOldDrafts holds that what a killed program left beside the
// place of a store goes away with time, and nothing else does.
func TestCreate_sweepsOldDrafts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	old := time.Now().Add(-time.Hour)
	for name, stays := range map[string]bool{"-new-1": false, "-new-2-wal": false, "-backup": true} {
		if err := os.WriteFile(path+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path+name, old, old); err != nil {
			t.Fatal(err)
		}
		if err := openWith(t, Options{Path: path, Create: true}).Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path + name); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
