-- Notes are files; all of this but usage, typed edges and receipts is derived
-- from them. seq numbers notes in the order in which they were taken up; a
-- rebuild numbers anew, by path. What must outlive a rebuild is keyed by id.

-- title_named is 1 when the name of the file is the slug of the title. The
-- file columns say how the file looked when it was read: bytes, nanoseconds
-- since 1970, number in its file system, hash of the content. own_id is 1 when
-- the id stands in the file.
CREATE TABLE notes (
	seq          INTEGER PRIMARY KEY,
	id           TEXT    NOT NULL UNIQUE,
	path         TEXT    NOT NULL UNIQUE,
	folder       TEXT    NOT NULL,
	title_named  INTEGER NOT NULL CHECK (title_named IN (0, 1)),
	title        TEXT    NOT NULL,
	author       TEXT    NOT NULL,
	created_at   INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL,
	version      INTEGER NOT NULL,
	expires_at   INTEGER,
	confidence   REAL    NOT NULL,
	namespace    TEXT    NOT NULL,
	access_scope TEXT    NOT NULL,
	note_type    TEXT    NOT NULL,
	status       TEXT    NOT NULL,
	source       TEXT,
	source_url   TEXT,
	file_size    INTEGER NOT NULL,
	file_time    INTEGER NOT NULL,
	file_number  INTEGER NOT NULL,
	file_hash    INTEGER NOT NULL,
	own_id       INTEGER NOT NULL CHECK (own_id IN (0, 1)),
	tags         TEXT    NOT NULL CHECK (json_valid(tags) AND json_type(tags) = 'array'),
	derived_from TEXT    NOT NULL CHECK (json_valid(derived_from) AND json_type(derived_from) = 'array'),
	entities     TEXT    NOT NULL CHECK (json_valid(entities) AND json_type(entities) = 'array'),
	aliases      TEXT    NOT NULL CHECK (json_valid(aliases) AND json_type(aliases) = 'array'),
	metadata     TEXT    NOT NULL CHECK (json_valid(metadata) AND json_type(metadata) = 'object')
) STRICT;

CREATE INDEX notes_by_folder ON notes (folder);
CREATE INDEX notes_by_url ON notes (source_url, path) WHERE source_url IS NOT NULL;
CREATE INDEX notes_by_change ON notes (updated_at);
CREATE INDEX notes_of_task ON notes (source, updated_at) WHERE source IS NOT NULL;
CREATE INDEX notes_expiring ON notes (expires_at) WHERE expires_at IS NOT NULL;

-- Under which names a wiki-link finds a note: kind 0 path, 1 file name, 2 id,
-- 3 alias. A lower kind wins, then the first in path order.
CREATE TABLE note_names (
	name TEXT    NOT NULL,
	kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2, 3)),
	seq  INTEGER NOT NULL REFERENCES notes (seq),
	PRIMARY KEY (name, kind, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_names_by_note ON note_names (seq);

-- The names a note's wiki-links ask for, each once. What they lead to is found
-- when it is asked for, so that no new note has to look for old links.
CREATE TABLE note_links (
	seq  INTEGER NOT NULL REFERENCES notes (seq),
	name TEXT    NOT NULL,
	PRIMARY KEY (seq, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_links_by_name ON note_links (name);

CREATE TABLE note_tags (
	seq INTEGER NOT NULL REFERENCES notes (seq),
	tag TEXT    NOT NULL,
	PRIMARY KEY (seq, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_tags_by_tag ON note_tags (tag);

-- The ids a note is derived from; they need not exist.
CREATE TABLE note_sources (
	seq       INTEGER NOT NULL REFERENCES notes (seq),
	source_id TEXT    NOT NULL,
	PRIMARY KEY (seq, source_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_sources_by_source ON note_sources (source_id);

-- Each folder as it looked when it was last gone through: the time of its last
-- change (nanoseconds) and the sum of the marks of its files, which tells
-- whether any of them has changed without comparing them one by one.
CREATE TABLE note_folders (
	path        TEXT    NOT NULL PRIMARY KEY,
	folder_time INTEGER NOT NULL,
	marks       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Files that are no note although their name says so, and why. id is what the
-- note was called while it could be read.
CREATE TABLE note_problems (
	path        TEXT    NOT NULL PRIMARY KEY,
	folder      TEXT    NOT NULL,
	id          TEXT,
	reason      TEXT    NOT NULL,
	file_size   INTEGER NOT NULL,
	file_time   INTEGER NOT NULL,
	file_number INTEGER NOT NULL,
	file_hash   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX note_problems_by_folder ON note_problems (folder);

-- Search, usage and typed edges

-- The words of title and content as core/search finds them, separated by
-- spaces, those of titles with a mark before each; docid is notes.seq. They
-- hold nothing that this tokenizer would take apart.
CREATE VIRTUAL TABLE note_words USING fts4 (title, body, tokenize=simple, order=desc);

-- A mirrored edge repeats an entry of derived_from_ids; only writes of the note
-- touch it. The ends are ids, which need not belong to a note.
CREATE TABLE note_edges (
	n                INTEGER PRIMARY KEY,
	edge_id          TEXT    NOT NULL UNIQUE,
	from_id          TEXT    NOT NULL,
	to_id            TEXT    NOT NULL,
	type             TEXT    NOT NULL,
	namespace        TEXT    NOT NULL,
	mirrored         INTEGER NOT NULL CHECK (mirrored IN (0, 1)),
	weight           REAL    NOT NULL,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	provenance_actor TEXT,
	provenance_type  TEXT,
	evidence         TEXT,
	conflict_state   TEXT
) STRICT;

CREATE UNIQUE INDEX note_edges_from ON note_edges (from_id, to_id, type, namespace, mirrored);
CREATE INDEX note_edges_to ON note_edges (to_id);
CREATE INDEX note_edges_by_type ON note_edges (type);

CREATE TABLE note_receipts (
	n          INTEGER PRIMARY KEY,
	id         TEXT    NOT NULL UNIQUE,
	task_id    TEXT,
	agent_id   TEXT,
	created_at INTEGER NOT NULL,
	query      TEXT    NOT NULL,
	notes      TEXT    NOT NULL CHECK (json_valid(notes) AND json_type(notes) = 'array')
) STRICT;

CREATE INDEX note_receipts_by_task ON note_receipts (task_id, agent_id) WHERE task_id IS NOT NULL;

-- What has become of a note in use. read_count counts reads, retrieval_count
-- how often a retrieval returned it.
CREATE TABLE note_usage (
	note_id           TEXT    NOT NULL PRIMARY KEY,
	salience          REAL    NOT NULL,
	read_count        INTEGER NOT NULL,
	retrieval_count   INTEGER NOT NULL,
	cited_count       INTEGER NOT NULL,
	ignored_count     INTEGER NOT NULL,
	misleading_count  INTEGER NOT NULL,
	last_retrieved_at INTEGER,
	last_used_at      INTEGER
) STRICT, WITHOUT ROWID;

-- Who was shown a note, when and by what: kind 0 read, 1 search, 2 retrieve.
CREATE TABLE note_access (
	n       INTEGER PRIMARY KEY,
	at      INTEGER NOT NULL,
	kind    INTEGER NOT NULL CHECK (kind IN (0, 1, 2)),
	agent   TEXT    NOT NULL,
	note_id TEXT    NOT NULL
) STRICT;

-- Ready tasks that wait for no timer, and those that wait for timers alone, by
-- when the last of these opens: so that many that are far from opening cost a
-- page of ready tasks nothing.
CREATE INDEX ready_untimed ON open_tasks (rank, created_at, id, project, project_list)
	WHERE task_type = 0 AND hard = 0 AND timer_until IS NULL;
CREATE INDEX timed ON open_tasks (timer_until)
	WHERE task_type = 0 AND hard = 0 AND timer_until IS NOT NULL;
