package core

import (
	"context"
	"fmt"
)

// TaskCompleteRequest asks to complete a task.
type TaskCompleteRequest struct {
	TaskID          string   `json:"task_id"`
	Agent           string   `json:"agent" check:"name"`
	Outcome         *string  `json:"outcome" check:"body" doc:"What came of it."`
	CitedNodes      []string `json:"cited_nodes" doc:"Notes that helped."`
	MisleadingNodes []string `json:"misleading_nodes" doc:"Notes that misled."`
	ReceiptID       *string  `json:"receipt_id"`
	ExpectedVersion *int     `json:"expected_version" check:"version" doc:"Refuse if the task has moved on."`
}

// TaskCompleteResult names what became ready by it.
type TaskCompleteResult struct {
	Success   bool     `json:"success"`
	Unblocked []string `json:"unblocked"`
	Echo
}

// TaskComplete is the operation task_complete.
var TaskComplete = Op[TaskCompleteRequest, TaskCompleteResult]{
	name: "task_complete", summary: "Complete a task or pass a gate; answers what became ready.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeReceiptNotFound, CodeVersionConflict},
	run:   (*Service).TaskComplete,
}

// TaskComplete completes any open task, blocked or claimed by others or not.
func (s *Service) TaskComplete(ctx context.Context, req TaskCompleteRequest) (TaskCompleteResult, error) {
	return write(ctx, s, req, (*change).complete)
}

func (c *change) complete(req TaskCompleteRequest) (TaskCompleteResult, error) {
	var none TaskCompleteResult
	head, err := resolveTask(c, "task_id", req.TaskID)
	if err != nil {
		return none, err
	}
	feedback, err := c.feedbackOf(head, req)
	if err != nil {
		return none, err
	}
	task, dropped, err := c.closeTask(head, req.TaskID, req.Agent, req.ExpectedVersion, func(t *Task) {
		t.Status, t.Outcome = StatusCompleted, req.Outcome
	})
	if err != nil {
		return none, err
	}
	if err := c.learn(feedback); err != nil {
		return none, err
	}
	err = c.emitAbout(EventTaskCompleted, req.Agent, task.TaskHead, taskCompleted{
		TaskID: task.ID, Agent: req.Agent, Outcome: req.Outcome,
		CitedNodes: req.CitedNodes, MisleadingNodes: req.MisleadingNodes, ReceiptID: req.ReceiptID,
		UpdatedAt: task.UpdatedAt, Version: task.Version, DroppedClaims: dropped,
	})
	if err != nil {
		return none, err
	}
	unblocked, err := c.ReadyTargets(head.Key, c.now)
	return TaskCompleteResult{Success: true, Unblocked: orEmpty(unblocked), Echo: task.echo()}, err
}

// TaskCancelRequest asks to cancel a task.
type TaskCancelRequest struct {
	TaskID          string  `json:"task_id"`
	Agent           string  `json:"agent" check:"name"`
	Reason          *string `json:"reason" check:"body" doc:"Kept as a finding."`
	ExpectedVersion *int    `json:"expected_version" check:"version" doc:"Refuse if the task has moved on."`
}

// TaskCancelResult names what cannot become ready any more by itself.
type TaskCancelResult struct {
	Success  bool     `json:"success"`
	Stranded []string `json:"stranded"`
	Echo
}

// TaskCancel is the operation task_cancel.
var TaskCancel = Op[TaskCancelRequest, TaskCancelResult]{
	name: "task_cancel", summary: "Cancel a task; what waits for it stays blocked until somebody intervenes.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeVersionConflict},
	run:   (*Service).TaskCancel,
}

// TaskCancel cancels any open task.
func (s *Service) TaskCancel(ctx context.Context, req TaskCancelRequest) (TaskCancelResult, error) {
	return write(ctx, s, req, (*change).cancel)
}

func (c *change) cancel(req TaskCancelRequest) (TaskCancelResult, error) {
	var none TaskCancelResult
	head, err := resolveTask(c, "task_id", req.TaskID)
	if err != nil {
		return none, err
	}
	task, dropped, err := c.closeTask(head, req.TaskID, req.Agent, req.ExpectedVersion, func(t *Task) {
		t.Status, t.Outcome = StatusCancelled, nil
	})
	if err != nil {
		return none, err
	}
	var findingID *string
	if req.Reason != nil && !isBlank(*req.Reason) {
		id, err := c.note(task.TaskHead, req.Agent, "[Cancelled] "+*req.Reason)
		if err != nil {
			return none, err
		}
		findingID = &id
	}
	err = c.emitAbout(EventTaskCancelled, req.Agent, task.TaskHead, taskCancelled{
		TaskID: task.ID, Agent: req.Agent, Reason: req.Reason,
		UpdatedAt: task.UpdatedAt, Version: task.Version, FindingID: findingID, DroppedClaims: dropped,
	})
	if err != nil {
		return none, err
	}
	targets, err := c.DependencyTargets(head.Key, []EdgeType{EdgeBlocks, EdgeWaitsOnGate})
	if err != nil {
		return none, err
	}
	stranded := []string{}
	for _, target := range targets {
		if target.Type == TypeTask {
			stranded = append(stranded, target.ID)
		}
	}
	return TaskCancelResult{Success: true, Stranded: stranded, Echo: task.echo()}, nil
}

// closeTask ends an open task the way set says and drops its claims. given is
// the id as the caller wrote it.
func (c *change) closeTask(head TaskHead, given, agent string, expected *int, set func(*Task)) (Task, []droppedClaim, error) {
	task, err := record(c, head)
	if err != nil {
		return Task{}, nil, err
	}
	if task.Status != StatusOpen {
		return Task{}, nil, NewError(CodeTaskNotFound,
			fmt.Sprintf("The task '%s' is already %s.", task.Title, task.Status),
			Extra{"field", "task_id"}, Extra{"value", clip(given)}, Extra{"task_status", string(task.Status)})
	}
	if err := checkVersion(task, expected); err != nil {
		return Task{}, nil, err
	}
	if err := c.see(agent); err != nil {
		return Task{}, nil, err
	}
	claims, err := c.Claims([]TaskKey{head.Key}, c.now)
	if err != nil {
		return Task{}, nil, err
	}
	dropped := []droppedClaim{}
	for _, claim := range claims[head.Key] {
		dropped = append(dropped, droppedClaim{Agent: claim.Agent, Aspect: claim.Aspect})
	}
	if err := c.DropClaims(head.Key); err != nil {
		return Task{}, nil, err
	}
	before := task.Version
	set(&task)
	c.advance(&task)
	task.ResolvedAt = &task.UpdatedAt
	return task, dropped, c.setStatus(task, before)
}

func (c *change) setStatus(task Task, before int64) error {
	written, err := c.SetStatus(task, FacetsOf(task.Type, task.Metadata), before)
	if err == nil && !written {
		err = c.versionConflict(task.TaskHead, before)
	}
	return err
}

// TaskReopenRequest asks to reopen a closed task.
type TaskReopenRequest struct {
	TaskID          string `json:"task_id"`
	Agent           string `json:"agent" check:"name"`
	ExpectedVersion *int   `json:"expected_version" check:"version" doc:"Refuse if the task has moved on."`
}

// TaskReopenResult names what waits for it again.
type TaskReopenResult struct {
	Success   bool     `json:"success"`
	Reblocked []string `json:"reblocked"`
	Echo
}

// TaskReopen is the operation task_reopen.
var TaskReopen = Op[TaskReopenRequest, TaskReopenResult]{
	name: "task_reopen", summary: "Reopen a completed or cancelled task; answers what waits for it again.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeTaskNotResolved, CodeVersionConflict},
	run:   (*Service).TaskReopen,
}

// TaskReopen opens a closed task again; its claims do not come back.
func (s *Service) TaskReopen(ctx context.Context, req TaskReopenRequest) (TaskReopenResult, error) {
	return write(ctx, s, req, (*change).reopen)
}

func (c *change) reopen(req TaskReopenRequest) (TaskReopenResult, error) {
	var none TaskReopenResult
	head, err := resolveTask(c, "task_id", req.TaskID)
	if err != nil {
		return none, err
	}
	task, err := record(c, head)
	if err != nil {
		return none, err
	}
	if task.Status == StatusOpen {
		return none, NewError(CodeTaskNotResolved, fmt.Sprintf("The task '%s' is open.", task.Title),
			Extra{"task_id", task.ID})
	}
	if err := checkVersion(task, req.ExpectedVersion); err != nil {
		return none, err
	}
	if err := c.see(req.Agent); err != nil {
		return none, err
	}
	prior, priorOutcome, before := task.Status, task.Outcome, task.Version
	task.Status, task.ResolvedAt, task.Outcome = StatusOpen, nil, nil
	c.advance(&task)
	if err := c.setStatus(task, before); err != nil {
		return none, err
	}
	remark := fmt.Sprintf("[Reopened] task reopened (was %s)", prior)
	if priorOutcome != nil && *priorOutcome != "" {
		remark += "; prior outcome: " + *priorOutcome
	}
	findingID, err := c.note(task.TaskHead, req.Agent, remark)
	if err != nil {
		return none, err
	}
	err = c.emitAbout(EventTaskReopened, req.Agent, task.TaskHead, taskReopened{
		TaskID: task.ID, Agent: req.Agent, PriorStatus: prior, PriorOutcome: priorOutcome,
		UpdatedAt: task.UpdatedAt, Version: task.Version, FindingID: findingID,
	})
	if err != nil {
		return none, err
	}
	reblocked := []string{}
	if prior == StatusCompleted {
		if reblocked, err = c.SoleHolderTargets(head.Key, c.now); err != nil {
			return none, err
		}
	}
	return TaskReopenResult{Success: true, Reblocked: orEmpty(reblocked), Echo: task.echo()}, nil
}
