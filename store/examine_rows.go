package store

import (
	"fmt"
	"math"
	"os"
	"strings"
	"unicode/utf8"

	"dev.lithos/core"
)

// lookOrphanRows looks for events about tasks that are not there. Tasks are
// never removed, so an event outlives its task in damaged stores only.
func (t *tx) lookOrphanRows(*ExamineOptions) (fault, seen string, err error) {
	var wrong faults
	for _, table := range []eventTable{feed, archive} {
		for _, subject := range []struct{ column, index string }{{"task_seq", table.byTask}, {"other_seq", table.byOther}} {
			sql := "SELECT e.seq, e." + subject.column + " FROM " + table.name + " e INDEXED BY " + subject.index +
				" WHERE e." + subject.column + " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.seq = e." + subject.column + ")"
			err := t.each(sql, func(r *row) error {
				wrong.add("event %d of %s", r.int(0), table.name)
				return nil
			})
			if err != nil {
				return "", "", err
			}
		}
	}
	return wrong.text("event is about a task that is not there", "events are about tasks that are not there"),
		"Events are about tasks that are there.", nil
}

// lookDuplicates looks, past the indexes that keep them out, for rows that
// must be there once.
func (t *tx) lookDuplicates(*ExamineOptions) (fault, seen string, err error) {
	var wrong faults
	for _, kind := range []struct{ what, table, columns string }{
		{"the task '%s'", "tasks", "id"},
		{"the finding '%s'", "findings", "id"},
		{"the edge between the tasks of the numbers %s", "edges", "from_seq, to_seq, type"},
		{"the claim on the task of the number %s", "claims", "task_seq, aspect"},
		{"the agent '%s'", "agents", "id"},
		{"the request '%s'", "requests", "agent, request_id"},
	} {
		list := strings.Split(kind.columns, ", ")
		label := "CAST(" + list[0] + " AS TEXT)"
		for _, column := range list[1:] {
			label += " || ' ' || CAST(" + column + " AS TEXT)"
		}
		sql := "SELECT " + label + ", count(*) FROM " + kind.table + " NOT INDEXED GROUP BY " + kind.columns + " HAVING count(*) > 1"
		err := t.each(sql, func(r *row) error {
			wrong.add(kind.what+" %d times", r.text(0), r.int(1))
			return nil
		})
		if err != nil {
			return "", "", err
		}
	}
	return wrong.text("thing is there more than once", "things are there more than once"),
		"What must be there once is.", nil
}

func notTime(columns ...string) string {
	conditions := make([]string, len(columns))
	for i, column := range columns {
		conditions[i] = fmt.Sprintf("%s NOT BETWEEN %d AND %d", column, int64(core.FirstStamp), int64(core.LastStamp))
	}
	return strings.Join(conditions, " OR ")
}

// notJSON is the condition that a column holds no JSON of a kind. The text is
// judged first, for what is none cannot be asked for its kind.
func notJSON(column, kind string) string {
	return "CASE WHEN NOT json_valid(" + column + ") THEN 1 ELSE json_type(" + column + ") <> '" + kind + "' END"
}

// notTags is the condition that a column holds no list of texts.
func notTags(column string) string {
	return "CASE WHEN " + column + " = '[]' THEN 0 WHEN " + notJSON(column, "array") + " THEN 1" +
		" ELSE EXISTS (SELECT 1 FROM json_each(" + column + ") WHERE type <> 'text') END"
}

// A valueRule is a condition under which a row holds what no command writes.
type valueRule struct{ wrong, condition string }

// valueRules are the rules of each table; label is what its rows are called.
func valueRules() []struct {
	table, label string
	rules        []valueRule
} {
	types := make([]string, len(core.EventTypes))
	for i, t := range core.EventTypes {
		types[i] = "'" + string(t) + "'"
	}
	ofEvents := []valueRule{
		{"a number that nothing can follow", fmt.Sprintf("seq = %d", int64(math.MaxInt64))},
		{"an empty id", "id = ''"},
		{"an unknown type", "type NOT IN (" + strings.Join(types, ", ") + ")"},
		{"a time out of range", notTime("timestamp")},
		{"a payload that is no JSON object", notJSON("payload", "object")},
		{"tags that are no list of texts", notTags("tags")},
	}
	return []struct {
		table, label string
		rules        []valueRule
	}{
		{"tasks", "'task ' || quote(id)", []valueRule{
			{"an empty id", "id = ''"},
			{"an unknown status", "status NOT IN (0, 1, 2)"},
			{"an unknown type", "task_type NOT IN (0, 1, 2)"},
			{"a version below 1", "version < 1"},
			{"a version that can rise no more", fmt.Sprintf("version = %d", int64(math.MaxInt64))},
			{"a time out of range", notTime("created_at", "updated_at") + " OR resolved_at IS NOT NULL AND (" + notTime("resolved_at") + ")"},
			{"a time of closing although it is open", "status = 0 AND resolved_at IS NOT NULL"},
			{"no time of closing although it is closed", "status <> 0 AND resolved_at IS NULL"},
			{"metadata that are no JSON object", notJSON("metadata", "object")},
			{"tags that are no list of texts", notTags("tags")},
		}},
		{"edges", "'edge ' || n", []valueRule{
			{"an unknown type", "type NOT IN (0, 1, 2, 3)"},
			{"a time out of range", notTime("created_at")},
			{"metadata that are no JSON object", notJSON("metadata", "object")},
		}},
		{"claims", "'claim ' || n", []valueRule{
			{"no agent", "agent = ''"},
			{"no aspect", "aspect = ''"},
			{"a time out of range", notTime("claimed_at", "expires_at")},
		}},
		{"findings", "'finding ' || quote(id)", []valueRule{
			{"an empty id", "id = ''"},
			{"a time out of range", notTime("created_at")},
		}},
		{"agents", "'agent ' || quote(id)", []valueRule{
			{"an empty id", "id = ''"},
			{"a time out of range", notTime("first_seen_at", "last_seen_at")},
			{"metadata that are no JSON object", notJSON("metadata", "object")},
		}},
		{"events", "'event ' || seq", ofEvents},
		{"events_archive", "'archived event ' || seq", ofEvents},
		{"requests", "'request ' || quote(request_id)", []valueRule{
			{"no agent", "agent = ''"},
			{"no request_id", "request_id = ''"},
			{"a result that is no JSON object", notJSON("result", "object")},
		}},
	}
}

// textColumns are the columns whose texts came from outside, and the last of
// them, as many as json says, hold JSON.
var textColumns = []struct {
	table, label, columns string
	json                  int
}{
	{"tasks", "'task ' || quote(id)", "id, title, created_by, description, outcome, tags, metadata", 2},
	{"edges", "'edge ' || n", "created_by, metadata", 1},
	{"claims", "'claim ' || n", "agent, aspect", 0},
	{"findings", "'finding ' || quote(id)", "id, agent, knowledge_id, summary", 0},
	{"agents", "'agent ' || quote(id)", "id, name, type, metadata", 1},
	{"events", "'event ' || seq", "agent, tags, payload", 2},
	{"events_archive", "'archived event ' || seq", "agent, tags, payload", 2},
}

// lookValues looks for values that no command writes and that others stumble
// over: unreadable JSON, unknown words, times outside the calendar, text that
// is no UTF-8.
func (t *tx) lookValues(*ExamineOptions) (fault, seen string, err error) {
	var wrong faults
	rows := int64(0)
	for _, table := range valueRules() {
		sql := "CASE"
		for i, rule := range table.rules {
			sql += fmt.Sprintf(" WHEN %s THEN %d", rule.condition, i)
		}
		sql = "SELECT label, broken FROM (SELECT " + table.label + " AS label, " + sql + " END AS broken FROM " + table.table + " NOT INDEXED) WHERE broken IS NOT NULL"
		err := t.each(sql, func(r *row) error {
			wrong.add("%s has %s", strings.ToValidUTF8(r.text(0), "?"), table.rules[r.int(1)].wrong)
			return nil
		})
		if err != nil {
			return "", "", err
		}
		n, err := t.number("SELECT count(*) FROM " + table.table + " NOT INDEXED")
		if err != nil {
			return "", "", err
		}
		rows += n
	}
	for _, table := range textColumns {
		names := strings.Split(table.columns, ", ")
		width := len(names)
		err := t.each("SELECT "+table.columns+", "+table.label+" FROM "+table.table+" NOT INDEXED", func(r *row) error {
			for i := range width {
				if r.isNull(i) {
					continue
				}
				text, what := r.text(i), ""
				switch {
				case i < width-table.json && !isText(text):
					what = "text that is no UTF-8"
				case i >= width-table.json && core.ValidJSON(text) && !core.ReadableJSON(text):
					what = names[i] + " that hold what is no text"
				default:
					continue
				}
				wrong.add("%s has %s", strings.ToValidUTF8(r.text(width), "?"), what)
				break
			}
			return nil
		})
		if err != nil {
			return "", "", err
		}
	}
	return wrong.text("row holds what cannot be read", "rows hold what cannot be read"),
		fmt.Sprintf("The values of %s can be read.", counted(rows, "row")), nil
}

func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// lookLog says how long the log is, and whether that is longer than it is let
// grow.
func (s *Store) lookLog() (fault, seen string) {
	size := int64(0)
	if info, err := os.Stat(s.file + "-wal"); err == nil {
		size = info.Size()
	}
	seen = fmt.Sprintf("The log beside the store has %d KiB.", (size+1023)/1024)
	if size > journalSizeLimit {
		return seen, ""
	}
	return "", seen
}
