-- Keys: seq is the task's own small number (core.TaskKey); n numbers rows in
-- the order of their insertion. Both are explicit, so that no copy of the file
-- renumbers them. Times are microseconds since 1970 unless said otherwise.
-- Words are numbers: status 0 open, 1 completed, 2 cancelled; task_type
-- 0 task, 1 epic, 2 gate; edge type 0 blocks, 1 discovered_from,
-- 2 parent_child, 3 waits_on_gate (the order of their names).

CREATE TABLE meta (
	key   TEXT NOT NULL PRIMARY KEY,
	value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The wide columns come last, so that reading the narrow ones leaves overflow
-- pages alone. ready_at (seconds) is set for timer gates with a usable time.
CREATE TABLE tasks (
	seq         INTEGER PRIMARY KEY,
	id          TEXT    NOT NULL UNIQUE,
	status      INTEGER NOT NULL CHECK (status IN (0, 1, 2)),
	task_type   INTEGER NOT NULL CHECK (task_type IN (0, 1, 2)),
	ready_at    INTEGER,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	resolved_at INTEGER,
	version     INTEGER NOT NULL,
	title       TEXT    NOT NULL,
	created_by  TEXT    NOT NULL,
	tags        TEXT    NOT NULL CHECK (json_valid(tags) AND json_type(tags) = 'array'),
	metadata    TEXT    NOT NULL CHECK (json_valid(metadata) AND json_type(metadata) = 'object'),
	description TEXT,
	outcome     TEXT
) STRICT;

-- All that an edge needs to know of its source, in one narrow probe; a source
-- without an entry is missing. There is no index that begins with status: it
-- would draw plans away from those that need no sorting.
CREATE INDEX tasks_state ON tasks (seq, status, task_type, ready_at);
CREATE INDEX tasks_by_age ON tasks (created_at DESC, id, status, task_type);
CREATE INDEX tasks_closed ON tasks (resolved_at DESC, id) WHERE status <> 0;
CREATE INDEX tasks_cancelled ON tasks (id) WHERE status = 2;

CREATE TABLE edges (
	n          INTEGER PRIMARY KEY,
	from_seq   INTEGER NOT NULL REFERENCES tasks (seq),
	to_seq     INTEGER NOT NULL REFERENCES tasks (seq),
	type       INTEGER NOT NULL CHECK (type IN (0, 1, 2, 3)),
	created_at INTEGER NOT NULL,
	created_by TEXT    NOT NULL,
	metadata   TEXT    NOT NULL CHECK (json_valid(metadata) AND json_type(metadata) = 'object')
) STRICT;

CREATE UNIQUE INDEX edges_from ON edges (from_seq, type, to_seq);
CREATE INDEX edges_to ON edges (to_seq, type, n, from_seq);

-- One narrow row for each open task. hard and timer_until are the maintained
-- part of readiness, see frontier.go. hard 2 stands for "not counted yet"
-- while an import runs; such a row is in neither half.
CREATE TABLE open_tasks (
	seq          INTEGER PRIMARY KEY REFERENCES tasks (seq),
	task_type    INTEGER NOT NULL,
	rank         INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	id           TEXT    NOT NULL,
	project      TEXT,
	project_list TEXT,
	hard         INTEGER NOT NULL CHECK (hard IN (0, 1, 2)),
	timer_until  INTEGER
) STRICT;

CREATE INDEX ready ON open_tasks (rank, created_at, id, timer_until, project, project_list)
	WHERE task_type = 0 AND hard = 0;
CREATE INDEX blocked ON open_tasks (rank, created_at, id, hard, timer_until, project, project_list)
	WHERE task_type = 0 AND (hard = 1 OR timer_until IS NOT NULL);

CREATE INDEX open_others ON open_tasks (task_type, rank, created_at, id) WHERE task_type <> 0;

CREATE TABLE claims (
	n          INTEGER PRIMARY KEY,
	task_seq   INTEGER NOT NULL REFERENCES tasks (seq),
	aspect     TEXT    NOT NULL,
	agent      TEXT    NOT NULL,
	claimed_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	UNIQUE (task_seq, aspect)
) STRICT;

-- Live claims are the end of this index.
CREATE INDEX claims_by_expiry ON claims (expires_at, agent, task_seq);

CREATE TABLE findings (
	n            INTEGER PRIMARY KEY,
	id           TEXT    NOT NULL UNIQUE,
	task_seq     INTEGER NOT NULL REFERENCES tasks (seq),
	created_at   INTEGER NOT NULL,
	agent        TEXT    NOT NULL,
	knowledge_id TEXT,
	summary      TEXT    NOT NULL
) STRICT;

CREATE INDEX findings_by_task ON findings (task_seq, created_at);

CREATE TABLE agents (
	id            TEXT    NOT NULL PRIMARY KEY,
	name          TEXT,
	type          TEXT,
	first_seen_at INTEGER NOT NULL,
	last_seen_at  INTEGER NOT NULL,
	metadata      TEXT    NOT NULL CHECK (json_valid(metadata) AND json_type(metadata) = 'object')
) STRICT;

-- The newest event always stays in the feed, so its seq plus one was never
-- used before; AUTOINCREMENT would write one more page for every event.
CREATE TABLE events (
	seq       INTEGER PRIMARY KEY,
	id        TEXT    NOT NULL,
	type      TEXT    NOT NULL,
	timestamp INTEGER NOT NULL,
	agent     TEXT    NOT NULL,
	task_seq  INTEGER,
	other_seq INTEGER,
	tags      TEXT    NOT NULL,
	payload   TEXT    NOT NULL
) STRICT;

CREATE INDEX events_by_task ON events (task_seq) WHERE task_seq IS NOT NULL;
CREATE INDEX events_by_other ON events (other_seq) WHERE other_seq IS NOT NULL;

CREATE TABLE events_archive (
	seq       INTEGER PRIMARY KEY,
	id        TEXT    NOT NULL,
	type      TEXT    NOT NULL,
	timestamp INTEGER NOT NULL,
	agent     TEXT    NOT NULL,
	task_seq  INTEGER,
	other_seq INTEGER,
	tags      TEXT    NOT NULL,
	payload   TEXT    NOT NULL
) STRICT;

CREATE INDEX archive_by_task ON events_archive (task_seq) WHERE task_seq IS NOT NULL;
CREATE INDEX archive_by_other ON events_archive (other_seq) WHERE other_seq IS NOT NULL;
CREATE INDEX archive_by_time ON events_archive (timestamp);

CREATE TABLE requests (
	agent      TEXT NOT NULL,
	request_id TEXT NOT NULL,
	tool       TEXT NOT NULL,
	arguments  TEXT NOT NULL,
	result     TEXT NOT NULL,
	PRIMARY KEY (agent, request_id)
) STRICT;
