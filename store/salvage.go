package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"

	"dev.lithos/core"
	"dev.lithos/store/pages"
)

// SalvageOptions say which store to read what is left from.
type SalvageOptions struct {
	Path     string
	Progress Progress
}

// Salvaged is what a salvage has found of one kind of record.
type Salvaged struct {
	Kind core.TransferKind
	Read int64 // handed over
	// Mended of these hold characters that are none; U+FFFD stands for them.
	Mended int64
	// Emptied of these had tags or metadata that cannot be read, which are left
	// out.
	Emptied int64
	// Faulty rows hold what cannot be read: an unknown status, a time out of
	// range, an id that another row has.
	Faulty int64
	// Dangling rows belong to tasks that could not be read.
	Dangling int64
	// Lost rows lie where the file cannot be read; AtLeast: there may be more
	// of them.
	Lost    int64
	AtLeast bool
}

// IsWhole reports whether nothing is missing, and nothing was changed.
func (s Salvaged) IsWhole() bool {
	return s.Missing() == 0 && s.Mended == 0 && s.Emptied == 0 && !s.AtLeast
}

// Missing is how many rows are known to be left out.
func (s Salvaged) Missing() int64 { return s.Faulty + s.Dangling + s.Lost }

// phaseSalvage is the phase of work that a salvage tells of.
const phaseSalvage = "salvaging"

// Salvage reads what is left in a store that may be damaged: row by row from
// the pages of the file and its log, past those that cannot be read, also where
// the list of tables or the top of a table is gone. It yields the records of an
// export in their order, only such as an import takes, and tells what is
// missing, a kind of record each. A record is valid during the call of yield
// only. Of a store of an older schema it reads what there is; the errors are
// those of a file that is no store, schema_mismatch for a newer one,
// database_busy, request_timed_out and those of yield.
//
// The engine has no part in it, and the process must have the store open in no
// other way. Writers wait until it is done.
func Salvage(ctx context.Context, options SalvageOptions, yield func(*core.TransferRecord) error) (list []Salvaged, err error) {
	s, err := Open(ctx, Options{Path: options.Path, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w := s.wait(ctx)
	raw, err := s.openRaw(w)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, raw.close()) }()
	found, err := s.survey(raw)
	if err != nil {
		return nil, err
	}
	r := salvage{survey: found, wait: w, yield: yield, tasks: map[core.TaskKey]string{}}
	kinds := r.kinds()
	for i, kind := range kinds {
		options.Progress.tell(phaseSalvage, int64(i), int64(len(kinds)))
		if err := r.salvage(kind); err != nil {
			return nil, err
		}
	}
	if err := raw.unchanged(w); err != nil {
		return nil, err
	}
	return r.list, nil
}

// salvage is one run of Salvage.
type salvage struct {
	*survey
	wait  *wait
	yield func(*core.TransferRecord) error
	tasks map[core.TaskKey]string // the ids of those that were read
	list  []Salvaged
	beats int
}

// salvagedKind is how the rows of one kind are read.
type salvagedKind struct {
	kind           core.TransferKind
	table, columns string
	// read makes a record of a row, whose columns begin at 1; false when a task
	// that it belongs to is missing.
	read func(*row, *core.TransferRecord) (belongs bool)
	// place is by what the rows are ordered, before their number.
	place func(*core.TransferRecord) (at core.Stamp, id string)
	// own is the id that no two rows may have; "" for kinds without.
	own func(*core.TransferRecord) string
}

func (s *salvage) kinds() []salvagedKind {
	none := func(*core.TransferRecord) string { return "" }
	unplaced := func(*core.TransferRecord) (core.Stamp, string) { return 0, "" }
	return []salvagedKind{
		{
			core.TransferAgent, "agents", agentColumns,
			func(r *row, rec *core.TransferRecord) bool { rec.Agent = r.agent(1); return true },
			func(rec *core.TransferRecord) (core.Stamp, string) { return rec.Agent.FirstSeenAt, rec.Agent.ID },
			func(rec *core.TransferRecord) string { return rec.Agent.ID },
		},
		{
			core.TransferTask, "tasks", strings.ReplaceAll(taskColumns, "t.", ""),
			func(r *row, rec *core.TransferRecord) bool { rec.Task = r.task(1); return true },
			func(rec *core.TransferRecord) (core.Stamp, string) { return rec.Task.CreatedAt, rec.Task.ID },
			func(rec *core.TransferRecord) string { return rec.Task.ID },
		},
		{
			core.TransferEdge, "edges", "from_seq, to_seq, type, metadata, created_by, created_at",
			func(r *row, rec *core.TransferRecord) bool {
				rec.Edge = core.Edge{
					From: r.key(1), To: r.key(2), Type: r.edgeType(3), Metadata: r.object(4), CreatedBy: r.text(5), CreatedAt: r.stamp(6),
				}
				rec.Edge.FromID, rec.Edge.ToID = s.tasks[rec.Edge.From], s.tasks[rec.Edge.To]
				return rec.Edge.FromID != "" && rec.Edge.ToID != ""
			},
			unplaced, none,
		},
		{
			core.TransferClaim, "claims", "agent, aspect, claimed_at, expires_at, task_seq",
			func(r *row, rec *core.TransferRecord) bool {
				rec.Claim, rec.TaskID = r.claim(1), s.tasks[r.key(5)]
				return rec.TaskID != ""
			},
			unplaced, none,
		},
		{
			core.TransferFinding, "findings", strings.ReplaceAll(findingColumns, "f.", "") + ", task_seq",
			func(r *row, rec *core.TransferRecord) bool {
				rec.Finding, rec.TaskID = r.finding(1), s.tasks[r.key(6)]
				return rec.TaskID != ""
			},
			func(rec *core.TransferRecord) (core.Stamp, string) { return rec.Finding.CreatedAt, "" },
			func(rec *core.TransferRecord) string { return rec.Finding.ID },
		},
	}
}

// salvageCheckEvery is after how many rows a salvage looks whether it has been
// called off.
const salvageCheckEvery = 512

func (s *salvage) beat() error {
	if s.beats++; s.beats%salvageCheckEvery != 0 || s.wait.ctx.Err() == nil {
		return nil
	}
	return stopped(s.wait.ctx, s.wait.since, s.wait.ctx.Err())
}

// salvage reads the rows of one kind twice: first all, to find out which can be
// used and their order, then one by one.
func (s *salvage) salvage(kind salvagedKind) error {
	found := Salvaged{Kind: kind.kind}
	type place struct {
		leaf leaf
		cell int
		n    int64
		at   core.Stamp
		id   string
	}
	table := s.tables[kind.table]
	columns := table.layout.places(strings.Split(kind.columns, ", "))
	var places []place
	read, owned := map[int64]bool{}, map[string]bool{}
	broken := !table.whole
	var rec core.TransferRecord
	look := func(l leaf, raw pages.Row) {
		switch fits := raw.Whole && table.layout.fits(raw.Values); {
		case !fits && l.orphan:
			return // whatever it is
		case !raw.Whole || read[raw.Number]:
			broken = true
			return
		case !fits:
			found.Faulty++
			read[raw.Number] = true
			return
		}
		read[raw.Number] = true
		r := row{values: columns.of(raw)}
		rec = core.TransferRecord{Kind: kind.kind}
		belongs := kind.read(&r, &rec)
		mended, emptied := mend(&rec), rec.EmptyUnusable() || r.empty
		id := kind.own(&rec)
		switch {
		case r.bad != nil:
			found.Faulty++
		case !belongs:
			found.Dangling++
		case rec.Fault() != "" || id != "" && owned[id]:
			found.Faulty++
		default:
			at, name := kind.place(&rec)
			places = append(places, place{l, raw.Cell, raw.Number, at, name})
			if id != "" {
				owned[id] = true
			}
			if kind.kind == core.TransferTask {
				s.tasks[rec.Task.Key] = rec.Task.ID
			}
			if mended {
				found.Mended++
			}
			if emptied {
				found.Emptied++
			}
		}
	}
	for _, l := range table.leaves {
		s.file.Rows(l.page, l.orphan, func(raw pages.Row) bool {
			look(l, raw)
			return true
		})
		if err := s.beat(); err != nil {
			return err
		}
	}
	if broken {
		known, whole := s.numbers(table)
		for n := range known {
			if !read[n] {
				found.Lost++
			}
		}
		found.AtLeast = !whole
	}
	found.AtLeast = found.AtLeast || s.file.LogIsDamaged()
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.id, b.id), cmp.Compare(a.n, b.n))
	})
	for _, p := range places {
		if err := s.beat(); err != nil {
			return err
		}
		r := row{values: columns.of(s.file.Row(p.leaf.page, p.cell))}
		rec = core.TransferRecord{Kind: kind.kind}
		kind.read(&r, &rec)
		mend(&rec)
		rec.EmptyUnusable()
		found.Read++
		if err := s.yield(&rec); err != nil {
			return err
		}
	}
	s.list = append(s.list, found)
	return nil
}

// numbers are those of the rows that the indexes of a table know, as far as
// they can be read; whole when one of them could be read to its end.
func (s *salvage) numbers(table *foundTable) (known map[int64]bool, whole bool) {
	known = map[int64]bool{}
	for _, root := range table.indexes {
		whole := s.file.Index(root, s.file.NewSet(), func(values []any) {
			if n, ok := values[len(values)-1].(int64); ok {
				known[n] = true
			}
		})
		if whole {
			return known, true
		}
	}
	return known, false
}

// mend puts U+FFFD in the place of what is no text, but in ids, and reports
// whether there was any.
func mend(rec *core.TransferRecord) (mended bool) {
	for _, text := range []*string{
		&rec.Task.Title, &rec.Task.CreatedBy, rec.Task.Description, rec.Task.Outcome, &rec.Edge.CreatedBy,
		&rec.Claim.Agent, &rec.Claim.Aspect, &rec.Finding.Agent, &rec.Finding.Summary, rec.Finding.KnowledgeID, rec.Agent.Name, rec.Agent.Type,
	} {
		if text != nil && !isText(*text) {
			*text = strings.ReplaceAll(strings.ToValidUTF8(*text, "\uFFFD"), "\x00", "\uFFFD")
			mended = true
		}
	}
	return mended
}

// places are where columns stand in the rows of a table; numberPlace for the
// one that is the number of the row.
type places []int

const numberPlace = -1

// of is a row in the order of the places, after its number.
func (p places) of(raw pages.Row) []driver.Value {
	values := make([]driver.Value, len(p)+1)
	values[0] = raw.Number
	for i, at := range p {
		if at == numberPlace {
			values[i+1] = raw.Number
		} else {
			values[i+1] = raw.Values[at]
		}
	}
	return values
}
