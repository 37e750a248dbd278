package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	members, err := objectMembers([]byte(m.Text()))
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
	if !ok || len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// MakeMetadata builds an object from members; a later one of the same key
// replaces the earlier one in its place.
func MakeMetadata(members []Member) Metadata {
	at := make(map[string]int, len(members))
	kept := make([]Member, 0, len(members))
	for _, member := range members {
		if i, seen := at[member.Key]; seen {
			kept[i] = member
			continue
		}
		at[member.Key] = len(kept)
		kept = append(kept, member)
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
func objectMembers(src []byte) ([]Member, error) {
	dec := json.NewDecoder(bytes.NewReader(src))
	if err := expectDelim(dec, '{'); err != nil {
		return nil, err
	}
	var members []Member
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, Member{key, value})
	}
	return members, finishJSON(dec, '}')
}

func expectDelim(dec *json.Decoder, delim rune) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if token != json.Delim(delim) {
		return fmt.Errorf("expected %c", delim)
	}
	return nil
}

// finishJSON reads the closing delimiter and refuses anything after it.
func finishJSON(dec *json.Decoder, delim rune) error {
	if err := expectDelim(dec, delim); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the end of the JSON value")
	}
	return nil
}

// normalizeJSON returns a JSON value in compact form, strings escaped one
// way, numbers as written, of keys given twice the last.
func normalizeJSON(src []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	out, err := appendNormalized(nil, dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the end of the JSON value")
	}
	return out, nil
}

// maxJSONDepth bounds the nesting of values, so that every store can look
// into them (SQLite reads a thousand levels).
const maxJSONDepth = 900

func appendNormalized(dst []byte, dec *json.Decoder) ([]byte, error) {
	return appendNormalizedAt(dst, dec, 0)
}

func appendNormalizedAt(dst []byte, dec *json.Decoder, depth int) ([]byte, error) {
	if depth > maxJSONDepth {
		return nil, errors.New("nested too deeply")
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '[' {
			return appendNormalizedList(dst, dec, depth)
		}
		return appendNormalizedObject(dst, dec, depth)
	case string:
		return AppendJSONString(dst, v), nil
	case json.Number:
		return append(dst, v...), nil
	case bool:
		if v {
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	}
	return append(dst, "null"...), nil
}

func appendNormalizedList(dst []byte, dec *json.Decoder, depth int) ([]byte, error) {
	dst = append(dst, '[')
	var err error
	for first := true; dec.More(); first = false {
		if !first {
			dst = append(dst, ',')
		}
		if dst, err = appendNormalizedAt(dst, dec, depth+1); err != nil {
			return nil, err
		}
	}
	_, err = dec.Token()
	return append(dst, ']'), err
}

func appendNormalizedObject(dst []byte, dec *json.Decoder, depth int) ([]byte, error) {
	var members []Member
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		value, err := appendNormalizedAt(nil, dec, depth+1)
		if err != nil {
			return nil, err
		}
		members = append(members, Member{key, value})
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	return append(dst, MakeMetadata(members)...), nil
}
