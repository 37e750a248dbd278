package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
)

// TestFollowers_archive lets followers read the feed while others write and
// one archives without end: each sees every event once, in order, but for
// those that it is told were archived.
func TestFollowers_archive(t *testing.T) {
	const writers, each, followers = 3, 60, 3
	path := filepath.Join(t.TempDir(), "lithos.db")
	open := func() *core.Service {
		s, err := store.Open(t.Context(), store.Options{Path: path, Create: true, Synchronous: store.Normal})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return core.New(core.Config{Store: s})
	}
	created, err := open().TaskCreate(t.Context(), core.TaskCreateRequest{Title: "T", Agent: "w0"})
	if err != nil {
		t.Fatal(err)
	}
	var writing, rest sync.WaitGroup
	for n := range writers {
		service := open()
		writing.Go(func() {
			for range each {
				if _, err := service.FindingPost(context.Background(), core.FindingPostRequest{TaskID: created.TaskID, Agent: fmt.Sprint("w", n), Summary: "S"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	written := make(chan struct{})
	go func() {
		writing.Wait()
		close(written)
	}()
	archiver := open()
	rest.Go(func() {
		for {
			_, err := archiver.EventsArchive(context.Background(), core.EventsArchiveRequest{Before: core.StampOf(time.Now()).String()})
			if err != nil {
				t.Error(err)
			}
			select {
			case <-written:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
	seen, skipped := make([]int, followers), make([]int, followers)
	for n := range followers {
		service := open()
		rest.Go(func() { seen[n], skipped[n] = follow(t, service, written) })
	}
	rest.Wait()
	all, err := open().Journal(t.Context(), core.JournalRequest{Limit: number(10_000)})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range all.Events {
		if e.Seq != int64(len(all.Events)-i) {
			t.Fatalf("event %d is at place %d of the journal", e.Seq, i)
		}
	}
	for n := range followers {
		if seen[n]+skipped[n] != len(all.Events) {
			t.Errorf("follower %d saw %d events and was told of %d archived ones, of %d", n, seen[n], skipped[n], len(all.Events))
		}
		t.Logf("follower %d: %d seen, %d archived before", n, seen[n], skipped[n])
	}
}

func number(n int) *int { return &n }

// follow reads the feed until the writers are done and nothing more comes. It
// returns how many events it saw, and how many it was told it missed.
func follow(t *testing.T, service *core.Service, written <-chan struct{}) (seen, skipped int) {
	since, last := 0, false
	for {
		page, err := service.Events(context.Background(), core.EventsRequest{Since: &since, Limit: number(7)})
		var expired *core.Error
		if errors.As(err, &expired) && expired.Code == core.CodeCursorExpired {
			resume, _ := expired.Extra("resume_after").(int64)
			skipped += int(resume) - since
			since = int(resume)
			continue
		}
		if err != nil {
			t.Error(err)
			return seen, skipped
		}
		for _, e := range page.Events {
			if int(e.Seq) != since+1 {
				t.Errorf("after %d came %d", since, e.Seq)
			}
			since = int(e.Seq)
			seen++
		}
		if page.HasMore || len(page.Events) > 0 {
			continue
		}
		if last {
			return seen, skipped
		}
		select {
		case <-written:
			last = true // what came since is read once more
		case <-time.After(time.Millisecond):
		}
	}
}
