package cli

import (
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// isNoNote reports whether an id was refused because no note has it, or none
// can have one so short.
func isNoNote(err error) bool {
	code := codeOf(err)
	return code == core.CodeDocNotFound || code == core.CodeNoteNotFound || code == core.CodeInvalidInput
}

// mostOfAName bounds how many notes are looked through for one of a name.
const mostOfAName = 1000

// noteCalled is the id of the one note whose title or path is a text that was
// refused as an id; "" when there is none, or several. Then what helps is told.
func (c *call) noteCalled(name string, refused error) string {
	if name == "" || !isNoNote(refused) {
		return ""
	}
	most := mostOfAName
	for _, way := range []struct {
		request core.NoteListRequest
		is      func(core.NoteListItem) bool
	}{
		{core.NoteListRequest{PathPrefix: &name, Limit: &most}, func(n core.NoteListItem) bool { return n.Path == name || n.Path == name+textSuffix }},
		{core.NoteListRequest{TitleContains: &name, Limit: &most}, func(n core.NoteListItem) bool { return strings.EqualFold(n.Title, name) }},
	} {
		list, err := core.NoteList.Run(c.ctx, c.session.service(), way.request)
		if err != nil {
			c.session.log.Debug("notes could not be looked for by name", "error", err)
			return ""
		}
		var found []string
		for _, item := range list.Items {
			if way.is(item) {
				found = append(found, item.ID)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	if codeOf(refused) == core.CodeInvalidInput && !c.out.json {
		c.tellLast("  find it: lithos note search %s", display.ShellWord(name))
		c.tellLast("  by its file: lithos note read --path PATH")
	}
	return ""
}
