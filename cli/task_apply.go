package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func taskApply() *command {
	return &command{
		name: "apply", operation: core.TaskApply,
		summary: "run up to 1,000 changes as one, all or nothing",
		details: "FILE, or standard input, holds one operation per line:\n" +
			"  {\"op\": \"create\", \"as\": \"a\", \"title\": \"First\"}\n" +
			"  {\"op\": \"create\", \"title\": \"Second\", \"depends_on\": [\"$a\"]}\n" +
			"or the arguments object {\"operations\": […], \"agent\": …, \"request_id\": …}.\n" +
			"'as' names a new id, which later operations write as \"$name\".\n" +
			"Operations: create, spawn, update, complete, cancel, reopen, claim, renew, release,\n" +
			"edge_upsert, edge_delete, finding_post.",
		arguments: []argument{{name: "FILE", parameter: "operations", optional: true, completes: fileNames}},
		flags:     []flag{requestIDFlag},
		examples: []string{
			`echo '{"op": "create", "title": "First"}' | lithos task apply`,
		},
		run: runTaskApply,
	}
}

func runTaskApply(c *call) error {
	requestID := c.word("request-id")
	text, err := c.operationsText()
	if err != nil {
		return err
	}
	arguments, err := applyArguments(text)
	if err != nil {
		return err
	}
	if arguments, err = withDefaults(arguments, c.agent(), requestID); err != nil {
		return err
	}
	if c.invalid != nil {
		return c.invalid
	}
	answer, err := core.TaskApply.Call(c.ctx, c.session.service(), arguments)
	if err != nil {
		return err
	}
	result, ok := answer.(core.TaskApplyResult)
	if !ok {
		return fmt.Errorf("task_apply answered a %T", answer)
	}
	return c.show(result, func(p *page) {
		for _, raw := range result.Results {
			p.applied(raw)
		}
	})
}

// applied writes one result of an apply.
func (p *page) applied(raw json.RawMessage) {
	var r struct {
		Op        string `json:"op"`
		TaskID    string `json:"task_id"`
		Title     string `json:"title"`
		FromID    string `json:"from_task_id"`
		FromTitle string `json:"from_title"`
		ToID      string `json:"to_task_id"`
		ToTitle   string `json:"to_title"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		p.fail(fmt.Errorf("read a result of apply: %w", err))
		return
	}
	if r.FromID != "" {
		if !p.terminal {
			p.fields(r.Op, r.FromID, r.ToID)
			return
		}
		p.line("%-12s %s %s %s", r.Op, display.Visible(r.FromTitle), p.sign("→", "->"), display.Visible(r.ToTitle))
		return
	}
	if !p.terminal {
		p.fields(r.Op, r.TaskID, r.Title)
		return
	}
	l := p.labels([]string{r.TaskID})[r.TaskID]
	p.named(fmt.Sprintf("%-12s ", r.Op), p.name(l), "")
}

// maxApplyText bounds the text of one apply: a thousand operations with texts
// near their limits fit.
const maxApplyText = 1 << 30

// operationsText reads FILE or standard input.
func (c *call) operationsText() ([]byte, error) {
	path := c.argument(0)
	var text []byte
	var err error
	switch {
	case path != "" && path != "-":
		text, err = os.ReadFile(c.env.absolute(path))
	case path == "" && c.env.StdinIsTerminal:
		return nil, usageFault{
			reason: core.ReasonMissingField, field: "operations",
			message: "The operations are missing: give a FILE, or pipe them in.",
		}.err()
	default:
		text, err = c.readStdin(maxApplyText)
	}
	if err != nil {
		from := "Standard input"
		if path != "" && path != "-" {
			from = "'" + path + "'"
		}
		return nil, core.Malformed("operations", fmt.Sprintf("%s cannot be read: %s.", from, plainReason(err)))
	}
	if err := core.CheckJSONText("operations", text); err != nil {
		return nil, err
	}
	return text, nil
}

// applyArguments makes an arguments object of the text: the object itself, or
// one made of operations that stand one after another.
func applyArguments(text []byte) (json.RawMessage, error) {
	var operations []json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var value json.RawMessage
		start := dec.InputOffset()
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, core.Malformed("operations", fmt.Sprintf("Line %d is not valid JSON.", lineOf(text, start)))
		}
		operations = append(operations, value)
	}
	if len(operations) == 1 && !isOperation(operations[0]) {
		return operations[0], nil
	}
	if operations == nil {
		operations = []json.RawMessage{}
	}
	list, err := core.EncodeJSON(operations)
	if err != nil {
		return nil, fmt.Errorf("gather the operations: %w", err)
	}
	return json.RawMessage(core.MakeMetadata([]core.Member{{Key: "operations", Value: list}})), nil
}

// isOperation reports whether a JSON value is an operation rather than an
// arguments object.
func isOperation(value json.RawMessage) bool {
	object, err := core.ParseMetadata(value)
	if err != nil {
		return false
	}
	_, ok := object.Get("op")
	return ok
}

// lineOf is the line, from 1, on which the first text after an offset stands.
func lineOf(text []byte, offset int64) int {
	rest := text[offset:]
	offset += int64(len(rest) - len(bytes.TrimLeft(rest, " \t\r\n")))
	return bytes.Count(text[:offset], []byte{'\n'}) + 1
}

// withDefaults fills agent and request_id where the arguments do not name
// them.
func withDefaults(arguments json.RawMessage, agent string, requestID *string) (json.RawMessage, error) {
	object, err := core.ParseMetadata(arguments)
	if err != nil {
		return arguments, nil // not an object: the operation says so
	}
	missing := func(key string) bool {
		raw, ok := object.Get(key)
		return !ok || string(raw) == "null"
	}
	if missing("agent") && agent != "" {
		object = object.Merge(core.MakeMetadata([]core.Member{{Key: "agent", Value: core.AppendJSONString(nil, agent)}}))
	}
	if requestID != nil {
		if !missing("request_id") {
			return nil, core.InvalidInput(core.ReasonInvalidValue, "request_id", "The request_id is given twice: in the arguments and as --request-id.")
		}
		object = object.Merge(core.MakeMetadata([]core.Member{{Key: "request_id", Value: core.AppendJSONString(nil, *requestID)}}))
	}
	return json.RawMessage(object.Text()), nil
}
