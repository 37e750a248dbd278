package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dev.lithos/core"
)

func TestCall_envelopes(t *testing.T) {
	failing := func(err error) fakeStore {
		return fakeStore{read: func(context.Context) error { return err }, write: func(context.Context) error { return err }}
	}
	for _, tt := range []struct {
		name            string
		service         func(context.Context) (*core.Service, error)
		tool, arguments string
		want            string // the envelope without its message
		isError         bool
	}{
		{
			name:    "an ordinary failure is an ordinary result",
			service: serving(failing(core.NewError(core.CodeTaskNotFound, "m", core.Extra{Name: "field", Value: "task_id"}))),
			tool:    "lithos_task_get", arguments: `{"task_id":"abcdef"}`,
			want: `{"status":"error","code":"task_not_found","field":"task_id"}`,
		},
		{
			name:    "a value that cannot be used is an ordinary failure",
			service: serving(failing(nil)),
			tool:    "lithos_task_ready", arguments: `{"limit":0}`,
			want: `{"status":"error","code":"invalid_input","reason":"invalid_field_value","field":"limit","value":0}`,
		},
		{
			name:    "an unknown argument is a misfit",
			service: serving(failing(nil)),
			tool:    "lithos_task_get", arguments: `{"task":"abcdef"}`,
			want:    `{"status":"error","code":"invalid_input","reason":"unknown_field","field":"task","allowed":["task_id"]}`,
			isError: true,
		},
		{
			name:    "a missing argument is a misfit",
			service: serving(failing(nil)),
			tool:    "lithos_task_get", arguments: `{}`,
			want:    `{"status":"error","code":"invalid_input","reason":"missing_field","field":"task_id"}`,
			isError: true,
		},
		{
			name:    "null for a required argument is a missing one",
			service: serving(failing(nil)),
			tool:    "lithos_task_get", arguments: `{"task_id":null}`,
			want:    `{"status":"error","code":"invalid_input","reason":"missing_field","field":"task_id"}`,
			isError: true,
		},
		{
			name:    "nothing is coerced",
			service: serving(failing(nil)),
			tool:    "lithos_task_ready", arguments: `{"limit":"5"}`,
			want:    `{"status":"error","code":"invalid_input","reason":"invalid_field_value","field":"limit","value":"5"}`,
			isError: true,
		},
		{
			name:    "half a surrogate pair is unreadable",
			service: serving(failing(nil)),
			tool:    "lithos_task_get", arguments: `{"task_id":"\ud800"}`,
			want:    `{"status":"error","code":"invalid_input","reason":"malformed"}`,
			isError: true,
		},
		{
			name:    "invalid UTF-8 is unreadable",
			service: serving(failing(nil)),
			tool:    "lithos_task_get", arguments: "{\"task_id\":\"abc\xff\"}",
			want:    `{"status":"error","code":"invalid_input","reason":"malformed"}`,
			isError: true,
		},
		{
			name:    "NUL is unreadable",
			service: serving(failing(nil)),
			tool:    "lithos_task_get", arguments: `{"task_id":"abc\u0000"}`,
			want:    `{"status":"error","code":"invalid_input","reason":"malformed"}`,
			isError: true,
		},
		{
			name: "a store that cannot be opened answers every call",
			service: without(core.NewError(core.CodeStoreUnavailable, "m",
				core.Extra{Name: "path", Value: "/x"}, core.Extra{Name: "reason", Value: "corrupt"})),
			tool: "lithos_stats", arguments: `{}`,
			want: `{"status":"error","code":"store_unavailable","path":"/x","reason":"corrupt"}`,
		},
		{
			name:    "a fault of the program",
			service: serving(failing(errors.New("disk on fire"))),
			tool:    "lithos_stats", arguments: `{}`,
			want:    `{"status":"error","code":"internal_error","crash_file":null}`,
			isError: true,
		},
		{
			name:    "a panic",
			service: func(context.Context) (*core.Service, error) { panic("boom") },
			tool:    "lithos_stats", arguments: `{}`,
			want:    `{"status":"error","code":"internal_error","crash_file":null}`,
			isError: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := converse(t, Options{Service: tt.service})
			a := c.call(tt.tool, tt.arguments)
			if got := withoutMessage(t, a.text()); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if string(a.Result.StructuredContent) != a.text() {
				t.Errorf("structuredContent is %s\nthe text %s", a.Result.StructuredContent, a.text())
			}
			if a.Result.IsError != tt.isError {
				t.Errorf("isError is %v", a.Result.IsError)
			}
			if again := c.call(tt.tool, tt.arguments); again.text() != a.text() {
				t.Errorf("the next call is answered with %s", again.text())
			}
		})
	}
}

// withoutMessage takes the message out of an envelope and fails if it was
// empty.
func withoutMessage(t *testing.T, envelope string) string {
	t.Helper()
	var e struct{ Message string }
	if err := json.Unmarshal([]byte(envelope), &e); err != nil {
		t.Fatal(err)
	}
	if e.Message == "" {
		t.Errorf("no message in %s", envelope)
	}
	encoded := core.AppendJSONString(nil, e.Message)
	return strings.Replace(envelope, `"message":`+string(encoded)+`,`, "", 1)
}

func TestCall_reportsPanics(t *testing.T) {
	var fault any
	var stack string
	path := "/somewhere/report"
	c := converse(t, Options{
		Service: func(context.Context) (*core.Service, error) { panic("boom") },
		Crashed: func(f any, s []byte) *string {
			fault, stack = f, string(s)
			return &path
		},
	})
	if got := c.call("lithos_stats", `{}`).text(); !strings.HasSuffix(got, `"crash_file":"/somewhere/report"}`) {
		t.Errorf("the answer is %s", got)
	}
	if fault != "boom" || !strings.Contains(stack, "TestCall_reportsPanics") {
		t.Errorf("reported were %v and %s", fault, stack)
	}
}

func TestCall_argumentsMayBeLeftOut(t *testing.T) {
	c := converse(t, Options{Service: serving(fakeStore{read: func(context.Context) error { return nil }})})
	for _, params := range []string{
		`{"name":"lithos_stats"}`, `{"name":"lithos_stats","arguments":null}`, `{"name":"lithos_stats","arguments": {} }`,
	} {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)
		if a := c.answer(); a.Error != nil || !strings.HasPrefix(a.text(), `{"documents":0,`) {
			t.Errorf("%s: %+v", params, a)
		}
	}
}

func TestCall_runsManyAtOnce(t *testing.T) {
	const calls = 100
	arrived := make(chan struct{}, calls)
	gate := make(chan struct{})
	c := converse(t, Options{Service: serving(fakeStore{read: func(context.Context) error {
		arrived <- struct{}{}
		<-gate
		return nil
	}})})
	for i := range calls {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"lithos_stats"}}`, i))
	}
	for range calls { // all are inside at the same time
		select {
		case <-arrived:
		case <-time.After(patience):
			t.Fatal("the calls wait for each other")
		}
	}
	close(gate)
	seen := map[string]bool{}
	for range calls {
		seen[string(c.answer().ID)] = true
	}
	if len(seen) != calls {
		t.Errorf("%d calls were answered", len(seen))
	}
}

func TestWithAgent(t *testing.T) {
	s := New(Options{Agent: `m"o`})
	for _, tt := range []struct {
		op        core.Operation
		given, in string
	}{
		{core.TaskCreate, `{"title":"x"}`, `{"title":"x","agent":"m\"o"}`},
		{core.TaskCreate, ` { } `, `{"agent":"m\"o"}`},
		{core.TaskCreate, ``, `{"agent":"m\"o"}`},
		{core.TaskCreate, `null`, `{"agent":"m\"o"}`},
		{core.TaskCreate, `{"agent":null,"title":"x"}`, `{"agent":null,"title":"x","agent":"m\"o"}`},
		{core.TaskCreate, `{"title":"x","agent":"ada"}`, `{"title":"x","agent":"ada"}`},
		{core.TaskCreate, `{"title":"x","agent":""}`, `{"title":"x","agent":""}`},
		{core.TaskCreate, `{"title":"x","agent":7}`, `{"title":"x","agent":7}`},
		{core.TaskCreate, `{"title":1.0,"n":10000000000000000000000001}`, `{"title":1.0,"n":10000000000000000000000001,"agent":"m\"o"}`},
		{core.TaskApply, `{"operations":[]}`, `{"operations":[],"agent":"m\"o"}`},
		{core.TaskCreate, `{"title"`, `{"title"`},
		{core.AgentRegister, `{"id":"x"}`, `{"id":"x"}`},
		// The agent of a read is a filter.
		{core.TaskList, `{}`, `{}`},
		{core.Events, `{}`, `{}`},
		{core.Journal, `{}`, `{}`},
	} {
		if got := string(s.withAgent(tt.op, []byte(tt.given))); got != tt.in {
			t.Errorf("%s %s becomes %s, want %s", tt.op.Name(), tt.given, got, tt.in)
		}
	}
	without := New(Options{})
	if got := string(without.withAgent(core.TaskCreate, []byte(`{}`))); got != `{}` {
		t.Errorf("a server without agent makes %s", got)
	}
}

// Every write takes an actor, unless it names who acts in another way; no read
// does.
func TestTakesActor(t *testing.T) {
	var actorless []string
	for _, op := range core.Operations {
		if !op.ReadOnly() && !op.CommandLineOnly() && !takesActor(op) {
			actorless = append(actorless, op.Name())
		}
		if op.ReadOnly() && takesActor(op) {
			t.Errorf("%s takes an actor", op.Name())
		}
	}
	if diff := cmp.Diff([]string{"agent_register", "edge_upsert", "conflict_resolve"}, actorless); diff != "" {
		t.Errorf("writes without an actor (-want +got):\n%s", diff)
	}
}
