package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"dev.lithos/core"
)

// The JSON export of Taskwarrior: a list of tasks, or one after the other
// without a list around them.

func isTaskwarriorTask(f *fields) bool {
	_, hasID := f.peekText("uuid")
	_, hasDescription := f.peekText("description")
	return hasID && hasDescription && f.has("status")
}

// taskwarriorReader turns tasks into records.
type taskwarriorReader struct {
	issues
}

// readTaskwarrior reads a JSON export of Taskwarrior.
func readTaskwarrior(r io.Reader, why purpose, yield func(*core.TransferRecord) error) error {
	t := taskwarriorReader{issues: newIssues(why, yield)}
	values := newValueReader(r)
	for {
		raw, err := values.next()
		t.line = values.line
		var fault *readFault
		switch {
		case errors.Is(err, io.EOF):
			return t.finish()
		case errors.As(err, &fault):
			return err
		case err != nil:
			// Where the next task begins cannot be told.
			t.list, t.reason = t.list[:0], "It is not valid JSON; what follows cannot be read either."
			if err := t.put(core.Task{}, nil, nil, nil); err != nil {
				return err
			}
			return t.finish()
		}
		t.read(raw)
		if err := t.task(); err != nil {
			return err
		}
	}
}

// task yields the records of one task.
func (t *taskwarriorReader) task() error {
	if left, err := t.leftOut(); left || err != nil {
		return err
	}
	// Numbers that Taskwarrior works out anew each time.
	t.take("id")
	t.take("urgency")
	task := core.Task{TaskHead: core.TaskHead{
		ID: t.id("uuid"), Title: t.text("description"), Status: core.StatusOpen, Type: core.TypeTask, Version: 1,
	}, CreatedBy: unknownAuthor}
	t.lifetime(&task)
	if tags, ok := t.textList("tags"); ok {
		task.Tags = core.MakeTags(tags)
	}
	edges, problems := t.dependencies(task)
	findings, more := t.annotations(task)

	var metadata []core.Member
	for _, key := range []string{"project", "priority"} {
		if value, ok := t.peekText(key); ok {
			t.take(key)
			if key == "priority" {
				value = cmp.Or(taskwarriorPriorities[value], value)
			}
			metadata = append(metadata, core.Member{Key: key, Value: core.AppendJSONString(nil, value)})
		}
	}
	if rest := t.rest(); len(rest) > 0 {
		metadata = append(metadata, core.Member{Key: "taskwarrior", Value: []byte(core.MakeMetadata(rest))})
	}
	if len(metadata) > 0 && t.reason == "" {
		task.Metadata = t.object([]byte(core.MakeMetadata(metadata)))
	}
	return t.put(task, edges, findings, append(problems, more...))
}

// leftOut leaves out what is no task here: what was deleted is gone, and a
// recurring one is no work but the mould of tasks. Nothing else says that
// there is such a mould, so people are told.
func (t *taskwarriorReader) leftOut() (bool, error) {
	status, _ := t.peekText("status")
	if t.reason != "" {
		return false, nil
	}
	id, _ := t.peekText("uuid")
	switch status {
	case "deleted":
		return true, t.leaveOut(id, "was deleted")
	case "recurring":
		title, _ := t.peekText("description")
		period, _ := t.peekText("recur")
		reason := fmt.Sprintf("The recurring task '%s' was left out: only the tasks that it has made come over.", core.Clip(title))
		if period != "" {
			reason = fmt.Sprintf("The recurring task '%s' (%s) was left out: only the tasks that it has made come over.", core.Clip(title), core.Clip(period))
		}
		if err := t.leaveOut(id, "only recurs"); err != nil || t.why == toJudge {
			return true, err
		}
		return true, t.remark(id, reason)
	}
	return false, nil
}

var taskwarriorPriorities = map[string]string{"H": "high", "M": "medium", "L": "low"}

// lifetime reads status and stamps. Statuses other than completed are open;
// those that say more than that stay.
func (t *taskwarriorReader) lifetime(task *core.Task) {
	created, modified, ended := t.optionalStamp("entry"), t.optionalStamp("modified"), (*core.Stamp)(nil)
	switch status, _ := t.peekText("status"); status {
	case "completed":
		t.take("status")
		task.Status = core.StatusCompleted
		ended = t.optionalStamp("end")
	case "pending":
		t.take("status")
	case "":
		t.text("status") // anything but text is refused
	}
	if created = cmp.Or(created, modified, ended); created == nil {
		t.fail("'entry' is missing.")
		return
	}
	task.CreatedAt = *created
	task.UpdatedAt = *cmp.Or(modified, ended, created)
	if task.Status == core.StatusCompleted {
		task.ResolvedAt = cmp.Or(ended, &task.UpdatedAt)
	}
}

// textList takes a list of strings, which older versions write as one text
// with commas; anything else stays.
func (f *fields) textList(key string) ([]string, bool) {
	raw := f.peek(key)
	if list, ok := stringsOf(raw); ok {
		f.take(key)
		return list, true
	}
	text, ok := core.DecodeString(raw)
	if !ok || text == "" {
		return nil, false
	}
	f.take(key)
	return strings.Split(text, ","), true
}

// dependencies reads what a task waits for.
func (t *taskwarriorReader) dependencies(task core.Task) (edges []core.Edge, problems []string) {
	if !t.has("depends") || t.reason != "" {
		return nil, nil
	}
	ids, ok := t.textList("depends")
	if !ok {
		return nil, []string{"Its dependencies were left out: they are no list of ids."}
	}
	for _, id := range ids {
		edges = append(edges, core.Edge{
			FromID: strings.TrimSpace(id), ToID: task.ID, Type: core.EdgeBlocks, CreatedBy: unknownAuthor, CreatedAt: task.CreatedAt,
		})
	}
	return edges, nil
}

// annotations reads the remarks on a task.
func (t *taskwarriorReader) annotations(task core.Task) (findings []core.Finding, problems []string) {
	raw := t.take("annotations")
	if isNull(raw) || t.reason != "" {
		return nil, nil
	}
	items, ok := itemsOf(raw)
	if !ok {
		return nil, []string{"Its annotations were left out: they are no list."}
	}
	times := map[string]int{} // how often a remark was made
	for _, item := range items {
		var part fields
		part.split(item)
		f := core.Finding{Agent: unknownAuthor, Summary: part.text("description"), CreatedAt: task.CreatedAt}
		if part.reason != "" {
			problems = append(problems, "An annotation was left out: "+part.reason)
			continue
		}
		if at := part.optionalStamp("entry"); at != nil {
			f.CreatedAt = *at
		}
		if part.reason != "" {
			problems = append(problems, "An annotation got the time of its task: "+part.reason)
		}
		if names := part.untold(); names != "" {
			problems = append(problems, "Of an annotation this does not come over: "+names+".")
		}
		remark := f.CreatedAt.String() + "\n" + f.Summary
		times[remark]++
		if n := times[remark]; n > 1 {
			remark += fmt.Sprintf("\n%d", n)
		}
		f.ID = derivedID(task.ID, remark)
		findings = append(findings, f)
	}
	return findings, problems
}

// valueReader reads the items of a JSON list, or JSON values one after the
// other, and knows in which line each begins.
type valueReader struct {
	dec   *json.Decoder
	lines *lineCounter
	start bool // nothing has been read yet
	list  bool // the values are the items of a list
	line  int  // where the value last read begins
}

func newValueReader(r io.Reader) *valueReader {
	lines := &lineCounter{r: bufio.NewReaderSize(r, readBuffer)}
	if mark, err := lines.r.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		// What is at hand can be discarded.
		_, _ = lines.r.Discard(len(byteOrderMark))
	}
	return &valueReader{dec: json.NewDecoder(lines), lines: lines, start: true}
}

// next returns the next value, io.EOF after the last.
func (v *valueReader) next() (json.RawMessage, error) {
	if v.start {
		v.start = false
		first, err := v.lines.peek()
		if err != nil {
			return nil, v.fault(err)
		}
		if v.list = first == '['; v.list {
			if _, err := v.dec.Token(); err != nil {
				return nil, v.fault(err)
			}
		}
	}
	if v.list && !v.dec.More() {
		if _, err := v.dec.Token(); err != nil {
			return nil, v.fault(err)
		}
		if _, err := v.dec.Token(); !errors.Is(err, io.EOF) {
			return nil, v.fault(errors.New("text after the end of the list"))
		}
		return nil, io.EOF
	}
	var raw json.RawMessage
	if err := v.dec.Decode(&raw); err != nil {
		return nil, v.fault(err)
	}
	v.line = v.lines.at(v.dec.InputOffset() - int64(len(raw)))
	return raw, nil
}

// fault notes where reading ended. The end of the file within the list is a
// fault of the file.
func (v *valueReader) fault(err error) error {
	v.line = v.lines.at(v.dec.InputOffset())
	if v.list && errors.Is(err, io.EOF) {
		return fmt.Errorf("the list is not closed: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// lineCounter notes where the lines of what passes through it end.
type lineCounter struct {
	r    *bufio.Reader
	read int64
	ends []int64 // offsets of line feeds that at has not passed yet
	line int     // of the offset last asked for, from 0
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &readFault{err}
	}
	return n, err
}

// peek returns the first byte that is not white space, without reading it.
func (l *lineCounter) peek() (byte, error) {
	for n := 1; ; n++ {
		ahead, err := l.r.Peek(n)
		if len(ahead) < n {
			return 0, err
		}
		if c := ahead[n-1]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, nil
		}
	}
}

// at returns the line of an offset, from 1. Offsets must not fall.
func (l *lineCounter) at(offset int64) int {
	passed := 0
	for passed < len(l.ends) && l.ends[passed] < offset {
		passed++
	}
	l.ends = l.ends[passed:]
	l.line += passed
	return l.line + 1
}
