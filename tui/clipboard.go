package tui

import (
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core/display"
)

// copy puts text into the clipboard of the terminal. The terminal does it,
// so it works over ssh as well; it does not say whether it did.
func (m *model) copy(text, what string) tea.Cmd {
	return tea.Batch(m.clip(text), m.tell("Copied "+what+": "+text))
}

// clip puts text into the clipboard without saying so.
func (m *model) clip(text string) tea.Cmd {
	sequence := osc52.New(text).String()
	say := m.say
	return m.work(func() func(*model) tea.Cmd {
		say(sequence)
		return nil
	})
}

// copyIDs copies the full ids of the tasks at hand.
func (m *model) copyIDs() tea.Cmd {
	var ids []string
	for _, card := range m.targets() {
		ids = append(ids, card.ID)
	}
	return m.copy(strings.Join(ids, " "), "the id")
}

// copyCommand copies the command line that does what was done last or, when
// nothing was done yet, the one that shows the task at hand.
func (m *model) copyCommand() tea.Cmd {
	command := m.command
	if command == "" {
		card, ok := m.screen().selected()
		if !ok {
			return m.note("Nothing has been done yet, and there is no task under the cursor.")
		}
		command = commandLine("task", "get", card.ShortID)
	}
	return m.copy(command, "the command")
}

// commandLine is a command of the command line as a shell takes it.
func commandLine(words ...string) string {
	quoted := make([]string, len(words)+1)
	quoted[0] = "lithos"
	for i, word := range words {
		quoted[i+1] = display.ShellWord(word)
	}
	return strings.Join(quoted, " ")
}
