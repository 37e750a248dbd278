package core

import (
	"context"
	"slices"
	"strings"
)

// ReindexRequest takes no arguments.
type ReindexRequest struct{}

// ReindexCounts says what a pass over the folder of notes has found.
type ReindexCounts struct {
	Created int64 `json:"created"`
	Updated int64 `json:"updated"`
	Renamed int64 `json:"renamed"`
	Deleted int64 `json:"deleted"`
}

// ReindexProblem is a file that is no note although its name says so.
type ReindexProblem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// ReindexResult says how many notes there are, what was changed by hand since
// they were last looked at, and which files cannot be read.
type ReindexResult struct {
	Notes int64 `json:"notes"`
	ReindexCounts
	Problems []ReindexProblem `json:"problems"`
}

// NoteReindex is the operation note_reindex.
var NoteReindex = Op[ReindexRequest, ReindexResult]{
	name: "note_reindex", summary: "Read every note file anew and rebuild the index.", commandLineOnly: true,
	run: (*Service).NoteReindex,
}

// NoteReindex rebuilds everything that is derived from the note files. What
// turns out to have been changed by hand is taken up with its events.
func (s *Service) NoteReindex(ctx context.Context, _ ReindexRequest) (ReindexResult, error) {
	var result ReindexResult
	err := s.mutate(ctx, func(c *change) error {
		result.Problems = []ReindexProblem{}
		counts, left, err := c.reindex()
		if err != nil {
			return err
		}
		result.ReindexCounts = counts
		totals, err := c.NoteCounts(c.now)
		if err != nil {
			return err
		}
		result.Notes = totals.Notes
		problems, err := c.NoteProblems()
		for _, p := range problems {
			result.Problems = append(result.Problems, ReindexProblem{p.Path, p.Reason})
		}
		for _, folder := range left.Barred {
			result.Problems = append(result.Problems, ReindexProblem{folder, "is a folder that may not be read"})
		}
		for _, odd := range left.Odd {
			result.Problems = append(result.Problems, ReindexProblem(odd))
		}
		slices.SortStableFunc(result.Problems, func(a, b ReindexProblem) int { return strings.Compare(a.Path, b.Path) })
		return err
	})
	if err != nil {
		return ReindexResult{}, err
	}
	return result, nil
}

// reindex rebuilds the index. left is what it has found and left out.
func (c *change) reindex() (counts ReindexCounts, left FolderChanges, err error) {
	t := &taking{c: c, rebuild: true, loose: map[string]NoteRow{}, was: map[string]string{}, folders: map[string]FolderState{}}
	if c.service.folder == nil {
		return t.counts, left, nil
	}
	err = c.EachNote(NoteFilter{}, func(row NoteRow) bool {
		row.Key = 0 // the number it has now will be another's
		t.setLoose(row)
		t.was[row.Path] = row.ID
		return true
	})
	if err != nil {
		return t.counts, left, err
	}
	changes, err := c.service.folder.Scan(nil, nil, true)
	if err != nil {
		return t.counts, left, err
	}
	left.Barred, left.Odd, t.number = changes.Barred, changes.Odd, changes.Number
	t.barred = changes.Barred
	there := map[string]bool{}
	for _, listing := range changes.Changed {
		t.folders[listing.Path] = listing.State
		t.files = append(t.files, listing.Files...)
		for _, file := range listing.Files {
			there[file.Path] = true
		}
	}
	slices.SortFunc(t.files, func(a, b ListedFile) int { return strings.Compare(a.Path, b.Path) })
	if err := c.ForgetNotes(c.now); err != nil {
		return t.counts, left, err
	}
	problems, err := c.NoteProblems()
	if err != nil {
		return t.counts, left, err
	}
	for _, p := range problems {
		if !there[p.Path] && !t.isBarred(p.Path) {
			if err := c.DropNoteProblem(p.Path); err != nil {
				return t.counts, left, err
			}
		}
	}
	err = t.batch(len(t.files))
	return t.counts, left, err
}
