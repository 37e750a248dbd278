package store

import (
	"embed"
	"fmt"
	"os"
	"path"
	"slices"
	"sync"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks the file as a store of lithos ("lith" in ASCII).
const applicationID = 0x6c697468

// migrations are the scripts that lead from one schema to the next; the
// version of a store is how many it has seen.
var migrations = sync.OnceValue(func() []string {
	entries, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		panic("store: " + err.Error()) // embedded at build time
	}
	var scripts []string
	for i, entry := range entries { // by name
		if prefix := fmt.Sprintf("%04d_", i+1); entry.Name()[:len(prefix)] != prefix {
			panic("store: migration " + entry.Name() + " is out of sequence")
		}
		text, err := migrationFiles.ReadFile(path.Join("migrations", entry.Name()))
		if err != nil {
			panic("store: " + err.Error())
		}
		scripts = append(scripts, string(text))
	}
	return slices.Clip(scripts)
})

// currentSchema is the version of the newest migration. A constant, so that
// opening a store does not read the scripts; a test holds it to them.
const currentSchema = 2

func schemaVersion() int64 { return currentSchema }

// SchemaVersion is the schema this program reads and writes.
const SchemaVersion = currentSchema

// migrate applies the scripts after version from, within the open write
// transaction of c, and notes the new version.
func (c *conn) migrate(from int64) error {
	for _, script := range migrations()[from:] {
		if err := c.script(script); err != nil {
			return err
		}
	}
	return c.script(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, schemaVersion()))
}

// schemaState is what the header of a file says of its schema.
type schemaState int

const (
	schemaFits schemaState = iota
	schemaEmpty
	schemaForeign // a database, but none of lithos
	schemaOther   // another version
)

// inspect reads what kind of store the connection has open.
func (c *conn) inspect() (state schemaState, version int64, err error) {
	application, err := c.number("PRAGMA application_id")
	if err != nil {
		return schemaForeign, 0, err
	}
	if version, err = c.number("PRAGMA user_version"); err != nil {
		return schemaForeign, 0, err
	}
	switch {
	case application == applicationID && version == schemaVersion():
		return schemaFits, version, nil
	case application == applicationID && version > 0:
		return schemaOther, version, nil
	case application != 0 || version != 0:
		return schemaForeign, version, nil
	}
	tables, err := c.number("SELECT count(*) FROM sqlite_schema")
	if err != nil || tables > 0 {
		return schemaForeign, version, err
	}
	// SQLite takes a file that is shorter than any page for an empty one, and
	// would write over it.
	info, err := os.Stat(c.store.file)
	if err != nil {
		return schemaForeign, version, c.fail(err)
	}
	if info.Size() > 0 && info.Size() < smallestPage {
		return schemaForeign, version, nil
	}
	return schemaEmpty, version, nil
}

// smallestPage is the least number of bytes a database that holds anything
// can have.
const smallestPage = 512

// check turns what inspect found into an error unless the schema fits.
func (s *Store) checkSchema(state schemaState, version int64) error {
	switch state {
	case schemaFits:
		return nil
	case schemaEmpty:
		return s.unavailable(ReasonMissing, fmt.Errorf("the file holds no schema yet"))
	case schemaOther:
		if s.anySchema {
			return nil
		}
		return s.schemaMismatch(version)
	}
	return s.unavailable(ReasonNotADatabase, fmt.Errorf("a database of another program"))
}
