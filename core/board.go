package core

import (
	"context"
	"slices"
)

// Column is a list of the board. Blocked holds what task_blocked lists; Ready
// is task_ready without what somebody has already claimed, which is in
// Claimed.
type Column int

// The columns, in the order of the board.
const (
	ColumnReady   Column = iota // ready, nobody holds a live claim
	ColumnBlocked               // open plain tasks that are held back
	ColumnClaimed               // open, with a live claim
	ColumnGates                 // open gates
	ColumnDone                  // completed and cancelled tasks, last closed first
	ColumnCount
)

// ColumnQuery names a column in an order. Sort is priority, created or
// updated; Done has an order of its own.
type ColumnQuery struct {
	Column Column
	Now    Stamp
	Sort   Sort
	// Hints narrow EachInColumn alone: it may leave out tasks that do not
	// meet them, and need not.
	Hints FilterHints
}

// FilterHints are what a filter asks of every task, as far as a store can
// tell cheaply.
type FilterHints struct {
	// Words occur in title or tags, ASCII letters of either case alike, or begin
	// the id. They are ASCII, without quotation marks and backslashes.
	Words []string
	// RankFrom and RankBelow bound the rank of the priority; RankBelow 0: no
	// bound.
	RankFrom, RankBelow int
}

// ColumnReader is what the board reads. Its methods are cheap enough to be
// called after every change, whatever the size of the store.
type ColumnReader interface {
	// CountColumn is the number of tasks in a column.
	CountColumn(c Column, now Stamp) (int, error)
	// ColumnKeys returns a part of a column in its order; limit 0 means all.
	ColumnKeys(q ColumnQuery, offset, limit int) ([]TaskKey, error)
	// ColumnPosition is how many tasks of a column come before one of it.
	ColumnPosition(q ColumnQuery, key TaskKey) (position int, found bool, err error)
	// EachInColumn yields a column in its order, without descriptions and
	// outcomes, until yield returns false.
	EachInColumn(q ColumnQuery, yield func(Task) bool) error
	// BriefTasks returns the tasks of the keys in their order, without
	// descriptions and outcomes; a key without a row is left out.
	BriefTasks(keys []TaskKey) ([]Task, error)
	// Held tells which of the open plain tasks among the keys are held back.
	Held(keys []TaskKey, now Stamp) (map[TaskKey]bool, error)
	// OpenEpics returns open epics by priority, then age; limit 0 means all.
	OpenEpics(limit int) ([]TaskKey, error)
	// Stranding returns cancelled tasks that open plain tasks wait for, by id.
	Stranding(limit int) ([]TaskKey, error)
	// NextDue is the first moment after now at which a lease ends or a timer
	// gate opens; nil when there is none.
	NextDue(now Stamp) (*Stamp, error)
}

// BoardRequest says what of the board is on screen.
type BoardRequest struct {
	Columns []ColumnRequest
	Filter  Filter
	Agent   string // whose tasks is:mine means
}

// ColumnRequest asks for a window of a column: the rows around the first of
// the anchors that is in it or, when none is, those from Offset on.
type ColumnRequest struct {
	Column  Column
	Sort    Sort     // priority when empty
	Anchors []string // full ids
	Above   int      // rows wanted before the anchor
	Offset  int
	Limit   int // rows of the window
}

// Board is the board at one moment.
type Board struct {
	Now     Stamp
	Counts  [ColumnCount]int // tasks that pass the filter
	Totals  [ColumnCount]int // tasks
	Columns []ColumnWindow   // one for each that was asked for
	Epics   []Card           // open epics that pass the filter, by priority, then age, with their progress; none without a filter
	Due     *Stamp           // when something on the board changes by itself next
	Empty   bool             // there is no task at all
}

// ColumnWindow is a part of a column.
type ColumnWindow struct {
	Column   Column
	Anchor   int // index of the anchor that was found, or -1
	Position int // where it stands in the column
	First    int // where Cards begin in the column
	Cards    []Card
}

// Board reads the board.
func (s *Service) Board(ctx context.Context, req BoardRequest) (Board, error) {
	return look(ctx, s, func(v view) (Board, error) {
		board := Board{Now: v.now}
		var err error
		if board.Due, err = v.NextDue(v.now); err != nil {
			return board, err
		}
		matches, epics, err := v.matches(req)
		if err != nil {
			return board, err
		}
		tasks, err := v.BriefTasks(epics[:min(len(epics), maxMatchedEpics)])
		if err != nil {
			return board, err
		}
		if board.Epics, err = v.cards(tasks, cardParts{progress: true}); err != nil {
			return board, err
		}
		for c := range ColumnCount {
			if board.Totals[c], err = v.CountColumn(c, v.now); err != nil {
				return board, err
			}
			board.Counts[c] = board.Totals[c]
			if matches != nil {
				board.Counts[c] = len(matches[c])
			}
		}
		for _, column := range req.Columns {
			window, err := v.columnWindow(column, matches)
			if err != nil {
				return board, err
			}
			board.Columns = append(board.Columns, window)
		}
		board.Empty = board.Totals == [ColumnCount]int{}
		if board.Empty {
			// Epics are in no column.
			epics, err := v.OpenEpics(1)
			if err != nil {
				return board, err
			}
			board.Empty = len(epics) == 0
		}
		return board, nil
	})
}

// look runs a read that is no operation of the contract on one state of the
// store.
func look[Out any](ctx context.Context, s *Service, step func(view) (Out, error)) (Out, error) {
	var out Out
	err := s.store.Read(ctx, func(tx ReadTx) (err error) {
		out, err = step(view{ReadTx: tx, now: StampOf(s.now()), service: s})
		return err
	})
	return out, err
}

// maxMatchedEpics is how many of the epics that pass a filter the board names.
const maxMatchedEpics = 8

// matches are the keys of each column that pass the filter, in the order of
// the column as it is asked for, and the open epics that do, which are in no
// column; nil without a filter.
func (v view) matches(req BoardRequest) (matches map[Column][]TaskKey, epics []TaskKey, err error) {
	if req.Filter.IsEmpty() {
		return nil, nil, nil
	}
	judge, err := v.judgeBoard(req.Filter, req.Agent)
	if err != nil {
		return nil, nil, err
	}
	matches = map[Column][]TaskKey{}
	for c := range ColumnCount {
		order := Sort("")
		for _, column := range req.Columns {
			if column.Column == c {
				order = column.Sort
			}
		}
		if matches[c], err = judge.column(c, order); err != nil {
			return nil, nil, err
		}
	}
	return matches, judge.epics, nil
}

// columnWindow reads a window of a column.
func (v view) columnWindow(req ColumnRequest, matches map[Column][]TaskKey) (ColumnWindow, error) {
	window := ColumnWindow{Column: req.Column, Anchor: -1}
	q := columnQuery(req.Column, req.Sort, v.now)
	keys, whole := matches[req.Column], matches != nil
	var err error
	if req.Sort == SortImpact && req.Column != ColumnDone {
		if !whole {
			if keys, err = v.ColumnKeys(q, 0, 0); err != nil {
				return window, err
			}
		}
		keys, whole = slices.Clone(keys), true
		if err := v.sortByImpact(keys); err != nil {
			return window, err
		}
	}
	for i, id := range req.Anchors {
		head, found, err := v.TaskByID(id)
		if err != nil {
			return window, err
		}
		if !found {
			continue
		}
		if whole {
			window.Position = slices.Index(keys, head.Key)
			found = window.Position >= 0
		} else if window.Position, found, err = v.ColumnPosition(q, head.Key); err != nil {
			return window, err
		}
		if found {
			window.Anchor = i
			break
		}
	}
	window.First = req.Offset
	if window.Anchor >= 0 {
		window.First = window.Position - req.Above
	}
	window.First = max(window.First, 0)
	if whole {
		keys = keys[min(window.First, len(keys)):]
		keys = keys[:min(req.Limit, len(keys))]
	} else if keys, err = v.ColumnKeys(q, window.First, max(req.Limit, 1)); err != nil {
		return window, err
	}
	tasks, err := v.BriefTasks(keys)
	if err != nil {
		return window, err
	}
	window.Cards, err = v.cards(tasks, cardParts{
		waits: req.Column == ColumnBlocked || req.Column == ColumnGates,
		holds: req.Column != ColumnDone,
	})
	return window, err
}

func columnQuery(c Column, order Sort, now Stamp) ColumnQuery {
	if order == "" || order == SortImpact {
		order = SortPriority
	}
	return ColumnQuery{Column: c, Now: now, Sort: order}
}
