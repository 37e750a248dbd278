package store

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"dev.lithos/core"
)

const eventColumns = "seq, id, type, timestamp, agent, payload, tags, task_seq, other_seq"

func (r *row) event() core.Event {
	e := core.Event{
		Seq: r.int(0), ID: r.text(1), Type: core.EventType(r.text(2)), Timestamp: r.stamp(3), Agent: r.text(4),
		Payload: json.RawMessage(r.object(5).Text()), Tags: r.tags(6),
	}
	if !r.isNull(7) {
		e.Subject.Task = r.key(7)
	}
	if !r.isNull(8) {
		e.Subject.Other = r.key(8)
	}
	return e
}

// eventTable is the feed or the archive, with its indexes.
type eventTable struct{ name, byTask, byOther string }

var (
	feed    = eventTable{"events", "events_by_task", "events_by_other"}
	archive = eventTable{"events_archive", "archive_by_task", "archive_by_other"}
)

// arm is the query for columns of the events that pass, found by an index
// whose column own names the task of the query; by the key of the table when
// own is empty.
func (table eventTable) arm(q core.EventQuery, columns, index, own string) (string, []any) {
	var f filter
	if own != "" {
		f.add(own+" = ?", *q.Task)
	}
	f.add("seq > ?", q.After)
	if q.Before > 0 {
		f.add("seq < ?", q.Before)
	}
	if len(q.Types) > 0 {
		var list []any
		for _, t := range q.Types {
			if !slices.Contains(list, any(t)) { // there are not many types, but a caller may repeat one
				list = append(list, t)
			}
		}
		f.add("type IN (?"+strings.Repeat(", ?", len(list)-1)+")", list...)
	}
	if q.Agent != "" {
		f.add("agent = ?", q.Agent)
	}
	if q.Start != nil {
		f.add("timestamp >= ?", *q.Start)
	}
	if q.End != nil {
		f.add("timestamp < ?", *q.End)
	}
	return "SELECT " + columns + " FROM " + table.name + " " + index + f.where(), f.args
}

// sql is the query for columns of the events that pass. Those about a task are
// the union of two index walks, which SQLite merges without sorting; all
// others are walked by key, whatever an index might save.
func (table eventTable) sql(q core.EventQuery, columns, otherwise string) (string, []any) {
	if q.Task == nil {
		return table.arm(q, columns, otherwise, "")
	}
	sql, args := table.arm(q, columns, "INDEXED BY "+table.byTask, "task_seq")
	second, more := table.arm(q, columns, "INDEXED BY "+table.byOther, "other_seq")
	return sql + " UNION ALL " + second, append(args, more...)
}

// page reads the events of a table that pass, in the order of the query.
func (t *tx) page(table eventTable, q core.EventQuery, limit int, events []core.Event) ([]core.Event, error) {
	sql, args := table.sql(q, eventColumns, "NOT INDEXED")
	sql += " ORDER BY seq"
	if q.NewestFirst {
		sql += " DESC"
	}
	if limit <= 0 {
		limit = -1
	}
	err := t.each(sql+" LIMIT ?", func(r *row) error {
		events = append(events, r.event())
		return nil
	}, append(args, limit)...)
	return events, err
}

// Events implements [core.ReadTx].
func (t *tx) Events(q core.EventQuery) ([]core.Event, error) {
	events, err := t.page(feed, q, q.Limit, []core.Event{})
	if err != nil || !q.NewestFirst || q.Limit > 0 && len(events) >= q.Limit {
		return events, err
	}
	// All that is archived is older than all that is not.
	rest := 0
	if q.Limit > 0 {
		rest = q.Limit - len(events)
	}
	return t.page(archive, q, rest, events)
}

// FeedBounds implements [core.ReadTx].
func (t *tx) FeedBounds() (bounds core.FeedBounds, err error) {
	_, err = t.one("SELECT (SELECT max(seq) FROM events), (SELECT max(seq) FROM events_archive),"+
		" (SELECT max(timestamp) FROM events_archive INDEXED BY archive_by_time)", func(r *row) {
		for i, bound := range []*int64{&bounds.Newest, &bounds.ArchivedThrough} {
			if !r.isNull(i) {
				*bound = r.int(i)
			}
		}
		bounds.ArchivedLatest = r.optionalStamp(2)
	})
	bounds.Newest = max(bounds.Newest, bounds.ArchivedThrough)
	return bounds, err
}

// HasArchivedEvents implements [core.ReadTx].
func (t *tx) HasArchivedEvents(q core.EventQuery) (bool, error) {
	index := "NOT INDEXED"
	if q.Start != nil || q.End != nil {
		index = "INDEXED BY archive_by_time"
	}
	sql, args := archive.sql(q, "1", index)
	found := false
	err := t.each(sql+" LIMIT 1", func(*row) error {
		found = true
		return errStop
	}, args...)
	return found, err
}

// AppendEvent implements [core.WriteTx].
func (t *tx) AppendEvent(e core.Event) (int64, error) {
	last, err := t.number("SELECT max(seq) FROM events")
	if err != nil {
		return 0, err
	}
	if last == math.MaxInt64 {
		return 0, t.store.usedUp("the numbers of its events")
	}
	err = t.run("INSERT INTO events (seq, id, type, timestamp, agent, task_seq, other_seq, tags, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		last+1, e.ID, string(e.Type), e.Timestamp, e.Agent, keyOrNull(e.Subject.Task), keyOrNull(e.Subject.Other), e.Tags, e.Payload)
	return last + 1, err
}
