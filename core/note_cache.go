package core

import (
	"context"
	"time"

	"dev.lithos/core/search"
)

// CacheLookupRequest asks whether something is known well enough already.
type CacheLookupRequest struct {
	Query         string   `json:"query"`
	SourceURL     *string  `json:"source_url" check:"filter" doc:"The note of this URL, if there is one, decides."`
	MaxAgeHours   *float64 `json:"max_age_hours" check:"positive"`
	MinConfidence *float64 `json:"min_confidence" default:"0.5" check:"share"`
	Limit         *int     `json:"limit" default:"3" check:"limit" doc:"Search hits to consider."`
	Tags          []string `json:"tags" check:"filter_list" doc:"All of them."`
}

// CacheDocument is the note that answers a lookup.
type CacheDocument struct {
	ID         string  `json:"id"`
	Title      string  `json:"title"`
	Content    string  `json:"content"`
	Confidence Real    `json:"confidence"`
	UpdatedAt  Stamp   `json:"updated_at"`
	ExpiresAt  *Stamp  `json:"expires_at"`
	Tags       Tags    `json:"tags"`
	SourceURL  *string `json:"source_url"`
}

// CacheLookupResult is a hit with its note, or a miss with the note that would
// have done were it not out of date.
type CacheLookupResult struct {
	Hit         bool           `json:"hit"`
	Document    *CacheDocument `json:"document"`
	StaleExists bool           `json:"stale_exists"`
	StaleID     *string        `json:"stale_id"`
}

// CacheLookup is the operation cache_lookup.
var CacheLookup = Op[CacheLookupRequest, CacheLookupResult]{
	name: "cache_lookup", summary: "Find a fresh, trusted note before looking something up anew.", readOnly: true,
	codes: []Code{CodeSearchBackendError},
	run:   (*Service).CacheLookup,
}

// CacheLookup finds the most trusted fresh note for a URL or a query.
func (s *Service) CacheLookup(ctx context.Context, req CacheLookupRequest) (CacheLookupResult, error) {
	result, err := readNotes(ctx, s, req, view.lookUp)
	if err == nil && result.Hit {
		s.noteAccess(ctx, AccessSearch, nil, []string{result.Document.ID})
	}
	return result, err
}

func (v view) lookUp(req CacheLookupRequest) (CacheLookupResult, error) {
	var result CacheLookupResult
	candidates, err := v.cacheCandidates(req)
	if err != nil {
		return result, err
	}
	var best *NoteRow
	for i, row := range candidates {
		switch {
		case row.Confidence < *req.MinConfidence:
		case row.IsStale(v.now) || req.MaxAgeHours != nil && v.isOlder(row, *req.MaxAgeHours):
			if result.StaleID == nil {
				result.StaleID = &candidates[i].ID
			}
		case best == nil || row.Confidence > best.Confidence:
			best = &candidates[i]
		}
	}
	var note Note
	found := false
	if best != nil {
		if note, found, err = v.service.noteOf(*best); err != nil {
			return CacheLookupResult{}, err
		}
	}
	if !found { // also where the file has gone since the index was read
		result.StaleExists = result.StaleID != nil
		return result, nil
	}
	return CacheLookupResult{Hit: true, Document: &CacheDocument{
		ID: best.ID, Title: best.Title, Content: note.Content(), Confidence: Real(best.Confidence), UpdatedAt: best.UpdatedAt,
		ExpiresAt: best.ExpiresAt, Tags: best.Tags, SourceURL: best.SourceURL,
	}}, nil
}

// isOlder reports whether a note was last changed so many hours ago or more.
func (v view) isOlder(row NoteRow, hours float64) bool {
	age := time.Duration(v.now-row.UpdatedAt) * time.Microsecond
	return age.Hours() > hours
}

// cacheCandidates are the owner of the URL alone, or else the best text hits.
func (v view) cacheCandidates(req CacheLookupRequest) ([]NoteRow, error) {
	filter := NoteFilter{Tags: req.Tags}
	pass := v.passes(filter)
	if url, ok := normalURL(valueOr(req.SourceURL, "")); ok {
		owner, found, err := v.NoteOfURL(url)
		if err != nil {
			return nil, err
		}
		if found {
			left, err := v.passingOf([]scoredNote{{key: owner.Key}}, pass)
			if err != nil || len(left) > 0 {
				return []NoteRow{owner}, err
			}
		}
	}
	best, err := v.textBest(search.Parse(req.Query), *req.Limit, filter, pass)
	if err != nil {
		return nil, err
	}
	return v.Notes(scoredKeys(best))
}
