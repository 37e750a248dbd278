package store

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/pages"
)

// salvaged is what a salvage yields, by kind, and what it says.
func salvaged(t testing.TB, path string) (records map[core.TransferKind]int64, told map[core.TransferKind]Salvaged) {
	t.Helper()
	records, told = map[core.TransferKind]int64{}, map[core.TransferKind]Salvaged{}
	list, err := Salvage(t.Context(), SalvageOptions{Path: path}, func(rec *core.TransferRecord) error {
		records[rec.Kind]++
		if fault := rec.Fault(); fault != "" {
			t.Errorf("a record has %s: %+v", fault, rec)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		told[s.Kind] = s
		if s.Read != records[s.Kind] {
			t.Errorf("%v: %d were yielded, %d told", s.Kind, records[s.Kind], s.Read)
		}
	}
	return records, told
}

func TestSalvage_sound(t *testing.T) {
	records, told := salvaged(t, sample(t))
	for kind, n := range map[core.TransferKind]int64{core.TransferAgent: 1, core.TransferTask: 40, core.TransferClaim: 20, core.TransferFinding: 20} {
		if records[kind] != n || !told[kind].IsWhole() {
			t.Errorf("%v: %d instead of %d, %+v", kind, records[kind], n, told[kind])
		}
	}
}

// TestSalvage_pages spoils some pages of a table of many but the first: all
// rows of the others are read, and those of the spoilt one counted.
func TestSalvage_pages(t *testing.T) {
	path := sample(t)
	change(t, path, "UPDATE tasks SET description = printf('%.900c', 'x'); VACUUM")
	// Packed, the pages that follow those at which tables and indexes begin are
	// of the first table that has any.
	s := openWith(t, Options{Path: path, ReadOnly: true})
	var last int64
	read(t, s, func(tx *tx) (err error) {
		last, err = tx.number("SELECT max(rootpage) FROM sqlite_schema")
		return err
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	records, _ := salvaged(t, path)
	tried := 0
	for page := last + 1; tried < 3 && page < last+10; page++ {
		broken := spoil(t, path, page, 0)
		text := detailOf(examined(t, broken), CheckIntegrity)
		if !strings.HasPrefix(text, fmt.Sprintf("tasks is damaged on page %d.", page)) {
			continue
		}
		tried++
		found, told := salvaged(t, broken)
		tasks, edges := told[core.TransferTask], told[core.TransferEdge]
		if tasks.Lost == 0 || tasks.AtLeast || found[core.TransferTask]+tasks.Lost != records[core.TransferTask] {
			t.Errorf("page %d: %d tasks of %d, %+v", page, found[core.TransferTask], records[core.TransferTask], tasks)
		}
		if edges.Lost != 0 || found[core.TransferEdge]+edges.Dangling != records[core.TransferEdge] {
			t.Errorf("page %d: %d edges of %d, %+v", page, found[core.TransferEdge], records[core.TransferEdge], edges)
		}
		if !strings.Contains(text, fmt.Sprintf(" %d tasks", found[core.TransferTask])) {
			t.Errorf("page %d: integrity says %q", page, text)
		}
	}
	if tried < 3 {
		t.Errorf("only %d pages belong to tasks", tried)
	}
}

// TestSalvage_rows leaves out the rows that no import takes, and what belongs
// to them.
func TestSalvage_rows(t *testing.T) {
	path := sample(t)
	change(t, path, "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; UPDATE tasks SET status = 7 WHERE seq = 1; UPDATE tasks SET metadata = '{' WHERE seq = 2;"+
		" UPDATE tasks SET version = 0 WHERE seq = 3; UPDATE tasks SET title = CAST(x'61ff' AS TEXT) WHERE seq = 4; DELETE FROM tasks WHERE seq = 5")
	records, told := salvaged(t, path)
	if s := told[core.TransferTask]; records[core.TransferTask] != 37 || s.Faulty != 2 || s.Emptied != 1 || s.Mended != 1 || s.Lost != 0 {
		t.Errorf("%d tasks, %+v", records[core.TransferTask], s)
	}
	if s := told[core.TransferFinding]; records[core.TransferFinding] != 17 || s.Dangling != 3 {
		t.Errorf("%d findings, %+v", records[core.TransferFinding], s)
	}
}

// nameOf names a record so that no two of a store have the same name.
func nameOf(rec *core.TransferRecord) string {
	switch rec.Kind {
	case core.TransferTask:
		return "task " + rec.Task.ID
	case core.TransferEdge:
		return fmt.Sprint("edge ", rec.Edge.FromID, rec.Edge.Type, rec.Edge.ToID)
	case core.TransferClaim:
		return "claim " + rec.TaskID + rec.Claim.Aspect
	case core.TransferFinding:
		return "finding " + rec.Finding.ID
	case core.TransferAgent:
		return "agent " + rec.Agent.ID
	}
	return ""
}

// contentOf is a record as one text, by its name.
func contentOf(rec *core.TransferRecord) string {
	text := func(p *string) string { return wordOf(p) }
	switch rec.Kind {
	case core.TransferTask:
		t := rec.Task
		return fmt.Sprint(t.Title, t.Status, t.Type, t.CreatedAt, t.UpdatedAt, t.Version, t.Tags, t.CreatedBy, t.Metadata, text(t.Description), text(t.Outcome))
	case core.TransferFinding:
		return rec.TaskID + rec.Finding.Summary + rec.Finding.Agent + text(rec.Finding.KnowledgeID)
	case core.TransferClaim:
		return fmt.Sprint(rec.Claim)
	case core.TransferEdge:
		return fmt.Sprint(rec.Edge.CreatedBy, rec.Edge.CreatedAt, rec.Edge.Metadata)
	}
	return fmt.Sprint(rec.Agent.FirstSeenAt, rec.Agent.LastSeenAt, rec.Agent.Metadata, text(rec.Agent.Name), text(rec.Agent.Type))
}

func wordOf(p *string) string {
	if p == nil {
		return "nothing"
	}
	return *p
}

// salvagedRecords are the contents of what a salvage yields, by name.
func salvagedRecords(t testing.TB, path string) map[string]string {
	t.Helper()
	records := map[string]string{}
	_, err := Salvage(t.Context(), SalvageOptions{Path: path}, func(rec *core.TransferRecord) error {
		name := nameOf(rec)
		if _, twice := records[name]; twice {
			t.Errorf("%s is yielded twice", name)
		}
		records[name] = contentOf(rec)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// reading notes which pages are read.
type reading struct {
	io.ReaderAt
	pages map[int64]bool
}

func (r *reading) ReadAt(into []byte, at int64) (int, error) {
	r.pages[at/4096+1] = true
	return r.ReaderAt.ReadAt(into, at)
}

// lying tells on which pages each record of a sound store lies, and which task
// it belongs to.
func lying(t testing.TB, path string) (on map[string]map[int64]bool, of map[string][]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	watched := &reading{file, map[int64]bool{}}
	opened, err := pages.Open(watched, info.Size(), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{path: path, file: path}
	found, err := s.survey(&raw{store: s, file: opened})
	if err != nil {
		t.Fatal(err)
	}
	r := salvage{survey: found, tasks: map[core.TaskKey]string{}}
	on, of = map[string]map[int64]bool{}, map[string][]string{}
	for _, kind := range r.kinds() {
		table := found.tables[kind.table]
		columns := table.layout.places(strings.Split(kind.columns, ", "))
		for _, l := range table.leaves {
			opened.Rows(l.page, false, func(there pages.Row) bool {
				clear(watched.pages)
				again := opened.Row(l.page, there.Cell)
				row := row{values: columns.of(again)}
				rec := core.TransferRecord{Kind: kind.kind}
				kind.read(&row, &rec)
				if kind.kind == core.TransferTask {
					r.tasks[rec.Task.Key] = rec.Task.ID
				}
				on[nameOf(&rec)] = maps.Clone(watched.pages)
				for _, id := range []string{rec.TaskID, rec.Edge.FromID, rec.Edge.ToID} {
					if id != "" {
						of[nameOf(&rec)] = append(of[nameOf(&rec)], "task "+id)
					}
				}
				return true
			})
		}
	}
	return on, of
}

// rich is a store in which every kind of record takes several pages, some
// records go on over others, and freed pages hold what was there once.
func rich(t testing.TB) string {
	t.Helper()
	path := sample(t)
	change(t, path, "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i < 400)"+
		" INSERT INTO findings (id, task_seq, created_at, agent, summary) SELECT 'old ' || i, 1, i, 'old', printf('%.200c', 'x') FROM c;"+
		" INSERT INTO agents (id, first_seen_at, last_seen_at, metadata) SELECT 'old ' || n, n, n, '{}' FROM findings;"+
		" DELETE FROM agents WHERE id LIKE 'old %'; DELETE FROM findings WHERE agent = 'old'")
	change(t, path, "UPDATE tasks SET description = printf('%.*c', seq * 300, 'd'), title = title || seq;"+
		" UPDATE findings SET summary = printf('%.*c', n * 500, 'f') || n;"+
		" INSERT INTO agents (id, first_seen_at, last_seen_at, metadata) SELECT 'agent ' || seq, seq, seq, '{\"a\":\"' || printf('%.600c', 'm') || '\"}' FROM tasks")
	return path
}

// TestSalvage_everyPage spoils every page of a store, one at a time: nothing is
// lost but the rows of that page, those that go on over it, and what belongs to
// them; and nothing is yielded that is not in the store, or otherwise.
func TestSalvage_everyPage(t *testing.T) {
	path := rich(t)
	whole := salvagedRecords(t, path)
	on, of := lying(t, path)
	if len(on) != len(whole) || len(whole) < 150 {
		t.Fatalf("%d records lie somewhere, %d are yielded", len(on), len(whole))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := filepath.Join(t.TempDir(), "spoilt.db")
	lost := 0
	for page := int64(1); page <= int64(len(content)/4096); page++ {
		for _, with := range []byte{0, 0x0d, 0xff} {
			broken := slices.Clone(content)
			for i := range broken[(page-1)*4096 : page*4096] {
				broken[(page-1)*4096+int64(i)] = with
			}
			if err := os.WriteFile(spoilt, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			got := salvagedRecords(t, spoilt)
			for name, is := range whole {
				crosses := on[name][page] || slices.ContainsFunc(of[name], func(task string) bool { return on[task][page] })
				switch has, there := got[name]; {
				case !there && !crosses:
					t.Errorf("page %d of %#x: %s is lost, which lies on %v", page, with, name, slices.Collect(maps.Keys(on[name])))
				case !there:
					lost++
				case has != is && !crosses:
					t.Errorf("page %d of %#x: %s became %q", page, with, name, has)
				}
			}
			for name := range got {
				if _, there := whole[name]; !there {
					t.Errorf("page %d of %#x: %s is none of the store's", page, with, name)
				}
			}
		}
	}
	t.Logf("%d pages, %d times a record was lost", len(content)/4096, lost)
	if lost == 0 {
		t.Error("no page held any record")
	}
}

// TestSalvage_roots spoils the page at which a table begins, and the list of
// tables: of everything that lies elsewhere nothing is lost.
func TestSalvage_roots(t *testing.T) {
	path := sample(t)
	change(t, path, "UPDATE findings SET summary = printf('%.900c', 'x'); UPDATE tasks SET description = printf('%.900c', 'x')")
	records, _ := salvaged(t, path)
	for _, test := range []struct {
		name string
		page int64
	}{{"sqlite_schema", 1}, {"tasks", rootOf(t, path, "tasks")}, {"findings", rootOf(t, path, "findings")}} {
		got, told := salvaged(t, spoil(t, path, test.page, 0))
		if !maps.Equal(got, records) {
			t.Errorf("without the top of %s there are %v, with it %v; %+v", test.name, got, records, told)
		}
	}
}

// TestSalvage_log reads what only the log has, and the list of tables from it.
func TestSalvage_log(t *testing.T) {
	path := sample(t)
	s := openWith(t, Options{Path: path})
	see(t, s, "only in the log")
	copied := filepath.Join(t.TempDir(), "copied.db")
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if suffix == "" {
			clear(content[:4096])
		}
		if err := os.WriteFile(copied+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	records := salvagedRecords(t, copied)
	if _, there := records["agent only in the log"]; !there || len(records) < 80 {
		t.Errorf("there are %d records, that of the log among them: %t", len(records), there)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	clean, err := os.ReadFile(copied + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	clean[3] ^= 0x40
	if err := os.WriteFile(copied+"-wal", clean, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, told := salvaged(t, copied); !told[core.TransferAgent].AtLeast {
		t.Error("nothing tells that the log cannot be read")
	}
}

// TestSalvage_layouts holds that the rows of the tables that an export holds
// are not taken for those of another.
func TestSalvage_layouts(t *testing.T) {
	for version := int64(1); version <= schemaVersion(); version++ {
		layouts, err := layoutsOf(version)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range (&salvage{}).kinds() {
			at := slices.IndexFunc(layouts, func(l layout) bool { return l.table == kind.table })
			if at < 0 {
				t.Fatalf("schema %d has no %s", version, kind.table)
			}
			values := make([]any, len(layouts[at].columns))
			for i, c := range layouts[at].columns {
				switch {
				case c.number:
				case c.kind == "INTEGER":
					values[i] = int64(1)
				default:
					values[i] = "x"
				}
			}
			for _, other := range layouts {
				if other.fits(values) != (other.table == kind.table) {
					t.Errorf("schema %d: whether a row of %s fits %s is not as it should be", version, kind.table, other.table)
				}
			}
		}
	}
}

// TestSalvage_busy waits for a writer, and ends with the limit.
func TestSalvage_busy(t *testing.T) {
	path := sample(t)
	s := openWith(t, Options{Path: path})
	write(t, s, func(tx *tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := Salvage(ctx, SalvageOptions{Path: path}, func(*core.TransferRecord) error { return nil })
		if code := core.AsError(err).Code; code != core.CodeDatabaseBusy {
			t.Errorf("while somebody writes it answers %v", err)
		}
		return nil
	})
}

// TestSalvage_openBesides refuses a store that this process has open: to close
// the file would give up the locks of its connections.
func TestSalvage_openBesides(t *testing.T) {
	path := sample(t)
	s := openWith(t, Options{Path: path})
	if _, err := Salvage(t.Context(), SalvageOptions{Path: path}, func(*core.TransferRecord) error { return nil }); err == nil {
		t.Error("it is read nonetheless")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if records := salvagedRecords(t, path); len(records) == 0 {
		t.Error("once it is closed nothing is read")
	}
}
