package cli

import "dev.lithos/core"

func taskEdgeUpsert() *command {
	return &command{
		name: "upsert", operation: core.TaskEdgeUpsert,
		summary: "add an edge, or replace its metadata",
		details: "An edge that would close a ring of waiting or of parents is refused, and the ring is shown.\n" +
			"A task has one parent: delete that edge before it gets another.",
		arguments: edgeArguments,
		flags: []flag{
			edgeTypeFlag,
			{name: "meta", value: "KEY=TEXT", parameter: "metadata", many: true, summary: "metadata of the edge; KEY:=JSON for a value that is no string"},
		},
		examples: []string{
			"lithos task edge upsert d41e8b 9c1f02 --type waits_on_gate",
			`lithos task edge upsert "$(lithos task create First)" "$(lithos task create Then)" --type blocks`,
		},
		run: func(c *call) error {
			request := core.TaskEdgeUpsertRequest{
				FromTaskID: c.argument(0), ToTaskID: c.argument(1), Type: c.edgeType(), Agent: c.agent(), Metadata: c.metadata(),
			}
			result, err := run(c, core.TaskEdgeUpsert, request)
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.edge("Joined", core.EdgeType(request.Type), result.EdgeEnds) })
		},
	}
}
