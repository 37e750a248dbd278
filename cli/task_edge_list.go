package cli

import "dev.lithos/core"

func taskEdgeList() *command {
	return &command{
		name: "list", operation: core.TaskEdgeList,
		summary:   "list the edges at a task",
		arguments: []argument{idArgument},
		flags: []flag{
			{name: "direction", value: "SIDE", words: words(core.Directions), summary: "incoming, outgoing or both", fallback: string(core.DirectionBoth)},
			{name: "type", value: "TYPE", parameter: "types", many: true, words: words(core.EdgeTypes), completes: edgeTypeNames, summary: "only this type; repeat for more"},
		},
		examples: []string{
			"lithos task edge list 9c1f02 --direction incoming",
			`lithos task edge list "$(lithos task create "Try it")"`,
		},
		run: func(c *call) error {
			result, err := run(c, core.TaskEdgeList, core.TaskEdgeListRequest{
				TaskID: c.argument(0), Direction: c.word("direction"), Types: c.list("type"),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.edgeTable(result.Edges) })
		},
	}
}
