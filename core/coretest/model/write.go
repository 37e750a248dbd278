package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// write is one mutating operation: how its values are judged, and what it does.
type write struct {
	values   func(Object)
	step     func(*Graph, Object) Object
	replayed bool // takes a request_id
	defaults Object
	named    bool // makes a task, so that task_apply can name it
	ids      []string
}

var writes map[string]write

func init() {
	writes = map[string]write{
		"task_create": {
			values: func(o Object) {
				judgeTitle(o)
				judgeName(o, "agent")
				judgeBody(o, "description")
				judgeTags(o, "tags")
				judgeName(o, "request_id")
			},
			step: (*Graph).create, replayed: true, named: true, defaults: Object{"task_type": "task"}, ids: []string{"parent_task_id", "depends_on"},
		},
		"task_spawn": {
			values: func(o Object) {
				judgeTitle(o)
				judgeName(o, "agent")
				judgeBody(o, "description")
				judgeName(o, "request_id")
			},
			step: (*Graph).spawn, replayed: true, named: true, ids: []string{"source_task_id"},
			defaults: Object{"relation_type": "discovered_from", "inherit_project": true, "inherit_tags": true, "inherit_context": true},
		},
		"task_update": {
			values: func(o Object) {
				judgeName(o, "agent")
				judgeTitle(o)
				judgeBody(o, "description")
				judgeTags(o, "tags")
				judgeTags(o, "add_tags")
				judgeTags(o, "remove_tags")
				judgeVersion(o)
				for _, key := range []string{"title", "description", "tags", "metadata", "add_tags", "remove_tags"} {
					if given(o, key) {
						return
					}
				}
				refuse("invalid_input", Object{"reason": "missing_field"})
			},
			step: (*Graph).update, ids: []string{"task_id"},
		},
		"task_complete": {
			values: func(o Object) { judgeName(o, "agent"); judgeBody(o, "outcome"); judgeVersion(o) },
			step:   (*Graph).complete, ids: []string{"task_id"},
		},
		"task_cancel": {
			values: func(o Object) { judgeName(o, "agent"); judgeBody(o, "reason"); judgeVersion(o) },
			step:   (*Graph).cancel, ids: []string{"task_id"},
		},
		"task_reopen": {
			values: func(o Object) { judgeName(o, "agent"); judgeVersion(o) },
			step:   (*Graph).reopen, ids: []string{"task_id"},
		},
		"task_claim":   {values: judgeClaim, step: (*Graph).claim, ids: []string{"task_id"}},
		"task_renew":   {values: judgeClaim, step: (*Graph).renew, ids: []string{"task_id"}},
		"task_release": {values: judgeClaim, step: (*Graph).release, ids: []string{"task_id"}},
		"task_next": {
			values: func(o Object) { judgeName(o, "agent"); judgeMatch(o); judgeName(o, "aspect") },
			step:   (*Graph).next,
		},
		"task_edge_upsert": {
			values: func(o Object) { judgeName(o, "agent") }, step: (*Graph).edgeUpsert, ids: []string{"from_task_id", "to_task_id"},
		},
		"task_edge_delete": {
			values: func(o Object) { judgeName(o, "agent") }, step: (*Graph).edgeDelete, ids: []string{"from_task_id", "to_task_id"},
		},
		"finding_post": {
			values: func(o Object) { judgeName(o, "agent"); judgeBody(o, "summary") }, step: (*Graph).findingPost, ids: []string{"task_id"},
		},
		"agent_register": {values: func(o Object) { judgeName(o, "id") }, step: (*Graph).register},
	}
}

func judgeClaim(o Object) { judgeName(o, "aspect"); judgeName(o, "agent") }

// once answers a known request_id with what was answered before.
func (g *Graph) once(tool, agent string, arguments Object, canonical string, run func() Object) Object {
	id, ok := arguments["request_id"].(string)
	if !ok {
		return run()
	}
	for _, r := range g.replays {
		if r.agent == agent && r.requestID == id {
			if r.tool != tool || r.arguments != canonical {
				refuseValue("request_id", id)
			}
			return r.answer
		}
	}
	answer := run()
	g.replays = append(g.replays, replay{agent, id, tool, canonical, answer})
	return answer
}

// see registers the acting agent or moves when it was last seen.
func (g *Graph) see(id string) {
	for i := range g.agents {
		if g.agents[i].id == id {
			g.agents[i].lastSeenAt = g.Now
			return
		}
	}
	g.agents = append(g.agents, agent{id: id, firstSeenAt: g.Now, lastSeenAt: g.Now, metadata: Object{}})
	g.emit("agent.registered", id, []string{}, Object{"agent_id": id, "name": "", "created": true})
}

func (g *Graph) emit(kind, agent string, tags []string, payload Object) {
	g.events = append(g.events, Object{"type": kind, "timestamp": stampText(g.Now), "agent": agent, "payload": payload, "tags": anyList(tags)})
}

func echo(t *task) Object {
	return Object{"task_id": t.id, "title": t.title, "updated_at": stampText(t.updatedAt), "version": t.version}
}

func with(o Object, more Object) Object {
	maps.Copy(o, more)
	return o
}

func (g *Graph) add(o Object, kind string, metadata Object, tags []string) *task {
	id := g.Fresh()
	g.tasks = append(g.tasks, task{
		id: id, title: text(o, "title"), description: o["description"], status: "open", kind: kind, createdBy: text(o, "agent"),
		createdAt: g.Now, updatedAt: g.Now, version: 1, tags: tags, metadata: metadata,
	})
	return g.task(id)
}

func (g *Graph) join(from, to, kind, agent string) {
	g.edges = append(g.edges, edge{from, to, kind, Object{}, agent, g.Now})
	g.emitEdge("task.edge_upserted", agent, from, to, Object{"from_task_id": from, "to_task_id": to, "type": kind, "metadata": Object{}})
}

func (g *Graph) emitEdge(kind, agent, from, to string, payload Object) {
	var tags []string
	for _, tag := range slices.Concat(g.task(from).tags, g.task(to).tags) {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	g.emit(kind, agent, tags, payload)
}

func (g *Graph) create(o Object) Object {
	var parent string
	if given(o, "parent_task_id") {
		parent = g.resolve("parent_task_id", text(o, "parent_task_id")).id
	}
	var dependencies []string
	for i, id := range list(o, "depends_on") {
		dependencies = append(dependencies, g.resolve(fmt.Sprintf("depends_on[%d]", i), id).id)
	}
	judgeKeys(o["metadata"])
	kind := "task"
	if given(o, "task_type") {
		kind = text(o, "task_type")
	}
	judgeWord("invalid_task_type", "", "task_type", kind, "task", "epic", "gate")
	metadata, ok := o["metadata"].(Object)
	if !ok {
		metadata = Object{}
	}
	if kind == "gate" {
		metadata = judgeGate(metadata)
	}
	if parent != "" {
		g.judgeDepth(g.level(parent) + 1)
	}
	actor := text(o, "agent")
	g.see(actor)
	t := g.add(o, kind, metadata, list(o, "tags"))
	id := t.id
	g.emit("task.created", actor, t.tags, Object{
		"task_id": id, "title": t.title, "task_type": kind, "updated_at": stampText(t.updatedAt), "version": 1,
	})
	answer := echo(t)
	for i, dependency := range dependencies {
		if !slices.Contains(dependencies[:i], dependency) {
			g.join(dependency, id, "blocks", actor)
		}
	}
	if parent != "" {
		g.join(parent, id, "parent_child", actor)
		answer["parent_task_id"] = parent
	}
	if given(o, "depends_on") {
		answer["depends_on"] = anyList(dependencies)
	}
	return answer
}

func (g *Graph) judgeDepth(depth int) {
	if depth > g.MaxDepth {
		refuse("too_deep", Object{"depth": depth, "limit": g.MaxDepth})
	}
}

func (g *Graph) spawn(o Object) Object {
	source := *g.resolve("source_task_id", text(o, "source_task_id"))
	relation := "discovered_from"
	if given(o, "relation_type") {
		relation = text(o, "relation_type")
	}
	judgeWord("invalid_relation_type", "", "relation_type", relation, "discovered_from", "blocks")
	judgeKeys(o["metadata"])
	metadata := Object{}
	var inherited []string
	if flag(o, "inherit_project", true) {
		inherited = append(inherited, "project")
	}
	if flag(o, "inherit_context", true) {
		inherited = append(inherited, "priority", "parallelizable", "phase")
	}
	for _, key := range inherited {
		if value, ok := source.metadata[key]; ok {
			metadata[key] = value
		}
	}
	if own, ok := o["metadata"].(Object); ok {
		maps.Copy(metadata, own)
	}
	var tags []string
	if flag(o, "inherit_tags", true) {
		tags = source.tags
	}
	actor := text(o, "agent")
	g.see(actor)
	t := g.add(o, "task", metadata, tags)
	answer := with(echo(t), Object{"source_task_id": source.id})
	g.emit("task.created", actor, t.tags, Object{
		"task_id": t.id, "title": t.title, "task_type": "task", "updated_at": stampText(t.updatedAt), "version": 1, "source_task_id": source.id,
	})
	g.join(source.id, t.id, relation, actor)
	return answer
}

func (g *Graph) judgeVersion(t *task, o Object) {
	if expected, ok := o["expected_version"].(int); ok && expected != t.version {
		refuse("version_conflict", Object{"expected_version": expected, "current_version": t.version, "current": g.record(t)})
	}
}

// advance moves stamp and version of a task on.
func (g *Graph) advance(t *task) {
	t.updatedAt = max(g.Now, t.updatedAt+1)
	t.version++
}

func (g *Graph) update(o Object) Object {
	t := g.resolve("task_id", text(o, "task_id"))
	judgeKeys(o["metadata"])
	if given(o, "tags") && (given(o, "add_tags") || given(o, "remove_tags")) {
		refuse("invalid_input", Object{"reason": "invalid_field_value", "field": "tags"})
	}
	for _, tag := range list(o, "add_tags") {
		if slices.Contains(list(o, "remove_tags"), tag) {
			refuseValue("add_tags", tag)
		}
	}
	g.judgeVersion(t, o)
	changed := []any{}
	if given(o, "title") {
		t.title = text(o, "title")
		changed = append(changed, "title")
	}
	if given(o, "description") {
		t.description = text(o, "description")
		changed = append(changed, "description")
	}
	if given(o, "tags") {
		t.tags = list(o, "tags")
	}
	if given(o, "add_tags") || given(o, "remove_tags") {
		var kept []string
		for _, tag := range t.tags {
			if !slices.Contains(list(o, "remove_tags"), tag) {
				kept = append(kept, tag)
			}
		}
		for _, tag := range list(o, "add_tags") {
			if !slices.Contains(kept, tag) {
				kept = append(kept, tag)
			}
		}
		t.tags = kept
	}
	if given(o, "tags") || given(o, "add_tags") || given(o, "remove_tags") {
		changed = append(changed, "tags")
	}
	if patch, ok := o["metadata"].(Object); ok {
		merged := maps.Clone(t.metadata)
		for key, value := range patch {
			if value == nil {
				delete(merged, key)
			} else {
				merged[key] = value
			}
		}
		if t.kind == "gate" {
			merged = judgeGate(merged)
		}
		t.metadata = merged
		changed = append(changed, "metadata")
	}
	actor := text(o, "agent")
	g.see(actor)
	g.advance(t)
	g.emit("task.updated", actor, t.tags, Object{
		"task_id": t.id, "updated_at": stampText(t.updatedAt), "version": t.version, "changed_fields": changed,
	})
	var names Mentions
	for _, name := range changed {
		names = append(names, name.(string))
	}
	return with(echo(t), Object{"success": true, "message": names})
}

// finish ends an open task; what is returned are the claims it dropped.
func (g *Graph) finish(t *task, o Object, status string) []any {
	if t.status != "open" {
		refuse("task_not_found", Object{"field": "task_id", "value": text(o, "task_id"), "task_status": t.status})
	}
	g.judgeVersion(t, o)
	g.see(text(o, "agent"))
	dropped := []any{}
	for _, c := range g.claims {
		if c.task == t.id && c.expiresAt > g.Now {
			dropped = append(dropped, Object{"agent": c.agent, "aspect": c.aspect})
		}
	}
	g.claims = slices.DeleteFunc(slices.Clone(g.claims), func(c claim) bool { return c.task == t.id })
	g.advance(t)
	t.status, t.resolvedAt = status, t.updatedAt
	return dropped
}

// targets lists the distinct ends of the edges that leave a task over
// dependency types, by id, that pass the test.
func (g *Graph) targets(id string, test func(*task) bool) []any {
	var ids []string
	for _, e := range g.edges {
		if e.from == id && isDependency(e.kind) && test(g.task(e.to)) && !slices.Contains(ids, e.to) {
			ids = append(ids, e.to)
		}
	}
	slices.Sort(ids)
	return anyList(ids)
}

func (g *Graph) complete(o Object) Object {
	t := g.resolve("task_id", text(o, "task_id"))
	if (given(o, "cited_nodes") || given(o, "misleading_nodes")) && given(o, "receipt_id") {
		refuse("receipt_not_found", Object{"receipt_id": o["receipt_id"]})
	}
	dropped := g.finish(t, o, "completed")
	t.outcome = o["outcome"]
	g.emit("task.completed", text(o, "agent"), t.tags, Object{
		"task_id": t.id, "agent": o["agent"], "outcome": o["outcome"], "cited_nodes": o["cited_nodes"], "misleading_nodes": o["misleading_nodes"],
		"receipt_id": o["receipt_id"], "updated_at": stampText(t.updatedAt), "version": t.version, "dropped_claims": dropped,
	})
	return with(echo(t), Object{"success": true, "unblocked": g.targets(t.id, g.isReady)})
}

func (g *Graph) cancel(o Object) Object {
	t := g.resolve("task_id", text(o, "task_id"))
	dropped := g.finish(t, o, "cancelled")
	var findingID any
	if reason, ok := o["reason"].(string); ok && !isBlank(reason) {
		findingID = g.note(t.id, text(o, "agent"), "[Cancelled] "+reason, nil)
	}
	g.emit("task.cancelled", text(o, "agent"), t.tags, Object{
		"task_id": t.id, "agent": o["agent"], "reason": o["reason"], "updated_at": stampText(t.updatedAt), "version": t.version,
		"finding_id": findingID, "dropped_claims": dropped,
	})
	return with(echo(t), Object{"success": true, "stranded": g.targets(t.id, func(t *task) bool { return t.status == "open" && t.kind == "task" })})
}

func (g *Graph) note(task, agent, summary string, knowledgeID any) string {
	id := g.Fresh()
	g.findings = append(g.findings, finding{id, task, agent, summary, knowledgeID, g.Now})
	return id
}

func (g *Graph) reopen(o Object) Object {
	t := g.resolve("task_id", text(o, "task_id"))
	if t.status == "open" {
		refuse("task_not_resolved", Object{"task_id": t.id})
	}
	g.judgeVersion(t, o)
	g.see(text(o, "agent"))
	priorStatus, priorOutcome := t.status, t.outcome
	g.advance(t)
	t.status, t.resolvedAt, t.outcome = "open", nil, nil
	remark := "[Reopened] task reopened (was " + priorStatus + ")"
	if outcome, ok := priorOutcome.(string); ok && outcome != "" {
		remark += "; prior outcome: " + outcome
	}
	findingID := g.note(t.id, text(o, "agent"), remark, nil)
	g.emit("task.reopened", text(o, "agent"), t.tags, Object{
		"task_id": t.id, "agent": o["agent"], "prior_status": priorStatus, "prior_outcome": priorOutcome,
		"updated_at": stampText(t.updatedAt), "version": t.version, "finding_id": findingID,
	})
	reblocked := []any{}
	if priorStatus == "completed" {
		reblocked = g.targets(t.id, func(target *task) bool {
			live := g.liveInto(target.id)
			return target.status == "open" && len(live) > 0 && !slices.ContainsFunc(live, func(e edge) bool { return e.from != t.id })
		})
	}
	return with(echo(t), Object{"success": true, "reblocked": reblocked})
}

func (g *Graph) expiry(o Object) int64 {
	minutes := min(max(integer(o, "ttl_minutes", 60), 1), 480)
	return g.Now + int64(minutes)*60_000_000
}

func (g *Graph) claim(o Object) Object {
	t := g.resolve("task_id", text(o, "task_id"))
	if t.status != "open" {
		refuse("claim_failed", Object{"reason": "not_open", "holder": nil, "aspect": o["aspect"], "expires_at": nil, "seconds_left": nil})
	}
	g.take(t, text(o, "agent"), text(o, "aspect"), g.expiry(o))
	return with(echo(t), Object{"success": true, "expires_at": stampText(g.expiry(o))})
}

func (g *Graph) take(t *task, agent, aspect string, expiresAt int64) {
	at := slices.IndexFunc(g.claims, func(c claim) bool { return c.task == t.id && c.aspect == aspect })
	if at < 0 {
		g.claims = append(g.claims, claim{t.id, agent, aspect, expiresAt})
	} else {
		c := &g.claims[at]
		if c.agent != agent && c.expiresAt > g.Now {
			left := c.expiresAt - g.Now
			seconds := left / 1_000_000
			if left%1_000_000 != 0 {
				seconds++
			}
			refuse("claim_failed", Object{
				"reason": "held", "holder": c.agent, "aspect": aspect, "expires_at": stampText(c.expiresAt), "seconds_left": seconds,
			})
		}
		c.agent, c.expiresAt = agent, expiresAt
	}
	g.see(agent)
	g.emit("task.claimed", agent, t.tags, Object{"task_id": t.id, "agent": agent, "aspect": aspect, "expires_at": stampText(expiresAt)})
}

func (g *Graph) own(t *task, o Object, test func(claim) bool) int {
	at := slices.IndexFunc(g.claims, func(c claim) bool {
		return c.task == t.id && c.aspect == text(o, "aspect") && c.agent == text(o, "agent") && test(c)
	})
	if at < 0 {
		refuse("claim_not_found", Object{"aspect": o["aspect"]})
	}
	return at
}

func (g *Graph) renew(o Object) Object {
	t := g.resolve("task_id", text(o, "task_id"))
	at := g.own(t, o, func(c claim) bool { return c.expiresAt > g.Now })
	g.claims[at].expiresAt = g.expiry(o)
	g.see(text(o, "agent"))
	g.emit("task.renewed", text(o, "agent"), t.tags, Object{
		"task_id": t.id, "agent": o["agent"], "aspect": o["aspect"], "expires_at": stampText(g.expiry(o)),
	})
	return with(echo(t), Object{"success": true, "new_expires_at": stampText(g.expiry(o))})
}

func (g *Graph) release(o Object) Object {
	t := g.resolve("task_id", text(o, "task_id"))
	at := g.own(t, o, func(claim) bool { return true })
	g.claims = slices.Delete(slices.Clone(g.claims), at, at+1)
	g.see(text(o, "agent"))
	g.emit("task.released", text(o, "agent"), t.tags, Object{"task_id": t.id, "agent": o["agent"], "aspect": o["aspect"]})
	return with(echo(t), Object{"success": true})
}

func (g *Graph) next(o Object) Object {
	aspect := "work"
	if given(o, "aspect") {
		aspect = text(o, "aspect")
	}
	for _, t := range g.frontier(g.isReady, o, "priority") {
		if slices.ContainsFunc(g.claims, func(c claim) bool { return c.task == t.id && c.aspect == aspect && c.expiresAt > g.Now }) {
			continue
		}
		g.take(t, text(o, "agent"), aspect, g.expiry(o))
		return Object{
			"task":  g.withClaims(t),
			"claim": Object{"agent": o["agent"], "aspect": aspect, "expires_at": stampText(g.expiry(o))},
		}
	}
	return Object{"task": nil}
}

func (g *Graph) findEdge(from, to, kind string) int {
	return slices.IndexFunc(g.edges, func(e edge) bool { return e.from == from && e.to == to && e.kind == kind })
}

func (g *Graph) ends(o Object) (from, to *task, kind string) {
	from = g.resolve("from_task_id", text(o, "from_task_id"))
	to = g.resolve("to_task_id", text(o, "to_task_id"))
	kind = text(o, "type")
	judgeWord("invalid_edge_type", "", "type", kind, "blocks", "waits_on_gate", "parent_child", "discovered_from")
	return from, to, kind
}

func edgeAnswer(from, to *task) Object {
	return Object{
		"success": true, "from_task_id": from.id, "from_title": from.title, "to_task_id": to.id, "to_title": to.title,
		"from_updated_at": stampText(from.updatedAt), "to_updated_at": stampText(to.updatedAt),
	}
}

func (g *Graph) judgeRing(from, to, kind string, kinds []string) {
	way := g.ring(from, to, kinds, false)
	if way == nil {
		return
	}
	path := []any{}
	for _, id := range way {
		path = append(path, Object{"id": id, "title": g.task(id).title})
	}
	refuse("cycle", Object{"edge_type": kind, "path": path})
}

func (g *Graph) edgeUpsert(o Object) Object {
	from, to, kind := g.ends(o)
	if from.id == to.id {
		refuse("self_edge", Object{"task_id": from.id})
	}
	if kind == "waits_on_gate" && from.kind != "gate" {
		refuse("not_a_gate", Object{"task_id": from.id, "task_type": from.kind})
	}
	metadata, ok := o["metadata"].(Object)
	if !ok {
		metadata = Object{}
	}
	at := g.findEdge(from.id, to.id, kind)
	if at < 0 {
		switch {
		case isDependency(kind):
			g.judgeRing(from.id, to.id, kind, []string{"blocks", "waits_on_gate"})
		case kind == "parent_child":
			if parent := g.parent(to.id); parent != "" {
				refuse("parent_exists", Object{"parent_id": parent, "parent_title": g.task(parent).title})
			}
			g.judgeRing(from.id, to.id, kind, []string{"parent_child"})
			g.judgeDepth(g.level(from.id) + g.height(to.id))
		}
		g.edges = append(g.edges, edge{from.id, to.id, kind, metadata, text(o, "agent"), g.Now})
	} else {
		g.edges[at].metadata = metadata
	}
	g.see(text(o, "agent"))
	g.emitEdge("task.edge_upserted", text(o, "agent"), from.id, to.id, Object{
		"from_task_id": from.id, "to_task_id": to.id, "type": kind, "metadata": metadata,
	})
	return edgeAnswer(from, to)
}

func (g *Graph) edgeDelete(o Object) Object {
	from, to, kind := g.ends(o)
	at := g.findEdge(from.id, to.id, kind)
	if at < 0 {
		refuse("edge_not_found", Object{"from_task_id": from.id, "to_task_id": to.id, "type": kind})
	}
	g.edges = slices.Delete(slices.Clone(g.edges), at, at+1)
	g.see(text(o, "agent"))
	g.emitEdge("task.edge_deleted", text(o, "agent"), from.id, to.id, Object{"from_task_id": from.id, "to_task_id": to.id, "type": kind})
	return with(edgeAnswer(from, to), Object{"type": kind})
}

func (g *Graph) findingPost(o Object) Object {
	t := g.resolve("task_id", text(o, "task_id"))
	g.see(text(o, "agent"))
	id := g.note(t.id, text(o, "agent"), text(o, "summary"), o["knowledge_id"])
	payload := Object{"finding_id": id, "task_id": t.id, "agent": o["agent"]}
	if given(o, "knowledge_id") {
		payload["knowledge_id"] = o["knowledge_id"]
	}
	g.emit("finding.posted", text(o, "agent"), t.tags, payload)
	return with(echo(t), Object{"finding_id": id})
}

func (g *Graph) register(o Object) Object {
	id := text(o, "id")
	at := slices.IndexFunc(g.agents, func(a agent) bool { return a.id == id })
	created := at < 0
	if created {
		g.agents = append(g.agents, agent{id: id, firstSeenAt: g.Now, metadata: Object{}})
		at = len(g.agents) - 1
	}
	a := &g.agents[at]
	a.lastSeenAt = g.Now
	if given(o, "name") {
		a.name = o["name"]
	}
	if given(o, "type") {
		a.kind = o["type"]
	}
	if metadata, ok := o["metadata"].(Object); ok && len(metadata) > 0 {
		a.metadata = metadata
	}
	name, _ := a.name.(string)
	g.emit("agent.registered", id, []string{}, Object{"agent_id": id, "name": name, "created": created})
	return Object{"success": true, "created": created}
}

// planned is one operation of an apply.
type planned struct {
	word, name string
	write      write
	arguments  Object
}

func (g *Graph) apply(o Object) Object {
	operations, _ := o["operations"].([]any)
	if len(operations) == 0 {
		refuse("invalid_input", Object{"reason": "missing_field", "field": "operations"})
	}
	judgeName(o, "agent")
	judgeName(o, "request_id")
	if given(o, "request_id") && !given(o, "agent") {
		refuse("invalid_input", Object{"reason": "missing_field", "field": "agent"})
	}
	var plan []planned
	for i, item := range operations {
		at(i, func() {
			p := planned{arguments: Object{}}
			for key, value := range item.(Object) {
				switch key {
				case "op":
					p.word = value.(string)
				case "as":
					p.name, _ = value.(string)
				default:
					p.arguments[key] = value
				}
			}
			tool := "task_" + p.word
			if p.word == "finding_post" {
				tool = p.word
			}
			p.write = writes[tool]
			if !given(p.arguments, "agent") {
				if !given(o, "agent") {
					refuse("invalid_input", Object{"reason": "missing_field", "field": "agent"})
				}
				p.arguments["agent"] = o["agent"]
			}
			plan = append(plan, p)
		})
	}
	names := map[string]bool{}
	same := ""
	for i, p := range plan {
		at(i, func() {
			p.write.values(p.arguments)
			p.eachReference(func(field, s string) string {
				if strings.HasPrefix(s, "$") && !names[s[1:]] {
					refuseValue(field, s)
				}
				return s
			})
			if p.name != "" {
				if names[p.name] {
					refuseValue("as", p.name)
				}
				names[p.name] = true
			}
		})
		same += p.word + " " + p.name + canonical(p.arguments, p.write.defaults)
	}
	return g.once("task_apply", text(o, "agent"), o, same, func() Object {
		ids := Object{}
		results := []any{}
		for i, p := range plan {
			at(i, func() {
				arguments := p.eachReference(func(_, s string) string {
					if strings.HasPrefix(s, "$") {
						return ids[s[1:]].(string)
					}
					return s
				})
				answer := p.write.step(g, arguments)
				if p.name != "" {
					ids[p.name] = answer["task_id"]
				}
				results = append(results, with(maps.Clone(answer), Object{"op": p.word}))
			})
		}
		return Object{"success": true, "ids": ids, "results": results}
	})
}

// at adds the index of an operation to what run refuses.
func at(index int, run func()) {
	defer func() {
		if reason := recover(); reason != nil {
			if f, refused := reason.(failure); refused {
				f.extras["operation_index"] = index
				reason = f
			}
			panic(reason)
		}
	}()
	run()
}

// eachReference returns the arguments with each id replaced.
func (p planned) eachReference(replace func(field, s string) string) Object {
	replaced := maps.Clone(p.arguments)
	for _, key := range p.write.ids {
		switch value := p.arguments[key].(type) {
		case string:
			replaced[key] = replace(key, value)
		case []any:
			all := []any{}
			for i, item := range value {
				all = append(all, replace(fmt.Sprintf("%s[%d]", key, i), item.(string)))
			}
			replaced[key] = all
		}
	}
	return replaced
}
