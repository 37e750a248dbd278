package core

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkText refuses what cannot be read as text: invalid UTF-8 and NUL.
func checkText(field, s string) error {
	if !utf8.ValidString(s) {
		return Malformed(field, "The text is not valid UTF-8.")
	}
	if strings.IndexByte(s, 0) >= 0 {
		return Malformed(field, "The text holds a NUL character.")
	}
	return nil
}

// checkJSONText refuses JSON source whose strings could not be read as text:
// invalid UTF-8, NUL raw or escaped, and escapes of unpaired surrogates.
func checkJSONText(field string, src []byte) error {
	if !utf8.Valid(src) {
		return Malformed(field, "The input is not valid UTF-8.")
	}
	if bytes.IndexByte(src, 0) >= 0 {
		return Malformed(field, "The input holds a NUL character.")
	}
	for i := 0; ; {
		at := bytes.IndexByte(src[i:], '\\')
		if at < 0 || i+at+1 >= len(src) {
			return nil
		}
		i += at
		if src[i+1] != 'u' {
			i += 2
			continue
		}
		r, ok := hexRune(src[i:])
		i += 6
		switch {
		case !ok:
			return nil // broken JSON: the parser says so
		case r == 0:
			return Malformed(field, "The input holds a NUL character.")
		case r >= 0xd800 && r < 0xdc00:
			low, ok := hexRune(src[min(i, len(src)):])
			if !ok || low < 0xdc00 || low > 0xdfff {
				return Malformed(field, "The input holds half of a surrogate pair.")
			}
			i += 6
		case r >= 0xdc00 && r <= 0xdfff:
			return Malformed(field, "The input holds half of a surrogate pair.")
		}
	}
}

// hexRune reads \uXXXX at the start of src.
func hexRune(src []byte) (r rune, ok bool) {
	if len(src) < 6 || src[0] != '\\' || src[1] != 'u' {
		return 0, false
	}
	for _, c := range src[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// isBlank reports whether s has no character outside Unicode white space.
func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// foldCase maps a text to a form in which texts that differ only in case
// are equal. Going through upper case joins letters with several lower forms.
func foldCase(s string) string { return strings.ToLower(strings.ToUpper(s)) }
