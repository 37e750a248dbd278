package tui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
)

// The command that stands for what was done does the same, as the same agent,
// when a shell runs it.
func TestCommand_doesTheSame(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", lithosVariable, program)
	if err := os.WriteFile(filepath.Join(bin, "lithos"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	before := map[string]string{ // what there has to be first
		"undo":      "lithos task complete 3f9a1c --agent you@box",
		"undo edge": "lithos task edge upsert b2d4e9 3f9a1c --type blocks --agent you@box",
		"renew":     "lithos task claim 02f83d --aspect design --agent you@box", // the fixture's lease has long ended
	}
	for name, act := range map[string]func(*driver){
		"claim":   func(d *driver) { d.press("c"); d.typeText("90"); d.press("enter") },
		"several": func(d *driver) { d.press("space", "space", "C") },
		"release": func(d *driver) { d.press("3"); d.onOwnClaim(); d.press("u") },
		"renew":   func(d *driver) { d.press("3"); d.onOwnClaim(); d.press("r") },
		"complete": func(d *driver) {
			d.press("x")
			d.typeText("it's done")
			d.press("enter")
			d.typeText("- all")
			d.press("ctrl+s")
		},
		"cancel": func(d *driver) { d.press("X"); d.typeText("-no $HOME"); d.press("enter", "y") },
		"reopen": func(d *driver) { d.press("5", "o", "enter") },
		"create": func(d *driver) { d.press("n"); d.typeText("-x `y` \"z\""); d.press("ctrl+s") },
		"spawn":  func(d *driver) { d.press("s"); d.typeText("New"); d.press("tab", "right", "tab", "space", "ctrl+s") },
		"edit": func(d *driver) {
			d.press("e")
			d.typeText("!")
			d.press("tab")
			d.typeText("a, b")
			d.press("tab", "ctrl+u", "enter")
		},
		"finding": func(d *driver) { d.press("f"); d.typeText("-- look"); d.press("ctrl+s") },
		"blocker": func(d *driver) { d.press("a"); d.typeText("docu"); d.press("enter") },
		"unblock": func(d *driver) { d.press("2", "A", "enter") },
		"move":    func(d *driver) { d.press("m"); d.typeText("tui"); d.press("enter") },
		"undo":    func(d *driver) { d.press("x", "ctrl+s", "U") },
		"undo edge": func(d *driver) {
			d.press("a")
			d.typeText("docu")
			d.press("enter", "U")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := drive(t, acme, 80, 24)
			act(d)
			command := d.m.command
			if before, ok := before[name]; ok {
				command = before + " && " + command
			}
			s, path := fixtureStore(t, acme, nil)
			shell := exec.CommandContext(t.Context(), "sh", "-c", command)
			shell.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "LITHOS_DB="+path, "HOME="+t.TempDir())
			if out, err := shell.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", command, err, out)
			}
			other := core.New(core.Config{Store: s, Now: func() time.Time { return noon }, NewID: numberedIDs()})
			if got, want := stateOfAll(t, other), stateOfAll(t, d.service); got != want {
				t.Errorf("%s\nmade\n%s\nwant\n%s", command, got, want)
			}
		})
	}
}

// stateOfAll is how the tasks of a store stand, without what differs from run to
// run.
func stateOfAll(t *testing.T, s *core.Service) string {
	t.Helper()
	ctx := context.Background()
	list := must[core.TaskListResult](t)(s.TaskList(ctx, core.TaskListRequest{}))
	var lines []string
	for _, task := range list.Tasks {
		view := must[core.TaskView](t)(s.TaskView(ctx, task.ID))
		line := fmt.Sprintf("%q %s %s v%d %s", task.Title, task.Status, task.Type, task.Version, task.Metadata)
		if task.Outcome != nil {
			line += fmt.Sprintf(" %q", *task.Outcome)
		}
		tags := task.Tags.List()
		line += fmt.Sprint(" ", tags)
		for _, claim := range view.Claims {
			line += " " + claim.Agent + "/" + claim.Aspect
		}
		for _, w := range view.Waits {
			line += fmt.Sprintf(" waits %s %q", w.Edge, w.Source.Title)
		}
		for _, parent := range view.Parents[:min(len(view.Parents), 1)] {
			line += fmt.Sprintf(" under %q", parent.Title)
		}
		for _, f := range view.Findings {
			line += fmt.Sprintf(" finding %s %q", f.Agent, f.Summary)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
