package core

import (
	"context"
	"encoding/json"
)

// Store is what core needs of a database. A transaction sees one state of the
// whole store; a write transaction excludes every other writer, also of other
// processes, from its first line on.
//
// Errors a store returns are *Error of the categories retry, store and denied
// where the cause is foreseeable, anything else for faults of the program.
type Store interface {
	// Read runs fn on one consistent state. It takes no write lock and
	// writes nothing.
	Read(ctx context.Context, fn func(ReadTx) error) error
	// Write runs fn and commits when it returns nil, else rolls back.
	Write(ctx context.Context, fn func(WriteTx) error) error
	// Watch opens a counter that tells when somebody has committed.
	Watch(ctx context.Context) (ChangeCounter, error)
}

// ChangeCounter notices commits of this and other processes. It is meant to
// be polled: reading it costs a few microseconds.
type ChangeCounter interface {
	// Value changes when something was committed since the last call. It says
	// store_unavailable/replaced when the store was exchanged under the program.
	Value() (int64, error)
	Close() error
}

// ReadTx reads the store within one transaction.
type ReadTx interface {
	ColumnReader
	HierarchyReader
	NoteReader
	SearchReader

	// TaskByID looks a task up by its exact id.
	TaskByID(id string) (head TaskHead, found bool, err error)
	// TasksByPrefix returns up to limit tasks whose id begins with the prefix,
	// compared bytewise, by id.
	TasksByPrefix(prefix string, limit int) ([]TaskHead, error)
	// Heads returns the tasks of the keys in their order; a key without a
	// row is left out.
	Heads(keys []TaskKey) ([]TaskHead, error)
	// Names returns ids and titles of the tasks of the keys in their order; a
	// key without a row is left out.
	Names(keys []TaskKey) ([]TaskName, error)
	// Tasks returns the whole records of the keys in their order; a key
	// without a row is left out.
	Tasks(keys []TaskKey) ([]Task, error)
	// EachTask yields tasks newest first (created_at descending, then id)
	// until yield returns false.
	EachTask(q TaskQuery, yield func(Task) bool) error

	// Frontier yields the ready or the blocked tasks of a query, in its order,
	// from offset on, at most limit.
	Frontier(q FrontierQuery) ([]Task, error)
	// FrontierKeys is Frontier for the keys alone.
	FrontierKeys(q FrontierQuery) ([]TaskKey, error)
	// Incoming returns the dependency edges that point at any of the tasks,
	// grouped by target in the order of keys, within a target by type
	// ascending, then insertion. liveOnly leaves out edges whose source is
	// completed (timers that have passed are still included: time is core's).
	Incoming(keys []TaskKey, liveOnly bool) ([]Dependency, error)
	// EachWaiter yields every live edge between two open tasks at now, as the
	// keys of its source and target.
	EachWaiter(now Stamp, yield func(from, to TaskKey) bool) error
	// Waiters returns, as pairs (key, target), the open tasks that live edges
	// from the keys hold back at now.
	Waiters(keys []TaskKey, now Stamp) ([][2]TaskKey, error)
	// MayHaveRings reports whether dependency edges may form rings, which only
	// imports bring in: false is certain, true is not.
	MayHaveRings() (bool, error)
	// DependencyTargets returns the open tasks that the key's outgoing
	// dependency edges of the types given point at, each once, by id.
	DependencyTargets(key TaskKey, types []EdgeType) ([]TaskHead, error)
	// ReadyTargets are those of DependencyTargets that are ready at now.
	ReadyTargets(key TaskKey, now Stamp) ([]string, error)
	// SoleHolderTargets are the ids of the open targets (of any type) that
	// key alone holds back at now, by id.
	SoleHolderTargets(key TaskKey, now Stamp) ([]string, error)

	// Edges returns the edges at a task on one side, by type ascending, then
	// insertion.
	Edges(key TaskKey, side Direction, types []EdgeType) ([]Edge, error)
	// HasEdges reports whether the task has an edge of any of the types on
	// one side.
	HasEdges(key TaskKey, side Direction, types []EdgeType) (bool, error)
	// FindEdge looks one edge up.
	FindEdge(from, to TaskKey, t EdgeType) (edge Edge, found bool, err error)
	// Reaches reports whether a walk along outgoing edges of the types leads
	// from any of some tasks to another. It visits each task once.
	Reaches(from []TaskKey, to TaskKey, types []EdgeType) (bool, error)
	// Neighbours returns the other ends of the edges of the types at any of
	// the tasks on one side, as pairs (task, neighbour). openOnly leaves out
	// neighbours that are closed.
	Neighbours(keys []TaskKey, side Direction, types []EdgeType, openOnly bool) ([][2]TaskKey, error)
	// Onward returns the tasks that outgoing edges of the types lead to from
	// any of the tasks, each once. openOnly leaves out closed ones.
	Onward(keys []TaskKey, types []EdgeType, openOnly bool) ([]TaskKey, error)
	// Trail returns the tasks that follow a task one after the other as long as
	// outgoing edges of the types lead from each to one other alone. It may end
	// before that, and may come to a task more than once where there are rings.
	Trail(key TaskKey, types []EdgeType, openOnly bool) ([]TaskKey, error)
	// Parent returns the parent of a task.
	Parent(key TaskKey) (parent TaskHead, found bool, err error)
	// Children returns the children of a task by created_at, then id.
	Children(key TaskKey) ([]TaskHead, error)

	// Claims returns the live claims of the tasks, oldest row first.
	Claims(keys []TaskKey, now Stamp) (map[TaskKey][]Claim, error)
	// Claim looks up the row of an aspect, live or expired.
	Claim(key TaskKey, aspect string) (claim Claim, found bool, err error)

	// Findings returns the findings of a task strictly after since, by
	// created_at, then insertion.
	Findings(key TaskKey, since *Stamp) ([]Finding, error)

	// Agent looks an agent up by its exact id.
	Agent(id string) (agent Agent, found bool, err error)
	// Agents lists agents by last_seen_at descending, then id.
	Agents(q AgentQuery) ([]Agent, error)

	// Counts returns the numbers of the stats operation that concern tasks.
	Counts(now Stamp) (Counts, error)

	// Events returns events of the feed, oldest first, or, with
	// q.NewestFirst, of feed and archive together.
	Events(q EventQuery) ([]Event, error)
	// FeedBounds returns the newest seq ever assigned and what has been
	// archived.
	FeedBounds() (FeedBounds, error)
	// HasArchivedEvents reports whether the archive holds an event that
	// passes the query.
	HasArchivedEvents(q EventQuery) (bool, error)
	// CountEvents counts the events of the feed.
	CountEvents() (int64, error)

	// Replay returns what a request_id of an agent was first used for.
	Replay(agent, requestID string) (r Replay, found bool, err error)
	// ShortIDs returns for each id the shortest unique prefix of at least
	// MinIDPrefixCharacters characters, or the id itself.
	ShortIDs(ids []string) ([]string, error)
	// ResolveNote returns the ids of the notes that an id or prefix names, up
	// to limit.
	ResolveNote(prefix string, limit int) ([]TaskName, error)

	// EachAgent, EachTaskByAge, EachEdge, EachClaim and EachFinding yield all
	// rows of a kind for export: agents by first_seen_at, then id; tasks by
	// created_at, then id; edges and claims in the order they were inserted (one
	// that was overwritten keeps its place); findings by created_at, then
	// insertion.
	EachAgent(yield func(Agent) error) error
	EachTaskByAge(q TaskQuery, yield func(Task) error) error
	EachEdge(yield func(Edge) error) error
	EachClaim(yield func(taskID string, c Claim) error) error
	EachFinding(yield func(taskID string, f Finding) error) error
}

// WriteTx reads and writes within one transaction. Every method that changes
// a status, a dependency edge or a gate keeps the stored frontier right by
// itself.
type WriteTx interface {
	ReadTx
	NoteWriter
	SearchWriter

	// InsertTask adds a task; Key is set by the store and returned.
	InsertTask(t Task, f Facets) (TaskKey, error)
	// UpdateTask writes title, description, tags, metadata, updated_at and
	// version of t if the stored version is still ifVersion; false when not.
	UpdateTask(t Task, f Facets, ifVersion int64) (bool, error)
	// SetStatus writes status, resolved_at, outcome, updated_at and version
	// of t if the stored version is still ifVersion; false when not.
	SetStatus(t Task, f Facets, ifVersion int64) (bool, error)

	// PutClaim takes the aspect if it is free at now, expired or the agent's
	// own; false when somebody else holds it.
	PutClaim(key TaskKey, c Claim, now Stamp) (bool, error)
	// RenewClaim moves the expiry of the agent's live claim; false when there
	// is none.
	RenewClaim(key TaskKey, c Claim, now Stamp) (bool, error)
	// ReleaseClaim deletes the agent's row, live or expired; false when there
	// is none.
	ReleaseClaim(key TaskKey, agent, aspect string) (bool, error)
	// DropClaims deletes every claim of a task.
	DropClaims(key TaskKey) error

	// PutEdge adds an edge, or replaces the metadata of the one that is there.
	PutEdge(e Edge) error
	// DeleteEdge removes an edge; false when there is none.
	DeleteEdge(from, to TaskKey, t EdgeType) (bool, error)

	// InsertFinding adds a finding.
	InsertFinding(key TaskKey, f Finding) error
	// SeeAgent moves last_seen_at of an agent, adding the row at first sight.
	SeeAgent(id string, now Stamp) (added bool, err error)
	// PutAgent writes every field of an agent.
	PutAgent(a Agent) error
	// AppendEvent adds an event to the feed and returns its seq.
	AppendEvent(e Event) (int64, error)
	// ArchiveEvents moves the longest run of events from the bottom of the feed
	// that are all older than a moment to the archive, at most so many and never
	// the newest one, and returns how many they were.
	ArchiveEvents(before Stamp, most int) (moved int, err error)
	// PutReplay remembers what a request_id was used for.
	PutReplay(agent, requestID string, r Replay) error

	// Load runs fn with a loader for many rows, which leaves the frontier
	// alone, then rebuilds the frontier and notes whether there are rings.
	Load(fn func(Loader) error) error
}

// Loader writes rows as they are, for imports. Rows refer to tasks by key;
// insertion order is the order of the calls.
type Loader interface {
	// InsertTask adds a task with all its fields; ReplaceTask overwrites those
	// of t.Key.
	InsertTask(t Task, f Facets) (TaskKey, error)
	ReplaceTask(t Task, f Facets) error
	// AddEdge adds an edge; added is false when it is there already.
	AddEdge(e Edge) (added bool, err error)
	// PutEdge adds an edge or overwrites the one there with every field;
	// changed is false when it was there with the same fields.
	PutEdge(e Edge) (changed bool, err error)
	// PutClaim adds or overwrites the row of an aspect.
	PutClaim(key TaskKey, c Claim) (changed bool, err error)
	// InsertFinding adds a finding unless its id is there already.
	InsertFinding(key TaskKey, f Finding) (added bool, err error)
	// Finding returns the finding of an id, which must be there, and its task.
	Finding(id string) (f Finding, key TaskKey, err error)
	// PutAgent adds or overwrites an agent.
	PutAgent(a Agent) (changed bool, err error)
}

// TaskQuery selects tasks for a list. Zero values filter nothing.
type TaskQuery struct {
	CreatedBy     string
	Status        Status
	Tags          []string
	Since         *Stamp // created_at at or after
	ResolvedSince *Stamp // resolved_at at or after
	Match         []MetadataCondition
	Type          TaskType
	ClaimedBy     string // holder of a live claim, * for anybody
	Now           Stamp
	Limit, Offset int  // Limit 0: all
	Brief         bool // leave description and outcome unread
	// Strict makes a task that holds what cannot be read an error, also one of
	// which so nobody can tell whether its tags and metadata pass.
	Strict bool
}

// Frontier names one half of the open plain tasks.
type Frontier int

// The halves of the frontier.
const (
	Ready Frontier = iota
	Blocked
)

// FrontierQuery selects ready or blocked tasks.
type FrontierQuery struct {
	Half          Frontier
	Now           Stamp
	Project       *string
	Tags          []string
	Match         []MetadataCondition
	Sort          Sort   // priority, created or updated; impact is core's
	FreeAspect    string // when set: without a live claim on this aspect
	Limit, Offset int    // Limit 0: all
}

// Dependency is one dependency edge seen from the task it points at, with
// what readiness needs to know of its source.
type Dependency struct {
	Target  TaskKey
	Type    EdgeType
	Source  TaskHead // without Tags; only Key and ID when Missing
	Missing bool     // the source's row is gone: a damaged store
	Gate    Metadata // the source's metadata when it is a gate, else empty
}

// EventQuery selects events. Zero values filter nothing.
type EventQuery struct {
	After       int64 // seq above
	Before      int64 // seq below, when above 0
	Types       []string
	Task        *TaskKey
	Agent       string
	Start, End  *Stamp // Start ≤ timestamp < End
	NewestFirst bool
	Limit       int
}

// FeedBounds says how far the feed reaches.
type FeedBounds struct {
	Newest          int64  // highest seq ever assigned, 0 when none
	ArchivedThrough int64  // highest archived seq, 0 when none
	ArchivedLatest  *Stamp // latest archived timestamp
}

// Replay is the first use of a request_id.
type Replay struct {
	Tool      string
	Arguments string // digest of the canonical arguments
	Result    json.RawMessage
}
