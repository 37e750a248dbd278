package coretest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// testRequestID covers the second call with a request_id.
func testRequestID(t *testing.T, open Open) {
	for tool, c := range map[string]struct {
		first string   // arguments of the first call
		same  []string // other ways to write them
		other []string // arguments that differ
	}{
		"task_create": {
			first: `{"title":"T","agent":"mo","depends_on":["first-01"],"metadata":{"a":1,"b":{"c":[1.0],"d":null}},"request_id":"r"}`,
			same: []string{
				`{"request_id":"r","metadata":{"b":{"d":null,"c":[1.0]},"a":1},"agent":"mo","depends_on":["first-01"],"title":"\u0054"}`,
				`{"title":"T","agent":"mo","depends_on":["first-01"],"metadata":{"a":1,"b":{"c":[1.0],"d":null}},"request_id":"r","task_type":"task","description":null,"tags":null}`,
			},
			other: []string{
				`{"title":"T","agent":"mo","depends_on":["first-0"],"metadata":{"a":1,"b":{"c":[1.0],"d":null}},"request_id":"r"}`,
				`{"title":"T","agent":"mo","depends_on":["first-01"],"metadata":{"a":1.0,"b":{"c":[1.0],"d":null}},"request_id":"r"}`,
				`{"title":"T","agent":"mo","depends_on":["first-01"],"metadata":{"a":1,"b":{"c":[1.0]}},"request_id":"r"}`,
				`{"title":"T","agent":"mo","depends_on":["first-01"],"metadata":{"a":1,"b":{"c":[1.0],"d":null}},"request_id":"r","tags":[]}`,
				`{"title":"T","agent":"mo","depends_on":["first-01"],"metadata":{"a":1,"b":{"c":[1.0],"d":null}},"request_id":"r","task_type":"nonsense"}`,
				`{"title":"t","agent":"mo","request_id":"r"}`,
			},
		},
		"task_spawn": {
			first: `{"source_task_id":"first-01","title":"T","agent":"mo","request_id":"r"}`,
			same: []string{
				`{"source_task_id":"first-01","title":"T","agent":"mo","request_id":"r","relation_type":"discovered_from","inherit_tags":true,"metadata":null}`,
			},
			other: []string{
				`{"source_task_id":"first-01","title":"T","agent":"mo","request_id":"r","inherit_tags":false}`,
				`{"source_task_id":"first-","title":"T","agent":"mo","request_id":"r"}`,
			},
		},
		"task_apply": {
			first: `{"agent":"mo","request_id":"r","operations":[{"op":"create","as":"a","title":"T"},{"op":"edge_upsert","from_task_id":"first-01","to_task_id":"$a","type":"blocks"}]}`,
			same: []string{
				`{"operations":[{"title":"T","as":"a","op":"create","agent":"mo","task_type":"task","tags":null},{"type":"blocks","op":"edge_upsert","to_task_id":"$a","from_task_id":"first-01","metadata":null}],"request_id":"r","agent":"mo"}`,
			},
			other: []string{
				`{"agent":"mo","request_id":"r","operations":[{"op":"create","as":"b","title":"T"},{"op":"edge_upsert","from_task_id":"first-01","to_task_id":"$b","type":"blocks"}]}`,
				`{"agent":"mo","request_id":"r","operations":[{"op":"create","as":"a","title":"T"}]}`,
				`{"agent":"mo","request_id":"r","operations":[{"op":"create","as":"a","title":"T","agent":"ada"},{"op":"edge_upsert","from_task_id":"first-01","to_task_id":"$a","type":"blocks"}]}`,
			},
		},
	} {
		t.Run(tool, func(t *testing.T) {
			s := newSession(t, open)
			graph(s)
			// A call that failed is not remembered.
			failing := strings.ReplaceAll(c.first, "first-01", "nobody-01")
			if answer := s.answer(tool, failing); s.value(answer, "status") != "error" {
				s.Fatalf("%s %s answers %s", tool, failing, answer)
			}
			first := s.do(tool, c.first)
			// What was made moves on; the answer does not.
			made := s.value(first, "task_id")
			if tool == "task_apply" {
				made = s.value(first, "ids", "a")
			}
			s.now = s.now.Add(time.Hour)
			s.do("task_update", fmt.Sprintf(`{"task_id":%q,"agent":"ada","title":"Another title","tags":["new"]}`, made))
			before := s.dump()
			for _, arguments := range append(c.same, c.first) {
				if again := s.do(tool, arguments); again != first {
					s.Errorf("%s %s\nanswers %s\nat first %s", tool, arguments, again, first)
				}
				if after := s.dump(); after != before {
					s.Errorf("%s %s is a repetition, yet the store changed:\nbefore\n%s\nafter\n%s", tool, arguments, before, after)
				}
			}
			for _, arguments := range c.other {
				s.fail(tool, arguments, "invalid_input", `{"reason":"invalid_field_value","field":"request_id","value":"r"}`)
			}
			for other, arguments := range map[string]string{
				"task_create": `{"title":"T","agent":"mo","request_id":"r"}`,
				"task_spawn":  `{"source_task_id":"nobody-01","title":"T","agent":"mo","request_id":"r"}`,
				"task_apply":  `{"agent":"mo","request_id":"r","operations":[{"op":"complete","task_id":"nobody-01"}]}`,
			} {
				if other != tool {
					s.fail(other, arguments, "invalid_input", `{"reason":"invalid_field_value","field":"request_id","value":"r"}`)
				}
			}
			// The key is the agent's own.
			another := s.do(tool, strings.ReplaceAll(c.first, `"agent":"mo"`, `"agent":"ada"`))
			if another == first {
				s.Errorf("another agent's call with the same request_id answers the same: %s", another)
			}
			// Values are judged before what is remembered.
			s.fail("task_create", `{"title":" ","agent":"mo","request_id":"r"}`, "invalid_input", `{"reason":"invalid_field_value","field":"title","value":" "}`)
		})
	}
	t.Run("simultaneous", func(t *testing.T) {
		s := newSession(t, open)
		answers := atOnce(8, func(int) string { return s.answer("task_create", `{"title":"T","agent":"mo","request_id":"r"}`) })
		for _, answer := range answers {
			if answer != answers[0] || s.value(answer, "status") == "error" {
				t.Errorf("one call answers %s, another %s", answers[0], answer)
			}
		}
		if n := len(s.values(s.do("task_list", `{}`), "tasks", "id")); n != 1 {
			t.Errorf("%d tasks were created", n)
		}
	})
}

// atOnce runs a function n times at once and returns the answers.
func atOnce(n int, run func(i int) string) []string {
	answers := make([]string, n)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() { answers[i] = run(i) })
	}
	wait.Wait()
	return answers
}

// testRaces covers what exactly one of several callers may win.
func testRaces(t *testing.T, open Open) {
	t.Run("versions", func(t *testing.T) {
		s := newSession(t, open)
		s.task("first-01", "")
		for round := 1; round <= 5; round++ {
			answers := atOnce(6, func(i int) string {
				return s.answer("task_update", fmt.Sprintf(`{"task_id":"first-01","agent":"agent-%d","metadata":{"by":%d},"expected_version":%d}`, i, i, round))
			})
			winners := 0
			for _, answer := range answers {
				switch s.value(answer, "code") {
				case nil:
					winners++
				case "version_conflict":
					want := fmt.Sprintf("%d %d", round+1, round+1)
					if got := fmt.Sprintf("%v %v", s.value(answer, "current_version"), s.value(answer, "current", "version")); got != want {
						t.Errorf("round %d: a conflict shows the versions %s", round, got)
					}
				default:
					t.Errorf("round %d: %s", round, answer)
				}
			}
			if version := s.value(s.do("task_get", `{"task_id":"first-01"}`), "task", "version"); winners != 1 || fmt.Sprint(version) != fmt.Sprint(round+1) {
				t.Errorf("round %d: %d winners, version %v", round, winners, version)
			}
		}
	})
	t.Run("closing", func(t *testing.T) {
		s := newSession(t, open)
		s.task("first-01", "")
		answers := atOnce(6, func(i int) string {
			return s.answer([]string{"task_complete", "task_cancel"}[i%2], `{"task_id":"first-01","agent":"mo","expected_version":1}`)
		})
		winners := 0
		for _, answer := range answers {
			switch s.value(answer, "code") {
			case nil:
				winners++
			case "task_not_found":
				if s.value(answer, "task_status") == nil {
					t.Errorf("a loser is not told what became of the task: %s", answer)
				}
			default:
				t.Error(answer)
			}
		}
		if winners != 1 {
			t.Errorf("%d callers closed the task", winners)
		}
	})
	t.Run("metadata", func(t *testing.T) {
		s := newSession(t, open)
		s.task("first-01", "")
		answers := atOnce(20, func(i int) string {
			return s.answer("task_update", fmt.Sprintf(`{"task_id":"first-01","agent":"mo","metadata":{"k%d":%d},"add_tags":["t%d"]}`, i, i, i))
		})
		for _, answer := range answers {
			if s.value(answer, "code") != nil {
				t.Error(answer)
			}
		}
		task := s.do("task_get", `{"task_id":"first-01"}`)
		if keys, tags := len(s.value(task, "task", "metadata").(map[string]any)), len(s.value(task, "task", "tags").([]any)); keys != 20 || tags != 20 {
			t.Errorf("of 20 merges %d keys and %d tags are left", keys, tags)
		}
	})
	t.Run("claims", func(t *testing.T) {
		s := newSession(t, open)
		s.task("first-01", "")
		answers := atOnce(8, func(i int) string {
			return s.answer("task_claim", fmt.Sprintf(`{"task_id":"first-01","aspect":"work","agent":"agent-%d"}`, i))
		})
		winners := 0
		for _, answer := range answers {
			switch s.value(answer, "code") {
			case nil:
				winners++
			case "claim_failed":
			default:
				t.Error(answer)
			}
		}
		if winners != 1 {
			t.Errorf("%d callers hold the aspect", winners)
		}
	})
	t.Run("next", func(t *testing.T) {
		s := newSession(t, open)
		for i := range 12 {
			s.task(fmt.Sprintf("ready-%02d", i), "")
		}
		answers := atOnce(16, func(i int) string { return s.answer("task_next", fmt.Sprintf(`{"agent":"agent-%d"}`, i)) })
		taken, none := map[any]bool{}, 0
		for _, answer := range answers {
			if s.value(answer, "task") == nil {
				none++
				continue
			}
			id := s.value(answer, "task", "id")
			if taken[id] {
				t.Errorf("%v was taken twice", id)
			}
			taken[id] = true
		}
		if len(taken) != 12 || none != 4 {
			t.Errorf("16 callers took %d of 12 tasks and %d got none", len(taken), none)
		}
	})
}

// testApply covers calls of many operations.
func testApply(t *testing.T, open Open) {
	t.Run("a thousand operations", func(t *testing.T) {
		s := newSession(t, open)
		s.task("first-01", "")
		answer := s.do("task_apply", thousand(0))
		if ids := s.value(answer, "ids").(map[string]any); len(ids) != 500 {
			t.Errorf("%d names", len(ids))
		}
		results := s.value(answer, "results").([]any)
		if len(results) != 1000 {
			t.Fatalf("%d results", len(results))
		}
		if got := s.value(answer, "results", 999, "op"); got != "edge_upsert" {
			t.Errorf("the last result is of %v", got)
		}
		// Each task waits for the one before it.
		last := s.value(answer, "ids", "n499")
		why := s.do("task_why", fmt.Sprintf(`{"task_id":%q}`, last))
		if path := s.value(why, "root_causes", 0, "path").([]any); len(path) != 501 || path[500] != "first-01" {
			t.Errorf("the chain has %d members", len(path))
		}
		if steps := s.value(why, "unblock_plan").([]any); len(steps) != 500 {
			t.Errorf("the plan has %d steps", len(steps))
		}
		// Events come in the order of the operations with consecutive seq.
		page := s.do("events", `{"limit":1000,"since":3}`)
		for i, item := range s.value(page, "events").([]any) {
			e := item.(map[string]any)
			if want := []string{"task.edge_upserted", "task.created"}[i%2]; fmt.Sprint(e["seq"]) != fmt.Sprint(i+4) || e["type"] != want {
				t.Fatalf("event %d is %v with seq %v", i, e["type"], e["seq"])
			}
		}
	})
	t.Run("the 700th fails", func(t *testing.T) {
		s := newSession(t, open)
		s.task("first-01", "")
		before := s.dump()
		answer := s.answer("task_apply", thousand(700))
		if code, index := s.value(answer, "code"), s.value(answer, "operation_index"); code != "task_not_found" || fmt.Sprint(index) != "699" {
			t.Errorf("the answer is %.300s", answer)
		}
		if s.dump() != before {
			t.Error("the call failed, yet the store changed")
		}
		s.task("second-1", "")
	})
	t.Run("1001 operations", func(t *testing.T) {
		s := newSession(t, open)
		arguments := thousand(0)
		s.fail("task_apply", arguments[:len(arguments)-2]+`,{"op":"create","title":"T"}]}`, "content_too_large", `{"field":"operations","length":1001,"limit":1000}`)
	})
	t.Run("references", func(t *testing.T) {
		s := newSession(t, open)
		graph(s)
		for operation, c := range map[string]struct{ code, extras string }{
			// Only earlier names, each once, are known; text that begins with $ is always one.
			`{"op":"complete","task_id":"$later"},{"op":"create","as":"later","title":"T"}`:                  {"invalid_input", `"field":"task_id","value":"$later","operation_index":0`},
			`{"op":"create","as":"me","title":"T","depends_on":["first-01","$me"]}`:                          {"invalid_input", `"field":"depends_on[1]","value":"$me","operation_index":0`},
			`{"op":"create","as":"a","title":"T"},{"op":"create","as":"a","title":"T"}`:                      {"invalid_input", `"field":"as","value":"a","operation_index":1`},
			`{"op":"create","as":"a","title":"T"},{"op":"spawn","as":"b","title":"T","source_task_id":"$A"}`: {"invalid_input", `"field":"source_task_id","value":"$A","operation_index":1`},
			`{"op":"create","as":"1a","title":"T"}`:                                                          {"invalid_input", `"field":"as","value":"1a","operation_index":0`},
			`{"op":"create","as":"","title":"T"}`:                                                            {"invalid_input", `"field":"as","value":"","operation_index":0`},
			`{"op":"create","as":"a-b","title":"T"}`:                                                         {"invalid_input", `"field":"as","value":"a-b","operation_index":0`},
			`{"op":"create","as":"é","title":"T"}`:                                                           {"invalid_input", `"field":"as","value":"é","operation_index":0`},
			`{"op":"create","as":"a` + strings.Repeat("b", 64) + `","title":"T"}`:                            {"invalid_input", `"field":"as","value":"a` + strings.Repeat("b", 64) + `","operation_index":0`},
			`{"op":"create","as":7,"title":"T"}`:                                                             {"invalid_input", `"field":"as","value":7,"operation_index":0`},
			`{"op":"complete","task_id":"$"}`:                                                                {"invalid_input", `"field":"task_id","value":"$","operation_index":0`},
			`{"op":"claim","task_id":"first-01","aspect":"a","as":"x"}`:                                      {"invalid_input", `"field":"as","allowed":["op","task_id","aspect","agent","ttl_minutes"],"operation_index":0`},
			`{"op":"create","title":"T","request_id":"r"}`:                                                   {"invalid_input", `"field":"request_id","allowed":["op","as","title","agent","description","tags","metadata","task_type","parent_task_id","depends_on"],"operation_index":0`},
			`{"op":"next"}`:           {"invalid_input", `"field":"op","value":"next","allowed":["create","spawn","update","complete","cancel","reopen","claim","renew","release","edge_upsert","edge_delete","finding_post"],"operation_index":0`},
			`{"title":"T"}`:           {"invalid_input", `"field":"op","operation_index":0`},
			`{"op":null,"title":"T"}`: {"invalid_input", `"field":"op","operation_index":0`},
			`{"op":5,"title":"T"}`:    {"invalid_input", `"field":"op","value":5,"operation_index":0`},
		} {
			reason := "invalid_field_value"
			switch {
			case strings.Contains(c.extras, `"allowed":["op"`):
				reason = "unknown_field"
			case !strings.Contains(c.extras, "value"):
				reason = "missing_field"
			}
			s.fail("task_apply", `{"agent":"mo","operations":[`+operation+`]}`, c.code, `{"reason":"`+reason+`",`+c.extras+`}`)
		}
		// A name is the id wherever an id may stand; other text is not expanded.
		answer := s.do("task_apply", `{"agent":"mo","operations":[
			{"op":"create","as":"p_1","title":"$p_1","task_type":"epic"},
			{"op":"create","as":"c","title":"T","parent_task_id":"$p_1","depends_on":["first-01","$p_1"],"description":"$c"},
			{"op":"spawn","as":"s","title":"T","source_task_id":"$c"},
			{"op":"claim","task_id":"$s","aspect":"$s"},
			{"op":"renew","task_id":"$s","aspect":"$s"},
			{"op":"release","task_id":"$s","aspect":"$s"},
			{"op":"update","task_id":"$s","metadata":{"m":"$s"}},
			{"op":"finding_post","task_id":"$s","summary":"$s"},
			{"op":"edge_upsert","from_task_id":"$s","to_task_id":"$c","type":"blocks"},
			{"op":"edge_delete","from_task_id":"$s","to_task_id":"$c","type":"blocks"},
			{"op":"complete","task_id":"$p_1"},
			{"op":"reopen","task_id":"$p_1"},
			{"op":"cancel","task_id":"$s","reason":"$s"}
		]}`)
		if got := s.value(answer, "results", 0, "title"); got != "$p_1" {
			t.Errorf("a title was expanded to %v", got)
		}
		child := s.value(answer, "ids", "c")
		if got := s.value(answer, "results", 11, "reblocked"); fmt.Sprint(got) != "[]" {
			t.Errorf("the child waits for first-01 as well, yet reopening its parent reblocks %v", got)
		}
		if got := s.value(answer, "results", 12, "stranded"); fmt.Sprint(got) != "[]" {
			t.Errorf("nothing waits for the spawned task, yet %v is stranded", got)
		}
		if got := s.value(s.do("task_get", fmt.Sprintf(`{"task_id":%q}`, child)), "task", "description"); got != "$c" {
			t.Errorf("a description was expanded to %v", got)
		}
		spawned := s.do("task_get", fmt.Sprintf(`{"task_id":%q}`, s.value(answer, "ids", "s")))
		if got := s.value(spawned, "task", "metadata", "m"); got != "$s" {
			t.Errorf("metadata was expanded to %v", got)
		}
		if names := `"ids":{"p_1":`; !strings.Contains(answer, names) {
			t.Errorf("the names are not in the order they were given: %s", answer)
		}
	})
}

// thousand makes the arguments of 1,000 operations in which every second one
// refers to a task made before. The broken one, counted from 1, names a task
// that is not there.
func thousand(broken int) string {
	var b strings.Builder
	b.WriteString(`{"agent":"ada","operations":[`)
	for i := range 500 {
		before := fmt.Sprintf("$n%d", i-1)
		if i == 0 {
			b.WriteString(`{"op":"create","as":"n0","title":"T"},`)
			before = "first-01"
		} else {
			fmt.Fprintf(&b, `,{"op":"create","as":"n%d","title":"T"},`, i)
		}
		if 2*i+2 == broken {
			before = "no-such-task"
		}
		fmt.Fprintf(&b, `{"op":"edge_upsert","from_task_id":%q,"to_task_id":"$n%d","type":"blocks"}`, before, i)
	}
	b.WriteString("]}")
	return b.String()
}
