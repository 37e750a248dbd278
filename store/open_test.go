package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

func TestOpen_missing(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{filepath.Join(folder, "lithos.db"), filepath.Join(folder, "none", "lithos.db")} {
		openErr, _, _ := touch(Options{Path: path})
		extra := unavailable(t, openErr, ReasonMissing)
		if extra("path") != path {
			t.Errorf("the path is %v", extra("path"))
		}
		openErr, _, _ = touch(Options{Path: path, Create: true, ReadOnly: true})
		unavailable(t, openErr, ReasonMissing)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("opening what is missing left %v (%v)", entries, err)
	}
	if _, err := Open(context.Background(), Options{Path: filepath.Join(folder, "x"), Synchronous: "SOMETIMES"}); err == nil {
		t.Error("an unknown setting of synchronous was accepted")
	}
}

func TestOpen_createdForTheOwnerAlone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	s := createAt(t, filepath.Join(folder, "lithos.db"))
	if !s.Created() {
		t.Error("Created is false")
	}
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	for path, want := range map[string]fs.FileMode{
		filepath.Dir(folder): 0o700, folder: 0o700, s.Path(): 0o600, s.Path() + "-wal": 0o600, s.Path() + "-shm": 0o600,
		s.Path() + "-turn": 0o600, s.Path() + "-gate": 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != want {
			t.Errorf("%s has the rights %o", path, info.Mode().Perm())
		}
	}
	if again := openWith(t, Options{Path: s.Path(), Create: true}); again.Created() {
		t.Error("Created is true for a store that was there")
	}
}

func TestOpen_oddPaths(t *testing.T) {
	for _, name := range []string{
		"with space", "per%cent", "100%25", "what?mode=memory", "hash#tag", "ünï-☃-文", "a&b=c", "semi;colon", "'quotes\"", "back\\slash", "new\nline",
		"file:x", ":memory:", "plus+", "[brackets]", "~", "-dash", strings.Repeat("n", 200), "\xff\xfe not unicode", "trailing. ",
	} {
		folder := filepath.Join(t.TempDir(), name)
		path := filepath.Join(folder, name+".db")
		s, err := Open(context.Background(), Options{Path: path, Create: true})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		err = s.Write(context.Background(), func(tx core.WriteTx) error { _, err := tx.SeeAgent("x", epoch); return err })
		if err == nil {
			err = s.Read(context.Background(), func(tx core.ReadTx) error {
				if _, found, err := tx.Agent("x"); err != nil || !found {
					return fmt.Errorf("found %v: %w", found, err)
				}
				return nil
			})
		}
		if err := errors.Join(err, s.Close()); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%q: the file is not where it should be (%v)", name, err)
		}
	}
}

func TestOpen_relativePathStaysWhenTheFolderChanges(t *testing.T) {
	t.Chdir(t.TempDir())
	s := createAt(t, "lithos.db")
	t.Chdir(t.TempDir())
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	read(t, s, func(t *tx) error { _, err := t.Agents(core.AgentQuery{}); return err })
}

func TestOpen_links(t *testing.T) {
	folder := t.TempDir()
	real := createAt(t, filepath.Join(folder, "real", "lithos.db"))
	link := filepath.Join(folder, "link.db")
	if err := os.Symlink(real.Path(), link); err != nil {
		t.Fatal(err)
	}
	s := openWith(t, Options{Path: link})
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	read(t, real, func(tx *tx) error {
		_, found, err := tx.Agent("x")
		if !found {
			t.Error("what was written over the link is not seen")
		}
		return err
	})
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 2 {
		t.Errorf("beside the link lie %v (%v)", entries, err)
	}
	loop := filepath.Join(folder, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	openErr, _, _ := touch(Options{Path: loop})
	failure(t, openErr, core.CodeStoreUnavailable, nil)
}

func TestOpen_noRegularFile(t *testing.T) {
	folder := t.TempDir()
	socket := filepath.Join(folder, "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	for _, path := range []string{folder, socket, os.DevNull} {
		openErr, _, _ := touch(Options{Path: path, Create: true})
		unavailable(t, openErr, ReasonNotADatabase)
	}
	openErr, _, _ := touch(Options{Path: filepath.Join(socket, "lithos.db"), Create: true})
	failure(t, openErr, core.CodeStoreUnavailable, nil)
}

func TestOpen_replacedUnderARunningProgram(t *testing.T) {
	ctx := context.Background()
	s := create(t)
	counter, err := s.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = counter.Close() }()
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	read(t, s, func(t *tx) error { _, err := t.Agents(core.AgentQuery{}); return err })
	other := createAt(t, filepath.Join(filepath.Dir(s.Path()), "other.db"))
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other.Path(), s.Path()); err != nil {
		t.Fatal(err)
	}
	fail := func(core.ReadTx) error { t.Error("the transaction went on"); return nil }
	unavailable(t, s.Read(ctx, fail), ReasonReplaced)
	unavailable(t, s.Write(ctx, func(w core.WriteTx) error { return fail(w) }), ReasonReplaced)
	_, err = counter.Value()
	unavailable(t, err, ReasonReplaced)
	_, err = s.Watch(ctx)
	unavailable(t, err, ReasonReplaced)
	if err := os.Remove(s.Path()); err != nil {
		t.Fatal(err)
	}
	unavailable(t, s.Read(ctx, fail), ReasonMissing)
}

func TestOpen_readOnly(t *testing.T) {
	s := create(t)
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	_, readErr, writeErr := touch(Options{Path: s.Path(), ReadOnly: true})
	if readErr != nil {
		t.Errorf("reading: %v", readErr)
	}
	failure(t, writeErr, core.CodeForbidden, map[string]any{"needs": "write"})
}

func TestOpen_closedStore(t *testing.T) {
	s := create(t)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if err := s.Read(context.Background(), func(core.ReadTx) error { return nil }); !errors.Is(err, errClosed) {
		t.Errorf("reading a closed store: %v", err)
	}
	if err := s.Write(context.Background(), func(core.WriteTx) error { return nil }); !errors.Is(err, errClosed) {
		t.Errorf("writing a closed store: %v", err)
	}
	if _, err := s.Watch(context.Background()); !errors.Is(err, errClosed) {
		t.Errorf("watching a closed store: %v", err)
	}
}

// snapshot is the content and the time of change of a file.
func snapshot(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime().String() + string(content)
}

func TestOpen_readsWriteNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	s := createAt(t, path)
	load(t, s, graphShape{tasks: 50, edges: 50})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, path)
	reader := openWith(t, Options{Path: path, Create: true})
	read(t, reader, func(t *tx) error { _, err := t.Frontier(core.FrontierQuery{Now: epoch}); return err })
	counter, err := reader.Watch(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := counter.Value(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(counter.Close(), reader.Close()); err != nil {
		t.Fatal(err)
	}
	if snapshot(t, path) != before {
		t.Error("reading changed the file")
	}
	for _, suffix := range []string{"-turn", "-gate"} {
		if err := os.Remove(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	read(t, openWith(t, Options{Path: path}), func(t *tx) error { _, err := t.Agents(core.AgentQuery{}); return err })
	if _, err := os.Stat(path + "-turn"); err == nil {
		t.Error("reading made a lock file")
	}
}

func TestOpen_opensOnlyWhatIsUsed(t *testing.T) {
	s := create(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	reader := openWith(t, Options{Path: s.Path(), Create: true})
	if reader.writer != nil || len(reader.readers) > 0 {
		t.Error("opening made a connection")
	}
	for range 3 {
		read(t, reader, func(t *tx) error { _, err := t.Agents(core.AgentQuery{}); return err })
	}
	if reader.writer != nil || len(reader.readers) != 1 {
		t.Errorf("three reads made %d connections, and a writing one: %v", len(reader.readers), reader.writer != nil)
	}
	writer := openWith(t, Options{Path: s.Path()})
	write(t, writer, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	if len(writer.readers) != 0 {
		t.Error("writing made a reading connection")
	}
}

func TestClose_foldsTheLog(t *testing.T) {
	log := func(s *Store) int64 {
		info, err := os.Stat(s.Path() + "-wal")
		if err != nil {
			return 0
		}
		return info.Size()
	}
	s := create(t)
	read(t, s, func(t *tx) error { _, err := t.Agents(core.AgentQuery{}); return err })
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	if log(s) == 0 {
		t.Fatal("there is no log to fold")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := log(s); n != 0 {
		t.Errorf("the last one to close left a log of %d bytes", n)
	}

	// Who writes while others have the store open is not the last.
	long := openWith(t, Options{Path: s.Path(), LongLived: true})
	read(t, long, func(t *tx) error { _, err := t.Agents(core.AgentQuery{}); return err })
	brief := openWith(t, Options{Path: s.Path()})
	write(t, brief, func(t *tx) error { _, err := t.SeeAgent("y", epoch); return err })
	if err := brief.Close(); err != nil {
		t.Fatal(err)
	}
	if log(s) == 0 {
		t.Fatal("there is no log to fold")
	}
	if err := long.Close(); err != nil {
		t.Fatal(err)
	}
	if n := log(s); n != 0 {
		t.Errorf("the long-lived reader left a log of %d bytes", n)
	}
	read(t, openWith(t, Options{Path: s.Path()}), func(tx *tx) error {
		agents, err := tx.Agents(core.AgentQuery{})
		if len(agents) != 2 {
			t.Errorf("%d of 2 agents are left", len(agents))
		}
		return err
	})
}

func init() {
	roles["touch"] = func(args []string) error {
		openErr, readErr, writeErr := touch(Options{Path: args[0], Create: len(args) > 1})
		for _, err := range []error{openErr, readErr, writeErr} {
			var e *core.Error
			switch {
			case err == nil:
				fmt.Println("ok")
			case errors.As(err, &e):
				fmt.Println(e.Code, e.Extra("reason"), e.Extra("needs"))
			default:
				fmt.Println(err)
			}
		}
		return nil
	}
}

// TestOpen_rights lets a process without special rights meet every obstacle.
func TestOpen_rights(t *testing.T) {
	const ok, denied, forbidden = "ok", "store_unavailable permission <nil>", "forbidden <nil> write"
	for _, test := range []struct {
		name              string
		arrange           func(t *testing.T, folder, path string)
		open, read, write string
	}{
		{"as created", func(*testing.T, string, string) {}, ok, ok, ok},
		{"unreadable file", func(t *testing.T, _, path string) { chmod(t, path, 0) }, ok, denied, denied},
		{"read-only file", func(t *testing.T, _, path string) { chmod(t, path, 0o400) }, ok, ok, forbidden},
		{"read-only folder", func(t *testing.T, folder, _ string) { chmod(t, folder, 0o500) }, ok, ok, forbidden},
		{"read-only file in a read-only folder", func(t *testing.T, folder, path string) {
			chmod(t, path, 0o400)
			chmod(t, folder, 0o500)
		}, ok, ok, forbidden},
		{"folder that may not be entered", func(t *testing.T, folder, _ string) { chmod(t, folder, 0) }, denied, ok, ok},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(publicFolder(t), "store")
			path := filepath.Join(folder, "lithos.db")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if os.Geteuid() == 0 {
				if err := os.Chown(folder, nobody, nobody); err != nil {
					t.Fatal(err)
				}
			}
			if got := actAs(t, "touch", path, "create").ordinary(t).run(t); got != "ok\nok\nok\n" {
				t.Fatalf("creating the store answered %q", got)
			}
			test.arrange(t, folder, path)
			defer chmod(t, folder, 0o700)
			want := []string{test.open}
			if test.open == ok {
				want = append(want, test.read, test.write)
			} else {
				want = append(want, ok, ok) // not tried
			}
			if got := actAs(t, "touch", path).ordinary(t).run(t); got != strings.Join(want, "\n")+"\n" {
				t.Errorf("opening, reading and writing answered %q instead of %q", got, want)
			}
		})
	}
}

func chmod(t testing.TB, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// TestOpen_unsharedLog: a log with commits in a folder where nobody may write
// cannot be read, and must not be ignored.
func TestOpen_unsharedLog(t *testing.T) {
	folder := filepath.Join(publicFolder(t), "store")
	path := filepath.Join(folder, "lithos.db")
	s := createAt(t, path)
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(folder), "copy.db"+suffix), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	chmod(t, filepath.Dir(folder), 0o555)
	defer chmod(t, filepath.Dir(folder), 0o755)
	got := actAs(t, "touch", filepath.Join(filepath.Dir(folder), "copy.db")).ordinary(t).run(t)
	if want := "ok\nstore_unavailable permission <nil>\nstore_unavailable permission <nil>\n"; got != want {
		t.Errorf("the store answered %q instead of %q", got, want)
	}
}

// within fails the test when something takes longer than it should.
func within(t testing.TB, limit time.Duration, what string, do func()) {
	t.Helper()
	start := time.Now()
	do()
	if took := time.Since(start); took > limit {
		t.Errorf("%s took %s", what, took)
	}
}
