package core

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestImpactsOver holds the walk for many against a walk for each, through
// rings too.
func TestImpactsOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 150).Draw(t, "tasks")
		key := rapid.Custom(func(t *rapid.T) TaskKey { return TaskKey(rapid.IntRange(1, n).Draw(t, "key")) })
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]TaskKey {
			return [2]TaskKey{key.Draw(t, "from"), key.Draw(t, "to")}
		}), 0, 200).Draw(t, "edges")
		if rapid.Bool().Draw(t, "forward") {
			for i, e := range edges {
				edges[i] = [2]TaskKey{min(e[0], e[1]), max(e[0], e[1])}
			}
		}
		var keys []TaskKey
		want := map[TaskKey]int{}
		for k := TaskKey(1); k <= TaskKey(n)+1; k++ {
			keys = append(keys, k)
			want[k] = reachedFrom(edges, k)
		}
		if diff := cmp.Diff(want, impactsOver(edges, keys)); diff != "" {
			t.Fatalf("%v: -want +got\n%s", edges, diff)
		}
	})
}

func reachedFrom(edges [][2]TaskKey, start TaskKey) int {
	seen := map[TaskKey]bool{start: true}
	for stack := []TaskKey{start}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range edges {
			if e[0] == at && !seen[e[1]] {
				seen[e[1]] = true
				stack = append(stack, e[1])
			}
		}
	}
	return len(seen) - 1
}

func TestCountBits(t *testing.T) {
	var list []uint64
	for i := range 1000 {
		list = append(list, uint64(i)|1<<63)
	}
	counts := countBits(list)
	if counts[63] != 1000 || counts[0] != 500 || counts[9] != 1000-512 || counts[10] != 0 {
		t.Errorf("%v", counts)
	}
}
