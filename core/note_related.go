package core

import (
	"context"
	"slices"
	"strings"
)

// The sections of an answer of related.
const (
	sectionLinks      = "links"
	sectionProvenance = "provenance"
	sectionEdges      = "edges"
)

var relatedSections = []string{sectionLinks, sectionProvenance, sectionEdges}

// RelatedRequest asks what a note is connected with.
type RelatedRequest struct {
	ID        string   `json:"id"`
	Include   []string `json:"include" check:"filter_list" doc:"links, provenance, edges; default all."`
	Depth     *int     `json:"depth" default:"1" check:"ttl" doc:"1 to 3, for links and provenance."`
	Namespace *string  `json:"namespace" check:"filter" doc:"Of edges."`
}

// RelatedResult holds the sections that were asked for.
type RelatedResult struct {
	ID         string             `json:"id"`
	Included   []string           `json:"included"`
	Links      *RelatedLinks      `json:"links,omitempty"`
	Provenance *RelatedProvenance `json:"provenance,omitempty"`
	Edges      *RelatedNoteEdges  `json:"edges,omitempty"`
	RelatedIDs []string           `json:"related_ids"`
}

// RelatedNote is a note's id and title.
type RelatedNote struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// RelatedLinks are the notes that wiki-links lead to and come from, nearest
// first.
type RelatedLinks struct {
	Outgoing []RelatedNote `json:"outgoing"`
	Incoming []RelatedNote `json:"incoming"`
}

// RelatedProvenance is what a note is derived from and what is derived from
// it, nearest first, and the ids of sources that do not exist.
type RelatedProvenance struct {
	Sources           []RelatedNote `json:"sources"`
	Derived           []RelatedNote `json:"derived"`
	UnresolvedSources []string      `json:"unresolved_sources"`
}

// RelatedNoteEdges are the typed edges at a note.
type RelatedNoteEdges struct {
	Outgoing []NoteEdge `json:"outgoing"`
	Incoming []NoteEdge `json:"incoming"`
}

// Related is the operation related.
var Related = Op[RelatedRequest, RelatedResult]{
	name: "related", summary: "Show what a note is connected with: links, provenance, typed edges.", readOnly: true,
	codes: []Code{CodeDocNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).Related,
}

// Related shows what a note is connected with.
func (s *Service) Related(ctx context.Context, req RelatedRequest) (RelatedResult, error) {
	return readNotes(ctx, s, req, view.related)
}

func (v view) related(req RelatedRequest) (RelatedResult, error) {
	note, err := resolveNote(v, "id", req.ID, CodeDocNotFound)
	if err != nil {
		return RelatedResult{}, err
	}
	result := RelatedResult{ID: note.ID, Included: []string{}, RelatedIDs: []string{}}
	for _, section := range relatedSections {
		if len(req.Include) == 0 || contains(req.Include, section) {
			result.Included = append(result.Included, section)
		}
	}
	depth := clampDepth(*req.Depth)
	for _, section := range result.Included {
		switch section {
		case sectionLinks:
			result.Links, err = v.relatedLinks(note, depth)
		case sectionProvenance:
			result.Provenance, err = v.relatedProvenance(note, depth)
		case sectionEdges:
			result.Edges, err = v.relatedEdges(note, valueOr(req.Namespace, ""))
		}
		if err != nil {
			return RelatedResult{}, err
		}
	}
	result.RelatedIDs = result.union()
	return result, nil
}

// union is the ids of all other notes in the sections, sorted.
func (r RelatedResult) union() []string {
	ids := []string{}
	notes := func(lists ...[]RelatedNote) {
		for _, list := range lists {
			for _, n := range list {
				ids = append(ids, n.ID)
			}
		}
	}
	if r.Links != nil {
		notes(r.Links.Outgoing, r.Links.Incoming)
	}
	if r.Provenance != nil {
		notes(r.Provenance.Sources, r.Provenance.Derived)
	}
	if r.Edges != nil {
		for _, edge := range r.Edges.Outgoing {
			ids = append(ids, edge.To)
		}
		for _, edge := range r.Edges.Incoming {
			ids = append(ids, edge.From)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return id == r.ID })
}

func (v view) relatedLinks(note NoteRow, depth int) (*RelatedLinks, error) {
	outgoing, err := v.reached(note, depth, v.NoteLinks, DirectionOutgoing)
	if err != nil {
		return nil, err
	}
	incoming, err := v.reached(note, depth, v.NoteLinks, DirectionIncoming)
	return &RelatedLinks{Outgoing: outgoing, Incoming: incoming}, err
}

func (v view) relatedProvenance(note NoteRow, depth int) (*RelatedProvenance, error) {
	sources, err := v.reached(note, depth, v.NoteSources, DirectionOutgoing)
	if err != nil {
		return nil, err
	}
	derived, err := v.reached(note, depth, v.NoteSources, DirectionIncoming)
	if err != nil {
		return nil, err
	}
	unresolved, err := v.UnresolvedSources(note.Key)
	return &RelatedProvenance{Sources: sources, Derived: derived, UnresolvedSources: orEmpty(unresolved)}, err
}

// reached are the notes that a walk in one direction comes to, by distance,
// then id.
func (v view) reached(note NoteRow, depth int, step func([]NoteKey, Direction) ([][2]NoteKey, error), side Direction) ([]RelatedNote, error) {
	levels, err := v.walk([]NoteKey{note.Key}, depth, func(keys []NoteKey) ([][2]NoteKey, error) { return step(keys, side) })
	if err != nil {
		return nil, err
	}
	reached := []RelatedNote{}
	for _, level := range levels {
		rows, err := v.Notes(level)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(rows, func(a, b NoteRow) int { return strings.Compare(a.ID, b.ID) })
		for _, row := range rows {
			reached = append(reached, RelatedNote{row.ID, row.Title})
		}
	}
	return reached, nil
}

func (v view) relatedEdges(note NoteRow, namespace string) (*RelatedNoteEdges, error) {
	outgoing, err := v.NoteEdges(NoteEdgeQuery{From: note.ID, Namespace: namespace})
	if err != nil {
		return nil, err
	}
	incoming, err := v.NoteEdges(NoteEdgeQuery{To: note.ID, Namespace: namespace})
	return &RelatedNoteEdges{Outgoing: orEmpty(outgoing), Incoming: orEmpty(incoming)}, err
}
