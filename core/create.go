package core

import (
	"context"
	"slices"
)

// TaskCreateRequest asks for a new task.
type TaskCreateRequest struct {
	Title        string    `json:"title" check:"title"`
	Agent        string    `json:"agent" check:"name"`
	Description  *string   `json:"description" check:"body" doc:"Markdown."`
	Tags         []string  `json:"tags" check:"tags"`
	Metadata     *Metadata `json:"metadata" check:"metadata" doc:"Free keys. project and priority (highest, high, medium, low or lowest; all else is medium) steer the frontier; a gate needs gate_type (human, timer, ci, pr, external_task), a timer also ready_at."`
	TaskType     *string   `json:"task_type" default:"task" check:"task_type"`
	ParentTaskID *string   `json:"parent_task_id"`
	DependsOn    []string  `json:"depends_on" doc:"Ids of tasks that must be completed first."`
	RequestID    *string   `json:"request_id" check:"name" doc:"Repeating a call with the same request_id returns the first result."`
}

// TaskCreateResult names the new task.
type TaskCreateResult struct {
	Echo
	DependsOn    *[]string `json:"depends_on,omitempty"` // nil when none were asked for
	ParentTaskID *string   `json:"parent_task_id,omitempty"`
}

// TaskCreate is the operation task_create.
var TaskCreate = Op[TaskCreateRequest, TaskCreateResult]{
	name: "task_create", summary: "Create a task, epic or gate, with its dependencies in the same step.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeInvalidMetadataKey, CodeInvalidTaskType, CodeTooDeep},
	run:   (*Service).TaskCreate,
}

// TaskCreate adds a task. Task and edges are committed together, so the task
// is never seen without what holds it back.
func (s *Service) TaskCreate(ctx context.Context, req TaskCreateRequest) (TaskCreateResult, error) {
	return write(ctx, s, req, func(c *change, req TaskCreateRequest) (TaskCreateResult, error) {
		return once(c, "task_create", req.Agent, req.RequestID,
			func() []byte { return canonicalArguments(req) },
			func() (TaskCreateResult, error) { return c.create(req) })
	})
}

func (c *change) create(req TaskCreateRequest) (TaskCreateResult, error) {
	var result TaskCreateResult
	var parent TaskHead
	if req.ParentTaskID != nil {
		head, err := resolveTask(c, "parent_task_id", *req.ParentTaskID)
		if err != nil {
			return result, err
		}
		parent = head
	}
	dependencies, err := resolveTasks(c, "depends_on", req.DependsOn)
	if err != nil {
		return result, err
	}
	if err := checkMetadataKeys(req.Metadata); err != nil {
		return result, err
	}
	if err := checkTaskType("task_type", *req.TaskType); err != nil {
		return result, err
	}
	task := c.newTask(req.Title, req.Agent, TaskType(*req.TaskType))
	task.Description = req.Description
	task.Tags = MakeTags(req.Tags)
	task.Metadata = valueOr(req.Metadata, "")
	if task.Type == TypeGate {
		if task.Metadata, err = checkGateMetadata(task.Metadata); err != nil {
			return result, err
		}
	}
	if req.ParentTaskID != nil {
		level, err := c.view().level(parent.Key)
		if err != nil {
			return result, err
		}
		if err := c.service.checkDepth(level + 1); err != nil {
			return result, err
		}
	}
	if err := c.insert(&task, req.Agent, ""); err != nil {
		return result, err
	}
	var linked []TaskKey
	for _, dependency := range dependencies {
		if slices.Contains(linked, dependency.Key) {
			continue
		}
		linked = append(linked, dependency.Key)
		if err := c.link(dependency, task.TaskHead, EdgeBlocks, req.Agent); err != nil {
			return result, err
		}
	}
	result.Echo = task.echo()
	if req.ParentTaskID != nil {
		if err := c.link(parent, task.TaskHead, EdgeParentChild, req.Agent); err != nil {
			return result, err
		}
		result.ParentTaskID = &parent.ID
	}
	if req.DependsOn != nil {
		ids := idsOf(dependencies)
		result.DependsOn = &ids
	}
	return result, nil
}

// newTask is an open task as of now, not stored yet.
func (c *change) newTask(title, agent string, t TaskType) Task {
	return Task{
		TaskHead: TaskHead{
			ID: c.service.newID(), Title: title, Status: StatusOpen, Type: t,
			CreatedAt: c.now, UpdatedAt: c.now, Version: 1,
		},
		CreatedBy: agent,
	}
}

// insert stores a new task and writes its event. source is the id of the task
// it was spawned from, or empty.
func (c *change) insert(task *Task, agent, source string) error {
	if err := c.see(agent); err != nil {
		return err
	}
	key, err := c.InsertTask(*task, FacetsOf(task.Type, task.Metadata))
	if err != nil {
		return err
	}
	task.Key = key
	return c.emitAbout(EventTaskCreated, agent, task.TaskHead, taskCreated{
		TaskID: task.ID, Title: task.Title, TaskType: task.Type,
		UpdatedAt: task.UpdatedAt, Version: task.Version, SourceTaskID: source,
	})
}

// link adds an edge to or from a task that was just made, where no cycle can
// arise, and writes its event.
func (c *change) link(from, to TaskHead, t EdgeType, agent string) error {
	return c.putEdge(from, to, t, agent, "{}")
}
