//go:build soak

package mcpserver_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
)

// 100 calls in flight, half of them writes, for 20 rounds through each of two
// servers, with command lines that write to the same store.
func TestSoak_load(t *testing.T) {
	const rounds = 20
	s := newStorm(t, 2)
	for n := range rounds {
		s.round(n, 4)
	}
	s.finish()
	all := slices.Concat(s.reads...)
	t.Logf("%d reads: median %s, p99 %s", len(all), quantile(all, 0.5), quantile(all, 0.99))
	// By burst, so that a machine that stands still for a moment does not
	// count as a server that lets reads wait.
	uneven := 0
	for _, reads := range s.reads {
		if median, p99 := quantile(reads, 0.5), quantile(reads, 0.99); p99 > 10*median {
			uneven++
			t.Logf("in one burst the slowest reads took %s, the median %s", p99, median)
		}
	}
	if uneven > len(s.reads)/20 {
		t.Errorf("in %d of %d bursts the slowest reads took more than ten times the median", uneven, len(s.reads))
	}
	t.Logf("kilobytes after each round: %v", s.memory)
	for i := range s.servers {
		// The first rounds fill caches and connections.
		early, last := s.memory[rounds/4][i], s.memory[rounds-1][i]
		if last > early+early/4 {
			t.Errorf("server %d grew from %d to %d kB", i, early, last)
		}
	}
}

// 100,000 writes by others while a server is open: the log stays small, which
// it would not if the server held a transaction.
func TestSoak_longLife(t *testing.T) {
	const writes, limit = 100_000, 16 << 20
	dir, env := project(t)
	runCLI(t, dir, env, "init")
	p := start(t, dir, env, "lithos", "mcp")
	p.begin()
	ask := func() {
		t.Helper()
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lithos_stats"}}` + "\n")
		if frame := p.receive(); !strings.Contains(frame, "active_tasks") {
			t.Fatalf("the answer is %s", frame)
		}
	}
	ask()
	path := filepath.Join(dir, ".lithos", "lithos.db")
	db, err := store.Open(t.Context(), store.Options{Path: path, Synchronous: store.Normal})
	if err != nil {
		t.Fatal(err)
	}
	service := core.New(core.Config{Store: db})
	task, err := service.TaskCreate(t.Context(), core.TaskCreateRequest{Title: "Busy", Agent: "mo"})
	if err != nil {
		t.Fatal(err)
	}
	var largest int64
	done, watched := make(chan struct{}), sync.WaitGroup{}
	watched.Go(func() {
		for {
			if info, err := os.Stat(path + "-wal"); err == nil {
				largest = max(largest, info.Size())
			}
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	for i := range writes {
		if _, err := service.FindingPost(t.Context(), core.FindingPostRequest{TaskID: task.TaskID, Agent: "mo", Summary: strings.Repeat("x", 200)}); err != nil {
			t.Fatal(err)
		}
		if i%10_000 == 0 {
			ask()
		}
	}
	close(done)
	watched.Wait()
	t.Logf("the log grew to %d kB", largest>>10)
	if largest >= limit {
		t.Errorf("the log grew to %d bytes", largest)
	}
	ask()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	p.closeInput()
	p.expectExit(0)
	expectNoLog(t, dir)
}
