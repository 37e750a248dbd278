package cli_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dev.lithos/cli"
)

// watched runs lithos in the background until the test ends it, and hands on
// what it writes line by line.
type watched struct {
	lines   chan string
	signals chan os.Signal
	status  chan int
}

func (w *world) watch(t *testing.T, args ...string) *watched {
	t.Helper()
	reader, writer := io.Pipe()
	env := w.env
	env.Stdout, env.Stderr = writer, &w.stderr
	r := &watched{lines: make(chan string, 100), signals: make(chan os.Signal, 1), status: make(chan int, 1)}
	env.Signals = func() (<-chan os.Signal, func()) { return r.signals, func() {} }
	go func() {
		r.status <- cli.Main(context.WithoutCancel(t.Context()), append([]string{"lithos"}, args...), env)
		writer.Close()
	}()
	go func() {
		for scanner := bufio.NewScanner(reader); scanner.Scan(); {
			r.lines <- scanner.Text()
		}
		close(r.lines)
	}()
	t.Cleanup(func() { r.end(t, syscall.SIGINT, 130) })
	return r
}

// beside is another call in the same place.
func (w *world) beside() *world {
	other := &world{env: w.env, variables: w.variables}
	other.env.Stdout, other.env.Stderr = &other.stdout, &other.stderr
	return other
}

// end ends the call by a signal and looks at its status. It does nothing when
// that has been seen already.
func (r *watched) end(t *testing.T, signal os.Signal, want int) {
	t.Helper()
	if r.status == nil {
		return
	}
	r.signals <- signal
	if got := <-r.status; got != want {
		t.Errorf("status %d, want %d", got, want)
	}
	r.status = nil
}

// next is the next line that holds a word; it fails when none comes in time.
func (r *watched) next(t *testing.T, word string) string {
	t.Helper()
	for timeout := time.After(10 * time.Second); ; {
		select {
		case line, ok := <-r.lines:
			if !ok {
				t.Fatalf("the output ended before %q", word)
			}
			if strings.Contains(line, word) {
				return line
			}
		case <-timeout:
			t.Fatalf("no line with %q came", word)
		}
	}
}

// TestWatch holds that a watched list shows what other calls change, one
// document a line, and what becomes ready by time alone.
func TestWatch(t *testing.T) {
	w := seeded(t)
	w.env.Now = time.Now
	other := w.beside()
	do := func(args ...string) string {
		t.Helper()
		stdout, stderr, status := other.run(t, args...)
		if status != 0 {
			t.Fatalf("%q: %s", args, stderr)
		}
		return strings.TrimSpace(stdout)
	}
	r := w.watch(t, "task", "ready", "--watch", "--json")
	r.next(t, "Write schema")
	started := time.Now()
	do("task", "create", "From elsewhere")
	r.next(t, "From elsewhere")
	t.Logf("a change was shown %s after it began", time.Since(started))
	do("task", "complete", "83257c", "d41e8b")
	if line := r.next(t, "Write importer"); strings.Contains(line, "Write schema") {
		t.Errorf("what is completed is still shown: %s", line)
	}
	opens := time.Now().Add(1500 * time.Millisecond).Truncate(time.Second).Add(time.Second)
	other.env.Stdin = strings.NewReader(`{"op": "create", "as": "gate", "title": "Opens soon", "task_type": "gate", "metadata": {"gate_type": "timer", "ready_at": "` +
		opens.UTC().Format(time.RFC3339) + `"}}
{"op": "create", "as": "waiter", "title": "Waits for time"}
{"op": "edge_upsert", "from_task_id": "$gate", "to_task_id": "$waiter", "type": "waits_on_gate"}`)
	do("task", "apply")
	r.next(t, "Waits for time")
	if early := time.Until(opens); early > 0 {
		t.Errorf("it was shown %s before its gate opened", early)
	}
	t.Logf("it was shown %s after its gate opened", time.Since(opens))
}

// TestFollow holds that the feed is printed as it grows, from where it is
// asked to begin, and filtered.
func TestFollow(t *testing.T) {
	w := seeded(t)
	other := w.beside()
	r := w.watch(t, "events", "--follow", "--since", "8", "--type", "task.created", "--jq", ".payload.title")
	for _, title := range []string{"One", "Two"} {
		if _, stderr, status := other.run(t, "task", "create", title); status != 0 {
			t.Fatal(stderr)
		}
		if line := r.next(t, ""); line != title {
			t.Errorf("followed %q, want %q", line, title)
		}
	}
	r.end(t, syscall.SIGTERM, 143)
}

// TestNextWait holds that waiting work is taken as soon as there is some, and
// that nothing is an answer, not an error, when there is none in time.
func TestNextWait(t *testing.T) {
	w := seeded(t)
	started := time.Now()
	stdout, stderr, status := w.run(t, "task", "next", "--project", "none", "--wait", "300ms", "--json")
	if took := time.Since(started); stdout != "{\"task\":null}\n" || stderr != "" || status != 0 || took < 300*time.Millisecond {
		t.Errorf("stdout %q, stderr %q, status %d after %s", stdout, stderr, status, took)
	}
	other := w.beside()
	created := make(chan error, 1)
	time.AfterFunc(200*time.Millisecond, func() {
		var err error
		other.env.Stdout, other.env.Stderr = io.Discard, io.Discard
		if cli.Main(t.Context(), []string{"lithos", "task", "create", "Work", "--project", "none"}, other.env) != 0 {
			err = errors.New("the task was not created")
		}
		created <- err
	})
	stdout, stderr, status = w.run(t, "task", "next", "--project", "none", "--wait", "20s", "--jq", ".task.title")
	if err := <-created; err != nil || stdout != "Work\n" || status != 0 {
		t.Errorf("%v: stdout %q, stderr %q, status %d", err, stdout, stderr, status)
	}
}

// TestFollow_begins holds where the feed begins when no cursor is given: with
// the last few events, as many as --limit says, of the kind that is asked for.
func TestFollow_begins(t *testing.T) {
	for _, c := range []struct {
		args  []string
		want  string
		after string // what the next change prints; "" when it is filtered out
	}{
		{nil, "1 2 3 4 5 6 7 8", "9 10"},
		{[]string{"--limit", "2"}, "7 8", "9 10"},
		{[]string{"--limit", "2", "--type", "task.created"}, "5 6", "10"},
		{[]string{"--type", "task.cancelled"}, "", ""},
		{[]string{"--from", "2026-03-01T00:00:00Z", "--limit", "1"}, "1 2 3 4 5 6 7 8", "9 10"},
		{[]string{"--since", "6"}, "7 8", "9 10"},
	} {
		w := seeded(t)
		other := w.beside()
		r := w.watch(t, append([]string{"events", "--follow", "--jq", ".seq"}, c.args...)...)
		for _, want := range strings.Fields(c.want) {
			if got := r.next(t, ""); got != want {
				t.Errorf("%q: followed %s, want %s", c.args, got, want)
			}
		}
		if _, stderr, status := other.run(t, "task", "create", "New"); status != 0 {
			t.Fatal(stderr)
		}
		for _, want := range strings.Fields(c.after) {
			if got := r.next(t, ""); got != want {
				t.Errorf("%q: then followed %s, want %s", c.args, got, want)
			}
		}
		r.end(t, syscall.SIGTERM, 143)
	}
}

// TestWatch_unread holds that what waits for changes ends, quietly, once nobody
// reads it any more, without a change that it would have to write.
func TestWatch_unread(t *testing.T) {
	for _, args := range [][]string{
		{"events", "--follow", "--since", "8"}, {"task", "list", "--watch"}, {"task", "blocked", "--watch", "--json"},
		{"task", "next", "--project", "none", "--wait", "1h"},
	} {
		w := seeded(t)
		w.env.Unread = func() bool { return true }
		if _, stderr, status := w.run(t, args...); status != 0 || stderr != "" {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
	}
	// The pipe itself, of a process.
	dir := t.TempDir()
	seed(t, filepath.Join(dir, ".lithos", "lithos.db"))
	cmd := exec.Command("lithos", "events", "--follow")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LITHOS_DB=", "LITHOS_DATA_DIR=", "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(pipe).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	pipe.Close()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		cmd.Process.Kill()
		t.Error("it goes on although nobody reads it")
	}
}

// TestWatch_terminal holds that a terminal is redrawn in place, and never
// scrolls.
func TestWatch_terminal(t *testing.T) {
	w := seeded(t).onTerminal(80)
	w.env.Size = func() (int, int) { return 80, 5 }
	other := w.beside()
	r := w.watch(t, "task", "list", "--watch", "--since", "2026-01-01")
	if first := r.next(t, "TITLE"); !strings.HasPrefix(first, "\x1b[H") {
		t.Errorf("it begins with %q, not at the top", first)
	}
	r.next(t, "2 more")
	if _, stderr, status := other.run(t, "task", "create", "From elsewhere"); status != 0 {
		t.Fatal(stderr)
	}
	if line := r.next(t, "TITLE"); !strings.Contains(line, "\x1b[H") {
		t.Errorf("it is redrawn as %q, not at the top", line)
	}
	r.next(t, "From elsewhere")
	r.next(t, "3 more")
}
