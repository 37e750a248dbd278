package mcpserver_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// parent is a program that starts a server, as a client does, says so and
// waits to be killed.
func parent() {
	server := exec.Command("lithos", "mcp")
	stdin, err := server.StdinPipe()
	if err != nil {
		panic(err)
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		panic(err)
	}
	server.Stderr = os.Stderr
	server.ExtraFiles = []*os.File{os.NewFile(3, "lifeline")}
	if err := server.Start(); err != nil {
		panic(err)
	}
	if _, err := io.WriteString(stdin, initialize); err != nil {
		panic(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		panic(err)
	}
	fmt.Println("started")
	select {}
}

// A pipe that only parent and server hold ends when both are gone.
func TestExit_parentIsKilled(t *testing.T) {
	dir, env := project(t)
	lifeline, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer closeFile(t, lifeline)
	cmd := exec.Command("parent-of-lithos")
	cmd.Dir, cmd.Env, cmd.ExtraFiles = dir, env, []*os.File{held}
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	closeFile(t, held)
	if n, err := stdout.Read(make([]byte, 16)); n == 0 {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if err := lifeline.SetReadDeadline(time.Now().Add(promptly)); err != nil {
		t.Fatal(err)
	}
	if _, err := lifeline.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the server outlives its parent: %v", err)
	}
}

// fill makes the server write until nobody takes it any more.
func fill(p *process) {
	p.t.Helper()
	for i := range 20 { // 16 KB each, more than a pipe holds
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", i))
	}
	time.Sleep(100 * time.Millisecond)
}

func TestExit_nobodyReads(t *testing.T) {
	t.Run("end of input", func(t *testing.T) {
		dir, env := project(t)
		p := launch(t, dir, env, "lithos", "mcp")
		p.send(initialize)
		fill(p)
		p.closeInput()
		p.expectExit(0)
	})
	t.Run("signal", func(t *testing.T) {
		dir, env := project(t)
		p := launch(t, dir, env, "lithos", "mcp")
		p.send(initialize)
		fill(p)
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		p.expectExit(128 + int(syscall.SIGTERM))
	})
	t.Run("closed", func(t *testing.T) {
		dir, env := project(t)
		runCLI(t, dir, env, "init")
		p := launch(t, dir, env, "lithos", "mcp")
		p.send(initialize)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lithos_task_create","arguments":{"title":"Kept","agent":"mo"}}}` + "\n")
		for deadline := time.Now().Add(patience); runCLI(t, dir, env, "stats", "--jq", ".active_tasks") != "1"; {
			if time.Now().After(deadline) {
				t.Fatal("the task was not created")
			}
		}
		closeFile(t, p.stdout)
		p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
		p.expectExit(0)
		expectNoLog(t, dir)
	})
}

// Of several programs the last one folds the log into the store.
func TestExit_leavesNoLog(t *testing.T) {
	dir, env := project(t)
	runCLI(t, dir, env, "init")
	var servers []*process
	for i := range 2 {
		p := start(t, dir, env, "lithos", "mcp")
		p.begin()
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lithos_task_create","arguments":{"title":"Task %d","agent":"mo"}}}`, i) + "\n")
		if frame := p.receive(); !strings.Contains(frame, `"version":1`) {
			t.Fatalf("the task was not created: %s", frame)
		}
		servers = append(servers, p)
	}
	for _, p := range servers {
		p.closeInput()
		p.expectExit(0)
	}
	expectNoLog(t, dir)
	if got := runCLI(t, dir, env, "stats", "--jq", ".active_tasks"); got != "2" {
		t.Errorf("%s tasks", got)
	}
}

func expectNoLog(t *testing.T, dir string) {
	t.Helper()
	if info, err := os.Stat(filepath.Join(dir, ".lithos", "lithos.db-wal")); err == nil && info.Size() > 0 {
		t.Errorf("the server leaves a log of %d bytes", info.Size())
	}
}
