package tui

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/drawing"
)

// graph is the screen of what is around a task in the graph.
type graph struct {
	id    string // of the task in the middle
	name  string // its short id
	depth int
	data  *core.Neighbourhood
	gone  *core.Error
	loads loader

	cursor   int  // index of the nodes
	critical bool // the longest chain is to be seen
	central  bool // the task in the middle is to be in the middle of the screen, once it is read

	plan      *graphPlan
	sheet     sheet
	planned   *core.Neighbourhood // what plan is of
	room      rect                // and for which size
	area      rect                // with the frame
	view      rect                // of the sheet on screen
	left, top int                 // the cell of the sheet at its upper left
}

// The depths of the graph.
const (
	graphDepth     = 2
	mostGraphDepth = 9
)

// openGraph shows what is around the task at hand.
func (m *model) openGraph() tea.Cmd {
	card, ok := m.inQuestion()
	if !ok {
		return nil
	}
	return m.open(&graph{id: card.ID, name: idOf(card), depth: graphDepth})
}

func (g *graph) place() string { return "Graph" }

func (g *graph) crumb() string { return "Graph around " + g.name }

// load implements [screen].
func (g *graph) load(m *model, refresh bool) tea.Cmd {
	if m.live.service == nil {
		return nil
	}
	if refresh {
		return g.loads.refresh(m, g.read)
	}
	return g.read(m)
}

func (g *graph) read(m *model) tea.Cmd {
	service, id, depth := m.live.service, g.id, g.depth
	if service == nil {
		return nil
	}
	return g.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
		found, err := service.Neighbourhood(ctx, id, depth)
		return func(m *model) tea.Cmd {
			if err != nil {
				if codeOf(err) == core.CodeTaskNotFound {
					g.gone = core.AsError(err)
					return nil
				}
				return m.loadFailed(err)
			}
			return g.show(m, &found)
		}
	})
}

// isReading reports whether nothing has been read yet.
func (g *graph) isReading() bool { return g.data == nil && g.gone == nil && g.loads.running }

// show takes what was read over. The cursor stays on its task or, when that
// is gone, goes to the one in the middle.
func (g *graph) show(m *model, found *core.Neighbourhood) tea.Cmd {
	at := g.id
	if card, ok := g.selected(); ok {
		at = card.ID
	}
	g.data, g.gone = found, nil
	g.cursor = found.Focus
	for i, node := range found.Nodes {
		if node.ID == at {
			g.cursor = i
		}
	}
	g.name = idOf(found.Nodes[found.Focus].Card)
	return m.wakeAt(found.Due)
}

// arrange plans the sheet for what is to be seen, when that has changed, and
// keeps the cursor on screen.
func (g *graph) arrange() {
	if g.planned != g.data || g.room.w != g.view.w || g.room.h != g.view.h {
		fresh := g.plan == nil || g.central && g.data.Nodes[g.data.Focus].ID == g.id
		g.plan = planGraph(g.data, g.view)
		g.sheet = sheet{}
		for i, edge := range g.data.Edges {
			g.sheet.add(g.plan.wires[i], edge)
		}
		g.planned, g.room = g.data, g.view
		if fresh {
			g.center(g.data.Focus)
			g.central = false
		}
	}
	g.reveal()
}

// center puts a task into the middle of the screen.
func (g *graph) center(i int) {
	place := g.plan.places[i]
	g.left, g.top = place.x+place.w/2-g.view.w/2, place.y+place.h/2-g.view.h/2
}

// reveal scrolls until the task under the cursor is on screen, with a cell for
// its lines at either side, and no task is cut at the upper left where that
// can be.
func (g *graph) reveal() {
	place := g.plan.places[g.cursor]
	least := place.x + place.w + 1 - g.view.w
	g.left = max(min(g.left, place.x-1), least)
	g.left = max(min(g.left, g.plan.w-g.view.w), 0)
	nearest := -1
	for _, x := range g.plan.column {
		edge := max(x-1, 0)
		if edge < least || edge >= place.x || g.plan.w <= g.view.w {
			continue
		}
		if nearest < 0 || away(edge, g.left) < away(nearest, g.left) {
			nearest = edge
		}
	}
	if nearest >= 0 {
		g.left = nearest
	}
	g.top = max(min(g.top, place.y), place.y+place.h-g.view.h)
	g.top = max(min(g.top, g.plan.h-g.view.h), 0)
	g.top += g.top % compactHeight
}

func away(a, b int) int { return max(a-b, b-a) }

// selected implements [screen].
func (g *graph) selected() (core.Card, bool) {
	if g.data == nil || g.cursor >= len(g.data.Nodes) {
		return core.Card{}, false
	}
	return g.data.Nodes[g.cursor].Card, true
}

// step moves the cursor within its layer.
func (g *graph) step(m *model, rows int) tea.Cmd {
	if g.plan == nil || g.data == nil || g.planned != g.data {
		return nil
	}
	for range max(rows, -rows) {
		own, best := g.plan.places[g.cursor], -1
		for i, place := range g.plan.places {
			if place.x != own.x || (place.y-own.y)*rows <= 0 {
				continue
			}
			if best < 0 || distance(place, own) < distance(g.plan.places[best], own) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		g.cursor = best
	}
	return nil
}

func distance(a, b rect) int { return away(a.y, b.y) }

// follow moves the cursor along an edge, to the left or to the right: to the
// nearest task at its other end.
func (g *graph) follow(m *model, right bool) tea.Cmd {
	if g.plan == nil || g.data == nil || g.planned != g.data {
		return nil
	}
	own, best := g.plan.places[g.cursor], -1
	for _, edge := range g.data.Edges {
		other := edge.To
		if edge.To == g.cursor {
			other = edge.From
		} else if edge.From != g.cursor {
			continue
		}
		place := g.plan.places[other]
		if (place.x > own.x) != right {
			continue
		}
		if best < 0 || nearer(own, place, g.plan.places[best]) {
			best = other
		}
	}
	if best >= 0 {
		g.cursor = best
		return nil
	}
	node := g.data.Nodes[g.cursor]
	hidden := node.Before
	if right {
		hidden = node.After
	}
	if hidden > 0 {
		return m.note(fmt.Sprintf("%s more here; %s shows more, %s makes this the middle.", plural(hidden, "task"),
			m.keymap.shown("graph.depth+", m.glyphs), m.keymap.shown("graph.focus", m.glyphs)))
	}
	return nil
}

// nearer reports whether a is nearer to a place than b: by columns, then rows.
func nearer(own, a, b rect) bool {
	across := func(r rect) int { return away(r.x, own.x) }
	if across(a) != across(b) {
		return across(a) < across(b)
	}
	return distance(a, own) < distance(b, own)
}

// edge implements [screen].
func (g *graph) edge(m *model, last bool) tea.Cmd {
	if g.data == nil {
		return nil
	}
	rows := -len(g.data.Nodes)
	if last {
		rows = -rows
	}
	return g.step(m, rows)
}

// page implements [screen].
func (g *graph) page() int { return max(g.view.h/boxHeight, 1) }

// due implements [screen].
func (g *graph) due() *core.Stamp {
	if g.data == nil {
		return nil
	}
	return g.data.Due
}

// click implements [screen].
func (g *graph) click(m *model, x, y int, double bool) tea.Cmd {
	if g.plan == nil || !g.view.has(x, y) || g.planned != g.data {
		return nil
	}
	for i, place := range g.plan.places {
		if place.has(x-g.view.x+g.left, y-g.view.y+g.top) {
			g.cursor = i
			if double {
				return m.run(actionNamed("open"))
			}
		}
	}
	return nil
}

// wheel implements [screen].
func (g *graph) wheel(m *model, x, y, lines int) tea.Cmd {
	return g.step(m, lines)
}

// deeper changes how far the graph reaches.
func (g *graph) deeper(m *model, by int) tea.Cmd {
	depth := max(min(g.depth+by, mostGraphDepth), 1)
	if depth == g.depth {
		return m.note(fmt.Sprintf("The depth goes from 1 to %d.", mostGraphDepth))
	}
	g.depth = depth
	return g.read(m)
}

// focus makes the task under the cursor the one in the middle.
func (g *graph) focus(m *model) tea.Cmd {
	card, ok := g.selected()
	if !ok || card.ID == g.id {
		return nil
	}
	g.id, g.name = card.ID, idOf(card)
	g.central = true
	return g.read(m)
}

// toggleCritical shows the longest chain, or no longer.
func (g *graph) toggleCritical(m *model) tea.Cmd {
	if g.data == nil || g.data.Length < 2 {
		return m.note("There is no chain of open tasks here.")
	}
	g.critical = !g.critical
	return nil
}

// copyAs copies what is shown in a language of drawings.
func (g *graph) copyAs(m *model, l drawing.Language, name string) tea.Cmd {
	if g.data == nil {
		return nil
	}
	var text strings.Builder
	out := bufio.NewWriter(&text)
	w := l.New(out)
	err := w.Begin()
	for _, node := range g.data.Nodes {
		if err == nil {
			err = w.Task(node.Task)
		}
	}
	for _, edge := range g.data.Edges {
		if err == nil {
			err = w.Edge(g.data.Nodes[edge.From].Key, g.data.Nodes[edge.To].Key, edge.Type)
		}
	}
	if err == nil {
		err = w.End()
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return m.fail("", core.AsError(err))
	}
	m.command = commandLine("export", "--format", l.Name)
	return tea.Batch(m.clip(text.String()), m.note(fmt.Sprintf("Sent to the terminal to copy: %s of %s and %s. %s copies the command that exports all.", name,
		plural(len(g.data.Nodes), "task"), plural(len(g.data.Edges), "edge"), m.keymap.shown("copy.command", m.glyphs))))
}

// inGraph is what an action does in the graph.
func inGraph(run func(*graph, *model) tea.Cmd) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		if g, ok := m.screen().(*graph); ok {
			return run(g, m)
		}
		return nil
	}
}

// graphActions are the actions of the graph, and the one that leads there.
func graphActions() []action {
	here := []scope{scopeGraph}
	return []action{
		{id: "go.graph", keys: []string{"g d"}, scopes: []scope{scopeApp}, group: groupSee, title: "Graph", verb: "show the graph around a task",
			possible: all(needsStoreOpen, needsTaskAtHand), run: (*model).openGraph},
		{id: "graph.left", keys: []string{"h", "left"}, scopes: here, group: groupMove, title: "Along an edge to the left", both: "Along edges",
			run: inGraph(func(g *graph, m *model) tea.Cmd { return g.follow(m, false) })},
		{id: "graph.right", keys: []string{"l", "right"}, scopes: here, group: groupMove, title: "Along an edge to the right", joins: "graph.left",
			run: inGraph(func(g *graph, m *model) tea.Cmd { return g.follow(m, true) })},
		{id: "graph.down", keys: []string{"j", "down"}, scopes: here, group: groupMove, title: "Down in the layer", both: "Down, up",
			run: inGraph(func(g *graph, m *model) tea.Cmd { return g.step(m, 1) })},
		{id: "graph.up", keys: []string{"k", "up"}, scopes: here, group: groupMove, title: "Up in the layer", joins: "graph.down",
			run: inGraph(func(g *graph, m *model) tea.Cmd { return g.step(m, -1) })},
		{id: "graph.focus", keys: []string{"f"}, scopes: here, group: groupSee, title: "Focus on this", hint: "focus", foot: 2, run: inGraph((*graph).focus)},
		{id: "graph.depth+", keys: []string{"+", "="}, scopes: here, group: groupSee, title: "Deeper", both: "Deeper, less", hint: "deeper", foot: 3,
			run: inGraph(func(g *graph, m *model) tea.Cmd { return g.deeper(m, 1) })},
		{id: "graph.depth-", keys: []string{"-"}, scopes: here, group: groupSee, title: "Less deep", joins: "graph.depth+",
			run: inGraph(func(g *graph, m *model) tea.Cmd { return g.deeper(m, -1) })},
		{id: "graph.critical", keys: []string{"z"}, scopes: here, group: groupSee, title: "Longest chain", hint: "chain", foot: 2, run: inGraph((*graph).toggleCritical)},
		{id: "graph.dot", keys: []string{"D"}, scopes: here, group: groupSee, title: "Copy as DOT", hint: "DOT", foot: 5,
			run: inGraph(func(g *graph, m *model) tea.Cmd { return g.copyAs(m, drawing.DOT, "DOT") })},
		{id: "graph.mermaid", keys: []string{"M"}, scopes: here, group: groupSee, title: "Copy as Mermaid", hint: "Mermaid", foot: 6,
			run: inGraph(func(g *graph, m *model) tea.Cmd { return g.copyAs(m, drawing.Mermaid, "Mermaid") })},
	}
}
