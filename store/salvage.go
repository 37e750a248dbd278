package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
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
	// Faulty rows hold what cannot be read: an unknown status, a time out of
	// range, metadata that are no JSON, an id that another row has.
	Faulty int64
	// Dangling rows belong to tasks that could not be read.
	Dangling int64
	// Lost rows lie where the file cannot be read; AtLeast: there may be more
	// of them.
	Lost    int64
	AtLeast bool
}

// IsWhole reports whether nothing is missing, and nothing was changed.
func (s Salvaged) IsWhole() bool { return s.Missing() == 0 && s.Mended == 0 && !s.AtLeast }

// Missing is how many rows are known to be left out.
func (s Salvaged) Missing() int64 { return s.Faulty + s.Dangling + s.Lost }

// phaseSalvage is the phase of work that a salvage tells of.
const phaseSalvage = "salvaging"

// Salvage reads what is left in a store that may be damaged: row by row, past
// pages that cannot be read, without any index. It yields the records of an
// export in their order, only such as an import takes, and tells what is
// missing, a kind of record each. A record is valid during the call of yield
// only. Of a store of an older schema it reads what there is; the errors are
// those of a file that tells nothing about itself any more, schema_mismatch for
// a newer one, database_busy, request_timed_out and those of yield.
func Salvage(ctx context.Context, options SalvageOptions, yield func(*core.TransferRecord) error) (list []Salvaged, err error) {
	s, err := Open(ctx, Options{Path: options.Path, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	s.anySchema = true
	defer func() {
		// What closing a damaged store objects to is what was read around.
		err = errors.Join(err, damageApart(s.Close()))
	}()
	err = s.Read(ctx, func(read core.ReadTx) error {
		t := read.(*tx)
		version, err := t.number("PRAGMA user_version")
		if err != nil {
			return err
		}
		if version > schemaVersion() {
			return s.schemaMismatch(version)
		}
		r := salvage{tx: t, yield: yield, tasks: map[core.TaskKey]string{}, progress: options.Progress}
		if err := r.run(); err != nil {
			return err
		}
		list = r.list
		return nil
	})
	return list, err
}

// salvage is one run of Salvage.
type salvage struct {
	*tx
	yield    func(*core.TransferRecord) error
	tasks    map[core.TaskKey]string // the ids of those that were read
	list     []Salvaged
	progress Progress
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

func (s *salvage) run() error {
	kinds := s.kinds()
	for i, kind := range kinds {
		s.progress.tell(phaseSalvage, int64(i), int64(len(kinds)))
		if err := s.salvage(kind); err != nil {
			return err
		}
	}
	return nil
}

// salvage reads the rows of one kind twice: first all, to find out which can be
// used and their order, then one by one.
func (s *salvage) salvage(kind salvagedKind) error {
	found := Salvaged{Kind: kind.kind}
	type place struct {
		n  int64
		at core.Stamp
		id string
	}
	var places []place
	read := map[int64]bool{}
	owned := map[string]bool{}
	var rec core.TransferRecord
	rows := survivors{tx: s.tx, table: kind.table, columns: kind.columns, scan: func(r *row) error {
		n := r.int(0)
		read[n] = true
		rec = core.TransferRecord{Kind: kind.kind}
		own := row{values: r.values}
		belongs := kind.read(&own, &rec)
		mended := mend(&rec)
		id := kind.own(&rec)
		switch {
		case own.bad != nil || own.empty:
			found.Faulty++
		case !belongs:
			found.Dangling++
		case rec.Fault() != "" || id != "" && owned[id]:
			found.Faulty++
		default:
			at, name := kind.place(&rec)
			places = append(places, place{n, at, strings.Clone(name)})
			if id != "" {
				owned[strings.Clone(id)] = true
			}
			if kind.kind == core.TransferTask {
				s.tasks[rec.Task.Key] = strings.Clone(rec.Task.ID)
			}
			if mended {
				found.Mended++
			}
		}
		return nil
	}}
	err := rows.run()
	switch {
	case isMissingTable(err):
		found.AtLeast = true
	case err != nil:
		return err
	}
	if rows.broken {
		known, whole, err := rows.numbers()
		if err != nil {
			return err
		}
		for n := range known {
			if !read[n] {
				found.Lost++
			}
		}
		found.AtLeast = !whole
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.id, b.id), cmp.Compare(a.n, b.n))
	})
	sql := fmt.Sprintf("SELECT rowid, %s FROM %s NOT INDEXED WHERE rowid = ?", kind.columns, quoteName(kind.table))
	for _, p := range places {
		_, err := s.one(sql, func(r *row) {
			rec = core.TransferRecord{Kind: kind.kind}
			kind.read(r, &rec)
			mend(&rec)
		}, p.n)
		if err != nil {
			return err
		}
		found.Read++
		if err := s.yield(&rec); err != nil {
			return err
		}
	}
	s.list = append(s.list, found)
	return nil
}

// isMissingTable reports whether an error means that there is no such table.
func isMissingTable(err error) bool {
	var statement prepareError
	return errors.As(err, &statement) && isCode(statement.error, sqlite3.ErrError)
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
