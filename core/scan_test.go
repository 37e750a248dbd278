package core

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// Whatever the text, its members are those that the library reads.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { "a" : 1 , "b":[1,{"c":"}"}], "a":-1.5e+3} `, `{"a":"\"\\","b":"\u00e9\ud83d\ude00","":null}`,
		`[]`, ` [ 1 , "]" , [[]] ,{"a":[]},true] `, `"x"`, `7`, `{"a":1}}`, "{\"a\":\"\xff\"}", `{"a\n":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			if members, err := objectMembers(text); err == nil {
				t.Fatalf("%q is no JSON, but has the members %v", text, members)
			}
			return
		}
		var object map[string]json.RawMessage
		isObject := json.Unmarshal(text, &object) == nil && object != nil
		scanned := map[string]string{}
		if ScanObject(text, func(key, value []byte) {
			name, ok := DecodeString(key)
			if !ok || !json.Valid(value) {
				t.Errorf("%q: %q", key, value)
			}
			scanned[name] = string(value)
		}) != isObject || len(scanned) != len(object) {
			t.Fatalf("object %v, want %v", scanned, object)
		}
		for key, value := range object {
			if scanned[key] != string(value) {
				t.Errorf("%q: %s, want %s", key, scanned[key], value)
			}
		}
		var list []json.RawMessage
		isList := json.Unmarshal(text, &list) == nil && list != nil
		var items []string
		if ScanList(text, func(item []byte) { items = append(items, string(item)) }) != isList || len(items) != len(list) {
			t.Fatalf("list %v, want %v", items, list)
		}
		for i, item := range list {
			if items[i] != string(item) {
				t.Errorf("%d: %s, want %s", i, items[i], item)
			}
		}
	})
}

// Neither nesting nor repeated keys make normalising slow.
func TestNormalizeJSON_time(t *testing.T) {
	wide := strings.Repeat(`{"a":1,"a":2},`, 200_000)
	for name, text := range map[string]string{
		"deep and long": strings.Repeat(`{"a":[`, 400) + `"` + strings.Repeat("é", 1_000_000) + `"` + strings.Repeat("]}", 400),
		"repeated":      `[` + strings.TrimSuffix(wide, ",") + `]`,
		"many keys":     `{` + strings.Repeat(`"a":1,`, 500_000) + `"b":2}`,
	} {
		start := time.Now()
		if _, err := normalizeJSON([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}
