package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// lentText is a text that the person's own editor has. Its file stays until
// what it has become is saved, or thrown away on purpose.
type lentText struct {
	path  string
	given string
	text  string            // what it has become
	into  *form             // holds what it has become
	enter func(text string) // enters that in the form
}

// editorPatience is how long an editor may take to end with the program.
const editorPatience = 2 * time.Second

// inEditor gives a text to the person's editor. When it comes back changed it
// is entered in its form, which next shows; wrong is what went wrong meanwhile.
func (m *model) inEditor(l *lentText, next func(m *model, wrong *core.Error) tea.Cmd) tea.Cmd {
	path, err := m.options.NewText(l.given)
	if err != nil {
		return m.fail("", core.AsError(err))
	}
	l.path = path
	words := strings.Fields(m.options.Editor)
	command := exec.CommandContext(m.ctx, words[0], append(words[1:], path)...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) } // it may save what it has
	command.WaitDelay = editorPatience
	m.ahead.drop() // keys that came already were meant for the editor
	m.ahead.away, m.lent = true, l
	return m.leaveScreen(process{command}, func(err error) tea.Msg {
		return applyMsg{func(m *model) tea.Cmd { return m.returned(l, err, next) }}
	})
}

// returned takes a text back from the editor, which may have failed.
func (m *model) returned(l *lentText, failure error, next func(*model, *core.Error) tea.Cmd) tea.Cmd {
	m.ahead.away, m.lent = false, nil
	var wrong *core.Error
	if failure != nil {
		wrong = core.InvalidInput(core.ReasonInvalidValue, "", display.EditorFault(m.options.Editor, failure))
	}
	changed, err := l.read()
	switch {
	case err != nil:
		return m.fail("", core.InvalidInput(core.ReasonInvalidValue, "", fmt.Sprintf("What the editor has left in %s cannot be read.", l.path)))
	case changed:
		if wrong != nil {
			wrong.Message += " Save what it has left, or discard it."
		}
		return next(m, wrong)
	case wrong != nil:
		return tea.Batch(m.dropDraft(l.path), m.fail("", wrong))
	}
	return tea.Batch(m.dropDraft(l.path), m.note("Nothing was changed."))
}

// read reads what the text has become and enters it in its form when it has
// changed.
func (l *lentText) read() (changed bool, err error) {
	content, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	l.text = string(content)
	if !strings.HasSuffix(l.given, "\n") {
		l.text = strings.TrimSuffix(l.text, "\n") // most editors end a file with one
	}
	if l.text == l.given {
		return false, nil
	}
	l.enter(l.text)
	l.into.lent = l.path
	return true, nil
}

// keepLent keeps what the editor has left when the program is ended from
// outside.
func (m *model) keepLent() {
	l := m.lent
	if l == nil {
		return
	}
	changed, err := l.read()
	if err == nil && !changed && m.options.DropDraft != nil {
		_ = m.options.DropDraft(l.path) // it holds nothing of the person's
	}
	if d, ok := m.draftOf(l.into); ok && changed {
		m.options.KeepDraft(d)
	}
}
