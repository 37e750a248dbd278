package core

import "strings"

// NoteKey is the store's own number of a note. A rebuild of the index gives
// notes new numbers; their ids stay.
type NoteKey int64

// The words access_scope can be.
const (
	ScopeShared  = "shared"
	ScopeTask    = "task"
	ScopePrivate = "agent_private"
)

// AccessScopes lists the words access_scope can be.
var AccessScopes = []string{ScopeShared, ScopeTask, ScopePrivate}

// NoteTypes lists the words note_type can be.
var NoteTypes = []string{"observation", "agent_finding", "summary", "concept", "task_record", "hypothesis"}

// The words the status of a note can be.
const (
	NoteActive      = "active"
	NoteArchived    = "archived"
	NoteQuarantined = "quarantined"
)

// NoteStatuses lists the words the status of a note can be.
var NoteStatuses = []string{NoteActive, NoteArchived, NoteQuarantined}

// What a note is when its file does not say otherwise.
const (
	defaultNoteTitle     = "Untitled"
	defaultNoteAuthor    = "unknown"
	defaultNoteType      = "observation"
	defaultNamespace     = "default"
	defaultSchemaVersion = 1
	defaultConfidence    = 1.0
)

// DiskAgent is who changed a note whose file was changed by hand.
const DiskAgent = "disk"

// NoteHead names a note.
type NoteHead struct {
	Key   NoteKey
	ID    string
	Title string
	Path  string // relative to the folder of notes, with slashes
}

// NoteRow is what the index knows of a note: all but the text.
type NoteRow struct {
	NoteHead
	Author      string
	CreatedAt   Stamp
	UpdatedAt   Stamp
	Version     int64
	ExpiresAt   *Stamp
	Confidence  float64 // 0 to 1
	Namespace   string
	AccessScope string
	NoteType    string
	Status      string
	Source      *string // id of a task, as written
	SourceURL   *string // normalised, unless the file has one that cannot be
	Tags        Tags
	DerivedFrom []string
	Entities    []string
	Aliases     []string
	Metadata    Metadata // the free-form keys
	TitleNamed  bool     // the file is named after the title
	OwnID       bool     // the id stands in the file; otherwise it was drawn for it
	File        FileState
}

// IsStale reports whether the note has outlived its expiry.
func (r NoteRow) IsStale(now Stamp) bool { return r.ExpiresAt != nil && now > *r.ExpiresAt }

// Note is one note as its file has it, with defaults for what the file leaves
// out.
type Note struct {
	ID            string
	Title         string
	Author        string
	CreatedAt     Stamp
	UpdatedAt     Stamp
	Tags          []string
	Aliases       []string
	Confidence    float64
	Contributors  []string
	Source        *string
	SourceURL     *string
	Supersedes    []string
	DerivedFrom   []string
	Version       int64
	ExpiresAt     *Stamp
	SchemaVersion int
	Namespace     string // empty: derived from the path, and not written
	AccessScope   string
	NoteType      string
	Status        string
	Summaries     Metadata // empty: none
	Extractor     *string  // entities_extractor
	Entities      []string
	Extra         []NoteField // the free-form keys, in the order of the file
	Body          string      // all that follows the front matter, without blank space at its ends
	OwnID         bool        // the file has the id

	odd []oddField
}

// metadata is the free-form keys as one object.
func (n Note) metadata() Metadata {
	members := make([]Member, len(n.Extra))
	for i, field := range n.Extra {
		members[i] = Member{field.Key, field.Value}
	}
	return MakeMetadata(members)
}

// namespaceOf is the namespace of a note whose file names none: the folders
// it lies in.
func namespaceOf(path string) string {
	if folder := folderOf(path); folder != "" {
		return folder
	}
	return defaultNamespace
}

// folderOf is the folder of a path, empty for the root.
func folderOf(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}

// fileNameOf is the last segment of a path.
func fileNameOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// row is what the index keeps of a note at a path.
func (n Note) row(path string, file FileState) NoteRow {
	namespace := n.Namespace
	if namespace == "" {
		namespace = namespaceOf(path)
	}
	return NoteRow{
		NoteHead: NoteHead{ID: n.ID, Title: n.Title, Path: path},
		Author:   n.Author, CreatedAt: n.CreatedAt, UpdatedAt: n.UpdatedAt, Version: n.Version, ExpiresAt: n.ExpiresAt,
		Confidence: n.Confidence, Namespace: namespace, AccessScope: n.AccessScope, NoteType: n.NoteType, Status: n.Status,
		Source: n.Source, SourceURL: n.SourceURL, Tags: MakeTags(n.Tags), DerivedFrom: n.DerivedFrom,
		Entities: n.Entities, Aliases: n.Aliases, Metadata: n.metadata(),
		TitleNamed: fileNameOf(path) == slugOf(n.Title)+noteSuffix, OwnID: n.OwnID, File: file,
	}
}
