package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// palette finds an action by its name. Those that are impossible here stay
// visible and say why.
type palette struct {
	editor *editor
	all    []*action
	found  []*action
	cursor int
	top    int
	area   rect
	list   rect

	busy    bool   // a task is being looked for
	trouble string // why what was typed leads to no task
}

func newPalette(m *model) *palette {
	p := &palette{editor: newEditor("", false)}
	scopes := m.scopes()
	for i := range actions() {
		if a := &actions()[i]; a.isActive(scopes) && a.group != groupMove && a.id != "palette" {
			p.all = append(p.all, a)
		}
	}
	p.search()
	return p
}

// String and Len make the palette searchable by package fuzzy.
func (p *palette) String(i int) string {
	a := p.all[i]
	return a.plainTitle() + " " + strings.NewReplacer("task_", "", "_", " ", ".", " ").Replace(a.op+" "+a.id)
}

// Len implements fuzzy.Source.
func (p *palette) Len() int { return len(p.all) }

// search ranks the actions by what is typed: those whose name begins so come
// first.
func (p *palette) search() {
	text := strings.ToLower(strings.TrimSpace(p.editor.text()))
	p.cursor, p.top, p.trouble = 0, 0, ""
	p.found = nil
	if text == "" {
		p.found = p.all
		return
	}
	var rest []*action
	for _, match := range fuzzy.FindFrom(text, p) {
		a := p.all[match.Index]
		if strings.HasPrefix(strings.ToLower(a.title), text) || a.id == text {
			p.found = append(p.found, a)
		} else {
			rest = append(rest, a)
		}
	}
	p.found = append(p.found, rest...)
}

// paletteRows is how many actions are shown at once, and paletteWidth how wide
// the box becomes. Narrower ones than paletteColumns have no column that says
// why an action is impossible.
const paletteRows, paletteWidth, paletteColumns = 12, 78, 66

func (p *palette) draw(m *model, c *canvas, screen rect) {
	w := boxWidth(screen.w, min(screen.w-4, paletteWidth))
	foot := 1 // lines that say why the action under the cursor is impossible
	if w < paletteColumns {
		foot = 2
	}
	frame := 4 + foot // and the line that is typed, and a blank one
	rows := max(min(paletteRows, screen.h-frame-2, len(p.found)), 1)
	area := centered(screen, w, rows+frame)
	area.y = max(min(3, screen.h-area.h), 0)
	p.area = area
	inner := c.frame(area, box{
		title: []span{{"Commands", titleLook}}, focus: true,
		bottom: []span{{c.g.enter, keyLook}, {" run " + c.g.bullet + " ", hintLook}, {"esc", keyLook}},
	})
	c.put(inner.x+1, inner.y, 1, ":", keyLook)
	p.editor.draw(c, rect{inner.x + 3, inner.y, inner.w - 4, 1}, true, plainText)
	p.list = rect{inner.x, inner.y + 2, inner.w, rows}
	if len(p.found) == 0 {
		text, l := "No command of that name. "+c.g.enter+" goes to the task of that id.", dimText
		if p.trouble != "" {
			text, l = p.trouble, warnLook
		}
		drawLines(c, rect{p.list.x + 2, p.list.y, p.list.w - 3, 1 + foot}, asLines(paragraph(text, p.list.w-3), l), 0)
		return
	}
	p.top = max(min(p.top, p.cursor), p.cursor-rows+1)
	for i := 0; i < rows && p.top+i < len(p.found); i++ {
		p.drawAction(m, c, p.list.line(i), p.found[p.top+i], w >= paletteColumns, p.top+i == p.cursor)
	}
	if why := p.found[p.cursor].refusal(m); why != "" {
		lines := paragraph("not possible here: "+display.Visible(why), inner.w-3)
		drawLines(c, rect{inner.x + 2, p.list.y + rows, inner.w - 3, foot}, asLines(lines, warnLook), 0)
	}
}

// drawAction draws the row of an action: its name and its key and, where there
// is a column for it, the operation that it stands for or why it is impossible.
func (p *palette) drawAction(m *model, c *canvas, r rect, a *action, wide, cursor bool) {
	width := 0
	for _, other := range p.all {
		width = max(width, cells(other.title))
	}
	why := a.refusal(m)
	l := plainText
	if why != "" {
		l = dimText
	}
	c.cut(r.x+2, r.y, width, a.title, l)
	x := r.x + 2 + width + 2
	key := m.keymap.shown(a.id, c.g)
	if !wide {
		c.put(x, r.y, r.x+r.w-x-1, key, keyLook)
	} else {
		x += c.put(x, r.y, r.x+r.w-x-1, display.Pad(key, 7), keyLook)
		if why != "" {
			c.cut(x, r.y, r.x+r.w-x-1, display.Visible(why), warnLook)
		} else {
			c.cut(x, r.y, r.x+r.w-x-1, a.op, dimText)
		}
	}
	if cursor {
		finishRow(c, r, rowFlags{cursor: true})
	}
}

func (p *palette) key(m *model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		m.dismiss(p)
	case "down", "ctrl+n", "tab":
		p.cursor = min(p.cursor+1, max(len(p.found)-1, 0))
	case "up", "ctrl+p", "shift+tab":
		p.cursor = max(p.cursor-1, 0)
	case "enter":
		return p.enter(m)
	default:
		if p.editor.key(k) {
			p.search()
		}
	}
	return nil
}

func (p *palette) enter(m *model) tea.Cmd {
	if p.cursor >= len(p.found) {
		id := strings.TrimSpace(p.editor.text())
		if id == "" {
			return nil
		}
		return p.goTo(m, id)
	}
	a := p.found[p.cursor]
	if why := a.refusal(m); why != "" {
		return m.note("Cannot " + lowerFirst(a.plainTitle()) + ": " + why + ".")
	}
	m.dismiss(p)
	return m.run(a)
}

// goTo opens the task that is called so. Where there is none, the palette
// stays and says so.
func (p *palette) goTo(m *model, id string) tea.Cmd {
	service := m.live.service
	if service == nil {
		return nil
	}
	p.busy = true
	return m.work(func() func(*model) tea.Cmd {
		task, err := service.FindTask(m.ctx, id)
		return func(m *model) tea.Cmd {
			p.busy = false
			if err != nil {
				p.trouble = display.Visible(core.AsError(err).Message)
				return nil
			}
			m.dismiss(p)
			return m.openTask(task.ID, pageAuto)
		}
	})
}

// isBusy reports whether keys have to wait.
func (p *palette) isBusy() bool { return p.busy }

func (p *palette) click(m *model, x, y int) tea.Cmd {
	if !p.area.has(x, y) {
		m.dismiss(p)
		return nil
	}
	if at := p.top + y - p.list.y; p.list.has(x, y) && at < len(p.found) {
		p.cursor = at
		return p.enter(m)
	}
	return nil
}

func (p *palette) wheel(m *model, lines int) {
	p.cursor = max(min(p.cursor+lines, len(p.found)-1), 0)
}
