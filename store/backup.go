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

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// Backup is a copy of a store, and of the files of its notes, that was proved
// to be whole.
type Backup struct {
	Path    string           `json:"path"` // absolute
	Size    int64            `json:"size"` // bytes
	Schema  int64            `json:"schema"`
	TakenAt core.Stamp       `json:"taken_at"`
	SHA256  string           `json:"sha256"` // of the file, in hexadecimal digits
	Rows    map[string]int64 `json:"rows"`   // of each table; note_files are the files of the notes
}

// manifest is what stands in the file beside a backup. It does not hold the
// path, so that both can be moved together.
type manifest struct {
	Size    int64            `json:"size"`
	Schema  int64            `json:"schema"`
	TakenAt core.Stamp       `json:"taken_at"`
	SHA256  string           `json:"sha256"`
	Rows    map[string]int64 `json:"rows"`
}

// manifestSuffix follows the name of a backup in that of its manifest.
const manifestSuffix = ".json"

// longestManifest is the most bytes a manifest can have.
const longestManifest = 1 << 20

// Progress is told how far long work has come: what is done at the moment, and
// how much of how much is done, 0 of 0 where that cannot be told.
type Progress func(phase string, done, total int64)

func (p Progress) tell(phase string, done, total int64) {
	if p != nil {
		p(phase, done, total)
	}
}

// The phases of work on backups.
const (
	phaseCopy  = "copying"
	phaseCheck = "checking"
	phaseHash  = "comparing"
	phaseNotes = "notes"
)

// BackupStep names what failed in backup_failed.
type BackupStep string

// The steps.
const (
	StepDirectory BackupStep = "directory" // make or read the folder
	StepName      BackupStep = "name"      // find a free name
	StepRead      BackupStep = "read"      // read the store, or the backup
	StepCopy      BackupStep = "copy"      // write the copy
	StepDeliver   BackupStep = "deliver"   // give the copy its name and its manifest
	StepSize      BackupStep = "size"      // the size is not that of a whole copy
	StepSchema    BackupStep = "schema"    // it is no store, or not of the schema said
	StepIntegrity BackupStep = "integrity" // the content is not what it should be
)

var backupMessages = map[BackupStep]string{
	StepDirectory: "The folder of backups '%s' cannot be used",
	StepName:      "No name for a backup could be found in '%s'",
	StepRead:      "'%s' cannot be read",
	StepCopy:      "The copy '%s' could not be written",
	StepDeliver:   "The backup '%s' could not be put in its place",
	StepSize:      "'%s' is not as long as the backup it should be",
	StepSchema:    "'%s' is no backup of a store, or not of the schema it should be",
	StepIntegrity: "'%s' is damaged",
}

// backupFailed makes a backup_failed error. detail says more about the step;
// the cause is named in the words of the system where it is the system's.
func backupFailed(step BackupStep, path, detail string, cause error) *core.Error {
	message := fmt.Sprintf(backupMessages[step], path)
	var errno syscall.Errno
	switch {
	case detail != "":
		message += ": " + detail
	case errors.As(cause, &errno):
		message += ": " + errno.Error()
	}
	return core.NewError(core.CodeBackupFailed, message+".",
		core.Extra{Name: "step", Value: string(step)}, core.Extra{Name: "path", Value: path}).Because(cause)
}

// BackupOptions say what TakeBackup copies and where to.
type BackupOptions struct {
	// Path is the store. It may be of any schema of lithos.
	Path string
	// Folder is where the backup goes; it is made if it is missing. A path
	// that is not absolute counts from the store's folder.
	Folder string
	// Notes is the folder of the notes, whose files are backed up with the
	// store; "" leaves them out. It need not be there.
	Notes    string
	Now      time.Time
	Files    files.Disk
	Progress Progress

	alone bool // the caller holds the store, so nobody exchanges it
}

// BackupFolder is the folder of the backups of a store: a configured folder,
// which counts from where the store's file really lies.
func BackupFolder(path, configured string) (string, error) {
	if filepath.IsAbs(configured) {
		return filepath.Clean(configured), nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the absolute path of %q: %w", path, err)
	}
	return filepath.Join(filepath.Dir(RealPath(path)), configured), nil
}

// TakeBackup copies a store while others go on writing to it: the copy is the
// state of one moment, and the notes in it are of the moment after. It is made
// as a draft for the owner alone, proved by reading it back, and then gets its
// manifest and its name. After an error nothing of it is left. Errors are backup_failed, those of opening a
// store, database_busy and request_timed_out.
//
// The copy is made page by page, not by VACUUM INTO: that tells no progress,
// hears no cancelling and may renumber rows.
func TakeBackup(ctx context.Context, o BackupOptions) (Backup, error) {
	s, err := Open(ctx, Options{Path: o.Path, ReadOnly: true, held: o.alone})
	if err != nil {
		return Backup{}, err
	}
	s.anySchema = true
	t := &taking{BackupOptions: o, ctx: ctx, since: time.Now(), store: s}
	backup, err := t.take()
	if err := errors.Join(err, s.Close()); err != nil {
		return Backup{}, err
	}
	return backup, nil
}

// taking is a backup under way.
type taking struct {
	BackupOptions
	ctx   context.Context
	since time.Time
	store *Store

	draft  string
	schema int64
	pages  int64
	page   int64 // bytes of each
	rows   map[string]int64
}

// ended is err, or what the end of the context is called.
func (t *taking) ended(err error) error {
	if t.ctx.Err() != nil {
		return stopped(t.ctx, t.since, t.ctx.Err())
	}
	return err
}

func (t *taking) take() (backup Backup, err error) {
	folder, err := BackupFolder(t.store.path, t.Folder)
	if err != nil {
		return Backup{}, err
	}
	if name := t.stem() + "-1000.db"; len(filepath.Join(folder, name)) > longestPath {
		return Backup{}, backupFailed(StepName, folder, fmt.Sprintf("the path of a backup in it would be longer than %d bytes", longestPath), nil)
	}
	source, err := t.store.openReader(t.store.wait(t.ctx))
	if err != nil {
		return Backup{}, err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	if err := t.begin(source); err != nil {
		return Backup{}, err
	}
	if err := makeBackupFolder(t.Files, folder, t.store.identity); err != nil {
		return Backup{}, err
	}
	sweepDrafts(t.Files, folder)
	t.draft = files.DraftName(folder)
	copyErr := t.copy(source)
	if copyErr == nil {
		// Others need not keep the log for the copy any longer.
		copyErr = source.rollback()
	}
	if copyErr != nil {
		return Backup{}, errors.Join(t.ended(copyErr), t.Files.RemoveIfThere(t.draft))
	}
	if backup, err = t.prove(); err == nil {
		err = t.ctx.Err()
	}
	if err == nil {
		backup.Path, err = t.deliver(folder, backup)
	}
	if err != nil {
		return Backup{}, errors.Join(t.ended(err), t.Files.RemoveIfThere(t.draft))
	}
	return backup, nil
}

// begin takes the snapshot that is copied and notes what it holds.
func (t *taking) begin(source *conn) error {
	w := t.store.wait(t.ctx)
	source.ctx, source.since = w.ctx, w.since
	err := w.until(func() error {
		if _, err := source.execAnyway("BEGIN"); err != nil {
			return err
		}
		_, err := source.number("SELECT count(*) FROM sqlite_schema")
		return errors.Join(err, ifFailed(err, source.rollback))
	})
	if err != nil {
		return err
	}
	for sql, into := range map[string]*int64{"PRAGMA user_version": &t.schema, "PRAGMA page_count": &t.pages, "PRAGMA page_size": &t.page} {
		if *into, err = source.number(sql); err != nil {
			return err
		}
	}
	if t.rows, err = source.countRows(); err != nil {
		return t.unread(err)
	}
	return nil
}

func ifFailed(err error, do func() error) error {
	if err == nil {
		return nil
	}
	return do()
}

// unread is the error for content of the store that cannot be read.
func (t *taking) unread(err error) error {
	if e := core.AsError(err); e.Code == core.CodeStoreUnavailable && e.Extra("reason") == ReasonCorrupt {
		return backupFailed(StepRead, t.store.path, "the store is damaged", err)
	}
	return err
}

// pagesAtOnce is how many pages are copied between two looks at whether to go
// on.
const pagesAtOnce = 256

// copy writes the snapshot that source reads to the draft, and that to the
// device.
func (t *taking) copy(source *conn) (err error) {
	file, err := t.Files.Create(t.draft, 0o600)
	if err != nil {
		return backupFailed(StepCopy, t.draft, "", err)
	}
	likeOwner(t.Files, t.draft, t.store.identity)
	// The file stays open until SQLite has closed it: closing would give up
	// the locks it has on it.
	defer func() {
		if closeErr := file.Close(); err == nil && closeErr != nil {
			err = backupFailed(StepCopy, t.draft, "", closeErr)
		}
	}()
	if err := t.copyInto(source); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return backupFailed(StepCopy, t.draft, "", err)
	}
	return nil
}

// makeBackupFolder makes a folder for backups, if it is missing, for the owner
// of the store.
func makeBackupFolder(disk files.Disk, folder string, store fs.FileInfo) error {
	_, err := disk.Stat(folder)
	missing := errors.Is(err, fs.ErrNotExist)
	if err == nil || missing {
		err = disk.MakeFolders(folder, 0o700)
	}
	if err != nil {
		return backupFailed(StepDirectory, folder, "", err)
	}
	if missing {
		likeOwner(disk, folder, store)
	}
	return nil
}

// likeOwner gives what the superuser makes to the owner of the store, as far
// as it goes: it is for those who use the store.
func likeOwner(disk files.Disk, path string, store fs.FileInfo) {
	if user, group, known := ownerOf(store); known && os.Geteuid() == 0 {
		_ = disk.Chown(path, user, group)
	}
}

func (t *taking) copyInto(source *conn) (err error) {
	failed := func(cause error) error {
		var e sqlite3.Error
		var named *core.Error
		switch {
		case errors.As(cause, &named) && named.Code == core.CodeBackupFailed:
			return cause // of a note
		case isCode(cause, sqlite3.ErrCorrupt, sqlite3.ErrNotADB):
			return backupFailed(StepRead, t.store.path, "the store is damaged", cause)
		case errors.As(cause, &e) && e.Code == sqlite3.ErrFull:
			return backupFailed(StepCopy, t.draft, syscall.ENOSPC.Error(), cause)
		}
		return backupFailed(StepCopy, t.draft, "", cause)
	}
	opened, err := (&sqlite3.SQLiteDriver{}).Open((&Store{file: t.draft}).uri("mode=rw&_mutex=no"))
	if err != nil {
		return failed(err)
	}
	target := opened.(*sqlite3.SQLiteConn)
	defer func() {
		if closeErr := target.Close(); err == nil && closeErr != nil {
			err = failed(closeErr)
		}
	}()
	// Nobody sees the draft before it is whole and on the device.
	if _, err := target.Exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil); err != nil {
		return failed(err)
	}
	if err := t.copyPages(target, source); err != nil {
		return failed(err)
	}
	if err := t.addNotes(target); err != nil {
		return failed(err)
	}
	return nil
}

// copyPages copies the snapshot that source reads, page by page.
func (t *taking) copyPages(target *sqlite3.SQLiteConn, source *conn) (err error) {
	b, err := target.Backup("main", source.db, "main")
	if err != nil {
		return err
	}
	defer func() {
		if finishErr := b.Finish(); err == nil {
			err = finishErr
		}
	}()
	w := t.store.wait(t.ctx)
	for left := -1; ; {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if err := t.Files.Reach("copy pages"); err != nil {
			return err
		}
		done := false
		err := w.until(func() (err error) {
			done, err = b.Step(pagesAtOnce)
			if err == nil && !done && b.Remaining() == left {
				err = errHeld // the driver does not tell of locks
			}
			left = b.Remaining()
			return err
		})
		if err != nil {
			return err
		}
		t.Progress.tell(phaseCopy, int64(b.PageCount()-left), int64(b.PageCount()))
		if done {
			return nil
		}
	}
}

// backupStamp is the form of the time in the name of a backup, in UTC.
const backupStamp = "20060102T150405Z"

// stem is what the name of the backup begins with.
func (t *taking) stem() string {
	return strings.TrimSuffix(filepath.Base(t.store.file), ".db") + "-" + t.Now.UTC().Format(backupStamp)
}

// longestPath is the longest path that SQLite opens, in bytes, with room for
// the schema in a name.
const longestPath = 500

// mostOfASecond is how many backups of one store can be taken in one second.
const mostOfASecond = 1000

// deliver gives the draft, which is proved, the first name that is free. The
// manifest gets its name first: whatever has a backup's name is whole.
func (t *taking) deliver(folder string, b Backup) (path string, err error) {
	text, err := json.MarshalIndent(manifest{b.Size, b.Schema, b.TakenAt, b.SHA256, b.Rows}, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the manifest of a backup: %w", err)
	}
	stem := t.stem() + fmt.Sprintf("-s%d", t.schema)
	for n := 1; n <= mostOfASecond; n++ {
		path := filepath.Join(folder, stem)
		if n > 1 {
			path += fmt.Sprintf("-%d", n)
		}
		path += ".db"
		taken, err := anyThere(t.Files, path, []string{"", manifestSuffix})
		switch {
		case err != nil:
			return "", backupFailed(StepName, folder, "", err)
		case taken:
			continue
		}
		switch err := t.deliverAs(path, append(text, '\n')); {
		case err == nil:
			return path, nil
		case !errors.Is(err, fs.ErrExist):
			return "", backupFailed(StepDeliver, path, "", err)
		}
	}
	return "", backupFailed(StepName, folder, fmt.Sprintf("%d backups were taken in this second", mostOfASecond), nil)
}

// deliverAs gives the draft a name, after the manifest. With an error neither
// has it.
func (t *taking) deliverAs(path string, text []byte) error {
	if err := t.Files.WriteNew(path+manifestSuffix, text, 0o600); err != nil {
		return err
	}
	likeOwner(t.Files, path+manifestSuffix, t.store.identity)
	if err := t.Files.Deliver(t.draft, path); err != nil {
		return errors.Join(err, t.Files.RemoveIfThere(path+manifestSuffix))
	}
	return nil
}

// prove reads the copy back.
func (t *taking) prove() (Backup, error) {
	p := &proof{ctx: t.ctx, path: t.draft, files: t.Files, progress: t.Progress, since: t.since}
	backup, err := p.examine(&manifest{Size: t.pages * t.page, Schema: t.schema, Rows: t.rows})
	backup.TakenAt = core.StampOf(t.Now)
	return backup, err
}

// draftPatience is the age at which what a killed program has left is given
// up; one at work writes to its draft all the time.
const draftPatience = time.Hour

// sweepDrafts removes the drafts that killed programs have left in a folder,
// as far as it goes.
func sweepDrafts(disk files.Disk, folder string) {
	entries, err := disk.List(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if info, err := entry.Info(); files.IsDraft(entry.Name()) && err == nil && time.Since(info.ModTime()) > draftPatience {
			_ = disk.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// hash is the SHA-256 of a file. No connection may have it open.
func hashFile(ctx context.Context, disk files.Disk, path string, size int64, progress Progress) (sum string, err error) {
	file, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	h := sha256.New()
	if err := pour(ctx, h, file, size, phaseHash, progress); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// pour copies a stream of a known length and tells how far it is.
func pour(ctx context.Context, to io.Writer, from io.Reader, size int64, phase string, progress Progress) error {
	buffer := make([]byte, 1<<20)
	for done := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := from.Read(buffer)
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return err
			}
			done += int64(n)
			progress.tell(phase, done, size)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
