package tui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// board is the screen one begins at: the columns, the gates panel, and what
// is known of the task under the cursor.
type board struct {
	panes  [core.ColumnCount]*pane
	focus  core.Column
	side   core.Column // what stands at the right of two columns
	third  core.Column // what stands at the right of three
	detail bool
	gates  *gatesPane
	filter *filterBar

	columns  rect // of all columns together
	division division
	about    rect // of the preview or the detail; empty when there is none

	known     bool // something has been read
	slow      bool // reading takes long enough to be mentioned
	data      core.Board
	attention core.Attention
	preview   *preview

	loads, attends loader
	shownFilter    string // text of the filter that what is shown passes

	// The task an action was about is followed to its column with the next
	// reading; the message that tells of the action says where it went when
	// that is not on screen.
	following string // its id, "" when there is none
	told      int    // the turn of the message
}

// pane is one column on screen.
type pane struct {
	list
	column core.Column
	sort   core.Sort
	area   rect // with its frame; empty when it is not on screen
}

// columnNames are the headings of the columns.
var columnNames = [core.ColumnCount]string{"Ready", "Blocked", "Claimed", "Gates", "Done"}

// shortColumnNames are for narrow screens.
var shortColumnNames = [core.ColumnCount]string{"Ready", "Blk", "Clm", "Gate", "Done"}

func newBoard() *board {
	b := &board{side: core.ColumnBlocked, third: core.ColumnClaimed, detail: true, filter: newFilterBar(), preview: &preview{}}
	for c := range core.ColumnCount {
		b.panes[c] = &pane{column: c, sort: core.SortPriority}
		b.panes[c].rows = func(core.Card) int { return 1 }
	}
	b.gates = newGatesPane()
	return b
}

func (b *board) place() string {
	if b.showsGates() {
		return "Gates"
	}
	return "Board"
}

func (b *board) crumb() string { return "Board" }

// showsGates reports whether the gates panel takes the place of the columns.
func (b *board) showsGates() bool { return b.focus == core.ColumnGates && b.columns.w < fiveColumns }

// arrange divides the screen among the columns and the preview.
func (b *board) arrange(m *model) {
	body := m.body()
	tabs := 1
	b.columns = rect{body.x, body.y + tabs, body.w, body.h - tabs}
	b.about = rect{}
	wide := body.w >= threeColumns
	if b.detail && !b.showsGates() {
		switch {
		case wide && (body.w < fiveColumns || body.w >= fiveColumns+detailWidth):
			b.columns.w -= detailWidth
			b.about = rect{b.columns.x + b.columns.w, b.columns.y, detailWidth, b.columns.h}
		case body.w >= twoColumns && body.h+3 >= previewRows:
			h := previewHeight
			if wide {
				h = max(previewHeight, body.h/4)
			}
			b.columns.h -= h
			b.about = rect{body.x, b.columns.y + b.columns.h, body.w, h}
		}
	}
	shown := b.shown(body.w)
	for _, p := range b.panes {
		p.area = rect{}
	}
	x := b.columns.x
	for i, w := range b.divide(m, shown, b.columns.w) {
		p := b.panes[shown[i]]
		p.area = rect{x, b.columns.y, w, b.columns.h}
		p.height = p.area.inner().h
		x += w
		style := rowStyle{column: p.column, tall: body.w >= threeColumns}
		p.rows = style.rowHeight
		p.reveal()
	}
	b.gates.arrange(b.columns)
}

// shown are the columns on screen.
func (b *board) shown(width int) []core.Column {
	switch {
	case width >= fiveColumns:
		return []core.Column{core.ColumnReady, core.ColumnBlocked, core.ColumnClaimed, core.ColumnGates, core.ColumnDone}
	case width >= threeColumns:
		return []core.Column{core.ColumnReady, core.ColumnBlocked, b.third}
	case width >= twoColumns:
		return []core.Column{core.ColumnReady, b.side}
	}
	return []core.Column{b.focus}
}

// pane is the column with the keys.
func (b *board) pane() *pane { return b.panes[b.focus] }

// load implements [screen].
func (b *board) load(m *model, refresh bool) tea.Cmd {
	if m.live.service == nil {
		return nil
	}
	b.arrange(m)
	start := func(m *model) tea.Cmd { return b.read(m, refresh) }
	if refresh {
		return b.loads.refresh(m, start)
	}
	return start(m)
}

// slowAfter is how long reading goes on before it is mentioned.
const slowAfter = 150 * time.Millisecond

// read loads the columns on screen; changed says that the store has changed.
func (b *board) read(m *model, changed bool) tea.Cmd {
	service := m.live.service
	if service == nil {
		return nil
	}
	req := core.BoardRequest{Filter: b.filter.filter, Agent: m.options.Agent}
	for _, p := range b.panes {
		if !b.showsGates() && (!p.area.empty() || b.following != "") {
			req.Columns = append(req.Columns, p.request(p.column, p.sort, true))
		}
	}
	cmd := b.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
		data, err := service.Board(ctx, req)
		return func(m *model) tea.Cmd {
			b.slow = false
			if err != nil {
				return m.loadFailed(err)
			}
			return b.show(m, req, data, changed)
		}
	})
	seq := b.loads.seq
	late := m.after(slowAfter, func(*model) tea.Cmd {
		b.slow = b.loads.running && b.loads.seq == seq
		return nil
	})
	cmds := []tea.Cmd{cmd, late, b.attend(m)}
	if b.showsGates() {
		cmds = append(cmds, b.gates.read(m, b.filter.filter))
	}
	return tea.Batch(cmds...)
}

// show takes what was read over.
func (b *board) show(m *model, req core.BoardRequest, data core.Board, changed bool) tea.Cmd {
	b.data, b.known, b.shownFilter = data, true, req.Filter.Text()
	m.live.missing = false
	for i, w := range data.Columns {
		p := b.panes[w.Column]
		p.show(req.Columns[i], w, data.Counts[w.Column], data.Totals[w.Column], data.Now, changed && !m.options.Accessible)
		for _, card := range w.Cards {
			if _, marked := m.marks[card.ID]; marked {
				m.marks[card.ID] = card
			}
		}
	}
	for c, p := range b.panes {
		p.total, p.all = data.Counts[c], data.Totals[c]
	}
	b.findFollowed(m, req, data)
	b.arrange(m)
	cmds := []tea.Cmd{m.wakeAt(data.Due), b.look(m, true)}
	if b.fresh() {
		cmds = append(cmds, m.after(time.Duration(freshness)*time.Microsecond, func(m *model) tea.Cmd {
			for _, p := range b.panes {
				p.settle(m.now())
			}
			return nil
		}))
	}
	return tea.Batch(cmds...)
}

func (b *board) fresh() bool {
	for _, p := range b.panes {
		if len(p.list.fresh) > 0 {
			return true
		}
	}
	return false
}

// maxStripEpics is how many epics the strip above the columns can show.
const maxStripEpics = 8

// attend counts what waits for people and reads the epics.
func (b *board) attend(m *model) tea.Cmd {
	return b.attends.refresh(m, func(m *model) tea.Cmd {
		service := m.live.service
		if service == nil {
			return nil
		}
		return b.attends.start(m, func(ctx context.Context) func(*model) tea.Cmd {
			attention, err := service.Attention(ctx, maxStripEpics)
			return func(m *model) tea.Cmd {
				if err != nil {
					return m.loadFailed(err)
				}
				b.attention = attention
				return nil
			}
		})
	})
}

// look reads about the task under the cursor. again says that it may have
// changed.
func (b *board) look(m *model, again bool) tea.Cmd {
	if b.showsGates() {
		return b.gates.look(m, again)
	}
	if b.about.empty() {
		return nil
	}
	card, ok := b.selected()
	if !ok {
		return nil
	}
	return b.preview.load(m, card.ID, again)
}

func (b *board) due() *core.Stamp { return b.data.Due }

// selected implements [screen].
func (b *board) selected() (core.Card, bool) {
	if b.showsGates() {
		return b.gates.selected()
	}
	return b.pane().selected()
}

// moved follows the cursor after it moved.
func (b *board) moved(m *model) tea.Cmd {
	if p := b.pane(); !b.showsGates() && p.wants() && m.live.service != nil {
		return tea.Batch(b.read(m, false), b.look(m, false))
	}
	return b.look(m, false)
}

// step implements [screen].
func (b *board) step(m *model, rows int) tea.Cmd {
	if b.showsGates() {
		b.gates.step(rows)
	} else {
		b.pane().moveTo(b.pane().cursor + rows)
		b.pane().before = ""
	}
	return b.moved(m)
}

// edge implements [screen].
func (b *board) edge(m *model, last bool) tea.Cmd {
	to := 0
	if last {
		to = b.pane().total - 1
	}
	if b.showsGates() {
		b.gates.edge(last)
	} else {
		b.pane().moveTo(to)
	}
	return b.moved(m)
}

func (b *board) page() int {
	if b.showsGates() {
		return b.gates.page()
	}
	return b.pane().page()
}

// findFollowed gives the keys to the column that holds the task being
// followed. Where that is not on screen the message says which it is, and the
// cursor stays with a neighbour.
func (b *board) findFollowed(m *model, req core.BoardRequest, data core.Board) {
	if b.following == "" || len(req.Columns) < int(core.ColumnCount) {
		return // or it was asked for before there was something to follow
	}
	id := b.following
	b.following = ""
	for i, w := range data.Columns {
		if anchors := req.Columns[i].Anchors; w.Anchor != 0 || anchors[0] != id || w.Column == b.focus {
			continue
		}
		if !b.panes[w.Column].area.empty() {
			b.focus = w.Column
			return
		}
		m.notes.amend(b.told, fmt.Sprintf(" %s %s %s (%s)", m.glyphs.bullet, m.glyphs.arrow,
			columnNames[w.Column], m.keymap.shown(columnActions[w.Column], m.glyphs)))
	}
}

// follow puts the cursors of the columns without the keys on a task, wherever
// it is, and the keys into its column if that is on screen.
func (b *board) follow(id string) {
	b.following = id
	if b.showsGates() {
		b.following, b.gates.lead = "", id // the panel stays
	}
	for _, p := range b.panes {
		p.lead = ""
		if p.column != b.focus {
			p.lead = id
		}
	}
}

// goTo gives a column the keys and puts it on screen.
func (b *board) goTo(m *model, c core.Column) tea.Cmd {
	b.focus = c
	switch c {
	case core.ColumnBlocked:
		b.side = c
	case core.ColumnClaimed, core.ColumnDone:
		b.side, b.third = c, c
	}
	return b.load(m, false)
}

// next gives the keys to the column n places on, whether it is on screen or
// not.
func (b *board) next(m *model, n int, wrap bool) tea.Cmd {
	to := b.focus + core.Column(n)
	if wrap {
		to = (to + core.ColumnCount) % core.ColumnCount
	}
	to = max(min(to, core.ColumnCount-1), 0)
	if to == b.focus {
		return nil
	}
	return b.goTo(m, to)
}

// draw implements [screen].
func (b *board) draw(m *model, c *canvas, area rect) {
	b.drawTop(m, c, area.line(0))
	if b.showsGates() {
		b.gates.draw(m, c)
		b.filter.draw(m, c, area)
		return
	}
	if m.live.missing || b.known && b.data.Empty {
		b.drawEmpty(m, c)
		return
	}
	for _, p := range b.panes {
		if !p.area.empty() {
			b.drawPane(m, c, p)
		}
	}
	if !b.about.empty() {
		card, ok := b.selected()
		b.preview.draw(m, c, b.about, card, ok)
	}
	b.filter.draw(m, c, area)
}

// drawTop draws the line below the header: the columns or, where those on
// screen carry their own names, the others and the epics.
func (b *board) drawTop(m *model, c *canvas, r rect) {
	width := r.w - 1
	if n := b.attention.NeedsPeople(); n > 0 && r.w >= twoColumns {
		need := []span{{fmt.Sprintf("! %d need you", n), warnLook}}
		at := rect{r.x + r.w - 1 - spansWidth(need), r.y, spansWidth(need), 1}
		c.spans(at.x, at.y, at.w, need...)
		m.hits = append(m.hits, hit{at, func(m *model) tea.Cmd { return b.goTo(m, core.ColumnGates) }})
		width -= at.w + 2
	}
	titled := r.w >= threeColumns && !b.showsGates() // the columns carry their names and counts
	var tabs []tab
	for col := range core.ColumnCount {
		if titled && !b.panes[col].area.empty() {
			continue
		}
		tabs = append(tabs, tab{
			key: m.keymap.shown(columnActions[col], c.g), name: columnNames[col], short: shortColumnNames[col],
			count: b.data.Counts[col], active: col == b.focus,
			run: func(m *model) tea.Cmd { return b.goTo(m, col) },
		})
	}
	x := r.x + 1
	if len(tabs) > 0 {
		x += m.drawTabs(c, x, r.y, width, tabs) + 2
	}
	if titled {
		b.drawEpics(m, c, rect{x - 1, r.y, width - x + r.x + 1, 1})
	}
}

// drawEpics draws the strip of epics with their progress.
func (b *board) drawEpics(m *model, c *canvas, r rect) {
	x := r.x + 1
	epics := b.attention.Epics
	if !b.filter.filter.IsEmpty() {
		epics = b.data.Epics
	}
	if len(epics) == 0 {
		return
	}
	x += c.spans(x, r.y, r.w, span{"Epics  ", dimText})
	for _, epic := range epics {
		spans := append(titled(c.g, epic, plainText), span{" ", plainText})
		spans = append(spans, progressSpans(c.g, epic.Progress)...)
		n := spansWidth(spans)
		if x+n > r.x+r.w {
			return
		}
		c.spans(x, r.y, n, spans...)
		id := epic.ID
		m.hits = append(m.hits, hit{rect{x, r.y, n, 1}, func(m *model) tea.Cmd { return m.openTask(id, pageTree) }})
		x += n + 2
	}
}

// progressCells is the width of a bar of progress.
const progressCells = 8

// progressSpans draw progress: done and to do, and how many were cancelled.
func progressSpans(g *glyphs, p *core.Progress) []span {
	if p == nil {
		return []span{{"no children", dimText}}
	}
	done := 0
	if p.Total() > 0 {
		done = p.Completed * progressCells / p.Total()
	}
	spans := []span{
		{repeat(g.full, done), okLook}, {repeat(g.rest, progressCells-done), dimText},
		{fmt.Sprintf(" %d/%d", p.Completed, p.Total()), plainText},
	}
	if p.Cancelled > 0 {
		spans = append(spans, span{fmt.Sprintf(" %s%d", g.mark(display.Cancelled), p.Cancelled), dimText})
	}
	return spans
}

// drawPane draws a column.
func (b *board) drawPane(m *model, c *canvas, p *pane) {
	focus := p.column == b.focus
	l := hintLook
	if focus {
		l = titleLook
	}
	inner := c.frame(p.area, box{title: []span{{b.paneTitle(m, p), l}}, bottom: p.position(l), focus: focus})
	if p.total == 0 {
		b.drawNothing(m, c, inner, p)
		return
	}
	style := rowStyle{column: p.column, tall: m.w >= threeColumns, agent: m.options.Agent, now: m.now(), words: b.filter.filter.Words()}
	y := inner.y
	for at := p.top; at < p.total && y < inner.y+inner.h; at++ {
		card, ok := p.card(at)
		if !ok {
			c.put(inner.x+2, y, inner.w, c.g.ellipsis, dimText)
			finishRow(c, rect{inner.x, y, inner.w, 1}, rowFlags{cursor: at == p.cursor && focus})
			y++
			continue
		}
		h := min(style.rowHeight(card), inner.y+inner.h-y)
		_, marked := m.marks[card.ID]
		_, fresh := p.fresh[card.ID]
		style.drawRow(c, rect{inner.x, y, inner.w, h}, card, rowFlags{
			cursor: at == p.cursor && focus, marked: marked, fresh: fresh,
		})
		y += h
	}
	if hidden := p.total - p.lastShown(); hidden > 0 && y >= inner.y+inner.h {
		b.drawMore(c, inner, hidden)
	}
}

// paneTitle is the heading of a column.
func (b *board) paneTitle(m *model, p *pane) string {
	title := columnNames[p.column]
	filtered := !b.filter.filter.IsEmpty()
	if m.w >= threeColumns {
		title = m.keymap.shown(columnActions[p.column], m.glyphs) + " " + title
		if !filtered {
			title = fmt.Sprintf("%s %d", title, p.total)
		}
	}
	if filtered {
		title = fmt.Sprintf("%s %d of %d", title, p.total, p.all)
	}
	if p.sort != core.SortPriority && p.column != core.ColumnDone {
		title += " " + m.glyphs.bullet + " by " + string(p.sort)
	}
	return title
}

// position is where the cursor stands, for the lower border.
func (p *pane) position(l look) []span {
	if p.total == 0 {
		return nil
	}
	return []span{{fmt.Sprintf("%d/%d", p.cursor+1, p.total), l}}
}

// lastShown is the number of rows up to the last on screen.
func (p *pane) lastShown() int {
	lines, at := 0, p.top
	for at < p.total && lines < p.height {
		lines += p.rowHeight(at)
		at++
	}
	if lines > p.height {
		at--
	}
	return at
}

// drawMore says at the lower right how many rows follow.
func (b *board) drawMore(c *canvas, inner rect, hidden int) {
	text := fmt.Sprintf(" %d more %s ", hidden, c.g.more)
	n := cells(text)
	if n < inner.w {
		c.put(inner.x+1, inner.y+inner.h, n, text, hintLook)
	}
}
