package tui

import (
	"fmt"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// The widths of the list of notes in cells.
const (
	noteColumns = 62 // from which path and tags stand beside the title
	noteAgeCol  = 4
	noteLeast   = 20 // of a title that tags stand beside
)

// draw implements [screen].
func (l *noteList) draw(m *model, c *canvas, area rect) {
	l.arrange(area)
	c.spans(area.x+1, area.y, area.w-2, m.crumbs(c.g)...)
	inner := c.frame(l.area, box{title: []span{{"Notes", titleLook}}, right: l.counted(c.g), bottom: l.standing(), focus: true})
	if l.searches() {
		l.drawSearch(c, rect{inner.x + 1, inner.y, inner.w - 2, 1})
	}
	rows := l.rowsArea()
	if trouble := m.folder.trouble; trouble != nil && rows.h > 2 {
		lines := paragraph(c.g.cross+" "+display.Visible(trouble.Message), rows.w-2)
		lines = lines[:min(len(lines), rows.h-2)]
		rows.h -= len(lines)
		drawLines(c, rect{rows.x + 1, rows.y + rows.h, rows.w - 2, len(lines)}, asLines(lines, errorLook), 0)
	}
	if l.total == 0 {
		l.drawNothing(m, c, rows)
	}
	height := l.rowLines()
	for i := 0; l.top+i < l.total && i*height < rows.h; i++ {
		at := l.top + i
		r := rect{rows.x, rows.y + i*height, rows.w, min(height, rows.h-i*height)}
		if j := at - l.first; j >= 0 && j < len(l.entries) {
			l.drawRow(m, c, r, l.entries[j])
		} else {
			c.put(r.x+1, r.y, r.w, c.g.ellipsis, dimText)
		}
		finishRow(c, r, rowFlags{cursor: at == l.cursor})
	}
	if !l.about.empty() {
		row, ok := l.entry()
		l.preview.draw(m, c, l.about, row, ok)
	}
}

// counted tells, while something is looked for, how much was found.
func (l *noteList) counted(g *glyphs) []span {
	var spans []span
	if l.shown != "" {
		more := ""
		if l.more {
			more = "+"
		}
		spans = append(spans, span{fmt.Sprintf("%d%s of %d", l.total, more, l.notes), hintLook})
	}
	if l.unreadable > 0 {
		if len(spans) > 0 {
			spans = append(spans, span{" " + g.bullet + " ", hintLook})
		}
		spans = append(spans, span{plural(l.unreadable, "file") + " unreadable", warnLook})
	}
	return spans
}

// standing tells where in the list the cursor stands.
func (l *noteList) standing() []span {
	if l.total == 0 {
		return nil
	}
	return []span{{fmt.Sprintf("%d/%d", l.cursor+1, l.total), titleLook}}
}

// drawSearch draws what is looked for.
func (l *noteList) drawSearch(c *canvas, r rect) {
	c.put(r.x, r.y, 1, "/", keyLook)
	text := rect{r.x + 2, r.y, r.w - 2, 1}
	if l.typing {
		keys := []span{{c.g.enter, keyLook}, {" keep  ", hintLook}, {"esc", keyLook}, {" clear", hintLook}}
		if n := spansWidth(keys); n+30 < r.w {
			c.spans(r.x+r.w-n, r.y, n, keys...)
			text.w -= n + 1
		}
		l.search.draw(c, text, true, plainText)
		return
	}
	c.cut(text.x, text.y, text.w, display.Visible(l.text), strongText)
}

// drawNothing says why the list is empty.
func (l *noteList) drawNothing(m *model, c *canvas, r rect) {
	g := c.g
	var lines [][]span
	say := func(text string, l look) { lines = append(lines, asLines(paragraph(text, r.w-4), l)...) }
	switch {
	case !l.known && !m.live.missing:
		return
	case l.shown != "":
		say("No note holds that.", strongText)
		lines = append(lines, []span{{"esc", keyLook}, {" shows all " + plural(l.notes, "note") + ".", dimText}})
	case !m.folder.looked && !m.live.missing:
		say("Looking through the folder of notes"+g.ellipsis, dimText)
	default:
		say("There are no notes yet.", strongText)
		lines = append(lines, nil,
			[]span{{m.keymap.shown("note.new", g), keyLook}, {"  writes the first", plainText}}, nil,
			[]span{{"or from a script:", dimText}},
			[]span{{`  lithos note write "Title" --content "Text"`, plainText}})
		if service := m.live.service; service != nil && service.NotePlace() != "" {
			lines = append(lines, nil, []span{{"or put Markdown files into", dimText}})
			lines = append(lines, []span{{"  " + cutStart(display.Visible(service.NotePlace()), max(r.w-6, 8), g), plainText}})
		}
	}
	drawLines(c, rect{r.x + 2, r.y + min(1, max(r.h-len(lines), 0)), r.w - 3, r.h}, lines, 0)
}

// noteWords are what there is to say about a note at once: that it is put
// away, that it is not to be trusted, that it has outlived its time.
func noteWords(status string, stale bool) []span {
	var spans []span
	switch status {
	case core.NoteArchived:
		spans = append(spans, span{status, dimText})
	case core.NoteQuarantined:
		spans = append(spans, span{status, warnLook})
	}
	if stale {
		if len(spans) > 0 {
			spans = append(spans, span{" ", plainText})
		}
		spans = append(spans, span{"stale", warnLook})
	}
	return spans
}

// drawRow draws the row of a note.
func (l *noteList) drawRow(m *model, c *canvas, r rect, row core.NoteListRow) {
	titles := plainText
	if row.Status == core.NoteArchived {
		titles = dimText
	}
	x, width := r.x+1, r.w-2
	age := display.Age(row.UpdatedAt, m.now())
	c.cut(x+width-noteAgeCol, r.y, noteAgeCol, display.PadStart(age, noteAgeCol), dimText)
	words := noteWords(row.Status, row.IsStale)
	tags := display.Visible(strings.Join(row.Tags.List(), ", "))
	path := display.Visible(row.Path)
	room := width - noteAgeCol - 1
	title := marking(row.Title, row.InTitle, titles)
	if l.tall {
		if n := spansWidth(words); n > 0 && n+noteLeast < room {
			c.spans(x+room-n, r.y, n, words...)
			room -= n + 1
		}
		c.spans(x, r.y, room, title...)
	} else {
		tagRoom, pathRoom := room/5, room*3/10
		about := words
		if tags != "" {
			if len(about) > 0 {
				about = append(about, span{" ", plainText})
			}
			about = append(about, span{tags, hintLook})
		}
		at := x + room - tagRoom
		c.spans(at, r.y, tagRoom, about...)
		c.cut(at-pathRoom-1, r.y, pathRoom, path, dimText) // the folder tells more than the name, which is much like the title
		c.spans(x, r.y, room-tagRoom-pathRoom-2, title...)
	}
	if r.h < 2 {
		return
	}
	second := rect{x + 2, r.y + 1, width - 2, 1}
	switch {
	case l.shown != "":
		c.spans(second.x, second.y, second.w, shownFrom(marking(row.Snippet, row.InSnippet, dimText), second.w, c.g)...)
	case tags == "":
		c.cut(second.x, second.y, second.w, path, dimText)
	default:
		c.ends(second, []span{{path, dimText}}, fitting([]span{{tags, hintLook}}, second.w/2-1, c.g))
	}
}

// marking is a text from the store with places of it, as ranges of bytes,
// standing out.
func marking(text string, places [][2]int, l look) []span {
	var spans []span
	from := 0
	for _, place := range places {
		if place[0] > from {
			spans = append(spans, data(text[from:place[0]], l))
		}
		spans = append(spans, data(text[place[0]:place[1]], l&^tokenMask|strongText|strong|underline))
		from = place[1]
	}
	if from < len(text) || len(spans) == 0 {
		spans = append(spans, data(text[from:], l))
	}
	return spans
}

// shownFrom leaves the beginning of spans out where the first that stands out
// would not be seen in the width otherwise.
func shownFrom(spans []span, width int, g *glyphs) []span {
	before := 0
	for i, s := range spans {
		if s.look&underline == 0 {
			before += cells(s.text)
			continue
		}
		if i == 0 || before+cells(s.text) <= width-4 {
			return spans
		}
		lead := spans[i-1]
		lead.text = cutStart(lead.text, max(width/3, 4), g)
		return append([]span{lead}, spans[i:]...)
	}
	return spans
}

// cutStart is the end of a text that is safe to print, in at most width cells.
func cutStart(text string, width int, g *glyphs) string {
	if cells(text) <= width {
		return text
	}
	return g.ellipsis + strings.TrimPrefix(display.CutStart(text, width), display.Ellipsis)
}

// fitting is spans cut to a width.
func fitting(spans []span, width int, g *glyphs) []span {
	if spansWidth(spans) <= width {
		return spans
	}
	return append(fitted(spans, max(width-1, 0), g), span{g.ellipsis, spans[len(spans)-1].look})
}
