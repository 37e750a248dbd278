package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// TaskApplyRequest asks for several operations as one.
type TaskApplyRequest struct {
	Operations []json.RawMessage `json:"operations" required:"true" check:"operations" doc:"Each {\"op\": create, spawn, update, complete, cancel, reopen, claim, renew, release, edge_upsert, edge_delete or finding_post, …arguments of that tool}. metadata.priority: highest, high, medium, low or lowest. \"as\": \"x\" on create and spawn names the new id, \"$x\" stands for it in later ones."`
	Agent      *string           `json:"agent" check:"name" doc:"Default for operations without their own."`
	RequestID  *string           `json:"request_id" check:"name" doc:"Needs agent. Repeating a call with the same request_id returns the first result."`
}

// TaskApplyResult holds the new ids by name and each operation's result.
type TaskApplyResult struct {
	Success bool              `json:"success"`
	IDs     applyIDs          `json:"ids"`
	Results []json.RawMessage `json:"results"`
}

// applyIDs maps the names of an apply to ids, in the order they were given.
type applyIDs []namedID

type namedID struct{ name, id string }

// MarshalJSON returns the map as a JSON object.
func (ids applyIDs) MarshalJSON() ([]byte, error) {
	o := beginObject(nil)
	for _, n := range ids {
		o.str(n.name, n.id)
	}
	return o.end(), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (ids *applyIDs) UnmarshalJSON(src []byte) error {
	members, err := objectMembers(src)
	for _, member := range members {
		id, _ := jsonString(member.Value)
		*ids = append(*ids, namedID{member.Key, id})
	}
	return err
}

// TaskApply is the operation task_apply.
var TaskApply = Op[TaskApplyRequest, TaskApplyResult]{
	name: "task_apply", summary: "Run up to 1,000 operations in one transaction, all or nothing.",
	codes: []Code{
		CodeTaskNotFound, CodeAmbiguousIDPrefix, CodeClaimNotFound, CodeEdgeNotFound, CodeReceiptNotFound,
		CodeInvalidTaskType, CodeInvalidEdgeType, CodeInvalidRelationType, CodeInvalidMetadataKey,
		CodeTaskNotResolved, CodeSelfEdge, CodeCycle, CodeParentExists, CodeNotAGate, CodeTooDeep,
		CodeVersionConflict, CodeClaimFailed,
	},
	run: (*Service).TaskApply,
}

// applicable is an operation that task_apply can run: reading its arguments
// and, later, running its step.
type applicable struct {
	request    reflect.Type
	named      bool // "as" is accepted
	references []string
	run        func(*change, any) (any, string, error) // result, new task's id
}

// step adapts a step to applicable. newID picks the id of a new task from the
// result; nil when the operation makes none.
func step[In, Out any](run func(*change, In) (Out, error), newID func(Out) string, references ...string) applicable {
	return applicable{
		request: reflect.TypeFor[In](), named: newID != nil, references: references,
		run: func(c *change, in any) (any, string, error) {
			out, err := run(c, *in.(*In))
			if err != nil || newID == nil {
				return out, "", err
			}
			return out, newID(out), nil
		},
	}
}

// applicables are the operations of task_apply by their word. It is built on
// first use because steps and operations refer to each other.
var applicables = sync.OnceValue(func() map[string]applicable {
	return map[string]applicable{
		"create": step((*change).create, func(r TaskCreateResult) string { return r.TaskID },
			"parent_task_id", "depends_on"),
		"spawn": step((*change).spawn, func(r TaskSpawnResult) string { return r.TaskID },
			"source_task_id"),
		"update":       step((*change).update, nil, "task_id"),
		"complete":     step((*change).complete, nil, "task_id"),
		"cancel":       step((*change).cancel, nil, "task_id"),
		"reopen":       step((*change).reopen, nil, "task_id"),
		"claim":        step((*change).claim, nil, "task_id"),
		"renew":        step((*change).renew, nil, "task_id"),
		"release":      step((*change).release, nil, "task_id"),
		"edge_upsert":  step((*change).upsertEdge, nil, "from_task_id", "to_task_id"),
		"edge_delete":  step((*change).deleteEdge, nil, "from_task_id", "to_task_id"),
		"finding_post": step((*change).postFinding, nil, "task_id"),
	}
})

// ApplyWords lists the words of op in documentation order.
var ApplyWords = []string{
	"create", "spawn", "update", "complete", "cancel", "reopen",
	"claim", "renew", "release", "edge_upsert", "edge_delete", "finding_post",
}

// plannedOperation is one operation of an apply, read and judged.
type plannedOperation struct {
	word    string
	as      *string
	request any // pointer to the request struct
	kind    applicable
}

// isApplyName reports whether a text can name a new task of an apply: a
// letter, then at most 63 letters, digits and underscores.
func isApplyName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return true
}

// TaskApply runs operations in one transaction, all or nothing.
func (s *Service) TaskApply(ctx context.Context, req TaskApplyRequest) (TaskApplyResult, error) {
	plan, err := planApply(&req)
	if err != nil {
		return TaskApplyResult{}, err
	}
	return write(ctx, s, req, func(c *change, req TaskApplyRequest) (TaskApplyResult, error) {
		return once(c, "task_apply", valueOr(req.Agent, ""), req.RequestID,
			func() []byte { return canonicalPlan(plan) },
			func() (TaskApplyResult, error) { return c.apply(plan) })
	})
}

// planApply judges the shape and values of every operation before anything is
// written.
func planApply(req *TaskApplyRequest) ([]plannedOperation, error) {
	// The shape of every operation is judged before the values of any.
	plan := make([]plannedOperation, len(req.Operations))
	for i, raw := range req.Operations {
		operation, err := readOperation(raw, i, req.Agent)
		if err != nil {
			return nil, atOperation(err, i)
		}
		plan[i] = operation
	}
	if err := prepare(req); err != nil {
		return nil, err
	}
	if req.RequestID != nil && req.Agent == nil {
		return nil, invalid(ReasonMissingField, "agent", "'request_id' needs 'agent'.")
	}
	names := map[string]bool{}
	for i, operation := range plan {
		if err := prepare(operation.request); err != nil {
			return nil, atOperation(err, i)
		}
		if err := checkReferences(operation, names); err != nil {
			return nil, atOperation(err, i)
		}
	}
	return plan, nil
}

// readOperation decodes one operation.
func readOperation(raw json.RawMessage, index int, agent *string) (plannedOperation, error) {
	var none plannedOperation
	if err := checkJSONText("", raw); err != nil {
		return none, misfit(err)
	}
	if len(raw) > 0 && raw[0] != '{' {
		return none, misfit(wrongType(fmt.Sprintf("operations[%d]", index), TypeObject, raw))
	}
	members, err := objectMembers(raw)
	if err != nil {
		return none, misfit(Malformed("", "The operation is not a valid JSON object."))
	}
	given := map[string]json.RawMessage{}
	for _, member := range members {
		given[member.Key] = member.Value
	}
	word, err := operationWord(given["op"])
	if err != nil {
		return none, err
	}
	kind := applicables()[word]
	planned := plannedOperation{word: word, kind: kind, request: reflect.New(kind.request).Interface()}
	declaresAgent := false
	for _, p := range parametersOf(kind.request) {
		declaresAgent = declaresAgent || p.Name == "agent"
	}
	arguments := slices.DeleteFunc(members, func(m Member) bool {
		return m.Key == "op" || m.Key == "as" && kind.named
	})
	if given, ok := given["agent"]; declaresAgent && agent != nil && (!ok || string(given) == "null") {
		arguments = append(arguments, Member{"agent", AppendJSONString(nil, *agent)})
	}
	if err := decodeMembers(arguments, planned.request, []string{"request_id"}); err != nil {
		return none, withOperationKeys(err, kind.named)
	}
	if raw, ok := given["as"]; ok && kind.named && string(raw) != "null" {
		name, isString := jsonString(raw)
		if !isString {
			return none, misfit(wrongType("as", TypeString, raw))
		}
		planned.as = &name
	}
	return planned, nil
}

func operationWord(raw json.RawMessage) (string, error) {
	if raw == nil || string(raw) == "null" {
		return "", misfit(MissingField("op"))
	}
	word, ok := jsonString(raw)
	if !ok {
		return "", misfit(wrongType("op", TypeString, raw))
	}
	return word, checkWord(ApplyWords, word, func() error { return InvalidWord("op", word, "operation", ApplyWords) })
}

// withOperationKeys adds the keys of apply itself to the accepted names of an
// unknown_field error.
func withOperationKeys(err error, named bool) error {
	var e *Error
	if errors.As(err, &e) && e.Extra("reason") == ReasonUnknownField {
		for i := range e.Extras {
			if e.Extras[i].Name == "allowed" {
				own := []string{"op"}
				if named {
					own = append(own, "as")
				}
				e.Extras[i].Value = append(own, e.Extras[i].Value.([]string)...)
			}
		}
	}
	return err
}

// checkReferences refuses references to names that no earlier operation gives
// and names given twice, and adds the operation's own.
func checkReferences(o plannedOperation, names map[string]bool) error {
	err := eachReference(o, func(field, text string) (string, error) {
		name, isReference := strings.CutPrefix(text, "$")
		if isReference && !names[name] {
			return text, InvalidValue(field, text, fmt.Sprintf("No earlier operation is named '%s'.", clip(name)))
		}
		return text, nil
	})
	if err != nil || o.as == nil {
		return err
	}
	name := *o.as
	if !isApplyName(name) {
		return InvalidValue("as", name, fmt.Sprintf("'%s' is no name: a letter, then letters, digits or _, at most 64 characters.", clip(name)))
	}
	if names[name] {
		return InvalidValue("as", name, fmt.Sprintf("The name '%s' is given twice.", name))
	}
	names[name] = true
	return nil
}

// canonicalPlan is the text of a plan that makes two calls the same.
func canonicalPlan(plan []plannedOperation) []byte {
	var text []byte
	for _, operation := range plan {
		o := beginObject(text)
		o.str("op", operation.word)
		o.nullableStr("as", operation.as)
		o.raw("arguments", string(canonicalArguments(operation.request)))
		text = o.end()
	}
	return text
}

// eachReference passes every id of an operation's request through replace.
func eachReference(o plannedOperation, replace func(field, text string) (string, error)) error {
	target := reflect.ValueOf(o.request).Elem()
	for _, p := range parametersOf(o.kind.request) {
		if !slices.Contains(o.kind.references, p.Name) {
			continue
		}
		field := target.Field(p.index)
		switch v := field.Interface().(type) {
		case string:
			text, err := replace(p.Name, v)
			if err != nil {
				return err
			}
			field.SetString(text)
		case *string:
			if v == nil {
				continue
			}
			text, err := replace(p.Name, *v)
			if err != nil {
				return err
			}
			field.Set(reflect.ValueOf(&text))
		case []string:
			for i := range v {
				text, err := replace(fmt.Sprintf("%s[%d]", p.Name, i), v[i])
				if err != nil {
					return err
				}
				v[i] = text
			}
		}
	}
	return nil
}

// apply runs the operations of a plan in order.
func (c *change) apply(plan []plannedOperation) (TaskApplyResult, error) {
	result := TaskApplyResult{Success: true, IDs: applyIDs{}, Results: make([]json.RawMessage, 0, len(plan))}
	ids := map[string]string{}
	for i, operation := range plan {
		err := eachReference(operation, func(_, text string) (string, error) {
			if name, isReference := strings.CutPrefix(text, "$"); isReference {
				return ids[name], nil
			}
			return text, nil
		})
		if err != nil {
			return TaskApplyResult{}, atOperation(err, i)
		}
		out, newID, err := operation.kind.run(c, operation.request)
		if err != nil {
			return TaskApplyResult{}, atOperation(err, i)
		}
		text, err := EncodeJSON(out)
		if err != nil {
			return TaskApplyResult{}, fmt.Errorf("encode the result of operation %d: %w", i, err)
		}
		result.Results = append(result.Results, withWord(operation.word, text))
		if operation.as != nil {
			ids[*operation.as] = newID
			result.IDs = append(result.IDs, namedID{*operation.as, newID})
		}
	}
	return result, nil
}

// withWord puts the operation's word before the keys of its result.
func withWord(word string, result []byte) json.RawMessage {
	dst := append([]byte(`{"op":`), AppendJSONString(nil, word)...)
	return append(append(dst, ','), result[1:]...)
}

// atOperation adds the index of the failing operation to an error of the
// contract; faults of the program pass unchanged.
func atOperation(err error, index int) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	at := *e
	at.Extras = append(slices.Clone(e.Extras), Extra{"operation_index", index})
	if IsMisfit(err) {
		return misfit(&at)
	}
	return &at
}
