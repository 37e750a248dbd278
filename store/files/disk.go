package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Action is one kind of thing that is done to a file or folder.
type Action string

// The actions.
const (
	Create     Action = "create"      // make a new file
	Open       Action = "open"        // open a file for reading
	Read       Action = "read"        // read a part of a file
	Write      Action = "write"       // write a part of a file
	Sync       Action = "sync"        // force a file to the device
	Close      Action = "close"       // close a file that was written
	Rename     Action = "rename"      // give a file another name, also in the place of another
	Link       Action = "link"        // give a file a further name that must be free
	Remove     Action = "remove"      // remove a file or an empty folder
	Chmod      Action = "chmod"       // change rights
	Chown      Action = "chown"       // change the owner
	MakeFolder Action = "make folder" // make one folder
	SyncFolder Action = "sync folder" // force the names in a folder to the device
	Stat       Action = "stat"        // look at what a name stands for
	List       Action = "list"        // read the names in a folder
	Reach      Action = "reach"       // come to a point between steps, see [Disk.Reach]
)

// Step is one action on one path.
type Step struct {
	Action Action
	Path   string // with Reach, the name of the point
	To     string // the other path of Rename and Link
}

// Disk does things to files. The zero value does them on the file system.
// All its errors hold the path and the system's error number.
type Disk struct {
	// Before is asked ahead of each step. When it returns an error the step
	// ends with that and nothing is done. Nil: all steps are done.
	Before func(Step) error

	inside *os.Root
}

func (d Disk) before(action Action, path, to string) error {
	if d.Before == nil {
		return nil
	}
	if err := d.Before(Step{action, path, to}); err != nil {
		return &fs.PathError{Op: string(action), Path: path, Err: err}
	}
	return nil
}

// Reach marks a point that is no step of a file, such as work that another
// library does; name says which.
func (d Disk) Reach(name string) error { return d.before(Reach, name, "") }

// Create makes a file that must not be there yet, with exactly the rights
// given, whatever the umask, and opens it for reading and writing. The error
// is fs.ErrExist when the name is taken.
func (d Disk) Create(path string, mode fs.FileMode) (*File, error) {
	if err := d.before(Create, path, ""); err != nil {
		return nil, err
	}
	file, err := d.system().OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	if err := file.Chmod(mode); err != nil {
		return nil, errors.Join(err, file.Close(), d.system().Remove(path))
	}
	return &File{file, d}, nil
}

// CreateTemporary makes a new file for the owner alone in a folder ("" is the
// system's for temporary files) and opens it for reading and writing. The last
// * in the pattern stands for something random.
func (d Disk) CreateTemporary(folder, pattern string) (*File, error) {
	if err := d.before(Create, filepath.Join(folder, pattern), ""); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return nil, err
	}
	return &File{file, d}, nil
}

// Open opens a file for reading. A database that this process has open must
// not be opened this way: closing it would give up the database's locks.
func (d Disk) Open(path string) (*File, error) {
	if err := d.before(Open, path, ""); err != nil {
		return nil, err
	}
	file, err := d.system().OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return &File{file, d}, nil
}

// CheckWritable opens a file for writing, changes nothing and closes it. For
// databases that this process has open the same holds as for [Disk.Open].
func (d Disk) CheckWritable(path string) error {
	if err := d.before(Open, path, ""); err != nil {
		return err
	}
	file, err := d.system().OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

// Rename gives a file another name; a file that has that name is replaced.
// Both names must be on one file system.
func (d Disk) Rename(from, to string) error {
	if err := d.before(Rename, from, to); err != nil {
		return err
	}
	return d.system().Rename(from, to)
}

// Link gives a file a further name. The error is fs.ErrExist when it is taken.
func (d Disk) Link(from, to string) error {
	if err := d.before(Link, from, to); err != nil {
		return err
	}
	return d.system().Link(from, to)
}

// Remove removes a file or an empty folder. The error is fs.ErrNotExist when
// there is none.
func (d Disk) Remove(path string) error {
	if err := d.before(Remove, path, ""); err != nil {
		return err
	}
	return d.system().Remove(path)
}

// RemoveIfThere is Remove for what need not be there.
func (d Disk) RemoveIfThere(path string) error {
	if err := d.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Chmod gives a file or folder exactly the rights given.
func (d Disk) Chmod(path string, mode fs.FileMode) error {
	if err := d.before(Chmod, path, ""); err != nil {
		return err
	}
	return d.system().Chmod(path, mode)
}

// Chown gives a file or folder to a user and a group.
func (d Disk) Chown(path string, user, group int) error {
	if err := d.before(Chown, path, ""); err != nil {
		return err
	}
	return d.system().Chown(path, user, group)
}

// Stat looks at what a path leads to, through symbolic links.
func (d Disk) Stat(path string) (fs.FileInfo, error) {
	if err := d.before(Stat, path, ""); err != nil {
		return nil, err
	}
	return d.system().Stat(path)
}

// Lstat looks at what a path names, a symbolic link itself.
func (d Disk) Lstat(path string) (fs.FileInfo, error) {
	if err := d.before(Stat, path, ""); err != nil {
		return nil, err
	}
	return d.system().Lstat(path)
}

// List reads the names in a folder, sorted.
func (d Disk) List(folder string) ([]fs.DirEntry, error) {
	if err := d.before(List, folder, ""); err != nil {
		return nil, err
	}
	return d.system().ReadDir(folder)
}

// MakeFolder makes one folder that must not be there yet, with exactly the
// rights given.
func (d Disk) MakeFolder(path string, mode fs.FileMode) error {
	if err := d.before(MakeFolder, path, ""); err != nil {
		return err
	}
	if err := d.system().Mkdir(path, mode); err != nil {
		return err
	}
	if err := d.system().Chmod(path, mode); err != nil {
		return errors.Join(err, d.system().Remove(path))
	}
	return nil
}

// MakeFolders makes a folder with the rights given, and those above it that
// are missing; what is there keeps its rights.
func (d Disk) MakeFolders(path string, mode fs.FileMode) error {
	switch info, err := d.Stat(path); {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: string(MakeFolder), Path: path, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	above := filepath.Dir(path)
	if above != path {
		if err := d.MakeFolders(above, mode); err != nil {
			return err
		}
	}
	if err := d.MakeFolder(path, mode); err != nil {
		if info, statErr := d.system().Stat(path); statErr == nil && info.IsDir() {
			return nil // somebody else made it meanwhile
		}
		return err
	}
	return d.SyncFolder(above)
}

// SyncFolder makes what was done to the names in a folder last. Where the
// system has no such thing, or forbids it, nothing more can be done for it.
func (d Disk) SyncFolder(path string) error {
	if err := d.before(SyncFolder, path, ""); err != nil {
		return err
	}
	folder, err := d.system().OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil // a folder may be written without being read
		}
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EBADF) || errors.Is(err, syscall.EROFS) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}
