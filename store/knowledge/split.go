package knowledge

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"dev.lithos/core"
)

// fence is the line before and after the front matter.
const fence = "---"

var byteOrderMark = []byte("\xef\xbb\xbf")

// parse reads a note file. What cannot be read is an [core.UnreadableNote].
func parse(text []byte) (core.NoteFile, error) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if !utf8.Valid(text) {
		return core.NoteFile{}, unreadable("is not UTF-8")
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return core.NoteFile{}, unreadable("holds a NUL character")
	}
	plain := core.PlainLines(string(text))
	matter, body, found := split(plain)
	if !found {
		return core.NoteFile{Body: trimBody(body)}, nil
	}
	if fields, ok := parsePlain(matter); ok {
		return core.NoteFile{Fields: fields, Body: trimBody(body)}, nil
	}
	above := strings.Count(plain[:len(plain)-len(strings.TrimLeft(plain, " \t\n"))], "\n") + 1
	fields, isMapping, err := parseMatterBelow(matter, above)
	if err != nil {
		return core.NoteFile{}, err
	}
	if !isMapping {
		// Two rules with text between them are no front matter.
		return core.NoteFile{Body: trimBody(plain)}, nil
	}
	return core.NoteFile{Fields: fields, Body: trimBody(body)}, nil
}

// trimBody takes the blank lines from the beginning of a body and the blank
// space from its end. The first line may be indented.
func trimBody(body string) string {
	body = strings.TrimRightFunc(body, unicode.IsSpace)
	text := strings.TrimLeftFunc(body, unicode.IsSpace)
	start := len(body) - len(text)
	return body[strings.LastIndexByte(body[:start], '\n')+1:]
}

// parseBody is the body of what parse reads without an error. Front matter is
// taken apart only where it does not begin with a key, for only then it may be
// none.
func parseBody(text []byte) (string, error) {
	plain := core.PlainLines(string(bytes.TrimPrefix(text, byteOrderMark)))
	matter, body, found := split(plain)
	if found && !beginsWithKey(matter) {
		file, err := parse(text)
		return file.Body, err
	}
	return trimBody(body), nil
}

// beginsWithKey reports whether a text, if it is YAML, is a mapping in block
// style.
func beginsWithKey(matter string) bool {
	key, _, found := strings.Cut(matter, ": ")
	return found && key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == ""
}

func unreadable(reason string) error { return &core.UnreadableNote{Reason: reason} }

// split separates front matter and body. Without both fences everything is
// body.
func split(text string) (matter, body string, found bool) {
	start := strings.TrimLeft(text, " \t\n")
	first, rest, more := strings.Cut(start, "\n")
	if strings.TrimRight(first, " \t") != fence || !more {
		return "", text, false
	}
	for at := 0; at < len(rest); {
		end := len(rest)
		if i := strings.IndexByte(rest[at:], '\n'); i >= 0 {
			end = at + i
		}
		if strings.TrimRight(rest[at:end], " \t") == fence {
			return rest[:at], rest[min(end+1, len(rest)):], true
		}
		at = end + 1
	}
	return "", text, false
}

// emit is the text of a note file.
func emit(file core.NoteFile) ([]byte, error) {
	matter, err := emitMatter(file.Fields)
	if err != nil {
		return nil, err
	}
	text := make([]byte, 0, len(matter)+len(file.Body)+16)
	text = append(text, fence+"\n"...)
	text = append(text, matter...)
	text = append(text, fence+"\n\n"...)
	text = append(text, file.Body...)
	return bytes.TrimRight(text, " \t\n"), nil
}
