package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"dev.lithos/core"
	"dev.lithos/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

// childVariable holds, in a child process, how the UI is to be started there.
const childVariable = "LITHOS_TUI_TEST"

// lithosVariable makes a child process the whole program, which Lithos runs.
const lithosVariable = "LITHOS_TUI_WHOLE"

// Lithos is the program with its command line, which this package must not
// import: lithos_test.go sets it.
var Lithos func() int

// panicSuffix is the end of the name of the file that makes the child panic.
const panicSuffix = ".panic"

// childOptions are what a test tells the child process.
type childOptions struct {
	Path       string
	Theme      string
	ASCII      bool
	NoMouse    bool
	ReadOnly   bool
	Panic      bool // the clock panics once there is a file beside the store
	RealTime   bool // the clock runs
	Accessible bool
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		os.Exit(child(text))
	}
	if os.Getenv(lithosVariable) != "" {
		os.Exit(Lithos())
	}
	os.Exit(m.Run())
}

// child is the program under test: the UI on the terminal it was given.
func child(text string) int {
	var c childOptions
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	clock := func() time.Time { return noon }
	if c.RealTime {
		clock = nil
	}
	if c.Panic {
		clock = func() time.Time {
			if _, err := os.Stat(c.Path + panicSuffix); err == nil {
				panic("the clock has stopped")
			}
			return noon
		}
	}
	err := Run(context.Background(), Options{
		Open: func(ctx context.Context, create bool) (*core.Service, io.Closer, error) {
			if _, err := os.Stat(c.Path); err != nil && !create {
				return nil, nil, core.NewError(core.CodeStoreUnavailable, "There is no store.",
					core.Extra{Name: "path", Value: c.Path}, core.Extra{Name: "reason", Value: "missing"})
			}
			s, err := store.Open(ctx, store.Options{Path: c.Path, Create: create, ReadOnly: c.ReadOnly})
			if err != nil {
				return nil, nil, err
			}
			return core.New(core.Config{Store: s, Folder: notesBeside(c.Path), Now: clock, NewID: numberedIDs(), ReadOnly: c.ReadOnly}), s, nil
		},
		Agent: "you@box", AgentSource: "config", StorePath: "~/src/acme/.lithos/lithos.db", Name: "acme", Version: "0.4", Theme: c.Theme,
		ASCII: c.ASCII, Mouse: !c.NoMouse, ReadOnly: c.ReadOnly, Now: clock, Editor: os.Getenv("LITHOS_TEST_EDITOR"),
		Accessible: c.Accessible,
		NewText:    func(text string) (string, error) { return newText(filepath.Dir(c.Path), text) },
		DropDraft:  os.Remove,
		KeepDraft: func(d Draft) {
			text, err := json.Marshal(d)
			fmt.Printf("kept: %s %v\n", text, err)
		},
		Filters: map[string]string{"mine": "is:mine", "urgent docs": "p:<2 tag:docs"},
	})
	var signalled *Signalled
	var crash *Crash
	switch {
	case errors.As(err, &signalled):
		return 128 + int(signalled.Signal)
	case errors.As(err, &crash):
		fmt.Println("crashed:", crash.Value)
		return 70
	case err != nil:
		fmt.Println(err)
		return 1
	}
	return 0
}

// terminal is a terminal with the UI on it.
type terminal struct {
	t    testing.TB
	w, h int
	pty  *os.File
	cmd  *exec.Cmd
	path string

	mu    sync.Mutex
	emu   *vt.Emulator
	raw   bytes.Buffer
	held  []byte        // the end of what was read, which may go on
	wrote time.Time     // when the UI last wrote
	done  chan struct{} // closed when the UI is gone
}

// openTerminal starts the UI on a fixture in a terminal of a size.
func openTerminal(t testing.TB, f fixture, w, h int, c childOptions, env ...string) *terminal {
	t.Helper()
	if c.Path == "" {
		c.Path = filepath.Join(t.TempDir(), "lithos.db")
		s, err := makeStore(f, c.Path, func() time.Time { return noon })
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if c.Theme == "" {
		c.Theme = "mono"
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, w: w, h: h, path: c.Path}
	x.start(exec.Command(os.Args[0]), append(env, childVariable+"="+string(text))...)
	return x
}

// start runs a command on the terminal.
func (x *terminal) start(cmd *exec.Cmd, env ...string) {
	x.t.Helper()
	x.emu, x.done, x.cmd = vt.NewEmulator(x.w, x.h), make(chan struct{}), cmd
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "TZ=UTC", "COLORFGBG=", "NO_COLOR=", "CI=")
	cmd.Env = append(cmd.Env, env...)
	var err error
	if x.pty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(x.h), Cols: uint16(x.w)}); err != nil {
		x.t.Fatal(err)
	}
	go x.read()
	go func() {
		// Answers of the terminal go to the program, as keys do.
		_, _ = io.Copy(x.pty, x.emu)
	}()
	x.t.Cleanup(x.end)
}

// read feeds the emulator with what the UI writes.
func (x *terminal) read() {
	defer close(x.done)
	buffer := make([]byte, 64<<10)
	for {
		n, err := x.pty.Read(buffer)
		x.mu.Lock()
		x.raw.Write(buffer[:n])
		// The emulator takes the end of what it is given for the end of a
		// character, and long frames arrive in pieces.
		text := append(x.held, buffer[:n]...)
		x.held = nil
		if last := bytes.LastIndexByte(text, 0x1b); err == nil && n >= longPiece && last > 0 {
			x.held = bytes.Clone(text[last:])
			text = text[:last]
		}
		x.feed(text)
		x.wrote = time.Now()
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// feed gives the emulator what the UI wrote. The lock is held.
func (x *terminal) feed(text []byte) {
	if _, err := x.emu.Write(text); err != nil {
		x.t.Error(err)
	}
}

// release feeds the end that was held back once nothing has followed for a
// while: it was whole. The lock is held.
func (x *terminal) release() {
	if len(x.held) > 0 && time.Since(x.wrote) > pieceGap {
		x.feed(x.held)
		x.held = nil
	}
}

// pieceGap is how long the rest of a frame may take to arrive.
const pieceGap = 50 * time.Millisecond

// longPiece is the length from which on what was read may go on.
const longPiece = 1024

// end quits the UI and waits for it.
func (x *terminal) end() {
	if x.cmd.ProcessState == nil {
		x.send("\x03")
		_, _ = x.wait(5 * time.Second)
	}
}

// wait waits for the UI to end and returns its exit status.
func (x *terminal) wait(limit time.Duration) (status int, ok bool) {
	ended := make(chan error, 1)
	go func() { ended <- x.cmd.Wait() }()
	select {
	case <-ended:
		<-x.done
		_ = x.pty.Close()
		// Not the emulator itself: its Close races with the copying of answers.
		if answers, ok := x.emu.InputPipe().(io.Closer); ok {
			_ = answers.Close()
		}
		return x.cmd.ProcessState.ExitCode(), true
	case <-time.After(limit):
		screen := x.screen()
		_ = x.cmd.Process.Signal(syscall.SIGQUIT) // it tells where it hangs
		<-ended
		<-x.done
		x.t.Errorf("the UI did not end within %s:\n%s\n%s", limit, screen, x.tail())
		return -1, false
	}
}

// send sends keys as a keyboard does: an escape is followed by a pause, or
// what comes next would be taken as part of it.
func (x *terminal) send(keys string) {
	for len(keys) > 0 {
		n := strings.Index(keys[1:], "\x1b") + 1
		if n == 0 {
			n = len(keys)
		}
		if keys[0] == 0x1b && !strings.HasPrefix(keys, "\x1b[") {
			n = 1
		}
		x.write(keys[:n])
		if keys[0] == 0x1b {
			time.Sleep(escapePause)
		}
		keys = keys[n:]
	}
}

// write sends bytes at once.
func (x *terminal) write(keys string) {
	if _, err := x.pty.WriteString(keys); err != nil && x.cmd.ProcessState == nil {
		x.t.Logf("send: %v", err)
	}
}

// escapePause is longer than the program waits for the rest of a sequence.
const escapePause = 25 * time.Millisecond

// screen is the text on the screen, line by line.
func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.release()
	var out strings.Builder
	for y := range x.h {
		for i := 0; i < x.w; i++ {
			cell := x.emu.CellAt(i, y)
			if cell == nil || cell.Content == "" {
				if cell == nil || cell.Width > 0 {
					out.WriteByte(' ')
				}
				continue
			}
			out.WriteString(cell.Content)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// styled is the screen with its styles.
func (x *terminal) styled() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.release()
	return x.emu.Render() + "\n"
}

// tail is the end of what the UI wrote.
func (x *terminal) tail() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	text := x.raw.String()
	return text[max(len(text)-6_000, 0):]
}

// patience is how long a test waits for a screen.
const patience = 10 * time.Second

// until waits until the screen passes, and fails when it does not.
func (x *terminal) until(what string, passes func(screen string) bool) {
	x.t.Helper()
	for end := time.Now().Add(patience); ; {
		screen := x.screen()
		if passes(screen) {
			return
		}
		if time.Now().After(end) {
			x.t.Fatalf("%s does not come:\n%s\nwritten last: %q", what, screen, x.tail())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// shows waits until all the texts are on the screen.
func (x *terminal) shows(texts ...string) {
	x.t.Helper()
	for _, text := range texts {
		x.until(fmt.Sprintf("%q", text), func(screen string) bool { return strings.Contains(screen, text) })
	}
}

// hides waits until a text is gone.
func (x *terminal) hides(text string) {
	x.t.Helper()
	x.until(fmt.Sprintf("the end of %q", text), func(screen string) bool { return !strings.Contains(screen, text) })
}

// settle waits until nothing has been written for a while.
func (x *terminal) settle(quiet time.Duration) {
	for {
		x.mu.Lock()
		since := time.Since(x.wrote)
		x.mu.Unlock()
		if since >= quiet {
			return
		}
		time.Sleep(quiet - since)
	}
}

// updatePause is longer than a loaded machine takes to answer keys.
const updatePause = 900 * time.Millisecond

// golden compares the screen with a file of testdata/frames, or writes it.
func (x *terminal) golden(name string) {
	x.t.Helper()
	x.goldenOf(filepath.Join(fmt.Sprintf("%dx%d", x.w, x.h), name+".txt"), x.screen)
}

// blankColor is a colour of letters in which only spaces are written.
var blankColor = regexp.MustCompile(`\x1b\[38;2;[0-9;]*m( *\x1b\[38;2;)`)

// plainBlanks leaves out the colours of blanks, which nobody sees: whether the
// emulator remembers that of its first cell depends on how the output arrives.
func plainBlanks(styled string) string {
	for {
		plain := blankColor.ReplaceAllString(styled, "$1")
		if plain == styled {
			return plain
		}
		styled = plain
	}
}

func (x *terminal) goldenOf(name string, screen func() string) {
	x.t.Helper()
	path := filepath.Join("testdata", "frames", name)
	if *update {
		time.Sleep(updatePause) // the keys arrive
		x.settle(updatePause)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			x.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(screen()), 0o644); err != nil {
			x.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		x.t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; {
		got := screen()
		if plainBlanks(got) == plainBlanks(string(want)) {
			return
		}
		if time.Now().After(end) {
			x.t.Errorf("%s differs; want\n%sgot\n%s", name, want, got)
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// other is the store as another process has it.
func (x *terminal) other() *core.Service {
	x.t.Helper()
	s, err := store.Open(context.Background(), store.Options{Path: x.path})
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			x.t.Error(err)
		}
	})
	return core.New(core.Config{Store: s, Folder: notesBeside(x.path), Now: func() time.Time { return noon.Add(time.Minute) }})
}
