package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// stray leaves the log of a store that is gone beside a path: the commit of
// "new" stands in it alone.
func stray(t *testing.T) (path string, log []byte, backup Backup) {
	t.Helper()
	path, backup = restorable(t)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(path + "-wal")
	if err != nil || len(log) == 0 {
		t.Fatalf("the log has %d bytes (%v)", len(log), err)
	}
	return path, log, backup
}

// TestOpen_strayLog: a new store knows nothing of the log of the one before,
// and that is kept.
func TestOpen_strayLog(t *testing.T) {
	for what, place := range map[string]func(path string) error{
		"no file":       func(string) error { return nil },
		"an empty file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(what, func(t *testing.T) {
			path, log, _ := stray(t)
			if err := errors.Join(place(path), os.WriteFile(path+"-journal", []byte("more"), 0o600)); err != nil {
				t.Fatal(err)
			}
			s := createAt(t, path)
			aside := s.SetAside()
			if !s.Created() || len(aside) != 2 {
				t.Fatalf("created is %v, set aside are %v", s.Created(), aside)
			}
			for i, want := range map[int]string{0: string(log), 1: "more"} {
				if text, err := os.ReadFile(aside[i]); err != nil || string(text) != want {
					t.Errorf("%s holds %d bytes instead of %d (%v)", aside[i], len(text), len(want), err)
				}
			}
			if !regexp.MustCompile(`^lithos\.db-lost-\d{8}T\d{6}Z-wal$`).MatchString(filepath.Base(aside[0])) ||
				strings.TrimSuffix(aside[0], "-wal") != strings.TrimSuffix(aside[1], "-journal") {
				t.Errorf("the names are %v", aside)
			}
			write(t, s, func(tx *tx) error { _, err := tx.SeeAgent("x", epoch); return err })
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			holds(t, path, "x")
			if again := openWith(t, Options{Path: path, Create: true}); len(again.SetAside()) > 0 {
				t.Errorf("%v is set aside of a store that was there", again.SetAside())
			}
		})
	}
}

// TestOpen_strayLogTwice: what was set aside is not replaced by the next.
func TestOpen_strayLogTwice(t *testing.T) {
	path, _, _ := stray(t)
	s := &Store{path: path, file: path}
	name, err := s.strayName([]string{"-wal"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name+"-wal", []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	second := createAt(t, path).SetAside()
	if len(second) != 1 || second[0] == name+"-wal" {
		t.Errorf("set aside is %v", second)
	}
	if text, err := os.ReadFile(name + "-wal"); err != nil || string(text) != "first" {
		t.Errorf("the first holds %q (%v)", text, err)
	}
}

// TestOpen_strayLogThatStays: where it cannot be set aside no store is made.
func TestOpen_strayLogThatStays(t *testing.T) {
	path, log, _ := stray(t)
	disk := files.Disk{Before: func(s files.Step) error {
		if s.Action == files.Rename {
			return os.ErrPermission
		}
		return nil
	}}
	_, err := Open(context.Background(), Options{Path: path, Create: true, Files: disk})
	unavailable(t, err, ReasonPermission)
	if text, err := os.ReadFile(path + "-wal"); err != nil || string(text) != string(log) {
		t.Errorf("the log has %d bytes instead of %d (%v)", len(text), len(log), err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("there is a store")
	}
}

// TestOpen_liveLog: the log of a store that is in use is nobody's leftover,
// however many would make the store.
func TestOpen_liveLog(t *testing.T) {
	s := create(t)
	write(t, s, func(tx *tx) error { _, err := tx.SeeAgent("x", epoch); return err })
	again := openWith(t, Options{Path: s.Path(), Create: true})
	if err := again.clear(); err != nil || len(again.SetAside()) > 0 {
		t.Errorf("set aside is %v (%v)", again.SetAside(), err)
	}
	if info, err := os.Stat(s.Path() + "-wal"); err != nil || info.Size() == 0 {
		t.Errorf("the log is gone (%v)", err)
	}
}

// TestRestore_strayLog: a restore keeps the log of a store that is gone.
func TestRestore_strayLog(t *testing.T) {
	path, log, backup := stray(t)
	done, err := RestoreBackup(context.Background(), restoreOptions(path, backup.Path, files.Disk{}))
	if err != nil {
		t.Fatal(err)
	}
	if done.SafetyBackup == nil {
		t.Fatal("no safety backup is named")
	}
	if text, err := os.ReadFile(*done.SafetyBackup); err != nil || string(text) != string(log) {
		t.Errorf("%s has %d bytes instead of %d (%v)", *done.SafetyBackup, len(text), len(log), err)
	}
	holds(t, path, "old")
}

// TestDanglingLink_withoutFolder: the folder that a link leads into is never
// made; what it lies on may only be missing for the moment.
func TestDanglingLink_withoutFolder(t *testing.T) {
	_, backup := restorable(t)
	folder := t.TempDir()
	disk := filepath.Join(folder, "disk")
	file, link := filepath.Join(folder, "link.db"), filepath.Join(folder, ".lithos")
	if err := errors.Join(os.Symlink(filepath.Join(disk, "lithos.db"), file), os.Symlink(disk, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(link, "lithos.db")} {
		_, openErr := Open(context.Background(), Options{Path: path, Create: true})
		_, restoreErr := RestoreBackup(context.Background(), restoreOptions(path, backup.Path, files.Disk{}))
		for _, err := range []error{openErr, restoreErr} {
			extra := unavailable(t, err, ReasonMissing)
			if extra("path") != path || !strings.Contains(core.AsError(err).Message, "'"+disk+"', which is not there") {
				t.Errorf("the error is %v", err)
			}
		}
	}
	if got := names(t, folder); len(got) != 2 {
		t.Errorf("there are %v", got)
	}
}
