package store

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dev.lithos/core"
)

// row is one row of a result while it is read. A value of another kind than
// asked for makes the row bad, which ends the query: the file is damaged.
type row struct {
	values []driver.Value
	bad    error
	name   string // of a bad row, as far as people know it
	empty  bool   // something that is no JSON counted as empty
}

// judge makes a row bad that holds what no command writes, and names it; fault
// is what is wrong with what was read of it. It reports whether all is well.
func (r *row) judge(kind, id, fault string) bool {
	switch {
	case r.bad != nil:
	case r.empty:
		r.bad = errors.New("it holds something that is no readable JSON")
	case fault != "":
		r.bad = errors.New("it has " + fault)
	default:
		return true
	}
	r.name = kind
	if id != "" {
		r.name += " '" + strings.ToValidUTF8(id, "?") + "'"
	}
	return false
}

func (r *row) misfit(i int) {
	if r.bad == nil {
		r.bad = fmt.Errorf("column %d holds a %T", i, r.values[i])
	}
}

func (r *row) isNull(i int) bool { return r.values[i] == nil }

func (r *row) int(i int) int64 {
	n, ok := r.values[i].(int64)
	if !ok {
		r.misfit(i)
	}
	return n
}

func (r *row) text(i int) string {
	s, ok := r.values[i].(string)
	if !ok {
		r.misfit(i)
	}
	return s
}

func (r *row) real(i int) float64 {
	f, ok := r.values[i].(float64)
	if !ok {
		r.misfit(i)
	}
	return f
}

func (r *row) stamp(i int) core.Stamp { return core.Stamp(r.int(i)) }
func (r *row) key(i int) core.TaskKey { return core.TaskKey(r.int(i)) }

// tags and object read JSON as far as it is some that can be read: the checks of
// the tables and of what comes in keep anything else out, but a damaged file may
// hold it, and counts as empty.
func (r *row) tags(i int) core.Tags {
	if text := r.text(i); isJSON(text, '[') {
		return core.Tags(text)
	}
	r.empty = true
	return ""
}

func (r *row) object(i int) core.Metadata {
	if text := r.text(i); isJSON(text, '{') {
		return core.Metadata(text)
	}
	r.empty = true
	return ""
}

func isJSON(text string, opening byte) bool {
	switch text {
	case "{}", "[]":
		return text[0] == opening
	case "":
		return false
	}
	return text[0] == opening && core.ReadableJSON(text)
}

func (r *row) optionalText(i int) *string {
	if r.isNull(i) {
		return nil
	}
	s := r.text(i)
	return &s
}

func (r *row) optionalInt(i int) *int64 {
	if r.isNull(i) {
		return nil
	}
	n := r.int(i)
	return &n
}

func (r *row) optionalStamp(i int) *core.Stamp {
	if r.isNull(i) {
		return nil
	}
	s := r.stamp(i)
	return &s
}

// wordAt reads a number that stands for a word.
func wordAt[W comparable](r *row, i int, words []W) W {
	n := r.int(i)
	if n < 0 || n >= int64(len(words)) {
		r.misfit(i)
		var none W
		return none
	}
	return words[n]
}

func (r *row) status(i int) core.Status     { return wordAt(r, i, statuses) }
func (r *row) taskType(i int) core.TaskType { return wordAt(r, i, taskTypes) }
func (r *row) edgeType(i int) core.EdgeType { return wordAt(r, i, edgeTypes) }

// value converts an argument of a statement to what the driver takes.
func value(v any) driver.Value {
	switch v := v.(type) {
	case nil, int64, string, []byte, float64:
		return v
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case int:
		return int64(v)
	case core.NoteKey:
		return int64(v)
	case core.TaskKey:
		return int64(v)
	case core.Stamp:
		return int64(v)
	case core.Status:
		return numberOf(statuses, v)
	case core.TaskType:
		return numberOf(taskTypes, v)
	case core.EdgeType:
		return numberOf(edgeTypes, v)
	case core.Tags:
		return v.Text()
	case core.Metadata:
		return v.Text()
	case json.RawMessage:
		return string(v)
	case *string:
		if v == nil {
			return nil
		}
		return *v
	case *int64:
		if v == nil {
			return nil
		}
		return *v
	case *core.Stamp:
		if v == nil {
			return nil
		}
		return int64(*v)
	}
	panic(fmt.Sprintf("store: a statement cannot take a %T", v))
}

// keyOrNull is a key as an argument, NULL for 0, which no task has.
func keyOrNull(key core.TaskKey) any {
	if key == 0 {
		return nil
	}
	return key
}

// keyList is a list of keys as the JSON text that json_each takes.
func keyList(keys []core.TaskKey) string {
	dst := make([]byte, 0, 8*len(keys)+2)
	dst = append(dst, '[')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(key), 10)
	}
	return string(append(dst, ']'))
}
