package knowledge

import (
	"errors"
	"io"
	"io/fs"
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
	if look == nil && !full {
		if number, same := f.quickLook(known); same {
			return core.FolderChanges{Number: number}, nil
		}
	}
	s := scan{known: known, full: full, seen: map[string]bool{}, real: map[string]bool{"": true}}
	root, err := f.open()
	if err != nil {
		return s.changes, f.fail(err)
	}
	if root != nil {
		top, err := root.OpenFile(".", os.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			return s.changes, f.fail(errors.Join(err, root.Close()))
		}
		s.top, s.chain = int(top.Fd()), []opened{{"", top}}
		defer s.shut(0)
		info, err := top.Stat()
		if err != nil {
			return s.changes, f.fail(errors.Join(err, root.Close()))
		}
		s.changes.Number = statOf(info).Number
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
	// What comes last is gone through first: each folder after the one it lies
	// in, which is then still open.
	slices.Sort(s.queue)
	slices.Reverse(s.queue)
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
		err = s.folder(path)
	}
	slices.Sort(s.changes.Gone)
	slices.Sort(s.changes.Barred)
	slices.SortFunc(s.changes.Odd, func(a, b core.OddFile) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(s.changes.Changed, func(a, b core.FolderListing) int { return strings.Compare(a.Path, b.Path) })
	return s.changes, f.fail(errors.Join(err, root.Close()))
}

type scan struct {
	known   map[string]core.FolderState
	full    bool
	seen    map[string]bool
	queue   []string
	changes core.FolderChanges

	top   int             // the root, open, where folders are looked at by their time
	real  map[string]bool // whether a path is a folder there, and over no link
	chain []opened        // the root and folders inside each other, open
}

type opened struct {
	path string
	file *os.File
}

// maxOpen bounds how many folders are open at a time.
const maxOpen = 64

// shut closes the open folders but the first so many.
func (s *scan) shut(keep int) {
	for _, o := range s.chain[keep:] {
		_ = o.file.Close() // nothing was written through it
	}
	s.chain = s.chain[:keep]
}

// enter opens a folder, step by step from the nearest that is open, so that no
// link is followed.
func (s *scan) enter(path string) (*os.File, error) {
	for {
		last := s.chain[len(s.chain)-1]
		if last.path == path && len(s.chain) > 1 {
			return last.file, nil
		}
		if last.path == "" || strings.HasPrefix(path, last.path+"/") {
			break
		}
		s.shut(len(s.chain) - 1)
	}
	last := s.chain[len(s.chain)-1]
	names := strings.Split(strings.TrimPrefix(path[len(last.path):], "/"), "/")
	if path == "" {
		names = []string{"."} // anew, as a folder is read from its beginning only once
	}
	at := last.path
	for _, name := range names {
		parent := s.chain[len(s.chain)-1].file
		fd, err := openFolder(int(parent.Fd()), name)
		if err != nil {
			return nil, err
		}
		if at != "" {
			at += "/"
		}
		if path != "" {
			at += name
		}
		if len(s.chain) == maxOpen {
			_ = s.chain[1].file.Close() // nothing was written through it
			s.chain = slices.Delete(s.chain, 1, 2)
		}
		s.chain = append(s.chain, opened{at, os.NewFile(uintptr(fd), name)})
	}
	return s.chain[len(s.chain)-1].file, nil
}

func openFolder(parent int, name string) (int, error) {
	for {
		fd, err := unix.Openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// isAsBefore reports whether a folder is there and has not changed since.
func (s *scan) isAsBefore(path string, before core.FolderState) bool {
	if i := strings.LastIndexByte(path, '/'); i >= 0 && !s.isReal(path[:i]) {
		return false
	}
	stat, is := s.look(path)
	return is && stat.Ctim.Nano() == before.Time
}

func (s *scan) isReal(path string) bool {
	is, known := s.real[path]
	if !known {
		i := strings.LastIndexByte(path, '/')
		is = i < 0 || s.isReal(path[:i])
		if is {
			_, is = s.look(path)
		}
		s.real[path] = is
	}
	return is
}

// look looks at a folder; false when there is none, or a link.
func (s *scan) look(path string) (stat unix.Stat_t, is bool) {
	err := unix.Fstatat(s.top, nameOf(path), &stat, unix.AT_SYMLINK_NOFOLLOW)
	return stat, err == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR
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
func (s *scan) folder(path string) error {
	before, known := s.known[path]
	if known && !s.full && s.isAsBefore(path, before) {
		return nil
	}
	listing := core.FolderListing{Path: path}
	folder, err := s.enter(path)
	if err == nil {
		err = s.list(folder, &listing)
	}
	switch {
	case err != nil && isAbsent(err):
		s.gone(path)
		return nil
	case errors.Is(err, fs.ErrPermission) && path != "":
		s.changes.Barred = append(s.changes.Barred, path)
		return nil
	case err != nil:
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

// list reads the names in a folder and looks at each note file.
func (s *scan) list(folder *os.File, listing *core.FolderListing) error {
	info, err := folder.Stat()
	if err != nil {
		return err
	}
	listing.State.Time = statOf(info).Time
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

// odd notes what looks like a note and is left out, where everything is gone
// through anew.
func (s *scan) odd(path, reason string) {
	if s.known == nil {
		s.changes.Odd = append(s.changes.Odd, core.OddFile{Path: path, Reason: reason})
	}
}

func (s *scan) entry(folder int, prefix, name string, listing *core.FolderListing) error {
	if name[0] == '.' {
		return s.sweep(folder, name)
	}
	if !utf8.ValidString(name) {
		s.odd(prefix+strings.ToValidUTF8(name, "\ufffd"), "has a name that is not UTF-8")
		return nil
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
	case unix.S_IFLNK:
		var target unix.Stat_t
		if strings.HasSuffix(name, suffix) ||
			s.known == nil && unix.Fstatat(folder, name, &target, 0) == nil && target.Mode&unix.S_IFMT == unix.S_IFDIR {
			s.odd(path, "is a link, and links are not followed")
		}
	case unix.S_IFREG:
		if !strings.HasSuffix(name, suffix) {
			if strings.EqualFold(name[max(len(name)-len(suffix), 0):], suffix) {
				s.odd(path, "has a name that does not end in '"+suffix+"' in small letters")
			}
			return nil
		}
		file := core.ListedFile{Path: path, Stat: core.FileStat{
			Size: stat.Size, Time: stat.Ctim.Nano(), Number: int64(stat.Ino), //nolint:gosec // wraps at worst
		}}
		listing.Files = append(listing.Files, file)
		listing.State.Marks += core.FileMark(file.Path, file.Stat)
	default:
		if strings.HasSuffix(name, suffix) {
			s.odd(path, "is no ordinary file")
		}
	}
	return nil
}
