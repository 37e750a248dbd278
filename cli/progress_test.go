package cli

import (
	"bytes"
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"dev.lithos/core/display"
)

// screen collects what is drawn; it is written to by a timer too.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// drawnAt is a call at a terminal whose standard error is collected.
func drawnAt(width int) (*call, *screen) {
	drawn := &screen{}
	env := &Env{
		Stderr: drawn, StderrIsTerminal: true, Size: func() (int, int) { return width, 24 },
		LookupEnv: func(string) (string, bool) { return "", false }, Now: time.Now,
	}
	c := newCall(context.Background(), env, invocation{})
	c.session.config = config{values: map[string]setting{"ascii": {text: "false"}}}
	return c, drawn
}

// TestProgress holds that long work shows how far it is, within its line, and
// takes that away in the end.
func TestProgress(t *testing.T) {
	c, drawn := drawnAt(40)
	bar := c.progress("Backing up")
	bar.tell("copying", 3, 12)
	for deadline := time.Now().Add(10 * time.Second); drawn.String() == ""; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing is drawn")
		}
	}
	bar.tell("checking", 0, 0)
	bar.end()
	bar.end()
	bar.tell("late", 1, 2)
	lines := strings.Split(drawn.String(), clearedLine)
	want := []string{"", "Backing up, copying ██░░░░░░░░░ 25 %", "Backing up, checking …", ""}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("drawn is %q instead of %q", lines, want)
	}
}

func TestProgress_lines(t *testing.T) {
	for _, test := range []struct {
		p     *progress
		width int
		want  string
	}{
		{&progress{title: "Importing", done: 5}, 77, "Importing 5 …"},
		{&progress{title: "Importing", ascii: true}, 77, "Importing..."},
		{&progress{title: "X", ascii: true, done: 1, total: 2}, 77, "X ############............ 50 %"},
		{&progress{title: "X", done: 9, total: 3}, 77, "X ████████████████████████ 100 %"},
		{&progress{title: "X", done: -1, total: 3}, 77, "X ░░░░░░░░░░░░░░░░░░░░░░░░ 0 %"},
		{&progress{title: "X", done: math.MaxInt64 / 2, total: math.MaxInt64 - 1}, 77, "X ████████████░░░░░░░░░░░░ 50 %"},
		// Narrow terminals: the bar shrinks, then goes, then the words are cut.
		{&progress{title: "Restoring", phase: "comparing", done: 2, total: 3}, 37, "Restoring, comparing ██████░░░░ 66 %"},
		{&progress{title: "Restoring", phase: "comparing", done: 3, total: 3}, 31, "Restoring, comparing ████ 100 %"},
		{&progress{title: "Restoring", phase: "comparing", done: 2, total: 3}, 30, "Restoring, comparing 66 %"},
		{&progress{title: "Restoring", phase: "comparing", done: 2, total: 3}, 17, "Restoring, … 66 %"},
		{&progress{title: "Restoring", phase: "comparing"}, 17, "Restoring, compa…"},
	} {
		if got := test.p.line(test.width); got != test.want || display.Width(got) > test.width {
			t.Errorf("the line is %q instead of %q", got, test.want)
		}
	}
}

// TestProgress_endsWithTheCall: a signal takes the bar away although the work
// goes on.
func TestProgress_endsWithTheCall(t *testing.T) {
	c, drawn := drawnAt(40)
	ctx, end := context.WithCancel(context.Background())
	c.ctx = ctx
	bar := c.progress("Importing")
	bar.first()
	end()
	for deadline := time.Now().Add(10 * time.Second); !strings.HasSuffix(drawn.String(), "Importing …"+clearedLine); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("drawn is %q", drawn.String())
		}
	}
	bar.update(1, 2)
	bar.end()
	if !strings.HasSuffix(drawn.String(), "Importing …"+clearedLine) {
		t.Errorf("drawn is %q", drawn.String())
	}
}

// TestProgress_whereNobodyLooks holds that nothing is drawn elsewhere.
func TestProgress_whereNobodyLooks(t *testing.T) {
	for what, prepare := range map[string]func(*call){
		"no terminal": func(c *call) { c.env.StderrIsTerminal = false },
		"json":        func(c *call) { c.out.json = true },
		"quiet":       func(c *call) { c.globals.quiet = true },
		"dumb":        func(c *call) { c.env.LookupEnv = func(name string) (string, bool) { return "dumb", name == "TERM" } },
	} {
		c, drawn := drawnAt(80)
		prepare(c)
		bar := c.progress("Backing up")
		bar.update(1, 2)
		if bar.timer != nil || bar.to != nil {
			t.Errorf("%s: there is a bar", what)
		}
		bar.end()
		if drawn.String() != "" {
			t.Errorf("%s: drawn is %q", what, drawn.String())
		}
	}
}
