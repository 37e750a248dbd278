package core

import (
	"encoding/json"
	"strings"
)

// TaskType says what a task is; it is fixed at creation.
type TaskType string

// The task types.
const (
	TypeTask TaskType = "task" // a unit of work
	TypeEpic TaskType = "epic" // a heading for others; never in the frontier
	TypeGate TaskType = "gate" // a condition outside the graph; never in the frontier
)

// TaskTypes lists the task types in documentation order.
var TaskTypes = []TaskType{TypeTask, TypeEpic, TypeGate}

// Status is where a task stands.
type Status string

// The statuses. Completed satisfies what waits for the task, cancelled never
// does.
const (
	StatusOpen      Status = "open"
	StatusCompleted Status = "completed"
	StatusCancelled Status = "cancelled"
)

// Statuses lists the statuses in documentation order.
var Statuses = []Status{StatusOpen, StatusCompleted, StatusCancelled}

// Priorities are the words of metadata.priority from first to last; a task
// with another value, or none, ranks as the middle one.
var Priorities = []string{"highest", "high", "medium", "low", "lowest"}

const mediumPriority = 2

// PriorityRank is the place of a priority word in [Priorities], that of
// medium for any other text.
func PriorityRank(word string) int {
	for i, p := range Priorities {
		if p == word {
			return i
		}
	}
	return mediumPriority
}

// TaskKey is the store's own handle of a task. It never leaves the program.
type TaskKey int64

// TaskName is a task as errors and lists of candidates name it.
type TaskName struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// TaskHead is the part of a task that decisions and echoes need, without its
// long texts.
type TaskHead struct {
	Key       TaskKey
	ID        string
	Title     string
	Status    Status
	Type      TaskType
	CreatedAt Stamp
	UpdatedAt Stamp
	Version   int64
	Tags      Tags
}

// Task is the task record of the contract.
type Task struct {
	TaskHead
	Description *string
	CreatedBy   string
	ResolvedAt  *Stamp
	Metadata    Metadata
	Outcome     *string

	// Claims and Blockers belong to some views only; nil leaves the key out,
	// an empty list is shown as [].
	Claims   []Claim
	Blockers []Blocker
}

// AppendJSON appends the record with its keys in the contract's order.
func (t Task) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.str("id", t.ID)
	o.str("title", t.Title)
	o.nullableStr("description", t.Description)
	o.word("status", string(t.Status))
	o.word("task_type", string(t.Type))
	o.str("created_by", t.CreatedBy)
	o.stamp("created_at", t.CreatedAt)
	o.nullableStamp("resolved_at", t.ResolvedAt)
	o.stamp("updated_at", t.UpdatedAt)
	o.int("version", t.Version)
	o.raw("tags", t.Tags.Text())
	o.raw("metadata", t.Metadata.Text())
	o.nullableStr("outcome", t.Outcome)
	if t.Claims != nil {
		appendList(o, "claims", t.Claims)
	}
	if t.Blockers != nil {
		appendList(o, "blockers", t.Blockers)
	}
	return o.end()
}

// MarshalJSON returns the record.
func (t Task) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// Priority returns the word of metadata.priority when it is one of
// [Priorities], else "".
func (t Task) Priority() string {
	word, ok := t.Metadata.GetString("priority")
	if ok && contains(Priorities, word) {
		return word
	}
	return ""
}

// Project returns metadata.project when it is a string, else "".
func (t Task) Project() string {
	project, _ := t.Metadata.GetString("project")
	return project
}

// Tags is a list of tags as compact JSON text. The empty value stands for [].
type Tags string

// MakeTags encodes a list of tags.
func MakeTags(list []string) Tags {
	dst := []byte{'['}
	for i, tag := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSONString(dst, tag)
	}
	return Tags(append(dst, ']'))
}

// Text returns the JSON text, [] for the empty value.
func (t Tags) Text() string {
	if t == "" {
		return "[]"
	}
	return string(t)
}

// List decodes the tags. Text that is no list of strings counts as [].
func (t Tags) List() []string {
	if t.Text() == "[]" {
		return []string{}
	}
	var list []string
	if json.Unmarshal([]byte(t.Text()), &list) != nil || list == nil {
		return []string{}
	}
	return list
}

// MarshalJSON returns the list.
func (t Tags) MarshalJSON() ([]byte, error) { return []byte(t.Text()), nil }

// Echo is what every write that acts on one task repeats of it.
type Echo struct {
	TaskID    string `json:"task_id"`
	Title     string `json:"title"`
	UpdatedAt Stamp  `json:"updated_at"`
	Version   int64  `json:"version"`
}

func (h TaskHead) echo() Echo {
	return Echo{TaskID: h.ID, Title: h.Title, UpdatedAt: h.UpdatedAt, Version: h.Version}
}

func (h TaskHead) name() TaskName { return TaskName{ID: h.ID, Title: h.Title} }

// Facets are what the frontier needs of a task's metadata, read once when it
// is written.
type Facets struct {
	Priority int     // rank of metadata.priority, 0 first
	Project  *string // metadata.project when it is a string
	ReadyAt  *int64  // seconds since 1970 of a timer gate's usable ready_at
}

// FacetsOf reads the facets of a task's metadata.
func FacetsOf(taskType TaskType, m Metadata) Facets {
	f := Facets{Priority: mediumPriority}
	if word, ok := m.GetString("priority"); ok {
		f.Priority = PriorityRank(word)
	}
	if project, ok := m.GetString("project"); ok {
		f.Project = &project
	}
	if taskType == TypeGate {
		f.ReadyAt = timerReadyAt(m)
	}
	return f
}

// timerReadyAt returns when a timer gate opens; nil when it is another gate or
// its time is missing or unusable.
func timerReadyAt(m Metadata) *int64 {
	if kind, _ := m.GetString("gate_type"); kind != string(GateTimer) {
		return nil
	}
	text, ok := m.GetString("ready_at")
	if !ok {
		return nil
	}
	at, err := ParseStamp(text)
	if err != nil {
		return nil
	}
	// Now is cut to whole seconds when it is compared, so a fraction, which
	// only imported gates have, counts as the next second.
	seconds := (at + 999_999).Seconds()
	return &seconds
}

// containsText reports whether a task matches a text filter: the folded
// needle occurs in title or description, or the text as given begins the id.
func containsText(id, title string, description *string, text, folded string) bool {
	return strings.HasPrefix(id, text) ||
		strings.Contains(foldCase(title), folded) ||
		description != nil && strings.Contains(foldCase(*description), folded)
}
