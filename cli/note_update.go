package cli

import "dev.lithos/core"

func noteUpdate() *command {
	return &command{
		name: "update", operation: core.NoteUpdate,
		summary: "change title, tags, status or free-form keys of a note",
		details: "The text stays as it is, but for the line with the title. Free-form keys are merged: --meta sets,\n" +
			"--unset deletes, the rest stays.",
		arguments: []argument{noteArgument},
		flags: []flag{
			{name: "title", value: "TEXT", summary: "the new title; the file keeps its name"},
			noteTagFlag, noteClearTagsFlag, noteStatusFlag, noteMetaFlag, noteUnsetFlag, noteVersionFlag,
		},
		examples: []string{
			"lithos note update 5f0d3c --status archived --expected-version 1",
			`lithos note update "$(lithos note write "Try it" --content Text)" --meta reviewed:=true`,
		},
		run: func(c *call) error {
			result, err := run(c, core.NoteUpdate, core.NoteUpdateRequest{
				ID: c.argument(0), Agent: c.agent(), Title: c.body("title"), Tags: c.noteTags(), Status: c.word("status"),
				Metadata: c.metadata(), ExpectedVersion: c.integer("expected-version"),
			})
			if err != nil {
				return err
			}
			return c.wrote("Updated", result)
		},
	}
}
