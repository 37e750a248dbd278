package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/uuid"
)

// draftPrefix begins the names of drafts. They do not hold the name of the
// file they are for, which may be as long as names can be.
const draftPrefix = ".lithos-draft-"

// IsDraft reports whether a name, without its folder, is that of a draft: of a
// file that is being written, or that a killed program has left.
func IsDraft(name string) bool { return strings.HasPrefix(name, draftPrefix) }

// DraftName is a new name for a draft in a folder.
func DraftName(folder string) string {
	return filepath.Join(folder, draftPrefix+uuid.NewString()[:13])
}

// WriteNew makes a file of content at path, which must be free: fs.ErrExist when
// it is taken. The file is there whole, or, with an error, not at all.
func (d Disk) WriteNew(path string, content []byte, mode fs.FileMode) error {
	return d.writeNew(path, content, mode, nil)
}

// WriteNewFor is WriteNew, except that what the superuser makes belongs to the
// owner of a file or folder: it is for those who use that.
func (d Disk) WriteNewFor(path string, content []byte, mode fs.FileMode, owner fs.FileInfo) error {
	if os.Geteuid() != 0 {
		owner = nil
	}
	return d.writeNew(path, content, mode, owner)
}

func (d Disk) writeNew(path string, content []byte, mode fs.FileMode, owner fs.FileInfo) error {
	draft, err := d.draft(path, content, mode, owner)
	if err != nil {
		return err
	}
	if err := d.Deliver(draft, path); err != nil {
		return errors.Join(err, d.RemoveIfThere(draft))
	}
	return nil
}

// Replace makes the file at path hold content, whether or not there was one.
// It holds the old content whole or the new. The rights are mode.
func (d Disk) Replace(path string, content []byte, mode fs.FileMode) error {
	return d.replace(path, content, mode, nil)
}

// Rewrite is Replace for a file that looks as told: it keeps the rights, and as
// far as this user may give them away the owner and the group.
func (d Disk) Rewrite(path string, content []byte, was fs.FileInfo) error {
	return d.replace(path, content, was.Mode().Perm(), was)
}

func (d Disk) replace(path string, content []byte, mode fs.FileMode, owner fs.FileInfo) error {
	draft, err := d.draft(path, content, mode, owner)
	if err != nil {
		return err
	}
	if err := d.Rename(draft, path); err != nil {
		return errors.Join(err, d.RemoveIfThere(draft))
	}
	return d.SyncFolder(filepath.Dir(path))
}

// draft writes content, forced to the device, beside path. It belongs to the
// owner of a file, nil for this user, as far as this user may give it away.
func (d Disk) draft(path string, content []byte, mode fs.FileMode, owner fs.FileInfo) (string, error) {
	draft := DraftName(filepath.Dir(path))
	file, err := d.Create(draft, mode)
	if err != nil {
		return "", err
	}
	if owner != nil {
		err = d.giveTo(file, owner)
	}
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", errors.Join(err, d.RemoveIfThere(draft))
	}
	return draft, nil
}

// Deliver gives a draft that is whole its name, in the same file system, and
// makes that last. The error is fs.ErrExist when the name is taken. With an
// error nothing has the name because of this call, and the draft may still be
// there; with none the draft is gone.
func (d Disk) Deliver(draft, path string) error {
	err := d.Link(draft, path)
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		// A file system without links. The name is taken by an empty file, which
		// the draft then replaces.
		err = d.take(draft, path)
	}
	if err != nil {
		return err
	}
	err = d.RemoveIfThere(draft)
	if err == nil {
		err = d.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return errors.Join(err, d.RemoveIfThere(path))
	}
	return nil
}

// take is Deliver without links.
func (d Disk) take(draft, path string) error {
	empty, err := d.Create(path, 0o600)
	if err != nil {
		return err
	}
	err = empty.Close()
	if err == nil {
		err = d.Rename(draft, path)
	}
	if err != nil {
		return errors.Join(err, d.RemoveIfThere(path))
	}
	return nil
}

// ErrTooLong is the error of [Disk.ReadAtMost] for a file above its limit.
var ErrTooLong = errors.New("the file is longer than can be read")

// ReadAtMost reads a whole file of at most limit bytes.
func (d Disk) ReadAtMost(path string, limit int64) (content []byte, err error) {
	file, err := d.Open(path)
	if err != nil {
		return nil, err
	}
	content, err = io.ReadAll(io.LimitReader(file, limit+1))
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil && int64(len(content)) > limit {
		err = ErrTooLong
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}
