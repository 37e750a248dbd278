package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

var reads map[string]func(*Graph, Object) Object

func init() {
	reads = map[string]func(*Graph, Object) Object{
		"task_get": func(g *Graph, o Object) Object {
			return Object{"task": g.record(g.resolve("task_id", text(o, "task_id")))}
		},
		"task_status": func(g *Graph, o Object) Object {
			return Object{"tasks": []any{g.withClaims(g.resolve("task_id", text(o, "task_id")))}}
		},
		"task_list":      (*Graph).list,
		"task_ready":     (*Graph).ready,
		"task_blocked":   (*Graph).blocked,
		"task_children":  (*Graph).childList,
		"task_why":       (*Graph).why,
		"task_edge_list": (*Graph).edgeList,
		"finding_list":   (*Graph).findingList,
		"agent_info":     (*Graph).agentInfo,
		"agent_list":     (*Graph).agentList,
		"stats":          (*Graph).stats,
	}
}

// matches reports whether a task passes the filters that lists share.
func matches(t *task, o Object, overridden string) bool {
	for _, tag := range list(o, "tags") {
		if !slices.Contains(t.tags, tag) {
			return false
		}
	}
	match, _ := o["metadata_match"].(Object)
	for key, want := range match {
		if key == overridden {
			continue
		}
		stored, there := t.metadata[key]
		if !there || !holds(stored, want) {
			return false
		}
	}
	return true
}

// holds reports whether a stored value equals a scalar or is a list with an
// element that does.
func holds(stored, want any) bool {
	if items, ok := stored.([]any); ok {
		return slices.ContainsFunc(items, func(item any) bool { return equal(item, want) })
	}
	return equal(stored, want)
}

// equal compares two scalars of the same kind; an integer is no real.
func equal(a, b any) bool {
	kindA, valueA := scalar(a)
	kindB, valueB := scalar(b)
	return kindA != "" && kindA == kindB && valueA == valueB
}

func scalar(v any) (kind string, value any) {
	switch v := v.(type) {
	case string:
		return "string", v
	case bool:
		return "boolean", v
	case int:
		return "integer", strconv.Itoa(v)
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			f, err := v.Float64()
			if err != nil {
				panic(err)
			}
			return "real", f
		}
		return "integer", string(v)
	}
	return "", nil
}

func rank(t *task) int {
	word, _ := t.metadata["priority"].(string)
	at := slices.Index([]string{"highest", "high", "medium", "low", "lowest"}, word)
	if at < 0 {
		return 2
	}
	return at
}

// frontier lists the tasks of one half that pass the filters, in order.
func (g *Graph) frontier(half func(*task) bool, o Object, order string) []*task {
	overridden := ""
	if given(o, "project") {
		overridden = "project"
	}
	var all []*task
	for i := range g.tasks {
		t := &g.tasks[i]
		if !half(t) || !matches(t, o, overridden) {
			continue
		}
		if project, ok := o["project"].(string); ok && !holds(t.metadata["project"], project) {
			continue
		}
		all = append(all, t)
	}
	byAge := func(a, b *task) int { return cmp.Or(cmp.Compare(a.createdAt, b.createdAt), cmp.Compare(a.id, b.id)) }
	byPriority := func(a, b *task) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), byAge(a, b)) }
	slices.SortFunc(all, map[string]func(a, b *task) int{
		"priority": byPriority,
		"created":  byAge,
		"updated":  func(a, b *task) int { return cmp.Or(cmp.Compare(b.updatedAt, a.updatedAt), cmp.Compare(a.id, b.id)) },
		"impact":   func(a, b *task) int { return cmp.Or(cmp.Compare(g.impact(b.id), g.impact(a.id)), byPriority(a, b)) },
	}[order])
	return all
}

func (g *Graph) page(o Object, half func(*task) bool, show func(*task) Object) Object {
	judgeLeast(o, "limit", 1)
	judgeMatch(o)
	order := "priority"
	if given(o, "sort") {
		order = text(o, "sort")
	}
	judgeWord("invalid_input", "invalid_field_value", "sort", order, "priority", "created", "updated", "impact")
	judgeLeast(o, "offset", 0)
	all := g.frontier(half, o, order)
	all = all[min(integer(o, "offset", 0), len(all)):]
	limit := integer(o, "limit", 50)
	shown := []any{}
	for _, t := range all[:min(limit, len(all))] {
		shown = append(shown, show(t))
	}
	return Object{"tasks": shown, "has_more": len(all) > limit}
}

func (g *Graph) ready(o Object) Object {
	show := g.record
	if flag(o, "with_claims", true) {
		show = g.withClaims
	}
	return g.page(o, g.isReady, show)
}

func (g *Graph) blocked(o Object) Object {
	return g.page(o, g.isBlocked, func(t *task) Object { return with(g.record(t), Object{"blockers": g.blockers(t.id)}) })
}

func (g *Graph) list(o Object) Object {
	judgeLeast(o, "limit", 1)
	if status := text(o, "status"); status != "" {
		judgeWord("invalid_input", "invalid_status", "status", status, "open", "completed", "cancelled")
	}
	judgeFilterTime(o, "since")
	judgeFilterTime(o, "resolved_since")
	judgeMatch(o)
	if kind := text(o, "task_type"); kind != "" {
		judgeWord("invalid_task_type", "", "task_type", kind, "task", "epic", "gate")
	}
	judgeLeast(o, "offset", 0)
	since, bySince := readTime(text(o, "since"))
	resolved, byResolved := readTime(text(o, "resolved_since"))
	var all []*task
	for i := range g.tasks {
		t := &g.tasks[i]
		claimed := slices.ContainsFunc(g.claims, func(c claim) bool {
			return c.task == t.id && c.expiresAt > g.Now && (text(o, "claimed_by") == "*" || c.agent == text(o, "claimed_by"))
		})
		description, _ := t.description.(string)
		needle := strings.ToLower(text(o, "text"))
		switch {
		case text(o, "agent") != "" && t.createdBy != text(o, "agent"),
			text(o, "status") != "" && t.status != text(o, "status"),
			text(o, "task_type") != "" && t.kind != text(o, "task_type"),
			bySince && t.createdAt < since,
			byResolved && (t.resolvedAt == nil || t.resolvedAt.(int64) < resolved),
			text(o, "claimed_by") != "" && !claimed,
			needle != "" && !strings.Contains(strings.ToLower(t.title), needle) && !strings.Contains(strings.ToLower(description), needle) && !strings.HasPrefix(t.id, text(o, "text")),
			!matches(t, o, ""):
			continue
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *task) int { return cmp.Or(cmp.Compare(b.createdAt, a.createdAt), cmp.Compare(a.id, b.id)) })
	all = all[min(integer(o, "offset", 0), len(all)):]
	answer := Object{}
	if given(o, "limit") {
		answer["has_more"] = len(all) > integer(o, "limit", 0)
		all = all[:min(integer(o, "limit", 0), len(all))]
	}
	shown := []any{}
	for _, t := range all {
		if flag(o, "with_claims", false) {
			shown = append(shown, g.withClaims(t))
		} else {
			shown = append(shown, g.record(t))
		}
	}
	answer["tasks"] = shown
	return answer
}

func (g *Graph) childList(o Object) Object {
	root := g.resolve("task_id", text(o, "task_id"))
	seen := map[string]bool{root.id: true}
	shown := []any{}
	for queue := []*task{root}; len(queue) > 0; queue = queue[1:] {
		for _, child := range g.children(queue[0].id) {
			if seen[child.id] {
				continue
			}
			seen[child.id] = true
			if child.status == "open" || flag(o, "include_closed", false) {
				shown = append(shown, g.record(child))
			}
			if flag(o, "recursive", false) {
				queue = append(queue, child)
			}
		}
	}
	return Object{"tasks": shown}
}

func (g *Graph) edgeList(o Object) Object {
	direction := "both"
	if given(o, "direction") {
		direction = text(o, "direction")
	}
	judgeWord("invalid_input", "invalid_field_value", "direction", direction, "incoming", "outgoing", "both")
	t := g.resolve("task_id", text(o, "task_id"))
	shown := []any{}
	for _, side := range []string{"outgoing", "incoming"} {
		if direction != side && direction != "both" {
			continue
		}
		var some []edge
		for _, e := range g.edges {
			here := e.from
			if side == "incoming" {
				here = e.to
			}
			if here == t.id && (len(list(o, "types")) == 0 || slices.Contains(list(o, "types"), e.kind)) {
				some = append(some, e)
			}
		}
		slices.SortStableFunc(some, func(a, b edge) int { return cmp.Compare(a.kind, b.kind) })
		for _, e := range some {
			shown = append(shown, Object{
				"from_task_id": e.from, "to_task_id": e.to, "type": e.kind, "direction": side, "metadata": e.metadata,
				"created_by": e.createdBy, "created_at": stampText(e.createdAt),
			})
		}
	}
	return Object{"edges": shown}
}

func (g *Graph) findingList(o Object) Object {
	judgeTime(o, "since")
	t := g.resolve("task_id", text(o, "task_id"))
	since, bySince := readTime(text(o, "since"))
	var some []finding
	for _, f := range g.findings {
		if f.task == t.id && (!bySince || f.createdAt > since) {
			some = append(some, f)
		}
	}
	slices.SortStableFunc(some, func(a, b finding) int { return cmp.Compare(a.createdAt, b.createdAt) })
	shown := []any{}
	for _, f := range some {
		shown = append(shown, Object{
			"id": f.id, "agent": f.agent, "summary": f.summary, "knowledge_id": f.knowledgeID, "created_at": stampText(f.createdAt),
		})
	}
	return Object{"findings": shown}
}

func (g *Graph) agentInfo(o Object) Object {
	for _, a := range g.agents {
		if a.id == text(o, "id") {
			return Object{"result": Object{
				"id": a.id, "name": a.name, "type": a.kind, "first_seen_at": stampText(a.firstSeenAt), "last_seen_at": stampText(a.lastSeenAt),
				"metadata": a.metadata,
			}}
		}
	}
	return Object{"result": nil}
}

func (g *Graph) agentList(o Object) Object {
	judgeTime(o, "active_since")
	since, bySince := readTime(text(o, "active_since"))
	var some []agent
	for _, a := range g.agents {
		if given(o, "type") && a.kind != o["type"] || bySince && a.lastSeenAt < since {
			continue
		}
		some = append(some, a)
	}
	slices.SortFunc(some, func(a, b agent) int { return cmp.Or(cmp.Compare(b.lastSeenAt, a.lastSeenAt), cmp.Compare(a.id, b.id)) })
	shown := []any{}
	for _, a := range some {
		shown = append(shown, Object{"id": a.id, "name": a.name, "type": a.kind, "last_seen_at": stampText(a.lastSeenAt)})
	}
	return Object{"agents": shown}
}

func (g *Graph) stats(Object) Object {
	open, live, expired := 0, 0, 0
	for _, t := range g.tasks {
		if t.status == "open" {
			open++
		}
	}
	for _, c := range g.claims {
		if c.expiresAt > g.Now {
			live++
		} else {
			expired++
		}
	}
	return Object{
		"documents": 0, "chroma_chunk_count": 0, "agents": len(g.agents), "active_tasks": open, "open_claims": live, "tags": 0,
		"duplicate_urls": 0, "index_drift_detected": false, "tantivy_doc_count": 0, "unresolved_links": 0, "expired_docs": 0,
		"expired_claims": expired, "tantivy_last_updated": nil, "chroma_last_updated": nil, "graph_node_count": 0, "graph_edge_count": 0,
	}
}
