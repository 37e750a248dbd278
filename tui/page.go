package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	lines   []pageLine
	of      renderedLines // when lines have to be made anew
	cursor  int
	moved   bool // the person has put the cursor there
	top     int
	open    map[string]bool // unfolded blockers, by the ids of the path to them
	area    rect
	loads   loader
}

// pageLine is a line of the page; those with a card can have the cursor.
type pageLine struct {
	spans []span
	card  *core.Card
	path  string // of a blocker, for folding
	folds bool   // it has blockers of its own
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
	if p.cursor < len(p.lines) && p.lines[p.cursor].card != nil {
		return *p.lines[p.cursor].card, true
	}
	return p.view.Card, true
}

// step moves to the next line with a task, or scrolls where there is none.
func (p *page) step(m *model, rows int) tea.Cmd {
	direction := 1
	if rows < 0 {
		direction = -1
	}
	for n := max(rows, -rows); n > 0; n-- {
		next := p.cursor + direction
		for next >= 0 && next < len(p.lines) && p.lines[next].card == nil {
			next += direction
		}
		// Text between tasks is scrolled through, not jumped over.
		if next < 0 || next >= len(p.lines) || next < p.top-1 || next > p.top+p.page() {
			p.top = max(min(p.top+direction, len(p.lines)-p.page()), 0)
			continue
		}
		p.cursor, p.moved = next, true
		p.top = max(min(p.top, p.cursor), p.cursor-p.page()+1)
	}
	return nil
}

func (p *page) edge(m *model, last bool) tea.Cmd {
	p.moved = true
	if !last {
		p.top = 0
		p.cursor = 0
		p.settle()
		return nil
	}
	p.top = max(len(p.lines)-p.page(), 0)
	for i := len(p.lines) - 1; i >= p.top; i-- {
		if p.lines[i].card != nil {
			p.cursor = i
			break
		}
	}
	return nil
}

// settle puts the cursor on the first line with a task from where it is.
func (p *page) settle() {
	for i := p.cursor; i < len(p.lines); i++ {
		if p.lines[i].card != nil {
			p.cursor = i
			return
		}
	}
	for i := min(p.cursor, len(p.lines)-1); i >= 0; i-- {
		if p.lines[i].card != nil {
			p.cursor = i
			return
		}
	}
	p.cursor = 0
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
	title := []span{}
	if p.view != nil {
		title = []span{{idOf(p.view.Card) + " ", titleLook}, data(p.view.Title, titleLook)}
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
	p.render(m, inner.w-2)
	p.top = max(min(p.top, len(p.lines)-inner.h), 0)
	for i := 0; i < inner.h && p.top+i < len(p.lines); i++ {
		line := p.lines[p.top+i]
		c.spans(inner.x+1, inner.y+i, inner.w-1, line.spans...)
		if p.top+i == p.cursor && line.card != nil {
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
	left := []span{{c.g.left + " ", hintLook}, {"Board", hintLook}}
	for _, s := range m.screens {
		if name := s.crumb(); name != "" {
			left = append(left, span{" " + c.g.crumb + " ", hintLook}, span{name, strongText})
		}
	}
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
	at := core.Card{}
	if p.cursor < len(p.lines) && p.lines[p.cursor].card != nil {
		at = *p.lines[p.cursor].card
	}
	p.lines = p.lines[:0]
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
	if at.ID != "" {
		for i, line := range p.lines {
			if line.card != nil && line.card.ID == at.ID && (p.cursor >= len(p.lines) || p.lines[p.cursor].card == nil || p.lines[p.cursor].card.ID != at.ID) {
				p.cursor = i
			}
		}
	}
	p.settle()
}

func (p *page) add(spans []span) { p.lines = append(p.lines, pageLine{spans: spans}) }

func (p *page) addAll(lines [][]span) {
	for _, line := range lines {
		p.add(line)
	}
}

func (p *page) addCard(spans []span, card core.Card) {
	p.lines = append(p.lines, pageLine{spans: spans, card: &card})
}

// renderWhy tells what holds the task back, down to the causes, what would
// free it, and what waits for it.
func (p *page) renderWhy(m *model, width int) {
	g, v := m.glyphs, p.view
	switch {
	case v.Status != core.StatusOpen:
		p.add([]span{{"It is " + string(v.Status) + "; nothing holds it back.", dimText}})
	case v.WaitCount == 0 && v.Type == core.TypeTask:
		p.add([]span{{g.mark(display.Ready) + " ", readyLook}, {"Nothing holds it back: it can be started.", plainText}})
	case v.WaitCount == 0:
		p.add([]span{{"Nothing holds it back.", plainText}})
	default:
		title := fmt.Sprintf("Why blocked  (%d of %d blockers still hold it)", v.WaitCount, v.WaitCount+len(v.Satisfied))
		if v.WaitCount+len(v.Satisfied) == 1 {
			title = "Why blocked"
		}
		p.add(heading(title))
		p.renderChain(m, v.ID, "", "", map[string]bool{v.ID: true}, width)
		if more := v.WaitCount - len(v.Waits); more > 0 {
			p.add([]span{{fmt.Sprintf("  and %d more", more), dimText}})
		}
		for _, card := range v.Satisfied {
			line := append([]span{{"  ", plainText}}, titled(g, card, dimText)...)
			if card.ResolvedAt != nil {
				line = append(line, span{"  done " + display.Ago(*card.ResolvedAt, m.now()), dimText})
			}
			p.addCard(line, card)
		}
		if steps := planSteps(m, v); len(steps) > 0 {
			p.add(nil)
			p.add(heading("What frees it"))
			const most = 12
			for i, step := range steps {
				if i == most {
					p.add([]span{{fmt.Sprintf("     and %d more steps", len(steps)-most), dimText}})
					break
				}
				p.add(append([]span{{fmt.Sprintf("  %d. ", i+1), dimText}}, step...))
			}
		}
	}
	if len(v.Dependents) > 0 && v.Status == core.StatusOpen {
		p.add(nil)
		title := "Would unblock"
		if n := len(v.Behind); n > 0 {
			title += fmt.Sprintf("  (+%d behind)", n)
		}
		p.add(heading(title))
		for _, d := range v.Dependents {
			line := append([]span{{"  ", plainText}}, titled(g, d, plainText)...)
			if d.WaitCount > 1 {
				line = append(line, span{fmt.Sprintf("  one of %d that hold it", d.WaitCount), dimText})
			}
			p.addCard(line, d)
		}
	}
}

// renderChain draws what a task waits for, and below unfolded ones what they
// wait for in turn.
func (p *page) renderChain(m *model, id, path, indent string, above map[string]bool, width int) {
	g := m.glyphs
	for _, w := range p.view.Chain[id] {
		own := path + "/" + w.Source.ID
		behind := p.view.Chain[w.Source.ID]
		folds := len(behind) > 0 && !above[w.Source.ID] && w.Kind != core.BlockedByCycle
		sign := g.leaf
		if folds {
			sign = g.folded
			if p.open[own] {
				sign = g.open
			}
		}
		name := titled(g, w.Source, plainText)
		if w.Missing {
			name = []span{{g.mark(display.Cancelled) + " " + shownID(w.Source.ID), stuckLook}}
		}
		line := append([]span{{indent + sign + " ", hintLook}}, name...)
		state := standing(m, w)
		if room := width * 11 / 20; width >= 60 {
			line = fitted(line, room, g)
		}
		line = append(append(line, span{"  ", plainText}), state...)
		card := w.Source
		p.lines = append(p.lines, pageLine{spans: line, card: &card, path: own, folds: folds})
		if folds && p.open[own] {
			above[w.Source.ID] = true
			p.renderChain(m, w.Source.ID, own, indent+g.pipe, above, width)
			delete(above, w.Source.ID)
		} else if len(behind) == 0 && indent == "" && w.Kind == core.BlockedByTask && !w.Source.Held && w.Source.Type == core.TypeTask && len(w.Source.Claims) == 0 {
			p.add([]span{{indent + "  " + g.elbow + " ", borderLook}, {"waits on nothing " + g.arrow + " start here", readyLook}})
		}
	}
}

// fitted is a line cut or filled to a width.
func fitted(spans []span, width int, g *glyphs) []span {
	used := 0
	for i, s := range spans {
		n := cells(s.text)
		if used+n > width {
			s.text = display.Cut(s.text, width-used)
			return append(append([]span{}, spans[:i]...), s)
		}
		used += n
	}
	return append(spans, span{repeat(" ", width-used), plainText})
}

// renderText draws description and outcome, then the rest in brief.
func (p *page) renderText(m *model, width int) {
	g, v := m.glyphs, p.view
	if v.Description == nil || strings.TrimSpace(*v.Description) == "" {
		p.add([]span{{"No description. ", dimText}, {m.keymap.shown("edit", g), keyLook}, {" adds one.", dimText}})
	} else {
		p.addAll(markdown(*v.Description, width, g))
	}
	if v.Outcome != nil && strings.TrimSpace(*v.Outcome) != "" {
		p.add(nil)
		p.add(heading("Outcome"))
		p.addAll(markdown(*v.Outcome, width, g))
	}
	if lines := findingLines(m, v, width); len(lines) > 0 {
		p.add(nil)
		p.addAll(lines)
	}
	p.add(nil)
	p.addAll(relationLines(m, v))
	if rest := metadataLines(v); len(rest) > 0 {
		p.addAll(rest)
	}
}

// metadataLines are the keys of the metadata that nothing else shows.
func metadataLines(v *core.TaskView) [][]span {
	var pairs []string
	for _, member := range v.Metadata.Members() {
		switch member.Key {
		case "project", "priority", "gate_type", "ready_at":
			continue
		}
		pairs = append(pairs, member.Key+"="+strings.Trim(string(member.Value), `"`))
	}
	if len(pairs) == 0 {
		return nil
	}
	return [][]span{{{display.Pad("Fields", 9), titleLook}, data(strings.Join(pairs, "  "), plainText)}}
}

// renderTree draws where the task stands in the hierarchy.
func (p *page) renderTree(m *model) {
	g, v := m.glyphs, p.view
	indent := ""
	for i := len(v.Parents) - 1; i >= 0; i-- {
		parent := v.Parents[i]
		line := append([]span{{indent, borderLook}}, titled(g, parent, plainText)...)
		line = append(append(line, span{"  ", plainText}), progressSpans(g, parent.Progress)...)
		p.addCard(line, parent)
		indent += "  "
	}
	line := append([]span{{indent, borderLook}}, titled(g, v.Card, strongText)...)
	line = append(line, span{"  ", plainText})
	p.add(append(line, progressSpans(g, v.Progress)...))
	for i, child := range v.Children {
		branch := g.tee
		if i == len(v.Children)-1 {
			branch = g.elbow
		}
		line := append([]span{{indent + branch + " ", borderLook}}, titled(g, child, plainText)...)
		if child.Progress != nil {
			line = append(append(line, span{"  ", plainText}), progressSpans(g, child.Progress)...)
		} else {
			line = append(line, span{"  " + stateOf(child).Word(), stateLook(stateOf(child))})
		}
		p.addCard(line, child)
	}
	for _, relation := range []struct {
		name  string
		cards []core.Card
	}{{"Discovered from", v.Sources}, {"Discovered while on it", v.Spawned}} {
		if len(relation.cards) == 0 {
			continue
		}
		p.add(nil)
		p.add(heading(relation.name))
		for _, card := range relation.cards {
			p.addCard(append([]span{{"  ", plainText}}, titled(g, card, plainText)...), card)
		}
	}
}

func (p *page) renderClaims(m *model) {
	g, v := m.glyphs, p.view
	if len(v.Claims) == 0 {
		text := []span{{"Nobody has claimed it. ", dimText}}
		if v.Status == core.StatusOpen {
			text = append(text, span{m.keymap.shown("claim", g), keyLook}, span{" claims it.", dimText})
		}
		p.add(text)
		return
	}
	for _, claim := range v.Claims {
		line := append([]span{{g.mark(display.Claimed) + " ", claimedLook}}, claimSpans(g, claim, m.options.Agent, m.now())...)
		p.add(append(line, span{"   until " + m.clockText(claim.ExpiresAt), dimText}))
	}
}

func (p *page) renderLog(m *model, width int) {
	if lines := findingLines(m, p.view, width); len(lines) > 0 {
		p.addAll(lines)
		p.add(nil)
	}
	p.addAll(activityLines(m, p.view, 0))
	if p.view.MoreEvents {
		p.add([]span{{"     lithos journal --task " + p.view.ShortID + " shows all", dimText}})
	}
}

// drawSide draws, where there is room, what the section does not show.
func (p *page) drawSide(m *model, c *canvas, r rect) {
	key := m.keymap.shown("copy.id", c.g)
	inner := c.frame(r, box{title: []span{{sectionTitle(p.section), titleLook}}, right: []span{{key, keyLook}, {" copy id", hintLook}}})
	width := inner.w - 2
	v, g := p.view, c.g
	var lines [][]span
	add := func(section [][]span) {
		if len(section) > 0 && len(lines) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, section...)
	}
	if p.section != pageText {
		if v.Description != nil && strings.TrimSpace(*v.Description) != "" {
			add(markdown(beginning(*v.Description, previewText), width, g))
		}
	} else {
		add(whyLines(m, v, width))
	}
	if p.section != pageTree {
		add(childrenLines(g, v, 10))
	}
	if p.section != pageWhy {
		add(dependentLines(g, v))
	}
	if p.section != pageText {
		add(append(relationLines(m, v), metadataLines(v)...))
	}
	if p.section != pageLog {
		add(activityLines(m, v, 12))
	}
	drawLines(c, rect{inner.x + 1, inner.y, width, inner.h}, lines, 0)
}

func sectionTitle(s pageSection) string {
	if s == pageText {
		return "About"
	}
	return "Text"
}

// click implements [screen].
func (p *page) click(m *model, x, y int, double bool) tea.Cmd {
	inner := p.area.inner()
	if !inner.has(x, y) {
		return nil
	}
	if at := p.top + y - inner.y; at < len(p.lines) && p.lines[at].card != nil {
		p.cursor, p.moved = at, true
		if double {
			return m.run(actionNamed("open"))
		}
	}
	return nil
}

// wheel implements [screen].
func (p *page) wheel(m *model, x, y, lines int) tea.Cmd {
	p.top = max(min(p.top+lines, len(p.lines)-p.page()), 0)
	return nil
}

// sectionActions are the ids of the actions that show a section.
var sectionActions = [pageSections]string{"page.why", "page.text", "page.tree", "page.claims", "page.log"}

// pageActions are the actions of the page.
func pageActions() []action {
	var list []action
	onPage := func(run func(*page)) func(*model) tea.Cmd {
		return func(m *model) tea.Cmd {
			if p, ok := m.screen().(*page); ok {
				run(p)
			}
			return nil
		}
	}
	for s := range pageSections {
		a := action{
			id: sectionActions[s], keys: []string{fmt.Sprint(int(s) + 1)}, scopes: []scope{scopePage}, group: groupMove, title: sectionNames[s],
			run: onPage(func(p *page) { p.goTo(s) }),
		}
		if s == pageWhy {
			a.both = "Go to section"
		} else {
			a.joins = sectionActions[pageWhy]
		}
		list = append(list, a)
	}
	turn := func(by int) func(*page) {
		return func(p *page) { p.goTo((p.section + pageSection(by) + pageSections) % pageSections) }
	}
	return append(list,
		action{id: "page.next", keys: []string{"tab"}, scopes: []scope{scopePage}, group: groupMove, title: "Next section", both: "Next, previous", run: onPage(turn(1))},
		action{id: "page.prev", keys: []string{"shift+tab"}, scopes: []scope{scopePage}, group: groupMove, title: "Previous section", joins: "page.next", run: onPage(turn(-1))},
		action{id: "chain.unfold", keys: []string{"l", "right"}, scopes: []scope{scopePage}, group: groupMove, title: "Unfold a blocker", both: "Unfold, fold",
			run: onPage(func(p *page) { p.fold(true) })},
		action{id: "chain.fold", keys: []string{"h", "left"}, scopes: []scope{scopePage}, group: groupMove, title: "Fold a blocker", joins: "chain.unfold",
			run: onPage(func(p *page) { p.fold(false) })},
	)
}
