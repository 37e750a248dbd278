package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"dev.lithos/core"
)

// call runs an operation on the arguments as the client wrote them and
// returns the answer: the result or the envelope, as one JSON text. isError is
// set for arguments that do not have the declared shape and for faults of the
// program, not for ordinary failures.
func (s *Server) call(ctx context.Context, op core.Operation, arguments []byte) (text []byte, isError bool) {
	defer func() {
		if fault := recover(); fault != nil {
			text, isError = s.crashed(op, fault, debug.Stack())
		}
	}()
	began := time.Now()
	result, err := s.run(ctx, op, arguments)
	if err == nil {
		text, err = core.EncodeJSON(cut(result, s.options.MaxResultBytes))
	}
	if err != nil {
		text, isError = s.refusal(op, err)
	}
	s.options.Log.Debug("call", "operation", op.Name(), "took", time.Since(began), "bytes", len(text), "error", err)
	return text, isError
}

func (s *Server) run(ctx context.Context, op core.Operation, arguments []byte) (any, error) {
	service, err := s.options.Service(ctx)
	if err != nil {
		return nil, err
	}
	return op.Call(ctx, service, s.withAgent(op, arguments))
}

// refusal is the envelope of an error.
func (s *Server) refusal(op core.Operation, err error) (text []byte, isError bool) {
	envelope := core.AsError(err)
	internal := envelope.Code == core.CodeInternalError
	if internal && !errors.Is(err, context.Canceled) {
		s.options.Log.Error("internal error", "operation", op.Name(), "cause", errors.Unwrap(envelope))
	}
	return envelope.AppendJSON(nil), internal || core.IsMisfit(err)
}

// crashed answers for a call that panicked. The server lives on.
func (s *Server) crashed(op core.Operation, fault any, stack []byte) (text []byte, isError bool) {
	var report *string
	if s.options.Crashed != nil {
		report = s.options.Crashed(fault, stack)
	}
	if report != nil {
		s.options.Log.Error("panic", "operation", op.Name(), "fault", fault, "report", *report)
	} else {
		s.options.Log.Error("panic", "operation", op.Name(), "fault", fault, "stack", string(stack))
	}
	return core.InternalError(fmt.Errorf("panic: %v", fault), report).AppendJSON(nil), true
}

// withAgent adds the server's own agent to the arguments of a write that
// names none. The text is otherwise left as it is, since core judges it.
func (s *Server) withAgent(op core.Operation, arguments []byte) []byte {
	if s.options.Agent == "" || !takesActor(op) {
		return arguments
	}
	var given struct {
		Agent json.RawMessage `json:"agent"`
	}
	arguments = bytes.TrimSpace(arguments)
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = []byte("{}")
	}
	// Text that cannot be read is core's to refuse.
	if json.Unmarshal(arguments, &given) != nil || len(given.Agent) > 0 && string(given.Agent) != "null" {
		return arguments
	}
	member := append([]byte(`"agent":`), core.AppendJSONString(nil, s.options.Agent)...)
	body := bytes.TrimSpace(arguments[1 : len(arguments)-1])
	if len(body) > 0 {
		// Behind the others: of a name given twice the last counts, so this
		// one stands even where "agent": null is among them.
		member = append([]byte{','}, member...)
	}
	filled := make([]byte, 0, len(arguments)+len(member))
	filled = append(filled, '{')
	filled = append(filled, body...)
	filled = append(filled, member...)
	return append(filled, '}')
}

// takesActor reports whether an operation has an agent that acts. The agent
// of a read is a filter.
func takesActor(op core.Operation) bool {
	if op.ReadOnly() {
		return false
	}
	for _, p := range op.Parameters() {
		if p.Name == "agent" {
			return true
		}
	}
	return false
}

// isObject reports whether arguments are an object or were not given.
func isObject(arguments json.RawMessage) bool {
	arguments = bytes.TrimSpace(arguments)
	return len(arguments) == 0 || arguments[0] == '{' || string(arguments) == "null"
}

func invalidParams(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}
