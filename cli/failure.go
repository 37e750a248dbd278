package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// Exit statuses that are no category of the error contract.
const (
	exitOK     = 0
	exitOutput = 74  // standard output cannot be written
	exitSignal = 128 // plus the number of the signal
)

// signalled is the cause of a context that a signal has ended.
type signalled struct{ signal os.Signal }

func (s *signalled) Error() string { return "ended by the signal " + s.signal.String() }

// exit is the status of a program that the signal ended.
func (s *signalled) exit() int {
	if n, ok := s.signal.(syscall.Signal); ok {
		return exitSignal + int(n)
	}
	return exitSignal
}

// report tells of the outcome of a call and returns the exit status.
func (c *call) report(err error) int {
	if err == nil {
		return exitOK
	}
	var ended *signalled
	if errors.As(context.Cause(c.ctx), &ended) || errors.As(err, &ended) {
		return ended.exit()
	}
	if errors.As(err, new(unwell)) {
		return core.CategoryStore.Exit()
	}
	var fault *panicked
	if errors.As(err, &fault) {
		err = c.session.crashed(fault.fault, fault.stack)
	}
	var output *writeError
	if errors.As(err, &output) {
		if isClosedPipe(output.cause) {
			return exitOK
		}
		c.say("lithos: %s", output.Error())
		return exitOutput
	}
	var filter *filterError
	if errors.As(err, &filter) {
		err = core.InvalidInput(core.ReasonInvalidValue, "jq", filter.Error())
	}
	var named *core.Error
	if !errors.As(err, &named) {
		// What happened may hold the engine's words: it goes to the report.
		named = core.InternalError(err, c.session.writeCrash(err, nil))
	}
	return c.fail(named)
}

// fail prints an error in the form of the call and returns its status, also
// when nobody can read it.
func (c *call) fail(e *core.Error) int {
	if c.out.json {
		plain := output{to: c.out.to, json: true} // an envelope is never filtered
		if err := plain.document(e); err == nil || isClosedPipe(err) {
			return e.Exit()
		}
	}
	fmt.Fprint(c.env.Stderr, c.explanation(e))
	return e.Exit()
}

// asTyped is the message of an error with the name under which the parameter at
// fault is typed: --from, not 'period_start'.
func (c *call) asTyped(e *core.Error) string {
	field, _ := e.Extra("field").(string)
	of := c.invocation.command
	if field == "" || of == nil {
		return e.Message
	}
	typed := ""
	for _, f := range slices.Concat(of.flags, globalFlags) {
		if f.field() == field {
			typed = "--" + f.name
		}
	}
	for _, a := range of.arguments {
		if a.parameter == field {
			typed = a.name
		}
	}
	if typed == "" {
		return e.Message
	}
	return strings.ReplaceAll(e.Message, "'"+field+"'", typed)
}

// explanation is an error for people: the message, then what helps.
func (c *call) explanation(e *core.Error) string {
	var b strings.Builder
	add := func(format string, args ...any) {
		b.WriteString(display.Visible(fmt.Sprintf(format, args...)))
		b.WriteByte('\n')
	}
	message := c.asTyped(e)
	if at, ok := e.Extra("expires_at").(core.Stamp); ok {
		message = strings.ReplaceAll(message, at.String(), display.When(at))
	}
	add("lithos: %s", message)
	if index, ok := e.Extra("operation_index").(int); ok {
		add("  %s", c.culprit(index))
	}
	if candidates, ok := e.Extra("candidates").([]core.TaskName); ok {
		for i, id := range c.shortIDs(candidates, namesNote(e)) {
			add("  %s  %s", id, candidates[i].Title)
		}
	}
	if owner, ok := e.Extra("duplicate_of").(core.URLOwner); ok {
		add("  %s  %s", owner.ID, owner.Title)
	}
	if owner, ok := e.Extra("existing_id").(string); ok {
		add("  %s", owner)
	}
	if path, ok := e.Extra("path").([]core.TaskName); ok {
		for i, id := range c.shortIDs(path, false) {
			arrow := "  "
			if i > 0 {
				arrow = "→ "
				if c.session.config.on("ascii") {
					arrow = "> "
				}
			}
			add("  %s%s  %s", arrow, id, path[i].Title)
		}
	}
	if at, ok := e.Extra("expires_at").(core.Stamp); ok {
		add("  time left: %s", display.Left(at, c.now()))
	}
	if current, ok := e.Extra("current").(core.Task); ok {
		add("  now: version %d, changed %s, '%s', %s", current.Version, display.Ago(current.UpdatedAt, c.now()), current.Title, current.Status)
	}
	if allowed, ok := e.Extra("allowed").([]string); ok && isWorthListing(e) {
		add("  allowed: %s", strings.Join(allowed, ", "))
	}
	if commands, ok := e.Extra("commands").([]string); ok {
		for _, command := range commands {
			add("  %s", command)
		}
	}
	if leftovers, ok := e.Extra("leftovers").([]string); ok {
		add("  its files: %s", strings.Join(leftovers, ", "))
	}
	if file, ok := e.Extra("crash_file").(string); ok {
		add("  report: %s", file)
	}
	if hint := c.remedy(e); hint != "" {
		add("  %s", hint)
	}
	return b.String()
}

// shortIDs are the ids of tasks, or of notes, as a terminal shows them, so that they can be
// typed back; elsewhere, and where the store cannot tell, they are whole.
func (c *call) shortIDs(named []core.TaskName, notes bool) []string {
	ids := make([]string, len(named))
	for i, t := range named {
		ids[i] = t.ID
	}
	if !c.env.StderrIsTerminal {
		return ids
	}
	shorten := c.session.service().ShortIDs
	if notes {
		shorten = c.session.service().ShortNoteIDs
	}
	short, err := shorten(c.ctx, ids)
	if err != nil {
		c.session.log.Debug("the ids could not be shortened", "error", err)
		return ids
	}
	return short
}

// namesNote reports whether an error is about an id of a note. The fields with
// ids of tasks say so, but for depends_on.
func namesNote(e *core.Error) bool {
	field, _ := e.Extra("field").(string)
	return !strings.Contains(field, "task") && !strings.HasPrefix(field, "depends_on")
}

// culprit names the operation of several that failed: one of an apply, or the
// one on an id of the command line.
func (c *call) culprit(index int) string {
	i := c.invocation
	if op := i.command.operation; op != nil && op.Name() != core.TaskApply.Name() && index < len(i.arguments) {
		return fmt.Sprintf("at '%s'; none of the tasks was changed", i.arguments[index])
	}
	return fmt.Sprintf("in operation %d, counted from 0; nothing was changed by the others either", index)
}

// mostListed is how many accepted words fit into an error.
const mostListed = 24

// isWorthListing reports whether the accepted words help a person: not when
// they are many or the nearest one is named already, nor for the flags of a command, of which
// its help says more.
func isWorthListing(e *core.Error) bool {
	if allowed, _ := e.Extra("allowed").([]string); e.Extra("nearest") != nil || len(allowed) > mostListed {
		return false
	}
	return e.Extra("reason") != core.ReasonUnknownField || e.Extra("field") == commandField
}

// Commands that errors about backups are told apart by.
const (
	takePath    = "lithos backup take"
	restorePath = "lithos backup restore" // its schema_mismatch is about a backup
)

// remedy names the command that helps after an error, "" when none does.
func (c *call) remedy(e *core.Error) string {
	command := c.invocation.command
	id := ""
	if len(c.invocation.arguments) > 0 {
		id = display.ShellWord(c.invocation.arguments[0])
	}
	switch e.Code {
	case core.CodeInvalidInput:
		if command.name == explainName && e.Extra("field") == "topic" {
			return "what can be explained: lithos explain"
		}
		if reason := e.Extra("reason"); reason == core.ReasonUnknownField || reason == core.ReasonMissingField {
			if allowed, _ := e.Extra("allowed").([]string); slices.Equal(allowed, configKeyNames()) {
				return "the keys: lithos config --help"
			}
			return "help: " + command.path() + " --help"
		}
	case core.CodeTaskNotFound:
		if e.Extra("task_status") != nil && e.Extra("operation_index") == nil && id != "" {
			return "open it again: lithos task reopen " + id
		}
		if e.Extra("operation_index") == nil {
			return "find it: lithos task list --text WORD"
		}
	case core.CodeClaimFailed:
		if e.Extra("reason") == "held" {
			return "other work: lithos task next"
		}
		return "open it again: lithos task reopen " + id
	case core.CodeDocNotFound, core.CodeNoteNotFound:
		return "find it: lithos note search WORD"
	case core.CodeNotFound:
		return "see which there are: lithos note edge list"
	case core.CodeSearchBackendError:
		return "rebuild it: lithos note reindex"
	case core.CodeDuplicate:
		return "give it another text: lithos note write TITLE --id " + display.ShellWord(e.Extra("duplicate_of").(core.URLOwner).ID)
	case core.CodeVersionConflict:
		if e.Extra("current") == nil {
			return "read what it has become: lithos note read " + display.ShellWord(c.noteAsked())
		}
		if e.Extra("operation_index") == nil {
			return "look at it: lithos task get " + id
		}
	case core.CodeSchemaMismatch:
		switch {
		case e.Extra("direction") != "older":
		case command.path() == restorePath: // the backup is the older one
			return "copy it, bring the copy up to date with 'lithos migrate --db COPY', and restore that"
		default:
			return "bring it up to date: lithos migrate"
		}
	case core.CodeBackupFailed:
		if c.needsOtherFolder(e) {
			return "another folder: " + strings.TrimSpace(command.path()+" "+id) + " --to DIR"
		}
	case core.CodeStoreUnavailable:
		switch {
		case e.Extra("reason") == "not_a_database" && e.Extra("path") == c.session.place.path:
			return "if this was the store: lithos doctor"
		case e.Extra("reason") != "corrupt":
		case command.path() == "lithos export" && !c.on(salvageFlag):
			return "save what can be read: lithos export --salvage"
		default:
			return "find the damage: lithos doctor"
		}
	case core.CodeRequestTimedOut:
		return "give it more time: --timeout DURATION"
	case core.CodeCursorExpired, core.CodePeriodArchived:
		return "the whole history: lithos journal"
	}
	return ""
}

// needsOtherFolder reports whether a backup failed because of the folder that
// it was to go to, so that it may succeed in another.
func (c *call) needsOtherFolder(e *core.Error) bool {
	if path := c.invocation.command.path(); path != takePath && path != restorePath {
		return false
	}
	path, _ := e.Extra("path").(string)
	switch e.Extra("step") {
	case "directory", "name":
		return true
	case "copy", "deliver": // a restore also makes a copy beside the store
		return filepath.Dir(path) != filepath.Dir(c.session.place.path)
	}
	return false
}

// noteAsked is the note that a write was to change, as it was named.
func (c *call) noteAsked() string {
	if _, ok := c.invocation.command.flag("id"); ok {
		return wordOr(c.word("id"), "ID")
	}
	return c.argument(0)
}
