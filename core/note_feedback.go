package core

import (
	"context"
	"fmt"
	"slices"
)

// What feedback does to a note and to the edges between notes.
const (
	citedSalience      = 0.02
	ignoredSalience    = -0.02
	misleadingSalience = -0.05
	misleadingWeight   = -0.05 // of every edge at the note
	reinforcedWeight   = 0.03  // of the edge between two notes cited together
	newRelatedWeight   = 0.5
	ignoredOften       = 5 // from here on being ignored counts against a note
	misleadingTooOften = 3 // from here on a note is quarantined
)

// reinforcement is where edges between notes cited together come from.
const reinforcement = "reinforcement"

// feedback is what the completion of a task says of the notes retrieved for
// it.
type feedback struct {
	agent                      string
	cited, ignored, misleading []NoteRow
}

// feedbackOf reads the feedback of a completion; nil when there is none, or
// nothing it could be about.
func (c *change) feedbackOf(task TaskHead, req TaskCompleteRequest) (*feedback, error) {
	if req.CitedNodes == nil && req.MisleadingNodes == nil {
		return nil, nil
	}
	receipt, found, err := c.receiptFor(task, req)
	if err != nil || !found {
		return nil, err
	}
	keys, err := c.view().keysOfIDs(receipt.Notes)
	if err != nil {
		return nil, err
	}
	rows, err := c.Notes(keys)
	if err != nil {
		return nil, err
	}
	f := &feedback{agent: req.Agent}
	for _, row := range rows {
		switch {
		case contains(req.MisleadingNodes, row.ID):
			f.misleading = append(f.misleading, row)
		case contains(req.CitedNodes, row.ID):
			f.cited = append(f.cited, row)
		default:
			f.ignored = append(f.ignored, row)
		}
	}
	return f, nil
}

// receiptFor is the receipt the feedback is about: the one named, else the
// latest that the agent has for the task.
func (c *change) receiptFor(task TaskHead, req TaskCompleteRequest) (Receipt, bool, error) {
	if req.ReceiptID == nil {
		return c.LatestReceipt(task.ID, req.Agent)
	}
	receipt, found, err := c.Receipt(*req.ReceiptID)
	if err == nil && (!found || valueOr(receipt.TaskID, "") != task.ID) {
		err = NewError(CodeReceiptNotFound, fmt.Sprintf("There is no receipt '%s' for this task.", clip(*req.ReceiptID)),
			Extra{"receipt_id", *req.ReceiptID})
	}
	return receipt, found, err
}

// learn keeps what feedback says.
func (c *change) learn(f *feedback) error {
	if f == nil {
		return nil
	}
	usage, err := usageOf(c, idsOfNotes(slices.Concat(f.cited, f.ignored, f.misleading)))
	if err != nil {
		return err
	}
	for _, row := range f.cited {
		u := usage[row.ID]
		u.Cited++
		u.LastUsedAt = &c.now
		u.shiftSalience(citedSalience)
		usage[row.ID] = u
	}
	for _, row := range f.ignored {
		u := usage[row.ID]
		u.Ignored++
		if u.Ignored > ignoredOften && u.Ignored > u.Cited {
			u.shiftSalience(ignoredSalience)
		}
		usage[row.ID] = u
	}
	for _, row := range f.misleading {
		u := usage[row.ID]
		u.Misleading++
		u.shiftSalience(misleadingSalience)
		usage[row.ID] = u
		if u.Misleading >= misleadingTooOften && row.Status != NoteQuarantined {
			c.quarantineAfter(row.ID, f.agent)
		}
	}
	for _, row := range slices.Concat(f.cited, f.ignored, f.misleading) {
		if err := c.PutUsage(usage[row.ID]); err != nil {
			return err
		}
	}
	if err := c.reinforce(f.cited); err != nil {
		return err
	}
	return c.weaken(idsOfNotes(f.misleading))
}

func idsOfNotes(rows []NoteRow) []string {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids
}

// reinforce strengthens the edge between each two notes of one namespace that
// were cited together.
func (c *change) reinforce(cited []NoteRow) error {
	for i, a := range cited {
		for _, b := range cited[i+1:] {
			if a.Namespace != b.Namespace {
				continue
			}
			from, to := min(a.ID, b.ID), max(a.ID, b.ID)
			edges, err := c.NoteEdges(NoteEdgeQuery{From: from, To: to, Type: relatedEdge, Namespace: a.Namespace, Asserted: true})
			if err != nil {
				return err
			}
			if len(edges) == 0 {
				origin := reinforcement
				edges = []NoteEdge{{
					ID: c.service.shortID(NoteEdgePrefix), From: from, To: to, Type: relatedEdge, Namespace: a.Namespace,
					Weight: newRelatedWeight - reinforcedWeight, CreatedAt: c.now, ProvenanceType: &origin,
				}}
			}
			if err := c.shiftWeight(edges[0], reinforcedWeight); err != nil {
				return err
			}
		}
	}
	return nil
}

// weaken lowers every edge at any of the notes, once.
func (c *change) weaken(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	edges, err := c.NoteEdges(NoteEdgeQuery{At: ids, Asserted: true})
	if err != nil {
		return err
	}
	for _, edge := range edges {
		if err := c.shiftWeight(edge, misleadingWeight); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) shiftWeight(edge NoteEdge, by float64) error {
	edge.Weight, edge.UpdatedAt = Real(clampShare(float64(edge.Weight)+by)), c.now
	_, err := c.PutNoteEdge(edge)
	return err
}

// quarantineAfter takes a note out of retrieval once the completion stands.
// The completion is right without it, so a failure goes no further; the next
// feedback tries again.
func (c *change) quarantineAfter(id, agent string) {
	s := c.service
	c.afterCommit(func(ctx context.Context) {
		_ = s.mutate(ctx, func(c *change) error {
			row, found, err := c.NoteByID(id)
			if err != nil || !found {
				return err
			}
			_, err = c.rewriteNote(row, agent, func(n *Note) { n.Status = NoteQuarantined })
			return err
		})
	})
}
