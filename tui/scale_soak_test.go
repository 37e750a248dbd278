//go:build soak && linux

package tui

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
)

// The limits of a store with soakTasks ready and as many blocked tasks.
const (
	soakTasks    = 100_000
	soakStart    = 300 * time.Millisecond // from exec to the first whole frame
	soakAnswer   = time.Second / 60       // from a key to its frame on the terminal
	soakMemory   = 200 << 20
	soakIdle     = 20 * time.Second
	soakIdleCPU  = 0.01  // of a core
	soakWarmUp   = 1_000 // changes before memory is measured
	soakChanges  = 10_000
	soakGrowth   = 20 << 20
	soakWAL      = 16 << 20
	soakMeasures = 10
)

// TestSoakScale holds the program as it is released, on a terminal, to what
// it may cost with a large store.
func TestSoakScale(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "program")
	if out, err := exec.Command("go", "build", "-trimpath", "-tags", "urfave_cli_no_docs", "-o", program, "dev.lithos").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	path := filepath.Join(folder, "lithos.db")
	lines := filepath.Join(folder, "large.jsonl")
	writeLarge(t, lines, soakTasks)
	lithos(t, path, "planner", "init")
	lithos(t, path, "planner", "import", lines)

	var starts []time.Duration
	var x *terminal
	for range soakMeasures {
		if x != nil {
			x.send("q")
			x.wait(patience)
		}
		began := time.Now()
		x = lithosIn(t, folder, program, 140, 40)
		x.shows("1 Ready 1", "2 Blocked 1", "Task number 0 of", fmt.Sprintf("Task number %d of", soakTasks))
		starts = append(starts, time.Since(began))
	}
	slices.Sort(starts)
	t.Logf("first frame after %s at best, %s in the middle", starts[0], starts[soakMeasures/2])
	if starts[0] > soakStart {
		t.Errorf("the first frame takes %s at best", starts[0])
	}

	var answers []time.Duration
	for i := range 50 {
		x.settle(100 * time.Millisecond)
		seen := len(x.output())
		began := time.Now()
		x.send(string("jjjkj"[i%5]))
		x.until("a frame", func(string) bool { return len(x.output()) > seen })
		answers = append(answers, time.Since(began))
	}
	slices.Sort(answers)
	t.Logf("a key is answered within %s in the middle, %s at worst", answers[25], answers[49])
	if answers[25] > soakAnswer {
		t.Errorf("a key takes %s", answers[25])
	}

	x.settle(2 * time.Second)
	written, cpu := len(x.output()), x.cpu()
	time.Sleep(soakIdle)
	used := float64(x.cpu()-cpu) / float64(soakIdle)
	t.Logf("idle: %.2f %% of a core, %d bytes written, %d MB", used*100, len(x.output())-written, x.memory()>>20)
	if used > soakIdleCPU {
		t.Errorf("idle it takes %.2f %% of a core", used*100)
	}
	// All that is shown is older than a day, so no age moves on.
	if len(x.output()) > written {
		t.Errorf("idle it writes %q", x.output()[written:])
	}

	s, err := store.Open(context.Background(), store.Options{Path: path, Synchronous: store.Normal})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other := core.New(core.Config{Store: s})
	var early, largest int64
	for i := range soakWarmUp + soakChanges {
		metadata := core.Metadata(`{"priority":"highest"}`)
		must[core.TaskCreateResult](t)(other.TaskCreate(context.Background(), core.TaskCreateRequest{Title: fmt.Sprintf("Change %d.", i), Agent: "mo", Metadata: &metadata}))
		if i == soakWarmUp {
			early = x.memory()
		}
		if info, err := os.Stat(path + "-wal"); err == nil {
			largest = max(largest, info.Size())
		}
		time.Sleep(5 * time.Millisecond)
	}
	x.send("1gg")
	x.shows(fmt.Sprintf("1 Ready %d", soakTasks+soakWarmUp+soakChanges))
	grown := x.memory() - early
	t.Logf("%d changes: from %d MB by %d KB, the -wal was %d KB at most", soakChanges, early>>20, grown>>10, largest>>10)
	if x.memory() > soakMemory || grown > soakGrowth {
		t.Errorf("it takes %d MB, %d KB more than before", x.memory()>>20, grown>>10)
	}
	if largest > soakWAL {
		t.Errorf("the -wal grew to %d KB", largest>>10)
	}
}

// cpu is the time that the UI has had of the processors.
func (x *terminal) cpu() time.Duration {
	x.t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", x.cmd.Process.Pid))
	if err != nil {
		x.t.Fatal(err)
	}
	var total time.Duration
	for _, thread := range threads {
		var ns int64
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // the thread has ended
		}
		if _, err := fmt.Sscan(string(text), &ns); err != nil {
			x.t.Fatal(err)
		}
		total += time.Duration(ns)
	}
	return total
}

// memory is how many bytes of the UI are resident.
func (x *terminal) memory() int64 {
	x.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", x.cmd.Process.Pid))
	if err != nil {
		x.t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		x.t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// writeLarge writes a graph of n ready tasks and n that each wait on three of
// them, as import reads it.
func writeLarge(t *testing.T, path string, n int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(file)
	id := func(i int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012d", uint32(i*2654435761), i) }
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	fmt.Fprintln(out, `{"type":"lithos","format":1}`)
	for i := range 2 * n {
		at := began.Add(time.Duration(i) * time.Second).Format("2006-01-02T15:04:05.000000-07:00")
		fmt.Fprintf(out, `{"type":"task","id":"%s","title":"Task number %d of a long list, with a title that is cut","description":"Text.","status":"open","task_type":"task",`+
			`"created_by":"planner","created_at":"%s","resolved_at":null,"updated_at":"%s","version":1,"tags":["graph"],"metadata":{"priority":"%s"},"outcome":null}`+"\n",
			id(i), i, at, at, []string{"high", "medium", "low"}[i%3])
	}
	for i := n; i < 2*n; i++ {
		for k := range 3 {
			fmt.Fprintf(out, `{"type":"edge","from_task_id":"%s","to_task_id":"%s","edge_type":"blocks","metadata":{},"created_by":"planner","created_at":"2026-02-01T00:00:00.000000+00:00"}`+"\n",
				id((i*7+k*13)%n), id(i))
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
