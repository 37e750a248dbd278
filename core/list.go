package core

import (
	"context"
	"io"
)

// TaskListRequest selects tasks.
type TaskListRequest struct {
	Agent         *string   `json:"agent" check:"filter" doc:"Who created it."`
	Status        *string   `json:"status" check:"status"`
	Tags          []string  `json:"tags" check:"filter_list" doc:"All of them."`
	Since         *string   `json:"since" check:"time_filter" doc:"Created at or after."`
	ResolvedSince *string   `json:"resolved_since" check:"time_filter" doc:"Closed at or after."`
	WithClaims    *bool     `json:"with_claims" default:"false"`
	MetadataMatch *Metadata `json:"metadata_match" check:"match" doc:"Top-level key equals the scalar, or is a list that holds it."`
	TaskType      *string   `json:"task_type" check:"type_filter"`
	ClaimedBy     *string   `json:"claimed_by" check:"filter" doc:"Holder of a live claim; * for anybody."`
	Text          *string   `json:"text" check:"filter" doc:"Occurs in title or description, or begins the id."`
	Limit         *int      `json:"limit" check:"limit"`
	Offset        *int      `json:"offset" default:"0" check:"offset"`
}

// TaskListResult holds the tasks, newest first.
type TaskListResult struct {
	Tasks     []Task
	HasMore   *bool // nil when no limit was given
	Truncated bool  // cut to a size limit by the surface; see the MCP contract
}

// AppendJSON appends the result.
func (r TaskListResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	appendList(o, "tasks", r.Tasks)
	if r.HasMore != nil {
		o.bool("has_more", *r.HasMore)
	}
	if r.Truncated {
		o.bool("truncated", true)
	}
	return o.end()
}

// TaskList is the operation task_list.
var TaskList = Op[TaskListRequest, TaskListResult]{
	name: "task_list", summary: "List tasks by filters, newest first.", readOnly: true,
	codes: []Code{CodeInvalidTaskType},
	run:   (*Service).TaskList,
}

// TaskList lists tasks, newest first.
func (s *Service) TaskList(ctx context.Context, req TaskListRequest) (TaskListResult, error) {
	result := TaskListResult{Tasks: []Task{}}
	more, err := s.EachTask(ctx, req, WholeRecords, func(t Task) error {
		result.Tasks = append(result.Tasks, t)
		return nil
	})
	if err != nil {
		return TaskListResult{}, err
	}
	if req.Limit != nil {
		result.HasMore = &more
	}
	return result, nil
}

// writeBatch is how much text WriteTaskList hands on at a time, in bytes.
const writeBatch = 64 << 10

// WriteTaskList writes the text of a TaskList's result, the very bytes that
// [EncodeJSON] returns for it, as the tasks are read, so that a list of any
// length needs little memory. After an error what was written is of no use.
func (s *Service) WriteTaskList(ctx context.Context, req TaskListRequest, w io.Writer) error {
	o := beginObject(nil)
	o.key("tasks")
	o.dst = append(o.dst, '[')
	first := true
	more, err := s.EachTask(ctx, req, WholeRecords, func(t Task) error {
		if !first {
			o.dst = append(o.dst, ',')
		}
		first = false
		o.dst = t.AppendJSON(o.dst)
		if len(o.dst) < writeBatch {
			return nil
		}
		_, err := w.Write(o.dst)
		o.dst = o.dst[:0]
		return err
	})
	if err != nil {
		return err
	}
	o.dst = append(o.dst, ']')
	if req.Limit != nil {
		o.bool("has_more", more)
	}
	_, err = w.Write(o.end())
	return err
}

// RecordParts says how much of each record a list reads.
type RecordParts bool

// What a list can read of each record.
const (
	WholeRecords RecordParts = false
	BriefRecords RecordParts = true // without description and outcome
)

// claimBatch is how many tasks a list reads the claims of at a time.
const claimBatch = 256

// EachTask yields the tasks of a list as they are read, so that a list of any
// length needs little memory. It reports whether more tasks follow the page.
// It stops at the first error yield returns.
func (s *Service) EachTask(ctx context.Context, req TaskListRequest, parts RecordParts, yield func(Task) error) (more bool, err error) {
	return read(ctx, s, req, func(v view, req TaskListRequest) (bool, error) {
		return v.eachTask(req, parts, yield)
	})
}

func (v view) eachTask(req TaskListRequest, parts RecordParts, yield func(Task) error) (more bool, err error) {
	match, err := parseMatch("metadata_match", valueOr(req.MetadataMatch, ""))
	if err != nil {
		return false, err
	}
	q := TaskQuery{
		CreatedBy: valueOr(req.Agent, ""), Status: Status(valueOr(req.Status, "")), Tags: req.Tags,
		Since: timeFilter(req.Since), ResolvedSince: timeFilter(req.ResolvedSince), Match: match,
		Type: TaskType(valueOr(req.TaskType, "")), ClaimedBy: valueOr(req.ClaimedBy, ""), Now: v.now,
		Brief: bool(parts), Strict: v.strict,
	}
	text := valueOr(req.Text, "")
	skip, limit := *req.Offset, valueOr(req.Limit, -1)
	if text == "" {
		q.Offset, skip = skip, 0
		if limit >= 0 {
			q.Limit = oneMore(limit)
		}
	} else {
		q.Brief = false // the description is searched
	}
	folded := foldCase(text)
	var batch []Task
	flush := func() error {
		if *req.WithClaims {
			if err := v.addClaims(batch); err != nil {
				return err
			}
		}
		for _, t := range batch {
			if err := yield(t); err != nil {
				return err
			}
		}
		batch = batch[:0]
		return nil
	}
	taken := 0
	eachErr := v.ReadTx.EachTask(q, func(t Task) bool {
		if text != "" && !containsText(t.ID, t.Title, t.Description, text, folded) {
			return true
		}
		if skip > 0 {
			skip--
			return true
		}
		if taken == limit {
			more = true
			return false
		}
		taken++
		batch = append(batch, t)
		if len(batch) == claimBatch {
			err = flush()
		}
		return err == nil
	})
	if err == nil {
		err = eachErr
	}
	if err == nil {
		err = flush()
	}
	return more, err
}
