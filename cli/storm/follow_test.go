package storm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dev.lithos/core"
)

// followed is what one reader of the feed has seen.
type followed struct {
	name    string
	seen    []int64
	expired bool         // its cursor was, as an archive run may bring about
	last    atomic.Int64 // the event seen last; -1 once the reader has ended
}

// followStorm has readers follow the feed, on the command line and as tools,
// while workers write and, where there is such a command, the archive takes
// what is old.
func followStorm(t *testing.T, workers, followers int, length time.Duration) {
	f := newField(t)
	f.lithos("task", "create", "The first", "--agent", setUp)
	_, archives := core.OperationNamed("events_archive")
	var readers, writers, others sync.WaitGroup
	results := make([]*followed, 2*followers)
	stop := make(chan struct{})
	var kills []func()
	for i := range followers {
		r := &followed{name: fmt.Sprint("follower ", i)}
		results[i] = r
		cmd := f.command("lithos", "events", "--follow", "--since", "0")
		var complaints strings.Builder
		cmd.Stderr = &complaints
		stdout, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		kills = append(kills, func() { _ = cmd.Process.Kill() }) // it may have ended
		readers.Go(func() {
			for lines := bufio.NewScanner(stdout); lines.Scan(); {
				var line struct {
					Seq  int64
					Code string
				}
				if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
					t.Errorf("%s: %v in %s", r.name, err, lines.Text())
				}
				switch {
				case line.Code == "cursor_expired":
					r.expired = true
				case line.Code != "":
					t.Errorf("%s: %s", r.name, lines.Text())
				default:
					r.seen = append(r.seen, line.Seq)
					r.last.Store(line.Seq)
				}
			}
			r.last.Store(-1)
			_ = cmd.Wait() // it was killed, or its cursor has expired
			if complaints.Len() > 0 && !r.expired {
				t.Errorf("%s: %s", r.name, complaints.String())
			}
		})
	}
	for i := range followers {
		r := &followed{name: fmt.Sprint("poller ", i)}
		results[followers+i] = r
		s := f.serve()
		readers.Go(func() {
			defer s.end()
			since := int64(0)
			for last := false; ; {
				answer := s.call("events", fmt.Sprintf(`{"since":%d,"limit":%d}`, since, 1+i*50))
				if answer["code"] == "cursor_expired" {
					r.expired = true
					return
				}
				events, ok := answer["events"].([]any)
				if !ok {
					t.Errorf("%s: %v", r.name, answer)
					return
				}
				for _, e := range events {
					seq, err := e.(map[string]any)["seq"].(json.Number).Int64()
					if err != nil {
						t.Error(err)
					}
					r.seen = append(r.seen, seq)
				}
				next, err := answer["next_since"].(json.Number).Int64()
				if err != nil {
					t.Error(err)
				}
				since = next
				if answer["has_more"] == true {
					continue
				}
				if last {
					return
				}
				select {
				case <-stop:
					last = true // once more, for what came since
				case <-time.After(10 * time.Millisecond):
				}
			}
		})
	}
	r := newReports()
	for i := range workers {
		writers.Go(func() {
			cmd := f.command("worker", f.path, fmt.Sprint("p", i), fmt.Sprint(length.Milliseconds()))
			cmd.Stdin = strings.NewReader("\n")
			var complaints strings.Builder
			cmd.Stderr = &complaints
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%v: %s", err, complaints.String())
			}
			for line := range strings.Lines(string(out)) {
				if !strings.HasPrefix(line, "longest") {
					if err := r.take(line); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	ended := make(chan struct{})
	runs := 0
	if archives {
		others.Go(func() {
			for {
				select {
				case <-ended:
					return
				case <-time.After(length / 10):
				}
				runs++
				before := core.StampOf(time.Now().Add(-length / 5)).String()
				if stdout, stderr, status := f.try("events", "archive", "--before", before, "--json"); status != 0 {
					t.Errorf("archive: status %d, %s%s", status, stdout, stderr)
				}
			}
		})
	}
	writers.Wait()
	close(ended)
	others.Wait()
	events := f.audit()
	r.compare(f, events)
	newest := events[len(events)-1].Seq
	close(stop)
	// Who follows never ends by itself: it is given time to see the last event.
	deadline := time.Now().Add(patience)
	for _, r := range results[:followers] {
		for last := r.last.Load(); last >= 0 && last < newest && time.Now().Before(deadline); last = r.last.Load() {
			time.Sleep(10 * time.Millisecond)
		}
	}
	for _, kill := range kills {
		kill()
	}
	readers.Wait()
	expired := 0
	for _, r := range results {
		// Every event once, in order, up to the newest or to where the cursor
		// has expired.
		for i, seq := range r.seen {
			if seq != events[i].Seq {
				t.Errorf("%s saw %d as its event %d, which is %d", r.name, seq, i, events[i].Seq)
				break
			}
		}
		if r.expired {
			expired++
		} else if len(r.seen) != len(events) {
			t.Errorf("%s saw %d of %d events", r.name, len(r.seen), len(events))
		}
	}
	if archives {
		// Whoever begins below what is archived is told so, also who follows.
		for _, follow := range [][]string{nil, {"--follow"}} {
			stdout, stderr, status := f.try(append([]string{"events", "--since", "0", "--json"}, follow...)...)
			if status != 9 || !strings.Contains(stdout, `"code":"cursor_expired"`) {
				t.Errorf("events %q from before the archive: status %d, %.200s%s", follow, status, stdout, stderr)
			}
		}
	}
	t.Logf("%d events, %d archive runs, %d of %d readers saw all, %d were told that their cursor has expired",
		len(events), runs, len(results)-expired, len(results), expired)
	if archives == (runs == 0) || expired > 0 && !archives {
		t.Errorf("%d archive runs, %d cursors have expired", runs, expired)
	}
}

// TestFollow is the short form of TestSoakFollow.
func TestFollow(t *testing.T) { followStorm(t, 3, 2, 2*time.Second) }
