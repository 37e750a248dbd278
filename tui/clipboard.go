package tui

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core/display"
)

// copy sends text to the clipboard of the terminal and shows it. The terminal
// fills its clipboard, so it works over ssh as well; it does not say whether it
// did, and some refuse.
func (m *model) copy(text string) tea.Cmd {
	return m.copyAs("the terminal to copy", text)
}

// copyAs copies text and says what it is.
func (m *model) copyAs(what, text string) tea.Cmd {
	shown := display.Visible(text)
	return tea.Batch(m.clip(text), m.addMessage(message{
		kind: messageNote, text: "Sent to " + what + ": " + shown, copied: text,
		detail: []string{"Terminals do not say whether they took it."},
	}))
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
	return m.copy(strings.Join(ids, " "))
}

// copyCommand copies the command line that does what was done last or, when
// nothing was done yet, the one for the task at hand.
func (m *model) copyCommand() tea.Cmd {
	if m.command != "" {
		return m.copyAs("copy, as done last", m.command)
	}
	if needsTaskAtHand(m) != "" {
		return m.note("Nothing has been done yet, and there is no task under the cursor.")
	}
	return m.copyTaskCommand()
}

// copyTaskCommand copies the command line that shows the task under the cursor:
// where something holds it back, what that is.
func (m *model) copyTaskCommand() tea.Cmd {
	card, _ := m.screen().selected()
	verb := "get"
	if card.Held || card.WaitCount > 0 {
		verb = "why"
	}
	return m.copy(commandLine("task", verb, card.ShortID))
}

// actLine is a command of the command line that changes something, as the
// agent who acts here.
func actLine(agent string, words []string, flags ...string) string {
	flags = slices.Concat(flags, flagOf("--agent", agent))
	for i, word := range words {
		if strings.HasPrefix(word, "-") { // text that would be taken for a flag
			return commandLine(slices.Concat(words[:i], flags, []string{"--"}, words[i:])...)
		}
	}
	return commandLine(slices.Concat(words, flags)...)
}

// flagOf is a flag with its value, which is joined to it where it would be
// taken for a flag itself.
func flagOf(name, value string) []string {
	if strings.HasPrefix(value, "-") {
		return []string{name + "=" + value}
	}
	return []string{name, value}
}

// inTurn joins commands so that each runs only after the one before succeeded.
func inTurn(lines []string) string { return strings.Join(lines, " && ") }

// commandLine is a command of the command line as a shell takes it.
func commandLine(words ...string) string {
	quoted := make([]string, len(words)+1)
	quoted[0] = "lithos"
	for i, word := range words {
		quoted[i+1] = display.ShellWord(word)
	}
	return strings.Join(quoted, " ")
}
