package cli_test

import (
	"fmt"
	"regexp"
	"strings"
)

// transcript compares what commands print with what a document shows of it.
// Both are equal but for what differs from run to run: ids, moments, spans of
// time, and the width of spaces. A shown line that is only … stands for any
// lines. An id that a document shows stands for the same task all the way: a
// command that names it is given the one that was printed in its place.
type transcript struct {
	pairs []idPair
}

// idPair is an id as the document shows it and as it is in this run.
type idPair struct{ shown, printed string }

// leftOut is the line that stands for any lines.
const leftOut = "…"

var (
	// masked finds what differs from run to run; ids are group 1.
	masked = regexp.MustCompile(`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?` +
		`|\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{6,})\b` +
		`|\b(?:\d+[smhdwy](?: \d+[smhd])?|now)\b`)
	spaces = regexp.MustCompile(`\s{2,}`)
)

// mask is a line without what differs from run to run, and the ids in it.
func mask(line string) (plain string, ids []string) {
	plain = masked.ReplaceAllStringFunc(line, func(found string) string {
		if id := masked.FindStringSubmatch(found)[1]; id != "" {
			ids = append(ids, id)
			return "<id>"
		}
		return "<time>"
	})
	return strings.TrimRight(spaces.ReplaceAllString(plain, "  "), " "), ids
}

// match compares an output with what is shown of it and learns the ids.
func (t *transcript) match(shown, printed []string) error {
	if len(shown) == 0 {
		if len(printed) > 0 {
			return fmt.Errorf("prints what is not shown")
		}
		return nil
	}
	if shown[0] == leftOut {
		for skipped := range len(printed) + 1 {
			known := len(t.pairs)
			if t.match(shown[1:], printed[skipped:]) == nil {
				return nil
			}
			t.pairs = t.pairs[:known]
		}
		return fmt.Errorf("nothing printed is what follows the %s", leftOut)
	}
	if len(printed) == 0 {
		return fmt.Errorf("does not print %q", shown[0])
	}
	wanted, shownIDs := mask(shown[0])
	got, printedIDs := mask(printed[0])
	if wanted != got {
		return fmt.Errorf("prints %q, not %q", printed[0], shown[0])
	}
	for i, id := range shownIDs {
		if err := t.learn(idPair{id, printedIDs[i]}); err != nil {
			return err
		}
	}
	return t.match(shown[1:], printed[1:])
}

// learn adds a pair of ids, which must not contradict those known.
func (t *transcript) learn(p idPair) error {
	for _, known := range t.pairs {
		if overlap(known.shown, p.shown) != overlap(known.printed, p.printed) {
			return fmt.Errorf("%s is another task here than before", p.shown)
		}
	}
	t.pairs = append(t.pairs, p)
	return nil
}

// overlap reports whether one of two ids begins with the other.
func overlap(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// actual is a command with the ids of this run in place of those shown.
func (t *transcript) actual(command string) string {
	return swapIDs(command, t.pairs, func(p idPair) (from, to string) { return p.shown, p.printed })
}

// documented is an output with the ids shown in place of those of this run.
func (t *transcript) documented(output []string) []string {
	var lines []string
	for _, line := range output {
		lines = append(lines, swapIDs(line, t.pairs, func(p idPair) (from, to string) { return p.printed, p.shown }))
	}
	return lines
}

// swapIDs replaces the ids of a text, whole ones and prefixes, by the other
// of their pair; the longest known id tells most.
func swapIDs(text string, pairs []idPair, sides func(idPair) (from, to string)) string {
	return masked.ReplaceAllStringFunc(text, func(found string) string {
		id := masked.FindStringSubmatch(found)[1]
		best := ""
		for _, p := range pairs {
			from, to := sides(p)
			if id == "" || !overlap(from, id) || len(to) <= len(best) {
				continue
			}
			best = to
		}
		if best == "" {
			return found
		}
		return best[:min(len(best), len(id))]
	})
}
