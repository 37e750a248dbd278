package storetest

import (
	"fmt"
	"slices"
	"testing"

	"dev.lithos/core"
)

func describe(edges []core.Edge) []string {
	list := []string{}
	for _, e := range edges {
		list = append(list, fmt.Sprintf("%s %s %s %s %s", e.FromID, e.Type, e.ToID, e.Metadata.Text(), e.CreatedBy))
	}
	return list
}

func testEdges(t *testing.T, e Engine) {
	s := e.Create(t)
	keys := insert(t, s, plain("a", at(0)), plain("b", at(1)), plain("c", at(2)), plain("d", at(3)))
	connect(t, s, keys,
		link{"a", core.EdgeParentChild, "d"}, link{"c", core.EdgeBlocks, "d"}, link{"b", core.EdgeBlocks, "d"},
		link{"a", core.EdgeBlocks, "d"}, link{"a", core.EdgeDiscoveredFrom, "d"}, link{"d", core.EdgeDiscoveredFrom, "a"},
		link{"a", core.EdgeBlocks, "c"}, link{"a", core.EdgeBlocks, "b"})
	write(t, s, func(tx core.WriteTx) error {
		again := edge(keys, link{"c", core.EdgeBlocks, "d"}, at(99))
		again.Metadata, again.CreatedBy = `{"note":"x"}`, "somebody else"
		return tx.PutEdge(again)
	})
	read(t, s, func(tx core.ReadTx) error {
		incoming, err := tx.Edges(keys["d"], core.DirectionIncoming, core.EdgeTypes)
		if err != nil {
			return err
		}
		equal(t, "incoming, by type, then insertion", describe(incoming), []string{
			`c blocks d {"note":"x"} ada`, `b blocks d {} ada`, `a blocks d {} ada`, `a discovered_from d {} ada`, `a parent_child d {} ada`,
		})
		equal(t, "an overwritten edge keeps its stamp", incoming[0].CreatedAt, start)
		equal(t, "ends", fmt.Sprint(incoming[0].From, incoming[0].To), fmt.Sprint(keys["c"], keys["d"]))
		outgoing, err := tx.Edges(keys["a"], core.DirectionOutgoing, []core.EdgeType{core.EdgeBlocks, core.EdgeDiscoveredFrom})
		if err != nil {
			return err
		}
		equal(t, "outgoing of some types", describe(outgoing), []string{
			`a blocks d {} ada`, `a blocks c {} ada`, `a blocks b {} ada`, `a discovered_from d {} ada`,
		})
		for _, test := range []struct {
			id    string
			side  core.Direction
			types []core.EdgeType
			want  bool
		}{
			{"a", core.DirectionOutgoing, []core.EdgeType{core.EdgeBlocks}, true},
			{"a", core.DirectionIncoming, []core.EdgeType{core.EdgeBlocks, core.EdgeParentChild}, false},
			{"a", core.DirectionIncoming, core.EdgeTypes, true},
			{"d", core.DirectionOutgoing, []core.EdgeType{core.EdgeWaitsOnGate}, false},
		} {
			has, err := tx.HasEdges(keys[test.id], test.side, test.types)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("%s has %s %v", test.id, test.side, test.types), has, test.want)
		}
		found, ok, err := tx.FindEdge(keys["c"], keys["d"], core.EdgeBlocks)
		equal(t, "found", fmt.Sprint(ok, describe([]core.Edge{found})), "true [c blocks d {\"note\":\"x\"} ada]")
		if _, ok, _ := tx.FindEdge(keys["d"], keys["c"], core.EdgeBlocks); ok {
			t.Error("an edge was found the wrong way round")
		}
		return err
	})
	write(t, s, func(tx core.WriteTx) error {
		for _, want := range []bool{true, false} {
			deleted, err := tx.DeleteEdge(keys["b"], keys["d"], core.EdgeBlocks)
			if err != nil {
				return err
			}
			equal(t, "deleted", deleted, want)
		}
		left, err := tx.Edges(keys["d"], core.DirectionIncoming, []core.EdgeType{core.EdgeBlocks})
		equal(t, "left", len(left), 2)
		return err
	})
	check(t, e, s)
}

func testHierarchy(t *testing.T, e Engine) {
	s := e.Create(t)
	keys := insert(t, s, plain("root", at(0)), plain("z", at(1)), plain("y", at(1)), plain("old", at(-5)), plain("leaf", at(2)))
	connect(t, s, keys, link{"root", core.EdgeParentChild, "z"}, link{"root", core.EdgeParentChild, "y"},
		link{"root", core.EdgeParentChild, "old"}, link{"z", core.EdgeParentChild, "leaf"}, link{"root", core.EdgeBlocks, "leaf"})
	setStatus(t, s, keys["y"], core.StatusCompleted, at(10))
	read(t, s, func(tx core.ReadTx) error {
		children, err := tx.Children(keys["root"])
		equal(t, "children", ids(children), []string{"old", "y", "z"})
		if err != nil {
			return err
		}
		parent, found, err := tx.Parent(keys["leaf"])
		equal(t, "parent", fmt.Sprint(found, " ", parent.ID), "true z")
		if err != nil {
			return err
		}
		_, found, err = tx.Parent(keys["root"])
		equal(t, "the root's parent", found, false)
		return err
	})
}

func pairNames(keys map[string]core.TaskKey, pairs [][2]core.TaskKey) []string {
	names := map[core.TaskKey]string{}
	for id, key := range keys {
		names[key] = id
	}
	list := []string{}
	for _, pair := range pairs {
		list = append(list, names[pair[0]]+names[pair[1]])
	}
	slices.Sort(list)
	return list
}

func testWalks(t *testing.T, e Engine) {
	s := e.Create(t)
	keys := insert(t, s, plain("a", at(0)), plain("b", at(1)), plain("c", at(2)), plain("d", at(3)), plain("e", at(4)))
	connect(t, s, keys, link{"a", core.EdgeBlocks, "b"}, link{"b", core.EdgeBlocks, "c"}, link{"c", core.EdgeBlocks, "b"},
		link{"c", core.EdgeDiscoveredFrom, "d"}, link{"a", core.EdgeBlocks, "e"}, link{"e", core.EdgeParentChild, "c"})
	blocks := []core.EdgeType{core.EdgeBlocks}
	setStatus(t, s, keys["c"], core.StatusCompleted, at(10))
	read(t, s, func(tx core.ReadTx) error {
		for _, test := range []struct {
			from, to string
			types    []core.EdgeType
			want     bool
		}{
			{"a", "c", blocks, true}, {"c", "a", blocks, false}, {"a", "d", blocks, false}, {"a", "d", core.EdgeTypes, true},
			{"e", "b", blocks, false}, {"e", "b", []core.EdgeType{core.EdgeParentChild, core.EdgeBlocks}, true},
		} {
			reached, err := tx.Reaches([]core.TaskKey{keys[test.from]}, keys[test.to], test.types)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("%s reaches %s over %v", test.from, test.to, test.types), reached, test.want)
		}
		reached, err := tx.Reaches([]core.TaskKey{keys["d"], keys["c"]}, keys["b"], blocks)
		equal(t, "one of two reaches b", reached, true)
		if err != nil {
			return err
		}
		out, err := tx.Neighbours([]core.TaskKey{keys["a"], keys["b"], keys["c"]}, core.DirectionOutgoing, blocks, false)
		equal(t, "neighbours", pairNames(keys, out), []string{"ab", "ae", "bc", "cb"})
		if err != nil {
			return err
		}
		open, err := tx.Neighbours([]core.TaskKey{keys["a"], keys["b"], keys["c"]}, core.DirectionOutgoing, blocks, true)
		equal(t, "open neighbours", pairNames(keys, open), []string{"ab", "ae", "cb"})
		if err != nil {
			return err
		}
		in, err := tx.Neighbours([]core.TaskKey{keys["b"]}, core.DirectionIncoming, blocks, false)
		equal(t, "what comes in", pairNames(keys, in), []string{"ba", "bc"})
		return err
	})
}

// keyNames are the ids of tasks in their order.
func keyNames(keys map[string]core.TaskKey, list []core.TaskKey) string {
	names := ""
	for _, key := range list {
		for id, k := range keys {
			if k == key {
				names += id
			}
		}
	}
	return names
}

// testTrails follows a line of tasks p → q → r, which goes on to s, a closed
// one, and twice to t.
func testTrails(t *testing.T, e Engine) {
	s := e.Create(t)
	keys := insert(t, s, plain("p", at(0)), plain("q", at(1)), plain("r", at(2)), plain("s", at(3)), plain("t", at(4)), plain("u", at(5)))
	connect(t, s, keys, link{"p", core.EdgeBlocks, "q"}, link{"p", core.EdgeParentChild, "u"}, link{"q", core.EdgeWaitsOnGate, "r"},
		link{"r", core.EdgeBlocks, "s"}, link{"r", core.EdgeBlocks, "t"}, link{"r", core.EdgeWaitsOnGate, "t"}, link{"q", core.EdgeBlocks, "u"})
	setStatus(t, s, keys["s"], core.StatusCompleted, at(10))
	setStatus(t, s, keys["u"], core.StatusCompleted, at(10))
	dependencies := []core.EdgeType{core.EdgeBlocks, core.EdgeWaitsOnGate}
	read(t, s, func(tx core.ReadTx) error {
		for _, test := range []struct {
			from     string
			openOnly bool
			trail    string
		}{
			{"p", false, "q"}, {"p", true, "qr"}, {"q", false, ""}, {"q", true, "r"}, {"r", false, ""}, {"r", true, ""}, {"s", false, ""},
		} {
			trail, err := tx.Trail(keys[test.from], dependencies, test.openOnly)
			if err != nil {
				return err
			}
			equal(t, fmt.Sprintf("the trail from %s (open tasks only: %v)", test.from, test.openOnly), keyNames(keys, trail), test.trail)
		}
		for _, test := range []struct {
			from     string
			openOnly bool
			next     string
		}{
			{"p", false, "q"}, {"pr", false, "qst"}, {"pr", true, "qt"}, {"q", true, "r"}, {"t", false, ""}, {"", false, ""},
		} {
			var from []core.TaskKey
			for _, id := range test.from {
				from = append(from, keys[string(id)])
			}
			next, err := tx.Onward(from, dependencies, test.openOnly)
			if err != nil {
				return err
			}
			slices.Sort(next)
			equal(t, fmt.Sprintf("onward from %q (open tasks only: %v)", test.from, test.openOnly), keyNames(keys, next), test.next)
		}
		names, err := tx.Names([]core.TaskKey{keys["t"], 999, keys["p"]})
		list := []string{}
		for _, name := range names {
			list = append(list, name.ID)
			equal(t, "title", name.Title != "", true)
		}
		equal(t, "names", list, []string{"t", "p"})
		return err
	})
}
