package core

import (
	"context"
	"fmt"

	"dev.lithos/core/search"
)

// SearchMode is the way in which notes are looked for.
type SearchMode string

// The search modes.
const (
	SearchFulltext SearchMode = "fulltext"
	SearchGraph    SearchMode = "graph"
	SearchHybrid   SearchMode = "hybrid"
)

// SearchModes lists the search modes.
var SearchModes = []SearchMode{SearchFulltext, SearchGraph, SearchHybrid}

// SearchRequest asks for notes by words and links.
type SearchRequest struct {
	Query      string   `json:"query" doc:"Any words; \"…\" is a phrase. There are no operators."`
	Limit      *int     `json:"limit" default:"10" check:"limit"`
	Mode       *string  `json:"mode" default:"hybrid" check:"search_mode"`
	Tags       []string `json:"tags" check:"filter_list" doc:"All of them."`
	Author     *string  `json:"author" check:"filter"`
	PathPrefix *string  `json:"path_prefix" check:"filter"`
	SeedIDs    []string `json:"seed_ids" doc:"Notes at which graph walks begin."`
	GraphDepth *int     `json:"graph_depth" default:"2" check:"ttl" doc:"1 to 3 hops."`
	Entities   []string `json:"entities" check:"filter_list" doc:"All of them."`
	AgentID    *string  `json:"agent_id" check:"filter"`
}

func (r SearchRequest) check() error {
	if SearchMode(*r.Mode) == SearchFulltext && len(r.SeedIDs) > 0 {
		return invalid(ReasonInvalidValue, "seed_ids", "'seed_ids' have no use in a fulltext search.")
	}
	return nil
}

func (r SearchRequest) filter() NoteFilter {
	return NoteFilter{
		PathPrefix: valueOr(r.PathPrefix, ""), Tags: r.Tags, Entities: r.Entities, Author: valueOr(r.Author, ""),
	}
}

// FoundNote is one note that a search has found.
type FoundNote struct {
	ID             string   `json:"id"`
	Title          string   `json:"title"`
	Snippet        string   `json:"snippet"`
	Score          Real     `json:"score"` // compares within one answer only
	Path           string   `json:"path"`
	SourceURL      string   `json:"source_url"`
	UpdatedAt      Stamp    `json:"updated_at"`
	IsStale        bool     `json:"is_stale"`
	DerivedFromIDs []string `json:"derived_from_ids"`
}

// SearchResult holds notes, best first.
type SearchResult struct {
	Results []FoundNote `json:"results"`
}

// NoteSearch is the operation search.
var NoteSearch = Op[SearchRequest, SearchResult]{
	name: "search", summary: "Search notes by words and along their links, best first.", readOnly: true,
	codes: []Code{CodeInvalidMode, CodeAmbiguousIDPrefix, CodeSearchBackendError},
	run:   (*Service).NoteSearch,
}

// NoteSearch searches notes by words, along links, or both.
func (s *Service) NoteSearch(ctx context.Context, req SearchRequest) (SearchResult, error) {
	result, err := readNotes(ctx, s, req, view.searchNotes)
	if err == nil {
		s.noteAccess(ctx, AccessSearch, req.AgentID, idsOfFound(result.Results))
	}
	return result, err
}

func idsOfFound(found []FoundNote) []string {
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	return ids
}

func (v view) searchNotes(req SearchRequest) (SearchResult, error) {
	none := SearchResult{Results: []FoundNote{}}
	seeds, err := v.seeds(req.SeedIDs)
	if err != nil {
		return none, err
	}
	query := search.Parse(req.Query)
	mode := SearchMode(*req.Mode)
	if query.IsEmpty() && (mode != SearchGraph || len(req.SeedIDs) == 0) {
		return none, nil
	}
	var best []scoredNote
	switch mode {
	case SearchFulltext:
		best, err = v.textBest(query, *req.Limit, req.filter(), v.passes(req.filter()))
	case SearchGraph:
		best, err = v.graphBest(req, query, seeds)
	case SearchHybrid:
		best, err = v.hybridBest(req, query, seeds)
	}
	if err != nil {
		return none, err
	}
	found, err := v.found(best, search.NewFinder(query))
	return SearchResult{Results: found}, err
}

// seeds are the notes of the ids, each once; unknown ids are left out.
func (v view) seeds(ids []string) ([]NoteKey, error) {
	var full []string
	for i, id := range ids {
		resolved, err := resolveNoteReference(v, fmt.Sprintf("seed_ids[%d]", i), id)
		if err != nil {
			return nil, err
		}
		full = append(full, resolved)
	}
	return v.keysOfIDs(full)
}

// keysOfIDs are the keys of the notes with these ids, each once, in the order
// of the ids.
func (v view) keysOfIDs(ids []string) ([]NoteKey, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	known, err := v.NoteKeys(ids)
	if err != nil {
		return nil, err
	}
	var keys []NoteKey
	for _, id := range ids {
		if key, ok := known[id]; ok {
			keys = append(keys, key)
			delete(known, id)
		}
	}
	return keys, nil
}

// textBest are the notes that answer a query best and pass, at most limit.
// pass lets nothing through that the filter does not.
func (v view) textBest(query search.Query, limit int, filter NoteFilter, pass passing) ([]scoredNote, error) {
	for whole := false; ; whole = true {
		ranking, err := v.rankFiltered(query, whole, filter)
		if err != nil {
			return nil, err
		}
		best, err := v.bestOf(ranking.notes, limit, pass)
		if err != nil || ranking.complete || len(best) >= limit {
			return best, err
		}
	}
}

// rankFiltered is rankText, which, when whole, looks only at what passes a filter.
func (v view) rankFiltered(query search.Query, whole bool, filter NoteFilter) (textRanking, error) {
	var only map[NoteKey]bool
	if whole && v.passes(filter) != nil {
		var err error
		if only, err = v.NoteKeysPassing(filter); err != nil {
			return textRanking{}, err
		}
	}
	return v.rankAmong(query, whole, only)
}

// textMatches are all notes that answer a query, best first, then in the order
// of their insertion.
func (v view) textMatches(text string) ([]NoteKey, error) {
	ranking, err := v.rankText(search.Parse(text), true)
	return scoredKeys(ranking.notes), err
}

// textSeeds is how many of the best text hits a walk begins at.
const textSeeds = 50

// graphBest are the notes nearest to the seeds, or to what answers the query
// when there are no seeds.
func (v view) graphBest(req SearchRequest, query search.Query, seeds []NoteKey) ([]scoredNote, error) {
	var hits []scoredNote
	if len(req.SeedIDs) == 0 {
		ranking, err := v.rankText(query, false)
		if err != nil {
			return nil, err
		}
		hits = ranking.notes
	}
	near, err := v.near(req, seeds, hits)
	if err != nil {
		return nil, err
	}
	return v.bestOf(near, *req.Limit, v.passes(req.filter()))
}

// near are the notes that links lead to from the seeds or, when none are given,
// from the best of the text hits; hits are not among them then. The score falls
// with the distance.
func (v view) near(req SearchRequest, seeds []NoteKey, hits []scoredNote) ([]scoredNote, error) {
	omit := map[NoteKey]bool{}
	if len(req.SeedIDs) == 0 {
		best, err := v.bestOf(hits, textSeeds, nil)
		if err != nil {
			return nil, err
		}
		seeds = scoredKeys(best)
		for _, hit := range hits {
			omit[hit.key] = true
		}
	}
	levels, err := v.walkLinks(seeds, clampDepth(*req.GraphDepth))
	if err != nil {
		return nil, err
	}
	var near []scoredNote
	for i, level := range levels {
		for _, key := range level {
			if !omit[key] {
				near = append(near, scoredNote{key, roundScore(1 / float64(i+2))})
			}
		}
	}
	return near, nil
}

// hybridBest fuses what answers the query with what links lead to.
func (v view) hybridBest(req SearchRequest, query search.Query, seeds []NoteKey) ([]scoredNote, error) {
	pass := v.passes(req.filter())
	for whole := false; ; whole = true {
		ranking, err := v.rankFiltered(query, whole, req.filter())
		if err != nil {
			return nil, err
		}
		near, err := v.near(req, seeds, ranking.notes)
		if err != nil {
			return nil, err
		}
		// Where no note can be in both lists, what stands far down in either has
		// no chance.
		most := len(ranking.notes) + len(near)
		if len(req.SeedIDs) == 0 {
			most = fusedReach(*req.Limit, most)
		}
		text, err := v.bestOf(ranking.notes, most, pass)
		if err != nil {
			return nil, err
		}
		if near, err = v.bestOf(near, most, pass); err != nil {
			return nil, err
		}
		if ranking.complete || len(text) >= *req.Limit {
			return v.bestOf(fuse(text, near), *req.Limit, nil)
		}
	}
}

// fusedReach is how far down in a list a note can stand and still be among so
// many of two lists fused: scores are rounded, so places next to each other
// can be equal.
func fusedReach(limit, most int) int {
	reach := min(limit, most)
	for reach < most && roundScore(fused(reach+1)) == roundScore(fused(limit)) {
		reach++
	}
	return reach
}

// fuse joins lists by reciprocal rank.
func fuse(lists ...[]scoredNote) []scoredNote {
	sums := map[NoteKey]float64{}
	for _, list := range lists {
		for i, note := range list {
			sums[note.key] += fused(i + 1)
		}
	}
	joined := make([]scoredNote, 0, len(sums))
	for key, sum := range sums {
		joined = append(joined, scoredNote{key, roundScore(sum)})
	}
	sortByScore(joined)
	return joined
}

// found makes the items of an answer.
func (v view) found(best []scoredNote, finder *search.Finder) ([]FoundNote, error) {
	rows, err := v.Notes(scoredKeys(best))
	if err != nil {
		return nil, err
	}
	scores := make(map[NoteKey]float64, len(best))
	for _, note := range best {
		scores[note.key] = note.score
	}
	items := make([]FoundNote, 0, len(rows))
	for _, row := range rows {
		snippet, err := v.snippet(row, finder)
		if err != nil {
			return nil, err
		}
		items = append(items, foundNote(row, scores[row.Key], snippet, v.now))
	}
	return items, nil
}

// foundNote is the item of an answer for a note.
func foundNote(row NoteRow, score float64, snippet string, now Stamp) FoundNote {
	return FoundNote{
		ID: row.ID, Title: row.Title, Snippet: snippet, Score: Real(score), Path: row.Path,
		SourceURL: valueOr(row.SourceURL, ""), UpdatedAt: row.UpdatedAt, IsStale: row.IsStale(now),
		DerivedFromIDs: orEmpty(row.DerivedFrom),
	}
}

// snippet is an excerpt of a note. A file that cannot be read any more is
// found all the same, with nothing to show, until the index catches up.
func (v view) snippet(row NoteRow, finder *search.Finder) (string, error) {
	note := Note{}
	body, found, err := v.service.folder.ReadBody(row.Path, row.File.FileStat)
	if note.Body = body; err == nil && !found {
		note, found, err = v.service.noteOf(row)
	}
	if err != nil || !found {
		return "", err
	}
	return finder.Excerpt(note.Content()), nil
}
