package core

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Fault says why no import would take a record, nor any command write what it
// says; "" when all is well. The words it holds are of their vocabularies, and
// its metadata and tags are JSON of their kind: both show when it is read.
func (r *TransferRecord) Fault() string {
	switch r.Kind {
	case TransferTask:
		return r.Task.fault()
	case TransferEdge:
		return firstFault(idFault(r.Edge.FromID), idFault(r.Edge.ToID), textFault(r.Edge.CreatedBy),
			timeFault(r.Edge.CreatedAt), metadataFault(r.Edge.Metadata))
	case TransferClaim:
		return firstFault(idFault(r.TaskID), nameFault("agent", r.Claim.Agent), nameFault("aspect", r.Claim.Aspect),
			timeFault(r.Claim.ClaimedAt), timeFault(r.Claim.ExpiresAt))
	case TransferFinding:
		return firstFault(idFault(r.Finding.ID), idFault(r.TaskID), textFault(r.Finding.Agent), textFault(r.Finding.Summary),
			textFault(valueOr(r.Finding.KnowledgeID, "")), timeFault(r.Finding.CreatedAt))
	case TransferAgent:
		return firstFault(idFault(r.Agent.ID), textFault(valueOr(r.Agent.Name, "")), textFault(valueOr(r.Agent.Type, "")),
			timeFault(r.Agent.FirstSeenAt), timeFault(r.Agent.LastSeenAt), metadataFault(r.Agent.Metadata))
	}
	return ""
}

// turnAway makes of a record that no store may hold what says so: a broken
// line of a task, a problem of anything else. Readers refuse what they see
// themselves; this holds for all of them. The first reading may know no more of
// a task than its id, its time and its version.
func (r *TransferRecord) turnAway() {
	switch r.Kind {
	case TransferTask:
		fault := idFault(r.Task.ID)
		if r.Task.Version == math.MaxInt64 {
			fault = "a version that can rise no more"
		}
		if fault != "" {
			r.Kind, r.TaskID, r.Reason = TransferBroken, r.Task.ID, "The task has "+fault+"."
		}
	case TransferEdge, TransferClaim, TransferFinding, TransferAgent:
		if fault := r.Fault(); fault != "" {
			r.Reason = fmt.Sprintf("The %s was left out: it has %s.", r.noun(), fault)
			if r.Kind == TransferEdge {
				r.TaskID = r.Edge.ToID
			}
			r.Kind = TransferProblem
		}
	}
}

// noun is what people call a record of the kind.
func (r *TransferRecord) noun() string {
	switch r.Kind {
	case TransferEdge:
		return "edge"
	case TransferClaim:
		return "claim"
	case TransferFinding:
		return "finding"
	case TransferAgent:
		return "agent"
	}
	return "task"
}

// fault is the one of a task.
func (t *Task) fault() string {
	switch {
	case t.Version < 1:
		return "a version below 1"
	case (t.Status == StatusOpen) != (t.ResolvedAt == nil):
		return "a time of closing that does not fit its status"
	case !hasTextsOnly(t.Tags):
		return "tags that are no list of texts"
	}
	return firstFault(idFault(t.ID), textFault(t.Title), textFault(t.CreatedBy), textFault(valueOr(t.Description, "")),
		textFault(valueOr(t.Outcome, "")), timeFault(t.CreatedAt), timeFault(t.UpdatedAt), timeFault(valueOr(t.ResolvedAt, 0)),
		metadataFault(t.Metadata))
}

func firstFault(faults ...string) string {
	for _, fault := range faults {
		if fault != "" {
			return fault
		}
	}
	return ""
}

func idFault(id string) string {
	if id == "" {
		return "an empty id"
	}
	return textFault(id)
}

// nameFault is the fault of a name that must not be empty.
func nameFault(what, name string) string {
	if name == "" {
		return "an empty " + what
	}
	return textFault(name)
}

func textFault(text string) string {
	if !utf8.ValidString(text) {
		return "text that is no UTF-8"
	}
	if strings.IndexByte(text, 0) >= 0 {
		return "text with a NUL character"
	}
	return ""
}

func timeFault(s Stamp) string {
	if s < FirstStamp || s > LastStamp {
		return "a time out of range"
	}
	return ""
}

// EmptyUnusable makes empty the tags and metadata of a record that no import
// would take, as those count that cannot be read, and reports whether it had
// any.
func (r *TransferRecord) EmptyUnusable() (had bool) {
	for _, m := range []*Metadata{&r.Task.Metadata, &r.Edge.Metadata, &r.Agent.Metadata} {
		if metadataFault(*m) != "" {
			*m, had = "", true
		}
	}
	if !hasTextsOnly(r.Task.Tags) {
		r.Task.Tags, had = "", true
	}
	return had
}

func metadataFault(m Metadata) string {
	if len(m) < MaxMetadataDepth {
		return "" // too short to be nested too deeply
	}
	if _, err := ParseMetadata([]byte(m)); err != nil {
		return "metadata that are nested too deeply"
	}
	return ""
}

// hasTextsOnly reports whether tags, which are a JSON list, hold texts alone.
func hasTextsOnly(tags Tags) bool {
	only := true
	if tags == "" || tags == "[]" {
		return only
	}
	ScanList([]byte(tags), func(item []byte) { only = only && item[0] == '"' })
	return only
}
