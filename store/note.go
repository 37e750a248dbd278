package store

import (
	"slices"
	"strings"
	"unicode/utf8"

	"dev.lithos/core"
)

// noteColumns are those of a [core.NoteRow].
const noteColumns = "n.seq, n.id, n.title, n.path, n.author, n.created_at, n.updated_at, n.version, n.expires_at, n.confidence," +
	" n.namespace, n.access_scope, n.note_type, n.status, n.source, n.source_url, n.title_named, n.own_id," +
	" n.file_size, n.file_time, n.file_number, n.file_hash, n.tags, n.derived_from, n.entities, n.aliases, n.metadata"

func (r *row) note() core.NoteRow {
	return core.NoteRow{
		NoteHead: core.NoteHead{Key: r.noteKey(0), ID: r.text(1), Title: r.text(2), Path: r.text(3)},
		Author:   r.text(4), CreatedAt: r.stamp(5), UpdatedAt: r.stamp(6), Version: r.int(7), ExpiresAt: r.optionalStamp(8),
		Confidence: r.real(9), Namespace: r.text(10), AccessScope: r.text(11), NoteType: r.text(12), Status: r.text(13),
		Source: r.optionalText(14), SourceURL: r.optionalText(15), TitleNamed: r.int(16) != 0, OwnID: r.int(17) != 0,
		File: r.fileState(18), Tags: r.tags(22), DerivedFrom: r.tags(23).List(), Entities: r.tags(24).List(), Aliases: r.tags(25).List(),
		Metadata: r.object(26),
	}
}

func (r *row) noteKey(i int) core.NoteKey { return core.NoteKey(r.int(i)) }

// fileState reads the four columns of a file's state.
func (r *row) fileState(i int) core.FileState {
	return core.FileState{FileStat: core.FileStat{Size: r.int(i), Time: r.int(i + 1), Number: r.int(i + 2)}, Hash: r.int(i + 3)}
}

// oneNote reads the note that a condition finds by an index.
func (t *tx) oneNote(condition string, args ...any) (note core.NoteRow, found bool, err error) {
	found, err = t.one("SELECT "+noteColumns+" FROM notes n WHERE "+condition, func(r *row) { note = r.note() }, args...)
	return note, found, err
}

// NoteByID implements [core.NoteReader].
func (t *tx) NoteByID(id string) (core.NoteRow, bool, error) { return t.oneNote("n.id = ?", id) }

// NoteByPath implements [core.NoteReader].
func (t *tx) NoteByPath(path string) (core.NoteRow, bool, error) {
	return t.oneNote("n.path = ?", path)
}

// NoteOfFile implements [core.NoteReader].
func (t *tx) NoteOfFile(folder string, number int64) (core.NoteRow, bool, error) {
	return t.oneNote("n.folder = ? AND n.file_number = ?", folder, number)
}

// NoteOfURL implements [core.NoteReader].
func (t *tx) NoteOfURL(url string) (core.NoteRow, bool, error) {
	return t.oneNote("n.source_url = ? ORDER BY n.path LIMIT 1", url)
}

// NotesByPrefix implements [core.NoteReader].
func (t *tx) NotesByPrefix(prefix string, limit int) ([]core.NoteHead, error) {
	f := filter{}
	f.add("n.id >= ? AND n.id < ?", prefix, afterPrefix(prefix))
	var heads []core.NoteHead
	err := t.eachShort("SELECT n.seq, n.id, n.title, n.path FROM notes n"+f.where()+" ORDER BY n.id"+f.page(limit, 0), func(r *row) error {
		heads = append(heads, core.NoteHead{Key: r.noteKey(0), ID: r.text(1), Title: r.text(2), Path: r.text(3)})
		return nil
	}, f.args...)
	return heads, err
}

// ResolveNote implements [core.ReadTx].
func (t *tx) ResolveNote(prefix string, limit int) ([]core.TaskName, error) {
	note, found, err := t.NoteByID(prefix)
	if err != nil {
		return nil, err
	}
	if found {
		return []core.TaskName{{ID: note.ID, Title: note.Title}}, nil
	}
	if utf8.RuneCountInString(prefix) < core.MinIDPrefixCharacters {
		return nil, nil
	}
	heads, err := t.NotesByPrefix(prefix, limit)
	names := make([]core.TaskName, len(heads))
	for i, head := range heads {
		names[i] = core.TaskName{ID: head.ID, Title: head.Title}
	}
	return names, err
}

// Notes implements [core.NoteReader].
func (t *tx) Notes(keys []core.NoteKey) ([]core.NoteRow, error) {
	notes := make([]core.NoteRow, 0, len(keys))
	for _, key := range keys {
		note, found, err := t.oneNote("n.seq = ?", key)
		if err != nil {
			return nil, err
		}
		if found {
			notes = append(notes, note)
		}
	}
	return notes, nil
}

// notes keeps notes n that pass. The title is judged in Go, since SQLite
// folds the case of ASCII letters only; keep says so for a title, and is nil
// when every title passes.
func (f *filter) notes(q core.NoteFilter) (keep func(title string) bool) {
	if q.PathPrefix != "" {
		f.add("n.path >= ? AND n.path < ?", q.PathPrefix, afterPrefix(q.PathPrefix))
	}
	f.each(q.Tags, "n.seq IN (SELECT g.seq FROM note_tags g WHERE g.tag = ?)")
	f.each(q.Entities, "EXISTS (SELECT 1 FROM json_each("+readable("n.entities", "[]")+") g WHERE g.type = 'text' AND g.value = ?)")
	if q.Author != "" {
		f.add("n.author = ?", q.Author)
	}
	if q.Since != nil {
		f.add("n.updated_at >= ?", *q.Since)
	}
	f.matchIn("n.metadata", q.Match)
	if q.TitleContains == "" {
		return nil
	}
	wanted := core.FoldCase(q.TitleContains)
	return func(title string) bool { return strings.Contains(core.FoldCase(title), wanted) }
}

// manyNotes is how many notes are looked at one by one.
const manyNotes = 2_000

// NotesPassing implements [core.NoteReader].
func (t *tx) NotesPassing(keys []core.NoteKey, q core.NoteFilter) ([]core.NoteKey, error) {
	var f filter
	keep := f.notes(q)
	if len(f.conditions) == 0 && keep == nil {
		return keys, nil
	}
	// Of very many notes it is cheaper to find all that pass.
	from, args := "notes n", f.args
	if len(keys) <= manyNotes {
		from = "(SELECT value AS seq FROM json_each(?)) j CROSS JOIN notes n ON n.seq = j.seq"
		args = append([]any{noteKeyList(keys)}, args...)
	}
	passing := make(map[core.NoteKey]bool, len(keys))
	err := t.eachShort("SELECT n.seq, n.title FROM "+from+f.where(), func(r *row) error {
		if keep == nil || keep(r.text(1)) {
			passing[r.noteKey(0)] = true
		}
		return nil
	}, args...)
	return slices.DeleteFunc(slices.Clone(keys), func(key core.NoteKey) bool { return !passing[key] }), err
}

// EachNote implements [core.NoteReader].
func (t *tx) EachNote(q core.NoteFilter, yield func(core.NoteRow) bool) error {
	var f filter
	keep := f.notes(q)
	return t.eachShort("SELECT "+noteColumns+" FROM notes n NOT INDEXED"+f.where()+" ORDER BY n.seq", func(r *row) error {
		if keep != nil && !keep(r.text(2)) {
			return nil
		}
		if note := r.note(); r.bad != nil || !yield(note) {
			return errStop
		}
		return nil
	}, f.args...)
}

// noteItemColumns are those of a [core.NoteListItem]: a third of a row's.
const noteItemColumns = "n.id, n.title, n.path, n.updated_at, n.tags, n.source_url, n.derived_from, n.metadata"

func (r *row) noteItem() core.NoteListItem {
	return core.NoteListItem{
		ID: r.text(0), Title: r.text(1), Path: r.text(2), Updated: r.stamp(3), Tags: r.tags(4), SourceURL: r.optionalText(5),
		DerivedFrom: r.tags(6), Metadata: r.object(7),
	}
}

// NotePage implements [core.NoteReader].
func (t *tx) NotePage(q core.NoteFilter, limit, offset int) (items []core.NoteListItem, total int64, err error) {
	var f filter
	keep := f.notes(q)
	if len(f.conditions) == 0 && keep == nil {
		if total, err = t.number("SELECT count(*) FROM notes"); err != nil || limit == 0 || int64(offset) >= total {
			return nil, total, err
		}
		items = make([]core.NoteListItem, 0, min(int64(limit), total-int64(offset)))
		err = t.eachShort("SELECT "+noteItemColumns+" FROM notes n NOT INDEXED ORDER BY n.seq"+f.page(limit, offset), func(r *row) error {
			items = append(items, r.noteItem())
			return nil
		}, f.args...)
		return items, total, err
	}
	keys, err := t.keysPassing(f, keep)
	if err != nil {
		return nil, 0, err
	}
	slices.Sort(keys)
	start := min(offset, len(keys))
	end := start + min(limit, len(keys)-start)
	items, err = t.NoteItems(keys[start:end])
	return items, int64(len(keys)), err
}

// keysPassing are the keys of the notes that pass a filter. Where titles do not
// matter they come out of an index alone.
func (t *tx) keysPassing(f filter, keep func(title string) bool) (keys []core.NoteKey, err error) {
	columns := "n.seq"
	if keep != nil {
		columns += ", n.title"
	}
	err = t.eachShort("SELECT "+columns+" FROM notes n"+f.where(), func(r *row) error {
		if keep == nil || keep(r.text(1)) {
			keys = append(keys, r.noteKey(0))
		}
		return nil
	}, f.args...)
	return keys, err
}

// NoteItems implements [core.NoteReader].
func (t *tx) NoteItems(keys []core.NoteKey) ([]core.NoteListItem, error) {
	items := make([]core.NoteListItem, 0, len(keys))
	for _, key := range keys {
		_, err := t.one("SELECT "+noteItemColumns+" FROM notes n WHERE n.seq = ?", func(r *row) { items = append(items, r.noteItem()) }, key)
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

// NotesByChange implements [core.NoteReader].
func (t *tx) NotesByChange(limit, offset int) (notes []core.NoteRow, err error) {
	var f filter
	err = t.eachShort("SELECT "+noteColumns+" FROM notes n ORDER BY n.updated_at DESC, n.seq DESC"+f.page(limit, offset), func(r *row) error {
		notes = append(notes, r.note())
		return nil
	}, f.args...)
	return notes, err
}

// NotePosition implements [core.NoteReader].
func (t *tx) NotePosition(note core.NoteRow) (int, error) {
	n, err := t.number("SELECT (SELECT count(*) FROM notes n WHERE n.updated_at > ?1)"+
		" + (SELECT count(*) FROM notes n WHERE n.updated_at = ?1 AND n.seq > ?2)", note.UpdatedAt, note.Key)
	return int(n), err
}

// NotesOfTask implements [core.NoteReader].
func (t *tx) NotesOfTask(taskID string, limit int) (notes []core.NoteRow, err error) {
	var f filter
	f.add("n.source = ?", taskID)
	err = t.eachShort("SELECT "+noteColumns+" FROM notes n"+f.where()+" ORDER BY n.updated_at DESC, n.seq DESC"+f.page(limit, 0), func(r *row) error {
		notes = append(notes, r.note())
		return nil
	}, f.args...)
	return notes, err
}

// NoteTags implements [core.NoteReader].
func (t *tx) NoteTags(prefix string) (tags []core.TagCount, err error) {
	wanted := core.FoldCase(prefix)
	err = t.eachShort("SELECT tag, count(*) FROM note_tags INDEXED BY note_tags_by_tag GROUP BY tag ORDER BY tag", func(r *row) error {
		if tag := r.text(0); strings.HasPrefix(core.FoldCase(tag), wanted) {
			tags = append(tags, core.TagCount{Tag: tag, Notes: r.int(1)})
		}
		return nil
	})
	return tags, err
}

// NoteCounts implements [core.NoteReader].
func (t *tx) NoteCounts(now core.Stamp) (counts core.NoteCounts, err error) {
	_, err = t.one("SELECT (SELECT count(*) FROM notes), (SELECT count(DISTINCT tag) FROM note_tags INDEXED BY note_tags_by_tag),"+
		" (SELECT count(*) - count(DISTINCT source_url) FROM notes WHERE source_url IS NOT NULL),"+
		" (SELECT count(*) FROM notes WHERE expires_at < ?)", func(r *row) {
		counts = core.NoteCounts{Notes: r.int(0), Tags: r.int(1), DuplicateURLs: r.int(2), Stale: r.int(3)}
	}, now)
	if err != nil {
		return counts, err
	}
	// Name by name, since many notes may call the same one. Two names of a note
	// that stand for the same other are one link.
	_, err = t.one("WITH asked (name, target) AS MATERIALIZED (SELECT l.name, "+
		"CASE (SELECT count(*) FROM (SELECT 1 FROM note_names m WHERE m.name = l.name LIMIT 2))"+
		" WHEN 0 THEN NULL WHEN 1 THEN (SELECT m.seq FROM note_names m WHERE m.name = l.name) ELSE "+linkTarget+" END"+
		" FROM (SELECT DISTINCT name FROM note_links INDEXED BY note_links_by_name) l)"+
		" SELECT count(*) FILTER (WHERE target IS NULL), count(DISTINCT CASE WHEN target <> seq THEN seq || ' ' || target END)"+
		" FROM asked a CROSS JOIN note_links l INDEXED BY note_links_by_name ON l.name = a.name", func(r *row) {
		counts.UnresolvedLinks, counts.Links = r.int(0), r.int(1)
	})
	return counts, err
}
