package store

import (
	"testing"

	"dev.lithos/core"
)

// TestExport_unreadable holds that an export with filters fails on a task of
// which nobody can tell whether they select it, and on one that it would give
// otherwise than it is; but not on one that another filter leaves out.
func TestExport_unreadable(t *testing.T) {
	word := func(s string) *string { return &s }
	match := core.Metadata(`{"project":"p3"}`)
	filters := map[string]core.TaskListRequest{
		"tag": {Tags: []string{"graph"}}, "metadata": {MetadataMatch: &match}, "text": {Text: word("number 5")},
		"status": {Status: word("open")}, "type": {TaskType: word("task")}, "author": {Agent: word("generator")},
	}
	for fault, sql := range map[string]string{
		"tags":       "tags = '['",
		"tags' kind": "tags = '{}'",
		"a tag":      "tags = '[1]'",
		"metadata":   "metadata = '{'",
		"a text":     "description = CAST(x'ff' AS TEXT)",
	} {
		path := sample(t)
		change(t, path, "PRAGMA ignore_check_constraints = ON; UPDATE tasks SET status = 0, resolved_at = NULL, "+sql+" WHERE seq = 5")
		s := openWith(t, Options{Path: path, ReadOnly: true})
		service := core.New(core.Config{Store: s, ReadOnly: true})
		export := func(list core.TaskListRequest) error {
			return service.Export(t.Context(), core.ExportRequest{Tasks: list}, func(*core.TransferRecord) error { return nil })
		}
		for name, list := range filters {
			if fault == "a text" && name == "metadata" {
				continue // that can be read, and does not match
			}
			err := core.AsError(export(list))
			if err == nil || err.Code != core.CodeStoreUnavailable || err.Extra("reason") != ReasonCorrupt {
				t.Errorf("unreadable: %s, filter: %s: the answer is %v", fault, name, err)
			}
		}
		for name, list := range map[string]core.TaskListRequest{"closed": {Status: word("completed"), Tags: []string{"graph"}}, "nobody's": {Agent: word("nobody"), MetadataMatch: &match}} {
			if err := export(list); err != nil {
				t.Errorf("unreadable: %s, which is not %s: %v", fault, name, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
