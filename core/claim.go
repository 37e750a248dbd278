package core

import (
	"context"
	"fmt"
	"time"
)

// Claim is a lease on one aspect of one task.
type Claim struct {
	Agent     string
	Aspect    string
	ClaimedAt Stamp
	ExpiresAt Stamp
}

// AppendJSON appends the claim as records show it.
func (c Claim) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.str("agent", c.Agent)
	o.str("aspect", c.Aspect)
	o.stamp("expires_at", c.ExpiresAt)
	return o.end()
}

// MarshalJSON returns the claim as records show it.
func (c Claim) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil), nil }

// Live reports whether the claim holds at a moment; the moment of expiry is
// no longer part of it.
func (c Claim) Live(now Stamp) bool { return c.ExpiresAt > now }

// DefaultAspect is the aspect that is claimed when none is named.
const DefaultAspect = "work"

// TaskClaimRequest asks for a lease.
type TaskClaimRequest struct {
	TaskID     string `json:"task_id"`
	Aspect     string `json:"aspect" check:"name" doc:"Free text: work, as task_next claims, or another such as review."`
	Agent      string `json:"agent" check:"name"`
	TTLMinutes *int   `json:"ttl_minutes" check:"ttl" doc:"Default 60, clamped to 1–480."`
}

// TaskClaimResult tells until when the lease holds.
type TaskClaimResult struct {
	Success   bool  `json:"success"`
	ExpiresAt Stamp `json:"expires_at"`
	Echo
}

// TaskClaim is the operation task_claim.
var TaskClaim = Op[TaskClaimRequest, TaskClaimResult]{
	name: "task_claim", summary: "Take a lease on one aspect of an open task, so that others leave it alone.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeClaimFailed},
	run:   (*Service).TaskClaim,
}

// TaskClaim takes a lease. Of several simultaneous calls for one aspect
// exactly one wins.
func (s *Service) TaskClaim(ctx context.Context, req TaskClaimRequest) (TaskClaimResult, error) {
	return write(ctx, s, req, (*change).claim)
}

func (c *change) claim(req TaskClaimRequest) (TaskClaimResult, error) {
	var none TaskClaimResult
	head, err := resolveTask(c, "task_id", req.TaskID)
	if err != nil {
		return none, err
	}
	if head.Status != StatusOpen {
		return none, NewError(CodeClaimFailed, fmt.Sprintf("The task '%s' is %s.", head.Title, head.Status),
			Extra{"reason", "not_open"}, Extra{"holder", nil}, Extra{"aspect", req.Aspect},
			Extra{"expires_at", nil}, Extra{"seconds_left", nil})
	}
	claim, err := c.take(head, req.Agent, req.Aspect, req.TTLMinutes)
	if err != nil {
		return none, err
	}
	return TaskClaimResult{Success: true, ExpiresAt: claim.ExpiresAt, Echo: head.echo()}, nil
}

// take claims an aspect of an open task and writes the event.
func (c *change) take(head TaskHead, agent, aspect string, ttlMinutes *int) (Claim, error) {
	claim := Claim{Agent: agent, Aspect: aspect, ClaimedAt: c.now, ExpiresAt: c.expiry(ttlMinutes)}
	won, err := c.PutClaim(head.Key, claim, c.now)
	if err != nil {
		return claim, err
	}
	if !won {
		return claim, c.held(head, aspect)
	}
	if err := c.see(agent); err != nil {
		return claim, err
	}
	return claim, c.emitAbout(EventTaskClaimed, agent, head, taskClaimed{
		TaskID: head.ID, Agent: agent, Aspect: aspect, ExpiresAt: claim.ExpiresAt,
	})
}

// held is the answer when somebody else has the aspect.
func (c *change) held(head TaskHead, aspect string) error {
	claim, found, err := c.Claim(head.Key, aspect)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("aspect %q of task %q was refused although nobody holds it", aspect, head.ID)
	}
	seconds := (int64(claim.ExpiresAt-c.now) + 999_999) / 1_000_000
	return NewError(CodeClaimFailed, fmt.Sprintf("'%s' of the task '%s' is held by %s until %s.",
		aspect, head.Title, claim.Agent, claim.ExpiresAt),
		Extra{"reason", "held"}, Extra{"holder", claim.Agent}, Extra{"aspect", aspect},
		Extra{"expires_at", claim.ExpiresAt}, Extra{"seconds_left", seconds})
}

// expiry is when a lease of the length asked for ends.
func (c *change) expiry(ttlMinutes *int) Stamp {
	minutes := valueOr(ttlMinutes, c.service.settings.ClaimDefaultMinutes)
	minutes = min(max(minutes, 1), c.service.settings.ClaimMaxMinutes)
	return c.now.Add(time.Duration(minutes) * time.Minute)
}

// TaskRenewRequest asks to extend a lease.
type TaskRenewRequest struct {
	TaskID     string `json:"task_id"`
	Aspect     string `json:"aspect" check:"name" doc:"The one claimed: work after task_next."`
	Agent      string `json:"agent" check:"name"`
	TTLMinutes *int   `json:"ttl_minutes" check:"ttl" doc:"From now; default 60, clamped to 1–480."`
}

// TaskRenewResult tells until when the lease holds now.
type TaskRenewResult struct {
	Success      bool  `json:"success"`
	NewExpiresAt Stamp `json:"new_expires_at"`
	Echo
}

// TaskRenew is the operation task_renew.
var TaskRenew = Op[TaskRenewRequest, TaskRenewResult]{
	name: "task_renew", summary: "Extend a lease one holds.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeClaimNotFound},
	run:   (*Service).TaskRenew,
}

// TaskRenew extends a live lease of the caller.
func (s *Service) TaskRenew(ctx context.Context, req TaskRenewRequest) (TaskRenewResult, error) {
	return write(ctx, s, req, (*change).renew)
}

func (c *change) renew(req TaskRenewRequest) (TaskRenewResult, error) {
	var none TaskRenewResult
	head, err := resolveTask(c, "task_id", req.TaskID)
	if err != nil {
		return none, err
	}
	claim := Claim{Agent: req.Agent, Aspect: req.Aspect, ExpiresAt: c.expiry(req.TTLMinutes)}
	renewed, err := c.RenewClaim(head.Key, claim, c.now)
	if err != nil {
		return none, err
	}
	if !renewed {
		return none, claimNotFound(head, req.Agent, req.Aspect, "no live claim")
	}
	if err := c.see(req.Agent); err != nil {
		return none, err
	}
	err = c.emitAbout(EventTaskRenewed, req.Agent, head, taskClaimed{
		TaskID: head.ID, Agent: req.Agent, Aspect: req.Aspect, ExpiresAt: claim.ExpiresAt,
	})
	return TaskRenewResult{Success: true, NewExpiresAt: claim.ExpiresAt, Echo: head.echo()}, err
}

func claimNotFound(head TaskHead, agent, aspect, lacking string) error {
	return NewError(CodeClaimNotFound,
		fmt.Sprintf("%s has %s on '%s' of the task '%s'.", agent, lacking, aspect, head.Title),
		Extra{"aspect", aspect})
}

// TaskReleaseRequest asks to give a lease back.
type TaskReleaseRequest struct {
	TaskID string `json:"task_id"`
	Aspect string `json:"aspect" check:"name" doc:"The one claimed: work after task_next."`
	Agent  string `json:"agent" check:"name"`
}

// TaskReleaseResult confirms the release.
type TaskReleaseResult struct {
	Success bool `json:"success"`
	Echo
}

// TaskRelease is the operation task_release.
var TaskRelease = Op[TaskReleaseRequest, TaskReleaseResult]{
	name: "task_release", summary: "Give a lease back before it ends.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeClaimNotFound},
	run:   (*Service).TaskRelease,
}

// TaskRelease gives the caller's lease back, live or expired.
func (s *Service) TaskRelease(ctx context.Context, req TaskReleaseRequest) (TaskReleaseResult, error) {
	return write(ctx, s, req, (*change).release)
}

func (c *change) release(req TaskReleaseRequest) (TaskReleaseResult, error) {
	var none TaskReleaseResult
	head, err := resolveTask(c, "task_id", req.TaskID)
	if err != nil {
		return none, err
	}
	released, err := c.ReleaseClaim(head.Key, req.Agent, req.Aspect)
	if err != nil {
		return none, err
	}
	if !released {
		return none, claimNotFound(head, req.Agent, req.Aspect, "no claim")
	}
	if err := c.see(req.Agent); err != nil {
		return none, err
	}
	err = c.emitAbout(EventTaskReleased, req.Agent, head, taskReleased{
		TaskID: head.ID, Agent: req.Agent, Aspect: req.Aspect,
	})
	return TaskReleaseResult{Success: true, Echo: head.echo()}, err
}

// TaskNextRequest asks for work.
type TaskNextRequest struct {
	Agent         string    `json:"agent" check:"name"`
	Project       *string   `json:"project" check:"filter"`
	Tags          []string  `json:"tags" check:"filter_list" doc:"All of them."`
	MetadataMatch *Metadata `json:"metadata_match" check:"match"`
	Aspect        *string   `json:"aspect" default:"work" check:"name"`
	TTLMinutes    *int      `json:"ttl_minutes" check:"ttl" doc:"Default 60, clamped to 1–480."`
}

// TaskNextResult holds the task taken, or nothing.
type TaskNextResult struct {
	Task  *Task
	Claim *Claim
}

// AppendJSON appends the result: {"task": null} when there was nothing.
func (r TaskNextResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	if r.Task == nil {
		o.raw("task", "null")
		return o.end()
	}
	o.key("task")
	o.dst = r.Task.AppendJSON(o.dst)
	o.key("claim")
	o.dst = r.Claim.AppendJSON(o.dst)
	return o.end()
}

// TaskNext is the operation task_next.
var TaskNext = Op[TaskNextRequest, TaskNextResult]{
	name: "task_next", summary: "Pick the first ready task nobody has claimed and claim it, in one step.",
	run: (*Service).TaskNext,
}

// TaskNext picks and claims the first ready task without a live claim on the
// aspect. Simultaneous callers never get the same task.
func (s *Service) TaskNext(ctx context.Context, req TaskNextRequest) (TaskNextResult, error) {
	return write(ctx, s, req, (*change).next)
}

func (c *change) next(req TaskNextRequest) (TaskNextResult, error) {
	q, err := frontierQuery(Ready, c.now, req.Project, req.Tags, req.MetadataMatch)
	if err != nil {
		return TaskNextResult{}, err
	}
	q.Sort, q.FreeAspect, q.Limit = SortPriority, *req.Aspect, 1
	tasks, err := c.Frontier(q)
	if err != nil || len(tasks) == 0 {
		return TaskNextResult{}, err
	}
	claim, err := c.take(tasks[0].TaskHead, req.Agent, *req.Aspect, req.TTLMinutes)
	if err != nil {
		return TaskNextResult{}, err
	}
	if err := c.view().addClaims(tasks); err != nil {
		return TaskNextResult{}, err
	}
	return TaskNextResult{Task: &tasks[0], Claim: &claim}, nil
}
