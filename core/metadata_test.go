package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMetadata(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, `{}`},
		{" \t\r\n{ } ", `{}`},
		{`{ "b" : 1 , "a" : [ 1 , { "x" : null } ] }`, `{"b":1,"a":[1,{"x":null}]}`},
		// Of a key given twice the last value counts, at every depth, whatever
		// way it is spelled.
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{`{"a":1,"\u0061":2}`, `{"a":2}`},
		{`{"o":{"x":1,"x":2},"l":[{"y":1,"y":[]}]}`, `{"o":{"x":2},"l":[{"y":[]}]}`},
		{`{"":1,"":2}`, `{"":2}`},
		// Numbers keep their literal.
		{
			`{"i":1,"r":1.0,"e":1e3,"E":-1.50E+10,"big":123456789012345678901234567890,"z":-0,"zr":-0.0}`,
			`{"i":1,"r":1.0,"e":1e3,"E":-1.50E+10,"big":123456789012345678901234567890,"z":-0,"zr":-0.0}`,
		},
		// Strings are escaped one way.
		{`{"s":"\u00e9\/\ud83d\ude42\u001b\u007f<&>\u2028"}`, "{\"s\":\"é/🙂\\u001b\\u007f<&>\\u2028\"}"},
		{"{\"s\":\"\u0085\u00a0\"}", "{\"s\":\"\\u0085\u00a0\"}"},
		{`{"t":true,"f":false,"n":null}`, `{"t":true,"f":false,"n":null}`},
	} {
		got, err := ParseMetadata([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("ParseMetadata(%s) = %s, %v; want %s", c.in, got, err, c.want)
			continue
		}
		again, err := ParseMetadata([]byte(got))
		if err != nil || again != got {
			t.Errorf("%s changes when it is parsed again: %s, %v", got, again, err)
		}
		var read Metadata
		if err := json.Unmarshal([]byte(c.in), &read); err != nil || read != got {
			t.Errorf("Unmarshal(%s) = %s, %v", c.in, read, err)
		}
	}
}

func TestParseMetadata_refuses(t *testing.T) {
	for _, in := range []string{
		``, ` `, `null`, `[]`, `"{}"`, `1`, `true`, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":1} {}`, `{"a":01}`,
		`{"a":1}x`, `{"a":"\x"}`, "{\"a\":\"\n\"}", strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000),
	} {
		if got, err := ParseMetadata([]byte(in)); err == nil {
			t.Errorf("ParseMetadata(%.60s) = %.60s, want an error", in, got)
		}
	}
}

func TestParseMetadata_depth(t *testing.T) {
	nested := func(levels int) string { return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels) }
	if _, err := ParseMetadata([]byte(nested(maxJSONDepth))); err != nil {
		t.Errorf("%d levels: %v", maxJSONDepth, err)
	}
	if _, err := ParseMetadata([]byte(nested(maxJSONDepth + 1))); err == nil {
		t.Errorf("%d levels were accepted", maxJSONDepth+1)
	}
}

func TestMetadata_Merge(t *testing.T) {
	for _, c := range []struct{ have, patch, want string }{
		{``, ``, `{}`},
		{``, `{}`, `{}`},
		{`{"a":1}`, ``, `{"a":1}`},
		{`{"a":1}`, `{}`, `{"a":1}`},
		{``, `{"a":1}`, `{"a":1}`},
		{`{"a":1,"b":2}`, `{"b":3,"c":4}`, `{"a":1,"b":3,"c":4}`},
		// Null deletes; deleting what is not there has no effect.
		{`{"a":1,"b":2}`, `{"a":null}`, `{"b":2}`},
		{`{"a":1}`, `{"zz":null}`, `{"a":1}`},
		{``, `{"zz":null}`, `{}`},
		// Nested objects and lists are replaced whole.
		{`{"o":{"x":1,"y":2}}`, `{"o":{"x":3}}`, `{"o":{"x":3}}`},
		{`{"o":{"x":1}}`, `{"o":{"x":null}}`, `{"o":{"x":null}}`},
		{`{"l":[1,2]}`, `{"l":[]}`, `{"l":[]}`},
		// Others stay, null values that were stored before included.
		{`{"n":null,"a":1}`, `{"a":2}`, `{"n":null,"a":2}`},
		{`{"n":null}`, `{"n":null}`, `{}`},
		// Kinds of numbers stay apart.
		{`{"a":1}`, `{"a":1.0}`, `{"a":1.0}`},
		{`{"depends_on":"x"}`, `{"a":1}`, `{"depends_on":"x","a":1}`},
	} {
		if got := Metadata(c.have).Merge(Metadata(c.patch)); string(got) != c.want {
			t.Errorf("%s merged with %s is %s, want %s", c.have, c.patch, got, c.want)
		}
	}
}

func TestMetadata_Get(t *testing.T) {
	m, err := ParseMetadata([]byte(`{"project":"core","n":1,"nul":null,"quo\"te":"x","nested":{"inner":"no"},"é":"y","s\u001b":"z","a/b":"w"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key, text, raw string
		is, isString   bool
	}{
		{"project", "core", `"core"`, true, true},
		{"n", "", "1", true, false},
		{"nul", "", "null", true, false},
		{`quo"te`, "x", `"x"`, true, true},
		{"é", "y", `"y"`, true, true},
		{"s\x1b", "z", `"z"`, true, true},
		{"a/b", "w", `"w"`, true, true},
		{"inner", "", "", false, false},
		{"core", "", "", false, false},
		{"", "", "", false, false},
		{"proj", "", "", false, false},
	} {
		raw, ok := m.Get(c.key)
		if ok != c.is || string(raw) != c.raw {
			t.Errorf("Get(%q) = %s, %v; want %s, %v", c.key, raw, ok, c.raw, c.is)
		}
		text, ok := m.GetString(c.key)
		if ok != c.isString || text != c.text {
			t.Errorf("GetString(%q) = %q, %v; want %q, %v", c.key, text, ok, c.text, c.isString)
		}
	}
	var empty Metadata
	if empty.Text() != "{}" || len(empty.Members()) != 0 {
		t.Errorf("the empty metadata is %s with %d members", empty.Text(), len(empty.Members()))
	}
}

func TestTags(t *testing.T) {
	for _, list := range [][]string{{}, {"a"}, {"b", "a", "b"}, {"ü ", "\"\\", "日本"}} {
		if diff := cmp.Diff(list, MakeTags(list).List()); diff != "" {
			t.Errorf("tags change on the way: -want +got\n%s", diff)
		}
	}
	for _, text := range []Tags{"", "{}", "null", "[1]", "broken"} {
		if list := text.List(); list == nil || len(list) != 0 {
			t.Errorf("Tags(%q).List() = %v, want []", text, list)
		}
	}
}

func TestParseMatch(t *testing.T) {
	got, err := parseMatch("metadata_match", `{"a":"x","b":1,"c":1.0,"d":true,"e.f":"literal","é":-2e5}`)
	want := []MetadataCondition{{"a", `"x"`}, {"b", `1`}, {"c", `1.0`}, {"d", `true`}, {"e.f", `"literal"`}, {"é", `-2e5`}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("conditions: %v -want +got\n%s", err, diff)
	}
	for _, in := range []Metadata{`{"a":null}`, `{"a":[]}`, `{"a":{}}`, `{"":1}`, `{"a":1,"b":[1]}`} {
		_, err := parseMatch("metadata_match", in)
		if e := AsError(err); err == nil || e.Code != CodeInvalidInput || e.Extra("reason") != ReasonInvalidValue {
			t.Errorf("parseMatch(%s): %v", in, err)
		}
	}
}

func FuzzMetadata(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":1,"b":{"c":[null,1.0]}}`, `{"a":null,"d":"x"}`}, {`{"a":1,"a":2}`, `{"a":null,"a":3}`},
		{`{"\u0061":"\ud83d\ude42"}`, `{"":""}`}, {`{}`, `[]`}, {`{"n":-0.0e5}`, `{"n":1E400}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		a, errA := ParseMetadata([]byte(first))
		var oracle map[string]any
		if errOracle := decodeNumbers(first, &oracle); (errOracle == nil && oracle != nil) != (errA == nil) && !tooDeep(first) {
			t.Fatalf("ParseMetadata(%q): %v, encoding/json: %v", first, errA, errOracle)
		}
		b, errB := ParseMetadata([]byte(second))
		if errA != nil || errB != nil {
			return
		}
		var patch, merged map[string]any
		if err := decodeNumbers(string(b), &patch); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if err := decodeNumbers(string(a.Merge(b)), &merged); err != nil {
			t.Fatalf("%q merged with %q: %v", a, b, err)
		}
		for key, value := range patch {
			if value == nil {
				delete(oracle, key)
			} else {
				oracle[key] = value
			}
		}
		if diff := cmp.Diff(oracle, merged); diff != "" {
			t.Errorf("%q merged with %q: -want +got\n%s", a, b, diff)
		}
		if members := a.Merge(b).Members(); len(members) != len(merged) {
			t.Errorf("%d members of %d keys", len(members), len(merged))
		}
		if bytes.ContainsAny([]byte(a), "\n\t") {
			t.Errorf("%q is not compact", a)
		}
	})
}

func decodeNumbers(text string, into any) error {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if strings.TrimLeft(text[dec.InputOffset():], " \t\r\n") != "" {
		return fmt.Errorf("text after the end")
	}
	return nil
}

// tooDeep reports whether a text is nested beyond what lithos keeps.
func tooDeep(text string) bool {
	return strings.Count(text, "{")+strings.Count(text, "[") > maxJSONDepth
}
