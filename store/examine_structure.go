package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mattn/go-sqlite3"
)

// object is a table, an index, a view or a trigger of a file.
type object struct {
	kind, name, table string
	sql               string // "" for the indexes that a table brings along
	root              int64  // page at which it begins, 0 for what has none
}

// objects are what a file holds, by name, but for what SQLite keeps for
// itself.
func (c *conn) objects() (list []object, err error) {
	err = c.each("SELECT type, name, tbl_name, ifnull(sql, ''), ifnull(rootpage, 0) FROM sqlite_schema ORDER BY name", func(r *row) error {
		o := object{r.text(0), r.text(1), r.text(2), r.text(3), r.int(4)}
		if o.table == noteFilesTable && o.kind != "trigger" {
			return nil // a backup holds it beyond its schema
		}
		if !strings.HasPrefix(o.name, "sqlite_") || strings.HasPrefix(o.name, "sqlite_autoindex_") {
			list = append(list, o)
		}
		return nil
	})
	return list, err
}

// objectsOf are what a store of a schema holds: what its migrations make in an
// empty database.
func objectsOf(version int64) (list []object, err error) {
	err = inEmpty(version, func(c *conn) (err error) {
		list, err = c.objects()
		return err
	})
	return list, err
}

// inEmpty lends a connection to an empty database of a schema, in memory.
func inEmpty(version int64, do func(*conn) error) (err error) {
	driver, err := (&sqlite3.SQLiteDriver{}).Open(":memory:")
	if err != nil {
		return fmt.Errorf("make an empty database: %w", err)
	}
	c := &conn{db: driver.(*sqlite3.SQLiteConn), store: &Store{path: "memory"}, idle: map[string]*statement{}, ctx: context.Background()}
	defer func() { err = errors.Join(err, c.close()) }()
	for _, script := range migrations()[:version] {
		if err := c.script(script); err != nil {
			return err
		}
	}
	return do(c)
}

// presentObjects are those of this program's schema.
var presentObjects = sync.OnceValues(func() ([]object, error) { return objectsOf(schemaVersion()) })

func objectsFor(version int64) ([]object, error) {
	if version == schemaVersion() {
		return presentObjects()
	}
	return objectsOf(version)
}

// structure is how the objects of a file differ from those of its schema.
type structure struct {
	missing []object // of the schema, not in the file
	altered []object // of the schema, other in the file
	foreign []object // in the file, of nobody
}

// structure compares the file with a schema that this program knows.
func (c *conn) structure(version int64) (found structure, err error) {
	want, err := objectsFor(version)
	if err != nil {
		return found, err
	}
	have, err := c.objects()
	if err != nil {
		return found, err
	}
	byName := func(list []object, o object) (object, bool) {
		at, ok := slices.BinarySearchFunc(list, o.name, func(a object, name string) int { return cmp.Compare(a.name, name) })
		if !ok {
			return object{}, false
		}
		return list[at], true
	}
	// Tables first, for indexes go with them.
	for _, o := range slices.SortedStableFunc(slices.Values(want), func(a, b object) int { return cmp.Compare(b.kind, a.kind) }) {
		switch there, ok := byName(have, o); {
		case !ok && o.table != o.name && slices.ContainsFunc(found.missing, func(gone object) bool { return gone.name == o.table }):
			// goes with its table
		case !ok:
			found.missing = append(found.missing, o)
		case there.kind != o.kind || there.table != o.table || there.sql != o.sql:
			found.altered = append(found.altered, o)
		}
	}
	for _, o := range have {
		if _, ok := byName(want, o); !ok {
			found.foreign = append(found.foreign, o)
		}
	}
	return found, nil
}

// canBeRemade reports whether only indexes and derived tables are missing or
// altered, which follow from the rest.
func (s structure) canBeRemade() bool {
	for _, o := range slices.Concat(s.missing, s.altered) {
		if !isDerived(o.table) && (o.kind != "index" || o.sql == "") {
			return false
		}
	}
	return len(s.missing)+len(s.altered) > 0
}

// derived are the derived tables of which something is missing or altered that
// does not follow from themselves.
func (s structure) derived() (tables []string) {
	for _, o := range slices.Concat(s.missing, s.altered) {
		if isDerived(o.table) && (o.kind != "index" || o.sql == "") {
			tables = append(tables, o.table)
		}
	}
	return tables
}

// fault says what differs; "" when nothing does.
func (s structure) fault() string {
	var sentences []string
	for _, part := range []struct {
		list      []object
		one, many string
	}{
		{s.missing, "is missing", "are missing"},
		{s.altered, "is not the one of the schema", "are not those of the schema"},
		{s.foreign, "is none of lithos", "are none of lithos"},
	} {
		var names []string
		for _, o := range part.list {
			if len(names) == maxNamed {
				names = append(names, fmt.Sprintf("%d more", len(part.list)-maxNamed))
				break
			}
			names = append(names, fmt.Sprintf("the %s %s", o.kind, o.name))
		}
		switch n := len(names); n {
		case 0:
		case 1:
			sentences = append(sentences, sentence(names[0]+" "+part.one))
		default:
			sentences = append(sentences, sentence(strings.Join(names[:n-1], ", ")+" and "+names[n-1]+" "+part.many))
		}
	}
	return strings.Join(sentences, " ")
}

// sentence makes one of its words.
func sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] + "." }

// lookStructure compares tables and indexes with those of the schema.
func (t *tx) lookStructure(*ExamineOptions) (fault, seen string, err error) {
	version, err := t.number("PRAGMA user_version")
	if err != nil {
		return "", "", err
	}
	seen = "Tables and indexes are those of the schema."
	if version < 1 || version > schemaVersion() {
		return "", "What tables and indexes there should be only the program of that schema knows.", nil
	}
	found, err := t.structure(version)
	return found.fault(), seen, err
}

// remakeStructure makes the indexes that are missing, and those anew that are
// altered, if there is nothing else to be done.
func (t *tx) remakeStructure() error {
	found, err := t.structure(schemaVersion())
	if err != nil || !found.canBeRemade() {
		return err
	}
	for _, o := range found.altered {
		if err := t.script("DROP INDEX " + quoteName(o.name)); err != nil {
			return err
		}
	}
	for _, o := range slices.Concat(found.missing, found.altered) {
		if err := t.remade(t.script(o.sql)); err != nil {
			return err
		}
	}
	return nil
}

// remade turns what keeps an index from being made into an error that the next
// examination says better: its table holds rows twice that must be there once.
func (t *tx) remade(err error) error {
	if isCode(err, sqlite3.ErrConstraint) {
		return t.store.unavailable(ReasonCorrupt, err)
	}
	return err
}

// indexName is the place of the name in the text that makes an index.
var indexName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(CREATE (?:UNIQUE )?INDEX )(\S+)`)
})

// condition is the one under which a partial index has a row, "" for others.
func (o object) condition() string {
	_, condition, _ := strings.Cut(o.sql, "WHERE ")
	return condition
}
