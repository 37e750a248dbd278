package store

import "dev.lithos/core"

const agentColumns = "id, name, type, first_seen_at, last_seen_at, metadata"

// agent reads agentColumns that begin at column i.
func (r *row) agent(i int) core.Agent {
	return core.Agent{
		ID: r.text(i), Name: r.optionalText(i + 1), Type: r.optionalText(i + 2),
		FirstSeenAt: r.stamp(i + 3), LastSeenAt: r.stamp(i + 4), Metadata: r.object(i + 5),
	}
}

// Agent implements [core.ReadTx].
func (t *tx) Agent(id string) (agent core.Agent, found bool, err error) {
	found, err = t.one("SELECT "+agentColumns+" FROM agents WHERE id = ?", func(r *row) { agent = r.agent(0) }, id)
	return agent, found, err
}

// Agents implements [core.ReadTx].
func (t *tx) Agents(q core.AgentQuery) ([]core.Agent, error) {
	var f filter
	if q.Type != nil {
		f.add("type = ?", *q.Type)
	}
	if q.ActiveSince != nil {
		f.add("last_seen_at >= ?", *q.ActiveSince)
	}
	agents := []core.Agent{}
	err := t.each("SELECT "+agentColumns+" FROM agents"+f.where()+" ORDER BY last_seen_at DESC, id", func(r *row) error {
		agents = append(agents, r.agent(0))
		return nil
	}, f.args...)
	return agents, err
}

// EachAgent implements [core.ReadTx].
func (t *tx) EachAgent(yield func(core.Agent) error) error {
	return t.each("SELECT "+agentColumns+" FROM agents ORDER BY first_seen_at, id", func(r *row) error {
		agent := r.agent(0)
		if !r.judge("the agent", agent.ID, (&core.TransferRecord{Kind: core.TransferAgent, Agent: agent}).Fault()) {
			return errStop
		}
		return yield(agent)
	})
}

// SeeAgent implements [core.WriteTx].
func (t *tx) SeeAgent(id string, now core.Stamp) (added bool, err error) {
	seen, err := t.exec("UPDATE agents SET last_seen_at = ? WHERE id = ?", now, id)
	if err != nil || seen > 0 {
		return false, err
	}
	return true, t.PutAgent(core.Agent{ID: id, FirstSeenAt: now, LastSeenAt: now})
}

const insertAgent = "INSERT INTO agents (id, name, type, first_seen_at, last_seen_at, metadata) VALUES (?, ?, ?, ?, ?, ?)" +
	" ON CONFLICT (id) DO UPDATE SET name = excluded.name, type = excluded.type, first_seen_at = excluded.first_seen_at," +
	" last_seen_at = excluded.last_seen_at, metadata = excluded.metadata"

// PutAgent implements [core.WriteTx].
func (t *tx) PutAgent(a core.Agent) error {
	return t.run(insertAgent, a.ID, a.Name, a.Type, a.FirstSeenAt, a.LastSeenAt, a.Metadata)
}
