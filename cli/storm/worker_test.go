package storm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"dev.lithos/cli"
	"dev.lithos/core"
)

// A worker does one operation after the other, nearly each under an agent's
// name of its own, which is how the events of one are found again. It tells of
// each
//
//	begin NAME EVENTS   before it, with the number of events it makes
//	done NAME           once it was reported to have succeeded
//	refused NAME CODE   once it was refused
//
// and at its end, if it comes to one, the longest operation:
//
//	longest MICROSECONDS
type worker struct {
	service *core.Service
	name    string
	turn    int
	known   []string // ids of tasks
	claims  []claim  // that were granted
	counter string   // id of the task that everybody counts on
	longest time.Duration
}

// claim is one that was granted to a name.
type claim struct{ agent, id, aspect string }

// work runs a worker: its store, its name, how many milliseconds (0: until it
// is killed), and the task to count on, if there is one.
func work(args []string) error {
	length, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	s, err := cli.SystemEnv().OpenStore(context.Background(), cli.StoreOptions{Path: args[0], Synchronous: "full"})
	if err != nil {
		return err
	}
	w := &worker{service: core.New(core.Config{Store: s}), name: args[1]}
	if len(args) > 3 {
		w.counter = args[3]
	}
	if length > 0 {
		// All begin at once.
		if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
			return err
		}
	}
	end := time.Now().Add(time.Duration(length) * time.Millisecond)
	for length == 0 || time.Now().Before(end) {
		if err := w.step(); err != nil {
			return err
		}
	}
	fmt.Println("longest", w.longest.Microseconds())
	return s.Close()
}

// a task that is known, or none.
func (w *worker) any() (string, bool) {
	if len(w.known) == 0 {
		return "", false
	}
	return w.known[rand.IntN(len(w.known))], true
}

// step does one operation.
func (w *worker) step() error {
	if w.turn%20 == 0 {
		if err := w.look(); err != nil {
			return err
		}
	}
	w.turn++
	agent := fmt.Sprintf("%s-%d", w.name, w.turn)
	one, ok := w.any()
	two, _ := w.any()
	choice := rand.IntN(14)
	if !ok {
		choice = 0
	}
	object := map[string]any{"agent": agent}
	with := func(pairs ...any) map[string]any {
		for i := 0; i < len(pairs); i += 2 {
			object[pairs[i].(string)] = pairs[i+1]
		}
		return object
	}
	// Two events are the change and the first sight of the agent.
	switch choice {
	case 0:
		depends := []string{}
		if ok && one != two {
			depends = append(depends, one, two)
		}
		return w.run("task_create", 2+len(depends), with("title", "Task of "+agent, "depends_on", depends, "tags", []string{"storm"}))
	case 1:
		return w.run("task_spawn", 3, with("title", "Found by "+agent, "source_task_id", one))
	case 2:
		return w.run("task_update", 2, with("task_id", one, "metadata", map[string]any{agent: true}))
	case 3, 4:
		aspect := []string{"work", "review"}[rand.IntN(2)]
		done, err := w.do("task_claim", 2, with("task_id", one, "aspect", aspect))
		if done {
			w.claims = append(w.claims, claim{agent, one, aspect})
		}
		return err
	case 5:
		return w.run("task_next", 2, with("aspect", "work"))
	case 6:
		return w.run("task_complete", 2, with("task_id", one, "outcome", "done by "+agent))
	case 7:
		if rand.IntN(3) > 0 {
			return w.run("finding_post", 2, with("task_id", one, "summary", "seen by "+agent))
		}
		return w.run("task_cancel", 2, with("task_id", one, "reason", "by "+agent))
	case 8:
		return w.run("task_edge_upsert", 2, with("from_task_id", one, "to_task_id", two, "type", "blocks"))
	case 9:
		return w.run("task_edge_delete", 2, with("from_task_id", one, "to_task_id", two, "type", "blocks"))
	case 10:
		return w.run("task_apply", 8, with("operations", []map[string]any{
			{"op": "create", "as": "a", "title": "A of " + agent},
			{"op": "create", "as": "b", "title": "B of " + agent, "depends_on": []string{"$a"}},
			{"op": "create", "as": "c", "title": "C of " + agent, "parent_task_id": "$a"},
			{"op": "finding_post", "task_id": "$b", "summary": "begun"},
			{"op": "update", "task_id": one, "add_tags": []string{"applied"}},
		}))
	case 11:
		return w.run("task_reopen", 2, with("task_id", one))
	case 12:
		if last := len(w.claims) - 1; last >= 0 {
			c := w.claims[last]
			with("agent", c.agent, "task_id", c.id, "aspect", c.aspect)
			if rand.IntN(2) == 0 {
				return w.run("task_renew", 1, object)
			}
			w.claims = w.claims[:last]
			return w.run("task_release", 1, object)
		}
		return w.run("finding_post", 2, with("task_id", one, "summary", "seen by "+agent))
	}
	if w.counter == "" {
		return w.run("agent_register", 1, map[string]any{"id": agent, "name": "Worker"})
	}
	return w.count(agent)
}

// count adds one to the number that all workers share, by the version of the
// task that it was read from.
func (w *worker) count(agent string) error {
	got, err := core.TaskGet.Run(context.Background(), w.service, core.TaskGetRequest{TaskID: w.counter})
	if err != nil {
		return err
	}
	var metadata struct{ N int }
	if err := json.Unmarshal([]byte(got.Task.Metadata.Text()), &metadata); err != nil {
		return err
	}
	return w.run("task_update", 2, map[string]any{
		"agent": agent, "task_id": w.counter, "metadata": map[string]any{"n": metadata.N + 1}, "expected_version": got.Task.Version,
	})
}

// look learns which tasks there are.
func (w *worker) look() error {
	limit := 60
	list, err := core.TaskList.Run(context.Background(), w.service, core.TaskListRequest{Limit: &limit})
	if err != nil {
		return err
	}
	w.known = w.known[:0]
	for _, t := range list.Tasks {
		if t.ID != w.counter {
			w.known = append(w.known, t.ID)
		}
	}
	return nil
}

// run is do for operations of which only failure matters.
func (w *worker) run(name string, events int, arguments map[string]any) error {
	_, err := w.do(name, events, arguments)
	return err
}

// do does an operation, tells of it, and returns whether it was done. An error
// that no storm may bring about ends the worker.
func (w *worker) do(name string, events int, arguments map[string]any) (done bool, err error) {
	text, err := json.Marshal(arguments)
	if err != nil {
		return false, err
	}
	op, ok := core.OperationNamed(name)
	if !ok {
		return false, fmt.Errorf("there is no operation %s", name)
	}
	marker := cmp.Or(arguments["agent"], arguments["id"])
	fmt.Println("begin", marker, events)
	ctx, cancel := core.WithTimeLimit(context.Background(), 30*time.Second)
	defer cancel()
	began := time.Now()
	result, err := op.Call(ctx, w.service, text)
	w.longest = max(w.longest, time.Since(began))
	var e *core.Error
	switch next, isNext := result.(core.TaskNextResult); {
	case errors.As(err, &e):
		switch core.Describe(e.Code).Category {
		case core.CategoryInternal, core.CategoryRetry, core.CategoryStore, core.CategoryInput, core.CategoryDenied:
			return false, fmt.Errorf("%s %s: %w", name, text, errors.Join(err, errors.Unwrap(e)))
		}
		fmt.Println("refused", marker, e.Code)
	case err != nil:
		return false, fmt.Errorf("%s %s: %w", name, text, err)
	case isNext && next.Task == nil:
		fmt.Println("refused", marker, "nothing")
	default:
		fmt.Println("done", marker)
		return true, nil
	}
	return false, nil
}
