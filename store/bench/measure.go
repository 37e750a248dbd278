package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// contest holds what two sides took, turn by turn.
type contest struct{ ours, theirs []time.Duration }

// turns lets two sides run alternately, so that both meet whatever else the
// machine does, after one turn that does not count. A side does what has to be
// done around its work outside of the time it returns.
func turns(n int, ours, theirs func(turn int) time.Duration) contest {
	ours(0)
	theirs(0)
	var c contest
	for turn := 1; turn <= n; turn++ {
		if turn%2 == 0 {
			c.theirs = append(c.theirs, theirs(turn))
			c.ours = append(c.ours, ours(turn))
		} else {
			c.ours = append(c.ours, ours(turn))
			c.theirs = append(c.theirs, theirs(turn))
		}
	}
	return c
}

// repeat is turns without an opponent.
func repeat(n int, ours func(turn int) time.Duration) (times []time.Duration) {
	ours(0)
	for turn := 1; turn <= n; turn++ {
		times = append(times, ours(turn))
	}
	return times
}

// clocked makes a side of something of which all counts.
func clocked(run func(turn int)) func(int) time.Duration {
	return func(turn int) time.Duration {
		start := time.Now()
		run(turn)
		return time.Since(start)
	}
}

// ratio is how many times the median of theirs the median of ours is.
func (c contest) ratio() float64 { return float64(median(c.ours)) / float64(median(c.theirs)) }

func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

// exponent is the power of the size that times grow with: 0 for what takes as
// long at any size, 1 for what grows with it. It is the slope of the line of
// least squares through the logarithms; NaN for fewer than two sizes.
func exponent(sizes []int, times []time.Duration) float64 {
	if len(sizes) < 2 {
		return math.NaN()
	}
	var x, y, xx, xy float64
	for i, size := range sizes {
		a, b := math.Log(float64(size)), math.Log(float64(times[i]))
		x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
	}
	n := float64(len(sizes))
	return (n*xy - x*y) / (n*xx - x*x)
}

// figure is a measured value, and the limit it is held to.
type figure struct {
	what    string
	size    string
	value   float64
	limit   float64 // 0: none
	atLeast bool    // the limit is the least, not the most
	unit    string  // of value and limit: × for ratios
	detail  string  // what it is made of
}

// isMet reports whether the value keeps the limit.
func (f figure) isMet() bool {
	switch {
	case f.limit == 0:
		return true
	case f.atLeast:
		return f.value >= f.limit
	}
	return f.value <= f.limit
}

// amount writes a number with its unit.
func (f figure) amount(value float64) string {
	text := fmt.Sprintf("%.2f", value)
	if f.unit != "×" && value >= 10 {
		text = fmt.Sprintf("%.0f", value)
	}
	if f.unit == "×" || f.unit == "" {
		return text + f.unit
	}
	return text + " " + f.unit
}

// bound is the limit in words.
func (f figure) bound() string {
	switch {
	case f.limit == 0:
		return ""
	case f.atLeast:
		return "≥ " + f.amount(f.limit)
	}
	return "≤ " + f.amount(f.limit)
}

// short writes a time with three digits.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Microsecond:
		return fmt.Sprintf("%.2f µs", float64(d)/1e3)
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(d)/1e3)
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// count writes a size as people say it.
func count(n int) string {
	switch {
	case n >= 1_000_000 && n%1_000_000 == 0:
		return fmt.Sprintf("%d M", n/1_000_000)
	case n >= 1000 && n%1000 == 0:
		return fmt.Sprintf("%d k", n/1000)
	}
	return fmt.Sprint(n)
}
