package tui

import (
	"strconv"

	"dev.lithos/core/display"
	md "dev.lithos/core/display/markdown"
)

// markdownLimit is how many bytes of a text are shown.
const markdownLimit = 200_000

// markdownLooks are the styles of the parts of a text.
var markdownLooks = [...]look{
	md.Text: plainText, md.Heading: titleLook, md.Quiet: dimText, md.Border: borderLook, md.Code: keyLook, md.CodeBlock: keyLook &^ strong,
}

// markdown draws Markdown as lines of spans at most width cells wide.
func markdown(source string, width int, g *glyphs) [][]span {
	shown := beginning(source, markdownLimit)
	var lines [][]span
	for _, parts := range md.Draw(shown, width, md.Signs{Bullet: g.bullet, Bar: g.thin.v, Rule: g.thin.h, Cross: g.meet}) {
		var line []span
		for _, p := range parts {
			line = append(line, span{p.Text, markdownLook(p)})
		}
		lines = append(lines, line)
	}
	if len(shown) < len(source) {
		lines = append(lines, nil, []span{{strconv.Itoa((len(source)-len(shown))/1000+1) + " kB more; E opens the whole text", dimText}})
	}
	return lines
}

func markdownLook(p md.Part) look {
	l := markdownLooks[p.Kind]
	if p.Strong {
		l |= strong
	}
	if p.Italic {
		l |= italic
	}
	if p.Underline {
		l |= underline
	}
	return l
}

// wrapSpans breaks spans into lines at most width cells wide, at spaces where
// there are any.
func wrapSpans(spans []span, width int) [][]span {
	return display.WrapParts(spans, width, func(s span) string { return s.text }, func(s span, text string) span { return span{text, s.look} })
}
