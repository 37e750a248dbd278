package cli_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"dev.lithos/core/display"
)

// hostile are titles that would break a terminal or a table if they reached
// it as they are.
var hostile = []string{
	"\x1b[2Jclears the screen", "a link \x1b]8;;http://x\x07here\x1b]8;;\x07", "copies \x1b]52;c;eA==\x07",
	"carriage\rreturn", "two\nlines\r\nand\u2028more", "over\u202eridden", strings.Repeat("long ", 100),
	"日本語の長いタイトルはセルの幅で切られる必要があります、そうでしょう", "👩‍👩‍👧‍👦 family 👩‍👩‍👧‍👦 of 👩‍👩‍👧‍👦 families", "مرحبا بالعالم", "สวัสดีชาวโลก", "e\u0301te\u0301 decomposed",
}

// TestPeople holds what people see of each command to golden files, at three
// widths.
func TestPeople(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare [][]string
		args    []string
	}{
		{"ready", nil, []string{"task", "ready"}},
		{"ready_claimed", [][]string{{"task", "claim", "83257c"}, {"task", "create", "Another", "--tag", "a tag"}}, []string{"task", "ready"}},
		{"ready_nothing", [][]string{{"task", "cancel", "83257c"}}, []string{"task", "ready"}},
		{"blocked", nil, []string{"task", "blocked"}},
		{"list", [][]string{{"task", "claim", "83257c"}, {"task", "complete", "d41e8b"}, {"task", "create", "Low", "--priority", "P4"}}, []string{"task", "list"}},
		{"list_none", nil, []string{"task", "list", "--text", "nowhere"}},
		{"get", [][]string{{"finding", "post", "9c1f02", "CSV needs a BOM check\nand more"}, {"task", "claim", "9c1f02", "--aspect", "review"}}, []string{"task", "get", "9c1f02"}},
		{"get_epic", [][]string{{"task", "complete", "83257c", "--outcome", "merged"}}, []string{"task", "get", "0b7a9e", "83257c"}},
		{"why", nil, []string{"task", "why", "9c1f02"}},
		{"why_ready", nil, []string{"task", "why", "83257c"}},
		{"why_stranded", [][]string{{"task", "cancel", "83257c"}, {"task", "complete", "d41e8b"}}, []string{"task", "why", "9c1f02"}},
		{"children", [][]string{{"task", "edge", "upsert", "83257c", "9c1f02", "--type", "parent_child"}}, []string{"task", "children", "0b7a9e", "--recursive"}},
		{"edges", nil, []string{"task", "edge", "list", "9c1f02"}},
		{"complete", [][]string{{"task", "complete", "d41e8b"}}, []string{"task", "complete", "83257c"}},
		{"complete_dry", [][]string{{"task", "complete", "d41e8b"}}, []string{"task", "complete", "83257c", "--dry-run"}},
		{"cancel", nil, []string{"task", "cancel", "83257c"}},
		{"claim", nil, []string{"task", "claim", "83257c", "--ttl", "95"}},
		{"next", nil, []string{"task", "next"}},
		{"next_nothing", nil, []string{"task", "next", "--project", "none"}},
		{"edge_upsert", nil, []string{"task", "edge", "upsert", "83257c", "d41e8b", "--type", "blocks"}},
		{"events", [][]string{{"task", "complete", "83257c", "--outcome", "merged"}}, []string{"events"}},
		{"agents", nil, []string{"agent", "list"}},
		{"agent", nil, []string{"agent", "info", "ada"}},
		{"stats", nil, []string{"stats"}},
		{"explain_code", nil, []string{"explain", "claim_failed"}},
		{"claim_failed", [][]string{{"task", "claim", "83257c", "--agent", "ada"}}, []string{"task", "claim", "83257c"}},
		{"cycle", nil, []string{"task", "edge", "upsert", "9c1f02", "83257c", "--type", "blocks"}},
	} {
		for _, width := range []int{60, 80, 140} {
			t.Run(fmt.Sprintf("%s_%d", c.name, width), func(t *testing.T) {
				w := seeded(t)
				for _, args := range c.prepare {
					if _, stderr, status := w.run(t, args...); status != 0 {
						t.Fatalf("%q: status %d, %s", args, status, stderr)
					}
				}
				stdout, stderr, status := w.onTerminal(width).run(t, c.args...)
				checkLines(t, stdout, width)
				text := fmt.Sprintf("$ lithos %s\n%s", strings.Join(c.args, " "), stdout)
				if stderr != "" {
					text += "--- stderr\n" + stderr
				}
				if status != 0 {
					text += fmt.Sprintf("--- status %d\n", status)
				}
				golden(t, filepath.Join("people", fmt.Sprintf("%s_%d", c.name, width)), redacted(text))
			})
		}
	}
}

// checkLines holds that nothing is wider than the terminal and nothing reaches
// it raw.
func checkLines(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if display.Visible(line) != line {
			t.Errorf("raw: %q", line)
		}
		if n := display.Width(line); n > width {
			t.Errorf("%d cells wide on a terminal of %d: %s", n, width, line)
		}
	}
}

// TestHostileText holds that whatever a title holds stays on its row, in its
// column, as marks.
func TestHostileText(t *testing.T) {
	w := newWorld(t)
	if _, stderr, status := w.run(t, "init"); status != 0 {
		t.Fatal(stderr)
	}
	for i, title := range hostile {
		at := time.Date(2026, 3, 1, 8, i, 0, 0, time.UTC)
		w.env.Now = func() time.Time { return at }
		tag := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) { // tags hold none
				return '.'
			}
			return r
		}, string([]rune(title)[:4]))
		if _, stderr, status := w.run(t, "task", "create", title, "--tag", tag); status != 0 {
			t.Fatalf("%q: %s", title, stderr)
		}
	}
	w.env.Now = func() time.Time { return time.Date(2026, 3, 2, 9, 15, 0, 0, time.UTC) }
	piped, _, _ := w.run(t, "task", "list")
	if n := strings.Count(piped, "\n"); n != len(hostile) {
		t.Errorf("%d tasks make %d lines when piped", len(hostile), n)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(piped, "\n"), "\n") {
		if fields := strings.Split(line, "\t"); len(fields) != 8 || display.Visible(strings.Join(fields, "")) != strings.Join(fields, "") {
			t.Errorf("%d fields, or raw: %q", len(fields), line)
		}
	}
	w.onTerminal(80)
	for _, args := range [][]string{{"task", "list"}, {"task", "ready"}, {"events"}} {
		stdout, _, status := w.run(t, args...)
		if status != 0 || strings.Count(stdout, "\n") < len(hostile) {
			t.Errorf("%q: status %d\n%s", args, status, stdout)
		}
		checkLines(t, stdout, 80)
	}
	stdout, _, _ := w.run(t, "task", "ready")
	golden(t, filepath.Join("people", "hostile_80"), redacted(stdout))
	// Columns that follow a title stand under one another.
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	for _, line := range lines[1:] {
		if display.Width(line) != display.Width(lines[0]) {
			t.Errorf("%d cells, the head has %d: %s", display.Width(line), display.Width(lines[0]), line)
		}
	}
}

// shortID matches the form in which lists show ids.
var shortID = regexp.MustCompile(`\b[0-9a-f]{6,8}\b`)

// redacted replaces the random ids in a text.
func redacted(text string) string {
	return shortID.ReplaceAllStringFunc(text, func(id string) string {
		if strings.HasPrefix(schemaID+" "+importerID+" "+gateID+" "+epicID, id) || strings.Contains(" "+importerID+" "+gateID+" "+epicID, " "+id) {
			return id
		}
		return strings.Repeat("#", len(id))
	})
}

// TestASCII holds that marks and lines are ASCII where the locale or the
// configuration asks for it.
func TestASCII(t *testing.T) {
	for variables, want := range map[string]bool{
		"": false, "LANG=C": true, "LC_ALL=POSIX": true, "LANG=en_US.UTF-8": false, "LANG=C.utf8": false,
		"LC_ALL=C.UTF-8 LANG=C": false, "LANG=de_DE.ISO-8859-1": true, "LC_ALL=C LITHOS_ASCII=0": false, "LITHOS_ASCII=1": true,
	} {
		w := seeded(t).onTerminal(80)
		for pair := range strings.FieldsSeq(variables) {
			name, value, _ := strings.Cut(pair, "=")
			w.variables[name] = value
		}
		for _, args := range [][]string{{"task", "list"}, {"task", "children", "0b7a9e"}, {"task", "get", "9c1f02"}} {
			stdout, _, status := w.run(t, args...)
			if got := !strings.ContainsFunc(stdout, func(r rune) bool { return r > 0x7e }); got != want || status != 0 {
				t.Errorf("%q %q: ASCII %v, want %v, status %d\n%s", variables, args, got, want, status, stdout)
			}
		}
	}
}

// TestColour holds when results carry colour: on a terminal unless something
// speaks against it, elsewhere only when asked for, never in JSON.
func TestColour(t *testing.T) {
	for _, c := range []struct {
		name      string
		terminal  bool
		variables map[string]string
		args      []string
		want      bool
	}{
		{"terminal", true, nil, nil, true},
		{"piped", false, nil, nil, false},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, nil, false},
		{"NO_COLOR empty", true, map[string]string{"NO_COLOR": ""}, nil, true},
		{"TERM=dumb", true, map[string]string{"TERM": "dumb"}, nil, false},
		{"flag over NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, []string{"--color", "always"}, true},
		{"flag never", true, nil, []string{"--color=never"}, false},
		{"forced in a pipe", false, map[string]string{"CLICOLOR_FORCE": "1"}, nil, false}, // piped lists carry no looks
		{"JSON", true, nil, []string{"--json", "--color=always"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := seeded(t)
			if c.terminal {
				w.onTerminal(80)
			}
			delete(w.variables, "NO_COLOR")
			for name, value := range c.variables {
				w.variables[name] = value
			}
			stdout, _, status := w.run(t, append([]string{"task", "ready"}, c.args...)...)
			if got := strings.Contains(stdout, "\x1b["); got != c.want || status != 0 {
				t.Errorf("colour: %v, want %v, status %d\n%q", got, c.want, status, stdout)
			}
		})
	}
}
