package search

import (
	"unicode"
	"unicode/utf8"
)

// pictographs are the characters that emoji are made of, and the signs and
// ornaments they grew from. Those that stand for letters, such as a circled
// one, count as these.
var pictographs = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x231a, Hi: 0x231b, Stride: 1}, {Lo: 0x2328, Hi: 0x2328, Stride: 1}, {Lo: 0x23cf, Hi: 0x23cf, Stride: 1},
		{Lo: 0x23e9, Hi: 0x23fa, Stride: 1}, {Lo: 0x2600, Hi: 0x27bf, Stride: 1}, {Lo: 0x2b1b, Hi: 0x2b1c, Stride: 1},
		{Lo: 0x2b50, Hi: 0x2b50, Stride: 1}, {Lo: 0x2b55, Hi: 0x2b55, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1f000, Hi: firstSkinTone - 1, Stride: 1}, {Lo: lastSkinTone + 1, Hi: 0x1faff, Stride: 1}},
}

const (
	firstSkinTone, lastSkinTone             = 0x1f3fb, 0x1f3ff
	firstRegionalLetter, lastRegionalLetter = 0x1f1e6, 0x1f1ff // two of them are a flag
	firstTagCharacter, lastTagCharacter     = 0xe0020, 0xe007f // of the flags of parts of countries
)

func isPictograph(r rune) bool { return r >= 0x231a && unicode.Is(pictographs, r) }

func isRegionalLetter(r rune) bool { return r >= firstRegionalLetter && r <= lastRegionalLetter }

// isLook reports whether a character only changes the looks of the pictograph
// before it, or joins it to the next.
func isLook(r rune) bool {
	return r >= firstSkinTone && r <= lastSkinTone || r >= firstTagCharacter && r <= lastTagCharacter || kindOf(r) == mark
}

// pictographAt is the pictograph at a place of a text, whatever its looks, and
// where it ends. Of several that are joined to one picture each is a word;
// joins reports whether the next one belongs to the same.
func pictographAt(text string, start int) (w Word, end int, joins bool) {
	r, size := utf8.DecodeRuneInString(text[start:])
	end = start + size
	if isRegionalLetter(r) {
		if second, size := utf8.DecodeRuneInString(text[end:]); isRegionalLetter(second) {
			end += size
		}
	}
	w = Word{Text: text[start:end], Start: start}
	for end < len(text) {
		look, size := utf8.DecodeRuneInString(text[end:])
		if look < utf8.RuneSelf || !isLook(look) {
			break
		}
		joins = look == zeroWidthJoiner
		end += size
	}
	w.End = end
	return w, end, joins
}
