package core

import (
	"strings"
	"unicode/utf8"
)

// ValidJSON reports whether a text is one JSON value, as encoding/json's Valid
// does, in a fraction of its time: a list and an import look at every text they
// touch.
func ValidJSON[T ~string | ~[]byte](text T) bool {
	at := afterValue(text, afterSpace(text, 0), 0)
	return at >= 0 && afterSpace(text, at) == len(text)
}

// ReadableJSON reports whether a text is one JSON value that an input may hold:
// its strings can be read as text. It is what makes stored tags and metadata
// readable; any others count as empty.
func ReadableJSON(text string) bool {
	return ValidJSON(text) && utf8.ValidString(text) &&
		(strings.IndexByte(text, '\\') < 0 || checkJSONText("", []byte(text)) == nil)
}

// parserDepth is how deep lists and objects may lie in each other: as deep as
// encoding/json reads them.
const parserDepth = 10_000

func afterSpace[T ~string | ~[]byte](text T, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
		at++
	}
	return at
}

// afterValue is where a value ends that begins at a place and lies in so many
// others; -1 when none begins there.
func afterValue[T ~string | ~[]byte](text T, at, depth int) int {
	if at >= len(text) {
		return -1
	}
	switch text[at] {
	case '"':
		return afterString(text, at)
	case '{', '[':
		if depth == parserDepth {
			return -1
		}
		return afterItems(text, at, depth+1)
	case 't':
		return afterWord(text, at, "true")
	case 'f':
		return afterWord(text, at, "false")
	case 'n':
		return afterWord(text, at, "null")
	}
	return afterNumber(text, at)
}

// afterItems is where a list or an object ends.
func afterItems[T ~string | ~[]byte](text T, at, depth int) int {
	isObject, closing := text[at] == '{', text[at]+2
	at = afterSpace(text, at+1)
	if at < len(text) && text[at] == closing {
		return at + 1
	}
	for {
		if isObject {
			if at >= len(text) || text[at] != '"' {
				return -1
			}
			if at = afterString(text, at); at < 0 {
				return -1
			}
			if at = afterSpace(text, at); at >= len(text) || text[at] != ':' {
				return -1
			}
			at = afterSpace(text, at+1)
		}
		if at = afterValue(text, at, depth); at < 0 {
			return -1
		}
		if at = afterSpace(text, at); at >= len(text) {
			return -1
		}
		if text[at] != ',' {
			break
		}
		at = afterSpace(text, at+1)
	}
	if text[at] != closing {
		return -1
	}
	return at + 1
}

func afterString[T ~string | ~[]byte](text T, at int) int {
	for at++; at < len(text); {
		if at += plainBytes(text[at:]); at >= len(text) {
			return -1
		}
		switch c := text[at]; {
		case c == '"':
			return at + 1
		case c < ' ':
			return -1
		case c != '\\':
			at++
			continue
		}
		if at++; at >= len(text) {
			return -1
		}
		switch text[at] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			at++
		case 'u':
			if len(text)-at < 5 {
				return -1
			}
			for _, digit := range []byte{text[at+1], text[at+2], text[at+3], text[at+4]} {
				if !(digit >= '0' && digit <= '9' || digit >= 'a' && digit <= 'f' || digit >= 'A' && digit <= 'F') {
					return -1
				}
			}
			at += 5
		default:
			return -1
		}
	}
	return -1
}

func afterWord[T ~string | ~[]byte](text T, at int, word string) int {
	if len(text)-at < len(word) || string(text[at:at+len(word)]) != word {
		return -1
	}
	return at + len(word)
}

func afterNumber[T ~string | ~[]byte](text T, at int) int {
	if at < len(text) && text[at] == '-' {
		at++
	}
	whole := at
	if at = afterDigits(text, at); at < 0 || text[whole] == '0' && at > whole+1 {
		return -1
	}
	if at < len(text) && text[at] == '.' {
		if at = afterDigits(text, at+1); at < 0 {
			return -1
		}
	}
	if at < len(text) && (text[at] == 'e' || text[at] == 'E') {
		if at++; at < len(text) && (text[at] == '+' || text[at] == '-') {
			at++
		}
		return afterDigits(text, at)
	}
	return at
}

// afterDigits is where a run of digits ends, -1 when there is none.
func afterDigits[T ~string | ~[]byte](text T, at int) int {
	first := at
	for at < len(text) && text[at] >= '0' && text[at] <= '9' {
		at++
	}
	if at == first {
		return -1
	}
	return at
}
