//go:build soak

package storm

import (
	"testing"
	"time"
)

// TestSoakLocked has another program hold the store for a minute.
func TestSoakLocked(t *testing.T) {
	for _, mode := range []string{"write", "exclusive"} {
		t.Run(mode, func(t *testing.T) {
			lockedOut(t, mode, time.Minute, []time.Duration{500 * time.Millisecond, time.Second, 5 * time.Second})
		})
	}
}
