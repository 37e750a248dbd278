package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func backupCommand() *command {
	return &command{
		name: "backup", summary: "copy the store to a safe place, and back",
		details: "A backup is one file that holds everything in the store, and the files of the notes. It can be\n" +
			"taken while others work. A manifest beside it tells what it must hold.",
		examples: []string{"lithos backup take", "lithos backup list"},
		group:    func() []*command { return []*command{backupTake(), backupList(), backupVerify(), backupRestore()} },
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
		return Backup{}, c.session.absent(false)
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
// of notes, or none of them although its store knows some.
func heldBy(b Backup) string {
	text := counted(int(b.Rows["tasks"]), "task")
	notes, holds := b.Rows["note_files"]
	switch {
	case lacksNotes(b):
		text += fmt.Sprintf(", but not the text of %s", counted(int(b.Rows["notes"]), "note"))
	case holds:
		text += " and " + counted(int(notes), "note")
	}
	return text
}

// lacksNotes reports whether a backup holds no file of the notes although its
// store knows some.
func lacksNotes(b Backup) bool { return b.Rows["notes"] > 0 && b.Rows["note_files"] == 0 }

// tellLackingNotes tells that the files of the notes could not go into a
// backup, for want of any. The store is worth a backup nonetheless.
func (c *call) tellLackingNotes(b Backup) {
	if lacksNotes(b) {
		c.say("lithos: The store knows %s, but none of their files is in '%s': this backup has none either. 'lithos doctor' tells what to do.",
			counted(int(b.Rows["notes"]), "note"), c.session.knowledge())
	}
}

// backupFile is the path that was given for a backup. A mere name that is none
// here is one of the folder of backups, if there is such a one.
func (c *call) backupFile() string {
	name := c.argument(0)
	if name == "" {
		return ""
	}
	path := c.env.absolute(name)
	if filepath.Base(name) != name {
		return path
	}
	if _, err := c.env.Files.Lstat(path); err == nil {
		return path
	}
	if folder, err := c.backupFolder(""); err == nil {
		if there := filepath.Join(folder, name); c.isFile(there) {
			return there
		}
	}
	return path
}

func (c *call) isFile(path string) bool {
	_, err := c.env.Files.Lstat(path)
	return err == nil
}

// noBackupNamed is the error of a call that names no backup.
func (c *call) noBackupNamed() error {
	return usageFault{
		reason: core.ReasonMissingField, field: "file",
		message: fmt.Sprintf("FILE is missing: which backup? 'lithos backup list' names them. Usage: %s", c.invocation.command.usage()),
	}.err()
}

// writable refuses a call that would change the store although only reading
// is allowed.
func (c *call) writable() error {
	if !c.session.readOnly {
		return nil
	}
	return core.NewError(core.CodeForbidden, "--read-only forbids every change.", core.Extra{Name: "needs", Value: "write"})
}
