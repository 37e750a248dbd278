package search

import (
	"strings"
	"unicode/utf8"
)

// openLetters is how many letters a word has that is looked for before it is
// typed to its end. Fewer begin too many words.
const openLetters = 3

// ParseTyped reads a query that is still being typed: the last word need only
// begin so.
func ParseTyped(text string) Query {
	q := Parse(text)
	if len(q.Phrases) == 0 || strings.Count(text, `"`)%2 == 1 {
		return q
	}
	last := &q.Phrases[len(q.Phrases)-1]
	if strings.HasSuffix(text, last.Text) && len(last.Words) == 1 && utf8.RuneCountInString(last.Words[0]) >= openLetters {
		last.Open = true
	}
	return q
}
