package storm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// crowd has processes claim, complete, link and take work for a time, none of
// them killed and none of them ever refused for another, and prints how long
// the longest operation took and how evenly they got their turns.
func crowd(t *testing.T, processes int, length time.Duration) {
	f := newField(t)
	counter := f.lithos("task", "create", "Counter", "--agent", setUp, "--meta", "n:=0", "--jq", ".task_id")
	r := newReports()
	counts, longest := make([]int, processes), make([]time.Duration, processes)
	var all, ready sync.WaitGroup
	ready.Add(processes)
	begin := make(chan struct{})
	for slot := range processes {
		all.Go(func() {
			cmd := f.command("worker", f.path, fmt.Sprint("p", slot), strconv.Itoa(int(length.Milliseconds())), counter)
			var complaints strings.Builder
			cmd.Stderr = &complaints
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Error(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			ready.Done()
			if err != nil {
				t.Error(err)
				return
			}
			<-begin
			if _, err := stdin.Write([]byte("\n")); err != nil {
				t.Error(err)
			}
			for lines := bufio.NewScanner(stdout); lines.Scan(); {
				line := lines.Text()
				if micro, ok := strings.CutPrefix(line, "longest "); ok {
					n, err := strconv.Atoi(micro)
					if err != nil {
						t.Error(err)
					}
					longest[slot] = time.Duration(n) * time.Microsecond
					continue
				}
				if strings.HasPrefix(line, "begin ") {
					counts[slot]++
				}
				if err := r.take(line); err != nil {
					t.Error(err)
				}
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %s", err, complaints.String())
			}
		})
	}
	ready.Wait()
	close(begin)
	all.Wait()
	events := f.audit()
	r.compare(f, events)
	if len(r.perhaps) > 0 {
		t.Errorf("%d operations have no answer", len(r.perhaps))
	}
	// Each of those who counted did so by the version they had read.
	var metadata struct{ N int }
	if err := json.Unmarshal([]byte(f.lithos("task", "get", counter, "--jq", ".task.metadata")), &metadata); err != nil {
		t.Fatal(err)
	}
	updates, err := strconv.Atoi(f.lithos("task", "get", counter, "--jq", ".task.version - 1"))
	if err != nil {
		t.Fatal(err)
	}
	if metadata.N != updates || metadata.N == 0 {
		t.Errorf("the counter is at %d after %d updates", metadata.N, updates)
	}
	t.Logf("%d processes, %d operations done, refused %v, %d counted, longest %s, least and most by a process %d and %d, fairness %.3f",
		processes, r.done, r.refused, metadata.N, slices.Max(longest), slices.Min(counts), slices.Max(counts), fairness(counts))
	if slices.Max(longest) > 20*time.Second {
		t.Errorf("an operation took %s", slices.Max(longest))
	}
	if slices.Min(counts) == 0 {
		t.Errorf("a process got no turn: %v", counts)
	}
}

// fairness is Jain's index: 1 when all have the same, 1/n when one has all.
func fairness(counts []int) float64 {
	var sum, squares float64
	for _, n := range counts {
		sum += float64(n)
		squares += float64(n) * float64(n)
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / (float64(len(counts)) * squares)
}

// TestCrowd is the short form of TestSoakCrowd.
func TestCrowd(t *testing.T) { crowd(t, 8, 2*time.Second) }
