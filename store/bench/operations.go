package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"dev.lithos/core"
)

// exercise is one operation as it is measured at every size.
type exercise struct {
	operation string
	form      string // tells exercises of one operation apart
	arguments func(*subject) string
	// after puts things back, uncounted, so that every turn finds the same.
	after func(*subject, []byte)
}

// name is what the report calls the exercise.
func (e exercise) name() string {
	name := "`" + e.operation + "`"
	if e.form != "" {
		name += " " + e.form
	}
	return name
}

// subject is what an exercise works on in one turn.
type subject struct {
	*fixture
	plain []int // open plain tasks
	notes int   // how many there are beside the store
	turn  int
}

// task is the id of an open plain task, another one in every turn.
func (s *subject) task() string { return s.ID(s.plain[s.turn%len(s.plain)]) }

// other is one that no turn of task names before those are used up.
func (s *subject) other() string { return s.ID(s.plain[len(s.plain)-1-s.turn%len(s.plain)]) }

// any is the id of any task.
func (s *subject) any() string { return s.ID(s.turn * 7919 % s.Tasks) }

func fixed(arguments string) func(*subject) string {
	return func(*subject) string { return arguments }
}

// onTask makes the arguments of an exercise on an open task.
func onTask(format string) func(*subject) string {
	return func(s *subject) string { return fmt.Sprintf(format, s.task()) }
}

// follow runs an operation on the same task afterwards.
func follow(operation, format string) func(*subject, []byte) {
	return func(s *subject, _ []byte) { s.call(operation, fmt.Sprintf(format, s.task())) }
}

var exercises = []exercise{
	{operation: "task_get", arguments: func(s *subject) string { return fmt.Sprintf(`{"task_id":%q}`, s.any()) }},
	{operation: "task_get", form: "by 8 characters", arguments: func(s *subject) string { return fmt.Sprintf(`{"task_id":%q}`, s.any()[:8]) }},
	{operation: "task_status", arguments: onTask(`{"task_id":%q}`)},
	{operation: "task_list", form: "newest 50", arguments: fixed(`{"limit":50}`)},
	{operation: "task_list", form: "open, of a tag, 50", arguments: fixed(`{"limit":50,"status":"open","tags":["close"]}`)},
	{operation: "task_list", form: "claimed, all", arguments: fixed(`{"claimed_by":"*","with_claims":true}`)},
	{operation: "task_ready", form: "50", arguments: fixed(`{}`)},
	{operation: "task_ready", form: "of a project", arguments: fixed(`{"project":"project-07"}`)},
	{operation: "task_ready", form: "by impact", arguments: fixed(`{"sort":"impact"}`)},
	{operation: "task_blocked", form: "50", arguments: fixed(`{}`)},
	{operation: "task_children", arguments: func(s *subject) string { return fmt.Sprintf(`{"task_id":%q,"recursive":true}`, s.ID(s.Epic())) }},
	{operation: "task_why", arguments: func(s *subject) string {
		return fmt.Sprintf(`{"task_id":%q}`, s.ID(s.Chain+1+s.turn%min(20, s.Long-1)))
	}},
	{operation: "task_edge_list", arguments: onTask(`{"task_id":%q}`)},
	{operation: "finding_list", arguments: onTask(`{"task_id":%q}`)},
	{operation: "agent_info", arguments: fixed(`{"id":"agent-03"}`)},
	{operation: "agent_list", arguments: fixed(`{}`)},
	{operation: "stats", arguments: fixed(`{}`)},
	{operation: "events", form: "the first 100", arguments: fixed(`{"limit":100}`)},
	{operation: "journal", form: "the last 100", arguments: fixed(`{"limit":100}`)},
	{operation: "journal", form: "of a task", arguments: onTask(`{"task_id":%q}`)},

	{operation: "task_create", arguments: fixed(`{"title":"One more","agent":"bench","metadata":{"project":"project-07","priority":"high"}}`)},
	{operation: "task_create", form: "with 3 dependencies", arguments: func(s *subject) string {
		return fmt.Sprintf(`{"title":"One more","agent":"bench","depends_on":[%q,%q,%q]}`, s.task(), s.other(), s.ID(3))
	}},
	{operation: "task_spawn", arguments: onTask(`{"source_task_id":%q,"title":"Found on the way","agent":"bench"}`)},
	{operation: "task_update", arguments: onTask(`{"task_id":%q,"agent":"bench","title":"Another title"}`)},
	{operation: "task_claim", arguments: onTask(`{"task_id":%q,"agent":"bench","aspect":"review"}`), after: follow("task_release", `{"task_id":%q,"agent":"bench","aspect":"review"}`)},
	{operation: "task_renew", arguments: func(s *subject) string {
		s.call("task_claim", fmt.Sprintf(`{"task_id":%q,"agent":"bench","aspect":"review"}`, s.task()))
		return fmt.Sprintf(`{"task_id":%q,"agent":"bench","aspect":"review"}`, s.task())
	}, after: follow("task_release", `{"task_id":%q,"agent":"bench","aspect":"review"}`)},
	{operation: "task_release", arguments: func(s *subject) string {
		s.call("task_claim", fmt.Sprintf(`{"task_id":%q,"agent":"bench","aspect":"review"}`, s.task()))
		return fmt.Sprintf(`{"task_id":%q,"agent":"bench","aspect":"review"}`, s.task())
	}},
	{operation: "task_next", arguments: fixed(`{"agent":"bench"}`), after: (*subject).releaseNext},
	{operation: "task_edge_upsert", form: "between open tasks", arguments: func(s *subject) string {
		return s.edge(`{"from_task_id":%q,"to_task_id":%q,"type":"blocks","agent":"bench"}`)
	}, after: func(s *subject, _ []byte) {
		s.call("task_edge_delete", s.edge(`{"from_task_id":%q,"to_task_id":%q,"type":"blocks","agent":"bench"}`))
	}},
	{operation: "task_edge_delete", arguments: func(s *subject) string {
		arguments := s.edge(`{"from_task_id":%q,"to_task_id":%q,"type":"blocks","agent":"bench"}`)
		s.call("task_edge_upsert", arguments)
		return arguments
	}},
	{operation: "task_complete", arguments: onTask(`{"task_id":%q,"agent":"bench","outcome":"done"}`), after: follow("task_reopen", `{"task_id":%q,"agent":"bench"}`)},
	{operation: "task_reopen", arguments: func(s *subject) string {
		s.call("task_complete", fmt.Sprintf(`{"task_id":%q,"agent":"bench"}`, s.task()))
		return fmt.Sprintf(`{"task_id":%q,"agent":"bench"}`, s.task())
	}},
	{operation: "task_cancel", arguments: onTask(`{"task_id":%q,"agent":"bench","reason":"not wanted"}`), after: follow("task_reopen", `{"task_id":%q,"agent":"bench"}`)},
	{operation: "task_apply", form: "20 tasks, each after the one before", arguments: fixed(applyChain(20))},
	{operation: "finding_post", arguments: onTask(`{"task_id":%q,"agent":"bench","summary":"It works."}`)},
	{operation: "agent_register", arguments: fixed(`{"id":"bench"}`)},
}

// edge names two open plain tasks, the older one first.
func (s *subject) edge(format string) string {
	a, b := s.plain[s.turn%len(s.plain)], s.plain[(s.turn*31+17)%len(s.plain)]
	return fmt.Sprintf(format, s.ID(min(a, b)), s.ID(max(a, b)))
}

// releaseNext gives back what task_next took.
func (s *subject) releaseNext(answer []byte) {
	var taken struct{ Task struct{ ID string } }
	check(json.Unmarshal(answer, &taken))
	s.call("task_release", fmt.Sprintf(`{"task_id":%q,"agent":"bench","aspect":"work"}`, taken.Task.ID))
}

// applyChain are the arguments of one task_apply that makes a chain.
func applyChain(n int) string {
	var list []string
	for i := range n {
		step := fmt.Sprintf(`{"op":"create","as":"t%d","title":"Step %d"`, i, i)
		if i > 0 {
			step += fmt.Sprintf(`,"depends_on":["$t%d"]`, i-1)
		}
		list = append(list, step+"}")
	}
	return `{"agent":"bench","operations":[` + strings.Join(list, ",") + "]}"
}

// onceOnly are operations without an exercise because they change the whole
// store, so that no two turns are alike. An index of notes is made once.
var onceOnly = []string{"events_archive", "note_reindex"}

// unmeasured are the operations that no exercise runs.
func unmeasured() []string {
	var names []string
	all := slices.Concat(exercises, noteExercises)
	for _, op := range core.Operations {
		if !slices.Contains(onceOnly, op.Name()) && !slices.ContainsFunc(all, func(e exercise) bool { return e.operation == op.Name() }) {
			names = append(names, op.Name())
		}
	}
	return names
}

// measureOperations measures every operation at every size.
func (b *bench) measureOperations() {
	times := make([][]time.Duration, len(exercises))
	for _, size := range b.sizes {
		f := b.ordinary(size)
		f.open()
		plain := f.Plain()
		for i, e := range exercises {
			times[i] = append(times[i], median(b.exercise(&subject{fixture: f, plain: plain}, e)))
		}
		f.close()
	}
	for i, e := range exercises {
		b.report.growth(e.name(), b.sizes, times[i], nil)
	}
	if names := unmeasured(); len(names) > 0 {
		b.report.note("Not measured: " + strings.Join(names, ", ") + ".")
	}
}

// longest is how long one exercise may take at one size.
const longest = 3 * time.Second

// exercise runs an exercise as often as the time allows, at least three times.
func (b *bench) exercise(s *subject, e exercise) (times []time.Duration) {
	began := time.Now()
	for s.turn = range b.turns * 5 {
		arguments := e.arguments(s)
		start := time.Now()
		answer := s.call(e.operation, arguments)
		if took := time.Since(start); s.turn > 0 {
			times = append(times, took)
		}
		if e.after != nil {
			e.after(s, answer)
		}
		if len(times) >= 3 && time.Since(began) > longest {
			break
		}
	}
	return times
}
