package core

import "context"

// NoteDeleteRequest asks for a note to be removed.
type NoteDeleteRequest struct {
	ID    string `json:"id"`
	Agent string `json:"agent" check:"name"`
}

// NoteDeleteResult names the note that is gone.
type NoteDeleteResult struct {
	Success bool   `json:"success"`
	ID      string `json:"id"`
	Title   string `json:"title"`
	Path    string `json:"path"`
}

// NoteDelete is the operation delete.
var NoteDelete = Op[NoteDeleteRequest, NoteDeleteResult]{
	name: "delete", summary: "Remove a note and its file for good.",
	codes: []Code{CodeDocNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).NoteDelete,
}

// NoteDelete removes a note and its file. What was derived from it keeps its
// id.
func (s *Service) NoteDelete(ctx context.Context, req NoteDeleteRequest) (NoteDeleteResult, error) {
	return writeNotes(ctx, s, req, (*change).deleteNote)
}

func (c *change) deleteNote(req NoteDeleteRequest) (NoteDeleteResult, error) {
	var none NoteDeleteResult
	row, err := resolveNote(c, "id", req.ID, CodeDocNotFound)
	if err != nil {
		return none, err
	}
	if err := c.see(req.Agent); err != nil {
		return none, err
	}
	folders, err := c.watchFolders(row.Path)
	if err != nil {
		return none, err
	}
	if err := c.service.folder.Remove(row.Path); err != nil {
		_, there, statErr := c.service.folder.Stat(row.Path)
		c.touched = statErr != nil || !there
		return none, err
	}
	c.touched = true
	if err := c.DeleteNote(row, c.now); err != nil {
		return none, err
	}
	if err := folders.settle(-FileMark(row.Path, row.File.FileStat)); err != nil {
		return none, err
	}
	if err := c.emitNote(EventNoteDeleted, req.Agent, row, noteDeleted{ID: row.ID, Path: row.Path}); err != nil {
		return none, err
	}
	copies := &taking{c: c, loose: map[string]NoteRow{}, freed: []string{row.ID}}
	err = copies.judgeCopies()
	return NoteDeleteResult{Success: true, ID: row.ID, Title: row.Title, Path: row.Path}, err
}
