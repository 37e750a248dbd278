package store

import "dev.lithos/core"

const findingColumns = "f.id, f.agent, f.summary, f.knowledge_id, f.created_at"

func (r *row) finding(i int) core.Finding {
	return core.Finding{
		ID: r.text(i), Agent: r.text(i + 1), Summary: r.text(i + 2), KnowledgeID: r.optionalText(i + 3), CreatedAt: r.stamp(i + 4),
	}
}

// Findings implements [core.ReadTx].
func (t *tx) Findings(key core.TaskKey, since *core.Stamp) ([]core.Finding, error) {
	var f filter
	f.add("f.task_seq = ?", key)
	if since != nil {
		f.add("f.created_at > ?", *since)
	}
	findings := []core.Finding{}
	err := t.each("SELECT "+findingColumns+" FROM findings f INDEXED BY findings_by_task"+f.where()+" ORDER BY f.created_at, f.n", func(r *row) error {
		findings = append(findings, r.finding(0))
		return nil
	}, f.args...)
	return findings, err
}

// EachFinding implements [core.ReadTx]. Only keys are sorted, whole findings
// are read one by one.
func (t *tx) EachFinding(yield func(taskID string, f core.Finding) error) error {
	return t.each("SELECT n FROM findings ORDER BY created_at, n", func(r *row) error {
		var id string
		var finding core.Finding
		found, err := t.one("SELECT t.id, "+findingColumns+" FROM findings f CROSS JOIN tasks t ON t.seq = f.task_seq WHERE f.n = ?",
			func(r *row) {
				id, finding = r.text(0), r.finding(1)
				r.judge("a finding on the task", id, (&core.TransferRecord{Kind: core.TransferFinding, Finding: finding, TaskID: id}).Fault())
			}, r.int(0))
		if err != nil || !found {
			return err
		}
		return yield(id, finding)
	})
}

const insertFinding = "INSERT INTO findings (id, task_seq, created_at, agent, knowledge_id, summary) VALUES (?, ?, ?, ?, ?, ?)"

// InsertFinding implements [core.WriteTx].
func (t *tx) InsertFinding(key core.TaskKey, f core.Finding) error {
	return t.run(insertFinding, f.ID, key, f.CreatedAt, f.Agent, f.KnowledgeID, f.Summary)
}
