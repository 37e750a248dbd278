package tui

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dev.lithos/core"
	"dev.lithos/store"
)

// driver runs a model without a terminal and without waiting: commands run at
// once, timers when the test moves the clock.
type driver struct {
	t       testing.TB
	m       *model
	store   *store.Store
	path    string        // of the store
	service *core.Service // of another process, as it were
	now     time.Time
	timers  []timer
	said    []string // escape sequences written to the terminal
	quit    bool
}

type timer struct {
	at  time.Time
	msg tea.Msg
}

// soon is how long a timer may be for the driver not to wait for it.
const soon = 100 * time.Millisecond

// drive starts the UI on a fixture at a size.
func drive(t testing.TB, f fixture, w, h int, change ...func(*Options)) *driver {
	t.Helper()
	d := prepare(t, f, change...)
	d.run(d.m.Init())
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

// prepare makes the UI on a fixture; nothing has happened yet.
func prepare(t testing.TB, f fixture, change ...func(*Options)) *driver {
	t.Helper()
	d := &driver{t: t, now: noon}
	clock := func() time.Time { return d.now }
	d.store, d.path = fixtureStore(t, f, clock)
	d.service = core.New(core.Config{Store: d.store, Folder: notesBeside(d.path), Now: clock, NewID: numberedIDs()})
	o := Options{
		Open: func(context.Context, bool) (*core.Service, io.Closer, error) {
			return core.New(core.Config{Store: d.store, Folder: notesBeside(d.path), Now: clock, NewID: numberedIDs()}), io.NopCloser(nil), nil
		},
		Agent: "you@box", StorePath: "~/src/acme/.lithos/lithos.db", Name: "acme", Theme: "mono", Now: clock, Mouse: true, Editor: "vi",
		NewText: func(text string) (string, error) { return newText(t.TempDir(), text) },
	}
	for _, c := range change {
		c(&o)
	}
	d.make(o)
	return d
}

func (d *driver) start(o Options, w, h int) {
	d.t.Helper()
	d.make(o)
	d.run(d.m.Init())
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
}

// make makes the model; its timers are the test's.
func (d *driver) make(o Options) {
	d.t.Helper()
	m, err := newModel(context.Background(), o)
	if err != nil {
		d.t.Fatal(err)
	}
	d.m = m
	m.say = func(sequence string) { d.said = append(d.said, sequence) }
	m.tick = func(after time.Duration, msg tea.Msg) tea.Cmd {
		if after <= soon && after != 20*time.Millisecond {
			return func() tea.Msg { return msg }
		}
		d.timers = append(d.timers, timer{d.now.Add(after), msg})
		return nil
	}
}

// run carries a command out, and those that come of it.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case tea.QuitMsg:
		d.quit = true
	case *Crash:
		d.t.Fatalf("%v\n%s", msg, msg.Stack)
	default:
		d.send(msg)
	}
}

func (d *driver) send(msg tea.Msg) {
	_, cmd := d.m.Update(msg)
	if d.m.crash != nil {
		d.t.Fatalf("%v\n%s", d.m.crash, d.m.crash.Stack)
	}
	d.run(cmd)
}

// keyNames are the keys that are no characters.
var keyNames = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "space": tea.KeySpace,
}

func keyMsg(name string) tea.KeyMsg {
	if t, ok := keyNames[name]; ok {
		k := tea.KeyMsg{Type: t}
		if t == tea.KeySpace {
			k.Runes = []rune{' '}
		}
		return k
	}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyMsg{Type: tea.KeyType(rest[0]-'a') + tea.KeyCtrlA}
	}
	if rest, ok := strings.CutPrefix(name, "alt+"); ok {
		k := keyMsg(rest)
		k.Alt = true
		return k
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// press presses keys one after the other.
func (d *driver) press(keys ...string) {
	d.t.Helper()
	for _, k := range keys {
		d.send(keyMsg(k))
	}
}

// typeText types text character by character.
func (d *driver) typeText(text string) {
	d.t.Helper()
	for _, r := range text {
		if r == ' ' {
			d.press("space")
			continue
		}
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
}

// pass moves the clock and fires the timers that are due, in order.
func (d *driver) pass(by time.Duration) {
	d.t.Helper()
	end := d.now.Add(by)
	for {
		slices.SortStableFunc(d.timers, func(a, b timer) int { return a.at.Compare(b.at) })
		if len(d.timers) == 0 || d.timers[0].at.After(end) {
			break
		}
		next := d.timers[0]
		d.timers = d.timers[1:]
		d.now = next.at
		d.send(next.msg)
	}
	d.now = end
}

// poll lets the UI notice what others have committed.
func (d *driver) poll() {
	d.t.Helper()
	d.pass(pollInterval)
}

// frame is what is on screen. It has exactly the size of the terminal.
func (d *driver) frame() string {
	d.t.Helper()
	styled := d.m.View()
	if d.m.crash != nil {
		d.t.Fatalf("%v\n%s", d.m.crash, d.m.crash.Stack)
	}
	frame := ansi.Strip(styled)
	lines := strings.Split(frame, "\n")
	if len(lines) != d.m.h {
		d.t.Fatalf("the frame has %d lines, want %d:\n%s", len(lines), d.m.h, frame)
	}
	for i, line := range lines {
		if w := cells(line); w != d.m.w {
			d.t.Fatalf("line %d is %d cells wide, want %d: %q\n%s", i, w, d.m.w, line, frame)
		}
	}
	return frame
}

// shows fails unless the frame holds all the texts.
func (d *driver) shows(texts ...string) {
	d.t.Helper()
	frame := d.frame()
	for _, text := range texts {
		if !strings.Contains(frame, text) {
			d.t.Errorf("%q is not on screen:\n%s", text, frame)
		}
	}
}

// hides fails when the frame holds one of the texts.
func (d *driver) hides(texts ...string) {
	d.t.Helper()
	frame := d.frame()
	for _, text := range texts {
		if strings.Contains(frame, text) {
			d.t.Errorf("%q is on screen:\n%s", text, frame)
		}
	}
}

// copies fails unless the last message says that a text was copied.
func (d *driver) copies(text string) {
	d.t.Helper()
	if got := d.m.notes.own; got == nil || got.copied != text {
		d.t.Errorf("what was copied is %+v, want %q", got, text)
	}
}

// cursorOn fails unless the cursor is on a task.
func (d *driver) cursorOn(short string) {
	d.t.Helper()
	card, ok := d.m.screen().selected()
	if !ok || card.ShortID != short {
		d.t.Errorf("the cursor is on %q, want %q:\n%s", card.ShortID, short, d.frame())
	}
}

// task reads a task as it is stored.
func (d *driver) task(short string) core.Task {
	d.t.Helper()
	result, err := d.service.TaskStatus(context.Background(), core.TaskStatusRequest{TaskID: longID(short)})
	if err != nil {
		d.t.Fatal(err)
	}
	return result.Tasks[0]
}

// must fails the test on an error of another process' operation.
func must[Out any](t testing.TB) func(Out, error) Out {
	return func(out Out, err error) Out {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}
