package core

import (
	"context"
	"fmt"
	"strings"
)

// isCalled reports whether a folded text is how people may speak of the task:
// the beginning of its id or, of an id that is not random, any part of it. Such
// ids begin alike and differ at their ends, which is what screens show.
func (h TaskHead) isCalled(text string) bool {
	id := foldCase(h.ID)
	if _, random := packUUID(id); random {
		return strings.HasPrefix(id, text)
	}
	return strings.Contains(id, text)
}

// FindTask finds the task that a person means: by its id as operations read
// ids, else by a part of an id that is not random. The errors are those of an
// id that names no task or several.
func (s *Service) FindTask(ctx context.Context, text string) (TaskName, error) {
	return look(ctx, s, func(v view) (TaskName, error) {
		head, err := resolveTask(v, "task_id", text)
		if err == nil {
			return head.name(), nil
		}
		if code := AsError(err).Code; code != CodeTaskNotFound && code != CodeInvalidInput {
			return TaskName{}, err
		}
		called := foldCase(text)
		filter := Filter{text: text, terms: []filterTerm{{value: called}}}
		keys, searchErr := v.search(filter, "", linkColumns, maxCalled)
		if searchErr != nil {
			return TaskName{}, searchErr
		}
		tasks, searchErr := v.BriefTasks(keys)
		if searchErr != nil {
			return TaskName{}, searchErr
		}
		var found []TaskName
		for _, t := range tasks {
			if t.isCalled(called) && len(found) < maxCandidates {
				found = append(found, t.name())
			}
		}
		switch len(found) {
		case 0:
			return TaskName{}, err
		case 1:
			return found[0], nil
		}
		return TaskName{}, NewError(CodeAmbiguousIDPrefix, fmt.Sprintf("'%s' is part of the id of more than one task.", clip(text)),
			Extra{"field", "task_id"}, Extra{"value", clip(text)}, Extra{"candidates", found})
	})
}

// maxCalled is how many tasks FindTask looks at.
const maxCalled = 200
