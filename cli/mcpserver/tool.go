package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dev.lithos/core"
)

// ToolPrefix stands before an operation's name in the name of its tool.
const ToolPrefix = "lithos_"

// Selection is a part of the tools.
type Selection string

// The selections. The zero value selects all tools.
const (
	AllTools  Selection = "all"
	TaskTools Selection = "tasks"
	NoteTools Selection = "notes"
)

// Selections lists the selections in the order of the documentation.
var Selections = []Selection{TaskTools, NoteTools, AllTools}

// includes reports whether the tool of an operation is offered.
func (s Selection) includes(op core.Operation) bool {
	if op.CommandLineOnly() {
		return false
	}
	switch s {
	case TaskTools:
		return isTaskOperation(op.Name())
	case NoteTools:
		return !isTaskOperation(op.Name())
	case AllTools:
	}
	return true
}

// isTaskOperation tells the operations on tasks, and on what goes with them,
// from those on notes.
func isTaskOperation(name string) bool {
	switch name {
	case "stats", "events", "journal":
		return true
	}
	family, _, _ := strings.Cut(name, "_")
	return slices.Contains([]string{"task", "finding", "agent"}, family)
}

// keeping are the writes after which nothing that somebody wrote is lost, which
// some clients allow without asking. For the others the protocol's default
// holds: they may destroy.
var keeping = []string{
	"task_create", "task_spawn", "task_complete", "task_cancel", "task_reopen",
	"task_claim", "task_renew", "task_release", "task_next", "finding_post", "agent_register",
}

// toolOf describes an operation as a tool. defaultAgent is who acts where a
// call names nobody; empty: nobody does.
func toolOf(op core.Operation, defaultAgent string) *mcp.Tool {
	hints := &mcp.ToolAnnotations{ReadOnlyHint: op.ReadOnly(), OpenWorldHint: new(bool)}
	if slices.Contains(keeping, op.Name()) {
		hints.DestructiveHint = new(bool)
	}
	return &mcp.Tool{
		Name:        ToolPrefix + op.Name(),
		Description: op.Summary(),
		Annotations: hints,
		InputSchema: inputSchema(op, defaultAgent),
	}
}

// schema is the part of JSON Schema that every client takes. There is no
// anyOf, no list of types and no $ref, and an array always has items.
type schema struct {
	Type        string          `json:"type,omitempty"`
	Description string          `json:"description,omitempty"`
	Items       *schema         `json:"items,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
}

// inputSchema writes the schema of an operation's arguments from its
// parameters. enum and default are advice: core decides.
func inputSchema(op core.Operation, defaultAgent string) json.RawMessage {
	properties := []byte{'{'}
	required := []string{}
	for i, p := range op.Parameters() {
		if i > 0 {
			properties = append(properties, ',')
		}
		properties = core.AppendJSONString(properties, p.Name)
		properties = append(properties, ':')
		properties = append(properties, mustEncode(parameterSchema(p))...)
		filled := p.Name == "agent" && defaultAgent != "" && takesActor(op)
		if p.Required && !filled {
			required = append(required, p.Name)
		}
	}
	properties = append(properties, '}')
	return mustEncode(struct {
		Type                 string          `json:"type"`
		Properties           json.RawMessage `json:"properties"`
		Required             []string        `json:"required,omitempty"`
		AdditionalProperties bool            `json:"additionalProperties"`
	}{"object", properties, required, false})
}

func parameterSchema(p core.Parameter) schema {
	s := schema{Description: p.Doc, Enum: p.Allowed}
	switch p.Type {
	case core.TypeString, core.TypeInteger, core.TypeNumber, core.TypeBoolean, core.TypeObject:
		s.Type = string(p.Type)
	case core.TypeStringList:
		s.Type, s.Items = "array", &schema{Type: "string"}
	case core.TypeObjectList:
		s.Type, s.Items = "array", &schema{Type: "object"}
	case core.TypeStructure:
		s.Type = "object" // or a list, which no one type says; core decides
	default:
		panic(fmt.Sprintf("mcpserver: parameter %s has the unknown type %q", p.Name, p.Type))
	}
	if s.Items != nil {
		s.Items.Enum, s.Enum = s.Enum, nil
	}
	if p.Default != "" {
		s.Default = json.RawMessage(p.Default)
		if p.Type == core.TypeString {
			s.Default = core.AppendJSONString(nil, p.Default)
		}
	}
	return s
}

// mustEncode encodes a value that can always be encoded.
func mustEncode(v any) json.RawMessage {
	text, err := core.EncodeJSON(v)
	if err != nil {
		panic("mcpserver: " + err.Error())
	}
	return text
}
