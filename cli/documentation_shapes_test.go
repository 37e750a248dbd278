package cli_test

// The shapes of the JSON that lithos prints, as docs/json.md describes them.
// The test that writes the document runs every command and holds each key of
// each answer against them, and them against the answers: a key that is
// nowhere seen, or never null although it may be, is a fault too.
//
// Kinds: string, integer, boolean, object, id, time, the name of a record or
// of a vocabulary; "list of …"; "… or null". A name that ends in ? is of a key
// that can be absent. The record echo stands for its keys.

// key is one key of an object.
type key struct{ name, kind, meaning string }

// shape is an object with its keys in order.
type shape struct {
	name    string
	meaning string
	keys    []key
}

// answer is one form of what a command answers with.
type answer struct {
	when string // which form this is, where there are several
	keys []key
	mute bool   // no example is shown, because it is long and tells nothing
	like string // the operation that answers with the same keys
}

// echo is what every write to one task answers with.
var echo = key{kind: "echo"}

var records = []shape{
	{"task", "A task, epic or gate.", []key{
		{"id", "id", ""},
		{"title", "string", "May hold line breaks."},
		{"description", "string or null", "Markdown."},
		{"status", "status", ""},
		{"task_type", "task type", "Fixed at creation."},
		{"created_by", "string", "An agent."},
		{"created_at", "time", ""},
		{"resolved_at", "time or null", "When it was completed or cancelled."},
		{"updated_at", "time", "Moves with each change of the record; claims, edges and findings leave it alone."},
		{"version", "integer", "Grows by one with each of these changes; what `expected_version` is compared with."},
		{"tags", "list of string", "As given."},
		{"metadata", "object", "`project` and `priority` live here, and `gate_type` and `ready_at` of gates."},
		{"outcome", "string or null", "What completing said."},
		{"claims?", "list of claim", "The live ones, oldest first. Present in `task_status`, `task_next`, `task_ready` and, where asked for, `task_list`."},
		{"blockers?", "list of blocker", "Present in `task_blocked`."},
	}},
	{"claim", "A lease on one aspect of a task.", []key{
		{"agent", "string", "Who holds it."},
		{"aspect", "string", "`work`, or any other word."},
		{"expires_at", "time", "From then on it is void."},
	}},
	{"blocker", "One edge that holds a task back.", []key{
		{"kind", "blocker kind", ""},
		{"task_id", "id", "The other end of the edge: a task, or a gate."},
		{"type", "edge type", "`blocks` or `waits_on_gate`."},
		{"status", "string", "A status, or `missing` in a damaged store."},
		{"message", "string", "For people."},
	}},
	{"root cause", "Where a chain of what holds a task back begins.", []key{
		{"kind", "blocker kind", ""},
		{"task_id", "id", ""},
		{"title", "string or null", "Null when the task is missing from a damaged store."},
		{"status", "string", "A status, or `missing`."},
		{"path", "list of id", "From the task asked about to this one."},
	}},
	{"plan step", "One thing that must happen.", []key{
		{"action", "plan action", ""},
		{"task_id", "id", ""},
		{"title", "string or null", "Null when the task is missing from a damaged store."},
		{"until?", "string", "Of `wait_until`: the gate's `ready_at`."},
		{"gate_type?", "gate type", "Of `resolve_gate`."},
		{"options?", "list of string", "Of `intervene`: `reopen`, `delete_edge`."},
		{"path?", "list of id", "Of `break_cycle`: once round the ring."},
	}},
	{"edge", "An edge, seen from the task asked about.", []key{
		{"from_task_id", "id", "Blocker, gate, parent or source."},
		{"to_task_id", "id", "What is blocked, waits, is the child, or was discovered."},
		{"type", "edge type", ""},
		{"direction", "string", "`incoming` or `outgoing`."},
		{"metadata", "object", ""},
		{"created_by", "string", ""},
		{"created_at", "time", ""},
	}},
	{"finding", "A remark on a task.", []key{
		{"id", "id", ""},
		{"agent", "string", "Who left it."},
		{"summary", "string", "Markdown."},
		{"knowledge_id", "string or null", "The note it is about."},
		{"created_at", "time", ""},
	}},
	{"agent", "A person or program that acted.", []key{
		{"id", "string", ""},
		{"name", "string or null", ""},
		{"type", "string or null", ""},
		{"first_seen_at", "time", ""},
		{"last_seen_at", "time", ""},
		{"metadata", "object", ""},
	}},
	{"listed agent", "An agent in a list.", []key{
		{"id", "string", ""},
		{"name", "string or null", ""},
		{"type", "string or null", ""},
		{"last_seen_at", "time", ""},
	}},
	{"event", "One change.", []key{
		{"seq", "integer", "Rises with every change; may have gaps."},
		{"id", "id", ""},
		{"type", "event type", ""},
		{"timestamp", "time", ""},
		{"agent", "string", "Who made the change."},
		{"payload", "object", "See [payloads](#payloads)."},
		{"tags", "list of string", "Of the task after the change; of both ends of an edge."},
	}},
	{"backup", "A backup that is whole.", backupKeys},
	{"backup problem", "A file among the backups that is none, or a spoilt one.", []key{
		{"path", "string", ""},
		{"reason", "string", "For people."},
	}},
	{"check", "What one check of `doctor` has found.", []key{
		{"name", "string", "One word that stays."},
		{"level", "string", "`info`, `warning` or `error`: how bad it is when the check fails."},
		{"ok", "boolean", ""},
		{"detail", "string", "For people."},
		{"remedy", "string or null", "For people; null when nothing is wrong."},
	}},
	{"listed note", "A note in a list.", []key{
		{"id", "id", ""},
		{"title", "string", ""},
		{"path", "string", "Below the folder of notes."},
		{"updated", "time", ""},
		{"tags", "list of string", ""},
		{"source_url", "string", "Empty when there is none."},
		{"derived_from_ids", "list of id", ""},
		{"metadata", "object", "The free-form keys."},
	}},
	{"note metadata", "The front matter of a note with the defaults of what it leaves out. Free-form keys stand before `extra` as well.", []key{
		{"id", "id", ""},
		{"title", "string", ""},
		{"author", "string", ""},
		{"created_at", "time", ""},
		{"updated_at", "time", ""},
		{"tags", "list of string", ""},
		{"aliases", "list of string", "Other names that links can call it by."},
		{"confidence", "number", "0 to 1."},
		{"contributors", "list of string", "Who changed it besides its author."},
		{"source", "string or null", "The task it came out of."},
		{"source_url", "string or null", ""},
		{"expires_at?", "time", "Stale from then on."},
		{"supersedes", "string or null", "The note it replaces; a list where it replaces several."},
		{"derived_from_ids", "list of id", ""},
		{"version", "integer", "What `expected_version` is compared with."},
		{"schema_version", "integer", ""},
		{"namespace", "string", ""},
		{"access_scope", "string", "`shared`, `task` or `agent_private`."},
		{"note_type", "string", ""},
		{"status", "string", "`active`, `archived` or `quarantined`."},
		{"summaries?", "object", "`short`, `long`."},
		{"entities_extractor?", "string", ""},
		{"entities?", "list of string", ""},
		{"extra", "object", "The free-form keys alone."},
	}},
	{"link", "A wiki-link in a note.", []key{
		{"target", "string", "What it calls."},
		{"display", "string", "What it shows."},
	}},
	{"found note", "A note that a search has found.", foundKeys},
	{"retrieved note", "A note of a retrieval.", join(foundKeys, []key{
		{"reasons", "list of string", "For people."},
		{"scouts", "list of string", "The ways it was found in: `scout_lexical`, `scout_graph`, `scout_provenance`, `scout_edges`."},
		{"salience", "number", "0 to 1; 0.5 until somebody judges it."},
		{"usage_score", "number", "The share of the judgements that were good; 0.0 without any."},
	})},
	{"conflict", "A contradiction between two notes that nobody has settled.", []key{
		{"edge_id", "string", ""},
		{"from_id", "id", ""},
		{"to_id", "id", ""},
		{"conflict_state", "string or null", ""},
	}},
	{"cached note", "A note that answers a lookup.", []key{
		{"id", "id", ""},
		{"title", "string", ""},
		{"content", "string", "Markdown."},
		{"confidence", "number", ""},
		{"updated_at", "time", ""},
		{"expires_at", "time or null", ""},
		{"tags", "list of string", ""},
		{"source_url", "string or null", ""},
	}},
	{"related note", "A note that another is connected with.", []key{
		{"id", "id", ""},
		{"title", "string", ""},
	}},
	{"note links", "Notes that wiki-links join to a note, nearest first.", []key{
		{"outgoing", "list of related note", ""},
		{"incoming", "list of related note", ""},
	}},
	{"provenance", "Notes that a note was made from, or that were made from it, nearest first.", []key{
		{"sources", "list of related note", ""},
		{"derived", "list of related note", ""},
		{"unresolved_sources", "list of string", "Ids that no note has."},
	}},
	{"note edges", "The typed edges at a note, oldest first.", []key{
		{"outgoing", "list of note edge", ""},
		{"incoming", "list of note edge", ""},
	}},
	{"note edge", "A typed edge between two notes, which need not exist.", []key{
		{"edge_id", "string", ""},
		{"from_id", "id", ""},
		{"to_id", "id", ""},
		{"type", "string", "Any word."},
		{"weight", "number", "Retrieval follows edges above 0."},
		{"namespace", "string", ""},
		{"created_at", "time", ""},
		{"updated_at", "time", ""},
		{"provenance_actor", "string or null", "Who asserts it."},
		{"provenance_type", "string or null", "`frontmatter` for the mirror of an entry of `derived_from_ids`, `reinforcement` for what feedback has made."},
		{"evidence", "string or null", "The JSON text of an object or list."},
		{"conflict_state", "string or null", ""},
	}},
	{"unreadable note", "A file that is no note although its name says so.", []key{
		{"path", "string", ""},
		{"reason", "string", "For people."},
	}},
	{"echo", "What every change to one task answers with: the task after it.", []key{
		{"task_id", "id", "The whole id, whatever was given."},
		{"title", "string", ""},
		{"updated_at", "time", ""},
		{"version", "integer", ""},
	}},
	{"dropped claim", "A claim that ended with its task.", []key{
		{"agent", "string", ""},
		{"aspect", "string", ""},
	}},
	{"problem", "Something in a file that did not come over.", []key{
		{"line", "integer", ""},
		{"id", "id or null", "Of the task concerned, where that is known."},
		{"reason", "string", "For people."},
	}},
	{"instructions", "The file that agents read.", []key{
		{"path", "string", ""},
		{"status", "string", "`created`, `updated` or `unchanged`."},
	}},
	{"setting", "One value of the configuration.", []key{
		{"key", "string", ""},
		{"value", "string", "As it is written in a configuration file, without quotes."},
		{"origin", "string", "`default`, or the flag, variable or file it comes from."},
	}},
}

// foundKeys are the keys of a note that was found.
var foundKeys = []key{
	{"id", "id", ""},
	{"title", "string", ""},
	{"snippet", "string", "What surrounds the first of the words; `...` where it was cut."},
	{"score", "number", "Compares within one answer only."},
	{"path", "string", "Below the folder of notes."},
	{"source_url", "string", "Empty when there is none."},
	{"updated_at", "time", ""},
	{"is_stale", "boolean", "It has expired."},
	{"derived_from_ids", "list of id", ""},
}

// writtenKeys are what a write of a note answers with.
var writtenKeys = []key{
	{"status", "string", "`created` or `updated`."},
	{"id", "id", ""},
	{"title", "string", ""},
	{"path", "string", "Below the folder of notes."},
	{"version", "integer", ""},
	{"updated_at", "time", ""},
	{"warnings", "list of string", "For people."},
}

// okEdge is what a write of a typed edge answers with.
var okEdge = []key{{"status", "string", "`ok`."}, {"edge_id", "string", ""}}

// ends are the keys that an edge write answers with about its ends.
var ends = []key{
	{"from_task_id", "id", ""},
	{"from_title", "string", ""},
	{"to_task_id", "id", ""},
	{"to_title", "string", ""},
}

var endStamps = []key{
	{"from_updated_at", "time", "Unchanged, like the next."},
	{"to_updated_at", "time", ""},
}

var success = key{"success", "boolean", "Always true."}

var moreFollows = key{"has_more", "boolean", "At least one more follows."}

// applied answers a call on several tasks, which is one task_apply.
var applied = answer{when: "for several ids, which are one call", like: "task_apply", keys: appliedKeys}

var appliedKeys = []key{
	success,
	{"ids", "object", "The names given with `as`, each with the new id."},
	{"results", "list of object", "One for each operation: `op`, then the keys that the operation answers with."},
}

// operations are the answers of the operations, by name.
var operations = map[string][]answer{
	"task_create": {{keys: []key{
		echo,
		{"depends_on?", "list of id", "As given; present when any were."},
		{"parent_task_id?", "id", "Present when one was given."},
	}}},
	"task_spawn": {{keys: []key{
		{"task_id", "id", "Of the new task."},
		{"title", "string", ""},
		{"source_task_id", "id", ""},
		{"updated_at", "time", ""},
		{"version", "integer", ""},
	}}},
	"task_get": {
		{when: "for one id", keys: []key{{"task", "task", ""}}},
		{when: "for several ids", mute: true, keys: []key{{"tasks", "list of task", "In the order asked for."}}},
	},
	"task_status": {{keys: []key{{"tasks", "list of task", "One task, with `claims`."}}}},
	"task_list": {{keys: []key{
		{"tasks", "list of task", "Newest first."},
		{"has_more?", "boolean", "At least one more follows; present when a limit was given."},
	}}},
	"task_update": {{keys: []key{success, {"message", "string", "For people."}, echo}}},
	"task_complete": {
		{when: "for one id", keys: []key{success, {"unblocked", "list of id", "Tasks that waited for it and are ready now."}, echo}},
		applied,
	},
	"task_cancel": {
		{when: "for one id", keys: []key{success, {"stranded", "list of id", "Open tasks that waited for it and now wait for good."}, echo}},
		applied,
	},
	"task_reopen": {
		{when: "for one id", keys: []key{success, {"reblocked", "list of id", "Open tasks that nothing but this one holds back now."}, echo}},
		applied,
	},
	"task_claim":   {{keys: []key{success, {"expires_at", "time", ""}, echo}}},
	"task_renew":   {{keys: []key{success, {"new_expires_at", "time", ""}, echo}}},
	"task_release": {{keys: []key{success, echo}}},
	"task_next": {{keys: []key{
		{"task", "task or null", "With `claims`. Null: nothing is ready that nobody holds."},
		{"claim?", "claim", "The new one; absent when there is no task."},
	}}},
	"task_edge_upsert": {{keys: join([]key{success}, ends, endStamps)}},
	"task_edge_delete": {{keys: join([]key{success}, ends, []key{{"type", "edge type", ""}}, endStamps)}},
	"task_edge_list":   {{keys: []key{{"edges", "list of edge", "Outgoing, then incoming; by type, then as they were made."}}}},
	"task_ready":       {{keys: []key{{"tasks", "list of task", "With `claims`, unless told otherwise; best first."}, moreFollows}}},
	"task_blocked":     {{keys: []key{{"tasks", "list of task", "With `blockers`."}, moreFollows}}},
	"task_children":    {{keys: []key{{"tasks", "list of task", "Level by level, oldest first."}}}},
	"task_why": {{keys: []key{
		{"task_id", "id", ""},
		{"title", "string", ""},
		{"status", "status", ""},
		{"task_type", "task type", ""},
		{"ready", "boolean", ""},
		{"blockers", "list of blocker", ""},
		{"root_causes", "list of root cause", "Nearest first."},
		{"unblock_plan", "list of plan step", "What must happen for it to become ready, in this order."},
		{"downstream", "integer", "How many open tasks wait for it, directly or through others."},
	}}},
	"task_apply":   {{keys: appliedKeys}},
	"finding_post": {{keys: []key{{"finding_id", "id", ""}, echo}}},
	"finding_list": {{keys: []key{{"findings", "list of finding", "Oldest first."}}}},
	"agent_register": {{keys: []key{
		success,
		{"created", "boolean", "False when it was known."},
	}}},
	"agent_info": {{keys: []key{{"result", "agent or null", "Null when nothing is known of the name."}}}},
	"agent_list": {{keys: []key{{"agents", "list of listed agent", "The last seen first."}}}},
	"stats": {{keys: []key{
		{"documents", "integer", "Notes."},
		{"chroma_chunk_count", "integer", "0, kept for clients of the original Python server."},
		{"agents", "integer", ""},
		{"active_tasks", "integer", "Open tasks, epics and gates included."},
		{"open_claims", "integer", "Live claims."},
		{"tags", "integer", "Tags of notes."},
		{"duplicate_urls", "integer", "Notes that do not own their URL."},
		{"index_drift_detected", "boolean", "The index of the notes differs from their files."},
		{"tantivy_doc_count", "integer", "Notes in the full-text index."},
		{"unresolved_links", "integer", "Links between notes that lead nowhere."},
		{"expired_docs", "integer", "Stale notes."},
		{"expired_claims", "integer", "Claims past their end that nobody has taken over."},
		{"tantivy_last_updated", "time or null", "When the full-text index was last written; null while there are no notes."},
		{"chroma_last_updated", "null", "Kept like `chroma_chunk_count`."},
		{"graph_node_count", "integer", "Notes in the graph of links."},
		{"graph_edge_count", "integer", "Links between notes."},
	}}},
	"events": {{keys: []key{
		{"events", "list of event", "Oldest first."},
		{"next_since", "integer", "What to give as `since` next."},
		moreFollows,
	}}},
	"events_archive": {{keys: []key{
		success,
		{"moved", "integer", "Events that were moved."},
		{"archived_through", "integer or null", "The highest number in the archive; null while it is empty."},
		{"archived_before", "time or null", "Periods that start here or later are served by the feed; null while the archive is empty."},
		{"remaining", "integer", "Events in the feed."},
	}}},
	"journal": {{keys: []key{
		{"events", "list of event", "Newest first."},
		{"next_before", "integer or null", "What to give as `before` next; null at the end."},
		moreFollows,
	}}},
	"write":       {{keys: writtenKeys}},
	"note_update": {{keys: writtenKeys}},
	"delete":      {{keys: []key{success, {"id", "id", ""}, {"title", "string", ""}, {"path", "string", ""}}}},
	"read": {{keys: []key{
		{"id", "id", ""},
		{"title", "string", ""},
		{"path", "string", "Below the folder of notes."},
		{"content", "string", "Markdown, without the title line."},
		{"metadata", "note metadata", ""},
		{"links", "list of link", "In their order, repeats kept."},
		{"truncated", "boolean", "The content was cut to `max_length`."},
		{"retrieval_count", "integer", "Reads of this note so far, this one included."},
	}}},
	"list": {{keys: []key{
		{"items", "list of listed note", "In the order in which they were taken up; best first when a text is asked for."},
		{"total", "integer", "All that pass, before paging."},
	}}},
	"tags":   {{keys: []key{{"tags", "object", "Each tag with the number of notes that have it."}}}},
	"search": {{keys: []key{{"results", "list of found note", "Best first."}}}},
	"cache_lookup": {{keys: []key{
		{"hit", "boolean", ""},
		{"document", "cached note or null", "Null without a hit."},
		{"stale_exists", "boolean", "There is a note, but it is out of date. False with a hit."},
		{"stale_id", "id or null", "That note."},
	}}},
	"related": {{keys: []key{
		{"id", "id", ""},
		{"included", "list of string", "The sections that follow: `links`, `provenance`, `edges`."},
		{"links?", "note links", "When included."},
		{"provenance?", "provenance", "When included."},
		{"edges?", "note edges", "When included."},
		{"related_ids", "list of id", "All notes in them, sorted."},
	}}},
	"retrieve": {{keys: []key{
		{"results", "list of retrieved note", "Best first."},
		{"temperature", "number", "0.5, kept for clients of the original Python server."},
		{"terrace_reached", "integer", "1, kept likewise."},
		{"receipt_id", "string", "What feedback refers to."},
		{"degraded", "boolean", "Something could not be looked at."},
		{"failed_scouts", "list of string", "What that was."},
		{"conflicts?", "list of conflict", "When asked for."},
	}}},
	"node_stats": {{keys: []key{
		{"node_id", "id", ""},
		{"salience", "number", ""},
		{"retrieval_count", "integer", "How often a retrieval returned it."},
		{"cited_count", "integer", ""},
		{"last_retrieved_at", "time or null", ""},
		{"last_used_at", "time or null", "When it was cited last."},
		{"ignored_count", "integer", ""},
		{"misleading_count", "integer", ""},
	}}},
	"edge_upsert":      {{keys: okEdge}},
	"edge_list":        {{keys: []key{{"results", "list of note edge", "Oldest first."}}}},
	"conflict_resolve": {{keys: join(okEdge, []key{{"conflict_state", "string", "The resolution."}})}},
	"note_reindex": {{keys: []key{
		{"notes", "integer", "How many there are."},
		{"created", "integer", "Found new, as changed by hand, like the next three."},
		{"updated", "integer", ""},
		{"renamed", "integer", ""},
		{"deleted", "integer", ""},
		{"problems", "list of unreadable note", ""},
	}}},
}

// backupKeys are the keys of a backup.
var backupKeys = []key{
	{"path", "string", ""},
	{"size", "integer", "Bytes."},
	{"schema", "integer", ""},
	{"taken_at", "time", ""},
	{"sha256", "string", "Of the file, in hexadecimal digits."},
	{"rows", "object", "The number of rows of each table, by its name."},
}

// documents are the answers of commands that are no operations, in the order
// of the document.
var documents = []struct {
	command string
	answers []answer
}{
	{"init", []answer{{keys: []key{
		{"path", "string", "The store."},
		{"created", "boolean", "False when it was there."},
		{"agents?", "instructions", "With `--agents`."},
	}}}},
	{"where", []answer{{keys: []key{
		{"path", "string", "The store."},
		{"exists", "boolean", ""},
		{"rule", "string", "The rule that applied, one word."},
		{"because", "string", "The same for people."},
		{"data_folder", "string", "The folder that holds the store's `.lithos`, else the store's own; where a link leads to the store, that of the store itself."},
		{"config", "list of string", "The files that configuration is read from, whether there or not; the later wins."},
	}}}},
	{"config", []answer{{keys: []key{
		{"config", "list of setting", ""},
		{"files", "list of string", "As in `where`."},
	}}}},
	{"prime", []answer{{mute: true, keys: []key{{"text", "string", "At most 2,000 bytes."}}}}},
	{"explain", []answer{
		{when: "for a code", keys: []key{
			{"code", "string", ""},
			{"category", "string", ""},
			{"exit", "integer", "The exit status."},
			{"http", "integer", "The HTTP status."},
			{"extras", "list of string", "`?` marks one that can be absent."},
			{"when", "string", ""},
			{"remedy", "string", ""},
		}},
		{when: "for a topic", mute: true, keys: []key{{"topic", "string", ""}, {"text", "string", ""}}},
		{when: "without a name", mute: true, keys: []key{{"topics", "list of string", ""}, {"codes", "list of string", ""}}},
	}},
	{"import", []answer{{keys: []key{
		{"format", "string", ""},
		{"dry_run", "boolean", "Nothing was written."},
		{"read", "integer", "Tasks in the file; each counts below too, once."},
		{"created", "integer", ""},
		{"updated", "integer", "Tasks that changed, or whose edges, claims or findings did."},
		{"unchanged", "integer", ""},
		{"skipped", "integer", "Tasks that did not come over."},
		{"edges", "integer", "Edges of the file that the store has now."},
		{"problems", "list of problem", ""},
	}}}},
	{"export", []answer{
		{when: "for the format `lithos`", keys: []key{
			{"format", "string", ""},
			{"records", "list of object", "One for each line of the file; see [the lithos format](#the-lithos-format)."},
		}},
		{when: "for the other formats", keys: []key{{"format", "string", ""}, {"text", "string", "The whole file."}}},
	}},
	{"backup take", []answer{{keys: backupKeys}}},
	{"backup list", []answer{{keys: []key{
		{"backups", "list of backup", "Newest first."},
		{"problems", "list of backup problem", "What else lies in the folder, by name."},
	}}}},
	{"backup verify", []answer{{mute: true, keys: backupKeys}}},
	{"backup restore", []answer{{keys: []key{
		{"restored", "string or null", "The backup; null when a restore was undone."},
		{"safety_backup", "string or null", "What the store was before; null when there was none."},
		{"path", "string", "The store."},
	}}}},
	{"migrate", []answer{{keys: []key{
		{"path", "string", "The store."},
		{"from", "integer", "The schema before."},
		{"to", "integer", "The schema now."},
		{"migrated", "boolean", "False when there was nothing to do."},
		{"backup", "string or null", "The backup that was taken first."},
		{"rows", "integer", "Rows that were there before and are the same."},
	}}}},
	{"doctor", []answer{{mute: true, keys: []key{
		{"path", "string", "The store."},
		{"schema", "integer or null", "Null when it could not be read."},
		{"ok", "boolean", "No warning and no error; else the exit status is 8."},
		{"fixed", "list of string", "Checks that failed before `--fix` and pass now."},
		{"checks", "list of check", ""},
	}}}},
	{"version", []answer{{keys: []key{
		{"version", "string", ""},
		{"revision", "string", "The commit it was built from; empty when unknown."},
		{"go", "string", ""},
		{"sqlite", "string", ""},
		{"schema", "integer", "Of the stores it writes."},
	}}}},
}

// withoutJSON are the commands whose output is no JSON document.
var withoutJSON = []string{"lithos", "tui", "mcp", "completion", "help", "note edit"}

// payloads are the payloads of events.
var payloads = []shape{
	{"task.created", "", []key{
		{"task_id", "id", ""}, {"title", "string", ""}, {"task_type", "task type", ""}, {"updated_at", "time", ""}, {"version", "integer", ""},
		{"source_task_id?", "id", "of a spawned task"},
	}},
	{"task.updated", "", []key{
		{"task_id", "id", ""}, {"updated_at", "time", ""}, {"version", "integer", ""},
		{"changed_fields", "list of string", "those given of `title`, `description`, `tags`, `metadata`"},
	}},
	{"task.claimed", "", []key{{"task_id", "id", ""}, {"agent", "string", ""}, {"aspect", "string", ""}, {"expires_at", "time", ""}}},
	{"task.renewed", "", []key{{"task_id", "id", ""}, {"agent", "string", ""}, {"aspect", "string", ""}, {"expires_at", "time", ""}}},
	{"task.released", "", []key{{"task_id", "id", ""}, {"agent", "string", ""}, {"aspect", "string", ""}}},
	{"task.completed", "", []key{
		{"task_id", "id", ""}, {"agent", "string", ""}, {"outcome", "string or null", ""}, {"cited_nodes", "list of string or null", ""},
		{"misleading_nodes", "list of string or null", ""}, {"receipt_id", "string or null", ""}, {"updated_at", "time", ""}, {"version", "integer", ""},
		{"dropped_claims", "list of dropped claim", ""},
	}},
	{"task.cancelled", "", []key{
		{"task_id", "id", ""}, {"agent", "string", ""}, {"reason", "string or null", ""}, {"updated_at", "time", ""}, {"version", "integer", ""},
		{"finding_id", "id or null", "the finding that keeps the reason"}, {"dropped_claims", "list of dropped claim", ""},
	}},
	{"task.reopened", "", []key{
		{"task_id", "id", ""}, {"agent", "string", ""}, {"prior_status", "status", ""}, {"prior_outcome", "string or null", ""},
		{"updated_at", "time", ""}, {"version", "integer", ""}, {"finding_id", "id", "the finding that keeps what was"},
	}},
	{"task.edge_upserted", "", []key{{"from_task_id", "id", ""}, {"to_task_id", "id", ""}, {"type", "edge type", ""}, {"metadata", "object", ""}}},
	{"task.edge_deleted", "", []key{{"from_task_id", "id", ""}, {"to_task_id", "id", ""}, {"type", "edge type", ""}}},
	{"finding.posted", "", []key{{"finding_id", "id", ""}, {"task_id", "id", ""}, {"agent", "string", ""}, {"knowledge_id?", "string", "when given"}}},
	{"store.imported", "", []key{{"format", "string", ""}, {"created", "integer", ""}, {"updated", "integer", ""}}},
	{"note.created", "", notePayload},
	{"note.updated", "", notePayload},
	{"note.deleted", "", []key{{"id", "id", ""}, {"path", "string", ""}}},
	{"note.renamed", "", []key{{"id", "id", ""}, {"src_path", "string", ""}, {"dest_path", "string", ""}}},
	{"edge.upserted", "", []key{
		{"edge_id", "string", ""}, {"from_id", "id", ""}, {"to_id", "id", ""}, {"type", "string", ""}, {"namespace", "string", ""},
		{"conflict_state?", "string", "when set"},
	}},
	{"agent.registered", "", []key{{"agent_id", "string", ""}, {"name", "string", "empty when none is known"}, {"created", "boolean", "false when it was known"}}},
}

var notePayload = []key{{"id", "id", ""}, {"title", "string", ""}, {"path", "string", ""}, {"version", "integer", ""}}

// exported are the lines of the lithos format by their type.
var exported = []shape{
	{"lithos", "The first line.", []key{{"type", "string", ""}, {"format", "integer", "1"}}},
	{"agent", "", []key{
		{"type", "string", ""}, {"id", "string", ""}, {"name", "string or null", ""}, {"agent_type", "string or null", ""},
		{"first_seen_at", "time", ""}, {"last_seen_at", "time", ""}, {"metadata", "object", ""},
	}},
	{"task", "", []key{
		{"type", "string", ""}, {"id", "id", ""}, {"title", "string", ""}, {"description", "string or null", ""}, {"status", "status", ""},
		{"task_type", "task type", ""}, {"created_by", "string", ""}, {"created_at", "time", ""}, {"resolved_at", "time or null", ""},
		{"updated_at", "time", ""}, {"version", "integer", ""}, {"tags", "list of string", ""}, {"metadata", "object", ""}, {"outcome", "string or null", ""},
	}},
	{"edge", "", []key{
		{"type", "string", ""}, {"from_task_id", "id", ""}, {"to_task_id", "id", ""}, {"edge_type", "edge type", ""}, {"metadata", "object", ""},
		{"created_by", "string", ""}, {"created_at", "time", ""},
	}},
	{"claim", "Expired ones too.", []key{
		{"type", "string", ""}, {"task_id", "id", ""}, {"agent", "string", ""}, {"aspect", "string", ""}, {"expires_at", "time", ""}, {"claimed_at", "time", ""},
	}},
	{"finding", "", []key{
		{"type", "string", ""}, {"id", "id", ""}, {"task_id", "id", ""}, {"agent", "string", ""}, {"summary", "string", ""},
		{"knowledge_id", "string or null", ""}, {"created_at", "time", ""},
	}},
}

// onlyDamaged are the keys that are null in damaged stores alone, which no
// command makes.
var onlyDamaged = []string{"root cause.title", "plan step.title"}

// seldomFilled are the lists that are empty unless something goes wrong.
var seldomFilled = []string{"note_update/0.warnings", "retrieve/0.failed_scouts"}

func join(parts ...[]key) []key {
	var all []key
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}
