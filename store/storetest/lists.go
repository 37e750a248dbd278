package storetest

import (
	"fmt"
	"testing"

	"dev.lithos/core"
)

func list(t T, tx core.ReadTx, q core.TaskQuery) []string {
	t.Helper()
	names := []string{}
	if err := tx.EachTask(q, func(task core.Task) bool {
		names = append(names, task.ID)
		return true
	}); err != nil {
		t.Fatalf("list %+v: %v", q, err)
	}
	return names
}

func testLists(t *testing.T, e Engine) {
	s := e.Create(t)
	task := func(id string, created int, change func(*core.Task)) core.Task {
		made := plain(id, at(created))
		if change != nil {
			change(&made)
		}
		return made
	}
	closed := func(status core.Status, resolved int) func(*core.Task) {
		return func(made *core.Task) {
			moment := at(resolved)
			made.Status, made.ResolvedAt = status, &moment
		}
	}
	keys := insert(t, s,
		task("c", 1, nil),
		task("b", 3, nil),
		task("a", 3, func(made *core.Task) { made.CreatedBy = "mo" }),
		task("done", 2, closed(core.StatusCompleted, 20)),
		task("gone", 2, closed(core.StatusCancelled, 10)),
		task("epic", 4, func(made *core.Task) { made.Type = core.TypeEpic }),
		task("tagged", 5, func(made *core.Task) { made.Tags = core.MakeTags([]string{"x", ",", "with \"quotes\""}) }),
	)
	write(t, s, func(tx core.WriteTx) error {
		for _, c := range []struct {
			id, agent, aspect string
			expires           int
		}{{"c", "mo", "work", 100}, {"c", "ada", "review", 100}, {"b", "mo", "work", 40}, {"a", "zed", "work", 100}} {
			claim := core.Claim{Agent: c.agent, Aspect: c.aspect, ClaimedAt: at(0), ExpiresAt: at(c.expires)}
			if _, err := tx.PutClaim(keys[c.id], claim, at(0)); err != nil {
				return err
			}
		}
		return nil
	})
	now := at(50)
	since, resolvedSince := at(3), at(20)
	read(t, s, func(tx core.ReadTx) error {
		for _, test := range []struct {
			name string
			q    core.TaskQuery
			want []string
		}{
			{"all", core.TaskQuery{}, []string{"tagged", "epic", "a", "b", "done", "gone", "c"}},
			{"creator", core.TaskQuery{CreatedBy: "mo"}, []string{"a"}},
			{"status", core.TaskQuery{Status: core.StatusOpen}, []string{"tagged", "epic", "a", "b", "c"}},
			{"type", core.TaskQuery{Type: core.TypeEpic}, []string{"epic"}},
			{"since", core.TaskQuery{Since: &since}, []string{"tagged", "epic", "a", "b"}},
			{"resolved since", core.TaskQuery{ResolvedSince: &resolvedSince}, []string{"done"}},
			{"tags", core.TaskQuery{Tags: []string{",", "x"}}, []string{"tagged"}},
			{"a tag with quotes", core.TaskQuery{Tags: []string{"with \"quotes\""}}, []string{"tagged"}},
			{"a tag that is none", core.TaskQuery{Tags: []string{"x", "y"}}, []string{}},
			{"page", core.TaskQuery{Limit: 2, Offset: 2}, []string{"a", "b"}},
			{"offset alone", core.TaskQuery{Offset: 5}, []string{"gone", "c"}},
			{"claimed by one", core.TaskQuery{ClaimedBy: "mo", Now: now}, []string{"c"}},
			{"claimed by anybody", core.TaskQuery{ClaimedBy: "*", Now: now}, []string{"a", "c"}},
			{"claimed, page", core.TaskQuery{ClaimedBy: "*", Now: now, Limit: 1, Offset: 1}, []string{"c"}},
			{"claimed and filtered", core.TaskQuery{ClaimedBy: "*", Now: now, CreatedBy: "mo"}, []string{"a"}},
			{"together", core.TaskQuery{Status: core.StatusOpen, Type: core.TypeTask, CreatedBy: "ada", Since: &since}, []string{"tagged", "b"}},
		} {
			equal(t, test.name, list(t, tx, test.q), test.want)
		}
		// By age: the other way round, but ids in their own order.
		var names []string
		if err := tx.EachTaskByAge(core.TaskQuery{}, func(task core.Task) error {
			names = append(names, task.ID)
			return nil
		}); err != nil {
			return err
		}
		equal(t, "by age", names, []string{"c", "done", "gone", "a", "b", "epic", "tagged"})
		stop := fmt.Errorf("enough")
		names = nil
		err := tx.EachTaskByAge(core.TaskQuery{Status: core.StatusOpen, Offset: 1, Limit: 2}, func(task core.Task) error {
			names = append(names, task.ID)
			return nil
		})
		equal(t, "a page by age", names, []string{"a", "b"})
		if err != nil {
			return err
		}
		if err := tx.EachTaskByAge(core.TaskQuery{}, func(core.Task) error { return stop }); err != stop { //nolint:errorlint // the very same error is promised
			t.Errorf("the error that ended a list came back as %v", err)
		}
		// A list may be left early, and others may be read within it.
		var seen []string
		err = tx.EachTask(core.TaskQuery{}, func(task core.Task) bool {
			seen = append(seen, task.ID)
			inner := list(t, tx, core.TaskQuery{Limit: 1})
			claims, err := tx.Claims([]core.TaskKey{task.Key}, now)
			if err != nil || len(inner) != 1 {
				t.Errorf("inside a list: %v, %v, %v", inner, claims, err)
			}
			return len(seen) < 3
		})
		equal(t, "left early", seen, []string{"tagged", "epic", "a"})
		return err
	})
	// Brief lists lack the long texts alone.
	text := "long"
	brief := plain("brief", at(9))
	brief.Description, brief.Outcome, brief.Metadata = &text, &text, `{"k":1}`
	insert(t, s, brief)
	read(t, s, func(tx core.ReadTx) error {
		return tx.EachTask(core.TaskQuery{Limit: 1, Brief: true}, func(task core.Task) bool {
			if task.Description != nil || task.Outcome != nil || task.Metadata != `{"k":1}` || task.CreatedBy != "ada" {
				t.Errorf("a brief record is %s", task.AppendJSON(nil))
			}
			return true
		})
	})
}

func testMatch(t *testing.T, e Engine) {
	s := e.Create(t)
	var tasks []core.Task
	for i, metadata := range []string{
		0: `{"k":1}`, 1: `{"k":1.0}`, 2: `{"k":"1"}`, 3: `{"k":true}`, 4: `{"k":null}`, 5: `{"k":[1,"a"]}`, 6: `{"k":{"k":1}}`, 7: `{}`,
		8: `{"k":[[1]]}`, 9: `{"k":false}`, 10: `{"k":12345678901234567890}`, 11: `{"k":12345678901234567891}`, 12: `{"k":1e0}`, 13: `{"k":[true]}`,
		14: `{"a.b":1,"$[0]":2,"q\"uote":3,"l\nine":4,"é":5," ":6,"[0]":7,"back\\slash":8,"☃ tall":"x\"y"}`, 15: `{"k":-0.5}`, 16: `{"k":[12345678901234567890]}`,
		17: `{"k":"caf\u00e9 \u001b"}`,
	} {
		task := plain(fmt.Sprintf("%02d", i), at(i))
		parsed, err := core.ParseMetadata([]byte(metadata))
		if err != nil {
			t.Fatal(err)
		}
		task.Metadata = parsed
		tasks = append(tasks, task)
	}
	insert(t, s, tasks...)
	read(t, s, func(tx core.ReadTx) error {
		for _, test := range []struct {
			key, literal string
			want         []string
		}{
			{"k", `1`, []string{"00", "05"}},
			{"k", `1.0`, []string{"01", "12"}},
			{"k", `1e0`, []string{"01", "12"}},
			{"k", `"1"`, []string{"02"}},
			{"k", `"a"`, []string{"05"}},
			{"k", `true`, []string{"03", "13"}},
			{"k", `false`, []string{"09"}},
			{"k", `"true"`, []string{}},
			{"k", `12345678901234567890`, []string{"10", "16"}},
			{"k", `12345678901234567891`, []string{"11"}},
			{"k", `-0.5`, []string{"15"}},
			{"k", `"café \u001b"`, []string{"17"}},
			{"a.b", `1`, []string{"14"}},
			{"$[0]", `2`, []string{"14"}},
			{`q"uote`, `3`, []string{"14"}},
			{"l\nine", `4`, []string{"14"}},
			{"é", `5`, []string{"14"}},
			{" ", `6`, []string{"14"}},
			{"[0]", `7`, []string{"14"}},
			{`back\slash`, `8`, []string{"14"}},
			{"☃ tall", `"x\"y"`, []string{"14"}},
			{"K", `1`, []string{}},
		} {
			match := []core.MetadataCondition{{Key: test.key, Literal: test.literal}}
			var got []string
			if err := tx.EachTaskByAge(core.TaskQuery{Match: match}, func(task core.Task) error {
				got = append(got, task.ID)
				return nil
			}); err != nil {
				return err
			}
			equal(t, fmt.Sprintf("%s = %s", test.key, test.literal), append([]string{}, got...), test.want)
			ready, err := tx.Frontier(core.FrontierQuery{Match: match, Now: at(0)})
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("ready, %s = %s", test.key, test.literal), ids(ready), test.want)
		}
		return nil
	})
}
