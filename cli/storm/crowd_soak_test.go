//go:build soak

package storm

import (
	"testing"
	"time"
)

// TestSoakCrowd has 32 processes write for a minute.
func TestSoakCrowd(t *testing.T) { crowd(t, 32, time.Minute) }
