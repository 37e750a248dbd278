package core

import (
	"fmt"
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
	walk := newRingWalk(v, from.Key, to.Key, family, false)
	over, err := walk.nearby()
	if err != nil {
		return err
	}
	if !over {
		// Narrow ways are walked quickest by one statement, which does not tell how
		// they go.
		ring, err := v.Reaches(walk.generation, from.Key, family)
		if err != nil || !ring {
			return err
		}
		if _, err := walk.toGoal(); err != nil {
			return err
		}
	}
	if !walk.hasMetGoal() {
		return nil
	}
	path, err := walk.ring()
	if err != nil {
		return err
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
