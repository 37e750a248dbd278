package cli_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dev.lithos/cli"
)

// exchange puts another store in the place of a world's, as a program that
// knows nothing of lithos does.
func exchange(t *testing.T, w *world) {
	t.Helper()
	path := filepath.Join(w.env.Dir, ".lithos", "lithos.db")
	seed(t, path+".other")
	if err := os.Rename(path+".other", path); err != nil {
		t.Fatal(err)
	}
}

// TestReplaced holds that whatever keeps the store open for long notices that
// another one has taken its place, and says so.
func TestReplaced(t *testing.T) {
	for _, args := range [][]string{
		{"task", "ready", "--watch", "--json"},
		{"task", "blocked", "--watch"},
		{"events", "--follow"},
		{"task", "next", "--wait", "1h", "--tag", "nowhere", "--json"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			w := seeded(t)
			opened := make(chan struct{}, 1)
			open := w.env.OpenStore
			w.env.OpenStore = func(ctx context.Context, o cli.StoreOptions) (cli.Store, error) {
				s, err := open(ctx, o)
				opened <- struct{}{}
				return s, err
			}
			r := w.watch(t, args...)
			<-opened
			exchange(t, w)
			var last string
			for timeout := time.After(20 * time.Second); ; {
				select {
				case line, ok := <-r.lines:
					if ok {
						last = line
						continue
					}
				case <-timeout:
					t.Fatal("it goes on")
				}
				break
			}
			status := <-r.status
			r.status = nil
			said := last + w.stderr.String()
			if status != 8 || !strings.Contains(said, `"reason":"replaced"`) && !strings.Contains(said, "was exchanged") {
				t.Errorf("it ends with %d and says %s", status, said)
			}
		})
	}
}

// TestReplaced_server holds the same of the server, call by call.
func TestReplaced_server(t *testing.T) {
	w := seeded(t)
	input, writer := io.Pipe()
	w.env.Stdin = input
	r := w.watch(t, "mcp")
	send := func(lines ...string) {
		for _, line := range lines {
			if _, err := io.WriteString(writer, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
	call := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"lithos_task_ready","arguments":{}}}`
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, call("2"))
	if answer := r.next(t, `"id":2`); !strings.Contains(answer, schemaID) {
		t.Fatal(answer)
	}
	exchange(t, w)
	send(call("3"))
	if answer := r.next(t, `"id":3`); !strings.Contains(answer, "store_unavailable") || !strings.Contains(answer, "replaced") {
		t.Errorf("the answer is %s", answer)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if status := <-r.status; status != 0 {
		t.Errorf("it ends with %d", status)
	}
	r.status = nil
}

// TestRestore_refusedWhileServed holds that no store is exchanged under a
// server, however long it has been asked for nothing.
func TestRestore_refusedWhileServed(t *testing.T) {
	w := seeded(t)
	if _, stderr, status := w.run(t, "backup", "take"); status != 0 {
		t.Fatal(stderr)
	}
	r := w.watch(t, "events", "--follow")
	r.next(t, "seq")
	other := w.beside()
	stdout, _, status := other.run(t, "backup", "restore", takenBackup, "--yes", "--json")
	if status != 7 || !strings.Contains(stdout, `"code":"database_busy"`) || !strings.Contains(stdout, "has the store") {
		t.Errorf("status %d, %s", status, stdout)
	}
	r.end(t, os.Interrupt, 130)
	if _, stderr, status := other.run(t, "backup", "restore", takenBackup, "--yes"); status != 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestRestore_asks holds that a person at a terminal is asked, and that
// nothing but yes is yes.
func TestRestore_asks(t *testing.T) {
	for answer, want := range map[string]int{"y\n": 0, "yes\n": 0, "Y\n": 0, "n\n": 2, "\n": 2, "": 2, "yeah\n": 2} {
		w := seeded(t)
		if _, stderr, status := w.run(t, "backup", "take"); status != 0 {
			t.Fatal(stderr)
		}
		if _, stderr, status := w.run(t, "task", "create", "Meanwhile"); status != 0 {
			t.Fatal(stderr)
		}
		w.onTerminal(80)
		w.env.Stdin = strings.NewReader(answer)
		_, stderr, status := w.run(t, "backup", "restore", takenBackup)
		if status != want || !strings.Contains(stderr, "by the backup of 2026-03-02 09:15 UTC with 4 tasks? [y/N]") {
			t.Errorf("%q: status %d, %s", answer, status, stderr)
		}
		found, _, _ := w.run(t, "task", "list", "--text", "Meanwhile", "--jq", ".tasks | length")
		if restored := found == "0\n"; restored != (want == 0) {
			t.Errorf("%q: restored is %v", answer, restored)
		}
	}
}
