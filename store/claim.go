package store

import (
	"cmp"
	"slices"

	"dev.lithos/core"
)

// claimColumns are what claim reads of a row c of claims, from column i.
const claimColumns = "c.agent, c.aspect, c.claimed_at, c.expires_at"

func (r *row) claim(i int) core.Claim {
	return core.Claim{Agent: r.text(i), Aspect: r.text(i + 1), ClaimedAt: r.stamp(i + 2), ExpiresAt: r.stamp(i + 3)}
}

// Claims implements [core.ReadTx].
func (t *tx) Claims(keys []core.TaskKey, now core.Stamp) (map[core.TaskKey][]core.Claim, error) {
	claims := map[core.TaskKey][]core.Claim{}
	if len(keys) == 0 {
		return claims, nil
	}
	type placed struct {
		n     int64
		key   core.TaskKey
		claim core.Claim
	}
	var found []placed
	scan := func(r *row) error {
		found = append(found, placed{r.int(0), r.key(1), r.claim(2)})
		return nil
	}
	var err error
	if len(keys) == 1 {
		err = t.eachShort("SELECT c.n, c.task_seq, "+claimColumns+" FROM claims c WHERE c.task_seq = ? AND c.expires_at > ?", scan, keys[0], now)
	} else {
		err = t.eachShort("SELECT c.n, c.task_seq, "+claimColumns+" FROM "+keySource+
			" CROSS JOIN claims c ON c.task_seq = j.value WHERE c.expires_at > ?", scan, keyList(keys), now)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b placed) int { return cmp.Compare(a.n, b.n) })
	found = slices.CompactFunc(found, func(a, b placed) bool { return a.n == b.n }) // keys given twice
	for _, p := range found {
		claims[p.key] = append(claims[p.key], p.claim)
	}
	return claims, nil
}

// Claim implements [core.ReadTx].
func (t *tx) Claim(key core.TaskKey, aspect string) (claim core.Claim, found bool, err error) {
	found, err = t.one("SELECT "+claimColumns+" FROM claims c WHERE c.task_seq = ? AND c.aspect = ?",
		func(r *row) { claim = r.claim(0) }, key, aspect)
	return claim, found, err
}

// EachClaim implements [core.ReadTx]. A row's place is that of the first
// claim of its aspect, which later holders keep.
func (t *tx) EachClaim(yield func(taskID string, c core.Claim) error) error {
	return t.each("SELECT t.id, "+claimColumns+" FROM claims c CROSS JOIN tasks t ON t.seq = c.task_seq ORDER BY c.n", func(r *row) error {
		id, claim := r.text(0), r.claim(1)
		if !r.judge("a claim on the task", id, (&core.TransferRecord{Kind: core.TransferClaim, Claim: claim, TaskID: id}).Fault()) {
			return errStop
		}
		return yield(id, claim)
	})
}

const insertClaim = "INSERT INTO claims (task_seq, aspect, agent, claimed_at, expires_at) VALUES (?, ?, ?, ?, ?)" +
	" ON CONFLICT (task_seq, aspect) DO UPDATE SET agent = excluded.agent, claimed_at = excluded.claimed_at, expires_at = excluded.expires_at WHERE "

// PutClaim implements [core.WriteTx].
func (t *tx) PutClaim(key core.TaskKey, c core.Claim, now core.Stamp) (bool, error) {
	changed, err := t.exec(insertClaim+"claims.agent = excluded.agent OR claims.expires_at <= ?",
		key, c.Aspect, c.Agent, c.ClaimedAt, c.ExpiresAt, now)
	return changed > 0, err
}

// RenewClaim implements [core.WriteTx].
func (t *tx) RenewClaim(key core.TaskKey, c core.Claim, now core.Stamp) (bool, error) {
	changed, err := t.exec("UPDATE claims SET expires_at = ? WHERE task_seq = ? AND aspect = ? AND agent = ? AND expires_at > ?",
		c.ExpiresAt, key, c.Aspect, c.Agent, now)
	return changed > 0, err
}

// ReleaseClaim implements [core.WriteTx].
func (t *tx) ReleaseClaim(key core.TaskKey, agent, aspect string) (bool, error) {
	changed, err := t.exec("DELETE FROM claims WHERE task_seq = ? AND aspect = ? AND agent = ?", key, aspect, agent)
	return changed > 0, err
}

// DropClaims implements [core.WriteTx].
func (t *tx) DropClaims(key core.TaskKey) error {
	return t.run("DELETE FROM claims WHERE task_seq = ?", key)
}
