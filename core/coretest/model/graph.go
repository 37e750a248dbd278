// Package model is a naive twin of the task graph: slices, loops and the words
// of the contract, with no regard to speed. Tests hold the program equal to it.
// It imports nothing of lithos, so no mistake can be shared by accident.
package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Object is a JSON object, as arguments and as an answer.
type Object = map[string]any

// Mentions stands in an expected answer for a text written for people. It
// lists what the text has to contain.
type Mentions []string

// Graph is the whole state of a store.
type Graph struct {
	// Now is the clock, in microseconds since 1970.
	Now int64
	// Fresh returns the id that the program gave to the next task or finding
	// of the call that is being repeated here.
	Fresh func() string
	// MaxDepth is the limit of the hierarchy.
	MaxDepth int

	tasks    []task
	edges    []edge
	claims   []claim
	findings []finding
	agents   []agent
	events   []Object
	replays  []replay
}

type task struct {
	id, title   string
	description any
	status      string
	kind        string
	createdBy   string
	createdAt   int64
	resolvedAt  any // nil or int64
	updatedAt   int64
	version     int
	tags        []string
	metadata    Object
	outcome     any
}

type edge struct {
	from, to, kind string
	metadata       Object
	createdBy      string
	createdAt      int64
}

type claim struct {
	task, agent, aspect string
	expiresAt           int64
}

type finding struct {
	id, task, agent, summary string
	knowledgeID              any
	createdAt                int64
}

type agent struct {
	id                      string
	name, kind              any
	firstSeenAt, lastSeenAt int64
	metadata                Object
}

type replay struct {
	agent, requestID, tool, arguments string
	answer                            Object
}

// failure is what a refused call panics with; Call turns it into an answer.
type failure struct {
	code   string
	extras Object
}

func refuse(code string, extras Object) { panic(failure{code, extras}) }

func refuseValue(field string, value any) {
	refuse("invalid_input", Object{"reason": "invalid_field_value", "field": field, "value": value})
}

// Call carries out an operation and answers as the program should, errors
// without their message. Arguments are of the declared shape.
func (g *Graph) Call(operation string, arguments Object) (answer Object) {
	before := g.copy()
	defer func() {
		reason := recover()
		if reason == nil {
			return
		}
		f, refused := reason.(failure)
		if !refused {
			panic(reason)
		}
		*g = *before
		answer = Object{"status": "error", "code": f.code}
		maps.Copy(answer, f.extras)
	}()
	if operation == "task_apply" {
		return g.apply(arguments)
	}
	if read, ok := reads[operation]; ok {
		return read(g, arguments)
	}
	w, ok := writes[operation]
	if !ok {
		panic("model: there is no operation " + operation)
	}
	w.values(arguments)
	if w.replayed {
		return g.once(operation, text(arguments, "agent"), arguments, canonical(arguments, w.defaults), func() Object { return w.step(g, arguments) })
	}
	return w.step(g, arguments)
}

// copy is a snapshot. Values behind references are never changed in place.
func (g *Graph) copy() *Graph {
	c := *g
	c.tasks, c.edges, c.claims = slices.Clone(g.tasks), slices.Clone(g.edges), slices.Clone(g.claims)
	c.findings, c.agents = slices.Clone(g.findings), slices.Clone(g.agents)
	c.events, c.replays = slices.Clone(g.events), slices.Clone(g.replays)
	return &c
}

// task finds a task by its exact id; nil when there is none.
func (g *Graph) task(id string) *task {
	for i := range g.tasks {
		if g.tasks[i].id == id {
			return &g.tasks[i]
		}
	}
	return nil
}

// resolve finds the task that an id parameter names.
func (g *Graph) resolve(field, id string) *task {
	if t := g.task(id); t != nil {
		return t
	}
	if utf8.RuneCountInString(id) < 6 {
		refuseValue(field, id)
	}
	var hits []string
	for _, t := range g.tasks {
		if strings.HasPrefix(t.id, id) {
			hits = append(hits, t.id)
		}
	}
	slices.Sort(hits)
	switch len(hits) {
	case 0:
		refuse("task_not_found", Object{"field": field, "value": id})
	case 1:
		return g.task(hits[0])
	}
	candidates := []any{}
	for _, hit := range hits[:min(len(hits), 5)] {
		candidates = append(candidates, Object{"id": hit, "title": g.task(hit).title})
	}
	refuse("ambiguous_id_prefix", Object{"field": field, "value": id, "candidates": candidates})
	return nil
}

// stampText is the one way a time is shown.
func stampText(at int64) string {
	t := time.UnixMicro(at).UTC()
	s := t.Format("2006-01-02T15:04:05")
	if micro := t.Nanosecond() / 1000; micro != 0 {
		s += fmt.Sprintf(".%06d", micro)
	}
	return s + "+00:00"
}

func stampOrNull(at any) any {
	if at == nil {
		return nil
	}
	return stampText(at.(int64))
}

// readTime knows the forms that the tests write times in.
func readTime(s string) (at int64, ok bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UnixMicro(), true
		}
	}
	return 0, false
}

// wholeSeconds cuts the fraction of a second off.
func wholeSeconds(at int64) int64 {
	rest := at % 1_000_000
	if rest < 0 {
		rest += 1_000_000
	}
	return at - rest
}

func text(o Object, key string) string {
	s, _ := o[key].(string)
	return s
}

func list(o Object, key string) []string {
	var all []string
	items, _ := o[key].([]any)
	for _, item := range items {
		all = append(all, item.(string))
	}
	return all
}

func flag(o Object, key string, otherwise bool) bool {
	if b, ok := o[key].(bool); ok {
		return b
	}
	return otherwise
}

func integer(o Object, key string, otherwise int) int {
	if n, ok := o[key].(int); ok {
		return n
	}
	return otherwise
}

func given(o Object, key string) bool { return o[key] != nil }

func anyList(items []string) []any {
	all := []any{}
	for _, item := range items {
		all = append(all, item)
	}
	return all
}

func isBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) })
}

// record is a task as results show it.
func (g *Graph) record(t *task) Object {
	return Object{
		"id": t.id, "title": t.title, "description": t.description, "status": t.status, "task_type": t.kind,
		"created_by": t.createdBy, "created_at": stampText(t.createdAt), "resolved_at": stampOrNull(t.resolvedAt),
		"updated_at": stampText(t.updatedAt), "version": t.version, "tags": anyList(t.tags), "metadata": t.metadata, "outcome": t.outcome,
	}
}

// liveClaims shows the live claims of a task, oldest row first.
func (g *Graph) liveClaims(id string) []any {
	all := []any{}
	for _, c := range g.claims {
		if c.task == id && c.expiresAt > g.Now {
			all = append(all, Object{"agent": c.agent, "aspect": c.aspect, "expires_at": stampText(c.expiresAt)})
		}
	}
	return all
}

func (g *Graph) withClaims(t *task) Object {
	o := g.record(t)
	o["claims"] = g.liveClaims(t.id)
	return o
}

// IDs lists every task in order of its making.
func (g *Graph) IDs() []string {
	var ids []string
	for _, t := range g.tasks {
		ids = append(ids, t.id)
	}
	return ids
}

// Status is where a task stands.
func (g *Graph) Status(id string) string { return g.task(id).status }

// Kind is the type of a task.
func (g *Graph) Kind(id string) string { return g.task(id).kind }

// Version is the version of a task.
func (g *Graph) Version(id string) int { return g.task(id).version }

// HasParent reports whether a task is the child of another.
func (g *Graph) HasParent(id string) bool { return g.parent(id) != "" }

// Edges lists the keys of all edges: from, to, type.
func (g *Graph) Edges() [][3]string {
	var keys [][3]string
	for _, e := range g.edges {
		keys = append(keys, [3]string{e.from, e.to, e.kind})
	}
	return keys
}

// Claims lists the rows of all claims: task, agent, aspect.
func (g *Graph) Claims() [][3]string {
	var keys [][3]string
	for _, c := range g.claims {
		keys = append(keys, [3]string{c.task, c.agent, c.aspect})
	}
	return keys
}

// Gates lists the gates.
func (g *Graph) Gates() []string {
	var ids []string
	for _, t := range g.tasks {
		if t.kind == "gate" {
			ids = append(ids, t.id)
		}
	}
	return ids
}

// Timers lists when timer gates open, so that a clock can be set around them.
func (g *Graph) Timers() []int64 {
	var all []int64
	for _, t := range g.tasks {
		if at, ok := timer(&t); ok {
			all = append(all, at)
		}
	}
	return all
}

// Expiries lists when claims end.
func (g *Graph) Expiries() []int64 {
	var all []int64
	for _, c := range g.claims {
		all = append(all, c.expiresAt)
	}
	return all
}

// Events lists what the feed holds, without seq and id.
func (g *Graph) Events() []Object { return g.events }

// AddTask puts a task into the graph as it is, as an import does.
func (g *Graph) AddTask(id, title, status, kind, createdBy string, createdAt, updatedAt int64, version int, metadata Object) {
	t := task{
		id: id, title: title, status: status, kind: kind, createdBy: createdBy, createdAt: createdAt, updatedAt: updatedAt, version: version,
		tags: []string{}, metadata: metadata,
	}
	if status != "open" {
		t.resolvedAt = updatedAt
	}
	g.tasks = append(g.tasks, t)
}

// AddEdge puts an edge into the graph as it is, as an import does.
func (g *Graph) AddEdge(from, to, kind, createdBy string, createdAt int64) {
	g.edges = append(g.edges, edge{from, to, kind, Object{}, createdBy, createdAt})
}

// AddClaim puts the row of a claim into the graph as it is.
func (g *Graph) AddClaim(task, agent, aspect string, expiresAt int64) {
	g.claims = append(g.claims, claim{task, agent, aspect, expiresAt})
}
