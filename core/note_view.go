package core

import "context"

// NoteView is everything that is known of one note.
type NoteView struct {
	Now Stamp
	NoteCard
	Note      Note // its front matter
	Namespace string
	Content   string
	IsStale   bool
	// Origin is the task the note came out of; nil where Note.Source names none
	// that exists.
	Origin *Card
	// Links and Backlinks are the notes that wiki-links lead to and come from,
	// Sources and Derived what it is derived from and what is derived from it.
	// Of many, the first MaxNoteRelations.
	Links, Backlinks, Sources, Derived NoteRelations
	// Unresolved are the names in wiki-links that no note answers to,
	// MissingSources the ids it is derived from that no note has.
	Unresolved, MissingSources []string
	Edges                      []NoteEdgeView // from it, then to it; mirrored ones left out
	MoreEdges                  int
	Usage                      NoteUsage
}

// NoteRelations are notes and how many more there are.
type NoteRelations struct {
	Notes []NoteCard
	More  int
}

// NoteEdgeView is a typed edge at a note.
type NoteEdgeView struct {
	NoteEdge
	Outgoing bool
	Other    NoteCard // its other end; with an id alone where there is no such note
}

// MaxNoteRelations is how many notes of one kind of relation a view holds.
const MaxNoteRelations = 200

// NoteView reads everything about a note, as its file is now. It leaves no
// trace in the access log.
func (s *Service) NoteView(ctx context.Context, id string) (NoteView, error) {
	return readFreshNote(ctx, s, NoteReadRequest{ID: &id}, view.viewNote)
}

func (v view) viewNote(req NoteReadRequest) (NoteView, error) {
	out := NoteView{Now: v.now}
	result, err := v.readNote(req)
	if err != nil {
		return out, err
	}
	row, _, err := v.NoteByID(result.ID)
	if err != nil {
		return out, err
	}
	cards, err := v.noteCards([]NoteRow{row})
	if err != nil {
		return out, err
	}
	out.NoteCard, out.Note, out.Content = cards[0], result.Note, result.Content
	out.Title, out.Namespace, out.IsStale = result.Title, row.Namespace, row.IsStale(v.now)
	if err := v.viewNoteOrigin(&out); err != nil {
		return out, err
	}
	if err := v.viewNoteLinks(&out, row, result.Links); err != nil {
		return out, err
	}
	if err := v.viewNoteEdges(&out); err != nil {
		return out, err
	}
	usage, err := usageOf(v, []string{out.ID})
	out.Usage = usage[out.ID]
	return out, err
}

func (v view) viewNoteOrigin(out *NoteView) error {
	if out.Note.Source == nil {
		return nil
	}
	head, found, err := v.TaskByID(*out.Note.Source)
	if err != nil || !found {
		return err
	}
	tasks, err := v.BriefTasks([]TaskKey{head.Key})
	if err != nil {
		return err
	}
	cards, err := v.cards(tasks, cardParts{waits: true, holds: true})
	if err == nil && len(cards) > 0 {
		out.Origin = &cards[0]
	}
	return err
}

func (v view) viewNoteLinks(out *NoteView, row NoteRow, links []NoteLink) error {
	for _, relation := range []struct {
		pairs func([]NoteKey, Direction) ([][2]NoteKey, error)
		side  Direction
		into  *NoteRelations
	}{
		{v.NoteLinks, DirectionOutgoing, &out.Links}, {v.NoteLinks, DirectionIncoming, &out.Backlinks},
		{v.NoteSources, DirectionOutgoing, &out.Sources}, {v.NoteSources, DirectionIncoming, &out.Derived},
	} {
		pairs, err := relation.pairs([]NoteKey{row.Key}, relation.side)
		if err != nil {
			return err
		}
		n := min(len(pairs), MaxNoteRelations)
		relation.into.More = len(pairs) - n
		keys := make([]NoteKey, n)
		for i, pair := range pairs[:n] {
			keys[i] = pair[1]
		}
		rows, err := v.Notes(keys)
		if err != nil {
			return err
		}
		if relation.into.Notes, err = v.noteCards(rows); err != nil {
			return err
		}
	}
	var err error
	if out.MissingSources, err = v.UnresolvedSources(row.Key); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, link := range links {
		name := linkName(link.Target)
		if seen[name] {
			continue
		}
		seen[name] = true
		known, err := v.IsNoteName(name)
		if err != nil {
			return err
		}
		if !known {
			out.Unresolved = append(out.Unresolved, link.Target)
		}
	}
	return nil
}

func (v view) viewNoteEdges(out *NoteView) error {
	for _, query := range []NoteEdgeQuery{{From: out.ID, Asserted: true}, {To: out.ID, Asserted: true}} {
		edges, err := v.NoteEdges(query)
		if err != nil {
			return err
		}
		n := min(len(edges), MaxNoteRelations)
		out.MoreEdges += len(edges) - n
		for _, edge := range edges[:n] {
			other := edge.To
			if query.To != "" {
				other = edge.From
			}
			card := NoteCard{NoteHead: NoteHead{ID: other}}
			row, found, err := v.NoteByID(other)
			if err != nil {
				return err
			}
			if found {
				cards, err := v.noteCards([]NoteRow{row})
				if err != nil {
					return err
				}
				card = cards[0]
			}
			out.Edges = append(out.Edges, NoteEdgeView{NoteEdge: edge, Outgoing: query.From != "", Other: card})
		}
	}
	return nil
}

// viewNotes finds the notes that a task's findings name, and those that name
// the task as their source.
func (v view) viewNotes(out *TaskView, head TaskHead) error {
	rows, err := v.NotesOfTask(head.ID, maxRelated)
	if err != nil {
		return err
	}
	if out.Notes, err = v.noteListRows(rows); err != nil {
		return err
	}
	var ids []string
	for _, finding := range out.Findings {
		if finding.KnowledgeID != nil {
			ids = append(ids, *finding.KnowledgeID)
		}
	}
	keys, err := v.keysOfIDs(ids)
	if err != nil || len(keys) == 0 {
		return err
	}
	if rows, err = v.Notes(keys); err != nil {
		return err
	}
	cards, err := v.noteCards(rows)
	out.Knowledge = make(map[string]NoteCard, len(cards))
	for _, card := range cards {
		out.Knowledge[card.ID] = card
	}
	return err
}
