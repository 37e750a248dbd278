package store

import (
	"cmp"
	"slices"
	"strings"

	"dev.lithos/core"
)

// edgeColumns are what edge reads of a row e of edges with its ends f and t.
const (
	edgeColumns = "e.n, e.from_seq, e.to_seq, f.id, t.id, e.type, e.metadata, e.created_by, e.created_at"
	edgeEnds    = " LEFT JOIN tasks f ON f.seq = e.from_seq LEFT JOIN tasks t ON t.seq = e.to_seq"
)

func (r *row) edge() core.Edge {
	e := core.Edge{
		From: r.key(1), To: r.key(2), Type: r.edgeType(5), Metadata: r.object(6), CreatedBy: r.text(7), CreatedAt: r.stamp(8),
	}
	if !r.isNull(3) {
		e.FromID = r.text(3)
	}
	if !r.isNull(4) {
		e.ToID = r.text(4)
	}
	return e
}

// named gives the ends of an edge whose rows are gone the ids they had.
func (t *tx) named(e core.Edge) (core.Edge, error) {
	var err error
	if e.FromID == "" {
		e.FromID, err = t.missingID(e.From)
	}
	if e.ToID == "" && err == nil {
		e.ToID, err = t.missingID(e.To)
	}
	return e, err
}

// side is the index and the column by which the edges at a task are found,
// and the column of the other end.
func side(d core.Direction) (index, own, other string) {
	if d == core.DirectionIncoming {
		return "edges_to", "to_seq", "from_seq"
	}
	return "edges_from", "from_seq", "to_seq"
}

// Edges implements [core.ReadTx].
func (t *tx) Edges(key core.TaskKey, d core.Direction, types []core.EdgeType) ([]core.Edge, error) {
	index, own, _ := side(d)
	type placed struct {
		n    int64
		edge core.Edge
	}
	var found []placed
	err := t.eachShort("SELECT "+edgeColumns+" FROM edges e INDEXED BY "+index+edgeEnds+
		" WHERE e."+own+" = ? AND e.type IN "+typeList(types), func(r *row) error {
		found = append(found, placed{r.int(0), r.edge()})
		return nil
	}, key)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b placed) int {
		return cmp.Or(strings.Compare(string(a.edge.Type), string(b.edge.Type)), cmp.Compare(a.n, b.n))
	})
	edges := make([]core.Edge, len(found))
	for i, p := range found {
		if edges[i], err = t.named(p.edge); err != nil {
			return nil, err
		}
	}
	return edges, nil
}

// HasEdges implements [core.ReadTx].
func (t *tx) HasEdges(key core.TaskKey, d core.Direction, types []core.EdgeType) (bool, error) {
	index, own, _ := side(d)
	return t.one("SELECT 1 FROM edges e INDEXED BY "+index+" WHERE e."+own+" = ? AND e.type IN "+typeList(types)+" LIMIT 1",
		func(*row) {}, key)
}

// FindEdge implements [core.ReadTx].
func (t *tx) FindEdge(from, to core.TaskKey, edgeType core.EdgeType) (edge core.Edge, found bool, err error) {
	found, err = t.one("SELECT "+edgeColumns+" FROM edges e INDEXED BY edges_from"+edgeEnds+
		" WHERE e.from_seq = ? AND e.type = ? AND e.to_seq = ?", func(r *row) { edge = r.edge() }, from, edgeType, to)
	if err == nil && found {
		edge, err = t.named(edge)
	}
	return edge, found, err
}

// Parent implements [core.ReadTx].
func (t *tx) Parent(key core.TaskKey) (parent core.TaskHead, found bool, err error) {
	found, err = t.one("SELECT "+headColumns+" FROM edges e INDEXED BY edges_to CROSS JOIN tasks t ON t.seq = e.from_seq"+
		" WHERE e.to_seq = ? AND e.type = ? ORDER BY e.n LIMIT 1", func(r *row) { parent = r.head(0) }, key, core.EdgeParentChild)
	return parent, found, err
}

const childrenSource = " FROM edges e INDEXED BY edges_from CROSS JOIN tasks t ON t.seq = e.to_seq WHERE e.from_seq = ? AND e.type = ?"

// Children implements [core.ReadTx].
func (t *tx) Children(key core.TaskKey) (children []core.TaskHead, err error) {
	err = t.eachShort("SELECT "+headColumns+childrenSource, func(r *row) error {
		children = append(children, r.head(0))
		return nil
	}, key, core.EdgeParentChild)
	slices.SortFunc(children, func(a, b core.TaskHead) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return children, err
}

// EachEdge implements [core.ReadTx].
func (t *tx) EachEdge(yield func(core.Edge) error) error {
	return t.each("SELECT "+edgeColumns+" FROM edges e"+edgeEnds+" ORDER BY e.n", func(r *row) error {
		edge := r.edge()
		if r.bad != nil {
			r.judge("an edge", "", "")
			return errStop
		}
		edge, err := t.named(edge)
		if err != nil {
			return err
		}
		if !r.judge("an edge to the task", edge.ToID, (&core.TransferRecord{Kind: core.TransferEdge, Edge: edge}).Fault()) {
			return errStop
		}
		return yield(edge)
	})
}

const insertNewEdge = "INSERT INTO edges (from_seq, to_seq, type, created_at, created_by, metadata) VALUES (?, ?, ?, ?, ?, ?)"

const insertEdge = insertNewEdge +
	" ON CONFLICT (from_seq, type, to_seq) DO UPDATE SET "

// PutEdge implements [core.WriteTx].
func (t *tx) PutEdge(e core.Edge) error {
	err := t.run(insertEdge+"metadata = excluded.metadata", e.From, e.To, e.Type, e.CreatedAt, e.CreatedBy, e.Metadata)
	if err != nil || !e.Type.IsDependency() {
		return err
	}
	return t.settleTask(e.To)
}

// DeleteEdge implements [core.WriteTx].
func (t *tx) DeleteEdge(from, to core.TaskKey, edgeType core.EdgeType) (bool, error) {
	deleted, err := t.exec("DELETE FROM edges WHERE from_seq = ? AND type = ? AND to_seq = ?", from, edgeType, to)
	if err != nil || deleted == 0 {
		return false, err
	}
	if !edgeType.IsDependency() {
		return true, nil
	}
	return true, t.settleTask(to)
}
