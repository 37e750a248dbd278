package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
)

// CheckName names one thing that an examination looks at.
type CheckName string

// The checks of an examination, in its order.
const (
	CheckStore         CheckName = "store"          // the file can be opened and read
	CheckSchema        CheckName = "schema"         // its schema is the one of this program
	CheckStructure     CheckName = "structure"      // its tables and indexes are those of the schema
	CheckIntegrity     CheckName = "integrity"      // its pages, tables and indexes fit together
	CheckForeignKeys   CheckName = "foreign_keys"   // edges, claims and findings name tasks that are there
	CheckOrphanRows    CheckName = "orphan_rows"    // so do events
	CheckDuplicates    CheckName = "duplicates"     // what must be there once is
	CheckValues        CheckName = "values"         // JSON, times and words can be read
	CheckReadiness     CheckName = "readiness"      // the stored frontier is what tasks and edges say
	CheckCycles        CheckName = "cycles"         // no task waits for itself or lies below itself
	CheckEdgeRules     CheckName = "edge_rules"     // one parent at most, and only gates are waited on as gates
	CheckFeed          CheckName = "feed"           // what is archived is older than the feed
	CheckClock         CheckName = "clock"          // no time lies ahead of the clock
	CheckExpiredClaims CheckName = "expired_claims" // claims that have run out
	CheckLogSize       CheckName = "log_size"       // the log is no longer than it should be
	CheckRights        CheckName = "rights"         // nobody else may read or change the files
	CheckLeftovers     CheckName = "leftovers"      // nothing was left behind by programs that were stopped
	CheckRestore       CheckName = "restore"        // no restore was left half done
	CheckBackups       CheckName = "backups"        // there is a backup that is not old
	CheckNotes         CheckName = "notes"          // the notes that the store knows have files
	CheckNoteFiles     CheckName = "note_files"     // files that look like notes can be read
	CheckNoteIndex     CheckName = "note_index"     // what is derived from notes is what they say
)

// rowChecks are the checks of what the store holds, all made on one state of
// it. Those before schema's make sense for any schema.
var rowChecks = []struct {
	name CheckName
	look func(*tx, *ExamineOptions) (fault string, seen string, err error)
}{
	{CheckStructure, (*tx).lookStructure},
	{CheckIntegrity, (*tx).lookIntegrity},
	{CheckForeignKeys, (*tx).lookForeignKeys},
	{CheckOrphanRows, (*tx).lookOrphanRows},
	{CheckDuplicates, (*tx).lookDuplicates},
	{CheckValues, (*tx).lookValues},
	{CheckReadiness, (*tx).lookReadiness},
	{CheckCycles, (*tx).lookCycles},
	{CheckEdgeRules, (*tx).lookEdgeRules},
	{CheckFeed, (*tx).lookFeed},
	{CheckClock, (*tx).lookClock},
	{CheckNotes, (*tx).lookNotes},
	{CheckNoteFiles, (*tx).lookNoteFiles},
	{CheckNoteIndex, (*tx).lookNoteIndex},
	{CheckExpiredClaims, (*tx).lookExpiredClaims},
}

// anySchemaChecks can be made whatever the schema is.
var anySchemaChecks = []CheckName{CheckStructure, CheckIntegrity, CheckForeignKeys}

// Check is what one check has found.
type Check struct {
	Name   CheckName
	OK     bool
	Detail string // what was looked at, or what is wrong: sentences for people
	// Reason is that of the store_unavailable that kept the store from being
	// read; "" for all other checks.
	Reason string
	// Commands are those that finish or undo a restore.
	Commands []string
	// Untold: the check could not be made, because of what others have found.
	Untold bool
	// Lacks: a table that the schema has is missing.
	Lacks bool
	// Shut: the folder of backups cannot be used.
	Shut bool
	// Salvageable: records can be saved from the damaged file.
	Salvageable bool
}

// Examination is what an examination has found.
type Examination struct {
	Schema     int64 // of the store; 0 when it could not be read
	Checks     []Check
	Repairable []CheckName // checks that failed on what can be made anew
}

// Failed reports whether a check was made and failed.
func (e Examination) Failed(name CheckName) bool {
	return slices.ContainsFunc(e.Checks, func(c Check) bool { return c.Name == name && !c.OK })
}

func (e *Examination) add(name CheckName, fault, seen string) {
	if fault != "" {
		e.Checks = append(e.Checks, Check{Name: name, Detail: fault})
		return
	}
	e.Checks = append(e.Checks, Check{Name: name, OK: true, Detail: seen})
}

// ExamineOptions say which store to examine, and how.
type ExamineOptions struct {
	Path string
	Now  core.Stamp
	// Backups is the folder of backups, Temporary the one of temporary files;
	// "" leaves them out.
	Backups, Temporary string
	// Notes is the path of the folder of the notes, Folder what reads it; "" and
	// nil leave it out.
	Notes    string
	Folder   core.NoteFolder
	Progress Progress

	remakable bool // what is wrong with the file can be made anew
}

// Examine looks the store over and changes nothing; others may use the store
// meanwhile. Whatever is damaged is among what it finds: its errors are
// database_busy, request_timed_out and faults of the program.
func Examine(ctx context.Context, options ExamineOptions) (found Examination, err error) {
	found, err = options.lookInside(ctx)
	if err != nil {
		return Examination{}, err
	}
	if err := options.tellWhatIsLeft(ctx, &found); err != nil {
		return Examination{}, err
	}
	options.lookFiles(&found)
	return found, nil
}

// tellWhatIsLeft adds to the check that has found damage how much a salvage
// would save. It is made once the engine has let go of the file.
func (o *ExamineOptions) tellWhatIsLeft(ctx context.Context, found *Examination) error {
	at := slices.IndexFunc(found.Checks, func(c Check) bool {
		unreadable := c.Name == CheckStore && (c.Reason == ReasonCorrupt || c.Reason == ReasonNotADatabase)
		return !c.OK && (unreadable || c.Name == CheckIntegrity && !o.remakable)
	})
	if at < 0 {
		return nil
	}
	list, err := Salvage(ctx, SalvageOptions{Path: o.Path}, func(*core.TransferRecord) error { return nil })
	if err != nil {
		if category := core.Describe(core.AsError(err).Code).Category; category == core.CategoryStore || core.AsError(err).Code == core.CodeDatabaseBusy {
			return nil // it cannot be told now; what is damaged stands there already
		}
		return err
	}
	check := &found.Checks[at]
	parts := make([]string, len(list))
	for i, kind := range list {
		parts[i] = counted(kind.Read, salvagedNouns[kind.Kind])
		check.Salvageable = check.Salvageable || kind.Read > 0
	}
	if check.Reason == ReasonNotADatabase {
		if !check.Salvageable {
			return nil
		}
		check.Detail = "The file is damaged where it tells that it is a store."
	}
	check.Detail += " Can be saved: " + strings.Join(parts, ", ") + "."
	return nil
}

// salvagedNouns are what people call the kinds of records that a salvage saves.
var salvagedNouns = map[core.TransferKind]string{
	core.TransferAgent: "agent", core.TransferTask: "task", core.TransferEdge: "edge", core.TransferClaim: "claim", core.TransferFinding: "finding",
}

// lookInside makes the checks that need the store open.
func (o *ExamineOptions) lookInside(ctx context.Context) (found Examination, err error) {
	s, err := Open(ctx, Options{Path: o.Path, ReadOnly: true})
	if err != nil {
		return found, found.because(o.Path, err)
	}
	s.anySchema = true
	defer func() {
		// What closing a damaged store objects to has been found already.
		if closeErr := s.Close(); closeErr != nil && err == nil && !found.Failed(CheckIntegrity) && !found.Failed(CheckStore) {
			err = closeErr
		}
	}()
	err = s.Read(ctx, func(read core.ReadTx) error { return o.lookThrough(read.(*tx), &found) })
	if err != nil {
		return found, found.because(o.Path, err)
	}
	fault, seen := s.lookLog()
	found.add(CheckLogSize, fault, seen)
	return found, nil
}

// lookThrough makes the checks of what the store holds.
func (o *ExamineOptions) lookThrough(t *tx, found *Examination) (err error) {
	if found.Schema, err = t.number("PRAGMA user_version"); err != nil {
		return err
	}
	found.add(CheckStore, "", "The file can be read.")
	found.add(CheckSchema, schemaFault(found.Schema), fmt.Sprintf("It has the schema %d.", found.Schema))
	for i, check := range rowChecks {
		o.Progress.tell(phaseCheck, int64(i), int64(len(rowChecks)))
		if found.Schema != schemaVersion() && !slices.Contains(anySchemaChecks, check.name) {
			continue
		}
		fault, seen, err := check.look(t, o)
		untold := err != nil
		if untold {
			if fault, err = unreadable(err); err != nil {
				return err
			}
		}
		found.add(check.name, fault, seen)
		found.Checks[len(found.Checks)-1].Untold = untold
	}
	if found.Failed(CheckStructure) {
		if structure, err := t.structure(found.Schema); err == nil {
			if structure.canBeRemade() {
				found.Repairable = append(found.Repairable, CheckStructure)
			}
			at := slices.IndexFunc(found.Checks, func(c Check) bool { return c.Name == CheckStructure })
			found.Checks[at].Lacks = len(structure.missing) > 0
		}
	}
	if found.Schema != schemaVersion() {
		found.Repairable = nil // it is not this program's to repair
		return nil
	}
	if found.Failed(CheckIntegrity) && o.remakable && !found.Failed(CheckDuplicates) {
		found.Repairable = append(found.Repairable, CheckIntegrity)
	}
	if slices.ContainsFunc(found.Checks, func(c Check) bool { return c.Name == CheckReadiness && !c.OK && !c.Untold }) {
		found.Repairable = append(found.Repairable, CheckReadiness)
	}
	return nil
}

// unreadableDetails say why a store cannot be read, by the reason.
var unreadableDetails = map[string]string{
	ReasonMissing:      "There is no store at the path.",
	ReasonPermission:   "The rights of the file or its folder forbid to open it.",
	ReasonNotADatabase: "What is at the path is no lithos store.",
	ReasonCorrupt:      "The file is damaged where it tells what is in it.",
	ReasonReplaced:     "The file was exchanged meanwhile.",
	ReasonFull:         "There is no space left for what reading needs.",
	ReasonIO:           "The device reports an error.",
}

// because puts the failed check in the place of all others for an error that
// tells of the store, and returns any other.
func (e *Examination) because(path string, err error) error {
	var named *core.Error
	if !errors.As(err, &named) || core.Describe(named.Code).Category != core.CategoryStore {
		return err
	}
	check := Check{Name: CheckStore, Detail: named.Message}
	check.Reason, _ = named.Extra("reason").(string)
	if text := unreadableDetails[check.Reason]; text != "" {
		check.Detail = text
	}
	if errors.Is(err, errLogRemoved) {
		check.Detail = "The log of the store ('-wal' or '-shm') was removed while a program had it open, which still has."
	}
	if target := deadEnd(path); check.Reason == ReasonMissing && target != "" {
		check.Detail = fmt.Sprintf("The path is a link that leads to '%s', where there is nothing.", target)
	}
	if named.Code == core.CodeRestoreUnfinished {
		check.Name, check.Detail = CheckRestore, describeInterrupted(path)
		check.Commands, _ = named.Extra("commands").([]string)
	}
	e.Checks, e.Repairable = []Check{check}, nil
	return nil
}

// unreadable is the fault that a check has met when it could not be made
// because the file is damaged; other errors come back.
func unreadable(err error) (fault string, _ error) {
	if damageApart(err) != nil {
		return "", err
	}
	if isMissingTable(err) {
		return "It cannot be told: a table or an index that it takes to tell is missing.", nil
	}
	return "It cannot be told: what it takes to tell lies on damaged pages.", nil
}

// isMissingTable reports whether an error means that there is no such table.
func isMissingTable(err error) bool {
	var statement prepareError
	return errors.As(err, &statement) && isCode(statement.error, sqlite3.ErrError)
}

// schemaFault says what is wrong with a schema, "" when it fits.
func schemaFault(version int64) string {
	switch {
	case version < schemaVersion():
		return fmt.Sprintf("The store has the schema %d; this program needs %d.", version, schemaVersion())
	case version > schemaVersion():
		return fmt.Sprintf("The store has the schema %d; this program knows only %d.", version, schemaVersion())
	}
	return ""
}

// maxNamed is how many of the things that are wrong a detail names.
const maxNamed = 5

// faults collects what is wrong: all are counted, the first few named.
type faults struct {
	count int
	named []string
}

func (f *faults) add(format string, args ...any) {
	f.count++
	if len(f.named) < maxNamed {
		f.named = append(f.named, fmt.Sprintf(format, args...))
	}
}

// text is the count with its noun, then what was named; "" when nothing is
// wrong.
func (f *faults) text(one, many string) string {
	if f.count == 0 {
		return ""
	}
	head := "1 " + one
	if f.count != 1 {
		head = fmt.Sprintf("%d %s", f.count, many)
	}
	text := head + ": " + strings.Join(f.named, "; ")
	if rest := f.count - len(f.named); rest > 0 {
		text += fmt.Sprintf("; and %d more", rest)
	}
	return text + "."
}

// lookReadiness holds the stored frontier against tasks and edges.
func (t *tx) lookReadiness(*ExamineOptions) (fault, seen string, err error) {
	list, err := t.checkFrontier()
	if err != nil {
		return "", "", err
	}
	var wrong faults
	for _, d := range list {
		if d.TaskID == "" {
			wrong.add("%s is stored as %s and counted as %s", d.Field, d.Stored, d.Counted)
		} else {
			wrong.add("%s of '%s' is stored as %s and counted as %s", d.Field, d.TaskID, d.Stored, d.Counted)
		}
	}
	open, err := t.number("SELECT count(*) FROM open_tasks")
	return wrong.text("stored value differs from what tasks and edges say", "stored values differ from what tasks and edges say"),
		fmt.Sprintf("What is ready and what is blocked was counted anew for %s.", counted(open, "open task")), err
}

// counted is a number with its noun.
func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// lookFeed holds feed and archive against each other.
func (t *tx) lookFeed(*ExamineOptions) (fault, seen string, err error) {
	var archived, first, feed, kept int64
	_, err = t.one("SELECT ifnull((SELECT max(seq) FROM events_archive), 0), ifnull((SELECT min(seq) FROM events), 0),"+
		" (SELECT count(*) FROM events), (SELECT count(*) FROM events_archive)", func(r *row) {
		archived, first, feed, kept = r.int(0), r.int(1), r.int(2), r.int(3)
	})
	switch {
	case err != nil:
	case feed == 0 && kept > 0:
		fault = "All events are archived; the newest must stay in the feed, or its number is given to another one."
	case feed > 0 && archived >= first:
		fault = fmt.Sprintf("The archive reaches to event %d, but the feed begins with %d: events are in both, or in the wrong one.", archived, first)
	}
	return fault, fmt.Sprintf("%s in the feed, %d in the archive.", counted(feed, "event"), kept), err
}

// clockTolerance is how far clocks of machines that share a store may be
// apart, in microseconds.
const clockTolerance = 60_000_000

// lookClock looks for times ahead of the clock. New ones are put behind them,
// so that they would go on for as long.
func (t *tx) lookClock(o *ExamineOptions) (fault, seen string, err error) {
	var newest core.Stamp
	what := ""
	for _, place := range []struct{ what, sql string }{
		{"of a task", "SELECT max(updated_at) FROM tasks"},
		{"of an event", "SELECT timestamp FROM events ORDER BY seq DESC LIMIT 1"},
		{"of a claim", "SELECT max(claimed_at) FROM claims"},
		{"of a finding", "SELECT max(created_at) FROM findings"},
		{"of an agent", "SELECT max(last_seen_at) FROM agents"},
	} {
		n, err := t.number(place.sql)
		if err != nil {
			return "", "", err
		}
		if at := core.Stamp(n); at > newest {
			newest, what = at, place.what
		}
	}
	if newest > o.Now+clockTolerance {
		return fmt.Sprintf("The time %s %s lies ahead of this machine's clock, which shows %s.", newest, what, o.Now), "", nil
	}
	return "", "No time lies ahead of the clock.", nil
}

// lookExpiredClaims counts what has run out.
func (t *tx) lookExpiredClaims(o *ExamineOptions) (fault, seen string, err error) {
	n, err := t.number("SELECT count(*) FROM claims WHERE expires_at <= ?", o.Now)
	if err == nil && n > 0 {
		fault = counted(n, "claim") + " ran out without being released or completed."
	}
	return fault, "No claim has run out.", err
}
