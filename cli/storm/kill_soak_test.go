//go:build soak

package storm

import "testing"

// TestSoakKill kills 500 of 16 processes that write all the time.
func TestSoakKill(t *testing.T) { killStorm(t, 16, 500) }
