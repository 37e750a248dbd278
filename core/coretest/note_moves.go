package coretest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dev.lithos/core"
)

// testNoteMoves holds that a note is read and written where it is now although
// a moment ago, when the folders were last looked at, it was elsewhere.
func testNoteMoves(t *testing.T, open Open) {
	s := newSession(t, open)
	s.writeNote(firstNote, "First", `"path":"a"`)
	s.writeNote(secondNote, "Second", `"path":"b"`)
	other := core.New(core.Config{Store: s.store, Folder: s.store.Folder, NewID: s.newID}) // another program
	here := s.service
	// look reads both notes, so that the folders are looked at right before.
	look := func() {
		t.Helper()
		for _, service := range []*core.Service{here, other} {
			s.service = service
			for _, id := range []string{firstNote, secondNote} {
				s.do("read", `{"id":"`+id+`"}`)
			}
		}
		s.service = here
	}
	back := func() {
		t.Helper()
		s.must(os.RemoveAll(s.store.Knowledge + "-was"))
		s.must(os.Rename(s.store.Knowledge, s.store.Knowledge+"-was"))
		s.must(os.MkdirAll(s.onDisk("a"), 0o700))
		s.disk("a/first.md", "---\nid: "+firstNote+"\nversion: 3\n---\n# First\n\nOne.")
		s.disk("b/second.md", "---\nid: "+secondNote+"\nversion: 3\n---\n# Second\n\nTwo.")
		s.do("list", `{}`)
		look()
	}
	reads := func(arguments, want string) func() {
		return func() {
			t.Helper()
			answer := s.answer("read", arguments)
			got := "none"
			if !strings.Contains(answer, `"code":"doc_not_found"`) {
				got = fmt.Sprintf("%v %v", s.value(answer, "title"), s.value(answer, "path"))
			}
			if got != want {
				t.Errorf("read %s: %s, want %s", arguments, got, want)
			}
		}
	}
	rename := func(from, to string) func() error {
		return func() error { return os.Rename(s.onDisk(from), s.onDisk(to)) }
	}
	first, second := `{"id":"`+firstNote+`"}`, `{"id":"`+secondNote+`"}`
	update := func(id, status, path string) func() {
		return func() {
			t.Helper()
			answer := s.answer("note_update", `{"id":"`+id+`","agent":"mo","tags":["x"],"expected_version":3}`)
			if !strings.HasPrefix(answer, `{"status":"`+status+`"`) || path != "" && s.value(answer, "path") != path {
				t.Errorf("updating %s: %s, want %s in %s", id, answer, status, path)
			}
		}
	}
	for name, test := range map[string]struct {
		move func() error
		then []func()
	}{
		"renamed": {rename("a/first.md", "a/moved.md"), []func(){
			reads(first, "First a/moved.md"), reads(`{"path":"a/moved"}`, "First a/moved.md"), reads(`{"path":"a/first"}`, "none"), update(firstNote, "updated", "a/moved.md"),
		}},
		"into another folder": {rename("a/first.md", "b/first.md"), []func(){
			reads(first, "First b/first.md"), reads(`{"path":"b/first"}`, "First b/first.md"), reads(`{"path":"a/first"}`, "none"), update(firstNote, "updated", "b/first.md"),
		}},
		"over another": {rename("a/first.md", "b/second.md"), []func(){
			reads(first, "First b/second.md"), reads(`{"path":"b/second"}`, "First b/second.md"), reads(second, "none"), update(secondNote, "error", ""), update(firstNote, "updated", "b/second.md"),
		}},
		"exchanged": {func() error {
			return errors.Join(rename("a/first.md", "x.md")(), rename("b/second.md", "a/first.md")(), rename("x.md", "b/second.md")())
		}, []func(){
			reads(first, "First b/second.md"), reads(second, "Second a/first.md"), reads(`{"path":"a/first"}`, "Second a/first.md"),
			update(firstNote, "updated", "b/second.md"), update(secondNote, "updated", "a/first.md"),
		}},
		"with its folder": {rename("a", "c"), []func(){
			reads(first, "First c/first.md"), reads(`{"path":"c/first"}`, "First c/first.md"), reads(`{"path":"a/first"}`, "none"), update(firstNote, "updated", "c/first.md"),
		}},
		"rewritten": {func() error {
			s.disk("a/first.md", "---\nid: "+firstNote+"\nversion: 9\n---\n# Other\n\nOne.")
			return nil
		}, []func(){
			reads(first, "Other a/first.md"), reads(`{"path":"a/first"}`, "Other a/first.md"), update(firstNote, "version_conflict", ""),
		}},
		"with another id": {func() error {
			s.disk("a/first.md", "---\nid: another-one\n---\n# Another\n")
			return nil
		}, []func(){
			reads(first, "none"), reads(`{"path":"a/first"}`, "Another a/first.md"), update(firstNote, "error", ""),
		}},
		"deleted": {func() error { return os.Remove(s.onDisk("a/first.md")) }, []func(){
			reads(first, "none"), reads(`{"path":"a/first"}`, "none"), update(firstNote, "error", ""),
		}},
		"a pipe now": {func() error {
			return errors.Join(os.Remove(s.onDisk("a/first.md")), syscall.Mkfifo(s.onDisk("a/first.md"), 0o600))
		}, []func(){
			reads(first, "none"), reads(`{"path":"a/first"}`, "none"), update(firstNote, "error", ""),
		}},
		"a folder now": {func() error {
			return errors.Join(os.Remove(s.onDisk("a/first.md")), os.Mkdir(s.onDisk("a/first.md"), 0o700))
		}, []func(){
			reads(first, "none"), reads(`{"path":"a/first"}`, "none"), update(firstNote, "error", ""),
		}},
		"a link now": {func() error {
			away := filepath.Join(filepath.Dir(s.store.Knowledge), "away.md")
			return errors.Join(os.Rename(s.onDisk("a/first.md"), away), os.Symlink(away, s.onDisk("a/first.md")))
		}, []func(){
			reads(first, "none"), reads(`{"path":"a/first"}`, "none"), update(firstNote, "error", ""),
		}},
		"new": {func() error {
			s.disk("a/new.md", "---\nid: new-one\n---\n# New")
			return nil
		}, []func(){reads(`{"id":"new-one"}`, "New a/new.md"), reads(`{"path":"a/new"}`, "New a/new.md")}},
	} {
		// Each of the questions is the first once, to this program and to another.
		for i := range test.then {
			for what, service := range map[string]*core.Service{"this": here, "the other": other} {
				back()
				if err := test.move(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				s.service = service
				test.then[i]()
				if t.Failed() {
					t.Fatalf("%s, by %s program", name, what)
				}
				s.service = here
			}
		}
	}
}

// testNoteNames holds what becomes of names that look alike, or like others.
func testNoteNames(t *testing.T, open Open) {
	s := newSession(t, open)
	const composed, apart = "Caf\u00e9", "Cafe\u0301"
	// A file from a system that takes names apart is found by the name as it is
	// typed elsewhere, and the other way round.
	s.disk(apart+".md", "---\nid: apart-1\n---\nSee [["+composed+"]] itself.")
	s.disk("links.md", "---\nid: links-1\n---\n# Links\n\nTo [["+composed+"]], [["+apart+"|it]] and [[folder/"+composed+"#part]].")
	s.disk("folder/"+composed+".md", "---\nid: composed-1\naliases: ["+apart+" two]\n---\n# "+apart+"\n")
	s.disk("more.md", "---\nid: more-1\n---\n# More\n\nTo [["+composed+" two]].")
	for id, want := range map[string]string{"links-1": "[apart-1 composed-1]", "more-1": "[composed-1]"} {
		if got := fmt.Sprint(s.value(s.do("related", `{"id":"`+id+`","include":["links"]}`), "related_ids")); got != want {
			t.Errorf("%s leads to %s, want %s", id, got, want)
		}
	}
	for _, query := range []string{composed, apart, "cafe"} {
		if got := s.value(s.do("list", `{"content_query":`+quote(query)+`,"limit":0}`), "total"); fmt.Sprint(got) != "4" {
			t.Errorf("%q finds %v", query, got)
		}
	}
	for path, id := range map[string]string{apart: "apart-1", composed: "apart-1", "folder/" + composed: "composed-1", "folder/" + apart + ".md": "composed-1"} {
		if answer := s.answer("read", `{"path":`+quote(path)+`}`); s.value(answer, "id") != id {
			t.Errorf("the path %q reads as %s", path, answer)
		}
	}
	// Dots and blanks at the ends of a title are not in its file name.
	for title, path := range map[string]string{"Plan. . .": "plan.md", "...Deploy": "deploy.md", "v1.2.md": "v12md.md", ". .": "untitled.md", "CON": "con.md", "a/../../b": "ab.md", `c:\x`: "cx.md"} {
		answer := s.do("write", `{"title":`+quote(title)+`,"content":"","agent":"mo"}`)
		if s.value(answer, "path") != path || s.value(answer, "title") != title {
			t.Errorf("the title %q: %s, want %s", title, answer, path)
		}
	}
	for _, title := range []string{"Plan", "plan...", "PLAN"} {
		answer := s.answer("write", `{"title":`+quote(title)+`,"content":"","agent":"mo"}`)
		if s.value(answer, "status") != "slug_collision" {
			t.Errorf("the title %q: %s", title, answer)
		}
	}
	// Names of 255 bytes, made by hand in letters of several bytes.
	long := strings.Repeat("語", 84) + ".md" // 252 + 3
	s.disk(long, "---\nid: long-1\n---\n# Long")
	s.do("note_update", `{"id":"long-1","agent":"mo","tags":["x"]}`)
	if got := s.value(s.do("read", `{"path":`+quote(long)+`}`), "metadata", "version"); fmt.Sprint(got) != "2" {
		t.Errorf("the long name has the version %v", got)
	}
	// Names that differ in case alone are two notes where the system has it so.
	s.disk("Case.md", "---\nid: case-1\n---\n# One")
	s.disk("case.md", "---\nid: case-2\n---\n# Two")
	if entries, err := os.ReadDir(s.store.Knowledge); err == nil && contains(entries, "Case.md") && contains(entries, "case.md") {
		for path, id := range map[string]string{"Case": "case-1", "case": "case-2"} {
			if got := s.value(s.do("read", `{"path":"`+path+`"}`), "id"); got != id {
				t.Errorf("the path %s is of %v", path, got)
			}
		}
	}
	// Numbers and words of their own in known keys.
	s.disk("zettel.md", "---\nid: 000123\nstatus: draft\ntags: [007, 2026-01-01]\nderived_from_ids: [5, 0777777]\n---\n# Zettel")
	answer := s.do("read", `{"id":"000123"}`)
	if got := fmt.Sprint(s.value(answer, "metadata", "tags"), s.value(answer, "metadata", "derived_from_ids"), " ", s.value(answer, "metadata", "status")); got != "[007 2026-01-01] [0777777 5] active" {
		t.Errorf("a note of numbers reads as %s", got)
	}
	s.do("write", `{"id":"000123","title":"Zettel","content":"New.","agent":"mo"}`)
	if text := s.diskText("zettel.md"); !strings.Contains(text, "\nid: '000123'\n") || !strings.Contains(text, "\nstatus: draft\n") || !strings.Contains(text, "\n  - '007'\n") {
		t.Errorf("it became\n%s", text)
	}
	s.do("note_update", `{"id":"000123","agent":"mo","status":"active"}`)
	if text := s.diskText("zettel.md"); !strings.Contains(text, "\nstatus: active\n") {
		t.Errorf("a status that was given is not in the file\n%s", text)
	}
	s.status("note_update", `{"id":"000123","agent":"mo","metadata":{"a":`+strings.Repeat("[", 500)+strings.Repeat("]", 500)+`}}`,
		"content_too_large", `{"field":"metadata","length":501,"limit":32}`)
}

// testNoteTitles holds that a link finds a note by its title, after everything
// that is more its name, and that a note which cannot be read any more says so.
func testNoteTitles(t *testing.T, open Open) {
	s := newSession(t, open)
	s.writeNote(firstNote, "Gr\u00f6\u00dfe der Puffer", "")
	s.disk("links.md", "---\nid: links-1\ntags: rust, go , \n---\n# Links\n\nTo [[Gr\u00f6\u00dfe der Puffer]], [[GR\u00d6\u00dfe DER PUFFER|it]], [[Locks]] and [[Nowhere at all]].")
	s.disk("arch/other name.md", "---\nid: locks-1\n---\n# Locks\n")
	related := func() string {
		return fmt.Sprint(s.value(s.do("related", `{"id":"links-1","include":["links"]}`), "related_ids"))
	}
	if got := related(); got != "["+firstNote+" locks-1]" {
		t.Errorf("the links lead to %s", got)
	}
	if got := fmt.Sprint(s.value(s.do("stats", `{}`), "unresolved_links")); got != "1" {
		t.Errorf("%s links are unresolved", got)
	}
	s.must(os.Rename(s.onDisk("gr\u00f6\u00dfe-der-puffer.md"), s.onDisk("arch/puffer.md")))
	if got := related(); got != "["+firstNote+" locks-1]" {
		t.Errorf("after a file was renamed the links lead to %s", got)
	}
	// The name of a file counts more than a title.
	s.disk("z/locks.md", "---\nid: locks-2\n---\n# Another\n")
	if got := related(); got != "["+firstNote+" locks-2]" {
		t.Errorf("beside a file of that name the links lead to %s", got)
	}
	if got := fmt.Sprint(s.value(s.do("read", `{"id":"links-1"}`), "metadata", "tags")); got != "[rust go]" {
		t.Errorf("tags in one line are %s", got)
	}

	s.disk("arch/puffer.md", "---\nid: "+firstNote+"\nversion: 1\ntitle: [Deploy\n---\n# Gone\n")
	const message = `"message":"The file 'arch/puffer.md' cannot be read as a note: has front matter that is no YAML: line 4: `
	for _, operation := range []string{"read", "delete", "note_update", "related"} {
		for _, id := range []string{firstNote, firstNote[:8]} {
			arguments := map[string]string{
				"read": `{"id":"` + id + `"}`, "related": `{"id":"` + id + `"}`, "delete": `{"id":"` + id + `","agent":"mo"}`,
				"note_update": `{"id":"` + id + `","agent":"mo","status":"archived"}`,
			}[operation]
			if answer := s.answer(operation, arguments); !strings.Contains(answer, `_not_found"`) || !strings.Contains(answer, message) {
				t.Errorf("%s %s answers %s", operation, arguments, answer)
			}
		}
	}
	if answer := s.answer("read", `{"id":"locks-"}`); strings.Contains(answer, "puffer") {
		t.Errorf("another note is answered with %s", answer)
	}
}

func contains(entries []os.DirEntry, name string) bool {
	for _, entry := range entries {
		if entry.Name() == name {
			return true
		}
	}
	return false
}
