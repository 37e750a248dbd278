package mcpserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// promptly is how soon a server must be gone once it is told to end.
const promptly = time.Second

// project makes an empty project folder with a home of its own beside it and
// returns the folder and the environment of programs that run in it.
func project(t testing.TB) (dir string, env []string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, home := filepath.Join(base, "project"), filepath.Join(base, "home")
	for _, d := range []string{dir, home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "LITHOS") && !strings.HasPrefix(name, "XDG") {
			env = append(env, v)
		}
	}
	// Under the race detector every program sleeps a second before it ends.
	return dir, append(env, "HOME="+home, "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
}

// runCLI runs lithos in a project and returns what it prints.
func runCLI(t testing.TB, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("lithos", args...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("lithos %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// process is a running server.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	frames chan string
	stderr lockedBuffer
	exited chan struct{}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts a server in a project.
func start(t testing.TB, dir string, env []string, command string, args ...string) *process {
	t.Helper()
	p := launch(t, dir, env, command, args...)
	go p.readFrames()
	return p
}

// launch is start without anybody who reads the output.
func launch(t testing.TB, dir string, env []string, command string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(command, args...), frames: make(chan string, 10_000), exited: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = dir, env, &p.stderr
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	// Not StdoutPipe, which Wait closes before everything is read.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout, p.cmd.Stdout = r, w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	closeFile(t, w)
	go func() {
		p.cmd.Wait() // the status is looked at in ProcessState
		close(p.exited)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill() // it may be gone already
		<-p.exited
		if err := p.stdout.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		if t.Failed() && p.stderr.String() != "" {
			t.Logf("standard error:\n%s", p.stderr.String())
		}
	})
	return p
}

// readFrames passes the lines of the output on and fails the test when one is
// no frame of the protocol.
func (p *process) readFrames() {
	defer close(p.frames)
	r := bufio.NewReader(p.stdout)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			var frame struct {
				JSONRPC string `json:"jsonrpc"`
			}
			if json.Unmarshal([]byte(line), &frame) != nil || frame.JSONRPC != "2.0" || err != nil {
				p.t.Errorf("standard output carries what is no frame: %q", line)
			}
			p.frames <- strings.TrimSuffix(line, "\n")
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
				p.t.Errorf("read standard output: %v", err)
			}
			return
		}
	}
}

// send writes text to the server as it is.
func (p *process) send(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, text); err != nil {
		p.t.Fatalf("write to the server: %v", err)
	}
}

// closeInput ends the input of the server.
func (p *process) closeInput() {
	p.t.Helper()
	closeFile(p.t, p.stdin)
}

func closeFile(t testing.TB, f io.Closer) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// receive returns the next frame.
func (p *process) receive() string {
	p.t.Helper()
	select {
	case frame, ok := <-p.frames:
		if !ok {
			p.t.Fatal("the server has ended its output")
		}
		return frame
	case <-time.After(patience):
		p.t.Fatal("no frame came")
		return ""
	}
}

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// begin initializes the session.
func (p *process) begin() {
	p.t.Helper()
	p.send(initialize)
	if frame := p.receive(); !strings.Contains(frame, `"id":"init","result"`) {
		p.t.Fatalf("initialize is answered with %s", frame)
	}
}

// expectExit waits for the server to end with a status.
func (p *process) expectExit(status int) {
	p.t.Helper()
	began := time.Now()
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatal("the server does not end")
	}
	if took := time.Since(began); took > promptly {
		p.t.Errorf("the server took %s to end", took)
	}
	if got := p.status(); got != status {
		p.t.Errorf("the server ended with status %d, want %d", got, status)
	}
}

// status is the exit status as a shell shows it.
func (p *process) status() int {
	if code := p.cmd.ProcessState.ExitCode(); code >= 0 {
		return code
	}
	if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return -1
}
