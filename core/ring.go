package core

import (
	"fmt"
	"slices"
	"strings"
)

// ringWalk is a walk along outgoing edges, away from one task, until it meets
// another.
type ringWalk struct {
	tx         ReadTx
	family     []EdgeType
	openOnly   bool // through open tasks alone
	goal       TaskKey
	met        map[TaskKey]meeting
	generation []TaskKey // those that were met last; none when the walk is over
}

// meeting is how a walk came to a task.
type meeting struct {
	step int     // how many edges lie behind
	from TaskKey // the task before it; 0 when there may have been several
}

func newRingWalk(tx ReadTx, from, to TaskKey, family []EdgeType, openOnly bool) *ringWalk {
	return &ringWalk{
		tx: tx, family: family, openOnly: openOnly, goal: from,
		met: map[TaskKey]meeting{to: {}}, generation: []TaskKey{to},
	}
}

// ringPath is the ring that an edge from → to closes, or would close: from,
// what it waits for, …, to, from. It is the shortest, among those the first by
// ids; nil when there is none. openOnly walks through open tasks alone.
func ringPath(tx ReadTx, from, to TaskKey, family []EdgeType, openOnly bool) ([]TaskName, error) {
	w := newRingWalk(tx, from, to, family, openOnly)
	found, err := w.toGoal()
	if err != nil || !found {
		return nil, err
	}
	return w.ring()
}

func (w *ringWalk) hasMetGoal() bool {
	_, met := w.met[w.goal]
	return met
}

// toGoal walks on to the end, and reports whether it met the goal.
func (w *ringWalk) toGoal() (bool, error) {
	for len(w.generation) > 0 && !w.hasMetGoal() {
		if len(w.generation) == 1 {
			trail, err := w.tx.Trail(w.generation[0], w.family, w.openOnly)
			if err != nil {
				return false, err
			}
			if len(trail) > 0 {
				w.follow(trail)
				continue
			}
		}
		if err := w.spread(); err != nil {
			return false, err
		}
	}
	return w.hasMetGoal(), nil
}

// The walk by generations takes some time for each; it is kept up where they
// are wide.
const (
	fewGenerations = 2
	manyTasks      = 32
)

// nearby walks on as long as that is quick, and reports whether it has met the
// goal or seen all there is.
func (w *ringWalk) nearby() (over bool, err error) {
	for n := 0; len(w.generation) > 0 && !w.hasMetGoal(); n++ {
		if n >= fewGenerations && len(w.generation) < manyTasks {
			return false, nil
		}
		if err := w.spread(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// follow walks along tasks that lead to one another and to no others. At a
// task that was met before there is nothing new.
func (w *ringWalk) follow(trail []TaskKey) {
	at := w.generation[0]
	for _, next := range trail {
		if _, known := w.met[next]; known {
			w.generation = nil
			return
		}
		w.met[next] = meeting{step: w.met[at].step + 1, from: at}
		if at = next; at == w.goal {
			break
		}
	}
	w.generation[0] = at
}

// spread walks one step on from all of a generation.
func (w *ringWalk) spread() error {
	onward, err := w.tx.Onward(w.generation, w.family, w.openOnly)
	if err != nil {
		return err
	}
	step := w.met[w.generation[0]].step + 1
	w.generation = w.generation[:0]
	for _, key := range onward {
		if _, known := w.met[key]; !known {
			w.met[key] = meeting{step: step}
			w.generation = append(w.generation, key)
		}
	}
	return nil
}

// ring is the shortest way from the goal back to where the walk began, and the
// goal again.
func (w *ringWalk) ring() ([]TaskName, error) {
	keys, err := w.back()
	if err != nil {
		return nil, err
	}
	// Only what the answer holds is read of the tasks.
	path, err := w.tx.Names(keys)
	if err != nil {
		return nil, err
	}
	if len(path) != len(keys) {
		return nil, w.lost()
	}
	return append(path, path[0]), nil
}

func (w *ringWalk) lost() error {
	return fmt.Errorf("the ring through task %d cannot be walked back", w.goal)
}

// back is the shortest way from the goal back to where the walk began.
func (w *ringWalk) back() ([]TaskKey, error) {
	keys := []TaskKey{w.goal}
	for at := w.goal; w.met[at].step > 0; {
		before, err := w.before(at)
		if err != nil {
			return nil, err
		}
		keys = append(keys, before)
		at = before
	}
	return keys, nil
}

// before is the task that the walk came to another from, of several the first
// by id. Only what the walk has met is looked at: what leads to the task
// besides may be all of history.
func (w *ringWalk) before(key TaskKey) (TaskKey, error) {
	place := w.met[key]
	if place.from != 0 {
		return place.from, nil
	}
	pairs, err := w.tx.Neighbours([]TaskKey{key}, DirectionIncoming, w.family, false)
	if err != nil {
		return 0, err
	}
	var nearer []TaskKey
	for _, pair := range pairs {
		if other, known := w.met[pair[1]]; known && other.step == place.step-1 {
			nearer = append(nearer, pair[1])
		}
	}
	if len(nearer) == 1 {
		return nearer[0], nil
	}
	heads, err := w.tx.Heads(nearer)
	if err != nil {
		return 0, err
	}
	if len(heads) == 0 {
		return 0, w.lost()
	}
	return slices.MinFunc(heads, func(a, b TaskHead) int { return strings.Compare(a.ID, b.ID) }).Key, nil
}

// idsOfNames are the ids of a list of names.
func idsOfNames(names []TaskName) []string {
	ids := make([]string, len(names))
	for i, name := range names {
		ids[i] = name.ID
	}
	return ids
}
