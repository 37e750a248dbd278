package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"dev.lithos/core"
)

// session is what the operations of one call share: where the store is, the
// configuration, and the store itself, which is opened when something first
// reads or writes.
type session struct {
	env    *Env
	place  location
	config config
	log    *slog.Logger
	notice func(string) // tells people what was done by the way

	readOnly  bool
	longLived bool                  // the store stays open for long
	timeout   time.Duration         // bound on one transaction; 0: none
	creates   bool                  // a write makes the store when it is not there
	missing   func(location) error  // the error of a read where there is no store
	gone      func(lostStore) error // the error where there was one
	beginsNew bool                  // a store is made even where there was one

	tellsCreated bool // the result tells that the store was made

	passes core.NotePasses

	mu    sync.Mutex
	store Store
}

// service offers the operations on the session's store.
func (s *session) service() *core.Service {
	return core.New(core.Config{
		Store: lazyStore{s}, Folder: s.env.OpenFolder(s.knowledge), Passes: &s.passes,
		Now: s.env.Now, ReadOnly: s.readOnly, Settings: s.config.settings(),
	})
}

// knowledge is the folder of the notes.
func (s *session) knowledge() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return from(s.place.dataFolder(), s.config.text("storage.knowledge_dir"))
}

// settle decides anew where the store is and what the configuration says,
// unless the store is open.
func (s *session) settle(at location, c config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil {
		s.place, s.config = at, c
	}
}

// open returns the store, opening it at the first use. A failure is not
// remembered: a server may succeed later.
func (s *session) open(ctx context.Context, create bool) (Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		return s.store, nil
	}
	if !s.place.exists() {
		if err := s.absent(create); err != nil {
			return nil, err
		}
	}
	started := time.Now()
	store, err := s.env.OpenStore(ctx, StoreOptions{
		Path: s.place.path, Create: create, ReadOnly: s.readOnly, Synchronous: s.config.text("storage.synchronous"), LongLived: s.longLived,
	})
	if err != nil {
		return nil, err
	}
	s.log.Debug("opened the store", "path", s.place.path, "rule", string(s.place.rule), "took", time.Since(started))
	if store.Created() && !s.tellsCreated {
		s.notice(fmt.Sprintf("Created the store %s.", s.place.path))
	}
	for _, log := range store.SetAside() {
		s.notice(fmt.Sprintf("A log of a store that was gone lay there; it is kept as %s.", log))
	}
	s.store = store
	return store, nil
}

// absent is the error where there is no store: for all where there was one, of
// which backups are left; elsewhere for those who do not create one.
func (s *session) absent(create bool) error {
	if !s.beginsNew {
		if lost, is := s.lostStore(); is {
			return s.gone(lost)
		}
	}
	if create {
		return nil
	}
	return s.missing(s.place)
}

// Close closes the store if it was opened; a later use opens it again.
func (s *session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil {
		return nil
	}
	store := s.store
	s.store = nil
	return store.Close()
}

// shutStore is the error of a store whose folder may not be looked into.
func shutStore(at location) error {
	return core.NewError(core.CodeStoreUnavailable,
		fmt.Sprintf("The folder '%s' of the store may not be looked into: its rights, or those of a folder above it, forbid it.", filepath.Dir(at.path)),
		core.Extra{Name: "path", Value: at.path}, core.Extra{Name: "reason", Value: "permission"})
}

// lazyStore is the session's store as core sees it: opened when used, each
// transaction bounded by the time limit.
type lazyStore struct{ session *session }

// Read implements [core.Store].
func (l lazyStore) Read(ctx context.Context, fn func(core.ReadTx) error) error {
	return l.run(ctx, false, func(ctx context.Context, store Store) error { return store.Read(ctx, fn) })
}

// Write implements [core.Store].
func (l lazyStore) Write(ctx context.Context, fn func(core.WriteTx) error) error {
	return l.run(ctx, l.session.creates, func(ctx context.Context, store Store) error { return store.Write(ctx, fn) })
}

func (l lazyStore) run(ctx context.Context, create bool, fn func(context.Context, Store) error) error {
	s := l.session
	if s.timeout > 0 {
		bounded, cancel := core.WithTimeLimit(ctx, s.timeout)
		defer cancel()
		ctx = bounded
	}
	store, err := s.open(ctx, create)
	if err == nil {
		err = fn(ctx, store)
	}
	return l.timed(err)
}

// timed names a time limit that was met where the store has not done so.
func (l lazyStore) timed(err error) error {
	var named *core.Error
	if err == nil || errors.As(err, &named) || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	limit := l.session.timeout
	return core.NewError(core.CodeRequestTimedOut,
		fmt.Sprintf("The operation did not end within %s; nothing was changed.", limit),
		core.Extra{Name: "limit_ms", Value: limit.Milliseconds()}).Because(err)
}

// Watch implements [core.Store].
func (l lazyStore) Watch(ctx context.Context) (core.ChangeCounter, error) {
	store, err := l.session.open(ctx, l.session.creates)
	if err != nil {
		return nil, err
	}
	return store.Watch(ctx)
}
