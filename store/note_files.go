package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/store/files"
)

// noteFilesTable is a table of backups alone: it holds the files of the notes.
// A backup that was taken where there is no folder of notes has none, and
// neither have those of programs before it.
const noteFilesTable = "note_files"

const makeNoteFiles = "DROP TABLE IF EXISTS " + noteFilesTable + ";" +
	" CREATE TABLE " + noteFilesTable + " (path TEXT NOT NULL PRIMARY KEY, mode INTEGER NOT NULL, sha256 BLOB NOT NULL, content BLOB NOT NULL) STRICT"

const (
	// noteSuffix is how the names of note files end.
	noteSuffix = ".md"
	// longestNoteFile is how long a note file can be to be backed up, in bytes.
	longestNoteFile = 512 << 20
	// noteRounds is how often the folder of notes is gone through again because
	// something in it was changed meanwhile. After that each file is whole, but
	// they may be of different moments.
	noteRounds = 50
)

// listNotes looks at the note files below a folder, by their paths in it with
// slashes; nil when there is no such folder. They are those that notes are read
// from: nothing over links, and nothing whose name begins with a dot.
func listNotes(ctx context.Context, disk files.Disk, folder string) (map[string]fs.FileInfo, error) {
	switch info, err := disk.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir():
		return nil, nil
	case err != nil:
		return nil, backupFailed(StepRead, folder, "", err)
	}
	found := map[string]fs.FileInfo{}
	queue := []string{""}
	for len(queue) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		below := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		at := noteAt(folder, below)
		entries, err := disk.List(at)
		if errors.Is(err, fs.ErrNotExist) && below != "" {
			continue // it went meanwhile
		}
		if err != nil {
			return nil, backupFailed(StepRead, at, "", err)
		}
		for _, entry := range entries {
			name := path.Join(below, entry.Name())
			switch {
			case strings.HasPrefix(entry.Name(), ".") || !utf8.ValidString(entry.Name()):
			case entry.IsDir():
				queue = append(queue, name)
			case entry.Type().IsRegular() && strings.HasSuffix(name, noteSuffix):
				info, err := entry.Info()
				if err == nil {
					found[name] = info
				} else if !errors.Is(err, fs.ErrNotExist) {
					return nil, backupFailed(StepRead, noteAt(folder, name), "", err)
				}
			}
		}
	}
	return found, nil
}

// noteAt is where a note file lies in the file system.
func noteAt(folder, name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }

// isNotePath reports whether a path is one that a note file can have.
func isNotePath(name string) bool {
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || !strings.HasSuffix(name, noteSuffix) {
		return false
	}
	for _, part := range strings.Split(name, "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	return true
}

// isSame reports whether a file looks as it did.
func isSame(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

// readNote reads a note file whole; nil when it is gone. The state is the one
// it had while it was read.
func readNote(ctx context.Context, disk files.Disk, at string) (content []byte, state fs.FileInfo, err error) {
	const patience = 20
	for range patience {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		seen, err := disk.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !seen.Mode().IsRegular() {
			return nil, nil, nil
		}
		if err == nil && seen.Size() > longestNoteFile {
			return nil, nil, backupFailed(StepRead, at, fmt.Sprintf("it is longer than %d bytes", longestNoteFile), nil)
		}
		if err == nil {
			content, state, err = readState(disk, at)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, nil
		case err != nil:
			return nil, nil, backupFailed(StepRead, at, "", err)
		case isSame(seen, state):
			return content, state, nil
		}
	}
	return nil, nil, backupFailed(StepRead, at, "it is changed all the time", nil)
}

// readState reads a file and tells how it looked afterwards.
func readState(disk files.Disk, at string) (content []byte, state fs.FileInfo, err error) {
	file, err := disk.Open(at)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if content, err = io.ReadAll(io.LimitReader(file, longestNoteFile+1)); err != nil {
		return nil, nil, err
	}
	state, err = file.Stat()
	return content, state, err
}

// addNotes puts the files of the notes into the draft. Notes that tools write
// are renamed into place, so each file is whole; the folder is gone through
// until nothing in it has changed since, so that all are of one moment.
func (t *taking) addNotes(target *sqlite3.SQLiteConn) (err error) {
	if t.Notes == "" {
		return nil
	}
	seen, err := listNotes(t.ctx, t.Files, t.Notes)
	if err != nil || seen == nil {
		return err
	}
	if err := t.Files.Reach("add notes"); err != nil {
		return err
	}
	c := &conn{db: target, store: &Store{path: t.draft, file: t.draft}, idle: map[string]*statement{}, ctx: t.ctx, since: t.since}
	defer func() { err = errors.Join(err, c.finalize()) }()
	if err := c.script("PRAGMA journal_mode = OFF; BEGIN; " + makeNoteFiles); err != nil {
		return err
	}
	held := map[string]fs.FileInfo{}
	for round := 0; ; round++ {
		changed, err := t.takeNotes(c, held, seen)
		if err != nil {
			return err
		}
		if !changed || round == noteRounds {
			break
		}
		if seen, err = listNotes(t.ctx, t.Files, t.Notes); err != nil {
			return err
		}
	}
	if err := c.script("COMMIT"); err != nil {
		return err
	}
	t.rows[noteFilesTable] = int64(len(held))
	t.pages, err = c.number("PRAGMA page_count")
	return err
}

// takeNotes brings what the draft holds up to what was seen in the folder.
func (t *taking) takeNotes(c *conn, held, seen map[string]fs.FileInfo) (changed bool, err error) {
	for i, name := range slices.Sorted(maps.Keys(seen)) {
		t.Progress.tell(phaseNotes, int64(i), int64(len(seen)))
		if isSame(held[name], seen[name]) {
			continue
		}
		changed = true
		content, state, err := readNote(t.ctx, t.Files, noteAt(t.Notes, name))
		if err != nil {
			return changed, err
		}
		if state == nil {
			continue // the next look tells
		}
		sum := sha256.Sum256(content)
		err = c.run("INSERT OR REPLACE INTO "+noteFilesTable+" (path, mode, sha256, content) VALUES (?, ?, ?, ?)",
			name, int64(state.Mode().Perm()), sum[:], content)
		if err != nil {
			return changed, err
		}
		held[name] = state
	}
	for name := range held {
		if seen[name] == nil {
			changed = true
			delete(held, name)
			if err := c.run("DELETE FROM "+noteFilesTable+" WHERE path = ?", name); err != nil {
				return changed, err
			}
		}
	}
	return changed, nil
}

// noteFile is a file of a note in a backup.
type noteFile struct {
	path    string
	mode    fs.FileMode
	sum     string // SHA-256, raw
	content []byte
}

// eachNoteFile hands over the files of the notes in a backup, by path, and
// proves each of them: false is a file that is not what it was.
func (c *conn) eachNoteFile(do func(f noteFile, whole bool) error) error {
	return c.each("SELECT path, mode, sha256, content FROM "+noteFilesTable+" ORDER BY path", func(r *row) error {
		f := noteFile{path: r.text(0), mode: fs.FileMode(r.int(1)) & fs.ModePerm}
		sum, isSum := r.values[2].([]byte)
		content, isContent := r.values[3].([]byte)
		if !isSum || !isContent {
			r.misfit(3)
		}
		if r.bad != nil {
			return nil
		}
		f.sum, f.content = string(sum), content
		found := sha256.Sum256(content)
		return do(f, bytes.Equal(found[:], sum) && isNotePath(f.path))
	})
}

// checkNotes proves the files of the notes in a backup.
func (p *proof) checkNotes(c *conn) error {
	return c.eachNoteFile(func(f noteFile, whole bool) error {
		if !whole {
			return p.failed(StepIntegrity, fmt.Sprintf("the note '%s' in it is not what it was", f.path), nil)
		}
		return nil
	})
}
