package core

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// noteSuffix is how the names of note files end.
	noteSuffix = ".md"
	// maxSlugBytes is the length from which on a slug is cut, to at most
	// cutSlugBytes and the first digits of its hash.
	maxSlugBytes = 180
	cutSlugBytes = 171
	slugHashSize = 8
)

// slugOf is the name that a title gives a file, without its suffix.
func slugOf(title string) string {
	var b strings.Builder
	dash := false
	for _, r := range lowerCase(norm.NFC.String(title)) {
		switch {
		case r == '-' || r == '_' || unicode.IsSpace(r):
			dash = true
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.Nd, r):
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		}
	}
	slug := b.String()
	if slug == "" {
		return "untitled"
	}
	if len(slug) <= maxSlugBytes {
		return slug
	}
	hash := sha256.Sum256([]byte(slug))
	return cutBytes(slug, cutSlugBytes) + "-" + hex.EncodeToString(hash[:])[:slugHashSize]
}

// lowerCase is a text in lower case, with the two letters whose lower case is
// not simply another letter: a sigma at the end of a word has a form of its
// own, and the dotted capital i keeps its dot.
func lowerCase(s string) string {
	s = strings.ReplaceAll(s, "\u0130", "i\u0307")
	if !strings.ContainsRune(s, 'Σ') {
		return strings.ToLower(s)
	}
	runes := []rune(s)
	for i, r := range runes {
		ends := i+1 == len(runes) || !unicode.IsLetter(runes[i+1])
		if r == 'Σ' && ends && i > 0 && unicode.IsLetter(runes[i-1]) {
			runes[i] = 'ς'
		}
	}
	return strings.ToLower(string(runes))
}

// cutBytes cuts a text to at most so many bytes, between two characters.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
