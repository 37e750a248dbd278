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
	for i := range actions {
		if a := &actions[i]; a.isActive(scopes) && a.group != groupMove && a.id != "palette" {
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

// paletteRows is how many actions are shown at once.
const paletteRows = 12

func (p *palette) draw(m *model, c *canvas, screen rect) {
	rows := max(min(paletteRows, screen.h-8, len(p.found)), 1)
	area := centered(screen, min(screen.w-4, 72), rows+4)
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
		c.cut(p.list.x+2, p.list.y, p.list.w-2, text, l)
		return
	}
	p.top = max(min(p.top, p.cursor), p.cursor-rows+1)
	width := 0
	for _, a := range p.all {
		width = max(width, cells(a.title))
	}
	for i := 0; i < rows && p.top+i < len(p.found); i++ {
		a := p.found[p.top+i]
		r := p.list.line(i)
		why := a.refusal(m)
		l := plainText
		if why != "" {
			l = dimText
		}
		c.cut(r.x+2, r.y, width, a.title, l)
		x := r.x + 2 + width + 2
		key := display.Pad(m.keymap.shown(a.id, c.g), 7)
		rest := []span{{key, keyLook}}
		if why != "" {
			rest = append(rest, span{display.Visible(why), warnLook})
		} else {
			rest = append(rest, span{a.op, dimText})
		}
		c.spans(x, r.y, r.x+r.w-x-1, rest...)
		if p.top+i == p.cursor {
			finishRow(c, r, rowFlags{cursor: true})
		}
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
