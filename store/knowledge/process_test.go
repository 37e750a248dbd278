package knowledge_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
	"dev.lithos/store/files"
	"dev.lithos/store/files/filestest"
	"dev.lithos/store/knowledge"
)

// Other processes are this binary with a role in the environment and the
// folder of the store as argument.
const roleVariable = "LITHOS_KNOWLEDGE_TEST_ROLE"

func TestMain(m *testing.M) {
	var err error
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case "write":
		err = writeForever(os.Args[1])
	case "race":
		err = raceForVersions(os.Args[1])
	default:
		err = errors.New("no such role: " + role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// open opens the store of a folder and the service on it.
func open(folder string, disk files.Disk) (*core.Service, *store.Store, error) {
	s, err := store.Open(context.Background(), store.Options{Path: filepath.Join(folder, "lithos.db"), Create: true, Synchronous: store.Normal})
	if err != nil {
		return nil, nil, err
	}
	notes := knowledge.New(func() string { return filepath.Join(folder, "knowledge") }, disk)
	return core.New(core.Config{Store: s, Folder: notes}), s, nil
}

func mustOpen(t *testing.T, folder string, disk files.Disk) *core.Service {
	t.Helper()
	service, s, err := open(folder, disk)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return service
}

func text(s string) *string { return &s }

// stamped is a content of which no part can be taken for that of another.
func stamped(n int) string { return strings.TrimSpace(strings.Repeat(fmt.Sprintf("%d\n", n), 2_000)) }

// writeForever writes, updates, retitles and deletes notes until it is killed.
func writeForever(folder string) error {
	service, _, err := open(folder, files.Disk{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	fmt.Println("begun")
	var ids []string
	// No two of these programs make notes of the same title.
	for n := 1_000_000*os.Getpid() + rand.IntN(1_000); ; n++ {
		switch {
		case len(ids) < 6:
			var result core.NoteWriteResult
			result, err = service.NoteWrite(ctx, core.NoteWriteRequest{
				Title: fmt.Sprintf("Note %d", n), Content: stamped(n), Agent: "a", Path: text(fmt.Sprintf("f%d/g", n%3)), Tags: []string{fmt.Sprint(n % 5)},
			})
			ids = append(ids, result.ID)
		case n%7 == 0:
			_, err = service.NoteDelete(ctx, core.NoteDeleteRequest{ID: ids[0], Agent: "a"})
			ids = ids[1:]
		case n%3 == 0:
			_, err = service.NoteUpdate(ctx, core.NoteUpdateRequest{ID: ids[n%len(ids)], Agent: "b", Title: text(fmt.Sprintf("Title %d", n))})
		default:
			_, err = service.NoteWrite(ctx, core.NoteWriteRequest{ID: &ids[n%len(ids)], Title: fmt.Sprintf("Text %d", n), Content: stamped(n), Agent: "b"})
		}
		if err != nil {
			return err
		}
	}
}

func role(name, folder string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], folder)
	cmd.Env = append(os.Environ(), roleVariable+"="+name)
	return cmd
}

func TestKill(t *testing.T) { killWriters(t, 15) }

// killWriters kills a process that writes notes, again and again, at moments
// of chance. Each file is then as it was before a write or after it, and the
// index that goes on equals one made anew.
func killWriters(t *testing.T, kills int) {
	folder := t.TempDir()
	for n := range kills {
		cmd := role("write", folder)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatalf("%q, %v: %s", line, err, said.String())
		}
		time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if said.Len() > 0 {
			t.Fatal(said.String())
		}
		checkFiles(t, filepath.Join(folder, "knowledge"))
		service, s, err := open(folder, files.Disk{})
		if err != nil {
			t.Fatal(err)
		}
		goesOn := everything(t, service)
		result, err := service.NoteReindex(context.Background(), core.ReindexRequest{})
		if err != nil || len(result.Problems) > 0 || result.ReindexCounts != (core.ReindexCounts{}) {
			t.Fatalf("the rebuild finds %+v, %v", result, err)
		}
		if anew := everything(t, service); anew != goesOn {
			t.Fatalf("the index that went on\n%s\none made anew\n%s", goesOn, anew)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if (n+1)%50 == 0 {
			t.Logf("%d killed", n+1)
		}
	}
}

// checkFiles holds that each note file is whole.
func checkFiles(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || files.IsDraft(entry.Name()) {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, content, found := strings.Cut(string(b), "\n---\n\n# ")
		_, content, cut := strings.Cut(content, "\n\n")
		lines := strings.Split(content, "\n")
		if !found || !cut || len(lines) != 2_000 || slices.ContainsFunc(lines, func(line string) bool { return line != lines[0] }) {
			return fmt.Errorf("%s is not whole: %d lines", path, len(lines))
		}
		return nil
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// everything is what the operations tell of all notes, in the order of paths.
func everything(t *testing.T, service *core.Service) string {
	t.Helper()
	ctx := context.Background()
	all := 10_000
	list, err := service.NoteList(ctx, core.NoteListRequest{Limit: &all})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, item := range list.Items {
		line, err := core.EncodeJSON(item)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, item.Path+" "+string(line))
	}
	slices.Sort(lines)
	for _, query := range []string{"note", "title", "text"} {
		found, err := service.NoteSearch(ctx, core.SearchRequest{Query: query, Limit: &all})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, result := range found.Results {
			ids = append(ids, result.ID)
		}
		slices.Sort(ids)
		lines = append(lines, query+": "+strings.Join(ids, " "))
	}
	stats, err := service.Stats(ctx, core.StatsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	stats.TantivyLastUpdated = nil
	line, err := core.EncodeJSON(stats)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(append(lines, string(line)), "\n")
}

const racedVersions = 40

// raceForVersions writes one note again and again with the version it last
// read, and tells which versions it has won.
func raceForVersions(folder string) error {
	service, s, err := open(folder, files.Disk{})
	if err != nil {
		return err
	}
	fmt.Println("begun")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	for {
		read, err := service.NoteRead(context.Background(), core.NoteReadRequest{Path: text("raced")})
		if err != nil {
			return err
		}
		version := int(read.Note.Version)
		if version > racedVersions {
			return s.Close()
		}
		_, err = service.NoteWrite(context.Background(), core.NoteWriteRequest{
			ID: &read.ID, Title: "Raced", Content: fmt.Sprint(os.Getpid()), Agent: "a", ExpectedVersion: &version,
		})
		var refused *core.Error
		switch {
		case err == nil:
			fmt.Println("won", version)
		case !errors.As(err, &refused) || refused.Code != core.CodeVersionConflict:
			return err
		}
	}
}

// TestRace lets two processes write one note with the same expected version:
// each version is won by one.
func TestRace(t *testing.T) {
	folder := t.TempDir()
	service := mustOpen(t, folder, files.Disk{})
	if _, err := service.NoteWrite(context.Background(), core.NoteWriteRequest{Title: "Raced", Agent: "a"}); err != nil {
		t.Fatal(err)
	}
	won := map[string]int{}
	lines := make(chan string)
	var racers []*exec.Cmd
	for range 2 {
		cmd := role("race", folder)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		racers = append(racers, cmd)
		reader := bufio.NewReader(out)
		if _, err := reader.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(in, "go\n"); err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				line, err := reader.ReadString('\n')
				if err != nil {
					lines <- ""
					return
				}
				lines <- strings.TrimSpace(line)
			}
		}()
	}
	for running := len(racers); running > 0; {
		if line := <-lines; line == "" {
			running--
		} else {
			won[line]++
		}
	}
	for _, cmd := range racers {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if len(won) != racedVersions {
		t.Errorf("%d of %d versions were won", len(won), racedVersions)
	}
	for version, times := range won {
		if times != 1 {
			t.Errorf("%s was won %d times", version, times)
		}
	}
}

// TestFaults lets each step of file work fail: the file is then as it was or as
// it should be, the answer says so, and the index follows.
func TestFaults(t *testing.T) {
	for name, write := range map[string]func(*core.Service, string) error{
		"create": func(s *core.Service, _ string) error {
			_, err := s.NoteWrite(context.Background(), core.NoteWriteRequest{Title: "New", Content: stamped(2), Agent: "a", Path: text("x/y")})
			return err
		},
		"update": func(s *core.Service, id string) error {
			_, err := s.NoteWrite(context.Background(), core.NoteWriteRequest{ID: &id, Title: "Other", Content: stamped(2), Agent: "a"})
			return err
		},
		"delete": func(s *core.Service, id string) error {
			_, err := s.NoteDelete(context.Background(), core.NoteDeleteRequest{ID: id, Agent: "a"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var folder, before string
			filestest.EachStep(t, func(t *testing.T) func(files.Disk) error {
				folder = t.TempDir()
				service := mustOpen(t, folder, files.Disk{})
				result, err := service.NoteWrite(context.Background(), core.NoteWriteRequest{Title: "Old", Content: stamped(1), Agent: "a"})
				if err != nil {
					t.Fatal(err)
				}
				before = everything(t, service)
				return func(disk files.Disk) error { return write(mustOpen(t, folder, disk), result.ID) }
			}, func(t *testing.T, step files.Step, fault, err error) {
				checkFiles(t, filepath.Join(folder, "knowledge"))
				var refused *core.Error
				if err != nil && !errors.As(err, &refused) {
					t.Fatalf("%v at %s: %v", fault, step.Action, err)
				}
				service := mustOpen(t, folder, files.Disk{})
				after := everything(t, service)
				switch {
				case err == nil: // what failed was not needed
				case refused.Code == core.CodeInternalError:
					if after == before {
						t.Errorf("%v at %s: the answer says that the file was changed", fault, step.Action)
					}
				case refused.Code != core.CodeStoreUnavailable:
					t.Errorf("%v at %s answers %s", fault, step.Action, refused.Code)
				case after != before:
					t.Errorf("%v at %s: a failed write has left\n%s\nthere was\n%s", fault, step.Action, after, before)
				}
				if _, err := service.NoteReindex(context.Background(), core.ReindexRequest{}); err != nil {
					t.Fatal(err)
				}
				if anew := everything(t, service); anew != after {
					t.Errorf("%v at %s: the index\n%s\nmade anew\n%s", fault, step.Action, after, anew)
				}
			})
		})
	}
}

// uncommitted is a store whose write transactions are rolled back at the end.
type uncommitted struct{ core.Store }

func (u uncommitted) Write(ctx context.Context, fn func(core.WriteTx) error) error {
	return u.Store.Write(ctx, func(tx core.WriteTx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errors.New("the disk is gone")
	})
}

// TestUncommitted holds that a file stays when what follows it fails, and is
// taken up later, with the event.
func TestUncommitted(t *testing.T) {
	folder := t.TempDir()
	service, s, err := open(folder, files.Disk{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	notes := knowledge.New(func() string { return filepath.Join(folder, "knowledge") }, files.Disk{})
	_, err = core.New(core.Config{Store: uncommitted{s}, Folder: notes}).NoteWrite(context.Background(),
		core.NoteWriteRequest{Title: "New", Content: stamped(1), Agent: "a"})
	var refused *core.Error
	if !errors.As(err, &refused) || refused.Code != core.CodeInternalError || strings.Contains(refused.Message, "nothing was changed") {
		t.Fatalf("without a commit: %v", err)
	}
	checkFiles(t, filepath.Join(folder, "knowledge"))
	events, err := service.Events(context.Background(), core.EventsRequest{})
	if err != nil || len(events.Events) != 0 {
		t.Fatalf("without a commit the feed has %v, %v", events, err)
	}
	list, err := service.NoteList(context.Background(), core.NoteListRequest{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Title != "New" {
		t.Fatalf("the list is %+v, %v", list, err)
	}
	events, err = service.Events(context.Background(), core.EventsRequest{})
	if err != nil || len(events.Events) != 1 || events.Events[0].Agent != core.DiskAgent || events.Events[0].Type != core.EventNoteCreated {
		t.Fatalf("then the feed has %v, %v", events, err)
	}
}
