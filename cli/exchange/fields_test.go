package exchange

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"dev.lithos/core"
)

func TestFields_whyNotJSON(t *testing.T) {
	for line, want := range map[string]string{
		`{"a":1`:                          "It is not valid JSON: it ends too early.",
		`{"a":1} x`:                       "Text follows the JSON value at byte 8.",
		`{"a":tru}`:                       "It is not valid JSON at byte 9.",
		`x`:                               "It is not valid JSON at byte 1.",
		`[1]`:                             "It is a JSON list, and one object a line is read here: jq -c '.[]' makes lines of a list.",
		"\xff\xfe{":                       "The file is UTF-16; save it as UTF-8.",
		`null`:                            "It is no JSON object.",
		`=======`:                         "It is a marker of an unresolved merge conflict.",
		`<<<<<<< HEAD`:                    "It is a marker of an unresolved merge conflict.",
		`>>>>>>> theirs`:                  "It is a marker of an unresolved merge conflict.",
		"{\"a\":\"\xff\"}":                "The input is not valid UTF-8.",
		"{\"a\":\"\x00\"}":                "The input holds a NUL character.",
		`{"a":"\u0000"}`:                  "The input holds a NUL character.",
		`{"a":"\udc00"}`:                  "The input holds half of a surrogate pair.",
		strings.Repeat("[", maxDepth+1):   "It is nested too deeply.",
		strings.Repeat(`{"a":`, maxDepth): "It is not valid JSON: it ends too early.",
		strings.Repeat(`{"a":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1): "It is nested too deeply.",
	} {
		var f fields
		f.read([]byte(line))
		if f.reason != want {
			t.Errorf("%.40q: got %q, want %q", line, f.reason, want)
		}
	}
}

// Whatever the bytes, an object is split as the JSON library reads it, or
// there is a reason why not.
func FuzzFields(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { "a" : 1 , "b":[1,{"c":"}"}], "a":-1.5e+3} `, `{"a":"\"\\","b":"\u00e9\ud83d\ude00"}`, `{"":null,"t":true,"f":false}`,
		`{"a":1}}`, `[{}]`, `"x"`, `{"a":{"b":{}},"c":[[]]}`, "{\"a\":\"\x00\"}", `{"a":1e400}`, `{"a\n":1}`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) == 0 {
			return // blank lines never get here
		}
		var got fields
		got.read(line)
		var want map[string]json.RawMessage
		isObject := bytes.HasPrefix(bytes.TrimLeft(line, " \t\r\n"), []byte("{")) && json.Unmarshal(line, &want) == nil
		if readable := isObject && core.CheckJSONText("", line) == nil; readable != (got.reason == "") {
			t.Fatalf("readable %v, but reason %q", readable, got.reason)
		}
		if got.reason != "" {
			return
		}
		seen := map[string]json.RawMessage{}
		for _, member := range got.list {
			seen[member.key] = member.value
		}
		if len(seen) != len(want) {
			t.Fatalf("keys %v, want %v", seen, want)
		}
		for key, value := range want {
			if string(seen[key]) != string(value) {
				t.Errorf("%q: %s, want %s", key, seen[key], value)
			}
		}
	})
}
