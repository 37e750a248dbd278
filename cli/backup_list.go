package cli

import (
	"fmt"
	"path/filepath"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// backupListResult is what lies in a folder of backups.
type backupListResult struct {
	Backups  []Backup        `json:"backups"`
	Problems []BackupProblem `json:"problems"` // what else lies there
}

func backupList() *command {
	return &command{
		name: "list", summary: "list the backups, the newest first",
		details: "Names what else lies in the folder too. Lengths and manifests are looked at; 'lithos backup verify'\n" +
			"reads a backup whole.",
		arguments: []argument{{name: "DIR", parameter: "dir", optional: true, completes: fileNames}},
		examples:  []string{"lithos backup list", "lithos backup list --jq '.backups[0].path'"},
		run: func(c *call) error {
			folder, err := c.backupFolder(c.argument(0))
			if c.invalid != nil {
				err = c.invalid
			}
			if err != nil {
				return err
			}
			if named := c.argument(0); named != "" {
				if _, err := c.env.Files.Stat(folder); err != nil {
					return core.InvalidValue("dir", named, fmt.Sprintf("The folder '%s' cannot be used: %s.", folder, plainReason(err)))
				}
			}
			backups, problems, err := c.env.ListBackups(folder)
			if err != nil {
				return err
			}
			result := backupListResult{Backups: append([]Backup{}, backups...), Problems: append([]BackupProblem{}, problems...)}
			return c.show(result, func(p *page) { p.backups(folder, result) })
		},
	}
}

// backups writes what lies in a folder of backups.
func (p *page) backups(folder string, r backupListResult) {
	list := &table{columns: []column{
		{title: "TAKEN", right: true, keep: true}, {title: "TASKS", right: true, drops: 2, keep: true}, {title: "SIZE", right: true, drops: 1, keep: true},
		{title: "SCHEMA", right: true, drops: 3}, {title: "FILE", keep: true, gives: 20},
	}}
	if p.terminal {
		if len(r.Backups) == 0 {
			p.line("There are no backups in %s.", display.Visible(folder))
			p.call.hint("Take one: lithos backup take")
		} else {
			p.line("%s", display.Visible(folder))
		}
	}
	for _, b := range r.Backups {
		list.add(
			cell{text: display.Age(b.TakenAt, p.now), piped: b.TakenAt.String(), look: faint},
			cell{text: fmt.Sprint(b.Rows["tasks"])},
			cell{text: display.Size(b.Size), piped: fmt.Sprint(b.Size)},
			cell{text: fmt.Sprint(b.Schema)},
			cell{text: display.Visible(filepath.Base(b.Path)), piped: b.Path, look: bold},
		)
	}
	list.write(p)
	if p.terminal && len(r.Backups) > 1 {
		sum := int64(0)
		for _, b := range r.Backups {
			sum += b.Size
		}
		p.line("%s", display.Wrap(fmt.Sprintf("%s, %s in all. One that is no longer needed can be deleted, with its .json.", counted(len(r.Backups), "backup"), display.Size(sum)), p.width))
	}
	if len(r.Problems) == 0 {
		return
	}
	if !p.terminal { // the lines of the list are backups
		for _, problem := range r.Problems {
			p.call.say("lithos: no backup, or spoilt: %s: %s", problem.Path, problem.Reason)
		}
		return
	}
	p.heading("Not backups, or spoilt:")
	for _, problem := range r.Problems {
		p.line("  %s: %s", display.Visible(filepath.Base(problem.Path)), problem.Reason)
	}
}
