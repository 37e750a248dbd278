package cli

import (
	"fmt"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func findingList() *command {
	return &command{
		name: "list", operation: core.FindingList,
		summary:   "read the remarks on a task, oldest first",
		arguments: []argument{idArgument},
		flags:     []flag{{name: "since", value: "TIME", summary: "only later ones"}},
		examples: []string{
			"lithos finding list 9c1f02 --since 2026-03-01",
			`lithos finding list "$(lithos task create "Try it")"`,
		},
		run: func(c *call) error {
			result, err := run(c, core.FindingList, core.FindingListRequest{TaskID: c.argument(0), Since: c.moment("since")})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				if p.terminal && len(result.Findings) == 0 {
					p.line("There are no findings.")
				}
				for i, f := range result.Findings {
					if !p.terminal {
						p.fields(f.ID, f.CreatedAt.String(), f.Agent, f.Summary)
						continue
					}
					if i > 0 {
						p.line("")
					}
					p.line("%s", p.look(faint, fmt.Sprintf("%s, %s", display.Visible(f.Agent), display.Ago(f.CreatedAt, p.now))))
					p.markdown(0, f.Summary)
				}
			})
		},
	}
}
