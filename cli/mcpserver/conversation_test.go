package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// patience is how long a test waits for what must come.
const patience = 10 * time.Second

// conversation is a session with a server in this process, line by line.
type conversation struct {
	t       *testing.T
	in      *io.PipeWriter
	answers chan string
	ended   chan error
	stop    context.CancelFunc
}

// converse starts a server of the options and initializes a session with it.
func converse(t *testing.T, o Options) *conversation {
	t.Helper()
	c := connectLines(t, New(o))
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	if first := c.receive(); !strings.Contains(first, `"id":"init","result"`) {
		t.Fatalf("initialize was answered with %s", first)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func connectLines(t *testing.T, s *Server) *conversation {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	c := &conversation{t: t, in: inW, answers: make(chan string, 1000), ended: make(chan error, 1), stop: stop}
	go func() {
		c.ended <- s.Run(ctx, &Lines{In: inR, Out: outW, Ended: stop})
		outW.CloseWithError(nil)
	}()
	go func() {
		defer close(c.answers)
		r := bufio.NewReader(outR)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			c.answers <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		inW.CloseWithError(nil)
		stop()
	})
	return c
}

func (c *conversation) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

func (c *conversation) receive() string {
	c.t.Helper()
	select {
	case line, ok := <-c.answers:
		if !ok {
			c.t.Fatal("the server ended the session")
		}
		return line
	case <-time.After(patience):
		c.t.Fatal("no answer came")
		return ""
	}
}

// expectNothing fails if an answer comes within a moment.
func (c *conversation) expectNothing() {
	c.t.Helper()
	select {
	case line, ok := <-c.answers:
		if ok {
			c.t.Fatalf("unexpected answer: %s", line)
		}
	case <-time.After(50 * time.Millisecond):
	}
}

// toolAnswer is the answer to a tools/call, taken apart.
type toolAnswer struct {
	ID     json.RawMessage
	Result struct {
		Content []struct {
			Type, Text string
		}
		StructuredContent json.RawMessage
		IsError           bool
	}
	Error *struct {
		Code    int
		Message string
	}
}

// call calls a tool and returns the answer to it.
func (c *conversation) call(tool, arguments string) toolAnswer {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`)
	return c.answer()
}

func (c *conversation) answer() toolAnswer {
	c.t.Helper()
	line := c.receive()
	var a toolAnswer
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		c.t.Fatalf("%v in the answer %s", err, line)
	}
	if a.Error == nil && (len(a.Result.Content) != 1 || a.Result.Content[0].Type != "text") {
		c.t.Fatalf("the answer has no single text block: %s", line)
	}
	return a
}

func (a toolAnswer) text() string { return a.Result.Content[0].Text }

// without is a Service function for servers whose calls all fail with err.
func without(err error) func(context.Context) (*core.Service, error) {
	return func(context.Context) (*core.Service, error) { return nil, err }
}

// fakeStore is a store whose transactions are functions of the test.
type fakeStore struct {
	core.Store
	read  func(ctx context.Context) error
	write func(ctx context.Context) error
}

func (s fakeStore) Read(ctx context.Context, _ func(core.ReadTx) error) error   { return s.read(ctx) }
func (s fakeStore) Write(ctx context.Context, _ func(core.WriteTx) error) error { return s.write(ctx) }

func serving(s fakeStore) func(context.Context) (*core.Service, error) {
	service := core.New(core.Config{Store: s})
	return func(context.Context) (*core.Service, error) { return service, nil }
}
