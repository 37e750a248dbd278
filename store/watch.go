package store

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"dev.lithos/core"
)

// watcher is a connection of its own that never writes: SQLite's counter does
// not move for the commits of the connection it is read on.
type watcher struct{ *conn }

// Watch implements [core.Store].
func (s *Store) Watch(ctx context.Context) (core.ChangeCounter, error) {
	if s.isClosed() {
		return nil, errClosed
	}
	c, err := s.openReader(s.wait(ctx))
	if err != nil {
		return nil, err
	}
	// The counter outlives the call that asked for it.
	c.ctx = context.Background()
	return watcher{c}, nil
}

// Value implements [core.ChangeCounter].
func (w watcher) Value() (int64, error) {
	if err := w.store.checkIdentity(); err != nil {
		return 0, err
	}
	if w.fixed {
		return w.store.lastChange()
	}
	return w.number("PRAGMA data_version")
}

// lastChange is when the file or its log was last written, for a connection
// that does not notice.
func (s *Store) lastChange() (sum int64, err error) {
	for _, name := range []string{s.file, s.file + "-wal"} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, s.translateFile(err)
		}
		sum += info.ModTime().UnixNano() + info.Size()
	}
	return sum, nil
}

// Close implements [core.ChangeCounter].
func (w watcher) Close() error { return w.close() }
