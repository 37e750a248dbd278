package storm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// server is a running MCP server that is asked one thing at a time.
type server struct {
	*field
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string
	stderr strings.Builder
	asked  int
}

// serve starts a server on the store.
func (f *field) serve(flags ...string) *server {
	f.Helper()
	s := &server{field: f, cmd: f.command("lithos", append([]string{"mcp"}, flags...)...), lines: make(chan string, 100)}
	s.cmd.Stderr = &s.stderr
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		f.Fatal(err)
	}
	stdout, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		f.Fatal(err)
	}
	go func() {
		defer close(s.lines)
		reader := bufio.NewReaderSize(stdout, 1<<20)
		for {
			line, err := reader.ReadString('\n')
			if err != nil {
				return
			}
			s.lines <- line
		}
	}()
	f.Cleanup(func() { _ = s.cmd.Process.Kill() }) // unless it has ended
	s.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	s.receive()
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *server) send(line string) {
	s.Helper()
	if _, err := io.WriteString(s.stdin, line+"\n"); err != nil {
		s.Fatalf("%v: %s", err, s.stderr.String())
	}
}

func (s *server) receive() string {
	s.Helper()
	select {
	case line, ok := <-s.lines:
		if !ok {
			s.Fatalf("the server has ended: %s", s.stderr.String())
		}
		return line
	case <-time.After(patience):
		s.Fatal("the server does not answer")
	}
	return ""
}

// call calls a tool and returns its answer, or the protocol's error.
func (s *server) call(tool, arguments string) map[string]any {
	s.Helper()
	s.asked++
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"lithos_%s","arguments":%s}}`, s.asked, tool, arguments))
	line := s.receive()
	var frame struct {
		Result struct {
			StructuredContent map[string]any
		}
		Error map[string]any
	}
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.UseNumber() // what is said again may be no number of any size
	if err := decoder.Decode(&frame); err != nil {
		s.Fatalf("%v in %.200s", err, line)
	}
	if frame.Error != nil {
		return frame.Error
	}
	return frame.Result.StructuredContent
}

// end ends the server, which must not complain.
func (s *server) end() {
	s.Helper()
	if err := s.stdin.Close(); err != nil {
		s.Error(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.Errorf("%v: %s", err, s.stderr.String())
	}
}
