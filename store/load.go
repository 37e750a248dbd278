package store

import (
	"fmt"

	"dev.lithos/core"
)

// loader implements [core.Loader].
type loader struct {
	*tx
	changed *changes
}

// changes are what a load has done to the frontier, as long as it is little.
// Then only that is settled, so that a small import into a large store does
// not count everything anew.
type changes struct {
	entered []core.TaskKey // tasks whose own row has to be settled
	altered []core.TaskKey // tasks that others may wait for
	edges   []core.Edge    // dependency edges
}

// fewChanges is how many count as little.
const fewChanges = 500

func (c *changes) few() bool { return len(c.entered)+len(c.altered)+len(c.edges) <= fewChanges }

// uncounted stands in the column hard of open tasks until a load is over.
const uncounted = 2

// loadCache and restingCache are how many KiB of pages the writing connection
// keeps in memory. A load touches pages of all indexes at random, and those
// that do not fit are written to the log and read back again and again.
const (
	loadCache    = 96 << 10
	restingCache = 2 << 10
)

// Load implements [core.WriteTx].
func (t *tx) Load(fn func(core.Loader) error) (err error) {
	if err := t.keepPages(loadCache); err != nil {
		return err
	}
	defer func() {
		if restErr := t.keepPages(restingCache); err == nil {
			err = restErr
		}
	}()
	l := loader{t, &changes{}}
	if err := fn(l); err != nil {
		return err
	}
	if l.changed.few() {
		return t.settleChanges(l.changed)
	}
	if err := t.settle(differingAll); err != nil {
		return err
	}
	return t.noteRings()
}

// settleChanges settles what a load has changed.
func (t *tx) settleChanges(c *changes) error {
	for _, key := range c.entered {
		if err := t.settleTask(key); err != nil {
			return err
		}
	}
	for _, key := range c.altered {
		if err := t.settleTargets(key); err != nil {
			return err
		}
	}
	for _, e := range c.edges {
		if err := t.settleTask(e.To); err != nil {
			return err
		}
	}
	rings, err := t.MayHaveRings()
	for _, e := range c.edges {
		if err != nil || rings {
			break
		}
		// A new ring runs through a new edge.
		rings, err = t.Reaches([]core.TaskKey{e.To}, e.From, []core.EdgeType{core.EdgeBlocks, core.EdgeWaitsOnGate})
	}
	if err != nil {
		return err
	}
	return t.setRings(rings)
}

// keepPages sets how many KiB of pages the connection keeps.
func (c *conn) keepPages(kib int) error { return c.script(fmt.Sprintf("PRAGMA cache_size = -%d", kib)) }

// InsertTask implements [core.Loader].
func (l loader) InsertTask(task core.Task, f core.Facets) (core.TaskKey, error) {
	if err := l.insert(&task, f); err != nil {
		return 0, err
	}
	if task.Status != core.StatusOpen {
		return task.Key, nil
	}
	if l.changed.few() {
		l.changed.entered = append(l.changed.entered, task.Key)
	}
	return task.Key, l.enter(task, f, uncounted)
}

// ReplaceTask implements [core.Loader].
func (l loader) ReplaceTask(task core.Task, f core.Facets) error {
	err := l.run("UPDATE tasks SET id = ?, status = ?, task_type = ?, ready_at = ?, created_at = ?, updated_at = ?, resolved_at = ?,"+
		" version = ?, title = ?, created_by = ?, tags = ?, metadata = ?, description = ?, outcome = ? WHERE seq = ?",
		task.ID, task.Status, task.Type, f.ReadyAt, task.CreatedAt, task.UpdatedAt, task.ResolvedAt,
		task.Version, task.Title, task.CreatedBy, task.Tags, task.Metadata, task.Description, task.Outcome, task.Key)
	if err != nil {
		return err
	}
	if err := l.leave(task.Key); err != nil {
		return err
	}
	if l.changed.few() {
		l.changed.entered = append(l.changed.entered, task.Key)
		l.changed.altered = append(l.changed.altered, task.Key)
	}
	if task.Status == core.StatusOpen {
		return l.enter(task, f, uncounted)
	}
	return nil
}

// AddEdge implements [core.Loader]. That there is one already is told by the
// index, in fewer steps into C than by the number of rows changed.
func (l loader) AddEdge(e core.Edge) (added bool, err error) {
	err = l.run(insertNewEdge, e.From, e.To, e.Type, e.CreatedAt, e.CreatedBy, e.Metadata)
	if isDuplicate(err) {
		return false, nil
	}
	if err == nil {
		l.note(e)
	}
	return err == nil, err
}

// note keeps in mind an edge that was written.
func (l loader) note(e core.Edge) {
	if e.Type.IsDependency() && l.changed.few() {
		l.changed.edges = append(l.changed.edges, e)
	}
}

// PutEdge implements [core.Loader].
func (l loader) PutEdge(e core.Edge) (changed bool, err error) {
	n, err := l.exec(insertEdge+"metadata = excluded.metadata, created_by = excluded.created_by, created_at = excluded.created_at"+
		" WHERE metadata <> excluded.metadata OR created_by <> excluded.created_by OR created_at <> excluded.created_at",
		e.From, e.To, e.Type, e.CreatedAt, e.CreatedBy, e.Metadata)
	if n > 0 {
		l.note(e)
	}
	return n > 0, err
}

// PutClaim implements [core.Loader].
func (l loader) PutClaim(key core.TaskKey, c core.Claim) (changed bool, err error) {
	n, err := l.exec(insertClaim+"agent <> excluded.agent OR claimed_at <> excluded.claimed_at OR expires_at <> excluded.expires_at",
		key, c.Aspect, c.Agent, c.ClaimedAt, c.ExpiresAt)
	return n > 0, err
}

// InsertFinding implements [core.Loader].
func (l loader) InsertFinding(key core.TaskKey, f core.Finding) (added bool, err error) {
	n, err := l.exec(insertFinding+" ON CONFLICT (id) DO NOTHING", f.ID, key, f.CreatedAt, f.Agent, f.KnowledgeID, f.Summary)
	return n > 0, err
}

// Finding implements [core.Loader].
func (l loader) Finding(id string) (f core.Finding, key core.TaskKey, err error) {
	found, err := l.one("SELECT f.task_seq, "+findingColumns+" FROM findings f WHERE f.id = ?", func(r *row) {
		key, f = core.TaskKey(r.int(0)), r.finding(1)
	}, id)
	if err == nil && !found {
		err = fmt.Errorf("the finding %q vanished while it was being loaded", id)
	}
	return f, key, err
}

// PutAgent implements [core.Loader].
func (l loader) PutAgent(a core.Agent) (changed bool, err error) {
	n, err := l.exec(insertAgent+" WHERE name IS NOT excluded.name OR type IS NOT excluded.type OR first_seen_at <> excluded.first_seen_at"+
		" OR last_seen_at <> excluded.last_seen_at OR metadata <> excluded.metadata",
		a.ID, a.Name, a.Type, a.FirstSeenAt, a.LastSeenAt, a.Metadata)
	return n > 0, err
}
