package cli

import (
	"dev.lithos/core"
	"dev.lithos/core/display"
)

// noteCommand groups the verbs of notes.
func noteCommand() *command {
	return &command{
		name: "note", summary: "keep what was learned: write, find and join notes",
		details: "Notes are Markdown files with front matter in the folder 'knowledge' beside .lithos/ (setting\n" +
			"storage.knowledge_dir). Edit, rename or delete them with whatever you like: the next note command\n" +
			"takes up what has changed.\n" +
			"An id may be shortened to its first 6 characters or more.",
		examples: []string{
			`lithos note write "Busy handling" --content "Begin writes with IMMEDIATE." --tag db`,
			"lithos note search busy",
		},
		group: func() []*command {
			return []*command{
				noteWrite(), noteUpdate(), noteEdit(), noteRead(), noteList(), noteTags(), noteDelete(),
				noteSearch(), noteRetrieve(), noteRelated(), noteCacheLookup(), noteNodeStats(),
				noteEdge(), noteConflict(), noteReindex(),
			}
		},
	}
}

// Flags that several verbs of notes share.
var (
	noteTagFlag       = flag{name: "tag", value: "TAG", parameter: "tags", many: true, summary: "a tag; repeat for more"}
	noteClearTagsFlag = flag{name: "clear-tags", parameter: "tags", summary: "remove all tags"}
	noteStatusFlag    = flag{name: "status", value: "STATUS", words: core.NoteStatuses, summary: "active, archived or quarantined"}
	noteUnsetFlag     = flag{name: "unset", value: "KEY", parameter: "metadata", many: true, summary: "delete a free-form key; repeat for more"}
	noteMetaFlag      = flag{name: "meta", value: "KEY=TEXT", parameter: "metadata", many: true, summary: "a free-form key; KEY:=JSON for a value that is no string"}
	noteVersionFlag   = flag{name: "expected-version", value: "N", summary: "refuse if the note has moved on"}
)

// noteTags returns the tags of a call: those given, none with --clear-tags,
// nil for as they are.
func (c *call) noteTags() []string {
	tags := c.list("tag")
	if c.on("clear-tags") {
		if tags != nil {
			c.refuse(core.InvalidInput(core.ReasonInvalidValue, "tags", "--clear-tags removes all tags; it cannot be used with --tag."))
		}
		return []string{}
	}
	return tags
}

// wrote tells what a write of a note did.
func (c *call) wrote(verb string, result core.NoteWriteResult) error {
	err := c.show(result, func(p *page) {
		if !p.terminal {
			p.fields(result.ID)
			return
		}
		card := p.noteCards([]string{result.ID})[result.ID]
		p.named(verb+" ", p.noteName(card), "")
		p.line("  %s", p.look(faint, p.cut(display.Visible(result.Path), 2)))
	})
	if err == nil && !c.out.json {
		for _, warning := range result.Warnings {
			c.say("lithos: %s", warning)
		}
	}
	return err
}
