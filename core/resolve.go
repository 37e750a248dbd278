package core

import (
	"fmt"
	"unicode/utf8"
)

// maxCandidates is how many tasks an ambiguous prefix names.
const maxCandidates = 5

// resolveTask finds the task that an id parameter names: the exact id, or a
// prefix of at least six characters that belongs to one task only.
func resolveTask(tx ReadTx, field, id string) (TaskHead, error) {
	head, found, err := tx.TaskByID(id)
	if err != nil || found {
		return head, err
	}
	if utf8.RuneCountInString(id) < MinIDPrefixCharacters {
		return TaskHead{}, InvalidValue(field, id,
			fmt.Sprintf("'%s' is too short for an id: at least %d characters are needed.", clip(id), MinIDPrefixCharacters))
	}
	matches, err := tx.TasksByPrefix(id, maxCandidates)
	if err != nil {
		return TaskHead{}, err
	}
	switch len(matches) {
	case 1:
		return matches[0], nil
	case 0:
		return TaskHead{}, NewError(CodeTaskNotFound, fmt.Sprintf("There is no task '%s'.", clip(id)),
			Extra{"field", field}, Extra{"value", clip(id)})
	}
	names := make([]TaskName, len(matches))
	for i, match := range matches {
		names[i] = match.name()
	}
	return TaskHead{}, ambiguous(field, id, "task", names)
}

func ambiguous(field, id, what string, candidates []TaskName) error {
	return NewError(CodeAmbiguousIDPrefix, fmt.Sprintf("'%s' begins the id of more than one %s.", clip(id), what),
		Extra{"field", field}, Extra{"value", clip(id)}, Extra{"candidates", candidates})
}

// resolveTasks resolves a list of ids in order.
func resolveTasks(tx ReadTx, field string, ids []string) ([]TaskHead, error) {
	heads := make([]TaskHead, 0, len(ids))
	for i, id := range ids {
		head, err := resolveTask(tx, fmt.Sprintf("%s[%d]", field, i), id)
		if err != nil {
			return nil, err
		}
		heads = append(heads, head)
	}
	return heads, nil
}

// resolveNoteReference resolves a lenient note reference: a unique hit
// becomes the full id, several are an error, anything else passes through.
func resolveNoteReference(tx ReadTx, field, id string) (string, error) {
	notes, err := tx.ResolveNote(id, maxCandidates)
	if err != nil {
		return "", err
	}
	switch len(notes) {
	case 0:
		return id, nil
	case 1:
		return notes[0].ID, nil
	}
	return "", ambiguous(field, id, "note", notes)
}

// record reads the whole record of a task whose head is known.
func record(tx ReadTx, head TaskHead) (Task, error) {
	tasks, err := tx.Tasks([]TaskKey{head.Key})
	if err != nil {
		return Task{}, err
	}
	if len(tasks) == 0 {
		return Task{}, fmt.Errorf("task %q vanished inside a transaction", head.ID)
	}
	return tasks[0], nil
}

func idsOf(heads []TaskHead) []string {
	ids := make([]string, len(heads))
	for i, h := range heads {
		ids[i] = h.ID
	}
	return ids
}
