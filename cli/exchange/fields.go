package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dev.lithos/core"
)

// fields are the members of one JSON object, read one after the other by
// name. The first thing that is wrong is kept as the reason why the object
// cannot be used.
type fields struct {
	list   []field
	reason string  // a sentence; empty while all is well
	why    purpose // to judge: what is wrong counts, not the values
	times  [2]readTime
}

// readTime is a time that was read before: the stamps of a record, and of
// records beside each other, are often the same.
type readTime struct {
	text string
	at   core.Stamp
}

// field is one member of a JSON object.
type field struct {
	key   string
	value json.RawMessage // as it stands in the line, valid as long as that
	taken bool
}

// read splits the JSON object of one line. Of a key given twice the last
// value counts. The values refer to the line.
func (f *fields) read(line []byte) {
	f.list, f.reason = f.list[:0], ""
	if err := core.CheckJSONText(fileField, line); err != nil {
		f.reason = err.Error()
		if bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")) {
			f.reason = "The file is UTF-16; save it as UTF-8."
		}
		return
	}
	if !core.ValidJSON(line) {
		f.reason = whyNotJSON(line)
		return
	}
	f.split(line)
	if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("[")) {
		f.reason = "It is a JSON list, and one object a line is read here: jq -c '.[]' makes lines of a list."
	}
}

// whyNotJSON names the cause that a line is no JSON, in words of its own.
func whyNotJSON(line []byte) string {
	for _, marker := range []string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"} {
		if bytes.HasPrefix(line, []byte(marker)) {
			return "It is a marker of an unresolved merge conflict."
		}
	}
	if nesting(line) > maxDepth {
		return "It is nested too deeply."
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	var value json.RawMessage
	err := dec.Decode(&value)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return fmt.Sprintf("Text follows the JSON value at byte %d.", dec.InputOffset()+1)
	case errors.As(err, &syntax):
		return fmt.Sprintf("It is not valid JSON at byte %d.", syntax.Offset)
	}
	return "It is not valid JSON: it ends too early."
}

// maxDepth is the nesting that the JSON parser follows.
const maxDepth = 10_000

// nesting is how deep lists and objects lie in each other in what may be JSON.
func nesting(text []byte) (deepest int) {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inString = !inString
		case inString && c == '\\':
			i++
		case inString:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// split cuts valid JSON text into the members of the object that it is.
func (f *fields) split(text []byte) {
	if !core.ScanObject(text, func(key, value []byte) {
		name, _ := core.DecodeString(key)
		f.list = append(f.list, field{key: name, value: value})
	}) {
		f.reason = "It is no JSON object."
	}
}

// take returns the value of a key and marks it as read; nil when the key is
// not there.
func (f *fields) take(key string) json.RawMessage {
	var value json.RawMessage
	for i := range f.list {
		if f.list[i].key == key {
			value = f.list[i].value
			f.list[i].taken = true
		}
	}
	return value
}

// peek returns the value of a key without taking it; nil when the key is not
// there.
func (f *fields) peek(key string) json.RawMessage {
	for i := len(f.list) - 1; i >= 0; i-- {
		if f.list[i].key == key {
			return f.list[i].value
		}
	}
	return nil
}

// peekText is peek for a string; false when it is something else.
func (f *fields) peekText(key string) (string, bool) { return core.DecodeString(f.peek(key)) }

// has reports whether the object has a key that is not null.
func (f *fields) has(key string) bool { return !isNull(f.peek(key)) }

// isNull reports whether a value is null or not there.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || raw[0] == 'n' }

// fail keeps the first reason.
func (f *fields) fail(format string, args ...any) {
	if f.reason == "" {
		f.reason = fmt.Sprintf(format, args...)
	}
}

// text takes a string that must be there.
func (f *fields) text(key string) string {
	raw := f.take(key)
	if raw == nil {
		f.fail("'%s' is missing.", key)
		return ""
	}
	s, ok := f.decode(raw)
	if !ok {
		f.fail("'%s' must be a string.", key)
	}
	return s
}

// decode decodes a string whose value counts only when the record is written.
func (f *fields) decode(raw json.RawMessage) (string, bool) {
	if f.why == toJudge {
		return "", isText(raw)
	}
	return core.DecodeString(raw)
}

func isText(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

// optionalText takes a string that may be null or missing.
func (f *fields) optionalText(key string) *string {
	raw := f.take(key)
	if isNull(raw) {
		return nil
	}
	s, ok := f.decode(raw)
	if !ok {
		f.fail("'%s' must be a string or null.", key)
	}
	return &s
}

// id takes an id: a string that is not empty.
func (f *fields) id(key string) string {
	raw := f.peek(key)
	f.text(key)
	s, _ := core.DecodeString(raw)
	if s == "" {
		f.fail("'%s' is empty.", key)
	}
	return s
}

// stamp takes a time that must be there.
func (f *fields) stamp(key string) core.Stamp {
	if at := f.optionalStamp(key); at != nil {
		return *at
	}
	f.fail("'%s' is missing.", key)
	return 0
}

// optionalStamp takes a time that may be null or missing.
func (f *fields) optionalStamp(key string) *core.Stamp {
	raw := f.take(key)
	if isNull(raw) {
		return nil
	}
	for _, t := range f.times {
		if t.text == string(raw) {
			return &t.at
		}
	}
	text, ok := core.DecodeString(raw)
	if !ok {
		f.fail("'%s' must be a string or null.", key)
		return nil
	}
	at, err := core.ParseStamp(text)
	if err != nil {
		f.fail("'%s' is no ISO 8601 time.", key)
		return nil
	}
	f.times[0], f.times[1] = readTime{string(raw), at}, f.times[0]
	return &at
}

// positive takes an integer of at least 1.
func (f *fields) positive(key string) int64 {
	n, err := strconv.ParseInt(string(f.take(key)), 10, 64)
	if err != nil || n < 1 {
		f.fail("'%s' must be an integer of at least 1.", key)
	}
	return n
}

// tags takes a list of strings that may be null or missing.
func (f *fields) tags(key string) core.Tags {
	raw := f.take(key)
	if isNull(raw) || string(raw) == "[]" {
		return ""
	}
	items, ok := itemsOf(raw)
	if !ok || slices.ContainsFunc(items, func(item json.RawMessage) bool { return !isText(item) }) {
		f.fail("'%s' must be a list of strings.", key)
		return ""
	}
	if f.why == toJudge {
		return ""
	}
	list, _ := stringsOf(raw)
	return core.MakeTags(list)
}

// stringsOf decodes the text of a list of strings; false when it is something
// else.
func stringsOf(raw []byte) ([]string, bool) {
	items, ok := itemsOf(raw)
	if !ok {
		return nil, false
	}
	list := make([]string, len(items))
	for i, item := range items {
		if list[i], ok = core.DecodeString(item); !ok {
			return nil, false
		}
	}
	return list, true
}

// itemsOf splits the text of a JSON list; false when it is something else.
func itemsOf(raw []byte) (items []json.RawMessage, ok bool) {
	if len(raw) == 0 {
		return nil, false
	}
	ok = core.ScanList(raw, func(item []byte) { items = append(items, item) })
	return items, ok
}

// metadata takes a JSON object that may be null or missing.
func (f *fields) metadata(key string) core.Metadata {
	raw := f.take(key)
	switch {
	case isNull(raw) || string(raw) == "{}":
		return ""
	case raw[0] != '{':
		f.fail("'%s' must be a JSON object.", key)
		return ""
	}
	return f.object(raw)
}

// object makes metadata of the text of a JSON object.
func (f *fields) object(raw []byte) core.Metadata {
	if f.why == toJudge && len(raw) < core.MaxMetadataDepth {
		return "" // too short to be nested too deeply, which is all that can be wrong
	}
	m, err := core.ParseMetadata(raw)
	if err != nil {
		f.fail("It is nested too deeply.")
	}
	return m
}

// rest returns the members that nothing has taken, in order.
func (f *fields) rest() []core.Member {
	var members []core.Member
	for _, field := range f.list {
		if !field.taken {
			members = append(members, core.Member{Key: field.key, Value: field.value})
		}
	}
	return members
}

// noRest refuses members that nothing has taken.
func (f *fields) noRest() {
	for _, field := range f.list {
		if !field.taken {
			f.fail("'%s' is no known key of this record.", strings.ToValidUTF8(core.Clip(field.key), ""))
			return
		}
	}
}
