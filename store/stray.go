package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// A log beside a store that is not there, or is empty, is of one that is gone.
// The engine would take it for the log of the store that is made in its place
// and mix the two. It may hold the last commits of the old one, so it is kept
// under a name of its own.

// strayInfix stands in the names of such logs, followed by the time and the
// ending they had: so the engine would find one again beside a copy of its
// store that has the name before the ending.
const strayInfix = "-lost-"

// strayLogs are the endings of the logs with anything in them that lie beside
// a file.
func strayLogs(disk files.Disk, file string) (suffixes []string, err error) {
	for _, suffix := range logSuffixes {
		info, err := disk.Lstat(file + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case info.Size() > 0 || !info.Mode().IsRegular():
			suffixes = append(suffixes, suffix)
		}
	}
	return suffixes, nil
}

// clear sets aside what lies beside the place of a store to be made and is of
// another. The caller is alone at the gate, so that nobody makes the store
// meanwhile and the logs are not of that one.
func (s *Store) clear() error {
	disk := s.options.Files
	info, err := disk.Stat(s.file)
	switch {
	case err == nil && info.Size() > 0:
		return nil // somebody has made it
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return s.translateFile(err)
	}
	logs, err := strayLogs(disk, s.file)
	if err != nil {
		return s.translateFile(err)
	}
	if len(logs) == 0 {
		return nil
	}
	if s.turnstile.without {
		return s.strayLog(s.file+logs[0], errors.New("there are no locks here"))
	}
	stem, err := s.strayName(logs)
	if err != nil {
		return s.translateFile(err)
	}
	for _, suffix := range logs {
		if err := disk.Rename(s.file+suffix, stem+suffix); err != nil {
			return s.strayLog(s.file+suffix, err)
		}
		s.setAside = append(s.setAside, stem+suffix)
	}
	if err := disk.SyncFolder(filepath.Dir(s.file)); err != nil {
		return s.translateFile(err)
	}
	return nil
}

// strayName is what the new names of logs begin with, so that all are free.
func (s *Store) strayName(logs []string) (string, error) {
	stem := s.file + strayInfix + time.Now().UTC().Format(backupStamp)
	for n := 1; ; n++ {
		name := stem
		if n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		if taken, err := anyThere(s.options.Files, name, logs); err != nil || !taken {
			return name, err
		}
	}
}

// anyThere reports whether one of the names with these endings is taken.
func anyThere(disk files.Disk, name string, suffixes []string) (bool, error) {
	for _, suffix := range suffixes {
		switch _, err := disk.Lstat(name + suffix); {
		case err == nil:
			return true, nil
		case !errors.Is(err, fs.ErrNotExist):
			return false, err
		}
	}
	return false, nil
}

// strayLog refuses to make a store beside a log that cannot be set aside.
func (s *Store) strayLog(log string, cause error) error {
	reason, known := ReasonOf(cause)
	if !known {
		reason = ReasonCorrupt
	}
	return core.NewError(core.CodeStoreUnavailable,
		fmt.Sprintf("'%s' is the log of a store that is gone and would be mixed with a new one; it cannot be set aside. Put it elsewhere, then repeat.", log),
		core.Extra{Name: "path", Value: s.path}, core.Extra{Name: "reason", Value: reason}).Because(cause)
}

// clearGate is clear at the gate. leave opens the gate again.
func (s *Store) clearGate(ctx context.Context) (leave func(), err error) {
	if leave, err = s.turnstile.enter(s.wait(ctx)); err != nil {
		return nil, err
	}
	if err := s.clear(); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// SetAside are the paths of the logs of a store that was gone, which Open has
// given names of their own because it made a new one in its place.
func (s *Store) SetAside() []string { return s.setAside }

// checkLink refuses to make the folder that a link leads into: what it is on
// may merely not be mounted, and the store made in its place would be hidden
// once it is.
func (s *Store) checkLink() error {
	link, folder := s.path, filepath.Dir(deadEnd(s.path))
	if deadEnd(link) == "" {
		link = filepath.Dir(s.path)
		folder = deadEnd(link)
	}
	if folder == "" {
		return nil
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		return nil //nolint:nilerr // what else is wrong shows when it is used
	}
	return core.NewError(core.CodeStoreUnavailable,
		fmt.Sprintf("There is no store: '%s' is a link into the folder '%s', which is not there. "+
			"Make that folder again, or remove the link; nothing was changed.", link, folder),
		core.Extra{Name: "path", Value: s.path}, core.Extra{Name: "reason", Value: ReasonMissing})
}
