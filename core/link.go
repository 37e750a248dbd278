package core

import (
	"context"
	"fmt"
)

// TaskEdgeUpsertRequest asks for an edge.
type TaskEdgeUpsertRequest struct {
	FromTaskID string    `json:"from_task_id"`
	ToTaskID   string    `json:"to_task_id"`
	Type       string    `json:"type" check:"edge_type" doc:"blocks: from must be completed first. waits_on_gate: from is a gate. parent_child: from is the parent. discovered_from: from is the source."`
	Agent      string    `json:"agent" check:"name"`
	Metadata   *Metadata `json:"metadata" check:"metadata"`
}

// TaskEdgeUpsertResult names both ends.
type TaskEdgeUpsertResult struct {
	Success bool `json:"success"`
	EdgeEnds
	EdgeStamps
}

// TaskEdgeUpsert is the operation task_edge_upsert.
var TaskEdgeUpsert = Op[TaskEdgeUpsertRequest, TaskEdgeUpsertResult]{
	name: "task_edge_upsert", summary: "Add an edge between two tasks, or replace its metadata.",
	codes: []Code{
		CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeInvalidEdgeType, CodeSelfEdge, CodeNotAGate,
		CodeParentExists, CodeCycle, CodeTooDeep,
	},
	run: (*Service).TaskEdgeUpsert,
}

// TaskEdgeUpsert adds an edge, or replaces the metadata of the one there.
func (s *Service) TaskEdgeUpsert(ctx context.Context, req TaskEdgeUpsertRequest) (TaskEdgeUpsertResult, error) {
	return write(ctx, s, req, (*change).upsertEdge)
}

func (c *change) upsertEdge(req TaskEdgeUpsertRequest) (TaskEdgeUpsertResult, error) {
	var none TaskEdgeUpsertResult
	from, to, edgeType, err := c.resolveEdge(req.FromTaskID, req.ToTaskID, req.Type)
	if err != nil {
		return none, err
	}
	if from.Key == to.Key {
		return none, NewError(CodeSelfEdge, fmt.Sprintf("The task '%s' cannot have an edge to itself.", from.Title),
			Extra{"task_id", from.ID})
	}
	if edgeType == EdgeWaitsOnGate && from.Type != TypeGate {
		return none, NewError(CodeNotAGate, fmt.Sprintf("'%s' is no gate; only gates can be waited on.", from.Title),
			Extra{"task_id", from.ID}, Extra{"task_type", string(from.Type)})
	}
	_, exists, err := c.FindEdge(from.Key, to.Key, edgeType)
	if err != nil {
		return none, err
	}
	if !exists {
		if err := c.service.checkRing(c.view(), from, to, edgeType); err != nil {
			return none, err
		}
	}
	if err := c.putEdge(from, to, edgeType, req.Agent, Metadata(valueOr(req.Metadata, "").Text())); err != nil {
		return none, err
	}
	return TaskEdgeUpsertResult{Success: true, EdgeEnds: endsOf(from, to), EdgeStamps: stampsOf(from, to)}, nil
}

func (c *change) resolveEdge(fromID, toID, edgeType string) (from, to TaskHead, t EdgeType, err error) {
	if from, err = resolveTask(c, "from_task_id", fromID); err != nil {
		return from, to, t, err
	}
	if to, err = resolveTask(c, "to_task_id", toID); err != nil {
		return from, to, t, err
	}
	err = checkWord(EdgeTypes, edgeType, func() error {
		return unknownWord(CodeInvalidEdgeType, "", "type", edgeType, "edge type", words(EdgeTypes))
	})
	return from, to, EdgeType(edgeType), err
}

// checkRing judges a new edge by the rules of its family.
func (s *Service) checkRing(v view, from, to TaskHead, t EdgeType) error {
	switch {
	case t.IsDependency():
		return v.checkCycle(from, to, t, []EdgeType{EdgeBlocks, EdgeWaitsOnGate})
	case t == EdgeParentChild:
		parent, found, err := v.Parent(to.Key)
		if err != nil {
			return err
		}
		if found {
			return NewError(CodeParentExists, fmt.Sprintf("The child already has the parent '%s'.", parent.Title),
				Extra{"parent_id", parent.ID}, Extra{"parent_title", parent.Title})
		}
		return s.checkHierarchy(v, from, to)
	}
	return nil
}

// checkHierarchy judges whether a task can come below another that is not its
// parent.
func (s *Service) checkHierarchy(v view, parent, child TaskHead) error {
	if err := v.checkCycle(parent, child, EdgeParentChild, []EdgeType{EdgeParentChild}); err != nil {
		return err
	}
	level, err := v.level(parent.Key)
	if err != nil {
		return err
	}
	height, err := v.height(child.Key)
	if err != nil {
		return err
	}
	return s.checkDepth(level + height)
}

// putEdge writes an edge that has passed its checks, with its event.
func (c *change) putEdge(from, to TaskHead, t EdgeType, agent string, metadata Metadata) error {
	if err := c.see(agent); err != nil {
		return err
	}
	err := c.PutEdge(Edge{
		From: from.Key, To: to.Key, FromID: from.ID, ToID: to.ID, Type: t,
		Metadata: metadata, CreatedBy: agent, CreatedAt: c.now,
	})
	if err != nil {
		return err
	}
	return c.emitTagged(EventTaskEdgeUpserted, agent, Subject{Task: from.Key, Other: to.Key}, joinTags(from.Tags, to.Tags),
		taskEdge{FromTaskID: from.ID, ToTaskID: to.ID, Type: t, Metadata: &metadata})
}

func endsOf(from, to TaskHead) EdgeEnds {
	return EdgeEnds{FromTaskID: from.ID, FromTitle: from.Title, ToTaskID: to.ID, ToTitle: to.Title}
}

func stampsOf(from, to TaskHead) EdgeStamps {
	return EdgeStamps{FromUpdatedAt: from.UpdatedAt, ToUpdatedAt: to.UpdatedAt}
}

// TaskEdgeDeleteRequest names an edge to remove.
type TaskEdgeDeleteRequest struct {
	FromTaskID string `json:"from_task_id"`
	ToTaskID   string `json:"to_task_id"`
	Type       string `json:"type" check:"edge_type"`
	Agent      string `json:"agent" check:"name"`
}

// TaskEdgeDeleteResult names both ends and the type of the removed edge.
type TaskEdgeDeleteResult struct {
	Success bool `json:"success"`
	EdgeEnds
	Type EdgeType `json:"type"`
	EdgeStamps
}

// TaskEdgeDelete is the operation task_edge_delete.
var TaskEdgeDelete = Op[TaskEdgeDeleteRequest, TaskEdgeDeleteResult]{
	name: "task_edge_delete", summary: "Remove an edge; readiness follows at once.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeInvalidEdgeType, CodeEdgeNotFound},
	run:   (*Service).TaskEdgeDelete,
}

// TaskEdgeDelete removes an edge for good.
func (s *Service) TaskEdgeDelete(ctx context.Context, req TaskEdgeDeleteRequest) (TaskEdgeDeleteResult, error) {
	return write(ctx, s, req, (*change).deleteEdge)
}

func (c *change) deleteEdge(req TaskEdgeDeleteRequest) (TaskEdgeDeleteResult, error) {
	var none TaskEdgeDeleteResult
	from, to, edgeType, err := c.resolveEdge(req.FromTaskID, req.ToTaskID, req.Type)
	if err != nil {
		return none, err
	}
	deleted, err := c.DeleteEdge(from.Key, to.Key, edgeType)
	if err != nil {
		return none, err
	}
	if !deleted {
		return none, NewError(CodeEdgeNotFound,
			fmt.Sprintf("There is no edge '%s' from '%s' to '%s'.", edgeType, from.Title, to.Title),
			Extra{"from_task_id", from.ID}, Extra{"to_task_id", to.ID}, Extra{"type", string(edgeType)})
	}
	if err := c.see(req.Agent); err != nil {
		return none, err
	}
	err = c.emitTagged(EventTaskEdgeDeleted, req.Agent, Subject{Task: from.Key, Other: to.Key}, joinTags(from.Tags, to.Tags),
		taskEdge{FromTaskID: from.ID, ToTaskID: to.ID, Type: edgeType})
	return TaskEdgeDeleteResult{
		Success: true, EdgeEnds: endsOf(from, to), Type: edgeType, EdgeStamps: stampsOf(from, to),
	}, err
}

// TaskEdgeListRequest asks for the edges at a task.
type TaskEdgeListRequest struct {
	TaskID    string   `json:"task_id"`
	Direction *string  `json:"direction" default:"both" check:"direction"`
	Types     []string `json:"types" check:"filter_list" doc:"[] or null: all."`
}

// TaskEdgeListResult holds the edges, outgoing ones first.
type TaskEdgeListResult struct {
	Edges []EdgeItem `json:"edges"`
}

// TaskEdgeList is the operation task_edge_list.
var TaskEdgeList = Op[TaskEdgeListRequest, TaskEdgeListResult]{
	name: "task_edge_list", summary: "List the edges at a task.", readOnly: true,
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).TaskEdgeList,
}

// TaskEdgeList lists the edges at a task.
func (s *Service) TaskEdgeList(ctx context.Context, req TaskEdgeListRequest) (TaskEdgeListResult, error) {
	return read(ctx, s, req, func(v view, req TaskEdgeListRequest) (TaskEdgeListResult, error) {
		result := TaskEdgeListResult{Edges: []EdgeItem{}}
		head, err := resolveTask(v, "task_id", req.TaskID)
		if err != nil {
			return result, err
		}
		types, any := knownEdgeTypes(req.Types)
		if !any {
			return result, nil
		}
		for _, side := range []Direction{DirectionOutgoing, DirectionIncoming} {
			if d := Direction(*req.Direction); d != side && d != DirectionBoth {
				continue
			}
			edges, err := v.Edges(head.Key, side, types)
			if err != nil {
				return result, err
			}
			for _, e := range edges {
				result.Edges = append(result.Edges, EdgeItem{
					FromTaskID: e.FromID, ToTaskID: e.ToID, Type: e.Type, Direction: side,
					Metadata: e.Metadata, CreatedBy: e.CreatedBy, CreatedAt: e.CreatedAt,
				})
			}
		}
		return result, nil
	})
}

// knownEdgeTypes keeps the names of a filter that are edge types; none given
// means all, none known means that nothing can match.
func knownEdgeTypes(names []string) (types []EdgeType, any bool) {
	if len(names) == 0 {
		return EdgeTypes, true
	}
	for _, t := range EdgeTypes {
		if contains(names, string(t)) {
			types = append(types, t)
		}
	}
	return types, len(types) > 0
}
