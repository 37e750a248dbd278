package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Metadata is a JSON object as compact text. Keys keep their order, numbers
// their literal form. The empty value stands for {}.
type Metadata string

// Text returns the JSON text, {} for the empty value.
func (m Metadata) Text() string {
	if m == "" {
		return "{}"
	}
	return string(m)
}

// MarshalJSON returns the object.
func (m Metadata) MarshalJSON() ([]byte, error) { return []byte(m.Text()), nil }

// UnmarshalJSON reads an object; of a key given twice the last value counts.
func (m *Metadata) UnmarshalJSON(src []byte) error {
	parsed, err := ParseMetadata(src)
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}

var errNoObject = errors.New("no JSON object")

// ParseMetadata normalises the JSON text of an object: compact, of a key
// given twice the last, at every depth.
func ParseMetadata(src []byte) (Metadata, error) {
	src = bytes.TrimLeft(src, " \t\r\n")
	if len(src) == 0 || src[0] != '{' {
		return "", errNoObject
	}
	text, err := normalizeJSON(src)
	if err != nil {
		return "", err
	}
	return Metadata(text), nil
}

// Member is one key of a JSON object with the text of its value.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Members returns the top-level keys in order. Metadata is normalised when it
// is made, so the text always reads.
func (m Metadata) Members() []Member {
	members, err := splitMembers([]byte(m.Text()))
	if err != nil {
		return nil
	}
	return members
}

// Get returns the text of a top-level value.
func (m Metadata) Get(key string) (json.RawMessage, bool) {
	if !strings.Contains(string(m), key) && isPlainKey(key) {
		return nil, false
	}
	for _, member := range m.Members() {
		if member.Key == key {
			return member.Value, true
		}
	}
	return nil, false
}

// isPlainKey reports whether the key stands in JSON text just as it is.
func isPlainKey(key string) bool {
	for i := range len(key) {
		if c := key[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '/' {
			return false
		}
	}
	return true
}

// GetString returns a top-level value that is a string.
func (m Metadata) GetString(key string) (string, bool) {
	raw, ok := m.Get(key)
	if !ok {
		return "", false
	}
	return DecodeString(raw)
}

// MakeMetadata builds an object from members; a later one of the same key
// replaces the earlier one in its place.
func MakeMetadata(members []Member) Metadata {
	kept := make([]Member, 0, len(members))
	place := func(key string) int {
		return slices.IndexFunc(kept, func(m Member) bool { return m.Key == key })
	}
	if len(members) > fewMembers {
		at := make(map[string]int, len(members))
		place = func(key string) int {
			if i, seen := at[key]; seen {
				return i
			}
			at[key] = len(kept)
			return -1
		}
	}
	for _, member := range members {
		if i := place(member.Key); i >= 0 {
			kept[i] = member
		} else {
			kept = append(kept, member)
		}
	}
	dst := []byte{'{'}
	for i, member := range kept {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSONString(dst, member.Key)
		dst = append(dst, ':')
		dst = append(dst, member.Value...)
	}
	return Metadata(append(dst, '}'))
}

// Merge lays a patch over m, key by key at the top level: null deletes,
// anything else replaces the whole value.
func (m Metadata) Merge(patch Metadata) Metadata {
	if patch == "" || patch == "{}" {
		return Metadata(m.Text())
	}
	merged := MakeMetadata(append(m.Members(), patch.Members()...)).Members()
	kept := merged[:0]
	deleted := map[string]bool{}
	for _, member := range patch.Members() {
		deleted[member.Key] = string(member.Value) == "null"
	}
	for _, member := range merged {
		if !deleted[member.Key] {
			kept = append(kept, member)
		}
	}
	return MakeMetadata(kept)
}

// objectMembers splits the text of one JSON object.
func objectMembers(src []byte) ([]Member, error) { return splitMembers(bytes.Clone(src)) }

// splitMembers is objectMembers for text that stays as it is: the values are
// parts of it.
func splitMembers(text []byte) ([]Member, error) {
	if err := checkJSON(text); err != nil {
		return nil, err
	}
	var members []Member
	if !ScanObject(text, func(key, value []byte) {
		name, _ := DecodeString(key)
		members = append(members, Member{name, value})
	}) {
		return nil, errNoObject
	}
	return members, nil
}

// checkJSON reports what is wrong with JSON text.
func checkJSON(text []byte) error {
	if ValidJSON(text) {
		return nil
	}
	var value json.RawMessage
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return errors.New("no JSON value")
}

// normalizeJSON returns a JSON value in compact form, strings escaped one
// way, numbers as written, of keys given twice the last.
func normalizeJSON(src []byte) ([]byte, error) {
	if err := checkJSON(src); err != nil {
		return nil, err
	}
	n := normalizer{text: src, at: skipSpace(src, 0), out: make([]byte, 0, len(src))}
	err := n.value(0)
	return n.out, err
}

// maxJSONDepth bounds the nesting of values, so that every store can look
// into them (SQLite reads a thousand levels).
const maxJSONDepth = 900

// MaxMetadataDepth is how many levels of lists and objects metadata can have
// inside each other.
const MaxMetadataDepth = maxJSONDepth

// normalizer copies valid JSON text in normal form.
type normalizer struct {
	text []byte
	at   int // of the next value
	out  []byte
}

func (n *normalizer) value(depth int) error {
	if depth > maxJSONDepth {
		return errors.New("nested too deeply")
	}
	switch n.text[n.at] {
	case '[':
		return n.list(depth)
	case '{':
		return n.object(depth)
	case '"':
		n.str()
		return nil
	}
	end := endOfValue(n.text, n.at)
	n.out = append(n.out, n.text[n.at:end]...)
	n.at = end
	return nil
}

// str copies a string and returns where it lies in out.
func (n *normalizer) str() (start, end int) {
	start = len(n.out)
	text := n.text[n.at:endOfString(n.text, n.at)]
	n.at += len(text)
	if isPlain(text[1 : len(text)-1]) {
		n.out = append(n.out, text...)
	} else {
		s, _ := DecodeString(text)
		n.out = AppendJSONString(n.out, s)
	}
	return start, len(n.out)
}

func (n *normalizer) list(depth int) error {
	n.out = append(n.out, '[')
	first := true
	for n.at = skipSpace(n.text, n.at+1); n.text[n.at] != ']'; n.at = nextItem(n.text, n.at) {
		if !first {
			n.out = append(n.out, ',')
		}
		first = false
		if err := n.value(depth + 1); err != nil {
			return err
		}
	}
	n.at++
	n.out = append(n.out, ']')
	return nil
}

// fewMembers is up to how many members an object is gone through without a map.
const fewMembers = 8

// place is where a member of an object lies in out, key and value.
type place struct{ start, colon, end int }

func (n *normalizer) object(depth int) error {
	n.out = append(n.out, '{')
	start := len(n.out)
	var few [fewMembers]place // spares most objects an allocation
	members := few[:0]
	for n.at = skipSpace(n.text, n.at+1); n.text[n.at] != '}'; n.at = nextItem(n.text, n.at) {
		if len(members) > 0 {
			n.out = append(n.out, ',')
		}
		var m place
		m.start, m.colon = n.str()
		n.at = skipSpace(n.text, skipSpace(n.text, n.at)+1) // over the colon
		n.out = append(n.out, ':')
		if err := n.value(depth + 1); err != nil {
			return err
		}
		m.end = len(n.out)
		members = append(members, m)
	}
	n.at++
	n.out = append(n.dropRepeated(start, members), '}')
	return nil
}

// dropRepeated keeps of several members with one key the last, in the place of
// the first, and returns out with what is left. Keys are encoded one way, so
// their text is compared.
func (n *normalizer) dropRepeated(start int, members []place) []byte {
	if len(members) <= fewMembers && !n.repeats(members) {
		return n.out
	}
	last := make(map[string]int, len(members))
	for i, m := range members {
		last[string(n.out[m.start:m.colon])] = i
	}
	if len(last) == len(members) {
		return n.out
	}
	before := bytes.Clone(n.out[start:])
	part := func(from, to int) []byte { return before[from-start : to-start] }
	out := n.out[:start]
	done := make(map[string]bool, len(last))
	for _, m := range members {
		key := string(part(m.start, m.colon))
		if done[key] {
			continue
		}
		if len(done) > 0 {
			out = append(out, ',')
		}
		done[key] = true
		kept := members[last[key]]
		out = append(out, part(kept.start, kept.end)...)
	}
	return out
}

// repeats reports whether two of a few members have one key.
func (n *normalizer) repeats(members []place) bool {
	for i, m := range members {
		for _, earlier := range members[:i] {
			if bytes.Equal(n.out[m.start:m.colon], n.out[earlier.start:earlier.colon]) {
				return true
			}
		}
	}
	return false
}
