package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"dev.lithos/core"
)

func TestLines_unusableLinesAreAnsweredAndTheSessionLivesOn(t *testing.T) {
	c := converse(t, Options{Service: without(errNoStore)})
	for _, tt := range []struct {
		line string
		code int // 0: no answer
		id   string
	}{
		{line: ``},
		{line: "  \t\r"},
		{line: `garbage`, code: -32700, id: "null"},
		{line: `{"jsonrpc":"2.0","id":1,"method":"ping"`, code: -32700, id: "null"},
		{line: `{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}`, code: -32700, id: "null"},
		{line: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\x00ng\"}", code: -32700, id: "null"},
		{line: `Content-Length: 52`, code: -32700, id: "null"},
		{line: `null`, code: -32600, id: "null"},
		{line: `17`, code: -32600, id: "null"},
		{line: `"ping"`, code: -32600, id: "null"},
		{line: `[]`, code: -32600, id: "null"},
		{line: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, code: -32600, id: "null"},
		{line: `{}`, code: -32600, id: "null"},
		{line: `{"id":1,"method":"ping"}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":"1.0","id":1,"method":"ping"}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":2.0,"id":1,"method":"ping"}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":"2.0","id":1}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":"2.0","id":1,"method":7}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":"2.0","id":1,"method":null}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":"2.0","id":true,"method":"ping"}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":"2.0","id":{},"method":"ping"}`, code: -32600, id: "null"},
		{line: `{"jsonrpc":"2.0","id":3,"method":"no/such"}`, code: -32601, id: "3"},
		{line: `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"no_such_tool","arguments":{}}}`, code: -32602, id: "4"},
		{line: `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"lithos_stats","arguments":[1]}}`, code: -32602, id: "5"},
		{line: `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"lithos_stats","arguments":"{}"}}`, code: -32602, id: "6"},
		{line: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1,2]}`, code: -32602, id: "7"},
		{line: `{"jsonrpc":"2.0","id":8,"method":"tools/call"}`, code: -32600, id: "8"},
		{line: `{"jsonrpc":"2.0","id":"again","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, code: -32600, id: `"again"`},
		{line: `{"jsonrpc":"2.0","method":"no/such/notification"}`},
		{line: `{"jsonrpc":"2.0","method":"notifications/cancelled"}`},
		{line: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`},
		{line: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":""}}`},
		{line: `{"jsonrpc":"2.0","id":77,"result":{}}`},
	} {
		c.send(tt.line)
		if tt.code != 0 {
			var answer struct {
				JSONRPC string
				ID      json.RawMessage
				Error   struct {
					Code    int
					Message string
				}
			}
			text := c.receive()
			if err := json.Unmarshal([]byte(text), &answer); err != nil {
				t.Fatal(err)
			}
			if answer.JSONRPC != "2.0" || answer.Error.Code != tt.code || string(answer.ID) != tt.id || answer.Error.Message == "" {
				t.Errorf("%s\n is answered with %s\n want code %d for id %s", tt.line, text, tt.code, tt.id)
			}
			if len(answer.Error.Message) > maxErrorMessage+len(" … ") {
				t.Errorf("%s: a message of %d bytes", tt.line, len(answer.Error.Message))
			}
		}
		c.send(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
		if pong := c.receive(); pong != `{"jsonrpc":"2.0","id":0,"result":{}}` {
			t.Fatalf("after %q a ping is answered with %s", tt.line, pong)
		}
	}
}

func TestLines_ErrorOfAHugeFrameIsShort(t *testing.T) {
	c := converse(t, Options{Service: without(errNoStore)})
	// Deeper than the SDK decodes; its error repeats the whole frame.
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lithos_task_create","arguments":{"metadata":{"a":` + deep + `}}}}`)
	a := c.answer()
	if a.Error == nil || a.Error.Code != -32602 || len(a.Error.Message) > maxErrorMessage+len(" … ") || !strings.HasSuffix(a.Error.Message, "depth of 1000") {
		t.Errorf("the answer is %+v", a)
	}
}

func TestLines_beforeInitialize(t *testing.T) {
	c := connectLines(t, New(Options{Service: without(errNoStore)}))
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if got := c.receive(); !strings.Contains(got, `"code":-32600`) {
		t.Errorf("tools/list before initialize is answered with %s", got)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if got := c.receive(); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("ping before initialize is answered with %s", got)
	}
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", 40)
	r := bufio.NewReaderSize(strings.NewReader("one\n"+long+"\n\ntwo"), 16)
	type read struct {
		line    string
		tooLong bool
		err     error
	}
	for _, want := range []read{{line: "one\n"}, {tooLong: true}, {line: "\n"}, {line: "two", err: io.EOF}, {err: io.EOF}} {
		line, tooLong, err := readLine(r, 20)
		if got := (read{string(line), tooLong, err}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	r = bufio.NewReaderSize(strings.NewReader(long), 16)
	if line, tooLong, err := readLine(r, 40); string(line) != long || tooLong || !errors.Is(err, io.EOF) {
		t.Errorf("a line at the limit: %q, %v, %v", line, tooLong, err)
	}
	r = bufio.NewReaderSize(strings.NewReader(long), 16)
	if line, tooLong, err := readLine(r, 39); line != nil || !tooLong || !errors.Is(err, io.EOF) {
		t.Errorf("a last line above the limit: %q, %v, %v", line, tooLong, err)
	}
}

func TestLines_tooLongLineIsSkipped(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 64 MiB")
	}
	c := converse(t, Options{Service: without(errNoStore)})
	piece := strings.Repeat("x", 1<<20)
	for range MaxLineBytes >> 20 {
		if _, err := io.WriteString(c.in, piece); err != nil {
			t.Fatal(err)
		}
	}
	c.send("x")
	if got := c.receive(); !strings.Contains(got, `"code":-32600`) || !strings.Contains(got, `"id":null`) {
		t.Errorf("the answer is %s", got)
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got := c.receive(); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("the next ping is answered with %s", got)
	}
}

// stuck is a store whose reads wait for their context to end.
func stuck(began chan<- struct{}) fakeStore {
	return fakeStore{read: func(ctx context.Context) error {
		began <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}}
}

func TestLines_cancelledCallIsNotAnswered(t *testing.T) {
	began := make(chan struct{}, 1)
	c := converse(t, Options{Service: serving(stuck(began))})
	for range 2 { // the id is free again after the first round
		c.send(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"lithos_stats"}}`)
		<-began
		c.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		if got := c.receive(); !strings.Contains(got, `"code":-32600`) || !strings.Contains(got, `"id":null`) {
			t.Errorf("an id in use is answered with %s", got)
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9,"reason":"no longer needed"}}`)
		c.expectNothing()
		c.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		if got := c.receive(); got != `{"jsonrpc":"2.0","id":9,"result":{}}` {
			t.Errorf("the id of the cancelled call is answered with %s", got)
		}
	}
}

func TestLines_endOfInputLetsQuickCallsAnswer(t *testing.T) {
	quick := fakeStore{read: func(context.Context) error {
		time.Sleep(20 * time.Millisecond)
		return core.NewError(core.CodeTaskNotFound, "It is gone.")
	}}
	c := converse(t, Options{Service: serving(quick)})
	// The last line lacks its line feed.
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lithos_stats"}}`); err != nil {
		t.Fatal(err)
	}
	c.in.CloseWithError(nil)
	if a := c.answer(); !strings.Contains(a.text(), `"code":"task_not_found"`) {
		t.Errorf("the answer is %s", a.text())
	}
	c.expectEnd(time.Second)
}

func TestLines_endOfInputCancelsLongCalls(t *testing.T) {
	began := make(chan struct{}, 1)
	c := converse(t, Options{Service: serving(stuck(began))})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lithos_stats"}}`)
	<-began
	c.in.CloseWithError(nil)
	c.expectEnd(time.Second)
}

func TestRun_stopsWithItsContext(t *testing.T) {
	began := make(chan struct{}, 1)
	c := converse(t, Options{Service: serving(stuck(began))})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lithos_stats"}}`)
	<-began
	c.stop()
	c.expectEnd(time.Second)
}

func TestRun_stopsThoughACallDoesNotEnd(t *testing.T) {
	for _, end := range []string{"input", "context"} {
		t.Run(end, func(t *testing.T) {
			began, release := make(chan struct{}, 1), make(chan struct{})
			defer close(release)
			deaf := fakeStore{read: func(context.Context) error {
				began <- struct{}{}
				<-release
				return nil
			}}
			c := converse(t, Options{Service: serving(deaf)})
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lithos_stats"}}`)
			<-began
			if end == "input" {
				c.in.CloseWithError(nil)
			} else {
				c.stop()
			}
			c.expectEnd(time.Second)
		})
	}
}

func TestLines_clientThatStopsReadingDoesNotKeepTheServer(t *testing.T) {
	for _, end := range []string{"input", "context"} {
		t.Run(end, func(t *testing.T) {
			inR, inW := io.Pipe()
			outR, outW := io.Pipe() // nobody reads
			defer outR.CloseWithError(nil)
			defer inW.CloseWithError(nil)
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			ended := make(chan error, 1)
			go func() {
				ended <- New(Options{Service: without(errNoStore)}).Run(ctx, &Lines{In: inR, Out: outW, Ended: stop})
			}()
			for i := range 10 {
				fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
			}
			if end == "input" {
				inW.CloseWithError(nil)
			} else {
				stop()
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Errorf("the session ended with %v", err)
				}
			case <-time.After(time.Second):
				t.Fatal("the server is still there after a second")
			}
		})
	}
}

func TestLines_brokenOutputEndsTheSession(t *testing.T) {
	inR, inW := io.Pipe()
	defer inW.CloseWithError(nil)
	outR, outW := io.Pipe()
	outR.CloseWithError(errors.New("closed by the reader"))
	ended := make(chan error, 1)
	go func() {
		ended <- New(Options{Service: without(errNoStore)}).Run(context.Background(), &Lines{In: inR, Out: outW})
	}()
	fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	select {
	case err := <-ended:
		if err == nil {
			t.Error("Run hides that the connection broke")
		}
	case <-time.After(patience):
		t.Fatal("the server does not notice that nobody can read it")
	}
}

// A client that writes without reading is made to wait, so that it cannot fill
// the memory.
func TestLines_openCallsAreBounded(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe() // nobody reads
	defer outR.CloseWithError(nil)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go New(Options{Service: without(errNoStore)}).Run(ctx, &Lines{In: inR, Out: outW})
	written := make(chan int, 1)
	go func() {
		n := 0
		for ; n < 10*maxOpenCalls; n++ {
			if _, err := fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", n); err != nil {
				break
			}
		}
		written <- n
	}()
	select {
	case n := <-written:
		t.Errorf("%d calls were taken", n)
	case <-time.After(300 * time.Millisecond):
	}
	inW.CloseWithError(nil)
	// What was taken is at most the bound and what the buffers of the reader
	// hold.
	if n := <-written; n < maxOpenCalls || n > maxOpenCalls+(64<<10)/40 {
		t.Errorf("%d calls were taken", n)
	}
}

func TestParseID(t *testing.T) {
	for text, want := range map[string]any{
		`1`: int64(1), `0`: int64(0), `-5`: int64(-5), `"a"`: "a", `""`: "", `9007199254740992`: int64(9007199254740992),
		`1.0`: nil, `1e3`: nil, `9007199254740993`: nil, `null`: nil, `[1]`: nil, `-9223372036854775808`: nil,
	} {
		id, ok := parseID(json.RawMessage(text))
		if ok != (want != nil) || ok && id.Raw() != want {
			t.Errorf("%s: %v, %v", text, id.Raw(), ok)
		}
	}
}

func TestPresentable(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code int64
	}{
		{errors.New("plain"), -32600},
		{&jsonrpc.Error{Code: -32601, Message: "x"}, -32601},
		{fmt.Errorf("wrapped: %w", &jsonrpc.Error{Code: -32602, Message: "x"}), -32602},
	} {
		var shown *jsonrpc.Error
		if !errors.As(presentable(tt.err), &shown) || shown.Code != tt.code || shown.Message != tt.err.Error() {
			t.Errorf("%v becomes %+v", tt.err, shown)
		}
	}
}

// expectEnd waits for the session to end without another answer.
func (c *conversation) expectEnd(within time.Duration) {
	c.t.Helper()
	select {
	case err := <-c.ended:
		if err != nil {
			c.t.Errorf("the session ended with %v", err)
		}
	case <-time.After(within):
		c.t.Fatalf("the server is still there after %s", within)
	}
	if line, ok := <-c.answers; ok {
		c.t.Errorf("unexpected answer: %s", line)
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"x","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"x"}}`, `[]`, `{`, `null`, "\xff", `{"jsonrpc":"2.0","id":1e999,"method":"x"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, fault := parse(line)
		if (m == nil) == (fault == nil) {
			t.Errorf("message %v, fault %v", m, fault)
		}
		if request, ok := m.(*jsonrpc.Request); ok {
			cancelledID(request)
			if _, err := jsonrpc.EncodeMessage(request); err != nil {
				t.Errorf("what was read cannot be written: %v", err)
			}
		}
	})
}
