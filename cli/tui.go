package cli

import (
	"context"
	"io"
	"path/filepath"

	"dev.lithos/core"
)

func tuiCommand() *command {
	return &command{
		name: "tui", summary: "open the board",
		details:  "The board needs a terminal. It opens without a store and makes one at the first change.",
		flags:    []flag{{name: "theme", value: "NAME", summary: "colours of the board", fallback: "config, else the terminal's"}},
		examples: []string{"lithos tui"},
		run: func(c *call) error {
			theme := c.session.config.text("theme")
			if name := c.word("theme"); name != nil {
				theme = *name
			}
			if c.invalid != nil {
				return c.invalid
			}
			if !c.canDraw() {
				return core.InvalidInput(core.ReasonInvalidValue, commandField, "The board needs a terminal that can be drawn on; 'lithos task ready' lists what can be started.")
			}
			return c.board(theme)
		},
	}
}

// canDraw reports whether there is a terminal that the board can draw on.
func (c *call) canDraw() bool {
	term, _ := c.env.variable("TERM")
	return c.env.StdinIsTerminal && c.env.StdoutIsTerminal && term != "dumb" && c.env.RunTUI != nil
}

// editor is the command that the person edits texts with, empty when none is
// named.
func (c *call) editor() string {
	if editor, ok := c.env.variable("VISUAL"); ok && editor != "" {
		return editor
	}
	editor, _ := c.env.variable("EDITOR")
	return editor
}

// board runs the terminal UI.
func (c *call) board(theme string) error {
	if err := c.olderStore(); err != nil {
		return err
	}
	config := c.session.config
	accessible, _ := c.env.variable("ACCESSIBLE")
	return c.env.RunTUI(c.ctx, TUIOptions{
		Open: func(ctx context.Context, create bool) (*core.Service, io.Closer, error) {
			if _, err := c.session.open(ctx, create); err != nil {
				return nil, nil, err
			}
			return c.session.service(), c.session, nil
		},
		StorePath: c.session.place.path, Name: filepath.Base(c.session.place.projectFolder()),
		Agent: c.agent(), AgentSource: string(config.values["agent"].origin),
		Theme: theme, ThemeDir: filepath.Join(c.env.ConfigHome, "lithos", "themes"),
		Mouse: config.on("mouse"), ASCII: config.on("ascii"), NoColor: config.text("color") == "never",
		Accessible: accessible != "" && accessible != "0", ReadOnly: c.session.readOnly,
		Keys: config.keys, Filters: config.filters, SaveFilter: c.session.saveFilter, DropFilter: c.session.dropFilter, FilterPath: c.session.userConfig(), Editor: c.editor(),
		Drafts: c.drafts(), KeepDraft: c.keepDraft, DropDraft: c.dropDraft, NewText: c.newText,
		ClaimMinutes: config.number("coordination.claim_default_ttl_minutes"),
	})
}
