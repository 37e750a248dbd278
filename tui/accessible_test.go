package tui

import (
	"bytes"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// converse drives the UI in accessible mode: answers are what a person types,
// line by line, in all conversations together. It returns what they print.
func converse(t *testing.T, answers ...string) (*driver, *bytes.Buffer) {
	t.Helper()
	d := drive(t, acme, 80, 24, func(o *Options) { o.Accessible = true })
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(answers, "\n") + "\n")
	d.m.leaveScreen = func(c tea.ExecCommand, then tea.ExecCallback) tea.Cmd {
		return func() tea.Msg {
			c.SetStdin(oneByte{in}) // a terminal gives one line at a time
			c.SetStdout(&out)
			return then(c.Run())
		}
	}
	return d, &out
}

// oneByte keeps readers from reading ahead into the next conversation.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 1)]) }

// says fails unless a transcript holds the texts in this order.
func says(t *testing.T, transcript string, texts ...string) {
	t.Helper()
	rest := transcript
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("%q is not said, or not in this order:\n%s", text, transcript)
		}
		rest = after
	}
}

// taskTitled is the stored task with a title.
func (d *driver) taskTitled(title string) core.Task {
	d.t.Helper()
	list := must[core.TaskListResult](d.t)(d.service.TaskList(d.t.Context(), core.TaskListRequest{}))
	for _, task := range list.Tasks {
		if task.Title == title {
			return task
		}
	}
	d.t.Fatalf("there is no task %q", title)
	return core.Task{}
}

func TestAccessible_claim(t *testing.T) {
	d, out := converse(t, "code", "forever", "30m", "")
	d.press("c")
	says(t, out.String(), "Claim 3f9a1c\nWire claim lease sweeper\n", "Ctrl+D leaves and changes nothing", "Aspect [work, - empties]: ",
		"Agent: you@box", "Lease in minutes, or like 1h30m, until 15:02 [60, - empties]: ", "A lease is 1 to 480 minutes long", "Held now: none\n", "  1. Claim\n  2. Cancel\nThen [1]: ")
	d.shows("3f9a1c claimed by you@box until 14:32")
	if claims := d.task("3f9a1c").Claims; len(claims) != 1 || claims[0].Aspect != "code" {
		t.Errorf("the claims are %v", claims)
	}
}

func TestAccessible_refusalIsSaidAndWhatWasTypedStays(t *testing.T) {
	d, out := converse(t, "code", "", "", "review", "", "")
	d.press("3", "c")
	says(t, out.String(), "build-7 holds code until 14:54", "(claim_failed)", "Aspect [code, - empties]: ")
	if claims := d.task("70bec2").Claims; len(claims) != 2 || claims[1].Aspect != "review" {
		t.Errorf("the claims are %v", claims)
	}
}

func TestAccessible_create(t *testing.T) {
	d, out := converse(t,
		"Überall \U0001f469\u200d\U0001f680", // title
		"x", "1",                             // kind: no number, then a task
		"claims & leases", "1", // parent
		"sweep", "3f9a1c", "1", "", // waits on: nothing found is asked again
		"one, two", "", "2", // tags, project, priority
		"first line", "", "third", ".", // text
		"")
	d.press("n")
	says(t, out.String(), "New task\n", "Title: ", "  1. task\n  2. epic\n  3. gate\n", "A number from 1 to 3 is needed.", "0c4d9a Claims & leases, epic",
		"Tags, separated by commas: ", "Text, a line with only . ends it:\n> > > > ")
	d.shows("created ")
	task := d.taskTitled("Überall \U0001f469\u200d\U0001f680")
	if *task.Description != "first line\n\nthird" || task.Tags.Text() != `["one","two"]` || task.Priority() != "high" {
		t.Errorf("it was made as %+v", task)
	}
	view := must[core.TaskView](t)(d.service.TaskView(t.Context(), task.ID))
	if len(view.Parents) != 1 || view.Parents[0].ShortID != "0c4d9a" || len(view.Waits) != 1 || view.Waits[0].Source.ShortID != "3f9a1c" {
		t.Errorf("it stands below %v and waits on %v", view.Parents, view.Waits)
	}
}

func TestAccessible_timerGate(t *testing.T) {
	d, _ := converse(t, "Thaw", "3", "2", "+2h", "", "", "", "", "6", ".", "")
	d.press("n")
	if at, _ := d.taskTitled("Thaw").Metadata.GetString("ready_at"); at != "2026-03-02T16:02:00+00:00" {
		t.Errorf("it opens at %q", at)
	}
}

func TestAccessible_cancelAsksForConsent(t *testing.T) {
	d, out := converse(t, "", "") // the buttons begin with No
	d.press("X")
	says(t, out.String(), "1 task waits on it and would be STUCK:", "19ab44 Ship v0.2", "Then [3]: ")
	if task := d.task("3f9a1c"); task.Status != core.StatusOpen {
		t.Errorf("it is %s", task.Status)
	}
	d.hides("STUCK")
}

func TestAccessible_moveSearches(t *testing.T) {
	d, out := converse(t, "wire", "8e2163", "1")
	d.press("m")
	says(t, out.String(), "Move 3f9a1c under, words or the start of an id, empty for no more: ", "No match.", "8e2163 Gate types, epic")
	view := must[core.TaskView](t)(d.service.TaskView(t.Context(), longID("3f9a1c")))
	if view.Parents[0].ShortID != "8e2163" {
		t.Errorf("its parent is %s", view.Parents[0].ShortID)
	}
}

func TestAccessible_theEndOfInputLeaves(t *testing.T) {
	d, out := converse(t)
	d.press("e")
	says(t, out.String(), "Edit 3f9a1c", "Title [Wire claim lease sweeper, - empties]: ")
	d.hides("Edit 3f9a1c")
	if task := d.task("3f9a1c"); task.Version != 3 {
		t.Errorf("it was changed: v%d", task.Version)
	}
	d.press("j") // keys work again
	d.cursorOn("9f3c70")
}

func TestAccessible_onTheTerminal(t *testing.T) {
	x := openTerminal(t, acme, 80, 24, childOptions{Accessible: true})
	x.shows("1 Ready 4", "3f9a1c")
	x.send("c")
	x.shows("Claim 3f9a1c", "Aspect [work, - empties]:")
	x.send("desgin\x7f\x7f\x7f\x7fsign\r") // the terminal edits the line
	x.shows("[60, - empties]:")
	x.send("\r")
	x.shows("Then [1]:")
	x.send("\r")
	x.shows("3f9a1c claimed by you@box until 15:02", "1 Ready 3")
	x.send("3")
	x.shows("you@box · design · 1h")
	x.send("n")
	x.shows("Title:")
	x.send("\x04")
	x.shows("3 Claimed 3")
	x.send("n")
	x.shows("Title:")
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status, ok := x.wait(5 * time.Second); ok && status != 128+int(syscall.SIGTERM) {
		t.Errorf("it ended with %d", status)
	}
	if raw := x.tail(); strings.LastIndex(raw, "\x1b[?1049h") > strings.LastIndex(raw, "\x1b[?1049l") {
		t.Errorf("the screen was left in the alternate state: %q", raw)
	}
}

func TestAccessible_onlyWhereItIsAskedFor(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.m.leaveScreen = func(tea.ExecCommand, tea.ExecCallback) tea.Cmd {
		t.Error("the screen is left")
		return nil
	}
	d.press("c")
	d.shows("Aspect")
}
