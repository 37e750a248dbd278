package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dev.lithos/cli/mcpserver"
	"dev.lithos/core"
	"dev.lithos/store"
)

// The SDK's own client, over a transport that is not ours and over the real one.
func TestClient(t *testing.T) {
	t.Run("in memory", func(t *testing.T) {
		db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "lithos.db"), Create: true})
		if err != nil {
			t.Fatal(err)
		}
		service := core.New(core.Config{Store: db})
		server := mcpserver.New(mcpserver.Options{
			Version: "test", Service: func(context.Context) (*core.Service, error) { return service, nil },
		})
		here, there := mcp.NewInMemoryTransports()
		ended := make(chan error, 1)
		go func() { ended <- server.Run(t.Context(), there) }()
		useClient(t, here)
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("standard input and output", func(t *testing.T) {
		dir, env := project(t)
		cmd := exec.Command("lithos", "mcp")
		cmd.Dir, cmd.Env = dir, env
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		useClient(t, &mcp.CommandTransport{Command: cmd})
		if !cmd.ProcessState.Success() {
			t.Errorf("the server ended with %v\n%s", cmd.ProcessState, stderr.String())
		}
	})
}

func useClient(t *testing.T, transport mcp.Transport) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	if got := session.InitializeResult().Instructions; got != mcpserver.Instructions {
		t.Errorf("the instructions are %q", got)
	}
	if err := session.Ping(ctx, nil); err != nil && session.InitializeResult().ProtocolVersion < "2026" {
		t.Errorf("ping: %v", err)
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(tools.Tools) < 29 {
		t.Errorf("%d tools", len(tools.Tools))
	}
	call := func(tool string, arguments map[string]any) (*mcp.CallToolResult, map[string]any) {
		t.Helper()
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		text := result.Content[0].(*mcp.TextContent).Text
		var inText map[string]any
		if err := json.Unmarshal([]byte(text), &inText); err != nil {
			t.Fatal(err)
		}
		a, err := json.Marshal(inText)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s: the text says %s, structuredContent %s", tool, a, b)
		}
		return result, inText
	}
	result, made := call("lithos_task_create", map[string]any{"title": "One", "agent": "mo"})
	if result.IsError || made["title"] != "One" {
		t.Fatalf("create answers %v", made)
	}
	result, got := call("lithos_task_get", map[string]any{"task_id": made["task_id"]})
	if task, ok := got["task"].(map[string]any); result.IsError || !ok || task["created_by"] != "mo" {
		t.Errorf("get answers %v", got)
	}
	result, refusal := call("lithos_task_get", map[string]any{"task_id": "unknown-id"})
	if result.IsError || refusal["code"] != "task_not_found" {
		t.Errorf("an unknown id is answered with %v (isError %v)", refusal, result.IsError)
	}
	result, refusal = call("lithos_task_get", map[string]any{"id": "unknown-id"})
	if !result.IsError || refusal["reason"] != "unknown_field" {
		t.Errorf("an unknown argument is answered with %v (isError %v)", refusal, result.IsError)
	}
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("an unknown tool is called")
	}
}
