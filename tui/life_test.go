package tui

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"dev.lithos/core"
)

// The sequences that begin and end the use of the terminal.
const (
	enterScreen = "\x1b[?1049h"
	leaveScreen = "\x1b[?1049l"
	hideCursor  = "\x1b[?25l"
	showCursor  = "\x1b[?25h"
	mouseOn     = "\x1b[?1002h"
	mouseOff    = "\x1b[?1002l"
)

// restored fails unless the terminal was left as it was found.
func (x *terminal) restored() {
	x.t.Helper()
	raw := x.output()
	for _, pair := range [][2]string{{enterScreen, leaveScreen}, {hideCursor, showCursor}} {
		if on, off := strings.LastIndex(raw, pair[0]), strings.LastIndex(raw, pair[1]); on < 0 || off < on {
			x.t.Errorf("%q is not followed by %q", pair[0], pair[1])
		}
	}
}

// output is everything the UI wrote.
func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

func TestTerminal_isRestored(t *testing.T) {
	for _, c := range []struct {
		name   string
		end    func(*terminal)
		status int
	}{
		{"q", func(x *terminal) { x.send("q") }, 0},
		{"ctrl+c in a form", func(x *terminal) { x.send("n"); x.shows("New task"); x.send("\x03") }, 0},
		{"SIGTERM", func(x *terminal) { signalUI(x, syscall.SIGTERM) }, 128 + 15},
		{"SIGHUP", func(x *terminal) { signalUI(x, syscall.SIGHUP) }, 128 + 1},
		{"panic", func(x *terminal) {
			if err := os.WriteFile(x.path+panicSuffix, nil, 0o600); err != nil {
				x.t.Fatal(err)
			}
			x.send("j")
		}, 70},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := openTerminal(t, acme, 80, 24, childOptions{Panic: c.name == "panic"})
			x.shows("3f9a1c")
			c.end(x)
			if status, ok := x.wait(patience); ok && status != c.status {
				t.Errorf("exit status %d, want %d\n%s", status, c.status, x.tail())
			}
			x.restored()
			if c.name == "panic" && !strings.Contains(x.output(), "crashed: the clock has stopped") {
				t.Errorf("the crash is not reported:\n%s", x.tail())
			}
		})
	}
}

func signalUI(x *terminal, s syscall.Signal) {
	if err := x.cmd.Process.Signal(s); err != nil {
		x.t.Fatal(err)
	}
}

// TestTerminal_isLeftAlone holds that nothing is written while nothing
// happens, little while the cursor moves, and never a cleared screen.
func TestTerminal_isLeftAlone(t *testing.T) {
	x := openTerminal(t, acme, 80, 24, childOptions{})
	x.shows("background daemon:")
	x.settle(300 * time.Millisecond)
	before := len(x.output())
	time.Sleep(1500 * time.Millisecond) // several polls
	if n := len(x.output()) - before; n != 0 {
		t.Errorf("%d bytes were written while nothing happened: %q", n, x.output()[before:])
	}
	for _, c := range []struct{ key, id string }{{"j", "9f3c70 Sweep claims on Update ─"}, {"j", "81c0d2 Print ready list as table ─"}, {"k", "9f3c70 Sweep claims on Update ─"}} {
		before = len(x.output())
		x.send(c.key)
		x.shows(c.id)
		x.settle(200 * time.Millisecond)
		if n := len(x.output()) - before; n > 2048 {
			t.Errorf("moving the cursor wrote %d bytes", n)
		}
	}
	if strings.Contains(x.output()[strings.Index(x.output(), "lithos"):], "\x1b[2J") {
		t.Error("the screen was cleared between frames")
	}
}

func TestTerminal_mouse(t *testing.T) {
	off := openTerminal(t, acme, 80, 24, childOptions{NoMouse: true})
	off.shows("3f9a1c")
	off.send("q")
	off.wait(patience)
	for _, code := range []string{"\x1b[?1000h", mouseOn, "\x1b[?1003h", "\x1b[?1006h"} {
		if strings.Contains(off.output(), code) {
			t.Errorf("the mouse is off, yet %q was sent", code)
		}
	}
	x := openTerminal(t, acme, 80, 24, childOptions{})
	x.shows("3f9a1c")
	x.send("\x1b[<0;5;5M\x1b[<0;5;5m") // the second row of Ready
	x.shows("9f3c70 Sweep claims on Update ─")
	x.send("\x1b[<0;50;1M") // nothing is there
	x.send("\x1b[<0;17;2M") // the tab of Blocked
	x.shows("[2 Blocked 8]", "19ab44 Ship v0.2 ─")
	x.send("\x1b[<65;50;8M") // the wheel
	x.shows("e3a96f Re-key claims by aspect")
	x.write("\x1bm") // alt+m
	x.shows("The mouse belongs to the terminal")
	if !strings.Contains(x.output(), mouseOff) {
		t.Error("the mouse was not given back")
	}
}

// TestTerminal_resize holds that a resized screen is the one of a fresh start.
func TestTerminal_resize(t *testing.T) {
	x := openTerminal(t, acme, 80, 24, childOptions{})
	x.shows("3f9a1c")
	for _, size := range [][2]int{{120, 40}, {20, 5}, {1, 1}, {200, 60}, {40, 12}, {140, 40}, {80, 24}} {
		x.resize(size[0], size[1])
		if size[0] >= minWidth {
			x.shows("3f9a1c")
		}
	}
	x.golden("board")
	x.send("c")
	x.shows("Aspect")
	x.resize(30, 10)
	x.shows("too small")
	x.resize(80, 24)
	x.golden("claim")
}

func (x *terminal) resize(w, h int) {
	x.t.Helper()
	x.mu.Lock()
	x.w, x.h = w, h
	x.emu.Resize(w, h)
	x.mu.Unlock()
	if err := setSize(x.pty, w, h); err != nil {
		x.t.Fatal(err)
	}
	x.settle(60 * time.Millisecond)
}

// TestTerminal_aDay is a person's session while other processes write to the
// same store.
func TestTerminal_aDay(t *testing.T) {
	ctx := context.Background()
	x := openTerminal(t, acme, 80, 24, childOptions{})
	other := x.other()
	x.shows("1 Ready 4", "▌○ 3f9a1c")
	x.send("/sweep")
	x.shows("Ready 2 of 4")
	x.send(escKey)
	x.shows("2 Blocked 8")
	x.send("2w")
	x.shows("Why blocked", "3f9a1c Wire claim lease", "build-7, 52m left")
	x.send("q1")
	x.shows("[1 Ready 4]")
	x.send("c" + enterKey)
	x.shows("3f9a1c claimed by you@box until 15:02", "[1 Ready 3]", "3 Claimed 3")

	// Another process completes a blocker; a card moves.
	must[core.TaskCompleteResult](t)(other.TaskComplete(ctx, core.TaskCompleteRequest{TaskID: longID("9b02a7"), Agent: "dana"}))
	x.shows("[1 Ready 4]", "4c1e08 Turn on writes")
	x.send("3")
	x.shows("▌◐ 3f9a1c Wire claim lease sweeper")
	x.send("x" + "wired" + saveKey)
	x.shows("completed 3f9a1c", "3 Claimed 2")
	if task := must[core.TaskGetResult](t)(other.TaskGet(ctx, core.TaskGetRequest{TaskID: longID("3f9a1c")})).Task; task.Outcome == nil || *task.Outcome != "wired" {
		t.Errorf("the outcome is %v", task.Outcome)
	}
	x.send("U")
	x.shows("reopened 3f9a1c; its claims do not come back", "1 Ready 5")

	// A form is open and nothing is locked: others write at once.
	x.send("1n" + "Half typed")
	x.shows("Half typed")
	began := time.Now()
	must[core.TaskCreateResult](t)(other.TaskCreate(ctx, core.TaskCreateRequest{Title: "From elsewhere", Agent: "mo"}))
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("another process waited %s", took)
	}
	x.send(saveKey)
	x.shows("Half typed", "From elsewhere", "1 Ready 7")
	x.send("Y")
	x.shows("Sent to copy, as done last: lithos")
	if !strings.Contains(x.output(), "\x1b]52;c;") {
		t.Error("nothing was sent to the clipboard")
	}
}
