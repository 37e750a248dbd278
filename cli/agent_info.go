package cli

import (
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func agentInfo() *command {
	return &command{
		name: "info", operation: core.AgentInfo,
		summary:   "show what is known of an agent",
		arguments: []argument{{name: "ID", parameter: "id", completes: agentNames}},
		examples:  []string{"lithos agent info mo"},
		run: func(c *call) error {
			id := c.argument(0)
			result, err := run(c, core.AgentInfo, core.AgentInfoRequest{ID: id})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.agent(id, result.Result) })
		},
	}
}

// agent writes what is known of an agent.
func (p *page) agent(id string, a *core.Agent) {
	if a == nil {
		if p.terminal {
			p.line("Nothing is known of %s.", display.Visible(id))
		}
		return
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	facts := [][2]string{
		{"id", a.ID}, {"name", text(a.Name)}, {"type", text(a.Type)},
		{"first seen", a.FirstSeenAt.String()}, {"last seen", a.LastSeenAt.String()},
	}
	for _, member := range a.Metadata.Members() {
		facts = append(facts, [2]string{"metadata", metadataPair(member)})
	}
	p.facts(facts)
}

// facts writes named values, one a line; empty ones only when piped.
func (p *page) facts(facts [][2]string) {
	width := 0
	for _, f := range facts {
		width = max(width, display.Width(f[0]))
	}
	for _, f := range facts {
		switch {
		case !p.terminal:
			p.fields(f[0], f[1])
		case f[1] != "":
			value := display.Visible(f[1])
			if p.width > 0 {
				value = display.Wrap(value, max(p.width-width-2, 20))
			}
			for i, line := range strings.Split(value, "\n") {
				name := ""
				if i == 0 {
					name = f[0]
				}
				p.line("%s  %s", p.look(faint, display.Pad(name, width)), line)
			}
		}
	}
}
