package tui

import (
	"fmt"
	"slices"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

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
		text := "Nothing holds it back."
		if v.Type == core.TypeGate && v.GateType() == core.GateHuman {
			text = "Nothing holds it back: it waits for a person to pass it."
		}
		p.add([]span{{text, plainText}})
	default:
		title := fmt.Sprintf("Why blocked  (%d of %d blockers still hold it)", v.WaitCount, v.WaitCount+len(v.Satisfied))
		if v.WaitCount+len(v.Satisfied) == 1 {
			title = "Why blocked"
		}
		p.addAll(wrapSpans(heading(title), width))
		p.renderChain(m, v.ID, "", "", map[string]bool{v.ID: true}, width)
		if more := v.WaitCount - len(v.Waits); more > 0 {
			p.add([]span{{fmt.Sprintf("  and %d more", more), dimText}})
		}
		for _, card := range v.Satisfied {
			line := append([]span{{"  ", plainText}}, titled(g, card, dimText)...)
			if card.ResolvedAt != nil {
				line = beside(line, []span{{"  done " + display.Ago(*card.ResolvedAt, m.now()), dimText}}, width, g)
			}
			p.addCard(line, card)
		}
		if steps := courseSteps(m, v); len(steps) > 0 {
			p.add(nil)
			p.add(heading("What frees it"))
			const most = 12
			for i, step := range steps {
				if i == most {
					p.add([]span{{fmt.Sprintf("     and %d more steps", len(steps)-most), dimText}})
					break
				}
				number := fmt.Sprintf("  %d. ", i+1)
				card, known := v.CourseCards[v.Course[i].TaskID]
				for j, part := range wrapSpans(step, width-cells(number)) {
					line := append([]span{{number, dimText}}, part...)
					if j == 0 && known {
						p.addCard(line, card)
					} else {
						p.add(line)
					}
					number = repeat(" ", cells(number))
				}
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
				text := fmt.Sprintf("  one of %d that hold it", d.WaitCount)
				if width < pageStates {
					text = fmt.Sprintf("  1 of %d", d.WaitCount)
				}
				line = beside(line, []span{{text, dimText}}, width, g)
			}
			p.addCard(line, d)
		}
	}
}

// inCourse are things that hold a task back in the order in which they are to
// be dealt with.
func (p *page) inCourse(waits []core.Wait) []core.Wait {
	place := func(w core.Wait) int {
		for i, step := range p.view.Course {
			if step.TaskID == w.Source.ID || step.Action == core.ActionBreakCycle && slices.Contains(step.Path, w.Source.ID) {
				return i
			}
		}
		return len(p.view.Course)
	}
	waits = slices.Clone(waits)
	slices.SortStableFunc(waits, func(a, b core.Wait) int { return place(a) - place(b) })
	return waits
}

// renderChain draws what a task waits for, and below unfolded ones what they
// wait for in turn.
func (p *page) renderChain(m *model, id, path, indent string, above map[string]bool, width int) {
	g := m.glyphs
	for _, w := range p.inCourse(p.view.Chain[id]) {
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
		state := append([]span{{"  ", plainText}}, standing(m, w, width < pageStates)...)
		if indent == "" && hasCard(p.view.Parents, w.Source.ID) {
			state = append(state, span{"  ! " + partOf, warnLook})
		}
		if width >= pageStates {
			line = append(fitted(line, width*11/20, g), state...)
		} else {
			line = beside(line, state, width, g)
		}
		card := w.Source
		p.lines = append(p.lines, pageLine{spans: line, card: &card, path: own, folds: folds})
		if folds && p.open[own] {
			above[w.Source.ID] = true
			p.renderChain(m, w.Source.ID, own, indent+g.pipe, above, width)
			delete(above, w.Source.ID)
		} else if len(behind) == 0 && w.Kind == core.BlockedByTask && !w.Source.Held && w.Source.Type == core.TypeTask && len(w.Source.Claims) == 0 {
			told := span{"waits on nothing, can be started as well", dimText}
			if len(p.view.Course) > 0 && p.view.Course[0].TaskID == w.Source.ID {
				told = span{"waits on nothing " + g.arrow + " start here", readyLook}
			}
			p.add([]span{{indent + "  " + g.elbow + " ", borderLook}, told})
		}
	}
}

// pageStates is the width from which the states of a page have a column and say
// all in words.
const pageStates = 60

// leastBeside is how much of a line is left when something stands behind it.
const leastBeside = 16

// beside puts spans behind a line, of which the end goes where there is not
// room for both: titles can be read elsewhere.
func beside(line, behind []span, width int, g *glyphs) []span {
	if room := width - spansWidth(behind); spansWidth(line) > room {
		line = fitted(line, max(room, leastBeside), g)
	}
	return append(line, behind...)
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
