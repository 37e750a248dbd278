package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// gatesPane is the panel of everything that needs a person or a moment
// outside the graph, with what passing the gate under the cursor would do.
type gatesPane struct {
	area, below rect
	data        core.GateBoard
	known       bool
	rows        []gateRow
	cursor      int // index of rows
	top         int
	lead        string // id of the gate the cursor shall go to with the next reading
	would       *core.Consequences
	wouldID     string

	loads, looks loader
}

// gateRow is a line of the panel: a heading, an empty line, or a gate.
type gateRow struct {
	heading string
	card    *core.GateCard
}

func newGatesPane() *gatesPane { return &gatesPane{} }

// arrange gives the panel its place.
func (p *gatesPane) arrange(r rect) {
	p.area, p.below = r, rect{}
	if r.h >= 14 {
		h := max(6, r.h/4)
		p.area.h -= h
		p.below = rect{r.x, r.y + p.area.h, r.w, h}
	}
	p.reveal()
}

// read loads the gates.
func (p *gatesPane) read(m *model, f core.Filter) tea.Cmd {
	service, agent := m.live.service, m.options.Agent
	return p.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
		data, err := service.GateBoard(ctx, f, agent)
		return func(m *model) tea.Cmd {
			if err != nil {
				return m.loadFailed(err)
			}
			p.show(data)
			return p.look(m, true)
		}
	})
}

// show takes what was read over; the cursor stays on its gate or, when that
// is gone, goes to the next.
func (p *gatesPane) show(data core.GateBoard) {
	var ids []string
	if p.lead != "" {
		ids, p.lead = append(ids, p.lead), ""
	}
	for i := p.cursor; i < len(p.rows); i++ {
		if card := p.rows[i].card; card != nil {
			ids = append(ids, card.ID)
		}
	}
	p.data, p.known = data, true
	p.rows = nil
	group := func(name string, cards []core.GateCard, in func(core.GateCard) bool) {
		first := true
		for i := range cards {
			if !in(cards[i]) {
				continue
			}
			if first {
				if len(p.rows) > 0 {
					p.rows = append(p.rows, gateRow{})
				}
				p.rows = append(p.rows, gateRow{heading: name})
				first = false
			}
			p.rows = append(p.rows, gateRow{card: &cards[i]})
		}
	}
	kind := func(kinds ...core.GateType) func(core.GateCard) bool {
		return func(c core.GateCard) bool {
			for _, k := range kinds {
				if c.GateType() == k {
					return true
				}
			}
			return false
		}
	}
	group("needs a person", data.Gates, kind(core.GateHuman))
	group("clocks", data.Gates, kind(core.GateTimer))
	group("watching something else", data.Gates, kind(core.GateCI, core.GatePR, core.GateExternalTask))
	group("broken - their metadata cannot be read", data.Gates, kind(""))
	group("stuck - cancelled, which never counts", data.Stranding, func(core.GateCard) bool { return true })
	cursor := -1
	for _, id := range ids {
		if cursor = p.find(id); cursor >= 0 {
			break
		}
	}
	if cursor < 0 {
		cursor = min(p.cursor, len(p.rows)-1)
	}
	p.cursor = max(cursor, 0)
	p.settle(1)
	p.settle(-1)
	p.reveal()
}

func (p *gatesPane) find(id string) int {
	for i, row := range p.rows {
		if row.card != nil && row.card.ID == id {
			return i
		}
	}
	return -1
}

// settle moves the cursor on to a gate when it stands on a heading.
func (p *gatesPane) settle(direction int) {
	for i := p.cursor; i >= 0 && i < len(p.rows); i += direction {
		if p.rows[i].card != nil {
			p.cursor = i
			return
		}
	}
}

func (p *gatesPane) step(rows int) {
	direction := 1
	if rows < 0 {
		direction = -1
	}
	for n := max(rows, -rows); n > 0; n-- {
		next := p.cursor + direction
		for next >= 0 && next < len(p.rows) && p.rows[next].card == nil {
			next += direction
		}
		if next < 0 || next >= len(p.rows) {
			break
		}
		p.cursor = next
	}
	p.reveal()
}

func (p *gatesPane) edge(last bool) {
	p.cursor = 0
	if last {
		p.cursor = max(len(p.rows)-1, 0)
		p.settle(-1)
	} else {
		p.settle(1)
	}
	p.reveal()
}

func (p *gatesPane) page() int { return max(p.area.inner().h, 1) }

func (p *gatesPane) reveal() {
	h := p.page()
	p.top = min(p.top, p.cursor)
	if p.cursor <= 1 {
		p.top = 0 // with the heading
	}
	p.top = max(p.top, p.cursor-h+1, 0)
}

func (p *gatesPane) selected() (core.Card, bool) {
	if p.cursor < len(p.rows) && p.rows[p.cursor].card != nil {
		return p.rows[p.cursor].card.Card, true
	}
	return core.Card{}, false
}

// look reads what passing the gate under the cursor would do.
func (p *gatesPane) look(m *model, again bool) tea.Cmd {
	card, ok := p.selected()
	service := m.live.service
	if !ok || service == nil || p.below.empty() || card.ID == p.wouldID && !again {
		return nil
	}
	p.wouldID = card.ID
	return p.looks.start(m, func(ctx context.Context) func(*model) tea.Cmd {
		would, err := service.Consequences(ctx, []string{card.ID})
		return func(m *model) tea.Cmd {
			if err != nil {
				if core.AsError(err).Code == core.CodeTaskNotFound {
					return nil
				}
				return m.loadFailed(err)
			}
			p.would = &would
			return nil
		}
	})
}

func (p *gatesPane) draw(m *model, c *canvas) {
	selectable, at := 0, 0
	for i, row := range p.rows {
		if row.card != nil {
			selectable++
			if i <= p.cursor {
				at = selectable
			}
		}
	}
	var bottom []span
	if selectable > 0 {
		bottom = []span{{fmt.Sprintf("%d/%d", at, selectable), titleLook}}
	}
	inner := c.frame(p.area, box{title: []span{{"Gates", titleLook}}, bottom: bottom, focus: true})
	if p.known && len(p.rows) == 0 {
		c.put(inner.x+2, inner.y+1, inner.w-2, "There is no open gate, and nothing is stuck.", dimText)
	}
	for i := 0; i < inner.h && p.top+i < len(p.rows); i++ {
		row := p.rows[p.top+i]
		line := inner.line(i)
		if row.card == nil {
			c.cut(line.x+1, line.y, line.w-1, strings.Replace(row.heading, " - ", " "+c.g.dash+" ", 1), titleLook)
			continue
		}
		p.drawRow(m, c, line, *row.card, p.top+i == p.cursor)
	}
	if !p.below.empty() {
		p.drawWould(m, c)
	}
}

func (p *gatesPane) drawRow(m *model, c *canvas, r rect, gate core.GateCard, cursor bool) {
	g := c.g
	state := stateOf(gate.Card)
	holds := "holds"
	if gate.Status != core.StatusOpen {
		holds = "strands"
	}
	right := fmt.Sprintf("%s %d", holds, gate.Holds)
	if more := gate.Behind - gate.Holds; more > 0 {
		right += fmt.Sprintf(" (+%d)", more)
	}
	switch at := gate.OpensAt(); {
	case r.w >= 70:
		right = display.Pad(right, 14)
	case gate.Status == core.StatusOpen && at != nil: // there is no room for more
		right = gateWait(gate.Card, m.now())[0].text
	case gate.Holds == 0:
		right = ""
	}
	_, marked := m.marks[gate.ID]
	x := r.x + 1
	x += c.put(x, r.y, 2, g.mark(state), stateLook(state))
	if marked {
		c.put(x, r.y, 1, g.marked, keyLook)
	}
	x++
	x += c.put(x, r.y, maxIDCells, idOf(gate.Card), dimText) + 1
	end := r.x + r.w - cells(right) - 1
	c.put(end, r.y, cells(right), right, dimText)
	var kind []span
	if gate.Status == core.StatusOpen {
		kind = []span{{display.Pad(gateName(gate.Card), 8), gateLook}}
		if at := gate.OpensAt(); at != nil {
			kind = append(kind, gateWait(gate.Card, m.now())...)
		} else {
			age := display.PadStart(display.Age(gate.CreatedAt, m.now()), 4)
			kind = append(kind, data(gateNote(gate.Card), plainText), span{age, dimText})
		}
	} else {
		kind = []span{{string(gate.Type), dimText}, {" cancelled ", stuckLook}}
		if gate.ResolvedAt != nil {
			kind = append(kind, span{display.Ago(*gate.ResolvedAt, m.now()), dimText})
		}
	}
	room := end - x - 1
	titleRoom := room
	if room > 36 {
		titleRoom = room / 2
		side := rect{x + titleRoom + 1, r.y, room - titleRoom - 1, 1}
		if len(kind) == 3 {
			c.ends(side, kind[:2], kind[2:])
		} else {
			c.spans(side.x, side.y, side.w, kind...)
		}
	}
	drawTitle(c, x, r.y, titleRoom, gate.Title, m.board.filter.filter.Words())
	finishRow(c, r, rowFlags{cursor: cursor, marked: marked})
}

// drawWould draws what passing the gate under the cursor would do.
func (p *gatesPane) drawWould(m *model, c *canvas) {
	card, ok := p.selected()
	if !ok {
		c.frame(p.below, box{})
		return
	}
	title, lines := "When "+idOf(card)+" is passed", wouldLines
	if card.Status != core.StatusOpen {
		title, lines = "Stuck behind "+idOf(card), stuckLines
	}
	inner := c.frame(p.below, box{title: []span{{title, titleLook}}})
	if p.would == nil || p.would.Tasks[0].ID != card.ID {
		return
	}
	drawLines(c, rect{inner.x + 2, inner.y, inner.w - 3, inner.h}, lines(c.g, p.would), 0)
}

// wouldLines tell what completing tasks would do: a line for each task that
// waits for them.
func wouldLines(g *glyphs, would *core.Consequences) [][]span {
	var lines [][]span
	for _, card := range would.Ready {
		lines = append(lines, []span{{g.mark(display.Ready) + " ", readyLook}, {idOf(card) + " ", dimText},
			data(card.Title, plainText), {"   becomes ready", readyLook}})
	}
	for _, card := range would.Waiting {
		names := make([]string, len(card.Waits))
		for i, w := range card.Waits {
			names[i] = idOf(w.Source)
		}
		line := append(titled(g, card, plainText), span{"   still waits on " + strings.Join(names, ", "), dimText})
		if more := card.WaitCount - len(card.Waits); more > 0 {
			line = append(line, span{fmt.Sprintf(" +%d", more), dimText})
		}
		lines = append(lines, line)
	}
	if len(would.Behind) > 0 {
		names := make([]string, len(would.Behind))
		for i, card := range would.Behind {
			names[i] = idOf(card)
		}
		still := " still waits behind"
		if len(names) > 1 {
			still = " still wait behind"
		}
		lines = append(lines, []span{{g.mark(display.Blocked) + " ", blockedLook}, {strings.Join(names, ", "), dimText}, {still, dimText}})
	}
	if len(lines) == 0 {
		lines = [][]span{{{"No task waits for it.", dimText}}}
	}
	return lines
}

// stuckLines tell what waits in vain for a cancelled task.
func stuckLines(g *glyphs, would *core.Consequences) [][]span {
	var lines [][]span
	for _, card := range would.Stranded {
		lines = append(lines, titled(g, card, plainText))
	}
	return append(lines, []span{{"A cancelled blocker never counts as done: reopen and complete it, or remove the edge.", dimText}})
}
