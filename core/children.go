package core

import "context"

// TaskChildrenRequest asks for the tasks below one.
type TaskChildrenRequest struct {
	TaskID        string `json:"task_id"`
	Recursive     *bool  `json:"recursive" default:"false"`
	IncludeClosed *bool  `json:"include_closed" default:"false"`
}

// TaskChildrenResult holds the tasks, breadth first.
type TaskChildrenResult struct {
	Tasks []Task
}

// AppendJSON appends the result.
func (r TaskChildrenResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	appendList(o, "tasks", r.Tasks)
	return o.end()
}

// TaskChildren is the operation task_children.
var TaskChildren = Op[TaskChildrenRequest, TaskChildrenResult]{
	name: "task_children", summary: "List the children of a task, or all its descendants.", readOnly: true,
	codes: []Code{CodeTaskNotFound, CodeAmbiguousIDPrefix},
	run:   (*Service).TaskChildren,
}

// TaskChildren lists the children of a task, or all its descendants. Closed
// ones are walked through even where they are not shown.
func (s *Service) TaskChildren(ctx context.Context, req TaskChildrenRequest) (TaskChildrenResult, error) {
	return read(ctx, s, req, func(v view, req TaskChildrenRequest) (TaskChildrenResult, error) {
		root, err := resolveTask(v, "task_id", req.TaskID)
		if err != nil {
			return TaskChildrenResult{}, err
		}
		var shown []TaskKey
		err = v.descend(root.Key, *req.Recursive, func(child TaskHead, _ TaskKey, _ int) {
			if child.Status == StatusOpen || *req.IncludeClosed {
				shown = append(shown, child.Key)
			}
		})
		if err != nil {
			return TaskChildrenResult{}, err
		}
		tasks, err := v.Tasks(shown)
		if tasks == nil {
			tasks = []Task{}
		}
		return TaskChildrenResult{Tasks: tasks}, err
	})
}

// descend visits the children of a task, breadth first, each task once; with
// recursive all its descendants. level is 1 for children.
func (v view) descend(root TaskKey, recursive bool, visit func(child TaskHead, parent TaskKey, level int)) error {
	type place struct {
		key   TaskKey
		level int
	}
	seen := map[TaskKey]bool{root: true}
	for queue := []place{{root, 0}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		children, err := v.Children(at.key)
		if err != nil {
			return err
		}
		for _, child := range children {
			if seen[child.Key] {
				continue
			}
			seen[child.Key] = true
			visit(child, at.key, at.level+1)
			if recursive {
				queue = append(queue, place{child.Key, at.level + 1})
			}
		}
	}
	return nil
}
