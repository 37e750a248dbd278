package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Names of the places a store lies in.
const (
	storeFolder = ".lithos"
	storeFile   = "lithos.db"

	backupsFolder = "backups" // beside the store, unless another is configured
)

// rule says how a store was found.
type rule string

// The rules, in the order they apply.
const (
	ruleDB       rule = "db"
	ruleDataDir  rule = "data_dir"
	ruleNearest  rule = "nearest"
	ruleWorktree rule = "main_worktree"
	ruleDataHome rule = "data_home"
)

// location is the store of a call and why it is that one.
type location struct {
	path   string
	rule   rule
	origin origin // which flag or variable named it, for db and data_dir
}

// explanation says why the store is that one.
func (l location) explanation() string {
	switch l.rule {
	case ruleDB, ruleDataDir:
		return "named by " + string(l.origin)
	case ruleNearest:
		return "the nearest " + storeFolder + "/" + storeFile + " upwards from the working directory"
	case ruleWorktree:
		return "the store of the main worktree, of which this is a linked one"
	}
	return "no project store upwards from the working directory; this one serves all other folders"
}

// exists reports whether there is a file with anything in it. What cannot be looked at counts as
// there, so that opening it tells what is wrong.
func (l location) exists() bool {
	info, err := os.Stat(l.path)
	if err != nil {
		return isStore(l.path)
	}
	return info.Size() > 0 || !info.Mode().IsRegular()
}

// target is the path for people, with where it leads when it is a link.
func (l location) target() string {
	if target := linkTarget(l.path); target != "" {
		return l.path + " → " + target
	}
	return l.path
}

// dataFolder is the folder that holds .lithos/ when the store lies in one, else
// the store's own folder: where it really lies, so that a store has one folder
// of notes whichever links lead to it.
func (l location) dataFolder() string { return around(realPath(l.path)) }

// projectFolder is the same of the path as it was found: where people work.
func (l location) projectFolder() string { return around(l.path) }

// around is the folder that holds the .lithos/ of a store, else the store's own.
func around(path string) string {
	folder := filepath.Dir(path)
	if filepath.Base(folder) == storeFolder {
		return filepath.Dir(folder)
	}
	return folder
}

// locate finds the store of a call.
func locate(env *Env, g globals) location {
	if g.db.isSet() {
		return location{env.absolute(g.db.text), ruleDB, g.db.origin}
	}
	if g.dataDir.isSet() {
		return location{storeBelow(env.absolute(g.dataDir.text)), ruleDataDir, g.dataDir.origin}
	}
	dir := env.Dir
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved // parents are those of the real folder, as git sees them
	}
	if path, found, r := nearest(dir); found {
		return location{path: path, rule: r}
	}
	return location{path: filepath.Join(env.DataHome, "lithos", storeFile), rule: ruleDataHome}
}

func storeBelow(folder string) string { return filepath.Join(folder, storeFolder, storeFile) }

// nearest looks for a store upwards from a folder. At the root of a linked
// git worktree it looks into the main worktree too, from the same place in it
// upwards, before it goes on.
func nearest(dir string) (path string, found bool, r rule) {
	for at := dir; ; at = filepath.Dir(at) {
		if path := storeBelow(at); isNamed(path) {
			return path, true, ruleNearest
		}
		if main, ok := mainWorktree(at); ok {
			if path, found := storeWithin(main, strings.TrimPrefix(dir, at)); found {
				return path, true, ruleWorktree
			}
		}
		if at == filepath.Dir(at) {
			return "", false, ""
		}
	}
}

// storeWithin looks for a store from a place inside root upwards to root.
func storeWithin(root, place string) (string, bool) {
	for at := filepath.Join(root, place); ; at = filepath.Dir(at) {
		if path := storeBelow(at); isNamed(path) {
			return path, true
		}
		if at == root || len(at) < len(root) {
			return "", false
		}
	}
}

// mainWorktree returns the main worktree when dir is the root of a linked
// one: there .git is a file that names the worktree's own git directory, and
// that holds a file commondir, which names the repository's. Submodules have
// such a .git file too, but no commondir.
func mainWorktree(dir string) (string, bool) {
	text, err := readRegular(filepath.Join(dir, ".git"))
	if err != nil {
		return "", false // a directory, or nothing
	}
	gitDir, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
	if !ok {
		return "", false
	}
	gitDir = from(dir, strings.TrimSpace(gitDir))
	common, err := readRegular(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return "", false
	}
	repository := from(gitDir, strings.TrimSpace(string(common)))
	if filepath.Base(repository) != ".git" {
		return "", false // a bare repository has no main worktree
	}
	return filepath.Dir(repository), true
}

// readRegular reads a file that is none of this program's. Anything but a
// regular file could keep it waiting for ever.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrInvalid}
	}
	return os.ReadFile(path)
}

// from resolves a path that may be relative to a folder.
func from(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// isStore reports whether there is a store, or what an interrupted restore has
// left of one.
func isStore(path string) bool { return isThere(path) || isUnfinished(path) }

// isNamed reports whether the store of a folder is meant to be at a path: there
// is one, or a link to where one should be, or something that lies only beside
// a store, so that there was one. No other store takes its place then.
func isNamed(path string) bool {
	return isStore(path) || linkTarget(path) != "" || leadsNowhere(filepath.Dir(path)) || hasCompanion(path)
}

// leadsNowhere reports whether a path is a link to what is not there.
func leadsNowhere(path string) bool { return linkTarget(path) != "" && !isThere(path) }

// hasCompanion reports whether what lies beside stores lies beside a path: the
// engine's logs, locks, what restores keep there, backups.
func hasCompanion(path string) bool {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return false // there is no such folder: what cannot be looked into counts as a store
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == backupsFolder && e.IsDir() || strings.HasPrefix(e.Name(), filepath.Base(path)+"-")
	})
}

// linkTarget is where a symbolic link leads, "" for what is none.
func linkTarget(path string) string {
	target, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	return from(filepath.Dir(path), target)
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
