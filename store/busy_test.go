package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"dev.lithos/core"
)

// hold keeps the write lock of a store, as a program would that knows nothing
// of the turnstile, until the function it returns is called.
func hold(t testing.TB, s *Store) (release func()) {
	t.Helper()
	c, err := s.connect(s.wait(context.Background()), s.writerParameters())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.script("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() {
		if err := errors.Join(c.rollback(), c.close()); err != nil {
			t.Error(err)
		}
	})
}

func TestBusy_foreignWriter(t *testing.T) {
	s := create(t)
	release := hold(t, s)
	defer release()
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Millisecond)
	defer cancel()
	err := s.Write(ctx, func(core.WriteTx) error { t.Error("the write went on"); return nil })
	extra := failure(t, err, core.CodeDatabaseBusy, nil)
	if waited := extra("waited_ms").(int64); waited < 140 || waited > 3000 {
		t.Errorf("waited_ms is %d", waited)
	}
	// Reads go on meanwhile.
	within(t, 2*time.Second, "a read beside a writer", func() {
		read(t, s, func(t *tx) error { _, err := t.Agents(core.AgentQuery{}); return err })
	})
	// A write that has time enough gets through once the lock is free.
	time.AfterFunc(50*time.Millisecond, release)
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
}

func TestBusy_exclusiveLock(t *testing.T) {
	s := create(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	holder := openWith(t, Options{Path: s.Path()})
	c, err := holder.connect(holder.wait(context.Background()), holder.writerParameters())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.close() }()
	if err := c.script("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO meta VALUES ('x', 1); COMMIT"); err != nil {
		t.Fatal(err)
	}
	other := openWith(t, Options{Path: s.Path()})
	for name, do := range map[string]func(context.Context) error{
		"read":  func(ctx context.Context) error { return other.Read(ctx, func(core.ReadTx) error { return nil }) },
		"write": func(ctx context.Context) error { return other.Write(ctx, func(core.WriteTx) error { return nil }) },
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		extra := failure(t, do(ctx), core.CodeDatabaseBusy, nil)
		cancel()
		if waited := extra("waited_ms").(int64); waited < 90 {
			t.Errorf("%s: waited_ms is %d", name, waited)
		}
	}
}

func TestBusy_ownWriterAndReaders(t *testing.T) {
	s := create(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		write(t, s, func(*tx) error {
			close(inside)
			<-leave
			return nil
		})
	})
	<-inside
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	failure(t, s.Write(ctx, func(core.WriteTx) error { return nil }), core.CodeDatabaseBusy, nil)
	close(leave)
	group.Wait()

	inside, leave = make(chan struct{}), make(chan struct{})
	for range cap(s.reading) {
		group.Go(func() {
			read(t, s, func(*tx) error {
				inside <- struct{}{}
				<-leave
				return nil
			})
		})
	}
	for range cap(s.reading) {
		<-inside
	}
	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	failure(t, s.Read(ctx, func(core.ReadTx) error { return nil }), core.CodeDatabaseBusy, nil)
	close(leave)
	group.Wait()
}

// endless is a query that takes longer than any test.
const endless = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

func TestStopped_atTheLimit(t *testing.T) {
	s := create(t)
	for name, run := range map[string]func(context.Context, func(*tx) error) error{
		"read": func(ctx context.Context, fn func(*tx) error) error {
			return s.Read(ctx, func(r core.ReadTx) error { return fn(r.(*tx)) })
		},
		"write": func(ctx context.Context, fn func(*tx) error) error {
			return s.Write(ctx, func(w core.WriteTx) error { return fn(w.(*tx)) })
		},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		within(t, 5*time.Second, name, func() {
			err := run(ctx, func(t *tx) error { return t.each(endless, func(*row) error { return nil }) })
			extra := failure(t, err, core.CodeRequestTimedOut, nil)
			if limit := extra("limit_ms").(int64); limit < 190 || limit > 200 {
				t.Errorf("%s: limit_ms is %d", name, limit)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: the cause is %v", name, errors.Unwrap(err))
			}
		})
		cancel()
		// Between statements as well.
		ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
		err := run(ctx, func(t *tx) error {
			<-ctx.Done()
			_, _, err := t.TaskByID("x")
			return err
		})
		failure(t, err, core.CodeRequestTimedOut, nil)
		cancel()
		// The store is as good as before.
		write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	}
}

func TestStopped_byTheCaller(t *testing.T) {
	s := create(t)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	err := s.Write(ctx, func(w core.WriteTx) error { return w.(*tx).each(endless, func(*row) error { return nil }) })
	failure(t, err, core.CodeRequestTimedOut, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the cause is %v", errors.Unwrap(err))
	}
	release := hold(t, s)
	defer release()
	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	err = s.Write(ctx, func(core.WriteTx) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was called off ended with %v", err)
	}
	cancel()
	if err := s.Read(ctx, func(core.ReadTx) error { t.Error("the read went on"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a read that was called off before it began ended with %v", err)
	}
}

// TestStopped_rowByRow stops a query between two of its rows.
func TestStopped_rowByRow(t *testing.T) {
	s := create(t)
	load(t, s, graphShape{tasks: 100})
	for name, each := range map[string]func(*tx, func(*row) error) error{
		"each":      func(t *tx, scan func(*row) error) error { return t.each("SELECT seq FROM tasks", scan) },
		"eachShort": func(t *tx, scan func(*row) error) error { return t.eachShort("SELECT seq FROM tasks", scan) },
	} {
		ctx, cancel := context.WithCancel(context.Background())
		seen := 0
		err := s.Read(ctx, func(r core.ReadTx) error {
			return each(r.(*tx), func(*row) error {
				if seen++; seen == 10 {
					cancel()
				}
				return nil
			})
		})
		if !errors.Is(err, context.Canceled) || seen != 10 {
			t.Errorf("%s: after %d rows the list ended with %v", name, seen, err)
		}
		cancel()
	}
}

func init() {
	// gate holds the turnstile until its standard input ends.
	roles["gate"] = func(args []string) error {
		turnstile := newTurnstile(args[0])
		s := &Store{path: args[0], file: args[0]}
		leave, err := turnstile.enter(s.wait(context.Background()))
		if err != nil {
			return err
		}
		fmt.Println("inside")
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return err
		}
		leave()
		return turnstile.close()
	}
}

func TestTurnstile_heldByAnotherProcess(t *testing.T) {
	s := create(t)
	holder := actAs(t, "gate", s.Path())
	output := holder.start(t)
	if _, err := io.ReadFull(output, make([]byte, len("inside\n"))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		err := s.Write(ctx, func(core.WriteTx) error { t.Error("the write went on"); return nil })
		extra := failure(t, err, core.CodeDatabaseBusy, nil)
		if waited := extra("waited_ms").(int64); waited < 90 {
			t.Errorf("waited_ms is %d", waited)
		}
		cancel()
	}
	if s.turnstile.pending == nil {
		t.Error("the wait that was left is not there to be taken over")
	}
	// The next call takes it over and is served when the other leaves.
	time.AfterFunc(50*time.Millisecond, func() { _ = holder.stdin.Close() })
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	if err := holder.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	// A wait that nobody takes over lets others through.
	holder = actAs(t, "gate", s.Path())
	output = holder.start(t)
	if _, err := io.ReadFull(output, make([]byte, len("inside\n"))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	failure(t, s.Write(ctx, func(core.WriteTx) error { return nil }), core.CodeDatabaseBusy, nil)
	_ = holder.stdin.Close()
	if err := holder.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	other := openWith(t, Options{Path: s.Path()})
	within(t, 5*time.Second, "a write of another after a wait that was left", func() {
		write(t, other, func(t *tx) error { _, err := t.SeeAgent("y", epoch); return err })
	})
	write(t, s, func(t *tx) error { _, err := t.SeeAgent("z", epoch); return err })
}

func TestTurnstile_doesWithoutLocks(t *testing.T) {
	s := create(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-turn", "-gate"} {
		// A folder of that name cannot be opened for writing, nor made.
		if err := errors.Join(os.RemoveAll(s.Path()+suffix), os.Mkdir(s.Path()+suffix, 0)); err != nil {
			t.Fatal(err)
		}
	}
	again := openWith(t, Options{Path: s.Path()})
	again.turnstile.path = filepath.Join(filepath.Dir(s.Path()), "no such folder", "lithos.db")
	write(t, again, func(t *tx) error { _, err := t.SeeAgent("x", epoch); return err })
	if !again.turnstile.without {
		t.Error("the turnstile found locks where there are none")
	}
}
