package display

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineBreak is the mark of a line break inside one-line text.
const lineBreak = "⏎"

// tabStop is the distance of tab stops in text of several lines.
const tabStop = 8

// Visible returns text that is safe to print on one line: control characters,
// line breaks, direction overrides and bytes that are no text are replaced by
// visible marks, everything else is kept. The result is valid UTF-8 and holds
// no character a terminal would act on.
func Visible(s string) string {
	if isSafe(s) {
		return s
	}
	var out strings.Builder
	for len(s) > 0 {
		if strings.HasPrefix(s, "\r\n") {
			out.WriteString(lineBreak)
			s = s[2:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		out.WriteString(mark(r, s[:size]))
		s = s[size:]
	}
	return out.String()
}

// VisibleLines is [Visible] for text of several lines: \n and \r\n stay line
// breaks (as \n) and tabs become spaces up to the next stop of 8 cells.
func VisibleLines(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = visibleLine(line)
	}
	return strings.Join(lines, "\n")
}

// visibleLine is Visible with tabs expanded.
func visibleLine(line string) string {
	before, after, hasTab := strings.Cut(line, "\t")
	if !hasTab {
		return Visible(line)
	}
	var out strings.Builder
	column := 0
	for ; hasTab; before, after, hasTab = strings.Cut(after, "\t") {
		text := Visible(before)
		column += Width(text)
		spaces := tabStop - column%tabStop
		out.WriteString(text)
		out.WriteString(strings.Repeat(" ", spaces))
		column += spaces
	}
	out.WriteString(Visible(before))
	return out.String()
}

// IsUnsafe reports whether a character must not reach a terminal or a line of
// a report as it is: it would move the cursor, start a control sequence, change
// the direction of what follows or swallow it, as the signs do that Arabic and
// Syriac write under a number: a space behind them would take no cell.
func IsUnsafe(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r == '\u2028', r == '\u2029', r == '\u061c', r == '\u200e', r == '\u200f', r == '\ufeff':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return r >= '\u0600' && unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// isSafe reports whether Visible would change nothing.
func isSafe(s string) bool {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return false
			}
		}
		if IsUnsafe(r) {
			return false
		}
	}
	return true
}

// mark shows one character; raw are its bytes, which count when they are no
// UTF-8.
func mark(r rune, raw string) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf("<0x%02X>", raw[0])
	case !IsUnsafe(r):
		return raw
	case r == '\n', r == '\r', r == '\u2028', r == '\u2029':
		return lineBreak
	case r < 0x20:
		return string(rune(0x2400) + r) // the block of control pictures follows ASCII
	case r == 0x7f:
		return "␡"
	}
	return fmt.Sprintf("<U+%04X>", r)
}
