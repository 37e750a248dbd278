package cli

import (
	"context"
	"fmt"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func backupCommand() *command {
	return &command{
		name: "backup", summary: "copy the store to a safe place, and back",
		details: "A backup is one file that holds everything in the store, and the files of the notes. It can be\n" +
			"taken while others work. A manifest beside it tells what it must hold.",
		examples: []string{"lithos backup take", "lithos backup list"},
		commands: []*command{backupTake(), backupList(), backupVerify(), backupRestore()},
	}
}

// backupFolder is the folder of the backups: one that was named, else the
// configured one.
func (c *call) backupFolder(named string) (string, error) {
	if named != "" {
		return c.env.absolute(named), nil
	}
	return c.env.BackupFolder(c.session.place.path, c.session.config.text("backup.dir"))
}

// takeBackup backs the store up into a folder and shows how far it is.
func (c *call) takeBackup(ctx context.Context, folder string) (Backup, error) {
	if !c.session.place.exists() {
		return Backup{}, c.session.missing(c.session.place)
	}
	bar := c.progress("Backing up")
	defer bar.end()
	return c.env.TakeBackup(ctx, BackupOptions{
		Path: c.session.place.path, Folder: folder, Notes: c.session.knowledge(), Now: c.env.Now(), Files: c.env.Files, Progress: bar.tell,
	})
}

// backup writes what there is to tell of a backup.
func (p *page) backup(said string, b Backup) {
	if !p.terminal {
		p.fields(b.Path, fmt.Sprint(b.Size), fmt.Sprint(b.Schema), b.TakenAt.String(), b.SHA256)
		return
	}
	p.line("%s %s", said, p.look(bold, display.Visible(b.Path)))
	p.line("  %s, %s, taken %s, schema %d", heldBy(b), display.Size(b.Size), display.Ago(b.TakenAt, p.now), b.Schema)
}

// heldBy says what a backup holds: its tasks, and its notes if it holds files
// of notes.
func heldBy(b Backup) string {
	text := counted(int(b.Rows["tasks"]), "task")
	if notes, holds := b.Rows["note_files"]; holds {
		text += " and " + counted(int(notes), "note")
	}
	return text
}

// backupFile is the path that was given for a backup.
func (c *call) backupFile() string {
	if file := c.argument(0); file != "" {
		return c.env.absolute(file)
	}
	return ""
}

// writable refuses a call that would change the store although only reading
// is allowed.
func (c *call) writable() error {
	if !c.session.readOnly {
		return nil
	}
	return core.NewError(core.CodeForbidden, "--read-only forbids every change.", core.Extra{Name: "needs", Value: "write"})
}
