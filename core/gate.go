package core

import (
	"fmt"
	"time"
)

// GateType says what a gate waits for.
type GateType string

// The gate types. Only timer is ever judged by the program; the others are
// passed by completing the gate.
const (
	GateHuman        GateType = "human"
	GateTimer        GateType = "timer"
	GateCI           GateType = "ci"
	GatePR           GateType = "pr"
	GateExternalTask GateType = "external_task"
)

// GateTypes lists the gate types in documentation order.
var GateTypes = []GateType{GateHuman, GateTimer, GateCI, GatePR, GateExternalTask}

// checkGateMetadata validates the metadata a gate will have and returns it
// with ready_at of a timer in its stored form: UTC, whole seconds.
func checkGateMetadata(m Metadata) (Metadata, error) {
	const typeField, timeField = "metadata.gate_type", "metadata.ready_at"
	raw, ok := m.Get("gate_type")
	if !ok || string(raw) == "null" {
		return "", MissingField(typeField)
	}
	kind, ok := m.GetString("gate_type")
	if !ok {
		return "", wrongType(typeField, TypeString, raw).with("allowed", words(GateTypes))
	}
	if err := checkWord(GateTypes, kind, func() error {
		return InvalidWord(typeField, kind, "gate type", words(GateTypes))
	}); err != nil {
		return "", err
	}
	if GateType(kind) != GateTimer {
		return m, nil
	}
	raw, ok = m.Get("ready_at")
	if !ok || string(raw) == "null" {
		return "", MissingField(timeField)
	}
	text, ok := m.GetString("ready_at")
	if !ok {
		return "", wrongType(timeField, TypeString, raw)
	}
	at, err := ParseStamp(text)
	if err != nil {
		return "", InvalidValue(timeField, text, fmt.Sprintf("'%s' is no ISO 8601 time: '%s'.", timeField, clip(text)))
	}
	whole := StampOf(time.Unix(at.Seconds(), 0))
	return m.Merge(MakeMetadata([]Member{{"ready_at", AppendJSONString(nil, whole.String())}})), nil
}
