package store

import "dev.lithos/core"

// NoteFolders implements [core.NoteReader].
func (t *tx) NoteFolders() (map[string]core.FolderState, error) {
	folders := map[string]core.FolderState{}
	err := t.eachShort("SELECT path, folder_time, marks FROM note_folders", func(r *row) error {
		folders[r.text(0)] = core.FolderState{Time: r.int(1), Marks: r.int(2)}
		return nil
	})
	return folders, err
}

// NoteFolder implements [core.NoteReader].
func (t *tx) NoteFolder(path string) (state core.FolderState, found bool, err error) {
	found, err = t.one("SELECT folder_time, marks FROM note_folders WHERE path = ?", func(r *row) {
		state = core.FolderState{Time: r.int(0), Marks: r.int(1)}
	}, path)
	return state, found, err
}

// notesFolder is the row of meta with the number of the folder of notes in its
// file system, by which it is known again.
const notesFolder = "notes_folder"

// NotesFolder implements [core.NoteReader].
func (t *tx) NotesFolder() (number int64, err error) {
	_, err = t.one("SELECT value FROM meta WHERE key = ?", func(r *row) { number = r.int(0) }, notesFolder)
	return number, err
}

// PutNotesFolder implements [core.NoteWriter].
func (t *tx) PutNotesFolder(number int64) error {
	return t.run("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", notesFolder, number)
}

// PutNoteFolder implements [core.NoteWriter].
func (t *tx) PutNoteFolder(path string, state core.FolderState) error {
	return t.run("INSERT INTO note_folders (path, folder_time, marks) VALUES (?, ?, ?)"+
		" ON CONFLICT (path) DO UPDATE SET folder_time = excluded.folder_time, marks = excluded.marks", path, state.Time, state.Marks)
}

// DropNoteFolder implements [core.NoteWriter].
func (t *tx) DropNoteFolder(path string) error {
	return t.run("DELETE FROM note_folders WHERE path = ?", path)
}

// NoteFiles implements [core.NoteReader].
func (t *tx) NoteFiles(folder string) (known []core.KnownFile, err error) {
	err = t.eachShort("SELECT path, file_size, file_time, file_number, seq FROM notes INDEXED BY notes_by_folder WHERE folder = ?1"+
		" UNION ALL SELECT path, file_size, file_time, file_number, 0 FROM note_problems INDEXED BY note_problems_by_folder WHERE folder = ?1"+
		" ORDER BY path", func(r *row) error {
		known = append(known, core.KnownFile{
			Path: r.text(0), Stat: core.FileStat{Size: r.int(1), Time: r.int(2), Number: r.int(3)}, Key: r.noteKey(4),
		})
		return nil
	}, folder)
	return known, err
}

const problemColumns = "path, reason, id, file_size, file_time, file_number, file_hash"

func (r *row) noteProblem() core.NoteProblem {
	p := core.NoteProblem{Path: r.text(0), Reason: r.text(1), File: r.fileState(3)}
	if id := r.optionalText(2); id != nil {
		p.ID = *id
	}
	return p
}

// NoteProblems implements [core.NoteReader].
func (t *tx) NoteProblems() (problems []core.NoteProblem, err error) {
	err = t.eachShort("SELECT "+problemColumns+" FROM note_problems ORDER BY path", func(r *row) error {
		problems = append(problems, r.noteProblem())
		return nil
	})
	return problems, err
}

// NoteProblem implements [core.NoteReader].
func (t *tx) NoteProblem(path string) (p core.NoteProblem, found bool, err error) {
	found, err = t.one("SELECT "+problemColumns+" FROM note_problems WHERE path = ?", func(r *row) { p = r.noteProblem() }, path)
	return p, found, err
}

// CountNoteProblems implements [core.NoteReader].
func (t *tx) CountNoteProblems(pathPrefix string) (int64, error) {
	return t.number("SELECT count(*) FROM note_problems WHERE path >= ? AND path < ?", pathPrefix, afterPrefix(pathPrefix))
}

// PutNoteProblem implements [core.NoteWriter].
func (t *tx) PutNoteProblem(p core.NoteProblem) error {
	var id any
	if p.ID != "" {
		id = p.ID
	}
	return t.run("INSERT OR REPLACE INTO note_problems (path, folder, reason, id, file_size, file_time, file_number, file_hash)"+
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		p.Path, noteFolder(p.Path), p.Reason, id, p.File.Size, p.File.Time, p.File.Number, p.File.Hash)
}

// DropNoteProblem implements [core.NoteWriter].
func (t *tx) DropNoteProblem(path string) error {
	return t.run("DELETE FROM note_problems WHERE path = ?", path)
}
