package store

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
)

// damage is one thing that is wrong with the file.
type damage struct {
	kind   damageKind
	object string // table or index; "" when it is not known
	page   int64  // 0 when it is not known
}

type damageKind int

// The kinds of damage, the worst first.
const (
	damagedPage   damageKind = iota // a page of a table cannot be read as one
	damagedRows                     // rows hold what their table forbids
	damagedUnique                   // rows are equal that must not be
	damagedIndex                    // an index cannot be read, or does not fit its table
	damagedList                     // the list of free pages
	unusedPage                      // a page that nothing uses
)

// damages are all that is wrong with a file.
type damages struct {
	list     []damage
	more     bool            // there is more than was looked for
	damaged  map[string]bool // tables whose rows cannot all be read
	suspects []string        // indexes that nothing is known about, of tables that can be read

	unreadable []string // indexes that cannot be read from end to end
}

// maxDamages is how many faults SQLite is asked for.
const maxDamages = 100

// damageForms are the forms of what SQLite's check says, in its order of
// precedence: the kind, and which groups hold object and page.
var damageForms = sync.OnceValue(func() []damageForm {
	return []damageForm{
		{regexp.MustCompile(`^row \d+ missing from index (?P<object>.+)$`), damagedIndex},
		{regexp.MustCompile(`^wrong # of entries in index (?P<object>.+)$`), damagedIndex},
		{regexp.MustCompile(`^row \d+ values differ from index (?P<object>.+)$`), damagedIndex},
		{regexp.MustCompile(`^rowid not at end-of-record for row \d+ of index (?P<object>.+)$`), damagedIndex},
		{regexp.MustCompile(`^non-unique entry in index (?P<object>.+)$`), damagedUnique},
		{regexp.MustCompile(`^CHECK constraint failed in (?P<object>.+)$`), damagedRows},
		{regexp.MustCompile(`^(?:NULL|NUMERIC|TEXT|non-\w+) value in (?P<object>[^.]+)\.`), damagedRows},
		{regexp.MustCompile(`^row not in PRIMARY KEY order for (?P<object>.+)$`), damagedPage},
		{regexp.MustCompile(`^malformed inverted index for FTS\d table (?P<object>.+)$`), damagedIndex},
		{regexp.MustCompile(`^Page (?P<page>\d+): never used$`), unusedPage},
		{regexp.MustCompile(`^(?:Freelist|Main freelist):`), damagedList},
		{regexp.MustCompile(`^free-page count`), damagedList},
		{regexp.MustCompile(`^Tree (?P<root>\d+) page (?P<page>\d+)`), damagedPage},
		{regexp.MustCompile(`^Tree (?P<root>\d+)`), damagedPage},
		{regexp.MustCompile(`(?i)page (?P<page>\d+)`), damagedPage},
	}
})

type damageForm struct {
	form *regexp.Regexp
	kind damageKind
}

// readDamage reads one line of SQLite's check. What it cannot place is a
// damaged page of no known place.
func readDamage(line string, roots map[int64]string) damage {
	for _, f := range damageForms() {
		groups := f.form.FindStringSubmatch(line)
		if groups == nil {
			continue
		}
		d := damage{kind: f.kind}
		for i, name := range f.form.SubexpNames() {
			number, _ := strconv.ParseInt(groups[i], 10, 64) // of digits only, or not used
			switch name {
			case "object":
				d.object = groups[i]
			case "page":
				d.page = number
			case "root":
				d.object = roots[number]
			}
		}
		return d
	}
	return damage{}
}

// damages examines the whole file. What SQLite's own check does not reach,
// because it ends at some damage, is looked at piece by piece.
func (t *tx) damages() (found damages, err error) {
	objects, err := t.objects()
	if err != nil {
		return found, err
	}
	kinds, roots := map[string]string{}, map[int64]string{1: "sqlite_schema"}
	for _, o := range objects {
		kinds[o.name] = o.kind
		if o.root > 0 {
			roots[o.root] = o.name
		}
	}
	check := func(argument string) (ended bool, err error) {
		err = t.each("PRAGMA integrity_check("+argument+")", func(r *row) error {
			for line := range strings.SplitSeq(r.text(0), "\n") {
				if line == "ok" || line == "" || strings.HasPrefix(line, "***") {
					continue
				}
				d := readDamage(line, roots)
				if d.object == "" {
					d.object = roots[d.page]
				}
				if d.kind == damagedPage && kinds[d.object] == "index" {
					d.kind = damagedIndex
				}
				if !slices.Contains(found.list, d) {
					found.list = append(found.list, d)
				}
			}
			return nil
		})
		return err == nil, damageApart(err)
	}
	ended, err := check(strconv.Itoa(maxDamages))
	if err != nil {
		return found, err
	}
	found.more = len(found.list) >= maxDamages
	if ended && !found.more && !slices.ContainsFunc(found.list, func(d damage) bool { return d.kind == damagedPage }) {
		return found, nil
	}
	for _, o := range objects {
		if o.kind != "table" || o.root == 0 {
			continue
		}
		if err := t.probe(&found, o, objects); err != nil {
			return found, err
		}
		if found.damaged[o.name] || ended && !found.more {
			continue
		}
		whole, err := check(quoteName(o.name))
		if err != nil {
			return found, err
		}
		for _, index := range objects {
			if !whole && index.kind == "index" && index.table == o.name {
				found.suspects = append(found.suspects, index.name)
			}
		}
	}
	// That indexes do not fit a table that is damaged itself tells nothing.
	found.list = slices.DeleteFunc(found.list, func(d damage) bool {
		at := slices.IndexFunc(objects, func(o object) bool { return o.name == d.object })
		if d.kind != damagedIndex || d.page != 0 || at < 0 {
			return false
		}
		return found.damaged[objects[at].table] && !slices.Contains(found.unreadable, d.object)
	})
	return found, nil
}

// probe reads a table and its indexes from end to end.
func (t *tx) probe(found *damages, table object, objects []object) error {
	err := t.each("SELECT * FROM "+quoteName(table.name)+" NOT INDEXED", func(*row) error { return nil })
	if damageApart(err) != nil {
		return err
	}
	if err != nil || slices.ContainsFunc(found.list, func(d damage) bool { return d.kind == damagedPage && d.object == table.name }) {
		if err != nil && !slices.ContainsFunc(found.list, func(d damage) bool { return d.object == table.name }) {
			found.list = append(found.list, damage{kind: damagedPage, object: table.name})
		}
		if found.damaged == nil {
			found.damaged = map[string]bool{}
		}
		found.damaged[table.name] = true
	}
	for _, index := range objects {
		if index.kind != "index" || index.table != table.name {
			continue
		}
		err := t.walkIndex(index)
		if damageApart(err) != nil {
			return err
		}
		if err != nil {
			found.unreadable = append(found.unreadable, index.name)
		}
		if err != nil && !slices.ContainsFunc(found.list, func(d damage) bool { return d.object == index.name }) {
			found.list = append(found.list, damage{kind: damagedIndex, object: index.name})
		}
	}
	return nil
}

// walkIndex reads an index from end to end.
func (t *tx) walkIndex(index object) error {
	sql := "SELECT total(1) FROM " + quoteName(index.table) + " INDEXED BY " + quoteName(index.name)
	if condition := index.condition(); condition != "" {
		sql += " WHERE " + condition
	}
	return t.each(sql, func(*row) error { return nil })
}

// damageApart is an error unless it tells that the file, or the device below
// it, is damaged at the place that was read.
func damageApart(err error) error {
	var named *core.Error
	switch {
	case isCode(err, sqlite3.ErrTooBig, sqlite3.ErrNomem): // lengths that are none
		return nil
	case errors.As(err, &named):
		if reason := named.Extra("reason"); reason == ReasonCorrupt || reason == ReasonIO || reason == ReasonNotADatabase {
			return nil
		}
	}
	return err
}

// indexes are those that have to be made anew.
func (d damages) indexes() (names []string) {
	for _, one := range d.list {
		if one.kind == damagedIndex {
			names = append(names, one.object)
		}
	}
	slices.Sort(names)
	names = append(names, d.suspects...)
	slices.Sort(names)
	return slices.Compact(names)
}

// derived are the derived tables whose pages or rows are damaged.
func (d damages) derived() (tables []string) {
	for _, one := range d.list {
		if one.kind < damagedIndex && isDerived(tableOfIndex(one.object)) {
			tables = append(tables, tableOfIndex(one.object))
		}
	}
	return tables
}

// canBeRemade reports whether what is wrong follows from what is not: indexes,
// derived tables, or the list of pages, but not both, for what is new takes
// pages from it.
func (d damages) canBeRemade() bool {
	rebuilt := len(d.indexes())+len(d.derived()) > 0
	for _, one := range d.list {
		switch {
		case one.kind < damagedIndex && !isDerived(tableOfIndex(one.object)),
			one.kind == damagedIndex && one.object == "",
			one.kind == damagedList && rebuilt:
			return false
		}
	}
	return len(d.list) > 0
}

// isOnlyUnused reports whether nothing is wrong but that pages are not used.
func (d damages) isOnlyUnused() bool {
	return !slices.ContainsFunc(d.list, func(one damage) bool { return one.kind != unusedPage })
}

// lookIntegrity names what is damaged by table, index and page.
func (t *tx) lookIntegrity(o *ExamineOptions) (fault, seen string, err error) {
	found, err := t.damages()
	if err != nil {
		return "", "", err
	}
	o.remakable = found.canBeRemade()
	return found.text(), "Pages, tables and indexes fit together.", nil
}

// text says for each table and index what is wrong with it, "" when nothing
// is.
func (d damages) text() string {
	text := describeDamages(d.list)
	if len(d.suspects) > 0 && text == "" {
		text = "Indexes cannot be compared with their tables."
	}
	if d.more {
		text += " There is more."
	}
	return text
}

// describeDamages says for each table and index what is wrong with it.
func describeDamages(list []damage) string {
	type place struct {
		kind   damageKind
		object string
	}
	pages := map[place][]int64{}
	var places []place
	for _, d := range list {
		at := place{d.kind, d.object}
		if _, known := pages[at]; !known {
			places = append(places, at)
		}
		if d.page != 0 && !slices.Contains(pages[at], d.page) {
			pages[at] = append(pages[at], d.page)
		} else if _, known := pages[at]; !known {
			pages[at] = nil
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.kind, b.kind) })
	var sentences []string
	for _, at := range places {
		sentences = append(sentences, describeDamage(at.kind, at.object, pages[at]))
	}
	return strings.Join(sentences, " ")
}

func describeDamage(kind damageKind, object string, pages []int64) string {
	switch kind {
	case damagedRows:
		return fmt.Sprintf("The table %s holds values that its rules forbid.", object)
	case damagedUnique:
		return fmt.Sprintf("Rows of %s are equal that must differ.", tableOfIndex(object))
	case damagedIndex:
		if len(pages) > 0 {
			break
		}
		return fmt.Sprintf("The index %s does not fit its table.", object)
	case damagedList:
		return "The list of free pages is wrong."
	case unusedPage:
		return fmt.Sprintf("%s of the file %s of no use.", counted(max(int64(len(pages)), 1), "page"), isOrAre(len(pages)))
	}
	on := ""
	switch n := len(pages); {
	case n == 1:
		on = fmt.Sprintf(" on page %d", pages[0])
	case n > maxNamed:
		on = fmt.Sprintf(" on %d pages, the first being %s", n, joinNumbers(pages[:maxNamed]))
	case n > 1:
		on = " on the pages " + joinNumbers(pages)
	}
	switch {
	case kind == damagedIndex:
		return "The index " + object + " is damaged" + on + "."
	case object == "sqlite_schema":
		return "The list of tables is damaged" + on + "."
	case object != "":
		return object + " is damaged" + on + "."
	case on != "":
		return "The file is damaged" + on + "."
	}
	return "The file is damaged."
}

func isOrAre(n int) string {
	if n > 1 {
		return "are"
	}
	return "is"
}

func joinNumbers(numbers []int64) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(texts, ", ")
}

// tableOfIndex is the table of an index that SQLite has named itself, else the
// index.
func tableOfIndex(index string) string {
	name, ok := strings.CutPrefix(index, "sqlite_autoindex_")
	if !ok {
		return index
	}
	if at := strings.LastIndexByte(name, '_'); at > 0 {
		name = name[:at]
	}
	return name
}

// lookForeignKeys looks for rows that name a task, or another row, that is not
// there.
func (t *tx) lookForeignKeys(*ExamineOptions) (fault, seen string, err error) {
	rows := map[string][]int64{}
	var tables []string
	err = t.each("PRAGMA foreign_key_check", func(r *row) error {
		table := r.text(0)
		if rows[table] == nil {
			tables = append(tables, table)
		}
		at := int64(0)
		if !r.isNull(1) {
			at = r.int(1)
		}
		if !slices.Contains(rows[table], at) || at == 0 {
			rows[table] = append(rows[table], at)
		}
		return nil
	})
	if err != nil {
		return "", "", err
	}
	slices.Sort(tables)
	var wrong faults
	for _, table := range tables {
		for i, at := range rows[table] {
			if i >= maxNamed {
				wrong.count++
				continue
			}
			text, err := t.nameRow(table, at)
			if err != nil {
				return "", "", err
			}
			wrong.add("%s", text)
		}
	}
	return wrong.text("row names something that is not there", "rows name something that is not there"),
		"Edges, claims and findings name tasks that are there.", nil
}

// nameRow says which row of a table one is, as far as people know it.
func (t *tx) nameRow(table string, at int64) (string, error) {
	text := fmt.Sprintf("row %d of %s", at, table)
	var edge core.Edge
	var task core.TaskKey
	var err error
	found := false
	switch table {
	case "edges":
		found, err = t.one("SELECT "+edgeColumns+" FROM edges e"+edgeEnds+" WHERE e.n = ?", func(r *row) { edge = r.edge() }, at)
	case "claims", "findings":
		found, err = t.one("SELECT task_seq FROM "+table+" WHERE n = ?", func(r *row) { task = r.key(0) }, at)
	case "open_tasks":
		_, err = t.one("SELECT id FROM open_tasks WHERE seq = ?", func(r *row) { text = fmt.Sprintf("the readiness of '%s', which is missing", r.text(0)) }, at)
		return text, err
	}
	if err != nil || !found {
		return text, err
	}
	if table != "edges" {
		id, err := t.missingID(task)
		return fmt.Sprintf("a row of %s on '%s', which is missing", table, id), err
	}
	var ends []string
	missing := []bool{edge.FromID == "", edge.ToID == ""}
	if edge, err = t.named(edge); err != nil {
		return "", err
	}
	for i, id := range []string{edge.FromID, edge.ToID} {
		end := "'" + id + "'"
		if missing[i] {
			end += ", which is missing,"
		}
		ends = append(ends, end)
	}
	return strings.TrimSuffix(fmt.Sprintf("the %s edge from %s to %s", edge.Type, ends[0], ends[1]), ","), nil
}
