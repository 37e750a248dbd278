package store

import (
	"testing"

	"dev.lithos/core"
)

// TestLogAccess_bound holds that the access log gives up its oldest entries, and
// no others.
func TestLogAccess_bound(t *testing.T) {
	s := create(t)
	write(t, s, func(tx *tx) error {
		count := func(where string) int64 {
			n, err := tx.number("SELECT count(*) FROM note_access WHERE " + where)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if err := tx.LogAccess(core.AccessSearch, "ada", epoch, []string{"a", "b", "c"}); err != nil {
			return err
		}
		// As if nearly all that is kept had been added since.
		if err := tx.run("INSERT INTO note_access (n, at, kind, agent, note_id) VALUES (?, ?, 0, 'mo', 'd')", keptAccesses+1, epoch); err != nil {
			return err
		}
		if err := tx.LogAccess(core.AccessRead, "mo", epoch, []string{"e"}); err != nil {
			return err
		}
		if kept := count("agent = 'mo' AND note_id IN ('d', 'e') AND kind = 0"); kept != 2 {
			t.Errorf("%d of the newest entries are kept", kept)
		}
		if old := count("agent = 'ada' AND kind = 1"); old != 1 || count("note_id = 'c'") != 1 {
			t.Errorf("%d of the oldest entries are kept", old)
		}
		return nil
	})
}
