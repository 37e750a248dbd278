package tui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

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
)

// message is one line of the log.
type message struct {
	at     time.Time
	kind   messageKind
	text   string   // safe to print
	detail []string // further lines, safe to print
}

// messageLog keeps what the UI said. The last message stands in the line
// above the footer: a success for a while, a failure until it is put away.
type messageLog struct {
	list  []message
	shown bool // the last one stands above the footer
	turn  int  // of the newest message
}

// maxMessages is how many messages are kept.
const maxMessages = 200

// messageTime is how long a success is shown.
const messageTime = 5 * time.Second

func (m *model) addMessage(msg message) tea.Cmd {
	l := &m.notes
	msg.at = m.clock()
	l.list = append(l.list, msg)
	if over := len(l.list) - maxMessages; over > 0 {
		l.list = l.list[over:]
	}
	l.shown = true
	l.turn++
	if msg.kind == messageFailed {
		return nil
	}
	turn := l.turn
	return m.after(messageTime, func(m *model) tea.Cmd {
		if turn == m.notes.turn {
			m.notes.shown = false
		}
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
	var detail []string
	if operation != "" {
		detail = append(detail, operation)
	}
	for _, x := range e.Extras {
		if x.Name == "current" {
			continue // the whole record
		}
		detail = append(detail, display.Visible(x.Name+" = "+extraText(x.Value)))
	}
	return m.addMessage(message{kind: messageFailed, text: display.Visible(string(e.Code) + ": " + e.Message), detail: detail})
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
	if !l.shown || len(l.list) == 0 {
		return message{}, false
	}
	return l.list[len(l.list)-1], true
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

// drawMessage draws the last message into a line.
func (m *model) drawMessage(c *canvas, r rect) {
	msg, ok := m.notes.last()
	if !ok {
		if kept := m.board.filter.kept(c.g); kept != nil && m.screen() == screen(m.board) {
			c.ends(r, append([]span{{" ", plainText}}, kept...), []span{{"esc", keyLook}, {" clears the filter ", hintLook}})
		}
		return
	}
	sign, l := msg.sign(c.g)
	var right []span
	if msg.kind == messageFailed {
		right = []span{{c.g.enter, keyLook}, {" details  ", hintLook}, {"esc", keyLook}, {" dismiss ", hintLook}}
	} else if m.undo.possible(m) {
		right = []span{{m.keymap.shown("undo", c.g), keyLook}, {" undo ", hintLook}}
	}
	textLook := plainText
	if msg.kind == messageFailed {
		textLook = errorLook
	}
	c.ends(r, []span{{" " + sign + " ", l}, {msg.text, textLook}}, right)
}

// logPopup shows the last messages, the newest first.
type logPopup struct {
	cursor int
	top    int
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
	p.cursor = max(min(p.cursor, len(list)-1), 0)
	p.top = min(p.top, p.cursor)
	for p.linesTo(list) > inner.h && p.top < p.cursor {
		p.top++
	}
	y := inner.y
	for i := p.top; i < len(list) && y < inner.y+inner.h; i++ {
		msg := list[len(list)-1-i]
		sign, l := msg.sign(c.g)
		line := rect{inner.x, y, inner.w, 1}
		c.spans(line.x+2, line.y, line.w-2, span{msg.at.Format("15:04:05") + "  ", dimText}, span{sign + " ", l}, span{msg.text, plainText})
		if i == p.cursor {
			c.tint(line, backSelected)
			c.put(line.x, line.y, 1, c.g.cursor, focusLook)
		}
		y++
		for _, detail := range msg.detail {
			if y < inner.y+inner.h {
				c.cut(inner.x+14, y, inner.w-14, detail, dimText)
				y++
			}
		}
	}
}

// linesTo is how many lines the messages from the top to the cursor take.
func (p *logPopup) linesTo(list []message) int {
	lines := 0
	for i := p.top; i <= p.cursor; i++ {
		lines += 1 + len(list[len(list)-1-i].detail)
	}
	return lines
}

func (p *logPopup) key(m *model, k tea.KeyMsg) tea.Cmd {
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
			return m.copy(msg.text, "the message")
		}
	}
	return nil
}

func (p *logPopup) click(m *model, x, y int) tea.Cmd {
	m.dismiss(p)
	return nil
}

func (p *logPopup) wheel(m *model, lines int) { p.cursor += lines }
