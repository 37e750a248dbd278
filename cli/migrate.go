package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// MigrateOptions say which store is brought up to date.
type MigrateOptions struct {
	Store    StoreOptions
	Backups  string // folder the backup goes to
	Notes    string // folder of the notes
	Now      core.Stamp
	Progress func(phase string, done, total int64)
}

// migrateResult is the answer of migrate.
type migrateResult struct {
	Path     string  `json:"path"`
	From     int64   `json:"from"`
	To       int64   `json:"to"`
	Migrated bool    `json:"migrated"`
	Backup   *string `json:"backup"` // path; nil when there was nothing to do
	Rows     int64   `json:"rows"`   // rows that were there before and are the same
}

func migrateCommand() *command {
	return &command{
		name: "migrate", summary: "bring the store up to date with this program",
		details: "Needed once after an update of lithos that changes the form of stores; other commands say so.\n" +
			"Takes a backup first, then changes the store in one transaction and holds it against what it was:\n" +
			"stopped at any instant, it leaves the old store or the new one. A store that is up to date is\n" +
			"left alone.",
		examples:  []string{"lithos migrate"},
		unbounded: true,
		run: func(c *call) error {
			if c.invalid != nil {
				return c.invalid
			}
			result, err := c.migrate()
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.migration(result) })
		},
	}
}

// storeOptions are the options of the session's store.
func (c *call) storeOptions() StoreOptions {
	s := c.session
	return StoreOptions{Path: s.place.path, ReadOnly: s.readOnly, Synchronous: s.config.text("storage.synchronous")}
}

// migrate brings the session's store up to date.
func (c *call) migrate() (migrateResult, error) {
	s := c.session
	if err := c.writable(); err != nil {
		return migrateResult{}, err
	}
	if !s.place.exists() {
		return migrateResult{}, s.absent(false)
	}
	backups, err := c.backupFolder("")
	if err != nil {
		return migrateResult{}, err
	}
	ctx, cancel := c.bounded()
	defer cancel()
	bar := c.progress("Migrating")
	defer bar.end()
	done, err := c.env.Migrate(ctx, MigrateOptions{
		Store: c.storeOptions(), Backups: backups, Notes: s.knowledge(), Now: c.now(), Progress: bar.tell,
	})
	if err != nil {
		return migrateResult{}, lazyStore{s}.timed(err)
	}
	result := migrateResult{Path: s.place.path, From: done.From, To: done.To, Migrated: done.Backup != "", Rows: done.Rows}
	if result.Migrated {
		result.Backup = &done.Backup
	}
	return result, nil
}

// migration writes what was done.
func (p *page) migration(r migrateResult) {
	if !p.terminal {
		p.fields(r.Path, fmt.Sprint(r.From), fmt.Sprint(r.To), wordOr(r.Backup, ""))
		return
	}
	if !r.Migrated {
		p.line("Nothing to do: the store has the schema %d already.", r.To)
		return
	}
	p.line("Migrated from the schema %d to %d; all %s of before are the same.", r.From, r.To, counted(int(r.Rows), "row"))
	p.line("  backup: %s", display.Visible(*r.Backup))
}

// offerMigration asks a person at a terminal whether to bring an older store
// up to date at once, and does it. It reports whether the call can be made
// again.
func (c *call) offerMigration(failure error) (migrated bool, err error) {
	e := core.AsError(failure)
	if e.Code != core.CodeSchemaMismatch || e.Extra("direction") != "older" ||
		c.invocation.command.path() == restorePath || c.session.readOnly || !c.canAsk() {
		return false, failure
	}
	fmt.Fprint(c.env.Stderr, display.Visible(fmt.Sprintf("lithos: %s Do it now? A backup is taken first. [y/N] ", e.Message)))
	answer, err := c.askLine(c.ctx)
	if err != nil {
		return false, err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return false, failure
	}
	if err := c.session.Close(); err != nil {
		return false, err
	}
	result, err := c.migrate()
	if err != nil {
		return false, err
	}
	if result.Migrated {
		c.say("Migrated from the schema %d to %d; backup: %s", result.From, result.To, *result.Backup)
	}
	return true, nil
}

// canAsk reports whether there is a person who can be asked.
func (c *call) canAsk() bool {
	return c.env.StdinIsTerminal && c.env.StderrIsTerminal && !c.out.json && !c.globals.quiet
}

// withMigration makes a call and, where it fails on an older store and a
// person agrees to migrate that, makes it again.
func (c *call) withMigration(ctx context.Context, perform func() error) error {
	err := perform()
	if err == nil || ctx.Err() != nil {
		return err
	}
	again, err := c.offerMigration(err)
	if !again {
		return err
	}
	return perform()
}

// olderStore is the error of a store that has to be migrated, for what shows
// errors of its own while nobody can be asked. Whatever else is wrong with the
// store is told there.
func (c *call) olderStore() error {
	if !c.session.place.exists() || !c.canAsk() {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, glanceTime)
	defer cancel()
	store, err := c.session.open(ctx, false)
	if err == nil {
		err = store.Read(ctx, func(core.ReadTx) error { return nil })
	}
	var e *core.Error
	if errors.As(err, &e) && e.Code == core.CodeSchemaMismatch && e.Extra("direction") == "older" {
		return err
	}
	return nil
}

// glanceTime is how long a glance at the store may take ahead of the board.
const glanceTime = 100 * time.Millisecond
