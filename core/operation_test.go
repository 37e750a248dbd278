package core

import (
	"context"
	"errors"
	"testing"
)

// unreachable is a store that a call must not get to.
type unreachable struct{ Store }

var errReached = errors.New("the store was reached")

// Read implements [Store].
func (unreachable) Read(context.Context, func(ReadTx) error) error { return errReached }

// Write implements [Store].
func (unreachable) Write(context.Context, func(WriteTx) error) error { return errReached }

// TestCall_misfits tells misfits of shape, which a protocol may answer in its
// own way, from values that are refused.
func TestCall_misfits(t *testing.T) {
	s := New(Config{Store: unreachable{}})
	for _, c := range []struct {
		operation, arguments string
		code                 Code
		misfit               bool
	}{
		{"task_get", `{}`, CodeInvalidInput, true},
		{"task_get", `{"task_id":"x","y":1}`, CodeInvalidInput, true},
		{"task_get", `{"task_id":5}`, CodeInvalidInput, true},
		{"task_get", `{"task_id":"\u0000"}`, CodeInvalidInput, true},
		{"task_get", `{`, CodeInvalidInput, true},
		{"task_ready", `{"limit":0}`, CodeInvalidInput, false},
		{"task_ready", `{"sort":"x"}`, CodeInvalidInput, false},
		{"task_list", `{"task_type":"x"}`, CodeInvalidTaskType, false},
		{"task_create", `{"title":" ","agent":"mo"}`, CodeInvalidInput, false},
		{"task_update", `{"task_id":"x","agent":"mo"}`, CodeInvalidInput, false},
		{"task_apply", `{"operations":5}`, CodeInvalidInput, true},
		{"task_apply", `{"operations":[5]}`, CodeInvalidInput, true},
		{"task_apply", `{"operations":[]}`, CodeInvalidInput, false},
		{"task_apply", `{"operations":[{}]}`, CodeInvalidInput, true},
		{"task_apply", `{"operations":[{"op":5}]}`, CodeInvalidInput, true},
		{"task_apply", `{"operations":[{"op":"next"}]}`, CodeInvalidInput, false},
		{"task_apply", `{"operations":[{"op":"create","title":"T"}]}`, CodeInvalidInput, true},
		{"task_apply", `{"agent":"mo","operations":[{"op":"create","title":5}]}`, CodeInvalidInput, true},
		{"task_apply", `{"agent":"mo","operations":[{"op":"create","title":"T","as":5}]}`, CodeInvalidInput, true},
		{"task_apply", `{"agent":"mo","operations":[{"op":"create","title":"T","as":"5"}]}`, CodeInvalidInput, false},
		{"task_apply", `{"agent":"mo","operations":[{"op":"create","title":" "}]}`, CodeInvalidInput, false},
		{"task_apply", `{"agent":"mo","operations":[{"op":"complete","task_id":"$x"}]}`, CodeInvalidInput, false},
	} {
		op, ok := OperationNamed(c.operation)
		if !ok {
			t.Fatalf("there is no operation %s", c.operation)
		}
		_, err := op.Call(t.Context(), s, []byte(c.arguments))
		if e := AsError(err); err == nil || errors.Is(err, errReached) || e.Code != c.code || IsMisfit(err) != c.misfit {
			t.Errorf("%s %s: %v, misfit %v", c.operation, c.arguments, err, IsMisfit(err))
		}
	}
	for _, c := range [][2]string{{"task_get", `{"task_id":"x"}`}, {"task_apply", `{"agent":"mo","operations":[{"op":"complete","task_id":"x"}]}`}} {
		op, _ := OperationNamed(c[0])
		if _, err := op.Call(t.Context(), s, []byte(c[1])); !errors.Is(err, errReached) || IsMisfit(err) {
			t.Errorf("%s %s: %v", c[0], c[1], err)
		}
	}
}
