package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// restoreResult tells of a restore, and of which store.
type restoreResult struct {
	Restored
	Path string `json:"path"`
}

func backupRestore() *command {
	return &command{
		name: "restore", summary: "put a backup in the place of the store",
		details: "The backup is verified, the store as it is now is backed up, and then replaced; 'lithos where' tells\n" +
			"which store that is. Nobody may have it open. On a terminal you are asked first; elsewhere, and with\n" +
			"--json or --quiet, --yes is required. A restore that was cut off, by ctrl-c too, leaves the old\n" +
			"store, the new one, or a store that every command refuses until --finish brings the restore to its\n" +
			"end or --undo takes it back. FILE may be a name that 'lithos backup list' gives.",
		arguments: []argument{{name: "FILE", parameter: "file", optional: true, completes: fileNames}},
		flags: []flag{
			{name: "yes", summary: "do not ask"},
			{name: "to", value: "DIR", summary: "where the store as it is now is backed up, instead of the usual folder"},
			{name: "finish", summary: "bring a restore that was interrupted to its end"},
			{name: "undo", summary: "take a restore that was interrupted back"},
		},
		examples:  []string{`lithos backup restore --yes "$(lithos backup take --jq .path)"`},
		unbounded: true,
		run:       runBackupRestore,
	}
}

func runBackupRestore(c *call) error {
	path, finish, undo, to := c.backupFile(), c.on("finish"), c.on("undo"), wordOr(c.word("to"), "")
	switch {
	case finish && undo:
		c.refuse(core.InvalidValue("undo", "true", "--finish and --undo exclude each other."))
	case path != "" && (finish || undo):
		c.refuse(core.InvalidValue("file", path, "--finish and --undo take no FILE: they go on with the restore that was interrupted."))
	case to != "" && (finish || undo):
		c.refuse(core.InvalidValue("to", to, "--finish and --undo back nothing up."))
	case path == "" && !finish && !undo:
		c.refuse(c.noBackupNamed())
	}
	if c.invalid != nil {
		if unfinished := c.unfinishedRestore(); path == "" && !finish && !undo && unfinished != nil {
			return unfinished
		}
		return c.invalid
	}
	if err := c.writable(); err != nil {
		return err
	}
	ctx, cancel := c.bounded()
	defer cancel()
	switch {
	case finish:
		done, err := c.env.FinishRestore(ctx, c.session.place.path, c.env.Files)
		if err != nil {
			return err
		}
		return c.showRestored(done, "The restore is finished.")
	case undo:
		done, err := c.env.UndoRestore(ctx, c.session.place.path, c.env.Files)
		if err != nil {
			return err
		}
		return c.showRestored(done, "The restore was taken back: the store is as it was.")
	}
	return c.restore(ctx, path, to)
}

// unfinishedRestore is the error that tells how an interrupted restore goes on,
// nil when there is none.
func (c *call) unfinishedRestore() error {
	if !isUnfinished(c.session.place.path) {
		return nil
	}
	_, err := c.session.open(c.ctx, false)
	return err
}

func (c *call) restore(ctx context.Context, path, to string) error {
	asks := !c.on("yes")
	if asks && !c.canAsk() {
		return core.InvalidInput(core.ReasonMissingField, "yes", "Replacing the store has to be confirmed: on a terminal by an answer, elsewhere by --yes.")
	}
	folder, err := c.backupFolder(to)
	if err != nil {
		return err
	}
	bar := c.progress("Restoring")
	defer func() { bar.end() }()
	done, err := c.env.RestoreBackup(ctx, RestoreOptions{
		Path: c.session.place.path, Backup: path, Folder: folder, Notes: c.session.knowledge(), Now: c.env.Now(), Files: c.env.Files,
		Progress: func(phase string, done, total int64) { bar.tell(phase, done, total) },
		Confirm: func(b Backup) error {
			bar.end()
			c.tellWithoutManifest(b)
			if asks {
				if err := c.confirmRestore(ctx, b); err != nil {
					return err
				}
			}
			bar = c.progress("Restoring")
			return nil
		},
	})
	bar.end()
	if err != nil {
		return err
	}
	return c.showRestored(done, "The store is restored.")
}

// confirmRestore asks a person whether to go on.
func (c *call) confirmRestore(ctx context.Context, b Backup) error {
	fmt.Fprintf(c.env.Stderr, "Replace the store %s%s\nby the backup of %s with %s? [y/N] ",
		display.Visible(c.session.place.target()), c.heldNow(ctx), display.When(b.TakenAt), heldBy(b))
	answer, err := c.askLine(ctx)
	if err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return core.InvalidInput(core.ReasonMissingField, "yes", "It was not confirmed; nothing was changed.")
}

// heldNow says what the store holds that is to be replaced, "" when it cannot
// be told.
func (c *call) heldNow(ctx context.Context) string {
	if !c.session.place.exists() {
		return ""
	}
	rows, err := countRows(ctx, c.session.place.path)
	if err != nil {
		return "" // it may be replaced because it cannot be read
	}
	return fmt.Sprintf(" with %s and %s", counted(int(rows["tasks"]), "task"), counted(int(rows["notes"]), "note"))
}

// askLine reads one line from the terminal, until the call ends.
func (c *call) askLine(ctx context.Context) (string, error) {
	line := make(chan string, 1)
	go func() {
		// The end of input is an empty answer.
		text, _ := bufio.NewReader(c.env.Stdin).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		return text, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// showRestored tells what became of the store.
func (c *call) showRestored(done Restored, said string) error {
	done.Backup, done.SafetyBackup = c.moved(done.Backup), c.moved(done.SafetyBackup)
	result := restoreResult{Restored: done, Path: c.session.place.path}
	return c.show(result, func(p *page) { p.restored(result, said) })
}

// moved is where a backup is now that was elsewhere when a restore began: the
// folder of the store may have got another name since.
func (c *call) moved(path *string) *string {
	if path == nil {
		return nil
	}
	if _, err := c.env.Files.Stat(*path); !errors.Is(err, fs.ErrNotExist) {
		return path
	}
	folder, err := c.backupFolder("")
	if err != nil {
		return path
	}
	now := filepath.Join(folder, filepath.Base(*path))
	if _, err := c.env.Files.Stat(now); err != nil {
		return path
	}
	return &now
}

// restored writes what became of the store.
func (p *page) restored(r restoreResult, said string) {
	if !p.terminal {
		p.fields(wordOr(r.Backup, ""), wordOr(r.SafetyBackup, ""), r.Path)
		return
	}
	p.line("%s", said)
	p.line("  store %s", display.Visible(p.call.session.place.target()))
	if r.Backup != nil {
		p.line("  from %s", display.Visible(*r.Backup))
	}
	if r.NotesPut+r.NotesRemoved > 0 {
		p.line("  notes: %d put back as they were, %d taken away that are newer", r.NotesPut, r.NotesRemoved)
	}
	if r.SafetyBackup != nil {
		p.line("  as it was before: %s", display.Visible(*r.SafetyBackup))
	}
}
