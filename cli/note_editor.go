package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dev.lithos/core"
)

// canEdit reports whether there is a person, who may have an editor.
func (c *call) canEdit() bool {
	return c.env.StdinIsTerminal && c.env.StdoutIsTerminal && !c.out.json
}

// noteEditing is a note that a person writes in an editor.
type noteEditing struct {
	*editedText
	request core.NoteWriteRequest
	before  *core.NoteReadResult // nil for a new note
}

// writeEdited lets the person write the note of a request, a new one or with an
// id the text of another, in an editor. Without a title it keeps its own. What
// can be refused is refused before the editor opens.
func (c *call) writeEdited(request core.NoteWriteRequest) error {
	n := &noteEditing{request: request}
	if err := n.begin(c); err != nil {
		return err
	}
	content := ""
	if n.before != nil {
		content = n.before.Content
	}
	var err error
	if n.editedText, err = c.edit(core.NoteText(n.request.Title, content)); n.editedText == nil {
		return err
	}
	if err != nil {
		n.keep(n.how(err), n.command(err)...)
		return err
	}
	if n.isAsGiven() && !n.changesMore() {
		c.dropText(n.path)
		if n.before == nil {
			c.say("Nothing was typed, so no note was made.")
		} else {
			c.say("Nothing was changed.")
		}
		return nil
	}
	result, err := n.write()
	if err != nil {
		if strings.TrimSpace(n.text) == "" {
			c.dropText(n.path) // there is nothing to keep
		} else {
			n.keep(n.how(err), n.command(err)...)
		}
		return err
	}
	c.dropText(n.path)
	return c.wrote(verbOf(result), result)
}

// changesMore reports whether the command line itself asks for a change, which
// holds although the text stays as it is.
func (n *noteEditing) changesMore() bool {
	if n.before == nil {
		return false
	}
	for _, g := range n.c.invocation.flags {
		if !isGlobal(g.flag) && g.flag.name != "id" && g.flag.name != "expected-version" {
			return true
		}
	}
	return n.request.Title != n.before.Title
}

// begin reads the note and refuses what will be refused whatever is typed.
func (n *noteEditing) begin(c *call) error {
	if c.invalid != nil {
		return c.invalid
	}
	if n.request.ID != nil {
		read := core.NoteReadRequest{ID: n.request.ID, AgentID: c.reader()}
		before, err := run(c, core.NoteRead, read)
		if n.request.Title == "" { // as the command edit has it
			if id := c.noteCalled(*read.ID, err); id != "" {
				read.ID = &id
				before, err = run(c, core.NoteRead, read)
			}
		}
		if err != nil {
			return err
		}
		n.before, n.request.ID = &before, &before.ID
		if n.request.Title == "" {
			n.request.Title = before.Title
		}
	}
	if n.before == nil && c.session.place.exists() && !c.session.readOnly {
		// A rehearsal would take what was changed by hand back.
		if err := c.session.service().NotePass(c.ctx); err != nil {
			return err
		}
	}
	if c.session.place.exists() || c.session.readOnly {
		if _, err := core.NoteWrite.Run(core.Rehearse(c.ctx), c.session.service(), n.request); err != nil {
			return err
		}
	}
	if c.editor() == "" {
		return core.InvalidInput(core.ReasonInvalidValue, "", "No editor is named: set $VISUAL or $EDITOR, or give the text with --content or --file.")
	}
	if n.before != nil && n.request.ExpectedVersion == nil {
		version := int(n.before.Note.Version)
		n.request.ExpectedVersion = &version
	}
	return nil
}

// write writes the note with the title and the text that the editor has left.
func (n *noteEditing) write() (result core.NoteWriteResult, err error) {
	c := n.c
	n.request.Title, n.request.Content = core.SplitNoteText(n.text, n.request.Title)
	c.checkReadable("content", n.text)
	if n.request.Content == "" && c.invalid == nil {
		if n.before == nil {
			return result, core.InvalidInput(core.ReasonMissingField, "content", "The text is empty, so no note was made; --content '' means it.")
		}
		if n.before.Content != "" {
			return result, core.InvalidInput(core.ReasonInvalidValue, "content", "The text was emptied, so nothing was written; 'lithos note write' can empty a note, 'lithos note delete' removes it.")
		}
	}
	if n.before != nil {
		now, err := c.session.service().NoteView(c.ctx, n.before.ID)
		if err != nil {
			return result, err
		}
		if now.Note.Version == n.before.Note.Version && (now.Title != n.before.Title || now.Content != n.before.Content) {
			// An edit by hand raises no version.
			return result, core.NewError(core.CodeVersionConflict, "The file of the note was changed by hand meanwhile: read it again and merge.",
				core.Extra{Name: "current_version", Value: now.Note.Version})
		}
	}
	return run(c, core.NoteWrite, n.request)
}

// how says what the command does that brings in a text refused for a cause.
func (n *noteEditing) how(cause error) string {
	switch codeOf(cause) {
	case core.CodeSlugCollision:
		if n.before != nil {
			return "bring it in under the title the note has"
		}
		return "bring it in under another title"
	case core.CodeVersionConflict:
		return "merge the two there, then bring it in"
	case core.CodeDocNotFound, core.CodeNoteNotFound:
		return "bring it in as a new note"
	case "":
		return "bring it in"
	}
	return "when that is settled, bring it in"
}

// command is the command that brings in a text refused for a cause. The title
// is in the text, unless that is what was refused.
func (n *noteEditing) command(cause error) []string {
	code := codeOf(cause)
	words := []string{"lithos", "note", "write"}
	if code == core.CodeSlugCollision {
		words = append(words, n.freeTitle())
	} else if title, _ := core.SplitNoteText(n.text, ""); title == "" && n.text != "" {
		words = append(words, n.request.Title)
	}
	words = append(words, "--file", n.path)
	gone := code == core.CodeDocNotFound || code == core.CodeNoteNotFound
	switch {
	case n.before != nil && gone:
		words = append(words, "--path", n.before.Path)
	case n.before != nil:
		version := int64(*n.request.ExpectedVersion)
		if is, ok := core.AsError(cause).Extra("current_version").(int64); ok {
			version = is
		}
		words = append(words, "--id", n.before.ID, "--expected-version", strconv.FormatInt(version, 10))
	}
	without := []string{"content", "file", "id", "expected-version"}
	if gone {
		without = append(without, "path")
	}
	return append(words, n.c.sameFlags(without...)...)
}

// freeTitle is a title in place of one that is taken: the one the note has, or
// the typed one with the next number.
func (n *noteEditing) freeTitle() string {
	if n.before != nil {
		return n.before.Title
	}
	request := n.request
	for number := 2; number < 100; number++ {
		request.Title = fmt.Sprintf("%s %d", n.request.Title, number)
		_, err := core.NoteWrite.Run(core.Rehearse(n.c.ctx), n.c.session.service(), request)
		if codeOf(err) != core.CodeSlugCollision {
			break
		}
	}
	return request.Title
}

// codeOf is the code of a named error, "" of others.
func codeOf(err error) core.Code {
	if named := (*core.Error)(nil); errors.As(err, &named) {
		return named.Code
	}
	return ""
}
