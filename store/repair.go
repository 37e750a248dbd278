package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
)

// Repair makes anew what follows from the rest of the store: indexes and
// derived tables that are missing, damaged or do not fit their tables, if no
// other table is damaged; the stored frontier; and the file itself when pages of
// it are lost to use. Names are what an examination has found, and those it can
// do nothing about are passed over. What it changes it changes in one
// transaction, and only if the file is sound then. notes tells that the index of
// the notes was emptied, so that their files have to be read anew.
func Repair(ctx context.Context, options Options, names []CheckName) (notes bool, err error) {
	found, err := findRepairs(ctx, options, names)
	if err != nil {
		return false, err
	}
	s, err := Open(ctx, options)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	pack := false
	err = s.Write(ctx, func(write core.WriteTx) (err error) {
		t := write.(*tx)
		if err := t.remake(found.derived); err != nil {
			return err
		}
		if slices.Contains(names, CheckStructure) {
			if err := t.remakeStructure(); err != nil {
				return err
			}
		}
		if slices.Contains(names, CheckIntegrity) {
			if pack, err = t.rebuildIndexes(found); err != nil {
				return err
			}
		}
		if slices.Contains(names, CheckReadiness) || !found.derived.isEmpty() {
			return t.rebuildFrontier()
		}
		return nil
	})
	if err != nil || !pack {
		return found.derived.fromNotes(), err
	}
	return found.derived.fromNotes(), s.pack(ctx)
}

// repairs are what a repair has to do.
type repairs struct {
	broken  damages
	derived derivation
}

// findRepairs looks for what has to be made anew, apart from the transaction
// that does it: one that has met damage cannot be committed.
func findRepairs(ctx context.Context, options Options, names []CheckName) (found repairs, err error) {
	s, err := Open(ctx, Options{Path: options.Path, ReadOnly: true})
	if err != nil {
		return found, err
	}
	err = s.Read(ctx, func(read core.ReadTx) (err error) {
		t := read.(*tx)
		if slices.Contains(names, CheckIntegrity) {
			if found.broken, err = t.damages(); err != nil {
				return err
			}
			if found.broken.canBeRemade() {
				found.derived.tables = found.broken.derived()
			}
		}
		if slices.Contains(names, CheckStructure) {
			structure, err := t.structure(schemaVersion())
			if err != nil {
				return err
			}
			if structure.canBeRemade() {
				found.derived.tables = append(found.derived.tables, structure.derived()...)
			}
		}
		return nil
	})
	if err := errors.Join(err, damageApart(s.Close())); err != nil {
		return found, err
	}
	d := &found.derived
	slices.Sort(d.tables)
	d.tables = slices.Compact(d.tables)
	if !slices.Contains(d.tables, keptTable) {
		return found, nil
	}
	rows, err := readKept(ctx, options.Path, keptTable)
	d.kept = map[string][]map[string]any{keptTable: rows}
	return found, err
}

// pack writes the file anew from what is in use of it.
func (s *Store) pack(ctx context.Context) error {
	w := s.wait(ctx)
	if err := w.token(s.writing); err != nil {
		return err
	}
	defer func() { s.writing <- struct{}{} }()
	c, err := s.openWriter(w)
	if err != nil {
		return err
	}
	c.ctx, c.since = w.ctx, w.since
	// The file may be larger than memory.
	if err := c.script("PRAGMA temp_store = DEFAULT"); err != nil {
		return err
	}
	return errors.Join(w.until(func() error { return c.script("VACUUM") }), c.script(temporaryInMemory))
}

// rebuildIndexes makes those indexes anew that are damaged or do not fit their
// tables, if no table is. It reports whether the file should be packed
// afterwards: pages of it are of no more use, or their list is wrong.
//
// An index whose pages cannot be read cannot be dropped either, for that
// reads them. So a new one is made beside it, which then takes its place in
// the list of tables; what the old one had is left to packing.
func (t *tx) rebuildIndexes(found repairs) (pack bool, err error) {
	if !found.broken.canBeRemade() {
		return false, nil
	}
	names := found.broken.indexes()
	if len(names) == 0 && found.derived.isEmpty() {
		return true, nil // only the list of pages is wrong, from which nothing must be taken then
	}
	if err := t.script("PRAGMA writable_schema = ON"); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, t.script("PRAGMA writable_schema = OFF")) }()
	objects, err := t.objects()
	if err != nil {
		return false, err
	}
	for n, name := range names {
		at := slices.IndexFunc(objects, func(o object) bool { return o.name == name })
		if at < 0 || slices.Contains(found.derived.tables, objects[at].table) {
			continue // it is new, if it is there
		}
		if err := t.rebuildIndex(objects[at], fmt.Sprintf("%s_%d", rebuiltPrefix, n)); err != nil {
			return false, err
		}
	}
	// The list of tables is read anew, so that what follows uses the new ones.
	if err := t.script("PRAGMA writable_schema = RESET"); err != nil {
		return false, err
	}
	after, err := t.damages()
	if err != nil {
		return false, err
	}
	if len(after.indexes()) > 0 || !after.isOnlyUnused() {
		return false, t.store.unavailable(ReasonCorrupt, fmt.Errorf("something could not be made anew: %s", after.text()))
	}
	return len(after.list) > 0, nil
}

// rebuiltPrefix begins the names of indexes that are to take the place of
// others. They differ, for the list of tables is read anew only at the end.
const rebuiltPrefix = "lithos_rebuilt"

func (t *tx) rebuildIndex(o object, name string) error {
	if o.kind == "table" { // a virtual one, of words
		return t.script(fmt.Sprintf("INSERT INTO %s (%s) VALUES ('rebuild')", quoteName(o.name), quoteName(o.name)))
	}
	sql := indexName().ReplaceAllString(o.sql, "${1}"+name)
	if o.sql == "" {
		var columns []string
		err := t.each("SELECT name FROM pragma_index_info(?) ORDER BY seqno", func(r *row) error {
			columns = append(columns, quoteName(r.text(0)))
			return nil
		}, o.name)
		if err != nil {
			return err
		}
		sql = fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s (%s)", name, quoteName(o.table), strings.Join(columns, ", "))
	}
	if err := t.remade(t.script(sql)); err != nil {
		return err
	}
	if err := t.run("UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = ?1) WHERE name = ?2 AND type = 'index'", name, o.name); err != nil {
		return err
	}
	return t.run("DELETE FROM sqlite_schema WHERE name = ?", name)
}
