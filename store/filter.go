package store

import (
	"encoding/json"
	"strconv"
	"strings"

	"dev.lithos/core"
)

// filter collects the conditions of a query with their arguments, in the
// order in which they stand in the text.
type filter struct {
	conditions []string
	args       []any
}

func (f *filter) add(condition string, args ...any) {
	f.conditions = append(f.conditions, condition)
	f.args = append(f.args, args...)
}

// where is the WHERE clause with a leading space; empty without conditions.
func (f *filter) where() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return " WHERE " + both(f.conditions)
}

// both joins conditions so that however many there are, none is nested deeply:
// the engine reads a chain as nested, and bounds that.
func both(conditions []string) string {
	if len(conditions) <= 50 {
		return strings.Join(conditions, " AND ")
	}
	half := len(conditions) / 2
	return "(" + both(conditions[:half]) + ") AND (" + both(conditions[half:]) + ")"
}

// each adds a condition for each of some words, which stands for its question
// mark. Many words go as one list, for the text of a query is bounded too.
func (f *filter) each(words []string, condition string) {
	if len(words) > 50 {
		f.add("NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE NOT "+strings.Replace(condition, "?", "w.value", 1)+")", core.MakeTags(words))
		return
	}
	for _, word := range words {
		f.add(condition, word)
	}
}

// page is the LIMIT clause; a limit of 0 means all.
func (f *filter) page(limit, offset int) string {
	if limit <= 0 {
		limit = -1
	}
	f.args = append(f.args, limit, offset)
	return " LIMIT ? OFFSET ?"
}

// readable is a JSON column as a value that json_each takes without fail.
func readable(column, otherwise string) string {
	return "CASE WHEN json_valid(" + column + ") THEN " + column + " ELSE '" + otherwise + "' END"
}

// tags keeps tasks t that have all the tags.
func (f *filter) tags(tags []string) {
	f.each(tags, "EXISTS (SELECT 1 FROM json_each("+readable("t.tags", "[]")+") g WHERE g.type = 'text' AND g.value = ?)")
}

// match keeps tasks t whose metadata meet the conditions: the top-level key
// has the scalar, of the same type, or a list with it among its elements.
func (f *filter) match(conditions []core.MetadataCondition) { f.matchIn("t.metadata", conditions) }

// matchIn is match for metadata in the column given.
func (f *filter) matchIn(column string, conditions []core.MetadataCondition) {
	for _, c := range conditions {
		equal, element, arg := scalarEquals(c.Literal)
		f.add("EXISTS (SELECT 1 FROM json_each("+readable(column, "{}")+") m WHERE m.key = ? AND ("+equal+
			" OR m.type = 'array' AND EXISTS (SELECT 1 FROM json_each(m.value) v WHERE "+element+")))", c.Key, arg, arg)
	}
}

// scalarEquals gives the condition that a JSON value equals the scalar of a
// literal, once for a row m and once for a row v of json_each, each with one
// argument.
func scalarEquals(literal string) (m, v string, arg any) {
	condition := func(test string) (string, string) {
		return "m." + strings.ReplaceAll(test, "$.", "m."), "v." + strings.ReplaceAll(test, "$.", "v.")
	}
	switch literal[0] {
	case '"':
		var text string
		// The literal comes from a JSON decoder, so it reads.
		_ = json.Unmarshal([]byte(literal), &text)
		m, v = condition("type = 'text' AND $.atom = ?")
		return m, v, text
	case 't', 'f':
		m, v = condition("type = ?")
		return m, v, literal
	}
	if strings.ContainsAny(literal, ".eE") {
		number, _ := strconv.ParseFloat(literal, 64) // out of range: infinity, as SQLite reads it
		m, v = condition("type = 'real' AND $.atom = ?")
		return m, v, number
	}
	if number, err := strconv.ParseInt(literal, 10, 64); err == nil {
		m, v = condition("type = 'integer' AND $.atom = ?")
		return m, v, number
	}
	// An integer beyond 64 bits is read as a real; only its digits tell it
	// from its neighbours.
	m, v = condition("type = 'integer' AND ($.json -> $.fullkey) = ?")
	return m, v, literal
}

// project keeps open tasks o of a project.
func (f *filter) project(name string) {
	f.add("(o.project = ? OR o.project_list IS NOT NULL AND"+
		" EXISTS (SELECT 1 FROM json_each(o.project_list) p WHERE p.type = 'text' AND p.value = ?))", name, name)
}

// typeList is the SQL list of the numbers of edge types.
func typeList(types []core.EdgeType) string {
	var numbers []string
	for number, known := range edgeTypes {
		for _, t := range types {
			if t == known {
				numbers = append(numbers, strconv.Itoa(number))
				break
			}
		}
	}
	return "(" + strings.Join(numbers, ", ") + ")"
}
