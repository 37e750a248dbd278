package cli

import "dev.lithos/core"

func taskEdgeDelete() *command {
	return &command{
		name: "delete", operation: core.TaskEdgeDelete,
		summary:   "remove an edge; readiness follows at once",
		arguments: edgeArguments,
		flags:     []flag{edgeTypeFlag},
		examples: []string{
			"lithos task edge delete 83257c 9c1f02 --type blocks",
			"a=$(lithos task create First); b=$(lithos task create Then --depends-on $a); lithos task edge delete $a $b --type blocks",
		},
		run: func(c *call) error {
			result, err := run(c, core.TaskEdgeDelete, core.TaskEdgeDeleteRequest{
				FromTaskID: c.argument(0), ToTaskID: c.argument(1), Type: c.edgeType(), Agent: c.agent(),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.edge("No longer:", result.Type, result.EdgeEnds) })
		},
	}
}
