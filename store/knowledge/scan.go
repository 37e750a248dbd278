package knowledge

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// manyFiles is from which number of files on it is worth noting that a
// folder's time has changed without its notes: it will not be gone through
// again for that.
const manyFiles = 256

// Scan implements [core.NoteFolder].
func (f *Folder) Scan(known map[string]core.FolderState, look []string, full bool) (core.FolderChanges, error) {
	s := scan{known: known, full: full, seen: map[string]bool{}}
	root, err := f.open()
	if err != nil {
		return s.changes, f.fail(err)
	}
	if look == nil {
		s.add("")
		for path := range known {
			s.add(path)
		}
	}
	for _, path := range look {
		s.add(path)
	}
	if root == nil {
		for path := range s.seen {
			s.gone(path)
		}
		slices.Sort(s.changes.Gone)
		return s.changes, nil
	}
	for len(s.queue) > 0 && err == nil {
		path := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		err = s.folder(root, path)
	}
	slices.Sort(s.changes.Gone)
	slices.SortFunc(s.changes.Changed, func(a, b core.FolderListing) int { return strings.Compare(a.Path, b.Path) })
	return s.changes, f.fail(errors.Join(err, root.Close()))
}

type scan struct {
	known   map[string]core.FolderState
	full    bool
	seen    map[string]bool
	queue   []string
	changes core.FolderChanges
}

func (s *scan) add(path string) {
	if !s.seen[path] {
		s.seen[path] = true
		s.queue = append(s.queue, path)
	}
}

func (s *scan) gone(path string) {
	if _, known := s.known[path]; known {
		s.changes.Gone = append(s.changes.Gone, path)
	}
}

// folder goes through one folder.
func (s *scan) folder(root *os.Root, path string) error {
	before, known := s.known[path]
	if !isReal(root, path) {
		s.gone(path)
		return nil
	}
	folder, err := root.OpenFile(nameOf(path), os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		if isAbsent(err) {
			s.gone(path)
			return nil
		}
		return err
	}
	listing := core.FolderListing{Path: path}
	err = s.list(folder, &listing, known && !s.full, before)
	if err = errors.Join(err, folder.Close()); err != nil {
		return err
	}
	files := len(listing.Files)
	switch {
	case known && before.Marks == listing.State.Marks && (files < manyFiles || before.Time == listing.State.Time):
	case !known && files == 0:
	default:
		slices.SortFunc(listing.Files, func(a, b core.ListedFile) int { return strings.Compare(a.Path, b.Path) })
		s.changes.Changed = append(s.changes.Changed, listing)
	}
	return nil
}

// isReal reports whether a path is a folder in the root, and none of its parts
// a link.
func isReal(root *os.Root, path string) bool {
	for i := 0; i <= len(path); i++ {
		if i > 0 && (i == len(path) || path[i] == '/') {
			if info, err := root.Lstat(path[:i]); err != nil || !info.IsDir() {
				return false
			}
		}
	}
	return true
}

// list reads the names in a folder and looks at each note file. With byTime it
// does so only if the folder's own time differs from what it was before.
func (s *scan) list(folder *os.File, listing *core.FolderListing, byTime bool, before core.FolderState) error {
	info, err := folder.Stat()
	if err != nil {
		return err
	}
	listing.State.Time = statOf(info).Time
	if byTime && listing.State.Time == before.Time {
		listing.State.Marks = before.Marks
		return nil
	}
	prefix := listing.Path
	if prefix != "" {
		prefix += "/"
	}
	for {
		names, err := folder.Readdirnames(4096)
		for _, name := range names {
			if err := s.entry(int(folder.Fd()), prefix, name, listing); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// draftAge is the age at which a draft is given up: writing one takes
// milliseconds.
const draftAge = time.Hour

// sweep removes a draft that a killed program has left. It is done as far as
// it goes, and only by passes that go through everything anew.
func (s *scan) sweep(folder int, name string) error {
	var stat unix.Stat_t
	if s.known == nil && files.IsDraft(name) && unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		time.Since(time.Unix(0, stat.Mtim.Nano())) > draftAge {
		_ = unix.Unlinkat(folder, name, 0)
	}
	return nil
}

func (s *scan) entry(folder int, prefix, name string, listing *core.FolderListing) error {
	if name[0] == '.' {
		return s.sweep(folder, name)
	}
	if !utf8.ValidString(name) {
		return nil // it could not be told to anybody
	}
	var stat unix.Stat_t
	if err := unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if isAbsent(err) {
			return nil // it went meanwhile
		}
		return err
	}
	path := prefix + name
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		if _, known := s.known[path]; !known {
			s.add(path)
		}
	case unix.S_IFREG:
		if !strings.HasSuffix(name, suffix) {
			return nil
		}
		file := core.ListedFile{Path: path, Stat: core.FileStat{
			Size: stat.Size, Time: stat.Ctim.Nano(), Number: int64(stat.Ino), //nolint:gosec // wraps at worst
		}}
		listing.Files = append(listing.Files, file)
		listing.State.Marks += core.FileMark(file.Path, file.Stat)
	}
	return nil
}
