package display

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestShare(t *testing.T) {
	even := []int{1, 1, 1}
	for _, c := range []struct {
		name           string
		width          int
		needs, weights []int
		least          int
		want           []int
	}{
		{"all need more", 100, []int{90, 90, 90}, even, 10, []int{34, 33, 33}},
		{"one needs little", 100, []int{90, 90, 20}, even, 10, []int{40, 40, 20}},
		{"one needs next to nothing", 100, []int{90, 90, 1}, even, 26, []int{37, 37, 26}},
		{"what nobody needs goes to all", 100, []int{20, 20, 30}, even, 10, []int{30, 30, 40}},
		{"by weight", 100, []int{90, 90, 90}, []int{4, 4, 2}, 10, []int{40, 40, 20}},
		{"a light one keeps the least", 100, []int{90, 90, 90}, []int{4, 4, 2}, 26, []int{37, 37, 26}},
		{"not even the least", 30, []int{90, 90, 90}, even, 26, []int{10, 10, 10}},
		{"one", 7, []int{3}, []int{2}, 1, []int{7}},
		{"none", 7, nil, nil, 1, []int{}},
	} {
		if got := Share(c.width, c.needs, c.weights, c.least); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The widths add up, nobody gets less than the least, and nobody is cut while
// somebody of the same weight has more than it needs.
func TestShare_isFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "columns")
		needs := rapid.SliceOfN(rapid.IntRange(0, 200), n, n).Draw(t, "needs")
		weights := rapid.SliceOfN(rapid.IntRange(1, 5), n, n).Draw(t, "weights")
		width, least := rapid.IntRange(0, 300).Draw(t, "width"), rapid.IntRange(0, 30).Draw(t, "least")
		widths := Share(width, needs, weights, least)
		sum := 0
		for i, w := range widths {
			if sum += w; w < min(least, width/n) {
				t.Fatalf("%v: column %d has less than the least", widths, i)
			}
		}
		if sum != width {
			t.Fatalf("%v adds up to %d, want %d", widths, sum, width)
		}
		for i := range needs {
			for j := range needs {
				if weights[i] == weights[j] && widths[i] < needs[i] && widths[j] > max(needs[j], least, widths[i])+1 {
					t.Fatalf("%v for %v by %v: column %d is cut, %d has too much", widths, needs, weights, i, j)
				}
			}
		}
	})
}
