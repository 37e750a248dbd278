package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The judgements of values that need no store, one a parameter.

func judgeName(o Object, key string) {
	if s, ok := o[key].(string); ok {
		if isBlank(s) {
			refuseValue(key, s)
		}
		judgeLength(key, s, 128)
	}
}

func judgeLength(field, s string, limit int) {
	if n := utf8.RuneCountInString(s); n > limit {
		refuse("content_too_large", Object{"field": field, "length": n, "limit": limit})
	}
}

func judgeTitle(o Object) {
	if s, ok := o["title"].(string); ok {
		if isBlank(s) {
			refuseValue("title", s)
		}
		judgeLength("title", s, 500)
	}
}

func judgeBody(o Object, key string) {
	if s, ok := o[key].(string); ok && len(s) > 1_000_000 {
		refuse("content_too_large", Object{"field": key, "length": len(s), "limit": 1_000_000})
	}
}

func judgeTags(o Object, key string) {
	for i, tag := range list(o, key) {
		field := fmt.Sprintf("%s[%d]", key, i)
		if isBlank(tag) || strings.ContainsFunc(tag, unicode.IsControl) {
			refuseValue(field, tag)
		}
		judgeLength(field, tag, 128)
	}
}

func judgeVersion(o Object) {
	if n, ok := o["expected_version"].(int); ok && n < 1 {
		refuseValue("expected_version", n)
	}
}

func judgeMatch(o Object) {
	match, _ := o["metadata_match"].(Object)
	for _, key := range sortedKeys(match) {
		if key == "" {
			refuse("invalid_input", Object{"reason": "invalid_field_value", "field": "metadata_match"})
		}
		switch match[key].(type) {
		case nil, []any, Object:
			refuse("invalid_input", Object{"reason": "invalid_field_value", "field": "metadata_match." + key})
		}
	}
}

func judgeLeast(o Object, key string, least int) {
	if n, ok := o[key].(int); ok && n < least {
		refuseValue(key, n)
	}
}

func judgeTime(o Object, key string) {
	if s, ok := o[key].(string); ok {
		if _, ok := readTime(s); !ok {
			refuseValue(key, s)
		}
	}
}

func judgeFilterTime(o Object, key string) {
	if text(o, key) != "" {
		judgeTime(o, key)
	}
}

// judgeWord refuses a word outside a vocabulary under the code given.
func judgeWord(code, reason, field, word string, allowed ...string) {
	if slices.Contains(allowed, word) {
		return
	}
	extras := Object{"field": field, "value": word, "allowed": anyList(allowed)}
	if reason != "" {
		extras["reason"] = reason
	}
	if near := nearest(word, allowed); near != "" {
		extras["nearest"] = near
	}
	refuse(code, extras)
}

// nearest is the word within two edits, the closest, then the first.
func nearest(word string, allowed []string) string {
	for edits := range 3 {
		for _, candidate := range allowed {
			if within([]rune(word), []rune(candidate), edits) {
				return candidate
			}
		}
	}
	return ""
}

// within reports whether one word becomes the other by so many edits.
func within(a, b []rune, edits int) bool {
	switch {
	case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
		return within(a[1:], b[1:], edits)
	case len(a)+len(b) == 0:
		return true
	case edits == 0:
		return false
	}
	return len(a) > 0 && within(a[1:], b, edits-1) || len(b) > 0 && within(a, b[1:], edits-1) ||
		len(a) > 0 && len(b) > 0 && within(a[1:], b[1:], edits-1)
}

func sortedKeys(o Object) []string {
	var keys []string
	for key := range o {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// judgeGate validates the metadata of a gate and returns it as it is stored.
func judgeGate(metadata Object) Object {
	kinds := []string{"human", "timer", "ci", "pr", "external_task"}
	kind, isText := metadata["gate_type"].(string)
	switch {
	case metadata["gate_type"] == nil:
		refuse("invalid_input", Object{"reason": "missing_field", "field": "metadata.gate_type"})
	case !isText:
		extras := Object{"reason": "invalid_field_value", "field": "metadata.gate_type", "allowed": anyList(kinds)}
		if isScalar(metadata["gate_type"]) {
			extras["value"] = metadata["gate_type"]
		}
		refuse("invalid_input", extras)
	}
	judgeWord("invalid_input", "invalid_field_value", "metadata.gate_type", kind, kinds...)
	if kind != "timer" {
		return metadata
	}
	s, isText := metadata["ready_at"].(string)
	switch {
	case metadata["ready_at"] == nil:
		refuse("invalid_input", Object{"reason": "missing_field", "field": "metadata.ready_at"})
	case !isText:
		extras := Object{"reason": "invalid_field_value", "field": "metadata.ready_at"}
		if isScalar(metadata["ready_at"]) {
			extras["value"] = metadata["ready_at"]
		}
		refuse("invalid_input", extras)
	}
	at, ok := readTime(s)
	if !ok {
		refuseValue("metadata.ready_at", s)
	}
	stored := Object{}
	for key, value := range metadata {
		stored[key] = value
	}
	stored["ready_at"] = stampText(wholeSeconds(at))
	return stored
}

func isScalar(value any) bool {
	switch value.(type) {
	case Object, []any:
		return false
	}
	return true
}

// judgeKeys refuses dependency keys in the metadata a call supplies.
func judgeKeys(metadata any) {
	m, _ := metadata.(Object)
	for _, key := range []string{"blocked_on", "depends_on"} {
		if _, ok := m[key]; ok {
			refuse("invalid_metadata_key", Object{"field": "metadata." + key})
		}
	}
}

// canonical is what makes two calls the same: nulls dropped, defaults filled.
func canonical(arguments, defaults Object) string {
	kept := Object{}
	for key, value := range defaults {
		kept[key] = value
	}
	for key, value := range arguments {
		if value != nil {
			kept[key] = value
		}
	}
	b, err := json.Marshal(kept)
	if err != nil {
		panic(err)
	}
	return string(b)
}
