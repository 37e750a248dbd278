package exchange

import (
	"context"
	"errors"
	"slices"
	"testing"

	"dev.lithos/core"
)

// fakeTables is a database in memory: of each table the columns, then the
// rows. NULL stands for NULL.
type fakeTables map[string][][]string

const null = "NULL"

func (f fakeTables) Columns(_ context.Context, table string) ([]string, error) {
	if rows := f[table]; rows != nil {
		return rows[0], nil
	}
	return nil, nil
}

func (f fakeTables) Each(_ context.Context, table string, columns []string, yield func([]*string) error) error {
	rows := f[table]
	values := make([]*string, len(columns))
	for _, row := range rows[1:] {
		for i, column := range columns {
			values[i] = nil
			if v := row[slices.Index(rows[0], column)]; v != null {
				values[i] = &v
			}
		}
		if err := yield(values); err != nil {
			return err
		}
	}
	return nil
}

func (f fakeTables) Close() error { return nil }

// The ages of the database: before outcome and metadata; with completed_at;
// with edges and gates; the newest.
var serverAges = map[string]fakeTables{
	"first": {
		"tasks": {
			{"id", "title", "description", "status", "created_by", "created_at", "tags"},
			{"t-1", "First", "words", "open", "ada", "2026-03-01 08:00:00", `["a","b"]`},
			{"t-2", "Second", null, "completed", "mo", "2026-03-01 08:01:00", null},
			{"t-3", "Third", null, null, "mo", "2026-03-01T08:02:00.5+00:00", "[1]"},
		},
		"agents": {
			{"id", "name", "type", "first_seen_at", "last_seen_at", "metadata"},
			{"ada", "Ada", "human", "2026-03-01 07:00:00", "2026-03-02T08:00:00+01:00", `{"n": 1.0}`},
			{"mo", null, null, null, "2026-03-02 08:00:00", "[]"},
			{"nobody", null, null, null, null, null},
		},
		"claims": {
			{"id", "task_id", "agent", "aspect", "claimed_at", "expires_at"},
			{"1", "t-1", "mo", "work", "2026-03-01 09:00:00", "2026-03-01T10:00:00+00:00"},
			{"2", "t-1", "mo", "review", null, "soon"},
		},
		"findings": {
			{"id", "task_id", "agent", "summary", "knowledge_id", "created_at"},
			{"f-1", "t-1", "ada", "Look out", "n-1", "2026-03-01 09:30:00"},
			{"f-2", "gone", "ada", "Orphan", null, null},
		},
	},
	"metadata": {
		"tasks": {
			{"id", "title", "description", "status", "created_by", "created_at", "tags", "outcome", "completed_at", "metadata"},
			{"t-1", "First", null, "completed", "ada", "2026-03-01 08:00:00", null, "done", "2026-03-01 09:00:00", `{"depends_on": ["t-9"]}`},
			{"t-2", "Second", null, "open", "ada", "2026-03-01 08:01:00", null, null, null, `{"depends_on": ["t-1", 5, "t-1", "t-2", "t-9"], "blocked_on": "t-1"}`},
			{"t-3", "Third", null, "open", "ada", "2026-03-01 08:02:00", null, null, null, `{"depends_on": null, "blocked_on": "t-2"}`},
			{"t-4", "Not a number", null, "cancelled", "ada", "2026-03-01 08:03:00", null, null, null, `{"x": NaN}`},
			{"t-5", "Half a pair", null, "open", "ada", "2026-03-01 08:04:00", `["\ud800"]`, null, null, `{"x": "\ud800"}`},
		},
	},
	"edges": {
		"tasks": {
			{"id", "title", "description", "status", "task_type", "created_by", "created_at", "tags", "outcome", "resolved_at", "metadata"},
			{"t-1", "First", null, "open", "epic", "ada", "2026-03-01 08:00:00", null, null, null, `{"depends_on": ["t-2"]}`},
			{"t-2", "Second", null, "open", "gate", "ada", "2026-03-01 08:01:00", null, null, null, `{"gate_type": "human"}`},
			{"t-3", "Third", null, "open", "wish", "ada", "2026-03-01 08:02:00", null, null, null, null},
			{"t-4", "Fourth", null, "paused", "task", "ada", "2026-03-01 08:03:00", null, null, null, ""},
			{"t-5", "Fifth", null, "open", "task", "ada", "never", null, null, null, ""},
			{null, "Sixth", null, "open", "task", "ada", "2026-03-01 08:03:00", null, null, null, ""},
			{"t-7", "Sev\x00enth", null, "open", "task", "ada", "2026-03-01 08:03:00", null, null, null, ""},
		},
		"task_edges": {
			{"id", "from_task_id", "to_task_id", "type", "metadata", "created_by", "created_at"},
			{"1", "t-1", "t-3", "parent_child", `{"a": 1}`, "mo", "2026-03-01 09:00:00"},
			{"2", "t-2", "t-3", "waits_on_gate", null, "mo", null},
			{"3", "t-2", "t-4", "validates", null, "mo", "2026-03-01 09:00:00"},
		},
	},
	"newest": {
		"tasks": {
			{"id", "title", "description", "status", "task_type", "created_by", "created_at", "tags", "outcome", "resolved_at", "completed_at", "metadata", "updated_at", "version"},
			{"t-1", "First", null, "completed", "task", "ada", "2026-03-01 08:00:00", null, "done", null, "2026-03-01 09:00:00", null, "2026-03-01T10:00:00+00:00", "4"},
		},
		"agents": {
			{"id", "name", "type", "first_seen_at", "last_seen_at", "metadata", "archived_at"},
			{"ada", null, null, "2026-03-01 07:00:00", "2026-03-02 08:00:00", null, "2026-03-03T00:00:00+00:00"},
		},
		"task_edges": {{"id", "from_task_id", "to_task_id", "type", "metadata", "created_by", "created_at"}},
	},
}

func TestReadServer(t *testing.T) {
	for age, tables := range serverAges {
		t.Run(age, func(t *testing.T) {
			var records []core.TransferRecord
			err := readServer(context.Background(), tables, func(rec *core.TransferRecord) error {
				records = append(records, *rec)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, "server/"+age+".golden", describe(t, records))
		})
	}
}

func TestReadServer_otherDatabases(t *testing.T) {
	for name, tables := range map[string]fakeTables{
		"store of this program": {"tasks": {{"seq", "id", "title", "status", "created_by", "created_at"}}},
		"other program":         {"tasks": {{"id", "name"}}},
		"no tasks":              {"notes": {{"id"}}},
	} {
		err := readServer(context.Background(), tables, func(*core.TransferRecord) error { return nil })
		if e := core.AsError(err); e == nil || e.Code != core.CodeInvalidInput || e.Extra("reason") != core.ReasonMalformed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadServer_endsWithTheFirstError(t *testing.T) {
	stop := errors.New("stop")
	if err := readServer(context.Background(), serverAges["first"], func(*core.TransferRecord) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}
