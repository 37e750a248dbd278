package store

import (
	"errors"
	"fmt"
	"testing"

	"dev.lithos/core"
)

func TestConnection_sameQueryWithinItself(t *testing.T) {
	s := create(t)
	load(t, s, graphShape{tasks: 12})
	read(t, s, func(tx *tx) error {
		count := 0
		var descend func(depth int) error
		descend = func(depth int) error {
			var inner error
			err := tx.EachTask(core.TaskQuery{}, func(task core.Task) bool {
				count++
				if depth < 3 && task.Key%4 == 0 {
					inner = descend(depth + 1)
				}
				return inner == nil
			})
			return errors.Join(err, inner)
		}
		if err := descend(1); err != nil {
			return err
		}
		if want := 12 + 3*12 + 9*12; count != want {
			t.Errorf("%d rows were seen instead of %d", count, want)
		}
		return nil
	})
}

func TestConnection_writesWithinAQuery(t *testing.T) {
	s := create(t)
	load(t, s, graphShape{tasks: 12})
	write(t, s, func(tx *tx) error {
		var inner error
		err := tx.EachTask(core.TaskQuery{}, func(task core.Task) bool {
			inner = tx.PutEdge(core.Edge{From: task.Key, To: task.Key%12 + 1, Type: core.EdgeDiscoveredFrom})
			return inner == nil
		})
		return errors.Join(err, inner)
	})
	read(t, s, func(tx *tx) error {
		n, err := tx.number("SELECT count(*) FROM edges")
		if n != 12 {
			t.Errorf("%d edges are there", n)
		}
		return err
	})
}

func TestConnection_keepsFewStatements(t *testing.T) {
	s := create(t)
	read(t, s, func(tx *tx) error {
		for i := range 3 * maxIdleStatements {
			if err := tx.run(fmt.Sprintf("SELECT %d", i)); err != nil {
				return err
			}
		}
		if tx.kept > maxIdleStatements {
			t.Errorf("%d statements are kept", tx.kept)
		}
		counted := 0
		for _, st := range tx.idle {
			for ; st != nil; st = st.next {
				counted++
			}
		}
		if counted != tx.kept {
			t.Errorf("%d statements are there, %d counted", counted, tx.kept)
		}
		return nil
	})
}

func TestConnection_valuesOfAnotherKind(t *testing.T) {
	s := create(t)
	read(t, s, func(tx *tx) error {
		for _, sql := range []string{"SELECT 'text'", "SELECT NULL", "SELECT 1.5", "SELECT 99"} {
			_, err := tx.one(sql, func(r *row) { r.status(0) })
			unavailable(t, err, ReasonCorrupt)
		}
		_, err := tx.one("SELECT 1", func(r *row) { r.text(0) })
		unavailable(t, err, ReasonCorrupt)
		return nil
	})
}

func TestArchive(t *testing.T) {
	s := create(t)
	one, two := core.TaskKey(1), core.TaskKey(2)
	write(t, s, func(tx *tx) error {
		for i := range 6 {
			e := core.Event{
				ID: fmt.Sprintf("e%d", i+1), Type: core.EventTaskUpdated, Timestamp: epoch + core.Stamp(i), Agent: "mo", Payload: []byte("{}"),
				Subject: core.Subject{Task: one, Other: two},
			}
			if i%2 == 0 {
				e.Subject.Other = 0
			}
			if _, err := tx.AppendEvent(e); err != nil {
				return err
			}
		}
		return errors.Join(
			tx.run("INSERT INTO events_archive SELECT * FROM events WHERE seq <= 4"),
			tx.run("DELETE FROM events WHERE seq <= 4"))
	})
	write(t, s, func(tx *tx) error {
		seq, err := tx.AppendEvent(core.Event{ID: "e7", Type: core.EventTaskClaimed, Timestamp: epoch + 6, Agent: "mo", Payload: []byte("{}")})
		if seq != 7 {
			t.Errorf("the next seq is %d", seq)
		}
		return err
	})
	read(t, s, func(tx *tx) error {
		told := func(q core.EventQuery) string {
			events, err := tx.Events(q)
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, e := range events {
				text += e.ID
			}
			return text
		}
		for _, test := range []struct {
			q    core.EventQuery
			want string
		}{
			{core.EventQuery{}, "e5e6e7"},
			{core.EventQuery{NewestFirst: true}, "e7e6e5e4e3e2e1"},
			{core.EventQuery{NewestFirst: true, Limit: 5}, "e7e6e5e4e3"},
			{core.EventQuery{NewestFirst: true, Before: 5, Limit: 2}, "e4e3"},
			{core.EventQuery{NewestFirst: true, Task: &two}, "e6e4e2"},
			{core.EventQuery{NewestFirst: true, Task: &one, Limit: 4}, "e6e5e4e3"},
		} {
			if got := told(test.q); got != test.want {
				t.Errorf("%+v gives %s instead of %s", test.q, got, test.want)
			}
		}
		bounds, err := tx.FeedBounds()
		if err != nil {
			return err
		}
		if bounds.Newest != 7 || bounds.ArchivedThrough != 4 || bounds.ArchivedLatest == nil || *bounds.ArchivedLatest != epoch+3 {
			t.Errorf("the bounds are %+v", bounds)
		}
		third, fourth, fifth := epoch+2, epoch+3, epoch+4
		for _, test := range []struct {
			q    core.EventQuery
			want bool
		}{
			{core.EventQuery{Start: &third}, true}, {core.EventQuery{Start: &fifth}, false}, {core.EventQuery{End: &epoch}, false},
			{core.EventQuery{Start: &fourth, Agent: "ada"}, false}, {core.EventQuery{Start: &fourth, Task: &two}, true},
			{core.EventQuery{Start: &third, End: &fourth, Task: &two}, false}, {core.EventQuery{}, true},
		} {
			found, err := tx.HasArchivedEvents(test.q)
			if err != nil {
				return err
			}
			if found != test.want {
				t.Errorf("%+v: archived %v", test.q, found)
			}
		}
		return nil
	})
}
