package coretest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/core/coretest/model"
)

// testTexts covers texts, sizes and numbers on their way in and out.
func testTexts(t *testing.T, open Open) {
	s := newSession(t, open)
	// Unsafe characters are stored as given; JSON escapes Cc and U+2028/2029.
	title := "a\x1b[31m\n\x7f\u0085\u2028\u2029\u061c\u200e\u202e\u2066\ufeff<&>é🙂 end "
	const shown = `a\u001b[31m\n\u007f\u0085\u2028\u2029` + "\u061c\u200e\u202e\u2066\ufeff<&>é🙂 end "
	arguments, err := core.EncodeJSON(model.Object{"title": title, "agent": "mo", "description": title, "tags": []string{"ü\u202e "}})
	if err != nil {
		t.Fatal(err)
	}
	s.nextID = "unsafe-1"
	s.want("task_create", string(arguments), `{"task_id":"unsafe-1","title":"`+shown+`","updated_at":"2026-03-02T12:00:00+00:00","version":1}`)
	s.want("task_get", `{"task_id":"unsafe-1"}`, `{"task":{"id":"unsafe-1","title":"`+shown+`","description":"`+shown+`","status":"open","task_type":"task","created_by":"mo","created_at":"2026-03-02T12:00:00+00:00","resolved_at":null,"updated_at":"2026-03-02T12:00:00+00:00","version":1,"tags":["ü`+"\u202e"+` "],"metadata":{},"outcome":null}}`)

	// A value at its limit passes and comes back whole.
	body := strings.Repeat("é", 500_000)
	s.task("limits-1", `"description":"`+body+`","tags":["`+strings.Repeat("🙂", 128)+`"]`)
	if got := s.value(s.do("task_get", `{"task_id":"limits-1"}`), "task", "description"); got != body {
		t.Error("a description of a million bytes does not come back as it was")
	}
	s.fail("task_create", `{"title":"T","agent":"mo","description":"`+body+`x"}`, "content_too_large", `{"field":"description","length":1000001,"limit":1000000}`)
	s.do("task_update", `{"task_id":"limits-1","agent":"mo","title":"`+strings.Repeat("🙂", 500)+`"}`)

	// Metadata keeps literals and order; the result of a merge counts.
	s.task("numbers-1", `"metadata":{"i":1,"r":1.0,"e":1e3,"big":123456789012345678901234567890,"twice":1,"nul":null,"twice":{"b":2,"a":1}}`)
	want := `"metadata":{"i":1,"r":1.0,"e":1e3,"big":123456789012345678901234567890,"twice":{"b":2,"a":1},"nul":null}`
	if got := s.do("task_get", `{"task_id":"numbers-1"}`); !strings.Contains(got, want) {
		t.Errorf("metadata comes back as %s", got)
	}
	half := strings.Repeat("x", 600_000)
	s.do("task_update", `{"task_id":"numbers-1","agent":"mo","metadata":{"h1":"`+half+`"}}`)
	before := len(s.do("task_get", `{"task_id":"numbers-1"}`))
	answer := s.answer("task_update", `{"task_id":"numbers-1","agent":"mo","metadata":{"h2":"`+half+`"}}`)
	if s.value(answer, "code") != "content_too_large" || s.value(answer, "field") != "metadata" || len(s.do("task_get", `{"task_id":"numbers-1"}`)) != before {
		t.Errorf("a merge over the limit answers %.300s", answer)
	}

	// Imported values over the limits stay readable and updatable.
	long := strings.Repeat("t", 600)
	metadata := core.Metadata(`{"depends_on":"x","h":"` + half + half + `"}`)
	s.load([]core.Task{{
		TaskHead: core.TaskHead{
			ID: "imported-1", Title: long, Status: core.StatusOpen, Type: core.TypeTask, CreatedAt: 1, UpdatedAt: 1, Version: 1,
			Tags: core.MakeTags([]string{"", long}),
		},
		Metadata: metadata, CreatedBy: long,
	}}, nil)
	s.do("task_update", `{"task_id":"imported-1","agent":"mo","add_tags":["new"],"metadata":{}}`)
	s.do("task_update", `{"task_id":"imported-1","agent":"mo","metadata":{"h":"`+half+`"}}`)
	got := s.do("task_get", `{"task_id":"imported-1"}`)
	if fmt.Sprint(s.value(got, "task", "tags")) != fmt.Sprintf("[ %s new]", long) || s.value(got, "task", "metadata", "depends_on") != "x" {
		t.Errorf("an imported task is now %.200s", got)
	}
}

// load writes tasks and edges past all rules.
func (s *session) load(tasks []core.Task, edges [][3]string) {
	s.Helper()
	err := s.store.Write(context.Background(), func(tx core.WriteTx) error {
		return tx.Load(func(l core.Loader) error {
			for _, task := range tasks {
				if _, err := l.InsertTask(task, core.FacetsOf(task.Type, task.Metadata)); err != nil {
					return err
				}
			}
			for _, e := range edges {
				from, _, err := tx.TaskByID(e[0])
				if err != nil {
					return err
				}
				to, _, err := tx.TaskByID(e[1])
				if err != nil {
					return err
				}
				if _, err := l.PutEdge(core.Edge{From: from.Key, To: to.Key, Type: core.EdgeType(e[2]), CreatedBy: "importer"}); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		s.Fatal(err)
	}
}

// testMatch covers how metadata_match compares.
func testMatch(t *testing.T, open Open) {
	s := newSession(t, open)
	for id, metadata := range map[string]string{
		"integer-1": `{"k":1}`, "real-0001": `{"k":1.0}`, "text-0001": `{"k":"1"}`, "true-0001": `{"k":true}`, "false-001": `{"k":false}`,
		"null-0001": `{"k":null}`, "object-01": `{"k":{"a":1}}`, "list-0001": `{"k":[2,1,"x"]}`, "list-0002": `{"k":[1.0,true]}`, "nested-01": `{"k":[[1],{"k":1}]}`,
		"absent-01": `{}`, "big-00001": `{"k":9007199254740993}`, "huge-0001": `{"k":123456789012345678901}`, "huge-0002": `{"k":123456789012345678902}`,
		"odd-00001": `{"a.b":1,"$":2,"[0]":3,"é\"":4,"":5,"x\u001b":6}`, "text-0002": `{"k":"é\u001b\"\\"}`, "text-0003": `{"k":""}`,
	} {
		s.task(id, `"metadata":`+metadata)
	}
	for match, want := range map[string]string{
		`{}`:                          "17",
		`{"k":1}`:                     "integer-1 list-0001",
		`{"k":1.0}`:                   "list-0002 real-0001",
		`{"k":10e-1}`:                 "list-0002 real-0001",
		`{"k":"1"}`:                   "text-0001",
		`{"k":true}`:                  "list-0002 true-0001",
		`{"k":false}`:                 "false-001",
		`{"k":"x"}`:                   "list-0001",
		`{"k":"X"}`:                   "",
		`{"k":9007199254740993}`:      "big-00001",
		`{"k":9007199254740992}`:      "",
		`{"k":123456789012345678901}`: "huge-0001",
		`{"a.b":1}`:                   "odd-00001",
		`{"$":2}`:                     "odd-00001",
		`{"[0]":3}`:                   "odd-00001",
		`{"é\"":4}`:                   "odd-00001",
		`{"x\u001b":6}`:               "odd-00001",
		`{"a.b":1,"$":2}`:             "odd-00001",
		`{"a.b":1,"$":3}`:             "",
		`{"k":"\u00e9\u001b\"\\"}`:    "text-0002",
		`{"k":""}`:                    "text-0003",
		`{"missing":1}`:               "",
		`{"k":2,"k":1}`:               "integer-1 list-0001",
	} {
		for _, tool := range []string{"task_list", "task_ready"} {
			ids := s.values(s.do(tool, `{"metadata_match":`+match+`,"limit":100}`), "tasks", "id")
			got := make([]string, len(ids))
			for i, id := range ids {
				got[i] = id.(string)
			}
			slices.Sort(got)
			sorted := strings.Join(got, " ")
			if want == "17" {
				if len(got) != 17 {
					t.Errorf("%s {} answers %d tasks", tool, len(got))
				}
			} else if sorted != want {
				t.Errorf("%s %s answers %q, want %q", tool, match, sorted, want)
			}
		}
	}
}

// testFilters covers project, tags and the order of the frontier.
func testFilters(t *testing.T, open Open) {
	s := newSession(t, open)
	for i, more := range []string{
		`"metadata":{"project":"core","priority":"low"}`, `"metadata":{"project":["tui","core"],"priority":"highest"}`, `"metadata":{"project":""}`,
		`"metadata":{"project":"Core","priority":"Highest"}`, `"metadata":{"priority":"lowest"},"tags":["a","b"]`, `"metadata":{"project":7,"priority":"high"},"tags":["b"]`,
		`"tags":["A"]`, `"metadata":{"project":[["core"]],"priority":0}`,
	} {
		s.now = s.now.Add(-time.Second) // the youngest is the oldest made
		s.task(fmt.Sprintf("task-%04d", i), more)
	}
	for arguments, want := range map[string]string{
		`{}`:                         "1 5 7 6 3 2 0 4",
		`{"sort":"created"}`:         "7 6 5 4 3 2 1 0",
		`{"sort":"updated"}`:         "0 1 2 3 4 5 6 7",
		`{"sort":"impact"}`:          "1 5 7 6 3 2 0 4",
		`{"project":"core"}`:         "1 0",
		`{"project":""}`:             "2",
		`{"project":"tui"}`:          "1",
		`{"project":"Core"}`:         "3",
		`{"tags":["b"]}`:             "5 4",
		`{"tags":["b","a"]}`:         "4",
		`{"tags":["a","b","b"]}`:     "4",
		`{"tags":["a"]}`:             "4",
		`{"tags":[]}`:                "1 5 7 6 3 2 0 4",
		`{"tags":[""]}`:              "",
		`{"limit":3}`:                "1 5 7",
		`{"limit":3,"offset":2}`:     "7 6 3",
		`{"limit":3,"offset":7}`:     "4",
		`{"limit":3,"offset":8}`:     "",
		`{"limit":1e300,"offset":6}`: "0 4",
		`{"project":"core","metadata_match":{"project":"tui"}}`:                "1 0",
		`{"project":"core","metadata_match":{"project":"x","priority":"low"}}`: "0",
		`{"metadata_match":{"project":"core"}}`:                                "1 0",
		`{"sort":"impact","limit":2,"offset":1}`:                               "5 7",
		`{"sort":"updated","project":"core","limit":1,"offset":1}`:             "1",
	} {
		var got []string
		for _, id := range s.values(s.do("task_ready", arguments), "tasks", "id") {
			got = append(got, strings.TrimPrefix(id.(string), "task-000"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("task_ready %s answers %v, want %s", arguments, got, want)
		}
	}
	for arguments, want := range map[string]bool{`{"limit":8}`: false, `{"limit":7}`: true, `{"limit":7,"offset":1}`: false, `{"limit":1,"tags":["a"]}`: false, `{"sort":"impact","limit":7}`: true} {
		if got := s.value(s.do("task_ready", arguments), "has_more"); got != want {
			t.Errorf("task_ready %s: has_more is %v", arguments, got)
		}
	}
}

// testGates covers how gates are stored and when they let go.
func testGates(t *testing.T, open Open) {
	s := newSession(t, open)
	s.task("timer-01", `"task_type":"gate","metadata":{"x":null,"ready_at":"2026-W10-1T14:00:00.999999+02:00","gate_type":"timer"}`)
	if got := s.do("task_get", `{"task_id":"timer-01"}`); !strings.Contains(got, `"metadata":{"x":null,"ready_at":"2026-03-02T12:00:00+00:00","gate_type":"timer"}`) {
		t.Errorf("a timer is stored as %s", got)
	}
	s.task("waiter-1", "")
	s.task("epic-001", `"task_type":"epic"`)
	s.edge("timer-01", "waiter-1", "waits_on_gate")
	s.edge("timer-01", "epic-001", "waits_on_gate")
	ready := func() any { return s.value(s.do("task_why", `{"task_id":"waiter-1"}`), "ready") }
	for at, want := range map[string]bool{
		"2026-03-02T11:59:59.999999Z": false, "2026-03-02T12:00:00Z": true, "2026-03-02T12:00:00.5Z": true, "2026-03-03": true, "2026-03-02T11:00:00Z": false,
	} {
		s.at(at)
		before := s.dump()
		if got := ready(); got != want {
			t.Errorf("at %s the waiter's ready is %v", at, got)
		}
		list := s.do("task_blocked", `{}`)
		if got := len(s.values(list, "tasks", "id")) == 0; got != want {
			t.Errorf("at %s the blocked tasks are %s", at, list)
		}
		if s.dump() != before {
			t.Errorf("time passing wrote something")
		}
	}
	s.at("2026-03-02T11:00:00Z")
	s.want("task_why", `{"task_id":"waiter-1"}`, `{"task_id":"waiter-1","title":"Task waiter-1","status":"open","task_type":"task","ready":false,"blockers":[{"kind":"gate","task_id":"timer-01","type":"waits_on_gate","status":"open","message":"Waiting for timer gate timer-01 until 2026-03-02T12:00:00+00:00."}],"root_causes":[{"kind":"gate","task_id":"timer-01","title":"Task timer-01","status":"open","path":["waiter-1","timer-01"]}],"unblock_plan":[{"action":"wait_until","task_id":"timer-01","title":"Task timer-01","until":"2026-03-02T12:00:00+00:00"}],"downstream":0}`)
	// A timer that has passed is listed as unblocking when it is completed.
	s.at("2026-03-02T13:00:00Z")
	if got := s.value(s.do("task_complete", `{"task_id":"timer-01","agent":"ada"}`), "unblocked"); fmt.Sprint(got) != "[waiter-1]" {
		t.Errorf("completing a passed timer unblocks %v", got)
	}
	// Reopened, it has passed already: nothing waits for it again.
	if got := s.value(s.do("task_reopen", `{"task_id":"timer-01","agent":"ada"}`), "reblocked"); fmt.Sprint(got) != "[]" {
		t.Errorf("reopening a passed timer reblocks %v", got)
	}
	s.do("task_update", `{"task_id":"timer-01","agent":"ada","metadata":{"ready_at":"2030-01-01"}}`)
	if ready() != false {
		t.Error("a timer that is moved on does not hold its waiter back")
	}
	s.do("task_update", `{"task_id":"timer-01","agent":"ada","metadata":{"gate_type":"human"}}`)
	s.at("2031-01-01")
	if ready() != false {
		t.Error("a gate that is no timer any more opens by time")
	}
	// Over blocks a timer has to be completed, and its own predecessors count.
	s.task("timer-02", `"task_type":"gate","metadata":{"gate_type":"timer","ready_at":"2020-01-01"},"depends_on":["waiter-1"]`)
	s.task("strict-1", `"depends_on":["timer-02"]`)
	s.edge("timer-02", "strict-1", "waits_on_gate")
	why := s.do("task_why", `{"task_id":"strict-1"}`)
	var plan []string
	for _, item := range s.value(why, "unblock_plan").([]any) {
		step := item.(map[string]any)
		plan = append(plan, fmt.Sprint(step["action"], ":", step["task_id"]))
	}
	if got := strings.Join(plan, " "); got != "resolve_gate:timer-01 complete:waiter-1 complete:timer-02" {
		t.Errorf("the plan is %s", got)
	}
}

// testDamage covers predecessors whose row is gone.
func testDamage(t *testing.T, open Open) {
	s := newSession(t, open)
	s.task("vanished", "")
	s.task("middle-1", `"depends_on":["vanished"]`)
	s.task("last-001", `"depends_on":["middle-1"]`)
	if err := s.store.Damage("vanished"); err != nil {
		t.Fatal(err)
	}
	blocked := s.do("task_blocked", `{"offset":1}`)
	blocker := s.value(blocked, "tasks", 0, "blockers", 0).(map[string]any)
	if s.value(blocked, "tasks", 0, "id") != "middle-1" || blocker["kind"] != "blocker_unsatisfiable" || blocker["status"] != "missing" || blocker["task_id"] != "vanished" {
		t.Errorf("a missing predecessor shows as %s", blocked)
	}
	s.want("task_why", `{"task_id":"last-001"}`, `{"task_id":"last-001","title":"Task last-001","status":"open","task_type":"task","ready":false,"blockers":[{"kind":"task","task_id":"middle-1","type":"blocks","status":"open","message":"Waiting for middle-1."}],"root_causes":[{"kind":"blocker_unsatisfiable","task_id":"vanished","title":null,"status":"missing","path":["last-001","middle-1","vanished"]}],"unblock_plan":[{"action":"intervene","task_id":"vanished","title":null,"options":["delete_edge"]},{"action":"complete","task_id":"middle-1","title":"Task middle-1"}],"downstream":0}`)
	if got := s.value(s.do("task_complete", `{"task_id":"middle-1","agent":"ada"}`), "unblocked"); fmt.Sprint(got) != "[last-001]" {
		t.Errorf("completing the task in between unblocks %v", got)
	}
	s.fail("task_get", `{"task_id":"vanished"}`, "task_not_found", `{"field":"task_id","value":"vanished"}`)
}

// testRings covers what only imports bring in.
func testRings(t *testing.T, open Open) {
	task := func(id string, age int) core.Task {
		return core.Task{
			TaskHead:  core.TaskHead{ID: id, Title: id, Status: core.StatusOpen, Type: core.TypeTask, CreatedAt: core.Stamp(age), UpdatedAt: core.Stamp(age), Version: 1},
			CreatedBy: "importer",
		}
	}
	for name, c := range map[string]struct {
		edges  string // from>to, blocks
		causes string // kind:path
		plan   string // action:task or path
	}{
		"a task in a ring": {"a>r r>a", "cycle:r,a,r", "break_cycle:r,a,r"},
		"behind a ring":    {"a>r b>a a>b", "cycle:r,a,b,a", "break_cycle:a,b,a complete:a"},
		"two rings through one": {
			"a>r b>a a>b c>a a>c", "cycle:r,a,b,a cycle:r,a,c,a", "break_cycle:a,b,a break_cycle:a,c,a complete:a",
		},
		"a ring behind a ring is a cause, yet need not be broken": {
			"a>r b>a a>b c>b d>c c>d", "cycle:r,a,b,a cycle:r,a,b,c,d,c", "break_cycle:a,b,a complete:a",
		},
		// Cutting b's ring opens a's as well, so a's need not be cut.
		"rings that share a way": {
			"a>r b>r b>a x>b a>x b>x", "cycle:r,b,x,b cycle:r,a,b,x,a", "break_cycle:b,x,b complete:b complete:a",
		},
		"a leaf beside a ring": {
			"a>r b>a a>b z>r", "task:r,z cycle:r,a,b,a", "break_cycle:a,b,a complete:a complete:z",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, open)
			seen := map[string]bool{}
			var tasks []core.Task
			var edges [][3]string
			for _, text := range strings.Fields(c.edges) {
				from, to, _ := strings.Cut(text, ">")
				for _, id := range []string{from, to} {
					if !seen[id] {
						seen[id] = true
						tasks = append(tasks, task(id, int(id[0])))
					}
				}
				edges = append(edges, [3]string{from, to, "blocks"})
			}
			s.load(tasks, edges)
			why := s.do("task_why", `{"task_id":"r"}`)
			path := func(v any) string {
				return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ",")
			}
			var causes, plan []string
			for _, item := range s.value(why, "root_causes").([]any) {
				cause := item.(map[string]any)
				causes = append(causes, fmt.Sprint(cause["kind"], ":", path(cause["path"])))
			}
			for _, item := range s.value(why, "unblock_plan").([]any) {
				step := item.(map[string]any)
				what := step["task_id"]
				if step["path"] != nil {
					what = path(step["path"])
				}
				plan = append(plan, fmt.Sprint(step["action"], ":", what))
			}
			if got := strings.Join(causes, " "); got != c.causes {
				t.Errorf("the causes are %q, want %q", got, c.causes)
			}
			if got := strings.Join(plan, " "); got != c.plan {
				t.Errorf("the plan is %q, want %q", got, c.plan)
			}
		})
	}
}

// testSpawn covers what a spawned task takes over.
func testSpawn(t *testing.T, open Open) {
	s := newSession(t, open)
	s.task("source-1", `"description":"D","tags":["b","a","b"],"metadata":{"project":["x"],"priority":null,"parallelizable":false,"phase":1.0,"other":1}`)
	s.task("closed-1", `"task_type":"epic","metadata":{"project":"p"}`)
	s.do("task_cancel", `{"task_id":"closed-1","agent":"ada"}`)
	for arguments, want := range map[string]string{
		`"source_task_id":"source-1"`: `"description":null,"status":"open","task_type":"task","created_by":"mo","created_at":"2026-03-02T12:00:00+00:00","resolved_at":null,"updated_at":"2026-03-02T12:00:00+00:00","version":1,"tags":["b","a","b"],"metadata":{"project":["x"],"priority":null,"parallelizable":false,"phase":1.0},"outcome":null`,
		`"source_task_id":"source-1","inherit_tags":false,"inherit_project":false,"inherit_context":false`: `"tags":[],"metadata":{},"outcome":null`,
		`"source_task_id":"source-1","inherit_context":false,"metadata":{"project":null,"n":2}`:            `"metadata":{"project":null,"n":2}`,
		`"source_task_id":"source-1","inherit_project":false,"metadata":{"phase":"x"}`:                     `"metadata":{"priority":null,"parallelizable":false,"phase":"x"}`,
		`"source_task_id":"closed-1","description":"mine"`:                                                 `"description":"mine","status":"open","task_type":"task"`,
	} {
		answer := s.do("task_spawn", `{"title":"T","agent":"mo",`+arguments+`}`)
		if got := s.do("task_get", fmt.Sprintf(`{"task_id":%q}`, s.value(answer, "task_id"))); !strings.Contains(got, want) {
			t.Errorf("spawned with %s: %s\nwant %s", arguments, got, want)
		}
	}
	// With blocks: a cancelled source blocks for good.
	answer := s.do("task_spawn", `{"title":"T","agent":"mo","source_task_id":"closed-1","relation_type":"blocks"}`)
	if kind := s.value(s.do("task_why", fmt.Sprintf(`{"task_id":%q}`, s.value(answer, "task_id"))), "blockers", 0, "kind"); kind != "blocker_unsatisfiable" {
		t.Errorf("the blocker is of kind %v", kind)
	}
}

// testLeases covers the edges of a lease.
func testLeases(t *testing.T, open Open) {
	s := newSessionWith(t, open, core.Settings{ClaimDefaultMinutes: 30, ClaimMaxMinutes: 120})
	s.task("first-01", "")
	for ttl, want := range map[string]string{
		``: "12:30:00", `,"ttl_minutes":null`: "12:30:00", `,"ttl_minutes":45`: "12:45:00", `,"ttl_minutes":120`: "14:00:00", `,"ttl_minutes":121`: "14:00:00",
		`,"ttl_minutes":1e300`: "14:00:00", `,"ttl_minutes":1`: "12:01:00", `,"ttl_minutes":0`: "12:01:00", `,"ttl_minutes":-1e300`: "12:01:00",
	} {
		answer := s.do("task_claim", `{"task_id":"first-01","aspect":"work","agent":"ada"`+ttl+`}`)
		if got := s.value(answer, "expires_at"); got != "2026-03-02T"+want+"+00:00" {
			t.Errorf("a claim with %q lasts until %v", ttl, got)
		}
	}
	s.do("task_claim", `{"task_id":"first-01","aspect":"work","agent":"ada","ttl_minutes":1}`)
	s.do("task_claim", `{"task_id":"first-01","aspect":"Work","agent":"mo"}`)
	s.at("2026-03-02T12:00:59.999999Z")
	s.fail("task_claim", `{"task_id":"first-01","aspect":"work","agent":"mo"}`, "claim_failed",
		`{"reason":"held","holder":"ada","aspect":"work","expires_at":"2026-03-02T12:01:00+00:00","seconds_left":1}`)
	s.at("2026-03-02T12:01:00Z") // equal is expired
	s.fail("task_renew", `{"task_id":"first-01","aspect":"work","agent":"ada"}`, "claim_not_found", `{"aspect":"work"}`)
	s.fail("task_release", `{"task_id":"first-01","aspect":"work","agent":"mo"}`, "claim_not_found", `{"aspect":"work"}`)
	claims := func() string {
		return fmt.Sprint(s.value(s.do("task_status", `{"task_id":"first-01"}`), "tasks", 0, "claims"))
	}
	if got := claims(); strings.Contains(got, "ada") || !strings.Contains(got, "mo") {
		t.Errorf("an expired claim is shown: %s", got)
	}
	// Taken over, a row keeps its place; released and claimed again it does not.
	s.do("task_claim", `{"task_id":"first-01","aspect":"work","agent":"zoë"}`)
	if got := claims(); strings.Index(got, "zoë") > strings.Index(got, "mo") {
		t.Errorf("a claim taken over lost its place: %s", got)
	}
	s.do("task_release", `{"task_id":"first-01","aspect":"work","agent":"zoë"}`)
	s.do("task_claim", `{"task_id":"first-01","aspect":"work","agent":"zoë"}`)
	if got := claims(); strings.Index(got, "zoë") < strings.Index(got, "mo") {
		t.Errorf("a new claim took an old place: %s", got)
	}
	// One's own expired row can be released.
	s.now = s.now.Add(10 * time.Hour)
	s.do("task_release", `{"task_id":"first-01","aspect":"work","agent":"zoë"}`)
	// Closing drops the claims; they do not come back.
	s.do("task_claim", `{"task_id":"first-01","aspect":"work","agent":"zoë"}`)
	s.do("task_complete", `{"task_id":"first-01","agent":"ada"}`)
	s.do("task_reopen", `{"task_id":"first-01","agent":"ada"}`)
	if got := claims(); got != "[]" {
		t.Errorf("claims came back: %s", got)
	}
}

// testReads holds that no read writes anything.
func testReads(t *testing.T, open Open) {
	s := newSession(t, open)
	graph(s)
	notes(s)
	for _, op := range core.Operations {
		if op.ReadOnly() && !op.CommandLineOnly() {
			s.same(op.Name(), plausible[op.Name()])
		}
	}
	differences, err := s.store.CheckFrontier()
	if err != nil || len(differences) > 0 {
		t.Errorf("the stored frontier differs: %v %v", differences, err)
	}
}

// testRehearsal holds that a rehearsed mutation answers like the real one and
// leaves nothing behind.
func testRehearsal(t *testing.T, open Open) {
	s := newSession(t, open)
	graph(s)
	notes(s)
	for _, op := range core.Operations {
		family, _, _ := strings.Cut(op.Name(), "_")
		writesNote := op.Name() == "write" || op.Name() == "note_update"
		if op.ReadOnly() || op.CommandLineOnly() || !writesNote && !slices.Contains([]string{"task", "finding", "agent"}, family) {
			continue // the others change files, or nothing that a rehearsal is for
		}
		arguments := plausible[op.Name()]
		before := s.dump()
		s.nextID = "new-" + op.Name()
		rehearsed := string(s.rehearse(op.Name(), []byte(arguments)))
		if after := s.dump(); after != before {
			t.Errorf("%s was rehearsed, yet the store changed:\nbefore\n%s\nafter\n%s", op.Name(), before, after)
		}
		s.nextID = "new-" + op.Name()
		if real := s.do(op.Name(), arguments); real != rehearsed {
			t.Errorf("%s answers %s in rehearsal and %s in earnest", op.Name(), rehearsed, real)
		}
		if op.Name() == "task_complete" || op.Name() == "task_cancel" {
			s.do("task_reopen", `{"task_id":"first-01","agent":"ada"}`)
			s.do("task_claim", `{"task_id":"first-01","aspect":"work","agent":"ada"}`)
		}
		s.nextID = ""
	}
}

// testStamps covers updated_at, version and what leaves them alone.
func testStamps(t *testing.T, open Open) {
	s := newSession(t, open)
	s.task("first-01", "")
	s.task("second-1", "")
	state := func() string {
		task := s.do("task_get", `{"task_id":"first-01"}`)
		return fmt.Sprintf("%v %v %v", s.value(task, "task", "updated_at"), s.value(task, "task", "version"), s.value(task, "task", "resolved_at"))
	}
	s.at("2026-03-02T13:00:00Z")
	for _, quiet := range [][2]string{
		{"task_claim", `{"task_id":"first-01","aspect":"work","agent":"mo"}`}, {"task_renew", `{"task_id":"first-01","aspect":"work","agent":"mo"}`},
		{"task_release", `{"task_id":"first-01","aspect":"work","agent":"mo"}`}, {"task_next", `{"agent":"mo"}`},
		{"finding_post", `{"task_id":"first-01","agent":"mo","summary":"S"}`},
		{"task_edge_upsert", `{"from_task_id":"first-01","to_task_id":"second-1","type":"blocks","agent":"mo"}`},
		{"task_edge_upsert", `{"from_task_id":"second-1","to_task_id":"first-01","type":"parent_child","agent":"mo"}`},
		{"task_edge_delete", `{"from_task_id":"second-1","to_task_id":"first-01","type":"parent_child","agent":"mo"}`},
		{"task_create", `{"title":"T","agent":"mo","parent_task_id":"first-01","depends_on":["first-01"]}`},
		{"task_spawn", `{"title":"T","agent":"mo","source_task_id":"first-01"}`},
		{"task_complete", `{"task_id":"second-1","agent":"mo"}`},
	} {
		s.do(quiet[0], quiet[1])
		if got := state(); got != "2026-03-02T12:00:00+00:00 1 <nil>" {
			t.Errorf("after %s %s the task is at %s", quiet[0], quiet[1], got)
		}
	}
	for _, step := range []struct{ at, operation, arguments, want string }{
		{"2026-03-02T13:00:00Z", "task_update", `{"task_id":"first-01","agent":"mo","metadata":{}}`, "2026-03-02T13:00:00+00:00 2 <nil>"},
		{"2026-03-02T13:00:00Z", "task_update", `{"task_id":"first-01","agent":"mo","add_tags":[]}`, "2026-03-02T13:00:00.000001+00:00 3 <nil>"},
		// The clock goes back; stamps do not.
		{"2020-01-01", "task_update", `{"task_id":"first-01","agent":"mo","description":""}`, "2026-03-02T13:00:00.000002+00:00 4 <nil>"},
		{"2020-01-01", "task_complete", `{"task_id":"first-01","agent":"mo"}`, "2026-03-02T13:00:00.000003+00:00 5 2026-03-02T13:00:00.000003+00:00"},
		{"2020-01-01", "task_update", `{"task_id":"first-01","agent":"mo","title":"T"}`, "2026-03-02T13:00:00.000004+00:00 6 2026-03-02T13:00:00.000003+00:00"},
		{"2026-03-02T14:00:00.5Z", "task_reopen", `{"task_id":"first-01","agent":"mo"}`, "2026-03-02T14:00:00.500000+00:00 7 <nil>"},
		{"2026-03-02T14:00:00.5Z", "task_cancel", `{"task_id":"first-01","agent":"mo"}`, "2026-03-02T14:00:00.500001+00:00 8 2026-03-02T14:00:00.500001+00:00"},
	} {
		s.at(step.at)
		s.do(step.operation, step.arguments)
		if got := state(); got != step.want {
			t.Errorf("after %s %s the task is at %s, want %s", step.operation, step.arguments, got, step.want)
		}
	}
}
