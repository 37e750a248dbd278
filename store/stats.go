package store

import "dev.lithos/core"

// Counts implements [core.ReadTx].
func (t *tx) Counts(now core.Stamp) (counts core.Counts, err error) {
	_, err = t.one("SELECT (SELECT count(*) FROM agents), (SELECT count(*) FROM open_tasks),"+
		" (SELECT count(*) FROM claims WHERE expires_at > ?1), (SELECT count(*) FROM claims WHERE expires_at <= ?1)", func(r *row) {
		counts = core.Counts{Agents: r.int(0), OpenTasks: r.int(1), OpenClaims: r.int(2), ExpiredClaims: r.int(3)}
	}, now)
	return counts, err
}
