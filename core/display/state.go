package display

import (
	"fmt"
	"slices"

	"dev.lithos/core"
)

// State is how a task stands, as people see it, or a relation that is drawn
// like one.
type State int

// The states and relations that have a mark.
const (
	Open      State = iota // open, and its readiness was not asked for
	Ready                  // can be started
	Blocked                // held back
	Claimed                // open, and somebody holds a lease on it
	Done                   // completed
	Cancelled              // cancelled, or for good in the way of something
	Gate                   // an open gate
	Epic                   // an open epic
	Waits                  // waits for what follows
	Cycle                  // waits in a ring
)

// States lists every state in the order of the legend.
var States = []State{Open, Ready, Blocked, Claimed, Done, Cancelled, Gate, Epic, Waits, Cycle}

// marks is the one table of marks: word, mark, ASCII substitute. The
// substitutes are none of the signs that screens put beside them: > for the
// cursor, ! for a warning, ~ for text that was cut off.
var marks = [...]struct{ word, mark, ascii string }{
	Open:      {"open", "·", "."},
	Ready:     {"ready", "○", "o"},
	Blocked:   {"blocked", "■", "#"},
	Claimed:   {"claimed", "◐", "@"},
	Done:      {"done", "✔", "x"},
	Cancelled: {"cancelled", "✘", "/"},
	Gate:      {"gate", "◆", "<>"},
	Epic:      {"epic", "▣", "[]"},
	Waits:     {"waits", "⤷", "<-"},
	Cycle:     {"cycle", "⟳", "()"},
}

// Word names the state.
func (s State) Word() string { return marks[s].word }

// Mark is the sign of the state, one cell wide. The ASCII substitute takes
// one or two.
func (s State) Mark(ascii bool) string {
	if ascii {
		return marks[s].ascii
	}
	return marks[s].mark
}

// String returns the word.
func (s State) String() string { return s.Word() }

// StateOf tells how a task stands from its record. Readiness is not in the
// record: held says whether the task is held back, nil when that is not
// known. claimed says whether somebody holds a live lease.
func StateOf(status core.Status, taskType core.TaskType, held *bool, claimed bool) State {
	switch {
	case status == core.StatusCompleted:
		return Done
	case status == core.StatusCancelled:
		return Cancelled
	case taskType == core.TypeGate:
		return Gate
	case taskType == core.TypeEpic:
		return Epic
	case claimed:
		return Claimed
	case held == nil:
		return Open
	case *held:
		return Blocked
	}
	return Ready
}

// PriorityLabel is the short form of a priority word: P0 for highest to P4
// for lowest; "" for any other text.
func PriorityLabel(word string) string {
	if i := slices.Index(core.Priorities, word); i >= 0 {
		return fmt.Sprintf("P%d", i)
	}
	return ""
}
