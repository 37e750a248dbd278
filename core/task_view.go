package core

import (
	"context"
	"slices"
)

// TaskView is everything that is known of one task.
type TaskView struct {
	Now         Stamp
	Card        // with description and outcome
	Why         TaskWhyResult
	Chain       map[string][]Wait   // what the task and those behind it wait for, by full id, as far as MaxChain reaches
	ChainNames  map[string]string   // full id to short id, of everything Why names
	Course      []PlanStep          // what frees it, as a person takes it
	CourseCards map[string]Card     // of the beginning of that, by full id
	Dependents  []Card              // open tasks it holds back, with what else they wait for
	Behind      []Card              // what waits for those
	Parents     []Card              // from its parent up to the top
	Children    []Card              // with closed ones, and their own progress
	Sources     []Card              // what it was discovered from
	Spawned     []Card              // what was discovered from it
	Satisfied   []Card              // closed tasks it waited for
	Findings    []Finding           // oldest first
	Knowledge   map[string]NoteCard // the notes that findings name, by id, as far as they exist
	Notes       []NoteListRow       // notes that came out of the task, the last changed first
	Events      []Event             // newest first, at most MaxHistory
	MoreEvents  bool
	Others      map[string]Card // the other ends of edges that Events tell of, by full id, without claims and readiness
}

// The bounds of what a view of one task holds.
const (
	MaxChain    = 200 // tasks of the chain behind it
	MaxChildren = 500
	MaxHistory  = 100 // events
	maxRelated  = 100 // sources, spawned, satisfied, cards of the course
)

// TaskView reads everything about a task.
func (s *Service) TaskView(ctx context.Context, taskID string) (TaskView, error) {
	return look(ctx, s, func(v view) (TaskView, error) {
		head, err := resolveTask(v, "task_id", taskID)
		if err != nil {
			return TaskView{}, err
		}
		out := TaskView{Now: v.now}
		for _, part := range []func(*TaskView, TaskHead) error{
			v.viewRecord, v.viewWhy, v.viewDependents, v.viewHierarchy, v.viewProvenance, v.viewHistory, v.viewNotes,
		} {
			if err := part(&out, head); err != nil {
				return TaskView{}, err
			}
		}
		return out, nil
	})
}

func (v view) viewRecord(out *TaskView, head TaskHead) error {
	task, err := record(v, head)
	if err != nil {
		return err
	}
	cards, err := v.cards([]Task{task}, cardParts{waits: true, holds: true, progress: true})
	if err == nil {
		out.Card = cards[0]
	}
	return err
}

func (v view) viewWhy(out *TaskView, head TaskHead) error {
	var err error
	var why *explanation
	if out.Why, why, err = v.explain(head); err != nil {
		return err
	}
	if err := v.viewCourse(out, why); err != nil {
		return err
	}
	var names []string
	for _, step := range out.Why.UnblockPlan {
		names = append(append(names, step.TaskID), step.Path...)
	}
	for _, cause := range out.Why.RootCauses {
		names = append(append(names, cause.TaskID), cause.Path...)
	}
	short, err := v.ShortIDs(names)
	if err != nil {
		return err
	}
	out.ChainNames = make(map[string]string, len(names))
	for i, name := range names {
		out.ChainNames[name] = short[i]
	}
	out.Chain = map[string][]Wait{out.ID: out.Waits}
	for generation := []Card{out.Card}; len(generation) > 0 && len(out.Chain) < MaxChain; {
		var next []Task
		for _, card := range generation {
			for _, wait := range card.Waits {
				source := wait.Source
				if _, seen := out.Chain[source.ID]; seen || wait.Missing || source.Status != StatusOpen || len(out.Chain) >= MaxChain {
					continue
				}
				out.Chain[source.ID] = nil
				next = append(next, source.Task)
			}
		}
		if generation, err = v.cards(next, cardParts{waits: true}); err != nil {
			return err
		}
		for _, card := range generation {
			out.Chain[card.ID] = card.Waits
		}
	}
	return nil
}

// viewCourse adds the plan as a person takes it, with the cards of its
// beginning.
func (v view) viewCourse(out *TaskView, why *explanation) error {
	var err error
	if out.Course, err = v.course(why); err != nil {
		return err
	}
	var keys []TaskKey
	for _, step := range out.Course[:min(len(out.Course), maxRelated)] {
		head, found, err := v.TaskByID(step.TaskID)
		if err != nil {
			return err
		}
		if found {
			keys = append(keys, head.Key)
		}
	}
	tasks, err := v.BriefTasks(distinct(keys))
	if err != nil {
		return err
	}
	cards, err := v.cards(tasks, cardParts{})
	out.CourseCards = make(map[string]Card, len(cards))
	for _, card := range cards {
		out.CourseCards[card.ID] = card
	}
	return err
}

func (v view) viewDependents(out *TaskView, head TaskHead) error {
	targets, err := v.DependencyTargets(head.Key, []EdgeType{EdgeBlocks, EdgeWaitsOnGate})
	if err != nil {
		return err
	}
	tasks, err := v.BriefTasks(keysOf(targets[:min(len(targets), maxConsequences)]))
	if err != nil {
		return err
	}
	if out.Dependents, err = v.cards(tasks, cardParts{waits: true}); err != nil {
		return err
	}
	if out.Behind, err = v.behind(keysOfCards(out.Dependents), nil); err != nil {
		return err
	}
	pairs, err := v.Neighbours([]TaskKey{head.Key}, DirectionIncoming, []EdgeType{EdgeBlocks, EdgeWaitsOnGate}, false)
	if err != nil {
		return err
	}
	var sources []TaskKey
	for _, pair := range pairs {
		sources = append(sources, pair[1])
	}
	heads, err := v.Heads(distinct(sources))
	if err != nil {
		return err
	}
	heads = slices.DeleteFunc(heads, func(h TaskHead) bool { return h.Status != StatusCompleted })
	if tasks, err = v.BriefTasks(keysOf(heads[:min(len(heads), maxRelated)])); err == nil {
		out.Satisfied, err = v.cards(tasks, cardParts{})
	}
	return err
}

func (v view) viewHierarchy(out *TaskView, head TaskHead) error {
	above, err := v.above(head)
	if err != nil {
		return err
	}
	tasks, err := v.BriefTasks(above)
	if err != nil {
		return err
	}
	if out.Parents, err = v.cards(tasks, cardParts{progress: true}); err != nil {
		return err
	}
	children, err := v.Children(head.Key)
	if err != nil {
		return err
	}
	if tasks, err = v.BriefTasks(keysOf(children[:min(len(children), MaxChildren)])); err == nil {
		out.Children, err = v.cards(tasks, cardParts{progress: true})
	}
	return err
}

// above are what a task is part of, its parent first, as far as MaxChain
// reaches.
func (v view) above(head TaskHead) ([]TaskKey, error) {
	var above []TaskKey
	for at := head.Key; len(above) <= MaxChain; {
		parent, found, err := v.Parent(at)
		if err != nil {
			return nil, err
		}
		if !found || parent.Key == head.Key || slices.Contains(above, parent.Key) {
			break
		}
		at = parent.Key
		above = append(above, at)
	}
	return above, nil
}

func (v view) viewProvenance(out *TaskView, head TaskHead) error {
	for _, side := range []struct {
		direction Direction
		into      *[]Card
	}{{DirectionIncoming, &out.Sources}, {DirectionOutgoing, &out.Spawned}} {
		pairs, err := v.Neighbours([]TaskKey{head.Key}, side.direction, []EdgeType{EdgeDiscoveredFrom}, false)
		if err != nil {
			return err
		}
		var keys []TaskKey
		for _, pair := range pairs[:min(len(pairs), maxRelated)] {
			keys = append(keys, pair[1])
		}
		tasks, err := v.BriefTasks(keys)
		if err != nil {
			return err
		}
		if *side.into, err = v.cards(tasks, cardParts{}); err != nil {
			return err
		}
	}
	return nil
}

func (v view) viewHistory(out *TaskView, head TaskHead) error {
	var err error
	if out.Findings, err = v.Findings(head.Key, nil); err != nil {
		return err
	}
	key := head.Key
	out.Events, err = v.Events(EventQuery{Task: &key, NewestFirst: true, Limit: MaxHistory + 1})
	if len(out.Events) > MaxHistory {
		out.Events, out.MoreEvents = out.Events[:MaxHistory], true
	}
	if err != nil {
		return err
	}
	cards, err := v.subjects(out.Events)
	out.Others = make(map[string]Card, len(cards))
	for _, card := range cards {
		out.Others[card.ID] = *card
	}
	return err
}
