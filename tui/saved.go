package tui

import (
	"maps"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// menu is a popup to choose one of several things.
type menu struct {
	title  []span
	items  []menuItem
	keys   []menuKey // what else can be done with items that have a name
	cursor int
	top    int
	area   rect
}

type menuItem struct {
	spans []span
	run   func(*model) tea.Cmd
	name  string // what the keys of the menu are about; "" for nothing
}

// menuKey is a key that does something with an item.
type menuKey struct {
	key, text string
	run       func(m *model, name string) tea.Cmd
}

// savedFilters offers the saved filters, and to save the present one unless it
// is one of them.
func (m *model) savedFilters() tea.Cmd {
	p := &menu{title: []span{{"Filters", titleLook}}}
	present := strings.TrimSpace(m.board.filter.filter.Text())
	saved := false
	for _, name := range sortedKeys(m.options.Filters) {
		text := m.options.Filters[name]
		sign := "  "
		if strings.TrimSpace(text) == present && present != "" {
			sign, saved, p.cursor = m.glyphs.tick+" ", true, len(p.items)
		}
		p.items = append(p.items, menuItem{
			[]span{{sign, okLook}, data(display.Pad(name, 14)+"  ", plainText), data(text, dimText)},
			func(m *model) tea.Cmd {
				cmd := m.board.filter.set(m, text)
				if wrong := m.board.filter.wrong; wrong != nil {
					return m.fail("", wrong)
				}
				m.board.filter.remember()
				return cmd
			},
			name,
		})
	}
	if len(p.items) > 0 {
		p.keys = []menuKey{
			{"r", "rename", func(m *model, name string) tea.Cmd { return m.renameFilterDialog(name) }},
			{"x", "delete", func(m *model, name string) tea.Cmd { return m.deleteFilterDialog(name) }},
		}
	}
	if present != "" {
		if !saved {
			p.items = append(p.items, menuItem{
				[]span{{"  save  ", keyLook}, data(m.board.filter.filter.Text(), plainText)},
				func(m *model) tea.Cmd { return m.saveFilterDialog(m.board.filter.filter.Text()) }, "",
			})
		}
		p.items = append(p.items, menuItem{
			[]span{{"  clear the filter", plainText}},
			func(m *model) tea.Cmd { return m.board.filter.clear(m) }, "",
		})
	}
	if len(p.items) == 0 {
		return m.note("There is no saved filter. Type one with " + m.keymap.shown("filter", m.glyphs) + ", then save it here.")
	}
	m.ask(p)
	return nil
}

// whereFilters says where a saved filter is kept and what it holds for.
func (m *model) whereFilters() string {
	if m.options.SaveFilter == nil {
		return "It lasts until lithos ends; [filters] in config.toml keeps filters."
	}
	return "It is there on every store of yours, kept in " + m.options.FilterPath + "."
}

// saveFilterDialog asks for the name of a filter.
func (m *model) saveFilterDialog(text string) tea.Cmd {
	name := newTextField("Name", "name", "")
	f := &form{
		title: []span{{"Save the filter", titleLook}}, width: 56,
		intro:  [][]span{{data(text, plainText)}, {data(m.whereFilters(), dimText)}},
		fields: []field{name}, buttons: []string{"Save", "Cancel"},
	}
	f.submit = func(m *model, _ int) tea.Cmd {
		named := strings.TrimSpace(name.text())
		if named == "" {
			f.refused(core.MissingField("name"))
			return nil
		}
		return m.keepFilters(f, "saved the filter "+named, func() error { return m.options.save(named, text) }, func(filters map[string]string) {
			filters[named] = text
		})
	}
	f.begin()
	m.ask(f)
	return nil
}

// renameFilterDialog asks for another name of a saved filter.
func (m *model) renameFilterDialog(was string) tea.Cmd {
	name := newTextField("Name", "name", was)
	text := m.options.Filters[was]
	f := &form{
		title: []span{{"Rename the filter ", titleLook}, data(was, titleLook)}, width: 56,
		intro: [][]span{{data(text, plainText)}}, fields: []field{name}, buttons: []string{"Rename", "Cancel"},
	}
	f.submit = func(m *model, _ int) tea.Cmd {
		named := strings.TrimSpace(name.text())
		_, taken := m.options.Filters[named]
		switch {
		case named == "":
			f.refused(core.MissingField("name"))
			return nil
		case named == was:
			m.dismiss(f)
			return nil
		case taken:
			f.refused(core.InvalidValue("name", named, "There is a filter of that name."))
			return nil
		}
		return m.keepFilters(f, "the filter "+was+" is "+named+" now", func() error {
			if err := m.options.save(named, text); err != nil {
				return err
			}
			return m.options.drop(was)
		}, func(filters map[string]string) {
			delete(filters, was)
			filters[named] = text
		})
	}
	f.begin()
	m.ask(f)
	return nil
}

// deleteFilterDialog asks whether a saved filter shall go.
func (m *model) deleteFilterDialog(name string) tea.Cmd {
	f := &form{
		title: []span{{"Delete the filter ", warnLook}, data(name, warnLook), {"?", warnLook}}, width: 56, yesNo: true,
		intro: [][]span{{data(m.options.Filters[name], plainText)}}, buttons: []string{"Delete", "Keep"},
	}
	f.submit = func(m *model, _ int) tea.Cmd {
		return m.keepFilters(f, "deleted the filter "+name, func() error { return m.options.drop(name) }, func(filters map[string]string) {
			delete(filters, name)
		})
	}
	f.begin()
	f.focus = len(f.buttons) - 1 // a stray enter does no harm
	m.ask(f)
	return nil
}

// save and drop keep filters beyond the end of the program, where that is
// possible.
func (o *Options) save(name, text string) error {
	if o.SaveFilter == nil {
		return nil
	}
	return o.SaveFilter(name, text)
}

func (o *Options) drop(name string) error {
	if o.DropFilter == nil {
		return nil
	}
	return o.DropFilter(name)
}

// keepFilters changes the saved filters, first where they are kept. f is the
// form that asked.
func (m *model) keepFilters(f *form, said string, keep func() error, change func(map[string]string)) tea.Cmd {
	return m.work(func() func(*model) tea.Cmd {
		err := keep()
		return func(m *model) tea.Cmd {
			if err != nil {
				f.refused(core.AsError(err))
				return nil
			}
			m.dismiss(f)
			filters := maps.Clone(m.options.Filters)
			if filters == nil {
				filters = map[string]string{}
			}
			change(filters)
			m.options.Filters = filters
			return m.tell(said)
		}
	})
}

func (p *menu) draw(m *model, c *canvas, screen rect) {
	width := max(30, spansWidth(p.foot(c.g))+6)
	for _, item := range p.items {
		width = max(width, spansWidth(item.spans)+6)
	}
	area := centered(screen, min(width, screen.w-4), min(len(p.items)+2, screen.h-4))
	p.area = area
	inner := c.frame(area, box{title: p.title, focus: true, bottom: p.foot(c.g)})
	p.top = max(min(p.top, p.cursor), p.cursor-inner.h+1)
	for i := 0; i < inner.h && p.top+i < len(p.items); i++ {
		c.spans(inner.x+2, inner.y+i, inner.w-3, p.items[p.top+i].spans...)
		if p.top+i == p.cursor {
			finishRow(c, inner.line(i), rowFlags{cursor: true})
		}
	}
}

// foot says what keys do.
func (p *menu) foot(g *glyphs) []span {
	dot := span{" " + g.bullet + " ", hintLook}
	spans := []span{{g.enter, keyLook}, {" choose", hintLook}, dot}
	for _, k := range p.keys {
		spans = append(spans, span{k.key, keyLook}, span{" " + k.text, hintLook}, dot)
	}
	return append(spans, span{"esc", keyLook})
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
	for _, key := range p.keys {
		if name := p.items[p.cursor].name; key.key == k.String() && name != "" {
			m.dismiss(p)
			return key.run(m, name)
		}
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
