package mcpserver_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"dev.lithos/cli/mcpserver"
	"dev.lithos/core"
	"dev.lithos/store"
)

// Each file of testdata/sessions is a conversation with the program. Its
// section "session" has one step a line:
//
//	# …         a remark
//	> …         send a line; {{x N}} stands for N times x
//	>| …        send a piece of a line
//	< …         the next frame is this; … stands for anything
//	silent      no frame comes for a moment
//	$ …         run a command in the project's folder
//	hold        take the write lock of the store; release gives it back
//	close       end the server's input
//	signal TERM send a signal
//	exit N      the server ends within a second with status N, without a frame more
//
// Ids become ID1, ID2 … in the order of their appearance, and may be sent so;
// times become TIME, the project's folder DIR, the home folder HOME, the
// name of a crash report CRASH. The section "command" holds
// the command line of the server if it is not "lithos mcp"; other sections
// are files of the project's folder.
//
// Every conversation takes place twice, the second time with all logs on,
// since nothing of them may reach standard output; with -short once.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, level := range []string{"warn", "debug"} {
			if testing.Short() && level == "debug" {
				continue
			}
			t.Run(name+"/"+level, func(t *testing.T) {
				t.Parallel()
				archive, err := txtar.ParseFile(file)
				if err != nil {
					t.Fatal(err)
				}
				s := newSession(t, archive, level)
				changed := s.play()
				if mcpserver.Update() && changed && level == "warn" && !t.Failed() {
					if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

type session struct {
	t       *testing.T
	dir     string
	env     []string
	server  *process
	steps   *txtar.File
	ids     []string
	release func()
}

func newSession(t *testing.T, archive *txtar.Archive, logLevel string) *session {
	s := &session{t: t}
	s.dir, s.env = project(t)
	s.env = append(s.env, "LITHOS_LOG="+logLevel)
	command := []string{"lithos", "mcp"}
	for i := range archive.Files {
		f := &archive.Files[i]
		switch f.Name {
		case "session":
			s.steps = f
		case "command":
			command = strings.Fields(string(f.Data))
		default:
			path := filepath.Join(s.dir, f.Name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for len(command) > 0 && strings.Contains(command[0], "=") {
		s.env, command = append(s.env, command[0]), command[1:]
	}
	if s.steps == nil {
		t.Fatal("the file has no section session")
	}
	s.server = start(t, s.dir, s.env, command[0], command[1:]...)
	t.Cleanup(func() {
		if s.release != nil {
			s.release()
		}
	})
	return s
}

// play takes every step and reports whether a frame differs from what the
// file says; with -update the file is made to say it.
func (s *session) play() (changed bool) {
	lines := strings.Split(strings.TrimSuffix(string(s.steps.Data), "\n"), "\n")
	for i, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "", "#":
		case ">":
			s.server.send(s.expand(rest) + "\n")
		case ">|":
			s.server.send(s.expand(rest))
			time.Sleep(10 * time.Millisecond) // so that the pieces arrive one by one
		case "<":
			got := s.normalize(s.server.receive())
			if matches(rest, got) {
				continue
			}
			if !mcpserver.Update() {
				s.t.Fatalf("step %d:\n got %s\nwant %s", i+1, got, rest)
			}
			lines[i], changed = "< "+got, true
		case "silent":
			select {
			case frame, ok := <-s.server.frames:
				s.t.Fatalf("step %d: unexpected frame %s (%v)", i+1, frame, ok)
			case <-time.After(100 * time.Millisecond):
			}
		case "$":
			cmd := exec.Command("sh", "-ec", s.expand(rest))
			cmd.Dir, cmd.Env = s.dir, s.env
			if out, err := cmd.CombinedOutput(); err != nil {
				s.t.Fatalf("step %d: %v\n%s", i+1, err, out)
			}
		case "hold":
			s.hold()
		case "release":
			s.release()
			s.release = nil
		case "close":
			s.server.closeInput()
		case "signal":
			signal := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT}[rest]
			if err := s.server.cmd.Process.Signal(signal); err != nil {
				s.t.Fatal(err)
			}
		case "exit":
			status, err := strconv.Atoi(rest)
			if err != nil {
				s.t.Fatal(err)
			}
			s.server.expectExit(status)
			if frame, ok := <-s.server.frames; ok {
				s.t.Fatalf("step %d: unexpected frame %s", i+1, frame)
			}
		default:
			s.t.Fatalf("step %d: what is %q?", i+1, verb)
		}
	}
	s.steps.Data = []byte(strings.Join(lines, "\n") + "\n")
	return changed
}

// hold keeps the write lock of the project's store from another connection.
func (s *session) hold() {
	db, err := store.Open(s.t.Context(), store.Options{Path: filepath.Join(s.dir, ".lithos", "lithos.db")})
	if err != nil {
		s.t.Fatal(err)
	}
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.Write(context.Background(), func(core.WriteTx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	s.release = func() {
		close(release)
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
		if err := db.Close(); err != nil {
			s.t.Error(err)
		}
	}
}

var (
	uuidPattern   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	stampPattern  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00`)
	crashPattern  = regexp.MustCompile(`crash-[0-9TZ]+-\d+\.txt`)
	infoPattern   = regexp.MustCompile(`"(serverInfo|io\.modelcontextprotocol/serverInfo)":\{[^{}]*\}`)
	waitedPattern = regexp.MustCompile(`((?:waited_ms|seconds_left)\\?)":\d+`)
	busyPattern   = regexp.MustCompile(`busy for \d+ ms`)
	repeatPattern = regexp.MustCompile(`\{\{(.) (\d+)\}\}`)
	idPattern     = regexp.MustCompile(`ID(\d+)`)
)

// normalize replaces what differs from one run to the next.
func (s *session) normalize(frame string) string {
	frame = uuidPattern.ReplaceAllStringFunc(frame, func(id string) string {
		for i, known := range s.ids {
			if known == id {
				return fmt.Sprintf("ID%d", i+1)
			}
		}
		s.ids = append(s.ids, id)
		return fmt.Sprintf("ID%d", len(s.ids))
	})
	frame = stampPattern.ReplaceAllString(frame, "TIME")
	frame = crashPattern.ReplaceAllString(frame, "CRASH")
	frame = infoPattern.ReplaceAllString(frame, `"$1":INFO`)
	frame = waitedPattern.ReplaceAllString(frame, `$1":N`)
	frame = busyPattern.ReplaceAllString(frame, "busy for N ms")
	frame = strings.ReplaceAll(frame, s.dir, "DIR")
	return strings.ReplaceAll(frame, filepath.Join(filepath.Dir(s.dir), "home"), "HOME")
}

// expand is the way back of normalize, for what is sent.
func (s *session) expand(text string) string {
	text = repeatPattern.ReplaceAllStringFunc(text, func(m string) string {
		parts := repeatPattern.FindStringSubmatch(m)
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			s.t.Fatal(err)
		}
		return strings.Repeat(parts[1], n)
	})
	text = strings.ReplaceAll(text, "DIR", s.dir)
	return idPattern.ReplaceAllStringFunc(text, func(m string) string {
		n, err := strconv.Atoi(strings.TrimPrefix(m, "ID"))
		if err != nil || n < 1 || n > len(s.ids) {
			s.t.Fatalf("%s has not been seen", m)
		}
		return s.ids[n-1]
	})
}

// matches compares a frame with a pattern in which … stands for anything.
func matches(pattern, frame string) bool {
	parts := strings.Split(pattern, "…")
	if len(parts) == 1 {
		return pattern == frame
	}
	last := len(parts) - 1
	if !strings.HasPrefix(frame, parts[0]) || !strings.HasSuffix(frame, parts[last]) {
		return false
	}
	frame = strings.TrimSuffix(strings.TrimPrefix(frame, parts[0]), parts[last])
	for _, part := range parts[1:last] {
		_, rest, found := strings.Cut(frame, part)
		if !found {
			return false
		}
		frame = rest
	}
	return true
}
