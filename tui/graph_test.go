package tui

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// graphOf opens the graph around 19ab44, the first blocked task.
func graphOf(t testing.TB, w, h int) (*driver, *graph) {
	t.Helper()
	d := drive(t, acme, w, h)
	d.press("2", "g", "d")
	g, ok := d.m.screen().(*graph)
	if !ok {
		t.Fatalf("the graph is not open:\n%s", d.frame())
	}
	d.frame() // what is drawn is what keys go by
	return d, g
}

// look presses keys, with a frame after each.
func (d *driver) look(keys ...string) {
	d.t.Helper()
	for _, k := range keys {
		d.press(k)
		d.frame()
	}
}

func TestGraph_layersAndEdges(t *testing.T) {
	d, _ := graphOf(t, 140, 40)
	d.shows("‹ Board ▸ Graph around 19ab44", "depth 2", "layer 0",
		"│ ◆ 9b02a7             │╌╌╌▷│ ■ 4c1e08             │", "┏━━━━━━━━━━━━━━━━━━━━━━┓", "┃ ■ 19ab44             ┃──▶│ ■ c9d2e5             │──▶│ ■ d4e6c1             │",
		"╔═╡╰──────────────────────╯", "──▶ blocks  ╌╌▷ gate  ══╡ parent", "9 of 9 shown",
		"■ 19ab44 Ship v0.2  after 4c1e08 70bec2 3f9a1c 5d20ee  before c9d2e5  under 0c4d9a",
		"longest open chain 5  ◆ 9b02a7 → ■ 4c1e08 → 19ab44 → c9d2e5 → d4e6c1", "cycle elsewhere  ⟳ d17e3b → e3a96f → d17e3b")
	d, _ = graphOf(t, 80, 24)
	d.shows("■ 19ab44 ──────▶■ c9d2e5 ──────▶■ d4e6c1", "Turn on wri…─┐")
}

func TestGraph_keysFollowEdges(t *testing.T) {
	d, _ := graphOf(t, 140, 40)
	d.cursorOn("19ab44")
	d.look("h")
	d.cursorOn("3f9a1c") // on the same row
	d.look("k")
	d.cursorOn("70bec2")
	d.look("k", "k")
	d.cursorOn("4c1e08")
	d.look("h")
	d.cursorOn("9b02a7")
	d.look("h") // nothing further
	d.cursorOn("9b02a7")
	d.look("right", "right", "right", "l")
	d.cursorOn("d4e6c1")
	d.shows("■ d4e6c1 Announce on the list  after c9d2e5")
	d.look("enter")
	d.shows("‹ Board ▸ Graph around 19ab44 ▸ d4e6c1")
	d.look("q")
	d.cursorOn("d4e6c1")
}

func TestGraph_depthAndFocus(t *testing.T) {
	d, g := graphOf(t, 80, 24)
	d.look("-")
	d.shows("depth 1", "7 of 9 shown", "4c1e08 ‹1", "c9d2e5 1›")
	d.hides("API names")
	d.look("-")
	d.shows("The depth goes from 1 to 9.")
	d.look("h", "k", "k", "h")
	d.shows("1 task more here; + shows more, f makes this the middle.")
	d.cursorOn("4c1e08")
	d.look("f")
	d.shows("Graph around 4c1e08", "◆ 9b02a7")
	d.cursorOn("4c1e08")
	for range 9 {
		d.look("+")
	}
	if g.depth != mostGraphDepth {
		t.Errorf("the depth is %d", g.depth)
	}
}

func TestGraph_followsChanges(t *testing.T) {
	d, _ := graphOf(t, 140, 40)
	d.look("h")
	d.cursorOn("3f9a1c")
	ctx := context.Background()
	must[core.TaskCompleteResult](t)(d.service.TaskComplete(ctx, core.TaskCompleteRequest{TaskID: longID("3f9a1c"), Agent: "mo"}))
	d.poll()
	d.cursorOn("3f9a1c")
	d.shows("✔ 3f9a1c")
	must[core.TaskEdgeDeleteResult](t)(d.service.TaskEdgeDelete(ctx, core.TaskEdgeDeleteRequest{
		FromTaskID: longID("3f9a1c"), ToTaskID: longID("19ab44"), Type: "blocks", Agent: "mo"}))
	d.poll()
	d.cursorOn("19ab44") // its task is gone from here
	d.shows("8 of 8 shown")
}

func TestGraph_chain(t *testing.T) {
	d, g := graphOf(t, 140, 40)
	d.look("z")
	if !g.critical {
		t.Error("the chain is not shown")
	}
	marked := 0
	for _, node := range g.data.Nodes {
		if node.Chain {
			marked++
		}
	}
	if marked != 5 {
		t.Errorf("%d tasks are marked", marked)
	}
	d.look("z")
	if g.critical {
		t.Error("the chain is still shown")
	}
	d = drive(t, acme, 80, 24)
	d.press("5", "g", "d")
	d.look("z")
	d.shows("There is no chain of open tasks here.")
}

func TestGraph_ring(t *testing.T) {
	d := drive(t, acme, 140, 40)
	d.press("2", "G", "g", "d")
	d.frame()
	d.shows("■ e3a96f ⟳", "■ d17e3b ⟳", "cycle here  ⟳ ")
	d.look("h", "l", "z", "+")
	d.shows("2 of 2 shown")
}

func TestGraph_copiesDrawings(t *testing.T) {
	d, _ := graphOf(t, 80, 24)
	copied := func() string {
		t.Helper()
		sequence := d.said[len(d.said)-1]
		_, coded, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(sequence, "\x07"), "\x1b\\"), "52;c;")
		text, err := base64.StdEncoding.DecodeString(coded)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	d.look("D")
	d.shows("Sent to the terminal to copy: DOT of 9 tasks and 11 edges")
	text := copied()
	if !strings.HasPrefix(text, "digraph lithos {\n") || strings.Count(text, " -> ") != 11 || !strings.HasSuffix(text, "}\n") {
		t.Errorf("the drawing is %s", text)
	}
	d.look("Y")
	if got := copied(); got != "lithos export --format dot" {
		t.Errorf("the command is %q", got)
	}
	d.look("M")
	d.shows("Sent to the terminal to copy: Mermaid of 9 tasks and 11 edges")
	if text := copied(); !strings.HasPrefix(text, "flowchart LR\n") || !strings.Contains(text, "Ship v0#46;2") && !strings.Contains(text, "Ship v0.2") {
		t.Errorf("the drawing is %s", text)
	}
}

func TestGraph_mouse(t *testing.T) {
	d, g := graphOf(t, 80, 24)
	click := func(id string) {
		t.Helper()
		for i, node := range g.data.Nodes {
			if node.ShortID == id {
				place := g.plan.places[i]
				d.send(tea.MouseMsg{X: g.view.x + place.x - g.left + 1, Y: g.view.y + place.y - g.top, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
				d.frame()
			}
		}
	}
	click("70bec2")
	d.cursorOn("70bec2")
	d.pass(time.Second)
	click("c9d2e5")
	d.cursorOn("c9d2e5")
	click("c9d2e5")
	if _, ok := d.m.screen().(*page); !ok {
		t.Errorf("it was not opened:\n%s", d.frame())
	}
}

func TestGraph_taskIsGone(t *testing.T) {
	d, g := graphOf(t, 80, 24)
	g.id = longID("000000")
	d.look("ctrl+r")
	d.shows("There is no task")
	d.look("h", "l", "j", "k", "z", "D", "f", "+", "enter")
}

func TestGraph_ofAnEmptyStore(t *testing.T) {
	d := drive(t, fixture{}, 80, 24)
	d.look("g", "d")
	if d.m.screen() != screen(d.m.board) {
		t.Errorf("it is open:\n%s", d.frame())
	}
	d.shows("Cannot show the graph around a task: there is no task under the cursor.")
}

// ladder is n tasks of which each waits for all before it.
func ladder(n int) fixture {
	var f fixture
	for i := range n {
		f.tasks = append(f.tasks, fixtureTask{id: fmt.Sprintf("a%05d", i), title: fmt.Sprintf("Task %d", i), age: time.Duration(n-i) * hour})
		for j := range i {
			f.edges = append(f.edges, fmt.Sprintf("a%05d > a%05d", j, i))
		}
	}
	return f
}

func TestGraph_everythingWaitsForEverything(t *testing.T) {
	d := drive(t, ladder(40), 80, 24)
	d.press("2", "g", "d")
	d.frame()
	g := d.m.screen().(*graph)
	drawn := 0
	for _, w := range g.plan.wires {
		if len(w.corners) > 0 {
			drawn++
		}
	}
	if len(g.data.Edges) != 40*39/2 || drawn != 39 {
		t.Errorf("%d of %d edges are drawn", drawn, len(g.data.Edges))
	}
	d.shows("741 more follow from these", "40 of 40 shown", "more …")
	for range 45 {
		d.look("l")
	}
	d.cursorOn("a00039")
}

func BenchmarkGraph_frame(b *testing.B) {
	d := drive(b, ladder(100), 140, 40)
	d.press("2", "g", "d")
	d.frame()
	b.ResetTimer()
	for i := range b.N {
		key := "l"
		if i%2 == 1 {
			key = "h"
		}
		d.m.Update(keyMsg(key))
		d.m.View()
	}
}

// treeAndGraphShots begin and end on the board with the cursor on the first
// ready task.
var treeAndGraphShots = []shot{
	{"tree", "gt", "q", "Tree"},
	{"tree_unfolded", "gt**", "*q", "Tree"},
	{"tree_done_hidden", "gtHl", "hHq", "hide done: on"},
	{"tree_help", "gt?", escKey + "q", "Keys"},
	{"graph", "2gd", "q1", "Graph around 19ab44"},
	{"graph_chain", "2gdzh", "q1", "Graph around 19ab44"},
	{"graph_epic", "gtgggd", "qq", "Graph around"},
	{"graph_ring", "2Ggd", "qgg1", "cycle here"},
	{"graph_help", "2gd?", escKey + "q1", "Keys"},
}

func TestFrames_treeAndGraph(t *testing.T) {
	for _, size := range frameSizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			x := openTerminal(t, acme, size[0], size[1], childOptions{})
			for _, s := range treeAndGraphShots {
				x.shows("1 Ready", "3f9a1c")
				x.send(s.keys)
				x.golden(s.name)
				x.send(s.back)
			}
		})
		for _, state := range []struct {
			name, keys string
			f          fixture
			c          childOptions
		}{
			{"tree_ascii", "gt", acme, childOptions{ASCII: true}},
			{"graph_ascii", "2gd", acme, childOptions{ASCII: true}},
			{"tree_hostile", "gt", hostile, childOptions{}},
			{"graph_hostile", "2gd", hostile, childOptions{}},
		} {
			t.Run(fmt.Sprintf("%dx%d/%s", size[0], size[1], state.name), func(t *testing.T) {
				t.Parallel()
				x := openTerminal(t, state.f, size[0], size[1], state.c)
				x.shows("Ready")
				x.send(state.keys)
				x.golden(state.name)
			})
		}
	}
}

func TestFrames_treeAndGraphInColour(t *testing.T) {
	for _, theme := range []string{"catppuccin-mocha", "deuteranopia-light"} {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			x := openTerminal(t, acme, 80, 24, childOptions{Theme: theme})
			for _, s := range []shot{{"tree", "gt", "q", ""}, {"graph", "2gdz", "q1", ""}} {
				x.shows("1 Ready", "3f9a1c")
				x.send(s.keys)
				x.goldenOf(theme+"/"+s.name+".ansi", x.styled)
				x.send(s.back)
			}
		})
	}
}
