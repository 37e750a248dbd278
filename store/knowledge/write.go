package knowledge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// The rights of what is made anew: the owner's alone, like the store.
const (
	folderRights = 0o700
	fileRights   = 0o600
)

// Create implements [core.NoteFolder].
func (f *Folder) Create(path string, content core.NoteFile) (core.FileState, error) {
	return f.write(path, content, func(text []byte) error {
		if err := f.makePlace(); err != nil {
			return err
		}
		return f.inside(path, func(disk files.Disk, name string) error {
			home, err := f.makeFolders(disk, path)
			if err != nil {
				return err
			}
			err = disk.WriteNewFor(name, text, fileRights, home)
			if errors.Is(err, fs.ErrExist) {
				return core.ErrNoteFileExists
			}
			return err
		})
	})
}

// Replace implements [core.NoteFolder].
func (f *Folder) Replace(path string, content core.NoteFile) (core.FileState, error) {
	return f.write(path, content, func(text []byte) error {
		return f.inside(path, func(disk files.Disk, name string) error {
			if err := f.checkFolders(disk, path); err != nil {
				return err
			}
			was, err := disk.Lstat(name)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return disk.Replace(name, text, fileRights)
			case err != nil:
				return err
			case !was.Mode().IsRegular():
				return notAPlace(path)
			}
			return disk.Rewrite(name, text, was)
		})
	})
}

func (f *Folder) write(path string, content core.NoteFile, put func(text []byte) error) (state core.FileState, err error) {
	text, err := emit(content)
	if err != nil {
		return state, fmt.Errorf("write '%s' as YAML: %w", path, err)
	}
	// What could not be read again is not written.
	if _, err := parse(text); err != nil {
		return state, err
	}
	if len(text) > maxFileBytes {
		return state, unreadable(fmt.Sprintf("is larger than %d bytes", maxFileBytes))
	}
	if err := put(text); err != nil {
		if errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EILSEQ) || errors.Is(err, syscall.EINVAL) {
			return state, core.InvalidValue("path", path, "The file system takes no file of that name.").Because(err)
		}
		if errors.Is(err, core.ErrNoteFileExists) {
			return state, err
		}
		return state, f.fail(err)
	}
	info, err := f.disk.Lstat(f.name(path))
	if err != nil {
		return state, f.fail(err)
	}
	return core.FileState{FileStat: statOf(info), Hash: hashOf(text)}, nil
}

// Remove implements [core.NoteFolder].
func (f *Folder) Remove(path string) error {
	err := f.inside(path, func(disk files.Disk, name string) error {
		if err := f.checkFolders(disk, path); err != nil {
			return err
		}
		if err := disk.RemoveIfThere(name); err != nil {
			return err
		}
		err := disk.SyncFolder(filepath.Dir(name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // with the whole folder
	}
	return f.fail(err)
}

// inside does something to a file with a disk that ends at the folder of notes,
// so that no link, not even one that appears meanwhile, leads out of it.
func (f *Folder) inside(path string, do func(disk files.Disk, name string) error) error {
	root, err := os.OpenRoot(f.place())
	if err != nil {
		return err
	}
	err = do(f.disk.Inside(root), f.name(path))
	if isEscape(err) {
		err = notAPlace(path)
	}
	if closeErr := root.Close(); err == nil {
		err = closeErr
	}
	return err
}

// name is the path of a file for the system.
func (f *Folder) name(path string) string {
	return filepath.Join(f.place(), filepath.FromSlash(path))
}

// notAPlace is the answer to a path that no note file can have.
func notAPlace(path string) error {
	return core.InvalidValue("path", path, "A part of the path is no folder of its own, but a file or a link.")
}

// checkFolders refuses a path that leads over a link or a file. Folders that
// are missing are no hindrance.
func (f *Folder) checkFolders(disk files.Disk, path string) error {
	_, _, err := f.folders(disk, path)
	return err
}

// folders looks at the folders of a path: the last that is there, and the first
// that is not, empty when all are. A link or a file among them is refused.
func (f *Folder) folders(disk files.Disk, path string) (last fs.FileInfo, missing string, err error) {
	if last, err = disk.Stat(f.place()); err != nil {
		return nil, "", err
	}
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		info, err := disk.Lstat(f.name(path[:i]))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return last, path[:i], nil
		case errors.Is(err, syscall.ENOTDIR):
			return nil, "", notAPlace(path)
		case err != nil:
			return nil, "", err
		case !info.IsDir():
			return nil, "", notAPlace(path)
		}
		last = info
	}
	return last, "", nil
}

// makePlace makes the folder of notes, should it be missing.
func (f *Folder) makePlace() error {
	place := f.place()
	if info, err := f.disk.Stat(place); err == nil && info.IsDir() {
		return nil
	}
	if err := f.disk.MakeFolders(place, folderRights); err != nil {
		return err
	}
	above, err := f.disk.Stat(filepath.Dir(place))
	if err != nil {
		return err
	}
	return f.disk.GiveFor(place, above)
}

// makeFolders makes the folders of a path as far as they are missing. What the
// superuser makes belongs to the owner of the folder that it lies in, whom home
// tells.
func (f *Folder) makeFolders(disk files.Disk, path string) (home fs.FileInfo, err error) {
	home, missing, err := f.folders(disk, path)
	if err != nil || missing == "" {
		return home, err
	}
	if err := disk.MakeFolders(filepath.Dir(f.name(path)), folderRights); err != nil {
		return nil, err
	}
	for i := len(missing); i < len(path); i++ {
		if path[i] == '/' {
			if err := disk.GiveFor(f.name(path[:i]), home); err != nil {
				return nil, err
			}
		}
	}
	return home, nil
}
