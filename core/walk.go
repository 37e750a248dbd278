package core

// spread walks from a task generation by generation, each task once: next
// gives, as pairs (task, neighbour), where a generation leads. It tells how
// many tasks were reached, the start not counted, and how many generations
// there were, the start's included.
func spread(start TaskKey, next func([]TaskKey) ([][2]TaskKey, error)) (reached, generations int, err error) {
	seen := map[TaskKey]bool{start: true}
	for generation := []TaskKey{start}; len(generation) > 0; generations++ {
		pairs, err := next(generation)
		if err != nil {
			return 0, 0, err
		}
		generation = nil
		for _, pair := range pairs {
			if !seen[pair[1]] {
				seen[pair[1]] = true
				generation = append(generation, pair[1])
			}
		}
	}
	return len(seen) - 1, generations, nil
}
