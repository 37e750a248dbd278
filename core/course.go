package core

import (
	"cmp"
	"context"
	"strings"
)

// Course is the plan that frees a task, in the order in which a person takes
// it: what can be done now before what has to be waited for, the most urgent
// first. Like the plan it names predecessors before what waits for them. It is
// empty when nothing holds the task back. Its errors are those of naming a
// task.
func (s *Service) Course(ctx context.Context, taskID string) ([]PlanStep, error) {
	return look(ctx, s, func(v view) ([]PlanStep, error) {
		head, err := resolveTask(v, "task_id", taskID)
		if err != nil {
			return nil, err
		}
		_, why, err := v.explain(head)
		if err != nil {
			return nil, err
		}
		return v.course(why)
	})
}

// maxRanked is how many tasks of a course are ranked by their urgency; those
// further away from the task count as of the middle one.
const maxRanked = 500

// courseRank is the place of a task in a course among those whose predecessors
// have theirs.
type courseRank struct {
	delay    int // what it or something before it waits for: 0 nobody, 1 a gate that has to be passed, 2 a clock
	wave     int // 0 it can be taken up now, 1 somebody has, 2 something comes before it
	priority int
}

// course orders what has to happen as a person takes it.
func (v view) course(why *explanation) ([]PlanStep, error) {
	if why == nil {
		return []PlanStep{}, nil
	}
	c := why.chain
	needed := c.needed()
	var near []TaskKey
	for _, key := range c.order {
		if needed[key] && !c.nodes[key].missing && len(near) < maxRanked {
			near = append(near, key)
		}
	}
	tasks, err := v.BriefTasks(near)
	if err != nil {
		return nil, err
	}
	claims, err := v.Claims(distinct(near), v.now)
	if err != nil {
		return nil, err
	}
	priority := map[TaskKey]int{}
	for _, t := range tasks {
		priority[t.Key] = PriorityRank(t.Priority())
	}
	ranks := map[TaskKey]courseRank{}
	order, _ := c.sorted(needed)
	for _, key := range order {
		rank := courseRank{priority: mediumPriority, delay: c.nodes[key].delay()}
		if known, ok := priority[key]; ok {
			rank.priority = known
		}
		sources := c.sources(key)
		for _, source := range sources {
			rank.delay = max(rank.delay, ranks[source].delay)
		}
		switch {
		case len(sources) > 0:
			rank.wave = 2
		case len(claims[key]) > 0:
			rank.wave = 1
		}
		ranks[key] = rank
	}
	order, _ = c.sortedBy(needed, func(a, b TaskKey) int {
		x, y, m, n := ranks[a], ranks[b], c.nodes[a].head, c.nodes[b].head
		return cmp.Or(cmp.Compare(x.delay, y.delay), cmp.Compare(x.wave, y.wave), cmp.Compare(x.priority, y.priority),
			cmp.Compare(m.CreatedAt, n.CreatedAt), strings.Compare(m.ID, n.ID))
	})
	return c.steps(order, why.rings), nil
}

// delay is what the node itself waits for, as in a courseRank.
func (n *chainNode) delay() int {
	switch n.step().Action {
	case ActionWaitUntil:
		return 2
	case ActionResolveGate:
		return 1
	}
	return 0
}
