package core

import "context"

// TaskSpawnRequest asks for a task found while working on another.
type TaskSpawnRequest struct {
	SourceTaskID   string    `json:"source_task_id"`
	Title          string    `json:"title" check:"title"`
	Agent          string    `json:"agent" check:"name"`
	Description    *string   `json:"description" check:"body" doc:"Markdown."`
	RelationType   *string   `json:"relation_type" default:"discovered_from" check:"relation_type" doc:"blocks: the new task waits for the source."`
	InheritProject *bool     `json:"inherit_project" default:"true"`
	InheritTags    *bool     `json:"inherit_tags" default:"true"`
	InheritContext *bool     `json:"inherit_context" default:"true" doc:"priority, parallelizable and phase."`
	Metadata       *Metadata `json:"metadata" check:"metadata" doc:"Its keys win over inherited ones."`
	RequestID      *string   `json:"request_id" check:"name"`
}

// TaskSpawnResult names the new task and its source.
type TaskSpawnResult struct {
	TaskID       string `json:"task_id"`
	Title        string `json:"title"`
	SourceTaskID string `json:"source_task_id"`
	UpdatedAt    Stamp  `json:"updated_at"`
	Version      int64  `json:"version"`
}

// TaskSpawn is the operation task_spawn.
var TaskSpawn = Op[TaskSpawnRequest, TaskSpawnResult]{
	name: "task_spawn", summary: "Create a task discovered while working on another, with its context.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeInvalidRelationType, CodeInvalidMetadataKey},
	run:   (*Service).TaskSpawn,
}

// contextKeys are the metadata keys that inherit_context copies.
var contextKeys = []string{"priority", "parallelizable", "phase"}

// TaskSpawn adds a task related to a source.
func (s *Service) TaskSpawn(ctx context.Context, req TaskSpawnRequest) (TaskSpawnResult, error) {
	return write(ctx, s, req, func(c *change, req TaskSpawnRequest) (TaskSpawnResult, error) {
		return once(c, "task_spawn", req.Agent, req.RequestID,
			func() []byte { return canonicalArguments(req) },
			func() (TaskSpawnResult, error) { return c.spawn(req) })
	})
}

func (c *change) spawn(req TaskSpawnRequest) (TaskSpawnResult, error) {
	var result TaskSpawnResult
	head, err := resolveTask(c, "source_task_id", req.SourceTaskID)
	if err != nil {
		return result, err
	}
	err = checkWord(RelationTypes, *req.RelationType, func() error {
		return unknownWord(CodeInvalidRelationType, "", "relation_type", *req.RelationType,
			"relation of a spawned task", words(RelationTypes))
	})
	if err != nil {
		return result, err
	}
	if err := checkMetadataKeys(req.Metadata); err != nil {
		return result, err
	}
	source, err := record(c, head)
	if err != nil {
		return result, err
	}
	task := c.newTask(req.Title, req.Agent, TypeTask)
	task.Description = req.Description
	task.Metadata = inherited(source.Metadata, *req.InheritProject, *req.InheritContext, valueOr(req.Metadata, ""))
	if err := checkMetadataSize("metadata", task.Metadata); err != nil {
		return result, err
	}
	if *req.InheritTags {
		task.Tags = source.Tags
	}
	if err := c.insert(&task, req.Agent, source.ID); err != nil {
		return result, err
	}
	if err := c.link(head, task.TaskHead, EdgeType(*req.RelationType), req.Agent); err != nil {
		return result, err
	}
	return TaskSpawnResult{
		TaskID: task.ID, Title: task.Title, SourceTaskID: source.ID,
		UpdatedAt: task.UpdatedAt, Version: task.Version,
	}, nil
}

// inherited is the metadata of a spawned task: what it takes over from its
// source, with its own keys on top. Null values of its own are kept.
func inherited(source Metadata, project, context bool, own Metadata) Metadata {
	var keys []string
	if project {
		keys = append(keys, "project")
	}
	if context {
		keys = append(keys, contextKeys...)
	}
	var members []Member
	for _, key := range keys {
		if value, ok := source.Get(key); ok {
			members = append(members, Member{key, value})
		}
	}
	return MakeMetadata(append(members, own.Members()...))
}
