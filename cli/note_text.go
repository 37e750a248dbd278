package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// textSuffix ends the names of texts in the folder of drafts.
const textSuffix = ".md"

// editedText is a text in the person's editor. It lies in the folder of drafts
// from the beginning and stays there until it is in the store, or is as it was.
type editedText struct {
	c     *call
	path  string
	given string // what the editor was given
	text  string // what it has left
}

// newText puts a text where the editor finds it and where it outlives the
// program and the computer.
func (c *call) newText(text string) (path string, err error) {
	path = filepath.Join(c.draftFolder(), c.draftName()+textSuffix)
	if err = c.env.Files.MakeFolders(c.draftFolder(), 0o700); err == nil {
		err = c.env.Files.WriteNew(path, []byte(text), 0o600)
	}
	if err != nil {
		return "", core.InvalidInput(core.ReasonInvalidValue, "", fmt.Sprintf("The text for the editor cannot be kept in %s: %s.", c.draftFolder(), plainReason(err)))
	}
	return path, nil
}

// isKeptText reports whether a file, as an absolute path, is a text of the
// folder of drafts.
func (c *call) isKeptText(path string) bool {
	return filepath.Dir(path) == c.draftFolder() && strings.HasSuffix(path, textSuffix)
}

// dropText removes a text that is safe in the store, or was never changed.
func (c *call) dropText(path string) {
	if err := c.env.Files.RemoveIfThere(path); err != nil {
		c.session.log.Warn("the file of the editor was not removed", "path", path, "error", err)
	}
}

// endingPatience is how long an editor may take to end with the program: what
// ends one often ends both.
const endingPatience = 300 * time.Millisecond

// edit lets the person edit a text. With an error it is still to be kept, or
// dropped, by [editedText.keep].
func (c *call) edit(text string) (e *editedText, err error) {
	e = &editedText{c: c, given: text, text: text}
	if e.path, err = c.newText(text); err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	// What ends this program does not end the editor.
	go func() { done <- c.env.Edit(context.WithoutCancel(c.ctx), c.editor(), e.path) }()
	var editErr error
	select {
	case editErr = <-done:
	case <-c.ctx.Done():
		select {
		case editErr = <-done:
		case <-time.After(endingPatience):
			e.text = "" // whatever it will be
			return e, context.Cause(c.ctx)
		}
	}
	content, err := c.env.Files.ReadAtMost(e.path, maxStdinText)
	switch {
	case err == nil:
		e.text = string(content)
	case os.IsNotExist(err):
	default:
		e.text = "" // there is something, but what?
	}
	switch {
	case c.ctx.Err() != nil:
		err = context.Cause(c.ctx)
	case editErr != nil:
		err = core.InvalidInput(core.ReasonInvalidValue, "", display.EditorFault(c.editor(), editErr))
	case err != nil:
		err = core.InvalidInput(core.ReasonInvalidValue, "", fmt.Sprintf("What the editor has left in %s cannot be read: %s.", e.path, plainReason(err)))
	}
	return e, err
}

// isAsGiven reports whether the text is as the editor was given it. Line breaks
// at its end do not count: some editors add one.
func (e *editedText) isAsGiven() bool {
	return strings.TrimRight(e.text, "\n") == strings.TrimRight(e.given, "\n")
}

// keep says where the text is and with which command it comes into the store,
// once everything else has been said. A text as it was given is dropped.
func (e *editedText) keep(how string, command ...string) {
	if e.isAsGiven() {
		e.c.dropText(e.path)
		return
	}
	for i, word := range command {
		command[i] = display.ShellWord(word)
	}
	e.c.tellLast("lithos: your text is kept in %s.", e.path)
	e.c.tellLast("  %s: %s", how, strings.Join(command, " "))
}

// sameFlags are the flags of the call, as words, but for those named.
func (c *call) sameFlags(without ...string) []string {
	var words []string
	for _, g := range c.invocation.flags {
		switch name := "--" + g.flag.name; {
		case slices.Contains(without, g.flag.name):
		case g.flag.isSwitch() && g.value == "true":
			words = append(words, name)
		case g.flag.isSwitch() || strings.HasPrefix(g.value, "-"):
			words = append(words, name+"="+g.value)
		case g.flag.name == "db": // it has to be the same store from every folder
			words = append(words, name, c.env.absolute(g.value))
		default:
			words = append(words, name, g.value)
		}
	}
	return words
}
