package core

import (
	"context"
	"fmt"
	"slices"
)

// TaskUpdateRequest asks for changes to a task's texts, tags and metadata.
type TaskUpdateRequest struct {
	TaskID          string    `json:"task_id"`
	Agent           string    `json:"agent" check:"name"`
	Title           *string   `json:"title" check:"title"`
	Description     *string   `json:"description" check:"body"`
	Tags            []string  `json:"tags" check:"tags" doc:"Replaces the list; [] clears."`
	Metadata        *Metadata `json:"metadata" check:"metadata" doc:"Merged key by key; null deletes a key. priority: highest, high, medium, low or lowest; all else is medium."`
	AddTags         []string  `json:"add_tags" check:"tags"`
	RemoveTags      []string  `json:"remove_tags" check:"filter_list"`
	ExpectedVersion *int      `json:"expected_version" check:"version" doc:"Refuse if the task has moved on."`
}

// check refuses an update that changes nothing.
func (r *TaskUpdateRequest) check() error {
	if len(r.changedFields()) == 0 {
		return invalid(ReasonMissingField, "", "There is nothing to change: give a title, description, tags or metadata.")
	}
	return nil
}

// changedFields names what was supplied.
func (r *TaskUpdateRequest) changedFields() []string {
	var fields []string
	if r.Title != nil {
		fields = append(fields, "title")
	}
	if r.Description != nil {
		fields = append(fields, "description")
	}
	if r.Tags != nil || r.AddTags != nil || r.RemoveTags != nil {
		fields = append(fields, "tags")
	}
	if r.Metadata != nil {
		fields = append(fields, "metadata")
	}
	return fields
}

// TaskUpdateResult tells what was changed.
type TaskUpdateResult struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Echo
}

// TaskUpdate is the operation task_update.
var TaskUpdate = Op[TaskUpdateRequest, TaskUpdateResult]{
	name: "task_update", summary: "Change a task's title, description, tags or metadata.",
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeInvalidMetadataKey, CodeVersionConflict},
	run:   (*Service).TaskUpdate,
}

// TaskUpdate changes a task's texts, tags and metadata.
func (s *Service) TaskUpdate(ctx context.Context, req TaskUpdateRequest) (TaskUpdateResult, error) {
	return write(ctx, s, req, (*change).update)
}

func (c *change) update(req TaskUpdateRequest) (TaskUpdateResult, error) {
	var none TaskUpdateResult
	head, err := resolveTask(c, "task_id", req.TaskID)
	if err != nil {
		return none, err
	}
	if err := checkMetadataKeys(req.Metadata); err != nil {
		return none, err
	}
	if err := checkTagOptions(req); err != nil {
		return none, err
	}
	task, err := record(c, head)
	if err != nil {
		return none, err
	}
	if err := checkVersion(task, req.ExpectedVersion); err != nil {
		return none, err
	}
	if req.Title != nil {
		task.Title = *req.Title
	}
	if req.Description != nil {
		task.Description = req.Description
	}
	task.Tags = changedTags(task.Tags, req)
	if req.Metadata != nil {
		if task.Metadata, err = mergedMetadata(task, *req.Metadata); err != nil {
			return none, err
		}
	}
	if err := c.see(req.Agent); err != nil {
		return none, err
	}
	before := task.Version
	c.advance(&task)
	written, err := c.UpdateTask(task, FacetsOf(task.Type, task.Metadata), before)
	if err != nil {
		return none, err
	}
	if !written {
		return none, c.versionConflict(head, before)
	}
	fields := req.changedFields()
	err = c.emitAbout(EventTaskUpdated, req.Agent, task.TaskHead, taskUpdated{
		TaskID: task.ID, UpdatedAt: task.UpdatedAt, Version: task.Version, ChangedFields: fields,
	})
	return TaskUpdateResult{
		Success: true, Message: fmt.Sprintf("Updated %s.", joinWords(slices.Sorted(slices.Values(fields)))), Echo: task.echo(),
	}, err
}

func checkTagOptions(req TaskUpdateRequest) error {
	if req.Tags != nil && (req.AddTags != nil || req.RemoveTags != nil) {
		return invalid(ReasonInvalidValue, "tags", "'tags' replaces the whole list; it cannot be used with 'add_tags' or 'remove_tags'.")
	}
	for _, tag := range req.AddTags {
		if slices.Contains(req.RemoveTags, tag) {
			return InvalidValue("add_tags", tag, fmt.Sprintf("The tag '%s' is to be added and removed.", clip(tag)))
		}
	}
	return nil
}

func changedTags(tags Tags, req TaskUpdateRequest) Tags {
	if req.Tags != nil {
		return MakeTags(req.Tags)
	}
	if req.AddTags == nil && req.RemoveTags == nil {
		return tags
	}
	list := slices.DeleteFunc(tags.List(), func(tag string) bool { return slices.Contains(req.RemoveTags, tag) })
	for _, tag := range req.AddTags {
		if !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return MakeTags(list)
}

// mergedMetadata lays a patch over a task's metadata and judges the result.
func mergedMetadata(task Task, patch Metadata) (Metadata, error) {
	merged := task.Metadata.Merge(patch)
	if task.Type == TypeGate {
		var err error
		if merged, err = checkGateMetadata(merged); err != nil {
			return "", err
		}
	}
	if len(merged.Text()) > len(task.Metadata.Text()) {
		if err := checkMetadataSize("metadata", merged); err != nil {
			return "", err
		}
	}
	return merged, nil
}

// advance moves updated_at and version on. A stamp never repeats or goes
// back, whatever the clock does.
func (c *change) advance(task *Task) {
	task.UpdatedAt = max(c.now, task.UpdatedAt+1)
	task.Version++
}

// checkVersion refuses when the caller saw another version than the stored.
func checkVersion(task Task, expected *int) error {
	if expected == nil || int64(*expected) == task.Version {
		return nil
	}
	return NewError(CodeVersionConflict,
		fmt.Sprintf("The task is at version %d, not %d: somebody changed it in between.", task.Version, *expected),
		Extra{"expected_version", *expected}, Extra{"current_version", task.Version}, Extra{"current", task})
}

// versionConflict is the answer when the conditional write hit no row.
func (c *change) versionConflict(head TaskHead, expected int64) error {
	task, err := record(c, head)
	if err != nil {
		return err
	}
	n := int(expected)
	if err := checkVersion(task, &n); err != nil {
		return err
	}
	return fmt.Errorf("task %q was not written although its version fits", head.ID)
}
