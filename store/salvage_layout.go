package store

import (
	"slices"
	"strings"
	"sync"
)

// layout is how the rows of a table lie in the file.
type layout struct {
	table   string
	columns []layoutColumn
}

type layoutColumn struct {
	name   string
	kind   string // INTEGER, TEXT, REAL or BLOB; anything else may hold anything
	null   bool   // it may hold nothing
	number bool   // it is the number of the row, and itself holds nothing
}

// presentLayouts are those of this program's schema.
var presentLayouts = sync.OnceValues(func() ([]layout, error) { return readLayouts(schemaVersion()) })

// layoutsOf are the layouts of the tables of a schema whose rows have numbers.
func layoutsOf(version int64) ([]layout, error) {
	if version == schemaVersion() {
		return presentLayouts()
	}
	return readLayouts(version)
}

func readLayouts(version int64) (list []layout, err error) {
	objects, err := objectsFor(version)
	if err != nil {
		return nil, err
	}
	err = inEmpty(version, func(c *conn) error {
		for _, o := range objects {
			if o.kind != "table" || o.root == 0 || o.isWithoutNumbers() {
				continue
			}
			l := layout{table: o.name}
			keys := 0
			err := c.each(`SELECT name, type, "notnull", pk FROM pragma_table_info(?) ORDER BY cid`, func(r *row) error {
				keys += int(min(r.int(3), 1))
				l.columns = append(l.columns, layoutColumn{
					name: r.text(0), kind: r.text(1), null: r.int(2) == 0, number: r.text(1) == "INTEGER" && r.int(3) == 1,
				})
				return nil
			}, o.name)
			if err != nil {
				return err
			}
			for i := range l.columns { // one of several keys is a column like others
				l.columns[i].number = l.columns[i].number && keys == 1
			}
			list = append(list, l)
		}
		return nil
	})
	return list, err
}

// isWithoutNumbers reports whether the rows of a table have none but their key.
func (o object) isWithoutNumbers() bool { return strings.HasSuffix(o.sql, "WITHOUT ROWID") }

// fits reports whether a row can be one of the table.
func (l layout) fits(values []any) bool {
	if len(values) != len(l.columns) {
		return false
	}
	for i, column := range l.columns {
		if !column.takes(values[i]) {
			return false
		}
	}
	return true
}

func (c layoutColumn) takes(value any) bool {
	switch value.(type) {
	case nil:
		return c.null || c.number
	case int64:
		return !c.number && c.kind != "TEXT" && c.kind != "BLOB" // whole REALs are stored so
	case float64:
		return c.kind != "INTEGER" && c.kind != "TEXT" && c.kind != "BLOB"
	case string:
		return c.kind != "INTEGER" && c.kind != "REAL" && c.kind != "BLOB"
	}
	return c.kind != "INTEGER" && c.kind != "REAL" && c.kind != "TEXT"
}

// places are where columns stand.
func (l layout) places(names []string) places {
	list := make(places, len(names))
	for i, name := range names {
		at := slices.IndexFunc(l.columns, func(c layoutColumn) bool { return c.name == name })
		if at < 0 {
			panic("store: " + l.table + " has no column " + name) // the names are ours, and so are the tables
		}
		if l.columns[at].number {
			at = numberPlace
		}
		list[i] = at
	}
	return list
}
