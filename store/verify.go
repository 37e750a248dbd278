package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// VerifyOptions say which backup is verified.
type VerifyOptions struct {
	Path     string
	Files    files.Disk
	Progress Progress
}

// VerifyBackup proves a backup as far as that can be done: by its own content
// and, where it has a manifest, by that. It may be of any schema. The error is
// backup_failed, or request_timed_out.
func VerifyBackup(ctx context.Context, o VerifyOptions) (Backup, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return Backup{}, fmt.Errorf("find the absolute path of %q: %w", o.Path, err)
	}
	path, want, err := manifestOf(o.Files, path)
	if err != nil {
		return Backup{}, err
	}
	p := &proof{ctx: ctx, path: path, files: o.Files, progress: o.Progress, since: time.Now(), alone: want == nil}
	backup, err := p.examine(want)
	if err != nil && ctx.Err() != nil {
		return Backup{}, stopped(ctx, p.since, ctx.Err())
	}
	return backup, err
}

// manifestOf reads the manifest of a backup; nil when there is none. A link to a
// backup stands for it and its manifest: file is then where it leads.
func manifestOf(disk files.Disk, path string) (file string, m *manifest, err error) {
	m, err = readManifest(disk, path)
	if err != nil || m != nil {
		return path, m, err
	}
	if info, err := disk.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, nil, nil //nolint:nilerr // what is not there shows when it is read
	}
	target, err := realFile(path)
	if err != nil {
		return path, nil, nil //nolint:nilerr // nor where it leads
	}
	m, err = readManifest(disk, target)
	return target, m, err
}

// readManifest reads the manifest beside a backup; nil when there is none.
func readManifest(disk files.Disk, path string) (*manifest, error) {
	path += manifestSuffix
	text, err := disk.ReadAtMost(path, longestManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, backupFailed(StepRead, path, plainCause(err), err)
	}
	var m manifest
	err = json.Unmarshal(text, &m)
	if err == nil && (m.Size <= 0 || m.Schema <= 0 || m.SHA256 == "" || m.Rows == nil) {
		err = errManifestLacks
	}
	if err != nil {
		return nil, backupFailed(StepRead, path, "the manifest of the backup cannot be understood", err)
	}
	return &m, nil
}

// plainCause is the reason why a file cannot be read, in the words of the
// system.
func plainCause(err error) string {
	var errno syscall.Errno
	switch {
	case errors.Is(err, syscall.EISDIR):
		return "it is a folder"
	case errors.As(err, &errno):
		return errno.Error()
	}
	return "it is no plain file, or far too long"
}

// proof is the examination of one file.
type proof struct {
	ctx      context.Context
	path     string
	files    files.Disk
	progress Progress
	since    time.Time
	alone    bool // there is no manifest: what it holds must speak for itself
}

func (p *proof) failed(step BackupStep, detail string, cause error) error {
	return backupFailed(step, p.path, detail, cause)
}

// examine proves the file, against what it should be where that is known; a
// manifest without a sum is not compared by it.
func (p *proof) examine(want *manifest) (Backup, error) {
	b := Backup{Path: p.path}
	info, err := p.files.Stat(p.path)
	switch {
	case err != nil:
		return b, p.failed(StepRead, "", err)
	case !info.Mode().IsRegular():
		return b, p.failed(StepRead, "it is no file", nil)
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		switch log, err := p.files.Stat(p.path + suffix); {
		case err == nil && log.Size() > 0:
			return b, p.failed(StepRead, "a log lies beside it, so it is a store in use and no backup", nil)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return b, p.failed(StepRead, "", err)
		}
	}
	b.Size, b.TakenAt = info.Size(), takenAt(p.path, info)
	if want != nil && want.TakenAt != 0 {
		b.TakenAt = want.TakenAt
	}
	head, err := readHead(p.files, p.path)
	if err != nil {
		return b, p.failed(StepRead, "", err)
	}
	switch {
	case want != nil && b.Size != want.Size:
		return b, p.failed(StepSize, fmt.Sprintf("it has %d bytes instead of %d", b.Size, want.Size), nil)
	case b.Size < smallestPage:
		return b, p.failed(StepSize, fmt.Sprintf("it has only %d bytes", b.Size), nil)
	case !head.isDatabase():
		return b, p.failed(StepSchema, "it is no database", nil)
	case head.size() != b.Size:
		return b, p.failed(StepSize, fmt.Sprintf("it has %d bytes instead of %d", b.Size, head.size()), nil)
	}
	b.Schema = head.schema()
	switch {
	case !head.isStore():
		return b, p.failed(StepSchema, "it is a database of another program", nil)
	case want != nil && b.Schema != want.Schema:
		return b, p.failed(StepSchema, fmt.Sprintf("its schema is %d instead of %d", b.Schema, want.Schema), nil)
	}
	if b.Rows, err = p.readThrough(info); err != nil {
		return b, err
	}
	if want != nil && !maps.Equal(b.Rows, want.Rows) {
		return b, p.failed(StepIntegrity, "it does not hold the rows it should", nil)
	}
	if b.SHA256, err = hashFile(p.ctx, p.files, p.path, b.Size, p.progress); err != nil {
		return b, p.failed(StepRead, "", err)
	}
	if want != nil && want.SHA256 != "" && b.SHA256 != want.SHA256 {
		return b, p.failed(StepIntegrity, "its bytes are not those that were backed up", nil)
	}
	return b, nil
}

// readThrough lets SQLite check the whole file and counts what is in it.
// Nothing is made beside the file.
func (p *proof) readThrough(info fs.FileInfo) (rows map[string]int64, err error) {
	if err := p.files.Reach("check"); err != nil {
		return nil, p.failed(StepRead, "", err)
	}
	p.progress.tell(phaseCheck, 0, 0)
	failed := func(cause error) error {
		e := core.AsError(cause)
		if isCode(cause, sqlite3.ErrCorrupt, sqlite3.ErrNotADB) || e.Extra("reason") == ReasonCorrupt || e.Extra("reason") == ReasonNotADatabase {
			return p.failed(StepIntegrity, "its structure is broken", cause)
		}
		return p.failed(StepRead, "", cause)
	}
	s := &Store{path: p.path, file: p.path, identity: info}
	c, err := s.connect(s.wait(p.ctx), "mode=ro&immutable=1&_mutex=no&_query_only=1&_busy_timeout=0")
	if err != nil {
		return nil, failed(err)
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.script("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; " + temporaryInMemory); err != nil {
		return nil, failed(err)
	}
	faults := 0
	err = c.each("PRAGMA integrity_check", func(r *row) error {
		if r.text(0) != "ok" {
			faults++
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, failed(err)
	case faults > 0:
		return nil, p.failed(StepIntegrity, fmt.Sprintf("the check found %d faults in it", faults), nil)
	}
	if p.alone {
		switch fault, err := (&tx{conn: c}).misfits(); {
		case err != nil:
			return nil, failed(err)
		case fault != "":
			return nil, p.failed(StepIntegrity, strings.TrimSuffix(fault, "."), nil)
		}
	}
	if rows, err = c.countRows(); err != nil {
		return nil, failed(err)
	}
	if _, holds := rows[noteFilesTable]; holds {
		var named *core.Error
		switch err := p.checkNotes(c); {
		case errors.As(err, &named) && named.Code == core.CodeBackupFailed:
			return nil, err
		case err != nil:
			return nil, failed(err)
		}
	}
	return rows, nil
}

// misfits says what does not fit together in a store of a schema that is known;
// "" when all does. Whoever made the file may have kept none of the rules.
func (t *tx) misfits() (fault string, err error) {
	version, err := t.number("PRAGMA user_version")
	if err != nil || version < 1 || version > schemaVersion() {
		return "", err
	}
	for _, look := range []func(*tx, *ExamineOptions) (fault, seen string, err error){(*tx).lookStructure, (*tx).lookForeignKeys, (*tx).lookNotedRings} {
		if fault, _, err = look(t, nil); err != nil || fault != "" {
			return fault, err
		}
	}
	return "", nil
}

// head is the beginning of a database file.
type head []byte

// headLength is the length of the header of a database, in bytes.
const headLength = 100

func readHead(disk files.Disk, path string) (h head, err error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	h = make(head, headLength)
	n, err := io.ReadFull(file, h)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	clear(h[n:])
	return h, err
}

func (h head) isDatabase() bool { return bytes.HasPrefix(h, []byte("SQLite format 3\x00")) }

// size is how long the file has to be.
func (h head) size() int64 {
	page := int64(binary.BigEndian.Uint16(h[16:]))
	if page == 1 {
		page = 1 << 16
	}
	return page * int64(binary.BigEndian.Uint32(h[28:]))
}

func (h head) schema() int64 { return int64(int32(binary.BigEndian.Uint32(h[60:]))) }

// isStore reports whether it is a store of lithos, of whatever schema.
func (h head) isStore() bool {
	return h.isDatabase() && binary.BigEndian.Uint32(h[68:]) == applicationID && h.schema() > 0
}

// keepsLog reports whether changes go to a write-ahead log.
func (h head) keepsLog() bool { return h.isDatabase() && h[18] == 2 && h[19] == 2 }

var stampInName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-(\d{8}T\d{6}Z)-s\d+(?:-\d+)?\.db$`)
})

// takenAt is when a backup without a manifest was taken, as far as its name
// or, if that says nothing, the file tells.
func takenAt(path string, info fs.FileInfo) core.Stamp {
	if found := stampInName().FindStringSubmatch(path); found != nil {
		if t, err := time.Parse(backupStamp, found[1]); err == nil {
			return core.StampOf(t)
		}
	}
	return core.StampOf(info.ModTime())
}

// BackupProblem is a file in a folder of backups that is none, or a spoilt
// one.
type BackupProblem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // a sentence for people
}

// ListBackups returns the backups in a folder, newest first, and what else
// lies there, by name. It looks at lengths and headers only; [VerifyBackup]
// reads on. A missing folder holds none. The error is backup_failed.
func ListBackups(disk files.Disk, folder string) (backups []Backup, problems []BackupProblem, err error) {
	entries, err := disk.List(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, backupFailed(StepDirectory, folder, "", err)
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if files.IsDraft(entry.Name()) {
			continue
		}
		if of, ok := strings.CutSuffix(path, manifestSuffix); ok && strings.HasSuffix(of, ".db") {
			if _, err := os.Lstat(of); err == nil {
				continue // told with its backup
			}
			problems = append(problems, BackupProblem{path, "The backup of this manifest is missing."})
			continue
		}
		if entry.IsDir() && strings.HasSuffix(path, savedNotesSuffix) {
			continue // the notes as they were before a restore
		}
		backup, fault := lookAt(disk, path)
		if fault != "" {
			problems = append(problems, BackupProblem{path, fault})
			continue
		}
		backups = append(backups, backup)
	}
	slices.SortStableFunc(backups, func(a, b Backup) int {
		// Of one moment, -10 is newer than -9, and that than the one without.
		return cmp.Or(cmp.Compare(b.TakenAt, a.TakenAt), cmp.Compare(len(b.Path), len(a.Path)), strings.Compare(b.Path, a.Path))
	})
	return backups, problems, nil
}

// lookAt reads what a listing tells of a backup, or what is wrong with it.
func lookAt(disk files.Disk, path string) (b Backup, fault string) {
	info, err := disk.Stat(path)
	switch {
	case err != nil:
		return b, "It cannot be read."
	case !info.Mode().IsRegular():
		return b, "It is no backup."
	}
	head, err := readHead(disk, path)
	switch {
	case err != nil:
		return b, "It cannot be read."
	case !head.isStore():
		return b, "It is no backup."
	}
	_, m, err := manifestOf(disk, path)
	switch {
	case err != nil:
		return b, manifestFault(err)
	case m == nil:
		return b, "It has no manifest; verifying it tells whether it is whole."
	case m.Size != info.Size():
		return b, fmt.Sprintf("It has %d bytes instead of %d.", info.Size(), m.Size)
	case m.Schema != head.schema():
		return b, "Its schema is not the one in its manifest."
	}
	return Backup{Path: path, Size: m.Size, Schema: m.Schema, TakenAt: m.TakenAt, SHA256: m.SHA256, Rows: m.Rows}, ""
}

// manifestFault says why a manifest cannot be used.
func manifestFault(err error) string {
	cause := errors.Unwrap(err)
	if cause == nil || errors.As(cause, new(*json.SyntaxError)) || errors.As(cause, new(*json.UnmarshalTypeError)) || errors.Is(cause, errManifestLacks) {
		return "Its manifest cannot be understood."
	}
	return "Its manifest cannot be read: " + plainCause(cause) + "."
}

// errManifestLacks is the fault of a manifest without what it should hold.
var errManifestLacks = errors.New("the manifest lacks something")
