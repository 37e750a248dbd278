package core

import (
	"context"
	"slices"
	"strings"

	"dev.lithos/core/search"
)

// NoteWindowRequest asks for a part of the list of notes.
type NoteWindowRequest struct {
	// Text is what is looked for, as far as it is typed; empty: all notes.
	Text string
	// Anchors are ids of notes. The window is laid around the first of them
	// that is in the list, Above rows before it; without one it begins at
	// Offset.
	Anchors       []string
	Above, Offset int
	Limit         int
}

// NoteWindow is a part of the list of notes: those that answer a text, best
// first, or all, the last changed first.
type NoteWindow struct {
	Now        Stamp
	Total      int  // rows of the list
	More       bool // more notes answer than the list has rows
	All        int  // notes there are
	Unreadable int  // files that cannot be read as notes
	First      int  // where the rows begin in the list
	Anchor     int  // which of the anchors was found, -1 for none
	Position   int  // where it is in the list
	Rows       []NoteListRow
}

// NoteListRow is what the list shows of a note.
type NoteListRow struct {
	NoteCard
	Tags      Tags
	UpdatedAt Stamp
	Version   int64
	Status    string
	IsStale   bool
	Snippet   string // of what was found, in one line
	// InTitle and InSnippet are where title and snippet hold what was looked
	// for, as ranges of bytes in their order.
	InTitle, InSnippet [][2]int
}

// maxNoteHits is how many of the notes that answer a text the list holds.
const maxNoteHits = 1_000

// NoteWindow reads a part of the list of notes. It leaves no trace in the
// access log, and does not look for files changed by hand: see NotePass.
func (s *Service) NoteWindow(ctx context.Context, req NoteWindowRequest) (NoteWindow, error) {
	return look(ctx, s, func(v view) (NoteWindow, error) {
		w := NoteWindow{Now: v.now, Anchor: -1}
		_, all, err := v.NotePage(NoteFilter{}, 0, 0)
		if err != nil {
			return w, err
		}
		unreadable, err := v.CountNoteProblems("")
		if err != nil {
			return w, err
		}
		w.All, w.Unreadable = int(all), int(unreadable)
		if strings.TrimSpace(req.Text) == "" {
			w.Total = w.All
			return w, v.windowByChange(&w, req)
		}
		return w, v.windowOfHits(&w, req)
	})
}

// NotePlace is the folder of notes as people know it, empty when there is none.
func (s *Service) NotePlace() string {
	if s.folder == nil {
		return ""
	}
	return s.folder.Place()
}

// begin lays the window around the anchor, once that is known.
func (w *NoteWindow) begin(req NoteWindowRequest) {
	w.First = req.Offset
	if w.Anchor >= 0 {
		w.First = w.Position - req.Above
	}
	w.First = max(min(w.First, w.Total-req.Limit), 0)
}

func (v view) windowByChange(w *NoteWindow, req NoteWindowRequest) error {
	for i, id := range req.Anchors {
		row, found, err := v.NoteByID(id)
		if err != nil {
			return err
		}
		if found {
			w.Anchor = i
			if w.Position, err = v.NotePosition(row); err != nil {
				return err
			}
			break
		}
	}
	w.begin(req)
	rows, err := v.NotesByChange(req.Limit, w.First)
	if err != nil {
		return err
	}
	w.Rows, err = v.noteListRows(rows)
	return err
}

func (v view) windowOfHits(w *NoteWindow, req NoteWindowRequest) error {
	query := search.ParseTyped(req.Text)
	if query.IsEmpty() {
		return nil
	}
	ranking, err := v.rankText(query, false)
	if err != nil {
		return err
	}
	best, err := v.bestOf(ranking.notes, maxNoteHits, nil)
	if err != nil {
		return err
	}
	w.Total, w.More = len(best), !ranking.complete || len(best) < len(ranking.notes)
	keys := scoredKeys(best)
	if w.Anchor, w.Position, err = v.firstAnchor(req.Anchors, keys); err != nil {
		return err
	}
	w.begin(req)
	rows, err := v.Notes(keys[w.First:min(w.First+req.Limit, len(keys))])
	if err != nil {
		return err
	}
	if w.Rows, err = v.noteListRows(rows); err != nil {
		return err
	}
	finder := search.NewFinder(query)
	for i := range w.Rows {
		row := &w.Rows[i]
		excerpt, err := v.snippet(rows[i], finder)
		if err != nil {
			return err
		}
		row.Snippet = strings.Join(strings.Fields(excerpt), " ")
		row.InTitle, row.InSnippet = placesIn(finder, row.Title), placesIn(finder, row.Snippet)
	}
	return nil
}

// firstAnchor finds the first of the ids that is among the keys.
func (v view) firstAnchor(ids []string, keys []NoteKey) (anchor, position int, err error) {
	known, err := v.NoteKeys(ids)
	if err != nil {
		return -1, 0, err
	}
	for i, id := range ids {
		if key, ok := known[id]; ok {
			if at := slices.Index(keys, key); at >= 0 {
				return i, at, nil
			}
		}
	}
	return -1, 0, nil
}

// placesIn are the places of a text that hold what a finder looks for, joined
// where they overlap.
func placesIn(finder *search.Finder, text string) (places [][2]int) {
	finder.Each(text, func(_ search.Phrase, start, end int) bool {
		for n := len(places); n > 0 && places[n-1][1] > start; n = len(places) {
			start = min(start, places[n-1][0])
			places = places[:n-1]
		}
		places = append(places, [2]int{start, end})
		return true
	})
	return places
}

func (v view) noteListRows(rows []NoteRow) ([]NoteListRow, error) {
	cards, err := v.noteCards(rows)
	if err != nil {
		return nil, err
	}
	list := make([]NoteListRow, len(rows))
	for i, row := range rows {
		list[i] = NoteListRow{
			NoteCard: cards[i], Tags: row.Tags, UpdatedAt: row.UpdatedAt, Version: row.Version, Status: row.Status, IsStale: row.IsStale(v.now),
		}
	}
	return list, nil
}

// noteCards are the cards of notes in their order.
func (v view) noteCards(rows []NoteRow) ([]NoteCard, error) {
	short, err := v.ShortNoteIDs(idsOfNotes(rows))
	if err != nil {
		return nil, err
	}
	cards := make([]NoteCard, len(rows))
	for i, row := range rows {
		cards[i] = NoteCard{row.NoteHead, short[i]}
	}
	return cards, nil
}
