package core

import "context"

// TaskGetRequest names one task.
type TaskGetRequest struct {
	TaskID string `json:"task_id"`
}

// TaskGetResult holds one record.
type TaskGetResult struct {
	Task Task
}

// AppendJSON appends the result.
func (r TaskGetResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.key("task")
	o.dst = r.Task.AppendJSON(o.dst)
	return o.end()
}

// TaskGet is the operation task_get.
var TaskGet = Op[TaskGetRequest, TaskGetResult]{
	name: "task_get", summary: "Read one task.", readOnly: true,
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).TaskGet,
}

// TaskGet reads one task, without its claims.
func (s *Service) TaskGet(ctx context.Context, req TaskGetRequest) (TaskGetResult, error) {
	return read(ctx, s, req, func(v view, req TaskGetRequest) (TaskGetResult, error) {
		head, err := resolveTask(v, "task_id", req.TaskID)
		if err != nil {
			return TaskGetResult{}, err
		}
		task, err := record(v, head)
		return TaskGetResult{Task: task}, err
	})
}

// TaskStatusRequest names one task.
type TaskStatusRequest struct {
	TaskID string `json:"task_id"`
}

// TaskStatusResult holds one record with its claims.
type TaskStatusResult struct {
	Tasks []Task
}

// AppendJSON appends the result.
func (r TaskStatusResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	appendList(o, "tasks", r.Tasks)
	return o.end()
}

// TaskStatus is the operation task_status.
var TaskStatus = Op[TaskStatusRequest, TaskStatusResult]{
	name: "task_status", summary: "Read one task with its live claims.", readOnly: true,
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).TaskStatus,
}

// TaskStatus reads one task with its live claims.
func (s *Service) TaskStatus(ctx context.Context, req TaskStatusRequest) (TaskStatusResult, error) {
	return read(ctx, s, req, func(v view, req TaskStatusRequest) (TaskStatusResult, error) {
		head, err := resolveTask(v, "task_id", req.TaskID)
		if err != nil {
			return TaskStatusResult{}, err
		}
		tasks, err := v.Tasks([]TaskKey{head.Key})
		if err != nil {
			return TaskStatusResult{}, err
		}
		return TaskStatusResult{Tasks: tasks}, v.addClaims(tasks)
	})
}

// addClaims fills the claims of records in place.
func (v view) addClaims(tasks []Task) error {
	keys := make([]TaskKey, len(tasks))
	for i, t := range tasks {
		keys[i] = t.Key
	}
	claims, err := v.Claims(keys, v.now)
	if err != nil {
		return err
	}
	for i := range tasks {
		tasks[i].Claims = claims[tasks[i].Key]
		if tasks[i].Claims == nil {
			tasks[i].Claims = []Claim{}
		}
	}
	return nil
}

// TasksByID reads several tasks in the order of their ids in one transaction,
// for surfaces that show many at once; field names the parameter in errors.
func (s *Service) TasksByID(ctx context.Context, field string, ids []string, withClaims bool) ([]Task, error) {
	var tasks []Task
	err := s.store.Read(ctx, func(tx ReadTx) error {
		v := view{ReadTx: tx, now: StampOf(s.now())}
		for i, id := range ids {
			if err := checkText(field, ids[i]); err != nil {
				return err
			}
			head, err := resolveTask(v, field, id)
			if err != nil {
				return err
			}
			task, err := record(v, head)
			if err != nil {
				return err
			}
			tasks = append(tasks, task)
		}
		if withClaims {
			return v.addClaims(tasks)
		}
		return nil
	})
	return tasks, err
}
