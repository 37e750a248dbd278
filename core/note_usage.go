package core

import (
	"context"
	"time"
)

// startSalience is the salience of a note that nobody has judged yet.
const startSalience = 0.5

// NoteUsage is what has become of a note in use.
type NoteUsage struct {
	NoteID          string
	Salience        float64 // 0 to 1
	Reads           int64
	Retrievals      int64 // times returned by retrieve
	Cited           int64
	Ignored         int64
	Misleading      int64
	LastRetrievedAt *Stamp
	LastUsedAt      *Stamp // last cited
}

// score is the share of the judgements that were good.
func (u NoteUsage) score() float64 {
	if judged := u.Cited + u.Ignored + u.Misleading; judged > 0 {
		return float64(u.Cited) / float64(judged)
	}
	return 0
}

// shiftSalience moves the salience and keeps it within its bounds.
func (u *NoteUsage) shiftSalience(by float64) { u.Salience = clampShare(u.Salience + by) }

// clampShare keeps a number between 0 and 1, rounded so that steps of a
// hundredth add up exactly.
func clampShare(f float64) float64 { return min(max(roundShare(f), 0), 1) }

// usageOf reads the usage of notes; those never used have none of anything.
func usageOf(tx ReadTx, ids []string) (map[string]NoteUsage, error) {
	usage, err := tx.Usage(ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if _, used := usage[id]; !used {
			usage[id] = NoteUsage{NoteID: id, Salience: startSalience}
		}
	}
	return usage, nil
}

// NodeStatsRequest asks how a note has fared in use.
type NodeStatsRequest struct {
	NodeID string `json:"node_id"`
}

// NodeStatsResult tells how a note has fared in use.
type NodeStatsResult struct {
	NodeID          string `json:"node_id"`
	Salience        Real   `json:"salience"`
	RetrievalCount  int64  `json:"retrieval_count"`
	CitedCount      int64  `json:"cited_count"`
	LastRetrievedAt *Stamp `json:"last_retrieved_at"`
	LastUsedAt      *Stamp `json:"last_used_at"`
	IgnoredCount    int64  `json:"ignored_count"`
	MisleadingCount int64  `json:"misleading_count"`
}

// NodeStats is the operation node_stats.
var NodeStats = Op[NodeStatsRequest, NodeStatsResult]{
	name: "node_stats", summary: "Tell how often a note was retrieved, cited, ignored or found misleading.", readOnly: true,
	codes: []Code{CodeDocNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).NodeStats,
}

// NodeStats tells how a note has fared in use.
func (s *Service) NodeStats(ctx context.Context, req NodeStatsRequest) (NodeStatsResult, error) {
	return readNotes(ctx, s, req, func(v view, req NodeStatsRequest) (NodeStatsResult, error) {
		note, err := resolveNote(v, "node_id", req.NodeID, CodeDocNotFound)
		if err != nil {
			return NodeStatsResult{}, err
		}
		all, err := usageOf(v, []string{note.ID})
		u := all[note.ID]
		return NodeStatsResult{
			NodeID: note.ID, Salience: Real(u.Salience), RetrievalCount: u.Retrievals, CitedCount: u.Cited,
			LastRetrievedAt: u.LastRetrievedAt, LastUsedAt: u.LastUsedAt, IgnoredCount: u.Ignored, MisleadingCount: u.Misleading,
		}, err
	})
}

// accessPatience is how long a read waits to note what it has shown. Where
// others write for longer, that is not noted.
const accessPatience = 250 * time.Millisecond

// unknownReader is who read where nobody was named.
const unknownReader = "unknown"

// noteAccess notes what a read or a search has shown, in a transaction of its
// own. The answer is right without it, so a failure goes no further.
func (s *Service) noteAccess(ctx context.Context, kind Access, agent *string, ids []string) {
	_ = s.logAccess(ctx, func(tx WriteTx, now Stamp) error {
		return tx.LogAccess(kind, valueOr(agent, unknownReader), now, ids)
	}, len(ids) > 0)
}

// noteRead notes a read of one note and returns how many there have been.
func (s *Service) noteRead(ctx context.Context, id string, agent *string) int64 {
	var reads int64
	err := s.logAccess(ctx, func(tx WriteTx, now Stamp) error {
		all, err := usageOf(tx, []string{id})
		if err != nil {
			return err
		}
		usage := all[id]
		usage.Reads++
		reads = usage.Reads
		if err := tx.PutUsage(usage); err != nil {
			return err
		}
		return tx.LogAccess(AccessRead, valueOr(agent, unknownReader), now, []string{id})
	}, true)
	if err == nil {
		return reads
	}
	// This read counts although it could not be noted.
	reads = 1
	_ = s.store.Read(ctx, func(tx ReadTx) error {
		all, err := tx.Usage([]string{id})
		reads += all[id].Reads
		return err
	})
	return reads
}

// logAccess runs the transaction of a note about access, if there is anything
// to note. It is not worth waiting for the disk.
func (s *Service) logAccess(ctx context.Context, log func(tx WriteTx, now Stamp) error, any bool) error {
	if s.readOnly {
		return NewError(CodeForbidden, "The store is open for reading only.", Extra{"needs", "write"})
	}
	if !any {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, accessPatience)
	defer cancel()
	return s.store.Write(Unsynced(ctx), func(tx WriteTx) error { return log(tx, StampOf(s.now())) })
}
