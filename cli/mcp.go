package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"dev.lithos/cli/mcpserver"
	"dev.lithos/core"
)

func mcpCommand() *command {
	return &command{
		name: "mcp", summary: "serve the operations as tools to an agent, over MCP on standard input and output",
		details: "Agents' programs start it; docs/agents.md shows how each is told to. It ends when its input does.\n" +
			"A missing store or a broken configuration does not keep it from starting: each call answers with\n" +
			"the error. Standard output carries the protocol alone, logs go to standard error.\n" +
			"With --agent, or LITHOS_AGENT, calls need not name who acts; the login name is never taken.",
		flags: []flag{
			{name: "tools", value: "PART", words: words(mcpserver.Selections), summary: "offer a part of the tools: tasks, notes or all", fallback: string(mcpserver.AllTools)},
			{name: "max-result-bytes", value: "N", summary: "cut lists that can be continued to this size", fallback: strconv.Itoa(mcpserver.DefaultMaxResultBytes)},
		},
		examples:  []string{"lithos mcp --agent claude", "lithos mcp --tools tasks --read-only"},
		anyConfig: true,
		run:       runMCP,
	}
}

func runMCP(c *call) error {
	tools := mcpserver.AllTools
	if word := c.word("tools"); word != nil {
		tools = mcpserver.Selection(*word)
		if !slices.Contains(mcpserver.Selections, tools) {
			c.refuse(core.InvalidWord("tools", *word, "part of the tools", words(mcpserver.Selections)))
		}
	}
	limit := mcpserver.DefaultMaxResultBytes
	if n := c.integer("max-result-bytes"); n != nil {
		limit = *n
		if limit < 1 {
			c.refuse(core.InvalidValue("max_result_bytes", limit, "--max-result-bytes must be at least 1."))
		}
	}
	if c.invalid != nil {
		return c.invalid
	}
	c.session.creates, c.session.longLived = true, true
	c.session.missing, c.session.gone = missingForAgents, goneForAgents
	found := &serverStore{call: c}
	server := mcpserver.New(mcpserver.Options{
		Version: Version, Service: found.service, Agent: c.globals.agent.text,
		Tools: tools, MaxResultBytes: limit, Log: c.session.log, Crashed: c.session.writeCrash,
	})
	ctx, end := context.WithCancel(c.ctx)
	defer end()
	if tools != mcpserver.TaskTools {
		var following sync.WaitGroup
		defer following.Wait()
		defer end()
		following.Go(func() { found.followNotes(ctx) })
	}
	err := server.Run(ctx, &mcpserver.Lines{In: c.env.Stdin, Out: c.env.Stdout, Ended: end, Log: c.session.log})
	if err != nil {
		return &writeError{err}
	}
	return context.Cause(c.ctx) // nil unless a signal has ended the server
}

// serverStore finds the store of a server's calls.
type serverStore struct {
	call *call

	mu    sync.Mutex
	found *core.Service // once there is a store and the configuration can be read
}

// service returns the operations on the store. As long as there is none, or
// the configuration is in error, both are looked for at every call, so that
// nobody has to start the server again.
func (s *serverStore) service(context.Context) (*core.Service, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found != nil {
		return s.found, nil
	}
	place := locate(s.call.env, s.call.globals)
	config, err := readConfig(s.call.env, s.call.globals, place)
	if err != nil {
		return nil, err
	}
	s.call.session.settle(place, config)
	service := s.call.session.service()
	if place.exists() {
		s.found = service
	}
	return service, nil
}

// notePassEvery is how often a server takes up what people change in the folder
// of notes, so that whoever follows the feed learns of it.
const notePassEvery = 2 * time.Second

// followNotes takes up changes by hand, from the first call that finds a store
// until the context ends.
func (s *serverStore) followNotes(ctx context.Context) {
	ticker := time.NewTicker(notePassEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		s.mu.Lock()
		service := s.found
		s.mu.Unlock()
		if service == nil {
			continue
		}
		if err := service.NotePass(ctx); err != nil && ctx.Err() == nil {
			s.call.session.log.Warn("changes of notes could not be taken up", "error", err)
		}
	}
}

// missingForAgents is the error of a read where there is no store yet. It
// names no command, since an agent has tools only.
func missingForAgents(at location) error {
	return core.NewError(core.CodeStoreUnavailable,
		fmt.Sprintf("There is no store at %s yet. The first change makes it.", at.path),
		core.Extra{Name: "path", Value: at.path}, core.Extra{Name: "reason", Value: "missing"})
}
