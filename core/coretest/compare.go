package coretest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/coretest/model"
	"github.com/google/go-cmp/cmp"
)

// call runs an operation on JSON text, as every surface does, and returns the
// JSON text of its answer, which is the envelope when it fails.
func call(ctx context.Context, s *core.Service, operation string, arguments []byte) []byte {
	op, ok := core.OperationNamed(operation)
	if !ok {
		panic("coretest: there is no operation " + operation)
	}
	out, err := op.Call(ctx, s, arguments)
	if err != nil {
		out = core.AsError(err)
	}
	text, err := core.EncodeJSON(out)
	if err != nil {
		panic(fmt.Sprintf("coretest: %s answers what cannot be encoded: %v", operation, err))
	}
	return text
}

// decode reads JSON text with numbers as they are written.
func decode(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return v, nil
}

// difference compares a decoded answer with what the model expects; empty when
// they agree.
func difference(want model.Object, got any) string {
	settled := settle(want, got)
	if reflect.DeepEqual(settled, got) {
		return ""
	}
	return cmp.Diff(settled, got)
}

// settle brings an expected value into the form that decoding gives, and lets
// the texts for people pass that say what they have to.
func settle(want, got any) any {
	switch want := want.(type) {
	case model.Mentions:
		text, ok := got.(string)
		for _, part := range want {
			if !ok || !strings.Contains(text, part) {
				return "a text with " + fmt.Sprintf("%q", []string(want))
			}
		}
		return got
	case model.Unspecified:
		return got
	case model.Object:
		other, _ := got.(map[string]any)
		settled := map[string]any{}
		for key, value := range want {
			settled[key] = settle(value, other[key])
		}
		if message, ok := other["message"].(string); ok && want["status"] == "error" && strings.TrimSpace(message) != "" {
			settled["message"] = message
		}
		return settled
	case []any:
		other, _ := got.([]any)
		settled := make([]any, len(want))
		for i, value := range want {
			var counterpart any
			if i < len(other) {
				counterpart = other[i]
			}
			settled[i] = settle(value, counterpart)
		}
		return settled
	case int:
		return json.Number(fmt.Sprint(want))
	case int64:
		return json.Number(fmt.Sprint(want))
	}
	return want
}
