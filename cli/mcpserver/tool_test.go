package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dev.lithos/core"
)

var errNoStore = errors.New("there is no store in this test")

type listedTool struct {
	Name        string
	Description string
	InputSchema struct {
		Type                 string
		Properties           map[string]json.RawMessage
		Required             []string
		AdditionalProperties *bool
	}
	OutputSchema json.RawMessage
	Annotations  struct {
		ReadOnlyHint    bool
		DestructiveHint *bool
		OpenWorldHint   *bool
	}
}

// listTools asks a server for its tools, and returns the line of the answer
// and the tools of it, raw and read.
func listTools(t *testing.T, o Options) (line string, raw []json.RawMessage, tools []listedTool) {
	t.Helper()
	o.Service = without(errNoStore)
	c := converse(t, o)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	line = c.receive()
	var answer struct {
		Result struct {
			Tools      []json.RawMessage
			NextCursor string
		}
	}
	if err := json.Unmarshal([]byte(line), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Result.NextCursor != "" {
		t.Fatal("the list of tools comes in pages, which some clients do not follow")
	}
	tools = make([]listedTool, len(answer.Result.Tools))
	for i, text := range answer.Result.Tools {
		if err := json.Unmarshal(text, &tools[i]); err != nil {
			t.Fatal(err)
		}
	}
	return line, answer.Result.Tools, tools
}

func TestTools_areTheOperations(t *testing.T) {
	_, _, tools := listTools(t, Options{})
	var got, want []string
	for _, tool := range tools {
		got = append(got, tool.Name)
		op, ok := core.OperationNamed(strings.TrimPrefix(tool.Name, ToolPrefix))
		if !ok {
			continue
		}
		if tool.Annotations.ReadOnlyHint != op.ReadOnly() {
			t.Errorf("%s: readOnlyHint is %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
		if tool.Annotations.OpenWorldHint == nil || *tool.Annotations.OpenWorldHint {
			t.Errorf("%s: openWorldHint is not false", tool.Name)
		}
		if tool.OutputSchema != nil {
			t.Errorf("%s declares an output schema", tool.Name)
		}
	}
	for _, op := range core.Operations {
		if !op.CommandLineOnly() {
			want = append(want, ToolPrefix+op.Name())
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestTools_selection(t *testing.T) {
	names := func(s Selection) []string {
		_, _, tools := listTools(t, Options{Tools: s})
		list := []string{}
		for _, tool := range tools {
			list = append(list, tool.Name)
		}
		return list
	}
	tasks, notes, all := names(TaskTools), names(NoteTools), names(AllTools)
	// The 29 tools of the task contract; tools of other families are of notes.
	if len(tasks) != 29 || !slices.Contains(tasks, "lithos_journal") || !slices.Contains(tasks, "lithos_finding_list") {
		t.Errorf("tasks: %v", tasks)
	}
	both := append(slices.Clone(tasks), notes...)
	slices.Sort(both)
	if diff := cmp.Diff(all, both); diff != "" {
		t.Errorf("all is not tasks and notes (-all +both):\n%s", diff)
	}
}

func TestTools_answerFitsTheBudget(t *testing.T) {
	for _, limit := range []struct {
		tools Selection
		bytes int
	}{{AllTools, 30_000}, {TaskTools, 20_000}} {
		line, _, tools := listTools(t, Options{Tools: limit.tools})
		if len(line) >= limit.bytes {
			t.Errorf("%s: the answer has %d bytes, the budget is %d", limit.tools, len(line), limit.bytes)
		}
		t.Logf("%s: %d tools, %d bytes", limit.tools, len(tools), len(line))
	}
}

// Strict providers refuse every tool of every server when one schema has
// something they do not know.
func TestTools_schemasArePlain(t *testing.T) {
	_, _, tools := listTools(t, Options{})
	for _, tool := range tools {
		s := tool.InputSchema
		if s.Type != "object" || s.Properties == nil || s.AdditionalProperties == nil || *s.AdditionalProperties {
			t.Errorf("%s: the schema is not that of a closed object", tool.Name)
		}
		if tool.Description == "" {
			t.Errorf("%s has no description", tool.Name)
		}
		checkDescription(t, tool.Name, tool.Description)
		for _, name := range s.Required {
			if s.Properties[name] == nil {
				t.Errorf("%s requires %s, which it does not have", tool.Name, name)
			}
		}
		for name, text := range s.Properties {
			checkPlainSchema(t, tool.Name+"."+name, text)
		}
	}
}

func checkDescription(t *testing.T, where, text string) {
	t.Helper()
	if n := len([]rune(text)); n > 400 {
		t.Errorf("%s: a description of %d characters", where, n)
	}
}

func checkPlainSchema(t *testing.T, where string, text json.RawMessage) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	var kind string
	if json.Unmarshal(members["type"], &kind) != nil {
		t.Errorf("%s: the type is %s", where, members["type"])
	}
	for key, value := range members {
		switch key {
		case "type", "default":
		case "description":
			var s string
			if err := json.Unmarshal(value, &s); err != nil {
				t.Errorf("%s: %v", where, err)
			}
			checkDescription(t, where, s)
		case "enum":
			var words []string
			if json.Unmarshal(value, &words) != nil || len(words) == 0 || kind != "string" {
				t.Errorf("%s: the enum is %s", where, value)
			}
		case "items":
			checkPlainSchema(t, where+"[]", value)
		default:
			t.Errorf("%s: the keyword %s", where, key)
		}
	}
	if kind == "array" != (members["items"] != nil) {
		t.Errorf("%s: type %s, items %s", where, kind, members["items"])
	}
}

func TestTools_agentIsRequiredUnlessOneIsConfigured(t *testing.T) {
	for _, agent := range []string{"", "mo"} {
		_, _, tools := listTools(t, Options{Agent: agent})
		for _, tool := range tools {
			op, _ := core.OperationNamed(strings.TrimPrefix(tool.Name, ToolPrefix))
			want := false
			for _, p := range op.Parameters() {
				want = want || p.Name == "agent" && p.Required && agent == ""
			}
			if got := slices.Contains(tool.InputSchema.Required, "agent"); got != want {
				t.Errorf("server agent %q: %s requires agent: %v", agent, tool.Name, got)
			}
			if tool.Name == "lithos_task_create" && agent != "" && tool.InputSchema.Properties["agent"] == nil {
				t.Error("a call can no longer name its agent")
			}
		}
	}
}

// The surface that agents see, one file a tool, so that a change of it is seen
// in review.
func TestToolSnapshots(t *testing.T) {
	dir := filepath.Join("testdata", "tools")
	_, raw, tools := listTools(t, Options{})
	current := map[string]bool{}
	for i, tool := range tools {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, raw[i], "", "  "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
		name := tool.Name + ".json"
		current[name] = true
		path := filepath.Join(dir, name)
		if *update {
			if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v; go test -update writes it", err)
		}
		if diff := cmp.Diff(string(want), pretty.String()); diff != "" {
			t.Errorf("%s has changed; go test -update accepts it (-want +got):\n%s", name, diff)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if current[file.Name()] {
			continue
		}
		if !*update {
			t.Errorf("%s is the snapshot of no tool", file.Name())
		} else if err := os.Remove(filepath.Join(dir, file.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInstructions(t *testing.T) {
	if n := len([]rune(Instructions)); n > 1_500 {
		t.Errorf("the instructions have %d characters", n)
	}
	for text, where := range map[string]string{Instructions: "instructions", PasteIn: "paste-in text"} {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
			name, isTool := strings.CutPrefix(word, ToolPrefix)
			if !isTool || name == "" {
				continue
			}
			if op, ok := core.OperationNamed(name); !ok || op.CommandLineOnly() {
				t.Errorf("the %s speak of the tool %s, which does not exist", where, word)
			}
		}
	}
}
