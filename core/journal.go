package core

import "context"

// JournalRequest asks for a page of everything that ever happened.
type JournalRequest struct {
	PeriodStart *string  `json:"period_start" check:"time_filter"`
	PeriodEnd   *string  `json:"period_end" check:"time_filter" doc:"Exclusive."`
	Types       []string `json:"types" check:"event_types"`
	TaskID      *string  `json:"task_id" doc:"Events about this task, its edges, claims and findings."`
	Agent       *string  `json:"agent" check:"filter"`
	Limit       *int     `json:"limit" default:"100" check:"limit"`
	Before      *int     `json:"before" check:"cursor" doc:"Only events with seq below this."`
}

// JournalResult is a page of feed and archive together, newest first.
type JournalResult struct {
	Events     []Event
	NextBefore *int64
	HasMore    bool
	Truncated  bool // cut to a size limit by the surface; see the MCP contract
}

// AppendJSON appends the result.
func (r JournalResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	appendList(o, "events", r.Events)
	if r.NextBefore == nil {
		o.raw("next_before", "null")
	} else {
		o.int("next_before", *r.NextBefore)
	}
	o.bool("has_more", r.HasMore)
	if r.Truncated {
		o.bool("truncated", true)
	}
	return o.end()
}

// Journal is the operation journal.
var Journal = Op[JournalRequest, JournalResult]{
	name: "journal", summary: "Read feed and archive together, newest first.", readOnly: true,
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).Journal,
}

// Journal reads feed and archive together, newest first.
func (s *Service) Journal(ctx context.Context, req JournalRequest) (JournalResult, error) {
	return read(ctx, s, req, view.journal)
}

func (v view) journal(req JournalRequest) (JournalResult, error) {
	q, err := v.eventQuery(req.Types, req.TaskID, req.Agent, req.PeriodStart, req.PeriodEnd)
	if err != nil {
		return JournalResult{}, err
	}
	q.NewestFirst = true
	if req.Before != nil {
		if *req.Before == 0 {
			return JournalResult{Events: []Event{}}, nil // seq begins at 1
		}
		q.Before = int64(*req.Before)
	}
	limit := *req.Limit
	q.Limit = oneMore(limit)
	events, err := v.ReadTx.Events(q)
	if err != nil {
		return JournalResult{}, err
	}
	if len(events) <= limit {
		return JournalResult{Events: events}, nil
	}
	events = events[:limit]
	last := events[limit-1].Seq
	return JournalResult{Events: events, NextBefore: &last, HasMore: true}, nil
}

// oneMore is a limit that shows whether a page is the last, without
// overflowing for a limit that means everything.
func oneMore(limit int) int { return max(limit, limit+1) }
