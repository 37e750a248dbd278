package storm

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"
)

// hold is another program: it takes the lock of a store, says so, and keeps it
// until its standard input ends. The mode is write for the lock of a writer, or
// exclusive for that of a program which lets nobody else near.
func hold(args []string) (err error) {
	path, mode := args[0], args[1]
	u := url.URL{Scheme: "file", Path: path}
	db, err := (&sqlite3.SQLiteDriver{}).Open(u.String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	statements := "BEGIN IMMEDIATE"
	if mode == "exclusive" {
		statements = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"
	}
	if _, err := db.(driver.ExecerContext).ExecContext(context.Background(), statements, nil); err != nil {
		return err
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// locked has another program hold the lock of the store until release.
func (f *field) locked(mode string) (release func()) {
	f.Helper()
	cmd := f.command("holder", f.path, mode)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		f.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		f.Fatal(err)
	}
	if _, err := io.ReadFull(stdout, make([]byte, len("held\n"))); err != nil {
		f.Fatal(err)
	}
	return sync.OnceFunc(func() {
		if err := errors.Join(stdin.Close(), cmd.Wait()); err != nil {
			f.Error(err)
		}
	})
}

// lockedOut runs commands while another program holds the store, as many
// rounds as fit into the length, at least one.
func lockedOut(t *testing.T, mode string, length time.Duration, timeouts []time.Duration) {
	f := newField(t)
	id := f.lithos("task", "create", "First", "--agent", setUp, "--jq", ".task_id")
	other := f.lithos("task", "create", "Second", "--agent", setUp, "--jq", ".task_id")
	f.lithos("task", "claim", id, "--agent", "mo", "-q")
	writes := [][]string{
		{"task", "create", "New"}, {"task", "spawn", id, "New"}, {"task", "update", id, "--title", "New"},
		{"task", "complete", id}, {"task", "cancel", id}, {"task", "reopen", id}, {"task", "complete", id, "--dry-run"},
		{"task", "claim", other}, {"task", "renew", id}, {"task", "release", id}, {"task", "next"},
		{"task", "edge", "upsert", id, other, "--type", "blocks"}, {"task", "edge", "delete", id, other, "--type", "blocks"},
		{"finding", "post", id, "seen"}, {"agent", "register", "zoe"},
	}
	reads := [][]string{
		{"task", "ready"}, {"task", "blocked"}, {"task", "list"}, {"task", "get", id}, {"task", "why", id}, {"task", "children", id},
		{"finding", "list", id}, {"agent", "list"}, {"stats"}, {"events"}, {"journal"}, {"prime"}, {"export"},
	}
	before := f.export()
	release := f.locked(mode)
	defer release()
	var mu sync.Mutex
	var waits []time.Duration
	refusals, answers := 0, 0
	began := time.Now()
	for round := 0; round == 0 || time.Since(began) < length; round++ {
		timeout := timeouts[round%len(timeouts)]
		var group sync.WaitGroup
		slots := make(chan struct{}, 8)
		for i, args := range slices.Concat(writes, reads) {
			slots <- struct{}{}
			group.Go(func() {
				defer func() { <-slots }()
				started := time.Now()
				stdout, stderr, status := f.try(append(args, "--json", "--agent", "mo", "--timeout", timeout.String())...)
				took := time.Since(started)
				mu.Lock()
				defer mu.Unlock()
				if mode == "write" && i >= len(writes) {
					answers++
					if status != 0 {
						t.Errorf("%q beside a writer: status %d, %s%s", args, status, stdout, stderr)
					}
					return
				}
				refusals++
				var e struct {
					Code     string
					WaitedMS int64 `json:"waited_ms"`
				}
				if err := json.Unmarshal([]byte(stdout), &e); err != nil || e.Code != "database_busy" || status != 7 {
					t.Errorf("%q while the store is held: status %d, %s%s", args, status, stdout, stderr)
					return
				}
				waited := time.Duration(e.WaitedMS) * time.Millisecond
				waits = append(waits, took-timeout)
				// The wait is measured from where the store is first asked.
				if waited > took || waited < timeout-timeout/4 && took < timeout+timeout/4 {
					t.Errorf("%q waited %s by its own account, of %s, within %s", args, waited, took, timeout)
				}
			})
		}
		group.Wait()
	}
	t.Logf("held for %s: %d calls ended as busy, at most %s after their limit, %d reads answered",
		time.Since(began).Round(time.Millisecond), refusals, slices.Max(waits).Round(time.Millisecond), answers)
	if late := slices.Max(waits); late > 10*time.Second {
		t.Errorf("a call ended %s after its limit", late)
	}
	release()
	if after := f.export(); after != before {
		t.Errorf("calls that were refused have changed the store:\n%s\n%s", before, after)
	}
	f.lithos("task", "complete", id, "--agent", "mo")
	f.audit()
}

// export is what the store holds.
func (f *field) export() string {
	f.Helper()
	return f.lithos("export")
}

// TestLocked is the short form of TestSoakLocked.
func TestLocked(t *testing.T) {
	for _, mode := range []string{"write", "exclusive"} {
		t.Run(mode, func(t *testing.T) { lockedOut(t, mode, 0, []time.Duration{300 * time.Millisecond}) })
	}
}

// TestLocked_server asks a server whose store is held by another program.
func TestLocked_server(t *testing.T) {
	f := newField(t)
	id := f.lithos("task", "create", "First", "--agent", setUp, "--jq", ".task_id")
	for _, mode := range []string{"write", "exclusive"} {
		release := f.locked(mode)
		s := f.serve("--timeout", "300ms")
		answer := s.call("task_complete", `{"task_id":"`+id+`","agent":"mo"}`)
		if waited, err := answer["waited_ms"].(json.Number).Int64(); answer["code"] != "database_busy" || err != nil || waited < 200 {
			t.Errorf("%s: a write is answered with %v", mode, answer)
		}
		answer = s.call("task_ready", `{}`)
		if _, ok := answer["tasks"]; !ok && (mode == "write" || answer["code"] != "database_busy") {
			t.Errorf("%s: a read is answered with %v", mode, answer)
		}
		release()
		if answer := s.call("finding_post", `{"task_id":"`+id+`","agent":"mo","summary":"free again"}`); answer["finding_id"] == nil {
			t.Errorf("%s: a write afterwards is answered with %v", mode, answer)
		}
		s.end()
	}
	f.audit()
}

// TestLocked_completion holds that a key stroke is not kept waiting for a lock.
func TestLocked_completion(t *testing.T) {
	f := newField(t)
	f.lithos("task", "create", "First", "--agent", setUp)
	complete := func() (candidates string, fastest time.Duration) {
		for range 5 {
			began := time.Now()
			stdout, stderr, status := f.try("__complete", "task", "get", "")
			took := time.Since(began)
			if status != 0 || stderr != "" {
				t.Fatalf("status %d, %s", status, stderr)
			}
			if candidates = stdout; fastest == 0 || took < fastest {
				fastest = took
			}
		}
		return candidates, fastest
	}
	free, idle := complete()
	if !strings.Contains(free, "First") {
		t.Errorf("completion offers %q", free)
	}
	release := f.locked("exclusive")
	held, waited := complete()
	release()
	t.Logf("completion takes %s, and %s while the store is held", idle, waited)
	if held != "" || waited > idle+40*time.Millisecond {
		t.Errorf("while the store is held, completion offers %q after %s instead of %s", held, waited, idle)
	}
}
