package core

import "encoding/json"

// NoteFolder is the folder of note files. Paths are relative to it and use
// slashes; nothing outside of it is ever touched, also not over symbolic links.
// Only regular files whose names end in .md are notes; what begins with a dot
// is nobody's business.
//
// Errors are of the category store where the cause is foreseeable.
type NoteFolder interface {
	// Scan goes through the folders and tells which differ from how they were
	// known. look names the folders to go through, nil for all that are known
	// and the root; folders nobody knew are gone through as they are met. With
	// full every file is looked at, without only folders whose own time has
	// changed are.
	Scan(known map[string]FolderState, look []string, full bool) (FolderChanges, error)
	// Stat looks at one file; false when there is no note file of that name.
	Stat(path string) (FileStat, bool, error)
	// FolderTime is the time of the last change of the names in a folder, 0
	// when there is none of that name.
	FolderTime(path string) (int64, error)
	// Read reads a note file. The error is [UnreadableNote] when it is none;
	// its state is right also then. false when there is no such file.
	Read(path string) (NoteFile, FileState, bool, error)
	// ReadBody reads only the body of a file that was read as a note when it had
	// the state given; false when it has another now.
	ReadBody(path string, when FileStat) (body string, same bool, err error)
	// Create makes a note file that must not be there yet, with the folders it
	// lies in; the error is [ErrNoteFileExists] when it is, and invalid_input
	// when no file can have that path.
	Create(path string, file NoteFile) (FileState, error)
	// Replace writes a note file anew: whoever reads it finds the old or the
	// new one, whatever is killed when.
	Replace(path string, file NoteFile) (FileState, error)
	// Remove removes a note file; one that is gone already is no error.
	Remove(path string) error
	// Number tells the folder from any other in its file system; 0 when it is
	// not there.
	Number() (int64, error)
	// Place is the folder's path for people.
	Place() string
}

// FileStat is how a file looked when it was last read: enough to tell that it
// was changed.
type FileStat struct {
	Size   int64 // bytes
	Time   int64 // of the last change of the file, nanoseconds since 1970
	Number int64 // of the file in its file system
}

// FileState is a file's stat and a hash of its content, which tells whether a
// file that looks different really is.
type FileState struct {
	FileStat
	Hash int64
}

// FolderState is how a folder looked when it was last gone through.
type FolderState struct {
	Time  int64 // of its last change, nanoseconds since 1970
	Marks int64 // sum of the [FileMark]s of its note files
}

// FileMark is a number that stands for one state of one file. Sums of them
// tell whether a folder's files are as they were.
func FileMark(path string, stat FileStat) int64 {
	h := uint64(14695981039346656037)
	mix := func(b byte) { h = (h ^ uint64(b)) * 1099511628211 }
	for i := range len(path) {
		mix(path[i])
	}
	for _, n := range [...]int64{stat.Size, stat.Time, stat.Number} {
		for shift := 0; shift < 64; shift += 8 {
			mix(byte(n >> shift))
		}
	}
	return int64(h) //nolint:gosec // wraps on purpose
}

// FolderChanges is what a scan has found.
type FolderChanges struct {
	Number  int64 // as [NoteFolder.Number]
	Changed []FolderListing
	Gone    []string // known folders that are no more
	// Barred are folders that may not be looked into. They stay as they were
	// known.
	Barred []string
	// Odd are left out although they look like notes. They are told only where
	// nothing was known.
	Odd []OddFile
}

// OddFile is something in the folder of notes that is no note file.
type OddFile struct {
	Path   string
	Reason string // for people
}

// IsEmpty reports whether everything is as it was known.
func (c FolderChanges) IsEmpty() bool { return len(c.Changed) == 0 && len(c.Gone) == 0 }

// FolderListing is a folder that has changed, as it is now.
type FolderListing struct {
	Path  string // empty for the root
	State FolderState
	Files []ListedFile // by path
}

// ListedFile is one note file of a folder.
type ListedFile struct {
	Path string
	Stat FileStat
}

// NoteField is one key of a note's front matter.
type NoteField struct {
	Key   string
	Value json.RawMessage // as JSON; dates are strings
	// BareKey says that the key stands in the file as the number or truth value
	// it looks like, not as text. It is the folder's business alone.
	BareKey bool
	// Source is the value as it stands in the file, where JSON says less than
	// that; empty otherwise. It is the folder's business alone.
	Source string
	// Spelled is then the value with every number, time and truth value in it as
	// the text that stands in the file: 007 is a number, and not 7 as a name.
	Spelled json.RawMessage
}

// names is the value for keys that hold names, whatever they look like.
func (f NoteField) names() json.RawMessage {
	if f.Spelled != nil {
		return f.Spelled
	}
	return f.Value
}

// NoteFile is the content of a note file.
type NoteFile struct {
	Fields []NoteField // of a key given twice the last
	Body   string      // with \n at line ends, without blank space at its ends
}

// UnreadableNote says why a file is no note.
type UnreadableNote struct {
	Reason string // for people
}

// Error returns the reason.
func (e *UnreadableNote) Error() string { return e.Reason }

// noteFileExists is the type of [ErrNoteFileExists].
type noteFileExists struct{}

func (noteFileExists) Error() string { return "there is a file of that name" }

// ErrNoteFileExists is the answer to making a note file where one is.
var ErrNoteFileExists error = noteFileExists{}
