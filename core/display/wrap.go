package display

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// WrapParts breaks a line of styled parts into lines at most width cells wide,
// at spaces where there are any; a word wider than a line is divided between
// characters. text tells what a part says, without escape sequences, and with
// makes a part of the same style that says something else. There is always at
// least one line.
func WrapParts[T any](parts []T, width int, text func(T) string, with func(T, string) T) [][]T {
	width = max(width, 1)
	var lines [][]T
	var line []T
	used := 0
	flush := func() {
		lines = append(lines, line)
		line, used = nil, 0
	}
	for _, part := range parts {
		for _, word := range strings.SplitAfter(text(part), " ") {
			bare := strings.TrimRight(word, " ")
			if used > 0 && used+Width(bare) > width {
				flush()
				if bare == "" {
					continue
				}
			}
			for Width(bare) > width {
				n := fitting(word, width)
				line = append(line, with(part, word[:n]))
				flush()
				word, bare = word[n:], bare[n:]
			}
			if word != "" {
				line = append(line, with(part, word))
				used += Width(word)
			}
		}
	}
	if len(line) > 0 || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// fitting is how many bytes of a text fit into width cells, at least its first
// character.
func fitting(s string, width int) int {
	n := 0
	for taken := 0; n < len(s); {
		cluster, cells := ansi.FirstGraphemeCluster(s[n:], ansi.GraphemeWidth)
		if taken += cells; taken > width && n > 0 {
			break
		}
		n += len(cluster)
	}
	return n
}

// Prose wraps text that is written in lines of its own: the lines of a
// paragraph are joined and broken anew at width cells, while indented lines
// and blank ones stay as they are. A width below 1 leaves the text as it is.
func Prose(s string, width int) string {
	if width < 1 {
		return s
	}
	var out, paragraph []string
	flush := func() {
		if paragraph != nil {
			out = append(out, Wrap(strings.Join(paragraph, " "), width))
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line == "" || line[0] == ' ' {
			flush()
			out = append(out, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return strings.Join(out, "\n")
}
