package tui

import (
	"fmt"
	"testing"
	"time"
)

// manyTasks is a graph of n ready and n blocked tasks.
func manyTasks(n int) fixture {
	var f fixture
	for i := range 2 * n {
		f.tasks = append(f.tasks, fixtureTask{
			id: fmt.Sprintf("%06x", 0x100000+i), title: fmt.Sprintf("Task number %d of a long list, with a title that is cut", i), age: time.Duration(2*n-i) * time.Minute,
			metadata: fmt.Sprintf(`{"priority":"%s"}`, []string{"high", "medium", "low"}[i%3]), tags: []string{"graph"},
		})
		if i >= n {
			for k := range 3 {
				f.edges = append(f.edges, fmt.Sprintf("%06x > %06x", 0x100000+(i*7+k*13)%n, 0x100000+i))
			}
		}
	}
	return f
}

// BenchmarkKey is a key with its frame, at two sizes of the store. The loads
// that keys set off run beside the program's loop and are not counted.
func BenchmarkKey(b *testing.B) {
	for _, n := range []int{100, 20_000} {
		for _, size := range [][2]int{{80, 24}, {160, 50}, {250, 80}} {
			b.Run(fmt.Sprintf("%d_tasks/%dx%d", 2*n, size[0], size[1]), func(b *testing.B) {
				d := drive(b, manyTasks(n), size[0], size[1])
				keys := []string{"j", "j", "j", "k", "l", "j", "h", "j"}
				b.ResetTimer()
				for i := range b.N {
					d.m.Update(keyMsg(keys[i%len(keys)]))
					if d.m.View() == "" {
						b.Fatal("no frame")
					}
				}
			})
		}
	}
}

// TestKey_isAnsweredWithinAFrame holds a key with its frame far below the 16 ms
// of a screen's refresh.
func TestKey_isAnsweredWithinAFrame(t *testing.T) {
	d := drive(t, manyTasks(500), 160, 50)
	best := time.Hour
	for range 60 {
		began := time.Now()
		d.m.Update(keyMsg("j"))
		d.m.View()
		best = min(best, time.Since(began))
	}
	if best > 8*time.Millisecond {
		t.Errorf("a key takes %s at best", best)
	}
}
