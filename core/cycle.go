package core

import (
	"fmt"
	"slices"
	"strings"
)

// checkCycle refuses an edge from → to when a walk along edges of its family
// already leads from to back to from. Most edges are answered for free:
// where nothing arrives at from, or nothing leaves to, no ring can close.
func (v view) checkCycle(from, to TaskHead, t EdgeType, family []EdgeType) error {
	for _, end := range []struct {
		key  TaskKey
		side Direction
	}{{from.Key, DirectionIncoming}, {to.Key, DirectionOutgoing}} {
		has, err := v.HasEdges(end.key, end.side, family)
		if err != nil {
			return err
		}
		if !has {
			return nil
		}
	}
	// Forward, away from history: what waits for a task is newer and fewer
	// than what it waited for.
	ring, err := v.Reaches(to.Key, from.Key, family)
	if err != nil || !ring {
		return err
	}
	heads, err := ringPath(v, from.Key, to.Key, family, false)
	if err != nil {
		return err
	}
	path := make([]TaskName, len(heads))
	for i, head := range heads {
		path[i] = head.name()
	}
	titles := make([]string, len(path))
	for i, name := range path {
		titles[i] = "'" + name.Title + "'"
	}
	verb := "waits for"
	if t == EdgeParentChild {
		verb = "is a child of"
	}
	return NewError(CodeCycle,
		fmt.Sprintf("The edge would close a ring, in which each task %s the next: %s.", verb, strings.Join(titles, " -> ")),
		Extra{"edge_type", string(t)}, Extra{"path", path})
}

// ringPath is the ring that an edge from → to closes, or would close: from,
// what it waits for, …, to, from. It is the shortest, among those the first by
// ids; nil when there is none. openOnly walks through open tasks alone.
func ringPath(tx ReadTx, from, to TaskKey, family []EdgeType, openOnly bool) ([]TaskHead, error) {
	distance := map[TaskKey]int{to: 0}
	nearer := map[TaskKey][]TaskKey{} // from which a task was reached first
	frontier := []TaskKey{to}
	for step := 1; len(frontier) > 0; step++ {
		if _, reached := distance[from]; reached {
			break
		}
		pairs, err := tx.Neighbours(frontier, DirectionOutgoing, family, openOnly)
		if err != nil {
			return nil, err
		}
		frontier = nil
		for _, pair := range pairs {
			d, known := distance[pair[1]]
			if !known {
				distance[pair[1]] = step
				frontier = append(frontier, pair[1])
			}
			if !known || d == step {
				nearer[pair[1]] = append(nearer[pair[1]], pair[0])
			}
		}
	}
	if _, reached := distance[from]; !reached {
		return nil, nil
	}
	keys := []TaskKey{from}
	for at := from; at != to; keys = append(keys, at) {
		next := nearer[at]
		if len(next) > 1 {
			heads, err := tx.Heads(next)
			if err != nil {
				return nil, err
			}
			if len(heads) == 0 {
				return nil, fmt.Errorf("the ring through task %d cannot be walked back", at)
			}
			next = []TaskKey{slices.MinFunc(heads, func(a, b TaskHead) int { return strings.Compare(a.ID, b.ID) }).Key}
		}
		at = next[0]
	}
	path, err := tx.Heads(keys)
	if err != nil {
		return nil, err
	}
	if len(path) != len(keys) {
		return nil, fmt.Errorf("the ring through task %d cannot be walked back", from)
	}
	return append(path, path[0]), nil
}

// level is how deep a task lies in its hierarchy; 1 without a parent.
func (v view) level(key TaskKey) (int, error) {
	level, seen := 1, map[TaskKey]bool{key: true}
	for {
		parent, found, err := v.Parent(key)
		if err != nil || !found || seen[parent.Key] {
			return level, err
		}
		key = parent.Key
		seen[key] = true
		level++
	}
}

// height is how many levels a task and its descendants take; 1 without
// children.
func (v view) height(key TaskKey) (int, error) {
	_, height, err := spread(key, func(generation []TaskKey) ([][2]TaskKey, error) {
		return v.Neighbours(generation, DirectionOutgoing, []EdgeType{EdgeParentChild}, false)
	})
	return height, err
}

// checkDepth refuses a level beyond the limit of the hierarchy.
func (s *Service) checkDepth(depth int) error {
	limit := s.settings.MaxHierarchyDepth
	if depth <= limit {
		return nil
	}
	return NewError(CodeTooDeep, fmt.Sprintf("The hierarchy would be %d levels deep; the limit is %d.", depth, limit),
		Extra{"depth", depth}, Extra{"limit", limit})
}
