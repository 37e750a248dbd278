package core

// Code is the stable name of a kind of failure. Callers branch on it.
type Code string

// The codes of the error contract. [Registry] describes each.
const (
	CodeInvalidInput               Code = "invalid_input"
	CodeContentTooLarge            Code = "content_too_large"
	CodeInvalidTaskType            Code = "invalid_task_type"
	CodeInvalidEdgeType            Code = "invalid_edge_type"
	CodeInvalidRelationType        Code = "invalid_relation_type"
	CodeInvalidMetadataKey         Code = "invalid_metadata_key"
	CodeInvalidMode                Code = "invalid_mode"
	CodeAmbiguousIDPrefix          Code = "ambiguous_id_prefix"
	CodeTaskNotFound               Code = "task_not_found"
	CodeClaimNotFound              Code = "claim_not_found"
	CodeEdgeNotFound               Code = "edge_not_found"
	CodeReceiptNotFound            Code = "receipt_not_found"
	CodeDocNotFound                Code = "doc_not_found"
	CodeNoteNotFound               Code = "note_not_found"
	CodeNotFound                   Code = "not_found"
	CodeTaskNotResolved            Code = "task_not_resolved"
	CodeSelfEdge                   Code = "self_edge"
	CodeCycle                      Code = "cycle"
	CodeParentExists               Code = "parent_exists"
	CodeNotAGate                   Code = "not_a_gate"
	CodeTooDeep                    Code = "too_deep"
	CodeUpdateFailed               Code = "update_failed"
	CodeDuplicate                  Code = "duplicate"
	CodeSlugCollision              Code = "slug_collision"
	CodePathCollision              Code = "path_collision"
	CodeVersionConflict            Code = "version_conflict"
	CodeClaimFailed                Code = "claim_failed"
	CodeDatabaseBusy               Code = "database_busy"
	CodeRequestTimedOut            Code = "request_timed_out"
	CodeSchemaMismatch             Code = "schema_mismatch"
	CodeRestoreUnfinished          Code = "restore_unfinished"
	CodeStoreUnavailable           Code = "store_unavailable"
	CodeBackupFailed               Code = "backup_failed"
	CodeSearchBackendError         Code = "search_backend_error"
	CodeCursorExpired              Code = "cursor_expired"
	CodePeriodArchived             Code = "period_archived"
	CodeForbidden                  Code = "forbidden"
	CodeUnauthenticated            Code = "unauthenticated"
	CodeRateLimited                Code = "rate_limited"
	CodeMethodNotAllowed           Code = "method_not_allowed"
	CodeUnsupportedProtocolVersion Code = "unsupported_protocol_version"
	CodeInternalError              Code = "internal_error"
)

// Category groups codes by what a caller can do about them. Each category
// has one exit code.
type Category string

// The categories of the error contract.
const (
	CategoryInput    Category = "input"
	CategoryNotFound Category = "not_found"
	CategoryConflict Category = "conflict"
	CategoryVersion  Category = "version"
	CategoryClaim    Category = "claim"
	CategoryRetry    Category = "retry"
	CategoryStore    Category = "store"
	CategoryFeed     Category = "feed"
	CategoryDenied   Category = "denied"
	CategoryInternal Category = "internal"
)

// exitCodes gives the process exit status of each category.
var exitCodes = map[Category]int{
	CategoryInput: 2, CategoryNotFound: 3, CategoryConflict: 4, CategoryVersion: 5, CategoryClaim: 6,
	CategoryRetry: 7, CategoryStore: 8, CategoryFeed: 9, CategoryDenied: 10, CategoryInternal: 70,
}

// Exit is the process exit status of the category.
func (c Category) Exit() int { return exitCodes[c] }

// CodeInfo is what the registry knows of one code.
type CodeInfo struct {
	Code     Code
	Category Category
	HTTP     int      // status over HTTP; invalid_input/malformed is 400
	Extras   []string // names in envelope order; a trailing "?" marks an optional one
	Outcome  bool     // a status of the note write path rather than an envelope
	When     string   // what brings it about
	Remedy   string   // what the caller should do
}

// Exit is the process exit status for the code.
func (i CodeInfo) Exit() int { return i.Category.Exit() }

var inputExtras = []string{"reason", "field?", "value?", "allowed?", "nearest?"}
var vocabularyExtras = []string{"field?", "value?", "allowed?", "nearest?"}

// Registry lists every code once, in the order of the documentation.
var Registry = []CodeInfo{
	{CodeInvalidInput, CategoryInput, 422, inputExtras, false,
		"A value cannot be used and no code below fits.",
		"Correct the field named; do not retry unchanged."},
	{CodeContentTooLarge, CategoryInput, 413, []string{"field", "length", "limit"}, false,
		"A value exceeds its size.",
		"Split or shorten it."},
	{CodeInvalidTaskType, CategoryInput, 422, vocabularyExtras, false,
		"`task_type` on create or as a list filter is no task type.",
		"Use an allowed word."},
	{CodeInvalidEdgeType, CategoryInput, 422, vocabularyExtras, false,
		"`type` on edge upsert or delete is no edge type.",
		"Use an allowed word."},
	{CodeInvalidRelationType, CategoryInput, 422, vocabularyExtras, false,
		"`relation_type` on spawn is not one of the two it takes.",
		"Use `discovered_from` or `blocks`."},
	{CodeInvalidMetadataKey, CategoryInput, 422, []string{"field"}, false,
		"Task metadata carries the dependency keys `depends_on` or `blocked_on`.",
		"Create edges instead."},
	{CodeInvalidMode, CategoryInput, 422, vocabularyExtras, false,
		"Unknown search mode.",
		"Use an allowed mode."},
	{CodeAmbiguousIDPrefix, CategoryNotFound, 409, []string{"field", "value", "candidates"}, false,
		"The prefix belongs to several records.",
		"Repeat with a longer prefix or a full id from the list."},
	{CodeTaskNotFound, CategoryNotFound, 404, []string{"field", "value", "task_status?"}, false,
		"No such task; or complete or cancel of a closed one, then with `task_status`.",
		"Without `task_status`: check the id. With it: nothing to do, or reopen first."},
	{CodeClaimNotFound, CategoryNotFound, 404, []string{"aspect"}, false,
		"Renew without a live claim of one's own, or release without a row of one's own.",
		"Claim anew."},
	{CodeEdgeNotFound, CategoryNotFound, 404, []string{"from_task_id", "to_task_id", "type"}, false,
		"The edge to delete is not there.",
		"List the edges; treat it as done."},
	{CodeReceiptNotFound, CategoryNotFound, 404, []string{"receipt_id"}, false,
		"Complete with feedback and a receipt that is unknown or of another task; nothing was completed.",
		"Drop the receipt id or use the right one."},
	{CodeDocNotFound, CategoryNotFound, 404, []string{"field", "value"}, false,
		"No such note to read, delete, relate or measure.",
		"Search or list."},
	{CodeNoteNotFound, CategoryNotFound, 404, []string{"field", "value"}, false,
		"A note write or update names an unknown id.",
		"Omit the id to create."},
	{CodeNotFound, CategoryNotFound, 404, []string{"field", "value"}, false,
		"The conflict to resolve names no edge.",
		"List the edges."},
	{CodeTaskNotResolved, CategoryConflict, 409, []string{"task_id"}, false,
		"Reopen of an open task.",
		"Nothing to do."},
	{CodeSelfEdge, CategoryConflict, 409, []string{"task_id"}, false,
		"Both ends of the edge are one task.",
		"Choose two tasks."},
	{CodeCycle, CategoryConflict, 409, []string{"edge_type", "path"}, false,
		"A dependency or hierarchy edge would close a ring.",
		"Remove an edge of the path, or do without this one."},
	{CodeParentExists, CategoryConflict, 409, []string{"parent_id", "parent_title"}, false,
		"The child has another parent.",
		"Delete that edge first."},
	{CodeNotAGate, CategoryConflict, 409, []string{"task_id", "task_type"}, false,
		"`waits_on_gate` starts at a task that is no gate.",
		"Use `blocks`, or a gate."},
	{CodeTooDeep, CategoryConflict, 409, []string{"depth", "limit"}, false,
		"The child, or its deepest descendant, would lie beyond the depth limit.",
		"Attach it higher up, or raise the limit."},
	{CodeUpdateFailed, CategoryConflict, 409, []string{"edge_id"}, false,
		"The edge of a conflict vanished, or the winner's note could not be rewritten.",
		"Read again, repeat."},
	{CodeDuplicate, CategoryConflict, 409, nil, true,
		"Another note owns the URL.",
		"Update the note named."},
	{CodeSlugCollision, CategoryConflict, 409, nil, true,
		"Another title-named note in the directory has the slug.",
		"Choose another title or directory, or update the owner."},
	{CodePathCollision, CategoryConflict, 409, nil, true,
		"Another note owns the file.",
		"Choose another path, or update the owner."},
	{CodeVersionConflict, CategoryVersion, 409, []string{"expected_version", "current_version", "current"}, false,
		"Update, complete, cancel or reopen of a task that moved on.",
		"Merge into `current`, repeat with `current_version`."},
	{CodeClaimFailed, CategoryClaim, 409, []string{"reason", "holder", "aspect", "expires_at", "seconds_left"}, false,
		"Somebody else holds the aspect (`held`), or the task is closed (`not_open`). Ordinary contention, no fault.",
		"Take other work, wait, or ask the holder; closed: reopen first."},
	{CodeDatabaseBusy, CategoryRetry, 503, []string{"waited_ms"}, false,
		"Another connection held the store.",
		"Repeat unchanged."},
	{CodeRequestTimedOut, CategoryRetry, 503, []string{"limit_ms"}, false,
		"Work stopped at its time limit.",
		"Ask for less, or repeat with more time."},
	{CodeSchemaMismatch, CategoryStore, 409, []string{"found", "expected", "direction"}, false,
		"The schema of the store, or of a backup being restored, differs from this program's.",
		"`older`: migrate (a backup is taken first). `newer`: update the program."},
	{CodeRestoreUnfinished, CategoryStore, 409, []string{"leftovers", "commands"}, false,
		"Files of an interrupted restore lie beside the store.",
		"Run one of `commands`: `lithos backup restore --finish` puts the backup in place, `lithos backup restore --undo` the store as it was."},
	{CodeStoreUnavailable, CategoryStore, 503, []string{"path", "reason"}, false,
		"The store cannot be opened, read or written, or was exchanged under a running program.",
		"Depends on `reason`: create, fix rights, restore, restart; `full`: free space, repeat."},
	{CodeBackupFailed, CategoryStore, 503, []string{"step", "path"}, false,
		"A backup could not be taken, verified or listed; a faulty copy has been removed.",
		"Free space or fix the folder, repeat."},
	{CodeSearchBackendError, CategoryStore, 503, nil, false,
		"The full-text index is unreadable.",
		"Rebuild the index."},
	{CodeCursorExpired, CategoryFeed, 410, []string{"archived_through", "resume_after"}, false,
		"`since` lies below the archive floor.",
		"Re-read the state, continue after `resume_after`; the journal has the rest."},
	{CodePeriodArchived, CategoryFeed, 410, []string{"archived_before"}, false,
		"A read of the period would miss archived events.",
		"Read the period from the journal."},
	{CodeForbidden, CategoryDenied, 403, []string{"needs"}, false,
		"A mutation on a store or server that is read-only, or a credential that does not allow it.",
		"Open it writable, or use another credential."},
	{CodeUnauthenticated, CategoryDenied, 401, nil, false,
		"HTTP: no valid credential.",
		"Authenticate."},
	{CodeRateLimited, CategoryDenied, 429, []string{"retry_after"}, false,
		"Too many calls.",
		"Wait that long."},
	{CodeMethodNotAllowed, CategoryDenied, 405, []string{"method", "allowed"}, false,
		"HTTP: the path does not take the method.",
		"Use an allowed method."},
	{CodeUnsupportedProtocolVersion, CategoryDenied, 400, []string{"requested", "supported"}, false,
		"MCP: a revision that cannot be negotiated.",
		"Connect with a supported one."},
	{CodeInternalError, CategoryInternal, 500, []string{"crash_file"}, false,
		"A fault of the program.",
		"Report it with the crash file."},
}

// Describe returns the registry's entry for a code; the zero CodeInfo when
// the code is not registered.
func Describe(code Code) CodeInfo {
	for _, info := range Registry {
		if info.Code == code {
			return info
		}
	}
	return CodeInfo{}
}
