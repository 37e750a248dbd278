package core

import "context"

// Descendants are all tasks below one in its hierarchy, breadth first.
type Descendants struct {
	Root  TaskHead
	Tasks []Descendant
}

// Descendant is a task with the parent it was reached from.
type Descendant struct {
	TaskHead
	ParentID string
}

// Descendants walks the hierarchy below a task, closed tasks included: what a
// drawing of the tree needs beside the answer of task_children.
func (s *Service) Descendants(ctx context.Context, taskID string) (Descendants, error) {
	return look(ctx, s, func(v view) (Descendants, error) {
		root, err := resolveTask(v, "task_id", taskID)
		if err != nil {
			return Descendants{}, err
		}
		result := Descendants{Root: root}
		ids := map[TaskKey]string{root.Key: root.ID}
		err = v.descend(root.Key, true, func(child TaskHead, parent TaskKey, _ int) {
			ids[child.Key] = child.ID
			result.Tasks = append(result.Tasks, Descendant{TaskHead: child, ParentID: ids[parent]})
		})
		return result, err
	})
}
