//go:build soak

package storm

import (
	"testing"
	"time"
)

// TestSoakFollow has 12 readers follow 8 writers for half a minute.
func TestSoakFollow(t *testing.T) { followStorm(t, 8, 6, 30*time.Second) }
