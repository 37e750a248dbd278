package tui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// picker is a popup that searches for tasks. Those that cannot be chosen stay
// visible, with the reason.
type picker struct {
	title  []span
	editor *editor
	link   core.LinkRequest // how the choice is to be joined; its Text is what is typed
	many   bool
	done   string // what enter does, for the lower border

	found  core.LinkChoices
	known  bool
	stale  bool // what was found is not yet that of the text
	cursor int
	top    int
	marked map[string]core.Card
	loads  loader
	rows   int // lines of the list, as last drawn
	area   rect

	choose func(m *model, cards []core.Card) tea.Cmd
}

// typingTime is how long the search waits for another key.
const typingTime = 40 * time.Millisecond

// openPicker shows a picker and searches for what it begins with.
func (m *model) openPicker(p *picker) tea.Cmd {
	p.editor = newEditor(p.link.Text, false)
	p.marked = map[string]core.Card{}
	m.ask(p)
	return p.search(m)
}

func (p *picker) search(m *model) tea.Cmd {
	service := m.live.service
	if service == nil {
		p.stale = false
		return nil
	}
	p.link.Text, p.stale = p.editor.text(), true
	req := p.link
	return p.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
		found, err := service.LinkChoices(ctx, req)
		return func(m *model) tea.Cmd {
			if err != nil {
				p.found, p.stale = core.LinkChoices{}, false
				return m.notOpened(err)
			}
			p.found, p.known, p.stale = found, true, p.editor.text() != req.Text
			p.cursor = max(min(p.cursor, len(found.Choices)-1), 0)
			return nil
		}
	})
}

// waitsFor reports whether a key has to wait: one that is about what is found
// waits until that is what the text asks for.
func (p *picker) waitsFor(k tea.KeyMsg) bool {
	if !p.stale {
		return false
	}
	switch k.String() {
	case "enter", "tab", "down", "up", "ctrl+n", "ctrl+p", "pgup", "pgdown":
		return true
	case " ":
		return p.marks()
	}
	return false
}

// marks reports whether space marks, and is not typed.
func (p *picker) marks() bool { return p.many && (p.editor.text() == "" || len(p.marked) > 0) }

func (p *picker) key(m *model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		p.loads.stop()
		m.dismiss(p)
	case "down", "ctrl+n":
		p.cursor = min(p.cursor+1, max(len(p.found.Choices)-1, 0))
	case "up", "ctrl+p":
		p.cursor = max(p.cursor-1, 0)
	case "pgdown":
		p.cursor = min(p.cursor+p.rows/2, max(len(p.found.Choices)-1, 0))
	case "pgup":
		p.cursor = max(p.cursor-p.rows/2, 0)
	case "tab":
		p.mark(m)
	case "enter":
		return p.enter(m)
	case " ":
		if p.marks() {
			p.mark(m)
			return nil
		}
		return p.typed(m, k)
	default:
		return p.typed(m, k)
	}
	return nil
}

// typed changes the text and searches once typing pauses.
func (p *picker) typed(m *model, k tea.KeyMsg) tea.Cmd {
	if !p.editor.key(k) {
		return nil
	}
	text := p.editor.text()
	p.cursor, p.stale = 0, true
	return m.after(typingTime, func(m *model) tea.Cmd {
		if p.editor.text() != text {
			return nil
		}
		return p.search(m)
	})
}

// current is the choice under the cursor.
func (p *picker) current() (core.LinkChoice, bool) {
	if p.cursor < len(p.found.Choices) {
		return p.found.Choices[p.cursor], true
	}
	return core.LinkChoice{}, false
}

func (p *picker) mark(m *model) {
	choice, ok := p.current()
	if !ok || !p.many || choice.Refusal != nil {
		return
	}
	if _, marked := p.marked[choice.ID]; marked {
		delete(p.marked, choice.ID)
		return
	}
	p.marked[choice.ID] = choice.Card
}

func (p *picker) enter(m *model) tea.Cmd {
	cards := []core.Card{}
	for _, id := range sortedKeys(p.marked) {
		cards = append(cards, p.marked[id])
	}
	if len(cards) == 0 {
		choice, ok := p.current()
		if !ok {
			return nil
		}
		if choice.Refusal != nil {
			return m.fail("", choice.Refusal)
		}
		cards = append(cards, choice.Card)
	}
	p.loads.stop()
	m.dismiss(p)
	return p.choose(m, cards)
}

func (p *picker) draw(m *model, c *canvas, screen rect) {
	area := centered(screen, min(screen.w-4, max(76, screen.w*2/3)), min(screen.h-4, 18))
	p.area = area
	foot := []span{{c.g.enter, keyLook}, {" " + p.done + " " + c.g.bullet + " ", hintLook}, {"esc", keyLook}}
	if p.many {
		foot = append([]span{{"tab", keyLook}, {" mark several " + c.g.bullet + " ", hintLook}}, foot...)
	}
	inner := c.frame(area, box{title: p.title, focus: true, bottom: foot})
	c.put(inner.x+1, inner.y, 1, "/", keyLook)
	p.editor.draw(c, rect{inner.x + 3, inner.y, inner.w - 4, 1}, true, plainText)
	list := rect{inner.x, inner.y + 2, inner.w, inner.h - 3}
	p.rows = list.h
	switch {
	case !p.known:
		return
	case len(p.found.Choices) == 0:
		c.put(list.x+2, list.y, list.w-2, "No match.", dimText)
		return
	}
	p.top = max(min(p.top, p.cursor), 0)
	for p.linesTo(c.g) > list.h && p.top < p.cursor {
		p.top++
	}
	y := list.y
	for i := p.top; i < len(p.found.Choices) && y < list.y+list.h; i++ {
		y += p.drawChoice(m, c, rect{list.x, y, list.w, list.y + list.h - y}, i)
	}
	if p.found.More && y < list.y+list.h+1 {
		c.put(list.x+2, list.y+list.h, list.w-2, "more match; type on", dimText)
	}
	if n := len(p.marked); n > 0 {
		text := fmt.Sprintf("%d marked", n)
		c.put(inner.x+inner.w-cells(text)-1, inner.y+inner.h-1, cells(text), text, keyLook)
	}
}

// partOf says of a task that the one that would wait for it is below it.
const partOf = "it is part of this"

// choiceIndent is where what is said about a choice begins.
const choiceIndent = 6

// remark is what is to be said about a choice, as lines of the list.
func (p *picker) remark(g *glyphs, choice core.LinkChoice) []string {
	text := ""
	switch {
	case choice.Refusal != nil:
		text = g.cross + " " + display.Visible(p.reason(g, choice))
	case choice.Above:
		text = "! " + partOf + ": usually done last"
	default:
		return nil
	}
	return paragraph(text, max(p.area.w-2-choiceIndent-1, 1))
}

// choiceLines is how many lines a choice takes.
func (p *picker) choiceLines(g *glyphs, choice core.LinkChoice) int {
	return 1 + len(p.remark(g, choice))
}

// linesTo is how many lines the choices from the top to the cursor take.
func (p *picker) linesTo(g *glyphs) int {
	n := 0
	for i := p.top; i <= p.cursor && i < len(p.found.Choices); i++ {
		n += p.choiceLines(g, p.found.Choices[i])
	}
	return n
}

func (p *picker) drawChoice(m *model, c *canvas, r rect, i int) int {
	choice := p.found.Choices[i]
	state := stateOf(choice.Card)
	x := r.x + 1
	if _, marked := p.marked[choice.ID]; marked {
		c.put(x, r.y, 1, c.g.marked, keyLook)
	}
	x += 2
	right := []span{{c.g.mark(state) + " " + state.Word(), stateLook(state)}}
	end := r.x + r.w - 1 - spansWidth(right)
	c.spans(end, r.y, spansWidth(right), right...)
	x += c.put(x, r.y, maxIDCells, idOf(choice.Card), dimText) + 1
	title := plainText
	if choice.Refusal != nil {
		title = dimText
	}
	c.cut(x, r.y, end-x-1, display.Visible(choice.Title), title)
	l := stuckLook
	if choice.Refusal == nil {
		l = warnLook
	}
	remark := p.remark(c.g, choice)
	drawLines(c, rect{r.x + choiceIndent, r.y + 1, r.w - choiceIndent - 1, r.h - 1}, asLines(remark, l), 0)
	if i == p.cursor {
		finishRow(c, rect{r.x, r.y, r.w, min(1+len(remark), r.h)}, rowFlags{cursor: true})
	}
	return 1 + len(remark)
}

// reason is why a choice is impossible, short.
func (p *picker) reason(g *glyphs, choice core.LinkChoice) string {
	if len(choice.Ring) > 0 {
		return "it would close a ring: " + ringOf(g, choice.Ring, choice.RingIDs)
	}
	return choice.Refusal.Message
}

func (p *picker) click(m *model, x, y int) tea.Cmd {
	if !p.area.has(x, y) {
		return nil
	}
	line := y - p.area.y - 3
	for i := p.top; i < len(p.found.Choices) && line >= 0; i++ {
		h := p.choiceLines(m.glyphs, p.found.Choices[i])
		if line < h {
			if p.cursor == i {
				return p.enter(m)
			}
			p.cursor = i
			return nil
		}
		line -= h
	}
	return nil
}

func (p *picker) wheel(m *model, lines int) {
	p.cursor = max(min(p.cursor+lines, len(p.found.Choices)-1), 0)
}
