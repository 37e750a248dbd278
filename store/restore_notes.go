package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"dev.lithos/store/files"
)

// How a restore exchanges the notes. N is their folder. Only files that differ
// are touched; all else in N stays.
//
//  1. The files to come are written to N/.lithos-restore, which the notes do
//     not see, and forced to the device. Then the record names them.
//  2. While there is no store at its place, each old file is moved to
//     N/.lithos-restore-old, then each new one to where it belongs.
//  3. Once the new store is in use, both folders are removed.
//
// A new file is in place when it is not in .lithos-restore any more, so each
// step can be taken up, or taken back, from what lies where.
const (
	newNotesFolder = ".lithos-restore"
	oldNotesFolder = ".lithos-restore-old"
)

// savedNotesSuffix follows the name of what is kept of a store that cannot be
// backed up in that of the folder with its notes.
const savedNotesSuffix = "-notes"

// restorePlan is what a restore is about to do, so that who takes it up does
// just that.
type restorePlan struct {
	Had      bool         `json:"had"`       // there was a store
	OldWhole bool         `json:"old_whole"` // its length was the one that it says itself
	Size     int64        `json:"size"`      // of the new store
	SHA256   string       `json:"sha256"`    // of the new store
	Notes    *notesToCome `json:"notes"`     // nil: no note is touched
}

// notesToCome are the note files that a restore exchanges.
type notesToCome struct {
	Folder string            `json:"folder"` // where it lies, from the store's folder
	Made   bool              `json:"made"`   // it was not there
	New    map[string]string `json:"new"`    // SHA-256 by path
	Old    []string          `json:"old"`    // paths of what goes
}

// restoreRecord is the file that tells of an interrupted restore.
type restoreRecord struct {
	Restored
	restorePlan
}

// longestRecord is the most bytes a record can have.
const longestRecord = 256 << 20

// readRecord reads what is being restored. Without a record, or with a spoilt
// one, the files have to tell.
func (r *restoring) readRecord() error {
	text, err := r.Files.ReadAtMost(r.store.file+recordSuffix, longestRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return r.store.translateFile(err)
	}
	var record restoreRecord
	if json.Unmarshal(text, &record) == nil {
		r.record, r.plan, r.planned = record.Restored, record.restorePlan, record.SHA256 != ""
	}
	return nil
}

// planFor makes the draft the store to come, and the files of the notes that
// come with it.
func (r *restoring) planFor(draft string, backup Backup, old fs.FileInfo) error {
	r.plan.Size, r.plan.SHA256 = backup.Size, backup.SHA256
	if old != nil {
		whole, err := r.isWhole("")
		if err != nil {
			return err
		}
		r.plan.Had, r.plan.OldWhole = true, whole
	}
	if found, err := r.isThere(oldSuffix); err != nil {
		return err
	} else if found && !r.secured {
		return backupFailed(StepDeliver, r.store.file+oldSuffix, "it may be the last whole copy of the store; put it elsewhere, then repeat", nil)
	}
	if _, holds := backup.Rows[noteFilesTable]; !holds {
		return nil
	}
	if r.Notes != "" {
		if err := r.stageNotes(draft, backup.Path, old); err != nil {
			return err
		}
	}
	return r.dropNotes(draft)
}

// isWhole reports whether a file of the store is as long as it says itself.
func (r *restoring) isWhole(suffix string) (bool, error) {
	info, err := r.Files.Stat(r.store.file + suffix)
	if err != nil {
		return false, r.store.translateFile(err)
	}
	head, err := readHead(r.Files, r.store.file+suffix)
	if err != nil {
		return false, r.store.translateFile(err)
	}
	return head.isStore() && head.size() == info.Size(), nil
}

// draftConn opens a draft of a store, which nobody else knows of.
func (r *restoring) draftConn(draft string) (*conn, error) {
	s := &Store{path: draft, file: draft}
	if err := s.remember(); err != nil {
		return nil, err
	}
	return s.connect(s.wait(r.ctx), "mode=rw&_mutex=no&_busy_timeout=0")
}

// dropNotes takes the files of the notes out of the draft: a store has none.
func (r *restoring) dropNotes(draft string) error {
	failed := func(err error) error { return backupFailed(StepCopy, draft, "", err) }
	if err := r.Files.Reach("drop notes"); err != nil {
		return failed(err)
	}
	c, err := r.draftConn(draft)
	if err != nil {
		return failed(err)
	}
	err = c.script("PRAGMA journal_mode = OFF; DROP TABLE " + noteFilesTable)
	if err := errors.Join(err, c.close()); err != nil {
		return failed(err)
	}
	file, err := r.Files.Open(draft)
	if err != nil {
		return failed(err)
	}
	info, err := file.Stat()
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return failed(err)
	}
	r.plan.Size = info.Size()
	if r.plan.SHA256, err = hashFile(r.ctx, r.Files, draft, r.plan.Size, r.Progress); err != nil {
		return failed(err)
	}
	return nil
}

// stageNotes writes the files to come beside the ones that are there, and
// keeps those safe unless the safety backup has them.
func (r *restoring) stageNotes(draft, backup string, old fs.FileInfo) (err error) {
	folder, err := realFile(r.Notes)
	if err != nil {
		return backupFailed(StepDirectory, r.Notes, "", err)
	}
	seen, err := listNotes(r.ctx, r.Files, folder)
	if err != nil {
		return err
	}
	plan := &notesToCome{Folder: folder, Made: seen == nil, New: map[string]string{}, Old: []string{}}
	if relative, err := filepath.Rel(filepath.Dir(r.store.file), folder); err == nil && !strings.HasPrefix(relative, filepath.Join("..", "..")) {
		plan.Folder = relative // so that both can be moved together
	}
	r.staged, r.madeNotes = filepath.Join(folder, newNotesFolder), plan.Made
	if err := r.clearNotes(folder); err != nil {
		return err
	}
	like := old
	if info, err := r.Files.Stat(folder); err == nil {
		like = info
	}
	put := noteWriter{r: r, like: like, folders: map[string]bool{}}
	kept := map[string]bool{}
	c, err := r.draftConn(draft)
	if err != nil {
		return backupFailed(StepRead, draft, "", err)
	}
	done := int64(0)
	err = c.eachNoteFile(func(f noteFile, whole bool) error {
		if !whole {
			return backupFailed(StepIntegrity, backup, fmt.Sprintf("the note '%s' in it is not what it was", f.path), nil)
		}
		done++
		r.Progress.tell(phaseNotes, done, 0)
		same, err := r.isAsSeen(folder, f, seen[f.path])
		if err != nil || same {
			kept[f.path] = same
			return err
		}
		if err := r.checkNotePlace(folder, f.path); err != nil {
			return err
		}
		plan.New[f.path] = hex.EncodeToString([]byte(f.sum))
		return put.write(filepath.Join(r.staged, filepath.FromSlash(f.path)), f.mode, f.content)
	})
	if err := errors.Join(err, c.close()); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if !kept[name] {
			plan.Old = append(plan.Old, name)
		}
	}
	if err := put.sync(); err != nil {
		return err
	}
	if len(plan.Old)+len(plan.New) == 0 {
		return nil
	}
	if !r.secured && len(plan.Old) > 0 {
		if err := r.saveNotes(folder, seen, like); err != nil {
			return err
		}
	}
	r.plan.Notes = plan
	return nil
}

// isAsSeen reports whether a file in the folder is the one in the backup.
func (r *restoring) isAsSeen(folder string, f noteFile, seen fs.FileInfo) (bool, error) {
	if seen == nil || seen.Size() != int64(len(f.content)) || seen.Mode().Perm() != f.mode {
		return false, nil
	}
	content, _, err := readNote(r.ctx, r.Files, noteAt(folder, f.path))
	sum := sha256.Sum256(content)
	return content != nil && string(sum[:]) == f.sum, err
}

// checkNotePlace refuses a path that leads over what is no folder, or to what
// is no file.
func (r *restoring) checkNotePlace(folder, name string) error {
	for i := 1; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		at := noteAt(folder, name[:i])
		info, err := r.Files.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return backupFailed(StepDeliver, at, "", err)
		case i < len(name) && !info.IsDir() || i == len(name) && !info.Mode().IsRegular():
			return backupFailed(StepDeliver, at, fmt.Sprintf("it is in the way of the note '%s'; it has to be put elsewhere", name), nil)
		}
	}
	return nil
}

// saveNotes copies the notes as they are to the folder of backups.
func (r *restoring) saveNotes(folder string, seen map[string]fs.FileInfo, like fs.FileInfo) error {
	backups, err := BackupFolder(r.store.file, r.Folder)
	if err != nil {
		return err
	}
	stem := strings.TrimSuffix(filepath.Base(r.store.file), ".db") + "-" + r.Now.UTC().Format(backupStamp) + savedNotesSuffix
	to := filepath.Join(backups, stem)
	for n := 2; ; n++ {
		taken, err := anyThere(r.Files, to, []string{""})
		if err != nil {
			return backupFailed(StepName, backups, "", err)
		}
		if !taken {
			break
		}
		to = filepath.Join(backups, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(stem, savedNotesSuffix), n, savedNotesSuffix))
	}
	put := noteWriter{r: r, like: like, folders: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		content, state, err := readNote(r.ctx, r.Files, noteAt(folder, name))
		if err == nil && state != nil {
			err = put.write(noteAt(to, name), state.Mode().Perm(), content)
		}
		if err != nil {
			return err
		}
	}
	if err := put.sync(); err != nil {
		return err
	}
	if r.record.SafetyBackup == nil {
		r.record.SafetyBackup = &to
	}
	return nil
}

// noteWriter writes new files, and the folders they need.
type noteWriter struct {
	r       *restoring
	like    fs.FileInfo // whose owner they get; nil: this user's
	folders map[string]bool
}

func (w *noteWriter) own(at string) {
	if w.like != nil {
		likeOwner(w.r.Files, at, w.like)
	}
}

// makeFolder makes a folder, and those above it, as far as they are missing.
func (w *noteWriter) makeFolder(at string) error {
	if w.folders[at] {
		return nil
	}
	w.folders[at] = true
	_, err := w.r.Files.Lstat(at)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := w.makeFolder(filepath.Dir(at)); err != nil {
		return err
	}
	if err := w.r.Files.MakeFolder(at, 0o700); err != nil {
		return err
	}
	w.own(at)
	return nil
}

func (w *noteWriter) write(at string, mode fs.FileMode, content []byte) error {
	err := w.makeFolder(filepath.Dir(at))
	if err == nil {
		err = w.writeFile(at, mode, content)
	}
	if err != nil {
		return backupFailed(StepCopy, at, "", err)
	}
	return nil
}

func (w *noteWriter) writeFile(at string, mode fs.FileMode, content []byte) error {
	file, err := w.r.Files.Create(at, mode)
	if err != nil {
		return err
	}
	w.own(at)
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// sync makes the names in all folders that were used last.
func (w *noteWriter) sync() error {
	for _, folder := range slices.Sorted(maps.Keys(w.folders)) {
		if err := w.r.Files.SyncFolder(folder); err != nil {
			return backupFailed(StepCopy, folder, "", err)
		}
	}
	return nil
}

// notesPlaces are where the notes of a restore lie.
func (r *restoring) notesPlaces() (folder, coming, gone string) {
	folder = r.plan.Notes.Folder
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(filepath.Dir(r.store.file), folder)
	}
	return folder, filepath.Join(folder, newNotesFolder), filepath.Join(folder, oldNotesFolder)
}

// there reports whether there is anything at a path.
func (r *restoring) there(at string) (bool, error) {
	_, err := r.Files.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	if err != nil {
		return false, backupFailed(StepDeliver, at, "", err)
	}
	return true, nil
}

// noteMover moves files between the folder and the two beside it.
type noteMover struct {
	put  noteWriter
	from map[string]bool // folders that lost a name
}

func (r *restoring) newMover(folder string) (*noteMover, error) {
	m := &noteMover{put: noteWriter{r: r, folders: map[string]bool{}}, from: map[string]bool{}}
	info, err := r.Files.Stat(folder)
	if err != nil {
		return nil, backupFailed(StepDeliver, folder, "the folder of the notes is missing; it has to be put back", err)
	}
	m.put.like = info
	return m, nil
}

func (m *noteMover) move(from, to string) error {
	if taken, err := m.put.r.there(to); err != nil {
		return err
	} else if taken {
		return backupFailed(StepDeliver, to, fmt.Sprintf("it is in the way of '%s'; one of the two has to be put elsewhere", from), nil)
	}
	err := m.put.makeFolder(filepath.Dir(to))
	if err == nil {
		err = m.put.r.Files.Rename(from, to)
	}
	if err != nil {
		return backupFailed(StepDeliver, to, "", err)
	}
	m.from[filepath.Dir(from)] = true
	return nil
}

// sync makes all moves last: first the new names, so that no file is without
// one.
func (m *noteMover) sync() error {
	if err := m.put.sync(); err != nil {
		return err
	}
	for _, folder := range slices.Sorted(maps.Keys(m.from)) {
		if err := m.put.r.Files.SyncFolder(folder); err != nil {
			return backupFailed(StepDeliver, folder, "", err)
		}
	}
	return nil
}

// exchangeNotes puts the new notes in the place of the old ones.
func (r *restoring) exchangeNotes() error {
	if r.plan.Notes == nil {
		return nil
	}
	folder, coming, gone := r.notesPlaces()
	m, err := r.newMover(folder)
	if err != nil {
		return err
	}
	for _, name := range r.plan.Notes.Old {
		at := noteAt(folder, name)
		found, err := r.there(at)
		if err != nil {
			return err
		}
		if _, replaced := r.plan.Notes.New[name]; replaced && found {
			found, err = r.there(noteAt(coming, name)) // else the new one is in place
		} else if found {
			var moved bool
			moved, err = r.there(noteAt(gone, name))
			found = !moved // else somebody made another one meanwhile
		}
		if err == nil && found {
			err = m.move(at, noteAt(gone, name))
		}
		if err != nil {
			return err
		}
	}
	if err := m.sync(); err != nil {
		return err
	}
	return r.bringNotes(m, slices.Sorted(maps.Keys(r.plan.Notes.New)), coming, folder)
}

// giveBackNotes takes back what exchangeNotes has done.
func (r *restoring) giveBackNotes() error {
	if r.plan.Notes == nil {
		return nil
	}
	folder, coming, gone := r.notesPlaces()
	m, err := r.newMover(folder)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.plan.Notes.New)) {
		at, waiting := noteAt(folder, name), noteAt(coming, name)
		installed, err := r.isInstalled(name)
		if err == nil && installed {
			err = m.move(at, waiting)
		}
		if err != nil {
			return err
		}
	}
	if err := m.sync(); err != nil {
		return err
	}
	return r.bringNotes(m, r.plan.Notes.Old, gone, folder)
}

// bringNotes moves those of the notes that lie in one folder into another. What
// is not there any more was moved before the restore was cut off.
func (r *restoring) bringNotes(m *noteMover, names []string, from, to string) error {
	for _, name := range names {
		found, err := r.there(noteAt(from, name))
		if err == nil && found {
			err = r.checkNotePlace(to, name)
		}
		if err == nil && found {
			err = m.move(noteAt(from, name), noteAt(to, name))
		}
		if err != nil {
			return err
		}
	}
	return m.sync()
}

// isInstalled reports whether what a path of the folder holds is the new note,
// and not the old one or one that somebody made meanwhile.
func (r *restoring) isInstalled(name string) (bool, error) {
	folder, coming, _ := r.notesPlaces()
	waits, err := r.there(noteAt(coming, name))
	if err != nil || waits {
		return false, err
	}
	content, _, err := readNote(r.ctx, r.Files, noteAt(folder, name))
	sum := sha256.Sum256(content)
	return content != nil && hex.EncodeToString(sum[:]) == r.plan.Notes.New[name], err
}

// checkNew proves that what would be put in place is what was to be.
func (r *restoring) checkNew() error {
	file := r.store.file + restoreSuffix
	refuse := func(step BackupStep, at, detail string, cause error) error {
		return backupFailed(step, at, detail+". "+r.otherWay("--undo", "gives the store back as it was"), cause)
	}
	if found, err := r.isThere(restoreSuffix); err != nil {
		return err
	} else if !found {
		return refuse(StepRead, file, "the new store is missing, so the restore cannot be finished", nil)
	}
	var err error
	p := &proof{ctx: r.ctx, path: file, files: r.Files, progress: r.Progress, since: r.since}
	if !r.planned {
		_, err = p.examine(nil)
	} else {
		err = p.compare(r.plan.Size, r.plan.SHA256)
	}
	if r.ctx.Err() != nil {
		return stopped(r.ctx, r.since, r.ctx.Err())
	}
	if err != nil {
		return refuse(StepIntegrity, file, "the new store is not what it was, so the restore cannot be finished", err)
	}
	if r.plan.Notes == nil {
		return nil
	}
	folder, coming, _ := r.notesPlaces()
	for _, name := range slices.Sorted(maps.Keys(r.plan.Notes.New)) {
		at := noteAt(coming, name)
		content, _, err := readNote(r.ctx, r.Files, at)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		switch found, err := r.there(noteAt(folder, name)); {
		case err != nil:
			return err
		case content == nil && !found:
			return refuse(StepRead, at, "the new note is missing, so the restore cannot be finished", nil)
		case content != nil && hex.EncodeToString(sum[:]) != r.plan.Notes.New[name]:
			return refuse(StepIntegrity, at, "the new note is not what it was, so the restore cannot be finished", nil)
		}
	}
	return nil
}

// compare proves a file by its length and its sum.
func (p *proof) compare(size int64, sum string) error {
	info, err := p.files.Stat(p.path)
	if err != nil {
		return p.failed(StepRead, "", err)
	}
	if info.Size() != size {
		return p.failed(StepSize, fmt.Sprintf("it has %d bytes instead of %d", info.Size(), size), nil)
	}
	found, err := hashFile(p.ctx, p.files, p.path, size, p.progress)
	if err != nil {
		return p.failed(StepRead, "", err)
	}
	if found != sum {
		return p.failed(StepIntegrity, "its bytes are not what they were", nil)
	}
	return nil
}

// checkOld makes sure that what would be given back is there and whole.
func (r *restoring) checkOld() error {
	file := r.store.file + oldSuffix
	refuse := func(step BackupStep, at, detail string) error {
		return backupFailed(step, at, detail+". "+r.otherWay("--finish", "puts the new store in place"), nil)
	}
	moved, err := r.isThere(oldSuffix)
	if err != nil {
		return err
	}
	switch {
	case moved:
		head, err := readHead(r.Files, file)
		if err != nil {
			return r.store.translateFile(err)
		}
		whole, err := r.isWhole(oldSuffix)
		if err != nil {
			return err
		}
		if r.plan.OldWhole && !whole || !r.planned && !head.isStore() {
			return refuse(StepSize, file, "the old store is not what it was, so the restore cannot be undone")
		}
	case isGone(r.store.file) && (!r.planned || r.plan.Had):
		return refuse(StepRead, file, "the old store is missing, so the restore cannot be undone")
	}
	if r.plan.Notes == nil {
		return nil
	}
	folder, _, gone := r.notesPlaces()
	for _, name := range r.plan.Notes.Old {
		atPlace, err := r.there(noteAt(folder, name))
		if err != nil {
			return err
		}
		if atPlace {
			installed, err := r.isInstalled(name)
			if err != nil {
				return err
			}
			atPlace = !installed
		}
		aside, err := r.there(noteAt(gone, name))
		if err != nil {
			return err
		}
		if !atPlace && !aside {
			return refuse(StepRead, noteAt(gone, name), "the old note is missing, so the restore cannot be undone")
		}
	}
	return nil
}

// otherWay says what else can be done about an interrupted restore: the other
// command if the file for it is there, and the safety backup in any case.
func (r *restoring) otherWay(option, does string) string {
	text, possible := "", false
	for _, command := range waysOut(r.store.path, r.store.file) {
		if strings.Contains(command, option) {
			text, possible = fmt.Sprintf("'%s' %s", command, does), true
		}
	}
	if r.record.SafetyBackup != nil {
		text = strings.TrimPrefix(text+"; '"+*r.record.SafetyBackup+"' holds the store as it was", "; ")
	}
	if !possible {
		left, _ := leftovers(r.store.file)
		text = strings.TrimPrefix(text+"; put what is left of the restore elsewhere ("+strings.Join(left, ", ")+") and restore a backup", "; ")
	}
	return text
}

// removeTree removes a folder and all in it; over links it does not go.
func removeTree(disk files.Disk, at string) error {
	info, err := disk.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := disk.List(at)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if err := removeTree(disk, filepath.Join(at, entry.Name())); err != nil {
				return err
			}
		}
	}
	return disk.RemoveIfThere(at)
}

// clearNotes removes what a restore that has ended may have left.
func (r *restoring) clearNotes(folder string) error {
	for _, name := range []string{newNotesFolder, oldNotesFolder} {
		if err := removeTree(r.Files, filepath.Join(folder, name)); err != nil {
			return backupFailed(StepDirectory, filepath.Join(folder, name), "", err)
		}
	}
	return nil
}

// dropStagedNotes removes the files to come after a restore that has not
// begun.
func (r *restoring) dropStagedNotes() error {
	if r.staged == "" {
		return nil
	}
	err := removeTree(r.Files, r.staged)
	if r.madeNotes {
		_ = r.Files.Remove(filepath.Dir(r.staged)) // unless somebody has put something in it
	}
	return err
}

// cleanNotes removes what is of no more use once there is a store again, and
// the folders that were emptied.
func (r *restoring) cleanNotes() {
	if r.plan.Notes == nil {
		return
	}
	folder, _, _ := r.notesPlaces()
	_ = r.clearNotes(folder)
	for _, name := range slices.Concat(r.plan.Notes.Old, slices.Sorted(maps.Keys(r.plan.Notes.New))) {
		for below := path.Dir(name); below != "."; below = path.Dir(below) {
			if r.Files.Remove(noteAt(folder, below)) != nil {
				break // there is something in it
			}
		}
	}
	if r.plan.Notes.Made {
		_ = r.Files.Remove(folder) // unless there are notes in it
	}
}
