package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"dev.lithos/core/coretest"
	"dev.lithos/store"
	"dev.lithos/store/files"
	"dev.lithos/store/knowledge"
	_ "github.com/mattn/go-sqlite3" // to look into the file behind the store's back
)

// TestContract holds the operations over this store to the contract.
func TestContract(t *testing.T) { coretest.Run(t, openForSuite) }

// openForSuite makes a store for the suite, which cares for no power failure.
func openForSuite(folder string) (coretest.Store, error) {
	ctx := context.Background()
	path := filepath.Join(folder, "lithos.db")
	s, err := store.Open(ctx, store.Options{Path: path, Create: true, Synchronous: store.Normal})
	if err != nil {
		return coretest.Store{}, err
	}
	notes := filepath.Join(folder, "knowledge")
	return coretest.Store{
		Store: s, Folder: knowledge.New(func() string { return notes }, files.Disk{}), Knowledge: notes,
		Dump: func() (string, error) { return dump(path) },
		CheckFrontier: func() ([]string, error) {
			differences, err := s.CheckFrontier(ctx)
			var lines []string
			for _, d := range differences {
				lines = append(lines, d.String())
			}
			return lines, err
		},
		Damage: func(id string) error {
			return execute(path, "PRAGMA foreign_keys = OFF",
				"DELETE FROM open_tasks WHERE id = '"+id+"'", "DELETE FROM tasks WHERE id = '"+id+"'")
		},
		Archive: func(seq int64) error {
			return execute(path, fmt.Sprintf("INSERT INTO events_archive SELECT * FROM events WHERE seq <= %d", seq),
				fmt.Sprintf("DELETE FROM events WHERE seq <= %d", seq))
		},
		Close: s.Close,
	}, nil
}

// execute runs statements on a connection of its own.
func execute(path string, statements ...string) (err error) {
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// dump writes every row of every table as one line.
func dump(path string) (text string, err error) {
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tables, err := texts(db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, table := range tables {
		columns, err := texts(db, "SELECT name FROM pragma_table_info('"+table+"') ORDER BY cid")
		if err != nil {
			return "", err
		}
		quoted := make([]string, len(columns))
		for i, name := range columns {
			quoted[i] = "quote(" + name + ")"
		}
		lines, err := texts(db, "SELECT "+strings.Join(quoted, " || ' ' || ")+" AS line FROM "+table+" ORDER BY line")
		if err != nil {
			return "", err
		}
		for _, line := range lines {
			fmt.Fprintf(&b, "%s %s\n", table, line)
		}
	}
	return b.String(), nil
}

// texts reads a query of one text column.
func texts(db *sql.DB, query string) (list []string, err error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

// FuzzCall, FuzzApply and FuzzID try texts of any kind on operations over a
// real store.
func FuzzCall(f *testing.F)  { coretest.FuzzCall(f, openForSuite) }
func FuzzApply(f *testing.F) { coretest.FuzzApply(f, openForSuite) }
func FuzzID(f *testing.F)    { coretest.FuzzID(f, openForSuite) }
