package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// notePreview is what the note under the cursor says, read beside the loop
// once the cursor rests.
type notePreview struct {
	id    string // of the note that is, or will be, shown
	view  *core.NoteView
	loads loader

	of     *core.NoteView // what the lines are of
	width  int
	minute int64
	lines  [][]span
}

// load reads about a note; again says that it may have changed.
func (p *notePreview) load(m *model, id string, again bool) tea.Cmd {
	service := m.live.service
	if service == nil || id == p.id && !again {
		return nil
	}
	read := func(m *model) tea.Cmd {
		return p.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
			view, err := service.NoteView(ctx, id)
			return func(m *model) tea.Cmd {
				if err != nil {
					if slices.Contains(noNoteThere, core.AsError(err).Code) {
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

// draw draws what a note says. No note: the frame alone.
func (p *notePreview) draw(m *model, c *canvas, area rect, row core.NoteListRow, ok bool) {
	var title []span
	if ok {
		title = []span{{shortest(row.ShortID, row.ID), titleLook}}
	}
	inner := c.frame(area, box{title: title})
	if !ok || p.view == nil || p.view.ID != row.ID {
		return
	}
	width := inner.w - 2
	if minute := m.now().Seconds() / 60; p.of != p.view || p.width != width || p.minute != minute {
		p.of, p.width, p.minute = p.view, width, minute
		p.lines = notePreviewLines(m, p.view, width)
	}
	drawLines(c, rect{inner.x + 1, inner.y, width, inner.h}, p.lines, 0)
}

// notePreviewLines are the facts, the beginning of the text and what the note
// is connected with.
func notePreviewLines(m *model, v *core.NoteView, width int) [][]span {
	short := *v
	short.Content = beginning(v.Content, previewText)
	lines := asLines(paragraph(data(v.Title, strongText).text, width), strongText)
	lines = append(lines, wrapSpans(noteFacts(m, v), width)...)
	lines = append(append(lines, nil), noteBody(&short, width, m.glyphs)...)
	for _, part := range [][]pageLine{noteRelations(v, m.glyphs, width), noteFields(m, v, width)} {
		if len(part) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, spansOf(part)...)
	}
	return lines
}
