package core

import "fmt"

// guardNotes refuses what would take the files of all notes for deleted because
// their folder is gone, or is another, empty one, as when a disk is not mounted
// and what is left is the place for it. Files that were deleted one by one leave
// the folder that it was.
func (s *Service) guardNotes(tx ReadTx, known map[string]FolderState, changes FolderChanges) error {
	if changes.Number == 0 {
		if !holdsNotes(known) {
			return nil
		}
		return s.lostFolder("is not there")
	}
	if !changes.forgetsAll(known) {
		return nil
	}
	number, err := tx.NotesFolder()
	if err != nil || number == changes.Number {
		return err
	}
	return s.lostFolder("is empty and not the one it was, as when its disk is not mounted")
}

func (s *Service) lostFolder(what string) error {
	place := s.folder.Place()
	return NewError(CodeStoreUnavailable,
		fmt.Sprintf("The folder of notes '%s' %s, but the index has notes of it: bring it back, or forget them with 'lithos note reindex'.", place, what),
		Extra{"path", place}, Extra{"reason", "missing"})
}

// holdsNotes reports whether there are notes in any of the folders.
func holdsNotes(known map[string]FolderState) bool {
	for _, state := range known {
		if state.Marks != 0 {
			return true
		}
	}
	return false
}

// forgetsAll reports whether no file is left of all that were known, and no
// other is there.
func (c FolderChanges) forgetsAll(known map[string]FolderState) bool {
	emptied := map[string]bool{}
	for _, path := range c.Gone {
		emptied[path] = true
	}
	for _, listing := range c.Changed {
		if len(listing.Files) > 0 {
			return false
		}
		emptied[listing.Path] = true
	}
	for path, state := range known {
		if state.Marks != 0 && !emptied[path] {
			return false
		}
	}
	return holdsNotes(known)
}

// scanAnew looks at folders right before what they hold is taken up. Should the
// folder of notes be another by now, all are looked at.
func (c *change) scanAnew(known map[string]FolderState, look []string) (FolderChanges, error) {
	changes, err := c.service.folder.Scan(known, look, true)
	if err != nil {
		return changes, err
	}
	number, err := c.NotesFolder()
	if err == nil && look != nil && changes.Number != number {
		if changes, err = c.service.folder.Scan(known, nil, true); err != nil {
			return changes, err
		}
	}
	if err != nil {
		return changes, err
	}
	return changes, c.service.guardNotes(c, known, changes)
}

// noteFolderIs notes which folder the notes lie in.
func (c *change) noteFolderIs(number int64) error {
	before, err := c.NotesFolder()
	if err != nil || before == number {
		return err
	}
	return c.PutNotesFolder(number)
}
