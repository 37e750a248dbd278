// Package graph makes large task graphs that look like real ones, the same
// ones in every run, for tests and benchmarks. No other code imports it.
package graph

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"dev.lithos/core"
)

// Shape says what a graph looks like.
type Shape struct {
	Tasks  int     // of every type
	Edges  float64 // edges a task has on average, at least 2
	Closed float64 // the share of tasks that are closed, the oldest ones
	Held   float64 // the share of open tasks that something open holds back
	Seed   uint64

	// BlockedFirst gives every held task a higher priority than every ready
	// one has.
	BlockedFirst bool
	// FutureTimers and PassedTimers are how many open tasks, before all others
	// in the default order, wait for nothing but a timer gate: one that never
	// opens in the life of a benchmark, or one that has.
	FutureTimers, PassedTimers int
}

// Ordinary is the shape that measurements begin with: nine of ten tasks are
// closed, and of the open ones seven of ten are held back.
func Ordinary(tasks int, edges float64) Shape {
	return Shape{Tasks: tasks, Edges: edges, Closed: 0.9, Held: 0.7, Seed: 1}
}

// The moments of a graph. They are fixed, so that a store made from it is the
// same in every run and every lease and timer stands where it should.
var (
	begin  = core.StampOf(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	never  = core.StampOf(time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC))
	opened = core.StampOf(time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC))
)

// tasksPerTimer is how many tasks wait for one timer gate.
const tasksPerTimer = 50

// Graph is a graph of a shape. Its tasks are known by their number, which is
// also the order of their creation.
//
// The closed part comes first: chains, diamonds and random edges to older
// tasks. The open part begins with one task that many wait for (the hub), those,
// and one task that waits for all of them (the sink); a long chain; gates with
// what waits for them; and random edges. Every hundredth task is an epic, and
// a third of the others are children of the one before them.
type Graph struct {
	Shape
	Open  int // the first open task
	Hub   int // an open task that Wide others wait for
	Wide  int
	Sink  int // an open task that waits for all of those
	Chain int // the first task of the chain
	Long  int // how many tasks the chain has
	rest  int // the first open task without a special place
	free  int // the first of those that may be held; the ones before are ready
	edges int // how many each ordinary task needs so that Edges comes out, in thousandths

	source *rand.PCG
	random *rand.Rand
}

// New plans a graph.
func New(s Shape) *Graph {
	g := &Graph{Shape: s, source: rand.NewPCG(s.Seed, 0)}
	g.random = rand.New(g.source)
	g.Open = int(float64(s.Tasks) * s.Closed)
	open := s.Tasks - g.Open - g.timers() - g.timerGates()
	g.Hub, g.Wide = g.Open, min(10_000, open/8)
	g.Sink = g.Hub + g.Wide + 1
	g.Chain, g.Long = g.Sink+1, min(1000, open/8)
	g.rest = g.Chain + g.Long
	g.free = g.rest + min(2*epicEvery, max(s.Tasks-g.timers()-g.timerGates()-g.rest, 0)/4)
	// A third of the tasks have a parent; the rest of the edges are those that
	// order the work.
	g.edges = int(1000 * max(s.Edges-float64(childrenOf3)/3, 0.5))
	return g
}

// childrenOf3 is how many of three tasks have a parent.
const childrenOf3 = 1

// epicEvery and gateEvery tasks there is an epic and a gate.
const (
	epicEvery = 100
	gateEvery = 100
)

// about makes the random numbers those that belong to a task and a purpose.
func (g *Graph) about(i int, purpose uint64) *rand.Rand {
	g.source.Seed(g.Seed<<8|purpose, uint64(i)*0x9e3779b97f4a7c15+1)
	return g.random
}

// The purposes of random numbers.
const (
	forID = iota
	forTask
	forEdges
)

// ID is the id of a task, which looks random.
func (g *Graph) ID(i int) string { return identifier(g.about(i, forID)) }

func identifier(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff)
}

// timers is how many tasks wait for a timer alone.
func (g *Graph) timers() int { return g.FutureTimers + g.PassedTimers }

// timerGates is how many gates they wait for.
func (g *Graph) timerGates() int { return (g.timers() + tasksPerTimer - 1) / tasksPerTimer }

// timerWaiter reports whether a task waits for a timer alone, and which number
// it has among those.
func (g *Graph) timerWaiter(i int) (number int, waits bool) {
	number = i - (g.Tasks - g.timers())
	return number, number >= 0 && g.timers() > 0
}

// timerGate reports whether a task is the gate of such tasks, and which.
func (g *Graph) timerGate(i int) (number int, is bool) {
	number = i - (g.Tasks - g.timers() - g.timerGates())
	return number, number >= 0 && number < g.timerGates()
}

// Type is the type of a task.
func (g *Graph) Type(i int) core.TaskType {
	if _, is := g.timerGate(i); is {
		return core.TypeGate
	}
	if _, waits := g.timerWaiter(i); waits || i >= g.Open && i < g.rest {
		return core.TypeTask
	}
	switch i % epicEvery {
	case 0:
		return core.TypeEpic
	case 1:
		return core.TypeGate
	}
	return core.TypeTask
}

// IsHeld reports whether something open holds an open plain task back.
func (g *Graph) IsHeld(i int) bool {
	switch number, waits := g.timerWaiter(i); {
	case waits:
		return number < g.FutureTimers
	case i <= g.Hub:
		return false
	case i < g.Chain:
		return true
	case i < g.rest:
		return i > g.Chain
	}
	// One of the gates, so that a share of what is held waits for it.
	return float64(i*7919%1000) < 1000*g.Held && i > g.free && !g.late(i)
}

// Status is the status of a task.
func (g *Graph) Status(i int) core.Status {
	switch {
	case i >= g.Open:
		return core.StatusOpen
	case i%400 == 7:
		return core.StatusCancelled
	}
	return core.StatusCompleted
}

// CreatedAt is when a task was created.
func (g *Graph) CreatedAt(i int) core.Stamp { return begin.Add(time.Duration(i) * 10 * time.Second) }

// agents are who works on the graph.
const agents = 20

func agent(n int) string { return fmt.Sprintf("agent-%02d", n%agents) }

// Task is a whole task, of 800 bytes on average.
func (g *Graph) Task(i int) core.Task {
	id := g.ID(i)
	r := g.about(i, forTask)
	created := g.CreatedAt(i)
	t := core.Task{
		TaskHead: core.TaskHead{
			ID: id, Title: sentence(r, 4+r.IntN(5)), Status: g.Status(i), Type: g.Type(i),
			CreatedAt: created, UpdatedAt: created, Version: 1, Tags: core.MakeTags(labels(r)),
		},
		CreatedBy: agent(r.IntN(agents)),
	}
	text := paragraphs(r)
	t.Description = &text
	t.Metadata = g.metadata(r, i, t.Type)
	if t.Status != core.StatusOpen {
		closed := created.Add(time.Duration(1+r.IntN(7*24)) * time.Hour)
		t.UpdatedAt, t.ResolvedAt, t.Version = closed, &closed, 2
	}
	if t.Status == core.StatusCompleted {
		outcome := sentence(r, 6+r.IntN(10))
		t.Outcome = &outcome
	}
	return t
}

func (g *Graph) metadata(r *rand.Rand, i int, t core.TaskType) core.Metadata {
	rank := r.IntN(len(core.Priorities))
	switch _, waits := g.timerWaiter(i); {
	case waits:
		rank = 0
	case g.BlockedFirst && g.IsHeld(i):
		rank = r.IntN(2)
	case g.BlockedFirst:
		rank = 3 + r.IntN(2)
	case g.timers() > 0:
		rank = 1 + r.IntN(4)
	}
	text := fmt.Sprintf(`{"project":"project-%02d","priority":"%s","owner":"%s","estimate":%d`,
		r.IntN(40), core.Priorities[rank], agent(r.IntN(agents)), 1+r.IntN(13))
	if t == core.TypeGate {
		kind, at := core.GateTypes[i/gateEvery%len(core.GateTypes)], never
		if number, is := g.timerGate(i); is {
			kind = core.GateTimer
			if number*tasksPerTimer >= g.FutureTimers {
				at = opened
			}
		}
		text += fmt.Sprintf(`,"gate_type":"%s"`, kind)
		if kind == core.GateTimer {
			text += fmt.Sprintf(`,"ready_at":"%s"`, at)
		}
	}
	return core.Metadata(text + "}")
}

// Edge is an edge between two tasks, by their numbers.
type Edge struct {
	From, To int
	Type     core.EdgeType
}

// EachEdge yields the edges, those into one task together. There are no rings:
// an edge leads from an older task to a newer one, except that some tasks that
// wait for nothing were found to be in the way of older ones.
func (g *Graph) EachEdge(yield func(Edge) error) error {
	for i := range g.Tasks {
		for _, e := range g.Into(i) {
			if err := yield(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// late reports whether a task was created late although it is in the way of
// older ones; nothing is in its own way.
func (g *Graph) late(i int) bool { return i >= g.free && i%97 == 5 && g.Type(i) == core.TypeTask }

// Into are the edges into a task, each once.
func (g *Graph) Into(i int) []Edge {
	r := g.about(i, forEdges)
	var edges []Edge
	add := func(from int, t core.EdgeType) {
		for _, e := range edges {
			if e.From == from && e.Type == t {
				return
			}
		}
		edges = append(edges, Edge{from, i, t})
	}
	if number, waits := g.timerWaiter(i); waits {
		add(g.Tasks-g.timers()-g.timerGates()+number/tasksPerTimer, core.EdgeWaitsOnGate)
		return edges
	}
	if epic := i - i%epicEvery; i%3 == 0 && epic < i && g.Type(epic) == core.TypeEpic {
		add(epic, core.EdgeParentChild)
	}
	if g.Type(i) != core.TypeTask || g.late(i) {
		return edges
	}
	count := (g.edges + r.IntN(1000)) / 1000
	switch {
	case i < g.Open:
		g.closedEdges(r, i, count, add)
	case i > g.Hub && i < g.Sink:
		add(g.Hub, core.EdgeBlocks)
		if i%2 == 0 && i > g.Hub+1 {
			add(i-1, core.EdgeBlocks)
		}
		g.satisfied(r, i, count-1, add)
	case i == g.Sink:
		for from := g.Hub + 1; from < g.Sink; from++ {
			add(from, core.EdgeBlocks)
		}
	case i > g.Chain && i < g.rest:
		add(i-1, core.EdgeBlocks)
		g.satisfied(r, i, count-1, add)
	case g.IsHeld(i):
		g.openEdges(r, i, count, add)
	default:
		g.satisfied(r, i, count, add)
	}
	return edges
}

// closedEdges are the edges of history: a chain, a diamond and random ones in
// every hundred tasks.
func (g *Graph) closedEdges(r *rand.Rand, i, count int, add func(int, core.EdgeType)) {
	switch at := i % 100; {
	case at > 2 && at < 12:
		add(i-1, core.EdgeBlocks)
		count--
	case at == 13 || at == 14:
		add(i-at+12, core.EdgeBlocks)
		count--
	case at == 15:
		add(i-1, core.EdgeBlocks)
		add(i-2, core.EdgeBlocks)
		count -= 2
	}
	for range count {
		if i > 0 {
			g.older(r, i, max(0, i-1000), add)
		}
	}
}

// openEdges are the edges of a held task: at least one from an open task or
// gate, most of them from tasks not much older, some from history.
func (g *Graph) openEdges(r *rand.Rand, i, count int, add func(int, core.EdgeType)) {
	gate := i - i%gateEvery + 1
	switch {
	case i%11 == 0 && gate < i && g.Type(gate) == core.TypeGate && !g.passed(gate):
		add(gate, core.EdgeWaitsOnGate)
	case i%13 == 0 && g.nextLate(i) > 0:
		add(g.nextLate(i), core.EdgeBlocks)
	default:
		// The nearest older plain task is open, whatever else is.
		from := i - 1
		for g.Type(from) != core.TypeTask {
			from--
		}
		add(from, core.EdgeBlocks)
	}
	for range count - 1 {
		if r.IntN(3) == 0 {
			g.satisfied(r, i, 1, add)
		} else {
			g.older(r, i, max(g.rest, i-1000), add)
		}
	}
}

// passed reports whether a gate is a timer that has opened.
func (g *Graph) passed(gate int) bool {
	number, is := g.timerGate(gate)
	return is && number*tasksPerTimer >= g.FutureTimers
}

// nextLate is a task made after another that is in its way, 0 when there is
// none.
func (g *Graph) nextLate(i int) int {
	for at := i + 1; at < min(i+200, g.Tasks-g.timers()); at++ {
		if _, gate := g.timerGate(at); !gate && g.late(at) {
			return at
		}
	}
	return 0
}

// older adds an edge from a random plain task from first on that is older.
func (g *Graph) older(r *rand.Rand, i, first int, add func(int, core.EdgeType)) {
	if first >= i {
		return
	}
	from := first + r.IntN(i-first)
	if g.Type(from) == core.TypeTask {
		add(from, core.EdgeBlocks)
	}
}

// satisfied adds edges from completed tasks, half of them among the latest.
func (g *Graph) satisfied(r *rand.Rand, i, count int, add func(int, core.EdgeType)) {
	for range count {
		if g.Open < 2 {
			return
		}
		from := r.IntN(g.Open)
		if r.IntN(2) == 0 {
			from = g.Open - 1 - r.IntN(min(g.Open, 1000))
		}
		if g.Type(from) == core.TypeTask && g.Status(from) == core.StatusCompleted {
			add(from, core.EdgeBlocks)
		}
	}
}

// words are what titles and descriptions are made of.
var words = strings.Fields(`about account after also archive badge before board branch build cache call change check claim
	clean client clock close column command commit config copy count cursor data deep default delete depend deploy
	draft edge edit empty engine entry error event every export fail feed field filter find first flag format frame
	free from gate graph guard handle have help hold import index input into issue item join keep label large last
	layer lease length limit line list load lock long made make mark match menu merge message migrate move name need
	network node note notice number offer older only open option order output page parse part pass path plan point
	print probe process project queue quick read ready refuse release remove rename repair report request resolve
	result retry review rotate rule save scan schema screen script search select send server session setting share
	short show sign size slow sort source split stage start state step stop store stream table task team test text
	that the theme this time title token trace tree turn type under until update upload user value verify version
	view wait walk watch when where which wide window with without work worker write`)

func sentence(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		word := words[r.IntN(len(words))]
		if i == 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

// paragraphs are a description: mostly short, sometimes long.
func paragraphs(r *rand.Rand) string {
	sentences := 2 + r.IntN(7)
	if r.IntN(20) == 0 {
		sentences *= 5
	}
	var b strings.Builder
	for i := range sentences {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(sentence(r, 6+r.IntN(12)))
		b.WriteByte('.')
	}
	return b.String()
}

// labels are the tags of a task.
func labels(r *rand.Rand) []string {
	var list []string
	for range r.IntN(4) {
		tag := words[r.IntN(60)]
		known := false
		for _, other := range list {
			known = known || other == tag
		}
		if !known {
			list = append(list, tag)
		}
	}
	return list
}

// Plain are the open plain tasks without a special place, in a random order.
func (g *Graph) Plain() []int {
	var list []int
	for i := g.free; i < g.Tasks-g.timers()-g.timerGates(); i++ {
		if g.Type(i) == core.TypeTask && !g.late(i) {
			list = append(list, i)
		}
	}
	r := rand.New(rand.NewPCG(g.Seed, 1))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// Epic is an epic with children, an open one unless the graph is too small to
// have one.
func (g *Graph) Epic() int {
	epic := min(g.rest/epicEvery+3, (g.Tasks-1)/epicEvery) * epicEvery
	for g.Type(epic) != core.TypeEpic {
		epic -= epicEvery
	}
	return epic
}
