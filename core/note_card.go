package core

import "context"

// NoteCard is what lists show of a note.
type NoteCard struct {
	NoteHead
	ShortID string // the shortest prefix that is unique, or the id
}

// NoteCards returns the cards of the notes with these ids; ids without a note
// are left out.
func (s *Service) NoteCards(ctx context.Context, ids []string) (map[string]NoteCard, error) {
	return look(ctx, s, func(v view) (map[string]NoteCard, error) {
		known, err := v.NoteKeys(ids)
		if err != nil {
			return nil, err
		}
		keys := make([]NoteKey, 0, len(known))
		for _, key := range known {
			keys = append(keys, key)
		}
		rows, err := v.Notes(keys)
		if err != nil {
			return nil, err
		}
		short, err := v.ShortNoteIDs(idsOfNotes(rows))
		if err != nil {
			return nil, err
		}
		cards := make(map[string]NoteCard, len(rows))
		for i, row := range rows {
			cards[row.ID] = NoteCard{row.NoteHead, short[i]}
		}
		return cards, nil
	})
}

// ShortNoteIDs returns for each id its shortest unique prefix among notes, or
// the id itself.
func (s *Service) ShortNoteIDs(ctx context.Context, ids []string) ([]string, error) {
	return look(ctx, s, func(v view) ([]string, error) { return v.ReadTx.ShortNoteIDs(ids) })
}
