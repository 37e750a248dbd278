package core

import (
	"context"
	"errors"

	"golang.org/x/text/unicode/norm"
)

// NoteReadRequest asks for a note.
type NoteReadRequest struct {
	ID        *string `json:"id"`
	Path      *string `json:"path" doc:"Instead of the id."`
	MaxLength *int    `json:"max_length" check:"length" doc:"Characters; 0: all."`
	AgentID   *string `json:"agent_id" check:"label" doc:"Who reads."`

	accept bool // the index is as good as it gets
}

// check judges what can be judged without the store.
func (r *NoteReadRequest) check() error {
	if r.ID != nil {
		return nil
	}
	if valueOr(r.Path, "") == "" {
		return invalid(ReasonMissingField, "id", "Give the 'id' or the 'path' of the note.")
	}
	_, err := readPath("path", *r.Path)
	return err
}

// NoteReadResult is a note with all its front matter.
type NoteReadResult struct {
	ID             string
	Title          string
	Path           string
	Content        string
	Note           Note // its front matter
	Links          []NoteLink
	Truncated      bool
	RetrievalCount int64 // reads of the note so far, this one included
}

// AppendJSON appends the result.
func (r NoteReadResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.str("id", r.ID)
	o.str("title", r.Title)
	o.str("path", r.Path)
	o.str("content", r.Content)
	o.key("metadata")
	o.dst = r.Note.appendMetadata(o.dst, r.Path)
	o.any("links", r.Links)
	o.bool("truncated", r.Truncated)
	o.int("retrieval_count", r.RetrievalCount)
	return o.end()
}

// MarshalJSON returns the result.
func (r NoteReadResult) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// appendMetadata appends the front matter with the defaults of what it leaves
// out.
func (n Note) appendMetadata(dst []byte, path string) []byte {
	o := beginObject(dst)
	o.str("id", n.ID)
	o.str("title", n.Title)
	o.str("author", n.Author)
	o.stamp("created_at", n.CreatedAt)
	o.stamp("updated_at", n.UpdatedAt)
	o.any("tags", orEmpty(n.Tags))
	o.any("aliases", orEmpty(n.Aliases))
	o.any("confidence", Real(n.Confidence))
	o.any("contributors", orEmpty(n.Contributors))
	o.nullableStr("source", n.Source)
	o.nullableStr("source_url", n.SourceURL)
	if n.ExpiresAt != nil {
		o.stamp("expires_at", *n.ExpiresAt)
	}
	o.any("supersedes", n.supersedes())
	o.any("derived_from_ids", orEmpty(n.DerivedFrom))
	o.int("version", n.Version)
	o.int("schema_version", int64(n.SchemaVersion))
	namespace := n.Namespace
	if namespace == "" {
		namespace = namespaceOf(path)
	}
	o.str("namespace", namespace)
	o.str("access_scope", n.AccessScope)
	o.str("note_type", n.NoteType)
	o.str("status", n.Status)
	if n.Summaries != "" {
		o.raw("summaries", n.Summaries.Text())
	}
	if n.Extractor != nil {
		o.str("entities_extractor", *n.Extractor)
	}
	if len(n.Entities) > 0 {
		o.any("entities", n.Entities)
	}
	for _, field := range n.Extra {
		if field.Key != "extra" { // the list of them all
			o.dst = append(AppendJSONString(append(o.dst, ','), field.Key), ':')
			o.dst = append(o.dst, field.Value...)
		}
	}
	o.raw("extra", n.metadata().Text())
	return o.end()
}

// NoteRead is the operation read.
var NoteRead = Op[NoteReadRequest, NoteReadResult]{
	name: "read", summary: "Read one note.", readOnly: true,
	codes: []Code{CodeDocNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).NoteRead,
}

// NoteRead reads one note, by id or by path.
func (s *Service) NoteRead(ctx context.Context, req NoteReadRequest) (NoteReadResult, error) {
	result, err := readFreshNote(ctx, s, req, view.readNote)
	if err != nil {
		return NoteReadResult{}, err
	}
	result.RetrievalCount = s.noteRead(ctx, result.ID, req.AgentID)
	return result, nil
}

// readFreshNote is readOneNote with a step that reads the file of the note.
// When the folders were looked at a moment ago, what names a note in full is
// answered without another look at them.
func readFreshNote[Out any](ctx context.Context, s *Service, req NoteReadRequest, step func(view, NoteReadRequest) (Out, error)) (Out, error) {
	if s.folder != nil && s.passes.fresh(s.now()) && (req.ID == nil || uuidForm().MatchString(*req.ID)) {
		if result, err := read(ctx, s, req, step); err == nil {
			return result, nil
		}
	}
	result, err := readOneNote(ctx, s, req, step)
	var stale *staleNote
	if errors.As(err, &stale) {
		// Changed since the last look at every file.
		if err := s.takeUpIfWritable(ctx, []string{stale.folder}); err != nil {
			var none Out
			return none, err
		}
		req.accept = true
		return read(ctx, s, req, step)
	}
	return result, err
}

// staleNote says that a note's file is not as the index knows it.
type staleNote struct{ folder string }

func (e *staleNote) Error() string { return "the note was changed in '" + e.folder + "'" }

func (v view) readNote(req NoteReadRequest) (NoteReadResult, error) {
	var none NoteReadResult
	row, value, field, err := v.noteAsked(req)
	if err != nil {
		return none, err
	}
	n, found, asKnown, err := v.service.noteAsKnown(row)
	if err != nil {
		return none, err
	}
	if !asKnown && !req.accept {
		return none, &staleNote{folderOf(row.Path)}
	}
	if !found {
		return none, noNote(CodeDocNotFound, field, value)
	}
	content, truncated := n.Content(), false
	if most := valueOr(req.MaxLength, 0); most > 0 {
		content, truncated = cutContent(content, most)
	}
	return NoteReadResult{
		ID: n.ID, Title: n.Title, Path: row.Path, Content: content, Note: n, Links: wikiLinks(n.Body), Truncated: truncated,
	}, nil
}

// noNoteAt is the answer to a path that is no note's.
func (v view) noNoteAt(path, given string) error {
	problem, found, err := v.NoteProblem(path)
	if err != nil {
		return err
	}
	missing := noNote(CodeDocNotFound, "path", given)
	if found {
		missing.Message = problem.message()
	}
	return missing
}

// noteAsked finds the note that a request names, by id before path.
func (v view) noteAsked(req NoteReadRequest) (row NoteRow, value, field string, err error) {
	if req.ID != nil {
		row, err = resolveNote(v, "id", *req.ID, CodeDocNotFound)
		return row, *req.ID, "id", err
	}
	path, err := readPath("path", *req.Path)
	if err != nil {
		return row, "", "", err
	}
	row, found, err := v.noteAt(path)
	if err == nil && !found {
		err = v.noNoteAt(path, *req.Path)
	}
	return row, *req.Path, "path", err
}

// noteAt finds the note at a path. Systems write the same letters in two ways,
// of which people see neither: the other one is looked for as well.
func (v view) noteAt(path string) (row NoteRow, found bool, err error) {
	row, found, err = v.NoteByPath(path)
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if other := form.String(path); err == nil && !found && other != path {
			row, found, err = v.NoteByPath(other)
		}
	}
	return row, found, err
}
