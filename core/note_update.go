package core

import "context"

// NoteUpdateRequest asks for other front matter of a note.
type NoteUpdateRequest struct {
	ID              string    `json:"id"`
	Agent           string    `json:"agent" check:"name"`
	Title           *string   `json:"title" check:"note_title"`
	Tags            []string  `json:"tags" check:"tags" doc:"[] clears."`
	Status          *string   `json:"status" check:"note_status"`
	Metadata        *Metadata `json:"metadata" check:"metadata" doc:"Merged per key; null deletes a key."`
	ExpectedVersion *int      `json:"expected_version" check:"version"`
}

// check judges what can be judged without the store.
func (r *NoteUpdateRequest) check() error {
	if r.Title == nil && r.Tags == nil && r.Status == nil && (r.Metadata == nil || len(r.Metadata.Members()) == 0) {
		return invalid(ReasonMissingField, "", "There is nothing to change: give a title, tags, status or metadata.")
	}
	if err := checkNoteStatus(r.Status); err != nil {
		return err
	}
	return checkNoteMetadata(r.Metadata)
}

// NoteUpdate is the operation note_update.
var NoteUpdate = Op[NoteUpdateRequest, NoteWriteResult]{
	name: "note_update", summary: "Change title, tags, status or metadata of a note, not its text.", outcomes: true,
	codes: []Code{CodeNoteNotFound, CodeAmbiguousIDPrefix, CodeContentTooLarge, CodeSlugCollision, CodeVersionConflict},
	run:   (*Service).NoteUpdate,
}

// NoteUpdate changes the front matter of a note. Its body stays as it is, but
// for the line with the title.
func (s *Service) NoteUpdate(ctx context.Context, req NoteUpdateRequest) (NoteWriteResult, error) {
	return writeNotes(ctx, s, req, (*change).updateNote)
}

func (c *change) updateNote(req NoteUpdateRequest) (NoteWriteResult, error) {
	var none NoteWriteResult
	row, err := resolveNote(c, "id", req.ID, CodeNoteNotFound)
	if err != nil {
		return none, err
	}
	row, n, err := c.freshNote(row, "id", req.ID)
	if err != nil {
		return none, err
	}
	if err := c.checkChain(row, n, req.ExpectedVersion, req.Title); err != nil {
		return none, err
	}
	if req.Title != nil && *req.Title != n.Title {
		n.retitle(*req.Title)
	}
	n.settleGiven(NoteWriteRequest{Tags: req.Tags, Status: req.Status})
	if req.Tags != nil {
		n.Tags = req.Tags
	}
	n.Status = valueOr(req.Status, n.Status)
	if req.Metadata != nil {
		n.mergeExtra(*req.Metadata)
	}
	row, err = c.saveUpdate(n, row, req.Agent)
	return written("updated", row, nil), err
}
