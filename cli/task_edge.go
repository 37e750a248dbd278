package cli

import (
	"dev.lithos/core"
	"dev.lithos/core/display"
)

// taskEdge groups the verbs of edges between tasks.
func taskEdge() *command {
	return &command{
		name: "edge", summary: "join tasks, part them, list what joins them",
		details: "An edge has a type:\n" +
			"  blocks           FROM must be completed before TO can start\n" +
			"  waits_on_gate    FROM is a gate that TO waits for\n" +
			"  parent_child     FROM is the parent of TO\n" +
			"  discovered_from  TO was found while working on FROM",
		examples: []string{
			`lithos task edge upsert "$(lithos task create First)" "$(lithos task create Then)" --type blocks`,
		},
		group: func() []*command { return []*command{taskEdgeUpsert(), taskEdgeDelete(), taskEdgeList()} },
	}
}

var (
	edgeArguments = []argument{
		{name: "FROM", parameter: "from_task_id", completes: taskIDs},
		{name: "TO", parameter: "to_task_id", completes: taskIDs},
	}
	edgeTypeFlag = flag{name: "type", value: "TYPE", words: words(core.EdgeTypes), completes: edgeTypeNames, summary: "blocks, waits_on_gate, parent_child or discovered_from; required"}
)

// edgeType is the value of the required flag --type.
func (c *call) edgeType() string {
	if text := c.word("type"); text != nil {
		return *text
	}
	c.refuse(usageFault{
		reason: core.ReasonMissingField, field: "type", allowed: words(core.EdgeTypes),
		message: "--type is missing: what kind of edge is meant?",
	}.err())
	return ""
}

// edge writes an edge as a sentence about its ends.
func (p *page) edge(verb string, t core.EdgeType, ends core.EdgeEnds) {
	if !p.terminal {
		p.fields(ends.FromTaskID, string(t), ends.ToTaskID)
		return
	}
	labels := p.labels([]string{ends.FromTaskID, ends.ToTaskID})
	p.named(verb+" ", p.name(labels[ends.FromTaskID]), "")
	p.named("  "+edgeWords[t]+" ", p.name(labels[ends.ToTaskID]), "")
}

// edgeWords say what an edge means, read from its beginning to its end.
var edgeWords = map[core.EdgeType]string{
	core.EdgeBlocks:         "blocks",
	core.EdgeWaitsOnGate:    "is the gate of",
	core.EdgeParentChild:    "is the parent of",
	core.EdgeDiscoveredFrom: "led to",
}

// edgeSide says what an edge means to a task that lies at one of its ends.
func edgeSide(t core.EdgeType, d core.Direction) string {
	outgoing := d == core.DirectionOutgoing
	switch {
	case outgoing:
		return edgeWords[t]
	case t == core.EdgeBlocks:
		return "is blocked by"
	case t == core.EdgeWaitsOnGate:
		return "waits for the gate"
	case t == core.EdgeParentChild:
		return "is a child of"
	}
	return "was found in"
}

// edgeTable writes the edges at a task.
func (p *page) edgeTable(edges []core.EdgeItem) {
	if p.terminal && len(edges) == 0 {
		p.line("It has no edges.")
		return
	}
	ids := []string{}
	for _, e := range edges {
		ids = append(ids, otherEnd(e))
	}
	labels := map[string]label{}
	if p.terminal {
		labels = p.labels(ids)
	}
	list := &table{columns: []column{
		{title: "IT", keep: true}, {title: "", keep: true}, {title: "ID", keep: true}, {title: "TITLE", gives: 20, keep: true}, {title: "METADATA", gives: 8, drops: 1},
		{title: "BY", gives: 8, drops: 2}, {title: "AGE", right: true, keep: true, drops: 3},
	}}
	for _, e := range edges {
		if !p.terminal {
			p.fields(e.FromTaskID, string(e.Type), e.ToTaskID, string(e.Direction), e.CreatedBy, e.CreatedAt.String(), e.Metadata.Text())
			continue
		}
		l := labels[otherEnd(e)]
		metadata := ""
		if e.Metadata.Text() != "{}" {
			metadata = display.Visible(e.Metadata.Text())
		}
		list.add(
			cell{text: edgeSide(e.Type, e.Direction)},
			cell{text: l.state().Mark(p.ascii), look: stateLook[l.state()]},
			cell{text: p.id(l), look: bold},
			cell{text: display.Visible(l.Title)},
			cell{text: metadata, look: faint},
			cell{text: display.Visible(e.CreatedBy), look: faint},
			cell{text: display.Age(e.CreatedAt, p.now), look: faint},
		)
	}
	if p.terminal {
		list.write(p)
	}
}

func otherEnd(e core.EdgeItem) string {
	if e.Direction == core.DirectionOutgoing {
		return e.ToTaskID
	}
	return e.FromTaskID
}
