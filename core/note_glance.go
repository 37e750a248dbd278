package core

import "context"

// NoteGlance is NotePass for a program that shows notes: the files of those
// with these ids are looked at in any case, also where the folder is so large
// that not every file is looked at each time.
func (s *Service) NoteGlance(ctx context.Context, ids []string) error {
	if err := s.NotePass(ctx); err != nil || s.folder == nil {
		return err
	}
	var changed []string
	err := s.store.Read(ctx, func(tx ReadTx) error {
		for _, id := range ids {
			row, found, err := tx.NoteByID(id)
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			stat, there, err := s.folder.Stat(row.Path)
			if err != nil {
				return err
			}
			if folder := folderOf(row.Path); (!there || stat != row.File.FileStat) && !contains(changed, folder) {
				changed = append(changed, folder)
			}
		}
		return nil
	})
	if err != nil || len(changed) == 0 {
		return err
	}
	return s.takeUpIfWritable(ctx, changed)
}
