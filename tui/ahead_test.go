package tui

import (
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// Whatever comes first of the terminal's size, the store and the keys: the
// keys mean what they mean on the board.
func TestTypeAhead_whateverComesFirst(t *testing.T) {
	for _, order := range [][3]string{
		{"keys", "size", "store"}, {"keys", "store", "size"}, {"size", "keys", "store"},
		{"store", "keys", "size"}, {"size", "store", "keys"}, {"store", "size", "keys"},
	} {
		t.Run(order[0]+" "+order[1]+" "+order[2], func(t *testing.T) {
			d := prepare(t, acme)
			open := d.m.Init()
			steps := map[string]func(){
				"size":  func() { d.send(tea.WindowSizeMsg{Width: 80, Height: 24}) },
				"store": func() { d.run(open) },
				"keys": func() {
					d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("xqui")})
					d.typeText("ck")
					d.press("ctrl+s")
				},
			}
			for _, step := range order {
				steps[step]()
			}
			if d.quit {
				t.Fatal("the q of the outcome was taken for the command")
			}
			d.shows("completed 3f9a1c")
			if outcome := d.task("3f9a1c").Outcome; outcome == nil || *outcome != "quick" {
				t.Errorf("the outcome is %v", outcome)
			}
		})
	}
}

// later presses a key and returns what comes of it, not done yet.
func (d *driver) later(key string) tea.Cmd {
	d.t.Helper()
	_, cmd := d.m.Update(keyMsg(key))
	return cmd
}

// What acts on what is on screen waits until it shows what was done before.
func TestTypeAhead_waitsForTheWrite(t *testing.T) {
	d := drive(t, acme, 80, 24)
	under := d.later("C")
	d.press("C", "U")
	if claims := d.task("9f3c70").Claims; len(claims) != 0 {
		t.Fatal("the second C did not wait")
	}
	d.run(under)
	d.shows("released 9f3c70 again")
	d.cursorOn("9f3c70")
	if claims := d.task("3f9a1c").Claims; len(claims) != 1 {
		t.Errorf("the first has the claims %v", claims)
	}
	under = d.later("C")
	d.press("j") // moving does not wait
	d.cursorOn("81c0d2")
	d.run(under)
}

func TestTypeAhead_waitsForTheForm(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("x")
	d.typeText("done")
	under := d.later("ctrl+s")
	d.press("C")
	d.run(under)
	d.shows("9f3c70 claimed")
	if task := d.task("3f9a1c"); task.Status != core.StatusCompleted || len(task.Claims) != 0 {
		t.Errorf("it is %s with the claims %v", task.Status, task.Claims)
	}
}

// A second ctrl+s does not overwrite what others have saved before it was seen.
func TestTypeAhead_isDroppedByARefusal(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("e")
	d.typeText("!")
	title := "Theirs"
	must[core.TaskUpdateResult](t)(d.service.TaskUpdate(t.Context(), core.TaskUpdateRequest{TaskID: longID("3f9a1c"), Agent: "mo", Title: &title}))
	under := d.later("ctrl+s")
	d.press("ctrl+s", "enter")
	d.run(under)
	d.shows("changed meanwhile", "Keep editing")
	if task := d.task("3f9a1c"); task.Title != "Theirs" {
		t.Errorf("it was overwritten: %q", task.Title)
	}
}

func TestTypeAhead_isDroppedWhenNothingOpens(t *testing.T) {
	d := drive(t, acme, 80, 24)
	under := d.m.expect(func() func(*model) tea.Cmd {
		return func(m *model) tea.Cmd {
			return m.notOpened(core.NewError(core.CodeRequestTimedOut, "It took too long."))
		}
	})
	d.typeText("quick")
	d.run(under)
	d.shows("It took too long.")
	if d.quit || d.m.popup() != nil {
		t.Error("what was typed for the dialog was taken for commands")
	}
	// What arrives together with a key that is refused was meant for what it
	// would have opened.
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("uq")})
	d.shows("Cannot release claim: 3f9a1c is not claimed.")
	if d.quit {
		t.Error("the q behind it left the program")
	}
}

func TestTypeAhead_waitsForTheFilter(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("/")
	var under []tea.Cmd
	for _, k := range []string{"d", "o", "c", "u"} {
		under = append(under, d.later(k))
	}
	d.press("enter", "C")
	if claims := d.task("3f9a1c").Claims; len(claims) != 0 {
		t.Fatal("a task was claimed that the filter leaves out")
	}
	for _, cmd := range under {
		d.run(cmd)
	}
	d.shows("b2d4e9 claimed")
}

func TestTypeAhead_waitsForTheSearch(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.m.tick = func(after time.Duration, msg tea.Msg) tea.Cmd {
		d.timers = append(d.timers, timer{d.now.Add(after), msg})
		return nil
	}
	d.press("a")
	d.typeText("docu")
	d.press("enter")
	d.shows("3f9a1c waits on…")
	d.pass(2 * typingTime)
	d.shows("3f9a1c waits on b2d4e9")
	d.press("a")
	d.typeText("ship")
	d.press("enter", "esc") // called off
	d.pass(2 * typingTime)
	d.shows("3f9a1c waits on…", "19ab44 Ship")
	d.press("ctrl+u")
	d.typeText("is:nonsense")
	d.pass(2 * typingTime)
	d.press("enter") // nothing was found, and nothing hangs
	d.press("esc")
	d.hides("waits on…")
}

func TestTypeAhead_clicksDoNotGetAhead(t *testing.T) {
	d := drive(t, acme, 80, 24)
	under := d.later("x")
	d.send(tea.MouseMsg{X: 5, Y: 5, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	d.cursorOn("3f9a1c")
	d.run(under)
	d.shows("Complete 3f9a1c")
}

// A dialog that nobody asked for does not open over text that is typed.
func TestTypeAhead_nothingOpensOverText(t *testing.T) {
	d, lazy, _ := driveLazily(t)
	d.press("n")
	d.typeText("First")
	d.press("ctrl+s")
	lazy.busy = true
	under := d.later("C")
	d.press("?")
	d.typeText("q")
	d.run(under)
	if d.quit {
		t.Fatal("a letter left the program")
	}
	d.hides("Cannot save")
	d.press("esc", "esc")
	d.shows("database_busy")
}

// Keys that were typed for the editor are no commands.
func TestTypeAhead_isDroppedForTheEditor(t *testing.T) {
	d := drive(t, acme, 80, 24)
	under := d.later("E")
	d.typeText("Cq")
	if under == nil {
		t.Fatal("nothing was read")
	}
	_, exec := d.m.Update(under())
	d.press("C", "q")
	if exec == nil || d.quit || len(d.m.ahead.keys) != 0 {
		t.Errorf("the program ended: %v, held are %v", d.quit, d.m.ahead.keys)
	}
	if claims := d.task("3f9a1c").Claims; len(claims) != 0 {
		t.Errorf("the claims are %v", claims)
	}
}

// A damaged store is told with what helps.
func TestNotice_damaged(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.m.live.trouble = core.NewError(core.CodeStoreUnavailable, "It is no good.", core.Extra{Name: "path", Value: "x"}, core.Extra{Name: "reason", Value: "corrupt"})
	d.press("g")
	d.shows("Damaged", "It is no good.", "lithos doctor")
}

// Trouble with the store that shows while a filter is typed does not take its
// letters for commands.
func TestTypeAhead_troubleDoesNotTakeText(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("/")
	d.typeText("se")
	d.m.live.trouble = core.NewError(core.CodeStoreUnavailable, "The disk is gone.", core.Extra{Name: "path", Value: "x"}, core.Extra{Name: "reason", Value: "io"})
	d.typeText("q")
	if d.quit {
		t.Fatal("a letter left the program")
	}
	d.shows("Cannot read", "The disk is gone.")
	d.press("esc")
	if text := d.m.board.filter.editor.text(); text != "seq" {
		t.Errorf("the filter is %q", text)
	}
}
