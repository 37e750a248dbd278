package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
	"dev.lithos/store/pauses"
)

// tx is an open transaction; it serves as [core.ReadTx] and, on the writing
// connection, as [core.WriteTx].
type tx struct {
	*conn
	nextKey core.TaskKey // of the next new task; 0 until it is known
}

var _ core.WriteTx = (*tx)(nil)

// wait is the time a transaction spends until it has what it needs.
type wait struct {
	ctx   context.Context
	store *Store
	since time.Time
}

func (s *Store) wait(ctx context.Context) *wait {
	return &wait{ctx: ctx, store: s, since: time.Now()}
}

// over is the error of a wait that ended before it was served.
func (w *wait) over() error {
	cause := w.ctx.Err()
	if errors.Is(cause, context.DeadlineExceeded) {
		return w.store.busy(w.since, cause)
	}
	return stopped(w.ctx, w.since, cause)
}

// token takes one from a channel.
func (w *wait) token(from <-chan struct{}) error {
	if err := w.ctx.Err(); err != nil {
		return stopped(w.ctx, w.since, err) // nobody was waited for
	}
	select {
	case <-from:
		return nil
	case <-w.ctx.Done():
		return w.over()
	}
}

// until repeats try as long as somebody else holds what it needs. The pauses
// are drawn at random, so that those who wait do not meet again.
func (w *wait) until(try func() error) error {
	for {
		err := try()
		if err == nil || !isBusy(err) {
			return err
		}
		select {
		case <-time.After(time.Duration(1+rand.IntN(20)) * time.Millisecond):
		case <-w.ctx.Done():
			return w.over()
		}
	}
}

// Read implements [core.Store].
func (s *Store) Read(ctx context.Context, fn func(core.ReadTx) error) error {
	if s.isClosed() {
		return errClosed
	}
	w := s.wait(ctx)
	if err := w.token(s.reading); err != nil {
		return err
	}
	defer func() { s.reading <- struct{}{} }()
	if err := s.checkIdentity(); err != nil {
		return err
	}
	c, err := s.reader(w)
	if err != nil {
		return err
	}
	keep := false
	defer func() { s.rest(c, keep) }()
	if err := c.begin(w, "BEGIN"); err != nil {
		return err
	}
	if err := fn(&tx{conn: c}); err != nil {
		keep = c.rollback() == nil && !spoils(err)
		return err
	}
	_, err = c.execAnyway("COMMIT")
	keep = err == nil
	if c.db.AutoCommit() {
		return nil // what was read is read; the error is that of damage met, and told, before
	}
	return err
}

// Write implements [core.Store].
func (s *Store) Write(ctx context.Context, fn func(core.WriteTx) error) (err error) {
	if s.options.ReadOnly {
		return s.forbidden(nil)
	}
	if s.isClosed() {
		return errClosed
	}
	w := s.wait(ctx)
	if err := w.token(s.writing); err != nil {
		return err
	}
	defer func() { s.writing <- struct{}{} }()
	if err := s.checkIdentity(); err != nil {
		return err
	}
	c, err := s.openWriter(w)
	if err != nil {
		return err
	}
	leave, err := s.turnstile.enter(w)
	if err != nil {
		return err
	}
	defer leave()
	committed := false
	if core.IsUnsynced(ctx) && c.logs && s.options.Synchronous == Full {
		if err := c.script("PRAGMA synchronous = " + string(Normal)); err != nil {
			return err
		}
		defer func() {
			if s.writer != c {
				return // it was given up
			}
			if syncErr := c.script("PRAGMA synchronous = " + string(Full)); syncErr != nil {
				s.writer = nil
				err = cmp.Or(err, syncErr, c.close())
			}
		}()
	}
	defer func() {
		if committed {
			return
		}
		if c.rollback() != nil || spoils(err) {
			// A connection in an unknown state is of no more use.
			s.writer = nil
			if closeErr := c.close(); closeErr != nil && err == nil {
				err = closeErr
			}
		}
	}()
	if err := c.begin(w, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := fn(&tx{conn: c}); err != nil {
		return err
	}
	if _, err := c.execAnyway("COMMIT"); err != nil {
		return err
	}
	committed = true
	return nil
}

func (s *Store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// begin opens a transaction and takes its snapshot. The version of the schema
// is read first: another program may have migrated the store.
func (c *conn) begin(w *wait, statement string) error {
	c.ctx, c.since = w.ctx, w.since
	return w.until(func() error {
		_, err := c.execAnyway(statement)
		if err != nil {
			return err
		}
		version, err := c.number("PRAGMA user_version")
		if err == nil && version != schemaVersion() && !c.store.anySchema {
			err = c.store.schemaMismatch(version)
		}
		if err != nil {
			if rollbackErr := c.rollback(); rollbackErr != nil {
				return rollbackErr
			}
		} else if !c.fixed {
			c.store.beside.remember(c.store.file)
		}
		return err
	})
}

// reader returns a connection that can only read.
func (s *Store) reader(w *wait) (*conn, error) {
	s.mu.Lock()
	if n := len(s.readers); n > 0 {
		c := s.readers[n-1]
		s.readers = s.readers[:n-1]
		s.mu.Unlock()
		return c, nil
	}
	s.mu.Unlock()
	return s.openReader(w)
}

// rest puts a reading connection back, or closes it.
func (s *Store) rest(c *conn, keep bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if keep && !s.closed && !c.fixed {
		c.ctx = nil
		s.readers = append(s.readers, c)
		return
	}
	// The connection has served; the error that spoilt it was reported.
	_ = c.close()
}

// openReader makes a connection that can only read. In a folder where nothing
// can be written SQLite cannot share a log; a file without one is then read
// as unchangeable.
func (s *Store) openReader(w *wait) (*conn, error) {
	c, err := s.connectReader(w, "")
	if isRefused(err) {
		if s.logIsEmpty() {
			if c, err = s.connectReader(w, "&immutable=1"); err == nil {
				c.fixed = true
			}
		} else {
			err = s.unavailable(ReasonPermission, err)
		}
	}
	return c, err
}

func (s *Store) connectReader(w *wait, parameters string) (*conn, error) {
	c, err := s.connect(w, "mode=ro&_busy_timeout=0&_mutex=no&_query_only=1"+parameters)
	if err != nil {
		return nil, err
	}
	err = w.until(func() error {
		state, version, err := c.inspect()
		if err != nil {
			return err
		}
		return s.checkSchema(state, version)
	})
	if err == nil {
		err = c.script(temporaryInMemory)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// temporaryInMemory keeps what is sorted on the way out of files: where the
// store can be read there need not be a folder that can be written.
const temporaryInMemory = "PRAGMA temp_store = MEMORY"

// isRefused reports whether an error means that rights are lacking.
func isRefused(err error) bool {
	var e *core.Error
	return errors.As(err, &e) && (e.Code == core.CodeForbidden || e.Extra("reason") == ReasonPermission)
}

// logIsEmpty reports whether no commit waits in a log beside the file.
func (s *Store) logIsEmpty() bool {
	info, err := os.Stat(s.file + "-wal")
	return err != nil && os.IsNotExist(err) || err == nil && info.Size() == 0
}

// journalSizeLimit is what is left of the log file after its content has been
// folded in, in bytes.
const journalSizeLimit = 16 << 20

func (s *Store) writerParameters() string {
	return "mode=rw&_busy_timeout=0&_mutex=no&_foreign_keys=1&_synchronous=" + string(s.options.Synchronous)
}

// openWriter returns the connection that writes, making it at first use. An
// empty file becomes a store if the options say so.
func (s *Store) openWriter(w *wait) (*conn, error) {
	if s.writer != nil {
		return s.writer, nil
	}
	c, err := s.connect(w, s.writerParameters())
	if err != nil {
		return nil, s.writeRefused(w, err)
	}
	err = w.until(func() error {
		state, version, err := c.inspect()
		if err != nil {
			return err
		}
		if state != schemaEmpty || !s.options.Create {
			return s.checkSchema(state, version)
		}
		return nil
	})
	if err == nil {
		err = w.until(c.useLog)
	}
	if err == nil {
		err = c.script(fmt.Sprintf("%s; PRAGMA journal_size_limit = %d", temporaryInMemory, journalSizeLimit))
	}
	if err == nil && s.options.Create {
		err = w.until(c.initialize)
	}
	if err != nil {
		return nil, errors.Join(s.writeRefused(w, err), c.close())
	}
	s.writer = c
	return c, nil
}

// writeRefused turns missing rights into forbidden where the store can at
// least be read. SQLite is asked, for a file that it has open must not be
// opened besides: closing it would give up the locks of the whole process.
func (s *Store) writeRefused(w *wait, err error) error {
	var e *core.Error
	if !errors.As(err, &e) || e.Extra("reason") != ReasonPermission {
		return err
	}
	c, readErr := s.openReader(w)
	if readErr != nil {
		return err
	}
	return errors.Join(s.forbidden(err), c.close())
}

// useLog makes the file keep a write-ahead log. A copy made by SQLite does
// not. Where the file system cannot share memory SQLite stays with what it
// has, which works as well, if not as fast.
func (c *conn) useLog() error {
	var mode string
	_, err := c.one("PRAGMA journal_mode", func(r *row) { mode = r.text(0) })
	if err == nil && mode != "wal" {
		_, err = c.one("PRAGMA journal_mode = WAL", func(r *row) { mode = r.text(0) })
	}
	c.logs = mode == "wal"
	return err
}

// initialize gives an empty file its schema. Of several programs that come
// at once the first does it.
func (c *conn) initialize() error {
	state, _, err := c.inspect()
	if err != nil || state != schemaEmpty {
		return err
	}
	if _, err := c.execAnyway("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	state, _, err = c.inspect()
	if err == nil && state == schemaEmpty {
		err = c.migrate(0)
	}
	if err == nil {
		_, err = c.execAnyway("COMMIT")
	}
	if err != nil {
		return errors.Join(err, c.rollback())
	}
	return nil
}

// connect makes a connection with the parameters given. The driver reads the
// schema at once, so it can meet somebody's lock here already.
func (s *Store) connect(w *wait, parameters string) (*conn, error) {
	pauses.Shorten()
	if !s.beside.isTheirs(s.file) {
		return nil, s.logRemoved() // a new connection would mix the two logs
	}
	c := &conn{store: s, idle: map[string]*statement{}, ctx: w.ctx, since: w.since}
	err := w.until(func() error {
		db, err := (&sqlite3.SQLiteDriver{}).Open(s.uri(parameters))
		if err != nil {
			return c.fail(err)
		}
		c.db = db.(*sqlite3.SQLiteConn)
		s.beside.opened()
		return nil
	})
	if err != nil {
		return nil, err
	}
	// The path may have led elsewhere while the connection was made.
	if err := s.checkIdentity(); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}
