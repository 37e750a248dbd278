package tui

import "strings"

// apart are two texts from where they differ on: what both begin with is left
// out as far as a line of a comparison could not show the difference behind it.
func apart(a, b string) (string, string) {
	skipped := false
	for {
		lineA, restA, moreA := strings.Cut(a, "\n")
		lineB, restB, moreB := strings.Cut(b, "\n")
		if lineA != lineB || !moreA || !moreB {
			break
		}
		a, b, skipped = restA, restB, true
	}
	const shown, before = 30, 12 // cells of what is common: as much as is shown, and what is left of more
	starts := []int{0}
	for at := 0; at < len(a) && at < len(b); {
		n := nextCluster(a[at:])
		if !strings.HasPrefix(b[at:], a[at:at+n]) {
			break
		}
		at += n
		starts = append(starts, at)
	}
	if common := len(starts) - 1; common > shown {
		from := starts[common-before]
		a, b, skipped = a[from:], b[from:], true
	}
	if skipped {
		a, b = "… "+a, "… "+b
	}
	return a, b
}
