package core

import (
	"context"
	"fmt"
	"math"
)

// merge writes the records of one import.
type merge struct {
	*change
	loader   Loader
	req      ImportRequest
	survey   *importSurvey
	broken   int // lines that could not be read this time
	reached  int // task records that were merged this time
	problems []ImportProblem
	added    int                   // edges at tasks that are new
	edges    map[edgeName]struct{} // all others that the store now has
	agents   map[string]bool       // by id
	claims   map[claimName]bool
	parents  map[TaskKey]TaskKey // child → parent, as far as it was needed
	isEmpty  bool                // the store had no task to begin with
	waiting  []TransferRecord    // records ahead of a task they name
	final    bool                // no more tasks will come
	suspects []suspect           // edges that may close rings with what the store had
	changed  bool                // anything at all was written
}

// claimName is what makes two claims the same row.
type claimName struct {
	task   TaskKey
	aspect string
}

func newMerge(c *change, req ImportRequest) *merge {
	for i := range req.survey.tasks {
		t := &req.survey.tasks[i]
		t.fate, t.touched, t.key, t.isGate = fateOpen, false, 0, false
	}
	return &merge{
		change: c, req: req, survey: req.survey,
		edges: map[edgeName]struct{}{}, agents: map[string]bool{}, claims: map[claimName]bool{},
		parents: map[TaskKey]TaskKey{},
	}
}

func (m *merge) run(ctx context.Context) error {
	some, err := m.TasksByPrefix("", 1)
	if err != nil {
		return err
	}
	m.isEmpty = len(some) == 0
	pulse := pulse{ctx: ctx}
	err = m.req.Source.Each(ctx, func(rec *TransferRecord) error {
		rec.turnAway()
		if err := m.record(rec); err != nil {
			return err
		}
		return pulse.beat()
	})
	if err != nil {
		return err
	}
	if m.broken != len(m.survey.broken) || m.reached != len(m.survey.tasks) {
		return errFileChanged()
	}
	m.final = true
	for i := range m.waiting {
		if err := m.record(&m.waiting[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *merge) record(rec *TransferRecord) error {
	if by, replaced := m.survey.replaced[rec.Line]; replaced {
		if rec.Kind == TransferTask {
			m.problem(rec.Line, rec.Task.ID, fmt.Sprintf("The id appears again; the record of line %d counts.", by))
		}
		return nil
	}
	switch rec.Kind {
	case TransferAgent:
		return m.agent(rec)
	case TransferTask:
		return m.task(rec)
	case TransferEdge:
		return m.edge(rec)
	case TransferClaim:
		return m.claim(rec)
	case TransferFinding:
		return m.finding(rec)
	case TransferProblem:
		m.problem(rec.Line, rec.TaskID, rec.Reason)
	case TransferBroken:
		m.broken++
	}
	return nil
}

func (m *merge) problem(line int, id, reason string) {
	m.problems = append(m.problems, problemOf(&TransferRecord{Line: line, Reason: reason}, id))
}

func (m *merge) overwrites() bool { return m.req.OnConflict == ConflictOverwrite }

// agent adds an agent. One that the store has is left alone: an import moves
// no last_seen_at. Of several records of one agent the first counts.
func (m *merge) agent(rec *TransferRecord) error {
	a := rec.Agent
	if m.agents[a.ID] {
		return nil
	}
	m.agents[a.ID] = true
	stored, found, err := m.Agent(a.ID)
	if err != nil {
		return err
	}
	if found && !m.overwrites() {
		if !sameValue(stored.Name, a.Name) || !sameValue(stored.Type, a.Type) || stored.Metadata.Text() != a.Metadata.Text() {
			m.problem(rec.Line, "", fmt.Sprintf("Kept: the store's agent '%s' has another name, type or metadata.", a.ID))
		}
		return nil
	}
	changed, err := m.loader.PutAgent(a)
	m.changed = m.changed || changed
	return err
}

func (m *merge) task(rec *TransferRecord) error {
	t := rec.Task
	at, known := m.survey.index.Find(t.ID)
	if !known {
		return errFileChanged()
	}
	entry := &m.survey.tasks[at]
	if entry.line != rec.Line || entry.fate != fateOpen {
		return errFileChanged()
	}
	m.reached++
	head, found, err := m.stored(t.ID)
	if err != nil {
		return err
	}
	if !found {
		t.Key, err = m.loader.InsertTask(t, FacetsOf(t.Type, t.Metadata))
		entry.key, entry.isGate, entry.fate = t.Key, t.Type == TypeGate, fateCreated
		m.changed = true
		return err
	}
	entry.key, entry.isGate = head.Key, head.Type == TypeGate
	stored, err := m.Tasks([]TaskKey{head.Key})
	if err != nil {
		return err
	}
	if len(stored) != 1 {
		return fmt.Errorf("task %q vanished while it was being replaced", t.ID)
	}
	switch old := stored[0]; {
	case sameTask(old, t):
		entry.fate = fateUnchanged
	case newer(old.UpdatedAt, old.Version, t.UpdatedAt, t.Version) && !m.overwrites():
		entry.fate = fateKept
		m.problem(rec.Line, t.ID, fmt.Sprintf("Kept: the store's is newer (version %d of %s).", old.Version, old.UpdatedAt))
	case old.Version == math.MaxInt64:
		entry.fate = fateKept
		m.problem(rec.Line, t.ID, "Kept: the versions of the store's are used up.")
	default:
		entry.fate, entry.isGate = fateUpdated, t.Type == TypeGate
		if old.Status != StatusOpen && t.Status == StatusOpen {
			m.problem(rec.Line, t.ID, fmt.Sprintf("The task is open again, as in the file: the store had it %s since %s.", old.Status, valueOr(old.ResolvedAt, old.UpdatedAt)))
		}
		return m.replace(old, t)
	}
	return nil
}

// replace overwrites a task. Its version goes on rising, whatever the file
// says, so that nobody who read the old one can write over the new one.
func (m *merge) replace(old, t Task) error {
	t.Key = old.Key
	t.Version = max(t.Version, old.Version+1)
	m.changed = true
	if t.Status != StatusOpen {
		if err := m.DropClaims(t.Key); err != nil {
			return err
		}
	}
	return m.loader.ReplaceTask(t, FacetsOf(t.Type, t.Metadata))
}

// sameTask reports whether the store has the file's record already. The
// version may be ahead: that of a replaced task has gone on rising.
func sameTask(stored, file Task) bool {
	return stored.Version >= file.Version &&
		stored.ID == file.ID && stored.Title == file.Title && sameValue(stored.Description, file.Description) &&
		stored.Status == file.Status && stored.Type == file.Type && stored.CreatedBy == file.CreatedBy &&
		stored.CreatedAt == file.CreatedAt && sameValue(stored.ResolvedAt, file.ResolvedAt) &&
		stored.UpdatedAt == file.UpdatedAt && stored.Tags.Text() == file.Tags.Text() &&
		stored.Metadata.Text() == file.Metadata.Text() && sameValue(stored.Outcome, file.Outcome)
}

func sameValue[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// end is one task that an edge, claim or finding names.
type end struct {
	key    TaskKey
	isGate bool
	file   *importedTask // nil when the file does not bring the task
}

// isNew reports whether this import created the task.
func (e end) isNew() bool { return e.file != nil && e.file.fate == fateCreated }

// find looks up a task that a record names, in the file, then in the store.
func (m *merge) find(id string) (end, bool, error) {
	if at, ok := m.survey.index.Find(id); ok {
		if t := &m.survey.tasks[at]; t.fate != fateOpen {
			return end{t.key, t.isGate, t}, true, nil
		}
		return end{}, false, nil
	}
	head, found, err := m.stored(id)
	return end{key: head.Key, isGate: head.Type == TypeGate}, found, err
}

// stored looks up a task that the file does not bring, or has not brought
// yet. Where there were none before there is nothing to look up.
func (m *merge) stored(id string) (TaskHead, bool, error) {
	if m.isEmpty {
		return TaskHead{}, false, nil
	}
	return m.TaskByID(id)
}

// postpone keeps a record for the end, when all tasks are there. It reports
// false when that is now.
func (m *merge) postpone(rec *TransferRecord) bool {
	if !m.final {
		m.waiting = append(m.waiting, *rec)
	}
	return !m.final
}

// touch notes that something that belongs to a task changed.
func (m *merge) touch(e end) {
	m.changed = true
	if e.file != nil {
		e.file.touched = true
	}
}

// edge adds an edge. Rings, depth and the status of its ends are not judged:
// only new writes are.
func (m *merge) edge(rec *TransferRecord) error {
	edge := rec.Edge
	from, fromFound, err := m.find(edge.FromID)
	if err != nil {
		return err
	}
	to, toFound, err := m.find(edge.ToID)
	if err != nil {
		return err
	}
	leaveOut := func(why string) error {
		m.problem(rec.Line, edge.ToID, fmt.Sprintf("The %s edge from '%s' was left out: %s", edge.Type, edge.FromID, why))
		return nil
	}
	switch {
	case !fromFound || !toFound:
		if m.postpone(rec) {
			return nil
		}
		missing := edge.FromID
		if fromFound {
			missing = edge.ToID
		}
		return leaveOut(fmt.Sprintf("there is no task '%s'.", missing))
	case from.key == to.key:
		return leaveOut("both ends are one task.")
	case edge.Type == EdgeWaitsOnGate && !from.isGate:
		return leaveOut("its source is no gate.")
	}
	edge.From, edge.To = from.key, to.key
	const again = "the file has it more than once; the first counts."
	name := edgeNameOf(edge.From, edge.To, edge.Type)
	if _, known := m.edges[name]; known {
		return leaveOut(again)
	}
	if edge.Type == EdgeParentChild {
		parent, err := m.parentOf(to)
		if err != nil {
			return err
		}
		if parent != 0 && parent != edge.From {
			return leaveOut("the child has another parent.")
		}
		m.parents[edge.To] = edge.From
	}
	if from.isNew() || to.isNew() {
		// The store had no such edge. What the file has twice is left to it to
		// find out: files may have more edges than memory should hold.
		added, err := m.loader.AddEdge(edge)
		if err != nil {
			return err
		}
		if !added {
			return leaveOut(again)
		}
		m.added++
		m.touch(to)
		m.suspect(rec, from, to)
		return nil
	}
	if !m.overwrites() {
		stored, found, err := m.FindEdge(edge.From, edge.To, edge.Type)
		if err != nil {
			return err
		}
		if found {
			m.edges[name] = struct{}{}
			if stored.Metadata.Text() != edge.Metadata.Text() {
				m.problem(rec.Line, edge.ToID, fmt.Sprintf("The %s edge from '%s' was kept as it is: the store's has other metadata.", edge.Type, edge.FromID))
			}
			return nil
		}
	}
	changed, err := m.loader.PutEdge(edge)
	m.edges[name] = struct{}{}
	if changed {
		m.touch(to)
		m.suspect(rec, from, to)
	}
	return err
}

// parentOf returns the parent that a task has by now, 0 when it has none.
func (m *merge) parentOf(child end) (TaskKey, error) {
	if parent, known := m.parents[child.key]; known || child.isNew() {
		return parent, nil
	}
	parent, _, err := m.Parent(child.key)
	return parent.Key, err
}

// claim adds a lease, live or expired. Of two for one aspect the later taken
// one counts. A task that was kept keeps its leases too.
func (m *merge) claim(rec *TransferRecord) error {
	task, found, err := m.find(rec.TaskID)
	if err != nil {
		return err
	}
	if !found {
		if !m.postpone(rec) {
			m.problem(rec.Line, rec.TaskID, "The claim was left out: there is no such task.")
		}
		return nil
	}
	if task.file != nil && task.file.fate == fateKept {
		return nil
	}
	name := claimName{task.key, rec.Claim.Aspect}
	if m.claims[name] || !task.isNew() && !m.overwrites() {
		stored, found, err := m.Claim(task.key, rec.Claim.Aspect)
		if err != nil {
			return err
		}
		if found && stored.ClaimedAt >= rec.Claim.ClaimedAt {
			if stored.Agent != rec.Claim.Agent {
				m.problem(rec.Line, rec.TaskID, fmt.Sprintf("The claim of '%s' on the aspect '%s' was left out: that of '%s' was taken later.",
					rec.Claim.Agent, rec.Claim.Aspect, stored.Agent))
			}
			return nil
		}
	}
	m.claims[name] = true
	changed, err := m.loader.PutClaim(task.key, rec.Claim)
	if changed {
		m.touch(task)
	}
	return err
}

// finding adds a remark unless the store has it.
func (m *merge) finding(rec *TransferRecord) error {
	task, found, err := m.find(rec.TaskID)
	if err != nil {
		return err
	}
	if !found {
		if !m.postpone(rec) {
			m.problem(rec.Line, rec.TaskID, "The finding was left out: there is no such task.")
		}
		return nil
	}
	added, err := m.loader.InsertFinding(task.key, rec.Finding)
	if err != nil {
		return err
	}
	if added {
		m.touch(task)
		return nil
	}
	stored, owner, err := m.loader.Finding(rec.Finding.ID)
	if err == nil && (owner != task.key || !sameFinding(stored, rec.Finding)) {
		m.problem(rec.Line, rec.TaskID, fmt.Sprintf("The finding '%s' was left out: the store has another of that id.", rec.Finding.ID))
	}
	return err
}

func sameFinding(a, b Finding) bool {
	return a.Agent == b.Agent && a.Summary == b.Summary && a.CreatedAt == b.CreatedAt && sameValue(a.KnowledgeID, b.KnowledgeID)
}
