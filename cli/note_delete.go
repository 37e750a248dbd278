package cli

import (
	"dev.lithos/core"
	"dev.lithos/core/display"
)

func noteDelete() *command {
	return &command{
		name: "delete", operation: core.NoteDelete,
		summary: "remove a note and its file for good",
		details: "What was derived from it keeps its id. To take a note out of the way and keep it, archive it:\n" +
			"'lithos note update ID --status archived'.",
		arguments: []argument{noteArgument},
		examples:  []string{"lithos note delete 5f0d3c", `lithos note delete "$(lithos note write "Try it" --content Text)"`},
		run: func(c *call) error {
			result, err := run(c, core.NoteDelete, core.NoteDeleteRequest{ID: c.argument(0), Agent: c.agent()})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				if !p.terminal {
					p.fields(result.ID, result.Path)
					return
				}
				p.named("Deleted ", display.Visible(result.Title), "")
				p.line("  %s", p.look(faint, p.cut(display.Visible(result.Path), 2)))
			})
		},
	}
}
