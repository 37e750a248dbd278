package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/files"
	"dev.lithos/store/files/filestest"
)

// restorable makes a store that held "old" when it was backed up and holds
// "old" and "new" now, the latter in the log alone. Its notes were notesThen
// and are notesNow.
func restorable(t testing.TB) (path string, backup Backup) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "old")
	putNotes(t, path, notesThen)
	backup = takeAt(t, path)
	leaveInLog(t, path, "new")
	putNotes(t, path, notesNow)
	return path, backup
}

// leaveInLog adds an agent to a store such that it stands in the log beside
// the file, as a program that was killed leaves it.
func leaveInLog(t testing.TB, path, agent string) {
	t.Helper()
	a := actAs(t, "see and die", path, agent)
	if !a.killed(t) {
		t.Fatal("the writer lives")
	}
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("there is no log (%v)", err)
	}
}

func init() {
	roles["see and die"] = func(args []string) error {
		s, err := Open(context.Background(), Options{Path: args[0]})
		if err != nil {
			return err
		}
		err = s.Write(context.Background(), func(tx core.WriteTx) error {
			_, err := tx.SeeAgent(args[1], epoch)
			return err
		})
		if err != nil {
			return err
		}
		return filestest.KillAt(0).Disk().Reach("now")
	}
	// restore PATH BACKUP STEP: restore, killed ahead of a step that changes
	// something.
	roles["restore"] = func(args []string) error {
		disk, err := killAtChange(args[2])
		if err != nil {
			return err
		}
		_, err = RestoreBackup(context.Background(), restoreOptions(args[0], args[1], disk))
		return err
	}
	for role, takeUp := range map[string]func(context.Context, string, files.Disk) (Restored, error){"finish": FinishRestore, "undo": UndoRestore} {
		// finish PATH STEP, undo PATH STEP: likewise.
		roles[role] = func(args []string) error {
			disk, err := killAtChange(args[1])
			if err != nil {
				return err
			}
			_, err = takeUp(context.Background(), args[0], disk)
			return err
		}
	}
	// use PATH: open a store, say so, and keep it open until input ends.
	roles["use"] = func(args []string) error {
		s, err := Open(context.Background(), Options{Path: args[0], ReadOnly: true})
		if err != nil {
			return err
		}
		if _, err := os.Stdout.WriteString("open\n"); err != nil {
			return err
		}
		if _, err := os.Stdin.Read(make([]byte, 1)); err == nil {
			return errors.New("there was input")
		}
		return s.Close()
	}
}

// killAtChange kills the process ahead of one of the steps that change
// something: ahead of those that only look there is the same on the disk as
// ahead of the next of these.
func killAtChange(number string) (files.Disk, error) {
	at, err := strconv.Atoi(number)
	disk := filestest.KillAt(at).Disk()
	return files.Disk{Before: func(s files.Step) error {
		switch s.Action {
		case files.Open, files.Read, files.Stat, files.List:
			return nil
		}
		return disk.Before(s)
	}}, err
}

func restoreOptions(path, backup string, disk files.Disk) RestoreOptions {
	return RestoreOptions{Path: path, Backup: backup, Folder: "backups", Notes: notesOf(path), Now: backupTime.Add(time.Hour), Files: disk}
}

func TestRestore(t *testing.T) {
	path, backup := restorable(t)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	asked := 0
	o := restoreOptions(path, backup.Path, files.Disk{})
	o.Confirm = func(b Backup) error {
		asked++
		if b.SHA256 != backup.SHA256 {
			t.Errorf("asked about %+v", b)
		}
		return nil
	}
	done, err := RestoreBackup(context.Background(), o)
	if err != nil {
		t.Fatalf("%v (%v)", err, errors.Unwrap(err))
	}
	if asked != 1 || *done.Backup != backup.Path {
		t.Errorf("asked %d times, restored %s", asked, *done.Backup)
	}
	holds(t, path, "old")
	holdsNotes(t, path, notesThen)
	holds(t, *done.SafetyBackup, "new", "old")
	for _, name := range names(t, notesOf(path)) {
		if strings.HasPrefix(name, ".") || name == "added" {
			t.Errorf("%s was left", name)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the restored store has the rights %v (%v)", info.Mode().Perm(), err)
	}
	for _, name := range names(t, filepath.Dir(path)) {
		if strings.Contains(name, "-restore") || files.IsDraft(name) {
			t.Errorf("%s was left", name)
		}
	}
	if names, unfinished := Leftovers(path); len(names) > 0 || unfinished {
		t.Errorf("left is %v, unfinished %v", names, unfinished)
	}
	// And back.
	if _, err := RestoreBackup(context.Background(), restoreOptions(path, *done.SafetyBackup, files.Disk{})); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new", "old")
	holdsNotes(t, path, notesNow)
}

func TestRestore_notConfirmed(t *testing.T) {
	path, backup := restorable(t)
	before := names(t, filepath.Dir(path))
	refusal := errors.New("no")
	o := restoreOptions(path, backup.Path, files.Disk{})
	o.Confirm = func(Backup) error { return refusal }
	if _, err := RestoreBackup(context.Background(), o); !errors.Is(err, refusal) {
		t.Errorf("the error is %v", err)
	}
	if after := names(t, filepath.Dir(path)); !slices.Equal(after, before) {
		t.Errorf("there are %v instead of %v", after, before)
	}
	holds(t, path, "new", "old")
}

// TestRestore_whereThereIsNone restores into a folder that is not there yet.
func TestRestore_whereThereIsNone(t *testing.T) {
	_, backup := restorable(t)
	path := filepath.Join(t.TempDir(), "new", ".lithos", "lithos.db")
	done, err := RestoreBackup(context.Background(), restoreOptions(path, backup.Path, files.Disk{}))
	if err != nil {
		t.Fatal(err)
	}
	if done.SafetyBackup != nil {
		t.Errorf("a safety backup %s was made of nothing", *done.SafetyBackup)
	}
	holds(t, path, "old")
	for at, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(at); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has the rights %v (%v)", at, info.Mode().Perm(), err)
		}
	}
}

// TestRestore_overDamage restores stores that cannot be backed up any more:
// they are kept as they are.
func TestRestore_overDamage(t *testing.T) {
	for what, spoil := range map[string]func([]byte) []byte{
		"empty":           func([]byte) []byte { return nil },
		"cut":             func(b []byte) []byte { return b[:5000] },
		"a header":        func(b []byte) []byte { return b[:100] },
		"noise":           func(b []byte) []byte { return []byte(filler(len(b))) },
		"a broken page":   func(b []byte) []byte { return append(append(slices.Clone(b[:4096]), filler(4096)...), b[8192:]...) },
		"a broken schema": func(b []byte) []byte { return append(append(slices.Clone(b[:100]), filler(40)...), b[140:]...) },
	} {
		t.Run(what, func(t *testing.T) {
			path, backup := restorable(t)
			for _, log := range []string{"-wal", "-shm"} {
				if err := os.Remove(path + log); err != nil {
					t.Fatal(err)
				}
			}
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			spoilt := spoil(whole)
			if err := os.WriteFile(path, spoilt, 0o600); err != nil {
				t.Fatal(err)
			}
			done, err := RestoreBackup(context.Background(), restoreOptions(path, backup.Path, files.Disk{}))
			if err != nil {
				t.Fatalf("%v (%v)", err, errors.Unwrap(err))
			}
			holds(t, path, "old")
			if kept, err := os.ReadFile(*done.SafetyBackup); err != nil || string(kept) != string(spoilt) {
				t.Errorf("%s does not hold what was there (%v)", *done.SafetyBackup, err)
			}
		})
	}
}

func TestRestore_refusals(t *testing.T) {
	path, backup := restorable(t)
	folder := t.TempDir()
	other := filepath.Join(folder, "other.db")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	change(t, other, "CREATE TABLE places (id TEXT)")
	newer := filepath.Join(folder, "newer.db")
	storeOf(t, newer, "x")
	change(t, newer, "PRAGMA user_version = 99")
	newerBackup := takeAt(t, newer)
	restore := func(path, backup string) error {
		_, err := RestoreBackup(context.Background(), restoreOptions(path, backup, files.Disk{}))
		return err
	}
	unavailable(t, restore(other, backup.Path), ReasonNotADatabase)
	unavailable(t, restore(folder, backup.Path), ReasonNotADatabase)
	failure(t, restore(path, path), core.CodeInvalidInput, map[string]any{"field": "file"})
	failure(t, restore(path, newerBackup.Path), core.CodeSchemaMismatch, map[string]any{"found": int64(99), "direction": "newer"})
	failed(t, restore(path, filepath.Join(folder, "none.db")), StepRead)
	failed(t, restore(path, other), StepSchema)
	if os.Geteuid() != 0 { // whom no rights keep from writing
		chmod(t, path, 0o400)
		failure(t, restore(path, backup.Path), core.CodeForbidden, nil)
		chmod(t, path, 0o600)
	}
	for how, takeUp := range map[string]func(context.Context, string, files.Disk) (Restored, error){"finish": FinishRestore, "undo": UndoRestore} {
		_, err := takeUp(context.Background(), path, files.Disk{})
		failure(t, err, core.CodeInvalidInput, map[string]any{"field": how})
	}
	holds(t, path, "new", "old")
}

// TestRestore_inUse: nobody's store is exchanged under them, and who is killed
// is in nobody's way.
func TestRestore_inUse(t *testing.T) {
	path, backup := restorable(t)
	busy := func(what string) {
		t.Helper()
		_, err := RestoreBackup(context.Background(), restoreOptions(path, backup.Path, files.Disk{}))
		var e *core.Error
		if !errors.As(err, &e) || e.Code != core.CodeDatabaseBusy || e.Extra("waited_ms") == nil || !strings.Contains(e.Message, "open") {
			t.Errorf("%s: the error is %v", what, err)
		}
		for _, name := range names(t, filepath.Dir(path)) {
			if strings.Contains(name, "-restore") || files.IsDraft(name) {
				t.Errorf("%s: %s was left", what, name)
			}
		}
	}
	// Another program of lithos that has only looked at the file so far.
	user := actAs(t, "use", path)
	if _, err := user.start(t).Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	busy("another process")
	if err := user.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = user.cmd.Wait() // it was killed

	// A program that knows nothing of lithos, with a connection at rest.
	s := &Store{path: path, file: path}
	if err := s.remember(); err != nil {
		t.Fatal(err)
	}
	c, err := s.connect(s.wait(context.Background()), "mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.number("SELECT count(*) FROM tasks"); err != nil {
		t.Fatal(err)
	}
	busy("another program")
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new", "old")
	if _, err := RestoreBackup(context.Background(), restoreOptions(path, backup.Path, files.Disk{})); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "old")
}

// TestOpen_whileItIsRestored waits for the end of the restore.
func TestOpen_whileItIsRestored(t *testing.T) {
	path, _ := restorable(t)
	s := &Store{path: path, file: path}
	alone, err := s.holdAlone(s.wait(context.Background()))
	if err != nil || alone.lock == nil {
		t.Fatal("there is no lock", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	for _, o := range []Options{{Path: path}, {Path: path, ReadOnly: true}, {Path: path, Create: true}} {
		_, err := Open(ctx, o)
		failure(t, err, core.CodeDatabaseBusy, nil)
	}
	opened := make(chan error, 1)
	go func() {
		_, err := agentsIn(path)
		opened <- err
	}()
	if err := alone.release(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

// unfinished fails unless a store is refused because of a restore, and returns
// the error.
func unfinished(t testing.TB, path string) {
	t.Helper()
	for _, o := range []Options{{Path: path}, {Path: path, Create: true}, {Path: path, ReadOnly: true}} {
		_, err := Open(context.Background(), o)
		e := failure(t, err, core.CodeRestoreUnfinished, map[string]any{})
		if left, _ := e("leftovers").([]string); !slices.Contains(left, "lithos.db-restore") {
			t.Errorf("the leftovers are %v", left)
		}
		if commands, _ := e("commands").([]string); len(commands) != 2 || !strings.HasSuffix(commands[0], "--finish --db "+path) || !strings.HasSuffix(commands[1], "--undo --db "+path) {
			t.Errorf("the commands are %v", commands)
		}
	}
	_, err := TakeBackup(context.Background(), BackupOptions{Path: path, Folder: "backups", Now: backupTime})
	failure(t, err, core.CodeRestoreUnfinished, map[string]any{})
}

// isWhole looks at what a restore that did not come to its end has left: the
// old store, the new one, or a restore that can be finished and undone, of
// which undo says which to try.
func isWhole(t *testing.T, path string, undo bool) (state string) {
	t.Helper()
	if RestoreIsUnfinished(path) {
		unfinished(t, path)
		do, agents, notes := FinishRestore, []string{"old"}, notesThen
		if undo {
			do, agents, notes = UndoRestore, []string{"new", "old"}, notesNow
		}
		if _, err := do(context.Background(), path, files.Disk{}); err != nil {
			t.Errorf("%v (%v)", err, errors.Unwrap(err))
		}
		holds(t, path, agents...)
		holdsNotes(t, path, notes)
		if left, _ := Leftovers(path); len(left) > 0 || isFile(filepath.Join(notesOf(path), newNotesFolder)) || isFile(filepath.Join(notesOf(path), oldNotesFolder)) {
			t.Errorf("left is %v, %v", left, names(t, notesOf(path)))
		}
		return "unfinished"
	}
	switch agents, err := agentsIn(path); {
	case err != nil:
		t.Errorf("%v (%v)", err, errors.Unwrap(err))
		return "lost"
	case slices.Equal(agents, []string{"old"}):
		holds(t, path, "old")
		holdsNotes(t, path, notesThen)
		return "new"
	default:
		holds(t, path, "new", "old")
		holdsNotes(t, path, notesNow)
		return "old"
	}
}

// copyStore copies a store with all that lies beside it.
func copyStore(t testing.TB, from string) (path string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Dir(from))); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, filepath.Base(from))
}

// TestRestore_everyStep lets each step of a restore fail.
func TestRestore_everyStep(t *testing.T) {
	original, backup := restorable(t)
	var path string
	n := 0
	states := map[string]int{}
	filestest.EachStep(t, func(t *testing.T) func(files.Disk) error {
		path = copyStore(t, original)
		n++
		return func(disk files.Disk) error {
			_, err := RestoreBackup(context.Background(), restoreOptions(path, backup.Path, disk))
			return err
		}
	}, func(t *testing.T, step files.Step, fault, err error) {
		state := isWhole(t, path, n%2 == 0)
		states[state]++
		var e *core.Error
		switch {
		case err == nil && state == "new": // what was left to do does no harm undone
		case errors.As(err, &e) && e.Code == core.CodeForbidden && state == "old" && step.Action == files.Open && errors.Is(err, fault):
		case !errors.As(err, &e) || core.Describe(e.Code).Category != core.CategoryStore || !errors.Is(err, fault):
			t.Errorf("after %v the error is %v, %v", step, err, errors.Unwrap(err))
		case state == "unfinished" && e.Code != core.CodeRestoreUnfinished:
			t.Errorf("after %v the error is %s", step, e.Code)
		}
		for _, name := range names(t, filepath.Dir(path)) {
			if files.IsDraft(name) && step.Action != files.Remove {
				t.Errorf("after %v there is %s", step, name)
			}
		}
	})
	if states["old"] == 0 || states["new"] == 0 || states["unfinished"] == 0 {
		t.Errorf("the outcomes were %v", states)
	}
}

// TestRestore_killedAtEachStep kills a restore ahead of each step that changes
// something, and then finishing and undoing what it left ahead of each of theirs.
func TestRestore_killedAtEachStep(t *testing.T) {
	original, backup := restorable(t)
	states := map[string]int{}
	var midst []string // stores in whose midst a restore was killed
	for step := 0; ; step++ {
		path := copyStore(t, original)
		if !actAs(t, "restore", path, backup.Path, strconv.Itoa(step)).killed(t) {
			break
		}
		if RestoreIsUnfinished(path) {
			midst = append(midst, copyStore(t, path), copyStore(t, path))
		}
		states[isWhole(t, path, step%2 == 0)]++
	}
	if states["old"] == 0 || states["new"] == 0 || states["unfinished"] == 0 {
		t.Errorf("the outcomes were %v", states)
	}
	// The first, the middle and the last of them stand for the others.
	for _, left := range [][]string{midst[:2], midst[len(midst)/4*2:][:2], midst[len(midst)-2:]} {
		for i, role := range []string{"finish", "undo"} {
			for step := 0; ; step++ {
				path := copyStore(t, left[i])
				if !actAs(t, role, path, strconv.Itoa(step)).killed(t) {
					break
				}
				isWhole(t, path, step%2 == 0)
			}
		}
	}
}

// TestRestore_overALink exchanges the store where it really lies.
func TestRestore_overALink(t *testing.T) {
	path, backup := restorable(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	o := restoreOptions(link, backup.Path, files.Disk{Before: func(s files.Step) error {
		if s.Action == files.Rename && s.To == path {
			return errors.New("no")
		}
		return nil
	}})
	_, err := RestoreBackup(context.Background(), o)
	failure(t, err, core.CodeRestoreUnfinished, map[string]any{})
	if _, err := os.Stat(path); err == nil || !RestoreIsUnfinished(link) || !RestoreIsUnfinished(path) {
		t.Error("the restore is not in its midst")
	}
	// A store is not made anew in the place of the one that is being restored.
	_, err = Open(context.Background(), Options{Path: link, Create: true})
	failure(t, err, core.CodeRestoreUnfinished, map[string]any{})
	if _, err := FinishRestore(context.Background(), link, files.Disk{}); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(link); err != nil || target != path {
		t.Errorf("the link leads to %s (%v)", target, err)
	}
	holds(t, link, "old")
}

// TestRestore_somethingInTheWay: a file that somebody put in the place of the
// store meanwhile is not lost.
func TestRestore_somethingInTheWay(t *testing.T) {
	path, backup := restorable(t)
	o := restoreOptions(path, backup.Path, files.Disk{Before: func(s files.Step) error {
		if s.Action == files.Rename && s.To == path {
			return errors.New("no")
		}
		return nil
	}})
	_, err := RestoreBackup(context.Background(), o)
	failure(t, err, core.CodeRestoreUnfinished, map[string]any{})
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, takeUp := range []func(context.Context, string, files.Disk) (Restored, error){FinishRestore, UndoRestore} {
		_, err := takeUp(context.Background(), path, files.Disk{})
		failed(t, err, StepDeliver)
		if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
			t.Errorf("the file holds %q (%v)", text, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := UndoRestore(context.Background(), path, files.Disk{}); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new", "old")
}

// TestLocks_haveTheRightsOfTheStore: whoever may use the store may use them.
func TestLocks_haveTheRightsOfTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "x")
	for _, suffix := range []string{"-use", "-turn", "-gate"} {
		if err := os.Remove(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, 0o660); err != nil {
		t.Fatal(err)
	}
	storeOf(t, path, "y")
	for _, suffix := range []string{"-use", "-turn", "-gate"} {
		if info, err := os.Stat(path + suffix); err != nil || info.Mode().Perm() != 0o660 {
			t.Errorf("%s has the rights %v (%v)", suffix, info.Mode().Perm(), err)
		}
	}
}

// TestOpen_danglingLink makes the store where a link says.
func TestOpen_danglingLink(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "real", "lithos.db"), filepath.Join(folder, "link.db")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.Symlink(filepath.Join("real", "lithos.db"), link)); err != nil {
		t.Fatal(err)
	}
	storeOf(t, link, "x")
	holds(t, path, "x")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v (%v)", info.Mode(), err)
	}
}
