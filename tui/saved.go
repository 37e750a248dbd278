package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// menu is a popup to choose one of several things.
type menu struct {
	title  []span
	items  []menuItem
	cursor int
	top    int
	area   rect
}

type menuItem struct {
	spans []span
	run   func(*model) tea.Cmd
}

// savedFilters offers the saved filters and to save the present one.
func (m *model) savedFilters() tea.Cmd {
	p := &menu{title: []span{{"Filters", titleLook}}}
	for _, name := range sortedKeys(m.options.Filters) {
		text := m.options.Filters[name]
		p.items = append(p.items, menuItem{
			[]span{data(display.Pad(name, 14)+"  ", plainText), data(text, dimText)},
			func(m *model) tea.Cmd {
				cmd := m.board.filter.set(m, text)
				if wrong := m.board.filter.wrong; wrong != nil {
					return m.fail("", wrong)
				}
				m.board.filter.remember()
				return cmd
			},
		})
	}
	if text := m.board.filter.filter.Text(); strings.TrimSpace(text) != "" {
		p.items = append(p.items, menuItem{
			[]span{{"save  ", keyLook}, data(text, plainText)},
			func(m *model) tea.Cmd { return m.saveFilterDialog(text) },
		}, menuItem{
			[]span{{"clear the filter", plainText}},
			func(m *model) tea.Cmd { return m.board.filter.clear(m) },
		})
	}
	if len(p.items) == 0 {
		return m.note("There is no saved filter. Type one with " + m.keymap.shown("filter", m.glyphs) + ", then save it here.")
	}
	m.ask(p)
	return nil
}

// saveFilterDialog asks for the name of a filter.
func (m *model) saveFilterDialog(text string) tea.Cmd {
	name := newTextField("Name", "name", "")
	f := &form{
		title: []span{{"Save the filter", titleLook}}, width: 56,
		intro: [][]span{{data(text, plainText)}}, fields: []field{name}, buttons: []string{"Save", "Cancel"},
	}
	f.submit = func(m *model, _ int) tea.Cmd {
		named := strings.TrimSpace(name.text())
		if named == "" {
			f.refused(core.MissingField("name"))
			return nil
		}
		return m.saveFilter(named, text, f)
	}
	f.begin()
	m.ask(f)
	return nil
}

// saveFilter keeps a filter, beyond the end of the program where that is
// possible.
func (m *model) saveFilter(name, text string, f *form) tea.Cmd {
	save := m.options.SaveFilter
	return m.work(func() func(*model) tea.Cmd {
		var err error
		if save != nil {
			err = save(name, text)
		}
		return func(m *model) tea.Cmd {
			if err != nil {
				f.refused(core.AsError(err))
				return nil
			}
			m.dismiss(f)
			filters := map[string]string{name: text}
			for n, t := range m.options.Filters {
				if n != name {
					filters[n] = t
				}
			}
			m.options.Filters = filters
			said := "saved the filter " + name
			if save == nil {
				said += " until lithos ends; [filters] in config.toml keeps it"
			}
			return m.tell(said)
		}
	})
}

func (p *menu) draw(m *model, c *canvas, screen rect) {
	width := 30
	for _, item := range p.items {
		width = max(width, spansWidth(item.spans)+6)
	}
	area := centered(screen, min(width, screen.w-4), min(len(p.items)+2, screen.h-4))
	p.area = area
	inner := c.frame(area, box{title: p.title, focus: true, bottom: []span{{c.g.enter, keyLook}, {" choose " + c.g.bullet + " ", hintLook}, {"esc", keyLook}}})
	p.top = max(min(p.top, p.cursor), p.cursor-inner.h+1)
	for i := 0; i < inner.h && p.top+i < len(p.items); i++ {
		c.spans(inner.x+2, inner.y+i, inner.w-3, p.items[p.top+i].spans...)
		if p.top+i == p.cursor {
			finishRow(c, inner.line(i), rowFlags{cursor: true})
		}
	}
}

func (p *menu) key(m *model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "esc", "q":
		m.dismiss(p)
	case "down", "j", "tab":
		p.cursor = min(p.cursor+1, len(p.items)-1)
	case "up", "k", "shift+tab":
		p.cursor = max(p.cursor-1, 0)
	case "enter":
		m.dismiss(p)
		return p.items[p.cursor].run(m)
	}
	return nil
}

func (p *menu) click(m *model, x, y int) tea.Cmd {
	inner := p.area.inner()
	if !inner.has(x, y) {
		m.dismiss(p)
		return nil
	}
	if at := p.top + y - inner.y; at < len(p.items) {
		m.dismiss(p)
		return p.items[at].run(m)
	}
	return nil
}

func (p *menu) wheel(m *model, lines int) {
	p.cursor = max(min(p.cursor+lines, len(p.items)-1), 0)
}
