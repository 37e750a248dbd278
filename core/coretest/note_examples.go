package coretest

import (
	"os"
	"path/filepath"
	"testing"
)

// The notes of the contract's examples.
const (
	busyNote    = "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69"
	storageNote = "6a1e4d3b-0c2f-4b7e-9d80-2f3e4d5c6b7a"
)

// addBusy writes the note that most examples are about.
func (s *session) addBusy() {
	s.Helper()
	s.at("2026-03-02T09:00:00.000123Z")
	s.nextID = busyNote
	s.want("write", `{"title": "SQLite busy handling", "content": "Begin writes with IMMEDIATE.", "agent": "mo", "tags": ["db"], "path": "storage", "source_url": "HTTPS://Example.org/busy/?utm_source=x"}`,
		`{"status": "created", "id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "title": "SQLite busy handling", "path": "storage/sqlite-busy-handling.md", "version": 1, "updated_at": "2026-03-02T09:00:00.000123+00:00", "warnings": []}`)
}

// archiveBusy is what the examples do next.
func (s *session) archiveBusy() {
	s.Helper()
	s.at("2026-03-02T09:30:00Z")
	s.want("note_update", `{"id": "5f0d3c2a", "agent": "ada", "status": "archived", "expected_version": 1}`,
		`{"status": "updated", "id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "title": "SQLite busy handling", "path": "storage/sqlite-busy-handling.md", "version": 2, "updated_at": "2026-03-02T09:30:00+00:00", "warnings": []}`)
}

// testNoteExamples holds the answers to the examples of the note contract,
// byte for byte, key order included, and the file that they lead to.
func testNoteExamples(t *testing.T, open Open) {
	s := newSession(t, open)
	s.addBusy()
	s.refuse("write", `{"title": "Busy again", "content": "x", "agent": "ada", "source_url": "https://example.org/busy"}`,
		`{"status": "duplicate", "duplicate_of": {"id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "title": "SQLite busy handling", "source_url": "https://example.org/busy"}, "message": "That URL belongs to an existing note.", "warnings": []}`)
	s.archiveBusy()
	s.want("read", `{"id": "5f0d3c2a"}`,
		`{"id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "title": "SQLite busy handling", "path": "storage/sqlite-busy-handling.md", "content": "Begin writes with IMMEDIATE.", "metadata": {"id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "title": "SQLite busy handling", "author": "mo", "created_at": "2026-03-02T09:00:00.000123+00:00", "updated_at": "2026-03-02T09:30:00+00:00", "tags": ["db"], "aliases": [], "confidence": 1.0, "contributors": ["ada"], "source": null, "source_url": "https://example.org/busy", "supersedes": null, "derived_from_ids": [], "version": 2, "schema_version": 1, "namespace": "storage", "access_scope": "shared", "note_type": "observation", "status": "archived", "extra": {}}, "links": [], "truncated": false, "retrieval_count": 1}`)
	s.want("list", `{"path_prefix": "storage", "limit": 1}`,
		`{"items": [{"id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "title": "SQLite busy handling", "path": "storage/sqlite-busy-handling.md", "updated": "2026-03-02T09:30:00+00:00", "tags": ["db"], "source_url": "https://example.org/busy", "derived_from_ids": [], "metadata": {}}], "total": 1}`)
	s.want("tags", `{"prefix": "d"}`, `{"tags": {"db": 1}}`)
	text, err := os.ReadFile(filepath.Join(s.store.Knowledge, "storage", "sqlite-busy-handling.md"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `---
access_scope: shared
aliases: []
author: mo
confidence: 1.0
contributors:
  - ada
created_at: '2026-03-02T09:00:00.000123+00:00'
id: 5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69
namespace: storage
note_type: observation
schema_version: 1
source: null
source_url: https://example.org/busy
status: archived
supersedes: null
tags:
  - db
title: SQLite busy handling
updated_at: '2026-03-02T09:30:00+00:00'
version: 2
---

# SQLite busy handling

Begin writes with IMMEDIATE.`
	if string(text) != want {
		t.Errorf("the file is\n%s\nwant\n%s", text, want)
	}
	s.want("delete", `{"id": "5f0d3c2a", "agent": "ada"}`,
		`{"success": true, "id": "5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69", "title": "SQLite busy handling", "path": "storage/sqlite-busy-handling.md"}`)
}
