package tui

import (
	"testing"

	"pgregory.net/rapid"

	"dev.lithos/core"
)

// drawGraph draws a neighbourhood of up to n tasks as core would make it:
// edges lead to higher layers unless they are against them.
func drawGraph(t *rapid.T, n int) *core.Neighbourhood {
	layers := rapid.IntRange(1, 6).Draw(t, "layers")
	data := &core.Neighbourhood{}
	for i := range rapid.IntRange(layers, max(n, layers)).Draw(t, "nodes") {
		layer := i
		if i >= layers { // each layer has a node
			layer = rapid.IntRange(0, layers-1).Draw(t, "layer")
		}
		node := core.GraphNode{Layer: layer}
		node.ID = string(rune('a'+i%26)) + string(rune('a'+i/26))
		data.Nodes = append(data.Nodes, node)
	}
	data.Layers = layers
	type name struct {
		from, to int
		kind     core.EdgeType
	}
	seen := map[name]bool{}
	for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
		from, to := rapid.IntRange(0, len(data.Nodes)-1).Draw(t, "from"), rapid.IntRange(0, len(data.Nodes)-1).Draw(t, "to")
		edge := core.GraphEdge{From: from, To: to, Type: rapid.SampledFrom(core.EdgeTypes).Draw(t, "type"), Live: rapid.Bool().Draw(t, "live")}
		a, b := data.Nodes[from].Layer, data.Nodes[to].Layer
		edge.Against = a > b
		if key := (name{from, to, edge.Type}); a != b && !seen[key] {
			seen[key] = true
			data.Edges = append(data.Edges, edge)
		}
	}
	return data
}

// stretch is a straight part of a line, left to right or top to bottom.
type stretch struct {
	fixed, from, to int
	edge            core.GraphEdge
}

// TestPlanGraph_linesAreTrue holds what the layout promises: tasks do not
// overlap, every line runs from one end of its edge to the other past all
// other tasks, and two lines lie on one another only where they come from, or
// lead to, the same task.
func TestPlanGraph_linesAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := drawGraph(t, 14)
		room := rect{0, 0, rapid.IntRange(10, 200).Draw(t, "width"), rapid.IntRange(5, 60).Draw(t, "height")}
		plan := planGraph(data, room)
		if plan.boxed && (plan.w > room.w || plan.h > room.h) {
			t.Fatalf("boxes on %d×%d do not fit %d×%d", plan.w, plan.h, room.w, room.h)
		}
		for i, a := range plan.places {
			if a.x < 0 || a.y < 0 || a.x+a.w > plan.w || a.y+a.h > plan.h {
				t.Fatalf("task %d at %v is off the sheet of %d×%d", i, a, plan.w, plan.h)
			}
			if a.x != plan.column[data.Nodes[i].Layer] {
				t.Fatalf("task %d is not in its column", i)
			}
			for j, b := range plan.places[:i] {
				if a.x == b.x && a.y < b.y+b.h && b.y < a.y+a.h {
					t.Fatalf("tasks %d and %d overlap: %v %v", i, j, a, b)
				}
			}
		}
		var across, down []stretch
		for i, w := range plan.wires {
			edge := data.Edges[i]
			left, right := edge.From, edge.To
			if edge.Against {
				left, right = right, left
			}
			a, b := plan.places[left], plan.places[right]
			first, last := w.corners[0], w.corners[len(w.corners)-1]
			if first[0] != a.x+a.w || first[1] < a.y || first[1] >= a.y+a.h {
				t.Fatalf("the line of %v begins at %v, its task is at %v", edge, first, a)
			}
			apart := 0
			if !edge.Type.IsDependency() && !plan.boxed {
				apart = 1
			}
			if last[0] != b.x-1-apart || last[1] < b.y || last[1] >= b.y+b.h {
				t.Fatalf("the line of %v ends at %v, its task is at %v", edge, last, b)
			}
			want := map[bool][2]int{false: last, true: first}[edge.Against]
			if edge.Against {
				want[0] += apart
			}
			if w.head != want {
				t.Fatalf("the head of %v is at %v, want %v", edge, w.head, want)
			}
			for k, other := range data.Edges[:i] {
				if other.Type.IsDependency() != edge.Type.IsDependency() && plan.wires[k].head == w.head {
					t.Fatalf("the heads of %v and %v stand in one cell", edge, other)
				}
			}
			for k := 1; k < len(w.corners); k++ {
				p, q := w.corners[k-1], w.corners[k]
				switch {
				case p[1] == q[1] && p[0] < q[0]:
					across = append(across, stretch{p[1], p[0], q[0], edge})
				case p[0] == q[0] && p[1] != q[1]:
					down = append(down, stretch{p[0], min(p[1], q[1]), max(p[1], q[1]), edge})
				default:
					t.Fatalf("the line of %v goes from %v to %v", edge, p, q)
				}
			}
		}
		for _, s := range across {
			for i, place := range plan.places {
				if s.fixed >= place.y && s.fixed < place.y+place.h && s.from < place.x+place.w && s.to >= place.x {
					t.Fatalf("the line of %v runs through task %d", s.edge, i)
				}
			}
		}
		for _, s := range down {
			for i, place := range plan.places {
				if s.fixed >= place.x && s.fixed < place.x+place.w && s.from < place.y+place.h && s.to >= place.y {
					t.Fatalf("the line of %v runs down through task %d", s.edge, i)
				}
			}
		}
		related := func(a, b core.GraphEdge) bool {
			return a.From == b.From || a.To == b.To || a.From == b.To && a.Against != b.Against || a.To == b.From && a.Against != b.Against
		}
		for _, list := range [][]stretch{across, down} {
			for i, a := range list {
				for _, b := range list[:i] {
					if a.fixed == b.fixed && a.from < b.to && b.from < a.to && !related(a.edge, b.edge) && !sharesTargets(data, a.edge, b.edge) {
						t.Fatalf("the lines of %v and %v lie on one another", a.edge, b.edge)
					}
				}
			}
		}
	})
}

// sharesTargets reports whether two edges may run together because their
// sources lead to the same tasks.
func sharesTargets(data *core.Neighbourhood, a, b core.GraphEdge) bool {
	leads := func(from, to int) bool {
		for _, e := range data.Edges {
			if e.From == from && e.To == to || e.To == from && e.From == to && e.Against {
				return true
			}
		}
		return false
	}
	return leads(a.From, b.To) && leads(b.From, a.To)
}
