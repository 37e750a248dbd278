package search

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Finder looks for what a query asks for in texts.
type Finder struct {
	byLast  map[string][]Phrase // by their last word
	open    []Phrase
	longest int
}

// NewFinder makes a finder for a query.
func NewFinder(q Query) *Finder {
	f := &Finder{byLast: map[string][]Phrase{}, longest: 1}
	for _, p := range q.Phrases {
		f.longest = max(f.longest, len(p.Words))
		last := p.Words[len(p.Words)-1]
		if p.Open {
			f.open = append(f.open, p)
		} else {
			f.byLast[last] = append(f.byLast[last], p)
		}
	}
	return f
}

// Each yields the places where a text holds a phrase, in the order in which
// they end, until yield returns false. Several phrases can end at one place.
func (f *Finder) Each(text string, yield func(p Phrase, start, end int) bool) {
	recent := make([]Word, f.longest) // a ring of the last words
	n := 0
	Each(text, func(w Word) bool {
		recent[n%f.longest] = w
		n++
		for _, p := range f.byLast[w.Text] {
			if start, ok := endsHere(p, recent, n); ok && !yield(p, start, w.End) {
				return false
			}
		}
		for _, p := range f.open {
			if start, ok := endsHere(p, recent, n); ok && !yield(p, start, w.End) {
				return false
			}
		}
		return true
	})
}

// endsHere reports whether a phrase ends with the n-th word.
func endsHere(p Phrase, recent []Word, n int) (start int, ok bool) {
	if len(p.Words) > n {
		return 0, false
	}
	for i := range p.Words {
		at := len(p.Words) - 1 - i
		w := recent[(n-1-i)%len(recent)]
		if w.Text != p.Words[at] && !(i == 0 && p.Open && strings.HasPrefix(w.Text, p.Words[at])) {
			return 0, false
		}
		start = w.Start
	}
	return start, true
}

// Found are the phrases of the query that a text holds, each once, in the
// order in which they are met.
func (f *Finder) Found(text string) []Phrase {
	var list []Phrase
	seen := map[string]bool{}
	f.Each(text, func(p Phrase, _, _ int) bool {
		if key := p.key(); !seen[key] {
			seen[key] = true
			list = append(list, p)
		}
		return true
	})
	return list
}

// excerptReach is how many characters an excerpt shows on either side of the
// place it is about.
const excerptReach = 150

// Excerpt cuts out of a text what surrounds the first place where it holds
// anything of the query, or its beginning when it holds nothing. Characters
// are never divided, words only where none ends near the cut, which three
// dots mark.
func (f *Finder) Excerpt(text string) string {
	start, end := 0, 0
	f.Each(text, func(_ Phrase, from, to int) bool {
		start, end = from, to
		return false
	})
	from, to := reachBack(text, start), reachOn(text, end)
	excerpt := strings.TrimSpace(text[from:to])
	if strings.TrimSpace(text[:from]) != "" {
		excerpt = "..." + excerpt
	}
	if strings.TrimSpace(text[to:]) != "" {
		excerpt += "..."
	}
	return excerpt
}

// cutTolerance is how many bytes a cut may move to fall between two words.
const cutTolerance = 24

// reachBack is where an excerpt begins whose subject stands at a place.
func reachBack(text string, place int) int {
	at := place
	for n := 0; n < excerptReach && at > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	if at == 0 {
		return 0
	}
	if space := strings.IndexAny(text[at:min(at+cutTolerance, place)], " \t\n"); space >= 0 {
		return at + space
	}
	// A character can be made of several; the walk to its first begins at a
	// place where one is sure to begin.
	from := strings.LastIndexAny(text[:at], "\n") + 1
	from = max(from, atRune(text, at-maxCluster))
	return lastBoundary(text, from, at)
}

// reachOn is where an excerpt ends whose subject ends at a place.
func reachOn(text string, place int) int {
	at := place
	for n := 0; n < excerptReach && at < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	if at == len(text) {
		return at
	}
	near := max(place, atRune(text, at-cutTolerance))
	if space := strings.LastIndexAny(text[near:at], " \t\n"); space >= 0 {
		return near + space
	}
	return lastBoundary(text, place, at)
}

// maxCluster is how many bytes are looked through for the beginning of a
// character that is made of several.
const maxCluster = 256

// atRune moves a place back to the beginning of a code point.
func atRune(text string, at int) int {
	at = max(at, 0)
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// lastBoundary is the last place between two characters of a text, as people
// see them, from a place that is one up to another.
func lastBoundary(text string, from, to int) int {
	boundary := from
	rest, state := text[from:], -1
	for boundary < to && rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if boundary+len(cluster) > to {
			break
		}
		boundary += len(cluster)
	}
	return boundary
}
