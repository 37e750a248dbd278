package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// link finds the links of a document that lead to another or within it.
var link = regexp.MustCompile(`\]\(([^():# ]*)(?:#([^() ]*))?\)`)

// TestDocumentation_links holds that the links of README and docs lead to
// files and headings that are there.
func TestDocumentation_links(t *testing.T) {
	for _, path := range documentPaths(t) {
		for _, found := range link.FindAllStringSubmatch(readText(t, path), -1) {
			target := path
			if found[1] != "" {
				target = filepath.Join(filepath.Dir(path), found[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", path, found[1], err)
				continue
			}
			if found[2] != "" && !headings(readText(t, target))[found[2]] {
				t.Errorf("%s links to %s#%s, which is no heading there", path, found[1], found[2])
			}
		}
	}
}

// headings are the anchors of a document's headings.
func headings(text string) map[string]bool {
	anchors := map[string]bool{}
	for line := range strings.Lines(text) {
		title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || !strings.HasPrefix(line, "#") {
			continue
		}
		anchors[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))] = true
	}
	return anchors
}
