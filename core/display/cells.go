package display

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Ellipsis stands for text that was cut off.
const Ellipsis = "…"

// Character splits the first character off text without escape sequences and
// tells how many terminal cells it takes.
//
// Terminals agree about most characters, but not about those of the scripts of
// South and South-East Asia, which are made of several code points: most
// terminals give each vowel sign that stands beside its letter a cell, and each
// letter of a conjunct, while some fit all of it into one. They are given the
// cells of the former: of what has too few something would be lost, while too
// many leave a gap.
func Character(s string) (character string, cells int) {
	character, cells = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if isBrahmic(character) {
		_, apart := ansi.FirstGraphemeCluster(s, ansi.WcWidth)
		cells = max(cells, apart)
	}
	return character, cells
}

// isBrahmic reports whether text holds a letter or sign of one of the scripts
// that write vowels around consonants.
func isBrahmic(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		switch {
		case r < 0x0900, r > 0x11fff:
			return false
		case r < 0x0e00, r >= 0x0f00 && r < 0x10a0, r >= 0x1700 && r < 0x1800, r >= 0x1900 && r < 0x1d00:
			return true
		}
		return r >= 0xa800 && r < 0xac00 || r >= 0x11000
	})
}

// Width is the number of terminal cells that text takes. Escape sequences of
// styled text take none.
func Width(s string) int {
	if !isBrahmic(s) {
		return ansi.StringWidth(s)
	}
	n := 0
	for s = ansi.Strip(s); s != ""; {
		character, cells := Character(s)
		n += cells
		s = s[len(character):]
	}
	return n
}

// Cut shortens text to at most width cells, ending in an ellipsis when
// something was cut off. Characters are never divided; escape sequences of
// styled text are kept. A width below 1 leaves nothing.
func Cut(s string, width int) string {
	switch {
	case width < 1:
		return ""
	case !isBrahmic(s):
		return ansi.Truncate(s, width, Ellipsis)
	case Width(s) <= width:
		return s
	}
	var out strings.Builder
	var state byte
	taken, full := 0, false
	for s != "" {
		sequence, cells, n, next := ansi.DecodeSequence(s, state, nil)
		state = next
		if cells > 0 {
			sequence, cells = Character(s)
			n = len(sequence)
		}
		s = s[n:]
		if cells > 0 && !full && taken+cells > width-1 {
			full = true
			out.WriteString(Ellipsis)
		}
		if cells == 0 || !full { // what is cut off may switch styles off
			out.WriteString(sequence)
			taken += cells
		}
	}
	return out.String()
}

// CutStart shortens text to at most width cells by its beginning, which an
// ellipsis then replaces. A width below 1 leaves nothing.
func CutStart(s string, width int) string {
	if width < 1 {
		return ""
	}
	over := Width(s) - width
	if over <= 0 {
		return s
	}
	if isBrahmic(s) {
		s = ansi.Strip(s)
		for over++; over > 0; { // the ellipsis takes a cell
			character, cells := Character(s)
			s, over = s[len(character):], over-cells
		}
		return Ellipsis + s
	}
	for n := over + 1; ; n++ {
		// A wide character at the cut can leave one cell too many.
		if cut := ansi.TruncateLeft(s, n, Ellipsis); Width(cut) <= width {
			return cut
		}
	}
}

// Pad fills text with spaces to width cells; longer text is returned as it is.
func Pad(s string, width int) string { return s + spaces(width-Width(s)) }

// PadStart puts spaces before text up to width cells, for numbers.
func PadStart(s string, width int) string { return spaces(width-Width(s)) + s }

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

// Wrap breaks lines at spaces, and nowhere else, so that none is wider than
// width cells; words wider than that are divided between characters. Line
// breaks in the text are kept. The text must hold no escape sequences. A width
// below 1 leaves it as it is.
func Wrap(s string, width int) string {
	if width < 1 {
		return s
	}
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if Width(line) <= width {
			lines = append(lines, line)
			continue
		}
		for _, parts := range WrapParts([]string{line}, width, func(s string) string { return s }, func(_, s string) string { return s }) {
			lines = append(lines, strings.Join(parts, ""))
		}
	}
	return strings.Join(lines, "\n")
}
