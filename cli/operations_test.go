package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dev.lithos/cli"
	"dev.lithos/core"
)

// TestEveryOperationHasACommand holds the operations and the commands of
// their nouns to one another.
func TestEveryOperationHasACommand(t *testing.T) {
	commands := cli.OperationCommands()
	for _, op := range core.Operations {
		words, ok := commands[op.Name()]
		if !ok {
			t.Errorf("the operation %s has no command", op.Name())
			continue
		}
		delete(commands, op.Name())
		// The words are the name, but for what groups them.
		if got := strings.ReplaceAll(strings.Join(words, "_"), "-", "_"); got != op.Name() && got != "note_"+op.Name() {
			t.Errorf("the operation %s is run by '%s'", op.Name(), strings.Join(words, " "))
		}
	}
	for name, words := range commands {
		t.Errorf("'%s' runs %s, which is no operation", strings.Join(words, " "), name)
	}
	nouns := []string{"task", "finding", "agent", "note", "stats", "events", "journal"}
	for _, page := range cli.HelpPages() {
		words := strings.Fields(page.Path)[1:]
		isForm := page.Path == "lithos note edit" // of write
		if len(words) > 0 && slices.Contains(nouns, words[0]) && page.Runs && page.Operation == "" && !isForm {
			t.Errorf("'%s' runs no operation", page.Path)
		}
	}
}

// TestParametersHaveFlags holds that every parameter of an operation can be
// given on the command line.
func TestParametersHaveFlags(t *testing.T) {
	// Parameters that are given in another form.
	otherwise := map[string][]string{
		"task_complete": {"task_id"}, "task_cancel": {"task_id"}, "task_reopen": {"task_id"},
		"task_apply": {"agent"}, // in the text, else the acting agent
	}
	for _, page := range cli.HelpPages() {
		op, ok := core.OperationNamed(page.Operation)
		if !ok {
			continue
		}
		for _, p := range op.Parameters() {
			acts := p.Name == "agent" && !op.ReadOnly() || // --agent, of every command
				slices.Contains([]string{"agent_id", "provenance_actor", "resolver"}, p.Name)
			if !acts && !slices.Contains(page.Fields, p.Name) && !slices.Contains(otherwise[op.Name()], p.Name) {
				t.Errorf("'%s' has no way to give %s of %s", page.Path, p.Name, op.Name())
			}
		}
	}
}

// mention matches a command line in a text: the program's name and what
// follows it.
var mention = regexp.MustCompile(`\blithos((?: [a-z_][a-z-]*)*)((?: (?:--?[a-z][a-z-]*|[A-Z"$'<%…][^ ]*|[0-9a-f]{6}))*)`)

// TestMentionsExist holds that every command and flag that a help, a hint, a
// message or an explanation names is there.
func TestMentionsExist(t *testing.T) {
	pages := map[string]cli.HelpPage{}
	for _, page := range cli.HelpPages() {
		pages[page.Path] = page
	}
	seen := 0
	check := func(where, text string) {
		for _, m := range mention.FindAllStringSubmatch(text, -1) {
			path := "lithos"
			for word := range strings.FieldsSeq(m[1]) {
				word = strings.TrimSuffix(word, "-")
				if word == "t" {
					word = "task"
				}
				next, ok := pages[path+" "+word]
				if !ok {
					// Words after a command that takes arguments are arguments;
					// prose may follow the bare name.
					if path == "lithos" && strings.Contains(text, "'lithos "+word) {
						t.Errorf("%s names 'lithos %s', which is no command: %s", where, word, text)
					}
					break
				}
				path = next.Path
				seen++
			}
			for word := range strings.FieldsSeq(m[2]) {
				if name, ok := strings.CutPrefix(word, "--"); ok && name != "help" && (path != "lithos" || name != "version") && !slices.Contains(pages[path].Flags, name) {
					t.Errorf("%s names --%s of '%s', which it does not have: %s", where, name, path, text)
				}
			}
		}
	}
	for _, page := range pages {
		check("the help of "+page.Path, page.Text)
	}
	for _, pattern := range []string{"*.go", "../core/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					if text, err := strconv.Unquote(literal.Value); err == nil {
						check(name, text)
					}
				}
				return true
			})
		}
	}
	if seen < 100 {
		t.Errorf("only %d commands were found in texts: is the pattern still right?", seen)
	}
}
