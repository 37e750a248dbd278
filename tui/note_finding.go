package tui

import (
	"fmt"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// findingParts are the remarks on a task, the newest first. The notes that they
// name can be gone to.
func findingParts(m *model, view *core.TaskView, width int) []pageLine {
	if len(view.Findings) == 0 {
		return nil
	}
	lines := []pageLine{{spans: heading(fmt.Sprintf("Findings %d", len(view.Findings)))}}
	indent := span{"     ", plainText}
	for i := len(view.Findings) - 1; i >= 0; i-- {
		f := view.Findings[i]
		lines = append(lines, pageLine{spans: []span{{display.PadStart(display.Age(f.CreatedAt, m.now()), 4) + " ", dimText}, data(f.Agent, claimedLook)}})
		for _, line := range markdown(f.Summary, max(width-5, 10), m.glyphs) {
			lines = append(lines, pageLine{spans: append([]span{indent}, line...)})
		}
		if f.KnowledgeID == nil {
			continue
		}
		card, known := view.Knowledge[*f.KnowledgeID]
		if !known {
			card = core.NoteCard{NoteHead: core.NoteHead{ID: *f.KnowledgeID}}
		}
		lines = append(lines, noteStop(append([]span{indent, {"note ", hintLook}}, noteName(card, plainText)...), card))
	}
	return lines
}

// taskNotes are the notes that came out of a task, the last changed first.
func taskNotes(m *model, view *core.TaskView) []pageLine {
	if len(view.Notes) == 0 {
		return nil
	}
	lines := []pageLine{{spans: heading(fmt.Sprintf("Notes %d", len(view.Notes)))}}
	for _, note := range view.Notes {
		spans := []span{{display.PadStart(display.Age(note.UpdatedAt, m.now()), 4) + " ", dimText}}
		spans = append(spans, noteName(note.NoteCard, plainText)...)
		if words := noteWords(note.Status, note.IsStale); len(words) > 0 {
			spans = append(append(spans, span{"  ", plainText}), words...)
		}
		lines = append(lines, noteStop(spans, note.NoteCard))
	}
	return lines
}

// spansOf are lines of a page as lines without anything to go to.
func spansOf(lines []pageLine) [][]span {
	list := make([][]span, len(lines))
	for i, line := range lines {
		list[i] = line.spans
	}
	return list
}
