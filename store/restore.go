package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// How a restore exchanges the store, so that it can be stopped at any instant.
// All files lie in the store's folder; S is the name of the store.
//
//  1. The new store is written as a draft, forced to the device and compared.
//     Up to here the old one is in use.
//  2. The draft becomes S-restore. From here on the restore is unfinished:
//     whoever opens the store is told so.
//  3. S becomes S-restore-old, and its logs follow it; S-shm is removed.
//  4. The note files that differ are exchanged, see restore_notes.go.
//  5. S-restore becomes S. From here on the new one is in use.
//  6. The old one is removed; the safety backup has its content.
//
// Finishing takes up at 3. Undoing goes back from 4 to 1. Either can itself be
// stopped anywhere and be begun again. Neither puts a file in place that is not
// what it was when the restore began, and neither removes the last that is.
const (
	restoreSuffix = "-restore"      // the new store, whole
	oldSuffix     = "-restore-old"  // the old one, and the beginning of the names of its logs
	recordSuffix  = "-restore.json" // what is restored: a restoreRecord
)

// logSuffixes follow the name of a store in those of the files that hold
// commits which are not in it yet.
var logSuffixes = []string{"-wal", "-journal"}

// endedSuffixes are those of the files that are of no use once a restore has
// ended.
var endedSuffixes = []string{oldSuffix, oldSuffix + "-wal", oldSuffix + "-journal", recordSuffix}

// RestoreOptions say what is restored and where to.
type RestoreOptions struct {
	Path   string // the store; it need not be there
	Backup string // the backup
	// Folder is where the safety backup goes, see BackupOptions.
	Folder string
	// Notes is the folder of the notes, which need not be there. Notes are
	// restored from a backup that holds some; "" leaves them alone.
	Notes    string
	Now      time.Time
	Files    files.Disk
	Progress Progress
	// Confirm is asked once the backup is verified; an error ends the restore
	// with nothing done. Nil: it is confirmed.
	Confirm func(Backup) error
}

// Restored tells of a restore.
type Restored struct {
	Backup       *string `json:"restored"`      // path of what the store was made of; nil when a restore was undone
	SafetyBackup *string `json:"safety_backup"` // path of what it was before; nil when there was no store

	// Files of notes that were put in place, and that were taken away for good.
	NotesPut     int `json:"-"`
	NotesRemoved int `json:"-"`
}

// RestoreBackup replaces a store by a verified backup, after backing up the
// store as it is. Nobody may have the store open: else the error is
// database_busy. Other errors are backup_failed, schema_mismatch,
// restore_unfinished, invalid_input about file, those of opening a store, and
// request_timed_out; nothing is changed by a call that fails, except that one
// that fails in the midst of exchanging files leaves restore_unfinished.
func RestoreBackup(ctx context.Context, o RestoreOptions) (Restored, error) {
	r, err := newRestoring(ctx, o.Path, o.Files)
	if err != nil {
		return Restored{}, err
	}
	r.RestoreOptions = o
	if err := checkRestored(r.store.path, r.store.file); err != nil {
		return Restored{}, err
	}
	if err := r.checkTarget(); err != nil {
		return Restored{}, err
	}
	backup, err := VerifyBackup(ctx, VerifyOptions{Path: o.Backup, Files: o.Files, Progress: o.Progress})
	if err != nil {
		return Restored{}, err
	}
	if backup.Schema != schemaVersion() {
		return Restored{}, (&Store{path: backup.Path}).schemaMismatch(backup.Schema)
	}
	if o.Confirm != nil {
		if err := o.Confirm(backup); err != nil {
			return Restored{}, err
		}
	}
	var done Restored
	err = r.alone(func() error {
		done, err = r.restore(backup)
		return err
	})
	return done, err
}

// FinishRestore brings an interrupted restore to its end. Without one it does
// nothing.
func FinishRestore(ctx context.Context, path string, disk files.Disk) (Restored, error) {
	return takeUp(ctx, path, disk, "finish", func(r *restoring) error {
		if err := r.checkNew(); err != nil {
			return err
		}
		return r.finish()
	})
}

// UndoRestore gives back the store as it was before an interrupted restore.
// Without one it does nothing.
func UndoRestore(ctx context.Context, path string, disk files.Disk) (Restored, error) {
	return takeUp(ctx, path, disk, "undo", func(r *restoring) error {
		r.record.Backup = nil
		if err := r.checkOld(); err != nil {
			return err
		}
		return r.undo()
	})
}

// takeUp goes on with an interrupted restore; how names the way.
func takeUp(ctx context.Context, path string, disk files.Disk, how string, do func(*restoring) error) (Restored, error) {
	r, err := newRestoring(ctx, path, disk)
	if err != nil {
		return Restored{}, err
	}
	err = r.alone(func() error {
		if !interrupted(r.store.file) {
			return core.InvalidInput(core.ReasonInvalidValue, how, fmt.Sprintf("No restore of the store '%s' was interrupted.", r.store.path))
		}
		if err := r.readRecord(); err != nil {
			return err
		}
		return do(r)
	})
	if err != nil {
		return Restored{}, err
	}
	return r.record, nil
}

// restoring is a restore under way.
type restoring struct {
	RestoreOptions
	ctx    context.Context
	since  time.Time
	store  *Store // not open: its names and errors
	record Restored
	plan   restorePlan

	planned bool // the record has told what the restore is about to do
	secured bool // the safety backup is whole and holds the notes too
	// staged is the folder of the note files to come, "" for none; madeNotes
	// says that the folder of the notes was made for it.
	staged    string
	madeNotes bool
}

func newRestoring(ctx context.Context, path string, disk files.Disk) (*restoring, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the absolute path of %q: %w", path, err)
	}
	r := &restoring{ctx: ctx, since: time.Now(), store: &Store{path: absolute}}
	r.Files = disk
	if r.store.file, err = realFile(absolute); err != nil {
		return nil, r.store.translateFile(err)
	}
	return r, nil
}

// checkTarget refuses what a store must not be put in the place of.
func (r *restoring) checkTarget() error {
	info, err := r.Files.Stat(r.store.file)
	if errors.Is(err, fs.ErrNotExist) {
		return r.store.checkLink()
	}
	if err != nil {
		return r.store.translateFile(err)
	}
	if !info.Mode().IsRegular() {
		return r.inTheWay(errors.New("not a regular file"))
	}
	if backup, err := r.Files.Stat(r.Backup); err == nil && os.SameFile(backup, info) {
		return core.InvalidValue("file", r.Backup, "A store cannot be restored from itself.")
	}
	return nil
}

// inTheWay refuses to replace what is no store: nobody has a copy of it.
func (r *restoring) inTheWay(cause error) error {
	return core.NewError(core.CodeStoreUnavailable,
		fmt.Sprintf("'%s' is no lithos store and is not replaced. Give it another name, then repeat.", r.store.path),
		core.Extra{Name: "path", Value: r.store.path}, core.Extra{Name: "reason", Value: ReasonNotADatabase}).Because(cause)
}

// checkFile refuses what a store must not be put in the place of, by what the
// file itself says. It opens the file, so nobody in this process may have it
// open.
func (r *restoring) checkFile(info fs.FileInfo) error {
	head, err := readHead(r.Files, r.store.file)
	if err != nil {
		return r.store.translateFile(err)
	}
	if info.Size() >= smallestPage && head.isDatabase() && !head.isStore() {
		return r.inTheWay(errors.New("a database of another program"))
	}
	switch err := r.Files.CheckWritable(r.store.file); {
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		return r.store.forbidden(err)
	case err != nil:
		return r.store.translateFile(err)
	}
	return nil
}

// briefPatience is how long a restore waits for programs that have the store
// open: those that come and go do so in moments, those that stay do not go.
const briefPatience = 2 * time.Second

// alone runs fn while nobody else has the store open.
func (r *restoring) alone(fn func() error) (err error) {
	ctx, cancel := context.WithTimeout(r.ctx, briefPatience)
	defer cancel()
	hold, err := r.store.holdAlone(r.store.wait(ctx))
	if err != nil {
		return r.inUse(err)
	}
	defer func() { err = errors.Join(err, hold.release()) }()
	return fn()
}

// inUse says what to do about a store that others have open.
func (r *restoring) inUse(err error) error {
	e := core.AsError(err)
	if r.ctx.Err() != nil {
		return stopped(r.ctx, r.since, r.ctx.Err())
	}
	if e.Code != core.CodeDatabaseBusy {
		return err
	}
	return core.NewError(e.Code, fmt.Sprintf("Another program has the store '%s' open; nothing was changed. "+
		"Boards, servers and whatever watches it have to end first.", r.store.path), e.Extras...).Because(err)
}

// restore does what is left once the store is held alone.
func (r *restoring) restore(backup Backup) (Restored, error) {
	r.record.Backup = &backup.Path
	if err := r.Files.MakeFolders(filepath.Dir(r.store.file), 0o700); err != nil {
		return Restored{}, r.store.cannotCreate(err)
	}
	old, err := r.Files.Stat(r.store.file)
	if errors.Is(err, fs.ErrNotExist) {
		old = nil
	} else if err != nil {
		return Restored{}, r.store.translateFile(err)
	}
	if old == nil {
		if err := r.secureLogs(); err != nil {
			return Restored{}, err
		}
	} else {
		if err := r.checkFile(old); err != nil {
			return Restored{}, err
		}
		if err := r.secure(old); err != nil {
			return Restored{}, err
		}
	}
	draft, err := r.copy(backup, old)
	if err == nil {
		err = r.planFor(draft, backup, old)
	}
	if err == nil {
		err = r.begin(draft)
	}
	if err != nil {
		if r.ctx.Err() != nil {
			err = stopped(r.ctx, r.since, r.ctx.Err())
		}
		return Restored{}, errors.Join(err, r.dropStagedNotes(), r.Files.RemoveIfThere(draft))
	}
	if notes := r.plan.Notes; notes != nil {
		r.record.NotesPut = len(notes.New)
		for _, path := range notes.Old {
			if _, replaced := notes.New[path]; !replaced {
				r.record.NotesRemoved++
			}
		}
	}
	if err := r.finish(); err != nil {
		var unfinished *core.Error
		if errors.As(checkRestored(r.store.path, r.store.file), &unfinished) {
			err = unfinished.Because(err)
		}
		return Restored{}, err
	}
	return r.record, nil
}

// secure backs the store up and makes sure that nobody has it open who does
// not know of lithos' own lock. A store that is too damaged for a backup is
// copied as it is.
func (r *restoring) secure(old fs.FileInfo) error {
	safety, err := TakeBackup(r.ctx, BackupOptions{
		Path: r.store.file, Folder: r.Folder, Notes: r.Notes, Now: r.Now, Files: r.Files, Progress: r.Progress, alone: true,
	})
	switch {
	case err == nil:
		r.record.SafetyBackup = &safety.Path
		r.secured = true
		return r.fold()
	case !r.isDamage(err):
		return err
	}
	folder, err := BackupFolder(r.store.file, r.Folder)
	if err != nil {
		return err
	}
	path, err := r.copyDamaged(folder, old)
	r.record.SafetyBackup = &path
	return err
}

// secureLogs copies the logs of a store that is gone: they may hold its last
// commits.
func (r *restoring) secureLogs() error {
	logs, err := strayLogs(r.Files, r.store.file)
	if err != nil || len(logs) == 0 {
		return r.translate(err)
	}
	like, err := r.Files.Lstat(r.store.file + logs[0])
	if err != nil {
		return r.store.translateFile(err)
	}
	folder, err := BackupFolder(r.store.file, r.Folder)
	if err != nil {
		return err
	}
	path, err := r.copyDamaged(folder, like)
	if err != nil {
		return err
	}
	r.record.SafetyBackup = &path
	return nil
}

// isDamage reports whether a backup failed because of what the store holds.
func (r *restoring) isDamage(err error) bool {
	switch e := core.AsError(err); e.Code {
	case core.CodeStoreUnavailable:
		reason := e.Extra("reason")
		return reason == ReasonCorrupt || reason == ReasonNotADatabase || reason == ReasonMissing
	case core.CodeBackupFailed:
		step, _ := e.Extra("step").(string)
		switch BackupStep(step) {
		case StepRead:
			return e.Extra("path") == r.store.file
		case StepSize, StepSchema, StepIntegrity:
			return true
		}
	}
	return false
}

// fold makes sure that nobody else has the file open and lets SQLite fold the
// logs into it.
func (r *restoring) fold() (err error) {
	if err := r.Files.Reach("fold"); err != nil {
		return r.store.translateFile(err)
	}
	ctx, cancel := context.WithTimeout(r.ctx, briefPatience)
	defer cancel()
	if err := r.store.remember(); err != nil {
		return err
	}
	w := r.store.wait(ctx)
	c, err := r.store.connect(w, "mode=rw&_mutex=no&_busy_timeout=0")
	if err != nil {
		return r.inUse(err)
	}
	defer func() { err = errors.Join(err, c.close()) }()
	// In this mode SQLite takes the file for itself at the first access, which
	// is refused while another connection has it open, even one at rest.
	if err := c.script("PRAGMA locking_mode = EXCLUSIVE"); err != nil {
		return err
	}
	err = w.until(func() error {
		if _, err := c.execAnyway("BEGIN EXCLUSIVE"); err != nil {
			return err
		}
		_, err := c.execAnyway("COMMIT")
		return err
	})
	if err != nil {
		return r.inUse(err)
	}
	return nil
}

// copyDamaged copies the files of the store to the folder of backups, as they
// are. It returns the path of the copy of the store, or of that of its log when
// there is nothing else.
func (r *restoring) copyDamaged(folder string, like fs.FileInfo) (string, error) {
	if err := makeBackupFolder(r.Files, folder, like); err != nil {
		return "", err
	}
	stem := strings.TrimSuffix(filepath.Base(r.store.file), ".db") + "-" + r.Now.UTC().Format(backupStamp) + "-damaged"
	for n := 1; n <= mostOfASecond; n++ {
		path := filepath.Join(folder, stem)
		if n > 1 {
			path += fmt.Sprintf("-%d", n)
		}
		path += ".db"
		if taken, err := anyThere(r.Files, path, append([]string{""}, logSuffixes...)); err != nil {
			return "", backupFailed(StepName, folder, "", err)
		} else if taken {
			continue
		}
		last := path
		for _, suffix := range []string{"-wal", "-journal", ""} {
			if found, err := r.isThere(suffix); err != nil {
				return "", err
			} else if !found {
				continue
			}
			if _, err := r.copyFile(r.store.file+suffix, path+suffix, nil); err != nil {
				return "", backupFailed(StepCopy, path+suffix, "", err)
			}
			likeOwner(r.Files, path+suffix, like)
			last = path + suffix
		}
		if err := r.Files.SyncFolder(folder); err != nil {
			return "", backupFailed(StepCopy, path, "", err)
		}
		return last, nil
	}
	return "", backupFailed(StepName, folder, "", nil)
}

// copyFile copies a file to a new one and forces that to the device. It
// returns the SHA-256 of what was copied. With an error there is no copy.
func (r *restoring) copyFile(from, to string, like fs.FileInfo) (sum string, err error) {
	source, err := r.Files.Open(from)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	info, err := source.Stat()
	if err != nil {
		return "", err
	}
	mode := fs.FileMode(0o600)
	if like != nil {
		mode = like.Mode().Perm()
	}
	target, err := r.Files.Create(to, mode)
	if err != nil {
		return "", err
	}
	if like != nil {
		if user, group, known := ownerOf(like); known && (os.Geteuid() == 0 || os.Getegid() != group) {
			// A group that this user is not in cannot be given; the file then is
			// this user's.
			_ = r.Files.Chown(to, user, group)
		}
	}
	h := sha256.New()
	err = pour(r.ctx, io.MultiWriter(target, h), source, info.Size(), phaseCopy, r.Progress)
	if err == nil {
		err = target.Sync()
	}
	if closeErr := target.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", errors.Join(err, r.Files.RemoveIfThere(to))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// copy writes the new store as a draft beside the old one, with its rights.
func (r *restoring) copy(backup Backup, old fs.FileInfo) (draft string, err error) {
	draft = files.DraftName(filepath.Dir(r.store.file))
	sum, err := r.copyFile(backup.Path, draft, old)
	switch {
	case err != nil:
		return draft, backupFailed(StepCopy, draft, "", err)
	case sum != backup.SHA256:
		return draft, backupFailed(StepRead, backup.Path, "it changed while it was read", nil)
	}
	return draft, nil
}

// begin makes the draft the store to come. What an earlier restore that came
// to its end may have left is out of the way first.
func (r *restoring) begin(draft string) error {
	for _, suffix := range endedSuffixes {
		if err := r.Files.RemoveIfThere(r.store.file + suffix); err != nil {
			return r.store.translateFile(err)
		}
	}
	text, err := json.Marshal(restoreRecord{r.record, r.plan})
	if err != nil {
		return fmt.Errorf("encode the record of a restore: %w", err)
	}
	err = r.Files.WriteNew(r.store.file+recordSuffix, append(text, '\n'), 0o600)
	if err == nil {
		err = r.Files.Rename(draft, r.store.file+restoreSuffix)
	}
	if err != nil {
		return errors.Join(r.store.translateFile(err), r.Files.RemoveIfThere(r.store.file+recordSuffix))
	}
	return nil
}

// isThere reports whether there is a file of the store with an ending.
func (r *restoring) isThere(suffix string) (bool, error) {
	_, err := r.Files.Lstat(r.store.file + suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, r.store.translateFile(err)
	}
	return true, nil
}

// move renames a file of the store if it is there. It refuses to replace one:
// that would be somebody else's.
func (r *restoring) move(from, to string) error {
	found, err := r.isThere(from)
	if err != nil || !found {
		return err
	}
	if taken, err := r.isThere(to); err != nil {
		return err
	} else if taken {
		return backupFailed(StepDeliver, r.store.file+to, fmt.Sprintf("it is in the way of '%s'; one of the two has to be put elsewhere", r.store.file+from), nil)
	}
	return r.translate(r.Files.Rename(r.store.file+from, r.store.file+to))
}

func (r *restoring) translate(err error) error {
	if err == nil {
		return nil
	}
	return r.store.translateFile(err)
}

// finish does all from the third step on.
func (r *restoring) finish() error {
	folder := filepath.Dir(r.store.file)
	if err := r.translate(r.Files.SyncFolder(folder)); err != nil {
		return err
	}
	if err := r.move("", oldSuffix); err != nil {
		return err
	}
	for _, log := range logSuffixes {
		if err := r.move(log, oldSuffix+log); err != nil {
			return err
		}
	}
	if err := r.translate(r.Files.RemoveIfThere(r.store.file + "-shm")); err != nil {
		return err
	}
	if err := r.translate(r.Files.SyncFolder(folder)); err != nil {
		return err
	}
	if err := r.exchangeNotes(); err != nil {
		return err
	}
	if err := r.move(restoreSuffix, ""); err != nil {
		return err
	}
	if err := r.translate(r.Files.SyncFolder(folder)); err != nil {
		return err
	}
	r.clean()
	return nil
}

// undo takes back all from the third step on.
func (r *restoring) undo() error {
	folder := filepath.Dir(r.store.file)
	if err := r.giveBackNotes(); err != nil {
		return err
	}
	for _, log := range logSuffixes {
		if err := r.move(oldSuffix+log, log); err != nil {
			return err
		}
	}
	if err := r.move(oldSuffix, ""); err != nil {
		return err
	}
	if err := r.translate(r.Files.SyncFolder(folder)); err != nil {
		return err
	}
	if err := r.translate(r.Files.RemoveIfThere(r.store.file + restoreSuffix)); err != nil {
		return err
	}
	r.clean()
	return nil
}

// clean removes what is of no more use once there is a store again. What stays
// when that fails does no harm and goes at the next restore.
func (r *restoring) clean() {
	r.cleanNotes()
	for _, suffix := range endedSuffixes {
		_ = r.Files.RemoveIfThere(r.store.file + suffix)
	}
	_ = r.Files.SyncFolder(filepath.Dir(r.store.file))
}
