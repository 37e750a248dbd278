package core

import (
	"context"
	"fmt"
	"strings"
)

// NoteEdgePrefix begins the id of every typed edge between notes.
const NoteEdgePrefix = "edge_"

// The types of edges between notes that have a meaning to the program. All
// other words are as good.
const (
	DerivedFromEdge = "derived_from" // mirrors derived_from_ids
	contradictsEdge = "contradicts"
	relatedEdge     = "related_to"
)

// edgeAsserter is who asserts an edge that names nobody.
const edgeAsserter = "lithos_edge_upsert"

// NoteEdge is a typed, directed edge between two notes, which need not exist.
type NoteEdge struct {
	ID             string  `json:"edge_id"`
	From           string  `json:"from_id"`
	To             string  `json:"to_id"`
	Type           string  `json:"type"`
	Weight         Real    `json:"weight"`
	Namespace      string  `json:"namespace"`
	CreatedAt      Stamp   `json:"created_at"`
	UpdatedAt      Stamp   `json:"updated_at"`
	Actor          *string `json:"provenance_actor"`
	ProvenanceType *string `json:"provenance_type"`
	Evidence       *string `json:"evidence"` // JSON text of an object or list
	ConflictState  *string `json:"conflict_state"`
	Mirrored       bool    `json:"-"` // repeats an entry of derived_from_ids
}

// noteEdgeUpserted is the payload of edge.upserted.
type noteEdgeUpserted struct {
	EdgeID        string  `json:"edge_id"`
	FromID        string  `json:"from_id"`
	ToID          string  `json:"to_id"`
	Type          string  `json:"type"`
	Namespace     string  `json:"namespace"`
	ConflictState *string `json:"conflict_state,omitempty"`
}

func (c *change) emitNoteEdge(agent string, e NoteEdge) error {
	return c.emit(EventEdgeUpserted, agent, Subject{}, noteEdgeUpserted{
		EdgeID: e.ID, FromID: e.From, ToID: e.To, Type: e.Type, Namespace: e.Namespace, ConflictState: e.ConflictState,
	})
}

// shortIDDigits is how many hexadecimal digits ids of edges and receipts have.
const shortIDDigits = 12

// shortID makes an id of twelve hexadecimal digits behind a prefix: the first
// of those of a new id, all of them random.
func (s *Service) shortID(prefix string) string {
	digits := strings.ReplaceAll(s.newID(), "-", "")
	return prefix + digits[:min(shortIDDigits, len(digits))]
}

// EdgeUpsertRequest asks for a typed edge between two notes.
type EdgeUpsertRequest struct {
	FromID         string     `json:"from_id"`
	ToID           string     `json:"to_id"`
	Type           string     `json:"type" check:"text" doc:"Any word, such as supports or contradicts."`
	Weight         float64    `json:"weight" doc:"Retrieval follows weights above 0."`
	Namespace      string     `json:"namespace" check:"text"`
	Actor          *string    `json:"provenance_actor" check:"name" doc:"Who asserts it."`
	ProvenanceType *string    `json:"provenance_type" check:"filter"`
	Evidence       *Structure `json:"evidence" check:"structure" doc:"Object or list."`
	ConflictState  *string    `json:"conflict_state" check:"filter"`
}

// EdgeUpsertResult names the edge.
type EdgeUpsertResult struct {
	Status string `json:"status"`
	EdgeID string `json:"edge_id"`
}

// EdgeUpsert is the operation edge_upsert.
var EdgeUpsert = Op[EdgeUpsertRequest, EdgeUpsertResult]{
	name: "edge_upsert", summary: "Assert a typed edge between two notes; a repeat replaces it.",
	codes: []Code{CodeAmbiguousIDPrefix},
	run:   (*Service).EdgeUpsert,
}

// EdgeUpsert asserts a typed edge between two notes. Ends, type and namespace
// tell edges apart.
func (s *Service) EdgeUpsert(ctx context.Context, req EdgeUpsertRequest) (EdgeUpsertResult, error) {
	return writeNotes(ctx, s, req, (*change).upsertNoteEdge)
}

func (c *change) upsertNoteEdge(req EdgeUpsertRequest) (EdgeUpsertResult, error) {
	from, err := resolveNoteReference(c, "from_id", req.FromID)
	if err != nil {
		return EdgeUpsertResult{}, err
	}
	to, err := resolveNoteReference(c, "to_id", req.ToID)
	if err != nil {
		return EdgeUpsertResult{}, err
	}
	id, agent := c.service.shortID(NoteEdgePrefix), valueOr(req.Actor, edgeAsserter)
	if err := c.see(agent); err != nil {
		return EdgeUpsertResult{}, err
	}
	edge, err := c.PutNoteEdge(NoteEdge{
		ID: id, From: from, To: to, Type: req.Type, Weight: Real(req.Weight), Namespace: req.Namespace,
		CreatedAt: c.now, UpdatedAt: c.now, Actor: req.Actor, ProvenanceType: req.ProvenanceType,
		Evidence: (*string)(req.Evidence), ConflictState: req.ConflictState,
	})
	if err != nil {
		return EdgeUpsertResult{}, err
	}
	return EdgeUpsertResult{Status: "ok", EdgeID: edge.ID}, c.emitNoteEdge(agent, edge)
}

// EdgeListRequest asks for typed edges between notes.
type EdgeListRequest struct {
	FromID    *string `json:"from_id"`
	ToID      *string `json:"to_id"`
	Type      *string `json:"type" check:"filter"`
	Namespace *string `json:"namespace" check:"filter"`
}

// EdgeListResult holds typed edges, oldest first.
type EdgeListResult struct {
	Results []NoteEdge `json:"results"`
}

// EdgeList is the operation edge_list.
var EdgeList = Op[EdgeListRequest, EdgeListResult]{
	name: "edge_list", summary: "List typed edges between notes, oldest first.", readOnly: true,
	codes: []Code{CodeAmbiguousIDPrefix},
	run:   (*Service).EdgeList,
}

// EdgeList lists typed edges; filters are combined, an empty one filters
// nothing.
func (s *Service) EdgeList(ctx context.Context, req EdgeListRequest) (EdgeListResult, error) {
	return readNotes(ctx, s, req, func(v view, req EdgeListRequest) (EdgeListResult, error) {
		query := NoteEdgeQuery{Type: valueOr(req.Type, ""), Namespace: valueOr(req.Namespace, "")}
		for _, end := range []struct {
			field string
			id    *string
			into  *string
		}{{"from_id", req.FromID, &query.From}, {"to_id", req.ToID, &query.To}} {
			if end.id == nil || *end.id == "" {
				continue
			}
			id, err := resolveNoteReference(v, end.field, *end.id)
			if err != nil {
				return EdgeListResult{}, err
			}
			*end.into = id
		}
		edges, err := v.NoteEdges(query)
		return EdgeListResult{Results: orEmpty(edges)}, err
	})
}

// The words a conflict can be resolved with.
const (
	resolutionDual       = "accepted_dual"
	resolutionSuperseded = "superseded"
	resolutionRefuted    = "refuted"
	resolutionMerged     = "merged"
)

// Resolutions lists the words a conflict can be resolved with.
var Resolutions = []string{resolutionDual, resolutionSuperseded, resolutionRefuted, resolutionMerged}

// ConflictResolveRequest asks to settle a contradiction between two notes.
type ConflictResolveRequest struct {
	EdgeID     string  `json:"edge_id"`
	Resolution string  `json:"resolution" check:"resolution"`
	Resolver   string  `json:"resolver" check:"name"`
	WinnerID   *string `json:"winner_id" doc:"For superseded: the note that holds."`
}

// ConflictResolveResult tells how the edge stands.
type ConflictResolveResult struct {
	Status        string `json:"status"`
	EdgeID        string `json:"edge_id"`
	ConflictState string `json:"conflict_state"`
}

// ConflictResolve is the operation conflict_resolve.
var ConflictResolve = Op[ConflictResolveRequest, ConflictResolveResult]{
	name: "conflict_resolve", summary: "Settle a contradicts edge between two notes.",
	codes: []Code{CodeNotFound, CodeAmbiguousIDPrefix, CodeUpdateFailed},
	run:   (*Service).ConflictResolve,
}

// ConflictResolve settles a contradiction; with superseded the winner's note
// says what it supersedes.
func (s *Service) ConflictResolve(ctx context.Context, req ConflictResolveRequest) (ConflictResolveResult, error) {
	return writeNotes(ctx, s, req, (*change).resolveConflict)
}

func (c *change) resolveConflict(req ConflictResolveRequest) (ConflictResolveResult, error) {
	var none ConflictResolveResult
	var winner string
	if req.WinnerID != nil {
		var err error
		if winner, err = resolveNoteReference(c, "winner_id", *req.WinnerID); err != nil {
			return none, err
		}
	}
	edge, found, err := c.NoteEdge(req.EdgeID)
	if err != nil {
		return none, err
	}
	if !found {
		return none, NewError(CodeNotFound, fmt.Sprintf("There is no edge '%s'.", clip(req.EdgeID)),
			Extra{"field", "edge_id"}, Extra{"value", clip(req.EdgeID)})
	}
	if edge.Type != contradictsEdge {
		return none, InvalidValue("edge_id", req.EdgeID,
			fmt.Sprintf("The edge '%s' is of the type '%s'; only contradicts edges can be resolved.", edge.ID, clip(edge.Type)))
	}
	if err := c.see(req.Resolver); err != nil {
		return none, err
	}
	if req.Resolution == resolutionSuperseded {
		switch {
		case req.WinnerID == nil:
			return none, MissingField("winner_id")
		case winner != edge.From && winner != edge.To:
			return none, InvalidValue("winner_id", *req.WinnerID, "'winner_id' must be one of the ends of the edge.")
		}
		loser := edge.From
		if winner == loser {
			loser = edge.To
		}
		if err := c.supersede(edge, winner, loser, req.Resolver); err != nil {
			return none, err
		}
	}
	edge.ConflictState, edge.Actor, edge.UpdatedAt = &req.Resolution, &req.Resolver, c.now
	if edge, err = c.PutNoteEdge(edge); err != nil {
		return none, err
	}
	return ConflictResolveResult{Status: "ok", EdgeID: edge.ID, ConflictState: req.Resolution}, c.emitNoteEdge(req.Resolver, edge)
}

// supersede writes into the winner's note that it supersedes the loser.
func (c *change) supersede(edge NoteEdge, winner, loser, agent string) error {
	failed := func(why string, cause error) error {
		return NewError(CodeUpdateFailed, "The winner's note cannot be rewritten: "+why, Extra{"edge_id", edge.ID}).Because(cause)
	}
	row, found, err := c.NoteByID(winner)
	if err != nil {
		return err
	}
	if !found {
		return failed("there is no note of that id.", nil)
	}
	_, err = c.rewriteNote(row, agent, func(n *Note) {
		if !contains(n.Supersedes, loser) {
			n.Supersedes = append(n.Supersedes, loser)
		}
	})
	if e := asContractError(err); err != nil && (e == nil || Describe(e.Code).Category != CategoryRetry) {
		return failed("its file could not be written.", err)
	}
	return err
}
