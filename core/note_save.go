package core

import (
	"errors"
	"fmt"
	"strings"
)

// saveUpdate writes the next version of a note by an agent.
func (c *change) saveUpdate(n Note, row NoteRow, agent string) (NoteRow, error) {
	if n.Namespace == "" && !n.hasOdd("namespace") {
		n.Namespace = row.Namespace
	}
	n.Version++
	n.UpdatedAt = max(c.now, min(n.UpdatedAt+1, lastStamp()))
	if agent != n.Author && !contains(n.Contributors, agent) {
		n.Contributors = append(n.Contributors, agent)
	}
	if err := c.see(agent); err != nil {
		return row, err
	}
	row, err := c.save(n, row.Path, row)
	if err != nil {
		return row, err
	}
	return row, c.emitWritten(EventNoteUpdated, agent, row)
}

// rewriteNote changes a note as an ordinary write by an agent does: next
// version, file, index and event.
func (c *change) rewriteNote(row NoteRow, agent string, edit func(*Note)) (NoteRow, error) {
	row, n, err := c.freshNote(row, "id", row.ID)
	if err != nil {
		return row, err
	}
	edit(&n)
	return c.saveUpdate(n, row, agent)
}

// freshNote reads a note that is to be changed. What was changed by hand since
// the last pass is taken up first.
func (c *change) freshNote(row NoteRow, field, value string) (NoteRow, Note, error) {
	missing := noNote(CodeNoteNotFound, field, value)
	stat, there, err := c.service.folder.Stat(row.Path)
	if err != nil {
		return row, Note{}, err
	}
	if !there || stat != row.File.FileStat {
		// The folder it lies in is gone through before the operation; this is
		// for what happened in between.
		t := &taking{c: c, loose: map[string]NoteRow{}}
		if there {
			err = t.file(row.Path)
		} else {
			t.setLoose(row)
		}
		if err == nil {
			err = t.finish()
		}
		if err != nil {
			return row, Note{}, err
		}
		var found bool
		if row, found, err = c.NoteByID(row.ID); err != nil || !found {
			return row, Note{}, errors.Join(err, notFoundUnless(err, missing))
		}
	}
	n, found, err := c.service.noteOf(row)
	if err == nil && !found {
		err = missing
	}
	return row, n, err
}

// notFoundUnless is missing when there is no other error.
func notFoundUnless(err error, missing *Error) error {
	if err != nil {
		return nil
	}
	return missing
}

// noteOf reads the file of a note; false when it is gone or another note's by
// now.
func (s *Service) noteOf(row NoteRow) (n Note, found bool, err error) {
	n, found, _, err = s.noteAsKnown(row)
	return n, found, err
}

// noteAsKnown is noteOf that tells as well whether the file is as the index
// knows it.
func (s *Service) noteAsKnown(row NoteRow) (n Note, found, asKnown bool, err error) {
	content, state, there, err := s.folder.Read(row.Path)
	asKnown = there && state.FileStat == row.File.FileStat
	if err == nil && there {
		n, err = noteOfFile(content, unwritten{id: row.ID, createdAt: row.CreatedAt, updated: row.UpdatedAt})
	}
	if errors.As(err, new(*UnreadableNote)) {
		return Note{}, false, asKnown, nil
	}
	return n, err == nil && there && n.ID == row.ID, asKnown, err
}

// save writes the file of a note and indexes it. before is the note as it was;
// without a key the note is new.
func (c *change) save(n Note, path string, before NoteRow) (NoteRow, error) {
	n.OwnID = true
	folders, err := c.watchFolders(path)
	if err != nil {
		return before, err
	}
	state, err := c.putFile(n, path, before)
	if errors.Is(err, ErrNoteFileExists) {
		return before, c.occupied(path)
	}
	if unreadable := (*UnreadableNote)(nil); errors.As(err, &unreadable) {
		return before, n.tooMuch(unreadable, err)
	}
	if err != nil {
		// Its last step may have failed with the file in place.
		stat, there, statErr := c.service.folder.Stat(path)
		c.touched = statErr != nil || there != (before.Key != 0) || there && stat != before.File.FileStat
		return before, err
	}
	c.touched = !c.rehearsed
	row := n.row(path, state)
	row.Key = before.Key
	if row.Key, err = c.PutNote(row, noteNames(row), linkNames(n.Body), n.Content(), c.now); err != nil {
		return row, err
	}
	if c.rehearsed {
		return row, nil
	}
	mark := FileMark(path, state.FileStat)
	if before.Key != 0 {
		mark -= FileMark(path, before.File.FileStat)
		return row, folders.settle(mark)
	}
	number, err := c.service.folder.Number()
	if err == nil {
		err = c.noteFolderIs(number)
	}
	return row, errors.Join(err, folders.settle(mark))
}

// putFile writes the file of a note; a rehearsal looks only whether a new one
// is in the way of another.
func (c *change) putFile(n Note, path string, before NoteRow) (FileState, error) {
	switch folder := c.service.folder; {
	case before.Key != 0 && c.rehearsed:
		return before.File, nil
	case before.Key != 0:
		return folder.Replace(path, n.file())
	case c.rehearsed:
		_, there, err := folder.Stat(path)
		if err == nil && there {
			err = ErrNoteFileExists
		}
		return FileState{}, err
	default:
		return folder.Create(path, n.file())
	}
}

// MaxNoteLevels is how deep free-form metadata that is given for a note can be
// nested: every level indents the lines of the file.
const MaxNoteLevels = 32

// jsonLevels is how many lists and objects of a JSON text lie inside each other.
func jsonLevels(text string) int {
	level, most := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			level++
			most = max(most, level)
		case ']', '}':
			level--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return most
}

// MaxNoteValues is how many values, keys included, the front matter of a note
// can hold.
const MaxNoteValues = 200_000

// tooMuch is the answer to a note whose file could not be read again.
func (n Note) tooMuch(why *UnreadableNote, cause error) error {
	text := n.metadata().Text()
	e := tooLarge("metadata", len(text), MaxMetadataBytes, "bytes")
	if values := countJSONValues(text); values > MaxNoteValues/2 {
		e = tooLarge("metadata", values, MaxNoteValues, "values")
	}
	e.Message = fmt.Sprintf("The note is not written, for nobody could read it again: its file %s.", why.Reason)
	return e.Because(cause)
}

// countJSONValues counts the texts, numbers, words, lists and objects of a JSON
// text, keys included.
func countJSONValues(text string) int {
	count := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\n', '\r', ',', ':', ']', '}':
		case '[', '{':
			count++
		case '"':
			count++
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		default:
			count++
			for i+1 < len(text) && !strings.ContainsRune(" \t\n\r,:]}", rune(text[i+1])) {
				i++
			}
		}
	}
	return count
}

// occupied is the answer to making a file that the index does not know of.
func (c *change) occupied(path string) error {
	stat, there, err := c.service.folder.Stat(path)
	if err != nil || !there {
		return errors.Join(err, pathCollision(path, nil))
	}
	owner, found, err := c.NoteOfFile(folderOf(path), stat.Number)
	if err != nil {
		return err
	}
	if !found {
		return pathCollision(path, nil)
	}
	return pathCollision(path, owner.ID)
}
