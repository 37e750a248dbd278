package core

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// passShare is which part of the time passes over every file may take: one in
// so many. A small folder is so gone through before every operation; in one so
// large that it takes long, files that an operation does not ask for by name
// may be looked at a little later. The folders themselves, by which new,
// renamed and deleted files show, are looked at each time.
const passShare = 20

// NotePasses remembers when every file of a folder of notes was last looked
// at. The zero value is ready for use.
type NotePasses struct {
	mu     sync.Mutex
	looked time.Time // when the folders were last looked at
	ended  time.Time
	took   time.Duration
	many   bool // more than fewNotes were there once
}

// lookEvery is how often a program looks at the folders for the sake of notes
// it reads one by one, whose own files it looks at each time.
const lookEvery = 2 * time.Second

// fresh reports whether the folders were looked at a moment ago.
func (p *NotePasses) fresh(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	age := now.Sub(p.looked)
	return !p.looked.IsZero() && age >= 0 && age < lookEvery
}

// due reports whether it is time to look at every file again. known is false
// while nobody can tell how long that takes.
func (p *NotePasses) due(now time.Time) (due, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Sub(p.ended) >= passShare*p.took, !p.ended.IsZero()
}

// done notes that the folders were looked at, and with full every file.
func (p *NotePasses) done(began, ended time.Time, full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looked = ended
	if full {
		p.ended, p.took = ended, ended.Sub(began)
	}
}

// areFew reports whether there are few notes. Many are counted only once.
func (p *NotePasses) areFew(tx ReadTx) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.many {
		return false, nil
	}
	_, notes, err := tx.NotePage(NoteFilter{}, 0, 0)
	p.many = notes > fewNotes
	return !p.many, err
}

// passPatience is how long a reading operation waits for its turn to take up
// what was changed by hand. After that it reads the index as it is.
const passPatience = 250 * time.Millisecond

// fewNotes is up to how many notes every file is looked at even for an
// operation on a single one, which looks at its own file anyhow.
const fewNotes = 10_000

// NotePass takes up what was changed by hand in the folder of notes. For
// programs that live long; operations on notes do it by themselves.
func (s *Service) NotePass(ctx context.Context) error { return s.passNotes(ctx, passForAll) }

// passPurpose says what a pass is made for.
type passPurpose int

const (
	passForAll   passPurpose = iota // a read over all notes
	passForOne                      // a read of a single one
	passForWrite                    // a write of a single one
)

// readNotes is read for operations on notes: what was changed by hand is taken
// up first.
func readNotes[In, Out any](ctx context.Context, s *Service, in In, step func(view, In) (Out, error)) (Out, error) {
	return readAfterPass(ctx, s, passForAll, in, step)
}

// readOneNote is readNotes for an operation on a single note, which sees by
// itself whether that was changed.
func readOneNote[In, Out any](ctx context.Context, s *Service, in In, step func(view, In) (Out, error)) (Out, error) {
	return readAfterPass(ctx, s, passForOne, in, step)
}

func readAfterPass[In, Out any](ctx context.Context, s *Service, purpose passPurpose, in In, step func(view, In) (Out, error)) (Out, error) {
	var none, out Out
	if err := prepare(&in); err != nil {
		return none, err
	}
	if s.folder == nil {
		return read(ctx, s, in, step)
	}
	// As a rule nothing was changed, and one transaction does for both.
	var changes FolderChanges
	err := s.store.Read(ctx, func(tx ReadTx) (err error) {
		if changes, err = s.scanFolders(tx, purpose); err == nil && changes.IsEmpty() {
			out, err = step(view{ReadTx: tx, now: StampOf(s.now()), service: s}, in)
		}
		return err
	})
	if err != nil {
		return none, err
	}
	if changes.IsEmpty() {
		return out, nil
	}
	if err := s.takeUpIfWritable(ctx, changes.places()); err != nil {
		return none, err
	}
	return read(ctx, s, in, step)
}

// writeNotes is write for operations on notes: what was changed by hand is
// taken up first. When something fails after a file was written, the file
// stays, and the next pass takes it up.
func writeNotes[In, Out any](ctx context.Context, s *Service, in In, step func(*change, In) (Out, error)) (Out, error) {
	var none, out Out
	if err := prepare(&in); err != nil {
		return none, err
	}
	if s.readOnly {
		return write(ctx, s, in, step) // which refuses
	}
	if err := s.passNotes(ctx, passForWrite); err != nil {
		return none, err
	}
	touched := false
	err := s.mutate(ctx, func(c *change) (err error) {
		defer func() { touched = c.touched }()
		out, err = step(c, in)
		return err
	})
	if err != nil {
		if touched {
			err = unfinishedNote(err)
		}
		return none, err
	}
	return out, nil
}

// unfinishedNote is the answer when a note's file was changed and what had to
// follow failed.
func unfinishedNote(cause error) error {
	e := InternalError(cause, nil)
	e.Message = "The note's file was changed, but what had to follow failed; the next operation on notes takes the file up."
	return e
}

// passNotes compares the folder with the index and takes up what differs.
func (s *Service) passNotes(ctx context.Context, purpose passPurpose) error {
	if s.folder == nil {
		return nil
	}
	var changes FolderChanges
	err := s.store.Read(ctx, func(tx ReadTx) (err error) {
		changes, err = s.scanFolders(tx, purpose)
		return err
	})
	if purpose == passForWrite && isMissingStore(err) && !s.isMissingFolder(err) {
		changes, err = s.folder.Scan(nil, nil, true) // the write makes the store
	}
	if err != nil || changes.IsEmpty() {
		return err
	}
	if purpose == passForWrite {
		return s.takeUp(ctx, changes.places(), func() {})
	}
	return s.takeUpIfWritable(ctx, changes.places())
}

// scanFolders compares the folder with the index.
func (s *Service) scanFolders(tx ReadTx, purpose passPurpose) (FolderChanges, error) {
	began := s.now()
	full, timed := s.passes.due(began)
	if !timed && purpose != passForAll {
		few, err := s.passes.areFew(tx)
		if err != nil {
			return FolderChanges{}, err
		}
		full = few
	}
	known, err := tx.NoteFolders()
	if err != nil {
		return FolderChanges{}, err
	}
	changes, err := s.folder.Scan(known, nil, full)
	if err != nil {
		return changes, err
	}
	s.passes.done(began, s.now(), full)
	return changes, s.guardNotes(tx, known, changes)
}

// takeUpIfWritable takes up what the folders hold, unless the store cannot be
// written, or not soon: then the index lags behind until it can.
func (s *Service) takeUpIfWritable(ctx context.Context, look []string) error {
	if s.readOnly {
		return nil
	}
	impatient, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(passPatience, cancel)
	begun := false
	err := s.takeUp(impatient, look, func() { begun = timer.Stop() })
	timer.Stop()
	if e := asContractError(err); err != nil && ctx.Err() == nil && (!begun || e != nil && e.Code == CodeForbidden) {
		return nil
	}
	return err
}

// notesDrifted reports whether the index differs from the files at the moment.
func (s *Service) notesDrifted(ctx context.Context) (bool, error) {
	if s.folder == nil {
		return false, nil
	}
	var known map[string]FolderState
	err := s.store.Read(ctx, func(tx ReadTx) (err error) {
		known, err = tx.NoteFolders()
		return err
	})
	if err != nil {
		return false, err
	}
	changes, err := s.folder.Scan(known, nil, true)
	drifted := slices.ContainsFunc(changes.Changed, func(l FolderListing) bool { return l.State.Marks != known[l.Path].Marks }) ||
		slices.ContainsFunc(changes.Gone, func(path string) bool { return known[path].Marks != 0 })
	return drifted, err
}

// isMissingFolder reports whether an error is that of lostFolder.
func (s *Service) isMissingFolder(err error) bool {
	return isMissingStore(err) && asContractError(err).Extra("path") == s.folder.Place()
}

// isMissingStore reports whether an error means that there is no store yet.
func isMissingStore(err error) bool {
	e := asContractError(err)
	return e != nil && e.Code == CodeStoreUnavailable && e.Extra("reason") == "missing"
}

// asContractError is the error of the contract in err, nil when there is none.
func asContractError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// places are the folders that the changes concern.
func (c FolderChanges) places() []string {
	places := slices.Clone(c.Gone)
	for _, listing := range c.Changed {
		places = append(places, listing.Path)
	}
	return places
}
