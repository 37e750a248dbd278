package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// TestVerify_withoutManifest proves a backup by its own content: a sound one is
// told in full, and one in which something is missing is found out.
func TestVerify_withoutManifest(t *testing.T) {
	path := sample(t)
	taken := takeAt(t, path)
	if err := os.Remove(taken.Path + manifestSuffix); err != nil {
		t.Fatal(err)
	}
	got, err := VerifyBackup(t.Context(), VerifyOptions{Path: taken.Path})
	if err != nil || got.SHA256 != taken.SHA256 || got.Size != taken.Size || got.Rows["tasks"] != taken.Rows["tasks"] || got.TakenAt != taken.TakenAt {
		t.Errorf("it is %+v instead of %+v, %v", got, taken, err)
	}
	for name, sql := range map[string]string{
		"a table is missing": "DROP TABLE findings",
		"an index is":        "DROP INDEX edges_to",
		"a task is":          "PRAGMA foreign_keys = OFF; DELETE FROM tasks WHERE seq = 1",
	} {
		other := filepath.Join(t.TempDir(), "other.db")
		content, err := os.ReadFile(taken.Path)
		if err == nil {
			err = os.WriteFile(other, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		change(t, other, sql)
		_, err = VerifyBackup(t.Context(), VerifyOptions{Path: other})
		if e := failed(t, err, StepIntegrity); e != nil && !strings.Contains(e.Message, other) {
			t.Errorf("%s: the message is %q", name, e.Message)
		}
	}
}

// TestVerify_unreadableManifest says what keeps the manifest from being read,
// and takes the backup for no better than that.
func TestVerify_unreadableManifest(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(manifest string) error
		says  string
	}{
		"a folder":  {func(m string) error { return os.Mkdir(m, 0o700) }, "it is a folder"},
		"no JSON":   {func(m string) error { return os.WriteFile(m, []byte("{"), 0o600) }, "cannot be understood"},
		"lacking":   {func(m string) error { return os.WriteFile(m, []byte(`{"size":1}`), 0o600) }, "cannot be understood"},
		"too long":  {func(m string) error { return os.WriteFile(m, make([]byte, longestManifest+1), 0o600) }, "far too long"},
		"forbidden": {func(m string) error { return os.WriteFile(m, []byte("{}"), 0) }, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "forbidden" && os.Geteuid() == 0 {
				t.Skip("the superuser may read everything")
			}
			taken := takeAt(t, sample(t))
			manifest := taken.Path + manifestSuffix
			if err := os.Remove(manifest); err != nil {
				t.Fatal(err)
			}
			if err := test.spoil(manifest); err != nil {
				t.Fatal(err)
			}
			_, err := VerifyBackup(t.Context(), VerifyOptions{Path: taken.Path})
			if e := failed(t, err, StepRead); e != nil && !strings.Contains(e.Message, test.says) {
				t.Errorf("the message is %q", e.Message)
			}
			list, problems, err := ListBackups(files.Disk{}, filepath.Dir(taken.Path))
			if err != nil || len(list) > 0 || len(problems) != 1 || !strings.Contains(problems[0].Reason, test.says) {
				t.Errorf("the list is %v, %v, %v", list, problems, err)
			}
		})
	}
}

// TestBackup_listsLinks lists a link to a backup elsewhere as the backup that it
// is, and verifies it by the manifest there.
func TestBackup_listsLinks(t *testing.T) {
	taken := takeAt(t, sample(t))
	folder := t.TempDir()
	link, dead := filepath.Join(folder, "link.db"), filepath.Join(folder, "nowhere.db")
	for name, target := range map[string]string{link: taken.Path, dead: filepath.Join(folder, "nothing")} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	list, problems, err := ListBackups(files.Disk{}, folder)
	if err != nil || len(list) != 1 || list[0].Path != link || list[0].SHA256 != taken.SHA256 {
		t.Errorf("the list is %+v, %v", list, err)
	}
	if len(problems) != 1 || problems[0].Path != dead {
		t.Errorf("the problems are %v", problems)
	}
	if err := os.WriteFile(taken.Path+manifestSuffix, []byte(`{"size":1,"schema":2,"sha256":"x","rows":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = VerifyBackup(t.Context(), VerifyOptions{Path: link})
	failed(t, err, StepSize)
}

// TestWrite_usedUp holds that a write which needs a number beyond the last says
// so, and changes nothing.
func TestWrite_usedUp(t *testing.T) {
	for what, test := range map[string]struct {
		sql   string
		write func(*core.Service) error
	}{
		"the numbers of its tasks": {"PRAGMA foreign_keys = OFF; UPDATE tasks SET seq = 9223372036854775807 WHERE seq = 40", func(s *core.Service) error {
			_, err := s.TaskCreate(t.Context(), core.TaskCreateRequest{Title: "New", Agent: "ada"})
			return err
		}},
		"the numbers of its events": {"UPDATE events SET seq = 9223372036854775807 WHERE seq = (SELECT max(seq) FROM events)", func(s *core.Service) error {
			_, err := s.AgentRegister(t.Context(), core.AgentRegisterRequest{ID: "new"})
			return err
		}},
		"the versions of the task 'graph-000001'": {"UPDATE tasks SET version = 9223372036854775807 WHERE id = 'graph-000001'", func(s *core.Service) error {
			title := "Other"
			_, err := s.TaskUpdate(t.Context(), core.TaskUpdateRequest{TaskID: "graph-000001", Agent: "ada", Title: &title})
			return err
		}},
	} {
		path := sample(t)
		change(t, path, test.sql)
		before := countRows(t, path)
		s := openWith(t, Options{Path: path})
		err := test.write(core.New(core.Config{Store: s}))
		if err == nil {
			t.Errorf("%s: the write succeeds", what)
			continue
		}
		e := core.AsError(err)
		if e.Code != core.CodeStoreUnavailable || e.Extra("reason") != ReasonCorrupt || !strings.Contains(e.Message, what+" are used up") {
			t.Errorf("%s: the answer is %s", what, e.Message)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for table, n := range countRows(t, path) {
			if n != before[table] {
				t.Errorf("%s: %s had %d rows and has %d", what, table, before[table], n)
			}
		}
	}
}
