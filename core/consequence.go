package core

import (
	"context"
	"slices"
)

// Consequence is what closing or reopening a task would bring about, as far
// as other tasks are concerned. It is found by reading: nothing is locked or
// written.
type Consequence struct {
	Task     Card
	Ready    []Card // complete: would become ready
	Waiting  []Card // complete: would go on waiting, for what is in their Waits
	Behind   []Card // complete: wait for any of those in turn, as far as MaxBehind reaches
	Stranded []Card // cancel: would wait in vain
	Blocked  []Card // reopen: would be held back by this task alone
	Children int    // how many of its children are open
}

// MaxBehind is how many tasks further down a consequence names.
const MaxBehind = 20

// maxConsequences is how many direct targets a consequence names of a kind.
const maxConsequences = 200

// Consequences tells what completing, cancelling or reopening a task would do.
func (s *Service) Consequences(ctx context.Context, taskID string) (Consequence, error) {
	return look(ctx, s, func(v view) (Consequence, error) {
		var none Consequence
		head, err := resolveTask(v, "task_id", taskID)
		if err != nil {
			return none, err
		}
		return v.consequences(head)
	})
}

func (v view) consequences(head TaskHead) (Consequence, error) {
	var result Consequence
	task, err := record(v, head)
	if err != nil {
		return result, err
	}
	own, err := v.cards([]Task{task}, cardParts{holds: true})
	if err != nil {
		return result, err
	}
	result.Task = own[0]
	children, err := v.Children(head.Key)
	if err != nil {
		return result, err
	}
	for _, child := range children {
		if child.Status == StatusOpen {
			result.Children++
		}
	}
	targets, err := v.DependencyTargets(head.Key, []EdgeType{EdgeBlocks, EdgeWaitsOnGate})
	if err != nil {
		return result, err
	}
	targets = targets[:min(len(targets), maxConsequences)]
	tasks, err := v.BriefTasks(keysOf(targets))
	if err != nil {
		return result, err
	}
	if head.Status != StatusOpen {
		return result, v.reopening(&result, head, tasks)
	}
	cards, err := v.cards(tasks, cardParts{waits: true})
	if err != nil {
		return result, err
	}
	for _, card := range cards {
		if card.Type == TypeTask {
			result.Stranded = append(result.Stranded, card)
		}
		own := 0
		for _, wait := range card.Waits {
			if wait.Source.Key == head.Key {
				own++
			}
		}
		card.Waits = slices.DeleteFunc(card.Waits, func(w Wait) bool { return w.Source.Key == head.Key })
		card.WaitCount -= own
		switch {
		case card.WaitCount > 0:
			result.Waiting = append(result.Waiting, card)
		case card.Type == TypeTask:
			result.Ready = append(result.Ready, card)
		}
	}
	result.Behind, err = v.behind(keysOfCards(cards))
	return result, err
}

// behind lists tasks that wait for any of the keys, directly or through one
// another, the nearest first.
func (v view) behind(keys []TaskKey) ([]Card, error) {
	seen := map[TaskKey]bool{}
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

// reopening fills in what a reopened task would hold back again: what waits
// for nothing else now, if the task satisfied it.
func (v view) reopening(result *Consequence, head TaskHead, targets []Task) error {
	if head.Status != StatusCompleted {
		return nil
	}
	cards, err := v.cards(targets, cardParts{waits: true})
	if err != nil {
		return err
	}
	opens := result.Task.OpensAt()
	passed := opens != nil && opens.Seconds() <= v.now.Seconds()
	for _, card := range cards {
		if card.WaitCount > 0 {
			continue
		}
		if passed { // a timer that is due holds nobody who only waits for it to open
			_, blocks, err := v.FindEdge(head.Key, card.Key, EdgeBlocks)
			if err != nil {
				return err
			}
			if !blocks {
				continue
			}
		}
		result.Blocked = append(result.Blocked, card)
	}
	return nil
}
