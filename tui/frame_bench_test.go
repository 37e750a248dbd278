package tui

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkFrame is a key with its frame on a board of 50 ready and 50 blocked
// tasks and on one of 100,000 and 100,000, turn by turn. It reports the medians.
func BenchmarkFrame(b *testing.B) {
	few, many := drive(b, manyTasks(50), 160, 50), drive(b, manyTasks(100_000), 160, 50)
	keys := []string{"j", "j", "j", "k", "l", "j", "h", "j"}
	var times [2][]time.Duration
	for i := range b.N {
		for side, d := range []*driver{few, many} {
			start := time.Now()
			d.m.Update(keyMsg(keys[i%len(keys)]))
			if d.m.View() == "" {
				b.Fatal("no frame")
			}
			times[side] = append(times[side], time.Since(start))
		}
	}
	for side, unit := range []string{"ns/few", "ns/many"} {
		slices.Sort(times[side])
		b.ReportMetric(float64(times[side][len(times[side])/2]), unit)
	}
}
