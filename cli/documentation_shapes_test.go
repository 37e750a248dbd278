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
		{"tantivy_last_updated", "null", "When the full-text index was last written; null while there are no notes."},
		{"chroma_last_updated", "null", "Kept like `chroma_chunk_count`."},
		{"graph_node_count", "integer", "Notes in the graph of links."},
		{"graph_edge_count", "integer", "Links between notes."},
	}}},
	"events": {{keys: []key{
		{"events", "list of event", "Oldest first."},
		{"next_since", "integer", "What to give as `since` next."},
		moreFollows,
	}}},
	"journal": {{keys: []key{
		{"events", "list of event", "Newest first."},
		{"next_before", "integer or null", "What to give as `before` next; null at the end."},
		moreFollows,
	}}},
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
		{"data_folder", "string", "The folder that holds the store's `.lithos`, else the store's own."},
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
	{"version", []answer{{keys: []key{
		{"version", "string", ""},
		{"revision", "string", "The commit it was built from; empty when unknown."},
		{"go", "string", ""},
		{"sqlite", "string", ""},
		{"schema", "integer", "Of the stores it writes."},
	}}}},
}

// withoutJSON are the commands whose output is no JSON document.
var withoutJSON = []string{"lithos", "tui", "mcp", "completion", "help"}

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
	{"agent.registered", "", []key{{"agent_id", "string", ""}, {"name", "string", "empty when none is known"}, {"created", "boolean", "false when it was known"}}},
}

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

func join(parts ...[]key) []key {
	var all []key
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}
