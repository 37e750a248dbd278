package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dev.lithos/core"
)

// maxPlain bounds what parsePlain reads, far below every limit of parseMatter.
const maxPlain = 64 << 10

// parsePlain reads front matter as tools write most of it, a scalar or a list of
// scalars a key, without the library, which takes twenty times as long. false
// where anything in it is less simple than that: then it says nothing. What it
// reads, it reads as parseMatter does; a test holds the two equal.
func parsePlain(matter string) (fields []core.NoteField, ok bool) {
	if len(matter) > maxPlain {
		return nil, false
	}
	fields = make([]core.NoteField, 0, 24)
	seen := make(map[string]bool, 24)
	for matter != "" {
		var line string
		line, matter, _ = strings.Cut(matter, "\n")
		key, value, found := strings.Cut(line, ":")
		if !found || !isPlainKey(key) || seen[key] {
			return nil, false
		}
		seen[key] = true
		field := core.NoteField{Key: key}
		switch {
		case value == "":
			// A list; without items the value would be null.
			list := []byte{'['}
			for strings.HasPrefix(matter, "  - ") {
				line, matter, _ = strings.Cut(matter, "\n")
				if len(list) > 1 {
					list = append(list, ',')
				}
				if list, ok = appendPlain(list, line[len("  - "):]); !ok {
					return nil, false
				}
			}
			if len(list) == 1 {
				return nil, false
			}
			field.Value = append(list, ']')
		case value == " []":
			field.Value = []byte("[]")
		case value[0] == ' ':
			if field.Value, ok = appendPlain(nil, value[1:]); !ok {
				return nil, false
			}
		default:
			return nil, false
		}
		fields = append(fields, field)
	}
	return fields, true
}

// isPlainKey reports whether a key is a word that means nothing else in YAML.
func isPlainKey(key string) bool {
	for i := range len(key) {
		if c := key[i]; (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return len(key) > 1 && len(key) <= 100 && !isYAMLWord(key)
}

// isYAMLWord reports whether a plain scalar of letters may stand for something
// else than text.
func isYAMLWord(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf":
		return true
	}
	return false
}

// appendPlain appends a scalar as JSON if it is a simple one: null, a truth
// value, a small number, text in single quotes, or plain text that begins with
// a letter or is an id.
func appendPlain(dst []byte, text string) ([]byte, bool) {
	switch {
	case text == "":
		return dst, false
	case text == "null" || text == "true" || text == "false" || isPlainNumber(text):
		return append(dst, text...), true
	case text[0] == '\'':
		inside := text[1:]
		if len(inside) == 0 || inside[len(inside)-1] != '\'' {
			return dst, false
		}
		inside = inside[:len(inside)-1]
		if !isPrintable(inside, "'") {
			return dst, false
		}
		return core.AppendJSONString(dst, inside), true
	case isLetter(text[0]) || isID(text):
		if !isPrintable(text, ":#") || text[len(text)-1] == ' ' || isYAMLWord(text) {
			return dst, false
		}
		return core.AppendJSONString(dst, text), true
	}
	return dst, false
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// isPrintable reports whether a text consists of printable ASCII characters but
// for those left out, and of letters.
func isPrintable(text, without string) bool {
	for _, c := range text {
		switch {
		case c < utf8.RuneSelf:
			if c < ' ' || c > '~' || strings.ContainsRune(without, c) {
				return false
			}
		case c > '\uffff' || !unicode.IsLetter(c):
			return false
		}
	}
	return true
}

// isPlainNumber reports whether a text is a number in the one form that YAML
// and JSON share, of so few digits that both keep it exactly.
func isPlainNumber(text string) bool {
	whole, part, point := strings.Cut(text, ".")
	return isDigits(whole) && (len(whole) == 1 || whole[0] != '0') && (!point || isDigits(part))
}

func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != "" && len(text) <= 9
}

// isID reports whether a text has the form of an id, which no number and no
// time has.
func isID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
