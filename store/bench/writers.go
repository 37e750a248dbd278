package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
)

// writerRole as the first argument makes this program one of many writers.
const writerRole = "writer"

// writing is what one writer saw.
type writing struct {
	Done   int             // transactions
	Busy   int             // of those that were asked for, how many were refused
	Waits  []time.Duration // the longest ones, longest first
	Median time.Duration
}

// playWriter creates, claims and completes tasks from a moment on for a while,
// each in a transaction of its own, and prints what it saw.
func playWriter(args []string) int {
	result, err := writeFor(args[0], args[1], args[2])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "writer:", err)
		return 1
	}
	return 0
}

func writeFor(path, begin, length string) (writing, error) {
	var w writing
	at, err := strconv.ParseInt(begin, 10, 64)
	if err != nil {
		return w, err
	}
	span, err := time.ParseDuration(length)
	if err != nil {
		return w, err
	}
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Path: path})
	if err != nil {
		return w, err
	}
	service := core.New(core.Config{Store: s})
	name := fmt.Sprintf("writer-%d", os.Getpid())
	time.Sleep(time.Until(time.UnixMicro(at)))
	end := time.Now().Add(span)
	var times []time.Duration
	id := ""
	steps := []func() error{
		func() error {
			made, err := service.TaskCreate(ctx, core.TaskCreateRequest{Title: "One more", Agent: name})
			id = made.TaskID
			return err
		},
		func() error {
			_, err := service.TaskClaim(ctx, core.TaskClaimRequest{TaskID: id, Agent: name, Aspect: core.DefaultAspect})
			return err
		},
		func() error {
			_, err := service.TaskComplete(ctx, core.TaskCompleteRequest{TaskID: id, Agent: name})
			return err
		},
	}
	for step := 0; time.Now().Before(end); {
		start := time.Now()
		err := steps[step%len(steps)]()
		var e *core.Error
		switch {
		case errors.As(err, &e) && e.Code == core.CodeDatabaseBusy:
			w.Busy++
			continue
		case err != nil:
			return w, errors.Join(err, s.Close())
		}
		times = append(times, time.Since(start))
		step++
	}
	w.Done, w.Median = len(times), median(times)
	slices.SortFunc(times, func(a, b time.Duration) int { return int(b - a) })
	w.Waits = times[:min(len(times), 5)]
	return w, s.Close()
}

// writeAtOnce lets n processes write to a store at once.
func (b *bench) writeAtOnce(f *fixture, n int, span time.Duration) (results []writing, log int64) {
	self, err := os.Executable()
	check(err)
	begin := strconv.FormatInt(time.Now().Add(500*time.Millisecond).UnixMicro(), 10)
	outputs := make([]bytes.Buffer, n)
	var running []*exec.Cmd
	for i := range n {
		command := exec.Command(self, writerRole, f.path, begin, span.String())
		command.Env, command.Stdout, command.Stderr = b.environment(), &outputs[i], os.Stderr
		check(command.Start())
		running = append(running, command)
	}
	stop := make(chan struct{})
	largest := make(chan int64)
	go func() {
		var most int64
		for {
			select {
			case <-stop:
				largest <- most
				return
			case <-time.After(50 * time.Millisecond):
				most = max(most, sizeOf(f.path+"-wal"))
			}
		}
	}()
	for i, command := range running {
		if err := command.Wait(); err != nil {
			check(fmt.Errorf("a writer: %w", err))
		}
		var w writing
		check(json.Unmarshal(outputs[i].Bytes(), &w))
		results = append(results, w)
	}
	close(stop)
	return results, <-largest
}

// measureWriters lets many processes write at once, durably.
func (b *bench) measureWriters() {
	const processes = 16
	f := b.copyOf(b.ordinary(b.about(100_000)), "storm.db")
	alone, _ := b.writeAtOnce(f, 1, b.storm/2)
	together, log := b.writeAtOnce(f, processes, b.storm)
	var done, busy int
	var worst time.Duration
	var sum, squares float64
	for _, w := range together {
		done += w.Done
		busy += w.Busy
		worst = max(worst, w.Waits[0])
		sum += float64(w.Done)
		squares += float64(w.Done) * float64(w.Done)
	}
	single := float64(alone[0].Done) / (b.storm / 2).Seconds()
	rate := float64(done) / b.storm.Seconds()
	share := time.Duration(processes) * alone[0].Median
	size := fmt.Sprintf("%d processes", processes)
	add := func(what string, value, limit float64, atLeast bool, unit, detail string) {
		b.report.add("limits", figure{what: "writing at once, durable: " + what, size: size, value: value, limit: limit, atLeast: atLeast, unit: unit, detail: detail})
	}
	add("worst wait, of the fair share", float64(worst)/float64(share), 20, false, "×",
		fmt.Sprintf("%s; the share is %d times the median of one process, %s", short(worst), processes, short(alone[0].Median)))
	add("fairness (Jain)", sum*sum/(float64(processes)*squares), 0.95, true, "", "")
	add("rate, of one process alone", rate/single, 0.5, true, "×", fmt.Sprintf("%.0f transactions a second; one process %.0f", rate, single))
	b.report.add("limits", figure{what: "writing at once, durable: refused as busy", size: size, value: float64(busy), limit: 0.5, unit: "", detail: fmt.Sprintf("of %d", done+busy)})
	add("log at most", float64(log)/1e6, 32, false, "MB", "")
	check(removeStore(f.path))
}
