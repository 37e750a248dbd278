package core

import (
	"context"
	"errors"
	"slices"
	"strings"

	"dev.lithos/core/search"
)

// The scouts of retrieve: the ways in which it finds notes.
const (
	scoutLexical    = "scout_lexical"
	scoutGraph      = "scout_graph"
	scoutProvenance = "scout_provenance"
	scoutEdges      = "scout_edges"
)

// What clients of the original Python server expect to find.
const (
	temperature    = 0.5
	terraceReached = 1
)

// neighbourShare is what a neighbour has of the base score of the seed that
// leads to it.
const neighbourShare = 0.5

// RetrieveRequest asks for the notes an agent should have in mind.
type RetrieveRequest struct {
	Query            string   `json:"query" doc:"As in search."`
	Limit            *int     `json:"limit" default:"10" check:"limit"`
	NamespaceFilter  []string `json:"namespace_filter" check:"filter_list" doc:"Any of them."`
	AgentID          *string  `json:"agent_id" check:"filter" doc:"Opens this agent's private notes."`
	TaskID           *string  `json:"task_id" check:"filter" doc:"Opens this task's notes; feedback on its completion counts for them."`
	SurfaceConflicts *bool    `json:"surface_conflicts" default:"false"`
	MaxContextNodes  *int     `json:"max_context_nodes" check:"limit" doc:"Seeds; default limit."`
	Tags             []string `json:"tags" check:"filter_list" doc:"All of them."`
	PathPrefix       *string  `json:"path_prefix" check:"filter"`
}

// RetrievedNote is one note of a retrieval.
type RetrievedNote struct {
	FoundNote
	Reasons    []string `json:"reasons"`
	Scouts     []string `json:"scouts"`
	Salience   Real     `json:"salience"`
	UsageScore Real     `json:"usage_score"`
}

// NoteConflict is a contradiction that a returned note is part of.
type NoteConflict struct {
	EdgeID        string  `json:"edge_id"`
	FromID        string  `json:"from_id"`
	ToID          string  `json:"to_id"`
	ConflictState *string `json:"conflict_state"`
}

// RetrieveResult holds the notes, best first, with the receipt that feedback
// refers to.
type RetrieveResult struct {
	Results        []RetrievedNote `json:"results"`
	Temperature    Real            `json:"temperature"`
	TerraceReached int             `json:"terrace_reached"`
	ReceiptID      string          `json:"receipt_id"`
	Degraded       bool            `json:"degraded"`
	FailedScouts   []string        `json:"failed_scouts"`
	// Conflicts is nil unless asked for.
	Conflicts *[]NoteConflict `json:"conflicts,omitempty"`
}

// Receipt says what a retrieval returned to whom.
type Receipt struct {
	ID        string
	TaskID    *string
	Agent     *string
	CreatedAt Stamp
	Query     string
	Notes     []string
}

// receiptPrefix begins the id of every receipt.
const receiptPrefix = "rcpt_"

// Retrieve is the operation retrieve.
var Retrieve = Op[RetrieveRequest, RetrieveResult]{
	name: "retrieve", summary: "Gather the notes worth having in mind for a query, with their neighbours.", readOnly: true,
	codes: []Code{CodeAmbiguousIDPrefix, CodeSearchBackendError},
	run:   (*Service).Retrieve,
}

// Retrieve gathers the notes that answer a query and what they are connected
// with, as far as the asker may see them. What it returns is kept as a
// receipt; without that the call fails.
func (s *Service) Retrieve(ctx context.Context, req RetrieveRequest) (RetrieveResult, error) {
	result, err := readNotes(ctx, s, req, view.retrieve)
	if err != nil {
		return RetrieveResult{}, err
	}
	if s.readOnly {
		return RetrieveResult{}, NewError(CodeForbidden, "The store is open for reading only.", Extra{"needs", "write"})
	}
	err = s.store.Write(ctx, func(tx WriteTx) (err error) {
		result.ReceiptID, err = s.writeReceipt(tx, req, result)
		return err
	})
	if err != nil {
		return RetrieveResult{}, err
	}
	return result, nil
}

// writeReceipt keeps what a retrieval has returned.
func (s *Service) writeReceipt(tx WriteTx, req RetrieveRequest, result RetrieveResult) (string, error) {
	now := StampOf(s.now())
	receipt := Receipt{ID: s.shortID(receiptPrefix), Agent: req.AgentID, CreatedAt: now, Query: req.Query, Notes: []string{}}
	for _, item := range result.Results {
		receipt.Notes = append(receipt.Notes, item.ID)
	}
	if req.TaskID != nil {
		task, err := resolveTaskReference(tx, "task_id", *req.TaskID)
		if err != nil {
			return "", err
		}
		receipt.TaskID = &task
	}
	usage, err := usageOf(tx, receipt.Notes)
	if err != nil {
		return "", err
	}
	for _, id := range receipt.Notes {
		u := usage[id]
		u.Retrievals++
		u.LastRetrievedAt = &now
		if err := tx.PutUsage(u); err != nil {
			return "", err
		}
	}
	if err := tx.LogAccess(AccessRetrieve, valueOr(req.AgentID, unknownReader), now, receipt.Notes); err != nil {
		return "", err
	}
	return receipt.ID, tx.PutReceipt(receipt)
}

// gate decides what a retrieval may show.
type gate struct {
	filter     NoteFilter
	namespaces []string
	agent      *string
	task       *string // id of the task, resolved
}

// opens reports whether the asker may see a note.
func (g gate) opens(row NoteRow) bool {
	if row.Status == NoteQuarantined || g.namespaces != nil && !contains(g.namespaces, row.Namespace) {
		return false
	}
	switch row.AccessScope {
	case ScopeTask:
		return g.task != nil && row.Source != nil && *row.Source == *g.task
	case ScopePrivate:
		return g.agent != nil && row.Author == *g.agent
	}
	return true
}

// visible returns the notes of the keys that pass the gate, in the order of
// the keys.
func (v view) visible(keys []NoteKey, g gate) ([]NoteRow, error) {
	if pass := v.passes(g.filter); pass != nil {
		var err error
		if keys, err = pass(keys); err != nil {
			return nil, err
		}
	}
	rows, err := v.Notes(keys)
	return slices.DeleteFunc(rows, func(row NoteRow) bool { return !g.opens(row) }), err
}

// through is the gate as a function over keys.
func (v view) through(g gate) passing {
	return func(keys []NoteKey) ([]NoteKey, error) {
		rows, err := v.visible(keys, g)
		passed := make([]NoteKey, len(rows))
		for i, row := range rows {
			passed[i] = row.Key
		}
		return passed, err
	}
}

// candidate is a note on its way into the answer.
type candidate struct {
	row     NoteRow
	base    float64
	seed    bool
	scouts  map[string]bool
	reasons []string
	score   float64
}

func (v view) retrieve(req RetrieveRequest) (RetrieveResult, error) {
	result := RetrieveResult{Temperature: temperature, TerraceReached: terraceReached, Results: []RetrievedNote{}, FailedScouts: []string{}}
	g := gate{
		filter:     NoteFilter{Tags: req.Tags, PathPrefix: valueOr(req.PathPrefix, "")},
		namespaces: req.NamespaceFilter, agent: req.AgentID,
	}
	if req.TaskID != nil {
		task, err := resolveTaskReference(v, "task_id", *req.TaskID)
		if err != nil {
			return result, err
		}
		g.task = &task
	}
	query := search.Parse(req.Query)
	finder := search.NewFinder(query)
	seeds, err := v.textBest(query, valueOr(req.MaxContextNodes, *req.Limit), g.filter, v.through(g))
	if err != nil {
		return result, err
	}
	candidates, err := v.seedCandidates(seeds)
	if err != nil {
		return result, err
	}
	for _, scout := range v.scouts() {
		if err := v.follow(scout, seeds, candidates, g); err != nil {
			if !isFailingSource(err) {
				return result, err
			}
			result.Degraded = true
			result.FailedScouts = append(result.FailedScouts, scout.name)
		}
	}
	ranked, usage, err := v.rankCandidates(candidates, *req.Limit)
	if err != nil {
		return result, err
	}
	if result.Results, err = v.retrieved(ranked, usage, finder); err != nil {
		return result, err
	}
	if *req.SurfaceConflicts {
		conflicts, err := v.conflicts(ranked, g)
		if err != nil {
			return result, err
		}
		result.Conflicts = &conflicts
	}
	return result, nil
}

// isFailingSource tells a source of neighbours that cannot be read, without
// which the rest of the answer is still good, from a store that is busy or a
// time limit that has been met.
func isFailingSource(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	e := asContractError(err)
	return e == nil || Describe(e.Code).Category != CategoryRetry
}

func (v view) seedCandidates(seeds []scoredNote) (map[NoteKey]*candidate, error) {
	rows, err := v.Notes(scoredKeys(seeds))
	if err != nil {
		return nil, err
	}
	candidates := make(map[NoteKey]*candidate, len(rows))
	for i, row := range rows {
		candidates[row.Key] = &candidate{row: row, base: fused(i + 1), seed: true, scouts: map[string]bool{scoutLexical: true}}
	}
	return candidates, nil
}

// scout finds the neighbours of notes in one way.
type scout struct {
	name string
	find func(ids map[NoteKey]string, keys []NoteKey) ([]neighbour, error)
}

// neighbour is a note that one of the seeds leads to.
type neighbour struct {
	seed, key NoteKey
	how       reason
}

// reason says why a note is here, as what stands before and after the title of
// the seed. Empty: nothing new.
type reason struct{ before, after string }

func (v view) scouts() []scout {
	return []scout{
		{scoutGraph, pairScout(v.NoteLinks, reason{"", " links to it"}, reason{"links to ", ""})},
		{scoutProvenance, pairScout(v.NoteSources, reason{"source of ", ""}, reason{"derived from ", ""})},
		{scoutEdges, v.edgeNeighbours},
	}
}

// pairScout makes a scout of what finds pairs in both directions.
func pairScout(step func([]NoteKey, Direction) ([][2]NoteKey, error), outgoing, incoming reason) func(map[NoteKey]string, []NoteKey) ([]neighbour, error) {
	return func(_ map[NoteKey]string, keys []NoteKey) ([]neighbour, error) {
		var found []neighbour
		for _, side := range []struct {
			direction Direction
			how       reason
		}{{DirectionOutgoing, outgoing}, {DirectionIncoming, incoming}} {
			pairs, err := step(keys, side.direction)
			if err != nil {
				return nil, err
			}
			for _, pair := range pairs {
				found = append(found, neighbour{pair[0], pair[1], side.how})
			}
		}
		return found, nil
	}
}

// edgeNeighbours follows typed edges of a weight above 0.
func (v view) edgeNeighbours(ids map[NoteKey]string, keys []NoteKey) ([]neighbour, error) {
	list := make([]string, 0, len(keys))
	seeds := make(map[string]NoteKey, len(keys))
	for _, key := range keys {
		list = append(list, ids[key])
		seeds[ids[key]] = key
	}
	edges, err := v.NoteEdges(NoteEdgeQuery{At: list})
	if err != nil {
		return nil, err
	}
	var ends []string
	for _, edge := range edges {
		ends = append(ends, edge.From, edge.To)
	}
	known, err := v.NoteKeys(ends)
	if err != nil {
		return nil, err
	}
	var found []neighbour
	follow := func(edge NoteEdge, from, to string, how reason) {
		seed, isSeed := seeds[from]
		key, exists := known[to]
		if isSeed && exists && key != seed && edge.Weight > 0 {
			if edge.Mirrored {
				how = reason{} // provenance says it
			}
			found = append(found, neighbour{seed, key, how})
		}
	}
	for _, edge := range edges {
		follow(edge, edge.From, edge.To, reason{"", " " + edge.Type + " it"})
		follow(edge, edge.To, edge.From, reason{edge.Type + " ", ""})
	}
	return found, nil
}

// follow adds what a scout finds around the seeds to the candidates.
func (v view) follow(s scout, seeds []scoredNote, candidates map[NoteKey]*candidate, g gate) error {
	if len(seeds) == 0 {
		return nil
	}
	ids := make(map[NoteKey]string, len(seeds))
	for _, seed := range seeds {
		ids[seed.key] = candidates[seed.key].row.ID
	}
	found, err := s.find(ids, scoredKeys(seeds))
	if err != nil {
		return err
	}
	var unknown []NoteKey
	for _, n := range found {
		if _, known := candidates[n.key]; !known && !slices.Contains(unknown, n.key) {
			unknown = append(unknown, n.key)
		}
	}
	rows, err := v.visible(unknown, g)
	if err != nil {
		return err
	}
	for _, row := range rows {
		candidates[row.Key] = &candidate{row: row, scouts: map[string]bool{}}
	}
	for _, n := range found {
		c, visible := candidates[n.key]
		if !visible {
			continue
		}
		seed := candidates[n.seed]
		c.scouts[s.name] = true
		c.base = max(c.base, neighbourShare*seed.base)
		why := n.how.before + seed.row.Title + n.how.after
		if n.how != (reason{}) && !contains(c.reasons, why) {
			c.reasons = append(c.reasons, why)
		}
	}
	return nil
}

// rankCandidates puts the candidates in order and leaves so many.
func (v view) rankCandidates(candidates map[NoteKey]*candidate, limit int) ([]*candidate, map[string]NoteUsage, error) {
	ids := make([]string, 0, len(candidates))
	for _, c := range candidates {
		ids = append(ids, c.row.ID)
	}
	usage, err := usageOf(v, ids)
	if err != nil {
		return nil, nil, err
	}
	ranked := make([]*candidate, 0, len(candidates))
	for _, c := range candidates {
		c.score = roundScore(c.base * (0.5 + usage[c.row.ID].Salience))
		ranked = append(ranked, c)
	}
	slices.SortFunc(ranked, func(a, b *candidate) int {
		if a.score != b.score {
			if a.score > b.score {
				return -1
			}
			return 1
		}
		return strings.Compare(a.row.ID, b.row.ID)
	})
	return ranked[:min(limit, len(ranked))], usage, nil
}

// maxReasons is how many reasons an item gives.
const maxReasons = 5

// retrieved makes the items of the answer.
func (v view) retrieved(ranked []*candidate, usage map[string]NoteUsage, finder *search.Finder) ([]RetrievedNote, error) {
	items := make([]RetrievedNote, 0, len(ranked))
	for _, c := range ranked {
		note, _, err := v.service.noteOf(c.row)
		if err != nil {
			return nil, err
		}
		content := note.Content()
		if c.seed {
			c.reasons = slices.Insert(c.reasons, 0, textReason(finder, c.row.Title, content))
		}
		item := RetrievedNote{
			FoundNote: foundNote(c.row, c.score, finder.Excerpt(content), v.now),
			Reasons:   c.reasons[:min(maxReasons, len(c.reasons))], Scouts: []string{},
			Salience: Real(usage[c.row.ID].Salience), UsageScore: Real(roundScore(usage[c.row.ID].score())),
		}
		for _, name := range []string{scoutLexical, scoutGraph, scoutProvenance, scoutEdges} {
			if c.scouts[name] {
				item.Scouts = append(item.Scouts, name)
			}
		}
		items = append(items, item)
	}
	return items, nil
}

// textReason names what a note holds of the query.
func textReason(finder *search.Finder, title, content string) string {
	var held []string
	for _, text := range []string{title, content} {
		for _, phrase := range finder.Found(text) {
			if word := search.Fold(phrase.Text); !contains(held, word) && len(held) < maxReasons {
				held = append(held, word)
			}
		}
	}
	return "text match: " + joinWords(held)
}

// conflicts are the unsettled contradictions at the notes of the answer whose
// other end may be seen as well, oldest first.
func (v view) conflicts(ranked []*candidate, g gate) ([]NoteConflict, error) {
	conflicts := []NoteConflict{}
	ids := make([]string, len(ranked))
	returned := make(map[string]bool, len(ranked))
	for i, c := range ranked {
		ids[i] = c.row.ID
		returned[c.row.ID] = true
	}
	edges, err := v.NoteEdges(NoteEdgeQuery{At: ids, Type: contradictsEdge})
	if err != nil {
		return nil, err
	}
	for _, edge := range edges {
		if state := valueOr(edge.ConflictState, ""); contains([]string{resolutionSuperseded, resolutionRefuted, resolutionMerged}, state) {
			continue
		}
		seen := true
		for _, end := range []string{edge.From, edge.To} {
			if returned[end] {
				continue
			}
			row, found, err := v.NoteByID(end)
			if err != nil {
				return nil, err
			}
			if !found || !g.opens(row) {
				seen = false
			}
		}
		if seen {
			conflicts = append(conflicts, NoteConflict{EdgeID: edge.ID, FromID: edge.From, ToID: edge.To, ConflictState: edge.ConflictState})
		}
	}
	return conflicts, nil
}
