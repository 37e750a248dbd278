package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"dev.lithos/core"
)

// The format of lithos itself: JSON Lines. The first line names format and
// version, each other one is a record whose kind is its first key. It holds
// everything of tasks, edges, claims, findings and agents.

// lithosFormat is the version of the format that is written and read.
const lithosFormat = 1

// The values of the key type.
const (
	typeHeader  = "lithos"
	typeAgent   = "agent"
	typeTask    = "task"
	typeEdge    = "edge"
	typeClaim   = "claim"
	typeFinding = "finding"
)

func isLithosLine(f *fields) bool {
	kind, _ := core.DecodeString(f.take("type"))
	return kind == typeHeader
}

// lithosReader turns lines into records.
type lithosReader struct {
	fields
	rec    core.TransferRecord
	headed bool // the header has been read
}

// readLithos reads a file of the own format.
func readLithos(r io.Reader, why purpose, yield func(*core.TransferRecord) error) error {
	lines := newLineReader(r)
	l := lithosReader{fields: fields{why: why}}
	for {
		line, tooLong, err := lines.next()
		if errors.Is(err, io.EOF) {
			if !l.headed {
				return missingHeader()
			}
			return nil
		}
		if err != nil {
			return err
		}
		wanted, err := l.line(lines.number, line, tooLong)
		if err != nil {
			return err
		}
		if wanted && (why == toWrite || l.rec.Kind == core.TransferTask || l.rec.Kind == core.TransferBroken) {
			if err := yield(&l.rec); err != nil {
				return err
			}
		}
	}
}

func missingHeader() error {
	return core.Malformed(fileField, fmt.Sprintf(`The file does not begin with {"type":"lithos","format":%d}.`, lithosFormat))
}

// line reads one line into rec; false when it is no record but a header. The
// errors are about the file as a whole.
func (l *lithosReader) line(number int, line []byte, tooLong bool) (wanted bool, err error) {
	l.rec = core.TransferRecord{Line: number}
	if tooLong {
		l.list, l.reason = l.list[:0], tooLongReason
	} else {
		l.read(line)
	}
	if l.reason == "" {
		kind := l.word("type", recordTypes)
		switch {
		case kind == typeHeader:
			return false, l.header()
		case !l.headed && l.reason == "":
			return false, missingHeader()
		}
		l.record(kind)
	}
	if l.reason != "" {
		l.rec = core.TransferRecord{Kind: core.TransferBroken, Line: number, Reason: l.reason, TaskID: l.idAtHand()}
	}
	return true, nil
}

// idAtHand is the id that a report about an unusable record can name.
func (f *fields) idAtHand() string {
	for _, key := range []string{"id", "uuid", "task_id", "to_task_id"} {
		if id, ok := core.DecodeString(f.take(key)); ok {
			return id
		}
	}
	return ""
}

// header reads the header. Files may hold it again, as those do that were
// joined.
func (l *lithosReader) header() error {
	version := l.take("format")
	if string(version) != strconv.Itoa(lithosFormat) {
		return core.Malformed(fileField, fmt.Sprintf("The file has format %s; this program reads format %d.",
			core.Clip(string(version)), lithosFormat))
	}
	l.headed = true
	return nil
}

func (l *lithosReader) record(kind string) {
	switch kind {
	case typeAgent:
		l.rec.Kind = core.TransferAgent
		l.rec.Agent = core.Agent{
			ID: l.id("id"), Name: l.optionalText("name"), Type: l.optionalText("agent_type"),
			FirstSeenAt: l.stamp("first_seen_at"), LastSeenAt: l.stamp("last_seen_at"), Metadata: l.metadata("metadata"),
		}
	case typeTask:
		l.rec.Kind = core.TransferTask
		l.rec.Task = l.task()
	case typeEdge:
		l.rec.Kind = core.TransferEdge
		l.rec.Edge = core.Edge{
			FromID: l.id("from_task_id"), ToID: l.id("to_task_id"), Type: core.EdgeType(l.word("edge_type", edgeTypes)),
			Metadata: l.metadata("metadata"), CreatedBy: l.text("created_by"), CreatedAt: l.stamp("created_at"),
		}
	case typeClaim:
		l.rec.Kind = core.TransferClaim
		l.rec.TaskID = l.id("task_id")
		l.rec.Claim = core.Claim{
			Agent: l.text("agent"), Aspect: l.text("aspect"),
			ExpiresAt: l.stamp("expires_at"), ClaimedAt: l.stamp("claimed_at"),
		}
	case typeFinding:
		l.rec.Kind = core.TransferFinding
		l.rec.TaskID = l.id("task_id")
		l.rec.Finding = core.Finding{
			ID: l.id("id"), Agent: l.text("agent"), Summary: l.text("summary"),
			KnowledgeID: l.optionalText("knowledge_id"), CreatedAt: l.stamp("created_at"),
		}
	}
	l.noRest()
}

func (l *lithosReader) task() core.Task {
	t := core.Task{
		TaskHead: core.TaskHead{
			ID: l.id("id"), Title: l.text("title"),
			Status: core.Status(l.word("status", statuses)), Type: core.TaskType(l.word("task_type", taskTypes)),
			CreatedAt: l.stamp("created_at"), UpdatedAt: l.stamp("updated_at"),
			Version: l.positive("version"), Tags: l.tags("tags"),
		},
		Description: l.optionalText("description"), CreatedBy: l.text("created_by"),
		ResolvedAt: l.optionalStamp("resolved_at"), Metadata: l.metadata("metadata"), Outcome: l.optionalText("outcome"),
	}
	if l.reason == "" && (t.Status == core.StatusOpen) != (t.ResolvedAt == nil) {
		l.fail("'resolved_at' must be given for closed tasks and for no others.")
	}
	return t
}

var (
	recordTypes = []string{typeHeader, typeAgent, typeTask, typeEdge, typeClaim, typeFinding}
	statuses    = plain(core.Statuses)
	taskTypes   = plain(core.TaskTypes)
	edgeTypes   = plain(core.EdgeTypes)
)

func plain[T ~string](vocabulary []T) []string {
	var list []string
	for _, word := range vocabulary {
		list = append(list, string(word))
	}
	return list
}

// word takes a word of a closed vocabulary and returns the vocabulary's own
// string, so that no record keeps a copy.
func (f *fields) word(key string, vocabulary []string) string {
	raw := f.take(key)
	for _, word := range vocabulary {
		if is(raw, word) {
			return word
		}
	}
	if raw == nil {
		f.fail("'%s' is missing.", key)
	} else {
		f.fail("'%s' must be one of %s.", key, strings.Join(vocabulary, ", "))
	}
	return ""
}

// is reports whether a JSON value is a string.
func is(raw json.RawMessage, s string) bool {
	if len(raw) == len(s)+2 && raw[0] == '"' {
		return string(raw[1:len(raw)-1]) == s
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return false
	}
	decoded, ok := core.DecodeString(raw)
	return ok && decoded == s
}

// The lines of the format, keys in their order. A task's line is the task
// record of the contract after the key type.
type (
	headerLine struct {
		Type   string `json:"type"`
		Format int    `json:"format"`
	}
	agentLine struct {
		Type        string        `json:"type"`
		ID          string        `json:"id"`
		Name        *string       `json:"name"`
		AgentType   *string       `json:"agent_type"`
		FirstSeenAt core.Stamp    `json:"first_seen_at"`
		LastSeenAt  core.Stamp    `json:"last_seen_at"`
		Metadata    core.Metadata `json:"metadata"`
	}
	edgeLine struct {
		Type       string        `json:"type"`
		FromTaskID string        `json:"from_task_id"`
		ToTaskID   string        `json:"to_task_id"`
		EdgeType   core.EdgeType `json:"edge_type"`
		Metadata   core.Metadata `json:"metadata"`
		CreatedBy  string        `json:"created_by"`
		CreatedAt  core.Stamp    `json:"created_at"`
	}
	claimLine struct {
		Type      string     `json:"type"`
		TaskID    string     `json:"task_id"`
		Agent     string     `json:"agent"`
		Aspect    string     `json:"aspect"`
		ExpiresAt core.Stamp `json:"expires_at"`
		ClaimedAt core.Stamp `json:"claimed_at"`
	}
	findingLine struct {
		Type        string     `json:"type"`
		ID          string     `json:"id"`
		TaskID      string     `json:"task_id"`
		Agent       string     `json:"agent"`
		Summary     string     `json:"summary"`
		KnowledgeID *string    `json:"knowledge_id"`
		CreatedAt   core.Stamp `json:"created_at"`
	}
)

// lithosWriter writes the own format.
type lithosWriter struct {
	w      *bufio.Writer
	record []byte
}

func newLithosWriter(w *bufio.Writer) recordWriter { return &lithosWriter{w: w} }

func (l *lithosWriter) begin() error { return l.line(headerLine{typeHeader, lithosFormat}) }

func (l *lithosWriter) put(rec *core.TransferRecord) error {
	switch rec.Kind {
	case core.TransferAgent:
		a := rec.Agent
		return l.line(agentLine{typeAgent, a.ID, a.Name, a.Type, a.FirstSeenAt, a.LastSeenAt, a.Metadata})
	case core.TransferTask:
		return l.task(rec.Task)
	case core.TransferEdge:
		e := rec.Edge
		return l.line(edgeLine{typeEdge, e.FromID, e.ToID, e.Type, e.Metadata, e.CreatedBy, e.CreatedAt})
	case core.TransferClaim:
		c := rec.Claim
		return l.line(claimLine{typeClaim, rec.TaskID, c.Agent, c.Aspect, c.ExpiresAt, c.ClaimedAt})
	case core.TransferFinding:
		f := rec.Finding
		return l.line(findingLine{typeFinding, f.ID, rec.TaskID, f.Agent, f.Summary, f.KnowledgeID, f.CreatedAt})
	}
	return nil
}

// task writes the record of the contract with the key type before its own.
func (l *lithosWriter) task(t core.Task) error {
	t.Claims, t.Blockers = nil, nil
	l.record = t.AppendJSON(l.record[:0])
	_, err := l.w.WriteString(`{"type":"` + typeTask + `",`)
	return cmp.Or(err, l.write(l.record[1:]))
}

func (l *lithosWriter) line(record any) error {
	text, err := core.EncodeJSON(record)
	return cmp.Or(err, l.write(text))
}

func (l *lithosWriter) write(text []byte) error {
	_, err := l.w.Write(text)
	return cmp.Or(err, l.w.WriteByte('\n'))
}

func (l *lithosWriter) end() error { return nil }
