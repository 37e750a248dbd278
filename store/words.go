package store

import "dev.lithos/core"

// The words of the contract as the numbers that stand for them in the file:
// a word's number is its place in the list.
var (
	statuses  = []core.Status{core.StatusOpen, core.StatusCompleted, core.StatusCancelled}
	taskTypes = []core.TaskType{core.TypeTask, core.TypeEpic, core.TypeGate}
	// In the order of the names, so that the order of the numbers is the
	// contract's "by type ascending".
	edgeTypes = []core.EdgeType{core.EdgeBlocks, core.EdgeDiscoveredFrom, core.EdgeParentChild, core.EdgeWaitsOnGate}
)

// numberOf is the number of a word; -1, which every table refuses, for one
// outside the vocabulary.
func numberOf[W comparable](words []W, word W) int64 {
	for i, w := range words {
		if w == word {
			return int64(i)
		}
	}
	return -1
}
