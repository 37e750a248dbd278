package core

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// titleLine finds the line of a body that gives a note its title: the first
// heading of the first level, if only blank lines and other headings stand
// before it. start and end enclose the line without its end.
func titleLine(body string) (title string, start, end int, found bool) {
	for start < len(body) {
		end = len(body)
		if i := strings.IndexByte(body[start:], '\n'); i >= 0 {
			end = start + i
		}
		line := body[start:end]
		switch level, text := heading(line); {
		case level == 1 && text != "":
			return text, start, end, true
		case level < 2 && !isBlank(line):
			return "", 0, 0, false
		}
		start = end + 1
	}
	return "", 0, 0, false
}

// heading is the level of a Markdown heading line and its text; level 0 when
// it is none.
func heading(line string) (level int, text string) {
	for level < len(line) && line[level] == '#' {
		level++
	}
	rest := line[level:]
	if level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(rest)
}

// bodyOf is the body of a note with a title and content.
func bodyOf(title, content string) string {
	return strings.TrimRightFunc("# "+title+"\n\n"+strings.TrimSpace(content), unicode.IsSpace)
}

// Content is the text of the note without its title line and what stands
// before that.
func (n Note) Content() string {
	if _, _, end, found := titleLine(n.Body); found {
		return strings.TrimSpace(n.Body[end:])
	}
	return n.Body
}

// retitle gives the title line another title and leaves the rest of the body
// as it is. A body without a title line keeps to have none.
func (n *Note) retitle(title string) {
	if _, start, end, found := titleLine(n.Body); found {
		n.Body = n.Body[:start] + "# " + title + n.Body[end:]
	}
	n.Title = title
}

// PlainLines is a text with \n at the ends of its lines, which may have ended
// with \r\n or \r.
func PlainLines(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	if strings.Contains(text, "\r\n") {
		lines := strings.Split(text, "\n")
		for i, line := range lines[:len(lines)-1] {
			lines[i] = strings.TrimRight(line, "\r")
		}
		text = strings.Join(lines, "\n")
	}
	return strings.ReplaceAll(text, "\r", "\n")
}

// The ends that a cut text is given.
const cutMark = "..."

// cutContent cuts a text to at most so many characters, where it hurts least:
// after a paragraph, a sentence or a word of its second half.
func cutContent(content string, most int) (cut string, truncated bool) {
	if utf8.RuneCountInString(content) <= most {
		return content, false
	}
	if most <= len(cutMark) {
		return firstCharacters(content, most), true
	}
	window := firstCharacters(content, most-len(cutMark))
	middle := len(firstCharacters(content, (most-len(cutMark))/2))
	if i := strings.LastIndex(window, "\n\n"); i > middle {
		return window[:i], true
	}
	last := -1
	for _, end := range []string{". ", "! ", "? "} {
		last = max(last, strings.LastIndex(window, end))
	}
	if last > middle {
		return window[:last+1], true
	}
	if i := strings.LastIndexByte(window, ' '); i > 0 {
		return window[:i] + cutMark, true
	}
	return window + cutMark, true
}

// firstCharacters is the beginning of a text.
func firstCharacters(s string, characters int) string {
	for i := range s {
		if characters == 0 {
			return s[:i]
		}
		characters--
	}
	return s
}

// NoteText is the text of a note as a person edits it: the title as its first
// heading.
func NoteText(title, content string) string {
	return strings.TrimRight("# "+title+"\n\n"+content, "\n") + "\n"
}

// SplitNoteText takes apart the text of a note as a person edits it, with the
// title as its first heading; otherwise is the title when there is none, or an
// empty one.
func SplitNoteText(text, otherwise string) (title, content string) {
	n := Note{Body: strings.TrimSpace(PlainLines(text))}
	if first, rest, _ := strings.Cut(n.Body, "\n"); strings.TrimSpace(first) == "#" {
		return otherwise, strings.TrimSpace(rest) // the title was emptied
	}
	title, _, _, found := titleLine(n.Body)
	if !found || title == strings.TrimSpace(otherwise) {
		title = otherwise
	}
	return title, n.Content()
}
