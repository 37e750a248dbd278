package tui

import (
	"database/sql"
	"fmt"
	"testing"

	_ "github.com/mattn/go-sqlite3" // to make a store look newer than it is
)

// setSchema makes a store look as if a program of another version wrote it.
func setSchema(t testing.TB, path string, version int) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
