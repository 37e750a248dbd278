package core

import (
	"context"
	"errors"
	"slices"
)

// LinkRequest asks for tasks that could be the other end of an edge.
type LinkRequest struct {
	// TaskID is the task whose edge it would be; empty for a task that does
	// not exist yet, which refuses nothing.
	TaskID string
	// Type is the type of the edge: blocks stands for either dependency type,
	// whichever fits the other end. Empty: any task is sought, no edge.
	Type EdgeType
	// Outgoing: the edge would begin at TaskID, else it would end there.
	Outgoing bool
	// Move: of a parent_child edge, the parent that the child has would be
	// left. That parent and gates are not offered: moving a task below them is
	// never what is meant.
	Move  bool
	Text  string // filter
	Agent string // for is:mine
	Limit int
}

// LinkChoice is a task that was found, and why the edge is impossible.
type LinkChoice struct {
	Card
	Refusal *Error   // nil: the edge is possible
	Ring    []string // short ids of the ring that the edge would close
	RingIDs []string // the whole ids of Ring
	// Above: the task that would wait is part of this one. The edge is
	// possible, but what a task is part of is usually done last.
	Above bool
}

// LinkChoices are the tasks that were found: first the open ones by column,
// then closed ones. What the task is part of comes last where it would wait for
// it.
type LinkChoices struct {
	Choices []LinkChoice
	More    bool
}

// linkColumns is where LinkChoices looks, in this order. Epics, which are in
// no column, come first.
var linkColumns = []Column{ColumnReady, ColumnClaimed, ColumnBlocked, ColumnGates, ColumnDone}

// LinkChoices searches for tasks and judges each as the other end of an edge.
// Nothing is locked or written.
func (s *Service) LinkChoices(ctx context.Context, req LinkRequest) (LinkChoices, error) {
	filter, err := ParseFilter(req.Text)
	if err != nil {
		return LinkChoices{}, err
	}
	return look(ctx, s, func(v view) (LinkChoices, error) {
		var own TaskHead
		if req.TaskID != "" {
			if own, err = resolveTask(v, "task_id", req.TaskID); err != nil {
				return LinkChoices{}, err
			}
		}
		columns := linkColumns
		if req.Move {
			columns = slices.DeleteFunc(slices.Clone(columns), func(c Column) bool { return c == ColumnGates })
		}
		keys, err := v.search(filter, req.Agent, columns, req.Limit+3) // the task itself and its parent may be among them
		if err != nil {
			return LinkChoices{}, err
		}
		tasks, err := v.BriefTasks(keys)
		if err != nil {
			return LinkChoices{}, err
		}
		cards, err := v.cards(tasks, cardParts{})
		if err != nil {
			return LinkChoices{}, err
		}
		var above []TaskKey
		if req.TaskID != "" && req.Type.IsDependency() && !req.Outgoing {
			if above, err = v.above(own); err != nil {
				return LinkChoices{}, err
			}
		}
		var found LinkChoices
		for _, card := range cards {
			if card.Key == own.Key || req.Move && card.Type == TypeGate {
				continue
			}
			if req.Move {
				_, isParent, err := v.FindEdge(card.Key, own.Key, req.Type)
				if err != nil {
					return found, err
				}
				if isParent {
					continue
				}
			}
			if len(found.Choices) == req.Limit {
				found.More = true
				break
			}
			choice := LinkChoice{Card: card, Above: slices.Contains(above, card.Key)}
			if req.TaskID != "" && req.Type != "" {
				if err := s.judgeLink(v, req, own, &choice); err != nil {
					return found, err
				}
			}
			found.Choices = append(found.Choices, choice)
		}
		slices.SortStableFunc(found.Choices, func(a, b LinkChoice) int {
			switch {
			case a.Above == b.Above:
				return 0
			case b.Above:
				return -1
			}
			return 1
		})
		return found, nil
	})
}

// search finds tasks by a filter, at most limit, epics first, then column by
// column.
func (v view) search(f Filter, agent string, columns []Column, limit int) ([]TaskKey, error) {
	judge, err := v.judge(f, agent)
	if err != nil {
		return nil, err
	}
	var keys []TaskKey
	epics, err := v.OpenEpics(maxSearchedEpics)
	if err != nil {
		return nil, err
	}
	tasks, err := v.BriefTasks(epics)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if len(keys) < limit && judge.passes(t) {
			keys = append(keys, t.Key)
		}
	}
	for _, column := range columns {
		var more []TaskKey
		q := columnQuery(column, "", v.now)
		q.Hints = f.hints()
		err := v.EachInColumn(q, func(t Task) bool {
			if judge.passes(t) {
				more = append(more, t.Key)
			}
			return len(keys)+len(more) < limit
		})
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
		if len(keys) >= limit {
			break
		}
	}
	return distinctInOrder(keys), nil
}

// maxSearchedEpics is how many open epics a search looks at.
const maxSearchedEpics = 1_000

// distinctInOrder leaves out keys that came before: a claimed blocked task is
// in two columns.
func distinctInOrder(keys []TaskKey) []TaskKey {
	seen := map[TaskKey]bool{}
	kept := keys[:0]
	for _, key := range keys {
		if !seen[key] {
			seen[key] = true
			kept = append(kept, key)
		}
	}
	return kept
}

// judgeLink says of a choice why the edge to it is impossible, by the rules
// and in the order of task_edge_upsert.
func (s *Service) judgeLink(v view, req LinkRequest, own TaskHead, choice *LinkChoice) error {
	from, to := choice.TaskHead, own
	if req.Outgoing {
		from, to = to, from
	}
	edge := req.Type
	if edge.IsDependency() {
		edge = DependencyType(from)
	}
	_, exists, err := v.FindEdge(from.Key, to.Key, edge)
	if err != nil {
		return err
	}
	if exists {
		choice.Refusal = InvalidInput(ReasonInvalidValue, "", "It is joined already.")
		return nil
	}
	if req.Move {
		err = s.checkHierarchy(v, from, to)
	} else {
		err = s.checkRing(v, from, to, edge)
	}
	var refusal *Error
	if !errors.As(err, &refusal) {
		return err
	}
	choice.Refusal = refusal
	if path, ok := refusal.Extra("path").([]TaskName); ok {
		ids := make([]string, len(path))
		for i, name := range path {
			ids[i] = name.ID
		}
		choice.RingIDs = ids
		choice.Ring, err = v.ReadTx.ShortIDs(ids)
		return err
	}
	return nil
}

// DependencyType is the type of the dependency edge that begins at a task:
// gates are waited on, other tasks block.
func DependencyType(from TaskHead) EdgeType {
	if from.Type == TypeGate {
		return EdgeWaitsOnGate
	}
	return EdgeBlocks
}
