package search

import "strings"

// The longest query that is looked at in full: of what follows nothing is
// searched for. Nobody types that much; a text pasted by mistake is still
// answered, and in bounded time.
const (
	maxPhrases     = 1000
	maxPhraseWords = 200
)

// Query is what a text asks for: any of its phrases.
type Query struct {
	Phrases []Phrase
}

// Phrase is a sequence of words that stand side by side. Most have one.
type Phrase struct {
	Text  string // as it was asked for, for people
	Words []string
	// Open marks a phrase whose last word need only begin so.
	Open bool
}

// Parse reads a query: words, and phrases in straight double quotes. Any text
// is a query; one without a searchable word asks for nothing. A quote without
// a second one is left out.
func Parse(text string) Query {
	var q Query
	seen := map[string]bool{}
	add := func(p Phrase) {
		key := p.key()
		if len(p.Words) > 0 && !seen[key] && len(q.Phrases) < maxPhrases {
			seen[key] = true
			q.Phrases = append(q.Phrases, p)
		}
	}
	for text != "" && len(q.Phrases) < maxPhrases {
		plain, rest, quoted := strings.Cut(text, `"`)
		inside, after, closed := strings.Cut(rest, `"`)
		if !quoted || !closed {
			// An odd quote is as good as a space.
			eachPhrase(plain, add)
			eachPhrase(inside, add)
			break
		}
		eachPhrase(plain, add)
		add(phraseOf(inside))
		text = after
	}
	return q
}

// IsEmpty reports whether the query asks for nothing.
func (q Query) IsEmpty() bool { return len(q.Phrases) == 0 }

// key tells phrases apart.
func (p Phrase) key() string {
	key := strings.Join(p.Words, " ")
	if p.Open {
		key += "*"
	}
	return key
}

// eachPhrase yields what unquoted text asks for: each word, and each stretch
// of text without spaces as a whole.
func eachPhrase(text string, yield func(Phrase)) {
	var stretch []Word
	Each(text, func(w Word) bool {
		if !w.Joined && len(stretch) > 0 {
			yield(phraseFrom(text, stretch))
			stretch = stretch[:0]
		}
		stretch = append(stretch, w)
		return true
	})
	if len(stretch) > 0 {
		yield(phraseFrom(text, stretch))
	}
}

// phraseOf reads the text between quotes.
func phraseOf(text string) Phrase {
	var list []Word
	Each(text, func(w Word) bool {
		list = append(list, w)
		return len(list) < maxPhraseWords
	})
	if len(list) == 0 {
		return Phrase{}
	}
	return phraseFrom(text, list)
}

// phraseFrom makes the phrase of words that stand side by side in a text. At
// its end, text without spaces may go on in the note: the closing character
// is then the second of a pair that is asked for already, or, all alone, the
// beginning of one.
func phraseFrom(text string, list []Word) Phrase {
	last := list[len(list)-1]
	p := Phrase{Text: text[list[0].Start:last.End]}
	if last.Closing && last.Joined {
		list = list[:len(list)-1]
	} else {
		p.Open = last.Closing
	}
	list = list[:min(len(list), maxPhraseWords)]
	for _, w := range list {
		p.Words = append(p.Words, w.Text)
	}
	return p
}
