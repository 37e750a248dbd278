package cli

import "dev.lithos/core"

func noteEdit() *command {
	return &command{
		name:    "edit",
		summary: "edit a note in your editor",
		details: "Opens title and text in $VISUAL or $EDITOR and writes what they became, unless the note or its file\n" +
			"was changed meanwhile. An editor with windows of its own has to wait for you, as 'code --wait' does.\n" +
			"What could not be written is kept, and told where and how to bring it in. The file itself can be edited\n" +
			"as well; 'lithos note read' tells its path.",
		arguments: []argument{noteArgument},
		examples:  []string{"lithos note edit 5f0d3c"},
		run: func(c *call) error {
			id := c.argument(0)
			if !c.canEdit() {
				return core.InvalidInput(core.ReasonInvalidValue, "", "Editing needs a terminal, and an editor named by $VISUAL or $EDITOR.")
			}
			return c.writeEdited(core.NoteWriteRequest{ID: &id, Agent: c.agent()})
		},
	}
}
