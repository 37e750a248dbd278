package store

import (
	"slices"
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
	isNew := row.Key == 0
	if isNew {
		if err := t.run(insertNote, args...); err != nil {
			return 0, err
		}
		n, err := t.number("SELECT last_insert_rowid()")
		if err != nil {
			return 0, err
		}
		row.Key = core.NoteKey(n)
	} else if err := t.run(updateNote, append(args, row.Key)...); err != nil {
		return 0, err
	}
	if err := t.setNames(row.Key, names, isNew); err != nil {
		return 0, err
	}
	for _, part := range []struct {
		table, column string
		values        []string
	}{{"note_links", "name", links}, {"note_tags", "tag", row.Tags.List()}, {"note_sources", "source_id", row.DerivedFrom}} {
		if err := t.setPart(part.table, part.column, row.Key, part.values, isNew); err != nil {
			return 0, err
		}
	}
	if err := t.mirrorSources(row.ID, row.Namespace, row.DerivedFrom, now); err != nil {
		return 0, err
	}
	return row.Key, t.putWords(row.Key, row.Title, content, isNew, now)
}

// setPart makes the values of a note in a table of pairs those given. Rows that
// stay are not touched: as a rule all of them do.
func (t *tx) setPart(table, column string, key core.NoteKey, values []string, isNew bool) error {
	kept := map[string]bool{}
	wanted := make(map[string]bool, len(values))
	for _, value := range values {
		wanted[value] = true
	}
	if !isNew {
		var gone []string
		err := t.eachShort("SELECT "+column+" FROM "+table+" WHERE seq = ?", func(r *row) error {
			if value := r.text(0); wanted[value] {
				kept[value] = true
			} else {
				gone = append(gone, value)
			}
			return nil
		}, key)
		if err != nil {
			return err
		}
		for _, value := range gone {
			if err := t.run("DELETE FROM "+table+" WHERE seq = ? AND "+column+" = ?", key, value); err != nil {
				return err
			}
		}
	}
	for _, value := range values {
		if kept[value] {
			continue
		}
		kept[value] = true
		if err := t.run("INSERT INTO "+table+" (seq, "+column+") VALUES (?, ?)", key, value); err != nil {
			return err
		}
	}
	return nil
}

// setNames is setPart for the names of a note.
func (t *tx) setNames(key core.NoteKey, names []core.NoteName, isNew bool) error {
	kept := map[core.NoteName]bool{}
	if !isNew {
		var gone []core.NoteName
		err := t.eachShort("SELECT name, kind FROM note_names WHERE seq = ?", func(r *row) error {
			name := core.NoteName{Name: r.text(0), Kind: core.NoteNameKind(r.int(1))}
			if slices.Contains(names, name) {
				kept[name] = true
			} else {
				gone = append(gone, name)
			}
			return nil
		}, key)
		if err != nil {
			return err
		}
		for _, name := range gone {
			if err := t.run("DELETE FROM note_names WHERE name = ? AND kind = ? AND seq = ?", name.Name, int(name.Kind), key); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		if kept[name] {
			continue
		}
		kept[name] = true
		if err := t.run("INSERT INTO note_names (name, kind, seq) VALUES (?, ?, ?)", name.Name, int(name.Kind), key); err != nil {
			return err
		}
	}
	return nil
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
