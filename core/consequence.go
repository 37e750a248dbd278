package core

import (
	"context"
	"slices"
)

// Consequences is what closing or reopening tasks together would bring about,
// as far as other tasks are concerned. It is found by reading: nothing is
// locked or written. Other tasks are named once, whatever number of the tasks
// they wait for, and never one of these.
type Consequences struct {
	Tasks    []Card // in the order asked for; their Waits leave one another out
	Children []int  // of each task how many children are open, these left out
	Ready    []Card // complete: would become ready
	Waiting  []Card // complete: would go on waiting, for what is in their Waits
	Behind   []Card // complete: wait for any of those in turn, as far as MaxBehind reaches
	Stranded []Card // cancel: would wait in vain
	Blocked  []Card // reopen: would be held back by these tasks alone
}

// MaxBehind is how many tasks further down a consequence names.
const MaxBehind = 20

// maxConsequences is how many direct targets a consequence names of a kind.
const maxConsequences = 200

// Consequences tells what completing, cancelling or reopening tasks together
// would do. An id that is named twice counts once. Its errors are those of
// naming a task.
func (s *Service) Consequences(ctx context.Context, taskIDs []string) (Consequences, error) {
	return look(ctx, s, func(v view) (Consequences, error) {
		var heads []TaskHead
		for _, id := range taskIDs {
			head, err := resolveTask(v, "task_id", id)
			if err != nil {
				return Consequences{}, err
			}
			if !slices.ContainsFunc(heads, func(h TaskHead) bool { return h.Key == head.Key }) {
				heads = append(heads, head)
			}
		}
		return v.consequences(heads)
	})
}

func (v view) consequences(heads []TaskHead) (Consequences, error) {
	var result Consequences
	closing := map[TaskKey]bool{}
	tasks := make([]Task, len(heads))
	for i, head := range heads {
		var err error
		if tasks[i], err = record(v, head); err != nil {
			return result, err
		}
		closing[head.Key] = true
	}
	var err error
	if result.Tasks, err = v.cards(tasks, cardParts{waits: true, without: closing, holds: true}); err != nil {
		return result, err
	}
	var open, done []TaskKey // targets of the tasks that are open, and of those that are completed
	for _, head := range heads {
		children, err := v.Children(head.Key)
		if err != nil {
			return result, err
		}
		unclosed := 0
		for _, child := range children {
			if child.Status == StatusOpen && !closing[child.Key] {
				unclosed++
			}
		}
		result.Children = append(result.Children, unclosed)
		targets, err := v.DependencyTargets(head.Key, []EdgeType{EdgeBlocks, EdgeWaitsOnGate})
		if err != nil {
			return result, err
		}
		switch head.Status {
		case StatusOpen:
			open = append(open, keysOf(targets)...)
		case StatusCompleted:
			done = append(done, keysOf(targets)...)
		}
	}
	if err := v.closing(&result, others(open, closing), closing); err != nil {
		return result, err
	}
	return result, v.reopening(&result, heads, others(done, closing))
}

// others are the keys that are not in a set, each once and as many as a
// consequence names.
func others(keys []TaskKey, set map[TaskKey]bool) []TaskKey {
	seen := map[TaskKey]bool{}
	var list []TaskKey
	for _, key := range keys {
		if !set[key] && !seen[key] && len(list) < maxConsequences {
			seen[key] = true
			list = append(list, key)
		}
	}
	return list
}

// closing fills in what becomes of the tasks that wait for those to be closed.
func (v view) closing(result *Consequences, targets []TaskKey, closing map[TaskKey]bool) error {
	tasks, err := v.BriefTasks(targets)
	if err != nil {
		return err
	}
	cards, err := v.cards(tasks, cardParts{waits: true, without: closing})
	if err != nil {
		return err
	}
	for _, card := range cards {
		if card.Type == TypeTask {
			result.Stranded = append(result.Stranded, card)
		}
		switch {
		case card.WaitCount > 0:
			result.Waiting = append(result.Waiting, card)
		case card.Type == TypeTask:
			result.Ready = append(result.Ready, card)
		}
	}
	result.Behind, err = v.behind(keysOfCards(cards), closing)
	return err
}

// behind lists tasks that wait for any of the keys, directly or through one
// another, the nearest first. Those of without are left out.
func (v view) behind(keys []TaskKey, without map[TaskKey]bool) ([]Card, error) {
	seen := map[TaskKey]bool{}
	for key := range without {
		seen[key] = true
	}
	for _, key := range keys {
		seen[key] = true
	}
	var found []TaskKey
	for generation := keys; len(generation) > 0 && len(found) < MaxBehind; {
		pairs, err := v.Waiters(generation, v.now)
		if err != nil {
			return nil, err
		}
		generation = nil
		for _, pair := range pairs {
			if !seen[pair[1]] {
				seen[pair[1]] = true
				generation = append(generation, pair[1])
			}
		}
		found = append(found, generation...)
	}
	tasks, err := v.BriefTasks(found[:min(len(found), MaxBehind)])
	if err != nil {
		return nil, err
	}
	return v.cards(tasks, cardParts{})
}

// reopening fills in what reopened tasks would hold back again: what waits for
// nothing else now, if one of them satisfied it.
func (v view) reopening(result *Consequences, heads []TaskHead, targets []TaskKey) error {
	tasks, err := v.BriefTasks(targets)
	if err != nil {
		return err
	}
	cards, err := v.cards(tasks, cardParts{waits: true})
	if err != nil {
		return err
	}
	for _, card := range cards {
		if card.WaitCount > 0 {
			continue
		}
		for i, head := range heads {
			held, err := v.wouldHold(head, result.Tasks[i].OpensAt(), card.Key)
			if err != nil {
				return err
			}
			if held {
				result.Blocked = append(result.Blocked, card)
				break
			}
		}
	}
	return nil
}

// wouldHold reports whether a completed task would hold another back if it were
// open: a timer that is due, or was due at opens, holds nobody who only waits
// for it to open.
func (v view) wouldHold(head TaskHead, opens *Stamp, target TaskKey) (bool, error) {
	if head.Status != StatusCompleted {
		return false, nil
	}
	_, blocks, err := v.FindEdge(head.Key, target, EdgeBlocks)
	if err != nil || blocks || opens != nil && opens.Seconds() <= v.now.Seconds() {
		return blocks, err
	}
	_, waits, err := v.FindEdge(head.Key, target, EdgeWaitsOnGate)
	return waits, err
}
