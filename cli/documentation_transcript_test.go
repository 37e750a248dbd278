package cli_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
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
	masked = regexp.MustCompile(`\d{8}T\d{6}Z|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?` +
		`|\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{6,}|(?:edge|rcpt)_[0-9a-f]{12})\b` +
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
	return swapIDs(command, func(shown string) string {
		id, _ := t.counterpart(shown, func(p idPair) (from, to string) { return p.shown, p.printed })
		return id
	})
}

// documented is an output with the ids shown in place of those of this run.
func (t *transcript) documented(output []string) []string {
	var lines []string
	for _, line := range output {
		lines = append(lines, swapIDs(line, func(printed string) string {
			id, known := t.counterpart(printed, func(p idPair) (from, to string) { return p.printed, p.shown })
			// Only the beginning of the id was shown so far: the rest is free.
			return id + printed[min(len(printed), known):]
		}))
	}
	return lines
}

// counterpart is the other of the pair of an id, cut to its length, and how
// much of the id it stands for; the longest known tells most.
func (t *transcript) counterpart(id string, sides func(idPair) (from, to string)) (other string, known int) {
	for _, p := range t.pairs {
		if from, to := sides(p); overlap(from, id) && len(to) > known {
			other, known = to, len(to)
		}
	}
	known = min(known, len(id))
	return other[:known], known
}

// swapIDs replaces the ids of a text; what is replaced by nothing stays.
func swapIDs(text string, other func(id string) string) string {
	return masked.ReplaceAllStringFunc(text, func(found string) string {
		if id := masked.FindStringSubmatch(found)[1]; id != "" {
			if swapped := other(id); swapped != "" {
				return swapped
			}
		}
		return found
	})
}

// TestTranscript holds the comparison of outputs against outputs that agree
// and that do not.
func TestTranscript(t *testing.T) {
	for _, c := range []struct {
		name, shown, printed string
		differ               bool
	}{
		{name: "equal", shown: "one\ntwo", printed: "one\ntwo"},
		{name: "other ids", shown: "○ 1a2b3c A\n○ 4d5e6f B", printed: "○ aaaaaa A\n○ bbbbbb B"},
		{name: "an id that is two", shown: "1a2b3c A\n1a2b3c B", printed: "aaaaaa A\nbbbbbb B", differ: true},
		{name: "two ids that are one", shown: "1a2b3c A\n4d5e6f B", printed: "aaaaaa A\naaaaaa B", differ: true},
		{name: "a prefix", shown: "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21\n83257c", printed: "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11\n9c1f02"},
		{name: "no prefix", shown: "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21\n83257c", printed: "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11\nd41e8b", differ: true},
		{name: "other times", shown: "2026-03-01T08:00:00+00:00 1h left", printed: "2027-11-30T13:08:26.008892+00:00 59m left"},
		{name: "other spaces", shown: "A   B", printed: "A  B"},
		{name: "a word less", shown: "A B C", printed: "A C", differ: true},
		{name: "a line less", shown: "A\nB", printed: "A", differ: true},
		{name: "a line more", shown: "A", printed: "A\nB", differ: true},
		{name: "left out", shown: "A\n…\nD", printed: "A\nB\nC\nD"},
		{name: "left out, nothing", shown: "A\n…\nB", printed: "A\nB"},
		{name: "left out, other end", shown: "A\n…\nD", printed: "A\nB\nC", differ: true},
		{name: "other status", shown: "6", printed: "4", differ: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := new(transcript).match(strings.Split(c.shown, "\n"), strings.Split(c.printed, "\n"))
			if (err != nil) != c.differ {
				t.Errorf("got %v", err)
			}
		})
	}
	ids := &transcript{}
	if err := ids.match([]string{"Created 83257ced-41a0-4f0e-9a55-0d5f0c1b7e21"}, []string{"Created 9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11"}); err != nil {
		t.Fatal(err)
	}
	if got := ids.actual("claim 83257c 000000"); got != "claim 9c1f02 000000" {
		t.Errorf("the command became %q", got)
	}
	if got := strings.Join(ids.documented([]string{"Claimed 9c1f02ab"}), "\n"); got != "Claimed 83257ced" {
		t.Errorf("the output became %q", got)
	}
	if err := ids.match([]string{"Created 5e1a00"}, []string{"Created d41e8b"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ids.documented([]string{"d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d"}), "\n"); got != "5e1a0070-3c52-4b7a-a0f9-6a1e2f3b4c5d" {
		t.Errorf("the whole id became %q", got)
	}
	if got := ids.actual("claim 5e1a0012"); got != "claim d41e8b" {
		t.Errorf("the command became %q", got)
	}
}
