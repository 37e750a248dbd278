//go:build linux && soak

package faultvfs_test

import (
	"maps"
	"slices"
	"testing"

	"dev.lithos/store/faultvfs"
)

// TestSoakFaults makes every call of every operation fail with every error
// number, once and for good.
func TestSoakFaults(t *testing.T) {
	storm(t, slices.Sorted(maps.Keys(deeds)), everything)
	storm(t, slices.Sorted(maps.Keys(reads)), everything)
}

// TestSoakFaults_notes does so with the operations on notes.
func TestSoakFaults_notes(t *testing.T) {
	noteStorm(t, slices.Sorted(maps.Keys(noteDeeds)), everything)
}

// TestSoakFaults_creation does so while a store is made.
func TestSoakFaults_creation(t *testing.T) { creation(t, everything) }

func everything(faultvfs.Call, int, int, bool) bool { return true }
