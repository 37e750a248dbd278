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
	"sync"
	"time"

	"dev.lithos/core"
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
}

// Store is a task graph in a file. It is safe for concurrent use. Within the
// function of a transaction no other transaction of the same kind may be
// asked of the same Store: it would wait for itself.
type Store struct {
	path    string // as the user knows it, made absolute
	file    string // with symbolic links resolved
	options Options
	created bool

	identity fs.FileInfo // of the file that the connections have open

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
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && options.Create && !options.ReadOnly:
		if err := s.create(); err != nil {
			return nil, err
		}
		s.created = true
	case err != nil:
		return nil, s.translateFile(err)
	case !info.Mode().IsRegular():
		return nil, s.unavailable(ReasonNotADatabase, errors.New("not a regular file"))
	}
	// All names beside the file follow from where it really lies, so that
	// programs that reach it over different links agree on them.
	if s.file, err = filepath.EvalSymlinks(path); err != nil {
		return nil, s.translateFile(err)
	}
	if err := s.remember(); err != nil {
		return nil, err
	}
	s.turnstile = newTurnstile(s.file)
	if s.created {
		if err := s.Write(ctx, func(core.WriteTx) error { return nil }); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// create makes the folder and an empty file for the schema, for the owner
// alone. Where several programs do it at once they all find one file.
func (s *Store) create() error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return s.translateFile(err)
	}
	// Not a file that is there: somebody may have it open already, and
	// closing it here would give up the locks that SQLite holds on it.
	file, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return s.translateFile(err)
	}
	return file.Close()
}

// Path is the absolute path of the file as it was given.
func (s *Store) Path() string { return s.path }

// Created reports whether Open made the file.
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
// connections have open: what is written there would be lost.
func (s *Store) checkIdentity() error {
	info, err := os.Stat(s.path)
	if err != nil {
		return s.translateFile(err)
	}
	if !os.SameFile(info, s.identity) {
		return s.unavailable(ReasonReplaced, nil)
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
