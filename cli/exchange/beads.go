package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dev.lithos/core"
)

// The issues of beads: JSON Lines, an issue a line with its labels,
// dependencies and comments inside.

func isBeadsLine(f *fields) bool {
	if _, typed := core.DecodeString(f.take("_type")); typed {
		return true
	}
	_, hasID := core.DecodeString(f.take("id"))
	_, hasTitle := core.DecodeString(f.take("title"))
	return hasID && hasTitle && (f.has("status") || f.has("issue_type") || f.has("priority") || f.has("created_at"))
}

// beadsReader turns lines into records.
type beadsReader struct {
	issues
	part fields // a dependency or comment
}

// readBeads reads a file of beads issues.
func readBeads(r io.Reader, why purpose, yield func(*core.TransferRecord) error) error {
	lines := newLineReader(r)
	b := beadsReader{issues: newIssues(why, yield)}
	for {
		line, tooLong, err := lines.next()
		if errors.Is(err, io.EOF) {
			return b.finish()
		}
		if err != nil {
			return err
		}
		b.line = lines.number
		if tooLong {
			b.list, b.reason = b.list[:0], tooLongReason
		} else {
			b.read(line)
		}
		if err := b.issue(); err != nil {
			return err
		}
	}
}

// issue yields the records of the issue of one line.
func (b *beadsReader) issue() error {
	if kind := b.take("_type"); isText(kind) && !is(kind, "issue") && b.reason == "" {
		return b.leaveOut("", "")
	}
	if is(b.peek("status"), "tombstone") && b.reason == "" {
		id, _ := b.peekText("id")
		return b.leaveOut(id, "was deleted")
	}
	dependencies, comments := b.take("dependencies"), b.take("comments")
	if b.why == toJudge && nesting(dependencies) < core.MaxMetadataDepth/2 {
		return b.put(b.task(nil), nil, nil, nil) // relations of that depth do no harm
	}
	relations, edges, problems := b.dependencies(dependencies)
	task := b.task(relations)
	findings, more := b.comments(comments, task)
	return b.put(task, edges, findings, slices.Concat(problems, more))
}

// task builds the task of an issue. What has no place in a task goes to the
// key beads of its metadata.
func (b *beadsReader) task(relations []json.RawMessage) core.Task {
	t := core.Task{TaskHead: core.TaskHead{
		ID: b.id("id"), Title: b.text("title"), Status: core.StatusOpen, Type: core.TypeTask, Version: 1,
	}}
	t.CreatedBy = b.common(cmp.Or(b.optional("created_by"), unknownAuthor))
	t.Description = b.description()
	b.lifetime(&t)

	var metadata []core.Member
	add := func(key string, value []byte) { metadata = append(metadata, core.Member{Key: key, Value: value}) }
	if assignee := b.peek("assignee"); is(b.peek("status"), "in_progress") && isText(assignee) && !is(assignee, "") {
		b.take("status")
		add("assignee", b.take("assignee"))
	}
	switch kind := b.optional("issue_type"); kind {
	case "epic":
		t.Type = core.TypeEpic
	case "", "task":
	default:
		add("issue_type", core.AppendJSONString(nil, kind))
	}
	if rank, ok := b.priority(); ok {
		add("priority", core.AppendJSONString(nil, core.Priorities[rank]))
	}
	if labels, ok := b.labels(); ok {
		t.Tags = labels
	}
	if len(relations) > 0 {
		add("beads_relations", joinList(relations))
	}
	if rest := b.rest(); len(rest) > 0 {
		add("beads", []byte(core.MakeMetadata(rest)))
	}
	if len(metadata) > 0 && b.reason == "" {
		t.Metadata = b.object([]byte(core.MakeMetadata(metadata)))
	}
	return t
}

// lifetime reads status, outcome and the stamps.
func (b *beadsReader) lifetime(t *core.Task) {
	created, updated := b.optionalStamp("created_at"), b.optionalStamp("updated_at")
	var closed *core.Stamp
	switch status := b.peek("status"); {
	case is(status, "closed"):
		b.take("status")
		t.Status = core.StatusCompleted
		closed = b.optionalStamp("closed_at")
		if reason := b.optional("close_reason"); reason != "" {
			t.Outcome = &reason
		}
	case !isText(status), is(status, "open"), is(status, ""):
		b.optional("status") // anything but text or null is refused
	}
	first := func(stamps ...*core.Stamp) *core.Stamp { return cmp.Or(stamps...) }
	if created = first(created, updated, closed); created == nil {
		b.fail("'created_at' is missing.")
		return
	}
	t.CreatedAt = *created
	t.UpdatedAt = *first(updated, closed, created)
	if t.Status == core.StatusCompleted {
		t.ResolvedAt = first(closed, &t.UpdatedAt)
	}
}

// description is the text of the issue with its further texts under headings.
func (b *beadsReader) description() *string {
	text := b.optional("description")
	for _, part := range []struct{ key, heading string }{
		{"notes", "Notes"}, {"design", "Design"}, {"acceptance_criteria", "Acceptance criteria"},
	} {
		if more := b.optional(part.key); more != "" {
			if text != "" {
				text = strings.TrimRight(text, "\n") + "\n\n"
			}
			text += "## " + part.heading + "\n\n" + more
		}
	}
	if text == "" {
		return nil
	}
	return &text
}

// priority takes a priority that has a word; others stay.
func (b *beadsReader) priority() (rank int, ok bool) {
	raw := b.peek("priority")
	if len(raw) != 1 || raw[0] < '0' || raw[0] > '4' {
		return 0, false
	}
	b.take("priority")
	return int(raw[0] - '0'), true
}

// labels takes the labels when they are a list of strings; others stay.
func (b *beadsReader) labels() (core.Tags, bool) {
	raw := b.peek("labels")
	if _, ok := stringsOf(raw); !ok && !isNull(raw) {
		return "", false
	}
	return b.tags("labels"), true
}

func joinList(items []json.RawMessage) []byte {
	list := []byte{'['}
	for i, item := range items {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, item...)
	}
	return append(list, ']')
}

// dependencyType is the edge type of a relation; false when it has none. beads
// writes them with dashes or underscores, and means blocks when it says
// nothing.
func dependencyType(raw json.RawMessage) (core.EdgeType, bool) {
	for _, t := range []struct {
		words []string
		edge  core.EdgeType
	}{
		{[]string{"blocks", ""}, core.EdgeBlocks},
		{[]string{"parent-child", "parent_child"}, core.EdgeParentChild},
		{[]string{"discovered-from", "discovered_from"}, core.EdgeDiscoveredFrom},
	} {
		for _, word := range t.words {
			if is(raw, word) {
				return t.edge, true
			}
		}
	}
	return core.EdgeBlocks, isNull(raw)
}

// dependencies reads what an issue depends on: edges, and the relations that
// have no edge type here.
func (b *beadsReader) dependencies(raw json.RawMessage) (relations []json.RawMessage, edges []core.Edge, problems []string) {
	if isNull(raw) || b.reason != "" {
		return nil, nil, nil
	}
	items, ok := itemsOf(raw)
	if !ok {
		return nil, nil, []string{"Its dependencies were left out: they are no list."}
	}
	rawID := b.peek("id")
	id, _ := core.DecodeString(rawID)
	fallback := b.createdAt()
	for _, item := range items {
		b.part.list, b.part.reason = b.part.list[:0], ""
		b.part.split(item)
		kind := b.part.take("type")
		edge := core.Edge{
			ToID: id, FromID: b.part.id("depends_on_id"),
			CreatedBy: b.common(b.part.optional("created_by")), CreatedAt: fallback,
		}
		if !bytes.Equal(b.part.peek("issue_id"), rawID) {
			edge.ToID = cmp.Or(b.part.optional("issue_id"), id)
		}
		b.part.take("issue_id")
		if at := b.part.optionalStamp("created_at"); at != nil {
			edge.CreatedAt = *at
		}
		var known bool
		edge.Type, known = dependencyType(kind)
		if !isNull(kind) && !isText(kind) {
			b.part.fail("'type' must be a string or null.")
		}
		if known {
			edge.Metadata = edgeMetadata(&b.part)
		}
		switch {
		case b.part.reason != "":
			problems = append(problems, "A dependency was left out: "+b.part.reason)
		case known:
			edges = append(edges, edge)
		default:
			relations = append(relations, item)
		}
	}
	return relations, edges, problems
}

// createdAt is the stamp of the issue without taking it, for dependencies and
// comments that have none.
func (b *beadsReader) createdAt() core.Stamp {
	for _, key := range []string{"created_at", "updated_at", "closed_at"} {
		if text, ok := b.peekText(key); ok {
			if at, err := core.ParseStamp(text); err == nil {
				return at
			}
		}
	}
	return 0
}

// edgeMetadata takes the metadata of a dependency, an object or the text of
// one, and puts whatever else there is under the key beads.
func edgeMetadata(part *fields) core.Metadata {
	var members []core.Member
	raw := []byte(part.peek("metadata"))
	if text, isText := core.DecodeString(raw); isText {
		raw = []byte(text)
	}
	if len(raw) == 0 || isNull(raw) {
		part.take("metadata")
	} else if m, err := core.ParseMetadata(raw); err == nil && core.CheckJSONText("", raw) == nil {
		part.take("metadata")
		members = m.Members()
	}
	if rest := part.rest(); len(rest) > 0 {
		members = append(members, core.Member{Key: "beads", Value: []byte(core.MakeMetadata(rest))})
	}
	if len(members) == 0 {
		return ""
	}
	m, err := core.ParseMetadata([]byte(core.MakeMetadata(members)))
	if err != nil {
		part.fail("It is nested too deeply.")
	}
	return m
}

// comments reads the comments of an issue.
func (b *beadsReader) comments(raw json.RawMessage, task core.Task) (findings []core.Finding, problems []string) {
	if isNull(raw) || b.reason != "" {
		return nil, nil
	}
	items, ok := itemsOf(raw)
	if !ok {
		return nil, []string{"Its comments were left out: they are no list."}
	}
	seen := map[string]bool{}
	for _, item := range items {
		b.part.list, b.part.reason = b.part.list[:0], ""
		b.part.split(item)
		id := b.part.take("id")
		f := core.Finding{
			Agent:   b.common(cmp.Or(b.part.optional("author"), unknownAuthor)),
			Summary: b.part.text("text"), CreatedAt: task.CreatedAt,
		}
		if at := b.part.optionalStamp("created_at"); at != nil {
			f.CreatedAt = *at
		}
		if b.part.reason != "" {
			problems = append(problems, "A comment was left out: "+b.part.reason)
			continue
		}
		f.ID = derivedID(task.ID, commentName(id, f))
		if seen[f.ID] {
			problems = append(problems, fmt.Sprintf("A comment was left out: another one has its id %s.", core.Clip(string(id))))
			continue
		}
		seen[f.ID] = true
		findings = append(findings, f)
		b.part.take("issue_id") // says where the comment stands, as its place does
		if names := b.part.untold(); names != "" {
			problems = append(problems, "Of a comment this does not come over: "+names+".")
		}
	}
	return findings, problems
}

// commentName is what tells a comment from the others of its issue: its id,
// or all of it when it has none.
func commentName(id json.RawMessage, f core.Finding) string {
	name, isText := core.DecodeString(id)
	switch {
	case isText && name != "":
		return name
	case isText || isNull(id):
		return strings.Join([]string{f.CreatedAt.String(), f.Agent, f.Summary}, "\n")
	}
	return string(id)
}
