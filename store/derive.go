package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dev.lithos/store/pages"
)

// The tables that follow from others, or from the files of the notes, so that
// they can be made anew when they are missing or damaged. Of meta that holds
// but for when the words of the notes were last written, which is told anew
// with their next write.
var (
	derivedFromTasks = []string{"open_tasks", "meta"}
	derivedFromNotes = []string{"notes", "note_names", "note_links", "note_tags", "note_sources", "note_folders", "note_problems"}
)

// wordsTable is the virtual table of the words of notes. The engine keeps it in
// others, whose names begin with its own.
const wordsTable = "note_words"

func isOfWords(name string) bool {
	return name == wordsTable || strings.HasPrefix(name, wordsTable+"_")
}

// isDerived reports whether a table can be made anew.
func isDerived(table string) bool {
	return slices.Contains(derivedFromTasks, table) || isFromNotes(table)
}

// isFromNotes reports whether a table follows from the files of notes.
func isFromNotes(table string) bool {
	return slices.Contains(derivedFromNotes, table) || isOfWords(table)
}

// derivation are the derived tables that have to be made anew.
type derivation struct {
	tables []string
	kept   map[string][]map[string]any // rows of these that can still be read
}

func (d derivation) isEmpty() bool { return len(d.tables) == 0 }

// fromNotes reports whether some of them follow from the files of notes.
func (d derivation) fromNotes() bool { return slices.ContainsFunc(d.tables, isFromNotes) }

// remake puts empty tables in the place of derived ones. The frontier has to
// be counted, and the notes to be read, afterwards.
//
// A table whose pages cannot be read cannot be dropped either, for that reads
// them. So a new one is made beside it, which then takes its place in the list
// of tables; what the old one had is left to packing.
func (t *tx) remake(d derivation) (err error) {
	if len(d.tables) == 0 {
		return nil
	}
	want, err := presentObjects()
	if err != nil {
		return err
	}
	if err := t.script("PRAGMA writable_schema = ON"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.script("PRAGMA writable_schema = OFF")) }()
	words := false
	for i, name := range d.tables {
		if isOfWords(name) {
			words = true
			continue
		}
		objects := slices.DeleteFunc(slices.Clone(want), func(o object) bool { return o.table != name })
		slices.SortStableFunc(objects, func(a, b object) int { return cmp.Compare(b.kind, a.kind) }) // the table first
		if err := t.replaceTable(objects, fmt.Sprintf("%s_table_%d", rebuiltPrefix, i)); err != nil {
			return err
		}
	}
	if words {
		if err := t.run("DELETE FROM sqlite_schema WHERE tbl_name = ?1 OR tbl_name LIKE ?1 || '\\_%' ESCAPE '\\'", wordsTable); err != nil {
			return err
		}
	}
	// The list of tables is read anew, so that what follows uses the new ones.
	if err := t.reread(); err != nil {
		return err
	}
	if words {
		if err := t.script(createWords); err != nil {
			return err
		}
	}
	for table, rows := range d.kept {
		for _, values := range rows {
			if err := t.keep(table, values); err != nil {
				return err
			}
		}
	}
	return nil
}

// reread lets the engine read the list of tables anew.
func (t *tx) reread() error {
	if err := t.finalize(); err != nil {
		return t.fail(err)
	}
	return t.script("PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON")
}

// replaceTable makes a table and its indexes under other names, and puts them
// in the place of those that are there, if any are.
func (t *tx) replaceTable(objects []object, twin string) error {
	name := objects[0].name
	twins := map[string]string{}
	for _, o := range objects {
		switch {
		case o.kind == "table":
			twins[o.name] = twin
			if err := t.script(strings.Replace(o.sql, "CREATE TABLE "+name, "CREATE TABLE "+twin, 1)); err != nil {
				return err
			}
		case o.sql == "": // it comes with the table
			twins[o.name] = strings.Replace(o.name, "_"+name+"_", "_"+twin+"_", 1)
		default:
			twins[o.name] = twin + "_" + o.name
			sql := indexName().ReplaceAllString(o.sql, "${1}"+twins[o.name])
			if err := t.script(strings.Replace(sql, " ON "+name+" ", " ON "+twin+" ", 1)); err != nil {
				return err
			}
		}
	}
	if err := t.run("DELETE FROM sqlite_schema WHERE tbl_name = ?", name); err != nil {
		return err
	}
	for _, o := range objects {
		var sql any
		if o.sql != "" {
			sql = o.sql
		}
		if err := t.run("UPDATE sqlite_schema SET name = ?1, tbl_name = ?2, sql = ?3 WHERE name = ?4", o.name, name, sql, twins[o.name]); err != nil {
			return err
		}
	}
	return nil
}

// keep puts a row back that could still be read, unless another is in its
// place.
func (t *tx) keep(table string, values map[string]any) error {
	var names, marks []string
	var args []any
	for name, v := range values {
		names, marks, args = append(names, name), append(marks, "?"), append(args, v)
	}
	return t.run("INSERT OR IGNORE INTO "+quoteName(table)+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(marks, ", ")+")", args...)
}

// keptTable is the one of the derived tables that holds something that the
// files may not: the ids of notes in which none stands.
const keptTable = "notes"

// readKept reads the rows of a table that can still be read, past the engine,
// which must not have the file open in this process.
func readKept(ctx context.Context, path, table string) (rows []map[string]any, err error) {
	s, err := Open(ctx, Options{Path: path, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r, err := s.openRaw(s.wait(ctx))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	v, err := s.survey(r)
	if err != nil {
		return nil, err
	}
	found := v.tables[table]
	if found == nil {
		return nil, nil
	}
	for _, l := range found.leaves {
		v.file.Rows(l.page, l.orphan, func(raw pages.Row) bool {
			if !raw.Whole || !found.layout.fits(raw.Values) {
				return true
			}
			values := map[string]any{}
			for i, column := range found.layout.columns {
				values[column.name] = raw.Values[i]
				if column.number {
					values[column.name] = raw.Number
				}
			}
			rows = append(rows, values)
			return true
		})
	}
	return rows, nil
}
