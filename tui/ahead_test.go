package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
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
					d.press("enter")
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
