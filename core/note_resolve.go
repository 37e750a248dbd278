package core

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// resolveNote finds the note that an id parameter names: the exact id, or a
// prefix of at least six characters that belongs to one note only. missing is
// the code of the error when there is none.
func resolveNote(tx ReadTx, field, id string, missing Code) (NoteRow, error) {
	row, found, err := tx.NoteByID(id)
	if err != nil || found {
		return row, err
	}
	if utf8.RuneCountInString(id) < MinIDPrefixCharacters {
		return NoteRow{}, InvalidValue(field, id,
			fmt.Sprintf("'%s' is too short for an id: at least %d characters are needed.", clip(id), MinIDPrefixCharacters))
	}
	matches, err := tx.NotesByPrefix(id, maxCandidates)
	if err != nil {
		return NoteRow{}, err
	}
	switch len(matches) {
	case 0:
		return NoteRow{}, noReadableNote(tx, missing, field, id)
	case 1:
		row, _, err := tx.NoteByID(matches[0].ID)
		return row, err
	}
	names := make([]TaskName, len(matches))
	for i, match := range matches {
		names[i] = TaskName{match.ID, match.Title}
	}
	return NoteRow{}, ambiguous(field, id, "note", names)
}

// noReadableNote is noNote, which says so when the file of the note is there
// and cannot be read.
func noReadableNote(tx ReadTx, code Code, field, id string) error {
	e := noNote(code, field, id)
	problems, err := tx.NoteProblems()
	if err != nil {
		return err
	}
	for _, p := range problems {
		if strings.HasPrefix(p.ID, id) && !p.isCopy() {
			e.Message = p.message()
			break
		}
	}
	return e
}

// message says that a file cannot be read, and why.
func (p NoteProblem) message() string {
	return fmt.Sprintf("The file '%s' cannot be read as a note: %s.", clip(p.Path), p.Reason)
}

func noNote(code Code, field, value string) *Error {
	return NewError(code, fmt.Sprintf("There is no note '%s'.", clip(value)), Extra{"field", field}, Extra{"value", clip(value)})
}

// resolveTaskReference resolves a lenient reference to a task: the exact id or
// a unique prefix becomes the full id, several are an error, anything else
// passes through.
func resolveTaskReference(tx ReadTx, field, id string) (string, error) {
	head, found, err := tx.TaskByID(id)
	if err != nil || found {
		return head.ID, err
	}
	if utf8.RuneCountInString(id) < MinIDPrefixCharacters {
		return id, nil
	}
	matches, err := tx.TasksByPrefix(id, maxCandidates)
	if err != nil {
		return "", err
	}
	switch len(matches) {
	case 0:
		return id, nil
	case 1:
		return matches[0].ID, nil
	}
	names := make([]TaskName, len(matches))
	for i, match := range matches {
		names[i] = match.name()
	}
	return "", ambiguous(field, id, "task", names)
}
