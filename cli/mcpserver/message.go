package mcpserver

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// parse reads one line as a JSON-RPC message. Parameters stay the bytes they
// are. The fault is the error to answer with.
func parse(line []byte) (jsonrpc.Message, *jsonrpc.Error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "The line is not JSON."}
		}
	}
	if members == nil {
		return nil, invalidRequest("The line is no JSON-RPC message: it must be one object.")
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		return nil, invalidRequest(`The message is no JSON-RPC 2.0: "jsonrpc" must be "2.0".`)
	}
	method, isRequest := members["method"]
	if !isRequest {
		return parseResponse(line, members)
	}
	request := &jsonrpc.Request{Params: members["params"]}
	if err := json.Unmarshal(method, &request.Method); err != nil || string(method) == "null" {
		return nil, invalidRequest("The method of the request must be a string.")
	}
	if raw, given := members["id"]; given {
		id, ok := parseID(raw)
		if !ok {
			return nil, invalidRequest("The id of the request must be a string or an integer.")
		}
		request.ID = id
	}
	return request, nil
}

// parseResponse reads an answer of the client's. The server asks nothing, so
// none is expected, but the SDK knows what to do with one.
func parseResponse(line []byte, members map[string]json.RawMessage) (jsonrpc.Message, *jsonrpc.Error) {
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil || members["result"] == nil && members["error"] == nil {
		return nil, invalidRequest("The message is neither a request nor a response.")
	}
	return m, nil
}

// largestID is the largest integer that an id can have, either side of zero:
// the SDK holds ids as floats, and must hand them back unchanged.
const largestID = 1 << 53

// parseID reads the id of a request: a string or an integer.
func parseID(raw json.RawMessage) (jsonrpc.ID, bool) {
	var value any
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return jsonrpc.ID{}, false
		}
		value = s
	} else {
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil || n > largestID || n < -largestID {
			return jsonrpc.ID{}, false
		}
		value = float64(n)
	}
	id, err := jsonrpc.MakeID(value)
	return id, err == nil
}

// cancelledID is the id of the call that a notification cancels.
func cancelledID(notification *jsonrpc.Request) (jsonrpc.ID, bool) {
	if notification.Method != "notifications/cancelled" {
		return jsonrpc.ID{}, false
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(notification.Params, &params) != nil || len(params.RequestID) == 0 {
		return jsonrpc.ID{}, false
	}
	return parseID(params.RequestID)
}

func invalidRequest(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: message}
}
