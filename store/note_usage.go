package store

import (
	"encoding/json"

	"dev.lithos/core"
)

// Receipt implements [core.SearchReader].
func (t *tx) Receipt(id string) (core.Receipt, bool, error) {
	return t.receipt(" WHERE id = ?", id)
}

// LatestReceipt implements [core.SearchReader].
func (t *tx) LatestReceipt(taskID, agent string) (core.Receipt, bool, error) {
	return t.receipt(" WHERE task_id = ? AND agent_id = ? ORDER BY n DESC LIMIT 1", taskID, agent)
}

func (t *tx) receipt(where string, args ...any) (receipt core.Receipt, found bool, err error) {
	found, err = t.one("SELECT id, task_id, agent_id, created_at, query, notes FROM note_receipts"+where, func(r *row) {
		receipt = core.Receipt{ID: r.text(0), TaskID: r.optionalText(1), Agent: r.optionalText(2), CreatedAt: r.stamp(3), Query: r.text(4)}
		if err := json.Unmarshal([]byte(r.text(5)), &receipt.Notes); err != nil {
			r.misfit(5)
		}
	}, args...)
	return receipt, found, err
}

// PutReceipt implements [core.SearchWriter].
func (t *tx) PutReceipt(r core.Receipt) error {
	return t.run("INSERT INTO note_receipts (id, task_id, agent_id, created_at, query, notes) VALUES (?, ?, ?, ?, ?, ?)",
		r.ID, r.TaskID, r.Agent, r.CreatedAt, r.Query, core.MakeTags(r.Notes))
}

const usageColumns = "u.note_id, u.salience, u.read_count, u.retrieval_count, u.cited_count, u.ignored_count, u.misleading_count," +
	" u.last_retrieved_at, u.last_used_at"

// Usage implements [core.SearchReader].
func (t *tx) Usage(ids []string) (map[string]core.NoteUsage, error) {
	usage := make(map[string]core.NoteUsage, len(ids))
	add := func(r *row) {
		u := core.NoteUsage{
			NoteID: r.text(0), Salience: r.real(1), Reads: r.int(2), Retrievals: r.int(3), Cited: r.int(4), Ignored: r.int(5),
			Misleading: r.int(6), LastRetrievedAt: r.optionalStamp(7), LastUsedAt: r.optionalStamp(8),
		}
		usage[u.NoteID] = u
	}
	if len(ids) == 1 {
		_, err := t.one("SELECT "+usageColumns+" FROM note_usage u WHERE u.note_id = ?", add, ids[0])
		return usage, err
	}
	err := t.eachShort("SELECT "+usageColumns+" FROM "+keySource+" CROSS JOIN note_usage u ON u.note_id = j.value", func(r *row) error {
		add(r)
		return nil
	}, core.MakeTags(ids))
	return usage, err
}

// PutUsage implements [core.SearchWriter].
func (t *tx) PutUsage(u core.NoteUsage) error {
	return t.run("INSERT INTO note_usage (note_id, salience, read_count, retrieval_count, cited_count, ignored_count, misleading_count,"+
		" last_retrieved_at, last_used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"+
		" ON CONFLICT (note_id) DO UPDATE SET salience = excluded.salience, read_count = excluded.read_count,"+
		" retrieval_count = excluded.retrieval_count, cited_count = excluded.cited_count, ignored_count = excluded.ignored_count,"+
		" misleading_count = excluded.misleading_count, last_retrieved_at = excluded.last_retrieved_at, last_used_at = excluded.last_used_at",
		u.NoteID, u.Salience, u.Reads, u.Retrievals, u.Cited, u.Ignored, u.Misleading, u.LastRetrievedAt, u.LastUsedAt)
}

// keptAccesses is how many entries of the access log are kept, the newest: some
// 60 MB of them.
const keptAccesses = 1_000_000

// LogAccess implements [core.SearchWriter].
func (t *tx) LogAccess(kind core.Access, agent string, at core.Stamp, ids []string) error {
	for _, id := range ids {
		if err := t.run("INSERT INTO note_access (at, kind, agent, note_id) VALUES (?, ?, ?, ?)", at, int64(kind), agent, id); err != nil {
			return err
		}
	}
	return t.run("DELETE FROM note_access WHERE n <= (SELECT max(n) FROM note_access) - ?", int64(keptAccesses))
}
