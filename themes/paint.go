package themes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Paint is how a token looks.
type Paint struct {
	// Color is #rrggbb, or the number of a colour of the terminal's palette
	// from 0 to 255, or empty for the terminal's own.
	Color string
	// Attributes apply on top.
	Bold, Faint, Italic, Underline, Reverse bool
}

// colorNames are the words for the first sixteen colours of the palette.
var colorNames = []string{
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"bright-black", "bright-red", "bright-green", "bright-yellow",
	"bright-blue", "bright-magenta", "bright-cyan", "bright-white",
}

// ParsePaint reads the value of a token: at most one colour and any of the
// words bold, faint, italic, underline and reverse, separated by spaces. The
// empty text is the terminal's own colour.
func ParsePaint(text string) (Paint, error) {
	var p Paint
	for _, word := range strings.Fields(text) {
		switch word {
		case "bold":
			p.Bold = true
		case "faint":
			p.Faint = true
		case "italic":
			p.Italic = true
		case "underline":
			p.Underline = true
		case "reverse":
			p.Reverse = true
		default:
			color, ok := parseColor(word)
			if !ok {
				return Paint{}, fmt.Errorf("'%s' is no colour (#rrggbb, 0 to 255, %s … bright-white) and none of bold, faint, italic, underline, reverse",
					word, colorNames[0])
			}
			if p.Color != "" {
				return Paint{}, fmt.Errorf("'%s' names two colours", text)
			}
			p.Color = color
		}
	}
	return p, nil
}

func parseColor(word string) (string, bool) {
	if i := slices.Index(colorNames, word); i >= 0 {
		return strconv.Itoa(i), true
	}
	if n, err := strconv.ParseUint(word, 10, 8); err == nil {
		return strconv.FormatUint(n, 10), true
	}
	if hex, ok := strings.CutPrefix(word, "#"); ok && len(hex) == 6 {
		_, err := strconv.ParseUint(hex, 16, 32)
		return strings.ToLower(word), err == nil
	}
	return "", false
}
