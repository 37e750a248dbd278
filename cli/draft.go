package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dev.lithos/core"
)

// draftFile is the file that keeps what was typed on the board when it was
// ended from outside.
type draftFile struct {
	Store string `json:"store"` // path of the store that it is about
	Draft
}

// maxDraft is how long the file of a draft may be, in bytes.
const maxDraft = 16 << 20

// draftFolder is where drafts are kept, those of the board and texts that an
// editor has or has left.
func (c *call) draftFolder() string { return filepath.Join(c.env.StateHome, "lithos", "drafts") }

// draftName is the name of a new file there, but for its ending.
func (c *call) draftName() string {
	return fmt.Sprintf("%s-%d", c.env.Now().UTC().Format("20060102T150405.000000Z"), os.Getpid())
}

// drafts are what was typed about the store and not gone on with yet, the
// oldest first. What cannot be read is told and left where it is.
func (c *call) drafts() []Draft {
	entries, err := c.env.Files.List(c.draftFolder())
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.say("lithos: what was typed before cannot be looked for in %s: %s.", c.draftFolder(), plainReason(err))
		}
		return nil
	}
	var list []Draft
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		path := filepath.Join(c.draftFolder(), entry.Name())
		text, err := c.env.Files.ReadAtMost(path, maxDraft)
		var file draftFile
		if err == nil {
			err = json.Unmarshal(text, &file)
		}
		if err != nil {
			c.say("lithos: what was typed before cannot be read from %s: %s.", path, plainReason(err))
			continue
		}
		if file.Store == c.session.place.path {
			file.Path = path
			list = append(list, file.Draft)
		}
	}
	return list
}

// keepDraft keeps what was typed and says where, or why not: then the text
// itself is told, for it is nowhere else.
func (c *call) keepDraft(d Draft) {
	text, err := json.MarshalIndent(draftFile{c.session.place.path, d}, "", "  ")
	path := d.Path
	if err == nil {
		err = c.env.Files.MakeFolders(c.draftFolder(), 0o700)
	}
	switch {
	case err != nil:
	case path != "":
		err = c.env.Files.Replace(path, text, 0o600)
	default:
		path = filepath.Join(c.draftFolder(), c.draftName()+".json")
		err = c.env.Files.WriteNew(path, text, 0o600)
	}
	if err != nil {
		c.say("lithos: what you typed in \"%s\" could not be kept: %s. It was: %s", d.Title, plainReason(err), text)
		return
	}
	c.say("lithos: what you typed in \"%s\" is kept in %s; the next start of the board offers it.", d.Title, path)
}

// dropDraft removes a draft.
func (c *call) dropDraft(path string) error {
	if err := c.env.Files.RemoveIfThere(path); err != nil {
		return core.InvalidInput(core.ReasonInvalidValue, "", fmt.Sprintf("The draft %s cannot be removed: %s.", path, plainReason(err)))
	}
	return nil
}
