package display

import "sort"

// Share divides a width among columns that stand side by side. Each gets what
// it needs, as far as that is no more than its part by weight; what it does not
// need goes to the others, and what nobody needs to all, by weight. No column
// gets less than least where the width suffices for that. needs and weights
// are of the same length, and weights are positive; the widths answered add up
// to the width.
func Share(width int, needs, weights []int, least int) []int {
	const fine = 16 // parts are raised by such fractions of a cell
	n := len(needs)
	widths := make([]int, n)
	if n == 0 {
		return widths
	}
	least = min(least, width/n)
	at := func(part, i int) int { return max(min(needs[i], part*weights[i]/fine), least) }
	// The largest part of weight 1 for which there is room.
	part := sort.Search(width*fine+1, func(part int) bool {
		sum := 0
		for i := range needs {
			sum += at(part, i)
		}
		return sum > width
	}) - 1
	rest, total := width, 0
	for i := range widths {
		widths[i] = at(part, i)
		rest -= widths[i]
		total += weights[i]
	}
	for i := 0; i < n && rest > 0; i++ { // what is left when all parts are whole cells
		if widths[i] < needs[i] && part < width*fine {
			widths[i]++
			rest--
		}
	}
	for i, weight := range weights {
		more := (rest*weight + total - 1) / total
		widths[i] += more
		rest -= more
		total -= weight
	}
	return widths
}
