package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// steadyKeys are the keys that random sessions press.
var steadyKeys = []string{
	"j", "j", "j", "k", "k", "l", "h", "1", "2", "3", "4", "5", "tab", "shift+tab", "g", "G", "ctrl+d", "ctrl+u", "enter", "esc", "esc", "space", "*",
	"c", "C", "u", "r", "x", "X", "o", "n", "s", "e", "a", "A", "m", "f", "U", "w", "i", "S", "F", "/", ":", "?", "y", "Y", "t", "b", "q", "up", "down",
	"left", "right", "ctrl+s", "backspace", "ctrl+r", "p", ".", "é", "買",
}

// others are operations of another process.
func (d *driver) others(r *rand.Rand) {
	ctx := context.Background()
	short := acme.tasks[r.IntN(len(acme.tasks))].id
	id, agent := longID(short), "mo"
	var err error
	switch r.IntN(7) {
	case 0:
		_, err = d.service.TaskCreate(ctx, core.TaskCreateRequest{Title: fmt.Sprintf("New %d", r.IntN(100)), Agent: agent})
	case 1:
		_, err = d.service.TaskComplete(ctx, core.TaskCompleteRequest{TaskID: id, Agent: agent})
	case 2:
		_, err = d.service.TaskCancel(ctx, core.TaskCancelRequest{TaskID: id, Agent: agent})
	case 3:
		_, err = d.service.TaskReopen(ctx, core.TaskReopenRequest{TaskID: id, Agent: agent})
	case 4:
		_, err = d.service.TaskClaim(ctx, core.TaskClaimRequest{TaskID: id, Agent: agent, Aspect: "work"})
	case 5:
		metadata := core.Metadata(fmt.Sprintf(`{"priority":%q}`, core.Priorities[r.IntN(5)]))
		_, err = d.service.TaskUpdate(ctx, core.TaskUpdateRequest{TaskID: id, Agent: agent, Metadata: &metadata})
	case 6:
		other := longID(acme.tasks[r.IntN(len(acme.tasks))].id)
		_, err = d.service.TaskEdgeUpsert(ctx, core.TaskEdgeUpsertRequest{FromTaskID: id, ToTaskID: other, Type: "blocks", Agent: agent})
	}
	if err != nil && core.AsError(err).Code == core.CodeInternalError {
		d.t.Fatal(err)
	}
}

// column is the ids of the rows of the column with the keys.
func (d *driver) column() []string {
	var ids []string
	for _, card := range d.m.board.pane().cards {
		ids = append(ids, card.ID)
	}
	return ids
}

// checkCursor changes the store from outside and holds that the cursor stays
// on its task or goes to the next that is still there, and that marks stay.
func (d *driver) checkCursor(r *rand.Rand) {
	d.t.Helper()
	if d.m.screen() != screen(d.m.board) || d.m.popup() != nil || d.m.board.showsGates() || d.m.board.filter.active {
		d.others(r)
		d.poll()
		return
	}
	before := d.column()
	card, ok := d.m.board.selected()
	marks := sortedKeys(d.m.marks)
	d.others(r)
	d.poll()
	after := d.column()
	if got := sortedKeys(d.m.marks); !slices.Equal(got, marks) {
		d.t.Fatalf("the marks were %v and are %v", marks, got)
	}
	if !ok {
		return
	}
	want := ""
	at := slices.Index(before, card.ID)
	for _, id := range before[at:] {
		if slices.Contains(after, id) {
			want = id
			break
		}
	}
	for i := at - 1; want == "" && i >= 0; i-- {
		if slices.Contains(after, before[i]) {
			want = before[i]
		}
	}
	now, _ := d.m.board.selected()
	if want != "" && now.ID != want {
		d.t.Fatalf("the cursor was on %s of %v, is on %s of %v, want %s", card.ID, before, now.ID, after, want)
	}
}

func TestSteady(t *testing.T) {
	sizes := [][2]int{{80, 24}, {140, 40}, {44, 16}, {40, 12}, {180, 50}}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 3))
		f := acme
		if seed%5 == 4 {
			f = hostile
		}
		size := sizes[seed%5]
		d := drive(t, f, size[0], size[1], func(o *Options) { o.Editor = "" })
		for range 160 {
			switch r.IntN(10) {
			case 0, 1:
				if f.tasks[0].id == acme.tasks[0].id {
					d.checkCursor(r)
				}
			case 2:
				d.pass(time.Duration(r.IntN(20)) * time.Minute)
			case 3:
				size = sizes[r.IntN(len(sizes))]
				d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			case 4:
				action := []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelDown, tea.MouseButtonWheelUp}[r.IntN(3)]
				d.send(tea.MouseMsg{X: r.IntN(size[0]), Y: r.IntN(size[1]), Button: action, Action: tea.MouseActionPress})
			default:
				key := steadyKeys[r.IntN(len(steadyKeys))]
				if key == "q" && d.m.popup() == nil && len(d.m.screens) == 0 {
					continue
				}
				d.press(key)
			}
			d.frame()
		}
	}
}

func TestSteady_hostileTextInEveryPane(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {44, 16}} {
		d := drive(t, hostile, size[0], size[1])
		for range len(hostile.tasks) {
			for _, keys := range [][]string{
				{}, {"c", "esc"}, {"x", "esc"}, {"X", "esc"}, {"s", "esc"}, {"e", "esc"}, {"a", "esc"}, {"f", "esc"}, {"y"}, {"n", "esc"},
				{"enter"}, {"1"}, {"3"}, {"4"}, {"5"}, {"q"}, {"space"}, {"esc"}, {"g", "l"}, {"esc"},
			} {
				d.press(keys...)
				d.frame()
			}
			d.press("j")
		}
	}
}

func TestSteady_manyChanges(t *testing.T) {
	d := drive(t, acme, 80, 24)
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		d.others(r)
		d.poll()
	}
	d.frame()
	if n := len(d.timers); n > 20 {
		t.Errorf("%d timers are set", n)
	}
	if n := len(d.m.notes.list); n > maxMessages {
		t.Errorf("%d messages are kept", n)
	}
}
