package core

// maxWalked is the number of notes at which a walk over links goes no
// further: everything is near everything then.
const maxWalked = 10_000

// walkLinks follows wiki-links in both directions from some notes and returns
// what it comes to, by distance: the first list is one hop away. Each note
// appears once, where it is nearest; the notes it begins with do not.
func (v view) walkLinks(from []NoteKey, depth int) ([][]NoteKey, error) {
	return v.walk(from, depth, func(keys []NoteKey) ([][2]NoteKey, error) {
		out, err := v.NoteLinks(keys, DirectionOutgoing)
		if err != nil {
			return nil, err
		}
		in, err := v.NoteLinks(keys, DirectionIncoming)
		return append(out, in...), err
	})
}

// walk follows the pairs (key, other) that step finds for the notes of one
// level to those of the next.
func (v view) walk(from []NoteKey, depth int, step func([]NoteKey) ([][2]NoteKey, error)) ([][]NoteKey, error) {
	seen := make(map[NoteKey]bool, len(from))
	for _, key := range from {
		seen[key] = true
	}
	var levels [][]NoteKey
	for level := from; len(levels) < depth && len(level) > 0 && len(seen) <= maxWalked; {
		pairs, err := step(level)
		if err != nil {
			return nil, err
		}
		var next []NoteKey
		for _, pair := range pairs {
			if other := pair[1]; !seen[other] {
				seen[other] = true
				next = append(next, other)
			}
		}
		if len(next) > 0 {
			levels = append(levels, next)
		}
		level = next
	}
	return levels, nil
}

// clampDepth keeps a depth within what walks go.
func clampDepth(depth int) int { return min(max(depth, 1), 3) }
