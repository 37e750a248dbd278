package core

// NoteFilter selects notes. Zero values filter nothing.
type NoteFilter struct {
	PathPrefix    string   // of the path as text
	Tags          []string // all of them
	Entities      []string // all of them
	Author        string
	Since         *Stamp // updated_at at or after
	TitleContains string // ignoring case
	Match         []MetadataCondition
}

// isNarrow reports whether the filter asks for more than a path, so that it
// cannot be answered for a file that could not be read.
func (f NoteFilter) isNarrow() bool {
	return len(f.Tags)+len(f.Entities)+len(f.Match) > 0 || f.Author != "" || f.Since != nil || f.TitleContains != ""
}

// NoteReader reads the index of notes within a transaction.
type NoteReader interface {
	// NoteByID looks a note up by its exact id.
	NoteByID(id string) (row NoteRow, found bool, err error)
	// NotesByPrefix returns up to limit notes whose id begins with the prefix,
	// compared bytewise, by id.
	NotesByPrefix(prefix string, limit int) ([]NoteHead, error)
	// NoteByPath looks up the note of a file.
	NoteByPath(path string) (row NoteRow, found bool, err error)
	// NoteOfFile looks a note of a folder up by the number of its file.
	NoteOfFile(folder string, number int64) (row NoteRow, found bool, err error)
	// NoteOfURL looks up the note that owns a normalised URL: the first in path
	// order.
	NoteOfURL(url string) (row NoteRow, found bool, err error)
	// Notes returns the notes of the keys in their order; a key without a row
	// is left out.
	Notes(keys []NoteKey) ([]NoteRow, error)
	// NotesPassing returns those of the keys whose notes pass, in their order.
	NotesPassing(keys []NoteKey, f NoteFilter) ([]NoteKey, error)
	// EachNote yields the notes that pass in the order of their insertion,
	// until yield returns false.
	EachNote(f NoteFilter, yield func(NoteRow) bool) error
	// NotePage returns at most limit of the notes that pass, in the order of
	// insertion, as a list shows them, and how many pass altogether.
	NotePage(f NoteFilter, limit, offset int) (items []NoteListItem, total int64, err error)
	// NoteItems returns the notes of the keys in their order, as a list shows
	// them; a key without a note is left out.
	NoteItems(keys []NoteKey) ([]NoteListItem, error)
	// NotesByChange returns at most limit notes, the last changed first.
	NotesByChange(limit, offset int) ([]NoteRow, error)
	// NotePosition is how many notes come before one in the order of
	// NotesByChange.
	NotePosition(note NoteRow) (int, error)
	// NotesOfTask returns at most limit notes that name a task as their source,
	// the last changed first.
	NotesOfTask(taskID string, limit int) ([]NoteRow, error)
	// NoteTags counts the notes of each tag that begins with the prefix,
	// ignoring case, by tag.
	NoteTags(prefix string) ([]TagCount, error)
	// NoteLinks returns the wiki-links of the keys as pairs (key, other), each
	// once, without those of a note to itself: what they point at (Outgoing)
	// or what points at them (Incoming).
	NoteLinks(keys []NoteKey, side Direction) ([][2]NoteKey, error)
	// NoteSources is the same for provenance: what the keys are derived from
	// (Outgoing) or what is derived from them (Incoming).
	NoteSources(keys []NoteKey, side Direction) ([][2]NoteKey, error)
	// IsNoteName reports whether wiki-links find a note under a name, which is
	// in the form that NoteName has.
	IsNoteName(name string) (bool, error)
	// UnresolvedSources returns the ids a note is derived from that no note
	// has, sorted.
	UnresolvedSources(key NoteKey) ([]string, error)
	// NoteCounts returns the numbers of the stats operation that concern notes.
	NoteCounts(now Stamp) (NoteCounts, error)

	// NoteFolders returns the folders as they were last gone through;
	// NoteFolder looks one up.
	NoteFolders() (map[string]FolderState, error)
	NoteFolder(path string) (state FolderState, found bool, err error)
	// NotesFolder returns the number of the folder of notes itself when it was
	// last taken up, 0 while it never was.
	NotesFolder() (int64, error)
	// NoteFiles returns the files of a folder that the index knows, by path.
	NoteFiles(folder string) ([]KnownFile, error)
	// NoteProblems returns the files that cannot be read as notes, by path;
	// NoteProblem looks one up.
	NoteProblems() ([]NoteProblem, error)
	NoteProblem(path string) (p NoteProblem, found bool, err error)
	// CountNoteProblems counts those whose path has the prefix.
	CountNoteProblems(pathPrefix string) (int64, error)
}

// NoteWriter writes the index of notes within a transaction.
type NoteWriter interface {
	// PutNote adds a note, or overwrites the one of row.Key when that is not 0,
	// with everything that is found through it: names are what wiki-links can
	// call it by kind, links the names its own wiki-links call, content the
	// text of full-text search. It returns the key.
	PutNote(row NoteRow, names []NoteName, links []string, content string, now Stamp) (NoteKey, error)
	// PlaceNote notes the path and the state of the file of row.Key.
	PlaceNote(row NoteRow) error
	// DeleteNote removes a note from the index.
	DeleteNote(row NoteRow, now Stamp) error
	// ForgetNotes empties the index, for a rebuild.
	ForgetNotes(now Stamp) error
	// PutNoteFolder notes how a folder looks; DropNoteFolder that it is gone.
	PutNoteFolder(path string, state FolderState) error
	DropNoteFolder(path string) error
	// PutNotesFolder notes the number of the folder of notes itself.
	PutNotesFolder(number int64) error
	// PutNoteProblem notes a file that is no note; DropNoteProblem that it is
	// one, or gone.
	PutNoteProblem(p NoteProblem) error
	DropNoteProblem(path string) error
}

// NoteNameKind says what a wiki-link calls a note by. A lower kind wins.
type NoteNameKind int

// The kinds of names, strongest first.
const (
	NamePath NoteNameKind = iota
	NameFile
	NameID
	NameAlias
)

// NoteName is one name that wiki-links can call a note by, in the form of
// linkName.
type NoteName struct {
	Name string
	Kind NoteNameKind
}

// TagCount is how many notes have a tag.
type TagCount struct {
	Tag   string
	Notes int64
}

// NoteCounts are the numbers of the stats operation that concern notes.
type NoteCounts struct {
	Notes           int64
	Tags            int64 // different ones
	DuplicateURLs   int64 // notes not owning their URL
	UnresolvedLinks int64 // names in notes that no note answers to
	Stale           int64
	Links           int64 // between two notes
}

// KnownFile is a file the index knows: a note's, or one that is no note, then
// without a key.
type KnownFile struct {
	Path string
	Stat FileStat
	Key  NoteKey
}

// NoteProblem is a file that is no note although its name says so.
type NoteProblem struct {
	Path   string
	Reason string // for people
	ID     string // of the note it was, if any
	File   FileState
}
