package tui

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// TestMessages_go: what was only to be known goes at the next key, a success
// after a while, and a failure at the first key after it could be seen.
func TestMessages_go(t *testing.T) {
	d := drive(t, acme, 80, 24)
	d.press("r")
	d.shows("Cannot renew lease")
	d.press("j")
	d.hides("Cannot renew lease")

	d.press("N", "/")
	d.press("esc", "q", "r")
	d.shows("Cannot renew lease")
	d.press("/")
	d.hides("Cannot renew lease")
	d.press("esc", "k", "C")
	d.shows("claimed", "U undo")
	d.press("j")
	d.shows("U undo") // it can still be taken back
	d.pass(messageTime + time.Second)
	d.hides("U undo")

	d.run(d.m.fail("", core.NewError(core.CodeInvalidInput, "It went wrong.")))
	d.press("j")
	d.shows("It went wrong.", "esc dismiss")
	d.pass(10 * time.Minute)
	d.shows("It went wrong.")
	d.press("k")
	d.hides("It went wrong.")
	d.press("g", "l")
	d.shows("It went wrong.")
}

// TestMessages_fit: a message that is too long for its line says how to see all
// of it.
func TestMessages_fit(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("many words ", 10))
	d := drive(t, acme, 44, 16)
	say := func(message func(*model) tea.Cmd) { d.send(applyMsg{message}) }
	say(func(m *model) tea.Cmd { return m.note(long) })
	d.shows("gl shows all")
	say(func(m *model) tea.Cmd { return m.fail("", core.NewError(core.CodeInvalidInput, long)) })
	d.shows("↵ details")
	d.hides("dismiss")
	say(func(m *model) tea.Cmd { return m.fail("", core.NewError(core.CodeInvalidInput, "Brief.")) })
	d.shows("Brief.", "esc dismiss")
}
