package core

import (
	"encoding/json"
	"slices"
)

// oddField is a key with a meaning whose value lacks it, such as a status of
// somebody's own. It reads as if it were absent, and stays in the file until
// the key is given another value.
type oddField struct {
	field NoteField
	reads json.RawMessage // what a file would say that means what it reads as; nil for nothing
}

// keepOdd notes which of the keys of a file say more than was understood.
func (n *Note) keepOdd(fields []NoteField) {
	for _, field := range fields {
		if n.isOdd(field) {
			n.odd = append(n.odd, oddField{field: field})
		}
	}
	if len(n.odd) == 0 {
		return
	}
	file := n.fields()
	for i, odd := range n.odd {
		at := slices.IndexFunc(file, func(f NoteField) bool { return f.Key == odd.field.Key })
		if at >= 0 {
			n.odd[i].reads = file[at].Value
		}
	}
}

// isOdd reports whether a rewrite would lose something of a key with a meaning.
func (n *Note) isOdd(field NoteField) bool {
	raw := field.Value
	if string(raw) == "null" {
		return false
	}
	word := func(vocabulary []string) bool {
		s, ok := scalarText(raw)
		return !ok || !isBlank(s) && !contains(vocabulary, s)
	}
	switch field.Key {
	case "tags", "aliases", "contributors", "entities", "supersedes", "derived_from_ids":
		items, err := jsonList(raw)
		if err != nil {
			items = []json.RawMessage{raw}
		}
		return slices.ContainsFunc(items, isNested)
	case "author", "source", "source_url", "namespace", "entities_extractor":
		return isNested(raw)
	case "access_scope":
		return word(AccessScopes)
	case "note_type":
		return word(NoteTypes)
	case "status":
		return word(NoteStatuses)
	case "confidence":
		written, err := EncodeJSON(Real(n.Confidence))
		return !isJSONNumber(raw) || err == nil && !sameNumber(raw, written)
	case "schema_version":
		_, ok := jsonInteger(raw)
		return !ok
	case "summaries":
		return n.Summaries == ""
	}
	return false
}

// isNested reports whether a value is a list or an object.
func isNested(raw json.RawMessage) bool { return raw[0] == '[' || raw[0] == '{' }

// sameNumber reports whether two numbers are one.
func sameNumber(a, b json.RawMessage) bool {
	var x, y float64
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x == y
}

// settle says that a key has the value it reads as, whatever stands in the
// file.
func (n *Note) settle(key string) {
	n.odd = slices.DeleteFunc(slices.Clone(n.odd), func(o oddField) bool { return o.field.Key == key })
}

// settleGiven settles the keys that a request names.
func (n *Note) settleGiven(req NoteWriteRequest) {
	for key, given := range map[string]bool{
		"tags": req.Tags != nil, "confidence": req.Confidence != nil, "source": req.SourceTask != nil, "source_url": req.SourceURL != nil,
		"derived_from_ids": req.DerivedFromIDs != nil, "schema_version": req.SchemaVersion != nil, "namespace": valueOr(req.Namespace, "") != "",
		"access_scope": req.AccessScope != nil, "note_type": req.NoteType != nil, "status": req.Status != nil, "summaries": req.Summaries != nil,
	} {
		if given {
			n.settle(key)
		}
	}
}

// hasOdd reports whether a key has a value in the file that was not understood.
func (n Note) hasOdd(key string) bool {
	return slices.ContainsFunc(n.odd, func(o oddField) bool { return o.field.Key == key })
}

// withOdd puts back, among the keys of a file, what was not understood and has
// not been given another value.
func (n Note) withOdd(fields []NoteField) []NoteField {
	for _, odd := range n.odd {
		at := slices.IndexFunc(fields, func(f NoteField) bool { return f.Key == odd.field.Key })
		switch {
		case at < 0 && odd.reads == nil:
			fields = append(fields, odd.field)
		case at >= 0 && string(fields[at].Value) == string(odd.reads):
			fields[at] = odd.field
		}
	}
	return fields
}
