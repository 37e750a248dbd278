package core

import (
	"context"
	"slices"
)

// Sort is an order of the frontier.
type Sort string

// The sort orders. Ties end with the id.
const (
	SortPriority Sort = "priority" // by priority, then age
	SortCreated  Sort = "created"  // oldest first
	SortUpdated  Sort = "updated"  // last changed first
	SortImpact   Sort = "impact"   // what most tasks wait for first
)

// Sorts lists the sort orders in documentation order.
var Sorts = []Sort{SortPriority, SortCreated, SortUpdated, SortImpact}

// TaskReadyRequest asks for the tasks that can be started.
type TaskReadyRequest struct {
	Project       *string   `json:"project" check:"filter" doc:"metadata.project equals it or lists it."`
	Tags          []string  `json:"tags" check:"filter_list" doc:"All of them."`
	MetadataMatch *Metadata `json:"metadata_match" check:"match" doc:"Top-level key equals the scalar, or is a list that holds it."`
	Limit         *int      `json:"limit" default:"50" check:"limit"`
	WithClaims    *bool     `json:"with_claims" default:"true"`
	Sort          *string   `json:"sort" default:"priority" check:"sort" doc:"impact: what most tasks wait for first."`
	Offset        *int      `json:"offset" default:"0" check:"offset"`
}

// TaskBlockedRequest asks for the tasks that cannot be started.
type TaskBlockedRequest struct {
	Project       *string   `json:"project" check:"filter" doc:"metadata.project equals it or lists it."`
	Tags          []string  `json:"tags" check:"filter_list" doc:"All of them."`
	MetadataMatch *Metadata `json:"metadata_match" check:"match" doc:"Top-level key equals the scalar, or is a list that holds it."`
	Limit         *int      `json:"limit" default:"50" check:"limit"`
	Sort          *string   `json:"sort" default:"priority" check:"sort" doc:"impact: what most tasks wait for first."`
	Offset        *int      `json:"offset" default:"0" check:"offset"`
}

// FrontierResult is a page of ready or blocked tasks.
type FrontierResult struct {
	Tasks     []Task
	HasMore   bool
	Truncated bool // cut to a size limit by the surface; see the MCP contract
}

// AppendJSON appends the result.
func (r FrontierResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	appendList(o, "tasks", r.Tasks)
	o.bool("has_more", r.HasMore)
	if r.Truncated {
		o.bool("truncated", true)
	}
	return o.end()
}

// TaskReady is the operation task_ready.
var TaskReady = Op[TaskReadyRequest, FrontierResult]{
	name: "task_ready", summary: "List the tasks that can be started now, best first.", readOnly: true,
	run: (*Service).TaskReady,
}

// TaskBlocked is the operation task_blocked.
var TaskBlocked = Op[TaskBlockedRequest, FrontierResult]{
	name: "task_blocked", summary: "List the tasks that cannot be started, each with what holds it back.", readOnly: true,
	run: (*Service).TaskBlocked,
}

// TaskReady lists the ready tasks.
func (s *Service) TaskReady(ctx context.Context, req TaskReadyRequest) (FrontierResult, error) {
	return read(ctx, s, req, func(v view, req TaskReadyRequest) (FrontierResult, error) {
		q, err := frontierQuery(Ready, v.now, req.Project, req.Tags, req.MetadataMatch)
		if err != nil {
			return FrontierResult{}, err
		}
		result, err := v.frontierPage(q, Sort(*req.Sort), *req.Offset, *req.Limit)
		if err == nil && *req.WithClaims {
			err = v.addClaims(result.Tasks)
		}
		return result, err
	})
}

// TaskBlocked lists the blocked tasks with their blockers.
func (s *Service) TaskBlocked(ctx context.Context, req TaskBlockedRequest) (FrontierResult, error) {
	return read(ctx, s, req, func(v view, req TaskBlockedRequest) (FrontierResult, error) {
		q, err := frontierQuery(Blocked, v.now, req.Project, req.Tags, req.MetadataMatch)
		if err != nil {
			return FrontierResult{}, err
		}
		result, err := v.frontierPage(q, Sort(*req.Sort), *req.Offset, *req.Limit)
		if err != nil {
			return result, err
		}
		keys := make([]TaskKey, len(result.Tasks))
		for i, t := range result.Tasks {
			keys[i] = t.Key
		}
		blockers, err := v.blockers(keys)
		for i := range result.Tasks {
			result.Tasks[i].Blockers = blockers[result.Tasks[i].Key]
			if result.Tasks[i].Blockers == nil {
				result.Tasks[i].Blockers = []Blocker{}
			}
		}
		return result, err
	})
}

// frontierQuery reads the filters that ready, blocked and next share. project
// overrides a key of that name in the match.
func frontierQuery(half Frontier, now Stamp, project *string, tags []string, match *Metadata) (FrontierQuery, error) {
	conditions, err := parseMatch("metadata_match", valueOr(match, ""))
	if project != nil {
		conditions = slices.DeleteFunc(conditions, func(c MetadataCondition) bool { return c.Key == "project" })
	}
	return FrontierQuery{Half: half, Now: now, Project: project, Tags: tags, Match: conditions}, err
}

// frontierPage reads one page of the frontier.
func (v view) frontierPage(q FrontierQuery, order Sort, offset, limit int) (FrontierResult, error) {
	if order == SortImpact {
		return v.impactPage(q, offset, limit)
	}
	q.Sort, q.Offset, q.Limit = order, offset, oneMore(limit)
	tasks, err := v.Frontier(q)
	if err != nil {
		return FrontierResult{}, err
	}
	if tasks == nil {
		tasks = []Task{}
	}
	if len(tasks) > limit {
		return FrontierResult{Tasks: tasks[:limit], HasMore: true}, nil
	}
	return FrontierResult{Tasks: tasks}, nil
}

// impactPage reads one page of the frontier by impact: the order of priority,
// sorted stably by how many tasks wait.
func (v view) impactPage(q FrontierQuery, offset, limit int) (FrontierResult, error) {
	q.Sort = SortPriority
	keys, err := v.FrontierKeys(q)
	if err != nil {
		return FrontierResult{}, err
	}
	if err := v.sortByImpact(keys); err != nil {
		return FrontierResult{}, err
	}
	keys = keys[min(offset, len(keys)):]
	page := keys[:min(limit, len(keys))]
	tasks, err := v.Tasks(page)
	if tasks == nil {
		tasks = []Task{}
	}
	return FrontierResult{Tasks: tasks, HasMore: len(keys) > len(page)}, err
}
