package store

import (
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/search"
)

// lookNotes looks whether the notes that the store knows have their files.
func (t *tx) lookNotes(o *ExamineOptions) (fault, seen string, err error) {
	known, there := int64(0), o.Notes == ""
	err = t.each("SELECT path FROM notes", func(r *row) error {
		known++
		there = there || isFile(noteAt(o.Notes, r.text(0)))
		return nil
	})
	if err == nil && known > 0 && !there {
		fault = fmt.Sprintf("The store knows %s, but none of their files is in '%s'.", counted(known, "note"), o.Notes)
	}
	return fault, fmt.Sprintf("The store knows %s.", counted(known, "note")), err
}

// lookNoteFiles looks for files that are no notes although they look like some.
func (t *tx) lookNoteFiles(o *ExamineOptions) (fault, seen string, err error) {
	var wrong faults
	problems, err := t.NoteProblems()
	if err != nil {
		return "", "", err
	}
	for _, p := range problems {
		wrong.add("'%s' %s", p.Path, p.Reason)
	}
	if o.Folder != nil {
		changes, err := o.Folder.Scan(nil, nil, true)
		if err != nil {
			return core.AsError(err).Message, "", nil
		}
		for _, folder := range changes.Barred {
			wrong.add("'%s' is a folder that may not be read", folder)
		}
		for _, odd := range changes.Odd {
			wrong.add("'%s' %s", odd.Path, odd.Reason)
		}
	}
	return wrong.text("file cannot be read as a note", "files cannot be read as notes"), "All files that look like notes can be read.", nil
}

// lookNoteIndex looks whether the index of notes holds of each what follows
// from its row, and from its file as far as that is as it was taken up.
func (t *tx) lookNoteIndex(o *ExamineOptions) (fault, seen string, err error) {
	var wrong faults
	looked, after := int64(0), core.NoteKey(0)
	for {
		const page = 500
		var notes []core.NoteRow
		err := t.eachShort("SELECT "+noteColumns+" FROM notes n NOT INDEXED WHERE n.seq > ? ORDER BY n.seq LIMIT ?", func(r *row) error {
			notes = append(notes, r.note())
			return nil
		}, int64(after), page)
		if err != nil {
			return "", "", err
		}
		for _, note := range notes {
			lacks, err := t.indexFaults(o, note)
			if err != nil {
				return "", "", err
			}
			if len(lacks) > 0 {
				wrong.add("'%s' (%s)", note.Path, strings.Join(lacks, ", "))
			}
			after = note.Key
		}
		looked += int64(len(notes))
		if len(notes) < page {
			break
		}
	}
	if err := t.lookForeignWords(&wrong); err != nil {
		return "", "", err
	}
	if err := t.lookNoteFolders(o, &wrong); err != nil {
		return "", "", err
	}
	return wrong.text("part of the index of notes is not what the notes say", "parts of the index of notes are not what the notes say"),
		fmt.Sprintf("The index of %s is what the notes say.", counted(looked, "note")), nil
}

// indexFaults are the parts of the index that are not what a note says.
func (t *tx) indexFaults(o *ExamineOptions, note core.NoteRow) (lacks []string, err error) {
	body, same := "", false
	if o.Folder != nil {
		// One that cannot be read, or that has changed, is told elsewhere.
		body, same, _ = o.Folder.ReadBody(note.Path, note.File.FileStat)
	}
	wanted := core.IndexOfNote(note, body)
	names := make([]string, len(wanted.Names))
	for i, name := range wanted.Names {
		names[i] = fmt.Sprintf("%d %s", name.Kind, name.Name)
	}
	parts := []struct {
		what, sql string
		key       any
		wanted    []string
	}{
		{"names", "SELECT kind || ' ' || name FROM note_names WHERE seq = ?", note.Key, names},
		{"tags", "SELECT tag FROM note_tags WHERE seq = ?", note.Key, note.Tags.List()},
		{"sources", "SELECT source_id FROM note_sources WHERE seq = ?", note.Key, note.DerivedFrom},
		{"edges", "SELECT to_id FROM note_edges WHERE from_id = ? AND mirrored = 1", note.ID, note.DerivedFrom},
		{"links", "SELECT name FROM note_links WHERE seq = ?", note.Key, wanted.Links},
	}
	if !same {
		parts = parts[:len(parts)-1]
	}
	for _, part := range parts {
		var held []string
		err := t.eachShort(part.sql, func(r *row) error {
			held = append(held, r.text(0))
			return nil
		}, part.key)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(asSet(held), asSet(part.wanted)) {
			lacks = append(lacks, part.what)
		}
	}
	holds := false
	_, err = t.one("SELECT title, body FROM note_words WHERE docid = ?", func(r *row) {
		holds = r.text(0) == markTitle(note.Title) && (!same || r.text(1) == search.Index(wanted.Content))
	}, note.Key)
	if err != nil {
		return nil, err
	}
	if !holds {
		lacks = append(lacks, "words")
	}
	return lacks, nil
}

// asSet is a list of texts in order, each once.
func asSet(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// lookForeignWords looks for words of notes that are not there.
func (t *tx) lookForeignWords(wrong *faults) error {
	return t.each("SELECT docid FROM note_words_docsize WHERE docid NOT IN (SELECT seq FROM notes)", func(r *row) error {
		wrong.add("words of the note of the number %d, which is not there", r.int(0))
		return nil
	})
}

// lookNoteFolders looks whether each folder with notes is known, and where it
// is known as it looks now, whether each of its files is.
func (t *tx) lookNoteFolders(o *ExamineOptions, wrong *faults) error {
	err := t.each("SELECT DISTINCT folder FROM notes INDEXED BY notes_by_folder WHERE folder NOT IN (SELECT path FROM note_folders)", func(r *row) error {
		wrong.add("the folder '%s' is not noted", r.text(0))
		return nil
	})
	if err != nil || o.Folder == nil {
		return err
	}
	known, err := t.NoteFolders()
	if err != nil {
		return err
	}
	changes, err := o.Folder.Scan(nil, nil, true)
	if err != nil {
		return nil // which is told of the files
	}
	for _, listing := range changes.Changed {
		if known[listing.Path].Marks != listing.State.Marks {
			continue // the next pass goes through it
		}
		files, err := t.NoteFiles(listing.Path)
		if err != nil {
			return err
		}
		at := make(map[string]core.FileStat, len(files))
		for _, file := range files {
			at[file.Path] = file.Stat
		}
		for _, file := range listing.Files {
			if at[file.Path] != file.Stat {
				wrong.add("the file '%s' is not noted", file.Path)
			}
		}
	}
	return nil
}
