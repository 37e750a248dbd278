package cli

import (
	"fmt"

	"dev.lithos/core"
)

func statsCommand() *command {
	return &command{
		name: "stats", operation: core.Stats,
		summary:  "count what the store holds",
		examples: []string{"lithos stats", "lithos stats --jq .active_tasks"},
		run: func(c *call) error {
			result, err := run(c, core.Stats, core.StatsRequest{})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				number := func(n int64) string { return fmt.Sprint(n) }
				p.facts([][2]string{
					{"open tasks", number(result.ActiveTasks)},
					{"claims", number(result.OpenClaims)},
					{"expired claims", number(result.ExpiredClaims)},
					{"agents", number(result.Agents)},
					{"notes", number(result.Documents)},
				})
			})
		},
	}
}
