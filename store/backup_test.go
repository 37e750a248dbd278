package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/files"
	"dev.lithos/store/files/filestest"
)

var backupTime = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// storeOf makes a store in which the agents named were seen, closed.
func storeOf(t testing.TB, path string, agents ...string) {
	t.Helper()
	s, err := Open(context.Background(), Options{Path: path, Create: true, Synchronous: Normal})
	if err != nil {
		t.Fatal(err)
	}
	see(t, s, agents...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func see(t testing.TB, s *Store, agents ...string) {
	t.Helper()
	for _, agent := range agents {
		write(t, s, func(t *tx) error { _, err := t.SeeAgent(agent, epoch); return err })
	}
}

// agentsIn opens a store and names the agents in it; the error is that of
// opening or reading it.
func agentsIn(path string) (agents []string, err error) {
	s, err := Open(context.Background(), Options{Path: path})
	if err != nil {
		return nil, err
	}
	err = s.Read(context.Background(), func(r core.ReadTx) error {
		found, err := r.Agents(core.AgentQuery{})
		for _, a := range found {
			agents = append(agents, a.ID)
		}
		return err
	})
	slices.Sort(agents)
	return agents, errors.Join(err, s.Close())
}

// holds fails unless a store holds exactly the agents named and is sound.
func holds(t testing.TB, path string, agents ...string) {
	t.Helper()
	if got, err := agentsIn(path); err != nil || !slices.Equal(got, agents) {
		t.Errorf("the store holds %v instead of %v (%v)", got, agents, err)
		return
	}
	s := openWith(t, Options{Path: path})
	if faults, err := s.IntegrityCheck(context.Background()); err != nil || len(faults) > 0 {
		t.Errorf("the store has the faults %v (%v)", faults, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func takeAt(t testing.TB, path string) Backup {
	t.Helper()
	b, err := TakeBackup(context.Background(), BackupOptions{Path: path, Folder: "backups", Notes: notesOf(path), Now: backupTime})
	if err != nil {
		t.Fatalf("%v (%v)", err, errors.Unwrap(err))
	}
	return b
}

// names are the names in a folder; none when there is no folder.
func names(t testing.TB, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// failed fails unless err is backup_failed at a step.
func failed(t testing.TB, err error, step BackupStep) *core.Error {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.CodeBackupFailed || e.Extra("step") != string(step) || e.Extra("path") == "" {
		t.Errorf("the error is %v (%v) instead of backup_failed at %s", err, errors.Unwrap(err), step)
	}
	return e
}

func TestBackup_take(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "lithos.db")
	storeOf(t, path, "ada", "mo")
	s := openWith(t, Options{Path: path})
	see(t, s, "only in the log")

	var want [3]Backup
	for i, name := range []string{"lithos-20260301T080000Z-s%d.db", "lithos-20260301T080000Z-s%d-2.db", "lithos-20260301T080000Z-s%d-3.db"} {
		b := takeAt(t, path)
		if want := fmt.Sprintf(filepath.Join(filepath.Dir(path), "backups", name), SchemaVersion); b.Path != want {
			t.Errorf("the backup is %s instead of %s", b.Path, want)
		}
		if b.Schema != SchemaVersion || b.TakenAt != core.StampOf(backupTime) || b.Rows["agents"] != 3 || len(b.SHA256) != 64 {
			t.Errorf("the backup is %+v", b)
		}
		want[i] = b
		for name, rights := range map[string]fs.FileMode{filepath.Dir(b.Path): 0o700, b.Path: 0o600, b.Path + ".json": 0o600} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != rights {
				t.Errorf("%s has the rights %v (%v)", name, info.Mode().Perm(), err)
			}
		}
		verified, err := VerifyBackup(context.Background(), VerifyOptions{Path: b.Path})
		if err != nil || fmt.Sprint(verified) != fmt.Sprint(b) {
			t.Errorf("verified as %+v (%v) instead of %+v", verified, err, b)
		}
	}
	// A manifest alone takes a name too.
	if err := os.Remove(want[2].Path); err != nil {
		t.Fatal(err)
	}
	if b := takeAt(t, path); !strings.HasSuffix(b.Path, "-4.db") {
		t.Errorf("the fourth backup is %s", b.Path)
	}
	folder := filepath.Dir(want[0].Path)
	if got := names(t, folder); len(got) != 7 {
		t.Errorf("in the folder lie %v", got)
	}
}

// TestBackup_isOfOneMoment writes to the store while it is copied.
func TestBackup_isOfOneMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "before")
	s := openWith(t, Options{Path: path})
	load(t, s, graphShape{tasks: 2000})
	written := 0
	disk := files.Disk{Before: func(step files.Step) error {
		if step.Action == files.Reach && step.Path == "copy pages" {
			see(t, s, fmt.Sprintf("during-%d", written))
			written++
		}
		return nil
	}}
	b, err := TakeBackup(context.Background(), BackupOptions{Path: path, Folder: t.TempDir(), Now: backupTime, Files: disk})
	if err != nil {
		t.Fatal(err)
	}
	if written < 2 {
		t.Errorf("the copy was made in %d pieces", written)
	}
	if b.Rows["agents"] != 1 || b.Rows["tasks"] != 2000 {
		t.Errorf("the backup holds %v", b.Rows)
	}
	holds(t, b.Path, "before")
	if got, err := agentsIn(path); err != nil || len(got) != 1+written {
		t.Errorf("the store holds %v (%v)", got, err)
	}
}

// TestBackup_ofOtherSchemas: what this program cannot use it can keep safe.
func TestBackup_ofOtherSchemas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	change(t, path, "PRAGMA user_version = 99")
	b := takeAt(t, path)
	if b.Schema != 99 || filepath.Base(b.Path) != "lithos-20260301T080000Z-s99.db" {
		t.Errorf("the backup is %+v", b)
	}
	if v, err := VerifyBackup(context.Background(), VerifyOptions{Path: b.Path}); err != nil || v.Schema != 99 {
		t.Errorf("verified as %+v (%v)", v, err)
	}
}

func TestBackup_nothingToTake(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := write("other.db", "")
	change(t, other, "CREATE TABLE tasks (id TEXT)")
	for path, reason := range map[string]string{
		filepath.Join(folder, "none.db"):      ReasonMissing,
		write("empty.db", ""):                 ReasonMissing,
		write("text.db", filler(5000)):        ReasonNotADatabase,
		other:                                 ReasonNotADatabase,
		folder:                                ReasonNotADatabase,
		filepath.Join(other, "below a file"):  ReasonMissing,
		filepath.Join(folder, "none", "x.db"): ReasonMissing,
	} {
		_, err := TakeBackup(context.Background(), BackupOptions{Path: path, Folder: "backups", Now: backupTime})
		unavailable(t, err, reason)
	}
	if _, err := os.Stat(filepath.Join(folder, "backups")); err == nil {
		t.Error("a folder was made for no backup")
	}
}

// TestBackup_everyStep lets each step of taking a backup fail.
func TestBackup_everyStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	putNotes(t, path, notesThen)
	var folder string
	var taken Backup
	filestest.EachStep(t, func(t *testing.T) func(files.Disk) error {
		folder = filepath.Join(t.TempDir(), "new", "backups")
		return func(disk files.Disk) (err error) {
			taken, err = TakeBackup(context.Background(), BackupOptions{Path: path, Folder: folder, Notes: notesOf(path), Now: backupTime, Files: disk})
			return err
		}
	}, func(t *testing.T, step files.Step, fault, err error) {
		if err == nil {
			// Sweeping what others have left and giving the file to the owner of
			// the store go as far as they go.
			if step.Action != files.List && step.Action != files.Chown {
				t.Errorf("the failing of %v was not noticed", step)
			}
			if _, err := VerifyBackup(context.Background(), VerifyOptions{Path: taken.Path}); err != nil {
				t.Error(err)
			}
			return
		}
		var e *core.Error
		if !errors.As(err, &e) || e.Code != core.CodeBackupFailed || !errors.Is(err, fault) {
			t.Errorf("after %v the error is %v, %v", step, err, errors.Unwrap(err))
		} else if strings.Contains(e.Message, "sqlite") {
			t.Errorf("the message is %s", e.Message)
		}
		if left := names(t, folder); len(left) > 0 && step.Action != files.Remove {
			t.Errorf("after %v there are %v", step, left)
		}
	})
	holds(t, path, "ada")
}

// TestBackup_steps names what fails.
func TestBackup_steps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	if err := os.Mkdir(notesOf(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		action files.Action
		of     string // end of the path
		fault  error
		step   BackupStep
	}{
		{files.MakeFolder, "backups", syscall.EACCES, StepDirectory},
		{files.Create, "", syscall.EROFS, StepCopy},
		{files.Reach, "copy pages", syscall.ENOSPC, StepCopy},
		{files.Sync, "", syscall.EIO, StepCopy},
		{files.Stat, ".db.json", syscall.ENAMETOOLONG, StepName},
		{files.Link, "", syscall.EIO, StepDeliver},
		{files.Reach, "add notes", syscall.EIO, StepCopy},
		{files.Reach, "check", syscall.EIO, StepRead},
		{files.Open, "", syscall.EIO, StepRead},
		{files.Sync, "", syscall.EIO, StepCopy},
	} {
		disk := files.Disk{Before: func(s files.Step) error {
			if s.Action == test.action && strings.HasSuffix(s.Path, test.of) {
				return test.fault
			}
			return nil
		}}
		folder := filepath.Join(t.TempDir(), "backups")
		_, err := TakeBackup(context.Background(), BackupOptions{Path: path, Folder: folder, Notes: notesOf(path), Now: backupTime, Files: disk})
		if e := failed(t, err, test.step); e != nil && !strings.Contains(e.Message, test.fault.Error()) {
			t.Errorf("the message is %s", e.Message)
		}
		if left := names(t, folder); len(left) > 0 {
			t.Errorf("after %s there are %v", test.action, left)
		}
	}
}

func TestBackup_tooLongAPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	folder := filepath.Join(t.TempDir(), strings.Repeat("n", 200), strings.Repeat("n", 200), strings.Repeat("n", 200))
	_, err := TakeBackup(context.Background(), BackupOptions{Path: path, Folder: folder, Now: backupTime})
	failed(t, err, StepName)
	// A name that is too long for the file system is told the same way.
	long := filepath.Join(t.TempDir(), strings.Repeat("n", 230))
	storeOf(t, long, "ada")
	_, err = TakeBackup(context.Background(), BackupOptions{Path: long, Folder: t.TempDir(), Now: backupTime})
	failed(t, err, StepName)
}

func TestBackup_cancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	for at := range 6 {
		ctx, cancel := context.WithCancel(context.Background())
		told := 0
		folder := t.TempDir()
		_, err := TakeBackup(ctx, BackupOptions{Path: path, Folder: folder, Now: backupTime, Progress: func(string, int64, int64) {
			if told == at {
				cancel()
			}
			told++
		}})
		cancel()
		if err == nil && told > at+1 {
			t.Errorf("cancelled at %d of %d, it went on", at, told)
		}
		if err != nil {
			failure(t, err, core.CodeRequestTimedOut, nil)
			if left := names(t, folder); len(left) > 0 {
				t.Errorf("after %d there are %v", at, left)
			}
		}
	}
}

func init() {
	// take PATH FOLDER STEP: back up, killed ahead of a step.
	roles["take"] = func(args []string) error {
		step, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		_, err = TakeBackup(context.Background(), BackupOptions{Path: args[0], Folder: args[1], Notes: notesOf(args[0]), Now: backupTime, Files: filestest.KillAt(step).Disk()})
		return err
	}
}

// killed runs a process until it is killed, and reports whether it was.
func (a *actor) killed(t testing.TB) bool {
	t.Helper()
	err := a.cmd.Run()
	if err == nil {
		return false
	}
	if status, ok := a.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("%s: %v\n%s", strings.Join(a.cmd.Args, " "), err, a.output.String())
	}
	return true
}

// TestBackup_killedAtEachStep: whatever has a backup's name is whole and has
// its manifest, and what is left is in nobody's way.
func TestBackup_killedAtEachStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lithos.db")
	storeOf(t, path, "ada")
	putNotes(t, path, notesThen)
	drafts := 0
	old := time.Now().Add(-2 * draftPatience)
	for step := 0; ; step++ {
		folder := t.TempDir()
		if !actAs(t, "take", path, folder, strconv.Itoa(step)).killed(t) {
			break
		}
		backups, problems, err := ListBackups(files.Disk{}, folder)
		if err != nil {
			t.Fatal(err)
		}
		left := []string{}
		for _, b := range backups {
			left = append(left, b.Path)
		}
		for _, p := range problems {
			if !strings.HasSuffix(p.Path, ".db.json") || len(problems) > 1 {
				t.Errorf("killed ahead of step %d: %s: %s", step, p.Path, p.Reason)
			}
		}
		for _, path := range left {
			if _, err := VerifyBackup(context.Background(), VerifyOptions{Path: path}); err != nil {
				t.Errorf("killed ahead of step %d: %v", step, err)
			}
		}
		for _, name := range names(t, folder) {
			if files.IsDraft(name) {
				drafts++
				if err := os.Chtimes(filepath.Join(folder, name), old, old); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := TakeBackup(context.Background(), BackupOptions{Path: path, Folder: folder, Now: backupTime}); err != nil {
			t.Error(err)
		}
		if slices.ContainsFunc(names(t, folder), files.IsDraft) {
			t.Error("old drafts stayed")
		}
	}
	if drafts == 0 {
		t.Error("no draft was ever left")
	}
	holds(t, path, "ada")
}

// TestVerify_damage spoils a backup in every way.
func TestVerify_damage(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "lithos.db")
	storeOf(t, path, "ada")
	s := openWith(t, Options{Path: path})
	load(t, s, graphShape{tasks: 40, edges: 60})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	source := takeAt(t, path)
	whole, err := os.ReadFile(source.Path)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(source.Path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	verify := func(content []byte, manifest string) (string, error) {
		n++
		path := filepath.Join(folder, fmt.Sprintf("spoilt-%d.db", n))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if manifest != "" {
			if err := os.WriteFile(path+".json", []byte(manifest), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := VerifyBackup(context.Background(), VerifyOptions{Path: path})
		return path, err
	}
	with := func(at int, b ...byte) []byte {
		return append(append(slices.Clone(whole[:at]), b...), whole[at+len(b):]...)
	}
	replace := func(old, with string) string {
		text := strings.Replace(string(manifest), old, with, 1)
		if text == string(manifest) {
			t.Fatalf("the manifest does not hold %s: %s", old, manifest)
		}
		return text
	}
	const page = 4096
	for what, test := range map[string]struct {
		content  []byte
		manifest string
		step     BackupStep
	}{
		"empty":                     {nil, "", StepSize},
		"empty with manifest":       {nil, string(manifest), StepSize},
		"one byte":                  {[]byte("S"), "", StepSize},
		"a header":                  {whole[:100], "", StepSize},
		"cut in a page":             {whole[:len(whole)-1], "", StepSize},
		"a page less":               {whole[:len(whole)-page], "", StepSize},
		"a page less with manifest": {whole[:len(whole)-page], string(manifest), StepSize},
		"a page more":               {append(slices.Clone(whole), make([]byte, page)...), "", StepSize},
		"text":                      {[]byte(filler(8192)), "", StepSchema},
		"zeros":                     {make([]byte, 8192), "", StepSchema},
		"another program's":         {with(68, 0, 0, 0, 7), "", StepSchema},
		"no schema":                 {with(60, 0, 0, 0, 0), "", StepSchema},
		"another schema than said":  {with(60, 0, 0, 0, 9), string(manifest), StepSchema},
		"size said wrongly":         {whole, replace(fmt.Sprintf(`"size": %d`, len(whole)), `"size": 4096`), StepSize},
		"sum said wrongly":          {whole, replace(source.SHA256[:8], "00000000"), StepIntegrity},
		"rows said wrongly":         {whole, replace(`"tasks": 40`, `"tasks": 41`), StepIntegrity},
		"a table less":              {whole, replace(`"tasks": 40`, `"task": 40`), StepIntegrity},
		"manifest cut off":          {whole, string(manifest[:20]), StepRead},
		"manifest of nothing":       {whole, "{}", StepRead},
		"manifest of noise":         {whole, filler(50), StepRead},
		"a broken page without":     {with(page, []byte(filler(page))...), "", StepIntegrity},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := verify(test.content, test.manifest)
			failed(t, err, test.step)
		})
	}
	for at := 0; at < len(whole); at += page {
		for _, offset := range []int{20, 44, 200, 2000, page - 1} {
			_, err := verify(with(at+offset, whole[at+offset]^0x5a), string(manifest))
			var e *core.Error
			if !errors.As(err, &e) || e.Code != core.CodeBackupFailed {
				t.Errorf("byte %d flipped: %v", at+offset, err)
			}
		}
	}
	if _, err := verify(whole, ""); err != nil {
		t.Errorf("whole, without a manifest: %v", err)
	}
	path, _ = verify(whole, string(manifest))
	if err := os.WriteFile(path+"-wal", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = VerifyBackup(context.Background(), VerifyOptions{Path: path})
	failed(t, err, StepRead)

	socket := filepath.Join(folder, "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	for _, path := range []string{folder, socket, os.DevNull, filepath.Join(folder, "none.db")} {
		_, err := VerifyBackup(context.Background(), VerifyOptions{Path: path})
		failed(t, err, StepRead)
	}
	// Nothing was made beside what was verified.
	for _, name := range names(t, folder) {
		if strings.HasSuffix(name, "-shm") && strings.HasPrefix(name, "spoilt") {
			t.Errorf("%s was made", name)
		}
	}
}

func TestBackup_list(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "lithos.db")
	storeOf(t, path, "ada")
	backups := filepath.Join(folder, "backups")
	if list, problems, err := ListBackups(files.Disk{}, backups); err != nil || len(list)+len(problems) > 0 {
		t.Errorf("a missing folder holds %v %v (%v)", list, problems, err)
	}
	var taken []Backup
	for _, hours := range []int{2, 0, 1} {
		b, err := TakeBackup(context.Background(), BackupOptions{Path: path, Folder: backups, Now: backupTime.Add(time.Duration(hours) * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, b)
	}
	for name, content := range map[string]string{"a note.txt": "x", "cut.db": "SQLite format 3\x00", "gone.db.json": "{}", files.DraftName("")[0:]: "draft"} {
		if err := os.WriteFile(filepath.Join(backups, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(taken[1].Path, 4096); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(backups, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	list, problems, err := ListBackups(files.Disk{}, backups)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(list) != fmt.Sprint([]Backup{taken[0], taken[2]}) {
		t.Errorf("the backups are %v", list)
	}
	var told []string
	for _, p := range problems {
		told = append(told, filepath.Base(p.Path)+": "+p.Reason)
	}
	want := []string{
		"a note.txt: It is no backup.", "cut.db: It is no backup.", "gone.db.json: The backup of this manifest is missing.",
		filepath.Base(taken[1].Path) + fmt.Sprintf(": It has 4096 bytes instead of %d.", taken[1].Size), "sub: It is no backup.",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told was\n%s\ninstead of\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	_, _, err = ListBackups(files.Disk{}, path)
	failed(t, err, StepDirectory)
}
