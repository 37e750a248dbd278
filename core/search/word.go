// Package search says what search takes for a word.
//
// Text is compared without regard to case, accents and compatibility forms.
// A word is a run of letters, marks and digits, except that text in a script
// that is written without spaces between words is found by any part of it: of
// a run c1…cn of such characters the words are the pairs c1c2, c2c3 … and cn
// alone. A part of the run of two or more characters is then a sequence of
// pairs that stand side by side, a single character is the beginning of a
// word, and both are exact: the pairs share their characters, so a sequence
// of them cannot arise any other way.
//
// The same function takes apart what is indexed, what is asked for and what an
// excerpt is cut from, so none of the three can differ from the others.
package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWordCharacters is the length at which a word is divided. Longer ones are
// no words of a language, and would only swell the index.
const maxWordCharacters = 64

// Word is one word of a text.
type Word struct {
	Text       string // in the form in which words are compared
	Start, End int    // where it stands in the text, in bytes
	// Joined marks a word that goes on with the stretch of text that the word
	// before it belongs to, Closing the last word of a run of text without
	// spaces, which is a single character.
	Joined, Closing bool
}

// Each yields the words of a text in their order until yield returns false.
func Each(text string, yield func(Word) bool) {
	joined := false // to the pictograph before
	for at := 0; at < len(text); {
		start := at
		kind, size := kindAt(text[at:])
		if kind == pictograph {
			w, end, joins := pictographAt(text, at)
			w.Joined, joined, at = joined, joins, end
			if !yield(w) {
				return
			}
			continue
		}
		joined = false
		at += size
		if kind == separator {
			continue
		}
		for at < len(text) {
			next, size := kindAt(text[at:])
			if next != kind && next != mark {
				break
			}
			at += size
		}
		run := span{text: text[start:at], start: start}
		var more bool
		if kind == unspaced {
			more = run.eachPair(yield)
		} else {
			more = run.eachWord(yield)
		}
		if !more {
			return
		}
	}
}

// Index returns the words of a text separated by spaces: what the full-text
// index is given.
func Index(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	Each(text, func(w Word) bool {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
		return true
	})
	return b.String()
}

// span is a stretch of text that consists of characters of one kind.
type span struct {
	text  string
	start int
}

// eachWord yields a stretch of text of a script with spaces: one word, or
// several where it is too long for one.
func (s span) eachWord(yield func(Word) bool) bool {
	folded := Fold(s.text)
	if folded == "" {
		return true // marks that are ignored, without a letter
	}
	if len(folded) <= maxWordCharacters {
		return yield(Word{Text: folded, Start: s.start, End: s.start + len(s.text)})
	}
	characters := []rune(folded)
	places := s.places(len(characters))
	for from := 0; from < len(characters); from += maxWordCharacters {
		to := min(from+maxWordCharacters, len(characters))
		if !yield(Word{Text: string(characters[from:to]), Start: places.at(from), End: places.at(to), Joined: from > 0}) {
			return false
		}
	}
	return true
}

// eachPair yields a stretch of text of a script without spaces.
func (s span) eachPair(yield func(Word) bool) bool {
	characters := []rune(Fold(s.text))
	places := s.places(len(characters))
	for i := range characters {
		end := min(i+2, len(characters))
		w := Word{
			Text: string(characters[i:end]), Start: places.at(i), End: places.at(end),
			Joined: i > 0, Closing: end-i == 1,
		}
		if !yield(w) {
			return false
		}
	}
	return true
}

// places tells where the characters of the folded form of a span stand in the
// text. Folding can merge or part characters; then the place is an estimate,
// right at both ends.
type places struct {
	offsets []int // of each character of the text, and of its end
	folded  int   // characters of the folded form
}

func (s span) places(folded int) places {
	p := places{folded: folded}
	for i := range s.text {
		p.offsets = append(p.offsets, s.start+i)
	}
	p.offsets = append(p.offsets, s.start+len(s.text))
	return p
}

func (p places) at(character int) int {
	return p.offsets[character*(len(p.offsets)-1)/p.folded]
}

// kind is what a character is to the division into words.
type kind int

const (
	separator  kind = iota
	spaced          // part of a word in a script with spaces
	unspaced        // part of text without spaces
	mark            // belongs to what it follows
	pictograph      // a word of its own
)

// kindAt is the kind of the first character of a text, with its size in bytes.
func kindAt(text string) (kind, int) {
	c := text[0]
	if c < utf8.RuneSelf {
		if asciiWord[c] {
			return spaced, 1
		}
		return separator, 1
	}
	r, size := utf8.DecodeRuneInString(text)
	return kindOf(r), size
}

var asciiWord = func() (is [utf8.RuneSelf]bool) {
	for c := range is {
		is[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return is
}()

func kindOf(r rune) kind {
	letter := unicode.IsLetter(r) || unicode.IsNumber(r)
	switch {
	case (letter || unicode.IsMark(r)) && isUnspaced(r):
		return unspaced
	case letter:
		return spaced
	case unicode.IsMark(r):
		return mark
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner || r == softHyphen:
		return mark // inside of words, and left out of them
	}
	// Signs such as ㎏ stand for letters.
	if d := norm.NFKD.PropertiesString(string(r)).Decomposition(); len(d) > 0 {
		if first, _ := utf8.DecodeRune(d); first != r && isWordCharacter(first) {
			return kindOf(first)
		}
	}
	if isPictograph(r) {
		return pictograph
	}
	return separator
}

func isWordCharacter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// firstUnspaced is the lowest character of any script without spaces.
const firstUnspaced = 0x0e00

func isUnspaced(r rune) bool {
	return r >= firstUnspaced && (unicode.In(r, withoutSpaces...) || unicode.Is(sharedKana, r))
}

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	softHyphen         = '\u00ad'
)

// withoutSpaces are the scripts in which words are not separated by spaces.
// Korean has spaces, but joins particles to words, which then are found by
// their beginning only if its text counts as one without.
var withoutSpaces = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
	unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet,
	unicode.Javanese, unicode.Balinese, unicode.Yi, unicode.Nushu, unicode.Tangut, unicode.Khitan_Small_Script,
}

// sharedKana are signs that Hiragana and Katakana share and that Unicode
// gives to no script: the marks of sound, length and repetition.
var sharedKana = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x3031, Hi: 0x3035, Stride: 1}, {Lo: 0x3099, Hi: 0x309a, Stride: 1}, {Lo: 0x30fc, Hi: 0x30fc, Stride: 1},
	{Lo: 0xff70, Hi: 0xff70, Stride: 1}, {Lo: 0xff9e, Hi: 0xff9f, Stride: 1},
}}

// Fold returns the form in which words are compared: compatibility forms
// resolved, accents and signs dropped, case ignored.
func Fold(s string) string {
	if isASCIIWord(s) {
		return strings.ToLower(s)
	}
	apart := norm.NFKD.String(s)
	var b strings.Builder
	b.Grow(len(apart))
	for _, r := range apart {
		if isWordCharacter(r) && !isAccent(r) {
			b.WriteRune(foldRune(r))
		}
	}
	// What is left of characters that were taken apart, such as Japanese sound
	// marks and Korean syllables, is put together again.
	return strings.ReplaceAll(norm.NFKC.String(b.String()), "ß", "ss")
}

func isASCIIWord(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || !asciiWord[s[i]] {
			return false
		}
	}
	return true
}

// foldRune ignores case. Going through upper case joins letters with several
// lower forms.
func foldRune(r rune) rune {
	r = unicode.ToLower(unicode.ToUpper(r))
	if plain, ok := stroked[r]; ok {
		return plain
	}
	return r
}

// stroked are letters whose stroke Unicode takes for a part of the letter
// although it is left out where the keyboard lacks it, as accents are.
var stroked = map[rune]rune{'ø': 'o', 'ł': 'l', 'đ': 'd', 'ħ': 'h', 'ŧ': 't', 'ı': 'i'}

// isAccent reports whether a mark is one that readers of its script leave out:
// accents of Latin, Greek and Cyrillic, vowel points of Hebrew and Arabic, and
// selectors of a variant. The marks of other scripts are letters in all but
// name.
func isAccent(r rune) bool {
	switch {
	case r == arabicTatweel:
		return true
	case r < 0x300 || !unicode.Is(unicode.M, r):
		return false
	}
	return unicode.In(r, pointed...) || unicode.Is(combiningAccents, r)
}

const arabicTatweel = '\u0640' // stretches a word

var pointed = []*unicode.RangeTable{unicode.Hebrew, unicode.Arabic, unicode.Syriac}

var combiningAccents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036f, Stride: 1}, {Lo: 0x0483, Hi: 0x0487, Stride: 1}, {Lo: 0x064b, Hi: 0x065f, Stride: 1},
	{Lo: 0x0670, Hi: 0x0670, Stride: 1}, {Lo: 0x1ab0, Hi: 0x1aff, Stride: 1}, {Lo: 0x1dc0, Hi: 0x1dff, Stride: 1},
	{Lo: 0x20d0, Hi: 0x20ff, Stride: 1}, {Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, {Lo: 0xfe20, Hi: 0xfe2f, Stride: 1},
}, R32: []unicode.Range32{{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}}}
