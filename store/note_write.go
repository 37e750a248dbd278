package store

import (
	"strings"

	"dev.lithos/core"
)

// noteParts are the tables with the names, links, tags and sources of notes.
var noteParts = []string{"note_names", "note_links", "note_tags", "note_sources"}

// noteValues are the columns of a note as they are written, without its key.
const noteValues = "id, path, folder, title_named, title, author, created_at, updated_at, version, expires_at, confidence," +
	" namespace, access_scope, note_type, status, source, source_url, file_size, file_time, file_number, file_hash, own_id," +
	" tags, derived_from, entities, aliases, metadata"

var (
	insertNote = "INSERT INTO notes (" + noteValues + ") VALUES (?" + strings.Repeat(", ?", strings.Count(noteValues, ",")) + ")"
	updateNote = "UPDATE notes SET (" + noteValues + ") = (?" + strings.Repeat(", ?", strings.Count(noteValues, ",")) + ") WHERE seq = ?"
)

// PutNote implements [core.NoteWriter].
func (t *tx) PutNote(row core.NoteRow, names []core.NoteName, links []string, content string, now core.Stamp) (core.NoteKey, error) {
	args := []any{
		row.ID, row.Path, noteFolder(row.Path), row.TitleNamed, row.Title, row.Author, row.CreatedAt, row.UpdatedAt, row.Version, row.ExpiresAt,
		row.Confidence, row.Namespace, row.AccessScope, row.NoteType, row.Status, row.Source, row.SourceURL,
		row.File.Size, row.File.Time, row.File.Number, row.File.Hash, row.OwnID,
		row.Tags, core.MakeTags(row.DerivedFrom), core.MakeTags(row.Entities), core.MakeTags(row.Aliases), row.Metadata,
	}
	if row.Key == 0 {
		if err := t.run(insertNote, args...); err != nil {
			return 0, err
		}
		n, err := t.number("SELECT last_insert_rowid()")
		if err != nil {
			return 0, err
		}
		row.Key = core.NoteKey(n)
	} else {
		if err := t.run(updateNote, append(args, row.Key)...); err != nil {
			return 0, err
		}
		if err := t.dropParts(row.Key); err != nil {
			return 0, err
		}
	}
	for _, name := range names {
		if err := t.run("INSERT OR IGNORE INTO note_names (name, kind, seq) VALUES (?, ?, ?)", name.Name, int(name.Kind), row.Key); err != nil {
			return 0, err
		}
	}
	for sql, values := range map[string][]string{
		"INSERT OR IGNORE INTO note_links (seq, name) VALUES (?, ?)":        links,
		"INSERT OR IGNORE INTO note_tags (seq, tag) VALUES (?, ?)":          row.Tags.List(),
		"INSERT OR IGNORE INTO note_sources (seq, source_id) VALUES (?, ?)": row.DerivedFrom,
	} {
		for _, v := range values {
			if err := t.run(sql, row.Key, v); err != nil {
				return 0, err
			}
		}
	}
	if err := t.mirrorSources(row.ID, row.Namespace, row.DerivedFrom, now); err != nil {
		return 0, err
	}
	return row.Key, t.putWords(row.Key, row.Title, content, now)
}

func noteFolder(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}

func (t *tx) dropParts(key core.NoteKey) error {
	for _, table := range noteParts {
		if err := t.run("DELETE FROM "+table+" WHERE seq = ?", key); err != nil {
			return err
		}
	}
	return nil
}

// PlaceNote implements [core.NoteWriter].
func (t *tx) PlaceNote(row core.NoteRow) error {
	return t.run("UPDATE notes SET path = ?, folder = ?, file_size = ?, file_time = ?, file_number = ?, file_hash = ? WHERE seq = ?",
		row.Path, noteFolder(row.Path), row.File.Size, row.File.Time, row.File.Number, row.File.Hash, row.Key)
}

// DeleteNote implements [core.NoteWriter]. A note without a key has no row any
// more; only what is kept by id is left of it.
func (t *tx) DeleteNote(row core.NoteRow, now core.Stamp) error {
	if row.Key != 0 {
		if err := t.dropParts(row.Key); err != nil {
			return err
		}
		if err := t.dropWords(row.Key, now); err != nil {
			return err
		}
		if err := t.run("DELETE FROM notes WHERE seq = ?", row.Key); err != nil {
			return err
		}
	}
	return t.mirrorSources(row.ID, row.Namespace, nil, now)
}

// ForgetNotes implements [core.NoteWriter].
func (t *tx) ForgetNotes(now core.Stamp) error {
	for _, table := range append(noteParts, "note_folders", "notes") {
		if _, err := t.exec("DELETE FROM " + table); err != nil {
			return err
		}
	}
	return t.clearWords(now)
}
