package cli_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// What the packages of this module may allocate when the program starts, in
// objects. Every command pays for it, also those that use nothing of it: what
// is compiled or built once waits until it is wanted.
const startAllocations = 100

// What others' packages may allocate, unless they are named below.
const startAllocationsOfOthers = 150

// costlyAtStart are the packages of others that allocate more when the program
// starts, and at most how much. Go initialises what is linked in, used or not,
// so they are part of every start: one that joins them has to be worth it.
var costlyAtStart = map[string]int{
	"github.com/itchyny/gojq":                    2500, // --jq
	"github.com/yuin/goldmark/parser":            1000, // Markdown
	"github.com/yuin/goldmark/util":              500,
	"github.com/russross/blackfriday/v2":         850, // of the flag parser; not in a release build
	"encoding/gob":                               400, // of the MCP library
	"github.com/google/jsonschema-go/jsonschema": 350, // of the MCP library
	"github.com/modelcontextprotocol/go-sdk/mcp": 200,
	"go.yaml.in/yaml/v3":                         300, // the head of notes
	"github.com/charmbracelet/bubbletea":         250, // the board
}

// unfitForStart are packages that must not be part of the program: what they
// do when it starts costs more than it is worth.
var unfitForStart = []string{"github.com/yuin/goldmark/extension"}

func TestStart_isLean(t *testing.T) {
	command := exec.Command("lithos", "version")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	command.Stderr = &trace
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, trace.String())
	}
	seen := 0
	for lines := bufio.NewScanner(&trace); lines.Scan(); {
		// init dev.lithos/core @1.9 ms, 0.008 ms clock, 3144 bytes, 38 allocs
		fields := strings.Fields(lines.Text())
		if len(fields) < 11 || fields[0] != "init" {
			continue
		}
		allocations, err := strconv.Atoi(fields[len(fields)-2])
		if err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		name := fields[1]
		for _, unfit := range unfitForStart {
			if name == unfit {
				t.Errorf("the program holds %s: %s", name, lines.Text())
			}
		}
		if !strings.HasPrefix(name, "dev.lithos/") {
			allowed := startAllocationsOfOthers
			if more, is := costlyAtStart[name]; is {
				allowed = more
			}
			if allocations > allowed {
				t.Errorf("%s makes %d objects when the program starts, of %d: is it worth that to every command?", name, allocations, allowed)
			}
			continue
		}
		if strings.HasSuffix(name, "_test") {
			continue
		}
		seen++
		if allocations > startAllocations {
			t.Errorf("%s makes %d objects when the program starts, of %d: sync.OnceValue puts off what is seldom wanted", name, allocations, startAllocations)
		}
	}
	if seen < 5 {
		t.Errorf("the trace names %d packages of this module:\n%s", seen, trace.String())
	}
}

// Who is logged in is looked up in the list of users, which a call that does
// not act need not read.
func TestStart_asksForTheLoginNameOnlyWhereItCounts(t *testing.T) {
	w := seeded(t)
	delete(w.variables, "LITHOS_AGENT")
	asked := 0
	w.env.LoginName = func() string { asked++; return "login" }
	for _, args := range [][]string{{"version"}, {"task", "ready", "--json"}, {"task", "list"}, {"stats"}} {
		if _, stderr, status := w.run(t, args...); status != 0 || asked > 0 {
			t.Errorf("%v: status %d, %d questions\n%s", args, status, asked, stderr)
		}
	}
	if out, stderr, status := w.run(t, "task", "next", "--jq", ".claim.agent"); status != 0 || out != "login\n" || asked == 0 {
		t.Errorf("task next: status %d, %d questions, %q\n%s", status, asked, out, stderr)
	}
}
