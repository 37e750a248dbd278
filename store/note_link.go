package store

import (
	"cmp"
	"slices"

	"dev.lithos/core"
)

// linkTarget is the SQL expression for the note that a link l leads to, NULL
// when there is none: the strongest kind of name wins, then the first path.
const linkTarget = "(SELECT m.seq FROM note_names m CROSS JOIN notes o ON o.seq = m.seq" +
	" WHERE m.name = l.name ORDER BY m.kind, o.path LIMIT 1)"

// NoteLinks implements [core.NoteReader].
func (t *tx) NoteLinks(keys []core.NoteKey, side core.Direction) ([][2]core.NoteKey, error) {
	if side == core.DirectionOutgoing {
		return t.notePairs("SELECT l.seq, "+linkTarget+" AS target FROM "+keySource+
			" CROSS JOIN note_links l ON l.seq = j.value WHERE target IS NOT NULL AND target <> l.seq", keys)
	}
	// What calls one of its names may still lead to a stronger one.
	return t.notePairs("SELECT m.seq, l.seq FROM "+keySource+" CROSS JOIN note_names m ON m.seq = j.value"+
		" CROSS JOIN note_links l ON l.name = m.name WHERE l.seq <> m.seq AND "+linkTarget+" = m.seq", keys)
}

// NoteSources implements [core.NoteReader].
func (t *tx) NoteSources(keys []core.NoteKey, side core.Direction) ([][2]core.NoteKey, error) {
	if side == core.DirectionOutgoing {
		return t.notePairs("SELECT s.seq, n.seq FROM "+keySource+
			" CROSS JOIN note_sources s ON s.seq = j.value CROSS JOIN notes n ON n.id = s.source_id", keys)
	}
	return t.notePairs("SELECT n.seq, s.seq FROM "+keySource+
		" CROSS JOIN notes n ON n.seq = j.value CROSS JOIN note_sources s ON s.source_id = n.id", keys)
}

// notePairs runs a query that goes through keys one after the other for pairs
// of each with another, and puts those of each key in order, each once.
func (t *tx) notePairs(sql string, keys []core.NoteKey) (pairs [][2]core.NoteKey, err error) {
	err = t.eachShort(sql, func(r *row) error {
		pairs = append(pairs, [2]core.NoteKey{r.noteKey(0), r.noteKey(1)})
		return nil
	}, noteKeyList(keys))
	for start := 0; start < len(pairs); {
		end := start + 1
		for end < len(pairs) && pairs[end][0] == pairs[start][0] {
			end++
		}
		slices.SortFunc(pairs[start:end], func(a, b [2]core.NoteKey) int { return cmp.Compare(a[1], b[1]) })
		start = end
	}
	return slices.Compact(pairs), err
}

// IsNoteName implements [core.NoteReader].
func (t *tx) IsNoteName(name string) (bool, error) {
	return t.one("SELECT 1 FROM note_names m WHERE m.name = ? LIMIT 1", func(*row) {}, name)
}

// UnresolvedSources implements [core.NoteReader].
func (t *tx) UnresolvedSources(key core.NoteKey) (ids []string, err error) {
	err = t.eachShort("SELECT s.source_id FROM note_sources s WHERE s.seq = ?"+
		" AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.id = s.source_id) ORDER BY s.source_id", func(r *row) error {
		ids = append(ids, r.text(0))
		return nil
	}, key)
	return ids, err
}
