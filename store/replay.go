package store

import (
	"encoding/json"

	"dev.lithos/core"
)

// Replay implements [core.ReadTx].
func (t *tx) Replay(agent, requestID string) (r core.Replay, found bool, err error) {
	found, err = t.one("SELECT tool, arguments, result FROM requests WHERE agent = ? AND request_id = ?", func(row *row) {
		r = core.Replay{Tool: row.text(0), Arguments: row.text(1), Result: json.RawMessage(row.text(2))}
	}, agent, requestID)
	return r, found, err
}

// PutReplay implements [core.WriteTx].
func (t *tx) PutReplay(agent, requestID string, r core.Replay) error {
	return t.run("INSERT INTO requests (agent, request_id, tool, arguments, result) VALUES (?, ?, ?, ?, ?)",
		agent, requestID, r.Tool, r.Arguments, r.Result)
}
