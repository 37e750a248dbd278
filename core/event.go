package core

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// EventType names what happened.
type EventType string

// The event types of tasks, agents and the store; those of notes come with
// the notes.
const (
	EventTaskCreated      EventType = "task.created"
	EventTaskUpdated      EventType = "task.updated"
	EventTaskClaimed      EventType = "task.claimed"
	EventTaskRenewed      EventType = "task.renewed"
	EventTaskReleased     EventType = "task.released"
	EventTaskCompleted    EventType = "task.completed"
	EventTaskCancelled    EventType = "task.cancelled"
	EventTaskReopened     EventType = "task.reopened"
	EventTaskEdgeUpserted EventType = "task.edge_upserted"
	EventTaskEdgeDeleted  EventType = "task.edge_deleted"
	EventFindingPosted    EventType = "finding.posted"
	EventAgentRegistered  EventType = "agent.registered"
	EventStoreImported    EventType = "store.imported"
	EventNoteCreated      EventType = "note.created"
	EventNoteUpdated      EventType = "note.updated"
	EventNoteDeleted      EventType = "note.deleted"
	EventNoteRenamed      EventType = "note.renamed"
	EventEdgeUpserted     EventType = "edge.upserted"
)

// EventTypes lists every event type in documentation order.
var EventTypes = []EventType{
	EventTaskCreated, EventTaskUpdated, EventTaskClaimed, EventTaskRenewed, EventTaskReleased,
	EventTaskCompleted, EventTaskCancelled, EventTaskReopened, EventTaskEdgeUpserted, EventTaskEdgeDeleted,
	EventFindingPosted, EventAgentRegistered, EventStoreImported,
	EventNoteCreated, EventNoteUpdated, EventNoteDeleted, EventNoteRenamed, EventEdgeUpserted,
}

// Event is one record of the feed.
type Event struct {
	Seq       int64
	ID        string
	Type      EventType
	Timestamp Stamp
	Agent     string
	Payload   json.RawMessage
	Tags      Tags
	Subject   Subject // which tasks it is about; not shown
}

// Subject names the tasks an event is about: none, one, or the two ends of
// an edge. Keys of tasks are never 0.
type Subject struct {
	Task, Other TaskKey
}

// AppendJSON appends the record with its keys in the contract's order.
func (e Event) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.int("seq", e.Seq)
	o.str("id", e.ID)
	o.str("type", string(e.Type))
	o.stamp("timestamp", e.Timestamp)
	o.str("agent", e.Agent)
	o.raw("payload", string(e.Payload))
	o.raw("tags", e.Tags.Text())
	return o.end()
}

// MarshalJSON returns the record.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

// The payloads, one struct an event type, keys in the contract's order.
type (
	taskCreated struct {
		TaskID       string   `json:"task_id"`
		Title        string   `json:"title"`
		TaskType     TaskType `json:"task_type"`
		UpdatedAt    Stamp    `json:"updated_at"`
		Version      int64    `json:"version"`
		SourceTaskID string   `json:"source_task_id,omitempty"`
	}
	taskUpdated struct {
		TaskID        string   `json:"task_id"`
		UpdatedAt     Stamp    `json:"updated_at"`
		Version       int64    `json:"version"`
		ChangedFields []string `json:"changed_fields"`
	}
	taskClaimed struct {
		TaskID    string `json:"task_id"`
		Agent     string `json:"agent"`
		Aspect    string `json:"aspect"`
		ExpiresAt Stamp  `json:"expires_at"`
	}
	taskReleased struct {
		TaskID string `json:"task_id"`
		Agent  string `json:"agent"`
		Aspect string `json:"aspect"`
	}
	droppedClaim struct {
		Agent  string `json:"agent"`
		Aspect string `json:"aspect"`
	}
	taskCompleted struct {
		TaskID          string         `json:"task_id"`
		Agent           string         `json:"agent"`
		Outcome         *string        `json:"outcome"`
		CitedNodes      []string       `json:"cited_nodes"`
		MisleadingNodes []string       `json:"misleading_nodes"`
		ReceiptID       *string        `json:"receipt_id"`
		UpdatedAt       Stamp          `json:"updated_at"`
		Version         int64          `json:"version"`
		DroppedClaims   []droppedClaim `json:"dropped_claims"`
	}
	taskCancelled struct {
		TaskID        string         `json:"task_id"`
		Agent         string         `json:"agent"`
		Reason        *string        `json:"reason"`
		UpdatedAt     Stamp          `json:"updated_at"`
		Version       int64          `json:"version"`
		FindingID     *string        `json:"finding_id"`
		DroppedClaims []droppedClaim `json:"dropped_claims"`
	}
	taskReopened struct {
		TaskID       string  `json:"task_id"`
		Agent        string  `json:"agent"`
		PriorStatus  Status  `json:"prior_status"`
		PriorOutcome *string `json:"prior_outcome"`
		UpdatedAt    Stamp   `json:"updated_at"`
		Version      int64   `json:"version"`
		FindingID    string  `json:"finding_id"`
	}
	taskEdge struct {
		FromTaskID string    `json:"from_task_id"`
		ToTaskID   string    `json:"to_task_id"`
		Type       EdgeType  `json:"type"`
		Metadata   *Metadata `json:"metadata,omitempty"`
	}
	findingPosted struct {
		FindingID   string  `json:"finding_id"`
		TaskID      string  `json:"task_id"`
		Agent       string  `json:"agent"`
		KnowledgeID *string `json:"knowledge_id,omitempty"`
	}
	agentRegistered struct {
		AgentID string `json:"agent_id"`
		Name    string `json:"name"`
		Created bool   `json:"created"`
	}
)

// emit appends an event about tasks without tags; emitTagged one with them.
func (c *change) emit(t EventType, agent string, about Subject, payload any) error {
	return c.emitTagged(t, agent, about, "", payload)
}

func (c *change) emitTagged(t EventType, agent string, about Subject, tags Tags, payload any) error {
	text, err := EncodeJSON(payload)
	if err != nil {
		return fmt.Errorf("encode the payload of %s: %w", t, err)
	}
	_, err = c.AppendEvent(Event{
		ID: c.service.newID(), Type: t, Timestamp: c.now, Agent: agent, Payload: text, Tags: tags, Subject: about,
	})
	return err
}

// emitAbout appends an event about one task, with the tags it has now.
func (c *change) emitAbout(t EventType, agent string, head TaskHead, payload any) error {
	return c.emitTagged(t, agent, Subject{Task: head.Key}, head.Tags, payload)
}

// joinTags unites the tags of both ends of an edge, without repeats.
func joinTags(a, b Tags) Tags {
	if b.Text() == "[]" {
		return dedupTags(a)
	}
	return dedupTags(MakeTags(append(a.List(), b.List()...)))
}

func dedupTags(t Tags) Tags {
	var kept []string
	for _, tag := range t.List() {
		if !slices.Contains(kept, tag) {
			kept = append(kept, tag)
		}
	}
	return MakeTags(kept)
}

// MaxEventsPage is the largest page of the feed.
const MaxEventsPage = 1_000

// EventsRequest asks for a page of the feed.
type EventsRequest struct {
	Since       *int     `json:"since" check:"cursor" doc:"Events with seq above this; null: from the oldest in the feed."`
	Limit       *int     `json:"limit" default:"100" check:"limit" doc:"At most 1000 count."`
	Types       []string `json:"types" check:"event_types"`
	TaskID      *string  `json:"task_id" doc:"Events about this task, its edges, claims and findings."`
	Agent       *string  `json:"agent" check:"filter"`
	PeriodStart *string  `json:"period_start" check:"time_filter"`
	PeriodEnd   *string  `json:"period_end" check:"time_filter" doc:"Exclusive."`
}

// EventsResult is a page of the feed, oldest first.
type EventsResult struct {
	Events    []Event
	NextSince int64
	HasMore   bool
	Truncated bool // cut to a size limit by the surface; see the MCP contract
}

// AppendJSON appends the result.
func (r EventsResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	appendList(o, "events", r.Events)
	o.int("next_since", r.NextSince)
	o.bool("has_more", r.HasMore)
	if r.Truncated {
		o.bool("truncated", true)
	}
	return o.end()
}

// Events is the operation events.
var Events = Op[EventsRequest, EventsResult]{
	name: "events", summary: "Read the change feed after a cursor, oldest first.", readOnly: true,
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeCursorExpired, CodePeriodArchived},
	run:   (*Service).Events,
}

// Events reads the change feed after a cursor.
func (s *Service) Events(ctx context.Context, req EventsRequest) (EventsResult, error) {
	return read(ctx, s, req, view.events)
}

func (v view) events(req EventsRequest) (EventsResult, error) {
	q, err := v.eventQuery(req.Types, req.TaskID, req.Agent, req.PeriodStart, req.PeriodEnd)
	if err != nil {
		return EventsResult{}, err
	}
	bounds, err := v.FeedBounds()
	if err != nil {
		return EventsResult{}, err
	}
	if req.Since != nil {
		q.After = int64(*req.Since)
		if q.After < bounds.ArchivedThrough {
			return EventsResult{}, NewError(CodeCursorExpired,
				fmt.Sprintf("Events up to %d have been archived. Read the state again, then continue after %d.",
					bounds.ArchivedThrough, bounds.ArchivedThrough),
				Extra{"archived_through", bounds.ArchivedThrough}, Extra{"resume_after", bounds.ArchivedThrough})
		}
	}
	if q.Start != nil || q.End != nil {
		missing, err := v.HasArchivedEvents(q)
		if err != nil {
			return EventsResult{}, err
		}
		if missing && bounds.ArchivedLatest != nil {
			before := *bounds.ArchivedLatest + 1
			return EventsResult{}, NewError(CodePeriodArchived,
				fmt.Sprintf("Events of the period have been archived; periods from %s on are served here, all of them by the journal.", before),
				Extra{"archived_before", before})
		}
	}
	limit := min(*req.Limit, MaxEventsPage)
	q.Limit = limit + 1
	events, err := v.ReadTx.Events(q)
	if err != nil {
		return EventsResult{}, err
	}
	result := EventsResult{Events: events, NextSince: bounds.Newest}
	if len(events) > limit {
		result.Events = events[:limit]
		result.NextSince = events[limit-1].Seq
		result.HasMore = true
	}
	return result, nil
}

// eventQuery reads the filters that events and journal share.
func (v view) eventQuery(types []string, task, agent, start, end *string) (EventQuery, error) {
	q := EventQuery{Types: types, Agent: valueOr(agent, ""), Start: timeFilter(start), End: timeFilter(end)}
	if task != nil && *task != "" {
		head, err := resolveTask(v, "task_id", *task)
		if err != nil {
			return q, err
		}
		q.Task = &head.Key
	}
	return q, nil
}

// timeFilter reads a time that the checks have passed; nil and "" filter
// nothing.
func timeFilter(text *string) *Stamp {
	if text == nil || *text == "" {
		return nil
	}
	at, err := ParseStamp(*text)
	if err != nil {
		return nil
	}
	return &at
}

func valueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
