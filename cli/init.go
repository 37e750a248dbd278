package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"dev.lithos/core"
	"dev.lithos/core/display"
	"dev.lithos/store/files"
)

// initResult tells where the store of a project is.
type initResult struct {
	Path    string        `json:"path"`
	Created bool          `json:"created"`
	Agents  *agentsResult `json:"agents,omitempty"`
}

func initCommand() *command {
	return &command{
		name: "init", summary: "make a store for this project",
		details: "Creates .lithos/lithos.db in DIR, or here, for you alone (folder 0700, file 0600). Commands run\n" +
			"below that folder find it by themselves. Repeating it is harmless. Where there was a store, of\n" +
			"which backups are left, --new is needed to begin with an empty one.",
		arguments: []argument{{name: "DIR", parameter: "data_dir", optional: true, completes: fileNames}},
		flags: []flag{
			{name: "agents", summary: "also put a short block on working with lithos into " + agentsFile + ", or renew it"},
			{name: "new", summary: "make an empty store even where there was one"},
		},
		examples: []string{"lithos init", "lithos init --agents"},
		run:      runInit,
	}
}

func runInit(c *call) error {
	place := c.session.place
	switch dir := c.argument(0); {
	case dir != "" && (c.globals.db.origin == fromFlag("db") || c.globals.dataDir.origin == fromFlag("data-dir")):
		return core.InvalidValue("data_dir", dir, "DIR says where the store goes; it cannot be used with --db or --data-dir.")
	case dir != "":
		place = location{path: storeBelow(c.env.absolute(dir)), rule: ruleDataDir}
	case place.rule != ruleDB && place.rule != ruleDataDir:
		place = location{path: storeBelow(c.env.Dir), rule: ruleNearest}
	}
	if c.invalid != nil {
		return c.invalid
	}
	if c.session.readOnly {
		return core.NewError(core.CodeForbidden, "--read-only forbids making a store.", core.Extra{Name: "needs", Value: "write"})
	}
	folder := filepath.Dir(place.path)
	if filepath.Base(folder) == storeFolder {
		if _, err := os.Stat(filepath.Dir(folder)); err != nil {
			return core.InvalidValue("data_dir", filepath.Dir(folder), fmt.Sprintf("The folder '%s' cannot be used: %s.", filepath.Dir(folder), plainReason(err)))
		}
	}
	result := initResult{Path: place.path, Created: !place.exists()}
	c.session.place = place
	c.session.tellsCreated, c.session.beginsNew = true, c.on("new")
	store, err := c.session.open(c.ctx, true)
	if err == nil {
		// A file that was there may still be without a schema.
		err = store.Write(c.ctx, func(core.WriteTx) error { return nil })
	}
	if err != nil {
		return err
	}
	if c.on("agents") {
		if result.Agents, err = writeAgentsBlock(files.Disk{}, place.projectFolder()); err != nil {
			return err
		}
	}
	return c.show(result, func(p *page) {
		switch {
		case !p.terminal:
			p.fields(result.Path)
			if result.Agents != nil {
				p.fields(result.Agents.Path)
			}
			return
		case result.Created:
			p.line("Created %s", display.Visible(result.Path))
			c.hint(`Begin: lithos task create "The first thing to do"`)
		default:
			p.line("There is a store already: %s", display.Visible(result.Path))
		}
		if agents := result.Agents; agents != nil {
			p.line("%s %s", map[string]string{
				agentsCreated: "Created", agentsUpdated: "Wrote the block for agents into", agentsUnchanged: "The block for agents is up to date in",
			}[agents.Status], display.Visible(agents.Path))
		}
	})
}
