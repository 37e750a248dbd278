package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dev.lithos/core"
)

func testTransactions(t *testing.T, e Engine) {
	s := e.Create(t)
	refused := errors.New("refused")
	err := s.Write(context.Background(), func(tx core.WriteTx) error {
		task := plain("rolled-back", at(0))
		if _, err := tx.InsertTask(task, facets(task)); err != nil {
			return err
		}
		return refused
	})
	if err != refused { //nolint:errorlint // the very same error is promised
		t.Errorf("the error of the function came back as %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of the function was swallowed")
			}
		}()
		_ = s.Write(context.Background(), func(tx core.WriteTx) error {
			task := plain("panicked", at(0))
			if _, err := tx.InsertTask(task, facets(task)); err != nil {
				return err
			}
			panic("in the middle")
		})
	}()
	insert(t, s, plain("kept", at(0)))
	read(t, s, func(tx core.ReadTx) error {
		for id, want := range map[string]bool{"rolled-back": false, "panicked": false, "kept": true} {
			if _, found, err := tx.TaskByID(id); err != nil || found != want {
				t.Errorf("%s: found %v, error %v", id, found, err)
			}
		}
		return nil
	})
	// A read sees one state, whatever is committed meanwhile.
	read(t, s, func(tx core.ReadTx) error {
		if _, _, err := tx.TaskByID("kept"); err != nil {
			return err
		}
		insert(t, s, plain("later", at(1)))
		_, found, err := tx.TaskByID("later")
		if found {
			t.Error("a read saw a commit that came after its beginning")
		}
		return err
	})
	check(t, e, s)
}

func testTasks(t *testing.T, e Engine) {
	s := e.Create(t)
	description, outcome := "with \"quotes\", ünïcode, a line\nbreak and 👩‍🚀", ""
	resolved := at(9)
	full := core.Task{
		TaskHead: core.TaskHead{
			ID: "full", Title: "Everything", Status: core.StatusCompleted, Type: core.TypeEpic,
			CreatedAt: at(1), UpdatedAt: at(9), Version: 7, Tags: core.MakeTags([]string{"b", "a", "b"}),
		},
		Description: &description, CreatedBy: "", ResolvedAt: &resolved, Metadata: `{"z":1,"a":1.0,"list":[true,null]}`, Outcome: &outcome,
	}
	bare := plain("bare", at(2))
	keys := insert(t, s, full, bare)
	if keys["full"] == 0 || keys["bare"] == 0 {
		t.Error("a key is 0")
	}
	full.Key, bare.Key = keys["full"], keys["bare"]
	read(t, s, func(tx core.ReadTx) error {
		got, err := tx.Tasks([]core.TaskKey{bare.Key, 999, full.Key, bare.Key})
		if err != nil {
			return err
		}
		want := []core.Task{bare, full, bare}
		if len(got) != len(want) {
			t.Fatalf("%d tasks instead of %d", len(got), len(want))
		}
		for i := range want {
			equal(t, fmt.Sprintf("task %d", i), string(got[i].AppendJSON(nil)), string(want[i].AppendJSON(nil)))
			equal(t, "its key", got[i].Key, want[i].Key)
		}
		heads, err := tx.Heads([]core.TaskKey{full.Key, bare.Key})
		equal(t, "heads", ids(heads), []string{"full", "bare"})
		one, oneErr := tx.Heads([]core.TaskKey{full.Key})
		equal(t, "one head", ids(one), []string{"full"})
		none, noneErr := tx.Tasks(nil)
		equal(t, "no tasks", len(none), 0)
		head, found, headErr := tx.TaskByID("full")
		equal(t, "head", fmt.Sprint(found, head.Key, head.Title, head.Status, head.Type, head.Version, head.Tags.Text()),
			fmt.Sprint(true, full.Key, "Everything", "completed", "epic", 7, `["b","a","b"]`))
		return errors.Join(err, oneErr, noneErr, headErr)
	})

	// Writes are conditional on the version.
	write(t, s, func(tx core.WriteTx) error {
		changed := bare
		changed.Title, changed.Version, changed.UpdatedAt = "Changed", 2, at(5)
		changed.Description, changed.Tags, changed.Metadata = &description, core.MakeTags([]string{"x"}), `{"project":"p"}`
		for _, step := range []struct {
			version int64
			want    bool
		}{{2, false}, {1, true}, {1, false}} {
			written, err := tx.UpdateTask(changed, facets(changed), step.version)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("update of version %d", step.version), written, step.want)
		}
		closed := changed
		closed.Status, closed.Outcome, closed.ResolvedAt, closed.Version, closed.UpdatedAt = core.StatusCompleted, &description, &resolved, 3, at(9)
		for _, step := range []struct {
			version int64
			want    bool
		}{{1, false}, {2, true}} {
			written, err := tx.SetStatus(closed, facets(closed), step.version)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("closing of version %d", step.version), written, step.want)
		}
		got, err := tx.Tasks([]core.TaskKey{bare.Key})
		if err == nil {
			equal(t, "after both", string(got[0].AppendJSON(nil)), string(closed.AppendJSON(nil)))
		}
		return err
	})
	check(t, e, s)
}

func testPrefixes(t *testing.T, e Engine) {
	s := e.Create(t)
	var tasks []core.Task
	for i, id := range []string{"abcdef", "abcdefgh", "abcdeg", "ABCDEF", "abc%ef_x", "abc", "éa", "éb", "ê", "\U0010ffff\U0010ffff1", "\U0010ffff\U0010ffff2"} {
		tasks = append(tasks, plain(id, at(i)))
	}
	insert(t, s, tasks...)
	read(t, s, func(tx core.ReadTx) error {
		for _, test := range []struct {
			prefix string
			limit  int
			want   []string
		}{
			{"abcdef", 5, []string{"abcdef", "abcdefgh"}},
			{"abcde", 5, []string{"abcdef", "abcdefgh", "abcdeg"}},
			{"abcde", 2, []string{"abcdef", "abcdefgh"}},
			{"abc%", 5, []string{"abc%ef_x"}},
			{"abc_", 5, []string{}},
			{"ABC", 5, []string{"ABCDEF"}},
			{"é", 5, []string{"éa", "éb"}},
			{"\U0010ffff", 5, []string{"\U0010ffff\U0010ffff1", "\U0010ffff\U0010ffff2"}},
			{"zzz", 5, []string{}},
			{"", 2, []string{"ABCDEF", "abc"}},
		} {
			heads, err := tx.TasksByPrefix(test.prefix, test.limit)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("prefix %q", test.prefix), ids(heads), test.want)
		}
		return nil
	})
}

func testShortIDs(t *testing.T, e Engine) {
	s := e.Create(t)
	all := []string{
		"83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "83257ced-41a0-4f0e-9a55-0d5f0c1b7e22", "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11",
		"abcdef", "abcdefgh", "x", "ünïcödé-1", "ünïcödé-é", "ünïcödé-ê", strings.Repeat("l", 300),
	}
	var tasks []core.Task
	for i, id := range all {
		tasks = append(tasks, plain(id, at(i)))
	}
	insert(t, s, tasks...)
	read(t, s, func(tx core.ReadTx) error {
		short, err := tx.ShortIDs(all)
		if err != nil {
			return err
		}
		equal(t, "short ids", short, []string{
			"83257ced-41a0-4f0e-9a55-0d5f0c1b7e21", "83257ced-41a0-4f0e-9a55-0d5f0c1b7e22", "9c1f02",
			"abcdef", "abcdefg", "x", "ünïcödé-1", "ünïcödé-é", "ünïcödé-ê", "llllll",
		})
		// Each leads back to its task by the steps of id resolution.
		for i, text := range short {
			head, found, err := tx.TaskByID(text)
			if err != nil {
				return err
			}
			if !found {
				heads, err := tx.TasksByPrefix(text, 2)
				if err != nil || len(heads) != 1 {
					t.Errorf("%q leads to %d tasks (%v)", text, len(heads), err)
					continue
				}
				head = heads[0]
			}
			equal(t, fmt.Sprintf("the task of %q", text), head.ID, all[i])
		}
		return nil
	})
}
