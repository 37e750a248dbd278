package store

import (
	"context"
	"errors"

	"dev.lithos/core"
)

// countRows counts the rows of every table, whatever the schema. Tables that
// belong to virtual ones count for nothing: they hold no content of their own.
func (c *conn) countRows() (map[string]int64, error) {
	var tables []string
	err := c.each("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'", func(r *row) error {
		tables = append(tables, r.text(0))
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows := map[string]int64{}
	for _, table := range tables {
		if rows[table], err = c.number("SELECT count(*) FROM " + quoteName(table)); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// CountRows counts the rows of each table of a store, whatever its schema. The
// errors are those of opening and reading one.
func CountRows(ctx context.Context, path string) (rows map[string]int64, err error) {
	s, err := Open(ctx, Options{Path: path, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	s.anySchema = true
	defer func() { err = errors.Join(err, s.Close()) }()
	err = s.Read(ctx, func(read core.ReadTx) (err error) {
		rows, err = read.(*tx).countRows()
		return err
	})
	return rows, err
}
