package graph

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"dev.lithos/core"
)

// findingEvery, claimEvery and eventEvery tasks there is a finding, an open
// task that is claimed, and an event.
const (
	findingEvery = 20
	claimEvery   = 200
	eventEvery   = 5
)

// agentRecord is the n-th agent.
func agentRecord(n int) core.Agent {
	return core.Agent{ID: agent(n), FirstSeenAt: begin, LastSeenAt: begin.Add(time.Duration(n) * time.Hour), Metadata: "{}"}
}

// finding is the finding of a task, if it has one.
func (g *Graph) finding(i int) (f core.Finding, has bool) {
	if i%findingEvery != 3 {
		return f, false
	}
	r := g.about(i, forFinding)
	return core.Finding{ID: identifier(r), Agent: agent(i), Summary: paragraphs(r), CreatedAt: g.CreatedAt(i).Add(time.Hour)}, true
}

// forFinding is a purpose of random numbers.
const forFinding = forEdges + 1

// claim is the claim on a task, if it has one; it does not expire.
func (g *Graph) claim(i int) (c core.Claim, has bool) {
	if i < g.rest || i%claimEvery != 2 || g.Type(i) != core.TypeTask {
		return c, false
	}
	return core.Claim{Agent: agent(i), Aspect: core.DefaultAspect, ClaimedAt: g.CreatedAt(i), ExpiresAt: never}, true
}

// Fill writes the graph, with agents, claims and findings, into an empty store
// in one transaction, by the way that imports take, and events after it.
func (g *Graph) Fill(ctx context.Context, s core.Store) error {
	keys := make([]core.TaskKey, g.Tasks)
	return s.Write(ctx, func(tx core.WriteTx) error {
		err := tx.Load(func(l core.Loader) error { return g.load(l, keys) })
		if err != nil {
			return err
		}
		return g.addEvents(tx, func(i int) core.TaskKey { return keys[i] })
	})
}

func (g *Graph) load(l core.Loader, keys []core.TaskKey) error {
	for n := range agents {
		if _, err := l.PutAgent(agentRecord(n)); err != nil {
			return err
		}
	}
	for i := range keys {
		t := g.Task(i)
		var err error
		if keys[i], err = l.InsertTask(t, core.FacetsOf(t.Type, t.Metadata)); err != nil {
			return err
		}
	}
	err := g.EachEdge(func(e Edge) error {
		_, err := l.PutEdge(core.Edge{
			From: keys[e.From], To: keys[e.To], Type: e.Type, Metadata: "{}", CreatedBy: agent(e.To), CreatedAt: g.CreatedAt(e.To),
		})
		return err
	})
	if err != nil {
		return err
	}
	for i, key := range keys {
		if c, has := g.claim(i); has {
			if _, err := l.PutClaim(key, c); err != nil {
				return err
			}
		}
		if f, has := g.finding(i); has {
			if _, err := l.InsertFinding(key, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// AddEvents writes the events that a store would have of the graph, which an
// import does not bring: one in eventEvery, so that large graphs stay handy.
// The tasks must have come in their order into an empty store.
func (g *Graph) AddEvents(ctx context.Context, s core.Store) error {
	return s.Write(ctx, func(tx core.WriteTx) error {
		return g.addEvents(tx, func(i int) core.TaskKey { return core.TaskKey(i + 1) })
	})
}

func (g *Graph) addEvents(tx core.WriteTx, key func(int) core.TaskKey) error {
	for i := 0; i < g.Tasks; i += eventEvery {
		id := g.ID(i)
		_, err := tx.AppendEvent(core.Event{
			ID: id[:24] + fmt.Sprintf("%012x", i), Type: core.EventTaskCreated, Timestamp: g.CreatedAt(i), Agent: agent(i),
			Subject: core.Subject{Task: key(i)},
			Payload: fmt.Appendf(nil, `{"task_id":%q,"title":"Made for a benchmark","task_type":%q,"updated_at":"%s","version":1}`,
				id, g.Type(i), g.CreatedAt(i)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteFile writes the graph in the format of 'lithos export'. It returns how
// many records there are.
func (g *Graph) WriteFile(w io.Writer) (records int, err error) {
	out := bufio.NewWriterSize(w, 1<<20)
	line := func(format string, args ...any) {
		records++
		fmt.Fprintf(out, format+"\n", args...)
	}
	line(`{"type":"lithos","format":1}`)
	for n := range agents {
		a := agentRecord(n)
		line(`{"type":"agent","id":%q,"name":null,"agent_type":null,"first_seen_at":"%s","last_seen_at":"%s","metadata":{}}`,
			a.ID, a.FirstSeenAt, a.LastSeenAt)
	}
	var text []byte
	for i := range g.Tasks {
		text = g.Task(i).AppendJSON(text[:0])
		line(`{"type":"task",%s`, text[1:])
	}
	ids := make([]string, g.Tasks)
	for i := range ids {
		ids[i] = g.ID(i)
	}
	err = g.EachEdge(func(e Edge) error {
		line(`{"type":"edge","from_task_id":"%s","to_task_id":"%s","edge_type":"%s","metadata":{},"created_by":"%s","created_at":"%s"}`,
			ids[e.From], ids[e.To], e.Type, agent(e.To), g.CreatedAt(e.To))
		return nil
	})
	if err != nil {
		return records, err
	}
	for i, id := range ids {
		if c, has := g.claim(i); has {
			line(`{"type":"claim","task_id":"%s","agent":"%s","aspect":"%s","expires_at":"%s","claimed_at":"%s"}`,
				id, c.Agent, c.Aspect, c.ExpiresAt, c.ClaimedAt)
		}
	}
	for i, id := range ids {
		if f, has := g.finding(i); has {
			line(`{"type":"finding","id":"%s","task_id":"%s","agent":"%s","summary":"%s","knowledge_id":null,"created_at":"%s"}`,
				f.ID, id, f.Agent, f.Summary, f.CreatedAt)
		}
	}
	return records, out.Flush()
}
