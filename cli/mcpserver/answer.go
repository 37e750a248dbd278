package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dev.lithos/core"
)

// answer is the result of a tool: one JSON object, as a text block and as
// structured content. It is encoded here because the SDK would escape <, >
// and & in the second, and pass over a long text five times.
type answer struct {
	*mcp.CallToolResult
	text []byte
}

// toolResult is the result of a tool as the SDK handles it. The text comes
// in with [verbatim].
func toolResult(text []byte, isError bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(text), IsError: isError}
}

// verbatim is the middleware that has the answers of tools encoded by answer.
func verbatim(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if called, ok := result.(*mcp.CallToolResult); ok && err == nil {
			if text, ok := called.StructuredContent.(json.RawMessage); ok {
				return &answer{called, text}, nil
			}
		}
		return result, err
	}
}

// MarshalJSON returns the result: what the protocol's version puts beside the
// content, and the content.
func (a *answer) MarshalJSON() ([]byte, error) {
	bare := *a.CallToolResult
	bare.Content, bare.StructuredContent = nil, nil
	rest, err := bare.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(rest, &members); err != nil {
		return nil, err
	}
	dst := append([]byte(nil), `{"content":[{"type":"text","text":`...)
	dst = core.AppendJSONString(dst, string(a.text))
	dst = append(dst, `}],"structuredContent":`...)
	dst = append(dst, a.text...)
	for _, name := range []string{"isError", "_meta", "resultType"} {
		if value, ok := members[name]; ok {
			dst = append(dst, `,"`+name+`":`...)
			dst = append(dst, value...)
		}
	}
	return append(dst, '}'), nil
}
