package core

import (
	"bytes"
	"encoding/json"
)

// The functions of this file walk JSON text that is known to be valid; other
// text makes them panic. They are for what is read many thousand times: the
// decoder of the library looks at everything twice and copies it.

// ScanObject yields the members of a JSON object in order, keys and values as
// they are encoded. It reports false when the text is no object.
func ScanObject(text []byte, yield func(key, value []byte)) bool {
	at := skipSpace(text, 0)
	if text[at] != '{' {
		return false
	}
	for at = skipSpace(text, at+1); text[at] != '}'; {
		keyEnd := endOfString(text, at)
		start := skipSpace(text, skipSpace(text, keyEnd)+1) // over the colon
		end := endOfValue(text, start)
		yield(text[at:keyEnd:keyEnd], text[start:end:end])
		at = nextItem(text, end)
	}
	return true
}

// ScanList yields the items of a JSON list in order, as they are encoded. It
// reports false when the text is no list.
func ScanList(text []byte, yield func(item []byte)) bool {
	at := skipSpace(text, 0)
	if text[at] != '[' {
		return false
	}
	for at = skipSpace(text, at+1); text[at] != ']'; {
		end := endOfValue(text, at)
		yield(text[at:end:end])
		at = nextItem(text, end)
	}
	return true
}

// DecodeString decodes a JSON string; false when the text is something else.
func DecodeString(text []byte) (string, bool) {
	if len(text) < 2 || text[0] != '"' {
		return "", false
	}
	if inside := text[1 : len(text)-1]; isPlain(inside) {
		return string(inside), true
	}
	var s string
	return s, json.Unmarshal(text, &s) == nil
}

// isPlain reports whether the inside of a JSON string is what it stands for,
// and has but one encoding.
func isPlain(inside []byte) bool {
	for _, c := range inside {
		if c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func skipSpace(text []byte, at int) int {
	for text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r' {
		at++
	}
	return at
}

// nextItem goes from the end of an item over the comma, to the next item or
// to the closing bracket.
func nextItem(text []byte, end int) int {
	at := skipSpace(text, end)
	if text[at] == ',' {
		at = skipSpace(text, at+1)
	}
	return at
}

func endOfValue(text []byte, at int) int {
	switch text[at] {
	case '"':
		return endOfString(text, at)
	case '{', '[':
		return endOfBrackets(text, at)
	}
	for at < len(text) && !bytes.ContainsRune([]byte(" \t\r\n,]}"), rune(text[at])) {
		at++
	}
	return at
}

func endOfString(text []byte, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

func endOfBrackets(text []byte, at int) int {
	for depth := 0; ; {
		switch text[at] {
		case '"':
			at = endOfString(text, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}
}
