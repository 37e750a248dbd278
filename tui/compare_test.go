package tui

import (
	"strings"
	"testing"
)

func TestApart(t *testing.T) {
	same := strings.Repeat("common ", 10)
	for _, c := range [][4]string{
		{"a", "b", "a", "b"},
		{"one\ntwo\nthree", "one\ntwo\nfour", "… three", "… four"},
		{"one", "one\ntwo", "one", "one\ntwo"},
		{"short start, mine", "short start, theirs", "short start, mine", "short start, theirs"},
		{same + "mine", same + "theirs", "… mmon common mine", "… mmon common theirs"},
	} {
		if a, b := apart(c[0], c[1]); a != c[2] || b != c[3] {
			t.Errorf("%q and %q become %q and %q, want %q and %q", c[0], c[1], a, b, c[2], c[3])
		}
	}
}
