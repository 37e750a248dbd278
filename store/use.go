package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"dev.lithos/core"
)

// Everybody who has a store open holds the lock of the file beside it with
// this ending, shared with the others; who exchanges the store holds it alone.
// SQLite's own locks cannot serve: they belong to the file that is exchanged.
const useSuffix = "-use"

// use is a hold on a store: while it lasts nobody exchanges the file, or, when
// it is held alone, nobody else has the store open.
type use struct{ lock *os.File }

// holdUse takes a hold shared with others. While somebody exchanges the store
// it waits until the context ends. Where the lock cannot be had (a folder
// where nothing can be made, a file system without locks) there is no hold.
func (s *Store) holdUse(w *wait) (use, error) {
	// Beside what is no store nothing is made.
	info, err := os.Stat(s.file)
	create := err == nil && info.Mode().IsRegular() || errors.Is(err, fs.ErrNotExist) && s.options.Create
	return s.hold(w, tryShareLock, create && !s.options.ReadOnly)
}

// holdAlone takes the hold that nobody else may have. It waits for others
// until the context ends.
func (s *Store) holdAlone(w *wait) (use, error) { return s.hold(w, tryLockFile, true) }

func (s *Store) hold(w *wait, try func(*os.File) (bool, error), create bool) (use, error) {
	return s.holdFile(w, useSuffix, try, create)
}

// holdFile takes a hold on the file beside the store with an ending.
func (s *Store) holdFile(w *wait, suffix string, try func(*os.File) (bool, error), create bool) (use, error) {
	lock, err := openLock(s.file, suffix, create)
	if err != nil {
		return use{}, nil //nolint:nilerr // see above
	}
	err = w.until(func() error {
		got, err := try(lock)
		if err == nil && !got {
			err = errHeld
		}
		return err
	})
	switch {
	case err == nil:
		return use{lock}, nil
	case errors.As(err, new(*core.Error)): // the wait has ended
		return use{}, errors.Join(err, lock.Close())
	}
	return use{}, lock.Close()
}

// errHeld says that somebody else holds a lock.
var errHeld = errors.New("somebody else holds the lock")

// release ends a hold.
func (u use) release() error {
	if u.lock == nil {
		return nil
	}
	return u.lock.Close()
}

// openLock opens the lock file of a store with an ending, for reading where
// it may only be read, which suffices on most systems. One that it makes gets
// the rights of the store, and its owner where that can be: whoever may use
// the store may use its locks.
func openLock(store, suffix string, create bool) (*os.File, error) {
	name := store + suffix
	file, err := openLockFile(name)
	if errors.Is(err, fs.ErrNotExist) && create {
		file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			likeStore(store, file)
			return file, nil
		}
		if errors.Is(err, fs.ErrExist) {
			file, err = openLockFile(name)
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		file, err = os.Open(name)
	}
	return file, err
}

// likeStore gives a lock file the rights and the owner of the store, as far as
// it goes.
func likeStore(store string, file *os.File) {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(store); err == nil {
		mode = info.Mode().Perm()
		if user, group, known := ownerOf(info); known && os.Geteuid() == 0 {
			_ = file.Chown(user, group)
		}
	}
	_ = file.Chmod(mode)
}

// RealPath is where the file of a store at a path really lies, over links in all
// parts of the path. Everything beside a store belongs there, so that there is
// one of each whichever way leads to it. It is the path itself where that
// cannot be told: whoever opens it is told why.
func RealPath(path string) string {
	file, err := realFile(path)
	if err != nil {
		return path
	}
	return file
}

// realFile follows symbolic links to where a file lies or would lie: the last
// name need not be there.
func realFile(path string) (string, error) {
	const longestChain = 40
	for range longestChain {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return real, nil
		}
		if !errors.As(err, new(syscall.Errno)) {
			break // links that lead nowhere have an error without a number
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		target, err := os.Readlink(path)
		if err != nil {
			folder, err := filepath.EvalSymlinks(filepath.Dir(path))
			if errors.Is(err, fs.ErrNotExist) {
				return path, nil // the folder is missing too
			}
			return filepath.Join(folder, filepath.Base(path)), err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", &fs.PathError{Op: "follow links", Path: path, Err: syscall.ELOOP}
}
