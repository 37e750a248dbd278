package storetest

import (
	"fmt"
	"testing"

	"dev.lithos/core"
)

func testClaims(t *testing.T, e Engine) {
	s := e.Create(t)
	keys := insert(t, s, plain("a", at(0)), plain("b", at(1)))
	lease := func(agent, aspect string, claimed, expires int) core.Claim {
		return core.Claim{Agent: agent, Aspect: aspect, ClaimedAt: at(claimed), ExpiresAt: at(expires)}
	}
	write(t, s, func(tx core.WriteTx) error {
		for _, step := range []struct {
			task  string
			claim core.Claim
			now   int
			want  bool
		}{
			{"a", lease("mo", "work", 0, 10), 0, true},
			{"a", lease("ada", "work", 5, 15), 5, false},
			{"a", lease("mo", "work", 6, 8), 6, true}, // one's own, shortened
			{"a", lease("ada", "review", 6, 60), 6, true},
			{"a", lease("ada", "Work", 6, 60), 6, true}, // aspects are case-sensitive
			{"a", lease("ada", "work", 8, 60), 8, true}, // just expired
			{"b", lease("ada", "work", 8, 60), 8, true},
		} {
			won, err := tx.PutClaim(keys[step.task], step.claim, at(step.now))
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("%s claims %s of %s at %d", step.claim.Agent, step.claim.Aspect, step.task, step.now), won, step.want)
		}
		return nil
	})
	told := func(claims []core.Claim) []string {
		list := []string{}
		for _, c := range claims {
			list = append(list, fmt.Sprintf("%s %s %d-%d", c.Agent, c.Aspect, (c.ClaimedAt-start)/1e6, (c.ExpiresAt-start)/1e6))
		}
		return list
	}
	read(t, s, func(tx core.ReadTx) error {
		claims, err := tx.Claims([]core.TaskKey{keys["b"], keys["a"], keys["a"]}, at(9))
		if err != nil {
			return err
		}
		// A claim that was taken over keeps the place of its row.
		equal(t, "claims", told(claims[keys["a"]]), []string{"ada work 8-60", "ada review 6-60", "ada Work 6-60"})
		equal(t, "claims of the other", told(claims[keys["b"]]), []string{"ada work 8-60"})
		claims, err = tx.Claims([]core.TaskKey{keys["a"]}, at(60))
		equal(t, "expired at that very moment", len(claims[keys["a"]]), 0)
		if err != nil {
			return err
		}
		claim, found, err := tx.Claim(keys["a"], "work")
		equal(t, "one claim", fmt.Sprint(found, told([]core.Claim{claim})), "true [ada work 8-60]")
		if err != nil {
			return err
		}
		_, found, err = tx.Claim(keys["b"], "review")
		equal(t, "no claim", found, false)
		return err
	})
	write(t, s, func(tx core.WriteTx) error {
		for _, step := range []struct {
			name string
			do   func() (bool, error)
			want bool
		}{
			{"renew another's", func() (bool, error) { return tx.RenewClaim(keys["a"], lease("mo", "work", 0, 99), at(9)) }, false},
			{"renew one's own", func() (bool, error) { return tx.RenewClaim(keys["a"], lease("ada", "work", 0, 20), at(9)) }, true},
			{"renew an expired one", func() (bool, error) { return tx.RenewClaim(keys["a"], lease("ada", "work", 0, 99), at(20)) }, false},
			{"release another's", func() (bool, error) { return tx.ReleaseClaim(keys["a"], "mo", "work") }, false},
			{"release an expired one", func() (bool, error) { return tx.ReleaseClaim(keys["a"], "ada", "work") }, true},
			{"release what is gone", func() (bool, error) { return tx.ReleaseClaim(keys["a"], "ada", "work") }, false},
		} {
			got, err := step.do()
			if err != nil {
				return err
			}
			equal(t, step.name, got, step.want)
		}
		if err := tx.DropClaims(keys["a"]); err != nil {
			return err
		}
		claims, err := tx.Claims([]core.TaskKey{keys["a"], keys["b"]}, at(9))
		equal(t, "dropped", fmt.Sprint(len(claims[keys["a"]]), len(claims[keys["b"]])), "0 1")
		return err
	})
}
