package core

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
)

// Operation is one entry of the contract, as the surfaces see it: the CLI and
// the MCP server offer exactly the operations of [Operations].
type Operation interface {
	// Name is the contract's name, such as task_create.
	Name() string
	// Summary is one sentence for help and schemas.
	Summary() string
	// ReadOnly reports whether the operation never writes.
	ReadOnly() bool
	// CommandLineOnly reports whether the operation is offered on the command line
	// only.
	CommandLineOnly() bool
	// Parameters lists the arguments in signature order.
	Parameters() []Parameter
	// RequestType is the struct the arguments are read into.
	RequestType() reflect.Type
	// Codes lists the codes of its own that the operation can fail with,
	// besides those that can strike any call.
	Codes() []Code
	// Call decodes the JSON text of an arguments object and runs the
	// operation. Misfits of shape satisfy [IsMisfit].
	Call(ctx context.Context, s *Service, arguments []byte) (any, error)
}

// Op is an operation with its request and result types.
type Op[In, Out any] struct {
	name            string
	summary         string
	readOnly        bool
	commandLineOnly bool
	outcomes        bool // some of its failures are statuses, see note_outcome.go
	codes           []Code
	run             func(*Service, context.Context, In) (Out, error)
}

// Name implements [Operation].
func (o Op[In, Out]) Name() string { return o.name }

// Summary implements [Operation].
func (o Op[In, Out]) Summary() string { return o.summary }

// ReadOnly implements [Operation].
func (o Op[In, Out]) ReadOnly() bool { return o.readOnly }

// CommandLineOnly implements [Operation].
func (o Op[In, Out]) CommandLineOnly() bool { return o.commandLineOnly }

// Codes implements [Operation].
func (o Op[In, Out]) Codes() []Code { return o.codes }

// RequestType implements [Operation].
func (o Op[In, Out]) RequestType() reflect.Type { return reflect.TypeFor[In]() }

// Parameters implements [Operation].
func (o Op[In, Out]) Parameters() []Parameter { return parametersOf(reflect.TypeFor[In]()) }

// Run runs the operation on a request made by the program itself.
func (o Op[In, Out]) Run(ctx context.Context, s *Service, in In) (Out, error) {
	out, err := o.run(s, ctx, in)
	return out, o.failure(err)
}

// failure is an error in the form in which the operation answers it.
func (o Op[In, Out]) failure(err error) error {
	if o.outcomes {
		markOutcome(err)
	}
	return err
}

// Call implements [Operation].
func (o Op[In, Out]) Call(ctx context.Context, s *Service, arguments []byte) (any, error) {
	var in In
	if err := decodeArguments(arguments, &in); err != nil {
		return nil, o.failure(err)
	}
	out, err := o.run(s, ctx, in)
	if err != nil {
		return nil, o.failure(err)
	}
	return out, nil
}

// EncodeArguments returns the JSON text of an arguments object for a request:
// the way back of Call.
func EncodeArguments(request any) json.RawMessage {
	v := reflect.ValueOf(request)
	o := beginObject(nil)
	for _, p := range parametersOf(v.Type()) {
		field := v.Field(p.index)
		if (field.Kind() == reflect.Pointer || field.Kind() == reflect.Slice) && field.IsNil() {
			continue
		}
		o.any(p.Name, field.Interface())
	}
	return o.end()
}

// IsMisfit reports whether an error is about the shape of the arguments: an
// unknown or missing one, a wrong JSON type, unreadable text.
func IsMisfit(err error) bool {
	var shape *shapeError
	return errors.As(err, &shape)
}

// Operations lists every operation, in the order of the documentation.
var Operations = []Operation{
	TaskCreate, TaskSpawn, TaskGet, TaskStatus, TaskList,
	TaskUpdate, TaskComplete, TaskCancel, TaskReopen,
	TaskClaim, TaskRenew, TaskRelease, TaskNext,
	TaskEdgeUpsert, TaskEdgeDelete, TaskEdgeList,
	TaskReady, TaskBlocked, TaskChildren, TaskWhy, TaskApply,
	FindingPost, FindingList,
	AgentRegister, AgentInfo, AgentList,
	Stats, Events, EventsArchive, Journal,
	NoteWrite, NoteUpdate, NoteDelete, NoteRead, NoteList, NoteTags, NoteSearch, CacheLookup,
	EdgeUpsert, EdgeList, ConflictResolve, Related, Retrieve, NodeStats, NoteReindex,
}

// OperationNamed finds an operation by its contract name.
func OperationNamed(name string) (Operation, bool) {
	for _, op := range Operations {
		if op.Name() == name {
			return op, true
		}
	}
	return nil, false
}
