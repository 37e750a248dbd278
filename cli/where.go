package cli

import (
	"fmt"

	"dev.lithos/core/display"
)

// whereResult tells which store a call would use, and why.
type whereResult struct {
	Path       string   `json:"path"`
	Exists     bool     `json:"exists"`
	Rule       rule     `json:"rule"`
	Because    string   `json:"because"`
	DataFolder string   `json:"data_folder"`
	Config     []string `json:"config"` // files that configuration is read from, whether there or not
}

func whereCommand() *command {
	return &command{
		name: "where", summary: "tell which store is used, and why",
		details: "The first that applies: --db, LITHOS_DB, --data-dir or LITHOS_DATA_DIR, the nearest\n" +
			".lithos/lithos.db upwards from here (in a linked git worktree also the main worktree's),\n" +
			"$XDG_DATA_HOME/lithos/lithos.db.",
		examples:  []string{"lithos where", "lithos where --jq .path"},
		anyConfig: true,
		run: func(c *call) error {
			place := c.session.place
			result := whereResult{
				Path: place.path, Exists: place.exists(), Rule: place.rule, Because: place.explanation(),
				DataFolder: place.dataFolder(), Config: configPaths(c.env, place),
			}
			return c.show(result, func(p *page) {
				if !p.terminal {
					p.fields(result.Path, fmt.Sprint(result.Exists), string(result.Rule), result.DataFolder)
					return
				}
				p.line("%s", p.look(bold, display.Visible(result.Path)))
				p.line("  %s", display.Visible(result.Because))
				if lost, is := c.session.lostStore(); !result.Exists && is {
					p.line("  %s", display.Visible(lost.what()))
				} else if !result.Exists {
					p.line("  It is not there yet: lithos init makes one here, the first change makes this one.")
				}
			})
		},
	}
}
