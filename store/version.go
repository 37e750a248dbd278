package store

import "github.com/mattn/go-sqlite3"

// EngineVersion is the version of SQLite that is compiled in, such as 3.54.1.
func EngineVersion() string {
	version, _, _ := sqlite3.Version()
	return version
}
