package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// ConflictRule says what an import does with a task that the store has in a
// newer version.
type ConflictRule string

// The conflict rules.
const (
	ConflictKeep      ConflictRule = "keep"      // the store's stays
	ConflictOverwrite ConflictRule = "overwrite" // the file's replaces it
)

// ConflictRules lists the conflict rules in documentation order.
var ConflictRules = []ConflictRule{ConflictKeep, ConflictOverwrite}

// ImportRequest asks to merge a file into the store.
type ImportRequest struct {
	Source       ImportSource // required
	Agent        string       // who imports, for the event; it is not registered
	OnConflict   ConflictRule // empty: keep
	DryRun       bool         // report what would happen, write nothing
	SkipBadLines bool         // leave out lines that cannot be read instead of refusing the file

	survey *importSurvey
}

// ImportReport tells what an import did, or would have done.
type ImportReport struct {
	Format    string          `json:"format"`
	DryRun    bool            `json:"dry_run"`
	Read      int             `json:"read"`      // task records, those left out included
	Created   int             `json:"created"`   // tasks that are new
	Updated   int             `json:"updated"`   // tasks that changed, or whose edges, claims or findings did
	Unchanged int             `json:"unchanged"` // tasks that the store had just so
	Skipped   int             `json:"skipped"`   // task records that did not count
	Edges     int             `json:"edges"`     // edges of the file that the store now has
	Problems  []ImportProblem `json:"problems"`
}

// ImportProblem is something in the file that did not come over.
type ImportProblem struct {
	Line   int     `json:"line"`
	ID     *string `json:"id"` // of the task concerned, nil when that is not known
	Reason string  `json:"reason"`
}

// fileField is the parameter that errors about the file name.
const fileField = "file"

// importSurvey is what the first reading of the file finds out.
type importSurvey struct {
	read     int
	broken   []ImportProblem
	tasks    []importedTask
	index    *IDIndex    // id → place in tasks
	replaced map[int]int // line of a task record that another of the same id replaces → that line
}

// importedTask is a task of the file on its way into the store.
type importedTask struct {
	line      int
	updatedAt Stamp
	version   int64
	// Set while merging:
	key     TaskKey
	fate    fate
	isGate  bool
	touched bool // an edge, claim or finding of it was written
}

// fate is what becomes of a task record.
type fate uint8

const (
	fateOpen fate = iota // not reached yet
	fateCreated
	fateUpdated
	fateUnchanged
	fateKept // the store's is newer
)

// Survey reads the file once and judges it without the store: an error names
// the lines that cannot be read, unless they are to be skipped. Import does so
// by itself; callers that open or create the store only for a sound file call
// it before.
func (r *ImportRequest) Survey(ctx context.Context) error {
	if err := checkText("agent", r.Agent); err != nil {
		return err
	}
	if err := checkName("agent", r.Agent); err != nil {
		return err
	}
	if r.OnConflict == "" {
		r.OnConflict = ConflictKeep
	}
	if err := checkWord(ConflictRules, string(r.OnConflict), func() error {
		return InvalidWord("on_conflict", string(r.OnConflict), "conflict rule", words(ConflictRules))
	}); err != nil {
		return err
	}
	s := &importSurvey{index: NewIDIndex(), replaced: map[int]int{}}
	pulse := pulse{ctx: ctx}
	read := r.Source.Each
	if judged, ok := r.Source.(JudgedSource); ok {
		read = judged.Judge
	}
	err := read(ctx, func(rec *TransferRecord) error {
		rec.turnAway()
		s.note(rec)
		return pulse.beat()
	})
	if err != nil {
		return err
	}
	if len(s.broken) > 0 && !r.SkipBadLines {
		return brokenLines(s.broken)
	}
	r.survey = s
	return nil
}

func (s *importSurvey) note(rec *TransferRecord) {
	switch rec.Kind {
	case TransferBroken:
		s.read++
		s.broken = append(s.broken, problemOf(rec, rec.TaskID))
	case TransferLeftOut:
		s.read++
	case TransferTask:
		s.read++
		this := importedTask{line: rec.Line, updatedAt: rec.Task.UpdatedAt, version: rec.Task.Version}
		at, again := s.index.Find(rec.Task.ID)
		if !again {
			s.index.Set(rec.Task.ID, len(s.tasks))
			s.tasks = append(s.tasks, this)
			return
		}
		// Of several records of one task the newest counts, of equally new
		// ones the last.
		loser := this.line
		if !newer(s.tasks[at].updatedAt, s.tasks[at].version, this.updatedAt, this.version) {
			loser = s.tasks[at].line
			s.tasks[at] = this
		}
		s.replaced[loser] = s.tasks[at].line
	}
}

// newer reports whether stamp and version a are later than b.
func newer(aUpdated Stamp, aVersion int64, bUpdated Stamp, bVersion int64) bool {
	return cmp.Or(cmp.Compare(aUpdated, bUpdated), cmp.Compare(aVersion, bVersion)) > 0
}

func problemOf(rec *TransferRecord, id string) ImportProblem {
	p := ImportProblem{Line: rec.Line, Reason: rec.Reason}
	if id != "" {
		p.ID = &id
	}
	return p
}

// maxNamedLines is how many unreadable lines an error names one by one.
const maxNamedLines = 20

// brokenLines is the refusal of a file with lines that cannot be read.
func brokenLines(broken []ImportProblem) error {
	var message strings.Builder
	for i, p := range broken {
		if i == maxNamedLines {
			fmt.Fprintf(&message, "%d more lines cannot be read. ", len(broken)-i)
			break
		}
		fmt.Fprintf(&message, "Line %d", p.Line)
		if p.ID != nil {
			fmt.Fprintf(&message, " (task '%s')", Clip(*p.ID))
		}
		fmt.Fprintf(&message, ": %s ", p.Reason)
	}
	message.WriteString("Nothing was imported.")
	return Malformed(fileField, message.String())
}

// errFileChanged is the refusal when the second reading finds other records
// than the first.
func errFileChanged() error {
	return Malformed(fileField, "The file changed while it was being imported. Nothing was imported; try again.")
}

// Import merges a file into the store in one transaction. Tasks that the store
// has in a newer version are kept unless the request says otherwise; a second
// import of the same file changes nothing. It registers no agent. What cannot
// come over without making the rest useless is reported as a problem; lines
// that cannot be read refuse the file as invalid_input/malformed.
func (s *Service) Import(ctx context.Context, req ImportRequest) (ImportReport, error) {
	if req.survey == nil {
		if err := req.Survey(ctx); err != nil {
			return ImportReport{}, err
		}
	}
	rehearsed := ctx
	if req.DryRun {
		rehearsed = Rehearse(ctx)
	}
	var report ImportReport
	err := s.mutate(rehearsed, func(c *change) error {
		m := newMerge(c, req)
		err := c.Load(func(l Loader) error {
			m.loader = l
			return m.run(ctx)
		})
		if err != nil {
			return err
		}
		if err := m.nameRings(); err != nil {
			return err
		}
		report = m.report()
		if !m.changed {
			return nil
		}
		return c.emit(EventStoreImported, req.Agent, Subject{}, storeImported{
			Format: report.Format, Created: report.Created, Updated: report.Updated,
		})
	})
	if err != nil {
		return ImportReport{}, err
	}
	return report, nil
}

// storeImported is the payload of store.imported.
type storeImported struct {
	Format  string `json:"format"`
	Created int    `json:"created"`
	Updated int    `json:"updated"`
}

// report counts what became of the records.
func (m *merge) report() ImportReport {
	r := ImportReport{
		Format: m.req.Source.Format(), DryRun: m.req.DryRun, Read: m.survey.read, Edges: m.added + len(m.edges),
		Problems: orEmpty(slices.Concat(m.survey.broken, m.problems)),
	}
	for _, t := range m.survey.tasks {
		switch {
		case t.fate == fateCreated:
			r.Created++
		case t.fate == fateUpdated || t.touched:
			r.Updated++
		case t.fate == fateUnchanged:
			r.Unchanged++
		}
	}
	r.Skipped = r.Read - r.Created - r.Updated - r.Unchanged
	slices.SortStableFunc(r.Problems, func(a, b ImportProblem) int { return cmp.Compare(a.Line, b.Line) })
	return r
}
