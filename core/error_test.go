package core

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestError_envelope(t *testing.T) {
	err := NewError(CodeParentExists, "The child already has the parent 'Storage layer'.",
		Extra{"parent_id", "0b7a9e14-5d28-4e63-b1c7-8f9e0a1b2c3d"}, Extra{"parent_title", "Storage layer"})
	want := `{"status":"error","code":"parent_exists","message":"The child already has the parent 'Storage layer'.","parent_id":"0b7a9e14-5d28-4e63-b1c7-8f9e0a1b2c3d","parent_title":"Storage layer"}`
	for _, text := range [][]byte{err.AppendJSON(nil), must(EncodeJSON(err)), must(err.MarshalJSON())} {
		if string(text) != want {
			t.Errorf("the envelope is %s, want %s", text, want)
		}
	}
	if err.Exit() != 4 || err.Error() != err.Message || err.Extra("parent_title") != "Storage layer" || err.Extra("nothing") != nil {
		t.Errorf("exit %d, message %q, extra %v", err.Exit(), err.Error(), err.Extra("parent_title"))
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

func TestAsError(t *testing.T) {
	if AsError(nil) != nil {
		t.Error("no error becomes one")
	}
	known := MissingField("title")
	if got := AsError(fmt.Errorf("read arguments: %w", misfit(known))); got != known {
		t.Errorf("a wrapped error becomes %v", got)
	}
	fault := errors.New("SELECT broke: disk I/O error")
	got := AsError(fault)
	if got.Code != CodeInternalError || got.Exit() != 70 || !errors.Is(got, fault) || strings.Contains(got.Message, "SELECT") {
		t.Errorf("a fault becomes %s: %s", got.Code, got.Message)
	}
	if text := string(got.AppendJSON(nil)); !strings.HasSuffix(text, `,"crash_file":null}`) {
		t.Errorf("a fault without a crash file: %s", text)
	}
	path := "/tmp/crash.txt"
	if got := InternalError(fault, &path); got.Extra("crash_file") != path {
		t.Errorf("crash_file is %v", got.Extra("crash_file"))
	}
	if IsMisfit(known) || !IsMisfit(fmt.Errorf("wrapped: %w", misfit(known))) || IsMisfit(nil) {
		t.Error("misfits of shape are not told apart")
	}
}

func TestNearest(t *testing.T) {
	words := []string{"open", "completed", "cancelled"}
	for _, c := range []struct {
		received string
		allowed  []string
		want     string
	}{
		{"open", words, "open"},
		{"opne", words, "open"},   // two replaced
		{"ope", words, "open"},    // one missing
		{"opened", words, "open"}, // two too many
		{"openeds", words, ""},
		{"complete", words, "completed"},
		{"canceled", words, "cancelled"},
		{"cancled", words, "cancelled"},
		{"cancel", words, ""},
		{"finished", words, ""},
		{"OPEN", words, ""},
		{"", words, ""},
		{"", []string{"ci", "pr"}, "ci"},
		{"task", []string{"mask", "tasks", "task"}, "task"}, // the closest
		{"bask", []string{"task", "mask"}, "task"},          // then the first
		{"öpen", words, "open"},                             // one character, whatever its bytes
		{"öpën", words, "open"},
		{"öpëń", words, ""},
		{"日本", []string{"ab"}, "ab"},
		{"a", nil, ""},
		{strings.Repeat("x", 100_000), words, ""},
	} {
		got, ok := Nearest(c.received, c.allowed)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Nearest(%.20q, %v) = %q, %v; want %q", c.received, c.allowed, got, ok, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{strings.Repeat("é", 200), strings.Repeat("é", 200)},
		{strings.Repeat("é", 201), strings.Repeat("é", 200) + "…"},
	} {
		if got := clip(c.in); got != c.want {
			t.Errorf("%d characters are cut to %d: %q", len([]rune(c.in)), len([]rune(got)), got)
		}
	}
	long := strings.Repeat("x", 1000)
	for _, err := range []*Error{
		InvalidValue("f", long, "m"), InvalidWord("f", long, "word", []string{"a"}),
		unknownWord(CodeInvalidTaskType, "", "f", long, "word", []string{"a"}),
	} {
		if got := err.Extra("value"); got != strings.Repeat("x", 200)+"…" {
			t.Errorf("%s echoes %v", err.Code, got)
		}
		if len(err.Message) > 400 {
			t.Errorf("%s says %q", err.Code, err.Message)
		}
	}
}

func TestUnknownWord(t *testing.T) {
	for _, c := range []struct {
		err  *Error
		want []keyValue
	}{
		{InvalidWord("sort", "priorty", "sort order", words(Sorts)), []keyValue{
			{"reason", "invalid_field_value"}, {"field", "sort"}, {"value", "priorty"},
			{"allowed", []any{"priority", "created", "updated", "impact"}}, {"nearest", "priority"},
		}},
		{unknownWord(CodeInvalidEdgeType, "", "type", "block", "edge type", words(EdgeTypes)), []keyValue{
			{"field", "type"}, {"value", "block"},
			{"allowed", []any{"blocks", "waits_on_gate", "parent_child", "discovered_from"}}, {"nearest", "blocks"},
		}},
		{UnknownField("tittle", "argument", []string{"title", "agent"}), []keyValue{
			{"reason", "unknown_field"}, {"field", "tittle"}, {"allowed", []any{"title", "agent"}}, {"nearest", "title"},
		}},
		{MissingField("title"), []keyValue{{"reason", "missing_field"}, {"field", "title"}}},
		{Malformed("", "No text."), []keyValue{{"reason", "malformed"}}},
	} {
		_, extras := envelope(t, c.err)
		if diff := cmp.Diff(c.want, extras); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.err.Message, diff)
		}
		checkDocumented(t, c.err.Message, c.err)
	}
}
