package core

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// takeUpBatch is how many files are taken up in one transaction, so that a
// folder that is new as a whole does not keep others from writing.
const takeUpBatch = 2_000

// takeUp brings the index up to what the folders hold, with events by the
// agent disk. begun is called once the first transaction is open.
func (s *Service) takeUp(ctx context.Context, look []string, begun func()) error {
	var t *taking
	for t == nil || !t.finished {
		err := s.mutate(ctx, func(c *change) (err error) {
			if t == nil {
				begun()
				if t, err = c.compare(look); err != nil {
					return err
				}
			}
			t.c = c
			return t.batch(takeUpBatch)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// taking is the work of bringing the index up to the folders. It may go over
// several transactions.
type taking struct {
	c       *change
	rebuild bool
	files   []ListedFile       // to be read yet, by path
	loose   map[string]NoteRow // by id: notes that may be elsewhere now, or no more
	loosen  []string           // the ids it has had, in order
	freed   []string           // ids of notes whose files can no longer be read
	barred  []string           // folders that may not be looked into
	was     map[string]string  // with rebuild, ids by path
	folders map[string]FolderState
	gone    []string
	number  int64 // of the folder of notes, 0 where it was not looked at
	counts  ReindexCounts

	finished bool
}

// compare looks at the folders once more, now that nobody else writes, and
// finds what has to be done.
func (c *change) compare(look []string) (*taking, error) {
	known, err := c.NoteFolders()
	if err != nil {
		return nil, err
	}
	changes, err := c.scanAnew(known, look)
	if err != nil {
		return nil, err
	}
	t := &taking{loose: map[string]NoteRow{}, folders: map[string]FolderState{}, gone: changes.Gone, number: changes.Number}
	var missing []KnownFile
	for _, listing := range changes.Changed {
		t.folders[listing.Path] = listing.State
		before, err := c.NoteFiles(listing.Path)
		if err != nil {
			return nil, err
		}
		at := make(map[string]FileStat, len(before))
		for _, file := range before {
			at[file.Path] = file.Stat
		}
		for _, file := range listing.Files {
			if stat, ok := at[file.Path]; !ok || stat != file.Stat {
				t.files = append(t.files, file)
			}
			delete(at, file.Path)
		}
		for _, file := range before {
			if _, left := at[file.Path]; left {
				missing = append(missing, file)
			}
		}
	}
	for _, folder := range changes.Gone {
		before, err := c.NoteFiles(folder)
		if err != nil {
			return nil, err
		}
		missing = append(missing, before...)
	}
	slices.SortFunc(t.files, func(a, b ListedFile) int { return strings.Compare(a.Path, b.Path) })
	return t, t.loosenFiles(c, missing)
}

// loosenFiles notes which notes have lost their file.
func (t *taking) loosenFiles(c *change, missing []KnownFile) error {
	var keys []NoteKey
	for _, file := range missing {
		if file.Key == 0 {
			if err := c.DropNoteProblem(file.Path); err != nil {
				return err
			}
			continue
		}
		keys = append(keys, file.Key)
	}
	rows, err := c.Notes(keys)
	for _, row := range rows {
		t.setLoose(row)
	}
	return err
}

func (t *taking) setLoose(row NoteRow) {
	t.loose[row.ID] = row
	t.loosen = append(t.loosen, row.ID)
}

// batch takes up at most so many files; with the last of them it finishes.
func (t *taking) batch(most int) error {
	n := min(most, len(t.files))
	for _, file := range t.files[:n] {
		if err := t.file(file.Path); err != nil {
			return err
		}
	}
	t.files = t.files[n:]
	if len(t.files) > 0 {
		return nil
	}
	t.finished = true
	return t.finish()
}

// finish removes the notes whose files are gone and notes how the folders
// look.
func (t *taking) finish() error {
	if err := t.judgeCopies(); err != nil {
		return err
	}
	for _, id := range t.loosen {
		row, left := t.loose[id]
		if !left {
			continue
		}
		if t.isBarred(row.Path) {
			// It may well be there still.
			if err := t.setAside(NoteProblem{Path: row.Path, Reason: "lies in a folder that may not be read"}, row, true); err != nil {
				return err
			}
			continue
		}
		delete(t.loose, id)
		if err := t.c.DeleteNote(row, t.c.now); err != nil {
			return err
		}
		t.counts.Deleted++
		if err := t.c.emitNote(EventNoteDeleted, DiskAgent, row, noteDeleted{ID: row.ID, Path: row.Path}); err != nil {
			return err
		}
	}
	for _, folder := range t.gone {
		if err := t.c.DropNoteFolder(folder); err != nil {
			return err
		}
	}
	for folder, state := range t.folders {
		if err := t.c.PutNoteFolder(folder, state); err != nil {
			return err
		}
	}
	if t.number != 0 {
		return t.c.noteFolderIs(t.number)
	}
	return nil
}

// judgeCopies takes up the files that had the id of a note which has lost its
// own: the first of them is the note now.
func (t *taking) judgeCopies() error {
	lost := map[string]bool{}
	for _, id := range t.freed {
		lost[id] = true
	}
	for id := range t.loose {
		lost[id] = true
	}
	if len(lost) == 0 {
		return nil
	}
	problems, err := t.c.NoteProblems()
	if err != nil {
		return err
	}
	for _, p := range problems {
		if p.isCopy() && (lost[p.ID] || p.ID == "") {
			if err := t.file(p.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// The reason of a file that has the id of another's note.
const copyReason, copyReasonEnd = "has the id of '", "'"

// isCopy reports whether the file has the id of another's note, which is the
// one noted.
func (p NoteProblem) isCopy() bool { return strings.HasPrefix(p.Reason, copyReason) }

// isBarred reports whether a file lies where nobody may look.
func (t *taking) isBarred(path string) bool {
	return slices.ContainsFunc(t.barred, func(folder string) bool { return strings.HasPrefix(path, folder+"/") })
}

// file takes up one file that is new or was changed.
func (t *taking) file(path string) error {
	folder := t.c.service.folder
	content, state, found, err := folder.Read(path)
	unreadable := &UnreadableNote{}
	if err != nil && !errors.As(err, &unreadable) {
		return err
	}
	if !found {
		return nil // it went meanwhile; the next pass sees
	}
	occupant, occupied, findErr := t.occupant(path)
	if findErr != nil {
		return findErr
	}
	if err != nil {
		return t.setAside(NoteProblem{Path: path, Reason: unreadable.Reason, File: state}, occupant, occupied)
	}
	problem, _, findErr := t.c.NoteProblem(path)
	if findErr != nil {
		return findErr
	}
	note, err := noteOfFile(content, t.absent(path, state, occupant, occupied, problem))
	if errors.As(err, &unreadable) {
		return t.setAside(NoteProblem{Path: path, Reason: unreadable.Reason, File: state}, occupant, occupied)
	}
	prior, known, taken, err := t.prior(note.ID, path)
	if err != nil {
		return err
	}
	if occupied && occupant.ID != note.ID {
		// Another note has taken its place; it may have gone elsewhere.
		if err := t.displace(occupant); err != nil {
			return err
		}
	}
	if taken != "" {
		return t.setAside(NoteProblem{Path: path, Reason: copyReason + taken + copyReasonEnd, ID: note.ID, File: state}, NoteRow{}, false)
	}
	if problem.Path != "" {
		if err := t.c.DropNoteProblem(path); err != nil {
			return err
		}
	}
	delete(t.loose, note.ID)
	return t.put(note, path, state, prior, known, problem)
}

// occupant is the note whose file had the path.
func (t *taking) occupant(path string) (row NoteRow, found bool, err error) {
	if !t.rebuild {
		return t.c.NoteByPath(path)
	}
	row, found = t.loose[t.was[path]]
	return row, found, nil
}

func (t *taking) displace(occupant NoteRow) error {
	if t.rebuild {
		return nil // all are loose
	}
	t.setLoose(occupant)
	occupant.Path = "\x00" + occupant.ID // no file has such a name
	return t.c.PlaceNote(occupant)
}

// put indexes a note that was found and tells what happened to it.
func (t *taking) put(note Note, path string, state FileState, prior NoteRow, known bool, problem NoteProblem) error {
	row := note.row(path, state)
	if known && !t.rebuild {
		row.Key = prior.Key
		if prior.Path == path && prior.File.Hash == state.Hash {
			return t.c.PlaceNote(row) // it only looked different
		}
	}
	key, err := t.c.PutNote(row, noteNames(row), linkNames(note.Body), note.Content(), t.c.now)
	if err != nil {
		return err
	}
	row.Key = key
	switch {
	case !known && problem.ID == note.ID && problem.ID != "" && !problem.isCopy():
		t.counts.Updated++
		return t.c.emitWritten(EventNoteUpdated, DiskAgent, row)
	case !known:
		t.counts.Created++
		return t.c.emitWritten(EventNoteCreated, DiskAgent, row)
	}
	if prior.Path != path {
		t.counts.Renamed++
		err := t.c.emitNote(EventNoteRenamed, DiskAgent, row, noteRenamed{ID: row.ID, SrcPath: prior.Path, DestPath: path})
		if err != nil {
			return err
		}
	}
	if prior.File.Hash != state.Hash {
		t.counts.Updated++
		return t.c.emitWritten(EventNoteUpdated, DiskAgent, row)
	}
	return nil
}

// absent is what stands in for what the file does not say: what stood in for
// it before, if it is the same file.
func (t *taking) absent(path string, state FileState, occupant NoteRow, occupied bool, problem NoteProblem) unwritten {
	absent := unwritten{createdAt: t.c.now, updated: t.c.now}
	before, known := occupant, occupied
	if !known {
		for _, id := range t.loosen {
			if row, left := t.loose[id]; left && !row.OwnID && row.File.Hash == state.Hash {
				before, known = row, true
				break
			}
		}
	}
	switch {
	case known:
		if !before.OwnID {
			absent.id = before.ID
		}
		absent.createdAt = before.CreatedAt
		if before.File.Hash == state.Hash {
			absent.updated = before.UpdatedAt
		}
	case problem.ID != "" && !problem.isCopy():
		absent.id = problem.ID
	}
	if absent.id == "" {
		absent.id = t.c.service.newID()
	}
	return absent
}

// prior finds the note of an id as the index had it. taken is the path of
// another file that has the id, and keeps it: the one that had it before, of
// new ones the first in path order.
func (t *taking) prior(id, path string) (row NoteRow, known bool, taken string, err error) {
	row, known = t.loose[id]
	if known && (!t.rebuild || row.Path == path) {
		return row, true, "", nil
	}
	if !known {
		if row, known, err = t.c.NoteByID(id); err != nil || !known || row.Path == path {
			return row, known, "", err
		}
		if t.rebuild {
			return row, known, row.Path, nil // as that was read a moment ago
		}
	}
	has, err := t.c.service.hasID(row.Path, id)
	if err != nil || !has {
		return row, known, "", err
	}
	return row, known, row.Path, nil
}

// hasID reports whether a file is a note of that id.
func (s *Service) hasID(path, id string) (bool, error) {
	content, _, found, err := s.folder.Read(path)
	if errors.As(err, new(*UnreadableNote)) {
		return false, nil
	}
	if err != nil || !found {
		return false, err
	}
	note, err := noteOfFile(content, unwritten{})
	return err == nil && note.ID == id, nil
}

// setAside notes a file that is no note. If it was one, that is not gone: it
// comes back when the file can be read again.
func (t *taking) setAside(p NoteProblem, occupant NoteRow, occupied bool) error {
	if before, found, err := t.c.NoteProblem(p.Path); err != nil {
		return err
	} else if found && p.ID == "" && !before.isCopy() {
		p.ID = before.ID
	}
	if occupied {
		p.ID = occupant.ID
		t.freed = append(t.freed, occupant.ID)
		delete(t.loose, occupant.ID)
		if err := t.c.DeleteNote(occupant, t.c.now); err != nil {
			return err
		}
	}
	return t.c.PutNoteProblem(p)
}
