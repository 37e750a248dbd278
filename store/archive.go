package store

import "dev.lithos/core"

// CountEvents implements [core.ReadTx].
func (t *tx) CountEvents() (int64, error) { return t.number("SELECT count(*) FROM events") }

// ArchiveEvents implements [core.WriteTx]. The columns of both tables are the
// same, in the same order.
func (t *tx) ArchiveEvents(before core.Stamp, most int) (moved int, err error) {
	var through int64
	err = t.each("SELECT seq, timestamp FROM events NOT INDEXED WHERE seq < (SELECT max(seq) FROM events) ORDER BY seq LIMIT ?", func(r *row) error {
		if r.stamp(1) >= before {
			return errStop
		}
		through = r.int(0)
		moved++
		return nil
	}, most)
	if err != nil || moved == 0 {
		return 0, err
	}
	for _, sql := range []string{
		"INSERT INTO events_archive (" + archivedColumns + ") SELECT " + archivedColumns + " FROM events WHERE seq <= ? ORDER BY seq",
		"DELETE FROM events WHERE seq <= ?",
	} {
		if err := t.run(sql, through); err != nil {
			return 0, err
		}
	}
	return moved, nil
}

// archivedColumns are all columns of the feed and of the archive.
const archivedColumns = "seq, id, type, timestamp, agent, task_seq, other_seq, tags, payload"
