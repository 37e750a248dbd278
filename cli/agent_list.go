package cli

import (
	"dev.lithos/core"
	"dev.lithos/core/display"
)

func agentList() *command {
	return &command{
		name: "list", operation: core.AgentList,
		summary: "list who acted, the last seen first",
		flags: []flag{
			{name: "type", value: "TEXT", summary: "only of this kind"},
			{name: "active-since", value: "TIME", summary: "last seen at or after this time"},
		},
		examples: []string{"lithos agent list --active-since 2026-03-01"},
		run: func(c *call) error {
			result, err := run(c, core.AgentList, core.AgentListRequest{Type: c.word("type"), ActiveSince: c.moment("active-since")})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				if p.terminal && len(result.Agents) == 0 {
					p.line("Nobody has acted yet.")
				}
				list := &table{columns: []column{
					{title: "ID", gives: 12, keep: true}, {title: "NAME", gives: 12}, {title: "TYPE", gives: 8, keep: true},
					{title: "SEEN", right: true, keep: true},
				}}
				text := func(s *string) cell {
					if s == nil {
						return cell{}
					}
					return cell{text: display.Visible(*s)}
				}
				for _, a := range result.Agents {
					list.add(cell{text: display.Visible(a.ID), look: bold}, text(a.Name), text(a.Type),
						cell{text: display.Age(a.LastSeenAt, p.now), piped: a.LastSeenAt.String(), look: faint})
				}
				list.write(p)
			})
		},
	}
}
