package core

import "strings"

// folderWatch keeps what the index knows of folders right while this program
// changes a file in them, so that the next pass does not go through them for
// that.
type folderWatch struct {
	c       *change
	folders []watchedFolder // from the root down to the one with the file
}

type watchedFolder struct {
	path   string
	state  FolderState
	known  bool
	before int64 // its time ahead of the change, 0 when it was not there
}

// watchFolders notes how the folders of a file look before it is changed.
func (c *change) watchFolders(path string) (*folderWatch, error) {
	w := &folderWatch{c: c}
	folder := folderOf(path)
	for _, at := range ancestors(folder) {
		f := watchedFolder{path: at}
		var err error
		if f.state, f.known, err = c.NoteFolder(at); err != nil {
			return nil, err
		}
		if f.before, err = c.service.folder.FolderTime(at); err != nil {
			return nil, err
		}
		w.folders = append(w.folders, f)
	}
	return w, nil
}

// settle notes how they look after it. mark is what the change adds to the
// marks of the file's folder. A folder that did not look as it was known stays
// as it was known: the next pass goes through it.
func (w *folderWatch) settle(mark int64) error {
	for i, f := range w.folders {
		if !f.known && f.before != 0 {
			continue
		}
		last := i == len(w.folders)-1
		if last {
			f.state.Marks += mark
		}
		if f.before == f.state.Time || f.before == 0 {
			now, err := w.c.service.folder.FolderTime(f.path)
			if err != nil {
				return err
			}
			if now == f.state.Time && !last {
				continue
			}
			f.state.Time = now
		}
		if err := w.c.PutNoteFolder(f.path, f.state); err != nil {
			return err
		}
	}
	return nil
}

// ancestors are a folder and those it lies in, from the root down.
func ancestors(folder string) []string {
	list := []string{""}
	if folder == "" {
		return list
	}
	for i := range len(folder) {
		if folder[i] == '/' {
			list = append(list, folder[:i])
		}
	}
	return append(list, strings.TrimSuffix(folder, "/"))
}
