package display

import "strings"

// WrapParts breaks a line of styled parts into lines at most width cells wide,
// at spaces where there are any, be they in one part or several; a word wider
// than a line is divided between characters. text tells what a part says,
// without escape sequences, and with makes a part of the same style that says
// something else. There is always at least one line.
func WrapParts[T any](parts []T, width int, text func(T) string, with func(T, string) T) [][]T {
	w := wrapping[T]{width: max(width, 1), text: text, with: with}
	var word []T
	for _, part := range parts {
		for _, piece := range strings.SplitAfter(text(part), " ") {
			if piece == "" {
				continue
			}
			word = append(word, with(part, piece))
			if strings.HasSuffix(piece, " ") {
				w.add(word)
				word = nil
			}
		}
	}
	w.add(word)
	if len(w.line) > 0 || len(w.lines) == 0 {
		w.lines = append(w.lines, w.line)
	}
	return w.lines
}

// wrapping is a line being broken.
type wrapping[T any] struct {
	width int
	text  func(T) string
	with  func(T, string) T
	lines [][]T
	line  []T
	used  int // cells of line
}

// flush ends the line. Spaces at its end count for nothing.
func (w *wrapping[T]) flush() {
	if n := len(w.line); n > 0 {
		w.line[n-1] = w.with(w.line[n-1], strings.TrimRight(w.text(w.line[n-1]), " "))
	}
	w.lines = append(w.lines, w.line)
	w.line, w.used = nil, 0
}

// add puts a word, with the space behind it, into the line or the next one.
func (w *wrapping[T]) add(word []T) {
	bare := 0 // without that space
	for i, part := range word {
		piece := w.text(part)
		if i == len(word)-1 {
			piece = strings.TrimRight(piece, " ")
		}
		bare += Width(piece)
	}
	if w.used > 0 && w.used+bare > w.width {
		w.flush()
		if bare == 0 {
			return
		}
	}
	for i, part := range word {
		piece := w.text(part)
		for {
			rest := piece
			if i == len(word)-1 {
				rest = strings.TrimRight(piece, " ")
			}
			if w.used+Width(rest) <= w.width {
				break
			}
			if _, cells := Character(piece); w.used > 0 && w.used+cells > w.width {
				w.flush()
				continue
			}
			n := fitting(piece, w.width-w.used)
			w.line = append(w.line, w.with(part, piece[:n]))
			w.flush()
			piece = piece[n:]
		}
		if piece != "" {
			w.line = append(w.line, w.with(part, piece))
			w.used += Width(piece)
		}
	}
}

// fitting is how many bytes of a text fit into width cells, at least its first
// character.
func fitting(s string, width int) int {
	n := 0
	for taken := 0; n < len(s); {
		cluster, cells := Character(s[n:])
		if taken += cells; taken > width && n > 0 {
			break
		}
		n += len(cluster)
	}
	return n
}

// Prose wraps text that is written in lines of its own: the lines of a
// paragraph are joined and broken anew at width cells, while blank lines stay
// as they are and indented ones, which are lists, are broken as [Hanging]
// does. A width below 1 leaves the text as it is.
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
			out = append(out, Hanging(line, hang(line), width))
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// hang is where the text of a line of a list begins: behind its term, or
// where there is none behind its indent.
func hang(line string) int {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	term := strings.Index(line[indent:], columnGap)
	if term < 0 {
		return indent + len(columnGap)
	}
	text := line[indent+term:]
	return Width(line[:indent+term]) + len(text) - len(strings.TrimLeft(text, " "))
}

// columnGap separates the term of a list from its text.
const columnGap = "  "

// narrowestHang is the room below which text no longer hangs behind its term.
const narrowestHang = 24

// Hanging breaks a line at width cells, so that what follows stands at column
// hang; less where that leaves too little room. A width below 1 leaves the
// line as it is.
func Hanging(line string, hang, width int) string {
	if width < 1 || Width(line) <= width {
		return line
	}
	if width-hang < narrowestHang {
		hang = min(max(width-narrowestHang, 0), 4)
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	first, rest, _ := strings.Cut(Wrap(line[indent:], max(width-indent, 1)), "\n")
	if rest == "" {
		return line[:indent] + first
	}
	// What is left is broken anew: it has less room, or more.
	rest = strings.TrimLeft(line[indent+len(first):], " ")
	out := line[:indent] + first
	for next := range strings.SplitSeq(Wrap(rest, max(width-hang, 1)), "\n") {
		out += "\n" + spaces(hang) + next
	}
	return out
}
