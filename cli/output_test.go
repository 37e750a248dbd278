package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dev.lithos/cli"
	"dev.lithos/core"
)

// TestClosedPipe holds that whoever stops reading is not told off, and that
// the exit status is that of the operation.
func TestClosedPipe(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"task", "list"}, 0}, {[]string{"task", "list", "--json"}, 0}, {[]string{"--help"}, 0}, {[]string{"version"}, 0},
		{[]string{"task", "create", "x"}, 0}, {[]string{"task", "get", "nothing", "--json"}, 3}, {[]string{"events", "--follow"}, 0},
	} {
		w := seeded(t)
		w.env.Stdout = failing{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}}
		if _, stderr, status := w.run(t, c.args...); status != c.want || stderr != "" {
			t.Errorf("%q: status %d, stderr %q", c.args, status, stderr)
		}
	}
}

// TestFullDisk holds that output that is lost is an error, while what was
// done stays done.
func TestFullDisk(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"task", "list"}, 74}, {[]string{"task", "list", "--json"}, 74}, {[]string{"--help"}, 74},
		{[]string{"task", "create", "Kept"}, 74}, {[]string{"task", "get", "nothing", "--json"}, 3}, {[]string{"events", "--follow"}, 74},
	} {
		w := seeded(t)
		w.env.Stdout = failing{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}}
		_, stderr, status := w.run(t, c.args...)
		if status != c.want || !strings.HasPrefix(stderr, "lithos: ") || strings.Contains(stderr, "/dev/stdout") {
			t.Errorf("%q: status %d, stderr %q", c.args, status, stderr)
		}
		if c.want == 74 && !strings.Contains(stderr, "no space left on device") {
			t.Errorf("%q: stderr %q", c.args, stderr)
		}
		if slices.Contains(c.args, "create") {
			w.env.Stdout = &w.stdout
			if stdout, _, _ := w.run(t, "task", "list", "--text", "Kept"); !strings.Contains(stdout, "Kept") {
				t.Error("the task was not kept")
			}
		}
	}
}

// TestEnvelope holds the form of every failure: one document on standard
// output with --json, nothing there without it, and the status of the code.
func TestEnvelope(t *testing.T) {
	for _, c := range []struct {
		args []string
		code core.Code
	}{
		{[]string{"task", "nonsense"}, core.CodeInvalidInput},
		{[]string{"task", "create", strings.Repeat("x", 501)}, core.CodeContentTooLarge},
		{[]string{"task", "get", "nothing"}, core.CodeTaskNotFound},
		{[]string{"task", "create", "x", "--type", "nonsense"}, core.CodeInvalidTaskType},
		{[]string{"task", "edge", "upsert", "83257c", "9c1f02", "--type", "nonsense"}, core.CodeInvalidEdgeType},
		{[]string{"task", "spawn", "83257c", "x", "--relation", "nonsense"}, core.CodeInvalidRelationType},
		{[]string{"task", "create", "x", "--meta", "blocked_on=x"}, core.CodeInvalidMetadataKey},
		{[]string{"task", "release", "83257c"}, core.CodeClaimNotFound},
		{[]string{"task", "edge", "delete", "9c1f02", "83257c", "--type", "blocks"}, core.CodeEdgeNotFound},
		{[]string{"task", "complete", "83257c", "--receipt", "x", "--cited", "y"}, core.CodeReceiptNotFound},
		{[]string{"task", "reopen", "83257c"}, core.CodeTaskNotResolved},
		{[]string{"task", "edge", "upsert", "83257c", "83257c", "--type", "blocks"}, core.CodeSelfEdge},
		{[]string{"task", "edge", "upsert", "9c1f02", "83257c", "--type", "blocks"}, core.CodeCycle},
		{[]string{"task", "edge", "upsert", "9c1f02", "83257c", "--type", "parent_child"}, core.CodeParentExists},
		{[]string{"task", "edge", "upsert", "83257c", "9c1f02", "--type", "waits_on_gate"}, core.CodeNotAGate},
		{[]string{"task", "update", "83257c", "--title", "x", "--expected-version", "9"}, core.CodeVersionConflict},
		{[]string{"task", "claim", "83257c", "--agent", "zoe"}, core.CodeClaimFailed},
		{[]string{"--read-only", "task", "create", "x"}, core.CodeForbidden},
		{[]string{"--db", "elsewhere.db", "task", "ready"}, core.CodeStoreUnavailable},
		{[]string{"--timeout", "1ns", "task", "create", "x"}, core.CodeRequestTimedOut},
	} {
		w := seeded(t)
		if _, _, status := w.run(t, "task", "claim", "83257c", "--agent", "ada"); status != 0 {
			t.Fatal("the claim that others meet was refused")
		}
		before := everything(t, w)
		stdout, stderr, status := w.run(t, append(c.args, "--json")...)
		want := core.Describe(c.code).Exit()
		var envelope struct{ Status, Code, Message string }
		if err := json.Unmarshal([]byte(stdout), &envelope); err != nil || envelope.Status != "error" || envelope.Code != string(c.code) {
			t.Errorf("%q: %v in %q", c.args, err, stdout)
		}
		if !strings.HasPrefix(stdout, `{"status":"error","code":"`) || strings.Count(stdout, "\n") != 1 || stderr != "" || status != want {
			t.Errorf("%q: stdout %q, stderr %q, status %d, want %d", c.args, stdout, stderr, status, want)
		}
		stdout, stderr, status = w.run(t, c.args...)
		if stdout != "" || !strings.HasPrefix(stderr, "lithos: ") || status != want {
			t.Errorf("%q: stdout %q, stderr %q, status %d, want %d", c.args, stdout, stderr, status, want)
		}
		if after := everything(t, w); after != before {
			t.Errorf("%q changed the store\n--- before\n%s\n--- after\n%s", c.args, before, after)
		}
	}
}

// everything is all that the store of a world holds.
func everything(t *testing.T, w *world) string {
	t.Helper()
	export, stderr, status := w.run(t, "export")
	if status != 0 {
		t.Fatal(stderr)
	}
	events, stderr, status := w.run(t, "journal", "--limit", "1000", "--json")
	if status != 0 {
		t.Fatal(stderr)
	}
	return export + events
}

func TestJQ(t *testing.T) {
	w := seeded(t)
	for _, c := range []struct {
		filter, want string
		status       int
	}{
		{".tasks[].title", "Write schema\n", 0},
		{".tasks[0].tags", "[\"db\"]\n", 0},
		{".tasks | length", "1\n", 0},
		{".tasks[] | .id, .version", schemaID + "\n1\n", 0},
		{"empty", "", 0},
		{"null", "null\n", 0},
		{`"tab\tand\u001b"`, "tab\tand\x1b\n", 0},
		{`["\u007f\u2028<"]`, `["\u007f\u2028<"]` + "\n", 0},
	} {
		stdout, stderr, status := w.run(t, "task", "ready", "--jq", c.filter)
		if stdout != c.want || stderr != "" || status != c.status {
			t.Errorf("%s: stdout %q, stderr %q, status %d; want %q", c.filter, stdout, stderr, status, c.want)
		}
	}
	// A filter that cannot be used keeps anything from being done.
	stdout, _, status := w.run(t, "task", "create", "Not made", "--jq", ".[")
	if status != 2 || !strings.Contains(stdout, `"field":"jq"`) {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
	if stdout, _, _ := w.run(t, "task", "list", "--text", "Not made"); stdout != "" {
		t.Errorf("it was made: %s", stdout)
	}
	// One that fails on the result says that the operation is done.
	stdout, _, status = w.run(t, "task", "create", "Made", "--jq", ".title.x")
	if status != 2 || !strings.Contains(stdout, "The operation is done") {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
	if stdout, _, _ := w.run(t, "task", "list", "--text", "Made"); !strings.Contains(stdout, "Made") {
		t.Errorf("it was not made: %s", stdout)
	}
	// An error is never filtered.
	if stdout, _, _ := w.run(t, "task", "get", "nothing", "--jq", ".code"); !strings.HasPrefix(stdout, `{"status":"error"`) {
		t.Errorf("stdout %q", stdout)
	}
	// Numbers keep their literal form.
	if _, _, status := w.run(t, "task", "create", "N", "--meta", "n:=1.0", "--meta", "big:=12345678901234567890"); status != 0 {
		t.Fatal("metadata was refused")
	}
	if stdout, _, _ := w.run(t, "task", "list", "--text", "N", "--jq", ".tasks[] | select(.title == \"N\") | .metadata"); stdout != `{"big":12345678901234567890,"n":1.0}`+"\n" {
		t.Errorf("metadata is %q", stdout)
	}
}

// TestSignals holds that a signal ends a call with its number, and that
// nothing is printed.
func TestSignals(t *testing.T) {
	for _, args := range [][]string{
		{"events", "--follow", "--since", "100"}, {"task", "ready", "--project", "none", "--watch", "--quiet"}, {"task", "create", "x", "--description", "-"},
		{"task", "next", "--project", "none", "--wait", "1h"}, {"task", "apply"},
	} {
		w := seeded(t)
		reader, writer := io.Pipe() // standard input that never ends
		defer writer.Close()
		w.env.Stdin = reader
		signals := make(chan os.Signal, 1)
		w.env.Signals = func() (<-chan os.Signal, func()) { return signals, func() {} }
		time.AfterFunc(100*time.Millisecond, func() { signals <- syscall.SIGTERM })
		started := time.Now()
		stdout, stderr, status := w.run(t, args...)
		if stdout != "" || stderr != "" || status != 128+15 || time.Since(started) > 2*time.Second {
			t.Errorf("%q: stdout %q, stderr %q, status %d after %s", args, stdout, stderr, status, time.Since(started))
		}
	}
}

// faulty is a store that breaks.
type faulty struct{ core.Store }

func (faulty) Read(context.Context, func(core.ReadTx) error) error {
	panic("a fault that holds s3cr3t-token")
}

func (faulty) Write(context.Context, func(core.WriteTx) error) error {
	return fmt.Errorf("SELECT secrets FROM somewhere: %w", errors.New("driver text"))
}

func (faulty) Created() bool { return false }

func (faulty) SetAside() []string { return nil }

func (faulty) Close() error { return nil }

// TestInternalError holds that a fault of the program is reported without
// anything of the engine or of secrets in it, and with a file for the rest.
func TestInternalError(t *testing.T) {
	w := seeded(t)
	w.env.OpenStore = func(context.Context, cli.StoreOptions) (cli.Store, error) { return faulty{}, nil }
	w.env.Environ = func() []string { return []string{"API_TOKEN=s3cr3t-token", "HOME=/home/someone"} }
	stdout, stderr, status := w.run(t, "task", "ready", "--json")
	var envelope struct {
		Code      string
		CrashFile string `json:"crash_file"`
	}
	if err := json.Unmarshal([]byte(stdout), &envelope); err != nil || envelope.Code != "internal_error" || status != 70 {
		t.Fatalf("%v: status %d, stdout %q, stderr %q", err, status, stdout, stderr)
	}
	report, err := os.ReadFile(envelope.CrashFile)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(envelope.CrashFile) != filepath.Join(w.env.StateHome, "lithos") || !strings.Contains(string(report), "a fault that holds ***") ||
		strings.Contains(string(report)+stdout, "s3cr3t-token") || !strings.Contains(string(report), "goroutine") {
		t.Errorf("%s: %s", envelope.CrashFile, report)
	}
	if info, err := os.Stat(envelope.CrashFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	stdout, stderr, status = w.run(t, "task", "ready")
	if stdout != "" || status != 70 || !strings.Contains(stderr, "  report: "+w.env.StateHome) || strings.Contains(stderr, "goroutine") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	stdout, _, status = w.run(t, "task", "create", "x", "--json")
	if status != 70 || strings.Contains(stdout, "SELECT") || strings.Contains(stdout, "driver") || strings.Contains(stdout, `"crash_file":null`) {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
	// Where no report can be written, none is named.
	w.env.StateHome = filepath.Join(w.env.Dir, ".lithos", "lithos.db")
	if stdout, _, status = w.run(t, "task", "ready", "--json"); status != 70 || !strings.Contains(stdout, `"crash_file":null`) {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}
