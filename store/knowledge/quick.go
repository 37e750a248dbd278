package knowledge

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"dev.lithos/core"
)

// Most of what is asked of the folder is whether it has changed, and what an
// ordinary file holds. Here both are answered in as few system calls as it
// takes, as long as nothing is out of the ordinary. Where anything is, these
// functions say false, and the long way finds out what.

// quickFolder is how folders are opened: over no link, unless the folder of
// notes itself is one.
const quickFolder = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC

// quickText reads an ordinary file whole.
func (f *Folder) quickText(path string) (text []byte, stat core.FileStat, ok bool) {
	at, err := unix.Open(f.place(), quickFolder, 0)
	if err != nil {
		return nil, stat, false
	}
	flags := quickFolder | unix.O_NOFOLLOW
	for rest := path; rest != ""; {
		var name string
		var more bool
		name, rest, more = strings.Cut(rest, "/")
		if !more {
			flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_CLOEXEC // without blocking, should it be a pipe
		}
		if name == "" || name == "." || name == ".." || more && rest == "" {
			_ = unix.Close(at) // nothing was written through it
			return nil, stat, false
		}
		next, err := unix.Openat(at, name, flags, 0)
		_ = unix.Close(at)
		if err != nil {
			return nil, stat, false
		}
		at = next
	}
	defer func() { _ = unix.Close(at) }()
	var info unix.Stat_t
	if err := unix.Fstat(at, &info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFREG || info.Size > maxFileBytes {
		return nil, stat, false
	}
	text = make([]byte, info.Size)
	for read := 0; read < len(text); {
		n, err := unix.Read(at, text[read:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return nil, stat, false
		}
		read += n
	}
	return text, quickStat(&info), true
}

func quickStat(info *unix.Stat_t) core.FileStat {
	return core.FileStat{Size: info.Size, Time: info.Ctim.Nano(), Number: int64(info.Ino)} //nolint:gosec // wraps at worst
}

// quickLook reports whether all known folders, the root among them, are there
// and have not changed since: as a rule they have not. number is the root's.
func (f *Folder) quickLook(known map[string]core.FolderState) (number int64, same bool) {
	root, isKnown := known[""]
	if !isKnown {
		return 0, false
	}
	top, err := unix.Open(f.place(), quickFolder, 0)
	if err != nil {
		return 0, false
	}
	defer func() { _ = unix.Close(top) }()
	var info unix.Stat_t
	if err := unix.Fstat(top, &info); err != nil || info.Ctim.Nano() != root.Time {
		return 0, false
	}
	s := scan{top: top, real: map[string]bool{"": true}}
	for path, before := range known {
		if path != "" && !s.isAsBefore(path, before) {
			return 0, false
		}
	}
	return quickStat(&info).Number, true
}
