package tui

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// preview is what is known of the task under the cursor, read beside the
// loop once the cursor rests.
type preview struct {
	id    string // of the task that is, or will be, shown
	view  *core.TaskView
	loads loader
	lines renderedLines
}

// renderedLines keeps lines that are dear to make as long as what they show
// stays the same.
type renderedLines struct {
	of     *core.TaskView
	width  int
	minute int64 // ages on screen change with it
	lines  [][]span
}

// get returns the lines, made by render when they are not those of before.
func (r *renderedLines) get(view *core.TaskView, width int, now core.Stamp, render func() [][]span) [][]span {
	minute := now.Seconds() / 60
	if r.of == nil || r.of != view || r.width != width || r.minute != minute {
		*r = renderedLines{of: view, width: width, minute: minute, lines: render()}
	}
	return r.lines
}

// restTime is how long the cursor rests before the task under it is read.
const restTime = 30 * time.Millisecond

// load reads about a task; again says that it may have changed.
func (p *preview) load(m *model, id string, again bool) tea.Cmd {
	service := m.live.service
	if service == nil || id == p.id && !again {
		return nil
	}
	read := func(m *model) tea.Cmd {
		return p.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
			view, err := service.TaskView(ctx, id)
			return func(m *model) tea.Cmd {
				if err != nil {
					if core.AsError(err).Code == core.CodeTaskNotFound {
						return nil
					}
					return m.loadFailed(err)
				}
				p.view = &view
				return nil
			}
		})
	}
	if id == p.id {
		return p.loads.refresh(m, read)
	}
	p.id = id
	p.loads.stop()
	return m.after(restTime, func(m *model) tea.Cmd {
		if p.id != id {
			return nil
		}
		return read(m)
	})
}

// of is the view of a task if that is the one that was read.
func (p *preview) of(card core.Card) *core.TaskView {
	if p.view != nil && p.view.ID == card.ID {
		return p.view
	}
	return nil
}

// facts is the line that tells how a task stands.
func facts(m *model, card core.Card, view *core.TaskView) []span {
	g, now := m.glyphs, m.now()
	dot := " " + g.bullet + " "
	state := stateOf(card)
	word := state.Word()
	if isStuck(card) {
		word = "stuck"
	}
	spans := []span{{g.mark(state) + " " + word, stateLook(state)}}
	rest := []string{priority(card), display.Cut(display.Visible(card.Project()), maxProjectCells)}
	if card.Type != core.TypeTask && string(card.Type) != word {
		rest = append([]string{string(card.Type)}, rest...)
	}
	if card.CreatedBy != "" {
		rest = append(rest, "by "+display.Visible(card.CreatedBy)+" "+display.Ago(card.CreatedAt, now))
	}
	rest = append(rest, fmt.Sprintf("v%d", card.Version))
	if view != nil && card.UpdatedAt > card.CreatedAt && card.Status == core.StatusOpen {
		rest = append(rest, "edited "+display.Ago(card.UpdatedAt, now))
	}
	return append(spans, span{dot, dimText}, joined(dot, dimText, rest...)[0])
}

// maxProjectCells is how wide the name of a project may be among other facts.
const maxProjectCells = 24

// isStuck reports whether something holds a task back for good.
func isStuck(card core.Card) bool {
	for _, w := range card.Waits {
		if w.Kind == core.BlockedForGood || w.Kind == core.BlockedByCycle {
			return true
		}
	}
	return false
}

// draw draws what is known of a task: little, or where there is room much. No
// task: the frame alone.
func (p *preview) draw(m *model, c *canvas, area rect, card core.Card, ok bool) {
	var title []span
	if ok {
		title = []span{{idOf(card) + " ", titleLook}, data(card.Title, titleLook)}
	}
	tall := area.h > 2*previewHeight
	if tall && ok {
		title = []span{{idOf(card), titleLook}}
	}
	key := m.keymap.shown("detail.toggle", c.g)
	inner := c.frame(area, box{title: title, right: []span{{key, keyLook}, {" hide", hintLook}}})
	m.hits = append(m.hits, hit{area.line(0), func(m *model) tea.Cmd { return m.run(actionNamed("detail.toggle")) }})
	if !ok {
		drawLines(c, rect{inner.x + 1, inner.y, inner.w - 2, inner.h}, m.nothingSelected(inner.w-2), 0)
		return
	}
	view := p.of(card)
	if tall {
		lines := p.lines.get(view, inner.w-2, m.now(), func() [][]span { return detailLines(m, card, view, inner.w-2) })
		drawLines(c, rect{inner.x + 1, inner.y, inner.w - 2, inner.h}, lines, 0)
		return
	}
	line := rect{inner.x + 1, inner.y, inner.w - 2, 1}
	about := facts(m, card, view)
	if tags := tagsOf(card); tags != "" {
		about = append(about, span{" " + c.g.bullet + " ", dimText}, span{tags, hintLook})
	}
	c.ends(line, about, unblocksSpans(card, view))
	if view == nil {
		return
	}
	lines := p.lines.get(view, inner.w-2, m.now(), func() [][]span {
		if view.Description == nil || strings.TrimSpace(*view.Description) == "" {
			return [][]span{{{"no description", dimText}}}
		}
		return markdown(beginning(*view.Description, previewText), inner.w-2, c.g)
	})
	drawLines(c, rect{line.x, line.y + 1, line.w, inner.h - 1}, lines, 0)
}

// previewText is how many bytes of a description the preview looks at.
const previewText = 4_000

// beginning is the beginning of a text, of about n bytes, up to the end of a
// line where there is one.
func beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	if i := strings.LastIndexByte(text[:n], '\n'); i > 0 {
		return text[:i]
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// unblocksSpans name what waits for a task.
func unblocksSpans(card core.Card, view *core.TaskView) []span {
	if view == nil || len(view.Dependents) == 0 || card.Status != core.StatusOpen {
		return nil
	}
	const most = 3
	names := []string{}
	for _, d := range view.Dependents[:min(len(view.Dependents), most)] {
		names = append(names, idOf(d))
	}
	text := "holds " + strings.Join(names, ", ")
	if more := len(view.Dependents) - most; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return []span{{text, blockedLook}}
}

// drawLines draws lines from one on.
func drawLines(c *canvas, r rect, lines [][]span, from int) {
	for i := 0; i < r.h && from+i < len(lines); i++ {
		c.spans(r.x, r.y+i, r.w, lines[from+i]...)
	}
}

// detailLines is the detail of a task as lines of a width.
func detailLines(m *model, card core.Card, view *core.TaskView, width int) [][]span {
	g := m.glyphs
	var lines [][]span
	for _, line := range paragraph(display.Visible(card.Title), width) {
		lines = append(lines, []span{{line, strongText}})
	}
	lines = append(lines, wrapSpans(facts(m, card, view), width)...)
	if view == nil {
		return lines
	}
	add := func(section [][]span) {
		if len(section) > 0 {
			lines = append(append(lines, nil), section...)
		}
	}
	add(whyLines(m, view, width))
	if view.Description != nil && strings.TrimSpace(*view.Description) != "" {
		add(markdown(*view.Description, width, g))
	}
	if view.Outcome != nil && *view.Outcome != "" {
		add(append([][]span{heading("Outcome")}, markdown(*view.Outcome, width, g)...))
	}
	add(dependentLines(g, view))
	add(childrenLines(g, view, 0))
	add(relationLines(m, view))
	add(spansOf(findingParts(m, view, width)))
	add(spansOf(taskNotes(m, view)))
	add(activityLines(m, view, 8))
	return lines
}

func heading(text string) []span { return []span{{text, titleLook}} }

// dependentLines tell what the task holds back.
func dependentLines(g *glyphs, view *core.TaskView) [][]span {
	if view.Status != core.StatusOpen || len(view.Dependents) == 0 {
		return nil
	}
	lines := [][]span{heading("Unblocks")}
	for _, d := range view.Dependents {
		line := append([]span{{" ", plainText}}, titled(g, d, plainText)...)
		if d.WaitCount > 1 {
			line = append(line, span{fmt.Sprintf("  (1 of %d)", d.WaitCount), dimText})
		}
		lines = append(lines, line)
	}
	if n := len(view.Behind); n > 0 {
		more := ""
		if n == core.MaxBehind {
			more = " or more"
		}
		lines = append(lines, []span{{fmt.Sprintf("   and %d%s behind", n, more), dimText}})
	}
	return lines
}

// childrenLines draw the children; most bounds them, 0 means all.
func childrenLines(g *glyphs, view *core.TaskView, most int) [][]span {
	if len(view.Children) == 0 {
		return nil
	}
	title := heading("Children ")
	title = append(title, progressSpans(g, view.Progress)...)
	lines := [][]span{title}
	for i, child := range view.Children {
		branch := g.tee
		if i == len(view.Children)-1 {
			branch = g.elbow
		}
		if most > 0 && i == most {
			lines = append(lines, []span{{fmt.Sprintf(" %s %d more", g.elbow, len(view.Children)-most), dimText}})
			break
		}
		lines = append(lines, append([]span{{" " + branch + " ", borderLook}}, titled(g, child, plainText)...))
	}
	return lines
}

// relationLines tell of claims, parent, tags and where the task comes from.
func relationLines(m *model, view *core.TaskView) [][]span {
	g := m.glyphs
	var lines [][]span
	row := func(name string, spans ...span) {
		lines = append(lines, append([]span{{display.Pad(name, 9), titleLook}}, spans...))
	}
	if view.Status == core.StatusOpen {
		if len(view.Claims) == 0 {
			row("Claims", span{"none", dimText})
		}
		for i, claim := range view.Claims {
			name := "Claims"
			if i > 0 {
				name = ""
			}
			row(name, claimSpans(g, claim, m.options.Agent, m.now())...)
		}
	}
	if view.Type == core.TypeGate {
		row("Gate", gateState(g, view.Card, m.now())...)
	}
	if len(view.Parents) > 0 {
		row("Parent", titled(g, view.Parents[0], plainText)...)
	}
	for _, source := range view.Sources {
		row("From", titled(g, source, plainText)...)
	}
	for _, spawned := range view.Spawned {
		row("Spawned", titled(g, spawned, plainText)...)
	}
	if tags := view.Tags.List(); len(tags) > 0 {
		row("Tags", data(strings.Join(tags, ", "), plainText))
	}
	return lines
}

// repeat is n times a sign of one cell.
func repeat(sign string, n int) string { return strings.Repeat(sign, max(n, 0)) }
