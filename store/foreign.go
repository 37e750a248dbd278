package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
)

// Foreign is the SQLite database of another program, open for reading. All
// reads see the state of the moment it was opened.
type Foreign struct {
	path   string
	db     *sqlite3.SQLiteConn
	opened time.Time
}

// foreignSettings guard against what a database from elsewhere may hold:
// nothing is written, and its schema runs no functions of its own choosing.
const foreignSettings = "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; BEGIN"

// OpenForeign opens the database at path. Errors are invalid_input about file,
// and database_busy.
func OpenForeign(path string) (*Foreign, error) {
	f, err := openForeign(path, "")
	if isCode(err, sqlite3.ErrCantOpen, sqlite3.ErrReadonly) && logOf(path) == 0 {
		// Where nothing can be made beside it the engine cannot share a log; a
		// database without one is then read as unchangeable.
		return openForeign(path, "&immutable=1")
	}
	return f, err
}

func openForeign(path, parameters string) (*Foreign, error) {
	uri := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "mode=ro&_busy_timeout=5000" + parameters}
	f := &Foreign{path: path, opened: time.Now()}
	opened, err := (&sqlite3.SQLiteDriver{}).Open(uri.String())
	if err != nil {
		return nil, f.fail(err)
	}
	f.db = opened.(*sqlite3.SQLiteConn)
	// The first read takes the snapshot.
	for _, sql := range []string{foreignSettings, "SELECT count(*) FROM sqlite_schema"} {
		if _, err := f.db.Exec(sql, nil); err != nil {
			return nil, errors.Join(f.fail(err), f.Close())
		}
	}
	return f, nil
}

// logOf is how many bytes of changes wait beside a database.
func logOf(path string) int64 {
	info, err := os.Stat(RealPath(path) + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// Close gives the database up.
func (f *Foreign) Close() error {
	if err := f.db.Close(); err != nil {
		return fmt.Errorf("close the database that was read: %w", err)
	}
	return nil
}

// Columns names the columns of a table; nil when there is no such table.
func (f *Foreign) Columns(ctx context.Context, table string) (columns []string, err error) {
	err = f.rows(ctx, "SELECT i.name FROM sqlite_schema s JOIN pragma_table_info(s.name) i WHERE s.type = 'table' AND s.name = ?",
		[]driver.NamedValue{{Ordinal: 1, Value: table}}, 1, func(values []*string) error {
			columns = append(columns, *values[0])
			return nil
		})
	return columns, err
}

// Each yields the rows of a table, oldest first: the columns as text, nil for
// NULL. The list is valid during the call of yield only. Each ends with the
// first error of yield.
func (f *Foreign) Each(ctx context.Context, table string, columns []string, yield func([]*string) error) error {
	var list []string
	for _, column := range columns {
		// The driver would turn columns declared as times into times, whatever
		// they hold.
		list = append(list, "CAST("+quoteName(column)+" AS TEXT)")
	}
	return f.rows(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+quoteName(table)+" ORDER BY rowid", nil, len(columns), yield)
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (f *Foreign) rows(ctx context.Context, sql string, args []driver.NamedValue, width int, yield func([]*string) error) error {
	result, err := f.db.QueryContext(ctx, sql, args)
	if err != nil {
		return f.fail(err)
	}
	defer result.Close() //nolint:errcheck // it repeats the error of the last step, which was looked at
	raw := make([]driver.Value, width)
	values := make([]*string, width)
	for {
		switch err := result.Next(raw); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return f.fail(err)
		}
		for i, v := range raw {
			values[i] = nil
			switch v := v.(type) {
			case string:
				values[i] = &v
			case []byte:
				text := string(v)
				values[i] = &text
			}
		}
		if err := yield(values); err != nil {
			return err
		}
	}
}

// fail translates an error of the driver. Whatever makes a database of another
// program unreadable, it is the file that was named.
func (f *Foreign) fail(cause error) error {
	var e sqlite3.Error
	if !errors.As(cause, &e) {
		return cause
	}
	message := fmt.Sprintf("The database '%s' cannot be read.", f.path)
	switch e.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		waited := time.Since(f.opened).Milliseconds()
		return core.NewError(core.CodeDatabaseBusy, fmt.Sprintf("The database '%s' was busy for %d ms: another program held it.", f.path, waited),
			core.Extra{Name: "waited_ms", Value: waited}).Because(cause)
	case sqlite3.ErrCantOpen, sqlite3.ErrReadonly:
		message = fmt.Sprintf("The database '%s' cannot be read: changes wait in the file '%s-wal', and to read those its folder must be one that may be written to. Copy both files into one.", f.path, f.path)
		if logOf(f.path) == 0 {
			message = fmt.Sprintf("The database '%s' cannot be opened: its rights, or those of its folder, forbid it.", f.path)
		}
	case sqlite3.ErrNotADB:
		message = "The file is no SQLite database."
	case sqlite3.ErrCorrupt, sqlite3.ErrError:
		message = "The database is damaged."
	}
	return core.Malformed("file", message).Because(cause)
}
