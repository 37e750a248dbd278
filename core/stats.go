package core

import "context"

// Counts are the numbers of the stats operation that concern tasks.
type Counts struct {
	Agents        int64
	OpenTasks     int64 // epics and gates included
	OpenClaims    int64 // live
	ExpiredClaims int64
}

// StatsRequest takes no arguments.
type StatsRequest struct{}

// StatsResult counts what the store holds. Its keys are those of the original
// Python server, so that its clients find them; keys of parts that do not
// exist here are constant.
type StatsResult struct {
	Documents          int64  `json:"documents"`
	ChromaChunkCount   int64  `json:"chroma_chunk_count"`
	Agents             int64  `json:"agents"`
	ActiveTasks        int64  `json:"active_tasks"`
	OpenClaims         int64  `json:"open_claims"`
	Tags               int64  `json:"tags"`
	DuplicateURLs      int64  `json:"duplicate_urls"`
	IndexDriftDetected bool   `json:"index_drift_detected"`
	TantivyDocCount    *int64 `json:"tantivy_doc_count"`
	UnresolvedLinks    int64  `json:"unresolved_links"`
	ExpiredDocs        int64  `json:"expired_docs"`
	ExpiredClaims      int64  `json:"expired_claims"`
	TantivyLastUpdated *Stamp `json:"tantivy_last_updated"`
	ChromaLastUpdated  *Stamp `json:"chroma_last_updated"`
	GraphNodeCount     int64  `json:"graph_node_count"`
	GraphEdgeCount     int64  `json:"graph_edge_count"`
}

// Stats is the operation stats.
var Stats = Op[StatsRequest, StatsResult]{
	name: "stats", summary: "Count what the store holds.", readOnly: true,
	run: (*Service).Stats,
}

// Stats counts what the store holds.
func (s *Service) Stats(ctx context.Context, req StatsRequest) (StatsResult, error) {
	result, err := read(ctx, s, req, func(v view, _ StatsRequest) (StatsResult, error) {
		counts, err := v.Counts(v.now)
		if err != nil {
			return StatsResult{}, err
		}
		notes, err := v.NoteCounts(v.now)
		if err != nil {
			return StatsResult{}, err
		}
		inText, written, err := v.WordsState()
		return StatsResult{
			Documents: notes.Notes, Agents: counts.Agents, ActiveTasks: counts.OpenTasks,
			OpenClaims: counts.OpenClaims, Tags: notes.Tags, DuplicateURLs: notes.DuplicateURLs, TantivyDocCount: inText,
			UnresolvedLinks: notes.UnresolvedLinks, ExpiredDocs: notes.Stale, ExpiredClaims: counts.ExpiredClaims,
			TantivyLastUpdated: written, GraphNodeCount: notes.Notes, GraphEdgeCount: notes.Links,
		}, err
	})
	if err != nil {
		return StatsResult{}, err
	}
	result.IndexDriftDetected, err = s.notesDrifted(ctx)
	return result, err
}
