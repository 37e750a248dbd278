package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

const (
	escKey   = "\x1b"
	enterKey = "\r"
	tabKey   = "\t"
	downKey  = "\x1b[B"
	rightKey = "\x1b[C"
	saveKey  = "\x13"
)

// frameSizes are the sizes of the golden frames.
var frameSizes = [][2]int{{80, 24}, {140, 40}, {44, 16}}

// shot is a frame: the keys that lead to it and those that lead back.
type shot struct {
	name       string
	keys, back string
	wait       string // a text that shows that the keys have arrived
}

// boardShots begin and end on the board with the cursor on the first ready
// task.
var boardShots = []shot{
	{"board", "", "", "3f9a1c"},
	{"blocked", "2jj", "kk1", "Blocked"},
	{"claimed", "3", "21", "Claimed"},
	{"gates", "4", "1", "needs a person"},
	{"done", "5", "21", "Done"},
	{"sequence", "g", escKey, "Board"},
	{"filter", "/claim p:<2 -tag:docs", escKey, "claim p:<2"},
	{"filter_nothing", "/zebra", escKey, "No match"},
	{"filter_kept", "/claim" + enterKey, escKey, "esc clears"},
	{"filters_saved", "F", escKey, "urgent docs"},
	{"help", "?", escKey, "Keys"},
	{"help_search", "?lease", escKey + escKey, "lease"},
	{"palette", ":claim", escKey, "Commands"},
	{"claim", "c", escKey, "Aspect"},
	{"claim_blocked", "2c", escKey + "1", "still blocked"},
	{"renew_for", "3jR", escKey + "k21", "Renew 02f83d"},
	{"complete", "x", escKey, "Outcome"},
	{"throw_away", "nhalf" + escKey, "y", "Throw away"},
	{"quit_asks", "nhalf\x03", enterKey + escKey + "y", "Quit and lose"},
	{"cancel", "X", escKey, "Reason"},
	{"create", "n", escKey, "New task"},
	{"create_gate", "4n" + tabKey + tabKey + rightKey, escKey + "y1", "New task"},
	{"spawn", "s", escKey, "Spawn from"},
	{"edit", "e", escKey, "Edit 3f9a1c"},
	{"finding", "f", escKey, "Finding on"},
	{"add_blocker", "awri", escKey, "waits on"},
	{"move", "m", escKey, "under"},
	{"marks", " j ", "kkk j kkk", "+"},
	{"task_text", enterKey, "q", "daemon"},
	{"task_tree", enterKey + "3", "q", "Query-time"},
	{"task_claims", enterKey + "4", "q", "Nobody has claimed it"},
	{"task_log", enterKey + "5", "q", "Findings"},
	{"task_why_ready", "w", "q", "can be started"},
	{"task_why", "2" + enterKey, "q1", "What frees it"},
	{"task_why_unfolded", "2" + enterKey + "jj" + rightKey, "q1", "9b02a7"},
	{"remove_blocker", "2A", escKey + "1", "Remove a blocker"},
	{"reopen", "5o", escKey + "21", "Reopen"},
	{"task_done", "5jjj" + enterKey, "q" + "kkk21", "One column"},
}

func TestFrames(t *testing.T) {
	for _, size := range frameSizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			x := openTerminal(t, acme, size[0], size[1], childOptions{})
			for _, s := range boardShots {
				x.shows("1 Ready", "3f9a1c")
				x.send(s.keys)
				x.golden(s.name)
				x.send(s.back)
			}
		})
	}
}

// TestFrames_allOfThem holds the list of frames and the files equal.
func TestFrames_allOfThem(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "frames", "*", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var w, h int
		if _, err := fmt.Sscanf(filepath.Base(filepath.Dir(f)), "%dx%d", &w, &h); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(text), "\n"); lines != h {
			t.Errorf("%s has %d lines", f, lines)
		}
		for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			if n := cells(line); n != w {
				t.Errorf("%s: line %d is %d cells wide", f, i+1, n)
			}
		}
	}
}

func TestFrames_refusals(t *testing.T) {
	for _, size := range frameSizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			x := openTerminal(t, acme, size[0], size[1], childOptions{})
			other := x.other()
			x.shows("1 Ready 4")
			x.send("3c\x1b[Z" + "\x15" + "code" + saveKey)
			x.golden("claim_refused")
			x.send(escKey + "y" + "1")
			x.shows("1 Ready")
			x.send("e\x05, soon")
			x.shows("sweeper, soon")
			title, priority := "Wire the lease sweeper", core.Metadata(`{"priority":"low"}`)
			must[core.TaskUpdateResult](t)(other.TaskUpdate(ctx, core.TaskUpdateRequest{TaskID: longID("3f9a1c"), Agent: "planner-1", Title: &title, Metadata: &priority}))
			x.send(saveKey)
			x.golden("conflict")
			x.send(enterKey)
			x.shows("Edit 3f9a1c", "sweeper, soon")
			x.golden("conflict_keep_editing")
			x.send(escKey + "y")
			x.hides("Edit 3f9a1c")
			x.send("gl")
			x.shows("· planner-1 edited") // before what is said next
			x.send(escKey)
			x.hides("Messages")
			x.send("r")
			x.golden("impossible")
			x.send("gl")
			x.golden("messages")
			x.send(escKey)
		})
	}
}

func TestFrames_states(t *testing.T) {
	nothingReady := acme
	nothingReady.tasks = nil
	for _, task := range acme.tasks {
		switch task.id {
		case "3f9a1c", "9f3c70", "81c0d2", "b2d4e9":
			task.status, task.closed = core.StatusCompleted, hour
		}
		nothingReady.tasks = append(nothingReady.tasks, task)
	}
	newer := filepath.Join(t.TempDir(), "newer.db")
	s, err := makeStore(fixture{}, newer, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	setSchema(t, newer, 9)
	for _, size := range frameSizes {
		for _, state := range []struct {
			name string
			f    fixture
			c    childOptions
			keys string
		}{
			{name: "empty", c: childOptions{Path: filepath.Join(t.TempDir(), "none.db")}},
			{name: "nothing_ready", f: nothingReady},
			{name: "read_only", f: acme, c: childOptions{ReadOnly: true}, keys: ":"},
			{name: "newer_schema", c: childOptions{Path: newer}},
			{name: "hostile", f: hostile},
			{name: "hostile_task", f: hostile, keys: "j" + enterKey},
			{name: "ascii", f: acme, c: childOptions{ASCII: true}},
			{name: "ascii_why", f: acme, c: childOptions{ASCII: true}, keys: "2w"},
		} {
			t.Run(fmt.Sprintf("%dx%d/%s", size[0], size[1], state.name), func(t *testing.T) {
				t.Parallel()
				x := openTerminal(t, state.f, size[0], size[1], state.c)
				x.shows("lithos")
				if state.keys != "" {
					x.shows("Ready")
					x.settle(100 * time.Millisecond)
					x.send(state.keys)
				}
				x.golden(state.name)
			})
		}
	}
}

func TestFrames_colours(t *testing.T) {
	for _, theme := range []string{"catppuccin-mocha", "deuteranopia-light"} {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			x := openTerminal(t, acme, 80, 24, childOptions{Theme: theme})
			x.shows("3f9a1c")
			for _, s := range []shot{{"board", " ", "", ""}, {"task_why", "2w", "q1", ""}, {"gates", "4", "1", ""}, {"claim", "c", escKey, ""}} {
				x.send(s.keys)
				x.goldenOf(filepath.Join(theme, s.name+".ansi"), x.styled)
				x.send(s.back)
			}
		})
	}
}
