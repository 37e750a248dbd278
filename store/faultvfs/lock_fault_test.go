//go:build linux

package faultvfs_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
	"dev.lithos/store/faultvfs"
)

// TestFaults_locksForGood holds that where no lock can ever be had a call ends
// soon after its limit: the engine's own pauses would go on for ten seconds.
func TestFaults_locksForGood(t *testing.T) {
	faultvfs.Install()
	path := filepath.Join(t.TempDir(), "lithos.db")
	if err := os.WriteFile(path, prepare(t), 0o600); err != nil {
		t.Fatal(err)
	}
	stop := faultvfs.Sleep()
	defer stop()
	for name, arguments := range map[string]string{"task_list": `{}`, probeName: probe} {
		s, err := store.Open(t.Context(), store.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		svc := service(s, "aaaa")
		do(t, svc, "stats", `{}`) // the connection is there
		faultvfs.Arm(faultvfs.Fault{Call: faultvfs.Lock, Nth: 1, Errno: syscall.EACCES, Forever: true})
		const limit = 200 * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		started := time.Now()
		err = call(ctx, svc, name, arguments)
		took := time.Since(started)
		cancel()
		faultvfs.Disarm()
		if code := core.AsError(err).Code; err == nil || code != core.CodeDatabaseBusy && code != core.CodeRequestTimedOut {
			t.Errorf("%s answers %v", name, err)
		}
		if took < limit || took > 5*time.Second {
			t.Errorf("%s took %s", name, took)
		}
		t.Logf("%s took %s", name, took)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
