package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of the line transport.
const (
	// MaxLineBytes is the longest line that is kept.
	MaxLineBytes = 64 << 20
	// maxOpenCalls is how many calls may be unanswered before the next line
	// is read, so that a client that never reads cannot fill the memory.
	maxOpenCalls = 1_000
	// answerGrace is how long calls may go on after the end of the input,
	// which is when a shell's pipe has ended but its reader waits.
	answerGrace = 300 * time.Millisecond
	// frameGrace is how long the end of the session waits for a frame that is
	// being written.
	frameGrace = 100 * time.Millisecond
	// maxErrorMessage is the longest message of a protocol error, in bytes.
	maxErrorMessage = 500
)

// Lines is the transport over standard input and output: one JSON-RPC message
// a line. The SDK's own ends the session at the first line it cannot read;
// this one answers such a line with an error and reads on.
type Lines struct {
	In  io.Reader
	Out io.Writer
	// Ended is called when the input has ended and the calls in flight have
	// had a moment to be answered; nil: nobody is told.
	Ended func()
	// Log takes what becomes of unusable lines; nil: nobody.
	Log *slog.Logger
}

// Connect implements [mcp.Transport].
func (t *Lines) Connect(context.Context) (mcp.Connection, error) {
	c := &lines{
		out: t.Out, ended: t.Ended, log: t.Log,
		turn:     make(chan struct{}, 1),
		incoming: make(chan jsonrpc.Message),
		closed:   make(chan struct{}),
		settled:  make(chan struct{}, 1),
		open:     map[jsonrpc.ID]bool{},
	}
	if c.log == nil {
		c.log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if c.ended == nil {
		c.ended = func() {}
	}
	go c.readAll(t.In)
	return c, nil
}

// lines is a connection made by Lines.
type lines struct {
	out      io.Writer
	ended    func()
	log      *slog.Logger
	turn     chan struct{} // held by whoever writes a frame
	incoming chan jsonrpc.Message
	closed   chan struct{}
	closing  sync.Once
	settled  chan struct{} // told when a call has been answered

	mu         sync.Mutex
	open       map[jsonrpc.ID]bool // calls being worked on; true: the client cancelled it
	unanswered int                 // calls whose answer has not been written
}

// SessionID implements [mcp.Connection].
func (c *lines) SessionID() string { return "" }

// Close implements [mcp.Connection]. A frame that is being written is given a
// moment to be whole.
func (c *lines) Close() error {
	c.closing.Do(func() {
		close(c.closed)
		select {
		case c.turn <- struct{}{}:
			<-c.turn
		case <-time.After(frameGrace):
		}
	})
	return nil
}

// Read implements [mcp.Connection]. At the end of the input it gives the calls
// in flight a moment to be answered, then reports io.EOF, which cancels them.
func (c *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-c.incoming:
		if ok {
			return m, nil
		}
		c.await(0, time.After(answerGrace))
		c.Close() //nolint:errcheck // never fails
		c.ended()
		return nil, io.EOF
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [mcp.Connection].
func (c *lines) Write(_ context.Context, m jsonrpc.Message) error {
	response, isResponse := m.(*jsonrpc.Response)
	if isResponse {
		defer c.settle()
		// The id is free before the answer is out, since the client may use
		// it again as soon as it has it.
		if c.release(response.ID) {
			return nil // nobody waits for the answer to a cancelled call
		}
		if response.Error != nil {
			response.Error = presentable(response.Error)
		}
	}
	frame, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	return c.writeFrame(frame)
}

// writeFrame writes one line as a whole. It returns early when the connection
// is closed, as a client that stopped reading must not keep the server alive.
func (c *lines) writeFrame(frame []byte) error {
	select {
	case <-c.closed:
		return mcp.ErrConnectionClosed
	default:
	}
	select {
	case c.turn <- struct{}{}:
	case <-c.closed:
		return mcp.ErrConnectionClosed
	}
	written := make(chan error, 1)
	go func() {
		_, err := c.out.Write(append(frame, '\n'))
		<-c.turn
		written <- err
	}()
	select {
	case err := <-written:
		return err
	case <-c.closed:
		return mcp.ErrConnectionClosed
	}
}

// presentable puts an error of the SDK into the form of the protocol: every
// error has a code, and the message neither repeats a whole frame nor speaks
// of the types that the SDK decodes parameters into.
func presentable(err error) error {
	shown := &jsonrpc.Error{Message: err.Error()}
	var coded *jsonrpc.Error
	if errors.As(err, &coded) {
		shown.Code, shown.Data = coded.Code, coded.Data
	}
	if shown.Code == 0 {
		shown.Code = jsonrpc.CodeInvalidRequest
	}
	if before, cause, undecodable := strings.Cut(shown.Message, ": unmarshaling "); undecodable {
		reason := cause[strings.LastIndex(cause, ": ")+1:]
		if strings.Contains(reason, " Go ") {
			reason = " they do not have the form that the method takes"
		}
		shown.Message = before + ":" + reason
	}
	if text := shown.Message; len(text) > maxErrorMessage {
		// The reason stands at the end.
		const half = maxErrorMessage / 2
		shown.Message = strings.ToValidUTF8(text[:half], "") + " … " + strings.ToValidUTF8(text[len(text)-half:], "")
	}
	return shown
}

// readAll passes the messages of the input on until it ends.
func (c *lines) readAll(in io.Reader) {
	defer close(c.incoming)
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, tooLong, err := readLine(r, MaxLineBytes)
		if tooLong {
			c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("The line is longer than %d bytes.", MaxLineBytes))
		} else if len(bytes.TrimSpace(line)) > 0 {
			c.accept(line)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.log.Warn("input cannot be read", "cause", err)
			}
			return
		}
		c.await(maxOpenCalls, nil)
		select {
		case <-c.closed:
			return
		default:
		}
	}
}

// readLine reads up to and with the next line feed. A line of more than limit
// bytes is read to its end and not kept. The last line may lack its feed.
func readLine(r *bufio.Reader, limit int) (line []byte, tooLong bool, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(piece) > limit; tooLong {
			line = nil
		} else {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// accept reads one message and passes it on, or answers that it is none.
func (c *lines) accept(line []byte) {
	m, fault := parse(line)
	if fault == nil {
		fault = c.track(m)
	}
	if fault != nil {
		c.refuse(fault.Code, fault.Message)
		return
	}
	select {
	case c.incoming <- m:
	case <-c.closed:
	}
}

// refuse answers a line that carries no id to answer to.
func (c *lines) refuse(code int64, message string) {
	c.log.Info("line refused", "code", code, "message", message)
	frame := mustEncode(struct {
		Version string        `json:"jsonrpc"`
		ID      *string       `json:"id"`
		Error   jsonrpc.Error `json:"error"`
	}{Version: "2.0", Error: jsonrpc.Error{Code: code, Message: message}})
	if err := c.writeFrame(frame); err != nil {
		c.log.Warn("output cannot be written", "cause", err)
	}
}

// track notes calls that begin and calls that the client gave up.
func (c *lines) track(m jsonrpc.Message) *jsonrpc.Error {
	request, ok := m.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if request.IsCall() {
		if _, open := c.open[request.ID]; open {
			return invalidRequest("The id of the request is that of a call in progress.")
		}
		c.open[request.ID] = false
		c.unanswered++
		return nil
	}
	if id, ok := cancelledID(request); ok {
		if _, open := c.open[id]; open {
			c.open[id] = true
		}
	}
	return nil
}

// release frees the id of a call and reports whether the call was cancelled.
func (c *lines) release(id jsonrpc.ID) (cancelled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancelled = c.open[id]
	delete(c.open, id)
	return cancelled
}

// settle counts a call as answered.
func (c *lines) settle() {
	c.mu.Lock()
	c.unanswered--
	c.mu.Unlock()
	select {
	case c.settled <- struct{}{}:
	default:
	}
}

// await returns once at most n calls are unanswered, or when the time is up
// or the connection closed.
func (c *lines) await(n int, timeUp <-chan time.Time) {
	for {
		c.mu.Lock()
		unanswered := c.unanswered
		c.mu.Unlock()
		if unanswered <= n {
			return
		}
		select {
		case <-c.settled:
		case <-timeUp:
			return
		case <-c.closed:
			return
		}
	}
}
