package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// notesOf is the folder of the notes of a store in a test.
func notesOf(path string) string { return filepath.Join(filepath.Dir(path), "knowledge") }

// noteSet are files by their paths.
type noteSet map[string]string

// notesThen are the notes when a store was backed up, notesNow those since.
var (
	notesThen = noteSet{"same.md": "same", "changed.md": "then", "gone.md": "gone", "sub/deep.md": "deep", "empty.md": "", "odd/ö b.md": "\x00\xff"}
	notesNow  = noteSet{"same.md": "same", "changed.md": "now", "added/added.md": "added", "sub/deep.md": "deep", "empty.md": ""}
)

// putNotes makes the note files of a store those of a set.
func putNotes(t testing.TB, path string, set noteSet) {
	t.Helper()
	folder := notesOf(path)
	for name := range notesIn(t, path) {
		if err := os.Remove(noteAt(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range set {
		at := noteAt(folder, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// notesIn are the note files of a store.
func notesIn(t testing.TB, path string) noteSet {
	t.Helper()
	set := noteSet{}
	seen, err := listNotes(context.Background(), files.Disk{}, notesOf(path))
	if err != nil {
		t.Fatal(err)
	}
	for name := range seen {
		text, err := os.ReadFile(noteAt(notesOf(path), name))
		if err != nil {
			t.Fatal(err)
		}
		set[name] = string(text)
	}
	return set
}

// holdsNotes fails unless a store has exactly these note files.
func holdsNotes(t testing.TB, path string, want noteSet) {
	t.Helper()
	if got := notesIn(t, path); !maps.Equal(got, want) {
		t.Errorf("the notes are %q instead of %q", got, want)
	}
}

// hasNoteFiles reports whether a file that nobody has open holds files of
// notes.
func hasNoteFiles(t testing.TB, path string) (has bool) {
	t.Helper()
	opened, err := (&sqlite3.SQLiteDriver{}).Open("file:" + path + "?immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	rows, err := opened.(*sqlite3.SQLiteConn).Query("SELECT count(*) FROM sqlite_schema WHERE name = 'note_files'", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	dest := make([]driver.Value, 1)
	if err := rows.Next(dest); err != nil {
		t.Fatal(err)
	}
	return dest[0] == int64(1)
}

func TestBackup_holdsTheNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	without := takeAt(t, path)
	if _, holds := without.Rows["note_files"]; holds || hasNoteFiles(t, without.Path) {
		t.Error("where there is no folder of notes the backup holds one")
	}
	putNotes(t, path, notesThen)
	folder := notesOf(path)
	outside := t.TempDir()
	for name, content := range map[string]string{
		filepath.Join(outside, "secret.md"): "secret", filepath.Join(folder, "picture.png"): "png",
		filepath.Join(folder, ".hidden.md"): "hidden", filepath.Join(folder, "bad\xff.md"): "bad",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil && !errors.Is(err, syscall.EILSEQ) { // not all file systems take such a name
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"link.md": filepath.Join(outside, "secret.md"), "links": outside, "loop.md": "loop.md"} {
		if err := os.Symlink(target, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(folder, "changed.md"), 0o640); err != nil {
		t.Fatal(err)
	}
	b := takeAt(t, path)
	if b.Rows["note_files"] != int64(len(notesThen)) {
		t.Errorf("the backup holds %v", b.Rows)
	}
	if v, err := VerifyBackup(context.Background(), VerifyOptions{Path: b.Path}); err != nil || v.Rows["note_files"] != int64(len(notesThen)) || v.SHA256 != b.SHA256 {
		t.Errorf("verified as %v (%v)", v, err)
	}

	// Into a place where there is nothing.
	other := filepath.Join(t.TempDir(), "new", "lithos.db")
	if _, err := RestoreBackup(context.Background(), restoreOptions(other, b.Path, files.Disk{})); err != nil {
		t.Fatalf("%v (%v)", err, errors.Unwrap(err))
	}
	holds(t, other, "ada")
	holdsNotes(t, other, notesThen)
	if hasNoteFiles(t, other) {
		t.Error("the store kept the files of the notes")
	}
	for name, mode := range map[string]fs.FileMode{"changed.md": 0o640, "same.md": 0o600, "": 0o700, "sub": 0o700} {
		if info, err := os.Stat(filepath.Join(notesOf(other), name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has the rights %v (%v)", name, info.Mode(), err)
		}
	}
	if left := names(t, notesOf(other)); len(left) != 6 {
		t.Errorf("in the folder lie %q", left)
	}
	// A copy of a backup is a store too, and keeps what it holds when it is
	// backed up.
	again, err := TakeBackup(context.Background(), BackupOptions{Path: b.Path, Folder: t.TempDir(), Notes: notesOf(b.Path), Now: backupTime})
	if err != nil || again.Rows["note_files"] != int64(len(notesThen)) {
		t.Errorf("the copy holds %v (%v)", again.Rows, err)
	}
}

// TestBackup_notesChangeMeanwhile: what is written while the notes are read is
// whole, and the notes are those of one moment.
func TestBackup_notesChangeMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	putNotes(t, path, notesThen)
	folder := notesOf(path)
	opened := 0
	disk := files.Disk{Before: func(step files.Step) error {
		if step.Action != files.Read || !strings.HasSuffix(step.Path, ".md") {
			return nil
		}
		opened++
		switch opened {
		case 1: // the file itself, in place
			return os.WriteFile(step.Path, []byte(strings.Repeat("longer ", 1000)), 0o600)
		case 4: // others, before and behind
			return errors.Join(
				os.Rename(filepath.Join(folder, "sub", "deep.md"), filepath.Join(folder, "aaa.md")),
				os.Remove(filepath.Join(folder, "gone.md")),
				os.WriteFile(filepath.Join(folder, "zzz.md"), []byte("z"), 0o600))
		}
		return nil
	}}
	b, err := TakeBackup(context.Background(), BackupOptions{Path: path, Folder: "backups", Notes: folder, Now: backupTime, Files: disk})
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "lithos.db")
	if _, err := RestoreBackup(context.Background(), restoreOptions(other, b.Path, files.Disk{})); err != nil {
		t.Fatal(err)
	}
	holdsNotes(t, other, notesIn(t, path))
	if len(notesIn(t, other)) != len(notesThen) {
		t.Errorf("the notes are %v", notesIn(t, other))
	}
}

// TestBackup_unreadableNote: no backup is called whole that lacks a note.
func TestBackup_unreadableNote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	putNotes(t, path, notesThen)
	for _, action := range []files.Action{files.Open, files.Read} {
		disk := files.Disk{Before: func(s files.Step) error {
			if s.Action == action && strings.HasSuffix(s.Path, "gone.md") {
				return syscall.EACCES
			}
			return nil
		}}
		o := BackupOptions{Path: path, Folder: "backups", Notes: notesOf(path), Now: backupTime, Files: disk}
		_, err := TakeBackup(context.Background(), o)
		e := failed(t, err, StepRead)
		if e != nil && (e.Extra("path") != filepath.Join(notesOf(path), "gone.md") || !strings.Contains(e.Message, "permission denied")) {
			t.Errorf("the error is %s about %v", e.Message, e.Extra("path"))
		}
		if left := names(t, filepath.Join(filepath.Dir(path), "backups")); len(left) > 0 {
			t.Errorf("there are %v", left)
		}
	}
}

// TestVerify_notes: a note that is not what it was is found without a manifest.
func TestVerify_notes(t *testing.T) {
	for what, sql := range map[string]string{
		"bytes":  "UPDATE note_files SET content = CAST('else' AS BLOB) WHERE path = 'changed.md'",
		"leaves": "UPDATE note_files SET path = '../changed.md' WHERE path = 'changed.md'",
		"hidden": "UPDATE note_files SET path = '.git/hooks/x.md' WHERE path = 'changed.md'",
		"other":  "UPDATE note_files SET path = 'changed.sh' WHERE path = 'changed.md'",
		"root":   "UPDATE note_files SET path = '/etc/changed.md' WHERE path = 'changed.md'",
	} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "lithos.db")
			storeOf(t, path, "ada")
			putNotes(t, path, notesThen)
			b := takeAt(t, path)
			if err := os.Remove(b.Path + ".json"); err != nil {
				t.Fatal(err)
			}
			change(t, b.Path, sql)
			_, err := VerifyBackup(context.Background(), VerifyOptions{Path: b.Path})
			if e := failed(t, err, StepIntegrity); e != nil && !strings.Contains(e.Message, "note") {
				t.Errorf("the message is %s", e.Message)
			}
			_, err = RestoreBackup(context.Background(), restoreOptions(path, b.Path, files.Disk{}))
			failed(t, err, StepIntegrity)
			holdsNotes(t, path, notesThen)
		})
	}
}

// TestRestore_leavesNotesOfOlderBackups: of a backup that holds no notes
// nothing is known about them.
func TestRestore_leavesNotesOfOlderBackups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	b := takeAt(t, path)
	putNotes(t, path, notesNow)
	done, err := RestoreBackup(context.Background(), restoreOptions(path, b.Path, files.Disk{}))
	if err != nil {
		t.Fatal(err)
	}
	holds(t, path, "ada")
	holdsNotes(t, path, notesNow)
	if v, err := VerifyBackup(context.Background(), VerifyOptions{Path: *done.SafetyBackup}); err != nil || v.Rows["note_files"] != int64(len(notesNow)) {
		t.Errorf("the safety backup holds %v (%v)", v.Rows, err)
	}
}

// TestRestore_keepsNotesOfALostStore: where no safety backup can be taken the
// notes are copied as they are.
func TestRestore_keepsNotesOfALostStore(t *testing.T) {
	for what, spoil := range map[string]func(path string) error{
		"missing": func(path string) error {
			return errors.Join(os.Remove(path), os.Remove(path+"-wal"), os.Remove(path+"-shm"))
		},
		"damaged": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte(filler(9000)), 0o600), os.Remove(path+"-wal"), os.Remove(path+"-shm"))
		},
	} {
		t.Run(what, func(t *testing.T) {
			path, backup := restorable(t)
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			done, err := RestoreBackup(context.Background(), restoreOptions(path, backup.Path, files.Disk{}))
			if err != nil {
				t.Fatalf("%v (%v)", err, errors.Unwrap(err))
			}
			holds(t, path, "old")
			holdsNotes(t, path, notesThen)
			kept := filepath.Join(filepath.Dir(backup.Path), "lithos-20260301T090000Z-notes")
			for name, text := range notesNow {
				if got, err := os.ReadFile(noteAt(kept, name)); err != nil || string(got) != text {
					t.Errorf("%s holds %q (%v)", name, got, err)
				}
			}
			if what == "missing" && (done.SafetyBackup == nil || *done.SafetyBackup != kept) {
				t.Errorf("told was %v", done.SafetyBackup)
			}
			if _, problems, err := ListBackups(files.Disk{}, filepath.Dir(backup.Path)); err != nil || len(problems) > 0 && what == "missing" {
				t.Errorf("the problems are %v (%v)", problems, err)
			}
		})
	}
}

// TestRestore_linkInTheWayOfNotes: nothing is written over a link.
func TestRestore_linkInTheWayOfNotes(t *testing.T) {
	path, backup := restorable(t)
	outside, place := t.TempDir(), filepath.Join(notesOf(path), "odd")
	if err := errors.Join(os.RemoveAll(place), os.Symlink(outside, place)); err != nil {
		t.Fatal(err)
	}
	_, err := RestoreBackup(context.Background(), restoreOptions(path, backup.Path, files.Disk{}))
	e := failed(t, err, StepDeliver)
	if e != nil && !strings.Contains(e.Message, "in the way of the note") {
		t.Errorf("the message is %s", e.Message)
	}
	holds(t, path, "new", "old")
	holdsNotes(t, path, notesNow)
	if len(names(t, outside)) > 0 || isFile(filepath.Join(notesOf(path), newNotesFolder)) {
		t.Error("something was left")
	}
}

// TestRestore_notesOverALink: a folder of notes that is a link stays one.
func TestRestore_notesOverALink(t *testing.T) {
	path, backup := restorable(t)
	real := filepath.Join(t.TempDir(), "real")
	if err := errors.Join(os.Rename(notesOf(path), real), os.Symlink(real, notesOf(path))); err != nil {
		t.Fatal(err)
	}
	if _, err := RestoreBackup(context.Background(), restoreOptions(path, backup.Path, files.Disk{})); err != nil {
		t.Fatalf("%v (%v)", err, errors.Unwrap(err))
	}
	holdsNotes(t, path, notesThen)
	if target, err := os.Readlink(notesOf(path)); err != nil || target != real {
		t.Errorf("the link leads to %s (%v)", target, err)
	}
}

// midst leaves a restore killed just before a rename to a path.
func midst(t testing.TB, path, backup string, before func(files.Step) bool) {
	t.Helper()
	disk := files.Disk{Before: func(s files.Step) error {
		if before(s) {
			return errors.New("no")
		}
		return nil
	}}
	_, err := RestoreBackup(context.Background(), restoreOptions(path, backup, disk))
	failure(t, err, core.CodeRestoreUnfinished, map[string]any{})
}

// toStore is true ahead of the step that puts the new store in place.
func toStore(path string) func(files.Step) bool {
	return func(s files.Step) bool { return s.Action == files.Rename && s.To == path }
}

// TestRestore_filesGoneWrong spoils the files of an interrupted restore: what
// is whole is put in place, what is not never is, and no last copy goes.
func TestRestore_filesGoneWrong(t *testing.T) {
	truncate := func(suffix string) func(string) error {
		return func(path string) error { return os.Truncate(path+suffix, 5000) }
	}
	remove := func(suffix string) func(string) error {
		return func(path string) error { return os.Remove(path + suffix) }
	}
	flip := func(suffix string) func(string) error {
		return func(path string) error {
			text, err := os.ReadFile(path + suffix)
			if err != nil {
				return err
			}
			text[len(text)-1] ^= 1
			return os.WriteFile(path+suffix, text, 0o600)
		}
	}
	note := func(do func(at string) error, folder, name string) func(string) error {
		return func(path string) error { return do(noteAt(filepath.Join(notesOf(path), folder), name)) }
	}
	spoilText := func(at string) error { return os.WriteFile(at, []byte("spoilt"), 0o600) }
	// The new notes are not in place yet where they are to be spoilt.
	toNotes := func(path string) func(files.Step) bool {
		return func(s files.Step) bool {
			return s.Action == files.Rename && strings.HasPrefix(s.Path, filepath.Join(notesOf(path), newNotesFolder)+"/")
		}
	}
	for what, test := range map[string]struct {
		before       func(string) func(files.Step) bool
		spoil        func(path string) error
		finish, undo BackupStep // "": it can be done
	}{
		"nothing":               {toStore, func(string) error { return nil }, "", ""},
		"the old store gone":    {toStore, remove(oldSuffix), "", StepRead},
		"the old store cut":     {toStore, truncate(oldSuffix), "", StepSize},
		"the old store empty":   {toStore, func(path string) error { return os.Truncate(path+oldSuffix, 0) }, "", StepSize},
		"the new store gone":    {toStore, remove(restoreSuffix), StepRead, ""},
		"the new store cut":     {toStore, truncate(restoreSuffix), StepIntegrity, ""},
		"the new store changed": {toStore, flip(restoreSuffix), StepIntegrity, ""},
		"the new store cut before": {func(path string) func(files.Step) bool {
			return func(s files.Step) bool { return s.Action == files.Rename && s.Path == path }
		}, truncate(restoreSuffix), StepIntegrity, ""},
		"an old note gone":   {toStore, note(os.Remove, oldNotesFolder, "changed.md"), "", StepRead},
		"a new note gone":    {toNotes, note(os.Remove, newNotesFolder, "gone.md"), StepRead, ""},
		"a new note changed": {toNotes, note(spoilText, newNotesFolder, "gone.md"), StepIntegrity, ""},
		"both stores gone": {toStore, func(path string) error {
			return errors.Join(remove(restoreSuffix)(path), truncate(oldSuffix)(path))
		}, StepRead, StepSize},
	} {
		t.Run(what, func(t *testing.T) {
			original, backup := restorable(t)
			for _, do := range []struct {
				name   string
				takeUp func(context.Context, string, files.Disk) (Restored, error)
				step   BackupStep
				agents []string
				notes  noteSet
			}{
				{"finish", FinishRestore, test.finish, []string{"old"}, notesThen},
				{"undo", UndoRestore, test.undo, []string{"new", "old"}, notesNow},
			} {
				path := copyStore(t, original)
				midst(t, path, backup.Path, test.before(path))
				if err := test.spoil(path); err != nil {
					t.Fatal(err)
				}
				before := contents(t, filepath.Dir(path))
				if !RestoreIsUnfinished(path) {
					t.Fatalf("%s: the restore is not told", do.name)
				}
				_, err := do.takeUp(context.Background(), path, files.Disk{})
				if do.step == "" {
					if err != nil {
						t.Errorf("%s: %v (%v)", do.name, err, errors.Unwrap(err))
						continue
					}
					holds(t, path, do.agents...)
					holdsNotes(t, path, do.notes)
					continue
				}
				e := failed(t, err, do.step)
				if e != nil && !strings.Contains(e.Message, "backups/lithos-20260301T090000Z") {
					t.Errorf("%s: the message names no safety backup: %s", do.name, e.Message)
				}
				other := map[string]string{"finish": "--undo", "undo": "--finish"}[do.name]
				if possible := what != "both stores gone" || do.name == "finish"; e != nil && possible != strings.Contains(e.Message, other) {
					t.Errorf("%s: the message is %s", do.name, e.Message)
				}
				if after := contents(t, filepath.Dir(path)); !maps.Equal(after, before) {
					t.Errorf("%s: something was changed", do.name)
				}
			}
		})
	}
}

// contents are all files below a folder, but for the locks.
func contents(t testing.TB, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(at, useSuffix) {
			return err
		}
		text, err := os.ReadFile(at)
		all[at] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRestore_withoutItsNewStore: a store that was moved away is told as what
// it is, and not given up.
func TestRestore_withoutItsNewStore(t *testing.T) {
	path, backup := restorable(t)
	midst(t, path, backup.Path, toStore(path))
	if err := os.Remove(path + restoreSuffix); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Path: path}, {Path: path, Create: true}} {
		_, err := Open(context.Background(), o)
		e := failure(t, err, core.CodeRestoreUnfinished, map[string]any{})
		if commands, _ := e("commands").([]string); len(commands) != 1 || !strings.Contains(commands[0], "--undo") {
			t.Errorf("the commands are %v", commands)
		}
	}
	found, err := Examine(context.Background(), ExamineOptions{Path: path, Now: epoch, Notes: notesOf(path)})
	if err != nil {
		t.Fatal(err)
	}
	told := fmt.Sprint(found.Checks)
	if !found.Failed(CheckRestore) || found.Failed(CheckLeftovers) || !strings.Contains(told, "'lithos.db-restore-old' is the store as it was") {
		t.Errorf("told was %s", told)
	}
}

// TestExamine_notesWithoutFiles: notes whose files are all gone are told.
func TestExamine_notesWithoutFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	putNotes(t, path, noteSet{"a.md": "a"})
	for _, name := range []string{"a.md", "b.md"} {
		change(t, path, "INSERT INTO notes (id, path, folder, title_named, title, author, created_at, updated_at, version, confidence, namespace, access_scope,"+
			" note_type, status, file_size, file_time, file_number, file_hash, own_id, tags, derived_from, entities, aliases, metadata) VALUES ('"+
			name+"', '"+name+"', '', 0, 'a', 'ada', 1, 1, 1, 1.0, 'default', 'shared', 'observation', 'active', 0, 0, 0, 0, 1, '[]', '[]', '[]', '[]', '{}')")
	}
	look := func() Examination {
		t.Helper()
		found, err := Examine(context.Background(), ExamineOptions{Path: path, Now: epoch, Notes: notesOf(path)})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := look(); found.Failed(CheckNotes) {
		t.Errorf("one file is there, and told was %v", found.Checks)
	}
	if err := os.RemoveAll(notesOf(path)); err != nil {
		t.Fatal(err)
	}
	found := look()
	if !found.Failed(CheckNotes) || !strings.Contains(fmt.Sprint(found.Checks), "knows 2 notes, but none of their files") {
		t.Errorf("told was %v", found.Checks)
	}
}
