package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// storm is a load on one store: servers with many calls in flight each, and
// command lines that write at the same time.
type storm struct {
	t       *testing.T
	dir     string
	env     []string
	servers []*process

	mu      sync.Mutex
	created []string          // ids of all tasks
	reads   [][]time.Duration // how long the reads of each burst took
	memory  [][]int           // kilobytes of each server after each round
}

// inFlight is how many calls a server has at once, half of them writes.
const inFlight = 100

func newStorm(t *testing.T, servers int) *storm {
	s := &storm{t: t}
	s.dir, s.env = project(t)
	runCLI(t, s.dir, s.env, "init")
	for range servers {
		p := start(t, s.dir, s.env, "lithos", "mcp")
		p.begin()
		s.servers = append(s.servers, p)
	}
	return s
}

// round has every server answer inFlight calls that were sent at once, while
// command lines write.
func (s *storm) round(n, commandLines int) {
	var all sync.WaitGroup
	for i, p := range s.servers {
		all.Go(func() { s.serve(p, fmt.Sprintf("round %d, server %d", n, i)) })
	}
	for i := range commandLines {
		all.Go(func() {
			id := runCLI(s.t, s.dir, s.env, "task", "create", fmt.Sprintf("round %d, command line %d", n, i), "--agent", "cli", "--jq", ".task_id")
			runCLI(s.t, s.dir, s.env, "finding", "post", id, "from the command line", "--agent", "cli", "--json")
			s.add(id)
		})
	}
	all.Wait()
	var memory []int
	for _, p := range s.servers {
		memory = append(memory, residentKB(s.t, p.cmd.Process.Pid))
	}
	s.memory = append(s.memory, memory)
}

func (s *storm) add(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.created = append(s.created, id)
}

// known returns the id of a task that was there before the round.
func (s *storm) known() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.created) == 0 {
		return ""
	}
	return s.created[rand.IntN(len(s.created))]
}

// awaited is a call in flight; judge tells what is wrong with its answer, if
// anything.
type awaited struct {
	read  bool
	judge func(answer map[string]any) error
}

func (s *storm) serve(p *process, name string) {
	calls := map[int]awaited{}
	var reads []time.Duration
	var lines strings.Builder
	for i := range inFlight {
		tool, arguments, read, judge := s.pick(i, name)
		fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"lithos_%s","arguments":%s}}`+"\n", i, tool, arguments)
		calls[i] = awaited{read: read, judge: judge}
	}
	sent := time.Now()
	p.send(lines.String())
	for range inFlight {
		frame := p.receive()
		took := time.Since(sent)
		var answer struct {
			ID     int
			Result struct {
				StructuredContent map[string]any
			}
		}
		if err := json.Unmarshal([]byte(frame), &answer); err != nil {
			s.t.Errorf("%v in %s", err, frame)
			continue
		}
		call, ok := calls[answer.ID]
		if !ok {
			s.t.Errorf("%s: a second answer, or one to nothing: %s", name, frame)
			continue
		}
		delete(calls, answer.ID)
		got := answer.Result.StructuredContent
		if code, failed := got["code"]; failed {
			s.t.Errorf("%s: %v: %s", name, code, frame)
		} else if err := call.judge(got); err != nil {
			s.t.Errorf("%s: %v: %s", name, err, frame)
		}
		if call.read {
			reads = append(reads, took)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads = append(s.reads, reads)
}

// pick chooses the i-th call of a burst; even ones are writes.
func (s *storm) pick(i int, name string) (tool, arguments string, read bool, judge func(map[string]any) error) {
	title := fmt.Sprintf("%s, call %d", name, i)
	id := s.known()
	says := func(key string, want any) func(map[string]any) error {
		return func(got map[string]any) error {
			if got[key] != want {
				return fmt.Errorf("%s is %v, not %v", key, got[key], want)
			}
			return nil
		}
	}
	switch {
	case i%2 == 0 && (i%4 == 0 || id == ""):
		return "task_create", fmt.Sprintf(`{"title":%q,"agent":"mo","metadata":{"n":%d}}`, title, i), false, func(got map[string]any) error {
			id, ok := got["task_id"].(string)
			if !ok || got["title"] != title || got["version"] != 1.0 {
				return fmt.Errorf("no new task %q", title)
			}
			s.add(id)
			return nil
		}
	case i%2 == 0 && i%3 == 0:
		return "task_claim", fmt.Sprintf(`{"task_id":%q,"aspect":%q,"agent":"mo"}`, id, title), false, says("task_id", id)
	case i%2 == 0:
		return "finding_post", fmt.Sprintf(`{"task_id":%q,"agent":"mo","summary":%q}`, id, title), false, says("task_id", id)
	case id == "" || i%3 == 0:
		return "task_ready", `{"limit":5}`, true, func(got map[string]any) error {
			if tasks, ok := got["tasks"].([]any); !ok || len(tasks) > 5 {
				return fmt.Errorf("no page of ready tasks")
			}
			return nil
		}
	default:
		return "task_get", fmt.Sprintf(`{"task_id":%q}`, id), true, func(got map[string]any) error {
			if task, ok := got["task"].(map[string]any); !ok || task["id"] != id {
				return fmt.Errorf("not the task %s", id)
			}
			return nil
		}
	}
}

// finish ends the servers and looks at what they left.
func (s *storm) finish() {
	for _, p := range s.servers {
		p.closeInput()
		p.expectExit(0)
	}
	expectNoLog(s.t, s.dir)
	ids := slices.Sorted(slices.Values(strings.Fields(runCLI(s.t, s.dir, s.env, "task", "list", "--jq", ".tasks[].id"))))
	slices.Sort(s.created)
	if !slices.Equal(ids, s.created) {
		s.t.Errorf("the store holds %d tasks, %d were created", len(ids), len(s.created))
	}
	seqs := strings.Fields(runCLI(s.t, s.dir, s.env, "events", "--limit", "1000", "--jq", ".events[].seq"))
	for i := 1; i < len(seqs); i++ {
		if a, b := atoi(s.t, seqs[i-1]), atoi(s.t, seqs[i]); a >= b {
			s.t.Errorf("event %d follows %d", b, a)
		}
	}
}

func atoi(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// quantile of durations.
func quantile(durations []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(durations))
	return sorted[min(int(float64(len(sorted))*q), len(sorted)-1)]
}

// residentKB is the memory a process holds, 0 where that cannot be told.
func residentKB(t testing.TB, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "VmRSS:" {
			return atoi(t, fields[1])
		}
	}
	return 0
}

// TestLoad is the short form of the storm that TestSoak_load goes through.
func TestLoad(t *testing.T) {
	s := newStorm(t, 2)
	for n := range 3 {
		s.round(n, 2)
	}
	s.finish()
	all := slices.Concat(s.reads...)
	t.Logf("%d reads: median %s, p99 %s", len(all), quantile(all, 0.5), quantile(all, 0.99))
}
