package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dev.lithos/cli/mcpserver"
)

const agentsDocument = "../../docs/agents.md"

// inDocument compares what stands between two marks of the documentation with
// what belongs there; with -update it is put there.
func inDocument(t *testing.T, mark, want string) {
	t.Helper()
	begin, end := "<!-- "+mark+": begin -->\n", "<!-- "+mark+": end -->\n"
	text, err := os.ReadFile(agentsDocument)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	shown, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for %s", agentsDocument, mark)
	}
	if shown == want {
		return
	}
	if !mcpserver.Update() {
		t.Fatalf("%s does not say what is so; go test -update puts it right (-shown +so):\n%s", agentsDocument, cmp.Diff(shown, want))
	}
	if err := os.WriteFile(agentsDocument, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The text that people paste stands in the documentation as the program has
// it.
func TestAgentsDocumentation_pasteIn(t *testing.T) {
	inDocument(t, "paste", "```markdown\n"+mcpserver.PasteIn+"```\n")
}

// The documentation states what the tools cost an agent, measured on a real
// graph.
func TestAgentsDocumentation_cost(t *testing.T) {
	graph, err := filepath.Abs("../../../shared/data/beads-graph-644.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(graph); err != nil {
		t.Skipf("the real graph is not here: %v", err)
	}
	dir, env := project(t)
	runCLI(t, dir, env, "init")
	runCLI(t, dir, env, "import", graph)
	p := start(t, dir, env, "lithos", "mcp")
	p.begin()
	var table strings.Builder
	table.WriteString("| answer | bytes | tokens |\n|---|---|---|\n")
	row := func(what string, bytes int) {
		fmt.Fprintf(&table, "| %s | %s | %s |\n", what, rounded(bytes, 100), rounded(bytes/4, 50))
	}
	ask := func(method, params string) json.RawMessage {
		t.Helper()
		p.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + "}\n")
		var frame struct{ Result json.RawMessage }
		if err := json.Unmarshal([]byte(p.receive()), &frame); err != nil {
			t.Fatal(err)
		}
		return frame.Result
	}
	call := func(tool, arguments string) string {
		t.Helper()
		var result struct{ Content []struct{ Text string } }
		if err := json.Unmarshal(ask("tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`), &result); err != nil {
			t.Fatal(err)
		}
		return result.Content[0].Text
	}
	row("the tools, once a conversation (`tools/list`)", len(ask("tools/list", "{}")))
	row("the instructions, once a conversation", len(mcpserver.Instructions))
	ready := call("lithos_task_ready", `{}`)
	var tasks struct{ Tasks []struct{ ID string } }
	if err := json.Unmarshal([]byte(ready), &tasks); err != nil {
		t.Fatal(err)
	}
	row(fmt.Sprintf("`lithos_task_ready`, all %d ready tasks", len(tasks.Tasks)), len(ready))
	row("`lithos_task_ready` with `limit` 5", len(call("lithos_task_ready", `{"limit":5}`)))
	blocked := call("lithos_task_blocked", `{}`)
	row(fmt.Sprintf("`lithos_task_blocked`, all %d", strings.Count(blocked, `"blockers":`)), len(blocked))
	var sizes []int
	for _, task := range tasks.Tasks {
		sizes = append(sizes, len(call("lithos_task_get", `{"task_id":"`+task.ID+`"}`)))
	}
	slices.Sort(sizes)
	row("`lithos_task_get`, the median", sizes[len(sizes)/2])
	inDocument(t, "cost", table.String())
}

// rounded writes a number to the nearest multiple of step, with commas.
func rounded(n, step int) string {
	n = (n + step/2) / step * step
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func TestPasteIn_isShort(t *testing.T) {
	if n := len(mcpserver.PasteIn); n >= 1000 {
		t.Errorf("the text has %d bytes", n)
	}
}
