//go:build linux

package faultvfs_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
	"dev.lithos/store/faultvfs"
)

// The tasks of the store that the operations are tried on.
const (
	openID   = "aaaaaaaa-0000-4000-8000-000000000001"
	otherID  = "bbbbbbbb-0000-4000-8000-000000000002"
	closedID = "cccccccc-0000-4000-8000-000000000003"
	heldID   = "dddddddd-0000-4000-8000-000000000004"
)

// deeds are arguments for every operation that writes, each of which succeeds
// on the store that prepare makes.
var deeds = map[string]string{
	"task_create":      `{"title":"New","agent":"mo","tags":["a"],"depends_on":["` + openID + `"],"parent_task_id":"` + otherID + `","request_id":"r1"}`,
	"task_spawn":       `{"source_task_id":"` + openID + `","title":"Found","agent":"mo"}`,
	"task_update":      `{"task_id":"` + openID + `","agent":"mo","title":"Renamed","metadata":{"priority":"high"}}`,
	"task_complete":    `{"task_id":"` + openID + `","agent":"mo","outcome":"done"}`,
	"task_cancel":      `{"task_id":"` + openID + `","agent":"mo","reason":"no more"}`,
	"task_reopen":      `{"task_id":"` + closedID + `","agent":"mo"}`,
	"task_claim":       `{"task_id":"` + openID + `","aspect":"work","agent":"mo"}`,
	"task_renew":       `{"task_id":"` + heldID + `","aspect":"work","agent":"ada"}`,
	"task_release":     `{"task_id":"` + heldID + `","aspect":"work","agent":"ada"}`,
	"task_next":        `{"agent":"mo"}`,
	"task_edge_upsert": `{"from_task_id":"` + heldID + `","to_task_id":"` + openID + `","type":"blocks","agent":"mo"}`,
	"task_edge_delete": `{"from_task_id":"` + openID + `","to_task_id":"` + otherID + `","type":"blocks","agent":"mo"}`,
	"finding_post":     `{"task_id":"` + openID + `","agent":"mo","summary":"` + strings.Repeat("long ", 4000) + `"}`,
	"agent_register":   `{"id":"zoe","name":"Zoe"}`,
	"task_apply": `{"agent":"mo","operations":[{"op":"create","as":"a","title":"A"},{"op":"create","as":"b","title":"B","depends_on":["$a"]},` +
		`{"op":"complete","task_id":"` + openID + `"},{"op":"edge_upsert","from_task_id":"$b","to_task_id":"` + otherID + `","type":"blocks"}]}`,
	"events_archive": `{"before":"2026-03-01T12:00:00Z"}`,
}

// reads are arguments for operations that only read.
var reads = map[string]string{
	"task_list":    `{"with_claims":true}`,
	"task_ready":   `{"sort":"impact"}`,
	"task_blocked": `{}`,
	"task_get":     `{"task_id":"` + openID + `"}`,
	"events":       `{}`,
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// service offers the operations with ids and times that come again in every
// run, so that what two runs leave can be compared. The group tells apart the
// ids of two services in one run.
func service(s *store.Store, group string) *core.Service {
	made := 0
	return core.New(core.Config{Store: s, Now: func() time.Time { return noon }, NewID: func() string {
		made++
		return fmt.Sprintf("%08x-%s-4107-8000-%012x", uint32(made)*2654435761, group, made)
	}})
}

// prepare makes the store that every run begins with and returns its bytes.
func prepare(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lithos.db")
	s, err := store.Open(t.Context(), store.Options{Path: path, Create: true, Synchronous: store.Normal})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{openID, otherID, closedID, heldID}
	calls := 0
	svc := core.New(core.Config{Store: s, Now: func() time.Time { return noon.Add(-time.Hour) }, NewID: func() string {
		calls++
		if calls%2 == 0 && calls/2 <= len(ids) { // the first call of each write is for an event
			return ids[calls/2-1]
		}
		return fmt.Sprintf("eeeeeeee-0000-4000-8000-%012x", calls)
	}})
	do(t, svc, "agent_register", `{"id":"ada"}`)
	for _, title := range []string{"Open", "Other", "Closed", "Held"} {
		do(t, svc, "task_create", `{"title":"`+title+`","agent":"ada"}`)
	}
	do(t, svc, "task_edge_upsert", `{"from_task_id":"`+openID+`","to_task_id":"`+otherID+`","type":"blocks","agent":"ada"}`)
	do(t, svc, "task_complete", `{"task_id":"`+closedID+`","agent":"ada"}`)
	do(t, svc, "task_claim", `{"task_id":"`+heldID+`","aspect":"work","agent":"ada","ttl_minutes":90}`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func call(ctx context.Context, svc *core.Service, name, arguments string) error {
	op, ok := core.OperationNamed(name)
	if !ok {
		return fmt.Errorf("there is no operation %s", name)
	}
	_, err := op.Call(ctx, svc, []byte(arguments))
	return err
}

func do(t *testing.T, svc *core.Service, name, arguments string) {
	t.Helper()
	if err := call(t.Context(), svc, name, arguments); err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
}

// dump is every row of every table of a store that nobody has open.
func dump(t *testing.T, path string) string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var b strings.Builder
	rows, err := db.Query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	for _, table := range tables {
		rows, err := db.Query("SELECT * FROM " + table + " ORDER BY 1, 2")
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(sql.RawBytes)
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			b.WriteString(table)
			for _, v := range values {
				fmt.Fprintf(&b, "|%s", *v.(*sql.RawBytes))
			}
			b.WriteByte('\n')
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// trial is one operation tried under faults.
type trial struct {
	*testing.T
	path      string
	template  []byte
	name      string
	arguments string
	warm      bool   // the connections are open before the fault comes
	undone    string // what the store holds without the operation
	done      string // and with it

	counts              map[faultvfs.Call]int // of the operation without a fault
	tried, hit, refused int
}

// probe is the write that shows that a store can be used.
const probeName, probe = "agent_register", `{"id":"probe"}`

// run does the operation under a fault and looks at what is left. With no
// fault it returns what is left.
func (x *trial) run(f *faultvfs.Fault) (left string) {
	x.Helper()
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(x.path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			x.Fatal(err)
		}
	}
	if err := os.WriteFile(x.path, x.template, 0o600); err != nil {
		x.Fatal(err)
	}
	s, err := store.Open(x.Context(), store.Options{Path: x.path})
	if err != nil {
		x.Fatal(err)
	}
	svc := service(s, "aaaa")
	if x.warm {
		warm := service(s, "cccc")
		do(x.T, warm, "agent_register", `{"id":"warm"}`)
		do(x.T, warm, "stats", `{}`)
	}
	patience := 5 * time.Second
	if f != nil && waitsFor(*f) {
		patience = 40 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(x.Context(), patience)
	defer cancel()
	if f != nil {
		faultvfs.Arm(*f)
	} else {
		faultvfs.Observe()
	}
	err = call(ctx, svc, x.name, x.arguments)
	struck := faultvfs.Disarm()
	if f == nil {
		if err != nil {
			x.Fatal(err)
		}
		x.counts = map[faultvfs.Call]int{}
		for call := range numbers {
			x.counts[call] = faultvfs.Count(call)
		}
	}
	if f != nil {
		x.tried++
		x.hit += min(struck, 1)
		if err != nil {
			x.refused++
		}
		x.judge(*f, err)
		// The fault is gone: the same program goes on with the same store.
		if err := x.write(s); err != nil {
			x.Errorf("%s, then a write: %v: %v", *f, err, errors.Unwrap(err))
		}
		if err := call(x.Context(), svc, "stats", `{}`); err != nil {
			x.Errorf("%s, then a read: %v", *f, err)
		}
	} else {
		if err := x.write(s); err != nil {
			x.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		x.Errorf("%v, then closing: %v", f, err)
	}
	left = dump(x.T, x.path)
	if f == nil {
		return left
	}
	want, outcome := x.done, "succeeded"
	if err != nil {
		want, outcome = x.undone, "failed"
	}
	if left != want {
		x.Errorf("%s: the operation %s, and the store holds something else:\n%s", *f, outcome, difference(want, left))
	}
	x.sound(*f)
	return left
}

// write writes what shows that a store can be used.
func (x *trial) write(s *store.Store) error {
	ctx, cancel := context.WithTimeout(x.Context(), 10*time.Second)
	defer cancel()
	return call(ctx, service(s, "bbbb"), probeName, probe)
}

// waitsFor reports whether the program waits for the fault to pass.
func waitsFor(f faultvfs.Fault) bool {
	return f.Forever && f.Call == faultvfs.Lock
}

// sound examines the file.
func (x *trial) sound(f faultvfs.Fault) {
	x.Helper()
	s, err := store.Open(x.Context(), store.Options{Path: x.path, ReadOnly: true})
	if err != nil {
		x.Fatal(err)
	}
	faults, err := s.IntegrityCheck(x.Context())
	if err != nil || len(faults) > 0 {
		x.Errorf("%s: integrity: %v, %v", f, faults, err)
	}
	differences, err := s.CheckFrontier(x.Context())
	if err != nil || len(differences) > 0 {
		x.Errorf("%s: frontier: %v, %v", f, differences, err)
	}
	if err := s.Close(); err != nil {
		x.Error(err)
	}
}

// judge holds an error to what the contract has for the error number.
func (x *trial) judge(f faultvfs.Fault, err error) {
	x.Helper()
	if err == nil {
		return
	}
	e := core.AsError(err)
	answer := string(e.Code)
	if reason, ok := e.Extra("reason").(string); ok {
		answer += "/" + reason
	}
	if !slices.Contains(fitting(f), answer) {
		x.Errorf("%s: the answer is %s (%v), want one of %q", f, answer, errors.Unwrap(e), fitting(f))
	}
	if strings.Contains(strings.ToLower(e.Message), "sqlite") || strings.Contains(e.Message, "disk I/O") {
		x.Errorf("%s: the message is %q", f, e.Message)
	}
}

// fitting are the answers that tell of an error number.
func fitting(f faultvfs.Fault) []string {
	switch {
	case f.Call == faultvfs.Lock:
		// For the locks of the log's index the engine tells none from another,
		// and waits for some of them in the midst of its work.
		return []string{"database_busy", "request_timed_out", "store_unavailable/io"}
	case f.Call == faultvfs.Read:
		// The engine takes a page that cannot be read for a damaged one.
		return []string{"store_unavailable/corrupt", "store_unavailable/io"}
	case f.Call == faultvfs.Open && !f.Forever:
		// Opening is tried again in a lesser way, and that failure is told; the
		// cause has passed when it is looked for.
		return []string{"store_unavailable/io", "store_unavailable/full", "store_unavailable/permission", "forbidden"}
	}
	switch f.Errno {
	case syscall.ENOSPC, syscall.EDQUOT:
		return []string{"store_unavailable/full"}
	case syscall.EROFS, syscall.EACCES:
		return []string{"store_unavailable/permission", "forbidden"}
	}
	return []string{"store_unavailable/io"}
}

// difference shows the lines that only one of two dumps has.
func difference(want, got string) string {
	var b strings.Builder
	a, c := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range a {
		if !slices.Contains(c, line) {
			fmt.Fprintf(&b, "- %.200s\n", line)
		}
	}
	for _, line := range c {
		if !slices.Contains(a, line) {
			fmt.Fprintf(&b, "+ %.200s\n", line)
		}
	}
	return b.String()
}

// numbers are the error numbers that each call is made to fail with.
var numbers = map[faultvfs.Call][]syscall.Errno{
	faultvfs.Open:     {syscall.EIO, syscall.EACCES, syscall.EROFS, syscall.ENOSPC},
	faultvfs.Stat:     {syscall.EIO},
	faultvfs.Read:     {syscall.EIO},
	faultvfs.Write:    {syscall.ENOSPC, syscall.EIO, syscall.EROFS},
	faultvfs.Sync:     {syscall.EIO, syscall.ENOSPC},
	faultvfs.Truncate: {syscall.EIO, syscall.ENOSPC, syscall.EROFS},
	faultvfs.Lock:     {syscall.EIO, syscall.EACCES},
	faultvfs.Map:      {syscall.EIO, syscall.EACCES},
	faultvfs.Delete:   {syscall.EIO, syscall.EROFS},
}

// storm tries operations under every fault of a choice.
func storm(t *testing.T, names []string, choose func(call faultvfs.Call, nth, number int, forever bool) bool) {
	faultvfs.Install()
	template := prepare(t)
	tried, hit, refused := 0, 0, 0
	for _, name := range names {
		if _, ok := core.OperationNamed(name); !ok {
			continue // that of the archive, where there is none yet
		}
		for _, warm := range []bool{false, true} {
			title := name + " first"
			if warm {
				title = name + " later"
			}
			t.Run(title, func(t *testing.T) {
				x := &trial{T: t, path: filepath.Join(t.TempDir(), "lithos.db"), template: template, warm: warm}
				x.name, x.arguments = "stats", `{}`
				x.undone = x.run(nil)
				x.name, x.arguments = name, cmp.Or(deeds[name], reads[name])
				x.done = x.run(nil)
				if _, writes := deeds[name]; writes == (x.done == x.undone) {
					t.Fatal("whether the operation changes something is not as it should be")
				}
				for _, call := range slices.Sorted(maps.Keys(numbers)) {
					for nth := 1; nth <= x.counts[call]; nth++ {
						for i, errno := range numbers[call] {
							for _, forever := range []bool{false, true} {
								if choose(call, nth, i, forever) {
									x.run(&faultvfs.Fault{Call: call, Nth: nth, Errno: errno, Forever: forever})
								}
							}
						}
					}
				}
				tried, hit, refused = tried+x.tried, hit+x.hit, refused+x.refused
			})
		}
	}
	t.Logf("%d faults tried, %d met, %d operations refused", tried, hit, refused)
	if hit < tried/2 || refused == 0 {
		t.Errorf("only %d of %d faults were met, %d operations were refused", hit, tried, refused)
	}
}

// sample chooses every fault of a few of the calls, a different one each time.
func sample(call faultvfs.Call, nth, number int, forever bool) bool {
	return number == nth%len(numbers[call]) && forever == (nth%2 == 0) && (call != faultvfs.Read || nth%4 == 0)
}

// TestFaults_sample tries operations with one fault for each call.
func TestFaults_sample(t *testing.T) {
	storm(t, []string{"task_create", "task_apply", "task_ready", "events"}, sample)
}

// TestFaults_everyOperation holds that each operation that writes is in the
// table, and makes some of the writes of each fail.
func TestFaults_everyOperation(t *testing.T) {
	for _, op := range core.Operations {
		_, ok := deeds[op.Name()]
		_, onNotes := noteDeeds[op.Name()]
		if !ok && !onNotes && !op.ReadOnly() {
			t.Errorf("%s is not tried under faults", op.Name())
		}
	}
	storm(t, slices.Sorted(maps.Keys(deeds)), func(call faultvfs.Call, nth, number int, forever bool) bool {
		return number == 0 && !forever && (call == faultvfs.Write || call == faultvfs.Sync) && nth%4 == 1
	})
}

// TestFaults_creation holds that whatever fails while a store is made, there
// is none, or a whole one, and nothing else is left.
func TestFaults_creation(t *testing.T) {
	creation(t, func(call faultvfs.Call, nth, number int, forever bool) bool {
		return sample(call, nth, number, forever) && (nth < 10 || nth%3 == 0)
	})
}

func creation(t *testing.T, choose func(call faultvfs.Call, nth, number int, forever bool) bool) {
	faultvfs.Install()
	x := &trial{T: t}
	create := func(f faultvfs.Fault) error {
		t.Helper()
		x.path = filepath.Join(t.TempDir(), "lithos.db")
		faultvfs.Arm(f)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if waitsFor(f) {
			ctx, cancel = context.WithTimeout(t.Context(), 40*time.Millisecond)
			defer cancel()
		}
		s, err := store.Open(ctx, store.Options{Path: x.path, Create: true})
		x.hit += min(faultvfs.Disarm(), 1)
		if err != nil {
			x.refused++
			return err
		}
		return s.Close()
	}
	if err := create(faultvfs.Fault{}); err != nil {
		t.Fatal(err)
	}
	counts := map[faultvfs.Call]int{}
	for call := range numbers {
		counts[call] = faultvfs.Count(call)
	}
	for _, call := range slices.Sorted(maps.Keys(numbers)) {
		for nth := 1; nth <= counts[call]; nth++ {
			for i, errno := range numbers[call] {
				for _, forever := range []bool{false, true} {
					if !choose(call, nth, i, forever) {
						continue
					}
					f := faultvfs.Fault{Call: call, Nth: nth, Errno: errno, Forever: forever}
					x.tried++
					err := create(f)
					x.judge(f, err)
					left := beside(t, x.path)
					if err != nil && len(left) > 0 || err == nil && !slices.Contains(left, "lithos.db") {
						t.Errorf("%s (%v) leaves %q", f, err, left)
					}
					s, err := store.Open(t.Context(), store.Options{Path: x.path, Create: true})
					if err != nil {
						t.Fatalf("%s, then opening: %v", f, err)
					}
					if err := x.write(s); err != nil {
						t.Errorf("%s, then a write: %v", f, err)
					}
					if err := s.Close(); err != nil {
						t.Errorf("%s, then closing: %v", f, err)
					}
					x.sound(f)
				}
			}
		}
	}
	t.Logf("%d faults tried, %d met, %d creations refused", x.tried, x.hit, x.refused)
	if x.hit < x.tried/2 || x.refused == 0 {
		t.Errorf("only %d of %d faults were met, %d creations were refused", x.hit, x.tried, x.refused)
	}
}

// beside lists the files that are left of a store, without those that programs
// only lock.
func beside(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Size() > 0 || entry.Name() == filepath.Base(path) {
			names = append(names, entry.Name())
		}
	}
	return names
}

// TestProgram_isWithout holds that the program as people get it holds no
// faults.
func TestProgram_isWithout(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "dev.lithos").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, "dev.lithos/store") || slices.Contains(packages, "dev.lithos/store/faultvfs") {
		t.Errorf("the program is made of %q", packages)
	}
}
