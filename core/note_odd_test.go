package core

import (
	"fmt"
	"strings"
	"testing"
)

// matterOf reads keys with JSON values as a note, and returns those it would be
// written with, as key=value.
func matterOf(t *testing.T, change func(*Note), keys ...string) (Note, map[string]string) {
	t.Helper()
	var file NoteFile
	for _, key := range keys {
		name, value, _ := strings.Cut(key, "=")
		file.Fields = append(file.Fields, NoteField{Key: name, Value: []byte(value)})
	}
	n, err := noteOfFile(file, unwritten{id: "x"})
	if err != nil {
		t.Fatal(err)
	}
	change(&n)
	written := map[string]string{}
	for _, field := range n.file().Fields {
		if _, twice := written[field.Key]; twice {
			t.Errorf("%s is written twice", field.Key)
		}
		written[field.Key] = string(field.Value)
	}
	return n, written
}

// TestOddKeys holds that what is not understood of a known key reads as if it
// were absent and stays in the file, until the key is given a value.
func TestOddKeys(t *testing.T) {
	given := func(req NoteWriteRequest) func(*Note) { return func(n *Note) { n.settleGiven(req) } }
	active, half := NoteActive, 0.5
	for _, test := range []struct {
		key    string
		change func(*Note)
		want   string
	}{
		{`status="draft"`, func(*Note) {}, `"draft"`},
		{`status="draft"`, given(NoteWriteRequest{Tags: []string{"x"}}), `"draft"`},
		{`status="draft"`, given(NoteWriteRequest{Status: &active}), `"active"`},
		{`status="draft"`, func(n *Note) { n.Status = NoteQuarantined }, `"quarantined"`},
		{`status=["a"]`, func(*Note) {}, `["a"]`},
		{`status=""`, func(*Note) {}, `"active"`},
		{`status=null`, func(*Note) {}, `"active"`},
		{`note_type="recipe"`, func(*Note) {}, `"recipe"`},
		{`access_scope=7`, func(*Note) {}, `7`},
		{`confidence="high"`, func(*Note) {}, `"high"`},
		{`confidence=80`, func(*Note) {}, `80`},
		{`confidence=0.70`, func(*Note) {}, `0.7`},
		{`confidence="high"`, func(n *Note) { n.Confidence = half }, `0.5`},
		{`schema_version="v2"`, func(*Note) {}, `"v2"`},
		{`schema_version=2`, func(*Note) {}, `2`},
		{`tags="one"`, func(*Note) {}, `["one"]`},
		{`tags=["a",null,"",7,true]`, func(*Note) {}, `["a","7","true"]`},
		{`tags=["a",{"b":1}]`, func(*Note) {}, `["a",{"b":1}]`},
		{`tags=["a",{"b":1}]`, func(n *Note) { n.Tags = []string{"c"} }, `["c"]`},
		{`tags={"b":1}`, given(NoteWriteRequest{Tags: []string{}}), `[]`},
		{`aliases={"b":1}`, func(*Note) {}, `{"b":1}`},
		{`contributors=[["x"]]`, func(*Note) {}, `[["x"]]`},
		{`entities=[{"name":"x"}]`, func(*Note) {}, `[{"name":"x"}]`},
		{`derived_from_ids=[5,"B"]`, func(*Note) {}, `["5","B"]`},
		{`derived_from_ids=[{"id":5}]`, func(*Note) {}, `[{"id":5}]`},
		{`derived_from_ids=[{"id":5}]`, given(NoteWriteRequest{DerivedFromIDs: []string{}}), ``},
		{`supersedes=[["x"]]`, func(*Note) {}, `[["x"]]`},
		{`source={"task":"x"}`, func(*Note) {}, `{"task":"x"}`},
		{`source_url=["x"]`, func(*Note) {}, `["x"]`},
		{`namespace=["x"]`, func(*Note) {}, `["x"]`},
		{`entities_extractor=["x"]`, func(*Note) {}, `["x"]`},
		{`summaries="short"`, func(*Note) {}, `"short"`},
		{`summaries={"short":"s"}`, func(*Note) {}, `{"short":"s"}`},
		{`version="two"`, func(*Note) {}, `1`},
		{`author=["x"]`, func(*Note) {}, `["x"]`},
	} {
		key, _, _ := strings.Cut(test.key, "=")
		n, written := matterOf(t, test.change, test.key)
		if written[key] != test.want {
			t.Errorf("%s is written as %s, want %s", test.key, written[key], test.want)
		}
		if written[key] != "" {
			if _, again := matterOf(t, func(*Note) {}, key+"="+written[key]); again[key] != written[key] {
				t.Errorf("%s, written as %s, is written again as %s", test.key, written[key], again[key])
			}
		}
		kept := n.hasOdd(key) && strings.HasSuffix(test.key, "="+test.want)
		if text := string(NoteReadResult{ID: n.ID, Note: n}.AppendJSON(nil)); kept && strings.Contains(text, fmt.Sprintf("%q:%s", key, test.want)) {
			t.Errorf("%s reads as it stands: %s", test.key, text)
		}
	}
}

// TestSpelledNames holds that numbers that stand for names are the names that
// stand in the file.
func TestSpelledNames(t *testing.T) {
	n, err := noteOfFile(NoteFile{Fields: []NoteField{
		{Key: "id", Value: []byte("83"), Source: "0123\n", Spelled: []byte(`"0123"`)},
		{Key: "tags", Value: []byte("[7,1]"), Source: "- 007\n- 1\n", Spelled: []byte(`["007","1"]`)},
		{Key: "confidence", Value: []byte("0.5"), Source: ".5\n", Spelled: []byte(`".5"`)},
	}}, unwritten{})
	if err != nil || n.ID != "0123" || strings.Join(n.Tags, " ") != "007 1" || n.Confidence != 0.5 {
		t.Errorf("it reads as %+v, %v", n, err)
	}
}

// TestNoteLevels holds how deep metadata of notes can be.
func TestNoteLevels(t *testing.T) {
	for text, want := range map[string]int{`{}`: 1, `{"a":[{"b":1}],"c":{}}`: 3, `{"[[[":"{\"[[{"}`: 1} {
		if got := jsonLevels(text); got != want {
			t.Errorf("%s has %d levels, want %d", text, got, want)
		}
	}
	for levels, fine := range map[int]bool{MaxNoteLevels: true, MaxNoteLevels + 1: false} {
		metadata := Metadata(`{"a":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `}`)
		err := checkNoteMetadata(&metadata)
		e := asContractError(err)
		if fine != (err == nil) || !fine && (e.Code != CodeContentTooLarge || e.Extra("field") != "metadata" || e.Extra("length") != levels || e.Extra("limit") != MaxNoteLevels) {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}
