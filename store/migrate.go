package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// MigrateOptions say which store to bring up to date, and how.
type MigrateOptions struct {
	Path        string
	Synchronous Synchronous
	// Backup takes a backup, which it returns the path of. It is called while
	// nobody else can write, before anything is changed.
	Backup func(context.Context) (path string, err error)
	// Files tells tests of the steps: began, backed up, changed, checked and
	// committed.
	Files    files.Disk
	Progress Progress
}

// Migration is what bringing a store up to date has done.
type Migration struct {
	From, To int64
	Backup   string // path of the backup; "" when there was nothing to do
	Rows     int64  // how many rows were there before, and are still the same
}

// phaseMigrate is the phase of work that migrating tells of.
const phaseMigrate = "migrating"

// migrateSteps is how many steps a migration reports.
const migrateSteps = 5

// Migrate brings the schema of a store up to date in one transaction. Before
// it is committed, the file is examined, the frontier recounted and every row
// that was there held against what it was; what fails that is rolled back. A
// store of the present schema is left alone.
//
// Errors are schema_mismatch for a store that is newer than the program,
// store_unavailable, database_busy, request_timed_out and those of the backup.
func Migrate(ctx context.Context, options MigrateOptions) (done Migration, err error) {
	s, err := Open(ctx, Options{Path: options.Path, Synchronous: options.Synchronous})
	if err != nil {
		return done, err
	}
	s.anySchema = true
	defer func() { err = errors.Join(err, s.Close()) }()
	err = s.Read(ctx, func(read core.ReadTx) error {
		done.From, err = read.(*tx).number("PRAGMA user_version")
		return err
	})
	done.To = schemaVersion()
	switch {
	case err != nil:
		return Migration{}, err
	case done.From > done.To:
		return Migration{}, s.schemaMismatch(done.From)
	case done.From == done.To:
		return done, nil
	}
	err = s.Write(ctx, func(write core.WriteTx) error { return write.(*tx).bringUp(ctx, &done, options) })
	if err != nil {
		return Migration{}, err
	}
	_ = options.Files.Reach("committed") // it is done, whatever comes
	return done, nil
}

// bringUp is the transaction of a migration.
func (t *tx) bringUp(ctx context.Context, done *Migration, options MigrateOptions) error {
	reached := int64(0)
	reach := func(name string) error {
		options.Progress.tell(phaseMigrate, reached, migrateSteps)
		reached++
		return options.Files.Reach(name)
	}
	var err error
	if done.From, err = t.number("PRAGMA user_version"); err != nil || done.From >= done.To {
		return err // another program was faster
	}
	if err := reach("began"); err != nil {
		return err
	}
	if done.Backup, err = options.Backup(ctx); err != nil {
		return err
	}
	if err := reach("backed up"); err != nil {
		return err
	}
	m := migrating{tx: t, from: done.From, backup: done.Backup}
	if err := m.checkOld(); err != nil {
		return m.about("what was there", err)
	}
	before, err := t.takePrints()
	if err != nil {
		return m.about("reading", err)
	}
	if err := reach("read"); err != nil {
		return err
	}
	if err := t.migrate(done.From); err != nil {
		return m.about("changing", err)
	}
	if err := reach("changed"); err != nil {
		return err
	}
	if err := m.verify(before); err != nil {
		return m.about("verifying", err)
	}
	for _, p := range before {
		done.Rows += p.rows
	}
	return reach("checked")
}

// migrating is the transaction of a migration, with what its refusals tell.
type migrating struct {
	*tx
	from   int64
	backup string // path of the backup, which stays
}

// checkOld looks whether the store has what its schema says, and nothing in the
// place of what the next one needs. Indexes can be made anew afterwards.
func (m migrating) checkOld() error {
	found, err := m.structure(m.from)
	if err != nil {
		return err
	}
	wanted, err := presentObjects()
	if err != nil {
		return err
	}
	found.foreign = slices.DeleteFunc(found.foreign, func(o object) bool {
		return !slices.ContainsFunc(wanted, func(w object) bool { return strings.EqualFold(w.name, o.name) })
	})
	return m.judge(found)
}

// judge refuses a structure that is not what it should be and that does not
// follow from the rest.
func (m migrating) judge(found structure) error {
	if text := found.fault(); text != "" && (len(found.foreign) > 0 || !found.canBeRemade()) {
		return m.refuse("structure", text)
	}
	return nil
}

// verify holds a store that was just migrated to what it was before, and to
// what it should be now.
func (m migrating) verify(before []print) error {
	if err := m.matchPrints(before); err != nil {
		return err
	}
	found, err := m.structure(schemaVersion())
	if err != nil {
		return err
	}
	found.foreign = nil // they were there before, and hinder nothing
	if err := m.judge(found); err != nil {
		return err
	}
	if len(found.derived()) == 0 {
		if err := m.remakeStructure(); err != nil { // indexes
			return err
		}
	}
	damages, err := m.damages()
	if err != nil {
		return err
	}
	if text := damages.text(); text != "" {
		return m.refuse("integrity", text)
	}
	text, _, err := m.lookForeignKeys(nil)
	if err != nil {
		return err
	}
	if text != "" {
		return m.refuse("foreign keys", text)
	}
	differences, err := m.checkFrontier()
	if err != nil || len(differences) == 0 {
		return err
	}
	// What follows from the rest is no reason to stop.
	if err := m.rebuildFrontier(); err != nil {
		return err
	}
	if differences, err = m.checkFrontier(); err == nil && len(differences) > 0 {
		err = fmt.Errorf("the frontier cannot be made right: %s", differences[0])
	}
	return err
}

// refuse is the error for a store that must not be migrated as it is.
func (m migrating) refuse(step, what string) *core.Error {
	return core.NewError(core.CodeStoreUnavailable,
		fmt.Sprintf("The store '%s' is damaged and was not migrated from the schema %d to %d: the step '%s' found what is wrong. %s It is as it was, and so is the backup '%s'.",
			m.store.path, m.from, schemaVersion(), step, what, m.backup),
		core.Extra{Name: "path", Value: m.store.path}, core.Extra{Name: "reason", Value: ReasonCorrupt})
}

// about names the step and the backup in an error that was met because of what
// the store holds.
func (m migrating) about(step string, err error) error {
	var named *core.Error
	switch {
	case errors.As(err, &named):
		if named.Code != core.CodeStoreUnavailable || named.Extra("reason") != ReasonCorrupt || strings.Contains(named.Message, m.backup) {
			return err
		}
		return m.refuse(step, "Something in it cannot be read.").Because(err)
	case isCode(err, sqlite3.ErrError, sqlite3.ErrConstraint):
		return m.refuse(step, "Something in it is not as its schema says.").Because(err)
	}
	return err
}

// print is what a table held: a digest of all columns of all rows in their
// order.
type print struct {
	table   string
	columns []string
	rows    int64
	digest  [sha256.Size]byte
}

// takePrints takes one of every table.
func (t *tx) takePrints() ([]print, error) {
	var prints []print
	// Virtual tables keep what they hold in others.
	err := t.each("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name", func(r *row) error {
		prints = append(prints, print{table: r.text(0)})
		return nil
	})
	for i := range prints {
		p := &prints[i]
		if err == nil {
			p.columns, err = t.columnsOf(p.table)
		}
		if err == nil {
			err = t.fill(p)
		}
	}
	return prints, err
}

func (t *tx) columnsOf(table string) (columns []string, err error) {
	err = t.each("SELECT name FROM pragma_table_info(?) ORDER BY cid", func(r *row) error {
		columns = append(columns, r.text(0))
		return nil
	}, table)
	return columns, err
}

// fill counts and digests the rows of a table.
func (t *tx) fill(p *print) error {
	quoted := make([]string, len(p.columns))
	for i, column := range p.columns {
		quoted[i] = quoteName(column)
	}
	sum := sha256.New()
	err := t.each("SELECT "+strings.Join(quoted, ", ")+" FROM "+quoteName(p.table)+" NOT INDEXED", func(r *row) error {
		p.rows++
		for _, v := range r.values {
			digest(sum, v)
		}
		return nil
	})
	sum.Sum(p.digest[:0])
	return err
}

// digest adds a value to a digest, with its kind and length, so that no two
// rows look alike.
func digest(sum hash.Hash, v any) {
	var text []byte
	kind := byte('-')
	switch v := v.(type) {
	case int64:
		kind, text = 'i', binary.BigEndian.AppendUint64(nil, uint64(v))
	case string:
		kind, text = 't', []byte(v)
	case []byte:
		kind, text = 'b', v
	case nil:
	default:
		kind, text = '?', fmt.Append(nil, v)
	}
	sum.Write(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(text))))
	sum.Write(text)
}

// matchPrints holds every table to the print that was taken of it.
func (t *tx) matchPrints(before []print) error {
	for _, p := range before {
		columns, err := t.columnsOf(p.table)
		if err != nil {
			return err
		}
		for _, column := range p.columns {
			if !slices.Contains(columns, column) {
				return fmt.Errorf("the migration has lost the column %s of the table %s", column, p.table)
			}
		}
		now := print{table: p.table, columns: p.columns}
		if err := t.fill(&now); err != nil {
			return err
		}
		if now.rows != p.rows || now.digest != p.digest {
			return fmt.Errorf("the migration has changed the table %s, which had %d rows and has %d", p.table, p.rows, now.rows)
		}
	}
	return nil
}
