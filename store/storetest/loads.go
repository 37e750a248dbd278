package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"dev.lithos/core"
)

func testLoad(t *testing.T, e Engine) {
	s := e.Create(t)
	keys := insert(t, s, plain("old", at(0)), plain("held", at(1)))
	connect(t, s, keys, link{"old", core.EdgeBlocks, "held"})
	name := "Mo"
	agent := core.Agent{ID: "mo", Name: &name, FirstSeenAt: at(1), LastSeenAt: at(2), Metadata: "{}"}
	finding := core.Finding{ID: "f", Agent: "mo", Summary: "s", CreatedAt: at(3)}
	claim := core.Claim{Agent: "mo", Aspect: "work", ClaimedAt: at(1), ExpiresAt: at(2)}
	for _, again := range []bool{false, true} {
		write(t, s, func(tx core.WriteTx) error {
			return tx.Load(func(l core.Loader) error {
				if !again {
					var err error
					if keys["new"], err = l.InsertTask(plain("new", at(5)), facets(plain("new", at(5)))); err != nil {
						return err
					}
					gate := timer("gate", at(6), at(10))
					if keys["gate"], err = l.InsertTask(gate, facets(gate)); err != nil {
						return err
					}
				}
				// What was loaded is seen by reads within the load.
				if head, found, err := tx.TaskByID("new"); err != nil || !found || head.Key != keys["new"] {
					return fmt.Errorf("the loaded task is not seen: %v, %w", found, err)
				}
				old := plain("old", at(0))
				resolved := at(7)
				old.Key, old.Status, old.ResolvedAt, old.Version, old.Title = keys["old"], core.StatusCompleted, &resolved, 9, "Replaced"
				if err := l.ReplaceTask(old, facets(old)); err != nil {
					return err
				}
				first := edge(keys, link{"new", core.EdgeBlocks, "held"}, at(8))
				for _, step := range []struct {
					name string
					do   func() (bool, error)
				}{
					{"edge", func() (bool, error) { return l.PutEdge(first) }},
					{"second edge", func() (bool, error) { return l.PutEdge(edge(keys, link{"gate", core.EdgeWaitsOnGate, "new"}, at(8))) }},
					{"claim", func() (bool, error) { return l.PutClaim(keys["new"], claim) }},
					{"finding", func() (bool, error) { return l.InsertFinding(keys["new"], finding) }},
					{"agent", func() (bool, error) { return l.PutAgent(agent) }},
				} {
					changed, err := step.do()
					if err != nil {
						return err
					}
					equal(t, fmt.Sprintf("%s changed, again %v", step.name, again), changed, !again)
				}
				return nil
			})
		})
		read(t, s, func(tx core.ReadTx) error {
			equal(t, "ready before the timer", frontier(t, tx, core.FrontierQuery{Now: at(9)}), []string{})
			equal(t, "ready after it", frontier(t, tx, core.FrontierQuery{Now: at(10)}), []string{"new"})
			equal(t, "blocked", frontier(t, tx, core.FrontierQuery{Now: at(10), Half: core.Blocked}), []string{"held"})
			rings, err := tx.MayHaveRings()
			equal(t, "rings", rings, false)
			return err
		})
		check(t, e, s)
	}
	write(t, s, func(tx core.WriteTx) error {
		return tx.Load(func(l core.Loader) error {
			changed := edge(keys, link{"new", core.EdgeBlocks, "held"}, at(8))
			changed.CreatedBy = "somebody else"
			longer := claim
			longer.ExpiresAt = at(99)
			renamed := agent
			renamed.LastSeenAt = at(50)
			for name, do := range map[string]func() (bool, error){
				"edge":  func() (bool, error) { return l.PutEdge(changed) },
				"claim": func() (bool, error) { return l.PutClaim(keys["new"], longer) },
				"agent": func() (bool, error) { return l.PutAgent(renamed) },
			} {
				overwritten, err := do()
				if err != nil {
					return err
				}
				equal(t, name+" overwritten", overwritten, true)
			}
			return nil
		})
	})
	read(t, s, func(tx core.ReadTx) error {
		found, _, err := tx.FindEdge(keys["new"], keys["held"], core.EdgeBlocks)
		equal(t, "the overwritten edge", fmt.Sprintf("%s %s", found.CreatedBy, found.CreatedAt), "somebody else "+at(8).String())
		return err
	})
	// A load that fails leaves nothing.
	refused := errors.New("refused")
	err := s.Write(context.Background(), func(tx core.WriteTx) error {
		return tx.Load(func(l core.Loader) error {
			if _, err := l.InsertTask(plain("half", at(9)), core.Facets{}); err != nil {
				return err
			}
			return refused
		})
	})
	if err != refused { //nolint:errorlint // the very same error is promised
		t.Errorf("the error of a load came back as %v", err)
	}
	read(t, s, func(tx core.ReadTx) error {
		_, found, err := tx.TaskByID("half")
		equal(t, "left over from the failed load", found, false)
		return err
	})
	check(t, e, s)
}

func testRings(t *testing.T, e Engine) {
	for _, test := range []struct {
		name  string
		links []link
		want  bool
	}{
		{"no edges", nil, false},
		{"forward", []link{{"a", core.EdgeBlocks, "b"}, {"b", core.EdgeBlocks, "c"}}, false},
		{"backward without a ring", []link{{"c", core.EdgeBlocks, "b"}, {"b", core.EdgeBlocks, "a"}, {"c", core.EdgeBlocks, "a"}}, false},
		{"a ring", []link{{"a", core.EdgeBlocks, "b"}, {"b", core.EdgeWaitsOnGate, "c"}, {"c", core.EdgeBlocks, "a"}}, true},
		{"a ring beside others", []link{{"a", core.EdgeBlocks, "d"}, {"d", core.EdgeBlocks, "a"}, {"b", core.EdgeBlocks, "c"}}, true},
		{"hierarchy is another matter", []link{{"a", core.EdgeBlocks, "b"}, {"b", core.EdgeParentChild, "a"}, {"b", core.EdgeDiscoveredFrom, "a"}}, false},
		{"its own blocker", []link{{"b", core.EdgeBlocks, "b"}}, true},
	} {
		s := e.Create(t)
		keys := map[string]core.TaskKey{}
		write(t, s, func(tx core.WriteTx) error {
			return tx.Load(func(l core.Loader) error {
				for i, id := range []string{"a", "b", "c", "d"} {
					task := plain(id, at(i))
					if id == "d" {
						task.Status = core.StatusCompleted
					}
					var err error
					if keys[id], err = l.InsertTask(task, facets(task)); err != nil {
						return err
					}
				}
				for _, one := range test.links {
					if _, err := l.PutEdge(edge(keys, one, start)); err != nil {
						return err
					}
				}
				return nil
			})
		})
		read(t, s, func(tx core.ReadTx) error {
			rings, err := tx.MayHaveRings()
			equal(t, test.name, rings, test.want)
			return err
		})
		check(t, e, s)
	}
}

func testExport(t *testing.T, e Engine) {
	s := e.Create(t)
	keys := insert(t, s, plain("b", at(1)), plain("a", at(1)), plain("c", at(0)))
	write(t, s, func(tx core.WriteTx) error {
		for i, l := range []link{{"b", core.EdgeBlocks, "a"}, {"c", core.EdgeParentChild, "b"}, {"c", core.EdgeBlocks, "a"}} {
			if err := tx.PutEdge(edge(keys, l, at(9-i))); err != nil {
				return err
			}
		}
		for i, claim := range []core.Claim{
			{Agent: "x", Aspect: "one", ClaimedAt: at(5), ExpiresAt: at(6)}, {Agent: "y", Aspect: "two", ClaimedAt: at(1), ExpiresAt: at(2)},
			{Agent: "z", Aspect: "one", ClaimedAt: at(8), ExpiresAt: at(9)},
		} {
			if won, err := tx.PutClaim(keys["a"], claim, at(7)); err != nil || !won {
				return fmt.Errorf("claim %d: %v, %w", i, won, err)
			}
		}
		for _, f := range []core.Finding{{ID: "f2", CreatedAt: at(2)}, {ID: "f1", CreatedAt: at(1)}, {ID: "f0", CreatedAt: at(2)}} {
			if err := tx.InsertFinding(keys["b"], f); err != nil {
				return err
			}
		}
		for _, a := range []core.Agent{{ID: "z", FirstSeenAt: at(1)}, {ID: "y", FirstSeenAt: at(2)}, {ID: "x", FirstSeenAt: at(2)}} {
			if err := tx.PutAgent(a); err != nil {
				return err
			}
		}
		return nil
	})
	read(t, s, func(tx core.ReadTx) error {
		var told []string
		tell := func(format string, args ...any) error {
			told = append(told, fmt.Sprintf(format, args...))
			return nil
		}
		for _, each := range []func() error{
			func() error { return tx.EachAgent(func(a core.Agent) error { return tell("agent %s", a.ID) }) },
			func() error {
				return tx.EachTaskByAge(core.TaskQuery{}, func(task core.Task) error { return tell("task %s", task.ID) })
			},
			func() error {
				return tx.EachEdge(func(e core.Edge) error {
					equal(t, "keys of an edge", fmt.Sprint(e.From, e.To), fmt.Sprint(keys[e.FromID], keys[e.ToID]))
					return tell("edge %s %s %s", e.FromID, e.Type, e.ToID)
				})
			},
			func() error {
				return tx.EachClaim(func(id string, c core.Claim) error { return tell("claim %s %s %s", id, c.Agent, c.Aspect) })
			},
			func() error {
				return tx.EachFinding(func(id string, f core.Finding) error { return tell("finding %s %s", id, f.ID) })
			},
		} {
			if err := each(); err != nil {
				return err
			}
		}
		equal(t, "export", told, []string{
			"agent z", "agent x", "agent y", "task c", "task a", "task b",
			"edge b blocks a", "edge c parent_child b", "edge c blocks a",
			"claim a z one", "claim a y two", "finding b f1", "finding b f2", "finding b f0",
		})
		stop := errors.New("enough")
		for name, err := range map[string]error{
			"agents":   tx.EachAgent(func(core.Agent) error { return stop }),
			"edges":    tx.EachEdge(func(core.Edge) error { return stop }),
			"claims":   tx.EachClaim(func(string, core.Claim) error { return stop }),
			"findings": tx.EachFinding(func(string, core.Finding) error { return stop }),
		} {
			if err != stop { //nolint:errorlint // the very same error is promised
				t.Errorf("the error that ended %s came back as %v", name, err)
			}
		}
		return nil
	})
}

func testWatch(t *testing.T, e Engine) {
	s := e.Create(t)
	counter, err := s.Watch(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var values []int64
	value := func() int64 {
		v, err := counter.Value()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	values = append(values, value())
	for i := range 3 {
		insert(t, s, plain(fmt.Sprintf("task-%d", i), at(i)))
		values = append(values, value())
	}
	if unchanged := value(); unchanged != values[3] {
		t.Errorf("the counter went from %d to %d although nothing was committed", values[3], unchanged)
	}
	slices.Sort(values)
	if distinct := slices.Compact(values); len(distinct) != 4 {
		t.Errorf("the counter had the values %v over three commits", values)
	}
	if err := counter.Close(); err != nil {
		t.Error(err)
	}
}
