package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// Synchronous says how far a commit goes before it is reported.
type Synchronous string

// The settings of storage.synchronous.
const (
	// Full: a commit that was reported survives a power failure.
	Full Synchronous = "FULL"
	// Normal: it survives the death of the program; after a power failure the
	// last commits may be missing, the rest is whole.
	Normal Synchronous = "NORMAL"
)

// Options say which store to open and how.
type Options struct {
	// Path is the file. It may be a symbolic link.
	Path string
	// ReadOnly refuses every write with forbidden.
	ReadOnly bool
	// Create makes folder, file and schema where they are missing.
	Create bool
	// Synchronous is Full when empty.
	Synchronous Synchronous
	// LongLived is for programs that keep the store open for long: those who
	// come and go meanwhile leave their log behind, since they are never the
	// last, so Close folds it into the file even if this program only read.
	LongLived bool
	// Files is how the store is made; the zero value is the file system.
	Files files.Disk

	draft bool // a store under construction, which nobody else knows
	held  bool // the caller holds the store alone
}

// Store is a task graph in a file. It is safe for concurrent use. Within the
// function of a transaction no other transaction of the same kind may be
// asked of the same Store: it would wait for itself.
type Store struct {
	path     string // as the user knows it, made absolute
	file     string // with symbolic links resolved
	options  Options
	created  bool
	setAside []string // logs of a store that was gone

	anySchema bool // transactions begin whatever the schema is: to examine and to migrate

	use      use         // keeps others from exchanging the file
	identity fs.FileInfo // of the file that the connections have open
	beside   beside      // what else they have open

	writing   chan struct{} // holds a token while nobody writes
	writer    *conn
	turnstile *turnstile
	reading   chan struct{} // as many tokens as readers may still be in use
	mu        sync.Mutex    // guards what follows
	readers   []*conn       // at rest
	closed    bool
}

var errClosed = errors.New("the store was closed")

var _ core.Store = (*Store)(nil)

// Open opens a store. It looks at the file but makes no connection, except to
// create the store; whether the file can be read shows at the first use.
// Errors are store_unavailable, schema_mismatch and, when creating,
// database_busy.
func Open(ctx context.Context, options Options) (*Store, error) {
	path, err := filepath.Abs(options.Path)
	if err != nil {
		return nil, fmt.Errorf("find the absolute path of %q: %w", options.Path, err)
	}
	switch options.Synchronous {
	case "":
		options.Synchronous = Full
	case Full, Normal:
	default:
		return nil, fmt.Errorf("unknown setting %q of synchronous", options.Synchronous)
	}
	s := &Store{path: path, file: path, options: options, writing: make(chan struct{}, 1)}
	s.writing <- struct{}{}
	s.reading = make(chan struct{}, 2*runtime.NumCPU())
	for range cap(s.reading) {
		s.reading <- struct{}{}
	}
	// All names beside the file follow from where it really lies, so that
	// programs that reach it over different links agree on them.
	if s.file, err = realFile(path); err != nil {
		return nil, s.translateFile(err)
	}
	if !options.draft && !options.held {
		if s.use, err = s.holdUse(s.wait(ctx)); err != nil {
			return nil, err
		}
	}
	s.turnstile = newTurnstile(s.file)
	s.turnstile.without = options.draft // there is nobody to queue with
	err = s.find(ctx)
	if err == nil && !options.draft && !options.held {
		err = s.checkBeside(s.wait(ctx))
	}
	if err != nil {
		return nil, errors.Join(err, s.turnstile.close(), s.use.release())
	}
	s.enlist()
	return s, nil
}

// find looks for the file, making it if need be, and remembers which it is.
func (s *Store) find(ctx context.Context) error {
	if !s.options.draft && !s.options.held {
		if err := checkRestored(s.path, s.file); err != nil {
			return err
		}
	}
	creates := s.options.Create && !s.options.ReadOnly
	info, err := os.Stat(s.file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && creates:
		if s.created, err = s.create(ctx); err != nil {
			return err
		}
		if s.use.lock == nil && !s.options.draft && !s.options.held { // the folder was missing
			if s.use, err = s.holdUse(s.wait(ctx)); err != nil {
				return err
			}
		}
	case err != nil:
		return s.translateFile(err)
	case !info.Mode().IsRegular():
		return s.unavailable(ReasonNotADatabase, errors.New("not a regular file"))
	case info.Size() == 0 && creates && !s.options.draft:
		s.created = true // the first write makes a store of it
		leave, err := s.clearGate(ctx)
		if err != nil {
			return err
		}
		leave()
	}
	return s.remember()
}

// create makes the store, for the owner alone, and reports whether it was this
// program that made it. The store is made whole under another name and then
// given its own, so that nobody, whatever is killed when, ever finds a part of
// one; of several programs that do it at once one succeeds, and all find that
// store.
func (s *Store) create(ctx context.Context) (made bool, err error) {
	disk := s.options.Files
	if err := s.checkLink(); err != nil {
		return false, err
	}
	if err := disk.MakeFolders(filepath.Dir(s.file), 0o700); err != nil {
		return false, s.cannotCreate(err)
	}
	s.sweepDrafts()
	draft := s.file + draftInfix + uuid.NewString()[:8]
	file, err := disk.Create(draft, 0o600)
	if err != nil {
		return false, s.cannotCreate(err)
	}
	defer func() {
		for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
			err = errors.Join(err, disk.RemoveIfThere(draft+suffix))
		}
	}()
	if err := file.Close(); err != nil {
		return false, s.cannotCreate(err)
	}
	if err := s.fill(ctx, draft); err != nil {
		return false, err
	}
	leave, err := s.clearGate(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	err = disk.Deliver(draft, s.file)
	switch {
	case errors.Is(err, fs.ErrExist):
		return false, nil
	case err != nil:
		return false, s.cannotCreate(err)
	}
	return true, nil
}

// draftInfix stands in the names of stores under construction.
const draftInfix = "-new-"

// draftAge is the age at which a store under construction is given up: making
// one takes milliseconds.
const draftAge = time.Minute

// sweepDrafts removes what programs that were killed while they made this
// store have left. It is done as far as it goes.
func (s *Store) sweepDrafts() {
	disk := s.options.Files
	entries, err := disk.List(filepath.Dir(s.file))
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && strings.HasPrefix(entry.Name(), filepath.Base(s.file)+draftInfix) && time.Since(info.ModTime()) > draftAge {
			_ = disk.Remove(filepath.Join(filepath.Dir(s.file), entry.Name()))
		}
	}
}

// fill makes a whole store of an empty file that nobody else knows.
func (s *Store) fill(ctx context.Context, draft string) error {
	options := s.options
	options.Path, options.LongLived, options.draft = draft, false, true
	fresh, err := Open(ctx, options)
	if err != nil {
		return s.about(err)
	}
	err = fresh.Write(ctx, func(core.WriteTx) error { return nil })
	if err == nil {
		// Closing folds the log in as well, but does not say when it cannot;
		// the file is given its name without the log.
		err = fresh.writer.script("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return s.about(errors.Join(err, fresh.Close()))
}

// about names this store's path in an error about its draft.
func (s *Store) about(err error) error {
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.CodeStoreUnavailable {
		return err
	}
	reason, _ := e.Extra("reason").(string)
	return s.unavailable(reason, err)
}

// cannotCreate translates an error met on the way to a new store, for which
// nothing is missing.
func (s *Store) cannotCreate(err error) error {
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return s.unavailable(ReasonIO, err)
	}
	return s.translateFile(err)
}

// Path is the absolute path of the file as it was given.
func (s *Store) Path() string { return s.path }

// Created reports whether Open made the store, or found an empty file that the
// first write makes one of.
func (s *Store) Created() bool { return s.created }

// remember notes which file the path leads to.
func (s *Store) remember() error {
	info, err := os.Stat(s.path)
	if err != nil {
		return s.translateFile(err)
	}
	s.identity = info
	return nil
}

// checkIdentity refuses to go on when the path leads to another file than the
// connections have open, or another log lies beside it: what is written there
// would be lost.
func (s *Store) checkIdentity() error {
	info, err := os.Stat(s.path)
	if err != nil {
		return s.translateFile(err)
	}
	if !os.SameFile(info, s.identity) {
		return s.unavailable(ReasonReplaced, nil)
	}
	if !s.beside.isTheirs(s.file) {
		return s.logRemoved()
	}
	return nil
}

// Close closes all connections. It must not be called while transactions are
// under way. The last one to close a store that was written to folds the log
// into the file, so that the next start need not read it.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for _, c := range s.readers {
		errs = append(errs, c.close())
	}
	s.readers = nil
	if s.writer == nil && s.options.LongLived && !s.options.ReadOnly && !s.logIsEmpty() {
		s.foldLog()
	}
	if s.writer != nil {
		errs = append(errs, s.writer.close())
		s.writer = nil
	}
	if s.turnstile != nil {
		errs = append(errs, s.turnstile.close())
	}
	s.delist()
	s.removeOwn()
	errs = append(errs, s.use.release())
	return errors.Join(errs...)
}

// foldLog makes the writing connection only to close it, which folds the log
// into the file unless somebody else still has it open. It is done as far as
// it goes: the log is whole without it.
func (s *Store) foldLog() {
	ctx, cancel := context.WithTimeout(context.Background(), foldPatience)
	defer cancel()
	if c, err := s.connect(s.wait(ctx), s.writerParameters()); err == nil {
		s.writer = c
	}
}

// foldPatience is how long Close waits for the chance to fold the log.
const foldPatience = 100 * time.Millisecond

// uri is the name of the file with parameters for SQLite and the driver.
func (s *Store) uri(parameters string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(s.file), RawQuery: parameters}
	return u.String()
}
