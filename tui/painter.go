package tui

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// painter writes frames to the terminal. A frame is written as soon as it is
// there, but no sooner than paintGap after the one before; of those that come
// in between only the last. What has not changed is not written, and a painter
// without anything to paint does not run, unlike Bubble Tea's own, which looks
// for frames at every tick of its clock.
type painter struct {
	mu     sync.Mutex
	out    io.Writer
	shown  []string // lines on the terminal; nil: not known
	wanted string   // the newest frame
	last   time.Time
	later  *time.Timer // paints the newest frame; nil when it is painted
	on     bool        // the screen is ours
	mouse  bool        // the terminal tells of the mouse
}

// paintGap is the least time between two frames: half of one of a screen with
// 60 Hz.
const paintGap = time.Second / 120

func newPainter(out io.Writer, mouse bool) *painter { return &painter{out: out, mouse: mouse} }

// write writes to the terminal. When that fails the terminal is gone, of which
// a signal tells.
func (p *painter) write(text string) { _, _ = io.WriteString(p.out, text) }

// say writes a sequence that is no part of a frame.
func (p *painter) say(sequence string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(sequence)
}

// enter takes the terminal's other screen and paints it.
func (p *painter) enter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on {
		return
	}
	p.on, p.shown = true, nil
	p.write(ansi.SetModeAltScreenSaveCursor + ansi.EraseEntireScreen + ansi.CursorHomePosition + ansi.HideCursor + ansi.SetModeBracketedPaste)
	if p.mouse {
		p.write(startMouse)
	}
	p.paint()
}

// leave gives the terminal back as it was.
func (p *painter) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.on {
		return
	}
	p.on = false
	if p.mouse {
		p.write(stopMouse)
	}
	p.write(ansi.ResetModeBracketedPaste + ansi.ResetModeAltScreenSaveCursor + ansi.ShowCursor)
}

// The terminal tells of clicks, the wheel and dragging, with positions of any
// size; or no longer.
const (
	startMouse = ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
	stopMouse  = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr
)

// useMouse turns the mouse on or off.
func (p *painter) useMouse(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mouse = on
	switch {
	case p.on && on:
		p.write(startMouse)
	case p.on:
		p.write(stopMouse)
	}
}

// forget makes the next frame be written whole.
func (p *painter) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = nil
}

// frame takes the newest frame over.
func (p *painter) frame(text string) {
	if text == "" {
		return // the size of the terminal is not known yet
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if text == p.wanted && p.shown != nil {
		return
	}
	p.wanted = text
	p.show()
}

// show paints now, or as soon as it may. The lock is held.
func (p *painter) show() {
	if !p.on || p.later != nil {
		return
	}
	wait := paintGap - time.Since(p.last)
	if wait <= 0 {
		p.paint()
		return
	}
	p.later = time.AfterFunc(wait, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.later = nil
		if p.on {
			p.paint()
		}
	})
}

// paint writes what has changed of the newest frame. The lock is held.
func (p *painter) paint() {
	if p.wanted == "" {
		return
	}
	lines := strings.Split(p.wanted, "\n")
	var out strings.Builder
	if p.shown == nil {
		out.WriteString(ansi.EraseEntireScreen)
	}
	for y, line := range lines {
		if p.shown == nil || y >= len(p.shown) || p.shown[y] != line {
			out.WriteString(ansi.CursorPosition(1, y+1))
			out.WriteString(line)
		}
	}
	if p.shown != nil && len(lines) < len(p.shown) {
		out.WriteString(ansi.CursorPosition(1, len(lines)+1) + ansi.EraseScreenBelow)
	}
	p.shown, p.last = lines, time.Now()
	if out.Len() > 0 {
		out.WriteString(ansi.CursorPosition(1, len(lines))) // wherever it was drawn last, the cursor rests here
		p.write(out.String())
	}
}

// mute is the terminal as Bubble Tea sees it: it can be looked at, but what
// Bubble Tea's own renderer writes goes nowhere.
type mute struct{ *os.File }

// Write implements [io.Writer].
func (mute) Write(b []byte) (int, error) { return len(b), nil }

// WriteString implements [io.StringWriter].
func (mute) WriteString(s string) (int, error) { return len(s), nil }

// painted is the model with its painter, as Bubble Tea runs it.
type painted struct {
	*model
	painter *painter
}

// Update implements [tea.Model].
func (p painted) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.painter.forget() // terminals move lines about when their size changes
	case tea.ResumeMsg:
		p.painter.enter()
	default:
		p.painter.obey(msg)
	}
	_, cmd := p.model.Update(msg)
	return p, cmd
}

// View implements [tea.Model]. The frame goes to the painter.
func (p painted) View() string {
	p.painter.frame(p.model.View())
	return ""
}

// obey does what messages of Bubble Tea ask of its renderer.
func (p *painter) obey(msg tea.Msg) {
	switch msg {
	case tea.ClearScreen():
		p.forget()
	case tea.EnableMouseCellMotion():
		p.useMouse(true)
	case tea.DisableMouse():
		p.useMouse(false)
	}
}

// filter sees messages before Bubble Tea acts on them.
func (p painted) filter(m tea.Model, msg tea.Msg) tea.Msg {
	if _, ok := msg.(tea.SuspendMsg); ok {
		p.painter.leave()
	}
	if msg = p.model.filter(m, msg); msg == nil {
		p.View()
	}
	return msg
}

// lend makes the command that gives the terminal to something else for a while.
func (p *painter) lend(c tea.ExecCommand, then tea.ExecCallback) tea.Cmd {
	return tea.Exec(lent{c, p}, then)
}

// lent is something that has the terminal for a while.
type lent struct {
	tea.ExecCommand
	painter *painter
}

// SetStdout implements [tea.ExecCommand].
func (l lent) SetStdout(io.Writer) { l.ExecCommand.SetStdout(l.painter.out) }

// Run implements [tea.ExecCommand].
func (l lent) Run() error {
	l.painter.leave()
	defer l.painter.enter()
	return l.ExecCommand.Run()
}

// process is another program, which has its streams, as something that can
// have the terminal.
type process struct{ *exec.Cmd }

// SetStdin implements [tea.ExecCommand].
func (process) SetStdin(io.Reader) {}

// SetStdout implements [tea.ExecCommand].
func (process) SetStdout(io.Writer) {}

// SetStderr implements [tea.ExecCommand].
func (process) SetStderr(io.Writer) {}
