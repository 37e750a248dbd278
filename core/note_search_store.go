package core

import "dev.lithos/core/search"

// SearchReader reads what search and retrieval rest on within a transaction.
type SearchReader interface {
	// EachTextHit yields notes that hold any of the phrases of a query, newest
	// first, until yield returns false. The phrases of a hit are good until
	// yield returns.
	// The error is search_backend_error when the index cannot be read.
	EachTextHit(q TextQuery, yield func(TextHit) bool) error
	// WordsState tells how many notes the full-text index holds, nil when it
	// cannot be read, and when it was last written.
	WordsState() (notes *int64, written *Stamp, err error)
	// NoteIDs returns the ids of the notes of the keys; keys without a note are
	// left out.
	NoteIDs(keys []NoteKey) (map[NoteKey]string, error)
	// NoteKeys returns the keys of the notes with exactly these ids; ids
	// without a note are left out.
	NoteKeys(ids []string) (map[string]NoteKey, error)

	// NoteKeysPassing returns the keys of all notes that pass.
	NoteKeysPassing(f NoteFilter) (map[NoteKey]bool, error)
	// ShortNoteIDs returns for each id the shortest unique prefix among notes of
	// at least MinIDPrefixCharacters characters, or the id itself.
	ShortNoteIDs(ids []string) ([]string, error)

	// NoteEdges returns the typed edges that pass, by created_at, then id.
	NoteEdges(q NoteEdgeQuery) ([]NoteEdge, error)
	// NoteEdge looks a typed edge up by its id.
	NoteEdge(id string) (edge NoteEdge, found bool, err error)

	// Receipt looks a receipt up by its id.
	Receipt(id string) (receipt Receipt, found bool, err error)
	// LatestReceipt is the newest receipt of an agent for a task.
	LatestReceipt(taskID, agent string) (receipt Receipt, found bool, err error)
	// Usage returns what has become of the notes with these ids; a note that
	// was never used is left out.
	Usage(ids []string) (map[string]NoteUsage, error)
}

// SearchWriter writes what use leaves behind within a transaction.
type SearchWriter interface {
	// PutNoteEdge adds a typed edge, or overwrites the one with its ends, type
	// and namespace, which keeps its id and created_at. It returns the edge as
	// it is then. Mirrored edges are never touched.
	PutNoteEdge(e NoteEdge) (NoteEdge, error)
	// PutReceipt adds a receipt.
	PutReceipt(r Receipt) error
	// PutUsage writes the usage of a note.
	PutUsage(u NoteUsage) error
	// LogAccess notes that an agent was shown notes. Of very many entries the
	// oldest are given up.
	LogAccess(kind Access, agent string, at Stamp, ids []string) error
}

// TextQuery asks the full-text index for notes.
type TextQuery struct {
	Phrases []search.Phrase
	// Of limits the hits to notes that hold one of these phrases, by their
	// places in Phrases; empty: no limit.
	Of []int
	// All limits them to notes that hold every phrase. InTitle limits them to
	// those whose title holds one, and looks at nothing but titles.
	All, InTitle bool
	Limit        int // 0: all
}

// TextHit is a note that holds a phrase of a query, with the numbers that tell
// how well it fits.
type TextHit struct {
	Key     NoteKey
	Notes   float64 // in the index
	Title   TextField
	Content TextField
	Phrases []PhraseHit // as in the query
}

// TextField is the length of a part of a note, and its average over all notes,
// in words.
type TextField struct {
	Length, Average float64
}

// PhraseHit is how often a note holds a phrase in its title and its content.
type PhraseHit struct {
	Title, Content uint32
}

// NoteEdgeQuery selects typed edges. Zero values filter nothing.
type NoteEdgeQuery struct {
	From, To, Type, Namespace string
	At                        []string // at either end, any of these; nil: anywhere
	Asserted                  bool     // without mirrored edges
}

// Access is the way in which a note was shown.
type Access int

// The ways in which notes are shown.
const (
	AccessRead Access = iota
	AccessSearch
	AccessRetrieve
)
