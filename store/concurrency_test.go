package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"dev.lithos/core"
)

// TestConcurrency_manyGoroutines: half of them write.
func TestConcurrency_manyGoroutines(t *testing.T) {
	s := openWith(t, Options{Path: filepath.Join(t.TempDir(), "lithos.db"), Create: true, Synchronous: Normal})
	keys := load(t, s, graphShape{tasks: 20})
	const rounds = 20
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			for range rounds {
				var err error
				if i%2 == 0 {
					err = s.Write(ctx, func(w core.WriteTx) error {
						_, err := w.AppendEvent(core.Event{ID: "e", Type: core.EventTaskUpdated, Agent: strconv.Itoa(i), Payload: []byte("{}"), Subject: core.Subject{Task: keys[i%20]}})
						return err
					})
				} else {
					err = s.Read(ctx, func(r core.ReadTx) error {
						if tasks, err := r.Frontier(core.FrontierQuery{Now: epoch}); err != nil || len(tasks) != 20 {
							return fmt.Errorf("%d tasks are ready (%w)", len(tasks), err)
						}
						_, err := r.Events(core.EventQuery{Task: &keys[i%20], Limit: 5})
						return err
					})
				}
				if err != nil {
					t.Errorf("goroutine %d: %v", i, err)
					return
				}
			}
		})
	}
	group.Wait()
	read(t, s, func(tx *tx) error {
		bounds, err := tx.FeedBounds()
		if bounds.Newest != 50*rounds {
			t.Errorf("%d of %d events are there", bounds.Newest, 50*rounds)
		}
		return err
	})
	if n := len(s.readers); n > cap(s.reading) {
		t.Errorf("%d reading connections are at rest, at most %d may be", n, cap(s.reading))
	}
}

func init() {
	// add increments a number a given number of times, reading it first, and
	// tells how long the longest took.
	roles["add"] = func(args []string) error {
		times, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		ctx := context.Background()
		s, err := Open(ctx, Options{Path: args[0]})
		if err != nil {
			return err
		}
		// All begin at once.
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return err
		}
		var longest time.Duration
		for range times {
			start := time.Now()
			err := s.Write(ctx, func(w core.WriteTx) error {
				n, err := w.(*tx).number("SELECT value FROM meta WHERE key = 'sum'")
				if err != nil {
					return err
				}
				return w.(*tx).run("INSERT INTO meta (key, value) VALUES ('sum', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", n+1)
			})
			if err != nil {
				return err
			}
			longest = max(longest, time.Since(start))
		}
		fmt.Println(longest.Microseconds())
		return s.Close()
	}
	// write makes events until it is killed, telling the number of each that
	// was committed.
	roles["write"] = func(args []string) error {
		ctx := context.Background()
		s, err := Open(ctx, Options{Path: args[0]})
		if err != nil {
			return err
		}
		for i := 0; ; i++ {
			var seq int64
			err := s.Write(ctx, func(w core.WriteTx) error {
				task := graphTaskNumbered(args[1], i)
				key, err := w.InsertTask(task, core.FacetsOf(task.Type, task.Metadata))
				if err != nil {
					return err
				}
				seq, err = w.AppendEvent(core.Event{ID: task.ID, Type: core.EventTaskCreated, Agent: args[1], Payload: []byte("{}"), Subject: core.Subject{Task: key}})
				if err != nil {
					return err
				}
				if key > 1 {
					return w.PutEdge(core.Edge{From: key - 1, To: key, Type: core.EdgeBlocks, CreatedBy: args[1], Metadata: "{}"})
				}
				return nil
			})
			if err != nil {
				return err
			}
			fmt.Println(seq, graphTaskNumbered(args[1], i).ID)
		}
	}
}

func graphTaskNumbered(agent string, i int) core.Task {
	return core.Task{TaskHead: core.TaskHead{
		ID: fmt.Sprintf("%s-%d", agent, i), Title: "t", Status: core.StatusOpen, Type: core.TypeTask, CreatedAt: epoch, UpdatedAt: epoch, Version: 1,
	}}
}

func TestTurnstile_manyProcesses(t *testing.T) {
	const processes, times = 6, 100
	s := create(t)
	var actors []*actor
	var longest [processes]int
	var group sync.WaitGroup
	for i := range processes {
		a := actAs(t, "add", s.Path(), strconv.Itoa(times))
		output := a.start(t)
		actors = append(actors, a)
		group.Go(func() {
			if _, err := fmt.Fscan(output, &longest[i]); err != nil {
				t.Errorf("process %d told nothing: %v", i, err)
			}
		})
	}
	for _, a := range actors {
		if _, err := a.stdin.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
	}
	group.Wait()
	for _, a := range actors {
		if err := a.cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, a.output.String())
		}
	}
	read(t, s, func(tx *tx) error {
		sum, err := tx.number("SELECT value FROM meta WHERE key = 'sum'")
		if sum != processes*times {
			t.Errorf("the sum is %d instead of %d: a write was lost", sum, processes*times)
		}
		return err
	})
	t.Logf("the longest writes of each process took %d µs", longest[:])
	if slices.Max(longest[:]) > 5_000_000 {
		t.Errorf("a write took %d µs", slices.Max(longest[:]))
	}
}

// TestCrash kills writers at any moment and looks at what is left.
func TestCrash(t *testing.T) {
	s := create(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[string]bool{}
	for round := range 12 {
		writers := [2]*actor{}
		var lines [2][]string
		var group sync.WaitGroup
		for i := range writers {
			writers[i] = actAs(t, "write", s.Path(), fmt.Sprintf("w%d-%d", round, i))
			output := writers[i].start(t)
			group.Go(func() {
				for scanner := bufio.NewScanner(output); scanner.Scan(); {
					lines[i] = append(lines[i], scanner.Text())
				}
			})
		}
		time.Sleep(time.Duration(15+7*round) * time.Millisecond)
		for _, w := range writers {
			if err := w.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		group.Wait()
		for i, w := range writers {
			if err := w.cmd.Wait(); err == nil || w.cmd.ProcessState.Exited() {
				t.Fatalf("writer %d ended by itself: %v\n%s", i, err, w.output.String())
			}
			for _, line := range lines[i] {
				acknowledged[line] = true
			}
		}
	}
	if len(acknowledged) < 20 {
		t.Fatalf("only %d writes were made before the kills", len(acknowledged))
	}
	after := openWith(t, Options{Path: s.Path()})
	write(t, after, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	faults, err := after.IntegrityCheck(context.Background())
	if err != nil || len(faults) > 0 {
		t.Errorf("integrity: %v, %v", faults, err)
	}
	differences, err := after.CheckFrontier(context.Background())
	if err != nil || len(differences) > 0 {
		t.Errorf("frontier: %v, %v", differences, err)
	}
	read(t, after, func(tx *tx) error {
		events, err := tx.Events(core.EventQuery{})
		if err != nil {
			return err
		}
		tasks, err := tx.number("SELECT count(*) FROM tasks")
		if err != nil {
			return err
		}
		if int(tasks) != len(events) {
			t.Errorf("%d tasks and %d events: a transaction was torn", tasks, len(events))
		}
		for _, e := range events {
			delete(acknowledged, fmt.Sprint(e.Seq, " ", e.ID))
		}
		if len(acknowledged) > 0 {
			t.Errorf("%d writes that were reported are lost", len(acknowledged))
		}
		return nil
	})
}
