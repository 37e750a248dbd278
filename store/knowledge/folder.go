package knowledge

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"dev.lithos/core"
	"dev.lithos/store"
	"dev.lithos/store/files"
)

const (
	// suffix is how the names of note files end.
	suffix = ".md"
	// maxFileBytes is how large a file can be to be read as a note.
	maxFileBytes = 64 << 20
)

// Folder is a folder of note files. Making one touches nothing.
type Folder struct {
	place func() string
	disk  files.Disk
}

var _ core.NoteFolder = (*Folder)(nil)

// New returns the folder at the place given, which is asked for anew each time
// and need not exist.
func New(place func() string, disk files.Disk) *Folder { return &Folder{place, disk} }

// Place implements [core.NoteFolder].
func (f *Folder) Place() string { return f.place() }

// fail makes an error of the file system one of the contract.
func (f *Folder) fail(err error) error {
	var done *core.Error
	if err == nil || errors.As(err, &done) {
		return err
	}
	reason, known := store.ReasonOf(err)
	if !known {
		return fmt.Errorf("folder of notes: %w", err)
	}
	return core.NewError(core.CodeStoreUnavailable, fmt.Sprintf(messages[reason], f.place()),
		core.Extra{Name: "path", Value: f.place()}, core.Extra{Name: "reason", Value: reason}).Because(err)
}

// messages say what each reason means; %s is the folder's path.
var messages = map[string]string{
	store.ReasonMissing:      "The folder of notes '%s' is not there.",
	store.ReasonPermission:   "The folder of notes '%s', or a file in it, may not be used: its rights forbid it.",
	store.ReasonNotADatabase: "'%s' is no folder of notes.",
	store.ReasonFull:         "There is no space left in the folder of notes '%s'.",
	store.ReasonIO:           "The folder of notes '%s' cannot be read or written: the device reports an error.",
}

// open opens the folder itself; nil when it does not exist. Nothing opened
// through it can lie outside, whatever links there are.
func (f *Folder) open() (*os.Root, error) {
	root, err := os.OpenRoot(f.place())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return root, err
}

// within opens the folder for something that is done in it; without a folder
// nothing is done.
func (f *Folder) within(do func(*os.Root) error) error {
	root, err := f.open()
	if err == nil && root != nil {
		err = errors.Join(do(root), root.Close())
	}
	if unreadable := (*core.UnreadableNote)(nil); errors.As(err, &unreadable) {
		return unreadable
	}
	return f.fail(err)
}

// isAbsent reports whether an error means that there is no note file of a
// name. What lies outside, over a link, is not there.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) ||
		errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EILSEQ) || isEscape(err) ||
		errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EOPNOTSUPP) // a socket
}

// isEscape reports whether an error of an [os.Root] means that the path leads
// out of it, for which there is no value to compare with.
func isEscape(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	default:
		return false
	}
	return strings.Contains(err.Error(), "escapes")
}

// Stat implements [core.NoteFolder].
func (f *Folder) Stat(path string) (stat core.FileStat, found bool, err error) {
	err = f.within(func(root *os.Root) error {
		info, err := root.Lstat(filepath.FromSlash(path))
		if err != nil {
			if isAbsent(err) {
				return nil
			}
			return err
		}
		stat, found = statOf(info), info.Mode().IsRegular()
		return nil
	})
	return stat, found, err
}

// FolderTime implements [core.NoteFolder].
func (f *Folder) FolderTime(path string) (time int64, err error) {
	err = f.within(func(root *os.Root) error {
		info, err := root.Lstat(nameOf(path))
		if err != nil {
			if isAbsent(err) {
				return nil
			}
			return err
		}
		if info.IsDir() {
			time = statOf(info).Time
		}
		return nil
	})
	return time, err
}

// Number implements [core.NoteFolder].
func (f *Folder) Number() (number int64, err error) {
	err = f.within(func(root *os.Root) error {
		info, err := root.Stat(".")
		if err == nil {
			number = statOf(info).Number
		}
		return err
	})
	return number, err
}

// nameOf is the path of a folder in the root.
func nameOf(path string) string {
	if path == "" {
		return "."
	}
	return filepath.FromSlash(path)
}

// statOf is what tells one state of a file from another. The time of the last
// change of its status is taken, which no program can set back.
func statOf(info fs.FileInfo) core.FileStat {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return core.FileStat{Size: info.Size(), Time: changeTime(sys), Number: int64(sys.Ino)} //nolint:gosec // wraps at worst
	}
	return core.FileStat{Size: info.Size(), Time: info.ModTime().UnixNano()}
}

// Read implements [core.NoteFolder].
func (f *Folder) Read(path string) (content core.NoteFile, state core.FileState, found bool, err error) {
	text, stat, found, err := f.text(path)
	state.FileStat = stat
	if err != nil || !found {
		return content, state, found, err
	}
	if int64(len(text)) > maxFileBytes {
		return content, state, true, &core.UnreadableNote{Reason: fmt.Sprintf("is larger than %d bytes", maxFileBytes)}
	}
	state.Hash = hashOf(text)
	content, err = parse(text)
	return content, state, true, err
}

// ReadBody implements [core.NoteFolder].
func (f *Folder) ReadBody(path string, when core.FileStat) (body string, same bool, err error) {
	text, stat, found, err := f.text(path)
	if err != nil || !found || stat != when {
		return "", false, err
	}
	body, err = parseBody(text)
	return body, err == nil, err
}

// text reads a file as far as it can be a note; false when there is none.
func (f *Folder) text(path string) (text []byte, stat core.FileStat, found bool, err error) {
	if text, stat, ok := f.quickText(path); ok {
		return text, stat, true, nil
	}
	err = f.within(func(root *os.Root) error {
		// Without blocking, should it be a pipe.
		file, err := root.OpenFile(filepath.FromSlash(path), os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			if isAbsent(err) {
				return nil
			}
			if info, lookErr := root.Lstat(filepath.FromSlash(path)); errors.Is(err, fs.ErrPermission) && lookErr == nil && info.Mode().IsRegular() {
				stat, found = statOf(info), true
				return unreadable("may not be read: its rights forbid it")
			}
			return err
		}
		text, stat, found, err = read(file)
		return errors.Join(err, file.Close())
	})
	return text, stat, found, err
}

// read reads a file as far as it can be a note; false when it is no regular
// file.
func read(file *os.File) (text []byte, stat core.FileStat, regular bool, err error) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, stat, false, err
	}
	text = make([]byte, 0, min(info.Size(), maxFileBytes)+512)
	for {
		n, err := file.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) || int64(len(text)) > maxFileBytes {
			return text, statOf(info), true, nil
		}
		if err != nil {
			return nil, stat, false, err
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
}

func hashOf(text []byte) int64 {
	h := fnv.New64a()
	_, _ = h.Write(text)    // never fails
	return int64(h.Sum64()) //nolint:gosec // wraps on purpose
}
