package store

import (
	"dev.lithos/core"
)

// ShortIDs implements [core.ReadTx]. What tells an id from all others tells
// it from its two neighbours in the order of ids.
func (t *tx) ShortIDs(ids []string) ([]string, error) { return t.shortIDs("tasks", ids) }

// ShortNoteIDs implements [core.SearchReader].
func (t *tx) ShortNoteIDs(ids []string) ([]string, error) { return t.shortIDs("notes", ids) }

func (t *tx) shortIDs(table string, ids []string) ([]string, error) {
	short := make([]string, len(ids))
	for i, id := range ids {
		shared := 0
		_, err := t.one("SELECT (SELECT max(id) FROM "+table+" WHERE id < ?1), (SELECT min(id) FROM "+table+" WHERE id > ?1)", func(r *row) {
			for column := range 2 {
				if neighbour := r.optionalText(column); neighbour != nil {
					shared = max(shared, sharedBytes(id, *neighbour))
				}
			}
		}, id)
		if err != nil {
			return nil, err
		}
		short[i] = shortened(id, shared)
	}
	return short, nil
}

// shortened cuts an id after the character in which it first differs from
// others that share its first bytes, but not below the shortest prefix there
// may be.
func shortened(id string, shared int) string {
	characters := 0
	for at := range id {
		if characters >= core.MinIDPrefixCharacters && at > shared {
			return id[:at]
		}
		characters++
	}
	return id
}

func sharedBytes(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
