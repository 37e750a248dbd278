package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// system is what a [Disk] does its steps with.
type system interface {
	OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	Rename(from, to string) error
	Link(from, to string) error
	Remove(path string) error
	Chmod(path string, mode fs.FileMode) error
	Chown(path string, user, group int) error
	Stat(path string) (fs.FileInfo, error)
	Lstat(path string) (fs.FileInfo, error)
	Mkdir(path string, mode fs.FileMode) error
}

// Inside is the disk as far as a folder reaches: whatever links there are or
// appear meanwhile, nothing outside of the folder is touched. Paths are those
// of the disk and have to begin with the folder's name.
func (d Disk) Inside(folder *os.Root) Disk {
	d.inside = folder
	return d
}

func (d Disk) system() system {
	if d.inside != nil {
		return folderSystem{d.inside}
	}
	return wholeSystem{}
}

// wholeSystem is the file system of the machine.
type wholeSystem struct{}

func (wholeSystem) OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}
func (wholeSystem) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
func (wholeSystem) Rename(from, to string) error               { return os.Rename(from, to) }
func (wholeSystem) Link(from, to string) error                 { return os.Link(from, to) }
func (wholeSystem) Remove(path string) error                   { return os.Remove(path) }
func (wholeSystem) Chmod(path string, mode fs.FileMode) error  { return os.Chmod(path, mode) }
func (wholeSystem) Chown(path string, user, group int) error   { return os.Chown(path, user, group) }
func (wholeSystem) Stat(path string) (fs.FileInfo, error)      { return os.Stat(path) }
func (wholeSystem) Lstat(path string) (fs.FileInfo, error)     { return os.Lstat(path) }
func (wholeSystem) Mkdir(path string, mode fs.FileMode) error  { return os.Mkdir(path, mode) }

// folderSystem is one folder.
type folderSystem struct{ root *os.Root }

// of is a path as the folder knows it.
func (f folderSystem) of(path string) string {
	rest, below := strings.CutPrefix(path, filepath.Clean(f.root.Name()))
	switch {
	case below && rest == "":
		return "."
	case below && (rest[0] == filepath.Separator || f.root.Name() == string(filepath.Separator)):
		return strings.TrimPrefix(rest, string(filepath.Separator))
	}
	return path // absolute, which the folder refuses
}

func (f folderSystem) OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return f.root.OpenFile(f.of(path), flag, mode)
}

func (f folderSystem) ReadDir(path string) ([]fs.DirEntry, error) {
	folder, err := f.root.Open(f.of(path))
	if err != nil {
		return nil, err
	}
	entries, err := folder.ReadDir(-1)
	if closeErr := folder.Close(); err == nil {
		err = closeErr
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (f folderSystem) Rename(from, to string) error { return f.root.Rename(f.of(from), f.of(to)) }
func (f folderSystem) Link(from, to string) error   { return f.root.Link(f.of(from), f.of(to)) }
func (f folderSystem) Remove(path string) error     { return f.root.Remove(f.of(path)) }

func (f folderSystem) Chmod(path string, mode fs.FileMode) error {
	return f.root.Chmod(f.of(path), mode)
}

func (f folderSystem) Chown(path string, user, group int) error {
	return f.root.Chown(f.of(path), user, group)
}

func (f folderSystem) Stat(path string) (fs.FileInfo, error)  { return f.root.Stat(f.of(path)) }
func (f folderSystem) Lstat(path string) (fs.FileInfo, error) { return f.root.Lstat(f.of(path)) }

func (f folderSystem) Mkdir(path string, mode fs.FileMode) error {
	return f.root.Mkdir(f.of(path), mode)
}
