package core

import (
	"encoding/json"
	"testing"
)

// TestPlanApply_noObject holds that every fault of an operation names it, and
// that shape is judged before values.
func TestPlanApply_noObject(t *testing.T) {
	blank := " "
	for _, entry := range []string{`"x"`, `5`, `null`, `[]`} {
		_, err := planApply(&TaskApplyRequest{
			Agent:      &blank,
			Operations: []json.RawMessage{json.RawMessage(`{"op":"claim","task_id":"abcdef","aspect":"work"}`), json.RawMessage(entry)},
		})
		e := AsError(err)
		if e == nil || e.Extra("reason") != ReasonInvalidValue || e.Extra("field") != "operations[1]" || e.Extra("operation_index") != 1 || !IsMisfit(err) {
			t.Errorf("%s: %v %v", entry, err, e.Extras)
		}
		if last := e.Extras[len(e.Extras)-1].Name; last != "operation_index" {
			t.Errorf("%s: the last extra is %s", entry, last)
		}
	}
}
