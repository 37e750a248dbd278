package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// pageSection is a part of a task's page.
type pageSection int

// The sections. pageAuto opens on the reason when something holds the task
// back, on the text otherwise.
const (
	pageAuto pageSection = iota - 1
	pageWhy
	pageText
	pageTree
	pageClaims
	pageLog
	pageSections
)

var sectionNames = [pageSections]string{"Why", "Text", "Tree", "Claims", "Log"}

// page is the screen of one task.
type page struct {
	id      string
	section pageSection
	view    *core.TaskView
	gone    *core.Error
	pageLines
	of    renderedLines   // when lines have to be made anew
	open  map[string]bool // unfolded blockers, by the ids of the path to them
	area  rect
	loads loader
}

// openTask opens the page of a task.
func (m *model) openTask(id string, section pageSection) tea.Cmd {
	return m.open(&page{id: id, section: section, open: map[string]bool{}})
}

func (p *page) place() string { return "Task" }

func (p *page) crumb() string {
	if p.view == nil {
		return ""
	}
	return idOf(p.view.Card)
}

// load implements [screen].
func (p *page) load(m *model, refresh bool) tea.Cmd {
	service := m.live.service
	if service == nil {
		return nil
	}
	id := p.id
	start := func(m *model) tea.Cmd {
		return p.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
			view, err := service.TaskView(ctx, id)
			return func(m *model) tea.Cmd {
				if err != nil {
					if e := core.AsError(err); slices.Contains(notThere, e.Code) {
						p.gone = e
						return nil
					}
					return m.loadFailed(err)
				}
				return p.show(m, view)
			}
		})
	}
	if refresh {
		return p.loads.refresh(m, start)
	}
	return start(m)
}

// notThere are the codes of an id that names no task.
var notThere = []core.Code{core.CodeTaskNotFound, core.CodeAmbiguousIDPrefix, core.CodeInvalidInput}

func (p *page) show(m *model, view core.TaskView) tea.Cmd {
	p.view, p.gone, p.id = &view, nil, view.ID
	if p.section == pageAuto {
		p.section = pageText
		if view.WaitCount > 0 && view.Status == core.StatusOpen {
			p.section = pageWhy
		}
	}
	p.of = renderedLines{}
	return m.wakeAt(p.due())
}

// due is when a lease on the page ends or a timer opens.
func (p *page) due() *core.Stamp {
	if p.view == nil {
		return nil
	}
	var due *core.Stamp
	soonest := func(at core.Stamp) {
		if at > p.view.Now && (due == nil || at < *due) {
			due = &at
		}
	}
	look := func(card core.Card) {
		for _, claim := range card.Claims {
			soonest(claim.ExpiresAt)
		}
		if at := card.OpensAt(); at != nil && card.Status == core.StatusOpen {
			soonest(*at)
		}
	}
	look(p.view.Card)
	for _, waits := range p.view.Chain {
		for _, w := range waits {
			look(w.Source)
		}
	}
	for _, child := range p.view.Children {
		look(child)
	}
	return due
}

// selected is the task under the cursor once the person has moved it, the
// page's own until then.
func (p *page) selected() (core.Card, bool) {
	if p.view != nil && !p.moved {
		return p.view.Card, true
	}
	return p.under()
}

// under is the task under the cursor, the page's own elsewhere.
func (p *page) under() (core.Card, bool) {
	if p.view == nil {
		return core.Card{}, false
	}
	if line, ok := p.at(); ok && line.card != nil {
		return *line.card, true
	}
	return p.view.Card, true
}

// step moves to the next line that stands for something, or scrolls where
// there is none.
func (p *page) step(m *model, rows int) tea.Cmd {
	p.move(rows, p.page())
	return nil
}

func (p *page) edge(m *model, last bool) tea.Cmd {
	p.toEdge(last, p.page())
	return nil
}

func (p *page) page() int { return max(p.area.inner().h, 1) }

// goTo shows a section.
func (p *page) goTo(s pageSection) {
	p.section = s
	p.of = renderedLines{}
	p.cursor, p.top, p.moved = 0, 0, false
}

// fold folds or unfolds the blocker under the cursor.
func (p *page) fold(open bool) {
	if p.cursor >= len(p.lines) {
		return
	}
	if line := p.lines[p.cursor]; line.path != "" {
		p.open[line.path] = open && line.folds
		p.of = renderedLines{}
	}
}

// arrange divides the screen: the section and, where there is room, the rest
// beside it.
func (p *page) arrange(area rect) (side rect) {
	p.area = rect{area.x, area.y + 1, area.w, area.h - 1}
	if area.w >= threeColumns {
		p.area.w = area.w * 4 / 7
		side = rect{p.area.x + p.area.w, p.area.y, area.w - p.area.w, p.area.h}
	}
	return side
}

// prepare makes the lines, so that keys find them before they are drawn.
func (p *page) prepare(m *model) {
	if p.view != nil {
		p.arrange(m.body())
		p.render(m, p.area.inner().w-2)
	}
}

func (p *page) draw(m *model, c *canvas, area rect) {
	p.drawTabs(m, c, area.line(0))
	side := p.arrange(area)
	main := p.area
	if p.view != nil {
		p.render(m, main.inner().w-2)
	}
	title := []span{}
	if p.view != nil {
		title = []span{{idOf(p.view.Card), titleLook}}
		if !p.isLongTitled() {
			title = append(title, span{" ", titleLook}, data(p.view.Title, titleLook))
		}
	}
	bottom := []span{}
	if over := len(p.lines) - p.page(); over > 0 {
		bottom = []span{{fmt.Sprintf("%d%%", min(p.top, over)*100/over), hintLook}}
	}
	if card, ok := p.selected(); ok && card.ID != p.view.ID {
		// The title names another task than the keys act on.
		about := []span{{"keys act on ", hintLook}, {idOf(card), keyLook}}
		if len(bottom) > 0 {
			about = append(about, span{" " + c.g.bullet + " ", hintLook})
		}
		bottom = append(about, bottom...)
	}
	inner := c.frame(main, box{title: title, focus: true, bottom: bottom})
	if p.gone != nil {
		c.cut(inner.x+2, inner.y+1, inner.w-3, display.Visible(p.gone.Message), errorLook)
		return
	}
	if p.view == nil {
		return
	}
	p.top = max(min(p.top, len(p.lines)-inner.h), 0)
	for i := 0; i < inner.h && p.top+i < len(p.lines); i++ {
		line := p.lines[p.top+i]
		c.spans(inner.x+1, inner.y+i, inner.w-1, line.spans...)
		if p.top+i == p.cursor && line.isStop() {
			finishRow(c, inner.line(i), rowFlags{cursor: true})
		}
	}
	if !side.empty() {
		p.drawSide(m, c, side)
	}
}

// drawTabs draws where one is and the sections.
func (p *page) drawTabs(m *model, c *canvas, r rect) {
	var tabs []tab
	width := 0
	for s := range pageSections {
		tabs = append(tabs, tab{
			key: m.keymap.shown(sectionActions[s], c.g), name: sectionNames[s], count: -1, active: s == p.section,
			run: func(m *model) tea.Cmd {
				p.goTo(s)
				return nil
			},
		})
		width += cells(sectionNames[s]) + 5
	}
	left := m.crumbs(c.g)
	if p.view != nil && r.w >= twoColumns {
		left = append(left, span{" ", plainText}, data(p.view.Title, plainText))
	}
	if width < r.w/2 || r.w >= twoColumns {
		m.drawTabs(c, r.x+r.w-width, r.y, width, tabs)
		c.spans(r.x+1, r.y, r.w-width-2, left...)
		return
	}
	m.drawTabs(c, r.x+1, r.y, r.w-1, tabs)
}

// render makes the lines of the section.
func (p *page) render(m *model, width int) {
	made := p.of.of == p.view && p.of.width == width && p.of.minute == m.now().Seconds()/60
	if made && p.of.of != nil {
		return
	}
	p.of = renderedLines{of: p.view, width: width, minute: m.now().Seconds() / 60}
	v := p.view
	was, on := p.at()
	p.lines = p.lines[:0]
	if p.isLongTitled() {
		p.addAll(asLines(paragraph(display.Visible(v.Title), width), strongText))
	}
	for _, line := range wrapSpans(facts(m, v.Card, v), width) {
		p.add(line)
	}
	p.add(nil)
	switch p.section {
	case pageWhy:
		p.renderWhy(m, width)
	case pageText:
		p.renderText(m, width)
	case pageTree:
		p.renderTree(m)
	case pageClaims:
		p.renderClaims(m)
	case pageLog:
		p.renderLog(m, width)
	}
	p.follow(was, on)
}

// isLongTitled reports whether the frame has no room for all of the title,
// which the page then begins with.
func (p *page) isLongTitled() bool {
	const corners = 7 // and spaces
	return cells(display.Visible(p.view.Title))+cells(idOf(p.view.Card))+corners > p.area.w
}

// click implements [screen].
func (p *page) click(m *model, x, y int, double bool) tea.Cmd {
	inner := p.area.inner()
	if !inner.has(x, y) {
		return nil
	}
	if at := p.top + y - inner.y; at < len(p.lines) && p.lines[at].isStop() {
		p.cursor, p.moved = at, true
		if double {
			return m.run(actionNamed("open"))
		}
	}
	return nil
}

// wheel implements [screen].
func (p *page) wheel(m *model, x, y, lines int) tea.Cmd {
	p.scroll(lines, p.page())
	return nil
}
