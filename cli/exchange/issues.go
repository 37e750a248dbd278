package exchange

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"dev.lithos/core"
)

// issues is what the readers of other programs' files share: a record there is
// a task with its dependencies and remarks inside.
type issues struct {
	fields
	line  int // of the record at hand
	rec   core.TransferRecord
	yield func(*core.TransferRecord) error
	edges []lineEdge        // of all records, yielded at the end
	names map[string]string // texts that many records share
	left  map[string]string // ids of tasks that were left out → why
}

// lineEdge is an edge and where it stands: the line, and its place among all
// edges.
type lineEdge struct {
	line, place int
	edge        core.Edge
}

func newIssues(why purpose, yield func(*core.TransferRecord) error) issues {
	return issues{fields: fields{why: why}, yield: yield, names: map[string]string{}, left: map[string]string{}}
}

// unknownAuthor stands for whoever the file does not name.
const unknownAuthor = "unknown"

// common returns one string for all equal ones, so that they are kept once.
func (i *issues) common(s string) string {
	if known, ok := i.names[s]; ok {
		return known
	}
	i.names[s] = s
	return s
}

// optional takes a string; null, missing and empty are the same to such
// programs.
func (f *fields) optional(key string) string {
	if s := f.optionalText(key); s != nil {
		return *s
	}
	return ""
}

// give yields what change makes of an empty record of the line at hand.
func (i *issues) give(change func(*core.TransferRecord)) error {
	i.rec = core.TransferRecord{Line: i.line}
	change(&i.rec)
	return i.yield(&i.rec)
}

// leaveOut yields that the record at hand never comes over. The reason, of
// which a sentence about its task ends, is for those who depend on it.
func (i *issues) leaveOut(id, reason string) error {
	if id != "" {
		i.left[id] = reason
	}
	return i.give(func(r *core.TransferRecord) { r.Kind = core.TransferLeftOut })
}

// remark yields what people should know of the record at hand.
func (i *issues) remark(id, reason string) error {
	return i.give(func(r *core.TransferRecord) { r.Kind, r.TaskID, r.Reason = core.TransferProblem, id, reason })
}

// put yields the records of one task, or why there are none. Edges without a
// creator are the task's.
func (i *issues) put(task core.Task, edges []core.Edge, findings []core.Finding, problems []string) error {
	if i.reason != "" {
		return i.give(func(r *core.TransferRecord) { r.Kind, r.Reason, r.TaskID = core.TransferBroken, i.reason, i.idAtHand() })
	}
	if err := i.give(func(r *core.TransferRecord) { r.Kind, r.Task = core.TransferTask, task }); err != nil {
		return err
	}
	if i.why == toJudge {
		return nil
	}
	for _, e := range edges {
		e.CreatedBy = cmp.Or(e.CreatedBy, task.CreatedBy)
		i.edges = append(i.edges, lineEdge{i.line, len(i.edges), e})
	}
	for _, f := range findings {
		if err := i.give(func(r *core.TransferRecord) { r.Kind, r.TaskID, r.Finding = core.TransferFinding, task.ID, f }); err != nil {
			return err
		}
	}
	for _, reason := range problems {
		if err := i.remark(task.ID, reason); err != nil {
			return err
		}
	}
	return nil
}

// finish yields the edges, the oldest first: the tasks stand in no particular
// order in such files.
func (i *issues) finish() error {
	slices.SortFunc(i.edges, func(a, b lineEdge) int {
		return cmp.Or(cmp.Compare(a.edge.CreatedAt, b.edge.CreatedAt), cmp.Compare(a.place, b.place))
	})
	for _, e := range i.edges {
		i.line = e.line
		if reason, left := i.left[e.edge.FromID]; left {
			if err := i.remark(e.edge.ToID, fmt.Sprintf("The %s edge from '%s' was left out: that task %s.", e.edge.Type, e.edge.FromID, reason)); err != nil {
				return err
			}
			continue
		}
		if err := i.give(func(r *core.TransferRecord) { r.Kind, r.Edge = core.TransferEdge, e.edge }); err != nil {
			return err
		}
	}
	return nil
}

// remarkNamespace makes the ids of findings from those of a task and its
// remark.
var remarkNamespace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://dev.lithos/import/remark"))

// derivedID is the id of a finding that has none of its own: the same one for
// the same remark at every import.
func derivedID(task, remark string) string {
	return uuid.NewSHA1(remarkNamespace, []byte(task+"\n"+remark)).String()
}

// untold says which members of an object nothing has taken: "" when all were.
func (f *fields) untold() string {
	var names []string
	for _, member := range f.rest() {
		names = append(names, "'"+strings.ToValidUTF8(core.Clip(member.Key), "")+"'")
	}
	return strings.Join(names, ", ")
}
