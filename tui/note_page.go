package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// notePage is the screen of one note: its text, what its front matter says and
// what it is connected with. The cursor stops at what can be gone to. Where
// there is room, the text stands beside the rest and is scrolled by itself.
type notePage struct {
	id    string
	view  *core.NoteView
	gone  *core.Error
	read  bool // the access log knows of it
	loads loader

	pageLines          // of what can be gone to and, in one column, of everything
	text      [][]span // beside that; nil in one column
	textTop   int
	main      rect // with its frame
	side      rect // empty in one column

	of     *core.NoteView // what the lines are of
	width  int
	wide   bool
	minute int64
}

// openNote opens the page of a note.
func (m *model) openNote(id string) tea.Cmd { return m.open(&notePage{id: id}) }

func (p *notePage) place() string { return "Note" }

// maxCrumbCells is how wide the title of a note may be among what leads to it.
const maxCrumbCells = 24

func (p *notePage) crumb() string {
	if p.view == nil {
		return ""
	}
	return display.Visible(p.view.Title)
}

// selected implements [screen]: no task is at hand.
func (p *notePage) selected() (core.Card, bool) { return core.Card{}, false }

func (p *notePage) newest() *loader { return &p.loads }

// isReading reports whether the note has not been read yet.
func (p *notePage) isReading() bool { return p.view == nil && p.gone == nil && p.loads.running }

// due implements [screen]: a note may become stale.
func (p *notePage) due() *core.Stamp {
	if p.view == nil || p.view.Note.ExpiresAt == nil || *p.view.Note.ExpiresAt <= p.view.Now {
		return nil
	}
	return p.view.Note.ExpiresAt
}

// noNoteThere are the codes of an id that names no note.
var noNoteThere = []core.Code{core.CodeDocNotFound, core.CodeNoteNotFound, core.CodeAmbiguousIDPrefix, core.CodeInvalidInput}

// load implements [screen].
func (p *notePage) load(m *model, refresh bool) tea.Cmd {
	service := m.live.service
	if service == nil {
		return nil
	}
	id := p.id
	start := func(m *model) tea.Cmd {
		return p.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
			view, err := service.NoteView(ctx, id)
			return func(m *model) tea.Cmd {
				if err != nil {
					if e := core.AsError(err); slices.Contains(noNoteThere, e.Code) {
						p.gone = e
						return nil
					}
					return m.loadFailed(err)
				}
				p.view, p.gone, p.id = &view, nil, view.ID
				return tea.Batch(m.wakeAt(p.due()), p.logRead(m))
			}
		})
	}
	if refresh {
		return tea.Batch(m.watchFolder(), p.loads.refresh(m, start))
	}
	return tea.Batch(m.watchFolder(), start(m))
}

// logRead notes in the access log that a person reads the note, once.
func (p *notePage) logRead(m *model) tea.Cmd {
	if p.read || m.writable() != "" {
		return nil
	}
	p.read = true
	service, id, agent := m.live.service, p.id, m.options.Agent
	return m.work(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		request := core.NoteReadRequest{ID: &id}
		if agent != "" {
			request.AgentID = &agent
		}
		_, err := service.NoteRead(ctx, request)
		return func(m *model) tea.Cmd {
			if err != nil && !slices.Contains(noNoteThere, core.AsError(err).Code) {
				return m.loadFailed(err)
			}
			m.settled = true
			return nil
		}
	})
}

// arrange divides the screen.
func (p *notePage) arrange(body rect) {
	p.main, p.side = rect{body.x, body.y + 1, body.w, body.h - 1}, rect{}
	if body.w >= threeColumns {
		p.main.w = body.w * 4 / 7
		p.side = rect{p.main.x + p.main.w, p.main.y, body.w - p.main.w, p.main.h}
	}
}

// stops is the rectangle of the lines with the cursor.
func (p *notePage) stops() rect {
	if !p.side.empty() {
		return p.side.inner()
	}
	return p.main.inner()
}

// page implements [screen].
func (p *notePage) page() int { return max(p.main.inner().h, 1) }

// prepare makes the lines, so that keys find them before they are drawn.
func (p *notePage) prepare(m *model) {
	if p.view != nil {
		p.arrange(m.body())
		p.render(m)
	}
}

// render makes the lines anew where they are not those of before.
func (p *notePage) render(m *model) {
	width, wide, minute := p.main.inner().w-2, !p.side.empty(), m.now().Seconds()/60
	if p.of == p.view && p.width == width && p.wide == wide && p.minute == minute {
		return
	}
	if p.wide != wide {
		p.top, p.textTop = 0, 0
	}
	first := p.of == nil
	p.of, p.width, p.wide, p.minute = p.view, width, wide, minute
	was, on := p.at()
	p.lines, p.text = p.lines[:0], nil
	v, g := p.view, m.glyphs
	head := [][]span{}
	if p.isLongTitled() {
		head = asLines(paragraph(display.Visible(v.Title), width), strongText)
	}
	head = append(append(head, wrapSpans(noteFacts(m, v), width)...), nil)
	beside := width
	if wide {
		p.text = append(head, noteBody(v, width, g)...)
		beside = p.side.inner().w - 2
	} else {
		p.addAll(head)
		if v.Origin != nil {
			p.lines = append(p.lines, noteFields(m, v, width)[0], pageLine{})
		}
		p.addAll(noteBody(v, width, g))
	}
	for i, part := range [][]pageLine{noteRelations(v, g, beside), noteFields(m, v, beside)} {
		if i == 1 && !wide && v.Origin != nil {
			part = part[1:] // it stands above
		}
		if len(part) > 0 && len(p.lines) > 0 {
			p.add(nil)
		}
		p.lines = append(p.lines, part...)
	}
	if first {
		p.settle()
		return
	}
	p.follow(was, on)
}

// isLongTitled reports whether the frame has no room for all of the title.
func (p *notePage) isLongTitled() bool {
	const corners = 7 // and spaces
	return cells(display.Visible(p.view.Title))+cells(shortest(p.view.ShortID, p.view.ID))+corners > p.main.w
}

// draw implements [screen].
func (p *notePage) draw(m *model, c *canvas, area rect) {
	p.arrange(area)
	c.spans(area.x+1, area.y, area.w-2, m.crumbs(c.g)...)
	var title []span
	if p.view != nil {
		title = []span{{shortest(p.view.ShortID, p.view.ID), titleLook}}
		if !p.isLongTitled() {
			title = append(title, span{" ", titleLook}, data(p.view.Title, titleLook))
		}
		p.render(m)
	}
	shown, top := len(p.lines), p.top
	if p.wide {
		shown, top = len(p.text), p.textTop
	}
	var bottom []span
	if over := shown - p.page(); over > 0 {
		bottom = []span{{fmt.Sprintf("%d%%", min(top, over)*100/over), hintLook}}
	}
	inner := c.frame(p.main, box{title: title, focus: true, bottom: bottom})
	if p.gone != nil {
		c.cut(inner.x+2, inner.y+1, inner.w-3, display.Visible(p.gone.Message), errorLook)
		return
	}
	if p.view == nil {
		return
	}
	if trouble := m.folder.trouble; trouble != nil {
		c.cut(inner.x+1, inner.y+inner.h-1, inner.w-2, c.g.cross+" "+display.Visible(trouble.Message), errorLook)
		inner.h--
	}
	if !p.wide {
		p.drawStops(c, inner)
		return
	}
	p.textTop = max(min(p.textTop, len(p.text)-inner.h), 0)
	drawLines(c, rect{inner.x + 1, inner.y, inner.w - 2, inner.h}, p.text, p.textTop)
	key := m.keymap.shown("note.next", c.g)
	p.drawStops(c, c.frame(p.side, box{title: []span{{"About", titleLook}}, right: []span{{key, keyLook}, {" next link", hintLook}}}))
}

// drawStops draws the lines with the cursor.
func (p *notePage) drawStops(c *canvas, r rect) {
	p.top = max(min(p.top, len(p.lines)-r.h), 0)
	for i := 0; i < r.h && p.top+i < len(p.lines); i++ {
		line := p.lines[p.top+i]
		c.spans(r.x+1, r.y+i, r.w-1, line.spans...)
		if p.top+i == p.cursor && line.isStop() {
			finishRow(c, r.line(i), rowFlags{cursor: true})
		}
	}
}

// step implements [screen].
func (p *notePage) step(m *model, rows int) tea.Cmd {
	if p.wide {
		p.textTop = max(min(p.textTop+rows, len(p.text)-p.page()), 0)
		return nil
	}
	p.move(rows, p.page())
	return nil
}

// edge implements [screen].
func (p *notePage) edge(m *model, last bool) tea.Cmd {
	if !p.wide {
		p.toEdge(last, p.page())
		return nil
	}
	p.textTop = 0
	if last {
		p.textTop = max(len(p.text)-p.page(), 0)
	}
	return nil
}

// turn goes to the next thing that can be gone to, or the one before, wherever
// it is; from the last one to the first.
func (p *notePage) turn(direction int) {
	next := p.stopFrom(p.cursor, direction)
	if _, on := p.at(); on && !p.shown(p.cursor) && direction > 0 {
		next = p.cursor // it has not been seen yet
	}
	if next < 0 {
		next = p.stopFrom(-1, 1)
		if direction < 0 {
			next = p.stopFrom(len(p.lines), -1)
		}
	}
	if next < 0 {
		return
	}
	height := p.stops().h
	p.cursor, p.moved = next, true
	if !p.shown(next) {
		p.top = max(min(next-height/3, len(p.lines)-height), 0)
	}
}

// shown reports whether a line is on screen.
func (p *notePage) shown(line int) bool { return line >= p.top && line < p.top+p.stops().h }

// goOn goes to what the cursor is on.
func (p *notePage) goOn(m *model) tea.Cmd {
	line, _ := p.at()
	if line.card != nil {
		return m.openTask(line.card.ID, pageAuto)
	}
	return m.openNote(line.note)
}

// click implements [screen].
func (p *notePage) click(m *model, x, y int, double bool) tea.Cmd {
	r := p.stops()
	if !r.has(x, y) {
		return nil
	}
	if at := p.top + y - r.y; at < len(p.lines) && p.lines[at].isStop() {
		p.cursor, p.moved = at, true
		if double {
			return m.run(actionNamed("note.follow"))
		}
	}
	return nil
}

// wheel implements [screen].
func (p *notePage) wheel(m *model, x, y, lines int) tea.Cmd {
	if p.wide && p.main.has(x, y) {
		return p.step(m, lines)
	}
	p.scroll(lines, p.stops().h)
	return nil
}
