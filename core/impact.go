package core

import "slices"

// impact is how many distinct open tasks wait for a task, directly or through
// one another: those that live edges lead to, passing open tasks only.
func (v view) impact(key TaskKey) (int, error) {
	reached, _, err := spread(key, func(generation []TaskKey) ([][2]TaskKey, error) {
		return v.Waiters(generation, v.now)
	})
	return reached, err
}

// impacts computes the impact of many open tasks over one reading of the
// graph.
func (v view) impacts(keys []TaskKey) (map[TaskKey]int, error) {
	waiters := map[TaskKey][]TaskKey{}
	err := v.EachWaiter(v.now, func(from, to TaskKey) bool {
		waiters[from] = append(waiters[from], to)
		return true
	})
	if err != nil {
		return nil, err
	}
	impacts := make(map[TaskKey]int, len(keys))
	reachedFrom := make(map[TaskKey]TaskKey, len(waiters)) // last start that reached the task
	var stack []TaskKey
	for _, start := range keys {
		reachedFrom[start] = start
		count := 0
		stack = append(stack[:0], start)
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, next := range waiters[at] {
				if reachedFrom[next] != start {
					reachedFrom[next] = start
					count++
					stack = append(stack, next)
				}
			}
		}
		impacts[start] = count
	}
	return impacts, nil
}

// sortByImpact puts first what most tasks wait for, leaving others in order.
func (v view) sortByImpact(keys []TaskKey) error {
	impact, err := v.impacts(keys)
	if err == nil {
		slices.SortStableFunc(keys, func(a, b TaskKey) int { return impact[b] - impact[a] })
	}
	return err
}
