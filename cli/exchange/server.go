package exchange

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"dev.lithos/core"
)

// The database coordination.db of the original Python server, of any of its
// ages.

// serverFormat is the name of the format.
const serverFormat = "lithos-server"

// Tables is a database of another program, open for reading.
type Tables interface {
	// Columns names the columns of a table; nil when there is no such table.
	Columns(ctx context.Context, table string) ([]string, error)
	// Each yields the rows of a table, oldest first: the columns as text, nil
	// for NULL. The list is valid during the call of yield only.
	Each(ctx context.Context, table string, columns []string, yield func([]*string) error) error
	Close() error
}

var databaseHead = []byte("SQLite format 3\x00")

// isDatabase reports whether the input is an SQLite database.
func isDatabase(in *input) (bool, error) {
	r, err := in.reader()
	if err != nil {
		return false, err
	}
	head := make([]byte, len(databaseHead))
	n, err := io.ReadFull(r, head)
	return n == len(head) && bytes.Equal(head, databaseHead), ignoreEnd(err)
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// serverColumns are the columns that are read of each table, as far as it has
// them.
var serverColumns = map[string][]string{
	"agents":     {"id", "name", "type", "first_seen_at", "last_seen_at", "metadata", "archived_at"},
	"tasks":      {"id", "title", "description", "status", "task_type", "created_by", "created_at", "tags", "outcome", "resolved_at", "completed_at", "metadata", "updated_at", "version"},
	"task_edges": {"from_task_id", "to_task_id", "type", "metadata", "created_by", "created_at"},
	"claims":     {"task_id", "agent", "aspect", "claimed_at", "expires_at"},
	"findings":   {"id", "task_id", "agent", "summary", "knowledge_id", "created_at"},
}

// serverReader turns rows into records. Their line is the number of the row,
// counted over all tables.
type serverReader struct {
	issues
	ctx     context.Context
	tables  Tables
	columns map[string][]string // of each table, those that are read
	row     map[string]*string  // the row at hand
	created map[string]core.Stamp
}

// readServer reads a coordination.db. Its records come in the order of their
// rows.
func readServer(ctx context.Context, tables Tables, yield func(*core.TransferRecord) error) error {
	s := serverReader{
		issues: newIssues(toWrite, yield), ctx: ctx, tables: tables,
		columns: map[string][]string{}, row: map[string]*string{}, created: map[string]core.Stamp{},
	}
	for table, wanted := range serverColumns {
		found, err := tables.Columns(ctx, table)
		if err != nil {
			return err
		}
		if table == "tasks" {
			if err := checkServerTasks(found); err != nil {
				return err
			}
		}
		s.columns[table] = slices.DeleteFunc(slices.Clone(wanted), func(c string) bool { return !slices.Contains(found, c) })
	}
	for _, step := range []struct {
		table string
		read  func() error
	}{{"agents", s.agent}, {"tasks", s.task}, {"task_edges", s.edge}, {"claims", s.claim}, {"findings", s.finding}} {
		if err := s.each(step.table, step.read); err != nil {
			return err
		}
	}
	return s.finish()
}

// checkServerTasks refuses databases of other programs.
func checkServerTasks(columns []string) error {
	if slices.Contains(columns, "seq") {
		return core.Malformed(fileField, "The file is a store of this program; 'lithos export' with --db moves its tasks.")
	}
	for _, needed := range []string{"id", "title", "status", "created_by", "created_at"} {
		if !slices.Contains(columns, needed) {
			return core.Malformed(fileField, "The database is none of the original server: it has no tasks as that keeps them.")
		}
	}
	return nil
}

// each reads the rows of a table one by one.
func (s *serverReader) each(table string, read func() error) error {
	columns := s.columns[table]
	if len(columns) == 0 {
		return nil
	}
	return s.tables.Each(s.ctx, table, columns, func(values []*string) error {
		s.line++
		s.reason = ""
		clear(s.row)
		for i, column := range columns {
			if values[i] != nil && core.CheckText(column, *values[i]) != nil {
				s.fail("'%s' is no readable text.", column)
			}
			s.row[column] = values[i]
		}
		return read()
	})
}

// value is a column of the row, "" when it is NULL or there is none.
func (s *serverReader) value(column string) string {
	if v := s.row[column]; v != nil {
		return *v
	}
	return ""
}

// needed is a column that must not be NULL.
func (s *serverReader) needed(column string) string {
	if s.row[column] == nil {
		s.fail("'%s' is missing.", column)
	}
	return s.value(column)
}

// at is the first of the columns that holds a time.
func (s *serverReader) at(columns ...string) *core.Stamp {
	for _, column := range columns {
		if v := s.row[column]; v != nil {
			if at, err := core.ParseStamp(*v); err == nil {
				return &at
			}
		}
	}
	return nil
}

// object is a column that holds a JSON object; {} when it holds anything else,
// which readable tells unless it is empty.
func (s *serverReader) object(column string) (m core.Metadata, readable bool) {
	text := []byte(s.value(column))
	if len(text) == 0 {
		return "", true
	}
	m, err := core.ParseMetadata(text)
	if err != nil || core.CheckJSONText(column, text) != nil {
		return "", false
	}
	return m, true
}

// broken yields the reason why the row is of no use.
func (s *serverReader) broken(id string) error {
	return s.give(func(r *core.TransferRecord) { r.Kind, r.TaskID, r.Reason = core.TransferBroken, id, s.reason })
}

// problem yields what of the row does not come over.
func (s *serverReader) problem(id, format string, args ...any) error {
	return s.give(func(r *core.TransferRecord) {
		r.Kind, r.TaskID, r.Reason = core.TransferProblem, id, fmt.Sprintf(format, args...)
	})
}

func (s *serverReader) agent() error {
	a := core.Agent{ID: s.needed("id"), Name: s.row["name"], Type: s.row["type"]}
	first, last := s.at("first_seen_at", "last_seen_at"), s.at("last_seen_at", "first_seen_at")
	if s.reason != "" || first == nil {
		return s.problem("", "The agent '%s' was left out: %s", a.ID, cmp.Or(s.reason, "it has no readable time."))
	}
	a.FirstSeenAt, a.LastSeenAt = *first, *last
	a.Metadata, _ = s.object("metadata")
	if archived := s.row["archived_at"]; archived != nil {
		a.Metadata = a.Metadata.Merge(core.MakeMetadata([]core.Member{{Key: "archived_at", Value: core.AppendJSONString(nil, *archived)}}))
	}
	return s.give(func(r *core.TransferRecord) { r.Kind, r.Agent = core.TransferAgent, a })
}

func (s *serverReader) task() error {
	t := core.Task{TaskHead: core.TaskHead{
		ID: s.needed("id"), Title: s.needed("title"), Status: core.StatusOpen, Type: core.TypeTask, Version: 1,
	}, CreatedBy: cmp.Or(s.value("created_by"), unknownAuthor), Description: s.row["description"], Outcome: s.row["outcome"]}
	var problems []string
	if status := s.value("status"); status != "" {
		if i := slices.Index(statuses, status); i >= 0 {
			t.Status = core.Statuses[i]
		} else {
			problems = append(problems, fmt.Sprintf("The status '%s' is unknown; the task is open.", core.Clip(status)))
		}
	}
	if kind := s.value("task_type"); kind != "" {
		if i := slices.Index(taskTypes, kind); i >= 0 {
			t.Type = core.TaskTypes[i]
		} else {
			problems = append(problems, fmt.Sprintf("The type '%s' is unknown; it became a plain task.", core.Clip(kind)))
		}
	}
	created := s.at("created_at", "updated_at", "resolved_at", "completed_at")
	if created == nil {
		s.fail("'created_at' is no time.")
	}
	if t.ID == "" {
		s.fail("'id' is empty.")
	}
	if s.reason != "" {
		return s.broken(t.ID)
	}
	t.CreatedAt = *created
	s.created[t.ID] = t.CreatedAt
	resolved := s.at("resolved_at", "completed_at")
	t.UpdatedAt = *cmp.Or(s.at("updated_at"), resolved, created)
	if t.Status != core.StatusOpen {
		t.ResolvedAt = cmp.Or(resolved, &t.UpdatedAt)
	}
	if n, err := strconv.ParseInt(s.value("version"), 10, 64); err == nil && n > 0 {
		t.Version = n
	}
	var readable bool
	if t.Metadata, readable = s.object("metadata"); !readable {
		problems = append(problems, "Its metadata was left out: it is no readable JSON object.")
	}
	if tags := []byte(s.value("tags")); len(tags) > 0 {
		list, ok := stringsOf(tags)
		if ok = ok && core.CheckJSONText("tags", tags) == nil; ok {
			t.Tags = core.MakeTags(list)
		} else if string(tags) != "null" {
			problems = append(problems, "Its tags were left out: they are no readable list.")
		}
	}
	var edges []core.Edge
	if s.isBeforeEdges() && t.Status == core.StatusOpen {
		var more []string
		edges, more = migratedEdges(t)
		problems = append(problems, more...)
	}
	return s.put(t, edges, nil, problems)
}

// isBeforeEdges reports whether the database is of an age in which metadata
// said what depends on what.
func (s *serverReader) isBeforeEdges() bool {
	return len(s.columns["task_edges"]) == 0 || !slices.Contains(s.columns["tasks"], "task_type")
}

// migratedEdges makes edges of the metadata of a task from before there were
// edges. The metadata stays as it is.
func migratedEdges(t core.Task) (edges []core.Edge, problems []string) {
	seen := map[string]bool{}
	for _, key := range []string{"depends_on", "blocked_on"} {
		raw, found := t.Metadata.Get(key)
		if !found || isNull(raw) {
			continue
		}
		items, isList := itemsOf(raw)
		if !isList {
			items = append(items, raw)
		}
		for _, item := range items {
			id, isText := core.DecodeString(item)
			switch {
			case !isText:
				problems = append(problems, fmt.Sprintf("A dependency in metadata.%s was left out: it is no id.", key))
			case seen[id]:
			default:
				seen[id] = true
				edges = append(edges, core.Edge{
					FromID: id, ToID: t.ID, Type: core.EdgeBlocks, CreatedBy: "migration", CreatedAt: t.CreatedAt,
					Metadata: core.MakeMetadata([]core.Member{{Key: "migrated_from", Value: core.AppendJSONString(nil, "metadata."+key)}}),
				})
			}
		}
	}
	return edges, problems
}

func (s *serverReader) edge() error {
	e := core.Edge{
		FromID: s.needed("from_task_id"), ToID: s.needed("to_task_id"), CreatedBy: cmp.Or(s.value("created_by"), unknownAuthor),
		CreatedAt: s.created[s.value("to_task_id")],
	}
	kind := s.value("type")
	if i := slices.Index(edgeTypes, kind); i >= 0 {
		e.Type = core.EdgeTypes[i]
	} else {
		s.fail("'%s' is no edge type.", core.Clip(kind))
	}
	if s.reason != "" {
		return s.problem(e.ToID, "An edge from '%s' was left out: %s", e.FromID, s.reason)
	}
	if at := s.at("created_at"); at != nil {
		e.CreatedAt = *at
	}
	e.Metadata, _ = s.object("metadata")
	return s.give(func(r *core.TransferRecord) { r.Kind, r.Edge = core.TransferEdge, e })
}

func (s *serverReader) claim() error {
	c := core.Claim{Agent: s.needed("agent"), Aspect: s.needed("aspect")}
	expires, claimed := s.at("expires_at"), s.at("claimed_at", "expires_at")
	if expires == nil {
		s.fail("'expires_at' is no time.")
	}
	if s.reason != "" {
		return s.problem(s.value("task_id"), "A claim was left out: %s", s.reason)
	}
	c.ClaimedAt, c.ExpiresAt = *claimed, *expires
	return s.give(func(r *core.TransferRecord) { r.Kind, r.TaskID, r.Claim = core.TransferClaim, s.value("task_id"), c })
}

func (s *serverReader) finding() error {
	f := core.Finding{ID: s.needed("id"), Agent: cmp.Or(s.value("agent"), unknownAuthor), Summary: s.value("summary"), KnowledgeID: s.row["knowledge_id"]}
	task := s.value("task_id")
	if s.reason != "" {
		return s.problem(task, "A finding was left out: %s", s.reason)
	}
	f.CreatedAt = s.created[task]
	if at := s.at("created_at"); at != nil {
		f.CreatedAt = *at
	}
	return s.give(func(r *core.TransferRecord) { r.Kind, r.TaskID, r.Finding = core.TransferFinding, task, f })
}
