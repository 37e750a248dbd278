//go:build soak

package knowledge_test

import "testing"

// TestSoakKill kills a thousand writers of notes.
func TestSoakKill(t *testing.T) { killWriters(t, 1_000) }
