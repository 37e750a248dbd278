package core

import (
	"cmp"
	"context"
	"slices"
)

// ExportRequest asks for the records of the store, or of a selection of its
// tasks.
type ExportRequest struct {
	// Tasks selects as task_list does; without any filter everything is
	// exported. With one, edges need both ends in the selection, claims and
	// findings their task, and agents an act in one of these.
	Tasks TaskListRequest
	Kinds []TransferKind // which kinds of records are wanted; nil: all
	Parts RecordParts    // how much of each task is wanted
}

// exportBatch is how many selected tasks are read at a time.
const exportBatch = 256

// Export yields the records of one state of the store, so that an export of
// any size needs little memory: agents by when they were first seen, tasks by
// age, edges and claims in the order they were inserted, findings by age. A
// record is valid during the call of yield only. Export ends with the first
// error of yield.
func (s *Service) Export(ctx context.Context, req ExportRequest, yield func(*TransferRecord) error) error {
	req.Tasks.WithClaims = nil
	_, err := read(ctx, s, req.Tasks, func(v view, list TaskListRequest) (struct{}, error) {
		e := export{view: v, req: req, yield: yield, pulse: pulse{ctx: ctx}}
		if list.filters() {
			if err := e.choose(list); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, e.run()
	})
	return err
}

// filters reports whether the request selects some tasks rather than all.
func (r TaskListRequest) filters() bool {
	for _, word := range []*string{r.Agent, r.Status, r.Since, r.ResolvedSince, r.TaskType, r.ClaimedBy, r.Text} {
		if valueOr(word, "") != "" {
			return true
		}
	}
	return len(r.Tags) > 0 || valueOr(r.MetadataMatch, "{}").Text() != "{}" ||
		r.Limit != nil || valueOr(r.Offset, 0) > 0
}

// export is one run of Export.
type export struct {
	view
	req    ExportRequest
	yield  func(*TransferRecord) error
	pulse  pulse
	chosen *chosen // nil: everything
	rec    TransferRecord
}

// chosen is what filters select.
type chosen struct {
	keys   []TaskKey // in the order of an export
	ids    map[string]bool
	agents map[string]bool
}

func (e *export) wants(kind TransferKind) bool {
	return e.req.Kinds == nil || slices.Contains(e.req.Kinds, kind)
}

// put yields one record.
func (e *export) put(rec TransferRecord) error {
	if err := e.pulse.beat(); err != nil {
		return err
	}
	e.rec = rec
	return e.yield(&e.rec)
}

// choose finds out what the filters select.
func (e *export) choose(list TaskListRequest) error {
	type head struct {
		key       TaskKey
		createdAt Stamp
		id        string
	}
	var heads []head
	c := &chosen{ids: map[string]bool{}, agents: map[string]bool{}}
	// A task of which nobody can tell whether it is meant must not be missing
	// without a word.
	strict := e.view
	strict.strict = true
	if _, err := strict.eachTask(list, e.req.Parts, func(t Task) error {
		heads = append(heads, head{t.Key, t.CreatedAt, t.ID})
		c.ids[t.ID] = true
		c.agents[t.CreatedBy] = true
		return e.pulse.beat()
	}); err != nil {
		return err
	}
	slices.SortFunc(heads, func(a, b head) int {
		return cmp.Or(cmp.Compare(a.createdAt, b.createdAt), cmp.Compare(a.id, b.id))
	})
	for _, h := range heads {
		c.keys = append(c.keys, h.key)
	}
	e.chosen = c
	if !e.wants(TransferAgent) {
		return nil
	}
	return cmp.Or(
		e.eachEdge(func(edge Edge) error { c.agents[edge.CreatedBy] = true; return nil }),
		e.eachClaim(func(_ string, claim Claim) error { c.agents[claim.Agent] = true; return nil }),
		e.eachFinding(func(_ string, f Finding) error { c.agents[f.Agent] = true; return nil }),
	)
}

func (e *export) run() error {
	for _, step := range []struct {
		kind TransferKind
		each func() error
	}{
		{TransferAgent, e.putAgents}, {TransferTask, e.putTasks}, {TransferEdge, e.putEdges},
		{TransferClaim, e.putClaims}, {TransferFinding, e.putFindings},
	} {
		if !e.wants(step.kind) {
			continue
		}
		if err := step.each(); err != nil {
			return err
		}
	}
	return nil
}

func (e *export) putAgents() error {
	return e.EachAgent(func(a Agent) error {
		if e.chosen != nil && !e.chosen.agents[a.ID] {
			return nil
		}
		return e.put(TransferRecord{Kind: TransferAgent, Agent: a})
	})
}

func (e *export) putTasks() error {
	return e.tasks(func(t Task) error { return e.put(TransferRecord{Kind: TransferTask, Task: t}) })
}

func (e *export) putEdges() error {
	return e.eachEdge(func(edge Edge) error { return e.put(TransferRecord{Kind: TransferEdge, Edge: edge}) })
}

func (e *export) putClaims() error {
	return e.eachClaim(func(taskID string, c Claim) error {
		return e.put(TransferRecord{Kind: TransferClaim, Claim: c, TaskID: taskID})
	})
}

func (e *export) putFindings() error {
	return e.eachFinding(func(taskID string, f Finding) error {
		return e.put(TransferRecord{Kind: TransferFinding, Finding: f, TaskID: taskID})
	})
}

// tasks yields the chosen tasks, or all, oldest first.
func (e *export) tasks(yield func(Task) error) error {
	if e.chosen == nil {
		return e.EachTaskByAge(TaskQuery{Brief: bool(e.req.Parts)}, yield)
	}
	for batch := range slices.Chunk(e.chosen.keys, exportBatch) {
		tasks, err := e.Tasks(batch)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			if err := yield(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachEdge yields the edges whose both ends are chosen.
func (e *export) eachEdge(yield func(Edge) error) error {
	return e.EachEdge(func(edge Edge) error {
		if e.chosen != nil && !(e.chosen.ids[edge.FromID] && e.chosen.ids[edge.ToID]) {
			return nil
		}
		return yield(edge)
	})
}

// eachClaim yields the claims on chosen tasks.
func (e *export) eachClaim(yield func(taskID string, c Claim) error) error {
	return e.EachClaim(func(taskID string, c Claim) error {
		if e.chosen != nil && !e.chosen.ids[taskID] {
			return nil
		}
		return yield(taskID, c)
	})
}

// eachFinding yields the findings on chosen tasks.
func (e *export) eachFinding(yield func(taskID string, f Finding) error) error {
	return e.EachFinding(func(taskID string, f Finding) error {
		if e.chosen != nil && !e.chosen.ids[taskID] {
			return nil
		}
		return yield(taskID, f)
	})
}
