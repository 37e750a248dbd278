package tui

import "dev.lithos/core"

// pageLine is a line of a page. The cursor can be on those that stand for
// something: a task or a note.
type pageLine struct {
	spans []span
	card  *core.Card
	note  string // id of the note that it stands for
	path  string // of a blocker, for folding
	folds bool   // it has blockers of its own
}

// isStop reports whether the cursor can be on the line.
func (l pageLine) isStop() bool { return l.card != nil || l.note != "" }

// isSame reports whether two lines stand for the same.
func (l pageLine) isSame(other pageLine) bool {
	if l.card != nil && other.card != nil {
		return l.card.ID == other.card.ID
	}
	return l.card == nil && other.card == nil && l.note == other.note
}

// pageLines are the lines of a page, with a cursor that stops at some of them,
// and the part of them that is on screen.
type pageLines struct {
	lines  []pageLine
	cursor int
	moved  bool // the person has put the cursor there
	top    int
}

func (p *pageLines) add(spans []span) { p.lines = append(p.lines, pageLine{spans: spans}) }

func (p *pageLines) addAll(lines [][]span) {
	for _, line := range lines {
		p.add(line)
	}
}

func (p *pageLines) addCard(spans []span, card core.Card) {
	p.lines = append(p.lines, pageLine{spans: spans, card: &card})
}

// at is the line of the cursor, if the cursor is on one that stands for
// something.
func (p *pageLines) at() (pageLine, bool) {
	if p.cursor < len(p.lines) && p.lines[p.cursor].isStop() {
		return p.lines[p.cursor], true
	}
	return pageLine{}, false
}

// move goes on by stops; text between them is scrolled through, not jumped
// over. height is how many lines are on screen.
func (p *pageLines) move(rows, height int) {
	direction := 1
	if rows < 0 {
		direction = -1
	}
	for n := max(rows, -rows); n > 0; n-- {
		next := p.stopFrom(p.cursor, direction)
		if next < 0 || next < p.top-1 || next > p.top+height {
			p.scroll(direction, height)
			continue
		}
		p.cursor, p.moved = next, true
		p.top = max(min(p.top, p.cursor), p.cursor-height+1)
	}
}

// stopFrom is the next stop in a direction, -1 for none.
func (p *pageLines) stopFrom(at, direction int) int {
	for at += direction; at >= 0 && at < len(p.lines); at += direction {
		if p.lines[at].isStop() {
			return at
		}
	}
	return -1
}

// scroll moves what is on screen by lines.
func (p *pageLines) scroll(lines, height int) {
	p.top = max(min(p.top+lines, len(p.lines)-height), 0)
}

// toEdge goes to the first or the last line.
func (p *pageLines) toEdge(last bool, height int) {
	p.moved = true
	if !last {
		p.top, p.cursor = 0, 0
		p.settle()
		return
	}
	p.top = max(len(p.lines)-height, 0)
	for i := len(p.lines) - 1; i >= p.top; i-- {
		if p.lines[i].isStop() {
			p.cursor = i
			break
		}
	}
}

// settle puts the cursor on the first stop from where it is.
func (p *pageLines) settle() {
	for i := p.cursor; i < len(p.lines); i++ {
		if p.lines[i].isStop() {
			p.cursor = i
			return
		}
	}
	p.cursor = max(p.stopFrom(min(p.cursor, len(p.lines)), -1), 0)
}

// follow puts the cursor, after the lines were made anew, on what it was on.
func (p *pageLines) follow(was pageLine, ok bool) {
	if now, still := p.at(); ok && !(still && now.isSame(was)) {
		for i, line := range p.lines {
			if line.isStop() && line.isSame(was) {
				p.cursor = i
			}
		}
	}
	p.settle()
}
