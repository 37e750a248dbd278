package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/files/filestest"
)

// appendEvents adds events that are a second apart, the first at epoch.
func appendEvents(t testing.TB, s *Store, n int) {
	t.Helper()
	write(t, s, func(tx *tx) error {
		for i := range n {
			if _, err := tx.AppendEvent(core.Event{
				ID: fmt.Sprint(i), Type: core.EventAgentRegistered, Timestamp: epoch.Add(time.Duration(i) * time.Second), Agent: "x", Payload: []byte("{}"),
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestArchiveEvents(t *testing.T) {
	s := create(t)
	archive := func(after time.Duration, most int) (moved int, through, remaining int64) {
		write(t, s, func(tx *tx) (err error) {
			if moved, err = tx.ArchiveEvents(epoch.Add(after), most); err != nil {
				return err
			}
			bounds, err := tx.FeedBounds()
			if err != nil {
				return err
			}
			through = bounds.ArchivedThrough
			remaining, err = tx.CountEvents()
			return err
		})
		return moved, through, remaining
	}
	for _, step := range []struct {
		prepare            int // events to add first
		before             time.Duration
		most               int
		moved              int
		through, remaining int64
	}{
		{0, time.Hour, 10, 0, 0, 0},                 // nothing is there
		{1, time.Hour, 10, 0, 0, 1},                 // never the newest
		{10, 0, 10, 0, 0, 11},                       // strictly older
		{0, 3 * time.Second, 2, 2, 2, 9},            // at most so many; the first is of a run of its own
		{0, 3 * time.Second, 100, 2, 4, 7},          // those at 0, 1 and 2 seconds after the first one at 0
		{0, time.Hour, 100, 6, 10, 1},               // all but the newest
		{0, time.Hour, 100, 0, 10, 1},               // again
		{0, -100 * time.Hour, 100, 0, 10, 1},        // the floor never falls
		{3, 2500 * time.Millisecond, 100, 0, 10, 4}, // event 11 is younger and stops the run
	} {
		if step.prepare > 0 {
			appendEvents(t, s, step.prepare)
		}
		moved, through, remaining := archive(step.before, step.most)
		if moved != step.moved || through != step.through || remaining != step.remaining {
			t.Errorf("%+v: moved %d, through %d, remaining %d", step, moved, through, remaining)
		}
	}
	read(t, s, func(tx *tx) error {
		events, err := tx.Events(core.EventQuery{NewestFirst: true})
		if err != nil || len(events) != 14 {
			t.Errorf("%d events are left (%v)", len(events), err)
		}
		for i, e := range events {
			if e.Seq != int64(14-i) {
				t.Errorf("event %d is at place %d", e.Seq, i)
			}
		}
		return err
	})
}

func init() {
	// archive moves all events to the archive and says so after each
	// transaction; the process is killed ahead of one of them.
	roles["archive"] = func(args []string) error {
		at, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		disk := filestest.KillAt(at).Disk()
		s, err := Open(context.Background(), Options{Path: args[0]})
		if err != nil {
			return err
		}
		for moved := 1; moved > 0; {
			err := s.Write(context.Background(), func(w core.WriteTx) (err error) {
				if err := disk.Reach("began"); err != nil {
					return err
				}
				if moved, err = w.ArchiveEvents(epoch.Add(time.Hour), 30); err != nil {
					return err
				}
				return disk.Reach("moved")
			})
			if err == nil {
				err = disk.Reach("committed")
			}
			if err != nil {
				return err
			}
		}
		return errors.New("it came to its end")
	}
}

// TestArchiveEvents_killed kills an archive run at each of its steps: every
// event is in the feed or in the archive, and in one only.
func TestArchiveEvents_killed(t *testing.T) {
	for at := range 12 {
		path := filepath.Join(t.TempDir(), "lithos.db")
		s := createAt(t, path)
		appendEvents(t, s, 100)
		killed(t, "archive", path, strconv.Itoa(at))
		read(t, s, func(tx *tx) error {
			events, err := tx.Events(core.EventQuery{NewestFirst: true})
			if err != nil || len(events) != 100 || events[0].Seq != 100 || events[99].Seq != 1 {
				t.Errorf("killed at %d: %d events (%v)", at, len(events), err)
			}
			bounds, err := tx.FeedBounds()
			if want := int64(at / 3 * 30); err != nil || at%3 < 2 && bounds.ArchivedThrough != min(want, 99) {
				t.Errorf("killed at %d: archived through %d, not %d (%v)", at, bounds.ArchivedThrough, want, err)
			}
			return err
		})
		if found, err := Examine(t.Context(), ExamineOptions{Path: path, Now: epoch.Add(time.Hour)}); err != nil || len(withoutLog(found)) > 0 {
			t.Errorf("killed at %d: %v (%v)", at, failures(found), err)
		}
	}
}
