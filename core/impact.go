package core

import (
	"math/bits"
	"slices"
)

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
	var edges [][2]TaskKey
	err := v.EachWaiter(v.now, func(from, to TaskKey) bool {
		edges = append(edges, [2]TaskKey{from, to})
		return true
	})
	if err != nil {
		return nil, err
	}
	return impactsOver(edges, keys), nil
}

// impactsOver counts for each of the keys how many others the edges lead to.
// One walk serves 64 keys: every task has a bit for each of them, which says
// that it is reached. A walk of its own for each key would take the square of
// the graph's size.
func impactsOver(edges [][2]TaskKey, keys []TaskKey) map[TaskKey]int {
	g := newWaitGraph(edges)
	impacts := make(map[TaskKey]int, len(keys))
	reached := make([]uint64, len(g.order))
	for batch := range slices.Chunk(keys, 64) {
		clear(reached)
		for bit, key := range batch {
			if at, known := g.at[key]; known {
				reached[at] |= 1 << bit
			}
		}
		// In order once is enough; through rings until nothing is new.
		for g.walk(reached) && g.ringed {
		}
		counts := countBits(reached)
		for bit, key := range batch {
			if _, known := g.at[key]; known {
				impacts[key] = counts[bit] - 1 // itself
			} else {
				impacts[key] = 0
			}
		}
	}
	return impacts
}

// waitGraph is a graph of tasks that wait for one another, with small numbers
// for tasks.
type waitGraph struct {
	at     map[TaskKey]int32
	first  []int32 // where the targets of a task begin in heads, and those of the last one end
	heads  []int32
	order  []int32 // sources before their targets, as far as rings allow
	ringed bool
}

func newWaitGraph(edges [][2]TaskKey) *waitGraph {
	g := &waitGraph{at: map[TaskKey]int32{}}
	number := func(key TaskKey) int32 {
		n, known := g.at[key]
		if !known {
			n = int32(len(g.at))
			g.at[key] = n
		}
		return n
	}
	ends := make([][2]int32, len(edges))
	for i, edge := range edges {
		ends[i] = [2]int32{number(edge[0]), number(edge[1])}
	}
	n := len(g.at)
	g.first, g.heads = make([]int32, n+1), make([]int32, len(edges))
	arriving := make([]int32, n)
	for _, e := range ends {
		g.first[e[0]+1]++
		arriving[e[1]]++
	}
	for i := range n {
		g.first[i+1] += g.first[i]
	}
	next := slices.Clone(g.first[:n])
	for _, e := range ends {
		g.heads[next[e[0]]] = e[1]
		next[e[0]]++
	}
	// Take away, again and again, what nothing leads to any more.
	g.order = make([]int32, 0, n)
	for i, a := range arriving {
		if a == 0 {
			g.order = append(g.order, int32(i))
		}
	}
	for i := 0; i < len(g.order); i++ {
		for _, target := range g.targets(g.order[i]) {
			if arriving[target]--; arriving[target] == 0 {
				g.order = append(g.order, target)
			}
		}
	}
	if g.ringed = len(g.order) < n; g.ringed {
		for i, a := range arriving {
			if a > 0 {
				g.order = append(g.order, int32(i))
			}
		}
	}
	return g
}

func (g *waitGraph) targets(i int32) []int32 { return g.heads[g.first[i]:g.first[i+1]] }

// walk hands the bits of every task on to its targets, and reports whether one
// of them got a new one.
func (g *waitGraph) walk(reached []uint64) (news bool) {
	for _, i := range g.order {
		bits := reached[i]
		if bits == 0 {
			continue
		}
		for _, target := range g.targets(i) {
			if reached[target]&bits != bits {
				reached[target] |= bits
				news = true
			}
		}
	}
	return news
}

// countBits counts for each of 64 bits how many of the words have it. The
// counters stand upright, digit by digit in words of their own, so that one
// addition serves all of them.
func countBits(list []uint64) (counts [64]int) {
	var digits [64]uint64
	for _, carry := range list {
		for i := 0; carry != 0; i++ {
			digits[i], carry = digits[i]^carry, digits[i]&carry
		}
	}
	for i, digit := range digits {
		for ; digit != 0; digit &= digit - 1 {
			counts[bits.TrailingZeros64(digit)] += 1 << i
		}
	}
	return counts
}

// sortByImpact puts first what most tasks wait for, leaving others in order.
func (v view) sortByImpact(keys []TaskKey) error {
	impact, err := v.impacts(keys)
	if err == nil {
		slices.SortStableFunc(keys, func(a, b TaskKey) int { return impact[b] - impact[a] })
	}
	return err
}
