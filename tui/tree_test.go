package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// treeOf opens the tree from the board with the cursor on a ready task.
func treeOf(t testing.TB, f fixture, w, h int) (*driver, *tree) {
	t.Helper()
	d := drive(t, f, w, h)
	d.press("g", "t")
	tr, ok := d.m.screen().(*tree)
	if !ok {
		t.Fatalf("the tree is not open:\n%s", d.frame())
	}
	return d, tr
}

func TestTree_opensOnTheTaskAtHand(t *testing.T) {
	d, _ := treeOf(t, acme, 80, 24)
	d.cursorOn("3f9a1c")
	d.shows("‹ Board ▸ Tree", "▾ ▣ 0c4d9a Claims & leases", "▓▓▓░░░░░ 3/8", "├─ ✔ 5d20ee Lease column + index", "done 3d", "└▸ ○ 3f9a1c Wire claim lease sweep… (1/2)",
		"build-7    52m left", "◆ 6d1190   opens in 41m", "⤷ 3 tasks  3f9a1c 70bec2 4c1e08", "▸ ▣ 8e2163 Gate types", "no parent", "✘ 55aa21   cancelled", "⟳ cycle    with e3a96f", "7/20")
	d.press("q")
	d.press("2", "enter", "g", "t") // from the page of 19ab44
	d.cursorOn("19ab44")
	d.shows("‹ Board ▸ 19ab44 ▸ Tree")
	d.press("k", "enter", "g", "t")
	d.cursorOn("a0b3f6")
	if n := len(d.m.screens); n != 2 { // there is one tree, not one on the way to another
		t.Errorf("%d screens are open:\n%s", n, d.frame())
	}
}

func TestTree_foldsAndUnfolds(t *testing.T) {
	d, _ := treeOf(t, acme, 80, 24)
	d.press("l")
	d.shows("└▾ ○ 3f9a1c", "   ├─ ✔ 1b7748 Query-time filter", "   └─ ○ 9f3c70 Sweep claims on Update", "7/22")
	d.press("l") // to the first child
	d.cursorOn("1b7748")
	d.press("h") // to the parent
	d.cursorOn("3f9a1c")
	d.press("left", "left")
	d.cursorOn("0c4d9a")
	d.press("left")
	d.shows("▸ ▣ 0c4d9a", "1/14")
	d.press("left") // nothing is left to fold
	d.cursorOn("0c4d9a")
	d.press("*")
	d.shows("▾ ▣ 0c4d9a", "▾ ▣ 8e2163", "└▾ ○ 3f9a1c", "1/24")
}

func TestTree_foldsAll(t *testing.T) {
	d, _ := treeOf(t, acme, 80, 24)
	d.press("l", "l", "j")
	d.cursorOn("9f3c70")
	d.press("*") // into what it is folded into
	d.cursorOn("0c4d9a")
	d.shows("1/14")
	d.press("*")
	d.cursorOn("0c4d9a")
	d.shows("1/24", "└▾ ○ 3f9a1c", "└─ ○ 9f3c70", "▾ ▣ 8e2163", "└─ ■ 4c1e08")
	d.press("j", "j", "*", "*")
	d.shows("1/24")
}

func TestTree_hidesWhatIsDone(t *testing.T) {
	d, _ := treeOf(t, acme, 80, 24)
	d.press("k", "k", "k", "k")
	d.cursorOn("6aa1f0")
	d.press("H")
	d.cursorOn("a0b3f6") // the next that is still there
	d.shows("hide done: on", "▓▓▓░░░░░ 3/8")
	d.hides("5d20ee", "6aa1f0 Renew", "Old spike")
	d.press("j", "j", "j", "l")
	d.shows("└▾ ○ 3f9a1c")
	d.hides("1b7748")
	// A closed task with something open below it stays.
	must[core.TaskCompleteResult](t)(d.service.TaskComplete(context.Background(), core.TaskCompleteRequest{TaskID: longID("3f9a1c"), Agent: "mo"}))
	d.poll()
	d.cursorOn("3f9a1c")
	d.shows("└▾ ✔ 3f9a1c", "done")
	d.press("H")
	d.shows("hide done: off", "1b7748", "6aa1f0")
}

func TestTree_epicWhoseChildrenAreAllDone(t *testing.T) {
	d, _ := treeOf(t, acme, 80, 24)
	ctx := context.Background()
	must[core.TaskCompleteResult](t)(d.service.TaskComplete(ctx, core.TaskCompleteRequest{TaskID: longID("02f83d"), Agent: "mo"}))
	must[core.TaskCancelResult](t)(d.service.TaskCancel(ctx, core.TaskCancelRequest{TaskID: longID("4c1e08"), Agent: "mo"}))
	d.poll()
	d.shows("▓▓▓▓▓▓▓▓ 1/1 all done", "░░░░░░░░ 0/0 ✘1")
	d.press("F")
	d.cursorOn("f310b8")
	d.shows("Open, and all below is done", "1/1 all done", "1/1 ━")
	d.hides("Gate types")
	d.press("l", "h", "x", "ctrl+s") // it is completed
	d.shows("No open task has only done ones below it. F shows the tree.")
	d.press("F")
	d.shows("┏━ Tree ━", "✔ f310b8 TUI polish", "8e2163 Gate types")
}

func TestTree_newTasksAreChildren(t *testing.T) {
	d, _ := treeOf(t, acme, 80, 24)
	d.press("j")
	d.cursorOn("8e2163")
	d.press("n")
	d.shows("Parent", "▣ 8e2163 Gate types")
	d.typeText("A gate of our own")
	d.press("ctrl+s")
	d.shows("▾ ▣ 8e2163", "A gate of our own")
	if card, _ := d.m.screen().selected(); card.Title != "A gate of our own" {
		t.Errorf("the cursor is on %q", card.Title)
	}
}

func TestTree_movesUnderAnotherParent(t *testing.T) {
	d, _ := treeOf(t, acme, 80, 24)
	d.press("m")
	d.shows("Move 3f9a1c under")
	d.typeText("gate types")
	d.press("enter")
	d.cursorOn("3f9a1c") // what was folded is unfolded for it
	d.shows("▾ ▣ 8e2163", "└▸ ○ 3f9a1c", "3f9a1c is under 8e2163 now")
	d.press("U")
	view := must[core.TaskView](t)(d.service.TaskView(context.Background(), longID("3f9a1c")))
	if view.Parents[0].ShortID != "0c4d9a" {
		t.Errorf("it is under %s", view.Parents[0].ShortID)
	}
	d.press("m")
	d.typeText("query")
	d.shows("it would close a ring: 1b7748 → 3f9a1c → 1b7748")
}

func TestTree_takesOutOfTheParent(t *testing.T) {
	d, _ := treeOf(t, acme, 80, 24)
	d.press("l", "l", "j")
	d.cursorOn("9f3c70")
	d.press("M")
	d.cursorOn("9f3c70")
	d.shows("9f3c70 is no longer under 3f9a1c", "(1/1)", "   ○ 9f3c70 Sweep claims on Update")
	d.press("M")
	d.shows("Cannot take out of parent: 9f3c70 has no parent.")
	d.press("U")
	d.shows("took back: ", "└─ ○ 9f3c70")
	d.cursorOn("9f3c70")
}

func TestTree_findsATask(t *testing.T) {
	d, _ := treeOf(t, acme, 80, 24)
	d.press("/")
	d.typeText("sweep claims")
	d.press("enter")
	d.cursorOn("9f3c70")
	d.shows("└▾ ○ 3f9a1c")
}

func TestTree_detail(t *testing.T) {
	d, _ := treeOf(t, acme, 140, 40)
	d.shows("╭─ 3f9a1c ─", "i hide", "background daemon:", "Parent   ▣ 0c4d9a")
	d.press("i")
	d.hides("background daemon:")
	d, _ = treeOf(t, acme, 80, 24)
	d.hides("background daemon:")
	d.press("i")
	d.shows("background daemon:")
}

func TestTree_mouse(t *testing.T) {
	d, tr := treeOf(t, acme, 80, 24)
	line := func(text string) (x, y int) {
		for i, line := range strings.Split(d.frame(), "\n") {
			if at := strings.Index(line, text); at >= 0 {
				return cells(line[:at]), i
			}
		}
		t.Fatalf("%q is not on screen", text)
		return 0, 0
	}
	click := func(x, y int) {
		d.send(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	}
	x, y := line("8e2163")
	click(x, y)
	d.cursorOn("8e2163")
	d.hides("4c1e08 Turn on")
	click(3, y) // on the sign
	d.shows("4c1e08 Turn on")
	x, y = line("H hide done")
	click(x, y)
	d.shows("hide done: on")
	x, y = line("81c0d2")
	click(x, y)
	d.pass(time.Second)
	d.cursorOn("81c0d2")
	click(x, y)
	click(x, y)
	if _, ok := d.m.screen().(*page); !ok {
		t.Errorf("it was not opened:\n%s", d.frame())
	}
	d.press("q")
	d.send(tea.MouseMsg{X: 5, Y: 8, Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
	if tr.top > tr.cursor || tr.cursor >= tr.total {
		t.Errorf("the wheel led to %d of %d", tr.cursor, tr.total)
	}
}

func TestTree_emptyStore(t *testing.T) {
	d := drive(t, fixture{}, 80, 24)
	d.press("g", "t")
	d.shows("There are no tasks yet. n adds the first.")
	d.press("j", "k", "l", "h", "*", "H", "enter", "G", "space", "i")
	d.shows("Nothing is open.")
	d.press("H", "n")
	d.shows("New task", "Parent", "none")
}

// many is a fixture of one epic with n children, or of a line of n tasks each
// below the one before.
func many(n int, deep bool) fixture {
	f := fixture{tasks: []fixtureTask{{id: "e00000", title: "Top", kind: core.TypeEpic, age: 100 * day}}}
	for i := 1; i < n; i++ {
		f.tasks = append(f.tasks, fixtureTask{id: fmt.Sprintf("%06x", i), title: fmt.Sprintf("Task %d", i), age: 99*day - time.Duration(i)*time.Second})
		parent := "e00000"
		if deep && i > 1 {
			parent = fmt.Sprintf("%06x", i-1)
		}
		f.edges = append(f.edges, fmt.Sprintf("%s / %06x", parent, i))
	}
	return f
}

func TestTree_wideAndDeep(t *testing.T) {
	for _, test := range []struct {
		name string
		n    int
		deep bool
	}{{"wide", 10_000, false}, {"deep", 5_000, true}} {
		t.Run(test.name, func(t *testing.T) {
			d, tr := treeOf(t, many(test.n, test.deep), 80, 24)
			d.press("*", "*")
			d.shows(fmt.Sprintf("/%d", test.n))
			d.press("G")
			d.cursorOn(fmt.Sprintf("%06x", test.n-1))
			d.shows(fmt.Sprintf("%d/%d", test.n, test.n), fmt.Sprintf("Task %d", test.n-1))
			if n := len(tr.cards); n > 200 {
				t.Errorf("%d rows are loaded", n)
			}
			if test.deep {
				d.shows("…4999 ") // levels further out are not drawn
			}
			d.press("ctrl+u", "ctrl+u", "k", "g", "g")
			d.cursorOn("e00000")
			d.press("j", "j", "j", "h")
			d.frame()
		})
	}
}

// BenchmarkTree_keyAndFrame measures a key and its frame among many rows.
func BenchmarkTree_keyAndFrame(b *testing.B) {
	d, _ := treeOf(b, many(10_000, false), 140, 40)
	d.press("*", "*")
	b.ResetTimer()
	for i := range b.N {
		key := "j"
		if i%2 == 1 {
			key = "k"
		}
		d.m.Update(keyMsg(key))
		d.m.View()
	}
}

// checkTreeCursor changes the store from outside and holds that the cursor
// stays on its task, or goes to the next that is still there.
func (d *driver) checkTreeCursor(r *rand.Rand, tr *tree) {
	d.t.Helper()
	ids := func() (list []string) {
		for _, card := range tr.cards {
			list = append(list, card.ID)
		}
		return list
	}
	before := ids()
	card, ok := tr.selected()
	line := tr.line(tr.cursor)
	marks := sortedKeys(d.m.marks)
	d.others(r)
	d.poll()
	after := ids()
	if got := sortedKeys(d.m.marks); !slices.Equal(got, marks) {
		d.t.Fatalf("the marks were %v and are %v", marks, got)
	}
	if !ok {
		return
	}
	want := ""
	at := slices.Index(before, card.ID)
	for _, id := range append(slices.Clone(before[at:]), reversed(before[:at])...) {
		if slices.Contains(after, id) {
			want = id
			break
		}
	}
	now, _ := tr.selected()
	if want != "" && now.ID != want {
		d.t.Fatalf("the cursor was on %s of %v, is on %s of %v, want %s", card.ID, before, now.ID, after, want)
	}
	if moved := tr.line(tr.cursor) - line; now.ID == card.ID && moved != 0 && tr.top > 0 && tr.lastTop() > tr.top {
		d.t.Fatalf("the row of the cursor moved by %d lines", moved)
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// TestSteady_treeAndGraph presses random keys in the tree and the graph while
// others change the store.
func TestSteady_treeAndGraph(t *testing.T) {
	keys := []string{
		"j", "j", "k", "l", "l", "h", "right", "left", "*", "H", "g", "t", "d", "b", "enter", "q", "esc", "space", "i", "/", "m", "n", "f", "z", "+", "-", "D", "M", "y", "Y",
		"ctrl+d", "ctrl+u", "home", "end", "tab", "backspace", "a", "c", "x", "e", "ctrl+r", "?", "é", "3",
	}
	sizes := [][2]int{{80, 24}, {140, 40}, {44, 16}, {40, 12}, {180, 50}}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 5))
		f := acme
		if seed%5 == 4 {
			f = hostile
		}
		d := drive(t, f, 80, 24, func(o *Options) { o.Editor = "" })
		d.press("g", []string{"t", "d"}[seed%2])
		for range 160 {
			switch r.IntN(10) {
			case 0, 1:
				tr, ok := d.m.screen().(*tree)
				switch {
				case f.tasks[0].id != acme.tasks[0].id:
				case ok && d.m.popup() == nil:
					d.checkTreeCursor(r, tr)
				default:
					d.others(r)
					d.poll()
				}
			case 2:
				size := sizes[r.IntN(len(sizes))]
				d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			case 3:
				action := []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelDown, tea.MouseButtonWheelUp}[r.IntN(3)]
				d.send(tea.MouseMsg{X: r.IntN(d.m.w), Y: r.IntN(d.m.h), Button: action, Action: tea.MouseActionPress})
			default:
				key := keys[r.IntN(len(keys))]
				if key == "q" && d.m.popup() == nil && len(d.m.screens) == 0 {
					key = "g"
				}
				d.press(key)
			}
			d.frame()
		}
	}
}
