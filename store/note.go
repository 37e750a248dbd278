package store

import "dev.lithos/core"

// ResolveNote implements [core.ReadTx]. The schema has no notes, so every
// reference to one is to a note that does not exist.
func (t *tx) ResolveNote(string, int) ([]core.TaskName, error) { return nil, nil }
