package main

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net/url"

	"github.com/mattn/go-sqlite3"
)

// raw is a connection of the bare driver with its prepared statements: what
// the program could at best be as fast as.
type raw struct {
	db    *sqlite3.SQLiteConn
	stmts map[string]*sqlite3.SQLiteStmt
}

// openRaw connects to a store the way the program does.
func openRaw(path string) *raw {
	name := url.URL{Scheme: "file", Path: path, RawQuery: "mode=rw&_busy_timeout=5000&_mutex=no&_foreign_keys=1&_synchronous=FULL"}
	db, err := (&sqlite3.SQLiteDriver{}).Open(name.String())
	check(err)
	r := &raw{db: db.(*sqlite3.SQLiteConn), stmts: map[string]*sqlite3.SQLiteStmt{}}
	r.script("PRAGMA temp_store = MEMORY")
	return r
}

func (r *raw) close() {
	for _, stmt := range r.stmts {
		check(stmt.Close())
	}
	check(r.db.Close())
}

func (r *raw) script(sql string) {
	_, err := r.db.Exec(sql, nil)
	check(err)
}

func (r *raw) stmt(sql string) *sqlite3.SQLiteStmt {
	stmt := r.stmts[sql]
	if stmt == nil {
		prepared, err := r.db.Prepare(sql)
		check(err)
		stmt = prepared.(*sqlite3.SQLiteStmt)
		r.stmts[sql] = stmt
	}
	return stmt
}

// named numbers arguments as the driver wants them.
func named(args []driver.Value) []driver.NamedValue {
	list := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		list[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	return list
}

func (r *raw) exec(sql string, args ...driver.Value) {
	_, err := r.stmt(sql).ExecContext(context.Background(), named(args))
	check(err)
}

// each runs a query and hands over its rows, whose slice is used again.
func (r *raw) each(sql string, row func([]driver.Value), args ...driver.Value) {
	rows, err := r.stmt(sql).QueryContext(context.Background(), named(args))
	check(err)
	dest := make([]driver.Value, len(rows.Columns()))
	for {
		err := rows.Next(dest)
		if errors.Is(err, io.EOF) {
			break
		}
		check(err)
		row(dest)
	}
	check(rows.Close())
}

// query runs a query and counts its rows.
func (r *raw) query(sql string, args ...driver.Value) (n int) {
	r.each(sql, func([]driver.Value) { n++ }, args...)
	return n
}

// number runs a query for one integer.
func (r *raw) number(sql string, args ...driver.Value) (n int64) {
	r.each(sql, func(row []driver.Value) { n, _ = row[0].(int64) }, args...)
	return n
}

// foldLog empties the log of the store.
func (r *raw) foldLog() { r.query("PRAGMA wal_checkpoint(TRUNCATE)") }
