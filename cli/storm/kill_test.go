package storm

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dev.lithos/core"
)

// reports collects what processes told of their operations, by the name that
// acted.
type reports struct {
	mu      sync.Mutex
	sure    map[string]int // events of the operations that succeeded
	perhaps map[string]int // of the one that was under way when its process was killed
	refused map[string]int // operations by code
	done    int
	killed  int
}

func newReports() *reports {
	return &reports{sure: map[string]int{}, perhaps: map[string]int{}, refused: map[string]int{}}
}

// take reads a line of a worker.
func (r *reports) take(line string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	words := strings.Fields(line)
	switch {
	case len(words) == 3 && words[0] == "begin":
		n, err := strconv.Atoi(words[2])
		r.perhaps[words[1]] = n
		return err
	case len(words) == 2 && words[0] == "done":
		r.sure[words[1]] += r.perhaps[words[1]]
		delete(r.perhaps, words[1])
		r.done++
	case len(words) == 3 && words[0] == "refused":
		delete(r.perhaps, words[1])
		r.refused[words[2]]++
	default:
		return fmt.Errorf("a worker told %q", line)
	}
	return nil
}

// compare holds what was told against the events of the store: each operation
// that succeeded has all of its own, each that was refused none, and each that
// was cut off all or none.
func (r *reports) compare(f *field, events []core.Event) {
	f.Helper()
	found := map[string]int{}
	for _, e := range events {
		found[e.Agent]++
	}
	for name, sure := range r.sure {
		if got := found[name]; got != sure && got != sure+r.perhaps[name] {
			f.Errorf("%s has %d events, reported were %d, and %d were under way", name, got, sure, r.perhaps[name])
		}
	}
	for name, perhaps := range r.perhaps {
		if got := found[name]; r.sure[name] == 0 && got != 0 && got != perhaps {
			f.Errorf("%s has %d events of %d: an operation is half done", name, got, perhaps)
		}
	}
	for name, got := range found {
		if name != setUp && r.sure[name] == 0 && r.perhaps[name] == 0 {
			f.Errorf("%s has %d events, although nothing it did was done", name, got)
		}
	}
}

// setUp is the agent that makes what a storm begins with.
const setUp = "setup"

// killStorm lets processes write and kills them until there were enough kills.
func killStorm(t *testing.T, processes, kills int) {
	f := newField(t)
	f.lithos("task", "create", "The first", "--agent", setUp)
	r := newReports()
	began := time.Now()
	var group sync.WaitGroup
	for slot := range processes {
		group.Go(func() {
			for round := 0; r.killsSoFar() < kills && !t.Failed() && time.Since(began) < patience*time.Duration(1+kills/50); round++ {
				name := fmt.Sprintf("p%d.%d", slot, round)
				// One in four is a whole command of the program.
				if slot%4 == 3 {
					r.killCommand(f, name)
				} else {
					r.killWorker(f, name)
				}
			}
		})
	}
	group.Wait()
	events := f.audit()
	r.compare(f, events)
	t.Logf("%d processes killed, %d operations done, %d cut off, refused %v, %d events, %s",
		r.killed, r.done, len(r.perhaps), r.refused, len(events), time.Since(began).Round(time.Millisecond))
	if r.killed < kills || r.done < kills {
		t.Errorf("only %d kills and %d operations", r.killed, r.done)
	}
	f.lithos("doctor")
	// Everything still works.
	f.lithos("task", "create", "The last", "--agent", setUp)
	f.audit()
}

func (r *reports) killsSoFar() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.killed
}

// ended notes how a process ended: killed, or by itself and without complaint.
func (r *reports) ended(f *field, cmd *exec.Cmd, complaints string) (killed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !cmd.ProcessState.Exited() {
		r.killed++
		return true
	}
	if cmd.ProcessState.ExitCode() != 0 {
		f.Errorf("%q ended with %d: %s", cmd.Args, cmd.ProcessState.ExitCode(), complaints)
	}
	return false
}

// killWorker runs a worker and kills it: at any moment after its start, or
// within a moment after it began one of its operations.
func (r *reports) killWorker(f *field, name string) {
	cmd := f.command("worker", f.path, name, "0")
	var complaints strings.Builder
	cmd.Stderr = &complaints
	output, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		f.Error(err)
		return
	}
	// The process may be gone when the moment comes.
	kill := func() { _ = cmd.Process.Kill() }
	if rand.IntN(3) == 0 {
		defer time.AfterFunc(rand.N(150*time.Millisecond), kill).Stop()
	}
	last := 2 * (1 + rand.IntN(15))
	lines := bufio.NewReader(output)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		if err != nil { // a part of a line was never told
			if err != io.EOF {
				f.Error(err)
			}
			break
		}
		if err := r.take(line); err != nil {
			f.Error(err)
		}
		if n == last {
			defer time.AfterFunc(rand.N(4*time.Millisecond), kill).Stop()
		}
	}
	// That of a killed process is looked at in ProcessState.
	_ = cmd.Wait()
	r.ended(f, cmd, complaints.String())
}

// killCommand runs a command of the program and kills it at any moment, if it
// is not done by then.
func (r *reports) killCommand(f *field, name string) {
	task := []string{"task", "create", "Task of " + name, "--tag", "storm"}
	events := 2
	if rand.IntN(2) == 0 {
		task, events = []string{"agent", "register", name}, 1
	}
	cmd := f.command("lithos", append(task, "--agent", name)...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if err := r.take(fmt.Sprintf("begin %s %d", name, events)); err != nil {
		f.Error(err)
	}
	if err := cmd.Start(); err != nil {
		f.Error(err)
		return
	}
	timer := time.AfterFunc(rand.N(400*time.Millisecond), func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	if !r.ended(f, cmd, complaints.String()) {
		if err := r.take("done " + name); err != nil {
			f.Error(err)
		}
	}
}

// TestKill is the short form of TestSoakKill.
func TestKill(t *testing.T) { killStorm(t, 16, 20) }
