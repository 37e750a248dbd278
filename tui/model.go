package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// model is the one Bubble Tea model: what is open, what is known, and where
// the keys go. It changes in Update alone.
type model struct {
	ctx     context.Context
	options Options
	styles  *styles
	glyphs  *glyphs
	keymap  *keymap
	// tick makes the command that sends a message once a time has passed.
	tick func(time.Duration, tea.Msg) tea.Cmd
	// say writes an escape sequence that is no part of a frame, such as the one
	// that fills the clipboard, to the terminal.
	say func(sequence string)
	// send gives the loop a message.
	send func(tea.Msg)
	// leaveScreen makes the command that gives the terminal to something else
	// for a while.
	leaveScreen func(tea.ExecCommand, tea.ExecCallback) tea.Cmd

	w, h   int
	canvas *canvas

	live       liveStore
	board      *board
	screens    []screen // opened over the board, the last one shown
	popups     []popup  // over the screen, the last one has the keys
	tree       *tree    // as it was left; nil until it is opened
	conversing bool     // the screen is left for a conversation
	pending    []string // the keys of a sequence so far
	ahead      typeAhead
	folder     folderWatch // of the notes

	marks    map[string]core.Card // by full id
	unmarked map[string]core.Card // the marks that were taken away last
	about    []core.Card          // what the dialog that is being opened is about, instead of what is at hand; nil for none
	notes    messageLog
	news     newsroom
	undoings []*undoing // what was done here, the newest last
	command  string     // the command line that does what was done last
	mouse    bool
	clicked  clicks
	hits     []hit // places of the last frame that can be clicked
	crash    *Crash
	filling  *filling  // a draft that waits for its form
	lent     *lentText // what the person's editor has
	later    []tea.Cmd // what the message at hand sets off besides

	settled bool      // the message at hand changes nothing that is shown
	stale   bool      // something has changed since the last frame
	shown   string    // the last frame
	drawn   time.Time // the second it is of
}

// screen is a place one can be. Its methods are called by the model alone.
type screen interface {
	// place names the combination of scopes, see places.
	place() string
	// crumb is the name of the screen in the header.
	crumb() string
	// load reads what the screen shows; refresh says that something may have
	// changed, as opposed to the screen being opened.
	load(m *model, refresh bool) tea.Cmd
	// draw draws the screen between header and footer.
	draw(m *model, c *canvas, area rect)
	// selected is the task that actions are about.
	selected() (core.Card, bool)
	// step moves the cursor by rows; edge to the first or last row.
	step(m *model, rows int) tea.Cmd
	edge(m *model, last bool) tea.Cmd
	// page is how many rows fit the screen.
	page() int
	// due is when something on the screen changes by itself; nil for never.
	due() *core.Stamp
	// click and wheel answer the mouse; x and y are cells of the frame.
	click(m *model, x, y int, double bool) tea.Cmd
	wheel(m *model, x, y, lines int) tea.Cmd
}

// popup is a box over the screen that has the keys.
type popup interface {
	// draw draws the box; screen is the whole frame.
	draw(m *model, c *canvas, screen rect)
	// key answers a key.
	key(m *model, k tea.KeyMsg) tea.Cmd
	// click answers the mouse; outside says that the box was missed.
	click(m *model, x, y int) tea.Cmd
	// wheel scrolls by lines.
	wheel(m *model, lines int)
}

// hit is a place of the frame that sets something off when it is clicked.
type hit struct {
	rect rect
	run  func(*model) tea.Cmd
}

// clock is the time.
func (m *model) clock() time.Time {
	if m.options.Now != nil {
		return m.options.Now()
	}
	return time.Now()
}

func (m *model) now() core.Stamp { return core.StampOf(m.clock()) }

// screen is the one that is shown.
func (m *model) screen() screen {
	if n := len(m.screens); n > 0 {
		return m.screens[n-1]
	}
	return m.board
}

// popup is the one that has the keys, or nil.
func (m *model) popup() popup {
	if n := len(m.popups); n > 0 {
		return m.popups[n-1]
	}
	return nil
}

// open shows a screen over the present one.
func (m *model) open(s screen) tea.Cmd {
	m.screens = append(m.screens, s)
	return s.load(m, false)
}

// close goes back one screen.
func (m *model) close() tea.Cmd {
	if n := len(m.screens); n > 0 {
		m.screens = m.screens[:n-1]
	}
	return m.screen().load(m, true)
}

// ask shows a popup.
func (m *model) ask(p popup) {
	m.popups = append(m.popups, p)
	m.enterDraft(p)
}

// dismiss closes a popup, wherever it is among them.
func (m *model) dismiss(p popup) {
	for i, open := range m.popups {
		if open == p {
			m.popups = append(m.popups[:i:i], m.popups[i+1:]...)
			if f, ok := p.(interface{ itself() *form }); ok {
				for _, path := range []string{f.itself().draft, f.itself().lent} {
					if path != "" { // it was saved, or thrown away on purpose
						m.later = append(m.later, m.dropDraft(path))
					}
				}
			}
			return
		}
	}
}

// Init implements [tea.Model].
func (m *model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.openStore(), m.minuteTick()}
	if m.asksBackground() {
		cmds = append(cmds, m.work(func() func(*model) tea.Cmd {
			m.say(askBackground)
			return nil
		}))
	}
	return tea.Batch(cmds...)
}

// Update implements [tea.Model].
func (m *model) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			m.crash = newCrash(r).(*Crash)
			next, cmd = m, tea.Quit
		}
	}()
	if m.crash != nil { // met while drawing
		return m, tea.Quit
	}
	m.settled = false
	cmd = m.converse(m.update(msg))
	if len(m.later) > 0 {
		cmd = tea.Batch(append(m.later, cmd)...)
		m.later = nil
	}
	m.stale = m.stale || !m.settled
	return m, cmd
}

func (m *model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.layout()
		return tea.Batch(m.screen().load(m, true), m.replay())
	case applyMsg:
		if msg.apply == nil {
			return nil
		}
		cmd := msg.apply(m)
		return tea.Batch(cmd, m.replay())
	case tea.KeyMsg:
		return m.keys(msg)
	case tea.MouseMsg:
		return m.mouseEvent(msg)
	case tea.ResumeMsg:
		return m.changed()
	case answeredMsg:
		return msg.cmd
	case *Crash:
		m.crash = msg
		return tea.Quit
	case backgroundMsg:
		return m.background(msg)
	}
	return nil
}

// answeredMsg is what is left of a message that filter has answered.
type answeredMsg struct{ cmd tea.Cmd }

// filter answers the messages of work done beside the loop. Those that tell
// that nothing has happened go no further: Bubble Tea would compare the frame
// with the one on screen at every tick until the next one that differs.
func (m *model) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, ok := msg.(applyMsg); !ok {
		return msg
	}
	before := m.shown
	_, cmd := m.Update(msg)
	if m.crash != nil || !m.settled || m.View() != before {
		return answeredMsg{cmd}
	}
	if cmd != nil {
		go func() { m.send(cmd()) }()
	}
	return nil
}

// View implements [tea.Model].
func (m *model) View() (frame string) {
	defer func() {
		if r := recover(); r != nil {
			if m.crash == nil {
				m.crash = newCrash(r).(*Crash)
			}
			frame = ""
		}
	}()
	if m.w <= 0 || m.h <= 0 {
		return ""
	}
	// What tells how much time is left changes by itself.
	if second := m.clock().Truncate(time.Second); m.stale || !second.Equal(m.drawn) {
		m.shown, m.drawn, m.stale = m.frame().text(m.styles), second, false
	}
	return m.shown
}

// frame draws everything.
func (m *model) frame() *canvas {
	m.canvas = newCanvas(m.canvas, m.glyphs, m.w, m.h)
	c := m.canvas
	m.hits = m.hits[:0]
	if m.isTooSmall() {
		m.drawTooSmall(c)
		return c
	}
	whole := rect{0, 0, m.w, m.h}
	if notice := m.live.notice(m); notice != nil {
		notice.draw(m, c, whole)
	} else {
		m.drawHeader(c)
		m.screen().draw(m, c, m.body())
		m.drawFooter(c)
		m.drawSequence(c)
	}
	for _, p := range m.popups {
		p.draw(m, c, whole)
	}
	return c
}

// isTooSmall reports whether the terminal has no room for a screen.
func (m *model) isTooSmall() bool { return m.w > 0 && (m.w < minWidth || m.h < minHeight) }

// layout tells the screens how large they are.
func (m *model) layout() {
	if m.isTooSmall() {
		return
	}
	m.board.arrange(m)
}
