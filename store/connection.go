package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
)

// maxIdleStatements bounds how many prepared statements a connection keeps.
// Filters compose SQL, so the number of texts has no bound of its own.
const maxIdleStatements = 200

// conn is one connection to the file with its prepared statements. It belongs
// to one transaction at a time.
type conn struct {
	db    *sqlite3.SQLiteConn
	store *Store
	idle  map[string]*statement
	kept  int
	fixed bool // it takes the file for one that never changes, and so is of use once
	logs  bool // it writes to a log, which is whole also where it was not forced to the disk

	// Of the transaction under way.
	ctx   context.Context
	since time.Time // when the transaction was asked for
}

// statement is a prepared statement that nobody uses at the moment, or that
// one query uses. The same text met again inside that query gets a second one.
type statement struct {
	sql  string
	stmt *sqlite3.SQLiteStmt
	args []driver.NamedValue
	dest []driver.Value
	next *statement
}

// errStop is what the scan function of a query returns when it has seen
// enough.
var errStop = errors.New("seen enough")

// take returns a statement for the SQL text that is free to use.
func (c *conn) take(sql string) (*statement, error) {
	if st := c.idle[sql]; st != nil {
		c.idle[sql], st.next = st.next, nil
		c.kept--
		return st, nil
	}
	if c.kept >= maxIdleStatements {
		if err := c.finalize(); err != nil {
			return nil, c.fail(err)
		}
	}
	prepared, err := c.db.Prepare(steady(sql))
	if err != nil {
		return nil, c.fail(prepareError{err})
	}
	return &statement{sql: sql, stmt: prepared.(*sqlite3.SQLiteStmt)}, nil
}

// steady makes a statement one that is compiled once. SQLite looks at what is
// bound to a mark that stands alone after a sign of equality, LIKE or LIMIT, and
// compiles the statement anew when something else is bound, which costs more
// than many a query; the driver unbinds everything before each use. A plus
// changes no value, and is not looked through.
func steady(sql string) string { return strings.ReplaceAll(sql, "?", "+?") }

// give puts a statement back.
func (c *conn) give(st *statement) {
	st.next = c.idle[st.sql]
	c.idle[st.sql] = st
	c.kept++
}

// finalize drops the statements that nobody uses.
func (c *conn) finalize() error {
	var first error
	for sql, st := range c.idle {
		for ; st != nil; st = st.next {
			if err := st.stmt.Close(); err != nil && first == nil {
				first = err
			}
		}
		delete(c.idle, sql)
	}
	c.kept = 0
	return first
}

func (st *statement) bind(args []any) []driver.NamedValue {
	if cap(st.args) < len(args) {
		st.args = make([]driver.NamedValue, len(args))
	}
	st.args = st.args[:len(args)]
	for i, arg := range args {
		st.args[i] = driver.NamedValue{Ordinal: i + 1, Value: value(arg)}
	}
	return st.args
}

// each runs a query and hands its rows to scan one by one, until the last or
// until scan returns an error; errStop ends it without one. The end of the
// transaction's context stops it.
func (c *conn) each(sql string, scan func(*row) error, args ...any) error {
	return c.walk(c.ctx, sql, scan, args)
}

// eachShort is each for a query whose rows come quickly one after the other.
// It is stopped between two of them only, which spares a watch over each.
func (c *conn) eachShort(sql string, scan func(*row) error, args ...any) error {
	return c.walk(context.Background(), sql, func(r *row) error {
		if c.ctx.Err() != nil {
			return c.fail(c.ctx.Err())
		}
		return scan(r)
	}, args)
}

// one runs a query for at most one row, found by an index and so too short to
// be worth stopping halfway.
func (c *conn) one(sql string, scan func(*row), args ...any) (found bool, err error) {
	err = c.walk(context.Background(), sql, func(r *row) error {
		found = true
		scan(r)
		return errStop
	}, args)
	return found, err
}

// run executes a short statement that returns no rows and whose number of
// changed rows does not matter. It takes fewer steps into C than exec.
func (c *conn) run(sql string, args ...any) error {
	return c.walk(context.Background(), sql, func(*row) error { return errStop }, args)
}

func (c *conn) walk(ctx context.Context, sql string, scan func(*row) error, args []any) error {
	if c.ctx.Err() != nil {
		return c.fail(c.ctx.Err())
	}
	st, err := c.take(sql)
	if err != nil {
		return err
	}
	defer c.give(st)
	result, err := st.stmt.QueryContext(ctx, st.bind(args))
	if err != nil {
		return c.fail(err)
	}
	rows := result.(*sqlite3.SQLiteRows)
	// Closing repeats the error of the last step, which was looked at.
	defer func() { _ = rows.Close() }()
	if st.dest == nil {
		st.dest = make([]driver.Value, len(rows.Columns()))
	}
	r := row{values: st.dest}
	for {
		if err := rows.Next(st.dest); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return c.fail(err)
		}
		r.empty = false
		if err := scan(&r); err != nil || r.bad != nil {
			switch {
			case r.bad != nil:
				return c.fail(damagedError{r.bad, r.name})
			case errors.Is(err, errStop):
				return nil
			}
			return err
		}
	}
}

// exec executes a short statement and returns how many rows it changed.
func (c *conn) exec(sql string, args ...any) (changed int64, err error) {
	if c.ctx.Err() != nil {
		return 0, c.fail(c.ctx.Err())
	}
	return c.execAnyway(sql, args...)
}

// execAnyway is exec for what must happen also after the context's end.
func (c *conn) execAnyway(sql string, args ...any) (changed int64, err error) {
	st, err := c.take(sql)
	if err != nil {
		return 0, err
	}
	defer c.give(st)
	result, err := st.stmt.ExecContext(context.Background(), st.bind(args))
	if err != nil {
		return 0, c.fail(err)
	}
	return result.RowsAffected()
}

// script executes statements without arguments, for migrations and settings.
func (c *conn) script(sql string) error {
	if _, err := c.db.Exec(sql, nil); err != nil {
		return c.fail(err)
	}
	return nil
}

// number runs a query for one integer; 0 when there is no row or it is NULL.
func (c *conn) number(sql string, args ...any) (n int64, err error) {
	_, err = c.one(sql, func(r *row) {
		if !r.isNull(0) {
			n = r.int(0)
		}
	}, args...)
	return n, err
}

// end finishes the transaction under way, if there still is one: SQLite ends
// some by itself when they fail.
func (c *conn) rollback() error {
	if c.db.AutoCommit() {
		return nil
	}
	_, err := c.execAnyway("ROLLBACK")
	return err
}

// close gives the connection up. The last connection to the file to be closed
// takes the log with it.
func (c *conn) close() error {
	first := c.finalize()
	if err := c.store.beside.closeConn(c); err != nil && first == nil {
		first = err
	}
	if first != nil {
		return fmt.Errorf("close a connection to %s: %w", c.store.path, first)
	}
	return nil
}
