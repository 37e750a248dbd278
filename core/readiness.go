package core

import (
	"fmt"
	"strings"
)

// Assess is the rule of readiness: it tells which of the dependency edges that
// point at a task hold it back at a moment. A plain open task is ready when
// none does. Everything else that knows about readiness, the stored frontier
// included, is held equal to it by tests.
func Assess(incoming []Dependency, now Stamp) []Dependency {
	var live []Dependency
	for _, edge := range incoming {
		if !satisfied(edge, now) {
			live = append(live, edge)
		}
	}
	return live
}

// satisfied reports whether the source of an edge lets its target go.
func satisfied(edge Dependency, now Stamp) bool {
	if edge.Missing {
		return false
	}
	if edge.Source.Status == StatusCompleted {
		return true
	}
	return timerPassed(edge, now)
}

// timerPassed reports whether the edge waits on an open timer gate that is
// due. Only waits_on_gate edges give timers their meaning.
func timerPassed(edge Dependency, now Stamp) bool {
	opens := opensAt(edge)
	return opens != nil && *opens <= now.Seconds()
}

// opensAt is when an edge that waits on an open timer gate lets go by itself;
// nil for every other edge.
func opensAt(edge Dependency) *int64 {
	if edge.Missing || edge.Type != EdgeWaitsOnGate || edge.Source.Type != TypeGate || edge.Source.Status != StatusOpen {
		return nil
	}
	return timerReadyAt(edge.Gate)
}

// BlockerKind says what stands in the way and so what can be done about it.
type BlockerKind string

// The kinds of blockers.
const (
	BlockedByTask  BlockerKind = "task"
	BlockedByGate  BlockerKind = "gate"
	BlockedByCycle BlockerKind = "cycle"
	BlockedForGood BlockerKind = "blocker_unsatisfiable"
)

// statusMissing stands for the status of a predecessor whose row is gone.
const statusMissing = "missing"

// Blocker is one thing that holds a task back.
type Blocker struct {
	Kind    BlockerKind
	TaskID  string
	Type    EdgeType
	Status  string // the predecessor's, or missing
	Message string
}

// AppendJSON appends the entry with its keys in the contract's order.
func (b Blocker) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.word("kind", string(b.Kind))
	o.str("task_id", b.TaskID)
	o.word("type", string(b.Type))
	o.word("status", b.Status)
	o.str("message", b.Message)
	return o.end()
}

// MarshalJSON returns the entry.
func (b Blocker) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil), nil }

// blockerOf describes a live edge. ring holds the ids of the cycle it is part
// of, predecessor first and last, or nothing.
func blockerOf(edge Dependency, ring []string) Blocker {
	b := Blocker{TaskID: edge.Source.ID, Type: edge.Type, Status: string(edge.Source.Status)}
	switch {
	case edge.Missing:
		b.Kind, b.Status = BlockedForGood, statusMissing
		b.Message = fmt.Sprintf("The predecessor %s is missing from the store; somebody must intervene.", b.TaskID)
	case edge.Source.Status == StatusCancelled:
		b.Kind = BlockedForGood
		b.Message = fmt.Sprintf("%s was cancelled and will never be completed; somebody must intervene.", b.TaskID)
	case edge.Type == EdgeWaitsOnGate:
		b.Kind = BlockedByGate
		b.Message = gateMessage(edge)
	case len(ring) > 0:
		b.Kind = BlockedByCycle
		b.Message = fmt.Sprintf("Waiting in a ring: %s.", strings.Join(ring, " -> "))
	default:
		b.Kind = BlockedByTask
		b.Message = fmt.Sprintf("Waiting for %s.", b.TaskID)
	}
	return b
}

func gateMessage(edge Dependency) string {
	kind, _ := edge.Gate.GetString("gate_type")
	if kind == "" {
		return fmt.Sprintf("Waiting for gate %s, whose metadata is unusable.", edge.Source.ID)
	}
	if GateType(kind) == GateTimer {
		at, ok := edge.Gate.GetString("ready_at")
		if opensAt(edge) == nil || !ok {
			return fmt.Sprintf("Waiting for timer gate %s, whose ready_at is unusable.", edge.Source.ID)
		}
		return fmt.Sprintf("Waiting for timer gate %s until %s.", edge.Source.ID, at)
	}
	return fmt.Sprintf("Waiting for %s gate %s.", kind, edge.Source.ID)
}

// blockers lists what holds each of the tasks back, by direct predecessors.
func (v view) blockers(keys []TaskKey) (map[TaskKey][]Blocker, error) {
	incoming, err := v.Incoming(keys, true)
	if err != nil {
		return nil, err
	}
	rings, err := v.MayHaveRings()
	if err != nil {
		return nil, err
	}
	found := make(map[TaskKey][]Blocker, len(keys))
	for _, edge := range Assess(incoming, v.now) {
		var ring []string
		if rings {
			if ring, err = v.blocksRing(edge); err != nil {
				return nil, err
			}
		}
		found[edge.Target] = append(found[edge.Target], blockerOf(edge, ring))
	}
	return found, nil
}

// blocksRing returns the ids of the ring of blocks edges between open tasks
// that an edge is part of, its source first and last; nil when there is none.
func (v view) blocksRing(edge Dependency) ([]string, error) {
	if edge.Missing || edge.Type != EdgeBlocks || edge.Source.Status != StatusOpen {
		return nil, nil
	}
	path, err := ringPath(v, edge.Source.Key, edge.Target, []EdgeType{EdgeBlocks}, true)
	return idsOfNames(path), err
}
