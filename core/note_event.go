package core

// The payloads of note events.
type (
	noteWritten struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		Path    string `json:"path"`
		Version int64  `json:"version"`
	}
	noteDeleted struct {
		ID   string `json:"id"`
		Path string `json:"path"`
	}
	noteRenamed struct {
		ID       string `json:"id"`
		SrcPath  string `json:"src_path"`
		DestPath string `json:"dest_path"`
	}
)

// emitNote appends an event about a note, with the note's tags.
func (c *change) emitNote(t EventType, agent string, row NoteRow, payload any) error {
	return c.emitTagged(t, agent, Subject{}, row.Tags, payload)
}

// emitWritten appends note.created or note.updated.
func (c *change) emitWritten(t EventType, agent string, row NoteRow) error {
	return c.emitNote(t, agent, row, noteWritten{ID: row.ID, Title: row.Title, Path: row.Path, Version: row.Version})
}
