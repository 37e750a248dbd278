package drawing

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dev.lithos/core/display"
)

// hostile draws text full of what means something somewhere.
var hostile = rapid.StringOfN(rapid.OneOf(
	rapid.RuneFrom([]rune("\\`*_[]<>&|~#$+-=.){}!\"':;%/ 019aN\x1b\n\t\u202e")), rapid.Rune(),
), 0, 30, -1)

// A label of Mermaid holds nothing but what is known to mean nothing.
func TestMermaidEscape(t *testing.T) {
	safe := regexp.MustCompile(`^(?:[A-Za-z0-9 ,/'?!.\-]|[^\x00-\x7f]|#\d+;)*$`)
	entity := regexp.MustCompile(`#(\d+);`)
	rapid.Check(t, func(t *rapid.T) {
		text := display.Visible(rapid.OneOf(hostile, rapid.SampledFrom([]string{"direction LR", "1. x", "- x", "fa:fa-car", "%%{init}%%"})).Draw(t, "text"))
		label := mermaidEscape(text)
		if !safe.MatchString(label) || strings.Contains(label, "direction") || regexp.MustCompile(`^\d*[.\-]`).MatchString(label) {
			t.Fatalf("%q is written as %q", text, label)
		}
		read := entity.ReplaceAllStringFunc(label, func(s string) string {
			var r rune
			for _, c := range s[1 : len(s)-1] {
				r = r*10 + c - '0'
			}
			return string(r)
		})
		if read != text {
			t.Errorf("%q reads as %q", text, read)
		}
	})
}
