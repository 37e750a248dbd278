package core

import "context"

// TransferKind says what a record on its way into or out of a store holds.
type TransferKind int

// The kinds of records. The last three occur on the way in only.
const (
	TransferAgent   TransferKind = iota // Agent
	TransferTask                        // Task
	TransferEdge                        // Edge, its ends named by id
	TransferClaim                       // Claim on the task TaskID
	TransferFinding                     // Finding on the task TaskID
	TransferLeftOut                     // a record that the format never brings over, such as a deleted one
	TransferProblem                     // a part of a record that does not come over; Reason tells why
	TransferBroken                      // a line that cannot be read; Reason tells why
)

// TransferRecord is one record of an export or import, whatever the format.
// Which fields count depends on Kind.
type TransferRecord struct {
	Kind    TransferKind
	Line    int // where it stands in the file, from 1; 0 on the way out
	Agent   Agent
	Task    Task
	Edge    Edge
	Claim   Claim
	Finding Finding
	TaskID  string // whose claim or finding it is, or whom a problem concerns
	Reason  string // a sentence
}

// ImportSource is a file to import. It is read more than once: first to judge
// it as a whole, then to write.
type ImportSource interface {
	// Format is the name of the format, as reports give it.
	Format() string
	// Each reads from the beginning and yields the records in the order in
	// which they are to be inserted, the same ones each time. A record is valid
	// during the call of yield only. Each ends with the first error of yield.
	Each(ctx context.Context, yield func(*TransferRecord) error) error
}

// JudgedSource is an import source whose first reading can be cheaper.
type JudgedSource interface {
	ImportSource
	// Judge is Each for the first reading: it yields the same lines, but of
	// tasks only id, updated_at and version count, and what is no task may be
	// left out.
	Judge(ctx context.Context, yield func(*TransferRecord) error) error
}

// transferCheckEvery is after how many records a transfer looks whether it
// has been called off.
const transferCheckEvery = 512

// pulse notices that a transfer has been called off.
type pulse struct {
	ctx   context.Context
	beats int
}

func (p *pulse) beat() error {
	p.beats++
	if p.beats%transferCheckEvery != 0 {
		return nil
	}
	return p.ctx.Err()
}

// CheckJSONText refuses JSON source that cannot be stored as text: invalid
// UTF-8, NUL raw or escaped, halves of surrogate pairs. The error is
// invalid_input/malformed about the field.
func CheckJSONText(field string, src []byte) error { return checkJSONText(field, src) }

// CheckText refuses text that cannot be stored: invalid UTF-8 and NUL. The
// error is invalid_input/malformed about the field.
func CheckText(field, s string) error { return checkText(field, s) }
