package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
)

const noteEdgeColumns = "e.edge_id, e.from_id, e.to_id, e.type, e.weight, e.namespace, e.created_at, e.updated_at," +
	" e.provenance_actor, e.provenance_type, e.evidence, e.conflict_state, e.mirrored"

func (r *row) noteEdge() core.NoteEdge {
	return core.NoteEdge{
		ID: r.text(0), From: r.text(1), To: r.text(2), Type: r.text(3), Weight: core.Real(r.real(4)), Namespace: r.text(5),
		CreatedAt: r.stamp(6), UpdatedAt: r.stamp(7),
		Actor: r.optionalText(8), ProvenanceType: r.optionalText(9), Evidence: r.optionalText(10), ConflictState: r.optionalText(11),
		Mirrored: r.int(12) != 0,
	}
}

// NoteEdges implements [core.SearchReader]. The edges are put in order here,
// which is cheaper than an index for every way of asking.
func (t *tx) NoteEdges(q core.NoteEdgeQuery) ([]core.NoteEdge, error) {
	var edges []core.NoteEdge
	seen := map[string]bool{}
	for _, source := range noteEdgeSources(q) {
		err := t.each("SELECT "+noteEdgeColumns+" FROM "+source.sql, func(r *row) error {
			if e := r.noteEdge(); !seen[e.ID] {
				seen[e.ID] = true
				edges = append(edges, e)
			}
			return nil
		}, source.args...)
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(edges, func(a, b core.NoteEdge) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return edges, nil
}

// edgeSource is what follows FROM in a query over edges e.
type edgeSource struct {
	sql  string
	args []any
}

// noteEdgeSources are the queries that together find what passes: edges at
// some notes are looked for at either end.
func noteEdgeSources(q core.NoteEdgeQuery) []edgeSource {
	var conditions []string
	var args []any
	for _, c := range []struct{ column, value string }{
		{"from_id", q.From}, {"to_id", q.To}, {"type", q.Type}, {"namespace", q.Namespace},
	} {
		if c.value != "" {
			conditions, args = append(conditions, "e."+c.column+" = ?"), append(args, c.value)
		}
	}
	if q.Asserted {
		conditions = append(conditions, "e.mirrored = 0")
	}
	where := ""
	if len(conditions) > 0 {
		where = " WHERE " + strings.Join(conditions, " AND ")
	}
	if q.At == nil {
		return []edgeSource{{"note_edges e" + where, args}}
	}
	ends := append([]any{core.MakeTags(q.At)}, args...)
	return []edgeSource{
		{keySource + " CROSS JOIN note_edges e INDEXED BY note_edges_from ON e.from_id = j.value" + where, ends},
		{keySource + " CROSS JOIN note_edges e INDEXED BY note_edges_to ON e.to_id = j.value" + where, ends},
	}
}

// NoteEdge implements [core.SearchReader].
func (t *tx) NoteEdge(id string) (edge core.NoteEdge, found bool, err error) {
	found, err = t.one("SELECT "+noteEdgeColumns+" FROM note_edges e WHERE e.edge_id = ?", func(r *row) { edge = r.noteEdge() }, id)
	return edge, found, err
}

// putNoteEdge keeps edge_id and created_at of the edge that is there.
const putNoteEdge = "INSERT INTO note_edges (edge_id, from_id, to_id, type, namespace, mirrored, weight, created_at, updated_at," +
	" provenance_actor, provenance_type, evidence, conflict_state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" +
	" ON CONFLICT (from_id, to_id, type, namespace, mirrored) DO UPDATE SET weight = excluded.weight, updated_at = excluded.updated_at," +
	" provenance_actor = excluded.provenance_actor, provenance_type = excluded.provenance_type, evidence = excluded.evidence," +
	" conflict_state = excluded.conflict_state"

// PutNoteEdge implements [core.SearchWriter].
func (t *tx) PutNoteEdge(e core.NoteEdge) (core.NoteEdge, error) {
	if e.Mirrored {
		return e, fmt.Errorf("edge %s is mirrored: only the write of a note touches it", e.ID)
	}
	if err := t.putNoteEdge(e); err != nil {
		return e, err
	}
	_, err := t.one("SELECT "+noteEdgeColumns+" FROM note_edges e WHERE e.from_id = ? AND e.to_id = ? AND e.type = ? AND e.namespace = ?"+
		" AND e.mirrored = 0", func(r *row) { e = r.noteEdge() }, e.From, e.To, e.Type, e.Namespace)
	return e, err
}

func (t *tx) putNoteEdge(e core.NoteEdge) error {
	return t.run(putNoteEdge, e.ID, e.From, e.To, e.Type, e.Namespace, e.Mirrored, float64(e.Weight), e.CreatedAt, e.UpdatedAt,
		e.Actor, e.ProvenanceType, e.Evidence, e.ConflictState)
}

// mirrorSources makes the mirrored edges of a note exactly those of the ids it
// is derived from. Edges that stay keep their stamps.
func (t *tx) mirrorSources(id, namespace string, sources []string, at core.Stamp) error {
	err := t.run("DELETE FROM note_edges WHERE from_id = ? AND mirrored = 1 AND"+
		" (namespace <> ? OR to_id NOT IN (SELECT j.value FROM "+keySource+"))", id, namespace, core.MakeTags(sources))
	if err != nil {
		return err
	}
	frontMatter := "frontmatter"
	for _, source := range sources {
		known, err := t.one("SELECT 1 FROM note_edges WHERE from_id = ? AND to_id = ? AND type = ? AND namespace = ? AND mirrored = 1",
			func(*row) {}, id, source, core.DerivedFromEdge, namespace)
		if err != nil {
			return err
		}
		if known {
			continue
		}
		err = t.putNoteEdge(core.NoteEdge{
			ID: mirroredID(id, source, namespace), From: id, To: source, Type: core.DerivedFromEdge, Namespace: namespace,
			Mirrored: true, Weight: 1, CreatedAt: at, UpdatedAt: at, ProvenanceType: &frontMatter,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mirroredID is the id of a mirrored edge: of the shape of the others, but the
// same whenever the edge is made anew.
func mirroredID(from, to, namespace string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{from, to, core.DerivedFromEdge, namespace}, "\x00")))
	return core.NoteEdgePrefix + hex.EncodeToString(sum[:6])
}
