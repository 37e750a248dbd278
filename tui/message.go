package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// messageKind says how a message came about.
type messageKind int

// The kinds of messages.
const (
	messageDone   messageKind = iota // an action succeeded
	messageNote                      // something to know
	messageFailed                    // an action was refused
	messageNews                      // somebody else has changed something
)

// message is one line of the log.
type message struct {
	at     time.Time
	kind   messageKind
	text   string   // safe to print
	code   string   // of the refusal
	detail []string // further lines, safe to print
	undo   *undoing // how what it tells of can be taken back
	copied string   // what copying the line takes instead of its text
}

// messageLog keeps what the UI said. The last message stands in the line
// above the footer: a success for a while, a failure until it is put away.
// What others do is said there only while nothing else is.
type messageLog struct {
	list  []*message
	own   *message // the last one about what was done here
	shown bool     // it stands above the footer
	turn  int      // its number

	other    *message // the last one about what others did
	news     bool     // it stands above the footer, or will when own no longer does
	newsTurn int      // of the timer that takes it away
}

// maxMessages is how many messages are kept.
const maxMessages = 200

// messageTime is how long a message is shown. What is no success and no failure
// goes at the next key already. A failure stays until it can have been seen: it
// goes at the first key after that time.
const messageTime = 5 * time.Second

// keyPressed takes away what the key shows to have been read.
func (l *messageLog) keyPressed(now time.Time) {
	if l.own == nil {
		return
	}
	switch l.own.kind {
	case messageNote:
		l.shown = false
	case messageFailed:
		l.shown = l.shown && now.Sub(l.own.at) < messageTime
	}
}

func (m *model) addMessage(msg message) tea.Cmd {
	l := &m.notes
	msg.at = m.clock()
	l.own = &msg
	l.keep(l.own)
	l.shown = true
	l.turn++
	if msg.kind == messageFailed {
		return nil
	}
	turn := l.turn
	return m.after(messageTime, func(m *model) tea.Cmd {
		if turn != m.notes.turn {
			return nil
		}
		m.notes.shown = false
		if m.notes.news {
			return m.fadeNews() // it can be seen from now on
		}
		return nil
	})
}

// keep puts a message into the log.
func (l *messageLog) keep(msg *message) {
	l.list = append(l.list, msg)
	if over := len(l.list) - maxMessages; over > 0 {
		l.list = slices.Delete(l.list, 0, over)
	}
}

// amend adds to the last message about what was done here, if it is the one of
// the turn given.
func (l *messageLog) amend(turn int, text string) {
	if l.own != nil && l.turn == turn {
		l.own.text += text
	}
}

// addNews shows a message about what others did, which is the one shown
// before when more has joined it.
func (m *model) addNews(msg *message) tea.Cmd {
	l := &m.notes
	msg.at = m.clock()
	if l.other != msg {
		l.other = msg
		l.keep(msg)
	}
	l.news = true
	return m.fadeNews()
}

// fadeNews takes news away after a while in which it could be seen.
func (m *model) fadeNews() tea.Cmd {
	m.notes.newsTurn++
	turn := m.notes.newsTurn
	return m.after(messageTime, func(m *model) tea.Cmd {
		switch {
		case turn != m.notes.newsTurn:
			return nil
		case m.notes.shown && m.notes.own.kind != messageFailed:
			return m.fadeNews() // it has not been seen
		}
		m.notes.news = false
		return nil
	})
}

// tell says that an action succeeded.
func (m *model) tell(text string) tea.Cmd {
	return m.addMessage(message{kind: messageDone, text: display.Visible(text)})
}

// note says something to know, such as why an action is impossible here.
func (m *model) note(text string) tea.Cmd {
	return m.addMessage(message{kind: messageNote, text: display.Visible(text)})
}

// fail says that an action was refused; operation is its name in the
// contract, if it is one.
func (m *model) fail(operation string, e *core.Error) tea.Cmd {
	first := string(e.Code)
	if operation != "" {
		first = operation + ": " + first
	}
	detail := []string{first}
	for _, x := range e.Extras {
		if x.Name == "current" {
			continue // the whole record
		}
		detail = append(detail, display.Visible(x.Name+" = "+extraText(x.Value)))
	}
	return m.addMessage(message{kind: messageFailed, text: display.Visible(e.Message), code: string(e.Code), detail: detail})
}

func extraText(value any) string {
	text, err := core.EncodeJSON(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return strings.Trim(string(text), `"`)
}

// last is the message above the footer.
func (l *messageLog) last() (message, bool) {
	switch {
	case l.shown && l.own != nil:
		return *l.own, true
	case l.news && l.other != nil:
		return *l.other, true
	}
	return message{}, false
}

// put says how a message is drawn.
func (msg message) sign(g *glyphs) (string, look) {
	switch msg.kind {
	case messageDone:
		return g.tick, okLook
	case messageFailed:
		return g.cross, errorLook
	}
	return g.bullet, dimText
}

// messageKeys are the keys that are about a message, as many as fit so many
// cells. The text goes before them, but where it is cut they say how to see all
// of it.
func (m *model) messageKeys(g *glyphs, msg message, room int) []span {
	details, dismiss := []span{{g.enter, keyLook}, {" details ", hintLook}}, []span{{" esc", keyLook}, {" dismiss ", hintLook}}
	var keys []span
	switch {
	case msg.kind == messageFailed:
		if keys = slices.Concat(details, dismiss); spansWidth(keys) > room {
			keys = details
		}
	case msg.undo != nil && msg.undo.run != nil && msg.undo == m.lastDone():
		keys = []span{{m.keymap.shown("undo", g), keyLook}, {" undo ", hintLook}}
	case room < 0:
		keys = []span{{m.keymap.shown("go.log", g), keyLook}, {" shows all ", hintLook}}
	}
	return keys
}

// drawMessage draws the last message into a line.
func (m *model) drawMessage(c *canvas, r rect) {
	msg, ok := m.notes.last()
	var kept []span
	if m.screen() == screen(m.board) {
		kept = m.board.filter.kept(c.g)
	}
	if !ok {
		if kept != nil {
			line := append([]span{{" ", plainText}}, kept...)
			if epics := m.board.filter.epicSpans(c.g, m.board); epics != nil && m.w < threeColumns {
				line = append(append(line, span{"   ", plainText}), epics...)
			}
			c.ends(r, line, []span{{"esc", keyLook}, {" clears the filter ", hintLook}})
		}
		return
	}
	sign, l := msg.sign(c.g)
	right := m.messageKeys(c.g, msg, r.w-4-cells(msg.text))
	if right == nil && kept != nil && spansWidth(kept) < r.w/2 {
		right = append(kept, span{" ", plainText}) // the filter is still on
	}
	textLook := plainText
	if msg.kind == messageFailed {
		textLook = errorLook
	}
	left := []span{{" " + sign + " ", l}, {msg.text, textLook}}
	if room := r.w - spansWidth(right) - 1; msg.code != "" && spansWidth(left)+2+cells(msg.code) <= room {
		left = append(left, span{"  " + msg.code, dimText}) // the sentence goes first where there is not room for both
	}
	c.ends(r, left, right)
}

// logPopup shows the last messages, the newest first.
type logPopup struct {
	cursor int      // counted from the newest
	top    int      // likewise
	at     *message // under the cursor, which stays there when others come
	width  int      // of the text, as last drawn
}

// settle keeps the cursor on its message.
func (p *logPopup) settle(list []*message) {
	if i := slices.Index(list, p.at); i >= 0 {
		moved := len(list) - 1 - i - p.cursor
		p.cursor, p.top = p.cursor+moved, p.top+moved
	}
	p.cursor = max(min(p.cursor, len(list)-1), 0)
	p.top = max(p.top, 0)
	p.at = nil
}

// logIndent is where the text of a message begins: behind time and sign.
const logIndent = 14

// lines are the text and the details of a message, none of them cut off.
func (p *logPopup) lines(msg *message) (text, detail []string) {
	for _, d := range msg.detail {
		detail = append(detail, paragraph(d, p.width)...)
	}
	if msg.copied != "" { // as it is, and not broken at hyphens
		return strings.Split(ansi.Hardwrap(msg.text, p.width, true), "\n"), detail
	}
	return paragraph(msg.text, p.width), detail
}

func (p *logPopup) draw(m *model, c *canvas, screen rect) {
	area := centered(screen, min(screen.w-6, 90), min(screen.h-6, 24))
	inner := c.frame(area, box{
		title: []span{{"Messages", titleLook}}, focus: true,
		bottom: []span{{"y", keyLook}, {" copy line " + c.g.bullet + " ", hintLook}, {"esc", keyLook}},
	})
	list := m.notes.list
	if len(list) == 0 {
		c.put(inner.x+2, inner.y+1, inner.w-2, "Nothing has been said yet.", dimText)
		return
	}
	p.width = max(inner.w-logIndent, 1)
	p.settle(list)
	p.at = list[len(list)-1-p.cursor]
	p.top = min(p.top, p.cursor)
	for p.linesTo(list) > inner.h && p.top < p.cursor {
		p.top++
	}
	y := inner.y
	for i := p.top; i < len(list) && y < inner.y+inner.h; i++ {
		msg := list[len(list)-1-i]
		sign, l := msg.sign(c.g)
		text, detail := p.lines(msg)
		c.spans(inner.x+2, y, inner.w-2, span{msg.at.Format("15:04:05") + "  ", dimText}, span{sign + " ", l})
		for j, line := range append(text, detail...) {
			if y == inner.y+inner.h {
				break
			}
			look := plainText
			if j >= len(text) {
				look = dimText
			}
			c.put(inner.x+logIndent, y, p.width, line, look)
			if i == p.cursor && j < len(text) {
				c.tint(rect{inner.x, y, inner.w, 1}, backSelected)
				c.put(inner.x, y, 1, c.g.cursor, focusLook)
			}
			y++
		}
	}
}

// linesTo is how many lines the messages from the top to the cursor take.
func (p *logPopup) linesTo(list []*message) int {
	lines := 0
	for i := p.top; i <= p.cursor; i++ {
		text, detail := p.lines(list[len(list)-1-i])
		lines += len(text) + len(detail)
	}
	return lines
}

func (p *logPopup) key(m *model, k tea.KeyMsg) tea.Cmd {
	p.settle(m.notes.list)
	switch k.String() {
	case "esc", "q", "enter":
		m.dismiss(p)
	case "j", "down":
		p.cursor++
	case "k", "up":
		p.cursor--
	case "g", "home":
		p.cursor = 0
	case "G", "end":
		p.cursor = len(m.notes.list) - 1
	case "y":
		if n := len(m.notes.list); n > 0 {
			msg := m.notes.list[n-1-p.cursor]
			p.cursor++ // what is said about it comes above
			if msg.copied != "" {
				return m.copy(msg.copied)
			}
			return m.copy(msg.text)
		}
	}
	return nil
}

func (p *logPopup) click(m *model, x, y int) tea.Cmd {
	m.dismiss(p)
	return nil
}

func (p *logPopup) wheel(m *model, lines int) {
	p.settle(m.notes.list)
	p.cursor += lines
}
