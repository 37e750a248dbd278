package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dev.lithos/core"
)

func splitLines(text string) []string { return strings.Split(text, "\n") }

func TestKeymap_rebinding(t *testing.T) {
	d := drive(t, acme, 80, 24, func(o *Options) {
		o.Keys = map[string][]string{"claim": {"K", "ctrl+k"}, "go.log": {"g g g", "f5"}, "list.top": {"home"}, "renew": {}}
	})
	d.shows("K claim")
	d.press("c")
	d.hides("Aspect")
	d.press("K")
	d.shows("Aspect")
	d.press("esc", "g")
	d.shows("gg  Message log", "b  Board")
	d.press("g", "g")
	d.shows("Messages")
	d.press("esc", "r")
	d.hides("Cannot renew")
}

func TestKeymap_mistakesAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		keys map[string][]string
		want []string
	}{
		"unknown action": {map[string][]string{"clame": {"c"}}, []string{"There is no action 'clame'", "did you mean 'claim'"}},
		"no key":         {map[string][]string{"claim": {"ctrl+"}}, []string{"'ctrl+' is no key"}},
		"empty key":      {map[string][]string{"claim": {""}}, []string{"a key is missing"}},
		"two on one key": {map[string][]string{"claim": {"x"}}, []string{"The key 'x' stands for", "claim", "complete"}},
		"a beginning":    {map[string][]string{"reload": {"g"}}, []string{"The key", "reload", "mark.again"}},
	} {
		_, err := newKeymap(c.keys)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if core.AsError(err).Code != core.CodeInvalidInput {
			t.Errorf("%s: %v", name, core.AsError(err).Code)
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err.Error(), want)
			}
		}
	}
}

// TestActions_areWhole holds the table to what everything made of it needs.
func TestActions_areWhole(t *testing.T) {
	m, err := newKeymap(nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, a := range actions() {
		if seen[a.id] || a.id == "" || a.title == "" || a.run == nil || len(a.scopes) == 0 {
			t.Errorf("the action %q is not whole", a.id)
		}
		seen[a.id] = true
		if a.op != "" {
			if _, ok := core.OperationNamed(a.op); !ok {
				t.Errorf("%s stands for %q, which is no operation", a.id, a.op)
			}
		}
		if a.joins != "" {
			if leader := actionNamed(a.joins); leader == nil || leader.both == "" || leader.group != a.group {
				t.Errorf("%s joins %q, which has no row for both", a.id, a.joins)
			}
		}
		reachable := false
		for _, p := range places {
			reachable = reachable || a.isActive(p.scopes)
		}
		if !reachable {
			t.Errorf("%s is active nowhere", a.id)
		}
	}
	for _, id := range append(columnActions[:], sectionActions[:]...) {
		if !seen[id] {
			t.Errorf("%s is not in the table", id)
		}
	}
	for id, keys := range map[string]string{
		"claim": "c", "claim.default": "C", "release": "u", "renew": "r", "complete": "x", "cancel": "X", "reopen": "o", "create": "n", "spawn": "s",
		"edit": "e", "edit.text": "E", "edge.add": "a", "edge.remove": "A", "move": "m", "mark": "space", "filter": "/", "filter.saved": "F",
		"palette": ": ctrl+p", "copy.id": "y", "copy.command": "Y", "reload": "ctrl+r", "help": "?", "quit": "ctrl+c", "suspend": "ctrl+z",
		"undo": "U", "finding.post": "f", "sort": "S", "open.why": "w", "go.board": "g b", "go.log": "g l", "go.claims": "g c", "detail.toggle": "i",
		"edit.marked": "p", "mark.again": "g m", "copy.command.task": "g y",
		"open": "enter", "back": "esc", "leave": "q", "list.top": "g g home", "list.bottom": "G end",
	} {
		var names []string
		for _, sequence := range m.keys[id] {
			names = append(names, keyName(sequence))
		}
		if got := strings.Join(names, " "); got != keys {
			t.Errorf("%s has the keys %q, want %q", id, got, keys)
		}
	}
}

// TestKeysDocument holds docs/keys.md and the table equal.
func TestKeysDocument(t *testing.T) {
	m, err := newKeymap(nil)
	if err != nil {
		t.Fatal(err)
	}
	var doc strings.Builder
	doc.WriteString("# Keys of the terminal UI\n\nMade from the table of actions in `tui/actions.go` by its test; `go test ./tui -run KeysDocument -update` writes it anew.\n" +
		"Keys are changed in `config.toml`: under `[keys]`, the id of an action with a list of keys, such as `claim = [\"c\", \"ctrl+k\"]`; `[]` takes its keys away.\n" +
		"A sequence is written with spaces: `\"g b\"`. An action acts on the marked tasks or, when none is marked, on the one under the cursor.\n")
	for g := range groupCount {
		fmt.Fprintf(&doc, "\n## %s\n\n| keys | what | where | id | operation |\n|---|---|---|---|---|\n", g)
		for _, a := range actions() {
			if a.group != g {
				continue
			}
			var keys, scopes []string
			for _, sequence := range m.keys[a.id] {
				keys = append(keys, "`"+keyName(sequence)+"`")
			}
			for _, s := range a.scopes {
				scopes = append(scopes, string(s))
			}
			op := ""
			if a.op != "" {
				op = "`" + a.op + "`"
			}
			fmt.Fprintf(&doc, "| %s | %s | %s | `%s` | %s |\n", strings.Join(keys, " "), strings.ReplaceAll(a.title, "|", `\|`), strings.Join(scopes, ", "), a.id, op)
		}
	}
	doc.WriteString("\n## In forms\n\n| keys | what |\n|---|---|\n| `tab` `shift+tab` | next, previous field |\n| `ctrl+s` | what the first button says, from anywhere |\n| `enter` | the same in a field of one line; a new line where the text has several; the search in a list of tasks; on a button what it says. Where only a question is asked, it goes to the buttons |\n" +
		"| `y` `n` | yes and no, on the buttons of a question |\n" +
		"| `esc` | close; asks before typed text is thrown away |\n| `ctrl+c` | quit; asks once before typed text is thrown away |\n| `left` `right` | change a choice, move in text |\n| `ctrl+a` `ctrl+e` `ctrl+u` `ctrl+k` `ctrl+w` `alt+b` `alt+f` `alt+d` | edit text as a shell does |\n")
	for _, part := range notesOf(&unicodeGlyphs) {
		if part.heading == dialogHeading {
			continue // told above
		}
		fmt.Fprintf(&doc, "\n## %s\n\n| sign | meaning |\n|---|---|\n", part.heading)
		for _, note := range part.notes {
			fmt.Fprintf(&doc, "| `%s` | %s |\n", note.sign, note.text)
		}
	}
	path := filepath.Join("..", "docs", "keys.md")
	if *update {
		if err := os.WriteFile(path, []byte(doc.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != doc.String() {
		t.Errorf("docs/keys.md differs from the table of actions; run the test with -update")
	}
}
