package store

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"dev.lithos/store/pages"
)

// raw is the file of a store and its log, past the engine.
type raw struct {
	store     *Store
	main, log *os.File
	gate      use // keeps writers out
	file      *pages.File
	before    []fs.FileInfo
}

// openRaw opens the file and its log, and keeps the writers of other programs
// out where they have been.
func (s *Store) openRaw(w *wait) (r *raw, err error) {
	r = &raw{store: s}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	if r.gate, err = s.holdFile(w, gateSuffix, tryLockFile, false); err != nil {
		return r, err
	}
	if s.isOpenBesides() {
		return r, errors.New("this process has the store open, whose locks would be given up")
	}
	if r.main, err = os.Open(s.file); err != nil {
		return r, s.translateFile(err)
	}
	if r.log, err = os.Open(s.file + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, s.translateFile(err)
	}
	if r.before, err = r.stat(); err != nil {
		return r, err
	}
	size := r.before[0].Size()
	switch {
	case size == 0:
		return r, s.unavailable(ReasonMissing, errors.New("the file is empty"))
	case size < smallestPage:
		return r, s.unavailable(ReasonNotADatabase, errors.New("the file is shorter than a page"))
	}
	if r.log == nil {
		r.file, err = pages.Open(r.main, size, nil, 0)
	} else {
		r.file, err = pages.Open(r.main, size, r.log, r.before[1].Size())
	}
	return r, err
}

// isOpenBesides reports whether this process has the file open as another store.
func (s *Store) isOpenBesides() bool {
	inProcess.Lock()
	defer inProcess.Unlock()
	return slices.ContainsFunc(inProcess.stores, func(other *Store) bool {
		return other != s && s.identity != nil && other.identity != nil && os.SameFile(other.identity, s.identity)
	})
}

func (r *raw) stat() (list []fs.FileInfo, err error) {
	for _, file := range []*os.File{r.main, r.log} {
		if file == nil {
			continue
		}
		info, err := file.Stat()
		if err != nil {
			return nil, r.store.translateFile(err)
		}
		list = append(list, info)
	}
	return list, nil
}

// unchanged is database_busy when the file or its log was written meanwhile,
// by a program that does not wait.
func (r *raw) unchanged(w *wait) error {
	after, err := r.stat()
	if err != nil {
		return err
	}
	for i, info := range after {
		if before := r.before[i]; info.Size() != before.Size() || !info.ModTime().Equal(before.ModTime()) {
			return r.store.busy(w.since, errors.New("the store was written to meanwhile"))
		}
	}
	return nil
}

func (r *raw) close() error {
	var errs []error
	for _, file := range []*os.File{r.main, r.log} {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	return errors.Join(append(errs, r.gate.release())...)
}

// survey is what the pages of a store are found to hold.
type survey struct {
	file   *pages.File
	tables map[string]*foundTable // of the schema, whether they were found or not
}

// foundTable are the pages with the rows of a table.
type foundTable struct {
	layout  layout
	leaves  []leaf   // those that the table leads to first
	whole   bool     // all of its pages could be read
	indexes []uint32 // where those of its indexes begin that know every row
}

// leaf is a page that holds rows. To an orphan nothing leads any more; it is
// known by what it holds.
type leaf struct {
	page   uint32
	orphan bool
}

// oddVersion is above what any version of a schema will be: a damaged one.
const oddVersion = 1 << 16

// errNoRows says that a file holds nothing that could be of a store.
var errNoRows = errors.New("no page holds rows of a store")

// survey goes through all pages.
func (s *Store) survey(r *raw) (*survey, error) {
	header, readable := r.file.Header()
	version := int64(header.UserVersion)
	switch ours := header.ApplicationID == applicationID; {
	case ours && version > schemaVersion() && version < oddVersion:
		return nil, s.schemaMismatch(version)
	case !ours || version < 1 || version > schemaVersion():
		version = schemaVersion()
	}
	layouts, err := layoutsOf(version)
	if err != nil {
		return nil, err
	}
	v := &survey{file: r.file, tables: map[string]*foundTable{}}
	for _, l := range layouts {
		v.tables[l.table] = &foundTable{layout: l}
	}
	known := r.file.NewSet()
	objects := v.objects(known)
	if readable && header.ApplicationID != applicationID && !v.isStore(objects) {
		return nil, s.unavailable(ReasonNotADatabase, errors.New("a database of another program"))
	}
	displaced := v.follow(objects, known)
	r.file.Free(known)
	v.adopt(known, displaced)
	if !readable && v.isEmpty() {
		return nil, s.unavailable(ReasonNotADatabase, errNoRows)
	}
	return v, nil
}

// objects are what the list of tables has, as far as it can be read.
func (v *survey) objects(known pages.Set) (list []object) {
	for _, n := range v.file.Table(1, known).Leaves {
		v.file.Rows(n, false, func(raw pages.Row) bool {
			if !raw.Whole || len(raw.Values) != 5 {
				return true
			}
			var o object
			var ok [4]bool
			o.kind, ok[0] = raw.Values[0].(string)
			o.name, ok[1] = raw.Values[1].(string)
			o.table, ok[2] = raw.Values[2].(string)
			o.root, ok[3] = raw.Values[3].(int64)
			o.sql, _ = raw.Values[4].(string) // the indexes of keys have none
			if ok == [4]bool{true, true, true, true} && o.root > 0 && o.root <= int64(v.file.Pages()) {
				list = append(list, o)
			}
			return true
		})
	}
	return list
}

// isStore reports whether some objects are those of a store, whatever its
// header says.
func (v *survey) isStore(objects []object) bool {
	seen := 0
	for _, o := range objects {
		if v.tables[o.name] != nil && o.kind == "table" {
			seen++
		}
	}
	return seen > len(v.tables)/2
}

// follow goes through the trees of all tables and indexes. Displaced are pages
// that a tree leads to and that hold rows of something else.
func (v *survey) follow(objects []object, known pages.Set) (displaced []uint32) {
	for _, o := range objects {
		root := uint32(o.root) //nolint:gosec // looked at above
		if o.kind != "table" || o.isWithoutNumbers() {
			v.file.Index(root, known, func([]any) {})
			if table := v.tables[o.table]; table != nil && o.kind == "index" && o.condition() == "" {
				table.indexes = append(table.indexes, root)
			}
			continue
		}
		tree := v.file.Table(root, known)
		table := v.tables[o.name]
		if table == nil {
			continue
		}
		table.whole = tree.Whole
		for _, n := range tree.Leaves {
			if v.holds(n, table) {
				table.leaves = append(table.leaves, leaf{n, false})
				continue
			}
			table.whole = false
			displaced = append(displaced, n)
		}
		for _, n := range tree.Suspects {
			if v.count(n, table) > 0 {
				table.leaves = append(table.leaves, leaf{n, true})
			}
		}
	}
	return displaced
}

// holds reports whether a page can be one of a table: the first row that can be
// read fits it, or there is none.
func (v *survey) holds(n uint32, table *foundTable) bool {
	fits := true
	v.file.Rows(n, false, func(raw pages.Row) bool {
		fits = !raw.Whole || table.layout.fits(raw.Values)
		return !raw.Whole
	})
	return fits || v.count(n, table) > 0
}

// count is how many rows of a page, read as one of a table whatever it says,
// fit.
func (v *survey) count(n uint32, table *foundTable) (rows int) {
	v.file.Rows(n, true, func(raw pages.Row) bool {
		if raw.Whole && table.layout.fits(raw.Values) {
			rows++
		}
		return true
	})
	return rows
}

// adopt gives pages to which nothing leads to the tables that miss some and
// whose rows they hold.
func (v *survey) adopt(known pages.Set, displaced []uint32) {
	give := func(n uint32) {
		var rows [][]any
		isLeaf := v.file.Rows(n, false, func(raw pages.Row) bool {
			if raw.Whole {
				rows = append(rows, raw.Values)
			}
			return true
		})
		if !isLeaf {
			return
		}
		var best *foundTable
		most := 0
		for _, table := range v.tables {
			count := 0
			for _, values := range rows {
				if table.layout.fits(values) {
					count++
				}
			}
			if count > most {
				best, most = table, count
			}
		}
		if best != nil && !best.whole {
			best.leaves = append(best.leaves, leaf{n, true})
		}
	}
	for _, n := range displaced {
		give(n)
	}
	for n := uint32(1); n <= v.file.Pages(); n++ {
		if !known.Has(n) {
			give(n)
		}
	}
}

func (v *survey) isEmpty() bool {
	for _, table := range v.tables {
		if len(table.leaves) > 0 {
			return false
		}
	}
	return true
}
