package cli

import (
	"fmt"
	"os"
	"strings"

	"dev.lithos/core"
)

func noteEdit() *command {
	return &command{
		name:    "edit",
		summary: "edit a note in your editor",
		details: "Opens title and text in $VISUAL or $EDITOR and writes what they became, unless the note has moved\n" +
			"on meanwhile. The file itself can be edited as well; 'lithos note read' tells its path.",
		arguments: []argument{noteArgument},
		examples:  []string{"lithos note edit 5f0d3c"},
		run: func(c *call) error {
			if c.invalid != nil {
				return c.invalid
			}
			if !c.canEdit() {
				return core.InvalidInput(core.ReasonInvalidValue, "", "Editing needs a terminal, and an editor named by $VISUAL or $EDITOR.")
			}
			id := c.argument(0)
			before, err := run(c, core.NoteRead, core.NoteReadRequest{ID: &id, AgentID: c.reader()})
			if err != nil {
				return err
			}
			title, content, err := c.editNote(before.Title, before.Content)
			if err != nil {
				return err
			}
			if content == "" && before.Content != "" {
				return core.InvalidInput(core.ReasonInvalidValue, "content", "The text was emptied, so nothing was written; 'lithos note write' can empty a note, 'lithos note delete' removes it.")
			}
			if title == before.Title && content == before.Content {
				c.say("Nothing was changed.")
				return nil
			}
			version := int(before.Note.Version)
			result, err := run(c, core.NoteWrite, core.NoteWriteRequest{
				ID: &before.ID, Title: title, Content: content, Agent: c.agent(), ExpectedVersion: &version,
			})
			if err != nil {
				return c.keepText(err, core.NoteText(title, content))
			}
			return c.wrote("Updated", result)
		},
	}
}

// canEdit reports whether there is a person with an editor.
func (c *call) canEdit() bool {
	return c.env.StdinIsTerminal && c.env.StdoutIsTerminal && !c.out.json && c.editor() != ""
}

// editNote lets the person edit title and text of a note.
func (c *call) editNote(title, content string) (newTitle, newContent string, err error) {
	path, err := draftOf(core.NoteText(title, content))
	if err != nil {
		return "", "", editorFault(err)
	}
	err = c.env.Edit(c.ctx, c.editor(), path)
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if removeErr := os.Remove(path); err == nil {
		err = removeErr
	}
	if err != nil {
		return "", "", editorFault(err)
	}
	c.checkReadable("content", string(text))
	newTitle, newContent = core.SplitNoteText(string(text), title)
	return newTitle, newContent, nil
}

// draftOf makes a file for an editor.
func draftOf(text string) (path string, err error) {
	file, err := os.CreateTemp("", "lithos-*.md")
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return file.Name(), err
}

func editorFault(err error) error {
	return core.InvalidInput(core.ReasonInvalidValue, "", fmt.Sprintf("The editor could not be used: %s.", strings.TrimSuffix(plainReason(err), ".")))
}

// keepText keeps a text that could not be written as a note, and says where.
func (c *call) keepText(cause error, text string) error {
	path, err := draftOf(text)
	if err != nil {
		c.session.log.Warn("the text could not be kept", "error", err)
		return cause
	}
	c.say("lithos: your text is kept in %s.", path)
	return cause
}
