package display

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Ellipsis stands for text that was cut off.
const Ellipsis = "…"

// Width is the number of terminal cells that text takes. Escape sequences of
// styled text take none.
func Width(s string) int { return ansi.StringWidth(s) }

// Cut shortens text to at most width cells, ending in an ellipsis when
// something was cut off. Characters are never divided; escape sequences of
// styled text are kept. A width below 1 leaves nothing.
func Cut(s string, width int) string {
	if width < 1 {
		return ""
	}
	return ansi.Truncate(s, width, Ellipsis)
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

// Wrap breaks lines at spaces so that none is wider than width cells; words
// wider than that are divided. Line breaks in the text are kept. A width
// below 1 leaves the text as it is.
func Wrap(s string, width int) string {
	if width < 1 {
		return s
	}
	return ansi.Wrap(s, width, "")
}
