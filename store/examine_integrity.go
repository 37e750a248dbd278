package store

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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
	damagedPage   damageKind = iota // a page of a table or index cannot be read as one
	damagedRows                     // rows hold what their table forbids
	damagedUnique                   // rows are equal that must not be
	damagedIndex                    // an index does not fit its table
	damagedList                     // the list of free pages, or pages that nothing uses
)

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
		{regexp.MustCompile(`^Page (?P<page>\d+): never used$`), damagedList},
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

// damages lets SQLite examine the whole file.
func (t *tx) damages() ([]damage, error) {
	roots := map[int64]string{}
	err := t.each("SELECT rootpage, name FROM sqlite_schema WHERE rootpage > 0", func(r *row) error {
		roots[r.int(0)] = r.text(1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	roots[1] = "sqlite_schema"
	var list []damage
	err = t.each(fmt.Sprintf("PRAGMA integrity_check(%d)", maxDamages), func(r *row) error {
		for line := range strings.SplitSeq(r.text(0), "\n") {
			if line != "ok" && line != "" && !strings.HasPrefix(line, "***") {
				list = append(list, readDamage(line, roots))
			}
		}
		return nil
	})
	return list, err
}

// lookIntegrity names what is damaged by table, index and page.
func (t *tx) lookIntegrity(*ExamineOptions) (fault, seen string, err error) {
	list, err := t.damages()
	return describeDamages(list), "Pages, tables and indexes fit together.", err
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
	if len(list) >= maxDamages {
		sentences = append(sentences, "There is more.")
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
		return fmt.Sprintf("The index %s does not fit its table.", object)
	case damagedList:
		return "The list of free pages is wrong."
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
	case object == "sqlite_schema":
		return "The list of tables is damaged" + on + "."
	case object != "":
		return object + " is damaged" + on + "."
	case on != "":
		return "The file is damaged" + on + "."
	}
	return "The file is damaged."
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

// onlyIndexes reports whether nothing but indexes is wrong.
func onlyIndexes(list []damage) bool {
	return !slices.ContainsFunc(list, func(d damage) bool { return d.kind != damagedIndex })
}

// rebuildIndexes makes those indexes anew that do not fit their tables, if
// nothing else is wrong with the file: what an index holds follows from its
// table.
func (t *tx) rebuildIndexes() error {
	list, err := t.damages()
	if err != nil {
		return err
	}
	if !onlyIndexes(list) {
		return nil
	}
	indexes := map[string]bool{}
	for _, d := range list {
		indexes[d.object] = true
	}
	for name := range indexes {
		if err := t.run("REINDEX " + quoteName(name)); err != nil {
			return err
		}
	}
	return nil
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
		found, err = t.one("SELECT id FROM open_tasks WHERE seq = ?", func(r *row) { text = fmt.Sprintf("the readiness of '%s', which is missing", r.text(0)) }, at)
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
