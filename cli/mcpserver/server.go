package mcpserver

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dev.lithos/core"
)

// Instructions tell an agent how to work with the tools; clients show them to
// the model when they connect.
//
//go:embed instructions.txt
var Instructions string

// PasteIn is the text for the instruction file of an agent, in Markdown.
//
//go:embed paste.md
var PasteIn string

// DefaultMaxResultBytes is the limit of answers unless Options set another.
const DefaultMaxResultBytes = 200_000

// closingGrace is how long Run waits for calls to end once it was told to stop.
const closingGrace = 300 * time.Millisecond

// Options are what a Server is made of.
type Options struct {
	// Version is the program's, told to clients.
	Version string
	// Service yields what calls run on. It is asked at every call, from many
	// goroutines, and its error is that call's answer; so a store that cannot
	// be opened or a broken configuration never ends the server. The time a
	// call may take is the service's matter.
	Service func(context.Context) (*core.Service, error)
	// Agent acts where a call names none. Empty: every write must name its
	// agent, and the schemas say so.
	Agent string
	// Tools narrows the tools offered.
	Tools Selection
	// MaxResultBytes bounds answers that can be continued;
	// DefaultMaxResultBytes when 0.
	MaxResultBytes int
	// Log takes what is of interest to whoever runs the server; nil: nobody.
	Log *slog.Logger
	// Crashed writes a report of a panic and returns its path, nil if none
	// could be written. Without it none is written.
	Crashed func(fault any, stack []byte) *string
}

// Server answers agents. It is safe for any number of sessions at once.
type Server struct {
	options Options
	sdk     *mcp.Server
}

// New makes a Server with a tool for every operation selected.
func New(o Options) *Server {
	if o.MaxResultBytes == 0 {
		o.MaxResultBytes = DefaultMaxResultBytes
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	s := &Server{options: o}
	s.sdk = mcp.NewServer(
		&mcp.Implementation{Name: "lithos", Title: "lithos", Version: o.Version},
		&mcp.ServerOptions{
			Instructions: Instructions,
			Logger:       o.Log,
			// The tools never change while the server runs, so no
			// notifications are promised, nor the SDK's default of logging.
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		},
	)
	s.sdk.AddReceivingMiddleware(verbatim)
	for _, op := range core.Operations {
		if o.Tools.includes(op) {
			s.addTool(op)
		}
	}
	return s
}

// Run serves one session until the client ends it or ctx is done. In both
// cases calls in flight are cancelled, and Run returns soon even if they do
// not end. The error is nil unless the connection broke.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error {
	held := &holding{Transport: t}
	session, err := s.sdk.Connect(ctx, held, nil)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		if errors.Is(err, mcp.ErrConnectionClosed) {
			return nil // closed from this side, at the end of the input
		}
		return err
	case <-ctx.Done():
	}
	// The SDK's own way to close waits for calls. Without a connection it
	// cancels them.
	held.connection.Close() //nolint:errcheck // what breaks now was to end anyway
	select {
	case err := <-ended:
		s.options.Log.Debug("stopped", "cause", err)
	case <-time.After(closingGrace):
		s.options.Log.Warn("calls did not end in time")
	}
	return nil
}

// holding is a transport that remembers its connection.
type holding struct {
	mcp.Transport
	connection mcp.Connection
}

// Connect implements [mcp.Transport].
func (h *holding) Connect(ctx context.Context) (mcp.Connection, error) {
	var err error
	h.connection, err = h.Transport.Connect(ctx)
	return h.connection, err
}

// addTool offers an operation as a tool. It is the only way tools come about.
func (s *Server) addTool(op core.Operation) {
	s.sdk.AddTool(toolOf(op, s.options.Agent), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments := req.Params.Arguments
		if !isObject(arguments) {
			return nil, invalidParams("The arguments of a tool must be an object.")
		}
		text, isError := s.call(ctx, op, arguments)
		if err := ctx.Err(); err != nil {
			return nil, err // nobody waits for the answer to a cancelled call
		}
		return toolResult(text, isError), nil
	})
}
