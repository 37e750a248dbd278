package tui

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// dialogs are all forms, by the functions that make them: how each is opened
// on the board.
var dialogs = map[string]func(*driver){
	"claimDialog": func(d *driver) { d.press("c") },
	"askForLease": func(d *driver) { d.press("3"); d.onOwnClaim(); d.press("R") },
	"shortenDialog": func(d *driver) {
		d.press("3")
		d.onOwnClaim()
		d.press("R", "1", "enter")
	},
	"ifMarksAreSeen": func(d *driver) { d.press("space", "/"); d.typeText("zebra"); d.press("enter", "C") },
	"changeDialog":   func(d *driver) { d.press("p") },
	"offerDraft": func(d *driver) {
		d.m.offerDraft(Draft{Form: "create", Title: "New task", Kept: core.StampOf(d.now), Fields: []DraftField{{Name: "Title", Text: "Half"}}})
		d.m.stale = true
	},
	"completeDialog": func(d *driver) { d.press("x") },
	"cancelDialog":   func(d *driver) { d.press("X") },
	"reopenDialog":   func(d *driver) { d.press("5", "o") },
	"createDialog":   func(d *driver) { d.press("n") },
	"spawnDialog":    func(d *driver) { d.press("s") },
	"findingDialog":  func(d *driver) { d.press("f") },
	"askWhichEdge":   func(d *driver) { d.press("2", "A") },
	"newEditing":     func(d *driver) { d.press("e") },
	"newConflict": func(d *driver) {
		d.press("e")
		d.typeText("!")
		title := "Theirs"
		must[core.TaskUpdateResult](d.t)(d.service.TaskUpdate(context.Background(), core.TaskUpdateRequest{TaskID: longID("3f9a1c"), Agent: "mo", Title: &title}))
		d.press("ctrl+s")
	},
	"deleteFilterDialog": func(d *driver) {
		d.m.options.Filters = map[string]string{"docs": "tag:docs"}
		d.press("F", "x")
	},
	"renameFilterDialog": func(d *driver) {
		d.m.options.Filters = map[string]string{"docs": "tag:docs"}
		d.press("F", "r")
	},
	"saveFilterDialog": func(d *driver) {
		d.press("/")
		d.typeText("wire")
		d.press("enter", "F", "enter")
	},
	"newNoteDialog":    func(d *driver) { d.press("N", "n") },
	"deleteNoteDialog": func(d *driver) { d.aNote(); d.press("X") },
	"newNoteEditing":   func(d *driver) { d.aNote(); d.press("e") },
	"newNoteConflict": func(d *driver) {
		note := d.aNote()
		d.press("e")
		d.typeText("!")
		title := "Theirs"
		must[core.NoteWriteResult](d.t)(d.service.NoteUpdate(context.Background(), core.NoteUpdateRequest{ID: note, Agent: "mo", Title: &title}))
		d.press("ctrl+s")
	},
	"takeBack": func(d *driver) {
		d.press("C")
		d.pass(2 * undoTime)
		d.press("U")
	},
}

// aNote writes a note and puts the cursor on it.
func (d *driver) aNote() (id string) {
	d.t.Helper()
	written := must[core.NoteWriteResult](d.t)(d.service.NoteWrite(context.Background(), core.NoteWriteRequest{Title: "A note", Content: "Text", Agent: "mo"}))
	d.press("N")
	d.shows("A note")
	return written.ID
}

// onOwnClaim puts the cursor on a task that the agent holds.
func (d *driver) onOwnClaim() {
	d.t.Helper()
	for range 10 {
		if card, ok := d.m.screen().selected(); ok && len(d.m.ownClaims(card)) > 0 {
			return
		}
		d.press("j")
	}
	d.t.Fatal("the agent holds nothing here")
}

// dialog opens a dialog on a board of its own.
func dialog(t *testing.T, name string, w, h int) (*driver, *form) {
	t.Helper()
	d := drive(t, acme, w, h)
	dialogs[name](d)
	f := formOf(d.m.popup())
	if f == nil {
		t.Fatalf("%s is not open:\n%s", name, d.frame())
	}
	return d, f
}

func formOf(p popup) *form {
	switch p := p.(type) {
	case *form:
		return p
	case *editing:
		return &p.form
	case *conflict:
		return &p.form
	case *noteEditing:
		return &p.form
	case *noteConflict:
		return &p.form
	}
	return nil
}

// TestDialogs_all holds the list of dialogs and the program equal.
func TestDialogs_all(t *testing.T) {
	made := map[string]bool{}
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range file.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if literal, ok := n.(*ast.CompositeLit); ok {
					if kind, ok := literal.Type.(*ast.Ident); ok && kind.Name == "form" {
						made[f.Name.Name] = true
					}
				}
				return true
			})
		}
	}
	if want := slices.Sorted(maps.Keys(dialogs)); !slices.Equal(slices.Sorted(maps.Keys(made)), want) {
		t.Errorf("forms are made by %v, tested are %v", slices.Sorted(maps.Keys(made)), want)
	}
}

// places is how many places of a form can have the focus.
func (f *form) places() []int {
	var list []int
	for i := range len(f.fields) + len(f.buttons) {
		if i >= len(f.fields) || !f.fields[i].still() {
			list = append(list, i)
		}
	}
	return list
}

// TestDialogs_oneRule walks over every place of every dialog: enter goes on to
// the next field, and in the last one and on a button it does it; ctrl+s does it
// anywhere; the foot says so.
func TestDialogs_oneRule(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(dialogs)) {
		_, first := dialog(t, name, 80, 24)
		for _, at := range first.places() {
			for _, key := range []string{"enter", "ctrl+s"} {
				t.Run(fmt.Sprintf("%s %d %s", name, at, key), func(t *testing.T) {
					d, f := dialog(t, name, 80, 24)
					const none = -1
					pressed := none
					f.submit = func(_ *model, button int) tea.Cmd {
						pressed, f.busy = button, false
						return nil
					}
					f.focus = at
					before := d.m.popup()
					foot := spansText(f.foot(d.m.glyphs, 80))
					d.shows(foot)
					var text string
					area, isText := any(nil), false
					if at < len(f.fields) {
						area = f.fields[at]
						if field, ok := area.(*textField); ok && field.multiline {
							isText, text = true, field.text()
						}
					}
					d.press(key)
					switch {
					case key == "ctrl+s":
						if pressed != 0 {
							t.Errorf("it did button %d", pressed)
						}
						if at < len(f.fields) && !strings.Contains(foot, "ctrl+s") {
							t.Errorf("the foot is %q", foot)
						}
					case at >= len(f.fields):
						last := at == len(f.fields)+len(f.buttons)-1
						if want := at - len(f.fields); !last && pressed != want || last && (pressed != none || d.m.popup() == before) {
							t.Errorf("it did button %d", pressed)
						}
						if word := lowerFirst(f.buttons[at-len(f.fields)]); !strings.HasPrefix(foot, "↵ "+word) && !strings.HasPrefix(foot, "↵ or esc "+word) {
							t.Errorf("the foot is %q", foot)
						}
					case isText:
						if got := area.(*textField).text(); pressed != none || got != text+"\n" {
							t.Errorf("it did button %d; the text is %q", pressed, got)
						}
						if !strings.HasPrefix(foot, "ctrl+s "+lowerFirst(f.buttons[0])+" · ↵ new line") {
							t.Errorf("the foot is %q", foot)
						}
					case f.yesNo:
						if pressed != none || f.focus != len(f.fields)+len(f.buttons)-1 {
							t.Errorf("it did button %d, the focus is on %d", pressed, f.focus)
						}
						if !strings.HasPrefix(foot, "↵ to the buttons") {
							t.Errorf("the foot is %q", foot)
						}
					default:
						if _, isList := area.(*tasksField); isList {
							if pressed != none || d.m.popup() == before || !strings.Contains(foot, "↵ pick") {
								t.Errorf("it did button %d; the foot is %q", pressed, foot)
							}
							return
						}
						if f.isLast(at) {
							if pressed != 0 || !strings.HasPrefix(foot, "↵ or ctrl+s "+lowerFirst(f.buttons[0])) {
								t.Errorf("it did button %d; the foot is %q", pressed, foot)
							}
							return
						}
						if places := f.places(); pressed != none || f.focus != places[slices.Index(places, at)+1] ||
							!strings.HasPrefix(foot, "↵ next field · ctrl+s "+lowerFirst(f.buttons[0])) {
							t.Errorf("it did button %d and went to %d; the foot is %q", pressed, f.focus, foot)
						}
					}
				})
			}
		}
	}
}

func spansText(spans []span) string {
	var text strings.Builder
	for _, s := range spans {
		text.WriteString(s.text)
	}
	return text.String()
}

// TestDialogs_theFootFits holds that every size says how to go on.
func TestDialogs_theFootFits(t *testing.T) {
	for _, size := range [][2]int{{140, 40}, {80, 24}, {44, 16}, {40, 12}} {
		for name := range dialogs {
			d, f := dialog(t, name, size[0], size[1])
			for _, at := range f.places() {
				f.focus, d.m.stale = at, true
				frame := d.frame()
				if !strings.Contains(frame, "↵") && !strings.Contains(frame, "ctrl+s ") {
					t.Errorf("%s at %v does not say how to go on from %d:\n%s", name, size, at, frame)
				}
			}
		}
	}
}

// TestDialogs_theFocusIsSeen holds that a mark stands where the focus is, so
// that it is seen without colours.
func TestDialogs_theFocusIsSeen(t *testing.T) {
	for name := range dialogs {
		d, f := dialog(t, name, 80, 24)
		seen := map[string]int{}
		for _, at := range f.places() {
			f.focus, d.m.stale = at, true
			frame := d.frame()
			if before, twice := seen[frame]; twice {
				t.Errorf("%s looks the same with the focus on %d and on %d:\n%s", name, before, at, frame)
			}
			seen[frame] = at
		}
	}
}

// TestDialogs_keepTypedText holds that no dialog with typed text is left, nor
// the program, without a question whose answer by enter keeps it.
func TestDialogs_keepTypedText(t *testing.T) {
	for name := range dialogs {
		t.Run(name, func(t *testing.T) {
			d, f := dialog(t, name, 80, 24)
			at := slices.IndexFunc(f.fields, func(f field) bool { _, ok := f.(*textField); return ok })
			if at < 0 {
				return
			}
			f.focus = at
			d.typeText("precious")
			d.press("esc")
			d.shows("Throw away what you typed?", "y throw away · ↵ keep")
			d.press("enter")
			d.shows("precious")
			d.hides("Throw away")
			d.press("ctrl+c")
			d.shows("Quit and lose what you typed?", "y quit · ↵ stay")
			d.press("enter")
			if d.quit {
				t.Fatal("enter left the program")
			}
			d.shows("precious")
			d.press("ctrl+c", "y")
			if !d.quit {
				t.Error("y does not leave the program")
			}
			d.quit, f.asking = false, askedNothing
			d.press("ctrl+c", "ctrl+c")
			if !d.quit {
				t.Error("a second ctrl+c does not leave the program")
			}
		})
	}
}

func TestQuit_asksOverASearch(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("n")
	d.typeText("precious")
	d.press("tab", "tab", "enter")
	d.shows("Parent of the new task")
	d.press("ctrl+c")
	if d.quit {
		t.Fatal("the text is lost")
	}
	d.shows("Quit and lose what you typed?", "precious")
	d.hides("Parent of the new task")
}

func TestQuit_asksWhereThereIsNoRoom(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("n")
	d.typeText("precious")
	d.send(tea.WindowSizeMsg{Width: 30, Height: 5})
	d.press("q", "ctrl+c")
	if d.quit {
		t.Fatal("the text is lost")
	}
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.shows("Quit and lose what you typed?", "precious")
	d.press("enter", "esc", "y", "ctrl+c")
	if !d.quit {
		t.Error("without text ctrl+c does not leave")
	}
}

func TestComplete_cutsNothingOff(t *testing.T) {
	// A long blocker's title is wrapped, and not cut off, where there is room.
	f := acme
	f.tasks = slices.Clone(acme.tasks)
	for i := range f.tasks {
		if f.tasks[i].id == "19ab44" {
			f.tasks[i].title = "Ship the version that everybody has been waiting for"
		}
	}
	d := drive(t, f, 80, 24)
	d.press("x")
	d.shows("everybody has been waiting for ", "still waits on 70bec2, 4c1e08")
	d.press("esc")
	d = drive(t, f, 140, 40)
	d.press("x")
	d.shows("everybody has been waiting for   still waits on 70bec2, 4c1e08")
}

func TestClaim_typedLease(t *testing.T) {
	for typed, minutes := range map[string]int{"90": 90, "90m": 90, "1h30m": 90, "2h": 120, "45 min": 45, "480": 480} {
		d := drive(t, acme, 80, 24)
		d.press("c")
		d.typeText(typed)
		d.press("enter")
		want := core.StampOf(noon.Add(time.Duration(minutes) * time.Minute))
		if claims := d.task("3f9a1c").Claims; len(claims) != 1 || claims[0].ExpiresAt != want {
			t.Errorf("%q made the claims %v, want until %s", typed, claims, want)
		}
	}
	for _, typed := range []string{"0", "481", "9h", "soon", "99999999999999999999"} {
		d := drive(t, acme, 80, 24)
		d.press("c", "ctrl+u")
		d.typeText(typed)
		d.press("enter")
		d.shows("A lease is 1 to 480 minutes", "Claim 3f9a1c")
		if claims := d.task("3f9a1c").Claims; len(claims) != 0 {
			t.Errorf("%q made the claims %v", typed, claims)
		}
	}
}

func TestClaim_typedOverAProposal(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("c")
	d.shows("‹ 60 min ›  until 15:02", "or type it")
	d.press("right")
	d.shows("‹ 120 min ›")
	d.typeText("90")
	d.shows("until 15:32")
	d.press("left")
	d.shows("‹ 60 min ›  until 15:02")
	d.press("left", "left", "left")
	d.shows("‹ 15 min ›")
}

func TestRenew_typedLease(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("3")
	d.onOwnClaim()
	d.press("R")
	d.shows("Renew 02f83d", "Held now", "design")
	d.typeText("100")
	d.press("enter")
	d.shows("renewed 02f83d until 15:42")
	d.press("Y")
	d.copies("lithos task renew 02f83d --aspect design --ttl 100 --agent you@box")
}

func TestClaim_saysThatThereIsNothingToDoYet(t *testing.T) {
	d := drive(t, acme, 100, 30)
	d.press("2", "c")
	d.shows("! 19ab44 is still blocked: it waits on 3f9a1c,", "70bec2, 4c1e08")
	d.press("enter")
	d.shows("19ab44 claimed by you@box until 15:02, but it is still blocked")
	d.press("4")
	for range 4 {
		if card, _ := d.m.screen().selected(); card.GateType() == core.GateTimer {
			break
		}
		d.press("j")
	}
	d.cursorOn("6d1190")
	d.press("c")
	d.shows("! the timer of 6d1190 opens by itself in 41m: a", "claim does not hasten it")
	d.press("enter")
	d.shows("6d1190 claimed by you@box until 15:02, but its timer opens it by itself")
	d.press("1", "c")
	d.hides("still blocked:")
}

func TestCreate_takesTheProjectOver(t *testing.T) {
	project := func(d *driver) string {
		d.press("n")
		d.typeText("New one")
		d.press("ctrl+s")
		d.shows("created")
		task := d.taskTitled("New one")
		return task.Project()
	}
	d := drive(t, acme, 80, 24) // the cursor is on a task of acme
	if got := project(d); got != "acme" {
		t.Errorf("beside a task of acme it is of %q", got)
	}
	d = drive(t, acme, 80, 24)
	d.press("j", "j")
	d.cursorOn("81c0d2") // of no project
	if got := project(d); got != "" {
		t.Errorf("beside a task of no project it is of %q", got)
	}
	d = drive(t, acme, 80, 24)
	d.press("/")
	d.typeText("project:Nova")
	d.press("enter")
	if got := project(d); got != "Nova" {
		t.Errorf("under the filter it is of %q", got)
	}
	d = drive(t, acme, 80, 24)
	d.press("/")
	d.typeText("project:ac")
	d.press("enter")
	if got := project(d); got != "acme" {
		t.Errorf("under the beginning of a name it is of %q", got)
	}
	d.press("n")
	d.press("esc") // what was proposed is not typed text
	d.hides("New task", "Throw away")
}

func TestMove_offersNoGateAndNotTheParent(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("m")
	d.typeText("0c4d9a")
	d.shows("Move 3f9a1c under", "No match.")
	d.press("ctrl+u")
	d.typeText("kind:gate")
	d.shows("No match.")
	d.press("ctrl+u")
	d.typeText("kind:epic")
	d.shows("8e2163 Gate types", "f310b8 TUI polish")
	d.hides("already")
}

func TestConflict_saysThatTheTaskWasClosed(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("e")
	d.typeText("!")
	d.now = d.now.Add(time.Minute)
	must[core.TaskCancelResult](t)(d.service.TaskCancel(context.Background(), core.TaskCancelRequest{TaskID: longID("3f9a1c"), Agent: "mo"}))
	d.now = d.now.Add(2 * time.Minute)
	d.press("ctrl+s")
	d.shows("You edited v3; it is v4 now.", "Meanwhile mo cancelled it 2m ago.", "! It is cancelled now.", "and leaves", "it cancelled.", "theirs: unchanged")
	d.press("shift+tab", "shift+tab", "enter")
	d.shows("saved 3f9a1c as v5, which is cancelled")
}

func TestComplete_saysWhoWasFaster(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("x")
	d.typeText("mine")
	outcome := "theirs"
	must[core.TaskCompleteResult](t)(d.service.TaskComplete(context.Background(), core.TaskCompleteRequest{TaskID: longID("3f9a1c"), Agent: "mo", Outcome: &outcome}))
	d.press("ctrl+s")
	d.shows("✘ 3f9a1c changed meanwhile: mo completed it just now.", "task_not_found", "mine")
}

func TestCommand_asTheShellTakesIt(t *testing.T) {
	for _, c := range []struct {
		line, want string
	}{
		{actLine("you@box", []string{"task", "claim", "3f9a1c"}, "--ttl", "90"), "lithos task claim 3f9a1c --ttl 90 --agent you@box"},
		{actLine("a b", []string{"task", "create", "-x 'y'"}, "--tag", "t"), `lithos task create --tag t --agent 'a b' -- '-x '\''y'\'''`},
		{inTurn([]string{"lithos a", "lithos b"}), "lithos a && lithos b"},
	} {
		if c.line != c.want {
			t.Errorf("the command is %q, want %q", c.line, c.want)
		}
	}
	d := drive(t, acme, 80, 24)
	d.press("space", "space", "C", "Y", "g", "l")
	d.shows("lithos task", "--agent you@box &&")
}
