package cli

import (
	"dev.lithos/core"
	"dev.lithos/core/display"
)

func agentRegister() *command {
	return &command{
		name: "register", operation: core.AgentRegister,
		summary:   "introduce an agent, or refresh what is known of it",
		arguments: []argument{{name: "ID", parameter: "id", completes: agentNames}},
		flags: []flag{
			{name: "name", value: "TEXT", summary: "name for people"},
			{name: "type", value: "TEXT", summary: "kind of agent, free text"},
			{name: "meta", value: "KEY=TEXT", parameter: "metadata", many: true, summary: "metadata, replacing all of it; KEY:=JSON for a value that is no string"},
		},
		examples: []string{`lithos agent register mo --name "Mo" --type coder`},
		run: func(c *call) error {
			id := c.argument(0)
			result, err := run(c, core.AgentRegister, core.AgentRegisterRequest{
				ID: id, Name: c.word("name"), Type: c.word("type"), Metadata: c.metadata(),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				verb := "Refreshed"
				if result.Created {
					verb = "Registered"
				}
				if p.terminal {
					p.line("%s %s", verb, display.Visible(id))
				} else {
					p.fields(id)
				}
			})
		},
	}
}
